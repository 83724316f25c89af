/* event_way.c: see event.h. What an inner step of the event formulation meets on its way. Contacts are looked at where
 * it ends; bodies that met and parted, or passed, in between are found here (pass.c), each look being the smooth motion
 * itself up to that time. */
#include "step/event.h"
#include "step/overlap.h"
#include "step/pack.h"

typedef struct Along {
    BriFlow *flow;
    double now; /* s: where the bodies stand; negative: nowhere on the way */
} Along;

static const BriBodyState *go_along(const BriWay *way, int body, double time) {
    Along *along = way->user;
    BriFlow *f = along->flow;
    if (time != along->now) {
        if (time > 0) bri_flow_follow(f, f->time, time, f->trial);
        bri_unpack_bodies(f->step, time > 0 ? f->trial : f->y, f->time + time, f->bodies);
        along->now = time;
    }
    return &f->bodies[body];
}

/* Velocities at the start of the way, and the mean of both ends. */
static void read_velocities(const BriFlow *f, double h, BriBodyState *first, BriBodyState *with) {
    bri_unpack_bodies(f->step, f->y, f->time, first);
    bri_unpack_bodies(f->step, f->end, f->time + h, with);
    for (int i = 0; i < f->step->model->bodies; i++) {
        with[i].v = bri_scale(0.5, bri_add(first[i].v, with[i].v));
        with[i].w = bri_scale(0.5, bri_add(first[i].w, with[i].w));
    }
}

double bri_flow_clear(BriFlow *f, double h, double acceleration, bool looks) {
    BrWorkspace *w = f->step->ws;
    if (f->step->model->shapes == 0) return h;
    read_velocities(f, h, w->part_start, w->bodies);
    Along along = {f, -1};
    BriWay way = {.h = h,
                  .go = go_along,
                  .user = &along,
                  .first = w->part_start,
                  .with = w->bodies,
                  .acceleration = acceleration,
                  .fine = 0.02,
                  .aim = bri_flow_no_gap(f) / 2,
                  .all = looks,
                  .from_start = !looks};
    return bri_min(bri_find_pass(f->step, &way), h * bri_find_known(f->step, &way));
}
