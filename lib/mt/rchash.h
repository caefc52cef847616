/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash table with lock-free find, insert and delete: a split-ordered list (one list in
 * order of the bit-reversed hash, with a marker node for each bucket). The table grows
 * without moving a node. Interning uses the table.
 *
 * Which calls may run at the same time: all but rchash_init and rchash_fini, from any
 * thread that has joined RCU.
 * G1  rchash_insert inserts a node unless @same accepts an element in the table. Of
 *     several equal inserts at a time exactly one wins, unless @same refuses the found
 *     element (the element is dying).
 * G2  A found node stays valid until the finder's next quiescent state; the deleter of a
 *     node frees the node by rcu_free_later only.
 * Progress: lock-free. */
#ifndef TERN_LIB_MT_RCHASH_H
#define TERN_LIB_MT_RCHASH_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

#define RCHASH_DIR_CNT 32

/* The table's part of an element. Owner: the user of the table, whose object embeds the
 * node. Life: from rchash_insert until rchash_delete and a grace period. */
struct rchash_node {
	struct pubptr next; /* lowest bit: this node is deleted. private */
	/* bit-reversed by rchash; lowest bit 1: element, 0: marker. private */
	uint32_t hash;
	/* for the user's reference count; the word fills a hole in the struct */
	struct counter32 refs;
};

/* Owner: the object that embeds the table. Life: embedded, until rchash_fini. */
struct rchash {
	/* private */
	/* dir[k]: markers of buckets 2^(k-1) to 2^k - 1, and their states */
	struct pubptr dir[RCHASH_DIR_CNT];
	struct pub32 order; /* 2^order buckets are in use */
	struct rchash_node first; /* marker of bucket 0 */
	struct counter64 cnt;
	enum mem_tag tag;
};

/* Compare @n with @key, and accept or refuse @n. The callback may take a reference; true
 * ends the search. */
typedef bool (*rchash_same)(struct rchash_node *n, const void *key);

void rchash_init(struct rchash *h, enum mem_tag tag);
/* rchash_fini - free the markers; the caller frees the elements. No other thread uses the
 * table. */
void rchash_fini(struct rchash *h);
/* Only the lower 32 bits of a hash are used.
 * rchash_find - the element that @same accepted; NULL: none. */
struct rchash_node *rchash_find(
    struct rchash *h, uint64_t hash, rchash_same same, const void *key);
/* rchash_insert - insert @n under @hash unless @same accepts an element in the table.
 * Returns: @n, or the accepted element. */
struct rchash_node *rchash_insert(struct rchash *h, struct rchash_node *n, uint64_t hash,
    rchash_same same, const void *key);
/* rchash_delete - remove @n; the owner of @n calls once. No search that starts after the
 * return finds @n. */
void rchash_delete(struct rchash *h, struct rchash_node *n);
uint64_t rchash_count(const struct rchash *h);

#endif
