/* diagnose.c: br_state_diagnose(): the islands of a state, and their answers. */
#include "bristle/diagnose.h"

#include "diagnose/configuration.h"
#include "diagnose/mobility.h"
#include "diagnose/told.h"

#include <string.h>

const char *br_diagnosis_verdict_name(BrDiagnosisVerdict verdict) {
    static const char *const NAMES[BR_DIAGNOSES] = {"unique", "several", "none", "endless", "undecided"};
    return (unsigned)verdict < BR_DIAGNOSES ? NAMES[verdict] : "unknown";
}

const char *br_unique_proof_name(BrUniqueProof proof) {
    static const char *const NAMES[BR_PROOFS] = {"none", "one contact", "minors",   "energy",
                                                 "rest", "alone",       "all modes"};
    return (unsigned)proof < BR_PROOFS ? NAMES[proof] : "unknown";
}

const char *br_answer_stability_name(BrAnswerStability stability) {
    static const char *const NAMES[BR_ANSWER_STABILITIES] = {"stable", "unstable", "degenerate", "dependent",
                                                             "not told"};
    return (unsigned)stability < BR_ANSWER_STABILITIES ? NAMES[stability] : "unknown";
}

const char *br_answer_part_name(BrAnswerPart part) {
    static const char *const NAMES[BR_ANSWER_PARTS] = {"contact", "limit",   "dry friction",
                                                       "motor",   "rolling", "spinning"};
    return (unsigned)part < BR_ANSWER_PARTS ? NAMES[part] : "unknown";
}

void br_start_diagnose_def(BrDiagnoseDef *def, uint32_t size) {
    if (bri_start_def(def, size, sizeof *def)) def->most_work = 2e9;
}

/* ------------------------------------------------------------------ what is found, as users see it */

/* All answers of an island, and as users see them: made when a proof is not enough. */
typedef struct Answers {
    BriModeAnswers of;
    BrAnswerContact seen[BRI_ANSWERS][BRI_MODES];
    BrAnswer answer[BRI_ANSWERS];
} Answers;

/* The same of a crowd: one piece of memory for as many contacts as there were in the largest so far. */
typedef struct Crowd {
    BriCrowd of;
    int room; /* contacts */
    double *memory;
    BrAnswerContact *seen; /* BRI_CROWD_ANSWERS times room */
    BriGive *give;
    BrAnswer answer[BRI_CROWD_ANSWERS];
} Crowd;

enum { FEW = 32 };

typedef struct Look {
    BriTold t;
    BriBudget *budget;
    Answers *answers;
    Crowd crowd;
    int *contact;    /* room for all: */
    int few[2][FEW]; /* of few bodies and contacts here: to ask for memory takes as long as half a proof */
    int *memory[2];  /* of more; NULL */
} Look;

/* Room for so many numbers of one of two kinds; NULL: no memory. */
static int *find_room(Look *l, const BrAllocator *by, int kind, int count) {
    if (count <= FEW) return l->few[kind];
    return l->memory[kind] = bri_allocate(by, (size_t)count, sizeof(int));
}

static void show_answers(Look *l) {
    BrDiagnosis *d = &l->t.told;
    d->answers = l->answers->of.count;
    d->told = d->answers < BRI_ANSWERS ? d->answers : BRI_ANSWERS;
    d->answer = l->answers->answer;
    d->law_given = d->told > 0;
    for (int n = 0; n < d->told; n++) {
        const BriModeAnswer *answer = &l->answers->of.answer[n];
        BriAnswerView view = {answer->mode, answer->drag, answer->p, answer->u};
        BriGive give[BRI_MODES];
        d->law_given = bri_instant_gives(&l->t.island, &l->t.modes, answer->p, give) && d->law_given;
        BriLayer layer = bri_find_layer(&l->t.island.modes, answer, give);
        l->answers->answer[n] = bri_show_answer(&l->t, &view, &layer, answer->shared, l->answers->seen[n]);
    }
}

static void show_crowd(Look *l) {
    BrDiagnosis *d = &l->t.told;
    Crowd *c = &l->crowd;
    d->answers = d->told = c->of.answers;
    d->answer = c->answer;
    d->law_given = d->told > 0;
    for (int n = 0; n < d->told; n++) {
        BriCrowdAnswer *answer = &c->of.answer[n];
        BriAnswerView view = {answer->mode, (const double(*)[2])answer->drag, answer->p, answer->u};
        d->law_given = bri_instant_gives(&l->t.island, &l->t.modes, answer->p, c->give) && d->law_given;
        BriLayer layer = bri_crowd_layer(&c->of, n, c->give);
        answer->shared = layer.settling == BRI_DEPENDENT;
        c->answer[n] = bri_show_answer(&l->t, &view, &layer, answer->shared, c->seen + (size_t)n * (size_t)c->room);
    }
}

/* ------------------------------------------------------------------ judging */

static double find_mu(const BriTold *t) {
    double mu = 0;
    for (int k = 0; k < t->modes.contacts; k++)
        if (!t->modes.contact[k].borne) mu = bri_max(mu, t->modes.contact[k].mu_s);
    return mu;
}

/* Of one contact, whose mu and slip the modes have. */
static void find_nearest_pose(BriTold *t) {
    BrDiagnosis *d = &t->told;
    const BriStep *at = t->island.at;
    const BriContact *contact = bri_told_contact(t, 0);
    const BriModeContact *mode = &t->modes.contact[0];
    bool held = bri_body_is_held(at->model, contact->at.a) || bri_body_is_held(at->model, contact->at.b);
    if (d->contacts != 1 || held || t->proof_is_enough || !(d->mu > 0)) return;
    const double slip[3] = {0, mode->slip[0], mode->slip[1]};
    bool slips = mode->kind == BRI_CASE_SLIPS;
    BriConfiguration found = bri_find_configuration(
        at, contact, slips ? bri_modes_to_world(mode, slip) : bri_vec(0, 0, 0), slips ? mode->mu_k : mode->mu_s);
    d->turn_to_painleve = found.turn, d->turn_axis = found.axis;
    d->move_to_painleve = found.move, d->move_way = found.way;
}

static void prove(BriTold *t) {
    static const BrUniqueProof PROOFS[] = {BR_PROOF_NONE,   BR_PROOF_ONE_CONTACT, BR_PROOF_MINORS,
                                           BR_PROOF_ENERGY, BR_PROOF_REST,        BR_PROOF_ENERGY};
    BrDiagnosis *d = &t->told;
    BriModes *modes = &t->island.modes;
    BriProof proof = bri_prove_unique(modes);
    t->modes = bri_modes_arrays(modes);
    t->at_most = proof == BRI_PROOF_AT_MOST;
    d->proof = PROOFS[proof];
    d->mu = find_mu(t);
    bool asked = d->contacts == 1 || !modes->unloaded; /* of several it takes longer than all else */
    double factor = asked ? bri_find_painleve(modes) : __builtin_nan("");
    d->mu_painleve = d->contacts == 1 ? factor : d->mu > 0 ? factor * d->mu : __builtin_nan("");
    d->in_plane = modes->others_out;
    find_nearest_pose(t);
}

/* What was proved is enough. Every step: a sentence with names takes as long as all else. */
static void judge_by_proof(BriTold *t) {
    BrDiagnosis *d = &t->told;
    static const char ANY[] = "one answer, whatever pulls", THIS[] = "one answer, as it is pulled";
    bool this = d->proof == BR_PROOF_REST || d->proof == BR_PROOF_ALONE;
    d->verdict = BR_DIAGNOSIS_UNIQUE;
    d->answers = 1;
    memcpy(d->text, this ? THIS : ANY, this ? sizeof THIS : sizeof ANY);
}

static bool is_proved(BriTold *t) {
    bri_instant_gather(&t->island);
    prove(t);
    if (t->told.proof == BR_PROOF_NONE || t->at_most) return false;
    judge_by_proof(t);
    return true;
}

static void judge(BriTold *t) {
    BrDiagnosis *d = &t->told;
    bool proved = d->proof != BR_PROOF_NONE && !(t->at_most && d->answers == 0);
    bool one = proved || (t->complete && d->answers == 1);
    d->verdict = t->endless       ? BR_DIAGNOSIS_ENDLESS
                 : one            ? BR_DIAGNOSIS_UNIQUE
                 : d->answers > 1 ? BR_DIAGNOSIS_SEVERAL
                 : t->complete    ? BR_DIAGNOSIS_NONE
                                  : BR_DIAGNOSIS_UNDECIDED;
    if (d->verdict == BR_DIAGNOSIS_UNIQUE && d->proof == BR_PROOF_NONE) d->proof = BR_PROOF_ALL_MODES;
}

/* Where not all combinations were looked at: is the answer that was found the only one? */
static void prove_alone(Look *l) {
    BriTold *t = &l->t;
    bool open = !t->complete && !t->endless && l->answers->of.count == 1;
    if (open && t->told.proof == BR_PROOF_NONE && bri_is_alone(&t->island.modes, &l->answers->of.answer[0]))
        t->told.proof = BR_PROOF_ALONE;
}

static BrStatus no_memory(const BriStep *at) {
    return bri_fail(at->error, BR_OUT_OF_MEMORY, "no memory to diagnose %d bodies", at->model->bodies);
}

static bool make_room(Look *l, int contacts) {
    const BrAllocator *by = &l->t.island.at->model->allocator;
    Crowd *c = &l->crowd;
    if (c->room >= contacts) return true;
    bri_release(by, c->memory);
    bri_release(by, c->seen);
    bri_release(by, c->give);
    c->room = contacts;
    c->memory = bri_allocate(by, bri_crowd_size(contacts), sizeof *c->memory);
    c->seen = bri_allocate(by, BRI_CROWD_ANSWERS * (size_t)contacts, sizeof *c->seen);
    c->give = bri_allocate(by, (size_t)contacts, sizeof *c->give);
    return c->memory && c->seen && c->give;
}

/* Is the first answer that solvers find the only one? proved: if there is one. */
static bool find_lone(Look *l, bool proved) {
    BriCrowd *c = &l->crowd.of;
    if (c->answers == 0) bri_crowd_search(c, false);
    return c->answers == 1 && (proved || l->t.at_most || bri_crowd_is_alone(c, 0));
}

enum { SHOWN = 4 }; /* contacts whose combinations are all looked at anyway: they tell who shares what */

/* One answer that solvers find, of few contacts, and that it is alone: which takes less than all combinations. */
static BrStatus find_alone(Look *l, bool proved, bool *found) {
    BriTold *t = &l->t;
    if (!make_room(l, t->told.contacts)) return no_memory(t->island.at);
    l->crowd.of = bri_crowd_place(l->crowd.memory, t->told.contacts, l->budget);
    bri_crowd_take(&l->crowd.of, &t->island.modes);
    *found = find_lone(l, proved);
    if (*found && !proved && !t->at_most) t->told.proof = BR_PROOF_ALONE;
    return BR_OK;
}

/* All combinations; in a run no more of them than take some milliseconds. */
static void find_combinations(Look *l) {
    const double LIVE = 2e7; /* operations */
    BriTold *t = &l->t;
    BriBudget own = *l->budget;
    if (t->proof_is_enough) own.most = bri_min(own.most, own.spent + LIVE);
    bri_find_answers(&t->island.modes, &own, &l->answers->of);
    own.most = l->budget->most;
    *l->budget = own;
    t->complete = l->answers->of.complete, t->endless = l->answers->of.endless, t->stopped = l->answers->of.stopped;
}

static BrStatus find_all(Look *l) {
    const BriStep *at = l->t.island.at;
    BriTold *t = &l->t;
    BrStatus status = bri_instant_load(&t->island);
    if (status < 0) return status;
    prove(t);
    bool proved = t->told.proof != BR_PROOF_NONE && !t->at_most;
    bool many = t->told.contacts > (t->proof_is_enough ? 1 : SHOWN), found = false;
    if (many && !(proved && t->proof_is_enough)) {
        status = find_alone(l, proved, &found);
        if (status < 0) return status;
        proved = proved || found;
    }
    if (t->proof_is_enough && proved) {
        judge_by_proof(t);
        return BR_OK;
    }
    if (found) {
        t->modes = l->crowd.of.modes;
        show_crowd(l);
        judge(t);
        return BR_OK;
    }
    if (!l->answers) l->answers = bri_allocate(&at->model->allocator, 1, sizeof *l->answers);
    if (!l->answers) return no_memory(at);
    find_combinations(l);
    if (proved && l->answers->of.count > 1) l->answers->of.count = 1; /* the others are it, but for rounding */
    prove_alone(l);
    show_answers(l);
    judge(t);
    return BR_OK;
}

/* ------------------------------------------------------------------ crowds */

static void prove_crowd(Look *l) {
    BriTold *t = &l->t;
    BriDefinite definite = bri_crowd_is_definite(&l->crowd.of);
    t->at_most = definite == BRI_DEFINITE_SHARED;
    if (definite != BRI_DEFINITE_NOT) t->told.proof = BR_PROOF_ENERGY;
    if (definite != BRI_DEFINITE_ONE && bri_crowd_lies_flat(&l->crowd.of)) t->told.proof = BR_PROOF_REST;
    t->told.mu = find_mu(t);
}

static BrStatus look_at_crowd(Look *l) {
    BriTold *t = &l->t;
    if (!make_room(l, t->told.contacts)) return no_memory(t->island.at);
    l->crowd.of = bri_crowd_place(l->crowd.memory, t->told.contacts, l->budget);
    t->modes = l->crowd.of.modes;
    BrStatus status = bri_instant_fill_crowd(&t->island, &l->crowd.of);
    if (status < 0) return status;
    prove_crowd(l);
    bool proved = t->told.proof != BR_PROOF_NONE;
    if (proved && t->proof_is_enough && !t->at_most) {
        judge_by_proof(t);
        return BR_OK;
    }
    bool alone = !proved && find_lone(l, false);
    if (alone) t->told.proof = BR_PROOF_ALONE;
    if (alone && t->proof_is_enough) {
        judge_by_proof(t);
        return BR_OK;
    }
    if (l->crowd.of.answers == 0 || !(proved || alone)) t->beginnings = bri_crowd_search(&l->crowd.of, !proved);
    t->stopped = !bri_has_budget(l->budget);
    t->complete = t->endless = false;
    show_crowd(l);
    judge(t);
    return BR_OK;
}

/* ------------------------------------------------------------------ all islands */

/* Contacts of one island. */
typedef struct Closed {
    int count;             /* bounds of joints, and moments, that take part count, too */
    bool strikes, resists; /* some approach; some resist rolling or spinning */
    bool rubs;             /* friction in bearings acts */
} Closed;

/* m/s: contacts that approach slower do not strike: by less than rounding, and than what steps of this length take for no
 * impact, which is what schemes of order 1 leave of closed contacts whose normals turn. */
static double find_slow(const BriStep *at) {
    double fall = at->start->steps ? 2 * bri_norm(at->model->gravity) * at->start->dt : 0;
    return bri_max(1e6 * at->velocity_tolerance, fall);
}

static Closed list_closed(const BriStep *at, const int *island, int root, int *list) {
    const BriContacts *c = at->ws->contacts;
    double slow = find_slow(at);
    Closed closed = {0};
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active || island[contact->at.b] != root) continue;
        list[closed.count] = k;
        double rate = bri_dot(bri_normal(contact), contact->got.u);
        closed.strikes = closed.strikes || rate < -slow;
        closed.resists = closed.resists || bri_resists_turning(contact);
        closed.count++;
    }
    int contacts = closed.count;
    if (contacts) closed.count += bri_gather_bounds(at, island, root, c->bounds, list + contacts);
    if (contacts && at->model->grips) closed.rubs = bri_gather_grips(at, island, root);
    if (closed.resists) closed.count = bri_gather_moments(at, contacts, closed.count, list);
    return closed;
}

/* Why an island cannot be looked at; NULL: it can. */
static const char *find_obstacle(const Look *l, const Closed *closed) {
    const BriStep *at = l->t.island.at;
    bool compliant = at->start->formulation == BR_FORMULATION_COMPLIANT;
    if (closed->count > BRI_CROWD) return "more than 256 contacts";
    if (closed->strikes && !compliant) return "its contacts approach: an impact comes first";
    if (closed->rubs) return "friction in bearings takes part, whose bounds hang on what the joints themselves bear";
    if (!bri_has_budget(l->budget)) return "the work that a diagnosis may take has ended (most_work)";
    return NULL;
}

static BrStatus look(Look *l, int root, const Closed *closed) {
    BriTold *t = &l->t;
    const char *obstacle = find_obstacle(l, closed);
    BrStatus status = BR_OK;
    t->told.body = br_model_body(t->island.at->model, root);
    t->told.mu_painleve = t->told.turn_to_painleve = t->told.move_to_painleve = __builtin_nan("");
    if (obstacle) {
        t->told.verdict = BR_DIAGNOSIS_UNDECIDED;
        bri_say_obstacle(t, root, obstacle);
    } else {
        bool few = t->told.contacts <= BRI_MODES && !closed->resists;
        if (few && t->proof_is_enough && is_proved(t)) return BR_OK;
        status = few ? find_all(l) : look_at_crowd(l);
        if (status < 0) return status;
        if (t->told.text[0] == 0) bri_say_verdict(t);
    }
    bri_clean_text(t->told.text);
    return BR_OK;
}

/* `island`: room for a number per body. */
static BrStatus look_at_all(Look *l, int *island, void (*tell)(void *user, const BrDiagnosis *diagnosis), void *user) {
    const BriStep *at = l->t.island.at;
    BrStatus status = bri_instant_prepare(&l->t.island, !l->t.proof_is_enough);
    if (status < 0) return status;
    l->contact = find_room(l, &at->model->allocator, 1, 3 * at->ws->contacts->count + at->ws->contacts->bounds + 1);
    if (!l->contact) return no_memory(at);
    l->t.island.contact = l->contact;
    bri_gather_islands(at, island);
    for (int root = 0; status == BR_OK && root < at->model->bodies; root++) {
        Closed closed = {0};
        if (island[root] == root) closed = list_closed(at, island, root, l->contact);
        if (closed.count == 0) continue;
        l->t.island.count = closed.count;
        l->t.told = (BrDiagnosis){.contacts = closed.count};
        status = look(l, root, &closed);
        if (status == BR_OK) tell(user, &l->t.told);
    }
    return status;
}

static BrStatus check_def(const BrDiagnoseDef *def, BrError *error) {
    BrStatus unfit = bri_check_def(def, sizeof *def, "br_default_diagnose_def", error);
    if (unfit != BR_OK || def->most_work > 0) return unfit;
    return bri_fail(error, BR_INVALID_ARGUMENT, "most_work of a diagnosis is %.9g operations; it must be positive",
                    def->most_work);
}

static void release(Look *l, const BrAllocator *by) {
    bri_release(by, l->memory[0]);
    bri_release(by, l->memory[1]);
    bri_release(by, l->answers);
    bri_release(by, l->crowd.memory);
    bri_release(by, l->crowd.seen);
    bri_release(by, l->crowd.give);
}

BrStatus br_state_diagnose(const BrModel *m, BrWorkspace *w, const BrState *state, const BrDiagnoseDef *given,
                           void (*tell)(void *user, const BrDiagnosis *diagnosis), void *user, BrError *error) {
    BRI_NEED(m && w && state && tell, "model, workspace, state and tell", error);
    BrDiagnoseDef asked = br_default_diagnose_def();
    BrStatus unfit = given ? check_def(given, error) : BR_OK;
    if (unfit != BR_OK) return unfit;
    if (given) asked = *given;
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (!m->touches) return BR_OK;
    BrStepDef def = br_default_step_def();
    BriBudget budget = {.most = asked.most_work, .stop = asked.stop, .user = asked.stop_user};
    BriStep at = {
        .model = m, .ws = w, .start = state, .def = &def, .error = error, .budget = &budget, .report = &w->report};
    Look
        l; /* seven kilobytes, most of which are written before they are read: to clear them takes as long as a proof */
    l.t.island.at = &at;
    l.t.proof_is_enough = asked.proof_is_enough;
    l.t.island.accelerated = l.t.island.has_bias = l.t.at_most = l.t.complete = l.t.endless = l.t.stopped = false;
    l.t.beginnings = 0;
    l.budget = &budget;
    l.answers = NULL, l.memory[0] = l.memory[1] = NULL;
    l.crowd.room = 0, l.crowd.memory = NULL, l.crowd.seen = NULL, l.crowd.give = NULL;
    int *island = find_room(&l, &m->allocator, 0, m->bodies);
    BrStatus status = island ? look_at_all(&l, island, tell, user) : no_memory(&at);
    w->evaluated = false;
    release(&l, &m->allocator);
    return status;
}
