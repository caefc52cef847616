/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of powers of two out of reserved addresses.
 *
 * The allocator opens steps of 2 MB (lib/mem/vmem.h) one after the other. The first page
 * of each step is a map: one bit for each 64 octets, set where a free block begins. The
 * rest of the step is split into free blocks of 4 kB, 8 kB and so on up to 1 MB.
 *
 * I1  A free block stores its order in its first octets and stands in the list of that
 *     order.
 * I2  No two free blocks are halves of one block: halves are joined at once.
 * I3  In the step opened last, blocks of order `fresh` and more are free but stand in
 *     neither map nor list: their pages are untouched. The map lies in the other half of
 *     each, so no block is ever joined with such a block.
 *
 * The loop that owns the allocator calls the functions. */
#include "lib/mem/buddy.h"

#include "lib/mem/vmem.h"

#define MAP_ORDER     12 /* of the map at the beginning of a step */
#define RELEASE_ORDER 18 /* a free block of this order returns its pages to the system */

_Static_assert(VMEM_STEP >> BUDDY_MIN_ORDER == 8u << MAP_ORDER, "a bit for each block");
_Static_assert(VMEM_STEP == 2u << BUDDY_MAX_ORDER, "halves of a step aren't joined");

struct free_block {
	struct list link;
	uint32_t order;
};

/* buddy_bit_of - in the map of its step: where @p's bit is. */
static uint64_t *
buddy_bit_of(const void *p, uint64_t *bit)
{
	uintptr_t at = (uintptr_t)p, step = at & ~((uintptr_t)VMEM_STEP - 1);
	uintptr_t i = (at - step) >> BUDDY_MIN_ORDER;

	*bit = 1ull << (i % 64);
	return (uint64_t *)step + i / 64;
}

static void
buddy_link_free(struct buddy *b, void *p, unsigned order)
{
	struct free_block *f = p;
	uint64_t bit, *word = buddy_bit_of(p, &bit);

	*word |= bit;
	f->order = order;
	list_insert_after(&b->free[order], &f->link);
}

static void
buddy_unlink_free(struct free_block *f)
{
	uint64_t bit, *word = buddy_bit_of(f, &bit);

	*word &= ~bit;
	list_del(&f->link);
}

/* buddy_other_half - the second half of the block with the half @p; NULL: the second half
 * is not free, or is divided. */
static struct free_block *
buddy_other_half(void *p, unsigned order)
{
	struct free_block *f = (void *)((uintptr_t)p ^ (uintptr_t)1 << order);
	uint64_t bit, *word = buddy_bit_of(f, &bit);

	return (*word & bit) && f->order == order ? f : NULL;
}

static void
buddy_count(struct buddy *b, ptrdiff_t octets)
{
	b->used += (size_t)octets;
	mem_note(b->tag, octets);
}

static void
buddy_open_step(struct buddy *b)
{
	uint8_t *step = b->base + b->open;

	if (b->open == b->len)
		check_failed(__FILE__, __LINE__, "out of addresses");
	if (b->open == b->known) {
		vmem_open(b->tag, step, false);
		mem_note(b->tag, -(ptrdiff_t)VMEM_STEP); /* by block instead */
		b->known += VMEM_STEP;
	}
	buddy_count(b, (ptrdiff_t)1 << MAP_ORDER);
	b->open += VMEM_STEP;
	b->fresh = MAP_ORDER;
}

/* buddy_more - link one more free block: the next block of the last step, or of a new
 * step. */
static void
buddy_more(struct buddy *b)
{
	if (b->fresh > BUDDY_MAX_ORDER)
		buddy_open_step(b);
	buddy_link_free(
	    b, b->base + b->open - VMEM_STEP + ((size_t)1 << b->fresh), b->fresh);
	b->fresh++;
}

/* buddy_forget - no step is in use. */
static void
buddy_forget(struct buddy *b)
{
	b->open = 0;
	b->fresh = BUDDY_MAX_ORDER + 1;
	for (unsigned i = 0; i <= BUDDY_MAX_ORDER; i++)
		list_init(&b->free[i]);
}

void
buddy_init(struct buddy *b, enum mem_tag tag, size_t len)
{
	*b = (struct buddy){ .base = vmem_reserve(len), .len = len, .tag = tag };
	buddy_forget(b);
}

void
buddy_fini(struct buddy *b)
{
	vmem_fini(b->tag, b->base, b->len, b->used);
}

void *
buddy_get(struct buddy *b, unsigned order)
{
	unsigned from = order;
	struct list *l;

	ASSERT(order >= BUDDY_MIN_ORDER && order <= BUDDY_MAX_ORDER);
	while (list_empty(&b->free[from]))
		if (++from > BUDDY_MAX_ORDER) {
			buddy_more(b);
			from = order;
		}
	l = b->free[from].next;
	buddy_unlink_free(container_of(l, struct free_block, link));
	while (from > order) {
		from--;
		buddy_link_free(b, (uint8_t *)l + ((size_t)1 << from), from);
	}
	buddy_count(b, (ptrdiff_t)1 << order);
	return l;
}

void
buddy_put(struct buddy *b, TAKE void *p, unsigned order)
{
	struct free_block *f;

	buddy_count(b, -((ptrdiff_t)1 << order));
	for (; order < BUDDY_MAX_ORDER && (f = buddy_other_half(p, order)); order++) {
		buddy_unlink_free(f);
		if ((uintptr_t)f < (uintptr_t)p)
			p = f;
	}
	if (order >= RELEASE_ORDER)
		vmem_release(p, (size_t)1 << order);
	buddy_link_free(b, p, order);
}

void
buddy_trim(struct buddy *b)
{
	if (!b->open || b->used != b->open / VMEM_STEP << MAP_ORDER)
		return;
	buddy_count(b, -(ptrdiff_t)b->used);
	vmem_release(b->base, b->open);
	buddy_forget(b);
}
