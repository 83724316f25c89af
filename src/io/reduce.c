/* reduce.c: see reduce.h.
 *
 * Extremes: where the differences v[i+1] - v[i] change sign there is a turn; rows that are equal belong to the side
 * before them. The parabola through the three rows around it gives time and value: with Newton's divided differences
 *     v(t) = v0 + d1 (t - t0) + d2 (t - t0)(t - t1),   v'(t) = 0  at  t = (t0 + t1)/2 - d1/(2 d2).
 * Before, after: where a curve jumps at a time between two rows, its value on either side is that of the cubic through the
 * four rows on that side.
 * Kink: a curve of two straight lines bends where its second difference is largest. The lines go through rows 3 and 2
 * before and rows 2 and 3 after that row, so neither touches the step in which it bends. */
#include "io/reduce.h"

#include "math/elementary.h"

#include <stdio.h>

const char *const bri_reducer_names[BRI_REDUCERS] = {"last",  "first", "at",     "min",    "max",      "mean",
                                                     "rms",   "peak",  "valley", "turn",   "crossing", "period",
                                                     "slope", "kink",  "count",  "before", "after",    "order"};

/* ------------------------------------------------------------------ things that come one after the other */

/* Finds the next one from row *i on and moves *i behind it. */
typedef bool (*FindNext)(const BriReduction *reduction, BriPoints points, int *i, BriReduced *found);

static int count_all(const BriReduction *r, BriPoints p, FindNext next) {
    int count = 0, i = 0;
    BriReduced unused;
    while (next(r, p, &i, &unused)) count++;
    return count;
}

static bool find_nth(const BriReduction *r, BriPoints p, FindNext next, BriReduced *found, char *why, size_t size) {
    int wanted = r->nth < 0 ? count_all(r, p, next) + 1 + r->nth : r->nth, count = 0, i = 0;
    while (wanted >= 1 && count < wanted && next(r, p, &i, found)) count++;
    if (wanted >= 1 && count == wanted) return true;
    snprintf(why, size, "%s number %d is wanted, but there are %d", bri_reducer_names[r->reducer], r->nth,
             r->nth < 0 ? wanted - 1 - r->nth : count);
    return false;
}

static bool next_crossing(const BriReduction *r, BriPoints p, int *i, BriReduced *found) {
    for (; *i + 1 < p.count; ++*i) {
        double a = p.v[*i] - r->level, b = p.v[*i + 1] - r->level;
        /* a row that lies on the level belongs to the side it comes from */
        bool rises = a < 0 && b >= 0, falls = a > 0 && b <= 0;
        if ((rises && r->direction >= 0) || (falls && r->direction <= 0)) {
            double time = p.t[*i] + (p.t[*i + 1] - p.t[*i]) * (a / (a - b));
            *found = (BriReduced){time, time};
            ++*i;
            return true;
        }
    }
    return false;
}

static int sign_of(double x) { return (x > 0) - (x < 0); }

/* The vertex of the parabola through rows i - 1, i, i + 1; the row itself where they lie on a line. */
static BriReduced fit_vertex(BriPoints p, int i) {
    double t0 = p.t[i - 1], t1 = p.t[i], t2 = p.t[i + 1], v0 = p.v[i - 1], v1 = p.v[i], v2 = p.v[i + 1];
    double d1 = (v1 - v0) / (t1 - t0), d2 = ((v2 - v1) / (t2 - t1) - d1) / (t2 - t0);
    double t = (t0 + t1) / 2 - d1 / (2 * d2);
    if (!(t >= t0 && t <= t2)) return (BriReduced){v1, t1};
    return (BriReduced){v0 + d1 * (t - t0) + d2 * (t - t0) * (t - t1), t};
}

/* *i is the first row of a difference; the sign before it is that of the last difference that was not zero. */
static bool next_turn(const BriReduction *r, BriPoints p, int *i, BriReduced *found) {
    int before = 0;
    for (int k = *i - 1; k >= 0 && before == 0; k--) before = sign_of(p.v[k + 1] - p.v[k]);
    for (; *i + 1 < p.count; ++*i) {
        int now = sign_of(p.v[*i + 1] - p.v[*i]);
        if (now == 0) continue;
        bool turns = before * now < 0;
        bool wanted = r->reducer == BRI_REDUCE_TURN || now == (r->reducer == BRI_REDUCE_PEAK ? -1 : 1);
        before = now;
        if (!turns || !wanted) continue;
        *found = fit_vertex(p, *i);
        ++*i;
        return true;
    }
    return false;
}

/* ------------------------------------------------------------------ numbers of the whole curve */

static bool find_extreme(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    (void)why, (void)size;
    int sign = r->reducer == BRI_REDUCE_MAX ? 1 : -1, best = 0;
    for (int i = 1; i < p.count; i++)
        if (sign * p.v[i] > sign * p.v[best]) best = i;
    *result = (BriReduced){p.v[best], p.t[best]};
    return true;
}

static bool find_mean(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    (void)why, (void)size;
    double sum = 0;
    for (int i = 0; i < p.count; i++) sum += r->reducer == BRI_REDUCE_RMS ? p.v[i] * p.v[i] : p.v[i];
    sum /= p.count;
    *result = (BriReduced){r->reducer == BRI_REDUCE_RMS ? bri_sqrt(sum) : sum, p.t[p.count - 1]};
    return true;
}

static bool find_end(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    (void)why, (void)size;
    int i = r->reducer == BRI_REDUCE_FIRST ? 0 : p.count - 1;
    *result = (BriReduced){p.v[i], p.t[i]};
    return true;
}

bool bri_fit_line(BriPoints p, double *slope, double *offset) {
    double t = 0, v = 0, tt = 0, tv = 0;
    for (int i = 0; i < p.count; i++) t += p.t[i], v += p.v[i];
    t /= p.count;
    v /= p.count;
    for (int i = 0; i < p.count; i++) {
        tt += (p.t[i] - t) * (p.t[i] - t);
        tv += (p.t[i] - t) * (p.v[i] - v);
    }
    if (!(tt > 0)) return false;
    *slope = tv / tt;
    *offset = v - *slope * t;
    return true;
}

static bool find_slope(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    (void)r;
    double offset;
    result->time = p.t[p.count - 1];
    if (bri_fit_line(p, &result->value, &offset)) return true;
    snprintf(why, size, "a slope needs two rows, but there %s %d", p.count == 1 ? "is" : "are", p.count);
    return false;
}

static bool find_kink(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    (void)r;
    int bend = -1;
    double largest = 0;
    for (int i = 3; i + 3 < p.count; i++) {
        double change = (p.v[i + 1] - p.v[i]) / (p.t[i + 1] - p.t[i]) - (p.v[i] - p.v[i - 1]) / (p.t[i] - p.t[i - 1]);
        if (bri_abs(change) > largest) largest = bri_abs(change), bend = i;
    }
    if (bend < 0) {
        snprintf(why, size, "there is no kink with three rows on either side");
        return false;
    }
    const double *t = p.t + bend, *v = p.v + bend;
    double before = (v[-2] - v[-3]) / (t[-2] - t[-3]), after = (v[3] - v[2]) / (t[3] - t[2]);
    double from = v[-2] - before * t[-2], to = v[2] - after * t[2];
    result->time = result->value = (to - from) / (before - after);
    if (result->time >= t[-2] && result->time <= t[2]) return true;
    snprintf(why, size, "the lines on either side of the bend at t = %.9g s do not meet there", t[0]);
    return false;
}

/* Neville: the polynomial through `count` rows at t. */
static double go_on(const double *t, const double *v, int count, double at) {
    double p[4];
    for (int i = 0; i < count; i++) p[i] = v[i];
    for (int k = 1; k < count; k++)
        for (int i = 0; i + k < count; i++)
            p[i] = ((at - t[i]) * p[i + 1] - (at - t[i + k]) * p[i]) / (t[i + k] - t[i]);
    return p[0];
}

static bool find_side(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    enum { ROWS = 4 };
    int before = 0, from;
    while (before < p.count && p.t[before] < r->level) before++;
    from = r->reducer == BRI_REDUCE_BEFORE ? before - ROWS : before;
    if (from < 0 || from + ROWS > p.count) {
        snprintf(why, size, "the side %s t = %.9g s has fewer than %d rows", bri_reducer_names[r->reducer], r->level,
                 ROWS);
        return false;
    }
    *result = (BriReduced){go_on(p.t + from, p.v + from, ROWS, r->level), r->level};
    return true;
}

/* From the nth crossing to the last, divided by how many lie between. */
static bool find_period(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    BriReduction first = *r, last = *r;
    BriReduced a, b;
    if (first.direction == 0) first.direction = last.direction = 1;
    int count = count_all(&first, p, next_crossing), start = r->nth < 0 ? count + 1 + r->nth : r->nth;
    last.nth = count;
    if (start < 1 || start >= count) {
        snprintf(why, size, "a period from crossing %d on needs one more after it, but there are %d", r->nth, count);
        return false;
    }
    first.nth = start;
    find_nth(&first, p, next_crossing, &a, why, size);
    find_nth(&last, p, next_crossing, &b, why, size);
    *result = (BriReduced){(b.time - a.time) / (count - start), b.time};
    return true;
}

/* ------------------------------------------------------------------ all of them */

bool bri_reduce_curve(const BriReduction *r, BriPoints p, BriReduced *result, char *why, size_t size) {
    if (p.count == 0 && r->reducer != BRI_REDUCE_COUNT) {
        snprintf(why, size, "no row is left to take the %s of; look at from, to and where",
                 bri_reducer_names[r->reducer]);
        return false;
    }
    switch (r->reducer) {
    case BRI_REDUCE_MIN:
    case BRI_REDUCE_MAX: return find_extreme(r, p, result, why, size);
    case BRI_REDUCE_MEAN:
    case BRI_REDUCE_RMS: return find_mean(r, p, result, why, size);
    case BRI_REDUCE_PEAK:
    case BRI_REDUCE_VALLEY:
    case BRI_REDUCE_TURN: return find_nth(r, p, next_turn, result, why, size);
    case BRI_REDUCE_CROSSING: return find_nth(r, p, next_crossing, result, why, size);
    case BRI_REDUCE_PERIOD: return find_period(r, p, result, why, size);
    case BRI_REDUCE_SLOPE: return find_slope(r, p, result, why, size);
    case BRI_REDUCE_KINK: return find_kink(r, p, result, why, size);
    case BRI_REDUCE_BEFORE:
    case BRI_REDUCE_AFTER: return find_side(r, p, result, why, size);
    case BRI_REDUCE_COUNT: *result = (BriReduced){p.count, p.count ? p.t[p.count - 1] : 0}; return true;
    default: return find_end(r, p, result, why, size);
    }
}
