/* gather.c: see gather.h. With J the rows of the contacts, K the saddle matrix of masses and joints (5.1), a the free
 * accelerations and J' v what rows have of velocities and curvatures (7.28, 7.29):
 *     W = J K^-1 J^T,        b = J a + J' v                                                                     (12.1)
 */
#include "diagnose/gather.h"

#include "collide/pair.h"

#include <stddef.h>
#include <string.h>

/* ------------------------------------------------------------------ islands */

static int find_root(int *island, int body) {
    while (island[body] != body) body = island[body] = island[island[body]];
    return body;
}

static void join(const BrModel *m, int *island, int a, int b) {
    if (m->body[a].node < 0 || m->body[b].node < 0) return;
    int x = find_root(island, a), y = find_root(island, b);
    island[x > y ? x : y] = x > y ? y : x;
}

void bri_gather_islands(const BriStep *at, int *island) {
    const BrModel *m = at->model;
    const BriContacts *c = at->ws->contacts;
    for (int i = 0; i < m->bodies; i++) island[i] = i;
    for (int k = 0; k < m->joints; k++) join(m, island, m->joint[k].a, m->joint[k].b);
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].ask.active) join(m, island, c->contact[k].at.a, c->contact[k].at.b);
    for (int i = 0; i < m->bodies; i++) island[i] = find_root(island, i);
}

/* ------------------------------------------------------------------ the problem */

static const double *row_of(const BriContacts *c, int contact, int r) {
    return c->C + BRI_ROW * (c->rows_each * contact + r);
}

/* K^-1 of a row, into system.x. */
static void answer_row(const BriStep *at, const BriContact *contact, const double *row) {
    const BrModel *m = at->model;
    double *x = at->ws->system.x;
    const int ends[2] = {contact->at.a, contact->at.b};
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof *x);
    for (int e = 0; e < 2; e++) {
        const BriBody *body = &m->body[ends[e]];
        double *of = x + 6 * body->node;
        if (body->node < 0) continue;
        for (int c = 0; c < 6; c++) of[c] += row[6 * e + c];
        if (m->joints) continue;
        BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(of[3], of[4], of[5]));
        for (int c = 0; c < 3; c++) of[c] *= body->inverse_mass;
        of[3] = turn.x, of[4] = turn.y, of[5] = turn.z;
    }
    if (m->joints) bri_ldl_solve(&at->ws->system.ldl, x);
}

static double meet_row(const BriStep *at, const BriContact *contact, const double *row) {
    const double *x = at->ws->system.x;
    const int ends[2] = {contact->at.a, contact->at.b};
    double sum = 0;
    for (int e = 0; e < 2; e++)
        for (int c = 0, node = at->model->body[ends[e]].node; node >= 0 && c < 6; c++)
            sum += row[6 * e + c] * x[6 * node + c];
    return sum;
}

/* b of one row, and the size of what it is a sum of. */
static void find_free(const BriStep *at, const BriContact *contact, const double *row, double bias, double *b,
                      double *size) {
    const int ends[2] = {contact->at.a, contact->at.b};
    *b = bias, *size = bri_abs(bias);
    for (int e = 0; e < 2; e++)
        for (int c = 0; at->model->body[ends[e]].node >= 0 && c < 6; c++) {
            double part = row[6 * e + c] * at->ws->acceleration[6 * ends[e] + c];
            *b += part, *size += bri_abs(part);
        }
}

static void describe(const BriContact *contact, BriModeContact *mode) {
    BrVec3 slip = bri_tangential(contact, contact->got.u);
    mode->mu_s = contact->at.surface->mu_s, mode->mu_k = bri_surface_mu(contact->at.surface, bri_norm(slip));
    for (int i = 0; i < 3; i++) {
        BrVec3 axis = bri_column(&contact->at.frame, i);
        mode->frame[i][0] = axis.x, mode->frame[i][1] = axis.y, mode->frame[i][2] = axis.z;
        if (i) mode->slip[i - 1] = bri_dot(slip, axis);
    }
}

void bri_gather_modes(const BriStep *at, const int *list, int count, BriModes *modes) {
    const BriContacts *c = at->ws->contacts;
    memset(modes, 0, offsetof(BriModes, W));
    modes->contacts = count;
    modes->unloaded = true;
    for (int i = 0; i < 3 * count; i++) {
        const BriContact *contact = &c->contact[list[i / 3]];
        const double *row = row_of(c, list[i / 3], i % 3);
        answer_row(at, contact, row);
        for (int k = 0; k <= i; k++)
            modes->W[k][i] = modes->W[i][k] = meet_row(at, &c->contact[list[k / 3]], row_of(c, list[k / 3], k % 3));
    }
    for (int k = 0; k < count; k++) describe(&c->contact[list[k]], &modes->contact[k]);
}

void bri_gather_load(const BriStep *at, const int *list, BriModes *modes) {
    const BriContacts *c = at->ws->contacts;
    for (int i = 0; i < 3 * modes->contacts; i++)
        find_free(at, &c->contact[list[i / 3]], row_of(c, list[i / 3], i % 3),
                  c->bias[c->rows_each * list[i / 3] + i % 3], &modes->b[i], &modes->size[i]);
    modes->unloaded = false;
}

/* ------------------------------------------------------------------ compliance */

bool bri_gather_give(const BriStep *at, int number, double force, BriGive *give) {
    const BriContact *contact = &at->ws->contacts->contact[number];
    const BriSurface *surface = contact->at.surface;
    const BrLaw *normal = &surface->laws.compliant_normal, *friction = &surface->laws.compliant_friction;
    const BriModelShape *shape = at->model->shape;
    if (!normal->info || !friction->info) return false;
    double memory[BRI_NORMAL_MEMORY] = {0}, p = bri_normal_power(normal).exponent,
           k = bri_normal_power(normal).stiffness;
    if (k == 0)
        k = 4.0 / 3 * surface->modulus *
            bri_sqrt(bri_shapes_radius(&shape[contact->at.shape_a].shape, &shape[contact->at.shape_b].shape));
    if (!(k > 0)) return false;
    double depth = bri_pow(force / k, 1 / p);
    bri_law_touch(normal, 0, memory);
    give->stiffness = p * k * bri_pow(depth, p - 1);
    give->viscosity = bri_normal_viscosity(normal, k, memory, depth);
    BrStick stick = bri_friction_stick(friction, force);
    bool sticks = stick.stiffness > 0; /* else it creeps: across, as along the normal */
    give->tangent_stiffness = sticks ? stick.stiffness : give->stiffness;
    give->tangent_viscosity = sticks ? stick.viscosity : give->viscosity;
    return bri_is_finite(give->viscosity) && bri_is_finite(give->tangent_viscosity);
}
