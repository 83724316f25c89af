/* tracked.c: friction of lasting contacts, by the way that the place of touch has gone on both surfaces (Fang and Negrut 2021).
 * Its memory is a micro-displacement S of the surfaces against each other, an angle of rolling Theta and one of spinning psi:
 *
 *     S  <- S + ds,   Theta <- Theta + p/R,   psi <- psi + spin                carried along as the normal turns
 *     |S| <= S_s = mu_s N/K while it sticks, S_k = mu_k N/K while it slides
 *     F = -(K S + D ds/h)           D only while it sticks, |F| <= mu_s N                                         (11.4)
 *     M = -n x (K_r Theta + ...),   K_r = 4 eta R^2 K,    |Theta| <= S/(2 R):     |M| <= 2 eta mu R N
 *     M_n = -(K_psi psi + ...),     K_psi = eta_s R^2 K,  |psi| <= S/R:           |M_n| <= eta_s mu R N           (11.5)
 *
 * What differs from the paper: rolling and spinning are damped as sticking is (D/K of their stiffness), so that what rests
 * rests; and the force stays in its cone. */
#include "laws/laws.h"

enum { STIFFNESS = BRI_DRY, DAMPING, ETA, ETA_SPIN, RADIUS, PARAMETERS };

const BriLaw bri_law_tracked = {
    .info = {.name = "tracked",
             .kind = BR_LAW_FRICTION,
             .reference = "Fang and Negrut 2021",
             .help =
                 "friction of lasting contacts (joints of the type contact) by tracked micro-displacements: sliding, "
                 "rolling, spinning",
             .joints = true,
             .only_joints = true,
             .lasting = true,
             .parameters = PARAMETERS,
             .parameter = {BRI_DRY_PARAMETERS,
                           [STIFFNESS] = {"stiffness", "N/m", __builtin_nan(""), 1e-12, 1e30, NULL,
                                          "of the surfaces against each other while they stick"},
                           [DAMPING] = {"damping", "N s/m", 0, 0, 1e30, NULL, "the same, of their slip"},
                           [ETA] = {"eta", "", 0, 0, 1e6, NULL, "of rolling: a torque of 2 eta mu R N at most"},
                           [ETA_SPIN] = {"eta_spin", "", 0, 0, 1e6, NULL, "of spinning: eta_spin mu R N at most"},
                           [RADIUS] = {"radius", "m", __builtin_nan(""), 1e-50, 1e50, NULL,
                                       "R; if not given that of the rounder surface where the motion begins"}}},
    .unset = BRI_DRY_UNSET | 1u << RADIUS,
    .check = bri_check_dry};

double bri_tracked_radius(const BrLaw *law) { return bri_is_set(law->value[RADIUS]) ? law->value[RADIUS] : 0; }

BriTrackedStiffness bri_tracked_stiffness(const BrLaw *law, double radius) {
    const double *p = law->value;
    double square = radius * radius;
    return (BriTrackedStiffness){p[STIFFNESS], 4 * p[ETA] * square * p[STIFFNESS], p[ETA_SPIN] * square * p[STIFFNESS],
                                 p[DAMPING] / p[STIFFNESS]};
}

/* x turned by the smallest rotation that takes the normal `from` to `to`, and kept square to that. */
static BrVec3 carry(BrVec3 x, BrVec3 from, BrVec3 to) {
    BrVec3 axis = bri_cross(from, to);
    double cosine = bri_dot(from, to);
    BrVec3 turned = bri_add(bri_scale(cosine, x), bri_cross(axis, x));
    if (cosine > -0.9) turned = bri_add_scaled(turned, bri_dot(axis, x) / (1 + cosine), axis);
    return bri_add_scaled(turned, -bri_dot(turned, to), to);
}

/* A displacement within its bounds; `slides` is told and renewed. */
static BrVec3 bound(BrVec3 x, double sticks, double kinetic, double *slides) {
    double size = bri_norm(x), most = *slides != 0 ? kinetic : sticks;
    bool beyond = size > most;
    *slides = beyond;
    return beyond ? bri_scale(most / size, x) : x;
}

BriTrackedForce bri_tracked_move(const BrLaw *law, const BriTrackedStep *step, BriTrack *track) {
    double mu_s = bri_dry_static(law), mu_k = bri_dry_kinetic(law, 0);
    BriTrackedStiffness k = bri_tracked_stiffness(law, step->radius);
    BrVec3 n = step->normal;
    double sticks = mu_s * step->force / k.slide, kinetic = mu_k * step->force / k.slide, R = step->radius;
    BrVec3 rolls = bri_scale(1 / R, step->rolled);
    track->slid = bound(bri_add(carry(track->slid, step->before, n), step->slip), sticks, kinetic, &track->slides);
    track->rolled = bound(bri_add(carry(track->rolled, step->before, n), rolls), sticks / (2 * R), kinetic / (2 * R),
                          &track->rolls);
    BrVec3 spun = bound(bri_vec(track->spun + step->spin, 0, 0), sticks / R, kinetic / R, &track->spins);
    track->spun = spun.x;
    double slide_lag = track->slides != 0 ? 0 : k.lag / step->h, roll_lag = track->rolls != 0 ? 0 : k.lag / step->h,
           spin_lag = track->spins != 0 ? 0 : k.lag / step->h, most = mu_s * step->force;
    BrVec3 force = bri_scale(-k.slide, bri_add_scaled(track->slid, slide_lag, step->slip));
    double size = bri_norm(force);
    if (size > most) force = bri_scale(most / size, force);
    BrVec3 rolling = bri_scale(k.roll, bri_add_scaled(track->rolled, roll_lag, rolls));
    BrVec3 moment = bri_add_scaled(bri_neg(bri_cross(n, rolling)), -k.spin * (track->spun + spin_lag * step->spin), n);
    double stored = k.slide * bri_dot(track->slid, track->slid) + k.roll * bri_dot(track->rolled, track->rolled) +
                    k.spin * track->spun * track->spun;
    return (BriTrackedForce){force, moment, 0.5 * stored};
}
