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

/* fib_chunk_pack - the leaf @v as the chunk stores the leaf. */
static uint64_t
fib_chunk_pack(const struct fib_chunk *c, uint64_t v)
{
	uint64_t hop = v & HOP_MASK, origin = v >> FIB_HOP_BITS & ORIGIN_MASK;
	uint64_t attr = v >> (FIB_HOP_BITS + FIB_ORIGIN_BITS);

	if (v & FIB_LEAF_CHILD)
		return (v & ~FIB_LEAF_CHILD) << 1 | 1;
	return (hop | origin << c->hop_width | attr << (c->hop_width + c->origin_width))
	       << c->child;
}

uint32_t
fib_chunk_encode(void *out, const uint64_t leaf[FIB_VALUES])
{
	struct fib_runs r;
	struct fib_chunk c = { 0 };
	uint8_t *to = (uint8_t *)out + sizeof(c);
	unsigned attr_width, have = 0;
	uint64_t acc = 0, before = 0;

	fib_chunk_runs(&r, c.start, leaf);
	if (r.cnt == 1 && !r.children)
		return 0;
	for (unsigned w = 0; w < 4; w++) {
		c.before[w] = (uint8_t)before;
		before += (uint64_t)__builtin_popcountll(c.start[w]);
	}
	c.child = r.children != 0;
	c.hop_width = (uint8_t)fib_chunk_bits(r.answers & HOP_MASK);
	c.origin_width = (uint8_t)fib_chunk_bits(r.answers >> FIB_HOP_BITS & ORIGIN_MASK);
	attr_width = fib_chunk_bits(r.answers >> (FIB_HOP_BITS + FIB_ORIGIN_BITS));
	c.width = (uint8_t)(c.hop_width + c.origin_width + attr_width);
	if (c.child && c.width < fib_chunk_bits(r.children & ~FIB_LEAF_CHILD))
		c.width = (uint8_t)fib_chunk_bits(r.children & ~FIB_LEAF_CHILD);
	c.width = (uint8_t)(c.width + c.child);
	memcpy(out, &c, sizeof(c));
	for (uint32_t i = 0; i < r.cnt; i++) {
		uint64_t v = fib_chunk_pack(&c, r.leaf[i]);

		acc |= v << have;
		have += c.width;
		if (have < 64)
			continue;
		memcpy(to, &acc, 8);
		to += 8;
		have -= 64;
		acc = have ? v >> (c.width - have) : 0;
	}
	memcpy(to, &acc, 8);
	to += have ? 8 : 0;
	return (uint32_t)(to - (uint8_t *)out);
}
