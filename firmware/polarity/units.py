"""The units that are not SI's own. All numbers are integers."""

CLOCK = (1 << 30) - 1  # the bits of a time in ms that a kernel's record holds: see Tracker.time_of
MM = 256  # a millimetre in Q8, the unit of lengths (1/256 mm)
