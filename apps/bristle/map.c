/* map.c: `bristle map`: the diagnosis of a scene over a grid of its numbers. */
#include "map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ axes */

/* "30 deg" or "30deg": the number, and where the unit begins. */
static bool read_end(const char *text, double *value, char unit[24]) {
    char *rest;
    *value = strtod(text, &rest);
    if (rest == text || !isfinite(*value)) return false;
    while (*rest == ' ') rest++;
    return snprintf(unit, 24, "%s", rest) < 24;
}

/* false after a complaint. */
static bool read_axis(const char *text, MapAxis *axis) {
    char copy[400], units[2][24], *end[3], rest;
    int fields = 0;
    const char *equals = strchr(text, '=');
    bool fits = equals && equals > text && (size_t)(equals - text) < sizeof axis->path &&
                snprintf(copy, sizeof copy, "%s", equals + 1) < (int)sizeof copy;
    for (char *at = copy; fits && at && fields < 3; fields++) {
        end[fields] = at;
        at = strchr(at, ':');
        if (at) *at++ = 0;
        if (fields == 2 && at) fits = false;
    }
    if (fits) snprintf(axis->path, sizeof axis->path, "%.*s", (int)(equals - text), text);
    fits = fits && fields == 3 && read_end(end[0], &axis->from, units[0]) && read_end(end[1], &axis->to, units[1]) &&
           sscanf(end[2], "%d%c", &axis->count, &rest) == 1 && axis->count >= 1 && axis->count <= MAP_MOST;
    if (!fits || (units[0][0] && units[1][0] && strcmp(units[0], units[1]) != 0)) {
        fprintf(stderr,
                "bristle map: --over %s is not PATH=FROM:TO:COUNT with two numbers of one unit and 1 to %d values, as "
                "parameters.theta=30deg:85deg:56\n",
                text, (int)MAP_MOST);
        return false;
    }
    memcpy(axis->unit, units[0][0] ? units[0] : units[1], sizeof axis->unit);
    return true;
}

/* ------------------------------------------------------------------ told */

static void print_value(FILE *out, const MapAxis *axis, double value, int digits) {
    fprintf(out, "%.*g%s%s", digits, value, axis->unit[0] ? " " : "", axis->unit);
}

/* "theta = 30 deg: one answer, stable up to mu = 1.23, none" */
static void print_row(const Map *map, int row) {
    const char *colour, *last = NULL;
    int digits = map->refine >= 0 ? 10 : 4;
    if (map->axes > 1) {
        printf("%s = ", map->axis[1].path);
        print_value(stdout, &map->axis[1], map_value(&map->axis[1], row), 6);
        printf(": ");
    }
    for (int column = 0, e = 0; column < map_columns(map); column++) {
        const MapCell *cell = &map->cell[row * map_columns(map) + column];
        const char *name = cell->known ? map_class(cell, &colour) : "not asked";
        if (last && strcmp(last, name) != 0) {
            while (e < map->edges &&
                   (map->edge[e].row < row || (map->edge[e].row == row && map->edge[e].column < column - 1)))
                e++;
            bool found = e < map->edges && map->edge[e].row == row && map->edge[e].column == column - 1;
            const MapAxis *axis = &map->axis[0];
            double middle = 0.5 * (map_value(axis, column - 1) + map_value(axis, column));
            printf(" up to %s = ", axis->path);
            print_value(stdout, axis, found ? map->edge[e].place : middle, digits);
            printf(", ");
        }
        if (!last || strcmp(last, name) != 0) printf("%s", name);
        last = name;
    }
    printf("\n");
}

static void json_point(const BrScenePoint *p) {
    printf("{\"verdict\": \"%s\", \"contacts\": %d, \"answers\": %d, \"stable\": %d, \"unstable\": %d, \"kept\": %d, "
           "\"held\": %d, \"mu\": ",
           br_diagnosis_verdict_name(p->verdict), p->contacts, p->answers, p->stable, p->unstable, p->kept, p->held);
    json_number(stdout, p->mu);
    printf(", \"mu_painleve\": ");
    json_number(stdout, p->mu_painleve);
    printf("}");
}

static void json_map(const Map *map) {
    printf("{\"status\": \"%s\", \"axes\": [", map->interrupted ? "interrupted" : map->refused ? "failed" : "ok");
    for (int a = 0; a < map->axes; a++) {
        printf("%s{\"path\": ", a ? ", " : "");
        json_text(stdout, map->axis[a].path);
        printf(", \"unit\": ");
        json_text(stdout, map->axis[a].unit);
        printf(", \"values\": [");
        for (int i = 0; i < map->axis[a].count; i++) {
            if (i) printf(", ");
            json_number(stdout, map_value(&map->axis[a], i));
        }
        printf("]}");
    }
    printf("], \"points\": [");
    for (int row = 0; row < map_rows(map); row++) {
        printf("%s[", row ? ", " : "");
        for (int column = 0; column < map_columns(map); column++) {
            const MapCell *cell = &map->cell[row * map_columns(map) + column];
            if (column) printf(", ");
            if (cell->known && !cell->refused)
                json_point(&cell->point);
            else
                printf("null");
        }
        printf("]");
    }
    printf("], \"boundaries\": [");
    for (int i = 0; i < map->edges; i++) {
        const MapEdge *edge = &map->edge[i];
        printf("%s{\"row\": %d, \"column\": %d, \"place\": ", i ? ", " : "", edge->row, edge->column);
        json_number(stdout, edge->place);
        printf(", \"refined\": %s, \"before\": ", edge->refined ? "true" : "false");
        json_point(&edge->sides[0]);
        printf(", \"after\": ");
        json_point(&edge->sides[1]);
        printf("}");
    }
    printf("]}\n");
}

static void write_point(FILE *out, const BrScenePoint *p) {
    fprintf(out, "%s,%d,%d,%d,%d,%d,%.17g", br_diagnosis_verdict_name(p->verdict), p->answers, p->stable, p->unstable,
            p->kept, p->held, p->mu_painleve);
}

/* A row per cell, then a row per side of each boundary. */
static void write_csv(FILE *out, const Map *map) {
    fprintf(out, "kind");
    for (int a = 0; a < map->axes; a++) fprintf(out, ",%s[%s]", map->axis[a].path, map->axis[a].unit);
    fprintf(out, ",verdict,answers,stable,unstable,kept,held,mu_painleve\n");
    for (int row = 0; row < map_rows(map); row++)
        for (int column = 0; column < map_columns(map); column++) {
            const MapCell *cell = &map->cell[row * map_columns(map) + column];
            if (!cell->known || cell->refused) continue;
            fprintf(out, "point,%.17g,", map_value(&map->axis[0], column));
            if (map->axes > 1) fprintf(out, "%.17g,", map_value(&map->axis[1], row));
            write_point(out, &cell->point);
            fprintf(out, "\n");
        }
    for (int i = 0; i < map->edges; i++)
        for (int side = 0; side < 2; side++) {
            fprintf(out, "%s,%.17g,", side ? "after" : "before", map->edge[i].place);
            if (map->axes > 1) fprintf(out, "%.17g,", map_value(&map->axis[1], map->edge[i].row));
            write_point(out, &map->edge[i].sides[side]);
            fprintf(out, "\n");
        }
}

static bool write_file(const char *path, const Map *map, void (*write)(FILE *out, const Map *map)) {
    if (!path) return true;
    FILE *out = fopen(path, "w");
    bool fine = out != NULL;
    if (out) write(out, map);
    if (out && (fflush(out) != 0 || ferror(out))) fine = false;
    if (out && fclose(out) != 0) fine = false;
    if (!fine) fprintf(stderr, "bristle map: cannot write '%s'\n", path);
    return fine;
}

/* ------------------------------------------------------------------ the command */

static int tell(const Map *map, const char *csv, const char *svg, bool json) {
    bool written = write_file(csv, map, write_csv);
    written = write_file(svg, map, map_write_svg) && written;
    if (json) json_map(map);
    for (int row = 0; !json && row < map_rows(map); row++) print_row(map, row);
    if (map->refused) {
        fprintf(stderr, "bristle map: %d of its scenes were refused; the first one:\n", map->refused);
        report_error(&map->error, false);
    }
    if (map->interrupted) fprintf(stderr, "bristle map: interrupted; what is there is kept\n");
    if (map->interrupted) return exit_interrupted();
    return written && !map->refused ? EXIT_FINE : EXIT_FAILED;
}

static bool read_axes(const List *over, Map *map) {
    if (over->count < 1 || over->count > 2) {
        fprintf(stderr, "bristle map: over what? --over PATH=FROM:TO:COUNT, once or twice\n");
        return false;
    }
    map->axes = over->count;
    for (int a = 0; a < over->count; a++)
        if (!read_axis(over->item[a], &map->axis[a])) return false;
    return true;
}

static bool read_refine(const char *text, double *refine) {
    char *rest;
    *refine = -1;
    if (!text) return true;
    *refine = strtod(text, &rest);
    if (rest != text && *rest == 0 && *refine >= 0 && isfinite(*refine)) return true;
    fprintf(stderr, "bristle map: --refine %s is not a number from 0 on, in the unit of the first --over\n", text);
    return false;
}

int command_map(int count, char **words) {
    const char *scene = NULL, *refine = NULL, *csv = NULL, *svg = NULL;
    bool json = false, quiet = false, force = false;
    List set = {.count = 0}, over = {.count = 0}, include = {.count = 0};
    const Option options[] = {
        {"--over", NULL, "PATH=FROM:TO:COUNT",
         "a number of the scene to change, e.g. parameters.theta=30deg:85deg:56; twice: a grid", &over, true},
        {"--refine", NULL, "TOLERANCE", "find where it changes along the first one by bisection, in its unit", &refine,
         false},
        {"--csv", NULL, "FILE", "all cells and boundaries as a table", &csv, false},
        {"--svg", NULL, "FILE", "a picture of the regions", &svg, false},
        {"--set", NULL, "PATH=VALUE", "change the scene, as for run; may be repeated", &set, true},
        {"--include", NULL, "FOLDER", INCLUDE_HELP, &include, true},
        {"--force", NULL, NULL, "overwrite files that are there", &force, false},
        {"--quiet", NULL, NULL, "no progress bar", &quiet, false},
        {"--json", NULL, NULL, "the result as JSON on standard output", &json, false},
    };
    int done,
        arguments = parse_options(
            "Usage: bristle map SCENE --over PATH=FROM:TO:COUNT [options]\n\nHow many answers rigid contact has at "
            "the scene's start, and which are stable, as one or two of its\nnumbers change: a line per value of the "
            "second. Ctrl-C keeps what is there.",
            options, (int)(sizeof options / sizeof options[0]), count, words, &scene, 1, &done);
    if (arguments < 0) return done;
    Map map = {.scene = scene, .set = &set, .include = &include};
    if (arguments == 0) fprintf(stderr, "bristle map: which scene?\n");
    if (arguments == 0 || !read_axes(&over, &map) || !read_refine(refine, &map.refine)) return EXIT_MISUSE;
    if (strcmp(scene, "-") == 0) {
        fprintf(stderr, "bristle map: the scene is read once per cell: give a file, not standard input\n");
        return EXIT_MISUSE;
    }
    const NamedFile files[] = {{"SCENE", scene, false}, {"--csv", csv, true}, {"--svg", svg, true}};
    if (!keep_apart("map", files, 3) || !keep_written("map", files, 3, force)) return EXIT_MISUSE;
    int code = EXIT_FAILED;
    if (map_fill(&map, quiet))
        code = tell(&map, csv, svg, json);
    else
        fprintf(stderr, "bristle map: no memory, or no more processes\n");
    free(map.cell);
    free(map.edge);
    return code;
}
