/* test_compliant_laws.c: one battery for all compliant laws, then what each of them promises by itself. The laws are
 * asked directly, without bodies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "laws/laws.h"
#include "soft_support.h"

enum { STATES = 20000 };
enum { NO_WINDUP, LITERAL }; /* words of the parameter windup */

static const Given NORMALS[] = {
    {"kelvin-voigt", {{"stiffness", 1e4}, {"damping", 30}, {"ramp", 1e-4}}},
    {"kelvin-voigt", {{"stiffness", 1e7}, {"damping", 1e5}}},
    {"kelvin-voigt", {{"stiffness", 1e3}}},
    {"hunt-crossley", {{"stiffness", 1e6}, {"alpha", 0.3}}},
    {"hunt-crossley", {{"stiffness", 1e3}, {"exponent", 1}, {"alpha", 20}}},
    {"hunt-crossley", {{"stiffness", 1e9}, {"exponent", 2.7}}},
    {"gonthier", {{"stiffness", 1e6}, {"e", 0.5}}},
    {"gonthier", {{"stiffness", 1e3}, {"exponent", 1}, {"e", 0.05}}},
    {"gonthier", {{"stiffness", 1e8}, {"exponent", 3}, {"e", 1}}},
    {"gonthier", {{"stiffness", 1e7}, {"exponent", 2.2}, {"alpha", 0.1}}},
};

static const Given FRICTIONS[] = {
    {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.3}}},
    {"dwell", {{"mu_s", 0.4}, {"mu_k", 0.4}, {"sigma_0", 1e3}, {"sigma_1", 1e4}, {"v_s", 0.1}, {"tau_dw", 0.01}}},
    {"dwell", {{"mu_s", 1.2}, {"mu_k", 0}, {"sigma_0", 1e7}, {"sigma_1", 3}, {"sigma_2", 2}, {"v_s", 1e-3}}},
    {"dwell", {{"mu_s", 0.9}, {"mu_k", 0.1}, {"sigma_2", 0.4}, {"v_s", 0.5}, {"v_eps", 2}}},
    {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.3}, {"windup", LITERAL}}},
    {"coulomb-compliant", {{"mu", 0.6}, {"stiffness", 1e5}, {"damping", 100}}},
    {"coulomb-compliant", {{"mu", 0}, {"stiffness", 1e3}, {"damping", 1e-3}}},
    {"coulomb-compliant", {{"mu", 2}, {"stiffness", 10}, {"damping", 1e4}}},
    {"tanh", {{"mu", 0.5}}},
    {"tanh", {{"mu", 0.8}, {"gamma", 0.3}}},
};

enum { NORMAL_COUNT = sizeof NORMALS / sizeof *NORMALS, FRICTION_COUNT = sizeof FRICTIONS / sizeof *FRICTIONS };

static BrLaw make_checked(BrLawKind kind, const Given *given) {
    BrError error = {0};
    BrLaw law = make_law(kind, given);
    if (bri_law_check(NULL, &law, kind, "test", &error) != BR_OK) fail_msg("%s", error.text);
    return law;
}

static bool is_called(const BrLaw *law, const char *name) { return strcmp(law->info->name, name) == 0; }

/* A parameter by its name. */
static double value_of(const BrLaw *law, const char *name) {
    for (int i = 0; i < law->info->parameters; i++)
        if (strcmp(law->info->parameter[i].name, name) == 0) return law->value[i];
    fail_msg("%s has no %s", law->info->name, name);
    return NAN;
}

static double draw_size(uint64_t *seed, double low, double high) { return pow(10, draw(seed, low, high)); }

static BrVec3 draw_tangent(uint64_t *seed, double low, double high) {
    double angle = draw(seed, -PI, PI), size = draw_size(seed, low, high);
    return vec(size * cos(angle), size * sin(angle), 0);
}

/* ------------------------------------------------------------------ the battery: normal laws */

typedef struct Press {
    double memory[BRI_NORMAL_MEMORY], depth, rate;
} Press;

static Press draw_press(uint64_t *seed, const BrLaw *law) {
    double speed = draw_size(seed, -4, 1), depth = draw_size(seed, -9, -1), sign = draw(seed, -1, 1);
    Press p = {.depth = depth, .rate = copysign(draw_size(seed, -6, 1), sign)};
    bri_law_touch(law, speed, p.memory);
    return p;
}

static BrNormalAnswer press(const BrLaw *law, Press p) {
    double rate[BRI_NORMAL_MEMORY] = {0};
    return bri_normal_answer(law, bri_normal_power(law).stiffness, p.memory, p.depth, p.rate, rate);
}

/* Pushes only, and takes out what it does not store. Central differences of ~ depth^(p + 1) over 1e-5 of the depth are
 * good to 1e-9 of it. */
static void normal_laws_push_and_take_out(void **unused) {
    (void)unused;
    for (int n = 0; n < NORMAL_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_NORMAL, &NORMALS[n]);
        uint64_t seed = 11 + (uint64_t)n;
        for (int i = 0; i < STATES; i++) {
            Press p = draw_press(&seed, &law), deeper = p, flatter = p;
            BrNormalAnswer a = press(&law, p);
            assert_true(a.force >= 0 && a.stored > 0 && a.loss >= 0);
            double dt = 1e-5 * p.depth / fabs(p.rate);
            deeper.depth += dt * p.rate, flatter.depth -= dt * p.rate;
            double rate = (press(&law, deeper).stored - press(&law, flatter).stored) / (2 * dt);
            assert_near(a.force * p.rate - rate, a.loss, 1e-8 * (fabs(rate) + a.loss));
        }
    }
}

/* No jump at touch and separation, whatever the speed: with the depth the force goes to zero, at least as fast once the
 * depth is below kelvin-voigt's ramp, and it is zero outside. */
static void normal_laws_begin_and_end_at_zero(void **unused) {
    (void)unused;
    for (int n = 0; n < NORMAL_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_NORMAL, &NORMALS[n]);
        uint64_t seed = 23;
        for (int i = 0; i < 1000; i++) {
            Press p = draw_press(&seed, &law);
            double last = INFINITY;
            for (p.depth = 1e-7; p.depth > 1e-13; p.depth *= 0.1) {
                double force = press(&law, p).force;
                assert_true(force <= 0.1 * last * (1 + 1e-12));
                last = force;
            }
            for (int side = 0; side < 2; side++) {
                p.depth = side ? -draw_size(&seed, -12, 0) : 0;
                BrNormalAnswer a = press(&law, p);
                assert_true(a.force == 0 && a.stored == 0 && a.loss == 0);
            }
        }
    }
}

/* The formulas once more, with their derivatives. */
static void differentiate(const BrLaw *law, Press p, double *by_depth, double *by_rate) {
    double k = value_of(law, "stiffness");
    if (is_called(law, "kelvin-voigt")) {
        double c = value_of(law, "damping"), ramp = value_of(law, "ramp");
        *by_depth = k + (p.depth < ramp ? c * p.rate / ramp : 0);
        *by_rate = c * (p.depth < ramp ? p.depth / ramp : 1);
        return;
    }
    double power = value_of(law, "exponent");
    double a = is_called(law, "hunt-crossley") ? 1.5 * value_of(law, "alpha") : p.memory[0];
    *by_depth = power * k * pow(p.depth, power - 1) * (1 + a * p.rate);
    *by_rate = k * pow(p.depth, power) * a;
}

/* Away from the kinks: where it pushes, and not at the ramp's end. */
static void normal_forces_have_their_derivatives(void **unused) {
    (void)unused;
    for (int n = 0; n < NORMAL_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_NORMAL, &NORMALS[n]);
        uint64_t seed = 31 + (uint64_t)n;
        int seen = 0;
        for (int i = 0; i < STATES; i++) {
            Press p = draw_press(&seed, &law), q[4] = {p, p, p, p};
            const double step = 1e-5;
            q[0].depth *= 1 - step, q[1].depth *= 1 + step, q[2].rate *= 1 - step, q[3].rate *= 1 + step;
            double f[4], by_depth, by_rate, force = press(&law, p).force;
            bool smooth = !is_called(&law, "kelvin-voigt") || fabs(p.depth / value_of(&law, "ramp") - 1) > 2 * step;
            for (int k = 0; k < 4; k++) {
                f[k] = press(&law, q[k]).force;
                smooth = smooth && f[k] > 0;
            }
            if (!smooth) continue;
            differentiate(&law, p, &by_depth, &by_rate);
            /* differences: step^2, and rounding over step; a large force may have a small slope */
            double fine = 1e-9 * (fabs(by_depth) * p.depth + fabs(by_rate * p.rate) + force);
            assert_near(0.5 * (f[1] - f[0]) / step, by_depth * p.depth, fine);
            assert_near(0.5 * (f[3] - f[2]) / step, by_rate * p.rate, fine);
            seen++;
        }
        assert_true(seen > STATES / 4);
    }
}

/* ------------------------------------------------------------------ the battery: friction laws */

typedef struct Rub {
    double normal;
    BrVec3 slip;
    BrVec3 z;
    double s_dw;
} Rub;

static bool is_dwell(const BrLaw *law) { return is_called(law, "dwell"); }
static bool is_literal(const BrLaw *law) { return is_dwell(law) && value_of(law, "windup") == LITERAL; }

static double find_stiffness(const BrLaw *law) { return bri_law_record(law)->friction.stick(law, 1).stiffness; }
static double find_viscosity(const BrLaw *law) { return bri_law_record(law)->friction.stick(law, 1).viscosity; }

/* From far below to three times the force that friction allows; now and then at rest, without load, or fresh. */
static Rub draw_rub(uint64_t *seed, const BrLaw *law) {
    Rub r = {.normal = draw_int(seed, 20) ? draw_size(seed, -3, 3) : 0};
    double k = find_stiffness(law);
    if (draw_int(seed, 20)) r.slip = draw_tangent(seed, -8, 1);
    if (k > 0 && draw_int(seed, 20)) r.z = scale((r.normal + 1e-3) / k, draw_tangent(seed, -3, 0.5));
    r.s_dw = draw_int(seed, 10) ? draw(seed, 0, 1) : draw_int(seed, 2);
    return r;
}

/* What a law answers, its rates by name: 0 of what it does not remember. */
typedef struct Rubbed {
    BrVec3 force, z_rate;
    double dwell_rate, stored, loss;
} Rubbed;

static Rubbed rub(const BrLaw *law, const Rub *r) {
    double memory[BRI_FRICTION_MEMORY] = {0}, rate[BRI_FRICTION_MEMORY] = {0};
    int z, dwell;
    bool bends = bri_law_find_memory(law, "deflection", &z), settles = bri_law_find_memory(law, "dwell", &dwell);
    if (bends) memory[z] = r->z.x, memory[z + 1] = r->z.y, memory[z + 2] = r->z.z;
    if (settles) memory[dwell] = r->s_dw;
    BrFrictionAnswer a = bri_friction_answer(law, r->normal, r->slip, memory, rate);
    return (Rubbed){.force = a.force,
                    .z_rate = bends ? vec(rate[z], rate[z + 1], rate[z + 2]) : vec(0, 0, 0),
                    .dwell_rate = settles ? rate[dwell] : 0,
                    .stored = a.stored,
                    .loss = a.loss};
}

/* mu_s and sigma_2 of any law, and what the law allows at this state. */
static double find_allowed(const BrLaw *law, const Rub *r) {
    if (!is_dwell(law)) return value_of(law, "mu") * r->normal;
    double mu_k = value_of(law, "mu_k");
    return r->normal * (mu_k + (value_of(law, "mu_s") - mu_k) * r->s_dw);
}

static double find_viscous(const BrLaw *law) { return is_dwell(law) ? value_of(law, "sigma_2") : 0; }

/* Beside rounding of the parts it is made of. */
static void friction_stays_in_its_cone(void **unused) {
    (void)unused;
    for (int n = 0; n < FRICTION_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_FRICTION, &FRICTIONS[n]);
        uint64_t seed = 41 + (uint64_t)n;
        int full = 0;
        for (int i = 0; i < STATES; i++) {
            Rub r = draw_rub(&seed, &law);
            BrVec3 viscous = scale(find_viscous(&law), r.slip), dry = add(rub(&law, &r).force, viscous);
            double allowed = find_allowed(&law, &r), rounding = 1e-15 * (allowed + norm(viscous));
            assert_true(allowed <= law.value[0] * r.normal * (1 + 1e-15)); /* mu, or mu_s */
            assert_true(norm(dry) <= allowed + rounding);
            full += norm(dry) >= 0.999 * allowed;
        }
        assert_true(full > STATES / 20); /* the bound is met, not only kept */
    }
}

/* What friction takes from the motion is stored or lost; the rate of `stored` by differences, exact for a square. */
static void friction_never_gives_more_than_it_took(void **unused) {
    (void)unused;
    for (int n = 0; n < FRICTION_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_FRICTION, &FRICTIONS[n]);
        uint64_t seed = 53 + (uint64_t)n;
        int made = 0;
        for (int i = 0; i < STATES; i++) {
            Rub r = draw_rub(&seed, &law), later = r, before = r;
            Rubbed a = rub(&law, &r);
            double speed = norm(a.z_rate), dt = speed > 0 ? 1e-3 * (norm(r.z) + 1e-12) / speed : 1;
            later.z = add(r.z, scale(dt, a.z_rate));
            before.z = sub(r.z, scale(dt, a.z_rate));
            double rate = (rub(&law, &later).stored - rub(&law, &before).stored) / (2 * dt);
            double size = norm(a.force) * norm(r.slip) + find_stiffness(&law) * norm(r.z) * speed;
            assert_true(a.stored >= 0);
            assert_near(-dot(a.force, r.slip) - rate, a.loss, 1e-12 * size);
            if (a.loss < -1e-14 * size) made++;
        }
        assert_true(is_literal(&law) ? made > 0 : made == 0);
    }
}

/* Rates of y: z (3), s_dw, what friction took, what it lost. */
static void find_rates(const BrLaw *law, const Rub *r, double *rate) {
    Rubbed a = rub(law, r);
    const double numbers[6] = {a.z_rate.x, a.z_rate.y, a.z_rate.z, a.dwell_rate, -dot(a.force, r->slip), a.loss};
    memcpy(rate, numbers, sizeof numbers);
}

/* Slides to and fro, turns, is loaded and unloaded. */
static void wander(double t, const double *y, double *rate, const void *user) {
    Rub r = {.normal = 10 * (1 + 0.9 * sin(7 * t)), .z = vec(y[0], y[1], y[2]), .s_dw = y[3]};
    r.slip = scale(0.02 * sin(2 * t), vec(cos(3 * t), sin(3 * t), 0));
    find_rates(user, &r, rate);
}

/* Order 4 between kinks of the laws, of which there are tens: (1e4 steps)^-2 at each. */
static void friction_keeps_books_along_a_path(void **unused) {
    (void)unused;
    const Given given[] = {
        {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.3}, {"sigma_0", 1e4}, {"sigma_1", 500}, {"tau_dw", 0.1}, {"v_s", 0.01}}},
        {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.3}, {"sigma_0", 1e4}, {"sigma_1", 500}, {"windup", LITERAL}}},
        {"coulomb-compliant", {{"mu", 0.6}, {"stiffness", 1e4}, {"damping", 100}}},
        {"tanh", {{"mu", 0.5}}},
    };
    for (size_t n = 0; n < sizeof given / sizeof *given; n++) {
        BrLaw law = make_checked(BR_LAW_FRICTION, &given[n]);
        double y[6] = {0};
        integrate(wander, &law, 6, 0, 4, 40000, y);
        Rub end = {.normal = 1, .z = vec(y[0], y[1], y[2])};
        double stored = rub(&law, &end).stored;
        assert_true(y[4] > 0.05);
        assert_near(y[4] - stored, y[5], 1e-7 * y[4]);
        assert_true(fabs(y[2]) == 0 && y[3] >= 0 && y[3] <= 1);
    }
}

static void friction_is_the_same_in_a_turned_frame(void **unused) {
    (void)unused;
    for (int n = 0; n < FRICTION_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_FRICTION, &FRICTIONS[n]);
        uint64_t seed = 61 + (uint64_t)n;
        for (int i = 0; i < STATES / 10; i++) {
            BrMat3 turn = turn_about(draw_vec(&seed, 1), draw(&seed, -PI, PI));
            Rub r = draw_rub(&seed, &law), turned = r;
            turned.slip = rotate(&turn, r.slip), turned.z = rotate(&turn, r.z);
            Rubbed a = rub(&law, &r), b = rub(&law, &turned);
            double taken = norm(a.force) * norm(r.slip), held = find_stiffness(&law) * norm(r.z);
            double speed = norm(r.slip) + (held + norm(a.force)) / find_viscosity(&law); /* rates are differences */
            assert_vec_near(b.force, rotate(&turn, a.force), 1e-14 * (norm(a.force) + held));
            assert_vec_near(b.z_rate, rotate(&turn, a.z_rate), 1e-14 * speed);
            assert_near(b.dwell_rate, a.dwell_rate, 1e-12 * (fabs(a.dwell_rate) + 1e-3));
            assert_near(b.stored, a.stored, 1e-14 * a.stored);
            assert_near(b.loss, a.loss, 1e-14 * (taken + held * speed));
        }
    }
}

/* Without a load there is none but the viscous part, and a light load changes it little. */
static void friction_begins_and_ends_with_the_load(void **unused) {
    (void)unused;
    for (int n = 0; n < FRICTION_COUNT; n++) {
        BrLaw law = make_checked(BR_LAW_FRICTION, &FRICTIONS[n]);
        uint64_t seed = 71;
        for (int i = 0; i < 1000; i++) {
            Rub r = draw_rub(&seed, &law);
            BrVec3 viscous = scale(find_viscous(&law), r.slip);
            for (r.normal = 1; r.normal > 1e-12; r.normal *= 0.1) {
                double rounding = 1e-15 * (r.normal + norm(viscous));
                assert_true(norm(add(rub(&law, &r).force, viscous)) <= law.value[0] * r.normal + rounding);
            }
            r.normal = 0;
            assert_true(norm(add(rub(&law, &r).force, viscous)) == 0);
        }
    }
}

/* ------------------------------------------------------------------ gonthier */

/* (1 + e) (1 - e) times the integral over u in 0 .. 1 of u (1 - x u)/((1 + d u/e)(1 - d u)), d = (1 - e) x: work in
 * compression less work in return, per impact energy. Gauss, five points in each of 50 parts. */
static long double balance_work(long double e, long double x) {
    static const long double at[] = {0, 0.538469310105683091L, 0.906179845938663993L};
    static const long double weight[] = {0.568888888888888889L, 0.478628670499366468L, 0.236926885056189088L};
    enum { PARTS = 50 };
    long double sum = 0, d = (1 - e) * x;
    for (int k = 0; k < PARTS; k++)
        for (int i = -2; i <= 2; i++) {
            long double u = (k + 0.5L + 0.5L * (i < 0 ? -at[-i] : at[i])) / PARTS;
            sum += weight[i < 0 ? -i : i] * u * (1 - x * u) / ((1 + d * u / e) * (1 - d * u));
        }
    return sum;
}

/* The same in closed form; its terms cancel for e near 1. */
static long double balance_logs(long double e, long double x) {
    long double d = (1 - e) * x;
    return d * (1 + 1 / e) + log1pl(-d) - log1pl(d / e);
}

/* d(e) by bisection: both balances fall from positive to negative. */
static double find_factor(long double e, long double (*balance)(long double, long double)) {
    long double low = 1e-3L, high = e < 1 ? 1 / (1 - e) : 2;
    for (int k = 0; k < 70; k++) {
        long double x = 0.5L * (low + high);
        if (balance(e, x) > 0)
            low = x;
        else
            high = x;
    }
    return (double)((1 - e) * low);
}

static void damping_factor_is_accurate(void **unused) {
    (void)unused;
    for (int k = 1; k <= 2000; k++) {
        double e = k <= 990 ? 0.01 + 0.001 * (k - 1) : 1 - pow(10, -2 - 7.0 * (k - 990) / 1010);
        double d = bri_restitution_damping(e);
        if (e <= 0.9) assert_near(d, find_factor(e, balance_logs), 1e-12);
        if (e >= 0.6) assert_near(d, find_factor(e, balance_work), 1e-12);
        assert_true(d > 0 && d <= 1);
    }
    assert_near(bri_restitution_damping(1), 0, 1e-15);
    assert_near(bri_restitution_damping(1 - 1e-9), find_factor(1 - 1e-9, balance_work), 1e-15);
    const double printed[][2] = {{0.1, 0.999815939750}, {0.5, 0.716375266636}, {0.9, 0.149833755617}};
    for (int k = 0; k < 3; k++) assert_near(bri_restitution_damping(printed[k][0]), printed[k][1], 1e-12);
}

/* a of a contact that touches with this speed. */
static double latch_damping(const BrLaw *law, double speed) {
    double memory[BRI_NORMAL_MEMORY];
    bri_law_touch(law, speed, memory);
    return bri_law_record(law)->normal.damping(law, memory);
}

/* The damping is a d(e(v))/(e(v) v), with e a number, 1 - alpha v or a table; v not below the floor. */
static void restitution_follows_the_speed(void **unused) {
    (void)unused;
    BrLaw number = make_checked(BR_LAW_NORMAL, &(Given){"gonthier", {{"stiffness", 1e6}, {"e", 0.6}, {"floor", 0.01}}});
    BrLaw line = make_checked(BR_LAW_NORMAL, &(Given){"gonthier", {{"stiffness", 1e6}, {"alpha", 0.2}}});
    BrLaw table = br_law(BR_LAW_NORMAL, "gonthier");
    const double points[] = {0.5, 0.9, 1, 0.7, 3, 0.1};
    br_law_set(&table, "stiffness", 1e6);
    table.points = 3;
    table.table = points;
    assert_int_equal(bri_law_check(NULL, &table, BR_LAW_NORMAL, "test", NULL), BR_OK);
    const struct {
        const BrLaw *law;
        double speed, e;
    } cases[] = {
        {&number, 0.5, 0.6}, {&number, 70, 0.6}, {&line, 1, 0.8},    {&line, 4.9, 0.02}, {&line, 4.96, 0.01},
        {&line, 50, 0.01},   {&table, 0, 0.9},   {&table, 0.2, 0.9}, {&table, 0.5, 0.9}, {&table, 0.75, 0.8},
        {&table, 1, 0.7},    {&table, 2, 0.4},   {&table, 3, 0.1},   {&table, 40, 0.1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v = fmax(cases[i].speed, 1e-3), e = cases[i].e;
        double a = latch_damping(cases[i].law, cases[i].speed);
        assert_near(a, bri_restitution_damping(e) / (e * v), 1e-13 * a + 1e-13); /* e from differences of speeds */
        assert_near(a * e * v, find_factor(e, e < 0.75 ? balance_logs : balance_work), 1e-12);
    }
    assert_near(latch_damping(&number, 1e-5), latch_damping(&number, 0.01), 0);
    assert_near(latch_damping(&number, -1), latch_damping(&number, 0.01), 0);
}

/* A unit mass meets the law: q = depth^((p + 1)/2) over a time in which the motion is smooth for every exponent. */
typedef struct Impact {
    BrLaw law;
    double memory[BRI_NORMAL_MEMORY];
} Impact;

static void fly_through(double t, const double *y, double *rate, const void *user) {
    const Impact *impact = user;
    double p = bri_normal_power(&impact->law).exponent, depth = pow(fabs(y[0]), 2 / (p + 1)),
           slow = pow(depth, (p - 1) / 2);
    Press now = {.depth = depth, .rate = y[1]};
    memcpy(now.memory, impact->memory, sizeof now.memory);
    double force = press(&impact->law, now).force;
    (void)t;
    rate[0] = 0.5 * (p + 1) * y[1];
    rate[1] = slow > 0 ? -copysign(force / slow, y[0]) : 0;
}

static double find_return(const Impact *impact, double speed) {
    double k = bri_normal_power(&impact->law).stiffness, p = bri_normal_power(&impact->law).exponent;
    double y[2] = {0, speed}, h = 1e-3 / sqrt(0.5 * (p + 1) * k), high = h, low = 0, start[2], end[2];
    do {
        memcpy(start, y, sizeof start);
        integrate(fly_through, impact, 2, 0, h, 1, y);
    } while (y[0] > 0);
    for (int i = 0; i < 50; i++) {
        double middle = 0.5 * (low + high);
        memcpy(end, start, sizeof end);
        integrate(fly_through, impact, 2, 0, middle, 1, end);
        *(end[0] > 0 ? &low : &high) = middle;
    }
    return -end[1];
}

/* Whatever stiffness, exponent and speed. */
static void impacts_return_the_restitution(void **unused) {
    (void)unused;
    uint64_t seed = 83;
    for (int i = 0; i < 60; i++) {
        const double exponents[] = {1, 1.5, 2, 3, draw(&seed, 1, 3)};
        double e = i < 5 ? 0.05 : i < 10 ? 1 : draw(&seed, 0.05, 1), speed = draw_size(&seed, -2, 1);
        Given given = {"gonthier", {{"stiffness", draw_size(&seed, 2, 9)}, {"exponent", exponents[i % 5]}, {"e", e}}};
        Impact impact = {.law = make_checked(BR_LAW_NORMAL, &given)};
        bri_law_touch(&impact.law, speed, impact.memory);
        assert_near(find_return(&impact, speed) / speed, e, 1e-8);
    }
}

/* hunt-crossley's restitution is 1 - alpha v for slow impacts: what is left is of second order. */
static void slow_impacts_of_hunt_crossley(void **unused) {
    (void)unused;
    Impact impact = {.law =
                         make_checked(BR_LAW_NORMAL, &(Given){"hunt-crossley", {{"stiffness", 1e6}, {"alpha", 0.1}}})};
    bri_law_touch(&impact.law, 7, impact.memory);
    double off[2];
    for (int k = 0; k < 2; k++) {
        double v = k ? 0.05 : 0.1;
        off[k] = find_return(&impact, v) / v - (1 - 0.1 * v);
    }
    assert_true(off[1] > 0);
    assert_near(observed_order(off[0], off[1]), 2, 0.02);
}

/* ------------------------------------------------------------------ friction laws by themselves */

/* The law of the paper in its own words: sigma_0 z + sigma_1 z', cut; z' = s v + (1 - s)(mu_k f_N dir - sigma_0
 * z)/sigma_1.
 */
static void dwell_is_the_printed_law(void **unused) {
    (void)unused;
    BrLaw law = make_checked(BR_LAW_FRICTION, &FRICTIONS[4]);
    const double mu_s = 0.5, mu_k = 0.3, sigma_0 = 1e5, sigma_1 = value_of(&law, "sigma_1"), v_s = 0.01, tau = 1;
    uint64_t seed = 97;
    for (int i = 0; i < STATES; i++) {
        Rub r = draw_rub(&seed, &law);
        double speed = norm(r.slip), s = exp(-pow(speed / v_s, 2)), v_eps = 0.01 * v_s, part = speed / v_eps;
        double steep = part < 1 ? (1.5 - 0.5 * part * part) / v_eps : 1 / speed;
        BrVec3 slide = scale(mu_k * r.normal * steep, r.slip);
        BrVec3 z_rate = add(scale(s, r.slip), scale((1 - s) / sigma_1, sub(slide, scale(sigma_0, r.z))));
        BrVec3 bristles = add(scale(sigma_0, r.z), scale(sigma_1, z_rate));
        double most = r.normal * (mu_k + (mu_s - mu_k) * r.s_dw), size = norm(bristles);
        BrVec3 force = scale(size > most ? -most / size : -1, bristles);
        double pace = s >= r.s_dw ? 1 / tau : sigma_0 / sigma_1;
        Rubbed a = rub(&law, &r);
        double large = sigma_0 * norm(r.z) + sigma_1 * speed + norm(slide);
        assert_vec_near(a.force, force, 1e-14 * large);
        assert_vec_near(a.z_rate, z_rate, 1e-14 * large / sigma_1);
        assert_near(a.dwell_rate, pace * (s - r.s_dw), 1e-13 * pace);
    }
}

/* Slides forth for a while, then back. */
typedef struct Ride {
    const BrLaw *law;
    double load[2], speed, turn; /* N forth and back, m/s, s */
} Ride;

static Rub read_ride(const Ride *ride, double t, const double *y) {
    bool back = t > ride->turn;
    return (Rub){ride->load[back], vec(back ? -ride->speed : ride->speed, 0, 0), vec(y[0], y[1], y[2]), y[3]};
}

static void go_on(double t, const double *y, double *rate, const void *user) {
    const Ride *ride = user;
    Rub r = read_ride(ride, t, y);
    find_rates(ride->law, &r, rate);
}

typedef struct Outcome {
    double least, lost; /* J: the least that friction took, and lost, up to any moment */
    double driven;      /* s: how long it pushed the motion */
    double bent;        /* N: the most that the bristles held before the turn */
} Outcome;

/* Two seconds forth, half a second back. */
static Outcome turn_back(double windup, double load_back) {
    Given given = {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.4}, {"v_s", 0.1}, {"tau_dw", 0.1}, {"windup", windup}}};
    BrLaw law = make_checked(BR_LAW_FRICTION, &given);
    br_law_set(&law, "sigma_0", 1e4);
    br_law_set(&law, "sigma_1", 1e3);
    Ride ride = {&law, {1, load_back}, 0.02, 2};
    Outcome outcome = {0};
    double y[6] = {0};
    const double dt = 1e-3;
    for (int k = 0; k < 2500; k++) {
        integrate(go_on, &ride, 6, k * dt, (k + 1) * dt, 10, y);
        Rub now = read_ride(&ride, (k + 1) * dt, y);
        if (dot(rub(&law, &now).force, now.slip) > 0) outcome.driven += dt;
        if (k < 2000) outcome.bent = fmax(outcome.bent, 1e4 * y[0]);
        outcome.least = fmin(outcome.least, y[4]), outcome.lost = fmin(outcome.lost, y[5]);
    }
    return outcome;
}

/* A long slow slide winds the literal law's bristles up; turned back they drive the motion on, and more comes out than
 * went in: by the law's own account under one load, and for everybody to see if the load is heavier on the way back.
 * Without wind-up the bristles hold what the force allows (0.5 N) and friction only takes. */
static void literal_dwell_makes_energy(void **unused) {
    (void)unused;
    for (double load = 1; load < 30; load += 19) {
        Outcome literal = turn_back(LITERAL, load), none = turn_back(NO_WINDUP, load);
        assert_true(literal.lost < -0.05 && literal.driven > 0.1 && literal.bent > 50);
        assert_true(none.lost >= 0 && none.least >= 0 && none.bent <= 0.5 && none.driven < 0.005);
        if (load > 1) assert_true(literal.least < -0.05); /* 0.02 J went in: 2 s, 0.02 m/s, 0.5 N */
    }
}

/* A unit mass on a surface, pulled by a force. */
typedef struct Pull {
    const BrLaw *law;
    double normal, pull;
} Pull;

static void drag(double t, const double *y, double *rate, const void *user) {
    const Pull *p = user;
    Rub r = {p->normal, vec(y[1], 0, 0), vec(y[2], 0, 0), y[3]};
    Rubbed a = rub(p->law, &r);
    (void)t;
    rate[0] = y[1], rate[1] = p->pull + a.force.x, rate[2] = a.z_rate.x, rate[3] = a.dwell_rate;
}

/* k = 1e4 N/m, c = 2e2 N s/m, critical for 1 kg: e^-100 after a second. Force swings over by e^-2 = 14 %, so 0.8 of the
 * limit is never cut. */
static void coulomb_holds_and_slides(void **unused) {
    (void)unused;
    const double mu = 0.4, normal = 10, k = 1e4;
    BrLaw law =
        make_checked(BR_LAW_FRICTION, &(Given){"coulomb-compliant", {{"mu", mu}, {"stiffness", k}, {"damping", 200}}});
    Pull light = {&law, normal, 0.8 * mu * normal}, heavy = {&law, normal, 1.25 * mu * normal};
    double y[4] = {0};
    integrate(drag, &light, 4, 0, 1, 20000, y);
    assert_near(y[0], light.pull / k, 1e-12); /* deflected, at rest, and there it stays */
    assert_near(y[1], 0, 1e-14);
    integrate(drag, &light, 4, 1, 2, 20000, y);
    assert_near(y[0], light.pull / k, 1e-12);
    double v[2];
    memset(y, 0, sizeof y);
    for (int i = 0; i < 2; i++) {
        integrate(drag, &heavy, 4, 0, 1, 20000, y);
        v[i] = y[1];
    }
    assert_near(v[1] - v[0], 0.25 * mu * normal, 1e-10); /* m/s in a second: friction is mu f_N */
}

/* Under a load below the limit it creeps with gamma atanh(f/(mu f_N)); 1 kg settles with mu f_N/gamma = 4000/s, 0.8 s
 * are e^-600 of that at 0.9 of the limit. */
static void tanh_creeps(void **unused) {
    (void)unused;
    const double mu = 0.4, normal = 10, gamma = 1e-3;
    BrLaw law = make_checked(BR_LAW_FRICTION, &(Given){"tanh", {{"mu", mu}, {"gamma", gamma}}});
    for (double part = 0.1; part < 0.95; part += 0.2) {
        Pull p = {&law, normal, part * mu * normal};
        double y[4] = {0}, creep = gamma * atanh(part);
        Rub r = {.normal = normal, .slip = vec(creep, 0, 0)};
        assert_near(-rub(&law, &r).force.x, p.pull, 1e-14 * p.pull);
        integrate(drag, &p, 4, 0, 0.8, 20000, y);
        assert_near(y[1], creep, 1e-13);
    }
    for (double v = 1e-14; v < 1; v *= 3) { /* and no kink where it is slow */
        Rub r = {.normal = normal, .slip = vec(0, v, 0)};
        assert_near(-rub(&law, &r).force.y, mu * normal * tanh(v / gamma), 1e-14 * mu * normal * tanh(v / gamma));
    }
}

/* A bristle law under half its static limit stays: F = sigma_0 z, and nothing moves. */
static void dwell_holds(void **unused) {
    (void)unused;
    Given given = {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.4}, {"sigma_0", 1e4}, {"sigma_1", 200}, {"tau_dw", 0.1}}};
    BrLaw law = make_checked(BR_LAW_FRICTION, &given);
    Pull p = {&law, 10, 2.5};
    double y[4] = {0}, place;
    integrate(drag, &p, 4, 0, 1, 20000, y);
    place = y[0];
    assert_near(y[2], p.pull / 1e4, 1e-14);
    assert_near(y[3], 1, 1e-4); /* settled: e^-10 */
    integrate(drag, &p, 4, 1, 11, 100000, y);
    assert_near(y[0], place, 1e-14);
}

/* ------------------------------------------------------------------ refusals */

static void refuse(BrLawKind kind, const BrLaw *law, const char *says) {
    BrError error = {0};
    assert_int_equal(bri_law_check(NULL, law, kind, "material 'mud'", &error), BR_INVALID_ARGUMENT);
    if (!strstr(error.text, says) || !strstr(error.text, "material 'mud'"))
        fail_msg("'%s' is not in: %s", says, error.text);
}

static void senseless_values_are_refused(void **unused) {
    (void)unused;
    const struct {
        BrLawKind kind;
        Given given;
        const char *says;
    } cases[] = {
        {BR_LAW_NORMAL, {"gonthier", {{"stiffness", 1e6}, {"e", 0}}}, "e is 0; allowed is 0.01 to 1"},
        {BR_LAW_NORMAL, {"gonthier", {{"stiffness", 1e6}, {"e", -0.5}}}, "e is -0.5; allowed is 0.01 to 1"},
        {BR_LAW_NORMAL, {"gonthier", {{"stiffness", 1e6}, {"e", 1.01}}}, "e is 1.01; allowed is 0.01 to 1"},
        {BR_LAW_NORMAL, {"gonthier", {{"stiffness", -5}, {"e", 1}}}, "stiffness is -5 N/m^p; allowed is 0 to 1e+18"},
        {BR_LAW_NORMAL, {"gonthier", {{"e", 1}, {"exponent", 0.5}}}, "exponent is 0.5; allowed is 1 to 5"},
        {BR_LAW_NORMAL, {"gonthier", {{"e", 1}, {"floor", 0}}}, "floor is 0 m/s; allowed is 1e-12 to 1000"},
        {BR_LAW_NORMAL, {"gonthier", {{"alpha", -1}}}, "alpha is -1 s/m; allowed is 0 to 1000000"},
        {BR_LAW_NORMAL, {"gonthier", {{"e", 0.5}, {"alpha", 0.1}}}, "needs 'e' (a number or a table"},
        {BR_LAW_NORMAL, {"gonthier", {{"stiffness", 1e6}}}, "or 'alpha', one of them"},
        {BR_LAW_NORMAL, {"hunt-crossley", {{"stiffness", NAN}}}, "needs 'stiffness'"},
        {BR_LAW_NORMAL, {"hunt-crossley", {{"alpha", -0.1}}}, "alpha is -0.1 s/m; allowed is 0 to 1000000"},
        {BR_LAW_NORMAL, {"kelvin-voigt", {{"damping", 1}}}, "the law 'kelvin-voigt' needs 'stiffness'"},
        {BR_LAW_NORMAL, {"kelvin-voigt", {{"stiffness", 0}}}, "stiffness is 0 N/m; allowed is 1e-09 to 1e+18"},
        {BR_LAW_NORMAL, {"kelvin-voigt", {{"stiffness", 1}, {"ramp", 0}}}, "ramp is 0 m; allowed is 1e-12 to 1"},
        {BR_LAW_NORMAL, {"dwell", {{NULL, 0}}}, "no normal law is set"},
        {BR_LAW_FRICTION, {"dwell", {{"mu_s", 0.2}, {"mu_k", 0.3}}}, "mu_s = 0.2 must not be below mu_k = 0.3"},
        {BR_LAW_FRICTION, {"dwell", {{"mu_s", 0.2}}}, "needs 'mu_k' (coefficient of sliding friction)"},
        {BR_LAW_FRICTION,
         {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}, {"sigma_1", 0}}},
         "sigma_1 is 0 N s/m; allowed is 1e-12 to 1e+15"},
        {BR_LAW_FRICTION,
         {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}, {"sigma_0", -1}}},
         "sigma_0 is -1 N/m; allowed is 1e-09 to 1e+15"},
        {BR_LAW_FRICTION,
         {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}, {"tau_dw", 0}}},
         "tau_dw is 0 s; allowed is 1e-09 to 1e+09"},
        {BR_LAW_FRICTION,
         {"dwell", {{"mu_s", 0.3}, {"mu_k", 0.3}, {"windup", 0.5}}},
         "windup is 0.5; it is the number of a word"},
        {BR_LAW_FRICTION, {"tanh", {{"mu", 0.3}, {"gamma", 0}}}, "gamma is 0 m/s; allowed is 1e-12 to 1000000"},
        {BR_LAW_FRICTION, {"tanh", {{"mu", -1}}}, "mu is -1; allowed is 0 to 1000000"},
        {BR_LAW_FRICTION,
         {"coulomb-compliant", {{"mu", 1}, {"stiffness", 1}, {"damping", 0}}},
         "damping is 0 N s/m; allowed is 1e-12 to 1e+18"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Given *given = &cases[i].given;
        bool other = !br_law_find(cases[i].kind, given->law); /* one of the other kind */
        BrLaw law = make_law(other ? !cases[i].kind : cases[i].kind, given);
        refuse(cases[i].kind, &law, cases[i].says);
    }
}

static void senseless_tables_are_refused(void **unused) {
    (void)unused;
    const struct {
        double point[6];
        const char *says;
    } cases[] = {
        {{0, 0.9, 2, 0.5, 1, 0.4}, "the speed 1 m/s; speeds must not be negative and must grow"},
        {{0, 0.9, 1, 0.5, 1, 0.4}, "the speed 1 m/s"},
        {{-1, 0.9, 1, 0.5, 2, 0.4}, "the speed -1 m/s"},
        {{0, 0.9, 1, 0, 2, 0.4}, "e is 0 in the table; allowed is 0.01 to 1"},
        {{0, 1.2, 1, 0.5, 2, 0.4}, "e is 1.2 in the table; allowed is 0.01 to 1"},
        {{0, 0.9, NAN, 0.5, 2, 0.4}, "speeds must not be negative and must grow"},
    };
    BrLaw law = br_law(BR_LAW_NORMAL, "gonthier");
    law.points = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        law.table = cases[i].point;
        refuse(BR_LAW_NORMAL, &law, cases[i].says);
    }
    law.table = (double[]){0, 0.9, 1, 0.5, 2, 0.4};
    assert_int_equal(bri_law_check(NULL, &law, BR_LAW_NORMAL, "test", NULL), BR_OK);
    br_law_set(&law, "e", 0.5);
    refuse(BR_LAW_NORMAL, &law, "one of them");
    br_law_set(&law, "e", NAN);
    law.points = -1;
    refuse(BR_LAW_NORMAL, &law, "-1 points of a table that is not there");
    law.points = 3, law.table = NULL;
    refuse(BR_LAW_NORMAL, &law, "3 points of a table that is not there");
    BrLaw power = make_law(BR_LAW_NORMAL, &(Given){"hunt-crossley", {{"stiffness", 1e6}, {"alpha", 0.1}}});
    power.points = 1, power.table = (double[]){0, 0.5};
    refuse(BR_LAW_NORMAL, &power, "a table, but it takes none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_laws_push_and_take_out),
        cmocka_unit_test(normal_laws_begin_and_end_at_zero),
        cmocka_unit_test(normal_forces_have_their_derivatives),
        cmocka_unit_test(friction_stays_in_its_cone),
        cmocka_unit_test(friction_never_gives_more_than_it_took),
        cmocka_unit_test(friction_keeps_books_along_a_path),
        cmocka_unit_test(friction_is_the_same_in_a_turned_frame),
        cmocka_unit_test(friction_begins_and_ends_with_the_load),
        cmocka_unit_test(damping_factor_is_accurate),
        cmocka_unit_test(restitution_follows_the_speed),
        cmocka_unit_test(impacts_return_the_restitution),
        cmocka_unit_test(slow_impacts_of_hunt_crossley),
        cmocka_unit_test(dwell_is_the_printed_law),
        cmocka_unit_test(literal_dwell_makes_energy),
        cmocka_unit_test(coulomb_holds_and_slides),
        cmocka_unit_test(tanh_creeps),
        cmocka_unit_test(dwell_holds),
        cmocka_unit_test(senseless_values_are_refused),
        cmocka_unit_test(senseless_tables_are_refused),
    };
    return cmocka_run_group_tests_name("compliant laws", tests, NULL, NULL);
}
