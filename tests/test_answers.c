/* test_answers.c: all accelerations that rigid contact allows, against judges that know nothing of how they are found:
 * every combination of modes in long double, and every direction of a slide in steps of 1e-3 rad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "modes/alone.h"
#include "modes/boundary_layer.h"
#include "modes/uniqueness.h"

enum { PROBLEMS = 10000 };

static uint64_t seed = 1;

static double random_number(double low, double high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* ------------------------------------------------------------------ problems */

/* A body, its contacts, and what pulls it; x: six numbers of force and torque, world axes, about the centre of mass. */
typedef struct Body {
    double inverse_mass, inverse_inertia[3]; /* about x, y, z */
    double pull[6];
} Body;

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A compact convex one: as heavy and as hard to turn as an ellipsoid with these semi-axes. */
static Body make_body(const double axis[3]) {
    double m = random_number(0.2, 5);
    Body body = {.inverse_mass = 1 / m};
    for (int i = 0; i < 3; i++) {
        double p = axis[(i + 1) % 3], q = axis[(i + 2) % 3];
        body.inverse_inertia[i] = 5 / (m * (p * p + q * q));
    }
    return body;
}

/* Point and outward normal (which the contact pushes against) of an ellipsoid; of two numbers in the plane x z. */
static void find_place(const double axis[3], const double d[3], double point[3], double push[3]) {
    double size = 0, length = 0;
    for (int i = 0; i < 3; i++) size += d[i] * d[i] * axis[i] * axis[i];
    for (int i = 0; i < 3; i++) {
        point[i] = axis[i] * axis[i] * d[i] / sqrt(size);
        length += d[i] * d[i];
    }
    for (int i = 0; i < 3; i++) push[i] = -d[i] / sqrt(length);
}

enum { BODIES = 3, ALL = 6 * BODIES };

/* Rows n, t1, t2 of a contact on one of its bodies, at a point from its centre of mass. */
static void add_rows(const double point[3], double frame[3][3], double sign, int body, double (*row)[ALL]) {
    for (int i = 0; i < 3; i++) {
        double turn[3];
        cross(point, frame[i], turn);
        for (int c = 0; c < 3; c++) {
            row[i][6 * body + c] = sign * frame[i][c];
            row[i][6 * body + 3 + c] = sign * turn[c];
        }
    }
}

static void fill(BriModes *m, const Body *bodies, double (*row)[ALL]) {
    for (int i = 0; i < 3 * m->contacts; i++) {
        m->b[i] = 0, m->size[i] = 0;
        for (int j = 0; j < 3 * m->contacts; j++) m->W[i][j] = 0;
        for (int c = 0; c < ALL; c++) {
            const Body *body = &bodies[c / 6];
            double inverse = c % 6 < 3 ? body->inverse_mass : body->inverse_inertia[c % 6 - 3];
            m->b[i] += row[i][c] * inverse * body->pull[c % 6];
            m->size[i] += fabs(row[i][c] * inverse * body->pull[c % 6]);
            for (int j = 0; j < 3 * m->contacts; j++) m->W[i][j] += row[i][c] * inverse * row[j][c];
        }
    }
}

/* Tangents of a contact: t1 across `out`, t2 = out. */
static void make_frame(const double push[3], const double out[3], double frame[3][3]) {
    memcpy(frame[0], push, 3 * sizeof(double));
    memcpy(frame[2], out, 3 * sizeof(double));
    cross(out, push, frame[1]);
}

/* A joint's coordinate that rubs dry, or has a motor: of a slider along some direction, at an arm, on something fixed or on
 * another body. */
static void add_bounded_row(int a, int bodies, BriModeContact *c, double *row) {
    double at = random_number(0, 6.283), arm = random_number(-0.5, 0.5);
    int b = (int)random_number(0, bodies - 0.001);
    bool other = a != b && random_number(0, 1) < 0.5;
    for (int end = 0; end < 1 + other; end++) {
        double *of = row + 6 * (end ? b : a), sign = end ? -1 : 1;
        of[0] = sign * cos(at), of[2] = sign * sin(at), of[4] = sign * arm * (end ? 2 : 1);
    }
    c->bounded = true;
    c->upper = random_number(0.1, 15);
    c->lower = random_number(0, 1) < 0.7 ? -c->upper : -random_number(0.1, 15);
}

/* In the plane x z: up to three ellipses, each touching the one before or something fixed, slipping or not; and bounded rows. All
 * rows are independent. */
static BriModes make_planar(int bounded) {
    const double out[3] = {0, 1, 0};
    double row[3 * (BODIES + 2)][ALL] = {{0}};
    Body body[BODIES] = {{0}};
    int contacts = 1 + (int)random_number(0, 2.999);
    if (contacts == 1 && bounded > 1) bounded = 1; /* of one body no more than three rows are independent */
    BriModes m = {.contacts = contacts + bounded};
    for (int k = contacts; k < m.contacts; k++) add_bounded_row(k - contacts, contacts, &m.contact[k], row[3 * k]);
    for (int k = 0; k < contacts; k++) {
        const double axis[3] = {random_number(0.2, 1), random_number(0.2, 1), random_number(0.2, 1)};
        double at = random_number(0, 6.283), point[3], push[3];
        const double d[3] = {cos(at), 0, sin(at)};
        BriModeContact *c = &m.contact[k];
        body[k] = make_body(axis);
        body[k].pull[0] = random_number(-20, 20), body[k].pull[2] = random_number(-20, 20);
        body[k].pull[4] = random_number(-10, 10);
        find_place(axis, d, point, push);
        make_frame(push, out, c->frame);
        add_rows(point, c->frame, 1, k, row + 3 * k);
        at = random_number(-0.7, 0.7); /* of a round one below, near enough */
        const double arm[3] = {0.5 * (push[0] * cos(at) - push[2] * sin(at)), 0,
                               0.5 * (push[2] * cos(at) + push[0] * sin(at))};
        if (k > 0 && random_number(0, 1) < 0.7) add_rows(arm, c->frame, -1, k - 1, row + 3 * k);
        c->mu_k = random_number(0, 2);
        c->mu_s = c->mu_k;
        if (random_number(0, 1) < 0.5) c->slip[0] = random_number(-1, 1);
    }
    fill(&m, body, row);
    return m;
}

/* ------------------------------------------------------------------ the judge in the plane */

enum { MOST = 10 };

/* Gauss with full pivots; false: singular. */
static bool judge_solve(int n, long double A[MOST][MOST], long double *x) {
    int order[MOST];
    long double y[MOST];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int k = 0; k < n; k++) {
        int r = k, c = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(A[i][j]) > fabsl(A[r][c])) r = i, c = j;
        if (fabsl(A[r][c]) < 1e-14L) return false;
        for (int j = 0; j < n; j++) {
            long double keep = A[k][j];
            A[k][j] = A[r][j], A[r][j] = keep;
        }
        long double keep = x[k];
        x[k] = x[r], x[r] = keep;
        for (int i = 0; i < n; i++) {
            keep = A[i][k];
            A[i][k] = A[i][c], A[i][c] = keep;
        }
        int index = order[k];
        order[k] = order[c], order[c] = index;
        for (int i = k + 1; i < n; i++) {
            long double l = A[i][k] / A[k][k];
            for (int j = k; j < n; j++) A[i][j] -= l * A[k][j];
            x[i] -= l * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i][j] * y[j];
        y[i] = x[i] / A[i][i];
    }
    for (int i = 0; i < n; i++) x[order[i]] = y[i];
    return true;
}

/* Modes: 0 open, 1 rolls, 2 slides to t1, 3 slides to -t1; of a bounded row 0 holds, 1 at its lower bound, 2 at its upper one. Normal
 * and tangential force of each contact are unknowns. */
static bool judge_modes(const BriModes *m, const int *mode, long double *u) {
    long double A[MOST][MOST] = {{0}}, x[MOST] = {0};
    int n = m->contacts;
    for (int k = 0; k < n; k++) {
        const BriModeContact *c = &m->contact[k];
        double s = mode[k] == 2 ? 1 : -1;
        long double *normal = A[2 * k], *tangent = A[2 * k + 1];
        if (c->bounded && mode[k] > 0) {
            normal[2 * k] = tangent[2 * k + 1] = 1, x[2 * k] = mode[k] == 1 ? c->lower : c->upper;
            continue;
        }
        if (mode[k] == 0 && !c->bounded) {
            normal[2 * k] = tangent[2 * k + 1] = 1;
            continue;
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < 2; i++) {
                normal[2 * j + i] = m->W[3 * k][3 * j + i];
                if (mode[k] == 1) tangent[2 * j + i] = m->W[3 * k + 1][3 * j + i];
            }
        x[2 * k] = -m->b[3 * k];
        if (c->bounded) tangent[2 * k + 1] = 1;
        if (mode[k] == 1) x[2 * k + 1] = -m->b[3 * k + 1];
        if (mode[k] > 1) tangent[2 * k + 1] = 1, tangent[2 * k] = s * c->mu_k;
    }
    if (!judge_solve(2 * n, A, x)) return false;
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 2; i++) {
            u[2 * k + i] = m->b[3 * k + i];
            for (int j = 0; j < n; j++)
                u[2 * k + i] += m->W[3 * k + i][3 * j] * x[2 * j] + m->W[3 * k + i][3 * j + 1] * x[2 * j + 1];
        }
    for (int k = 0; k < n; k++) {
        const BriModeContact *c = &m->contact[k];
        bool slips = c->slip[0] != 0;
        if (c->bounded) {
            bool holds = x[2 * k] >= c->lower && x[2 * k] <= c->upper;
            if (mode[k] == 0 ? !holds : mode[k] == 1 ? u[2 * k] < 0 : u[2 * k] > 0) return false;
            continue;
        }
        if (mode[k] == 0 && u[2 * k] < 0) return false;
        if (mode[k] > 0 && x[2 * k] < 0) return false;
        if (mode[k] == 1 && fabsl(x[2 * k + 1]) > c->mu_s * x[2 * k]) return false;
        if (mode[k] > 1 && !slips && (mode[k] == 2 ? 1 : -1) * u[2 * k + 1] < 0) return false;
    }
    return true;
}

static int judge_planar(const BriModes *m) {
    long double found[64][MOST], u[MOST] = {0};
    int mode[MOST / 2] = {0}, k = 0, count = 0, n = m->contacts;
    while (k < n) {
        bool fits = true;
        for (int i = 0; i < n; i++) {
            double slip = m->contact[i].slip[0];
            if (slip != 0 && (mode[i] == 1 || mode[i] == (slip > 0 ? 3 : 2))) fits = false;
        }
        if (fits && judge_modes(m, mode, u)) {
            bool known = false;
            for (int i = 0; i < count && !known; i++) {
                known = true;
                for (int j = 0; j < 2 * n; j++) known = known && fabsl(u[j] - found[i][j]) < 1e-6L * (1 + fabsl(u[j]));
            }
            if (!known) memcpy(found[count++], u, sizeof u);
        }
        for (k = 0; k < n && ++mode[k] == (m->contact[k].bounded ? 3 : 4);) mode[k++] = 0;
    }
    return count;
}

static void compare_in_the_plane(bool bounds) {
    int several = 0, none = 0, proofs[BRI_PROOF_AT_MOST + 1] = {0}, gives_way = 0, alone = 0;
    for (int n = 0; n < PROBLEMS; n++) {
        BriModes m = make_planar(bounds ? 1 + n % 2 : 0), asked = m;
        BriModeAnswers found;
        if (m.contacts == 1 && m.contact[0].slip[0] == 0) m.W[2][2] = asked.W[2][2] = 0; /* held in its plane */
        bri_modes_prepare(&asked);
        assert_true(asked.in_plane);
        bri_find_answers(&asked, NULL, &found);
        int expected = judge_planar(&m);
        several += expected > 1, none += expected == 0;
        if (found.count != expected || found.endless)
            fail_msg("problem %d of %d contacts: %d answers, not %d", n, m.contacts, found.count, expected);
        BriProof proof = bri_prove_unique(&asked);
        if (proof != BRI_PROOF_NONE) assert_int_equal(found.count, 1);
        proofs[proof]++;
        for (int i = 0; i < found.count; i++) {
            bool shown = bri_is_alone(&asked, &found.answer[i]);
            if (shown && found.count != 1) fail_msg("problem %d: alone, and %d answers", n, found.count);
            alone += shown && proof == BRI_PROOF_NONE;
            for (int k = 0; k < m.contacts; k++)
                gives_way += m.contact[k].bounded && found.answer[i].mode[k] == BRI_MODE_SLIDES;
        }
    }
    assert_true(several > 100 && none > 100 && alone > 100); /* or nothing was asked */
    assert_true(proofs[BRI_PROOF_MINORS] > 100 && proofs[BRI_PROOF_ENERGY] > 100);
    assert_true(bounds ? gives_way > 1000 : proofs[BRI_PROOF_ONE] > 1000);
}

static void planar_answers_are_those_of_every_combination(void **unused) {
    (void)unused;
    compare_in_the_plane(false);
}

/* With dry friction of joints at rest and motors with a largest effort: rows that hold, or give way to either side. */
static void bounded_rows_hold_or_give_way_as_every_combination_says(void **unused) {
    (void)unused;
    compare_in_the_plane(true);
}

/* ------------------------------------------------------------------ one contact in space */

/* An ellipsoid on something fixed, without slip; some are pulled at an arm or hold a flywheel far out, so that they are as
 * slender as a rod. */
static BriModes make_spatial(void) {
    const double axis[3] = {random_number(0.1, 1), random_number(0.1, 1), random_number(0.1, 1)};
    double row[3][ALL] = {{0}}, point[3], push[3], t1[3], frame[3][3];
    const double d[3] = {random_number(-1, 1), random_number(-1, 1), random_number(-1, 1)};
    Body body[BODIES] = {{0}};
    BriModes m = {.contacts = 1};
    BriModeContact *c = &m.contact[0];
    body[0] = make_body(axis);
    for (int i = 0; i < 6; i++) body[0].pull[i] = random_number(-10, 10);
    find_place(axis, d, point, push);
    int least = fabs(push[0]) < fabs(push[1]) ? 0 : 1;
    const double other[3] = {least == 0, least == 1, 0};
    cross(push, other, t1);
    double length = sqrt(t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]);
    for (int i = 0; i < 3; i++) t1[i] /= length;
    memcpy(frame[0], push, sizeof push);
    memcpy(frame[1], t1, sizeof t1);
    cross(push, t1, frame[2]);
    add_rows(point, frame, 1, 0, row);
    memcpy(c->frame, frame, sizeof frame);
    c->mu_k = random_number(0, 2);
    c->mu_s = c->mu_k;
    fill(&m, body, row);
    return m;
}

/* Along each direction the slide it would be: acceleration across it, and along it. */
static double judge_slide(const BriModes *m, double angle, double *N, double *along) {
    double d[2] = {cos(angle), sin(angle)}, u[2], mu = m->contact[0].mu_k;
    *N = -m->b[0] / (m->W[0][0] - mu * (m->W[0][1] * d[0] + m->W[0][2] * d[1]));
    for (int i = 0; i < 2; i++)
        u[i] = m->b[1 + i] + *N * (m->W[1 + i][0] - mu * (m->W[1 + i][1] * d[0] + m->W[1 + i][2] * d[1]));
    *along = d[0] * u[0] + d[1] * u[1];
    return d[0] * u[1] - d[1] * u[0];
}

/* Where the acceleration across changes its sign between two angles: does it go along there, with a force? */
static bool judge_crossing(const BriModes *m, double low, double high) {
    double N = 0, along = 0;
    bool rises = judge_slide(m, high, &N, &along) > 0;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *((judge_slide(m, middle, &N, &along) > 0) == rises ? &high : &low) = middle;
    }
    return N > 0 && along > 0;
}

static int judge_spatial(const BriModes *m) {
    const int STEPS = 6283;
    long double A[MOST][MOST] = {{0}}, x[MOST];
    double step = 2 * acos(-1) / STEPS, N, along;
    int count = m->b[0] > 0;
    for (int i = 0; i < 3; i++) {
        x[i] = -m->b[i];
        for (int j = 0; j < 3; j++) A[i][j] = m->W[i][j];
    }
    assert_true(judge_solve(3, A, x));
    count += hypotl(x[1], x[2]) <= m->contact[0].mu_s * x[0];
    bool before = judge_slide(m, 0, &N, &along) > 0, forced = N > 0;
    for (int i = 1; i <= STEPS; i++) {
        bool now = judge_slide(m, i * step, &N, &along) > 0;
        if (before != now && forced && N > 0) count += judge_crossing(m, (i - 1) * step, i * step);
        before = now, forced = N > 0;
    }
    return count;
}

static void spatial_answers_are_those_of_every_direction(void **unused) {
    (void)unused;
    int several = 0, none = 0, proofs = 0;
    for (int n = 0; n < PROBLEMS; n++) {
        BriModes m = make_spatial(), asked = m;
        BriModeAnswers found;
        bri_modes_prepare(&asked);
        bri_find_answers(&asked, NULL, &found);
        int expected = judge_spatial(&m);
        several += expected > 1, none += expected == 0;
        if (bri_prove_unique(&asked) != BRI_PROOF_NONE) {
            proofs++;
            assert_int_equal(found.count, 1);
        }
        if (found.count != expected || found.endless || !found.complete)
            fail_msg("problem %d: %d answers, not %d", n, found.count, expected);
    }
    assert_true(several > 10 && none == 0); /* at rest there is always one */
    assert_true(proofs > PROBLEMS / 4);
}

/* W_NN > mu |W_NT| is not enough where a contact in space is at rest: an ellipsoid with semi-axes 0.827, 0.160, 0.642 (m),
 * mu = 1.546 = 0.98 W_NN/|W_NT|, holds, or begins to slide one of two ways. Found by random search. */
static void compact_body_at_rest_may_have_three_answers_below_the_boundary(void **unused) {
    (void)unused;
    const double W[3][3] = {{3.4631406447884752, 1.4662444415919025, -1.6340517137946375},
                            {1.4662444415919025, 3.6641045226463964, 0.18859135995107068},
                            {-1.6340517137946375, 0.18859135995107068, 2.8369097219141599}};
    const double b[3] = {-1, 22.035003481462468, -6.0997983346379705}, mu = 0.98 * W[0][0] / hypot(W[0][1], W[0][2]);
    BriModes m = {.contacts = 1};
    BriModeAnswers found;
    for (int i = 0; i < 3; i++) {
        memcpy(m.W[i], W[i], sizeof W[i]);
        m.b[i] = b[i], m.size[i] = fabs(b[i]);
        m.contact[0].frame[i][i] = 1;
    }
    m.contact[0].mu_s = m.contact[0].mu_k = mu;
    assert_true(W[0][0] - mu * hypot(W[0][1], W[0][2]) > 0.05);
    int expected = judge_spatial(&m);
    bri_modes_prepare(&m);
    bri_find_answers(&m, NULL, &found);
    assert_int_equal(expected, 3);
    assert_int_equal(found.count, 3);
    assert_int_equal(bri_prove_unique(&m), BRI_PROOF_NONE);
}

/* ------------------------------------------------------------------ stability */

/* A contact that slips along t1 with A = W_NN - mu W_NT, and b_N = B: one direction of force, W = f f^T and a little. */
static BriModes make_slide(double A, double B) {
    BriModes m = {.contacts = 1, .b = {B, 0, 0}, .size = {10, 10, 10}};
    for (int i = 0; i < 3; i++) m.contact[0].frame[i][i] = 1;
    m.W[0][0] = 2, m.W[1][1] = 3, m.W[2][2] = 1;
    m.W[0][1] = m.W[1][0] = 2 - A; /* mu = 1 */
    m.contact[0].mu_s = m.contact[0].mu_k = 1;
    m.contact[0].slip[0] = 0.1;
    return m;
}

/* Song, Kraus, Kumar, Dupont 2000, Table 1, with A < 0 and B = 0 apart: no contact is the only answer, and the least touch
 * pulls the bodies into each other. */
static void one_sliding_contact_obeys_table_1(void **unused) {
    (void)unused;
    const struct {
        double A, B;
        int answers, contact; /* contact: of how many the contact stays closed with a force */
        bool endless;
        int stable, unstable;
    } rows[9] = {
        {0.5, 1, 1, 0, false, 1, 0},  {0.5, 0, 1, 0, false, 1, 0},  {0.5, -1, 1, 1, false, 1, 0},
        {0, 1, 1, 0, false, 1, 0},    {0, 0, 1, 0, true, 0, 0},     {0, -1, 0, 0, false, 0, 0},
        {-0.5, 1, 2, 1, false, 1, 1}, {-0.5, 0, 1, 0, false, 0, 1}, {-0.5, -1, 0, 0, false, 0, 0},
    };
    for (int n = 0; n < 27; n++) { /* A = 0 is that but for rounding */
        BriModes m = make_slide(rows[n % 9].A + (n / 9 - 1) * 1e-15, rows[n % 9].B);
        BriModeAnswers found;
        int stable = 0, unstable = 0, contact = 0;
        bri_modes_prepare(&m);
        bri_find_answers(&m, NULL, &found);
        BriGive give = bri_any_give(m.scale[0]);
        for (int i = 0; i < found.count; i++) {
            BriLayer layer = bri_find_layer(&m, &found.answer[i], &give);
            stable += layer.settling == BRI_STABLE, unstable += layer.settling == BRI_UNSTABLE;
            contact += found.answer[i].p[0] > 0;
        }
        assert_int_equal(found.count, rows[n % 9].answers);
        assert_int_equal(found.endless, rows[n % 9].endless);
        if (contact != rows[n % 9].contact) fail_msg("row %d: %d", n, contact);
        assert_int_equal(stable, rows[n % 9].stable);
        assert_int_equal(unstable, rows[n % 9].unstable);
        assert_int_equal(bri_prove_unique(&m) == BRI_PROOF_ONE, rows[n % 9].A > 0);
    }
}

/* Contacts that slide, several at a time: what eigenvalues say is what z'' + A C z' + A K z = 0 does, followed in time from
 * a random start (semi-implicitly: 0.01 of the time in which the stiffest swings). */
static double follow_layer(int n, double A[3][3], const double *K, const double *C) {
    const double STEP = 0.01;
    double z[3], v[3] = {0}, size = 0;
    for (int i = 0; i < n; i++) z[i] = random_number(-1, 1);
    for (int step = 0; step < 40000; step++) {
        double force[3], a[3] = {0};
        for (int j = 0; j < n; j++) force[j] = K[j] * z[j] + C[j] * v[j];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) a[i] -= A[i][j] * force[j];
        size = 0;
        for (int i = 0; i < n; i++) {
            v[i] += STEP * a[i], z[i] += STEP * v[i];
            size += z[i] * z[i] + v[i] * v[i];
        }
        if (size > 1e100) break;
    }
    return log(size) / 2 / 400;
}

static void several_slides_settle_as_their_motion_does(void **unused) {
    (void)unused;
    int stable = 0, unstable = 0;
    for (int n = 0; n < 20000 && (stable < 40 || unstable < 40); n++) {
        BriModes m = make_planar(0);
        BriModeAnswers found;
        bri_modes_prepare(&m);
        bri_find_answers(&m, NULL, &found);
        for (int i = 0; i < found.count; i++) {
            const BriModeAnswer *answer = &found.answer[i];
            double A[3][3], K[3], C[3];
            BriGive give[3];
            int closed = 0, list[3];
            bool slides = m.contacts > 1;
            for (int k = 0; k < m.contacts; k++) {
                slides = slides && answer->mode[k] != BRI_MODE_ROLLS;
                give[k] = (BriGive){random_number(0.3, 1) / (m.scale[k] * m.scale[k]), 0, 1, 1};
                give[k].viscosity = random_number(0.1, 0.5) / (m.scale[k] * m.scale[k]);
                if (answer->mode[k] == BRI_MODE_SLIDES) list[closed++] = k;
            }
            if (!slides || closed < 2) continue;
            for (int r = 0; r < closed; r++) {
                K[r] = give[list[r]].stiffness * m.scale[list[r]] * m.scale[list[r]];
                C[r] = give[list[r]].viscosity * m.scale[list[r]] * m.scale[list[r]];
                for (int c = 0; c < closed; c++) {
                    const double *W = &m.W[3 * list[r]][3 * list[c]], *drag = answer->drag[list[c]];
                    A[r][c] = W[0] - drag[0] * W[1] - drag[1] * W[2];
                }
            }
            BriLayer layer = bri_find_layer(&m, answer, give);
            if (fabs(layer.growth) < 0.02) continue; /* too slow to be seen */
            if (*(layer.growth > 0 ? &unstable : &stable) >= 40) continue;
            double growth = follow_layer(closed, A, K, C);
            if ((growth > 0) != (layer.growth > 0) || layer.settling != (growth > 0 ? BRI_UNSTABLE : BRI_STABLE))
                fail_msg("problem %d: growth %g, not %g", n, growth, layer.growth);
            *(growth > 0 ? &unstable : &stable) += 1;
        }
    }
    assert_true(stable == 40 && unstable == 40);
}

/* Where all contacts roll and are independent, A is symmetric and positive: stable, whatever the law (Song's 5.2). */
static void what_rolls_is_stable(void **unused) {
    (void)unused;
    int asked = 0;
    for (int n = 0; n < 2000; n++) {
        BriModes m = make_planar(0);
        BriModeAnswers found;
        BriGive give[3];
        bri_modes_prepare(&m);
        bri_find_answers(&m, NULL, &found);
        for (int i = 0; i < found.count; i++) {
            bool rolls = true;
            for (int k = 0; k < m.contacts; k++) {
                rolls = rolls && found.answer[i].mode[k] == BRI_MODE_ROLLS;
                give[k] = (BriGive){random_number(0.1, 10), random_number(0.1, 1), random_number(0.1, 10),
                                    random_number(0.1, 1)};
            }
            if (!rolls) continue;
            asked++;
            assert_int_equal(bri_find_layer(&m, &found.answer[i], give).settling, BRI_STABLE);
        }
    }
    assert_true(asked > 50);
}

/* A slender rod of length 2 and mass 1 on its end, theta from the floor: W_NN = 1 + 3 cos^2, W_NT = -3 sin cos, so that
 * mu_c = (4 + tan^2)/(3 tan). */
static void rod_meets_painleve_at_its_own_friction(void **unused) {
    (void)unused;
    for (int degrees = 5; degrees < 90; degrees += 5) {
        double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle), t = tan(angle);
        for (int slips = 0; slips < 2; slips++) {
            BriModes m = {.contacts = 1, .b = {-9.81, 0, 0}, .size = {9.81, 9.81, 9.81}};
            for (int i = 0; i < 3; i++) m.contact[0].frame[i][i] = 1;
            m.W[0][0] = 1 + 3 * c * c, m.W[1][1] = 1 + 3 * s * s;
            m.W[0][1] = m.W[1][0] = -3 * s * c;
            m.contact[0].mu_s = m.contact[0].mu_k = 0.3;
            m.contact[0].slip[0] = -slips;
            bri_modes_prepare(&m);
            assert_true(fabs(bri_find_painleve(&m) * 3 * t / (4 + t * t) - 1) < 1e-12); /* a few roundings */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planar_answers_are_those_of_every_combination),
                                       cmocka_unit_test(bounded_rows_hold_or_give_way_as_every_combination_says),
                                       cmocka_unit_test(spatial_answers_are_those_of_every_direction),
                                       cmocka_unit_test(compact_body_at_rest_may_have_three_answers_below_the_boundary),
                                       cmocka_unit_test(one_sliding_contact_obeys_table_1),
                                       cmocka_unit_test(several_slides_settle_as_their_motion_does),
                                       cmocka_unit_test(what_rolls_is_stable),
                                       cmocka_unit_test(rod_meets_painleve_at_its_own_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
