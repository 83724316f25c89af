/* test_joint.c: joints and springs between two moving bodies, against differences along their motion.
 *
 * The motion is that without acceleration: v constant in world axes, w in body axes. Differences are five-point,
 * (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h with h = 1e-3 s: with speeds near 2 and lengths near 1 their error is
 * h^4/30 |w|^5 < 1e-11 and rounding is EPS/h < 1e-12, grown by some factors of order 10. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "dynamics/force.h"
#include "dynamics/joint.h"
#include "dynamics/system.h"
#include "joint_pair.h"

static const double PI = 3.14159265358979323846;
static const double STEP = 1e-3;   /* s */
static const double NEAR = 1e-9;   /* differences, see above */
static const double EXACT = 1e-13; /* some hundred roundings of numbers near 1 */

/* ------------------------------------------------------------------ numbers along the motion */

typedef void Numbers(const Pair *p, const BriBodyState bodies[2], double *out);

static void move(const BriBodyState from[2], double t, BriBodyState to[2]) {
    for (int k = 0; k < 2; k++) {
        to[k] = from[k];
        to[k].r = bri_add_scaled(from[k].r, t, from[k].v);
        to[k].A = bri_rotation_turn(&from[k].A, bri_scale(t, from[k].w));
    }
}

enum { MOST = 8 };

static void differentiate(const Pair *p, Numbers *numbers, double rate[MOST]) {
    static const double place[4] = {1, -1, 2, -2}, weight[4] = {8, -8, -1, 1};
    memset(rate, 0, MOST * sizeof *rate);
    for (int n = 0; n < 4; n++) {
        BriBodyState there[2];
        double f[MOST] = {0};
        move(bri_state_bodies(p->state), place[n] * STEP, there);
        numbers(p, there, f);
        for (int k = 0; k < MOST; k++) rate[k] += weight[n] * f[k] / (12 * STEP);
    }
}

static BriJointPose pose_at(const Pair *p, const BriBodyState bodies[2]) {
    return bri_joint_pose(&p->model->joint[0], &bodies[0], &bodies[1], bri_state_joints(p->state)[0].angle);
}

static void read_errors(const Pair *p, const BriBodyState bodies[2], double *out) {
    BriJointPose pose = pose_at(p, bodies);
    bri_joint_errors(&p->model->joint[0], &pose, out);
}

static void read_coordinates(const Pair *p, const BriBodyState bodies[2], double *out) {
    BriJointPose pose = pose_at(p, bodies);
    const BriJoint *j = &p->model->joint[0];
    double rate;
    for (int k = 0; k < j->type->info.coordinates; k++) bri_joint_coordinate(j, &pose, k, &out[k], &rate);
}

/* J v of all rows, drives included. */
static void read_rates(const Pair *p, const BriBodyState bodies[2], double *out) {
    double Ja[36], Jb[36];
    BriJacobian J = {.a = Ja, .b = Jb};
    bri_system_jacobian(p->model, p->state, bodies, &J);
    bri_system_rates(p->model, &J, bodies, out);
}

static void read_energy(const Pair *p, const BriBodyState bodies[2], double *out) {
    BriBodyState *own = bri_state_bodies(p->state), kept[2] = {own[0], own[1]};
    memcpy(own, bodies, sizeof kept);
    *out = bri_spring_energy(p->model, p->state);
    memcpy(own, kept, sizeof kept);
}

/* ------------------------------------------------------------------ rows */

/* Rows of the knife and the slip of the wheel forbid velocities only. */
static bool has_position(BrJointType type, int row) {
    return type != BR_JOINT_KNIFE_EDGE && !(type == BR_JOINT_ROLLING_WHEEL && row > 0);
}

static void check_rates(const Pair *p) {
    const BriJoint *j = &p->model->joint[0];
    double rate[MOST], difference[MOST];
    read_rates(p, bri_state_bodies(p->state), rate);
    differentiate(p, read_errors, difference);
    for (int r = 0; r < j->type->info.constraints; r++)
        if (has_position(j->def.type, r)) assert_close(rate[r], difference[r], 10 * NEAR * fmax(1, fabs(rate[r])));
}

/* Errors vanish where the joint allows the pose, and J v is their rate whatever the velocities. */
static void rows_are_rates_of_errors(void **unused) {
    (void)unused;
    Random random = {41};
    for (int n = 0; n < 20 * BR_JOINT_TYPES; n++) {
        BrJointType type = (BrJointType)(n % BR_JOINT_TYPES);
        Pair p = make_pair(type, n % 2, &random);
        double error[MOST] = {0};
        read_errors(&p, bri_state_bodies(p.state), error);               /* as defined */
        bool closed = type != BR_JOINT_LINK && type != BR_JOINT_CONTACT; /* which may begin anywhere */
        for (int r = 0; r < MOST && closed; r++) assert_close(error[r], 0, EXACT);
        draw_consistent(&p, draw(&random, -9, 9), &random);
        read_errors(&p, bri_state_bodies(p.state), error);
        for (int r = 0; r < MOST; r++) assert_close(error[r], 0, EXACT);
        check_rates(&p);
        /* a screw's angle is measured by the x axes, its rate by z: the same only when aligned; an egg in the middle of a
         * bowl has no place that is surely its nearest */
        if (type != BR_JOINT_SCREW && type != BR_JOINT_CONTACT) {
            draw_anywhere(&p, &random);
            check_rates(&p);
        }
        release_pair(&p);
    }
}

/* Bias = d/dt (J v) without accelerations: every row, drives too, on the constraint and off it. */
static void bias_is_the_rate_of_the_rows(void **unused) {
    (void)unused;
    Random random = {42};
    for (int n = 0; n < 20 * BR_JOINT_TYPES; n++) {
        Pair p = make_pair((BrJointType)(n % BR_JOINT_TYPES), true, &random);
        const BriJoint *j = &p.model->joint[0];
        for (int where = 0; where < 2; where++) {
            double bias[MOST], difference[MOST];
            draw_consistent(&p, draw(&random, -9, 9), &random);
            if (where && !j->lasting) draw_anywhere(&p, &random);
            BriJointPose pose = pose_at(&p, bri_state_bodies(p.state));
            bri_joint_bias(j, &pose, bias);
            differentiate(&p, read_rates, difference);
            for (int r = 0; r < j->rows; r++) assert_close(bias[r], difference[r], 100 * NEAR * fmax(1, fabs(bias[r])));
        }
        release_pair(&p);
    }
}

/* Total force and torque about the origin of generalized forces on both bodies. */
static void sum_loads(const BriBodyState bodies[2], const double *on_a, const double *on_b, double total[2]) {
    BrVec3 force = {0, 0, 0}, torque = {0, 0, 0};
    for (int k = 0; k < 2; k++) {
        const double *load = k ? on_b : on_a;
        BrVec3 f = bri_vec(load[0], load[1], load[2]), t = bri_vec(load[3], load[4], load[5]);
        force = bri_add(force, f);
        torque = bri_add(torque, bri_add(bri_mul(&bodies[k].A, t), bri_cross(bodies[k].r, f)));
    }
    total[0] = bri_norm(force);
    total[1] = bri_norm(torque);
}

/* Whatever a row pushes with, forces and torques on both bodies are opposite: momentum and angular momentum stay. */
static void rows_act_and_react(void **unused) {
    (void)unused;
    Random random = {43};
    for (int n = 0; n < 10 * BR_JOINT_TYPES; n++) {
        Pair p = make_pair((BrJointType)(n % BR_JOINT_TYPES), true, &random);
        draw_consistent(&p, 1, &random);
        if (n % 2) draw_anywhere(&p, &random);
        const BriBodyState *bodies = bri_state_bodies(p.state);
        double Ja[36], Jb[36];
        BriJacobian J = {.a = Ja, .b = Jb};
        bri_system_jacobian(p.model, p.state, bodies, &J);
        for (int r = 0; r < p.model->joint[0].rows; r++) {
            double total[2];
            sum_loads(bodies, Ja + 6 * r, Jb + 6 * r, total);
            assert_close(total[0], 0, EXACT);
            /* off the constraint a POINT row pushes at two points, d apart */
            bool apart = n % 2 && p.model->joint[0].type->entry[0].kind == BRI_ROW_POINT && r < 3;
            if (!apart) assert_close(total[1], 0, EXACT);
        }
        release_pair(&p);
    }
}

/* ------------------------------------------------------------------ coordinates */

static void coordinates_have_their_rates(void **unused) {
    (void)unused;
    Random random = {44};
    for (int n = 0; n < 20 * BR_JOINT_TYPES; n++) {
        Pair p = make_pair((BrJointType)(n % BR_JOINT_TYPES), false, &random);
        const BriJoint *j = &p.model->joint[0];
        const BriBodyState *b = bri_state_bodies(p.state);
        draw_consistent(&p, draw(&random, -9, 9), &random);
        double difference[MOST], position, velocity, J[2][6];
        BriJointPose pose = pose_at(&p, b);
        differentiate(&p, read_coordinates, difference);
        for (int k = 0; k < j->type->info.coordinates; k++) {
            bri_joint_coordinate(j, &pose, k, &position, &velocity);
            assert_close(velocity, difference[k], NEAR);
            double rate = 0;
            bri_joint_coordinate_row(j, &pose, k, J[0], J[1]);
            for (int i = 0; i < 2; i++)
                rate += bri_dot(bri_vec(J[i][0], J[i][1], J[i][2]), b[i].v) +
                        bri_dot(bri_vec(J[i][3], J[i][4], J[i][5]), b[i].w);
            assert_close(rate, velocity, EXACT);
        }
        release_pair(&p);
    }
}

/* A universal joint's two angles are the turns that make its pose: about z of a, then about x' of b. */
static void universal_angles_are_the_turns_that_were_made(void **unused) {
    (void)unused;
    Random random = {47};
    for (int n = 0; n < 50; n++) {
        Pair p = make_pair(BR_JOINT_UNIVERSAL, false, &random);
        const BriJoint *j = &p.model->joint[0];
        BriBodyState *a = &bri_state_bodies(p.state)[0], *b = a + 1;
        double turn[2] = {draw(&random, -3, 3), draw(&random, -3, 3)};
        BrMat3 Rz = bri_rotation_exp(bri_vec(0, 0, turn[0])), Rx = bri_rotation_exp(bri_vec(turn[1], 0, 0));
        BrMat3 F_a = bri_mat_mul(&a->A, &j->frame_a), F = bri_mat_mul(&F_a, &Rz), back = bri_transpose(&j->frame_b);
        F = bri_mat_mul(&F, &Rx);
        b->A = bri_mat_mul(&F, &back);
        BriJointPose pose = pose_at(&p, a);
        for (int k = 0; k < 2; k++) {
            double position, rate;
            bri_joint_coordinate(j, &pose, k, &position, &rate);
            assert_close(position, turn[k], 10 * EXACT);
        }
        release_pair(&p);
    }
}

/* b turns five times about z, forth and back; each pose is measured near the angle of the one before. */
static void angles_count_turns(void **unused) {
    (void)unused;
    static const BrJointType types[] = {BR_JOINT_REVOLUTE, BR_JOINT_CYLINDRICAL, BR_JOINT_PLANAR, BR_JOINT_SCREW};
    Random random = {45};
    for (int n = 0; n < 4; n++) {
        Pair p = make_pair(types[n], false, &random);
        const BriJoint *j = &p.model->joint[0];
        for (int k = 0, turns = 5; k <= 400; k++) {
            double angle = 2 * PI * turns * sin(PI * k / 200), near = bri_state_joints(p.state)[0].angle, error[MOST];
            draw_consistent(&p, angle, &random);
            bri_state_joints(p.state)[0].angle = near; /* half a turn off at most: 2 pi 5 pi/200 = 0.5 rad */
            BriJointPose pose = pose_at(&p, bri_state_bodies(p.state));
            assert_close(bri_joint_angle(&pose), angle, 10 * EXACT); /* 31 rad */
            bri_state_joints(p.state)[0].angle = bri_joint_angle(&pose);
            bri_joint_errors(j, &pose, error); /* the screw has advanced by turns * lead */
            for (int r = 0; r < j->rows; r++) assert_close(error[r], 0, 10 * EXACT);
        }
        release_pair(&p);
    }
}

/* Upright wheel on a plane at rest: w = v/R forward is free, skidding and side-slip are not, steering is. */
static void wheels_roll_and_blades_glide(void **unused) {
    (void)unused;
    Random random = {46};
    Pair p = make_pair(BR_JOINT_ROLLING_WHEEL, false, &random);
    const BriJoint *j = &p.model->joint[0];
    BriBodyState *b = bri_state_bodies(p.state);
    double rate[MOST], v = 1.7;
    BrMat3 F = bri_mat_mul(&b[0].A, &j->frame_a), upright = bri_rotation_exp(bri_vec(-PI / 2, 0, 0)); /* axle: y */
    BrMat3 wheel = bri_mat_mul(&F, &upright), back = bri_transpose(&j->frame_b);
    BrVec3 x = bri_column(&F, 0), y = bri_column(&F, 1), z = bri_column(&F, 2);
    b[1].A = bri_mat_mul(&wheel, &back);
    BrVec3 contact = bri_add(b[0].r, bri_mul(&b[0].A, j->point_a)), centre = bri_add_scaled(contact, j->radius, z);
    b[1].r = bri_sub(centre, bri_mul(&b[1].A, j->point_b));
    /* roll along x with w = v/R y, steer with 0.9 z: the velocity of the centre of mass follows from the centre's */
    BrVec3 spin = bri_add(bri_scale(v / j->radius, y), bri_scale(0.9, z)), arm = bri_sub(b[1].r, centre);
    b[1].w = bri_mul_t(&b[1].A, spin);
    b[1].v = bri_add(bri_scale(v, x), bri_cross(spin, arm));
    read_rates(&p, b, rate);
    for (int r = 0; r < 3; r++) assert_close(rate[r], 0, EXACT);
    b[1].v = bri_add(b[1].v, bri_add(bri_scale(0.3, x), bri_scale(0.2, y)));
    read_rates(&p, b, rate);
    assert_close(rate[0], 0, EXACT);
    assert_close(rate[1], 0.3, EXACT);
    assert_close(rate[2], 0.2, EXACT);
    release_pair(&p);

    p = make_pair(BR_JOINT_KNIFE_EDGE, false, &random);
    b = bri_state_bodies(p.state);
    BrVec3 forbidden = bri_scale(0.5, p.model->joint[0].def.axis); /* defined twice as long as a unit vector */
    b[1].v = bri_cross(forbidden, draw_unit(&random));
    read_rates(&p, b, rate);
    assert_close(rate[0], 0, EXACT);
    b[1].v = bri_add_scaled(b[1].v, 0.6, forbidden);
    read_rates(&p, b, rate);
    assert_close(rate[0], 0.6, EXACT);
    release_pair(&p);
}

/* ------------------------------------------------------------------ springs */

typedef struct Law {
    BrFunctionDef stiffness, damping, force;
} Law;

enum { ELASTIC = 5, LAWS = 8 };
/* a stiffness table gives the force itself; knots are where differences see a corner */
static const double table[] = {-1.5, -9, -0.5, -6, 0, 0, 0.7, 5, 2, 6};

/* The first ELASTIC laws depend on the deflection alone. */
static Law choose_law(int n) {
    BrFunctionDef zero = br_constant(0), k = br_constant(12), points = br_table(table, 5);
    Law laws[LAWS] = {{k, zero, zero},
                      {points, zero, zero},
                      {br_expression("10 + 3*x + 8*x^2"), zero, zero},
                      {zero, zero, br_expression("2*sin(3*x) + exp(x)")},
                      {k, zero, points},
                      {zero, br_constant(1.5), zero},
                      {k, br_expression("1 + x^2 + v^2"), zero},
                      {points, br_constant(0.3), br_expression("2*x + 0.5*v*abs(v)")}};
    return laws[n];
}

/* On coordinate k of the joint, or on a line when k < 0. */
static void add_spring(Pair *p, int k, Law law, Random *random) {
    BrSpringDef def = br_default_spring_def();
    def.name = "spring";
    if (k < 0) def.body_a = p->id[0], def.body_b = p->id[1];
    if (k >= 0) def.joint = p->joint, def.coordinate = k;
    def.point_a_body = draw_vec(random, 0.5);
    def.point_b_body = draw_vec(random, 0.5);
    def.stiffness = law.stiffness, def.damping = law.damping, def.force = law.force;
    def.free_length = 0.4;
    BrSpringId id;
    assert_int_equal(br_model_add_spring(p->model, &def, &id, NULL), BR_OK);
}

static bool is_near_a_knot(const Pair *p) {
    BriInstant now = {p->model, p->state, bri_state_bodies(p->state), 0};
    BriSpringReading r = bri_spring_read(&now, 0);
    for (int k = 0; k < BRI_COUNT(table); k += 2)
        if (fabs(r.length - 0.4 - table[k]) < 3 * STEP * fabs(r.rate)) return true;
    return false;
}

/* What the forces do is what leaves the store and what is lost: F.v = -dE/dt - lost. Without a damper nothing is lost
 * and F does not know v, so that F is minus the gradient of E. */
static void check_power_balance(const Pair *p, bool elastic) {
    const BriBodyState *b = bri_state_bodies(p->state);
    double f[12], power = 0, energy_rate[MOST], work, lost, total[2];
    bri_forces(p->model, p->state, b, 0, f);
    for (int k = 0; k < 2; k++)
        power += bri_dot(bri_vec(f[6 * k], f[6 * k + 1], f[6 * k + 2]), b[k].v) +
                 bri_dot(bri_vec(f[6 * k + 3], f[6 * k + 4], f[6 * k + 5]), b[k].w);
    differentiate(p, read_energy, energy_rate);
    bri_powers(p->model, p->state, &work, &lost);
    assert_true(elastic ? lost == 0 : lost > 0);
    assert_true(work == 0);
    BriInstant now = {p->model, p->state, b, 0};
    BriSpringReading r = bri_spring_read(&now, 0);
    double scale = 1 + fabs(r.tension) + r.length * r.length;
    assert_close(power, -energy_rate[0] - lost, 100 * NEAR * scale); /* tens of N, and their slopes */
    assert_close(power, -r.tension * r.rate, EXACT * scale * 10);
    sum_loads(b, f, f + 6, total);
    assert_close(total[0], 0, EXACT * scale);
    assert_close(total[1], 0, EXACT * scale);
}

static void springs_balance_power(void **unused) {
    (void)unused;
    Random random = {47};
    for (int n = 0; n < BR_JOINT_TYPES * LAWS; n++) {
        BrJointType type = (BrJointType)(n % BR_JOINT_TYPES);
        int law = n / BR_JOINT_TYPES, coordinates = br_joint_info(type)->coordinates;
        for (int k = -1; k < coordinates; k++) {
            if (k >= 0 && !br_joint_info(type)->coordinate[k].driveable) continue;
            Pair p = start_pair(&random);
            add_joint(&p, type, &random);
            add_spring(&p, k, choose_law(law), &random);
            finish_pair(&p);
            for (int again = 0; again < 12; again++) { /* as many directions as freedoms */
                do draw_consistent(&p, draw(&random, -3, 3), &random);
                while (is_near_a_knot(&p));
                check_power_balance(&p, law < ELASTIC);
            }
            release_pair(&p);
        }
    }
}

/* A linear damper loses c v^2, and a linear spring holds k x^2/2. */
static void linear_springs_are_linear(void **unused) {
    (void)unused;
    Random random = {48};
    Pair p = start_pair(&random);
    add_spring(&p, -1, (Law){br_constant(12), br_constant(1.5), br_constant(0)}, &random);
    finish_pair(&p);
    for (int n = 0; n < 20; n++) {
        double work, lost;
        draw_anywhere(&p, &random);
        BriInstant now = {p.model, p.state, bri_state_bodies(p.state), 0};
        BriSpringReading r = bri_spring_read(&now, 0);
        bri_powers(p.model, p.state, &work, &lost);
        assert_close(r.tension, 12 * (r.length - 0.4) + 1.5 * r.rate, 100 * EXACT);
        assert_close(lost, 1.5 * r.rate * r.rate, 100 * EXACT);
        assert_close(bri_spring_energy(p.model, p.state), 6 * (r.length - 0.4) * (r.length - 0.4), 100 * EXACT);
    }
    /* at zero length it pushes its ends apart along direction_at_zero, (0, 0, -1) from a to b */
    const BrSpringDef *def = &p.model->spring[0].def;
    BriBodyState *b = bri_state_bodies(p.state);
    double f[12];
    b[0] = b[1] = (BriBodyState){.A = bri_identity()};
    b[0].r = bri_neg(def->point_a_body);
    b[1].r = bri_neg(def->point_b_body);
    bri_forces(p.model, p.state, b, 0, f);
    assert_close(f[2], 12 * 0.4, EXACT * 10);
    assert_close(f[8], -12 * 0.4, EXACT * 10);
    release_pair(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_rates_of_errors),
        cmocka_unit_test(bias_is_the_rate_of_the_rows),
        cmocka_unit_test(rows_act_and_react),
        cmocka_unit_test(coordinates_have_their_rates),
        cmocka_unit_test(universal_angles_are_the_turns_that_were_made),
        cmocka_unit_test(angles_count_turns),
        cmocka_unit_test(wheels_roll_and_blades_glide),
        cmocka_unit_test(springs_balance_power),
        cmocka_unit_test(linear_springs_are_linear),
    };
    return cmocka_run_group_tests_name("joint", tests, NULL, NULL);
}
