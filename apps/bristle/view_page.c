/* view_page.c: the page. */
#include "view.h"

void view_page(void *user, FILE *out) {
    View *v = user;
    fprintf(out, "<!doctype html><title>bristle</title><p>%llu</p>", (unsigned long long)v->news.run);
}
