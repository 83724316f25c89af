/* couplings.c: gears, racks, screws and belts: added, and made rows of. A coupling is
 *
 *     f1 q1 + f2 q2 = offset                                                                                 (3.9)
 *
 * of coordinates q of two joints:  gear f = (1, -ratio),  rack (-radius, 1),  screw (-lead/(2 pi), 1),
 * belt (radius, -radius_b), crossed (radius, radius_b). */
#include "model/add.h"

static const BrCouplingInfo INFOS[BR_COUPLING_TYPES] = {
    [BR_COUPLING_GEAR] = {"gear", "first = ratio * second + offset: both turns, or both slides", true, true},
    [BR_COUPLING_RACK] = {"rack", "second = radius * first + offset: a pinion's turn, and its rack's slide", true,
                          false},
    [BR_COUPLING_SCREW] = {"screw", "second = lead * turns of the first + offset: a turn and a slide", true, false},
    [BR_COUPLING_BELT] = {"belt", "radius of the first * first = radius of the second * second + offset: both turns",
                          true, true}};

const BrCouplingInfo *br_coupling_info(BrCouplingType type) {
    return (unsigned)type < BR_COUPLING_TYPES ? &INFOS[type] : NULL;
}

void br_start_coupling_def(BrCouplingDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }

/* ------------------------------------------------------------------ adding */

static bool is_angle(const BriJoint *j, int coordinate) { return j->type->info.coordinate[coordinate].unit[0] == 'r'; }

static BrStatus check_end(const BrModel *m, const BriCoupling *c, int end, BrError *error) {
    const char *name = c->def.name, *place = end ? "second" : "first";
    if (c->joint[end] < 0)
        return bri_fail(error, BR_INVALID_ID, "coupling '%s': its %s joint is not of this model", name, place);
    const BriJoint *j = &m->joint[c->joint[end]];
    const BrJointInfo *info = &j->type->info;
    int k = c->coordinate[end];
    if (k < 0 || k >= info->coordinates || !info->coordinate[k].driveable)
        return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s': joint '%s' (%s) has no coordinate %d to couple",
                        name, j->def.name, info->name, k);
    if (j->type->measure[k] == BRI_MEASURE_UNIVERSAL)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "coupling '%s': angles of the universal joint '%s' do not count turns, and cannot be coupled; "
                        "couple a revolute joint",
                        name, j->def.name);
    const BrCouplingInfo *type = &INFOS[c->def.type];
    bool wanted = end ? type->angle_b : type->angle_a, angle = is_angle(j, k);
    if (c->def.type != BR_COUPLING_GEAR && angle != wanted)
        return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s': %s of joint '%s' is %s; the %s end of a %s is %s",
                        name, info->coordinate[k].name, j->def.name, angle ? "an angle" : "a slide", place, type->name,
                        wanted ? "an angle" : "a slide");
    return BR_OK;
}

/* A number that must be finite and not zero. */
static BrStatus check_number(const BriCoupling *c, const char *what, double value, bool positive, BrError *error) {
    if (bri_is_finite(value) && value != 0 && (value > 0 || !positive)) return BR_OK;
    return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s': %s is %.9g; it must be finite and %s", c->def.name,
                    what, value, positive ? "positive" : "not zero");
}

static BrStatus find_factors(BriCoupling *c, BrError *error) {
    const BrCouplingDef *def = &c->def;
    const double TURN = 6.28318530717958647692;
    BrStatus status = BR_OK;
    c->factor[0] = c->factor[1] = 1;
    switch (def->type) {
    case BR_COUPLING_GEAR:
        status = check_number(c, "ratio", def->ratio, false, error);
        c->factor[1] = -def->ratio;
        break;
    case BR_COUPLING_RACK:
        status = check_number(c, "radius", def->radius, false, error);
        c->factor[0] = -def->radius;
        break;
    case BR_COUPLING_SCREW:
        status = check_number(c, "lead", def->lead, false, error);
        c->factor[0] = -def->lead / TURN;
        break;
    case BR_COUPLING_BELT:
        status = check_number(c, "the first radius", def->radius, true, error);
        if (status == BR_OK) status = check_number(c, "the second radius", def->radius_b, true, error);
        c->factor[0] = def->radius;
        c->factor[1] = def->crossed ? def->radius_b : -def->radius_b;
        break;
    case BR_COUPLING_TYPES: break;
    }
    c->offset = def->offset;
    if (status != BR_OK || bri_is_finite(def->offset)) return status;
    return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s': offset is %.9g; it must be finite", def->name,
                    def->offset);
}

static BrStatus check_coupling(const BrModel *m, BriCoupling *c, BrError *error) {
    if (!br_coupling_info(c->def.type))
        return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s': %d is no type of coupling", c->def.name,
                        (int)c->def.type);
    BrStatus status = check_end(m, c, 0, error);
    if (status == BR_OK) status = check_end(m, c, 1, error);
    if (status != BR_OK) return status;
    const BriJoint *a = &m->joint[c->joint[0]], *b = &m->joint[c->joint[1]];
    if (a == b && c->coordinate[0] == c->coordinate[1])
        return bri_fail(error, BR_INVALID_ARGUMENT, "coupling '%s' couples joint '%s' with itself", c->def.name,
                        a->def.name);
    if (c->def.type == BR_COUPLING_GEAR && is_angle(a, c->coordinate[0]) != is_angle(b, c->coordinate[1]))
        return bri_fail(
            error, BR_INVALID_ARGUMENT,
            "coupling '%s': a gear couples two angles, or two slides; for '%s' and '%s' take a rack or a screw",
            c->def.name, a->def.name, b->def.name);
    return find_factors(c, error);
}

/* What its type does not use says nothing. */
static void clear_unused(BrCouplingDef *def) {
    if (def->type != BR_COUPLING_GEAR) def->ratio = 0;
    if (def->type != BR_COUPLING_RACK && def->type != BR_COUPLING_BELT) def->radius = 0;
    if (def->type != BR_COUPLING_SCREW) def->lead = 0;
    if (def->type != BR_COUPLING_BELT) def->radius_b = 0, def->crossed = false;
}

BrStatus br_model_add_coupling(BrModel *m, const BrCouplingDef *def, BrCouplingId *id, BrError *error) {
    if (id) *id = (BrCouplingId){0};
    BrStatus status = bri_check_addition(m, def, sizeof *def, "coupling", error);
    if (status == BR_OK) status = bri_check_name(def->name, &m->coupling_names, "coupling", error);
    if (status != BR_OK) return status;
    BriCoupling c = {.def = *def,
                     .joint = {bri_joint_number(m, def->joint_a), bri_joint_number(m, def->joint_b)},
                     .coordinate = {def->coordinate_a, def->coordinate_b},
                     .more = {-1, -1}};
    status = check_coupling(m, &c, error);
    if (status != BR_OK) return status;
    if (!bri_grow(&m->allocator, (void **)&m->coupling, m->couplings, &m->coupling_capacity, sizeof c))
        return bri_no_memory_for("coupling", def->name, error);
    clear_unused(&c.def);
    c.def.name = bri_own_name(m, def->name, &m->coupling_names, m->couplings);
    if (!c.def.name) return bri_no_memory_for("coupling", def->name, error);
    m->coupling[m->couplings++] = c;
    if (id) *id = br_model_coupling(m, m->couplings - 1);
    return BR_OK;
}

/* ------------------------------------------------------------------ rows */

static const BriJointType ROW = {.info = {.name = "coupling", .help = "", .constraints = 1, .holonomic = 1},
                                 .row_name = {"coupling"}};

/* The different bodies of both joints: those that can move, then those that are moved, then fixed ones. */
static int list_bodies(const BrModel *m, const BriCoupling *c, int list[4]) {
    static const BrBodyKind ORDER[3] = {BR_BODY_DYNAMIC, BR_BODY_KINEMATIC, BR_BODY_FIXED};
    int count = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int e = 0; e < 4; e++) {
            const BriJoint *j = &m->joint[c->joint[e / 2]];
            int body = e % 2 ? j->b : j->a;
            bool known = m->body_def[body].kind != ORDER[kind];
            for (int i = 0; i < count; i++) known = known || list[i] == body;
            if (!known) list[count++] = body;
        }
    return count;
}

BrStatus bri_model_make_couplings(BrModel *m, BrError *error) {
    const double NONE = __builtin_nan(""); /* it says nothing about where a motion starts */
    m->couples_more = false;
    for (int k = 0; k < m->couplings; k++) {
        BriCoupling *c = &m->coupling[k];
        int body[4], count = list_bodies(m, c, body);
        BriJoint row = {.def = {.name = c->def.name,
                                .type = BR_JOINT_TYPES,
                                .start = {NONE, NONE, NONE},
                                .start_rate = {NONE, NONE, NONE}},
                        .type = &ROW,
                        .a = body[0],
                        .b = body[1],
                        .frame_a = bri_identity(),
                        .frame_b = bri_identity(),
                        .rows = 1,
                        .partner = -1,
                        .coupling = c};
        for (int i = 0; i < 2; i++) /* fixed ones have no part in a rate */
            c->more[i] = 2 + i < count && m->body_def[body[2 + i]].kind != BR_BODY_FIXED ? body[2 + i] : -1;
        m->couples_more = m->couples_more || c->more[0] >= 0;
        if (!bri_grow(&m->allocator, (void **)&m->joint, m->joints, &m->joint_capacity, sizeof row))
            return bri_no_memory_for("coupling", c->def.name, error);
        m->joint[m->joints++] = row;
        m->coupled++;
    }
    return BR_OK;
}

/* ------------------------------------------------------------------ looking up */

int br_model_coupling_count(const BrModel *m) { return m ? m->couplings : 0; }

BrCouplingId br_model_coupling(const BrModel *m, int number) {
    if (!m || number < 0 || number >= m->couplings) return (BrCouplingId){0};
    return (BrCouplingId){number + 1, m->number, 1};
}

BrCouplingId br_model_find_coupling(const BrModel *m, const char *name) {
    return m ? br_model_coupling(m, bri_names_find(&m->coupling_names, name)) : (BrCouplingId){0};
}

const BrCouplingDef *br_coupling_def(const BrModel *m, BrCouplingId id) {
    int n = m ? bri_coupling_number(m, id) : -1;
    return n < 0 ? NULL : &m->coupling[n].def;
}
