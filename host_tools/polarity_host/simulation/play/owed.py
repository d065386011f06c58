"""What players have to do with discs, by the referee: which go back, and which trays are short."""

from collections.abc import Collection
from typing import Any, Protocol

from polarity.rules.position import Position
from polarity_host.simulation.players.oracle import due_back
from polarity_host.simulation.twin.truth import LETTER

from .body import Body
from .world import World, own_side

CALM_US = 2_000_000  # so long after the last movement the mat has judged all of it


class PieceFinder(Protocol):
    """The part of a players.player.Judge that is needed here."""

    def body_of(self, piece: int) -> Body | None: ...


class Trays:
    """The two trays, which ought to hold what the referee counts for each player."""

    def __init__(self, world: World):
        self._world = world
        self._moved_us = 0

    def look(self) -> None:
        """Notes whether anything moves; wants to be called often."""
        if any(not body.still for body in self._world.bodies):
            self._moved_us = self._world.t_us

    @property
    def calm(self) -> bool:
        """Whether nothing has moved for a while."""
        return self._world.t_us - self._moved_us > CALM_US

    def side_for(self, body: Body, position: Position) -> str:
        """The tray that a body goes back to: the one that is short of it, else its own colour's."""
        own = own_side(body)
        other = "b" if own == "w" else "w"
        short = self._short(position)
        mine, others = short.get(own, 0), short.get(other, 0)
        return other if mine < len(body.discs) <= others else own

    def even_out(self, position: Position) -> None:
        """Players hand discs over, where one tray has what the other one lacks."""
        if self.calm and sum(self._short(position).values()) == 0:
            self._world.hand_over(_counts(position))

    def missing(self, position: Position) -> dict[str, int]:
        """How many discs each tray lacks (below 0: has too many), once the mat has judged all."""
        return {s: n for s, n in self._short(position).items() if n} if self.calm else {}

    def _short(self, position: Position) -> dict[str, int]:
        reserves = self._world.reserves
        return {side: n - len(reserves[side]) for side, n in _counts(position).items()}


def _counts(position: Position) -> dict[str, int]:
    """The referee's count of each tray; none where more than two players share two trays."""
    return dict(zip("wb", position.reserve)) if len(position.reserve) == 2 else {}


def due(position: Position, finder: PieceFinder, without: Collection[str] = ()) -> list[list[Any]]:
    """[body, side] of each body on the mat that goes back, but for those of `without`."""
    found = [(finder.body_of(piece), LETTER[player]) for piece, player in due_back(position)]
    return [[body.id, side] for body, side in found if body and side not in without]
