/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The runs of a chunk of keys (fib_format.h): a walk over four levels of nodes in the
 * order of addresses. The time grows with the number of prefixes, not of addresses.
 *
 * I1  Keys grow, and neighbouring runs have different leaves.
 * I2  Nodes of the levels 2 to 4 have no chunk; they stay dirty, because only a chunk of
 *     256 leaves would need their marks.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/base/vec.h"
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/fib/fib_chunk.h"
#include "lib/fib/fib_format.h"
#include "lib/mem/mem.h"

#define SWEEP_FIRST 1u /* the depth of the node that has the keys */
#define SWEEP_LAST  4u /* the depth of the last nodes that the keys decide */

/* Prefixes that cover the present address within one node: at most one for each length
 * of 1 to 8 bits, and the answer from above. Owner: one call. */
struct fib_cover {
	unsigned end[FIB_STRIDE + 1]; /* the first value behind the prefix */
	uint64_t value[FIB_STRIDE + 1];
	unsigned cnt;
};

/* fib_sweep_add - the numbers from @key on have @leaf. */
static void
fib_sweep_add(struct fib_sweep *s, uint64_t key, uint64_t leaf)
{
	if (key > UINT32_MAX)
		return; /* the end of the last prefix */
	if (s->cnt && s->key[s->cnt - 1] == key)
		s->cnt--;
	if (s->cnt && s->leaf[s->cnt - 1] == leaf)
		return;
	if (s->cnt == s->cap) {
		uint32_t cap = s->cap;

		s->key = vec_room(MEM_PROTO, s->key, &cap, s->cnt + 1, sizeof(*s->key));
		s->leaf = mem_realloc(MEM_PROTO, s->leaf, cap, sizeof(*s->leaf));
		s->cap = cap;
	}
	s->key[s->cnt] = (uint32_t)key;
	s->leaf[s->cnt++] = leaf;
}

/* fib_sweep_end - prefixes that end at or before @value give way to the prefixes above.
 */
static void
fib_sweep_end(struct fib_sweep *s, struct fib_cover *c, unsigned value, uint64_t base,
    unsigned shift)
{
	while (c->cnt > 1 && c->end[c->cnt - 1] <= value) {
		unsigned end = c->end[--c->cnt];

		fib_sweep_add(s, base + ((uint64_t)end << shift), c->value[c->cnt - 1]);
	}
}

/* fib_sweep_kid - the leaf of a node below the levels of the keys. */
static bool
fib_sweep_kid(struct fib *f, uint32_t kid, uint64_t inherit, uint64_t *leaf)
{
	struct fib_node *k = &f->tree.node[kid];

	if ((k->dirty || k->inherit != inherit) &&
	    !f->sweep.write(f, kid, inherit, SWEEP_LAST + 1))
		return false;
	*leaf = k->unit ? FIB_LEAF_CHILD | k->unit : k->ref;
	return true;
}

/* fib_sweep_level - the runs of @node at @depth, from number @base on. Recursion: at most
 * 4 calls. */
static bool
fib_sweep_level(
    struct fib *f, uint32_t node, uint64_t inherit, uint64_t base, unsigned depth)
{
	struct fib_sweep *s = &f->sweep;
	struct fib_node *n = &f->tree.node[node];
	const uint16_t *keys = fib_node_keys(n);
	unsigned shift = FIB_STRIDE * (SWEEP_LAST - depth), item = 0;
	struct fib_cover c = { .value[0] = inherit, .cnt = 1 };
	uint64_t leaf;

	if (depth > SWEEP_FIRST) {
		fib_tree_gone(f, n, f->block);
		n->dirty = true;
	}
	for (unsigned kid = 0; item < n->item_cnt || kid < n->kid_cnt;) {
		unsigned byte = kid < n->kid_cnt ? fib_node_bytes(n)[kid] : FIB_VALUES;
		uint64_t at;

		if (item < n->item_cnt && keys[item] >> 4 <= byte) {
			unsigned value = keys[item] >> 4;

			fib_sweep_end(s, &c, value, base, shift);
			c.end[c.cnt] = value + (1u << (FIB_STRIDE - (keys[item] & 15)));
			c.value[c.cnt++] = n->value[item];
			fib_sweep_add(
			    s, base + ((uint64_t)value << shift), n->value[item++]);
			continue;
		}
		fib_sweep_end(s, &c, byte, base, shift);
		at = base + ((uint64_t)byte << shift);
		leaf = c.value[c.cnt - 1];
		if (depth < SWEEP_LAST) {
			if (!fib_sweep_level(f, n->kid[kid], leaf, at, depth + 1))
				return false;
		} else {
			uint64_t below;

			if (!fib_sweep_kid(f, n->kid[kid], leaf, &below))
				return false;
			fib_sweep_add(s, at, below);
		}
		fib_sweep_add(s, at + (1ull << shift), leaf);
		kid++;
	}
	fib_sweep_end(s, &c, FIB_VALUES, base, shift);
	return s->cnt <= f->options.max_keys + 1;
}

bool
fib_sweep_node(struct fib *f, uint32_t node, uint64_t inherit, fib_sweep_write write)
{
	f->sweep.write = write;
	f->sweep.cnt = 0;
	fib_sweep_add(&f->sweep, 0, inherit);
	return fib_sweep_level(f, node, inherit, 0, SWEEP_FIRST);
}
