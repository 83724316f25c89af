/* random_machine_write.c: a random machine as a scene file. All of it is read back from the model. */
#include "random_machine.h"

#include <math.h>

static void write_vec(FILE *f, const char *key, BrVec3 v) {
    fprintf(f, "%s: [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

static BrVec3 third_column(const BrMat3 *A) { return vec(A->m[0][2], A->m[1][2], A->m[2][2]); }

/* Axis and angle of a rotation; near half a turn the axis comes from the symmetric part. */
static void write_rotation(FILE *f, const BrMat3 *A) {
    BrVec3 w = vec(A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]);
    double sine = 0.5 * norm(w), cosine = 0.5 * (A->m[0][0] + A->m[1][1] + A->m[2][2] - 1), angle = atan2(sine, cosine);
    if (angle == 0) return;
    if (sine < 1e-3) {
        int k = A->m[0][0] > A->m[1][1] ? 0 : 1;
        if (A->m[2][2] > A->m[k][k]) k = 2;
        BrVec3 column = vec(A->m[0][k] + A->m[k][0], A->m[1][k] + A->m[k][1], A->m[2][k] + A->m[k][2]);
        double *own = k == 0 ? &column.x : k == 1 ? &column.y : &column.z;
        *own -= 2 * cosine;
        if (cosine < 0) w = scale(dot(w, column) < 0 ? -1 : 1, column);
    }
    fprintf(f, ", rotate: [{axis: [%.17g, %.17g, %.17g], angle: %.17g}]", w.x, w.y, w.z, angle);
}

static void write_law(FILE *f, const BrLaw *law) {
    fprintf(f, "{law: %s", law->info->name);
    for (int k = 0; k < law->info->parameters; k++) {
        const BrLawParameter *p = &law->info->parameter[k];
        double x = law->value[k];
        if (isnan(x) || x == p->preset) continue;
        if (p->choice)
            fprintf(f, ", %s: %s", p->name, p->choice[(int)x]);
        else
            fprintf(f, ", %s: %.17g", p->name, x);
    }
    fprintf(f, "}");
}

static void write_surface(FILE *f, const BrSurface *s) {
    fprintf(f, "friction: ");
    write_law(f, &s->friction);
    fprintf(f, ", restitution: %.17g, hypothesis: %s", s->normal.value[0],
            s->normal.value[1] > 0 ? "poisson" : "newton");
    if (!s->compliant_normal.info) return;
    fprintf(f, ", compliant: {normal: ");
    write_law(f, &s->compliant_normal);
    fprintf(f, ", friction: ");
    write_law(f, &s->compliant_friction);
    fprintf(f, "}");
}

static void write_shape(FILE *f, const BrModel *m, const BrShapeDef *d) {
    const BrShapeInfo *info = br_shape_info(d->kind);
    const char *comma = "";
    fprintf(f, "{%s: {", info->name);
    for (int k = 0; k < info->parameters; k++, comma = ", ") {
        BrShapeField field = info->parameter[k].field;
        fprintf(f, "%s", comma);
        if (field == BR_SHAPE_RADIUS)
            fprintf(f, "radius: %.17g", d->radius);
        else if (field == BR_SHAPE_LENGTH)
            fprintf(f, "length: %.17g", d->length);
        else
            write_vec(f, info->parameter[k].key, d->size);
    }
    if (d->kind == BR_SHAPE_PLANE || d->kind == BR_SHAPE_TUBE) {
        fprintf(f, "%s", comma);
        write_vec(f, d->kind == BR_SHAPE_PLANE ? "normal" : "axis", third_column(&d->rotation_body));
    }
    fprintf(f, "}, ");
    write_vec(f, "at", d->position_body);
    fprintf(f, ", material: %s", br_material_def(m, d->material)->name);
    if (norm(d->surface_velocity_body) > 0)
        fprintf(f, ", "), write_vec(f, "surface_velocity", d->surface_velocity_body);
    fprintf(f, "}");
}

static void write_bodies(FILE *f, const BrModel *m) {
    fprintf(f, "bodies:\n");
    for (int k = 0; k < br_model_body_count(m); k++) {
        const BrBodyDef *d = br_body_def(m, br_model_body(m, k));
        const char *comma = "";
        fprintf(f, "  %s: {", d->name);
        if (d->kind == BR_BODY_DYNAMIC) {
            fprintf(f, "mass: %.17g, ", d->mass);
            write_vec(f, "inertia", vec(d->inertia.m[0][0], d->inertia.m[1][1], d->inertia.m[2][2]));
            fprintf(f, ", velocity: {");
            write_vec(f, "linear", d->velocity);
            fprintf(f, ", ");
            write_vec(f, "angular", d->angular_velocity);
            fprintf(f, "}, ");
        } else if (d->kind == BR_BODY_FIXED)
            fprintf(f, "fixed: true, ");
        fprintf(f, "pose: {");
        write_vec(f, "position", d->position);
        write_rotation(f, &d->rotation);
        fprintf(f, "}, shapes: [");
        for (int i = 0; i < br_model_shape_count(m); i++) {
            const BrShapeDef *shape = br_shape_def(m, br_model_shape(m, i));
            if (shape->body.index1 != br_model_body(m, k).index1) continue;
            fprintf(f, "%s", comma);
            write_shape(f, m, shape);
            comma = ", ";
        }
        fprintf(f, "]}\n");
    }
}

/* Names stand before the entries of a joint that has several coordinates. */
static void open_entry(FILE *f, const BrJointInfo *info, int c, const char *key, int before) {
    bool several = info->coordinates > 1;
    if (before == 0) fprintf(f, ", %s: %s", key, several ? "{" : "");
    if (several) fprintf(f, "%s%s: ", before ? ", " : "", info->coordinate[c].name);
}

static void write_bounds(FILE *f, const BrJointDef *d, const BrJointInfo *info) {
    int limits = 0, frictions = 0;
    for (int c = 0; c < info->coordinates; c++) {
        if (!isfinite(d->lower[c]) || !isfinite(d->upper[c])) continue;
        open_entry(f, info, c, "limits", limits++);
        fprintf(f, "[%.17g, %.17g]", d->lower[c], d->upper[c]);
    }
    if (limits && info->coordinates > 1) fprintf(f, "}");
    for (int c = 0; c < info->coordinates; c++) {
        if (!(d->dry_friction[c] > 0)) continue;
        open_entry(f, info, c, "friction", frictions++);
        bool slide = info->coordinate[c].unit[0] == 'm';
        fprintf(f, "{law: constant, %s: %.17g}", slide ? "force" : "torque", d->dry_friction[c]);
    }
    if (frictions && info->coordinates > 1) fprintf(f, "}");
}

static void write_joints(FILE *f, const BrModel *m) {
    if (br_model_joint_count(m) > 0) fprintf(f, "joints:\n");
    for (int k = 0; k < br_model_joint_count(m); k++) {
        const BrJointDef *d = br_joint_def(m, br_model_joint(m, k));
        const BrJointInfo *info = br_joint_info(d->type);
        fprintf(f, "  %s: {%s: [%s, %s]", d->name, info->name, br_body_def(m, d->body_a)->name,
                br_body_def(m, d->body_b)->name);
        for (int i = 0; i < info->parameters; i++) {
            BrJointField field = info->parameter[i].field;
            const BrVec3 *v = field == BR_FIELD_AT       ? &d->at
                              : field == BR_FIELD_AXIS   ? &d->axis
                              : field == BR_FIELD_AXIS_B ? &d->axis_b
                                                         : NULL;
            if (v) fprintf(f, ", "), write_vec(f, info->parameter[i].key, *v);
            if (field == BR_FIELD_LEAD) fprintf(f, ", lead: %.17g", d->lead);
        }
        write_bounds(f, d, info);
        fprintf(f, "}\n");
    }
}

static void write_springs(FILE *f, const BrModel *m) {
    if (br_model_spring_count(m) > 0) fprintf(f, "springs:\n");
    for (int k = 0; k < br_model_spring_count(m); k++) {
        const BrSpringDef *d = br_spring_def(m, br_model_spring(m, k));
        if (d->joint.index1) {
            const BrJointDef *j = br_joint_def(m, d->joint);
            fprintf(f, "  %s: {joint: %s, coordinate: %s", d->name, j->name,
                    br_joint_info(j->type)->coordinate[d->coordinate].name);
        } else
            fprintf(f, "  %s: {between: [%s, %s]", d->name, br_body_def(m, d->body_a)->name,
                    br_body_def(m, d->body_b)->name);
        fprintf(f, ", stiffness: %.17g, damping: %.17g, free_length: %.17g}\n", d->stiffness.constant,
                d->damping.constant, d->free_length);
    }
}

static void write_motors(FILE *f, const BrModel *m) {
    if (br_model_motor_count(m) > 0) fprintf(f, "motors:\n");
    for (int k = 0; k < br_model_motor_count(m); k++) {
        const BrMotorDef *d = br_motor_def(m, br_model_motor(m, k));
        const BrJointDef *j = br_joint_def(m, d->joint);
        const BrJointCoordinate *c = &br_joint_info(j->type)->coordinate[d->coordinate];
        fprintf(f, "  %s: {joint: %s, coordinate: %s, speed: %.17g", d->name, j->name, c->name, d->speed.constant);
        fprintf(f, ", %s: ", c->unit[0] == 'm' ? "max_force" : "max_torque");
        fprintf(f, "%.17g", fmin(d->max_effort, 1e300)); /* scene files know no motor without a bound */
        fprintf(f, "}\n");
    }
}

static void write_motions(FILE *f, const BrModel *m) {
    if (br_model_motion_count(m) > 0) fprintf(f, "motions:\n");
    for (int k = 0; k < br_model_motion_count(m); k++) {
        const BrMotionDef *d = br_motion_def(m, br_model_motion(m, k));
        fprintf(f, "  %s: {body: %s, velocity: [", d->name, br_body_def(m, d->body)->name);
        for (int i = 0; i < 3; i++)
            fprintf(f, "%s{sine: {amplitude: %.17g, frequency: %.17g}}", i ? ", " : "", d->linear[i].amplitude,
                    d->linear[i].frequency);
        fprintf(f, "]}\n");
    }
}

static void write_step(FILE *f, const RandomMachine *r) {
    const BrStepDef *d = &r->def;
    fprintf(f, "step: {formulation: %s, dt: %.17g, until: %.17g", br_formulation_name(d->formulation), d->dt,
            d->dt * r->steps);
    if (d->formulation != BR_FORMULATION_EVENT) fprintf(f, ", scheme: %s", br_scheme_name(d->scheme));
    if (d->friction_set == BR_FRICTION_BOX) fprintf(f, ", friction_set: box");
    if (d->friction_set == BR_FRICTION_POLYGON)
        fprintf(f, ", friction_set: {polygon: %d, aligned: %s}", d->polygon_sides,
                d->polygon_by_slip ? "slip" : "world");
    bool own_steps = d->scheme == BR_SCHEME_ADAPTIVE || d->scheme == BR_SCHEME_STIFF;
    if (d->formulation == BR_FORMULATION_COMPLIANT && !own_steps) fprintf(f, ", substeps: %d", d->substeps);
    if (own_steps) fprintf(f, ", tolerance: %.17g", d->tolerance);
    fprintf(f, "}\n");
}

void random_machine_write(const RandomMachine *r, FILE *f) {
    const BrModel *m = r->m.model;
    fprintf(f, "bristle: 1\ntitle: random machine %llu\n", (unsigned long long)r->number);
    write_vec(f, "gravity", br_model_gravity(m));
    fprintf(f, "\n");
    write_step(f, r);
    fprintf(f, "materials:\n");
    for (int k = 0; k < br_model_material_count(m); k++) {
        const BrMaterialDef *d = br_material_def(m, br_model_material(m, k));
        fprintf(f, "  %s: {", d->name);
        write_surface(f, &d->surface);
        fprintf(f, "}\n");
    }
    fprintf(f, "pairs:\n  - {between: [one, other], ");
    write_surface(f, &r->pair);
    fprintf(f, "}\n");
    write_bodies(f, m);
    write_joints(f, m);
    write_springs(f, m);
    write_motors(f, m);
    write_motions(f, m);
}
