/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From 256 leaves to a chunk: runs, the widths of the fields, packed leaves. Pure
 * functions; any thread. Tests: prop_fib.c. */
#include "lib/fib/fib_chunk.h"
#include <string.h>

#define HOP_MASK    ((1ull << FIB_HOP_BITS) - 1)
#define ORIGIN_MASK ((1ull << FIB_ORIGIN_BITS) - 1)

/* Owner: one call. */
struct fib_runs {
	uint64_t leaf[FIB_VALUES + 1];
	uint32_t cnt;
	uint64_t answers, children; /* all answers, all units of children by OR */
};

static unsigned
fib_chunk_bits(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* fib_chunk_runs - find the runs without a branch that depends on the leaves. */
static void
fib_chunk_runs(struct fib_runs *r, uint64_t start[4], const uint64_t leaf[FIB_VALUES])
{
	uint32_t n = 0;

	r->leaf[0] = leaf[0];
	for (unsigned w = 0; w < 4; w++) {
		uint64_t bits = 0;

		for (unsigned b = 0; b < 64; b++) {
			unsigned i = w * 64 + b;
			uint64_t new = i &&leaf[i] != leaf[i - 1];

			bits |= new << b;
			n += (uint32_t) new;
			r->leaf[n] = leaf[i];
		}
		start[w] = bits;
	}
	r->cnt = n + 1;
	r->answers = r->children = 0;
	for (uint32_t i = 0; i < r->cnt; i++) {
		uint64_t child = 0 - (r->leaf[i] >> 63);

		r->answers |= r->leaf[i] & ~child;
		r->children |= r->leaf[i] & child;
	}
}

/* The widths that fit all leaves. Owner: one call. */
struct fib_widths {
	uint8_t width, child, hop, origin;
};

/* fib_chunk_widths - @answers, @children: all answers and all units by OR. */
static struct fib_widths
fib_chunk_widths(uint64_t answers, uint64_t children)
{
	struct fib_widths w = { .child = children != 0 };
	unsigned unit = fib_chunk_bits(children & ~FIB_LEAF_CHILD);

	w.hop = (uint8_t)fib_chunk_bits(answers & HOP_MASK);
	w.origin = (uint8_t)fib_chunk_bits(answers >> FIB_HOP_BITS & ORIGIN_MASK);
	w.width = (uint8_t)(w.hop + w.origin +
			    fib_chunk_bits(answers >> (FIB_HOP_BITS + FIB_ORIGIN_BITS)));
	if (w.child && w.width < unit)
		w.width = (uint8_t)unit;
	w.width = (uint8_t)(w.width + w.child);
	return w;
}

/* fib_chunk_pack - the leaf @v as a chunk stores the leaf. */
static uint64_t
fib_chunk_pack(const struct fib_widths *w, uint64_t v)
{
	uint64_t hop = v & HOP_MASK, origin = v >> FIB_HOP_BITS & ORIGIN_MASK;
	uint64_t attr = v >> (FIB_HOP_BITS + FIB_ORIGIN_BITS);

	if (v & FIB_LEAF_CHILD)
		return (v & ~FIB_LEAF_CHILD) << 1 | 1;
	return (hop | origin << w->hop | attr << (w->hop + w->origin)) << w->child;
}

/* fib_chunk_leaves - store @cnt leaves. Returns: octets, a multiple of 8. */
static uint32_t
fib_chunk_leaves(
    uint8_t *to, const struct fib_widths *w, const uint64_t *leaf, uint32_t cnt)
{
	uint64_t acc = 0;
	unsigned have = 0;
	uint8_t *from = to;

	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t v = fib_chunk_pack(w, leaf[i]);

		acc |= v << have;
		have += w->width;
		if (have < 64)
			continue;
		memcpy(to, &acc, 8);
		to += 8;
		have -= 64;
		acc = have ? v >> (w->width - have) : 0;
	}
	memcpy(to, &acc, 8);
	to += have ? 8 : 0;
	return (uint32_t)(to - from);
}

uint32_t
fib_chunk_encode(void *out, const uint64_t leaf[FIB_VALUES])
{
	struct fib_runs r;
	struct fib_chunk c = { 0 };
	struct fib_widths widths;
	uint64_t before = 0;

	fib_chunk_runs(&r, c.start, leaf);
	if (r.cnt == 1 && !r.children)
		return 0;
	for (unsigned w = 0; w < 4; w++) {
		c.before[w] = (uint8_t)before;
		before += (uint64_t)__builtin_popcountll(c.start[w]);
	}
	widths = fib_chunk_widths(r.answers, r.children);
	c.width = widths.width;
	c.child = widths.child;
	c.hop_width = widths.hop;
	c.origin_width = widths.origin;
	memcpy(out, &c, sizeof(c));
	return (uint32_t)sizeof(c) +
	       fib_chunk_leaves((uint8_t *)out + sizeof(c), &widths, r.leaf, r.cnt);
}

/* ---- octets ---- */

/* fib_chunk_part - encode 64 answers. Returns: octets, a multiple of FIB_UNIT. */
static uint32_t
fib_chunk_part(uint8_t *out, const uint64_t *leaf)
{
	uint64_t start = 0;
	uint32_t n = 0;

	out[8] = (uint8_t)leaf[0];
	for (unsigned i = 1; i < FIB_PART_VALUES; i++) {
		uint64_t new = leaf[i] != leaf[i - 1];

		start |= new << i;
		n += (uint32_t) new;
		out[8 + n] = (uint8_t)leaf[i];
	}
	memcpy(out, &start, sizeof(start));
	while (++n % FIB_UNIT)
		out[8 + n] = 0;
	return 8 + n;
}

/* fib_chunk_starts - the runs of the part at @part. */
static uint64_t
fib_chunk_starts(const uint8_t *part)
{
	uint64_t start;

	memcpy(&start, part, sizeof(start));
	return start;
}

uint32_t
fib_chunk_encode_octets(void *out, uint64_t *ref, const uint64_t leaf[FIB_VALUES])
{
	uint32_t at[FIB_PARTS], len[FIB_PARTS], top = 0;
	uint8_t *to = out;
	uint64_t all = 0;

	for (unsigned i = 0; i < FIB_VALUES; i++)
		all |= leaf[i];
	if (all > FIB_OCTETS_ANSWER_MAX)
		return 0;
	*ref = (uint64_t)FIB_KIND_OCTETS << FIB_KIND_SHIFT;
	for (unsigned i = 0; i < FIB_PARTS; i++) {
		unsigned j = 0;

		len[i] = fib_chunk_part(to + top, leaf + i * FIB_PART_VALUES);
		at[i] = top;
		/* equal parts are stored once */
		while (
		    j < i && (len[j] != len[i] || memcmp(to + at[j], to + top, len[i])))
			j++;
		at[i] = at[j];
		top += j == i ? len[i] : 0;
		*ref |= (uint64_t)(at[i] / FIB_UNIT) << (32 + 8 * i);
	}
	if (top == len[0] && leaf[0] == leaf[FIB_VALUES - 1] && !fib_chunk_starts(to))
		return 0; /* one answer */
	return top;
}

/* ---- keys ---- */

uint32_t
fib_chunk_encode_keys(void *out, uint64_t *ref, const struct fib_sweep *s)
{
	uint32_t cnt = s->cnt - 1, top = cnt, list = 0;
	uint64_t answers = 0, children = 0;
	struct fib_widths w;
	uint32_t *key = out;

	for (uint32_t i = 0; i <= cnt; i++) {
		if (s->leaf[i] & FIB_LEAF_CHILD)
			children |= s->leaf[i];
		else
			answers |= s->leaf[i];
	}
	for (uint32_t i = 0; i < cnt; i++)
		key[i] = s->key[i + 1] ^ FIB_KEYS_FLIP;
	for (uint32_t n = cnt; n > FIB_KEYS_GROUP;) {
		uint32_t groups = (n - 1) / FIB_KEYS_GROUP;

		for (uint32_t i = 0; i < groups; i++)
			key[top + i] = key[list + FIB_KEYS_GROUP * (i + 1)];
		list = top;
		top += groups;
		n = groups;
	}
	w = fib_chunk_widths(answers, children);
	*ref = (uint64_t)FIB_KIND_KEYS << FIB_KIND_SHIFT | (uint64_t)cnt << 28 |
	       (uint64_t)w.width << 44 | (uint64_t)w.child << 50 | (uint64_t)w.hop << 51 |
	       (uint64_t)w.origin << 56;
	top = 4 * top + fib_chunk_leaves((uint8_t *)(key + top), &w, s->leaf, cnt + 1);
	memset((uint8_t *)out + top, 0, FIB_UNIT);
	return (top + FIB_UNIT - 1) / FIB_UNIT * FIB_UNIT;
}
