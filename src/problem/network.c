/* network.c: products with the parts of W = C M^-1 D^T, and the certificate (7.2) of a network. */
#include "problem/network.h"

#include "base/threads.h"
#include "math/vec.h"

#include <string.h>

/* to = M^-1 from at one node */
static void divide_by_mass(const BriNetwork *network, int node, const double *from, double *to) {
    const double *I = network->inverse_inertia + 9 * (size_t)node;
    for (int i = 0; i < 3; i++) {
        to[i] = network->inverse_mass[node] * from[i];
        to[i + 3] = I[3 * i] * from[3] + I[3 * i + 1] * from[4] + I[3 * i + 2] * from[5];
    }
}

void bri_network_response(const BriNetwork *network, int block, int row, double *response) {
    for (int side = 0; side < 2; side++) {
        int node = network->node[block][side];
        if (node >= 0)
            divide_by_mass(network, node, bri_network_D(network, block) + 12 * (size_t)row + 6 * side,
                           response + 6 * side);
        else
            memset(response + 6 * side, 0, 6 * sizeof(double));
    }
}

/* v += M^-1 D^T r of rows between two nodes. */
static void push(const BriNetwork *network, const int node[2], const double *D, int rows, const double *r, double *v) {
    for (int side = 0; side < 2; side++, D += 6) {
        if (node[side] < 0) continue;
        double sum[6] = {0}, change[6], *at = v + 6 * (size_t)node[side];
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < 6; j++) sum[j] += D[12 * i + j] * r[i];
        divide_by_mass(network, node[side], sum, change);
        for (int j = 0; j < 6; j++) at[j] += change[j];
    }
}

typedef struct Application {
    const BriNetwork *network;
    const double *r;
    double *v;
} Application;

static bool is_nothing(const double *r, int rows) {
    for (int i = 0; i < rows; i++)
        if (r[i] != 0) return false;
    return true;
}

/* To the nodes of a share, each being pushed by its blocks in their order. */
static void apply_share(void *loop, const BriShare *share) {
    const Application *l = loop;
    const BriNetwork *n = l->network;
    for (int k = 0; k < n->blocks; k++) {
        int node[2] = {n->node[k][0], n->node[k][1]};
        for (int side = 0; side < 2; side++)
            if (node[side] < share->begin || node[side] >= share->end) node[side] = -1;
        const double *r = l->r + n->block[k].first;
        if ((node[0] < 0 && node[1] < 0) || is_nothing(r, n->block[k].rows)) continue;
        push(n, node, bri_network_D(n, k), n->block[k].rows, r, l->v);
    }
}

void bri_network_apply(const BriNetwork *network, const double *r, double *v) {
    Application loop = {network, r, v};
    bri_share_widely(network->threads, network->nodes, apply_share, &loop);
}

/* An entry of W: a row of C times M^-1 of a row of D. */
static double couple(const double *C, const double *response) {
    double sum = 0;
    for (int k = 0; k < 12; k++) sum += C[k] * response[k];
    return sum;
}

void bri_network_couple(const BriNetwork *network, int block, const double *response, double *W) {
    int rows = network->block[block].rows;
    const double *C = bri_network_C(network, block);
    for (int i = 0; i < rows; i++, C += 12)
        for (int j = 0; j < rows; j++) W[i * rows + j] = couple(C, response + 12 * (size_t)j);
}

void bri_network_diagonal(const BriNetwork *network, int block, double *W) {
    double response[6 * 12];
    for (int row = 0; row < network->block[block].rows; row++)
        bri_network_response(network, block, row, response + 12 * (size_t)row);
    bri_network_couple(network, block, response, W);
}

void bri_network_velocity(const BriNetwork *network, int block, const double *v, double *u) {
    int first = network->block[block].first, rows = network->block[block].rows;
    for (int i = 0; i < rows; i++) u[i] = network->q[first + i];
    for (int side = 0; side < 2; side++) {
        int node = network->node[block][side];
        if (node < 0) continue;
        const double *at = v + 6 * (size_t)node, *c = bri_network_C(network, block) + 6 * side;
        for (int i = 0; i < rows; i++, c += 12)
            u[i] += (c[0] * at[0] + c[1] * at[1] + c[2] * at[2]) + (c[3] * at[3] + c[4] * at[4] + c[5] * at[5]);
    }
}

double bri_network_scale(const BriNetwork *network, int block) {
    double response[12], trace = 0;
    int rows = network->block[block].rows;
    const double *C = bri_network_C(network, block);
    if (network->scale) return network->scale[block];
    for (int i = 0; i < rows; i++, C += 12) {
        bri_network_response(network, block, i, response);
        trace += couple(C, response);
    }
    return trace > 0 ? rows / trace : 1;
}

double bri_network_compliance(const BriNetwork *network, int block) {
    const BriBlock *own = &network->block[block];
    return network->compliance && own->set == BRI_SET_BOX ? network->compliance[own->first] : 0;
}

/* Is it worse in block k? NaN is worst, wherever it stands; of equals the first. */
static bool is_worse(double residual, int k, const BriCertificate *c) {
    bool none = residual != residual, none_yet = c->residual != c->residual;
    if (c->worst < 0 || none != none_yet) return c->worst < 0 || none;
    return residual > c->residual || (!(residual < c->residual) && k < c->worst);
}

typedef struct Judgement {
    const BriNetwork *network;
    const double *r, *v;
    BriCertificate worst[BRI_MOST_THREADS]; /* per lane */
} Judgement;

static void judge_blocks(void *loop, const BriShare *share) {
    Judgement *j = loop;
    const BriNetwork *network = j->network;
    BriCertificate c = j->worst[share->lane];
    for (int k = share->begin; k < share->end; k++) {
        const BriBlock *block = &network->block[k];
        double u[6] = {0};
        bri_network_velocity(network, k, j->v, u);
        u[0] += bri_network_compliance(network, k) * j->r[block->first];
        double residual = bri_block_residual(block, j->r + block->first, u, bri_network_scale(network, k));
        if (is_worse(residual, k, &c)) c.residual = residual, c.worst = k;
    }
    j->worst[share->lane] = c;
}

BriCertificate bri_network_judge(const BriNetwork *network, const double *r, const double *v) {
    Judgement j;
    int lanes = bri_lanes(network->threads);
    j.network = network, j.r = r, j.v = v;
    for (int i = 0; i < lanes; i++) j.worst[i] = (BriCertificate){0, __builtin_nan(""), -1};
    bri_share(network->threads, network->blocks, judge_blocks, &j);
    BriCertificate c = j.worst[0];
    for (int i = 1; i < lanes; i++)
        if (j.worst[i].worst >= 0 && is_worse(j.worst[i].residual, j.worst[i].worst, &c)) c = j.worst[i];
    return c;
}
