/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of prefixes. A change waits in a short list. Before the builder makes the
 * changes of the list, the processor fetches what all of them need: nodes, keys of
 * prefixes, counts of references. A worker that gets changes from time to time finds
 * little of this memory in its caches, and the memory answers many requests in the time
 * of one.
 *
 * I1  The list has a reference of each value.
 * I2  Steps of a fetch change nothing: the list is in order, and two changes of one
 *     prefix may follow each other.
 *
 * Loop: the owner of the builder. Tests: prop_fib.c. */
#include "lib/fib/fib_build.h"
#include "lib/fib/fib_build_priv.h"
#include "lib/fib/fib_chunk.h"
#include "lib/fib/fib_format.h"
#include "lib/fib/fib_value.h"
#include "lib/net/prefix.h"

/* ---- fetches ---- */

/* fib_change_nodes - fetch the nodes from the block to the node of each prefix. */
static void
fib_change_nodes(const struct fib *f)
{
	const struct fib_tree *t = &f->tree;
	struct fib_change *c = f->changes.at;
	unsigned deepest = 0;

	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		c[i].at = fib_tree_place(&c[i].p);
		__builtin_prefetch(&t->root[c[i].at.block]);
	}
	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		c[i].node = t->root[c[i].at.block];
		__builtin_prefetch(&t->node[c[i].node]);
		__builtin_prefetch((const char *)&t->node[c[i].node + 1] - 1);
		deepest = c[i].at.depth > deepest ? c[i].at.depth : deepest;
	}
	for (unsigned depth = 0; depth < deepest; depth++) {
		for (uint32_t i = 0; i < f->changes.cnt; i++) {
			const struct fib_node *n = &t->node[c[i].node];

			if (!c[i].node || depth >= c[i].at.depth)
				continue;
			fib_write_prefetch(
			    n->kid, n->kid_cap * (sizeof(*n->kid) + sizeof(uint8_t)));
		}
		for (uint32_t i = 0; i < f->changes.cnt; i++) {
			if (!c[i].node || depth >= c[i].at.depth)
				continue;
			c[i].node = fib_node_step(
			    &t->node[c[i].node], c[i].at.byte[depth]);
			__builtin_prefetch(&t->node[c[i].node]);
			__builtin_prefetch((const char *)&t->node[c[i].node + 1] - 1);
		}
	}
}

/* fib_change_items - fetch the items of the prefixes, and find the former values. */
static void
fib_change_items(const struct fib *f)
{
	const struct fib_tree *t = &f->tree;
	struct fib_change *c = f->changes.at;

	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		const struct fib_node *n = &t->node[c[i].node];

		if (c[i].node)
			fib_write_prefetch(
			    fib_node_keys(n), n->item_cnt * sizeof(uint16_t));
	}
	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		const struct fib_node *n = &t->node[c[i].node];

		c[i].item = NULL;
		if (!c[i].node || !n->item_cnt)
			continue;
		c[i].item = n->value + fib_node_item(n, c[i].at.key);
		__builtin_prefetch(c[i].item);
	}
}

/* fib_change_objects - fetch what the end of the last reference of a former attribute set
 * needs. The value of another prefix, or no value, does no harm: indices are checked. */
static void
fib_change_objects(const struct fib *f)
{
	const struct fib_intern *t = &f->attr;
	struct fib_change *c = f->changes.at;

	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		uint64_t old = c[i].item ? *c[i].item : 0;
		uint32_t origin = fib_value_origin(old);

		c[i].attr = fib_value_attr(old);
		if (c[i].attr >= t->top)
			c[i].attr = 0;
		if (origin < f->origin.top)
			__builtin_prefetch(&f->origin.refs[origin]);
		if (c[i].attr)
			__builtin_prefetch(&t->refs[c[i].attr]);
	}
	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		if (c[i].attr && t->refs[c[i].attr] == 1)
			__builtin_prefetch(&t->at[c[i].attr]);
		else
			c[i].attr = 0;
	}
	for (uint32_t i = 0; i < f->changes.cnt; i++)
		if (c[i].attr && t->at[c[i].attr])
			__builtin_prefetch(t->at[c[i].attr]);
	for (uint32_t i = 0; i < f->changes.cnt; i++) {
		const struct fib_object *o = c[i].attr ? t->at[c[i].attr] : NULL;

		if (!o)
			continue;
		fib_intern_fetch_name(t, o);
		__builtin_prefetch(&f->set.tag[o->place]);
	}
}

/* ---- the list ---- */

static void
fib_change_apply(struct fib *f, const struct fib_change *c)
{
	uint64_t old = c->value ? fib_tree_set(&f->tree, &c->p, c->value)
				: fib_tree_unset(f, &c->p);

	if (old)
		fib_value_drop(f, old);
}

void
fib_change_all(struct fib *f)
{
	fib_change_nodes(f);
	fib_change_items(f);
	fib_change_objects(f);
	for (uint32_t i = 0; i < f->changes.cnt; i++)
		fib_change_apply(f, &f->changes.at[i]);
	f->changes.cnt = 0;
}

static void
fib_change_add(struct fib *f, const struct prefix *p, uint64_t value)
{
	struct fib_change *c = &f->changes.at[f->changes.cnt++];

	c->p = *p;
	c->value = value;
	if (f->changes.cnt == FIB_CHANGES)
		fib_change_all(f);
}

void
fib_set(struct fib *f, const struct prefix *p, uint64_t value)
{
	fib_value_ref(f, value);
	fib_change_add(f, p, value);
}

void
fib_unset(struct fib *f, const struct prefix *p)
{
	fib_change_add(f, p, 0);
}
