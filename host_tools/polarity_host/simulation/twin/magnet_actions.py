"""What magnets and gravity do by themselves: fall, flip, roll, slide, snap. No hand is involved.

Opposite faces attract side by side, so a kiss joins pieces of opposite faces; discs whose axes
point the same way stack. Every action is a generator that yields once a frame.
"""

import numpy as np

from .motion import Place, Vector, accelerating, heading, minimum_jerk, toppling, turned
from .pieces import Piece, leaner_pose
from .stage_state import Action, StageState
from .truth import KISS, MIX, STACK

FALL_S = 0.12
BOUNCE_S, BOUNCE_DEG = 0.05, 3.0
CLEAR_MM = 4.0  # a disc that falls beside another is pushed at least this far away by its field
NOTICEABLE_MM = 1.0  # smaller displacements of a piece that snaps are not noted as shifted


class MagnetActions(StageState):
    """Motions without a hand; a part of Stage."""

    def fall(self, piece: Piece, flip: bool = False, to_xy: Place | None = None) -> Action:
        """A leaner falls flat within about 170 ms, turning about its rim contact. Fact: fell.

        flip=True: it goes over the other way and shows its other face. Fact: flipped.
        `to_xy`: where it comes to lie; None: the rim stays where it is, or slides clear of a
        neighbour that is in the way.
        """
        disc, face, contact = piece.discs[0], piece.face, np.array(piece.contact_xy)
        azimuth, tilt = piece.azimuth_deg, piece.tilt_deg
        end_tilt = 180.0 if flip else 0.0
        landed, _ = leaner_pose(disc, contact, azimuth, end_tilt, face)
        if to_xy is None:
            end = self._clear_place(piece, landed[:2], heading(azimuth)[:2])
        else:
            end = np.array(to_xy, float)
        push = end - landed[:2]

        def pose(angle: float, share: float) -> None:
            piece.move_to(*leaner_pose(disc, contact + share * push, azimuth, angle, face))

        def show(p: float) -> None:
            seconds = p * (FALL_S + BOUNCE_S)
            if seconds < FALL_S:
                q = seconds / FALL_S
                pose(tilt + (end_tilt - tilt) * toppling(q), 0.7 * minimum_jerk(q))
            else:
                q = (seconds - FALL_S) / BOUNCE_S
                lift_deg = BOUNCE_DEG * np.sin(np.pi * q)
                pose(abs(end_tilt - lift_deg), 0.7 + 0.3 * q)

        def at_end(t_us: float) -> None:
            piece.set_leaning(False)
            self.truth.add_piece("flipped" if flip else "fell", t_us, piece)

        yield from self.animate(FALL_S + BOUNCE_S, show, at_end)

    def flip(self, piece: Piece, to_xy: Place | None = None) -> Action:
        """fall(piece, flip=True)."""
        yield from self.fall(piece, flip=True, to_xy=to_xy)

    def roll(
        self,
        piece: Piece,
        contact_xy: Place,
        azimuth_deg: float | None = None,
        tilt_deg: float | None = None,
        seconds: float = 0.35,
    ) -> Action:
        """A leaner rolls to a new contact point, still leaning. Fact: rolled."""
        start, goal = np.array(piece.contact_xy), np.array(contact_xy, float)
        tilt0, azimuth0 = piece.tilt_deg, piece.azimuth_deg
        tilt1 = tilt0 if tilt_deg is None else tilt_deg
        turn = 0.0 if azimuth_deg is None else (azimuth_deg - azimuth0 + 180.0) % 360.0 - 180.0
        face = piece.face

        def show(p: float) -> None:
            q = minimum_jerk(p)
            piece.move_to(
                *leaner_pose(
                    piece.discs[0],
                    start + q * (goal - start),
                    azimuth0 + q * turn,
                    tilt0 + q * (tilt1 - tilt0),
                    face,
                )
            )

        def at_end(t_us: float) -> None:
            d_mm = float(np.hypot(*(goal - start)))
            self.truth.add_piece("rolled", t_us, piece, d_mm=d_mm, tilt_deg=tilt1)

        yield from self.animate(seconds, show, at_end)

    def slide(self, piece: Piece, to_xy: Place, seconds: float = 0.15) -> Action:
        """A flat piece is pushed along by a field. Fact: shifted (and parted from what it touched);
        left_circle instead if it ends outside; red_off if it is red and leaves its dot completely.
        """
        start, goal = piece.centre.copy(), np.array([*to_xy, piece.z])
        touched = self.contacts.part(piece)

        def show(p: float) -> None:
            piece.move_to(start + minimum_jerk(p) * (goal - start))

        def at_end(t_us: float) -> None:
            self.let_go(piece)
            self._note_shift(piece, start, t_us)

        end_us = yield from self.animate(seconds, show, at_end)
        if touched:
            ids = tuple(sorted([piece.id, *(p.id for p in touched)]))
            self.truth.add("parted", end_us, others=ids)

    def snap_kiss(self, a: Piece, b: Piece, share: float = 0.0, seconds: float = 0.045) -> Action:
        """`a` jumps along the mat against `b`: exactly one diameter apart at the end.

        `share` 0..1: how much of the way `b` comes to meet it. Fact: contact kiss or mix, or
        touched_red if one is red; shifted beside it for a flat piece that moved over 1 mm.
        ValueError if one of them leans or both show the same face (red takes either).
        """
        if a.leaning or b.leaning:
            raise ValueError("a leaner cannot kiss: let it fall first")
        with_red = a.is_red or b.is_red
        if a.face == b.face and not with_red:
            raise ValueError("the same faces repel side by side; only opposite faces kiss")
        a0, b0 = a.centre.copy(), b.centre.copy()
        line = (b0 - a0)[:2] / np.hypot(*(b0 - a0)[:2])
        way = np.hypot(*(b0 - a0)[:2]) - a.radius_mm - b.radius_mm
        push = np.array([*(line * way), 0.0])

        def show(p: float) -> None:
            q = accelerating(p)
            a.move_to(a0 + q * (1.0 - share) * push)
            b.move_to(b0 - q * share * push)

        def at_end(t_us: float) -> None:
            if with_red:
                disc = b if a.is_red else a
                self.truth.add_piece("touched_red", t_us, disc)
            else:
                self.contacts.join(a, b)
                self._note_contact(a, t_us)
            for piece, start in ((a, a0), (b, b0)):
                self._note_shift(piece, start, t_us)

        yield from self.animate(seconds, show, at_end)

    def snap_stack(self, a: Piece, b: Piece, seconds: float = 0.05) -> Action:
        """`a` (flat, leaner or tower) jumps on top of `b`: one tower at b's place with b's face.

        `a` turns over on the way if its axis points the other way. Fact: contact stack (or mix, if
        b's group goes on); the merged piece is `b`.
        """
        if b.leaning:
            raise ValueError("a leaner cannot carry a stack: let it fall first")
        members = sorted({*self.group_of(a), *self.group_of(b)}, key=lambda piece: piece.id)
        start, start_axis = a.centre.copy(), a.axis.copy()
        goal = b.centre + np.array([0.0, 0.0, _top_mm(b) - b.z])
        goal[2] += (_below_if_facing(a, b.face) + 0.5) * a.thickness_mm
        a.set_leaning(False)

        def show(p: float) -> None:
            q = accelerating(p)
            hop = 10.0 * np.sin(np.pi * q)  # over the rim of b
            a.move_to(
                start + q * (goal - start) + np.array([0.0, 0.0, hop]),
                turned(start_axis, b.axis, q),
            )
            _keep_above_mat(a)

        def at_end(t_us: float) -> None:
            self._absorb(b, a, on_top=True)
            b.snap_together()
            self._note_contact(b, t_us, members)

        yield from self.animate(seconds, show, at_end)

    def snap_to_hand(self, held: Piece, piece: Piece, seconds: float = 0.04) -> Action:
        """A resting piece jumps up under the carried one and sticks. Fact: snapped (and parted
        if it touched others). `held` is the whole stack now.

        ValueError if there is no room for `piece` between `held` and the mat.
        """
        if held.z < (held.below + len(piece.discs) + 0.5) * held.thickness_mm:
            raise ValueError("no room under the carried piece: carry it higher")
        start, start_axis = piece.centre.copy(), piece.axis.copy()
        piece.set_leaning(False)

        def show(p: float) -> None:
            q = accelerating(p)
            centre, axis = held.pose(self.t_us / 1e6)
            down = -axis * held.face
            goal = centre + down * (held.below + 1 + _above_if_facing(piece, held.face)) * (
                held.thickness_mm
            )
            piece.move_to(start + q * (goal - start), turned(start_axis, axis, q))
            _keep_above_mat(piece)

        def at_end(t_us: float) -> None:
            gone = piece.id
            touched = [p for p in self.contacts.part(piece) if p is not held]
            self._absorb(held, piece, on_top=False)
            x, y = float(held.centre[0]), float(held.centre[1])
            self.truth.add_piece("snapped", t_us, held, others=(gone,), x_mm=x, y_mm=y)
            if touched:
                ids = tuple(sorted([held.id, *(p.id for p in touched)]))
                self.truth.add("parted", t_us, others=ids)

        yield from self.animate(seconds, show, at_end)

    # ---- steps that actions share -----------------------------------------------------------

    def _clear_place(self, piece: Piece, xy: Vector, outward: Vector) -> Vector:
        """`xy`, or the nearest place along `outward` where a flat disc touches nothing."""
        xy = np.array(xy, float)
        for _ in range(200):
            if self.nearest_gap_mm(xy, ignore=(piece,)) >= CLEAR_MM:
                break
            xy = xy + outward
        return xy

    def _absorb(self, into: Piece, gone: Piece, on_top: bool) -> None:
        """`gone`, which faces the same way by now, becomes part of `into`, above or below it."""
        if on_top == (into.face > 0):
            into.restack([*into.discs, *gone.discs], into.anchor)
        else:
            into.restack([*gone.discs, *into.discs], into.anchor + len(gone.discs))
        self.contacts.replace(gone, into)
        self.forget(gone)

    def _note_contact(self, piece: Piece, t_us: float, members: list[Piece] | None = None) -> None:
        """Note the whole group around `piece`; `members`: its pieces before a stack merged."""
        group = self.group_of(piece)
        named = group if members is None else members
        if any(p.unclaimed_stack for p in group):
            shape = STACK if len(group) == 1 else MIX
        else:
            shape = KISS
        first = piece if members is not None else min(named, key=lambda p: p.id)
        self.truth.add_piece(
            "contact",
            t_us,
            first,
            others=tuple(p.id for p in named),
            shape=shape,
            discs=sum(len(p.discs) for p in group),
            face=piece.face if shape != KISS else 0,
        )

    def _note_shift(self, piece: Piece, start: Vector, t_us: float) -> None:
        d_mm = float(np.hypot(*(piece.centre - start)[:2]))
        if piece.is_red or d_mm < NOTICEABLE_MM:
            return
        if np.hypot(*piece.xy) <= self.mat.circle_radius_mm + piece.radius_mm:
            self.truth.add_piece("shifted", t_us, piece, d_mm=d_mm)


def _keep_above_mat(piece: Piece) -> None:
    sunk = -piece.lowest_mm(piece.centre, piece.axis)
    if sunk > 0:
        piece.move_to(piece.centre + np.array([0.0, 0.0, sunk]))


def _top_mm(piece: Piece) -> float:
    """Height of the upper surface of a piece lying flat."""
    above = len(piece.discs) - 1 - piece.below
    return piece.z + (above + 0.5) * piece.thickness_mm


def _below_if_facing(piece: Piece, face: int) -> int:
    return piece.anchor if face > 0 else len(piece.discs) - 1 - piece.anchor


def _above_if_facing(piece: Piece, face: int) -> int:
    return len(piece.discs) - 1 - _below_if_facing(piece, face)
