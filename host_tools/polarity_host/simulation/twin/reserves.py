"""The players' reserves, stacked beside the circle: they shrink as discs are taken, and grow again.

One stack a player, his colour up, to the right of where his hand comes in.
"""

from collections.abc import Iterable

import numpy as np

from polarity_host.mats.description import Mat

from .motion import Vector, heading, reach_seconds
from .pieces import Piece, TwinDisc, rest_height_mm
from .stage_state import SIDE_DEG, Action, StageState
from .truth import LETTER

RIGHT_OF_HAND_DEG = 40.0  # hands come in within 25 degrees of their side
HAND_MM_S = 700.0


def place_of_stack(mat: Mat, face: int, gap_mm: float) -> Vector:
    """(3,) where the reserve of that colour stands, so far outside the circle."""
    reach_mm = mat.circle_radius_mm + gap_mm + mat.disc.diameter_mm / 2
    return reach_mm * heading(SIDE_DEG[face] + RIGHT_OF_HAND_DEG)


class Reserves:
    """The stacks of one stage: `stacks`, face -> Piece; none if the condition has none."""

    def __init__(self, stage: StageState):
        self.stage = stage
        self.stacks: dict[int, Piece] = {}
        c = stage.condition
        if not c.reserve_gap_mm:
            return
        for face in (1, -1):
            discs = [stage.new_disc(face).discs[0] for _ in range(c.reserve_discs)]
            stack = Piece(discs, face, place_of_stack(stage.mat, face, c.reserve_gap_mm))
            stack.lies_outside()
            self.stacks[face] = stack
            self._stand(stack)

    def has_disc_for(self, piece: Piece) -> bool:
        """Whether a held piece can come from a stack: a single disc of a colour that is there."""
        stack = self.stacks.get(piece.face)
        return bool(stack and stack.discs) and not piece.is_red

    def take(self, piece: Piece, to_mm: Vector) -> Action:
        """The held piece becomes the top disc of its colour's stack and is brought to `to_mm`."""
        stage, stack = self.stage, self.stacks[piece.face]
        piece.restack([stack.discs[-1] if stack.face > 0 else stack.discs[0]], piece.anchor)
        piece.move_to(self._top(stack) - np.array([0.0, 0.0, stack.thickness_mm / 2]))
        self._set(stack, stack.discs[:-1] if stack.face > 0 else stack.discs[1:])
        stage.enter(piece)
        yield from self._reach(piece, np.array(to_mm, float), piece.axis)

    def give_back(self, piece: Piece) -> Action:
        """A held piece outside the circle is laid on the nearest stack and becomes part of it."""
        stage = self.stage
        stack = min(self.stacks.values(), key=lambda s: np.hypot(*(s.centre - piece.centre)[:2]))
        upright = np.array([0.0, 0.0, float(stack.face)])
        below = piece.anchor if stack.face > 0 else len(piece.discs) - 1 - piece.anchor
        lift = np.array([0.0, 0.0, (below + 0.5) * piece.thickness_mm])
        yield from self._reach(piece, self._top(stack) + lift, upright)
        stage.contacts.part(piece)
        stage.forget(piece)
        piece.leave()
        both = (stack.discs, piece.discs) if stack.face > 0 else (piece.discs, stack.discs)
        self._set(stack, [*both[0], *both[1]])

    def _reach(self, piece: Piece, goal: Vector, axis: Vector) -> Action:
        distance = float(np.linalg.norm(goal - piece.centre))
        yield from self.stage.reach(piece, goal, axis, max(0.1, reach_seconds(distance, HAND_MM_S)))

    def _set(self, stack: Piece, discs: Iterable[TwinDisc]) -> None:
        stack.restack(discs, stack.anchor)
        self._stand(stack)
        t_us = self.stage.t_us
        self.stage.truth.note("reserve", t_us, side=LETTER[stack.face], discs=len(stack.discs))

    def _stand(self, stack: Piece) -> None:
        """Puts the stack on the table, or takes it off while it is empty."""
        if stack.discs:
            stack.restack(stack.discs)
            stack.move_to((*stack.xy, rest_height_mm(stack)))
            self.stage.enter(stack)
        elif stack in self.stage.pieces:
            self.stage.forget(stack)

    def _top(self, stack: Piece) -> Vector:
        """(3,) the middle of the stack's upper surface."""
        thickness = self.stage.mat.disc.thickness_mm
        return np.array([*stack.xy, len(stack.discs) * thickness])
