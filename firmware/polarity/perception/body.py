"""One thing that perception follows: a disc or a tower, at rest or in flight."""

from .. import kernels
from ..facts import FLAT, LEANER, RED, TOWER
from ..kernels import AX, AY, AZ, DISCS, X, Y, Z
from ..kernels._limits import FREE_TILT_SINE_Q12, SAME_PLACE_MM_Q8
from ..kernels._records import (
    FLYER_AGE,
    FLYER_LOST,
    FLYER_LOW,
    FLYER_REST,
    FLYER_STILL,
    FLYER_UNEASY,
)
from ..units import CMM_Q6
from . import pose as geometry
from .parameters import (
    GUARDED_BELOW_MM_Q8,
    STAYS_DOWN_FRAMES,
    STAYS_FRAMES,
    STAYS_MM_Q8,
    STAYS_OVER_MM_Q8,
    STAYS_ROUNDS,
    STAYS_STEADY_MM_Q8,
    STAYS_TIMES,
    STAYS_WAY_MM_Q8,
    UPRIGHT_SINE_Q12,
)
from .solver import lay_flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from ..facts import Fact
    from ..mat_data.mat import Mat
    from .fit import Fitter, Track

# What belongs to the body, as opposed to its track.
_IDENTITY = (
    "id", "rest", "state", "inside", "is_red", "weighed", "leaning", "out_told", "parts", "steps",
    "crossed_ms", "cleared_ms", "jolted", "went", "unconfirmed",
)  # fmt: skip


# The state of a body. In flight it may besides be lost: for how many frames, its track counts.
#   TENTATIVE: in a hand, perhaps, and not announced, or no longer
#   HELD: in a hand
#   MOVING: it lay, and is in flight to be looked at, falls, slides or is pulled
#   RESTING: it lies still, in the base
TENTATIVE, HELD, MOVING, RESTING = range(4)


class Body:
    """A body keeps its `id`, given when it is first told of, from entering the circle to leaving
    it.

    `pose` is where it is now, `rest` where it last lay. In flight it holds a `slot` (a Track, see
    fit.py). `state` says what it does, `inside` that its centre is within the circle.
    """

    # What few ever have: as attributes of all forty they would take 4 KB of the chip's heap.
    is_red = False
    out_told = False
    crossed_ms = -1  # when a hand carried it in
    cleared_ms = -1 << 17  # when it was last woken and had not moved
    # ids of the pieces that have snapped together into it and were not told yet
    parts: "tuple[int, ...]" = ()
    unconfirmed: "Fact | None" = None  # that it came in, which is told once that is sure
    leaving = False  # a hand has carried it out of the circle
    faded_ms = 0  # since when its field is too weak to follow it, in a hand high up
    doubted = False  # it is to be looked at again, as a newcomer
    joined_ms = 0  # when the last of `parts` joined it,
    lain = 0  # and for how many frames it has lain flat since
    # what its parts were before, one after the other: (joined_ms, discs, id, its parts)
    steps: "tuple[tuple[int, int, int, tuple[int, ...]], ...]" = ()
    # the players were asked whether it lies outside the circle, or it does and is in play there
    out_asked = False
    jolted = False  # it lies where it lay before a jolt, as far as is known,
    went: "tuple[int, int] | None" = None  # and may since have gone so far: (x, y)

    def __init__(self, thickness: int, discs: int = 1) -> None:
        self.id = 0  # not told of yet
        self.pose = geometry.new_pose(thickness, discs)
        self.rest = geometry.new_pose(thickness, discs)
        # In flight only: what asks for it knows whether the body is in flight.
        self.slot: "Track" = None  # pyright: ignore[reportAttributeAccessIssue]
        self.state = TENTATIVE
        self.inside = True
        self.weighed = False  # its moment has been learnt
        self.leaning = False

    def swap_names(self, other: "Body") -> None:
        """The two tracks have been mixed up: each body becomes the other, where it is."""
        for name in _IDENTITY:
            mine, its = getattr(self, name), getattr(other, name)
            if mine is not its:
                setattr(self, name, its)
                setattr(other, name, mine)
        mine, its = self.slot, other.slot
        mine.kept, its.kept = its.kept, mine.kept
        mine.left, its.left = its.left, mine.left
        mine.face, its.face = its.face, mine.face
        kernels.put(mine.flyer, FLYER_REST, self.rest)
        kernels.put(its.flyer, FLYER_REST, other.rest)
        for slot in (mine, its):
            slot.flyer[FLYER_STILL] = 0
            slot.changed()

    def lay(self, pose: "array[int]", mat: "Mat") -> None:
        """Lays `pose` as this body lies: as before near where it lay, in a crease say, or flat."""
        rest = self.rest
        known = self.state >= MOVING and not self.leaning
        same = known and geometry.face(rest) == geometry.face(pose)
        if same and geometry.distance(pose, rest) < SAME_PLACE_MM_Q8:
            pose[Z] = rest[Z]
            pose[AX], pose[AY], pose[AZ] = rest[AX], rest[AY], rest[AZ]
        else:
            lay_flat(pose, mat, geometry.face(pose))

    def move(self, pose: "array[int]", fitter: "Fitter") -> None:
        """In flight it is at `pose`, and is fitted no further."""
        fitter.leave(self.slot)
        geometry.copy(self.pose, pose)
        fitter.enter(self.slot, self.pose)

    @property
    def discs(self) -> int:
        return self.pose[DISCS]

    @property
    def face(self) -> int:
        return geometry.face(self.pose)

    @property
    def shows(self) -> int:
        """The face that is up; 0 of a stack that stands on its edge."""
        on_edge = self.leaning and self.discs > 1 and abs(self.pose[AZ]) < UPRIGHT_SINE_Q12
        return 0 if on_edge else self.face

    @property
    def is_new(self) -> bool:
        """Nothing has been told of it yet: it comes in, or is none."""
        return self.state == TENTATIVE and not self.leaving

    @property
    def shape(self) -> str:
        """flat, leaner, tower or red, as facts name it."""
        if self.is_red:
            return RED
        if self.leaning:
            return LEANER
        return TOWER if self.discs > 1 else FLAT

    def spot_cmm(self, radius: int) -> tuple[int, int]:
        """(x, y) in 1/100 mm: the centre, or where a leaner's rim touches the mat. What stands on
        its side touches it with all of that."""
        x, y = self.pose[X], self.pose[Y]
        if self.leaning and abs(self.pose[AZ]) >= UPRIGHT_SINE_Q12:
            x, y = geometry.low_rim(self.pose, radius)
        return x * CMM_Q6 >> 6, y * CMM_Q6 >> 6

    def may_topple(self) -> bool:
        """True for a disc in a hand that is low enough to topple a leaner near it."""
        return self.state == HELD and self.pose[Z] < GUARDED_BELOW_MM_Q8

    def stays_held(self, pose: "array[int]", other: "Body") -> bool:
        """Whether a body that seems to lie was still in a hand when the `other` came to it by
        itself, and both have this pose. Of two that nobody holds the lighter comes further, and
        one that is twice as heavy hardly comes at all."""
        flyer, speed = self.slot.flyer, self.slot.velocity
        outweighed = other.discs >= 2 * self.discs
        over = self._is_over(other)
        pace = geometry.span(speed[X], speed[Y])
        down = flyer[FLYER_LOW] if pace < STAYS_STEADY_MM_Q8 else flyer[FLYER_LOW] * self.discs
        if (
            flyer[FLYER_UNEASY] >= STAYS_ROUNDS << (over or outweighed)
            or flyer[FLYER_AGE] < STAYS_FRAMES
            or down >= STAYS_DOWN_FRAMES >> (2 if over else 0)
        ):
            return False
        if over or flyer[FLYER_LOST] or pace >= STAYS_MM_Q8:
            return over and pace < STAYS_MM_Q8 << 1
        way, shift = geometry.distance(pose, other.rest), geometry.distance(self.pose, pose)
        if way <= STAYS_WAY_MM_Q8 >> outweighed:
            return False
        return way * max(self.discs, other.discs) > STAYS_TIMES * shift * self.discs

    def _is_over(self, other: "Body") -> bool:
        """Whether a hand seems to set it down straight on to the `other`. What jumps on to another
        comes from beside it, and tilted; unless it falls on a stack so heavy that it does not turn,
        or has already joined another by itself."""
        if self.parts or other.discs >= 4 * self.discs:
            return False
        last = self.slot.good
        near = geometry.distance(last, other.rest) < STAYS_OVER_MM_Q8
        return near and geometry.sine(last) < FREE_TILT_SINE_Q12

    def tilt_deg(self) -> int:
        """Whole degrees from lying flat."""
        return geometry.degrees(geometry.sine(self.pose))

    def azimuth_deg(self) -> int:
        """Whole degrees of the direction in which the upper face looks; 0 when lying flat."""
        up = self.face
        return geometry.azimuth(up * self.pose[AX], up * self.pose[AY]) if self.leaning else 0


def stack_near(bodies: "list[Body]", pose: "array[int]", within: int) -> "Body | None":
    """The first stack in no hand that is so near, Q8 mm, or None."""
    for body in bodies:
        if body.discs > 1 and body.state > HELD and geometry.distance(body.pose, pose) < within:
            return body
    return None
