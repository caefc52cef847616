/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing bit set. Range functions work by whole words: a range of 500 net ids is eight
 * words. A segment is cheap for each reader for this reason.
 *
 * The loop that owns the bit set calls the functions. */
#include "lib/base/bitmap.h"

void
bitmap_init(struct bitmap *b, enum mem_tag tag)
{
	*b = (struct bitmap){ .tag = tag };
}

void
bitmap_fini(struct bitmap *b)
{
	bitmap_clear_all(b);
}

void
bitmap_clear_all(struct bitmap *b)
{
	mem_free(b->tag, b->word);
	b->word = NULL;
	b->word_cnt = 0;
}

void
bitmap_grow(struct bitmap *b, uint32_t bit_cnt)
{
	uint32_t need = bit_cnt / 64 + (bit_cnt % 64 != 0);
	uint32_t cnt = b->word_cnt ? b->word_cnt : 8;

	if (need <= b->word_cnt)
		return;
	while (cnt < need)
		cnt *= 2;
	b->word = mem_realloc(b->tag, b->word, cnt, sizeof(*b->word));
	memset(b->word + b->word_cnt, 0, (size_t)(cnt - b->word_cnt) * sizeof(*b->word));
	b->word_cnt = cnt;
}

/* bitmap_range_mask - the bits of word @w that lie in [@from, @end). @from < @end, and
 * @w has some. */
static uint64_t
bitmap_range_mask(uint32_t w, uint32_t from, uint64_t end)
{
	uint64_t m = ~0ull;

	if (w == from / 64)
		m <<= from % 64;
	if (w == end / 64)
		m &= ~(~0ull << (end % 64));
	return m;
}

/* bitmap_range_end - the end of the part of the range within the words; @from: no
 * part. */
static uint64_t
bitmap_range_end(const struct bitmap *b, uint32_t from, uint32_t cnt)
{
	uint64_t end = min_u64((uint64_t)from + cnt, (uint64_t)b->word_cnt * 64);

	return end > from ? end : from;
}

static uint32_t
bitmap_last_word(uint64_t end)
{
	return (uint32_t)((end - 1) / 64);
}

/* bitmap_ones - number of bits of @m that are 1. @m is a subset of @asked; most calls
 * have none or all of @asked. */
static uint32_t
bitmap_ones(uint64_t m, uint64_t asked, uint32_t asked_cnt)
{
	if (m == asked)
		return asked_cnt;
	return m ? (uint32_t)__builtin_popcountll(m) : 0;
}

/* bitmap_within - true if @cnt bits (at least one) from @from on lie in one word. */
static bool
bitmap_within(uint32_t from, uint32_t cnt)
{
	return from % 64 + (uint64_t)cnt <= 64;
}

static uint64_t
bitmap_word_mask(uint32_t from, uint32_t cnt)
{
	return ~0ull >> (64 - cnt) << (from % 64);
}

uint32_t
bitmap_set_range(struct bitmap *b, uint32_t from, uint32_t cnt)
{
	uint64_t end = (uint64_t)from + cnt, m, fresh;
	uint32_t changed = 0;

	if (cnt == 0)
		return 0;
	ASSERT(end <= UINT32_MAX);
	if (unlikely(bitmap_last_word(end) >= b->word_cnt))
		bitmap_grow(b, (uint32_t)end);
	if (likely(bitmap_within(from, cnt))) { /* the few nets of one set */
		m = bitmap_word_mask(from, cnt);
		fresh = m & ~b->word[from / 64];
		b->word[from / 64] |= m;
		return bitmap_ones(fresh, m, cnt);
	}
	for (uint32_t w = from / 64; w <= bitmap_last_word(end); w++) {
		m = bitmap_range_mask(w, from, end) & ~b->word[w];
		changed += (uint32_t)__builtin_popcountll(m);
		b->word[w] |= m;
	}
	return changed;
}

uint32_t
bitmap_clear_range(struct bitmap *b, uint32_t from, uint32_t cnt)
{
	uint64_t end = bitmap_range_end(b, from, cnt), m, old;
	uint32_t changed = 0;

	if (end == from)
		return 0;
	if (likely(bitmap_within(from, cnt))) {
		m = bitmap_word_mask(from, cnt);
		old = m & b->word[from / 64];
		b->word[from / 64] &= ~m;
		return bitmap_ones(old, m, cnt);
	}
	for (uint32_t w = from / 64; w <= bitmap_last_word(end); w++) {
		m = bitmap_range_mask(w, from, end) & b->word[w];
		changed += (uint32_t)__builtin_popcountll(m);
		b->word[w] &= ~m;
	}
	return changed;
}

uint32_t
bitmap_count_range(const struct bitmap *b, uint32_t from, uint32_t cnt)
{
	uint64_t end = bitmap_range_end(b, from, cnt), m;
	uint32_t sum = 0;

	if (end == from)
		return 0;
	if (likely(bitmap_within(from, cnt))) {
		m = bitmap_word_mask(from, cnt);
		return bitmap_ones(b->word[from / 64] & m, m, cnt);
	}
	for (uint32_t w = from / 64; w <= bitmap_last_word(end); w++)
		sum += (uint32_t)__builtin_popcountll(
		    b->word[w] & bitmap_range_mask(w, from, end));
	return sum;
}

uint32_t
bitmap_next(const struct bitmap *b, uint32_t from)
{
	uint32_t w = from / 64;
	uint64_t v;

	if (w >= b->word_cnt)
		return UINT32_MAX;
	v = b->word[w] & (~0ull << (from % 64));
	while (v == 0) {
		if (++w >= b->word_cnt)
			return UINT32_MAX;
		v = b->word[w];
	}
	return w * 64 + (uint32_t)__builtin_ctzll(v);
}

uint32_t
bitmap_prev(const struct bitmap *b, uint32_t end)
{
	uint32_t w = end / 64;
	uint64_t v;

	if (w >= b->word_cnt) {
		w = b->word_cnt;
		v = 0;
	} else {
		v = b->word[w] & ((1ull << (end % 64)) - 1);
	}
	while (v == 0) {
		if (w-- == 0)
			return UINT32_MAX;
		v = b->word[w];
	}
	return w * 64 + 63 - (uint32_t)__builtin_clzll(v);
}

uint32_t
bitmap_next_zero(const struct bitmap *b, uint32_t from)
{
	uint32_t w = from / 64;
	uint64_t v;

	if (w >= b->word_cnt)
		return from;
	v = ~b->word[w] & (~0ull << (from % 64));
	while (v == 0) {
		if (++w >= b->word_cnt)
			return w * 64;
		v = ~b->word[w];
	}
	return w * 64 + (uint32_t)__builtin_ctzll(v);
}
