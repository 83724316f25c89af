/* least_norm.c: see least_norm.h. */
#include "dynamics/least_norm.h"

#include <string.h>

static const double SHORT = 1e-28; /* of the first residual, squared: 1e-14, rounding */
enum { MOST_SEARCHES = 200 };      /* directions; far fewer are needed where redundant rows are few or alike */

/* J_row x */
static double apply_row(const BrModel *m, const BriSystem *s, int joint, int row, const double *x) {
    BriRowEnds ends = bri_row_ends(m, &s->J, joint, row);
    double sum = 0;
    for (int e = 0; e < ends.count; e++)
        for (int c = 0, node = m->body[ends.body[e]].node; node >= 0 && c < 6; c++)
            sum += ends.part[e][c] * x[6 * node + c];
    return sum;
}

/* Rows -> saddle solve. Rows found dependent: z of them as forces on the bodies (N z), or their part of J x (N^T y). */
typedef struct NullSpace {
    const BrModel *m;
    BriSystem *s;
} NullSpace;

static bool is_dropped(const NullSpace *n, int joint, int r) { return n->s->dependent[joint] >> r & 1; }

/* y = N z: z lives on the dropped rows; the others answer so that J^T y = 0. */
static void apply_null(NullSpace *n, const double *z, double *y) {
    const BrModel *m = n->m;
    double *x = n->s->x;
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof(double));
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++) {
            int row = m->joint[k].first_row + r;
            if (is_dropped(n, k, r)) bri_system_add_row(m, &n->s->J, k, row, -z[row], x);
        }
    bri_ldl_solve(&n->s->ldl, x);
    for (int k = 0; k < m->joints; k++)
        for (int r = m->joint[k].first_row; r < m->joint[k].first_row + m->joint[k].rows; r++)
            y[r] = is_dropped(n, k, r - m->joint[k].first_row) ? z[r] : x[6 * m->moving + r];
}

/* z = N^T y on the dropped rows, zero elsewhere. */
static void apply_null_transposed(NullSpace *n, const double *y, double *z) {
    const BrModel *m = n->m;
    double *x = n->s->x;
    memset(x, 0, 6 * (size_t)m->moving * sizeof(double));
    memcpy(x + 6 * m->moving, y, (size_t)m->rows * sizeof(double));
    bri_ldl_solve(&n->s->ldl, x);
    for (int k = 0; k < m->joints; k++)
        for (int r = 0; r < m->joint[k].rows; r++) {
            int row = m->joint[k].first_row + r;
            z[row] = is_dropped(n, k, r) ? y[row] - apply_row(m, n->s, k, row, x) : 0;
        }
}

static double dot_rows(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients on N^T N z = -N^T lambda, carrying lambda itself along. Each step makes lambda shorter; one that does not
 * follows rounding, as where lambda is shortest already, and along a direction that may be next to nothing it would go anywhere. */
void bri_shorten(const BrModel *m, BriSystem *system, double *scratch, double *lambda) {
    NullSpace n = {m, system};
    int rows = m->rows, dropped = system->dependent_rows;
    double *residual = scratch, *direction = scratch + rows, *y = scratch + 2 * rows, *z = scratch + 3 * rows;
    if (dropped == 0) return;
    apply_null_transposed(&n, lambda, residual);
    for (int i = 0; i < rows; i++) direction[i] = -residual[i];
    double size = dot_rows(residual, residual, rows), first = size;
    for (int k = 0; k < 2 * dropped + 10 && k < MOST_SEARCHES && size > SHORT * first; k++) {
        apply_null(&n, direction, y);
        double square = dot_rows(y, y, rows), alpha = size / square;
        double longer = alpha * (2 * dot_rows(lambda, y, rows) + alpha * square); /* in |lambda|^2 */
        if (!(longer <= SHORT * dot_rows(lambda, lambda, rows))) return;
        for (int i = 0; i < rows; i++) lambda[i] += alpha * y[i];
        apply_null_transposed(&n, lambda, z);
        double next = dot_rows(z, z, rows), beta = next / size;
        for (int i = 0; i < rows; i++) direction[i] = beta * direction[i] - z[i];
        size = next;
    }
}
