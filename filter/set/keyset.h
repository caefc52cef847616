/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of single keys of 32, 64, 96 or 128 bits, as hash tables whose buckets are cache
 * lines. Immutable once built; any thread may read. Owner: the set that embeds the table.
 * Life: the arena of the set. */
#ifndef TERN_FILTER_SET_KEYSET_H
#define TERN_FILTER_SET_KEYSET_H

#include "lib/mem/arena.h"

/* Keys order like elements of sets. */
struct fkey {
	uint64_t hi, lo;
};

/* A range of keys, both ends included. */
struct frange128 {
	struct fkey lo, hi;
};

/* The packing of a key: four words, each less its least value, one behind the other. */
struct keypack {
	uint32_t least[4], span[4]; /* the lowest word first */
	uint8_t at[4]; /* bit where the word goes */
};

/* A set of keys. Owner: the set that embeds the struct. Freed by: the arena of the
 * set. */
struct keyset {
	uint32_t cnt; /* of members */
	/* private */
	uint32_t line_cnt;
	const uint8_t *line; /* of 64 octets each, aligned */
	struct fkey none; /* fills free places; no member */
	uint8_t width; /* octets a key: 4, 8, 12, 16 */
	bool packed; /* keys were wider */
	struct keypack pack;
};

/* fkey_cmp - less than, equal to or greater than 0. */
static inline int
fkey_cmp(struct fkey a, struct fkey b)
{
	if (a.hi != b.hi)
		return a.hi < b.hi ? -1 : 1;
	return a.lo < b.lo ? -1 : a.lo > b.lo;
}

static inline bool
fkey_equal(struct fkey a, struct fkey b)
{
	return a.hi == b.hi && a.lo == b.lo;
}

/* frange_find - @r ascend and are apart. Returns: 1 + index of the range that holds @k,
 * or 0. */
uint32_t frange_find(const struct frange128 *r, uint32_t cnt, struct fkey k);

/* keyset_build - @key: different ones, ascending; @width: octets that count: the lowest 4
 * or 8, hi and the lowest 4, or all 16. What the set points to is in @a. */
void keyset_build(struct keyset *s, struct arena *a, const struct fkey *key, uint32_t cnt,
    unsigned width);
/* keyset_has - is the key of @hi and @lo a member? keyset_has32 - the same for sets built
 * with width 4.
 * Cost: about one cache miss. */
bool keyset_has(const struct keyset *s, uint64_t hi, uint64_t lo);
bool keyset_has32(const struct keyset *s, uint32_t k);
/* keyset_list - all members, in no order. @out has room for s->cnt. */
void keyset_list(const struct keyset *s, struct fkey *out);

#endif
