/* run_diagnose.c: `bristle run --diagnose`: how many answers rigid contact has, step by step. Where one is proved whatever pulls, that is
 * enough; elsewhere all are looked for. */
#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool parse_diagnosing(Diagnosing *d) {
    char *rest;
    if (!d->every_text) return true;
    double every = d->every_text[0] ? strtod(d->every_text, &rest) : 1;
    bool fits = !d->every_text[0] || (*rest == 0 && every >= 1 && every <= 1e9 && every == floor(every));
    if (fits) d->every = (uint64_t)every;
    if (!fits) fprintf(stderr, "bristle run: --diagnose %s is not a whole number of steps from 1 on\n", d->every_text);
    return fits;
}

BrStatus start_diagnosing(Run *r, BrError *error) {
    r->diagnosing.margin = INFINITY;
    return r->diagnosing.every ? br_workspace_create(r->l.model, &r->diagnosing.workspace, error) : BR_OK;
}

void end_diagnosing(Run *r) { br_workspace_destroy(r->l.model, r->diagnosing.workspace); }

static void note_island(void *user, const BrDiagnosis *found) {
    Run *r = user;
    Diagnosing *d = &r->diagnosing;
    double time = br_state_time(r->l.state);
    d->islands++;
    d->proved += found->proof != BR_PROOF_NONE && found->proof != BR_PROOF_ALL_MODES;
    if (d->verdict[found->verdict]++ == 0) {
        d->first[found->verdict] = time;
        snprintf(d->text[found->verdict], sizeof d->text[0], "%s", found->text);
    }
    if (found->mu_painleve - found->mu < d->margin)
        d->margin = found->mu_painleve - found->mu, d->margin_mu = found->mu_painleve, d->margin_at = time;
}

void diagnose_step(Run *r, uint64_t step) {
    Diagnosing *d = &r->diagnosing;
    BrDiagnoseDef def = br_default_diagnose_def();
    def.proof_is_enough = true;
    if (!d->every || step % d->every != 0) return;
    d->looks++;
    br_state_diagnose(r->l.model, d->workspace, r->l.state, &def, note_island, r, NULL);
}

static const BrDiagnosisVerdict BAD[] = {BR_DIAGNOSIS_NONE, BR_DIAGNOSIS_ENDLESS, BR_DIAGNOSIS_SEVERAL,
                                         BR_DIAGNOSIS_UNDECIDED};
enum { BADS = 4 };

void print_diagnosing(const Run *r) {
    const Diagnosing *d = &r->diagnosing;
    if (d->islands == 0) {
        printf("  rigid contact: nothing touched in %llu looks\n", (unsigned long long)d->looks);
        return;
    }
    printf("  rigid contact: one answer in %llu of %llu looks at what touches (%llu proved)\n",
           (unsigned long long)d->verdict[BR_DIAGNOSIS_UNIQUE], (unsigned long long)d->islands,
           (unsigned long long)d->proved);
    for (int i = 0; i < BADS; i++)
        if (d->verdict[BAD[i]])
            printf("    %s in %llu, first at t = %.6g s: %s\n", br_diagnosis_verdict_name(BAD[i]),
                   (unsigned long long)d->verdict[BAD[i]], d->first[BAD[i]], d->text[BAD[i]]);
    if (isfinite(d->margin))
        printf("    nearest to Painleve's boundary, mu = %.6g, at t = %.6g s: %.6g %s\n", d->margin_mu, d->margin_at,
               fabs(d->margin), d->margin < 0 ? "beyond it" : "below it");
}

void json_diagnosing(const Run *r) {
    const Diagnosing *d = &r->diagnosing;
    printf("{\"looks\": %llu, \"islands\": %llu, \"proved\": %llu", (unsigned long long)d->looks,
           (unsigned long long)d->islands, (unsigned long long)d->proved);
    for (int v = 0; v < BR_DIAGNOSES; v++) {
        printf(", \"%s\": {\"count\": %llu, \"first\": ", br_diagnosis_verdict_name((BrDiagnosisVerdict)v),
               (unsigned long long)d->verdict[v]);
        json_number(stdout, d->verdict[v] ? d->first[v] : NAN);
        printf(", \"text\": ");
        json_text(stdout, d->text[v]);
        printf("}");
    }
    printf(", \"margin\": ");
    json_number(stdout, d->margin);
    printf(", \"margin_time\": ");
    json_number(stdout, isfinite(d->margin) ? d->margin_at : NAN);
    printf("}");
}
