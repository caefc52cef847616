/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A growing bit set over small integers. A bit beyond the end reads as 0. Owner: the
 * object that embeds the struct. Life: embedded, until bitmap_fini. Loop: the loop that
 * owns the bit set. */
#ifndef TERN_LIB_BASE_BITMAP_H
#define TERN_LIB_BASE_BITMAP_H

#include "lib/mem/mem.h"

/* A bit set. Owner: the object that embeds the struct. Freed by: bitmap_fini. */
struct bitmap {
	uint64_t *word; /* NULL while nothing was set */
	uint32_t word_cnt;
	enum mem_tag tag;
};

void bitmap_init(struct bitmap *b, enum mem_tag tag);
void bitmap_fini(struct bitmap *b);
/* bitmap_grow - make room for bits 0 to @bit_cnt - 1; capacity doubles. */
void bitmap_grow(struct bitmap *b, uint32_t bit_cnt);
/* bitmap_clear_all - all bits 0; memory is given back. */
void bitmap_clear_all(struct bitmap *b);
/* bitmap_set_range, bitmap_clear_range - set or clear bits @from to @from + @cnt - 1,
 * whole words at a time. Returns: number of bits that changed. */
uint32_t bitmap_set_range(struct bitmap *b, uint32_t from, uint32_t cnt);
uint32_t bitmap_clear_range(struct bitmap *b, uint32_t from, uint32_t cnt);
/* bitmap_count_range - bits that are 1 in the range. */
uint32_t bitmap_count_range(const struct bitmap *b, uint32_t from, uint32_t cnt);
/* bitmap_next - the first 1 at or after @from; UINT32_MAX: none. */
uint32_t bitmap_next(const struct bitmap *b, uint32_t from);
/* bitmap_prev - the last 1 before @end; UINT32_MAX: none. */
uint32_t bitmap_prev(const struct bitmap *b, uint32_t end);
/* bitmap_next_zero - the first 0 at or after @from. */
uint32_t bitmap_next_zero(const struct bitmap *b, uint32_t from);

static inline bool
bitmap_test(const struct bitmap *b, uint32_t i)
{
	uint32_t w = i / 64;

	return w < b->word_cnt && (b->word[w] >> (i % 64) & 1);
}

/* bitmap_set, bitmap_clear. Returns: whether it changed. */
static inline bool
bitmap_set(struct bitmap *b, uint32_t i)
{
	uint64_t m = 1ull << (i % 64);

	if (i / 64 >= b->word_cnt)
		bitmap_grow(b, i + 1);
	if (b->word[i / 64] & m)
		return false;
	b->word[i / 64] |= m;
	return true;
}

static inline bool
bitmap_clear(struct bitmap *b, uint32_t i)
{
	uint64_t m = 1ull << (i % 64);

	if (i / 64 >= b->word_cnt || !(b->word[i / 64] & m))
		return false;
	b->word[i / 64] &= ~m;
	return true;
}

#endif
