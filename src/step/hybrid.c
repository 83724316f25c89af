/* hybrid.c: rigid contact where it has one answer that is stable, compliant contact where it may have none, or several.
 *
 * After every step each contact is asked (W: its mobility with the joints holding, N its normal, T its tangents)
 *     W_NN > mu |W_NT|      then there is one force whatever the slip [Genot and Brogliato 1999]                (13.1)
 * Where that fails all answers of its island are looked for (verdict.c): one, stable: the next step is rigid as well; several of
 * which one is stable: that is the answer, and what parts in it is left out of the step, which the state's formulation calls for;
 * else the next step is compliant. Where (13.1) holds again with some to spare, and what was set swinging has come
 * to rest, it is rigid. States go over so that no force jumps:
 *     to compliant   bodies sink until k delta^p = lambda_N; springs along the surface are bent by lambda_T/k_T    (13.2)
 *     to rigid       bodies rise until the gaps are zero; velocities stay                                         (13.3)
 * A switch is an event of the contact that called for it, with the reason; `before` is its mu, `after` the mu that (13.1)
 * allows. */
#include "step/hybrid.h"
#include "contact/units.h"
#include "dynamics/force.h"
#include "step/compliant.h"
#include "step/gather.h"
#include "step/verdict.h"

#include <string.h>

/* Of mu: (13.1) must hold with so much more, before compliant contact ends: else it would come and go. */
static const double SPARE = 0.05;
/* Of what a contact's own spring would give way with: slower, it has settled. */
static const double SETTLED = 0.05;

typedef struct Doubt {
    const BriContact *contact; /* the worst; NULL: nothing touches */
    double mu, safe;           /* its own, and what it may be */
    bool swings;               /* some compliant contact does */
    BrSwitchReason reason;     /* of a change */
} Doubt;

static bool fails(const Doubt *doubt, double spare) {
    return doubt->contact && !(doubt->mu * (1 + spare) < doubt->safe);
}

/* ------------------------------------------------------------------ looking */

/* W's column of a contact's normal: how its surfaces give way to each other along n, t1 and t2. Units are prepared, and the
 * joints' factor stands. */
static void find_column(BriStep *at, const BriUnit *unit, double W[3]) {
    const BrModel *m = at->model;
    BriContacts *c = at->ws->contacts;
    const double *C = c->C + BRI_ROW * unit->first;
    double room[BRI_UNIT_NUMBERS];
    int ends[2] = {m->body[unit->a].node, m->body[unit->b].node};
    if (!m->joints) {
        const double *ME = bri_unit_responses(at, unit, room);
        for (int r = 0; r < 3; r++) W[r] = bri_unit_couple(unit, C + BRI_ROW * r, ME);
        return;
    }
    for (int k = 0; k < c->units; k++) memset(c->r + c->unit[k].row, 0, (size_t)c->unit[k].rows * sizeof(double));
    c->r[unit->row] = 1;
    const double *x = bri_units_spread(at, c->r);
    for (int r = 0; r < 3; r++) {
        W[r] = 0;
        for (int e = 0; e < 2; e++) W[r] += ends[e] >= 0 ? bri_dot6(C + BRI_ROW * r + 6 * e, x + 6 * ends[e]) : 0;
    }
}

/* Does a contact swing on its spring, which answers a change of depth by p lambda_N/delta? */
static bool swings(const BriContact *contact, double W) {
    double force = contact->got.p[0], depth = -contact->at.touch.gap;
    double power = bri_normal_power(&contact->at.surface->laws.compliant_normal).exponent;
    if (!(force > 0) || !(depth > 0)) return true;
    double own = bri_sqrt(W * power * force * depth); /* m/s */
    return bri_abs(bri_dot(bri_normal(contact), contact->got.u)) > SETTLED * own;
}

/* Rows of all contacts that take part, in full. false: there are none, or no memory. */
static bool prepare(BriStep *at, const BriBodyState *bodies) {
    BriContacts *c = at->ws->contacts;
    c->bounds = 0;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->ask.one_row = contact->ask.bounded = contact->ask.rolls = contact->ask.spins = false;
    }
    if (c->count == 0 || !bri_contacts_make_solver_room(at)) return false;
    if (at->model->joints) bri_factor(at, bodies);
    bri_contacts_same_rows(at, bodies);
    bri_units_prepare(at);
    return true;
}

/* Two contacts that are nearer to being a wedge than `least`, a factor of friction. */
static void find_wedges(BriStep *at, double least, Doubt *doubt) {
    enum { MOST_LOOKS = 100000 }; /* pairs: of very many contacts the first ones stand for the others */
    const BriContacts *c = at->ws->contacts;
    for (int i = 0, looks = 0; i < c->units && looks < MOST_LOOKS; i++)
        for (int k = 0; k < i && looks < MOST_LOOKS; k++, looks++) {
            const BriUnit *first = &c->unit[i], *second = &c->unit[k];
            if (first->island != second->island) continue;
            double factor = bri_find_wedge(at, first->contact, second->contact);
            if (!(factor < least)) continue;
            const BriContact *contact = &c->contact[first->contact];
            least = factor;
            doubt->contact = contact, doubt->mu = bri_max(contact->at.surface->mu_s, contact->at.surface->mu_k);
            doubt->safe = factor * doubt->mu;
        }
}

/* The contact that is nearest to (13.1), or beyond it; or to being wedged with another. */
static Doubt find_doubt(BriStep *at, const BriBodyState *bodies) {
    const BriContacts *c = at->ws->contacts;
    Doubt doubt = {.safe = __builtin_inf()};
    bool soft = at->start->formulation == BR_FORMULATION_COMPLIANT;
    double least = __builtin_inf();
    for (int k = 0, count = prepare(at, bodies) ? c->units : 0; k < count; k++) {
        const BriUnit *unit = &c->unit[k];
        const BriContact *contact = &c->contact[unit->contact];
        const BriBody *body = at->model->body;
        const BriSurface *surface = contact->at.surface;
        double W[3], mu = bri_max(surface->mu_s, bri_surface_mu(surface, bri_norm(contact->mode.slip)));
        find_column(at, unit, W);
        doubt.swings = doubt.swings || (soft && swings(contact, W[0]));
        double free = body[unit->a].inverse_mass + body[unit->b].inverse_mass;
        if (!(W[0] > BRI_CARRIED * free) || mu == 0) continue; /* joints hold it */
        double safe = bri_safe_friction(W[0], W[1], W[2]);
        if (doubt.contact && safe / mu >= least) continue;
        least = safe / mu;
        doubt.contact = contact, doubt.mu = mu, doubt.safe = safe;
    }
    find_wedges(at, least, &doubt);
    return doubt;
}

/* A step's frame for looking at a state. */
static BriStep look_from(const BrModel *m, BrWorkspace *w, const BrState *state, const BrStepDef *def,
                         BriBudget *budget, BrStepReport *report) {
    BriStep at = {.model = m, .ws = w, .start = state, .def = def, .budget = budget, .report = report, .h = state->dt};
    bri_step_set_tolerances(&at);
    return at;
}

/* ------------------------------------------------------------------ going over */

/* Bodies are moved until the gap of each contact is less its depth; those without a force stay as they are. */
static void set_depths(BriStep *at, BriBodyState *bodies, bool deep) {
    enum { PASSES = 3 }; /* each leaves about depth^2 over the size */
    BriContacts *c = at->ws->contacts;
    for (int pass = 0; pass < PASSES; pass++) {
        bri_contacts_move(at, bodies);
        for (int k = 0; k < c->count; k++) {
            BriContact *contact = &c->contact[k];
            contact->ask.active = contact->got.p[0] > 0;
            contact->ask.one_row = true, contact->ask.drag = 0;
        }
        if (at->model->joints) bri_factor(at, bodies);
        bri_contacts_few_rows(at, bodies);
        bri_units_prepare(at);
        for (int k = 0; k < c->units; k++) {
            const BriContact *contact = &c->contact[c->unit[k].contact];
            c->r[c->unit[k].row] = -contact->at.touch.gap - (deep ? bri_soft_depth(at->model, contact) : 0);
        }
        bri_units_solve_linear(at);
        bri_displace(at, bri_units_spread(at, c->r), bodies);
        if (at->model->joints) bri_constrain_positions(at, at->start->time, bodies);
    }
}

static BriContactState *find_entry(const BrState *state, const BriContact *contact) {
    BriContactState *entry = bri_state_contacts(state);
    for (int i = 0; i < state->contacts; i++)
        if (entry[i].key == bri_contact_key(contact) && entry[i].mode != BRI_CONTACT_GONE) return &entry[i];
    return NULL;
}

/* What laws remember of the forces that contacts have, or nothing. */
static void set_memories(const BriContacts *c, BrState *state, bool deep) {
    state->contact_energy = 0;
    for (int k = 0; k < c->count; k++) {
        BriContactState *entry = find_entry(state, &c->contact[k]);
        if (!entry) continue;
        entry->memory = (BriContactMemory){0};
        if (deep) state->contact_energy += bri_soft_bend(&c->contact[k], &entry->memory);
    }
}

/* What springs of contacts along their normals hold under the forces there are, J. */
static double find_stored(const BriStep *at) {
    const BriContacts *c = at->ws->contacts;
    double stored = 0;
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        double power = bri_normal_power(&contact->at.surface->laws.compliant_normal).exponent;
        if (contact->got.p[0] > 0) stored += contact->got.p[0] * bri_soft_depth(at->model, contact) / (power + 1);
    }
    return stored;
}

/* What holds a body, or drives a surface, may put in what it likes. */
static bool is_driven(const BriStep *at) {
    const BriContacts *c = at->ws->contacts;
    bool driven = at->model->motions > 0;
    for (int k = 0; k < c->count; k++) driven = driven || c->contact[k].at.runs;
    return driven;
}

/* Bodies that contacts press have moved, and springs were bent, by `gain` (J): that comes out of their motion, all of them
 * slowed down alike, so that no rate between them that is nothing becomes anything. What is at rest has none to give. */
static void pay(const BriStep *at, BriBodyState *bodies, double gain) {
    const BrModel *m = at->model;
    const BriContacts *c = at->ws->contacts;
    int *island = c->groups.pile, *pressed = c->groups.of;
    double kinetic = 0;
    if (!(gain > 0) || is_driven(at)) return;
    bri_gather_islands(at, island);
    for (int i = 0; i < m->bodies; i++) pressed[i] = 0;
    for (int k = 0; k < c->count; k++)
        if (c->contact[k].got.p[0] > 0) pressed[island[c->contact[k].at.b]] = 1;
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node >= 0 && pressed[island[i]]) kinetic += bri_body_energy(m, i, &bodies[i]);
    double slower = kinetic > gain ? bri_sqrt(1 - gain / kinetic) : 1;
    for (int i = 0; i < m->bodies; i++) {
        if (m->body[i].node < 0 || !pressed[island[i]]) continue;
        bodies[i].v = bri_scale(slower, bodies[i].v), bodies[i].w = bri_scale(slower, bodies[i].w);
    }
}

static double find_potential(const BriStep *at, const BrState *state) {
    return bri_gravity_energy(at->model, bri_state_bodies(state)) + bri_spring_energy(at->model, state);
}

static void note(BriStep *at, BrEventKind kind, const Doubt *doubt) {
    BrStepReport *report = at->report;
    bri_note_event(at, kind, at->start->time, doubt->contact, doubt->mu, doubt->safe);
    if (report->events <= BR_STEP_EVENTS) report->event[report->events - 1].reason = doubt->reason;
}

static void go_over(BriStep *at, BrState *state, const Doubt *doubt, bool to_compliant) {
    note(at, to_compliant ? BR_EVENT_COMPLIANT : BR_EVENT_RIGID, doubt);
    double before = find_potential(at, state), held = state->contact_energy, stored = find_stored(at);
    set_memories(at->ws->contacts, state, to_compliant);
    set_depths(at, bri_state_bodies(state), to_compliant);
    double bent = to_compliant ? state->contact_energy + stored : -held;
    pay(at, bri_state_bodies(state), find_potential(at, state) - before + bent);
    state->formulation = to_compliant ? BR_FORMULATION_COMPLIANT : BR_FORMULATION_TIMESTEPPING;
}

/* ------------------------------------------------------------------ who makes the step */

BrStepDef bri_hybrid_def(const BrModel *m, const BrStepDef *def, bool compliant) {
    BrStepDef part = *def;
    part.formulation = compliant ? BR_FORMULATION_COMPLIANT : BR_FORMULATION_TIMESTEPPING;
    bool fits = br_scheme_formulation(def->scheme) == part.formulation;
    if (!fits) part.scheme = compliant ? BR_SCHEME_ADAPTIVE : br_model_default_scheme(m, part.formulation);
    return part;
}

static BriBudget bound_by(const BrStepDef *def) {
    return (BriBudget){.most = def->most_work, .stop = def->stop, .user = def->stop_user};
}

/* Contacts of a state, whose forces are not asked for where it is rigid: the test needs none. */
static bool look_at(BriStep *at, bool forces) {
    BriContacts *c = at->ws->contacts;
    if (!at->model->touches) return false;
    BrEvaluateDef within = br_evaluate_def_like(at->def);
    if (forces) return br_evaluate_with(at->model, at->ws, at->start, &within, NULL) >= 0;
    if (bri_contacts_find(at, bri_state_bodies(at->start), at->start->dt, NULL) < 0) return false;
    for (int k = 0; k < c->count; k++) c->contact[k].ask.active = c->contact[k].mode.closed;
    return true;
}

/* May compliant contact end at this state? */
static bool may_be_rigid(BriStep *at, Doubt *doubt) {
    if (!look_at(at, true)) return false;
    *doubt = find_doubt(at, bri_state_bodies(at->start));
    doubt->reason = BR_SWITCH_SETTLED;
    return doubt->contact && !fails(doubt, SPARE) && !doubt->swings;
}

/* Is there a contact that (13.1) does not speak for at this state, which is rigid? */
static bool is_doubtful(BriStep *at, bool forces, Doubt *doubt) {
    if (!look_at(at, forces)) return false;
    *doubt = find_doubt(at, bri_state_bodies(at->start));
    return fails(doubt, 0);
}

static void plan_choice(const BriStep *at, const BriVerdict *verdict, BriHybridPlan *plan) {
    const BrModel *m = at->model;
    const BriContactState *entry = bri_state_contacts(at->start);
    plan->partings = verdict->partings;
    memcpy(plan->parting, verdict->parting, sizeof plan->parting);
    for (int i = 0; i < verdict->partings; i++) {
        bool pushed = at->start->steps == 0;
        for (int k = 0; k < at->start->contacts; k++)
            if (entry[k].key == verdict->parting[i]) pushed = pushed || bri_norm(entry[k].impulse) > 0;
        if (!pushed) continue; /* it parted before */
        plan->told[plan->tellings++] = (BrEvent){.kind = BR_EVENT_CHOICE,
                                                 .time = at->start->time,
                                                 .body_a = br_model_body(m, verdict->body[i][0]),
                                                 .body_b = br_model_body(m, verdict->body[i][1]),
                                                 .before = verdict->mu[i],
                                                 .after = verdict->safe[i],
                                                 .reason = BR_SWITCH_SEVERAL};
    }
}

void bri_hybrid_plan(const BrModel *m, BrWorkspace *w, const BrState *state, const BrStepDef *def,
                     BriHybridPlan *plan) {
    bool compliant = state->formulation == BR_FORMULATION_COMPLIANT,
         asks = !compliant && (state->steps == 0 || state->formulation == BR_FORMULATION_HYBRID);
    BrStepReport report = {0};
    BriBudget budget = bound_by(def);
    BriStep at = look_from(m, w, state, def, &budget, &report);
    Doubt doubt;
    plan->partings = plan->tellings = 0;
    if (m->touches) bri_soft_reserve(m, w, bri_hybrid_def(m, def, true).scheme); /* a switch needs none then */
    if (asks && is_doubtful(&at, false, &doubt)) {
        BriVerdict verdict = bri_find_verdict(&at);
        if (verdict.reason == BR_SWITCH_NONE)
            plan_choice(&at, &verdict, plan);
        else if (is_doubtful(&at, false, &doubt)) {
            doubt.reason = verdict.reason;
            note(&at, BR_EVENT_COMPLIANT, &doubt);
            plan->told[plan->tellings++] = report.event[0];
            compliant = true;
        }
    }
    plan->def = bri_hybrid_def(m, def, compliant);
}

void bri_hybrid_tell(BrStepReport *report, const BriHybridPlan *plan) {
    int room = BR_STEP_EVENTS - plan->tellings, kept = report->events < room ? report->events : room;
    if (plan->tellings == 0) return;
    memmove(report->event + plan->tellings, report->event, (size_t)kept * sizeof *plan->told);
    memcpy(report->event, plan->told, (size_t)plan->tellings * sizeof *plan->told);
    report->events += plan->tellings;
}

/* Where rigid forces are not told those of the step before go over: how hard contacts press already is what decides. */
static void press_as_before(const BriStep *at) {
    BriContacts *c = at->ws->contacts;
    for (int k = 0; k < c->count; k++) {
        BriContact *contact = &c->contact[k];
        contact->got.push = bri_scale(1 / at->start->dt, contact->was.impulse);
        for (int i = 0; i < 3; i++) contact->got.p[i] = bri_dot(contact->got.push, bri_column(&contact->at.frame, i));
    }
}

/* After a rigid step. */
static void leave_rigid(BriStep *at, BrState *state) {
    Doubt doubt;
    if (!is_doubtful(at, false, &doubt)) return;
    BriVerdict verdict = bri_find_verdict(at);
    if (verdict.reason == BR_SWITCH_NONE) {
        if (verdict.partings) state->formulation = BR_FORMULATION_HYBRID; /* the next step begins with a choice */
        return;
    }
    if (!is_doubtful(at, true, &doubt)) return; /* with the forces that are read */
    bool told = verdict.reason == BR_SWITCH_UNSTABLE || verdict.reason == BR_SWITCH_UNDECIDED;
    if (!told) press_as_before(at);
    doubt.reason = verdict.reason;
    go_over(at, state, &doubt, true);
}

void bri_hybrid_switch(const BrModel *m, BrWorkspace *w, BrState *state, const BrStepDef *asked, BrStepReport *report) {
    bool compliant = state->formulation == BR_FORMULATION_COMPLIANT;
    BrStepDef def = bri_hybrid_def(m, asked, compliant);
    BriBudget budget = bound_by(asked);
    BriStep at = look_from(m, w, state, &def, &budget, report);
    Doubt doubt;
    if (!compliant)
        leave_rigid(&at, state);
    else if (may_be_rigid(&at, &doubt))
        go_over(&at, state, &doubt, false);
    report->work += budget.spent;
    w->evaluated = false;
}
