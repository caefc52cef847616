/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a batch: publish segments, retire unlinked paths, release dead nets. The
 * table's loop.
 *
 * Unlinked paths and replaced arrays of the hash pass one grace period a batch (struct
 * retire_batch) and return as a message, since their memory belongs to the table. A
 * bounded number of paths is freed in a turn, and only after the walk over dead paths,
 * which may still meet them. A dead net waits until all sessions have sent the
 * withdrawal, then leaves the hash, then its id passes a grace period (struct
 * id_batch). */
#include "nest/rib/ids.h"
#include "nest/rib/read.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"

#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "lib/mt/near.h"
#include "lib/mt/slab.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

#define DEAD_AHEAD   12 /* how far ahead the hash is asked for */
#define FREE_STEP    2048 /* paths a turn */
#define RELEASE_STEP (CHUNK_NETS / 2) /* ids of dead nets a turn: half a millisecond */
/* paths beyond the present number that may wait for a walk */
#define FREE_LATER (1u << 20)

struct retire_batch {
	struct table_grace grace;
	struct retire_batch *next; /* of work.over */
	uint32_t cnt, freed;
	struct path **path;
	struct hash_arr *arr; /* list of replaced arrays */
};

struct id_batch {
	struct table_grace grace;
	uint32_t cnt;
	uint32_t id[];
};

/* publish_retired_over - the grace period is over: free the paths in steps. */
static void
publish_retired_over(struct table *t, TAKE struct table_grace *g)
{
	struct retire_batch *b = container_of(g, struct retire_batch, grace);

	table_hash_free_old(t, b->arr);
	b->next = t->work.over;
	t->work.over = b;
	t->work.over_cnt += b->cnt;
	if (table_walk_is_on(t) || table_free_step(t))
		worker_again(&t->worker);
}

static void
publish_batch_free(struct table *t, TAKE struct retire_batch *b)
{
	t->work.over = b->next;
	mem_free(MEM_TABLE, b->path);
	mem_free(MEM_TABLE, b);
}

static void
table_publish_retire(struct table *t)
{
	struct retire_batch *b = mem_zalloc(MEM_TABLE, sizeof(*b));

	b->cnt = t->work.retired_cnt;
	b->path = t->work.retired;
	b->arr = t->hash.old_arrs;
	t->hash.old_arrs = NULL;
	t->work.retired = NULL;
	t->work.retired_cnt = t->work.retired_cap = 0;
	table_grace(t, &b->grace, publish_retired_over);
}

static void
publish_count_journal(struct table *t)
{
	uint64_t bytes = 0, dropped = 0;
	struct stream *st;

	table_each_stream (st, t) {
		bytes += journal_bytes(&st->journal);
		dropped += st->journal.dropped_cnt;
	}
	if (unlikely(
		table_traces(t, DEBUG_EVENTS) && dropped > counter64_get(&t->st.dropped)))
		table_trace_dropped(t, dropped - counter64_get(&t->st.dropped));
	counter64_set(&t->st.journal_bytes, bytes);
	counter64_set(&t->st.dropped, dropped);
}

bool
table_batch_end(struct table *t)
{
	bool published = false;
	struct stream *st;

	table_each_stream (st, t)
		published |= stream_publish(st);
	if (published)
		store_release32(&t->done, load_relaxed32(&t->batch)); /* pairs: TDONE */
	table_each_stream (st, t) {
		stream_notify_single(st);
		if (st->dead.fresh)
			stream_dead_settle(st);
	}
	if (t->work.retired_cnt || t->hash.old_arrs)
		table_publish_retire(t);
	publish_count_journal(t);
	return published;
}

void
table_net_dead(struct table *t, struct net *n, uint32_t id)
{
	if (n->flags & NET_WAITING) { /* a flapping net has one place */
		n->flags |= NET_REDIED;
		return;
	}
	n->flags |= NET_WAITING;
	stream_dead_put(&t->best, id);
}

/* table_publish_trim - if no net is left, free spare memory. Called after ids were freed,
 * so no more often than dead nets are released. */
static void
table_publish_trim(struct table *t)
{
	struct stream *st;

	table_each_stream (st, t)
		if (!stream_empty(st))
			return;
	table_hash_trim(t);
	if (t->hash.old_arrs)
		table_publish_retire(t);
	for (unsigned i = 0; i < ARRAY_LEN(t->paths.slab); i++)
		slab_trim(&t->paths.slab[i]);
	table_each_stream (st, t)
		stream_trim(st);
	arena_fini(&t->work.scratch);
	store_relaxed_ptr(&t->pub.scratch, NULL);
}

bool
table_free_step(struct table *t)
{
	struct retire_batch *b = t->work.over;

	if (!b)
		return false;
	if (table_walk_is_on(t) &&
	    t->work.over_cnt <= counter64_get(&t->st.paths) + FREE_LATER)
		return false;
	for (uint32_t n = 0; n < FREE_STEP && b; n++) {
		if (b->freed < b->cnt) {
			table_path_free(t, b->path[b->freed++]);
			t->work.over_cnt--;
		} else {
			publish_batch_free(t, b);
			b = t->work.over;
		}
	}
	if (!b)
		table_publish_trim(t);
	return b != NULL;
}

static void
publish_free_ids(struct table *t, TAKE struct table_grace *g)
{
	struct id_batch *b = container_of(g, struct id_batch, grace);

	for (uint32_t i = 0; i < b->cnt; i++)
		table_id_free(t, b->id[i]);
	mem_free(MEM_TABLE, b);
	table_publish_trim(t);
}

static void
publish_free_path_ids(struct table *t, TAKE struct table_grace *g)
{
	struct id_batch *b = container_of(g, struct id_batch, grace);

	for (uint32_t i = 0; i < b->cnt; i++)
		stream_id_free(t->all, b->id[i]);
	mem_free(MEM_TABLE, b);
	table_all_trim(t);
	table_publish_trim(t);
}

static bool
publish_is_full(const struct id_batch *b)
{
	return b && b->cnt == RELEASE_STEP;
}

/* publish_id_batch_put - add @id to *@b, which has room or is NULL. */
static void
publish_id_batch_put(struct id_batch **b, uint32_t id)
{
	if (!*b)
		*b = mem_zalloc(
		    MEM_TABLE, sizeof(**b) + RELEASE_STEP * sizeof((*b)->id[0]));
	(*b)->id[(*b)->cnt++] = id;
}

/* publish_release_paths - release path ids whose withdrawal all readers have told: after
 * a grace period no thread reads the slots. *@more: call again. Returns: the settled
 * position. */
static uint64_t
publish_release_paths(struct table *t, bool *more)
{
	struct stream *st = t->all;
	uint64_t min = stream_dead_min(st);
	const struct dead_item *first;
	struct id_batch *b = NULL;

	while (
	    (first = stream_dead_first(st)) && first->seq <= min && !publish_is_full(b))
		publish_id_batch_put(&b, stream_dead_pop(st).id);
	*more |= publish_is_full(b);
	if (b)
		table_grace(t, &b->grace, publish_free_path_ids);
	return min;
}

/* table_publish_passed - true: all readers of paths, settled up to @all_min, have passed
 * the position that @d waits for. */
static bool
table_publish_passed(const struct table *t, const struct dead_item *d, uint64_t all_min)
{
	return !t->all || (int32_t)((uint32_t)all_min - d->all_seq) >= 0;
}

/* publish_release_nets - release dead nets settled up to @min and @all_min. Returns:
 * true: call again. */
static bool
publish_release_nets(struct table *t, uint64_t min, uint64_t all_min)
{
	struct stream *st = &t->best;
	const struct dead_item *first, *next;
	struct id_batch *b = NULL;
	uint32_t cnt = 0;

	while (cnt++ < RELEASE_STEP && (first = stream_dead_first(st)) &&
	       first->seq <= min && table_publish_passed(t, first, all_min)) {
		uint32_t id = stream_dead_pop(st).id;
		struct net *n = table_net_ptr(t, id);
		bool again = n->flags & NET_REDIED;

		next = stream_dead_ahead(st, DEAD_AHEAD - 1);
		if (next)
			table_hash_ahead(t, next->id);
		n->flags &= (uint8_t) ~(NET_WAITING | NET_REDIED);
		if (near_load_relaxed(&n->paths))
			continue;
		if (again) { /* its last withdrawal is in an unread part of the journal */
			table_net_dead(t, n, id);
			continue;
		}
		table_net_unhash(t, id);
		publish_id_batch_put(&b, id);
	}
	stream_dead_settle(st);
	counter64_set(&t->st.waiting, st->dead.cnt);
	if (b)
		table_grace(t, &b->grace, publish_free_ids);
	return cnt > RELEASE_STEP;
}

bool
table_release_dead(struct table *t)
{
	uint64_t all_min = 0;
	bool more = false;

	if (t->all)
		all_min = publish_release_paths(t, &more);
	if (t->best.dead.cnt)
		more |= publish_release_nets(t, stream_dead_min(&t->best), all_min);
	if (t->hash.old_arrs) /* a quiet table ends no batch for long */
		table_publish_retire(t);
	return more;
}
