/* test_adams.c: one body on one joint or spring, 14 systems, against trajectories and reactions computed with MSC ADAMS
 * (shared/data/adams/README.md: geometry, signs, tolerances). Each scene of tests/adams runs twice: with rattle and the
 * step the file states, and with hem2 and the step of CASES below.
 *
 * BRISTLE_ROOT    the tree, "." if unset
 * BRISTLE_DATA    the reference data, "../shared/data" if unset; without it every test skips
 * BRISTLE_VERBOSE prints what was achieved, signal by signal */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/bristle.h"

typedef enum Signal { POS, VEL, ACC, QUAT, AVEL, AACC, RFORCE, RTORQUE, SIGNALS } Signal;

enum { ROWS = 501, COLUMNS = 4, CASE_COUNT = 14 };

static const struct {
    const char *name;
    int columns;
    double tolerance; /* of the file's peak: "Tolerances to use" in the README */
} SIGNAL[SIGNALS] = {[POS] = {"Pos", 3, 2e-5},       [VEL] = {"Vel", 3, 2e-5},        [ACC] = {"Acc", 3, 3e-4},
                     [QUAT] = {"Quat", 4, 2e-5},     [AVEL] = {"Avel", 3, 2e-5},      [AACC] = {"Aacc", 3, 3e-4},
                     [RFORCE] = {"Rforce", 3, 3e-4}, [RTORQUE] = {"Rtorque", 3, 3e-4}};

static const double ZERO_PEAK = 1e-12;     /* the files marked zero stay below 1e-13 */
static const double ZERO_TOLERANCE = 1e-9; /* absolute, for those */

typedef struct Case {
    const char *name, *folder;
    double hem2_dt; /* s */
} Case;

/* The largest of 1, 0.5, 0.25, 0.1, 0.05, 0.025 ms that stays clear of the tolerances; often half of rattle's. Two
 * Distance cases whip: in Distance_Case02 the link's force rises to 2760 N and falls again within 6 ms. */
static const Case CASES[CASE_COUNT] = {
    {"Revolute_Case01", "revolute_joint", 0.5e-3},        {"Revolute_Case02", "revolute_joint", 1e-3},
    {"Spherical_Case01", "spherical_joint", 1e-3},        {"Spherical_Case02", "spherical_joint", 0.5e-3},
    {"Prismatic_Case01", "prismatic_joint", 1e-3},        {"Prismatic_Case02", "prismatic_joint", 1e-3},
    {"Prismatic_Case03", "prismatic_joint", 1e-3},        {"Distance_Case01", "distance_constraint", 0.5e-3},
    {"Distance_Case02", "distance_constraint", 0.025e-3}, {"Distance_Case03", "distance_constraint", 0.05e-3},
    {"TranSpring_Case01", "transpring_force", 1e-3},      {"TranSpring_Case02", "transpring_force", 0.5e-3},
    {"RotSpring_Case01", "rotspring_force", 0.5e-3},      {"RotSpring_Case02", "rotspring_force", 1e-3},
};

/* What a test is: a case, and who takes the place of the scene's own scheme. */
typedef enum Scheme { OWN, HEM2, BDF2, SCHEMES } Scheme;

typedef struct Job {
    char name[48];
    const Case *of;
    Scheme with;
} Job;

/* ------------------------------------------------------------------ the reference */

typedef struct Reference {
    double time[ROWS];
    double value[SIGNALS][ROWS][COLUMNS];
    double peak[SIGNALS];
} Reference;

static const char *setting(const char *name, const char *otherwise) {
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

static FILE *open_signal(const Case *c, Signal s, char *path, size_t size) {
    snprintf(path, size, "%s/adams/%s/%s_ADAMS_%s.txt", setting("BRISTLE_DATA", "../shared/data"), c->folder, c->name,
             SIGNAL[s].name);
    return fopen(path, "r");
}

static bool has_data(const Case *c) {
    for (int s = 0; s < SIGNALS; s++) {
        char path[1024];
        FILE *file = open_signal(c, (Signal)s, path, sizeof path);
        if (!file) continue;
        fclose(file);
        return true;
    }
    return false;
}

static double norm_of(const double *v, int columns) {
    double sum = 0;
    for (int k = 0; k < columns; k++) sum += v[k] * v[k];
    return sqrt(sum);
}

/* Three header lines, then rows of time and columns. */
static bool read_rows(FILE *file, Signal s, Reference *ref) {
    char line[256];
    double nothing;
    bool fine = true;
    for (int i = 0; i < 3 && fine; i++) fine = fgets(line, sizeof line, file) != NULL;
    for (int row = 0; row < ROWS && fine; row++) {
        double time;
        fine = fscanf(file, "%lf", &time) == 1 && (s == POS || time == ref->time[row]);
        if (s == POS && fine) ref->time[row] = time;
        for (int k = 0; k < SIGNAL[s].columns && fine; k++) fine = fscanf(file, "%lf", &ref->value[s][row][k]) == 1;
        if (fine) ref->peak[s] = fmax(ref->peak[s], norm_of(ref->value[s][row], SIGNAL[s].columns));
    }
    return fine && fscanf(file, "%lf", &nothing) == EOF;
}

static void read_reference(const Case *c, Reference *ref) {
    memset(ref, 0, sizeof *ref);
    for (int s = 0; s < SIGNALS; s++) {
        char path[1024];
        FILE *file = open_signal(c, (Signal)s, path, sizeof path);
        if (!file) fail_msg("%s is missing, though other files of %s are there", path, c->name);
        bool fine = read_rows(file, (Signal)s, ref);
        fclose(file);
        if (!fine) fail_msg("%s has not %d rows of time and %d numbers", path, ROWS, SIGNAL[s].columns);
    }
}

static double tolerance_of(const Case *c, Signal s) {
    if (strcmp(c->name, "Spherical_Case01") == 0) return 1e-3;
    if (strcmp(c->name, "Distance_Case02") == 0 && (s == VEL || s == AVEL)) return 1e-4;
    return SIGNAL[s].tolerance;
}

/* ------------------------------------------------------------------ the machine */

typedef struct Run {
    BrScene *scene;
    const BrModel *model;
    BrState *state;
    BrWorkspace *workspace;
    BrStepDef step;
    int steps_per_row;
    BrBodyId body;
} Run;

static void require(BrStatus status, const Job *job, const BrError *error) {
    if (status != BR_OK)
        fail_msg("%s: %s, %s %s", job->name, br_status_name(status), br_status_text(status), error->text);
}

static Run start(const Job *job) {
    Run run = {0};
    BrError error = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/adams/%s.yaml", setting("BRISTLE_ROOT", "."), job->of->name);
    require(br_scene_load(path, NULL, &run.scene, &error), job, &error);
    BrRunDef def = br_scene_run_def(run.scene);
    run.model = br_scene_model(run.scene);
    run.step = def.step;
    run.body = br_model_find_body(run.model, "body");
    if (job->with != OWN) run.step.dt = job->of->hem2_dt;
    if (job->with == HEM2) run.step.scheme = BR_SCHEME_HEM2;
    if (job->with == BDF2) {
        run.step.formulation = BR_FORMULATION_SMOOTH;
        run.step.scheme = BR_SCHEME_BDF2;
        run.step.dt *= 0.5; /* its errors are some three times hem2's */
    }
    run.steps_per_row = (int)lround(def.record_every / run.step.dt);
    assert_int_equal(lround(def.until / def.record_every), ROWS - 1);
    require(br_state_create(run.model, &run.state, &error), job, &error);
    require(br_workspace_create(run.model, &run.workspace, &error), job, &error);

    /* The table's numbers lie on the constraints, so assembling has only rounding to move. */
    BrAssembly assembly;
    require(br_state_assemble(run.model, run.workspace, run.state, &assembly, &error), job, &error);
    if (!(assembly.moved < 1e-12)) fail_msg("%s: the scene starts %g off its constraints", job->name, assembly.moved);
    return run;
}

static void end(Run *run) {
    br_workspace_destroy(run->model, run->workspace);
    br_state_destroy(run->model, run->state);
    br_scene_destroy(run->scene);
}

/* Also a step that is taken but not converged fails: these are easy machines. */
static void step_to_next_row(const Job *job, Run *run) {
    for (int i = 0; i < run->steps_per_row; i++) {
        BrError error = {0};
        BrStatus status = br_step(run->model, run->workspace, run->state, &run->step, NULL, &error);
        if (status != BR_OK)
            fail_msg("%s at %g s: %s, %s %s", job->name, br_state_time(run->state), br_status_name(status),
                     br_status_text(status), error.text);
    }
}

/* ------------------------------------------------------------------ the signals, as the files define them */

static void put(double *target, BrVec3 v) { target[0] = v.x, target[1] = v.y, target[2] = v.z; }

static void add(double *target, double factor, const double *v) {
    for (int k = 0; k < 3; k++) target[k] += factor * v[k];
}

/* Scalar first, of the two signs the one nearer to `before`. Row k of T is 4 q_k q; the longest row divides best. */
static void quaternion_of(const BrMat3 *A, const double before[4], double q[4]) {
    const double(*m)[3] = A->m, xy = m[0][1] + m[1][0], xz = m[0][2] + m[2][0], yz = m[1][2] + m[2][1],
          x = m[2][1] - m[1][2], y = m[0][2] - m[2][0], z = m[1][0] - m[0][1],
          T[4][4] = {{1 + m[0][0] + m[1][1] + m[2][2], x, y, z},
                     {x, 1 + m[0][0] - m[1][1] - m[2][2], xy, xz},
                     {y, xy, 1 - m[0][0] + m[1][1] - m[2][2], yz},
                     {z, xz, yz, 1 - m[0][0] - m[1][1] + m[2][2]}};
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (T[k][k] > T[best][best]) best = k;
    double along = 0;
    for (int k = 0; k < 4; k++) along += T[best][k] * before[k];
    for (int k = 0; k < 4; k++) q[k] = copysign(0.5, along) * T[best][k] / sqrt(T[best][best]);
}

/* Where a point of a body is, world axes. */
static void place_point(const Run *run, BrBodyId body, BrVec3 point, double place[3]) {
    BrPose pose;
    double p[3];
    assert_int_equal(br_body_pose(run->model, run->state, body, &pose), BR_OK);
    put(p, point);
    put(place, pose.position);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) place[i] += pose.rotation.m[i][k] * p[k];
}

/* What the spring does to the ground, its first body. On a hinge: tension lowers the angle of the second body, so it
 * turns the ground forward. On a line: tension pulls the ground towards the second body, no torque about its end. */
static void add_spring(const Run *run, BrSpringId id, double force[3], double torque[3]) {
    double length, rate, tension, line[3], from[3], axis[3];
    const BrSpringDef *def = br_spring_def(run->model, id);
    assert_int_equal(br_spring_force(run->model, run->state, id, &length, &rate, &tension), BR_OK);
    if (def->joint.index1) {
        put(axis, br_joint_def(run->model, def->joint)->axis);
        add(torque, tension / norm_of(axis, 3), axis);
        return;
    }
    place_point(run, def->body_b, def->point_b_body, line);
    place_point(run, def->body_a, def->point_a_body, from);
    add(line, -1, from);
    if (length > 0) add(force, tension / length, line);
    if (!(length > 0)) assert_true(tension == 0); /* TranSpring_Case01 at t = 0: no direction, and nothing to direct */
}

/* Joints report what acts on body b, about the point on the ground; the files tell what acts on the ground. */
static void read_reactions(const Run *run, double force[3], double torque[3]) {
    for (int i = 0; i < br_model_joint_count(run->model); i++) {
        BrWrench world, of_joint;
        double f[3], t[3];
        BrJointId joint = br_model_joint(run->model, i);
        assert_int_equal(br_joint_reaction(run->model, run->workspace, joint, &world, &of_joint), BR_OK);
        put(f, world.force);
        put(t, world.torque);
        add(force, -1, f);
        add(torque, -1, t);
    }
    for (int i = 0; i < br_model_spring_count(run->model); i++)
        add_spring(run, br_model_spring(run->model, i), force, torque);
}

/* `found` brings the row before, for the sign of the quaternion. */
static void read_signals(const Job *job, const Run *run, double found[SIGNALS][COLUMNS]) {
    BrError error = {0};
    BrPose pose;
    BrTwist twist, rate;
    double before[4];
    require(br_evaluate(run->model, run->workspace, run->state, &error), job, &error);
    assert_int_equal(br_body_pose(run->model, run->state, run->body, &pose), BR_OK);
    assert_int_equal(br_body_twist(run->model, run->state, run->body, &twist), BR_OK);
    assert_int_equal(br_body_acceleration(run->model, run->workspace, run->body, &rate), BR_OK);
    memcpy(before, found[QUAT], sizeof before);
    memset(found, 0, sizeof(double[SIGNALS][COLUMNS]));
    put(found[POS], pose.position);
    put(found[VEL], twist.linear);
    put(found[ACC], rate.linear);
    quaternion_of(&pose.rotation, before, found[QUAT]);
    put(found[AVEL], twist.angular);
    put(found[AACC], rate.angular);
    read_reactions(run, found[RFORCE], found[RTORQUE]);
}

/* ------------------------------------------------------------------ comparison */

/* The row of one signal that is farthest off. */
typedef struct Worst {
    double ratio; /* distance over the file's peak; the distance itself where the file is zero */
    double tolerance;
    double time; /* s */
    double found[COLUMNS], expected[COLUMNS];
} Worst;

static void compare_row(const Reference *ref, int row, double found[SIGNALS][COLUMNS], Worst worst[SIGNALS]) {
    for (int s = 0; s < SIGNALS; s++) {
        double off[COLUMNS];
        for (int k = 0; k < COLUMNS; k++) off[k] = found[s][k] - ref->value[s][row][k];
        double ratio = norm_of(off, COLUMNS) / (ref->peak[s] > ZERO_PEAK ? ref->peak[s] : 1);
        if (ratio <= worst[s].ratio || isnan(worst[s].ratio)) continue;
        worst[s].ratio = ratio;
        worst[s].time = ref->time[row];
        memcpy(worst[s].found, found[s], sizeof worst[s].found);
        memcpy(worst[s].expected, ref->value[s][row], sizeof worst[s].expected);
    }
}

static void run_job(const Job *job, const Reference *ref, Worst worst[SIGNALS]) {
    double found[SIGNALS][COLUMNS] = {{0}};
    for (int s = 0; s < SIGNALS; s++)
        worst[s] = (Worst){.tolerance = ref->peak[s] > ZERO_PEAK ? tolerance_of(job->of, (Signal)s) : ZERO_TOLERANCE};
    memcpy(found[QUAT], ref->value[QUAT][0], sizeof found[QUAT]);
    Run run = start(job);
    for (int row = 0; row < ROWS; row++) {
        if (row > 0) step_to_next_row(job, &run);
        if (!(fabs(br_state_time(run.state) - ref->time[row]) < 1e-9))
            fail_msg("%s: row %d of the files is at %g s, the state at %.17g s", job->name, row, ref->time[row],
                     br_state_time(run.state));
        read_signals(job, &run, found);
        compare_row(ref, row, found, worst);
    }
    if (getenv("BRISTLE_VERBOSE")) {
        printf("# %-24s dt %-7g", job->name, run.step.dt);
        for (int s = 0; s < SIGNALS; s++) printf(" %s %.1e/%.0e", SIGNAL[s].name, worst[s].ratio, worst[s].tolerance);
        printf("\n");
    }
    end(&run);
}

/* Adds to a text that is cut where it is full. */
static void append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

static void append_row(char *text, size_t size, const char *name, const double *v, int columns) {
    append(text, size, ", %s (", name);
    for (int k = 0; k < columns; k++) append(text, size, "%s%.9g", k ? ", " : "", v[k]);
    append(text, size, ")");
}

static void describe(const Job *job, Signal s, const Worst *w, char *text, size_t size) {
    snprintf(text, size, "%s %s at %g s", job->name, SIGNAL[s].name, w->time);
    append_row(text, size, "found", w->found, SIGNAL[s].columns);
    append_row(text, size, "expected", w->expected, SIGNAL[s].columns);
    append(text, size, ", off by %.3g %s, allowed %g", w->ratio,
           w->tolerance > ZERO_TOLERANCE ? "of the peak" : "where the file is zero", w->tolerance);
}

/* One line for each signal that is off; the last of them is the test's own message. */
static void test_case(void **state) {
    static Reference ref;
    const Job *job = *state;
    Worst worst[SIGNALS];
    char text[512] = "";
    if (!has_data(job->of)) skip();
    read_reference(job->of, &ref);
    run_job(job, &ref, worst);
    for (int s = 0; s < SIGNALS; s++) {
        if (worst[s].ratio <= worst[s].tolerance) continue;
        if (*text) print_error("%s\n", text);
        describe(job, (Signal)s, &worst[s], text, sizeof text);
    }
    if (*text) fail_msg("%s", text);
}

int main(void) {
    static const char *const NAMES[SCHEMES] = {"rattle", "hem2", "bdf2"};
    static Job jobs[SCHEMES * CASE_COUNT];
    struct CMUnitTest tests[SCHEMES * CASE_COUNT];
    for (int i = 0; i < SCHEMES * CASE_COUNT; i++) {
        const Case *c = &CASES[i / SCHEMES];
        jobs[i] = (Job){.of = c, .with = (Scheme)(i % SCHEMES)};
        snprintf(jobs[i].name, sizeof jobs[i].name, "%s/%s", c->name, NAMES[i % SCHEMES]);
        tests[i] = (struct CMUnitTest){.name = jobs[i].name, .test_func = test_case, .initial_state = &jobs[i]};
    }
    return cmocka_run_group_tests_name("adams", tests, NULL, NULL);
}
