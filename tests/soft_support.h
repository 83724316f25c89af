/* soft_support.h: compliant laws in one line each, and machines that touch with them. */
#ifndef TESTS_SOFT_SUPPORT_H
#define TESTS_SOFT_SUPPORT_H

#include "machine.h"

enum { GIVEN_VALUES = 9 };

/* A law with some of its parameters; the others are preset. */
typedef struct Given {
    const char *law;
    struct {
        const char *name;
        double value;
    } set[GIVEN_VALUES];
} Given;

static inline BrLaw make_law(BrLawKind kind, const Given *given) {
    BrLaw law = br_law(kind, given->law);
    for (int i = 0; i < GIVEN_VALUES && given->set[i].name; i++)
        assert_true(br_law_set(&law, given->set[i].name, given->set[i].value));
    return law;
}

/* A material that is compliant against itself. */
static inline BrMaterialId add_soft(Machine *m, const char *name, const Given *normal, const Given *friction) {
    BrMaterialDef def = br_default_material_def();
    def.name = name;
    br_law_set(&def.surface.friction, "mu", 0.5);
    def.surface.compliant_normal = make_law(BR_LAW_NORMAL, normal);
    def.surface.compliant_friction = make_law(BR_LAW_FRICTION, friction);
    return machine_add_material(m, &def);
}

/* Fixed schemes: `substeps` parts; adaptive: a tight tolerance. */
static inline BrStepDef soft_def(BrScheme scheme, double dt, int substeps) {
    BrStepDef def = machine_step_def(scheme, dt);
    def.formulation = BR_FORMULATION_COMPLIANT;
    def.substeps = substeps;
    def.tolerance = 1e-13;
    return def;
}

#endif
