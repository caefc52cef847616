/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrays of a net's paths by rank and by name (path_index.h). Loop: the table's. Tested
 * by test/prop/prop_paths.c and test/unit/test_table_behind.c. */
#include "nest/rib/table/path_index.h"

#include "lib/base/hash.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/near.h"
#include "nest/rib/path_priv.h"

#include <stdlib.h>

static uint64_t
path_index_hash_of(uint32_t id)
{
	return hash_u64(0, id);
}

/* path_index_key_of - names by their order. */
static uint64_t
path_index_key_of(const struct path_name *n)
{
	return (uint64_t)n->feeder << 32 | n->rid;
}

static struct path_name
path_index_name_of(const struct table *t, const struct path *p)
{
	return (struct path_name){ path_feeder(p), path_rid_of(p), table_place(t, p) };
}

static int
index_cmp_name(const void *a, const void *b)
{
	uint64_t x = path_index_key_of(a), y = path_index_key_of(b);

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
		ix->name = vec_room(
		    MEM_TABLE, ix->name, &ix->name_cap, ix->cnt + 1, sizeof(*ix->name));
		ix->rank[ix->cnt] = table_place(t, p);
		ix->name[ix->cnt] = path_index_name_of(t, p);
		ix->cnt++;
	}
	ix->name_cnt = ix->cnt;
	qsort(ix->name, ix->cnt, sizeof(*ix->name), index_cmp_name);
	ix->clean = t->walk.nr;
}

struct path_index *
path_index_new(struct table *t, struct net *n, uint32_t id)
{
	struct path_index *ix = mem_zalloc(MEM_TABLE, sizeof(*ix));

	ix->net = id;
	list_init(&ix->waits);
	path_index_fill(t, ix, n);
	htab_add(&t->paths.many, &ix->node, path_index_hash_of(id));
	n->flags |= NET_MANY;
	return ix;
}

void
path_index_free(struct table *t, struct net *n, TAKE struct path_index *ix)
{
	n->flags &= (uint8_t)~NET_MANY;
	table_behind_end(t, ix);
	htab_del(&t->paths.many, &ix->node);
	mem_free(MEM_TABLE, ix->rank);
	mem_free(MEM_TABLE, ix->name);
	mem_free(MEM_TABLE, ix);
}

struct path_index *
path_index_get(const struct table *t, uint32_t id)
{
	struct htab_node *n;

	htab_each_same (n, &t->paths.many, path_index_hash_of(id)) {
		struct path_index *ix = container_of(n, struct path_index, node);

		if (ix->net == id)
			return ix;
	}
	ASSERT(!"a net with NET_MANY has an index");
	return NULL;
}

/* index_name_pos - where @n stands, or would stand. */
static uint32_t
index_name_pos(const struct path_index *ix, const struct path_name *n)
{
	uint32_t from = 0, to = ix->name_cnt;

	while (from < to) {
		uint32_t mid = (from + to) / 2;

		if (path_index_key_of(&ix->name[mid]) < path_index_key_of(n))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool
index_name_at(const struct path_index *ix, uint32_t pos, const struct path_name *n)
{
	return pos < ix->name_cnt &&
	       path_index_key_of(&ix->name[pos]) == path_index_key_of(n);
}

struct path *
path_index_find(
    const struct table *t, const struct path_index *ix, uint32_t feeder, uint32_t rid)
{
	struct path_name n = { feeder, rid, 0 };
	uint32_t pos = index_name_pos(ix, &n);

	if (!index_name_at(ix, pos, &n))
		return NULL;
	return table_path_at(t, ix->name[pos].path);
}

uint32_t
path_index_of(const struct path_index *ix, uint32_t feeder)
{
	struct path_name from = { feeder, 0, 0 }, to = { feeder + 1, 0, 0 };

	return index_name_pos(ix, &to) - index_name_pos(ix, &from);
}

void
path_index_put(
    const struct table *t, struct path_index *ix, uint32_t pos, const struct path *p)
{
	struct path_name n = path_index_name_of(t, p);
	uint32_t at = index_name_pos(ix, &n);

	ix->rank = vec_room(
	    MEM_TABLE, ix->rank, &ix->rank_cap, ix->cnt + 1, sizeof(*ix->rank));
	memmove(ix->rank + pos + 1, ix->rank + pos, (ix->cnt - pos) * sizeof(*ix->rank));
	ix->rank[pos] = n.path;
	ix->cnt++;
	if (!index_name_at(ix, at, &n)) {
		ix->name = vec_room(MEM_TABLE, ix->name, &ix->name_cap, ix->name_cnt + 1,
		    sizeof(*ix->name));
		memmove(ix->name + at + 1, ix->name + at,
		    (ix->name_cnt - at) * sizeof(*ix->name));
		ix->name_cnt++;
	}
	ix->name[at] = n;
}

void
path_index_remove(const struct table *t, struct path_index *ix, uint32_t pos)
{
	struct path_name n = path_index_name_of(t, path_index_at(t, ix, pos));
	uint32_t at = index_name_pos(ix, &n);

	if (ix->name[at].path == n.path) {
		ix->name_cnt--;
		memmove(ix->name + at, ix->name + at + 1,
		    (ix->name_cnt - at) * sizeof(*ix->name));
	}
	ix->cnt--;
	memmove(ix->rank + pos, ix->rank + pos + 1, (ix->cnt - pos) * sizeof(*ix->rank));
}
