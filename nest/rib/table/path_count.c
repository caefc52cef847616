/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Path counters of the table and of feeders, and the chunks of nets in which a feeder has
 * paths. The table's loop. Tests: test_table_best.c,
 * test_feeder.c. */
#include "lib/base/bitmap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/conf/config.h"
#include "nest/rib/ids.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/hop_nets.h"
#include "nest/rib/table_priv.h"

#define CHUNKS_MIN 8

/* ---- chunks ---- */

static void
count_free_chunks(struct rcu_node *n)
{
	mem_free(MEM_TABLE, container_of(n, struct feeder_chunks, rcu));
}

struct pub32 *
feeder_chunks_grow(struct feeder *s, uint32_t chunk)
{
	struct feeder_chunks *old = load_relaxed_ptr(&s->chunks), *c;
	uint32_t cnt = old ? old->cnt : CHUNKS_MIN;

	while (cnt <= chunk)
		cnt *= 2;
	c = mem_zalloc(MEM_TABLE, sizeof(*c) + cnt * sizeof(c->paths[0]));
	c->cnt = cnt;
	for (uint32_t i = 0; old && i < old->cnt; i++)
		store_relaxed32(&c->paths[i], load_relaxed32(&old->paths[i]));
	store_release_ptr(&s->chunks, c); /* pairs: FCHUNKS */
	if (old)
		rcu_free_later(&old->rcu, count_free_chunks);
	return &c->paths[chunk];
}

uint32_t
feeder_next(const struct feeder *s, uint32_t id)
{
	const struct feeder_chunks *c = load_acquire_ptr(&s->chunks); /* pairs: FCHUNKS */
	uint32_t i = id >> CHUNK_ORDER, from = i;

	while (c && i < c->cnt && !load_relaxed32(&c->paths[i]))
		i++;
	if (!c || i >= c->cnt)
		return UINT32_MAX;
	return i == from ? id : i << CHUNK_ORDER;
}

/* count_walk_chunks - add all chunks with paths of @s to the walk. */
static void
count_walk_chunks(struct table *t, const struct feeder *s)
{
	uint32_t id = feeder_next(s, 0);

	for (; id != UINT32_MAX; id = feeder_next(s, id + CHUNK_NETS))
		t->walk.chunk_cnt += bitmap_set(&t->walk.chunks, id >> CHUNK_ORDER);
}

void
feeder_walk(struct table *t, const struct feeder *s)
{
	t->walk.nr++;
	count_walk_chunks(t, s);
}

/* ---- counters ---- */

/* count_stale - @s got or lost a stale path. */
static void
count_stale(struct feeder *s, const struct path *p, int add)
{
	s->cnt.stale += (uint32_t)add;
	if (p->flags & PATH_FILTERED)
		s->cnt.stale_filtered += (uint32_t)add;
	counter64_set(&s->stats->stale, s->cnt.stale);
	counter64_set(&s->stats->stale_filtered, s->cnt.stale_filtered);
}

uint64_t
feeder_counted(const struct feeder_stats *st, enum limit_kind k)
{
	uint64_t stale = counter64_get(&st->stale), now = counter64_get(&st->imported);

	if (k == LIMIT_RECEIVE && feeder_counts_filtered(st))
		now += counter64_get(&st->filtered);
	else
		stale -= min_u64(stale, counter64_get(&st->stale_filtered));
	return now - min_u64(now, stale);
}

void
table_path_count(struct table *t, uint32_t id, const struct path *p, int add)
{
	struct feeder *s = table_feeder_local(t, path_feeder(p));
	struct pub32 *chunk = feeder_chunk(s, id);

	store_relaxed32(chunk, load_relaxed32(chunk) + (uint32_t)add);
	s->cnt.paths += (uint32_t)add;
	if (unlikely(s->hop_nets))
		hop_nets_count(s->hop_nets, p->set, id, add);
	counter64_bump(&t->st.paths, (uint64_t)add);
	if (p->flags & PATH_FILTERED)
		counter64_bump(&t->st.filtered, (uint64_t)add);
	if (!epochs_live(feeder_epochs(s), path_epoch(p)))
		return;
	if (unlikely(path_epoch(p) != s->epoch.now))
		count_stale(s, p, add);
	s->cnt.live += (uint32_t)add;
	if (p->flags & PATH_FILTERED) {
		s->cnt.live_filtered += (uint32_t)add;
		counter64_set(&s->stats->filtered, s->cnt.live_filtered);
	} else {
		counter64_set(&s->stats->imported, s->cnt.live - s->cnt.live_filtered);
	}
}

void
table_path_freshen(struct feeder *s, struct path *p)
{
	if (path_epoch(p) == s->epoch.now)
		return;
	count_stale(s, p, -1);
	store_relaxed32(&p->from, path_from(path_feeder(p), s->epoch.now));
}

void
table_path_kill(struct feeder *s, struct path *p)
{
	uint32_t dead = (s->epoch.now - s->epoch.kept - 1) & EPOCH_MASK;

	if (path_epoch(p) != s->epoch.now)
		count_stale(s, p, -1);
	s->cnt.live--;
	s->cnt.live_filtered -= (p->flags & PATH_FILTERED) != 0;
	counter64_set(&s->stats->filtered, s->cnt.live_filtered);
	counter64_set(&s->stats->imported, s->cnt.live - s->cnt.live_filtered);
	store_relaxed32(&p->from, path_from(path_feeder(p), dead));
}
