"""A mat that is played on, on a computer that is too slow for it."""

import time
from types import SimpleNamespace

from polarity_host.simulation.port.sim_mat import LATE_S, SimMat
from tests.fake_engine import FakeEngine


def test_it_goes_on_in_real_time_and_does_not_hurry_after_what_it_missed():
    clock = [0.0]
    made = []

    def frames():
        for k in range(300):
            if k == 100:
                clock[0] += 5.0  # the computer did something else
            made.append(clock[0])
            yield k * 10_000, None

    engine = FakeEngine(end_at=10_000)
    hands = SimpleNamespace(hurries=False)
    mat = SimMat(engine, frames(), speed=1.0, clock=lambda: clock[0], hand_game=hands)
    mat._pause_until = lambda moment: clock.__setitem__(0, max(clock[0], moment))
    mat.attach()
    while len(made) < 300:
        time.sleep(0.01)
        mat.read(4096, 0)
    mat.unplug()
    steps = [b - a for a, b in zip(made[101:], made[102:])]
    assert min(steps) > 0.009  # a frame's time, each
    assert made[-1] < 3.0 + 5.0 + LATE_S
