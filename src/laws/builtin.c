/* builtin.c: the list of laws, and what all of them share: presets and checks. */
#include "laws/laws.h"

#include <string.h>

static const BrLawInfo *const LAWS[] = {
    &bri_law_rigid,   &bri_law_kelvin_voigt, &bri_law_hunt_crossley, &bri_law_gonthier,          &bri_law_coulomb,
    &bri_law_bristle, &bri_law_dwell,        &bri_law_tanh,          &bri_law_coulomb_compliant,
};

int br_law_count(void) { return BRI_COUNT(LAWS); }

const BrLawInfo *br_law_info(int number) { return (unsigned)number < BRI_COUNT(LAWS) ? LAWS[number] : NULL; }

const BrLawInfo *br_law_find(BrLawKind kind, const char *name) {
    for (int i = 0; i < BRI_COUNT(LAWS); i++)
        if (LAWS[i]->kind == kind && strcmp(LAWS[i]->name, name) == 0) return LAWS[i];
    return NULL;
}

BrLaw br_law(BrLawKind kind, const char *name) {
    BrLaw law = {.info = br_law_find(kind, name)};
    for (int i = 0; law.info && i < law.info->parameters; i++) law.value[i] = law.info->parameter[i].preset;
    return law;
}

bool br_law_set(BrLaw *law, const char *parameter, double value) {
    for (int i = 0; law->info && i < law->info->parameters; i++)
        if (strcmp(law->info->parameter[i].name, parameter) == 0) {
            law->value[i] = value;
            return true;
        }
    return false;
}

static bool is_set(double v) { return v == v; }

static BrStatus check_static(const char *what, double mu_s, const char *name_k, double mu_k, BrError *error) {
    if (mu_s >= mu_k) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "%s: mu_s = %.9g must not be below %s = %.9g", what, mu_s, name_k,
                    mu_k);
}

/* mu alone, or mu_s and mu_k: what was not given is NaN. */
static BrStatus check_coulomb(const BrLaw *law, const char *what, BrError *error) {
    const double *v = law->value;
    bool one = is_set(v[BRI_COULOMB_MU]), s = is_set(v[BRI_COULOMB_MU_S]), k = is_set(v[BRI_COULOMB_MU_K]);
    if (one ? s || k : !(s && k))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: coulomb needs 'mu', or both 'mu_s' and 'mu_k'", what);
    return s ? check_static(what, v[BRI_COULOMB_MU_S], "mu_k", v[BRI_COULOMB_MU_K], error) : BR_OK;
}

/* One of e, alpha and a table. */
static BrStatus check_gonthier(const BrLaw *law, const char *what, BrError *error) {
    int given = is_set(law->value[BRI_GONTHIER_E]) + is_set(law->value[BRI_GONTHIER_ALPHA]) + (law->points > 0);
    if (given != 1)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: gonthier needs 'e' (a number or a table over the impact speed) or 'alpha', one of them",
                        what);
    if (law->points > BR_LAW_POINTS)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the table of e has %d points; at most %d are allowed", what,
                        law->points, (int)BR_LAW_POINTS);
    for (int i = 0; i < law->points; i++) {
        const double *p = law->point[i];
        if (!(p[1] >= 0.01 && p[1] <= 1))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: e is %.9g in the table; allowed is 0.01 to 1", what, p[1]);
        if (!(p[0] >= 0 && p[0] < 1e300 && (i == 0 || p[0] > law->point[i - 1][0])))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "%s: the table of e has the speed %.9g m/s; speeds must not be negative and must grow",
                            what, p[0]);
    }
    return BR_OK;
}

/* What goes together, beyond the ranges of the table. */
static BrStatus check_together(const BrLaw *law, const char *what, BrError *error) {
    if (law->info == &bri_law_coulomb) return check_coulomb(law, what, error);
    if (law->info == &bri_law_gonthier) return check_gonthier(law, what, error);
    if (law->info == &bri_law_dwell)
        return check_static(what, law->value[BRI_DWELL_MU_S], "mu_k", law->value[BRI_DWELL_MU_K], error);
    return BR_OK;
}

/* Values that may stay unset, because others stand for them. */
static bool may_be_unset(const BrLaw *law, int value) {
    return law->info == &bri_law_coulomb ||
           (law->info == &bri_law_gonthier && (value == BRI_GONTHIER_E || value == BRI_GONTHIER_ALPHA));
}

BrStatus bri_law_check(const BrLaw *law, BrLawKind kind, const char *what, BrError *error) {
    if (!law->info || law->info->kind != kind)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: no %s law is set; start from br_law()", what,
                        kind == BR_LAW_NORMAL ? "normal" : "friction");
    for (int i = 0; i < law->info->parameters; i++) {
        const BrLawParameter *p = &law->info->parameter[i];
        double v = law->value[i];
        if (!is_set(v) && may_be_unset(law, i)) continue;
        if (!is_set(v))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' needs '%s' (%s)", what, law->info->name,
                            p->name, p->help);
        if (p->choice && v != bri_floor(v))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g; it is the number of a word", what, p->name, v);
        if (!(v >= p->lowest && v <= p->highest))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g%s%s; allowed is %.9g to %.9g", what, p->name, v,
                            *p->unit ? " " : "", p->unit, p->lowest, p->highest);
    }
    return check_together(law, what, error);
}
