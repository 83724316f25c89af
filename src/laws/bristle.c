/* bristle.c: regularized friction as bounded rows [Peiret 2016, Eqs 9-20, 25-29; corrected in docs/theory].
 *
 *     kinetic (|v_T| > v_th): t1 = v_T/|v_T|;    C = (1/(k h^2), |v_T|/(h mu lN));   p~ = (-h mu lN, 0)
 *     static  (otherwise):    t1 = -l_T/|l_T|;   C = (1/(k h^2), 1/(k h^2));         p~ = h (t1.l_T, t2.l_T)
 *     sigma_i = u_i + C_i (p_i - p~_i),   |p_i| <= h mu lN                                                       (8.3)
 *
 * v_T is the slip that the last solve left (recomputed at the new pose it would be O(h) while rolling and turn rolling
 * contacts kinetic). k infinite: C = 0 for the bristles. lN = 0: the transversal C is infinite and p_2 = 0. */
#include "laws/laws.h"

enum { MU, K, V_TH, ITERATIONS };

static double find_static(const BrLaw *law) { return law->value[MU]; }
static double find_kinetic(const BrLaw *law, double speed) { return (void)speed, law->value[MU]; }

static BriFrictionRows find_rows(const BrLaw *law, const BriRowsAsked *asked) {
    const double *slip = asked->slip, *force = asked->force, h = asked->h, normal = asked->normal;
    double mu = law->value[MU], k = asked->rigid ? __builtin_inf() : law->value[K], bristle = 1 / (k * h * h);
    double speed = bri_sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
    double size = bri_sqrt(force[0] * force[0] + force[1] * force[1]);
    BriFrictionRows rows = {.axis = {1, 0}, .compliance = {bristle, bristle}, .bound = h * mu * normal};
    if (speed > law->value[V_TH]) {
        rows.axis[0] = slip[0] / speed;
        rows.axis[1] = slip[1] / speed;
        rows.compliance[1] = speed / (h * mu * normal); /* infinite without a normal force */
        rows.offset[0] = -rows.bound;
    } else if (size > 0) {
        rows.axis[0] = -force[0] / size;
        rows.axis[1] = -force[1] / size;
        rows.offset[0] = -h * size;
    }
    return rows;
}

static int count_passes(const BrLaw *law) { return (int)law->value[ITERATIONS]; }

static double find_stored(const BrLaw *law, double force) { return 0.5 * force * force / law->value[K]; }

const BriLaw bri_law_bristle = {
    .info = {.name = "bristle",
             .kind = BR_LAW_FRICTION,
             .reference = "Peiret, Kovecses, Gholami, Font-Llagunes 2016",
             .help = "Coulomb regularized: elastic bristles at rest, a viscous transversal while sliding",
             .parameters = 4,
             .parameter = {[MU] = {"mu", "", __builtin_nan(""), 0, 1e6, NULL, "coefficient of friction"},
                           [K] = {"k_t", "N/m", __builtin_inf(), 1e-9, __builtin_inf(), NULL,
                                  "tangential stiffness of the bristles; infinite by default"},
                           [V_TH] = {"v_th", "m/s", 0.01, 0, 1e9, NULL, "slip below which a contact counts as at rest"},
                           [ITERATIONS] = {"iterations", "", 1, 0, 100, NULL,
                                           "passes that renew the bounds with the step's own normal force"}}},
    .dry = {.holds = find_static, .slides = find_kinetic},
    .bounded = {find_rows, count_passes, find_stored}};
