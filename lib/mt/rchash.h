/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash table with lock-free find, insert and delete: a split-ordered list (one list in
 * order of the bit-reversed hash, with a marker node for each bucket), so that it grows
 * without moving anything. Base of interning.
 *
 * Which calls may run at the same time: all but rchash_init and rchash_fini, from any
 * thread that has joined RCU.
 * G1  rchash_insert puts a node in unless @same finds an equal one that is not deleted;
 *     of several equal inserts at a time exactly one wins, unless @same refuses the found
 *     one (it is dying).
 * G2  A node found stays valid until the finder's next quiescent state; who deletes a
 *     node frees it by rcu_free_later only.
 * Progress: lock-free. */
#ifndef TERN_LIB_MT_RCHASH_H
#define TERN_LIB_MT_RCHASH_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

#define RCHASH_DIR_CNT 32

struct rchash_node {
	struct pubptr next; /* lowest bit: this node is deleted. private */
	/* bit-reversed by rchash; lowest bit 1: element, 0: marker. private */
	uint32_t hash;
	/* the user's, who counts as a rule; it would else be a hole */
	struct counter32 refs;
};

struct rchash {
	/* private */
	/* dir[k]: markers of buckets 2^(k-1) to 2^k - 1, and their states */
	struct pubptr dir[RCHASH_DIR_CNT];
	struct pub32 order; /* 2^order buckets are in use */
	struct rchash_node first; /* marker of bucket 0 */
	struct counter64 cnt;
	enum mem_tag tag;
};

/* Is @n what @key says, and may it be used? It may take a reference: true ends the
 * search. */
typedef bool (*rchash_same)(struct rchash_node *n, const void *key);

void rchash_init(struct rchash *h, enum mem_tag tag);
/* rchash_fini - frees markers; elements are the caller's. Nobody else may be in it. */
void rchash_fini(struct rchash *h);
/* Of a hash the lower 32 bits count.
 * rchash_find - the element for which @same said true; NULL: none. */
struct rchash_node *rchash_find(
    struct rchash *h, uint64_t hash, rchash_same same, const void *key);
/* rchash_insert - put @n (hash @hash) in, or give back the equal element that is already
 * there. Returns: @n, or the other one. */
struct rchash_node *rchash_insert(struct rchash *h, struct rchash_node *n, uint64_t hash,
    rchash_same same, const void *key);
/* rchash_delete - take @n out; its owner calls once. It is not reachable anew when this
 * returns. */
void rchash_delete(struct rchash *h, struct rchash_node *n);
uint64_t rchash_count(const struct rchash *h);

#endif
