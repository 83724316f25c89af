/* words.c: what was found of an island, in one line. */
#include "diagnose/told.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *name_body(const BriTold *i, int body) { return i->island.at->model->body_def[body].name; }

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

static const char *name_joint(const BriTold *i, int joint) { return i->island.at->model->joint[joint].def.name; }

static void say_bound(BriTold *i, const BriBoundRow *bound, Does does) {
    static const char *const GIVES = "gives way";
    const BrModel *m = i->island.at->model;
    const char *does_what = does == SLIDES ? GIVES : WORDS[0][does];
    if (bri_is_limit(bound))
        say(&i->told, ", the limit of '%.40s' %s", name_joint(i, bound->joint), WORDS[0][does]);
    else if (bound->kind == BRI_BOUND_FRICTION)
        say(&i->told, ", dry friction of '%.40s' %s", name_joint(i, bound->joint), does_what);
    else
        say(&i->told, ", the motor '%.40s' %s",
            m->motor[m->joint[bound->joint].drive[m->bound[bound->bound].drive].motor].def.name, does_what);
}

/* Of a contact that presses. */
static void say_moment(BriTold *i, int k, Does does) {
    const char *turns = i->modes.contact[k].spins ? "spin" : "roll";
    if (does == SLIDES) say(&i->told, ", %ss", turns);
    if (does == HOLDS) say(&i->told, ", does not %s", turns);
}

static void say_contact(BriTold *i, int k, Does does) {
    const BriContact *c = bri_told_contact(i, k);
    say(&i->told, "%s%.40s/%.40s %s", k ? ", " : "", name_body(i, c->at.b), name_body(i, c->at.a), WORDS[0][does]);
}

/* "rod/floor parts, rod/wall slides (stable)" */
static void say_answer(BriTold *i, const BrAnswer *answer) {
    enum { NAMED = 3 };
    int count[DOES] = {0}, said = 0;
    BrDiagnosis *d = &i->told;
    for (int k = 0; k < d->contacts; k++) {
        const BriBoundRow *bound = bri_told_bound(i, k);
        Does does = find_does(answer, k, *i->modes.acceleration * i->modes.scale[k]);
        bool moment = i->modes.contact[k].borne > 0;
        count[does] += !moment;
        if (d->contacts > NAMED) continue;
        if (moment)
            say_moment(i, k, does);
        else if (bound)
            say_bound(i, bound, does);
        else
            say_contact(i, k, does);
    }
    for (int k = 0; d->contacts > NAMED && k < DOES; k++)
        if (count[k]) say(d, "%s%d %s", said++ ? ", " : "", count[k], WORDS[count[k] > 1][k]);
    say(d, " (%s)", br_answer_stability_name(answer->stability));
}

static void say_list(BriTold *i) {
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

static void say_several(BriTold *i) {
    BrDiagnosis *d = &i->told;
    say(d, "%s%d answers", i->complete ? "" : "at least ", d->answers);
    say_list(i);
    if (d->stable == 1 && d->unstable == d->answers - 1)
        say(d, ". Contact that yields a little takes the stable one");
    else if (depends(d))
        say(d,
            ". How hard its contacts press already decides, which nothing rigid tells; the formulation compliant does");
    else
        say(d, ". Nothing rigid tells which; the formulation compliant does");
}

static void say_undecided(BriTold *i) {
    BrDiagnosis *d = &i->told;
    say(d, "%s", d->answers ? "one answer was found" : "no answer was found");
    say_list(i);
    if (i->beginnings == 0 && i->stopped)
        say(d, "; the work that it may take had ended before all that its %d contacts may do was looked at",
            d->contacts);
    else if (i->beginnings == 0)
        say(d, "; its %d contacts may begin to slide in any direction, which were not all looked at", d->contacts);
    else
        say(d, "; that there is no other is not proved for its %d contacts, and was looked for from %d beginnings%s",
            d->contacts, i->beginnings, i->stopped ? ", then the work that it may take had ended" : "");
}

void bri_say_verdict(BriTold *i) {
    BrDiagnosis *d = &i->told;
    const char *s = d->contacts == 1 ? "" : "s", *es = d->contacts == 1 ? "es" : "";
    say(d, "%.60s: ", name_body(i, bri_told_contact(i, 0)->at.b));
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

void bri_say_obstacle(BriTold *i, int body, const char *why) {
    say(&i->told, "%.60s: not decided: %s", name_body(i, body), why);
}
