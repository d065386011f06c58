"""A game on the virtual mat: frames for the engine, inputs from pointers, a view for a page."""

from .inputs import Inputs, do_to
from .player import Player, set_down
from .world import World

BARE_S = 1.0  # the mat is seen bare before hands may come
VIEW_EVERY = 3  # frames
EVENTS_KEPT = 32


class HandGame:
    """One table. `inputs.put` takes what pointers want; `frames` makes the frames, without end.

    `view` is what a page draws, anew several times a second: a dict that nobody changes (see
    `_look`). `engine` is the one that gets the frames, to be set before the first: players that are
    switched on listen to its referee, and when it begins a new game the table is cleared. `truth`
    stays empty: nobody has a script.
    """

    def __init__(self, seed, mat, condition=None, edition="temple"):
        self.seed = seed
        self.mat = mat
        self.edition = edition
        self.truth = []
        self.world = World(mat, seed, condition)
        self.inputs = Inputs()
        self.engine = None
        self._tracker = None  # the engine's, of the game that is played
        self.view = {}
        self._scripts = {}  # "w", "b", "set_up" or "hand NAME" -> generator
        self._frames = 0

    def frames(self):
        """Yield (t_us, counts) for every frame."""
        while True:
            if self.world.t_us >= BARE_S * 1e6:
                self._clear_for_a_new_game()
                for do, hand, fields in self.inputs.taken():
                    self._do(do, hand, fields)
                for name, script in list(self._scripts.items()):
                    waits = name in "wb" and "set_up" in self._scripts
                    if not waits and next(script, self) is self:
                        self._scripts.pop(name, None)
            frame = self.world.step()
            if self._frames % VIEW_EVERY == 0:
                self.view = self._look()
            self._frames += 1
            yield frame

    def _clear_for_a_new_game(self):
        if self.engine.game.tracker is not self._tracker:
            if self._tracker:
                self._do("clear", "", {})
            self._tracker = self.engine.game.tracker

    def _do(self, do, hand, fields):
        if do not in ("opponent", "set_up"):
            self._scripts.pop(f"hand {hand}", None)  # who moves on sets nothing down
        if do == "clear":
            self._scripts = {side: self._scripts[side] for side in "wb" if side in self._scripts}
            self.world.clear()
        elif do == "set_down":
            self._scripts[f"hand {hand}"] = set_down(self.world, self.world.hand(hand))
        elif do == "set_up":
            self._scripts["set_up"] = self._player("setting up").set_up()
        elif do == "opponent":
            self._switch(fields["side"], fields["on"])
        else:
            do_to(self.world, do, hand, fields)
            if do == "leave":
                self.world.hands.pop(hand, None)

    def _switch(self, side, on):
        if on and side not in self._scripts:
            self._scripts[side] = self._player(f"opponent {side}").play(side)
        elif not on and self._scripts.pop(side, None):
            hand = self.world.hand(f"opponent {side}")
            if hand.body:
                self.world.put_back(hand, side)

    def _player(self, name):
        return Player(self.world, name, lambda: self.engine.game.referee.state(), self.seed)

    def _look(self):
        """Everything on the table: millimetres, degrees; `low` is the height of the lowest point.

        `balance` of a hand whose disc stands on its rim: 0 when it would stay, above 0 when it
        wants to rise, below when it wants to fall, 1 as hard as its weight wants.
        """
        world = self.world
        bodies = [
            {
                "id": b.id,
                "discs": len(b.discs),
                "face": "w" if b.face > 0 else "b",
                "red": b.is_red,
                "shape": b.shape,
                "x": round(b.centre[0], 2),
                "y": round(b.centre[1], 2),
                "z": round(b.centre[2], 2),
                "low": round(b.low_point, 1),
                "tilt": round(b.tilt_deg, 1),
                "azimuth": round(b.azimuth_deg, 1),
                "held": b.state == "held",
                "touching": len(world.touching(b)) > 1,
            }
            for b in world.bodies
        ]
        hands = {
            name: {
                "body": hand.body.id,
                "height": round(hand.goal[2], 1),
                "tilt": round(hand.tilt_goal, 1),
                "azimuth": round(hand.azimuth_goal, 1),
                "balance": round(hand.balance, 3),
            }
            for name, hand in world.hands.items()
            if hand.body
        }
        del world.events[:-EVENTS_KEPT]
        return {
            "t_ms": world.t_us // 1000,
            "bodies": bodies,
            "hands": hands,
            "reserves": {side: len(discs) for side, discs in world.reserves.items()},
            "opponents": [side for side in "wb" if side in self._scripts],
            "setting_up": "set_up" in self._scripts,
            "events": [[t // 1000, kind, list(ids)] for t, kind, ids in world.events],
        }
