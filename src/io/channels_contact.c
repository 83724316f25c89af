/* channels_contact.c: channels of contacts: places where shapes may touch, and what laws remember there. */
#include "bristle/contact.h"
#include "io/channels_walk.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

typedef struct Contact {
    double mode, ratio, ratio_mean;
    BrVec3 normal;
    BrContact is;
} Contact;

static const BriLine CONTACT[] = {
    {"mode", "1", NULL, BRI_FIELD(Contact, mode), "0 open, 1 stick, 2 slip, 3 rolling"},
    {"gap", "m", NULL, BRI_FIELD(Contact, is.gap), "distance of the surfaces; 0 while open"},
    {"point", "m", NULL, BRI_FIELD(Contact, is.point), "where it is, world axes"},
    {"normal", "1", NULL, BRI_FIELD(Contact, normal), "from the second-named body to the first"},
    {"slip", "m/s", NULL, BRI_FIELD(Contact, is.slip),
     "tangential velocity of the first-named body against the second"},
    {"normal_force", "N", NULL, BRI_FIELD(Contact, is.normal_force), "instantaneous, on the first-named body"},
    {"friction_force", "N", NULL, BRI_FIELD(Contact, is.friction_force), "instantaneous, on the first-named body"},
    {"rolling_moment", "N m", NULL, BRI_FIELD(Contact, is.rolling_moment),
     "instantaneous, on the first-named body, in the tangent plane"},
    {"spinning_moment", "N m", NULL, BRI_FIELD(Contact, is.spinning_moment), "the same, along the normal"},
    {"normal_force_mean", "N", NULL, BRI_FIELD(Contact, is.normal_force_mean), "mean over the step before"},
    {"friction_force_mean", "N", NULL, BRI_FIELD(Contact, is.friction_force_mean), "mean over the step before"},
    {"rolling_moment_mean", "N m", NULL, BRI_FIELD(Contact, is.rolling_moment_mean), "mean over the step before"},
    {"spinning_moment_mean", "N m", NULL, BRI_FIELD(Contact, is.spinning_moment_mean), "mean over the step before"},
    {"ratio", "1", NULL, BRI_FIELD(Contact, ratio), "|friction| / (mu normal), instantaneous"},
    {"ratio_mean", "1", NULL, BRI_FIELD(Contact, ratio_mean), "the same of the means"},
    {"margin", "N", NULL, BRI_FIELD(Contact, is.margin), "mu normal - |friction|"}};

/* Most points two kinds of shapes touch at. */
static int count_points(BrShapeKind a, BrShapeKind b) {
    static const BrShapeKind ONE[] = {BR_SHAPE_POINT, BR_SHAPE_SPHERE, BR_SHAPE_ELLIPSOID};
    for (int i = 0; i < BRI_COUNT(ONE); i++)
        if (a == ONE[i] || b == ONE[i]) return 1;
    return a == BR_SHAPE_CAPSULE || b == BR_SHAPE_CAPSULE ? 2 : 4;
}

void bri_find_slots(const BrModel *model, BriChannels *c) {
    int shapes = br_model_shape_count(model);
    for (int i = 0; i < shapes && shapes <= BRI_CONTACT_SLOTS; i++)
        for (int k = i + 1; k < shapes; k++) {
            BrShapeId a = br_model_shape(model, i), b = br_model_shape(model, k);
            if (!br_shapes_meet(model, a, b)) continue;
            int points = count_points(br_shape_def(model, a)->kind, br_shape_def(model, b)->kind);
            if (c->slots + points > BRI_CONTACT_SLOTS) {
                c->slots = 0;
                return;
            }
            bool turned =
                br_body_def(model, br_shape_def(model, b)->body)->kind != BR_BODY_DYNAMIC; /* as contacts have it */
            for (int n = 0; n < points; n++)
                c->slot[c->slots++] = turned ? (BriSlotOfContact){b, a, n} : (BriSlotOfContact){a, b, n};
        }
}

/* "wheel/ground.0": a place after its bodies, and its number among all of these two. */
static void name_slot(const BriChannels *c, int number, char label[160]) {
    const BrModel *model = c->model;
    const BriSlotOfContact *slot = &c->slot[number];
    const char *a = br_body_def(model, br_shape_def(model, slot->shape_a)->body)->name;
    const char *b = br_body_def(model, br_shape_def(model, slot->shape_b)->body)->name;
    int same = 0;
    for (int i = 0; i < number; i++) {
        const BriSlotOfContact *other = &c->slot[i];
        same += br_shape_def(model, other->shape_a)->body.index1 == br_shape_def(model, slot->shape_a)->body.index1 &&
                br_shape_def(model, other->shape_b)->body.index1 == br_shape_def(model, slot->shape_b)->body.index1;
    }
    snprintf(label, 160, "%s/%s.%d", b, a, same);
}

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

static bool stands_between(const BrContact *c, const BriSlotOfContact *slot) {
    return c->shape_a.index1 == slot->shape_a.index1 && c->shape_b.index1 == slot->shape_b.index1;
}

static int count_between(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot) {
    BrContact c;
    int count = 0;
    for (int k = 0; k < br_contact_count(model, w); k++)
        if (br_contact(model, w, k, &c) == BR_OK) count += stands_between(&c, slot);
    return count;
}

/* Mean forces of another contact of the same two shapes, as if they acted here. */
static void add_means(const BrContact *other, BrContact *c) {
    BrVec3 n = bri_column(&c->frame, 0);
    BrVec3 mean = bri_add_scaled(other->friction_force_mean, other->normal_force_mean, bri_column(&other->frame, 0));
    BrVec3 moment = bri_add(other->rolling_moment_mean, other->spinning_moment_mean);
    double along = bri_dot(n, mean), about = bri_dot(n, moment);
    c->normal_force_mean += along;
    c->friction_force_mean = bri_add(c->friction_force_mean, bri_add_scaled(mean, -along, n));
    c->rolling_moment_mean = bri_add(c->rolling_moment_mean, bri_add_scaled(moment, -about, n));
    c->spinning_moment_mean = bri_add_scaled(c->spinning_moment_mean, about, n);
}

/* The contact at a place, -1: none. Corners that took turns within a step may be more than places: then those that are
 * closed come first, and the last place has the mean forces of all that are left. */
static int find_at(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot, BrContact *c) {
    int places = count_points(br_shape_def(model, slot->shape_a)->kind, br_shape_def(model, slot->shape_b)->kind);
    bool crowded = count_between(model, w, slot) > places, last = slot->number == places - 1;
    int found = -1, seen = 0;
    for (int open = 0; open <= (int)crowded; open++)
        for (int k = 0; k < br_contact_count(model, w); k++) {
            BrContact is;
            br_contact(model, w, k, &is);
            if (!stands_between(&is, slot) || (crowded && (is.mode == BR_CONTACT_OPEN) != (open == 1))) continue;
            if (found >= 0 && crowded && last) add_means(&is, c);
            if (seen++ == slot->number) found = k, *c = is;
        }
    return found;
}

/* The contact that stands at a place: its number, or -1 and an open one. */
static int read_slot(const BrModel *model, const BrWorkspace *w, const BriSlotOfContact *slot, Contact *contact) {
    BrContact *c = &contact->is;
    int found = find_at(model, w, slot, c);
    if (found < 0) *c = (BrContact){.mode = BR_CONTACT_OPEN};
    contact->mode = (double)c->mode;
    contact->normal = bri_column(&c->frame, 0);
    contact->ratio = divide(bri_norm(c->friction_force), c->mu * c->normal_force);
    contact->ratio_mean = divide(bri_norm(c->friction_force_mean), c->mu * c->normal_force_mean);
    return found;
}

/* Do laws before this one call something the same? */
static bool is_listed(const BrModel *model, int law, const char *name) {
    for (int i = 0; i < law; i++)
        for (int k = 0; k < br_model_law_info(model, i)->memories; k++)
            if (strcmp(br_model_law_info(model, i)->memory[k].name, name) == 0) return true;
    return false;
}

/* What laws remember, of all laws alike: runs of one scene with different laws have the same channels. */
static void walk_memory(BriWalk *w, BriOwner owner, int contact) {
    for (int i = 0; i < br_model_law_count(w->model); i++)
        for (int k = 0; k < br_model_law_info(w->model, i)->memories; k++) {
            const BrLawMemory *m = &br_model_law_info(w->model, i)->memory[k];
            BriLine line = {m->name, *m->unit ? m->unit : "1", NULL, 0, m->tangent ? 3 : 1, m->help};
            double value[3] = {0};
            if (m->latch || is_listed(w->model, i, m->name)) continue;
            if (contact >= 0) br_contact_memory(w->model, w->moment->workspace, contact, m->name, value);
            bri_give(w, owner, &line, 1, value);
        }
}

void bri_walk_contacts(BriWalk *w, const BriChannels *channels) {
    for (int k = 0; k < channels->slots; k++) {
        char number[16], label[160] = "";
        Contact contact;
        int found = -1;
        snprintf(number, sizeof number, "%d", k);
        if (w->moment)
            found = read_slot(w->model, w->moment->workspace, &channels->slot[k], &contact);
        else
            name_slot(channels, k, label);
        BriOwner owner = {.group = "contacts", .name = number, .label = label};
        bri_give(w, owner, CONTACT, BRI_COUNT(CONTACT), &contact);
        walk_memory(w, owner, found);
    }
}
