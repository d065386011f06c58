/* Which sensors are near a place, and how much each of them counts. */

#ifndef POLARITY_SENSORS_H
#define POLARITY_SENSORS_H

#include "arithmetic.h"
#include "kernels.h"

static int32_t sensors_near(const Scene *s, uint16_t *index, int32_t most, int32_t x, int32_t y, int32_t within)
{
    int32_t side = (int32_t)s->side, pitch = (int32_t)s->pitch, middle = side >> 1, count = 0;
    int32_t row = divided(y - within + pitch - 1, pitch) + middle;
    int32_t last = divided(y + within, pitch) + middle, square = (within >> 2) * (within >> 2);
    if (row < 0)
        row = 0;
    if (last >= side)
        last = side - 1;
    for (; row <= last; row++) {
        int32_t dy = ((row - middle) * pitch - y) >> 2, half = square - dy * dy;
        if (half < 0)
            continue;
        half = root(half) << 2;
        int32_t left = divided(x - half + pitch - 1, pitch) + middle;
        int32_t right = divided(x + half, pitch) + middle;
        if (left < 0)
            left = 0;
        if (right >= side)
            right = side - 1;
        for (const uint16_t *at = s->grid + row * side + left; left <= right; left++, at++) {
            if (*at == NONE)
                continue;
            if (count >= most)
                return count;
            index[count++] = *at;
        }
    }
    return count;
}

/* Bits by which the noise of a sensor is above a sound one's. */
static inline int32_t noise_bits(int32_t noise)
{
    if (noise == BROKEN || noise <= QUIET_NOISE)
        return 0;
    return noise < 12 ? 1 : noise < 24 ? 2 : noise < 48 ? 3 : 4;
}

static inline int32_t sensor_bits(const Scene *s, int32_t i)
{
    int32_t v = size(s->field[i]), bits = v < 6000 ? 0 : v < 20000 ? 1 : 2;
    int32_t noisy = noise_bits(s->noise[i]);
    return s->moving[i] >= SATURATED ? 20 : noisy > bits ? noisy : bits;
}

#endif
