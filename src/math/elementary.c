/* elementary.c: sin, cos, tan, their inverses, exp, log, tanh and pow in + - * / and sqrt only.
 *
 * A Pair is an unevaluated sum hi + lo. Exact sums and products follow Knuth (two-sum), Dekker (two-product) and
 * Veltkamp (split) [Dekker 1971, Numer. Math. 18]. Round-to-nearest and no contraction are assumed. With them:
 *   sin, cos    x = k pi/2 + r, |r| <= pi/4, r a Pair; k selects the quadrant
 *               sin r = r + r z S(z),  cos r = 1 - z/2 + z^2 C(z),  z = r^2
 *   tan         sin / cos, both as Pairs
 *   atan2       q = min / max = n / d, c = j/16 nearest to q, t = (n - c d) / (d + c n), |t| <= 1/32
 *               atan q = atan c + t + t z A(z),  z = t^2
 *   asin, acos  the angle of the point (sqrt(1 - x^2), x) or (x, sqrt(1 - x^2)), the root as a Pair
 *   exp         x = (32 m + j) ln2/32 + r, |r| <= ln2/64;  e^x = 2^m 2^(j/32) (1 + r + r^2 E(r))
 *   log         x = 2^e m, sqrt(1/2) < m <= sqrt(2), c = j/32 nearest to m, s = (m - c) / (m + c), |s| < 1/88
 *               log x = e ln2 + log c + 2 s + s z L(z),  z = s^2; relative error near 2^-66 as a Pair
 *   tanh        |x| < 1/8: x + x z T(z), z = x^2;  else 1 - 2 / (e^(2x) + 1)
 *   pow         x^y = exp(y log x), the logarithm and the product as Pairs
 * S C A E L T interpolate their function at the Chebyshev nodes of the interval, solved in 600-bit arithmetic (mpmath)
 * and rounded to double; what the fit adds is below 2^-57 of the result.
 * Tables and split constants are the exact values cut or rounded to the stated bits by the same program.
 *
 * NaN results are always the one positive quiet NaN, so that their bits agree too. pow follows C99 Annex F, where
 * pow(x, 0) = 1 and pow(1, y) = 1 even for NaN. */
#include "math/elementary.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles must be evaluated as doubles");

typedef struct {
    double hi, lo;
} Pair;

#define NOT_A_NUMBER __builtin_nan("")
#define INFINITE     __builtin_inf()

static const double PI_OVER_4 = 0x1.921fb54442d18p-1;
static const Pair PI = {0x1.921fb54442d18p1, 0x1.1a62633145c07p-53};
static const Pair HALF_PI = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
static const Pair TWO_OVER_PI = {0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55};
/* pi/2 in parts of 33 bits, times k < 2^20 exact; and of 53 bits. Four each: x may come within 2^-60 of k pi/2. */
static const double HALF_PI_33[4] = {0x1.921fb544p0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69, 0x1.b839a252049c1p-104};
static const double HALF_PI_53[4] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110,
                                     0x1.4cf98e804177dp-164};
/* First part cut to 36 bits (times |k| < 2^17 exact) and 42 bits (times |e| < 2^11 exact). */
static const Pair LN2_OVER_32 = {0x1.62e42fefap-6, 0x1.cf79abc9e3b3ap-45};
static const Pair LN2 = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45};
static const double THIRTY_TWO_OVER_LN2 = 0x1.71547652b82fep5;

/* atan(j/16), j = 0..16 */
static const Pair ATAN_TABLE[17] = {{0.0, 0.0},
                                    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
                                    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
                                    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
                                    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
                                    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                    {0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56},
                                    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
                                    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
                                    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
                                    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
/* 2^(j/32), j = 0..31 */
static const Pair EXP_TABLE[32] = {{0x1p0, 0.0},
                                   {0x1.059b0d3158574p0, 0x1.d73e2a475b465p-55},
                                   {0x1.0b5586cf9890fp0, 0x1.8a62e4adc610bp-54},
                                   {0x1.11301d0125b51p0, -0x1.6c51039449b3ap-54},
                                   {0x1.172b83c7d517bp0, -0x1.19041b9d78a76p-55},
                                   {0x1.1d4873168b9aap0, 0x1.e016e00a2643cp-54},
                                   {0x1.2387a6e756238p0, 0x1.9b07eb6c70573p-54},
                                   {0x1.29e9df51fdee1p0, 0x1.612e8afad1255p-55},
                                   {0x1.306fe0a31b715p0, 0x1.6f46ad23182e4p-55},
                                   {0x1.371a7373aa9cbp0, -0x1.63aeabf42eae2p-54},
                                   {0x1.3dea64c123422p0, 0x1.ada0911f09ebcp-55},
                                   {0x1.44e086061892dp0, 0x1.89b7a04ef80dp-59},
                                   {0x1.4bfdad5362a27p0, 0x1.d4397afec42e2p-56},
                                   {0x1.5342b569d4f82p0, -0x1.07abe1db13cadp-55},
                                   {0x1.5ab07dd485429p0, 0x1.6324c054647adp-54},
                                   {0x1.6247eb03a5585p0, -0x1.383c17e40b497p-54},
                                   {0x1.6a09e667f3bcdp0, -0x1.bdd3413b26456p-54},
                                   {0x1.71f75e8ec5f74p0, -0x1.16e4786887a99p-55},
                                   {0x1.7a11473eb0187p0, -0x1.41577ee04992fp-55},
                                   {0x1.82589994cce13p0, -0x1.d4c1dd41532d8p-54},
                                   {0x1.8ace5422aa0dbp0, 0x1.6e9f156864b27p-54},
                                   {0x1.93737b0cdc5e5p0, -0x1.75fc781b57ebcp-57},
                                   {0x1.9c49182a3f09p0, 0x1.c7c46b071f2bep-56},
                                   {0x1.a5503b23e255dp0, -0x1.d2f6edb8d41e1p-54},
                                   {0x1.ae89f995ad3adp0, 0x1.7a1cd345dcc81p-54},
                                   {0x1.b7f76f2fb5e47p0, -0x1.5584f7e54ac3bp-56},
                                   {0x1.c199bdd85529cp0, 0x1.11065895048ddp-55},
                                   {0x1.cb720dcef9069p0, 0x1.503cbd1e949dbp-56},
                                   {0x1.d5818dcfba487p0, 0x1.2ed02d75b3707p-55},
                                   {0x1.dfc97337b9b5fp0, -0x1.1a5cd4f184b5cp-54},
                                   {0x1.ea4afa2a490dap0, -0x1.e9c23179c2893p-54},
                                   {0x1.f50765b6e454p0, 0x1.9d3e12dd8a18bp-54}};
/* log(j/32), j = 23..45 */
enum { LOG_TABLE_FIRST = 23 };
static const Pair LOG_TABLE[23] = {
    {-0x1.522ae0738a3d8p-2, 0x1.8f7e9b38a6979p-57},  {-0x1.269621134db92p-2, -0x1.e0efadd9db02bp-56},
    {-0x1.f991c6cb3b379p-3, -0x1.f665066f980a2p-57}, {-0x1.a93ed3c8ad9e3p-3, -0x1.bcafa9de97203p-57},
    {-0x1.5bf406b543db2p-3, 0x1.1f5b44c0df7e7p-61},  {-0x1.1178e8227e47cp-3, 0x1.0e63a5f01c691p-58},
    {-0x1.9335e5d594989p-4, 0x1.478a85704ccb7p-58},  {-0x1.08598b59e3a07p-4, 0x1.dd7009902bf32p-58},
    {-0x1.0415d89e74444p-5, -0x1.c05cf1d753622p-59}, {0.0, 0.0},
    {0x1.f829b0e7833p-6, 0x1.33e3f04f1ef23p-60},     {0x1.f0a30c01162a6p-5, 0x1.85f325c5bbacdp-59},
    {0x1.6f0d28ae56b4cp-4, -0x1.906d99184b992p-58},  {0x1.e27076e2af2e6p-4, -0x1.61578001e0162p-60},
    {0x1.29552f81ff523p-3, 0x1.301771c407dbfp-57},   {0x1.5ff3070a793d4p-3, -0x1.bc60efafc6f6ep-58},
    {0x1.9525a9cf456b4p-3, 0x1.d904c1d4e2e26p-57},   {0x1.c8ff7c79a9a22p-3, -0x1.4f689f8434012p-57},
    {0x1.fb9186d5e3e2bp-3, -0x1.caaae64f21acbp-57},  {0x1.1675cababa60ep-2, 0x1.ce63eab883717p-61},
    {0x1.2e8e2bae11d31p-2, -0x1.8f4cdb95ebdf9p-56},  {0x1.4618bc21c5ec2p-2, 0x1.f42decdeccf1dp-56},
    {0x1.5d1bdbf5809cap-2, 0x1.4236383dc7fe1p-56}};

static uint64_t get_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double make_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_negative(double x) { return get_bits(x) >> 63 != 0; }

/* |magnitude| with the sign of x; magnitude >= 0 */
static double give_sign(double magnitude, double x) {
    return make_double(get_bits(magnitude) | (get_bits(x) & (UINT64_C(1) << 63)));
}

/* x 2^n for |n| <= 1100, rounded once when |x| is in [1/2, 4] or the result is normal. */
static double scale_by_power(double x, int n) {
    double last = n > 1000 ? 0x1p100 : n < -1000 ? 0x1p-100 : 1.0;
    int first = n > 1000 ? n - 100 : n < -1000 ? n + 100 : n;
    return x * make_double((uint64_t)(first + 1023) << 52) * last;
}

/* ---- pairs ---- */

static inline Pair add_ordered(double a, double b) { /* exact when |a| >= |b| or a = 0 */
    double sum = a + b;
    return (Pair){sum, b - (sum - a)};
}

static inline Pair add_exact(double a, double b) {
    double sum = a + b, b_part = sum - a;
    return (Pair){sum, (a - (sum - b_part)) + (b - b_part)};
}

static inline Pair split_in_half(double a) { /* 26 bits each; |a| < 2^996 */
    double t = 0x1.0000002p27 * a, hi = t - (t - a);
    return (Pair){hi, a - hi};
}

static inline Pair multiply_exact(double a, double b) {
    double product = a * b;
    Pair x = split_in_half(a), y = split_in_half(b);
    return (Pair){product, ((x.hi * y.hi - product) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

static inline Pair divide_pairs(Pair n, Pair d) {
    double quotient = n.hi / d.hi;
    Pair back = multiply_exact(quotient, d.hi);
    return (Pair){quotient, (((n.hi - back.hi) - back.lo) + (n.lo - quotient * d.lo)) / d.hi};
}

static inline Pair add_to_pair(Pair p, double a) {
    Pair sum = add_exact(p.hi, a);
    return add_exact(sum.hi, sum.lo + p.lo);
}

static inline Pair multiply_pair(Pair p, double power_of_two) {
    return (Pair){p.hi * power_of_two, p.lo * power_of_two}; /* exact; the sign is free */
}

/* ---- the plain ones ---- */

double bri_floor(double x) {
    if (!(bri_abs(x) < 0x1p52)) return x;
    double whole = (double)(int64_t)x;
    return whole == x ? x : whole > x ? whole - 1.0 : whole; /* x itself keeps the sign of zero */
}

/* ---- sine, cosine, tangent ---- */

/* r with x = k pi/2 + r, for pi/4 < |x| < 2^52. */
static Pair reduce_angle(double x, int *quadrant) {
    if (bri_abs(x) < 0x1p20) {
        double k = (x * TWO_OVER_PI.hi + 0x1.8p52) - 0x1.8p52;
        *quadrant = (int)k & 3;
        Pair a = add_exact(x - k * HALF_PI_33[0], -k * HALF_PI_33[1]);
        Pair b = add_exact(a.hi, -k * HALF_PI_33[2]);
        return add_ordered(b.hi, (b.lo + a.lo) - k * HALF_PI_33[3]);
    }
    /* k needs more than 53 bits of x * 2/pi to be the nearest integer. */
    Pair turns = multiply_exact(x, TWO_OVER_PI.hi);
    double k = bri_floor(turns.hi);
    k += bri_floor(((turns.hi - k) + (turns.lo + x * TWO_OVER_PI.lo)) + 0.5);
    *quadrant = (int)((int64_t)k & 3);
    /* All terms of the first two parts are multiples of 2^-106 and their sums fit a Pair: no error until the third. */
    Pair r = {x, 0.0};
    for (int i = 0; i < 4; i++) {
        Pair part = multiply_exact(k, HALF_PI_53[i]);
        r = add_to_pair(add_to_pair(r, -part.hi), -part.lo);
    }
    return r;
}

static inline Pair evaluate_sine(Pair r) {
    double z = r.hi * r.hi;
    double S = -0x1.ae64541295cdfp-26 + z * (0x1.61217ee5cca1bp-33 + z * -0x1.ab17bdcbd3414p-41);
    S = -0x1.a01a01a019937p-13 + z * (0x1.71de3a54607a5p-19 + z * S);
    S = -0x1.5555555555555p-3 + z * (0x1.111111111111p-7 + z * S);
    return add_ordered(r.hi, r.hi * (z * S) + r.lo * (1.0 - 0.5 * z));
}

static inline Pair evaluate_cosine(Pair r) {
    double z = r.hi * r.hi, half = 0.5 * z, head = 1.0 - half;
    double C = -0x1.27e4fa17bf139p-22 + z * (0x1.1eeb68cd22f56p-29 + z * -0x1.907d8f29fe831p-37);
    C = 0x1.5555555555555p-5 + z * (-0x1.6c16c16c16967p-10 + z * (0x1.a01a019f4e9b4p-16 + z * C));
    return add_ordered(head, ((1.0 - head) - half) + (z * z * C - r.hi * r.lo));
}

static inline void evaluate_sincos(double x, Pair *sine, Pair *cosine) {
    double size = bri_abs(x);
    if (size <= PI_OVER_4) {
        Pair r = {x, 0.0};
        *sine = size < 0x1p-27 ? r : evaluate_sine(r); /* keeps -0 */
        *cosine = evaluate_cosine(r);
        return;
    }
    if (!(size < 0x1p52)) {
        *sine = *cosine = (Pair){NOT_A_NUMBER, 0.0};
        return;
    }
    int quadrant;
    Pair r = reduce_angle(x, &quadrant);
    Pair s = evaluate_sine(r), c = evaluate_cosine(r);
    bool swap = (quadrant & 1) != 0;
    double sine_sign = (quadrant & 2) != 0 ? -1.0 : 1.0, cosine_sign = ((quadrant + 1) & 2) != 0 ? -1.0 : 1.0;
    *sine = multiply_pair(swap ? c : s, sine_sign);
    *cosine = multiply_pair(swap ? s : c, cosine_sign);
}

void bri_sincos(double x, double *sine, double *cosine) {
    Pair s, c;
    evaluate_sincos(x, &s, &c);
    *sine = s.hi;
    *cosine = c.hi;
}

double bri_sin(double x) {
    Pair s, c;
    evaluate_sincos(x, &s, &c);
    return s.hi;
}

double bri_cos(double x) {
    Pair s, c;
    evaluate_sincos(x, &s, &c);
    return c.hi;
}

double bri_tan(double x) {
    if (bri_abs(x) < 0x1p-27) return x;
    if (!(bri_abs(x) < 0x1p52)) return NOT_A_NUMBER;
    Pair s, c;
    evaluate_sincos(x, &s, &c);
    Pair t = divide_pairs(s, c);
    return t.hi + t.lo;
}

/* ---- inverse tangent, sine, cosine ---- */

/* atan(n / d) for 2^-60 <= q <= 1, where q is n / d to within rounding. */
static Pair evaluate_atan(Pair n, Pair d, double q) {
    double scale = d.hi > 0x1p500 ? 0x1p-600 : d.hi < 0x1p-400 ? 0x1p600 : 1.0;
    n = multiply_pair(n, scale);
    d = multiply_pair(d, scale);
    int j = (int)(16.0 * q + 0.5);
    double c = j / 16.0;
    Pair cd = multiply_exact(c, d.hi), cn = multiply_exact(c, n.hi);
    Pair above = add_exact(n.hi, -cd.hi), below = add_exact(d.hi, cn.hi);
    above.lo += n.lo - (cd.lo + c * d.lo);
    below.lo += d.lo + (cn.lo + c * n.lo);
    Pair t = divide_pairs(above, below);
    double z = t.hi * t.hi;
    double A = -0x1.249249223ff19p-3 + z * (0x1.c71c40f64f76bp-4 + z * -0x1.738b90b97ca14p-4);
    A = -0x1.5555555555555p-2 + z * (0x1.999999999985dp-3 + z * A);
    Pair sum = add_exact(ATAN_TABLE[j].hi, t.hi);
    return (Pair){sum.hi, sum.lo + (ATAN_TABLE[j].lo + (t.lo + t.hi * (z * A)))};
}

/* The angle in [0, pi] of the point (x, y), or (-x, y) when `left`; x, y >= 0 and not both infinite. */
static double find_angle(Pair y, Pair x, bool left) {
    bool steep = y.hi > x.hi;
    Pair n = steep ? x : y, d = steep ? y : x;
    double q = d.hi > 0.0 ? n.hi / d.hi : 0.0;
    Pair a = q < 0x1p-60 ? (Pair){q, 0.0} : evaluate_atan(n, d, q);
    if (!left && !steep) return a.hi + a.lo;
    Pair base = steep ? HALF_PI : PI;
    double sign = left && steep ? 1.0 : -1.0;
    Pair sum = add_exact(base.hi, sign * a.hi);
    return sum.hi + (sum.lo + (base.lo + sign * a.lo));
}

double bri_atan2(double y, double x) {
    if (x != x || y != y) return NOT_A_NUMBER;
    Pair p = {bri_abs(x), 0.0}, q = {bri_abs(y), 0.0};
    if (!bri_is_finite(x) && !bri_is_finite(y)) p.hi = q.hi = 1.0;
    return give_sign(find_angle(q, p, is_negative(x)), y);
}

double bri_atan(double x) { return bri_atan2(x, 1.0); }

/* sqrt(1 - x^2) for |x| <= 1 */
static Pair find_other_side(double x) {
    Pair square = multiply_exact(x, x);
    Pair rest = add_exact(1.0, -square.hi);
    rest = add_ordered(rest.hi, rest.lo - square.lo);
    if (!(rest.hi > 0.0)) return (Pair){0.0, 0.0};
    double root = __builtin_sqrt(rest.hi);
    Pair back = multiply_exact(root, root);
    return (Pair){root, (((rest.hi - back.hi) - back.lo) + rest.lo) / (2.0 * root)};
}

double bri_asin(double x) {
    if (!(bri_abs(x) <= 1.0)) return NOT_A_NUMBER;
    return give_sign(find_angle((Pair){bri_abs(x), 0.0}, find_other_side(x), false), x);
}

double bri_acos(double x) {
    if (!(bri_abs(x) <= 1.0)) return NOT_A_NUMBER;
    return find_angle(find_other_side(x), (Pair){bri_abs(x), 0.0}, is_negative(x));
}

/* ---- exponential, logarithm, hyperbolic tangent, power ---- */

/* e^(x.hi + x.lo) = (hi + lo) 2^power for |x.hi| <= 1000; relative error near 2^-59. */
static inline Pair evaluate_exp(Pair x, int *power) {
    double k = (x.hi * THIRTY_TWO_OVER_LN2 + 0x1.8p52) - 0x1.8p52;
    double r = (x.hi - k * LN2_OVER_32.hi) + (x.lo - k * LN2_OVER_32.lo);
    double E = 0x1.555555555191p-5 + r * (0x1.11114faa79fd2p-7 + r * 0x1.6c1700057e56ap-10);
    E = 0.5 + r * (0x1.555555554dccap-3 + r * E);
    int j = (int)k & 31;
    *power = ((int)k - j) / 32;
    Pair t = EXP_TABLE[j];
    return add_ordered(t.hi, t.lo + t.hi * (r + r * r * E));
}

static double finish_exp(Pair x) {
    if (x.hi > 710.0) return INFINITE;
    if (x.hi < -746.0) return 0.0;
    int power;
    Pair e = evaluate_exp(x, &power);
    return scale_by_power(e.hi, power);
}

double bri_exp(double x) { return x != x ? NOT_A_NUMBER : finish_exp((Pair){x, 0.0}); }

/* log x for finite x > 0 */
static Pair evaluate_log(double x) {
    int e = -1023;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        e -= 54;
    }
    uint64_t bits = get_bits(x);
    e += (int)(bits >> 52);
    double m = make_double((bits & 0xfffffffffffff) | UINT64_C(1023) << 52);
    if (m > 0x1.6a09e667f3bcdp0) { /* sqrt(2): e = 0 for x near 1, so that nothing cancels */
        m *= 0.5;
        e++;
    }
    int j = (int)(32.0 * m + 0.5);
    double c = j / 32.0;
    Pair log_c = LOG_TABLE[j - LOG_TABLE_FIRST];
    Pair s = divide_pairs((Pair){m - c, 0.0}, add_exact(m, c));
    double z = s.hi * s.hi;
    double L = 0x1.24924924936cap-2 + z * (0x1.c71c71063e7b4p-3 + z * 0x1.74772293534f5p-3);
    L = 0x1.5555555555555p-1 + z * (0x1.999999999999ap-2 + z * L);
    /* From large to small, every rounding error kept. */
    Pair a = add_exact(e * LN2.hi, log_c.hi);
    Pair b = add_exact(a.hi, 2.0 * s.hi);
    Pair sum = add_exact(b.hi, s.hi * (z * L));
    return add_ordered(sum.hi, sum.lo + (b.lo + (a.lo + (e * LN2.lo + (log_c.lo + 2.0 * s.lo)))));
}

double bri_log(double x) {
    if (x == 0.0) return -INFINITE;
    if (!(x > 0.0)) return NOT_A_NUMBER;
    return bri_is_finite(x) ? evaluate_log(x).hi : x;
}

double bri_tanh(double x) {
    if (x != x) return NOT_A_NUMBER;
    double a = bri_abs(x);
    if (a > 22.0) return give_sign(1.0, x); /* 1 - tanh(22) = 2^-62.5 */
    if (a < 0.125) {
        double z = a * a;
        double T = 0x1.664f3e418c74ap-6 + z * (-0x1.22644d5cb6df3p-7 + z * 0x1.cdfceabb13934p-9);
        T = -0x1.5555555555555p-2 + z * (0x1.1111111110a7cp-3 + z * (-0x1.ba1ba1b54e397p-5 + z * T));
        return give_sign(a + a * (z * T), x);
    }
    int power;
    Pair e = evaluate_exp((Pair){2.0 * a, 0.0}, &power);
    Pair below = add_exact(scale_by_power(e.hi, power), 1.0);
    below.lo += scale_by_power(e.lo, power);
    Pair q = divide_pairs((Pair){2.0, 0.0}, below), rest = add_exact(1.0, -q.hi);
    return give_sign(rest.hi + (rest.lo - q.lo), x);
}

typedef enum { FRACTION, ODD, EVEN } Parity;

static Parity find_parity(double y) {
    if (bri_abs(y) >= 0x1p53) return EVEN; /* infinity too, as C99 has it */
    if (bri_floor(y) != y) return FRACTION;
    return ((int64_t)y & 1) != 0 ? ODD : EVEN;
}

double bri_pow(double x, double y) {
    if (y == 0.0 || x == 1.0) return 1.0;
    if (x != x || y != y) return NOT_A_NUMBER;
    Parity parity = find_parity(y);
    double a = bri_abs(x), sign = is_negative(x) && parity == ODD ? -1.0 : 1.0;
    if (a == 0.0 || !bri_is_finite(a)) return (a == 0.0) == (y < 0.0) ? sign * INFINITE : sign * 0.0;
    if (!bri_is_finite(y)) return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INFINITE : 0.0;
    if (x < 0.0 && parity == FRACTION) return NOT_A_NUMBER;
    /* |log a| >= 2^-53 unless a = 1: beyond 2^66 every y overflows or vanishes alike. */
    if (bri_abs(y) > 0x1p66) y = y > 0.0 ? 0x1p66 : -0x1p66;
    Pair log_a = evaluate_log(a);
    Pair product = multiply_exact(y, log_a.hi);
    product.lo += y * log_a.lo;
    return sign * finish_exp(product);
}
