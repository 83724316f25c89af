/* gallery.c: experiments on one page: what was printed, our reference, ours, figures, and what holds. */
#define _POSIX_C_SOURCE 200809L /* open_memstream() */
#include "figure.h"
#include "markdown.h"
#include "reproduce.h"

#include <stdlib.h>
#include <string.h>

struct Gallery {
    FILE *summary, *body; /* in memory, until all is known */
    char *summary_text, *body_text;
    size_t summary_size, body_size;
    int experiments, failed, checks;
};

Gallery *gallery_open(void) {
    Gallery *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->summary = open_memstream(&g->summary_text, &g->summary_size);
    g->body = open_memstream(&g->body_text, &g->body_size);
    if (g->summary && g->body) return g;
    gallery_close(g);
    return NULL;
}

void gallery_close(Gallery *g) {
    if (!g) return;
    if (g->summary) fclose(g->summary);
    if (g->body) fclose(g->body);
    free(g->summary_text);
    free(g->body_text);
    free(g);
}

/* ------------------------------------------------------------------ an experiment */

static void write_cell(FILE *out, const char *kind, const char *text) {
    fprintf(out, "<td class=\"%s\">", kind);
    write_svg_text(out, text);
    fputs("</td>", out);
}

static const char *find_sign(const char *verdict) {
    return strcmp(verdict, "ok") == 0 ? "\u2713 ok" : strcmp(verdict, "FAIL") == 0 ? "\u2717 fail" : "\u00b7 info";
}

static void write_metric(FILE *out, const BrMetric *m) {
    Row row = make_row(m);
    fprintf(out, "<tr class=\"%s\">", row.verdict);
    write_cell(out, "", m->name);
    write_cell(out, "printed", m->printed);
    write_cell(out, "", row.reference);
    write_cell(out, "", row.ours);
    write_cell(out, "", row.tolerance);
    write_cell(out, "verdict", find_sign(row.verdict));
    write_cell(out, "", m->problem ? m->problem : m->source);
    fputs("</tr>\n", out);
}

static void write_metrics(FILE *out, const BrExperiment *e) {
    BrMetric m;
    fputs("<div class=\"wide\"><table>\n<tr><th>quantity</th><th>printed</th><th>our "
          "reference</th><th>ours</th><th>tolerance</th>"
          "<th>verdict</th><th>from</th></tr>\n",
          out);
    for (int i = 0; br_experiment_metric(e, i, &m) == BR_OK; i++) write_metric(out, &m);
    fputs("</table></div>\n", out);
}

static void write_figures(FILE *out, const BrExperiment *e) {
    BrFigure figure;
    for (int i = 0; br_experiment_figure(e, i, &figure) == BR_OK; i++) {
        fputs("<figure><img loading=\"lazy\" src=\"", out);
        name_figure(out, e, &figure);
        fputs("\" alt=\"", out);
        write_svg_text(out, figure.title);
        fputs("\"></figure>\n", out);
    }
}

/* Pages of other experiments are sections of this one. */
static void write_target(FILE *out, const char *to, int length) {
    const char tail[] = "/README.md";
    int known = (int)sizeof tail - 1;
    bool beside =
        length > 3 + known && strncmp(to, "../", 3) == 0 && strncmp(to + length - known, tail, (size_t)known) == 0;
    char text[400];
    snprintf(text, sizeof text, beside ? "#%.*s" : "%.*s", beside ? length - 3 - known : length, beside ? to + 3 : to);
    write_svg_text(out, text);
}

static void write_page_of(FILE *out, const BrExperiment *e) {
    BrError ignored = {0};
    char *text = read_page(e, &ignored);
    if (text) {
        write_markdown(out, text, write_target);
        free(text);
        return;
    }
    fputs("<h2>", out);
    write_svg_text(out, *br_experiment_title(e) ? br_experiment_title(e) : br_experiment_id(e));
    fputs("</h2>\n", out);
}

void gallery_add(Gallery *g, const BrExperiment *e) {
    BrMetric m;
    int failures = count_failures(e), checks = 0;
    for (int i = 0; br_experiment_metric(e, i, &m) == BR_OK; i++) checks += m.checked;
    g->experiments++, g->failed += failures > 0, g->checks += checks;
    fprintf(g->summary, "<tr class=\"%s\"><td><a href=\"#", failures ? "FAIL" : "ok");
    write_svg_text(g->summary, br_experiment_id(e));
    fputs("\">", g->summary);
    write_svg_text(g->summary, br_experiment_id(e));
    fputs("</a></td><td>", g->summary);
    write_svg_text(g->summary, br_experiment_title(e));
    fprintf(g->summary, "</td><td>%d</td><td class=\"verdict\">%s</td></tr>\n", checks,
            find_sign(failures ? "FAIL"
                      : checks ? "ok"
                               : "info"));
    fputs("<section id=\"", g->body);
    write_svg_text(g->body, br_experiment_id(e));
    fputs("\">\n", g->body);
    write_page_of(g->body, e);
    write_figures(g->body, e);
    write_metrics(g->body, e);
    fputs("</section>\n", g->body);
}

void gallery_add_refusal(Gallery *g, const char *id, const char *why) {
    g->experiments++, g->failed++;
    fputs("<tr class=\"FAIL\"><td>", g->summary);
    write_svg_text(g->summary, id);
    fputs("</td><td>", g->summary);
    write_svg_text(g->summary, why);
    fputs("</td><td></td><td class=\"verdict\">\u2717 refused</td></tr>\n", g->summary);
}

/* ------------------------------------------------------------------ the page */

static const char STYLE[] = ":root { color-scheme: light dark; --ink: #1c1e21; --back: #fff; --soft: #5a6069; --line: "
                            "#d9dce1; --link: #0060a0; --bad: #a83a00; --good: #00664b; }\n"
                            "@media (prefers-color-scheme: dark) { :root { --ink: #e3e5e8; --back: #16181c; --soft: "
                            "#a3aab4; --line: #363b43; --link: #7cc4f5; --bad: #ff9a62; --good: #52d6ac; } }\n"
                            "body { font: 16px/1.55 system-ui, 'DejaVu Sans', sans-serif; color: var(--ink); "
                            "background: var(--back); max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }\n"
                            "h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.3rem; margin: 0 0 .6rem; } "
                            "h3 { font-size: 1.05rem; margin: 1.4rem 0 .4rem; }\n"
                            "section { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: 1.5rem; }\n"
                            "a { color: var(--link); } p, li { max-width: 46rem; } .soft { color: var(--soft); }\n"
                            "code, pre { font: .9em 'DejaVu Sans Mono', ui-monospace, monospace; } pre { overflow-x: "
                            "auto; border-left: 3px solid var(--line); padding-left: .8rem; }\n"
                            "table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; "
                            "} .wide { overflow-x: auto; }\n"
                            "th, td { text-align: left; padding: .22rem .8rem .22rem 0; border-bottom: 1px solid "
                            "var(--line); vertical-align: top; } th { color: var(--soft); font-weight: 600; }\n"
                            ".verdict { white-space: nowrap; color: var(--soft); } .ok .verdict { color: var(--good); "
                            "} .FAIL .verdict { color: var(--bad); font-weight: 600; } .printed { font-weight: 600; }\n"
                            "figure { margin: 1rem 0; } figure img { max-width: 100%; height: auto; }\n";

bool gallery_write(Gallery *g, FILE *out) {
    if (fflush(g->summary) != 0 || fflush(g->body) != 0) return false;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
            "content=\"width=device-width, initial-scale=1\">\n<title>bristle: "
            "experiments</title>\n<style>\n%s</style>\n</head>\n<body>\n"
            "<h1>Experiments</h1>\n<p>%d experiments, %d checks, %s. <span class=\"soft\">bristle %d.%d.%d, numerics "
            "%d. All curves "
            "and numbers are of this run; what papers print is marked, and our reference is what should have come "
            "out.</span></p>\n"
            "<div class=\"wide\"><table>\n<tr><th>experiment</th><th>what</th><th>checks</th><th>verdict</th></tr>\n",
            STYLE, g->experiments, g->checks, g->failed ? "some failed" : "none failed", BR_VERSION_MAJOR,
            BR_VERSION_MINOR, BR_VERSION_PATCH, BR_NUMERICS_VERSION);
    fwrite(g->summary_text, 1, g->summary_size, out);
    fputs("</table></div>\n", out);
    fwrite(g->body_text, 1, g->body_size, out);
    fputs("</body>\n</html>\n", out);
    return !ferror(out);
}
