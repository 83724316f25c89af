/* compliant.h: the motion under forces of compliant contacts as an ordinary differential equation.
 * y: packed bodies (pack.h); energy lost, work put in, time; impulse of every joint row; then per contact deflection z
 * (3), settling s_dw, impulse (3). The last part changes with the contacts. */
#ifndef BRI_COMPLIANT_H
#define BRI_COMPLIANT_H

#include "step/extrapolate.h"
#include "step/pack.h"
#include "step/schemes.h"

typedef struct BriSoft {
    BriStep *step;
    BriOde ode;
    BriBodyState *bodies; /* those of ws->trial: where y was read last */
    double *y, *end;
    bool looked; /* contacts are those of this step already */
} BriSoft;

/* Room for y and what integrators need; y from the start of the step. */
BrStatus bri_soft_start(BriStep *step, BriSoft *soft);

/* Contacts that may touch within `ahead` of y; those that touch keep their memory, which goes into y. A contact that
 * overlaps and was not known touches now. */
BrStatus bri_soft_look(BriSoft *soft, double ahead);

/* Bodies, contacts and their memory at y. */
void bri_soft_read(BriSoft *soft, const double *y);
/* Forces at y where it was read: into ws->f and the contacts. */
void bri_soft_push(BriSoft *soft);

/* How deep the deepest of the open contacts overlaps at y, m, and how far those that touch have come apart; negative:
 * they do not. */
double bri_soft_overlap(BriSoft *soft, const double *y);
double bri_soft_parting(BriSoft *soft, const double *y);

/* Contacts that touch or part at y: latches their speeds, books what they held, notes the events. */
void bri_soft_switch(BriSoft *soft);

/* y onto the joints. false: stopped short. */
bool bri_soft_project(BriSoft *soft);

/* The state at y into ws->trial, with the contacts' memory; ws->p_step. */
void bri_soft_finish(BriSoft *soft);

/* The forces of compliant contacts at a state, into ws->f and ws->contacts. */
BrStatus bri_compliant_forces(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);

static inline double *bri_soft_time(const BriSoft *soft, double *y) {
    return y + BRI_PACKED * (ptrdiff_t)soft->step->model->moving + 2;
}

#endif
