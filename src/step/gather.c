/* gather.c: see gather.h. With J the rows of the contacts, K the saddle matrix of masses and joints (5.1), a the free
 * accelerations and J' v what rows have of velocities and curvatures (7.28, 7.29):
 *     W = J K^-1 J^T,        b = J a + J' v                                                                     (12.1)
 */
#include "step/gather.h"

#include "collide/pair.h"
#include "dynamics/servo.h"

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
    for (int k = 0; k < m->joints; k++) {
        const BriJoint *j = &m->joint[k];
        join(m, island, j->a, j->b);
        for (int i = 0; j->coupling && i < 2; i++)
            if (j->coupling->more[i] >= 0) join(m, island, j->a, j->coupling->more[i]);
    }
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].ask.active) join(m, island, c->contact[k].at.a, c->contact[k].at.b);
    for (int i = 0; i < m->bodies; i++) island[i] = find_root(island, i);
}

/* ------------------------------------------------------------------ joints' bounds */

void bri_gather_rest_motors(const BriStep *at) {
    const BrModel *m = at->model;
    for (int k = 0; k < m->joints; k++)
        for (int d = 0; d < m->joint[k].drives; d++) {
            double *clamp = &bri_state_joints(at->ws->trial)[k].clamp[d];
            int motor = m->joint[k].drive[d].motor;
            if (motor >= 0 && *clamp == BRI_FREE && bri_is_finite(bri_motor_effort(at, motor))) *clamp = BRI_RESTING;
        }
}

/* Does a bound take part as a limit or a bounded row? */
static bool takes_part(const BriStep *at, const BriBoundRow *bound) {
    if (bri_is_limit(bound)) return true;
    if (bound->kind == BRI_BOUND_FRICTION) return bound->lower < bound->upper;
    if (bound->kind != BRI_BOUND_MOTOR) return false;
    int drive = at->model->bound[bound->bound].drive, motor = at->model->joint[bound->joint].drive[drive].motor;
    bool rests = bri_state_joints(at->ws->trial)[bound->joint].clamp[drive] == BRI_RESTING;
    return rests && !bri_is_servo(at->model, motor) && bri_motor_effort(at, motor) > 0; /* servos are forces */
}

/* Is a joint of an island? */
static bool is_of(const BriStep *at, const BriJoint *j, const int *island, int root) {
    int end = at->model->body[j->b].node >= 0 ? j->b : j->a;
    return at->model->body[end].node >= 0 && island[end] == root;
}

bool bri_gather_grips(const BriStep *at, const int *island, int root) {
    const BrModel *m = at->model;
    for (int k = 0; k < m->grips; k++)
        if (is_of(at, &m->joint[m->grip[k].joint], island, root)) return true;
    return false;
}

int bri_gather_bounds(const BriStep *at, const int *island, int root, int room, int *list) {
    const BriContacts *c = at->ws->contacts;
    int count = 0;
    for (int k = 0; k < c->bounds; k++) {
        const BriBoundRow *bound = &c->bound[k];
        if (!is_of(at, &at->model->joint[bound->joint], island, root) || !takes_part(at, bound)) continue;
        if (count < room) list[count] = -1 - k;
        count++;
    }
    return count;
}

/* ------------------------------------------------------------------ the problem */

/* A row of an item: of a contact; or of a joint's bound, which has the first alone, and pushes along `sign` of it. */
typedef struct Line {
    const double *row; /* NULL: nothing */
    double sign, bias;
    int ends[2];
} Line;

static Line find_line(const BriStep *at, int item, int r) {
    const BriContacts *c = at->ws->contacts;
    if (item >= 0) {
        const BriFound *of = &c->contact[bri_item_contact(item)].at;
        bool spins = item >= BRI_ITEM_SPIN;
        if (bri_item_turns(item) && (r == 0 || r > 1 + !spins)) return (Line){NULL, 1, 0, {of->a, of->b}};
        int row = c->rows_each * bri_item_contact(item) + (spins ? 5 : bri_item_turns(item) ? 2 + r : r);
        return (Line){c->C + (size_t)BRI_ROW * (size_t)row, 1, c->bias[row], {of->a, of->b}};
    }
    const BriBoundRow *bound = &c->bound[-1 - item];
    const BriJoint *j = &at->model->joint[bound->joint];
    int row = c->rows_each * c->count + (-1 - item);
    double sign = bound->kind == BRI_BOUND_UPPER ? -1 : 1, bias = c->bias[row];
    if (r > 0) return (Line){NULL, 1, 0, {j->a, j->b}};
    if (bound->kind == BRI_BOUND_MOTOR) bias -= at->ws->target[bound->motor_row];
    return (Line){c->C + (size_t)BRI_ROW * (size_t)row, sign, bias, {j->a, j->b}};
}

/* K^-1 of a line, into system.x. */
static void answer_line(const BriStep *at, const Line *line) {
    const BrModel *m = at->model;
    double *x = at->ws->system.x;
    memset(x, 0, (6 * (size_t)m->moving + (size_t)m->rows) * sizeof *x);
    for (int e = 0; e < 2 && line->row; e++) {
        const BriBody *body = &m->body[line->ends[e]];
        double *of = x + 6 * body->node;
        if (body->node < 0) continue;
        for (int c = 0; c < 6; c++) of[c] += line->sign * line->row[6 * e + c];
        if (m->joints) continue;
        BrVec3 turn = bri_mul(&body->inverse_inertia, bri_vec(of[3], of[4], of[5]));
        for (int c = 0; c < 3; c++) of[c] *= body->inverse_mass;
        of[3] = turn.x, of[4] = turn.y, of[5] = turn.z;
    }
    if (m->joints) bri_ldl_solve(&at->ws->system.ldl, x);
}

static double meet_line(const BriStep *at, const Line *line) {
    const double *x = at->ws->system.x;
    double sum = 0;
    if (!line->row) return 0;
    for (int e = 0; e < 2; e++)
        for (int c = 0, node = at->model->body[line->ends[e]].node; node >= 0 && c < 6; c++)
            sum += line->row[6 * e + c] * x[6 * node + c];
    return line->sign * sum;
}

/* b of one line, and the size of what it is a sum of. */
static void find_free(const BriStep *at, const Line *line, double *b, double *size) {
    *b = line->sign * line->bias, *size = bri_abs(line->bias);
    if (!line->row) return;
    for (int e = 0; e < 2; e++)
        for (int c = 0; at->model->body[line->ends[e]].node >= 0 && c < 6; c++) {
            double part = line->sign * line->row[6 * e + c] * at->ws->acceleration[6 * line->ends[e] + c];
            *b += part, *size += bri_abs(part);
        }
}

/* What the last step left sticking does not slip, whatever its order left in the velocities. */
static BrVec3 find_slip(const BriStep *at, const BriContact *contact) {
    bool rigid = at->start->formulation != BR_FORMULATION_COMPLIANT;
    if (rigid && contact->was.known && !contact->was.landing && !contact->mode.sliding) return bri_vec(0, 0, 0);
    return bri_tangential(contact, contact->got.u);
}

static void describe(const BriStep *at, const BriContact *contact, BriModeContact *mode) {
    BrVec3 slip = find_slip(at, contact);
    mode->mu_s = contact->at.surface->mu_s, mode->mu_k = bri_surface_mu(contact->at.surface, bri_norm(slip));
    if (bri_creeps(contact)) { /* a function of its slip (7.50): no other may be there */
        double speed = bri_norm(slip);
        mode->mu_k *= speed > BRI_SLIP ? bri_tanh(speed / contact->at.surface->creep) : 0;
        mode->mu_s = mode->mu_k;
    }
    for (int i = 0; i < 3; i++) {
        BrVec3 axis = bri_column(&contact->at.frame, i);
        mode->frame[i][0] = axis.x, mode->frame[i][1] = axis.y, mode->frame[i][2] = axis.z;
        if (i) mode->slip[i - 1] = bri_dot(slip, axis);
    }
}

/* Moments of one contact, which stands before them as number `bearer`. */
static void describe_moment(const BriStep *at, int item, int bearer, BriModeContact *mode) {
    const BriContact *contact = &at->ws->contacts->contact[bri_item_contact(item)];
    const BriSurface *surface = contact->at.surface;
    BrVec3 turn = bri_scale(contact->turning->length, bri_contact_turn(contact, bri_state_bodies(at->start)));
    mode->borne = 1 + bearer, mode->spins = item >= BRI_ITEM_SPIN;
    mode->mu_s = mode->mu_k = (mode->spins ? surface->mu_spin : surface->mu_r) / contact->turning->length;
    for (int i = 1; i < 3 - mode->spins; i++) {
        BrVec3 axis = bri_column(&contact->at.frame, mode->spins ? 0 : i);
        mode->frame[i][0] = axis.x, mode->frame[i][1] = axis.y, mode->frame[i][2] = axis.z;
        mode->slip[i - 1] = bri_dot(turn, axis);
    }
}

int bri_gather_moments(const BriStep *at, int contacts, int count, int *list) {
    for (int k = 0; k < contacts; k++) {
        const BriContact *contact = &at->ws->contacts->contact[list[k]];
        if (!bri_resists_turning(contact)) continue;
        if (contact->at.surface->mu_r > 0) list[count++] = BRI_ITEM_ROLL + list[k];
        if (contact->at.surface->mu_spin > 0) list[count++] = BRI_ITEM_SPIN + list[k];
    }
    return count;
}

static void describe_bound(const BriStep *at, const BriBoundRow *bound, BriModeContact *mode) {
    const BriJointBound *of = &at->model->bound[bound->bound];
    const BriJoint *j = &at->model->joint[bound->joint];
    if (bri_is_limit(bound)) return;
    mode->bounded = true;
    mode->upper = bound->kind == BRI_BOUND_MOTOR ? bri_motor_effort(at, j->drive[of->drive].motor)
                                                 : j->def.dry_friction[of->coordinate];
    mode->lower = -mode->upper;
}

void bri_gather_modes(const BriStep *at, const int *list, const BriModeArrays *modes) {
    size_t stride = (size_t)modes->stride;
    for (int i = 0; i < 3 * modes->contacts; i++) {
        Line line = find_line(at, list[i / 3], i % 3);
        if (line.row) answer_line(at, &line);
        modes->b[i] = modes->size[i] = 0;
        for (int k = 0; k <= i; k++) {
            Line other = find_line(at, list[k / 3], k % 3);
            double entry = line.row ? meet_line(at, &other) : 0;
            modes->W[(size_t)k * stride + (size_t)i] = modes->W[(size_t)i * stride + (size_t)k] = entry;
        }
    }
    for (int k = 0, bearer = 0; k < modes->contacts; k++) {
        modes->contact[k] = (BriModeContact){0};
        if (list[k] < 0)
            describe_bound(at, &at->ws->contacts->bound[-1 - list[k]], &modes->contact[k]);
        else if (!bri_item_turns(list[k]))
            describe(at, &at->ws->contacts->contact[list[k]], &modes->contact[k]);
        else {
            for (; list[bearer] != bri_item_contact(list[k]); bearer++) continue; /* they are in its order */
            describe_moment(at, list[k], bearer, &modes->contact[k]);
            if (!modes->contact[bearer].bears) modes->contact[bearer].bears = k;
        }
    }
}

/* Where contacts are, and on which face: those of two bodies along one normal lie on one. */
static void find_faces(const BriStep *at, const int *list, const BriModeArrays *modes) {
    const double ALONG = 1e-9; /* rad: rounding of normals */
    const BriContact *contact = at->ws->contacts->contact;
    for (int k = 0; k < modes->contacts; k++) {
        BriModeContact *mode = &modes->contact[k];
        mode->face = list[k] < 0 ? -1 : k;
        if (list[k] >= 0 && !mode->borne) {
            BrVec3 place = bri_contact_point(&contact[list[k]]);
            mode->place[0] = place.x, mode->place[1] = place.y, mode->place[2] = place.z;
        }
        if (mode->borne) mode->face = modes->contact[mode->borne - 1].face + modes->contacts * (mode->spins ? 2 : 1);
        for (int i = k - 1; i >= 0 && list[k] >= 0 && !mode->borne; i--) {
            if (list[i] < 0) continue;
            const BriFound *a = &contact[list[i]].at, *b = &contact[list[k]].at;
            BrVec3 across = bri_cross(bri_column(&a->frame, 0), bri_column(&b->frame, 0));
            if (a->a != b->a || a->b != b->b || !(bri_norm(across) <= ALONG)) continue;
            mode->face = modes->contact[i].face;
            break;
        }
    }
}

/* Dry friction of joints that move is a force, whatever contacts do: b with what it does to each line. */
static void add_drags(const BriStep *at, const int *list, const BriModeArrays *modes) {
    const BriContacts *c = at->ws->contacts;
    for (int d = 0; d < c->bounds; d++) {
        const BriBoundRow *bound = &c->bound[d];
        if (bound->kind != BRI_BOUND_FRICTION || bound->lower != bound->upper) continue;
        Line drag = find_line(at, -1 - d, 0);
        answer_line(at, &drag);
        for (int i = 0; i < 3 * modes->contacts; i++) {
            Line line = find_line(at, list[i / 3], i % 3);
            double part = meet_line(at, &line) * bound->lower;
            modes->b[i] += part, modes->size[i] += bri_abs(part);
        }
    }
}

void bri_gather_load(const BriStep *at, const int *list, const BriModeArrays *modes) {
    for (int i = 0; i < 3 * modes->contacts; i++) {
        Line line = find_line(at, list[i / 3], i % 3);
        find_free(at, &line, &modes->b[i], &modes->size[i]);
    }
    add_drags(at, list, modes);
    find_faces(at, list, modes);
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
