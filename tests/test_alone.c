/* test_alone.c: contacts that depend on each other, as the corners of boxes do: is what is found the only answer? In the plane
 * against a judge that knows a face as two ends and one friction force, and tries all that these may do; in space against answers
 * that a plain iteration finds from random beginnings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "modes/crowd.h"
#include "modes/uniqueness.h"

static uint64_t seed = 5;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------ boxes */

enum { BOXES = 3, DOFS = 6 * BOXES, PLACES = 8 };

/* Boxes one on the other, of half a width, depth and height; each stands on the one below it, or on the ground, by its face. */
typedef struct Pile {
    int boxes, places; /* places of touch of all faces */
    double inverse[DOFS], pull[DOFS];
    double half[BOXES][3], middle[BOXES][3]; /* of the centre of mass */
    double mu[BOXES];                        /* of its lower face, */
    bool slips[BOXES];                       /* that slides along x, this way: */
    double way[BOXES];
    int face[PLACES]; /* per place */
    double at[PLACES][3];
    double row[3 * PLACES][DOFS];
} Pile;

static void make_rows(Pile *p, int k) {
    static const double AXES[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (int r = 0; r < 3; r++)
        for (int end = 0; end < 2; end++) {
            int body = p->face[k] - end;
            const double *a = AXES[r];
            double d[3], sign = end ? -1 : 1;
            if (body < 0) continue;
            for (int i = 0; i < 3; i++) d[i] = p->at[k][i] - p->middle[body][i];
            for (int i = 0; i < 3; i++) {
                p->row[3 * k + r][6 * body + i] = sign * a[i];
                p->row[3 * k + r][6 * body + 3 + i] =
                    sign * (d[(i + 1) % 3] * a[(i + 2) % 3] - d[(i + 2) % 3] * a[(i + 1) % 3]);
            }
        }
}

/* planar: faces are lines along x, of two to `most` places; else four corners. calm: pulled down, not much turned. */
static Pile make_pile(bool planar, int boxes, int most, double mu, bool slips, bool calm) {
    Pile p = {.boxes = boxes};
    double z = 0;
    for (int b = 0; b < boxes; b++) {
        double mass = random_number(0.3, 3), push = random_number(0, 1) < 0.5 ? 1 : 0.3;
        int count = planar ? 2 + (int)random_number(0, most - 1.001) : 4;
        for (int i = 0; i < 3; i++) p.half[b][i] = random_number(0.3, 1);
        if (b > 0) p.half[b][0] *= p.half[b - 1][0], p.half[b][1] *= p.half[b - 1][1];
        z += p.half[b][2];
        p.middle[b][2] = z;
        for (int i = 0; i < 3; i++) {
            double u = p.half[b][(i + 1) % 3], v = p.half[b][(i + 2) % 3];
            p.inverse[6 * b + i] = 1 / mass;
            p.inverse[6 * b + 3 + i] = 3 / (mass * (u * u + v * v));
            p.pull[6 * b + i] = mass * random_number(-10, 10) * push * (planar && i == 1 ? 0 : 1);
            p.pull[6 * b + 3 + i] = mass * random_number(-2, 2) * push * (planar && i != 1 ? 0 : calm ? 0 : 1);
        }
        p.pull[6 * b + 2] = -mass * random_number(calm ? 8 : -2, 12);
        p.mu[b] = random_number(0, mu);
        p.slips[b] = slips && random_number(0, 1) < 0.3, p.way[b] = random_number(0, 1) < 0.5 ? 1 : -1;
        for (int i = 0; i < count; i++, p.places++) {
            double end = i == 0 ? -1 : i == 1 ? 1 : random_number(-0.9, 0.9), *at = p.at[p.places];
            p.face[p.places] = b;
            at[0] = planar ? end * p.half[b][0] : (i & 1 ? 1 : -1) * p.half[b][0];
            at[1] = planar ? 0 : (i & 2 ? 1 : -1) * p.half[b][1];
            at[2] = z - p.half[b][2];
        }
        z += p.half[b][2];
    }
    for (int k = 0; k < p.places; k++) make_rows(&p, k);
    return p;
}

static double couple(const Pile *p, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < 6 * p->boxes; i++) sum += a[i] * p->inverse[i] * b[i];
    return sum;
}

static BriModes describe(const Pile *p) {
    static const double FRAME[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    BriModes m = {.contacts = p->places};
    for (int i = 0; i < 3 * p->places; i++) {
        for (int d = 0; d < 6 * p->boxes; d++) {
            double part = p->row[i][d] * p->inverse[d] * p->pull[d];
            m.b[i] += part, m.size[i] += fabs(part);
        }
        for (int j = 0; j < 3 * p->places; j++) m.W[i][j] = couple(p, p->row[i], p->row[j]);
    }
    for (int k = 0; k < p->places; k++) {
        BriModeContact *c = &m.contact[k];
        int b = p->face[k];
        c->mu_s = c->mu_k = p->mu[b], c->face = b;
        if (p->slips[b]) c->slip[0] = p->way[b];
        memcpy(c->frame, FRAME, sizeof FRAME);
        memcpy(c->place, p->at[k], sizeof c->place);
    }
    return m;
}

/* ------------------------------------------------------------------ the judge in the plane */

enum { MOST = 3 * BOXES };

/* Of each face the forces of its two ends, and friction: rows of W and b. */
typedef struct Faces {
    int count;
    long double W[MOST][MOST], b[MOST];
} Faces;

static Faces find_faces(const Pile *p) {
    Faces f = {.count = p->boxes};
    const double *row[MOST];
    for (int k = p->places - 1; k >= 0; k--) { /* the first two places of a face are its ends */
        int b = p->face[k];
        bool first = k == 0 || p->face[k - 1] != b, second = !first && (k == 1 || p->face[k - 2] != b);
        if (first) row[3 * b] = p->row[3 * k], row[3 * b + 2] = p->row[3 * k + 1];
        if (second) row[3 * b + 1] = p->row[3 * k];
    }
    for (int i = 0; i < 3 * p->boxes; i++) {
        f.b[i] = 0;
        for (int d = 0; d < 6 * p->boxes; d++) f.b[i] += (long double)row[i][d] * p->inverse[d] * p->pull[d];
        for (int j = 0; j < 3 * p->boxes; j++) f.W[i][j] = couple(p, row[i], row[j]);
    }
    return f;
}

/* ends: bits of those that press; friction: 0 holds, 1 against a slide to x, -1 to -x. */
static bool judge_modes(const Pile *p, const Faces *f, const int *ends, const int *friction, long double *u) {
    long double A[MOST][MOST] = {{0}}, x[MOST] = {0};
    int n = 3 * f->count;
    for (int b = 0; b < f->count; b++) {
        for (int e = 0; e < 2; e++) {
            bool presses = ends[b] >> e & 1;
            for (int j = 0; j < n; j++) A[3 * b + e][j] = presses ? f->W[3 * b + e][j] : j == 3 * b + e;
            x[3 * b + e] = presses ? -f->b[3 * b + e] : 0;
        }
        if (friction[b] == 0) {
            for (int j = 0; j < n; j++) A[3 * b + 2][j] = f->W[3 * b + 2][j];
            x[3 * b + 2] = -f->b[3 * b + 2];
        } else {
            A[3 * b + 2][3 * b + 2] = 1;
            A[3 * b + 2][3 * b] = A[3 * b + 2][3 * b + 1] = (long double)p->mu[b] * friction[b];
        }
    }
    if (!judge_solve(n, MOST, A[0], x)) return false;
    for (int i = 0; i < n; i++) {
        u[i] = f->b[i];
        for (int j = 0; j < n; j++) u[i] += f->W[i][j] * x[j];
    }
    for (int b = 0; b < f->count; b++) {
        for (int e = 0; e < 2; e++)
            if (ends[b] >> e & 1 ? x[3 * b + e] < 0 : u[3 * b + e] < 0) return false;
        if (friction[b] == 0 && fabsl(x[3 * b + 2]) > p->mu[b] * (x[3 * b] + x[3 * b + 1])) return false;
        if (friction[b] != 0 && ends[b] && !p->slips[b] && friction[b] * u[3 * b + 2] < 0) return false;
    }
    return true;
}

static int judge(const Pile *p) {
    Faces f = find_faces(p);
    long double found[32][MOST], u[MOST];
    int count = 0, ways = 1;
    for (int b = 0; b < f.count; b++) ways *= 10;
    for (int way = 0; way < ways; way++) {
        int ends[BOXES], friction[BOXES];
        bool known = false, fits = true;
        for (int b = 0, rest = way; b < f.count; b++, rest /= 10) {
            int digit = rest % 10; /* 9: nothing presses */
            ends[b] = digit < 9 ? 1 + digit / 3 : 0, friction[b] = digit < 9 ? digit % 3 - 1 : 1;
            if (p->slips[b] && friction[b] != p->way[b] && ends[b]) fits = false;
        }
        if (!fits || !judge_modes(p, &f, ends, friction, u)) continue;
        for (int i = 0; i < count && !known; i++) {
            known = true;
            for (int j = 0; j < 3 * f.count; j++)
                known = known && fabsl(u[j] - found[i][j]) < 1e-6L * (1 + fabsl(u[j]));
        }
        if (!known && count < 32) memcpy(found[count++], u, sizeof u);
    }
    return count;
}

/* Boxes with lines of places, at rest or sliding: what is shown to be alone is all there is; all combinations of all places find
 * what faces have. */
static void piles_in_the_plane_are_judged_by_their_faces(void **unused) {
    (void)unused;
    int one = 0, alone = 0, several = 0, none = 0;
    for (int n = 0; n < 10000; n++) {
        int boxes = n % 40 == 0 ? 3 : n % 3 == 0 ? 2 : 1;
        Pile p = make_pile(true, boxes, boxes == 1 ? 5 : 3 - boxes / 3, n % 2 ? 0.8 : 2.5, true, n % 4 == 0);
        BriModes m = describe(&p);
        BriModeAnswers found;
        bri_modes_prepare(&m);
        assert_true(m.in_plane);
        bri_find_answers(&m, NULL, &found);
        int expected = judge(&p);
        if (found.count != expected || found.endless)
            fail_msg("pile %d of %d places: %d answers, not %d", n, p.places, found.count, expected);
        one += expected == 1, several += expected > 1, none += expected == 0;
        bool shown = bri_prove_unique(&m) != BRI_PROOF_NONE;
        for (int i = 0; i < found.count; i++) shown = bri_is_alone(&m, &found.answer[i]) || shown;
        if (shown && expected > 1) fail_msg("pile %d: alone, and %d answers", n, expected);
        alone += shown && expected == 1;
    }
    assert_true(several > 20 && none > 20 && alone > 0.9 * one);
}

/* A box that holds under a push r m g along its face: x.Q x = (F_n^2 + F_t^2 + M^2/k^2)/m + r F_n (F_t + h M/k^2)/m, which has no
 * negative value up to r = 2/sqrt(1 + h^2/k^2). Its two ends share nothing then, five places much. */
static void box_that_holds_is_alone_up_to_its_own_friction(void **unused) {
    (void)unused;
    for (int n = 0; n < 200; n++) {
        Pile p = make_pile(true, 1, n % 2 ? 5 : 2, 0, false, true);
        double h = p.half[0][2], k = sqrt(p.inverse[0] / p.inverse[4]), most = 2 / sqrt(1 + h * h / (k * k));
        for (int beyond = 0; beyond < 2; beyond++) {
            double r = most * (beyond ? 1 + 1e-6 : 1 - 1e-6), push = -r * p.pull[2]; /* friction is r along the face */
            p.mu[0] = 3;
            p.pull[0] = push, p.pull[4] = -h * push; /* along the face: nothing tips it */
            BriModes m = describe(&p);
            BriModeAnswers found;
            bri_modes_prepare(&m);
            bri_find_answers(&m, NULL, &found);
            assert_int_equal(found.count, 1);
            if (bri_is_alone(&m, &found.answer[0]) == beyond) fail_msg("box %d: at %g of %g", n, r, most);
        }
    }
}

/* With mu_s above mu_k a box that holds with less than mu_k is alone; one that holds with more could have begun to slide as well, and
 * that is not called one answer by this proof. */
static void box_that_holds_by_its_static_friction_is_not_covered(void **unused) {
    (void)unused;
    for (int above = 0; above < 2; above++) {
        Pile p = make_pile(true, 1, 2, 0, false, true);
        double push = -(above ? 0.5 : 0.3) * p.pull[2];
        p.pull[0] = push, p.pull[4] = -p.half[0][2] * push;
        BriModes m = describe(&p);
        for (int k = 0; k < 2; k++) m.contact[k].mu_s = 0.6, m.contact[k].mu_k = 0.4;
        BriModeAnswers found;
        bri_modes_prepare(&m);
        bri_find_answers(&m, NULL, &found);
        assert_int_equal(found.count, 1); /* what can hold does not begin to slide */
        assert_int_equal(found.answer[0].mode[0], BRI_MODE_ROLLS);
        assert_int_equal(bri_is_alone(&m, &found.answer[0]), !above);
    }
}

/* ------------------------------------------------------------------ in space */

/* p <- the nearest force in the cones to p - step (u + mu |u_t| n), again and again, from random forces: where it rests is an
 * answer. Its accelerations; false: it does not come to rest. */
static bool iterate(const Pile *pile, const BriModes *m, double *u) {
    enum { ROWS = 3 * PLACES };
    double p[ROWS], size = 0;
    int rows = 3 * m->contacts;
    for (int i = 0; i < rows; i++) size = fmax(size, m->W[i][i]);
    for (int i = 0; i < rows; i++) p[i] = random_number(i % 3 ? -1 : 0, 3);
    for (int n = 0; n < 20000; n++) {
        double moved = 0, old[ROWS];
        memcpy(old, p, sizeof p);
        for (int k = 0; k < m->contacts; k++) {
            double *f = p + 3 * k, mu = pile->mu[pile->face[k]], w[3];
            for (int i = 0; i < 3; i++) {
                w[i] = m->b[3 * k + i];
                for (int j = 0; j < rows; j++) w[i] += m->W[3 * k + i][j] * p[j];
            }
            for (int i = 0; i < 3; i++) u[3 * k + i] = w[i];
            w[0] += mu * hypot(w[1], w[2]);
            for (int i = 0; i < 3; i++) f[i] -= w[i] / (3 * size);
            double t = hypot(f[1], f[2]);
            if (t <= mu * f[0]) continue;
            double N = (f[0] + mu * t) / (1 + mu * mu);
            if (N < 0) N = 0;
            for (int i = 1; i < 3; i++) f[i] *= t > 0 ? mu * N / t : 0;
            f[0] = N;
        }
        for (int i = 0; i < rows; i++) moved = fmax(moved, fabs(p[i] - old[i]));
        if (moved < 1e-12) return true;
    }
    return false;
}

static bool differ(const double *u, const double *v, int rows) {
    double size = 1;
    for (int i = 0; i < rows; i++) size = fmax(size, fabs(u[i]));
    for (int i = 0; i < rows; i++)
        if (fabs(u[i] - v[i]) > 1e-6 * size) return true; /* what comes to rest has settled to about 1e-9 */
    return false;
}

/* Boxes on four corners, one or two, pulled and turned any way: no iteration comes to rest with other accelerations than those that
 * were shown to be alone. */
static void boxes_in_space_have_no_other_answer(void **unused) {
    (void)unused;
    int alone[2] = {0}, asked[2] = {0}, rests = 0;
    for (int n = 0; n < 600; n++) {
        Pile p = make_pile(false, 1 + (n % 4 == 3), 4, n % 3 ? 0.8 : 2, false, n % 2);
        bool calm = n % 4 == 1; /* one, pulled at its centre of mass */
        BriModes m = describe(&p);
        bri_modes_prepare(&m);
        double *memory = calloc(bri_crowd_size(m.contacts), sizeof *memory), u[3 * PLACES];
        BriCrowd crowd = bri_crowd_place(memory, m.contacts, NULL);
        bri_crowd_take(&crowd, &m);
        bri_crowd_search(&crowd, false);
        asked[calm] += crowd.answers > 0;
        if (crowd.answers == 1 && bri_crowd_is_alone(&crowd, 0)) {
            alone[calm]++;
            for (int start = 0; start < 4; start++) {
                if (!iterate(&p, &m, u)) continue;
                rests++;
                if (differ(crowd.answer[0].u, u, 3 * m.contacts)) fail_msg("boxes %d: another answer", n);
            }
        }
        free(memory);
    }
    assert_true(alone[1] > 0.9 * asked[1] && alone[0] > 60 && rests > alone[0] + alone[1]);
}

/* ------------------------------------------------------------------ resistance to rolling and spinning */

/* Adds to the contacts of a pile moments about t1 and t2, and, if asked for, about n; those of `turn`ed ones already turn. */
static void add_moments(const Pile *p, bool spin, double most, bool turn, BriModes *m) {
    double row[3 * BRI_MODES][DOFS] = {{0}};
    int contacts = m->contacts;
    memcpy(row, p->row, sizeof(double[DOFS]) * 3 * (size_t)contacts);
    for (int k = 0; k < contacts; k++) {
        m->contact[k].bears = m->contacts;
        for (int kind = 0; kind < 1 + spin; kind++, m->contacts++) {
            BriModeContact *c = &m->contact[m->contacts];
            *c = (BriModeContact){.borne = 1 + k, .spins = kind == 1, .face = m->contact[k].face + 10 * (1 + kind)};
            c->mu_s = c->mu_k = random_number(0, most);
            if (turn && random_number(0, 1) < 0.5) c->slip[0] = random_number(-1, 1);
            for (int r = 1; r < 3 - kind; r++) {
                memcpy(c->frame[r], m->contact[k].frame[kind ? 0 : r], sizeof c->frame[r]);
                for (int end = 0; end < 2 && p->face[k] - end >= 0; end++)
                    for (int i = 0; i < 3; i++)
                        row[3 * m->contacts + r][6 * (p->face[k] - end) + 3 + i] = (end ? -0.3 : 0.3) * c->frame[r][i];
            }
        }
    }
    for (int i = 0; i < 3 * m->contacts; i++) {
        m->b[i] = m->size[i] = 0;
        for (int d = 0; d < 6 * p->boxes; d++) {
            double part = row[i][d] * p->inverse[d] * p->pull[d];
            m->b[i] += part, m->size[i] += fabs(part);
        }
        for (int j = 0; j < 3 * m->contacts; j++) m->W[i][j] = couple(p, row[i], row[j]);
    }
}

/* The nearest forces to those of a contact, f, and of what it bears: its normal force N solves N = x + sum mu (|x_i| - mu N) of
 * discs that are too small. */
static void project(const BriModes *m, int k, double *f) {
    double low = 0, high = fabs(f[3 * k]), N;
    for (int j = 0; j < m->contacts; j++)
        if (bri_bearer(&m->contact[j], j) == k) high += m->contact[j].mu_s * hypot(f[3 * j + 1], f[3 * j + 2]);
    for (int n = 0; n < 60; n++) {
        double sum = f[3 * k];
        N = (low + high) / 2;
        for (int j = 0; j < m->contacts; j++) {
            double mu = m->contact[j].mu_s, over = hypot(f[3 * j + 1], f[3 * j + 2]) - mu * N;
            if (bri_bearer(&m->contact[j], j) == k && over > 0) sum += mu * over;
        }
        *(sum > N ? &low : &high) = N;
    }
    f[3 * k] = low > 1e-15 ? N : 0;
    for (int j = 0; j < m->contacts; j++) {
        double *t = f + 3 * j + 1, most = m->contact[j].mu_s * f[3 * k], size = hypot(t[0], t[1]);
        if (bri_bearer(&m->contact[j], j) != k || size <= most) continue;
        for (int i = 0; i < 2; i++) t[i] *= most / size;
    }
}

/* As above, with moments; those of turns, whose direction is known, go with their normal force. */
static bool iterate_moments(const BriModes *m, double *u) {
    double p[3 * BRI_MODES], old[3 * BRI_MODES];
    int rows = 3 * m->contacts;
    for (int i = 0; i < rows; i++) p[i] = random_number(i % 3 ? -1 : 0, 3);
    for (int n = 0; n < 5000; n++) {
        double moved = 0;
        memcpy(old, p, sizeof p);
        for (int k = 0; k < m->contacts && !m->contact[k].borne; k++) {
            double f[3 * BRI_MODES];
            memcpy(f, p, sizeof f);
            for (int i = 0; i < rows; i++) {
                u[i] = m->b[i];
                for (int j = 0; j < rows; j++) u[i] += m->W[i][j] * p[j];
            }
            for (int j = 0; j < m->contacts; j++) {
                bool known = m->contact[j].slip[0] != 0;
                if (bri_bearer(&m->contact[j], j) != k) continue;
                if (!known) f[3 * k] -= 0.2 * m->contact[j].mu_s * hypot(u[3 * j + 1], u[3 * j + 2]);
                for (int i = 1; i < 3; i++) f[3 * j + i] = known ? 0 : p[3 * j + i] - 0.2 * u[3 * j + i];
            }
            f[3 * k] -= 0.2 * u[3 * k];
            project(m, k, f);
            for (int j = 0; j < m->contacts; j++) {
                const BriModeContact *c = &m->contact[j];
                if (bri_bearer(c, j) != k) continue;
                memcpy(p + 3 * j, f + 3 * j, 3 * sizeof *p);
                if (c->slip[0] != 0) p[3 * j + 1] = -c->mu_k * f[3 * k] * (c->slip[0] > 0 ? 1 : -1);
            }
        }
        for (int i = 0; i < rows; i++) moved = fmax(moved, fabs(p[i] - old[i]));
        if (moved < 1e-12) return true;
    }
    return false;
}

/* One body or two on a place each, which resist rolling and spinning, or a box whose corners resist rolling, at rest or turning. */
static void bodies_that_resist_turning_have_no_other_answer(void **unused) {
    (void)unused;
    int alone = 0, asked = 0, rests = 0, turns = 0;
    for (int n = 0; n < 600; n++) {
        bool box = n % 3 == 0;
        Pile p = make_pile(!box, box ? 1 : 1 + n % 2, 2, n % 4 ? 0.8 : 2, false, n % 2);
        if (!box) {
            for (int k = 1; k < p.boxes; k++) memcpy(p.at[k], p.at[2 * k], sizeof p.at[k]), p.face[k] = p.face[2 * k];
            p.places = p.boxes;
            for (int k = 0; k < p.places; k++) {
                p.at[k][0] *= random_number(-0.3, 0.3), p.at[k][1] = random_number(-0.2, 0.2);
                memset(p.row[3 * k], 0, sizeof p.row[0] * 3);
                make_rows(&p, k);
            }
        }
        BriModes m = describe(&p);
        add_moments(&p, !box, n % 5 ? 0.1 : 1, n % 7 == 0, &m);
        double *memory = calloc(bri_crowd_size(m.contacts), sizeof *memory), u[3 * BRI_MODES];
        BriCrowd crowd = bri_crowd_place(memory, m.contacts, NULL);
        bri_crowd_take(&crowd, &m);
        bri_modes_scale(&crowd.modes);
        for (int k = 0; k < m.contacts; k++) /* in the same units */
            for (int i = 0; i < 3; i++) m.b[3 * k + i] = crowd.modes.b[3 * k + i];
        for (int i = 0; i < 3 * m.contacts; i++)
            for (int j = 0; j < 3 * m.contacts; j++) m.W[i][j] = crowd.modes.W[i * crowd.modes.stride + j];
        BriDefinite definite = bri_crowd_is_definite(&crowd);
        bri_crowd_search(&crowd, false);
        asked += crowd.answers > 0;
        if (crowd.answers == 1 && (definite != BRI_DEFINITE_NOT || bri_crowd_is_alone(&crowd, 0))) {
            alone++;
            for (int k = 0; k < m.contacts; k++)
                turns += m.contact[k].borne && crowd.answer[0].mode[k] == BRI_MODE_SLIDES;
            for (int start = 0; start < 3; start++) {
                if (!iterate_moments(&m, u)) continue;
                rests++;
                if (differ(crowd.answer[0].u, u, 3 * m.contacts)) fail_msg("bodies %d: another answer", n);
            }
        }
        free(memory);
    }
    assert_true(alone > asked / 2 && turns > 300 && rests > alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(piles_in_the_plane_are_judged_by_their_faces),
                                       cmocka_unit_test(box_that_holds_is_alone_up_to_its_own_friction),
                                       cmocka_unit_test(box_that_holds_by_its_static_friction_is_not_covered),
                                       cmocka_unit_test(boxes_in_space_have_no_other_answer),
                                       cmocka_unit_test(bodies_that_resist_turning_have_no_other_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
