/* servo.h: motors that are a force: an effort over time, or a servo, which is a spring and a damper of its coordinate. */
#ifndef BRI_SERVO_H
#define BRI_SERVO_H

#include "dynamics/quantity.h"
#include "dynamics/workspace.h"

static inline bool bri_is_servo(const BrModel *m, int motor) {
    return motor >= 0 && m->motor[motor].def.kind == BR_MOTOR_SERVO;
}

/* Gains of all servos, from the poses that the model begins with. */
void bri_servos_prepare(const BrModel *model, BrWorkspace *workspace);

/* What a motor of either kind exerts at an instant, N m or N, within its bound. */
double bri_motor_law(const BriInstant *instant, const BrWorkspace *workspace, int motor, double position, double rate);
double bri_motor_law_at(const BrModel *model, const BrWorkspace *workspace, const BrState *inputs,
                        const BriBodyState *bodies, int motor);

/* Motors that are an effort: onto the bodies, six numbers each; what they put in, W. */
void bri_efforts_push(const BriInstant *instant, double *f);
double bri_efforts_power(const BrModel *model, const BrState *state);

/* ------------------------------------------------------------------ rows of servos in steps */

/* A solve: impulses over `span` from velocities at `from`. Efforts are asked where the coordinate will be q = a + b q' and its
 * rate v + g q', q' being the rate that the solve finds, at `time`. */
typedef struct BriServoLine {
    double a, b, v, g;
} BriServoLine;

/* Of order 1, and of smooth: where the step ends. `history`: of bdf2, whose weight of the new velocity is `weight` < 1. */
void bri_servo_ask_end(BriStep *step, const BriBodyState *from, const BriBodyHistory *history, double weight,
                       double time, double h);
/* hem2's two solves, from `from` over the part h from `time` on; the second knows where the first led: to `middle`, whose
 * velocities it found, and `to`. */
void bri_servo_ask_first(BriStep *step, const BriBodyState *from, double time, double h);
void bri_servo_ask_second(BriStep *step, const BriBodyState *from, const BriBodyState *middle, const BriBodyState *to,
                          double time, double h);
/* Nothing: a blow takes no time. */
void bri_servo_let_go(BriStep *step);

/* What was asked, into ws->target. */
void bri_servo_targets(BriStep *step);

/* rate += what rows yield to impulses p. */
void bri_servo_yield(const BriStep *step, const double *p, double *rate);

/* smooth: rows by the law itself at bodies `to`, ws->error in lengths as others' are (weight h), ws->rate so that it lags by as
 * much. */
void bri_servo_measure(BriStep *step, const BriBodyState *to, double time, double span, const double *p);

#endif
