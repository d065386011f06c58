"""The ring's colours: (red, green, blue) of 255 each. Any colour vision tells them apart.

Nothing is shown by colour alone: each picture in ring.py has a shape or a motion of its own. These
colours differ in lightness too (after Okabe and Ito, "Color Universal Design", 2008).
"""

DARK = (0, 0, 0)
WHITE = (200, 190, 160)  # white's own
BLUE = (0, 60, 200)  # black's: black itself cannot shine
ORANGE = (230, 110, 0)  # fault
RED = (230, 20, 0)  # the red disc
PURPLE = (150, 60, 120)  # a question
GREEN = (0, 120, 80)  # all is well
