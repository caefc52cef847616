/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of one chunk of a table image (fib_format.h). Pure functions; any thread. */
#ifndef TERN_LIB_FIB_FIB_CHUNK_H
#define TERN_LIB_FIB_FIB_CHUNK_H

#include "lib/fib/fib_format.h"

#define FIB_VALUES (1u << FIB_STRIDE)
/* A leaf in memory: an answer, or the unit of a chunk with this bit. */
#define FIB_LEAF_CHILD (1ull << 63)
/* Octets of the largest chunk: 256 leaves of 57 bits; a multiple of FIB_UNIT. */
#define FIB_CHUNK_MAX (sizeof(struct fib_chunk) + FIB_VALUES * 57 / 8 + FIB_UNIT)

/* fib_chunk_encode - encode the leaves of the 256 values of 8 address bits.
 * @out: room for FIB_CHUNK_MAX octets; octets behind the result up to a multiple of
 * FIB_UNIT are zero.
 * Returns: octets, a multiple of FIB_UNIT; 0: all leaves are one answer, nothing was
 * written. */
uint32_t fib_chunk_encode(void *out, const uint64_t leaf[FIB_VALUES]);

/* fib_chunk_octets - octets of an encoded chunk without the rest of the last unit. */
static inline uint32_t
fib_chunk_octets(const struct fib_chunk *c)
{
	uint32_t runs = 1u + c->before[3] + (uint32_t)__builtin_popcountll(c->start[3]);

	return (uint32_t)sizeof(*c) + (runs * c->width + 7) / 8;
}

#endif
