/* builtin.c: the list of laws, and what all of them share: presets and checks. */
#include "laws/laws.h"

#include <string.h>

/* A law is its file, bri_law_NAME, and its line here. */
#define LAWS(line)                                                                                                     \
    line(rigid) line(kelvin_voigt) line(hunt_crossley) line(gonthier) line(coulomb) line(stribeck) line(rolling)       \
        line(bristle) line(dwell) line(tanh) line(coulomb_compliant) line(tracked)

#define DECLARE(name) extern const BriLaw bri_law_##name;
#define ENTER(name)   &bri_law_##name,
LAWS(DECLARE)
static const BriLaw *const LIST[] = {LAWS(ENTER)};

int bri_law_count(const BriLaws *own) { return BRI_COUNT(LIST) + (own ? own->count : 0); }

const BrLawInfo *bri_law_info(const BriLaws *own, int number) {
    if (number < 0 || number >= bri_law_count(own)) return NULL;
    return number < BRI_COUNT(LIST) ? &LIST[number]->info : &own->law[number - BRI_COUNT(LIST)]->info;
}

static const BrLawInfo *find(const BriLaws *own, BrLawKind kind, const char *name) {
    for (int i = 0; name && i < bri_law_count(own); i++) {
        const BrLawInfo *info = bri_law_info(own, i);
        if (info->kind == kind && strcmp(info->name, name) == 0) return info;
    }
    return NULL;
}

BrLaw bri_law(const BriLaws *own, BrLawKind kind, const char *name) {
    BrLaw law = {.info = find(own, kind, name)};
    for (int i = 0; law.info && i < law.info->parameters; i++) law.value[i] = law.info->parameter[i].preset;
    return law;
}

int br_law_count(void) { return bri_law_count(NULL); }
const BrLawInfo *br_law_info(int number) { return bri_law_info(NULL, number); }
const BrLawInfo *br_law_find(BrLawKind kind, const char *name) { return find(NULL, kind, name); }
BrLaw br_law(BrLawKind kind, const char *name) { return bri_law(NULL, kind, name); }

bool br_law_set(BrLaw *law, const char *parameter, double value) {
    if (!law || !parameter) return false;
    for (int i = 0; law->info && i < law->info->parameters; i++)
        if (strcmp(law->info->parameter[i].name, parameter) == 0) {
            law->value[i] = value;
            return true;
        }
    return false;
}

BrStatus bri_check_coefficients(const char *what, double mu_s, double mu_k, BrError *error) {
    if (mu_s >= mu_k) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "%s: mu_s = %.9g must not be below mu_k = %.9g", what, mu_s, mu_k);
}

static bool is_listed(const BriLaws *own, const BrLawInfo *info) {
    for (int i = 0; i < bri_law_count(own); i++)
        if (bri_law_info(own, i) == info) return true;
    return false;
}

/* Values against the table, and what goes together. */
static BrStatus check_values(const BrLaw *law, const char *what, BrError *error) {
    const BriLaw *record = bri_law_record(law);
    for (int i = 0; i < law->info->parameters; i++) {
        const BrLawParameter *p = &law->info->parameter[i];
        double v = law->value[i];
        if (!bri_is_set(v) && record->unset >> i & 1) continue;
        if (!bri_is_set(v))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' needs '%s' (%s)", what, law->info->name,
                            p->name, p->help);
        if (p->choice && v != bri_floor(v))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g; it is the number of a word", what, p->name, v);
        if (!(v >= p->lowest && v <= p->highest))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: %s is %.9g%s%s; allowed is %.9g to %.9g", what, p->name, v,
                            *p->unit ? " " : "", p->unit, p->lowest, p->highest);
    }
    if (law->points < 0 || (law->points > 0 && (!law->table || !law->info->table)))
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' has %d points of %s", what, law->info->name,
                        law->points, law->info->table ? "a table that is not there" : "a table, but it takes none");
    if (record->check) return record->check(law, what, error);
    return record->own ? bri_law_probe(law, what, error) : BR_OK;
}

BrStatus bri_law_check(const BriLaws *own, const BrLaw *law, BrLawKind kind, const char *what, BrError *error) {
    if (!is_listed(own, law->info) || law->info->kind != kind)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: no %s law is set; start from br_law(), or br_model_law() of this model", what,
                        kind == BR_LAW_NORMAL ? "normal" : "friction");
    if (law->info->only_joints)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' acts in the bearings of joints only", what,
                        law->info->name);
    return check_values(law, what, error);
}

BrStatus bri_bearing_law_check(const BriLaws *own, const BrLaw *law, const char *what, BrError *error) {
    if (!is_listed(own, law->info))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: no friction law is set; start from br_law(), or br_model_law() of this model", what);
    if (!law->info->joints || law->info->lasting)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: the law '%s' does not act in bearings; take coulomb, stribeck, dwell or tanh", what,
                        law->info->name);
    return check_values(law, what, error);
}

BrStatus bri_lasting_law_check(const BriLaws *own, const BrLaw *law, const char *what, BrError *error) {
    if (!is_listed(own, law->info))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "%s: no friction law is set; start from br_law(), or br_model_law() of this model", what);
    if (!law->info->lasting)
        return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' does not act in lasting contacts; take tracked",
                        what, law->info->name);
    return check_values(law, what, error);
}
