import pytest

from polarity_host.mats.description import load_mat
from polarity_host.simulation.play.body import BodyState
from polarity_host.simulation.play.world import World
from polarity_host.simulation.twin.condition import CLEAN


class Table:
    """A clean world, and short ways to do what tests do all the time."""

    def __init__(self, condition=CLEAN, seed=1, mat="standard"):
        self.world = World(load_mat(mat), seed, condition)
        self.hand = self.world.hand("a hand")

    def run(self, seconds):
        for _ in range(round(seconds * 100)):
            self.world.step()

    def put(self, side, x, y, face=None, discs=1):
        """A disc, or a tower, that lies there from now on, at once."""
        body = self.world.take(self.hand, side)
        self.hand.let_go()
        body.restack([*body.discs, *(self.world.reserves[side].pop() for _ in range(discs - 1))])
        face = face or (-1 if side == "b" else 1)
        body.axis, body.centre = (0.0, 0.0, float(face)), (float(x), float(y), body.height / 2)
        body.state, body.awake = BodyState.LYING, False
        return body

    def bring(self, side, x, y, z, tilt=0.0, azimuth=0.0):
        """A disc in the hand, held there."""
        body = self.world.take(self.hand, side)
        self.hand.tilt_goal, self.hand.azimuth_goal = tilt, azimuth
        self.hand.goal = (x, y, 60.0)
        self.run(1.0)
        self.hand.goal = (x, y, z)
        self.run(0.6)
        return body


@pytest.fixture
def table():
    return Table()
