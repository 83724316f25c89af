/* report.c: a step's report, and tries that leave no trace in it. */
#include "dynamics/workspace.h"

BriReportMark bri_report_mark(const BriStep *step) {
    BriReportMark mark = {.worst = step->worst};
    memcpy(mark.head, step->report, sizeof mark.head);
    return mark;
}

void bri_report_rewind(BriStep *step, const BriReportMark *mark) {
    int iterations = step->report->iterations, solver_iterations = step->report->solver_iterations;
    memcpy(step->report, mark->head, sizeof mark->head);
    step->report->iterations = iterations;
    step->report->solver_iterations = solver_iterations;
    step->worst = mark->worst;
}
