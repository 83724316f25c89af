/* event.h: the smooth motion between events as an ordinary differential equation.
 * y: per moving body r (3), A (9, by rows), v (3), w (3); then energy lost, work put in, time; and, for readings alone,
 * the impulses of the step so far, of the joints' rows, the heat of the grips, impulses of limits and friction of joints, and
 * three of each contact. */
#ifndef BRI_EVENT_H
#define BRI_EVENT_H

#include "step/extrapolate.h"
#include "step/schemes.h"

enum { BRI_EVENT_CONTACTS = 64 }; /* more are better served by timestepping */

typedef struct BriFlow {
    BriStep *step;
    BriOde ode;
    BriBodyState *bodies; /* those of ws->trial: where the flow was read last */
    double *y, *end, *trial;
    double *fixed;      /* accelerations, 6 per body */
    double time, until; /* s */
    double x;           /* where the inner step began */
    double inner;       /* s: next inner step */
    double ahead;       /* s: over which slow slides look ahead (7.45), or 0 */
    int slowing;        /* contact whose slip measures the flow's own time, or -1 */
    double speed;       /* m/s: what counts as fast, at least 1 */
    double mass_ratio;  /* of the heaviest to the lightest body */
    double largest;     /* m/s^2: of the accelerations compared last; of angular ones times the bodies' sizes */
    double off;         /* largest error of an inner step that was taken for want of a better one */
    int unsolved;       /* states for which no forces were found that fit */
    int unheld;         /* states at which joints could not be closed again */
    bool slow;          /* the inner step at hand has slow slides */
    bool started;
    bool asked;         /* bounds of joints stand as the law has them */
    bool bounded;       /* joints have limits, constant friction or motors with a largest effort (bound_modes.h) */
    double unheld_most; /* m/s^2: of the largest acceleration without contacts, limits and friction of joints */
} BriFlow;

BrStatus bri_flow_start(BriStep *step, BriFlow *flow);
/* The state at the end of the outer step into ws->trial. */
BrStatus bri_flow_finish(BriFlow *flow, const double *loss_and_work);

/* Poses, velocities, contacts and slips at y. */
void bri_flow_read(BriFlow *flow, const double *y);
/* y from the bodies as they stand (after an impact or a projection). */
void bri_flow_write(const BriFlow *flow, double *y);
/* From flow->y at x over h to `end`, as the slides at hand need it: slow ones look ahead, with order 6 (slow.c). Returns
 * the error estimate. */
double bri_flow_follow(BriFlow *flow, double x, double h, double *end);
/* The order of that estimate. */
enum { BRI_SLOW_COLUMNS = 6 };
double *bri_flow_time(const BriFlow *flow, double *y);
/* Impulses of the step so far: into flow->y, whose contacts are those at hand from here on; and from there. Nothing else
 * may add to them in between. */
void bri_flow_write_impulses(BriFlow *flow);
void bri_flow_read_impulses(BriFlow *flow);
void bri_flow_copy_impulses(const BriFlow *flow, const double *from, double *to);

/* Accelerations where the flow was read last, into ws->acceleration; forces into the contacts. false: by the law, and
 * no forces were found that fit. By the law bounds of joints stand as it has them: it is taken, or forgotten. least: accelerations
 * below this are none. */
bool bri_flow_accelerate(BriFlow *flow, BriForcesBy by, double least);
/* The same by the modes, grips that hold too much beginning to slide. */
bool bri_flow_choose_grips(BriFlow *flow);
/* Of a contact, after bri_flow_accelerate: rate of its slip (world) and of its normal velocity, m/s^2. */
BrVec3 bri_flow_slip_rate(const BriFlow *flow, int contact);
double bri_flow_normal_rate(const BriFlow *flow, int contact);

/* Gaps that may be zero, m. */
static inline double bri_flow_no_gap(const BriFlow *flow) { return 25 * flow->step->position_tolerance; }

/* Until when on the way of h from y to `end` no bodies meet that were apart; h: none do. `acceleration`: m/s^2, the
 * largest that is known of it. Without `looks` only pairs that fly far are asked, and the answer may be too early. Uses
 * `trial`. event_way.c */
double bri_flow_clear(BriFlow *flow, double h, double acceleration, bool looks);

#endif
