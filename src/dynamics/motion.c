/* motion.c: see motion.h. */
#include "dynamics/motion.h"

static BrVec3 evaluate_three(const BriFunction f[3], double time) {
    return bri_vec(bri_function_evaluate(&f[0], time, 0).f, bri_function_evaluate(&f[1], time, 0).f,
                   bri_function_evaluate(&f[2], time, 0).f);
}

static BrVec3 derive_three(const BriFunction f[3], double time, int order) {
    double d[3];
    for (int k = 0; k < 3; k++) {
        BriJet jet = bri_function_evaluate(&f[k], time, 0);
        d[k] = order == 1 ? jet.d : jet.dd;
    }
    return bri_vec(d[0], d[1], d[2]);
}

/* The rotation vector of a whole step, world: Magnus's series to order 4, w1 and w2 at the two points of Gauss:
 *     theta = h/2 (w1 + w2) - sqrt(3)/12 h^2 w1 x w2 */
static BrVec3 integrate_spin(const BriMotion *m, double time, double h) {
    const double ROOT = 1.7320508075688772;
    BrVec3 w1 = evaluate_three(m->angular, time + (0.5 - ROOT / 6) * h),
           w2 = evaluate_three(m->angular, time + (0.5 + ROOT / 6) * h);
    return bri_add_scaled(bri_scale(0.5 * h, bri_add(w1, w2)), -ROOT / 12 * h * h, bri_cross(w1, w2));
}

void bri_motion_advance(const BrModel *model, int body, double time, double h, const BriBodyState *from,
                        BriBodyState *to) {
    BriBodyState next = *from;
    int n = model->body[body].motion;
    if (n >= 0) {
        const BriMotion *m = &model->motion[n];
        double end = time + h, middle = time + 0.5 * h;
        if (m->def.by_velocity) {
            BrVec3 v0 = evaluate_three(m->linear, time), vm = evaluate_three(m->linear, middle);
            next.v = evaluate_three(m->linear, end);
            next.r = bri_add_scaled(from->r, h / 6, bri_add(bri_add_scaled(v0, 4, vm), next.v));
        } else {
            next.r = evaluate_three(m->linear, end);
            next.v = derive_three(m->linear, end, 1);
        }
        BrVec3 turn = integrate_spin(m, time, h);
        next.A = bri_rotation_turn(&from->A, bri_mul_t(&from->A, turn));
        next.w = bri_mul_t(&next.A, evaluate_three(m->angular, end));
    }
    *to = next;
}

void bri_motion_acceleration(const BrModel *model, int body, double time, const BriBodyState *at, double rate[6]) {
    BrVec3 linear = {0}, angular = {0};
    int n = model->body[body].motion;
    if (n >= 0) {
        const BriMotion *m = &model->motion[n];
        linear = derive_three(m->linear, time, m->def.by_velocity ? 1 : 2);
        angular = bri_mul_t(&at->A, derive_three(m->angular, time, 1));
    }
    rate[0] = linear.x, rate[1] = linear.y, rate[2] = linear.z;
    rate[3] = angular.x, rate[4] = angular.y, rate[5] = angular.z;
}
