/* bench_peer.c: other engines, as programs `peer-...` in a folder. Each is called with a scene's name, and --quick if asked,
 * and prints a line of JSON per setting; docs/measurements.md tells what is in it. Lines come from programs of strangers:
 * what is not understood is refused. */
#include "benchmark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_NAME = 256, LONGEST_LINE = 4096 };

/* ------------------------------------------------------------------ finding */

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Beside this program, or where `make bench` leaves them if this is build/release/bristle. */
static bool find_folder(char *path, size_t size) {
    static const char *const PLACE[] = {"bench", "../bench/bench"};
    char here[1024];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length <= 0) return false;
    here[length] = 0;
    *strrchr(here, '/') = 0;
    for (int i = 0; i < 2; i++) {
        snprintf(path, size, "%s/%s", here, PLACE[i]);
        if (is_folder(path)) return true;
    }
    return false;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void take_program(BenchPeers *p, const char *name) {
    char path[1400];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    if (strncmp(name, "peer-", 5) != 0 || access(path, X_OK) != 0 || is_folder(path)) return;
    if (p->count < MOST_PEERS && (p->program[p->count] = strdup(path))) p->count++;
}

bool peers_find(BenchPeers *p, const char *folder) {
    if (*folder)
        snprintf(p->folder, sizeof p->folder, "%s", folder);
    else if (!find_folder(p->folder, sizeof p->folder)) {
        fprintf(stderr, "bristle bench: there is no folder of peers beside this program; 'make bench' builds them, "
                        "--peers FOLDER names another\n");
        return false;
    }
    DIR *listing = opendir(p->folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) take_program(p, entry->d_name);
    if (listing) closedir(listing);
    qsort(p->program, (size_t)p->count, sizeof p->program[0], compare);
    if (p->count) return true;
    fprintf(stderr, "bristle bench: '%.200s' has no program peer-...; 'make bench' builds those that it can\n",
            p->folder);
    return false;
}

void peers_forget(BenchPeers *p) {
    for (int i = 0; i < p->count; i++) free(p->program[i]);
    p->count = 0;
}

/* ------------------------------------------------------------------ reading a line */

static const char *skip_spaces(const char *c) { return c + strspn(c, " \t"); }

/* A text in quotes, without escapes but \" and \\; NULL: it is none. */
static const char *read_text(const char *c, char *text, size_t size) {
    size_t length = 0;
    if (*c++ != '"') return NULL;
    for (; *c != '"'; c++) {
        if (*c == '\\') c++;
        if (!*c) return NULL;
        if (length + 1 < size && (unsigned char)*c >= 32) text[length++] = *c;
    }
    text[length] = 0;
    return c + 1;
}

typedef struct Line {
    char engine[48], setting[64], scene[64];
    WorldResult result;
} Line;

/* Where a number of this name goes; NULL: nobody asks for it. */
static double *find_number(WorldResult *r, const char *name) {
    struct {
        const char *name;
        double *place;
    } known[] = {{"us_mean", &r->us_mean},   {"us_median", &r->us_median},    {"us_worst", &r->us_worst},
                 {"us_p99", &r->us_p99},     {"us_p9999", &r->us_p9999},      {"error", &r->error},
                 {"contacts", &r->contacts}, {"simulated", &r->simulated},    {"certified", &r->certified},
                 {"residual", &r->residual}, {"bytes_per_contact", &r->bytes}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) return known[i].place;
    return NULL;
}

/* null, true, false or a number; NULL: none of them. */
static const char *read_plain(const char *c, const char *name, WorldResult *r) {
    double *number = find_number(r, name);
    if (strncmp(c, "null", 4) == 0) return c + 4;
    bool yes = strncmp(c, "true", 4) == 0;
    if (yes || strncmp(c, "false", 5) == 0) {
        if (strcmp(name, "cut") == 0) r->cut = yes;
        if (strcmp(name, "holds") == 0) {
            r->judged = true;
            r->holds = yes;
        }
        return c + (yes ? 4 : 5);
    }
    char *end;
    double value = strtod(c, &end);
    if (end == c || !isfinite(value)) return NULL;
    if (number) *number = value;
    int count = value >= 0 && value < 1e9 ? (int)value : 0;
    if (strcmp(name, "steps") == 0) r->steps = count;
    if (strcmp(name, "runs") == 0) r->runs = count;
    return end;
}

/* A flat object; false: it is none, or says too little. */
static bool read_line(const char *c, Line *line) {
    char name[64], ignored[64];
    *line = (Line){
        .result = {.error = INFINITY, .us_p99 = -1, .us_p9999 = -1, .certified = -1, .residual = -1, .bytes = -1}};
    c = skip_spaces(c);
    if (*c != '{') return false;
    do {
        c = read_text(skip_spaces(c + 1), name, sizeof name);
        if (!c || *(c = skip_spaces(c)) != ':') return false;
        c = skip_spaces(c + 1);
        char *text = strcmp(name, "engine") == 0    ? line->engine
                     : strcmp(name, "setting") == 0 ? line->setting
                     : strcmp(name, "scene") == 0   ? line->scene
                                                    : ignored;
        size_t size = text == line->engine ? sizeof line->engine : sizeof ignored;
        c = *c == '"' ? read_text(c, text, size) : read_plain(c, name, &line->result);
        if (!c) return false;
        c = skip_spaces(c);
    } while (*c == ',');
    line->result.engine = line->engine;
    line->result.setting = line->setting;
    return *c == '}' && line->engine[0] && line->result.us_mean > 0 && line->result.steps > 0;
}

/* ------------------------------------------------------------------ running */

/* Standard output of the program, to be read; what it says besides is not shown. */
static FILE *start_program(const char *path, const char *scene, BenchLength length, pid_t *child) {
    char steps[32];
    const char *words[5] = {path, scene};
    int ends[2], count = 2;
    snprintf(steps, sizeof steps, "--steps=%d", length.steps);
    if (length.quick) words[count++] = "--quick";
    if (length.steps > 0) words[count++] = steps;
    if (pipe(ends) != 0) return NULL;
    fflush(NULL); /* nothing may be written twice */
    *child = fork();
    if (*child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere < 0 || dup2(ends[1], STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(127);
        close(ends[0]);
        close(ends[1]);
        execv(path, (char *const *)words);
        _exit(127);
    }
    close(ends[1]);
    FILE *out = *child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!out) close(ends[0]);
    return out;
}

static int end_program(pid_t child) {
    int status = 0;
    if (was_interrupted()) kill(child, SIGTERM);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        if (was_interrupted()) kill(child, SIGTERM);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Every line it prints becomes a row; false: no memory. */
static bool take_lines(FILE *out, const char *name, const WorldInfo *info, BenchRows *rows, int *wrong) {
    char text[LONGEST_LINE];
    Line line;
    while (!was_interrupted() && fgets(text, sizeof text, out)) {
        if (!read_line(text, &line) || strcmp(line.scene, info->name) != 0) {
            if ((*wrong)++ == 0)
                fprintf(stderr, "bristle bench: %s, %s: '%.40s...' is no line of results; see docs/measurements.md\n",
                        name, info->name, text);
            continue;
        }
        if (!rows_take(rows, info, &line.result, false)) return false;
    }
    return true;
}

bool run_peer(const char *path, const WorldInfo *info, BenchLength length, BenchRows *rows, int *refused) {
    const char *name = strrchr(path, '/') + 1;
    pid_t child = -1;
    int wrong = 0;
    FILE *out = start_program(path, info->name, length, &child);
    bool fine = out && take_lines(out, name, info, rows, &wrong);
    if (out) fclose(out);
    int code = child > 0 ? end_program(child) : 127;
    if (was_interrupted()) return false;
    if (code != 0 && code != 2) fprintf(stderr, "bristle bench: %s, %s: ended with code %d\n", name, info->name, code);
    *refused += wrong > 0 || (code != 0 && code != 2); /* 2: it does not know this scene */
    return fine;
}
