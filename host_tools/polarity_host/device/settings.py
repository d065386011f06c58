"""Reads and changes a mat's settings over its port."""

import time
from typing import Any

from polarity.settings import NAMES, changed
from polarity.wire.commands import MAX_COMMAND_BYTES
from polarity_host.device.conversation import PortConversation, disappeared, no_mat
from polarity_host.device.ports import PortGone
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.wire.lines import Message
from polarity_host.wire.messages import AckMessage, SettingsMessage, json_fields

PATIENCE_S = 10.0
STORED_S = 6.0  # a mat on which nothing moves has stored its settings after 2 s
ASK_EVERY_S = 0.5


class MatSettings:
    """The settings of the mat on the port `url`: `reported` has the fields of its last `settings`
    message (firmware/PROTOCOL.md). HostError when there is no mat, or it has no settings."""

    def __init__(self, url: str):
        self.reported: dict[str, Any] = {}
        self._url, self._conversation = url, PortConversation(url)
        try:
            self._send("")  # ends a half-sent line of another program
            self.refresh()
        except HostError:
            self.close()
            raise

    def refresh(self) -> None:
        """Requests them again. HostError when the firmware has none."""
        if self._command("settings") or not self.reported:
            raise HostError(
                FAILED,
                "the firmware of the mat on {url} has no settings yet; `polarity flash "
                "{url}` brings it up to date",
                url=self._url,
            )

    def change(self, pairs: list[tuple[str, str]]) -> None:
        """Sets each NAME to its VALUE. When one is refused, changes none: HostError BAD_INPUT."""
        chosen = {name: self.reported[name] for name in NAMES}
        for pair in pairs:
            after, why = changed(list(pair), chosen)
            if after is None:
                raise HostError(BAD_INPUT, "{why}; nothing was changed", why=why)
            chosen = after
        for name, value in pairs:
            why = self._command(f"set {name} {value}")
            if why:
                raise HostError(
                    FAILED, "the mat refuses {name}={value}: {why}", name=name, value=value, why=why
                )

    def wait_until_stored(self) -> bool:
        """Waits up to STORED_S until the mat has stored them, and returns whether it has. The mat
        stores them in a pause of the game; then they survive a power cut."""
        until = time.monotonic() + STORED_S
        while not self.reported["kept"] and time.monotonic() < until:
            time.sleep(ASK_EVERY_S)
            self.refresh()
        return self.reported["kept"]

    def close(self) -> None:
        """Closes the port."""
        self._conversation.close()

    def _command(self, line: str) -> str:
        """Sends a command; returns why the mat refuses it, or an empty string."""
        self._send(line)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            for message in self._receive():
                body = message.body
                if isinstance(body, SettingsMessage):
                    self.reported = json_fields(body)
                elif isinstance(body, AckMessage) and body.cmd == line[:MAX_COMMAND_BYTES]:
                    return "" if body.ok else body.why
        raise no_mat(self._url)

    def _send(self, line: str) -> None:
        try:
            self._conversation.send(line)
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone

    def _receive(self) -> list[Message]:
        try:
            return self._conversation.receive()
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone
