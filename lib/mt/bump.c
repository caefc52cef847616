/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bump allocation by any thread. A single word keeps the state of a block. The upper part
 * counts the holds on the block: a hold per piece, and a hold of the bump that allocates
 * from the block. The lower part is the number of used octets. A single compare-and-swap
 * takes a piece and the hold.
 *
 * I1  No thread takes a piece of a block without holds. A thread may still have the
 *     address of a replaced block; the thread is a registered reader, so the block's
 *     memory is still valid, and the state word shows that no hold is left. The holds
 *     therefore reach 0 once. */
#include "lib/mt/bump.h"
#include "lib/mt/rcu.h"

#define HOLD (1ull << 40)
#define USED (HOLD - 1)

struct bump_block {
	struct rcu_node rcu;
	struct pub64 state; /* holds, octets used */
	const struct bump_pages *pages; /* NULL: it is malloc's */
	enum mem_tag tag;
	uint32_t len;
	_Alignas(64) uint8_t data[];
};

static struct pub64 waiting; /* bump_waiting */

static struct bump_block *
bump_block_new(const struct bump *b, uint32_t len, uint32_t first, unsigned holds)
{
	struct bump_block *bb = NULL;
	const struct bump_pages *bp = b->pages;

	if (bp && len == b->block_len)
		bb = bp->take(bp, b->tag);
	if (!bb) {
		bb = mem_aligned(b->tag, 64, sizeof(*bb) + len);
		bp = NULL;
	}
	bb->pages = bp;
	bb->tag = b->tag;
	bb->len = len;
	store_relaxed64(&bb->state, holds * HOLD + first);
	return bb;
}

static void
bump_block_free(TAKE struct bump_block *bb)
{
	if (bb->pages)
		bb->pages->give(bb->pages, bb->tag, bb);
	else
		mem_free(bb->tag, bb);
}

static void
bump_free_block(struct rcu_node *n)
{
	struct bump_block *bb = container_of(n, struct bump_block, rcu);

	sub_acq_rel64(&waiting, bb->len);
	bump_block_free(bb);
}

void
bump_hold(struct bump_block *block)
{
	add_relaxed64(
	    &block->state, HOLD); /* like a reference: a holder may give a further hold */
}

void
bump_put(TAKE struct bump_block *block)
{
	if (sub_acq_rel64(&block->state, HOLD) / HOLD != 1)
		return;
	add_relaxed64(&waiting, block->len);
	rcu_free_later(&block->rcu, bump_free_block);
}

uint64_t
bump_waiting(void)
{
	return load_relaxed64(&waiting);
}

void
bump_init(struct bump *b, enum mem_tag tag, uint32_t block_len, uint32_t align)
{
	ASSERT(align && align <= 64 && !(align & (align - 1)));
	store_relaxed_ptr(&b->cur, NULL);
	b->tag = tag;
	b->block_len = block_len;
	b->align = align;
	b->pages = NULL;
}

void
bump_init_pages(
    struct bump *b, enum mem_tag tag, uint32_t align, const struct bump_pages *bp)
{
	bump_init(b, tag, bp->len - (uint32_t)sizeof(struct bump_block), align);
	b->pages = bp;
}

void
bump_fini(struct bump *b)
{
	struct bump_block *bb = xchg_acq_rel_ptr(&b->cur, NULL); /* pairs: BUMP */

	if (bb)
		bump_put(bb);
}

void
bump_trim(struct bump *b)
{
	struct bump_block *bb = load_acquire_ptr(&b->cur); /* pairs: BUMP */
	void *expect = bb;

	if (bb && (load_relaxed64(&bb->state) & USED) >= bb->len / 4 &&
	    cas_acq_rel_ptr(&b->cur, &expect, NULL)) /* pairs: BUMP */
		bump_put(bb);
}

/* bump_take - Returns: NULL: no room is left in @bb. */
static void *
bump_take(struct bump_block *bb, uint32_t size)
{
	uint64_t old = load_relaxed64(&bb->state);

	while (old >= HOLD && (old & USED) + size <= bb->len)
		if (cas_acq_rel64(&bb->state, &old, old + HOLD + size))
			return bb->data + (old & USED);
	return NULL;
}

void *
bump_alloc(struct bump *b, uint32_t size, struct bump_block **block)
{
	struct bump_block *bb, *fresh;
	void *expect, *piece;

	size = (size + b->align - 1) & ~(b->align - 1);
	if (size > b->block_len / 4) {
		*block = bump_block_new(b, size, size, 1);
		return (*block)->data;
	}
	bb = load_acquire_ptr(&b->cur); /* pairs: BUMP */
	for (;;) {
		if (bb && (piece = bump_take(bb, size))) {
			*block = bb;
			return piece;
		}
		fresh = bump_block_new(b, b->block_len, size, 2);
		expect = bb;
		if (cas_acq_rel_ptr(&b->cur, &expect, fresh)) { /* pairs: BUMP */
			if (bb)
				bump_put(bb);
			*block = fresh;
			return fresh->data;
		}
		bump_block_free(fresh);
		bb = expect;
	}
}
