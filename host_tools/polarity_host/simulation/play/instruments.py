"""What the sensors of a world measure: its discs as they are, creases and trays."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from polarity_host.mats.description import Mat
from polarity_host.replay.recording import Counts
from polarity_host.simulation.twin.condition import MatCondition
from polarity_host.simulation.twin.field import DiscPose, Move
from polarity_host.simulation.twin.instruments import Instruments
from polarity_host.simulation.twin.jolts import displaced
from polarity_host.simulation.twin.motion import Vector, heading
from polarity_host.simulation.twin.pieces import TwinDisc
from polarity_host.simulation.twin.reserves import place_of_stack
from polarity_host.simulation.twin.truth import LETTER, TruthLog

from .body import Body, BodyState

CREASED_MM = 1.0  # a disc that has moved so far lies in another crease


class WorldInstruments(Instruments):
    """Instruments that measure bodies, and the discs in the trays beside the mat."""

    def __init__(self, mat: Mat, seed: int, condition: MatCondition, truth: TruthLog):
        super().__init__(mat, seed, condition, truth)
        self._mat = mat
        self._creases = np.random.default_rng([seed, 8])
        self._creased: dict[Body, tuple[tuple[float, float], Vector]] = {}
        # disc -> (centre, axis) as the field has it
        self._shown: dict[TwinDisc, tuple[tuple[float, ...], tuple[float, ...]]] = {}

    def counts(
        self, t_us: int, bodies: Sequence[Body], trays: Mapping[str, Sequence[TwinDisc]]
    ) -> Counts:
        """(n,) counts of the frame at `t_us`, with these bodies, and discs in `trays` by side."""
        moves = self._moves(t_us, bodies, trays)
        return self.measure([t_us], [moves], self.wrists_now(bodies))[0]

    # ---- where discs are
    def _moves(
        self, t_us: int, bodies: Sequence[Body], trays: Mapping[str, Sequence[TwinDisc]]
    ) -> list[Move]:
        """The discs that have moved since the last frame, or are gone."""
        now = self._in_trays(trays)
        displacement = self.jolts.at(t_us)
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
        thickness_mm = self._mat.disc.thickness_mm
        there = {}
        for face in (1, -1):
            x, y, _ = place_of_stack(self._mat, face, gap_mm).tolist()
            for k, one in enumerate(trays[LETTER[face]]):
                there[one] = (x, y, (k + 0.5) * thickness_mm), (0.0, 0.0, float(face))
        return there
