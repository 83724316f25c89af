/* bushings.c: bushings, added and looked up. What they do: dynamics/bushing.c. */
#include "model/add.h"

void br_start_bushing_def(BrBushingDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->axis.z = 1;
}

static BrStatus check_numbers(const BrBushingDef *def, BrError *error) {
    const BrVec3 all[4] = {def->stiffness, def->damping, def->torsion_stiffness, def->torsion_damping};
    static const char *const NAMES[4] = {"stiffness", "damping", "torsional stiffness", "torsional damping"};
    for (int i = 0; i < 4; i++)
        if (!bri_vec_is_finite(all[i]) || !(all[i].x >= 0 && all[i].y >= 0 && all[i].z >= 0))
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "bushing '%s': its %s is [%.9g, %.9g, %.9g]; all must be finite and none negative",
                            def->name, NAMES[i], all[i].x, all[i].y, all[i].z);
    if (!bri_vec_is_finite(def->at) || !bri_vec_is_finite(def->axis) || !(bri_norm(def->axis) > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "bushing '%s' needs a point that is finite, and an axis of finite length above zero",
                        def->name);
    return BR_OK;
}

/* Points and axes in both bodies, from the initial poses. */
static void place_bushing(const BrModel *m, BriBushing *b) {
    BrMat3 frame = bri_rotation_frame(bri_scale(1 / bri_norm(b->def.axis), b->def.axis), bri_vec(1, 0, 0));
    const int body[2] = {b->a, b->b};
    for (int e = 0; e < 2; e++) {
        const BrBodyDef *of = &m->body_def[body[e]];
        b->point[e] = bri_mul_t(&of->rotation, bri_sub(b->def.at, of->position));
        b->frame[e] = bri_mat_mul_t(&of->rotation, &frame);
    }
}

BrStatus br_model_add_bushing(BrModel *m, const BrBushingDef *def, BrBushingId *id, BrError *error) {
    if (id) *id = (BrBushingId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "bushing", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->bushing_names, "bushing", error);
    if (status == BR_OK) status = check_numbers(def, error);
    if (status != BR_OK) return status;
    BriBushing b = {.def = *def, .a = bri_body_number(m, def->body_a), .b = bri_body_number(m, def->body_b)};
    if (b.a < 0 || b.b < 0)
        return bri_fail(error, BR_INVALID_ID, "bushing '%s': its %s body is not of this model", def->name,
                        b.a < 0 ? "first" : "second");
    if (b.a == b.b)
        return bri_fail(error, BR_INVALID_ARGUMENT, "bushing '%s' connects body '%s' with itself", def->name,
                        m->body_def[b.a].name);
    place_bushing(m, &b);
    if (!bri_grow(&m->allocator, (void **)&m->bushing, m->bushings, &m->bushing_capacity, sizeof b))
        return bri_no_memory_for("bushing", def->name, error);
    b.def.name = bri_own_name(m, def->name, &m->bushing_names, m->bushings);
    if (!b.def.name) return bri_no_memory_for("bushing", def->name, error);
    m->bushing[m->bushings++] = b;
    if (id) *id = br_model_bushing(m, m->bushings - 1);
    return BR_OK;
}

int br_model_bushing_count(const BrModel *m) { return m ? m->bushings : 0; }

BrBushingId br_model_bushing(const BrModel *m, int number) {
    if (!m || number < 0 || number >= m->bushings) return (BrBushingId){0};
    return (BrBushingId){number + 1, m->number, 1};
}

BrBushingId br_model_find_bushing(const BrModel *m, const char *name) {
    return m ? br_model_bushing(m, bri_names_find(&m->bushing_names, name)) : (BrBushingId){0};
}

int bri_bushing_number(const BrModel *m, BrBushingId id) {
    return id.index1 >= 1 && id.index1 <= m->bushings && id.model == m->number && id.generation == 1 ? id.index1 - 1
                                                                                                     : -1;
}

const BrBushingDef *br_bushing_def(const BrModel *m, BrBushingId id) {
    int n = m ? bri_bushing_number(m, id) : -1;
    return n < 0 ? NULL : &m->bushing[n].def;
}
