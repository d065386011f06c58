"""The words of the records that kernels take; kernels.h declares the same. Constants only: they are
copied to where they are used."""

X, Y, Z, AX, AY, AZ, MOMENT, DISCS, THICKNESS = range(9)  # of a pose
POSE_WORDS = 9
COURSE_WORDS = 6  # of how a pose changes: place, and axis
PAST_POSES = 3  # a course is predicted from

SATURATED = 1 << 24  # stands for a moving field so strong that nothing is known of the sensor
BROKEN = 255  # stands for the noise of a sensor that says nothing
QUIET_NOISE = 3  # in 16 µT: what a sound sensor and its ADC may have
HAZE = 768  # 3 sigma in 16ths of a µT, for a noise of 16 µT; a threshold holds as much again
STRONG_FIELD = 64  # of 64 µT, so 4.1 mT: above that gains drift more than offsets
MOST_BIAS = 32000  # µT: 16 bits hold it, and one step of drift more

(
    SCENE_N, SCENE_SIDE, SCENE_PITCH, SCENE_RADIUS, SCENE_SENSOR_Z, SCENE_LOW, SCENE_HIGH,
    SCENE_X, SCENE_Y, SCENE_GRID, SCENE_ROWS, SCENE_OFFSET, SCENE_GAIN, SCENE_BASE, SCENE_FIELD,
    SCENE_RESIDUAL, SCENE_MOVING, SCENE_NOISE, SCENE_CENTRE_X, SCENE_CENTRE_Y, SCENE_WITHIN,
    SCENE_BIAS,
) = range(22)  # fmt: skip

SHARE_INDEX, SHARE_VALUES, SHARE_COUNT, SHARE_MOST, SHARE_MARKED, SHARE_REACH = range(6)

(
    REGION_SCENE, REGION_INDEX, REGION_COUNT, REGION_WEIGHT, REGION_SEEDS, REGION_SEED_COUNT,
    REGION_COSTS, REGION_PLACES, REGION_FROM_X, REGION_FROM_Y, REGION_FLAT_SEEDS, REGION_MODE,
    REGION_FIT, REGION_LOOK, REGION_SOLVE,
) = range(15)  # fmt: skip
SEED = 6  # ints of a seed
KEPT = 4  # seeds

(
    FIT_USED, FIT_COUNT, FIT_PARAMS, FIT_COARSE, FIT_SCENE, FIT_SOME, FIT_INDEX, FIT_SEEN,
    FIT_WEIGHT, FIT_TARGET, FIT_OWN, FIT_TOTAL, FIT_JACOBIAN, FIT_A, FIT_B, FIT_DELTA, FIT_ROOT,
    FIT_LOW, FIT_GRADIENT, FIT_WORK, FIT_PACED, FIT_BODIES,
) = range(22)  # fmt: skip
(
    BODY_MODE, BODY_STRICT, BODY_SUNK, BODY_NEAR, BODY_HEIGHT, BODY_TURN, BODY_POSE, BODY_EXPECTED,
    BODY_TANGENT, BODY_PLACES, BODY_COUNT, BODY_WIDE, BODY_AT, BODY_FREEDOM,
) = range(14)  # fmt: skip
BODY_WORDS = 14
BODY_PARAMS = 5  # at most
TANGENT_WORDS = 6
MOST_BODIES = 5  # fitted together
MOST_SENSORS = 128  # in a fit: the sum of as many squares of 4095 is just below 2**31,
EACH = 48  # and near one body

FLAT = 2  # x, y; lying, at the height it has
MASS = 3  # x, y and the moment; lying
LEAN = 4  # x, y and two tips; the low rim is on the mat
FREE = 5  # x, y, z and two tips: a body in a hand or falling
LEAN_MASS = 6  # as LEAN, and the moment

(
    FLYER_SHARE, FLYER_POSE, FLYER_REST, FLYER_VELOCITY, FLYER_BEFORE, FLYER_EXPECTED, FLYER_GOOD,
    FLYER_ANCHOR, FLYER_PAST, FLYER_SPEEDS, FLYER_FRAMES, FLYER_UNEASY, FLYER_EXPLAINED,
    FLYER_MEMORY, FLYER_HELD, FLYER_LYING, FLYER_LEANING, FLYER_LEFT, FLYER_ANNOUNCED, FLYER_INSIDE,
    FLYER_RED, FLYER_WEIGHED, FLYER_TOUCHES, FLYER_STATE, FLYER_AGE, FLYER_STILL, FLYER_LOST,
    FLYER_LOW, FLYER_CLEAR, FLYER_NEAR, FLYER_SINCE,
) = range(31)  # fmt: skip
CHANGED, KNOWN, GROUNDED = range(3)  # FLYER_STATE: whether the flags before it still hold
(
    FLIGHT_SCENE, FLIGHT_FIT, FLIGHT_LOOK, FLIGHT_SOLVE, FLIGHT_ENTER, FLIGHT_LEAVE, FLIGHT_MISFIT,
    FLIGHT_CIRCLE, FLIGHT_PASSED, FLIGHT_NOW, FLIGHT_UNFITTED, FLIGHT_USED, FLIGHT_FLYERS,
) = range(13)  # fmt: skip
SURVEYED, MOVED, PUZZLED = 15, 16, 1  # of what `survey` and `fly` return
MOST_FLYING = 7
(
    VIEW_STRONGEST, VIEW_MISFIT, VIEW_FROM_REST, VIEW_FROM_ANCHOR, VIEW_RADIUS, VIEW_CLEAR,
    VIEW_HAZE,
) = range(7)  # fmt: skip
VIEW_WORDS = 7

(
    WATCH_LOW, WATCH_SAME, WATCH_AT, WATCH_END, WATCH_MOST, WATCH_FAR, WATCH_LOOKS, WATCH_STILL,
    WATCH_BEYOND, WATCH_TOTAL, WATCH_BEFORE,
) = range(11)  # fmt: skip
# Of what a sensor's step is, by its own noise. Noise alone makes one of three thousand far.
SILENT, USUAL, LARGE, FAR = range(4)
FAR_NOISE, FAR_UT, LEAST_NOISE = 80, 40, 2  # 5 sigma for each 16 µT of noise, which is rounded down
ALONE_MORE, ALONE_MOST = 4, 100  # for each step that is far where those beside are usual; at most
ALONE_BELOW = 8192  # µT: nearer to a disc its least movement may be felt by one sensor alone
INPUTS_ORDER, INPUTS_LAST, INPUTS_TALLIES, INPUTS_FAR = range(4)
# The words of all records together: an extension that was compiled before one was changed has
# others. Six of these are a record's last word, numbered from 0, so each has one more.
LAYOUT = (
    SCENE_BIAS + SHARE_REACH + REGION_SOLVE + FIT_BODIES + MOST_BODIES * BODY_WORDS + FLYER_SINCE
    + FLIGHT_FLYERS + MOST_FLYING + WATCH_BEFORE + INPUTS_FAR + 6
)  # fmt: skip
# Of an ADC input's sensors, every fourth of which is looked at: how many, how many of them beyond
# their range, how many sound, of these how many odd, and how many that took a far step.
TALLY_SAMPLED, TALLY_BEYOND, TALLY_SOUND, TALLY_ODD, TALLY_FAR, TALLIES = range(6)
TALLY_SAMPLE = 4
ODD_UT = 350  # more than noise: see field.QUIET_UT
ODD_NOISE_UT = 64  # and so much for each 16 µT of known noise, 4 sigma

# How well the course of a body in flight is known. A hand keeps to 0.8 mm and 2 degrees of it; a
# newcomer is known by what its few sensors say; a loose disc may go anywhere, but one that lay flat
# is believed to lie flat as long as the sensors do not contradict; beyond the circle they see one
# side only, and it lies flat.
UNKNOWN, HAND, NEWCOMER, LOOSE, LYING, OUTSIDE = range(6)
