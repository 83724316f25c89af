/* bearings.c: friction in the bearings of joints: which words there are, what makes sense, and the rows it gets. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#define BIT(type) (1u << BR_JOINT_##type)
enum {
    PINS = BIT(REVOLUTE) | BIT(CYLINDRICAL) | BIT(UNIVERSAL),
    ALL = PINS | BIT(PRISMATIC) | BIT(SPHERICAL) | BIT(SCREW),
    DRIVEN = BIT(REVOLUTE) | BIT(PRISMATIC) | BIT(SCREW)
};
#define AT(field) offsetof(BrJointFriction, field)

static const BrBearingParameter WORDS[] = {
    {"pin_radius", "m", PINS | BIT(PRISMATIC), PINS, AT(pin_radius), "radius of the pin, or of a round guide"},
    {"bearing_spacing", "m", PINS, PINS, AT(bearing_spacing), "between the centres of the pin's two bearings"},
    {"bearing_offset", "m", BIT(REVOLUTE) | BIT(CYLINDRICAL) | BIT(PRISMATIC), 0, AT(bearing_offset),
     "from the joint point to the middle between the bearings, along the axis"},
    {"collar_radius", "m", BIT(REVOLUTE) | BIT(UNIVERSAL), 0, AT(collar_radius),
     "mean radius of the collar that takes the thrust; without it thrust has no friction"},
    {"guide_length", "m", BIT(PRISMATIC), BIT(PRISMATIC), AT(guide_length), "between the ends where the guide presses"},
    {"guide_width", "m", BIT(PRISMATIC), 0, AT(guide_width), "of a rectangular guide, along guide_side"},
    {"guide_height", "m", BIT(PRISMATIC), 0, AT(guide_height), "of a rectangular guide, across its width"},
    {"ball_radius", "m", BIT(SPHERICAL), BIT(SPHERICAL), AT(ball_radius), "radius of the ball"},
    {"thread_radius", "m", BIT(SCREW), BIT(SCREW), AT(thread_radius), "mean radius of the thread"},
    {"thread_angle", "rad", BIT(SCREW), 0, AT(thread_angle), "of a flank against the square thread's; metric: 30 deg"},
    {"preload", "N", ALL, 0, AT(preload), "presses in addition, whatever the joint transmits"},
    {"viscous", "N m s/rad", ALL, 0, AT(viscous), "effort per speed; of slides and of pins that slide in N s/m"},
    {"efficiency", "", DRIVEN, 0, AT(efficiency), "of what drives the coordinate, above 0 to 1: the rest is heat"},
};

int br_bearing_parameter_count(void) { return BRI_COUNT(WORDS); }

const BrBearingParameter *br_bearing_parameter(int number) {
    return (unsigned)number < BRI_COUNT(WORDS) ? &WORDS[number] : NULL;
}

static double value_of(const BrJointFriction *friction, const BrBearingParameter *word) {
    double value;
    memcpy(&value, (const char *)friction + word->offset, sizeof value);
    return value;
}

/* ------------------------------------------------------------------ what makes sense */

bool bri_bearing_is_given(const BrJointFriction *friction, const BrBearingParameter *word) {
    double nothing = word->offset == AT(efficiency) ? 1 : 0;
    return value_of(friction, word) != nothing;
}

static BrStatus check_word(const BrJointDef *def, const BrBearingParameter *word, BrError *error) {
    const char *type = br_joint_info(def->type)->name, *space = *word->unit ? " " : "";
    double value = value_of(&def->friction, word);
    bool anything = word->offset == AT(bearing_offset);
    if (bri_bearing_is_given(&def->friction, word) && !(word->taken >> def->type & 1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': %s is given, which a %s joint has not", def->name,
                        word->key, type);
    if (!bri_is_finite(value) || (value < 0 && !anything))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': %s is %.9g%s%s; it must be finite%s", def->name,
                        word->key, value, space, word->unit, anything ? "" : " and not negative");
    if (word->needed >> def->type & 1 && !(value > 0))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': friction of a %s joint needs '%s' above zero (%s); it is %.9g%s%s", def->name,
                        type, word->key, word->help, value, space, word->unit);
    return BR_OK;
}

static BrStatus check_guide(const BrJointDef *def, BrError *error) {
    const double SQUARE = 1e-6; /* as of a universal joint's axes */
    const BrJointFriction *f = &def->friction;
    bool has_side = bri_dot(f->guide_side, f->guide_side) > 0, round = f->pin_radius > 0, flat = f->guide_width > 0;
    if (def->type != BR_JOINT_PRISMATIC)
        return has_side ? bri_fail(error, BR_INVALID_ARGUMENT,
                                   "joint '%s': guide_side is given, which only a prismatic joint has", def->name)
                        : BR_OK;
    if (round == flat)
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': its guide is round and has 'pin_radius', or rectangular and has 'guide_width'; %s",
                        def->name, round ? "both are given" : "neither is given");
    if (round && (f->guide_height > 0 || has_side))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': a round guide has no guide_height and no guide_side",
                        def->name);
    double across = bri_dot(f->guide_side, def->axis);
    if (!bri_vec_is_finite(f->guide_side) ||
        (has_side && !(bri_abs(across) <= SQUARE * bri_norm(f->guide_side) * bri_norm(def->axis))))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': guide_side must be perpendicular to the axis; they enclose %.3g degrees",
                        def->name,
                        57.29577951308232 * bri_atan2(bri_norm(bri_cross(f->guide_side, def->axis)), across));
    return BR_OK;
}

BrStatus bri_check_bearings(const BrModel *m, const BrJointDef *def, BrError *error) {
    if (def->type == BR_JOINT_CONTACT) return bri_check_lasting(m, def, error);
    const BrJointFriction *f = &def->friction;
    char what[128];
    if (!f->law.info) {
        for (int i = 0; i < BRI_COUNT(WORDS); i++)
            if (bri_bearing_is_given(f, &WORDS[i]))
                return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': %s is given without a friction law", def->name,
                                WORDS[i].key);
        return BR_OK;
    }
    snprintf(what, sizeof what, "joint '%s'", def->name);
    if (!(ALL >> def->type & 1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': a %s joint has no bearings that rub", def->name,
                        br_joint_info(def->type)->name);
    BrStatus status = bri_bearing_law_check(&m->laws, &f->law, what, error);
    for (int i = 0; status == BR_OK && i < BRI_COUNT(WORDS); i++) status = check_word(def, &WORDS[i], error);
    if (status == BR_OK) status = check_guide(def, error);
    if (status != BR_OK) return status;
    for (int i = 0; i < f->law.info->parameters; i++)
        if (strcmp(f->law.info->parameter[i].name, "sigma_2") == 0 && f->law.value[i] != 0)
            return bri_fail(error, BR_INVALID_ARGUMENT,
                            "joint '%s': sigma_2 is %.9g N s/m; viscous losses of a bearing are said by 'viscous'",
                            def->name, f->law.value[i]);
    if (!(f->efficiency > 0 && f->efficiency <= 1))
        return bri_fail(error, BR_INVALID_ARGUMENT, "joint '%s': efficiency is %.9g; allowed is above 0, to 1",
                        def->name, f->efficiency);
    if (!(f->thread_angle < 1.5))
        return bri_fail(error, BR_INVALID_ARGUMENT,
                        "joint '%s': thread_angle is %.9g rad; flanks lie below 1.5 rad (86 deg)", def->name,
                        f->thread_angle);
    return BR_OK;
}

/* ------------------------------------------------------------------ rows */

static bool is_driven(const BriJoint *j, int coordinate) {
    for (int d = 0; d < j->drives; d++)
        if (j->drive[d].coordinate == coordinate) return true;
    return false;
}

/* Its rows: which coordinates they are on, and what slips per rate of them. */
static BriGrip describe_grip(const BriJoint *j, int joint, int pin) {
    const BrJointFriction *f = &j->def.friction;
    BriGrip grip = {.joint = joint, .pin = pin, .rows = 1, .coordinate = {pin, 0, 0}, .length = {f->pin_radius, 1, 1}};
    const BriLaw *law = bri_law_record(&f->law);
    grip.width = bri_bearing_width(&f->law), grip.by_slip = law->by_slip || law->bearing.slides;
    double flank = j->pitch / (f->thread_radius > 0 ? f->thread_radius : 1);
    switch (j->def.type) {
    case BR_JOINT_CYLINDRICAL:
        grip.rows = 2;
        grip.coordinate[1] = 1;
        break;
    case BR_JOINT_SPHERICAL:
        grip.rows = 3;
        for (int r = 0; r < 3; r++) grip.coordinate[r] = r, grip.length[r] = f->ball_radius;
        break;
    case BR_JOINT_PRISMATIC: grip.length[0] = 1; break;
    case BR_JOINT_SCREW: grip.length[0] = f->thread_radius * bri_sqrt(1 + flank * flank); break; /* along the helix */
    default: break;
    }
    return grip;
}

/* The width of a rectangular guide in x and y of the joint. */
static void lay_guide(const BrModel *m, const BriJoint *j, BriGrip *grip) {
    const BrMat3 *A = &m->body_def[j->a].rotation;
    BrVec3 side = bri_mul_t(&j->frame_a, bri_mul_t(A, j->def.friction.guide_side));
    double length = bri_sqrt(side.x * side.x + side.y * side.y);
    grip->side[0] = length > 0 ? side.x / length : 0;
    grip->side[1] = length > 0 ? side.y / length : 1;
}

static BrStatus add_grip(BrModel *m, int joint, int pin, BrError *error) {
    BriJoint *j = &m->joint[joint];
    BriGrip grip = describe_grip(j, joint, pin);
    lay_guide(m, j, &grip);
    for (int r = 0; r < grip.rows; r++) {
        grip.drive[r] = -1;
        if (is_driven(j, grip.coordinate[r])) {
            for (int d = 0; d < j->drives; d++)
                if (j->drive[d].motor >= 0 && m->motor[j->drive[d].motor].def.kind == BR_MOTOR_SERVO)
                    return bri_fail(
                        error, BR_INVALID_MODEL,
                        "joint '%s' has friction in its bearings, which does not go with the servo '%s' on its "
                        "coordinate; give it constant friction, {law: constant}, or a motor by speed or torque",
                        j->def.name, m->motor[j->drive[d].motor].def.name);
            if (grip.rows > 1)
                return bri_fail(error, BR_INVALID_MODEL,
                                "joint '%s' has friction and a motor or motion on one of two coordinates that rub "
                                "together; drive it through a joint of its own",
                                j->def.name);
            grip.driven = true;
            continue;
        }
        grip.drive[r] = j->drives;
        j->drive[j->drives++] = (BriDrive){grip.coordinate[r], true, -1, -1, m->grips};
        j->rows++;
    }
    if (j->def.friction.efficiency < 1 && !grip.driven)
        return bri_fail(error, BR_INVALID_MODEL,
                        "joint '%s' has an efficiency, but neither a motor nor a motion that it would be of",
                        j->def.name);
    m->grip[m->grips++] = grip;
    return BR_OK;
}

BrStatus bri_model_make_grips(BrModel *m, BrError *error) {
    BrStatus status = BR_OK;
    bri_release(&m->allocator, m->grip);
    m->grip = bri_allocate(&m->allocator, 2 * (size_t)m->joints, sizeof *m->grip);
    m->grips = 0;
    if (!m->grip) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int k = 0; status == BR_OK && k < m->joints; k++) {
        BriJoint *j = &m->joint[k];
        while (j->drives > 0 && j->drive[j->drives - 1].grip >= 0) j->drives--, j->rows--; /* of a build that failed */
        if (!j->def.friction.law.info || j->def.type == BR_JOINT_CONTACT) continue;
        status = add_grip(m, k, 0, error);
        if (status == BR_OK && j->def.type == BR_JOINT_UNIVERSAL) status = add_grip(m, k, 1, error);
    }
    return status;
}
