"""The words of the records that kernels take; kernels.h declares the same. Constants only: they are
copied to where they are used."""

X, Y, Z, AX, AY, AZ, MOMENT, DISCS, THICKNESS = range(9)  # of a pose

SATURATED = 1 << 24  # stands for a moving field so strong that nothing is known of the sensor
BROKEN = 255  # stands for the noise of a sensor that says nothing
QUIET_NOISE = 3  # in 16 µT: what a sound sensor and its ADC may have
HAZE = 768  # 3 sigma in 16ths of a µT, for a noise of 16 µT; a threshold holds as much again

(
    SCENE_N, SCENE_SIDE, SCENE_PITCH, SCENE_RADIUS, SCENE_SENSOR_Z, SCENE_LOW, SCENE_HIGH,
    SCENE_X, SCENE_Y, SCENE_GRID, SCENE_ROWS, SCENE_OFFSET, SCENE_GAIN, SCENE_BASE, SCENE_FIELD,
    SCENE_RESIDUAL, SCENE_MOVING, SCENE_NOISE, SCENE_CENTRE_X, SCENE_CENTRE_Y, SCENE_WITHIN,
) = range(21)  # fmt: skip

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
    FIT_LOW, FIT_GRADIENT, FIT_BODIES,
) = range(20)  # fmt: skip
(
    BODY_MODE, BODY_STRICT, BODY_SUNK, BODY_NEAR, BODY_HEIGHT, BODY_TURN, BODY_POSE, BODY_EXPECTED,
    BODY_TANGENT, BODY_SAVED, BODY_WIDE, BODY_AT, BODY_FREEDOM,
) = range(13)  # fmt: skip
BODY_WORDS = 13
MOST_BODIES = 4  # fitted together
MOST_SENSORS = 96  # in a fit,
EACH = 48  # and near one body

FLAT = 2  # x, y; lying, at the height it has
MASS = 3  # x, y and the moment; lying
LEAN = 4  # x, y and two tips; the low rim is on the mat
FREE = 5  # x, y, z and two tips: a body in a hand or falling
LEAN_MASS = 6  # as LEAN, and the moment

(
    FLYER_SHARE, FLYER_POSE, FLYER_REST, FLYER_VELOCITY, FLYER_BEFORE, FLYER_EXPECTED, FLYER_START,
    FLYER_TRIED, FLYER_ASIDE, FLYER_GOOD, FLYER_ANCHOR, FLYER_PAST, FLYER_SPEEDS, FLYER_FRAMES,
    FLYER_UNEASY, FLYER_EXPLAINED, FLYER_MEMORY, FLYER_HELD, FLYER_LYING, FLYER_LEANING, FLYER_LEFT,
    FLYER_AGE,
) = range(22)  # fmt: skip
(
    FLIGHT_SCENE, FLIGHT_FIT, FLIGHT_LOOK, FLIGHT_SOLVE, FLIGHT_ENTER, FLIGHT_LEAVE, FLIGHT_MISFIT,
    FLIGHT_CIRCLE, FLIGHT_PASSED, FLIGHT_USED, FLIGHT_FLYERS,
) = range(11)  # fmt: skip
MOST_FLYING = 7
(
    VIEW_STRONGEST, VIEW_MISFIT, VIEW_FROM_REST, VIEW_FROM_ANCHOR, VIEW_RADIUS, VIEW_CLEAR,
    VIEW_HAZE,
) = range(7)  # fmt: skip

# How well the course of a body in flight is known. A hand keeps to 0.8 mm and 2 degrees of it; a
# newcomer is known by what its few sensors say; a loose disc may go anywhere, but one that lay flat
# is believed to lie flat as long as the sensors do not contradict; beyond the circle they see one
# side only, and it lies flat.
UNKNOWN, HAND, NEWCOMER, LOOSE, LYING, OUTSIDE = range(6)
