/* exact_certificate.h: the residual (7.2) of an answer once more, by code of its own and in long double: is a certificate
 * what it says? Written from the statement of the problem, not from src/problem:
 *
 *     F = r - P(r - rho u~),   u~ = u + mu |u_T| e_N for cones,   rho = rows / trace of the block's own part of W
 *
 * The residual is the largest |F|/rho, `relative` |F| with rho = 1 over |q|. Beside them stands what rounding may have done
 * to the double numbers: u is a sum of terms, and what they leave when they cancel is not known better than this. */
#ifndef EXACT_CERTIFICATE_H
#define EXACT_CERTIFICATE_H

#include "problem/network.h"
#include "problem/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Exact {
    long double residual, relative;           /* as BriCertificate */
    long double residual_blur, relative_blur; /* what doubles may differ by */
} Exact;

/* A problem as the checks need it: u of an answer, what u's terms add up to in size, |q|^2 and traces. */
typedef struct ExactRows {
    long double *u, *size, *trace; /* rows, rows, blocks */
    long double q_square;
} ExactRows;

static inline ExactRows exact_rows(int rows, int blocks) {
    ExactRows e = {.u = calloc(2 * (size_t)rows + (size_t)blocks + 1, sizeof(long double))};
    e.size = e.u + rows;
    e.trace = e.size + rows;
    return e;
}

static inline void exact_add(ExactRows *e, int row, long double a, long double b) {
    e->u[row] += a * b;
    e->size[row] += fabsl(a * b);
}

/* The nearest point of the cone |x_T| <= mu x_N, by cases. */
static inline void exact_cone_point(long double mu, const long double *x, int rows, long double *p) {
    long double t = rows == 3 ? hypotl(x[1], x[2]) : fabsl(x[1]);
    for (int i = 0; i < rows; i++) p[i] = x[i];
    if (t <= mu * x[0]) return;
    for (int i = 0; i < rows; i++) p[i] = 0;
    if (x[0] <= -mu * t) return;
    p[0] = (x[0] + mu * t) / (1 + mu * mu); /* foot of the perpendicular on the ray (1, mu t/|t|) */
    for (int i = 1; i < rows; i++) p[i] = mu * p[0] * x[i] / t;
}

/* |F|/rho of one block. */
static inline long double exact_block(const BriBlock *block, const double *r, const long double *u, long double rho) {
    long double x[6] = {0}, p[6] = {0}, slip = 0, sum = 0;
    for (int i = 1; i < block->rows; i++) slip += u[i] * u[i];
    for (int i = 0; i < block->rows; i++) x[i] = r[i] - rho * u[i];
    if (block->set == BRI_SET_CONE) {
        x[0] -= rho * block->mu * sqrtl(slip);
        exact_cone_point(block->mu, x, block->rows, p);
    } else {
        for (int i = 0; i < block->rows; i++) p[i] = x[i];
        if (block->set == BRI_SET_BOX) p[0] = fminl(fmaxl(x[0], block->lower), block->upper);
    }
    for (int i = 0; i < block->rows; i++) sum += (r[i] - p[i]) * (r[i] - p[i]);
    return sqrtl(sum) / rho;
}

/* Frees `e`. */
static inline Exact exact_judge(ExactRows e, int rows, int blocks, const BriBlock *block, const double *r) {
    Exact c = {0};
    long double norm = e.q_square > 0 ? sqrtl(e.q_square) : 1, square = 0, blur_square = 0;
    for (int k = 0; k < blocks; k++) {
        const BriBlock *b = &block[k];
        long double blur = 0, rho = e.trace[k] > 0 ? b->rows / e.trace[k] : 1, push = 0;
        for (int i = b->first; i < b->first + b->rows; i++) {
            push += fabsl(r[i]);
            blur += e.size[i];
        }
        /* each term is rounded twice, the sums in their order: rows of them at worst, far fewer as they fall */
        blur = 0x1p-52L * (16 * blur + 4 * push / rho);
        long double F = exact_block(b, r + b->first, e.u + b->first, rho);
        long double plain = exact_block(b, r + b->first, e.u + b->first, 1);
        c.residual = fmaxl(c.residual, F);
        c.residual_blur = fmaxl(c.residual_blur, blur);
        square += plain * plain;
        blur_square += blur * blur + 0x1p-100L * push * push;
    }
    c.relative = sqrtl(square) / norm;
    c.relative_blur = 2 * sqrtl(blur_square) / norm;
    free(e.u);
    (void)rows;
    return c;
}

/* ---- the three forms a problem has */

static inline Exact exact_of_dense(const BriProblem *p, const double *r) {
    ExactRows e = exact_rows(p->rows, p->blocks);
    for (int i = 0; i < p->rows; i++) {
        exact_add(&e, i, 1, p->q[i]);
        e.q_square += (long double)p->q[i] * p->q[i];
        for (int j = 0; j < p->rows; j++) exact_add(&e, i, p->W[(size_t)i * (size_t)p->stride + (size_t)j], r[j]);
    }
    for (int k = 0; k < p->blocks; k++)
        for (int i = p->block[k].first; i < p->block[k].first + p->block[k].rows; i++)
            e.trace[k] += p->W[(size_t)i * (size_t)p->stride + (size_t)i];
    return exact_judge(e, p->rows, p->blocks, p->block, r);
}

static inline Exact exact_of_sparse(const BriSparse *p, const double *r) {
    ExactRows e = exact_rows(p->rows, p->blocks);
    for (int k = 0; k < p->blocks; k++) {
        int first = p->block[k].first, rows = p->block[k].rows;
        for (int i = 0; i < rows; i++) {
            exact_add(&e, first + i, 1, p->q[first + i]);
            e.q_square += (long double)p->q[first + i] * p->q[first + i];
        }
        for (int s = p->begin[k]; s < p->begin[k + 1]; s++) {
            const BriBlock *other = &p->block[p->column[s]];
            for (int i = 0; i < rows * other->rows; i++) {
                double W = p->W[p->at[s] + i];
                int row = i / other->rows, column = i % other->rows;
                exact_add(&e, first + row, W, r[other->first + column]);
                if (p->column[s] == k && row == column) e.trace[k] += W;
            }
        }
    }
    return exact_judge(e, p->rows, p->blocks, p->block, r);
}

/* M^-1 times 6 numbers of a node. */
static inline void exact_respond(const BriNetwork *n, int node, const long double *push, long double *v) {
    const double *I = n->inverse_inertia + 9 * (size_t)node;
    for (int i = 0; i < 3; i++) {
        v[i] = n->inverse_mass[node] * push[i];
        v[3 + i] = I[3 * i] * push[3] + I[3 * i + 1] * push[4] + I[3 * i + 2] * push[5];
    }
}

/* `v_free`: 6 per node, without r; `compliance`: do the boxes yield, as network.h says for augmented.c alone? */
static inline Exact exact_of_network(const BriNetwork *n, const double *v_free, bool compliance, const double *r) {
    ExactRows e = exact_rows(n->rows, n->blocks);
    size_t six = 6 * (size_t)n->nodes;
    long double *v = calloc(2 * six + 1, sizeof *v), *size = v + six;
    for (int k = 0; k < n->blocks; k++)
        for (int side = 0; side < 2; side++) {
            int node = n->node[k][side], end = n->block[k].first + n->block[k].rows;
            for (int i = n->block[k].first; node >= 0 && i < end; i++) {
                long double push[6], change[6];
                size_t own = 12 * (size_t)(i - n->block[k].first) + 6 * (size_t)side;
                const double *D = bri_network_D(n, k) + own, *C = bri_network_C(n, k) + own;
                for (int j = 0; j < 6; j++) push[j] = D[j];
                exact_respond(n, node, push, change);
                for (int j = 0; j < 6; j++) {
                    e.trace[k] += C[j] * change[j];
                    v[6 * (size_t)node + (size_t)j] += change[j] * r[i];
                    size[6 * (size_t)node + (size_t)j] += fabsl(change[j] * r[i]);
                }
            }
        }
    for (int k = 0; k < n->blocks; k++)
        for (int i = n->block[k].first; i < n->block[k].first + n->block[k].rows; i++) {
            long double before = n->q[i];
            exact_add(&e, i, 1, n->q[i]);
            for (int j = 0; j < 12; j++) {
                int node = n->node[k][j / 6];
                if (node < 0) continue;
                size_t at = 6 * (size_t)node + (size_t)(j % 6);
                long double c = bri_network_C(n, k)[12 * (i - n->block[k].first) + j];
                before += c * v_free[at];
                e.u[i] += c * (v_free[at] + v[at]);
                e.size[i] += fabsl(c) * (fabsl((long double)v_free[at]) + size[at]);
            }
            if (compliance && n->compliance) exact_add(&e, i, n->compliance[i], r[i]);
            e.q_square += before * before;
        }
    free(v);
    return exact_judge(e, n->rows, n->blocks, n->block, r);
}

/* Does a certificate claim no more than is true, but for a tenth? `relative` where it is a number. */
static inline bool is_honest(const BriCertificate *told, const Exact *true_one) {
    const long double MORE = 1.1L;
    bool residual = true_one->residual <= MORE * told->residual + true_one->residual_blur;
    bool relative = isnan(told->relative) || true_one->relative <= MORE * told->relative + true_one->relative_blur;
    return residual && relative;
}

#endif
