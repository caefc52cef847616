/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One lookup in a mapped image, without the check of the generation. The functions are
 * inline, so that each caller compiles the functions for the caller's instruction set.
 *
 * I1  No content of the file leads outside the mapping (fib_format.h, F7): references are
 *     masked by the size of their section, a chunk reads at most 16 KiB behind its start,
 *     and the loop of chunks ends with the address.
 *
 * Loop: any thread. Progress: wait-free. */
#ifndef TERN_LIB_FIB_FIB_FIND_H
#define TERN_LIB_FIB_FIB_FIND_H

#include "lib/fib/fib_format.h"
#include "lib/mt/mapped.h"
#include <stdbool.h>

#define FIB_INLINE static inline __attribute__((always_inline))

/* Where the sections of an image lie. Owner: the caller. Life: the mapping. */
struct fib_view {
	const uint32_t *slot;
	const uint64_t *direct;
	const uint8_t *chunk;
	uint32_t chunk_mask; /* units of FIB_CHUNK - 1 */
	bool plain; /* no fields: a slot without a chunk is the answer */
};

FIB_INLINE const struct fib_chunk *
fib_find_chunk(const struct fib_view *v, uint64_t unit)
{
	return (const void *)(v->chunk + (unit & v->chunk_mask) * FIB_UNIT);
}

/* fib_find_leaf - the leaf of the value @byte, with unspecified bits above the leaf. */
FIB_INLINE uint64_t
fib_find_leaf(const struct fib_chunk *c, unsigned byte)
{
	unsigned w = byte / 64, run, bit;
	uint64_t leaf;

	run = c->before[w] +
	      (unsigned)__builtin_popcountll(c->start[w] << (63 - byte % 64));
	bit = run * c->width;
	__builtin_memcpy(&leaf, (const uint8_t *)(c + 1) + bit / 8, sizeof(leaf));
	return leaf >> (bit % 8);
}

/* fib_find_answer - the answer of a leaf that refers to no chunk. */
FIB_INLINE uint64_t
fib_find_answer(const struct fib_view *v, const struct fib_chunk *c, uint64_t leaf)
{
	uint64_t hop, rest;

	leaf = (leaf & ((1ull << (c->width & 63)) - 1)) >> (c->child & 1);
	hop = leaf & ((1ull << (c->hop_width & 63)) - 1);
	if (v->plain)
		return hop;
	rest = leaf >> (c->hop_width & 63);
	return FIB_ANSWER(hop, rest & ((1ull << (c->origin_width & 63)) - 1),
	    rest >> (c->origin_width & 63));
}

/* fib_find_hop - the next hop of a leaf that refers to no chunk. */
FIB_INLINE uint32_t
fib_find_hop(const struct fib_chunk *c, uint64_t leaf)
{
	return (uint32_t)(leaf >> (c->child & 1)) & ((1u << (c->hop_width & 31)) - 1);
}

FIB_INLINE bool
fib_find_is_child(const struct fib_chunk *c, uint64_t leaf)
{
	return __builtin_expect(c->child & leaf & 1, 0);
}

FIB_INLINE uint64_t
fib_find_unit(const struct fib_chunk *c, uint64_t leaf)
{
	return (leaf & ((1ull << (c->width & 63)) - 1)) >> 1;
}

FIB_INLINE uint64_t
fib_find_direct(const struct fib_view *v, uint32_t slot)
{
	if (v->plain)
		return slot;
	return v->direct[slot & (FIB_DIRECTS - 1)];
}

/* fib_find4 - the answer for an IPv4 address in host order. */
FIB_INLINE uint64_t
fib_find4(const struct fib_view *v, uint32_t addr)
{
	uint32_t slot = mapped_load_acquire32(&v->slot[addr >> 16]);
	const struct fib_chunk *c;
	uint64_t leaf;

	if (!(slot & FIB_SLOT_CHUNK))
		return fib_find_direct(v, slot);
	c = fib_find_chunk(v, slot);
	leaf = fib_find_leaf(c, addr >> 8 & 255);
	if (fib_find_is_child(c, leaf)) {
		c = fib_find_chunk(v, fib_find_unit(c, leaf));
		leaf = fib_find_leaf(c, addr & 255);
	}
	return fib_find_answer(v, c, leaf);
}

/* fib_find6 - the answer for an IPv6 address of 16 octets in network order. */
FIB_INLINE uint64_t
fib_find6(const struct fib_view *v, const uint8_t *addr)
{
	uint32_t slot = mapped_load_acquire32(&v->slot[(unsigned)addr[0] << 8 | addr[1]]);
	const struct fib_chunk *c;
	uint64_t leaf;
	unsigned at = 2;

	if (!(slot & FIB_SLOT_CHUNK))
		return fib_find_direct(v, slot);
	c = fib_find_chunk(v, slot);
	leaf = fib_find_leaf(c, addr[at]);
	while ((c->child & leaf & 1) && at < 15) {
		c = fib_find_chunk(v, fib_find_unit(c, leaf));
		leaf = fib_find_leaf(c, addr[++at]);
	}
	return fib_find_answer(v, c, leaf);
}

#endif
