/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of powers of two, for arrays that double. A freed block is joined with its
 * neighbour, so freed small arrays make room for larger arrays. The memory is separate
 * from malloc, so no object of another owner keeps the memory in use. Owner: the object
 * that embeds the struct; one loop. Life: embedded, until buddy_fini. */
#ifndef TERN_LIB_MEM_BUDDY_H
#define TERN_LIB_MEM_BUDDY_H

#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"

#define BUDDY_MIN_ORDER 6 /* 64 octets */
#define BUDDY_MAX_ORDER 20 /* 1 MB */

/* owner: one thread; freed by: buddy_fini, with all blocks. */
struct buddy {
	/* private */
	uint8_t *base;
	size_t len, open; /* in use from 0 to open */
	size_t known; /* octets that were ever opened; at least `open` */
	size_t used; /* octets of blocks and maps: the counted memory */
	struct list free[BUDDY_MAX_ORDER + 1]; /* by order */
	unsigned fresh; /* order of the first block of the last step never linked */
	enum mem_tag tag;
};

/* buddy_init - reserve @len octets of addresses, a multiple of 2 MB. Each 2 MB hold one
 * block of 1 MB. The first block takes the first memory. */
void buddy_init(struct buddy *b, enum mem_tag tag, size_t len);
void buddy_fini(struct buddy *b);
/* buddy_base - start of the addresses; no block begins there.
 * buddy_has - true if @cnt blocks of any order can be allocated. */
static inline void *
buddy_base(const struct buddy *b)
{
	return b->base;
}

static inline bool
buddy_has(const struct buddy *b, unsigned cnt)
{
	return (b->len - b->open) / VMEM_STEP >= cnt;
}

/* buddy_get - 2^@order octets of undefined content, at a multiple of as many; buddy_put -
 * of the same order. Counted for the tag. */
OWNED void *buddy_get(struct buddy *b, unsigned order);
void buddy_put(struct buddy *b, TAKE void *p, unsigned order);
/* buddy_trim - if no block is out, all pages go back to the system. */
void buddy_trim(struct buddy *b);

#endif
