/* add_signal.c: signals, numbers with names. Where an expression names one, the signal's own is written out in its place,
 * so that whoever reads a machine needs no order of evaluation; tables are looked up where they stand. A signal knows only
 * those before it: there are no circles. */
#include "model/add.h"

#include <stdio.h>
#include <string.h>

enum { DEAREST = 100000 }; /* operations that reading a signal may take */

/* The time stands in a signal as a quantity, since a spring has other arguments. */
static const char *const NO_ARGUMENT[2] = {NULL, NULL};

void bri_release_signal(BriSignal *s, const BrAllocator *allocator) {
    bri_release(allocator, (void *)(uintptr_t)s->def.name);
    bri_release(allocator, (void *)(uintptr_t)s->def.over);
    bri_release(allocator, (void *)(uintptr_t)s->def.constants);
    if (s->name.code != s->value.formula.code) bri_expression_release(&s->name, allocator);
    bri_function_disown(&s->def.value, &s->value, allocator);
    bri_expression_release(&s->over, allocator);
}

/* How many operations an expression takes, with the tables in it. */
static double find_dearness(const BrModel *m, const BriExpression *e) {
    double sum = e->count;
    int place = 0, n;
    while ((n = bri_expression_quantity(e, &place)) >= 0)
        if (m->quantity[n].kind == BRI_QUANTITY_TABLE) sum += m->signal[m->quantity[n].a].dearness;
    return sum;
}

/* What is looked up stands as a quantity where it is named: one instruction, of this signal. */
static BrStatus name_table(BrModel *m, BriSignal *s, BrError *error) {
    if (!bri_grow(&m->allocator, (void **)&m->quantity, m->quantities, &m->quantity_capacity, sizeof *m->quantity) ||
        !bri_expression_of_quantity(m->quantities, &m->allocator, &s->name))
        return bri_no_memory_for("signal", s->def.name, error);
    m->quantity[m->quantities++] = (BriQuantity){.kind = BRI_QUANTITY_TABLE, .a = m->signals};
    return BR_OK;
}

/* Its function, and what it is looked up at. */
static BrStatus own_value(BrModel *m, const BrSignalDef *def, BriSignal *s, const char *what, BrError *error) {
    BrFunctionDef over = {.kind = BR_FUNCTION_EXPRESSION,
                          .expression = def->over,
                          .constants = def->constants,
                          .constant_count = def->constant_count};
    BriFunction formula = bri_function_constant(0);
    s->def.value = def->value;
    BrStatus status = bri_function_own(&s->def.value, NO_ARGUMENT, what, m, &m->allocator, &s->value, error);
    if (status != BR_OK || !def->over) return status;
    status = bri_function_own(&over, NO_ARGUMENT, what, m, &m->allocator, &formula, error);
    s->def.over = over.expression;
    s->def.constants = over.constants;
    s->def.constant_count = over.constants ? over.constant_count : 0;
    s->over = formula.formula;
    return status;
}

/* Expressions have to be able to say it. */
static BrStatus check_word(const char *name, BrError *error) {
    static const char *const TAKEN[] = {"t", "x", "v", "pi", "e"};
    bool fine = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_';
    for (const char *c = name; *c; c++)
        fine = fine && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_' || (*c >= '0' && *c <= '9'));
    for (int i = 0; i < BRI_COUNT(TAKEN); i++) fine = fine && strcmp(name, TAKEN[i]) != 0;
    if (fine) return BR_OK;
    return bri_fail(
        error, BR_INVALID_ARGUMENT,
        "signal '%.60s': expressions name it, so that it must consist of letters, digits and '_', not begin "
        "with a digit, and not be t, x, v, pi or e",
        name);
}

static BrStatus check_over(const BrSignalDef *def, BrError *error) {
    if (!def->over || def->value.kind == BR_FUNCTION_TABLE) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "signal '%s': 'over' is for a table", def->name);
}

BrStatus br_model_add_signal(BrModel *m, const BrSignalDef *def, BrSignalId *id, BrError *error) {
    if (id) *id = (BrSignalId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "signal", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->signal_names, "signal", error);
    if (status == BR_OK) status = check_word(def->name, error);
    if (status == BR_OK) status = check_over(def, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->signal, m->signals, &m->signal_capacity, sizeof *m->signal))
        return bri_no_memory_for("signal", def->name, error);
    char what[128];
    snprintf(what, sizeof what, "signal '%s'", def->name);
    int quantities = m->quantities;
    BriSignal s = {.def = *def};
    s.def.name = s.def.over = NULL;
    s.def.constants = NULL;
    s.def.constant_count = 0;
    s.def.value = br_constant(0);
    status = own_value(m, def, &s, what, error);
    double dearness = find_dearness(m, s.value.kind == BRI_FORMULA ? &s.value.formula : &s.over);
    s.dearness = (int)bri_min(dearness + 1, DEAREST);
    if (status == BR_OK && dearness > DEAREST)
        status = bri_fail(error, BR_INVALID_ARGUMENT,
                          "%s: reading it takes more than %d operations, with what it names", what, DEAREST);
    if (status == BR_OK && s.value.kind == BRI_FORMULA) s.name = s.value.formula;
    if (status == BR_OK && s.value.kind != BRI_FORMULA) status = name_table(m, &s, error);
    if (status == BR_OK) {
        s.def.name = bri_own_name(m, def->name, &m->signal_names, m->signals);
        if (!s.def.name) status = bri_no_memory_for("signal", def->name, error);
    }
    if (status != BR_OK) {
        m->quantities = quantities;
        bri_release_signal(&s, &m->allocator);
        return status;
    }
    m->signal[m->signals++] = s;
    if (id) *id = br_model_signal(m, m->signals - 1);
    return BR_OK;
}
