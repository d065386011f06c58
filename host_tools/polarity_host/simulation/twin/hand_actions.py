"""What a hand does: bring a disc in, set it down, lift, turn over, take away.

Whatever is held trembles and drifts; what is released is perfectly still. Speeds are the peak of a
minimum-jerk profile. Every action is a generator that yields once a frame.
"""

import numpy as np

from .motion import heading, minimum_jerk, reach_seconds, toppling, turned, upward_normal
from .pieces import leaner_pose, rest_height_mm

TOUCHING_GRIP = 0.15  # share of the tremble that is left while a held disc rests on the mat
SIDE_DEG = {1: -90.0, -1: 90.0}
AWAY_MM = 220.0  # how far outside the circle hands come from and go to


class HandActions:
    """Actions of a hand; a part of Stage."""

    def carry_in(self, piece, to_xy, height_mm=35.0, tilt_deg=0.0, azimuth_deg=0.0,
                 speed_mm_s=400.0, from_deg=None):  # fmt: skip
        """Bring a held piece from outside over `to_xy` (hovering there). Fact: hand_in.

        `from_deg` is the azimuth it comes from; None: the side of the colour it shows (w -90,
        b +90, some spread). Red gives no hand_in.
        """
        if from_deg is None:
            from_deg = SIDE_DEG[piece.face] + self.rng.uniform(-25.0, 25.0)
        start = (self.mat.circle_radius_mm + AWAY_MM) * heading(from_deg)
        start[2] = height_mm + self.rng.uniform(20.0, 60.0)
        if self.reserves.has_disc_for(piece):
            yield from self.reserves.take(piece, start)
        else:
            piece.centre = start
            self.enter(piece)
        yield from self.carry_to(piece, to_xy, height_mm, tilt_deg, azimuth_deg, speed_mm_s)

    def carry_to(self, piece, to_xy, height_mm=None, tilt_deg=0.0, azimuth_deg=0.0,
                 speed_mm_s=400.0):  # fmt: skip
        """Move a held piece through the air to hover over `to_xy`.

        `height_mm` is that of its lowest disc's centre; None keeps it.
        """
        z = piece.z if height_mm is None else height_mm + piece.below * piece.thickness_mm
        goal = np.array([to_xy[0], to_xy[1], z])
        axis = upward_normal(tilt_deg, azimuth_deg) * piece.face
        distance = np.linalg.norm(goal - piece.centre)
        yield from self.reach(piece, goal, axis, max(0.1, reach_seconds(distance, speed_mm_s)))

    def reach(self, piece, goal, axis, seconds):
        """A hand moves what it holds to a pose: `goal` (3,) mm, `axis` a unit vector."""
        start, start_axis, start_grip = piece.centre.copy(), piece.axis.copy(), piece.grip

        def show(p):
            q = minimum_jerk(p)
            piece.centre = start + q * (goal - start)
            piece.axis = turned(start_axis, axis, q)
            piece.grip = start_grip + min(1.0, 3 * p) * (1.0 - start_grip)

        yield from self.animate(seconds, show)

    def carry_out(self, piece, toward_deg=None, height_mm=50.0, speed_mm_s=450.0):
        """Carry a held piece out over the circle and away. Fact: hand_out. The piece is gone."""
        if toward_deg is None:
            toward_deg = SIDE_DEG[piece.face] + self.rng.uniform(-25.0, 25.0)
        goal = (self.mat.circle_radius_mm + AWAY_MM) * heading(toward_deg)
        yield from self.carry_to(piece, goal[:2], height_mm, 0.0, 0.0, speed_mm_s)
        if piece.id and not piece.is_red:  # lifted from the line: never crossed it outward
            self.truth.add_piece("hand_out", self.t_us - self.frame_us, piece)
        if self.reserves.stacks and not piece.is_red:
            yield from self.reserves.give_back(piece)
        else:
            self.leave(piece)

    def set_flat(self, piece, xy, seconds=0.4):
        """Lower a held single disc flat at `xy` and let go. Fact: placed flat (red: placed red)."""
        yield from self._set_down(piece, xy, seconds)

    def set_tower(self, piece, xy, face=None, seconds=0.5):
        """Lower a held stack at `xy`, turned over in the hand first if `face` is not the one up.

        Fact: placed tower (a single disc: placed flat).
        """
        if face is not None and face != piece.face:
            yield from self.turn_over(piece)
        yield from self._set_down(piece, xy, seconds)

    def set_leaner(self, piece, contact_xy, azimuth_deg, tilt_deg, over=None, seconds=0.6):
        """Lower a held disc to lean, low rim on the mat at `contact_xy`, and let go.

        `azimuth_deg`: where its upper face looks horizontally = away from the foundation that it
        leans over, so the foundation lies at contact - something * u(azimuth). `tilt_deg` from
        flat. `over`: pieces it leans over (truth's others); None: found from the poses.
        Fact: placed leaner.
        """
        _single(piece)
        centre, axis = leaner_pose(piece.discs[0], contact_xy, azimuth_deg, tilt_deg, piece.face)
        yield from self._lower(piece, centre, axis, seconds)
        yield from self.rest(self.rng.uniform(0.1, 0.25))  # feeling whether it stands

        def release(t_us):
            self.let_go(piece)
            piece.leaning = True
            self._name(piece)
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

    def drop_flat(self, piece, xy, seconds=0.5):
        """Try to set a leaner, but it falls flat at `xy`, same face up. Fact: placed flat."""
        _single(piece)
        azimuth, tilt = self.rng.uniform(-180.0, 180.0), self.rng.uniform(40.0, 60.0)
        contact = np.array([*xy, 0.0]) + piece.radius_mm * heading(azimuth)
        disc = piece.discs[0]
        centre, axis = leaner_pose(disc, contact, azimuth, tilt, piece.face)
        yield from self._lower(piece, centre, axis, seconds)
        face = piece.face
        self.let_go(piece)

        def show(p):
            angle = tilt * (1.0 - toppling(p))
            piece.centre, piece.axis = leaner_pose(disc, contact, azimuth, angle, face)

        yield from self.animate(0.12, show, lambda t_us: self._note_placed(piece, t_us))

    def lift(self, piece, discs=None, height_mm=40.0, seconds=0.45):
        """A bare hand lifts a resting piece, or its top `discs` only. Fact: lifted (and parted,
        if it touched others, which stay behind). Returns the Piece now in the hand (a part of a
        tower is a new Piece with a new id).
        """
        stayed = ()
        if discs is not None and discs < len(piece.discs):
            rest, piece = piece, self._split(piece, discs)
            stayed = (rest.id,)
        yield from self._raise(piece, height_mm, seconds, stayed)
        return piece

    def lift_group(self, piece, others, height_mm=40.0, seconds=0.6):
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

    def turn_over(self, piece, seconds=0.5):
        """Turn a held piece over in the hand by 180 deg (no fact: `placed` tells the face)."""
        room = len(piece.discs) * piece.thickness_mm + piece.radius_mm + 8.0
        if piece.z < room:
            yield from self.reach(piece, np.array([*piece.xy, room]), piece.axis, 0.2)
        start, through = piece.axis.copy(), heading(self.rng.uniform(-180.0, 180.0))

        def show(p):
            piece.axis = turned(start, -start, minimum_jerk(p), through)

        yield from self.animate(seconds, show)

    def slide_by_hand(self, piece, to_xy, seconds=0.8):
        """A finger pushes a flat piece along the mat. Fact: shifted (or left_circle)."""
        self.grip(piece)
        piece.held, piece.grip, piece.dragged = False, 0.3, True
        yield from self.slide(piece, to_xy, seconds)

    def drag_out(self, piece, seconds=1.0, toward_deg=None):
        """A hand drags a flat piece out of the circle, where it stays lying. Fact: left_circle."""
        x, y = piece.xy
        if toward_deg is None:
            toward_deg = np.degrees(np.arctan2(y, x))
        reach = self.mat.circle_radius_mm + piece.radius_mm + self.rng.uniform(8.0, 25.0)
        yield from self.slide_by_hand(piece, tuple(reach * heading(toward_deg)[:2]), seconds)

    def take_away(self, piece):
        """A piece lying outside the circle is picked up and taken off the table. No fact.

        For a piece inside: lift and carry_out (facts lifted, hand_out).
        """
        if not piece.outside:
            piece = yield from self.lift(piece)
        else:
            self.contacts.part(piece)
            piece.id, piece.outside, piece.leaning = 0, False, False
            self.grip(piece)
            piece.grip = TOUCHING_GRIP
        yield from self.carry_out(piece, np.degrees(np.arctan2(piece.xy[1], piece.xy[0])))

    def place_red(self, xy=(0.0, 0.0), face=+1):
        """Bring the red disc and set it on the dot. Fact: placed red. Returns its Piece."""
        piece = self.new_disc(face, is_red=True)
        yield from self.carry_in(piece, xy)
        yield from self.set_flat(piece, xy)
        return piece

    def leans_over(self, leaner):
        """Resting pieces on the far side of a leaner's contact point, near enough to carry it: the
        nearest, and those hardly farther."""
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

    def _lower(self, piece, goal, axis, seconds):
        """From the air to a pose on the mat, first sideways, then down; still in the hand."""
        start, start_axis = piece.centre.copy(), piece.axis.copy()
        sideways = np.hypot(*(goal - start)[:2])
        seconds = max(seconds, reach_seconds(sideways, 300.0) / 0.6)

        def show(p):
            across, down = minimum_jerk(p / 0.6), minimum_jerk((p - 0.25) / 0.75)
            piece.centre = start + np.array([across, across, down]) * (goal - start)
            piece.axis = turned(start_axis, axis, minimum_jerk(p))
            piece.grip = 1.0 - (1.0 - TOUCHING_GRIP) * minimum_jerk((p - 0.5) / 0.5)

        yield from self.animate(seconds, show)

    def _set_down(self, piece, xy, seconds):
        tilt = self.condition.crease_tilt_deg * self.rng.uniform()
        azimuth = self.rng.uniform(-180.0, 180.0)
        z = rest_height_mm(piece) + piece.radius_mm * np.sin(np.radians(tilt))
        axis = upward_normal(tilt, azimuth) * piece.face
        yield from self._lower(piece, np.array([xy[0], xy[1], z]), axis, seconds)

        def release(t_us):
            self.let_go(piece)
            self._note_placed(piece, t_us)

        yield from self.animate(0.0, lambda p: None, release)

    def _note_placed(self, piece, t_us):
        self._name(piece)
        self.truth.add_piece("placed", t_us, piece, shape=piece.shape)

    def _name(self, piece):
        if not piece.id:  # set down on the line, or red: its centre never crossed the circle
            piece.id = self.truth.new_id()

    def _split(self, tower, discs):
        """The top `discs` of `tower` as a Piece of their own."""
        count = len(tower.discs)
        keep = slice(0, count - discs) if tower.face > 0 else slice(discs, count)
        take = slice(count - discs, count) if tower.face > 0 else slice(0, discs)
        centres = tower.disc_centres(tower.centre, tower.axis)
        top = type(tower)(tower.discs[take], tower.face, centres[take][0])
        top.axis = tower.axis.copy()
        top.id = self.truth.new_id()
        tower.discs, tower.anchor, tower.centre = tower.discs[keep], 0, centres[keep][0]
        self.enter(top)
        return top

    def _raise(self, piece, height_mm, seconds, stayed=()):
        """Take hold of a resting piece and raise it; notes `lifted` and, once clear, `parted`."""
        self.truth.add_piece(
            "lifted", self.t_us - self.frame_us, piece, others=stayed, tilt_deg=piece.tilt_deg
        )
        self.grip(piece)
        piece.grip, piece.leaning = 0.0, False
        piece.unclaimed_stack = False
        left = self.contacts.part(piece)
        ids = tuple(sorted([piece.id, *(p.id for p in left)]))
        goal = np.array([*piece.xy, height_mm + piece.below * piece.thickness_mm])
        axis = np.array([0.0, 0.0, float(piece.face)])
        yield from self.reach(piece, goal, axis, seconds)
        if left:
            self.truth.add("parted", self.t_us - self.frame_us - seconds * 5e5, others=ids)


def _single(piece):
    if len(piece.discs) > 1:
        raise ValueError("only a single disc can be set to lean; set a stack with set_tower")
