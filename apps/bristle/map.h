/* map.h: a grid of diagnoses: asked on all cores, told as lines, JSON, CSV or a picture. */
#ifndef MAP_H
#define MAP_H

#include "command.h"

enum { MAP_MOST = 2000 }; /* values of an axis */

/* PATH=FROM:TO:COUNT; the unit is that of both ends. */
typedef struct MapAxis {
    char path[200], unit[24];
    double from, to;
    int count;
} MapAxis;

typedef struct MapCell {
    bool known, refused;
    BrScenePoint point;
} MapCell;

/* Where it changes between two cells of a row. */
typedef struct MapEdge {
    int row, column; /* between this column and the next */
    double place;    /* on the first axis, in its unit */
    bool refined;
    BrScenePoint sides[2];
} MapEdge;

/* The first axis goes along rows, the second from row to row; without one there is one row. */
typedef struct Map {
    const char *scene;
    const List *set, *include;
    MapAxis axis[2];
    int axes;
    double refine; /* in the unit of the first axis; negative: edges lie half between cells */
    MapCell *cell; /* rows x columns */
    MapEdge *edge; /* by rows, then columns */
    int edges;
    BrError error; /* the first refusal */
    int refused;
    bool interrupted;
} Map;

static inline int map_columns(const Map *map) { return map->axis[0].count; }
static inline int map_rows(const Map *map) { return map->axes > 1 ? map->axis[1].count : 1; }
double map_value(const MapAxis *axis, int number);

/* Fills cells and edges; false: no memory, or no process. */
bool map_fill(Map *map, bool quiet);

/* What a cell is called, and its colour. */
const char *map_class(const MapCell *cell, const char **colour);
void map_write_svg(FILE *out, const Map *map);

#endif
