"""Levenberg-Marquardt on the poses of up to five bodies at once: what `fit` of every kernel must
do.

Bodies that move near each other must be fitted together: one after the other, the first would
explain away what the second did. Each body has as many free parameters as its *mode* gives it, and
may be drawn toward where it is expected. It moves by what its own sensors see, those near it: the
normal equations are blocks of bodies, and two that share no sensor share no equation. What a body
does to the others' sensors is taken from where it is when they are chosen.

A fit works on a *record*, made once (perception/solver.py): see Fit and Body in kernels.h.
"""

from ..units import MM
from ._limits import FEW_SENSORS, FURTHEST_MM_Q8, NEAR_BODY_MM_Q8
from ._records import (
    AX,
    AY,
    AZ,
    BODY_AT,
    BODY_COUNT,
    BODY_EXPECTED,
    BODY_FREEDOM,
    BODY_HEIGHT,
    BODY_MODE,
    BODY_NEAR,
    BODY_PLACES,
    BODY_POSE,
    BODY_STRICT,
    BODY_SUNK,
    BODY_TANGENT,
    BODY_TURN,
    BODY_WIDE,
    BODY_WORDS,
    DISCS,
    EACH,
    FIT_A,
    FIT_B,
    FIT_BODIES,
    FIT_COARSE,
    FIT_COUNT,
    FIT_DELTA,
    FIT_INDEX,
    FIT_JACOBIAN,
    FIT_LOW,
    FIT_OWN,
    FIT_PACED,
    FIT_PARAMS,
    FIT_ROOT,
    FIT_SCENE,
    FIT_SEEN,
    FIT_SOME,
    FIT_TARGET,
    FIT_TOTAL,
    FIT_USED,
    FIT_WEIGHT,
    FIT_WORK,
    FLAT,
    FREE,
    LEAN,
    LEAN_MASS,
    MASS,
    MOMENT,
    MOST_SENSORS,
    SCENE_FIELD,
    SCENE_GRID,
    SCENE_MOVING,
    SCENE_NOISE,
    SCENE_PITCH,
    SCENE_RADIUS,
    SCENE_RESIDUAL,
    SCENE_ROWS,
    SCENE_SENSOR_Z,
    SCENE_SIDE,
    SCENE_X,
    SCENE_Y,
    THICKNESS,
    X,
    Y,
    Z,
)
from ._reference import (
    _cut,
    body_field,
    body_gradient,
    copy,
    coupling,
    isqrt,
    near,
    normal_equations,
    normalise,
    pick,
    remember,
    shift_rows,
    solve,
    squares,
    tangents,
    triangle,
    unite,
    weigh,
    weighted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from ._reference_kernels import Record

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
# Where frames come meanwhile, a step that changes the cost by an eighth of it or less ends the fit
# of several bodies, and of one that leaves much, 256 (64 µT)^2 in all: the next frame goes on.
LITTLE_BITS = 3
MUCH = 8
GENTLE = 160  # damping, of the unit diagonal in Q14
STIFF = 40960
SUNK_MOST = 128  # how deep a loose body may seem to be in the mat
LIGHTEST, HEAVIEST = 868, 1180  # moments, Q10
# About as many µs as an RP2040 takes at 125 MHz: of each sensor that a fit looks at, of each disc
# there, and of the square of the parameters at each step.
SENSOR_US, DISC_US, SQUARE_US = 3, 6, 4
ALL = 1 << 29  # returned for a cost beyond counting


def fit(f: "Record", steps: int) -> int:
    """Moves the poses of the record's bodies, whose fields must be in the residual, to explain it
    best at the sensors that `look` has chosen, evaluating their fields up to `steps` times.

    Returns what stays unexplained, (64 µT)^2 a sensor, mean; 0 when hardly any sensor sees them.
    """
    if f[FIT_COUNT] < 3:
        return 0
    best = -1
    saved = []
    damping = GENTLE
    while steps:
        steps -= 1
        cost = _evaluate(f)
        if f[FIT_PACED]:
            high = best >> 11
            much = f[FIT_USED] > 1 or high >> 6 - 2 * f[FIT_COARSE] >= MUCH
            if much and abs(high - (cost >> 11)) <= high >> LITTLE_BITS:
                steps = 0
        if best >= 0 and cost > best + (best >> 6):
            for at, pose in zip(_bodies(f), saved):
                copy(f[at + BODY_POSE], pose)
            damping <<= 3
            if damping > STIFF:
                break
        else:
            best = cost
            saved = [list(f[at + BODY_POSE]) for at in _bodies(f)]
            damping = max(GENTLE, damping >> 2)
            if not steps:
                break
            _linearise(f)
        if not steps:
            break
        solve(f[FIT_A], f[FIT_B], f[FIT_PARAMS], damping, f[FIT_DELTA], f[FIT_ROOT], f[FIT_LOW])
        f[FIT_WORK] += SQUARE_US * f[FIT_PARAMS] * f[FIT_PARAMS]
        moved = 0
        for at in _bodies(f):
            moved = max(moved, _move(f, at))
        if moved < (ENOUGH if f[FIT_COARSE] == 3 else ENOUGH_HIGH):
            break
    mean = best // f[FIT_COUNT]
    return ALL if mean >> 35 else mean >> 12 - 2 * f[FIT_COARSE]


def _bodies(f: "Record") -> range:
    return range(FIT_BODIES, FIT_BODIES + f[FIT_USED] * BODY_WORDS, BODY_WORDS)


def look(f: "Record") -> int:
    """Chooses the sensors near any of the bodies, the wider the higher it is; sets target and
    weight. Returns how many."""
    s, some, index, seen = f[FIT_SCENE], f[FIT_SOME], f[FIT_INDEX], f[FIT_SEEN]
    far = (84, 84, 84, 62, 62, 54)[f[FIT_USED]] * MM
    count = f[FIT_PARAMS] = f[FIT_COARSE] = 0
    for at in _bodies(f):
        pose, mode = f[at + BODY_POSE], f[at + BODY_MODE]
        height = pose[Z]
        level = 0 if height < LOW else 1 if height < HIGH else 2
        f[at + BODY_WIDE] = (0, 2, 3)[level]
        f[at + BODY_AT] = f[FIT_PARAMS]
        f[at + BODY_FREEDOM] = 5 if mode == LEAN_MASS else mode
        f[FIT_PARAMS] += f[at + BODY_FREEDOM]
        f[FIT_COARSE] = max(f[FIT_COARSE], (3, 2, 0)[level])
        within = min(NEAR_BODY_MM_Q8 + (height >> 1), far)
        more = near(
            some, s[SCENE_GRID], s[SCENE_SIDE], s[SCENE_PITCH], pose[X], pose[Y], within, EACH
        )
        if (
            more < FEW_SENSORS and f[at + BODY_EXPECTED] and not f[at + BODY_SUNK]
        ):  # it lies beyond the rim
            more = near(
                some,
                s[SCENE_GRID],
                s[SCENE_SIDE],
                s[SCENE_PITCH],
                pose[X],
                pose[Y],
                FURTHEST_MM_Q8,
                EACH,
            )
        count, f[at + BODY_COUNT] = unite(
            index, count, some, more, seen, f[at + BODY_PLACES], MOST_SENSORS
        )
    f[FIT_COUNT] = count
    pick(f[FIT_TARGET], s[SCENE_RESIDUAL], index, count, seen)
    for at in _bodies(f):
        _take_far_field(f, at)
    weigh(f[FIT_WEIGHT], index, count, s[SCENE_FIELD], s[SCENE_MOVING], s[SCENE_NOISE])
    if f[FIT_USED] == 1 and mode in (LEAN, LEAN_MASS) and height >= STEEP:
        doubt_gains(f[FIT_WEIGHT], index, count, s[SCENE_FIELD])
    return count


def _take_far_field(f: "Record", at: int) -> None:
    """Takes what a body does to the other bodies' sensors out of the target."""
    s, own = f[FIT_SCENE], set(f[at + BODY_PLACES][: f[at + BODY_COUNT]])
    others = [j for j in range(f[FIT_COUNT]) if j not in own]
    values = [0] * len(others)
    body_field(
        values, [f[FIT_INDEX][j] for j in others], len(others), s[SCENE_X], s[SCENE_Y],
        s[SCENE_ROWS], f[at + BODY_POSE],
    )  # fmt: skip
    for j, value in zip(others, values):
        f[FIT_TARGET][j] -= value


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
    """The bodies' fields and their slopes at the present poses; what is left over then is in TOTAL.
    Returns the cost."""
    s, own, total = f[FIT_SCENE], f[FIT_OWN], f[FIT_TOTAL]
    for j in range(f[FIT_COUNT]):
        total[j] = 0
    for at in _bodies(f):
        pose, mode, count = f[at + BODY_POSE], f[at + BODY_MODE], f[at + BODY_COUNT]
        places, rows = f[at + BODY_PLACES], _rows(f, at)
        f[FIT_WORK] += count * (SENSOR_US + DISC_US * pose[DISCS])
        tangents(pose, f[at + BODY_TANGENT])
        body_gradient(
            own, rows, EACH, [f[FIT_INDEX][places[j]] for j in range(count)], count, s[SCENE_X],
            s[SCENE_Y], s[SCENE_ROWS], pose, f[at + BODY_TANGENT], f[at + BODY_WIDE],
        )  # fmt: skip
        if mode == LEAN or mode == LEAN_MASS:
            _ride(f, at, rows)
        if mode == MASS or mode == LEAN_MASS:
            row = (f[at + BODY_FREEDOM] - 1) * EACH
            for j in range(count):
                rows[row + j] = own[j] * MASS_STEP // pose[MOMENT]
        for j in range(count):
            total[places[j]] += own[j]
    weighted(total, f[FIT_TARGET], f[FIT_WEIGHT], f[FIT_COARSE], f[FIT_COUNT])
    cost = squares(total, f[FIT_COUNT])
    for at in _bodies(f):
        if f[at + BODY_EXPECTED]:
            cost += _remember(f, at, False)
    return cost


def _rows(f: "Record", at: int) -> "memoryview[int]":
    """The body's slopes, EACH a parameter."""
    return memoryview(f[FIT_JACOBIAN])[f[at + BODY_AT] * EACH :]


def _linearise(f: "Record") -> None:
    """The normal equations at the poses last evaluated. The rows are shifted and cut then."""
    a, b, left = f[FIT_A], f[FIT_B], f[FIT_TOTAL]
    for k in range(triangle(f[FIT_PARAMS])):
        a[k] = 0
    for at in _bodies(f):
        places, count, first = f[at + BODY_PLACES], f[at + BODY_COUNT], f[at + BODY_AT]
        rows, params = _rows(f, at), f[at + BODY_FREEDOM]
        shifts = [f[FIT_WEIGHT][places[j]] + f[FIT_COARSE] for j in range(count)]
        shift_rows(rows, EACH, shifts, params)
        normal_equations(a, b, rows, EACH, [left[places[j]] for j in range(count)], params, first)
        for other in range(FIT_BODIES, at, BODY_WORDS):
            both = _shared(f, at, other)
            coupling(
                a, rows, _rows(f, other), EACH, both, params, f[other + BODY_FREEDOM], first,
                f[other + BODY_AT],
            )  # fmt: skip
    for at in _bodies(f):
        if f[at + BODY_EXPECTED]:
            _remember(f, at, True)


def _shared(f: "Record", at: int, other: int) -> list[tuple[int, int]]:
    """The sensors that both bodies call their own: their numbers in the one and in the other."""
    its = {f[other + BODY_PLACES][k]: k for k in range(f[other + BODY_COUNT])}
    mine = f[at + BODY_PLACES]
    return [(j, its[mine[j]]) for j in range(f[at + BODY_COUNT]) if mine[j] in its]


def _remember(f: "Record", at: int, linear: bool) -> int:
    """What it costs to be away from where the body is expected; if `linear`, adds that to the
    normal equations."""
    return remember(
        f[at + BODY_POSE], f[at + BODY_EXPECTED], f[at + BODY_TANGENT], f[at + BODY_NEAR],
        f[at + BODY_HEIGHT], f[at + BODY_TURN], 5 if f[at + BODY_MODE] == FREE else 2,
        2 * (f[at + BODY_WIDE] + 3 - f[FIT_COARSE]) + f[at + BODY_STRICT], f[at + BODY_WIDE],
        f[FIT_A], f[FIT_B], linear, f[at + BODY_AT],
    )  # fmt: skip


def _ride(f: "Record", at: int, rows: "array[int] | memoryview[int]") -> None:
    """A leaner's height follows its tilt: each tip's row takes in its share of z, and both move up
    by one, over the row of z."""
    step = STEP << f[at + BODY_WIDE]
    rise_a, rise_b = _rise(f, at, step, 0), _rise(f, at, 0, step)
    for j in range(f[at + BODY_COUNT]):
        z = rows[2 * EACH + j]
        rows[2 * EACH + j] = rows[3 * EACH + j] + z * rise_a // step
        rows[3 * EACH + j] = rows[4 * EACH + j] + z * rise_b // step


def _rise(f: "Record", at: int, a: int, b: int) -> int:
    """How much a leaner's centre rises when it is tipped by (a, b), Q8 mm."""
    pose, radius = f[at + BODY_POSE], f[FIT_SCENE][SCENE_RADIUS]
    tipped = pose[:]
    tip(tipped, f[at + BODY_TANGENT], a, b)
    return height_of_centre(tipped, radius) - height_of_centre(pose, radius)


def _move(f: "Record", at: int) -> int:
    """Moves a body by its share of the step; returns the longest part of it."""
    pose, mode, delta = f[at + BODY_POSE], f[at + BODY_MODE], f[FIT_DELTA]
    first, step = f[at + BODY_AT], STEP << f[at + BODY_WIDE]
    moved = 0
    straight = 3 if mode == FREE else 2
    for p in range(straight):
        v = max(-LONGEST, min(LONGEST, _share(delta[first + p], step)))
        pose[p] += v
        moved = max(moved, abs(v))
    if mode == MASS or mode == LEAN_MASS:
        v = delta[first + f[at + BODY_FREEDOM] - 1] * MASS_STEP >> 8
        pose[MOMENT] = max(LIGHTEST, min(HEAVIEST, pose[MOMENT] + max(-100, min(100, v))))
        moved = max(moved, abs(v))
    if mode == FLAT or mode == MASS:
        return moved
    a, b = _share(delta[first + straight], step), _share(delta[first + straight + 1], step)
    longest = max(abs(a), abs(b))
    if longest > LONGEST_TIP:
        a, b = a * LONGEST_TIP // longest, b * LONGEST_TIP // longest
    tip(pose, f[at + BODY_TANGENT], a, b)
    moved = max(moved, abs(a), abs(b))
    lowest = -f[FIT_SCENE][SCENE_SENSOR_Z]
    if mode != FREE:
        pose[Z] = lowest + height_of_centre(pose, f[FIT_SCENE][SCENE_RADIUS])
    else:
        slack = 0
        if not f[at + BODY_SUNK]:
            lowest += height_of_centre(pose, f[FIT_SCENE][SCENE_RADIUS])
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
