"""What handles messages of kind `virtual`: a mat that is played on in the page."""

from typing import Any, Protocol


class VirtualMatHandler(Protocol):
    """The server's one thread calls all of it, so nothing here may wait."""

    def message(self, viewer: int, said: dict[str, Any]) -> dict[str, Any] | None:
        """Takes a viewer's message, which may be any JSON object. What it returns goes back to this
        viewer as `{"k": "virtual", ...}`.
        """

    def changes(self) -> dict[str, Any] | None:
        """What has changed, which all viewers get as `virtual` of a tick, thirty times a second;
        None for nothing.
        """

    def whole(self) -> dict[str, Any]:
        """What a new viewer gets as `virtual` of the state."""
        ...

    def gone(self, viewer: int) -> None:
        """A viewer has left: what he holds is dropped where it is."""
