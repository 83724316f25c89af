/* report.h: the page of `bristle report`: what goes into it (web/README.md tells its format), and how much. */
#ifndef REPORT_H
#define REPORT_H

#include "books.h"
#include "command.h"

enum { MOST_REPORTED = 8 };

extern const char report_form[]; /* report_form.c */

/* ------------------------------------------------------------------ a page in the making (report_page.c) */

/* An array in the page. */
typedef struct Array {
    uint64_t at, letters;
    size_t count;
} Array;

typedef struct Page {
    FILE *out;       /* the page: arrays go there at once, */
    FILE *told;      /* and JSON when all of them have: until then it is in memory */
    char *text;      /* of `told` */
    size_t length;   /* of it, once closed */
    uint64_t at;     /* letters of arrays until now */
    Array zeros[16]; /* arrays of nothing but zeros, each of another length: the next one is the same */
    int zero_count;
    const char *rest; /* of the form */
} Page;

/* false: `out` is NULL, or there is no memory. Either way it is the page's to close. */
bool page_begin(Page *page, FILE *out);
bool page_end(Page *page);
void page_give_up(Page *page); /* after page_end() nothing */

typedef enum ArrayType { ARRAY_F32, ARRAY_F64, ARRAY_U32 } ArrayType;

/* An array, and its reference in the JSON. `step` numbers on in `values` is the next one. */
void page_doubles(Page *page, ArrayType type, const double *values, size_t count);
void page_floats(Page *page, const float *values, size_t count, size_t width, size_t step);
void page_numbers(Page *page, const uint32_t *values, size_t count);
/* Letters that numbers of four bytes take. */
double page_letters(double count);

/* ------------------------------------------------------------------ verdict (report_verdict.c) */

/* What a recording shows of how its run went; NaN: it does not say. */
typedef struct Evidence {
    bool closed, simulated; /* its run has ended; it is one at all: it has energy books or certificates */
    bool other_model;       /* its scene reads differently here */
    int rows;
    double end, until, dt;   /* s: of the last row, where the run was to end, its step */
    double rest;             /* bodies that sleep in the last row */
    double uncertified;      /* steps */
    int readings, fell_back; /* rows whose forces are not certified; that follow a step made by another formulation */
    int of_readings;         /* rows that tell */
    double position, rate;   /* m, m/s: largest residuals, and */
    double position_at, rate_at; /* s: when */
    double contact, contact_at;
    double size, speed;      /* m, m/s: largest coordinates and speeds of bodies */
    bool has_books, weighed; /* weighed: what its bodies weigh is known */
    Books books;
    char wrong[200]; /* channel that has what is no number, "": none, */
    double wrong_at; /* s: since when */
} Evidence;

typedef enum Level { LEVEL_GOOD, LEVEL_DOUBT, LEVEL_BAD } Level;

typedef struct VerdictLine {
    Level level;
    char text[400], remedy[200];
} VerdictLine;

typedef struct Judgement {
    Level level;
    char title[200];
    int lines;
    VerdictLine line[16];
} Judgement;

extern const char *const level_names[];
void judge(const Evidence *evidence, Judgement *judgement);

/* ------------------------------------------------------------------ a recording (report_read.c) */

/* A channel, by its name on the page. */
typedef struct Told {
    char name[200];   /* "bodies.wheel.position"; in the recording: */
    BrChannelInfo is; /* is.name */
    bool left_out;
} Told;

typedef struct TellsBody {
    char name[100];
    int position, rotation; /* channels; -1: none */
    BrBodyId id;            /* null: there is no model */
} TellsBody;

/* What of it is shown (report_size.c). */
typedef struct Share {
    int stride, kept, *row;              /* rows of the recording */
    int contact_stride;                  /* every so many of these have contacts */
    int contact_rows, *contact_row;      /* of the recording */
    uint32_t *lines[BR_RECORDED_TABLES]; /* of each row of the recording; NULL: nothing may touch */
    bool without_means, without_accelerations, without_velocities;
    double whole; /* letters that all of it would take */
    char note[600];
} Share;

typedef struct Shown {
    const char *path;
    BrRecording *recording;
    BrRecordingAbout about;
    int rows;
    double *time;
    BrScene *scene;       /* NULL: bodies have no shapes, */
    const BrModel *model; /* because: */
    char why[800];
    Told *channel;
    TellsBody *body;
    int channels, bodies;
    Share share;
    Evidence evidence;
    Judgement judgement;
} Shown;

/* Opens it, and lists what there is. false with `error` filled. */
bool shown_open(Shown *shown, const char *path, BrError *error);
void shown_close(Shown *shown);
/* The number of a body on the page; -1: none. */
int shown_find_body(const Shown *shown, const char *name);
/* All rows of a channel, for free(); NULL with `error` filled. */
double *shown_read(const Shown *shown, int channel, BrError *error);
int shown_find_channel(const Shown *shown, const char *name); /* on the page; -1: none */
/* What a verdict needs beside what was seen of channels when they were written. */
bool shown_gather(Shown *shown, BrError *error);

/* Chooses what is shown: at most so many rows, and letters (report_size.c). */
bool share_choose(Shown *shown, int rows, double letters, BrError *error);
/* Is this column of contacts shown? */
bool share_has_column(const Shown *shown, const char *name);

/* As an object of the page (report_write.c), its parts from the scene (report_parts.c), what touched (report_touch.c). */
bool write_recording(Page *page, Shown *shown, Progress *progress, double from, double to, BrError *error);
/* (x, y, z, w) of a rotation. */
void turn_of(const BrMat3 *rotation, double turn[4]);
void write_parts(FILE *out, const Shown *shown);
void write_shapes(FILE *out, const BrModel *model, BrBodyId body);
bool write_touches(Page *page, Shown *shown, BrError *error);
bool stop_report(BrError *error); /* true after Ctrl-C */

/* ------------------------------------------------------------------ the whole page (report.c) */

/* Unless told otherwise. */
enum { REPORT_ROWS = 2000, REPORT_LETTERS = 24000000 };

typedef struct Report {
    const char *recording[MOST_REPORTED];
    int recordings;
    const char *title;
    char path[PATH_MAX], temporary[PATH_MAX + 32];
    int rows;         /* at most, of each */
    double letters;   /* at most, of all */
    bool quiet, json; /* no progress bar; tells in JSON */
    bool mute;        /* tells nothing */
} Report;

/* Reads and writes it, in a process of its own; tells. Returns an exit code. */
int write_report(Report *report);

/* ------------------------------------------------------------------ frames for a video (report_frames.c) */

typedef struct Frames {
    const char *folder; /* NULL: none */
    double rate;        /* a second */
    int width, height;  /* pixels */
} Frames;

/* false after a complaint: there are some, and nobody said --force. */
bool keep_frames(const Frames *frames, bool force);
/* Of the page that was written; tells. Returns an exit code. */
int write_frames(const Frames *frames, const Report *report);

#endif
