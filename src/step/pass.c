/* pass.c: see overlap.h. Poses at the two ends of a way say nothing of what lay between, once the way is longer than the
 * bodies are thick. Such pairs are followed along it by conservative advancement: two surfaces a gap g apart along n
 * cannot meet before their points have come that way,
 *     c1 t + c2 t^2 >= g,   c1 = n.(v_a - v_b) + sum arm |n x w|,   c2 = a + sum arm w^2                            (7.46)
 * (a: bound on accelerations, arm: the farthest point from its body's centre). Steps aim a little beyond the gap, so
 * that the touch is seen as an overlap that is still on its own side; its time is then the root of the gap. */
#include "step/overlap.h"

#include "dynamics/motion.h"
#include "geom/convex.h"

enum {
    MOST_LOOKS = 500, /* of a pair: the way ends where one has come that grazes another all along */
    MOST_HALVINGS = 60
};
static const double LONG = 1e3; /* m: the arm of a plane that turns, which has no end; absolute */

/* Two shapes on their way. */
typedef struct Meeting {
    const BriModelShape *shape[2];
    BriBodyState body[2]; /* where they were looked at last, and */
    BriFrame frame[2];
    bool slabs;          /* both are convex or planes, and what moves them is known: (7.46) holds along any n */
    double speed;        /* m/s: no two points come nearer faster */
    double acceleration; /* m/s^2: a of (7.46) */
    double beyond;       /* m: what looks aim at behind the gap */
} Meeting;

/* How far a turn by 1 rad may take a point of the surface. A ball turns in itself. */
static double find_arm(const BriModelShape *s) {
    bool ball = s->shape.kind == BR_SHAPE_SPHERE || s->shape.kind == BR_SHAPE_POINT;
    return ball ? bri_norm(s->def.position_body) : bri_is_finite(s->extent) ? s->extent : LONG;
}

/* How fast the farthest point of a shape is on the average. A moved body's may change on the way: twice what it is. */
static double find_pace(const BrModel *m, const BriModelShape *s, const BriBodyState *with) {
    const BriBody *body = &m->body[s->body];
    double speed = bri_norm(with[s->body].v) + s->extent * bri_norm(with[s->body].w);
    return bri_is_still(body) ? 0 : (body->node < 0 ? 2 : 1) * speed;
}

bool bri_flies_far(const BrModel *m, int shape_a, int shape_b, const BriWay *way) {
    const BriModelShape *a = &m->shape[shape_a], *b = &m->shape[shape_b];
    double width = bri_shape_half_width(&a->shape) + bri_shape_half_width(&b->shape);
    return bri_is_finite(width) && way->h * (find_pace(m, a, way->with) + find_pace(m, b, way->with)) > width;
}

static bool is_convex(const BriModelShape *s) { return br_shape_info(s->shape.kind)->convex; }
static bool is_moved(const BrModel *m, const BriModelShape *s) {
    return m->body[s->body].node < 0 && !bri_is_still(&m->body[s->body]);
}

/* What one of the two adds. Velocities go from `first` to 2 `with` - `first`; their change counts twice, since it need
 * not be even. */
static void add_shape(const BrModel *m, const BriModelShape *s, const BriWay *way, Meeting *p) {
    const BriBodyState *first = &way->first[s->body], *with = &way->with[s->body];
    double arm = find_arm(s), half = bri_shape_half_width(&s->shape);
    if (half == 0) half = 1e-3 * s->extent; /* a disc has no width */
    if (bri_is_finite(half)) p->beyond += way->fine * half;
    p->slabs = p->slabs && (is_convex(s) || s->shape.kind == BR_SHAPE_PLANE) && !is_moved(m, s);
    if (bri_is_still(&m->body[s->body])) return;
    double change = bri_norm(bri_sub(with->v, first->v)) + arm * bri_norm(bri_sub(with->w, first->w));
    double speed = bri_norm(first->v) + arm * bri_norm(first->w) + 2 * change + way->h * way->acceleration;
    p->speed += (is_moved(m, s) ? 2 : 1) * speed;
    p->acceleration += 2 * change / way->h + way->acceleration;
}

/* ------------------------------------------------------------------ one look */

/* The gap at a time, as far as `reach`; *touch: there. */
static double look(Meeting *p, const BriWay *way, double time, double reach, BriTouch *touch) {
    BriTouch found[BRI_PATCH];
    double least = reach;
    for (int e = 0; e < 2; e++) {
        const BriBodyState *at = way->go(way, p->shape[e]->body, time);
        bri_place_shape(p->shape[e], at->r, &at->A, &p->frame[e]);
        p->body[e] = *at;
    }
    int points = bri_collide(&p->shape[0]->shape, &p->frame[0], &p->shape[1]->shape, &p->frame[1], reach, found);
    for (int i = 0; i < points; i++) {
        if (!(found[i].gap < least)) continue;
        least = found[i].gap;
        *touch = found[i];
    }
    return least;
}

/* How far apart two shapes are along the normal of a place, m: over a plane that is its gap. */
static double measure_slab(const Meeting *p, const BriTouch *touch) {
    BrVec3 n = touch->normal;
    if (!is_convex(p->shape[0]) || !is_convex(p->shape[1])) return touch->gap;
    BriConvex a = bri_convex_make(&p->shape[0]->shape, &p->frame[0]),
              b = bri_convex_make(&p->shape[1]->shape, &p->frame[1]);
    return bri_dot(n, bri_convex_offset(&a, &b)) - bri_convex_height(&a, n) - bri_convex_height(&b, n) - a.ball -
           b.ball;
}

static bool spend_look(BriStep *step, const Meeting *p) {
    return bri_spend(step->budget, bri_collide_work(&p->shape[0]->shape, &p->shape[1]->shape));
}

/* The time that they surely need to come by `gap` along n (7.46). */
static double find_time_along(const BrModel *m, const Meeting *p, BrVec3 n, double gap) {
    double c1 = 0, c2 = p->acceleration;
    for (int e = 0; e < 2; e++) {
        const BriBodyState *at = &p->body[e];
        if (bri_is_still(&m->body[p->shape[e]->body])) continue;
        double arm = find_arm(p->shape[e]);
        c1 += (e ? -1 : 1) * bri_dot(n, at->v) + arm * bri_norm(bri_cross(n, bri_mul(&at->A, at->w)));
        c2 += arm * bri_dot(at->w, at->w);
    }
    double under = c1 + bri_sqrt(c1 * c1 + 4 * c2 * gap);
    return under > 0 ? 2 * gap / under : __builtin_inf();
}

/* How long nothing deeper than `beyond` can come about, from where they were looked at. */
static double find_safe_time(const BrModel *m, const Meeting *p, double gap, const BriTouch *touch) {
    double time = (bri_max(gap, 0) + p->beyond) / p->speed;
    if (!touch) return time; /* as far as was looked there is nothing */
    double slab = p->slabs ? bri_max(measure_slab(p, touch), 0) : 0;
    return p->slabs ? bri_max(time, find_time_along(m, p, touch->normal, slab + p->beyond)) : time;
}

/* ------------------------------------------------------------------ along the way */

/* When the gap is way->aim below zero, between a time at which they are apart and one at which they overlap: false
 * position (Illinois), and halves where that is slow. */
static double find_root(BriStep *step, Meeting *p, const BriWay *way, double low, double gap_low, double high,
                        double gap_high) {
    double f_low = gap_low + way->aim, f_high = gap_high + way->aim, reach = gap_low + p->beyond, depth = f_high;
    BriTouch touch = {0};
    for (int k = 0, side = 0; k < MOST_HALVINGS && bri_abs(depth) > 0.5 * way->aim; k++) {
        double middle = k % 3 == 2 ? 0.5 * (low + high) : (low * f_high - high * f_low) / (f_high - f_low);
        if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
        if (!(middle > low && middle < high) || !spend_look(step, p)) break;
        double f = look(p, way, middle, reach, &touch) + way->aim;
        if (f > 0) {
            low = middle, f_low = f;
            if (side > 0) f_high *= 0.5;
            side = 1;
        } else {
            high = middle, f_high = depth = f;
            if (side < 0) f_low *= 0.5;
            side = -1;
        }
    }
    return high;
}

/* How long a pair goes without a touch, or where looks end. Those that overlap from the start are not asked. */
static double follow_pair(BriStep *step, const BriPair *pair, const BriWay *way, double until) {
    const BrModel *m = step->model;
    Meeting p = {.shape = {&m->shape[pair->a], &m->shape[pair->b]}, .slabs = true};
    double time = 0, before = 0, gap_before = 0;
    for (int e = 0; e < 2; e++) add_shape(m, p.shape[e], way, &p);
    if (!(p.speed > 0)) return way->h;
    if (p.beyond == 0) p.beyond = 1e-6 * p.speed * way->h; /* a point over a plane has no width at all */
    for (int k = 0; k < MOST_LOOKS && time < until && spend_look(step, &p); k++) {
        BriTouch touch = {0};
        double reach = (way->h - time) * p.speed + p.beyond, gap = look(&p, way, time, reach, &touch);
        if (gap < -2 * way->aim) return k ? find_root(step, &p, way, before, gap_before, time, gap) : way->h;
        before = time, gap_before = gap;
        time += find_safe_time(m, &p, gap, gap < reach ? &touch : NULL);
        if (way->from_start) break;
    }
    return bri_min(time, way->h);
}

bool bri_pair_meets(BriStep *step, int shape_a, int shape_b, const BriWay *way) {
    BriPair pair = {shape_a, shape_b};
    return follow_pair(step, &pair, way, way->h) < way->h;
}

/* Has a pair a place at which it is held? There its contact sees to it. */
static bool is_held(const BriContacts *c, const BriPair *pair) {
    for (int k = bri_first_contact(c, pair); k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        int a = contact->at.shape_a, b = contact->at.shape_b;
        if ((a != pair->a || b != pair->b) && (a != pair->b || b != pair->a)) return false;
        if (contact->mode.closed || contact->ask.active || (contact->soft && contact->soft->live)) return true;
    }
    return false;
}

static bool is_hollow(const BrModel *m, int shape) {
    BrShapeKind kind = m->shape[shape].shape.kind;
    return kind == BR_SHAPE_TUBE || kind == BR_SHAPE_BOWL || kind == BR_SHAPE_GROOVE;
}

/* May a pair have met that does not overlap at the end? What is inside a hollow would have to be outside then. */
static bool may_pass(const BrModel *m, const BriPair *pair, const BriWay *way) {
    bool hollow = is_hollow(m, pair->a) || is_hollow(m, pair->b);
    return way->all ? !hollow : bri_flies_far(m, pair->a, pair->b, way);
}

double bri_find_pass(BriStep *step, const BriWay *way) {
    BriContacts *c = step->ws->contacts;
    double first = way->h;
    for (int k = 0; k < c->pairs; k++) {
        const BriPair *pair = &c->pair[k];
        int body = c->fact[pair->a].fixed ? c->fact[pair->b].body : c->fact[pair->a].body;
        if (bri_is_put_aside(step, body)) continue;
        if (!may_pass(step->model, pair, way)) continue;
        if (is_held(c, pair)) continue;
        double passes = follow_pair(step, pair, way, way->each_group ? way->h : first);
        if (passes < way->h && way->each_group) {
            double *of_group = &c->groups.touch[c->groups.of[body]];
            bri_group_note(c, body, BRI_GROUP_TOUCHES);
            *of_group = bri_min(*of_group, passes);
        }
        first = bri_min(first, passes);
    }
    return first;
}

double bri_find_known(const BriStep *step, const BriWay *way) {
    const BriContacts *c = step->ws->contacts;
    double part = 1;
    for (int i = 0; !c->always && i < step->model->shapes; i++) {
        const BriShapeFacts *s = &c->fact[i];
        if (s->still) continue;
        double far = way->h * (bri_norm(way->with[s->body].v) + s->extent * bri_norm(way->with[s->body].w));
        if (far > c->reach[i]) part = bri_min(part, c->reach[i] / far);
    }
    return part;
}

const BriBodyState *bri_go_evenly(const BriWay *way, int i, double time) {
    const BriEvenly *evenly = way->user;
    const BriStep *step = evenly->step;
    const BriBodyState *from = &evenly->from[i], *first = &way->first[i], *with = &way->with[i];
    BriBodyState *at = &step->ws->impact_start[i]; /* of no use between impacts */
    double done = time / way->h;
    *at = *from;
    if (bri_is_still(&step->model->body[i])) return at;
    if (step->model->body[i].node < 0) {
        bri_motion_advance(step->model, i, evenly->time, time, from, at);
        return at;
    }
    BrVec3 v = bri_sub(with->v, first->v), w = bri_sub(with->w, first->w);
    at->r = bri_add_scaled(from->r, time, bri_add_scaled(first->v, done, v));
    at->A = bri_rotation_turn(&from->A, bri_scale(time, bri_add_scaled(first->w, done, w)));
    at->v = bri_add_scaled(first->v, 2 * done, v);
    at->w = bri_add_scaled(first->w, 2 * done, w);
    return at;
}
