/* fits.c: which models can be stepped how; what is not there is refused, with what to use instead. */
#include "base/threads.h"
#include "dynamics/grip.h"
#include "dynamics/lasting.h"
#include "step/bound_modes.h"
#include "step/compliant.h"
#include "step/hybrid.h"
#include "step/schemes.h"

/* Friction in bearings: where it holds by rows of the factor, a motor that may give way has none beside it. */
static BrStatus fits_grips(const BrModel *m, const BrStepDef *def, BrError *error) {
    bool rows = def->formulation == BR_FORMULATION_TIMESTEPPING;
    for (int k = 0; k < m->grips; k++) {
        const BriJoint *j = &m->joint[m->grip[k].joint];
        if (def->formulation == BR_FORMULATION_COMPLIANT)
            return bri_fail(error, BR_UNSUPPORTED,
                            "joint '%s' has friction in its bearings, which the formulation compliant does not know; "
                            "use smooth, timestepping or event",
                            j->def.name);
        if (rows && bri_grip_width(j) > 0)
            return bri_fail(error, BR_UNSUPPORTED,
                            "joint '%s': friction smoothed over slow slips (the law '%s', gamma) works with smooth and "
                            "event; timestepping takes coulomb and stribeck, which hold",
                            j->def.name, j->def.friction.law.info->name);
        for (int d = 0; d < j->drives && !rows; d++)
            if (j->drive[d].motor >= 0 && bri_is_finite(m->motor[j->drive[d].motor].def.max_effort))
                return bri_fail(error, BR_UNSUPPORTED,
                                "motor '%s' has a largest effort and drives joint '%s', which has friction in its "
                                "bearings; use timestepping",
                                m->motor[j->drive[d].motor].def.name, j->def.name);
    }
    return BR_OK;
}

/* Servos are rows that yield, which two schemes do not know. */
static BrStatus fits_servos(const BrModel *m, const BrStepDef *def, BrError *error) {
    bool knows = def->scheme != BR_SCHEME_RATTLE && def->scheme != BR_SCHEME_EULER_PAPER;
    for (int n = 0; n < m->motors; n++)
        if (m->motor[n].def.kind == BR_MOTOR_SERVO && def->formulation == BR_FORMULATION_TIMESTEPPING && !knows)
            return bri_fail(error, BR_UNSUPPORTED,
                            "motor '%s' is a servo (it follows with a stiffness, a damping or a frequency), which %s "
                            "does not know; use "
                            "hem2 or moreau",
                            m->motor[n].def.name, br_scheme_name(def->scheme));
    return BR_OK;
}

static BrStatus check_scheme(const BrStepDef *def, BrError *error) {
    static const char *const SCHEMES[BR_FORMULATIONS] = {
        [BR_FORMULATION_TIMESTEPPING] = "moreau, hem2, rattle and euler-paper",
        [BR_FORMULATION_COMPLIANT] = "semi-implicit, rk2, rk3, rk4, adaptive and stiff",
        [BR_FORMULATION_SMOOTH] = "half-implicit and bdf2"};
    if (def->formulation == BR_FORMULATION_EVENT || br_scheme_formulation(def->scheme) == def->formulation)
        return BR_OK;
    return bri_fail(error, BR_UNSUPPORTED, "the scheme %s is not one of the formulation %s; it has %s",
                    br_scheme_name(def->scheme), br_formulation_name(def->formulation), SCHEMES[def->formulation]);
}

static BrStatus check_threads(const BrStepDef *def, BrError *error) {
    if (def->threads < 1 || def->threads > BRI_MOST_THREADS)
        return bri_fail(error, BR_INVALID_ARGUMENT, "threads is %d; allowed is 1 to %d", def->threads,
                        BRI_MOST_THREADS);
    if (def->threads > 1 && !bri_has_threads())
        return bri_fail(error, BR_UNSUPPORTED,
                        "threads is %d, and this bristle was built without OpenMP: a step runs on one thread",
                        def->threads);
    return BR_OK;
}

static BrStatus fits_sleep(const BrStepDef *def, BrError *error) {
    bool timestepping = def->formulation == BR_FORMULATION_TIMESTEPPING, cone = def->friction_set == BR_FRICTION_CONE;
    bool scheme = def->scheme == BR_SCHEME_MOREAU || def->scheme == BR_SCHEME_HEM2;
    if (!def->sleeping || (timestepping && scheme && cone)) return BR_OK;
    const char *other = !timestepping ? br_formulation_name(def->formulation)
                        : !scheme     ? br_scheme_name(def->scheme)
                                      : br_friction_set_name(def->friction_set);
    return bri_fail(error, BR_UNSUPPORTED,
                    "sleeping works with timestepping, the schemes moreau and hem2 and the friction set cone; with "
                    "'%s' all bodies stay awake",
                    other);
}

BrStatus bri_surfaces_comply(const BrModel *m, BrError *error) {
    for (int i = 0; i < m->surfaces; i++) {
        const BriSurface *s = &m->surface[i];
        const char *a = m->material[s->a].def.name, *b = m->material[s->b].def.name;
        if (!s->used) continue;
        if (!s->laws.compliant_normal.info || !s->laws.compliant_friction.info)
            return bri_fail(
                error, BR_UNSUPPORTED,
                "surfaces of '%s' and '%s' meet, and nothing is said about their compliance; 'bristle suggest' "
                "gives numbers for: compliant: {normal: {law: gonthier, stiffness: 1e6, e: 0.5}, friction: "
                "{law: dwell, mu_s: 0.3, mu_k: 0.25}}",
                a, b);
        BrPower power = bri_normal_power(&s->laws.compliant_normal);
        if (power.stiffness == 0 && !(s->modulus > 0 && s->round && power.exponent == 1.5))
            return bri_fail(error, BR_UNSUPPORTED,
                            "the materials '%s' and '%s' meet without a stiffness; give one, or E and nu of both "
                            "materials where all shapes are round or flat and the exponent is 1.5",
                            a, b);
    }
    return BR_OK;
}

static BrStatus fits_compliant(const BrModel *m, const BrStepDef *def, BrError *error) {
    if (def->substeps < 1 || def->substeps > 100000)
        return bri_fail(error, BR_INVALID_ARGUMENT, "substeps is %d; allowed is 1 to 100000", def->substeps);
    if (!(def->tolerance >= 1e-14 && def->tolerance <= 1e-3))
        return bri_fail(error, BR_INVALID_ARGUMENT, "tolerance is %.9g; allowed is 1e-14 to 1e-3", def->tolerance);
    if (def->scheme == BR_SCHEME_STIFF &&
        BRI_PACKED * m->moving + m->rows + m->bounds + bri_soft_per_contact(m) * m->contact_capacity > 1000)
        return bri_fail(error, BR_UNSUPPORTED,
                        "the scheme stiff has a full matrix and is for small scenes; this one has %d moving bodies and "
                        "room for %d contacts: take a fixed scheme with substeps, or lower contact_capacity",
                        m->moving, m->contact_capacity);
    return bri_surfaces_comply(m, error);
}

/* A mode x'' + c x' + w^2 x = 0 whose forces are those of the step's start: half-implicitly stable while
 * c h + (w h)^2/2 < 2, by bdf2 while (w h)^2 (1 + c h/2) < 0.9 c h < 1.8: only what is damped (11.7). */
static double find_longest(double mobility, double stiffness, double lag, bool bdf2) {
    double square = mobility * stiffness, c = square * lag;
    if (!(square > 0)) return __builtin_inf();
    if (!bdf2) return (bri_sqrt(c * c + 4 * square) - c) / square;
    if (!(c > 0)) return 0;
    return bri_min((bri_sqrt(square * square + 1.8 * c * c * square) - square) / (c * square), 1.8 / c);
}

static BrStatus fits_lasting(const BrModel *m, const BriLasting *lasting, const BrStepDef *def, BrError *error) {
    static const char *const MODE[3] = {"sliding", "rolling", "spinning"};
    const BriJoint *j = &m->joint[lasting->joint];
    bool bdf2 = def->scheme == BR_SCHEME_BDF2;
    if (!j->def.friction.law.info) return BR_OK;
    BriLastingMobility W = bri_lasting_mobility(m, lasting);
    BriTrackedStiffness k = bri_tracked_stiffness(&j->def.friction.law, lasting->radius);
    const double longest[3] = {find_longest(W.slide, k.slide, k.lag, bdf2), find_longest(W.roll, k.roll, k.lag, bdf2),
                               find_longest(W.spin, k.spin, k.lag, bdf2)};
    int worst = longest[1] < longest[0] ? 1 : 0;
    if (longest[2] < longest[worst]) worst = 2;
    if (def->dt < longest[worst]) return BR_OK;
    return bri_fail(error, BR_UNSUPPORTED,
                    "contact '%s': with %s the spring and the damper of its friction (%s) are stable for dt below %.6g "
                    "s, and dt is %.6g s; %s",
                    j->def.name, br_scheme_name(def->scheme), MODE[worst], longest[worst], def->dt,
                    longest[worst] > 0 ? "take a smaller step, or less stiffness or damping"
                                       : "give it damping, or take half-implicit");
}

/* Lasting contacts alone can touch. */
static BrStatus fits_index_3(const BrModel *m, const BrStepDef *def, BrError *error) {
    BrStatus status = BR_OK;
    if ((m->meets && !m->lastings) || m->bounds > m->motor_bounds + m->grip_bounds)
        return bri_fail(
            error, BR_UNSUPPORTED,
            "the formulation smooth is for machines without joint limits, constant dry friction and contacts "
            "that come and go (lasting ones are joints: {contact: [one, other]}); use timestepping");
    for (int k = 0; k < m->lastings && status == BR_OK; k++) status = fits_lasting(m, &m->lasting[k], def, error);
    return status;
}

/* Rolling and spinning resistance are rows of the cone problem, at velocity level. */
static BrStatus fits_moments(const BrModel *m, const BrStepDef *def, BrError *error) {
    bool event = def->formulation == BR_FORMULATION_EVENT, paper = def->scheme == BR_SCHEME_EULER_PAPER;
    if (!m->turns || (!event && !paper && def->friction_set == BR_FRICTION_CONE)) return BR_OK;
    for (int i = 0; i < m->surfaces; i++) {
        const BriSurface *s = &m->surface[i];
        if (!s->used || !(s->mu_r > 0 || s->mu_spin > 0)) continue;
        const char *name = s->laws.friction.info->name;
        if (event || paper)
            return bri_fail(error, BR_UNSUPPORTED,
                            "the law '%s' works with timestepping and the schemes moreau and hem2; '%s' takes coulomb",
                            name, event ? br_formulation_name(def->formulation) : br_scheme_name(def->scheme));
        return bri_fail(error, BR_UNSUPPORTED, "the law '%s' works with the friction set cone; '%s' takes coulomb",
                        name, br_friction_set_name(def->friction_set));
    }
    return BR_OK;
}

/* Friction that builds up with the slip is a cone that creeps, and that which falls with it one of the slip's own mu. */
static BrStatus fits_creep(const BrModel *m, const BrStepDef *def, BrError *error) {
    bool rigid = def->formulation == BR_FORMULATION_EVENT || def->scheme != BR_SCHEME_EULER_PAPER;
    if (rigid && def->friction_set == BR_FRICTION_CONE) return BR_OK;
    for (int i = 0; i < m->surfaces; i++) {
        if (!m->surface[i].used || !(m->surface[i].creep > 0 || m->surface[i].by_slip)) continue;
        return bri_fail(
            error, BR_UNSUPPORTED,
            "the law '%s' works with the friction set cone and, of timestepping, the schemes moreau and hem2; "
            "'%s' takes coulomb",
            m->surface[i].laws.friction.info->name,
            rigid ? br_friction_set_name(def->friction_set) : br_scheme_name(def->scheme));
    }
    return BR_OK;
}

/* Both of its parts. */
static BrStatus fits_hybrid(const BrModel *m, const BrStepDef *def, BrError *error) {
    BrStepDef rigid = bri_hybrid_def(m, def, false), compliant = bri_hybrid_def(m, def, true);
    if (bri_bounds_any(m))
        return bri_fail(
            error, BR_UNSUPPORTED,
            "the formulation hybrid knows no joint limits, no constant joint friction and no motors by speed with a "
            "largest effort; use timestepping, event or compliant");
    BrStatus status = br_step_fits(m, &rigid, error);
    return status == BR_OK ? br_step_fits(m, &compliant, error) : status;
}

BrStatus br_step_fits(const BrModel *m, const BrStepDef *def, BrError *error) {
    BRI_NEED(m, "model", error);
    BrStatus status = bri_check_def(def, sizeof *def, "br_default_step_def", error);
    if (status != BR_OK) return status;
    if (def->formulation == BR_FORMULATION_HYBRID) return fits_hybrid(m, def, error);
    bool event = def->formulation == BR_FORMULATION_EVENT;
    if ((unsigned)def->formulation >= BR_FORMULATIONS || (unsigned)def->friction_set >= BR_FRICTION_SETS)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%d, %d is no formulation and friction set", (int)def->formulation,
                        (int)def->friction_set);
    if (def->impact_speed != def->impact_speed)
        return bri_fail(error, BR_INVALID_ARGUMENT, "impact_speed is not a number");
    if (def->polygon_sides < 3 || def->polygon_sides > 16)
        return bri_fail(error, BR_INVALID_ARGUMENT, "a polygon of %d sides; allowed is 3 to 16", def->polygon_sides);
    status = check_threads(def, error);
    if (status == BR_OK) status = check_scheme(def, error);
    if (status == BR_OK && m->touches) status = fits_sleep(def, error);
    if (status == BR_OK && m->servos) status = fits_servos(m, def, error);
    if (status == BR_OK) status = fits_grips(m, def, error);
    if (status == BR_OK && def->formulation == BR_FORMULATION_SMOOTH) return fits_index_3(m, def, error);
    if (status == BR_OK && def->formulation == BR_FORMULATION_COMPLIANT) return fits_compliant(m, def, error);
    if (status != BR_OK || !m->touches) return status;
    if (!event && def->scheme == BR_SCHEME_RATTLE)
        return bri_fail(error, BR_UNSUPPORTED,
                        "rattle is for machines without contact, joint limits and dry friction; use hem2 or moreau");
    bool one_pose = def->scheme == BR_SCHEME_MOREAU || def->scheme == BR_SCHEME_EULER_PAPER;
    if ((event || !one_pose) && def->friction_set != BR_FRICTION_CONE)
        return bri_fail(
            error, BR_UNSUPPORTED,
            "the friction set '%s' works with timestepping and the schemes moreau and euler-paper; '%s' takes "
            "the cone",
            br_friction_set_name(def->friction_set),
            event ? br_formulation_name(def->formulation) : br_scheme_name(def->scheme));
    status = fits_moments(m, def, error);
    if (status == BR_OK) status = fits_creep(m, def, error);
    if (status != BR_OK) return status;
    for (int i = 0; i < m->surfaces; i++) {
        const BriLaw *friction = bri_law_record(&m->surface[i].laws.friction);
        if ((event || !one_pose) && friction->bounded.rows)
            return bri_fail(
                error, BR_UNSUPPORTED,
                "the law '%s' works with timestepping and the schemes moreau and euler-paper; '%s' takes coulomb",
                friction->info.name, event ? br_formulation_name(def->formulation) : br_scheme_name(def->scheme));
    }
    return BR_OK;
}
