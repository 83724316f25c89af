/* discs.c: cones of several discs, those with moments (7.32): where P brings x, its derivative, the certificate. */
#include "math/vec.h"
#include "problem/problem.h"

static double measure(const double *x, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return bri_sqrt(sum);
}

/* P(x) is nearest to x among (a, x_i min(1, mu_i a/|x_i|)):
 *     a = x_N + sum over |x_i| > mu_i a of mu_i (|x_i| - mu_i a),   a >= 0                                    (7.33)
 * whose right side falls with a, in straight pieces. With all discs binding a is too small, if anything; those that it
 * then holds already are let go, which lets it grow, and none comes back: exact after at most three. */
BriStand bri_block_stand(const BriBlock *block, const double *x) {
    BriStand s = {0};
    s.discs = bri_block_discs(block, s.disc);
    for (int i = 0; i < s.discs; i++) {
        s.size[i] = measure(x + s.disc[i].first, s.disc[i].rows);
        s.binds[i] = true;
    }
    for (bool again = true; again;) {
        double sum = x[0], weight = 1;
        for (int i = 0; i < s.discs; i++) {
            double mu = s.disc[i].mu;
            if (s.binds[i]) sum += mu * s.size[i], weight += mu * mu;
        }
        again = false;
        s.normal = sum > 0 ? sum / weight : 0;
        for (int i = 0; s.normal > 0 && i < s.discs; i++) {
            if (!s.binds[i] || s.size[i] > s.disc[i].mu * s.normal) continue;
            s.binds[i] = false;
            again = true;
        }
    }
    return s;
}

/* What binds moves with the normal part and turns with itself, what does not moves by itself: with t = x_i/|x_i| of those
 * that bind
 *     a' = (x_N' + sum mu_i t_i.x_i') / (1 + sum mu_i^2),
 *     P_i' = mu_i t_i a' + (mu_i a/|x_i|)(1 - t_i t_i^T) x_i',   or x_i'                                       (7.34) */
void bri_stand_derivative(const BriStand *s, const double *x, double *J) {
    double along[6] = {1}, weight = 1;
    int rows = s->disc[s->discs - 1].first + s->disc[s->discs - 1].rows;
    for (int i = 0; i < rows * rows; i++) J[i] = 0;
    for (int k = 0; k < s->discs; k++) {
        const BriDisc *d = &s->disc[k];
        double one = s->size[k] > 0 ? 1 / s->size[k] : 0, part = s->binds[k] ? d->mu * s->normal * one : 1;
        if (s->binds[k]) weight += d->mu * d->mu;
        for (int i = d->first; i < d->first + d->rows; i++) {
            double turn = s->binds[k] ? part * one * one * x[i] : 0;
            for (int j = d->first; j < d->first + d->rows; j++) J[i * rows + j] = (i == j) * part - turn * x[j];
            if (s->binds[k]) along[i] = d->mu * one * x[i];
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) J[i * rows + j] += along[i] * along[j] / weight;
}

void bri_discs_project(const BriBlock *block, double *x) {
    BriStand s = bri_block_stand(block, x);
    x[0] = s.normal;
    for (int i = 0; i < s.discs; i++) {
        double shrink = s.size[i] > 0 ? s.disc[i].mu * s.normal / s.size[i] : 0;
        for (int j = s.disc[i].first; s.binds[i] && j < s.disc[i].first + s.disc[i].rows; j++) x[j] *= shrink;
    }
}

/* F/rho of discs that do not bind is their u, never a difference of large numbers. */
double bri_discs_residual(const BriBlock *block, const double *r, const double *u, double rho) {
    double x[6], answer = u[0], sum = 0;
    BriDisc disc[BRI_DISCS];
    int discs = bri_block_discs(block, disc);
    for (int i = 0; i < discs; i++) answer += disc[i].mu * measure(u + disc[i].first, disc[i].rows);
    for (int i = 1; i < block->rows; i++) x[i] = r[i] - rho * u[i];
    x[0] = r[0] - rho * answer;
    BriStand s = bri_block_stand(block, x);
    if (!(s.normal > 0)) return measure(r, block->rows) / rho;
    for (int i = 0; i < discs; i++) {
        double shrink = s.binds[i] ? s.disc[i].mu * s.normal / s.size[i] : 0;
        if (s.binds[i]) answer -= s.disc[i].mu * (s.size[i] - s.disc[i].mu * s.normal) / rho; /* (7.33) */
        for (int j = s.disc[i].first; j < s.disc[i].first + s.disc[i].rows; j++) {
            double F = s.binds[i] ? (r[j] - shrink * x[j]) / rho : u[j];
            sum += F * F;
        }
    }
    return bri_sqrt(sum + answer * answer);
}
