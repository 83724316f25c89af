/* problem_fclib.c: FCLIB's HDF5 files, local and global friction problems.
 *
 *     /fclib_local/   spacedim, W/, vectors/q, vectors/mu
 *     /fclib_global/  spacedim, M/, H/, vectors/f, vectors/w, vectors/mu       M v = f + H r,  u = H^T v + w
 *     a matrix        m rows, n columns, nz, p, i, x; nz = -1: compressed columns, -2: compressed rows (p: where each
 *                     begins), else nz triplets, i holding the rows and p the columns
 *
 * /solution and /guesses are not read: solutions are placeholders in all files we know of. */
#include "io/hdf5_silence.h"
#include "io/problem_matrix.h"
#include "io/problem_text.h"
#include "math/vec.h"

#include <stdio.h>

enum { MOST_ROWS = 10000000 };

typedef BriTokens Tokens;

static void refuse_unread(Tokens *t, const char *name, void **numbers) {
    bri_release(t->allocator, *numbers);
    *numbers = NULL;
    bri_tokens_refuse(t, "'%s' cannot be read", name);
}

/* A dataset's numbers, `type` H5T_NATIVE_INT or _DOUBLE; count -1: as many as there are. Refuses what is not there. */
static bool read_set(Tokens *t, hid_t file, const char *name, hid_t type, int64_t *count, void **numbers) {
    size_t size = H5Tget_size(type);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) {
        bri_tokens_refuse(t, "the FCLIB file has no '%s'", name);
        return false;
    }
    hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
    int64_t there = H5Sget_simple_extent_npoints(space);
    *numbers = NULL;
    if (H5Tget_class(stored) != H5Tget_class(type) || there < 0 || there > INT32_MAX / 2)
        bri_tokens_refuse(t, "'%s' is not a list of numbers of the right kind", name);
    else if (*count >= 0 && there != *count)
        bri_tokens_refuse(t, "'%s' has %lld numbers; it must have %lld", name, (long long)there, (long long)*count);
    else if (!(*numbers = bri_allocate(t->allocator, (size_t)there, size)))
        bri_tokens_no_memory(t);
    else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *numbers) < 0)
        refuse_unread(t, name, numbers);
    *count = there;
    H5Tclose(stored);
    H5Sclose(space);
    H5Dclose(set);
    return *numbers != NULL;
}

static bool read_one(Tokens *t, hid_t file, const char *group, const char *name, int *value) {
    char path[80];
    void *numbers = NULL;
    int64_t count = 1;
    snprintf(path, sizeof path, "%s/%s", group, name);
    bool fine = read_set(t, file, path, H5T_NATIVE_INT, &count, &numbers);
    if (fine) *value = *(int *)numbers;
    bri_release(t->allocator, numbers);
    return fine;
}

static bool read_vector(Tokens *t, hid_t file, const char *group, const char *name, int64_t *count, double **numbers) {
    char path[80];
    void *read = NULL;
    snprintf(path, sizeof path, "%s/vectors/%s", group, name);
    bool fine = read_set(t, file, path, H5T_NATIVE_DOUBLE, count, &read);
    *numbers = read;
    for (int64_t i = 0; fine && i < *count; i++)
        if (!bri_is_finite((*numbers)[i])) fine = bri_tokens_refuse(t, "'%s' has an entry that is no number", path);
    return fine;
}

/* ------------------------------------------------------------------ matrices */

typedef struct Stored {
    int rows, columns, nz;
    int64_t p_count, i_count, x_count;
    void *p, *i, *x;
} Stored;

static bool add(Tokens *t, const Stored *m, int row, int column, double value, BriEntries *list) {
    if (row < 0 || row >= m->rows || column < 0 || column >= m->columns || !bri_is_finite(value))
        return bri_tokens_refuse(t, "a matrix has the entry (%d, %d) = %g; it has %d x %d", row, column, value, m->rows,
                                 m->columns);
    return bri_add_entry(t->allocator, list, row, column, value) || bri_tokens_no_memory(t);
}

static bool convert(Tokens *t, const Stored *m, BriEntries *list) {
    const int *p = m->p, *i = m->i;
    const double *x = m->x;
    int64_t most = m->i_count < m->x_count ? m->i_count : m->x_count;
    int lines = m->nz == -1 ? m->columns : m->rows;
    if (m->nz >= 0) {
        if (m->nz > most || m->nz > m->p_count)
            return bri_tokens_refuse(t, "a matrix has fewer than nz = %d entries", m->nz);
        for (int k = 0; k < m->nz; k++)
            if (!add(t, m, i[k], p[k], x[k], list)) return false;
        return true;
    }
    if (m->nz < -2)
        return bri_tokens_refuse(t, "a matrix has nz = %d; allowed are -2, -1, and numbers of triplets", m->nz);
    if (m->p_count < lines + 1) return bri_tokens_refuse(t, "a matrix has too few pointers");
    for (int line = 0; line < lines; line++) {
        if (p[line] < 0 || p[line + 1] < p[line] || p[line + 1] > most)
            return bri_tokens_refuse(t, "a matrix' pointers do not rise within its entries");
        for (int k = p[line]; k < p[line + 1]; k++)
            if (!add(t, m, m->nz == -1 ? i[k] : line, m->nz == -1 ? line : i[k], x[k], list)) return false;
    }
    return true;
}

/* `columns`: -1 if any number will do. */
static bool read_matrix(Tokens *t, hid_t file, const char *group, const char *name, int *rows, int columns,
                        BriEntries *list) {
    char path[64], set[80];
    Stored m = {.p_count = -1, .i_count = -1, .x_count = -1};
    snprintf(path, sizeof path, "%s/%s", group, name);
    bool fine = read_one(t, file, path, "m", &m.rows) && read_one(t, file, path, "n", &m.columns) &&
                read_one(t, file, path, "nz", &m.nz);
    if (fine && ((*rows >= 0 && m.rows != *rows) || m.columns != (columns < 0 ? m.rows : columns) || m.rows < 1))
        fine = bri_tokens_refuse(t, "%s is %d x %d, which does not fit the rest", name, m.rows, m.columns);
    snprintf(set, sizeof set, "%s/p", path);
    fine = fine && read_set(t, file, set, H5T_NATIVE_INT, &m.p_count, &m.p);
    snprintf(set, sizeof set, "%s/i", path);
    fine = fine && read_set(t, file, set, H5T_NATIVE_INT, &m.i_count, &m.i);
    snprintf(set, sizeof set, "%s/x", path);
    fine = fine && read_set(t, file, set, H5T_NATIVE_DOUBLE, &m.x_count, &m.x) && convert(t, &m, list);
    *rows = m.rows;
    bri_release(t->allocator, m.p);
    bri_release(t->allocator, m.i);
    bri_release(t->allocator, m.x);
    return fine;
}

/* ------------------------------------------------------------------ problems */

static bool read_local(Tokens *t, hid_t file, const char *group, BrProblem *p) {
    BriEntries W = {0};
    int rows = p->problem.rows;
    int64_t count = rows;
    double *q = NULL;
    bool fine = read_vector(t, file, group, "q", &count, &q) && read_matrix(t, file, group, "W", &rows, rows, &W);
    for (int i = 0; fine && i < rows; i++) p->q[i] = q[i];
    fine = fine && bri_problem_build(t, &W, p);
    bri_release(t->allocator, q);
    bri_release(t->allocator, W.entry);
    return fine;
}

static bool read_global(Tokens *t, hid_t file, const char *group, BrProblem *p) {
    BriGlobal g = {.freedoms = -1, .rows = p->problem.rows};
    double *f = NULL, *w = NULL;
    bool fine = read_matrix(t, file, group, "M", &g.freedoms, -1, &g.M) &&
                read_matrix(t, file, group, "H", &g.freedoms, g.rows, &g.H);
    int64_t freedoms = g.freedoms, rows = g.rows;
    fine = fine && read_vector(t, file, group, "f", &freedoms, &f) && read_vector(t, file, group, "w", &rows, &w);
    for (int i = 0; fine && i < g.rows; i++) p->q[i] = w[i];
    g.f = f;
    fine = fine && bri_problem_condense(t, &g, p);
    bri_release(t->allocator, f);
    bri_release(t->allocator, w);
    bri_release(t->allocator, g.M.entry);
    bri_release(t->allocator, g.H.entry);
    return fine;
}

static bool read_file(Tokens *t, hid_t file, BrProblem *p) {
    bool local = H5Lexists(file, "/fclib_local", H5P_DEFAULT) > 0;
    const char *group = local ? "/fclib_local" : "/fclib_global";
    int dimension = 0;
    double *mu = NULL;
    if (!local && H5Lexists(file, group, H5P_DEFAULT) <= 0)
        return bri_tokens_refuse(t,
                                 "the HDF5 file has no group fclib_local or fclib_global; rolling problems, and other "
                                 "HDF5 files, are not read");
    p->kind = local ? "friction" : "global";
    if (H5Lexists(file, "/fclib_global", H5P_DEFAULT) > 0 && H5Lexists(file, "/fclib_global/G", H5P_DEFAULT) > 0)
        return bri_tokens_refuse(t, "the problem has bilateral constraints (G), which are not read");
    if (!read_one(t, file, group, "spacedim", &dimension)) return false;
    if (dimension != 2 && dimension != 3)
        return bri_tokens_refuse(t, "the dimension is %d; allowed are 2 and 3", dimension);
    int64_t contacts = -1;
    bool fine = read_vector(t, file, group, "mu", &contacts, &mu);
    if (fine && (contacts < 1 || contacts > MOST_ROWS)) fine = bri_tokens_refuse(t, "the problem has no contacts");
    p->contacts = (int)contacts;
    fine = fine && bri_problem_start(t, dimension * p->contacts, p->contacts, p);
    for (int k = 0; fine && k < p->contacts; k++) {
        if (mu[k] < 0) fine = bri_tokens_refuse(t, "contact %d has mu = %g; it must not be negative", k, mu[k]);
        p->block[k] = (BriBlock){.set = BRI_SET_CONE, .first = dimension * k, .rows = dimension, .mu = mu[k]};
    }
    bri_release(t->allocator, mu);
    return fine && (local ? read_local(t, file, group, p) : read_global(t, file, group, p));
}

bool bri_problem_read_fclib(BriTokens *t, BrProblem *p) {
    BriSilence silence = bri_silence_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, (size_t)1 << 16, 0);
    H5Pset_file_image(access, (void *)(uintptr_t)t->text, t->size);
    hid_t file = H5Fopen("problem", H5F_ACC_RDONLY, access);
    bool fine = file >= 0 ? read_file(t, file, p) : bri_tokens_refuse(t, "the HDF5 file is damaged");
    if (file >= 0) H5Fclose(file);
    H5Pclose(access);
    bri_silence_end(silence);
    return fine;
}
