"""Nothing in the kernels leaves 32 bits, so that a machine's integers give the same numbers."""

from array import array

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polarity.kernels._records import EACH, MOST_SENSORS
from polarity.kernels._reference import (
    body_field,
    body_gradient,
    normal_equations,
    shift_rows,
    solve,
    squares,
    tangents,
    triangle,
    weighted,
)
from polarity.perception.pose import new_pose, set_axis
from tests.kernels.conftest import Bench, leaner_height_mm

BENCHES = {name: Bench(name) for name in ("standard", "small")}
LIMIT = 2**31


class Word(int):
    """An int whose sums, products and shifts must fit into 32 bits, as every operand does."""

    def __index__(self):
        return int(self)


def _checked(name):
    plain = getattr(int, name)

    def operation(self, *other):
        v = plain(self, *other)
        if v is NotImplemented:
            return v
        if not -LIMIT <= v < LIMIT:
            raise OverflowError(f"{int(self)} {name} {other} = {v}")
        return Word(v)

    return operation


for _name in ("add", "sub", "mul", "lshift", "rshift", "floordiv", "and", "or"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(Word, _form, _checked(_form))
Word.__neg__ = _checked("__neg__")


class Words(list):
    """A buffer of Words, as an array is one of ints: what is stored must fit."""

    def __init__(self, values):
        super().__init__(Word(v) for v in values)

    def __setitem__(self, i, v):
        if not -LIMIT <= v < LIMIT:
            raise OverflowError(f"stored {v}")
        super().__setitem__(i, Word(v))


WORDS = {
    name: {
        "x": Words(bench.data.SENSOR_X),
        "y": Words(bench.data.SENSOR_Y),
        "table": Words(bench.data.FIELD_TABLE),
    }
    for name, bench in BENCHES.items()
}


def test_a_word_notices_what_does_not_fit():
    for wrong in (
        lambda: Word(2**30) + Word(2**30),
        lambda: Word(-(2**31)) - 1,
        lambda: 65536 * Word(32768),
        lambda: Word(1) << 31,
        lambda: -Word(-(2**31)),
    ):
        try:
            wrong()
        except OverflowError:
            continue
        raise AssertionError("not noticed")
    assert type(Word(3) * 5 + 1 >> 1) is Word


@st.composite
def poses(draw):
    """A mat and a body where it can be: on the mat, leaning, or held near it and far away."""
    name = draw(st.sampled_from(sorted(BENCHES)))
    bench = BENCHES[name]
    disc, data = bench.mat.disc, bench.data
    discs = draw(st.sampled_from([1, 1, 1, 2, 5, 8]))
    pose = new_pose(data.DISC_THICKNESS, discs)
    edge = bench.mat.circle_radius_mm + 220
    at_sensor = draw(st.booleans())  # extremes are where an axis goes through a sensor
    if at_sensor:
        i = draw(st.integers(0, data.N - 1))
        pose[0] = data.SENSOR_X[i] + draw(st.integers(-40, 40))
        pose[1] = data.SENSOR_Y[i] + draw(st.integers(-40, 40))
    else:
        pose[0] = round(256 * draw(st.floats(-edge, edge)))
        pose[1] = round(256 * draw(st.floats(-edge, edge)))
    tilt, azimuth = draw(st.floats(0, 180)), draw(st.floats(-180, 180))
    if draw(st.booleans()):
        tilt = draw(st.sampled_from([0.0, 90.0, 180.0]))
    t, a = np.radians([tilt, azimuth])
    axis = (np.sin(t) * np.cos(a), np.sin(t) * np.sin(a), np.cos(t))
    set_axis(pose, *(int(round(16000 * v)) for v in axis))
    lowest = leaner_height_mm(tilt, disc) + (discs - 1) * disc.thickness_mm / 2 * abs(np.cos(t))
    height = lowest + draw(st.sampled_from([0.0, 0.0, 5.0, 30.0, 80.0, 200.0, 395.0]))
    pose[2] = round(256 * height) - data.SENSOR_Z
    pose[6] = draw(st.integers(868, 1180))  # what a fit lets a moment be
    return name, pose


def sensors_near(bench, pose, count):
    """The sensors nearest to the body: the others see less."""
    data = bench.data
    away = np.hypot(np.array(data.SENSOR_X) - pose[0], np.array(data.SENSOR_Y) - pose[1])
    return Words(np.argsort(away)[:count].tolist())


@settings(max_examples=150)
@given(poses())
def test_the_field(drawn):
    name, pose = drawn
    bench, words = BENCHES[name], WORDS[name]
    near, out = sensors_near(bench, pose, 24), Words([0] * 24)
    body_field(out, near, 24, words["x"], words["y"], words["table"], Words(pose))
    plain = array("i", [0] * 24)
    data = bench.data
    body_field(plain, near, 24, data.SENSOR_X, data.SENSOR_Y, data.FIELD_TABLE, pose)
    assert list(out) == list(plain)


@settings(max_examples=150)
@given(poses(), st.sampled_from([0, 2, 3]), st.sampled_from([0, 2, 3]))
def test_the_slopes_and_the_step(drawn, wide, coarse):
    """From the gradient by the normal equations to the solved step."""
    name, pose = drawn
    bench, words = BENCHES[name], WORDS[name]
    count, free = 24, 5
    near, own = sensors_near(bench, pose, count), Words([0] * count)
    rows, tangent = Words([0] * free * count), array("i", [0] * 6)
    tangents(pose, tangent)
    body_gradient(
        own, rows, count, near, count, words["x"], words["y"], words["table"], Words(pose),
        Words(tangent), wide,
    )  # fmt: skip
    weight = Words([0 if abs(v) < 6000 else 1 if abs(v) < 20000 else 2 for v in own])
    target = Words([v + 3000 * (-1) ** j for j, v in enumerate(own)])
    a, b = Words([0] * triangle(free)), Words([0] * free)
    weighted(own, target, weight, coarse, count)
    shift_rows(rows, count, [w + coarse for w in weight], free)
    normal_equations(a, b, rows, count, own, free, 0)
    for k in range(free):
        a[triangle(k) + k] += 48
    solve(a, b, free, 160, Words([0] * free), Words([0] * free), Words([0] * triangle(free)))


def test_the_fullest_system_of_all():
    """128 sensors, every residual cut at its limit, and a body's 48 with every slope at its own:
    128 x 4095^2 is below 2^31."""
    left = Words([0] * MOST_SENSORS)
    weighted(left, Words([90000] * MOST_SENSORS), Words([0] * MOST_SENSORS), 0, MOST_SENSORS)
    assert squares(left, MOST_SENSORS) == 128 * 4095**2
    params = 25
    rows = Words([(-1) ** (k * j) * 30000 for k in range(params) for j in range(EACH)])
    shift_rows(rows, EACH, [Word(0)] * EACH, params)
    a, b = Words([0] * triangle(params)), Words([0] * params)
    normal_equations(a, b, rows, EACH, left[:EACH], params, 0)
    assert a[0] == EACH * 4095**2 + 2
    solve(a, b, params, 160, Words([0] * params), Words([0] * params), Words([0] * len(a)))


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 5, 15]))
def test_solving_whatever_comes(seed, params):
    """Any symmetric matrix that sums of cut products can make, well conditioned or not."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 10 ** rng.uniform(0, 3.6), (96, params)) * 10 ** rng.uniform(-2, 0, params)
    if rng.random() < 0.3:
        rows[:, -1] = rows[:, 0]
    rows = np.clip(np.rint(rows), -4095, 4095)
    right = np.clip(np.rint(rng.normal(0, 4000, 96)), -4095, 4095)
    a = Words((rows.T @ rows).astype(int)[np.tril_indices(params)].tolist())
    b = Words((rows.T @ right).astype(int).tolist())
    solve(a, b, params, 160, Words([0] * params), Words([0] * params), Words([0] * len(a)))
