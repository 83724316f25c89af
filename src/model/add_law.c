/* add_law.c: laws of users, which a model knows beside those of the house. */
#include "model/add.h"

BrStatus br_model_add_law(BrModel *m, const BrLawDef *def, BrError *error) {
    BrStatus status = bri_check_addition(m, def, sizeof *def, "law", error);
    if (status != BR_OK) return status;
    BriLaw law;
    status = bri_law_make(def, &m->laws, &law, error);
    if (status != BR_OK) return status;
    BriLaw *record = bri_grow(&m->allocator, (void **)&m->laws.law, m->laws.count, &m->laws.capacity, sizeof(BriLaw *))
                         ? bri_allocate(&m->allocator, 1, sizeof *record)
                         : NULL;
    if (!record) return bri_no_memory_for("law", def->name, error);
    *record = law;
    m->laws.law[m->laws.count++] = record;
    return BR_OK;
}

int br_model_law_count(const BrModel *m) { return m ? bri_law_count(&m->laws) : 0; }
const BrLawInfo *br_model_law_info(const BrModel *m, int number) { return m ? bri_law_info(&m->laws, number) : NULL; }
BrLaw br_model_law(const BrModel *m, BrLawKind kind, const char *name) {
    return m ? bri_law(&m->laws, kind, name) : (BrLaw){0};
}
