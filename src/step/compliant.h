/* compliant.h: the motion under forces of compliant contacts as an ordinary differential equation.
 * y: packed bodies (pack.h); energy lost, work put in, time; impulse of every joint row; then per contact what its
 * laws remember that has rates, friction first, and its impulse (3); that part changes with the contacts. At last, for readings
 * alone, impulses of limits and friction of joints: two that hold one coordinate share their load in any way. */
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
    bool looked;   /* contacts are those of this step already */
    bool bounded;  /* joints have limits, constant friction or motors with a largest effort (compliant_bounds.c) */
    int bounds;    /* of these: rows */
    double *fixed; /* accelerations by the modes, 6 per body */
    double unheld_most,
        largest; /* m/s^2: of accelerations without what they hold, and with it, where they were chosen */
} BriSoft;

/* Room that steps of this scheme need; contacts leave. NULL: no memory. */
double *bri_soft_reserve(const BrModel *model, BrWorkspace *workspace, BrScheme scheme);
/* Room for y and what integrators need; y from the start of the step. */
BrStatus bri_soft_start(BriStep *step, BriSoft *soft);

/* Contacts that may touch within `ahead` of y; those that touch keep their memory, which goes into y. A contact that
 * overlaps and was not known touches now. */
BrStatus bri_soft_look(BriSoft *soft, double ahead);

/* Bodies, contacts and their memory at y. */
void bri_soft_read(BriSoft *soft, const double *y);
/* Forces at y where it was read: into ws->f and the contacts. */
void bri_soft_push(BriSoft *soft);

/* Power of all forces on what moves where y was read and forces are known, W. Uses ws->f. */
double bri_soft_power(BriSoft *soft);

/* How deep the deepest of the open contacts overlaps at y, m, and how far those that touch have come apart; negative:
 * they do not. */
double bri_soft_overlap(BriSoft *soft, const double *y);
double bri_soft_parting(BriSoft *soft, const double *y);

/* Contacts that touch or part at y: latches their speeds, books what they held, notes the events. */
void bri_soft_switch(BriSoft *soft);

/* y onto the joints. false: stopped short. */
bool bri_soft_project(BriSoft *soft);

/* The state at y into ws->trial, with the contacts' memory; ws->p_step. */
BrStatus bri_soft_finish(BriSoft *soft);

/* Do all surfaces that may meet have compliant laws, and a stiffness? */
BrStatus bri_surfaces_comply(const BrModel *model, BrError *error);

/* The forces of compliant contacts at a state, into ws->f and ws->contacts. */
BrStatus bri_compliant_forces(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);

/* Depth at which a contact's law presses with the force that it has by another model, at rest; m. */
double bri_soft_depth(const BrModel *model, const BriContact *contact);
/* What its laws then remember: a spring along the surface is bent by the friction that it has. J: what that holds. */
double bri_soft_bend(const BriContact *contact, BriContactMemory *memory);

/* Accelerations where y was read and forces were pushed (ws->f), into ws->acceleration, with what joints' bounds do. */
void bri_soft_accelerate(BriSoft *soft);

/* ------------------------------------------------------------------ bounds of joints (compliant_bounds.c) */

/* What they do from y on; blows of limits, which are booked there. */
void bri_soft_choose(BriSoft *soft);
/* By how much places and rates of y are beyond what they do; and whether forces are, 1 or -1. Not positive: not. */
double bri_soft_beyond(BriSoft *soft, const double *y);
double bri_soft_overload(BriSoft *soft, const double *y);
/* Velocities and places of `bodies` onto what they hold, joints closed. */
void bri_soft_hold(BriSoft *soft);

/* ------------------------------------------------------------------ one contact (compliant_memory.c) */

/* The most numbers in y that a contact of this model has. */
int bri_soft_per_contact(const BrModel *model);

/* It touches now, with its present velocity: memory begins, latches are set. */
void bri_soft_touch(BriContact *contact);
/* Memory that the model says contacts of these bodies begin the motion with. */
void bri_soft_set_first(const BrModel *model, BriContact *contact);

/* Memory and impulse from y; where the next contact begins. */
const double *bri_soft_read_contact(BriContact *contact, const double *y);
/* The same into y, or their rates; where the next contact begins. */
double *bri_soft_write_contact(const BriContact *contact, bool rates, double *y);

/* Does a law remember a vector, which turns with the normal? */
bool bri_soft_is_bent(const BriContact *contact);
/* The laws' rates of such vectors become those of vectors that turn with the normal (9.9). */
void bri_soft_turn_vectors(BriContact *contact);

/* Impulses of limits and friction of joints. */
static inline double *bri_soft_bounds(const BriSoft *soft, double *y) { return y + soft->ode.size - soft->bounds; }

static inline double *bri_soft_time(const BriSoft *soft, double *y) {
    return y + BRI_PACKED * (ptrdiff_t)soft->step->model->moving + 2;
}

#endif
