"""What the mat observed: the only thing that perception reports to the referee."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WHITE = 1
BLACK = -1

HAND_IN = "hand_in"  # a carried piece's centre crossed the circle inward
HAND_OUT = "hand_out"  # a carried piece's centre crossed the circle outward; the piece is gone
PLACED = "placed"  # a carried piece now rests; others = pieces it leans over
LIFTED = "lifted"  # a resting piece was picked up; others = (the part of a tower that stayed,)
SNAPPED = "snapped"  # others joined the carried piece and ceased to be pieces of their own
FELL = "fell"  # a leaner now lies flat, same face up
FLIPPED = "flipped"  # a piece now lies flat and shows the other face (no FELL beside it)
SHIFTED = "shifted"  # a flat piece now rests d away from where it last rested
ROLLED = "rolled"  # a leaner still leans, its contact point d away
CONTACT = "contact"  # others = every piece of a group that now touches, under their earlier ids
PARTED = "parted"  # others = pieces that touched and no longer do
LEFT_CIRCLE = "left_circle"  # a piece on the mat lies entirely outside the circle
TOUCHED_RED = "touched_red"  # a piece touches the red disc
RED_OFF = "red_off"  # the red disc is completely off its dot
JOLT = "jolt"  # the whole mat was shaken
UNSURE = "unsure"  # the field does not decide: why, and the pieces concerned

KINDS = (
    HAND_IN, HAND_OUT, PLACED, LIFTED, SNAPPED, FELL, FLIPPED, SHIFTED, ROLLED, CONTACT,
    PARTED, LEFT_CIRCLE, TOUCHED_RED, RED_OFF, JOLT, UNSURE,
)  # fmt: skip

# Of facts of one moment these are judged in this order, however they are reported: a hand that
# comes in, for what happens then is no longer before it (001 Faults, last line); what a disc that
# is let go sets in motion, so that it counts although the disc may end the game; how discs come to
# rest in contact after the contact, for it is part of that; the disc itself.
SAME_MOMENT = (
    HAND_IN, JOLT, LIFTED, FELL, FLIPPED, ROLLED, CONTACT, SHIFTED, LEFT_CIRCLE, RED_OFF,
    TOUCHED_RED, UNSURE, SNAPPED, PARTED, PLACED, HAND_OUT,
)  # fmt: skip
# No fact is reported longer than this after it happened: so many frames of the mat may pass, each
# the newest of as many as are followed blindly, until a piece that lies still is reported however
# badly it is understood (perception: settle.TOLD_FRAMES, tracker.MOST_PASSED, mat.FRAME_HZ).
LATEST_MS = 7200
# At most so sure is a fact that sensors reported which are known to be ill. What it would cost
# somebody is asked, not judged.
SUSPECT = 10

FLAT = "flat"
LEANER = "leaner"
TOWER = "tower"
RED = "red"
STACK = "stack"
KISS = "kiss"
MIX = "mix"


def letter(face: int) -> str:
    """A face or a player as text: +1 is "w", -1 is "b", anything else ""."""
    return "w" if face == WHITE else "b" if face == BLACK else ""


class Fact:
    """One confirmed fact. A piece is a rigid body: a disc, or a tower of `discs` discs.

    `kind` is one of KINDS. `piece` and `others` are ids of pieces. `t_ms` ms; `x`, `y`, `d` in
    1/100 mm from the circle's centre; `tilt` in whole degrees from flat; `face` +1 white up, -1
    black up, 0 not known; `confidence` 0..100. `seq` is the number under which the fact was sent on
    the wire (0 before that).
    """

    def __init__(
        self,
        kind: str,
        t_ms: int,
        piece: int = 0,
        others: "Sequence[int]" = (),
        face: int = 0,
        discs: int = 1,
        x: int = 0,
        y: int = 0,
        tilt: int = 0,
        d: int = 0,
        shape: str = "",
        why: str = "",
        confidence: int = 100,
    ) -> None:
        self.kind = kind
        self.t_ms = t_ms
        self.piece = piece
        self.others = others
        self.face = face
        self.discs = discs
        self.x = x
        self.y = y
        self.tilt = tilt
        self.d = d
        self.shape = shape
        self.why = why
        self.confidence = confidence
        self.seq = 0

    def sent_as(self, seq: int) -> None:
        """It is on the wire under this number."""
        self.seq = seq

    def suspect(self) -> None:
        """The sensors that reported it are not to be believed."""
        self.rate(min(self.confidence, SUSPECT))

    def rate(self, confidence: int) -> None:
        """It is so sure."""
        self.confidence = confidence

    def moment(self) -> tuple:
        """Its place among facts: sorted by this they are in the order in which they happened. A
        stack only grows in a hand."""
        kind = FELL if self.kind == FLIPPED else self.kind  # two ways to come down
        rank = SAME_MOMENT.index(kind) if kind in SAME_MOMENT else -1
        if kind == PLACED and self.shape == RED:
            rank = -1
        return (
            self.t_ms, rank, self.piece, self.discs, tuple(self.others), self.face, self.x, self.y,
            self.d, self.kind, self.shape, self.why, self.confidence,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"Fact({self.kind} {self.t_ms} ms piece={self.piece} others={self.others})"
