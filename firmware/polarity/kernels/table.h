/* The field table: axial and radial field of a disc at steps of 1, 4 and 16 mm (hardware/tools/
   generate.py), two numbers a cell. */

#ifndef POLARITY_TABLE_H
#define POLARITY_TABLE_H

#include "arithmetic.h"
#include "kernels.h"

enum { REACH_0 = 40 << 8, REACH_1 = 160 << 8, REACH_2 = 384 << 8, NEAR = 100 << 8 };
enum { ROWS_1 = 41, ROWS_2 = 82 };

/* Four cells round a place, and where it is between them (Q8). */
typedef struct { const int16_t *low, *high; int32_t r, z, level; } Cells;

/* False beyond the table. rho, z >= 0. */
static inline int cells_at(Cells *c, const int16_t *const *rows, int32_t rho, int32_t z)
{
    int32_t far = z > rho ? z : rho;
    if (far < REACH_0) {
        c->level = 0;
    } else if (far < REACH_1) {
        rows += ROWS_1, rho >>= 2, z >>= 2;
        c->level = 1;
    } else if (far < REACH_2) {
        rows += ROWS_2, rho >>= 4, z >>= 4;
        c->level = 2;
    } else {
        return 0;
    }
    rows += z >> 8;
    c->low = rows[0] + (rho >> 8) * 2, c->high = rows[1] + (rho >> 8) * 2;
    c->r = rho & 255, c->z = z & 255;
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

/* What a body does to sensor i, µT: body_field() in _reference.py. `first`: first_disc(pose). */
static inline int32_t field_at(const Scene *s, int32_t i, const int32_t *pose, int32_t first)
{
    int32_t nx = pose[AX], ny = pose[AY], nz = pose[AZ], thickness = pose[THICKNESS];
    int32_t dx = s->x[i] - pose[X], dy = s->y[i] - pose[Y], dz = -pose[Z];
    int32_t along = (dx * nx + dy * ny + dz * nz) >> 12;
    int32_t rz = dz - ((along * nz) >> 12);
    int32_t rho = radius_of(dx - ((along * nx) >> 12), dy - ((along * ny) >> 12), rz);
    int32_t cosine = (nx | ny) == 0 || rho == 0 ? 0 : divided(rz << 12, rho), total = 0;
    along -= first;
    for (int32_t disc = pose[DISCS]; disc; disc--, along -= thickness) {
        Cells c;
        if (!cells_at(&c, s->rows, rho, size(along)))
            continue;
        int32_t v = between(between(c.low[1], c.low[3], c.r), between(c.high[1], c.high[3], c.r), c.z) * nz;
        if (cosine) {
            int32_t radial = between(between(c.low[0], c.low[2], c.r), between(c.high[0], c.high[2], c.r), c.z);
            v += (along < 0 ? -radial : radial) * cosine;
        }
        v >>= 12;
        total += c.level == 0 ? v << 2 : c.level == 1 ? v >> 2 : v >> 6;
    }
    return (total * pose[MOMENT]) >> 10;
}

#endif
