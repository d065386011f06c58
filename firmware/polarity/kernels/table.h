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

#endif
