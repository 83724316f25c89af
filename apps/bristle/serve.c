/* serve.c: see serve.h. */
#include "serve.h"

#include "command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

static const double PATIENCE = 5;  /* s: for the rest of a request, or for any of an answer to be taken */
static const double FASTEST = 240; /* rows a second that anyone may ask for */
enum { KERNEL_ROOM = 256 << 10 };  /* bytes the system keeps for a client: a slow one lags behind by no more */

/* ------------------------------------------------------------------ opening */

static bool fail(BrError *error, const char *what, int port) {
    *error = (BrError){.status = BR_IO};
    snprintf(error->text, sizeof error->text, "cannot %s 127.0.0.1:%d: %s; another --port may do", what, port,
             strerror(errno));
    return false;
}

static bool make_token(char token[33]) {
    unsigned char bits[16];
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) return false;
    for (size_t i = 0; i < sizeof bits; i++) snprintf(token + 2 * i, 3, "%02x", bits[i]);
    return true;
}

static bool set_flags(int socket) {
    return fcntl(socket, F_SETFL, O_NONBLOCK) == 0 && fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}

bool server_open(Server *s, int port, Service service, BrError *error) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *s = (Server){.service = service, .listener = -1};
    if (!make_token(s->token)) return fail(error, "make a token for", port);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (s->listener < 0) return fail(error, "open a socket at", port);
    setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(s->listener, (const struct sockaddr *)&address, sizeof address) != 0 || listen(s->listener, 64) != 0 ||
        !set_flags(s->listener) || getsockname(s->listener, (struct sockaddr *)&address, &size) != 0) {
        fail(error, "listen at", port);
        close(s->listener);
        s->listener = -1;
        return false;
    }
    s->port = ntohs(address.sin_port);
    return true;
}

/* ------------------------------------------------------------------ answers */

static void drop(Server *s, Client *c) {
    close(c->socket);
    free(c->in);
    free(c->out);
    *c = s->client[--s->clients];
}

/* What is on its way to the client, made by writing to a file in memory. */
static FILE *begin_message(Client *c) {
    c->since = wall_clock();
    free(c->out);
    c->out = NULL;
    c->sent = c->out_size = 0;
    return open_memstream(&c->out, &c->out_size);
}

static void end_message(Client *c, FILE *out) {
    fclose(out);
    if (c->out_size == 0) {
        free(c->out);
        c->out = NULL;
    }
}

static void refuse(Client *c, int status) {
    const char *sentence = status == 403   ? "403: this address is not the one that 'bristle view' printed"
                           : status == 404 ? "404: there is nothing here but /, rows and do"
                           : status == 405 ? "405: only GET of the page and its rows, and POST of commands"
                           : status == 503 ? "503: too many pages look at this run; close one"
                                           : "the request is not one that 'bristle view' understands";
    FILE *out = begin_message(c);
    c->stage = ANSWERING;
    if (!out) return;
    http_sentence(out, status, sentence);
    end_message(c, out);
}

static void answer(Client *c, int status, const char *type, const char *text, size_t size) {
    FILE *out = begin_message(c);
    c->stage = ANSWERING;
    if (!out) return;
    http_head(out, status, type, (long)size);
    fwrite(text, 1, size, out);
    end_message(c, out);
}

static void answer_page(Server *s, Client *c) {
    const char *text;
    char sentence[1024];
    size_t size = 0;
    if (s->service.page(s->service.user, &text, &size, sentence))
        answer(c, 200, "text/html; charset=utf-8", text, size);
    else
        answer(c, 503, "text/plain; charset=utf-8", sentence, strlen(sentence));
}

static void answer_command(Server *s, Client *c, const char *form) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return refuse(c, 503);
    bool done = s->service.act(s->service.user, form, out);
    fclose(out);
    answer(c, done ? 200 : 400, "application/json", text, size);
    free(text);
}

/* What has waited until nobody is in the middle of a step. */
static void act(Server *s, Client *c) {
    HttpRequest request;
    if (http_read(c->in, c->read, &request) != 200) return refuse(c, 400);
    if (strcmp(request.method, "GET") == 0)
        answer_page(s, c);
    else
        answer_command(s, c, request.body);
}

static int count_streams(const Server *s) {
    int count = 0;
    for (int i = 0; i < s->clients; i++) count += s->client[i].stage == STREAMING;
    return count;
}

static void begin_stream(Server *s, Client *c, const char *query) {
    char text[32];
    double rate = http_field(query, "fps", text, sizeof text) ? strtod(text, NULL) : 60;
    if (!(rate > 0)) return refuse(c, 400);
    if (count_streams(s) >= MOST_STREAMS) return refuse(c, 503);
    FILE *out = begin_message(c);
    if (!out) return refuse(c, 503);
    c->stage = STREAMING;
    c->period = 1 / fmin(fmax(rate, 0.1), FASTEST);
    http_head(out, 200, "text/event-stream", -1);
    s->service.tell(s->service.user, &c->heard, false, out);
    end_message(c, out);
}

/* ------------------------------------------------------------------ requests */

/* Takes as long whatever the text is. */
static bool is_token(const Server *s, const char *text) {
    unsigned difference = 0;
    if (strlen(text) < 32) return false;
    for (size_t i = 0; i < 32; i++) difference |= (unsigned)(s->token[i] ^ text[i]);
    return difference == 0;
}

/* The host that a browser was sent to, by whatever names lead here, and the page that asks: both must be our own. */
static bool is_own(const Server *s, const HttpRequest *r) {
    static const char *const NAMES[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        char host[64], origin[72];
        snprintf(host, sizeof host, "%s:%d", NAMES[i], s->port);
        snprintf(origin, sizeof origin, "http://%s", host);
        if (strcmp(r->host, host) == 0) return !r->origin || strcmp(r->origin, origin) == 0;
    }
    return false;
}

static void dispatch(Server *s, Client *c, const HttpRequest *r) {
    const char *path = r->target + 1;
    if (!is_own(s, r) || !is_token(s, path) || path[32] != '/') return refuse(c, 403);
    path += 33;
    bool get = strcmp(r->method, "GET") == 0;
    const char *query = strncmp(path, "rows?", 5) == 0 ? path + 5 : "";
    bool page = *path == 0;
    if (*query || strcmp(path, "rows") == 0)
        get ? begin_stream(s, c, query) : refuse(c, 405);
    else if (!page && strcmp(path, "do") != 0)
        refuse(c, 404);
    else if (get != page)
        refuse(c, 405);
    else
        c->stage = ACTING;
}

/* What has arrived. false: the client is gone. */
static bool receive(Server *s, Client *c) {
    size_t room = HTTP_HEAD + HTTP_BODY + 1;
    if (!c->in && !(c->in = malloc(room + 1))) return false;
    size_t begin = c->stage == READING ? c->read : 0; /* later nothing is to be read but the end */
    ssize_t count = recv(c->socket, c->in + begin, room - begin, 0);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    if (count == 0) return false;
    if (c->stage != READING) return c->stage == ANSWERING || c->stage == LEAVING;
    c->read += (size_t)count;
    char *copy = malloc(c->read + 1); /* reading writes into the bytes, and a command is read again */
    HttpRequest request;
    if (!copy) return false;
    memcpy(copy, c->in, c->read);
    int status = http_read(copy, c->read, &request);
    if (status == 200) dispatch(s, c, &request);
    if (status != 200 && status != 0) refuse(c, status);
    free(copy);
    return true;
}

/* Sends what the system takes. false: the client is gone. */
static bool transmit(Client *c) {
    if (!c->out) return true;
    ssize_t count = send(c->socket, c->out + c->sent, c->out_size - c->sent, MSG_NOSIGNAL);
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    c->since = wall_clock();
    c->sent += (size_t)count;
    if (c->sent < c->out_size) return true;
    free(c->out);
    c->out = NULL;
    /* What is still coming is to be taken before the socket is closed, or the answer would be lost with it. */
    if (c->stage == ANSWERING) c->stage = LEAVING, shutdown(c->socket, SHUT_WR);
    return true;
}

/* What is new goes out once the message before is gone. */
static bool tell_stream(Server *s, Client *c) {
    double now = wall_clock();
    Heard before = c->heard;
    FILE *out = begin_message(c);
    if (!out) return false;
    s->service.tell(s->service.user, &c->heard, now >= c->next, out);
    end_message(c, out);
    if (c->heard.row != before.row) c->next = fmax(c->next + c->period, now);
    return transmit(c);
}

/* ------------------------------------------------------------------ looking after all */

static bool is_idle(const Client *c) { return c->stage == READING || c->stage == LEAVING; }

static void admit(Server *s) {
    for (int taken = 0; taken < MOST_CLIENTS; taken++) {
        int room = KERNEL_ROOM, socket = accept(s->listener, NULL, NULL), oldest = -1;
        if (socket < 0) return;
        for (int i = 0; i < s->clients; i++)
            if (is_idle(&s->client[i]) && (oldest < 0 || s->client[i].since < s->client[oldest].since)) oldest = i;
        if (s->clients == MOST_CLIENTS && oldest >= 0) drop(s, &s->client[oldest]); /* who says nothing gives way */
        if (s->clients == MOST_CLIENTS || !set_flags(socket)) {
            close(socket);
            continue;
        }
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
        s->client[s->clients++] = (Client){.socket = socket, .since = wall_clock()};
    }
}

/* false: it is done with. */
static bool look_after(Server *s, Client *c, int came, bool acting) {
    if (came & (POLLERR | POLLNVAL)) return false;
    if ((came & (POLLIN | POLLHUP)) && !receive(s, c)) return false;
    if (c->stage == ACTING && acting) act(s, c);
    if ((is_idle(c) || c->out) && wall_clock() - c->since > PATIENCE) return false;
    if (!transmit(c)) return false;
    return c->out || c->stage != STREAMING || tell_stream(s, c);
}

void serve(Server *s, double wait, bool acting) {
    struct pollfd poll_of[1 + MOST_CLIENTS] = {{.fd = s->listener, .events = POLLIN}};
    int clients = s->clients;
    for (int i = 0; i < clients; i++)
        poll_of[i + 1] =
            (struct pollfd){.fd = s->client[i].socket, .events = (short)(s->client[i].out ? POLLIN | POLLOUT : POLLIN)};
    if (poll(poll_of, (nfds_t)clients + 1, (int)ceil(fmax(wait, 0) * 1e3)) < 0) return;
    for (int i = clients - 1; i >= 0; i--) /* whoever takes the place of one that is dropped has been looked after */
        if (!look_after(s, &s->client[i], poll_of[i + 1].revents, acting)) drop(s, &s->client[i]);
    if (poll_of[0].revents) admit(s);
}

double server_rate(const Server *s) {
    double rate = 0;
    for (int i = 0; i < s->clients; i++)
        if (s->client[i].stage == STREAMING) rate = fmax(rate, 1 / s->client[i].period);
    return rate;
}

void server_close(Server *s, const char *last_words) {
    if (s->listener < 0) return;
    for (int i = s->clients - 1; i >= 0; i--) {
        Client *c = &s->client[i];
        if (c->stage == STREAMING && !c->out) send(c->socket, last_words, strlen(last_words), MSG_NOSIGNAL);
        shutdown(c->socket, SHUT_WR);
        drop(s, c);
    }
    close(s->listener);
    s->listener = -1;
}
