/* http.h: requests as they arrive, and answers: the little of HTTP/1.1 (RFC 9112) that `bristle view` speaks, read strictly.
 * Knows nothing of sockets. */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { HTTP_HEAD = 8 << 10, HTTP_BODY = 64 << 10 }; /* most bytes of each */

typedef struct HttpRequest {
    const char *method, *target; /* "GET", "/path?query" */
    const char *host, *origin;   /* NULL: not said */
    const char *body;            /* ends with a 0 that is not counted */
    size_t body_size;
} HttpRequest;

/* Reads `size` bytes, behind which there is room for one more, and writes into them. 0: there is more to come; 200: it is whole;
 * else the status to refuse it with. */
int http_read(char *bytes, size_t size, HttpRequest *request);

/* A value of "a=1&b=two%20words" into `value`, as UTF-8 without control characters; false: it is not there, not well formed
 * or too long. */
bool http_field(const char *form, const char *name, char *value, size_t size);

/* Status line and headers, those that keep others out among them. `size` < 0: the connection ends the body. */
void http_head(FILE *out, int status, const char *type, long size);
/* A whole answer of one sentence. */
void http_sentence(FILE *out, int status, const char *sentence);

#endif
