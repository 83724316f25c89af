/* slide.h: grips of joints (grip.h) in steps that hold what sticks by rows of the factor: a grip that sticks has its rows
 * there and rates of zero; one that slides has them off (its drives are clamped) and drags with what its bearings bear,
 * found anew with every answer of the joints until both agree. */
#ifndef BRI_SLIDE_H
#define BRI_SLIDE_H

#include "dynamics/constrain.h"

/* Does a grip slide, in the trial state? */
static inline bool bri_grip_is_off(const BriStep *step, int grip) {
    const BriGrip *g = &step->model->grip[grip];
    return g->driven || bri_state_joints(step->ws->trial)[g->joint].clamp[g->drive[0]] != BRI_FREE;
}
/* Is its coordinate moved by something that does not give way: a motion, or a motor that is no row of the contact
 * problem? */
static inline bool bri_grip_is_moved(const BriStep *step, const BriGrip *g) {
    const BriJoint *j = &step->model->joint[g->joint];
    for (int d = 0; d < j->drives && g->driven; d++)
        if (j->drive[d].coordinate == g->coordinate[0])
            return j->drive[d].motor < 0 || !bri_motor_is_row(step, j->drive[d].motor);
    return false;
}
/* What its friction does to its slip, W: positive where it would push it on. */
static inline double bri_grip_push(const BriGrip *g, const BriGripWork *work) {
    double push = 0;
    for (int r = 0; r < g->rows; r++) push += work->force[r] * work->slip[r];
    return push;
}
/* From here on it holds; or slides, friction having the sign of `clamp`. */
void bri_grip_set(const BriStep *step, int grip, BriClamp clamp);

/* Slips of all grips, m/s, as friction sees them: where bodies stand, driven ones too; or by the rates of all rows, or the mean
 * of that and of where the part began. */
void bri_slide_look(const BriStep *step, const BriBodyState *bodies);
void bri_slide_see(const BriStep *step, const double *rate, bool mean);
/* The first of these where a part of the step begins; `first`: where the step does, which is looked at once. */
void bri_slide_look_at_start(BriStep *step, const BriBodyState *bodies, bool first);

/* Before a search for friction and reactions that agree. */
void bri_slide_start(const BriStep *step);
/* Where joints stand in it; by_end: as in BriSlideAt. */
void bri_slide_place(const BriStep *step, const BriBodyState *bodies, bool by_end);
/* The same, before a solve over `span`: impulses p of sliding rows as they were in the last step. */
void bri_slide_guess(BriStep *step, double span, double *p);

/* What reactions are of. */
typedef struct BriSlideAt {
    const BriJacobian *J; /* directions of the rows, */
    double span;          /* s: impulses are over this; of forces: 1 */
    bool by_end;          /* slips are those that friction leaves: without any it bears what it bears at rest */
} BriSlideAt;

/* Guesses friction anew: what bearings bear under the joints' impulses p. */
void bri_slide_recall(const BriStep *step, const BriSlideAt *by, const double *p);

/* The loads of all grips, and the impulses p of those that slide, by the joints' impulses. Returns the largest change of a
 * friction, as a part of it; infinite: one grows by itself without end, and holds from here on (work->jams). */
double bri_slide_drag(BriStep *step, const BriSlideAt *by, double *p);

/* By how much of itself friction may still change, joints pushing with `more`, by rows, than when it was found; ws->grip[].slip:
 * as it is now. Infinite: nobody knows, it has to be asked again. */
double bri_slide_left(BriStep *step, const BriSlideAt *by, const double *more);

/* Who should do otherwise. */
typedef struct BriSlideReview {
    const double *p;    /* impulses of all rows */
    const double *rate; /* of all rows, where the solve ended */
    double span;        /* s: impulses are over this; of forces: 1 */
    double unsure;      /* part that loads may still change by: who is so near to its bound is not let go yet */
    bool one_only;      /* the first of them alone */
    bool at_once;       /* nothing has been tried yet: who is far beyond its bound waits for nobody */
    const BriSlideAt
        *at; /* what reactions are of: who lets go slides with what it bears then; NULL: that is found later */
} BriSlideReview;

/* Grips that hold more than they can begin to slide, but for those beside others that are more overloaded; slides that would
 * reverse hold. true: something changed, solve again, friction beginning with ws->grip[].force. *close: some grip is nearer to its bound than `unsure`.
 * *failed: some slide was to hold, and does not; then others are not asked. */
bool bri_slide_review(BriStep *step, const BriSlideReview *by, bool *close, bool *failed);

/* Does some grip try to hold whose slide came out the other way round? Near a dead centre that takes loads beyond all
 * measure, and tells nothing of the others (bri_slide_bar()). */
bool bri_slide_is_trial(const BriStep *step);
/* Has a grip jammed since *known of them had? Then it holds from here on: solve again. */
bool bri_slide_has_jammed(const BriStep *step, int *known);
/* Before the first solve of a part that begins with slips of work->start: grips that slip slide. And after one that came to no
 * end: slides that were to hold in it go on instead, the other way round. Near a dead centre nothing can hold what hardly
 * moves. true: there are some, solve again. */
void bri_slide_begin(const BriStep *step);
bool bri_slide_bar(const BriStep *step);

#endif
