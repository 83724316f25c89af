/* test_wall_motion.c: balls on curved walls move as closed forms say, in every formulation that lets shapes meet. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"

/* The dish z = r^2/4 in each of the ways to say it. */
enum { DISHES = 3, DISH_POINTS = 33 };

static double paraboloid(void *user, BrVec3 p, BrVec3 *gradient, BrMat3 *hessian) {
    (void)user;
    *gradient = vec(-0.5 * p.x, -0.5 * p.y, 1);
    *hessian = diagonal(-0.5, -0.5, 0);
    return p.z - 0.25 * (p.x * p.x + p.y * p.y);
}

static void add_dish(Machine *m, int way, BrMaterialId material) {
    static const BrShapeKind KIND[DISHES] = {BR_SHAPE_QUADRIC, BR_SHAPE_FUNCTION, BR_SHAPE_REVOLUTION};
    const double APART = 0.0625;
    BrShapeDef def = br_default_shape_def();
    double points[2 * DISH_POINTS];
    for (int i = 0; i < DISH_POINTS; i++) points[2 * i] = APART * i, points[2 * i + 1] = 0.25 * APART * APART * i * i;
    def.body = m->ground;
    def.kind = KIND[way];
    def.quadric[0] = def.quadric[1] = -0.25, def.quadric[8] = 1;
    def.points = points, def.point_count = DISH_POINTS;
    def.function = paraboloid;
    def.material = material;
    machine_add_shape(m, &def);
}

/* A small swing without friction takes 2 pi sqrt((1/k - r)/g), k = 1/2 being the dish's curvature at its bottom. */
static void balls_swing_in_dishes(void **unused) {
    (void)unused;
    const double RADIUS = 0.1, AMPLITUDE = 1e-3, PERIOD = 2 * PI * sqrt((2 - RADIUS) / 9.81);
    for (int way = 0; way < DISHES; way++)
        for (int f = 0; f < 2; f++) {
            Machine m = machine_begin(vec(0, 0, -9.81));
            BrMaterialId ice = machine_material(&m, "ice", 0, 0);
            add_dish(&m, way, ice);
            BrVec3 start = vec(AMPLITUDE * (2 - RADIUS) / 2, 0, RADIUS);
            start.z += 0.5 * AMPLITUDE * AMPLITUDE / 4; /* where its centre is, to the second order */
            BrBodyId ball = machine_ball(&m, "ball", 1, RADIUS, start, ice);
            machine_ready(&m);
            BrStepDef def = f ? machine_event_def(PERIOD / 500) : machine_step_def(BR_SCHEME_HEM2, PERIOD / 500);
            machine_steps(&m, &def, 500);
            /* the period's own second order is 1e-7; that of hem2 1e-5; splines of a parabola bend alike to 2e-3 */
            assert_near(machine_pose(&m, ball).position.x, start.x, (way == 2 ? 1e-4 : 2e-5) * start.x);
            machine_end(&m);
        }
}

/* Round the inside of a spherical bowl, as a conical pendulum: the ball's centre at the angle a below the rim's level stays
 * there with v^2 = g l sin(a) tan(a) of a point; N = m g/cos(a). */
static void balls_circle_in_bowls(void **unused) {
    (void)unused;
    const double RADIUS = 0.2, BOWL = 1.2, L = BOWL - RADIUS, a = 0.7, v = sqrt(9.81 * L * sin(a) * tan(a));
    for (int f = 0; f < 2; f++) {
        Machine m = machine_begin(vec(0, 0, -9.81));
        BrMaterialId ice = machine_material(&m, "ice", 0, 0);
        BrShapeDef def = br_default_shape_def();
        def.body = m.ground, def.kind = BR_SHAPE_BOWL, def.size = vec(BOWL, BOWL, BOWL), def.material = ice;
        machine_add_shape(&m, &def);
        BrBodyId ball = machine_ball(&m, "ball", 2, RADIUS, vec(L * sin(a), 0, -L * cos(a)), ice);
        machine_ready(&m);
        machine_set_twist(&m, ball, vec(0, v, 0), vec(0, 0, 0));
        double turn = 2 * PI * L * sin(a) / v;
        BrStepDef step = f ? machine_event_def(turn / 1000) : machine_step_def(BR_SCHEME_HEM2, turn / 1000);
        machine_steps(&m, &step, 1000);
        assert_vec_near(machine_pose(&m, ball).position, vec(L * sin(a), 0, -L * cos(a)), f ? 1e-9 : 3e-5);
        assert_near(machine_contact(&m, 0).normal_force, 2 * 9.81 / cos(a), f ? 1e-8 : 1e-3);
        machine_end(&m);
    }
}

/* A ball that rolls about a cylinder given as a closed profile, from its top, leaves it where cos(a) = 10/17. */
static void balls_leave_cams_where_they_should(void **unused) {
    (void)unused;
    enum { POINTS = 64 };
    const double RADIUS = 0.1, CAM = 1;
    double points[2 * POINTS];
    for (int i = 0; i < POINTS; i++)
        points[2 * i] = CAM * cos(2 * PI * i / POINTS), points[2 * i + 1] = CAM * sin(2 * PI * i / POINTS);
    Machine m = machine_begin(vec(0, -9.81, 0));
    BrMaterialId rough = machine_material(&m, "rough", 5, 0);
    BrShapeDef def = br_default_shape_def();
    def.body = m.ground, def.kind = BR_SHAPE_EXTRUSION, def.length = 1, def.material = rough;
    def.points = points, def.point_count = POINTS;
    machine_add_shape(&m, &def);
    double start = 1e-2, l = RADIUS + CAM;
    BrBodyId ball = machine_ball(&m, "ball", 1, RADIUS, vec(l * sin(start), l * cos(start), 0), rough);
    machine_ready(&m);
    BrStepDef step = machine_step_def(BR_SCHEME_HEM2, 1e-3);
    double angle = 0;
    for (int k = 0; k < 5000; k++) {
        machine_steps(&m, &step, 1);
        BrVec3 p = machine_pose(&m, ball).position;
        angle = atan2(p.x, p.y);
        if (machine_contact_count(&m) == 0) break;
    }
    /* friction gives way before: mu = 5 holds to within 0.01 rad of it */
    assert_near(angle, acos(10. / 17), 0.02);
    machine_end(&m);
}

/* An egg that rests in a bowl rests: no energy, no creep. */
static void eggs_rest_in_bowls(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrMaterialId wood = machine_material(&m, "wood", 0.5, 0);
    BrShapeDef bowl = br_default_shape_def(), egg = br_default_shape_def();
    bowl.body = m.ground, bowl.kind = BR_SHAPE_BOWL, bowl.size = vec(2, 3, 1.5), bowl.material = wood;
    machine_add_shape(&m, &bowl);
    egg.kind = BR_SHAPE_ELLIPSOID, egg.size = vec(0.3, 0.3, 0.2), egg.material = wood;
    egg.body = machine_body(&m, "egg", 1, machine_solid_inertia(&egg, 1), vec(0, 0, -1.3));
    machine_add_shape(&m, &egg);
    machine_ready(&m);
    BrStepDef step = machine_step_def(BR_SCHEME_HEM2, 1e-3);
    machine_steps(&m, &step, 2000);
    assert_vec_near(machine_pose(&m, egg.body).position, vec(0, 0, -1.3), 1e-12);
    assert_near(machine_contact(&m, 0).normal_force, 9.81, 1e-9);
    machine_end(&m);
}

static void refuse(const BrShapeDef *def, BrModel *model, const char *says) {
    BrError error;
    assert_int_equal(br_model_add_shape(model, def, NULL, &error), BR_INVALID_ARGUMENT);
    if (!strstr(error.text, says)) fail_msg("'%s' does not say '%s'", error.text, says);
}

static void senseless_walls_are_refused(void **unused) {
    (void)unused;
    Machine m = machine_begin(vec(0, 0, -9.81));
    BrShapeDef def = br_default_shape_def();
    double points[] = {1, 0, 0, 1, -1, 0, 0, -1};
    def.body = m.ground, def.material = machine_material(&m, "steel", 0.1, 0);
    def.kind = BR_SHAPE_GROOVE, def.radius = 2, def.ring_radius = 1;
    refuse(&def, m.model, "must be less than its ring_radius");
    def.kind = BR_SHAPE_QUADRIC, def.quadric[9] = 1;
    refuse(&def, m.model, "has no gradient anywhere");
    def.kind = BR_SHAPE_FUNCTION;
    refuse(&def, m.model, "can be given in C only");
    def.kind = BR_SHAPE_EXTRUSION, def.length = 1, def.points = points, def.point_count = 3;
    refuse(&def, m.model, "has 3 points; allowed are 4 to");
    def.point_count = 4, points[0] = NAN;
    refuse(&def, m.model, "point 1 of the extrusion of body 'ground' is not finite");
    points[0] = 0, points[1] = 1;
    refuse(&def, m.model, "are the same");
    def.kind = BR_SHAPE_REVOLUTION, points[0] = 1, points[1] = 0;
    refuse(&def, m.model, "point 2 of the revolution of body 'ground' has r = 0 m");
    machine_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_swing_in_dishes),
        cmocka_unit_test(balls_circle_in_bowls),
        cmocka_unit_test(balls_leave_cams_where_they_should),
        cmocka_unit_test(eggs_rest_in_bowls),
        cmocka_unit_test(senseless_walls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
