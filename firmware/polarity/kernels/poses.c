/* Poses: what _reference.py and _reference_fit.py do to one or two of them. */

#include "arithmetic.h"
#include "kernels.h"

int32_t isqrt(int32_t v) { return root(v); }

int32_t copy(int32_t *target, const int32_t *source)
{
    for (int i = 0; i < POSE; i++)
        target[i] = source[i];
    return 0;
}

int32_t normalise(int32_t *pose)
{
    int32_t nx = pose[AX], ny = pose[AY], nz = pose[AZ];
    int32_t length = root(nx * nx + ny * ny + nz * nz);
    if (length) {
        for (int k = AX; k <= AZ; k++)
            pose[k] = divided(pose[k] << 12, length);
    }
    return 0;
}

int32_t tangents(const int32_t *pose, int32_t *out)
{
    int32_t nx = pose[AX], ny = pose[AY], nz = pose[AZ];
    int32_t ux = nz, uy = 0, uz = -nx;
    if (-3300 < nz && nz < 3300)
        ux = -ny, uy = nx, uz = 0;
    int32_t length = root(ux * ux + uy * uy + uz * uz);
    out[0] = ux = divided(ux << 12, length);
    out[1] = uy = divided(uy << 12, length);
    out[2] = uz = divided(uz << 12, length);
    out[3] = (ny * uz - nz * uy) >> 12;
    out[4] = (nz * ux - nx * uz) >> 12;
    out[5] = (nx * uy - ny * ux) >> 12;
    return 0;
}

int32_t tip(int32_t *pose, const int32_t *tangent, int32_t a, int32_t b)
{
    for (int k = 0; k < 3; k++)
        pose[AX + k] += (a * tangent[k] + b * tangent[3 + k]) >> 12;
    return normalise(pose);
}

int32_t height_of_centre(const int32_t *pose, int32_t radius)
{
    int32_t nx = pose[AX], ny = pose[AY];
    int32_t sine = root(nx * nx + ny * ny), half = (pose[DISCS] * pose[THICKNESS]) >> 1;
    return (radius * (sine < 4096 ? sine : 4096) + half * size(pose[AZ])) >> 12;
}

int32_t span(int32_t dx, int32_t dy)
{
    if (-23000 < dx && dx < 23000 && -23000 < dy && dy < 23000)
        return root(dx * dx + dy * dy);
    dx >>= 4, dy >>= 4;
    return root(dx * dx + dy * dy) << 4;
}

int32_t distance(const int32_t *a, const int32_t *b) { return span(a[X] - b[X], a[Y] - b[Y]); }

int32_t turned(const int32_t *a, const int32_t *b)
{
    int32_t dx = a[AX] - b[AX], dy = a[AY] - b[AY], dz = a[AZ] - b[AZ];
    return root(dx * dx + dy * dy + dz * dz);
}

int32_t strayed(const int32_t *pose, const int32_t *anchor)
{
    int32_t away = turned(pose, anchor);
    for (int k = X; k <= Z; k++) {
        int32_t v = size(pose[k] - anchor[k]);
        away = v > away ? v : away;
    }
    return away;
}

int32_t advance(int32_t *pose, int32_t *velocity, int32_t *before, int32_t held)
{
    if (held) {
        velocity[X] -= velocity[X] >> 5;
        velocity[Y] -= velocity[Y] >> 5;
        velocity[Z] -= velocity[Z] >> 2;
        for (int k = AX; k <= AZ; k++)
            velocity[k] -= velocity[k] >> 3;
    }
    for (int k = X; k <= AZ; k++) {
        int32_t was = pose[k];
        pose[k] += held || k < AX ? velocity[k] : was - before[k];
        before[k] = was;
    }
    for (int k = MOMENT; k < POSE; k++)
        before[k] = pose[k];
    return normalise(pose);
}

int32_t learn_course(int32_t *pose, int32_t *velocity, int32_t *before, int32_t held)
{
    for (int k = X; k <= AZ; k++) {
        int32_t v = pose[k] - before[k] - velocity[k];
        velocity[k] += held ? (v + 2) >> 2 : (v + 1) >> 1;
    }
    return 0;
}
