/* books.c: the energy books (energy balance) of a step: what was put in, what was taken out. */
#include "dynamics/coupling.h"
#include "dynamics/force.h"
#include "step/schemes.h"

static double sum_energy(const BrModel *m, const BrState *s) {
    return bri_kinetic_energy(m, bri_state_bodies(s)) + bri_gravity_energy(m, bri_state_bodies(s)) +
           bri_spring_energy(m, s);
}

/* Motors and motions; grips stand behind them. */
static int count_sources(const BriJoint *j) {
    int count = 0;
    while (count < j->drives && j->drive[count].grip < 0) count++;
    return count;
}

/* Does this joint put energy in: is it driven, or attached to a body that is moved? */
static bool joint_does_work(const BrModel *m, const BriJoint *j) {
    bool more = j->coupling && j->coupling->more[0] >= 0; /* some of these may be moved */
    return more || count_sources(j) || m->body[j->a].motion >= 0 || m->body[j->b].motion >= 0;
}

/* Of a coupling: what it pushes bodies with that are moved, times their velocities. */
static double coupling_work(const BrModel *m, const BrState *s, const BriBodyState *bodies, int k, double p) {
    double room[4][6], sum = 0;
    const BriJoint *j = &m->joint[k];
    double *part[4] = {room[0], room[1], room[2], room[3]};
    const int ends[4] = {j->a, j->b, j->coupling->more[0], j->coupling->more[1]};
    bri_coupling_row(m, s, bodies, k, part);
    for (int e = 0; e < 4; e++) {
        if (ends[e] < 0 || m->body[ends[e]].motion < 0) continue;
        const BriBodyState *b = &bodies[ends[e]];
        double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        for (int c = 0; c < 6; c++) sum -= p * part[e][c] * twist[c];
    }
    return sum;
}

/* What one joint puts in at one state of the bodies: impulses of its drives times the velocities they push; those of rows that hold,
 * and of friction, times the velocity of a body that is moved. Between bodies that move freely such rows do no work, and what a scheme
 * makes of them over a step is its error, not a source. */
static double joint_work(const BrModel *m, const BrState *s, const BriBodyState *bodies, int k, const double *p) {
    double Ja[36], Jb[36], sum = 0;
    const BriJoint *j = &m->joint[k];
    if (j->coupling) return coupling_work(m, s, bodies, k, p[0]);
    bri_system_joint_rows(m, s, bodies, k, Ja, Jb);
    const double *J[2] = {Ja, Jb};
    int ends[2] = {j->a, j->b};
    int holding = j->rows - j->drives, sources = holding + count_sources(j);
    for (int e = 0; e < 2; e++) {
        const BriBodyState *b = &bodies[ends[e]];
        double twist[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        bool pushed = m->body[ends[e]].node >= 0, moved = m->body[ends[e]].motion >= 0;
        for (int r = moved ? 0 : holding; r < j->rows; r++)
            for (int c = 0; c < 6 && (pushed ? r < sources : r < holding || r >= sources); c++)
                sum += (pushed ? 1 : -1) * p[r] * J[e][6 * r + c] * twist[c];
    }
    return sum;
}

double bri_joint_power(const BrModel *m, const BrState *state, int joint, const double *lambda) {
    const BriJoint *j = &m->joint[joint];
    return joint_does_work(m, j) ? joint_work(m, state, bri_state_bodies(state), joint, lambda + j->first_row) : 0;
}

/* p (u + u')/2 of one joint. */
static double mean_work(const BrModel *m, const BrState *s, const BriBodyState *before, const BriBodyState *after,
                        int joint, const double *p) {
    const double *own = p + m->joint[joint].first_row;
    if (!joint_does_work(m, &m->joint[joint])) return 0;
    return 0.5 * (joint_work(m, s, before, joint, own) + joint_work(m, s, after, joint, own));
}

double bri_jolt_work(const BrModel *m, const BrState *s, const BriBodyState *before, const BriBodyState *after,
                     const double *p) {
    double sum = 0;
    for (int k = 0; k < m->joints; k++) sum += mean_work(m, s, before, after, k, p);
    return sum;
}

/* Trapezoids in time: what forces, motors and motions put in, what dampers took out (docs/theory, 6.6). */
static void add_powers(const BrModel *m, const BrState *start, BrState *end, double h, const double *p) {
    double work = start->work_power, loss = start->dissipation_power;
    if (start->powers_known == 0) bri_powers(m, start, &work, &loss);
    bri_powers(m, end, &end->work_power, &end->dissipation_power);
    end->powers_known = 1;
    end->work += 0.5 * h * (work + end->work_power);
    end->dissipated += 0.5 * h * (loss + end->dissipation_power);
    for (int k = 0; k < m->joints; k++)
        if (joint_does_work(m, &m->joint[k])) {
            const double *pk = p + m->joint[k].first_row;
            end->work += 0.5 * (joint_work(m, start, bri_state_bodies(start), k, pk) +
                                joint_work(m, end, bri_state_bodies(end), k, pk));
        }
}

/* The books begin at this state. */
static void open_books(const BriStep *step) {
    BrState *end = step->ws->trial;
    end->books_open = 1;
    end->initial_energy = sum_energy(step->model, step->start) + step->start_contact_energy;
    end->work = end->dissipated = 0;
}

void bri_books_keep(const BriStep *step) {
    const BrModel *m = step->model;
    const BrState *start = step->start;
    BrState *end = step->ws->trial;
    if (start->books_open == 0) open_books(step);
    if (bri_formulation(step->def->formulation)->integrates_powers)
        end->powers_known = 0;
    else if (m->keeps_energy_books || start->loaded != 0)
        add_powers(m, start, end, step->h, step->ws->p_step);
    end->work += step->contact_work;
    end->dissipated += step->contact_loss;
}

/* Of what is in motion or was turned over: energy out of nothing that is more than an error of time. It is twice what a
 * mode at the edge of its stable step grows by in half a turn (diagnose/growth.c). */
static const double MADE = 0.02;
/* Of what was there to move: a scheme within half of its stable step (w h = 1) swings by no more. */
static const double EXPLAINED = 0.5;
/* Of the same: what many small errors of rigid steps add up to. */
static const double ADDED_UP = 0.1;
/* Of the energies themselves: rounding of their sums. */
static const double ROUNDING = 1e-12;

/* What a step did to the energy, J. */
typedef struct Turnover {
    double made;  /* beyond what sources put in */
    double total; /* the same since the books began: what was made, less what was lost */
    double there; /* to move */
    double scale; /* see bri_energy_made() */
    double rounding;
} Turnover;

static Turnover find_turnover(const BriStep *step, double put_in) {
    const BrModel *m = step->model;
    const BrState *start = step->start, *end = step->ws->trial;
    bool open = start->books_open != 0;
    double held = open ? start->contact_energy : step->start_contact_energy;
    double before = sum_energy(m, start) + held, after = sum_energy(m, end) + end->contact_energy;
    double work = (open ? start->work : 0) + put_in, initial = open ? start->initial_energy : before;
    double high = bri_gravity_energy(m, bri_state_bodies(start)), low = bri_gravity_energy(m, bri_state_bodies(end));
    Turnover t = {.made = after - before - put_in, .total = after - initial - work};
    t.scale = bri_max(before - high, after - low) + bri_abs(work) + bri_max(0, initial + work - after);
    t.there = before - high + bri_max(0, high - low) + bri_abs(put_in);
    t.rounding = ROUNDING * (bri_abs(before) + bri_abs(after) + t.scale);
    return t;
}

/* What forces do along ways that no position tells from none, J: machines that friction holds tremble by less. */
static double find_noise(const BriStep *step) {
    double sum = 0;
    for (int i = 0; i < 6 * step->model->moving; i++) sum += bri_abs(step->ws->f[i]);
    return sum * step->position_tolerance;
}

/* E' - E <= W holds for whatever laws are passive: what a step has beyond the work that was put in, and beyond
 * `explained`, it made. The scale is what moves and is stored now, what sources did, and what is gone since the books
 * began: a tremble that is small beside all that is no matter. */
double bri_energy_made(const BriStep *step, double put_in, double explained) {
    Turnover t = find_turnover(step, put_in);
    if (step->keeps_bounds) t.rounding += find_noise(step);
    double made = t.made - bri_min(explained, EXPLAINED * t.there);
    return made > MADE * t.scale + t.rounding ? made / t.scale : 0;
}

/* Where a rigid step may make energy that no condition forbids: a body turns so far that its spin is not followed,
 * joints turn faster than the step follows, or bodies that are moved push, whose velocity within the step counts as
 * one. */
static bool may_make_energy(const BriStep *step) {
    const double TURN = 0.3; /* rad */
    const BriBodyState *bodies = bri_state_bodies(step->ws->trial);
    double most = TURN / step->h;
    if (step->contact_work != 0 || step->model->joints > 0) return true;
    for (int n = 0; n < step->model->moving; n++) {
        BrVec3 w = bodies[step->model->moving_body[n]].w;
        if (bri_dot(w, w) > most * most) return true;
    }
    return false;
}

/* Bodies that move by the velocity at the step's end gain height with that, where forces worked with the mean of both:
 * -h/2 sum of m g.(v' - v). */
static double find_lag(const BriStep *step) {
    const BrModel *m = step->model;
    const BriBodyState *before = bri_state_bodies(step->start), *after = bri_state_bodies(step->ws->trial);
    BrVec3 sum = bri_vec(0, 0, 0);
    for (int n = 0; n < m->moving; n++) {
        int i = m->moving_body[n];
        sum = bri_add_scaled(sum, m->body[i].mass, bri_sub(after[i].v, before[i].v));
    }
    return bri_max(0, -0.5 * step->h * bri_dot(m->gravity, sum));
}

double bri_rigid_energy_made(const BriStep *step) {
    const BrState *start = step->start, *end = step->ws->trial;
    if (step->def->scheme == BR_SCHEME_EULER_PAPER || !may_make_energy(step)) return 0; /* the paper's gains energy */
    double put_in = end->work - (start->books_open != 0 ? start->work : 0);
    double explained = 0.5 * bri_abs(step->contact_work) + bri_max(0, step->corrected);
    if (step->model->springs || step->model->bushings) /* moreau swings as semi-implicit does */
        explained += 0.5 * bri_abs(bri_kinetic_energy(step->model, bri_state_bodies(end)) -
                                   bri_kinetic_energy(step->model, bri_state_bodies(start)));
    Turnover t = find_turnover(step, put_in);
    t.rounding += find_noise(step);
    double made = t.made - find_lag(step) - bri_min(explained, EXPLAINED * t.there);
    bool much = made > MADE * t.scale || (made > 0 && t.total > ADDED_UP * t.scale);
    return much && made > t.rounding ? made / t.scale : 0;
}

BrStatus br_state_energy(const BrModel *m, const BrState *s, BrEnergy *energy) {
    if (!m || !s || !energy) return BR_INVALID_ARGUMENT;
    if (s->fingerprint != m->fingerprint) return BR_MISMATCH;
    const BriBodyState *bodies = bri_state_bodies(s);
    *energy = (BrEnergy){.kinetic = bri_kinetic_energy(m, bodies),
                         .potential = bri_gravity_energy(m, bodies),
                         .stored = bri_spring_energy(m, s) + s->contact_energy,
                         .work = s->work,
                         .dissipated = s->dissipated};
    if (s->books_open != 0)
        energy->defect = energy->kinetic + energy->potential + energy->stored + energy->dissipated - energy->work -
                         s->initial_energy;
    return BR_OK;
}
