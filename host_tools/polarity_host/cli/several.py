"""Several mats at once, for `log` and `live`: those that are named, and with `all` each that is
plugged in, now or later. Each has a session of its own, which follows it from port to port.
"""

import io
import json
import re
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import NamedTuple, Protocol

from polarity_host.device.plugged import device_of, following, plugged_mats, serial_number
from polarity_host.errors import BAD_INPUT, HostError
from polarity_host.live.mat_session import MatSession
from polarity_host.mqtt.topics import NAME
from polarity_host.terminal.progress import Progress
from polarity_host.words import Words

EVERY = "all"
SCAN_S = 1.0


class NamedPort(NamedTuple):
    """A mat's name and its port."""

    name: str
    url: str


class Ports(NamedTuple):
    """The ports of a command line; `every`: and each mat that is plugged in."""

    named: list[NamedPort]
    every: bool

    @property
    def single(self) -> str:
        """The only port, where there is one without a name; else ""."""
        alone = not self.every and len(self.named) == 1
        return self.named[0].url if alone else ""


def name_of(port: str) -> str:
    """What a mat is named by itself: after the serial number of its USB, which moves with it from
    port to port, else after the port."""
    text = serial_number(port) or re.sub("^[a-z]+://|^/dev/", "", port)
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")[:32].strip("-") or "mat"


def read_ports(words: Sequence[str], name: str = "") -> Ports:
    """Reads [NAME=]PORT … and `all`; `name` is that of a single port. HostError BAD_INPUT where two
    would have one name or one port."""
    given = [_named(word) for word in words if word != EVERY]
    every = EVERY in words
    if name and (every or len(given) > 1):
        raise HostError(
            BAD_INPUT, "--name names one mat alone: write NAME=PORT for each of several"
        )
    if not every and len(given) == 1:
        own, url = given[0]
        return Ports([NamedPort(name or own or name_of(url), url)], every)
    # the mat is meant, not the socket that it is in now
    followed = [(own, following(url)) for own, url in given]
    named = [NamedPort(own or name_of(url), url) for own, url in followed]
    for what in zip(*named):
        for one in what:
            if what.count(one) > 1:
                raise HostError(
                    BAD_INPUT, "two mats are named {one}: give each a name, as in oak=/dev/ttyACM0",
                    one=one,
                )  # fmt: skip
    return Ports(named, every)


def _named(word: str) -> tuple[str, str]:
    own, equals, url = word.partition("=")
    return (own, url) if equals and NAME.fullmatch(own) else ("", word)


class Tagged(io.StringIO):
    """A stream on which several mats report: each line begins with the mat's name; an object of
    JSON has it as `mat`."""

    _lock = threading.Lock()

    def __init__(self, name: str, as_json: bool, width: int):
        super().__init__()
        self._rest = ""
        self._tag = f'{{"mat":{json.dumps(name)},' if as_json else f"{name:<{width}}  "
        self._from = 1 if as_json else 0

    def write(self, text: str, /) -> int:
        """Prints the lines that are whole."""
        *lines, self._rest = (self._rest + text).split("\n")
        with self._lock:
            for line in lines:
                sys.stdout.write(f"{self._tag}{line[self._from :]}\n")
        return len(text)

    def flush(self) -> None:
        """As of a stream."""
        with self._lock:
            sys.stdout.flush()

    def isatty(self) -> bool:
        """Lines are not wrapped."""
        return False


def quiet_progress() -> Progress:
    """A progress line that shows nothing: several mats would share it."""
    return Progress(stream=io.StringIO())


class Followed(Protocol):
    """A mat that is followed: its session, and what is to be ended with it; `stays` where that goes
    on without the mat."""

    session: MatSession

    @property
    def stays(self) -> bool: ...

    def end(self) -> None: ...


class Several:
    """Follows the mats at `ports` until they are over or `stop`; `begin` follows one. `complain`
    gets the name of a mat that cannot be followed, and why."""

    def __init__(
        self,
        ports: Ports,
        begin: Callable[[NamedPort], Followed],
        complain: Callable[[str, HostError], None],
    ):
        self._ports, self._begin, self._complain = ports, begin, complain
        self._running: dict[NamedPort, Followed] = {}
        self._devices: dict[NamedPort, str] = {}
        self._refused: set[str] = set()  # devices that no session takes until they are plugged out
        self._stopped = threading.Event()
        self.failed = False

    def begin(self) -> None:
        """Follows the mats that are named. HostError when one cannot be."""
        for port in self._ports.named:
            self._follow(port)

    def run(self) -> None:
        """Waits for their ends, and for mats that are plugged in meanwhile."""
        while not self._stopped.is_set() and (self._running or self._ports.every):
            self._end_those_over()
            if self._ports.every:
                self._look_for_new()
            self._stopped.wait(SCAN_S)

    def end(self) -> None:
        """Ends all."""
        ending = [threading.Thread(target=_end, args=(one,)) for one in self._running.values()]
        for thread in ending:
            thread.start()
        for thread in ending:
            thread.join()
        self._running.clear()

    def tell(self, name: str, command: str) -> bool:
        """Sends a command to the mat of that name; False where there is none."""
        for port, followed in list(self._running.items()):
            if port.name == name:
                followed.session.send(command)
                return True
        return False

    def _follow(self, port: NamedPort) -> None:
        self._running[port] = self._begin(port)
        self._note_device(port)

    def _note_device(self, port: NamedPort) -> None:
        """Where a mat is now; as before while it is nowhere."""
        try:
            self._devices[port] = device_of(port.url)
        except HostError:
            self._devices.setdefault(port, port.url)

    def _look_for_new(self) -> None:
        for port in self._running:
            self._note_device(port)
        urls = {_device(url): url for url in plugged_mats()}
        self._refused &= set(urls)
        taken = {self._devices[port] for port in self._running} | self._refused
        own = {port.url for port in self._running}
        for device, url in urls.items():
            if device in taken or url in own:
                continue
            port = NamedPort(self._free_name(url), url)
            try:
                self._follow(port)
            except HostError as error:
                self._refused.add(device)
                self._complain(port.name, error)

    def _free_name(self, url: str) -> str:
        """A name that no mat has that is followed now."""
        name, taken = name_of(url), {port.name for port in self._running}
        more = (f"{name[:29]}-{number}" for number in count(2))
        return next(one for one in chain([name], more) if one not in taken)

    def _end_those_over(self) -> None:
        for port, followed in list(self._running.items()):
            if not followed.session.over.is_set() or followed.stays:
                continue
            del self._running[port]
            failure = followed.session.failure
            if failure:
                self.failed = True
                self._complain(port.name, failure)
                if not followed.session.given_up:  # no mat is there, or none that we can use
                    self._refused.add(self._devices[port])
            followed.end()


def _device(url: str) -> str:
    try:
        return device_of(url)
    except HostError:  # gone in between
        return url


def _end(followed: Followed) -> None:
    followed.session.stop()
    followed.end()


def complaint(words: Words, command: str) -> Callable[[str, HostError], None]:
    """Prints on stderr why a mat is not followed."""

    def complain(name: str, error: HostError) -> None:
        print(f"polarity {command}: {name}: {words.said(error)}", file=sys.stderr, flush=True)

    return complain
