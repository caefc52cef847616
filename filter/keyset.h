/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of single keys of 32, 64, 96 or 128 bits, as tables by hash whose places are cache
 * lines. Immutable once built; any thread may ask. */
#ifndef TERN_FILTER_KEYSET_H
#define TERN_FILTER_KEYSET_H

#include "lib/base/arena.h"

/* Keys order as elements of sets do. */
struct fkey {
	uint64_t hi, lo;
};

struct keyset {
	uint32_t cnt; /* of members */
	/* private */
	uint32_t line_cnt;
	const uint8_t *line; /* of 64 octets each, aligned */
	struct fkey none; /* what stands in free places: no member */
	uint8_t width; /* octets a key: 4, 8, 12, 16 */
};

/* keyset_build - @key: different ones, ascending; @width: octets that count: the lowest 4 or
 * 8, hi and the lowest 4, or all 16. What the set points to is in @a. */
void keyset_build(struct keyset *s, struct arena *a, const struct fkey *key, uint32_t cnt,
    unsigned width);
/* keyset_has32, _has64, _has96, _has128 - is it a member? The one for the set's width.
 * Cost: about one cache miss. */
bool keyset_has32(const struct keyset *s, uint32_t k);
bool keyset_has64(const struct keyset *s, uint64_t k);
bool keyset_has96(const struct keyset *s, struct fkey k);
bool keyset_has128(const struct keyset *s, struct fkey k);
/* keyset_list - all members, in no order. @out has room for s->cnt. */
void keyset_list(const struct keyset *s, struct fkey *out);

#endif
