/* halving.c: see halving.h. */
#include "math/halving.h"

#include "math/vec.h"

/* Moves the points so that none before `middle` lies beyond one from there on [Hoare, Find, 1961]. Pivots are drawn,
 * as scenes are full of patterns. */
static void halve(BriPoint *point, int begin, int middle, int end, int axis) {
    uint32_t draw = 1;
    while (end - begin > 1) {
        draw = 1664525u * draw + 1013904223u; /* [Numerical Recipes, ranqd1] */
        double pivot = point[begin + (int)((draw >> 8) % (uint32_t)(end - begin))].at[axis];
        int i = begin, j = end - 1;
        while (i <= j) {
            while (point[i].at[axis] < pivot) i++;
            while (point[j].at[axis] > pivot) j--;
            if (i > j) break;
            BriPoint other = point[i];
            point[i++] = point[j];
            point[j--] = other;
        }
        if (middle <= j)
            end = j + 1;
        else if (middle > i)
            begin = i;
        else
            return;
    }
}

static int find_longest_side(const BriPoint *point, int begin, int end) {
    int longest = 0;
    double length = -1;
    for (int axis = 0; axis < 3; axis++) {
        double low = point[begin].at[axis], high = low;
        for (int i = begin + 1; i < end; i++) {
            low = bri_min(low, point[i].at[axis]);
            high = bri_max(high, point[i].at[axis]);
        }
        if (high - low > length) length = high - low, longest = axis;
    }
    return longest;
}

void bri_halve_points(BriPoint *point, int count, int levels) {
    for (int level = 0; level < levels; level++)
        for (int k = 0; k < 1 << level; k++) {
            int first = k << (levels - level), last = (k + 1) << (levels - level);
            int begin = bri_first_point(count, levels, first), end = bri_first_point(count, levels, last);
            int middle = bri_first_point(count, levels, (first + last) / 2);
            if (begin < end) halve(point, begin, middle, end, find_longest_side(point, begin, end));
        }
}
