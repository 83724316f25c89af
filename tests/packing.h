/* packing.h: contact problems like those of granular flow: spheres that have settled in a box under gravity, and then
 * move: a shear along x, a little disorder, and a step's worth of gravity. W = H M^-1 H^T, written as a file of sparse
 * blocks. The same numbers in every run. */
#ifndef PACKING_H
#define PACKING_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PackingContact {
    int body[2];     /* the second is -1: a wall */
    double frame[9]; /* normal from the second to the first, two tangents */
    double arm[2];   /* from the centres along the normal, m */
} PackingContact;

typedef struct Packing {
    int bodies, contacts, capacity;
    double width;            /* of the square box, m; its floor is z = 0 */
    double (*x)[3], *radius; /* m */
    PackingContact *contact;
} Packing;

static inline double packing_random(uint64_t *seed) { /* 0 .. 1 */
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Gap, and normal from b (or wall -1 - b) to a. */
static inline double packing_gap(const Packing *p, int a, int b, double *n) {
    const double *x = p->x[a];
    if (b < 0) { /* floor, then walls at -x, +x, -y, +y */
        int wall = -1 - b, axis = wall == 0 ? 2 : (wall - 1) / 2, far = wall && wall % 2 == 0;
        n[0] = n[1] = n[2] = 0;
        n[axis] = far ? -1 : 1;
        return (far ? p->width - x[axis] : x[axis]) - p->radius[a];
    }
    double d = 0;
    for (int i = 0; i < 3; i++) n[i] = x[i] - p->x[b][i], d += n[i] * n[i];
    d = sqrt(d);
    for (int i = 0; i < 3; i++) n[i] /= d;
    return d - p->radius[a] - p->radius[b];
}

/* Bodies by columns of 1 m, the largest diameter; `chain` links those of a cell. */
typedef struct PackingGrid {
    int side, levels, *head, *next;
} PackingGrid;

static inline int packing_cell(const PackingGrid *g, int i, int j, int k) { return (k * g->side + j) * g->side + i; }

static inline void packing_sort(const Packing *p, PackingGrid *g) {
    for (int c = 0; c < g->side * g->side * g->levels; c++) g->head[c] = -1;
    for (int a = p->bodies - 1; a >= 0; a--) {
        int at[3];
        for (int i = 0; i < 3; i++) {
            int most = i < 2 ? g->side : g->levels;
            at[i] = (int)fmin(fmax(floor(p->x[a][i]), 0), most - 1);
        }
        int c = packing_cell(g, at[0], at[1], at[2]);
        g->next[a] = g->head[c];
        g->head[c] = a;
    }
}

/* Calls `meet` for a and every b < a in the cells around, and the walls. */
static inline void packing_neighbours(Packing *p, const PackingGrid *g, int a,
                                      void (*meet)(Packing *, int, int, double, const double *, void *), void *user) {
    double n[3], gap;
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        int most = i < 2 ? g->side : g->levels, at = (int)fmin(fmax(floor(p->x[a][i]), 0), most - 1);
        low[i] = at > 0 ? at - 1 : 0;
        high[i] = at < most - 1 ? at + 1 : most - 1;
    }
    for (int wall = 0; wall < 5; wall++)
        if ((gap = packing_gap(p, a, -1 - wall, n)) < 0) meet(p, a, -1, gap, n, user);
    for (int k = low[2]; k <= high[2]; k++)
        for (int j = low[1]; j <= high[1]; j++)
            for (int i = low[0]; i <= high[0]; i++)
                for (int b = g->head[packing_cell(g, i, j, k)]; b >= 0; b = g->next[b])
                    if (b < a && (gap = packing_gap(p, a, b, n)) < 0) meet(p, a, b, gap, n, user);
}

static inline void packing_push(Packing *p, int a, int b, double gap, const double *n, void *user) {
    double(*force)[3] = user;
    (void)p;
    for (int i = 0; i < 3; i++) {
        force[a][i] -= gap * n[i];
        if (b >= 0) force[b][i] += gap * n[i];
    }
}

static inline void packing_note(Packing *p, int a, int b, double gap, const double *n, void *user) {
    (void)gap;
    (void)user;
    if (p->contacts == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 1024;
        p->contact = realloc(p->contact, (size_t)p->capacity * sizeof *p->contact);
    }
    PackingContact *c = &p->contact[p->contacts++];
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
    double e[3] = {least == 0, least == 1, least == 2}, *t = c->frame + 3, *s = c->frame + 6, size = 0;
    memcpy(c->frame, n, 3 * sizeof *n);
    for (int i = 0; i < 3; i++) t[i] = n[(i + 1) % 3] * e[(i + 2) % 3] - n[(i + 2) % 3] * e[(i + 1) % 3];
    for (int i = 0; i < 3; i++) size += t[i] * t[i];
    for (int i = 0; i < 3; i++) t[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) s[i] = n[(i + 1) % 3] * t[(i + 2) % 3] - n[(i + 2) % 3] * t[(i + 1) % 3];
    c->body[0] = a;
    c->body[1] = b;
    c->arm[0] = -p->radius[a];
    c->arm[1] = b >= 0 ? p->radius[b] : 0;
}

/* `bodies` spheres of 0.4 to 0.5 m fall together in a box `width` wide, as soft ones with damping; contacts: who overlaps
 * in the end. */
static inline Packing make_packing(int bodies, int width) {
    enum { STEPS = 1500 };
    const double STIFFNESS = 0.25, DAMPING = 0.1, WEIGHT[2] = {2e-3, 1e-4}; /* per step; to fall, then to rest */
    Packing p = {.bodies = bodies, .width = width};
    PackingGrid g = {.side = width, .levels = 3 * bodies / (width * width) + 4};
    uint64_t seed = 7;
    double(*v)[3] = calloc((size_t)bodies, sizeof *v), (*force)[3] = calloc((size_t)bodies, sizeof *force);
    p.x = calloc((size_t)bodies, sizeof *p.x);
    p.radius = calloc((size_t)bodies, sizeof *p.radius);
    g.head = calloc((size_t)(g.side * g.side * g.levels), sizeof *g.head);
    g.next = calloc((size_t)bodies, sizeof *g.next);
    for (int a = 0; a < bodies; a++) {
        p.radius[a] = 0.4 + 0.1 * packing_random(&seed);
        int place = a % (width * width);
        double start[3] = {place % width + 0.5, place / width + 0.5, a / (width * width) * 0.8 + 0.5};
        for (int i = 0; i < 3; i++) p.x[a][i] = start[i] + 0.1 * (packing_random(&seed) - 0.5);
    }
    for (int step = 0; step < STEPS; step++) {
        memset(force, 0, (size_t)bodies * sizeof *force);
        packing_sort(&p, &g);
        for (int a = 0; a < bodies; a++) packing_neighbours(&p, &g, a, packing_push, force);
        for (int a = 0; a < bodies; a++)
            for (int i = 0; i < 3; i++) {
                v[a][i] = (1 - DAMPING) * v[a][i] + STIFFNESS * force[a][i] - (i == 2 ? WEIGHT[step > STEPS / 3] : 0);
                p.x[a][i] += v[a][i];
            }
    }
    packing_sort(&p, &g);
    for (int a = 0; a < bodies; a++) packing_neighbours(&p, &g, a, packing_note, NULL);
    free(v);
    free(force);
    free(g.head);
    free(g.next);
    return p;
}

static inline void free_packing(Packing *p) {
    free(p->x);
    free(p->radius);
    free(p->contact);
}

/* Row `axis` of a contact at its body `side`: force part, moment part. */
static inline void packing_row(const PackingContact *c, int axis, int side, double *row) {
    const double *n = c->frame, *d = c->frame + 3 * axis;
    double sign = side ? -1 : 1;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        row[i] = sign * d[i];
        row[3 + i] = sign * c->arm[side] * (n[j] * d[k] - n[k] * d[j]);
    }
}

/* Adds the part of W between contacts c and d that body `a` makes. */
static inline void packing_couple(const Packing *p, const PackingContact *c, const PackingContact *d, int a,
                                  double *W) {
    double r = p->radius[a], mass = 4. / 3 * 3.141592653589793 * 2500 * r * r * r, inertia = 0.4 * mass * r * r;
    for (int side = 0; side < 4; side++) {
        if (c->body[side & 1] != a || d->body[side >> 1] != a) continue;
        for (int i = 0; i < 9; i++) {
            double x[6], y[6];
            packing_row(c, i / 3, side & 1, x);
            packing_row(d, i % 3, side >> 1, y);
            W[i] +=
                (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / mass + (x[3] * y[3] + x[4] * y[4] + x[5] * y[5]) / inertia;
        }
    }
}

/* Which contacts share a body with each: begin (contacts + 1) and column; two bodies touch once. To be freed. */
typedef struct PackingGraph {
    int *begin, *column;
} PackingGraph;

/* Contacts of each body: first (bodies + 1), list. */
static inline void list_packing(const Packing *p, int *first, int *list) {
    for (int k = 0; k < p->contacts; k++)
        for (int s = 0; s < 2; s++)
            if (p->contact[k].body[s] >= 0) first[p->contact[k].body[s] + 1]++;
    for (int a = 0; a < p->bodies; a++) first[a + 1] += first[a];
    for (int k = 0; k < p->contacts; k++)
        for (int s = 0; s < 2; s++)
            if (p->contact[k].body[s] >= 0) list[first[p->contact[k].body[s]]++] = k;
    for (int a = p->bodies; a > 0; a--) first[a] = first[a - 1];
    first[0] = 0;
}

static inline PackingGraph join_packing(const Packing *p) {
    int *first = calloc((size_t)p->bodies + 1, sizeof *first),
        *list = calloc(2 * (size_t)p->contacts + 1, sizeof *list);
    PackingGraph g = {.begin = calloc((size_t)p->contacts + 1, sizeof *g.begin)};
    list_packing(p, first, list);
    for (int pass = 0; pass < 2; pass++) {
        int blocks = 0;
        for (int k = 0; k < p->contacts; k++) {
            g.begin[k] = blocks;
            for (int s = 0; s < 2; s++) {
                int a = p->contact[k].body[s];
                for (int i = a < 0 ? 0 : first[a]; a >= 0 && i < first[a + 1]; i++) {
                    if (s && list[i] == k) continue; /* its own: once */
                    if (pass) g.column[blocks] = list[i];
                    blocks++;
                }
            }
        }
        g.begin[p->contacts] = blocks;
        if (!pass) g.column = calloc((size_t)blocks + 1, sizeof *g.column);
    }
    free(first);
    free(list);
    return g;
}

static inline void write_packing_matrix(const Packing *p, FILE *f) {
    PackingGraph g = join_packing(p);
    int blocks = g.begin[p->contacts], rows = 3 * p->contacts;
    fprintf(f, "1 %d %d\n%d %d %d\n", rows, rows, blocks, p->contacts, p->contacts);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < p->contacts; k++) fprintf(f, "%d ", 3 * (k + 1));
    fprintf(f, "\n%d %d\n", p->contacts + 1, blocks);
    for (int k = 0; k <= p->contacts; k++) fprintf(f, "%d ", g.begin[k]);
    for (int i = 0; i < blocks; i++) fprintf(f, "%d ", g.column[i]);
    for (int k = 0; k < p->contacts; k++)
        for (int i = g.begin[k]; i < g.begin[k + 1]; i++) {
            const PackingContact *c = &p->contact[k], *d = &p->contact[g.column[i]];
            double W[9] = {0};
            for (int s = 0; s < 2; s++)
                if (c->body[s] >= 0) packing_couple(p, c, d, c->body[s], W);
            fprintf(f, "\n%d", i);
            for (int e = 0; e < 9; e++) fprintf(f, " %.17g", W[e % 3 * 3 + e / 3]);
        }
    free(g.begin);
    free(g.column);
}

/* As text of the kind "friction" with sparse blocks. `shear`: of vx per z, 1/s; `disorder`: of all velocities, m/s and
 * rad/s; mu for all. To be freed. */
static inline char *write_packing(const Packing *p, double shear, double disorder, double mu, size_t *size) {
    const double STEP = 1e-3, GRAVITY = 9.81; /* s, m/s^2 */
    char *text = NULL;
    FILE *f = open_memstream(&text, size);
    double(*v)[6] = calloc((size_t)p->bodies, sizeof *v);
    uint64_t seed = 11;
    fprintf(f, "3 %d\n", p->contacts);
    write_packing_matrix(p, f);
    for (int a = 0; a < p->bodies; a++) {
        for (int i = 0; i < 6; i++) v[a][i] = disorder * (2 * packing_random(&seed) - 1);
        v[a][0] += shear * p->x[a][2];
        v[a][2] -= GRAVITY * STEP;
    }
    for (int k = 0; k < p->contacts; k++)
        for (int i = 0; i < 3; i++) {
            double q = 0, row[6] = {0};
            for (int s = 0; s < 2; s++) {
                int a = p->contact[k].body[s];
                if (a >= 0) packing_row(&p->contact[k], i, s, row);
                for (int j = 0; a >= 0 && j < 6; j++) q += row[j] * v[a][j];
            }
            fprintf(f, "\n%.17g", q);
        }
    for (int k = 0; k < p->contacts; k++) fprintf(f, "\n%g", mu);
    fprintf(f, "\n");
    fclose(f);
    free(v);
    return text;
}

#endif
