"""Geometry of one body: a disc or a tower as a cylinder with a place and an axis.

A pose is the array that the kernels read (see kernels/_reference.py): Q8 mm above the sensor
plane, axis Q12 out of the white face. Nothing here allocates except `new_pose`.
"""

from array import array

from ..kernels import (  # noqa: F401 - these are geometry's words
    AX,
    AY,
    AZ,
    DISCS,
    THICKNESS,
    X,
    Y,
    Z,
    copy,
    distance,
    height_of_centre,
    isqrt,
    normalise,
    span,
    strayed,
    tangents,
    tip,
    turned,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..mat_data.mat import Mat

ONE = 4096  # a unit vector's length, Q12
SIN_45 = 2896  # sine and cosine of 45 degrees, Q12
NOMINAL = 1024  # the nominal moment, Q10


def new_pose(thickness: int, discs: int = 1) -> "array[int]":
    """A pose at the origin, white up, of the nominal moment."""
    return array("i", (0, 0, 0, 0, 0, ONE, NOMINAL, discs, thickness))


def set_axis(pose: "array[int]", nx: int, ny: int, nz: int) -> None:
    """Points the axis along (nx, ny, nz), any length below 2**15."""
    pose[AX], pose[AY], pose[AZ] = nx, ny, nz
    normalise(pose)


def face(pose: "array[int]") -> int:
    """+1 when white shows on top, -1 when black does."""
    return 1 if pose[AZ] >= 0 else -1


def sine(pose: "array[int]") -> int:
    """Sine (Q12) of the tilt from lying flat."""
    nx, ny = pose[AX], pose[AY]
    return min(ONE, isqrt(nx * nx + ny * ny))


def clearance(pose: "array[int]", mat: "Mat") -> int:
    """Height of the body's lowest point above the mat (negative: below)."""
    return pose[Z] + mat.SENSOR_Z - height_of_centre(pose, mat.DISC_RADIUS)


def in_one_another(p: "array[int]", q: "array[int]") -> bool:
    """Whether two bodies would overlap as far as no two can: opposite fields cancel there, so that
    such a pair seems to explain whatever is seen."""
    return distance(p, q) < p[THICKNESS] and abs(p[Z] - q[Z]) * 2 < p[THICKNESS]


def foot_distance(p: "array[int]", q: "array[int]") -> int:
    """Horizontal distance of the lowest discs' centres of two poses: there a tower that a crease
    tips touches what lies beside it."""
    half_p = ((p[DISCS] - 1) * p[THICKNESS] >> 1) * face(p)
    half_q = ((q[DISCS] - 1) * q[THICKNESS] >> 1) * face(q)
    dx = p[X] - q[X] - ((half_p * p[AX] - half_q * q[AX]) >> 12)
    dy = p[Y] - q[Y] - ((half_p * p[AY] - half_q * q[AY]) >> 12)
    return span(dx, dy)


def low_rim(pose: "array[int]", radius: int) -> tuple[int, int]:
    """(x, y) of the lowest point of the lower rim: where a leaner touches the mat."""
    s = sine(pose)
    if s == 0:
        return pose[X], pose[Y]
    nz = pose[AZ]
    up = 1 if nz >= 0 else -1
    # horizontal unit vector in which the upper face looks
    ux, uy = up * (pose[AX] << 12) // s, up * (pose[AY] << 12) // s
    reach = (radius * up * nz - (pose[DISCS] * pose[THICKNESS] >> 1) * s) >> 12
    return pose[X] + (reach * ux >> 12), pose[Y] + (reach * uy >> 12)


def innermost(pose: "array[int]", radius: int) -> int:
    """How far (Q8 mm) from the circle's centre the part of the body is that is nearest to it, seen
    from above."""
    x, y = pose[X], pose[Y]
    far = span(x, y)
    if far == 0:
        return -radius
    along = min(ONE, abs(pose[AX] * x + pose[AY] * y) // far)
    across = isqrt(ONE * ONE - along * along)
    return far - (radius * across + (pose[DISCS] * pose[THICKNESS] >> 1) * along >> 12)


def rim_moved(a: "array[int]", b: "array[int]", radius: int) -> int:
    """Distance between where the low rims of two poses touch the mat."""
    ax, ay = low_rim(a, radius)
    bx, by = low_rim(b, radius)
    return span(ax - bx, ay - by)


# cosine and sine (Q12) around a rim, every 15 degrees
_RIM = (
    (4096, 0), (3956, 1060), (3547, 2048), (2896, 2896), (2048, 3547), (1060, 3956),
    (0, 4096), (-1060, 3956), (-2048, 3547), (-2896, 2896), (-3547, 2048), (-3956, 1060),
    (-4096, 0), (-3956, -1060), (-3547, -2048), (-2896, -2896), (-2048, -3547), (-1060, -3956),
    (0, -4096), (1060, -3956), (2048, -3547), (2896, -2896), (3547, -2048), (3956, -1060),
)  # fmt: skip


def rim_gap(p: "array[int]", q: "array[int]", radius: int) -> int:
    """How far the rims of cylinder p stay outside cylinder q (largest of radial and axial
    clearance)."""
    nx, ny, nz = p[AX], p[AY], p[AZ]
    h = max(1, isqrt(nx * nx + ny * ny))
    if h < 40:
        ux, uy, uz = 4096, 0, 0
    else:
        ux, uy, uz = (-ny << 12) // h, (nx << 12) // h, 0
    vx, vy, vz = (ny * uz - nz * uy) >> 12, (nz * ux - nx * uz) >> 12, (nx * uy - ny * ux) >> 12
    half_p, half_q = p[DISCS] * p[THICKNESS] >> 1, q[DISCS] * q[THICKNESS] >> 1
    best = 1 << 20
    for side in (-half_p, half_p):
        for c, s in _RIM:
            dx = p[X] - q[X] + ((side * nx + radius * (c * ux + s * vx >> 12)) >> 12)
            dy = p[Y] - q[Y] + ((side * ny + radius * (c * uy + s * vy >> 12)) >> 12)
            dz = p[Z] - q[Z] + ((side * nz + radius * (c * uz + s * vz >> 12)) >> 12)
            axial = (dx * q[AX] + dy * q[AY] + dz * q[AZ]) >> 12
            square = dx * dx + dy * dy + dz * dz - axial * axial
            gap = max((isqrt(square) if square > 0 else 0) - radius, abs(axial) - half_q)
            if gap < best:
                best = gap
    return best


def azimuth(x: int, y: int) -> int:
    """Whole degrees, -180..180, of the direction (x, y)."""
    ax, ay = x if x >= 0 else -x, y if y >= 0 else -y
    if ax == 0 and ay == 0:
        return 0
    # sine of the smaller angle to an axis, then unfolded
    small, large = (ay, ax) if ay <= ax else (ax, ay)
    angle = degrees((small << 12) // span(small, large))
    if ay > ax:
        angle = 90 - angle
    if x < 0:
        angle = 180 - angle
    return angle if y >= 0 else -angle


# sine (Q12) of 0, 5, 10, ... 90 degrees
_SINES = (
    0, 357, 711, 1060, 1401, 1731, 2048, 2349, 2633, 2896, 3138, 3355, 3547,
    3712, 3849, 3956, 4034, 4080, 4096,
)  # fmt: skip


def degrees(sine: int) -> int:
    """Whole degrees, 0..90, of a sine in Q12."""
    k = 0
    while k < 17 and _SINES[k + 1] <= sine:
        k += 1
    low, high = _SINES[k], _SINES[k + 1]
    return 5 * k + (5 * (sine - low) * 2 + (high - low)) // (2 * (high - low))
