/* view_page.c: the page: that of a report (report.h), of a recording that has one row, the state as it is; what comes later
 * comes as events. So what is told of bodies, shapes and channels is written by the same functions. */
#include "report.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name in a folder of our own, so that nobody can put something in its place. */
static bool name_recording(const View *v, char folder[64], char path[1100]) {
    const char *slash = strrchr(v->scene, '/'), *name = slash ? slash + 1 : v->scene, *dot = strrchr(name, '.');
    snprintf(folder, 64, "%s", "/tmp/bristle-view-XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(path, 1100, "%s/%.*s.h5", folder, dot && dot > name ? (int)(dot - name) : (int)strlen(name), name);
    return true;
}

static bool record(View *v, const char *path, BrError *error) {
    BrRecorder *recorder;
    BrRecordDef def = br_record_def_like(v->l.scene);
    def.run = v->l.run;
    def.run.step.stop = is_to_stop; /* another page is not to be looked after in the middle of this one */
    def.rows = 1;
    if (br_recorder_open(v->l.model, &def, path, &recorder, error) != BR_OK) return false;
    BrStatus status =
        br_recorder_write(recorder, v->l.workspace, v->l.state, &v->worst_since_row, v->uncertified, error);
    BrStatus closed = br_recorder_close(recorder, status < 0 ? NULL : error);
    return status >= 0 && closed == BR_OK;
}

static bool write_page(const View *v, const char *path, FILE *out, BrError *error) {
    Page page;
    Shown shown = {0};
    Progress none = {0};
    const double letters = 1e9; /* all of one row */
    if (!page_begin(&page, out)) return false;
    fputs("{\"format\": 1, \"title\": ", page.told);
    const char *slash = strrchr(v->scene, '/');
    json_text(page.told, slash ? slash + 1 : v->scene);
    fprintf(page.told, ", \"live\": {\"rows\": \"rows\", \"do\": \"do\", \"run\": %llu, \"form\": %llu}",
            (unsigned long long)v->news.run, (unsigned long long)v->news.form);
    fputs(", \"recordings\": [", page.told);
    bool fine = shown_open(&shown, path, error) && share_choose(&shown, 2, letters, error) &&
                write_recording(&page, &shown, &none, 0, 1, error);
    shown_close(&shown);
    fputs("]}", page.told);
    if (fine) return page_end(&page);
    page_give_up(&page);
    return false;
}

static bool make_page(View *v, BrError *error) {
    char folder[64], path[1100];
    snprintf(error->text, sizeof error->text, "there is no room in /tmp, or no memory");
    if (!name_recording(v, folder, path)) return false;
    bool fine = record(v, path, error);
    FILE *out = fine ? open_memstream(&v->page, &v->page_size) : NULL;
    fine = out && write_page(v, path, out, error);
    unlink(path);
    rmdir(folder);
    return fine;
}

bool view_page(void *user, const char **text, size_t *size, char sentence[1024]) {
    View *v = user;
    BrError error = {0};
    bool fine = v->page || make_page(v, &error);
    if (!fine) free(v->page), v->page = NULL;
    *text = v->page;
    *size = v->page_size;
    snprintf(sentence, 1024, "the page could not be made: %s", error.text);
    return fine;
}
