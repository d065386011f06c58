"""A mat's settings, asked for and changed over its port."""

import time

from polarity.settings import NAMES, changed
from polarity.wire.commands import MAX_COMMAND_BYTES
from polarity_host.device.conversation import PortTalk, disappeared, no_mat
from polarity_host.device.ports import PortGone
from polarity_host.errors import BAD_INPUT, FAILED, HostError
from polarity_host.wire.lines import Message

PATIENCE_S = 10.0
KEPT_S = 6.0  # a mat on which nothing moves has kept its settings after 2
ASK_EVERY_S = 0.5


class MatSettings:
    """The settings of the mat on the port `url`: `told` is the last `settings` message's fields
    (firmware/PROTOCOL.md). HostError when there is no mat, or it has no settings."""

    def __init__(self, url: str):
        self.told: dict = {}
        self._url, self._talk = url, PortTalk(url)
        try:
            self._say("")  # ends what another program may have left half said
            self.ask()
        except HostError:
            self.close()
            raise

    def ask(self) -> None:
        """Has them told anew."""
        if self._command("settings") or not self.told:
            raise HostError(
                FAILED,
                f"the firmware of the mat on {self._url} has no settings yet; "
                f"`polarity flash {self._url}` brings it up to date",
            )

    def change(self, pairs: list[tuple[str, str]]) -> None:
        """Gives each NAME its VALUE, or none of them when one is refused: HostError BAD_INPUT."""
        chosen = {name: self.told[name] for name in NAMES}
        for pair in pairs:
            chosen, why = changed(pair, chosen)
            if why:
                raise HostError(BAD_INPUT, f"{why}; nothing was changed")
        for name, value in pairs:
            why = self._command(f"set {name} {value}")
            if why:
                raise HostError(FAILED, f"the mat does not take {name}={value}: {why}")

    def wait_until_kept(self) -> bool:
        """Whether they outlast a power cut, which takes a pause in the game; it waits a while."""
        until = time.monotonic() + KEPT_S
        while not self.told["kept"] and time.monotonic() < until:
            time.sleep(ASK_EVERY_S)
            self.ask()
        return self.told["kept"]

    def close(self) -> None:
        """Lets the port go."""
        self._talk.close()

    def _command(self, line: str) -> str:
        """Says it, and returns why the mat refuses, or an empty string."""
        self._say(line)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            for message in self._heard():
                if message.kind == "settings":
                    self.told = {name: message.fields[name] for name in (*NAMES, "later", "kept")}
                elif message.kind == "ack" and message.fields["cmd"] == line[:MAX_COMMAND_BYTES]:
                    return "" if message.fields["ok"] else message.fields["why"]
        raise no_mat(self._url)

    def _say(self, line: str) -> None:
        try:
            self._talk.say(line)
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone

    def _heard(self) -> list[Message]:
        try:
            return self._talk.heard()
        except PortGone as gone:
            raise disappeared(self._url, gone) from gone
