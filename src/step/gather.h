/* gather.h: from a state's bodies to the problem of accelerations of contact_modes.h. */
#ifndef BRI_GATHER_H
#define BRI_GATHER_H

#include "modes/boundary_layer.h"
#include "step/schemes.h"

/* What takes part, as a number: a contact its own; its moments against rolling and spinning with these added; -1 - k: the joints'
 * bound k, a limit, which is a contact without friction and without tangents, or a bounded row. In this order: contacts, bounds,
 * moments, those of one contact together. */
enum { BRI_ITEM_ROLL = 1 << 28, BRI_ITEM_SPIN = 1 << 29 };

static inline int bri_item_contact(int item) { return item & (BRI_ITEM_ROLL - 1); }
static inline bool bri_item_turns(int item) { return item >= BRI_ITEM_ROLL; }

/* W, slips and frames of modes->contacts items, joints projected out. The factor is that of bri_evaluate_free() at the state. */
void bri_gather_modes(const BriStep *at, const int *contact, const BriModeArrays *modes);
/* b, from the free accelerations of bri_evaluate_free() and contacts->bias; which contacts lie on one face. Before modes are
 * scaled. ws->target: how fast motors' targets change. */
void bri_gather_load(const BriStep *at, const int *contact, const BriModeArrays *modes);

/* How a contact's compliant laws answer under a normal force, N; false: its material has none. */
bool bri_gather_give(const BriStep *at, int contact, double force, BriGive *give);

/* Motors that have their speed, and a largest effort, leave the factor: they are bounded rows here. After bri_begin_reading(). */
void bri_gather_rest_motors(const BriStep *at);

/* The bounds of an island's joints that take part, as numbers for bri_gather_modes(): limits that are reached, dry friction at
 * rest, motors at their speed. Returns how many; the first `room` of them are listed. */
int bri_gather_bounds(const BriStep *at, const int *island, int root, int room, int *list);

/* Does friction in a bearing act in an island? */
bool bri_gather_grips(const BriStep *at, const int *island, int root);

/* Moments of the contacts that are listed, if they resist turning. `list` has room for two each behind `count` items. Returns
 * the number of all. */
int bri_gather_moments(const BriStep *at, int contacts, int count, int *list);

/* Islands: bodies that closed contacts and joints connect. Per body the first body of its island, of those that are
 * pushed. `island` has room for all bodies. */
void bri_gather_islands(const BriStep *at, int *island);

#endif
