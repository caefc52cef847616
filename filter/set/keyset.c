/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hash tables whose buckets are cache lines. The parser's thread builds; any thread
 * reads.
 *
 * A key lies in the line that its hash gives or, if the line is full, in the next line
 * with room. Lines are filled from the first place on, so the last place shows whether a
 * line is full. A search compares all places of a line at once: no branch depends on the
 * presence of the key, and few lines overflow (lines are filled to about 65 % on
 * average).
 *
 * I1  At least one line is not full, so every search ends.
 * I2  Free places hold s->none, which is no member.
 *
 * Keys of 96 bits, five a line, are split: first the 64-bit parts of all keys, then the
 * 32-bit parts.
 *
 * Most wide keys have words with few different values: large communities of one exchange
 * begin with the exchange's number. If the varying part has 32 or 64 bits, the table
 * stores only this part: each word less its least value, one behind the other. A key with
 * a word out of range is no member.
 *
 * The hash is not seeded: the members of a set come from the operator, and a peer's key
 * can only search the lines. */
#include "filter/set/keyset.h"
#include "lib/mem/mem.h"

#define LINE     64
#define SLOTS_96 5

typedef int32_t vec32 __attribute__((vector_size(16)));

/* Members a line, on average. */
static uint32_t
keyset_fill_of(unsigned width)
{
	return width == 4 ? 11 : width == 8 ? 5 : width == 12 ? 3 : 2;
}

static inline uint32_t
keyset_place(uint64_t hash, uint32_t lines)
{
	return (uint32_t)((hash >> 32) * lines >> 32);
}

static inline uint32_t
keyset_place32(const struct keyset *s, uint32_t k)
{
	return keyset_place(k * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline uint32_t
keyset_place64(const struct keyset *s, uint64_t k)
{
	return keyset_place((k ^ k >> 32) * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline uint32_t
keyset_place128(const struct keyset *s, uint64_t hi, uint64_t lo)
{
	uint64_t h = hi * 0xbf58476d1ce4e5b9ull;

	h ^= h >> 32;
	return keyset_place((h + lo) * 0x9e3779b97f4a7c15ull, s->line_cnt);
}

static inline const void *
keyset_line_at(const struct keyset *s, uint32_t i)
{
	return s->line + (size_t)i * LINE;
}

static inline uint32_t
keyset_line_next(const struct keyset *s, uint32_t i)
{
	return i + 1 == s->line_cnt ? 0 : i + 1;
}

/* ---- asking ---- */

/* Is one of the 16 numbers at @p equal to @v? */
static inline bool
keyset_any_equal(const int32_t *p, int32_t v)
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
	uint32_t i = keyset_place32(s, k), none = (uint32_t)s->none.lo;
	const uint32_t *p;
	bool found;

	for (;; i = keyset_line_next(s, i)) {
		p = keyset_line_at(s, i);
		found = keyset_any_equal((const int32_t *)p, (int32_t)k);
		if (likely(found | (p[15] == none)))
			return found & (k != none);
	}
}

static bool
keyset_has64(const struct keyset *s, uint64_t k)
{
	uint32_t i = keyset_place64(s, k);
	const uint64_t *p;
	bool found;

	for (;; i = keyset_line_next(s, i)) {
		p = keyset_line_at(s, i);
		found = (p[0] == k) | (p[1] == k) | (p[2] == k) | (p[3] == k);
		found |= (p[4] == k) | (p[5] == k) | (p[6] == k) | (p[7] == k);
		if (likely(found | (p[7] == s->none.lo)))
			return found & (k != s->none.lo);
	}
}

static bool
keyset_has96(const struct keyset *s, uint64_t hi, uint64_t lo64)
{
	uint32_t i = keyset_place128(s, hi, lo64), lo = (uint32_t)lo64;
	uint32_t none_lo = (uint32_t)s->none.lo;
	const uint64_t *p;
	const uint32_t *q;
	bool found;

	for (;; i = keyset_line_next(s, i)) {
		p = keyset_line_at(s, i);
		q = (const uint32_t *)(p + SLOTS_96);
		found = ((p[0] ^ hi) | (q[0] ^ lo)) == 0;
		found |= ((p[1] ^ hi) | (q[1] ^ lo)) == 0;
		found |= ((p[2] ^ hi) | (q[2] ^ lo)) == 0;
		found |= ((p[3] ^ hi) | (q[3] ^ lo)) == 0;
		found |= ((p[4] ^ hi) | (q[4] ^ lo)) == 0;
		if (likely(found | (((p[4] ^ s->none.hi) | (q[4] ^ none_lo)) == 0)))
			return found & (((hi ^ s->none.hi) | (lo ^ none_lo)) != 0);
	}
}

/* Is the key at @p that of @hi and @lo? Returns: 1 or 0, as a number: compilers take | of
 * truth values for a slip. */
static inline unsigned
keyset_equal128(const uint64_t *p, uint64_t hi, uint64_t lo)
{
	return ((p[0] ^ hi) | (p[1] ^ lo)) == 0;
}

static bool
keyset_has128(const struct keyset *s, uint64_t hi, uint64_t lo)
{
	uint32_t i = keyset_place128(s, hi, lo);
	const uint64_t *p;
	unsigned found, none = (s->none.hi == hi) & (s->none.lo == lo);

	for (;; i = keyset_line_next(s, i)) {
		p = keyset_line_at(s, i);
		found = keyset_equal128(p, hi, lo) | keyset_equal128(p + 2, hi, lo) |
			keyset_equal128(p + 4, hi, lo) | keyset_equal128(p + 6, hi, lo);
		if (likely(found | keyset_equal128(p + 6, s->none.hi, s->none.lo)))
			return found & !none;
	}
}

/* Returns: 1 if a word of the key is out of its range, else 0 and @*out. */
static inline unsigned
keyset_pack_key(const struct keypack *p, uint64_t *out, uint64_t hi, uint64_t lo)
{
	uint32_t a = (uint32_t)lo - p->least[0];
	uint32_t b = (uint32_t)(lo >> 32) - p->least[1];
	uint32_t c = (uint32_t)hi - p->least[2];
	uint32_t d = (uint32_t)(hi >> 32) - p->least[3];

	*out = (uint64_t)a << p->at[0] | (uint64_t)b << p->at[1] |
	       (uint64_t)c << p->at[2] | (uint64_t)d << p->at[3];
	return (unsigned)(a > p->span[0]) | (b > p->span[1]) | (c > p->span[2]) |
	       (d > p->span[3]);
}

bool
keyset_has(const struct keyset *s, uint64_t hi, uint64_t lo)
{
	unsigned out = 0;

	if (s->packed)
		out = keyset_pack_key(&s->pack, &lo, hi, lo);
	if (s->width == 8)
		return keyset_has64(s, lo) & !out;
	if (s->width == 4)
		return keyset_has32(s, (uint32_t)lo) & !out;
	return s->width == 12 ? keyset_has96(s, hi, lo) : keyset_has128(s, hi, lo);
}

uint32_t
frange_find(const struct frange128 *r, uint32_t cnt, struct fkey k)
{
	uint32_t lo = 0, hi = cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (fkey_cmp(r[mid].lo, k) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && fkey_cmp(k, r[lo - 1].hi) <= 0 ? lo : 0;
}

/* ---- building ---- */

/* The words of a key, the lowest first. */
static uint32_t
keyset_key_word(struct fkey k, unsigned i)
{
	return (uint32_t)((i < 2 ? k.lo : k.hi) >> (i % 2 * 32));
}

/* Returns: bits that are left of the keys if they are packed. */
static unsigned
keyset_find_pack(struct keypack *p, const struct fkey *key, uint32_t cnt)
{
	unsigned bits = 0, w;
	uint32_t i;

	for (w = 0; w < 4; w++) {
		uint32_t least = UINT32_MAX, most = 0;

		for (i = 0; i < cnt; i++) {
			uint32_t x = keyset_key_word(key[i], w);

			least = x < least ? x : least;
			most = x > most ? x : most;
		}
		p->least[w] = least;
		p->span[w] = most - least;
		/* a word without bits is shifted by any number that may be */
		p->at[w] = (uint8_t)(bits < 64 ? bits : 0);
		bits += most > least ? 32 - (unsigned)__builtin_clz(most - least) : 0;
	}
	return bits;
}

static struct fkey
keyset_unpack_key(const struct keypack *p, uint64_t packed)
{
	struct fkey k = { 0, 0 };
	unsigned w;

	for (w = 4; w-- > 0;) {
		uint32_t x = 0;

		if (p->span[w]) {
			x = (uint32_t)(packed >> p->at[w]);
			packed &= (1ull << p->at[w]) - 1;
		}
		*(w < 2 ? &k.lo : &k.hi) |= (uint64_t)(x + p->least[w]) << (w % 2 * 32);
	}
	return k;
}

/* keyset_find_none - the least number that is no member; the keys ascend. */
static struct fkey
keyset_find_none(const struct fkey *key, uint32_t cnt)
{
	struct fkey none = { 0, 0 };
	uint32_t i;

	for (i = 0; i < cnt && fkey_equal(key[i], none); i++)
		none.lo++; /* fewer than 2^32 keys exist */
	return none;
}

static struct fkey
keyset_get_key(const struct keyset *s, uint32_t line, unsigned i)
{
	const uint8_t *p = keyset_line_at(s, line);
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
keyset_put_key(const struct keyset *s, uint8_t *p, unsigned i, struct fkey k)
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
keyset_place_of(const struct keyset *s, struct fkey k)
{
	return s->width > 8    ? keyset_place128(s, k.hi, k.lo)
	       : s->width == 8 ? keyset_place64(s, k.lo)
			       : keyset_place32(s, (uint32_t)k.lo);
}

/* @key: packed or of s->width octets. */
static void
keyset_fill_lines(struct keyset *s, struct arena *a, const struct fkey *key)
{
	unsigned slots = LINE / s->width;
	uint8_t *to, *used;
	uint32_t i, at;

	to = arena_alloc(a, ((size_t)s->line_cnt + 1) * LINE);
	to += (uintptr_t) - (uintptr_t)to % LINE;
	s->line = to;
	for (i = 0; i < s->line_cnt * slots; i++)
		keyset_put_key(s, to + (size_t)(i / slots) * LINE, i % slots, s->none);
	used = mem_zalloc(MEM_CONFIG, s->line_cnt);
	for (i = 0; i < s->cnt; i++) {
		at = keyset_place_of(s, key[i]);
		while (used[at] == slots)
			at = keyset_line_next(s, at);
		keyset_put_key(s, to + (size_t)at * LINE, used[at]++, key[i]);
	}
	mem_free(MEM_CONFIG, used);
}

void
keyset_build(struct keyset *s, struct arena *a, const struct fkey *key, uint32_t cnt,
    unsigned width)
{
	struct fkey *packed = NULL;
	unsigned bits, narrow;
	uint32_t i;

	bits = width > 4 ? keyset_find_pack(&s->pack, key, cnt) : 128;
	narrow = bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
	s->packed = narrow < width;
	if (s->packed) {
		packed = mem_zalloc(MEM_CONFIG, cnt * sizeof(*packed));
		for (i = 0; i < cnt; i++)
			keyset_pack_key(&s->pack, &packed[i].lo, key[i].hi, key[i].lo);
		key = packed; /* packing keeps the order, so the keys still ascend */
		width = narrow;
	}
	s->cnt = cnt;
	s->width = (uint8_t)width;
	s->line_cnt = cnt / keyset_fill_of(width) + 1;
	s->none = keyset_find_none(key, cnt);
	keyset_fill_lines(s, a, key);
	mem_free(MEM_CONFIG, packed);
}

void
keyset_list(const struct keyset *s, struct fkey *out)
{
	unsigned slots = LINE / s->width, k;
	uint32_t i, n = 0;

	for (i = 0; i < s->line_cnt; i++) {
		for (k = 0; k < slots; k++) {
			struct fkey x = keyset_get_key(s, i, k);

			if (!fkey_equal(x, s->none))
				out[n++] = s->packed ? keyset_unpack_key(&s->pack, x.lo)
						     : x;
		}
	}
}
