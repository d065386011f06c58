"""A mat whose perception reads from a script: the engine's referee, wire and lights are real."""

from dataclasses import dataclass, field

import numpy as np

from polarity import facts as f
from polarity.facts import Fact
from polarity.perception.body import HELD, RESTING
from polarity.perception.tracker import Tracker
from polarity_host.mats.description import load_mat
from polarity_host.replay.engine import build_engine, raw_counts
from polarity_host.simulation.port.sim_mat import SimMat

MAT = load_mat("standard")
WHITE_MM = {2: (-60, -60), 3: (42, -78), 4: (-120, -90), 5: (0, -140), 6: (120, -110)}
BLACK_MM = {7: (84, -36), 8: (-60, 80), 9: (40, 90), 10: (130, 70), 11: (-140, 40)}
KISS_MM = (60, -60)  # where 3 lies after it has jumped to 7: a diameter from it
HOVER_MM, HOVER_Z_MM = (-20, 30), 40
SECOND = 1000


@dataclass
class Body:
    """What the engine asks of a body."""

    id: int
    x: float
    y: float
    face: int
    shape: str = "flat"
    discs: int = 1
    tilt: int = 0
    azimuth: int = 0
    z: float = 3.0
    state: int = RESTING
    out_told: bool = False  # that it lies outside the circle

    @property
    def is_red(self):
        return self.shape == "red"

    @property
    def pose(self):
        return (0, 0, int(self.z * 256) - MAT_SENSOR_Z_Q8)

    def spot_cmm(self, radius):
        return round(self.x * 100), round(self.y * 100)

    def tilt_deg(self):
        return self.tilt

    def azimuth_deg(self):
        return self.azimuth


MAT_SENSOR_Z_Q8 = round(float(MAT.sensor_xyz_mm[0, 2]) * 256)


@dataclass
class Script:
    """Steps at times of the mat's clock: (t_ms, what). What is a Fact or a function of bodies."""

    steps: list = field(default_factory=list)
    t_ms: int = SECOND

    def at(self, after_ms, *what):
        self.t_ms += after_ms
        self.steps += [(self.t_ms, one) for one in what]


class Scripted(Tracker):
    """Sees nothing for itself: does what the script says when its time has come."""

    def __init__(self, mat, script):
        super().__init__(mat)
        self._steps = sorted(script.steps, key=lambda step: step[0])
        self.ready = True

    def step(self, t_ms, counts, waiting=0):
        seen = []
        while self._steps and self._steps[0][0] <= t_ms:
            at_ms, what = self._steps.pop(0)
            if callable(what):
                what(self)
            else:
                what.t_ms = at_ms
                seen.append(what)
        self.scene.facts = seen
        return seen

    def hand_over(self):
        self.scene.flying.clear()  # which fly in the script only
        super().hand_over()


def lies(body):
    def done(tracker):
        scene = tracker.scene
        scene.bodies = [other for other in scene.bodies if other.id != body.id] + [body]
        scene.flying = [other for other in scene.flying if other.id != body.id]

    return done


def flies(body):
    body.state = HELD

    def done(tracker):
        scene = tracker.scene
        scene.flying = [other for other in scene.flying if other.id != body.id] + [body]

    return done


def gone(number):
    def done(tracker):
        for kept in (tracker.scene.bodies, tracker.scene.flying):
            kept[:] = [body for body in kept if body.id != number]

    return done


def fact(kind, body, others=(), d=0.0, **more):
    x, y = body.spot_cmm(0)
    values = {"face": body.face, "discs": body.discs, "shape": body.shape, "tilt": body.tilt}
    return Fact(kind, 0, body.id, others, x=x, y=y, d=round(d * 100), **{**values, **more})


def carried(script, number, face, start, end, after_ms=100):
    """A hand brings a disc in and moves it in a straight line, 20 steps of 50 ms."""
    for k in range(21):
        x, y = (a + (b - a) * k / 20 for a, b in zip(start, end))
        body = Body(number, x, y, face, z=60 - k)
        script.at(after_ms if k == 0 else 50, flies(body))
        if k == 4:
            script.at(0, fact(f.HAND_IN, body))
    return body


def game() -> Script:
    """Set-up; white leans 12 over 2; black makes 3 jump to 7, a fault; white's hand hovers."""
    script = Script()
    red = Body(1, 0, 0, 1, "red")
    script.at(0, lies(red), fact(f.PLACED, red))
    for number, (x, y) in {**WHITE_MM, **BLACK_MM}.items():
        body = Body(number, x, y, 1 if number in WHITE_MM else -1)
        script.at(200, lies(body), fact(f.PLACED, body))
    carried(script, 12, 1, (-60, -230), (-85, -60))
    leaner = Body(12, -96, -60, 1, "leaner", tilt=40, azimuth=180)
    script.at(200, lies(leaner), fact(f.PLACED, leaner, (2,)))
    hand = carried(script, 13, -1, (230, 60), (100, -40), 1000)
    x, y = WHITE_MM[3]
    moved = ((KISS_MM[0] - x) ** 2 + (KISS_MM[1] - y) ** 2) ** 0.5
    for k in range(1, 5):
        share = k / 4
        mid = Body(3, x + (KISS_MM[0] - x) * share, y + (KISS_MM[1] - y) * share, 1)
        script.at(40, flies(mid))
    kissing = Body(3, *KISS_MM, 1)
    touching = fact(f.CONTACT, kissing, (3, 7), shape="kiss", discs=2)
    script.at(100, lies(kissing), fact(f.SHIFTED, kissing, d=moved), touching)
    script.at(600, fact(f.HAND_OUT, hand), gone(13))
    hover = carried(script, 14, 1, (-230, 30), HOVER_MM, 2500)
    hover.z = HOVER_Z_MM
    script.at(1700, flies(hover))
    return script


def counts():
    """A raw frame: bare, but for the sensor nearest to the centre, which counts more."""
    frame = np.full(MAT.n, MAT.zero_count, "<u2")
    nearest = np.argmin(np.hypot(*MAT.sensor_xyz_mm[:, :2].T))
    frame[nearest] += round(20 * MAT.counts_per_mt)
    return raw_counts(frame)


def scripted_mat(script=None, speed=0.0, boot=77) -> SimMat:
    """The mat of a script; when that is over it stays, and takes commands."""
    script = script or game()
    engine = build_engine("standard", boot_id=boot)
    engine.game.tracker = Scripted(engine.mat, script)
    frame = counts()
    frames = ((t_ms * 1000, frame) for t_ms in range(0, script.t_ms + 100, 10))
    mat = SimMat(engine, frames, speed=speed, stays=True)
    return mat


def stacked() -> Script:
    """The game up to black's fault, by which 3 jumps onto 7: white owes a tower in his colour. No
    hand of white's comes in; only a disc outside the circle is in flight."""
    script = game()
    hand_in = next(t for t, what in script.steps if isinstance(what, Fact) and what.piece == 14)
    flew = [t for t, what in script.steps if isinstance(what, Fact) and what.kind == f.CONTACT]
    before = [step for step in script.steps if step[0] < flew[0]]
    script = Script(before, flew[0])
    assert hand_in > flew[0]
    tower = Body(3, *BLACK_MM[7], 1, "tower", discs=2)
    touching = fact(f.CONTACT, tower, (3, 7), shape="stack")
    script.at(0, gone(7), lies(tower), touching)
    script.at(600, fact(f.HAND_OUT, Body(13, 100, -40, -1)), gone(13))
    script.at(1000, flies(Body(14, -20, 240, 1, z=HOVER_Z_MM)))
    return script
