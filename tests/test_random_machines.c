/* test_random_machines.c: whatever is thrown together, a step is taken and certified, or says that it is not, or is
 * refused with a sentence; numbers stay numbers; energy comes from sources only; bodies stay outside each other.
 *
 *     test_random_machines              some machines; more with BRISTLE_CHECK, very many with BRISTLE_LONG
 *     test_random_machines NUMBER       that one: as a scene file, then step by step
 *     test_random_machines FROM TO      those from FROM to before TO
 *     test_random_machines FROM COUNT METHOD   so many from FROM on that are stepped so (moreau, hem2, event, ...)
 *
 * What must never be is asserted for each machine. What schemes of finite steps cannot promise for every machine is
 * counted, by the way of stepping, and few may miss it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_machine.h"

enum { FEW_STOPPED = 3, STOPPED = 8, MORE_STOPPED = 200 }; /* of each way of stepping, while others look on */
enum { SOME = 80, MORE = 1000, VERY_MANY = 100000, FEW = 25, LOOK_EVERY = 5, SHOWN = 100 };
enum { BRIEF = 40 };              /* steps: sanitizers see more in another machine than in more steps of this one */
enum { LIGHT = 6, MIDDLING = 8 }; /* bodies of machines that are run in short and in longer tests; in long ones: all */

/* Overlap that counts, of the smaller body's smallest width. */
static const double DEEP = 0.01;

/* By the way of stepping. */
typedef struct Tally {
    long machines, unfit, refused, steps, uncertified, clean;
    long laborious; /* refused for their work */
    long grown;     /* energy above the bound */
    long unbooked;  /* of these, more than the books' defect tells */
    long deep;      /* clean at the start, and deeper than allowed at the end of a step that was certified */
    double most_grown, most_deep;
    uint64_t grown_at, deep_at;
} Tally;

static Tally tally[RANDOM_METHODS];
static int complaints;
static bool verbose;
static uint64_t from_number, count_number;
static int only_method = -1;

static void complain(const RandomMachine *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(const RandomMachine *r, const char *format, ...) {
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (complaints++ < SHOWN)
        print_error("machine %llu (%s): %s\n", (unsigned long long)r->number, RANDOM_METHOD_NAMES[r->method], text);
}

/* ------------------------------------------------------------------ what must hold */

/* Speeds and turns of all bodies: the largest of each; false if one is no number. */
static bool measure_motion(const RandomMachine *r, double *speed, double *spin) {
    *speed = *spin = 0;
    for (int k = 0; k < br_model_body_count(r->m.model); k++) {
        BrBodyId id = br_model_body(r->m.model, k);
        BrTwist twist = machine_twist(&r->m, id);
        BrPose pose = machine_pose(&r->m, id);
        double sum = norm(pose.position) + norm(twist.linear) + norm(twist.angular);
        for (int i = 0; i < 9; i++) sum += fabs(pose.rotation.m[i / 3][i % 3]);
        if (!isfinite(sum)) return false;
        *speed = fmax(*speed, norm(twist.linear));
        *spin = fmax(*spin, norm(twist.angular));
    }
    return true;
}

/* m/s: how fast a point of a body may be before contacts push. Gravity pulls, arms are up to 3 m, and gyroscopic torques
 * add up to spin^2 dt to the spin of a slender body. */
static double find_free_speed(const RandomMachine *r, double speed, double spin) {
    const double ARM = 3;
    return fmax(speed + r->gravity * r->def.dt, ARM * spin * (1 + spin * r->def.dt));
}

/* A step may be refused because its numbers would not be a solution, for its work, or for contacts without room. */
static void check_refusal(const RandomMachine *r, BrStatus status, const BrError *error) {
    bool known = status == BR_DIVERGED || status == BR_TOO_MUCH_WORK || status == BR_CAPACITY ||
                 (status == BR_UNSUPPORTED && r->method == METHOD_EVENT);
    if (!known) complain(r, "a step is refused with %s: %s", br_status_name(status), error->text);
    if (strlen(error->text) == 0) complain(r, "a step is refused without a word: %s", br_status_name(status));
}

/* The report and the status say the same; the tolerance is 1e-9 of the speeds of an island, or what heavy bodies on
 * light ones round to, at most 1e-6 of them: with slack for both, relative speeds being twice those of bodies. */
static void check_report(const RandomMachine *r, BrStatus status, const BrStepReport *report, double speed) {
    bool joints_short = report->position_residual > 0 || report->velocity_residual > 0;
    bool overlaps = report->overlap > 0;
    double tolerance = 2e-6 * fmax(1, speed);
    if (status == BR_OK && (report->uncertified_contacts || !(report->contact_residual <= report->contact_tolerance) ||
                            !(report->contact_tolerance <= tolerance)))
        complain(r, "a step that is BR_OK has %d uncertified contacts, residual %g of %g (at most %g)",
                 report->uncertified_contacts, report->contact_residual, report->contact_tolerance, tolerance);
    if (status == BR_OK && overlaps) complain(r, "a step that is BR_OK made an overlap of %g", report->overlap);
    bool inner = report->inner_error > 0 || report->energy_made > 0;
    if (status == BR_OK && inner)
        complain(r, "a step that is BR_OK has an inner error of %g, or made %g of its energy", report->inner_error,
                 report->energy_made);
    if (status == BR_NOT_CONVERGED && report->uncertified_contacts == 0 && !joints_short && !overlaps && !inner)
        complain(r, "a step did not converge and does not say where");
    if (!(report->work > 0 && report->work <= RANDOM_MOST_WORK))
        complain(r, "a step was taken with %g operations, allowed %g", report->work, RANDOM_MOST_WORK);
}

static double find_width(const RandomMachine *r, BrBodyId id) {
    for (int k = 0; k < r->bodies; k++)
        if (r->body[k].index1 == id.index1) return r->width[k];
    return INFINITY;
}

/* Forces in their cones (of rigid laws); returns the deepest overlap as a part of the smaller width. */
static double check_contacts(const RandomMachine *r) {
    BrError error = {0};
    double deepest = 0;
    BrStatus status = br_evaluate(r->m.model, r->m.workspace, r->m.state, &error);
    if (status == BR_CAPACITY) return 0; /* nothing can be read; nor will a step be taken */
    if (status < 0) complain(r, "evaluate: %s", error.text);
    for (int k = 0; k < br_contact_count(r->m.model, r->m.workspace); k++) {
        BrContact c;
        if (br_contact(r->m.model, r->m.workspace, k, &c) != BR_OK) complain(r, "contact %d cannot be read", k);
        double friction = norm(c.friction_force), room = 1e-9 * (1 + c.normal_force);
        deepest = fmax(deepest, -c.gap / fmin(find_width(r, c.body_a), find_width(r, c.body_b)));
        if (!(c.normal_force >= -1e-9)) complain(r, "contact %d pulls with %g N", k, c.normal_force);
        if (r->method <= METHOD_EVENT && !(friction <= c.mu * c.normal_force + fmax(1, c.mu) * room))
            complain(r, "contact %d: friction %g N, allowed %g N", k, friction, c.mu * c.normal_force);
    }
    return deepest;
}

/* Overlap at the start, whether the bodies separate or not. */
static double find_start_overlap(const RandomMachine *r) {
    RandomMachine still = *r;
    assert_int_equal(br_state_create(r->m.model, &still.m.state, NULL), BR_OK);
    assert_int_equal(br_state_copy(still.m.state, r->m.state), BR_OK);
    for (int k = 0; k < r->bodies; k++) machine_set_twist(&still.m, r->body[k], vec(0, 0, 0), vec(0, 0, 0));
    br_state_set_formulation(still.m.state, r->def.formulation);
    double depth = check_contacts(&still);
    br_state_destroy(r->m.model, still.m.state);
    return depth;
}

/* ------------------------------------------------------------------ energy */

/* Of machines that were clean at the start, per hundred of a way of stepping: so many may miss a bound. Seen over some
 * hundred machines of each way (120 of stiff, 150 of adaptive, 400 to 800 of the others): energy grew in none or in one
 * or two, and none of them was unbooked; no certified step was deep. */
static const double MOST_LABORIOUS[RANDOM_METHODS] = {
    [METHOD_MOREAU] = 10,   [METHOD_HEM2] = 10,  [METHOD_EVENT] = 40,        [METHOD_RK4] = 10,
    [METHOD_ADAPTIVE] = 50, [METHOD_STIFF] = 40, [METHOD_SEMI_IMPLICIT] = 10}; /* of all of its machines, per hundred */
static const double MOST_GROWN = 0.5, MOST_UNBOOKED = 0.2, MOST_DEEP = 0.2;

typedef struct Books {
    double start, kinetic_at_start, potential_at_start; /* J */
    double last;                                        /* J: energy less work after the step before */
    double told;                                        /* J: made by steps that said so */
    double least;                                       /* J: see open_books() */
    double growth, allowed, defect, turn;               /* J, rad: worst so far */
    double over;                                        /* growth beside what was allowed then, worst so far */
    bool unbooked;                                      /* it was more than the defect tells */
    double bounced, worked;                             /* J: see keep_books() */
} Books;

static double sum_energy(const BrEnergy *e) { return e->kinetic + e->potential + e->stored; }

/* Whatever moves or not: to lift all by a tenth of the bodies' length, what 1e-6 m/s is, and what gravity makes of rest
 * within a step, m (g h)^2/2, which is gained or not by where in the step a fall ends. */
static void open_books(const RandomMachine *r, Books *b) {
    BrEnergy e = machine_energy(&r->m);
    double fall = r->gravity * r->def.dt;
    *b = (Books){.start = sum_energy(&e), .kinetic_at_start = e.kinetic, .potential_at_start = e.potential + e.stored};
    b->last = b->start;
    for (int k = 0; k < r->bodies; k++)
        b->least += r->mass[k] * (0.1 * r->gravity * r->length + 1e-12 + 0.5 * fall * fall);
}

/* The largest momentum of a body, kg m/s. */
static double find_momentum(const RandomMachine *r) {
    double most = 0;
    for (int k = 0; k < r->bodies; k++) most = fmax(most, r->mass[k] * norm(machine_twist(&r->m, r->body[k]).linear));
    return most;
}

/* The bound: an error of time. A step of h is off by parts of what moves (kinetic energy at the start, what fell, what
 * was stored, what sources did) that are small of the order of h: 2 %, and a quarter of the angle that bodies turn
 * through in a step. semi-implicit keeps E + h/2 dE_k/dt, so that a body on a spring, w h <= 0.3 (random_machine.c),
 * swings by w h/2 of its energy. moreau lets bounce what would touch within the step and moves it off at once, higher
 * by up to h v than it came down: m g h v for each impact. Bodies that are moved have one velocity in a step: what they
 * put in is known to half of itself. What steps make that say so (BR_NOT_CONVERGED) is theirs, and moves from then
 * on. */
static void keep_books(const RandomMachine *r, BrStatus status, const BrStepReport *report, double spin, Books *b) {
    BrEnergy e = machine_energy(&r->m);
    double now = sum_energy(&e) - e.work;
    double fallen = fmax(0, b->potential_at_start - e.potential - e.stored);
    if (status != BR_OK) b->told += fmax(0, now - b->last);
    double scale = b->kinetic_at_start + fallen + fabs(e.work) + b->told + b->least;
    b->turn = fmax(b->turn, fmin(1, spin * r->def.dt));
    bool by_moreau = r->method == METHOD_MOREAU || report->finished_by_moreau;
    if (by_moreau && report->impacts > 0) b->bounced += report->impacts * r->gravity * r->def.dt * find_momentum(r);
    b->bounced += 0.5 * fabs(e.work - b->worked);
    b->worked = e.work;
    double part = 0.02 + 0.25 * b->turn + (r->method == METHOD_SEMI_IMPLICIT ? 0.15 : 0);
    b->last = now;
    b->allowed = fmax(b->allowed, part * scale + b->bounced);
    b->defect = fmax(b->defect, fabs(e.defect));
    double growth = now - b->start - b->told;
    b->unbooked = b->unbooked || growth > fmax(b->allowed, b->defect);
    if (!(growth / b->allowed > b->over)) return; /* what may grow later has no part in it */
    b->over = growth / b->allowed;
    b->growth = growth;
}

/* ------------------------------------------------------------------ running */

static void show_step(const RandomMachine *r, int k, BrStatus status, const BrStepReport *p, double depth) {
    BrEnergy e = machine_energy(&r->m);
    print_message("%3d %s E %.9g (kin %.4g) work %.4g lost %.4g defect %.3g contacts %d residual %.1e it %d+%d impacts "
                  "%d depth %.3g%s parts %d\n",
                  k, br_status_name(status), sum_energy(&e), e.kinetic, e.work, e.dissipated, e.defect, p->contacts,
                  p->contact_residual, p->iterations, p->solver_iterations, p->impacts, depth,
                  p->finished_by_moreau ? " by moreau" : "", p->parts);
}

static void note_worst(double *worst, uint64_t *at, double value, uint64_t number) {
    if (!(value > *worst)) return;
    *worst = value;
    *at = number;
}

/* The law bristle makes energy where its bristles are soft and its steps are long: not judged here. */
static void judge(const RandomMachine *r, const Books *b, double depth, bool clean) {
    Tally *t = &tally[r->method];
    t->clean += clean;
    if (clean && !r->bristle && b->over > 1) {
        t->grown++;
        t->unbooked += b->unbooked;
        note_worst(&t->most_grown, &t->grown_at, b->over, r->number);
        if (only_method >= 0)
            print_message("machine %llu: energy %.3g times its bound\n", (unsigned long long)r->number, b->over);
    }
    if (clean && r->method <= METHOD_EVENT && depth > DEEP) {
        t->deep++;
        note_worst(&t->most_deep, &t->deep_at, depth, r->number);
        if (only_method >= 0) print_message("machine %llu: overlap of %.3g\n", (unsigned long long)r->number, depth);
    }
    if (verbose)
        print_message(
            "RESULT method=%s clean=%d grown=%g growth=%g allowed=%g defect=%g deep=%d depth=%g joints=%d bodies=%d\n",
            RANDOM_METHOD_NAMES[r->method], clean, b->over, b->growth, b->allowed, b->defect, depth > DEEP, depth,
            r->joints, r->bodies);
}

/* Explicit springs and dampers have a largest step, which may shrink as a joint's lever grows: beyond a tenth of it the
 * scheme promises nothing. hem2 is asked for moreau's, 2/w: its own is a convention (docs/stable-steps.md). */
static bool is_too_stiff(const RandomMachine *r) {
    BrAnalysis a;
    BrError error = {0};
    BrScheme scheme = r->def.scheme == BR_SCHEME_HEM2 ? BR_SCHEME_MOREAU : r->def.scheme;
    if (br_analyse(r->m.model, r->m.workspace, r->m.state, &a, NULL, NULL, &error) < 0)
        complain(r, "analyse: %s", error.text);
    return a.largest_dt[scheme] > 0 && r->def.dt / r->def.substeps > 0.1 * a.largest_dt[scheme];
}

static void run_machine(RandomMachine *r) {
    Tally *t = &tally[r->method];
    BrError error = {0};
    BrStepReport report;
    Books books;
    double speed, spin, overlap = find_start_overlap(r), depth = 0;
    bool certified = true;
    open_books(r, &books);
    measure_motion(r, &speed, &spin);
    int steps = is_slow_run() && !is_long_run() && r->steps > BRIEF ? BRIEF : r->steps;
    for (int k = 0; k < steps; k++) {
        double before = find_free_speed(r, speed, spin);
        BrStatus status = br_step(r->m.model, r->m.workspace, r->m.state, &r->def, &report, &error);
        if (status < 0) {
            t->refused++;
            t->laborious += status == BR_TOO_MUCH_WORK;
            if (verbose) print_message("step %d refused: %s: %s\n", k, br_status_name(status), error.text);
            check_refusal(r, status, &error);
            break;
        }
        t->steps++;
        t->uncertified += status != BR_OK;
        certified = certified && status == BR_OK;
        if (!measure_motion(r, &speed, &spin)) {
            complain(r, "step %d: a body is not finite", k);
            break;
        }
        check_report(r, status, &report, fmax(before, find_free_speed(r, speed, spin))); /* springs may be stiff */
        if (k % LOOK_EVERY == 0 && br_model_spring_count(r->m.model) > 0 && is_too_stiff(r)) break;
        keep_books(r, status, &report, spin, &books);
        double now = k % LOOK_EVERY == 0 || verbose ? check_contacts(r) : 0;
        if (certified) depth = fmax(depth, now);
        if (verbose) show_step(r, k, status, &report, now);
    }
    judge(r, &books, depth, overlap <= 1e-6);
}

static bool is_wanted(uint64_t number) {
    RandomMethod method;
    int bodies = random_bodies(number, &method);
    if (only_method >= 0) return (int)method == only_method;
    if (from_number > 0 || verbose) return true;
    return bodies <= (is_long_run() ? RANDOM_BODIES : is_check_run() ? MIDDLING : LIGHT);
}

static void run_number(uint64_t number) {
    RandomMachine r;
    BrError error = {0};
    BrStatus status = random_machine_make(number, &r, &error);
    tally[r.method].machines++;
    tally[r.method].unfit += status != BR_OK;
    if (verbose) random_machine_write(&r, stdout), fflush(stdout);
    if (status == BR_OK)
        run_machine(&r);
    else if (verbose)
        print_message("refused: %s\n", error.text);
    random_machine_end(&r);
}

static void tell(void) {
    for (int k = 0; k < RANDOM_METHODS; k++) {
        const Tally *t = &tally[k];
        if (t->machines == 0) continue;
        print_message(
            "%-13s %ld machines (%ld unfit, %ld refused, %ld of them for work, %ld clean), %ld steps, %ld "
            "uncertified; energy above "
            "its bound %ld, unbooked %ld (worst %.3g times, machine %llu); deeper than %g %ld (worst %.3g, machine "
            "%llu)\n",
            RANDOM_METHOD_NAMES[k], t->machines, t->unfit, t->refused, t->laborious, t->clean, t->steps, t->uncertified,
            t->grown, t->unbooked, t->most_grown, (unsigned long long)t->grown_at, DEEP, t->deep, t->most_deep,
            (unsigned long long)t->deep_at);
    }
}

static void random_machines_keep_their_promises(void **unused) {
    (void)unused;
    for (uint64_t number = from_number, left = count_number; left > 0; number++) {
        if (!is_wanted(number)) continue;
        run_number(number);
        left--;
    }
    tell();
    assert_int_equal(complaints, 0);
    for (int k = 0; k < RANDOM_METHODS; k++) {
        const Tally *t = &tally[k];
        double clean = (double)t->clean;
        if (t->machines >= 50) assert_between(100 * (double)t->laborious / (double)t->machines, 0, MOST_LABORIOUS[k]);
        if (t->clean < 50) continue; /* too few for a share */
        assert_between(100 * (double)t->grown / clean, 0, MOST_GROWN);
        assert_between(100 * (double)t->unbooked / clean, 0, MOST_UNBOOKED);
        assert_between(100 * (double)t->deep / clean, 0, MOST_DEEP);
    }
}

/* ------------------------------------------------------------------ stopping */

typedef struct Looks {
    int made, stop_at; /* 0: never */
} Looks;

static bool look(void *user) {
    Looks *looks = user;
    return ++looks->made == looks->stop_at;
}

/* One step, stopped at several looks, then taken: the state is as before each time, and what the workspace went through
 * does not show. Returns how often a step was stopped after its first look; *go_on: the step was taken. */
static int stop_step(RandomMachine *r, BrWorkspace *fresh, BrState *copy, bool *go_on) {
    static const int STOPS[] = {1, 2, 3, 5, 9, 20, 0};
    Looks looks = {0};
    BrError error = {0};
    BrStatus status = BR_OK;
    int within = 0;
    r->def.stop = look;
    r->def.stop_user = &looks;
    br_state_copy(copy, r->m.state);
    BrStatus expected = br_step(r->m.model, fresh, copy, &r->def, NULL, &error);
    uint64_t before = br_state_hash(r->m.state), after = br_state_hash(copy);
    for (int i = 0; i < (int)(sizeof STOPS / sizeof *STOPS); i++) {
        looks = (Looks){.stop_at = STOPS[i]};
        br_state_copy(copy, r->m.state);
        status = br_step(r->m.model, r->m.workspace, copy, &r->def, NULL, &error);
        bool stopped = STOPS[i] > 0 && looks.made >= STOPS[i];
        if (stopped && (status != BR_CANCELLED || br_state_hash(copy) != before || looks.made != STOPS[i]))
            complain(r, "stopped at look %d: %s after %d looks", STOPS[i], br_status_name(status), looks.made);
        if (!stopped && (status != expected || br_state_hash(copy) != after))
            complain(r, "after a stop %s instead of %s, or another state", br_status_name(status),
                     br_status_name(expected));
        within += stopped && STOPS[i] > 1;
    }
    br_state_copy(r->m.state, copy);
    *go_on = status >= 0;
    return within;
}

static int stop_machine(uint64_t number) {
    enum { STEPS = 5 };
    RandomMachine r;
    BrError error = {0};
    BrWorkspace *fresh = NULL;
    BrState *copy = NULL;
    int within = 0;
    bool go_on = random_machine_make(number, &r, &error) == BR_OK;
    if (go_on) {
        r.def.most_work = 0.2 * RANDOM_MOST_WORK; /* it is made eight times */
        assert_int_equal(br_workspace_create(r.m.model, &fresh, NULL), BR_OK);
        assert_int_equal(br_state_create(r.m.model, &copy, NULL), BR_OK);
        for (int k = 0; k < STEPS && go_on; k++) within += stop_step(&r, fresh, copy, &go_on);
        br_state_destroy(r.m.model, copy);
        br_workspace_destroy(r.m.model, fresh);
    }
    random_machine_end(&r);
    return within;
}

/* Machines that complained once: certified by what wedged impulses round to; friction outside its cone where a reading
 * was not found; tolerances of spins that gyroscopic torques make, and of springs that throw a body within a step. */
static void machines_that_once_complained_do_not(void **unused) {
    (void)unused;
    static const uint64_t ONCE[] = {4228, 4848, 5543, 106744, 114447, 130585, 140053, 142499, 207510};
    if (from_number > 0 || only_method >= 0 || verbose || is_slow_run()) return;
    for (size_t k = 0; k < sizeof ONCE / sizeof *ONCE; k++) run_number(ONCE[k]);
    assert_int_equal(complaints, 0);
}

/* Whoever wants a step to end is heard wherever it is, and nothing is changed. */
static void steps_stop_when_told(void **unused) {
    (void)unused;
    int most = is_long_run() || is_check_run() ? MORE_STOPPED
               : is_slow_run()                 ? FEW_STOPPED
                                               : STOPPED,
        within = 0, done[RANDOM_METHODS] = {0}, left = most * RANDOM_METHODS;
    if (from_number > 0 || only_method >= 0 || verbose) return;
    for (uint64_t number = 0; left > 0; number++) {
        RandomMethod method;
        random_bodies(number, &method);
        if (done[method] == most) continue;
        done[method]++, left--;
        within += stop_machine(number);
    }
    print_message("%d steps were stopped within\n", within);
    assert_int_equal(complaints, 0);
    assert_true(within >= most); /* else nothing was tried */
}

int main(int count, char **words) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_machines_keep_their_promises),
                                       cmocka_unit_test(machines_that_once_complained_do_not),
                                       cmocka_unit_test(steps_stop_when_told)};
    count_number = is_long_run() ? VERY_MANY : is_check_run() ? MORE : is_slow_run() ? FEW : SOME;
    if (count > 1) from_number = strtoull(words[1], NULL, 10), count_number = 1;
    if (count > 2) count_number = strtoull(words[2], NULL, 10) - (count > 3 ? 0 : from_number);
    for (int k = 0; count > 3 && k < RANDOM_METHODS; k++)
        if (strcmp(words[3], RANDOM_METHOD_NAMES[k]) == 0) only_method = k;
    verbose = count == 2;
    return cmocka_run_group_tests_name("random_machines", tests, NULL, NULL);
}
