/* view.h: `bristle view`: a run that is looked at while it goes on, and can be meddled with. */
#ifndef VIEW_H
#define VIEW_H

#include "command.h"
#include "serve.h"

enum { MOST_CHANGES = 64 };

/* A force on a place of a body, for a while of the run's time: one that is given, or that of a band to a place of the world
 * with a damper beside it, so that what hangs on it comes to rest there as soon as it can without swinging. */
typedef struct Push {
    bool held;
    int body;         /* number */
    BrVec3 at;        /* m: body axes, from the centre of mass */
    BrVec3 force;     /* N, world axes; or */
    BrVec3 to;        /* m, world */
    double stiffness; /* N/m; 0: no band */
    uint64_t steps;   /* left */
} Push;

/* Two bodies that have touched; numbers of bodies. */
typedef struct Pair {
    int first, second;
} Pair;

/* What browsers are told (view_tell.c). */
typedef struct News {
    uint64_t run;        /* counts resets, */
    uint64_t form;       /* and changes of what pages draw */
    uint64_t count;      /* of all changes below, and of what the page can set */
    char sentence[1024]; /* what went wrong, or what to know; "" */
    uint64_t rows;       /* told so far, of all runs */
    char *row;           /* the latest, as an event; NULL: none of this run */
    size_t row_size;
    Pair *pair;
    int pairs, pair_capacity;
} News;

typedef struct View {
    const char *scene, *port_text, *speed_text, *fps_text;
    List set, include;
    StepOptions step;
    bool open;    /* in a browser, */
    char way[64]; /* by this file; "": it is not there */
    int port;
    double fps;   /* rows a second, at most */
    double speed; /* of the run's time by the clock; 0: as fast as it goes */

    Loaded l;
    char *change[MOST_CHANGES]; /* assignments that the page made, "PATH=VALUE" */
    int changes;
    BrRecorder *recorder;
    int channels, *width; /* of each, as rows have them */
    char *page;           /* as it was asked for first since the model is this one; NULL: it was not */
    size_t page_size;
    BrStepReport worst_since_row;
    uint64_t uncertified;

    bool paused;
    int single_steps;           /* to take while paused */
    double anchor, anchor_time; /* s: at this moment of the clock the run was, or should have been, at this time */
    Push push;
    bool has_row;    /* of the state as it is */
    double next_row; /* s, by the clock */
    double looked;   /* s: after clients, last */

    News news;
    Server server;
} View;

/* ------------------------------------------------------------------ the run (view_run.c) */

/* Begins the run, again with `again`: the scene is read anew, with what the page has changed. false: it could not be, and
 * what was there is as it was. */
bool view_begin(View *view, BrError *error);
void view_end(View *view);
/* Changes the scene and goes on with the state as it is. Where that cannot be, the change stands and waits for a reset,
 * which `note` then says. */
bool view_change(View *view, const char *path, const char *value, char note[512], BrError *error);
/* One step. false: it was refused, and the run is paused. */
bool view_step(View *view);
void view_let_go(View *view); /* what is pushed */
/* Evaluates the state as a row for the browsers. */
void view_row(View *view);
/* Runs on from now: what was missed is not made up for. */
void view_anchor(View *view);

/* ------------------------------------------------------------------ commands (view_do.c) */

bool view_act(void *view, const char *form, FILE *out);

/* ------------------------------------------------------------------ messages (view_tell.c) */

void view_say(View *view, const char *sentence); /* to all pages */
void view_take_row(void *view, const BrRecordedRow *row);
void view_tell(void *view, Heard *heard, bool rows, FILE *out);
/* The page, which stands until the model is another; false: why not (view_page.c). */
bool view_page(void *view, const char **text, size_t *size, char sentence[1024]);

#endif
