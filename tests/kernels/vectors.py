"""Every kernel over drawn inputs, on whatever runs this: a line of checksums each.

Plain Python for both runtimes; the drawing is its own, so that both draw the same.
"""

import gc
from array import array
from binascii import crc32

from polarity import kernels, mat_data
from polarity.perception.field import Field, Share
from polarity.perception.fit import Fitter, Track
from polarity.perception.pose import new_pose, set_axis
from polarity.perception.search import Search
from polarity.perception.solver import Solver

SATURATED = 1 << 24
# As in kernels/_records.py, which is not on the chip.
SHARE_COUNT, SHARE_MARKED = 2, 4
WATCH_AT, WATCH_END, INPUTS_FAR = 2, 3, 3
FLYER_FRAMES, FLYER_UNEASY, FLYER_MEMORY, FLYER_HELD, FLYER_TOUCHES = 10, 11, 13, 14, 22
FLYER_STATE, FLYER_AGE, FLYER_SINCE, KNOWN = 23, 24, 30, 1
FLIGHT_PASSED, FLIGHT_NOW, FLIGHT_UNFITTED, FLIGHT_USED, FLIGHT_FLYERS = range(8, 13)
SURVEYED = 15
FIT_WORK, FIT_PACED = 19, 20


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


def scene(draw, mat):
    """A Field in whose frame something goes on, noisily."""
    field, n = Field(mat), mat.N
    loud = (300, 3000, 60000)[draw.int(0, 2)]
    field.field[:] = draw.array("i", n, -88000, 88000)
    field.base[:] = draw.array("i", n, -88000, 88000)
    field.bias[:] = draw.array("h", n, -32768, 32767)
    field.resid[:] = draw.array("i", n, -loud, loud)
    field.moving[:] = draw.array("i", n, 0, 3000)
    field.moving[draw.int(0, n - 1)] = SATURATED
    for i in range(n):
        field.noise[i] = (0, 3, 5, 6, 11, 12, 24, 40, 48, 255)[draw.int(0, 9)]
    return field


def share(mat):
    """Room for what a body does."""
    return Share(192, array("i", [mm * 256 for mm in (110, 138, 158, 170, 170, 170, 170, 170)]))


def feel(field, own, pose):
    """What a body does, with the residual as it was."""
    kernels.enter(field.record, own.record, pose)
    kernels.add_at(field.resid, own.record, 1)


def check_numbers(draw, mat):
    tops = 3, 1000, 65000, 1 << 24, 0x7FFFFFFF
    made = [kernels.isqrt(draw.int(0, top)) for top in tops]
    for top in (99, 22999, 23001, 700000):
        made.append(kernels.span(draw.int(-top, top), draw.int(-top, top)))
    return made


def check_pose(draw, mat):
    """An axis made a unit vector, tipped, what is square to it, how high it is, and a copy."""
    pose, out, twin = pose_of(draw, mat), array("i", [7] * 6), array("i", [7] * 10)
    for k in (3, 4, 5):
        pose[k] += draw.int(-900, 900)
    kernels.normalise(pose)
    kernels.tangents(pose, out)
    kernels.copy(twin, pose)
    made = [kernels.height_of_centre(pose, mat.DISC_RADIUS), array("i", pose)]
    kernels.tip(pose, out, draw.int(-1000, 1000), draw.int(-1000, 1000))
    other = pose_of(draw, mat)
    made += [kernels.distance(pose, other), kernels.turned(pose, other)]
    return made + [kernels.strayed(pose, other), pose, out, twin]


def check_course(draw, mat):
    """A body that moves on, and how it has gone."""
    pose, before, velocity = pose_of(draw, mat), pose_of(draw, mat), draw.array("i", 6, -900, 900)
    held = draw.int(0, 1)
    kernels.advance(pose, velocity, before, held)
    pose[0] += draw.int(-40000, 40000)
    kernels.learn_course(pose, velocity, before, held)
    return [pose, before, velocity]


def check_scan(draw, mat):
    field, n = scene(draw, mat), mat.N
    field.offset[:] = array("i", [mat.ZERO_COUNT * 16 + draw.int(-4000, 4000) for _ in range(n)])
    field.gain[:] = array("i", [(mat.UT_PER_COUNT_Q16 >> 6) + draw.int(-99, 99) for _ in range(n)])
    peak = kernels.scan(field.record, draw.array("H", n, 3000, 30000))
    return [peak, field.field, field.resid, field.moving]


def check_news(draw, mat):
    """The loudest sensor, the loudest place, and the base that follows."""
    field, n = scene(draw, mat), mat.N
    made = [kernels.surprise(field.record, draw.int(0, 2000))]
    for i in range(n):
        field.field[i] >>= 3
        field.moving[i] >>= 1
    made += [kernels.bulge(field.record, threshold) for threshold in (0, 160, 1000)]
    for i in range(0, n, 2):
        field.moving[i] &= 127
    for i in range(0, n, 3):
        field.moving[i] += field.noise[i] * 1280
    kernels.follow(field.record, draw.int(0, 2000))
    return made + [field.base, field.bias]


def check_watch(draw, mat):
    """Steps from look to look, wherever the low bits wrap, and sensors that take none."""
    field = scene(draw, mat)
    low, same = draw.array("B", mat.N, 0, 255), draw.array("b", mat.N, -100, 13)
    field.field[:] = draw.array("i", mat.N, -10000, 10000)
    watch = kernels.record([low, same, 0, 0, draw.int(3, 12), draw.int(0, 90), 0, 0, 0, 0, 0])
    counts = draw.array("H", mat.N, 0, 65535)
    for _ in range(2):
        end = watch[WATCH_AT] = draw.int(0, 9)
        while end < mat.N:
            end = watch[WATCH_END] = min(end + draw.int(1, 90), mat.N)
            kernels.watch(field.record, watch, counts)
        for i in range(0, mat.N, 3):
            counts[i] = (counts[i] + draw.int(-200, 200)) & 0xFFFF
    return [watch[k] for k in range(WATCH_AT, len(watch))] + [low, same]


def check_tally(draw, mat):
    """What each input's sensors show, with and without a look at their steps."""
    field, counts = scene(draw, mat), draw.array("H", mat.N, 0, 65535)
    last = draw.array("H", (mat.N + 3) // 4, 0, 65535)
    tallies, made = array("H", [7] * 20), []
    inputs = kernels.record([mat.SCAN_ORDER, last, tallies, -1])
    for far in (-1, draw.int(0, 30000)):
        inputs[INPUTS_FAR] = far
        kernels.tally(field.record, inputs, counts)
        made += [array("H", tallies), array("H", last)]
    return made


def check_averaging(draw, mat):
    """A mean of some frames, which takes the place of one, and gives it back."""
    resid, mean = scene(draw, mat).resid, array("i", [77] * mat.N)
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
    """Which sensors are near a place, the loudest first, and how much they count."""
    field, index, edge = scene(draw, mat), array("H", [7] * 200), mat.CIRCLE_RADIUS + 20000
    weight, most = array("B", [9] * 200), (48, 96, 192)[draw.int(0, 2)]
    x, y = draw.int(-edge, edge), draw.int(-edge, edge)
    count = field.gather(index, x, y, draw.int(2000, 56320), most)
    made = [count, array("H", index)]
    kernels.weigh(field.record, weight, index, count)
    kernels.loudest_first(field.record, index, min(count, 96))
    return made + [index, weight]


def check_share(draw, mat):
    """What a body does, taken out of the residual and put back, and how well that is explained."""
    field, own, pose = scene(draw, mat), share(mat), pose_of(draw, mat)
    own.record[SHARE_MARKED] = draw.int(0, 1)
    made = [kernels.enter(field.record, own.record, pose), own.record[SHARE_COUNT]]
    made += [array("H", own.index), array("i", own.values)]
    made += [array("i", field.resid), array("i", field.moving), kernels.strongest(own.record)]
    made += [kernels.misfit(field.record, pose), kernels.haze(field.record, pose)]
    made += [kernels.left_over(field.record, pose, fine) for fine in (0, 1)]
    kernels.leave(field.record, own.record)
    made += [array("i", field.resid), array("i", field.moving)]
    feel(field, own, pose)
    kernels.add_at(field.base, own.record, draw.int(-2, 2))
    kernels.add_size(field.moving, own.record, 2 * draw.int(0, 1) - 1)
    made.append(kernels.above(own.record, draw.int(0, 4000)))
    made += [array("H", own.index), array("i", own.values), array("i", field.base)]
    kernels.above(own.record, 64)
    kept = array("h", bytes(2 * mat.N))
    kernels.unlearn(field.record, own.record, kept)
    return made + [kept, own.values, field.bias, field.base, field.resid, field.moving]


def check_fit(draw, mat):
    """Up to five bodies, each in a mode of its own, near where they show."""
    field, own = Field(mat), share(mat)
    solver = Solver(field)
    field.field[:] = draw.array("i", mat.N, -30000, 30000)
    field.resid[:] = draw.array("i", mat.N, -99, 99)
    field.moving[draw.int(0, mat.N - 1)] = SATURATED
    first, made, kept = pose_of(draw, mat), [], []  # a record holds no buffer
    first[2] = draw.int(0, (2000, 20000)[draw.int(0, 1)]) - mat.SENSOR_Z
    for _ in range(draw.int(1, 5)):
        pose, expected = pose_of(draw, mat), new_pose(mat.DISC_THICKNESS)
        for k in range(3):
            pose[k] = first[k] + draw.int(-12000, 12000) * (k < 2)
        feel(field, own, pose)
        kernels.add_at(field.resid, own.record, 1)
        kernels.copy(expected, pose)
        for k in range(6):
            pose[k] += draw.int(-700, 700)
        kernels.normalise(pose)
        mode = (2, 3, 4, 5, 5, 6)[draw.int(0, 5)]
        kept.append(expected)
        drawn = expected if draw.int(0, 2) else 0
        memory = ((60, 60, 150), (4, 40, 150), (1, 512, 512))[draw.int(0, 2)]
        solver.add(pose, mode, drawn, memory, draw.int(0, 6), draw.int(0, 1))
        made.append(pose)
    solver.record[FIT_PACED] = draw.int(0, 1)
    return [solver.solve(draw.int(1, 6)), solver.solve(6), solver.record[FIT_WORK]] + made


def check_search(draw, mat):
    """What guesses leave over, where the frame is loudest first."""
    field, pose = scene(draw, mat), pose_of(draw, mat)
    field.resid[:] = draw.array("i", mat.N, -3000, 3000)
    search = Search(field, Fitter(field, Solver(field)))
    search.region(pose[0], pose[1], draw.int(2000, 20000))
    made = [search.cost(), array("H", search.index)]
    made += [kernels.rival(search.record, pose, most) for most in (1 << 29, 9000)]
    cost, found, mode = search.new_disc(draw.int(0, mat.N - 1), (1, 1, 3)[draw.int(0, 2)])
    return made + [cost, mode, found]


def check_flight(draw, mat):
    """Some frames of up to five bodies in flight, in hands or not, near each other or not."""
    field, own = Field(mat), share(mat)
    solver = Solver(field)
    field.field[:] = draw.array("i", mat.N, -30000, 30000)
    field.resid[:] = draw.array("i", mat.N, -99, 99)
    values = [field.record, solver.record] + kernels.links() + [mat.CIRCLE_RADIUS, 1, 0, 0, 0]
    flight, bodies, made = kernels.record(values + [0] * 7), [], []
    wide = (6000, 20000, 40000)[draw.int(0, 2)]
    for k in range((1, 2, 2, 3, 5)[draw.int(0, 4)]):
        pose, rest, track = pose_of(draw, mat), pose_of(draw, mat), Track(mat.DISC_THICKNESS)
        pose[0], pose[1] = draw.int(-wide, wide), draw.int(-wide, wide)
        pose[2] = draw.int(0, (2000, 20000)[draw.int(0, 1)]) - mat.SENSOR_Z
        if draw.int(0, 1):
            kernels.copy(rest, pose)
        feel(field, own, pose)
        kernels.add_at(field.resid, own.record, 1)
        for i in range(6):
            pose[i] += draw.int(-300, 300)
            track.velocity[i] = draw.int(-300, 300)
        kernels.normalise(pose)
        track.begin(pose)
        track.hold(pose, rest)
        track.flyer[FLYER_FRAMES] = draw.int(0, 30)
        for i in range(FLYER_HELD, FLYER_TOUCHES):
            track.flyer[i] = draw.int(0, 1)
        track.flyer[FLYER_TOUCHES] = draw.int(0, 4) == 0
        for i in range(FLYER_AGE, FLYER_SINCE):
            track.flyer[i] = draw.int(0, 24)
        track.flyer[FLYER_STATE] = (KNOWN, KNOWN, KNOWN, draw.int(0, 2))[draw.int(0, 3)]
        flight[FLIGHT_FLYERS + k] = track.at
        bodies.append((pose, rest, track))
        flight[FLIGHT_USED] = k + 1
    for passed in (1, 1, draw.int(1, 6)):
        flight[FLIGHT_PASSED], flight[FLIGHT_NOW] = passed, draw.int(0, 1000)
        solver.record[FIT_PACED] = draw.int(0, 1)
        flight[FLIGHT_UNFITTED], solver.record[FIT_WORK] = draw.int(0, 1), 0
        made.append(kernels.fly(flight, 0))
        at = 0
        while at <= len(bodies):
            made.append(kernels.survey(flight, at))
            at = (made[-1] & SURVEYED) + 1
        for pose, _, track in bodies:
            made += [array("i", pose), array("i", track.expected), track.flyer[FLYER_UNEASY]]
        if passed > 1:
            break
        for _, _, track in bodies:
            kernels.leave(field.record, track.record)
    for _, _, track in bodies:
        kernels.expect(flight, track.flyer)
        made.append(track.flyer[FLYER_MEMORY])
        view = array("i", [0] * 7)
        kernels.assess(flight, track.flyer, view)
        made.append(view)
    kernels.fly(flight, 1)
    for pose, _, track in bodies:
        made += [pose, track.velocity, track.before, track.expected, track.anchor, track.good]
        made.append(array("i", [track.flyer[i] for i in range(FLYER_AGE, FLYER_SINCE + 1)]))
    return made + [field.resid, solver.record[FIT_WORK]]


CHECKS = (
    check_numbers, check_pose, check_course, check_scan, check_news, check_watch, check_tally,
    check_averaging, check_near, check_share, check_fit, check_search, check_flight,
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
