/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary min-heap of intrusive nodes ordered by a 64-bit key (timers). Owner: the loop of
 * the heap; nodes are embedded in the loop's objects. Life: a heap until heap_fini; a
 * node until heap_remove. */
#ifndef TERN_LIB_BASE_HEAP_H
#define TERN_LIB_BASE_HEAP_H

#include "lib/mem/mem.h"

/* A node of a heap. Owner: the object that embeds the node, and that frees the node after
 * heap_remove. */
struct heap_node {
	uint64_t key;
	uint32_t pos; /* 1-based position in the heap; 0: not in it. private */
};

/* A heap. Owner: the object that embeds the struct. Freed by: heap_fini, without the
 * nodes. */
struct heap {
	/* private */
	struct heap_node **node; /* node[1] is the least */
	uint32_t cnt, cap;
	enum mem_tag tag;
};

void heap_init(struct heap *h, enum mem_tag tag);
void heap_fini(struct heap *h);
/* heap_insert - @n must not be in a heap; its key is @key. */
void heap_insert(struct heap *h, struct heap_node *n, uint64_t key);
/* heap_remove - no effect if @n is not in the heap. */
void heap_remove(struct heap *h, struct heap_node *n);
/* heap_min - NULL if empty. */
struct heap_node *heap_min(const struct heap *h);

#endif
