/* profile.c: see profile.h. On a piece of length l, s from 0 to l, each coordinate is
 *
 *     c(s) = c0 + c1 s + c2 s^2 + c3 s^3,      c, c', c'' equal where pieces meet.
 *
 * The slopes m_i there solve a tridiagonal system, with ends free of bending, or closed round. Nearest is where
 * (c(s) - p).c'(s) = 0: sought from the nearest of some samples on. */
#include "geom/profile.h"

#include "math/elementary.h"
#include "math/vec.h"

#include <string.h>

enum { SAMPLES = 4 }; /* of a piece */

typedef struct Piece {
    double length;
    double c[2][4];
} Piece;

struct BriProfile {
    int pieces;
    bool closed;
    Piece *piece;
    double (*sample)[2]; /* SAMPLES of each piece, and its end */
    double extent;       /* m: of the sample farthest from the origin */
};

/* ------------------------------------------------------------------ making */

/* Square system, tridiagonal with corners where it is closed: a few hundred rows at most, once. */
typedef struct Slopes {
    int count;
    double *low, *middle, *high, *right, *corner; /* corner: the column of the last unknown */
} Slopes;

/* Eliminates downwards with the last unknown as a border. */
static void solve_slopes(Slopes *s, bool closed, double *m) {
    int n = closed ? s->count - 1 : s->count;
    for (int i = 1; i < n; i++) {
        double f = s->low[i] / s->middle[i - 1];
        s->middle[i] -= f * s->high[i - 1];
        s->right[i] -= f * s->right[i - 1];
        s->corner[i] -= f * s->corner[i - 1];
    }
    for (int i = n - 1; i >= 0; i--) {
        double next = i < n - 1 ? s->high[i] : 0;
        s->right[i] = (s->right[i] - (i < n - 1 ? next * s->right[i + 1] : 0)) / s->middle[i];
        s->corner[i] = (s->corner[i] - (i < n - 1 ? next * s->corner[i + 1] : 0)) / s->middle[i];
    }
    for (int i = 0; i < n; i++) m[i] = s->right[i];
    if (!closed) return;
    /* the last row: low m_{n-1} + middle m_n + high m_0 = right */
    double pivot = s->middle[n] - s->low[n] * s->corner[n - 1] - s->high[n] * s->corner[0];
    m[n] = (s->right[n] - s->low[n] * s->right[n - 1] - s->high[n] * s->right[0]) / pivot;
    for (int i = 0; i < n; i++) m[i] -= s->corner[i] * m[n];
}

/* A row that says c'' is the same on both sides of point i: l_ and l lengths before and behind, d_ and d differences. */
static void join(Slopes *s, int i, double l_, double l, double d_, double d) {
    s->low[i] = 1 / l_;
    s->middle[i] = 2 / l_ + 2 / l;
    s->high[i] = 1 / l;
    s->right[i] = 3 * (d_ / (l_ * l_) + d / (l * l));
}

/* An open end: c'' = 0, or its slope is known. */
static void end(Slopes *s, int i, double l, double d, bool known, double slope) {
    double *inner = i == 0 ? &s->high[i] : &s->low[i];
    s->middle[i] = known ? 1 : 2 / l;
    *inner = known ? 0 : 1 / l;
    s->right[i] = known ? slope : 3 * d / (l * l);
}

/* Slopes of coordinate k at all points; a closed curve has as many as pieces. */
static void find_slopes(const BriProfile *p, const double (*at)[2], int k, Slopes *s, double *m) {
    int n = s->count, last = p->pieces - 1;
    memset(s->corner, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        s->low[i] = s->high[i] = 0;
        int before = i > 0 ? i - 1 : last, behind = i <= last ? i : last;
        double l_ = p->piece[before].length, l = p->piece[behind].length;
        double d_ = at[(before + 1) % (p->closed ? n : n + 1)][k] - at[before][k];
        double d = at[(behind + 1) % (p->closed ? n : n + 1)][k] - at[behind][k];
        bool first = i == 0, final = i == n - 1;
        if (p->closed || (!first && !final)) {
            join(s, i, l_, l, d_, d);
            continue;
        }
        bool on_axis = at[i][0] == 0; /* there the way is square to x = 0 */
        double way = first ? d : d_, slope = k == 1 ? 0 : way > 0 ? 1 : -1;
        end(s, i, first ? l : l_, way, on_axis, slope);
    }
    if (p->closed) { /* the last unknown is the border: its column, in the rows that know it */
        s->corner[0] = s->low[0];
        s->low[0] = 0;
        s->corner[n - 2] += s->high[n - 2];
        s->high[n - 2] = 0;
    }
    solve_slopes(s, p->closed, m);
}

static void fill_pieces(BriProfile *p, const double (*at)[2], int points, int k, const double *m) {
    for (int i = 0; i < p->pieces; i++) {
        Piece *piece = &p->piece[i];
        double l = piece->length, a = at[i][k], b = at[(i + 1) % points][k], ma = m[i], mb = m[(i + 1) % points];
        double d = (b - a) / l;
        piece->c[k][0] = a;
        piece->c[k][1] = ma;
        piece->c[k][2] = (3 * d - 2 * ma - mb) / l;
        piece->c[k][3] = (ma + mb - 2 * d) / (l * l);
    }
}

typedef struct Place {
    double c[2], d[2], dd[2];
} Place;

static Place evaluate(const Piece *piece, double s) {
    Place p;
    for (int k = 0; k < 2; k++) {
        const double *c = piece->c[k];
        p.c[k] = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
        p.d[k] = c[1] + s * (2 * c[2] + 3 * s * c[3]);
        p.dd[k] = 2 * c[2] + 6 * s * c[3];
    }
    return p;
}

static void take_samples(BriProfile *p) {
    for (int i = 0; i < p->pieces; i++)
        for (int k = 0; k <= SAMPLES; k++) {
            Place at = evaluate(&p->piece[i], p->piece[i].length * k / SAMPLES);
            memcpy(p->sample[SAMPLES * i + k], at.c, sizeof at.c);
            p->extent = bri_max(p->extent, bri_norm(bri_vec(at.c[0], at.c[1], 0)));
        }
}

/* Twice the area that the points go round, left-handed turns positive. */
static double find_area(const double (*at)[2], int count) {
    double area = 0;
    for (int i = 0; i < count; i++) {
        const double *a = at[i], *b = at[(i + 1) % count];
        area += a[0] * b[1] - a[1] * b[0];
    }
    return area;
}

BriProfile *bri_profile_make(const double *points, int count, bool closed, const BrAllocator *allocator) {
    BriProfile *p = bri_allocate(allocator, 1, sizeof *p);
    double *scratch = bri_allocate(allocator, 8 * (size_t)count, sizeof *scratch);
    double(*at)[2] = (double(*)[2])scratch;
    if (p) {
        p->closed = closed;
        p->pieces = closed ? count : count - 1;
        p->piece = bri_allocate(allocator, (size_t)p->pieces, sizeof *p->piece);
        p->sample = bri_allocate(allocator, SAMPLES * (size_t)p->pieces + 1, sizeof *p->sample);
    }
    if (!p || !scratch || !p->piece || !p->sample) {
        bri_profile_release(p, allocator);
        bri_release(allocator, scratch);
        return NULL;
    }
    bool turned = closed && find_area((const double(*)[2])points, count) > 0; /* what is solid lies to the right */
    for (int i = 0; i < count; i++) {
        int from = turned ? count - 1 - i : i;
        at[i][0] = points[2 * from], at[i][1] = points[2 * from + 1];
    }
    for (int i = 0; i < p->pieces; i++) {
        const double *a = at[i], *b = at[(i + 1) % count];
        p->piece[i].length = bri_norm(bri_vec(b[0] - a[0], b[1] - a[1], 0));
    }
    double *row = scratch + 2 * (size_t)count;
    Slopes s = {count, row, row + count, row + 2 * (size_t)count, row + 3 * (size_t)count, row + 4 * (size_t)count};
    double *m = row + 5 * (size_t)count;
    for (int k = 0; k < 2; k++) {
        find_slopes(p, (const double(*)[2])at, k, &s, m);
        fill_pieces(p, (const double(*)[2])at, count, k, m);
    }
    take_samples(p);
    bri_release(allocator, scratch);
    return p;
}

void bri_profile_release(BriProfile *profile, const BrAllocator *allocator) {
    if (!profile) return;
    bri_release(allocator, profile->piece);
    bri_release(allocator, profile->sample);
    bri_release(allocator, profile);
}

int bri_profile_pieces(const BriProfile *p) { return p->pieces; }

void bri_profile_place(const BriProfile *p, int piece, double part, double at[2], double way[2]) {
    double length = p->piece[piece].length;
    Place place = evaluate(&p->piece[piece], part * length);
    for (int k = 0; k < 2; k++) at[k] = place.c[k], way[k] = length * place.d[k];
}

double bri_profile_extent(const BriProfile *p) { return p->extent; }

/* ------------------------------------------------------------------ nearest */

static int find_nearest_sample(const BriProfile *p, double x, double y) {
    int best = 0;
    double least = __builtin_inf();
    for (int i = 0; i <= SAMPLES * p->pieces; i++) {
        double dx = p->sample[i][0] - x, dy = p->sample[i][1] - y, square = dx * dx + dy * dy;
        if (square < least) least = square, best = i;
    }
    return best;
}

/* The place at a way u along all pieces, each counting as 1. */
static Place evaluate_at(const BriProfile *p, double u, double *length) {
    int piece = (int)bri_floor(u);
    if (p->closed) piece = ((piece % p->pieces) + p->pieces) % p->pieces;
    if (piece < 0) piece = 0;
    if (piece >= p->pieces) piece = p->pieces - 1;
    double part = u - bri_floor(u);
    if (!p->closed) part = u - piece; /* its last end too */
    *length = p->piece[piece].length;
    return evaluate(&p->piece[piece], part * *length);
}

/* Half the distance's square falls before the nearest place and rises behind it: Newton, kept inside by bisection. */
static double refine(const BriProfile *p, double x, double y, double low, double high) {
    const double ARRIVED = 1e-16; /* of all the way */
    double u = 0.5 * (low + high);
    for (int k = 0; k < 60; k++) {
        double l, rx, ry;
        Place at = evaluate_at(p, u, &l);
        rx = at.c[0] - x, ry = at.c[1] - y;
        double slope = l * (rx * at.d[0] + ry * at.d[1]);
        double second = l * l * (at.d[0] * at.d[0] + at.d[1] * at.d[1] + rx * at.dd[0] + ry * at.dd[1]);
        if (slope == 0) break;
        *(slope < 0 ? &low : &high) = u;
        double next = second > 0 ? u - slope / second : low - 1;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (bri_abs(next - u) <= ARRIVED * p->pieces) break;
        u = next;
    }
    return u;
}

bool bri_profile_nearest(const BriProfile *p, double x, double y, BriProfilePoint *to) {
    const double AT_END = 1e-9; /* of a piece */
    int sample = find_nearest_sample(p, x, y);
    double low = (double)(sample - 1) / SAMPLES, high = (double)(sample + 1) / SAMPLES, l;
    if (!p->closed) low = bri_max(low, 0), high = bri_min(high, p->pieces);
    double u = refine(p, x, y, low, high);
    Place at = evaluate_at(p, u, &l);
    double speed = bri_sqrt(at.d[0] * at.d[0] + at.d[1] * at.d[1]), tx = at.d[0] / speed, ty = at.d[1] / speed;
    double rx = x - at.c[0], ry = y - at.c[1], aside = rx * tx + ry * ty;
    bool at_low = !p->closed && u < AT_END && aside < 0, at_high = !p->closed && u > p->pieces - AT_END && aside > 0;
    if ((at_low || at_high) && bri_abs(aside) > AT_END * l) return false;
    *to = (BriProfilePoint){at.c[0], at.c[1], tx, ty, 0, ty * -rx + tx * ry};
    to->bend = -(at.d[0] * at.dd[1] - at.d[1] * at.dd[0]) / (speed * speed * speed);
    return true;
}
