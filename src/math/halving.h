/* halving.h: points in space, halved across their longest side, the halves again and so on, so that those of one part
 * are near each other. */
#ifndef BRI_HALVING_H
#define BRI_HALVING_H

#include <stdint.h>

typedef struct BriPoint {
    double at[3]; /* m */
    int owner;
} BriPoint;

/* Orders points by parts, of which there are 2^levels, as large as each other but for one point. */
void bri_halve_points(BriPoint *point, int count, int levels);

/* The first point of a part; of the one behind the last: the number of points. */
static inline int bri_first_point(int count, int levels, int part) { return (int)((int64_t)count * part >> levels); }

#endif
