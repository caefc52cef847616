/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash table of one owner. Nodes are embedded in the owner's objects; the buckets double
 * with the number of nodes, so chains stay short. The owner decides equality: the owner
 * walks the nodes of one hash and compares the objects.
 *
 *      struct htab_node *n;
 *
 *      htab_each_same (n, &t->names, hash_bytes(t->seed, name, strlen(name)))
 *              if (!strcmp(container_of(n, struct thing, node)->name, name))
 *                      return container_of(n, struct thing, node);
 *
 * G1  Among nodes with one hash the newest comes first.
 * G2  Growing keeps the order and moves no node.
 *
 * Owner: one thread at a time. Life: a table until htab_fini; a node while in the table.
 * lib/mt/rchash.h and nest/rib/table/table_hash.c serve tables that several threads
 * read. */
#ifndef TERN_LIB_BASE_HTAB_H
#define TERN_LIB_BASE_HTAB_H

#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

/* A node of a table. Owner: the object that embeds the node, and that frees the node
 * after its removal. */
struct htab_node {
	/* private */
	struct htab_node *next;
	uint64_t hash;
};

/* owner: one thread at a time; freed by: htab_fini. */
struct htab {
	/* private */
	struct htab_node **bucket; /* NULL: nothing was added yet */
	struct arena *arena; /* where the buckets lie; NULL: on the heap */
	uint32_t bucket_cnt; /* a power of two, or 0 */
	uint32_t cnt;
	enum mem_tag tag;
};

/* htab_init - no memory is taken before the first node is added. */
void htab_init(struct htab *t, enum mem_tag tag);
/* htab_init_arena - the same in @a, which frees the buckets: htab_fini isn't needed. */
void htab_init_arena(struct htab *t, struct arena *a);
/* htab_fini - free the buckets; nodes in the table are not touched. */
void htab_fini(struct htab *t);
/* htab_add - @n under @hash; it is in no table yet. */
void htab_add(struct htab *t, struct htab_node *n, uint64_t hash);
/* htab_del - @n is in @t. */
void htab_del(struct htab *t, struct htab_node *n);
/* htab_walk - step through the nodes, in no order. Returns: the first node for @n NULL,
 * else the node after @n; NULL: the walk is complete. */
struct htab_node *htab_walk(const struct htab *t, const struct htab_node *n);

static inline uint32_t
htab_cnt(const struct htab *t)
{
	return t->cnt;
}

/* htab_same - the first node of @hash at or after @n in the chain; NULL: none. */
static inline struct htab_node *
htab_same(struct htab_node *n, uint64_t hash)
{
	while (n && n->hash != hash)
		n = n->next;
	return n;
}

/* htab_find - the newest node of @hash; NULL: there is none. */
static inline struct htab_node *
htab_find(const struct htab *t, uint64_t hash)
{
	return t->cnt ? htab_same(t->bucket[hash & (t->bucket_cnt - 1)], hash) : NULL;
}

/* htab_next - the next older node with the hash of @n; NULL: none. */
static inline struct htab_node *
htab_next(const struct htab_node *n)
{
	return htab_same(n->next, n->hash);
}

/* Nodes of hash @h, newest first. The body may delete @n if it then leaves the loop. */
#define htab_each_same(n, t, h) for (n = htab_find(t, h); n; n = htab_next(n))

#endif
