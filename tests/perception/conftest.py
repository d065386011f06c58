"""Plays a script on the twin's stage through a Tracker; what was told beside what was so."""

from array import array

import numpy as np
import pytest

from polarity import mat_data
from polarity.perception.tracker import Tracker
from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.world import World
from polarity_host.simulation.players.motions import Motions
from polarity_host.simulation.players.skill import CAREFUL
from polarity_host.simulation.twin.stage import Stage


class Told:
    """One played script: `facts` as the tracker told them, `seen_ms[i]` the frame that told
    facts[i], the `truth` (TruthFacts) beside them; `tracker` and `stage` as they stand at the end.
    """

    def __init__(self, stage, tracker):
        self.stage, self.tracker = stage, tracker
        self.facts, self.seen_ms = [], []

    @property
    def truth(self):
        return self.stage.truth.facts

    def kinds(self):
        """What was told, in order, the carriage of discs left out."""
        return [f.kind for f in self.facts if f.kind not in ("hand_in", "hand_out")]

    def only(self, kind, **fields):
        """The one fact of this kind (with these fields); AssertionError if there are not one."""
        found = [
            f
            for f in self.facts
            if f.kind == kind and all(getattr(f, k) == v for k, v in fields.items())
        ]
        assert len(found) == 1, f"{len(found)} x {kind} {fields} in {self.facts}"
        return found[0]

    def so(self, kind, **fields):
        """The one true fact of this kind (with these fields)."""
        (found,) = [
            f
            for f in self.truth
            if f.kind == kind and all(getattr(f, k) == v for k, v in fields.items())
        ]
        return found

    def step(self, t_ms, counts):
        """One frame into the tracker."""
        for fact in self.tracker.step(t_ms, array("H", counts.astype("<u2").tobytes())):
            self.facts.append(fact)
            self.seen_ms.append(t_ms)


class Physics(Told):
    """As Told, of what happens in a `world` of physics."""

    def __init__(self, seed, condition=None):
        self.world = World(load_mat("standard"), seed, condition)
        super().__init__(self.world, Tracker(mat_data.load("standard"), has_red=False))

    def frame(self):
        t_us, counts = self.world.step()
        self.step(t_us // 1000, counts)


class ByHand(Physics):
    """What one hand does in such a world."""

    def __init__(self, seed, condition=None):
        super().__init__(seed, condition)
        self.motions = Motions(self.world, "a hand", 0.0, CAREFUL, np.random.default_rng(1))
        self.run(self.motions.wait(0.5))

    def run(self, motion):
        for _ in motion:
            self.frame()

    def set_down(self, side, xy, tilt_deg=0.0):
        """A disc comes in, and is set down there, tipped like that until it is let go of."""
        self.world.take(self.motions.hand, side)
        self.run(self.motions.carry(xy, 80.0))
        if tilt_deg:
            self.run(self.motions.carry(xy, 25.0))
            self.motions.hand.aim(tilt=tilt_deg, azimuth=0.0)
            self.run(self.motions.wait(0.3))
        self.run(self.motions.set_down())
        self.run(self.motions.wait(1.0))


def away_mm(fact, truth):
    """Distance between where a fact says that a piece is and where it is."""
    return float(np.hypot(fact.x / 100 - truth.x_mm, fact.y / 100 - truth.y_mm))


@pytest.fixture
def play():
    """play(script, seed=1, mat="standard", condition=None, has_red=False, tracker=None) -> Told.

    `script(stage)` is a generator as Stage wants it. Without a red disc every disc that comes
    in is announced.
    """

    def run(script, seed=1, mat="standard", condition=None, has_red=False, tracker=None):
        stage = Stage(load_mat(mat), seed, condition)
        told = Told(stage, tracker or Tracker(mat_data.load(mat), has_red))
        for t_us, counts in stage.stream(script(stage)):
            told.step(t_us // 1000, counts)
        return told

    return run
