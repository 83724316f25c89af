/* dwell.c: bristles with a smooth change from stick to slide, and static friction that grows with the time of rest
 * [Gonthier 2004, Eqs 15-26; corrected in docs/theory]. zeta = sigma0 z is the bristles' elastic force.
 *
 *     s    = exp(-|v|^2/v_S^2);   f_C = mu_k f_N dir(v)
 *     F    = s (zeta + sigma1 v) + (1 - s) f_C                  the paper's sigma0 z + sigma1 z' (15, 22)        (9.5)
 *     f    = F cut to |f| <= f_N (mu_k + (mu_s - mu_k) s_dw);   force on b: -(f + sigma2 v)
 *     s_dw' = (s - s_dw)/tau_dw while it grows, (s - s_dw) sigma0/sigma1 while it falls
 *     literal   z' = (F - zeta)/sigma1     z goes on growing behind a force that is cut, and drives friction with the
 *                                          old sign for a while when the motion turns: that makes energy
 *     none      z' = c (f - zeta)/sigma1   z follows the force that acts; c = 1, or less where the spring would gain
 *                                          more than friction takes from the motion, so that                     (9.6)
 *               loss = f.v - zeta.z' >= 0
 *
 * For f.v < 0 (the spring gives back) that holds by itself: zeta.v < 0, then sigma1 loss >= |zeta|^2 (1 - s). */
#include "laws/laws.h"

enum { MU_S, MU_K, SIGMA_0, SIGMA_1, SIGMA_2, V_S, TAU, V_EPS, WINDUP };
enum { NONE, LITERAL };
enum { Z = 0, S_DW = 3 }; /* in its memory */
static const char *const WINDUPS[] = {"none", "literal", NULL};

static BrStatus check(const BrLaw *law, const char *what, BrError *error) {
    return bri_check_coefficients(what, law->value[MU_S], law->value[MU_K], error);
}

/* v/|v|, smooth where it is slow. */
static BrVec3 find_direction(BrVec3 v, double slow) {
    double speed = bri_norm(v), part = speed / slow;
    return bri_scale(speed >= slow ? 1 / speed : (1.5 - 0.5 * part * part) / slow, v);
}

static BrFrictionAnswer answer(const BrLaw *law, double normal, BrVec3 v, const double *memory, double *memory_rate) {
    const double *p = law->value;
    double sigma0 = p[SIGMA_0], sigma1 = p[SIGMA_1], v_s = p[V_S], s_dw = memory[S_DW];
    double v_eps = p[V_EPS] > 0 ? p[V_EPS] : 0.01 * v_s;
    double s = bri_exp(-bri_dot(v, v) / (v_s * v_s));
    BrVec3 z = bri_vec(memory[Z], memory[Z + 1], memory[Z + 2]), zeta = bri_scale(sigma0, z);
    BrVec3 slide = bri_scale(p[MU_K] * normal, find_direction(v, v_eps));
    BrVec3 F = bri_add(bri_scale(s, bri_add_scaled(zeta, sigma1, v)), bri_scale(1 - s, slide));
    double most = normal * (p[MU_K] + (p[MU_S] - p[MU_K]) * s_dw);
    double size = bri_norm(F);
    BrVec3 f = size > most ? bri_scale(most / size, F) : F;

    bool literal = p[WINDUP] == LITERAL;
    BrVec3 z_rate = bri_scale(1 / sigma1, bri_sub(literal ? F : f, zeta));
    double taken = bri_dot(f, v), gained = bri_dot(zeta, z_rate);
    if (!literal && taken >= 0 && gained > taken) {
        z_rate = bri_scale(taken / gained, z_rate);
        gained = taken;
    }
    double pace = s >= s_dw ? 1 / p[TAU] : sigma0 / sigma1;
    memory_rate[Z] = z_rate.x, memory_rate[Z + 1] = z_rate.y, memory_rate[Z + 2] = z_rate.z;
    memory_rate[S_DW] = pace * (s - s_dw);
    return (BrFrictionAnswer){.force = bri_scale(-1, bri_add_scaled(f, p[SIGMA_2], v)),
                              .stored = 0.5 * sigma0 * bri_dot(z, z),
                              .loss = taken - gained + p[SIGMA_2] * bri_dot(v, v),
                              .slides = size > most || s < 0.5};
}

static double find_limit(const BrLaw *law, const double *memory) {
    const double *p = law->value;
    return p[MU_K] + (p[MU_S] - p[MU_K]) * memory[S_DW];
}

/* In bearings, where what sticks does not move at all: mu(v) = mu_k + (mu_s - mu_k) s(v) s_dw; s_dw goes its way over h. (10.10) */
static double find_sliding(const BrLaw *law, double speed, double dwell) {
    const double *p = law->value;
    double part = speed / p[V_S];
    return p[MU_K] + (p[MU_S] - p[MU_K]) * dwell * bri_exp(-part * part);
}

static double find_static(const BrLaw *law, double dwell) { return find_sliding(law, 0, dwell); }

static double settle(const BrLaw *law, double speed, double dwell, double h) {
    const double *p = law->value;
    double part = speed / p[V_S], s = bri_exp(-part * part);
    double pace = s >= dwell ? 1 / p[TAU] : p[SIGMA_0] / p[SIGMA_1];
    return s + (dwell - s) * bri_exp(-pace * h);
}

static BrStick find_stick(const BrLaw *law, double normal) {
    const double *p = law->value;
    (void)normal;
    return (BrStick){.stiffness = p[SIGMA_0],
                     .viscosity = p[SIGMA_1] + p[SIGMA_2],
                     .forgets = bri_max(p[SIGMA_0] / p[SIGMA_1], 1 / p[TAU]),
                     .swings = "sigma_0 in stick",
                     .decays = "sigma_1 in stick"};
}

const BriLaw bri_law_dwell =
    {.info =
         {.name = "dwell",
          .kind = BR_LAW_FRICTION,
          .reference = "Gonthier, McPhee, Lange, Piedboeuf 2004",
          .help = "bristles; static friction grows while the surfaces rest on each other",
          .compliant = true,
          .joints = true,
          .parameters = 9,
          .parameter =
              {[MU_S] = {"mu_s", "", __builtin_nan(""), 0, 1e6, NULL, "static coefficient after a long rest, >= mu_k"},
               [MU_K] = {"mu_k", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of sliding friction"},
               [SIGMA_0] = {"sigma_0", "N/m", 1e5, 1e-9, 1e15, NULL, "stiffness of the bristles"},
               [SIGMA_1] = {"sigma_1", "N s/m", 316.22776601683795, 1e-12, 1e15, NULL, "damping of the bristles"},
               [SIGMA_2] = {"sigma_2", "N s/m", 0, 0, 1e15, NULL, "viscous friction"},
               [V_S] = {"v_s", "m/s", 0.01, 1e-12, 1e6, NULL, "slip at which stick turns into slide (Stribeck)"},
               [TAU] = {"tau_dw", "s", 1, 1e-9, 1e9, NULL, "time in which static friction grows"},
               [V_EPS] =
                   {"v_eps", "m/s", 0, 0, 1e6, NULL,
                    "slip below which the direction of sliding is smoothed; 0: v_s/100"},
               [WINDUP] =
                   {"windup", "", NONE, 0, 1, WINDUPS,
                    "literal: bristles go on bending when their force is cut, as in the paper"}},
          .memories = 2,
          .memory = {{.name = "deflection",
                      .symbol = "z",
                      .unit = "m",
                      .tangent = true,
                      .lowest = -BRI_MOST_BEND,
                      .highest = BRI_MOST_BEND,
                      .help = "of the bristles, along the slip"},
                     {.name = "dwell",
                      .symbol = "s_dw",
                      .unit = "",
                      .highest = 1,
                      .help = "how well the surfaces have settled, 0 to 1"}}},
     .check = check,
     .friction = {answer, find_limit, find_stick},
     .bearing = {.holds = find_static, .slides = find_sliding, .settles = settle}};
