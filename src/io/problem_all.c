/* problem_all.c: every solution of a small problem file: it is a problem of contact_modes.h whose contacts are all at rest,
 * u and q being velocities in place of accelerations. A row of an LCP is a contact without friction. */
#include "bristle/solutions.h"

#include "io/problem_text.h"
#include "math/vec.h"
#include "modes/answers.h"

#include <string.h>

/* Rows of a block among those of its contact. */
static int count_rows(const BriBlock *block) { return block->set == BRI_SET_CONE ? block->rows : 1; }

static BrStatus refuse(const BrProblem *p, BrError *error) {
    const BriProblem *problem = &p->problem;
    if (!p->W || problem->blocks > BRI_MODES)
        return bri_fail(error, BR_UNSUPPORTED,
                        "the problem has %d rows or contacts; all solutions are looked for of at most "
                        "%d",
                        problem->blocks, (int)BRI_MODES);
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *b = &problem->block[k];
        bool half = b->set == BRI_SET_BOX && b->lower == 0 && b->upper > 0 && !bri_is_finite(b->upper);
        bool cone = b->set == BRI_SET_CONE && b->rows <= 3;
        if (!half && !cone)
            return bri_fail(error, BR_UNSUPPORTED,
                            "block %d is %s; all solutions are looked for where r >= 0, or r is in a "
                            "friction cone without moments",
                            k,
                            b->set == BRI_SET_FREE  ? "free"
                            : b->set == BRI_SET_BOX ? "a row with other bounds"
                                                    : "a cone with moments");
    }
    return BR_OK;
}

static void make_modes(const BrProblem *p, BriModes *m) {
    const BriProblem *problem = &p->problem;
    memset(m, 0, sizeof *m);
    m->contacts = problem->blocks;
    for (int k = 0; k < problem->blocks; k++) {
        const BriBlock *b = &problem->block[k];
        m->contact[k].mu_s = m->contact[k].mu_k = b->set == BRI_SET_CONE ? b->mu : 0;
        for (int i = 0; i < 3; i++) m->contact[k].frame[i][i] = 1;
        for (int i = 0; i < count_rows(b); i++) {
            m->b[3 * k + i] = problem->q[b->first + i];
            m->size[3 * k + i] = bri_abs(problem->q[b->first + i]);
            for (int c = 0; c < problem->blocks; c++) {
                const BriBlock *other = &problem->block[c];
                for (int j = 0; j < count_rows(other); j++)
                    m->W[3 * k + i][3 * c + j] =
                        problem->W[(size_t)(b->first + i) * (size_t)problem->stride + (size_t)(other->first + j)];
            }
        }
    }
}

/* r of an answer in the rows of the file; tangents may have been turned. */
static void read_answer(const BrProblem *p, const BriModes *m, const BriModeAnswer *answer, double *r) {
    for (int k = 0; k < m->contacts; k++) {
        const BriBlock *b = &p->problem.block[k];
        double unit = m->acceleration / m->scale[k], world[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int x = 0; x < 3; x++) world[x] += unit * answer->p[3 * k + i] * m->contact[k].frame[i][x];
        for (int i = 0; i < count_rows(b); i++) r[b->first + i] = world[i];
    }
}

static void tell_all(const BrProblem *p, const BriModes *m, const BriModeAnswers *found, double *r,
                     void (*tell)(void *user, const BrFoundSolution *solution), void *user) {
    double *u = r + p->problem.rows;
    for (int i = 0; i < found->count && i < BRI_ANSWERS; i++) {
        read_answer(p, m, &found->answer[i], r);
        BriCertificate c = bri_file_judge(p, r, u);
        BrFoundSolution solution = {r, u, c.residual, c.relative, found->answer[i].shared};
        tell(user, &solution);
    }
}

BrStatus br_problem_find_all(const BrProblem *p, void (*tell)(void *user, const BrFoundSolution *solution), void *user,
                             BrSolutions *solutions, BrError *error) {
    BRI_NEED(p && tell && solutions, "problem, tell and solutions", error);
    *solutions = (BrSolutions){0};
    BrStatus status = refuse(p, error);
    if (status != BR_OK) return status;
    BriModes *m = bri_allocate(&p->allocator, 1, sizeof *m);
    BriModeAnswers *found = bri_allocate(&p->allocator, 1, sizeof *found);
    double *r = bri_allocate(&p->allocator, 2 * (size_t)p->problem.rows, sizeof *r);
    if (m && found && r) {
        make_modes(p, m);
        bri_modes_prepare(m);
        bri_find_answers(m, NULL, found);
        *solutions = (BrSolutions){found->count, found->complete && !m->others_out, found->endless};
        tell_all(p, m, found, r, tell, user);
    } else
        status = bri_fail(error, BR_OUT_OF_MEMORY, "no memory for all solutions of %d rows", p->problem.rows);
    bri_release(&p->allocator, m);
    bri_release(&p->allocator, found);
    bri_release(&p->allocator, r);
    return status;
}
