/* view_run.c: the run behind the page: begun, stepped, changed while it goes on. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ATTENTION = 2e-3; /* s: clients are looked after so often while a long step is made */

void view_anchor(View *v) {
    v->anchor = wall_clock();
    v->anchor_time = br_state_time(v->l.state);
}

/* Asked within steps and readings. */
static bool look_around(void *user) {
    View *v = user;
    if (wall_clock() - v->looked >= ATTENTION) {
        serve(&v->server, 0, false);
        v->looked = wall_clock();
    }
    return was_interrupted();
}

/* ------------------------------------------------------------------ beginning */

/* The scene as the command line and the page want it. */
static bool load(const View *v, Loaded *l, BrError *error) {
    List set = v->set;
    const int most = (int)(sizeof set.item / sizeof set.item[0]);
    for (int i = 0; i < v->changes; i++) {
        if (set.count == most) {
            *error = (BrError){.status = BR_INVALID_ARGUMENT};
            snprintf(error->text, sizeof error->text, "more than %d assignments", most);
            return false;
        }
        set.item[set.count++] = v->change[i];
    }
    if (!load_scene(v->scene, &set, &v->include, v->step.separate, l, error)) return false;
    if (refuse_unstable(l, error) == BR_OK) return true;
    unload_scene(l);
    return false;
}

/* Rotations are told as four numbers; the time, which is the first, is told apart. */
static bool list_widths(BrRecorder *recorder, int **width, int *channels) {
    BrChannelInfo channel;
    *channels = br_recorder_channel_count(recorder);
    *width = calloc((size_t)*channels, sizeof **width);
    for (int i = 1; *width && i < *channels; i++) {
        br_recorder_channel(recorder, i, &channel);
        (*width)[i] = channel.width == 9 ? 4 : channel.width;
    }
    return *width != NULL;
}

static bool open_recorder(View *v, const Loaded *l, BrRecorder **recorder, BrError *error) {
    BrRecordDef def = br_record_def_like(l->scene);
    def.run = l->run;
    return br_recorder_open_rows(l->model, &def, view_take_row, v, recorder, error) == BR_OK;
}

static bool same_numbers(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool same_shape(const BrShapeDef *a, const BrShapeDef *b) {
    return a->kind == b->kind && a->body.index1 == b->body.index1 && a->radius == b->radius && a->length == b->length &&
           a->ring_radius == b->ring_radius && a->point_count == b->point_count &&
           same_numbers(&a->position_body.x, &b->position_body.x, 3) &&
           same_numbers(&a->rotation_body.m[0][0], &b->rotation_body.m[0][0], 9) &&
           same_numbers(&a->size.x, &b->size.x, 3) && same_numbers(a->quadric, b->quadric, 10) &&
           (!a->points || same_numbers(a->points, b->points, 2 * a->point_count));
}

/* Do both models have the same bodies, shapes and joints, as a page draws them? */
static bool looks_the_same(const BrModel *a, const BrModel *b) {
    if (br_model_body_count(a) != br_model_body_count(b) || br_model_shape_count(a) != br_model_shape_count(b) ||
        br_model_joint_count(a) != br_model_joint_count(b) || br_model_motor_count(a) != br_model_motor_count(b) ||
        br_model_spring_count(a) != br_model_spring_count(b))
        return false;
    bool same = true;
    for (int i = 0; i < br_model_body_count(a); i++)
        same =
            same && strcmp(br_body_def(a, br_model_body(a, i))->name, br_body_def(b, br_model_body(b, i))->name) == 0;
    for (int i = 0; i < br_model_shape_count(a); i++)
        same = same && same_shape(br_shape_def(a, br_model_shape(a, i)), br_shape_def(b, br_model_shape(b, i)));
    for (int i = 0; i < br_model_joint_count(a); i++) {
        const BrJointDef *p = br_joint_def(a, br_model_joint(a, i)), *q = br_joint_def(b, br_model_joint(b, i));
        same = same && strcmp(p->name, q->name) == 0 && p->type == q->type;
    }
    return same;
}

/* What goes with a model. */
static void give_up(View *v) {
    br_recorder_close(v->recorder, NULL);
    unload_scene(&v->l);
    free(v->width);
    free(v->page);
    v->recorder = NULL;
    v->width = NULL;
    v->page = NULL;
}

/* Puts what is loaded in the place of what was there; destroys it where that fails. */
static bool take_over(View *v, Loaded *l, BrError *error) {
    BrRecorder *recorder = NULL;
    int *width = NULL, channels = 0;
    l->run.step.stop = look_around;
    l->run.step.stop_user = v;
    snprintf(error->text, sizeof error->text, "no memory to show this run");
    if (!open_recorder(v, l, &recorder, error) || !list_widths(recorder, &width, &channels)) {
        br_recorder_close(recorder, NULL);
        unload_scene(l);
        return false;
    }
    if (v->l.model && !looks_the_same(v->l.model, l->model)) v->news.form++;
    give_up(v);
    v->l = *l;
    v->recorder = recorder;
    v->width = width;
    v->channels = channels;
    v->has_row = false;
    v->worst_since_row = (BrStepReport){0};
    return true;
}

bool view_begin(View *v, BrError *error) {
    Loaded fresh;
    if (!load(v, &fresh, error) || !take_over(v, &fresh, error)) return false;
    v->push = (Push){.steps = 0};
    v->single_steps = 0;
    v->uncertified = 0;
    v->news.run++;
    v->news.count++;
    v->news.pairs = 0;
    v->news.sentence[0] = 0;
    free(v->news.row);
    v->news.row = NULL;
    view_anchor(v);
    return true;
}

void view_end(View *v) {
    give_up(v);
    for (int i = 0; i < v->changes; i++) free(v->change[i]);
    free(v->news.row);
    free(v->news.pair);
}

/* ------------------------------------------------------------------ changing */

/* The number of the change of this path, or one more than there are. */
static int find_change(const View *v, const char *path) {
    size_t length = strlen(path);
    int i = 0;
    while (i < v->changes && !(strncmp(v->change[i], path, length) == 0 && v->change[i][length] == '=')) i++;
    return i;
}

/* Puts an assignment at a place of the list and gives back what was there; NULL takes it away again. */
static char *put_change(View *v, int at, char *change) {
    char *before = at < v->changes ? v->change[at] : NULL;
    v->change[at] = change;
    if (at == v->changes && change) v->changes++;
    if (at == v->changes - 1 && !change) v->changes--;
    return before;
}

static bool begins_elsewhere(const BrModel *a, const BrModel *b) {
    for (int i = 0; i < br_model_body_count(a); i++) {
        const BrBodyDef *p = br_body_def(a, br_model_body(a, i)), *q = br_body_def(b, br_model_body(b, i));
        if (!same_numbers(&p->position.x, &q->position.x, 3) ||
            !same_numbers(&p->rotation.m[0][0], &q->rotation.m[0][0], 9) ||
            !same_numbers(&p->velocity.x, &q->velocity.x, 3) ||
            !same_numbers(&p->angular_velocity.x, &q->angular_velocity.x, 3))
            return true;
    }
    return false;
}

/* The state goes on in the changed scene, if it can; else `note` says why not, and the change waits. */
static bool go_on_in(View *v, Loaded *fresh, char note[512], BrError *error) {
    BrState *moved = NULL;
    BrError why = {0};
    bool elsewhere = false;
    if (br_state_move(v->l.model, v->l.state, fresh->model, &moved, &why) != BR_OK) {
        snprintf(note, 512, "It takes effect with a reset: %.400s", why.text);
        unload_scene(fresh);
        return true;
    }
    elsewhere = begins_elsewhere(v->l.model, fresh->model);
    br_state_destroy(fresh->model, fresh->state);
    fresh->state = moved;
    if (!take_over(v, fresh, error)) return false;
    if (elsewhere) snprintf(note, 512, "It also changes where the run begins, which a reset shows");
    return true;
}

bool view_change(View *v, const char *path, const char *value, char note[512], BrError *error) {
    size_t size = strlen(path) + strlen(value) + 2;
    int at = find_change(v, path);
    char *change = at < MOST_CHANGES ? malloc(size) : NULL;
    Loaded fresh;
    if (!change) {
        snprintf(error->text, sizeof error->text, "no more than %d numbers can be changed in one run", MOST_CHANGES);
        return false;
    }
    snprintf(change, size, "%s=%s", path, value);
    char *before = put_change(v, at, change);
    bool done = load(v, &fresh, error) && go_on_in(v, &fresh, note, error);
    if (!done) put_change(v, at, before);
    free(done ? before : change);
    return done;
}

/* ------------------------------------------------------------------ stepping */

static BrVec3 add(BrVec3 a, double s, BrVec3 b) { return (BrVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }
static BrVec3 cross(BrVec3 a, BrVec3 b) {
    return (BrVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static BrVec3 turn(const BrMat3 *A, BrVec3 v) {
    const double(*m)[3] = A->m;
    return (BrVec3){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                    m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

/* k (to - p) - 2 sqrt(k m) v, of the point that is held: critical for the body's mass. r: from its centre to there, world. */
static BrVec3 pull_band(const Push *p, double mass, const BrPose *pose, const BrTwist *twist, BrVec3 r) {
    const BrVec3 none = {0, 0, 0};
    BrVec3 way = add(add(p->to, -1, pose->position), -1, r), speed = add(twist->linear, 1, cross(twist->angular, r));
    return add(add(none, p->stiffness, way), -2 * sqrt(p->stiffness * mass), speed);
}

/* The push as it is where the body is now, or none once it is over. */
static void set_push(View *v) {
    Push *p = &v->push;
    BrPose pose;
    BrTwist twist;
    BrBodyId body = br_model_body(v->l.model, p->body);
    if (!p->held) return;
    if (p->steps == 0 || br_body_pose(v->l.model, v->l.state, body, &pose) != BR_OK ||
        br_body_twist(v->l.model, v->l.state, body, &twist) != BR_OK) {
        view_let_go(v);
        return;
    }
    BrVec3 r = turn(&pose.rotation, p->at), force = p->force;
    if (p->stiffness > 0) force = pull_band(p, br_body_def(v->l.model, body)->mass, &pose, &twist, r);
    br_body_set_load(v->l.model, v->l.state, body, force, cross(r, force), NULL);
    p->steps--;
}

void view_let_go(View *v) {
    BrVec3 none = {0, 0, 0};
    if (v->push.held)
        br_body_set_load(v->l.model, v->l.state, br_model_body(v->l.model, v->push.body), none, none, NULL);
    v->push.held = false;
}

bool view_step(View *v) {
    BrStepReport report;
    BrError error = {0};
    char sentence[1024];
    set_push(v);
    BrStatus status = br_step(v->l.model, v->l.workspace, v->l.state, &v->l.run.step, &report, &error);
    if (status >= 0) {
        v->uncertified += status > 0;
        br_report_gather(&v->worst_since_row, &report);
        v->has_row = false;
        return true;
    }
    v->paused = true;
    v->single_steps = 0;
    if (status == BR_CANCELLED) return false;
    snprintf(sentence, sizeof sentence, "The step at t = %.9g s was refused, and the run is paused: %s",
             br_state_time(v->l.state), error.text);
    view_say(v, sentence);
    return false;
}

void view_row(View *v) {
    BrError error = {0};
    BrStatus status =
        br_recorder_write(v->recorder, v->l.workspace, v->l.state, &v->worst_since_row, v->uncertified, &error);
    if (status < 0 && !was_interrupted()) view_say(v, error.text);
    v->worst_since_row = (BrStepReport){0};
    v->has_row = true;
}
