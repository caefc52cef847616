/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of memory side by side, allocated by any thread and freed by whole blocks.
 *
 * Segments and messages are read in the order in which the writer made the objects. The
 * bump places the objects in memory in that order: caches fetch ahead, and the kernel
 * receives neighbouring messages as one piece.
 *
 * Which calls may run at the same time: bump_alloc, bump_hold and bump_put, from any
 * number of threads that are registered readers (lib/mt/rcu.h); bump_init, bump_fini:
 * alone.
 *
 * G1  A piece stays valid until the piece's bump_put, and for as long as any hold on the
 *     block exists. Neither the end of the bump nor a bump_put of another piece matters.
 * G2  A block is freed a grace period after the last piece was put and the bump has left
 *     the block.
 * G3  If one thread allocates, pieces of one bump follow each other without a gap (but
 *     for @align) until a block is full.
 * Progress: lock-free; a full block costs one malloc. */
#ifndef TERN_LIB_MT_BUMP_H
#define TERN_LIB_MT_BUMP_H

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"

struct bump_block;

/* A source of blocks in place of malloc. Owner: the module that lends the blocks. Life:
 * until the last block is given back. */
struct bump_pages {
	uint32_t len; /* of each block, including the header of the bump */
	void *(*take)(
	    const struct bump_pages *bp, enum mem_tag tag); /* NULL: none left */
	void (*give)(const struct bump_pages *bp, enum mem_tag tag, void *block);
	void *arg;
};

/* A bump allocator. Owner: the object that embeds the bump. Life: embedded, until
 * bump_fini. Freed by: blocks outlive the bump and are freed by the last bump_put
 * (G2). */
struct bump {
	struct pubptr cur; /* struct bump_block *, or NULL before the first piece */
	enum mem_tag tag;
	uint32_t block_len, align;
	const struct bump_pages *pages;
};

/* bump_init - blocks of @block_len octets; pieces begin at multiples of @align (a power
 * of two, at most 64). */
void bump_init(struct bump *b, enum mem_tag tag, uint32_t block_len, uint32_t align);
/* bump_init_pages - allocate blocks from @bp. Large pieces, and blocks while @bp has no
 * block left, come from malloc. */
void bump_init_pages(
    struct bump *b, enum mem_tag tag, uint32_t align, const struct bump_pages *bp);
/* bump_fini - stop allocating; the last block is freed after its last piece is put. */
void bump_fini(struct bump *b);
/* bump_trim - save memory during a pause: leave the current block if a quarter of the
 * block was used. The block is freed after its last piece is put. Any registered reader
 * may call. */
void bump_trim(struct bump *b);
/* bump_alloc - allocate @size octets, uninitialised. @block: the argument for bump_put.
 * Blocks: never. */
void *bump_alloc(struct bump *b, uint32_t size, struct bump_block **block);
/* bump_hold - keep @block until a further bump_put. The caller knows that a piece of
 * @block is valid now. */
void bump_hold(struct bump_block *block);
/* bump_put - one piece of @block is no longer used. */
void bump_put(TAKE struct bump_block *block);
/* bump_waiting - octets in blocks of all bumps that wait for the end of a grace period; a
 * snapshot. Any thread. A thread that produces many such blocks should wait as well. */
uint64_t bump_waiting(void);

#endif
