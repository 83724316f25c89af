/* browser.c: see browser.h. The protocol is that of Chromium's debugger: requests with a number, whose answers begin with
 * it; what is not asked for is passed over. Every wait has an end, and Ctrl-C ends it at once. */
#define _XOPEN_SOURCE 700 /* nftw(), realpath() */
#include "browser.h"

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const double PATIENCE = 120; /* s: a busy machine may take long to start one */
enum { MOST_ANSWER = 1 << 28 };

__attribute__((format(printf, 2, 3))) static bool fail(Browser *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->why, sizeof b->why, format, arguments);
    va_end(arguments);
    return false;
}

/* ------------------------------------------------------------------ its process */

static bool is_program(const char *path) { return access(path, X_OK) == 0; }

/* By the environment, or by the names it has. */
static bool find_program(char path[PATH_MAX]) {
    static const char *const NAMES[] = {"chromium", "chromium-browser", "google-chrome"};
    const char *told = getenv("BRISTLE_CHROMIUM"), *folders = getenv("PATH");
    if (told && *told) return snprintf(path, PATH_MAX, "%s", told) < PATH_MAX && is_program(path);
    for (size_t i = 0; folders && i < sizeof NAMES / sizeof NAMES[0]; i++)
        for (const char *at = folders; *at;) {
            int length = (int)strcspn(at, ":");
            if (snprintf(path, PATH_MAX, "%.*s/%s", length, at, NAMES[i]) < PATH_MAX && length && is_program(path))
                return true;
            at += length + (at[length] == ':');
        }
    return false;
}

/* Becomes the browser; reads requests from 3 and answers to 4. */
static void become(const char *program, const char *folder, int requests, int answers, int width, int height) {
    char profile[96], size[64];
    int from = fcntl(requests, F_DUPFD, 10), to = fcntl(answers, F_DUPFD, 10), nothing = open("/dev/null", O_RDWR);
    snprintf(profile, sizeof profile, "--user-data-dir=%s", folder);
    snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
    if (from < 0 || to < 0 || nothing < 0 || setpgid(0, 0) != 0) _exit(EXIT_FAILED);
    for (int fd = 0; fd < 3; fd++) dup2(nothing, fd);
    dup2(from, 3);
    dup2(to, 4);
    for (int fd = 5; fd < 256; fd++) close(fd);
    signal(SIGPIPE, SIG_DFL);
    const char *sandbox = geteuid() == 0 ? "--no-sandbox" : "--no-first-run"; /* root has none */
    execl(program, program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", sandbox, profile, size,
          "--hide-scrollbars", "--mute-audio", "--disable-extensions", "--use-gl=angle", "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader", "about:blank", (char *)NULL);
    _exit(EXIT_FAILED);
}

static bool start(Browser *b, const char *program, int width, int height) {
    int requests[2] = {-1, -1}, answers[2] = {-1, -1};
    snprintf(b->folder, sizeof b->folder, "/tmp/bristle-browser-XXXXXX");
    if (!mkdtemp(b->folder)) {
        *b->folder = 0;
        return fail(b, "no folder for the browser in /tmp: %s", strerror(errno));
    }
    bool piped = pipe(requests) == 0 && pipe(answers) == 0;
    fflush(NULL);
    b->process = piped ? fork() : -1;
    if (b->process == 0) become(program, b->folder, requests[0], answers[1], width, height);
    b->to = requests[1];
    b->from = answers[0];
    if (requests[0] >= 0) close(requests[0]);
    if (answers[1] >= 0) close(answers[1]);
    return b->process > 0 || fail(b, "the browser cannot be started: %s", strerror(errno));
}

static int remove_one(const char *path, const struct stat *about, int flag, struct FTW *place) {
    (void)about, (void)flag, (void)place;
    remove(path);
    return 0;
}

void browser_close(Browser *b) {
    if (b->to >= 0) close(b->to);
    if (b->from >= 0) close(b->from);
    b->to = b->from = -1;
    if (b->process > 0) {
        kill(-b->process, SIGKILL);
        kill(b->process, SIGKILL); /* before it had a group of its own */
        while (waitpid(b->process, NULL, 0) < 0 && errno == EINTR) continue;
    }
    b->process = -1;
    if (*b->folder) nftw(b->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    *b->folder = 0;
    free(b->text);
    b->text = NULL;
}

/* ------------------------------------------------------------------ requests */

static bool wait_for(Browser *b, double until) {
    for (;;) {
        struct pollfd from = {.fd = b->from, .events = POLLIN};
        double left = until - wall_clock();
        if (was_interrupted()) return fail(b, "interrupted");
        if (left <= 0) return fail(b, "the browser does not answer within %.0f s", PATIENCE);
        int ready = poll(&from, 1, left < 0.2 ? (int)(1000 * left) + 1 : 200);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return fail(b, "the browser cannot be heard: %s", strerror(errno));
    }
}

static bool read_more(Browser *b) {
    if (b->capacity - b->used < 65536) {
        size_t capacity = b->capacity ? 2 * b->capacity : 1 << 20;
        char *text = capacity <= MOST_ANSWER ? realloc(b->text, capacity) : NULL;
        if (!text) return fail(b, "no memory for what the browser answers");
        b->text = text;
        b->capacity = capacity;
    }
    ssize_t count = read(b->from, b->text + b->used, b->capacity - b->used);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return fail(b, "the browser has ended");
    b->used += (size_t)count;
    return true;
}

/* The next message to the beginning of the text. */
static bool next_message(Browser *b, double until) {
    if (b->length) {
        memmove(b->text, b->text + b->length, b->used - b->length);
        b->used -= b->length;
        b->length = 0;
    }
    for (size_t looked = 0;;) {
        const char *end = b->used > looked ? memchr(b->text + looked, 0, b->used - looked) : NULL;
        if (end) {
            b->length = (size_t)(end - b->text) + 1;
            return true;
        }
        looked = b->used;
        if (!wait_for(b, until) || !read_more(b)) return false;
    }
}

static bool send_text(Browser *b, const char *text) {
    size_t left = strlen(text) + 1;
    while (left) {
        ssize_t count = write(b->to, text, left);
        if (count < 0 && errno == EINTR && !was_interrupted()) continue;
        if (count < 0) return fail(b, "the browser does not listen: %s", strerror(errno));
        text += count;
        left -= (size_t)count;
    }
    return true;
}

/* A text of the answer without its quotes, in place; NULL: it has none called so. None of those asked for has escapes. */
static char *find_text(Browser *b, const char *key) {
    char word[64];
    snprintf(word, sizeof word, "\"%s\":\"", key);
    char *start = strstr(b->text, word);
    if (!start) return NULL;
    start += strlen(word);
    start[strcspn(start, "\"")] = 0;
    return start;
}

/* Asks, and waits for the answer. `parameters` is JSON. */
static bool ask(Browser *b, const char *method, const char *parameters) {
    char start[32], session[160] = "";
    double until = wall_clock() + PATIENCE;
    size_t size = strlen(parameters) + 400;
    char *text = malloc(size);
    if (!text) return fail(b, "no memory to ask the browser");
    if (*b->session) snprintf(session, sizeof session, ",\"sessionId\":\"%s\"", b->session);
    snprintf(text, size, "{\"id\":%d,\"method\":\"%s\",\"params\":%s%s}", ++b->asked, method, parameters, session);
    snprintf(start, sizeof start, "{\"id\":%d,", b->asked);
    bool fine = send_text(b, text);
    free(text);
    do fine = fine && next_message(b, until);
    while (fine && strncmp(b->text, start, strlen(start)) != 0);
    if (!fine) return false;
    char *message = strncmp(b->text + strlen(start), "\"error\"", 7) == 0 ? find_text(b, "message") : NULL;
    return !message || fail(b, "the browser refuses %s: %.200s", method, message);
}

/* ------------------------------------------------------------------ pages */

/* file:///... of a path, with what does not belong into one as %XX. */
static bool make_address(const char *file, const char *hash, char *address, size_t size) {
    char path[PATH_MAX];
    size_t used = (size_t)snprintf(address, size, "file://");
    if (!realpath(file, path)) return false;
    for (const char *c = path; *c && used + 4 < size; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                     strchr("/-_.~", *c) != NULL;
        used += (size_t)snprintf(address + used, size - used, plain ? "%c" : "%%%02X", plain ? *c : (unsigned char)*c);
    }
    snprintf(address + used, size - used, "%s", hash);
    return true;
}

static bool open_page(Browser *b, const char *file, const char *hash, int width, int height) {
    char address[3 * PATH_MAX + 64], parameters[3 * PATH_MAX + 256];
    if (!make_address(file, hash, address, sizeof address)) return fail(b, "'%.300s' is not there", file);
    snprintf(parameters, sizeof parameters, "{\"url\":\"%s\"}", address);
    if (!ask(b, "Target.createTarget", parameters)) return false;
    const char *target = find_text(b, "targetId");
    snprintf(parameters, sizeof parameters, "{\"targetId\":\"%.100s\",\"flatten\":true}", target ? target : "");
    if (!target || !ask(b, "Target.attachToTarget", parameters)) return target || fail(b, "the browser opens no page");
    const char *session = find_text(b, "sessionId");
    if (!session) return fail(b, "the browser opens no page");
    snprintf(b->session, sizeof b->session, "%s", session);
    snprintf(parameters, sizeof parameters, "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}",
             width, height);
    return ask(b, "Emulation.setDeviceMetricsOverride", parameters);
}

bool browser_open(Browser *b, const char *file, const char *hash, int width, int height) {
    char program[PATH_MAX];
    *b = (Browser){.process = -1, .to = -1, .from = -1};
    signal(SIGPIPE, SIG_IGN); /* it may end while it is spoken to */
    if (!find_program(program))
        return fail(b,
                    "there is no Chromium here: install the package chromium, or name the program in BRISTLE_CHROMIUM");
    if (start(b, program, width, height) && open_page(b, file, hash, width, height)) return true;
    browser_close(b);
    return false;
}

const char *browser_evaluate(Browser *b, const char *expression) {
    char *parameters = NULL;
    size_t length;
    FILE *out = open_memstream(&parameters, &length);
    if (!out) {
        fail(b, "no memory to ask the browser");
        return NULL;
    }
    fputs("{\"awaitPromise\":true,\"returnByValue\":true,\"expression\":", out);
    json_text(out, expression);
    fputc('}', out);
    bool fine = fclose(out) == 0 && ask(b, "Runtime.evaluate", parameters);
    free(parameters);
    if (!fine) return NULL;
    const char *value = strstr(b->text, "\"exceptionDetails\"") ? NULL : find_text(b, "value");
    if (!value) fail(b, "the page does not know '%.200s'", expression);
    return value;
}

/* The number of a letter of base64; -1: it is none. */
static int read_letter(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

bool browser_capture(Browser *b, const char *path) {
    if (!ask(b, "Page.captureScreenshot", "{\"format\":\"png\"}")) return false;
    const char *data = find_text(b, "data");
    if (!data) return fail(b, "the browser gives no picture");
    FILE *out = fopen(path, "wb");
    unsigned held = 0;
    int bits = 0;
    for (const char *c = data; out && read_letter(*c) >= 0; c++) {
        held = held << 6 | (unsigned)read_letter(*c);
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        fputc((int)(held >> bits & 255), out);
    }
    bool fine = out && !ferror(out);
    if (out && fclose(out) != 0) fine = false;
    return fine || fail(b, "cannot write '%.300s': %s", path, strerror(errno));
}
