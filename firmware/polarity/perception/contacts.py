"""Which resting pieces touch: geometry of cylinders that lie or lean, and the groups they form."""

from ..facts import KISS, MIX
from ..kernels import AX, AY, AZ, X, Y, Z
from . import pose as geometry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from .body import Body

# Discs that attract each other side by side (opposite faces) do not stay a millimetre apart: they
# jump together.
ATTRACT_GAP = 154  # 0.6 mm
JUMP_GAP = 640  # 2.5 mm: one that has just jumped so near to another has not stopped short of it
REPEL_GAP = 128  # 0.5 mm
DOUBT = 38  # 0.15 mm: so near to the limit the field does not tell whether opposite faces touch
ASLANT = 512  # 2 mm: as much further off may be the middle of a tower that a crease tips
LEANER_GAP = -512  # a leaner floats on a cushion; only an overlap of 2 mm is taken for touching


def inside(a: "Body", b: "Body", radius: int, jumped: bool = False) -> int:
    """How far (Q8 mm) two resting bodies are within the distance at which they are taken to touch
    side by side, below 0 how far outside; `jumped`: the first has just moved there by itself."""
    gap = geometry.distance(a.pose, b.pose) - 2 * radius
    if gap > JUMP_GAP + ASLANT:
        return JUMP_GAP - gap
    if a.leaning or b.leaning:
        return LEANER_GAP - _leaner_gap(a, b, radius)
    gap = geometry.foot_distance(a.pose, b.pose) - 2 * radius
    if not _attract(a, b):
        return REPEL_GAP - gap
    return (JUMP_GAP if jumped else ATTRACT_GAP) - gap


def _attract(a: "Body", b: "Body") -> bool:
    return a.face != b.face or a.is_red or b.is_red


# cosine and sine (Q12) around a rim, every 15 degrees
_RIM = (
    (4096, 0), (3956, 1060), (3547, 2048), (2896, 2896), (2048, 3547), (1060, 3956),
    (0, 4096), (-1060, 3956), (-2048, 3547), (-2896, 2896), (-3547, 2048), (-3956, 1060),
    (-4096, 0), (-3956, -1060), (-3547, -2048), (-2896, -2896), (-2048, -3547), (-1060, -3956),
    (0, -4096), (1060, -3956), (2048, -3547), (2896, -2896), (3547, -2048), (3956, -1060),
)  # fmt: skip


def _leaner_gap(a: "Body", b: "Body", radius: int) -> int:
    """Smallest clearance (Q8 mm, negative: overlap) of one body's rims from the other's
    cylinder."""
    if not a.leaning:
        a, b = b, a
    return min(_rim_gap(a.pose, b.pose, radius), _rim_gap(b.pose, a.pose, radius))


def _rim_gap(p: "array[int]", q: "array[int]", radius: int) -> int:
    """How far the rims of cylinder p stay outside cylinder q (largest of radial and axial
    clearance)."""
    nx, ny, nz = p[AX], p[AY], p[AZ]
    h = max(1, geometry.isqrt(nx * nx + ny * ny))
    if h < 40:
        ux, uy, uz = 4096, 0, 0
    else:
        ux, uy, uz = (-ny << 12) // h, (nx << 12) // h, 0
    vx, vy, vz = (ny * uz - nz * uy) >> 12, (nz * ux - nx * uz) >> 12, (nx * uy - ny * ux) >> 12
    half_p, half_q = p[7] * p[8] >> 1, q[7] * q[8] >> 1
    best = 1 << 20
    for side in (-half_p, half_p):
        for c, s in _RIM:
            dx = p[X] - q[X] + ((side * nx + radius * (c * ux + s * vx >> 12)) >> 12)
            dy = p[Y] - q[Y] + ((side * ny + radius * (c * uy + s * vy >> 12)) >> 12)
            dz = p[Z] - q[Z] + ((side * nz + radius * (c * uz + s * vz >> 12)) >> 12)
            axial = (dx * q[AX] + dy * q[AY] + dz * q[AZ]) >> 12
            square = dx * dx + dy * dy + dz * dz - axial * axial
            gap = max((geometry.isqrt(square) if square > 0 else 0) - radius, abs(axial) - half_q)
            if gap < best:
                best = gap
    return best


class Contacts:
    """The pairs of pieces that touch, kept from one settling to the next."""

    def __init__(self) -> None:
        self.pairs = set()
        self.changes = 0  # how often they were looked at, or ended
        self.doubted = set()  # pairs that may touch, and were asked about
        self.joined = []  # ids, of the last `update`: what the body now also touches,
        self.parted = []  # touches no more,
        self.doubts = []  # may touch
        self.least = 0  # how far inside the closest decision of these was (Q8 mm)

    def group(self, number: int) -> tuple[int, ...]:
        """Ids of every piece connected with `number`, itself included, ascending."""
        group = [number]
        for member in group:
            for a, b in self.pairs:
                other = b if a == member else a if b == member else 0
                if other and other not in group:
                    group.append(other)
        group.sort()
        return tuple(group)

    def touch(self, a: int, b: int) -> bool:
        """True when the two pieces touch."""
        return (min(a, b), max(a, b)) in self.pairs

    def touches(self, number: int) -> bool:
        """True when the piece touches another."""
        for a, b in self.pairs:
            if a == number or b == number:
                return True
        return False

    def _known(self, number: int) -> bool:
        """Whether the piece touched another, or may have touched it."""
        return self.touches(number) or bool([pair for pair in self.doubted if number in pair])

    def update(self, body: "Body", others: "list[Body]", radius: int, jumped: bool = False) -> None:
        """Looks again at one resting body; what has changed is in `joined`, `parted` and `doubts`.
        `jumped` as for `inside`."""
        self.changes += 1
        self.joined, self.parted, self.doubts, self.least = [], [], [], JUMP_GAP
        apart = 1 << 30 if self._known(body.id) else 2 * radius + JUMP_GAP + ASLANT
        for other in others:
            if other is body or not other.lying or (other.slot is not None and other.slot.left):
                continue  # what still moves tells of its contacts when it rests
            if geometry.distance(body.pose, other.pose) > apart:
                continue
            pair = (min(body.id, other.id), max(body.id, other.id))
            held = jumped or pair in self.pairs  # what touched is held together by the pull
            within = inside(body, other, radius, held)
            sound = held or body.leaning or other.leaning or not _attract(body, other)
            if -DOUBT < within < DOUBT and not sound:
                if pair not in self.pairs and pair not in self.doubted:
                    self.doubted.add(pair)
                    self.doubts.append(other.id)
                continue
            self.doubted.discard(pair)
            if within > 0 and pair not in self.pairs:
                self.pairs.add(pair)
                self.joined.append(other.id)
                self.least = min(self.least, within)
            elif within <= 0 and pair in self.pairs:
                self.pairs.remove(pair)
                self.parted.append(other.id)
                self.least = min(self.least, -within)

    def forget(self, number: int) -> list[int]:
        """A piece is no more, or was lifted: its contacts end. Returns the ids it touched."""
        self.changes += 1
        ended = sorted([pair for pair in self.pairs if number in pair])
        for pair in ended:
            self.pairs.remove(pair)
        for pair in [pair for pair in self.doubted if number in pair]:
            self.doubted.remove(pair)
        return [b if a == number else a for a, b in ended]

    def rename(self, old: int, new: int) -> None:
        """A piece has become part of another."""
        for other in self.forget(old):
            if other != new:
                self.pairs.add((min(other, new), max(other, new)))


def group_shape(group: list[int]) -> str:
    """kiss or mix: what a group of pieces side by side is called."""
    return MIX if len(group) > 2 else KISS
