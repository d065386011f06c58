"""A conversation with a mat on a port of its own, for commands that ask and wait for the answer."""

from polarity_host.device.ports import Port, PortGone
from polarity_host.errors import FAILED, HostError
from polarity_host.wire.lines import LineSplitter, Message, decode


class PortTalk:
    """The conversation with the mat on the port `url`. HostError when the port cannot be had."""

    def __init__(self, url: str):
        self._port, self._splitter = Port(url), LineSplitter()

    def say(self, line: str) -> None:
        """Sends a command. PortGone."""
        self._port.write_line(line)

    def heard(self) -> list[Message]:
        """The messages that have come, after a short while none. PortGone, PortOver."""
        lines = map(decode, self._splitter.feed(self._port.read()))
        return [line for line in lines if isinstance(line, Message)]

    def close(self) -> None:
        """Lets the port go."""
        self._port.close()


def no_mat(url: str) -> HostError:
    """Nothing that is a mat answers there."""
    return HostError(FAILED, f"no mat on {url}; is it the right port? `polarity ports` lists them")


def disappeared(url: str, gone: PortGone) -> HostError:
    """The port went away in the middle of it."""
    return HostError(FAILED, f"{url} disappeared: {gone}; begin again")
