"""The arithmetic of perception, plain and slow: this file defines what every other kernel must
return.

Integers only. Lengths are Q8 mm, unit vectors Q12, fields µT, moments Q10 of the nominal disc.
Nothing here leaves 32 bits, so that C can return the same numbers.

A *pose* is an array of 9 ints: x, y, z of the body's centre (z above the sensor plane), the axis
that points out of the white face (3), moment of one disc, number of discs stacked along the axis,
thickness of a disc.
"""

from array import array
from math import sqrt

from ._records import (
    AX,
    AY,
    AZ,
    BROKEN,
    HAZE,
    MOST_BIAS,
    QUIET_NOISE,
    SATURATED,
    STRONG_FIELD,
    X,
    Y,
    Z,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Field table: (step shift, cells a side, offset in the table) of its levels; see
# hardware/tools/generate.py.
_L1 = 41 * 41 * 2
_L2 = 2 * _L1
_REACH_0 = 40 << 8
_REACH_1 = 160 << 8
_REACH_2 = 384 << 8
_NEAR = 100 << 8


_FAR = 256  # eighths of a step: beyond this, a body is simply elsewhere


def isqrt(v: int) -> int:
    """Floor of the square root of 0 <= v < 2**31, whatever the precision of floats."""
    r = int(sqrt(v))
    if r * r > v:
        return r - 1
    return r + 1 if (r + 1) * (r + 1) <= v else r


def copy(target: "array[int]", source: "Sequence[int]") -> None:
    """target[:9] = source[:9], poses, without a slice."""
    for i in range(9):
        target[i] = source[i]


def normalise(pose: "array[int]") -> None:
    """Makes the axis of a pose a unit vector again."""
    nx, ny, nz = pose[AX], pose[AY], pose[AZ]
    length = isqrt(nx * nx + ny * ny + nz * nz)
    if length:
        pose[AX] = (nx << 12) // length
        pose[AY] = (ny << 12) // length
        pose[AZ] = (nz << 12) // length


def tangents(pose: "array[int]", out: "array[int]") -> None:
    """out = two unit vectors (Q12) square to the pose's axis and to each other."""
    nx, ny, nz = pose[AX], pose[AY], pose[AZ]
    if -3300 < nz < 3300:
        ux, uy, uz = -ny, nx, 0
    else:
        ux, uy, uz = nz, 0, -nx
    length = isqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = (ux << 12) // length, (uy << 12) // length, (uz << 12) // length
    out[0], out[1], out[2] = ux, uy, uz
    out[3], out[4], out[5] = (
        (ny * uz - nz * uy) >> 12,
        (nz * ux - nx * uz) >> 12,
        (nx * uy - ny * ux) >> 12,
    )


def scan(
    counts: "Sequence[int]",
    offset: "array[int]",
    gain: "array[int]",
    base: "array[int]",
    field: "array[int]",
    resid: "array[int]",
    moving: "array[int]",
    noise: "bytearray",
    n: int,
    low: int,
    high: int,
) -> int:
    """Raw counts to field (µT) and residual field - base; returns the largest |residual|.

    `offset` is in 1/16 count, `gain` in µT per 1/16 count, Q14. A saturated count (outside
    low..high) says only that the field is at least so strong: its residual is 0, like that of a
    broken sensor, which keeps its last field.
    `moving` starts the frame at 0, or, where a sensor is noisy, so high that noise is no surprise;
    `noise` is a bytearray of rms noise in 16 µT, BROKEN for a sensor that says nothing.
    """
    peak = 0
    for i in range(n):
        c = counts[i]
        v = noise[i]
        moving[i] = v * HAZE if v > QUIET_NOISE else 0
        broken = v == BROKEN
        v = (((c << 4) - offset[i]) * gain[i]) >> 14
        if not broken:
            field[i] = v
        if c < low or c > high or broken:
            resid[i] = 0
            moving[i] = SATURATED
            continue
        v -= base[i]
        resid[i] = v
        if v > peak:
            peak = v
        elif -v > peak:
            peak = -v
    return peak


def body_field(
    out: "array[int] | list[int]",
    index: "Sequence[int]",
    count: int,
    sx: "array[int]",
    sy: "array[int]",
    table: "array[int]",
    pose: "array[int]",
) -> None:
    """out[j] = B_z (µT) of the body at sensor index[j], j < count: the axisymmetric table, rotated
    back."""
    x0, y0, dz = pose[0], pose[1], -pose[2]
    nx, ny, nz = pose[3], pose[4], pose[5]
    m, discs, thickness = pose[6], pose[7], pose[8]
    first = -((discs - 1) * thickness >> 1)
    upright = nx == 0 and ny == 0
    for j in range(count):
        i = index[j]
        dx = sx[i] - x0
        dy = sy[i] - y0
        s0 = (dx * nx + dy * ny + dz * nz) >> 12
        # the sensor's place in the disc's plane, and its distance from the axis
        rx, ry, rz = dx - (s0 * nx >> 12), dy - (s0 * ny >> 12), dz - (s0 * nz >> 12)
        if -_NEAR < rx < _NEAR and -_NEAR < ry < _NEAR and -_NEAR < rz < _NEAR:
            rho = isqrt(rx * rx + ry * ry + rz * rz)
        else:
            a, b, c = rx >> 2, ry >> 2, rz >> 2
            rho = isqrt(a * a + b * b + c * c) << 2
        # cosine (Q12) between the radial direction in the disc's plane and the mat's z
        cosine = 0 if upright or rho == 0 else (rz << 12) // rho
        total = 0
        s = s0 - first
        for _ in range(discs):
            z = s if s >= 0 else -s
            far = z if z > rho else rho
            if far < _REACH_0:
                k = ((z >> 8) * 41 + (rho >> 8)) * 2
                row, fr, fz, up = 82, rho & 255, z & 255, 2
            elif far < _REACH_1:
                k = _L1 + ((z >> 10) * 41 + (rho >> 10)) * 2
                row, fr, fz, up = 82, (rho >> 2) & 255, (z >> 2) & 255, -2
            elif far < _REACH_2:
                k = _L2 + ((z >> 12) * 25 + (rho >> 12)) * 2
                row, fr, fz, up = 50, (rho >> 4) & 255, (z >> 4) & 255, -6
            else:
                s -= thickness
                continue
            e = k + row
            a = table[k + 1]
            a += ((table[k + 3] - a) * fr) >> 8
            b = table[e + 1]
            b += ((table[e + 3] - b) * fr) >> 8
            axial = a + (((b - a) * fz) >> 8)
            if cosine:
                a = table[k]
                a += ((table[k + 2] - a) * fr) >> 8
                b = table[e]
                b += ((table[e + 2] - b) * fr) >> 8
                radial = a + (((b - a) * fz) >> 8)
                if s < 0:
                    radial = -radial
                v = (axial * nz + radial * cosine) >> 12
            else:
                v = (axial * nz) >> 12
            total += v << up if up > 0 else v >> -up
            s -= thickness
        out[j] = (total * m) >> 10


def body_gradient(
    out: "array[int]",
    jacobian: "array[int] | memoryview[int]",
    stride: int,
    index: "Sequence[int]",
    count: int,
    sx: "array[int]",
    sy: "array[int]",
    table: "array[int]",
    pose: "array[int]",
    tangent: "array[int]",
    wide: int,
) -> None:
    """As body_field, and the field's change for a step of each free parameter, from the table's
    own slopes.

    Rows of `jacobian`, `stride` apart, in µT: x, y, z by 0.5 mm each, then the axis tipped by 1/32
    toward the unit vectors u and v of `tangent` (six ints, Q12, square to the axis); each step is
    2**wide times as long.
    """
    x0, y0, dz = pose[0], pose[1], -pose[2]
    nx, ny, nz = pose[3], pose[4], pose[5]
    m, discs, thickness = pose[6], pose[7], pose[8]
    ux, uy, uz, vx, vy, vz = tangent[0], tangent[1], tangent[2], tangent[3], tangent[4], tangent[5]
    first = -((discs - 1) * thickness >> 1)
    move, swivel = 15 - wide, 19 - wide
    for j in range(count):
        i = index[j]
        dx = sx[i] - x0
        dy = sy[i] - y0
        s0 = (dx * nx + dy * ny + dz * nz) >> 12
        rx, ry, rz = dx - (s0 * nx >> 12), dy - (s0 * ny >> 12), dz - (s0 * nz >> 12)
        if -_NEAR < rx < _NEAR and -_NEAR < ry < _NEAR and -_NEAR < rz < _NEAR:
            rho = isqrt(rx * rx + ry * ry + rz * rz)
        else:
            a, b, c = rx >> 2, ry >> 2, rz >> 2
            rho = isqrt(a * a + b * b + c * c) << 2
        if rho < 8:
            rho = 8
        # the radial unit vector e in the disc's plane, and how u and v lie along it (Q12)
        ex, ey, ez = (rx << 12) // rho, (ry << 12) // rho, (rz << 12) // rho
        eu = (ex * ux + ey * uy + ez * uz) >> 12
        ev = (ex * vx + ey * vy + ez * vz) >> 12
        total = gx = gy = gz = ga = gb = 0
        s = s0 - first
        for _ in range(discs):
            z = s if s >= 0 else -s
            far = z if z > rho else rho
            if far < _REACH_0:
                k = ((z >> 8) * 41 + (rho >> 8)) * 2
                row, fr, fz = 82, rho & 255, z & 255
            elif far < _REACH_1:
                k = _L1 + ((z >> 10) * 41 + (rho >> 10)) * 2
                row, fr, fz = 82, (rho >> 2) & 255, (z >> 2) & 255
            elif far < _REACH_2:
                k = _L2 + ((z >> 12) * 25 + (rho >> 12)) * 2
                row, fr, fz = 50, (rho >> 4) & 255, (z >> 4) & 255
            else:
                s -= thickness
                continue
            e = k + row
            # axial and radial field and their slopes along rho and s, first in the level's units a
            # cell
            a, b, c, d = table[k + 1], table[k + 3], table[e + 1], table[e + 3]
            fs_r = (b - a) + (((d - c) - (b - a)) * fz >> 8)
            fs_s = (c - a) + (((d - b) - (c - a)) * fr >> 8)
            fs = a + ((b - a) * fr >> 8)
            fs += (c + ((d - c) * fr >> 8) - fs) * fz >> 8
            a, b, c, d = table[k], table[k + 2], table[e], table[e + 2]
            fr_r = (b - a) + (((d - c) - (b - a)) * fz >> 8)
            fr_s = (c - a) + (((d - b) - (c - a)) * fr >> 8)
            f_r = a + ((b - a) * fr >> 8)
            f_r += (c + ((d - c) * fr >> 8) - f_r) * fz >> 8
            if s < 0:
                fs_s, fr_r, f_r = -fs_s, -fr_r, -f_r
            # then fields in µT and slopes in µT/mm near the disc, in 1/16 of both away from it
            if far < _REACH_0:
                fs, f_r = fs << 2, f_r << 2
                fs_r, fs_s, fr_r, fr_s = _slope(fs_r), _slope(fs_s), _slope(fr_r), _slope(fr_s)
                down = 8
            elif far < _REACH_1:
                fs, f_r = fs << 2, f_r << 2
                down = 12
            else:
                fs, f_r = fs >> 2, f_r >> 2
                fs_r, fs_s, fr_r, fr_s = fs_r >> 6, fs_s >> 6, fr_r >> 6, fr_s >> 6
                down = 12
            total += (fs * nz + f_r * ez) >> down
            # slopes of B_z along rho, along s, and what turning e costs
            by_rho = (fs_r * nz + fr_r * ez) >> 12
            by_s = (fs_s * nz + fr_s * ez) >> 12
            turn = (f_r << 8) // rho
            if turn > 65535:
                turn = 65535
            elif turn < -65535:
                turn = -65535
            # moving the body by +1 mm moves the sensor by -1 mm
            side = by_rho - (turn * ez >> 12)
            ahead = by_s - (turn * nz >> 12)
            gx -= (side * ex + ahead * nx) >> down
            gy -= (side * ey + ahead * ny) >> down
            gz -= (side * ez + ahead * nz + (turn << 12)) >> down
            # tipping toward u: s grows by rho e.u, rho by -s e.u (Q8 mm), the axis' z by u_z
            lever = (turn * s0) >> 8
            swing = ((by_s * rho - by_rho * s0) >> 8) - (f_r * nz >> 12) + (lever * ez >> 12)
            if swing > 262143:
                swing = 262143
            elif swing < -262143:
                swing = -262143
            ga += (swing * eu + (fs - lever) * uz) >> down
            gb += (swing * ev + (fs - lever) * vz) >> down
            s -= thickness
        out[j] = (total >> 4) * m >> 10
        jacobian[j] = _scaled(gx, m, move)
        jacobian[stride + j] = _scaled(gy, m, move)
        jacobian[2 * stride + j] = _scaled(gz, m, move)
        jacobian[3 * stride + j] = _scaled(ga >> 2, m, swivel - 2)
        jacobian[4 * stride + j] = _scaled(gb >> 2, m, swivel - 2)


def _slope(v: int) -> int:
    """A slope of the finest level in µT/mm, cut at +-32767: steeper ones are inside a disc."""
    return 32767 if v > 8191 else -32767 if v < -8191 else v << 2


def _scaled(v: int, m: int, shift: int) -> int:
    """v (in 1/16) times the moment m, shifted down and rounded."""
    if v > 1048575:
        v = 1048575
    elif v < -1048575:
        v = -1048575
    return (v * m + (1 << (shift - 1))) >> shift


def add_at(
    target: "array[int]", index: "array[int]", values: "array[int]", count: int, times: int
) -> None:
    """target[index[j]] += times * values[j]."""
    for j in range(count):
        target[index[j]] += times * values[j]


def add_size(
    target: "array[int]", index: "array[int]", values: "array[int]", count: int, sign: int
) -> None:
    """target[index[j]] += sign * |values[j]|."""
    for j in range(count):
        v = values[j] * sign
        target[index[j]] += v if (v >= 0) == (sign > 0) else -v


def near(
    index: "array[int]",
    grid: "array[int]",
    side: int,
    pitch: int,
    x: int,
    y: int,
    radius: int,
    limit: int,
) -> int:
    """Fills `index` with the sensors within `radius` of (x, y), row by row; returns how many (<=
    limit)."""
    middle = side >> 1
    first = (y - radius + pitch - 1) // pitch + middle
    last = (y + radius) // pitch + middle
    if first < 0:
        first = 0
    if last >= side:
        last = side - 1
    square = (radius >> 2) * (radius >> 2)
    count = 0
    for row in range(first, last + 1):
        dy = ((row - middle) * pitch - y) >> 2
        half = square - dy * dy
        if half < 0:
            continue
        half = isqrt(half) << 2
        left = (x - half + pitch - 1) // pitch + middle
        right = (x + half) // pitch + middle
        if left < 0:
            left = 0
        if right >= side:
            right = side - 1
        start = row * side
        for k in range(start + left, start + right + 1):
            i = grid[k]
            if i != 0xFFFF:
                if count >= limit:
                    return count
                index[count] = i
                count += 1
    return count


def unite(
    index: "array[int]",
    count: int,
    some: "array[int]",
    more: int,
    seen: "bytearray",
    places: "bytearray",
    limit: int,
) -> tuple[int, int]:
    """Adds the first `more` sensors of `some` to the `count` of `index`, each once and `limit` at
    most; `places` are theirs there. `seen` (a byte a sensor) holds one more than a sensor's place,
    0 if it has none. Returns how many `index` then has, and how many `places` are set."""
    found = 0
    for j in range(more):
        i = some[j]
        if not seen[i] and count < limit:
            index[count] = i
            count += 1
            seen[i] = count
        if seen[i]:
            places[found] = seen[i] - 1
            found += 1
    return count, found


def pick(
    target: "array[int]", values: "array[int]", index: "array[int]", count: int, seen: "bytearray"
) -> None:
    """target[j] = values[index[j]]; and takes the mark of index[j] out of `seen`."""
    for j in range(count):
        i = index[j]
        seen[i] = 0
        target[j] = values[i]


def weigh(
    weight: "array[int] | bytearray",
    index: "array[int]",
    count: int,
    field: "array[int]",
    moving: "array[int]",
    noise: "bytearray",
) -> None:
    """weight[j] = how many bits sensor index[j] counts less in a fit: a strong field is uncertain
    by the sensor's gain, a noisy sensor by its noise (see noise_bits), a saturated one says
    nothing."""
    for j in range(count):
        i = index[j]
        v = field[i]
        if v < 0:
            v = -v
        bits = 0 if v < 6000 else 1 if v < 20000 else 2
        v = noise_bits(noise[i])
        if v > bits:
            bits = v
        if moving[i] >= SATURATED:
            bits = 20
        weight[j] = bits


def noise_bits(noise: int) -> int:
    """Bits by which the noise of a sensor (see scan) is above a sound one's."""
    if noise == BROKEN or noise <= QUIET_NOISE:
        return 0
    return 1 if noise < 12 else 2 if noise < 24 else 3 if noise < 48 else 4


def strongest(values: "array[int]", count: int) -> int:
    """The largest |value| of the first `count`."""
    most = 0
    for j in range(count):
        v = values[j]
        if v < 0:
            v = -v
        if v > most:
            most = v
    return most


def misfit(resid: "array[int]", moving: "array[int]", index: "array[int]", count: int) -> int:
    """The largest |residual| at the sensors of `index` beyond 1/16 of the moving field there, 0 at
    least."""
    worst = 0
    for j in range(count):
        i = index[j]
        v = resid[i]
        if v < 0:
            v = -v
        v -= moving[i] >> 4
        if v > worst:
            worst = v
    return worst


def surprise(
    resid: "array[int]", moving: "array[int]", field: "array[int]", n: int, threshold: int
) -> int:
    """The sensor whose residual most exceeds what it may be: threshold + 1/16 of the moving field
    + 1/64 of the whole field. -1: none."""
    worst, where = threshold, -1
    for i in range(n):
        v = resid[i]
        if v < 0:
            v = -v
        if v > worst:
            b = field[i]
            v -= (moving[i] >> 4) + ((b if b >= 0 else -b) >> 6)
            if v > worst:
                worst, where = v, i
    return where


def bulge(
    resid: "array[int]",
    moving: "array[int]",
    field: "array[int]",
    grid: "array[int]",
    side: int,
    threshold: int,
) -> int:
    """The sensor in whose three by three neighbourhood the mean residual most exceeds what it may
    be: threshold + 1/128 of the mean of `moving` (the noise, while nothing moves). -1: none.
    Sensors that say nothing, or are in a field beyond 8192 µT, do not count, and five must."""
    worst, where = threshold, -1
    for row in range(1, side - 1):
        for column in range(1, side - 1):
            k = row * side + column
            if grid[k] == 0xFFFF:
                continue
            total = noise = count = 0
            for d in (-side, 0, side):
                for e in range(k + d - 1, k + d + 2):
                    i = grid[e]
                    if i != 0xFFFF and moving[i] < SATURATED and -8192 < field[i] < 8192:
                        total += resid[i]
                        noise += moving[i]
                        count += 1
            if count >= 5:
                v = ((total if total >= 0 else -total) - (noise >> 7)) // count
                if v > worst:
                    worst, where = v, grid[k]
    return where


def follow(
    base: "array[int]",
    bias: "array[int]",
    resid: "array[int]",
    moving: "array[int]",
    field: "array[int]",
    noise: "bytearray",
    n: int,
    limit: int,
) -> None:
    """Drift: where |resid| < limit + 1/64 of the field the base follows it, 1/64 of the way a
    frame; not where the moving field, but for what `scan` sets it to, is 64 µT or more. Where the
    base without its bias is strong it is the gain that drifts, or was not known: it becomes bias,
    and ends when the body that makes that field leaves. (If noise decided what is strong, one sign
    of it would become bias, and the other not.)"""
    for i in range(n):
        v = resid[i]
        strong = field[i]
        strong = (strong if strong >= 0 else -strong) >> 6
        m = moving[i]
        if m and noise[i] > QUIET_NOISE:
            m -= noise[i] * HAZE
        if -(limit + strong) < v < limit + strong and m < 64:
            v = (v + 32) >> 6
            known = base[i] - bias[i]
            base[i] += v
            if abs(known) >> 6 >= STRONG_FIELD and -MOST_BIAS < bias[i] < MOST_BIAS:
                bias[i] += v


def _cut(v: int, most: int) -> int:
    """v, but no further from 0 than `most`."""
    return most if v > most else -most if v < -most else v


def above(index: "array[int]", values: "array[int]", count: int, limit: int) -> int:
    """Moves the entries in which |value| is above `limit` to the front, in their order; returns how
    many there are."""
    found = 0
    for j in range(count):
        if abs(values[j]) > limit:
            index[found], values[found] = index[j], values[j]
            found += 1
    return found


def average(mean: "array[int]", values: "array[int]", share: int, count: int) -> None:
    """mean[j], in sixteenths, goes `share` (Q8) of the way to values[j]."""
    for j in range(count):
        mean[j] += ((values[j] << 4) - mean[j]) * share >> 8


def exchange(mean: "array[int]", values: "array[int]", count: int) -> None:
    """values[j] becomes mean[j] (in sixteenths), and that by how much values[j] was more."""
    for j in range(count):
        v = mean[j] + 8 >> 4
        mean[j] = values[j] - v
        values[j] = v


def restore(mean: "array[int]", values: "array[int]", count: int) -> None:
    """Undoes `exchange`, whatever values[j] has become meanwhile."""
    for j in range(count):
        v = values[j]
        values[j] = v + mean[j]
        mean[j] = v << 4


def triangle(row: int) -> int:
    """Where a row begins in the lower half of a symmetric matrix, row by row: (p, q) is at
    triangle(p) + q, q <= p."""
    return row * (row + 1) >> 1


def weighted(
    total: "array[int]", target: "array[int]", weight: "bytearray", coarse: int, count: int
) -> None:
    """total = target - total, in units of 2**coarse µT and each sensor's `weight` bits more, cut at
    +-4095."""
    for j in range(count):
        total[j] = _cut((target[j] - total[j]) >> (weight[j] + coarse), 4095)


def squares(values: "array[int]", count: int) -> int:
    """The sum of the first `count` squares."""
    return _dot(values[:count], values[:count])


def shift_rows(
    rows: "array[int] | memoryview[int]", stride: int, shifts: list[int], params: int
) -> None:
    """Brings so many rows, `stride` apart, in µT for one step of a parameter, to the units of
    weighted()."""
    for p in range(params):
        for j, shift in enumerate(shifts):
            rows[p * stride + j] = _cut(rows[p * stride + j] >> shift, 4095)


def normal_equations(
    a: "array[int]",
    b: "array[int]",
    rows: "array[int] | memoryview[int]",
    stride: int,
    left: list[int],
    params: int,
    first: int,
) -> None:
    """A body's own block: J^T J + 2 into the lower half `a`, and J^T `left` into `b`, where its
    parameters begin at `first`."""
    count = len(left)
    for p in range(params):
        row = rows[p * stride : p * stride + count]
        b[first + p] = _dot(row, left)
        for q in range(p + 1):
            other = rows[q * stride : q * stride + count]
            a[triangle(first + p) + first + q] = _dot(row, other)
        a[triangle(first + p) + first + p] += 2


def coupling(
    a: "array[int]",
    rows: "array[int] | memoryview[int]",
    its: "array[int] | memoryview[int]",
    stride: int,
    both: list[tuple[int, int]],
    params: int,
    its_params: int,
    first: int,
    its_first: int,
) -> None:
    """The block of two bodies: the products of the one's `rows` and of `its` at the sensors of
    `both`, their numbers in the one and in the other. The other comes first."""
    for p in range(params):
        for q in range(its_params):
            total = 0
            for j, k in both:
                total += rows[p * stride + j] * its[q * stride + k]
            a[triangle(first + p) + its_first + q] = total


def _dot(u: "Sequence[int]", v: "Sequence[int]") -> int:
    """Scalar product of two sequences of equal length."""
    total = 0
    for x, y in zip(u, v):
        total += x * y
    return total


def remember(
    pose: "array[int]",
    expected: "array[int]",
    tangent: "array[int]",
    near: int,
    height: int,
    turn: int,
    count: int,
    shift: int,
    wide: int,
    a: "array[int]",
    b: "array[int]",
    linear: bool,
    at: int,
) -> int:
    """What it costs a body to be away from where it is expected, in squares of weighted(): for x, y
    by `near` << `shift` a squared step, for z by `height`, for the tips by `turn`; steps are those
    of body_gradient. `count` of its parameters are drawn, 2 (lying) or 5 (free).

    If `linear` that is added to the normal equations a, b too, in which the body's parameters begin
    at `at`.
    """
    step = 128 << wide
    cost = 0
    for p in range(count):
        information = (near if p < 2 else height if p == 2 else turn) << shift
        if p < 3:
            away = expected[p] - pose[p]
        else:
            away = 0
            for c in range(3):
                away += (expected[AX + c] - pose[AX + c]) * tangent[3 * (p - 3) + c]
            away >>= 12
        far = _cut((away * 8 + (step >> 1)) // step, _FAR)  # in eighths of a step
        away = _cut(away, _FAR * step >> 3)
        if information < 4096:
            cost += information * far * far >> 6
        else:
            cost += (information >> 6) * far * far
        if linear:
            q = at + p
            a[triangle(q) + q] += information
            b[q] += information * away // step
    return cost


def solve(
    a: "array[int]",
    b: "array[int]",
    params: int,
    damping: int,
    delta: "array[int]",
    root: "array[int]",
    low: "array[int]",
) -> None:
    """delta (Q8 steps) of the damped normal equations a x = b, by Cholesky in Q14 after unit-
    diagonal scaling.

    `a` is its lower half, as normal_equations and coupling leave it; `root`, `low` are scratch
    (params, a lower half). A parameter that no sensor sees gets 0.
    """
    for p in range(params):
        d = isqrt(a[triangle(p) + p])
        root[p] = d if d > 0 else 1
    for p in range(params):
        row = triangle(p)
        for q in range(p):
            low[row + q] = _short((_short(a[row + q] // root[p]) << 14) // root[q])
        low[row + p] = 16384 + damping
    # factor: low = L (unit scale Q14), diagonal kept in place
    for p in range(params):
        row = triangle(p)
        for q in range(p + 1):
            other, v = triangle(q), low[row + q]
            for k in range(q):
                v -= (low[row + k] * low[other + k]) >> 14
            if p == q:
                if v < 1024:
                    v = 1024
                low[row + p] = isqrt(v << 14)
            else:
                low[row + q] = _short((_short(v) << 14) // low[other + q])
    for p in range(params):
        row, v = triangle(p), _short(b[p] // root[p])
        for k in range(p):
            v -= (low[row + k] * delta[k]) >> 14
        delta[p] = _short((_short(v) << 14) // low[row + p])
    for p in range(params - 1, -1, -1):
        v = delta[p]
        for k in range(p + 1, params):
            v -= (low[triangle(k) + p] * delta[k]) >> 14
        delta[p] = _short((_short(v) << 14) // low[triangle(p) + p])
    for p in range(params):
        delta[p] = (delta[p] << 8) // root[p]


def _short(v: int) -> int:
    """v cut to what the products of `solve` can hold."""
    return _cut(v, 32767)


def cost(
    resid: "array[int]", index: "array[int]", weight: "array[int] | bytearray", count: int
) -> int:
    """Sum of squared residuals in (64 µT)^2 at the sensors of `index`, each cut at 32 mT, weighted
    down."""
    total = 0
    for j in range(count):
        v = _cut(resid[index[j]] >> (6 + weight[j]), 511)
        total += v * v
    return total


def mismatch(
    resid: "array[int]", index: "array[int]", values: "array[int]", weight: "array[int]", count: int
) -> int:
    """cost() as it would be if `values` were taken out of the residual first."""
    total = 0
    for j in range(count):
        v = _cut((resid[index[j]] - values[j]) >> (6 + weight[j]), 511)
        total += v * v
    return total


def loudest_first(index: "array[int]", count: int, resid: "array[int]") -> None:
    """Sorts the first `count` sensors of `index` by |residual|, the largest first; equals stay in
    their order."""
    # MicroPython's sort does not keep the order of equals
    order = sorted([(-abs(resid[index[k]]), k, index[k]) for k in range(count)])
    index[:count] = array("H", [i for _, _, i in order])


def span(dx: int, dy: int) -> int:
    """Length of (dx, dy), to 1/16 mm when longer than 127 mm."""
    if -23000 < dx < 23000 and -23000 < dy < 23000:
        return isqrt(dx * dx + dy * dy)
    dx >>= 4
    dy >>= 4
    return isqrt(dx * dx + dy * dy) << 4


def distance(a: "array[int]", b: "array[int]") -> int:
    """Horizontal distance between two poses' centres."""
    return span(a[X] - b[X], a[Y] - b[Y])


def turned(a: "array[int]", b: "array[int]") -> int:
    """Sine-like measure (Q12) of the angle between two axes: |a - b|."""
    dx, dy, dz = a[AX] - b[AX], a[AY] - b[AY], a[AZ] - b[AZ]
    return isqrt(dx * dx + dy * dy + dz * dz)


def strayed(pose: "array[int]", anchor: "array[int]") -> int:
    """How far a pose is from another: the most of x, y, z (Q8 mm) and turned()."""
    away = turned(pose, anchor)
    for k in range(3):
        away = max(away, abs(pose[k] - anchor[k]))
    return away


def advance(pose: "array[int]", velocity: "array[int]", before: "array[int]", held: bool) -> None:
    """Moves a pose on by a frame, a loose body's axis as it turned since `before`, which then holds
    the pose as it was. A hand goes, rises and turns ever more slowly: it is seen less and less,
    and must not run away by itself."""
    if held:
        velocity[X] -= velocity[X] >> 5
        velocity[Y] -= velocity[Y] >> 5
        velocity[Z] -= velocity[Z] >> 2
        for k in range(3, 6):
            velocity[k] -= velocity[k] >> 3
    for k in range(6):
        was = pose[k]
        pose[k] += velocity[k] if held or k < 3 else was - before[k]
        before[k] = was
    for k in range(6, 9):
        before[k] = pose[k]
    normalise(pose)


def learn_course(
    pose: "array[int]", velocity: "array[int]", before: "array[int]", held: bool
) -> None:
    """The velocity follows the way from `before`, by a quarter in a hand, else by half."""
    for k in range(6):
        v = pose[k] - before[k] - velocity[k]
        velocity[k] += (v + 2) >> 2 if held else (v + 1) >> 1
