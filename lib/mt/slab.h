/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixed-size objects of one owner, without a header per object. Only the owner calls. A
 * block (64 kB) without allocated objects returns its pages to the system; the slab keeps
 * one such block until slab_trim. Loop: the loop that owns the slab. */
#ifndef TERN_LIB_MT_SLAB_H
#define TERN_LIB_MT_SLAB_H

#include "lib/mem/mem.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"

struct slab_block;
struct slab_group;

/* Addresses from vmem_reserve for the blocks of one or more slabs of one owner; the
 * objects then lie near each other. Owner: the owner of the slabs. Life: longer than the
 * slabs. Freed by: the owner of the slabs, with the reservation. */
struct slab_region {
	uint8_t *base;
	uint32_t steps; /* VMEM_STEP each */
	/* the owner writes, any thread reads */
	struct pub32 next; /* number of the first step that was never used */
	struct pub64 noted; /* octets that count for the slabs' tag */
};

/* Owner: one thread. Life: until slab_fini. Freed by: slab_fini, with all objects. */
struct slab {
	/* private */
	struct slab_block *partial; /* blocks with a free object */
	struct slab_block *full;
	struct slab_group *groups; /* with blocks to give */
	struct slab_region *region;
	uint32_t obj_size, per_block;
	uint32_t block_cnt, empty_cnt;
	enum mem_tag tag;
};

/* slab_init - @obj_size octets: 8 to 4096; rounded up to a multiple of 4, to which
 * objects are aligned. Blocks come from @r. */
void slab_init(struct slab *s, enum mem_tag tag, size_t obj_size, struct slab_region *r);
void slab_fini(struct slab *s);
/* slab_get - allocate an object of undefined content, aligned to 8 (or 16) if obj_size is
 * a multiple of 8 (or 16). Returns: NULL: the region is exhausted. */
void *slab_get(struct slab *s);
/* slab_has - true if slab_get would return an object. */
static inline bool
slab_has(const struct slab *s)
{
	return s->partial || s->groups ||
	       load_relaxed32(&s->region->next) < s->region->steps;
}
void slab_put(struct slab *s, TAKE void *obj);
/* slab_trim - free the kept empty block; the owner expects a pause. */
void slab_trim(struct slab *s);

/* slab_region_extent - octets from base on that are open and readable now. Any thread. */
static inline size_t
slab_region_extent(const struct slab_region *r)
{
	return (size_t)load_acquire32(&r->next) * VMEM_STEP; /* pairs: SLABNEXT */
}

#endif
