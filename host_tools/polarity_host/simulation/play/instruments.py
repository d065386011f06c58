"""What the sensors of a world measure: its discs as they are, and all that disturbs a mat.

Fields, sensors, converter and nuisances are those of the scripted stage (`twin`): one condition
means the same for both.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.replay.recording import Counts
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.field import DiscPose, Move, SceneField
from polarity_host.simulation.twin.jolts import Jolts, displaced
from polarity_host.simulation.twin.motion import Vector, heading
from polarity_host.simulation.twin.pieces import TwinDisc
from polarity_host.simulation.twin.reserves import RIGHT_OF_HAND_DEG
from polarity_host.simulation.twin.sensors import SensorArray
from polarity_host.simulation.twin.stage import JOLT_SHOWS_ON
from polarity_host.simulation.twin.surroundings import Surroundings
from polarity_host.simulation.twin.truth import TruthLog
from polarity_host.simulation.twin.wristwatch import Wrists

from .body import RESTING, Body, BodyState

TRAYS_DEG = {"w": -90.0 + RIGHT_OF_HAND_DEG, "b": 90.0 + RIGHT_OF_HAND_DEG}
FACES = {"w": 1.0, "b": -1.0}
CREASED_MM = 1.0  # a disc that has moved so far lies in another crease


class Instruments:
    """The electronics of one mat and its surroundings. Frames must come in order.

    What disturbs the mat is noted in `truth`; a jolt is a fact.
    """

    def __init__(self, mat: Mat, seed: int, condition: MatCondition, truth: TruthLog):
        self._mat = mat
        self._condition = condition
        self._truth = truth
        self._surroundings = Surroundings(mat, condition, seed)
        self._sensors = SensorArray(mat, seed, condition, self._surroundings)
        self._field = SceneField(mat.sensor_xyz_mm, condition.watch_radius_mm)
        self._wrists = Wrists(mat) if condition.watch_radius_mm else None
        self._jolts = Jolts(condition, seed)
        self._drops = np.random.default_rng([seed, 5])
        self._creases = np.random.default_rng([seed, 8])
        self._creased: dict[Body, tuple[tuple[float, float], Vector]] = {}
        # disc -> (centre, axis) as the field has it
        self._shown: dict[TwinDisc, tuple[tuple[float, ...], tuple[float, ...]]] = {}
        self._note_condition()

    def counts(
        self, t_us: int, bodies: Sequence[Body], trays: Mapping[str, Sequence[TwinDisc]]
    ) -> Counts:
        """(n,) counts of the frame at `t_us`, with these bodies, and discs in `trays` by side."""
        moves = self._moves(t_us, bodies, trays)
        wrists = [self._wrists.step(bodies, 1.0 / self._mat.frame_hz)] if self._wrists else []
        return self._sensors.counts([t_us], self._field.frames([moves], wrists))[0]

    def happened(self, t_us: int, bodies: Sequence[Body], frame_us: int) -> None:
        """Notes what came from outside in the frame that ends at `t_us`."""
        for at_us, name, fields in self._surroundings.happened(t_us - frame_us, t_us):
            self._truth.note(name, at_us, **fields)
        for at_us in self._jolts.times_us(t_us - frame_us, t_us):
            if sum(b.state in RESTING for b in bodies) >= JOLT_SHOWS_ON:
                self._truth.add("jolt", at_us)
            else:
                self._truth.note("jolt_unseen", at_us)
        displacement = self._jolts.at(t_us)
        if displacement:
            self._truth.slip(displacement.slip_mm)

    def drops_frame(self, t_us: int) -> bool:
        """Whether this frame is missing from the stream."""
        share = self._condition.dropped_frames
        dropped = share > 0.0 and bool(self._drops.random() < share)
        if dropped:
            self._truth.note("frame_dropped", t_us)
        return dropped

    def _note_condition(self) -> None:
        """The condition, where it is not the usual one, and what was drawn for it."""
        usual = MatCondition()
        own = {k: v for k, v in vars(self._condition).items() if v != getattr(usual, k)}
        if own:
            dead, stuck = self._sensors.dead.tolist(), self._sensors.stuck.tolist()
            self._truth.note("condition", 0, **own, dead=dead, stuck=stuck)

    # ---- where discs are
    def _moves(
        self, t_us: int, bodies: Sequence[Body], trays: Mapping[str, Sequence[TwinDisc]]
    ) -> list[Move]:
        """The discs that have moved since the last frame, or are gone."""
        now = self._in_trays(trays)
        displacement = self._jolts.at(t_us)
        for body in bodies:
            centre, axis = self._pose(body)
            if displacement and body.state is not BodyState.HELD:
                centre, axis = displaced(body, centre, axis, displacement)
            middle = (len(body.discs) - 1) / 2
            for k, disc in enumerate(body.discs):
                place = centre + (k - middle) * disc.thickness_mm * axis
                now[disc] = tuple(place.tolist()), tuple(axis.tolist())
        moves = [Move(disc, None) for disc in self._shown if disc not in now]
        for disc, (centre, axis) in now.items():
            if self._shown.get(disc) != (centre, axis):
                moves.append(Move(disc, DiscPose(np.array(centre), np.array(axis))))
        self._shown = now
        return moves

    def _pose(self, body: Body) -> tuple[Vector, Vector]:
        """(centre, axis): a disc that lies in a crease of the mat is tipped a little."""
        centre, axis = np.array(body.centre), np.array(body.axis)
        most = self._condition.crease_tilt_deg
        if not most or body.state is not BodyState.LYING:
            return centre, axis
        known = self._creased.get(body)
        if known is None or math.dist(known[0], body.centre[:2]) > CREASED_MM:
            tilt = math.radians(most * self._creases.uniform())
            lean = math.sin(tilt) * heading(self._creases.uniform(-180.0, 180.0))
            known = body.centre[:2], lean
            self._creased[body] = known
        axis = axis + known[1]
        axis /= np.linalg.norm(axis)
        centre[2] -= min(0.0, body.lowest_mm(centre, axis))
        return centre, axis

    def _in_trays(
        self, trays: Mapping[str, Sequence[TwinDisc]]
    ) -> dict[TwinDisc, tuple[tuple[float, ...], tuple[float, ...]]]:
        """The discs of the reserves, where the mat has them beside it: one stack a side."""
        gap_mm = self._condition.reserve_gap_mm
        if not gap_mm:
            return {}
        disc = self._mat.disc
        reach = self._mat.circle_radius_mm + gap_mm + disc.diameter_mm / 2
        there = {}
        for side, azimuth in TRAYS_DEG.items():
            x, y, _ = (reach * heading(azimuth)).tolist()
            for k, one in enumerate(trays[side]):
                there[one] = (x, y, (k + 0.5) * disc.thickness_mm), (0.0, 0.0, FACES[side])
        return there
