/* verdict.c: see verdict.h. Each island in doubt is asked for all its answers (theory, 12):
 *     one, stable or with shared loads     rigid contact goes on
 *     several, one stable, all others not  the same; contacts that part in it are left out of the step
 *     else, or not found                   compliant contact follows what rigid contact does not tell */
#include "step/verdict.h"

#include "step/instant.h"

/* ------------------------------------------------------------------ doubts */

/* Tangent of the angle between a contact's normal and a force along `line` on its body b; infinite: that would pull. */
static double find_slope(const BriContact *c, BrVec3 line) {
    double along = bri_dot(bri_normal(c), line);
    return along > 0 ? bri_norm(bri_cross(bri_normal(c), line)) / along : __builtin_inf();
}

/* Does nothing give way to forces along the line, one each way? f W f of the two is nothing. */
static bool moves_nothing(const BriStep *at, const int pair[2], BrVec3 line) {
    double W[36], b[6], size[6], scale[2], acceleration, sum = 0, free = 0, f[6];
    BriModeContact described[2];
    BriModeArrays two = {2, 6, W, b, size, scale, described, &acceleration};
    bri_gather_modes(at, pair, &two);
    for (int i = 0; i < 6; i++)
        f[i] = (i < 3 ? 1 : -1) * bri_dot(line, bri_column(&at->ws->contacts->contact[pair[i / 3]].at.frame, i % 3));
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            sum += f[i] * W[6 * i + k] * f[k];
            if (i / 3 == k / 3) free += bri_abs(f[i] * W[6 * i + k] * f[k]);
        }
    return sum <= 1e-9 * free; /* of what each would move by itself; rounding is 1e-14 */
}

double bri_find_wedge(const BriStep *at, int first, int second) {
    const BriContact *c = &at->ws->contacts->contact[first], *d = &at->ws->contacts->contact[second];
    const int pair[2] = {first, second};
    double mu_c = bri_max(c->at.surface->mu_s, c->at.surface->mu_k),
           mu_d = bri_max(d->at.surface->mu_s, d->at.surface->mu_k);
    bool meet = c->at.a == d->at.a || c->at.a == d->at.b || c->at.b == d->at.a || c->at.b == d->at.b;
    BrVec3 line = bri_sub(bri_contact_point(d), bri_contact_point(c));
    double length = bri_norm(line), none = __builtin_inf();
    if (!(meet || at->model->joints) || !(length > 0) || !(mu_c > 0 && mu_d > 0)) return none;
    line = bri_scale(1 / length, line);
    double ahead = bri_max(find_slope(c, line) / mu_c, find_slope(d, bri_neg(line)) / mu_d),
           back = bri_max(find_slope(c, bri_neg(line)) / mu_c, find_slope(d, line) / mu_d);
    double factor = bri_min(ahead, back);
    const double FAR = 2; /* of both coefficients: nobody asks for more */
    return factor < FAR && moves_nothing(at, pair, line) ? factor : none;
}

/* ------------------------------------------------------------------ islands */

typedef struct Doubted {
    BriInstant island;
    int list[BRI_MODES];
    BriVerdict *verdict;
} Doubted;

double bri_safe_friction(double normal, double first, double second) {
    double across = bri_sqrt(first * first + second * second);
    return across > 0 ? normal / across : __builtin_inf();
}

/* The mu that (13.1) allows a contact; infinite: joints carry it, or nothing rubs. */
static double find_safe(BriStep *at, int k) {
    const BriContact *contact = &at->ws->contacts->contact[k];
    const BriBody *body = at->model->body;
    double W[9], b[3], size[3], scale[1], acceleration;
    BriModeContact described;
    BriModeArrays one = {1, 3, W, b, size, scale, &described, &acceleration};
    bri_gather_modes(at, &k, &one);
    double free = body[contact->at.a].inverse_mass + body[contact->at.b].inverse_mass;
    return W[0] > BRI_CARRIED * free ? bri_safe_friction(W[0], W[1], W[2]) : __builtin_inf();
}

static double find_mu(const BriContact *c) {
    return bri_max(c->at.surface->mu_s, bri_surface_mu(c->at.surface, bri_norm(c->mode.slip)));
}

/* The closed contacts of an island, and what bounds of joints take part: how many; the first of them are listed. *doubtful: (13.1)
 * fails for a contact. *plain: all can be looked at. */
static int list_closed(Doubted *d, const int *island, int root, bool *doubtful, bool *plain) {
    BriStep *at = d->island.at;
    const BriContacts *c = at->ws->contacts;
    int count = 0;
    *doubtful = false, *plain = !bri_gather_grips(at, island, root);
    for (int k = 0; k < c->count; k++) {
        const BriContact *contact = &c->contact[k];
        if (!contact->ask.active || island[contact->at.b] != root) continue;
        if (count < BRI_MODES) d->list[count] = k;
        count++;
        bool strikes = bri_dot(bri_normal(contact), contact->got.u) < -1e6 * at->velocity_tolerance;
        *plain = *plain && !strikes && !bri_resists_turning(contact);
        *doubtful = *doubtful || (find_mu(contact) > 0 && !(find_mu(contact) < find_safe(at, k)));
    }
    for (int i = 0; i < count && i < BRI_MODES && !*doubtful; i++)
        for (int k = 0; k < i && !*doubtful; k++) *doubtful = bri_find_wedge(at, d->list[i], d->list[k]) <= 1;
    if (count == 0 || count > BRI_MODES) return count;
    int bounds = bri_gather_bounds(at, island, root, BRI_MODES - count, d->list + count);
    return count + bounds;
}

static BriSettling settle(const BriInstant *island, const BriModeAnswer *answer) {
    BriGive give[BRI_MODES];
    BriModes modes = island->modes;
    BriModeArrays arrays = bri_modes_arrays(&modes);
    bri_instant_gives(island, &arrays, answer->p, give);
    return bri_find_layer(&island->modes, answer, give).settling;
}

/* Contacts that part in the answer that is chosen. false: too many. */
static bool note_partings(Doubted *d, const BriModeAnswer *chosen) {
    const double NOTHING = 1e-9; /* of numbers near 1 (12.2) */
    BriVerdict *v = d->verdict;
    for (int k = 0; k < d->island.count && d->list[k] >= 0; k++) {
        const BriContact *contact = &d->island.at->ws->contacts->contact[d->list[k]];
        if (chosen->mode[k] != BRI_MODE_OPEN || !(chosen->u[3 * k] > NOTHING)) continue;
        if (v->partings == BRI_PARTINGS) return false;
        v->parting[v->partings] = bri_contact_key(contact);
        v->body[v->partings][0] = contact->at.a;
        v->body[v->partings][1] = contact->at.b;
        v->mu[v->partings] = find_mu(contact), v->safe[v->partings] = find_safe(d->island.at, d->list[k]);
        v->partings++;
    }
    return true;
}

static BrSwitchReason weigh(Doubted *d, const BriModeAnswers *found, bool proved) {
    int stable = 0, unstable = 0, shared = 0, chosen = 0;
    if (found->endless) return BR_SWITCH_ENDLESS;
    if (found->count == 0) return found->complete ? BR_SWITCH_NO_ANSWER : BR_SWITCH_UNDECIDED;
    if ((!found->complete && !proved) || found->count > BRI_ANSWERS) return BR_SWITCH_UNDECIDED;
    for (int i = 0; i < found->count; i++) {
        BriSettling settling = settle(&d->island, &found->answer[i]);
        if (settling == BRI_STABLE) stable++, chosen = i;
        unstable += settling == BRI_UNSTABLE, shared += settling == BRI_DEPENDENT;
    }
    if (found->count == 1) return stable || shared ? BR_SWITCH_NONE : BR_SWITCH_UNSTABLE;
    if (stable != 1 || unstable != found->count - 1) return BR_SWITCH_SEVERAL;
    return note_partings(d, &found->answer[chosen]) ? BR_SWITCH_NONE : BR_SWITCH_UNDECIDED;
}

static BrSwitchReason judge(Doubted *d) {
    BriModeAnswers found;
    bri_instant_gather(&d->island);
    if (bri_prove_unique(&d->island.modes) != BRI_PROOF_NONE) return BR_SWITCH_NONE; /* whatever pulls */
    if (bri_instant_load(&d->island) < 0) return BR_SWITCH_UNDECIDED;
    BriProof proof = bri_prove_unique(&d->island.modes);
    bri_find_answers(&d->island.modes, d->island.at->budget, &found);
    bool one = found.count == 1 && !found.endless && !found.complete;
    bool proved = proof != BRI_PROOF_NONE || (one && bri_is_alone(&d->island.modes, &found.answer[0]));
    return weigh(d, &found, proved);
}

BriVerdict bri_find_verdict(BriStep *at) {
    BriVerdict verdict = {.reason = BR_SWITCH_NONE};
    Doubted d = {.verdict = &verdict};
    d.island = (BriInstant){.at = at, .contact = d.list};
    if (bri_instant_prepare(&d.island, true) < 0) return (BriVerdict){.reason = BR_SWITCH_UNDECIDED};
    int *island = at->ws->contacts->groups.pile;
    bri_gather_islands(at, island);
    for (int root = 0; root < at->model->bodies && verdict.reason == BR_SWITCH_NONE; root++) {
        bool doubtful = false, plain = true;
        if (island[root] != root) continue;
        d.island.count = list_closed(&d, island, root, &doubtful, &plain);
        if (!doubtful) continue;
        verdict.reason = plain && d.island.count <= BRI_MODES ? judge(&d) : BR_SWITCH_UNDECIDED;
    }
    return verdict;
}
