"""A game played by hands: frames for the engine, inputs from pointers, a view for a page."""

import math
from collections.abc import Callable, Generator, Mapping
from typing import Any, Protocol

from polarity.rules.position import Position
from polarity_host.mats.description import Mat
from polarity_host.simulation.players.motions import Script, set_down
from polarity_host.simulation.players.oracle import due_back
from polarity_host.simulation.players.player import SEATS_DEG, Player
from polarity_host.simulation.players.puzzles import PuzzleGame
from polarity_host.simulation.players.skill import SKILLS
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.truth import Record, in_order

from .body import RESTING, Body, BodyState
from .corrections import SAME_MM, Corrections
from .inputs import Command, Inputs, do_to
from .owed import Trays, due
from .preview import Preview, preview
from .world import Counts, World

BARE_S = 1.0  # the mat is bare for so long before hands may come
VIEW_EVERY = 3  # frames
PREVIEW_EVERY = 4  # views: some five times a second
EVENTS_SHOWN = 32
CORRECTING = "correction"  # the script that puts discs back
PUZZLE = "puzzle"  # the script that lays one


class Referee(Protocol):
    """The part of the engine's referee that players listen to."""

    @property
    def position(self) -> Position: ...

    @property
    def edition(self) -> Mapping[str, Any]: ...

    @property
    def verdicts(self) -> dict[int, int]: ...

    def state(self) -> dict[str, Any]: ...


class JudgedGame(Protocol):
    """The part of the engine's game that matters here; each game has a tracker of its own."""

    @property
    def referee(self) -> Referee: ...

    @property
    def tracker(self) -> object: ...


class JudgingEngine(Protocol):
    """The part of the engine that matters to a game."""

    @property
    def game(self) -> JudgedGame: ...


class ByEngine:
    """What players know who go by the engine's referee: a players.player.Judge.

    `referee()` returns it: each game has one of its own.
    """

    def __init__(self, world: World, referee: Callable[[], Referee]):
        self._world = world
        self._referee = referee

    def state(self) -> dict[str, Any]:
        """The referee's state."""
        return self._referee().state()

    def faulted(self) -> bool:
        """Whether the player whose turn it is has committed a fault."""
        return self._referee().position.faulted

    def due(self) -> list[tuple[int, int]]:
        """The discs that ought to go back to a reserve."""
        return due_back(self._referee().position)

    def body_of(self, piece: int) -> Body | None:
        """The body that lies where the referee has this piece; None if there is none so near."""
        for ident, _, _, _, x, y in self.state()["pieces"]:
            if ident == piece:
                resting = [b for b in self._world.bodies if b.state in RESTING]
                near = [(math.dist(b.spot, (x / 100.0, y / 100.0)), b.id, b) for b in resting]
                away_mm, _, body = min(near, default=(math.inf, 0, None))
                return body if away_mm < SAME_MM else None
        return None


class HandGame:
    """One table. `inputs.put` takes what pointers want; `frames` makes the frames, without end.

    `view` is what a page draws, made several times a second: a dict that is never changed (see
    `_look`). `truth`: once the frames are closed, the facts that really happened, and nuisances.
    """

    def __init__(
        self,
        seed: int,
        mat: Mat,
        condition: MatCondition | None = None,
        edition: str = "temple",
    ):
        self.seed = seed
        self.mat = mat
        self.edition = edition
        self.truth: list[Record] = []
        self.world = World(mat, seed, condition)
        self.inputs = Inputs()
        self.view: dict[str, Any] = {}
        self._engine: JudgingEngine | None = None
        self._tracker: object = None  # the engine's, of the game that is played
        self._scripts: dict[str, Script] = {}  # of "w", "b", "set_up", CORRECTING, "hand NAME"
        self._puzzle: PuzzleGame | None = None
        self._levels: dict[str, str] = {}  # of the sides that practice players play
        self._previews: dict[str, Preview | None] = {}
        self._frames = 0
        self._later: list[Command] = []  # of hands that set something down yet
        self._done: dict[str, int] = {}  # hand -> `n` of its last message that was carried out
        self._judge = ByEngine(self.world, lambda: self.engine.game.referee)
        self._corrections = Corrections(self.world)
        self._trays = Trays(self.world)
        self.world.sort_by(lambda body: self._trays.side_for(body, self._position))

    @property
    def _position(self) -> Position:
        return self.engine.game.referee.position

    @property
    def engine(self) -> JudgingEngine:
        """The engine that judges the game. RuntimeError before `judged_by`."""
        if self._engine is None:
            raise RuntimeError("the game has no engine yet: call judged_by before the first frame")
        return self._engine

    def judged_by(self, engine: JudgingEngine) -> None:
        """This engine gets the frames; to be called before the first. Players that are switched on
        listen to its referee, and when it begins a new game the table is cleared."""
        self._engine = engine

    @property
    def hurries(self) -> bool:
        """Whether nobody wants to wait for what happens now: a puzzle is laid."""
        return PUZZLE in self._scripts

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yield (t_us, counts) for every frame."""
        try:
            yield from self._played()
        finally:
            self.truth += [fact.to_json() for fact in self.world.truth.facts]
            self.truth += self.world.truth.nuisances
            self.truth.sort(key=in_order)

    def _played(self) -> Generator[tuple[int, Counts], None, None]:
        while True:
            if self.world.t_us >= BARE_S * 1e6:
                self._clear_for_a_new_game()
                self._follow_corrections()
                if CORRECTING not in self._scripts:
                    self._obey(self._later + self.inputs.taken())
                for name, script in list(self._scripts.items()):
                    waits = name in "wb" and {"set_up", CORRECTING} & self._scripts.keys()
                    if not waits and _is_over(script):
                        self._scripts.pop(name, None)
            frame = self.world.step()
            self._trays.look()
            if self._puzzle:
                self._puzzle.look()
            if self._frames % VIEW_EVERY == 0:
                self._trays.even_out(self._position)
                self.view = self._look()
            self._frames += 1
            if not self.world.drops_frame(frame[0]):
                yield frame

    def _clear_for_a_new_game(self) -> None:
        if self.engine.game.tracker is not self._tracker:
            if self._tracker:
                self._do("clear", "", {})
            self._corrections.forget()
            if self._puzzle and not self._puzzle.waits:
                self._puzzle = None
                self._scripts.pop(PUZZLE, None)
            self._tracker = self.engine.game.tracker

    def _follow_corrections(self) -> None:
        """After one that put discs back, practice players look again at what they have to do."""
        script = self._corrections.look(self.engine.game.referee)
        if script:
            playing = [side for side in "wb" if side in self._scripts]
            next(script)
            self._scripts = {CORRECTING: script}
            for side in playing:
                self._switch(side, True, self._levels[side])

    def _obey(self, commands: list[Command]) -> None:
        """Carries commands out in order. A hand that sets something down takes the next disc once
        that is done."""
        self._later = []
        busy = {name[5:] for name in self._scripts if name.startswith("hand ")}
        waiting: set[str] = set()
        for do, hand, fields in commands:
            if hand in waiting or (hand in busy and do in ("take", "grab")):
                waiting.add(hand)
                self._later.append((do, hand, fields))
                continue
            number = fields.pop("n", 0)
            self._do(do, hand, fields)
            if do == "set_down":
                busy.add(hand)
            if do == "leave":
                self._done.pop(hand, None)
            elif number:
                self._done[hand] = number

    def _do(self, do: str, hand: str, fields: dict[str, Any]) -> None:
        if do not in ("opponent", "set_up", "puzzle"):
            self._scripts.pop(f"hand {hand}", None)  # a further command ends a set_down
        if do == "clear":
            kept = ("w", "b", PUZZLE)
            self._scripts = {name: self._scripts[name] for name in kept if name in self._scripts}
            self.world.clear()
        elif do == "set_down":
            self._scripts[f"hand {hand}"] = set_down(self.world, self.world.hand(hand))
        elif do == "set_up":
            self._scripts["set_up"] = self._player("setting up", "w").set_up()
        elif do == "puzzle":
            self._puzzle = PuzzleGame(fields["number"], self.world, lambda: self._position)
            self._scripts = {PUZZLE: self._puzzle.lay()}
        elif do == "opponent":
            self._switch(fields["side"], fields["on"], fields.get("level", "careful"))
        else:
            do_to(self.world, do, hand, fields)
            if do == "leave":
                self.world.remove_hand(hand)

    def _switch(self, side: str, on: bool, level: str) -> None:
        if on and (side not in self._scripts or self._levels[side] != level):
            self._levels[side] = level
            self._scripts[side] = self._player(f"opponent {side}", side, level).play(side)
        elif not on and self._scripts.pop(side, None):
            hand = self.world.hand(f"opponent {side}")
            if hand.body:
                self.world.put_back(hand, side)

    def _player(self, name: str, side: str, level: str = "careful") -> Player:
        seat_deg, skill = SEATS_DEG[side], SKILLS[level]
        player = Player(self.world, name, self._judge, self.seed, seat_deg, skill)
        rules = self.engine.game.referee.edition
        player.plays_by(
            in_place=bool(rules["in_place"]),
            may_leave=rules["flip_capture"] == "may",
            lifts_whole=bool(rules["lift_whole_tower"]),
        )
        return player

    def _look(self) -> dict[str, Any]:
        """Everything on the table: millimetres, degrees; `low` is the height of the lowest point.

        `balance` of a hand whose disc stands on its rim: the torque on it, 0 when it would stay,
        above 0 when it would rise, below when it would fall; 1 is weight times radius. `preview`:
        see preview.py. `done`: see inputs.py; `due`: [body, player] that go back to his reserve;
        `missing`: what trays lack. `levels`: of the practice players. `puzzle`: `number` `of` how
        many, and its `progress`, or None.
        """
        world = self.world
        if self._frames % (VIEW_EVERY * PREVIEW_EVERY) == 0:
            self._previews = {
                name: preview(world, hand) for name, hand in world.hands.items() if hand.body
            }
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
                "held": b.state is BodyState.HELD,
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
                "preview": self._previews.get(name),
            }
            for name, hand in world.hands.items()
            if hand.body
        }
        world.forget_events(EVENTS_SHOWN)
        return {
            "t_ms": world.t_us // 1000,
            "bodies": bodies,
            "hands": hands,
            "reserves": {side: len(discs) for side, discs in world.reserves.items()},
            "opponents": [side for side in "wb" if side in self._scripts],
            "levels": {side: self._levels[side] for side in "wb" if side in self._scripts},
            "setting_up": "set_up" in self._scripts,
            "events": [[t // 1000, kind, list(ids)] for t, kind, ids in world.events],
            "done": dict(self._done),
            "due": due(self._position, self._judge, self._scripts),
            "missing": self._trays.missing(self._position),
            "puzzle": self._puzzle.shown() if self._puzzle else None,
        }


def _is_over(script: Script) -> bool:
    """Runs a script for one frame. Returns whether it has ended."""
    try:
        next(script)
    except StopIteration:
        return True
    return False
