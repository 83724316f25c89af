/* pair.c: what two bodies do to each other at all places where they touch: a wrench about the centre of pressure
 *     x = sum w p / sum w,    F = sum f,    T = sum (p - x) x f + m,    f = N n + friction, m: moments,
 * with w = N. As contacts are numbered, those of two bodies stand together in contacts->ends. */
#include "contact/contact.h"

typedef struct Sum {
    BrVec3 origin;              /* m: torques are summed about the first place */
    double weight[3], worst[2]; /* of N, of mean N, of places; slip that is fastest: of all, of those that push, m/s */
    BrVec3 point[3], normal[3];
    BrVec3 torque, torque_mean;
    BrVec3 slip[2];
    bool pushes;
} Sum;

static double divide(double a, double b) { return b > 0 ? a / b : 0; }

static void add_scaled(BrVec3 *sum, double factor, BrVec3 v) { *sum = bri_add_scaled(*sum, factor, v); }

static void add_forces(const BrContact *c, BrVec3 arm, Sum *sum, BrContactPair *pair) {
    BrVec3 n = bri_column(&c->frame, 0);
    BrVec3 force = bri_add_scaled(c->friction_force, c->normal_force, n);
    BrVec3 mean = bri_add_scaled(c->friction_force_mean, c->normal_force_mean, n);
    add_scaled(&pair->force, 1, force);
    add_scaled(&pair->force_mean, 1, mean);
    pair->normal_force += c->normal_force;
    pair->normal_force_mean += c->normal_force_mean;
    add_scaled(&pair->friction_force, 1, c->friction_force);
    add_scaled(&pair->friction_force_mean, 1, c->friction_force_mean);
    add_scaled(&pair->rolling_moment, 1, c->rolling_moment);
    add_scaled(&pair->rolling_moment_mean, 1, c->rolling_moment_mean);
    add_scaled(&pair->spinning_moment, 1, c->spinning_moment);
    add_scaled(&pair->spinning_moment_mean, 1, c->spinning_moment_mean);
    BrVec3 moment = bri_add(c->rolling_moment, c->spinning_moment);
    BrVec3 moment_mean = bri_add(c->rolling_moment_mean, c->spinning_moment_mean);
    sum->torque = bri_add(sum->torque, bri_add(moment, bri_cross(arm, force)));
    sum->torque_mean = bri_add(sum->torque_mean, bri_add(moment_mean, bri_cross(arm, mean)));
}

static void add_place(const BrContact *c, BrVec3 turn, Sum *sum, BrContactPair *pair) {
    bool pushes = c->mode != BR_CONTACT_OPEN;
    if (pair->places++ == 0) sum->origin = c->point, pair->gap = c->gap;
    BrVec3 arm = bri_sub(c->point, sum->origin), n = bri_column(&c->frame, 0);
    const double weight[3] = {c->normal_force, bri_max(0, c->normal_force_mean), 1};
    for (int i = 0; i < 3; i++) {
        sum->weight[i] += weight[i];
        add_scaled(&sum->point[i], weight[i], arm);
        add_scaled(&sum->normal[i], weight[i], n);
    }
    add_forces(c, arm, sum, pair);
    pair->gap = bri_min(pair->gap, c->gap);
    double slip = bri_norm(c->slip), bound = c->mu * c->normal_force;
    for (int i = 0; i <= (int)pushes; i++)
        if (slip >= sum->worst[i]) sum->worst[i] = slip, sum->slip[i] = c->slip;
    double mean_bound = c->mu * c->normal_force_mean;
    pair->ratio_mean = bri_max(pair->ratio_mean, divide(bri_norm(c->friction_force_mean), mean_bound));
    pair->power -= bri_dot(c->friction_force, c->slip) + bri_dot(bri_add(c->rolling_moment, c->spinning_moment), turn);
    if (!pushes) return;
    pair->ratio = bri_max(pair->ratio, divide(bri_norm(c->friction_force), bound));
    pair->margin = sum->pushes ? bri_min(pair->margin, c->margin) : c->margin;
    pair->mode = !sum->pushes || pair->mode == c->mode ? c->mode : BR_CONTACT_MIXED;
    sum->pushes = true;
}

static void finish(const Sum *sum, BrContactPair *pair) {
    int by = sum->weight[0] > 0 ? 0 : sum->weight[1] > 0 ? 1 : 2;
    BrVec3 arm = bri_scale(1 / sum->weight[by], sum->point[by]);
    double length = bri_norm(sum->normal[by]);
    pair->point = bri_add(sum->origin, arm);
    pair->normal = bri_scale(divide(1, length), sum->normal[by]);
    pair->slip = sum->slip[sum->pushes];
    pair->torque = bri_sub(sum->torque, bri_cross(arm, pair->force));
    pair->torque_mean = bri_sub(sum->torque_mean, bri_cross(arm, pair->force_mean));
}

static BrVec3 find_turn(const BrWorkspace *w, const BriContactEnds *ends) {
    const BriBodyState *bodies = bri_state_bodies(w->trial), *a = &bodies[ends->second], *b = &bodies[ends->first];
    return bri_sub(bri_mul(&b->A, b->w), bri_mul(&a->A, a->w));
}

static void read_pair(const BrModel *m, const BrWorkspace *w, int number, BrContactPair *pair) {
    const BriContacts *c = w->contacts;
    int begin = c->pair_begin[number], end = number + 1 < c->pairs_touch ? c->pair_begin[number + 1] : c->count;
    const BriContactEnds *ends = &c->ends[begin];
    BrVec3 turn = find_turn(w, ends);
    Sum sum = {.weight = {0}};
    *pair = (BrContactPair){.first = br_model_body(m, ends->first), .second = br_model_body(m, ends->second)};
    for (int i = begin; i < end; i++) {
        BrContact place;
        br_contact(m, w, c->ends[i].contact, &place);
        add_place(&place, turn, &sum, pair);
    }
    finish(&sum, pair);
}

static BrStatus check_reading(const BrModel *m, const BrWorkspace *w) {
    if (w->fingerprint != m->fingerprint) return BR_MISMATCH;
    return w->evaluated ? BR_OK : BR_WRONG_STAGE;
}

int br_contact_pair_count(const BrModel *m, const BrWorkspace *w) {
    return br_contact_count(m, w) > 0 ? w->contacts->pairs_touch : 0;
}

BrStatus br_contact_pair_at(const BrModel *m, const BrWorkspace *w, int number, BrContactPair *pair) {
    if (!m || !w || !pair) return BR_INVALID_ARGUMENT;
    BrStatus status = check_reading(m, w);
    if (status != BR_OK) return status;
    if (number < 0 || number >= br_contact_pair_count(m, w)) return BR_INVALID_ARGUMENT;
    read_pair(m, w, number, pair);
    return BR_OK;
}

/* The place of a pair among those that touch, -1: it does not. They stand in order of the second body, then the first. */
static int find_pair(const BriContacts *c, int first, int second) {
    int low = 0, high = c->pairs_touch;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const BriContactEnds *ends = &c->ends[c->pair_begin[middle]];
        if (ends->first == first && ends->second == second) return middle;
        bool before = ends->second < second || (ends->second == second && ends->first < first);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

static void turn_pair(BrContactPair *p) {
    BrVec3 *const vectors[] = {&p->normal,
                               &p->slip,
                               &p->force,
                               &p->torque,
                               &p->friction_force,
                               &p->rolling_moment,
                               &p->spinning_moment,
                               &p->force_mean,
                               &p->torque_mean,
                               &p->friction_force_mean,
                               &p->rolling_moment_mean,
                               &p->spinning_moment_mean};
    for (int i = 0; i < BRI_COUNT(vectors); i++) *vectors[i] = bri_scale(-1, *vectors[i]);
    BrBodyId first = p->first;
    p->first = p->second;
    p->second = first;
}

BrStatus br_contact_pair(const BrModel *m, const BrWorkspace *w, BrBodyId first, BrBodyId second, BrContactPair *pair) {
    if (!m || !w || !pair) return BR_INVALID_ARGUMENT;
    int a = bri_body_number(m, first), b = bri_body_number(m, second);
    if (a < 0 || b < 0 || a == b) return BR_INVALID_ID;
    BrStatus status = check_reading(m, w);
    if (status != BR_OK) return status;
    *pair = (BrContactPair){.first = first, .second = second};
    if (br_contact_count(m, w) == 0) return BR_OK;
    int number = find_pair(w->contacts, a, b);
    bool turned = number < 0;
    if (turned) number = find_pair(w->contacts, b, a);
    if (number < 0) return BR_OK;
    read_pair(m, w, number, pair);
    if (turned) turn_pair(pair);
    return BR_OK;
}
