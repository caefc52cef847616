/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash tables of cache lines.
 *
 * A key lies in the line that its hash says, or, if that is full, in the next that isn't.
 * Lines are filled from their first place on, so the last place tells whether a line is
 * full. A search compares all places of a line at once: whether a key is there decides no
 * branch, and lines that overflow are few (lines are filled to about 65 % on average).
 *
 * I1  There is a line that isn't full, so every search ends. I2  Free places hold s->none,
 * which is no member.
 *
 * Keys of 96 bits, five a line, are cut: first the 64 bits of all, behind them the 32.
 *
 * The hash isn't seeded: what is in a set comes from the operator, and a key from a peer
 * can only meet the lines as they are. */
#include "filter/keyset.h"

#define LINE     64
#define SLOTS_96 5

typedef int32_t vec32 __attribute__((vector_size(16)));

/* Members a line, on average. */
static uint32_t
fill_of(unsigned width)
{
	return width == 4 ? 11 : width == 8 ? 5 : width == 12 ? 3 : 2;
}

static inline uint32_t
place(uint64_t hash, uint32_t lines)
{
	return (uint32_t)((hash >> 32) * lines >> 32);
}

static inline uint32_t
place32(const struct keyset *s, uint32_t k)
{
	return place(k * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline uint32_t
place64(const struct keyset *s, uint64_t k)
{
	return place((k ^ k >> 32) * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline uint32_t
place128(const struct keyset *s, struct fkey k)
{
	uint64_t h = k.hi * 0xbf58476d1ce4e5b9ull;

	h ^= h >> 32;
	return place((h + k.lo) * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline const void *
line_at(const struct keyset *s, uint32_t i)
{
	return s->line + (size_t)i * LINE;
}

static inline uint32_t
line_next(const struct keyset *s, uint32_t i)
{
	return i + 1 == s->line_cnt ? 0 : i + 1;
}

/* ---- asking ---- */

/* Is one of the 16 numbers at @p equal to @v? */
static inline bool
any_equal(const int32_t *p, int32_t v)
{
	vec32 a, b, c, d;
	uint64_t w[2];

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + 4, sizeof(b));
	memcpy(&c, p + 8, sizeof(c));
	memcpy(&d, p + 12, sizeof(d));
	a = ((a == v) | (b == v)) | ((c == v) | (d == v));
	memcpy(w, &a, sizeof(w));
	return (w[0] | w[1]) != 0;
}

bool
keyset_has32(const struct keyset *s, uint32_t k)
{
	uint32_t i = place32(s, k), none = (uint32_t)s->none.lo;
	const uint32_t *p;
	bool found;

	for (;; i = line_next(s, i)) {
		p = line_at(s, i);
		found = any_equal((const int32_t *)p, (int32_t)k);
		if (likely(found | (p[15] == none)))
			return found & (k != none);
	}
}

bool
keyset_has64(const struct keyset *s, uint64_t k)
{
	uint32_t i = place64(s, k);
	const uint64_t *p;
	bool found;

	for (;; i = line_next(s, i)) {
		p = line_at(s, i);
		found = (p[0] == k) | (p[1] == k) | (p[2] == k) | (p[3] == k);
		found |= (p[4] == k) | (p[5] == k) | (p[6] == k) | (p[7] == k);
		if (likely(found | (p[7] == s->none.lo)))
			return found & (k != s->none.lo);
	}
}

/* Returns: 1 or 0, as a number: compilers take | of truth values for a slip. */
static inline unsigned
key_equal(struct fkey a, struct fkey b)
{
	return ((a.hi ^ b.hi) | (a.lo ^ b.lo)) == 0;
}

bool
keyset_has96(const struct keyset *s, struct fkey k)
{
	uint32_t i = place128(s, k), lo = (uint32_t)k.lo;
	bool none = k.hi == s->none.hi && k.lo == s->none.lo;
	uint32_t none_lo = (uint32_t)s->none.lo;
	const uint64_t *p;
	const uint32_t *q;
	bool found;

	for (;; i = line_next(s, i)) {
		p = line_at(s, i);
		q = (const uint32_t *)(p + SLOTS_96);
		found = ((p[0] ^ k.hi) | (q[0] ^ lo)) == 0;
		found |= ((p[1] ^ k.hi) | (q[1] ^ lo)) == 0;
		found |= ((p[2] ^ k.hi) | (q[2] ^ lo)) == 0;
		found |= ((p[3] ^ k.hi) | (q[3] ^ lo)) == 0;
		found |= ((p[4] ^ k.hi) | (q[4] ^ lo)) == 0;
		if (likely(found | (((p[4] ^ s->none.hi) | (q[4] ^ none_lo)) == 0)))
			return found & !none;
	}
}

bool
keyset_has128(const struct keyset *s, struct fkey k)
{
	uint32_t i = place128(s, k);
	const struct fkey *p;
	bool found;

	for (;; i = line_next(s, i)) {
		p = line_at(s, i);
		found = key_equal(p[0], k) | key_equal(p[1], k) | key_equal(p[2], k) |
			key_equal(p[3], k);
		if (likely(found | key_equal(p[3], s->none)))
			return found & !key_equal(k, s->none);
	}
}

/* ---- building ---- */

/* The least number that isn't among them; they ascend. */
static struct fkey
find_none(const struct fkey *key, uint32_t cnt)
{
	struct fkey none = { 0, 0 };
	uint32_t i;

	for (i = 0; i < cnt && key_equal(key[i], none); i++)
		none.lo++; /* there are fewer than 2^32 */
	return none;
}

static struct fkey
get_key(const struct keyset *s, uint32_t line, unsigned i)
{
	const uint8_t *p = line_at(s, line);
	struct fkey k = { 0, 0 };
	uint32_t k32;

	if (s->width == 16) {
		memcpy(&k, p + 16 * i, sizeof(k));
	} else if (s->width == 8) {
		memcpy(&k.lo, p + 8 * i, 8);
	} else if (s->width == 12) {
		memcpy(&k.hi, p + 8 * i, 8);
		memcpy(&k32, p + 8 * SLOTS_96 + 4 * i, 4);
		k.lo = k32;
	} else {
		memcpy(&k32, p + 4 * i, 4);
		k.lo = k32;
	}
	return k;
}

/* @p: a line. */
static void
put_key(const struct keyset *s, uint8_t *p, unsigned i, struct fkey k)
{
	uint32_t k32 = (uint32_t)k.lo;

	if (s->width == 16) {
		memcpy(p + 16 * i, &k, sizeof(k));
	} else if (s->width == 8) {
		memcpy(p + 8 * i, &k.lo, 8);
	} else if (s->width == 12) {
		memcpy(p + 8 * i, &k.hi, 8);
		memcpy(p + 8 * SLOTS_96 + 4 * i, &k32, 4);
	} else {
		memcpy(p + 4 * i, &k32, 4);
	}
}

static uint32_t
place_of(const struct keyset *s, struct fkey k)
{
	return s->width > 8    ? place128(s, k)
	       : s->width == 8 ? place64(s, k.lo)
			       : place32(s, (uint32_t)k.lo);
}

void
keyset_build(struct keyset *s, struct arena *a, const struct fkey *key, uint32_t cnt,
    unsigned width)
{
	unsigned slots = LINE / width;
	uint8_t *to, *used;
	uint32_t i, at;

	s->cnt = cnt;
	s->width = (uint8_t)width;
	s->line_cnt = cnt / fill_of(width) + 1;
	s->none = find_none(key, cnt);
	to = arena_alloc(a, ((size_t)s->line_cnt + 1) * LINE);
	to += (uintptr_t) - (uintptr_t)to % LINE;
	s->line = to;
	for (i = 0; i < s->line_cnt * slots; i++)
		put_key(s, to + (size_t)(i / slots) * LINE, i % slots, s->none);
	used = mem_zalloc(MEM_CONFIG, s->line_cnt);
	for (i = 0; i < cnt; i++) {
		at = place_of(s, key[i]);
		while (used[at] == slots)
			at = line_next(s, at);
		put_key(s, to + (size_t)at * LINE, used[at]++, key[i]);
	}
	mem_free(MEM_CONFIG, used);
}

void
keyset_list(const struct keyset *s, struct fkey *out)
{
	unsigned slots = LINE / s->width, k;
	uint32_t i, n = 0;

	for (i = 0; i < s->line_cnt; i++) {
		for (k = 0; k < slots; k++) {
			struct fkey x = get_key(s, i, k);

			if (!key_equal(x, s->none))
				out[n++] = x;
		}
	}
}
