/* constrain.h: what all schemes share: forces into velocities, velocities onto the constraints, positions too. */
#ifndef BRI_CONSTRAIN_H
#define BRI_CONSTRAIN_H

#include "dynamics/workspace.h"

/* These three leave alone what sleeps and, where a group is at hand, the bodies of others (bri_is_put_aside()). */
void bri_copy_bodies(const BriStep *step, const BriBodyState *from, BriBodyState *to);
/* v += h M^-1 f on moving bodies. */
static inline void bri_apply_force(const BriBody *body, const double *f, double h, BriBodyState *b) {
    b->v = bri_add_scaled(b->v, h * body->inverse_mass, bri_vec(f[0], f[1], f[2]));
    b->w = bri_add_scaled(b->w, h, bri_mul(&body->inverse_inertia, bri_vec(f[3], f[4], f[5])));
}
void bri_apply_forces(const BriStep *step, const double *f, double h, BriBodyState *bodies);

/* w += h J^-1 (J w x w) on moving bodies, w being those of `at`. */
void bri_apply_gyroscopic(const BrModel *model, const BriBodyState *at, double h, BriBodyState *bodies);

/* Poses of moving bodies: to = from moved by h times the velocities of `with`; others by their motion from `time`. What is
 * still stays as it is there. */
void bri_move(const BriStep *step, const BriBodyState *from, const BriBodyState *with, double time, double h,
              BriBodyState *to);

/* Jacobian and factor at a pose. Motors, and grips that stick, that would hold what others hold already (two on one
 * freedom) leave no pivot for a loop: they rest for this step, the last ones first. */
void bri_factor(BriStep *step, const BriBodyState *pose);
/* What that counts as, even where the factor is at hand already: what a workspace remembers must not decide what is refused. */
void bri_spend_factor(BriStep *step);
/* The factor where it stands, with the clamps as they have become (switched.h): for what solves by bri_system_solve(). */
void bri_refactor(BriStep *step);

/* What is asked of velocities: C v = target, by impulses p along D over `span` (s). D and C may be Jacobians of poses near
 * that of the factor. */
typedef struct BriRates {
    const BriJacobian *D, *C;
    const double *target;
    double span;
    BriBodyState *bodies; /* their velocities change */
    double *p;            /* per row */
    bool between; /* no state keeps these velocities: they tell friction, or where another solve of the step goes on */
    double again; /* p holds what a solve like this one has found: so many times that it may begin with; 0: nothing */
} BriRates;

/* Impulses that do it, motors within effort * span, friction in bearings as they bear it. Changes the clamps in ws->trial.
 * false: stopped short. */
bool bri_constrain_rates(BriStep *step, const BriRates *rates);

/* The same with motors as they are, whatever they give: what accelerations hold already. */
bool bri_hold_rates(BriStep *step, const BriRates *rates);
/* The same with clamps and friction as they are: until no more than so large a part of what C v was off by is left, or than
 * so many times what rounding leaves. ws->rate is C v then; `known`: it is so before, too. */
bool bri_refine_rates(BriStep *step, const BriRates *rates, bool known, double part, double times);

/* Moves the moving bodies by six numbers each: way (world), turn (body axes); those that sleep stay. */
void bri_displace(const BriStep *step, const double *x, BriBodyState *bodies);

/* Moves positions onto the constraints at `time` without touching velocities. false: stopped short. */
bool bri_constrain_positions(BriStep *step, double time, BriBodyState *bodies);

/* The most a motor may exert, N or N m. */
double bri_motor_effort(const BriStep *step, int motor);
/* Motors with bounds are rows of the contact problem where there is one, not of the factor. */
static inline bool bri_motor_is_row(const BriStep *step, int motor) {
    return step->motor_rows && bri_is_finite(bri_motor_effort(step, motor));
}

/* All motors and grips rest: their rows leave the factor and they do not push. */
void bri_rest_motors(const BrModel *model, BrState *trial);

/* The joints' angles at the state's own poses, counting turns on from where they were a time h ago. */
void bri_update_angles(const BrModel *model, BrState *state, double h);

/* The same in the trial state of a step, `elapsed` after its start; inner steps count, so that those of many turns lose
 * none. */
void bri_count_turns(BriStep *step, double elapsed);

/* Is row r of joint k part of the factor (neither clamped nor redundant)? */
static inline bool bri_row_is_active(const BriStep *step, int joint, int r) {
    const BriSystem *system = &step->ws->system;
    return !(((unsigned)system->factor_off[joint] | system->ldl.dropped[step->model->moving + joint]) >> r & 1);
}

/* Largest |value| over the rows in the factor. */
double bri_measure_rows(const BriStep *step, const double *value, bool with_rate_rows);

/* What is left in all rows but those of clamped motors goes to the report; rows left out as redundant count. */
void bri_note_rows(BriStep *step, const double *value, bool positions);

/* Rows taken for redundant must stay closed by themselves. Those that are open at this pose are not redundant: their
 * bits are cleared. true: some were. */
bool bri_take_back_rows(BriStep *step, double time, const BriBodyState *bodies, unsigned char *redundant);

/* Is the step's end past limits that it left out? The next run is to ask them (or all). limits.c */
bool bri_limits_missed(BriStep *step, bool ask_all);
/* Joints past a limit that the step knows come back by a fifth, velocities untouched. limits.c */
void bri_limits_return(BriStep *step, BriBodyState *bodies);
/* Joints that a limit holds onto it, wholly where they are off by what steps leave; at the pose of the factor. */
void bri_limits_settle(BriStep *step, BriBodyState *bodies);

/* For messages. */
const char *bri_worst_joint_name(const BriStep *step);

/* How often motors may change their minds: all at once at first, one by one later. Murty's rule can need more for many
 * motors; then the step says that it did not converge. */
enum { BRI_CLAMP_ROUNDS = 8 };
static inline int bri_most_rounds(const BrModel *model) {
    return 2 * (model->motors + model->grips) + BRI_CLAMP_ROUNDS;
}

/* Motors whose impulse p broke its bound get clamped, clamped ones that overshoot are let go. true: something changed.
 */
bool bri_update_clamps(BriStep *step, const double *p, const double *rate, const double *target, double span,
                       bool one_only);
/* Impulses of clamped motors over `span` along D, into p and velocities; p of other rows is set to zero. */
void bri_apply_clamps(BriStep *step, const BriJacobian *D, double span, BriBodyState *bodies, double *p);

#endif
