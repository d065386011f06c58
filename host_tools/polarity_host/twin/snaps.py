"""What magnets and gravity do by themselves: fall, flip, roll, slide, snap. No hand touches these.

Opposite faces attract side by side, so a kiss joins pieces of opposite faces; discs whose axes point
the same way stack. Every action is a generator that yields once a frame.
"""


class MagnetActions:
    """Motions without a hand; a part of Stage."""

    def fall(self, piece, flip=False, to_xy=None):
        """A leaner falls flat within about 120 ms, turning about its rim contact. Fact: fell.

        flip=True: it goes over the other way and shows its other face. Fact: flipped.
        `to_xy`: where it comes to lie; None: the rim stays where it is unless a neighbour is in
        the way, then it slides clear of it.
        """

    def flip(self, piece, to_xy=None):
        """fall(piece, flip=True)."""

    def roll(self, piece, contact_xy, azimuth_deg=None, tilt_deg=None, seconds=0.35):
        """A leaner rolls to a new contact point, still leaning. Fact: rolled."""

    def slide(self, piece, to_xy, seconds=0.15):
        """A flat piece is pushed along by a field. Fact: shifted; left_circle if it ends outside;
        red_off if it is red and leaves its dot completely."""

    def snap_kiss(self, a, b, share=0.0, seconds=0.045):
        """`a` jumps along the mat against `b`: exactly one diameter apart at the end.

        `share` 0..1: how much of the way `b` comes to meet it. Fact: contact kiss or mix, or
        touched_red if one is red; shifted beside it for a flat piece that moved over 1 mm.
        ValueError if both show the same face.
        """

    def snap_stack(self, a, b, seconds=0.05):
        """`a` (flat, leaner or tower) jumps on top of `b`; they are one tower at b's place, b's face.

        `a` turns over on the way if its axis points the other way. Fact: contact stack (or mix, if
        b's group goes on); the merged piece is `b`.
        """

    def snap_to_hand(self, held, piece, seconds=0.04):
        """A resting piece jumps up under the carried one and sticks. Fact: snapped (and parted
        if it touched others). `held` is the whole stack now."""
