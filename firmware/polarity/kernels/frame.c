/* A frame of all sensors at once: what _reference.py does to a Scene. */

#include "arithmetic.h"
#include "kernels.h"

enum { STRONG = 8192 }; /* µT: what a bulge leaves out */
enum { SAMPLE = 4, MOST_INPUTS = 4, ODD_UT = 350, ODD_NOISE_UT = 64 };
enum { SILENT, USUAL, LARGE, FAR }; /* of a step */
enum { FAR_NOISE = 80, FAR_UT = 40, LEAST_NOISE = 2, ALONE_MORE = 4, ALONE_MOST = 100, ALONE_BELOW = 8192 };

int32_t scan(const Scene *s, const uint16_t *counts)
{
    int32_t peak = 0, low = (int32_t)s->low, high = (int32_t)s->high;
    for (word i = 0, n = s->n; i < n; i++) {
        int32_t c = counts[i], noise = s->noise[i];
        s->moving[i] = noise > QUIET_NOISE ? noise * HAZE : 0;
        int32_t v = (((c << 4) - s->offset[i]) * s->gain[i]) >> 14;
        if (noise != BROKEN)
            s->field[i] = v;
        if (c < low || c > high || noise == BROKEN) {
            s->residual[i] = 0;
            s->moving[i] = SATURATED;
            continue;
        }
        s->residual[i] = v -= s->base[i];
        v = size(v);
        peak = v > peak ? v : peak;
    }
    return peak;
}

static int32_t step_at(const Watch *w, const uint16_t *counts, word i)
{
    return size((int8_t)(counts[i] - w->low[i]));
}

/* SILENT, or what a step is for this sensor's own noise. */
static int32_t rated(const Scene *s, word i, int32_t step)
{
    int32_t noise = s->noise[i], ut = (step * size(s->gain[i])) >> 10;
    if (noise == BROKEN)
        return SILENT;
    int32_t far = (noise > LEAST_NOISE ? noise : LEAST_NOISE) * FAR_NOISE + FAR_UT;
    return USUAL + (ut * 3 > far * 2) + (ut > far);
}

int32_t watch(const Scene *s, Watch *w, const uint16_t *counts)
{
    for (; w->at < w->end; w->at++) {
        word i = w->at;
        int32_t step = step_at(w, counts, i), own = rated(s, i, step), same = w->same[i];
        w->low[i] = (uint8_t)counts[i];
        if (own == SILENT)
            same = 0;
        else if (own == FAR) {
            same = same < 0 ? same : 0;
            int32_t after = i + 1 < s->n ? rated(s, i + 1, step_at(w, counts, i + 1)) : SILENT;
            if (w->before <= USUAL && after <= USUAL && w->before + after && size(s->field[i]) < ALONE_BELOW)
                same = same - ALONE_MORE > -ALONE_MOST ? same - ALONE_MORE : -ALONE_MOST;
        } else if (step)
            same = same < 0 ? same + 1 : 0;
        else if (same < w->most)
            same = same < 0 ? 1 : same + 1;
        w->same[i] = (int8_t)same;
        w->before = own;
        if (own == SILENT)
            continue;
        w->looks++;
        w->still += !step;
        w->beyond += step > w->far;
        w->total += step;
    }
    return 0;
}

int32_t tally(const Scene *s, Inputs *w, const uint16_t *counts)
{
    for (Tally *own = w->tallies, *end = own + MOST_INPUTS; own < end; own++)
        own->sampled = own->beyond = own->sound = own->odd = own->far = 0;
    for (word k = 0; k < s->n; k += SAMPLE) {
        int32_t i = w->order[k] & 0x3FFF, count = counts[i], noise = s->noise[i];
        Tally *own = &w->tallies[w->order[k] >> 14];
        uint16_t *last = &w->last[k / SAMPLE];
        own->sampled++;
        own->beyond += count < s->low || count > s->high;
        if (noise != BROKEN) {
            own->sound++;
            own->odd += size(s->residual[i]) > ODD_UT + (noise > QUIET_NOISE ? noise * ODD_NOISE_UT : 0);
        }
        if (w->far >= 0) {
            own->far += size(count - *last) > w->far;
            *last = (uint16_t)count;
        }
    }
    return 0;
}

int32_t surprise(const Scene *s, int32_t threshold)
{
    int32_t worst = threshold, where = -1;
    for (word i = 0, n = s->n; i < n; i++) {
        int32_t v = size(s->residual[i]);
        if (v <= worst)
            continue;
        v -= (s->moving[i] >> 4) + (size(s->field[i]) >> 6);
        if (v > worst)
            worst = v, where = (int32_t)i;
    }
    return where;
}

/* Of the sensors of three rows in one column that say something. */
typedef struct { int32_t total, noise, count; } Sum;

static Sum column_sum(const Scene *s, const uint16_t *at)
{
    Sum sum = {0, 0, 0};
    for (int row = 0; row < 3; row++, at += s->side) {
        uint16_t i = *at;
        if (i == NONE || s->moving[i] >= SATURATED || size(s->field[i]) >= STRONG)
            continue;
        sum.total += s->residual[i];
        sum.noise += s->moving[i];
        sum.count++;
    }
    return sum;
}

int32_t bulge(const Scene *s, int32_t threshold)
{
    int32_t worst = threshold, where = -1;
    word side = s->side;
    for (word row = 1; row < side - 1; row++) {
        const uint16_t *above = s->grid + (row - 1) * side, *middle = s->grid + row * side + 1;
        Sum left = column_sum(s, above), own = column_sum(s, above + 1), right;
        for (word column = 2; column < side; column++, middle++, left = own, own = right) {
            right = column_sum(s, above + column);
            int32_t count = left.count + own.count + right.count;
            if (*middle == NONE || count < 5)
                continue;
            int32_t total = size(left.total + own.total + right.total);
            total -= (left.noise + own.noise + right.noise) >> 7;
            if (total <= worst * count) /* most are: spare the division */
                continue;
            total = divided(total, count);
            if (total > worst)
                worst = total, where = *middle;
        }
    }
    return where;
}

int32_t follow(const Scene *s, int32_t limit)
{
    for (word i = 0, n = s->n; i < n; i++) {
        int32_t v = s->residual[i], m = s->moving[i], noise = s->noise[i];
        if (m && noise > QUIET_NOISE)
            m -= noise * HAZE;
        int32_t strong = size(s->field[i]) >> 6;
        if (m >= 64 || size(v) >= limit + strong)
            continue;
        v = (v + 32) >> 6;
        int32_t known = s->base[i] - s->bias[i];
        s->base[i] += v;
        if (size(known) >> 6 >= STRONG_FIELD && size(s->bias[i]) < MOST_BIAS)
            s->bias[i] += v;
    }
    return 0;
}

int32_t average(int32_t *mean, const int32_t *values, int32_t share, int32_t count)
{
    for (int32_t j = 0; j < count; j++)
        mean[j] += (((values[j] << 4) - mean[j]) * share) >> 8;
    return 0;
}

int32_t exchange(int32_t *mean, int32_t *values, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        int32_t v = (mean[j] + 8) >> 4;
        mean[j] = values[j] - v;
        values[j] = v;
    }
    return 0;
}

int32_t restore(int32_t *mean, int32_t *values, int32_t count)
{
    for (int32_t j = 0; j < count; j++) {
        int32_t v = values[j];
        values[j] = v + mean[j];
        mean[j] = v << 4;
    }
    return 0;
}

/* In place, and equals in their order: `count` is below a hundred. */
int32_t loudest_first(const Scene *s, uint16_t *index, int32_t count)
{
    for (int32_t k = 1; k < count; k++) {
        uint16_t i = index[k];
        int32_t v = size(s->residual[i]), at = k;
        for (; at && size(s->residual[index[at - 1]]) < v; at--)
            index[at] = index[at - 1];
        index[at] = i;
    }
    return 0;
}
