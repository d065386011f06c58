"""The design rules of all boards: how wide copper is, and how far it keeps from what.

The router lays tracks by them, copper.py checks them, and kicad.py hands them on to KiCad.
"""

CLEAR_MM = 0.15  # between copper of two nets; what cheap two-layer boards allow is 0.127
TRACK_MM, WIDE_MM = 0.2, 0.3  # how wide a track is, and one of a net that carries more current
VIA_MM, DRILL_MM = 0.6, 0.3  # diameters of a via's copper and of its hole
EDGE_MM = 0.5  # from the board's edge to copper
HOLE_APART_MM = 0.25  # from the rim of a hole to the rim of another
HOLE_MM = 3.2  # diameter of a hole for an M3 screw
HEAD_MM = 3.2  # a screw's head keeps copper this far from a hole's middle
FIDUCIAL_MM, FIDUCIAL_FREE_MM = 1.0, 2.0  # diameters of the dot, and of what is free round it
