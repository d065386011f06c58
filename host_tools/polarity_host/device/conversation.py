"""A conversation with a mat on a port of its own, for commands that ask and wait for the answer."""

from typing import Protocol

from polarity_host.device.ports import Port, PortGone
from polarity_host.device.prompt import Prompt
from polarity_host.errors import FAILED, HostError
from polarity_host.wire.lines import LineSplitter, Message, decode


class Conversation(Protocol):
    """Commands to one mat, and its messages."""

    def send(self, line: str) -> None:
        """Sends a command. PortGone."""

    def receive(self) -> list[Message]:
        """The messages that have arrived; an empty list when none came within a short time.
        PortGone, PortOver.
        """
        ...

    def close(self) -> None:
        """Ends the conversation."""


class PortConversation:
    """A Conversation over the port `url`. HostError when the port cannot be opened."""

    def __init__(self, url: str):
        self._port, self._splitter = Port(url), LineSplitter()
        self._prompt: Prompt | None = Prompt(url)  # until the mat has said something

    def send(self, line: str) -> None:
        """Sends a command. PortGone."""
        self._port.write_line(line)

    def receive(self) -> list[Message]:
        """The messages that have arrived; an empty list when none came within a short time.
        PortGone, PortOver; HostError when a bare MicroPython answers.
        """
        chunk = self._port.read()
        lines = map(decode, self._splitter.feed(chunk))
        messages = [line for line in lines if isinstance(line, Message)]
        if messages:
            self._prompt = None
        elif self._prompt:
            self._prompt.check(chunk)
        return messages

    def close(self) -> None:
        """Closes the port."""
        self._port.close()


def no_mat(url: str) -> HostError:
    """The error for a port on which no mat answers."""
    return HostError(
        FAILED, "no mat on {url}; is it the right port? `polarity ports` lists them", url=url
    )


def disappeared(url: str, gone: PortGone) -> HostError:
    """The error for a port that disappeared during a conversation."""
    return HostError(FAILED, "{url} disappeared: {gone}; begin again", url=url, gone=gone)
