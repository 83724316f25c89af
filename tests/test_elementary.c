/* test_elementary.c: the elementary functions against long double libm (64-bit significand on x86-64, so its own error
 * is about 2^-11 of our ulp), the ulp bounds that elementary.h promises, the special values of C99 Annex F, identities,
 * and golden hashes that every compiler, optimisation level and CPU must reproduce. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "math/elementary.h"

/* SAMPLES are per range; every function has two ranges or more. */
enum { SAMPLES = 100000, GOLDEN_SAMPLES = 100000 };

typedef double Unary(double);
typedef double Binary(double, double);
typedef long double LongUnary(long double);
typedef long double LongBinary(long double, long double);

/* ---- inputs, made with integers only ---- */

static uint64_t next_random(uint64_t *state) { /* xorshift64* (Vigna 2016) */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static double make_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t get_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* How inputs are drawn: uniform in [low, high], or the exponent uniform in [low, high] and any sign or positive. */
typedef enum { UNIFORM, EXPONENT, POSITIVE_EXPONENT } Draw;

typedef struct {
    Draw draw;
    double low, high;
} Range;

static double draw_input(Range range, uint64_t *state) {
    uint64_t random = next_random(state);
    if (range.draw == UNIFORM) return range.low + (range.high - range.low) * ((double)(random >> 11) * 0x1p-53);
    int first = (int)range.low, count = (int)range.high - first + 1;
    int exponent = first + (int)(next_random(state) % (uint64_t)count);
    uint64_t sign = range.draw == EXPONENT ? random & (UINT64_C(1) << 63) : 0;
    uint64_t fraction = random >> 11 & 0xfffffffffffff;
    if (exponent < -1022) return make_double(sign | fraction >> (-1022 - exponent)); /* subnormal */
    return make_double(sign | (uint64_t)(exponent + 1023) << 52 | fraction);
}

/* ---- error in ulp ---- */

static double measure_ulps(double result, long double reference) {
    if (isnan(reference)) return isnan(result) ? 0.0 : INFINITY;
    if (isinf((double)reference)) return result == (double)reference ? 0.0 : INFINITY;
    if (reference == 0.0L) return result == 0.0 ? 0.0 : INFINITY;
    int exponent;
    frexpl(reference, &exponent);
    long double ulp = ldexpl(1.0L, exponent - 53 < -1074 ? -1074 : exponent - 53);
    long double error = fabsl((long double)result - reference) / ulp;
    return isnan(error) ? INFINITY : (double)error;
}

static void check_bound(const char *name, double worst, double x, double y, double bound) {
    print_message("    %-6s %.4f ulp at %a, %a\n", name, worst, x, y);
    if (!(worst < bound)) fail_msg("%s: %.4f ulp at %a, %a; allowed below %g", name, worst, x, y, bound);
}

static void check_unary(const char *name, Unary *f, LongUnary *reference, Range range, double bound) {
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    double worst = 0.0, where = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = draw_input(range, &state), ulps = measure_ulps(f(x), reference(x));
        if (ulps > worst) {
            worst = ulps;
            where = x;
        }
    }
    check_bound(name, worst, where, 0.0, bound);
}

static void check_binary(const char *name, Binary *f, LongBinary *reference, Range first, Range second, double bound) {
    uint64_t state = UINT64_C(0xd1b54a32d192ed03);
    double worst = 0.0, where_x = 0.0, where_y = 0.0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = draw_input(first, &state), y = draw_input(second, &state);
        long double expected = reference(x, y);
        /* The bound of pow holds where its result is normal. */
        if (f == bri_pow && fabsl(expected) < 0x1p-1022L) continue;
        double ulps = measure_ulps(f(x, y), expected);
        if (ulps > worst) {
            worst = ulps;
            where_x = x;
            where_y = y;
        }
    }
    check_bound(name, worst, where_x, where_y, bound);
}

static const Range QUARTER = {UNIFORM, -0.79, 0.79};
static const Range TURNS = {UNIFORM, -1000.0, 1000.0};
static const Range ANY_ANGLE = {EXPONENT, -1074, 51};
static const Range LARGE_ANGLE = {EXPONENT, 18, 51};
static const Range ANY = {EXPONENT, -1074, 1023};
static const Range ANY_POSITIVE = {POSITIVE_EXPONENT, -1074, 1023};
static const Range MODEST = {EXPONENT, -30, 10};
static const Range UNIT = {UNIFORM, -1.0, 1.0};
static const Range SMALL = {EXPONENT, -1074, -1};

static void test_sine_cosine_tangent(void **unused) {
    (void)unused;
    const Range ranges[] = {QUARTER, TURNS, ANY_ANGLE, LARGE_ANGLE};
    for (int i = 0; i < BRI_COUNT(ranges); i++) {
        check_unary("sin", bri_sin, sinl, ranges[i], 1.0);
        check_unary("cos", bri_cos, cosl, ranges[i], 1.0);
        check_unary("tan", bri_tan, tanl, ranges[i], 2.0);
    }
}

/* Doubles below 2^52 that lie closest to a multiple of pi/2, from the continued fraction of 2^e / (pi/2). The distance
 * is 2^-60.5 for the first: almost everything cancels in the reduction. */
static void test_angles_near_multiples_of_half_pi(void **unused) {
    (void)unused;
    const double hard[] = {0x1.6c6cbc45dc8dep5,  0x1.6c6cbc45dc8dep6,  0x1.b951f1572eba5p23,
                           0x1.6c6cbc45dc8dep7,  0x1.b951f1572eba5p24, 0x1.6c6cbc45dc8dep8,
                           0x1.b951f1572eba5p25, 0x1.b951f1572eba5p26, 0x1.065c829d68730p39};
    for (int i = 0; i < BRI_COUNT(hard); i++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            double x = sign * hard[i];
            assert_true(measure_ulps(bri_sin(x), sinl(x)) < 1.0);
            assert_true(measure_ulps(bri_cos(x), cosl(x)) < 1.0);
            assert_true(measure_ulps(bri_tan(x), tanl(x)) < 2.0);
        }
    }
    /* The doubles around k pi/4, where the quadrant changes, for k to 2^31 and beyond in growing steps. */
    for (int64_t k = 1; k < INT64_C(5000000000000000); k += 1 + k / 50) {
        double x = (double)((long double)k * 0.785398163397448309615660845819875721L);
        double around[] = {nextafter(x, 0.0), x, nextafter(x, INFINITY)};
        for (int i = 0; i < 3; i++) {
            if (around[i] >= 0x1p52) continue;
            assert_true(measure_ulps(bri_sin(around[i]), sinl(around[i])) < 1.0);
            assert_true(measure_ulps(bri_cos(around[i]), cosl(around[i])) < 1.0);
        }
    }
}

static void test_inverse_functions(void **unused) {
    (void)unused;
    const Range ranges[] = {UNIT, SMALL, {UNIFORM, 0.9999, 1.0}, {UNIFORM, -1.0, -0.9999}, {UNIFORM, 0.7, 0.71}};
    for (int i = 0; i < BRI_COUNT(ranges); i++) {
        check_unary("asin", bri_asin, asinl, ranges[i], 2.0);
        check_unary("acos", bri_acos, acosl, ranges[i], 2.0);
        check_unary("atan", bri_atan, atanl, ranges[i], 1.0);
    }
    check_unary("atan", bri_atan, atanl, ANY, 1.0);
    check_unary("atan", bri_atan, atanl, MODEST, 1.0);
    check_unary("atan", bri_atan, atanl, (Range){UNIFORM, -8.0, 8.0}, 1.0);
    check_binary("atan2", bri_atan2, atan2l, UNIT, UNIT, 1.0);
    check_binary("atan2", bri_atan2, atan2l, MODEST, MODEST, 1.0);
    check_binary("atan2", bri_atan2, atan2l, ANY, ANY, 1.0);
    check_binary("atan2", bri_atan2, atan2l, (Range){EXPONENT, -1074, -1060}, (Range){EXPONENT, -1074, -1060}, 1.0);
    check_binary("atan2", bri_atan2, atan2l, (Range){EXPONENT, 1000, 1023}, (Range){EXPONENT, 990, 1023}, 1.0);
}

static void test_exp_log_tanh(void **unused) {
    (void)unused;
    check_unary("exp", bri_exp, expl, (Range){UNIFORM, -708.0, 709.8}, 1.0);
    check_unary("exp", bri_exp, expl, (Range){UNIFORM, -746.0, -708.0}, 1.0);
    check_unary("exp", bri_exp, expl, UNIT, 1.0);
    check_unary("exp", bri_exp, expl, (Range){EXPONENT, -1074, 9}, 1.0);
    check_unary("log", bri_log, logl, ANY_POSITIVE, 1.0);
    check_unary("log", bri_log, logl, (Range){UNIFORM, 0.5, 2.0}, 1.0);
    check_unary("log", bri_log, logl, (Range){UNIFORM, 0.99, 1.01}, 1.0);
    check_unary("log", bri_log, logl, (Range){UNIFORM, 1.0 - 0x1p-40, 1.0 + 0x1p-40}, 1.0);
    check_unary("tanh", bri_tanh, tanhl, UNIT, 2.0);
    check_unary("tanh", bri_tanh, tanhl, (Range){UNIFORM, -25.0, 25.0}, 2.0);
    check_unary("tanh", bri_tanh, tanhl, (Range){UNIFORM, 0.12, 0.13}, 2.0);
    check_unary("tanh", bri_tanh, tanhl, ANY, 2.0);
}

static void test_pow(void **unused) {
    (void)unused;
    const Range positive = {POSITIVE_EXPONENT, -30, 10}, near_one = {UNIFORM, 0.99, 1.01};
    check_binary("pow", bri_pow, powl, positive, (Range){UNIFORM, -30.0, 30.0}, 2.0);
    check_binary("pow", bri_pow, powl, ANY_POSITIVE, UNIT, 2.0);
    check_binary("pow", bri_pow, powl, near_one, (Range){UNIFORM, -70000.0, 70000.0}, 2.0);
    check_binary("pow", bri_pow, powl, (Range){UNIFORM, 1.0 - 0x1p-30, 1.0 + 0x1p-30}, (Range){EXPONENT, 30, 39}, 2.0);
    check_binary("pow", bri_pow, powl, ANY_POSITIVE, ANY, 2.0);
    check_binary("pow", bri_pow, powl, ANY, ANY, 2.0);
    /* Whole exponents of negative and positive numbers. */
    uint64_t state = 42;
    for (int i = 0; i < SAMPLES; i++) {
        double x = draw_input((Range){UNIFORM, -20.0, 20.0}, &state), y = (double)(next_random(&state) % 401) - 200.0;
        assert_true(measure_ulps(bri_pow(x, y), powl(x, y)) < 2.0);
    }
    /* A representable power comes out exact: before the last rounding the error is a few hundredths of an ulp. */
    for (int n = -1022; n <= 1023; n++) assert_true(bri_pow(2.0, n) == ldexp(1.0, n));
    for (int n = 0; n <= 22; n++) assert_true(bri_pow(10.0, n) == (double)powl(10.0L, n));
}

/* ---- special values ---- */

static void check_same(double a, double b) {
    if (isnan(b)) {
        assert_true(isnan(a));
    } else if (get_bits(a) != get_bits(b)) {
        fail_msg("%a is not %a", a, b);
    }
}

static const double SPECIAL[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 -0.5,
                                 2.0,
                                 -2.0,
                                 3.0,
                                 -3.0,
                                 2.5,
                                 -2.5,
                                 1e300,
                                 -1e300,
                                 1e-300,
                                 -1e-300,
                                 0x1p-1074,
                                 -0x1p-1074,
                                 0x1p-1022,
                                 -0x1p-1022,
                                 0x1.fffffffffffffp1023,
                                 -0x1.fffffffffffffp1023,
                                 0x1p52,
                                 -0x1p52,
                                 0x1p53,
                                 0x1.fffffffffffffp52,
                                 -0x1.fffffffffffffp52,
                                 0x1.fffffffffffffp-1,
                                 INFINITY,
                                 -INFINITY,
                                 NAN};

static void test_special_values_of_one_argument(void **unused) {
    (void)unused;
    Unary *const odd[] = {bri_sin, bri_tan, bri_asin, bri_atan, bri_tanh};
    for (int i = 0; i < BRI_COUNT(odd); i++) {
        check_same(odd[i](0.0), 0.0);
        check_same(odd[i](-0.0), -0.0);
        check_same(odd[i](0x1p-1074), 0x1p-1074);
        check_same(odd[i](-0x1p-1022), -0x1p-1022);
    }
    Unary *const all[] = {bri_sqrt, bri_abs,  bri_floor, bri_sin, bri_cos, bri_tan,
                          bri_asin, bri_acos, bri_atan,  bri_exp, bri_log, bri_tanh};
    for (int i = 0; i < BRI_COUNT(all); i++) {
        check_same(all[i](NAN), NAN);
        check_same(all[i](-NAN), NAN);
    }
    Unary *const bounded[] = {bri_sin, bri_cos, bri_tan, bri_asin, bri_acos};
    for (int i = 0; i < BRI_COUNT(bounded); i++) {
        const double outside[] = {INFINITY, -INFINITY, 0x1p52, -0x1p52, 1e300};
        for (int j = 0; j < BRI_COUNT(outside); j++) check_same(bounded[i](outside[j]), NAN);
    }
}

static void test_known_values(void **unused) {
    (void)unused;
    check_same(bri_asin(nextafter(1.0, 2.0)), NAN);
    check_same(bri_acos(nextafter(-1.0, -2.0)), NAN);
    check_same(bri_cos(0.0), 1.0);
    check_same(bri_cos(-0.0), 1.0);
    check_same(bri_cos(0x1p-1074), 1.0);
    check_same(bri_asin(1.0), 0x1.921fb54442d18p0);
    check_same(bri_asin(-1.0), -0x1.921fb54442d18p0);
    check_same(bri_acos(1.0), 0.0);
    check_same(bri_acos(0.0), 0x1.921fb54442d18p0);
    check_same(bri_acos(-1.0), 0x1.921fb54442d18p1);
    check_same(bri_atan(INFINITY), 0x1.921fb54442d18p0);
    check_same(bri_atan(-INFINITY), -0x1.921fb54442d18p0);
    check_same(bri_exp(0.0), 1.0);
    check_same(bri_exp(-0.0), 1.0);
    check_same(bri_exp(INFINITY), INFINITY);
    check_same(bri_exp(-INFINITY), 0.0);
    check_same(bri_exp(1e300), INFINITY);
    check_same(bri_exp(-1e300), 0.0);
    check_same(bri_exp(0x1.62e42fefa39efp9), (double)expl(0x1.62e42fefa39efp9L)); /* the largest that is finite */
    check_same(bri_exp(0x1.62e42fefa39fp9), INFINITY);
    check_same(bri_log(0.0), -INFINITY);
    check_same(bri_log(-0.0), -INFINITY);
    check_same(bri_log(1.0), 0.0);
    check_same(bri_log(-1.0), NAN);
    check_same(bri_log(-INFINITY), NAN);
    check_same(bri_log(INFINITY), INFINITY);
    check_same(bri_tanh(INFINITY), 1.0);
    check_same(bri_tanh(-INFINITY), -1.0);
}

static void test_plain_functions(void **unused) {
    (void)unused;
    uint64_t state = 7;
    for (int i = 0; i < SAMPLES; i++) {
        double x = i < BRI_COUNT(SPECIAL) ? SPECIAL[i] : draw_input(i % 2 == 0 ? ANY : MODEST, &state);
        check_same(bri_floor(x), floor(x));
        check_same(bri_abs(x), fabs(x));
        check_same(bri_sqrt(x), sqrt(x));
        assert_true(bri_is_finite(x) == (isfinite(x) != 0));
    }
}

/* libm follows Annex F; where a result is exact by definition (zero, infinite, NaN, one) the bits must agree. */
static void test_special_values_of_two_arguments(void **unused) {
    (void)unused;
    for (int i = 0; i < BRI_COUNT(SPECIAL); i++) {
        for (int j = 0; j < BRI_COUNT(SPECIAL); j++) {
            double x = SPECIAL[i], y = SPECIAL[j], power = pow(x, y), angle = atan2(x, y);
            assert_true(measure_ulps(bri_pow(x, y), power) < 2.0);
            assert_true(measure_ulps(bri_atan2(x, y), angle) < 1.5); /* libm has an error too */
            if (power == 0.0 || power == 1.0) check_same(bri_pow(x, y), power);
            if (x == 0.0 || isinf(x) || y == 0.0 || isinf(y)) check_same(bri_atan2(x, y), angle);
        }
    }
    check_same(bri_pow(NAN, 0.0), 1.0);
    check_same(bri_pow(1.0, NAN), 1.0);
    check_same(bri_pow(NAN, 1.0), NAN);
    check_same(bri_pow(-8.0, 1.0 / 3.0), NAN);
    check_same(bri_pow(-INFINITY, 3.0), -INFINITY);
    check_same(bri_pow(-INFINITY, -3.0), -0.0);
    check_same(bri_pow(-0.0, -3.0), -INFINITY);
    check_same(bri_pow(-1.0, INFINITY), 1.0);
    check_same(bri_pow(2.0, -1074.0), 0x1p-1074);
    check_same(bri_pow(-2.0, 1025.0), -INFINITY);
    check_same(bri_pow(-2.0, -1101.0), -0.0);
}

/* ---- identities ---- */

static void test_symmetries_are_exact(void **unused) {
    (void)unused;
    uint64_t state = 11;
    for (int i = 0; i < SAMPLES; i++) {
        double x = draw_input(i % 2 == 0 ? ANY_ANGLE : TURNS, &state), y = draw_input(MODEST, &state);
        double sine, cosine;
        bri_sincos(x, &sine, &cosine);
        check_same(bri_sin(x), sine);
        check_same(bri_cos(x), cosine);
        check_same(bri_sin(-x), -sine);
        check_same(bri_cos(-x), cosine);
        check_same(bri_tan(-x), -bri_tan(x));
        check_same(bri_atan(-y), -bri_atan(y));
        check_same(bri_atan2(-x, y), -bri_atan2(x, y));
        check_same(bri_tanh(-y), -bri_tanh(y));
        assert_true(bri_abs(sine) <= 1.0 && bri_abs(cosine) <= 1.0);
        /* Each square carries 2 * 1 ulp of a number up to 1: 2^-52 each, and the sum's own rounding. */
        assert_true(bri_abs(sine * sine + cosine * cosine - 1.0) <= 4 * 0x1p-53);
    }
}

static void test_inverses_undo(void **unused) {
    (void)unused;
    uint64_t state = 13;
    for (int i = 0; i < SAMPLES; i++) {
        double x = draw_input(UNIT, &state), a = 3.14 * x;
        /* log amplifies the rounding of exp, half an ulp of e^x, to 2^-53 absolute; then its own ulp. */
        assert_true(bri_abs(bri_log(bri_exp(x)) - x) <= 3 * 0x1p-53);
        assert_true(bri_abs(bri_atan2(bri_sin(a), bri_cos(a)) - a) <= 8 * 0x1p-53);
        assert_true(bri_abs(bri_asin(x) + bri_acos(x) - 0x1.921fb54442d18p0) <= 8 * 0x1p-53);
    }
}

/* ---- golden hashes ---- */

static uint64_t hash_unary(Unary *f, Range first, Range second) {
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d), hash = 0;
    for (int i = 0; i < GOLDEN_SAMPLES; i++) {
        double x = i < BRI_COUNT(SPECIAL) ? SPECIAL[i] : draw_input(i % 2 == 0 ? first : second, &state);
        double result = f(x);
        hash = bri_hash(&result, sizeof result, hash);
    }
    return hash;
}

static uint64_t hash_binary(Binary *f, Range first, Range second) {
    uint64_t state = UINT64_C(0x2545f4914f6cdd1d), hash = 0;
    for (int i = 0; i < GOLDEN_SAMPLES; i++) {
        int special = i < BRI_COUNT(SPECIAL) * BRI_COUNT(SPECIAL);
        double x = special ? SPECIAL[i / BRI_COUNT(SPECIAL)] : draw_input(i % 2 == 0 ? first : ANY, &state);
        double y = special ? SPECIAL[i % BRI_COUNT(SPECIAL)] : draw_input(i % 2 == 0 ? second : ANY, &state);
        double result = f(x, y);
        hash = bri_hash(&result, sizeof result, hash);
    }
    return hash;
}

static int compare_hash(const char *name, uint64_t hash, uint64_t golden) {
    if (hash == golden) return 0;
    print_error("%s: hash 0x%016llx, expected 0x%016llx\n", name, (unsigned long long)hash, (unsigned long long)golden);
    return 1;
}

/* These change only together with BR_NUMERICS_VERSION. */
static void test_golden_hashes(void **unused) {
    (void)unused;
    const Range exponents = {UNIFORM, -750.0, 720.0}, positive = {POSITIVE_EXPONENT, -30, 10};
    const struct {
        const char *name;
        Unary *f;
        Range first, second;
        uint64_t golden;
    } unary[] = {
        {"sqrt", bri_sqrt, ANY, MODEST, UINT64_C(0xaf4a7dc10d17813c)},
        {"floor", bri_floor, ANY, MODEST, UINT64_C(0x61b6821ff517a6ae)},
        {"sin", bri_sin, TURNS, ANY_ANGLE, UINT64_C(0x55b4b763841abeb8)},
        {"cos", bri_cos, TURNS, ANY_ANGLE, UINT64_C(0x3e2aa2304ee75924)},
        {"tan", bri_tan, TURNS, ANY_ANGLE, UINT64_C(0xa4b6605dcad9fd2a)},
        {"asin", bri_asin, UNIT, SMALL, UINT64_C(0xb7c4176e1ed91c7a)},
        {"acos", bri_acos, UNIT, SMALL, UINT64_C(0x4d33b693ad862124)},
        {"atan", bri_atan, MODEST, ANY, UINT64_C(0xea435c5531198fc8)},
        {"exp", bri_exp, exponents, MODEST, UINT64_C(0x0f263713c80a2e80)},
        {"log", bri_log, positive, ANY_POSITIVE, UINT64_C(0x6cb915aea18d5d57)},
        {"tanh", bri_tanh, UNIT, MODEST, UINT64_C(0xc1dc421a7f8bd012)},
    };
    int failures = 0;
    for (int i = 0; i < BRI_COUNT(unary); i++) {
        uint64_t hash = hash_unary(unary[i].f, unary[i].first, unary[i].second);
        failures += compare_hash(unary[i].name, hash, unary[i].golden);
    }
    failures += compare_hash("atan2", hash_binary(bri_atan2, MODEST, MODEST), UINT64_C(0x3e92c7bc076d03d0));
    failures += compare_hash("pow", hash_binary(bri_pow, positive, (Range){UNIFORM, -30.0, 30.0}),
                             UINT64_C(0xd121d15e9af06e47));
    assert_int_equal(failures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine_cosine_tangent),
        cmocka_unit_test(test_angles_near_multiples_of_half_pi),
        cmocka_unit_test(test_inverse_functions),
        cmocka_unit_test(test_exp_log_tanh),
        cmocka_unit_test(test_pow),
        cmocka_unit_test(test_special_values_of_one_argument),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_plain_functions),
        cmocka_unit_test(test_special_values_of_two_arguments),
        cmocka_unit_test(test_symmetries_are_exact),
        cmocka_unit_test(test_inverses_undo),
        cmocka_unit_test(test_golden_hashes),
    };
    return cmocka_run_group_tests_name("elementary", tests, NULL, NULL);
}
