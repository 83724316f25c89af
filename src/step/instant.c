/* instant.c: see island.h. */
#include "step/instant.h"

/* Accelerations without contacts; the joints' factor comes with them. */
static BrStatus accelerate(BriInstant *i) {
    if (i->accelerated) return BR_OK;
    i->accelerated = true;
    if (i->at->model->motors) bri_gather_rest_motors(i->at);
    return bri_evaluate_free(i->at->model, i->at->ws, i->at->start, i->at->error);
}

BrStatus bri_instant_prepare(BriInstant *i, bool free) {
    BriStep *at = i->at;
    bool rows = at->motor_rows;
    bri_begin_reading(at->model, at->ws, at->start);
    BrStatus status = at->model->joints || free ? accelerate(i) : BR_OK;
    if (status < 0) return status;
    at->motor_rows = true;
    status = bri_find_closed(at);
    at->motor_rows = rows;
    if (status < 0) return status;
    bri_contacts_same_rows(at, bri_state_bodies(at->start));
    return BR_OK;
}

static BrStatus find_bias(BriInstant *i) {
    BriStep *at = i->at;
    BrStatus status = accelerate(i);
    if (status < 0) return status;
    if (!i->has_bias) bri_contacts_bias(at, bri_state_bodies(at->start), at->ws->acceleration, at->ws->contacts->bias);
    if (!i->has_bias && at->model->motors)
        bri_system_target_rates(at->model, at->start, at->start->time, at->ws->target);
    i->has_bias = true;
    return BR_OK;
}

static BriModeArrays begin_modes(BriInstant *i) {
    i->modes.unloaded = false; /* all else is written: to clear it is dear */
    i->modes.contacts = i->count;
    return bri_modes_arrays(&i->modes);
}

void bri_instant_gather(BriInstant *i) {
    BriModeArrays arrays = begin_modes(i);
    bri_gather_modes(i->at, i->contact, &arrays);
    i->modes.unloaded = true;
    bri_modes_prepare(&i->modes);
}

BrStatus bri_instant_load(BriInstant *i) {
    BrStatus status = find_bias(i);
    if (status < 0) return status;
    BriModeArrays arrays = begin_modes(i);
    bri_gather_modes(i->at, i->contact, &arrays);
    bri_gather_load(i->at, i->contact, &arrays);
    bri_modes_prepare(&i->modes);
    return BR_OK;
}

BrStatus bri_instant_fill_crowd(BriInstant *i, BriCrowd *crowd) {
    const BrModel *m = i->at->model;
    double rows = 3. * crowd->modes.contacts;
    BrStatus status = find_bias(i);
    if (status < 0) return status;
    bri_spend(crowd->budget, rows * (20 * rows + (m->joints ? 100. * m->moving : 50)));
    bri_gather_modes(i->at, i->contact, &crowd->modes);
    bri_gather_load(i->at, i->contact, &crowd->modes);
    bri_modes_scale(&crowd->modes);
    return BR_OK;
}

/* Limits yield as the stiffest of the contacts. */
static void give_at_limits(const BriInstant *i, int contacts, BriGive *give) {
    BriGive stiffest = {0};
    for (int k = 0; k < contacts; k++)
        if (i->contact[k] >= 0 && give[k].stiffness > stiffest.stiffness) stiffest = give[k];
    for (int k = 0; k < contacts; k++)
        if (i->contact[k] < 0) give[k] = stiffest;
}

bool bri_instant_gives(const BriInstant *i, const BriModeArrays *m, const double *p, BriGive *give) {
    const double LEAST = 1e-3;
    bool given = true;
    for (int k = 0; k < m->contacts && given; k++) {
        double force = *m->acceleration / m->scale[k] * bri_max(LEAST, p[3 * k]);
        bool other = i->contact[k] < 0 || bri_item_turns(i->contact[k]);
        given = other || bri_gather_give(i->at, i->contact[k], force, &give[k]);
    }
    for (int k = 0; !given && k < m->contacts; k++) give[k] = bri_any_give(m->scale[k]);
    if (given) give_at_limits(i, m->contacts, give);
    return given;
}
