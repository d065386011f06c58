"""Time, discs and pieces of a stage: what its actions work on, and what a script may ask."""

from collections.abc import Callable, Collection, Generator
from typing import Any, TypeAlias

import numpy as np

from polarity_host.mats.description import Mat

from .condition import MatCondition
from .motion import Place, Tremble, Vector, minimum_jerk, turned
from .pieces import Piece, TwinDisc, leaner_pose, rest_height_mm
from .truth import TouchGraph, TruthLog

Action: TypeAlias = Generator[None, None, None]
"""Yields once a frame until it is done. One that returns something has a type of its own."""

SIDE_DEG = {1: -90.0, -1: 90.0}  # azimuth of the side of the table where this colour's player sits
AWAY_MM = 220.0  # how far outside the circle hands come from and go to


class StageState:
    """One mat with its pieces, at one moment. Actions derive from it: see Stage."""

    def __init__(self, mat: Mat, seed: int = 0, condition: MatCondition | None = None):
        self.mat = mat
        self.condition = condition or MatCondition()
        self.truth = TruthLog()
        self.contacts = TouchGraph()
        self.pieces: list[Piece] = []
        self.frame_us = 1_000_000 // mat.frame_hz
        self.t_us = 0
        self.rng = np.random.default_rng([seed, 3])
        self._disc_rng = np.random.default_rng([seed, 4])

    # ---- what a script may ask --------------------------------------------------------------

    def new_disc(self, face: int, is_red: bool = False) -> Piece:
        """A fresh disc with its own moment, held, outside the mat, `face` up."""
        share = self._disc_rng.normal(1.0, self.condition.moment_sigma)
        dimensions = self.mat.red_disc if is_red else self.mat.disc
        disc = TwinDisc(dimensions, share, self.mat.disc.white_up_counts, is_red)
        piece = Piece([disc], face, (0.0, -self.mat.circle_radius_mm - AWAY_MM, 100.0))
        self.grip(piece)
        return piece

    def appear(
        self,
        face: int,
        xy: Place,
        discs: int = 1,
        is_red: bool = False,
        azimuth_deg: float = 0.0,
        tilt_deg: float | None = None,
    ) -> Piece:
        """A piece lies there from the next frame on, brought by no hand and without a fact.

        With a tilt it leans, its low rim at `xy`: see leaner_pose.
        """
        piece = self.new_disc(face, is_red)
        piece.restack([*piece.discs, *(self.new_disc(face).discs[0] for _ in range(discs - 1))])
        self.let_go(piece)
        piece.set_id(self.truth.new_id())
        if tilt_deg is None:
            piece.move_to((*xy, rest_height_mm(piece)))
        else:
            piece.set_leaning(True)
            piece.move_to(*leaner_pose(piece.discs[0], xy, azimuth_deg, tilt_deg, face))
        self.enter(piece)
        return piece

    def resting(self) -> list[Piece]:
        """Pieces at rest on the mat, without the red disc and what lies outside the circle."""
        return [p for p in self.pieces if not (p.held or p.outside or p.is_red)]

    @property
    def red(self) -> Piece | None:
        """The red disc's Piece, or None."""
        return next((piece for piece in self.pieces if piece.is_red), None)

    def nearest_gap_mm(self, xy: Place, ignore: Collection[Piece] = ()) -> float:
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

    def group_of(self, piece: Piece) -> list[Piece]:
        """Pieces that touch `piece` on the mat, itself included, by id."""
        return self.contacts.group(piece)

    # ---- time -------------------------------------------------------------------------------

    def together(self, *actions: Generator[None, None, Any]) -> Generator[None, None, list[Any]]:
        """Run several actions at once, frame by frame; returns the list of their results."""
        results: list[Any] = [None] * len(actions)
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

    def rest(self, seconds: float) -> Action:
        """Nothing is done for `seconds` (what a hand holds still trembles)."""
        for _ in range(round(seconds * self.mat.frame_hz)):
            yield

    def animate(
        self,
        seconds: float,
        show: Callable[[float], None],
        at_end: Callable[[float], None] | None = None,
    ) -> Generator[None, None, float]:
        """The pattern of every action: call `show(p)` with p from 0 to 1 over `seconds`.

        The motion starts at the frame just made and may end between two frames; `at_end`,
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

    # ---- for the actions --------------------------------------------------------------------

    def grip(self, piece: Piece) -> None:
        """A hand takes hold of `piece`."""
        piece.take_hold(Tremble(self.rng))

    def let_go(self, piece: Piece) -> None:
        """A hand lets go of `piece`: it is perfectly still from now on."""
        piece.let_go()

    def reach(self, piece: Piece, goal: Vector, axis: Vector, seconds: float) -> Action:
        """A hand moves what it holds to a pose: `goal` (3,) mm, `axis` a unit vector."""
        start, start_axis, start_grip = piece.centre.copy(), piece.axis.copy(), piece.grip

        def show(p: float) -> None:
            q = minimum_jerk(p)
            piece.move_to(start + q * (goal - start), turned(start_axis, axis, q))
            piece.set_grip(start_grip + min(1.0, 3 * p) * (1.0 - start_grip))

        yield from self.animate(seconds, show)

    def enter(self, piece: Piece) -> None:
        """`piece` is brought near the mat."""
        if piece not in self.pieces:
            self.pieces.append(piece)

    def leave(self, piece: Piece) -> None:
        """`piece` is far away now; it has no id any more."""
        self.contacts.part(piece)
        self.forget(piece)
        piece.leave()

    def forget(self, piece: Piece) -> None:
        """`piece` is no piece of its own any more."""
        self.pieces.remove(piece)
