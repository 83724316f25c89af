/* serve.h: a page on this machine alone: 127.0.0.1, an address with a random token, and nothing else behind it.
 *
 *     GET  /TOKEN/          the page
 *     GET  /TOKEN/rows      what is new, as server-sent events; ?fps=N: at most so often
 *     POST /TOKEN/do        a command, as a form
 *
 * One thread: serve() looks after all connections and comes back. Nothing waits for a client, and none holds more memory
 * than the message that is on its way to it: what a stream is told next is made once the one before is gone, so that who
 * reads slowly gets fewer rows, and the latest. */
#ifndef SERVE_H
#define SERVE_H

#include "http.h"

#include <bristle/bristle.h>
#include <stdint.h>

enum { MOST_CLIENTS = 16, MOST_STREAMS = 12 };

/* How far a stream has been told; all zeros: nothing yet. */
typedef struct Heard {
    uint64_t run, form, row, news; /* of what counts up */
    int pairs;
} Heard;

/* What is served. */
typedef struct Service {
    void *user;
    /* false: why not. */
    bool (*page)(void *user, const char **text, size_t *size, char sentence[1024]);
    /* The answer goes to `out`; false: refused. */
    bool (*act)(void *user, const char *form, FILE *out);
    /* What a stream has not been told, as events; `rows`: it is time for a row, if there is one. */
    void (*tell)(void *user, Heard *heard, bool rows, FILE *out);
} Service;

typedef struct Client {
    int socket;
    enum { READING, ACTING, ANSWERING, LEAVING, STREAMING } stage;
    double since; /* s: when it came, or last took something */
    char *in;     /* what has arrived */
    size_t read;
    char *out; /* what is on its way, NULL: nothing */
    size_t out_size, sent;
    Heard heard;
    double period, next; /* s: between rows, and when the next may go */
} Client;

typedef struct Server {
    Service service;
    int listener, port;
    char token[33];
    int clients;
    Client client[MOST_CLIENTS];
} Server;

/* port 0: one that is free. false with `error` filled. */
bool server_open(Server *server, int port, Service service, BrError *error);
/* Serves what there is, and waits for something to come no longer than so (s). `acting`: the page may be made and commands
 * be done; else who asks for them waits. */
void serve(Server *server, double wait, bool acting);
/* How often the fastest stream wants rows, 1/s; 0: there is none. */
double server_rate(const Server *server);
/* Says good-bye to streams. */
void server_close(Server *server, const char *last_words);

#endif
