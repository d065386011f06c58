"""A mat's messages in order and without silent holes, however the port behaves.

A hole in the numbers is asked for again with `resume`; what the mat itself no longer has becomes a
`Gap`. A port that disappears is opened again for a while.
"""

import queue
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from polarity_host.device.ports import Port, PortGone, PortOver
from polarity_host.errors import FAILED, HostError
from polarity_host.wire.lines import Damaged, LineSplitter, Message, decode, newer_version

#: How often a hole is asked for again before it is taken as lost.
TRIES = 5
#: Time after which a port that never sent a message is taken for something else (seconds).
PATIENCE_S = 10.0
#: Time that a mat gets to answer a `resume` (seconds).
ANSWER_S = 10.0
#: Silence on the port after which the mat is asked whether it is still there (seconds).
SILENCE_S = 2.0
#: Pause between two attempts to open a port that disappeared (seconds).
RETRY_S = 0.5


@dataclass(frozen=True)
class Gap:
    """Numbered messages that are lost for good: `first` to `last` of `boot`."""

    boot: int
    first: int
    last: int


@dataclass(frozen=True)
class PortState:
    """The port's coming and going: `state` is "open", "lost" or "over"; `why` in words."""

    state: str
    why: str = ""


Event = Message | Damaged | Gap | PortState


class Link:
    """Follows one port. Iterate over `batches()`."""

    def __init__(
        self,
        url: str,
        known: Callable[[int], int] = lambda boot: 0,
        wait_s: float = 60.0,
        open_port: Callable[[str], Port] = Port,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ):
        """`known(boot)` gives the last number already stored of a boot, 0 for none; `wait_s` is how
        long a lost port is waited for.
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
        self._tries = 0  # requests since the last progress
        self._missing_to = 0  # the shortest hole seen since the last progress, 0 for none
        self._asked_s: float | None = None  # when `resume` was sent that is not answered yet
        self._answers = False  # the mat has answered a `resume` on this connection
        self._deaf = False  # the mat does not answer: holes are taken as they come
        self._to_say: queue.SimpleQueue[str] = queue.SimpleQueue()

    def say(self, command: str) -> None:
        """Sends a command of PROTOCOL.md when the port is read next, from any thread. What is said
        while there is no port waits for it.
        """
        self._to_say.put(command)

    def batches(self) -> Iterator[list[Event]]:
        """Yields what each read of the port brought; an empty list now and then when nothing comes.

        Ends when the port is over. HostError when the port cannot be opened at first, or does not
        come back within `wait_s`.
        """
        port = self._open_port(self.url)
        while True:
            yield [PortState("open")]
            try:
                yield from self._follow(port)
            except PortOver as over:
                yield [PortState("over", str(over))]
                return
            except PortGone as gone:
                yield [PortState("lost", str(gone))]
            finally:
                port.close()
            port = yield from self._reopened()
            if port is None:
                yield [PortState("over", "the virtual game is over")]
                return

    def _reopened(self) -> Iterator[list[Event]]:
        until = self._clock() + self._wait_s
        while self._clock() < until:
            self._sleep(min(RETRY_S, max(0.0, until - self._clock())))
            yield []
            try:
                return self._open_port(self.url)
            except PortOver:
                return None
            except HostError:
                continue
        self.given_up = True
        raise HostError(
            FAILED,
            f"{self.url} disappeared and did not come back within {self._wait_s:g} s; "
            "plug it in and start again: nothing that was shown is lost",
        )

    def _follow(self, port: Port) -> Iterator[list[Event]]:
        splitter = LineSplitter()
        self._settle()
        self._asked_s, self._answers, self._deaf = None, False, False
        port.write_line("hello")
        begun = heard = self._clock()
        received = 0
        while True:
            while not self._to_say.empty():
                port.write_line(self._to_say.get())
            chunk = port.read()
            if chunk:
                heard = self._clock()
            if self._boot is None and self._clock() - begun > PATIENCE_S:
                raise HostError(FAILED, _no_mat(self.url, received))
            received += len(chunk)
            if not chunk and self._clock() - heard > SILENCE_S:
                heard = self._clock()
                port.write_line("hello")
            events: list[Event] = []
            for line in splitter.feed(chunk):
                item = decode(line)
                if isinstance(item, Message):
                    self._accept(item, port, events)
                elif newer_version(item):
                    raise HostError(
                        FAILED, f"the mat on {self.url} speaks a newer wire: update this program"
                    )
                else:
                    events.append(item)
            yield events

    def _accept(self, message: Message, port: Port, events: list[Event]) -> None:
        if message.boot != self._boot:
            self._boot = message.boot
            self._last = self._known(message.boot)
            self._settle()
        number = message.number
        if message.kind == "gap":
            self._lose_to(message.fields["last"], events)
        elif message.numbered and number <= self._last:
            pass  # had it already
        elif message.numbered and (number == self._last + 1 or self._deaf):
            self._lose_to(number - 1, events)
            self._last = number
            self._settle()
            events.append(message)
        else:
            answered = message.kind == "ack" and message.fields["cmd"].startswith("resume")
            if answered:
                self._asked_s = None
                self._answers = True
            if number > self._last:
                self._ask_again(number - 1 if message.numbered else number, port, events)
            if not message.numbered:
                events.append(message)

    def _ask_again(self, missing_to: int, port: Port, events: list[Event]) -> None:
        """Something up to `missing_to` is missing: `resume`, unless that is under way or
        hopeless.
        """
        self._missing_to = min(missing_to, self._missing_to or missing_to)
        if self._asked_s is not None and self._clock() - self._asked_s < ANSWER_S:
            return
        if self._tries == TRIES:
            self._deaf = not self._answers
            self._lose_to(self._missing_to, events)
            self._settle()
        if missing_to > self._last and not self._deaf:
            self._tries += 1
            self._asked_s = self._clock()
            port.write_line(f"resume {self._last + 1}")

    def _lose_to(self, number: int, events: list[Event]) -> None:
        if number > self._last:
            events.append(Gap(self._boot, self._last + 1, number))
            self._last = number

    def _settle(self) -> None:
        self._tries = 0
        self._missing_to = 0


def _no_mat(url: str, received: int) -> str:
    what = f"{received} bytes came that are no messages of a mat" if received else "nothing came"
    return f"no mat on {url}: {what}; is it the right port? `polarity ports` lists them"
