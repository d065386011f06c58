"""A whole game, played by practice players: from the bare mat to the result, by any edition.

    match = Match("temple", seed=3)
    for t_us in match.times():
        ...
    match.oracle.state()["outcome"]

Players go by the oracle: they know what really happened, and the rules. What the firmware makes of
the same game is measured beside it (`polarity bench play`).
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from polarity_host.mats.description import Mat, load_mat
from polarity_host.replay.recording import Counts
from polarity_host.simulation.play.body import RESTING, Body
from polarity_host.simulation.play.world import RED, World
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.pieces import LEANER
from polarity_host.simulation.twin.truth import LETTER, Record

from .fumbles import AFTER, OFF_TURN
from .motions import Script
from .oracle import Oracle, State
from .player import OTHER, Player
from .result import unlike
from .skill import CAREFUL, Skill

BARE_S = 1.2
MOST_TURNS = 400
IDLE_TURNS = 6  # so many turns in a row without any ruling: nobody can do anything
AFTER_S = 1.5
SEATS_DEG = {2: (-90.0, 90.0), 3: (-90.0, 30.0, 150.0), 4: (-90.0, 90.0, -30.0, 150.0)}
DOUBLES = 0.04  # of the turns, where there is a cube
TAKES = 0.7


def mat_for(edition: str) -> Mat:
    """The mat that an edition is played on."""
    return load_mat("small" if edition.split("+")[0] == "scaled" else "standard")


@dataclass(frozen=True)
class Ended:
    """How a game ended: `why` and `winner` ("w", "b", ""), or `dead_end`: why it did not."""

    why: str
    winner: str
    dead_end: str = ""


class Match:
    """One game of `edition` (with options, as "temple+starting_point"). `skill`: of both sides.
    It is stopped after `turns`.

    `truth`: records of facts and of the oracle's rulings, in order, as they happen.
    """

    def __init__(
        self,
        edition: str = "temple",
        seed: int = 0,
        skill: Skill = CAREFUL,
        mat: Mat | None = None,
        condition: MatCondition | None = None,
        turns: int = MOST_TURNS,
    ):
        self.edition = edition
        self.seed = seed
        self.mat = mat or mat_for(edition)
        self.world = World(self.mat, seed, condition)
        self.oracle = Oracle(edition, self.mat, self.world.truth)
        self.truth: list[Record] = []
        self.turns = 0
        self.wrong: list[tuple[int, str]] = []  # when and where oracle and table disagreed
        self.dead_end = ""
        rules = self.oracle.referee.edition
        if rules["out"] != "circle":
            self.world.play_beyond_circle()
        self.rng = np.random.default_rng([seed, 41])
        self.players = [
            Player(self.world, f"player {place + 1}", self, seed, azimuth, skill)
            for place, azimuth in enumerate(SEATS_DEG[rules["players"]])
        ]
        for player in self.players:
            player.plays_by(
                in_place=rules["in_place"],
                may_leave=rules["flip_capture"] == "may",
                lifts_whole=rules["lift_whole_tower"],
            )
        self._skill = skill
        self._most_turns = turns
        self._facts = 0

    # ---- what players know
    def state(self) -> State:
        """The referee's state."""
        return self.oracle.state()

    def faulted(self) -> bool:
        """Whether the player whose turn it is has committed a fault."""
        return self.oracle.referee.position.faulted

    def due(self) -> list[tuple[int, int]]:
        """The discs that ought to go back to a reserve."""
        return self.oracle.due()

    def body_of(self, piece: int) -> Body | None:
        """The body on the table that is this piece."""
        return self.world.witness.body_of(piece)

    # ---- frames
    def times(self) -> Iterator[int]:
        """Plays the game without its counts: the time of every frame, in µs."""
        for _ in self._script():
            t_us = self.world.advance()
            self._judge()
            yield t_us

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yields (t_us, counts) for every frame, once."""
        for _ in self._script():
            frame = self.world.step()
            self._judge()
            if not self.world.drops_frame(frame[0]):
                yield frame

    def ended(self) -> Ended:
        """How it ended."""
        outcome = self.state()["outcome"]
        why, winner = outcome if outcome else ("", "")
        return Ended(why, winner, "" if outcome else self.dead_end or "stopped")

    def disagreements(self) -> list[str]:
        """Where the oracle's position differs from the table, in words, when nothing moves."""
        position, witness = self.oracle.referee.position, self.world.witness
        if position.phase == "over":
            return []
        wrong = []
        there = {
            witness.id_of(body): body
            for body in self.world.bodies
            if body.state in RESTING and not body.is_red and witness.id_of(body)
        }
        there = {k: body for k, body in there.items() if not self._is_out(body)}
        for ident, piece in position.pieces.items():
            body = there.pop(ident, None)
            if body is None:
                wrong.append(f"piece {ident} is not on the mat")
            elif (piece.face, piece.discs) != (body.face, len(body.discs)):
                wrong.append(f"piece {ident} shows {body.face}, {len(body.discs)} discs")
            elif (piece.kind == LEANER) != (body.shape == LEANER) and not piece.outside:
                wrong.append(f"piece {ident} is a {body.shape}")
        wrong += [f"body {ident} ({body.shape}) is no piece" for ident, body in there.items()]
        trays = sum(len(self.world.reserves[side]) for side in "wb")
        if sum(position.reserve) != trays:
            wrong.append(f"{trays} discs in the trays, {sum(position.reserve)} in the reserves")
        if position.carried or position.aside:
            wrong.append("something is in a hand")
        return wrong

    def _judge(self) -> None:
        fresh = self.world.truth.noted(self._facts)
        if fresh:
            self._facts += len(fresh)
            self.truth += [fact.to_json() for fact in fresh]
            going = self._phase() == "play"
            self.truth += self.oracle.judge()
            if going and self._phase() == "over":
                self._check_result()

    def _check_result(self) -> None:
        """The result is worked out from the table as well, if all in play is at rest."""
        position, rulings = self.oracle.referee.position, self.oracle.rulings
        due = [piece for piece in position.pieces.values() if piece.due]
        ids = position.pieces.keys() - {piece.id for piece in due}
        bodies = [b for b in self.world.bodies if b.is_red or self.world.witness.id_of(b) in ids]
        end = next(r for r in reversed(rulings) if r["code"] == "end")
        if len(self.players) == 3 or any(b.state not in RESTING for b in bodies):
            return
        left = list(end["reserve"])
        for piece in due:
            left[piece.due_to] += piece.discs
        before = rulings[rulings.index(end) - 1]["owed"] if len(rulings) > 1 else []
        owed = {ident for _, group in before for ident in group}
        without = [b for b in bodies if self.world.witness.id_of(b) in owed]
        off_mm = self.mat.dot_radius_mm + self.mat.red_disc.diameter_mm / 2
        words = unlike(self.edition, end, bodies, without, left, off_mm)
        self.wrong += [(self.world.t_us, f"the result {end['why']}: {line}") for line in words]

    # ---- the game
    def _script(self) -> Script:
        yield from self.players[0].wait(BARE_S)
        yield from self._set_up()
        idle = 0
        while self._phase() == "play" and not self.dead_end:
            ruled = len(self.oracle.rulings)
            yield from self._turn()
            idle = 0 if len(self.oracle.rulings) > ruled else idle + 1
            if idle >= IDLE_TURNS:
                self._stop("no legal act helps any more")
            elif self.turns >= self._most_turns:
                self._stop(f"no result after {self._most_turns} turns")
        yield from self.players[0].wait(AFTER_S)

    def _stop(self, why: str) -> None:
        self.dead_end = why

    def _phase(self) -> str:
        return self.oracle.referee.position.phase

    def _set_up(self) -> Script:
        """The red disc and the foundations; one that touches another is put right."""
        for _ in range(40):
            state = self.state()
            if state["phase"] not in ("red_disc", "foundations"):
                return
            side = RED if state["phase"] == "red_disc" else state["active"]
            player = self._who(side, state)
            self._trays(side)
            if not (yield from player.lay(side)):
                break
            yield from player.settle()
            for body in self.world.bodies[:]:
                if len(self.world.touching(body)) > 1 and not body.is_red:
                    yield from player.take_up(body, LETTER[body.face])
                    yield from player.settle()
            yield from player.pause(0.3)
        if self.state()["phase"] != "play":
            self._stop("the set-up came to no end")

    def _turn(self) -> Script:
        state = self.state()
        side = OTHER[state["active"]] if state["done"] else state["active"]
        begins = bool(state["done"])
        player = self._who(side, state, begins)
        self.turns += 1
        yield from self._cube(side, player)
        if self._phase() != "play":
            return
        self._trays(side)
        if begins and self.rng.random() < self._skill.fumbles / 4:
            yield from self._blunder()
        yield from player.turn(side)
        if player.hand.body:
            yield from player.take_back(side)
        yield from player.settle(0.5)
        yield from self._put_right()
        self.wrong += [
            (self.world.t_us, f"turn {self.turns}: {words}") for words in self.disagreements()
        ]
        yield from player.pause(0.5)

    def _blunder(self) -> Script:
        """Between two turns the last player, who is still responsible, or the next one blunders."""
        state = self.state()
        last = self._who(state["active"], state)
        if self.rng.random() < 0.5:
            yield from last.fumble(AFTER, state["active"])
        elif self.world.reserves[state["active"]]:
            yield from last.fumble(OFF_TURN, state["active"])
        yield from self._put_right()

    def _who(self, side: str, state: State, begins: bool = False) -> Player:
        """Whose hand plays this colour now, or with the turn that begins."""
        players = len(self.players)
        if players == 2:
            return self.players[1 if side == "b" else 0]
        position = self.oracle.referee.position
        place = 1 if side == "b" else 0
        if state["phase"] != "play":
            if players == 3:
                return self.players[sum(position.founded) % 3]
            return self.players[(place + 2 * (position.founded[place] % 2)) % 4]
        seat = position.seats[place]
        if begins and players == 4:
            seat = (seat + 2) % 4
        return self.players[seat]

    def _cube(self, side: str, player: Player) -> Script:
        """Now and then a player doubles before his turn; the other takes, or passes."""
        state = self.state()
        if "cube" not in state or not state["done"] or self.rng.random() >= DOUBLES:
            return
        if self._declare(f"double {side}"):
            return
        yield from player.pause(1.0)
        self._declare("take" if self.rng.random() < TAKES else "pass")

    def _declare(self, words: str) -> str:
        judged = len(self.oracle.rulings)
        t_us = self.world.t_us
        refused = self.oracle.declare(words, t_us)
        if not refused:
            self.truth.append({"t_us": t_us, "k": "declaration", "words": words})
            self.truth += self.oracle.rulings[judged:]
        return refused

    # ---- what lies where it should not
    def _put_right(self) -> Script:
        """Discs that are due to a reserve are taken there, and those outside are picked up."""
        for side in "wb":
            if self._phase() == "play":
                yield from self._who(side, self.state()).take_flat(side)
        for stray in self.world.bodies[:]:
            if stray.state in RESTING and (self._is_out(stray) or self._is_no_piece(stray)):
                azimuth = math.degrees(math.atan2(stray.centre[1], stray.centre[0]))
                nearest = min(self.players, key=lambda p: _turn_deg(p.seat_deg, azimuth))
                yield from nearest.take_up(stray, "wb"[self.players.index(nearest) % 2])
                yield from nearest.settle()

    def _is_out(self, body: Body) -> bool:
        """Whether it lies outside, and is no piece of the game any more."""
        witness, position = self.world.witness, self.oracle.referee.position
        return witness.lies_outside(body) and witness.id_of(body) not in position.pieces

    def _is_no_piece(self, body: Body) -> bool:
        """Whether a ruling has sent it to a reserve, though it still lies in the circle: a tower,
        say, that was set down in a turn that a fault ended."""
        position, ident = self.oracle.referee.position, self.world.witness.id_of(body)
        known = ident in position.pieces or ident in position.carried or body.is_red
        return position.phase == "play" and ident > 0 and not known

    def _trays(self, side: str) -> None:
        """Players hand discs over, so that everyone has what the rulings gave him."""
        reserves = self.world.reserves
        position = self.oracle.referee.position
        if len(position.reserve) == 2:
            wanted = dict(zip("wb", position.reserve))
            if side in wanted:
                self.world.hand_over(wanted)
        elif side in reserves and not reserves[side]:
            self.world.hand_over({side: 1})


def _turn_deg(a: float, b: float) -> float:
    return abs((a - b + 180.0) % 360.0 - 180.0)
