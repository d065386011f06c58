"""Levenberg-Marquardt on the poses of up to four bodies at once: what `fit` of every kernel must
do.

Bodies that move near each other must be fitted together: one after the other, the first would
explain away what the second did. Each body has as many free parameters as its *mode* gives it, and
may be drawn toward where it is expected.

A fit works on a *record*, made once (perception/solver.py): numbers, and the arguments of each
kernel that it calls, ready to be handed over. Where a kernel runs on addresses, `record` makes
them of the buffers.
"""

from ..units import MM
from ._reference import (
    AX,
    AY,
    AZ,
    DISCS,
    MOMENT,
    THICKNESS,
    X,
    Y,
    Z,
    _cut,
    add,
    body_gradient,
    clear,
    copy,
    gap,
    isqrt,
    near,
    normal_equations,
    normalise,
    pick,
    remember,
    solve,
    tangents,
    unite,
    weigh,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from ._reference import Record

MOST = 4  # bodies fitted together
FLAT = 2  # x, y; lying, at the height it has
MASS = 3  # x, y and the moment; lying
LEAN = 4  # x, y and two tips; the low rim is on the mat
FREE = 5  # x, y, z and two tips: a body in a hand or falling
LEAN_MASS = 6  # as LEAN, and the moment

SENSORS = 96  # in a fit, and near one body
EACH = 48

# The record: numbers first, of which COUNT sensors and PARAMS parameters are the fit's own, then
# some buffers, then the arguments of each kernel, then the bodies.
USED, COUNT, PARAMS, COARSE, RADIUS, SENSOR_Z = 0, 1, 2, 3, 4, 5
JACOBIAN, TIPPED = 6, 7
NEAR_BY = 8  # near: its 8 arguments
UNITE = 16  # 6
PICK = 22  # 5
WEIGH = 27  # 6
GRADIENT = 33  # body_gradient: 11
GAP = 44  # 5, and room for what it returns
REMEMBER = 50  # 13, and room for what it returns
NORMAL = 65  # normal_equations: 10, and room for a row
SOLVE = 76  # 7
BODIES = 83
BODY = 13  # words of a body:
MODE, STRICT, SUNK, NEAR, HEIGHT, TURN, POSE, EXPECTED, TANGENT, SAVED, WIDE, AT, FREEDOM = range(
    13
)
WORDS = BODIES + MOST * BODY

STEP = 128  # 0.5 mm, or 1/32 rad
MASS_STEP = 32  # 1/32 of the nominal moment
STEEP = 12 * MM  # above the sensor plane: a leaner, not just a disc in a crease
# The higher a body flies, the weaker and the smoother its field: longer steps, finer units. Levels
# by height above the sensor plane.
LOW = 24 * MM
HIGH = 44 * MM
LONGEST = 8 * MM  # a step moves a body no further, or tips it more than LONGEST_TIP
LONGEST_TIP = 1000
MOST_STEPS = 1 << 20
ENOUGH = 40  # a step shorter than this (0.15 mm or half a degree) ends the fit;
ENOUGH_HIGH = 256  # so does 1 mm or 3.6 degrees high up: the next would be its square by the height
GENTLE = 160  # damping, of the unit diagonal in Q14
STIFF = 40960
SUNK_MOST = 128  # how deep a loose body may seem to be in the mat
LIGHTEST, HEAVIEST = 868, 1180  # moments, Q10
ALL = 1 << 29  # returned for a cost beyond counting


def record(values: "list[Any]") -> "Record":
    """The record, or the list of a kernel's arguments, as the kernels here take it."""
    return values


def put(record: "Record", at: int, buffer: "array[int] | int") -> None:
    """record[at] = a buffer; 0 for none."""
    record[at] = buffer


def fit(f: "Record", steps: int) -> int:
    """Moves the poses of the record's bodies, whose fields must be in the residual, to explain it
    best, looking at their fields up to `steps` times.

    Returns what stays unexplained, (64 µT)^2 a sensor, mean; 0 when hardly any sensor sees them.
    """
    if _look(f) < 3:
        return 0
    best = -1
    damping = GENTLE
    while steps:
        steps -= 1
        cost = _evaluate(f)
        if best >= 0 and cost > best + (best >> 6):
            for at in _bodies(f):
                copy(f[at + POSE], f[at + SAVED])
            damping <<= 3
            if damping > STIFF:
                break
        else:
            best = cost
            for at in _bodies(f):
                copy(f[at + SAVED], f[at + POSE])
            damping = max(GENTLE, damping >> 2)
            if not steps:
                break
            _linearise(f)
        if not steps:
            break
        f[SOLVE + 3] = damping
        solve(*f[SOLVE : SOLVE + 7])
        moved = 0
        for at in _bodies(f):
            moved = max(moved, _move(f, at))
        if moved < (ENOUGH if f[COARSE] == 3 else ENOUGH_HIGH):
            break
    mean = best // f[COUNT]
    return ALL if mean >> 35 else mean >> 12 - 2 * f[COARSE]


def _bodies(f: "Record") -> range:
    return range(BODIES, BODIES + f[USED] * BODY, BODY)


def _look(f: "Record") -> int:
    """Chooses the sensors near any of the bodies, the wider the higher it is; sets target and
    weight. Returns how many."""
    far = (84 if f[USED] < 3 else 62) * MM
    count = f[PARAMS] = f[COARSE] = 0
    for at in _bodies(f):
        pose, mode = f[at + POSE], f[at + MODE]
        height = pose[Z]
        level = 0 if height < LOW else 1 if height < HIGH else 2
        f[at + WIDE] = (0, 2, 3)[level]
        f[at + AT] = f[PARAMS]
        f[at + FREEDOM] = 5 if mode == LEAN_MASS else mode
        f[PARAMS] += f[at + FREEDOM]
        f[COARSE] = max(f[COARSE], (3, 2, 0)[level])
        f[NEAR_BY + 4], f[NEAR_BY + 5] = pose[X], pose[Y]
        f[NEAR_BY + 6] = min(48 * MM + (height >> 1), far)
        f[UNITE + 1] = count
        f[UNITE + 3] = near(*f[NEAR_BY : NEAR_BY + 8])
        count = unite(*f[UNITE : UNITE + 6])
    f[COUNT] = f[PICK + 3] = f[WEIGH + 2] = f[GRADIENT + 4] = f[GAP + 4] = f[NORMAL + 8] = count
    f[GAP + 3] = f[NORMAL + 7] = f[COARSE]
    f[NORMAL + 9] = f[SOLVE + 2] = f[PARAMS]
    pick(*f[PICK : PICK + 5])
    weigh(*f[WEIGH : WEIGH + 6])
    if f[USED] == 1 and mode in (LEAN, LEAN_MASS) and height >= STEEP:
        doubt_gains(*f[WEIGH : WEIGH + 4])
    return count


def doubt_gains(weight: "bytearray", index: "array[int]", count: int, field: "array[int]") -> None:
    """As `weigh`, for a body that hardly moves from frame to frame: of what the sensors say the
    gain is then more uncertain than the noise."""
    for j in range(count):
        v = field[index[j]]
        if v < 0:
            v = -v
        bits = 0 if v < 5000 else 1 if v < 10000 else 2 if v < 20000 else 3 if v < 40000 else 4
        if bits > weight[j]:
            weight[j] = bits


def _evaluate(f: "Record") -> int:
    """The bodies' fields and their slopes at the present poses. Returns the cost."""
    count, own, total = f[COUNT], f[GRADIENT], f[GAP + 1]
    clear(total, count)
    for at in _bodies(f):
        pose, mode = f[at + POSE], f[at + MODE]
        rows = memoryview(f[JACOBIAN])[f[at + AT] * SENSORS :]
        tangents(pose, f[at + TANGENT])
        f[GRADIENT + 1], f[GRADIENT + 8] = rows, pose
        f[GRADIENT + 9], f[GRADIENT + 10] = f[at + TANGENT], f[at + WIDE]
        body_gradient(*f[GRADIENT : GRADIENT + 11])
        if mode == LEAN or mode == LEAN_MASS:
            _ride(f, at, rows)
        if mode == MASS or mode == LEAN_MASS:
            row = (f[at + FREEDOM] - 1) * SENSORS
            for j in range(count):
                rows[row + j] = own[j] * MASS_STEP // pose[MOMENT]
        add(total, own, count)
    cost = gap(*f[GAP : GAP + 5])
    for at in _bodies(f):
        if f[at + EXPECTED]:
            cost += _remember(f, at, 0)
    return cost


def _linearise(f: "Record") -> None:
    """The normal equations at the poses last evaluated."""
    a, b, params = f[NORMAL], f[NORMAL + 1], f[PARAMS]
    clear(a, params * params)
    clear(b, params)
    normal_equations(*f[NORMAL : NORMAL + 10])
    for at in _bodies(f):
        if f[at + EXPECTED]:
            _remember(f, at, params)
    for k in range(params):
        a[k * params + k] += 2


def _remember(f: "Record", at: int, params: int) -> int:
    """What it costs to be away from where the body is expected; with `params`, adds that to the
    normal equations."""
    f[REMEMBER], f[REMEMBER + 1], f[REMEMBER + 2] = f[at + POSE], f[at + EXPECTED], f[at + TANGENT]
    for k in range(3):
        f[REMEMBER + 3 + k] = f[at + NEAR + k]
    f[REMEMBER + 6] = 5 if f[at + MODE] == FREE else 2
    f[REMEMBER + 7] = 2 * (f[at + WIDE] + 3 - f[COARSE]) + f[at + STRICT]
    f[REMEMBER + 8], f[REMEMBER + 11], f[REMEMBER + 12] = f[at + WIDE], params, f[at + AT]
    return remember(*f[REMEMBER : REMEMBER + 13])


def _ride(f: "Record", at: int, rows: "array[int] | memoryview[int]") -> None:
    """A leaner's height follows its tilt: each tip's row takes in its share of z, and both move up
    by one, over the row of z."""
    step = STEP << f[at + WIDE]
    rise_a, rise_b = _rise(f, at, step, 0), _rise(f, at, 0, step)
    for j in range(f[COUNT]):
        z = rows[2 * SENSORS + j]
        rows[2 * SENSORS + j] = rows[3 * SENSORS + j] + z * rise_a // step
        rows[3 * SENSORS + j] = rows[4 * SENSORS + j] + z * rise_b // step


def _rise(f: "Record", at: int, a: int, b: int) -> int:
    """How much a leaner's centre rises when it is tipped by (a, b), Q8 mm."""
    tipped, pose = f[TIPPED], f[at + POSE]
    copy(tipped, pose)
    tip(tipped, f[at + TANGENT], a, b)
    return height_of_centre(tipped, f[RADIUS]) - height_of_centre(pose, f[RADIUS])


def _move(f: "Record", at: int) -> int:
    """Moves a body by its share of the step; returns the longest part of it."""
    pose, mode, delta = f[at + POSE], f[at + MODE], f[SOLVE + 4]
    first, step = f[at + AT], STEP << f[at + WIDE]
    moved = 0
    straight = 3 if mode == FREE else 2
    for p in range(straight):
        v = max(-LONGEST, min(LONGEST, _share(delta[first + p], step)))
        pose[p] += v
        moved = max(moved, abs(v))
    if mode == MASS or mode == LEAN_MASS:
        v = delta[first + f[at + FREEDOM] - 1] * MASS_STEP >> 8
        pose[MOMENT] = max(LIGHTEST, min(HEAVIEST, pose[MOMENT] + max(-100, min(100, v))))
        moved = max(moved, abs(v))
    if mode == FLAT or mode == MASS:
        return moved
    a, b = _share(delta[first + straight], step), _share(delta[first + straight + 1], step)
    longest = max(abs(a), abs(b))
    if longest > LONGEST_TIP:
        a, b = a * LONGEST_TIP // longest, b * LONGEST_TIP // longest
    tip(pose, f[at + TANGENT], a, b)
    moved = max(moved, abs(a), abs(b))
    lowest = -f[SENSOR_Z]
    if mode != FREE:
        pose[Z] = lowest + height_of_centre(pose, f[RADIUS])
    else:
        slack = 0
        if not f[at + SUNK]:
            lowest += height_of_centre(pose, f[RADIUS])
            slack = SUNK_MOST
        if pose[Z] < lowest - slack:
            pose[Z] = lowest
    return moved


def _share(delta: int, step: int) -> int:
    """A step's share (Q8) as a length, neither beyond what the products can hold."""
    return _cut(_cut(delta, MOST_STEPS) * step >> 8, MOST_STEPS)


def tip(pose: "array[int]", tangent: "array[int]", a: int, b: int) -> None:
    """Tips the axis by the small angles a, b (Q12 radians) toward the two vectors of `tangent`."""
    for k in range(3):
        pose[AX + k] += (a * tangent[k] + b * tangent[3 + k]) >> 12
    normalise(pose)


def height_of_centre(pose: "array[int]", radius: int) -> int:
    """Height of the centre above the mat when the lowest rim touches it."""
    nx, ny, nz = pose[AX], pose[AY], pose[AZ]
    sine = min(4096, isqrt(nx * nx + ny * ny))
    half = pose[DISCS] * pose[THICKNESS] >> 1
    return (radius * sine + half * (nz if nz >= 0 else -nz)) >> 12
