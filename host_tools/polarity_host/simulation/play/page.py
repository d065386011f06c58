"""A game behind the live page: messages of viewers reach its hands, its view reaches the viewers.
PageHands is a live.virtual_handler.VirtualMatHandler.
"""

from typing import Any, Protocol

from polarity_host.errors import HostError

from .inputs import Inputs

HANDS_EACH = 2


class PlayedGame(Protocol):
    """What PageHands needs of a HandGame."""

    inputs: Inputs
    view: dict[str, Any]


class PageHands:
    """`game`: a HandGame. Every viewer has hands of his own, by the names that he gives."""

    def __init__(self, game: PlayedGame):
        self._game = game
        self._hands: dict[int, set[str]] = {}  # viewer -> names of the hands he has moved
        self._sent: dict[str, Any] = {}  # the view that the last changes led to

    def message(self, viewer: int, said: dict[str, Any]) -> dict[str, Any] | None:
        """Queues the viewer's message, see inputs.py. Returns {"why": …} if it is refused."""
        wanted = {key: value for key, value in said.items() if key != "k"}
        name, his = f"{viewer}/{wanted.get('hand', '')}", self._hands.get(viewer, set())
        if name not in his and len(his) >= HANDS_EACH:
            return {"why": f"a viewer has {HANDS_EACH} hands"}
        try:
            self._game.inputs.put({**wanted, "hand": name})
        except HostError as error:
            return {"why": error.message}
        self._hands.setdefault(viewer, set()).add(name)
        return None

    def changes(self) -> dict[str, Any] | None:
        """What has changed of the view since the last time: of `bodies` those that are new or have
        changed, and as `gone` the ids of those that are no more."""
        view, sent = self._game.view, self._sent
        if view.get("t_ms") == sent.get("t_ms"):
            return None
        self._sent = view
        changed = {key: value for key, value in view.items() if sent.get(key) != value}
        if "bodies" in changed:
            before = {body["id"]: body for body in sent.get("bodies", ())}
            changed["bodies"] = [b for b in view["bodies"] if before.pop(b["id"], None) != b]
            if before:
                changed["gone"] = sorted(before)
        return changed

    def whole(self) -> dict[str, Any]:
        """The current view."""
        return self._game.view

    def gone(self, viewer: int) -> None:
        """The viewer's hands let go of what they hold, where it is."""
        for name in self._hands.pop(viewer, ()):
            self._game.inputs.leave(name)
