/* prepare_contact.c: what building a model makes of shapes, materials and joint bounds. */
#include "geom/wall.h"
#include "model/model.h"

static uint64_t key_of(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

bool bri_shapes_may_touch(const BrModel *m, int shape_a, int shape_b) {
    int a = m->shape[shape_a].body, b = m->shape[shape_b].body, low = 0, high = m->apart_count;
    if (a == b || (m->body[a].node < 0 && m->body[b].node < 0)) return false;
    for (uint64_t key = key_of(a, b); low < high;) {
        int middle = low + (high - low) / 2;
        if (m->apart[middle] == key) return false;
        if (m->apart[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return true;
}

/* What the filters say about two bodies: -1 nothing, 0 never, 1 although joined. */
static int ask_filters(const BrModel *m, uint64_t key) {
    for (int i = m->filters - 1; i >= 0; i--) /* the last word counts */
        if (key_of(m->filter[i].a, m->filter[i].b) == key) return m->filter[i].touch;
    return -1;
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The pairs of bodies that never touch: joined ones and filtered ones, sorted. */
static BrStatus find_bodies_apart(BrModel *m, BrError *error) {
    bri_release(&m->allocator, m->apart);
    m->apart = bri_allocate(&m->allocator, (size_t)m->joints + (size_t)m->filters, sizeof *m->apart);
    if (!m->apart) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    int count = 0;
    for (int k = 0; k < bri_own_joints(m); k++)
        if (m->joint[k].def.type != BR_JOINT_CONTACT && ask_filters(m, key_of(m->joint[k].a, m->joint[k].b)) != 1)
            m->apart[count++] = key_of(m->joint[k].a, m->joint[k].b);
    for (int i = 0; i < m->filters; i++)
        if (ask_filters(m, key_of(m->filter[i].a, m->filter[i].b)) == 0)
            m->apart[count++] = key_of(m->filter[i].a, m->filter[i].b);
    bri_sort(m->apart, (size_t)count, sizeof *m->apart, compare_keys);
    m->apart_count = count;
    return BR_OK;
}

/* Every two materials that may meet need a surface, every two shapes a way to be tested. */
static BrStatus check_pair(BrModel *m, int i, int k, BrError *error) {
    const BriModelShape *a = &m->shape[i], *b = &m->shape[k];
    const BrShapeInfo *first_kind = br_shape_info(a->shape.kind), *second_kind = br_shape_info(b->shape.kind);
    const char *why;
    if (!br_shapes_collide(a->shape.kind, b->shape.kind, &why))
        return bri_fail(error, BR_UNSUPPORTED,
                        "%s %s of body '%s' may meet %s %s of body '%s': %s; take one away or add the filter {never: "
                        "[%s, %s]}",
                        bri_shape_article(first_kind), first_kind->name, m->body_def[a->body].name,
                        bri_shape_article(second_kind), second_kind->name, m->body_def[b->body].name, why,
                        m->body_def[a->body].name, m->body_def[b->body].name);
    if (!bri_find_surface(m, a->material, b->material)) {
        const char *first = m->material[a->material].def.name, *second = m->material[b->material].def.name;
        return bri_fail(error, BR_INVALID_MODEL,
                        "bodies '%s' and '%s' may meet, but nothing is said about their materials; add to pairs: "
                        "{between: [%s, %s], friction: {law: coulomb, mu: 0.3}}",
                        m->body_def[a->body].name, m->body_def[b->body].name, first, second);
    }
    BriSurface *surface = &m->surface[bri_find_surface(m, a->material, b->material) - m->surface];
    surface->round = (surface->round || !surface->used) && bri_shapes_radius(&a->shape, &b->shape) > 0;
    surface->used = true;
    m->turns = m->turns || surface->mu_r > 0 || surface->mu_spin > 0;
    return BR_OK;
}

static BrStatus find_joint_bounds(BrModel *m, BrError *error) {
    int count = 0;
    bri_release(&m->allocator, m->bound);
    m->bound = bri_allocate(&m->allocator, 12 * (size_t)m->joints + (size_t)m->motors, sizeof *m->bound);
    if (!m->bound) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int k = 0; k < m->joints; k++) {
        const BrJointDef *def = &m->joint[k].def;
        for (int c = 0; c < m->joint[k].type->info.coordinates; c++) {
            if (bri_is_finite(def->lower[c]))
                m->bound[count++] = (BriJointBound){.joint = k, .coordinate = c, .kind = BRI_BOUND_LOWER};
            if (bri_is_finite(def->upper[c]))
                m->bound[count++] = (BriJointBound){.joint = k, .coordinate = c, .kind = BRI_BOUND_UPPER};
            if (def->dry_friction[c] > 0)
                m->bound[count++] = (BriJointBound){.joint = k, .coordinate = c, .kind = BRI_BOUND_FRICTION};
        }
    }
    m->grip_bounds = -count;
    for (int g = 0; g < m->grips; g++)
        for (int r = 0; r < m->grip[g].rows; r++)
            m->bound[count++] = (BriJointBound){m->grip[g].joint, m->grip[g].coordinate[r], BRI_BOUND_GRIP, -1, g, r};
    m->grip_bounds += count;
    m->bounds = count;
    m->motor_bounds = 0;
    return BR_OK;
}

/* Where something touches, motors push and stop at their bounds like friction does, in the same problem. */
static void add_motor_bounds(BrModel *m) {
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            const BriDrive *drive = &m->joint[k].drive[d];
            if (drive->motor < 0) continue;
            m->bound[m->bounds++] =
                (BriJointBound){.joint = k, .coordinate = drive->coordinate, .kind = BRI_BOUND_MOTOR, .drive = d};
            m->motor_bounds++;
        }
}

/* All pairs. */
static BrStatus check_all_pairs(BrModel *m, long *pairs, BrError *error) {
    BrStatus status = BR_OK;
    for (int i = 0; status == BR_OK && i < m->shapes; i++)
        for (int k = i + 1; status == BR_OK && k < m->shapes; k++)
            if (bri_shapes_may_touch(m, i, k)) {
                status = check_pair(m, i, k, error);
                ++*pairs;
            }
    return status;
}

/* Kind, material and mobility in the upper half, the shape's number in the lower. */
static uint64_t make_class_key(const BrModel *m, int shape) {
    const BriModelShape *s = &m->shape[shape];
    int class = (s->material * BR_SHAPE_KINDS + (int)s->shape.kind) * 2 + (m->body[s->body].node < 0);
    return (uint64_t) class << 32 | (uint64_t)shape;
}

static int end_class(const uint64_t *key, int begin, int count) {
    int end = begin;
    while (end < count && key[end] >> 32 == key[begin] >> 32) end++;
    return end;
}

/* Of two classes (or one) two shapes that may touch, if there are any, stand for all others. Nothing is lost by looking
 * at one pair after the other: those that may not touch are few, or still. */
static BrStatus check_classes(BrModel *m, const uint64_t *key, const int a[2], const int b[2], BrError *error) {
    if (m->body[m->shape[(uint32_t)key[a[0]]].body].node < 0 && m->body[m->shape[(uint32_t)key[b[0]]].body].node < 0)
        return BR_OK;
    for (int i = a[0]; i < a[1]; i++)
        for (int k = a[0] == b[0] ? i + 1 : b[0]; k < b[1]; k++)
            if (bri_shapes_may_touch(m, (int)(uint32_t)key[i], (int)(uint32_t)key[k]))
                return check_pair(m, (int)(uint32_t)key[i], (int)(uint32_t)key[k], error);
    return BR_OK;
}

/* Very many shapes, by classes. */
static BrStatus check_by_class(BrModel *m, long *pairs, BrError *error) {
    uint64_t *key = bri_allocate(&m->allocator, (size_t)m->shapes, sizeof *key);
    BrStatus status = BR_OK;
    if (!key) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    for (int i = 0; i < m->shapes; i++) key[i] = make_class_key(m, i);
    bri_sort(key, (size_t)m->shapes, sizeof *key, compare_keys);
    for (int a = 0, a_end = 0; status == BR_OK && a < m->shapes; a = a_end) {
        a_end = end_class(key, a, m->shapes);
        for (int b = a, b_end = 0; status == BR_OK && b < m->shapes; b = b_end) {
            b_end = end_class(key, b, m->shapes);
            status = check_classes(m, key, (int[]){a, a_end}, (int[]){b, b_end}, error);
        }
    }
    bri_release(&m->allocator, key);
    *pairs = (long)m->shapes * m->shapes / 2;
    return status;
}

/* Contacts that shapes are likely to have in a dense heap, each counted with one of its two. Twelve equal balls touch
 * one, which is six each, and some more come within reach; boxes have fewer neighbours, and four points for each. */
static long count_likely_contacts(const BrModel *m) {
    enum { PER_ROUND = 8, PER_SHAPE = 12 };
    long count = 0;
    for (int i = 0; i < m->shapes; i++) count += bri_is_round(m->shape[i].shape.kind) ? PER_ROUND : PER_SHAPE;
    return count;
}

static bool have_lasting(const BrModel *m, int i, int k) {
    for (int n = 0; n < m->lastings; n++) {
        const BriLasting *l = &m->lasting[n];
        if ((l->shape[0] == &m->shape[i] && l->shape[1] == &m->shape[k]) ||
            (l->shape[0] == &m->shape[k] && l->shape[1] == &m->shape[i]))
            return true;
    }
    return false;
}

/* Pairs that a model with lasting contacts has besides. */
static BrStatus find_strangers(BrModel *m, BrError *error) {
    bri_release(&m->allocator, m->stranger);
    m->stranger = NULL;
    m->strangers = 0;
    for (int round = 0; round < 2 && m->lastings; round++) { /* counted, then noted */
        int count = 0;
        for (int i = 0; i < m->shapes; i++)
            for (int k = i + 1; k < m->shapes; k++) {
                if (!bri_shapes_may_touch(m, i, k) || have_lasting(m, i, k)) continue;
                if (round) m->stranger[count][0] = i, m->stranger[count][1] = k;
                count++;
            }
        m->strangers = count;
        if (round == 0) m->stranger = bri_allocate(&m->allocator, (size_t)count, sizeof *m->stranger);
        if (!m->stranger) return bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
    }
    return BR_OK;
}

BrStatus bri_model_prepare_contact(BrModel *m, BrError *error) {
    enum {
        POINTS = 4,  /* contacts of a pair, BRI_PATCH */
        ALWAYS = 64, /* contacts that there is room for, and some for each shape */
        NEAR = 4,    /* pairs that may meet, for each contact: most do not, and a pair is 8 bytes */
        MANY = 3000  /* shapes beyond which pairs are checked by class, not one by one */
    };
    long pairs = 0, most = ALWAYS + count_likely_contacts(m);
    BrStatus status = find_joint_bounds(m, error);
    if (status == BR_OK) status = find_bodies_apart(m, error);
    if (status == BR_OK) status = (m->shapes > MANY ? check_by_class : check_all_pairs)(m, &pairs, error);
    if (status == BR_OK) status = find_strangers(m, error);
    if (status != BR_OK) return status;
    if (m->contact_capacity == 0) m->contact_capacity = (int)(POINTS * pairs < most ? POINTS * pairs : most);
    if (pairs == 0) m->contact_capacity = 0;
    long room = NEAR * (most > m->contact_capacity ? most : m->contact_capacity);
    m->pair_capacity = (int)(pairs < room ? pairs : room);
    m->meets = pairs > 0;
    m->touches = m->meets || m->bounds > 0;
    if (m->touches) add_motor_bounds(m);
    return BR_OK;
}
