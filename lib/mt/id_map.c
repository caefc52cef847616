/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map from ids to numbers: blocks of numbers, and the directory of the blocks. The
 * writer publishes a block or directory when the object is complete, and frees the object
 * a grace period after the removal or replacement. One loop writes; any reader under RCU
 * reads. */
#include "lib/mt/id_map.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"

static void
id_map_block_free(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct id_map_block, rcu));
}

static void
map_dir_free(struct rcu_node *n)
{
	struct id_map_dir *d = container_of(n, struct id_map_dir, rcu);

	for (uint32_t i = 0; d->whole && i < d->cnt; i++)
		mem_free(MEM_PROTO, load_relaxed_ptr(&d->block[i]));
	mem_free(MEM_PROTO, d);
}

/* map_dir_for - with a place for block @at. */
static struct id_map_dir *
map_dir_for(struct id_map *m, uint32_t at)
{
	struct id_map_dir *old = load_relaxed_ptr(&m->dir), *d;
	uint32_t cnt = old ? old->cnt : 0;

	if (at < cnt)
		return old;
	cnt = cnt + cnt / 2 > at ? cnt + cnt / 2 : at + 1;
	d = mem_zalloc(MEM_PROTO, sizeof(*d) + cnt * sizeof(d->block[0]));
	d->cnt = cnt;
	for (uint32_t i = 0; old && i < old->cnt; i++)
		store_relaxed_ptr(&d->block[i], load_relaxed_ptr(&old->block[i]));
	store_release_ptr(&m->dir, d); /* pairs: IDMAP */
	if (old)
		rcu_free_later(&old->rcu, map_dir_free);
	return d;
}

static struct id_map_block *
map_block_for(struct id_map *m, uint32_t id)
{
	struct pubptr *at = &map_dir_for(m, id / ID_MAP_BLOCK)->block[id / ID_MAP_BLOCK];
	struct id_map_block *b = load_relaxed_ptr(at);

	if (!b) {
		b = mem_zalloc(MEM_PROTO, sizeof(*b));
		store_release_ptr(at, b); /* pairs: IDMAP */
	}
	return b;
}

uint32_t
id_map_put(struct id_map *m, uint32_t id, uint32_t num)
{
	struct id_map_dir *d = load_relaxed_ptr(&m->dir);
	uint32_t at = id / ID_MAP_BLOCK, old;
	struct id_map_block *b;

	b = d && at < d->cnt ? load_relaxed_ptr(&d->block[at]) : NULL;
	if (!b && !num)
		return 0;
	if (!b)
		b = map_block_for(m, id);
	old = load_relaxed32(&b->num[id % ID_MAP_BLOCK]);
	store_release32(&b->num[id % ID_MAP_BLOCK], num); /* pairs: IDMAP */
	b->used += (num != 0) - (old != 0);
	if (unlikely(!b->used)) {
		d = load_relaxed_ptr(&m->dir);
		store_release_ptr(&d->block[at], NULL); /* pairs: IDMAP */
		rcu_free_later(&b->rcu, id_map_block_free);
	}
	return old;
}

void
id_map_clear(struct id_map *m)
{
	struct id_map_dir *d = load_relaxed_ptr(&m->dir);

	if (!d)
		return;
	store_release_ptr(&m->dir, NULL); /* pairs: IDMAP */
	d->whole = true;
	rcu_free_later(&d->rcu, map_dir_free);
}
