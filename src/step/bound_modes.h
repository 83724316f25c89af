/* bound_modes.h: limits, constant friction and motors with a largest effort between events, at the level of accelerations:
 * what they do, and when they do otherwise. For event and compliant, whose steps keep their rows (contacts->bound). */
#ifndef BRI_BOUND_MODES_H
#define BRI_BOUND_MODES_H

#include "step/schemes.h"

/* Has the model any? Else there is no need to call the rest, which does nothing then. */
bool bri_bounds_any(const BrModel *model);

/* The largest acceleration of a point of a body, m/s^2: of `a`, or of a less b. */
double bri_measure_accelerations(const BrModel *model, const double *a, const double *b);

/* The rows of the step, all limits among them, at `bodies`, where it begins. */
void bri_bounds_begin(BriStep *step, const BriBodyState *bodies);
/* Where coordinates stand, and how fast they are. */
void bri_bounds_look(BriStep *step, const BriBodyState *bodies);
/* What each does by place and rate alone, as they were looked at: what moves slides, or saturates; what rests at a limit is
 * held; friction and motors whose slides came to an end hold. */
void bri_bounds_start(BriStep *step);

/* How far places and rates are beyond what modes let them: of limits that are off m or rad, of slides that go the other way
 * round, and motors at their largest effort that are past their speed, m/s or rad/s. Not positive: nowhere. */
double bri_bounds_beyond(const BriStep *step, const BriBodyState *bodies);

/* Where on a way of h, at whose end nothing is beyond, a limit is passed that is left again; h: nowhere. look: bodies and
 * coordinates at a time on it. */
typedef void BriLookAlong(void *user, double time);
double bri_bounds_find_excess(BriStep *step, double h, BriLookAlong *look, void *user);

/* Friction that slides, onto six numbers per moving body. */
void bri_bounds_push(BriStep *step, const BriBodyState *bodies, double *f);

/* Do forces of the modes, which stand in the rows and in ws->lambda, and accelerations go with the law? Accelerations below
 * `least` are none. */
bool bri_bounds_fit(const BriStep *step, const BriBodyState *bodies, double least);

/* From here on all that rests is a row with its set: the law says what it does; without `begun`, but slides that have just
 * begun. Motors: what they do is found by asking again (true) with others. round: how often that was. */
void bri_bounds_ask(BriStep *step, bool begun);
bool bri_bounds_ask_motors(BriStep *step, const BriBodyState *bodies, bool begun, double least, int round);
/* The answer is taken; true: some do otherwise than before. Or it is forgotten, and they do as before. */
bool bri_bounds_take(BriStep *step, const BriBodyState *bodies, double least);
void bri_bounds_forget(BriStep *step);
/* What has changed since that was told last, as events. */
void bri_bounds_tell(BriStep *step);

/* Limits that are reached more slowly than step->least_bounce hold from here on, without a blow; true: there are some. */
bool bri_bounds_arrive(BriStep *step);
/* Is a limit reached with some speed? Before the blow: limits that are reached take part, motors with a largest effort rest. */
bool bri_bounds_strike(const BriStep *step);
void bri_bounds_begin_blow(BriStep *step);
void bri_bounds_end_blow(BriStep *step, const BriBodyState *bodies);

/* What they take out, and what moved bodies put in through them, W (of impulses J); added. */
void bri_bounds_power(const BriStep *step, const BriBodyState *bodies, double *loss, double *work);

#endif
