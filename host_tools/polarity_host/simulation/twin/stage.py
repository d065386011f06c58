"""The stage: time, discs and pieces of a virtual mat, and the scripted actions that move them.

A script is a generator that yields once a frame. Actions are generators too, so a script reads

    def script(stage):
        yield from stage.rest(0.6)                       # the bare mat
        yield from stage.place_red()
        disc = stage.new_disc(+1)                        # white up, in the hand, outside the mat
        yield from stage.carry_in(disc, (40, -60))
        yield from stage.set_flat(disc, (40, -60))
        yield from stage.rest(0.5)

    stage = Stage(load_mat(), seed=1)
    for t_us, counts in stage.stream(script(stage)):
        ...
    stage.truth.facts                                    # what really happened

Millimetres from the circle's centre, z up from the mat; degrees; microseconds.
Faces: +1 white up, -1 black up. Sides of the table: "w" at azimuth -90 deg, "b" at +90 deg.
"""

from dataclasses import dataclass

import numpy as np

from .condition import MatCondition
from .field import SceneField
from .hand_actions import AWAY_MM, HandActions
from .jolts import Jolts, wobbled
from .magnet_actions import MagnetActions
from .motion import Tremble
from .pieces import Piece, TwinDisc
from .reserves import Reserves
from .sensors import SensorArray
from .surroundings import Surroundings
from .truth import TouchGraph, TruthLog
from .wristwatch import Wrists


@dataclass(frozen=True)
class PieceState:
    """Where a piece truly is in one frame, tremble included. `x_mm`, `y_mm`, `z_mm`: its lowest
    disc's centre; for a leaner `contact_xy` is what a fact would tell."""

    id: int
    shape: str
    face: int
    discs: int
    held: bool
    x_mm: float
    y_mm: float
    z_mm: float
    tilt_deg: float
    azimuth_deg: float
    contact_xy: tuple


JOLT_SHOWS_ON = 3  # pieces that lie: fewer that shake may as well have been touched


class Stage(HandActions, MagnetActions):
    """Time, pieces and truth of one scripted game. Its actions: HandActions and MagnetActions.

    `condition` is a MatCondition, `seed` draws the mat, the discs and every tremble: the same seed
    and script give the same counts. `mat_seed` draws the electronics alone (default: `seed`), for
    several games on one mat.

    A script may read `t_us` (time of the frame the next yield makes), `pieces` (all Pieces inside
    or near the mat, held or resting) and `truth`. It must not change a Piece itself.
    """

    def __init__(self, mat, seed=0, condition=None, mat_seed=None):
        self.mat = mat
        self.condition = condition or MatCondition()
        self.truth = TruthLog()
        self.contacts = TouchGraph()
        self.pieces = []
        self.frame_us = 1_000_000 // mat.frame_hz
        self.t_us = 0
        self.surroundings = Surroundings(mat, self.condition, seed)
        self.sensors = SensorArray(
            mat, seed if mat_seed is None else mat_seed, self.condition, self.surroundings
        )
        self.field = SceneField(mat.sensor_xyz_mm, self.condition.watch_radius_mm)
        self.wrists = Wrists(mat) if self.condition.watch_radius_mm else None
        self.jolts = Jolts(self.condition, seed)
        self.rng = np.random.default_rng([seed, 3])
        self._disc_rng = np.random.default_rng([seed, 4])
        self._drop_rng = np.random.default_rng([seed, 5])
        self._shown = {}  # piece at rest -> (centre, axis, discs) as the field knows them
        self._gone = []  # discs taken off the table since the frame before
        self._radius_before = {}  # piece -> distance from the centre in the frame before
        self._red_is_off = False
        self._displaced = None  # (slip, shake) of the jolts in the frame being made
        self.reserves = Reserves(self)
        self._note_what_is()

    # ---- what a script may ask --------------------------------------------------------------

    def new_disc(self, face, is_red=False):
        """A fresh disc with its own moment, held, outside the mat, `face` up. -> Piece"""
        share = self._disc_rng.normal(1.0, self.condition.moment_sigma)
        dimensions = self.mat.red_disc if is_red else self.mat.disc
        disc = TwinDisc(dimensions, share, self.mat.disc.white_up_counts, is_red)
        piece = Piece([disc], face, (0.0, -self.mat.circle_radius_mm - AWAY_MM, 100.0))
        self.grip(piece)
        return piece

    def resting(self):
        """Pieces at rest on the mat, the red disc and what lies outside the circle left out."""
        return [p for p in self.pieces if not (p.held or p.outside or p.is_red)]

    @property
    def red(self):
        """The red disc's Piece, or None."""
        return next((piece for piece in self.pieces if piece.is_red), None)

    def nearest_gap_mm(self, xy, ignore=()):
        """Rim to rim distance from a flat disc put at `xy` to the nearest resting piece (mm).

        A leaner counts with its whole footprint as a flat disc would. Infinity if there is none.
        """
        gaps = [
            np.hypot(p.centre[0] - xy[0], p.centre[1] - xy[1])
            - p.radius_mm
            - self.mat.disc.diameter_mm / 2
            for p in self.pieces
            if not p.held and p not in ignore
        ]
        return float(min(gaps, default=np.inf))

    def group_of(self, piece):
        """Pieces that touch `piece` on the mat, itself included, by id. -> list"""
        return self.contacts.group(piece)

    def scene(self):
        """PieceStates of all pieces at the frame just made."""
        return tuple(self._state(piece) for piece in self.pieces)

    # ---- time -------------------------------------------------------------------------------

    def together(self, *actions):
        """Run several actions at once, frame by frame; returns the list of their results."""
        results = [None] * len(actions)
        live = dict(enumerate(actions))
        while live:
            for i in list(live):
                try:
                    next(live[i])
                except StopIteration as stop:
                    results[i] = stop.value
                    del live[i]
            if live:
                yield
        return results

    def rest(self, seconds):
        """Nothing is done for `seconds` (what a hand holds still trembles)."""
        for _ in range(round(seconds * self.mat.frame_hz)):
            yield

    def animate(self, seconds, show, at_end=None):
        """The pattern of every action: call `show(p)` with p from 0 to 1 over `seconds`.

        The motion starts at the frame just made and ends between two frames if it must; `at_end`,
        called with that exact time (us) before the frame that shows p = 1, lets go and notes facts.
        Returns that time.
        """
        start_us = self.t_us - self.frame_us
        end_us = start_us + seconds * 1e6
        while self.t_us < end_us:
            show((self.t_us - start_us) / (end_us - start_us))
            yield
        show(1.0)
        if at_end:
            at_end(end_us)
        yield
        return end_us

    def stream(self, script, chunk_frames=50):
        """Yield (t_us, counts) for every frame of the script; counts: uint16 array of n sensors.

        Frames are made `chunk_frames` at a time, so the stage's own state runs ahead of what a
        caller has received; `stream_scenes` gives the state that belongs to a frame.
        """
        for t_us, counts, _ in self._play(script, chunk_frames, lambda: None):
            yield t_us, counts

    def stream_scenes(self, script, chunk_frames=50):
        """Yield (t_us, counts, scene) for every frame: `stream` with the true PieceStates."""
        yield from self._play(script, chunk_frames, self.scene)

    # ---- for the actions --------------------------------------------------------------------

    def grip(self, piece):
        """A hand takes hold of `piece`."""
        piece.tremble = Tremble(self.rng)
        piece.held, piece.grip = True, 1.0

    def let_go(self, piece):
        """A hand lets go of `piece`: it is perfectly still from now on."""
        piece.tremble, piece.held, piece.grip, piece.dragged = None, False, 0.0, False

    def enter(self, piece):
        """`piece` is brought near the mat."""
        if piece not in self.pieces:
            self.pieces.append(piece)

    def leave(self, piece):
        """`piece` is far away now; it has no id any more."""
        self.contacts.part(piece)
        self.forget(piece)
        self._gone += piece.discs
        piece.id, piece.outside = 0, False

    def forget(self, piece):
        """`piece` is no piece of its own any more."""
        self.pieces.remove(piece)
        self._radius_before.pop(piece, None)
        self._shown.pop(piece, None)

    def _play(self, script, chunk_frames, scene_now):
        times, moves, wrists, scenes, running = [], [], [], [], True
        while running:
            try:
                next(script)
            except StopIteration:
                running = False
            else:
                self._displaced = self.jolts.at(self.t_us)
                times.append(self.t_us)
                moves.append(self._moves())
                if self.wrists:
                    wrists.append(self.wrists.step(self.pieces, self.frame_us / 1e6))
                self._note_events()
                self.t_us += self.frame_us
                scenes.append(scene_now())
            if times and (len(times) == chunk_frames or not running):
                counts = self.sensors.counts(times, self.field.frames(moves, wrists))
                for frame in zip(times, counts, scenes):
                    if self._drop_rng.random() >= self.condition.dropped_frames:
                        yield frame
                    else:
                        self.truth.note("frame_dropped", frame[0])
                times, moves, wrists, scenes = [], [], [], []

    def _note_what_is(self):
        """The condition, where it is not the usual one, and what was drawn for it."""
        usual = MatCondition()
        own = {name: v for name, v in vars(self.condition).items() if v != getattr(usual, name)}
        if own:
            dead, stuck = (getattr(self.sensors, name).tolist() for name in ("dead", "stuck"))
            self.truth.note("condition", 0, **own, dead=dead, stuck=stuck)

    def _note_events(self):
        """What comes from outside in the frame being made."""
        before_us = self.t_us - self.frame_us
        for t_us, name, fields in self.surroundings.happened(before_us, self.t_us):
            self.truth.note(name, t_us, **fields)
        for t_us in self.jolts.times_us(before_us, self.t_us):
            if sum(piece.id > 0 and not piece.held for piece in self.pieces) >= JOLT_SHOWS_ON:
                self.truth.add("jolt", t_us)
            else:
                self.truth.note("jolt_unseen", t_us)
        if self._displaced:
            self.truth.slip_mm = self._displaced[0]

    def _state(self, piece):
        centre, axis = self._pose(piece, self.t_us - self.frame_us)
        lowest = centre - piece.below * piece.thickness_mm * axis * piece.face
        up = axis * piece.face
        return PieceState(
            id=piece.id,
            shape=piece.shape,
            face=piece.face,
            discs=len(piece.discs),
            held=piece.held,
            x_mm=float(lowest[0]),
            y_mm=float(lowest[1]),
            z_mm=float(lowest[2]),
            tilt_deg=float(np.degrees(np.arccos(min(1.0, abs(axis[2]))))),
            azimuth_deg=float(np.degrees(np.arctan2(up[1], up[0]))),
            contact_xy=self._on_mat(piece.contact_xy),
        )

    def _on_mat(self, xy):
        """Where a place of the script is on the mat, which may have slipped."""
        return xy if self._displaced is None else tuple(np.add(xy, self._displaced[0][:2]).tolist())

    def _pose(self, piece, t_us):
        """(centre, axis) of a piece on the mat at `t_us`: with tremble and jolts."""
        pose = piece.pose(t_us / 1e6)
        return pose if self._displaced is None else wobbled(piece, *pose, *self._displaced)

    def _moves(self):
        """Discs whose pose differs from the frame before, and crossings on the way."""
        moves = [(disc, None, None) for disc in self._gone]
        self._gone = []
        jolted = self.jolts.shaking(self.t_us)
        for piece in self.pieces:
            now = piece.centre, piece.axis, piece.discs
            before = self._shown.pop(piece, (None, None, None))
            if piece.grip == 0.0:
                self._shown[piece] = now
                if not jolted and all(a is b for a, b in zip(now, before)):
                    continue
            centre, axis = self._pose(piece, self.t_us)
            self._watch_circle(piece, centre)
            for disc, place in zip(piece.discs, piece.disc_centres(centre, axis)):
                moves.append((disc, place, axis))
        return moves

    def _watch_circle(self, piece, centre):
        """Note hand_in, hand_out, left_circle and red_off at the time of crossing."""
        now = float(np.hypot(centre[0], centre[1]))
        before = self._radius_before.get(piece, now)
        self._radius_before[piece] = now
        circle = self.mat.circle_radius_mm
        if piece.is_red:
            off = self.mat.dot_radius_mm + piece.radius_mm
            if not piece.held and not self._red_is_off and before <= off < now:
                self._red_is_off = True
                self._note_crossing("red_off", piece, centre, before, now, off)
        elif piece.held:
            if now < circle <= before and not piece.id:
                piece.id = self.truth.new_id()
                self._note_crossing("hand_in", piece, centre, before, now, circle)
            elif before <= circle < now and piece.id:
                self._note_crossing("hand_out", piece, centre, before, now, circle)
                piece.id = 0
        elif before <= circle + piece.radius_mm < now and not piece.leaning:
            piece.outside = True
            self._note_crossing("left_circle", piece, centre, before, now, circle + piece.radius_mm)

    def _note_crossing(self, kind, piece, centre, before, now, radius):
        t_us = self.t_us - self.frame_us * (now - radius) / (now - before)
        scale = radius / now
        x, y, z = (float(v) for v in (centre[0] * scale, centre[1] * scale, centre[2]))
        height = {"z_mm": z} if piece.held else {}
        self.truth.add_piece(kind, t_us, piece, x_mm=x, y_mm=y, **height)
