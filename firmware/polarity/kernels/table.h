/* The field table: axial and radial field of a disc at steps of 1, 4 and 16 mm (hardware/tools/
   generate.py), two numbers a cell. */

#ifndef POLARITY_TABLE_H
#define POLARITY_TABLE_H

#include "arithmetic.h"
#include "kernels.h"

enum { REACH_0 = 40 << 8, REACH_1 = 160 << 8, REACH_2 = 384 << 8, NEAR = 100 << 8 };
enum { ROWS_1 = 41, ROWS_2 = 82 };

/* A cell as one word: radial in its lower half, axial in its upper one. */
typedef int32_t Cell;
#define RADIAL(cell) ((int32_t)(int16_t)(cell))
#define AXIAL(cell) ((cell) >> 16)

/* Four cells round a place, two of them at `low`, and where it is between them (Q8). */
typedef struct { const Cell *low, *high; int32_t r, z, level; } Place;

/* False beyond the table. rho, z >= 0. */
ALWAYS int place(Place *at, const int16_t *const *rows, int32_t rho, int32_t z)
{
    int32_t far = z > rho ? z : rho;
    at->level = 0;
    if (far >= REACH_0) {
        if (far < REACH_1)
            rows += ROWS_1, rho >>= 2, z >>= 2, at->level = 1;
        else if (far < REACH_2)
            rows += ROWS_2, rho >>= 4, z >>= 4, at->level = 2;
        else
            return 0;
    }
    rows += z >> 8;
    at->low = (const Cell *)rows[0] + (rho >> 8), at->high = (const Cell *)rows[1] + (rho >> 8);
    at->r = rho & 255, at->z = z & 255;
    return 1;
}

/* Distance of (x, y, z) from the axis. */
static inline int32_t radius_of(int32_t x, int32_t y, int32_t z)
{
    if (-NEAR < x && x < NEAR && -NEAR < y && y < NEAR && -NEAR < z && z < NEAR)
        return root(x * x + y * y + z * z);
    x >>= 2, y >>= 2, z >>= 2;
    return root(x * x + y * y + z * z) << 2;
}

static inline int32_t between(int32_t a, int32_t b, int32_t share) { return a + (((b - a) * share) >> 8); }

static inline int32_t first_disc(const int32_t *pose) { return -(((pose[DISCS] - 1) * pose[THICKNESS]) >> 1); }

/* What one disc of a body does, µT before its moment: its part along the axis has the factor `nz`,
   that away from it `cosine`. `along` from the disc, `rho` from the axis. */
ALWAYS int32_t disc_field(const int16_t *const *rows, int32_t rho, int32_t along, int32_t nz, int32_t cosine)
{
    Place at;
    if (!place(&at, rows, rho, size(along)))
        return 0;
    Cell a = at.low[0], b = at.low[1], c = at.high[0], d = at.high[1];
    int32_t v = between(between(AXIAL(a), AXIAL(b), at.r), between(AXIAL(c), AXIAL(d), at.r), at.z) * nz;
    if (cosine) {
        int32_t radial = between(between(RADIAL(a), RADIAL(b), at.r), between(RADIAL(c), RADIAL(d), at.r), at.z);
        v += (along < 0 ? -radial : radial) * cosine;
    }
    v >>= 12;
    return at.level == 0 ? v << 2 : at.level == 1 ? v >> 2 : v >> 6;
}

/* What a body does to sensor i, µT: body_field() in _reference.py. `first`: first_disc(pose);
   `stack`: it may be of more than one disc. */
ALWAYS int32_t field_at(const Scene *s, int32_t i, const int32_t *pose, int32_t first, int stack)
{
    int32_t nx = pose[AX], ny = pose[AY], nz = pose[AZ], disc = pose[DISCS];
    int32_t dx = s->x[i] - pose[X], dy = s->y[i] - pose[Y], dz = -pose[Z];
    int32_t along = (dx * nx + dy * ny + dz * nz) >> 12;
    int32_t rz = dz - ((along * nz) >> 12);
    int32_t rho = radius_of(dx - ((along * nx) >> 12), dy - ((along * ny) >> 12), rz);
    int32_t cosine = (nx | ny) == 0 || rho == 0 ? 0 : divided(rz << 12, rho);
    int32_t total = 0;
    along -= first;
    do {
        total += disc_field(s->rows, rho, along, nz, cosine);
        along -= pose[THICKNESS];
    } while (stack && --disc > 0);
    return (total * pose[MOMENT]) >> 10;
}

#endif
