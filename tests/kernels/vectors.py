"""Every kernel over drawn inputs, on whatever runs this: a line of checksums each.

Plain Python for both runtimes; the drawing is its own, so that both draw the same.
"""

import gc
from array import array
from binascii import crc32

from polarity import kernels, mat_data
from polarity.perception.field import Field
from polarity.perception.fit import Fitter, Slot
from polarity.perception.pose import new_pose, set_axis, tangents
from polarity.perception.solver import Solver

SATURATED = 1 << 24


class Draw:
    """Numbers that are the same everywhere."""

    def __init__(self, seed):
        self.state = seed * 7919 + 12345

    def int(self, low, high):
        """low <= int <= high, for spans below 2**15 or by two steps above."""
        self.state = (self.state * 1103 + 12289) % 65521
        span = high - low + 1
        if span <= 65521:
            return low + self.state % span
        first = self.state
        self.state = (self.state * 1103 + 12289) % 65521
        return low + (first * 65521 + self.state) % span

    def array(self, kind, count, low, high):
        """So many numbers; of many only some are drawn, as drawing takes the chip long."""
        some = [self.int(low, high) for _ in range(min(count, 41))]
        return array(kind, [some[(k + k // 41) % 41 if k > 40 else k] for k in range(count)])


def pose_of(draw, mat):
    discs = (1, 1, 1, 2, 5, 8)[draw.int(0, 5)]
    pose = new_pose(mat.DISC_THICKNESS, discs)
    edge = mat.CIRCLE_RADIUS + 50000
    pose[0], pose[1] = draw.int(-edge, edge), draw.int(-edge, edge)
    if draw.int(0, 1):  # the extremes are where an axis goes through a sensor
        sensor = draw.int(0, mat.N - 1)
        pose[0] = mat.SENSOR_X[sensor] + draw.int(-40, 40)
        pose[1] = mat.SENSOR_Y[sensor] + draw.int(-40, 40)
    pose[2] = draw.int(0, (2000, 20000, 100000)[draw.int(0, 2)]) - mat.SENSOR_Z
    pose[6] = draw.int(868, 1180)
    if draw.int(0, 2):
        set_axis(pose, draw.int(-9000, 9000), draw.int(-9000, 9000), draw.int(1, 9000))
    elif draw.int(0, 1):
        pose[5] = -4096
    return pose


def sensors_near(mat, pose, most):
    """(index, count): every fourth of the sensors that a body's field reaches, not more."""
    every = array("H", [0] * 192)
    count = kernels.near(
        every, mat.GRID, mat.GRID_SIDE, mat.PITCH, pose[0], pose[1], 56320, 192
    )  # fmt: skip
    index = array("H", [every[j] for j in range(0, count, 4)][:most])
    return index, len(index)


def frame(draw, mat):
    """(field, base, resid, moving) of a frame in which something goes on."""
    n = mat.N
    loud = (300, 3000, 60000)[draw.int(0, 2)]
    moving = draw.array("i", n, 0, 3000)
    moving[draw.int(0, n - 1)] = SATURATED
    field, base = draw.array("i", n, -88000, 88000), draw.array("i", n, -88000, 88000)
    return field, base, draw.array("i", n, -loud, loud), moving


def check_isqrt(draw, mat):
    return [kernels.isqrt(draw.int(0, top)) for top in (3, 1000, 65000, 1 << 24, 0x7FFFFFFF)]


def check_scan(draw, mat):
    n = mat.N
    field, base, resid, moving = frame(draw, mat)
    counts = draw.array("H", n, 3000, 30000)
    offset = array("i", [mat.ZERO_COUNT * 16 + draw.int(-4000, 4000) for _ in range(n)])
    gain = array("i", [(mat.UT_PER_COUNT_Q16 >> 6) + draw.int(-99, 99) for _ in range(n)])
    noise = bytearray([(0, 3, 5, 6, 40, 255)[draw.int(0, 5)] for _ in range(n)])
    peak = kernels.scan(
        counts, offset, gain, base, field, resid, moving, noise, n, mat.COUNT_MIN, mat.COUNT_MAX
    )
    return [peak, field, resid, moving]


def check_body_field(draw, mat):
    out, pose = array("i", [0] * 40), pose_of(draw, mat)
    index, count = sensors_near(mat, pose, 40)
    kernels.body_field(
        out, index, count, mat.SENSOR_X, mat.SENSOR_Y, kernels.rows_of(mat.FIELD_TABLE), pose
    )
    return [out]


def gradient(draw, mat):
    out, rows = array("i", [0] * 24), array("i", [0] * 5 * 30)
    pose, tangent = pose_of(draw, mat), array("i", [0] * 6)
    index, count = sensors_near(mat, pose, 24)
    tangents(pose, tangent)
    kernels.body_gradient(
        out, rows, 30, index, count, mat.SENSOR_X, mat.SENSOR_Y, kernels.rows_of(mat.FIELD_TABLE),
        pose, tangent, (0, 2, 3)[draw.int(0, 2)],
    )  # fmt: skip
    return out, rows


def check_body_gradient(draw, mat):
    return list(gradient(draw, mat))


def check_add_at(draw, mat):
    target, values = draw.array("i", mat.N, -99999, 99999), draw.array("i", 60, -99999, 99999)
    kernels.add_at(target, draw.array("H", 60, 0, mat.N - 1), values, 55, draw.int(-2, 2))
    return [target]


def check_add_size(draw, mat):
    target, values = draw.array("i", mat.N, -99999, 99999), draw.array("i", 60, -99999, 99999)
    kernels.add_size(target, draw.array("H", 60, 0, mat.N - 1), values, 55, 2 * draw.int(0, 1) - 1)
    return [target]


def check_pose(draw, mat):
    """An axis made a unit vector, what is square to it, and a copy."""
    pose, out, twin = pose_of(draw, mat), array("i", [7] * 6), array("i", [7] * 10)
    for k in (3, 4, 5):
        pose[k] += draw.int(-900, 900)
    kernels.normalise(pose)
    kernels.tangents(pose, out)
    kernels.copy(twin, pose)
    return [pose, out, twin]


def check_gathering(draw, mat):
    """The sensors of two bodies, what they show, and what they count."""
    field, base, resid, moving = frame(draw, mat)
    moving[draw.int(0, mat.N - 1)] = SATURATED
    noise = bytearray([(0, 5, 6, 11, 12, 24, 48, 255)[draw.int(0, 7)] for _ in range(mat.N)])
    index, seen = array("H", [9] * 60), bytearray(mat.N)
    target, weight = array("i", [9] * 60), bytearray(60)
    count = 0
    for _ in range(2):
        some = draw.array("H", 40, 0, mat.N - 1)
        count = kernels.unite(index, count, some, 38, seen, 60)
    kernels.pick(target, resid, index, count, seen)
    kernels.weigh(weight, index, count, field, moving, noise)
    made = [count, sum(seen), crc32(weight), index, array("i", target)]
    strong = array("H", index)
    most = kernels.above(strong, target, count, draw.int(0, 4000))
    made += [most, strong, array("i", target)]
    worst = kernels.misfit(resid, moving, index, count), kernels.strongest(target, count)
    kernels.add(target, resid, count)
    kernels.clear(resid, 40)
    return made + [worst[0], worst[1], kernels.noise_bits(draw.int(0, 255)), target, resid]


def check_averaging(draw, mat):
    """A mean of some frames, which takes the place of one, and gives it back."""
    field, base, resid, moving = frame(draw, mat)
    mean = array("i", [77] * mat.N)
    for k in range(1, draw.int(2, 6)):
        kernels.average(mean, resid, 256 // k, mat.N)
        for i in range(mat.N):
            resid[i] += draw.int(-300, 300)
    made = [array("i", mean)]
    kernels.exchange(mean, resid, mat.N)
    made += [array("i", mean), array("i", resid)]
    kernels.restore(mean, resid, mat.N)
    return made + [mean, resid]


def check_near(draw, mat):
    index, edge = array("H", [7] * 200), mat.CIRCLE_RADIUS + 20000
    limit = (48, 96, 192)[draw.int(0, 2)]
    count = kernels.near(
        index, mat.GRID, mat.GRID_SIDE, mat.PITCH, draw.int(-edge, edge), draw.int(-edge, edge),
        draw.int(2000, 56320), limit,
    )  # fmt: skip
    return [count, index]


def check_surprise(draw, mat):
    field, base, resid, moving = frame(draw, mat)
    return [kernels.surprise(resid, moving, field, mat.N, draw.int(0, 2000))]


def check_bulge(draw, mat):
    field, base, resid, moving = frame(draw, mat)
    for i in range(mat.N):
        field[i] >>= 3
        moving[i] >>= 1
    return [
        kernels.bulge(resid, moving, field, mat.GRID, mat.GRID_SIDE, threshold)
        for threshold in (0, 160, 1000)
    ]


def check_follow(draw, mat):
    field, base, resid, moving = frame(draw, mat)
    for i in range(0, mat.N, 2):
        moving[i] &= 127
    noise = bytearray([(0, 3, 4, 40, 255)[draw.int(0, 4)] for _ in range(mat.N)])
    for i in range(0, mat.N, 3):
        moving[i] += noise[i] * 1280
    kernels.follow(base, resid, moving, field, noise, mat.N, draw.int(0, 2000))
    return [base]


def check_solving(draw, mat):
    """From slopes by the normal equations to the step."""
    params = (2, 5, 15)[draw.int(0, 2)]
    count, size = 30, (30, 900, 30000)[draw.int(0, 2)]
    rows = draw.array("i", params * 32, -size, size)
    target, own = draw.array("i", count, -60000, 60000), draw.array("i", count, -60000, 60000)
    weight = draw.array("B", count, 0, 2)
    weight[draw.int(0, count - 1)] = 20
    coarse = (0, 2, 3)[draw.int(0, 2)]
    a, b = array("i", [0] * params * params), array("i", [0] * params)
    kernels.normal_equations(a, b, rows, 32, target, own, weight, coarse, count, params)
    for k in range(params):
        a[k * params + k] += 2
    made = [crc32(a), crc32(b)]
    delta, root, low = array("i", b), array("i", b), array("i", a)
    kernels.solve(a, b, params, 160 << draw.int(0, 8), delta, root, low)
    return made + [kernels.gap(target, own, weight, coarse, count), delta, root]


def check_remembering(draw, mat):
    """A body in flight and where it was expected, near and far."""
    pose, expected, tangent = pose_of(draw, mat), array("i", [0] * 9), array("i", [0] * 6)
    kernels.copy(expected, pose)
    away = (9, 300, 40000)[draw.int(0, 2)]
    for k in range(3):
        expected[k] += draw.int(-away, away)
    set_axis(expected, draw.int(-9000, 9000), draw.int(-9000, 9000), draw.int(1, 9000))
    tangents(pose, tangent)
    params, a, b = 10, array("i", [3] * 100), array("i", [3] * 10)
    made = []
    for wide, shift in ((0, 4), (2, 0), (2, 9), (3, 6)):
        for count in (2, 5):
            near, height, turn = ((60, 60, 150), (2, 2, 20), (4, 40, 150))[draw.int(0, 2)]
            for into in (0, params):
                made.append(
                    kernels.remember(
                        pose, expected, tangent, near, height, turn, count, shift, wide, a, b, into,
                        5,
                    )
                )  # fmt: skip
    return made + [a, b]


def check_fit(draw, mat):
    """Up to four bodies, each in a mode of its own, near where they show."""
    field = Field(mat)
    solver, values = Solver(field), array("i", [0] * 40)
    field.field[:] = draw.array("i", mat.N, -30000, 30000)
    field.resid[:] = draw.array("i", mat.N, -99, 99)
    field.moving[draw.int(0, mat.N - 1)] = SATURATED
    first, made = pose_of(draw, mat), []
    first[2] = draw.int(0, (2000, 20000)[draw.int(0, 1)]) - mat.SENSOR_Z
    for _ in range(draw.int(1, 4)):
        pose, expected = pose_of(draw, mat), new_pose(mat.DISC_THICKNESS)
        for k in range(3):
            pose[k] = first[k] + draw.int(-12000, 12000) * (k < 2)
        near, count = sensors_near(mat, pose, 40)
        kernels.body_field(values, near, count, mat.SENSOR_X, mat.SENSOR_Y, field.table, pose)
        kernels.add_at(field.resid, near, values, count, 1)
        kernels.copy(expected, pose)
        for k in range(6):
            pose[k] += draw.int(-700, 700)
        kernels.normalise(pose)
        mode = (2, 3, 4, 5, 5, 6)[draw.int(0, 5)]
        drawn = expected if draw.int(0, 2) else 0
        memory = ((60, 60, 150), (4, 40, 150), (1, 512, 512))[draw.int(0, 2)]
        solver.add(pose, mode, drawn, memory, draw.int(0, 6), draw.int(0, 1))
        made.append(pose)
    return [solver.solve(draw.int(1, 6)), solver.solve(6)] + made


def check_costs(draw, mat):
    field, base, resid, moving = frame(draw, mat)
    index, weight = draw.array("H", 60, 0, mat.N - 1), draw.array("B", 60, 0, 3)
    weight[draw.int(0, 59)] = 20
    values = draw.array("i", 60, -60000, 60000)
    return [
        kernels.cost(resid, index, weight, 57),
        kernels.mismatch(resid, index, values, weight, 57),
    ]


def check_following(draw, mat):
    """A body that moves on, is taken out of the residual and put back, and how it has gone."""
    field = Field(mat)
    fitter, slot = Fitter(field, None), Slot()
    field.resid[:] = draw.array("i", mat.N, -3000, 3000)
    field.moving[:] = draw.array("i", mat.N, 0, 3000)
    field.noise[:] = draw.array("B", mat.N, 0, 255)
    pose, before, velocity = pose_of(draw, mat), pose_of(draw, mat), draw.array("i", 6, -900, 900)
    held, slot.marked = draw.int(0, 1), bool(draw.int(0, 1))
    kernels.advance(pose, velocity, before, held)
    fitter.enter(slot, pose)
    made = [slot.count, fitter.misfit(pose), fitter.haze(pose), crc32(slot.values)]
    made += [crc32(field.resid), crc32(field.moving)]
    fitter.leave(slot)
    pose[0] += draw.int(-40000, 40000)
    kernels.learn_course(pose, velocity, before, held)
    made += [kernels.distance(pose, before), kernels.strayed(pose, before)]
    return made + [kernels.turned(pose, before), pose, before, velocity, field.resid, field.moving]


def check_search(draw, mat):
    """What a guess leaves over, cut short or not, where the frame is loudest first."""
    pose, values, weight = pose_of(draw, mat), array("i", [0] * 40), draw.array("B", 40, 0, 2)
    resid, table = draw.array("i", mat.N, -3000, 3000), kernels.rows_of(mat.FIELD_TABLE)
    index, count = sensors_near(mat, pose, 40)
    kernels.loudest_first(index, count, resid)
    tried, costs, places = (
        new_pose(mat.DISC_THICKNESS),
        array("i", [1 << 29] * 4),
        array("i", [9] * 4),
    )
    seeds = array("h", [0] * 60)
    for n in range(0, 54, 6):  # and one without an axis
        seeds[n], seeds[n + 1] = draw.int(-9000, 9000), draw.int(-9000, 9000)
        set_axis(tried, draw.int(-9000, 9000), draw.int(-9000, 9000), draw.int(1, 9000))
        seeds[n + 2] = draw.int(0, 15000) - mat.SENSOR_Z
        seeds[n + 3], seeds[n + 4], seeds[n + 5] = tried[3], tried[4], tried[5]
    record = kernels.record(
        [
            values, index, count, mat.SENSOR_X, mat.SENSOR_Y, table, 0, resid, weight, 0,
            seeds, 10, costs, places, pose[0], pose[1],
        ]
    )  # fmt: skip
    left = [kernels.rival(record, pose, most) for most in (1 << 29, 9000)]
    kernels.offer(record, tried)
    return left + [index, tried, costs, places]


CHECKS = (
    check_isqrt, check_scan, check_body_field, check_body_gradient, check_add_at, check_add_size,
    check_pose, check_gathering, check_averaging, check_near, check_surprise, check_bulge,
    check_follow, check_solving, check_remembering, check_fit, check_costs, check_search,
    check_following,
)  # fmt: skip


def lines(seeds):
    """A line for each seed: the checks' checksums."""
    mats = (mat_data.load("standard"), mat_data.load("small"))
    for seed in seeds:
        sums = []
        for check in CHECKS:
            total = 0
            gc.collect()  # the chip's memory is short
            for made in check(Draw(seed), mats[seed & 1]):
                total = crc32(made if isinstance(made, array) else b"%d" % made, total)
            sums.append(hex(total & 0xFFFFFFFF))
        yield str(seed) + " " + " ".join(sums)
