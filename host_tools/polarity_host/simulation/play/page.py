"""The virtual mat behind the live page: what viewers say reaches its hands, what it shows reaches
them. A live.virtual_handler.VirtualMatHandler."""

from polarity_host.errors import HostError


class PageHands:
    """`game`: the HandGame. Every viewer has hands of his own, by the names that he gives."""

    def __init__(self, game):
        self._game = game
        self._hands = {}  # viewer -> names of the hands he has moved
        self._told_ms = -1

    def message(self, viewer, said):
        """Queues what the viewer wants, see inputs.py. -> {"why": …} if it is refused."""
        said = {key: value for key, value in said.items() if key != "k"}
        name = f"{viewer}/{said.get('hand', '')}"
        try:
            self._game.inputs.put({**said, "hand": name})
        except HostError as error:
            return {"why": error.message}
        self._hands.setdefault(viewer, set()).add(name)
        return None

    def changes(self):
        """The view, when it is a new one."""
        view = self._game.view
        if view.get("t_ms") == self._told_ms:
            return None
        self._told_ms = view.get("t_ms")
        return view

    def whole(self):
        """The view as it is."""
        return self._game.view

    def gone(self, viewer):
        """What the viewer held is let go where it is."""
        for name in self._hands.pop(viewer, ()):
            self._game.inputs.leave(name)
