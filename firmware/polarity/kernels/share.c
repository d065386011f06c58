/* What a body does to the sensors, and how well a frame is explained near it. */

#include "sensors.h"
#include "table.h"

enum { ROUNDS = 5, UNTRIED = 1 << 29, EXPLAINED = 1 };

FAST static void body_field(const Scene *s, const int32_t *pose, const uint16_t *index, int32_t *values, int32_t count)
{
    int32_t first = first_disc(pose);
    if (pose[DISCS] == 1) { /* mostly */
        for (int32_t j = 0; j < count; j++)
            values[j] = field_at(s, index[j], pose, first, 0);
        return;
    }
    for (int32_t j = 0; j < count; j++)
        values[j] = field_at(s, index[j], pose, first, 1);
}

static void feel(const Scene *s, Share *share, const int32_t *pose)
{
    int32_t within = share->reach[(pose[DISCS] < 8 ? pose[DISCS] : 8) - 1];
    int32_t count = sensors_near(s, share->index, (int32_t)share->most, pose[X], pose[Y], within);
    body_field(s, pose, share->index, share->values, count);
    share->count = count;
}

FAST int32_t add_at(int32_t *target, const Share *share, int32_t times)
{
    for (word j = 0, count = share->count; j < count; j++)
        target[share->index[j]] += times * share->values[j];
    return 0;
}

int32_t add_size(int32_t *target, const Share *share, int32_t sign)
{
    for (word j = 0, count = share->count; j < count; j++)
        target[share->index[j]] += sign * size(share->values[j]);
    return 0;
}

int32_t enter(const Scene *s, Share *share, const int32_t *pose)
{
    feel(s, share, pose);
    add_at(s->residual, share, -1);
    if (share->marked)
        add_size(s->moving, share, 1);
    return (int32_t)share->count;
}

FAST int32_t leave(const Scene *s, Share *share)
{
    add_at(s->residual, share, 1);
    if (share->marked)
        add_size(s->moving, share, -1);
    share->count = 0;
    return 0;
}

int32_t above(Share *share, int32_t limit)
{
    int32_t found = 0;
    for (word j = 0, count = share->count; j < count; j++) {
        if (size(share->values[j]) > limit) {
            share->index[found] = share->index[j];
            share->values[found++] = share->values[j];
        }
    }
    share->count = found;
    return found;
}

int32_t unlearn(const Scene *s, const Share *share, int16_t *kept)
{
    for (word j = 0, count = share->count; j < count; j++) {
        int32_t i = share->index[j], own = size(share->values[j]) >> 6, bias = s->bias[i];
        int32_t part = divided(bias * own, own + (size(s->base[i] - bias) >> 6));
        kept[j] = (int16_t)part;
        share->values[j] = part;
        s->bias[i] = (int16_t)(bias - part);
        s->base[i] -= part;
        s->residual[i] += part;
    }
    return 0;
}

int32_t strongest(const Share *share)
{
    int32_t most = 0;
    for (word j = 0, count = share->count; j < count; j++) {
        int32_t v = size(share->values[j]);
        most = v > most ? v : most;
    }
    return most;
}

int32_t near(const Scene *s, uint16_t *index, int32_t most)
{
    return sensors_near(s, index, most, (int32_t)s->centre_x, (int32_t)s->centre_y, (int32_t)s->within);
}

int32_t weigh(const Scene *s, uint8_t *weight, const uint16_t *index, int32_t count)
{
    for (int32_t j = 0; j < count; j++)
        weight[j] = (uint8_t)sensor_bits(s, index[j]);
    return 0;
}

int32_t misfit(const Scene *s, const int32_t *pose)
{
    uint16_t index[EACH];
    int32_t worst = 0, count = sensors_near(s, index, EACH, pose[X], pose[Y], NEAR_BODY_MM_Q8);
    for (int32_t j = 0; j < count; j++) {
        int32_t v = size(s->residual[index[j]]) - (s->moving[index[j]] >> 4);
        worst = v > worst ? v : worst;
    }
    return worst;
}

int32_t left_over(const Scene *s, const int32_t *pose, int32_t fine)
{
    uint16_t index[EACH];
    int32_t within = NEAR_BODY_MM_Q8 + (pose[Z] >> 1), total = 0, bits = fine ? 3 : 6, most = fine ? 4095 : 511;
    int32_t count = sensors_near(s, index, EACH, pose[X], pose[Y], within < FURTHEST_MM_Q8 ? within : FURTHEST_MM_Q8);
    for (int32_t j = 0; j < count; j++) {
        int32_t v = cut(s->residual[index[j]] >> (bits + sensor_bits(s, index[j])), most);
        total += v * v;
    }
    return fine || !count ? total : divided(total, count);
}

int32_t haze(const Scene *s, const int32_t *pose)
{
    int32_t side = (int32_t)s->side, pitch = (int32_t)s->pitch;
    int32_t column = divided(pose[X] + (pitch >> 1), pitch) + (side >> 1);
    int32_t row = divided(pose[Y] + (pitch >> 1), pitch) + (side >> 1);
    if (column < 0 || column >= side || row < 0 || row >= side)
        return 0;
    uint16_t i = s->grid[row * side + column];
    return i == NONE ? 0 : noise_bits(s->noise[i]);
}

int32_t cost(const Region *r)
{
    int32_t total = 0;
    for (word j = 0; j < r->count; j++) {
        int32_t v = cut(r->scene->residual[r->index[j]] >> (6 + r->weight[j]), 511);
        total += v * v;
    }
    return total;
}

FAST int32_t rival(const Region *r, const int32_t *pose, int32_t most)
{
    int32_t total = 0, first = first_disc(pose);
    for (word j = 0; j < r->count; j++) {
        int32_t i = r->index[j];
        int32_t v = cut((r->scene->residual[i] - field_at(r->scene, i, pose, first, 1)) >> (6 + r->weight[j]), 511);
        total += v * v;
        if (total >= most)
            return most;
    }
    return total;
}

static void put_seed(const Region *r, const int16_t *seed, int32_t *pose)
{
    for (int k = 0; k < SEED; k++)
        pose[k] = seed[k];
    pose[X] += (int32_t)r->from_x;
    pose[Y] += (int32_t)r->from_y;
}

int32_t offer(const Region *r, int32_t *pose)
{
    int32_t worst = 0;
    const int16_t *seed = r->seeds;
    for (word n = 0; n < r->seed_count; n++, seed += SEED) {
        if (!(seed[AX] | seed[AY] | seed[AZ]))
            continue;
        put_seed(r, seed, pose);
        int32_t cost = rival(r, pose, r->costs[worst]);
        if (cost >= r->costs[worst])
            continue;
        r->costs[worst] = cost;
        r->places[worst] = (int32_t)n;
        worst = 0;
        for (int k = 1; k < KEPT; k++)
            worst = r->costs[k] > r->costs[worst] ? k : worst;
    }
    return 0;
}

/* Which of the best seeds is to be refined next, of those that are not among `tried` (bits): those
   of a disc that lies before the others, the best first; KEPT: none. */
static int next_seed(const Region *r, int tried)
{
    int next = KEPT;
    for (int k = 0; k < KEPT; k++) {
        if (tried >> k & 1 || r->costs[k] == UNTRIED)
            continue;
        int flat = r->places[k] < r->flat_seeds, best = next < KEPT && r->places[next] < r->flat_seeds;
        if (next == KEPT || flat > best || (flat == best && r->costs[k] < r->costs[next]))
            next = k;
    }
    return next;
}

int32_t refine(Region *r, int32_t *pose, int32_t *found)
{
    int32_t best = UNTRIED, tried = 0;
    Body *body = r->fit->bodies;
    r->mode = FREE;
    for (int k; (k = next_seed(r, tried)) < KEPT && best > EXPLAINED * r->count; tried |= 1 << k) {
        int flat = r->places[k] < r->flat_seeds;
        put_seed(r, r->seeds + r->places[k] * SEED, pose);
        r->fit->used = 1;
        body->mode = flat ? FLAT : FREE;
        body->strict = 0;
        body->sunk = body->near = body->height = body->turn = 1;
        body->pose = pose;
        body->expected = 0;
        r->look(r->fit);
        r->solve(r->fit, ROUNDS);
        int32_t cost = rival(r, pose, UNTRIED);
        /* the same disc, free to be a little above or tipped, must be clearly better */
        if (cost < best && (flat || r->mode != FLAT || cost <= best - (best >> 2))) {
            best = cost;
            r->mode = body->mode;
            for (int i = 0; i < POSE; i++)
                found[i] = pose[i];
        }
    }
    return best;
}
