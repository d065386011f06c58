"""What a hand does: bring a disc in, set it down, lift, turn over, take away.

Whatever is held trembles and drifts; what is released is perfectly still. Speeds are the peak of a
minimum-jerk profile. Every action is a generator that yields once a frame.
"""


class HandActions:
    """Actions of a hand; a part of Stage."""

    def carry_in(self, piece, to_xy, height_mm=35.0, tilt_deg=0.0, azimuth_deg=0.0,
                 speed_mm_s=400.0, from_deg=None):
        """Bring a held piece from outside over `to_xy` (hovering there). Fact: hand_in.

        `from_deg` is the azimuth it comes from; None: the side of the colour it shows (w -90,
        b +90, some spread). Red gives no hand_in.
        """

    def carry_to(self, piece, to_xy, height_mm=None, tilt_deg=0.0, azimuth_deg=0.0,
                 speed_mm_s=400.0):
        """Move a held piece within the air to hover over `to_xy`."""

    def carry_out(self, piece, toward_deg=None, height_mm=50.0, speed_mm_s=450.0):
        """Carry a held piece out over the circle and away. Fact: hand_out. The piece is gone."""

    def set_flat(self, piece, xy, seconds=0.4):
        """Lower a held single disc flat at `xy` and let go. Fact: placed flat (red: placed red)."""

    def set_leaner(self, piece, contact_xy, azimuth_deg, tilt_deg, over=None, seconds=0.6):
        """Lower a held disc to lean, low rim on the mat at `contact_xy`, and let go.

        `azimuth_deg`: where its upper face looks horizontally = away from the foundation that it
        leans over, so the foundation lies at contact - something * u(azimuth). `tilt_deg` from
        flat. `over`: pieces it leans over (truth's others); None: found from the poses.
        Fact: placed leaner.
        """

    def set_tower(self, piece, xy, face=None, seconds=0.5):
        """Lower a held stack at `xy`, turned over in the hand first if `face` is not the one up.

        Fact: placed tower (a single disc: placed flat).
        """

    def drop_flat(self, piece, xy, seconds=0.5):
        """Try to set a leaner, but it falls flat at `xy`, same face up. Fact: placed flat."""

    def lift(self, piece, discs=None, height_mm=40.0, seconds=0.45):
        """A bare hand lifts a resting piece, or its top `discs` only. Fact: lifted (and parted,
        if it touched others, which stay behind). Returns the Piece now in the hand (a part of a
        tower is a new Piece with a new id).
        """

    def lift_group(self, piece, others, height_mm=40.0, seconds=0.6):
        """A bare hand lifts `piece`; `others`, which touch it, snap underneath one by one.

        Facts: lifted, snapped (one for each that joins). Members of the contact group not in
        `others` stay behind (parted). Returns `piece`, now the whole stack.
        """

    def turn_over(self, piece, seconds=0.5):
        """Turn a held piece over in the hand by 180 deg (no fact: `placed` tells the face)."""

    def slide_by_hand(self, piece, to_xy, seconds=0.8):
        """A finger pushes a flat piece along the mat. Fact: shifted (or left_circle)."""

    def drag_out(self, piece, seconds=1.0, toward_deg=None):
        """A hand drags a flat piece out of the circle, where it stays lying. Fact: left_circle."""

    def take_away(self, piece):
        """A piece lying outside the circle is picked up and taken off the table. No fact.

        For a piece inside: lift and carry_out (facts lifted, hand_out).
        """

    def place_red(self, xy=(0.0, 0.0), face=+1):
        """Bring the red disc and set it on the dot. Fact: placed red. Returns its Piece."""
