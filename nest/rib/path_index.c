/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of a net's paths by rank and by feeder (path_index.h). */
#include "nest/rib/path_index.h"

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/base/vec.h"
#include "lib/mt/near.h"

#include <stdlib.h>

static uint64_t
hash_of(uint32_t id)
{
	return hash_u64(0, id);
}

static uint32_t
place_of(const struct table *t, const struct path *p)
{
	return (uint32_t)((size_t)((const uint8_t *)p - t->net) / NEAR_UNIT);
}

static int
cmp_feeder(const void *a, const void *b)
{
	uint32_t x = ((const struct path_place *)a)->feeder;
	uint32_t y = ((const struct path_place *)b)->feeder;

	return x < y ? -1 : x > y;
}

void
path_index_fill(struct table *t, struct path_index *ix, const struct net *n)
{
	const struct path *p = near_load_relaxed(&n->paths);

	ix->cnt = 0;
	for (; p; p = near_load_relaxed(&p->next)) {
		ix->rank = vec_room(
		    MEM_TABLE, ix->rank, &ix->rank_cap, ix->cnt + 1, sizeof(*ix->rank));
		ix->feeder = vec_room(MEM_TABLE, ix->feeder, &ix->feeder_cap, ix->cnt + 1,
		    sizeof(*ix->feeder));
		ix->rank[ix->cnt] = place_of(t, p);
		ix->feeder[ix->cnt] = (struct path_place){ p->feeder, ix->rank[ix->cnt] };
		ix->cnt++;
	}
	ix->feeder_cnt = ix->cnt;
	qsort(ix->feeder, ix->cnt, sizeof(*ix->feeder), cmp_feeder);
	ix->clean = t->walk.nr;
}

struct path_index *
path_index_new(struct table *t, struct net *n, uint32_t id)
{
	struct path_index *ix = mem_zalloc(MEM_TABLE, sizeof(*ix));

	ix->net = id;
	path_index_fill(t, ix, n);
	htab_add(&t->paths.many, &ix->node, hash_of(id));
	n->flags |= NET_MANY;
	return ix;
}

void
path_index_free(struct table *t, struct net *n, TAKE struct path_index *ix)
{
	n->flags &= (uint8_t)~NET_MANY;
	htab_del(&t->paths.many, &ix->node);
	mem_free(MEM_TABLE, ix->rank);
	mem_free(MEM_TABLE, ix->feeder);
	mem_free(MEM_TABLE, ix);
}

struct path_index *
path_index_get(const struct table *t, uint32_t id)
{
	struct htab_node *n;

	htab_each_same (n, &t->paths.many, hash_of(id)) {
		struct path_index *ix = container_of(n, struct path_index, node);

		if (ix->net == id)
			return ix;
	}
	ASSERT(!"a net with NET_MANY has an index");
	return NULL;
}

/* feeder_pos - where @feeder stands, or would stand. */
static uint32_t
feeder_pos(const struct path_index *ix, uint32_t feeder)
{
	uint32_t from = 0, to = ix->feeder_cnt;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (ix->feeder[mid].feeder < feeder)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool
feeder_at(const struct path_index *ix, uint32_t pos, uint32_t feeder)
{
	return pos < ix->feeder_cnt && ix->feeder[pos].feeder == feeder;
}

struct path *
path_index_find(const struct table *t, const struct path_index *ix, uint32_t feeder)
{
	uint32_t pos = feeder_pos(ix, feeder);

	if (!feeder_at(ix, pos, feeder))
		return NULL;
	return (struct path *)(void *)(t->net + (size_t)ix->feeder[pos].path * NEAR_UNIT);
}

void
path_index_put(
    const struct table *t, struct path_index *ix, uint32_t pos, const struct path *p)
{
	uint32_t at = feeder_pos(ix, p->feeder);
	struct path_place place = { p->feeder, place_of(t, p) };

	ix->rank = vec_room(
	    MEM_TABLE, ix->rank, &ix->rank_cap, ix->cnt + 1, sizeof(*ix->rank));
	memmove(ix->rank + pos + 1, ix->rank + pos, (ix->cnt - pos) * sizeof(*ix->rank));
	ix->rank[pos] = place.path;
	ix->cnt++;
	if (!feeder_at(ix, at, p->feeder)) {
		ix->feeder = vec_room(MEM_TABLE, ix->feeder, &ix->feeder_cap,
		    ix->feeder_cnt + 1, sizeof(*ix->feeder));
		memmove(ix->feeder + at + 1, ix->feeder + at,
		    (ix->feeder_cnt - at) * sizeof(*ix->feeder));
		ix->feeder_cnt++;
	}
	ix->feeder[at] = place;
}

void
path_index_cut(const struct table *t, struct path_index *ix, uint32_t pos)
{
	uint32_t at = feeder_pos(ix, path_index_at(t, ix, pos)->feeder);

	if (ix->feeder[at].path == ix->rank[pos]) {
		ix->feeder_cnt--;
		memmove(ix->feeder + at, ix->feeder + at + 1,
		    (ix->feeder_cnt - at) * sizeof(*ix->feeder));
	}
	ix->cnt--;
	memmove(ix->rank + pos, ix->rank + pos + 1, (ix->cnt - pos) * sizeof(*ix->rank));
}
