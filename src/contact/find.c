/* find.c: which contacts a step has to think of: boxes around shapes, pairs, touches, and the memory of those
 * that were there before. */
#include "base/threads.h"
#include "contact/contact.h"
#include "dynamics/force.h"

#include <string.h>

/* Shapes a and b of a contact: what cannot be pushed is a, so that forces are read on what can; of two that can, the one of
 * the earlier body, whatever their shapes were added after. */
static BriPair choose_roles(const BriContacts *c, BriPair pair) {
    const BriShapeFacts *a = &c->fact[pair.a], *b = &c->fact[pair.b];
    bool turned = a->fixed == b->fixed ? a->body > b->body : b->fixed;
    return turned ? (BriPair){pair.b, pair.a} : pair;
}

/* A loop over shapes or contacts, with bodies where they are now. */
typedef struct Loop {
    BriStep *step;
    const BriBodyState *bodies;
    bool with_sleepers;
    double spent[BRI_MOST_THREADS]; /* operations, whole numbers, per lane */
} Loop;

/* Nothing is spent yet in the lanes that there are: clearing all that might be would be felt by a step of one contact. */
static void start_loop(BriStep *step, const BriBodyState *bodies, Loop *loop) {
    loop->step = step;
    loop->bodies = bodies;
    loop->with_sleepers = false;
    for (int i = 0; i < bri_lanes(step->def->threads); i++) loop->spent[i] = 0;
}

/* What the lanes have spent since. */
static void pay(Loop *loop) {
    double spent = 0;
    for (int i = 0; i < bri_lanes(loop->step->def->threads); i++) {
        spent += loop->spent[i];
        loop->spent[i] = 0;
    }
    bri_spend(loop->step->budget, spent);
}

static void place_share(void *loop, const BriShare *share) {
    const Loop *l = loop;
    const BriContacts *c = l->step->ws->contacts;
    for (int i = share->begin; i < share->end; i++) {
        const BriShapeFacts *s = &c->fact[i];
        const BriBodyState *b = &l->bodies[s->body];
        if (s->still) continue;
        if (bri_is_put_aside(l->step, s->body) && !(l->with_sleepers && bri_sleeps(l->step, s->body))) continue;
        /* the same numbers, and the same bits; but most shapes of large scenes need not be fetched for them */
        const BriFrame *own = s->centred ? &BRI_CENTRE : &l->step->model->shape[i].frame;
        bri_place_frame(own, b->r, &b->A, &c->frame[i]);
    }
}

/* Frames of the shapes; those of still bodies have theirs since the workspace was made, those of sleepers are asked for
 * only where it may be time to wake them. */
static void place_shapes(BriStep *step, const BriBodyState *bodies, bool with_sleepers) {
    Loop loop;
    start_loop(step, bodies, &loop);
    loop.with_sleepers = with_sleepers;
    bri_share(step->def->threads, step->model->shapes, place_share, &loop);
}

void bri_shapes_move(BriStep *step, const BriBodyState *bodies) { place_shapes(step, bodies, false); }

/* How far a shape's points may come within a time: twice their speed, and what forces (f; NULL: gravity alone) add. */
static double find_reach(const BrModel *m, const BriShapeFacts *s, const BriBodyState *b, const double *f,
                         double ahead) {
    const double MARGIN = 1e-7; /* m: more than BRI_CLOSED, so that what touches is found; absolute */
    const double LONG = 1e3;    /* m: the arm of a plane that turns, which has no end; absolute */
    if (s->still) return MARGIN;
    double arm = bri_is_finite(s->extent) ? s->extent : LONG;
    double reach = 2 * ahead * (bri_norm(b->v) + arm * bri_norm(b->w)) + MARGIN;
    if (s->fixed) return reach;
    double push = bri_norm(m->gravity);
    if (f) {
        const BriBody *body = &m->body[s->body];
        const double *own = f + 6 * body->node;
        BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(own[3], own[4], own[5]));
        push = body->inverse_mass * bri_norm(bri_vec(own[0], own[1], own[2])) + arm * bri_norm(turn);
    }
    return reach + 2 * ahead * ahead * push;
}

typedef struct Wants {
    const BrModel *model;
    const BriShapeFacts *fact;
} Wants;

/* bri_shapes_may_touch(), asking the model only where it has a list to look into. */
static bool wants_pair(const void *user, int a, int b) {
    const Wants *w = user;
    const BriShapeFacts *x = &w->fact[a], *y = &w->fact[b];
    if (x->body == y->body || (x->fixed && y->fixed)) return false;
    return w->model->apart_count == 0 || bri_shapes_may_touch(w->model, a, b);
}

static void bound_share(void *loop, const BriShare *share) {
    const BriContacts *c = ((const Loop *)loop)->step->ws->contacts;
    for (int i = share->begin; i < share->end; i++) {
        BriBounds box = bri_shape_bounds(&c->fact[i].shape, &c->frame[i]);
        BrVec3 grow = bri_vec(c->reach[i], c->reach[i], c->reach[i]);
        c->box[i] = (BriBounds){bri_sub(box.low, grow), bri_add(box.high, grow)};
    }
}

/* Boxes grown by their reach; the pairs that overlap. */
static BrStatus find_overlaps(BriStep *step, BrError *error) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    Wants wants = {m, c->fact};
    Loop loop;
    start_loop(step, NULL, &loop);
    c->pairs = 0;
    bri_share(step->def->threads, m->shapes, bound_share, &loop);
    bri_broad_set_idle(c->broad, step->asleep ? c->sleep.idle : NULL);
    int count = bri_broad_find(c->broad, c->box, wants_pair, &wants, &c->pair);
    if (!c->pair && count <= m->pair_capacity) {
        int more = (int)bri_with_spare(count, sizeof *c->pair);
        if (!bri_broad_make_room(c->broad, &m->allocator, more < m->pair_capacity ? more : m->pair_capacity))
            return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for %d pairs of shapes", count);
        count = bri_broad_find(c->broad, c->box, wants_pair, &wants, &c->pair);
    }
    if (count > m->pair_capacity)
        return bri_fail(error, BR_CAPACITY,
                        "%d pairs of shapes are close together, and the model has room for %d; raise "
                        "contact_capacity above %d",
                        count, m->pair_capacity, m->contact_capacity);
    c->pairs = count;
    return BR_OK;
}

/* What is struck may fly on as far as what strikes it could: its reach is lent, where that is more than the struck one
 * is thick, so that it does not pass what stands behind it. true: some was. */
static bool lend_reach(BriContacts *c) {
    bool lent = false;
    for (int k = 0; k < c->pairs; k++) {
        const int ends[2] = {c->pair[k].a, c->pair[k].b};
        for (int e = 0; e < 2; e++) {
            const BriShapeFacts *struck = &c->fact[ends[e]];
            double *own = &c->reach[ends[e]], others = c->reach[ends[1 - e]];
            if (struck->fixed || !(others > *own)) continue;
            double thick =
                bri_max(2 * bri_shape_half_width(&struck->shape), 0.1 * struck->extent); /* a disc has none */
            if (!(others > thick)) continue;
            *own = others;
            lent = true;
        }
    }
    return lent;
}

/* Of the shapes of the group at hand: its pairs are those that the whole step had. */
static BrStatus find_group(BriStep *step, const BriBodyState *bodies, double ahead) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool pushed = ahead > 0 && bri_is_pushed(m, step->start);
    if (pushed) bri_forces(m, step->start, bodies, step->ws->trial->time, step->ws->f);
    bri_shapes_move(step, bodies);
    for (int i = 0; i < m->shapes; i++) {
        int body = c->fact[i].body;
        if (bri_is_put_aside(step, body)) continue;
        c->reach[i] = find_reach(m, &c->fact[i], &bodies[body], pushed ? step->ws->f : NULL, ahead);
        bri_spend(step->budget, 100);
    }
    return BR_OK;
}

/* How far shapes reach, f being the forces on bodies or NULL, and which pairs may meet. *lent as below. */
static BrStatus find_near(BriStep *step, const BriBodyState *bodies, double ahead, const double *f, bool *lent,
                          BrError *error) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    for (int i = 0; i < m->shapes; i++) c->reach[i] = find_reach(m, &c->fact[i], &bodies[c->fact[i].body], f, ahead);
    BrStatus status = c->always ? BR_OK : find_overlaps(step, error);
    *lent = *lent && status == BR_OK && ahead > 0 && lend_reach(c);
    return *lent && !c->always ? find_overlaps(step, error) : status;
}

/* Where shapes are, and which pairs may meet; among these is nobody who sleeps. *lent: some reach was lent; in: whether
 * to. BR_CANCELLED, without a word: see woke_late. */
static BrStatus find_pairs(BriStep *step, const BriBodyState *bodies, double ahead, bool *lent, BrError *error) {
    const BrModel *m = step->model;
    BrStatus status;
    bool lend = *lent, woke;
    if (step->group && !step->ws->contacts->groups.joined) return find_group(step, bodies, ahead);
    bool pushed = ahead > 0 && bri_is_pushed(m, step->start);
    if (pushed) bri_forces(m, step->start, bodies, step->ws->trial->time, step->ws->f);
    place_shapes(step, bodies, true);
    do { /* who wakes may wake others */
        int sleeping = bri_sleepers(step).shapes;
        bri_spend(step->budget, 100. * (m->shapes - sleeping) + 20. * sleeping);
        *lent = lend;
        status = find_near(step, bodies, ahead, pushed ? step->ws->f : NULL, lent, error);
        woke = status == BR_OK && step->asleep && bri_sleep_wake(step);
        step->woke_late = woke && bodies != bri_state_bodies(step->start);
    } while (woke && !step->woke_late);
    return step->woke_late ? BR_CANCELLED : status;
}

/* ------------------------------------------------------------------ contacts */

/* Tangents: world x and y as far as they lie in the plane, so that boxes and polygons stand along the world's axes. */
static BrMat3 make_frame(BrVec3 n) {
    BrVec3 x = bri_abs(n.x) < 0.9 ? bri_vec(1, 0, 0) : bri_vec(0, 1, 0);
    BrVec3 t = bri_add_scaled(x, -bri_dot(x, n), n);
    t = bri_scale(1 / bri_norm(t), t);
    return bri_from_columns(n, t, bri_cross(n, t));
}

static BrVec3 find_belt(const BrModel *m, const BriContact *c, const BriBodyState *bodies) {
    const BriModelShape *a = &m->shape[c->at.shape_a], *b = &m->shape[c->at.shape_b];
    BrVec3 belt = bri_vec(0, 0, 0), n = bri_normal(c);
    if (b->has_motion) belt = bri_mul(&bodies[c->at.b].A, b->def.surface_velocity_body);
    if (a->has_motion) belt = bri_sub(belt, bri_mul(&bodies[c->at.a].A, a->def.surface_velocity_body));
    return bri_add_scaled(belt, -bri_dot(n, belt), n); /* a belt runs along its surface */
}

static inline bool has_normal(const BrMat3 *frame, BrVec3 n) {
    return n.x == frame->m[0][0] && n.y == frame->m[1][0] && n.z == frame->m[2][0];
}

/* The frame of normal n. `last`: the one made last, which contacts over one face have in common. */
static BrMat3 find_frame(BrVec3 n, BrMat3 *last) {
    if (!has_normal(last, n)) *last = make_frame(n);
    return *last;
}

static inline void set_touch(BriContact *c, const BriTouch *t) {
    c->at.touch = (BriTouched){t->point_a, t->point_b, t->gap};
}

/* The first in the state's table, from `at` on, whose key is not less. Mostly it is the next one; where others look for
 * contacts too, it may be far ahead. */
static int look_on(const BrState *state, uint64_t key, int at) {
    enum { SOME = 8 };
    const BriContactState *memory = bri_state_contacts(state);
    int end = state->contacts, near = at + SOME < end ? at + SOME : end;
    while (at < near && memory[at].key < key) at++;
    if (at < near) return at;
    while (at < end) {
        int middle = at + (end - at) / 2;
        if (memory[middle].key < key)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

/* What the state knows of it. `at`: where to look on, as both come in the order of their keys. */
static void recall(const BrState *state, BriContact *c, int *at) {
    const BriContactState *memory = bri_state_contacts(state);
    uint64_t key = bri_contact_key(c);
    int low = *at = look_on(state, key, *at);
    if (low == state->contacts || memory[low].key != key || memory[low].mode == BRI_CONTACT_GONE) return;
    c->was.impulse = memory[low].impulse;
    bool struck = state->formulation == BR_FORMULATION_EVENT && memory[low].struck > 0; /* that tells of no load */
    if (!struck) c->got.load = memory[low].impulse;
    c->mode.slip = memory[low].slip;
    bool left = memory[low].mode == BR_CONTACT_OPEN;
    c->was.landing = left;
    bri_contact_set_sliding(c, left ? bri_norm(c->mode.slip) > BRI_SLIP : memory[low].mode == BR_CONTACT_SLIP);
    double speed = c->mode.sliding ? bri_norm(c->mode.slip) : 0;
    c->mode.holds_direction = c->mode.sliding && speed <= BRI_SLIP && !bri_creeps(c);
    if (c->mode.holds_direction && speed > 0) c->mode.direction = bri_scale(1 / speed, c->mode.slip);
    c->mode.closed = !left && bri_dot(bri_normal(c), c->was.impulse) > 0;
    c->sum.stored = memory[low].stored;
    if (state->formulation == BR_FORMULATION_COMPLIANT) {
        if (c->soft) c->soft->memory = memory[low].memory;
    } else if (bri_resists_turning(c)) {
        c->turning->was = c->turning->load = memory[low].moment;
    }
    c->was.known = true;
}

/* Is it one of those that are to part? */
static bool is_parting(const BriStep *step, const BriContact *c) {
    uint64_t key = step->partings ? bri_contact_key(c) : 0;
    for (int i = 0; i < step->partings; i++)
        if (step->parting[i] == key) return true;
    return false;
}

/* Of moments (7.35). A point has no extent: then the body's size. */
static double find_length(const BrModel *m, const BriContact *c) {
    if (!(c->at.surface->mu_r > 0) && !(c->at.surface->mu_spin > 0)) return 0;
    double extent = bri_contact_extent(m, c), size = m->body[c->at.b].size;
    return bri_is_finite(extent) ? extent : size > 0 ? size : 1;
}

/* What all contacts of a pair have in common. */
static void start_pair(const BrModel *m, const BriContacts *c, BriPair roles, BriFound *at) {
    const BriShapeFacts *a = &c->fact[roles.a], *b = &c->fact[roles.b];
    at->belt = bri_vec(0, 0, 0);
    at->shape_a = roles.a;
    at->shape_b = roles.b;
    at->a = a->body;
    at->b = b->body;
    at->fixed_a = a->fixed;
    at->still_a = a->still;
    at->runs = a->runs || b->runs;
    at->surface = bri_find_surface(m, a->material, b->material);
    /* 1e-8 of the smaller extent, and not more than BRI_CLOSED: asking for less, contacts that hold a body up several
     * times over would contradict each other by what projection leaves, and take turns */
    at->nothing = bri_min(BRI_CLOSED, 1e-8 * bri_smaller_extent(a->extent, b->extent));
}

static inline BriHold make_hold(const BriContact *c, const BriTouch *t, const BriBodyState *bodies) {
    const BriBodyState *a = &bodies[c->at.a], *b = &bodies[c->at.b];
    return (BriHold){.a = c->at.still_a ? t->point_a : bri_mul_t(&a->A, bri_sub(t->point_a, a->r)),
                     .b = bri_mul_t(&b->A, bri_sub(t->point_b, b->r)),
                     .normal = c->at.still_a ? t->normal : bri_mul_t(&a->A, t->normal)};
}

/* While contacts are found one after the other. */
typedef struct Start {
    const BriContact *first; /* of the pair: it has what all have in common */
    BrMat3 frame;            /* made last */
    int at;                  /* in the state's table */
    bool overlaps;           /* one was found inside another */
} Start;

static void start_contact(const BriStep *step, const BriTouch *touch, const BriBodyState *bodies, Start *start,
                          BriContact *c) {
    const BrModel *m = step->model;
    if (c != start->first) c->at = start->first->at;
    memset(c, 0, offsetof(BriContact, at));
    ptrdiff_t number = c - step->ws->contacts->contact;
    c->soft = step->ws->contacts->has_soft ? &step->ws->contacts->soft[number] : NULL;
    if (c->soft) *c->soft = (BriSoftContact){0};
    c->got.part = 1;
    c->at.feature = (uint16_t)touch->feature;
    set_touch(c, touch);
    c->at.frame = find_frame(touch->normal, &start->frame);
    c->at.hold = (int)number;
    if (!step->ws->contacts->found_at) step->ws->contacts->hold[number] = make_hold(c, touch, bodies);
    if (c->at.runs) c->at.belt = find_belt(m, c, bodies);
    c->turning = m->turns ? &step->ws->contacts->turning[number] : NULL;
    if (c->turning) *c->turning = (BriTurning){.length = find_length(m, c)};
    if (bri_resists_turning(c)) c->turning->turn = bri_contact_turn(c, bodies);
    recall(step->start, c, &start->at);
    c->mode.parts = is_parting(step, c);
    c->mode.closed = !c->mode.parts && (c->mode.closed || touch->gap <= c->at.nothing);
    if (!c->was.known) bri_contact_set_slip(c, bri_contact_velocity(c, bodies));
    c->was.sliding = c->mode.slid = c->mode.sliding;
    c->at.start_gap = touch->gap;
    start->overlaps = start->overlaps || touch->gap < -c->at.nothing;
}

/* Where two shapes are nearest, at the place of this feature if it is there. What is nowhere is in the middle. */
static BriTouch find_nearest(BriStep *step, BriPair roles, uint32_t feature) {
    const double FAR = 1e100; /* m: any distance; squares are finite */
    const BriContacts *c = step->ws->contacts;
    const BriFrame *a = &c->frame[roles.a], *b = &c->frame[roles.b];
    const BriShape *of_a = &c->fact[roles.a].shape, *of_b = &c->fact[roles.b].shape;
    BriTouch touch[BRI_PATCH];
    int points = bri_collide(of_a, a, of_b, b, FAR, touch), nearest = 0;
    bri_spend(step->budget, bri_collide_work(of_a, of_b));
    for (int i = 0; i < points; i++) {
        if (touch[i].feature == feature) return touch[i];
        if (touch[i].gap < touch[nearest].gap) nearest = i;
    }
    if (points > 0) return touch[nearest];
    BrVec3 way = bri_sub(b->position, a->position);
    double distance = bri_norm(way);
    return (BriTouch){.point_a = a->position,
                      .point_b = b->position,
                      .normal = distance > 0 ? bri_scale(1 / distance, way) : bri_vec(0, 0, 1),
                      .gap = distance};
}

BriContact *bri_contact_add(BriStep *step, uint64_t key, const BriBodyState *bodies) {
    BriContacts *c = step->ws->contacts;
    BriPair pair = {bri_key_a(key), bri_key_b(key)}, roles = choose_roles(c, pair);
    uint32_t feature = (uint32_t)((key - 1) & 0xffff);
    BriTouch touch = find_nearest(step, roles, feature);
    BriContact *contact = &c->contact[c->count++];
    Start start = {.first = contact};
    touch.feature = feature;
    start_pair(step->model, c, roles, &contact->at);
    start_contact(step, &touch, bodies, &start, contact);
    c->overlaps = c->overlaps || start.overlaps;
    contact->mode.closed = false;
    contact->got.u = bri_contact_velocity(contact, bodies);
    return contact;
}

/* ------------------------------------------------------------------ all of them */

/* Are the balls about two shapes farther apart than this? Of most pairs whose boxes overlap they are. */
static inline bool are_far(const BriContacts *c, BriPair pair, double reach) {
    BrVec3 d = bri_sub(c->frame[pair.b].position, c->frame[pair.a].position);
    double near = c->fact[pair.a].ball + c->fact[pair.b].ball + reach;
    return bri_dot(d, d) > near * near;
}

/* Where the shapes of a pair touch; returns at how many places. */
static inline int touch_pair(const BriStep *step, const BriPair *pair, BriTouch *touch, double *spent) {
    const BriContacts *c = step->ws->contacts;
    BriPair roles = choose_roles(c, *pair);
    int a = roles.a, b = roles.b;
    if (bri_is_put_aside(step, c->fact[b].body)) return 0;
    const BriShape *of_a = &c->fact[a].shape, *of_b = &c->fact[b].shape;
    double reach = c->reach[a] + c->reach[b];
    *spent += bri_collide_work(of_a, of_b);
    return are_far(c, roles, reach) ? 0 : bri_collide(of_a, &c->frame[a], of_b, &c->frame[b], reach, touch);
}

/* A pair's contacts, of which the first has this number. */
static inline void start_contacts(const BriStep *step, const BriPair *pair, const BriTouch *touch, int points,
                                  const BriBodyState *bodies, Start *start, int number) {
    const BriContacts *c = step->ws->contacts;
    BriContact *first = &c->contact[number];
    start->first = first;
    start_pair(step->model, c, choose_roles(c, *pair), &first->at);
    for (int i = 0; i < points; i++) start_contact(step, &touch[i], bodies, start, first + i);
}

/* Places of all pairs, one after the other. false: no memory for them. */
static bool find_places_alone(BriStep *step, const BriBodyState *bodies, int *needed) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriTouch touch[BRI_PATCH];
    Start start = {0};
    bool fits = true;
    for (int k = 0; k < c->pairs; k++) {
        double spent = 0;
        int points = touch_pair(step, &c->pair[k], touch, &spent);
        bri_spend(step->budget, spent);
        if (points == 0) continue;
        *needed += points;
        if (*needed > m->contact_capacity) continue;
        fits = fits && bri_contacts_make_room(m, c, *needed - bri_sleepers(step).contacts);
        if (!fits) continue; /* they are counted all the same */
        start_contacts(step, &c->pair[k], touch, points, bodies, &start, c->count);
        c->count += points;
    }
    c->overlaps = start.overlaps;
    return fits;
}

/* The same by threads, many at a time: first where they touch, then, their number being known, each as the contact that
 * it is. */
typedef struct Search {
    Loop loop;
    const BriPair *pair;
    BriPairTouch *found;           /* per pair */
    Start start[BRI_MOST_THREADS]; /* per lane */
} Search;

static void touch_share(void *loop, const BriShare *share) {
    Search *s = loop;
    for (int k = share->begin; k < share->end; k++)
        s->found[k].points = touch_pair(s->loop.step, &s->pair[k], s->found[k].touch, &s->loop.spent[share->lane]);
}

static void start_share(void *loop, const BriShare *share) {
    Search *s = loop;
    for (int k = share->begin; k < share->end; k++) {
        const BriPairTouch *found = &s->found[k];
        if (found->points == 0) continue;
        start_contacts(s->loop.step, &s->pair[k], found->touch, found->points, s->loop.bodies, &s->start[share->lane],
                       found->first);
    }
}

/* Contacts of so many pairs, behind those that are there; those that the model has no room for are counted, and
 * forgotten. Returns how many there are then. */
static int number_places(const BriStep *step, const Search *s, int pairs, int *needed) {
    int count = step->ws->contacts->count;
    for (int k = 0; k < pairs; k++) {
        *needed += s->found[k].points;
        if (*needed > step->model->contact_capacity) s->found[k].points = 0;
        s->found[k].first = count;
        count += s->found[k].points;
    }
    return count;
}

static bool find_places_together(BriStep *step, const BriBodyState *bodies, int *needed) {
    BriContacts *c = step->ws->contacts;
    Search search = {.found = c->found};
    bool fits = true;
    start_loop(step, bodies, &search.loop);
    for (int begin = 0, pairs = 0; begin < c->pairs; begin += pairs) {
        pairs = c->pairs - begin < BRI_TOUCHES ? c->pairs - begin : BRI_TOUCHES;
        search.pair = c->pair + begin;
        bri_share(step->def->threads, pairs, touch_share, &search);
        pay(&search.loop);
        int count = number_places(step, &search, pairs, needed);
        fits = fits && bri_contacts_make_room(step->model, c, count);
        if (!fits) continue; /* they are counted all the same */
        bri_share(step->def->threads, pairs, start_share, &search);
        c->count = count;
    }
    for (int i = 0; i < bri_lanes(step->def->threads); i++) c->overlaps = c->overlaps || search.start[i].overlaps;
    return fits;
}

/* Places of all pairs; *needed: how many, which may be more than the model has room for. */
static BrStatus find_places(BriStep *step, const BriBodyState *bodies, int *needed, BrError *error) {
    BriContacts *c = step->ws->contacts;
    c->count = 0;
    c->overlaps = c->whole = false;
    *needed = bri_sleepers(step).contacts;
    bool together = step->def->threads > 1 && bri_contacts_make_touches(step->model, c);
    bool fits = together ? find_places_together(step, bodies, needed) : find_places_alone(step, bodies, needed);
    if (!fits && *needed <= step->model->contact_capacity)
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory for the %d contacts of the step", *needed);
    return BR_OK;
}

BrStatus bri_contacts_find(BriStep *step, const BriBodyState *bodies, double ahead, BrError *error) {
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    bool lent = true;
    int needed = 0;
    c->found_at = bodies == bri_state_bodies(step->start) ? bodies : NULL;
    c->load_over = step->start->dt;
    if (!c->found_at && !c->has_holds && !bri_contacts_make_holds(m, c))
        return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to find contacts");
    BrStatus status = m->shapes ? find_pairs(step, bodies, ahead, &lent, error) : BR_OK;
    if (status == BR_OK) status = find_places(step, bodies, &needed, error);
    if (m->shapes && lent && (status == BR_CAPACITY || needed > m->contact_capacity)) { /* then only what is near */
        lent = false;
        status = find_pairs(step, bodies, ahead, &lent, error);
        if (status == BR_OK) status = find_places(step, bodies, &needed, error);
    }
    if (status != BR_OK) return status;
    if (m->bounds) bri_find_bounds(step, bodies, ahead);
    if (needed <= m->contact_capacity)
        return bri_contacts_make_solver_room(step)
                   ? BR_OK
                   : bri_fail(error, BR_OUT_OF_MEMORY, "no memory to solve %d contacts", needed);
    return bri_fail(error, BR_CAPACITY, "%d contacts are needed, and the model has room for %d; raise contact_capacity",
                    needed, m->contact_capacity);
}

BrStatus bri_contacts_renew(BriStep *step, const BriBodyState *bodies, double ahead) {
    BriContacts *c = step->ws->contacts;
    if (!bri_contacts_put_aside(step->model, c))
        return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for %d contacts", c->count);
    BrStatus status = bri_contacts_find(step, bodies, ahead, step->error);
    if (status < 0 || bri_contacts_carry_sums(step->model, c)) return status;
    return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for contacts that have let go");
}

BrStatus bri_contacts_find_again(BriStep *step, const BriBodyState *bodies, double ahead) {
    BriContacts *c = step->ws->contacts;
    BrStatus status = bri_contacts_renew(step, bodies, ahead);
    for (int k = 0, i = 0; status == BR_OK && k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        uint64_t key = bri_contact_key(contact);
        while (i < c->old_count && bri_contact_key(&c->old[i]) < key) i++;
        bri_contact_set_slip(contact, bri_contact_velocity(contact, bodies));
        contact->mode.closed = !contact->mode.parts && contact->at.touch.gap <= contact->at.nothing;
        contact->mode.slid = contact->mode.sliding;
        if (i == c->old_count || bri_contact_key(&c->old[i]) != key) continue;
        contact->sum.stored = c->old[i].sum.stored;
        contact->was.sliding = c->old[i].was.sliding;
        if (c->old[i].ask.active) contact->mode.slid = bri_slips(&c->old[i]);
        contact->mode.closed = contact->mode.closed || (c->old[i].mode.closed && c->old[i].got.p[0] > 0);
    }
    return status;
}

/* Where it was found: written down then, or looked for there once more. */
static BriHold recall_hold(const BriStep *step, const BriContact *contact) {
    const BriContacts *c = step->ws->contacts;
    if (!c->found_at) return c->hold[contact->at.hold];
    const int shape[2] = {contact->at.shape_a, contact->at.shape_b};
    BriFrame frame[2];
    BriTouch touch[BRI_PATCH];
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &c->found_at[c->fact[shape[e]].body];
        frame[e] = c->frame[shape[e]];
        if (!c->fact[shape[e]].still) bri_place_shape(&step->model->shape[shape[e]], b->r, &b->A, &frame[e]);
    }
    int points = bri_collide(&c->fact[shape[0]].shape, &frame[0], &c->fact[shape[1]].shape, &frame[1],
                             c->reach[shape[0]] + c->reach[shape[1]], touch);
    int found = 0;
    while (found + 1 < points && touch[found].feature != contact->at.feature) found++;
    return make_hold(contact, &touch[found], c->found_at);
}

/* A feature that is not found at the new pose stays where it was on both bodies. */
static BriTouch carry_along(const BriStep *step, const BriContact *c, const BriBodyState *bodies) {
    const BriHold own = recall_hold(step, c), *hold = &own;
    const BriBodyState *a = &bodies[c->at.a], *b = &bodies[c->at.b];
    BriTouch t = bri_contact_touch(c);
    t.point_a = c->at.still_a ? hold->a : bri_add(a->r, bri_mul(&a->A, hold->a));
    t.point_b = bri_add(b->r, bri_mul(&b->A, hold->b));
    t.normal = c->at.still_a ? hold->normal : bri_mul(&a->A, hold->normal);
    t.gap = bri_dot(t.normal, bri_sub(t.point_b, t.point_a));
    return t;
}

/* Does nothing hold it, and overlaps it? Its place may lie beyond the edge of a body, with nothing under it. In a step of
 * timestepping little of that is made, unless bodies fly or turn far. */
static bool is_doubtful(const BriStep *step, const BriContact *c, double gap) {
    switch (step->def->formulation) {
    case BR_FORMULATION_EVENT: return gap < 0 && !c->mode.closed;
    case BR_FORMULATION_COMPLIANT: return gap < 0 && !c->soft->live;
    default: return c->ask.left_out && gap < -BRI_THROUGH * bri_contact_extent(step->model, c);
    }
}

/* The deepest gap of two shapes where they stand, at most 0. */
static double find_deepest(const BriContacts *c, int a, int b) {
    BriTouch touch[BRI_PATCH];
    double deepest = 0;
    int points = bri_collide(&c->fact[a].shape, &c->frame[a], &c->fact[b].shape, &c->frame[b], 0, touch);
    for (int i = 0; i < points; i++) deepest = bri_min(deepest, touch[i].gap);
    return deepest;
}

/* The contacts of a pair from number k on: those that cannot follow their features are searched for. Returns the number
 * after them. `frame`: made last. */
static int move_pair(const BriStep *step, const BriBodyState *bodies, int k, BrMat3 *frame, double *spent) {
    enum { FOLLOWING = 100, NOT_SEARCHED = -1 }; /* operations for one place */
    const BrModel *m = step->model;
    BriContacts *c = step->ws->contacts;
    BriTouch touch[BRI_PATCH];
    int a = c->contact[k].at.shape_a, b = c->contact[k].at.shape_b, points = NOT_SEARCHED;
    const BriShape *of_a = &c->fact[a].shape, *of_b = &c->fact[b].shape;
    for (; k < c->count && c->contact[k].at.shape_a == a && c->contact[k].at.shape_b == b; k++) {
        BriContact *contact = &c->contact[k];
        uint32_t feature = contact->at.feature;
        BriTouch now = bri_contact_touch(contact);
        bool follows = bri_touch_follow(of_a, &c->frame[a], of_b, &c->frame[b], &now);
        if (follows) *spent += FOLLOWING;
        if (!follows && points == NOT_SEARCHED) {
            *spent += bri_collide_work(of_a, of_b);
            points = bri_collide(of_a, &c->frame[a], of_b, &c->frame[b], 4 * (c->reach[a] + c->reach[b]), touch);
        }
        int found = 0;
        while (!follows && found < points && touch[found].feature != feature) found++;
        const BriTouch *moved = !follows && found < points ? &touch[found] : &now;
        if (!follows && moved == &now) now = carry_along(step, contact, bodies);
        set_touch(contact, moved);
        if (is_doubtful(step, contact, moved->gap)) {
            contact->at.touch.gap = bri_max(moved->gap, find_deepest(c, a, b));
            *spent += bri_collide_work(of_a, of_b);
        }
        if (!has_normal(&contact->at.frame, moved->normal)) contact->at.frame = find_frame(moved->normal, frame);
        if (contact->at.runs) contact->at.belt = find_belt(m, contact, bodies);
    }
    return k;
}

static bool are_of_one_pair(const BriContact *a, const BriContact *b) {
    return a->at.shape_a == b->at.shape_a && a->at.shape_b == b->at.shape_b;
}

/* Pairs whose first contact is in the share. */
static void move_share(void *loop, const BriShare *share) {
    Loop *l = loop;
    const BriContact *contact = l->step->ws->contacts->contact;
    BrMat3 frame = {0};
    int k = share->begin;
    while (k > 0 && k < share->end && are_of_one_pair(&contact[k - 1], &contact[k])) k++;
    while (k < share->end) k = move_pair(l->step, l->bodies, k, &frame, &l->spent[share->lane]);
}

void bri_contacts_move(BriStep *step, const BriBodyState *bodies) {
    Loop loop;
    start_loop(step, bodies, &loop);
    bri_shapes_move(step, bodies);
    bri_share(step->def->threads, step->ws->contacts->count, move_share, &loop);
    pay(&loop);
}

double bri_contacts_move_some(BriStep *step, const BriBodyState *bodies, int begin, int end) {
    Loop loop;
    start_loop(step, bodies, &loop);
    move_share(&loop, &(BriShare){.begin = begin, .end = end});
    return loop.spent[0];
}

/* Is contact number k one of this pair, that takes part? */
static bool is_asked(const BriContacts *c, int k, int a, int b) {
    return k < c->count && c->contact[k].at.shape_a == a && c->contact[k].at.shape_b == b && c->contact[k].ask.active;
}

double bri_contacts_deepest_new(BriStep *step) {
    BriContacts *c = step->ws->contacts;
    BriTouch touch[BRI_PATCH];
    double deepest = 0;
    for (int k = 0, at = 0; k < c->pairs; k++) {
        BriPair roles = choose_roles(c, c->pair[k]);
        int a = roles.a, b = roles.b;
        if (bri_is_put_aside(step, c->fact[b].body)) continue;
        const BriShape *of_a = &c->fact[a].shape, *of_b = &c->fact[b].shape;
        uint64_t first = bri_make_key(a, b, 0);
        while (at < c->count && bri_contact_key(&c->contact[at]) < first) at++;
        if (bri_pair_has_one_place(of_a, of_b) && is_asked(c, at, a, b)) continue;
        bri_spend(step->budget, bri_collide_work(of_a, of_b));
        int points = bri_collide(of_a, &c->frame[a], of_b, &c->frame[b], 0, touch);
        for (int i = 0; i < points; i++) {
            uint64_t key = bri_make_key(a, b, touch[i].feature);
            while (at < c->count && bri_contact_key(&c->contact[at]) < key) at++;
            bool known = at < c->count && bri_contact_key(&c->contact[at]) == key && c->contact[at].ask.active;
            if (known) continue;
            deepest = bri_min(deepest, touch[i].gap);
            if (touch[i].gap < -BRI_CLOSED) bri_group_note(c, c->fact[b].body, BRI_GROUP_TOUCHES);
        }
    }
    return deepest;
}
