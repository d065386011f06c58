"""The commands of PROTOCOL.md that players may send from the page, a script or a terminal."""

from polarity.rules.declarations import GRAMMAR
from polarity.wire.commands import MAX_COMMAND_BYTES

ALLOWED = (*GRAMMAR, "new", "snap")


def refusal(command: object) -> str:
    """Why this may not be sent to the mat, "" when it may."""
    if not isinstance(command, str) or not command.split():
        return "a command is text"
    if len(command) > MAX_COMMAND_BYTES or not (command.isascii() and command.isprintable()):
        return f"a command has at most {MAX_COMMAND_BYTES} printable ASCII characters"
    if command.split()[0] not in ALLOWED:
        return f"not from here; there are {', '.join(ALLOWED)}"
    return ""
