"""Limits of perception that the kernels in C hold too (kernels.h, flight.c): as parameters.py in
perception, which says what a name's end means. Whoever changes one changes it there as well.

Constants only: they are copied to where they are used.
"""

from ..units import MM

# Sensors this near to a body are fitted, and the further the higher it is, but at most.
# Smaller: a fit sees less. Larger: it is dearer, and neighbours disturb.
NEAR_BODY_MM_Q8 = 48 * MM
FURTHEST_MM_Q8 = 84 * MM
# Where what lies beyond the rim has fewer, all within FURTHEST_MM_Q8 are its.
# Smaller: its fit runs away. Larger: neighbours disturb.
FEW_SENSORS = 6
# Lying below, leaning above: 8 degrees.
# Smaller: discs in creases lean. Larger: low leaners lie.
FREE_TILT_SINE_Q12 = 570
# So near to where it lay a disc still lies in the same crease.
# Smaller: it is laid flat. Larger: it keeps a tilt that it no longer has.
SAME_PLACE_MM_Q8 = 3 * MM
# What a fit of flat bodies may leave, else they may fly.
# Smaller: noise lifts discs. Larger: rising ones are held down.
UNDERSTOOD_COST = 3
# Frames since the last, above which optional refinement is skipped.
# Smaller: less is refined. Larger: a mat that is behind stays behind.
HURRIED_FRAMES = 2
# Fits, up to two a frame, in which what is not understood may just have snapped.
# Smaller: snaps are told late. Larger: dearer.
AT_ONCE_ROUNDS = 6
# Ages at which a newcomer's pose is doubted.
# Smaller: dearer. Larger: a wrong pose is followed for longer.
SECOND_LOOKS_FRAMES = (4, 9, 18, 36)
# A body that no sensor feels more of is out of sight.
# Smaller: noise is followed. Larger: high hands are lost.
FADED_UT = 262
# A track that leaves more than this unexplained is losing its body.
# Smaller: searches for nothing. Larger: it is lost for longer.
LOST_UT = 1000
# So far from where it lay, and 7 degrees, it has left.
# Smaller: its bias ends though it lies. Larger: the bias there is its too long.
LEFT_MM_Q8 = 2 * MM
# So far beyond the line a hand has gone out.
# Smaller: hands on the line go in and out. Larger: told late.
OVER_CIRCLE_MM_Q8 = 2 * MM
# What has risen so far is in a hand. Smaller: jumps are told as lifted. Larger: lifted late.
LIFT_MM_Q8 = 5 * MM
# A disc in a hand so near to the mat may have been set down, and has been after so long.
# Smaller: set down late. Larger: hands that wait low have let go.
LOW_MM_Q8 = 2 * MM
LOW_FRAMES = 20
# Bodies in flight so near each other may be one stack, if the one is no further above the other
# than their discs and so many more. Smaller: stacks are told late. Larger: more is tried, dearer.
CLOSE_MM_Q8 = 26 * MM
CLOSE_DISCS = 3
# What moves less (0.35 mm, and 1.3 degrees) for so long is still.
# Smaller: settled late. Larger: what still moves is told as settled.
STILL_MM_Q8 = 90
STILL_FRAMES = 14
