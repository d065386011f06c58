"""Follows a mat: stored first, then told on the terminal and shown to viewers; each ruling's
evidence is kept with its game.
"""

import threading
from pathlib import Path

from polarity_host.device.link import Event, Link, PortState
from polarity_host.errors import FAILED, HostError
from polarity_host.games.admission import EVIDENCE, Allowance
from polarity_host.games.follow import Follower, follow
from polarity_host.games.store import Store
from polarity_host.live.live_state import LiveState
from polarity_host.live.maintenance import Maintenance
from polarity_host.wire.lines import Message, decode
from polarity_host.wire.messages import RulingMessage


class MatSession:
    """Follows `url` until its port is over: `run` here, `start` in a thread. `reporter` is told
    everything too; `names` are those of the games that begin, as Store.name_next takes them.

    `failure` is the HostError that ended it; `opened` is set once the port was there, or never will
    be; `over` when nothing more comes.
    """

    def __init__(
        self,
        url: str,
        games: Path,
        reporter: Follower | None = None,
        wait_s: float = 60.0,
        names: dict | None = None,
    ):
        self.failure: HostError | None = None
        self.opened, self.over = threading.Event(), threading.Event()
        self.url, self.games, self._reporter, self._names = url, games, reporter, names or {}
        self._store: Store | None = None
        self._allowance = Allowance(*EVIDENCE)
        self._link = Link(url, self._known, wait_s)
        self.state = LiveState(self.send, self._keep)
        self.maintenance = Maintenance(url, self.send, self.state.show_maintenance)
        self._thread = threading.Thread(target=self._guarded, name="the mat", daemon=True)

    def start(self) -> None:
        """Begins. HostError when the port cannot be opened."""
        self._thread.start()
        self.opened.wait()
        if self.failure:
            raise self.failure

    def run(self, once: bool = False) -> None:
        """Follows until the port is over or, with `once`, a game has ended. HostError as `follow`:
        what was told is stored.
        """
        with Store(self.games, self.url) as self._store:
            self._store.name_next(self._names)
            try:
                follow(self._link, self._store, self, once)
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
        self.maintenance.handle(event)
        if self._reporter:
            self._reporter.report(event)

    @property
    def result(self) -> RulingMessage | None:
        """The end of the game, once it has one."""
        return self.state.result

    @property
    def given_up(self) -> bool:
        """Whether a lost port did not come back."""
        return self._link.given_up

    def _keep(self, boot: int, number: int, data: bytes) -> bool:
        kept = self._allowance.spend(len(data))
        if kept:
            self._store.add_evidence(boot, number, data)
        return kept

    def _known(self, boot: int) -> int:
        """For the link: up to where a boot's messages are stored. The live state restores them."""
        store, last = self._store, self._store.last_number(boot)
        if last and boot != self.state.boot:
            game = store.game_id(boot)
            said = [decode(line.encode()) for line in store.raw_lines(game)]
            messages = [message for message in said if isinstance(message, Message)]
            self.state.restore(messages, store.evidence_numbers(game))
        return last

    def _fail(self, error: HostError) -> None:
        self.failure = error
        self.state.fail(error.message)

    def _guarded(self) -> None:
        try:
            self.run()
        except HostError as error:
            self._fail(error)
        except Exception as error:  # nobody waits for this thread: the page and `start` tell it
            self._fail(HostError(FAILED, f"following the mat broke down: {error!r}"))
        finally:
            self.opened.set()
            self.over.set()
