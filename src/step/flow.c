/* flow.c: see event.h. */
#include "dynamics/force.h"
#include "dynamics/motion.h"
#include "step/event.h"

#include <string.h>

enum { PER_BODY = 18, EXTRA = 3 };

double *bri_flow_time(const BriFlow *f, double *y) { return y + f->ode.size - 1; }

static void read_body(const double *y, BriBodyState *b) {
    b->r = bri_vec(y[0], y[1], y[2]);
    memcpy(b->A.m, y + 3, sizeof b->A.m);
    b->v = bri_vec(y[12], y[13], y[14]);
    b->w = bri_vec(y[15], y[16], y[17]);
}

void bri_flow_read(BriFlow *f, const double *y) {
    const BrModel *m = f->step->model;
    BrState *trial = f->step->ws->trial;
    BriContacts *c = f->step->ws->contacts;
    const BriBodyState *start = bri_state_bodies(f->step->start);
    double t = y[f->ode.size - 1];
    trial->time = t;
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].node >= 0)
            read_body(y + PER_BODY * m->body[i].node, &f->bodies[i]);
        else
            bri_motion_advance(m, i, f->step->start->time, t - f->step->start->time, &start[i], &f->bodies[i]);
    }
    bri_contacts_move(f->step, f->bodies);
    for (int k = 0; k < c->count; k++) {
        c->contact[k].u = bri_contact_velocity(&c->contact[k], f->bodies);
        c->contact[k].slip = bri_tangential(&c->contact[k], c->contact[k].u);
    }
}

void bri_flow_write(const BriFlow *f, double *y) {
    const BrModel *m = f->step->model;
    for (int n = 0; n < m->moving; n++, y += PER_BODY) {
        const BriBodyState *b = &f->bodies[m->moving_body[n]];
        BrMat3 A = bri_rotation_normalise(&b->A);
        double numbers[6] = {b->v.x, b->v.y, b->v.z, b->w.x, b->w.y, b->w.z};
        y[0] = b->r.x, y[1] = b->r.y, y[2] = b->r.z;
        memcpy(y + 3, A.m, sizeof A.m);
        memcpy(y + 12, numbers, sizeof numbers);
    }
}

void bri_flow_accelerate(BriFlow *f, bool modes_fixed) {
    const BrModel *m = f->step->model;
    BrWorkspace *w = f->step->ws;
    double t = w->trial->time;
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0) bri_motion_acceleration(m, i, t, &f->bodies[i], w->acceleration + 6 * i);
    bri_free_accelerations(m, w, w->trial);
    bri_contacts_accelerate(f->step, f->bodies, t, modes_fixed, w->acceleration, w->lambda);
}

static double row_acceleration(const BriFlow *f, int contact, int row) {
    const BrModel *m = f->step->model;
    const BriContacts *c = f->step->ws->contacts;
    const double *C = c->C + BRI_ROW * (3 * contact + row), *a = f->step->ws->acceleration;
    int ends[2] = {c->contact[contact].a, c->contact[contact].b};
    double sum = c->bias[3 * contact + row];
    for (int e = 0; e < 2; e++)
        for (int i = 0; m->body[ends[e]].node >= 0 && i < 6; i++) sum += C[6 * e + i] * a[6 * ends[e] + i];
    return sum;
}

double bri_flow_normal_rate(const BriFlow *f, int contact) { return row_acceleration(f, contact, 0); }

BrVec3 bri_flow_slip_rate(const BriFlow *f, int contact) {
    const BriContact *c = &f->step->ws->contacts->contact[contact];
    return bri_add(bri_scale(row_acceleration(f, contact, 1), bri_column(&c->frame, 1)),
                   bri_scale(row_acceleration(f, contact, 2), bri_column(&c->frame, 2)));
}

/* Power that contacts take out, and that moved bodies, belts and driven joints put in. */
static void add_powers(const BriFlow *f, double *loss, double *work) {
    const BrModel *m = f->step->model;
    const BrWorkspace *w = f->step->ws;
    const BriContacts *c = w->contacts;
    bri_powers(m, w->trial, work, loss);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->active) continue;
        *loss -= bri_dot(contact->push, contact->u);
        *work -= bri_dot(contact->push, bri_contact_moved_velocity(m, f->bodies, contact));
    }
    for (int k = 0; k < m->joints; k++) *work += bri_joint_power(m, w->trial, k, w->lambda);
}

static void find_rate(void *user, double x, const double *y, double *dy) {
    BriFlow *f = user;
    const BrModel *m = f->step->model;
    const BriContacts *c = f->step->ws->contacts;
    (void)x; /* time is part of y */
    bri_flow_read(f, y);
    bri_flow_accelerate(f, true);
    const double *a = f->step->ws->acceleration;
    double *out = dy;
    for (int n = 0; n < m->moving; n++, out += PER_BODY) {
        int i = m->moving_body[n];
        const BriBodyState *b = &f->bodies[i];
        BrMat3 spin = {{{0, -b->w.z, b->w.y}, {b->w.z, 0, -b->w.x}, {-b->w.y, b->w.x, 0}}};
        BrMat3 turning = bri_mat_mul(&b->A, &spin);
        out[0] = b->v.x, out[1] = b->v.y, out[2] = b->v.z;
        memcpy(out + 3, turning.m, sizeof turning.m);
        memcpy(out + 12, a + 6 * i, 6 * sizeof(double));
    }
    add_powers(f, &out[0], &out[1]);
    out[2] = 1;
    double pace = f->slowing >= 0 ? bri_norm(c->contact[f->slowing].slip) : 1; /* dt = s dtau (7.20) */
    for (int i = 0; f->slowing >= 0 && i < f->ode.size; i++) dy[i] *= pace;
}

BrStatus bri_flow_start(BriStep *step, BriFlow *f) {
    const BrModel *m = step->model;
    BrWorkspace *w = step->ws;
    int size = PER_BODY * m->moving + EXTRA;
    if (!w->flow &&
        !(w->flow = bri_allocate(&m->allocator, (size_t)(BRI_COLUMNS + 7) * (size_t)size + 6 * (size_t)m->bodies,
                                 sizeof(double))))
        return bri_fail(step->error, BR_OUT_OF_MEMORY, "no memory for the event formulation");
    double *at = w->flow;
    *f = (BriFlow){.step = step, .bodies = bri_state_bodies(w->trial), .slowing = -1};
    f->y = at, f->end = at + size, f->trial = at + 2 * size;
    f->ode = (BriOde){size, find_rate, f, at + 3 * size};
    f->fixed = at + (BRI_COLUMNS + 7) * size;
    f->time = step->start->time;
    f->until = f->time + step->h;
    f->inner = step->start->inner_step > 0 ? step->start->inner_step : step->h;
    w->contacts->count = 0;
    bri_flow_write(f, f->y);
    memset(f->y + size - EXTRA, 0, EXTRA * sizeof(double));
    *bri_flow_time(f, f->y) = f->time;
    return BR_OK;
}

void bri_flow_finish(BriFlow *f, const double *loss_and_work) {
    BriStep *step = f->step;
    BriContacts *c = step->ws->contacts;
    bri_flow_read(f, f->y);
    bri_flow_accelerate(f, true);
    step->contact_loss += loss_and_work[0]; /* impacts have been booked already */
    step->contact_work += loss_and_work[1];
    step->ws->trial->inner_step = f->inner;
    step->report.contacts = c->count;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->total = contact->closed ? bri_scale(step->h, contact->push) : bri_vec(0, 0, 0);
    }
    memset(step->ws->p_step, 0, (size_t)step->model->rows * sizeof(double));
    for (int r = 0; r < step->model->rows; r++) step->ws->p_step[r] = step->h * step->ws->lambda[r];
    bri_contacts_remember(step, step->h);
}
