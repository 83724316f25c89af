/* groups.c: bodies that may meet each other within a step, directly or through others: by pairs of shapes, springs and
 * joints. What happens to one group is nothing to another, so that each may be stepped in its own way. Joints have one
 * factor: where there are any, all bodies are one group. */
#include "contact/contact.h"
#include "linalg/sets.h"

#include <string.h>

static bool is_stepped(const BriStep *step, int body) {
    return body >= 0 && step->model->body[body].node >= 0 && !bri_sleeps(step, body);
}

static void join(const BriStep *step, int *root, int a, int b) {
    if (is_stepped(step, a) && is_stepped(step, b)) bri_join_sets(root, a, b);
}

void bri_groups_find(BriStep *step, bool joined) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriGroups *g = &c->groups;
    for (int i = 0; i < m->bodies; i++) g->of[i] = i, g->call[i] = BRI_GROUP_FINE, g->touch[i] = step->h;
    g->joined = joined || m->joints > 0;
    for (int n = 0, first = -1; g->joined && n < m->moving; n++) {
        int i = m->moving_body[n];
        if (first < 0 && is_stepped(step, i)) first = i;
        join(step, g->of, first, i);
    }
    for (int k = 0; k < m->springs; k++) join(step, g->of, m->spring[k].a, m->spring[k].b);
    for (int k = 0; k < m->bushings; k++) join(step, g->of, m->bushing[k].a, m->bushing[k].b);
    for (int k = 0; k < c->pairs; k++) join(step, g->of, c->fact[c->pair[k].a].body, c->fact[c->pair[k].b].body);
    for (int i = 0; i < m->bodies; i++) g->of[i] = is_stepped(step, i) ? bri_find_root(g->of, i) : -1;
    step->group = NULL;
    c->kept_count = 0;
}

static void keep(const BrModel *m, BriContacts *c, const BriContact *contact) {
    BriContact *to = &c->kept[c->kept_count];
    *to = *contact;
    to->ask.push_frame = NULL; /* of rows that others will have */
    if (m->turns) {
        to->turning = &c->kept_turning[c->kept_count];
        *to->turning = *contact->turning;
    }
    c->kept_count++;
}

void bri_groups_leave_fine(BriContacts *c) {
    int fine = 0;
    for (int k = 0; k < c->count; k++)
        if (bri_contact_call(c, &c->contact[k]) == BRI_GROUP_FINE) c->contact[fine++] = c->contact[k];
    c->count = fine;
}

bool bri_groups_keep(const BriStep *step) {
    BriContacts *c = step->ws->contacts;
    if (!bri_contacts_make_kept(step->model, c, c->kept_count + c->count)) return false;
    for (int k = 0; k < c->count; k++) keep(step->model, c, &c->contact[k]);
    c->count = 0;
    return true;
}

/* order[begin], ... down to where the contact that stands there has none with a larger key below it. */
static void sink(const BriContact *contact, int *order, int begin, int end) {
    for (int at = begin, child; (child = 2 * at + 1) < end; at = child) {
        if (child + 1 < end && bri_contact_key(&contact[order[child]]) < bri_contact_key(&contact[order[child + 1]]))
            child++;
        if (bri_contact_key(&contact[order[at]]) >= bri_contact_key(&contact[order[child]])) return;
        int other = order[at];
        order[at] = order[child], order[child] = other;
    }
}

bool bri_groups_gather(const BriStep *step) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    int count = c->kept_count;
    c->count = 0;
    if (!bri_contacts_make_room(m, c, count) || !bri_contacts_make_solver_room(step)) return false;
    int *order = c->place;
    for (int k = 0; k < count; k++) order[k] = k;
    for (int k = count / 2 - 1; k >= 0; k--) sink(c->kept, order, k, count);
    for (int k = count - 1; k > 0; k--) {
        int last = order[0];
        order[0] = order[k], order[k] = last;
        sink(c->kept, order, 0, k);
    }
    for (int k = 0; k < count; k++) {
        c->contact[k] = c->kept[order[k]];
        if (!m->turns) continue;
        c->turning[k] = *c->contact[k].turning;
        c->contact[k].turning = &c->turning[k];
    }
    c->count = count;
    c->overlaps = true; /* some may: each group was found by itself */
    c->whole = false;
    return true;
}
