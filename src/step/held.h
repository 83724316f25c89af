/* held.h: lasting contacts in steps of the formulation smooth: held closed, let go, and what their compliance adds. `span` is
 * the time that impulses act over, b h; impulses and errors are those of all rows. */
#ifndef BRI_HELD_H
#define BRI_HELD_H

#include "step/schemes.h"

/* Can the step be made: does every rigid contact touch where the motion begins? */
BrStatus bri_held_check(BriStep *step);
/* Contacts as they were when the step began; those not known yet are looked at. */
void bri_held_begin(BriStep *step);
/* After it: shapes that met without a lasting contact refuse the step; `status` is the step's. */
BrStatus bri_held_end(BriStep *step, BrStatus status);

/* (11.6): depths of compliant contacts, onto their gaps; their slopes, for the factor, which is forgotten: true if there
 * are any. */
void bri_held_add_depths(const BriStep *step, double span, const double *impulse, double *error);
bool bri_held_soften(BriStep *step, double span, const double *impulse);
/* The same of the forces that they had, before impulses are known. */
void bri_held_begin_soft(BriStep *step, double span);
/* Impulses that compliant contacts begin with: of the force that they had. */
void bri_held_guess(const BriStep *step, double span, double *impulse);
/* Rates that are left as they are: of rows that yield; half-implicitly, of all contacts. There velocities are those with which
 * bodies came to where they are, half a step behind; put right, they would not fit free flight, and contacts that lift
 * off would overlap at once. */
void bri_held_leave_rates(const BriStep *step, bool half_implicit, double *error);

/* Who pulls is let go, who overlaps is held: true if someone was, and the step is to be made anew. */
void bri_held_first_review(BriStep *step);
bool bri_held_review(BriStep *step, double span, const double *impulse, const BriBodyState *bodies);
/* Did that come to an end: does nobody pull or overlap? */
bool bri_held_is_settled(const BriStep *step, double span, const double *impulse, const BriBodyState *bodies);
/* Is someone held who was not when the step began, or the reverse? */
bool bri_held_has_changed(const BriStep *step);

/* What the next part has to know: places, forces, friction; heat goes to the books, changes to the events. */
void bri_held_follow(BriStep *step, const BriPart *part, double span, const double *impulse);

#endif
