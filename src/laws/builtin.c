/* builtin.c: the list of laws, and what all of them share: presets and checks. */
#include "laws/laws.h"

#include <string.h>

static const BrLawInfo *const LAWS[] = {&bri_law_rigid, &bri_law_coulomb, &bri_law_bristle};

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

/* mu alone, or mu_s and mu_k: what was not given is NaN. */
static BrStatus check_coulomb(const BrLaw *law, const char *what, BrError *error) {
    const double *v = law->value;
    bool one = v[BRI_COULOMB_MU] == v[BRI_COULOMB_MU], s = v[BRI_COULOMB_MU_S] == v[BRI_COULOMB_MU_S],
         k = v[BRI_COULOMB_MU_K] == v[BRI_COULOMB_MU_K];
    if (one ? s || k : !(s && k))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: coulomb needs 'mu', or both 'mu_s' and 'mu_k'", what);
    if (s && v[BRI_COULOMB_MU_S] < v[BRI_COULOMB_MU_K])
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: mu_s = %.9g must not be below mu_k = %.9g", what,
                        v[BRI_COULOMB_MU_S], v[BRI_COULOMB_MU_K]);
    return BR_OK;
}

BrStatus bri_law_check(const BrLaw *law, BrLawKind kind, const char *what, BrError *error) {
    if (!law->info || law->info->kind != kind)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: no %s law is set; start from br_law()", what,
                        kind == BR_LAW_NORMAL ? "normal" : "friction");
    for (int i = 0; i < law->info->parameters; i++) {
        const BrLawParameter *p = &law->info->parameter[i];
        double v = law->value[i];
        bool unset = v != v, coulomb = law->info == &bri_law_coulomb;
        if (unset && coulomb) continue;
        if (unset)
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' needs '%s' (%s)", what, law->info->name,
                            p->name, p->help);
        if (p->choice && v != bri_floor(v))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g; it is the number of a word", what, p->name, v);
        if (!(v >= p->lowest && v <= p->highest))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g%s%s; allowed is %.9g to %.9g", what, p->name, v,
                            *p->unit ? " " : "", p->unit, p->lowest, p->highest);
    }
    return law->info == &bri_law_coulomb ? check_coulomb(law, what, error) : BR_OK;
}
