/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of memory side by side, taken by any thread, freed by blocks.
 *
 * What many threads read in the order in which it was made (segments, their messages)
 * lies in that order in memory: caches fetch ahead, and neighbouring messages go to the
 * kernel as one piece.
 *
 * Which calls may run at the same time: bump_alloc, bump_hold and bump_put, from any
 * number of threads that are registered readers (lib/mt/rcu.h); bump_init, bump_fini:
 * alone.
 *
 * G1  A piece stays until its bump_put, and as long as anybody holds its block, whatever
 *     becomes of the bump and of other pieces.
 * G2  A block is freed a grace period after the last of its pieces was put and no bump
 *     hands out of it any more.
 * G3  Without other threads, pieces of one bump follow each other without a gap (but for
 *     @align) until a block is full.
 * Progress: lock-free; a full block costs one malloc. */
#ifndef TERN_LIB_MT_BUMP_H
#define TERN_LIB_MT_BUMP_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

struct bump_block;

/* Where blocks come from, if not from malloc. lives: as long as any block. */
struct bump_pages {
	uint32_t len; /* of each block, with the bump's own head */
	void *(*take)(
	    const struct bump_pages *bp, enum mem_tag tag); /* NULL: none left */
	void (*give)(const struct bump_pages *bp, enum mem_tag tag, void *block);
	void *arg;
};

struct bump {
	struct pubptr cur; /* struct bump_block *, or NULL before the first piece */
	enum mem_tag tag;
	uint32_t block_len, align;
	const struct bump_pages *pages;
};

/* bump_init - blocks of @block_len octets; pieces begin at multiples of @align (a power
 * of two, at most 64). */
void bump_init(struct bump *b, enum mem_tag tag, uint32_t block_len, uint32_t align);
/* bump_init_pages - blocks from @bp; from malloc while it has none, and for large
 * pieces. */
void bump_init_pages(
    struct bump *b, enum mem_tag tag, uint32_t align, const struct bump_pages *bp);
/* bump_fini - hand out no more; the last block goes with its last piece. */
void bump_fini(struct bump *b);
/* bump_rest - as little as possible is to stay in memory: a block of which a quarter was
 * used goes with its last piece. Any thread that is a reader. */
void bump_rest(struct bump *b);
/* bump_alloc - @size octets, uninitialised. @block: what bump_put wants. Blocks:
 * never. */
void *bump_alloc(struct bump *b, uint32_t size, struct bump_block **block);
/* bump_hold - the caller, who knows that a piece of @block stays for now, needs it until
 * a bump_put of his own. */
void bump_hold(struct bump_block *block);
/* bump_put - one piece of @block is no longer used. */
void bump_put(TAKE struct bump_block *block);
/* bump_waiting - octets of blocks, of all bumps, that nobody uses any more and that wait
 * for the end of a grace period. A snapshot, any thread: who could fill memory with more
 * of them had better wait as well. */
uint64_t bump_waiting(void);

#endif
