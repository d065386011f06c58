"""How a hand takes hold of what lies on the mat: lifts it, gathers it, pushes it, takes it away."""

from collections.abc import Generator, Sequence

import numpy as np

from .carry_actions import TOUCHING_GRIP, CarryActions
from .motion import Place, Tremble, heading
from .pieces import Piece
from .stage_state import Action

PUSHING_GRIP = 0.3  # share of the tremble in a disc that a finger pushes along the mat


class HandActions(CarryActions):
    """All actions of a hand; a part of Stage."""

    def lift(
        self,
        piece: Piece,
        discs: int | None = None,
        height_mm: float = 40.0,
        seconds: float = 0.45,
    ) -> Generator[None, None, Piece]:
        """A bare hand lifts a resting piece, or its top `discs` only. Fact: lifted (and parted,
        if it touched others, which stay behind). Returns the Piece now in the hand (a part of a
        tower is a new Piece with a new id).
        """
        stayed: tuple[int, ...] = ()
        if discs is not None and discs < len(piece.discs):
            rest, piece = piece, self._split(piece, discs)
            stayed = (rest.id,)
        yield from self._raise(piece, height_mm, seconds, stayed)
        return piece

    def lift_group(
        self,
        piece: Piece,
        others: Sequence[Piece],
        height_mm: float = 40.0,
        seconds: float = 0.6,
    ) -> Generator[None, None, Piece]:
        """A bare hand lifts `piece`; `others`, of its group, snap underneath one by one, the
        nearest first.

        Facts: lifted, snapped (one for each that joins). Members of the contact group not in
        `others` stay behind (parted). Returns `piece`, now the whole stack.
        """
        self.contacts.loosen((piece, *others))
        joining = sum(len(other.discs) for other in others)
        yield from self._raise(piece, 14.0 + joining * piece.thickness_mm, seconds / 2)
        for other in sorted(others, key=lambda other: np.hypot(*np.subtract(other.xy, piece.xy))):
            yield from self.snap_to_hand(piece, other)
        yield from self.carry_to(piece, piece.xy, height_mm, speed_mm_s=200.0)
        return piece

    def slide_by_hand(self, piece: Piece, to_xy: Place, seconds: float = 0.8) -> Action:
        """A finger pushes a flat piece along the mat. Fact: shifted (or left_circle)."""
        piece.push(Tremble(self.rng), PUSHING_GRIP)
        yield from self.slide(piece, to_xy, seconds)

    def drag_out(
        self, piece: Piece, seconds: float = 1.0, toward_deg: float | None = None
    ) -> Action:
        """A hand drags a flat piece out of the circle, where it stays lying. Fact: left_circle."""
        x, y = piece.xy
        if toward_deg is None:
            toward_deg = float(np.degrees(np.arctan2(y, x)))
        reach = self.mat.circle_radius_mm + piece.radius_mm + self.rng.uniform(8.0, 25.0)
        yield from self.slide_by_hand(piece, tuple(reach * heading(toward_deg)[:2]), seconds)

    def take_away(self, piece: Piece) -> Action:
        """A piece lying outside the circle is picked up and taken off the table. No fact.

        For a piece inside: lift and carry_out (facts lifted, hand_out).
        """
        if not piece.outside:
            piece = yield from self.lift(piece)
        else:
            self.contacts.part(piece)
            piece.leave()
            piece.set_leaning(False)
            self.grip(piece)
            piece.set_grip(TOUCHING_GRIP)
        yield from self.carry_out(piece, np.degrees(np.arctan2(piece.xy[1], piece.xy[0])))

    # ---- steps that actions share -----------------------------------------------------------

    def _split(self, tower: Piece, discs: int) -> Piece:
        """The top `discs` of `tower` as a Piece of their own."""
        count = len(tower.discs)
        keep = slice(0, count - discs) if tower.face > 0 else slice(discs, count)
        take = slice(count - discs, count) if tower.face > 0 else slice(0, discs)
        centres = tower.disc_centres(tower.centre, tower.axis)
        top = Piece(tower.discs[take], tower.face, centres[take][0])
        top.move_to(axis=tower.axis)
        top.set_id(self.truth.new_id())
        tower.restack(tower.discs[keep])
        tower.move_to(centres[keep][0])
        self.enter(top)
        return top

    def _raise(
        self, piece: Piece, height_mm: float, seconds: float, stayed: tuple[int, ...] = ()
    ) -> Action:
        """Take hold of a resting piece and raise it; notes `lifted` and, once clear, `parted`."""
        self.truth.add_piece(
            "lifted", self.t_us - self.frame_us, piece, others=stayed, tilt_deg=piece.tilt_deg
        )
        self.grip(piece)
        piece.begin_lift()
        left = self.contacts.part(piece)
        ids = tuple(sorted([piece.id, *(p.id for p in left)]))
        goal = np.array([*piece.xy, height_mm + piece.below * piece.thickness_mm])
        axis = np.array([0.0, 0.0, float(piece.face)])
        yield from self.reach(piece, goal, axis, seconds)
        if left:
            self.truth.add("parted", self.t_us - self.frame_us - seconds * 5e5, others=ids)
