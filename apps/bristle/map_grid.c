/* map_grid.c: see map.h. Rows are dealt out to processes, one per core: each reads the scene anew for every cell, and
 * sends what it finds through one pipe, in pieces that the system does not tear apart. */
#include "map.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORKERS = 64 };

typedef struct Piece {
    int row, column;
    bool edge;
    BrStatus status;
    BrScenePoint point;
    MapEdge found;
    BrError error;
} Piece;

double map_value(const MapAxis *axis, int number) {
    if (axis->count < 2) return axis->from;
    return axis->from + (axis->to - axis->from) * number / (axis->count - 1);
}

static void assign(const MapAxis *axis, double value, char text[400]) {
    snprintf(text, 400, "%s=%.17g%s%s", axis->path, value, axis->unit[0] ? " " : "", axis->unit);
}

static bool send_piece(int pipe, const Piece *piece) {
    const char *bytes = (const char *)piece;
    size_t left = sizeof *piece;
    while (left > 0) {
        ssize_t written = write(pipe, bytes, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written, left -= (size_t)written;
    }
    return true;
}

/* What the cells of a row are asked with; `last` is left for the first axis. */
typedef struct Asking {
    BrSceneOptions options;
    const char *set[130];
    char text[2][400];
} Asking;

static void start_row(const Map *map, int row, Asking *asking) {
    asking->options = br_default_scene_options();
    int count = 0;
    for (int i = 0; i < map->set->count; i++) asking->set[count++] = map->set->item[i];
    if (map->axes > 1) {
        assign(&map->axis[1], map_value(&map->axis[1], row), asking->text[1]);
        asking->set[count++] = asking->text[1];
    }
    asking->options.set = asking->set;
    asking->options.sets = count;
    asking->options.include = map->include->item;
    asking->options.includes = map->include->count;
}

static void ask_cell(const Map *map, Asking *asking, int column, Piece *piece) {
    assign(&map->axis[0], map_value(&map->axis[0], column), asking->text[0]);
    asking->set[asking->options.sets++] = asking->text[0];
    piece->status = br_scene_diagnose(map->scene, &asking->options, &piece->point, &piece->error);
    asking->options.sets--;
}

static void ask_edge(const Map *map, const Asking *asking, const Piece *before, const Piece *after, Piece *piece) {
    const MapAxis *axis = &map->axis[0];
    double ends[2] = {map_value(axis, before->column), map_value(axis, after->column)};
    piece->edge = true;
    piece->found = (MapEdge){
        before->row, before->column, 0.5 * (ends[0] + ends[1]), map->refine >= 0, {before->point, after->point}};
    if (map->refine < 0) return;
    BrMapLine line = {axis->path, axis->unit, ends[0], ends[1], map->refine};
    piece->status =
        br_scene_boundary(map->scene, &asking->options, &line, &piece->found.place, piece->found.sides, &piece->error);
}

static void work(const Map *map, int first, int stride, int pipe) {
    for (int row = first; row < map_rows(map) && !was_interrupted(); row += stride) {
        Asking asking;
        Piece before = {.status = BR_IO};
        start_row(map, row, &asking);
        for (int column = 0; column < map_columns(map) && !was_interrupted(); column++) {
            Piece piece = {.row = row, .column = column}, edge = {.row = row, .column = column};
            ask_cell(map, &asking, column, &piece);
            if (!send_piece(pipe, &piece)) return;
            bool both = before.status == BR_OK && piece.status == BR_OK;
            if (both && !br_scene_points_alike(&before.point, &piece.point)) {
                ask_edge(map, &asking, &before, &piece, &edge);
                if (!send_piece(pipe, &edge)) return;
            }
            before = piece;
        }
    }
}

/* ------------------------------------------------------------------ the process that gathers */

static bool receive_piece(int pipe, Piece *piece) {
    size_t got = 0;
    while (got < sizeof *piece) {
        ssize_t bytes = read(pipe, (char *)piece + got, sizeof *piece - got);
        if (bytes < 0 && errno == EINTR) {
            if (was_interrupted()) return false;
            continue;
        }
        if (bytes <= 0) return false;
        got += (size_t)bytes;
    }
    return true;
}

static bool add_edge(Map *map, const MapEdge *edge) {
    MapEdge *more = realloc(map->edge, (size_t)(map->edges + 1) * sizeof *more);
    if (!more) return false;
    map->edge = more;
    map->edge[map->edges++] = *edge;
    return true;
}

static int compare_edges(const void *a, const void *b) {
    const MapEdge *x = a, *y = b;
    return x->row != y->row ? x->row - y->row : x->column - y->column;
}

static bool take(Map *map, const Piece *piece) {
    if (piece->status != BR_OK) {
        if (map->refused++ == 0) map->error = piece->error;
        if (piece->edge) return true;
    }
    if (piece->edge) return add_edge(map, &piece->found);
    MapCell *cell = &map->cell[piece->row * map_columns(map) + piece->column];
    *cell = (MapCell){true, piece->status != BR_OK, piece->point};
    return true;
}

static bool gather(Map *map, int pipe, bool quiet) {
    Progress progress = progress_start(quiet);
    Piece piece;
    bool fine = true;
    double all = (double)map_rows(map) * map_columns(map), cells = 0;
    while (fine && receive_piece(pipe, &piece)) {
        fine = take(map, &piece);
        cells += !piece.edge;
        progress_show(&progress, cells / all, cells);
    }
    progress_end(&progress);
    if (map->edges) qsort(map->edge, (size_t)map->edges, sizeof *map->edge, compare_edges);
    map->interrupted = was_interrupted();
    return fine;
}

static int count_workers(const Map *map) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int most = map_rows(map) < MOST_WORKERS ? map_rows(map) : MOST_WORKERS;
    return cores < 1 ? 1 : cores < most ? (int)cores : most;
}

bool map_fill(Map *map, bool quiet) {
    int pipes[2], workers = count_workers(map), started = 0;
    map->cell = calloc((size_t)map_rows(map) * (size_t)map_columns(map), sizeof *map->cell);
    if (!map->cell || pipe(pipes) != 0) return false;
    catch_interrupts();
    fflush(NULL);
    for (int w = 0; w < workers; w++) {
        pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            work(map, w, workers, pipes[1]);
            _exit(EXIT_FINE);
        }
        if (child < 0) break;
        started++;
    }
    close(pipes[1]);
    bool fine = started == workers && gather(map, pipes[0], quiet);
    close(pipes[0]); /* who still sends ends */
    for (int w = 0; w < started; w++)
        while (wait(NULL) < 0 && errno == EINTR) continue;
    return fine;
}
