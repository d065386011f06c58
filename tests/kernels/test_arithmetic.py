"""The small kernels: exact, by brute force, against numpy, or worked by hand."""

import math
from array import array
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarity.kernels import _reference as kernels
from tests.kernels.conftest import Bench

BENCHES = {name: Bench(name) for name in ("standard", "small")}


def ints(*values):
    return array("i", values)


@given(st.integers(0, 2**31 - 1))
def test_isqrt_is_exact(v):
    assert kernels.isqrt(v) == math.isqrt(v)


@given(st.integers(0, 46340), st.integers(-1, 1))
def test_isqrt_is_exact_around_squares(root, step):
    v = max(0, root * root + step)
    assert kernels.isqrt(v) == math.isqrt(v)


# ---------------------------------------------------------------- sensors near a place
@given(
    st.sampled_from(sorted(BENCHES)),
    st.floats(-260, 260),
    st.floats(-260, 260),
    st.floats(1, 140),
)
def test_near_is_every_sensor_within_the_radius(name, x_mm, y_mm, radius_mm):
    data = BENCHES[name].data
    x, y, radius = round(256 * x_mm), round(256 * y_mm), round(256 * radius_mm)
    index = array("H", [0] * data.N)
    count = kernels.near(index, data.GRID, data.GRID_SIDE, data.PITCH, x, y, radius, data.N)
    found = list(index[:count])
    assert len(set(found)) == count
    away = [math.hypot(a - x, b - y) for a, b in zip(data.SENSOR_X, data.SENSOR_Y)]
    slack = 48  # 0.2 mm: lengths are shortened to 1/64 mm, and their root is a floor
    for i, d in enumerate(away):
        if d <= radius - slack:
            assert i in found
        elif d > radius + slack:
            assert i not in found


def test_near_stops_at_its_limit():
    data = BENCHES["standard"].data
    index = array("H", [7] * 12)
    assert kernels.near(index, data.GRID, data.GRID_SIDE, data.PITCH, 0, 0, 60 << 8, 10) == 10
    assert list(index[10:]) == [7, 7]
    assert 7 not in index[:10]


def test_near_the_centre_by_hand():
    """Pitch 22 mm: within 25 mm of the centre are five sensors, the lowest row first."""
    data = BENCHES["standard"].data
    index = array("H", [0] * 9)
    assert kernels.near(index, data.GRID, data.GRID_SIDE, data.PITCH, 0, 0, 25 << 8, 9) == 5
    places = [(data.SENSOR_X[i] // 256, data.SENSOR_Y[i] // 256) for i in index[:5]]
    assert places == [(0, -22), (-22, 0), (0, 0), (22, 0), (0, 22)]


# ---------------------------------------------------------------- a frame
def test_scan_by_hand():
    """2 µT a count: gain is in µT per 1/16 count, Q14, so 2/16 of 16384."""
    gain, n = 2 * 16384 // 16, 5
    counts = array("H", [1000, 1010, 990, 99, 2001])
    offset = ints(*[16 * 1000] * n)
    base = ints(0, 5, -30, 0, 0)
    field, resid = ints(*[77] * n), ints(*[88] * n)
    moving = ints(*[9] * n)
    peak = kernels.scan(
        counts, offset, ints(*[gain] * n), base, field, resid, moving, bytes(n), n, 100, 2000
    )
    # the last two are saturated: what they show is the least that their fields may be
    assert list(field) == [0, 20, -20, -1802, 2002]
    assert list(resid) == [0, 15, 10, 0, 0]
    assert list(moving) == [0, 0, 0, kernels.SATURATED, kernels.SATURATED]
    assert peak == 15


def test_scan_tells_the_largest_of_either_sign():
    gain = 2 * 16384 // 16
    field, resid, moving = ints(0, 0), ints(0, 0), ints(0, 0)
    peak = kernels.scan(
        array("H", [1010, 970]), ints(16000, 16000), ints(gain, gain), ints(0, 0), field, resid,
        moving, bytes(2), 2, 0, 4095,
    )  # fmt: skip
    assert (peak, list(resid)) == (60, [20, -60])


def test_scan_expects_noise_of_a_noisy_sensor_and_nothing_of_a_broken_one():
    """27 x 16 µT rms: three sigma are 1296 µT, of which `surprise` takes a 16th of `moving`."""
    field, resid, moving = ints(0, 0, 0), ints(0, 0, 0), ints(0, 0, 0)
    kernels.scan(
        array("H", [1010] * 3), ints(0, 0, 0), ints(1024, 1024, 1024), ints(0, 0, 0), field, resid,
        moving, bytes((kernels.QUIET_NOISE, 27, kernels.BROKEN)), 3, 0, 4095,
    )  # fmt: skip
    assert list(moving) == [0, 16 * 1296, kernels.SATURATED]
    assert list(resid) == [1010, 1010, 0]


def test_scan_at_the_limits_still_counts():
    field, resid, moving = ints(1, 1), ints(1, 1), ints(1, 1)
    kernels.scan(
        array("H", [100, 2000]), ints(0, 0), ints(1024, 1024), ints(0, 0), field, resid, moving,
        bytes(2), 2, 100, 2000,
    )  # fmt: skip
    assert list(field) == [100, 2000]


def test_scan_of_a_real_mat_gives_microtesla():
    """+10 mT is 1489 counts above zero, whatever the gain's own format."""
    for bench in BENCHES.values():
        data, mat = bench.data, bench.mat
        counts = array("H", [round(mat.zero_count + 10 * mat.counts_per_mt)])
        field, resid, moving = ints(0), ints(0), ints(0)
        gain = (data.UT_PER_COUNT_Q16 >> 6) * data.WHITE_UP_SIGN
        kernels.scan(
            counts, ints(data.ZERO_COUNT << 4), ints(gain), ints(0), field, resid, moving,
            bytes(1), 1, data.COUNT_MIN, data.COUNT_MAX,
        )  # fmt: skip
        assert field[0] == pytest.approx(10_000, rel=1e-3)


def test_follow_goes_a_64th_of_the_way_where_it_is_quiet():
    base, moving, field = ints(*[100] * 7), ints(0, 0, 0, 0, 0, 0, 64), ints(*[0] * 5, 64, 0)
    bias, resid = array("h", [0] * 7), ints(64, -64, 31, 349, 350, 350, 64)
    kernels.follow(base, bias, resid, moving, field, bytes(7), 7, 350)
    # 64/64, -64/64, (31 + 32) >> 6 = 0, (349 + 32) >> 6 = 5, at the limit: nothing; 64/64 of a µT
    # more of it in a field; and where something moves nothing
    assert list(base) == [101, 99, 100, 105, 100, 105, 100]
    assert list(bias) == [0] * 7


def test_what_drifts_below_a_disc_is_the_gain_of_its_field():
    """4 mT and 1 % are the 40 µT by which an offset may drift (0.15 mV/°C, 15 mV/mT, 4 °C)."""
    base, bias = ints(4095, -4091, 64, 50_000), array("h", [0, 5, 0, 31_999])
    field, resid = ints(4159, -4731, 128, 50_640), ints(64, -640, 64, 640)
    kernels.follow(base, bias, resid, ints(0, 0, 0, 0), field, bytes(4), 4, 700)
    assert list(base) == [4096, -4101, 65, 50_010]
    assert list(bias) == [0, 5 - 10, 0, 32_009]


def test_noise_makes_no_bias():
    """For minutes beside a disc, in 4.1 mT, with the noise of a bad input (2 LSB: 0.1 mT)."""
    draw = Random(1)
    for true_ut in range(4040, 4160, 8):
        base, bias = ints(true_ut), array("h", [0])
        for _ in range(20_000):
            field = ints(true_ut + round(draw.gauss(0, 100)))
            kernels.follow(base, bias, ints(field[0] - base[0]), ints(0), field, bytes(1), 1, 350)
        assert abs(base[0] - true_ut) < 50
        assert abs(bias[0]) < 50


def test_surprise_is_what_stands_out_most():
    resid, moving, field = ints(300, -900, 1000, 500), ints(0, 0, 1600, 0), ints(0, 0, 0, 0)
    # 1000 - 1600/16 = 900 is not beyond 900: the first of them stays
    assert kernels.surprise(resid, moving, field, 4, 350) == 1
    moving[1] = 160
    assert kernels.surprise(resid, moving, field, 4, 350) == 2
    assert kernels.surprise(resid, moving, field, 4, 900) == -1
    assert kernels.surprise(ints(350, -350), ints(0, 0), field, 2, 350) == -1
    field[2] = -64 * 20  # a strong field's gain error: 900 - 20 is less than 890
    assert kernels.surprise(resid, moving, field, 4, 350) == 1


def test_a_bulge_is_a_mean_of_neighbours_beyond_their_noise():
    grid = array("H", range(25))  # five by five, a sensor on every crossing
    resid, moving, field = ints(*[0] * 25), ints(*[0] * 25), ints(*[0] * 25)
    for i in (6, 7, 8, 11, 12, 13, 16, 17, 18):
        resid[i] = -180
    assert kernels.bulge(resid, moving, field, grid, 5, 160) == 12
    assert kernels.bulge(resid, moving, field, grid, 5, 180) == -1
    for i in range(25):
        moving[i] = 128 * 15  # noisy ones: the mean has to be the larger
    assert kernels.bulge(resid, moving, field, grid, 5, 164) == 12
    assert kernels.bulge(resid, moving, field, grid, 5, 165) == -1
    moving[12] = kernels.SATURATED  # one that says nothing does not count, the other eight do
    resid[12] = 5000
    assert kernels.bulge(resid, moving, field, grid, 5, 160) == 12
    for i in (6, 7, 8, 11):  # only four are left round the middle, six round the one below it
        field[i] = 8192
    assert kernels.bulge(resid, moving, field, grid, 5, 75) != 12


def left_over(target, own, weight, coarse):
    total = ints(*own)
    kernels.weighted(total, ints(*target), array("B", weight), coarse, len(own))
    return list(total)


def test_what_is_left_is_cut_and_weighed():
    """Weight 1 and coarse 2 shift by 3; what is longer is cut at 4095."""
    assert left_over((80, 80, -90000), (0, 0, 0), (0, 1, 0), 2) == [20, 10, -4095]
    assert left_over((80, 75, 90000), (0, -5, 0), (0, 1, 0), 0) == [80, 40, 4095]
    assert kernels.squares(ints(80, 40, -4095, 7), 3) == 80**2 + 40**2 + 4095**2


def test_adding_at_an_index():
    target, index, values = ints(0, 10, 20, 30), array("H", [3, 1]), ints(5, -7)
    kernels.add_at(target, index, values, 2, 1)
    assert list(target) == [0, 3, 20, 35]
    kernels.add_at(target, index, values, 2, -1)
    assert list(target) == [0, 10, 20, 30]
    kernels.add_size(target, index, values, 2, 1)
    assert list(target) == [0, 17, 20, 35]
    kernels.add_size(target, index, values, 2, -1)
    assert list(target) == [0, 10, 20, 30]
    kernels.add_at(target, index, values, 1, 1)
    assert list(target) == [0, 10, 20, 35]


def test_cost_and_mismatch_by_hand():
    """(64 µT)^2: 640 is 10, 6400 with weight 1 is 50, 10^6 is cut at 511."""
    index, weight = array("H", [0, 1, 2]), array("B", [0, 1, 0])
    resid = ints(640, 6400, -1_000_000)
    assert kernels.cost(resid, index, weight, 3) == 100 + 2500 + 511**2
    assert kernels.cost(resid, index, weight, 2) == 2600
    assert kernels.mismatch(resid, index, ints(640, 0, 0), weight, 2) == 2500
    assert list(resid) == [640, 6400, -1_000_000]


# ---------------------------------------------------------------- normal equations
def test_normal_equations_by_hand():
    """Two sensors, two parameters, after one of another body. J = (3 5; -2 4), r = (10, 20)."""
    a, b = ints(*[99] * 6), ints(77, 0, 0)
    kernels.normal_equations(a, b, ints(3, -2, 5, 4), 2, [10, 20], 2, 1)
    # 9+4 and 15-8, 25+16, and 2 on the diagonal; 30-40, 50+80
    assert list(a) == [99, 99, 13 + 2, 99, 7, 41 + 2]
    assert list(b) == [77, -10, 130]


def test_rows_are_shifted_and_cut():
    rows = ints(80, -90000, 7, -81, 16, 7)
    kernels.shift_rows(rows, 3, [3, 0], 2)
    assert list(rows) == [10, -4095, 7, -11, 16, 7]


@given(st.integers(0, 2**32 - 1))
def test_the_blocks_are_those_of_the_dense_system(seed):
    """Three bodies, some sensors of theirs shared: numpy's J^T J of all parameters at all
    sensors, 0 where a body does not look."""
    rng = np.random.default_rng(seed)
    sensors, stride, free = 30, 12, (5, 2, 4)
    dense = np.zeros((sensors, sum(free)), int)
    left = rng.integers(-4095, 4096, sensors)
    a, b = ints(*[0] * 66), ints(*[0] * 11)
    bodies, first = [], 0
    for params in free:
        own = rng.choice(sensors, int(rng.integers(3, stride + 1)), replace=False)
        values = rng.integers(-4095, 4096, (params, len(own)))
        dense[np.ix_(own, range(first, first + params))] = values.T
        rows = ints(*np.pad(values, ((0, 0), (0, stride - len(own)))).ravel().tolist())
        kernels.normal_equations(a, b, rows, stride, [int(left[i]) for i in own], params, first)
        for its_own, its, its_params, its_first in bodies:
            both = [(j, k) for j, i in enumerate(own) for k, m in enumerate(its_own) if i == m]
            kernels.coupling(a, rows, its, stride, both, params, its_params, first, its_first)
        bodies.append((own, rows, params, first))
        first += params
    expected = dense.T @ dense + 2 * np.eye(first, dtype=int)
    assert list(a) == expected[np.tril_indices(first)].tolist()
    assert list(b) == (dense.T @ left).tolist()


# ---------------------------------------------------------------- the solver
def solve(matrix, right, damping=0):
    n = len(right)
    a = ints(*[int(v) for v in np.array(matrix)[np.tril_indices(n)]])
    delta = ints(*[0] * n)
    kernels.solve(
        a, ints(*[int(v) for v in right]), n, damping, delta, ints(*[0] * n), ints(*[0] * len(a))
    )
    return np.array(delta) / 256


def test_solve_by_hand():
    """A diagonal: 400 x = 800, 100 y = -50."""
    assert solve([[400, 0], [0, 100]], [800, -50]) == pytest.approx([2.0, -0.5], abs=0.02)


def test_a_parameter_that_nobody_sees_stays():
    found = solve([[40000, 0], [0, 0]], [80000, 0])
    assert found == pytest.approx([2.0, 0.0], abs=0.02)


def test_damping_shortens_the_step():
    """160/16384 is 1 % on the diagonal."""
    full, damped = solve([[10000]], [100000])[0], solve([[10000]], [100000], damping=1638)[0]
    assert full == pytest.approx(10.0, rel=0.01)
    assert damped == pytest.approx(10.0 / 1.1, rel=0.01)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([2, 3, 4, 5, 10, 15]),
    st.floats(100, 400),
)
def test_solve_is_numpys_on_well_conditioned_systems(seed, params, size):
    """Slopes of some hundred units at 96 sensors and steps of up to three: as a fit sees them."""
    rng = np.random.default_rng(seed)
    jacobian = np.rint(rng.normal(0, size, (96, params)))
    truth = rng.uniform(-3, 3, params)
    right = np.rint(jacobian.T @ (jacobian @ truth))
    matrix = jacobian.T @ jacobian
    expected = np.linalg.solve(matrix, right)
    found = solve(matrix, right)
    # Q14 against the size of the scaled right-hand side: 1/16384 of it each term, some terms
    assert np.abs(found - expected).max() < 0.03 + 0.01 * np.abs(expected).max()


@given(st.integers(0, 2**32 - 1))
def test_five_bodies_that_share_some_sensors_are_solved_as_numpy_does(seed):
    """Each sees 36 of 128 sensors, of which it shares 13 with the one before."""
    rng = np.random.default_rng(seed)
    jacobian = np.zeros((128, 25))
    for body in range(5):
        seen = slice(23 * body, 23 * body + 36)
        jacobian[seen, 5 * body : 5 * body + 5] = np.rint(rng.normal(0, 200, (36, 5)))
    truth = rng.uniform(-3, 3, 25)
    found = solve(jacobian.T @ jacobian, np.rint(jacobian.T @ (jacobian @ truth)))
    assert np.abs(found - truth).max() < 0.06


def test_a_step_too_long_for_its_words_is_cut_and_keeps_its_direction():
    found = solve([[10_000**2, 0], [0, 100**2]], [10 * 10_000**2, 100**2])
    assert 3.0 < found[0] < 3.4  # 32767 / 10000: the right-hand side over the root of the diagonal
    assert found[1] == pytest.approx(1.0, abs=0.02)
