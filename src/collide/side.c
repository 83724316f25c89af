/* side.c: see side.h. */
#include "collide/side.h"

/* Edges of a box: four along x, then y, then z. */
static uint32_t number_edge(uint32_t v, uint32_t w) {
    uint32_t along = v ^ w, low = v & w;
    if (along == 1) return low >> 1;
    if (along == 2) return 4 + (low & 1) + (low >> 2) * 2;
    return 8 + (low & 3);
}

static void make_box(BriSide *side, const BriShape *box, const BriFrame *frame, BrVec3 n) {
    BrVec3 m = bri_mul_t(&frame->axes, n);
    double x = bri_abs(m.x), y = bri_abs(m.y), z = bri_abs(m.z);
    unsigned k = x >= y && x >= z ? 0 : y >= z ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
    bool positive = (k == 0 ? m.x : k == 1 ? m.y : m.z) >= 0;
    uint32_t base = positive ? 1U << k : 0;
    const uint32_t ring[4] = {base, base | 1U << i, base | 1U << i | 1U << j, base | 1U << j};
    side->count = side->edges = 4;
    for (int v = 0; v < 4; v++) {
        side->id[v] = ring[v];
        side->point[v] = bri_box_vertex(box, frame, ring[v]);
        side->edge[v] = number_edge(ring[v], ring[(v + 1) % 4]);
    }
    side->flat = true;
    side->normal = bri_column(&frame->axes, (int)k);
    if (!positive) side->normal = bri_neg(side->normal);
    side->face = 2 * k + positive;
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
    side->id[0] = low;
    side->id[1] = high;
    side->point[0] = bri_axis_point(frame, -shape->half_length);
    side->point[1] = bri_axis_point(frame, shape->half_length);
    side->swell = shape->radius;
}

BriSide bri_side_make(const BriShape *shape, const BriFrame *frame, BrVec3 n) {
    BriSide side = {.count = 1, .axis = bri_column(&frame->axes, 2)};
    double cosine = bri_dot(n, side.axis), l = shape->half_length;
    bool faces = bri_norm(bri_add_scaled(n, -cosine, side.axis)) < BRI_FLAT, top = cosine >= 0;
    switch (shape->kind) {
    case BR_SHAPE_BOX: make_box(&side, shape, frame, n); break;
    case BR_SHAPE_CAPSULE:
        make_edge(&side, shape, frame, 0, 1);
        side.swells_round = true;
        break;
    case BR_SHAPE_CYLINDER:
        if (faces)
            make_end(&side, shape, frame, top ? l : -l, top, top);
        else
            make_edge(&side, shape, frame, BRI_RIM_LOW, BRI_RIM_HIGH);
        break;
    case BR_SHAPE_DISC:
        if (faces) make_end(&side, shape, frame, 0, top, false);
        break;
    default: break;
    }
    return side;
}

BrVec3 bri_side_swell(const BriSide *side, BrVec3 n) {
    if (side->swell == 0) return bri_vec(0, 0, 0);
    if (side->swells_round) return bri_scale(side->swell, n);
    BrVec3 across = bri_add_scaled(n, -bri_dot(n, side->axis), side->axis);
    double length = bri_norm(across);
    return length > 0 ? bri_scale(side->swell / length, across) : bri_vec(0, 0, 0);
}

bool bri_side_holds(const BriSide *side, BrVec3 p, double margin) {
    if (side->round) {
        BrVec3 q = bri_sub(p, side->centre);
        return bri_norm(bri_add_scaled(q, -bri_dot(q, side->normal), side->normal)) <= side->radius + margin;
    }
    BrVec3 middle = bri_scale(0.5, bri_add(side->point[0], side->point[2]));
    for (int i = 0; i < 4; i++) {
        BrVec3 e = bri_sub(side->point[(i + 1) % 4], side->point[i]), outward = bri_cross(e, side->normal);
        double length = bri_norm(outward), sign = bri_dot(outward, bri_sub(side->point[i], middle)) >= 0 ? 1 : -1;
        if (sign * bri_dot(outward, bri_sub(p, side->point[i])) > margin * length) return false;
    }
    return true;
}
