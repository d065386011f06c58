/* A body's field and its slopes: body_gradient() in _reference.py. It takes most of a fit's time. */

#include "table.h"

static int32_t slope(int32_t v) { return v > 8191 ? 32767 : v < -8191 ? -32767 : v * 4; }

static int32_t scaled(int32_t v, int32_t moment, int32_t shift)
{
    return (cut(v, 1048575) * moment + (1 << (shift - 1))) >> shift;
}

void gradient(const Fit *f, const Body *body, int32_t *slopes)
{
    const Scene *s = f->scene;
    const int32_t *pose = body->pose, *t = body->tangent;
    int32_t nx = pose[AX], ny = pose[AY], nz = pose[AZ], thickness = pose[THICKNESS], m = pose[MOMENT];
    int32_t move = 15 - (int32_t)body->wide, swivel = 17 - (int32_t)body->wide, dz = -pose[Z];
    int32_t first = first_disc(pose);
    for (word j = 0, count = body->count; j < count; j++) {
        int32_t i = f->index[body->places[j]];
        int32_t dx = s->x[i] - pose[X], dy = s->y[i] - pose[Y];
        int32_t s0 = (dx * nx + dy * ny + dz * nz) >> 12;
        int32_t ex = dx - ((s0 * nx) >> 12), ey = dy - ((s0 * ny) >> 12), ez = dz - ((s0 * nz) >> 12);
        int32_t rho = radius_of(ex, ey, ez);
        if (rho < 8)
            rho = 8;
        ex = divided(ex << 12, rho), ey = divided(ey << 12, rho), ez = divided(ez << 12, rho);
        int32_t eu = (ex * t[0] + ey * t[1] + ez * t[2]) >> 12;
        int32_t ev = (ex * t[3] + ey * t[4] + ez * t[5]) >> 12;
        int32_t total = 0, gx = 0, gy = 0, gz = 0, ga = 0, gb = 0, along = s0 - first;
        for (int32_t disc = pose[DISCS]; disc; disc--, along -= thickness) {
            Place at;
            if (!place(&at, s->rows, rho, size(along)))
                continue;
            int32_t level = at.level, down = 12, p, q, u, v;
            p = AXIAL(at.low[0]), q = AXIAL(at.low[1]) - p, u = AXIAL(at.high[0]), v = AXIAL(at.high[1]) - u;
            int32_t fs_r = q + (((v - q) * at.z) >> 8), fs_s = u - p + (((v - q) * at.r) >> 8);
            int32_t fs = p + ((q * at.r) >> 8);
            fs += ((u + ((v * at.r) >> 8) - fs) * at.z) >> 8;
            p = RADIAL(at.low[0]), q = RADIAL(at.low[1]) - p, u = RADIAL(at.high[0]), v = RADIAL(at.high[1]) - u;
            int32_t fr_r = q + (((v - q) * at.z) >> 8), fr_s = u - p + (((v - q) * at.r) >> 8);
            int32_t f_r = p + ((q * at.r) >> 8);
            f_r += ((u + ((v * at.r) >> 8) - f_r) * at.z) >> 8;
            if (along < 0)
                fs_s = -fs_s, fr_r = -fr_r, f_r = -f_r;
            if (level == 0) {
                fs_r = slope(fs_r), fs_s = slope(fs_s), fr_r = slope(fr_r), fr_s = slope(fr_s);
                down = 8;
            } else if (level == 2) {
                fs_r >>= 6, fs_s >>= 6, fr_r >>= 6, fr_s >>= 6;
            }
            fs = level == 2 ? fs >> 2 : fs * 4;
            f_r = level == 2 ? f_r >> 2 : f_r * 4;
            total += (fs * nz + f_r * ez) >> down;
            int32_t by_rho = (fs_r * nz + fr_r * ez) >> 12, by_s = (fs_s * nz + fr_s * ez) >> 12;
            int32_t turn = cut(divided(f_r * 256, rho), 65535);
            int32_t side = by_rho - ((turn * ez) >> 12), ahead = by_s - ((turn * nz) >> 12);
            gx -= (side * ex + ahead * nx) >> down;
            gy -= (side * ey + ahead * ny) >> down;
            gz -= (side * ez + ahead * nz + turn * 4096) >> down;
            int32_t lever = (turn * s0) >> 8;
            int32_t swing = ((by_s * rho - by_rho * s0) >> 8) - ((f_r * nz) >> 12) + ((lever * ez) >> 12);
            swing = cut(swing, 262143);
            ga += (swing * eu + (fs - lever) * t[2]) >> down;
            gb += (swing * ev + (fs - lever) * t[5]) >> down;
        }
        f->own[j] = ((total >> 4) * m) >> 10;
        slopes[j] = scaled(gx, m, move);
        slopes[EACH + j] = scaled(gy, m, move);
        slopes[2 * EACH + j] = scaled(gz, m, move);
        slopes[3 * EACH + j] = scaled(ga >> 2, m, swivel);
        slopes[4 * EACH + j] = scaled(gb >> 2, m, swivel);
    }
}
