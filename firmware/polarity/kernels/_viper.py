"""The kernels in the RP2040's own code: each returns what its namesake in _reference.py does, bit
by bit.

Viper takes four arguments at most, so a kernel of more hands them over in one list, made once;
nothing here allocates. A pointer reads an array's machine words, so that every array must be of the
type that the reference's docstrings and mat_data name: "H" for counts, indices and the grid, "h"
for the field table and for seeds, bytes for weights, noise and marks, "i" for all else. Integers
wrap at 32 bits, where the reference never goes (tests/kernels/test_32_bits.py). `//` rounds down as
Python's does.

The names of constants become numbers before this is compiled (device/flashing/inline.py). The first
locals of a function live in registers: the innermost loops' come first. 1 << 30 is no small
int, hence its two steps.

What takes most of the time is in the core's own assembler: _thumb.py.
"""

from array import array

import micropython
from micropython import heap_lock as lock_heap  # noqa: F401
from micropython import heap_unlock as unlock_heap  # noqa: F401

from ._reference import (
    BROKEN,
    COSTS,
    FROM_X,
    FROM_Y,
    HAZE,
    KEPT,
    MARK,
    MOVING,
    PLACES,
    QUIET_NOISE,
    REACH,
    RESID,
    SATURATED,
    SEED_COUNT,
    SEEDS,
    SEEN,
    WORTH,
)
from ._reference_fit import (
    ALL,
    AT,
    BODIES,
    BODY,
    COARSE,
    COUNT,
    ENOUGH,
    ENOUGH_HIGH,
    EXPECTED,
    FLAT,
    FREE,
    FREEDOM,
    GAP,
    GENTLE,
    GRADIENT,
    HEAVIEST,
    HEIGHT,
    HIGH,
    JACOBIAN,
    LEAN,
    LEAN_MASS,
    LIGHTEST,
    LONGEST,
    LONGEST_TIP,
    LOW,
    MASS,
    MASS_STEP,
    MODE,
    MOST_STEPS,
    NEAR,
    NEAR_BY,
    NORMAL,
    PARAMS,
    PICK,
    POSE,
    RADIUS,
    REMEMBER,
    SAVED,
    SENSOR_Z,
    SENSORS,
    SOLVE,
    STEEP,
    STEP,
    STIFF,
    STRICT,
    SUNK,
    SUNK_MOST,
    TANGENT,
    TIPPED,
    TURN,
    UNITE,
    USED,
    WEIGH,
    WIDE,
)
from ._thumb import (
    APART,
    COARSENESS,
    DIAGONAL,
    DISCS,
    DZ,
    DZNZ,
    FIRST,
    FREE_ONES,
    HALF,
    HIGHEST,
    HOW_MANY,
    INDEX,
    LEFT_OVER,
    LOWEST,
    MEANT,
    NORMAL_WORDS,
    NUMBER,
    NX,
    NY,
    NZ,
    OUT,
    OWN,
    ROOTS,
    ROUND,
    ROW,
    ROWS,
    ROWS_LEFT,
    SCALES,
    SCAN_WORDS,
    SLOPES,
    SOLVE_WORDS,
    STEEPEST,
    STRIDE,
    SX,
    SY,
    TARGET,
    THICK,
    TRIANGLE,
    TWICE,
    UPRIGHT,
    UX,
    WEIGHT,
    WHOLE,
    WIDTH,
    WITHIN,
    WORDS,
    X0,
    Y0,
    A,
    B,
    M,
    accumulate,
    decompose,
    field,
    gradient,
    normal,
    read,
    squares,
)

IN_PLACE = True  # the field table's rows may lie apart, in the flash

_a = [None] * 14  # a kernel's arguments,
_w = array("i", [0] * 14)  # and as it reads them: numbers, and where buffers lie


@micropython.viper
def _words(values, count: int) -> int:
    words = ptr32(_w)
    _fill(words, values, count)
    return int(words)


@micropython.viper
def _fill(words: ptr32, values, count: int):
    k = 0
    while k < count:
        words[k] = int(ptr32(values[k]))
        k += 1


def record(values):
    words = array("i", [0] * len(values))
    _fill(words, values, len(values))
    return words


@micropython.viper
def put(record: ptr32, at: int, buffer):
    record[at] = int(ptr32(buffer))


@micropython.viper
def isqrt(v: int) -> int:
    root = 0
    bit = 1 << 29
    bit <<= 1
    while bit > v and bit > 1:
        bit >>= 2
    while bit:
        if v >= root + bit:
            v -= root + bit
            root = (root >> 1) + bit
        else:
            root >>= 1
        bit >>= 2
    return root


# 16 times the root of 64..255, for a first guess; below that the root itself
_roots = bytes([isqrt(v) if v < 64 else isqrt(256 * v + 128) for v in range(256)])


@micropython.viper
def copy(target: ptr32, source: ptr32):
    i = 0
    while i < 9:
        target[i] = source[i]
        i += 1


@micropython.viper
def clear(target: ptr32, count: int):
    i = 0
    while i < count:
        target[i] = 0
        i += 1


@micropython.viper
def normalise(pose: ptr32):
    nx = pose[3]
    ny = pose[4]
    nz = pose[5]
    v = nx * nx + ny * ny + nz * nz
    root = 0
    bit = 1 << 29
    bit <<= 1
    while bit > v and bit > 1:
        bit >>= 2
    while bit:
        k = root + bit
        root >>= 1
        if v >= k:
            v -= k
            root += bit
        bit >>= 2
    if root:
        pose[3] = (nx << 12) // root
        pose[4] = (ny << 12) // root
        pose[5] = (nz << 12) // root


@micropython.viper
def tangents(pose: ptr32, out: ptr32):
    nx = pose[3]
    ny = pose[4]
    nz = pose[5]
    ux = nz
    uy = 0
    uz = 0 - nx
    if -3300 < nz and nz < 3300:
        ux = 0 - ny
        uy = nx
        uz = 0
    v = ux * ux + uy * uy + uz * uz
    root = 0
    bit = 1 << 29
    bit <<= 1
    while bit > v and bit > 1:
        bit >>= 2
    while bit:
        k = root + bit
        root >>= 1
        if v >= k:
            v -= k
            root += bit
        bit >>= 2
    ux = (ux << 12) // root
    uy = (uy << 12) // root
    uz = (uz << 12) // root
    out[0] = ux
    out[1] = uy
    out[2] = uz
    out[3] = (ny * uz - nz * uy) >> 12
    out[4] = (nz * ux - nx * uz) >> 12
    out[5] = (nx * uy - ny * ux) >> 12


def scan(counts, offset, gain, base, field, resid, moving, noise, n, low, high):
    a = _a
    a[0] = counts
    a[1] = offset
    a[2] = gain
    a[3] = base
    a[4] = field
    a[5] = resid
    a[6] = moving
    a[7] = noise
    a[8] = n
    a[9] = low
    a[10] = high
    return _scan(_words(a, 11))


@micropython.viper
def _scan(a: ptr32) -> int:
    words = ptr32(_reading)
    k = 0
    while k < 8:
        words[k] = a[k]
        k += 1
    words[NUMBER >> 2] = a[8]
    words[LOWEST >> 2] = a[9]
    words[HIGHEST >> 2] = a[10]
    return int(read(_reading))


_ROWS = 41 + 41 + 25  # of the field table's three levels


def rows_of(table):
    """Where each row of the field table lies: they may lie apart. A table that is that already
    (see flash_pages/tables.py) stays as it is."""
    if len(table) == _ROWS:
        return table
    rows = array("I", bytes(4 * _ROWS))
    _rows_of(rows, table)
    return rows


@micropython.viper
def _rows_of(rows: ptr32, table: ptr16):
    at = int(table)
    i = 0
    while i < 107:
        rows[i] = at
        at += 164 if i < 82 else 100
        i += 1


def body_field(out, index, count, sx, sy, table, pose):
    a = _a
    a[0] = out
    a[1] = index
    a[2] = count
    a[3] = sx
    a[4] = sy
    a[5] = table
    a[6] = pose
    _body_field(_words(a, 7))


# what the assembler's loops work with
_block = array("i", [0] * WORDS)
_sums, _reading = array("i", [0] * NORMAL_WORDS), array("i", [0] * SCAN_WORDS)
_triangle = array("i", [0] * SOLVE_WORDS)
_block[HALF + (WITHIN >> 2)] = 25599  # and twice that: one comparison for -25600 < v < 25600
_block[HALF + (TWICE >> 2)] = 51198
_block[HALF + (STEEPEST >> 2)] = 1048575


@micropython.viper
def _body_field(args: ptr32):
    block = ptr32(_block)
    count = args[2]
    if count:
        block[INDEX >> 2] = args[1]
        block[SX >> 2] = args[3]
        block[SY >> 2] = args[4]
        block[ROWS >> 2] = args[5]
        _place(args[6])
        block[OUT >> 2] = args[0]
        block[HOW_MANY >> 2] = count
        field(_block)


@micropython.viper
def _place(pose: ptr32):
    block = ptr32(_block)
    dz = 0 - pose[2]
    nx = pose[3]
    ny = pose[4]
    nz = pose[5]
    block[X0 >> 2] = pose[0]
    block[Y0 >> 2] = pose[1]
    block[DZ >> 2] = dz
    block[DZNZ >> 2] = dz * nz
    block[NX >> 2] = nx
    block[NY >> 2] = ny
    block[NZ >> 2] = nz
    block[M >> 2] = pose[6]
    block[DISCS >> 2] = pose[7]
    block[THICK >> 2] = pose[8]
    block[FIRST >> 2] = 0 - ((pose[7] - 1) * pose[8] >> 1)
    block[HALF + (ROOTS >> 2)] = int(ptr8(_roots))
    upright = 1
    if nx or ny:
        upright = 0
    block[HALF + (UPRIGHT >> 2)] = upright


def body_gradient(out, jacobian, stride, index, count, sx, sy, table, pose, tangent, wide):
    a = _a
    a[0] = out
    a[1] = jacobian
    a[2] = stride
    a[3] = index
    a[4] = count
    a[5] = sx
    a[6] = sy
    a[7] = table
    a[8] = pose
    a[9] = tangent
    a[10] = wide
    _body_gradient(_words(a, 11))


@micropython.viper
def _body_gradient(args: ptr32):
    block = ptr32(_block)
    count = args[4]
    if count:
        block[SLOPES >> 2] = args[1]
        block[STRIDE >> 2] = args[2] << 2
        block[INDEX >> 2] = args[3]
        block[SX >> 2] = args[5]
        block[SY >> 2] = args[6]
        block[ROWS >> 2] = args[7]
        _place(args[8])
        tangent = ptr32(args[9])
        k = 0
        while k < 6:
            block[(UX >> 2) + k] = tangent[k]
            k += 1
        block[HALF + (ROUND >> 2)] = 15 - args[10]
        block[OUT >> 2] = args[0]
        block[HOW_MANY >> 2] = count
        gradient(_block)


def add_at(target, index, values, count, times):
    a = _a
    a[0] = target
    a[1] = index
    a[2] = values
    a[3] = count
    a[4] = times
    _add_at(_words(a, 5))


@micropython.viper
def _add_at(a: ptr32):
    j = 0
    i = 0
    target = ptr32(a[0])
    index = ptr16(a[1])
    values = ptr32(a[2])
    count = int(a[3])
    times = int(a[4])
    while j < count:
        i = index[j]
        target[i] = target[i] + times * values[j]
        j += 1


def add_size(target, index, values, count, sign):
    a = _a
    a[0] = target
    a[1] = index
    a[2] = values
    a[3] = count
    a[4] = sign
    _add_size(_words(a, 5))


@micropython.viper
def _add_size(a: ptr32):
    j = 0
    i = 0
    target = ptr32(a[0])
    index = ptr16(a[1])
    values = ptr32(a[2])
    count = int(a[3])
    sign = int(a[4])
    while j < count:
        i = index[j]
        v = values[j]
        if v < 0:
            v = 0 - v
        target[i] = target[i] + sign * v
        j += 1


def near(index, grid, side, pitch, x, y, radius, limit):
    a = _a
    a[0] = index
    a[1] = grid
    a[2] = side
    a[3] = pitch
    a[4] = x
    a[5] = y
    a[6] = radius
    a[7] = limit
    return _near(_words(a, 8))


@micropython.viper
def _near(a: ptr32) -> int:
    k = 0
    i = 0
    index = ptr16(a[0])
    grid = ptr16(a[1])
    side = int(a[2])
    pitch = int(a[3])
    x = int(a[4])
    y = int(a[5])
    radius = int(a[6])
    limit = int(a[7])
    middle = side >> 1
    row = (y - radius + pitch - 1) // pitch + middle
    last = (y + radius) // pitch + middle
    if row < 0:
        row = 0
    if last >= side:
        last = side - 1
    square = (radius >> 2) * (radius >> 2)
    count = 0
    while row <= last:
        dy = ((row - middle) * pitch - y) >> 2
        half = square - dy * dy
        if half >= 0:
            # its square root, bit by bit
            root = 0
            bit = 1 << 29
            bit <<= 1
            while bit > half and bit > 1:
                bit >>= 2
            while bit:
                k = root + bit
                root >>= 1
                if half >= k:
                    half -= k
                    root += bit
                bit >>= 2
            half = root << 2
            left = (x - half + pitch - 1) // pitch + middle
            right = (x + half) // pitch + middle
            if left < 0:
                left = 0
            if right >= side:
                right = side - 1
            k = row * side + left
            right += row * side
            while k <= right:
                i = grid[k]
                if i != 0xFFFF:
                    if count >= limit:
                        return count
                    index[count] = i
                    count += 1
                k += 1
        row += 1
    return count


def unite(index, count, some, more, seen, limit):
    a = _a
    a[0] = index
    a[1] = count
    a[2] = some
    a[3] = more
    a[4] = seen
    a[5] = limit
    return _unite(_words(a, 6))


@micropython.viper
def _unite(a: ptr32) -> int:
    j = 0
    i = 0
    index = ptr16(a[0])
    count = int(a[1])
    some = ptr16(a[2])
    more = int(a[3])
    seen = ptr8(a[4])
    limit = int(a[5])
    while j < more:
        i = some[j]
        if seen[i] == 0:
            if count < limit:
                seen[i] = 1
                index[count] = i
                count += 1
        j += 1
    return count


def pick(target, values, index, count, seen):
    a = _a
    a[0] = target
    a[1] = values
    a[2] = index
    a[3] = count
    a[4] = seen
    _pick(_words(a, 5))


@micropython.viper
def _pick(a: ptr32):
    j = 0
    i = 0
    target = ptr32(a[0])
    values = ptr32(a[1])
    index = ptr16(a[2])
    count = int(a[3])
    seen = ptr8(a[4])
    while j < count:
        i = index[j]
        seen[i] = 0
        target[j] = values[i]
        j += 1


def weigh(weight, index, count, field, moving, noise):
    a = _a
    a[0] = weight
    a[1] = index
    a[2] = count
    a[3] = field
    a[4] = moving
    a[5] = noise
    _weigh(_words(a, 6))


@micropython.viper
def _weigh(a: ptr32):
    j = 0
    i = 0
    v = 0
    weight = ptr8(a[0])
    index = ptr16(a[1])
    count = int(a[2])
    field = ptr32(a[3])
    moving = ptr32(a[4])
    noise = ptr8(a[5])
    while j < count:
        i = index[j]
        v = field[i]
        if v < 0:
            v = 0 - v
        bits = 2
        if v < 6000:
            bits = 0
        elif v < 20000:
            bits = 1
        v = noise[i]
        if v > QUIET_NOISE and v != BROKEN:
            more = 4
            if v < 12:
                more = 1
            elif v < 24:
                more = 2
            elif v < 48:
                more = 3
            if more > bits:
                bits = more
        if moving[i] >= SATURATED:
            bits = 20
        weight[j] = bits
        j += 1


@micropython.viper
def noise_bits(v: int) -> int:
    if v <= QUIET_NOISE or v == BROKEN:
        return 0
    if v < 12:
        return 1
    if v < 24:
        return 2
    return 3 if v < 48 else 4


@micropython.viper
def strongest(values: ptr32, count: int) -> int:
    most = 0
    j = 0
    while j < count:
        v = values[j]
        if v < 0:
            v = 0 - v
        if v > most:
            most = v
        j += 1
    return most


@micropython.viper
def misfit(resid: ptr32, moving: ptr32, index: ptr16, count: int) -> int:
    worst = 0
    j = 0
    while j < count:
        i = index[j]
        v = resid[i]
        if v < 0:
            v = 0 - v
        v -= moving[i] >> 4
        if v > worst:
            worst = v
        j += 1
    return worst


def surprise(resid, moving, field, n, threshold):
    a = _a
    a[0] = resid
    a[1] = moving
    a[2] = field
    a[3] = n
    a[4] = threshold
    return _surprise(_words(a, 5))


@micropython.viper
def _surprise(a: ptr32) -> int:
    i = 0
    v = 0
    resid = ptr32(a[0])
    moving = ptr32(a[1])
    field = ptr32(a[2])
    n = int(a[3])
    worst = int(a[4])
    where = -1
    while i < n:
        v = resid[i]
        if v < 0:
            v = 0 - v
        if v > worst:
            b = field[i]
            if b < 0:
                b = 0 - b
            v -= (moving[i] >> 4) + (b >> 6)
            if v > worst:
                worst = v
                where = i
        i += 1
    return where


def bulge(resid, moving, field, grid, side, threshold):
    a = _a
    a[0] = resid
    a[1] = moving
    a[2] = field
    a[3] = grid
    a[4] = side
    a[5] = threshold
    return _bulge(_words(a, 6))


@micropython.viper
def _bulge(a: ptr32) -> int:
    i = 0
    total = 0
    noise = 0
    resid = ptr32(a[0])
    moving = ptr32(a[1])
    field = ptr32(a[2])
    grid = ptr16(a[3])
    side = int(a[4])
    worst = int(a[5])
    where = -1
    row = 1
    while row < side - 1:
        # the sums of three columns of three, one of which is new at each step
        total_b = total_c = noise_b = noise_c = count_b = count_c = 0
        e = (row - 1) * side
        middle = e + side  # the row's first, which has no neighbours on one side
        k = middle - 1
        last = k + side
        while k < last:
            total = 0
            noise = 0
            count = 0
            d = 0
            while d < 3:
                i = grid[e]
                if i != 0xFFFF:
                    if moving[i] < SATURATED:
                        v = field[i]
                        if -8192 < v and v < 8192:
                            total += resid[i]
                            noise += moving[i]
                            count += 1
                d += 1
                e += side
            total_a = total_b
            total_b = total_c
            total_c = total
            noise_a = noise_b
            noise_b = noise_c
            noise_c = noise
            count_a = count_b
            count_b = count_c
            count_c = count
            count += count_a + count_b
            if count >= 5 and k > middle:
                i = grid[k]
                if i != 0xFFFF:
                    total += total_a + total_b
                    if total < 0:
                        total = 0 - total
                    total -= (noise + noise_a + noise_b) >> 7
                    if total > worst * count:  # or else the mean is no more than worst
                        v = total // count
                        if v > worst:
                            worst = v
                            where = i
            k += 1
            e -= 3 * side - 1
        row += 1
    return where


def follow(base, resid, moving, field, noise, n, limit):
    a = _a
    a[0] = base
    a[1] = resid
    a[2] = moving
    a[3] = field
    a[4] = noise
    a[5] = n
    a[6] = limit
    _follow(_words(a, 7))


@micropython.viper
def _follow(a: ptr32):
    i = 0
    v = 0
    base = ptr32(a[0])
    resid = ptr32(a[1])
    moving = ptr32(a[2])
    field = ptr32(a[3])
    noise = ptr8(a[4])
    n = int(a[5])
    limit = int(a[6])
    while i < n:
        v = resid[i]
        most = field[i]
        if most < 0:
            most = 0 - most
        most = limit + (most >> 6)
        if 0 - most < v and v < most:
            m = moving[i]
            if m:
                if noise[i] > QUIET_NOISE:
                    m -= noise[i] * HAZE
            if m < 64:
                base[i] = base[i] + ((v + 32) >> 6)
        i += 1


@micropython.viper
def add(target: ptr32, values: ptr32, count: int):
    j = 0
    while j < count:
        target[j] = target[j] + values[j]
        j += 1


@micropython.viper
def above(index: ptr16, values: ptr32, count: int, limit: int) -> int:
    j = found = 0
    while j < count:
        v = values[j]
        if v > limit or -v > limit:
            index[found] = index[j]
            values[found] = v
            found += 1
        j += 1
    return found


@micropython.viper
def average(mean: ptr32, values: ptr32, share: int, count: int):
    j = 0
    while j < count:
        mean[j] = mean[j] + (((values[j] << 4) - mean[j]) * share >> 8)
        j += 1


@micropython.viper
def exchange(mean: ptr32, values: ptr32, count: int):
    j = 0
    while j < count:
        v = mean[j] + 8 >> 4
        mean[j] = values[j] - v
        values[j] = v
        j += 1


@micropython.viper
def restore(mean: ptr32, values: ptr32, count: int):
    j = 0
    while j < count:
        v = values[j]
        values[j] = v + mean[j]
        mean[j] = v << 4
        j += 1


def normal_equations(a, b, jacobian, stride, target, own, weight, coarse, count, params):
    args = _a
    args[0] = a
    args[1] = b
    args[2] = jacobian
    args[3] = stride
    args[4] = target
    args[5] = own
    args[6] = weight
    args[7] = coarse
    args[8] = count
    args[9] = params
    args[10] = _row
    _normal_equations(_words(args, 11))


_row = bytearray(4 * 96)  # what each sensor shows beyond the model


@micropython.viper
def _normal_equations(args: ptr32):
    words = ptr32(_sums)
    count = args[8]
    params = args[9]
    if count and params:
        words[A >> 2] = args[0]
        words[B >> 2] = args[1]
        words[ROW >> 2] = args[2]
        words[APART >> 2] = args[3] << 2
        words[TARGET >> 2] = args[4]
        words[OWN >> 2] = args[5]
        words[WEIGHT >> 2] = args[6]
        words[COARSENESS >> 2] = args[7]
        words[MEANT >> 2] = count
        words[FREE_ONES >> 2] = params
        words[ROWS_LEFT >> 2] = params
        words[LEFT_OVER >> 2] = args[10]
        normal(_sums)


_cost = array("i", (0, 0))  # what remember adds up, in 2048s and ones: it may leave 32 bits


def remember(pose, expected, tangent, near, height, turn, count, shift, wide, a, b, params, at):
    args = _a
    args[0] = pose
    args[1] = expected
    args[2] = tangent
    args[3] = near
    args[4] = height
    args[5] = turn
    args[6] = count
    args[7] = shift
    args[8] = wide
    args[9] = a
    args[10] = b
    args[11] = params
    args[12] = at
    args[13] = _cost
    _remember(_words(args, 14))
    return (_cost[0] << 11) + _cost[1]


@micropython.viper
def _remember(args: ptr32):
    p = 0
    away = 0
    far = 0
    pose = ptr32(args[0])
    expected = ptr32(args[1])
    tangent = ptr32(args[2])
    near = int(args[3])
    height = int(args[4])
    turn = int(args[5])
    count = int(args[6])
    shift = int(args[7])
    wide = int(args[8]) + 7  # a step is 1 << wide
    a = ptr32(args[9])
    b = ptr32(args[10])
    params = int(args[11])
    at = int(args[12])
    cost = ptr32(args[13])
    cost[0] = 0
    cost[1] = 0
    while p < count:
        known = turn
        if p < 2:
            known = near
        elif p == 2:
            known = height
        if p < 3:
            away = expected[p] - pose[p]
        else:
            k = (p - 3) * 3
            away = (expected[3] - pose[3]) * tangent[k]
            away += (expected[4] - pose[4]) * tangent[k + 1]
            away += (expected[5] - pose[5]) * tangent[k + 2]
            away >>= 12
        far = ((away << 3) + (1 << (wide - 1))) >> wide
        if far > 256:
            far = 256
        elif far < -256:
            far = -256
        most = 32 << wide
        if away > most:
            away = most
        elif away < 0 - most:
            away = 0 - most
        information = known << shift
        far *= far
        if information < 4096:
            cost[1] = cost[1] + (information * far >> 6)
        else:
            cost[0] = cost[0] + (information >> 17) * far
            cost[1] = cost[1] + ((information >> 6) & 2047) * far
        if params:
            k = at + p
            v = known * away
            if shift > wide:
                v <<= shift - wide
            else:
                v >>= wide - shift
            b[k] = b[k] + v
            k = k * params + k
            a[k] = a[k] + information
        p += 1


def gap(target, own, weight, coarse, count):
    a = _a
    a[0] = target
    a[1] = own
    a[2] = weight
    a[3] = coarse
    a[4] = count
    _gap(_words(a, 5))
    return _w[5]


@micropython.viper
def _gap(a: ptr32):  # a[5]: as an object it might take memory
    words = ptr32(_sums)
    words[0] = 0
    count = a[4]
    if count:
        words[TARGET >> 2] = a[0]
        words[OWN >> 2] = a[1]
        words[WEIGHT >> 2] = a[2]
        words[COARSENESS >> 2] = a[3]
        words[MEANT >> 2] = count
        squares(_sums)
    a[5] = words[0]


def solve(a, b, params, damping, delta, root, low):
    args = _a
    args[0] = a
    args[1] = b
    args[2] = params
    args[3] = damping
    args[4] = delta
    args[5] = root
    args[6] = low
    _solve(_words(args, 7))


@micropython.viper
def _solve(args: ptr32):
    k = 0
    v = 0
    low = ptr32(args[6])
    i = 0
    a = ptr32(args[0])
    b = ptr32(args[1])
    params = int(args[2])
    damping = int(args[3])
    delta = ptr32(args[4])
    root = ptr32(args[5])
    p = 0
    q = 0
    bit = 0
    while p < params:
        v = a[p * params + p]
        q = 0
        bit = 1 << 29
        bit <<= 1
        while bit > v and bit > 1:
            bit >>= 2
        while bit:
            k = q + bit
            q >>= 1
            if v >= k:
                v -= k
                q += bit
            bit >>= 2
        root[p] = q if q > 0 else 1
        p += 1
    words = ptr32(_triangle)
    words[TRIANGLE >> 2] = int(low)
    words[SCALES >> 2] = int(root)
    words[WHOLE >> 2] = int(a)
    words[DIAGONAL >> 2] = 16384 + damping
    words[WIDTH >> 2] = params << 2
    decompose(_triangle)
    p = 0
    while p < params:
        v = b[p] // root[p]
        if v > 32767:
            v = 32767
        elif v < -32767:
            v = -32767
        i = p * params
        k = 0
        while k < p:
            v -= (low[i + k] * delta[k]) >> 14
            k += 1
        if v > 32767:
            v = 32767
        elif v < -32767:
            v = -32767
        v = (v << 14) // low[i + p]
        if v > 32767:
            v = 32767
        elif v < -32767:
            v = -32767
        delta[p] = v
        p += 1
    p = params - 1
    while p >= 0:
        v = delta[p]
        k = p + 1
        while k < params:
            v -= (low[k * params + p] * delta[k]) >> 14
            k += 1
        if v > 32767:
            v = 32767
        elif v < -32767:
            v = -32767
        v = (v << 14) // low[p * params + p]
        if v > 32767:
            v = 32767
        elif v < -32767:
            v = -32767
        delta[p] = v
        p -= 1
    p = 0
    while p < params:
        delta[p] = (delta[p] << 8) // root[p]
        p += 1


@micropython.viper
def cost(resid: ptr32, index: ptr16, weight: ptr8, count: int) -> int:
    total = 0
    j = 0
    while j < count:
        v = resid[index[j]] >> (6 + weight[j])
        if v > 511:
            v = 511
        elif v < -511:
            v = -511
        total += v * v
        j += 1
    return total


def mismatch(resid, index, values, weight, count):
    a = _a
    a[0] = resid
    a[1] = index
    a[2] = values
    a[3] = weight
    a[4] = count
    return _mismatch(_words(a, 5))


@micropython.viper
def _mismatch(a: ptr32) -> int:
    j = 0
    v = 0
    resid = ptr32(a[0])
    index = ptr16(a[1])
    values = ptr32(a[2])
    weight = ptr8(a[3])
    count = int(a[4])
    total = 0
    while j < count:
        v = (resid[index[j]] - values[j]) >> (6 + weight[j])
        if v > 511:
            v = 511
        elif v < -511:
            v = -511
        total += v * v
        j += 1
    return total


@micropython.viper
def rival(a: ptr32, pose: ptr32, most: int) -> int:
    j = 0
    v = 0
    resid = ptr32(a[SEEN])
    values = ptr32(a[0])
    block = ptr32(_block)
    left = a[2]
    index = ptr16(a[1])
    weight = ptr8(a[WORTH])
    total = 0
    block[INDEX >> 2] = a[1]
    block[SX >> 2] = a[3]
    block[SY >> 2] = a[4]
    block[ROWS >> 2] = a[5]
    _place(pose)
    while left > 0:
        count = 6 if left > 6 else left  # a few sensors mostly tell
        block[OUT >> 2] = int(values)
        block[HOW_MANY >> 2] = count
        field(_block)
        left -= 6
        j = 0
        while j < count:
            v = (resid[index[j]] - values[j]) >> (6 + weight[j])
            if v > 511:
                v = 511
            elif v < -511:
                v = -511
            total += v * v
            j += 1
        if total >= most:
            return most
        index = ptr16(int(index) + 12)
        weight = ptr8(int(weight) + 6)
    return total


@micropython.viper
def offer(a: ptr32, pose: ptr32):
    seed = ptr16(a[SEEDS])
    costs = ptr32(a[COSTS])
    k = 0
    worst = 0
    n = 0
    while n < a[SEED_COUNT]:
        if seed[3] or seed[4] or seed[5]:
            k = 0
            while k < 6:
                pose[k] = (seed[k] << 16) >> 16
                k += 1
            pose[0] = pose[0] + a[FROM_X]
            pose[1] = pose[1] + a[FROM_Y]
            cost = int(rival(a, pose, costs[worst]))
            if cost < costs[worst]:
                costs[worst] = cost
                ptr32(a[PLACES])[worst] = n
                worst = 0
                k = 1
                while k < KEPT:
                    if costs[k] > costs[worst]:
                        worst = k
                    k += 1
        seed = ptr16(int(seed) + 12)
        n += 1


@micropython.viper
def loudest_first(index: ptr16, count: int, resid: ptr32):
    j = 1
    while j < count:
        i = index[j]
        v = resid[i]
        if v < 0:
            v = 0 - v
        k = j
        while k > 0:
            w = resid[index[k - 1]]
            if w < 0:
                w = 0 - w
            if w >= v:
                break
            index[k] = index[k - 1]
            k -= 1
        index[k] = i
        j += 1


@micropython.viper
def span(dx: int, dy: int) -> int:
    wide = 0
    if not (-23000 < dx and dx < 23000 and -23000 < dy and dy < 23000):
        dx >>= 4
        dy >>= 4
        wide = 4
    return int(isqrt(dx * dx + dy * dy)) << wide


@micropython.viper
def distance(a: ptr32, b: ptr32) -> int:
    return int(span(a[0] - b[0], a[1] - b[1]))


@micropython.viper
def turned(a: ptr32, b: ptr32) -> int:
    dx = a[3] - b[3]
    dy = a[4] - b[4]
    dz = a[5] - b[5]
    return int(isqrt(dx * dx + dy * dy + dz * dz))


@micropython.viper
def strayed(pose: ptr32, anchor: ptr32) -> int:
    away = int(turned(pose, anchor))
    k = 0
    while k < 3:
        v = pose[k] - anchor[k]
        if v < 0:
            v = 0 - v
        if v > away:
            away = v
        k += 1
    return away


@micropython.viper
def advance(pose: ptr32, velocity: ptr32, before: ptr32, held: int):
    if held:
        velocity[0] = velocity[0] - (velocity[0] >> 5)
        velocity[1] = velocity[1] - (velocity[1] >> 5)
        velocity[2] = velocity[2] - (velocity[2] >> 2)
        k = 3
        while k < 6:
            velocity[k] = velocity[k] - (velocity[k] >> 3)
            k += 1
    k = 0
    while k < 6:
        was = pose[k]
        v = velocity[k]
        if held == 0:
            if k > 2:
                v = was - before[k]
        pose[k] = was + v
        before[k] = was
        k += 1
    while k < 9:
        before[k] = pose[k]
        k += 1
    normalise(pose)


@micropython.viper
def learn_course(pose: ptr32, velocity: ptr32, before: ptr32, held: int):
    k = 0
    while k < 6:
        v = pose[k] - before[k] - velocity[k]
        if held:
            v = (v + 2) >> 2
        else:
            v = (v + 1) >> 1
        velocity[k] = velocity[k] + v
        k += 1


@micropython.viper
def enter(r: ptr32, index: ptr16, values: ptr32, pose: ptr32) -> int:
    discs = pose[7]
    if discs > 8:
        discs = 8
    r[0] = int(index)
    r[4] = pose[0]
    r[5] = pose[1]
    r[6] = ptr32(r[REACH])[discs - 1]
    count = int(_near(r))
    r[8] = int(values)
    r[9] = int(index)
    r[10] = count
    r[14] = int(pose)
    _body_field(int(r) + 32)
    leave(r, index, values, 0 - count)
    return count


@micropython.viper
def leave(r: ptr32, index: ptr16, values: ptr32, count: int):
    j = 0
    i = 0
    v = 0
    resid = ptr32(r[RESID])
    moving = ptr32(r[MOVING])
    mark = r[MARK]
    sign = 1
    if count < 0:
        sign = -1
        count = 0 - count
    while j < count:
        i = index[j]
        v = values[j]
        resid[i] = resid[i] + sign * v
        if mark:
            if v < 0:
                v = 0 - v
            moving[i] = moving[i] - sign * v
        j += 1


@micropython.viper
def haze_at(r: ptr32, noise: ptr8, pose: ptr32) -> int:
    side = r[2]
    pitch = r[3]
    column = (pose[0] + (pitch >> 1)) // pitch + (side >> 1)
    row = (pose[1] + (pitch >> 1)) // pitch + (side >> 1)
    if column < 0 or column >= side or row < 0 or row >= side:
        return 0
    i = ptr16(r[1])[row * side + column]
    if i == 0xFFFF:
        return 0
    return int(noise_bits(noise[i]))


@micropython.viper
def misfit_at(r: ptr32, index: ptr16, pose: ptr32) -> int:
    limit = r[7]
    r[0] = int(index)
    r[4] = pose[0]
    r[5] = pose[1]
    r[6] = 12288
    r[7] = 48
    count = int(_near(r))
    r[7] = limit
    return int(misfit(r[RESID], r[MOVING], index, count))


# A fit: see _reference_fit.py. A cost may leave 32 bits, so it is kept as 2048 * high + low.


@micropython.viper
def fit(f: ptr32, steps: int) -> int:
    _choose(f)
    if f[COUNT] < 3:
        return 0
    cost = ptr32(f[REMEMBER + 13])
    known = 0
    high = 0
    low = 0
    damping = GENTLE
    while steps:
        steps -= 1
        _evaluate(f)
        worse = 0
        if known:
            less = low + (((high & 63) << 5) | (low >> 6))
            most = high + (high >> 6) + (less >> 11)
            less &= 2047
            if cost[0] > most:
                worse = 1
            elif cost[0] == most:
                if cost[1] > less:
                    worse = 1
        _save(f, worse)
        if worse:
            damping <<= 3
            if damping > STIFF:
                break
        else:
            known = 1
            high = cost[0]
            low = cost[1]
            damping >>= 2
            if damping < GENTLE:
                damping = GENTLE
            if steps == 0:
                break
            _linearise(f)
        if steps == 0:
            break
        f[SOLVE + 3] = damping
        _solve(int(f) + 4 * SOLVE)
        moved = 0
        at = BODIES
        k = 0
        while k < f[USED]:
            v = int(_move(f, at))
            if v > moved:
                moved = v
            at += BODY
            k += 1
        if moved < ENOUGH:
            break
        if moved < ENOUGH_HIGH and f[COARSE] != 3:
            break
    count = f[COUNT]
    mean = high // count
    if mean >> 24:
        return ALL
    low = ((high - mean * count) * 2048 + low) // count
    if f[COARSE] == 3:
        return (mean << 5) + (low >> 6)
    if f[COARSE] == 2:
        return (mean << 3) + (low >> 8)
    return mean >> 1


@micropython.viper
def _save(f: ptr32, back: int):
    i = 0
    pose = ptr32(0)
    saved = ptr32(0)
    at = BODIES
    k = 0
    while k < f[USED]:
        pose = ptr32(f[at + POSE])
        saved = ptr32(f[at + SAVED])
        if back:
            saved = pose
            pose = ptr32(f[at + SAVED])
        i = 0
        while i < 9:
            saved[i] = pose[i]
            i += 1
        at += BODY
        k += 1


@micropython.viper
def _choose(f: ptr32):
    far = 15872
    if f[USED] < 3:
        far = 21504
    count = 0
    params = 0
    coarse = 0
    at = BODIES
    k = 0
    while k < f[USED]:
        pose = ptr32(f[at + POSE])
        mode = f[at + MODE]
        height = pose[2]
        wide = 3
        rough = 0
        if height < LOW:
            wide = 0
            rough = 3
        elif height < HIGH:
            wide = 2
            rough = 2
        f[at + WIDE] = wide
        f[at + AT] = params
        if mode == LEAN_MASS:
            mode = 5
        f[at + FREEDOM] = mode
        params += mode
        if rough > coarse:
            coarse = rough
        f[NEAR_BY + 4] = pose[0]
        f[NEAR_BY + 5] = pose[1]
        height = 12288 + (height >> 1)
        if height > far:
            height = far
        f[NEAR_BY + 6] = height
        f[UNITE + 1] = count
        f[UNITE + 3] = int(_near(int(f) + 4 * NEAR_BY))
        count = int(_unite(int(f) + 4 * UNITE))
        at += BODY
        k += 1
    f[PARAMS] = params
    f[NORMAL + 9] = params
    f[SOLVE + 2] = params
    f[COARSE] = coarse
    f[GAP + 3] = coarse
    f[NORMAL + 7] = coarse
    f[COUNT] = count
    f[PICK + 3] = count
    f[WEIGH + 2] = count
    f[GRADIENT + 4] = count
    f[GAP + 4] = count
    f[NORMAL + 8] = count
    _pick(int(f) + 4 * PICK)
    _weigh(int(f) + 4 * WEIGH)
    if f[USED] == 1 and f[BODIES + MODE] >= LEAN and f[BODIES + MODE] != FREE:
        pose = ptr32(f[BODIES + POSE])
        if pose[2] >= STEEP:
            _doubt_gains(int(f) + 4 * WEIGH)


@micropython.viper
def _doubt_gains(a: ptr32):
    j = 0
    weight = ptr8(a[0])
    index = ptr16(a[1])
    count = int(a[2])
    field = ptr32(a[3])
    while j < count:
        v = field[index[j]]
        if v < 0:
            v = 0 - v
        bits = 0
        if v >= 40000:
            bits = 4
        elif v >= 20000:
            bits = 3
        elif v >= 10000:
            bits = 2
        elif v >= 5000:
            bits = 1
        if bits > weight[j]:
            weight[j] = bits
        j += 1


@micropython.viper
def _evaluate(f: ptr32):
    j = 0
    rows = ptr32(f[JACOBIAN])
    own = ptr32(f[GRADIENT])
    m = 0
    count = f[COUNT]
    total = ptr32(f[GAP + 1])
    while j < count:
        total[j] = 0
        j += 1
    at = BODIES
    k = 0
    while k < f[USED]:
        mode = f[at + MODE]
        f[GRADIENT + 1] = f[JACOBIAN] + 4 * SENSORS * f[at + AT]
        f[GRADIENT + 8] = f[at + POSE]
        f[GRADIENT + 9] = f[at + TANGENT]
        f[GRADIENT + 10] = f[at + WIDE]
        tangents(f[at + POSE], f[at + TANGENT])
        _body_gradient(int(f) + 4 * GRADIENT)
        if mode == LEAN or mode == LEAN_MASS:
            _ride(f, at)
        if mode == MASS or mode == LEAN_MASS:
            rows = ptr32(f[GRADIENT + 1] + 4 * SENSORS * (f[at + FREEDOM] - 1))
            m = ptr32(f[at + POSE])[6]
            j = 0
            while j < count:
                rows[j] = own[j] * MASS_STEP // m
                j += 1
        if count:
            accumulate(int(total), int(own), count)
        at += BODY
        k += 1
    _gap(int(f) + 4 * GAP)
    high = 0
    low = f[GAP + 5]
    cost = ptr32(f[REMEMBER + 13])
    at = BODIES
    k = 0
    while k < f[USED]:
        if f[at + EXPECTED]:
            _recall(f, at, 0)
            high += cost[0] + (low >> 11)
            low = (low & 2047) + cost[1]
        at += BODY
        k += 1
    cost[0] = high + (low >> 11)
    cost[1] = low & 2047


@micropython.viper
def _linearise(f: ptr32):
    k = 0
    a = ptr32(f[NORMAL])
    params = f[PARAMS]
    b = ptr32(f[NORMAL + 1])
    while k < params * params:
        a[k] = 0
        k += 1
    k = 0
    while k < params:
        b[k] = 0
        k += 1
    _normal_equations(int(f) + 4 * NORMAL)
    at = BODIES
    k = 0
    while k < f[USED]:
        if f[at + EXPECTED]:
            _recall(f, at, params)
        at += BODY
        k += 1
    k = 0
    while k < params * params:
        a[k] = a[k] + 2
        k += params + 1


@micropython.viper
def _recall(f: ptr32, at: int, params: int):
    f[REMEMBER] = f[at + POSE]
    f[REMEMBER + 1] = f[at + EXPECTED]
    f[REMEMBER + 2] = f[at + TANGENT]
    f[REMEMBER + 3] = f[at + NEAR]
    f[REMEMBER + 4] = f[at + HEIGHT]
    f[REMEMBER + 5] = f[at + TURN]
    f[REMEMBER + 6] = 5 if f[at + MODE] == FREE else 2
    f[REMEMBER + 7] = 2 * (f[at + WIDE] + 3 - f[COARSE]) + f[at + STRICT]
    f[REMEMBER + 8] = f[at + WIDE]
    f[REMEMBER + 11] = params
    f[REMEMBER + 12] = f[at + AT]
    _remember(int(f) + 4 * REMEMBER)


@micropython.viper
def _ride(f: ptr32, at: int):
    j = 0
    rows = ptr32(f[GRADIENT + 1])
    z = 0
    count = f[COUNT]
    step = STEP << f[at + WIDE]
    tipped = f[TIPPED]
    height = int(height_of_centre(f[at + POSE], f[RADIUS]))
    copy(tipped, f[at + POSE])
    tip(tipped, f[at + TANGENT], step, 0)
    rise_a = int(height_of_centre(tipped, f[RADIUS])) - height
    copy(tipped, f[at + POSE])
    tip(tipped, f[at + TANGENT], 0, step)
    rise_b = int(height_of_centre(tipped, f[RADIUS])) - height
    j = 2 * SENSORS
    count += j
    while j < count:
        z = rows[j]
        rows[j] = rows[j + SENSORS] + z * rise_a // step
        rows[j + SENSORS] = rows[j + 2 * SENSORS] + z * rise_b // step
        j += 1


@micropython.viper
def _share(delta: int, step: int) -> int:
    if delta > MOST_STEPS:
        delta = MOST_STEPS
    elif delta < 0 - MOST_STEPS:
        delta = 0 - MOST_STEPS
    delta = delta * step >> 8
    if delta > MOST_STEPS:
        return MOST_STEPS
    if delta < 0 - MOST_STEPS:
        return 0 - MOST_STEPS
    return delta


@micropython.viper
def _move(f: ptr32, at: int) -> int:
    pose = ptr32(f[at + POSE])
    delta = ptr32(f[SOLVE + 4] + 4 * f[at + AT])
    mode = f[at + MODE]
    step = STEP << f[at + WIDE]
    moved = 0
    straight = 2
    if mode == FREE:
        straight = 3
    p = 0
    while p < straight:
        v = int(_share(delta[p], step))
        if v > LONGEST:
            v = LONGEST
        elif v < 0 - LONGEST:
            v = 0 - LONGEST
        pose[p] = pose[p] + v
        if v < 0:
            v = 0 - v
        if v > moved:
            moved = v
        p += 1
    if mode == MASS or mode == LEAN_MASS:
        v = delta[f[at + FREEDOM] - 1] * MASS_STEP >> 8
        p = v
        if p > 100:
            p = 100
        elif p < -100:
            p = -100
        p += pose[6]
        if p > HEAVIEST:
            p = HEAVIEST
        elif p < LIGHTEST:
            p = LIGHTEST
        pose[6] = p
        if v < 0:
            v = 0 - v
        if v > moved:
            moved = v
    if mode == FLAT or mode == MASS:
        return moved
    a = int(_share(delta[straight], step))
    b = int(_share(delta[straight + 1], step))
    longest = a
    if a < 0:
        longest = 0 - a
    v = b
    if b < 0:
        v = 0 - b
    if v > longest:
        longest = v
    if longest > LONGEST_TIP:
        a = a * LONGEST_TIP // longest
        b = b * LONGEST_TIP // longest
        longest = a
        if a < 0:
            longest = 0 - a
        v = b
        if b < 0:
            v = 0 - b
        if v > longest:
            longest = v
    if longest > moved:
        moved = longest
    tip(f[at + POSE], f[at + TANGENT], a, b)
    lowest = 0 - f[SENSOR_Z]
    if mode != FREE:
        pose[2] = lowest + int(height_of_centre(f[at + POSE], f[RADIUS]))
        return moved
    slack = 0
    if f[at + SUNK] == 0:
        lowest += int(height_of_centre(f[at + POSE], f[RADIUS]))
        slack = SUNK_MOST
    if pose[2] < lowest - slack:
        pose[2] = lowest
    return moved


@micropython.viper
def tip(pose: ptr32, tangent: ptr32, a: int, b: int):
    k = 0
    while k < 3:
        pose[3 + k] = pose[3 + k] + ((a * tangent[k] + b * tangent[3 + k]) >> 12)
        k += 1
    normalise(pose)


@micropython.viper
def height_of_centre(pose: ptr32, radius: int) -> int:
    nx = pose[3]
    ny = pose[4]
    nz = pose[5]
    if nz < 0:
        nz = 0 - nz
    sine = int(isqrt(nx * nx + ny * ny))
    if sine > 4096:
        sine = 4096
    return (radius * sine + (pose[7] * pose[8] >> 1) * nz) >> 12
