"""The stage: time, discs and pieces of a virtual mat, and the scripted actions that move them.

A script is a generator that yields once a frame. Actions are generators too, so a script reads

    def script(stage):
        yield from stage.rest(0.6)                       # the bare mat
        yield from stage.place_red()
        disc = stage.new_disc(+1)                        # white up, in the hand, outside the mat
        yield from stage.carry_in(disc, (40, -60))
        yield from stage.set_flat(disc, (40, -60))
        yield from stage.rest(0.5)

    stage = Stage(load_mat(), seed=1)
    for t_us, counts in stage.stream(script(stage)):
        ...
    stage.truth.facts                                    # what really happened

Millimetres from the circle's centre, z up from the mat; degrees; microseconds.
Faces: +1 white up, -1 black up. Sides of the table: "w" at azimuth -90 deg, "b" at +90 deg.
"""

from .hand import HandActions
from .snaps import MagnetActions


class Stage(HandActions, MagnetActions):
    """Time, pieces and truth of one virtual game. Actions come from hand.py and snaps.py.

    `condition` is a MatCondition (sensors.py), `seed` draws the mat, the discs and every tremble:
    the same seed and script give the same counts.
    """

    def __init__(self, mat, seed=0, condition=None):
        raise NotImplementedError

    # ---- state a script may read ------------------------------------------------------------
    # stage.t_us      time of the frame that the next yield produces
    # stage.pieces    all Pieces inside or near the mat, resting or held (list)
    # stage.truth     TruthLog: .facts (list of TruthFact, sorted by time)
    # Piece: .id (0 while outside) .discs (list) .face (+1/-1) .shape ("flat" "leaner" "tower"
    #        "red") .held (bool) .xy (centre, mm) .z .tilt_deg .azimuth_deg .contact_xy (leaners)

    def new_disc(self, face, is_red=False):
        """A fresh disc from the set (own moment), held, outside the mat, `face` up. -> Piece"""

    def resting(self):
        """Pieces at rest on the mat inside the circle (on the line is in), without red. -> list"""

    def nearest_gap_mm(self, xy, ignore=()):
        """Rim to rim distance from a flat disc put at `xy` to the nearest resting piece (mm)."""

    def group_of(self, piece):
        """Pieces that touch `piece` on the mat, itself included. -> list"""

    def together(self, *actions):
        """Run several actions at once, frame by frame; returns the list of their results."""

    def rest(self, seconds):
        """Nothing is done for `seconds` (what a hand holds still trembles)."""

    def stream(self, script, chunk_frames=50):
        """Yield (t_us, counts uint16 array of n sensors) for every frame of the script."""
