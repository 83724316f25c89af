/* report_verdict.c: what a recording says of how its run went, in words: a pure function of what is in it. The rules by which
 * a run has failed are those of `bristle run` (books.h). */
#include "report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const level_names[] = {"good", "doubt", "bad"};

static const double LITTLE_ENERGY = 0.01; /* of what was turned over: nobody sees that in a motion */
static const double OPEN = 1e-6;          /* of the largest coordinate, 1 m at least: joints that are open by as much */

__attribute__((format(printf, 4, 5))) static void say(Judgement *j, Level level, const char *remedy, const char *format,
                                                      ...) {
    va_list arguments;
    if (j->lines == (int)(sizeof j->line / sizeof j->line[0])) return;
    VerdictLine *line = &j->line[j->lines++];
    line->level = level;
    if (level > j->level) j->level = level;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    snprintf(line->remedy, sizeof line->remedy, "%s", remedy);
}

/* ------------------------------------------------------------------ its end */

static void judge_end(const Evidence *e, Judgement *j) {
    bool early = e->until - e->end > 1e-9 * (1 + fabs(e->until));
    if (!e->closed && early)
        say(j, LEVEL_DOUBT, "If it was killed, go on from a checkpoint with --resume, or run it again.",
            "The recording was never closed: its run was killed at t = %.6g s or later, of %.6g s, or still goes on.",
            e->end, e->until);
    else if (!e->closed)
        say(j, LEVEL_DOUBT, "If it was killed, go on from a checkpoint with --resume, or run it again.",
            "The recording was never closed: its run was killed after t = %.6g s, or still goes on.", e->end);
    else if (early)
        say(j, LEVEL_DOUBT, "What ended it stood on the terminal; a checkpoint goes on with --resume.",
            "The run ended at t = %.6g s and not at %.6g s: it was interrupted, or a step was refused.", e->end,
            e->until);
    if (e->other_model)
        say(j, LEVEL_DOUBT, "Record it again with this version.",
            "This version of bristle reads the scene in the recording as another model than was simulated; what is "
            "shown of shapes and joints may differ.");
    if (*e->wrong)
        say(j, LEVEL_BAD, "A smaller dt or another scheme may help; look at the rows before.",
            "'%s' is no finite number from t = %.6g s on.", e->wrong, e->wrong_at);
}

/* ------------------------------------------------------------------ certificates */

/* "contacts to 4e-10 m/s, joints to 4e-14 m and 8e-12 m/s", of what the machine has. */
static const char *print_residuals(const Evidence *e, char text[120]) {
    char *to = text, *end = text + 120;
    *to = 0;
    if (e->contact > 0) to += snprintf(to, (size_t)(end - to), "contacts to %.2g m/s", e->contact);
    if (e->position > 0 || e->rate > 0)
        snprintf(to, (size_t)(end - to), "%sjoints to %.2g m and %.2g m/s", *text ? ", " : "", fmax(e->position, 0),
                 fmax(e->rate, 0));
    return text;
}

static void judge_steps(const Evidence *e, Judgement *j) {
    char residuals[120];
    print_residuals(e, residuals);
    if (e->uncertified > 0)
        say(j, LEVEL_DOUBT, "Take a smaller dt, or a larger step.contact.budget if there is one.",
            "%.0f step%s stopped short of the tolerance: solved %s.", e->uncertified, e->uncertified == 1 ? "" : "s",
            residuals);
    else if (e->uncertified == 0)
        say(j, LEVEL_GOOD, "", "Every step reached its tolerance%s%s.", *residuals ? ": " : "", residuals);
    if (e->readings > 0)
        say(j, LEVEL_DOUBT, "Motion is as the steps made it; do not trust accelerations and forces of these rows.",
            "In %d of %d rows the forces of that instant were not found, or there are none that fit.", e->readings,
            e->of_readings);
    if (e->fell_back > 0)
        say(j, LEVEL_DOUBT, "These steps know no more than timestepping: impacts and compliance within them are lost.",
            "Steps before %d of %d rows were made by timestepping instead of the formulation asked for.", e->fell_back,
            e->rows);
}

static void judge_joints(const Evidence *e, Judgement *j) {
    double size = fmax(1, e->size), speed = fmax(1, e->speed), torn = 1e-12 * MANY_TOLERANCES * speed;
    if (e->rate > torn)
        say(j, LEVEL_BAD, "Take a smaller dt, or another scheme.",
            "The rates of joints were off by %.2g m/s at t = %.6g s: the machine was torn.", e->rate, e->rate_at);
    if (e->position > OPEN * size)
        say(j, LEVEL_DOUBT, "Take a smaller dt.", "Joints were open by up to %.2g m, at t = %.6g s.", e->position,
            e->position_at);
}

/* ------------------------------------------------------------------ energy */

static void judge_books(const Evidence *e, Judgement *j) {
    const Books *b = &e->books;
    if (!e->has_books) return;
    double defect = find_defect(b), turnover = find_turnover(b), part = fabs(defect) / turnover;
    const char *remedy = "Take a smaller dt: the defect shrinks with the scheme's order; or another scheme.";
    if (are_off(b) && (e->weighed || !(fabs(defect) <= fabs(b->last.potential) * LITTLE_ENERGY)))
        say(j, LEVEL_BAD, remedy,
            "The energy books are off by %.3g J, and %.3g J were turned over: this is no solution.", defect, turnover);
    else if (part > LITTLE_ENERGY)
        say(j, LEVEL_DOUBT, remedy, "The energy books are off by %.3g J, %.2g %% of the %.3g J that were turned over.",
            defect, 100 * part, turnover);
    else
        say(j, LEVEL_GOOD, "", "The energy books balance to %.3g J, %.2g %% of the %.3g J that were turned over.",
            defect, 100 * part, turnover);
}

/* ------------------------------------------------------------------ all of it */

static const char *find_title(const Evidence *e, const Judgement *j) {
    if (!e->simulated) return "Nothing in this file says how its run went";
    if (j->level == LEVEL_BAD) return "Do not believe this run";
    if (j->level == LEVEL_DOUBT && !e->closed) return "The recording is not whole; what is there is judged below";
    if (j->level == LEVEL_DOUBT) return "Believe this run with care";
    return e->has_books ? "Certified: every step solved, and the energy books balance" : "Certified: every step solved";
}

void judge(const Evidence *e, Judgement *j) {
    *j = (Judgement){0};
    judge_end(e, j);
    judge_steps(e, j);
    judge_joints(e, j);
    judge_books(e, j);
    if (!e->simulated)
        say(j, LEVEL_DOUBT, "Record to .h5 with 'bristle run' to have certificates and energy books in it.",
            "It has neither certificates nor energy books.");
    snprintf(j->title, sizeof j->title, "%s", find_title(e, j));
}
