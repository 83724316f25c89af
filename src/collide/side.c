/* side.c: see side.h. */
#include "collide/side.h"

/* Edges of a box: four along x, then y, then z. */
static uint32_t number_edge(uint32_t v, uint32_t w) {
    uint32_t along = v ^ w, low = v & w;
    if (along == 1) return low >> 1;
    if (along == 2) return 4 + (low & 1) + (low >> 2) * 2;
    return 8 + (low & 3);
}

static void set_edge(BriSide *side, int i, BrVec3 axis, double sign, double half) {
    side->length[i] = 2 * half;
    side->along[i] = half > 0 ? bri_scale(sign, axis) : bri_vec(0, 0, 0);
}

static void make_box(BriSide *side, const BriShape *box, const BriFrame *frame, BrVec3 n) {
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    BrVec3 m = bri_mul_t(&frame->axes, n);
    double x = bri_abs(m.x), y = bri_abs(m.y), z = bri_abs(m.z);
    unsigned k = x >= y && x >= z ? 0 : y >= z ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
    bool positive = (k == 0 ? m.x : k == 1 ? m.y : m.z) >= 0;
    uint32_t base = positive ? 1U << k : 0;
    const uint32_t ring[4] = {base, base | 1U << i, base | 1U << i | 1U << j, base | 1U << j};
    side->count = side->edges = 4;
    /* as bri_box_vertex() has them, to the bit: signs change no product */
    BrVec3 X = bri_scale(half[0], bri_column(&frame->axes, 0)), Y = bri_scale(half[1], bri_column(&frame->axes, 1)),
           Z = bri_scale(half[2], bri_column(&frame->axes, 2));
    for (int v = 0; v < 4; v++) {
        uint32_t at = side->id[v] = ring[v];
        BrVec3 across = bri_add(at & 1 ? X : bri_neg(X), at & 2 ? Y : bri_neg(Y));
        side->point[v] = bri_add(frame->position, bri_add(across, at & 4 ? Z : bri_neg(Z)));
        side->edge[v] = number_edge(ring[v], ring[(v + 1) % 4]);
        set_edge(side, v, bri_column(&frame->axes, (int)(v % 2 ? j : i)), v < 2 ? 1 : -1, half[v % 2 ? j : i]);
    }
    side->flat = true;
    side->normal = bri_column(&frame->axes, (int)k);
    if (!positive) side->normal = bri_neg(side->normal);
    side->face = 2 * k + positive;
    side->centre = bri_add_scaled(frame->position, half[k], side->normal);
}

static void make_end(BriSide *side, const BriShape *shape, const BriFrame *frame, double z, bool top, bool id_top) {
    side->count = 4;
    for (uint32_t q = 0; q < 4; q++) {
        side->id[q] = q + (id_top ? BRI_RIM_TOP : 0);
        side->point[q] = bri_rim_point(shape, frame, z, q);
    }
    side->flat = side->round = true;
    side->normal = top ? side->axis : bri_neg(side->axis);
    side->face = top;
    side->centre = bri_axis_point(frame, z);
    side->radius = shape->radius;
}

static void make_edge(BriSide *side, const BriShape *shape, const BriFrame *frame, uint32_t low, uint32_t high) {
    side->count = 2;
    side->edges = 1;
    side->edge[0] = 0;
    side->id[0] = low;
    side->id[1] = high;
    side->point[0] = bri_axis_point(frame, -shape->half_length);
    side->point[1] = bri_axis_point(frame, shape->half_length);
    side->swell = shape->radius;
    set_edge(side, 0, side->axis, 1, shape->half_length);
}

/* Does the end of a cylinder or disc look along n? */
static bool has_end(const BriSide *side, BrVec3 n, double cosine) {
    return bri_norm(bri_add_scaled(n, -cosine, side->axis)) < BRI_FLAT;
}

void bri_side_make(const BriShape *shape, const BriFrame *frame, BrVec3 n, BriSide *side) {
    side->axis = bri_column(&frame->axes, 2);
    side->count = 1;
    side->edges = 0;
    side->flat = side->round = side->swells_round = false;
    side->swell = 0;
    double cosine = bri_dot(n, side->axis), l = shape->half_length;
    bool top = cosine >= 0;
    switch (shape->kind) {
    case BR_SHAPE_BOX: make_box(side, shape, frame, n); break;
    case BR_SHAPE_CAPSULE:
        make_edge(side, shape, frame, 0, 1);
        side->swells_round = true;
        break;
    case BR_SHAPE_CYLINDER:
        if (has_end(side, n, cosine))
            make_end(side, shape, frame, top ? l : -l, top, top);
        else
            make_edge(side, shape, frame, BRI_RIM_LOW, BRI_RIM_HIGH);
        break;
    case BR_SHAPE_DISC:
        if (has_end(side, n, cosine)) make_end(side, shape, frame, 0, top, false);
        break;
    default: break;
    }
}

BrVec3 bri_side_swell_across(const BriSide *side, BrVec3 n) {
    BrVec3 across = bri_add_scaled(n, -bri_dot(n, side->axis), side->axis);
    double length = bri_norm(across);
    return length > 0 ? bri_scale(side->swell / length, across) : bri_vec(0, 0, 0);
}
