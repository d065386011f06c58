"""A hand calibrates the twin's mat: it draws one disc over it in lines, then lays discs down.

    hand = CalibrationHand(load_mat(), seed=1)
    for t_us, counts in hand.frames():
        ...                       # first the bare mat
    hand.sensors.gain             # what a calibration ought to find
    hand.drawn_s                  # how long the drawing took

The disc lies on the mat while it is drawn: it slides along lines that are neither straight nor
evenly spaced, and tips a little under the finger.
"""

from collections.abc import Callable, Generator, Iterator

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.simulation.draw import one_of

from .carry_actions import TOUCHING_GRIP
from .condition import MatCondition
from .motion import heading, upward_normal
from .pieces import Piece
from .sites import XY
from .stage import Counts, Stage
from .stage_state import Action
from .truth import Record

BARE_S = 1.5
LINE_MM = 20.0  # between two lines, roughly
BESIDE_MM = 4.0  # how far from its line a hand strays
OVER_RIM_MM = 6.0  # the outermost sensors are this far inside the outermost lines
HAND_MM_S = (100.0, 160.0)  # mean speed along a line
EASE = 0.8  # share by which the speed at both ends of a line is below its mean
TIP_DEG = 1.0  # the finger tips the disc by up to this much
DRAG_GRIP = 0.3  # share of the hand's tremble in a disc that is pushed along the mat
PLACED = 3  # places where the drawn disc is laid with either face up
STACKS = 2
REST_S = 1.4
DONE_S = 6.0  # bare again, which ends it


class CalibrationHand:
    """One calibration to play: `frames()` yields (t_us, counts) once. `truth` grows meanwhile.

    `both_ways`: the lines are drawn once more across.
    """

    def __init__(
        self,
        mat: Mat,
        seed: int = 0,
        condition: MatCondition | None = None,
        edition: str = "",
        both_ways: bool = True,
    ):
        self.mat, self.seed = mat, seed
        self.edition = edition or mat.edition
        self.truth: list[Record] = []
        self.drawn_s = 0.0
        self.stage = Stage(mat, seed, condition)
        self.sensors = self.stage.instruments.sensors
        self._rng = np.random.default_rng([seed, 31])
        self._reach_mm = float(np.hypot(*mat.sensor_xyz_mm[:, :2].T).max()) + OVER_RIM_MM
        self._both_ways = both_ways
        self._may_begin: Callable[[], bool] = lambda: True
        self.disc = self.stage.new_disc(+1)  # the one that is drawn
        self.other = self.stage.new_disc(+1)  # the other one of the stacks

    def wait_for(self, may_begin: Callable[[], bool]) -> None:
        """The hand waits until this returns True. To be called before the first frame."""
        self._may_begin = may_begin

    def frames(self) -> Generator[tuple[int, Counts], None, None]:
        """Yield (t_us, counts) for every frame, once."""
        try:
            yield from self.stage.stream(self._script())
        finally:
            self.truth += [fact.to_json() for fact in self.stage.truth.facts]
            self.truth += self.stage.truth.nuisances

    # ---- the script
    def _script(self) -> Action:
        stage, disc = self.stage, self.disc
        while not self._may_begin():
            yield
        yield from stage.rest(BARE_S)
        for across in (False, True) if self._both_ways else (False,):
            lines = list(self._lines(across))
            yield from stage.carry_in(disc, lines[0][0], 30.0)
            begun_us = stage.t_us
            yield from self._draw(disc, lines)
            self.drawn_s += (stage.t_us - begun_us) / 1e6
            yield from stage.carry_to(disc, disc.xy, 60.0, speed_mm_s=250.0)
            yield from stage.carry_out(disc)
            yield from stage.rest(0.6)
        for face in (1, -1):
            for _ in range(PLACED):
                yield from self._lay(face)
        for _ in range(STACKS):
            yield from self._lay_stack(one_of(self._rng, (1, -1)))
        yield from stage.rest(DONE_S)

    def _lay(self, face: int) -> Action:
        disc = self.disc
        yield from self.stage.carry_in(disc, self._somewhere(), 45.0)
        yield from self.stage.set_tower(disc, self._somewhere(), face)
        yield from self._rest_and_go(disc)

    def _lay_stack(self, face: int) -> Action:
        """Both discs, stuck together in the hand, are laid down and taken away."""
        stack, top = self.disc, self.other
        stack.restack([*stack.discs, *top.discs])
        yield from self.stage.carry_in(stack, self._somewhere(), 45.0)
        yield from self.stage.set_tower(stack, self._somewhere(), face)
        yield from self._rest_and_go(stack)
        stack.restack(stack.discs[:1])

    def _rest_and_go(self, piece: Piece) -> Action:
        yield from self.stage.rest(REST_S)
        lifted = yield from self.stage.lift(piece)
        yield from self.stage.carry_out(lifted)
        yield from self.stage.rest(0.3)

    def _somewhere(self) -> XY:
        distance = 0.75 * self.mat.circle_radius_mm * np.sqrt(self._rng.uniform())
        x, y = (distance * heading(self._rng.uniform(0, 360))[:2]).tolist()
        return x, y

    def _lines(self, across: bool) -> Iterator[tuple[XY, XY]]:
        """(start, end) of each line, to and fro from one end of the mat to the other."""
        steps = int(np.ceil(2 * self._reach_mm / LINE_MM))
        places = np.linspace(-self._reach_mm, self._reach_mm, steps + 1)[1:-1]
        for number, place in enumerate(places):
            half = np.sqrt(self._reach_mm**2 - place**2)
            if number % 2:
                half = -half
            if across:
                yield (place, -half), (place, half)
            else:
                yield (-half, place), (half, place)

    def _draw(self, disc: Piece, lines: list[tuple[XY, XY]]) -> Action:
        stage = self.stage
        lying = np.array([*lines[0][0], disc.thickness_mm / 2])
        yield from stage.reach(disc, lying, np.array([0.0, 0.0, float(disc.face)]), 0.5)
        disc.set_grip(DRAG_GRIP, dragged=True)
        for start, end in lines:
            yield from self._slide(disc, start)
            yield from self._slide(disc, end)
        disc.set_grip(TOUCHING_GRIP)

    def _slide(self, disc: Piece, to_xy: XY) -> Action:
        rng = self._rng
        start = np.array(disc.xy)
        way = np.subtract(to_xy, start)
        length = float(np.hypot(*way))
        beside = np.array([-way[1], way[0]]) / max(length, 1e-9)
        strays = rng.uniform(-BESIDE_MM, BESIDE_MM, 2) * min(1.0, length / 100.0)
        tips = np.radians(TIP_DEG) * rng.uniform(-0.7, 0.7, (2, 2)) * min(1.0, length / 100.0)

        def show(p: float) -> None:
            q = p - EASE * np.sin(2 * np.pi * p) / (2 * np.pi)
            aside = strays[0] * np.sin(np.pi * q) + strays[1] * np.sin(2 * np.pi * q)
            tip = tips[0] * np.sin(np.pi * q) + tips[1] * np.sin(3 * np.pi * q)
            tilt = float(np.hypot(*tip))
            xy = start + q * way + aside * beside
            z = disc.thickness_mm / 2 * np.cos(tilt) + disc.radius_mm * np.sin(tilt)
            azimuth = np.arctan2(tip[1], tip[0])
            axis = disc.face * upward_normal(np.degrees(tilt), np.degrees(azimuth))
            disc.move_to([*xy, z], axis)

        yield from self.stage.animate(max(0.05, length / rng.uniform(*HAND_MM_S)), show)
