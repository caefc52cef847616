/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One lookup in a mapped image, without the check of the generation. The functions are
 * inline, so that each caller compiles the functions for the caller's instruction set.
 *
 * I1  No content of the file leads outside the mapping (fib_format.h, F7): references are
 *     masked by the size of their section, a chunk reads at most FIB_TAIL octets behind
 *     its start, and the loop of chunks ends with the address.
 *
 * Loop: any thread. Progress: wait-free. */
#ifndef TERN_LIB_FIB_FIB_FIND_H
#define TERN_LIB_FIB_FIB_FIND_H

#include "lib/fib/fib_format.h"
#include "lib/mt/mapped.h"
#include <stdbool.h>
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

#define FIB_INLINE static inline __attribute__((always_inline))

/* Where the sections of an image lie. Owner: the caller. Life: the mapping. */
struct fib_view {
	const uint64_t *slot;
	const uint8_t *chunk;
	uint32_t chunk_mask; /* units of FIB_CHUNK - 1 */
	bool plain; /* no fields: an answer is a next hop */
};

/* How a leaf is packed. Owner: the caller. Life: by value. */
struct fib_pack {
	unsigned width, child, hop_width, origin_width;
};

FIB_INLINE const void *
fib_find_at(const struct fib_view *v, uint64_t unit)
{
	return v->chunk + (unit & v->chunk_mask) * FIB_UNIT;
}

FIB_INLINE const struct fib_chunk *
fib_find_chunk(const struct fib_view *v, uint64_t unit)
{
	return fib_find_at(v, unit);
}

FIB_INLINE enum fib_kind
fib_find_kind(uint64_t ref)
{
	return (enum fib_kind)(ref >> FIB_KIND_SHIFT);
}

/* fib_find_has_keys - true if the word of a table refers to keys. */
FIB_INLINE bool
fib_find_has_keys(uint64_t ref)
{
	return __builtin_expect((int64_t)ref < 0, 1);
}

/* fib_find_bits - 64 bits of leaves from bit @bit on. */
FIB_INLINE uint64_t
fib_find_bits(const void *leaves, uint64_t bit)
{
	uint64_t leaf;

	__builtin_memcpy(&leaf, (const uint8_t *)leaves + bit / 8, sizeof(leaf));
	return leaf >> (bit % 8);
}

/* ---- chunks ---- */

/* fib_find_leaf - the leaf of the value @byte, with unspecified bits above the leaf. */
FIB_INLINE uint64_t
fib_find_leaf(const struct fib_chunk *c, unsigned byte)
{
	unsigned w = byte / 64, run;

	run = c->before[w] +
	      (unsigned)__builtin_popcountll(c->start[w] << (63 - byte % 64));
	return fib_find_bits(c + 1, run * c->width);
}

FIB_INLINE struct fib_pack
fib_find_pack(const struct fib_chunk *c)
{
	return (struct fib_pack){ c->width, c->child & 1, c->hop_width, c->origin_width };
}

/* fib_find_answer - the answer of a leaf that refers to no chunk. */
FIB_INLINE uint64_t
fib_find_answer(const struct fib_view *v, struct fib_pack p, uint64_t leaf)
{
	uint64_t hop, rest;

	leaf = (leaf & ((1ull << (p.width & 63)) - 1)) >> p.child;
	hop = leaf & ((1ull << (p.hop_width & 63)) - 1);
	if (v->plain)
		return hop;
	rest = leaf >> (p.hop_width & 63);
	return FIB_ANSWER(hop, rest & ((1ull << (p.origin_width & 63)) - 1),
	    rest >> (p.origin_width & 63));
}

FIB_INLINE bool
fib_find_is_child(struct fib_pack p, uint64_t leaf)
{
	return __builtin_expect(p.child & leaf & 1, 0);
}

FIB_INLINE uint64_t
fib_find_unit(struct fib_pack p, uint64_t leaf)
{
	return (leaf & ((1ull << (p.width & 63)) - 1)) >> 1;
}

/* fib_find_deep - the answer below the chunk at @unit for the octets @addr[@at] to
 * @addr[@last]. */
FIB_INLINE uint64_t
fib_find_deep(const struct fib_view *v, uint64_t unit, const uint8_t *addr, unsigned at,
    unsigned last)
{
	const struct fib_chunk *c = fib_find_chunk(v, unit);
	struct fib_pack p = fib_find_pack(c);
	uint64_t leaf = fib_find_leaf(c, addr[at]);

	while ((p.child & leaf & 1) && at < last) {
		c = fib_find_chunk(v, fib_find_unit(p, leaf));
		p = fib_find_pack(c);
		leaf = fib_find_leaf(c, addr[++at]);
	}
	return fib_find_answer(v, p, leaf);
}

/* ---- IPv4 ---- */

FIB_INLINE bool
fib_find_has_octets(uint64_t slot)
{
	return (int64_t)slot < 0;
}

/* fib_find_part - where the octets of the part of an IPv4 address begin, or a chunk. */
FIB_INLINE const uint8_t *
fib_find_part(const struct fib_view *v, uint64_t ref, uint32_t addr)
{
	return fib_find_at(v, ref + FIB_OCTETS_PART(ref, addr >> 8));
}

FIB_INLINE uint64_t
fib_find_octet(const uint8_t *part, uint32_t addr)
{
	uint64_t start;

	__builtin_memcpy(&start, part, sizeof(start));
	return part[8 + __builtin_popcountll(start << (63 - (addr >> 8) % 64))];
}

/* fib_find4_slow - the answer of a slot that does not refer to octets. */
FIB_INLINE uint64_t
fib_find4_slow(const struct fib_view *v, uint64_t slot, uint32_t addr)
{
	const struct fib_chunk *c;
	struct fib_pack p;
	uint64_t leaf;

	if (!(slot >> FIB_KIND_SHIFT))
		return slot;
	c = fib_find_chunk(v, slot);
	p = fib_find_pack(c);
	leaf = fib_find_leaf(c, addr >> 8 & 255);
	if (fib_find_is_child(p, leaf)) {
		c = fib_find_chunk(v, fib_find_unit(p, leaf));
		p = fib_find_pack(c);
		leaf = fib_find_leaf(c, addr & 255);
	}
	return fib_find_answer(v, p, leaf);
}

/* fib_find4 - the answer for an IPv4 address in host order. */
FIB_INLINE uint64_t
fib_find4(const struct fib_view *v, uint32_t addr)
{
	uint64_t slot = mapped_load_acquire64(&v->slot[addr >> 16]);

	if (fib_find_has_octets(slot))
		return fib_find_octet(fib_find_part(v, slot, addr), addr);
	return fib_find4_slow(v, slot, addr);
}

/* ---- IPv6 ---- */

FIB_INLINE uint32_t
fib_find_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The lists of a chunk of keys. Owner: the caller. Life: by value. */
struct fib_keys {
	const int32_t *key,
	    *first[2]; /* keys, first keys of groups, of groups of those */
	const int32_t *top; /* the list above first[1] */
	const void *leaves;
	uint32_t cnt, first_cnt[2], top_cnt;
};

FIB_INLINE struct fib_keys
fib_find_lists(const int32_t *key, uint32_t cnt)
{
	struct fib_keys k = { .key = key, .cnt = cnt };
	uint32_t a = (cnt - 1) / FIB_KEYS_GROUP;
	uint32_t b = (a - (a != 0)) / FIB_KEYS_GROUP;

	k.first_cnt[0] = a;
	k.first_cnt[1] = b;
	k.top_cnt = (b - (b != 0)) / FIB_KEYS_GROUP;
	k.first[0] = k.key + k.cnt;
	k.first[1] = k.first[0] + a;
	k.top = k.first[1] + b;
	k.leaves = k.top + k.top_cnt;
	return k;
}

FIB_INLINE struct fib_keys
fib_find_keys(const struct fib_view *v, uint64_t ref)
{
	return fib_find_lists(fib_find_at(v, ref), FIB_KEYS_CNT(ref));
}

FIB_INLINE const void *
fib_find_leaves(const int32_t *key, uint32_t cnt)
{
	return fib_find_lists(key, cnt).leaves;
}

/* fib_find_search - the number of the @cnt keys that are not above @key, if the number
 * is at least @from and at most @from + 16. Octets behind the keys may have any value. */
FIB_INLINE uint32_t
fib_find_search(const int32_t *k, uint32_t cnt, uint32_t from, int32_t key)
{
#if defined(__AVX512F__)
	uint32_t above = _mm512_cmpgt_epi32_mask(
	    _mm512_loadu_si512(k + from), _mm512_set1_epi32(key));

	return fib_find_min(from + (uint32_t)__builtin_ctz(above | 0x10000), cnt);
#elif defined(__AVX2__)
	const __m256i *at = (const void *)(k + from);
	__m256i x = _mm256_set1_epi32(key);
	__m256i a = _mm256_cmpgt_epi32(_mm256_loadu_si256(at), x);
	__m256i b = _mm256_cmpgt_epi32(_mm256_loadu_si256(at + 1), x);
	uint32_t above = (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
			 (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << 8;

	return fib_find_min(from + (uint32_t)__builtin_ctz(above | 0x10000), cnt);
#else
	uint32_t n = fib_find_min(cnt - fib_find_min(from, cnt), FIB_KEYS_GROUP);

	while (n) {
		uint32_t half = (n + 1) / 2;
		bool below = k[from + half - 1] <= key;

		from += below ? half : 0;
		n = below ? n - half : half - 1;
	}
	return fib_find_min(from, cnt);
#endif
}

/* fib_find_group - the first key of the group that decides @key. The number of levels
 * causes no branch: a list without keys gives group 0. */
FIB_INLINE uint32_t
fib_find_group(const struct fib_keys *k, int32_t key)
{
	uint32_t i = 0;

	if (__builtin_expect(k->top_cnt, 0))
		i = FIB_KEYS_GROUP * fib_find_search(k->top, k->top_cnt, 0, key);
	i = FIB_KEYS_GROUP * fib_find_search(k->first[1], k->first_cnt[1], i, key);
	return FIB_KEYS_GROUP * fib_find_search(k->first[0], k->first_cnt[0], i, key);
}

FIB_INLINE int32_t
fib_find_key(const uint8_t *addr)
{
	uint32_t key;

	__builtin_memcpy(&key, addr + 3, sizeof(key));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	key = __builtin_bswap32(key);
#endif
	return (int32_t)(key ^ FIB_KEYS_FLIP);
}

/* fib_find_run - the answer of run @run of the keys of @ref. */
FIB_INLINE uint64_t
fib_find_run(const struct fib_view *v, uint64_t ref, const void *leaves, uint32_t run,
    const uint8_t *addr)
{
	struct fib_pack p = { FIB_KEYS_WIDTH(ref), FIB_KEYS_CHILD(ref), FIB_KEYS_HOP(ref),
		FIB_KEYS_ORIGIN(ref) };
	uint64_t leaf = fib_find_bits(leaves, (uint64_t)run * p.width);

	if (fib_find_is_child(p, leaf))
		return fib_find_deep(v, fib_find_unit(p, leaf), addr, 7, 15);
	return fib_find_answer(v, p, leaf);
}

/* fib_find6_entry - the word that decides @addr behind slot and table. */
FIB_INLINE uint64_t
fib_find6_entry(const struct fib_view *v, const uint8_t *addr)
{
	uint64_t slot = mapped_load_acquire64(&v->slot[(unsigned)addr[0] << 8 | addr[1]]);
	const uint64_t *table = fib_find_at(v, slot);

	return __builtin_expect(slot >> FIB_KIND_SHIFT, 1) ? table[addr[2]] : slot;
}

FIB_INLINE uint64_t
fib_find6_slow(const struct fib_view *v, uint64_t entry, const uint8_t *addr)
{
	if (!(entry >> FIB_KIND_SHIFT))
		return entry;
	return fib_find_deep(v, entry, addr, 3, 15);
}

/* fib_find6 - the answer for an IPv6 address of 16 octets in network order. */
FIB_INLINE uint64_t
fib_find6(const struct fib_view *v, const uint8_t *addr)
{
	uint64_t entry = fib_find6_entry(v, addr);
	int32_t key = fib_find_key(addr);
	struct fib_keys k;

	if (!fib_find_has_keys(entry))
		return fib_find6_slow(v, entry, addr);
	k = fib_find_keys(v, entry);
	return fib_find_run(v, entry, k.leaves,
	    fib_find_search(k.key, k.cnt, fib_find_group(&k, key), key), addr);
}

#endif
