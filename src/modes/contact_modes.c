/* contact_modes.c: see contact_modes.h.
 *
 * Units: with s_k^2 the largest of the diagonal entries of contact k, W~ = W/(s_i s_k) has no entry above 1, and the cone
 * of a contact is what it was, as its three rows have one unit.
 *
 * A plane: contacts without slip whose normals are square to a direction e have t2 = e. If no force in the plane
 * (n, t1, of slides n - drag) moves anything along e, and nothing else does, answers in the plane are answers:
 *     W_(t2 i, j) f_j = 0,        b_(t2 i) = 0                                                                  (12.4)
 */
#include "modes/contact_modes.h"

#include "math/vec.h"

static const double NOTHING = 1e-10; /* of numbers near 1: rounding of W and b */

BriModeArrays bri_modes_arrays(BriModes *m) {
    return (BriModeArrays){m->contacts, BRI_MODE_ROWS, m->W[0], m->b, m->size, m->scale, m->contact, &m->acceleration};
}

BriModeView bri_modes_view(const BriModes *m) {
    return (BriModeView){m->contacts, BRI_MODE_ROWS, m->W[0], m->b, m->scale, m->contact};
}

/* Moments have the unit of the contact that bears them: the cone is what it was. */
static void share_units(const BriModeArrays *m) {
    if (!m->contact[m->contacts - 1].borne) return; /* they stand behind all others */
    for (int k = 0; k < m->contacts; k++) {
        double *unit = &m->scale[bri_bearer(&m->contact[k], k)];
        *unit = bri_max(*unit, m->scale[k]);
    }
    for (int k = 0; k < m->contacts; k++) m->scale[k] = m->scale[bri_bearer(&m->contact[k], k)];
}

static void find_units(const BriModeArrays *m) {
    double largest = 0, most = 0;
    size_t stride = (size_t)m->stride;
    for (int i = 0; i < 3 * m->contacts; i++)
        for (int j = 0; j < 3 * m->contacts; j++)
            largest = bri_max(largest, bri_abs(m->W[(size_t)i * stride + (size_t)j]));
    for (int k = 0; k < m->contacts; k++) {
        double entry = 0;
        for (int r = 3 * k; r < 3 * k + 3; r++) entry = bri_max(entry, m->W[(size_t)r * (stride + 1)]);
        bool held = !(entry > 1e-12 * largest); /* joints hold it on all sides: it has no unit of its own */
        m->scale[k] = bri_sqrt(held ? (largest > 0 ? largest : 1) : entry);
    }
    share_units(m);
    for (int i = 0; i < 3 * m->contacts; i++) most = bri_max(most, m->size[i] / m->scale[i / 3]);
    *m->acceleration = most > 0 ? most : 1;
    for (int i = 0; i < 3 * m->contacts; i++) {
        for (int j = 0; j < 3 * m->contacts; j++)
            m->W[(size_t)i * stride + (size_t)j] /= m->scale[i / 3] * m->scale[j / 3];
        double unit = *m->acceleration * m->scale[i / 3];
        m->b[i] /= unit, m->size[i] /= unit;
        if (bri_abs(m->b[i]) <= 1e-12 * m->size[i]) m->b[i] = 0;
    }
    for (int k = 0; k < m->contacts; k++) {
        if (!m->contact[k].bounded) continue;
        double unit = *m->acceleration / m->scale[k];
        m->contact[k].lower /= unit, m->contact[k].upper /= unit;
    }
}

static void find_kinds(const BriModeArrays *m) {
    const double SLIP = 1e-9; /* m/s: as everywhere (7.17) */
    for (int k = 0; k < m->contacts; k++) {
        BriModeContact *c = &m->contact[k];
        double speed = bri_sqrt(c->slip[0] * c->slip[0] + c->slip[1] * c->slip[1]);
        bool slips = speed > SLIP;
        c->kind = slips || c->mu_s == 0 ? BRI_CASE_SLIPS : c->spins ? BRI_CASE_IN_LINE : BRI_CASE_RESTS;
        for (int i = 0; i < 2; i++) c->drag[i] = slips ? c->mu_k * c->slip[i] / speed : 0;
    }
}

void bri_modes_scale(const BriModeArrays *m) {
    find_units(m);
    find_kinds(m);
}

static void turn(double *x, double *y, double cosine, double sine) {
    double old = *x;
    *x = cosine * old + sine * *y;
    *y = cosine * *y - sine * old;
}

/* Turns t1 towards t2 of one contact: rows and columns of W, b, slip, drag and frame. */
static void turn_tangents(BriModes *m, int k, double cosine, double sine) {
    BriModeContact *c = &m->contact[k];
    int rows = 3 * m->contacts, s = 3 * k + 1, t = s + 1;
    for (int j = 0; j < rows; j++) turn(&m->W[s][j], &m->W[t][j], cosine, sine);
    for (int j = 0; j < rows; j++) turn(&m->W[j][s], &m->W[j][t], cosine, sine);
    for (int j = 0; j < 3; j++) turn(&c->frame[1][j], &c->frame[2][j], cosine, sine);
    turn(&m->b[s], &m->b[t], cosine, sine);
    turn(&c->slip[0], &c->slip[1], cosine, sine);
    turn(&c->drag[0], &c->drag[1], cosine, sine);
    m->size[s] = m->size[t] = bri_max(m->size[s], m->size[t]);
    if (bri_abs(m->b[t]) <= 1e-12 * m->size[t]) m->b[t] = 0;
}

/* t2 of every contact without slip along e; false: some normal is not square to it. */
static bool turn_to(BriModes *m, BrVec3 e) {
    for (int k = 0; k < m->contacts; k++) {
        const BriModeContact *c = &m->contact[k];
        double part[3];
        if (c->kind == BRI_CASE_SLIPS) continue;
        for (int i = 0; i < 3; i++) part[i] = c->frame[i][0] * e.x + c->frame[i][1] * e.y + c->frame[i][2] * e.z;
        if (bri_abs(part[0]) > NOTHING) return false;
        double length = bri_sqrt(part[1] * part[1] + part[2] * part[2]);
        turn_tangents(m, k, part[2] / length, -part[1] / length); /* the new t2 = (t1.e) t1 + (t2.e) t2 */
    }
    return true;
}

/* Does nothing of (12.4) happen along t2? */
static bool stays_in_plane(const BriModes *m) {
    for (int k = 0; k < m->contacts; k++) {
        int row = 3 * k + 2;
        if (m->contact[k].kind == BRI_CASE_SLIPS) continue;
        if (bri_abs(m->b[row]) > NOTHING) return false;
        for (int j = 0; j < m->contacts; j++) {
            const BriModeContact *c = &m->contact[j];
            const double *W = &m->W[row][3 * j];
            bool slips = c->kind == BRI_CASE_SLIPS;
            double along = slips ? W[0] - c->drag[0] * W[1] - c->drag[1] * W[2] : W[0];
            if (bri_abs(along) > NOTHING || (!slips && bri_abs(W[1]) > NOTHING)) return false;
        }
    }
    return true;
}

static bool moves_out(const BriModes *m) {
    for (int k = 0; k < m->contacts; k++)
        if (m->contact[k].kind != BRI_CASE_SLIPS && m->W[3 * k + 2][3 * k + 2] > NOTHING) return true;
    return false;
}

static bool try_plane(BriModes *m, BrVec3 e) {
    double length = bri_norm(e);
    if (!(length > NOTHING) || !turn_to(m, bri_scale(1 / length, e)) || !stays_in_plane(m)) return false;
    m->others_out = moves_out(m);
    for (int k = 0; k < m->contacts; k++)
        if (m->contact[k].kind == BRI_CASE_RESTS) m->contact[k].kind = BRI_CASE_IN_LINE;
    return true;
}

static BrVec3 read_axis(const BriModeContact *c, int i) {
    return bri_vec(c->frame[i][0], c->frame[i][1], c->frame[i][2]);
}

/* The tangential part of rows t1 and t2 of something, world. */
static BrVec3 read_tangential(const BriModeContact *c, double along_1, double along_2) {
    return bri_add(bri_scale(along_1, read_axis(c, 1)), bri_scale(along_2, read_axis(c, 2)));
}

/* Directions that a plane may be square to: across two normals, across what a normal force does to its own contact,
 * across b; the tangents there are. */
static bool find_plane(BriModes *m) {
    int first = 0, row;
    while (first < m->contacts && m->contact[first].kind == BRI_CASE_SLIPS) first++;
    if (first == m->contacts || m->unloaded) return first == m->contacts;
    const BriModeContact *c = &m->contact[first];
    row = 3 * first;
    BrVec3 n = read_axis(c, 0), t1 = read_axis(c, 1), t2 = read_axis(c, 2);
    BrVec3 coupled = read_tangential(c, m->W[row][row + 1], m->W[row][row + 2]);
    BrVec3 pulled = read_tangential(c, m->b[row + 1], m->b[row + 2]);
    for (int k = first + 1; k < m->contacts; k++)
        if (m->contact[k].kind == BRI_CASE_RESTS && try_plane(m, bri_cross(n, read_axis(&m->contact[k], 0))))
            return true;
    return try_plane(m, bri_cross(n, coupled)) || try_plane(m, bri_cross(n, pulled)) || try_plane(m, t1) ||
           try_plane(m, t2);
}

void bri_modes_prepare(BriModes *m) {
    BriModeArrays arrays = bri_modes_arrays(m);
    bri_modes_scale(&arrays);
    m->others_out = false;
    m->in_plane = find_plane(m);
    if (m->contacts > 1 || !m->in_plane || !m->others_out) return;
    m->contact[0].kind = BRI_CASE_RESTS; /* one contact is answered in space */
    m->in_plane = m->others_out = false;
}
