/* The records that the kernels work on, and the kernels. _records.py numbers the same words: a
   record is an array of words, each a number or the address of a buffer, so that Python fills it
   once and a call hands over its address alone.

   Lengths are Q8 mm, unit vectors Q12, fields µT, moments Q10 of the nominal disc. A pose is 9
   ints: x, y, z, the axis (3), the moment, the number of discs, a disc's thickness. */

#ifndef POLARITY_KERNELS_H
#define POLARITY_KERNELS_H

#include <stdint.h>

typedef intptr_t word;

enum { X, Y, Z, AX, AY, AZ, MOMENT, DISCS, THICKNESS, POSE };
enum { MM = 256, ONE = 4096 };
enum { SATURATED = 1 << 24, BROKEN = 255, QUIET_NOISE = 3, HAZE = 768, NONE = 0xFFFF };
enum { STRONG_FIELD = 64, MOST_BIAS = 32000 };
enum { NEAR_BODY_MM_Q8 = 48 * MM, FURTHEST_MM_Q8 = 84 * MM, FEW_SENSORS = 6 }; /* within which a body's sensors are */
enum { SEED = 6, KEPT = 4 };

typedef struct { /* a mat, and what its sensors see in this frame: perception/field.py */
    word n, side, pitch, radius, sensor_z, low, high;
    const int32_t *x, *y;              /* (n,) places of the sensors */
    const uint16_t *grid;              /* (side, side) sensor at a place, 0xFFFF: none */
    const int16_t *const *rows;        /* (41 + 41 + 25,) rows of the field table */
    const int32_t *offset, *gain;      /* (n,) */
    int32_t *base, *field, *residual, *moving; /* (n,) µT */
    const uint8_t *noise;              /* (n,) rms in 16 µT */
    word centre_x, centre_y, within;   /* the circle that `near` fills an index with */
    int16_t *bias;                     /* (n,) of the base, what no body's model explains, µT */
} Scene;

typedef struct { /* what a body does to the sensors that its field reaches: perception/fit.py */
    uint16_t *index; /* (most,) sensors */
    int32_t *values; /* (most,) µT there */
    word count, most;
    word marked;          /* whether it counts as moving in this frame */
    const int32_t *reach; /* (8,) how far a body's field is followed, by its discs */
} Share;

struct Fit;

typedef struct { /* where guesses are judged, and seeds to begin them: perception/search.py */
    const Scene *scene;
    const uint16_t *index; /* (count,) sensors */
    word count;
    const uint8_t *weight; /* (count,) bits */
    const int16_t *seeds;  /* (seed_count, 6) x, y, z, axis; no axis: none */
    word seed_count;
    int32_t *costs, *places; /* (KEPT,) of the best seeds */
    word from_x, from_y;     /* what the seeds' x and y are counted from */
    word flat_seeds;         /* so many seeds, the first, are of a disc that lies */
    word mode;               /* of what `refine` has found */
    struct Fit *fit;
    int32_t (*look)(struct Fit *);
    int32_t (*solve)(struct Fit *, int32_t);
} Region;

enum { FLAT = 2, MASS, LEAN, FREE, LEAN_MASS }; /* what of a body is free: _reference_fit.py */
enum { MOST_BODIES = 5, MOST_SENSORS = 128, EACH = 48 };

typedef struct Body Body;
/* Sets a fit's `own` and these slopes to a body's: body_gradient() in _reference.py. */
typedef void (*Gradient)(const struct Fit *f, const Body *body, int32_t *slopes);

struct Body { /* in a fit */
    word mode, strict, sunk;
    word near, height, turn; /* how well it is known where it is expected */
    int32_t *pose;
    const int32_t *expected;  /* a pose, or none */
    int32_t *tangent;         /* scratch: 6 */
    uint8_t *places;          /* (EACH,) its own sensors, by their place among those of the fit */
    word count;               /* of them */
    word wide, at, freedom;   /* its steps, the first of its parameters, and how many these are */
};

typedef struct Fit {
    word used, count, params, coarse; /* bodies, sensors, parameters, bits that these are cut by */
    const Scene *scene;
    uint16_t *some, *index; /* (EACH,), (MOST_SENSORS,) */
    uint8_t *seen;          /* (n,) zero before and after */
    uint8_t *weight;        /* (MOST_SENSORS,) bits */
    int32_t *target, *own, *total; /* (MOST_SENSORS,), (EACH,), (MOST_SENSORS,) */
    int32_t *jacobian;             /* (5 * MOST_BODIES, EACH) at a body's own sensors */
    int32_t *a, *b, *delta, *root; /* lower half of (p, p), and (p,) x 3: p = 5 * MOST_BODIES */
    int32_t *low;                  /* scratch, as a: it may be the jacobian */
    Gradient gradient; /* a function of its own: all of a fit is more than a page of the flash */
    word work;         /* of all fits since it was set to 0, about as many µs as an RP2040 takes at 125 MHz */
    word paced;        /* frames come meanwhile: what gains little is not fitted on */
    Body bodies[MOST_BODIES];
} Fit;

enum { MOST_FLYING = 7 };
enum { CHANGED, KNOWN, GROUNDED };               /* a Flyer's state */
enum { SURVEYED = 15, MOVED = 16, PUZZLED = 1 }; /* of what survey() and fly() return */
enum { VIEW_STRONGEST, VIEW_MISFIT, VIEW_FROM_REST, VIEW_FROM_ANCHOR, VIEW_RADIUS, VIEW_CLEAR, VIEW_HAZE };

typedef struct { /* a body in flight: perception/fit.py, Track */
    Share *share;
    int32_t *pose;
    const int32_t *rest; /* where it last lay */
    int32_t *velocity;   /* (6,) a frame */
    int32_t *before, *expected, *good, *anchor; /* poses */
    int32_t *past, *speeds; /* (3, 9), (3, 6) a while ago */
    word frames, uneasy, explained, memory;
    word held, lying, leaning, left, announced, inside, red, weighed, touches; /* flags */
    word state;                       /* whether the flags are as they were noted */
    word age, still, lost, low, clear, near; /* frames */
    word since;                       /* ms: when it began to keep still */
} Flyer;

typedef struct {
    const Scene *scene;
    Fit *fit;
    /* kernels that it calls: all together are more than a page of the flash */
    int32_t (*look)(Fit *);
    int32_t (*solve)(Fit *, int32_t);
    int32_t (*enter)(const Scene *, Share *, const int32_t *);
    int32_t (*leave)(const Scene *, Share *);
    int32_t (*misfit)(const Scene *, const int32_t *);
    word circle; /* its radius */
    word passed; /* frames since the last */
    word now;    /* ms */
    word unfitted; /* the last frame has woken a body that it had no time to fit */
    word used;
    Flyer *flyers[MOST_FLYING];
} Flight;

typedef struct { /* counts from look to look: health.py, SilenceDetector */
    uint8_t *low;                       /* (n,) the low bits at the last look */
    int8_t *same;                       /* (n,) looks without a step; below 0: noisy all alone */
    word at, end;                       /* the sensors to look at */
    word most, far;                     /* of `same`; the largest step that is not far */
    word looks, still, beyond, total;   /* at sound sensors; without a step; with a far one; steps */
    word before;                        /* what the last sensor's step was */
} Watch;

typedef struct { /* of an ADC input's sensors, of which every fourth is looked at */
    uint16_t sampled, beyond, sound, odd, far; /* how many: see TALLY_SAMPLED in _records.py */
} Tally;

typedef struct { /* what each ADC input's sensors show: input_watch.py */
    const uint16_t *order; /* (n,) ADC input << 14 | sensor */
    uint16_t *last;        /* (n / 4,) counts at the last look */
    Tally *tallies;        /* (4,) */
    word far;              /* the largest step that is not far; below 0: `last` stays */
} Inputs;

#ifdef __GNUC__
#pragma GCC visibility push(hidden) /* some of these names are those of the C library, too */
#endif

/* Every kernel takes up to four words, which is what MicroPython's assembler functions take, and
   returns one: 0 where its reference returns none. What each does stands in _reference.py. */
#include "_kernels.h"
void gradient(const Fit *f, const Body *body, int32_t *slopes);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif

#endif
