/* Bodies in flight: where each frame has them. _reference_flight.py.

   Those near each other are fitted together, first as calmly as their course allows, then more
   freely; what no fit explains is believed to be where it was last understood. */

#include "arithmetic.h"
#include "kernels.h"

enum { FREE_TILT_SINE_Q12 = 570, SAME_PLACE_MM_Q8 = 3 * MM, LIES = 2 * MM };
enum { STRICT = 4, LANDING = 3, STEADY = 6, UNDERSTOOD_COST = 3, UNEASY = 8, PUZZLING = 40 };
enum { LOST_FROM_VIEW = 200, HURRIED_FRAMES = 2, AT_ONCE_ROUNDS = 6, SPINS = 300 };
enum { TOGETHER = 130 * MM, HIGH_UP = 50 * MM };
enum { CARRIED = 34 * MM, TOO_HIGH = 31, STEPS = 6, BRIEFLY = 2, STAYS_UT = 400, RISEN = 3 * MM };
enum { SETTLING_IN = 12, PAST_BITS = 2, PAST_FRAMES = 1 << PAST_BITS, NOTES = 3 };
enum { FADED_UT = 262, LOST_UT = 1000, LEFT_MM_Q8 = 512, OVER_CIRCLE_MM_Q8 = 2 * MM, LIFT_MM_Q8 = 5 * MM };
enum { LOW_MM_Q8 = 2 * MM, LOW_FRAMES = 20, CLOSE_MM_Q8 = 26 * MM, CLOSE_DISCS = 3 };
enum { STILL_MM_Q8 = 90, STILL_FRAMES = 14 };
enum { UNKNOWN, HAND, NEWCOMER, LOOSE, LYING, OUTSIDE }; /* memory: how well its course is known */

/* Which of the notes of a while ago is of this frame. */
static int32_t note_of(int32_t frames)
{
    frames >>= PAST_BITS;
    return frames - NOTES * divided(frames, NOTES);
}

typedef int32_t Poses[MOST_BODIES][POSE];

/* Bodies that are fitted together: how far they are, where their fit began, and led at first. */
typedef struct { Flyer *of[MOST_BODIES]; int32_t far[MOST_BODIES], count; Poses start, tried; } Group;

static int32_t face(const int32_t *pose) { return pose[AZ] >= 0 ? 1 : -1; }

static int32_t sine(const int32_t *pose)
{
    int32_t v = root(pose[AX] * pose[AX] + pose[AY] * pose[AY]);
    return v < ONE ? v : ONE;
}

static void halt(const Flyer *b)
{
    for (int k = X; k <= AZ; k++)
        b->velocity[k] = 0;
}

/* Lays `pose` as the body lies: as before near where it lay, in a crease say, or flat. */
static void lay(const Flight *f, const Flyer *b, int32_t *pose)
{
    const int32_t *rest = b->rest;
    int known = b->lying && !b->leaning && face(rest) == face(pose);
    if (known && distance(pose, rest) < SAME_PLACE_MM_Q8) {
        for (int k = Z; k <= AZ; k++)
            pose[k] = rest[k];
    } else {
        pose[AZ] = ONE * face(pose);
        pose[AX] = pose[AY] = 0;
        pose[Z] = ((pose[DISCS] * pose[THICKNESS]) >> 1) - (int32_t)f->scene->sensor_z;
    }
}

int32_t expect(const Flight *f, Flyer *b)
{
    int32_t *pose = b->pose, *expected = b->expected, *spin = b->velocity;
    int32_t too_high = (TOO_HIGH * (int32_t)f->scene->radius) >> 3;
    copy(expected, pose);
    if (b->held) {
        int turns = size(spin[AX]) + size(spin[AY]) + size(spin[AZ]) > SPINS;
        /* high up many frames together say where it is: it must not run on along its course meanwhile */
        b->memory = b->age > SETTLING_IN && pose[Z] <= too_high ? HAND : NEWCOMER;
        if (pose[Z] > too_high)
            turns = spin[AX] = spin[AY] = spin[AZ] = 0;
        if (b->memory == NEWCOMER || (pose[Z] > CARRIED && !turns)) {
            /* the further off, the less its tilt shows */
            for (int k = AX; k <= AZ; k++)
                expected[k] = (expected[k] * 7) >> 3;
            expected[AZ] += (ONE >> 3) * face(pose);
            normalise(expected);
        }
    } else if (b->leaning && !b->left) {
        b->memory = HAND; /* it stays as long as the sensors do not contradict */
        halt(b);
        copy(pose, b->rest);
        copy(expected, b->rest);
    } else if (pose[Z] - b->rest[Z] > RISEN || (b->leaning && sine(pose) > FREE_TILT_SINE_Q12)) {
        b->memory = LOOSE;
    } else {
        b->memory = span(pose[X], pose[Y]) > f->circle ? OUTSIDE : LYING;
        lay(f, b, expected);
    }
    return 0;
}

/* `body` and the bodies in flight near it, nearest first; unless `every`, only those that this
   frame has not explained yet. */
static void gather(const Flight *f, Group *g, Flyer *body, int every)
{
    g->count = 0;
    if (f->used == 1) {
        g->of[g->count++] = body;
        return;
    }
    for (word k = 0; k < f->used; k++) {
        Flyer *other = f->flyers[k];
        int32_t d = distance(body->pose, other->pose), at = g->count;
        if (d >= TOGETHER || (other->explained && !every))
            continue;
        while (at && g->far[at - 1] > d)
            at--;
        if (at == MOST_BODIES)
            continue;
        if (g->count < MOST_BODIES)
            g->count++;
        for (int32_t n = g->count - 1; n > at; n--)
            g->far[n] = g->far[n - 1], g->of[n] = g->of[n - 1];
        g->far[at] = d, g->of[at] = other;
    }
}

/* Hands keep to their course by `steady` bits more, the others by `calm` bits; while those are calm,
   what lies flat stays flat. */
static uint32_t fitted(const Flight *f, const Group *g, int32_t steady, int32_t calm)
{
    Fit *fit = f->fit;
    int uneasy = 0;
    for (int32_t k = 0; k < g->count; k++) {
        const Flyer *b = g->of[k];
        uneasy |= b->uneasy != 0;
        /* it lands where the gains of the sensors are not learnt: no hand may make up for them */
        if (!b->held && steady < LANDING && distance(b->pose, b->rest) > SAME_PLACE_MM_Q8)
            steady = LANDING;
    }
    for (int32_t k = 0; k < g->count; k++) {
        const Flyer *b = g->of[k];
        Body *body = &fit->bodies[k];
        int32_t low = b->pose[Z] + (int32_t)f->scene->sensor_z - ((b->pose[DISCS] * b->pose[THICKNESS]) >> 1);
        body->mode = FREE;
        if (calm && !b->held && low < LIES && sine(b->pose) < FREE_TILT_SINE_Q12) {
            body->mode = FLAT;
            lay(f, b, b->pose);
        }
        body->strict = b->held ? steady : calm;
        body->sunk = b->held;
        body->near = body->height = body->turn = 1;
        switch (b->memory) {
        case HAND: body->near = body->height = 60, body->turn = 150; break;
        case NEWCOMER: body->near = body->height = 2, body->turn = 20; break;
        case LOOSE: body->near = body->height = 4, body->turn = 30; break;
        case LYING: body->near = 4, body->height = 40, body->turn = 150; break;
        case OUTSIDE: body->height = body->turn = 1 << 9; break;
        default: body->turn = 5;
        }
        body->pose = b->pose;
        body->expected = b->expected;
    }
    fit->used = g->count;
    f->look(fit);
    return (uint32_t)f->solve(fit, calm && uneasy ? BRIEFLY : STEPS);
}

/* Poses of the group: from `tried` back, or put there and begun anew. */
static void set_aside(Group *g)
{
    for (int32_t k = 0; k < g->count; k++) {
        copy(g->tried[k], g->of[k]->pose);
        copy(g->of[k]->pose, g->start[k]);
    }
}

static void take_back(const Group *g)
{
    for (int32_t k = 0; k < g->count; k++)
        copy(g->of[k]->pose, g->tried[k]);
}

/* A hand may have been led astray by what has only now been woken: tries where it would be by its
   course of a while ago. Returns what stays unexplained. */
static uint32_t rewound(const Flight *f, Group *g, uint32_t cost)
{
    Poses expected;
    int held = 0;
    for (int32_t k = 0; k < g->count; k++)
        held |= g->of[k]->held != 0;
    if (!held)
        return cost;
    set_aside(g);
    for (int32_t k = 0; k < g->count; k++) {
        const Flyer *b = g->of[k];
        if (!b->held)
            continue;
        int32_t frames = (int32_t)b->frames, at = note_of(frames + PAST_FRAMES);
        int32_t since = (NOTES - 1) * PAST_FRAMES + (frames & (PAST_FRAMES - 1));
        copy(b->pose, b->past + at * POSE);
        b->pose[X] += b->speeds[at * 6 + X] * since;
        b->pose[Y] += b->speeds[at * 6 + Y] * since;
        copy(expected[k], b->expected);
        copy(b->expected, b->pose);
    }
    uint32_t back = fitted(f, g, 0, 0);
    int better = back * 4 < cost * 3;
    if (!better)
        take_back(g);
    for (int32_t k = 0; k < g->count; k++) {
        const Flyer *b = g->of[k];
        if (b->held && better) {
            halt(b);
            copy(b->before, b->pose);
        } else if (b->held) {
            copy(b->expected, expected[k]);
        }
    }
    return better ? back : cost;
}

/* Fits the bodies of a group together. Those that are marked have their fields out of the residual.
   `woken`: one of them has only now been woken. */
static void explain_group(const Flight *f, Group *g, int woken)
{
    Flyer *first = g->of[0];
    for (int32_t k = 0; k < g->count; k++) {
        if (g->of[k]->share->marked)
            f->leave(f->scene, g->of[k]->share);
        copy(g->start[k], g->of[k]->pose);
    }
    uint32_t cost = fitted(f, g, 0, STRICT), other;
    if (cost > UNDERSTOOD_COST)
        cost = fitted(f, g, 0, 0);
    if (g->count == 1 || f->passed <= HURRIED_FRAMES) {
        if (woken && cost > UNDERSTOOD_COST)
            cost = rewound(f, g, cost);
        if (cost > UNDERSTOOD_COST && g->count == 1 && first->held && first->pose[Z] >= HIGH_UP && first->memory != NEWCOMER) {
            /* by itself and high up it may have been given a wrong course */
            copy(g->tried[0], first->pose);
            first->memory = NEWCOMER;
            other = fitted(f, g, 0, 0);
            if (other * 4 < cost * 3)
                cost = other;
            else
                take_back(g);
        }
        if (cost > PUZZLING && (g->count == 1 || !f->fit->paced)) {
            /* it may have been led astray: a hand keeps to its course rather than explain little */
            set_aside(g);
            other = fitted(f, g, STEADY, 0);
            if (other <= cost * 3)
                cost = other;
            else
                take_back(g);
        }
    }
    for (int32_t k = 0; k < g->count; k++) {
        Flyer *b = g->of[k];
        if (cost > LOST_FROM_VIEW && !b->held)
            copy(b->pose, b->good);
        b->uneasy = cost > UNEASY ? b->uneasy + 1 : 0;
        b->share->marked = b->explained = 1;
        f->enter(f->scene, b->share, b->pose);
    }
}

/* Whether the sensors of other bodies' fits may feel this one. */
static int felt(const Flight *f, const Flyer *b)
{
    int32_t discs = b->pose[DISCS] < 8 ? b->pose[DISCS] : 8, reach = b->share->reach[discs - 1];
    for (word k = 0; k < f->used; k++) {
        const int32_t *other = f->flyers[k]->pose;
        int32_t within = NEAR_BODY_MM_Q8 + (other[Z] >> 1);
        if (other != b->pose && distance(other, b->pose) <= reach + (within < FURTHEST_MM_Q8 ? within : FURTHEST_MM_Q8))
            return 1;
    }
    return 0;
}

int32_t assess(const Flight *f, const Flyer *b, int32_t *view)
{
    const int32_t *pose = b->pose;
    view[VIEW_STRONGEST] = strongest(b->share);
    view[VIEW_MISFIT] = f->misfit(f->scene, pose);
    view[VIEW_FROM_REST] = strayed(pose, b->rest);
    view[VIEW_FROM_ANCHOR] = strayed(pose, b->anchor);
    view[VIEW_RADIUS] = span(pose[X], pose[Y]);
    view[VIEW_CLEAR] = pose[Z] + (int32_t)f->scene->sensor_z - height_of_centre(pose, (int32_t)f->scene->radius);
    view[VIEW_HAZE] = haze(f->scene, pose);
    return 0;
}

/* Whether one of the group was woken in the last frame. */
static int fresh(const Group *g, int32_t passed)
{
    int found = 0;
    for (int32_t k = 0; k < g->count; k++)
        found |= g->of[k]->frames == passed;
    return found;
}

int32_t fly(const Flight *f, int32_t woken)
{
    Group g;
    int32_t passed = (int32_t)f->passed;
    word count = f->used;
    if (woken) {
        gather(f, &g, f->flyers[count - 1], 1);
        explain_group(f, &g, 1);
        return 0;
    }
    for (word k = 0; k < count; k++) {
        Flyer *b = f->flyers[k];
        b->share->marked = b->explained = 0; /* a new frame */
        for (int32_t n = 0; n < passed; n++) {
            if ((++b->frames & (PAST_FRAMES - 1)) == 0) {
                int32_t at = note_of((int32_t)b->frames);
                copy(b->past + at * POSE, b->pose);
                for (int i = X; i <= AZ; i++)
                    b->speeds[at * 6 + i] = b->velocity[i];
            }
            advance(b->pose, b->velocity, b->before, (int32_t)b->held);
        }
        expect(f, b);
    }
    gather(f, &g, f->flyers[0], 1);
    int late = passed > 1, several = g.count < count;
    for (int32_t k = 0; !late && k < g.count; k++)
        g.of[k]->explained = 1;
    for (word k = 0; k < count; k++) {
        /* one of several groups is explained while the others are where they should be, the first
           before anybody asks where it is */
        Flyer *b = f->flyers[k];
        if (late || (several && !b->explained && felt(f, b))) {
            b->share->marked = 1;
            f->enter(f->scene, b->share, b->pose);
        }
    }
    for (int32_t k = 0; k < g.count; k++)
        g.of[k]->explained = 0;
    for (word k = 0; late && k < count; k++) {
        /* in no hand and where it should be: late, it need not be fitted */
        Flyer *b = f->flyers[k];
        if (!b->held && f->misfit(f->scene, b->pose) <= STAYS_UT)
            b->uneasy = 0, b->explained = 1;
    }
    for (word k = 0; k < count; k++) {
        if (f->flyers[k]->explained)
            continue;
        gather(f, &g, f->flyers[k], 0);
        explain_group(f, &g, f->unfitted && fresh(&g, passed));
    }
    int puzzled = 0;
    for (word k = 0; k < count; k++) {
        const Flyer *b = f->flyers[k];
        int32_t gain = b->held ? 4 : 2;
        puzzled |= b->uneasy && b->uneasy <= AT_ONCE_ROUNDS && !b->held;
        for (int i = X; passed > gain && i <= AZ; i++) {
            /* the way that was not expected was gone in all of the frames that have passed */
            int32_t off = b->pose[i] - b->before[i] - b->velocity[i];
            b->before[i] = b->pose[i] - b->velocity[i] - divided(off * gain, passed);
        }
        learn_course(b->pose, b->velocity, b->before, (int32_t)b->held);
    }
    return puzzled ? PUZZLED : 0;
}

/* Whether another body is so near that the two may be one stack. */
static int near_another(const Flight *f, const Flyer *b)
{
    for (word k = 0; k < f->used; k++) {
        const Flyer *other = f->flyers[k];
        if (other == b || other->state == GROUNDED || other->red || b->red)
            continue;
        int32_t rise = size(b->pose[Z] - other->pose[Z]);
        int32_t most = (b->pose[DISCS] + other->pose[DISCS] + CLOSE_DISCS) * b->pose[THICKNESS];
        if (rise < most && distance(b->pose, other->pose) <= CLOSE_MM_Q8)
            return 1;
    }
    return 0;
}

/* What each frame asks of a body whose state has not changed. False where more is to be done. */
static int keeps_on(const Flight *f, Flyer *b, int *moved)
{
    const int32_t *pose = b->pose;
    int32_t felt = strongest(b->share), radius = (int32_t)f->scene->radius;
    int32_t age = (int32_t)b->age + 1, far = strayed(pose, b->anchor), from = span(pose[X], pose[Y]);
    int32_t clear = pose[Z] + (int32_t)f->scene->sensor_z - height_of_centre(pose, radius);
    int32_t low = b->held && clear < LOW_MM_Q8 ? (int32_t)b->low + 1 : b->held ? 0 : (int32_t)b->low;
    if (b->state != KNOWN || age == 4 || age == 9 || age == 18 || age == 36 || felt <= FADED_UT)
        return 0;
    if (f->misfit(f->scene, pose) - (b->weighed ? 0 : felt >> 4) > LOST_UT)
        return 0;
    if (!b->left && strayed(pose, b->rest) > LEFT_MM_Q8)
        return 0;
    if (b->held) {
        int out = b->inside ? !b->announced || from > f->circle + OVER_CIRCLE_MM_Q8 : from <= f->circle;
        if (out || b->touches)
            return 0;
    } else {
        int32_t floor = b->rest[Z] + (int32_t)f->scene->sensor_z - height_of_centre(b->rest, radius);
        if (clear - floor >= LIFT_MM_Q8 || from > f->circle)
            return 0;
        if (pose[DISCS] > 1 && b->uneasy >= 5 && (b->uneasy & 3) == 1)
            return 0; /* its upper discs may have been lifted */
    }
    int32_t loose = (from > f->circle ? 2 : b->held && low < LOW_FRAMES ? 0 : 1) + haze(f->scene, pose);
    int moves = far > STILL_MM_Q8 << loose;
    if ((!moves && b->still + 1 >= STILL_FRAMES) || near_another(f, b))
        return 0;
    b->age = age;
    b->low = low;
    b->lost = b->near = 0;
    if (!b->held)
        b->clear = 0;
    copy(b->good, pose);
    b->still = moves ? 0 : b->still + 1;
    if (moves) {
        copy(b->anchor, pose);
        b->since = f->now;
        *moved = MOVED;
    }
    return 1;
}

int32_t survey(const Flight *f, int32_t from)
{
    int moved = 0;
    for (; from < f->used; from++) {
        Flyer *b = f->flyers[from];
        if (b->state != GROUNDED && !keeps_on(f, b, &moved))
            break;
    }
    return from | moved;
}
