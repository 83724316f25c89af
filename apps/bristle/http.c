/* http.c: see http.h. What is not plainly right is refused: nobody but a browser and tests have to be understood. */
#include "http.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ requests */

/* The line that begins at *at, without its end, which becomes a 0; NULL: it has no end, or one without CR. */
static char *next_line(char **at) {
    char *line = *at, *end = strstr(line, "\r\n");
    if (!end) return NULL;
    *end = 0;
    *at = end + 2;
    return line;
}

static bool is_token(const char *text) {
    if (!*text) return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("!#$%&'*+-.^_`|~", *text)) return false;
    return true;
}

static bool is_printable(const char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 32 || *text == 127) return false;
    return true;
}

static bool is_same_word(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return !*a && !*b;
}

static int read_first_line(char *line, HttpRequest *request) {
    char *target = strchr(line, ' '), *version = target ? strchr(target + 1, ' ') : NULL;
    if (!version) return 400;
    *target++ = *version++ = 0;
    if (!is_token(line) || *target != '/' || !is_printable(target)) return 400;
    if (strncmp(version, "HTTP/", 5) != 0) return 400;
    if (strcmp(version, "HTTP/1.1") != 0) return 505;
    if (strcmp(line, "GET") != 0 && strcmp(line, "POST") != 0) return 405;
    request->method = line;
    request->target = target;
    return 0;
}

/* Each of those that count may be there once. */
static int read_header(char *line, HttpRequest *request, const char **length) {
    char *value = strchr(line, ':');
    if (!value) return 400;
    *value++ = 0;
    value += strspn(value, " \t");
    for (char *end = value + strlen(value); end > value && (end[-1] == ' ' || end[-1] == '\t');) *--end = 0;
    if (!is_token(line) || !is_printable(value)) return 400;
    if (is_same_word(line, "transfer-encoding")) return 411;
    const struct {
        const char *name;
        const char **value;
    } kept[] = {{"host", &request->host}, {"origin", &request->origin}, {"content-length", length}};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (!is_same_word(line, kept[i].name)) continue;
        if (*kept[i].value) return 400;
        *kept[i].value = value;
    }
    return 0;
}

/* How long the body is, or the status to refuse it with, as a negative number. */
static long read_length(const HttpRequest *request, const char *length) {
    if (!length) return strcmp(request->method, "POST") == 0 ? -411 : 0;
    if (!*length || strlen(length) > 9 || strspn(length, "0123456789") != strlen(length)) return -400;
    long size = strtol(length, NULL, 10);
    if (size > HTTP_BODY) return -413;
    return size && strcmp(request->method, "GET") == 0 ? -400 : size;
}

/* Where the head ends; 0: not yet. */
static size_t find_body(const char *bytes, size_t size) {
    for (size_t i = 3; i < size; i++)
        if (memcmp(bytes + i - 3, "\r\n\r\n", 4) == 0) return i + 1;
    return 0;
}

/* The length of the body is looked at before there is one, in a copy: the head is read again when all is there. */
static int read_head(char *head, HttpRequest *request, long *body) {
    const char *length = NULL;
    char *line = next_line(&head);
    int status = line ? read_first_line(line, request) : 400;
    while (status == 0 && (line = next_line(&head)) && *line) status = read_header(line, request, &length);
    if (status != 0) return status;
    if (!line || !request->host) return 400;
    *body = read_length(request, length);
    return *body < 0 ? (int)-*body : 0;
}

int http_read(char *bytes, size_t size, HttpRequest *request) {
    size_t begin = find_body(bytes, size);
    char head[HTTP_HEAD + 1];
    long body = 0;
    *request = (HttpRequest){0};
    if (memchr(bytes, 0, begin ? begin : size)) return 400;
    if ((begin ? begin : size) > HTTP_HEAD) return 431;
    if (!begin) return 0;
    memcpy(head, bytes, begin);
    head[begin] = 0;
    int status = read_head(head, request, &body);
    if (status != 0) return status;
    if (size < begin + (size_t)body) return 0;
    if (size > begin + (size_t)body) return 400; /* one request, one connection */
    *request = (HttpRequest){0};
    bytes[size] = 0;
    read_head(bytes, request, &body);
    request->body = bytes + begin;
    request->body_size = (size_t)body;
    return 200;
}

/* ------------------------------------------------------------------ forms */

static int hex_digit(char c) {
    static const char DIGITS[] = "0123456789abcdef";
    const char *at = c ? strchr(DIGITS, tolower((unsigned char)c)) : NULL;
    return at ? (int)(at - DIGITS) : -1;
}

/* The letter that begins at *at; -1: none that may be there. */
static int decode(const char **at) {
    int letter = (unsigned char)*(*at)++;
    if (letter == '+') letter = ' ';
    if (letter == '%') {
        int high = hex_digit((*at)[0]), low = high < 0 ? -1 : hex_digit((*at)[1]);
        if (low < 0) return -1;
        letter = 16 * high + low;
        *at += 2;
    }
    return letter < 32 || letter == 127 ? -1 : letter;
}

bool http_field(const char *form, const char *name, char *value, size_t size) {
    size_t length = strlen(name), used = 0;
    while (form && !(strncmp(form, name, length) == 0 && form[length] == '=')) {
        form = strchr(form, '&');
        if (form) form++;
    }
    if (!form) return false;
    for (const char *at = form + length + 1; *at && *at != '&';) {
        int letter = decode(&at);
        if (letter < 0 || used + 1 >= size) return false;
        value[used++] = (char)letter;
    }
    value[used] = 0;
    return true;
}

/* ------------------------------------------------------------------ answers */

static const char *status_text(int status) {
    static const struct {
        int status;
        const char *text;
    } TEXTS[] = {{200, "OK"},
                 {400, "Bad Request"},
                 {403, "Forbidden"},
                 {404, "Not Found"},
                 {405, "Method Not Allowed"},
                 {408, "Request Timeout"},
                 {411, "Length Required"},
                 {413, "Content Too Large"},
                 {431, "Request Header Fields Too Large"},
                 {503, "Service Unavailable"},
                 {505, "HTTP Version Not Supported"}};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++)
        if (TEXTS[i].status == status) return TEXTS[i].text;
    return "Internal Server Error";
}

void http_head(FILE *out, int status, const char *type, long size) {
    fprintf(out, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", status, status_text(status), type);
    if (size >= 0) fprintf(out, "Content-Length: %ld\r\n", size);
    if (status == 405) fputs("Allow: GET, POST\r\n", out);
    fputs("Connection: close\r\n"
          "Cache-Control: no-store\r\n"
          "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
          "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
          "Cross-Origin-Opener-Policy: same-origin\r\n"
          "Cross-Origin-Resource-Policy: same-origin\r\n"
          "Referrer-Policy: same-origin\r\n" /* the address has the token */
          "X-Content-Type-Options: nosniff\r\n\r\n",
          out);
}

void http_sentence(FILE *out, int status, const char *sentence) {
    http_head(out, status, "text/plain; charset=utf-8", (long)strlen(sentence) + 1);
    fprintf(out, "%s\n", sentence);
}
