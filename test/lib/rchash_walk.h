/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All elements of a hash, while other threads may change it; those put in meanwhile may
 * be missed. */
#ifndef TERN_TEST_RCHASH_WALK_H
#define TERN_TEST_RCHASH_WALK_H

#include "lib/mt/rchash.h"

/* rchash_element - the first element from the node that @link points to on; the lowest
 * bit of a link says that the node which has it is deleted. */
static inline struct rchash_node *
rchash_element(void *link)
{
	struct rchash_node *n = (void *)((uintptr_t)link & ~(uintptr_t)1);
	void *next;

	for (; n; n = (void *)((uintptr_t)next & ~(uintptr_t)1)) {
		next = load_acquire_ptr(&n->next); /* pairs: RCNEXT */
		if ((n->hash & 1) && !((uintptr_t)next & 1))
			return n;
	}
	return NULL;
}

static inline struct rchash_node *
rchash_first(struct rchash *h)
{
	return rchash_element(load_acquire_ptr(&h->first.next)); /* pairs: RCNEXT */
}

static inline struct rchash_node *
rchash_next(struct rchash_node *n)
{
	return rchash_element(load_acquire_ptr(&n->next)); /* pairs: RCNEXT */
}

#endif
