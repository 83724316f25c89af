/* diagnose.c: br_state_diagnose(): the islands of a state, their answers, what they mean in words. */
#include "bristle/diagnose.h"

#include "modes/uniqueness.h"
#include "step/gather.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *br_diagnosis_verdict_name(BrDiagnosisVerdict verdict) {
    static const char *const NAMES[BR_DIAGNOSES] = {"unique", "several", "none", "endless", "undecided"};
    return (unsigned)verdict < BR_DIAGNOSES ? NAMES[verdict] : "unknown";
}

const char *br_unique_proof_name(BrUniqueProof proof) {
    static const char *const NAMES[BR_PROOFS] = {"none", "one contact", "minors", "energy", "rest", "all modes"};
    return (unsigned)proof < BR_PROOFS ? NAMES[proof] : "unknown";
}

const char *br_answer_stability_name(BrAnswerStability stability) {
    static const char *const NAMES[BR_ANSWER_STABILITIES] = {"stable", "unstable", "degenerate", "dependent"};
    return (unsigned)stability < BR_ANSWER_STABILITIES ? NAMES[stability] : "unknown";
}

void br_start_diagnose_def(BrDiagnoseDef *def, uint32_t size) { bri_start_def(def, size, sizeof *def); }

/* ------------------------------------------------------------------ one island */

/* All answers of an island, and as users see them: made when a proof is not enough. */
typedef struct Answers {
    BriModeAnswers of;
    BrAnswerContact seen[BRI_ANSWERS][BRI_MODES];
    BrAnswer answer[BRI_ANSWERS];
} Answers;

/* An island at hand. */
typedef struct Island {
    BriStep *at;
    bool proof_is_enough;
    bool accelerated, has_bias; /* what bodies do without contacts, what rows have of velocities, is known */
    int contact[BRI_MODES];     /* numbers of the first ones */
    BriModes modes;
    Answers *answers;
    BrDiagnosis told;
} Island;

static const char *name_body(const Island *i, int body) { return i->at->model->body_def[body].name; }

static const BriContact *find_contact(const Island *i, int k) { return &i->at->ws->contacts->contact[i->contact[k]]; }

static BrVec3 to_world(const BriModeContact *c, const double *rows) {
    const double(*f)[3] = c->frame;
    return bri_vec(rows[0] * f[0][0] + rows[1] * f[1][0] + rows[2] * f[2][0],
                   rows[0] * f[0][1] + rows[1] * f[1][1] + rows[2] * f[2][1],
                   rows[0] * f[0][2] + rows[1] * f[1][2] + rows[2] * f[2][2]);
}

/* Force and acceleration of a contact in an answer, in N and m/s^2. */
static void show_contact(const Island *i, const BriModeAnswer *answer, int k, BrAnswerContact *seen) {
    static const BrContactMode MODES[] = {BR_CONTACT_OPEN, BR_CONTACT_STICK, BR_CONTACT_SLIP};
    const BriModes *m = &i->modes;
    const BriContact *c = find_contact(i, k);
    double force = m->acceleration / m->scale[k], unit = m->acceleration * m->scale[k];
    double friction[3] = {0}, across[3] = {0};
    for (int r = 1; r < 3; r++) {
        friction[r] = force * answer->p[3 * k + r];
        across[r] = unit * answer->u[3 * k + r];
    }
    *seen = (BrAnswerContact){.body_a = br_model_body(i->at->model, c->at.a),
                              .body_b = br_model_body(i->at->model, c->at.b),
                              .point = bri_contact_point(c),
                              .mode = MODES[answer->mode[k]],
                              .normal_force = force * answer->p[3 * k],
                              .friction_force = to_world(&m->contact[k], friction),
                              .normal_acceleration = unit * answer->u[3 * k],
                              .tangential_acceleration = to_world(&m->contact[k], across)};
}

/* What the contacts give; a contact without force as under a thousandth of what others could have. */
static bool find_gives(const Island *i, const BriModeAnswer *answer, BriGive *give) {
    const double LEAST = 1e-3;
    const BriModes *m = &i->modes;
    bool given = true;
    for (int k = 0; k < m->contacts; k++) {
        double force = m->acceleration / m->scale[k] * bri_max(LEAST, answer->p[3 * k]);
        given = given && bri_gather_give(i->at, i->contact[k], force, &give[k]);
    }
    for (int k = 0; !given && k < m->contacts; k++) give[k] = bri_any_give(m, k);
    return given;
}

static void show_answers(Island *i) {
    static const BrAnswerStability STABILITIES[] = {BR_ANSWER_STABLE, BR_ANSWER_UNSTABLE, BR_ANSWER_DEGENERATE,
                                                    BR_ANSWER_DEPENDENT};
    BrDiagnosis *d = &i->told;
    d->answers = i->answers->of.count;
    d->told = d->answers < BRI_ANSWERS ? d->answers : BRI_ANSWERS;
    d->answer = i->answers->answer;
    d->law_given = d->told > 0;
    for (int n = 0; n < d->told; n++) {
        const BriModeAnswer *answer = &i->answers->of.answer[n];
        BriGive give[BRI_MODES];
        d->law_given = find_gives(i, answer, give) && d->law_given;
        BriLayer layer = bri_find_layer(&i->modes, answer, give);
        i->answers->answer[n] =
            (BrAnswer){i->answers->seen[n], STABILITIES[layer.settling], layer.growth, answer->shared};
        d->stable += layer.settling == BRI_STABLE, d->unstable += layer.settling == BRI_UNSTABLE;
        for (int k = 0; k < i->modes.contacts; k++) show_contact(i, answer, k, &i->answers->seen[n][k]);
    }
}

static void prove(Island *i) {
    static const BrUniqueProof PROOFS[] = {BR_PROOF_NONE, BR_PROOF_ONE_CONTACT, BR_PROOF_MINORS, BR_PROOF_ENERGY,
                                           BR_PROOF_REST};
    BrDiagnosis *d = &i->told;
    d->proof = PROOFS[bri_prove_unique(&i->modes)];
    d->mu = 0;
    for (int k = 0; k < d->contacts; k++) d->mu = bri_max(d->mu, i->modes.contact[k].mu_s);
    bool asked = d->contacts == 1 || !i->modes.unloaded; /* of several it takes longer than all else */
    double factor = asked ? bri_find_painleve(&i->modes) : __builtin_nan("");
    d->mu_painleve = d->contacts == 1 ? factor : d->mu > 0 ? factor * d->mu : __builtin_nan("");
    d->in_plane = i->modes.others_out;
}

/* W alone is all that cheap proofs need; */
static void gather(Island *i) { bri_gather_modes(i->at, i->contact, i->told.contacts, &i->modes); }

/* Accelerations without contacts; the joints' factor comes with them. */
static BrStatus accelerate(Island *i) {
    if (i->accelerated) return BR_OK;
    i->accelerated = true;
    return bri_evaluate_free(i->at->model, i->at->ws, i->at->start, i->at->error);
}

/* else b, too. */
static BrStatus load(Island *i) {
    BriStep *at = i->at;
    BrStatus status = accelerate(i);
    if (status < 0) return status;
    gather(i);
    if (!i->has_bias) bri_contacts_bias(at, bri_state_bodies(at->start), at->ws->acceleration, at->ws->contacts->bias);
    i->has_bias = true;
    bri_gather_load(at, i->contact, &i->modes);
    bri_modes_prepare(&i->modes);
    return BR_OK;
}

/* What was proved is enough. */
static void judge_by_proof(Island *i) {
    BrDiagnosis *d = &i->told;
    static const char SAID[] =
        "one answer, whatever pulls"; /* every step: a sentence with names takes as long as all else */
    d->verdict = BR_DIAGNOSIS_UNIQUE;
    d->answers = 1;
    memcpy(d->text, SAID, sizeof SAID);
}

static bool is_proved(Island *i) {
    gather(i);
    bri_modes_prepare(&i->modes);
    prove(i);
    if (i->told.proof == BR_PROOF_NONE) return false;
    judge_by_proof(i);
    return true;
}

static void judge(Island *i) {
    BrDiagnosis *d = &i->told;
    bool all = i->answers->of.complete, one = d->proof != BR_PROOF_NONE || (all && d->answers == 1);
    d->verdict = i->answers->of.endless ? BR_DIAGNOSIS_ENDLESS
                 : one                  ? BR_DIAGNOSIS_UNIQUE
                 : d->answers > 1       ? BR_DIAGNOSIS_SEVERAL
                 : all                  ? BR_DIAGNOSIS_NONE
                                        : BR_DIAGNOSIS_UNDECIDED;
    if (d->verdict == BR_DIAGNOSIS_UNIQUE && d->proof == BR_PROOF_NONE) d->proof = BR_PROOF_ALL_MODES;
}

/* ------------------------------------------------------------------ in words */

__attribute__((format(printf, 2, 3))) static void say(BrDiagnosis *d, const char *format, ...) {
    size_t used = strlen(d->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->text + used, sizeof d->text - used, format, arguments);
    va_end(arguments);
}

/* What a contact does in an answer. */
typedef enum Does { PARTS, LIES, HOLDS, SLIDES, DOES } Does;

static const char *const WORDS[2][DOES] = {{"parts", "lies without force", "holds", "slides"},
                                           {"part", "lie without force", "hold", "slide"}};

/* Of loads that may be shared otherwise the motion says it. */
static Does find_does(const BrAnswer *answer, int k, double unit) {
    const BrAnswerContact *c = &answer->contact[k];
    if (c->mode == BR_CONTACT_STICK) return HOLDS;
    if (c->mode == BR_CONTACT_SLIP) return SLIDES;
    if (c->normal_acceleration > 1e-9 * unit) return PARTS;
    if (!answer->shared) return LIES;
    return bri_norm(c->tangential_acceleration) > 1e-9 * unit ? SLIDES : HOLDS;
}

/* "rod/floor parts, rod/wall slides (stable)" */
static void say_answer(Island *i, const BrAnswer *answer) {
    enum { NAMED = 3 };
    int count[DOES] = {0}, said = 0;
    BrDiagnosis *d = &i->told;
    for (int k = 0; k < d->contacts; k++) {
        const BriFound *of = &find_contact(i, k)->at;
        Does does = find_does(answer, k, i->modes.acceleration * i->modes.scale[k]);
        count[does]++;
        if (d->contacts <= NAMED)
            say(d, "%s%.40s/%.40s %s", k ? ", " : "", name_body(i, of->b), name_body(i, of->a), WORDS[0][does]);
    }
    for (int k = 0; d->contacts > NAMED && k < DOES; k++)
        if (count[k]) say(d, "%s%d %s", said++ ? ", " : "", count[k], WORDS[count[k] > 1][k]);
    say(d, " (%s)", br_answer_stability_name(answer->stability));
}

static void say_list(Island *i) {
    enum { LISTED = 4 };
    BrDiagnosis *d = &i->told;
    for (int n = 0; n < d->told && n < LISTED; n++) {
        say(d, "%s", n ? "; or " : ": ");
        say_answer(i, &d->answer[n]);
    }
    if (d->answers > LISTED) say(d, "; or others");
}

static bool depends(const BrDiagnosis *d) {
    for (int n = 0; n < d->told; n++)
        if (d->answer[n].stability == BR_ANSWER_DEPENDENT) return true;
    return false;
}

static void say_several(Island *i) {
    BrDiagnosis *d = &i->told;
    say(d, "%s%d answers", i->answers->of.complete ? "" : "at least ", d->answers);
    say_list(i);
    if (d->stable == 1 && d->unstable == d->answers - 1)
        say(d, ". Contact that yields a little takes the stable one");
    else if (depends(d))
        say(d,
            ". How hard its contacts press already decides, which nothing rigid tells; the formulation compliant does");
    else
        say(d, ". Nothing rigid tells which; the formulation compliant does");
}

static void say_undecided(Island *i) {
    BrDiagnosis *d = &i->told;
    say(d, "%s", d->answers ? "one answer was found" : "no answer was found");
    say_list(i);
    say(d, "; its %d contacts may begin to slide in any direction, which were not all looked at", d->contacts);
}

static void say_all(Island *i) {
    BrDiagnosis *d = &i->told;
    const char *s = d->contacts == 1 ? "" : "s", *es = d->contacts == 1 ? "es" : "";
    say(d, "%.60s: ", name_body(i, find_contact(i, 0)->at.b));
    switch (d->verdict) {
    case BR_DIAGNOSIS_UNIQUE:
        say(d, "one answer");
        say_list(i);
        if (d->told == 1 && d->answer->shared) say(d, "; how its contacts share the load nothing rigid tells");
        break;
    case BR_DIAGNOSIS_SEVERAL: say_several(i); break;
    case BR_DIAGNOSIS_NONE:
        say(d, "no answer: sliding, its contact%s would press %s (Painleve); take the formulation compliant", s,
            d->contacts == 1 ? "itself" : "themselves");
        break;
    case BR_DIAGNOSIS_ENDLESS:
        say(d,
            "a continuum of answers: nothing rigid tells how hard the contact%s press%s, and the motion hangs on it; "
            "take "
            "the formulation compliant",
            s, es);
        break;
    default: say_undecided(i);
    }
    if (d->in_plane && d->verdict != BR_DIAGNOSIS_ENDLESS) say(d, " (in the plane of its motion)");
}

/* ------------------------------------------------------------------ all islands */

/* Contacts of one island. */
typedef struct Closed {
    int count;
    bool strikes, resists; /* some approach; some resist rolling or spinning */
} Closed;

static Closed list_closed(const BriStep *at, const int *island, int root, int *list) {
    const BriContacts *c = at->ws->contacts;
    Closed closed = {0};
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active || island[contact->at.b] != root) continue;
        if (closed.count < BRI_MODES) list[closed.count] = k;
        double rate = bri_dot(bri_normal(contact), contact->got.u);
        closed.strikes = closed.strikes || rate < -1e6 * at->velocity_tolerance;
        closed.resists = closed.resists || bri_resists_turning(contact);
        closed.count++;
    }
    return closed;
}

/* Why an island cannot be looked at; NULL: it can. */
static const char *find_obstacle(const BriStep *at, const Closed *closed) {
    bool compliant = at->start->formulation == BR_FORMULATION_COMPLIANT;
    if (closed->count > BRI_MODES) return "more contacts than can be looked at one by one";
    if (closed->strikes && !compliant) return "its contacts approach: an impact comes first";
    if (closed->resists) return "its contacts resist rolling or spinning";
    if (at->ws->contacts->bounds > 0) return "limits, dry friction or motors with a largest effort of joints take part";
    if (at->model->grips > 0) return "friction in bearings takes part";
    return NULL;
}

static BrStatus no_memory(const BriStep *at) {
    return bri_fail(at->error, BR_OUT_OF_MEMORY, "no memory to diagnose %d bodies", at->model->bodies);
}

/* false: no memory. */
static bool find_all(Island *i) {
    if (!i->answers) i->answers = bri_allocate(&i->at->model->allocator, 1, sizeof *i->answers);
    if (!i->answers) return false;
    bri_find_answers(&i->modes, &i->answers->of);
    show_answers(i);
    judge(i);
    return true;
}

static BrStatus look(Island *i, int root, const char *obstacle) {
    BrDiagnosis *d = &i->told;
    BrStatus status = BR_OK;
    d->body = br_model_body(i->at->model, root);
    d->mu_painleve = __builtin_nan("");
    if (obstacle) {
        d->verdict = BR_DIAGNOSIS_UNDECIDED;
        say(d, "%.60s: not decided: %s", name_body(i, root), obstacle);
    } else {
        if (i->proof_is_enough && is_proved(i)) return BR_OK;
        status = load(i);
        if (status < 0) return status;
        prove(i);
        if (!find_all(i)) return no_memory(i->at);
        say_all(i);
    }
    bri_clean_text(d->text);
    return BR_OK;
}

/* Contacts and their rows at the state; accelerations are not asked for where a proof may do without. */
static BrStatus prepare(Island *i) {
    BriStep *at = i->at;
    bri_begin_reading(at->model, at->ws, at->start);
    BrStatus status = at->model->joints || !i->proof_is_enough ? accelerate(i) : BR_OK;
    if (status < 0) return status;
    status = bri_find_closed(at);
    if (status < 0) return status;
    bri_contacts_same_rows(at, bri_state_bodies(at->start));
    return BR_OK;
}

/* `island`: room for a number per body. */
static BrStatus look_at_all(Island *i, int *island, void (*tell)(void *user, const BrDiagnosis *diagnosis),
                            void *user) {
    const BriStep *at = i->at;
    BrStatus status = prepare(i);
    if (status < 0) return status;
    bri_gather_islands(at, island);
    for (int root = 0; status == BR_OK && root < at->model->bodies; root++) {
        Closed closed = {0};
        if (island[root] == root) closed = list_closed(at, island, root, i->contact);
        if (closed.count == 0) continue;
        i->told = (BrDiagnosis){.contacts = closed.count};
        status = look(i, root, find_obstacle(at, &closed));
        if (status == BR_OK) tell(user, &i->told);
    }
    return status;
}

BrStatus br_state_diagnose(const BrModel *m, BrWorkspace *w, const BrState *state, const BrDiagnoseDef *given,
                           void (*tell)(void *user, const BrDiagnosis *diagnosis), void *user, BrError *error) {
    BRI_NEED(m && w && state && tell, "model, workspace, state and tell", error);
    BrStatus unfit = given ? bri_check_def(given, sizeof *given, "br_default_diagnose_def", error) : BR_OK;
    if (unfit != BR_OK) return unfit;
    if (state->fingerprint != m->fingerprint || w->fingerprint != m->fingerprint)
        return bri_fail(error, BR_MISMATCH, "the state or the workspace belongs to another model");
    if (!m->touches) return BR_OK;
    BrStepDef def = br_default_step_def();
    BriBudget budget = {.most = 1e10};
    BriStep at = {
        .model = m, .ws = w, .start = state, .def = &def, .error = error, .budget = &budget, .report = &w->report};
    Island
        i; /* seven kilobytes, most of which are written before they are read: to clear them takes as long as a proof */
    i.at = &at;
    i.proof_is_enough = given && given->proof_is_enough;
    i.accelerated = i.has_bias = false;
    i.answers = NULL;
    int *island = bri_allocate(&m->allocator, (size_t)m->bodies, sizeof *island);
    BrStatus status = island ? look_at_all(&i, island, tell, user) : no_memory(&at);
    w->evaluated = false;
    bri_release(&m->allocator, island);
    bri_release(&m->allocator, i.answers);
    return status;
}
