"""A mat's messages in order and without silent gaps, however the port behaves.

The link requests missing numbers again with `resume`. What the mat itself no longer has becomes a
`Gap`. The link tries for a while to open a port again that disappeared.
"""

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from polarity_host.device.ports import Port, PortGone, PortOver
from polarity_host.device.prompt import Prompt
from polarity_host.errors import FAILED, HostError, Said
from polarity_host.wire.lines import Damaged, LineSplitter, Message, decode, newer_version
from polarity_host.wire.messages import AckMessage, GapMessage

#: How often missing messages are requested before they count as lost.
TRIES = 5
#: A port that sends no message for this long has no mat (seconds).
PATIENCE_S = 10.0
#: How long a mat may take to answer a `resume` (seconds).
ANSWER_S = 10.0
#: After this long without a byte the link sends `hello`, to see whether the mat is there (seconds).
SILENCE_S = 2.0
#: So many boots may take turns on one port, as only a broken device does.
MOST_BOOTS = 64
#: Pause between two attempts to open a port that disappeared (seconds).
RETRY_S = 0.5


@dataclass(frozen=True)
class Gap:
    """Numbered messages that are permanently lost: `first` to `last` of `boot`."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True)
class PortState:
    """A change of the port's state; `why` gives the reason in words."""

    state: Literal["open", "lost", "over"]
    why: str = ""


Event = Message | Damaged | Gap | PortState


class LinePort(Protocol):
    """A port as a Link uses it: `device.ports.Port`, or one without a serial line."""

    def read(self) -> bytes: ...

    def write_line(self, text: str) -> None: ...

    def close(self) -> None: ...


class Link:
    """Receives from one port. Iterate over `batches()`."""

    def __init__(
        self,
        url: str,
        known: Callable[[int], int] = lambda boot: 0,
        wait_s: float = 60.0,
        open_port: Callable[[str], LinePort] = Port,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        """`known(boot)` returns the last number already stored of a boot, 0 for none. `wait_s` is
        how long to wait for a lost port.
        """
        self.url = url
        self.given_up = False  # a lost port did not come back
        self._known = known
        self._wait_s = wait_s
        self._open_port = open_port
        self._clock = clock
        self._sleep = sleep
        self._boot: int | None = None
        self._last = 0
        self._lasts: dict[int, int] = {}  # of boots before this one
        self._tries = 0  # requests since the last progress
        self._missing_to = 0  # end of the shortest gap since the last progress, 0 for none
        self._requested_s: float | None = None  # when the unanswered `resume` was sent
        self._answers = False  # the mat has answered a `resume` on this connection
        self._unresponsive = False  # the mat answers no `resume`: each gap is reported at once
        self._to_send: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._stopped = threading.Event()

    def send(self, command: str) -> None:
        """Sends a command of PROTOCOL.md when the port is read next; from any thread. While there
        is no port, the command waits for it.
        """
        self._to_send.put(command)

    def stop(self) -> None:
        """Ends `batches` after the read that is going on; from any thread."""
        self._stopped.set()

    def batches(self) -> Iterator[list[Event]]:
        """Yields the events of each read of the port; an empty list when nothing came.

        Ends when the port is over, or after `stop`. HostError when the port cannot be opened at
        first, or does not come back within `wait_s`.
        """
        port = self._open_port(self.url)
        while True:
            yield [PortState("open")]
            try:
                yield from self._receive(port)
                return  # stopped
            except PortOver as over:
                yield [PortState("over", str(over))]
                return
            except PortGone as gone:
                yield [PortState("lost", str(gone))]
            finally:
                port.close()
            reopened = yield from self._reopened()
            if reopened is None:
                if not self._stopped.is_set():
                    yield [PortState("over", "the virtual game is over")]
                return
            port = reopened

    def _reopened(self) -> Generator[list[Event], None, LinePort | None]:
        until = self._clock() + self._wait_s
        while self._clock() < until:
            self._sleep(min(RETRY_S, max(0.0, until - self._clock())))
            yield []
            if self._stopped.is_set():
                return None
            try:
                return self._open_port(self.url)
            except PortOver:
                return None
            except HostError:
                continue
        self.given_up = True
        raise HostError(
            FAILED,
            "{url} disappeared and did not come back within {wait_s:g} s; plug it in "
            "and start again: nothing that was shown is lost",
            url=self.url,
            wait_s=self._wait_s,
        )

    def _receive(self, port: LinePort) -> Iterator[list[Event]]:
        splitter = LineSplitter()
        self._note_progress()
        self._requested_s, self._answers, self._unresponsive = None, False, False
        port.write_line("hello")
        begun = last_byte = self._clock()
        received, understood, prompt = 0, False, Prompt(self.url)
        while not self._stopped.is_set():
            while not self._to_send.empty():
                port.write_line(self._to_send.get())
            chunk = port.read()
            if chunk:
                last_byte = self._clock()
            if not understood:
                prompt.check(chunk)
            if self._boot is None and self._clock() - begun > PATIENCE_S:
                raise HostError(FAILED, _no_mat(self.url, received))
            received += len(chunk)
            if not chunk and self._clock() - last_byte > SILENCE_S:
                last_byte = self._clock()
                port.write_line("hello")
            events: list[Event] = []
            for line in splitter.feed(chunk):
                item = decode(line)
                if isinstance(item, Message):
                    understood = True
                    self._accept(item, port, events)
                elif newer_version(item) and not understood:
                    raise HostError(
                        FAILED,
                        "the mat on {url} speaks a newer wire: update this program",
                        url=self.url,
                    )
                else:
                    events.append(item)
            yield events

    def _accept(self, message: Message, port: LinePort, events: list[Event]) -> None:
        if message.boot != self._boot:
            if self._boot is not None:
                self._lasts[self._boot] = self._last
                while len(self._lasts) > MOST_BOOTS:
                    del self._lasts[next(iter(self._lasts))]
            self._boot = message.boot
            # what this read brought of that boot is not stored yet
            self._last = max(self._known(message.boot), self._lasts.pop(message.boot, 0))
            self._note_progress()
        number = message.number
        body = message.body
        if isinstance(body, GapMessage):
            self._report_gap_to(body.last, events)
        elif message.numbered and number <= self._last:
            pass  # received already
        elif message.numbered and (number == self._last + 1 or self._unresponsive):
            self._report_gap_to(number - 1, events)
            self._last = number
            self._note_progress()
            events.append(message)
        else:
            if isinstance(body, AckMessage) and body.cmd.startswith("resume"):
                self._requested_s = None
                self._answers = True
                self._believe(number)
            if number > self._last:
                self._request(number - 1 if message.numbered else number, port, events)
            if not message.numbered:
                events.append(message)

    def _request(self, missing_to: int, port: LinePort, events: list[Event]) -> None:
        """Messages up to `missing_to` are missing: sends `resume`, unless an answer is still due
        or there were too many tries.
        """
        self._missing_to = min(missing_to, self._missing_to or missing_to)
        if self._requested_s is not None and self._clock() - self._requested_s < ANSWER_S:
            return
        if self._tries == TRIES:
            self._unresponsive = not self._answers
            self._report_gap_to(self._missing_to, events)
            self._note_progress()
        if missing_to > self._last and not self._unresponsive:
            self._tries += 1
            self._requested_s = self._clock()
            port.write_line(f"resume {self._last + 1}")

    def _believe(self, newest: int) -> None:
        """The mat answers a `resume`, and `newest` is its last number: whatever named a higher one
        was wrong."""
        if newest <= self._last:
            self._note_progress()
        elif self._missing_to > newest:
            self._missing_to = newest

    def _report_gap_to(self, number: int, events: list[Event]) -> None:
        if self._boot is not None and number > self._last:
            events.append(Gap(self._boot, self._last + 1, number))
            self._last = number

    def _note_progress(self) -> None:
        self._tries = 0
        self._missing_to = 0


def _no_mat(url: str, received: int) -> Said:
    if received:
        what = Said("{received} bytes came that are no messages of a mat", received=received)
    elif url.lower().startswith("socket://"):
        return Said(
            "no mat on {url}: nothing came; a mat's server answers one program at a time", url=url
        )
    else:
        what = Said("nothing came")
    return Said(
        "no mat on {url}: {what}; is it the right port? `polarity ports` lists them",
        url=url,
        what=what,
    )
