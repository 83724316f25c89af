/* report_parts.c: what the scene in a recording knows of the machine: shapes, joints, springs, motors. */
#include "report.h"

#include <math.h>

static BrVec3 minus(BrVec3 a, BrVec3 b) { return (BrVec3){a.x - b.x, a.y - b.y, a.z - b.z}; }

/* A direction of the world in a body's axes. */
static BrVec3 turn_into(const BrMat3 *A, BrVec3 v) {
    return (BrVec3){A->m[0][0] * v.x + A->m[1][0] * v.y + A->m[2][0] * v.z,
                    A->m[0][1] * v.x + A->m[1][1] * v.y + A->m[2][1] * v.z,
                    A->m[0][2] * v.x + A->m[1][2] * v.y + A->m[2][2] * v.z};
}

static void write_vector(FILE *out, const char *key, const BrVec3 *v) {
    fprintf(out, ", \"%s\": ", key);
    if (v)
        json_vector(out, *v);
    else
        fputs("null", out);
}

static void write_number(FILE *out, const char *key, double value) {
    fprintf(out, ", \"%s\": ", key);
    json_number(out, value);
}

static void write_numbers(FILE *out, const char *key, const double *values, int count) {
    fprintf(out, ", \"%s\": ", key);
    json_numbers(out, values, count);
}

static void write_name(FILE *out, const char *name) {
    fputs("{\"name\": ", out);
    json_text(out, name);
}

/* ------------------------------------------------------------------ shapes */

static void write_field(FILE *out, const BrShapeDef *def, BrShapeField field) {
    switch (field) {
    case BR_SHAPE_SIZE:
    case BR_SHAPE_SEMI_AXES: write_vector(out, "size", &def->size); break;
    case BR_SHAPE_RADIUS: write_number(out, "radius", def->radius); break;
    case BR_SHAPE_LENGTH: write_number(out, "length", def->length); break;
    case BR_SHAPE_RING_RADIUS: write_number(out, "ring_radius", def->ring_radius); break;
    case BR_SHAPE_COEFFICIENTS: write_numbers(out, "quadric", def->quadric, 10); break;
    case BR_SHAPE_POINTS: write_numbers(out, "points", def->points, 2 * def->point_count); break;
    }
}

static void write_shape(FILE *out, const BrModel *model, const BrShapeDef *def) {
    const BrShapeInfo *info = br_shape_info(def->kind);
    const BrMaterialDef *material = br_material_def(model, def->material);
    fprintf(out, "{\"kind\": \"%s\"", info->name);
    write_vector(out, "position", &def->position_body);
    write_numbers(out, "rotation", &def->rotation_body.m[0][0], 9);
    for (int p = 0; p < info->parameters; p++) write_field(out, def, info->parameter[p].field);
    fputs(", \"material\": ", out);
    json_text(out, material ? material->name : "");
    fputc('}', out);
}

void write_shapes(FILE *out, const BrModel *model, BrBodyId body) {
    bool first = true;
    for (int i = 0; i < br_model_shape_count(model); i++) {
        const BrShapeDef *def = br_shape_def(model, br_model_shape(model, i));
        if (def->body.index1 != body.index1) continue;
        if (!first) fputs(", ", out);
        write_shape(out, model, def);
        first = false;
    }
}

/* ------------------------------------------------------------------ joints */

static int number_of_body(const BrModel *model, BrBodyId id) {
    int number = br_model_body_count(model) - 1;
    while (number >= 0 && br_model_body(model, number).index1 != id.index1) number--;
    return number;
}

static int number_of_joint(const BrModel *model, BrJointId id) {
    int number = br_model_joint_count(model) - 1;
    while (number >= 0 && br_model_joint(model, number).index1 != id.index1) number--;
    return number;
}

static bool has_field(const BrJointInfo *info, BrJointField field) {
    for (int p = 0; p < info->parameters; p++)
        if (info->parameter[p].field == field) return true;
    return false;
}

/* A point of the world, where the bodies are defined, in a body's axes from its centre of mass. */
static BrVec3 find_point(const BrModel *model, BrBodyId body, BrVec3 at) {
    const BrBodyDef *def = br_body_def(model, body);
    return turn_into(&def->rotation, minus(at, def->position));
}

static void write_points(FILE *out, const BrModel *model, const BrJointDef *def, const BrJointInfo *info) {
    bool at = has_field(info, BR_FIELD_AT);
    bool a = has_field(info, BR_FIELD_POINT_A), b = has_field(info, BR_FIELD_POINT_B);
    BrVec3 first = at ? find_point(model, def->body_a, def->at) : def->point_a_body;
    BrVec3 second = b ? def->point_b_body : find_point(model, def->body_b, def->at);
    write_vector(out, "at_first", at || a ? &first : NULL);
    write_vector(out, "at_second", at || b ? &second : NULL);
    double size = sqrt(def->axis.x * def->axis.x + def->axis.y * def->axis.y + def->axis.z * def->axis.z);
    BrVec3 axis = {def->axis.x / size, def->axis.y / size, def->axis.z / size};
    axis = turn_into(&br_body_def(model, def->body_a)->rotation, axis);
    write_vector(out, "axis_first", has_field(info, BR_FIELD_AXIS) && size > 0 ? &axis : NULL);
}

static bool has_friction(const BrJointDef *def) {
    return def->friction.law.info || def->dry_friction[0] > 0 || def->dry_friction[1] > 0 || def->dry_friction[2] > 0;
}

static void write_joint(FILE *out, const BrModel *model, const BrJointDef *def) {
    const BrJointInfo *info = br_joint_info(def->type);
    write_name(out, def->name);
    fprintf(out, ", \"type\": \"%s\", \"bodies\": [%d, %d]", info->name, number_of_body(model, def->body_a),
            number_of_body(model, def->body_b));
    write_points(out, model, def, info);
    fputs(", \"limits\": [", out);
    for (int c = 0; c < info->coordinates; c++) {
        if (c) fputs(", ", out);
        json_numbers(out, (double[]){def->lower[c], def->upper[c]}, 2);
    }
    fputs("], \"coordinates\": [", out);
    for (int c = 0; c < info->coordinates; c++) fprintf(out, "%s\"%s\"", c ? ", " : "", info->coordinate[c].name);
    fprintf(out, "], \"friction\": %s}", has_friction(def) ? "true" : "false");
}

/* ------------------------------------------------------------------ springs and motors */

static void write_spring(FILE *out, const BrModel *model, const BrSpringDef *def) {
    write_name(out, def->name);
    if (def->joint.index1) {
        fprintf(out, ", \"joint\": %d", number_of_joint(model, def->joint));
    } else {
        fprintf(out, ", \"bodies\": [%d, %d]", number_of_body(model, def->body_a), number_of_body(model, def->body_b));
        write_vector(out, "from", &def->point_a_body);
        write_vector(out, "to", &def->point_b_body);
    }
    write_number(out, "free_length", def->free_length);
    fputc('}', out);
}

void write_parts(FILE *out, const Shown *s) {
    const BrModel *m = s->model;
    fputs("\"joints\": [", out);
    for (int i = 0; m && i < br_model_joint_count(m); i++) {
        if (i) fputs(",\n", out);
        write_joint(out, m, br_joint_def(m, br_model_joint(m, i)));
    }
    fputs("],\n\"springs\": [", out);
    for (int i = 0; m && i < br_model_spring_count(m); i++) {
        if (i) fputs(",\n", out);
        write_spring(out, m, br_spring_def(m, br_model_spring(m, i)));
    }
    fputs("],\n\"motors\": [", out);
    for (int i = 0; m && i < br_model_motor_count(m); i++) {
        const BrMotorDef *def = br_motor_def(m, br_model_motor(m, i));
        if (i) fputs(",\n", out);
        write_name(out, def->name);
        fprintf(out, ", \"joint\": %d", number_of_joint(m, def->joint));
        write_number(out, "max_effort", def->max_effort);
        fputc('}', out);
    }
    fputs("],\n", out);
}
