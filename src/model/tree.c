/* tree.c: the machine as a graph. Bodies that cannot move are one root, the ground.
 *
 * A breadth-first search from the ground (then from the first body of every floating part) finds a spanning tree. A
 * tree joint's partner is the body it was the first to reach: eliminating every joint after its partner keeps the
 * pivots of the saddle matrix definite. Joints that reach nothing new close loops, and so do couplings; only they can be redundant. Contacts that
 * yield are neither: they have pivots of their own, and come whenever it is cheapest. */
#include "model/model.h"

typedef struct Search {
    int *first, *next; /* body -> chain of 2 joint + end */
    int *queue;
    bool *seen;
    int head, tail;
} Search;

static void visit(BrModel *m, Search *s, int body) {
    for (int link = s->first[body]; link >= 0; link = s->next[link]) {
        BriJoint *j = &m->joint[link / 2];
        int other = link % 2 ? j->a : j->b;
        if (m->body[other].node < 0 || s->seen[other]) continue;
        s->seen[other] = true;
        j->closes_loop = false;
        j->partner = other;
        s->queue[s->tail++] = other;
    }
}

static void search(BrModel *m, Search *s) {
    for (int i = 0; i < m->bodies; i++) s->first[i] = -1;
    for (int k = m->joints - 1; k >= 0; k--) {
        int ends[2] = {m->joint[k].a, m->joint[k].b};
        bool yields = m->joint[k].lasting && m->joint[k].def.stiffness > 0;
        m->joint[k].closes_loop = !yields;
        m->joint[k].partner = -1;
        if (yields || m->joint[k].coupling) continue; /* couplings hang on their joints */
        for (int e = 0; e < 2; e++) {
            s->next[2 * k + e] = s->first[ends[e]];
            s->first[ends[e]] = 2 * k + e;
        }
    }
    for (int i = 0; i < m->bodies; i++)
        if (m->body[i].node < 0) visit(m, s, i);
    for (int root = 0; root <= m->bodies; root++) {
        while (s->head < s->tail) visit(m, s, s->queue[s->head++]);
        if (root == m->bodies) break;
        if (m->body[root].node < 0 || s->seen[root]) continue;
        s->seen[root] = true;
        s->queue[s->tail++] = root;
    }
}

BrStatus bri_model_find_tree(BrModel *m, BrError *error) {
    const BrAllocator *allocator = &m->allocator;
    Search s = {bri_allocate(allocator, (size_t)m->bodies, sizeof(int)),
                bri_allocate(allocator, 2 * (size_t)m->joints, sizeof(int)),
                bri_allocate(allocator, (size_t)m->bodies, sizeof(int)),
                bri_allocate(allocator, (size_t)m->bodies, sizeof(bool)),
                0,
                0};
    bool fine = s.first && s.next && s.queue && s.seen;
    if (fine) search(m, &s);
    bri_release(allocator, s.first);
    bri_release(allocator, s.next);
    bri_release(allocator, s.queue);
    bri_release(allocator, s.seen);
    return fine ? BR_OK : bri_fail(error, BR_OUT_OF_MEMORY, "no memory to build the model");
}
