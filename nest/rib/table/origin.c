/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Origins by number: a path from a pipe names its origin by four octets.
 *
 * The places of the list are the allocator: the thread that changes a place from NULL to
 * its origin gets the number. Searches begin at `low`: lower numbers are in use, except
 * numbers just given back.
 *
 * I1  The number in a path leads to its origin: the table counts the paths of the origin
 *     (table_origin_hold), and an unused origin stays counted until the end of a grace
 *     period.
 *
 * Any thread. */
#include "lib/attr/route.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"
#include "nest/rib/table_priv.h"

#include <bsd/string.h>
#include <stdio.h>

#define ORIGIN_BITS 24
#define BLOCK_BITS  10
#define BLOCK_CNT   (1u << (ORIGIN_BITS - BLOCK_BITS))

struct origin_block {
	struct pubptr at[1u << BLOCK_BITS]; /* struct origin * */
};

struct origins {
	struct pub32 low;
	struct pubptr block[BLOCK_CNT]; /* struct origin_block *; made when needed */
};

struct origins *
origins_new(void)
{
	struct origins *os = mem_zalloc(MEM_TABLE, sizeof(*os));

	store_relaxed32(&os->low, 1); /* 0 is no number */
	return os;
}

void
origins_free(TAKE struct origins *os)
{
	for (uint32_t i = 0; os && i < BLOCK_CNT; i++)
		mem_free(MEM_TABLE, load_relaxed_ptr(&os->block[i]));
	mem_free(MEM_TABLE, os);
}

static struct pubptr *
origin_place_of(const struct origins *os, uint32_t id)
{
	struct origin_block *b = load_acquire_ptr(
	    &os->block[id >> BLOCK_BITS]); /* pairs: OBLOCK */

	return b ? &b->at[id % ARRAY_LEN(b->at)] : NULL;
}

/* origin_place_made - the place of @id; make the block if necessary. */
static struct pubptr *
origin_place_made(struct origins *os, uint32_t id)
{
	struct pubptr *at = origin_place_of(os, id);
	struct origin_block *b;
	void *none = NULL;

	if (at)
		return at;
	b = mem_zalloc(MEM_TABLE, sizeof(*b));
	if (!cas_acq_rel_ptr(&os->block[id >> BLOCK_BITS], &none, b)) /* pairs: OBLOCK */
		mem_free(MEM_TABLE, b);
	return origin_place_of(os, id);
}

/* origin_number - number @o. Returns: false: no number is free. */
static bool
origin_number(struct origins *os, struct origin *o)
{
	uint32_t low = load_relaxed32(&os->low);

	for (uint32_t id = low; id < 1u << ORIGIN_BITS; id++) {
		struct pubptr *at = origin_place_made(os, id);
		void *none = NULL;

		o->id = id; /* before other threads find @o */
		if (!load_relaxed_ptr(at) &&
		    cas_acq_rel_ptr(at, &none, o)) { /* pairs: OPLACE */
			cas_acq_rel32(&os->low, &low, id + 1);
			return true;
		}
	}
	o->id = 0;
	return false;
}

struct origin *
origin_new(struct origins *os, const struct route_source *src, const char *name)
{
	struct origin *o = mem_zalloc(MEM_TABLE, sizeof(*o));

	counter32_add(&o->refs, 1);
	o->src = *src;
	strlcpy(o->name, name, sizeof(o->name));
	o->src.proto = o->name;
	o->of = os;
	if (os)
		origin_number(os, o);
	return o;
}

/* origin_give_back - the number of @o. */
static void
origin_give_back(struct origin *o)
{
	uint32_t low;

	if (!o->id)
		return;
	store_release_ptr(origin_place_of(o->of, o->id), NULL); /* pairs: OPLACE */
	low = load_relaxed32(&o->of->low);
	while (o->id < low && !cas_acq_rel32(&o->of->low, &low, o->id))
		;
}

static void
origin_free_tree(struct rcu_node *n)
{
	struct origin *o = container_of(n, struct origin, rcu), *at = o, *up;

	while (at) {
		struct origin *b = load_relaxed_ptr(&at->branch);

		if (b) { /* free the branches first, from the first on */
			store_relaxed_ptr(&at->branch, b->next);
			at = b;
			continue;
		}
		up = at->up;
		origin_give_back(at);
		mem_free(MEM_TABLE, at);
		at = up;
	}
}

void
origin_free(TAKE struct origin *o)
{
	rcu_free_later(&o->rcu, origin_free_tree);
}

static struct origin *
origin_branch_find(
    struct origin *from, const struct origin *end, const struct table *left)
{
	while (from != end && from->left != left)
		from = from->next;
	return from == end ? NULL : from;
}

struct origin *
origin_through(struct origin *o, const struct table *left)
{
	void *first = load_acquire_ptr(&o->branch), *seen; /* pairs: OBRANCH */
	struct origin *b = origin_branch_find(first, NULL, left), *other;

	if (b || !o->of)
		return b;
	b = mem_zalloc(MEM_TABLE, sizeof(*b));
	b->root = origin_root_of(o);
	b->up = o;
	b->left = left;
	b->of = o->of;
	b->order = o->order;
	b->generation = o->generation + 1;
	b->incarnation = o->incarnation;
	b->src = o->src;
	if (!origin_number(b->of, b)) {
		mem_free(MEM_TABLE, b);
		return NULL;
	}
	for (;;) {
		b->next = first;
		seen = first;
		if (cas_acq_rel_ptr(&o->branch, &first, b)) /* pairs: OBRANCH */
			return b;
		/* New branches stand before the examined branches. */
		other = origin_branch_find(first, seen, left);
		if (!other)
			continue;
		origin_give_back(b);
		mem_free(MEM_TABLE, b);
		return other;
	}
}

bool
origin_passed(const struct origin *o, const struct table *t)
{
	while (o->up && o->left != t)
		o = o->up;
	return o->up != NULL;
}

struct origin *
origin_find(const struct origins *os, uint32_t id)
{
	return load_acquire_ptr(origin_place_of(os, id)); /* pairs: OPLACE */
}

/* ---- of a table's paths ---- */

void
table_origin_hold(struct table *t, uint32_t id)
{
	uint32_t was = t->paths.origins.cap;

	if (id >= was) {
		t->paths.origins.cnt = vec_room(MEM_TABLE, t->paths.origins.cnt,
		    &t->paths.origins.cap, id + 1, sizeof(*t->paths.origins.cnt));
		memset(t->paths.origins.cnt + was, 0,
		    (t->paths.origins.cap - was) * sizeof(*t->paths.origins.cnt));
	}
	if (!t->paths.origins.cnt[id]++)
		origin_ref_live(origin_find(t->tern->origins, id));
}

void
table_origin_drop(struct table *t, uint32_t id)
{
	if (!--t->paths.origins.cnt[id])
		origin_put(origin_find(t->tern->origins, id));
}
