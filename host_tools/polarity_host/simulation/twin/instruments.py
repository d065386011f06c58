"""What measures a simulated game, whatever moves its discs: the mat's electronics, and all that
disturbs a mat. One condition means the same for a script and for physics.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from polarity_host.mats.description import Mat

from .condition import MatCondition
from .field import Move, SceneField
from .jolts import Jolts
from .motion import Vector
from .sensors import SensorArray
from .surroundings import Surroundings
from .truth import TruthLog
from .wristwatch import Worn, Wrists

JOLT_SHOWS_ON = 3  # pieces that lie: fewer that shake could as well have been touched


class Instruments:
    """The electronics of one mat and its surroundings. Frames must come in order.

    `seed` draws what disturbs it, `mat_seed` the electronics alone (default: `seed`). Nuisances are
    noted in `truth`; a jolt is a fact.
    """

    def __init__(
        self,
        mat: Mat,
        seed: int,
        condition: MatCondition,
        truth: TruthLog,
        mat_seed: int | None = None,
    ):
        self._condition = condition
        self._truth = truth
        self._frame_s = 1.0 / mat.frame_hz
        self.surroundings = Surroundings(mat, condition, seed)
        self.sensors = SensorArray(
            mat, seed if mat_seed is None else mat_seed, condition, self.surroundings
        )
        self.field = SceneField(mat.sensor_xyz_mm, condition.watch_radius_mm)
        self.wrists = Wrists(mat) if condition.watch_radius_mm else None
        self.jolts = Jolts(condition, seed)
        self._drops = np.random.default_rng([seed, 5])
        self._note_condition()

    def measure(
        self,
        times_us: Sequence[int],
        moves: Sequence[Sequence[Move]],
        wrists_mm: Sequence[Sequence[Vector]],
    ) -> NDArray[np.uint16]:
        """Counts (frames, n) of frames at these times: what has moved in each, and the wrists."""
        return self.sensors.counts(times_us, self.field.frames(moves, wrists_mm))

    def wrists_now(self, pieces: Iterable[Worn]) -> list[list[Vector]]:
        """The wrists of one frame as `measure` takes them; no frame's where there are no watches.
        To be called once a frame."""
        return [self.wrists.step(pieces, self._frame_s)] if self.wrists else []

    def note(self, after_us: int, until_us: int, lying: int) -> None:
        """Notes what came from outside between these times, while so many pieces lay."""
        for t_us, name, fields in self.surroundings.happened(after_us, until_us):
            self._truth.note(name, t_us, **fields)
        for t_us in self.jolts.times_us(after_us, until_us):
            if lying >= JOLT_SHOWS_ON:
                self._truth.add("jolt", t_us)
            else:
                self._truth.note("jolt_unseen", t_us)
        displacement = self.jolts.at(until_us)
        if displacement:
            self._truth.slip(displacement.slip_mm)

    def drops_frame(self, t_us: int) -> bool:
        """Whether this frame is missing from the stream. To be called once a frame."""
        dropped = bool(self._drops.random() < self._condition.dropped_frames)
        if dropped:
            self._truth.note("frame_dropped", t_us)
        return dropped

    def _note_condition(self) -> None:
        """The condition, where it is not the usual one, and what was drawn for it."""
        usual = MatCondition()
        own = {k: v for k, v in vars(self._condition).items() if v != getattr(usual, k)}
        if own:
            dead, stuck = self.sensors.dead.tolist(), self.sensors.stuck.tolist()
            self._truth.note("condition", 0, **own, dead=dead, stuck=stuck)
