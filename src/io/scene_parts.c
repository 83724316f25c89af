/* scene_parts.c: joints, springs, motors, motions and forces of a scene. */
#include "io/scene_parts.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const BriArguments OF_TIME = {{"t", NULL}, {{true, 0, 0, 1, 0}, {false, 0, 0, 0, 0}}, false};
static const BriArguments OF_MACHINE = {{"t", NULL}, {{true, 0, 0, 1, 0}, {false, 0, 0, 0, 0}}, true};

/* ------------------------------------------------------------------ what all parts share */

bool bri_check_section(BriReader *r, const BriNode *section, const char *what) {
    if (section->kind == BRI_NODE_MAPPING) return true;
    return bri_refuse(r, section, "%s must be a mapping of names, like {name: {...}}", what);
}

static const BriNode *find(const BriNode *node, const char *key) { return bri_node_find(node, key); }

bool bri_find_body(BriReader *r, const BriNode *node, const char *what, BrBodyId *id) {
    const char *name;
    if (!bri_read_word(r, node, what, &name)) return false;
    *id = br_model_find_body(r->model, name);
    if (id->index1) return true;
    const char *names[256];
    int count = br_model_body_count(r->model) < 256 ? br_model_body_count(r->model) : 256;
    for (int i = 0; i < count; i++) names[i] = br_body_def(r->model, br_model_body(r->model, i))->name;
    int ignored;
    if (count == 0) return bri_refuse(r, node, "there is no body '%.60s': the scene has no bodies", name);
    bri_choose(r, node, name, "body", names, count, &ignored); /* refuses, and suggests the nearest */
    return false;
}

bool bri_find_joint(BriReader *r, const BriNode *node, const char *what, BrJointId *id) {
    const char *name;
    if (!bri_read_word(r, node, what, &name)) return false;
    *id = br_model_find_joint(r->model, name);
    if (id->index1) return true;
    const char *names[256];
    int count = br_model_joint_count(r->model) < 256 ? br_model_joint_count(r->model) : 256;
    for (int i = 0; i < count; i++) names[i] = br_joint_def(r->model, br_model_joint(r->model, i))->name;
    int ignored;
    if (count == 0) return bri_refuse(r, node, "there is no joint '%.60s': the scene has no joints", name);
    bri_choose(r, node, name, "joint", names, count, &ignored);
    return false;
}

bool bri_find_body_of(BriReader *r, const BriNode *entry, BrBodyId *id) {
    const BriNode *node = find(entry, "body");
    return node ? bri_find_body(r, node, "body", id)
                : bri_refuse(r, entry, "a shape beside the bodies names its 'body'");
}

bool bri_find_body_pair(BriReader *r, const BriNode *node, const char *what, BrBodyId *a, BrBodyId *b) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 2)
        return bri_refuse(r, node, "%s must be a list of two bodies [first, second]", what);
    return bri_find_body(r, node->items[0], what, a) && bri_find_body(r, node->items[1], what, b);
}

/* The joint coordinate a spring, motor or motion acts on: named, or the only one there is. */
static bool find_coordinate(BriReader *r, const BriNode *entry, BrJointId joint, int *coordinate, bool *is_angle) {
    const BrJointInfo *info = br_joint_info(br_joint_def(r->model, joint)->type);
    const BriNode *node = find(entry, "coordinate");
    const char *names[3];
    int numbers[3], count = 0, choice = 0;
    for (int c = 0; c < info->coordinates; c++)
        if (info->coordinate[c].driveable) names[count] = info->coordinate[c].name, numbers[count++] = c;
    if (count == 0)
        return bri_refuse(r, entry, "a %s joint has no coordinate that could be driven or sprung", info->name);
    if (!node && count > 1)
        return bri_refuse(r, entry, "a %s joint has several coordinates: add 'coordinate: %s' or another", info->name,
                          names[0]);
    if (node) {
        const char *word;
        if (!bri_read_word(r, node, "coordinate", &word) ||
            !bri_choose(r, node, word, "coordinate", names, count, &choice))
            return false;
    }
    *coordinate = numbers[choice];
    *is_angle = strcmp(info->coordinate[numbers[choice]].unit, "rad") == 0;
    return true;
}

/* In the axes of a body's frame, from its origin; the model counts from the centre of mass. */
static bool read_body_point(BriReader *r, const BriNode *node, const char *key, BrBodyId body, BrVec3 *value) {
    if (!bri_read_vector(r, node, key, BRI_LENGTH, value)) return false;
    bri_shift_origin(r, body, value);
    return true;
}

bool bri_read_optional_body_point(BriReader *r, const BriNode *entry, const char *key, BrBodyId body, BrVec3 *value) {
    const BriNode *node = find(entry, key);
    return !node || read_body_point(r, node, key, body, value);
}

static bool read_optional_direction(BriReader *r, const BriNode *entry, const char *key, BrVec3 *value) {
    const BriNode *node = find(entry, key);
    return !node || bri_read_direction(r, node, key, value);
}

/* ------------------------------------------------------------------ joints */

/* The key of the entry that is a joint type. */
static bool find_joint_type(BriReader *r, const BriNode *key, const BriNode *entry, int *place, int *type) {
    const char *names[BR_JOINT_TYPES];
    for (int t = 0; t < BR_JOINT_TYPES; t++) names[t] = br_joint_info((BrJointType)t)->name;
    if (entry->kind != BRI_NODE_MAPPING || entry->count == 0)
        return bri_refuse(r, entry,
                          "joint '%.60s' must be a mapping like {revolute: [first, second], at: ..., axis: ...}",
                          key->text);
    for (int i = 0; i < entry->count; i++)
        for (int t = 0; t < BR_JOINT_TYPES; t++)
            if (strcmp(entry->keys[i]->text, names[t]) == 0) {
                *place = i;
                *type = t;
                return true;
            }
    return bri_choose(r, entry->keys[0], entry->keys[0]->text, "joint type", names, BR_JOINT_TYPES, type);
}

static bool read_shape_numbers(BriReader *r, const BriNode *node, BrJointDef *def) {
    int *number[2] = {&def->shape_a, &def->shape_b};
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 2)
        return bri_refuse(r, node,
                          "shapes must be two numbers, [shape of the first body, shape of the second], from 0");
    for (int i = 0; i < 2; i++) {
        double value;
        if (!bri_read_number(r, node->items[i], "shapes", BRI_NO_UNIT, &value)) return false;
        if (!(value >= 0 && value < 1e6) || value != (int)value)
            return bri_refuse(r, node->items[i], "%.9g is no number of a shape; they count from 0", value);
        *number[i] = (int)value;
    }
    return true;
}

static bool read_joint_field(BriReader *r, const BriNode *node, const BrJointParameter *parameter, BrJointDef *def) {
    const char *key = parameter->key;
    switch (parameter->field) {
    case BR_FIELD_AT: return bri_read_point(r, node, key, &def->at);
    case BR_FIELD_AXIS: return bri_read_axis(r, node, key, &def->axis);
    case BR_FIELD_AXIS_B: return bri_read_axis(r, node, key, &def->axis_b);
    case BR_FIELD_POINT_A: return read_body_point(r, node, key, def->body_a, &def->point_a_body);
    case BR_FIELD_POINT_B: return read_body_point(r, node, key, def->body_b, &def->point_b_body);
    case BR_FIELD_LENGTH: return bri_read_number(r, node, key, BRI_LENGTH, &def->length);
    case BR_FIELD_LEAD: return bri_read_number(r, node, key, BRI_LENGTH, &def->lead);
    case BR_FIELD_RADIUS: return bri_read_number(r, node, key, BRI_LENGTH, &def->radius);
    case BR_FIELD_STIFFNESS: return bri_read_number(r, node, key, BRI_NO_UNIT, &def->stiffness);
    case BR_FIELD_SHAPES: return read_shape_numbers(r, node, def);
    }
    return false;
}

/* limits: [low, high] or {angle: [..], slide: [..]}; friction: {law: constant, torque: .. or force: ..} likewise. */
static bool read_range(BriReader *r, const BriNode *node, const char *what, bool is_angle, double *lower,
                       double *upper) {
    if (node->kind != BRI_NODE_SEQUENCE || node->count != 2)
        return bri_refuse(r, node, "%s must be [lowest, highest]; leave a side open with '-' or a large number", what);
    double *ends[2] = {lower, upper};
    for (int i = 0; i < 2; i++) {
        const BriNode *end = node->items[i];
        if (end->kind == BRI_NODE_SCALAR && strcmp(end->text, "-") == 0) continue;
        if (!bri_read_number(r, end, what, is_angle ? BRI_ANGLE : BRI_LENGTH, ends[i])) return false;
    }
    if (*lower < *upper) return true;
    return bri_refuse(r, node, "the lower limit %.9g must be below the upper limit %.9g", *lower, *upper);
}

static bool is_angle_of(const BrJointInfo *info, int c) { return strcmp(info->coordinate[c].unit, "rad") == 0; }

static bool read_limits(BriReader *r, const BriNode *node, const BrJointInfo *info, int c, BrJointDef *def) {
    return read_range(r, node, "limits", is_angle_of(info, c), &def->lower[c], &def->upper[c]);
}

/* limits: {angle: [low, high], stiffness: .., damping: ..}: are they soft? */
static bool has_soft_limits(const BriNode *limits) {
    return limits && limits->kind == BRI_NODE_MAPPING && find(limits, "stiffness");
}

/* A spring with the limits as its play, "JOINT stop", or "JOINT stop COORDINATE" where there are several. */
static bool add_stop(BriReader *r, const BriNode *limits, const BrJointInfo *info, int c, const BrJointDef *joint,
                     BrJointId id) {
    BrSpringDef def = br_default_spring_def();
    char name[200];
    bool angle = is_angle_of(info, c), several = info->coordinates > 1;
    const BriNode *damping = find(limits, "damping");
    snprintf(name, sizeof name, "%s stop%s%s", joint->name, several ? " " : "",
             several ? info->coordinate[c].name : "");
    def.name = name, def.joint = id, def.coordinate = c;
    def.play_lower = -INFINITY, def.play_upper = INFINITY;
    double stiffness, damp = 0;
    if (!read_range(r, find(limits, info->coordinate[c].name), "limits", angle, &def.play_lower, &def.play_upper) ||
        !bri_read_number(r, find(limits, "stiffness"), "stiffness", angle ? BRI_TORSION_STIFFNESS : BRI_STIFFNESS,
                         &stiffness) ||
        (damping && !bri_read_number(r, damping, "damping", angle ? BRI_TORSION_DAMPING : BRI_DAMPING, &damp)))
        return false;
    if (!(stiffness > 0))
        return bri_refuse(r, find(limits, "stiffness"), "stiffness is %.9g; it must be positive", stiffness);
    if (!(damp >= 0)) return bri_refuse(r, damping, "damping is %.9g; it must not be negative", damp);
    def.stiffness = br_constant(stiffness), def.damping = br_constant(damp);
    BrStatus status = br_model_add_spring(r->model, &def, NULL, r->error);
    return status == BR_OK || bri_refuse_as(r, limits, status);
}

static bool read_soft_limits(BriReader *r, const BriNode *limits, const BrJointInfo *info, const BrJointDef *def,
                             BrJointId id) {
    const char *keys[5] = {"stiffness", "damping"};
    int found = 0;
    for (int c = 0; c < info->coordinates; c++) keys[2 + c] = info->coordinate[c].name;
    if (!bri_check_keys(r, limits, "soft limits", keys, 2 + info->coordinates)) return false;
    for (int c = 0; c < info->coordinates; c++) {
        if (!find(limits, info->coordinate[c].name)) continue;
        if (!add_stop(r, limits, info, c, def, id)) return false;
        found++;
    }
    if (found) return true;
    return bri_refuse(r, limits, "soft limits need a range: {%s: [lowest, highest], stiffness: ..., damping: ...}",
                      info->coordinates ? info->coordinate[0].name : "angle");
}

static bool read_dry_friction(BriReader *r, const BriNode *node, const BrJointInfo *info, int c, BrJointDef *def) {
    bool angle = strcmp(info->coordinate[c].unit, "rad") == 0;
    const char *const keys[] = {"law", angle ? "torque" : "force"};
    static const char *const LAWS[] = {"constant"};
    const char *word;
    int choice;
    if (!bri_check_keys(r, node, "joint friction", keys, 2)) return false;
    const BriNode *law = find(node, "law"), *value = find(node, keys[1]);
    if (law && (!bri_read_word(r, law, "law", &word) || !bri_choose(r, law, word, "law", LAWS, 1, &choice)))
        return false;
    if (!value) return bri_refuse(r, node, "joint friction needs '%s'", keys[1]);
    if (!bri_read_number(r, value, keys[1], angle ? BRI_TORQUE : BRI_FORCE, &def->dry_friction[c])) return false;
    if (def->dry_friction[c] >= 0) return true;
    return bri_refuse(r, value, "%s is %.9g; it must not be negative", keys[1], def->dry_friction[c]);
}

/* start: 30 deg, start_rate: 2 rad/s, or by coordinate */
static bool read_start(BriReader *r, const BriNode *node, const BrJointInfo *info, int c, BrJointDef *def) {
    BriDimension wanted = strcmp(info->coordinate[c].unit, "rad") == 0 ? BRI_ANGLE : BRI_LENGTH;
    return bri_read_number(r, node, "start", wanted, &def->start[c]);
}

static bool read_start_rate(BriReader *r, const BriNode *node, const BrJointInfo *info, int c, BrJointDef *def) {
    BriDimension wanted = strcmp(info->coordinate[c].unit, "rad") == 0 ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY;
    return bri_read_number(r, node, "start_rate", wanted, &def->start_rate[c]);
}

/* One entry for a joint's only coordinate, or a mapping from its coordinates' names. */
static bool read_by_coordinate(BriReader *r, const BriNode *node, const BrJointInfo *info, BrJointDef *def,
                               bool (*read)(BriReader *, const BriNode *, const BrJointInfo *, int, BrJointDef *)) {
    if (info->coordinates == 0)
        return bri_refuse(r, node, "a %s joint has no coordinate to limit, to rub or to start", info->name);
    if (info->coordinates == 1) return read(r, node, info, 0, def);
    const char *names[3];
    for (int c = 0; c < info->coordinates; c++) names[c] = info->coordinate[c].name;
    if (!bri_check_keys(r, node, "a joint's coordinates", names, info->coordinates)) return false;
    for (int c = 0; c < info->coordinates; c++) {
        const BriNode *value = find(node, names[c]);
        if (value && !read(r, value, info, c, def)) return false;
    }
    return true;
}

/* Of a law that follows the joint's load, or constant. */
static bool read_friction(BriReader *r, const BriNode *node, const BrJointInfo *info, BrJointDef *def) {
    const BriNode *law = node->kind == BRI_NODE_MAPPING ? find(node, "law") : NULL;
    if (law && !(law->kind == BRI_NODE_SCALAR && strcmp(law->text, "constant") == 0))
        return bri_read_bearing_friction(r, node, def);
    return read_by_coordinate(r, node, info, def, read_dry_friction);
}

static bool read_joint(BriReader *r, const BriNode *key, const BriNode *entry) {
    int place = 0, type = 0;
    if (!find_joint_type(r, key, entry, &place, &type)) return false;
    const BrJointInfo *info = br_joint_info((BrJointType)type);
    const char *keys[BRI_COUNT(info->parameter) + 5] = {info->name, "limits", "friction", "start", "start_rate"};
    int count = 5;
    for (int p = 0; p < info->parameters; p++) keys[count++] = info->parameter[p].key;
    char what[100];
    snprintf(what, sizeof what, "%s joint '%.60s'", info->name, key->text);
    if (!bri_check_keys(r, entry, what, keys, count)) return false;
    BrJointDef def = br_default_joint_def();
    def.name = key->text;
    def.type = (BrJointType)type;
    if (!bri_find_body_pair(r, entry->items[place], info->name, &def.body_a, &def.body_b)) return false;
    for (int p = 0; p < info->parameters; p++) {
        const BriNode *node = find(entry, info->parameter[p].key);
        if (!node && info->parameter[p].required)
            return bri_refuse(r, key, "%s needs '%s': %s", what, info->parameter[p].key, info->parameter[p].help);
        if (node && !read_joint_field(r, node, &info->parameter[p], &def)) return false;
    }
    const BriNode *limits = find(entry, "limits"), *friction = find(entry, "friction"), *start = find(entry, "start"),
                  *rate = find(entry, "start_rate");
    if (start && !read_by_coordinate(r, start, info, &def, read_start)) return false;
    if (rate && !read_by_coordinate(r, rate, info, &def, read_start_rate)) return false;
    bool soft = has_soft_limits(limits);
    if (limits && !soft && !read_by_coordinate(r, limits, info, &def, read_limits)) return false;
    if (friction && !read_friction(r, friction, info, &def)) return false;
    BrJointId id;
    BrStatus status = br_model_add_joint(r->model, &def, &id, r->error);
    if (status != BR_OK) return bri_refuse_as(r, key, status);
    return !soft || read_soft_limits(r, limits, info, &def, id);
}

bool bri_read_joints(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "joints")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_joint(r, section->keys[i], section->items[i])) return false;
    return true;
}

/* ------------------------------------------------------------------ springs */

static bool read_spring_laws(BriReader *r, const BriNode *entry, bool is_angle, BrSpringDef *def) {
    BriArguments deflection = {
        {"x", "v"}, {is_angle ? BRI_ANGLE : BRI_LENGTH, is_angle ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY}, true};
    BriDimension effort = is_angle ? BRI_TORQUE : BRI_FORCE;
    const BriNode *stiffness = find(entry, "stiffness"), *damping = find(entry, "damping"),
                  *force = find(entry, "force"), *free_length = find(entry, "free_length");
    if (!stiffness && !damping && !force)
        return bri_refuse(r, entry, "a spring needs at least one of 'stiffness', 'damping' and 'force'");
    bool table = stiffness && stiffness->kind == BRI_NODE_MAPPING && find(stiffness, "table");
    BriDimension per_deflection = is_angle ? BRI_TORSION_STIFFNESS : BRI_STIFFNESS;
    if (stiffness &&
        !bri_read_function(r, stiffness, "stiffness", &deflection, table ? effort : per_deflection, &def->stiffness))
        return false;
    if (damping && !bri_read_function(r, damping, "damping", &deflection, is_angle ? BRI_TORSION_DAMPING : BRI_DAMPING,
                                      &def->damping))
        return false;
    if (force && !bri_read_function(r, force, "force", &deflection, effort, &def->force)) return false;
    if (stiffness && def->stiffness.kind == BR_FUNCTION_CONSTANT && def->stiffness.constant < 0)
        return bri_refuse(r, stiffness, "stiffness is %.9g; it must not be negative", def->stiffness.constant);
    if (damping && def->damping.kind == BR_FUNCTION_CONSTANT && def->damping.constant < 0)
        return bri_refuse(r, damping, "damping is %.9g; it must not be negative", def->damping.constant);
    return !free_length ||
           bri_read_number(r, free_length, "free_length", is_angle ? BRI_ANGLE : BRI_LENGTH, &def->free_length);
}

static bool read_spring(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const KEYS[] = {"between",   "joint",   "coordinate",  "from_body", "to_body",
                                       "stiffness", "damping", "free_length", "force",     "direction_at_zero",
                                       "play"};
    char what[100];
    if (entry->kind == BRI_NODE_MAPPING && find(entry, "bushing")) return bri_read_bushing(r, key, entry);
    snprintf(what, sizeof what, "spring '%.60s'", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    BrSpringDef def = br_default_spring_def();
    const BriNode *between = find(entry, "between"), *joint = find(entry, "joint"),
                  *way = find(entry, "direction_at_zero");
    bool is_angle = false;
    def.name = key->text;
    if ((between != NULL) == (joint != NULL))
        return bri_refuse(r, key, "%s needs either 'between: [first, second]' or 'joint: name'", what);
    static const char *const OF_JOINTS[] = {"coordinate"}, *const OF_LINES[] = {"from_body", "to_body",
                                                                                "direction_at_zero"};
    const char *const *foreign = between ? OF_JOINTS : OF_LINES;
    for (int i = 0; i < (between ? BRI_COUNT(OF_JOINTS) : BRI_COUNT(OF_LINES)); i++)
        if (find(entry, foreign[i]))
            return bri_refuse(r, find(entry, foreign[i]), "%s: '%s' means nothing for a spring %s", what, foreign[i],
                              between ? "between two bodies" : "on a joint");
    if (between && !bri_find_body_pair(r, between, "between", &def.body_a, &def.body_b)) return false;
    if (joint && !(bri_find_joint(r, joint, "joint", &def.joint) &&
                   find_coordinate(r, entry, def.joint, &def.coordinate, &is_angle)))
        return false;
    if (!bri_read_optional_body_point(r, entry, "from_body", def.body_a, &def.point_a_body) ||
        !bri_read_optional_body_point(r, entry, "to_body", def.body_b, &def.point_b_body) ||
        (way && !bri_read_axis(r, way, "direction_at_zero", &def.direction_at_zero)) ||
        !read_spring_laws(r, entry, is_angle, &def))
        return false;
    const BriNode *play = find(entry, "play");
    if (play) def.play_lower = -INFINITY, def.play_upper = INFINITY;
    if (play && !read_range(r, play, "play", is_angle, &def.play_lower, &def.play_upper)) return false;
    BrSpringId id;
    BrStatus status = br_model_add_spring(r->model, &def, &id, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_springs(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "springs")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_spring(r, section->keys[i], section->items[i])) return false;
    return true;
}

/* ------------------------------------------------------------------ motors and motions */

/* Words of a motor that are one on an angle and another on a slide. */
typedef struct MotorWords {
    const char *effort, *other, *most, *other_most; /* torque, force; max_torque, max_force */
} MotorWords;

static const MotorWords MOTOR_WORDS[2] = {{"force", "torque", "max_force", "max_torque"},
                                          {"torque", "force", "max_torque", "max_force"}};

/* A number of a servo that must be positive, or may be zero. */
static bool read_gain(BriReader *r, const BriNode *entry, const char *key, BriDimension wanted, bool or_zero,
                      double *value) {
    const BriNode *node = find(entry, key);
    if (!node) return true;
    if (!bri_read_number(r, node, key, wanted, value)) return false;
    if (*value > 0 || (or_zero && *value == 0)) return true;
    return bri_refuse(r, node, "%s is %.9g; it must %s", key, *value, or_zero ? "not be negative" : "be positive");
}

static bool read_gains(BriReader *r, const BriNode *entry, bool is_angle, BrMotorDef *def) {
    return read_gain(r, entry, "stiffness", is_angle ? BRI_TORSION_STIFFNESS : BRI_STIFFNESS, true, &def->stiffness) &&
           read_gain(r, entry, "damping", is_angle ? BRI_TORSION_DAMPING : BRI_DAMPING, true, &def->damping) &&
           read_gain(r, entry, "frequency", BRI_FREQUENCY, false, &def->frequency) &&
           read_gain(r, entry, "damping_ratio", BRI_NO_UNIT, true, &def->damping_ratio) &&
           read_gain(r, entry, "max_speed", is_angle ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY, false, &def->max_speed);
}

/* What kind of motor its words make, and that they fit together. */
static bool choose_motor(BriReader *r, const BriNode *key, const BriNode *entry, const char *what,
                         const MotorWords *words, BrMotorDef *def) {
    const BriNode *speed = find(entry, "speed"), *position = find(entry, "position"),
                  *effort = find(entry, words->effort), *ratio = find(entry, "damping_ratio");
    if (!speed && !position && !effort)
        return bri_refuse(r, key, "%s needs 'speed', 'position' or '%s'", what, words->effort);
    if (speed && position)
        return bri_refuse(r, speed, "%s follows a position, and goes as fast as that does; take 'speed' away", what);
    if (ratio && !find(entry, "frequency"))
        return bri_refuse(r, ratio, "%s: 'damping_ratio' needs a 'frequency'; with a stiffness say 'damping'", what);
    bool gains = find(entry, "stiffness") || find(entry, "frequency"), damped = find(entry, "damping") != NULL;
    if (position && !gains)
        return bri_refuse(r, key,
                          "%s follows a position with 'stiffness' and 'damping', or 'frequency' and 'damping_ratio'; "
                          "for a position without give write a motion",
                          what);
    if (!position && gains)
        return bri_refuse(r, key, "%s has a stiffness or a frequency, but no 'position' that it pulls to", what);
    if (speed && effort && !damped)
        return bri_refuse(
            r, effort,
            "%s holds its speed rigidly, with whatever effort that takes; give it a 'damping' for '%s' to be "
            "added to what it follows with",
            what, words->effort);
    if (!speed && !position && damped)
        return bri_refuse(r, find(entry, "damping"), "%s has a damping, but no 'speed' that it follows", what);
    def->kind = position || damped ? BR_MOTOR_SERVO : speed ? BR_MOTOR_SPEED : BR_MOTOR_EFFORT;
    return true;
}

static bool is_infinite(const BriNode *node) {
    return node->kind == BRI_NODE_SCALAR && strcmp(node->text, "infinite") == 0;
}

static bool read_motor(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const KEYS[] = {"joint",     "coordinate",    "speed",    "max_torque", "max_force",
                                       "torque",    "force",         "position", "stiffness",  "damping",
                                       "frequency", "damping_ratio", "max_speed"};
    char what[100];
    snprintf(what, sizeof what, "motor '%.60s'", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    BrMotorDef def = br_default_motor_def();
    const BriNode *joint = find(entry, "joint"), *speed = find(entry, "speed"), *position = find(entry, "position");
    bool is_angle = false;
    def.name = key->text;
    def.max_effort = INFINITY;
    if (!joint) return bri_refuse(r, key, "%s needs 'joint'", what);
    if (!bri_find_joint(r, joint, "joint", &def.joint) ||
        !find_coordinate(r, entry, def.joint, &def.coordinate, &is_angle))
        return false;
    const MotorWords *words = &MOTOR_WORDS[is_angle];
    const char *const pairs[2][2] = {{words->most, words->other_most}, {words->effort, words->other}};
    for (int i = 0; i < 2; i++)
        if (find(entry, pairs[i][1]))
            return bri_refuse(r, find(entry, pairs[i][1]), "%s drives %s: say '%s', not '%s'", what,
                              is_angle ? "an angle" : "a slide", pairs[i][0], pairs[i][1]);
    if (!choose_motor(r, key, entry, what, words, &def) || !read_gains(r, entry, is_angle, &def)) return false;
    const BriNode *most = find(entry, words->most), *effort = find(entry, words->effort);
    if (!most && def.kind == BR_MOTOR_SPEED)
        return bri_refuse(r, key, "%s needs '%s', the most it can do", what, words->most);
    BriDimension of_effort = is_angle ? BRI_TORQUE : BRI_FORCE;
    if ((speed && !bri_read_function(r, speed, "speed", &OF_MACHINE, is_angle ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY,
                                     &def.speed)) ||
        (position &&
         !bri_read_function(r, position, "position", &OF_MACHINE, is_angle ? BRI_ANGLE : BRI_LENGTH, &def.position)) ||
        (effort && !bri_read_function(r, effort, words->effort, &OF_MACHINE, of_effort, &def.effort)) ||
        (most && !is_infinite(most) && !bri_read_number(r, most, words->most, of_effort, &def.max_effort)))
        return false;
    if (!(def.max_effort > 0))
        return bri_refuse(r, most, "%s is %.9g; it must be positive", words->most, def.max_effort);
    BrMotorId id;
    BrStatus status = br_model_add_motor(r->model, &def, &id, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_motors(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "motors")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_motor(r, section->keys[i], section->items[i])) return false;
    return true;
}

static bool read_body_motion(BriReader *r, const BriNode *key, const BriNode *entry, BrMotionDef *def) {
    static const char *const KEYS[] = {"body", "position", "velocity", "angular_velocity"};
    char what[100];
    snprintf(what, sizeof what, "motion '%.60s' of a body", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *position = find(entry, "position"), *velocity = find(entry, "velocity"),
                  *spin = find(entry, "angular_velocity");
    BrVec3 none = {0, 0, 0};
    if (position && velocity) return bri_refuse(r, key, "%s has both 'position' and 'velocity'; keep one", what);
    if (!position && !velocity && !spin)
        return bri_refuse(r, key, "%s needs 'position', 'velocity' or 'angular_velocity'", what);
    if (!bri_find_body(r, find(entry, "body"), "body", &def->body)) return false;
    def->by_velocity = !position;
    const BriNode *linear = position ? position : velocity;
    if (linear && linear->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, linear, "%s: give three components [x, y, z]", what);
    if (spin && spin->kind != BRI_NODE_SEQUENCE)
        return bri_refuse(r, spin, "%s: give three components [x, y, z]", what);
    return (!linear || bri_read_functions(r, linear, position ? "position" : "velocity", &OF_TIME,
                                          position ? BRI_LENGTH : BRI_VELOCITY, none, def->linear)) &&
           (!spin || bri_read_functions(r, spin, "angular_velocity", &OF_TIME, BRI_ANGULAR_VELOCITY, none,
                                        def->angular_velocity));
}

static bool read_joint_motion(BriReader *r, const BriNode *key, const BriNode *entry, BrMotionDef *def) {
    static const char *const KEYS[] = {"joint", "coordinate", "position", "speed"};
    char what[100];
    snprintf(what, sizeof what, "motion '%.60s' of a joint", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    const BriNode *position = find(entry, "position"), *speed = find(entry, "speed");
    bool is_angle = false;
    if ((position != NULL) == (speed != NULL))
        return bri_refuse(r, key, "%s needs one of 'position' and 'speed'", what);
    if (!bri_find_joint(r, find(entry, "joint"), "joint", &def->joint) ||
        !find_coordinate(r, entry, def->joint, &def->coordinate, &is_angle))
        return false;
    def->by_velocity = speed != NULL;
    BriDimension rate = is_angle ? BRI_ANGULAR_VELOCITY : BRI_VELOCITY, place = is_angle ? BRI_ANGLE : BRI_LENGTH;
    return bri_read_function(r, speed ? speed : position, speed ? "speed" : "position", &OF_TIME, speed ? rate : place,
                             &def->drive);
}

static bool read_motion(BriReader *r, const BriNode *key, const BriNode *entry) {
    BrMotionDef def = br_default_motion_def();
    def.name = key->text;
    if (entry->kind != BRI_NODE_MAPPING || (find(entry, "body") != NULL) == (find(entry, "joint") != NULL))
        return bri_refuse(r, key, "motion '%.60s' needs either 'body' or 'joint'", key->text);
    if (!(find(entry, "body") ? read_body_motion(r, key, entry, &def) : read_joint_motion(r, key, entry, &def)))
        return false;
    BrMotionId id;
    BrStatus status = br_model_add_motion(r->model, &def, &id, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_motions(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "motions")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_motion(r, section->keys[i], section->items[i])) return false;
    return true;
}

/* ------------------------------------------------------------------ forces */

static bool read_force(BriReader *r, const BriNode *key, const BriNode *entry) {
    static const char *const KEYS[] = {"body",        "force",   "torque",    "force_body",
                                       "torque_body", "at_body", "direction", "axis"};
    char what[100];
    snprintf(what, sizeof what, "force '%.60s'", key->text);
    if (!bri_check_keys(r, entry, what, KEYS, BRI_COUNT(KEYS))) return false;
    BrForceDef def = br_default_force_def();
    const BriNode *body = find(entry, "body"), *world[2] = {find(entry, "force"), find(entry, "torque")},
                  *turning[2] = {find(entry, "force_body"), find(entry, "torque_body")};
    def.name = key->text;
    if (!body) return bri_refuse(r, key, "%s needs 'body'", what);
    if (!world[0] && !world[1] && !turning[0] && !turning[1])
        return bri_refuse(r, key, "%s needs 'force' or 'torque' (or 'force_body', 'torque_body')", what);
    if ((world[0] || world[1]) && (turning[0] || turning[1]))
        return bri_refuse(r, key, "%s mixes world axes and body axes; write two forces", what);
    def.in_body_axes = turning[0] || turning[1];
    const BriNode *force = def.in_body_axes ? turning[0] : world[0], *torque = def.in_body_axes ? turning[1] : world[1];
    BrVec3 direction = {1, 0, 0}, axis = {0, 0, 1};
    if (!bri_find_body(r, body, "body", &def.body) ||
        !bri_read_optional_body_point(r, entry, "at_body", def.body, &def.point_body) ||
        !read_optional_direction(r, entry, "direction", &direction) ||
        !read_optional_direction(r, entry, "axis", &axis))
        return false;
    if (find(entry, "direction") && (!force || force->kind == BRI_NODE_SEQUENCE))
        return bri_refuse(r, find(entry, "direction"), "%s: 'direction' is for a force given as one function", what);
    if (find(entry, "axis") && (!torque || torque->kind == BRI_NODE_SEQUENCE))
        return bri_refuse(r, find(entry, "axis"), "%s: 'axis' is for a torque given as one function", what);
    if (force && !bri_read_functions(r, force, "force", &OF_MACHINE, BRI_FORCE, direction, def.force)) return false;
    if (torque && !bri_read_functions(r, torque, "torque", &OF_MACHINE, BRI_TORQUE, axis, def.torque)) return false;
    BrForceId id;
    BrStatus status = br_model_add_force(r->model, &def, &id, r->error);
    return status == BR_OK || bri_refuse_as(r, key, status);
}

bool bri_read_forces(BriReader *r, const BriNode *section) {
    if (!bri_check_section(r, section, "forces")) return false;
    for (int i = 0; i < section->count; i++)
        if (!read_force(r, section->keys[i], section->items[i])) return false;
    return true;
}
