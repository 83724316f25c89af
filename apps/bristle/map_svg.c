/* map_svg.c: a map as a picture: a field per cell, dots where it changes, a legend. Without a second axis a strip. */
#include "figure.h"
#include "map.h"

#include <string.h>

enum { LEFT = 90, TOP = 24, WIDTH = 560, HEIGHT = 400, STRIP = 60, LEGEND = 24, CLASSES = 11 };

const char *map_class(const MapCell *cell, const char **colour) {
    static const struct {
        const char *name, *colour;
    } CLASS[CLASSES] = {{"no contact", "#e8e8e8"},
                        {"one answer, stable", "#9ecae1"},
                        {"one answer, not stable", "#6a51a3"},
                        {"one answer", "#c6dbef"},
                        {"several, one stable", "#fdd0a2"},
                        {"several", "#fd8d3c"},
                        {"no end of answers", "#a63603"},
                        {"none", "#cb181d"},
                        {"not decided", "#bdbdbd"},
                        {"refused", "#252525"},
                        {"one answer, held", "#74c476"}};
    const BrScenePoint *p = &cell->point;
    int number = 8;
    if (cell->refused)
        number = 9;
    else if (p->contacts == 0)
        number = 0;
    else if (p->verdict == BR_DIAGNOSIS_UNIQUE)
        number = p->held ? 10 : p->stable ? 1 : p->unstable ? 2 : 3;
    else if (p->verdict == BR_DIAGNOSIS_SEVERAL)
        number = p->stable == 1 ? 4 : 5;
    else if (p->verdict == BR_DIAGNOSIS_ENDLESS)
        number = 6;
    else if (p->verdict == BR_DIAGNOSIS_NONE)
        number = 7;
    *colour = CLASS[number].colour;
    return CLASS[number].name;
}

static double height_of(const Map *map) { return map->axes > 1 ? HEIGHT : STRIP; }

/* The left end of a column, the upper end of a row counted from below. */
static double find_x(const Map *map, double column) { return LEFT + WIDTH * column / map_columns(map); }
static double find_y(const Map *map, double row) { return TOP + height_of(map) * (1 - row / map_rows(map)); }

static void write_cells(FILE *out, const Map *map) {
    double width = (double)WIDTH / map_columns(map), height = height_of(map) / map_rows(map);
    for (int row = 0; row < map_rows(map); row++)
        for (int column = 0; column < map_columns(map); column++) {
            const MapCell *cell = &map->cell[row * map_columns(map) + column];
            const char *colour;
            if (!cell->known) continue;
            map_class(cell, &colour);
            fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
                    find_x(map, column), find_y(map, row + 1), width + 0.3, height + 0.3, colour);
        }
    double from = map->axis[0].from, to = map->axis[0].to, steps = map_columns(map) - 1;
    for (int i = 0; i < map->edges; i++) {
        double at = to != from ? (map->edge[i].place - from) / (to - from) * steps + 0.5 : 0.5;
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"1.6\"/>\n", find_x(map, at),
                find_y(map, map->edge[i].row + 0.5));
    }
}

static void write_axes(FILE *out, const Map *map) {
    enum { TICKS = 5 };
    double bottom = TOP + height_of(map);
    for (int i = 0; i < TICKS; i++) {
        double part = (double)i / (TICKS - 1);
        for (int a = 0; a < map->axes; a++) {
            const MapAxis *axis = &map->axis[a];
            double value = axis->from + part * (axis->to - axis->from), place = part * (axis->count - 1) + 0.5;
            double x = a ? LEFT - 8 : find_x(map, place), y = a ? find_y(map, place) + 4 : bottom + 18;
            fprintf(out, "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">%.4g</text>\n", x, y, a ? "end" : "middle",
                    value);
        }
    }
    for (int a = 0; a < map->axes; a++) {
        const MapAxis *axis = &map->axis[a];
        fprintf(out, a ? "<text x=\"%d\" y=\"%.2f\">" : "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">",
                a ? 4 : LEFT + WIDTH, a ? TOP - 8. : bottom + 36);
        write_svg_text(out, axis->path);
        if (axis->unit[0]) fprintf(out, " [%s]", axis->unit);
        fputs("</text>\n", out);
    }
}

/* Those classes that there are, in the order in which they are met. */
static void write_legend(FILE *out, const Map *map) {
    const char *seen[CLASSES] = {NULL};
    int count = 0;
    double x = LEFT, y = TOP + height_of(map) + 60;
    for (int i = 0; i < map_rows(map) * map_columns(map); i++) {
        const char *colour, *name = map_class(&map->cell[i], &colour);
        bool known = !map->cell[i].known;
        for (int k = 0; k < count; k++) known = known || seen[k] == name;
        if (known) continue;
        seen[count] = name;
        double at_x = x + (count % 3) * 190, at_y = y + (count / 3) * LEGEND;
        fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"14\" height=\"14\" fill=\"%s\"/>", at_x, at_y - 11, colour);
        fprintf(out, "<text x=\"%.2f\" y=\"%.2f\">%s</text>\n", at_x + 20, at_y, name);
        count++;
    }
}

void map_write_svg(FILE *out, const Map *map) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            LEFT + WIDTH + 24, TOP + height_of(map) + 60 + 4 * LEGEND);
    write_cells(out, map);
    write_axes(out, map);
    write_legend(out, map);
    fputs("</svg>\n", out);
}
