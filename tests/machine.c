/* machine.c: see machine.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine.h"

/* ------------------------------------------------------------------ vectors */

double norm(BrVec3 a) { return sqrt(dot(a, a)); }

BrVec3 rotate(const BrMat3 *A, BrVec3 a) {
    return vec(dot(vec(A->m[0][0], A->m[0][1], A->m[0][2]), a), dot(vec(A->m[1][0], A->m[1][1], A->m[1][2]), a),
               dot(vec(A->m[2][0], A->m[2][1], A->m[2][2]), a));
}

BrVec3 rotate_back(const BrMat3 *A, BrVec3 a) {
    return vec(dot(vec(A->m[0][0], A->m[1][0], A->m[2][0]), a), dot(vec(A->m[0][1], A->m[1][1], A->m[2][1]), a),
               dot(vec(A->m[0][2], A->m[1][2], A->m[2][2]), a));
}

/* Rodrigues: A e_k = c e_k + s n x e_k + (1 - c) n n_k */
BrMat3 turn_about(BrVec3 axis, double angle) {
    BrVec3 n = scale(1 / norm(axis), axis), e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    BrMat3 A;
    for (int k = 0; k < 3; k++) {
        BrVec3 column = add(scale(cos(angle), e[k]),
                            add(scale(sin(angle), cross(n, e[k])), scale((1 - cos(angle)) * dot(n, e[k]), n)));
        A.m[0][k] = column.x, A.m[1][k] = column.y, A.m[2][k] = column.z;
    }
    return A;
}

BrMat3 diagonal(double x, double y, double z) { return (BrMat3){{{x, 0, 0}, {0, y, 0}, {0, 0, z}}}; }

/* ------------------------------------------------------------------ machines */

static void insist(BrStatus status, const BrError *error) {
    if (status != BR_OK) fail_msg("%s: %s", br_status_name(status), error->text);
}

Machine machine_begin(BrVec3 gravity) {
    Machine m = {0};
    BrError error = {0};
    BrModelDef def = br_default_model_def();
    def.gravity = gravity;
    insist(br_model_create(&def, &m.model, &error), &error);
    BrBodyDef ground = br_default_body_def();
    ground.name = "ground";
    ground.kind = BR_BODY_FIXED;
    m.ground = machine_add_body(&m, &ground);
    return m;
}

void machine_ready(Machine *m) {
    BrError error = {0};
    insist(br_model_build(m->model, &error), &error);
    insist(br_state_create(m->model, &m->state, &error), &error);
    insist(br_workspace_create(m->model, &m->workspace, &error), &error);
    insist(br_state_assemble(m->model, m->workspace, m->state, NULL, &error), &error);
}

void machine_end(Machine *m) {
    br_workspace_destroy(m->model, m->workspace);
    br_state_destroy(m->model, m->state);
    br_model_destroy(m->model);
    *m = (Machine){0};
}

BrBodyId machine_add_body(Machine *m, const BrBodyDef *def) {
    BrError error = {0};
    BrBodyId id;
    insist(br_model_add_body(m->model, def, &id, &error), &error);
    return id;
}

BrBodyId machine_body(Machine *m, const char *name, double mass, BrMat3 inertia, BrVec3 position) {
    BrBodyDef def = br_default_body_def();
    def.name = name;
    def.mass = mass;
    def.inertia = inertia;
    def.position = position;
    return machine_add_body(m, &def);
}

BrJointId machine_add_joint(Machine *m, const BrJointDef *def) {
    BrError error = {0};
    BrJointId id;
    insist(br_model_add_joint(m->model, def, &id, &error), &error);
    return id;
}

BrJointId machine_joint(Machine *m, const char *name, BrJointType type, BrBodyId a, BrBodyId b, BrVec3 at,
                        BrVec3 axis) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.at = at;
    def.axis = axis;
    return machine_add_joint(m, &def);
}

BrJointId machine_rod(Machine *m, const char *name, BrBodyId a, BrBodyId b, BrVec3 point_a_body, BrVec3 point_b_body) {
    BrJointDef def = br_default_joint_def();
    def.name = name;
    def.type = BR_JOINT_DISTANCE;
    def.body_a = a;
    def.body_b = b;
    def.point_a_body = point_a_body;
    def.point_b_body = point_b_body;
    return machine_add_joint(m, &def);
}

static BrSpringId add_spring(Machine *m, BrSpringDef *def, const char *name, double stiffness, double damping) {
    BrError error = {0};
    BrSpringId id;
    def->name = name;
    def->stiffness = br_constant(stiffness);
    def->damping = br_constant(damping);
    insist(br_model_add_spring(m->model, def, &id, &error), &error);
    return id;
}

BrSpringId machine_line_spring(Machine *m, const char *name, BrBodyId a, BrBodyId b, double stiffness, double damping,
                               double free_length) {
    BrSpringDef def = br_default_spring_def();
    def.body_a = a;
    def.body_b = b;
    def.free_length = free_length;
    return add_spring(m, &def, name, stiffness, damping);
}

BrSpringId machine_joint_spring(Machine *m, const char *name, BrJointId joint, int coordinate, double stiffness,
                                double damping) {
    BrSpringDef def = br_default_spring_def();
    def.joint = joint;
    def.coordinate = coordinate;
    return add_spring(m, &def, name, stiffness, damping);
}

BrMotorId machine_motor(Machine *m, const char *name, BrJointId joint, int coordinate, BrFunctionDef speed,
                        double max_effort) {
    BrError error = {0};
    BrMotorId id;
    BrMotorDef def = br_default_motor_def();
    def.name = name;
    def.joint = joint;
    def.coordinate = coordinate;
    def.speed = speed;
    def.max_effort = max_effort;
    insist(br_model_add_motor(m->model, &def, &id, &error), &error);
    return id;
}

void machine_motion(Machine *m, const char *name, BrJointId joint, int coordinate, bool by_velocity,
                    BrFunctionDef drive) {
    BrError error = {0};
    BrMotionId id;
    BrMotionDef def = br_default_motion_def();
    def.name = name;
    def.joint = joint;
    def.coordinate = coordinate;
    def.by_velocity = by_velocity;
    def.drive = drive;
    insist(br_model_add_motion(m->model, &def, &id, &error), &error);
}

void machine_force(Machine *m, const char *name, BrBodyId body, int axis, BrFunctionDef force) {
    BrError error = {0};
    BrForceId id;
    BrForceDef def = br_default_force_def();
    def.name = name;
    def.body = body;
    def.force[axis] = force;
    insist(br_model_add_force(m->model, &def, &id, &error), &error);
}

/* ------------------------------------------------------------------ contact */

BrMaterialId machine_add_material(Machine *m, const BrMaterialDef *def) {
    BrError error = {0};
    BrMaterialId id;
    insist(br_model_add_material(m->model, def, &id, &error), &error);
    return id;
}

BrMaterialId machine_material(Machine *m, const char *name, double mu, double e) {
    BrMaterialDef def = br_default_material_def();
    def.name = name;
    assert_true(br_law_set(&def.surface.friction, "mu", mu) && br_law_set(&def.surface.normal, "restitution", e));
    return machine_add_material(m, &def);
}

BrShapeId machine_add_shape(Machine *m, const BrShapeDef *def) {
    BrError error = {0};
    BrShapeId id;
    insist(br_model_add_shape(m->model, def, &id, &error), &error);
    return id;
}

static BrShapeDef make_shape(BrBodyId body, BrShapeKind kind, BrMaterialId material) {
    BrShapeDef def = br_default_shape_def();
    def.body = body;
    def.kind = kind;
    def.material = material;
    return def;
}

void machine_floor(Machine *m, BrMaterialId material) { machine_plane(m, vec(0, 0, 1), material); }

void machine_plane(Machine *m, BrVec3 normal, BrMaterialId material) {
    BrShapeDef def = make_shape(m->ground, BR_SHAPE_PLANE, material);
    BrVec3 axis = cross(vec(0, 0, 1), normal);
    double sine = norm(axis);
    if (sine > 0) def.rotation_body = turn_about(axis, atan2(sine, normal.z));
    machine_add_shape(m, &def);
}

void machine_tube(Machine *m, double radius, double length, BrMaterialId material) {
    BrShapeDef def = make_shape(m->ground, BR_SHAPE_TUBE, material);
    def.radius = radius;
    def.length = length;
    def.rotation_body = turn_about(vec(1, 0, 0), PI / 2);
    machine_add_shape(m, &def);
}

void machine_sphere(Machine *m, BrBodyId body, double radius, BrMaterialId material) {
    BrShapeDef def = make_shape(body, BR_SHAPE_SPHERE, material);
    def.radius = radius;
    machine_add_shape(m, &def);
}

void machine_box(Machine *m, BrBodyId body, BrVec3 size, BrMaterialId material) {
    BrShapeDef def = make_shape(body, BR_SHAPE_BOX, material);
    def.size = size;
    machine_add_shape(m, &def);
}

void machine_point(Machine *m, BrBodyId body, BrVec3 position_body, BrMaterialId material) {
    BrShapeDef def = make_shape(body, BR_SHAPE_POINT, material);
    def.position_body = position_body;
    machine_add_shape(m, &def);
}

BrBodyId machine_ball(Machine *m, const char *name, double mass, double radius, BrVec3 position,
                      BrMaterialId material) {
    double J = 0.4 * mass * radius * radius;
    BrBodyId body = machine_body(m, name, mass, diagonal(J, J, J), position);
    machine_sphere(m, body, radius, material);
    return body;
}

BrBodyId machine_block(Machine *m, const char *name, double mass, BrVec3 size, BrVec3 position, BrMaterialId material) {
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
    BrMat3 inertia = diagonal(mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y));
    BrBodyId body = machine_body(m, name, mass, inertia, position);
    machine_box(m, body, size, material);
    return body;
}

static BrMat3 ellipsoid_inertia(double m, double x, double y, double z) { /* full widths */
    return diagonal(m * (y * y + z * z) / 20, m * (x * x + z * z) / 20, m * (x * x + y * y) / 20);
}

static BrMat3 round_inertia(double across, double along) { return diagonal(across, across, along); }

BrMat3 machine_solid_inertia(const BrShapeDef *shape, double m) {
    double r = shape->radius, l = shape->length, x = shape->size.x, y = shape->size.y, z = shape->size.z;
    double rod = l / (l + 4 * r / 3), ball = 1 - rod; /* parts of a capsule's mass */
    switch (shape->kind) {
    case BR_SHAPE_BOX: return diagonal(m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12);
    case BR_SHAPE_ELLIPSOID: return ellipsoid_inertia(m, 2 * x, 2 * y, 2 * z);
    case BR_SHAPE_CAPSULE:
        return round_inertia(m * (rod * (l * l / 12 + r * r / 4) + ball * (0.4 * r * r + l * l / 4 + 0.375 * l * r)),
                             m * r * r * (rod / 2 + 0.4 * ball));
    case BR_SHAPE_CYLINDER: return round_inertia(m * (3 * r * r + l * l) / 12, m * r * r / 2);
    case BR_SHAPE_DISC: return round_inertia(m * r * r / 4, m * r * r / 2);
    default: return round_inertia(0.4 * m * r * r, 0.4 * m * r * r);
    }
}

/* ------------------------------------------------------------------ running and reading */

BrStepDef machine_step_def(BrScheme scheme, double dt) {
    BrStepDef def = br_default_step_def();
    def.scheme = scheme;
    def.dt = dt;
    if (br_scheme_formulation(scheme) == BR_FORMULATION_SMOOTH) def.formulation = BR_FORMULATION_SMOOTH;
    return def;
}

BrStepDef machine_event_def(double dt) {
    BrStepDef def = machine_step_def(BR_SCHEME_HEM2, dt);
    def.formulation = BR_FORMULATION_EVENT;
    return def;
}

BrStepReport machine_steps(Machine *m, const BrStepDef *def, int steps) {
    BrError error = {0};
    BrStepReport report = {0};
    int impacts = 0, lowered = 0, events = 0;
    for (int k = 0; k < steps; k++) {
        BrStatus status = br_step(m->model, m->workspace, m->state, def, &report, &error);
        if (status != BR_OK)
            fail_msg("%s, %s, step %d: %s %s (contact residual %.3g m/s)", br_formulation_name(def->formulation),
                     br_scheme_name(def->scheme), k, br_status_name(status), error.text, report.contact_residual);
        impacts += report.impacts, lowered += report.lowered_impacts, events += report.events;
    }
    report.impacts = impacts, report.lowered_impacts = lowered, report.events = events;
    return report;
}

void machine_set_twist(Machine *m, BrBodyId body, BrVec3 linear, BrVec3 angular) {
    BrError error = {0};
    insist(br_body_set_twist(m->model, m->state, body, (BrTwist){linear, angular}, &error), &error);
}

int machine_contact_count(Machine *m) {
    BrError error = {0};
    insist(br_evaluate(m->model, m->workspace, m->state, &error), &error);
    return br_contact_count(m->model, m->workspace);
}

BrContact machine_contact(Machine *m, int number) {
    BrContact contact;
    assert_true(number < machine_contact_count(m));
    assert_int_equal(br_contact(m->model, m->workspace, number, &contact), BR_OK);
    return contact;
}

BrVec3 machine_memory(const Machine *m, int number, const char *name) {
    double value[3];
    assert_int_equal(br_contact_memory(m->model, m->workspace, number, name, value), BR_OK);
    return vec(value[0], value[1], value[2]);
}

BrVec3 machine_contact_force(Machine *m, bool mean) {
    BrVec3 sum = {0, 0, 0};
    int count = machine_contact_count(m);
    for (int k = 0; k < count; k++) {
        BrContact c;
        assert_int_equal(br_contact(m->model, m->workspace, k, &c), BR_OK);
        BrVec3 n = vec(c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]);
        sum = add(sum, scale(mean ? c.normal_force_mean : c.normal_force, n));
        sum = add(sum, mean ? c.friction_force_mean : c.friction_force);
    }
    return sum;
}

void machine_run(Machine *m, BrScheme scheme, double dt, int steps) {
    BrError error = {0};
    BrStepDef def = machine_step_def(scheme, dt);
    for (int k = 0; k < steps; k++) {
        BrStepReport report;
        BrStatus status = br_step(m->model, m->workspace, m->state, &def, &report, &error);
        if (status != BR_OK)
            fail_msg("%s, step %d: %s %s (residuals %.3g m, %.3g m/s, of contacts %.3g of %.3g m/s; overlap %.3g m)",
                     br_scheme_name(scheme), k, br_status_name(status), error.text, report.position_residual,
                     report.velocity_residual, report.contact_residual, report.contact_tolerance, report.overlap);
    }
}

BrPose machine_pose(const Machine *m, BrBodyId body) {
    BrPose pose;
    assert_int_equal(br_body_pose(m->model, m->state, body, &pose), BR_OK);
    return pose;
}

BrTwist machine_twist(const Machine *m, BrBodyId body) {
    BrTwist twist;
    assert_int_equal(br_body_twist(m->model, m->state, body, &twist), BR_OK);
    return twist;
}

double machine_position(const Machine *m, BrJointId joint, int coordinate) {
    double position[3], velocity[3];
    assert_int_equal(br_joint_position(m->model, m->state, joint, position, velocity), BR_OK);
    return position[coordinate];
}

double machine_rate(const Machine *m, BrJointId joint, int coordinate) {
    double position[3], velocity[3];
    assert_int_equal(br_joint_position(m->model, m->state, joint, position, velocity), BR_OK);
    return velocity[coordinate];
}

BrEnergy machine_energy(const Machine *m) {
    BrEnergy energy;
    assert_int_equal(br_state_energy(m->model, m->state, &energy), BR_OK);
    return energy;
}

double machine_mechanical_energy(const Machine *m) {
    BrEnergy e = machine_energy(m);
    return e.kinetic + e.potential + e.stored;
}

double machine_gap(const Machine *m) {
    double worst = 0;
    for (int k = 0; k < br_model_joint_count(m->model); k++) {
        double gap;
        assert_int_equal(br_joint_gap(m->model, m->state, br_model_joint(m->model, k), &gap), BR_OK);
        if (!(gap <= worst)) worst = gap;
    }
    return worst;
}

BrVec3 machine_momentum(const Machine *m) {
    BrVec3 sum = {0};
    for (int k = 0; k < br_model_body_count(m->model); k++) {
        BrBodyId id = br_model_body(m->model, k);
        sum = add(sum, scale(br_body_def(m->model, id)->mass, machine_twist(m, id).linear));
    }
    return sum;
}

BrVec3 machine_angular_momentum(const Machine *m) {
    BrVec3 sum = {0};
    for (int k = 0; k < br_model_body_count(m->model); k++) {
        BrBodyId id = br_model_body(m->model, k);
        const BrBodyDef *def = br_body_def(m->model, id);
        BrPose pose = machine_pose(m, id);
        BrTwist twist = machine_twist(m, id);
        BrVec3 spin = rotate(&pose.rotation, rotate(&def->inertia, rotate_back(&pose.rotation, twist.angular)));
        sum = add(sum, add(spin, scale(def->mass, cross(pose.position, twist.linear))));
    }
    return sum;
}

BrWrench machine_reaction(Machine *m, BrJointId joint) {
    BrError error = {0};
    BrWrench wrench;
    insist(br_evaluate(m->model, m->workspace, m->state, &error), &error);
    assert_int_equal(br_joint_reaction(m->model, m->workspace, joint, &wrench, NULL), BR_OK);
    return wrench;
}

BrTwist machine_acceleration(Machine *m, BrBodyId body) {
    BrError error = {0};
    BrTwist rate;
    insist(br_evaluate(m->model, m->workspace, m->state, &error), &error);
    assert_int_equal(br_body_acceleration(m->model, m->workspace, body, &rate), BR_OK);
    return rate;
}

double machine_distance(const Machine *a, const Machine *b) {
    double sum = 0;
    for (int k = 0; k < br_model_body_count(a->model); k++) {
        BrBodyId in_a = br_model_body(a->model, k), in_b = br_model_body(b->model, k);
        BrPose p = machine_pose(a, in_a), q = machine_pose(b, in_b);
        BrTwist v = machine_twist(a, in_a), w = machine_twist(b, in_b);
        BrVec3 differences[] = {sub(p.position, q.position), sub(v.linear, w.linear), sub(v.angular, w.angular)};
        for (int i = 0; i < 3; i++) sum += dot(differences[i], differences[i]);
        for (int i = 0; i < 9; i++) sum += pow(p.rotation.m[i / 3][i % 3] - q.rotation.m[i / 3][i % 3], 2);
    }
    return sqrt(sum);
}

/* ------------------------------------------------------------------ references */

double complete_elliptic(double k) {
    double a = 1, b = sqrt(1 - k * k);
    for (int i = 0; i < 40 && fabs(a - b) > 1e-16 * a; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 0.5 * PI / a;
}

void integrate(Derivative *f, const void *user, int unknowns, double t0, double t1, int steps, double *y) {
    double k[4][8] = {{0}}, z[8], h = (t1 - t0) / steps;
    const double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0};
    assert_true(unknowns <= 8);
    for (int n = 0; n < steps; n++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < unknowns; i++) z[i] = y[i] + (s > 0 ? h * reach[s] * k[s - 1][i] : 0);
            f(t0 + (n + reach[s]) * h, z, k[s], user);
        }
        for (int s = 0; s < 4; s++)
            for (int i = 0; i < unknowns; i++) y[i] += h * weight[s] * k[s][i];
    }
}

double observed_order(double coarse_error, double fine_error) { return log2(coarse_error / fine_error); }
void name_new_file(const char *ending, char name[64]) {
    char path[] = "/tmp/bristle-XXXXXX";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);
    remove(path);
    snprintf(name, 64, "%s%s", path, ending);
}

bool is_slow_run(void) { return getenv("BRISTLE_SLOW") != NULL; }
bool is_check_run(void) { return getenv("BRISTLE_CHECK") != NULL; }
bool is_long_run(void) { return getenv("BRISTLE_LONG") != NULL; }

static uint64_t next_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

double draw(uint64_t *seed, double low, double high) {
    return low + (high - low) * ((double)(next_random(seed) >> 11) * 0x1p-53);
}

BrVec3 draw_vec(uint64_t *seed, double size) {
    double x = draw(seed, -size, size), y = draw(seed, -size, size);
    return vec(x, y, draw(seed, -size, size));
}

int draw_int(uint64_t *seed, int count) { return (int)(next_random(seed) >> 33) % count; }

void assert_near_at(double a, double b, double tolerance, const char *what, const char *file, int line) {
    if (fabs(a - b) <= tolerance) return;
    print_error("%s is %.17g, not %.17g: off by %.3g, allowed %.3g\n", what, a, b, a - b, tolerance);
    _fail(file, line);
}

void assert_between_at(double a, double low, double high, const char *what, const char *file, int line) {
    if (a >= low && a <= high) return;
    print_error("%s is %.17g, not between %.9g and %.9g\n", what, a, low, high);
    _fail(file, line);
}

void machine_pyramid(Machine *m, int rows, BrMaterialId material) {
    for (int row = 0, k = 0; row < rows; row++)
        for (int i = 0; i < rows - row; i++, k++) {
            char name[16];
            snprintf(name, sizeof name, "b%d", k);
            machine_block(m, name, 1, vec(0.2, 0.2, 0.2), vec(0.21 * (i + 0.5 * row), 0, 0.1 + 0.2 * row), material);
        }
}
