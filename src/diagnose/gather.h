/* gather.h: from a state's bodies to the problem of accelerations of contact_modes.h. */
#ifndef BRI_GATHER_H
#define BRI_GATHER_H

#include "diagnose/boundary_layer.h"
#include "step/schemes.h"

/* W, b, slips and frames of some of the contacts at hand (numbers in contacts->contact), joints projected out. Free
 * accelerations and the factor are those of bri_evaluate_free() at the state; rows and bias those of the contacts. */
void bri_gather_modes(const BriStep *at, const int *contact, int count, BriModes *modes);

/* How a contact's compliant laws answer under a normal force, N; false: its material has none. */
bool bri_gather_give(const BriStep *at, int contact, double force, BriGive *give);

/* Islands: bodies that closed contacts and joints connect. Per body the first body of its island, of those that are
 * pushed. `island` has room for all bodies. */
void bri_gather_islands(const BriStep *at, int *island);

#endif
