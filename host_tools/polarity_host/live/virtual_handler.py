"""What stands behind messages of kind `virtual`: a mat that is played with in the page."""

from typing import Protocol


class VirtualMatHandler(Protocol):
    """All of it is called by the server's one thread, and must not wait for anything."""

    def message(self, viewer: int, said: dict) -> dict | None:
        """A viewer's message, whatever it says (a JSON object). What is returned goes back to this
        viewer as `{"k": "virtual", ...}`.
        """

    def changes(self) -> dict | None:
        """Thirty times a second: what all viewers are told as `virtual` of a tick; None for
        nothing.
        """

    def whole(self) -> dict:
        """What a viewer who comes late is told as `virtual` of the state."""

    def gone(self, viewer: int) -> None:
        """A viewer has left: what he held is let go."""
