/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of one chunk, of octets and of keys of a table image (fib_format.h). Pure
 * functions; any thread. */
#ifndef TERN_LIB_FIB_FIB_CHUNK_H
#define TERN_LIB_FIB_FIB_CHUNK_H

#include "lib/fib/fib_format.h"
#include <stdbool.h>

struct fib;

/* Builds the chunk of a node below the keys. */
typedef bool (*fib_sweep_write)(
    struct fib *f, uint32_t node, uint64_t inherit, unsigned depth);

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

#define FIB_PARTS       4u
#define FIB_PART_VALUES (FIB_VALUES / FIB_PARTS)

/* fib_chunk_encode_octets - encode the answers of the 256 values as octets.
 * @ref: the reference without unit. @out: room for FIB_CHUNK_MAX octets.
 * Returns: octets, a multiple of FIB_UNIT; 0: a leaf is no answer of one octet, or all
 * leaves are one answer. */
uint32_t fib_chunk_encode_octets(
    void *out, uint64_t *ref, const uint64_t leaf[FIB_VALUES]);

/* Runs of numbers of 32 bits, see FIB_KEYS_MAX. @leaf[I] is the leaf of the numbers from
 * @key[I] on; @key[0] is 0. Owner: the builder. Freed by: fib_free. */
struct fib_sweep {
	uint32_t *key;
	uint64_t *leaf;
	uint32_t cnt, cap;
	fib_sweep_write write;
};

/* Octets of the largest keys: keys with their groups, and leaves of 57 bits. */
#define FIB_KEYS_OCTETS_MAX (FIB_KEYS_MAX * 12u)

/* fib_chunk_encode_keys - encode at least 2 and at most FIB_KEYS_MAX + 1 runs.
 * @ref: the reference without unit. @out: room for FIB_KEYS_OCTETS_MAX octets.
 * Returns: octets, a multiple of FIB_UNIT. */
uint32_t fib_chunk_encode_keys(void *out, uint64_t *ref, const struct fib_sweep *s);

/* fib_chunk_octets_len, fib_chunk_keys_len - octets of the octets at @from, of the keys
 * of @ref, without the rest of the last unit. */
static inline uint32_t
fib_chunk_octets_len(const uint8_t *from, uint64_t ref)
{
	uint32_t len = 0;

	for (unsigned i = 0; i < FIB_PARTS; i++) {
		uint32_t at = FIB_UNIT * (uint32_t)FIB_OCTETS_PART(ref, i * 64), end;
		uint64_t start;

		__builtin_memcpy(&start, from + at, sizeof(start));
		end = at + 9 + (uint32_t)__builtin_popcountll(start);
		len = end > len ? end : len;
	}
	return len;
}

static inline uint32_t
fib_chunk_keys_len(uint64_t ref)
{
	uint32_t cnt = FIB_KEYS_CNT(ref), keys = cnt;

	for (uint32_t n = cnt; n > FIB_KEYS_GROUP; keys += n)
		n = (n - 1) / FIB_KEYS_GROUP;
	return 4 * keys + ((cnt + 1) * FIB_KEYS_WIDTH(ref) + 7) / 8;
}

/* fib_chunk_octets - octets of an encoded chunk without the rest of the last unit. */
static inline uint32_t
fib_chunk_octets(const struct fib_chunk *c)
{
	uint32_t runs = 1u + c->before[3] + (uint32_t)__builtin_popcountll(c->start[3]);

	return (uint32_t)sizeof(*c) + (runs * c->width + 7) / 8;
}

#endif
