"""A session with a mat: its messages are stored first, then reported on the terminal and shown to
viewers; the evidence of each ruling is stored with its game.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from polarity_host.device.link import Event, Link, PortState
from polarity_host.errors import FAILED, HostError
from polarity_host.games.admission import EVIDENCE, Allowance
from polarity_host.games.follow import Follower, follow
from polarity_host.games.store import Store
from polarity_host.live.live_state import PLAYERS, LiveState
from polarity_host.live.maintenance import Maintenance
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import RulingMessage


class MatSession:
    """Follows the mat at `url` until its port is over: `run` here, `start` in a thread.

    `reporter` gets every event too; `names` are those of the games that begin, as for
    Store.name_next; `connect` makes the link from a URL, the number up to which a boot's messages
    are stored, and the seconds to wait for a lost port.

    `failure` is the HostError that ended it; `opened` is set once the port was there, or never will
    be; `over` when nothing more comes.
    """

    def __init__(
        self,
        url: str,
        games: Path,
        reporter: Follower | None = None,
        wait_s: float = 60.0,
        names: dict[str, str] | None = None,
        connect: Callable[[str, Callable[[int], int], float], Link] = Link,
    ):
        self.failure: HostError | None = None
        self.opened, self.over = threading.Event(), threading.Event()
        self.url, self.games, self._reporter, self._names = url, games, reporter, names or {}
        self._open_store: Store | None = None
        self._allowance = Allowance(*EVIDENCE)
        self._link = connect(url, self._last_stored, wait_s)
        self.state = LiveState(self.send, self._store_evidence)
        self.maintenance = Maintenance(url, self.send, self.state.show_maintenance)
        self._written = _players(self._names)  # names that the game has in the store
        self.state.name_players(self._written)
        self._once = False
        self._thread = threading.Thread(target=self._run_guarded, name="the mat", daemon=True)

    def start(self, once: bool = False) -> None:
        """Begins in a thread; `once` as of `run`. HostError when the port cannot be opened."""
        self._once = once
        self._thread.start()
        self.opened.wait()
        if self.failure:
            raise self.failure

    def stop(self) -> None:
        """Ends it and waits for its thread: what has arrived is stored, with the evidence of the
        last rulings.
        """
        self._link.stop()
        if self._thread.is_alive():
            self._thread.join()

    def run(self, once: bool = False) -> None:
        """Follows until the port is over or, with `once`, a game has ended. HostError as `follow`;
        what was reported by then is stored.
        """
        with Store(self.games, self.url) as store:
            self._open_store = store
            store.name_next(self._names)
            try:
                follow(self._link, store, self, once)
            finally:
                self.state.finish()

    def send(self, command: str) -> None:
        """Sends a command to the mat; from any thread."""
        self._link.send(command)

    def report(self, event: Event) -> None:
        """For `follow`: an event that is stored."""
        if isinstance(event, PortState):
            self.opened.set()
        self.state.handle(event)
        self._write_names(begins=isinstance(event, Message) and event.kind == "game")
        self.maintenance.handle(event)
        if self._reporter:
            self._reporter.report(event)

    def _write_names(self, begins: bool) -> None:
        """Writes names that players gave into the store, which this thread alone uses."""
        names, boot = self.state.names, self.state.boot
        if boot is not None and names and (begins or names != self._written):
            self._store.name(self._store.game_id(boot), names)
            self._written = names

    @property
    def result(self) -> RulingMessage | None:
        """The end of the game, once it has one."""
        return self.state.result

    @property
    def given_up(self) -> bool:
        """Whether a lost port did not come back."""
        return self._link.given_up

    @property
    def _store(self) -> Store:
        if self._open_store is None:
            raise RuntimeError("the session does not run: there is no store")
        return self._open_store

    def _store_evidence(self, boot: int, number: int, data: bytes) -> bool:
        admitted = self._allowance.spend(len(data))
        if admitted:
            self._store.add_evidence(boot, number, data)
        return admitted

    def _last_stored(self, boot: int) -> int:
        """For the link: up to where a boot's messages are stored. The live state is restored from
        them.
        """
        store, last = self._store, self._store.last_number(boot)
        if last and boot != self.state.boot:
            game = store.game_id(boot)
            messages, _ = store.messages(game)
            self.state.restore(messages, store.evidence_numbers(game))
            (row,) = [row for row in store.games() if row["id"] == game]
            self._written = _players(row)
            self.state.name_players(self._written)
        return last

    def _fail(self, error: HostError) -> None:
        self.failure = error
        self.state.fail(error)

    def _run_guarded(self) -> None:
        try:
            self.run(self._once)
        except HostError as error:
            self._fail(error)
        except Exception as error:  # nobody waits for this thread: the page and `start` report it
            self._fail(HostError(FAILED, "following the mat broke down: {error!r}", error=error))
        finally:
            self.opened.set()
            self.over.set()


def _players(names: Mapping[str, object]) -> dict[str, str]:
    """Of the names of a game those of its players."""
    return {side: str(names[side]) for side in PLAYERS if names.get(side)}
