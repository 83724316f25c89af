/* test_sleeping.c: islands at rest sleep. What sleeps was at rest and stays as it is to the bit, with the forces that
 * statics asks for; what may be touched, is pushed or stepped otherwise wakes in that very step and does what it would
 * have done without sleep; what something drives does not sleep; and a step costs what is awake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counting.h"
#include "machine.h"

static const double G = 9.81, DT = 2e-3;
static const BrVec3 DOWN = {0, 0, -9.81};
static const BrScheme SCHEMES[] = {BR_SCHEME_MOREAU, BR_SCHEME_HEM2};
enum { CUBES = 4 };
static const double A = 0.2; /* m: a cube of 1 kg */

static BrStepDef make_def(BrScheme scheme, bool sleeping) {
    BrStepDef def = machine_step_def(scheme, DT);
    def.sleeping = sleeping;
    return def;
}

static void add_stack(Machine *m, BrVec3 foot, BrMaterialId wood, BrBodyId *cube) {
    for (int k = 0; k < CUBES; k++) {
        char name[16];
        snprintf(name, sizeof name, "cube%d", k);
        cube[k] = machine_block(m, name, 1, vec(A, A, A), add(foot, vec(0, 0, (k + 0.5) * A)), wood);
    }
}

/* Cubes on each other, on the floor. */
static Machine make_stack(double mu, BrBodyId *cube) {
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", mu, 0);
    machine_floor(&m, wood);
    add_stack(&m, vec(0, 0, 0), wood, cube);
    machine_ready(&m);
    return m;
}

/* Steps until so many bodies sleep; a second is enough for what is at rest. */
static void fall_asleep(Machine *m, const BrStepDef *def, int bodies) {
    BrStepReport report = {0};
    for (int k = 0; k * def->dt < 1 && report.sleeping != bodies; k++) report = machine_steps(m, def, 1);
    assert_int_equal(report.sleeping, bodies);
}

static bool is_still(const Machine *m, BrBodyId body) {
    BrTwist v = machine_twist(m, body);
    return norm(v.linear) == 0 && norm(v.angular) == 0;
}

/* ------------------------------------------------------------------ asleep */

/* Nobody sleeps before the time in which 1e-9 of the weight would have made 1e-9 m/s, whatever the step; what is at rest
 * from the start does right after it. */
static void sleep_takes_its_time(void **unused) {
    (void)unused;
    const double REST = 1 / G; /* s */
    for (int s = 0; s < 2; s++)
        for (int fine = 0; fine < 2; fine++) {
            BrBodyId cube[CUBES];
            Machine m = make_stack(0.5, cube);
            BrStepDef def = make_def(SCHEMES[s], true);
            def.dt = fine ? 5e-4 : 5e-3;
            BrStepReport report = {0};
            while (report.sleeping == 0 && br_state_time(m.state) < 1) report = machine_steps(&m, &def, 1);
            assert_int_equal(report.sleeping, CUBES);
            assert_true(br_state_time(m.state) > REST && br_state_time(m.state) < REST + 4 * def.dt);
            for (int k = 0; k < CUBES; k++) assert_true(is_still(&m, cube[k]));
            machine_end(&m);
        }
}

/* Force that the cubes above pass on to what is below cube k: the sum over its four corners. */
static double sum_support(Machine *m, BrBodyId below, BrBodyId cube, bool mean) {
    double sum = 0;
    int count = machine_contact_count(m);
    for (int i = 0; i < count; i++) {
        BrContact c = machine_contact(m, i);
        bool own = memcmp(&c.body_a, &below, sizeof below) == 0 && memcmp(&c.body_b, &cube, sizeof cube) == 0;
        if (own) sum += mean ? c.normal_force_mean : c.normal_force;
    }
    return sum;
}

/* Each cube carries the weights above it, also while it sleeps and a ball rolls about, and is read without being woken;
 * poses and readings have the same bits as when it fell asleep. */
static void sleepers_carry_their_weights(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        BrBodyId cube[CUBES];
        machine_floor(&m, wood);
        add_stack(&m, vec(0, 0, 0), wood, cube);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(-3, 0, 0.1), wood);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(1, 0, 0), vec(0, 10, 0));
        BrStepDef def = make_def(SCHEMES[s], true);
        fall_asleep(&m, &def, CUBES);
        BrPose pose[CUBES];
        BrContact contact = machine_contact(&m, 0);
        double way = machine_pose(&m, ball).position.x;
        for (int k = 0; k < CUBES; k++) pose[k] = machine_pose(&m, cube[k]);
        for (int n = 0; n < 100; n++) {
            assert_int_equal(machine_steps(&m, &def, 1).sleeping, CUBES);
            BrContact now = machine_contact(&m, 0);
            assert_true(now.normal_force == contact.normal_force && now.gap == contact.gap);
            assert_true(now.normal_force_mean == contact.normal_force_mean && now.mode == contact.mode);
        }
        for (int k = 0; k < CUBES; k++) {
            BrPose now = machine_pose(&m, cube[k]);
            assert_memory_equal(&now, &pose[k], sizeof now);
            assert_true(is_still(&m, cube[k]));
            for (int mean = 0; mean < 2; mean++)
                assert_near(sum_support(&m, k ? cube[k - 1] : m.ground, cube[k], mean), (CUBES - k) * G, 1e-7);
        }
        assert_near(machine_pose(&m, ball).position.x - way, 100 * DT, 1e-9); /* who is awake goes on */
        machine_end(&m);
    }
}

/* On a slope below the angle of friction a block sleeps with the friction that holds it, and a ball that rolling
 * resistance holds with its moment; a block that slides, however slowly, does not sleep. */
static void slopes_are_held(void **unused) {
    (void)unused;
    const double SLOPE = 0.3; /* rad */
    for (int s = 0; s < 2; s++) {
        BrMat3 turn = turn_about(vec(0, 1, 0), SLOPE);
        Machine m = machine_begin(rotate_back(&turn, DOWN)); /* along x */
        BrMaterialDef felt = br_default_material_def();
        felt.name = "felt";
        felt.surface.friction = br_law(BR_LAW_FRICTION, "rolling");
        br_law_set(&felt.surface.friction, "mu", 0.5);
        br_law_set(&felt.surface.friction, "mu_r", 0.05);
        BrMaterialId rough = machine_add_material(&m, &felt);
        machine_floor(&m, rough);
        machine_block(&m, "block", 2, vec(A, A, 0.1), vec(0, 0, 0.05), rough);
        machine_ball(&m, "ball", 3, 0.1, vec(1, 0, 0.1), rough);
        machine_ready(&m);
        BrStepDef def = make_def(SCHEMES[s], true);
        fall_asleep(&m, &def, 2);
        machine_steps(&m, &def, 50);
        BrVec3 force = machine_contact_force(&m, true);
        double down = G * sin(SLOPE);
        assert_near(fabs(force.x), 5 * down, 1e-7);
        int count = machine_contact_count(&m);
        double moment = norm(machine_contact(&m, count - 1).rolling_moment_mean);
        assert_near(moment, 0.1 * 3 * down, 1e-7);
        machine_end(&m);
    }
    BrBodyId cube[CUBES];
    Machine m = make_stack(0, cube);
    machine_set_twist(&m, cube[0], vec(1e-7, 0, 0), vec(0, 0, 0)); /* m/s */
    BrStepDef def = make_def(BR_SCHEME_MOREAU, true);
    assert_int_equal(machine_steps(&m, &def, 500).sleeping, 0);
    machine_end(&m);
}

/* A heap of blocks that have fallen onto each other. Who sleeps was at rest: with all awake again, it is where it was
 * after another second. Its books are as exact as they were. */
static void heaps_that_sleep_are_at_rest(void **unused) {
    (void)unused;
    enum { BLOCKS = 16 };
    for (int s = 0; s < 2; s++) {
        uint64_t seed = 11;
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.6, 0);
        machine_floor(&m, wood);
        for (int k = 0; k < BLOCKS; k++) {
            char name[16];
            snprintf(name, sizeof name, "block%d", k);
            BrVec3 size = vec(draw(&seed, 0.1, 0.2), draw(&seed, 0.1, 0.2), draw(&seed, 0.05, 0.1));
            BrVec3 at = vec(0.1 * (k % 2) + draw(&seed, 0, 0.02), 0.1 * (k / 2 % 2), 0.1 + 0.12 * k);
            machine_block(&m, name, 1, size, at, wood);
        }
        machine_ready(&m);
        BrStepDef def = make_def(SCHEMES[s], true);
        BrStepReport report = {0};
        for (int k = 0; k < 5000 && report.sleeping < BLOCKS; k++) /* blows may stop short */
            assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
        assert_int_equal(report.sleeping, BLOCKS);
        BrPose pose[BLOCKS];
        for (int k = 0; k < BLOCKS; k++) pose[k] = machine_pose(&m, br_model_body(m.model, k + 1));
        double defect = machine_energy(&m).defect;
        def.sleeping = false;
        assert_int_equal(machine_steps(&m, &def, 500).sleeping, 0);
        for (int k = 0; k < BLOCKS; k++) {
            BrPose now = machine_pose(&m, br_model_body(m.model, k + 1));
            assert_near(norm(sub(now.position, pose[k].position)), 0, 1e-8);
        }
        assert_near(machine_energy(&m).defect, defect, 1e-7);
        machine_end(&m);
    }
}

/* Rest is more than a contact that sticks: a ball that rolls does not sleep, however slowly it does and however far away
 * it is, where its way in a step is no more than rounding; nor a block that began inside the floor, before it is out,
 * though no velocity tells that it moves. */
static void what_moves_at_all_stays_awake(void **unused) {
    (void)unused;
    const double FAR = 1e4, SLOW = 1e-7; /* m, m/s */
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(FAR, 0, 0.1), wood);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(SLOW, 0, 0), vec(0, SLOW / 0.1, 0));
        BrStepDef def = make_def(SCHEMES[s], true);
        assert_int_equal(machine_steps(&m, &def, 200).sleeping, 0);
        machine_end(&m);

        m = machine_begin(DOWN);
        wood = machine_material(&m, "wood", 0.5, 0);
        machine_floor(&m, wood);
        BrBodyId block = machine_block(&m, "block", 1, vec(A, A, A), vec(0, 0, A / 2 - 5e-3), wood);
        machine_ready(&m);
        def.dt = 1e-2; /* a fifth of the overlap in each: 70 steps, and ten at rest are enough */
        BrStepReport report = {0};
        for (int k = 0; k < 200 && !report.sleeping; k++) /* that there is an overlap is told */
            assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
        assert_int_equal(report.sleeping, 1);
        assert_near(machine_pose(&m, block).position.z, A / 2, 2e-9);
        machine_end(&m);
    }
}

/* Two cubes a millimetre apart, of which one comes to rest later than the other: who is awake wakes the other in every
 * step, and that does not keep both from sleep. */
static void neighbours_let_each_other_sleep(void **unused) {
    (void)unused;
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    machine_block(&m, "first", 1, vec(A, A, A), vec(0, 0, A / 2), wood);
    machine_block(&m, "second", 1, vec(A, A, A), vec(A + 1e-3, 0, A / 2 + 0.1), wood);
    machine_ready(&m);
    BrStepDef def = make_def(BR_SCHEME_MOREAU, true);
    def.dt = 1e-2; /* gravity alone reaches 2 mm */
    fall_asleep(&m, &def, 2);
    assert_int_equal(machine_steps(&m, &def, 10).sleeping, 2);
    machine_end(&m);
}

/* ------------------------------------------------------------------ waking */

typedef struct Twins {
    Machine sleeps, wakes;
    BrStepDef def[2];
    bool by_moreau; /* an island of the last step was, of one of them */
} Twins;

static Twins make_twins(Machine (*make)(void), BrScheme scheme) {
    return (Twins){make(), make(), {make_def(scheme, true), make_def(scheme, false)}, false};
}

/* One step of both; the number of sleepers. */
static int step_twins(Twins *t) {
    BrStepReport report, other;
    assert_true(br_step(t->sleeps.model, t->sleeps.workspace, t->sleeps.state, &t->def[0], &report, NULL) >= 0);
    assert_true(br_step(t->wakes.model, t->wakes.workspace, t->wakes.state, &t->def[1], &other, NULL) >= 0);
    assert_int_equal(other.sleeping, 0);
    t->by_moreau = report.finished_by_moreau || other.finished_by_moreau;
    return report.sleeping;
}

static void end_twins(Twins *t) {
    machine_end(&t->sleeps);
    machine_end(&t->wakes);
}

/* A ball that flies at the stack, and arrives after half a second. Along its middle: a cube that is also turned has
 * several answers, since nothing rigid tells how its four corners share the load, and rounding would choose. */
static Machine make_throw(void) {
    BrBodyId cube[CUBES];
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0.2);
    machine_floor(&m, wood);
    add_stack(&m, vec(0, 0, 0), wood, cube);
    BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(-2.2, 0, 0.5), wood);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(4, 0, 0.5 * G * 0.5), vec(0, 0, 0));
    return m;
}

/* Boxes at rest on a floor without friction, 1 mm apart; the first is struck at 20 m/s, so that it passes its own
 * length within a step. */
static Machine make_row(void) {
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, 0.9);
    machine_floor(&m, ice);
    for (int k = 0; k < 5; k++) {
        char name[16];
        snprintf(name, sizeof name, "box%d", k);
        machine_block(&m, name, pow(0.6, k), vec(0.03, A, A), vec(0.031 * k, 0, A / 2), ice);
    }
    BrBodyId ball = machine_ball(&m, "ball", 5, 0.1, vec(-10.15, 0, 0.1), ice);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(20, 0, 0), vec(0, 0, 0));
    return m;
}

/* A plate that a motion pushes into the stack. */
static Machine make_pusher(void) {
    BrBodyId cube[CUBES];
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    add_stack(&m, vec(0, 0, 0), wood, cube);
    BrBodyDef def = br_default_body_def();
    def.name = "plate", def.kind = BR_BODY_KINEMATIC, def.position = vec(-0.5, 0, 0.15);
    BrBodyId plate = machine_add_body(&m, &def);
    machine_box(&m, plate, vec(0.1, 0.1, 0.1), wood);
    BrMotionDef motion = br_default_motion_def();
    BrMotionId id;
    motion.name = "push", motion.body = plate;
    motion.linear[0] = br_expression("-0.5 + 0.7*t");
    motion.linear[2] = br_constant(0.15);
    assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
    machine_ready(&m);
    return m;
}

/* What comes to sleepers finds them awake: run with sleep and without it, all is the same, to what is left of speeds
 * when they stop (1e-9 m/s at most) times what blows make of it. They slept before, and not while they were struck. */
static void who_is_touched_wakes(void **unused) {
    (void)unused;
    const struct {
        Machine (*make)(void);
        double until, tolerance;
    } cases[] = {{make_throw, 0.8, 1e-7}, {make_row, 0.7, 1e-6}, {make_pusher, 1.0, 1e-7}};
    for (int i = 0; i < 3; i++)
        for (int s = 0; s < 2; s++) {
            Twins t = make_twins(cases[i].make, SCHEMES[s]);
            int slept = 0, woke = 0, before = 0;
            while (br_state_time(t.wakes.state) < cases[i].until) {
                int now = step_twins(&t);
                slept += now > 0, woke += before > now, before = now;
                double off = machine_distance(&t.sleeps, &t.wakes);
                if (!(off < cases[i].tolerance))
                    fail_msg("case %d, %s: %.3g off at t = %g s", i, br_scheme_name(SCHEMES[s]), off,
                             br_state_time(t.wakes.state));
            }
            assert_true(slept > 50 && woke > 0 && before == 0);
            end_twins(&t);
        }
}

enum { TARGETS = 12, SHOTS = 2 };

/* Balls of any mass and size at rest on ice, into which two others run after 0.4 s, at up to 90 m/s. */
static Machine make_billiards(uint64_t seed) {
    Machine m = machine_begin(DOWN);
    BrMaterialId ice = machine_material(&m, "ice", 0, draw(&seed, 0, 1));
    char name[16];
    machine_floor(&m, ice);
    for (int k = 0; k < TARGETS; k++) {
        double radius = draw(&seed, 0.02, 0.1);
        snprintf(name, sizeof name, "target%d", k);
        machine_ball(&m, name, exp(draw(&seed, -4, 2)), radius, vec(0.21 * (k % 4), 0.21 * (k / 4), radius), ice);
    }
    BrBodyId shot[SHOTS];
    double speed[SHOTS];
    for (int k = 0; k < SHOTS; k++) {
        speed[k] = exp(draw(&seed, 0, 4.5));
        snprintf(name, sizeof name, "shot%d", k);
        BrVec3 at = vec(-0.4 * speed[k] - draw(&seed, 0.2, 0.5), draw(&seed, -0.1, 0.6), 0.1);
        shot[k] = machine_ball(&m, name, exp(draw(&seed, 0, 5)), 0.1, at, ice);
    }
    machine_ready(&m);
    for (int k = 0; k < SHOTS; k++) machine_set_twist(&m, shot[k], vec(speed[k], 0, 0), vec(0, 0, 0));
    return m;
}

/* Games of billiards: blows pass from ball to ball, some thrown farther than anyone foresaw, and everyone is awake who
 * is met. A restitution that had to be lowered, for no blow makes energy, is found to 1e-6, and blows make more of that;
 * who is missed makes metres. hem2 leaves an island with more than four touches in a step to moreau, and who sleeps
 * beside it is of none: such games end there. */
static void games_are_played_as_without_sleep(void **unused) {
    (void)unused;
    int games = is_check_run() ? 400 : 40, ended = 0;
    for (int i = 0; i < games; i++) {
        uint64_t seed = 1000003u * (uint64_t)i + 17;
        Twins t = {make_billiards(seed), make_billiards(seed), {{0}}, false};
        for (int k = 0; k < 2; k++) {
            t.def[k] = make_def(SCHEMES[i % 2], k == 0);
            t.def[k].dt = 1e-3 * pow(20, (i % 7) / 6.); /* s: 1 to 20 ms */
        }
        int slept = 0;
        while (br_state_time(t.wakes.state) < 0.5) {
            int now = step_twins(&t);
            slept = now > slept ? now : slept;
            ended += t.by_moreau;
            if (t.by_moreau) break;
            double off = machine_distance(&t.sleeps, &t.wakes);
            if (!(off < 1e-3)) fail_msg("game %d: %.3g off at t = %g s", i, off, br_state_time(t.wakes.state));
        }
        assert_int_equal(slept, TARGETS);
        end_twins(&t);
    }
    print_message("%d of %d games ended early\n", ended, games);
    assert_true(ended < games / 2);
}

static Machine make_plain_stack(void) {
    BrBodyId cube[CUBES];
    return make_stack(0.3, cube);
}

static void pull_lowest(Machine *m, double pull) {
    BrBodyId lowest = br_model_body(m->model, 1);
    assert_int_equal(br_body_set_load(m->model, m->state, lowest, vec(pull, 0, 0), vec(0, 0, 0), NULL), BR_OK);
}

/* The lowest cube is pulled from under the others: with a load that friction could not hold; the load is there in the
 * step that wakes them. */
static void a_support_that_is_pulled_away_is_missed(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Twins t = make_twins(make_plain_stack, SCHEMES[s]);
        while (step_twins(&t) == 0 && br_state_time(t.wakes.state) < 1) {}
        BrBodyId lowest = br_model_body(t.sleeps.model, 1), next = br_model_body(t.sleeps.model, 2);
        double pull = 3 * 0.3 * (2 * CUBES - 1) * G; /* N: thrice the friction of both its sides */
        pull_lowest(&t.sleeps, pull);
        pull_lowest(&t.wakes, pull);
        assert_int_equal(step_twins(&t), 0);
        assert_true(machine_twist(&t.sleeps, lowest).linear.x > 0.9 * DT * (2. / 3) * pull);
        assert_true(machine_twist(&t.sleeps, next).linear.x > 0);
        for (int k = 0; k < 100; k++) assert_int_equal(step_twins(&t), 0);
        assert_true(machine_distance(&t.sleeps, &t.wakes) < 1e-7);
        end_twins(&t);
    }
}

/* A load that is set again as it was wakes nobody, another one does; so does another step size, whose impulses then
 * are those of the weight in that step, and a velocity that is set. They sleep again. */
static void changes_wake(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        BrBodyId cube[CUBES];
        Machine m = make_stack(0.5, cube);
        BrStepDef def = make_def(SCHEMES[s], true);
        BrVec3 none = vec(0, 0, 0);
        fall_asleep(&m, &def, CUBES);
        assert_int_equal(br_body_set_load(m.model, m.state, cube[2], none, none, NULL), BR_OK);
        assert_int_equal(machine_steps(&m, &def, 1).sleeping, CUBES);
        assert_int_equal(br_body_set_load(m.model, m.state, cube[2], vec(0, 0, -5), none, NULL), BR_OK);
        assert_int_equal(machine_steps(&m, &def, 1).sleeping, 0);
        assert_near(sum_support(&m, m.ground, cube[0], true), CUBES * G + 5, 1e-7);
        fall_asleep(&m, &def, CUBES);
        for (int i = 0; i < 2; i++) {
            def.dt = (i ? 2 : 0.5) * DT;
            assert_int_equal(machine_steps(&m, &def, 1).sleeping, 0);
            assert_near(sum_support(&m, m.ground, cube[0], true), CUBES * G + 5, 1e-7);
            fall_asleep(&m, &def, CUBES);
        }
        machine_set_twist(&m, cube[3], vec(0, 0, 1), none);
        assert_int_equal(machine_steps(&m, &def, 1).sleeping, 0);
        assert_near(machine_twist(&m, cube[3]).linear.z, 1 - G * def.dt, 1e-9);
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ who does not sleep */

/* A block that rests, for all that is seen of it, and something that acts on it; does it sleep? */
static void whatever_is_driven_stays_awake(void **unused) {
    (void)unused;
    enum { NOTHING, CONSTANT_FORCE, FORCE_OF_TIME, SPRING, JOINT, BELT, MOVED_FLOOR, BRISTLES, WEIGHTLESS, CASES };
    for (int i = 0; i < CASES; i++) {
        Machine m = machine_begin(i == WEIGHTLESS ? vec(0, 0, 0) : DOWN);
        BrMaterialDef wood = br_default_material_def();
        wood.name = "wood";
        wood.surface.friction = br_law(BR_LAW_FRICTION, i == BRISTLES ? "bristle" : "coulomb");
        br_law_set(&wood.surface.friction, "mu", i == BELT ? 0 : 0.5);
        if (i == BRISTLES) br_law_set(&wood.surface.friction, "k_t", 1e5);
        BrBodyDef floor = br_default_body_def();
        BrShapeDef plane = br_default_shape_def();
        floor.name = "floor", floor.kind = i == MOVED_FLOOR ? BR_BODY_KINEMATIC : BR_BODY_FIXED;
        plane.kind = BR_SHAPE_PLANE, plane.body = machine_add_body(&m, &floor);
        plane.material = machine_add_material(&m, &wood);
        if (i == BELT) plane.surface_velocity_body = vec(0.1, 0, 0);
        machine_add_shape(&m, &plane);
        BrBodyId block = machine_block(&m, "block", 1, vec(A, A, A), vec(0, 0, A / 2), plane.material);
        if (i == CONSTANT_FORCE) machine_force(&m, "push", block, 2, br_constant(-3));
        if (i == FORCE_OF_TIME) machine_force(&m, "push", block, 2, br_sine(1e-3, 1e-3, 0));
        if (i == SPRING) machine_line_spring(&m, "spring", m.ground, block, 1, 0, A / 2);
        if (i == JOINT) machine_joint(&m, "slot", BR_JOINT_PLANAR, m.ground, block, vec(0, 0, 0), vec(0, 1, 0));
        BrMotionDef motion = br_default_motion_def();
        BrMotionId id;
        motion.name = "still", motion.body = plane.body;
        motion.linear[0] = br_constant(0);
        if (i == MOVED_FLOOR) assert_int_equal(br_model_add_motion(m.model, &motion, &id, NULL), BR_OK);
        machine_ready(&m);
        BrStepDef def = make_def(BR_SCHEME_MOREAU, true);
        BrStepReport report = machine_steps(&m, &def, 500);
        if (report.sleeping != (i <= CONSTANT_FORCE)) fail_msg("case %d: %d bodies sleep", i, report.sleeping);
        machine_end(&m);
    }
}

/* A pendulum swings on; the stack beside it sleeps, and joints that are closed in every step leave its bits alone. */
static void machines_beside_sleepers_go_on(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine m = machine_begin(DOWN);
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        BrBodyId cube[CUBES];
        BrPose pose[CUBES];
        machine_floor(&m, wood);
        add_stack(&m, vec(1, 0, 0), wood, cube);
        BrBodyId bob = machine_body(&m, "bob", 1, diagonal(0.01, 0.01, 0.01), vec(-2, 0, 3));
        machine_joint(&m, "pin", BR_JOINT_REVOLUTE, m.ground, bob, vec(-3, 0, 3), vec(0, 1, 0));
        BrPose turned = {vec(1, 0, 0), turn_about(vec(0, 0, 1), 0.3)};
        machine_ready(&m);
        for (int k = 0; k < CUBES; k++) {
            turned.position.z = (k + 0.5) * A;
            assert_int_equal(br_body_set_pose(m.model, m.state, cube[k], turned, NULL), BR_OK);
        }
        BrStepDef def = make_def(SCHEMES[s], true);
        fall_asleep(&m, &def, CUBES);
        for (int k = 0; k < CUBES; k++) pose[k] = machine_pose(&m, cube[k]);
        double energy = machine_mechanical_energy(&m);
        assert_int_equal(machine_steps(&m, &def, 200).sleeping, CUBES);
        for (int k = 0; k < CUBES; k++) {
            BrPose now = machine_pose(&m, cube[k]);
            assert_memory_equal(&now, &pose[k], sizeof now);
        }
        assert_true(norm(machine_twist(&m, bob).linear) > 0.1);
        assert_near(machine_mechanical_energy(&m), energy, s ? 1e-4 : 0.2); /* of 10 J: it swings as before */
        machine_end(&m);
    }
}

/* ------------------------------------------------------------------ states and cost */

/* A state is all there is: from its bytes another state, in another workspace, goes on to the same bits; so do steps on
 * three threads, and read in between. */
static void sleep_is_in_the_state(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Machine a = make_throw(), b = make_throw(), c = make_throw();
        BrStepDef def = make_def(SCHEMES[s], true), threads = def;
        threads.threads = 3;
        assert_int_equal(machine_steps(&a, &def, 150).sleeping, CUBES);
        assert_int_equal(br_state_restore(b.state, br_state_bytes(a.state), br_state_size(a.state), NULL), BR_OK);
        assert_int_equal(br_state_copy(c.state, a.state), BR_OK);
        bool fits = br_step_fits(c.model, &threads, NULL) == BR_OK; /* else there are none */
        for (int k = 0; k < 200; k++) {
            assert_true(br_step(a.model, a.workspace, a.state, &def, NULL, NULL) >= 0);
            assert_true(br_step(b.model, b.workspace, b.state, &def, NULL, NULL) >= 0);
            assert_true(br_step(c.model, c.workspace, c.state, fits ? &threads : &def, NULL, NULL) >= 0);
            assert_true(br_evaluate(b.model, b.workspace, b.state, NULL) >= 0);
            assert_true(br_state_hash(a.state) == br_state_hash(b.state));
            assert_true(br_state_hash(a.state) == br_state_hash(c.state));
        }
        machine_end(&a), machine_end(&b), machine_end(&c);
    }
}

/* Operations of a step, the mean of ten, with a ball that rolls and a pyramid of so many rows beside it, after half a second. */
static double count_work(int rows, BrScheme scheme, bool sleeping) {
    Machine m = machine_begin(DOWN);
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    machine_floor(&m, wood);
    machine_pyramid(&m, rows, wood);
    BrBodyId ball = machine_ball(&m, "ball", 1, 0.1, vec(-5, 0, 0.1), wood);
    machine_ready(&m);
    machine_set_twist(&m, ball, vec(0.1, 0, 0), vec(0, 1, 0));
    BrStepDef def = make_def(scheme, sleeping);
    def.dt = 1e-2;
    BrStepReport report = machine_steps(&m, &def, 40);
    double work = 0;
    for (int k = 0; k < 10; k++) {
        report = machine_steps(&m, &def, 1);
        work += report.work / 10;
    }
    assert_int_equal(report.sleeping, sleeping ? rows * (rows + 1) / 2 : 0);
    assert_int_equal(report.contacts > 1, !sleeping);
    machine_end(&m);
    return work;
}

/* What a sleeper adds to a step is less than a thirtieth of what it would add awake, where most steps
 * only see that its impulses are still right, and some solve for them. */
static void a_step_costs_what_is_awake(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        double asleep = count_work(12, SCHEMES[s], true) - count_work(4, SCHEMES[s], true),
               awake = count_work(12, SCHEMES[s], false) - count_work(4, SCHEMES[s], false);
        if (!(30 * asleep < awake)) fail_msg("68 bodies take %.3g operations asleep, %.3g awake", asleep, awake);
    }
}

/* Machine with a fixed ground and room for so many contacts; 0: as many as its shapes need. */
static Machine begin_with_room(int contacts, BrAllocator allocator) {
    Machine m = {0};
    BrModelDef def = br_default_model_def();
    BrBodyDef ground = br_default_body_def();
    def.gravity = DOWN, def.contact_capacity = contacts, def.allocator = allocator;
    ground.name = "ground", ground.kind = BR_BODY_FIXED;
    assert_int_equal(br_model_create(&def, &m.model, NULL), BR_OK);
    m.ground = machine_add_body(&m, &ground);
    return m;
}

/* The table has room for all, asleep or not: what does not fit without sleep does not fit with it. */
static void sleepers_keep_their_room(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++)
        for (int room = 15; room <= 16; room++) {
            Machine m = begin_with_room(room, (BrAllocator){0});
            BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
            BrError error = {0};
            machine_floor(&m, wood);
            for (int k = 0; k < 3; k++) {
                char name[16];
                snprintf(name, sizeof name, "cube%d", k);
                machine_block(&m, name, 1, vec(A, A, A), vec(k, 0, A / 2), wood);
            }
            machine_block(&m, "last", 1, vec(A, A, A), vec(-1, 0, A / 2 + 1), wood); /* falls for 0.45 s */
            machine_ready(&m);
            BrStepDef def = make_def(SCHEMES[s], true);
            fall_asleep(&m, &def, 3);
            BrStatus status = BR_OK;
            while (status >= 0 && br_state_time(m.state) < 0.6)
                status = br_step(m.model, m.workspace, m.state, &def, NULL, &error);
            assert_int_equal(status < 0 ? status : BR_OK, room < 16 ? BR_CAPACITY : BR_OK);
            if (room < 16) assert_non_null(strstr(error.text, "16 contacts are needed"));
            machine_end(&m);
        }
}

/* Steps in which bodies sleep, fall asleep or wake allocate nothing, once such a run was made. */
static void sleep_allocates_nothing(void **unused) {
    (void)unused;
    for (int s = 0; s < 2; s++) {
        Counter counter = {0};
        Machine m = begin_with_room(0, counting_allocator(&counter));
        BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
        BrBodyId cube[CUBES];
        BrState *first;
        machine_floor(&m, wood);
        add_stack(&m, vec(0, 0, 0), wood, cube);
        BrBodyId ball = machine_ball(&m, "ball", 2, 0.1, vec(-2.2, 0, 0.5), wood);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(4, 0, 0.5 * G * 0.5), vec(0, 0, 0));
        BrStepDef def = make_def(SCHEMES[s], true);
        assert_int_equal(br_state_create(m.model, &first, NULL), BR_OK);
        assert_int_equal(br_state_copy(first, m.state), BR_OK);
        int64_t before = 0;
        for (int run = 0; run < 2; run++) {
            int slept = 0;
            assert_int_equal(br_state_copy(m.state, first), BR_OK);
            before = counter.calls;
            for (int k = 0; k < 300; k++) {
                BrStepReport report;
                assert_true(br_step(m.model, m.workspace, m.state, &def, &report, NULL) >= 0);
                slept += report.sleeping > 0;
            }
            assert_true(slept > 100 && slept < 280);
        }
        assert_int_equal(counter.calls, before);
        br_state_destroy(m.model, first);
        machine_end(&m);
    }
}

static void others_refuse(void **unused) {
    (void)unused;
    BrBodyId cube[CUBES];
    Machine m = make_stack(0.5, cube);
    BrStepDef def = make_def(BR_SCHEME_MOREAU, true);
    BrError error = {0};
    assert_false(br_default_step_def().sleeping);
    assert_int_equal(br_step_fits(m.model, &def, &error), BR_OK);
    def.friction_set = BR_FRICTION_BOX;
    assert_int_equal(br_step_fits(m.model, &def, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "sleeping works with timestepping"));
    assert_non_null(strstr(error.text, "'box'"));
    def = make_def(BR_SCHEME_EULER_PAPER, true);
    assert_int_equal(br_step_fits(m.model, &def, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'euler-paper'"));
    def.formulation = BR_FORMULATION_EVENT;
    assert_int_equal(br_step_fits(m.model, &def, &error), BR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "'event'"));
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sleep_takes_its_time),
        cmocka_unit_test(sleepers_carry_their_weights),
        cmocka_unit_test(slopes_are_held),
        cmocka_unit_test(heaps_that_sleep_are_at_rest),
        cmocka_unit_test(what_moves_at_all_stays_awake),
        cmocka_unit_test(neighbours_let_each_other_sleep),
        cmocka_unit_test(who_is_touched_wakes),
        cmocka_unit_test(games_are_played_as_without_sleep),
        cmocka_unit_test(a_support_that_is_pulled_away_is_missed),
        cmocka_unit_test(changes_wake),
        cmocka_unit_test(whatever_is_driven_stays_awake),
        cmocka_unit_test(machines_beside_sleepers_go_on),
        cmocka_unit_test(sleep_is_in_the_state),
        cmocka_unit_test(a_step_costs_what_is_awake),
        cmocka_unit_test(sleepers_keep_their_room),
        cmocka_unit_test(sleep_allocates_nothing),
        cmocka_unit_test(others_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
