/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bulks of lookups for AVX-512 (with VL, DQ, BW and VPOPCNTDQ): 4 addresses share each
 * instruction of the arithmetic, and plain loads fetch the words of the image, because
 * gather instructions were slower. ternfib_avx512.c includes the header.
 *
 * A bulk has passes, as in ternfib_code.h. A lane is the place of an address in a vector.
 * Lanes that need another form get any answer first, and a bit of `odd`; the end of the
 * bulk looks their addresses up one by one.
 *
 * I1  A lane that needs another form also reads inside the mapping: the unit of each word
 *     is masked, and each list has at most FIB_TAIL octets.
 *
 * Loop: the thread that owns the handle. */
#ifndef TERN_LIB_FIB_TERNFIB_LANES_H
#define TERN_LIB_FIB_TERNFIB_LANES_H

#include "lib/fib/fib_find.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/ternfib_code.h"
#include "lib/mt/mapped.h"

#define TERNFIB_LANES 4u
#define TERNFIB_ALIGN _Alignas(32)

/* ternfib_lanes_get, ternfib_lanes_put - 4 words of an array. */
FIB_INLINE __m256i
ternfib_lanes_get(const uint64_t *from)
{
	return _mm256_load_si256((const void *)from);
}

FIB_INLINE void
ternfib_lanes_put(uint64_t *to, __m256i v)
{
	_mm256_store_si256((void *)to, v);
}

FIB_INLINE __m256i
ternfib_lanes_all(uint64_t v)
{
	return _mm256_set1_epi64x((long long)v);
}

FIB_INLINE __m256i
ternfib_lanes_four(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return _mm256_set_epi64x((long long)d, (long long)c, (long long)b, (long long)a);
}

/* ternfib_lanes_at - the word at the address @at, with any alignment. */
FIB_INLINE uint64_t
ternfib_lanes_at(uint64_t at)
{
	uint64_t word;

	__builtin_memcpy(&word, (const void *)(uintptr_t)at, sizeof(word));
	return word;
}

/* ternfib_lanes_words - the words at 4 addresses. */
FIB_INLINE __m256i
ternfib_lanes_words(const uint64_t at[TERNFIB_LANES])
{
	return ternfib_lanes_four(ternfib_lanes_at(at[0]), ternfib_lanes_at(at[1]),
	    ternfib_lanes_at(at[2]), ternfib_lanes_at(at[3]));
}

FIB_INLINE void
ternfib_lanes_fetch(const uint64_t at[TERNFIB_LANES])
{
#pragma GCC unroll 4
	for (unsigned j = 0; j < TERNFIB_LANES; j++)
		__builtin_prefetch((const void *)(uintptr_t)at[j]);
}

/* ternfib_lanes_low - the low @width bits of each lane. */
FIB_INLINE __m256i
ternfib_lanes_low(__m256i v, __m256i width)
{
	return _mm256_andnot_si256(_mm256_sllv_epi64(ternfib_lanes_all(~0ull), width), v);
}

/* ternfib_lanes_field - @bits bits of each lane from bit @shift on. */
FIB_INLINE __m256i
ternfib_lanes_field(__m256i v, int shift, uint64_t mask)
{
	return _mm256_and_si256(_mm256_srli_epi64(v, shift), ternfib_lanes_all(mask));
}

/* The widths of packed leaves, see struct fib_pack. Owner: the caller. Life: by value. */
struct ternfib_packs {
	__m256i width, child, hop, origin;
};

/* ternfib_lanes_answer - the answers of leaves that refer to no chunk. */
FIB_INLINE __m256i
ternfib_lanes_answer(bool plain, struct ternfib_packs p, __m256i leaf)
{
	__m256i hop, rest, origin;

	leaf = _mm256_srlv_epi64(ternfib_lanes_low(leaf, p.width), p.child);
	hop = ternfib_lanes_low(leaf, p.hop);
	if (plain)
		return hop;
	rest = _mm256_srlv_epi64(leaf, p.hop);
	origin = _mm256_slli_epi64(ternfib_lanes_low(rest, p.origin), FIB_HOP_BITS);
	rest = _mm256_slli_epi64(
	    _mm256_srlv_epi64(rest, p.origin), FIB_HOP_BITS + FIB_ORIGIN_BITS);
	return _mm256_or_si256(hop, _mm256_or_si256(origin, rest));
}

/* ---- IPv4 ---- */

/* Addresses of a bulk. Owner: the call. Life: the call; on the stack, nothing to free. */
struct ternfib_lanes4 {
	TERNFIB_ALIGN uint64_t slot[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t at[TERNFIB_BULK]; /* a part, or a chunk */
	TERNFIB_ALIGN uint64_t word[TERNFIB_BULK]; /* the word with the starts of runs */
	TERNFIB_ALIGN uint64_t leaf[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t shift[TERNFIB_BULK];
};

/* ternfib_lanes_slots2 - the slots of 2 addresses. The processor loads each word of 64
 * bits at once; the caller keeps later loads behind these loads (mapped_fence_acquire).
 * An atomic load of C would pass through another register. */
FIB_INLINE __m128i
ternfib_lanes_slots2(const struct fib_view *v, const uint32_t *addr)
{
	__m128d low = _mm_load_sd((const double *)(const void *)&v->slot[addr[0] >> 16]);

	return _mm_castpd_si128(
	    _mm_loadh_pd(low, (const double *)(const void *)&v->slot[addr[1] >> 16]));
}

FIB_INLINE __m256i
ternfib_lanes_slots4(const struct fib_view *v, const uint32_t *addr)
{
	__m256i slots = _mm256_set_m128i(
	    ternfib_lanes_slots2(v, addr + 2), ternfib_lanes_slots2(v, addr));

	mapped_fence_acquire();
	return slots;
}

FIB_INLINE __m256i
ternfib_lanes_addr4(const uint32_t *addr)
{
	return _mm256_cvtepu32_epi64(_mm_loadu_si128((const void *)addr));
}

/* ternfib_lanes_unit - where the units of references begin. */
FIB_INLINE __m256i
ternfib_lanes_unit(const struct fib_view *v, __m256i ref)
{
	ref = _mm256_and_si256(ref, ternfib_lanes_all(v->chunk_mask));
	return _mm256_add_epi64(
	    _mm256_slli_epi64(ref, 3), ternfib_lanes_all((uint64_t)(uintptr_t)v->chunk));
}

/* ternfib_lanes_refers - the lanes whose words are no answers. */
FIB_INLINE __mmask8
ternfib_lanes_refers(__m256i word)
{
	return _mm256_test_epi64_mask(word, ternfib_lanes_all(7ull << FIB_KIND_SHIFT));
}

/* ternfib_lanes_runs - the number of starts of runs up to the value of each address. */
FIB_INLINE __m256i
ternfib_lanes_runs(__m256i start, __m256i addr)
{
	__m256i value = _mm256_srli_epi64(addr, 8);

	return _mm256_popcnt_epi64(
	    _mm256_sllv_epi64(start, _mm256_andnot_si256(value, ternfib_lanes_all(63))));
}

/* ternfib_lanes_odd4 - the addresses of @odd, one by one. */
FIB_INLINE void
ternfib_lanes_odd4(const struct fib_view *v, uint64_t *out, const uint32_t *addr,
    const uint64_t *slot, uint64_t odd)
{
	for (; odd; odd &= odd - 1) {
		unsigned i = (unsigned)__builtin_ctzll(odd);

		out[i] = fib_find4_slow(v, slot[i], addr[i]);
	}
}

/* ternfib_lanes_octets4 - @n addresses (a multiple of TERNFIB_LANES) of an image without
 * fields. */
FIB_INLINE void
ternfib_lanes_octets4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	struct ternfib_lanes4 w;
	uint64_t odd = 0;

	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i slot = ternfib_lanes_slots4(v, addr + i);
		__m256i part = ternfib_lanes_field(ternfib_lanes_addr4(addr + i), 11, 24);

		part = _mm256_srlv_epi64(_mm256_srli_epi64(slot, 32), part);
		part = _mm256_and_si256(part, ternfib_lanes_all(31));
		ternfib_lanes_put(w.slot + i, slot);
		ternfib_lanes_put(
		    w.at + i, ternfib_lanes_unit(v, _mm256_add_epi64(slot, part)));
		ternfib_lanes_fetch(w.at + i);
	}
	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i run = ternfib_lanes_runs(
		    ternfib_lanes_words(w.at + i), ternfib_lanes_addr4(addr + i));

		ternfib_lanes_put(
		    w.leaf + i, _mm256_add_epi64(ternfib_lanes_get(w.at + i), run));
	}
	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i slot = ternfib_lanes_get(w.slot + i);
		const uint8_t *octet[TERNFIB_LANES];
		unsigned other = (unsigned)_mm256_movepi64_mask(slot) ^ 15;

#pragma GCC unroll 4
		for (unsigned j = 0; j < TERNFIB_LANES; j++)
			octet[j] = (const uint8_t *)(uintptr_t)w.leaf[i + j] + 8;
		if (__builtin_expect(!other, 1)) {
#pragma GCC unroll 4
			for (unsigned j = 0; j < TERNFIB_LANES; j++)
				out[i + j] = *octet[j];
			continue;
		}
		_mm256_storeu_si256((void *)(out + i),
		    _mm256_mask_mov_epi64(
			ternfib_lanes_four(*octet[0], *octet[1], *octet[2], *octet[3]),
			(__mmask8)other, slot));
		other &= ternfib_lanes_refers(slot);
		odd |= (uint64_t)other << i;
	}
	ternfib_lanes_odd4(v, out, addr, w.slot, odd);
}

/* ternfib_lanes_chunks4 - @n addresses (a multiple of TERNFIB_LANES) of an image whose
 * blocks are chunks. */
FIB_INLINE void
ternfib_lanes_chunks4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	struct ternfib_lanes4 w;
	uint64_t odd = 0;

	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i slot = ternfib_lanes_slots4(v, addr + i);
		__m256i word = ternfib_lanes_field(ternfib_lanes_addr4(addr + i), 11, 24);
		__m256i chunk;

		/* an answer leads to unit 0, which is in the caches */
		chunk = ternfib_lanes_unit(
		    v, _mm256_maskz_mov_epi64(ternfib_lanes_refers(slot), slot));

		ternfib_lanes_put(w.slot + i, slot);
		ternfib_lanes_put(
		    w.at + i, _mm256_add_epi64(chunk,
				  ternfib_lanes_all(offsetof(struct fib_chunk, before))));
		ternfib_lanes_put(w.word + i, _mm256_add_epi64(chunk, word));
		ternfib_lanes_fetch(w.word + i);
		ternfib_lanes_fetch(w.at + i);
	}
	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i a = ternfib_lanes_addr4(addr + i);
		__m256i pack = ternfib_lanes_words(w.at + i), bit, leaf;

		/* before[] are the low octets of the word */
		bit = _mm256_srlv_epi64(pack, ternfib_lanes_field(a, 11, 24));
		bit = _mm256_and_si256(bit, ternfib_lanes_all(255));
		bit = _mm256_add_epi64(
		    bit, ternfib_lanes_runs(ternfib_lanes_words(w.word + i), a));
		bit = _mm256_mul_epu32(bit, ternfib_lanes_field(pack, 32, 255));
		leaf = _mm256_add_epi64(ternfib_lanes_get(w.at + i),
		    _mm256_add_epi64(
			ternfib_lanes_all(sizeof(uint64_t)), _mm256_srli_epi64(bit, 3)));
		ternfib_lanes_put(w.leaf + i, leaf);
		ternfib_lanes_put(w.at + i, pack);
		ternfib_lanes_put(
		    w.shift + i, _mm256_and_si256(bit, ternfib_lanes_all(7)));
		ternfib_lanes_fetch(w.leaf + i);
	}
	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		__m256i slot = ternfib_lanes_get(w.slot + i), pack, leaf;
		struct ternfib_packs p;
		__mmask8 chunk, child;

		pack = ternfib_lanes_get(w.at + i);
		p.width = ternfib_lanes_field(pack, 32, 63);
		p.child = ternfib_lanes_field(pack, 40, 1);
		p.hop = ternfib_lanes_field(pack, 48, 63);
		p.origin = ternfib_lanes_field(pack, 56, 63);
		leaf = _mm256_srlv_epi64(
		    ternfib_lanes_words(w.leaf + i), ternfib_lanes_get(w.shift + i));
		chunk = ternfib_lanes_refers(slot);
		child = chunk & _mm256_test_epi64_mask(leaf, p.child);
		_mm256_storeu_si256(
		    (void *)(out + i), _mm256_mask_mov_epi64(slot, chunk,
					   ternfib_lanes_answer(false, p, leaf)));
		odd |= (uint64_t)child << i;
	}
	ternfib_lanes_odd4(v, out, addr, w.slot, odd);
}

FIB_INLINE void
ternfib_lanes_bulk4(
    const struct fib_view *v, uint64_t *out, const uint32_t *addr, size_t n)
{
	const struct fib_view view = *v; /* stores into @out do not change the view */
	size_t whole = n - n % TERNFIB_LANES;

	if (view.plain)
		ternfib_lanes_octets4(&view, out, addr, whole);
	else
		ternfib_lanes_chunks4(&view, out, addr, whole);
	if (whole < n)
		ternfib_code_bulk4(v, out + whole, addr + whole, n - whole);
}

/* ---- IPv6 ---- */

/* Addresses of a bulk and their keys (fib_format.h). Owner: the call. Life: the call; on
 * the stack, nothing to free. */
struct ternfib_lanes6 {
	TERNFIB_ALIGN uint64_t entry[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t keys[TERNFIB_BULK]; /* the addresses of the lists */
	TERNFIB_ALIGN uint64_t first[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t second[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t leaves[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t cnt[TERNFIB_BULK]; /* keys in the lists */
	TERNFIB_ALIGN uint64_t first_cnt[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t second_cnt[TERNFIB_BULK];
	TERNFIB_ALIGN uint64_t at[TERNFIB_BULK]; /* the group to search, or a leaf */
	TERNFIB_ALIGN uint64_t from[TERNFIB_BULK]; /* the number of its first key */
	TERNFIB_ALIGN uint64_t shift[TERNFIB_BULK]; /* bits before the leaf */
	int32_t key[TERNFIB_BULK];
};

/* ternfib_lanes_groups - the number of groups of @cnt keys without group 0. */
FIB_INLINE __m256i
ternfib_lanes_groups(__m256i cnt)
{
	return _mm256_srli_epi64(_mm256_subs_epu16(cnt, ternfib_lanes_all(1)), 4);
}

/* ternfib_lanes_lists - the lists of keys of the 4 entries @e. Returns: the lanes with a
 * fourth list. */
FIB_INLINE unsigned
ternfib_lanes_lists(
    const struct fib_view *v, struct ternfib_lanes6 *w, size_t i, __m256i e)
{
	__m256i cnt = ternfib_lanes_field(e, 28, 0xffff);
	__m256i first = ternfib_lanes_groups(cnt);
	__m256i second = ternfib_lanes_groups(first);
	__m256i top = ternfib_lanes_groups(second);
	__m256i at = ternfib_lanes_unit(v, e);

	ternfib_lanes_put(w->cnt + i, cnt);
	ternfib_lanes_put(w->first_cnt + i, first);
	ternfib_lanes_put(w->second_cnt + i, second);
	ternfib_lanes_put(w->keys + i, at);
	at = _mm256_add_epi64(at, _mm256_slli_epi64(cnt, 2));
	ternfib_lanes_put(w->first + i, at);
	at = _mm256_add_epi64(at, _mm256_slli_epi64(first, 2));
	ternfib_lanes_put(w->second + i, at);
	at = _mm256_add_epi64(at, _mm256_slli_epi64(_mm256_add_epi64(second, top), 2));
	ternfib_lanes_put(w->leaves + i, at);
	ternfib_lanes_fetch(w->second + i);
	return _mm256_test_epi64_mask(top, top);
}

/* ternfib_lanes_above - the keys of the group at @at that are above @key, as bits. */
FIB_INLINE __mmask16
ternfib_lanes_above(uint64_t at, int32_t key)
{
	return _mm512_cmplt_epi32_mask(
	    _mm512_set1_epi32(key), _mm512_loadu_si512((const void *)(uintptr_t)at));
}

/* ternfib_lanes_search - the number of keys not above each key among the keys of a group
 * and before, of @cnt keys. @at: the groups; @from: the numbers of their first keys. */
FIB_INLINE __m256i
ternfib_lanes_search(const uint64_t at[TERNFIB_LANES], const int32_t key[TERNFIB_LANES],
    __m256i from, __m256i cnt)
{
	__mmask32 low = _mm512_kunpackw(
	    ternfib_lanes_above(at[1], key[1]), ternfib_lanes_above(at[0], key[0]));
	__mmask32 high = _mm512_kunpackw(
	    ternfib_lanes_above(at[3], key[3]), ternfib_lanes_above(at[2], key[2]));
	__m256i above, below;

	above = _mm256_cvtepu16_epi64(
	    _mm_cvtsi64_si128((long long)_mm512_kunpackd(high, low)));
	above = _mm256_or_si256(above, ternfib_lanes_all(0x10000));
	/* the zeros below the lowest bit */
	below = _mm256_popcnt_epi64(_mm256_andnot_si256(
	    above, _mm256_add_epi64(above, ternfib_lanes_all(~0ull))));
	return _mm256_min_epu32(_mm256_add_epi64(from, below), cnt);
}

/* ternfib_lanes_step - search 4 groups of a list of @cnt keys, and name the groups of the
 * list @next. */
FIB_INLINE void
ternfib_lanes_step(struct ternfib_lanes6 *w, size_t i, __m256i from, const uint64_t *cnt,
    const uint64_t *next)
{
	__m256i group = ternfib_lanes_search(
	    w->at + i, w->key + i, from, ternfib_lanes_get(cnt + i));

	ternfib_lanes_put(w->at + i,
	    _mm256_add_epi64(ternfib_lanes_get(next + i), _mm256_slli_epi64(group, 6)));
	ternfib_lanes_put(w->from + i, _mm256_slli_epi64(group, 4));
}

/* ternfib_lanes_tall - entry @i has a fourth list. */
FIB_INLINE void
ternfib_lanes_tall(struct ternfib_lanes6 *w, unsigned i)
{
	struct fib_keys k = fib_find_lists(
	    (const int32_t *)(uintptr_t)w->keys[i], (uint32_t)w->cnt[i]);
	uint32_t group = FIB_KEYS_GROUP * fib_find_search(k.top, k.top_cnt, 0, w->key[i]);

	group = FIB_KEYS_GROUP *
		fib_find_search(k.first[1], k.first_cnt[1], group, w->key[i]);
	w->from[i] = group;
	w->at[i] = w->first[i] + sizeof(int32_t) * group;
}

/* ternfib_lanes_place - the leaves of 4 runs. */
FIB_INLINE void
ternfib_lanes_place(struct ternfib_lanes6 *w, size_t i)
{
	__m256i run = ternfib_lanes_search(w->at + i, w->key + i,
	    ternfib_lanes_get(w->from + i), ternfib_lanes_get(w->cnt + i));
	__m256i width = ternfib_lanes_field(ternfib_lanes_get(w->entry + i), 44, 63);
	__m256i bit = _mm256_mul_epu32(run, width);

	ternfib_lanes_put(w->at + i, _mm256_add_epi64(ternfib_lanes_get(w->leaves + i),
					 _mm256_srli_epi64(bit, 3)));
	ternfib_lanes_put(w->shift + i, _mm256_and_si256(bit, ternfib_lanes_all(7)));
}

/* ternfib_lanes_leaves - the answers of 4 entries. Returns: the lanes that refer to
 * chunks. */
FIB_INLINE unsigned
ternfib_lanes_leaves(const struct ternfib_lanes6 *w, uint64_t *out, size_t i, bool plain)
{
	__m256i e = ternfib_lanes_get(w->entry + i), leaf;
	__mmask8 keys = _mm256_movepi64_mask(e);
	struct ternfib_packs p;

	p.width = ternfib_lanes_field(e, 44, 63);
	p.child = ternfib_lanes_field(e, 50, 1);
	p.hop = ternfib_lanes_field(e, 51, 31);
	p.origin = ternfib_lanes_field(e, 56, 31);
	leaf = _mm256_srlv_epi64(
	    ternfib_lanes_words(w->at + i), ternfib_lanes_get(w->shift + i));
	_mm256_storeu_si256((void *)(out + i),
	    _mm256_mask_mov_epi64(e, keys, ternfib_lanes_answer(plain, p, leaf)));
	return (unsigned)_mm256_mask_test_epi64_mask(keys, leaf, p.child) |
	       (ternfib_lanes_refers(e) & (unsigned)~keys);
}

/* ternfib_lanes_entries6 - the words that decide 4 addresses behind slots and tables. The
 * function reads a table also for a slot without a table, because a branch on mixed slots
 * would be mispredicted. */
FIB_INLINE __m256i
ternfib_lanes_entries6(const struct fib_view *v, const uint8_t *addr)
{
	TERNFIB_ALIGN uint64_t slot[TERNFIB_LANES], entry[TERNFIB_LANES];
	__m256i slots;

#pragma GCC unroll 4
	for (unsigned j = 0; j < TERNFIB_LANES; j++) {
		const uint8_t *a = addr + 16 * j;
		const uint64_t *table;

		slot[j] = mapped_load_acquire64(&v->slot[(unsigned)a[0] << 8 | a[1]]);
		table = fib_find_at(v, slot[j]);
		entry[j] = table[a[2]];
	}
	slots = ternfib_lanes_four(slot[0], slot[1], slot[2], slot[3]);
	return _mm256_mask_mov_epi64(slots, ternfib_lanes_refers(slots),
	    ternfib_lanes_four(entry[0], entry[1], entry[2], entry[3]));
}

/* ternfib_lanes_keys6 - @n addresses, a multiple of TERNFIB_LANES. All addresses search
 * the first three lists: a list without keys gives group 0. */
FIB_INLINE void
ternfib_lanes_keys6(
    const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	struct ternfib_lanes6 w;
	uint64_t odd = 0, tall = 0;

	for (size_t i = 0; i < n; i += TERNFIB_LANES) {
		const uint8_t *a = addr + 16 * i;
		__m256i e = ternfib_lanes_entries6(v, a);

#pragma GCC unroll 4
		for (unsigned j = 0; j < TERNFIB_LANES; j++)
			w.key[i + j] = fib_find_key(a + 16 * j);
		ternfib_lanes_put(w.entry + i, e);
		/* a word without keys leads to unit 0, with empty lists */
		e = _mm256_maskz_mov_epi64(_mm256_movepi64_mask(e), e);
		tall |= (uint64_t)ternfib_lanes_lists(v, &w, i, e) << i;
		ternfib_lanes_put(w.at + i, ternfib_lanes_get(w.second + i));
	}
	for (size_t i = 0; i < n; i += TERNFIB_LANES)
		ternfib_lanes_step(&w, i, _mm256_setzero_si256(), w.second_cnt, w.first);
	for (; __builtin_expect(tall != 0, 0); tall &= tall - 1)
		ternfib_lanes_tall(&w, (unsigned)__builtin_ctzll(tall));
	for (size_t i = 0; i < n; i += TERNFIB_LANES)
		ternfib_lanes_step(
		    &w, i, ternfib_lanes_get(w.from + i), w.first_cnt, w.keys);
	for (size_t i = 0; i < n; i += TERNFIB_LANES)
		ternfib_lanes_place(&w, i);
	if (v->plain)
		for (size_t i = 0; i < n; i += TERNFIB_LANES)
			odd |= (uint64_t)ternfib_lanes_leaves(&w, out, i, true) << i;
	else
		for (size_t i = 0; i < n; i += TERNFIB_LANES)
			odd |= (uint64_t)ternfib_lanes_leaves(&w, out, i, false) << i;
	for (; odd; odd &= odd - 1) {
		unsigned i = (unsigned)__builtin_ctzll(odd);

		out[i] = fib_find6(v, addr + 16ul * i);
	}
}

FIB_INLINE void
ternfib_lanes_bulk6(
    const struct fib_view *v, uint64_t *out, const uint8_t *addr, size_t n)
{
	const struct fib_view view = *v;
	size_t whole = n - n % TERNFIB_LANES;

	ternfib_lanes_keys6(&view, out, addr, whole);
	if (whole < n)
		ternfib_code_bulk6(v, out + whole, addr + 16 * whole, n - whole);
}

#endif
