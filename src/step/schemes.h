/* schemes.h: the ways to make one step, and what they share. */
#ifndef BRI_SCHEMES_H
#define BRI_SCHEMES_H

#include "contact/contact.h"

/* A part of a step: from one set of poses and velocities to another. */
typedef struct BriPart {
    const BriBodyState *from;
    BriBodyState *to;
    double t, h; /* s */
} BriPart;

/* Order 1, over a part of a step whose contacts have been found; part->to begins as part->from. Impulses of joints are
 * added to ws->p_step. */
bool bri_moreau_part(BriStep *step, const BriPart *part);

/* Each scheme moves ws->trial's bodies to the end of the step and leaves the step's impulses in ws->p_step.
 * BR_OK, BR_NOT_CONVERGED, or negative for a refusal (step->error tells). */
BrStatus bri_step_moreau(BriStep *step);
BrStatus bri_step_hem2(BriStep *step);
/* Contacts only: moreau in equal parts, for a step that is too long for what happens in it. */
BrStatus bri_step_in_parts(BriStep *step, int parts);
BrStatus bri_step_rattle(BriStep *step);
BrStatus bri_step_euler_paper(BriStep *step);
BrStatus bri_step_event(BriStep *step);
BrStatus bri_step_compliant(BriStep *step);
BrStatus bri_step_smooth(BriStep *step);

/* A formulation, as a record; formulations.c lists them. */
typedef struct BriFormulation {
    const char *name;
    BrStatus (*step)(BriStep *step);
    /* Forces of contacts at a state: those that are functions of it, into ws->f, or those that answer to the
     * accelerations without them, added to ws->acceleration and ws->lambda. NULL: it has none of the kind. */
    BrStatus (*given_forces)(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);
    BrStatus (*answering_forces)(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                                 const BrEvaluateDef *within, BrError *error);
    bool integrates_powers; /* its steps leave what was lost and put in, also by forces and joints, in the step */
} BriFormulation;

const BriFormulation *bri_formulation(BrFormulation formulation);

/* evaluate.c */
BrStatus bri_rigid_forces(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                          const BrEvaluateDef *within, BrError *error);

/* The same of limits and friction of joints alone, where contacts are forces that are given. */
BrStatus bri_bound_forces(const BrModel *model, BrWorkspace *workspace, const BrState *state,
                          const BrEvaluateDef *within, BrError *error);

/* Contacts at the state `at->start` that are closed, and stay so as far as velocities tell: they are active, with their
 * velocities; joints' limits and friction that count. */
BrStatus bri_find_closed(BriStep *at);
/* Before a state is read; and accelerations there with no contact pushing, into the workspace with the factor of that pose. */
void bri_begin_reading(const BrModel *model, BrWorkspace *workspace, const BrState *state);
BrStatus bri_evaluate_free(const BrModel *model, BrWorkspace *workspace, const BrState *state, BrError *error);

/* The books (energy balance) of a step that is taken: ws->trial's (books.c). */
void bri_books_keep(const BriStep *step);

/* Energy that a step made out of nothing, `put_in` being what sources did and its scheme explaining some (J), as a part
 * of what was turned over; 0: none above 0.02 (books.c). */
double bri_energy_made(const BriStep *step, double put_in, double explained);

/* The same of a step of timestepping whose books are kept. */
double bri_rigid_energy_made(const BriStep *step);

/* Accelerations and lambda without contacts, into ws; those of moved bodies must stand in ws->acceleration. `push`:
 * forces beside those of the model, like bri_forces()'s; NULL: none. */
void bri_free_accelerations(const BrModel *model, BrWorkspace *workspace, const BrState *state, const double *push);

/* Power that a joint's drives or moved bodies put in with reactions `lambda` (all rows), W; 0 for others (books.c). */
double bri_joint_power(const BrModel *model, const BrState *state, int joint, const double *lambda);
/* What impulses p (all rows) of a jolt from velocities `before` to those of `after`, in one pose, put in, J: p (u +
 * u')/2, exact for what they do to the kinetic energy (books.c). */
double bri_jolt_work(const BrModel *model, const BrState *state, const BriBodyState *before, const BriBodyState *after,
                     const double *p);

#endif
