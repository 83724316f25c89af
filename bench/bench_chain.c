/* bench_chain.c: a chain of ball joints, pinned at both ends, released from a horizontal V. One JSON line per setting:
 * CPU time per step, energy error relative to a fall of 2 m, largest joint gap. Usage: bench_chain [links] [dt in ms]
 */
#include "bench.h"

#include <math.h>
#include <string.h>

static const double LENGTH = 0.1, MASS = 0.1, RADIUS = 0.02, GRAVITY = 9.81;

static BrBodyId add_link(BrModel *model, int i, BrVec3 centre, double angle) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    double axial = MASS * RADIUS * RADIUS / 2, across = MASS * (3 * RADIUS * RADIUS + LENGTH * LENGTH) / 12;
    BrBodyDef def = br_default_body_def();
    BrError error;
    BrBodyId id;
    def.name = name;
    def.mass = MASS;
    def.inertia = (BrMat3){{{axial, 0, 0}, {0, across, 0}, {0, 0, across}}};
    def.position = centre;
    def.rotation = (BrMat3){{{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}}};
    stop_on(br_model_add_body(model, &def, &id, &error), &error);
    return id;
}

static void add_ball(BrModel *model, int i, BrBodyId a, BrBodyId b, BrVec3 at) {
    char name[32];
    snprintf(name, sizeof name, "ball%d", i);
    BrJointDef def = br_default_joint_def();
    BrError error;
    BrJointId id;
    def.name = name;
    def.type = BR_JOINT_SPHERICAL;
    def.body_a = a;
    def.body_b = b;
    def.at = at;
    stop_on(br_model_add_joint(model, &def, &id, &error), &error);
}

static BrModel *make_chain(int links) {
    BrModelDef def = br_default_model_def();
    BrModel *model;
    BrError error;
    def.gravity = (BrVec3){0, 0, -GRAVITY};
    stop_on(br_model_create(&def, &model, &error), &error);
    BrBodyId ground = add_ground(model), last;
    double angle = acos(0.6);
    BrVec3 point = {0, 0, 0};
    last = ground;
    for (int i = 0; i < links; i++) {
        double a = i < links / 2 ? angle : -angle;
        BrVec3 end = {point.x + LENGTH * cos(a), point.y + LENGTH * sin(a), 0};
        BrVec3 centre = {(point.x + end.x) / 2, (point.y + end.y) / 2, 0};
        BrBodyId link = add_link(model, i, centre, a);
        add_ball(model, i, last, link, point);
        last = link;
        point = end;
    }
    add_ball(model, links, last, ground, point);
    stop_on(br_model_build(model, &error), &error);
    return model;
}

static double total_energy(const BrModel *model, const BrState *state) {
    BrEnergy e;
    br_state_energy(model, state, &e);
    return e.kinetic + e.potential;
}

static double largest_gap(const BrModel *model, const BrState *state) {
    double worst = 0, gap = 0;
    for (int k = 0; k < br_model_joint_count(model); k++) {
        br_joint_gap(model, state, br_model_joint(model, k), &gap);
        worst = gap > worst ? gap : worst;
    }
    return worst;
}

static void measure(BrModel *model, int links, BrScheme scheme, double dt, double seconds, int repeats) {
    double best = 1e300, worst_energy = 0, end_energy = 0, worst_gap = 0, iterations = 0;
    uint64_t hash = 0;
    int steps = (int)lround(seconds / dt), hard = 0;
    double scale = links * MASS * GRAVITY * 2.0;
    for (int repeat = 0; repeat < repeats; repeat++) {
        BrError error;
        BrState *state;
        BrWorkspace *workspace;
        BrStepDef def = br_default_step_def();
        BrStepReport report;
        def.scheme = scheme;
        def.dt = dt;
        stop_on(br_state_create(model, &state, &error), &error);
        stop_on(br_workspace_create(model, &workspace, &error), &error);
        double first = total_energy(model, state), used = 0;
        for (int k = 0; k < steps; k += 50) {
            double start = cpu_seconds();
            for (int i = k; i < k + 50 && i < steps; i++) {
                BrStatus status = br_step(model, workspace, state, &def, &report, &error);
                stop_on(status, &error);
                hard += status > 0 && repeat == 0;
                if (repeat == 0) iterations += report.iterations;
            }
            used += cpu_seconds() - start;
            double gap = largest_gap(model, state);
            end_energy = (total_energy(model, state) - first) / scale;
            worst_energy = fabs(end_energy) > worst_energy ? fabs(end_energy) : worst_energy;
            worst_gap = gap > worst_gap ? gap : worst_gap;
        }
        best = used < best ? used : best;
        hash = br_state_hash(state);
        br_workspace_destroy(model, workspace);
        br_state_destroy(model, state);
    }
    printf(
        "{\"engine\":\"bristle\",\"setting\":\"%s\",\"links\":%d,\"dt\":%g,\"us_per_step\":%.4g,\"ns_per_link\":%.4g,"
        "\"energy_rel\":%.4g,\"energy_rel_max\":%.4g,\"gap_m\":%.3g,\"iterations_per_step\":%.3g,"
        "\"uncertified_steps\":%d,\"hash\":\"%016llx\"}\n",
        br_scheme_name(scheme), links, dt, 1e6 * best / steps, 1e9 * best / steps / links, end_energy, worst_energy,
        worst_gap, iterations / steps, hard, (unsigned long long)hash);
    fflush(stdout);
}

/* Positions of all links after `seconds` from rest, before the whip makes them chaotic. */
static void run_positions(BrModel *model, int links, BrScheme scheme, double dt, double seconds, BrVec3 *positions) {
    BrError error;
    BrState *state;
    BrWorkspace *workspace;
    BrStepDef def = br_default_step_def();
    def.scheme = scheme;
    def.dt = dt;
    stop_on(br_state_create(model, &state, &error), &error);
    stop_on(br_workspace_create(model, &workspace, &error), &error);
    for (int k = (int)lround(seconds / dt); k > 0; k--)
        stop_on(br_step(model, workspace, state, &def, NULL, &error), &error);
    for (int i = 0; i < links; i++) {
        BrPose pose;
        br_body_pose(model, state, br_model_body(model, i + 1), &pose);
        positions[i] = pose.position;
    }
    br_workspace_destroy(model, workspace);
    br_state_destroy(model, state);
}

static double largest_distance(const BrVec3 *a, const BrVec3 *b, int count) {
    double worst = 0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, hypot(hypot(a[i].x - b[i].x, a[i].y - b[i].y), a[i].z - b[i].z));
    return worst;
}

/* log2 of the ratio of |x(4h) - x(2h)| to |x(2h) - x(h)| at t = 0.8 s. */
static void measure_order(BrModel *model, int links, BrScheme scheme, double dt) {
    BrVec3 *x = calloc(3 * (size_t)links, sizeof *x);
    if (!x) exit(1);
    for (int k = 0; k < 3; k++) run_positions(model, links, scheme, dt * (4 >> k), 0.8, x + k * links);
    double coarse = largest_distance(x, x + links, links), fine = largest_distance(x + links, x + 2 * links, links);
    printf(
        "{\"engine\":\"bristle\",\"setting\":\"%s\",\"links\":%d,\"dt\":%g,\"order\":%.4g,\"position_error_m\":%.3g}\n",
        br_scheme_name(scheme), links, dt, log2(coarse / fine), fine);
    fflush(stdout);
    free(x);
}

int main(int count, char **words) {
    int links = count > 1 ? atoi(words[1]) : 100;
    double dt = count > 2 ? atof(words[2]) * 1e-3 : 1e-3, seconds = count > 3 ? atof(words[3]) : 5;
    bool order = count > 4 && strcmp(words[4], "order") == 0;
    if (links < 2 || links % 2 || !(dt > 0) || !(seconds > 0)) {
        fprintf(stderr, "usage: bench_chain [even number of links] [dt in ms] [seconds] [scheme, or order]\n");
        return 2;
    }
    BrModel *model = make_chain(links);
    for (int s = BR_TIMESTEPPING_SCHEMES - 1; s >= 0; s--) {
        if (order)
            measure_order(model, links, (BrScheme)s, dt);
        else if (count <= 4 || strcmp(words[4], br_scheme_name((BrScheme)s)) == 0)
            measure(model, links, (BrScheme)s, dt, seconds, links <= 100 ? 3 : 1);
    }
    br_model_destroy(model);
    return 0;
}
