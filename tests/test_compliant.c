/* test_compliant.c: the formulation compliant: impacts, books, frames, memory, joints, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "model/state.h"
#include "soft_support.h"

static const double G = 9.81;
static const BrVec3 NONE = {0, 0, 0}, DOWN = {0, 0, -9.81}, Y = {0, 1, 0}, Z = {0, 0, 1};

static const Given BOUNCY = {"gonthier", {{"stiffness", 1e6}, {"e", 0.6}}};
static const Given RUBBER = {"dwell",
                             {{"mu_s", 0.5}, {"mu_k", 0.4}, {"sigma_0", 1e5}, {"sigma_1", 300}, {"tau_dw", 0.1}}};
static const Given ICE = {"dwell", {{"mu_s", 0}, {"mu_k", 0}}};

static BrStepDef adaptive(double dt) { return soft_def(BR_SCHEME_ADAPTIVE, dt, 1); }

/* ------------------------------------------------------------------ impacts */

/* The first event of a kind, stepping until it comes. */
static BrEvent wait_for(Machine *m, const BrStepDef *def, BrEventKind kind) {
    for (int k = 0; k < 5000; k++) {
        BrStepReport report = machine_steps(m, def, 1);
        for (int i = 0; i < report.events; i++)
            if (report.event[i].kind == kind) return report.event[i];
    }
    fail_msg("no %s", br_event_name(kind));
    return (BrEvent){0};
}

/* Free fall from rest by `height`. */
static Machine drop_ball(double height, const Given *normal) {
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", normal, &RUBBER);
    machine_floor(&m, soft);
    machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1 + height), soft);
    machine_ready(&m);
    return m;
}

static void touches_are_located(void **unused) {
    (void)unused;
    for (double height = 0.05; height < 3; height *= 1.7) {
        const BrStepDef defs[] = {adaptive(1e-3), soft_def(BR_SCHEME_RK4, 1e-3, 4), soft_def(BR_SCHEME_RK2, 1e-3, 1)};
        const double fine[] = {1e-12, 1e-9, 1e-9}; /* s: 1e-13 and 1e-10 m at 1 m/s and more */
        double time = sqrt(2 * height / G);
        for (int k = 0; k < 3; k++) {
            Machine m = drop_ball(height, &BOUNCY);
            BrEvent touch = wait_for(&m, &defs[k], BR_EVENT_TOUCH);
            assert_near(touch.time, time, fine[k]);
            assert_near(touch.before, -G * time, 1e-10 + G * fine[k]);
            machine_end(&m);
        }
    }
}

/* Without gravity, so that the impact is all there is. */
static double measure_restitution(const BrLaw *law, double speed, const BrStepDef *def) {
    Machine m = machine_begin(NONE);
    BrMaterialDef soft = br_default_material_def();
    soft.name = "soft";
    br_law_set(&soft.surface.friction, "mu", 0.5);
    soft.surface.compliant_normal = *law;
    soft.surface.compliant_friction = make_law(BR_LAW_FRICTION, &RUBBER);
    BrMaterialId material = machine_add_material(&m, &soft);
    machine_floor(&m, material);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1 + 1e-3 * speed), material);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(0, 0, -speed), NONE);
    assert_near(wait_for(&m, def, BR_EVENT_TOUCH).before, -speed, 1e-12);
    BrEvent end = wait_for(&m, def, BR_EVENT_SEPARATION);
    assert_near(end.before, machine_twist(&m, ball).linear.z, 1e-12);
    machine_end(&m);
    return end.before / speed;
}

static void restitution_is_the_one_asked_for(void **unused) {
    (void)unused;
    const BrStepDef defs[] = {adaptive(1e-3), soft_def(BR_SCHEME_RK4, 1e-3, 400)};
    for (int k = 0; k < 2; k++) {
        for (double e = 0.1; e < 1.05; e += 0.3) {
            BrLaw law = make_law(BR_LAW_NORMAL, &(Given){"gonthier", {{"stiffness", 1e6}, {"e", e}}});
            assert_near(measure_restitution(&law, 1, &defs[k]), e, 1e-6);
        }
        BrLaw table = make_law(BR_LAW_NORMAL, &(Given){"gonthier", {{"stiffness", 1e6}}});
        table.points = 2;
        table.table = (double[]){0.5, 0.9, 1.5, 0.5};
        for (double v = 0.25; v < 4; v *= 2)
            assert_near(measure_restitution(&table, v, &defs[k]), 0.9 - 0.4 * fmin(fmax(v - 0.5, 0), 1), 1e-6);
    }
}

/* A ball that bounces, slides and comes to roll. */
static BrTwist roll_ball(BrScheme scheme, double tolerance, double sigma_1, double *defect) {
    Machine m = machine_begin(DOWN);
    const Given friction = {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.4}, {"sigma_1", sigma_1}, {"v_s", 0.1}}};
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &friction);
    machine_floor(&m, soft);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.15), soft);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(1, 0.5, 0), NONE);
    BrStepDef def = soft_def(scheme, 1e-2, 1);
    def.tolerance = tolerance;
    machine_steps(&m, &def, 100);
    *defect = machine_energy(&m).defect;
    BrTwist end = machine_twist(&m, ball);
    machine_end(&m);
    return end;
}

/* The implicit scheme gives what the explicit one gives; friction 10^5 times faster than the motion does not stop it,
 * and the ball rolls at 5/7 of its speed whatever the damping is. */
static void stiff_scenes_have_their_scheme(void **unused) {
    (void)unused;
    double defect;
    BrTwist adapted = roll_ball(BR_SCHEME_ADAPTIVE, 1e-11, 300, &defect);
    BrTwist implicit = roll_ball(BR_SCHEME_STIFF, 1e-9, 300, &defect);
    assert_near(norm(sub(adapted.linear, implicit.linear)), 0, 1e-7);
    assert_near(defect, 0, 1e-6);
    BrTwist stiff = roll_ball(BR_SCHEME_STIFF, 1e-8, 1e7, &defect);
    assert_near(defect, 0, 1e-5);
    assert_near(stiff.linear.x, 5.0 / 7, 1e-4);
    assert_near(stiff.linear.y, 2.5 / 7, 1e-4);
}

/* A ball that rigid steps have laid down has no memory of compliant laws: it touches anew, and comes to rest. */
static void rigid_contacts_touch_anew(void **unused) {
    (void)unused;
    Machine m = drop_ball(0.01, &BOUNCY);
    machine_run(&m, BR_SCHEME_MOREAU, 1e-3, 500);
    assert_near(machine_energy(&m).kinetic, 0, 1e-12);
    BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 20);
    machine_steps(&m, &def, 3000);
    assert_near(machine_energy(&m).kinetic, 0, 1e-9); /* undamped it would swing with 0.01 J */
    machine_end(&m);
}

/* Two elastic spheres: k = 4/3 E* sqrt(R); greatest depth (5 m v^2/(4 k))^(2/5), m reduced; duration 2.943 times that
 * over v [Johnson 1985, 11.1]: 4/5 sqrt(pi) Gamma(2/5)/Gamma(9/10). */
static void spheres_meet_as_hertz_says(void **unused) {
    (void)unused;
    const double E[2] = {2e8, 5e8}, nu[2] = {0.3, 0.4}, mass[2] = {1, 3}, radius[2] = {0.05, 0.2}, speed = 0.7;
    double modulus = 1 / ((1 - nu[0] * nu[0]) / E[0] + (1 - nu[1] * nu[1]) / E[1]);
    double R = radius[0] * radius[1] / (radius[0] + radius[1]), k = 4.0 / 3 * modulus * sqrt(R);
    double m_r = mass[0] * mass[1] / (mass[0] + mass[1]), deepest = pow(1.25 * m_r * speed * speed / k, 0.4);
    double time = 0.8 * sqrt(PI) * tgamma(0.4) / tgamma(0.9) * deepest / speed, most = k * pow(deepest, 1.5);

    Machine m = machine_begin(NONE);
    BrMaterialId material[2];
    BrPairDef pair = br_default_pair_def();
    for (int i = 0; i < 2; i++) {
        BrMaterialDef def = br_default_material_def();
        def.name = i ? "steel" : "brass";
        br_law_set(&def.surface.friction, "mu", 0.5);
        def.youngs_modulus = E[i], def.poissons_ratio = nu[i];
        material[i] = machine_add_material(&m, &def);
    }
    pair.material_a = material[0], pair.material_b = material[1];
    pair.surface.normal = br_law(BR_LAW_NORMAL, "rigid"), pair.surface.friction = br_law(BR_LAW_FRICTION, "coulomb");
    br_law_set(&pair.surface.friction, "mu", 0.5);
    pair.surface.compliant_normal = make_law(BR_LAW_NORMAL, &(Given){"gonthier", {{"e", 1}}});
    pair.surface.compliant_friction = make_law(BR_LAW_FRICTION, &ICE);
    assert_int_equal(br_model_add_pair(m.model, &pair, NULL), BR_OK);
    BrBodyId ball = machine_ball(&m, "small", mass[0], radius[0], NONE, material[0]);
    machine_ball(&m, "large", mass[1], radius[1], vec(0, 0, radius[0] + radius[1] + 1e-4), material[1]);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(0, 0, speed), NONE);

    BrStepDef def = adaptive(time / 5000); /* steps this short miss the peak by (1/5000)^2 */
    double touch = wait_for(&m, &def, BR_EVENT_TOUCH).time, end = 0, force = 0;
    for (int i = 0; i < 6000 && end == 0; i++) {
        BrStepReport report = machine_steps(&m, &def, 1);
        if (report.events > 0) end = report.event[0].time;
        if (end > 0) break;
        BrContact c = machine_contact(&m, 0);
        assert_near(c.normal_force, k * pow(-c.gap, 1.5), 1e-9 * most);
        force = fmax(force, c.normal_force);
    }
    assert_near(end - touch, time, 1e-6 * time);
    assert_near(time, 2.943 * deepest / speed, 2e-4 * time);
    assert_near(force, most, 1e-6 * most);
    machine_end(&m);
}

/* ------------------------------------------------------------------ books */

/* What is there, less what was put in and taken out, stays: to 1e-9 of the energy that goes about. */
static void check_books(Machine *m, double dt, int steps) {
    BrStepDef def = adaptive(dt);
    double lost = 0;
    for (int k = 0; k < (is_slow_run() && steps > 100 ? steps / 4 : steps); k++) {
        machine_steps(m, &def, 1);
        BrEnergy e = machine_energy(m);
        assert_true(e.dissipated >= lost);
        assert_near(e.defect, 0, 1e-9 * (e.kinetic + e.stored + e.dissipated + fabs(e.work)));
        lost = e.dissipated;
    }
    assert_true(lost > (is_slow_run() ? 0 : 0.1));
}

static void add_kinematic_floor(Machine *m, BrMaterialId material, const char *x, const char *z, BrVec3 turning) {
    BrBodyDef def = br_default_body_def();
    BrShapeDef plane = br_default_shape_def();
    BrMotionDef ride = br_default_motion_def();
    BrMotionId id;
    def.name = "plate";
    def.kind = BR_BODY_KINEMATIC;
    plane.body = machine_add_body(m, &def);
    plane.kind = BR_SHAPE_PLANE;
    plane.material = material;
    machine_add_shape(m, &plane);
    ride.name = "ride";
    ride.body = plane.body;
    ride.linear[0] = br_expression(x), ride.linear[2] = br_expression(z);
    ride.angular_velocity[0] = br_constant(turning.x);
    ride.angular_velocity[1] = br_constant(turning.y);
    ride.angular_velocity[2] = br_constant(turning.z);
    assert_int_equal(br_model_add_motion(m->model, &ride, &id, NULL), BR_OK);
}

static void books_of_a_ball(void **unused) {
    (void)unused;
    const Given frictions[] = {
        RUBBER,
        {"coulomb-compliant", {{"mu", 0.5}, {"stiffness", 1e5}, {"damping", 200}}},
        {"tanh", {{"mu", 0.5}, {"gamma", 0.01}}},
        {"dwell", {{"mu_s", 0.5}, {"mu_k", 0.4}, {"sigma_2", 3}, {"windup", 1}}},
    };
    const Given normals[] = {BOUNCY,
                             {"kelvin-voigt", {{"stiffness", 1e5}, {"damping", 100}, {"ramp", 1e-3}}},
                             {"hunt-crossley", {{"stiffness", 1e6}, {"alpha", 0.2}}},
                             BOUNCY};
    for (int k = 0; k < 4; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId soft = add_soft(&m, "soft", &normals[k], &frictions[k]);
        machine_floor(&m, soft);
        BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.15), soft);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(1, 0.5, 0), vec(3, 20, -5));
        check_books(&m, 1e-3, 700);
        machine_end(&m);
    }
}

static void books_of_a_box(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    machine_floor(&m, soft);
    BrBodyId box = machine_block(&m, "box", 1, vec(0.1, 0.2, 0.3), vec(0, 0, 0.3), soft);
    machine_ready(&m);
    BrPose pose = {vec(0, 0, 0.3), turn_about(vec(1, 2, 0.5), 0.7)};
    assert_int_equal(br_body_set_pose(m.model, m.state, box, pose, NULL), BR_OK);
    machine_set_twist(&m, box, vec(0.5, 0, 0), vec(1, 2, 3));
    check_books(&m, 1e-3, 800);
    machine_end(&m);
}

/* And what a free collision with friction leaves alone: momentum. */
static void books_of_two_balls(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    BrBodyId a = machine_ball(&m, "a", 1, 0.1, vec(0, 0, 0), soft),
             b = machine_ball(&m, "b", 3, 0.2, vec(0.28, 0.1, 0.05), soft);
    machine_ready(&m);
    machine_set_twist(&m, a, vec(1, 0.2, 0), vec(1, -20, 5));
    machine_set_twist(&m, b, vec(-0.5, 0.2, 0), vec(7, 2, 5));
    BrVec3 momentum = machine_momentum(&m), angular = machine_angular_momentum(&m);
    check_books(&m, 1e-3, 30);
    assert_vec_near(machine_momentum(&m), momentum, 1e-12);
    assert_vec_near(machine_angular_momentum(&m), angular, 1e-12);
    machine_end(&m);
}

static Machine make_tube(const Given *friction, BrBodyId *ball, BrVec3 gravity) {
    Machine m = machine_begin(gravity);
    BrShapeDef tube = br_default_shape_def();
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, friction);
    tube.body = m.ground;
    tube.kind = BR_SHAPE_TUBE;
    tube.radius = 0.5, tube.length = 100;
    tube.material = soft;
    tube.rotation_body = turn_about(Y, PI / 2);
    machine_add_shape(&m, &tube);
    *ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, -0.4), soft);
    machine_ready(&m);
    return m;
}

static void books_in_a_tube(void **unused) {
    (void)unused;
    BrBodyId ball;
    Machine m = make_tube(&RUBBER, &ball, DOWN);
    machine_set_twist(&m, ball, vec(1, 3, 0), vec(2, 0, 1));
    check_books(&m, 1e-3, 500);
    machine_end(&m);
}

static void books_on_a_plate(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    add_kinematic_floor(&m, soft, "0.05*sin(20*t)", "0.003*sin(50*t)", vec(0.2, -0.1, 2));
    machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.11), soft);
    machine_ready(&m);
    check_books(&m, 1e-3, 800);
    machine_end(&m);
}

static void books_on_a_belt(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    BrShapeDef plane = br_default_shape_def();
    plane.body = m.ground;
    plane.kind = BR_SHAPE_PLANE;
    plane.material = soft;
    plane.surface_velocity_body = vec(0.5, 0, 0);
    machine_add_shape(&m, &plane);
    machine_block(&m, "block", 1, vec(0.2, 0.2, 0.1), vec(0, 0, 0.06), soft);
    machine_ready(&m);
    check_books(&m, 1e-3, 500);
    machine_end(&m);
}

/* A ball held by its bristles against a pull is torn off the floor: what they held is lost. Returns the defect. */
static double tear_off(const BrStepDef *def) {
    const Given friction = {"dwell",
                            {{"mu_s", 0.5}, {"mu_k", 0.4}, {"sigma_0", 1e4}, {"sigma_1", 300}, {"sigma_2", 10}}};
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &friction);
    machine_floor(&m, soft);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.1 - 7e-4), soft);
    machine_ready(&m);
    BrVec3 pull = vec(6, 0, 0); /* at the floor's height, so that nothing rolls */
    assert_int_equal(br_body_set_load(m.model, m.state, ball, pull, cross(vec(0, 0, -0.1), pull), NULL), BR_OK);
    machine_steps(&m, def, 300);
    machine_contact(&m, 0);
    BrVec3 z = machine_memory(&m, 0, "deflection");
    double held = 0.5 * 1e4 * dot(z, z), lost = machine_energy(&m).dissipated;
    assert_near(held, 0.5 * 36 / 1e4, 1e-6);
    assert_int_equal(br_body_set_load(m.model, m.state, ball, vec(0, 0, 5e3), NONE, NULL), BR_OK);
    machine_steps(&m, def, 2); /* 0.5 ms to the end of the touch; bristles relax in 30 ms */
    BrEnergy end = machine_energy(&m);
    assert_int_equal(machine_contact_count(&m), 0);
    assert_true(end.stored == 0 && end.dissipated - lost > held);
    machine_end(&m);
    return end.defect;
}

/* Fixed schemes do not look for the moment of separation: its force ~ time^(3/2) costs them order 5/2, not more. */
static void torn_bristles_are_in_the_books(void **unused) {
    (void)unused;
    BrStepDef exact = adaptive(1e-3), coarse = soft_def(BR_SCHEME_RK4, 1e-3, 10),
              fine = soft_def(BR_SCHEME_RK4, 1e-3, is_slow_run() ? 40 : 160);
    double finer = fine.substeps / 10.0;
    assert_near(tear_off(&exact), 0, 1e-8 * 0.0018); /* of what they held */
    assert_near(tear_off(&fine) / tear_off(&coarse), 0, 1 / (finer * finer));
}

/* A ball slides out of a smooth tube, pressed into its wall by its weight: at the end the wall is suddenly gone, and
 * what it had stored is lost, 2/5 k d^(5/2) at the depth of rest d, k d^(3/2) = M g; no more and no less. */
static void walls_that_end_are_in_the_books(void **unused) {
    (void)unused;
    const double k = 1e6, M = 2, d = pow(M * 9.81 / k, 2. / 3), held = 0.4 * k * pow(d, 2.5);
    const Given normal = {"gonthier", {{"stiffness", k}, {"e", 0.5}}}, smooth = {"tanh", {{"mu", 0}}};
    const BrStepDef defs[] = {adaptive(1e-3), soft_def(BR_SCHEME_RK4, 1e-3, 10)};
    for (int i = 0; i < 2; i++) {
        Machine m = machine_begin(DOWN);
        BrShapeDef tube = br_default_shape_def();
        tube.body = m.ground, tube.kind = BR_SHAPE_TUBE, tube.radius = 0.5, tube.length = 1;
        tube.material = add_soft(&m, "soft", &normal, &smooth);
        tube.rotation_body = turn_about(Y, PI / 2);
        machine_add_shape(&m, &tube);
        BrBodyId ball = machine_ball(&m, "ball", M, 0.1, vec(0.4, 0, -0.4 - d), tube.material);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(1, 0, 0), NONE);
        machine_steps(&m, &defs[i], 90);
        assert_near(machine_energy(&m).stored, held, 1e-9 * held);
        machine_steps(&m, &defs[i], 20);
        assert_true(machine_pose(&m, ball).position.x > 0.5);
        BrEnergy end = machine_energy(&m);
        assert_near(end.stored, 0, 0);
        assert_near(end.dissipated, held, 1e-9 * held);
        assert_near(end.defect, 0, 1e-9 * held);
        machine_end(&m);
    }
}

/* What a driven joint puts in is work: the kinetic energy of a slide that is driven with v = t, beside a ball. */
static void drives_are_in_the_books(void **unused) {
    (void)unused;
    Machine m = machine_begin(NONE);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    machine_floor(&m, soft);
    machine_ball(&m, "ball", 2, 0.1, vec(0, 0, 0.2), soft);
    BrBodyId sled = machine_body(&m, "sled", 4, diagonal(1, 1, 1), vec(0, 0, 1));
    BrJointId slide = machine_joint(&m, "slide", BR_JOINT_PRISMATIC, m.ground, sled, vec(0, 0, 1), Y);
    machine_motion(&m, "drive", slide, 0, true, br_expression("t"));
    machine_ready(&m);
    BrStepDef def = adaptive(1e-2);
    machine_steps(&m, &def, 50);
    assert_near(machine_energy(&m).work, 0.5, 1e-9); /* 4 kg at 0.5 m/s */
    assert_near(machine_energy(&m).defect, 0, 1e-9);
    machine_end(&m);
}

/* ------------------------------------------------------------------ frames */

/* An oblique bounce and slide in a world that is turned as a whole. */
static void run_turned(const BrMat3 *turn, const BrStepDef *def, BrVec3 out[4]) {
    Machine m = machine_begin(rotate(turn, DOWN));
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    machine_plane(&m, rotate(turn, Z), soft);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, rotate(turn, vec(0.1, 0.2, 0.11)), soft);
    machine_ready(&m);
    machine_set_twist(&m, ball, rotate(turn, vec(3, 1.5, 0)), rotate(turn, vec(3, 2, -5)));
    machine_steps(&m, def, 150);
    machine_contact(&m, 0);
    BrVec3 z = machine_memory(&m, 0, "deflection");
    const BrVec3 found[4] = {machine_pose(&m, ball).position, machine_twist(&m, ball).linear,
                             machine_twist(&m, ball).angular, scale(1e3, z)};
    for (int i = 0; i < 4; i++) out[i] = rotate_back(turn, found[i]);
    assert_true(norm(z) > 1e-5);
    machine_end(&m);
}

static void turned_world_moves_the_same(void **unused) {
    (void)unused;
    const BrStepDef defs[] = {adaptive(1e-3), soft_def(BR_SCHEME_RK4, 1e-3, 20)};
    uint64_t seed = 7;
    for (int k = 0; k < 2; k++) {
        BrMat3 straight = diagonal(1, 1, 1);
        BrVec3 expected[4], found[4];
        run_turned(&straight, &defs[k], expected);
        for (int i = 0; i < 4; i++) {
            BrMat3 turn = turn_about(draw_vec(&seed, 1), draw(&seed, -PI, PI));
            run_turned(&turn, &defs[k], found);
            for (int j = 0; j < 4; j++) assert_vec_near(found[j], expected[j], 1e-9);
        }
    }
}

/* A ball that sticks to a tube's wall and rolls round in it. A tube can be unrolled, so what the surfaces have moved
 * against each other, added up along the wall and along the axis, is the deflection. Simpson: (50 us 230/s)^4/180. */
static void deflections_turn_with_the_normal(void **unused) {
    (void)unused;
    const int STEPS = is_slow_run() ? 800 : 8000;
    const Given glue = {"coulomb-compliant", {{"mu", 1e3}, {"stiffness", 3e4}, {"damping", 2}}};
    BrBodyId ball;
    Machine m = make_tube(&glue, &ball, NONE);
    BrPose pose = {vec(0, 0, -0.4013), diagonal(1, 1, 1)};
    BrStepDef def = adaptive(5e-5);
    assert_int_equal(br_body_set_pose(m.model, m.state, ball, pose, NULL), BR_OK);
    machine_set_twist(&m, ball, vec(0.52, 3, 0), vec(-29.5, 5, 1));
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    double along = 0, around = 0;
    for (int k = 0; k <= STEPS; k++) {
        if (k > 0) machine_steps(&m, &def, 1);
        BrContact c = machine_contact(&m, 0);
        BrVec3 z = machine_memory(&m, 0, "deflection");
        BrVec3 n = vec(c.frame.m[0][0], c.frame.m[1][0], c.frame.m[2][0]), t = cross(vec(1, 0, 0), n);
        double weight = (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2) * def.dt / 3;
        along += weight * c.slip.x, around += weight * dot(t, c.slip);
        assert_near(dot(n, z), 0, 1e-18);
        if (k < STEPS) continue;
        assert_near(z.x, along, 1e-12);
        assert_near(dot(t, z), around, 1e-12);
        if (is_slow_run()) continue; /* it has not come far */
        assert_true(fabs(along) > 1e-6 && fabs(around) > 1e-5);
        assert_true(n.z < -0.9); /* from +1: half round */
    }
    machine_end(&m);
}

/* ------------------------------------------------------------------ joints */

static BrBodyId add_post(Machine *m) {
    BrBodyDef def = br_default_body_def(); /* joined bodies do not touch, so the ground cannot hold what falls on it */
    def.name = "post";
    def.kind = BR_BODY_FIXED;
    return machine_add_body(m, &def);
}

/* A pendulum of two links whose round end hits the floor and drags along it. */
static void joints_stay_closed(void **unused) {
    (void)unused;
    const BrStepDef defs[] = {soft_def(BR_SCHEME_SEMI_IMPLICIT, 1e-3, 20), soft_def(BR_SCHEME_RK4, 1e-3, 20),
                              adaptive(1e-3)};
    for (int k = 0; k < 3; k++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
        machine_floor(&m, soft);
        BrBodyId post = add_post(&m),
                 upper = machine_body(&m, "upper", 1, diagonal(0.01, 0.01, 0.01), vec(0.2, 0, 0.6)),
                 lower = machine_ball(&m, "lower", 2, 0.05, vec(0.5, 0, 0.35), soft);
        machine_joint(&m, "shoulder", BR_JOINT_REVOLUTE, post, upper, vec(0, 0, 0.6), vec(0.1, 1, 0));
        machine_joint(&m, "elbow", BR_JOINT_REVOLUTE, upper, lower, vec(0.4, 0, 0.6), vec(0, 1, 0.2));
        machine_ready(&m);
        int touches = 0;
        for (int i = 0; i < 600; i++) {
            touches += machine_steps(&m, &defs[k], 1).impacts;
            assert_near(machine_gap(&m), 0, 1e-12);
            BrEnergy e = machine_energy(&m);
            if (k == 2) assert_near(e.defect, 0, 1e-9 * (e.kinetic + e.stored + e.dissipated));
        }
        assert_true(touches > 1);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ memory */

/* Half of what static friction holds, on a slope of tan 0.25. After a second e^-90 of the first swings is left. */
static void resting_box_stays_put(void **unused) {
    (void)unused;
    const Given normal = {"gonthier", {{"stiffness", 1e6}, {"e", 0.6}, {"floor", 0.05}}};
    Machine m = machine_begin(scale(G, vec(sin(atan(0.25)), 0, -cos(atan(0.25)))));
    BrMaterialId soft = add_soft(&m, "soft", &normal, &RUBBER);
    BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 10);
    machine_floor(&m, soft);
    BrBodyId box = machine_block(&m, "box", 1, vec(0.3, 0.2, 0.1), vec(0, 0, 0.05), soft);
    machine_ready(&m);
    machine_steps(&m, &def, 1000);
    BrVec3 place = machine_pose(&m, box).position;
    assert_true(place.x > 1e-6); /* gave way a little */
    for (int k = 0; k < (is_slow_run() ? 1 : 10); k++) {
        machine_steps(&m, &def, 100);
        assert_vec_near(machine_pose(&m, box).position, place, 1e-12);
    }
    BrContact contact = machine_contact(&m, 0);
    assert_int_equal(contact.mode, BR_CONTACT_STICK);
    assert_near(machine_memory(&m, 0, "dwell").x, 1, is_slow_run() ? 1e-4 : 1e-8); /* 1 - e^-11, 1 - e^-20 */
    machine_end(&m);
}

/* What laws remember is part of the state: of its hash, of the next step, and of a copy. */
static void memory_is_in_the_state(void **unused) {
    (void)unused;
    Machine m = drop_ball(-1e-3, &BOUNCY);
    BrBodyId ball = br_model_find_body(m.model, "ball");
    BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 10);
    BrState *copy;
    machine_set_twist(&m, ball, vec(0.005, 0, 0), NONE);
    machine_steps(&m, &def, 5);
    machine_contact(&m, 0);
    assert_true(machine_memory(&m, 0, "deflection").x > 1e-6);
    assert_int_equal(br_state_create(m.model, &copy, NULL), BR_OK);
    BriContactMemory *memory = &bri_state_contacts(m.state)->memory;
    double *const numbers[] = {&memory->friction[0], &memory->friction[3], &memory->normal[0]};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(br_state_copy(copy, m.state), BR_OK);
        double kept = *numbers[i];
        uint64_t hash = br_state_hash(m.state);
        *numbers[i] *= 0.5;
        assert_true(kept != 0 && br_state_hash(m.state) != hash);
        machine_steps(&m, &def, 1);
        uint64_t other = br_state_hash(m.state);
        assert_int_equal(br_state_copy(m.state, copy), BR_OK);
        assert_true(*numbers[i] == kept && br_state_hash(m.state) == hash);
        machine_steps(&m, &def, 1);
        assert_true(br_state_hash(m.state) != other);
        assert_int_equal(br_state_copy(m.state, copy), BR_OK);
    }
    br_state_destroy(m.model, copy);
    machine_end(&m);
}

/* A block on bristles, pulled harder and harder: it sticks, then it slides, and is said to. */
static void modes_are_told(void **unused) {
    (void)unused;
    const Given frictions[] = {RUBBER, {"coulomb-compliant", {{"mu", 0.5}, {"stiffness", 1e5}, {"damping", 300}}}};
    for (int f = 0; f < 2; f++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &frictions[f]);
        BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 10);
        machine_floor(&m, soft);
        BrBodyId block = machine_block(&m, "block", 1, vec(0.3, 0.3, 0.05), vec(0, 0, 0.025), soft);
        machine_ready(&m);
        machine_steps(&m, &def, 200);
        const double parts[] = {0.8, 1.5};
        for (int k = 0; k < 2; k++) {
            BrVec3 pull = vec(parts[k] * 0.5 * G, 0, 0);
            assert_int_equal(br_body_set_load(m.model, m.state, block, pull, cross(vec(0, 0, -0.025), pull), NULL),
                             BR_OK);
            machine_steps(&m, &def, 300);
            for (int i = 0; i < 4; i++)
                assert_int_equal(machine_contact(&m, i).mode, k ? BR_CONTACT_SLIP : BR_CONTACT_STICK);
        }
        assert_true(machine_twist(&m, block).linear.x > 0.5);
        machine_end(&m);
    }
}

/* Before the first step: forces of an overlap, read where nothing has moved yet. */
static void forces_can_be_read_at_the_start(void **unused) {
    (void)unused;
    Machine m = drop_ball(-1e-3, &BOUNCY);
    br_state_set_formulation(m.state, BR_FORMULATION_COMPLIANT);
    assert_near(machine_contact_force(&m, false).z, 1e6 * pow(1e-3, 1.5), 1e-9);
    assert_near(machine_acceleration(&m, br_model_find_body(m.model, "ball")).linear.z, 0.5e6 * pow(1e-3, 1.5) - G,
                1e-9);
    machine_end(&m);
}

/* ------------------------------------------------------------------ refusals */

static void refuse(Machine *m, BrStepDef def, BrStatus status, const char *says) {
    BrError error = {0};
    uint64_t hash = br_state_hash(m->state);
    assert_int_equal(br_step_fits(m->model, &def, &error), status);
    if (!strstr(error.text, says)) fail_msg("'%s' is not in: %s", says, error.text);
    assert_int_equal(br_step(m->model, m->workspace, m->state, &def, NULL, &error), status);
    assert_true(br_state_hash(m->state) == hash);
    machine_end(m);
}

static Machine make_pendulum(double lower, double effort, double friction) {
    Machine m = machine_begin(DOWN);
    BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
    BrJointDef hinge = br_default_joint_def();
    machine_floor(&m, soft);
    hinge.name = "hinge";
    hinge.type = BR_JOINT_REVOLUTE;
    hinge.body_a = add_post(&m), hinge.body_b = machine_ball(&m, "bob", 1, 0.1, vec(0.5, 0, 0.5), soft);
    hinge.at = vec(0, 0, 0.5), hinge.axis = Y;
    hinge.lower[0] = lower;
    hinge.dry_friction[0] = friction;
    BrJointId joint = machine_add_joint(&m, &hinge);
    if (effort > 0) machine_motor(&m, "motor", joint, 0, br_constant(1), effort);
    machine_ready(&m);
    return m;
}

static Machine make_ball_of(const BrMaterialDef *def, bool box) {
    Machine m = machine_begin(DOWN);
    BrMaterialId material = machine_add_material(&m, def);
    machine_floor(&m, material);
    if (box)
        machine_block(&m, "box", 1, vec(0.1, 0.1, 0.1), vec(0, 0, 1), material);
    else
        machine_ball(&m, "ball", 1, 0.1, vec(0, 0, 1), material);
    machine_ready(&m);
    return m;
}

/* A motor that is to turn at 3 rad/s from rest jolts its arm, which weighs nothing here: all of J w^2/2 is its work, and
 * no scheme has made it. */
static void motor_that_jolts_works(void **unused) {
    (void)unused;
    const BrScheme SCHEME[] = {BR_SCHEME_SEMI_IMPLICIT, BR_SCHEME_RK4, BR_SCHEME_ADAPTIVE, BR_SCHEME_STIFF};
    const double mass = 2, radius = 0.1, arm = 0.5, speed = 3;
    for (int s = 0; s < 4; s++) {
        Machine m = machine_begin(vec(0, 0, 0));
        BrMaterialId soft = add_soft(&m, "soft", &BOUNCY, &RUBBER);
        machine_floor(&m, soft);
        BrBodyId bob = machine_ball(&m, "bob", mass, radius, vec(arm, 0, 2), soft);
        BrJointId hinge = machine_joint(&m, "hinge", BR_JOINT_REVOLUTE, m.ground, bob, vec(0, 0, 2), Y);
        machine_motor(&m, "motor", hinge, 0, br_constant(speed), INFINITY);
        machine_ready(&m);
        BrStepDef def = soft_def(SCHEME[s], 1e-3, 4);
        machine_steps(&m, &def, 5);
        BrEnergy energy = machine_energy(&m);
        double J = mass * (0.4 * radius * radius + arm * arm), kinetic = 0.5 * J * speed * speed;
        /* an explicit turn by w h lengthens v by (w h)^2/2, until the step's end: 16 of them, for order 1 */
        double off = SCHEME[s] == BR_SCHEME_SEMI_IMPLICIT ? 20 * kinetic * pow(speed * def.dt / def.substeps, 2) : 1e-9;
        assert_near(energy.kinetic, kinetic, 1e-9);
        assert_near(energy.work, kinetic, off);
        assert_near(energy.defect, 0, off);
        machine_end(&m);
    }
}

static void what_cannot_be_done_is_refused(void **unused) {
    (void)unused;
    BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 1);
    BrStepDef hybrid = def;
    hybrid.formulation = BR_FORMULATION_HYBRID, hybrid.scheme = BR_SCHEME_HEM2;
    const char *bounds =
        "the formulation hybrid knows no joint limits, no constant joint friction and no motors by speed with "
        "a largest effort; use timestepping, event or compliant";
    for (int k = 0; k < 3; k++) {
        Machine bounded = make_pendulum(k == 0 ? -0.5 : -INFINITY, k == 1 ? 5 : 0, k == 2 ? 0.1 : 0);
        machine_steps(&bounded, &def, 10);
        refuse(&bounded, hybrid, BR_UNSUPPORTED, bounds);
    }
    Machine m = make_pendulum(-INFINITY, INFINITY, 0);
    assert_int_equal(br_step_fits(m.model, &def, NULL), BR_OK);
    machine_steps(&m, &def, 10);
    machine_end(&m);

    BrMaterialDef hard = br_default_material_def();
    hard.name = "hard";
    br_law_set(&hard.surface.friction, "mu", 0.5);
    m = make_ball_of(&hard, false);
    refuse(&m, def, BR_UNSUPPORTED, "surfaces of 'hard' and 'hard' meet, and nothing is said about their compliance");
    hard.surface.compliant_normal = make_law(BR_LAW_NORMAL, &(Given){"gonthier", {{"e", 0.5}}});
    hard.surface.compliant_friction = make_law(BR_LAW_FRICTION, &RUBBER);
    m = make_ball_of(&hard, false);
    refuse(&m, def, BR_UNSUPPORTED, "meet without a stiffness; give one, or E and nu of both materials");
    hard.youngs_modulus = 1e9;
    m = make_ball_of(&hard, true);
    refuse(&m, def, BR_UNSUPPORTED, "where all shapes are round or flat");
    m = make_ball_of(&hard, false);
    assert_int_equal(br_step_fits(m.model, &def, NULL), BR_OK);
    machine_end(&m);
}

static void senseless_steps_are_refused(void **unused) {
    (void)unused;
    BrStepDef def = soft_def(BR_SCHEME_RK4, 1e-3, 0);
    Machine m = drop_ball(1, &BOUNCY);
    refuse(&m, def, BR_INVALID_ARGUMENT, "substeps is 0; allowed is 1 to 100000");
    def = adaptive(1e-3);
    def.tolerance = 0;
    m = drop_ball(1, &BOUNCY);
    refuse(&m, def, BR_INVALID_ARGUMENT, "tolerance is 0; allowed is 1e-14 to 1e-3");
    m = drop_ball(1, &BOUNCY);
    refuse(&m, soft_def(BR_SCHEME_HEM2, 1e-3, 1), BR_UNSUPPORTED,
           "the scheme hem2 is not one of the formulation compliant; it has semi-implicit, rk2, rk3, rk4, adaptive and "
           "stiff");
    m = drop_ball(1, &BOUNCY);
    refuse(&m, machine_step_def(BR_SCHEME_RK4, 1e-3), BR_UNSUPPORTED,
           "the scheme rk4 is not one of the formulation timestepping");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(touches_are_located),
        cmocka_unit_test(restitution_is_the_one_asked_for),
        cmocka_unit_test(stiff_scenes_have_their_scheme),
        cmocka_unit_test(rigid_contacts_touch_anew),
        cmocka_unit_test(spheres_meet_as_hertz_says),
        cmocka_unit_test(books_of_a_ball),
        cmocka_unit_test(books_of_a_box),
        cmocka_unit_test(books_of_two_balls),
        cmocka_unit_test(books_in_a_tube),
        cmocka_unit_test(books_on_a_plate),
        cmocka_unit_test(books_on_a_belt),
        cmocka_unit_test(torn_bristles_are_in_the_books),
        cmocka_unit_test(walls_that_end_are_in_the_books),
        cmocka_unit_test(drives_are_in_the_books),
        cmocka_unit_test(turned_world_moves_the_same),
        cmocka_unit_test(deflections_turn_with_the_normal),
        cmocka_unit_test(joints_stay_closed),
        cmocka_unit_test(resting_box_stays_put),
        cmocka_unit_test(memory_is_in_the_state),
        cmocka_unit_test(modes_are_told),
        cmocka_unit_test(forces_can_be_read_at_the_start),
        cmocka_unit_test(motor_that_jolts_works),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(senseless_steps_are_refused),
    };
    return cmocka_run_group_tests_name("compliant", tests, NULL, NULL);
}
