/* flow.c: see event.h. */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/bound_modes.h"
#include "step/event.h"
#include "step/hold.h"
#include "step/pack.h"

#include <string.h>

enum { EXTRA = 3 };

/* Numbers of the motion, time being the last. */
static int count_motion(const BrModel *m) { return BRI_PACKED * m->moving + EXTRA; }

double *bri_flow_time(const BriFlow *f, double *y) { return y + count_motion(f->step->model) - 1; }

/* Sub-steps leave rotations that are none, by the square of their turns; shapes with such axes are touched at other
 * features than those that they have (a capsule's end for its side), and bend there differently. */
static void straighten_bodies(BriFlow *f) {
    const BrModel *m = f->step->model;
    for (int n = 0; n < m->moving; n++) {
        BriBodyState *b = &f->bodies[m->moving_body[n]];
        b->A = bri_straighten(&b->A);
    }
}

void bri_flow_read(BriFlow *f, const double *y) {
    BriContacts *c = f->step->ws->contacts;
    double t = y[count_motion(f->step->model) - 1];
    f->step->ws->trial->time = t;
    bri_unpack_bodies(f->step, y, t, f->bodies);
    straighten_bodies(f);
    bri_slide_look(f->step, f->bodies);
    if (f->bounded) bri_bounds_look(f->step, f->bodies);
    bri_contacts_move(f->step, f->bodies);
    for (int k = 0; k < c->count; k++) {
        c->contact[k].got.u = bri_contact_velocity(&c->contact[k], f->bodies);
        c->contact[k].mode.slip = bri_tangential(&c->contact[k], c->contact[k].got.u);
        if (c->contact[k].at.surface->by_slip) bri_contact_set_sliding(&c->contact[k], c->contact[k].mode.sliding);
    }
}

void bri_flow_write(const BriFlow *f, double *y) { bri_pack_bodies(f->step->model, f->bodies, y); }

void bri_flow_write_impulses(BriFlow *f) {
    const BrModel *m = f->step->model;
    const BrWorkspace *w = f->step->ws;
    double *out = f->y + count_motion(m);
    for (int r = 0; r < m->rows; r++) *out++ = w->p_step[r];
    for (int k = 0; k < m->grips; k++) *out++ = w->grip[k].heat;
    for (int k = 0; k < w->contacts->bounds; k++) *out++ = w->contacts->bound[k].total;
    for (int k = 0; k < w->contacts->count; k++) {
        BrVec3 total = w->contacts->contact[k].sum.total;
        *out++ = total.x, *out++ = total.y, *out++ = total.z;
    }
    f->ode.size = (int)(out - f->y);
    f->ode.along = f->ode.size - count_motion(m);
}

void bri_flow_read_impulses(BriFlow *f) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    const double *in = f->y + count_motion(m);
    for (int r = 0; r < m->rows; r++) w->p_step[r] = *in++;
    for (int k = 0; k < m->grips; k++) w->grip[k].heat = *in++;
    for (int k = 0; k < w->contacts->bounds; k++) w->contacts->bound[k].total = *in++;
    for (int k = 0; k < w->contacts->count; k++, in += 3)
        w->contacts->contact[k].sum.total = bri_vec(in[0], in[1], in[2]);
}

void bri_flow_copy_impulses(const BriFlow *f, const double *from, double *to) {
    int motion = count_motion(f->step->model);
    memcpy(to + motion, from + motion, (size_t)f->ode.along * sizeof(double));
}

/* Their rates: the forces. */
static void write_forces(const BriFlow *f, double *out) {
    const BrWorkspace *w = f->step->ws;
    for (int r = 0; r < f->step->model->rows; r++) *out++ = w->lambda[r];
    for (int k = 0; k < f->step->model->grips; k++) *out++ = bri_hold_heat(f->step, f->bodies, k);
    for (int k = 0; k < w->contacts->bounds; k++) *out++ = w->contacts->bound[k].p;
    for (int k = 0; k < w->contacts->count; k++) {
        BrVec3 push = w->contacts->contact[k].got.push;
        *out++ = push.x, *out++ = push.y, *out++ = push.z;
    }
}

/* Accelerations with the grips' friction as it is. */
typedef struct Accelerating {
    BriFlow *flow;
    BriForcesBy by;
} Accelerating;

static bool accelerate(void *user) {
    BriFlow *f = ((const Accelerating *)user)->flow;
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    double t = w->trial->time;
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0) bri_motion_acceleration(m, i, t, &f->bodies[i], w->acceleration + 6 * i);
    if (f->bounded) {
        memset(w->f, 0, 6 * (size_t)m->moving * sizeof(double));
        bri_bounds_push(f->step, f->bodies, w->f);
    }
    bri_free_accelerations(m, w, w->trial, f->bounded ? w->f : NULL);
    if (w->contacts->bounds) f->unheld_most = bri_measure_accelerations(m, w->acceleration, NULL);
    bri_spend(f->step->budget, 1000. + 300. * m->bodies + 1000. * m->joints);
    return bri_contacts_accelerate(f->step, f->bodies, ((const Accelerating *)user)->by, f->ahead, w->acceleration,
                                   w->lambda);
}

bool bri_flow_accelerate(BriFlow *f, BriForcesBy by, double least) {
    bool law = f->bounded && by != BRI_BY_MODES, begun = by == BRI_BY_LAW, fine;
    if (law) bri_bounds_ask(f->step, begun);
    for (int round = 0;; round++) {
        fine = bri_hold_settle(f->step, f->bodies, accelerate, &(Accelerating){f, by});
        if (!law || !bri_bounds_ask_motors(f->step, f->bodies, begun, least, round)) return fine;
    }
}

bool bri_flow_choose_grips(BriFlow *f) {
    return bri_hold_choose(f->step, f->bodies, accelerate, &(Accelerating){f, BRI_BY_MODES});
}

static double row_acceleration(const BriFlow *f, int contact, int row) {
    const BrModel *m = f->step->model;
    const BriContacts *c = f->step->ws->contacts;
    const double *C = c->C + BRI_ROW * (c->rows_each * contact + row), *a = f->step->ws->acceleration;
    int ends[2] = {c->contact[contact].at.a, c->contact[contact].at.b};
    double sum = c->bias[c->rows_each * contact + row];
    for (int e = 0; e < 2; e++)
        for (int i = 0; m->body[ends[e]].node >= 0 && i < 6; i++) sum += C[6 * e + i] * a[6 * ends[e] + i];
    return sum;
}

double bri_flow_normal_rate(const BriFlow *f, int contact) { return row_acceleration(f, contact, 0); }

BrVec3 bri_flow_slip_rate(const BriFlow *f, int contact) {
    const BriContact *c = &f->step->ws->contacts->contact[contact];
    return bri_add(bri_scale(row_acceleration(f, contact, 1), bri_column(&c->at.frame, 1)),
                   bri_scale(row_acceleration(f, contact, 2), bri_column(&c->at.frame, 2)));
}

/* Power that contacts take out, and that moved bodies, belts and driven joints put in. */
static void add_powers(const BriFlow *f, double *loss, double *work) {
    const BrModel *m = f->step->model;
    const BrWorkspace *w = f->step->ws;
    const BriContacts *c = w->contacts;
    bri_powers(m, w->trial, work, loss);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active) continue;
        *loss -= bri_dot(contact->got.push, contact->got.u);
        *work -= bri_dot(contact->got.push, bri_contact_moved_velocity(m, f->bodies, contact));
    }
    if (f->bounded) bri_bounds_power(f->step, f->bodies, loss, work);
    for (int k = 0; k < m->joints; k++) *work += bri_joint_power(m, w->trial, k, w->lambda);
    for (int k = 0; k < m->grips; k++) {
        double power = bri_hold_power(f->step, k);
        *loss += power;
        if (m->grip[k].driven) *work += power; /* its drive gives that too */
    }
}

static void find_rate(void *user, double x, const double *y, double *dy) {
    BriFlow *f = user;
    const BrModel *m = f->step->model;
    const BriContacts *c = f->step->ws->contacts;
    (void)x; /* time is part of y */
    bri_flow_read(f, y);
    bri_flow_accelerate(f, BRI_BY_MODES, 0);
    bri_pack_rates(m, f->bodies, f->step->ws->acceleration, dy);
    double *out = dy + BRI_PACKED * m->moving;
    add_powers(f, &out[0], &out[1]);
    out[2] = 1;
    write_forces(f, out + EXTRA);
    double pace = f->slowing >= 0 ? bri_norm(c->contact[f->slowing].mode.slip) : 1; /* dt = s dtau (7.20) */
    for (int i = 0; f->slowing >= 0 && i < f->ode.size; i++) dy[i] *= pace;
}

static double find_mass_ratio(const BrModel *m) {
    double least = __builtin_inf(), most = 0;
    for (int n = 0; n < m->moving; n++) {
        least = bri_min(least, m->body[m->moving_body[n]].mass);
        most = bri_max(most, m->body[m->moving_body[n]].mass);
    }
    return most > 0 ? most / least : 1;
}

/* The largest speed of a body's centre, and never less than 1 m/s: as lengths and speeds scale all tolerances. */
static double find_speed(const BriStep *step) {
    double speed = 1;
    for (int i = 0; i < step->model->bodies; i++) speed = bri_max(speed, bri_norm(bri_state_bodies(step->start)[i].v));
    return speed;
}

/* What counts as much of each number of y; of energies: masses at those speeds. The books of a heavy scene round off by
 * many joules; beside 1 J they would ask for no error at all. */
static void fill_scale(const BriStep *step, double speed, double *scale) {
    const BrModel *m = step->model;
    double length = step->position_tolerance / 4e-14, energy = 0;
    for (int n = 0; n < m->moving; n++) {
        const BriBody *body = &m->body[m->moving_body[n]];
        const BrMat3 *J = &body->inertia;
        double turn = bri_max(1, bri_norm(bri_state_bodies(step->start)[m->moving_body[n]].w));
        energy += body->mass * speed * speed + (J->m[0][0] + J->m[1][1] + J->m[2][2]) * turn * turn;
        for (int i = 0; i < BRI_PACKED; i++) *scale++ = i < 3 ? length : i < 12 ? 1 : i < 15 ? speed : turn;
    }
    scale[0] = scale[1] = m->moving ? energy : 1; /* J */
    scale[2] = 1;                                 /* s */
}

BrStatus bri_flow_start(BriStep *step, BriFlow *f) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    int motion = count_motion(m), size = motion + m->rows + m->grips + m->bounds + 3 * BRI_EVENT_CONTACTS;
    double *at = bri_make_flow(m, w, (size_t)(BRI_COLUMNS + 8) * (size_t)size + 6 * (size_t)m->bodies);
    if (!at) return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for the event formulation");
    *f = (BriFlow){.step = step, .bodies = bri_state_bodies(w->trial), .slowing = -1};
    f->y = at, f->end = at + size, f->trial = at + 2 * size;
    double *scale = at + (BRI_COLUMNS + 7) * size;
    f->speed = find_speed(step);
    fill_scale(step, f->speed, scale);
    f->ode = (BriOde){motion, find_rate, f, at + 3 * size, step->budget, scale, .along = 0};
    f->fixed = at + (BRI_COLUMNS + 8) * size;
    f->time = step->start->time;
    f->until = f->time + step->h;
    f->largest = bri_norm(m->gravity);
    f->mass_ratio = find_mass_ratio(m);
    f->inner = step->start->inner_step > 0 ? step->start->inner_step : step->h;
    w->contacts->count = w->contacts->bounds = 0;
    f->bounded = bri_bounds_any(m);
    if (f->bounded) bri_bounds_begin(step, f->bodies);
    bri_flow_write(f, f->y);
    memset(f->y + motion - EXTRA, 0, EXTRA * sizeof(double));
    memset(w->p_step, 0, (size_t)m->rows * sizeof(double));
    *bri_flow_time(f, f->y) = f->time;
    return BR_OK;
}

BrStatus bri_flow_finish(BriFlow *f, const double *loss_and_work) {
    BriStep *step = f->step;
    BriContacts *c = step->ws->contacts;
    bri_flow_read(f, f->y);
    bri_flow_accelerate(f, BRI_BY_MODES, 0);
    step->contact_loss += loss_and_work[0]; /* impacts have been booked already */
    step->contact_work += loss_and_work[1];
    step->ws->trial->inner_step = f->inner;
    step->report->contacts = c->count;
    return bri_contacts_remember(step, step->h);
}
