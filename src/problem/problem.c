/* problem.c: see problem.h. The natural map without its cancellations: where r - rho u stays inside the set, F/rho is u
 * itself and is never computed as a difference of large numbers. */
#include "problem/problem.h"

#include "math/vec.h"

static double measure(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return bri_sqrt(sum);
}

/* The last of a cone's block: 0 in the plane. */
static double second_tangent(const BriBlock *block, const double *x) { return block->rows == 3 ? x[2] : 0; }

/* |x_T| of a cone's block. */
static double measure_tangent(const BriBlock *block, const double *x) {
    double y = second_tangent(block, x);
    return bri_sqrt(x[1] * x[1] + y * y);
}

void bri_block_project(const BriBlock *block, double *x) {
    if (block->set == BRI_SET_BOX) x[0] = bri_min(bri_max(x[0], block->lower), block->upper);
    if (block->set != BRI_SET_CONE) return;
    if (bri_has_moments(block)) {
        bri_discs_project(block, x);
        return;
    }
    double mu = block->mu, tangent = measure_tangent(block, x);
    if (x[0] >= 0 && tangent <= mu * x[0]) return;
    double a = mu * tangent <= -x[0] ? 0 : (x[0] + mu * tangent) / (1 + mu * mu);
    double shrink = tangent > 0 ? mu * a / tangent : 0;
    x[0] = a;
    x[1] *= shrink;
    if (block->rows == 3) x[2] *= shrink;
}

static double judge_box(const BriBlock *block, double r, double u, double rho) {
    double x = r - rho * u;
    double F = x > block->upper ? (r - block->upper) / rho : x < block->lower ? (r - block->lower) / rho : u;
    return bri_abs(F);
}

/* Inside the cone F/rho is u~ itself, and |u~| needs no more than u_N + mu |u_T| and |u_T|. */
static double judge_cone(const BriBlock *block, const double *r, const double *u, double rho) {
    double mu = block->mu, slip = measure_tangent(block, u), answer = u[0] + mu * slip, r2 = second_tangent(block, r);
    double P[3] = {r[0] - rho * answer, r[1] - rho * u[1], r2 - rho * second_tangent(block, u)};
    if (P[0] >= 0 && P[1] * P[1] + P[2] * P[2] <= mu * mu * P[0] * P[0]) return bri_sqrt(answer * answer + slip * slip);
    bri_block_project(block, P);
    return bri_norm(bri_vec(r[0] - P[0], r[1] - P[1], r2 - P[2])) / rho;
}

double bri_block_residual(const BriBlock *block, const double *r, const double *u, double rho) {
    double F = block->set == BRI_SET_FREE  ? measure(u, block->rows)
               : block->set == BRI_SET_BOX ? judge_box(block, r[0], u[0], rho)
               : bri_has_moments(block)    ? bri_discs_residual(block, r, u, rho)
               : block->creep > 0          ? bri_creep_residual(block, r, u, rho)
                                           : judge_cone(block, r, u, rho);
    for (int i = 0; i < block->rows; i++)
        if (!bri_is_finite(r[i]) || !bri_is_finite(u[i])) return __builtin_inf();
    return bri_is_finite(F) ? F : __builtin_inf();
}

double bri_block_scale(const BriProblem *problem, int block) {
    const BriBlock *b = &problem->block[block];
    double trace = 0;
    for (int i = b->first; i < b->first + b->rows; i++) trace += problem->W[(size_t)i * (size_t)(problem->stride + 1)];
    double rho = b->rows / trace;
    return trace > 0 && bri_is_finite(rho) ? rho : 1;
}

double bri_problem_rounding(const BriProblem *problem, const double *r) {
    double push = 0;
    for (int b = 0; b < problem->blocks; b++)
        push = bri_max(push, bri_abs(r[problem->block[b].first]) / bri_block_scale(problem, b));
    return BRI_ROUNDED * push;
}

double bri_solver_goal(double tolerance, double rounding) {
    const double MOST = 1e6; /* tolerances */
    return bri_max(tolerance, bri_min(rounding, MOST * tolerance));
}

static void find_velocities(const BriProblem *problem, const double *r, double *u) {
    for (int i = 0; i < problem->rows; i++) {
        const double *row = problem->W + (size_t)i * (size_t)problem->stride;
        double sum = 0;
        for (int j = 0; j < problem->rows; j++) sum += row[j] * r[j];
        u[i] = sum + problem->q[i];
    }
}

BriCertificate bri_problem_check(const BriProblem *problem, const double *r, double *u) {
    BriCertificate c = {.worst = -1, .relative = __builtin_nan("")};
    find_velocities(problem, r, u);
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        double F = bri_block_residual(block, r + block->first, u + block->first, bri_block_scale(problem, b));
        if (F > c.residual || c.worst < 0) {
            c.residual = F;
            c.worst = b;
        }
    }
    return c;
}

BriCertificate bri_problem_judge(const BriProblem *problem, const double *r, double *u) {
    BriCertificate c = bri_problem_check(problem, r, u);
    double sum = 0, size = measure(problem->q, problem->rows);
    for (int b = 0; b < problem->blocks; b++) {
        const BriBlock *block = &problem->block[b];
        double plain = bri_block_residual(block, r + block->first, u + block->first, 1);
        sum += plain * plain;
    }
    c.relative = bri_sqrt(sum) / (size > 0 ? size : 1);
    if (!(c.relative < __builtin_inf()) || !(c.residual < __builtin_inf())) c.relative = c.residual = __builtin_inf();
    return c;
}
