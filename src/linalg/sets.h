/* sets.h: disjoint sets of numbers, as a forest: root[i] is nearer to the root of i's set, or i itself. */
#ifndef BRI_SETS_H
#define BRI_SETS_H

static inline int bri_find_root(int *root, int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

/* The same, where others look too: what it passes stays as it is. */
static inline int bri_look_up_root(const int *root, int i) {
    while (root[i] != i) i = root[i];
    return i;
}

/* The lower of two roots is that of both. */
static inline void bri_join_sets(int *root, int a, int b) {
    a = bri_find_root(root, a), b = bri_find_root(root, b);
    if (a < b)
        root[b] = a;
    else
        root[a] = b;
}

#endif
