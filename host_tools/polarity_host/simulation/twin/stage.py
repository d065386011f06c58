"""The stage: a scripted game, frame by frame, as the sensors of one mat measure it.

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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.replay.recording import Counts

from .condition import MatCondition
from .field import DiscPose, Move
from .hand_actions import HandActions
from .instruments import Instruments
from .jolts import Displacement, displaced
from .motion import Vector
from .pieces import Piece, TwinDisc
from .stage_state import Action

_Scene = TypeVar("_Scene")
_Measured = TypeVar("_Measured")


@dataclass(frozen=True)
class PieceState:
    """Where a piece truly is in one frame, tremble included. `x_mm`, `y_mm`, `z_mm`: its lowest
    disc's centre; `contact_xy` is the place that a fact reports for a leaner."""

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
    contact_xy: tuple[float, float]


class Stage(HandActions):
    """Time, pieces and truth of one scripted game, and its counts.

    `seed` draws the mat, the discs and every tremble: the same seed and script give the same
    counts. `mat_seed` draws the electronics alone (default: `seed`), for several games on one mat.

    A script may read `t_us` (time of the frame the next yield makes), `pieces` (all Pieces inside
    or near the mat, held or resting) and `truth`. It must not change a Piece itself.
    """

    def __init__(
        self,
        mat: Mat,
        seed: int = 0,
        condition: MatCondition | None = None,
        mat_seed: int | None = None,
    ):
        # piece at rest -> (centre, axis, discs) as the field has them
        self._shown: dict[Piece, tuple[Vector, Vector, list[TwinDisc]]] = {}
        self._gone: list[TwinDisc] = []  # discs taken off the table since the frame before
        self._radius_before: dict[Piece, float] = {}  # distance from the centre in the frame before
        self._red_is_off = False
        self._displaced: Displacement | None = None  # by jolts, in the frame being made
        super().__init__(mat, seed, condition)
        self.instruments = Instruments(mat, seed, self.condition, self.truth, mat_seed)

    def scene(self) -> tuple[PieceState, ...]:
        """PieceStates of all pieces at the frame just made."""
        return tuple(self._state(piece) for piece in self.pieces)

    def leave(self, piece: Piece) -> None:
        """`piece` is far away now; it has no id any more."""
        self._gone += piece.discs
        super().leave(piece)

    def forget(self, piece: Piece) -> None:
        """`piece` is no piece of its own any more."""
        super().forget(piece)
        self._radius_before.pop(piece, None)
        self._shown.pop(piece, None)

    # ---- frames -----------------------------------------------------------------------------

    def stream(self, script: Action, chunk_frames: int = 50) -> Iterator[tuple[int, Counts]]:
        """Yield (t_us, counts) for every frame of the script; counts: uint16 array of n sensors.

        Frames are made `chunk_frames` at a time, so the stage's own state runs ahead of what a
        caller has received; `stream_scenes` gives the state that belongs to a frame.
        """
        measure = self.instruments.measure
        for t_us, counts, _ in self._frames(script, chunk_frames, _nothing, measure):
            yield t_us, counts

    def stream_scenes(
        self, script: Action, chunk_frames: int = 50
    ) -> Iterator[tuple[int, Counts, tuple[PieceState, ...]]]:
        """Yield (t_us, counts, scene) for every frame: `stream` with the true PieceStates."""
        yield from self._frames(script, chunk_frames, self.scene, self.instruments.measure)

    def stream_times(self, script: Action, chunk_frames: int = 50) -> Iterator[int]:
        """Yield t_us of every frame without computing its counts: for the truth alone."""
        for t_us, _, _ in self._frames(script, chunk_frames, _nothing, _measure_nothing):
            yield t_us

    def _frames(
        self,
        script: Action,
        chunk_frames: int,
        scene_now: Callable[[], _Scene],
        measure: Callable[
            [Sequence[int], Sequence[Sequence[Move]], Sequence[Sequence[Vector]]],
            Iterable[_Measured],
        ],
    ) -> Iterator[tuple[int, _Measured, _Scene]]:
        times: list[int] = []
        moves: list[list[Move]] = []
        wrists: list[list[Vector]] = []
        scenes: list[_Scene] = []
        running = True
        while running:
            try:
                next(script)
            except StopIteration:
                running = False
            else:
                self._displaced = self.instruments.jolts.at(self.t_us)
                times.append(self.t_us)
                moves.append(self._moves())
                wrists += self.instruments.wrists_now(self.pieces)
                lying = sum(piece.id > 0 and not piece.held for piece in self.pieces)
                self.instruments.note(self.t_us - self.frame_us, self.t_us, lying)
                self.t_us += self.frame_us
                scenes.append(scene_now())
            if times and (len(times) == chunk_frames or not running):
                for frame in zip(times, measure(times, moves, wrists), scenes):
                    if not self.instruments.drops_frame(frame[0]):
                        yield frame
                times, moves, wrists, scenes = [], [], [], []

    def _moves(self) -> list[Move]:
        """Discs whose pose differs from the frame before, and crossings on the way."""
        moves = [Move(disc, None) for disc in self._gone]
        self._gone = []
        jolted = self.instruments.jolts.shaking(self.t_us)
        for piece in self.pieces:
            now = piece.centre, piece.axis, piece.discs
            before = self._shown.pop(piece, (None, None, None))
            if piece.grip == 0.0:
                self._shown[piece] = now
                if not jolted and all(a is b for a, b in zip(now, before)):
                    continue
            centre, axis = self._pose(piece, self.t_us)
            self._check_circle(piece, centre)
            for disc, place in zip(piece.discs, piece.disc_centres(centre, axis)):
                moves.append(Move(disc, DiscPose(place, axis)))
        return moves

    def _pose(self, piece: Piece, t_us: int) -> tuple[Vector, Vector]:
        """(centre, axis) of a piece on the mat at `t_us`: with tremble and jolts."""
        centre, axis = piece.pose(t_us / 1e6)
        if self._displaced is None:
            return centre, axis
        return displaced(piece, centre, axis, self._displaced)

    def _state(self, piece: Piece) -> PieceState:
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

    def _on_mat(self, xy: tuple[float, float]) -> tuple[float, float]:
        """Where a place of the script is on the mat, which may have slipped."""
        if self._displaced is None:
            return xy
        x, y = np.add(xy, self._displaced.slip_mm[:2]).tolist()
        return x, y

    # ---- truth ------------------------------------------------------------------------------

    def _check_circle(self, piece: Piece, centre: Vector) -> None:
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
                piece.set_id(self.truth.new_id())
                self._note_crossing("hand_in", piece, centre, before, now, circle)
            elif before <= circle < now and piece.id:
                self._note_crossing("hand_out", piece, centre, before, now, circle)
                piece.set_id(0)
        elif before <= circle + piece.radius_mm < now and not piece.leaning:
            piece.lies_outside()
            self._note_crossing("left_circle", piece, centre, before, now, circle + piece.radius_mm)

    def _note_crossing(
        self, kind: str, piece: Piece, centre: Vector, before: float, now: float, radius: float
    ) -> None:
        t_us = self.t_us - self.frame_us * (now - radius) / (now - before)
        scale = radius / now
        x, y, z = (float(v) for v in (centre[0] * scale, centre[1] * scale, centre[2]))
        height = {"z_mm": z} if piece.held else {}
        self.truth.add_piece(kind, t_us, piece, x_mm=x, y_mm=y, **height)


def _nothing() -> None:
    """No scene."""


def _measure_nothing(
    times_us: Sequence[int],
    moves: Sequence[Sequence[Move]],
    wrists_mm: Sequence[Sequence[Vector]],
) -> Iterable[None]:
    return [None] * len(times_us)
