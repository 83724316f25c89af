/* patch.c: see patch.h. */
#include "collide/patch.h"

static bool is_near(BrVec3 p, BrVec3 q, double distance) {
    BrVec3 r = bri_sub(p, q);
    return bri_dot(r, r) < distance * distance;
}

bool bri_patch_has(const BriPatch *patch, BrVec3 p, double distance) {
    for (int i = 0; i < patch->count; i++)
        if (is_near(patch->touch[i].point_b, p, distance)) return true;
    return false;
}

static void sort_by_feature(BriTouch *touch, int count) {
    for (int i = 1; i < count; i++) {
        BriTouch moved = touch[i];
        int j = i;
        for (; j > 0 && touch[j - 1].feature > moved.feature; j--) touch[j] = touch[j - 1];
        touch[j] = moved;
    }
}

/* One place for each feature, the deepest: degenerate shapes may find the same twice. */
static int drop_repeated(BriTouch *touch, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool repeated = kept > 0 && touch[kept - 1].feature == touch[i].feature;
        if (!repeated)
            touch[kept++] = touch[i];
        else if (touch[i].gap < touch[kept - 1].gap)
            touch[kept - 1] = touch[i];
    }
    return kept;
}

/* What candidate p adds to the chosen ones: m, m^2. */
static double measure_gain(const BriTouch *chosen, int count, const BriTouch *p) {
    BrVec3 a = chosen[0].point_b, q = bri_sub(p->point_b, a);
    if (count == 1) return bri_norm(q);
    BrVec3 b = bri_sub(chosen[1].point_b, a), normal = chosen[0].normal;
    double side = bri_dot(normal, bri_cross(b, q));
    if (count == 2) return bri_abs(side);
    /* area outside the triangle a, b, c: the largest beyond one of its edges */
    BrVec3 c = bri_sub(chosen[2].point_b, a);
    double turn = bri_dot(normal, bri_cross(b, c)) >= 0 ? 1 : -1;
    double beyond_bc = bri_dot(normal, bri_cross(bri_sub(c, b), bri_sub(q, b)));
    double beyond_ca = bri_dot(normal, bri_cross(bri_neg(c), bri_sub(q, c)));
    return -bri_min(turn * side, bri_min(turn * beyond_bc, turn * beyond_ca));
}

/* Relative, so that symmetric patches are chosen alike whatever rounding says: a gain that is more, gaps that are the
 * same, and gaps that compete (both of the patch's width). */
static const double BETTER = 1e-3, EQUAL = 1e-6, NEAR = 1e-3;

/* Moves the best of the rest to place `chosen`. */
static void choose_next(BriTouch *touch, int count, int chosen) {
    int best = chosen;
    double most = measure_gain(touch, chosen, &touch[chosen]);
    for (int i = chosen + 1; i < count; i++) {
        double gain = measure_gain(touch, chosen, &touch[i]);
        if (!(gain > most + BETTER * bri_abs(most))) continue;
        best = i;
        most = gain;
    }
    BriTouch taken = touch[best];
    for (int i = best; i > chosen; i--) touch[i] = touch[i - 1]; /* the rest stays in order */
    touch[chosen] = taken;
}

/* Gaps that differ by less than a part in a million of the patch's width are equal. */
static void choose_deepest(BriTouch *touch, int count) {
    double width = 0;
    for (int i = 1; i < count; i++) width = bri_max(width, bri_norm(bri_sub(touch[i].point_b, touch[0].point_b)));
    int best = 0;
    for (int i = 1; i < count; i++)
        if (touch[i].gap < touch[best].gap - EQUAL * width) best = i;
    BriTouch taken = touch[best];
    for (int i = best; i > 0; i--) touch[i] = touch[i - 1];
    touch[0] = taken;
}

/* Places that lie farther away than the four nearest do not compete with them: of a thin box that flies at a plane the
 * lower face touches, although its upper corners span more. Gaps within a thousandth of the patch's width are equal. */
static int drop_far(BriTouch *touch, int count) {
    double nearest[BRI_PATCH], width = 0;
    for (int i = 0; i < BRI_PATCH; i++) nearest[i] = __builtin_inf();
    for (int i = 0; i < count; i++) {
        width = bri_max(width, bri_norm(bri_sub(touch[i].point_b, touch[0].point_b)));
        double gap = touch[i].gap;
        for (int k = 0; k < BRI_PATCH; k++)
            if (gap < nearest[k]) {
                double other = nearest[k];
                nearest[k] = gap;
                gap = other;
            }
    }
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (touch[i].gap <= nearest[BRI_PATCH - 1] + NEAR * width) touch[kept++] = touch[i];
    return kept;
}

int bri_patch_choose(BriPatch *patch, BriTouch touch[BRI_PATCH]) {
    BriTouch *all = patch->touch;
    if (patch->count == 1) {
        touch[0] = all[0];
        return 1;
    }
    sort_by_feature(all, patch->count);
    patch->count = drop_repeated(all, patch->count);
    if (patch->count > BRI_PATCH) patch->count = drop_far(all, patch->count);
    int count = patch->count < BRI_PATCH ? patch->count : BRI_PATCH;
    if (patch->count > BRI_PATCH) {
        choose_deepest(all, patch->count);
        for (int k = 1; k < BRI_PATCH; k++) choose_next(all, patch->count, k);
    }
    for (int i = 0; i < count; i++) touch[i] = all[i];
    sort_by_feature(touch, count);
    return count;
}

BrVec3 bri_axis_point(const BriFrame *frame, double z) {
    return bri_add_scaled(frame->position, z, bri_column(&frame->axes, 2));
}

BrVec3 bri_box_vertex(const BriShape *box, const BriFrame *frame, uint32_t vertex) {
    BrVec3 p = bri_vec(vertex & 1 ? box->half.x : -box->half.x, vertex & 2 ? box->half.y : -box->half.y,
                       vertex & 4 ? box->half.z : -box->half.z);
    return bri_add(frame->position, bri_mul(&frame->axes, p));
}

double bri_rim_lowest(const BriShape *round, const BriFrame *frame, BrVec3 n, double z, BrVec3 *lowest) {
    BrVec3 axis = bri_column(&frame->axes, 2), across = bri_add_scaled(n, -bri_dot(n, axis), axis);
    double tilt = bri_norm(across);
    *lowest = bri_add_scaled(bri_axis_point(frame, z), -round->radius / tilt, across);
    return tilt;
}

BrVec3 bri_rim_point(const BriShape *round, const BriFrame *frame, double z, uint32_t quarter) {
    double r = quarter & 2 ? -round->radius : round->radius;
    return bri_add_scaled(bri_axis_point(frame, z), r, bri_column(&frame->axes, quarter & 1 ? 1 : 0));
}
