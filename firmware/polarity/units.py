"""The units that are not SI's own. All numbers are integers."""

MM = 256  # a millimetre in Q8, the unit of lengths (1/256 mm)
