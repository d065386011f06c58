"""Which resting pieces touch: geometry of cylinders that lie or lean, and the groups they form."""

from ..facts import KISS, MIX
from . import pose as geometry
from .body import MOVING
from .parameters import (
    ASLANT_MM_Q8,
    ATTRACT_GAP_MM_Q8,
    CONTACT_DOUBT_MM_Q8,
    JUMP_GAP_MM_Q8,
    LEANER_GAP_MM_Q8,
    REPEL_GAP_MM_Q8,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .body import Body


def inside(a: "Body", b: "Body", radius: int, jumped: bool = False) -> int:
    """How far (Q8 mm) two resting bodies are within the distance at which they are taken to touch
    side by side, below 0 how far outside; `jumped`: the first has just moved there by itself."""
    gap = geometry.distance(a.pose, b.pose) - 2 * radius
    if gap > JUMP_GAP_MM_Q8 + ASLANT_MM_Q8:
        return JUMP_GAP_MM_Q8 - gap
    if a.leaning or b.leaning:
        return LEANER_GAP_MM_Q8 - _leaner_gap(a, b, radius)
    gap = geometry.foot_distance(a.pose, b.pose) - 2 * radius
    if not _attract(a, b):
        return REPEL_GAP_MM_Q8 - gap
    return (JUMP_GAP_MM_Q8 if jumped else ATTRACT_GAP_MM_Q8) - gap


def _attract(a: "Body", b: "Body") -> bool:
    return a.face != b.face or a.is_red or b.is_red


def _leaner_gap(a: "Body", b: "Body", radius: int) -> int:
    """Smallest clearance (Q8 mm, negative: overlap) of one body's rims from the other's
    cylinder."""
    if not a.leaning:
        a, b = b, a
    return min(geometry.rim_gap(a.pose, b.pose, radius), geometry.rim_gap(b.pose, a.pose, radius))


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
        return pair_of(a, b) in self.pairs

    def touches(self, number: int) -> bool:
        """True when the piece touches another."""
        for a, b in self.pairs:
            if a == number or b == number:
                return True
        return False

    def update(self, body: "Body", others: "list[Body]", radius: int, jumped: bool = False) -> None:
        """Looks again at one resting body; what has changed is in `joined`, `parted` and `doubts`.
        `jumped` as for `inside`."""
        self.changes += 1
        self.joined, self.parted, self.doubts, self.least = [], [], [], JUMP_GAP_MM_Q8
        apart = 2 * radius + JUMP_GAP_MM_Q8 + ASLANT_MM_Q8
        if self.touches(body.id) or _of(self.doubted, body.id):
            apart = 1 << 30
        for other in others:
            if other is body or other.state < MOVING:
                continue
            if other.slot is not None and other.slot.left:
                continue  # what still moves tells of its contacts when it rests
            if geometry.distance(body.pose, other.pose) <= apart:
                self._compare(body, other, radius, jumped)

    def _compare(self, body: "Body", other: "Body", radius: int, jumped: bool) -> None:
        """As `update`, for one of the others."""
        pair = pair_of(body.id, other.id)
        known = pair in self.pairs
        held = jumped or known  # what touched is held together by the pull
        within = inside(body, other, radius, held)
        sound = held or body.leaning or other.leaning or not _attract(body, other)
        if -CONTACT_DOUBT_MM_Q8 < within < CONTACT_DOUBT_MM_Q8 and not sound:
            if not known and pair not in self.doubted:
                self.doubted.add(pair)
                self.doubts.append(other.id)
            return
        self.doubted.discard(pair)
        if within > 0 and not known:
            self.pairs.add(pair)
            self.joined.append(other.id)
            self.least = min(self.least, within)
        elif within <= 0 and known:
            self.pairs.remove(pair)
            self.parted.append(other.id)
            self.least = min(self.least, -within)

    def forget(self, number: int) -> list[int]:
        """A piece is no more, or was lifted: its contacts end. Returns the ids it touched."""
        self.changes += 1
        ended = sorted(_of(self.pairs, number))
        for pair in ended:
            self.pairs.remove(pair)
        for pair in _of(self.doubted, number):
            self.doubted.remove(pair)
        return [b if a == number else a for a, b in ended]

    def rename(self, old: int, new: int) -> None:
        """A piece has become part of another."""
        for other in self.forget(old):
            if other != new:
                self.pairs.add(pair_of(other, new))


def pair_of(a: int, b: int) -> tuple[int, int]:
    """The two ids as the pair that is kept of them: the smaller first."""
    return min(a, b), max(a, b)


def _of(pairs: "set[tuple[int, int]]", number: int) -> "list[tuple[int, int]]":
    """The pairs that a piece is one of."""
    return [pair for pair in pairs if number in pair]


def group_shape(group: list[int]) -> str:
    """kiss or mix: what a group of pieces side by side is called."""
    return MIX if len(group) > 2 else KISS
