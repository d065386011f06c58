"""How a hand brings a disc in, carries it, sets it down and takes it out.

What a hand holds trembles and drifts; what it has released is perfectly still. Speeds are the peak
of a minimum-jerk profile. Every action is a generator that yields once a frame.
"""

from collections.abc import Generator, Iterable

import numpy as np

from polarity_host.mats.description import Mat

from .condition import MatCondition
from .magnet_actions import MagnetActions
from .motion import (
    Place,
    Vector,
    heading,
    minimum_jerk,
    reach_seconds,
    toppling,
    turned,
    upward_normal,
)
from .pieces import Piece, leaner_pose, rest_height_mm
from .reserves import Reserves
from .stage_state import AWAY_MM, SIDE_DEG, Action

TOUCHING_GRIP = 0.15  # share of the tremble that is left while a held disc rests on the mat


class CarryActions(MagnetActions):
    """Actions of a hand with what it holds; a part of Stage."""

    def __init__(self, mat: Mat, seed: int = 0, condition: MatCondition | None = None):
        super().__init__(mat, seed, condition)
        self.reserves = Reserves(self)

    def carry_in(
        self,
        piece: Piece,
        to_xy: Place,
        height_mm: float = 35.0,
        tilt_deg: float = 0.0,
        azimuth_deg: float = 0.0,
        speed_mm_s: float = 400.0,
        from_deg: float | None = None,
    ) -> Action:
        """Bring a held piece from outside over `to_xy` (hovering there). Fact: hand_in.

        `from_deg` is the azimuth it comes from; None: the side of the colour it shows (w -90,
        b +90, with some spread). Red gives no hand_in.
        """
        if from_deg is None:
            from_deg = SIDE_DEG[piece.face] + self.rng.uniform(-25.0, 25.0)
        start = (self.mat.circle_radius_mm + AWAY_MM) * heading(from_deg)
        start[2] = height_mm + self.rng.uniform(20.0, 60.0)
        if self.reserves.has_disc_for(piece):
            yield from self.reserves.take(piece, start)
        else:
            piece.move_to(start)
            self.enter(piece)
        yield from self.carry_to(piece, to_xy, height_mm, tilt_deg, azimuth_deg, speed_mm_s)

    def carry_to(
        self,
        piece: Piece,
        to_xy: Place,
        height_mm: float | None = None,
        tilt_deg: float = 0.0,
        azimuth_deg: float = 0.0,
        speed_mm_s: float = 400.0,
    ) -> Action:
        """Move a held piece through the air to hover over `to_xy`.

        `height_mm` is that of its lowest disc's centre; None keeps it.
        """
        z = piece.z if height_mm is None else height_mm + piece.below * piece.thickness_mm
        goal = np.array([to_xy[0], to_xy[1], z])
        axis = upward_normal(tilt_deg, azimuth_deg) * piece.face
        distance = float(np.linalg.norm(goal - piece.centre))
        yield from self.reach(piece, goal, axis, max(0.1, reach_seconds(distance, speed_mm_s)))

    def carry_out(
        self,
        piece: Piece,
        toward_deg: float | None = None,
        height_mm: float = 50.0,
        speed_mm_s: float = 450.0,
    ) -> Action:
        """Carry a held piece out over the circle and away. Fact: hand_out. The piece is gone."""
        if toward_deg is None:
            toward_deg = SIDE_DEG[piece.face] + self.rng.uniform(-25.0, 25.0)
        goal = (self.mat.circle_radius_mm + AWAY_MM) * heading(toward_deg)
        yield from self.carry_to(piece, goal[:2], height_mm, 0.0, 0.0, speed_mm_s)
        if piece.id and not piece.is_red:  # lifted from the line: it never crossed it
            self.truth.add_piece("hand_out", self.t_us - self.frame_us, piece)
        if self.reserves.stacks and not piece.is_red:
            yield from self.reserves.give_back(piece)
        else:
            self.leave(piece)

    def set_flat(self, piece: Piece, xy: Place, seconds: float = 0.4) -> Action:
        """Lower a held single disc flat at `xy` and let go. Fact: placed flat (red: placed red)."""
        yield from self._set_down(piece, xy, seconds)

    def set_tower(
        self,
        piece: Piece,
        xy: Place,
        face: int | None = None,
        seconds: float = 0.5,
    ) -> Action:
        """Lower a held stack at `xy`, turned over in the hand first if `face` is not the one up.

        Fact: placed tower (a single disc: placed flat).
        """
        if face is not None and face != piece.face:
            yield from self.turn_over(piece)
        yield from self._set_down(piece, xy, seconds)

    def set_leaner(
        self,
        piece: Piece,
        contact_xy: Place,
        azimuth_deg: float,
        tilt_deg: float,
        over: Iterable[Piece] | None = None,
        seconds: float = 0.6,
    ) -> Action:
        """Lower a held disc to lean, low rim on the mat at `contact_xy`, and let go.

        `azimuth_deg`: where its upper face looks horizontally = away from the foundation that it
        leans over, so the foundation lies at contact - something * u(azimuth). `tilt_deg` from
        flat. `over`: pieces it leans over (truth's others); None: found from the poses.
        Fact: placed leaner.
        """
        _require_single(piece)
        centre, axis = leaner_pose(piece.discs[0], contact_xy, azimuth_deg, tilt_deg, piece.face)
        yield from self._lower(piece, centre, axis, seconds)
        yield from self.rest(self.rng.uniform(0.1, 0.25))  # feeling whether it stands

        def release(t_us: float) -> None:
            self.let_go(piece)
            piece.set_leaning(True)
            self._give_id(piece)
            under = self.leans_over(piece) if over is None else over
            self.truth.add_piece(
                "placed",
                t_us,
                piece,
                shape="leaner",
                others=tuple(p.id for p in under),
                tilt_deg=tilt_deg,
                azimuth_deg=azimuth_deg,
            )

        yield from self.animate(0.0, lambda p: None, release)

    def drop_flat(self, piece: Piece, xy: Place, seconds: float = 0.5) -> Action:
        """Try to set a leaner, but it falls flat at `xy`, same face up. Fact: placed flat."""
        _require_single(piece)
        azimuth, tilt = self.rng.uniform(-180.0, 180.0), self.rng.uniform(40.0, 60.0)
        contact = np.array([*xy, 0.0]) + piece.radius_mm * heading(azimuth)
        disc = piece.discs[0]
        centre, axis = leaner_pose(disc, contact, azimuth, tilt, piece.face)
        yield from self._lower(piece, centre, axis, seconds)
        face = piece.face
        self.let_go(piece)

        def show(p: float) -> None:
            angle = tilt * (1.0 - toppling(p))
            piece.move_to(*leaner_pose(disc, contact, azimuth, angle, face))

        yield from self.animate(0.12, show, lambda t_us: self._note_placed(piece, t_us))

    def turn_over(self, piece: Piece, seconds: float = 0.5) -> Action:
        """Turn a held piece over in the hand by 180 deg (no fact: `placed` has the face)."""
        room = len(piece.discs) * piece.thickness_mm + piece.radius_mm + 8.0
        if piece.z < room:
            yield from self.reach(piece, np.array([*piece.xy, room]), piece.axis, 0.2)
        start, through = piece.axis.copy(), heading(self.rng.uniform(-180.0, 180.0))

        def show(p: float) -> None:
            piece.move_to(axis=turned(start, -start, minimum_jerk(p), through))

        yield from self.animate(seconds, show)

    def place_red(self, xy: Place = (0.0, 0.0), face: int = +1) -> Generator[None, None, Piece]:
        """Bring the red disc and set it on the dot. Fact: placed red. Returns its Piece."""
        piece = self.new_disc(face, is_red=True)
        yield from self.carry_in(piece, xy)
        yield from self.set_flat(piece, xy)
        return piece

    def leans_over(self, leaner: Piece) -> list[Piece]:
        """Resting pieces on the far side of a leaner's contact point, near enough to carry it: the
        nearest, and those at up to 1.25 times its distance."""
        out, contact = heading(leaner.azimuth_deg), np.array([*leaner.contact_xy, 0.0])
        found = {}
        for piece in self.resting():
            away = np.array([*piece.xy, 0.0]) - contact
            inward = -float(np.dot(away, out))
            sideways = abs(float(np.cross(away, out)[2]))
            near = np.hypot(piece.xy[0] - leaner.xy[0], piece.xy[1] - leaner.xy[1])
            if piece is not leaner and inward > 0 and sideways < 0.8 * inward:
                if near < 4.2 * leaner.radius_mm:
                    found[piece] = near
        limit = 1.25 * min(found.values(), default=0.0)
        return sorted((p for p in found if found[p] <= limit), key=lambda piece: piece.id)

    # ---- steps that actions share -----------------------------------------------------------

    def _lower(self, piece: Piece, goal: Vector, axis: Vector, seconds: float) -> Action:
        """From the air to a pose on the mat, first sideways, then down; still in the hand."""
        start, start_axis = piece.centre.copy(), piece.axis.copy()
        sideways = float(np.hypot(*(goal - start)[:2]))
        seconds = max(seconds, reach_seconds(sideways, 300.0) / 0.6)

        def show(p: float) -> None:
            across, down = minimum_jerk(p / 0.6), minimum_jerk((p - 0.25) / 0.75)
            piece.move_to(
                start + np.array([across, across, down]) * (goal - start),
                turned(start_axis, axis, minimum_jerk(p)),
            )
            piece.set_grip(1.0 - (1.0 - TOUCHING_GRIP) * minimum_jerk((p - 0.5) / 0.5))

        yield from self.animate(seconds, show)

    def _set_down(self, piece: Piece, xy: Place, seconds: float) -> Action:
        tilt = self.condition.crease_tilt_deg * self.rng.uniform()
        azimuth = self.rng.uniform(-180.0, 180.0)
        z = rest_height_mm(piece) + piece.radius_mm * np.sin(np.radians(tilt))
        axis = upward_normal(tilt, azimuth) * piece.face
        yield from self._lower(piece, np.array([xy[0], xy[1], z]), axis, seconds)

        def release(t_us: float) -> None:
            self.let_go(piece)
            self._note_placed(piece, t_us)

        yield from self.animate(0.0, lambda p: None, release)

    def _note_placed(self, piece: Piece, t_us: float) -> None:
        self._give_id(piece)
        self.truth.add_piece("placed", t_us, piece, shape=piece.shape)

    def _give_id(self, piece: Piece) -> None:
        if not piece.id:  # set down on the line, or red: its centre never crossed the circle
            piece.set_id(self.truth.new_id())


def _require_single(piece: Piece) -> None:
    if len(piece.discs) > 1:
        raise ValueError("only a single disc can be set to lean; set a stack with set_tower")
