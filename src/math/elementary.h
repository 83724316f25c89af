/* elementary.h: the elementary functions of the core, written out in + - * / and sqrt so that every compiler, CPU and
 * C library gives the same bits (glibc's depend on the CPU's FMA). No libm, no errno, no rounding-mode games.
 * Error: below 1 ulp for sin, cos, exp, log, atan, atan2; below 2 ulp for tan, asin, acos, tanh, pow (pow: where the
 * result is normal). NaN in gives NaN out, but pow(x, 0) = pow(1, y) = 1 as in C99. sin, cos and tan of |x| >= 2^52
 * give NaN: such an angle has no digits left. */
#ifndef BRI_ELEMENTARY_H
#define BRI_ELEMENTARY_H

#include <stdbool.h>

/* Correctly rounded; the one positive NaN for negative numbers, so that even that has the same bits everywhere. */
static inline double bri_sqrt(double x) { return x >= 0 ? __builtin_sqrt(x) : __builtin_nan(""); }
static inline double bri_abs(double x) { return __builtin_fabs(x); }
static inline bool bri_is_finite(double x) { return __builtin_fabs(x) <= 0x1.fffffffffffffp1023; }
double bri_floor(double x);

double bri_sin(double x);
double bri_cos(double x);
void bri_sincos(double x, double *sine, double *cosine);
double bri_tan(double x);
double bri_asin(double x);
double bri_acos(double x);
double bri_atan(double x);
double bri_atan2(double y, double x);
double bri_exp(double x);
double bri_log(double x);
double bri_tanh(double x);
double bri_pow(double x, double y);

#endif
