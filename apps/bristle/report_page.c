/* report_page.c: a page in the making: the form, with arrays and JSON in the place it has for data. */
#include "report.h"

#include "letters.h"

#include <stdlib.h>
#include <string.h>

static const char PLACE[] = "<!--bristle:data-->";

bool page_begin(Page *p, FILE *out) {
    const char *place = strstr(report_form, PLACE);
    *p = (Page){.out = out, .rest = place ? place + strlen(PLACE) : ""};
    p->told = open_memstream(&p->text, &p->length);
    if (!place || !p->out || !p->told) {
        page_give_up(p);
        return false;
    }
    fwrite(report_form, 1, (size_t)(place - report_form), p->out);
    fputs("<script type=\"text/plain\" id=\"bristle-numbers\">", p->out);
    return true;
}

/* ------------------------------------------------------------------ arrays */

static void refer(Page *p, Array a, const char *type) {
    fprintf(p->told, "{\"at\": %llu, \"chars\": %llu, \"type\": \"%s\", \"count\": %zu}", (unsigned long long)a.at,
            (unsigned long long)a.letters, type, a.count);
}

static Array end_array(Page *p, Letters *l, const char *type, size_t count) {
    end_letters(l);
    Array array = {p->at, l->written, count};
    refer(p, array, type);
    p->at += l->written;
    return array;
}

/* Much of what contacts may have is zero throughout: such an array stands there once. */
static bool refer_to_zeros(Page *p, size_t count) {
    for (int i = 0; i < p->zero_count; i++)
        if (p->zeros[i].count == count) {
            refer(p, p->zeros[i], "f32");
            return true;
        }
    return false;
}

static void keep_zeros(Page *p, Array array) {
    if (p->zero_count < (int)(sizeof p->zeros / sizeof p->zeros[0])) p->zeros[p->zero_count++] = array;
}

void page_doubles(Page *p, ArrayType type, const double *values, size_t count) {
    Letters l = {.out = p->out};
    bool zero = type == ARRAY_F32;
    for (size_t i = 0; i < count && zero; i++) zero = values[i] == 0;
    if (zero && refer_to_zeros(p, count)) return;
    for (size_t i = 0; i < count; i++)
        if (type == ARRAY_F64)
            put_double(&l, values[i]);
        else
            put_float(&l, (float)values[i]);
    Array array = end_array(p, &l, type == ARRAY_F64 ? "f64" : "f32", count);
    if (zero) keep_zeros(p, array);
}

void page_floats(Page *p, const float *values, size_t count, size_t width, size_t step) {
    Letters l = {.out = p->out};
    bool zero = true;
    for (size_t i = 0; i < count * width && zero; i++) zero = values[i / width * step + i % width] == 0;
    if (zero && refer_to_zeros(p, count * width)) return;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) put_float(&l, values[i * step + k]);
    Array array = end_array(p, &l, "f32", count * width);
    if (zero) keep_zeros(p, array);
}

void page_numbers(Page *p, const uint32_t *values, size_t count) {
    Letters l = {.out = p->out};
    for (size_t i = 0; i < count; i++) put_bits(&l, values[i], 4);
    end_array(p, &l, "u32", count);
}

double page_letters(double count) { return count * 4 * 4 / 3; }

/* ------------------------------------------------------------------ JSON */

/* Bytes of the letter that begins here, if it is UTF-8: shortest form, no surrogates, nothing behind U+10FFFF; else 0. */
static int measure_letter(const unsigned char *c, size_t left) {
    if (c[0] < 0x80) return 1;
    int bytes = c[0] >= 0xC2 && c[0] < 0xE0 ? 2 : (c[0] & 0xF0) == 0xE0 ? 3 : c[0] >= 0xF0 && c[0] < 0xF5 ? 4 : 0;
    if (bytes == 0 || left < (size_t)bytes) return 0;
    for (int i = 1; i < bytes; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    bool fine = !(c[0] == 0xE0 && c[1] < 0xA0) && !(c[0] == 0xED && c[1] > 0x9F) && !(c[0] == 0xF0 && c[1] < 0x90) &&
                !(c[0] == 0xF4 && c[1] > 0x8F);
    return fine ? bytes : 0;
}

/* JSON within a page: '<' could end the script it stands in, and browsers take text that is not UTF-8 as they like. All of
 * these can only stand in texts. */
static void write_told(FILE *out, const char *text, size_t length) {
    const unsigned char *c = (const unsigned char *)text;
    for (size_t i = 0; i < length;) {
        int bytes = measure_letter(c + i, length - i);
        bool line = bytes == 3 && c[i] == 0xE2 && c[i + 1] == 0x80 && (c[i + 2] == 0xA8 || c[i + 2] == 0xA9);
        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (c[i] == '<' || c[i] == 0x7F)
            fprintf(out, "\\u%04x", c[i]);
        else if (line)
            fprintf(out, "\\u20%02x", c[i + 2] - 0x80);
        else
            fwrite(c + i, 1, (size_t)bytes, out);
        i += (size_t)(bytes ? bytes : 1);
    }
}

bool page_end(Page *p) {
    bool fine = !ferror(p->told);
    if (fclose(p->told) != 0) fine = false;
    p->told = NULL;
    if (fine) {
        fputs("</script>\n<script type=\"application/json\" id=\"bristle-page\">", p->out);
        write_told(p->out, p->text, p->length);
        fputs("</script>", p->out);
        fputs(p->rest, p->out);
    }
    fine = fine && !ferror(p->out);
    if (fclose(p->out) != 0) fine = false;
    p->out = NULL;
    page_give_up(p);
    return fine;
}

void page_give_up(Page *p) {
    if (p->out) fclose(p->out);
    if (p->told) fclose(p->told);
    free(p->text);
    *p = (Page){0};
}
