"""What was seen to happen on the mat: the one thing perception says and the referee hears."""

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
CONTACT = "contact"  # others = every piece of a group that now touches, as named before
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

FLAT = "flat"
LEANER = "leaner"
TOWER = "tower"
RED = "red"
STACK = "stack"
KISS = "kiss"
MIX = "mix"


def letter(face):
    """A face or a player as text: +1 is "w", -1 is "b", anything else ""."""
    return "w" if face == WHITE else "b" if face == BLACK else ""


class Fact:
    """One settled fact. A piece is a rigid body: a disc, or a tower of `discs` discs.

    `t_ms` ms; `x`, `y`, `d` in 1/100 mm from the circle's centre; `tilt` in whole degrees from
    flat; `face` +1 white up, -1 black up, 0 not known; `confidence` 0..100. `seq` is the number
    under which the fact went out on the wire (0 before that).
    """

    def __init__(self, kind, t_ms, piece=0, others=(), face=0, discs=1, x=0, y=0, tilt=0, d=0,
                 shape="", why="", confidence=100):  # fmt: skip
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

    def __repr__(self):
        return f"Fact({self.kind} {self.t_ms} ms piece={self.piece} others={self.others})"
