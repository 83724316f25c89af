/* own.c: laws of users: records like those of the house, checked when they come and whenever they are used. Their
 * functions may hang on what they are given in any way: mu on the slip, restitution on the speed. */
#include "laws/laws.h"

#include <string.h>

static BrStatus refuse(const BrLawDef *def, const char *what, BrError *error) {
    return bri_fail(error, BR_INVALID_DEF, "the law '%s': %s", def->name, what);
}

/* ------------------------------------------------------------------ tables */

static bool is_word(const char *name) {
    if (!name || !*name || strlen(name) > 31) return false;
    for (const char *c = name; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
              *c == '-'))
            return false;
    return true;
}

static BrStatus check_parameters(const BrLawDef *def, BrError *error) {
    bool has_table = !def->table;
    if (def->parameters < 0 || def->parameters > BR_LAW_VALUES || (def->parameters && !def->parameter))
        return bri_fail(error, BR_INVALID_DEF, "the law '%s' has %d parameters%s; allowed are 0 to %d", def->name,
                        def->parameters, def->parameter ? "" : " and no table of them", BR_LAW_VALUES);
    for (int i = 0; i < def->parameters; i++) {
        const BrLawParameter *p = &def->parameter[i];
        if (!is_word(p->name) || strcmp(p->name, "law") == 0 || !p->unit || !p->help)
            return bri_fail(
                error, BR_INVALID_DEF,
                "the law '%s': parameter %d needs a name of letters, digits, '_' and '-' other than 'law', a "
                "unit (\"\" for none) and a help",
                def->name, i + 1);
        for (int k = 0; k < i; k++)
            if (strcmp(def->parameter[k].name, p->name) == 0)
                return bri_fail(error, BR_INVALID_DEF, "the law '%s' has two parameters named '%s'", def->name,
                                p->name);
        if (!(p->lowest <= p->highest) || p->preset < p->lowest || p->preset > p->highest)
            return bri_fail(error, BR_INVALID_DEF,
                            "the law '%s': the preset of '%s' is %.9g, and its range is %.9g to %.9g; a preset lies "
                            "in its range, or is NaN: must be given",
                            def->name, p->name, p->preset, p->lowest, p->highest);
        has_table = has_table || strcmp(p->name, def->table) == 0;
    }
    return has_table ? BR_OK : refuse(def, "its table is of no parameter", error);
}

/* One name means one thing, whatever the law. */
static const char *compare_memory(const BrLawMemory *mine, const BrLawMemory *other) {
    bool same = strcmp(mine->name, other->name) == 0;
    if (same != (strcmp(mine->symbol, other->symbol) == 0)) return "has the name or the symbol of another one";
    if (strcmp(mine->name, other->symbol) == 0 || strcmp(mine->symbol, other->name) == 0)
        return "has the symbol of another one as its name";
    bool alike = strcmp(mine->unit, other->unit) == 0 && mine->tangent == other->tangent &&
                 mine->latch == other->latch && mine->lowest == other->lowest && mine->highest == other->highest;
    return same && !alike ? "is of another unit, kind or range than what another law calls so" : NULL;
}

static const char *find_fault(const BrLawDef *def, const BriLaws *own, int number) {
    const BrLawMemory *m = &def->memory[number];
    if (!is_word(m->name) || !is_word(m->symbol) || !m->unit || !m->help)
        return "needs a name, a symbol, a unit (\"\" for none) and a help";
    if (strcmp(m->name, m->symbol) != 0 && m->latch && m->tangent) return "is a latch, which is a number, no vector";
    if (!(m->lowest <= m->highest) || !bri_is_finite(m->initial)) return "has no range, or begins with no number";
    for (int k = 0; k < number; k++)
        if (strcmp(def->memory[k].name, m->name) == 0) return "is there twice";
    for (int i = 0; i < bri_law_count(own); i++)
        for (int k = 0; k < bri_law_info(own, i)->memories; k++) {
            const char *fault = compare_memory(m, &bri_law_info(own, i)->memory[k]);
            if (fault) return fault;
        }
    return NULL;
}

static BrStatus check_memories(const BrLawDef *def, const BriLaws *own, BrError *error) {
    int numbers = 0, room = def->kind == BR_LAW_NORMAL ? BRI_NORMAL_MEMORY : BRI_FRICTION_MEMORY, latches = 0;
    if (def->memories < 0 || def->memories > BR_LAW_MEMORIES || (def->memories && !def->memory))
        return bri_fail(error, BR_INVALID_DEF, "the law '%s' remembers %d things%s; allowed are 0 to %d", def->name,
                        def->memories, def->memory ? "" : " and has no table of them", BR_LAW_MEMORIES);
    for (int i = 0; i < def->memories; i++) {
        const char *fault = find_fault(def, own, i);
        if (fault)
            return bri_fail(error, BR_INVALID_DEF, "the law '%s': what it remembers as '%s' %s", def->name,
                            def->memory[i].name ? def->memory[i].name : "", fault);
        numbers += bri_memory_width(&def->memory[i]);
        latches += def->memory[i].latch;
    }
    if (numbers > room)
        return bri_fail(error, BR_INVALID_DEF, "the law '%s' remembers %d numbers; %s laws have room for %d", def->name,
                        numbers, def->kind == BR_LAW_NORMAL ? "normal" : "friction", room);
    if (!def->touch != !latches)
        return refuse(def, "touch() sets latches: it has one of both, and not the other", error);
    return BR_OK;
}

/* ------------------------------------------------------------------ functions */

static BrStatus check_functions(const BrLawDef *def, BrError *error) {
    bool dry = def->dry.holds || def->dry.slides, soft = def->friction.answer != NULL;
    bool bounces = def->restitution != NULL, presses = def->normal.answer || def->normal.power;
    if (def->kind == BR_LAW_FRICTION && (bounces || presses))
        return refuse(def, "it is a friction law, and has functions of a normal law", error);
    if (def->kind == BR_LAW_NORMAL && (dry || soft))
        return refuse(def, "it is a normal law, and has functions of a friction law", error);
    if (!dry && !soft && !bounces && !presses)
        return refuse(
            def,
            def->kind == BR_LAW_NORMAL
                ? "it has no functions; set restitution (rigid) or normal.power and normal.answer (compliant)"
                : "it has no functions; set dry.holds and dry.slides (rigid), friction.answer (compliant), or all",
            error);
    if (dry && !(def->dry.holds && def->dry.slides)) return refuse(def, "dry needs both holds and slides", error);
    if (presses && !(def->normal.answer && def->normal.power))
        return refuse(def, "normal needs both power and answer", error);
    if (bounces && presses) return refuse(def, "it is rigid and compliant along the normal; make a law of each", error);
    return def->memories && !soft && !presses ? refuse(def, "only compliant laws remember", error) : BR_OK;
}

BrStatus bri_law_make(const BrLawDef *def, const BriLaws *own, BriLaw *law, BrError *error) {
    if (!is_word(def->name))
        return bri_fail(error, BR_INVALID_DEF, "a law needs a name of up to 31 letters, digits, '_' and '-'");
    if (def->kind != BR_LAW_NORMAL && def->kind != BR_LAW_FRICTION)
        return bri_fail(error, BR_INVALID_DEF, "the law '%s': %d is no kind of law", def->name, (int)def->kind);
    for (int i = 0; i < bri_law_count(own); i++)
        if (strcmp(bri_law_info(own, i)->name, def->name) == 0)
            return bri_fail(error, BR_INVALID_DEF, "there is a law named '%s' already: names must differ", def->name);
    BrStatus status = check_parameters(def, error);
    if (status == BR_OK) status = check_memories(def, own, error);
    if (status == BR_OK) status = check_functions(def, error);
    if (status != BR_OK) return status;
    bool dry = def->dry.holds != NULL, turns = def->dry.rolls || def->dry.spins;
    *law = (BriLaw){.info = {.name = def->name,
                             .kind = def->kind,
                             .reference = def->reference ? def->reference : "",
                             .help = def->help ? def->help : "",
                             .compliant = def->friction.answer || def->normal.answer,
                             .rigid = dry,
                             .joints = dry && !turns,
                             .user = def->user,
                             .table = def->table,
                             .parameters = def->parameters,
                             .memories = def->memories},
                    .unset = def->optional,
                    .own = true,
                    .objects = def->objects,
                    .touch = def->touch,
                    .restitution = def->restitution,
                    .by_speed = def->restitution != NULL,
                    .dry = def->dry,
                    .by_slip = dry,
                    .normal = def->normal,
                    .friction = def->friction};
    for (int i = 0; i < def->parameters; i++) law->info.parameter[i] = def->parameter[i];
    for (int i = 0; i < def->memories; i++) law->info.memory[i] = def->memory[i];
    return BR_OK;
}

/* ------------------------------------------------------------------ in use */

static bool is_measure(double x) { return bri_is_finite(x) && x >= 0; }

/* At rest and at speeds from 1e-9 to 1e3 m/s. */
static BrStatus probe_speeds(const BrLaw *law, const char *what, BrError *error) {
    const BriLaw *record = bri_law_record(law);
    for (int k = -10; k <= 3; k++) {
        double speed = k < -9 ? 0 : bri_pow(10, k);
        double mu = record->dry.slides ? record->dry.slides(law, speed) : 0;
        double e = record->restitution ? record->restitution(law, speed) : 0;
        if (!is_measure(mu))
            return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s' gives mu = %.9g at a slip of %.9g m/s", what,
                            law->info->name, mu, speed);
        if (!(e >= 0 && e <= 1))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "%s: the law '%s' gives a restitution of %.9g at %.9g m/s; allowed is 0 to 1", what,
                            law->info->name, e, speed);
    }
    return BR_OK;
}

BrStatus bri_law_probe(const BrLaw *law, const char *what, BrError *error) {
    const BriLaw *record = bri_law_record(law);
    const char *name = law->info->name, *objection = record->objects ? record->objects(law) : NULL;
    if (objection) return bri_fail(error, BR_INVALID_ARGUMENT, "%s: the law '%s': %s", what, name, objection);
    BrStatus status = probe_speeds(law, what, error);
    if (status != BR_OK) return status;
    if (record->dry.holds) {
        BriCoefficients c = bri_law_coefficients(law);
        if (!is_measure(c.mu_s) || !is_measure(c.mu_r) || !is_measure(c.mu_spin) || !is_measure(c.creep))
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "%s: the law '%s' gives holds = %.9g, rolls = %.9g m, spins = %.9g m, width = %.9g m/s; none "
                "may be negative",
                what, name, c.mu_s, c.mu_r, c.mu_spin, c.creep);
        if (c.mu_k > c.mu_s)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "%s: the law '%s' holds up to mu = %.9g and slides with %.9g at no slip; a slide would not "
                            "begin",
                            what, name, c.mu_s, c.mu_k);
    }
    if (record->normal.power) {
        BrPower power = record->normal.power(law);
        if (!is_measure(power.stiffness) || !(power.exponent >= 1 && power.exponent <= 5))
            return bri_fail(
                error, BR_INVALID_ARGUMENT,
                "%s: the law '%s' gives a stiffness of %.9g N/m^p with p = %.9g; allowed is 0 or more, and 1 "
                "to 5",
                what, name, power.stiffness, power.exponent);
    }
    return BR_OK;
}
