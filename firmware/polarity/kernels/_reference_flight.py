"""Bodies in flight: where each frame has them. The reference of flight.c.

Those near each other are fitted together, first as calmly as their course allows, then more freely;
what no fit explains is believed to be where it was last understood. Flight and Flyer: kernels.h.
"""

from ..units import MM
from ._limits import (
    AT_ONCE_ROUNDS,
    CLOSE_DISCS,
    CLOSE_MM_Q8,
    FADED_UT,
    FREE_TILT_SINE_Q12,
    FURTHEST_MM_Q8,
    HURRIED_FRAMES,
    LEFT_MM_Q8,
    LIFT_MM_Q8,
    LOST_UT,
    LOW_FRAMES,
    LOW_MM_Q8,
    NEAR_BODY_MM_Q8,
    OVER_CIRCLE_MM_Q8,
    SAME_PLACE_MM_Q8,
    SECOND_LOOKS_FRAMES,
    STILL_FRAMES,
    STILL_MM_Q8,
    UNDERSTOOD_COST,
)
from ._records import (
    AX,
    AY,
    AZ,
    BODY_EXPECTED,
    BODY_HEIGHT,
    BODY_MODE,
    BODY_NEAR,
    BODY_POSE,
    BODY_STRICT,
    BODY_SUNK,
    BODY_TURN,
    BODY_WORDS,
    DISCS,
    FIT_BODIES,
    FIT_PACED,
    FIT_USED,
    FLAT,
    FLIGHT_CIRCLE,
    FLIGHT_FIT,
    FLIGHT_FLYERS,
    FLIGHT_NOW,
    FLIGHT_PASSED,
    FLIGHT_SCENE,
    FLIGHT_UNFITTED,
    FLIGHT_USED,
    FLYER_AGE,
    FLYER_ANCHOR,
    FLYER_ANNOUNCED,
    FLYER_BEFORE,
    FLYER_CLEAR,
    FLYER_EXPECTED,
    FLYER_EXPLAINED,
    FLYER_FRAMES,
    FLYER_GOOD,
    FLYER_HELD,
    FLYER_INSIDE,
    FLYER_LEANING,
    FLYER_LEFT,
    FLYER_LOST,
    FLYER_LOW,
    FLYER_LYING,
    FLYER_MEMORY,
    FLYER_NEAR,
    FLYER_PAST,
    FLYER_POSE,
    FLYER_RED,
    FLYER_REST,
    FLYER_SHARE,
    FLYER_SINCE,
    FLYER_SPEEDS,
    FLYER_STATE,
    FLYER_STILL,
    FLYER_TOUCHES,
    FLYER_UNEASY,
    FLYER_VELOCITY,
    FLYER_WEIGHED,
    FREE,
    GROUNDED,
    HAND,
    KNOWN,
    LOOSE,
    LYING,
    MOST_BODIES,
    MOVED,
    NEWCOMER,
    OUTSIDE,
    PUZZLED,
    SCENE_RADIUS,
    SCENE_SENSOR_Z,
    SHARE_MARKED,
    SHARE_REACH,
    THICKNESS,
    VIEW_CLEAR,
    VIEW_FROM_ANCHOR,
    VIEW_FROM_REST,
    VIEW_HAZE,
    VIEW_MISFIT,
    VIEW_RADIUS,
    VIEW_STRONGEST,
    X,
    Y,
    Z,
)
from ._reference import advance, copy, distance, isqrt, learn_course, normalise, span, strayed
from ._reference_fit import fit, height_of_centre, look
from ._reference_kernels import enter, haze, leave, misfit, strongest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from ._reference_kernels import Record

ONE = 4096  # a unit vector's length, Q12
LIES = 2 * MM
STRICT = 4  # bits: how much more a calm body keeps to its course
LANDING = 3  # bits: the same for a hand above a disc that has moved
STEADY = 6  # and a hand where there is nothing else to go by
UNEASY = 8  # what is left over by a hand that may be elsewhere
PUZZLING = 40  # and what a fit may leave before it is tried from elsewhere
LOST_FROM_VIEW = 200  # and above which a body is believed to be where it was last understood
SPINS = 300  # Q12 a frame: a disc that turns faster is being turned over
TOGETHER = 130 * MM  # bodies in flight this near each other are fitted together
HIGH = 50 * MM  # above the sensors
CARRIED = 34 * MM  # above that, discs are mostly carried level
TOO_HIGH = 31  # eighths of a disc's radius: for its turning to be followed, or a tight course
STEPS = 6  # of a fit, at most
BRIEFLY = 2  # of a calm fit, where calm fits have just not explained what is seen
STAYS_UT = 400  # what leaves no more over where it should be is there
RISEN = 3 * MM  # so far up a body is no more expected to lie flat
SETTLING_IN = 12  # frames in which a new track may still jump
PAST_FRAMES = 4
NOTES = 3

# Information per squared step of 0.5 mm (x and y, then z) and of 1/32 rad, against noise of 0.1 mT
# in units of 8 µT: of each memory.
_INFORMATION = (
    (1, 1, 5), (60, 60, 150), (2, 2, 20), (4, 4, 30), (4, 40, 150), (1, 1 << 9, 1 << 9),
)  # fmt: skip


def fly(f: "Record", woken: int) -> int:
    """Moves every body in flight to where this frame has it. Returns PUZZLED if one that no hand
    holds has only now come not to be understood, else 0. With `woken` not 0: fits the last one,
    which has only now been woken, and those near it, and no other; returns 0."""
    flyers, passed = f[FLIGHT_FLYERS : FLIGHT_FLYERS + f[FLIGHT_USED]], f[FLIGHT_PASSED]
    if woken:
        _explain(f, _group(f, flyers[-1], True), True)
        return 0
    for b in flyers:
        b[FLYER_SHARE][SHARE_MARKED] = b[FLYER_EXPLAINED] = 0  # a new frame
        for _ in range(passed):
            _note(b)
            advance(b[FLYER_POSE], b[FLYER_VELOCITY], b[FLYER_BEFORE], b[FLYER_HELD])
        expect(f, b)
    late = passed > 1
    first = _group(f, flyers[0], True)
    several = len(first) < len(flyers)
    for b in flyers:
        # one of several groups is explained while the others are where they should be, the first
        # before anybody asks where it is
        if late or (several and id(b) not in [id(o) for o in first] and _felt(f, flyers, b)):
            b[FLYER_SHARE][SHARE_MARKED] = 1
            enter(f[FLIGHT_SCENE], b[FLYER_SHARE], b[FLYER_POSE])
    for b in flyers if late else ():  # now that all are out of the residual
        # in no hand and where it should be: late, it need not be fitted
        if not b[FLYER_HELD] and misfit(f[FLIGHT_SCENE], b[FLYER_POSE]) <= STAYS_UT:
            b[FLYER_UNEASY], b[FLYER_EXPLAINED] = 0, 1
    for b in flyers:
        if not b[FLYER_EXPLAINED]:
            group = _group(f, b, False)
            fresh = [o for o in group if o[FLYER_FRAMES] == passed]  # woken in the last frame
            _explain(f, group, bool(f[FLIGHT_UNFITTED] and fresh))
    for b in flyers:
        gain = 4 if b[FLYER_HELD] else 2
        if passed > gain:
            _spread(b, passed, gain)
        learn_course(b[FLYER_POSE], b[FLYER_VELOCITY], b[FLYER_BEFORE], b[FLYER_HELD])
    puzzled = [b for b in flyers if 0 < b[FLYER_UNEASY] <= AT_ONCE_ROUNDS and not b[FLYER_HELD]]
    return PUZZLED if puzzled else 0


def survey(f: "Record", start: int) -> int:
    """What each frame asks of a body in flight, for each from number `start` on, as long as nothing
    has changed for it: its ages are counted, its anchor follows. Returns the number of the first of
    which more is to be asked, USED if there is none; and MOVED if an anchor has followed."""
    moved = 0
    while start < f[FLIGHT_USED]:
        b = f[FLIGHT_FLYERS + start]
        if b[FLYER_STATE] != GROUNDED:
            if not _keeps_on(f, b):
                break
            if b[FLYER_STILL] == 0:
                moved = MOVED
        start += 1
    return start | moved


def _keeps_on(f: "Record", b: "Record") -> bool:
    """False, and nothing is done, where more is to be asked of a body."""
    pose, s, held = b[FLYER_POSE], f[FLIGHT_SCENE], b[FLYER_HELD]
    felt, out = strongest(b[FLYER_SHARE]), span(pose[X], pose[Y])
    clear = _clearance(s, pose)
    if b[FLYER_STATE] != KNOWN or b[FLYER_AGE] + 1 in SECOND_LOOKS_FRAMES or felt <= FADED_UT:
        return False
    if misfit(s, pose) - (0 if b[FLYER_WEIGHED] else felt >> 4) > LOST_UT:
        return False
    if not b[FLYER_LEFT] and strayed(pose, b[FLYER_REST]) > LEFT_MM_Q8:
        return False
    if held and b[FLYER_INSIDE]:
        crosses = not b[FLYER_ANNOUNCED] or out > f[FLIGHT_CIRCLE] + OVER_CIRCLE_MM_Q8
    else:
        crosses = held and out <= f[FLIGHT_CIRCLE]
    if crosses or (held and b[FLYER_TOUCHES]):
        return False
    lies = clear - _clearance(s, b[FLYER_REST]) < LIFT_MM_Q8 and out <= f[FLIGHT_CIRCLE]
    if not (held or lies):
        return False
    if not held and pose[DISCS] > 1 and b[FLYER_UNEASY] >= 5 and b[FLYER_UNEASY] & 3 == 1:
        return False  # its upper discs may have been lifted
    low = b[FLYER_LOW] if not held else b[FLYER_LOW] + 1 if clear < LOW_MM_Q8 else 0
    loose = 2 if out > f[FLIGHT_CIRCLE] else 0 if held and low < LOW_FRAMES else 1
    moves = strayed(pose, b[FLYER_ANCHOR]) > STILL_MM_Q8 << loose + haze(s, pose)
    if (not moves and b[FLYER_STILL] + 1 >= STILL_FRAMES) or _near_another(f, b):
        return False
    b[FLYER_AGE] += 1
    b[FLYER_LOW] = low
    b[FLYER_LOST] = b[FLYER_NEAR] = 0
    if not held:
        b[FLYER_CLEAR] = 0
    copy(b[FLYER_GOOD], pose)
    b[FLYER_STILL] = 0 if moves else b[FLYER_STILL] + 1
    if moves:
        copy(b[FLYER_ANCHOR], pose)
        b[FLYER_SINCE] = f[FLIGHT_NOW]
    return True


def _clearance(s: "Record", pose: "array[int]") -> int:
    """How far its lowest point is above the mat."""
    return pose[Z] + s[SCENE_SENSOR_Z] - height_of_centre(pose, s[SCENE_RADIUS])


def _near_another(f: "Record", b: "Record") -> bool:
    """True where another body is so near that the two may be one stack."""
    pose = b[FLYER_POSE]
    for other in f[FLIGHT_FLYERS : FLIGHT_FLYERS + f[FLIGHT_USED]]:
        if other is b or other[FLYER_STATE] == GROUNDED or other[FLYER_RED] or b[FLYER_RED]:
            continue
        its = other[FLYER_POSE]
        most = (pose[DISCS] + its[DISCS] + CLOSE_DISCS) * pose[THICKNESS]
        if abs(pose[Z] - its[Z]) < most and distance(pose, its) <= CLOSE_MM_Q8:
            return True
    return False


def expect(f: "Record", b: "Record") -> None:
    """Sets where a body should be in this frame, from its predicted pose."""
    pose, expected, spin = b[FLYER_POSE], b[FLYER_EXPECTED], b[FLYER_VELOCITY]
    too_high = TOO_HIGH * f[FLIGHT_SCENE][SCENE_RADIUS] >> 3
    copy(expected, pose)
    if b[FLYER_HELD]:
        # high up many frames together say where it is: it must not run on along its course
        known = b[FLYER_AGE] > SETTLING_IN and pose[Z] <= too_high
        b[FLYER_MEMORY] = HAND if known else NEWCOMER
        turns = abs(spin[AX]) + abs(spin[AY]) + abs(spin[AZ]) > SPINS
        if pose[Z] > too_high:
            turns = False
            spin[AX] = spin[AY] = spin[AZ] = 0
        if b[FLYER_MEMORY] == NEWCOMER or (pose[Z] > CARRIED and not turns):
            # the further off, the less its tilt shows
            for k in (AX, AY, AZ):
                expected[k] = expected[k] * 7 >> 3
            expected[AZ] += (ONE >> 3) * _face(pose)
            normalise(expected)
    elif b[FLYER_LEANING] and not b[FLYER_LEFT]:
        b[FLYER_MEMORY] = HAND  # it stays as long as the sensors do not contradict
        _halt(b)
        copy(pose, b[FLYER_REST])
        copy(expected, b[FLYER_REST])
    elif pose[Z] - b[FLYER_REST][Z] > RISEN or (
        b[FLYER_LEANING] and _sine(pose) > FREE_TILT_SINE_Q12
    ):
        b[FLYER_MEMORY] = LOOSE
    else:
        out = span(pose[X], pose[Y]) > f[FLIGHT_CIRCLE]
        b[FLYER_MEMORY] = OUTSIDE if out else LYING
        _lay(f, b, expected)


def assess(f: "Record", b: "Record", view: "array[int]") -> None:
    """view = what is asked of a body in flight each frame, VIEW_STRONGEST to VIEW_HAZE: its field's
    largest value; misfit(); strayed() from where it last lay and from where it has kept still; how
    far it is from the centre; how far its lowest point is above the mat; haze()."""
    pose, s = b[FLYER_POSE], f[FLIGHT_SCENE]
    view[VIEW_STRONGEST] = strongest(b[FLYER_SHARE])
    view[VIEW_MISFIT] = misfit(s, pose)
    view[VIEW_FROM_REST] = strayed(pose, b[FLYER_REST])
    view[VIEW_FROM_ANCHOR] = strayed(pose, b[FLYER_ANCHOR])
    view[VIEW_RADIUS] = span(pose[X], pose[Y])
    view[VIEW_CLEAR] = _clearance(s, pose)
    view[VIEW_HAZE] = haze(s, pose)


def _felt(f: "Record", flyers: "list[Record]", b: "Record") -> bool:
    """Whether the sensors of other bodies' fits may feel this one."""
    pose = b[FLYER_POSE]
    reach = b[FLYER_SHARE][SHARE_REACH][min(pose[DISCS], 8) - 1]
    for other in flyers:
        within = min(NEAR_BODY_MM_Q8 + (other[FLYER_POSE][Z] >> 1), FURTHEST_MM_Q8)
        if other is not b and distance(other[FLYER_POSE], pose) <= reach + within:
            return True
    return False


def _note(b: "Record") -> None:
    """Once a frame, before it is fitted: what `_rewind` goes back to."""
    b[FLYER_FRAMES] += 1
    if b[FLYER_FRAMES] % PAST_FRAMES == 0:
        at = b[FLYER_FRAMES] // PAST_FRAMES % NOTES
        for k in range(9):
            b[FLYER_PAST][at * 9 + k] = b[FLYER_POSE][k]
        for k in range(6):
            b[FLYER_SPEEDS][at * 6 + k] = b[FLYER_VELOCITY][k]


def _group(f: "Record", body: "Record", every: bool) -> "list[Record]":
    """`body` and the bodies in flight near it, nearest first, as many as can be fitted together;
    unless `every`, only those that this frame has not explained yet."""
    if f[FLIGHT_USED] == 1:
        return [body]
    found = []
    for other in f[FLIGHT_FLYERS : FLIGHT_FLYERS + f[FLIGHT_USED]]:
        d = distance(body[FLYER_POSE], other[FLYER_POSE])
        if d < TOGETHER and (every or not other[FLYER_EXPLAINED]):
            at = len(found)
            while at and found[at - 1][0] > d:
                at -= 1
            found.insert(at, (d, other))
            del found[MOST_BODIES:]
    return [other for _, other in found]


def _explain(f: "Record", group: "list[Record]", woken: bool) -> None:
    """Fits the bodies of a group together. Those that are marked have their fields out of the
    residual. `woken`: one of them has only now been woken."""
    for b in group:
        if b[FLYER_SHARE][SHARE_MARKED]:
            leave(f[FLIGHT_SCENE], b[FLYER_SHARE])
    start = _poses(group)
    cost = _fit(f, group, 0, STRICT)
    if cost > UNDERSTOOD_COST:
        cost = _fit(f, group, 0, 0)
    if len(group) == 1 or f[FLIGHT_PASSED] <= HURRIED_FRAMES:
        if woken and cost > UNDERSTOOD_COST:
            cost = _rewind(f, group, start, cost)
        if cost > UNDERSTOOD_COST:
            cost = _leave_course(f, group, cost)
        if cost > PUZZLING and (len(group) == 1 or not f[FLIGHT_FIT][FIT_PACED]):
            cost = _keep_course(f, group, start, cost)
    for b in group:
        if cost > LOST_FROM_VIEW and not b[FLYER_HELD]:
            copy(b[FLYER_POSE], b[FLYER_GOOD])
        b[FLYER_UNEASY] = b[FLYER_UNEASY] + 1 if cost > UNEASY else 0
        b[FLYER_SHARE][SHARE_MARKED] = b[FLYER_EXPLAINED] = 1
        enter(f[FLIGHT_SCENE], b[FLYER_SHARE], b[FLYER_POSE])


def _rewind(f: "Record", group: "list[Record]", start: "list[list[int]]", cost: int) -> int:
    """A hand may have been led astray by what has only now been woken: tries where it would be by
    its course of a while ago (8 to 11 frames). Returns what stays unexplained."""
    if not [b for b in group if b[FLYER_HELD]]:
        return cost
    tried, expected = _poses(group), [list(b[FLYER_EXPECTED]) for b in group]
    _put(group, start)
    for b in group:
        if b[FLYER_HELD]:
            frames, pose = b[FLYER_FRAMES], b[FLYER_POSE]
            at = (frames // PAST_FRAMES + 1) % NOTES
            since = (NOTES - 1) * PAST_FRAMES + frames % PAST_FRAMES
            copy(pose, b[FLYER_PAST][at * 9 :])
            pose[X] += b[FLYER_SPEEDS][at * 6 + X] * since
            pose[Y] += b[FLYER_SPEEDS][at * 6 + Y] * since
            copy(b[FLYER_EXPECTED], pose)
    back = _fit(f, group, 0, 0)
    if back * 4 < cost * 3:
        for b in group:
            if b[FLYER_HELD]:
                _halt(b)
                copy(b[FLYER_BEFORE], b[FLYER_POSE])
        return back
    _put(group, tried)
    for b, pose in zip(group, expected):
        copy(b[FLYER_EXPECTED], pose)
    return cost


def _leave_course(f: "Record", group: "list[Record]", cost: int) -> int:
    """A hand high up and by itself that is not understood may have been given a wrong course: it is
    then where the sensors see it. (Lower down it may be a piece that moves under it.) Returns what
    stays unexplained."""
    b = group[0]
    if len(group) > 1 or not b[FLYER_HELD] or b[FLYER_POSE][Z] < HIGH:
        return cost
    if b[FLYER_MEMORY] == NEWCOMER:
        return cost
    tried = _poses(group)
    b[FLYER_MEMORY] = NEWCOMER
    loose = _fit(f, group, 0, 0)
    if loose * 4 < cost * 3:
        return loose
    _put(group, tried)
    return cost


def _keep_course(f: "Record", group: "list[Record]", start: "list[list[int]]", cost: int) -> int:
    """A group that stays a puzzle may have been led astray: a hand keeps to its course rather than
    explain little. Returns what stays unexplained."""
    tried = _poses(group)
    _put(group, start)
    steady = _fit(f, group, STEADY, 0)
    if steady <= cost * 3:
        return steady
    _put(group, tried)
    return cost


def _poses(group: "list[Record]") -> "list[list[int]]":
    return [list(b[FLYER_POSE]) for b in group]


def _put(group: "list[Record]", poses: "list[list[int]]") -> None:
    for b, pose in zip(group, poses):
        copy(b[FLYER_POSE], pose)


def _fit(f: "Record", group: "list[Record]", steady: int, calm: int) -> int:
    """Fits the group from where its bodies are. Hands keep to their course by `steady` bits more,
    the others by `calm` bits; while those are calm, what lies flat stays flat."""
    record = f[FLIGHT_FIT]
    for b in group:
        if not b[FLYER_HELD] and distance(b[FLYER_POSE], b[FLYER_REST]) > SAME_PLACE_MM_Q8:
            # the gains of the sensors below are not learnt there: a hand must not make up for them
            steady = max(steady, LANDING)
    for k, b in enumerate(group):
        at, mode = FIT_BODIES + k * BODY_WORDS, FREE
        if calm and not b[FLYER_HELD] and _lies_flat(f, b[FLYER_POSE]):
            mode = FLAT
            _lay(f, b, b[FLYER_POSE])
        record[at + BODY_MODE], record[at + BODY_SUNK] = mode, b[FLYER_HELD]
        record[at + BODY_STRICT] = steady if b[FLYER_HELD] else calm
        information = _INFORMATION[b[FLYER_MEMORY]]
        record[at + BODY_NEAR], record[at + BODY_HEIGHT] = information[:2]
        record[at + BODY_TURN] = information[2]
        record[at + BODY_POSE], record[at + BODY_EXPECTED] = b[FLYER_POSE], b[FLYER_EXPECTED]
    record[FIT_USED] = len(group)
    look(record)
    uneasy = [b for b in group if b[FLYER_UNEASY]]
    return fit(record, BRIEFLY if calm and uneasy else STEPS)


def _lies_flat(f: "Record", pose: "array[int]") -> bool:
    """True for a body that lies on the mat as far as is known."""
    low = pose[Z] + f[FLIGHT_SCENE][SCENE_SENSOR_Z] - (pose[DISCS] * pose[THICKNESS] >> 1)
    return low < LIES and _sine(pose) < FREE_TILT_SINE_Q12


def _lay(f: "Record", b: "Record", pose: "array[int]") -> None:
    """Lays `pose` as this body lies: as before near where it lay, in a crease say, or flat."""
    rest = b[FLYER_REST]
    known = b[FLYER_LYING] and not b[FLYER_LEANING] and _face(rest) == _face(pose)
    if known and distance(pose, rest) < SAME_PLACE_MM_Q8:
        for k in (Z, AX, AY, AZ):
            pose[k] = rest[k]
    else:
        pose[AZ] = ONE * _face(pose)
        pose[AX] = pose[AY] = 0
        pose[Z] = (pose[DISCS] * pose[THICKNESS] >> 1) - f[FLIGHT_SCENE][SCENE_SENSOR_Z]


def _spread(b: "Record", frames: int, gain: int) -> None:
    """So many frames have passed: the way that was not expected was gone in all of them, where
    learn_course takes 1 / `gain` of it for one frame's."""
    pose, velocity, before = b[FLYER_POSE], b[FLYER_VELOCITY], b[FLYER_BEFORE]
    for k in range(6):
        off = pose[k] - before[k] - velocity[k]
        before[k] = pose[k] - velocity[k] - off * gain // frames


def _halt(b: "Record") -> None:
    for k in range(6):
        b[FLYER_VELOCITY][k] = 0


def _face(pose: "array[int]") -> int:
    """+1 when white shows on top, -1 when black does."""
    return 1 if pose[AZ] >= 0 else -1


def _sine(pose: "array[int]") -> int:
    """Sine (Q12) of the tilt from lying flat."""
    return min(ONE, isqrt(pose[AX] * pose[AX] + pose[AY] * pose[AY]))
