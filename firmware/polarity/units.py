"""The units that are not SI's own. All numbers are integers."""

CLOCK = (1 << 30) - 1  # the bits of a time in ms that a kernel's record holds: see Scene.time_of
MM = 256  # a millimetre in Q8, the unit of lengths (1/256 mm)
CMM_Q6 = 25  # 1/100 mm in one of these, Q6
INT16 = 32767  # the most that 16 bits hold
