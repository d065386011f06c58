/* Levenberg-Marquardt on the poses of some bodies at once: _reference_fit.py.

   A cost is a number of up to 48 bits: `high` times 2048, and `low`, which is below that. */

#include "sensors.h"
#include "table.h"

enum { STEP = 128, MASS_STEP = 32, STEEP = 12 * MM, LOW_BODY = 24 * MM, HIGH_BODY = 44 * MM };
enum { LONGEST = 8 * MM, LONGEST_TIP = 1000, MOST_STEPS = 1 << 20, ENOUGH = 40, ENOUGH_HIGH = 256 };
enum { GENTLE = 160, STIFF = 40960, SUNK_MOST = 128, LIGHTEST = 868, HEAVIEST = 1180, ALL = 1 << 29 };
enum { FAR = 256, SHORT = 32767, LITTLE_BITS = 3, MUCH = 8 };
enum { SENSOR_US = 3, DISC_US = 6, SQUARE_US = 4 }; /* work: of each sensor, of each disc there, of params squared */

typedef struct { int32_t high, low; } Cost;

/* How far the sensors of a body are that lies, by how many bodies there are. */
static int32_t farthest(const Fit *f) { return (f->used < 3 ? 84 : f->used < 5 ? 62 : 54) * MM; }

/* Each body moves what its own sensors see. What it does to the others is taken from where it is. */
static void take_far_fields(const Fit *f)
{
    for (word k = 0; k < f->used; k++) {
        const Body *b = &f->bodies[k];
        int32_t first = first_disc(b->pose);
        for (word j = 0; j < b->count; j++)
            f->seen[f->index[b->places[j]]] = 0;
        for (word j = 0; j < f->count; j++) {
            if (f->seen[f->index[j]])
                f->target[j] -= field_at(f->scene, f->index[j], b->pose, first, 1);
            f->seen[f->index[j]] = 1;
        }
    }
}

int32_t look(Fit *f)
{
    const Scene *s = f->scene;
    int32_t far = farthest(f), count = 0;
    const Body *body = f->bodies;
    f->params = f->coarse = 0;
    for (word k = 0; k < f->used; k++) {
        Body *b = &f->bodies[k];
        int32_t z = b->pose[Z], level = z < LOW_BODY ? 0 : z < HIGH_BODY ? 1 : 2;
        int32_t coarse = level == 0 ? 3 : level == 1 ? 2 : 0, within = NEAR_BODY_MM_Q8 + (z >> 1);
        b->wide = level == 0 ? 0 : level == 1 ? 2 : 3;
        b->at = f->params;
        b->freedom = b->mode == LEAN_MASS ? 5 : b->mode;
        f->params += b->freedom;
        f->coarse = coarse > f->coarse ? coarse : f->coarse;
        int32_t more = sensors_near(s, f->some, EACH, b->pose[X], b->pose[Y], within < far ? within : far);
        if (more < FEW_SENSORS && b->expected && !b->sunk) /* it lies beyond the rim */
            more = sensors_near(s, f->some, EACH, b->pose[X], b->pose[Y], FURTHEST_MM_Q8);
        b->count = 0;
        for (int32_t j = 0; j < more; j++) {
            uint16_t i = f->some[j];
            if (!f->seen[i] && count < MOST_SENSORS) {
                f->index[count] = i;
                f->seen[i] = (uint8_t)++count;
            }
            if (f->seen[i])
                b->places[b->count++] = (uint8_t)(f->seen[i] - 1);
        }
    }
    f->count = count;
    int steep = f->used == 1 && (body->mode == LEAN || body->mode == LEAN_MASS) && body->pose[Z] >= STEEP;
    for (int32_t j = 0; j < count; j++) {
        int32_t i = f->index[j], bits = sensor_bits(s, i);
        f->target[j] = s->residual[i];
        if (steep) { /* doubt_gains() */
            int32_t v = size(s->field[i]), doubt = v < 5000 ? 0 : v < 10000 ? 1 : v < 20000 ? 2 : v < 40000 ? 3 : 4;
            bits = doubt > bits ? doubt : bits;
        }
        f->weight[j] = (uint8_t)bits;
    }
    if (f->used > 1)
        take_far_fields(f);
    for (int32_t j = 0; j < count; j++)
        f->seen[f->index[j]] = 0;
    return count;
}

/* Entry (p, q <= p) of a lower half: triangle() in _reference.py. */
static inline word entry(word p, word q) { return ((p * (p + 1)) >> 1) + q; }

/* _remember(): into the cost, or, with `cost` none, into the normal equations. */
static void remember(const Fit *f, const Body *body, Cost *cost)
{
    int32_t count = body->mode == FREE ? 5 : 2, wide = (int32_t)body->wide, step = wide + 7;
    int32_t shift = 2 * (wide + 3 - (int32_t)f->coarse) + (int32_t)body->strict;
    for (int32_t p = 0; p < count; p++) {
        int32_t known = (int32_t)(p < 2 ? body->near : p == 2 ? body->height : body->turn), away = 0;
        if (p < 3) {
            away = body->expected[p] - body->pose[p];
        } else {
            for (int c = 0; c < 3; c++)
                away += (body->expected[AX + c] - body->pose[AX + c]) * body->tangent[3 * (p - 3) + c];
            away >>= 12;
        }
        if (cost) {
            int32_t far = cut((away * 8 + (1 << (step - 1))) >> step, FAR), information = known << shift;
            far *= far;
            if (information < 4096) {
                cost->low += (information * far) >> 6;
            } else {
                cost->high += (information >> 17) * far;
                cost->low += ((information >> 6) & 2047) * far;
            }
        } else {
            int32_t q = (int32_t)body->at + p, v = known * cut(away, 32 << step);
            f->a[entry(q, q)] += known << shift;
            f->b[q] += shift > step ? v << (shift - step) : v >> (step - shift);
        }
    }
    if (cost) {
        cost->high += cost->low >> 11;
        cost->low &= 2047;
    }
}

/* _rise(): of a leaner's centre when it is tipped. */
static int32_t rise(const Fit *f, const Body *body, int32_t a, int32_t b)
{
    int32_t tipped[POSE], radius = (int32_t)f->scene->radius;
    copy(tipped, body->pose);
    tip(tipped, body->tangent, a, b);
    return height_of_centre(tipped, radius) - height_of_centre(body->pose, radius);
}

static Cost evaluate(Fit *f)
{
    Cost cost = {0, 0};
    word count = f->count;
    for (word j = 0; j < count; j++)
        f->total[j] = 0;
    for (word k = 0; k < f->used; k++) {
        const Body *body = &f->bodies[k];
        int32_t *rows = f->jacobian + body->at * EACH, step = STEP << body->wide;
        word own = body->count;
        f->work += own * (SENSOR_US + DISC_US * body->pose[DISCS]);
        tangents(body->pose, body->tangent);
        f->gradient(f, body, rows);
        if (body->mode == LEAN || body->mode == LEAN_MASS) {
            int32_t rise_a = rise(f, body, step, 0), rise_b = rise(f, body, 0, step);
            for (int32_t *row = rows + 2 * EACH, *end = row + own; row < end; row++) {
                int32_t z = row[0];
                row[0] = row[EACH] + divided(z * rise_a, step);
                row[EACH] = row[2 * EACH] + divided(z * rise_b, step);
            }
        }
        if (body->mode == MASS || body->mode == LEAN_MASS) {
            int32_t *row = rows + (body->freedom - 1) * EACH;
            for (word j = 0; j < own; j++)
                row[j] = divided(f->own[j] * MASS_STEP, body->pose[MOMENT]);
        }
        for (word j = 0; j < own; j++)
            f->total[body->places[j]] += f->own[j];
    }
    /* from here on `total` is what is left, as weighted() has it */
    for (word j = 0; j < count; j++) {
        int32_t v = cut((f->target[j] - f->total[j]) >> (f->weight[j] + f->coarse), 4095);
        f->total[j] = v;
        cost.low += v * v;
    }
    cost.high = cost.low >> 11;
    cost.low &= 2047;
    for (word k = 0; k < f->used; k++) {
        if (f->bodies[k].expected)
            remember(f, &f->bodies[k], &cost);
    }
    return cost;
}

/* The sensors that both bodies call their own, in `some`: 256 * their number in `own` and that in
   `other`. Returns how many. */
static word shared(const Fit *f, const Body *own, const Body *other)
{
    word found = 0;
    for (word j = 0; j < other->count; j++)
        f->seen[other->places[j]] = (uint8_t)(j + 1);
    for (word j = 0; j < own->count; j++) {
        word at = f->seen[own->places[j]];
        if (at)
            f->some[found++] = (uint16_t)(j << 8 | (at - 1));
    }
    for (word j = 0; j < other->count; j++)
        f->seen[other->places[j]] = 0;
    return found;
}

/* The normal equations at the poses last evaluated. The rows are shifted and cut where they are. */
FAST static void linearise(const Fit *f)
{
    for (word k = 0; k < f->used; k++) {
        const Body *body = &f->bodies[k];
        int32_t *rows = f->jacobian + body->at * EACH;
        word count = body->count;
        for (word j = 0; j < count; j++) {
            int32_t shift = f->weight[body->places[j]] + (int32_t)f->coarse;
            for (int32_t *row = rows + j, *end = row + body->freedom * EACH; row < end; row += EACH)
                *row = cut(*row >> shift, 4095);
        }
        for (word p = 0; p < body->freedom; p++) {
            const int32_t *row = rows + p * EACH, *other = rows;
            int32_t sum = 0, *a = f->a + entry(body->at + p, 0);
            for (word j = 0; j < count; j++)
                sum += row[j] * f->total[body->places[j]];
            f->b[body->at + p] = sum;
            for (word q = 0; q < body->at; q++)
                a[q] = 0;
            for (word q = 0; q <= p; q++, other += EACH) {
                sum = 0;
                for (word j = 0; j < count; j++)
                    sum += row[j] * other[j];
                a[body->at + q] = sum;
            }
            a[body->at + p] += 2;
        }
        for (const Body *other = f->bodies; other < body; other++) {
            word both = shared(f, body, other);
            for (word p = 0; both && p < body->freedom; p++) {
                for (word q = 0; q < other->freedom; q++) {
                    const int32_t *row = rows + p * EACH, *its = f->jacobian + (other->at + q) * EACH;
                    int32_t sum = 0;
                    for (word j = 0; j < both; j++)
                        sum += row[f->some[j] >> 8] * its[f->some[j] & 255];
                    f->a[entry(body->at + p, other->at + q)] = sum;
                }
            }
        }
    }
    for (word k = 0; k < f->used; k++) {
        if (f->bodies[k].expected)
            remember(f, &f->bodies[k], 0);
    }
}

/* solve() */
static void solve(const Fit *f, int32_t damping)
{
    int32_t params = (int32_t)f->params, *delta = f->delta, *scale = f->root;
    const int32_t *a = f->a;
    for (int32_t p = 0; p < params; p++, a += p) {
        int32_t d = root(a[p]), *own = f->low + entry(p, 0);
        scale[p] = d > 0 ? d : 1;
        for (int32_t q = 0; q < p; q++) {
            int32_t v = cut(divided(a[q], scale[p]), SHORT);
            own[q] = cut(divided(v << 14, scale[q]), SHORT);
        }
        own[p] = 16384 + damping;
    }
    for (int32_t p = 0; p < params; p++) {
        int32_t *own = f->low + entry(p, 0), *other = f->low;
        for (int32_t q = 0; q <= p; q++, other += q) {
            int32_t v = own[q];
            for (int32_t k = 0; k < q; k++)
                v -= (own[k] * other[k]) >> 14;
            own[q] = p == q ? root((v < 1024 ? 1024 : v) << 14) : cut(divided(cut(v, SHORT) << 14, other[q]), SHORT);
        }
    }
    for (int32_t p = 0; p < params; p++) {
        const int32_t *own = f->low + entry(p, 0);
        int32_t v = cut(divided(f->b[p], scale[p]), SHORT);
        for (int32_t k = 0; k < p; k++)
            v -= (own[k] * delta[k]) >> 14;
        delta[p] = cut(divided(cut(v, SHORT) << 14, own[p]), SHORT);
    }
    for (int32_t p = params - 1; p >= 0; p--) {
        int32_t v = delta[p];
        for (int32_t k = p + 1; k < params; k++)
            v -= (f->low[entry(k, p)] * delta[k]) >> 14;
        delta[p] = cut(divided(cut(v, SHORT) << 14, f->low[entry(p, p)]), SHORT);
    }
    for (int32_t p = 0; p < params; p++)
        delta[p] = divided(delta[p] << 8, scale[p]);
}

static int32_t share_of(int32_t delta, int32_t step) { return cut((cut(delta, MOST_STEPS) * step) >> 8, MOST_STEPS); }

/* Moves a body by its share of the step; returns the longest part of it. */
static int32_t move(const Fit *f, const Body *body)
{
    int32_t *pose = body->pose, mode = (int32_t)body->mode, step = STEP << body->wide, moved = 0;
    const int32_t *delta = f->delta + body->at;
    int32_t straight = mode == FREE ? 3 : 2, v;
    for (int32_t p = 0; p < straight; p++) {
        v = cut(share_of(delta[p], step), LONGEST);
        pose[p] += v;
        moved = size(v) > moved ? size(v) : moved;
    }
    if (mode == MASS || mode == LEAN_MASS) {
        v = (delta[body->freedom - 1] * MASS_STEP) >> 8;
        int32_t moment = pose[MOMENT] + cut(v, 100);
        pose[MOMENT] = moment < LIGHTEST ? LIGHTEST : moment > HEAVIEST ? HEAVIEST : moment;
        moved = size(v) > moved ? size(v) : moved;
    }
    if (mode == FLAT || mode == MASS)
        return moved;
    int32_t a = share_of(delta[straight], step), b = share_of(delta[straight + 1], step);
    int32_t longest = size(a) > size(b) ? size(a) : size(b);
    if (longest > LONGEST_TIP) {
        a = divided(a * LONGEST_TIP, longest), b = divided(b * LONGEST_TIP, longest);
        longest = size(a) > size(b) ? size(a) : size(b);
    }
    tip(pose, body->tangent, a, b);
    int32_t lowest = -(int32_t)f->scene->sensor_z, centre = height_of_centre(pose, (int32_t)f->scene->radius);
    if (mode != FREE)
        pose[Z] = lowest + centre;
    else if (body->sunk && pose[Z] < lowest)
        pose[Z] = lowest;
    else if (!body->sunk && pose[Z] < lowest + centre - SUNK_MOST)
        pose[Z] = lowest + centre;
    return longest > moved ? longest : moved;
}

int32_t fit(Fit *f, int32_t steps)
{
    Cost best = {-1, 0};
    int32_t saved[MOST_BODIES][POSE], damping = GENTLE;
    if (f->count < 3)
        return 0;
    while (steps--) {
        Cost cost = evaluate(f);
        int worse = 0;
        if (best.high >= 0) { /* by more than a 64th */
            int32_t low = best.low + (((best.high & 63) << 5) | (best.low >> 6));
            int32_t high = best.high + (best.high >> 6) + (low >> 11);
            worse = cost.high > high || (cost.high == high && cost.low > (low & 2047));
        }
        int much = f->used > 1 || best.high >> (6 - 2 * f->coarse) >= MUCH;
        if (f->paced && much && size(best.high - cost.high) <= best.high >> LITTLE_BITS)
            steps = 0; /* as the next frame goes on */
        for (word k = 0; k < f->used; k++) {
            if (worse)
                copy(f->bodies[k].pose, saved[k]);
            else
                copy(saved[k], f->bodies[k].pose);
        }
        if (worse) {
            damping <<= 3;
            if (damping > STIFF)
                break;
        } else {
            best = cost;
            damping = damping >> 2 > GENTLE ? damping >> 2 : GENTLE;
            if (!steps)
                break;
            linearise(f);
        }
        if (!steps)
            break;
        solve(f, damping);
        f->work += SQUARE_US * f->params * f->params;
        int32_t moved = 0;
        for (word k = 0; k < f->used; k++) {
            int32_t v = move(f, &f->bodies[k]);
            moved = v > moved ? v : moved;
        }
        if (moved < (f->coarse == 3 ? ENOUGH : ENOUGH_HIGH))
            break;
    }
    int32_t count = (int32_t)f->count, high = divided(best.high, count);
    if (high >> 24)
        return ALL;
    int32_t low = divided((best.high - high * count) * 2048 + best.low, count);
    return f->coarse == 3 ? (high << 5) + (low >> 6) : f->coarse == 2 ? (high << 3) + (low >> 8) : high >> 1;
}
