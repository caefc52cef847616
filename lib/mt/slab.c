/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects of one size out of aligned blocks. The loop that owns the slab calls.
 *
 * I1  A block begins at a multiple of BLOCK_ALIGN: masking an object's address gives the
 *     block.
 *
 * I2  Octets of a block beyond object number `fresh` were never touched, so a block costs
 *     resident memory only for the used part.
 *
 * I3  A block is on `full` if all its objects are allocated, else on `partial`.
 *
 * I4  At most one block of `partial` is empty.
 *
 * Blocks come in groups; a group is a step of the region. Groups from block number
 * GROUP_FROM on are huge pages (lib/mem/vmem.h gives the reason); earlier groups are
 * counted per block. A freed block returns its pages to the system.
 *
 * I5  A group is on `groups` while the group has a free block.
 *
 * I6  The slab keeps its groups, with or without blocks, until the end. */
#include "lib/mem/poison.h"
#include "lib/mem/vmem.h"
#include "lib/mt/slab.h"

#define BLOCK_ALIGN 65536u
#define BLOCK_DATA  (BLOCK_ALIGN - (uint32_t)sizeof(struct slab_block))

struct slab_block {
	struct slab_block *next, *prev;
	void *free; /* objects given back; the first word of each points to the next */
	uint32_t used, fresh;
	struct slab_group *group;
	uint8_t pad[24]; /* keeps the objects on whole cache lines if their size allows */
	uint8_t data[];
};

_Static_assert(sizeof(struct slab_block) == 64, "objects begin on a cache line");

#define GROUP_BLOCKS 32
#define GROUP_FROM   128 /* 8 MB: a group is a quarter of it at most */

struct slab_group {
	struct slab_group *next, *prev; /* in slab.groups */
	uint8_t *mem;
	uint32_t out; /* bit i: block i is out */
	uint32_t old; /* bit i: it was given back, and isn't counted */
};

_Static_assert(GROUP_BLOCKS *BLOCK_ALIGN == VMEM_STEP, "a group is a huge page");

void
slab_init(struct slab *s, enum mem_tag tag, size_t obj_size, struct slab_region *r)
{
	ASSERT(obj_size >= 8 && obj_size <= 4096);
	*s = (struct slab){
		.tag = tag, .obj_size = (uint32_t)(obj_size + 3) & ~3u, .region = r
	};
	s->per_block = BLOCK_DATA / s->obj_size;
}

/* slab_region_note - @octets more or less of the region count. */
static void
slab_region_note(struct slab *s, ptrdiff_t octets)
{
	struct slab_region *r = s->region;

	store_relaxed64(&r->noted, load_relaxed64(&r->noted) + (uint64_t)octets);
}

/* slab_group_note - the same for the tag, too. */
static void
slab_group_note(struct slab *s, ptrdiff_t octets)
{
	mem_note(s->tag, octets);
	slab_region_note(s, octets);
}

static void
slab_group_link(struct slab *s, struct slab_group *g)
{
	g->prev = NULL;
	g->next = s->groups;
	if (g->next)
		g->next->prev = g;
	s->groups = g;
}

static void
slab_group_unlink(struct slab *s, struct slab_group *g)
{
	if (g->prev)
		g->prev->next = g->next;
	else
		s->groups = g->next;
	if (g->next)
		g->next->prev = g->prev;
}

/* slab_group_new - NULL: the region has no step left. */
static struct slab_group *
slab_group_new(struct slab *s)
{
	struct slab_group *g;
	struct slab_region *r = s->region;
	bool huge = s->block_cnt >= GROUP_FROM;
	uint32_t next = load_relaxed32(&r->next);

	if (next >= r->steps)
		return NULL;
	g = mem_zalloc(s->tag, sizeof(*g));
	g->mem = r->base + (size_t)next * VMEM_STEP;
	vmem_open(s->tag, g->mem, huge);
	store_release32(&r->next, next + 1); /* pairs: SLABNEXT */
	slab_region_note(s, VMEM_STEP);
	if (!huge) {
		g->old = UINT32_MAX;
		slab_group_note(s, -(ptrdiff_t)VMEM_STEP);
	}
	slab_group_link(s, g);
	return g;
}

/* slab_group_take - memory for a block; *@of: its group. NULL: the region has none. */
static void *
slab_group_take(struct slab *s, struct slab_group **of)
{
	struct slab_group *g = s->groups;
	unsigned i;

	if (!g && !(g = slab_group_new(s)))
		return NULL;
	i = (unsigned)__builtin_ctz(~g->out);
	g->out |= 1u << i;
	if (g->old >> i & 1) {
		g->old &= ~(1u << i);
		slab_group_note(s, BLOCK_ALIGN);
	}
	if (g->out == UINT32_MAX)
		slab_group_unlink(s, g);
	*of = g;
	return g->mem + (size_t)i * BLOCK_ALIGN;
}

static void
slab_group_give(struct slab *s, struct slab_group *g, struct slab_block *b)
{
	unsigned i = (unsigned)((uint8_t *)b - g->mem) / BLOCK_ALIGN;

	if (g->out == UINT32_MAX)
		slab_group_link(s, g);
	g->out &= ~(1u << i);
	g->old |= 1u << i;
	slab_group_note(s, -(ptrdiff_t)BLOCK_ALIGN);
	if (g->out) {
		vmem_release(b, BLOCK_ALIGN);
		return;
	}
	vmem_release(g->mem, VMEM_STEP);
	slab_group_note(s, -(ptrdiff_t)BLOCK_ALIGN * __builtin_popcount(~g->old));
	g->old = UINT32_MAX;
}

static void
slab_block_free(struct slab *s, struct slab_block *b)
{
	poison_clear(b->data, BLOCK_DATA);
	slab_group_give(s, b->group, b);
	s->block_cnt--;
}

static void
slab_free_list(struct slab *s, struct slab_block *b)
{
	struct slab_block *next;

	for (; b; b = next) {
		next = b->next;
		slab_block_free(s, b);
	}
}

void
slab_fini(struct slab *s)
{
	slab_free_list(s, s->partial);
	slab_free_list(s, s->full);
	s->partial = s->full = NULL;
	s->empty_cnt = 0;
	for (struct slab_group *g; (g = s->groups);) { /* I6 */
		slab_group_unlink(s, g);
		mem_free(s->tag, g);
	}
}

static void
slab_link(struct slab_block **head, struct slab_block *b)
{
	b->prev = NULL;
	b->next = *head;
	if (*head)
		(*head)->prev = b;
	*head = b;
}

static void
slab_unlink(struct slab_block **head, struct slab_block *b)
{
	if (b->prev)
		b->prev->next = b->next;
	else
		*head = b->next;
	if (b->next)
		b->next->prev = b->prev;
}

static struct slab_block *
slab_block_new(struct slab *s)
{
	struct slab_group *g;
	struct slab_block *b = slab_group_take(s, &g);

	if (!b)
		return NULL;
	b->group = g;
	b->free = NULL;
	b->used = b->fresh = 0;
	poison_set(b->data, BLOCK_DATA);
	slab_link(&s->partial, b);
	s->block_cnt++;
	s->empty_cnt++;
	return b;
}

void *
slab_get(struct slab *s)
{
	struct slab_block *b = s->partial;
	void *obj;

	if (unlikely(!b)) {
		b = slab_block_new(s);
		if (!b)
			return NULL;
	}
	if (b->used == 0)
		s->empty_cnt--;
	if (b->free) {
		obj = b->free;
		poison_clear(obj, s->obj_size);
		memcpy(&b->free, obj, sizeof(b->free));
	} else {
		obj = b->data + (size_t)b->fresh++ * s->obj_size;
		poison_clear(obj, s->obj_size);
	}
	if (++b->used == s->per_block) {
		slab_unlink(&s->partial, b);
		slab_link(&s->full, b);
	}
	return obj;
}

/* slab_keep_empty - no object of @b is allocated. The slab keeps one empty block behind
 * the blocks in use, so that a load around a block's edge does not return and take pages
 * each time. */
static void
slab_keep_empty(struct slab *s, struct slab_block *b)
{
	struct slab_block *at;

	if (s->empty_cnt > 0) {
		slab_unlink(&s->partial, b);
		slab_block_free(s, b);
		return;
	}
	s->empty_cnt++;
	/* All objects of the block are free: a fresh start allocates neighbouring objects
	 * again. */
	b->free = NULL;
	b->fresh = 0;
	at = s->partial;
	if (at == b && b->next) {
		slab_unlink(&s->partial, b);
		at = s->partial;
		b->prev = at;
		b->next = at->next;
		if (b->next)
			b->next->prev = b;
		at->next = b;
	}
}

void
slab_put(struct slab *s, void *obj)
{
	struct slab_block *b = (struct slab_block *)((uintptr_t)obj &
						     ~(uintptr_t)(BLOCK_ALIGN - 1));

	DCHECK(((size_t)((uint8_t *)obj - b->data) % s->obj_size) == 0);
	ASSERT(b->used > 0);
	if (b->used-- == s->per_block) {
		slab_unlink(&s->full, b);
		slab_link(&s->partial, b);
	}
	memcpy(obj, &b->free, sizeof(b->free));
	b->free = obj;
	poison_set(obj, s->obj_size);
	if (b->used == 0)
		slab_keep_empty(s, b);
}

void
slab_trim(struct slab *s)
{
	struct slab_block *b = s->partial;

	if (!s->empty_cnt)
		return;
	while (b->used)
		b = b->next;
	slab_unlink(&s->partial, b);
	slab_block_free(s, b);
	s->empty_cnt = 0;
}
