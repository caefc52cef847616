/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a batch: segments into the journal, unlinked paths and dead nets on their
 * way out. The table's loop.
 *
 * A path that was unlinked, and an array of the hash that was replaced, goes through one
 * grace period a batch (struct retire_batch) and comes back as a message, since the
 * memory of both is the table's alone. A dead net waits until all sessions have sent its
 * withdrawal, then leaves the hash, then its id goes through a grace period (struct
 * id_batch). */
#include "nest/rib/read.h"
#include "nest/rib/segment.h"
#include "nest/rib/table_priv.h"

#include "lib/base/arena.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "lib/mt/near.h"
#include "nest/rib/express.h"
#include "nest/rib/source.h"
#include "sysdep/clock.h"
#include "sysdep/loop.h"

#define DEAD_KEEP 4096 /* places of the queue that are kept when nothing waits */

#define DEAD_AHEAD 12 /* how far ahead the hash is asked for */

struct retire_batch {
	struct table_grace grace;
	uint32_t cnt;
	struct path **path;
	struct hash_arr *arr; /* and those that were replaced */
};

struct id_batch {
	struct table_grace grace;
	uint32_t cnt;
	uint32_t id[];
};

static void
emit(void *arg, TAKE struct segment *s)
{
	struct table *t = arg;

	counter64_bump(&t->st.segments, 1);
	counter64_bump(&t->st.segment_nets, s->nets.cnt);
	if (!s->set)
		counter64_bump(&t->st.withdraws, 1);
	journal_append(&t->journal, &s->je);
}

/* tell_single - which nets changed by themselves, to readers that lag. */
static void
tell_single(struct table *t)
{
	for (uint32_t i = 0; i < t->work.change_cnt; i++)
		if (t->work.change[i].single)
			express_put(
			    &t->express, t->work.change[i].id, load_relaxed32(&t->batch));
}

static void
publish(struct table *t)
{
	struct seg_item *item;

	arena_reset(&t->work.scratch);
	item = arena_alloc(&t->work.scratch, t->work.change_cnt * sizeof(*item));
	for (uint32_t i = 0; i < t->work.change_cnt; i++) {
		struct change *c = &t->work.change[i];
		struct net *n = table_net_ptr(t, c->id);
		const struct path *best = near_load_relaxed(&n->best);
		bool moved = n->flags & NET_MOVED;
		/* That it is what it was before isn't enough: a reader may have seen
		 * another one meanwhile. */
		bool same = best && best->set == c->old_set &&
			    (best->feeder != c->old_src || !moved);

		item[i] = (struct seg_item){
			.id = c->id,
			.src = best ? best->feeder : NO_SOURCE,
			.old_src = same ? c->old_src : NO_SOURCE,
			.set = best ? best->set : NULL,
		};
		n->flags &= (uint8_t)~NET_MOVED;
		c->single &= moved;
	}
	segment_group(t, &t->out.seg, &t->work.scratch, item, t->work.change_cnt,
	    load_relaxed32(&t->batch), emit, t);
}

static void
free_retired(struct table *t, TAKE struct table_grace *g)
{
	struct retire_batch *b = container_of(g, struct retire_batch, grace);

	for (uint32_t i = 0; i < b->cnt; i++)
		table_path_free(t, b->path[i]);
	table_hash_free_old(t, b->arr);
	mem_free(MEM_TABLE, b->path);
	mem_free(MEM_TABLE, b);
}

static void
retire(struct table *t)
{
	struct retire_batch *b = mem_zalloc(MEM_TABLE, sizeof(*b));

	b->cnt = t->work.retired_cnt;
	b->path = t->work.retired;
	b->arr = t->hash.old_arrs;
	t->hash.old_arrs = NULL;
	t->work.retired = NULL;
	t->work.retired_cnt = t->work.retired_cap = 0;
	table_grace(t, &b->grace, free_retired);
}

/* settle_fresh - the withdrawals of the nets that were put into the queue last are
 * published. */
static void
settle_fresh(struct table *t)
{
	for (; t->dead.fresh; t->dead.fresh--) {
		uint32_t i = t->dead.head + t->dead.cnt - t->dead.fresh;

		t->dead.item[i & (t->dead.cap - 1)].seq = load_relaxed64(
		    &t->journal.tail);
	}
}

bool
table_batch_end(struct table *t)
{
	bool published = t->work.change_cnt > 0;

	if (published) {
		publish(t);
		store_release32(&t->done, load_relaxed32(&t->batch)); /* pairs: TDONE */
		tell_single(t);
		t->work.change_cnt = 0;
	}
	settle_fresh(t);
	if (t->work.retired_cnt || t->hash.old_arrs)
		retire(t);
	counter64_set(&t->st.journal_bytes, journal_bytes(&t->journal));
	counter64_set(&t->st.cut, t->journal.stats.cut);
	return published;
}

void
table_net_dead(struct table *t, struct net *n, uint32_t id)
{
	if (n->flags & NET_WAITING) { /* one that flaps takes one place */
		n->flags |= NET_REDIED;
		return;
	}
	n->flags |= NET_WAITING;
	if (t->dead.cnt == t->dead.cap) {
		uint32_t cap = t->dead.cap ? 2 * t->dead.cap : 1024;
		struct dead_net *d = mem_alloc(MEM_TABLE, cap * sizeof(*d));

		for (uint32_t i = 0; i < t->dead.cnt; i++)
			d[i] = t->dead.item[(t->dead.head + i) & (t->dead.cap - 1)];
		mem_free(MEM_TABLE, t->dead.item);
		t->dead.item = d;
		t->dead.head = 0;
		t->dead.cap = cap;
	}
	t->dead.item[(t->dead.head + t->dead.cnt) & (t->dead.cap - 1)] =
	    (struct dead_net){ id, UINT64_MAX };
	t->dead.cnt++;
	t->dead.fresh++;
}

static void
free_ids(struct table *t, TAKE struct table_grace *g)
{
	struct id_batch *b = container_of(g, struct id_batch, grace);

	for (uint32_t i = 0; i < b->cnt; i++)
		table_id_free(t, b->id[i]);
	mem_free(MEM_TABLE, b);
}

/* look_at_all - Returns: of the readers that hold the oldest waiting id and got nowhere
 * since the last look, the one that holds most; NULL: there is none. */
static struct reader *
look_at_all(struct table *t)
{
	uint64_t min = t->dead.item[t->dead.head & (t->dead.cap - 1)].seq;
	struct reader *stuck = NULL;
	struct list *n;

	list_for_each (n, &t->readers) {
		struct reader *r = container_of(n, struct reader, link);
		uint64_t progress = r->ops->progress(r), out;
		bool stands = progress == r->seen_progress;

		r->seen_progress = progress;
		if (!stands ||
		    load_acquire64(&r->cursor.pos) == CURSOR_IDLE) /* pairs: JPOS */
			continue;
		out = load_acquire64(&r->cursor.out_pos); /* pairs: JOUT */
		if (out < min) {
			min = out;
			stuck = r;
		}
	}
	return stuck;
}

/* too_many_wait - more ids wait than the bound allows: everybody is asked to pass the
 * journal (who never sent a net needs no withdrawal of it). Who doesn't get on with it
 * for a second is closed, one a second, and the one that holds most first. How fast the
 * others are is their own affair, until ids get scarce (dead.max). */
static void
too_many_wait(struct table *t, struct cursor *slowest, uint64_t out_pos)
{
	struct reader *most = slowest ? container_of(slowest, struct reader, cursor)
				      : NULL;
	uint32_t bound = load_relaxed32(&t->ids.limit) / 4;
	uint64_t now = loop_now_ns(&t->worker);
	bool first = !t->dead.crowded_ns;
	struct reader *stuck;

	if (bound < t->dead.min)
		bound = t->dead.min;
	if (!slowest || t->dead.cnt <= bound) {
		t->dead.crowded_ns = 0;
		return;
	}
	if (!first && now - t->dead.crowded_ns <= NS_PER_S)
		return;
	t->dead.crowded_ns = now;
	journal_hurry(&t->journal);
	stuck = look_at_all(t);
	if (first)
		return;
	if (t->dead.cnt > t->dead.max)
		most->ops->slow(most, out_pos, 0, true);
	else if (stuck)
		stuck->ops->slow(stuck, load_relaxed64(&stuck->cursor.out_pos),
		    stuck->seen_progress, false);
}

void
table_release_dead(struct table *t)
{
	struct cursor *slowest;
	uint64_t min = 0;
	struct id_batch *b = NULL;

	if (t->dead.cnt) {
		min = journal_min_out(&t->journal, &slowest);
		too_many_wait(t, slowest, min);
	}
	while (t->dead.cnt) {
		struct dead_net d = t->dead.item[t->dead.head & (t->dead.cap - 1)];
		struct net *n = table_net_ptr(t, d.id);
		bool again = n->flags & NET_REDIED;

		if (d.seq > min)
			break;
		if (t->dead.cnt > DEAD_AHEAD)
			table_hash_ahead(t,
			    t->dead.item[(t->dead.head + DEAD_AHEAD) & (t->dead.cap - 1)]
				.id);
		t->dead.head++;
		t->dead.cnt--;
		n->flags &= (uint8_t) ~(NET_WAITING | NET_REDIED);
		if (near_load_relaxed(&n->paths))
			continue;
		if (again) { /* its last withdrawal is somewhere before the tail */
			table_net_dead(t, n, d.id);
			continue;
		}
		if (!b)
			b = mem_zalloc(
			    MEM_TABLE, sizeof(*b) + (t->dead.cnt + 1) * sizeof(b->id[0]));
		table_net_unhash(t, d.id);
		b->id[b->cnt++] = d.id;
	}
	settle_fresh(t);
	if (!t->dead.cnt && t->dead.cap > DEAD_KEEP) {
		mem_free(MEM_TABLE, t->dead.item);
		t->dead.item = NULL;
		t->dead.cap = 0;
	}
	counter64_set(&t->st.waiting, t->dead.cnt);
	if (b)
		table_grace(t, &b->grace, free_ids);
	if (t->hash.old_arrs) /* a quiet table ends no batch for long */
		retire(t);
}
