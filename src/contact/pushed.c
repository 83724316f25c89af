/* pushed.c: contacts that pushed and are open again, or not even found any more, when the step ends. The next step does
 * not need to know of them, but readings do: the mean forces of a step are all its impulses. Within a step they are
 * noted here; in the state's table they stand among the others as BRI_CONTACT_GONE. */
#include "contact/contact.h"

#include <string.h>

static bool is_none(BrVec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

bool bri_contact_note_gone(const BrModel *m, BriContacts *c, const BriContact *contact) {
    BrVec3 moment = bri_resists_turning(contact) ? contact->turning->total : bri_vec(0, 0, 0);
    if (is_none(contact->sum.total) && is_none(moment)) return true;
    void *gone = c->gone;
    bool fits = bri_grow(&m->allocator, &gone, c->gone_count, &c->gone_room, sizeof *c->gone);
    c->gone = gone;
    if (fits) c->gone[c->gone_count++] = (BriGone){bri_contact_key(contact), contact->sum.total, moment};
    return fits;
}

/* It is there once more. */
static void take_back(BriContacts *c, BriContact *contact) {
    for (int i = 0; i < c->gone_count; i++) {
        if (c->gone[i].key != bri_contact_key(contact)) continue;
        contact->sum.total = c->gone[i].impulse;
        if (bri_resists_turning(contact)) contact->turning->total = c->gone[i].moment;
        c->gone[i] = c->gone[--c->gone_count];
        return;
    }
}

bool bri_contacts_carry_sums(const BrModel *m, BriContacts *c) {
    for (int k = 0, i = 0; k < c->count || i < c->old_count;) {
        bool is_new =
            k < c->count && (i == c->old_count || bri_contact_key(&c->contact[k]) < bri_contact_key(&c->old[i]));
        if (is_new) {
            take_back(c, &c->contact[k++]);
            continue;
        }
        const BriContact *old = &c->old[i++];
        if (k == c->count || bri_contact_key(old) < bri_contact_key(&c->contact[k])) {
            if (!bri_contact_note_gone(m, c, old)) return false;
            continue;
        }
        BriContact *contact = &c->contact[k++];
        contact->sum.total = old->sum.total;
        if (bri_resists_turning(contact)) contact->turning->total = old->turning->total;
    }
    return true;
}

/* ------------------------------------------------------------------ into the table */

static int compare_keys(const void *a, const void *b) {
    const BriGone *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* The table has no room for the last of those that are gone: it is told with another place of the same two shapes. */
static bool tell_with_another(BriContactState *memory, int live, const BriGone *gone, bool compliant) {
    for (int k = 0; k < live; k++) {
        if ((memory[k].key - 1) >> 16 != (gone->key - 1) >> 16) continue;
        memory[k].impulse = bri_add(memory[k].impulse, gone->impulse);
        if (!compliant) memory[k].moment = bri_add(memory[k].moment, gone->moment);
        return true;
    }
    return false;
}

BrStatus bri_contacts_end(BriStep *step, int live) {
    BriContacts *c = step->ws->contacts;
    BrState *end = step->ws->trial;
    BriContactState *memory = bri_state_contacts(end);
    bool compliant = step->def->formulation == BR_FORMULATION_COMPLIANT;
    int needed = live + c->gone_count;
    while (live + c->gone_count > end->contact_capacity) {
        if (!tell_with_another(memory, live, &c->gone[c->gone_count - 1], compliant))
            return bri_fail(step->error, BR_CAPACITY,
                            "%d contacts are needed, and the model has room for %d; raise contact_capacity", needed,
                            end->contact_capacity);
        c->gone_count--;
    }
    bri_state_end_contacts(end, live);
    if (c->gone_count == 0) return BR_OK;
    bri_sort(c->gone, (size_t)c->gone_count, sizeof *c->gone, compare_keys);
    end->contacts = live + c->gone_count;
    for (int at = end->contacts - 1, k = live - 1, i = c->gone_count - 1; i >= 0; at--) { /* the last first: in place */
        const BriGone *gone = &c->gone[i];
        if (k >= 0 && memory[k].key > gone->key) {
            memory[at] = memory[k--];
            continue;
        }
        memory[at] = (BriContactState){.key = gone->key, .mode = BRI_CONTACT_GONE, .impulse = gone->impulse};
        if (!compliant) memory[at].moment = gone->moment;
        i--;
    }
    c->gone_count = 0;
    return BR_OK;
}

/* ------------------------------------------------------------------ out of it */

/* Leaves out contacts that neither take part nor pushed; moves what belongs to the others along. */
static void close_ranks(BriContacts *c) {
    int count = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *from = &c->contact[k];
        BriContact *to = &c->contact[count];
        bool pushed = !is_none(from->was.impulse) || (bri_resists_turning(from) && !is_none(from->turning->was));
        if (!from->ask.active && !pushed) continue;
        BriSoftContact *soft = from->soft ? &c->soft[count] : NULL;
        BriTurning *turning = from->turning ? &c->turning[count] : NULL;
        if (soft) *soft = *from->soft;
        if (turning) *turning = *from->turning;
        *to = *from;
        to->soft = soft, to->turning = turning;
        count++;
    }
    c->count = count;
}

static void recall_impulse(const BrState *state, const BriContactState *entry, BriContact *contact) {
    contact->was.impulse = entry->impulse;
    if (state->formulation != BR_FORMULATION_COMPLIANT && bri_resists_turning(contact))
        contact->turning->was = entry->moment;
}

static int compare_contacts(const void *a, const void *b) {
    const BriContact *x = a, *y = b;
    return (bri_contact_key(x) > bri_contact_key(y)) - (bri_contact_key(x) < bri_contact_key(y));
}

BrStatus bri_contacts_recall_pushed(BriStep *step, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    const BrState *state = step->start;
    const BriContactState *memory = bri_state_contacts(state);
    for (int i = 0, k = 0; i < state->contacts; i++) {
        while (k < c->count && bri_contact_key(&c->contact[k]) < memory[i].key) k++;
        if (k < c->count && bri_contact_key(&c->contact[k]) == memory[i].key)
            recall_impulse(state, &memory[i], &c->contact[k]);
    }
    close_ranks(c);
    int found = c->count;
    for (int i = 0, k = 0; i < state->contacts; i++) {
        while (k < found && bri_contact_key(&c->contact[k]) < memory[i].key) k++;
        if (k < found && bri_contact_key(&c->contact[k]) == memory[i].key) continue;
        bool moment = state->formulation != BR_FORMULATION_COMPLIANT && !is_none(memory[i].moment);
        if (is_none(memory[i].impulse) && !moment) continue;
        if (!bri_contacts_make_room(step->model, c, c->count + 1))
            return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for %d contacts", c->count + 1);
        BriContact *contact = bri_contact_add(step, memory[i].key, bodies);
        recall_impulse(state, &memory[i], contact);
    }
    if (c->count > found) bri_sort(c->contact, (size_t)c->count, sizeof *c->contact, compare_contacts);
    return BR_OK;
}
