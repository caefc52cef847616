/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feeders of a table: numbers, attach and detach, epochs. Loop: the table's, but for
 * functions marked in source.h.
 *
 * I1  Segments name a feeder by its number. A lagging reader may read a segment after the
 *     feeder is gone: the number is reused only after all readers have passed its
 *     segments (feeder_id_hold).
 * I2  A thread that read a number finds an array with a place for the number: the array
 *     exists before the feeder's first path, and lives a grace period after its
 *     successor. */
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/base/wrap.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "lib/mt/rcu.h"
#include "lib/mt/ring.h"
#include "lib/net/ip.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/express.h"
#include "nest/rib/table.h"
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table/hop_nets.h"
#include "nest/rib/table_priv.h"
#include "sysdep/loop/loop.h"

#define ARR_MIN  16 /* numbers */
#define KEPT_MAX 255 /* of feeder_epoch.kept */
/* limit of feeder_epoch.since above which a refresh begins no new epoch */
#define SINCE_MAX (EPOCH_MASK - 2 * KEPT_MAX - 2)

struct attach_msg {
	struct msg msg;
	struct feeder *feeder;
	struct msg *done; /* the answer */
};

/* ---- numbers ---- */

static void
feeder_free_arr(struct rcu_node *n)
{
	mem_free(MEM_TABLE, container_of(n, struct feeder_arr, rcu));
}

/* feeder_arr_grow - room for number @id, and for as many again. */
static struct feeder_arr *
feeder_arr_grow(struct feeders *fs, uint32_t id)
{
	struct feeder_arr *old = load_relaxed_ptr(&fs->arr), *a;
	uint32_t cnt = old ? old->cnt : ARR_MIN;

	while (cnt <= id)
		cnt *= 2;
	a = mem_zalloc(MEM_TABLE, sizeof(*a) + cnt * sizeof(a->at[0]));
	a->cnt = cnt;
	for (uint32_t i = 0; old && i < old->cnt; i++)
		store_relaxed_ptr(&a->at[i], load_relaxed_ptr(&old->at[i]));
	fs->at = a->at;
	store_release_ptr(&fs->arr, a); /* pairs: TFEEDERS */
	if (old)
		rcu_free_later(&old->rcu, feeder_free_arr);
	return a;
}

void
feeders_put(struct table *t, uint32_t id, struct feeder *f)
{
	struct feeder_arr *a = load_relaxed_ptr(&t->feeders.arr);

	if (id >= a->cnt)
		a = feeder_arr_grow(&t->feeders, id);
	store_release_ptr(&a->at[id], f); /* pairs: TSRC */
}

void
feeders_init(struct table *t)
{
	struct feeders *fs = &t->feeders;

	feeder_arr_grow(fs, 0);
	bitmap_init(&t->walk.chunks, MEM_TABLE);
	bitmap_init(&fs->taken, MEM_TABLE);
	list_init(&fs->all);
	list_init(&fs->detaching);
	list_init(&fs->running);
}

void
feeders_fini(struct table *t)
{
	mem_free(MEM_TABLE, load_relaxed_ptr(&t->feeders.arr));
	mem_free(MEM_TABLE, t->feeders.held);
	bitmap_fini(&t->feeders.taken);
	bitmap_fini(&t->walk.chunks);
}

static void
feeder_id_hold(struct table *t, uint32_t id)
{
	struct feeders *fs = &t->feeders;

	fs->held = vec_room(
	    MEM_TABLE, fs->held, &fs->held_cap, fs->held_cnt + 1, sizeof(*fs->held));
	fs->held[fs->held_cnt++] = (struct held_id){ .id = id,
		.seq = load_relaxed64(&t->best.journal.tail),
		.all_seq = t->all ? load_relaxed64(&t->all->journal.tail) : 0 };
}

/* feeder_release_oldest - free the first @cnt held numbers. */
static void
feeder_release_oldest(struct feeders *fs, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++)
		bitmap_clear(&fs->taken, fs->held[i].id);
	fs->held_cnt -= cnt;
	if (cnt)
		memmove(fs->held, fs->held + cnt, fs->held_cnt * sizeof(*fs->held));
}

static void
feeder_ids_release(struct table *t)
{
	const struct feeders *fs = &t->feeders;
	uint32_t cnt = 0;

	while (cnt < fs->held_cnt && fs->held[cnt].seq <= t->best.journal.freed &&
	       (!t->all || fs->held[cnt].all_seq <= t->all->journal.freed))
		cnt++;
	feeder_release_oldest(&t->feeders, cnt);
}

/* feeder_id_pick - the lowest free number. If all numbers are held back, a reused number
 * may name another feeder in an unread segment; a later withdrawal in the journal
 * corrects the reader. */
static uint32_t
feeder_id_pick(struct table *t)
{
	struct feeders *fs = &t->feeders;
	uint32_t id;

	feeder_ids_release(t);
	id = bitmap_next_zero(&fs->taken, 0);
	if (id >= FEEDER_MAX) {
		ASSERT(fs->held_cnt); /* the configuration's check limits protocols */
		feeder_release_oldest(fs, 1);
		id = bitmap_next_zero(&fs->taken, 0);
	}
	bitmap_set(&fs->taken, id);
	return id;
}

/* ---- origins ---- */

static void
feeder_take_facts(struct feeder *s, struct origin *f)
{
	struct origin *old = load_relaxed_ptr(&s->facts);

	store_release_ptr(&s->facts, f); /* pairs: TFACTS */
	if (old)
		origin_put(old);
}

/* ---- attach and detach ---- */

static void
table_feeder_attach(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct attach_msg *am = container_of(m, struct attach_msg, msg);
	struct feeder *s = am->feeder;
	uint32_t id = feeder_id_pick(t);

	store_relaxed32(&s->id, id);
	feeders_put(t, id, s);
	s->attached = true;
	s->express = (struct express_credit){ EXPRESS_BURST, t->time.now_cs };
	list_add_tail(&t->feeders.all, &s->link);
	t->feeders.cnt++;
	worker_post(s->worker, am->done);
	mem_free(MEM_TABLE, am);
}

void
feeder_init(struct feeder *s, struct table *t, struct worker *w)
{
	s->table = t;
	s->worker = w;
	store_relaxed32(&s->id, NO_FEEDER);
	s->epoch.now = wrap_start(0, EPOCH_BITS) & EPOCH_MASK;
	store_relaxed64(&s->epoch.pub, feeder_epochs(s));
	list_init(&s->run_link);
	list_init(&s->link);
	ring_init(&s->ring, RING_SIZE);
}

void
feeder_fini(struct feeder *s)
{
	ring_fini(&s->ring);
	hop_nets_free(s->hop_nets);
	mem_free(MEM_TABLE, load_relaxed_ptr(&s->chunks));
}

static void
feeder_to_table(struct feeder *s, void (*handle)(struct worker *w, TAKE struct msg *m),
    TAKE struct msg *done)
{
	struct attach_msg *am = mem_zalloc(MEM_TABLE, sizeof(*am));

	am->msg.handle = handle;
	am->feeder = s;
	am->done = done;
	worker_post(&s->table->worker, &am->msg);
}

void
feeder_attach(struct feeder *s, TAKE struct msg *done)
{
	/* From now on other threads find the feeder and wake the worker. */
	ASSERT(s->worker->loop);
	feeder_to_table(s, table_feeder_attach, done);
}

static void
table_feeder_detach(struct worker *w, TAKE struct msg *m)
{
	struct table *t = container_of(w, struct table, worker);
	struct attach_msg *am = container_of(m, struct attach_msg, msg);

	am->feeder->detach_done = am->done;
	list_del(&am->feeder->link);
	list_add_tail(&t->feeders.detaching, &am->feeder->link);
	mem_free(MEM_TABLE, am);
	worker_again(w);
}

void
feeder_detach(struct feeder *s, TAKE struct msg *done)
{
	feeder_to_table(s, table_feeder_detach, done);
}

struct feeder_end {
	struct table_grace grace;
	struct worker *owner;
	struct msg *done;
	uint32_t id;
};

/* feeder_release - no pointer to the feeder is left; hold its number back. */
static void
feeder_release(struct table *t, TAKE struct table_grace *g)
{
	struct feeder_end *e = container_of(g, struct feeder_end, grace);

	feeders_put(t, e->id, NULL);
	feeder_id_hold(t, e->id);
	worker_post(e->owner, e->done);
	mem_free(MEM_TABLE, e);
}

/* feeder_finish_detach - the feeder has no path: unpublish it; feeder_release follows
 * after a grace period. */
static void
feeder_finish_detach(struct table *t, struct feeder *s)
{
	struct feeder_end *e = mem_zalloc(MEM_TABLE, sizeof(*e));

	list_del(&s->link);
	list_del(&s->run_link);
	t->feeders.cnt--;
	feeder_take_facts(s, NULL);
	table_all_forget(t, load_relaxed32(&s->id));
	e->owner = s->worker;
	e->done = s->detach_done;
	e->id = load_relaxed32(&s->id);
	table_grace(t, &e->grace, feeder_release);
}

void
feeders_check(struct table *t)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &t->feeders.detaching) {
		struct feeder *s = container_of(n, struct feeder, link);

		if (!s->up && !s->cnt.paths && ring_empty(&s->ring) &&
		    !load_relaxed32(&s->queue.queued))
			feeder_finish_detach(t, s);
	}
}

/* ---- epochs ---- */

/* feeder_set_epochs - set the number of kept epochs, end overdue if none is kept, and
 * publish. */
static void
feeder_set_epochs(struct table *t, struct feeder *s, uint32_t kept)
{
	s->epoch.kept = (uint8_t)kept;
	if (!kept && s->epoch.overdue) {
		s->epoch.overdue = false;
		t->feeders.overdue_cnt--;
	}
	store_release64(&s->epoch.pub, feeder_epochs(s)); /* pairs: TEPOCH */
	counter64_set(&s->stats->imported, s->cnt.live - s->cnt.live_filtered);
	counter64_set(&s->stats->filtered, s->cnt.live_filtered);
	counter64_set(&s->stats->stale, s->cnt.stale);
	counter64_set(&s->stats->stale_filtered, s->cnt.stale_filtered);
}

/* feeder_count_anew - reset the counters of one session life. */
static void
feeder_count_anew(struct feeder *s)
{
	counter64_set(&s->stats->imp_upd_accepted, 0);
	counter64_set(&s->stats->imp_upd_ignored, 0);
	counter64_set(&s->stats->imp_wd_accepted, 0);
	counter64_set(&s->stats->imp_wd_ignored, 0);
	feeder_limits_anew(s);
	feeder_out_anew(s);
}

/* feeder_is_limited - true: a limit bounds the routes. Limits do not count stale routes:
 * so at most one stale generation may exist, and the feeder has at most twice the
 * limit. */
static bool
feeder_is_limited(const struct feeder *s)
{
	return s->limit.import.action > LIMIT_WARN ||
	       s->limit.receive.action > LIMIT_WARN;
}

/* feeder_has_room - true: limits allow one more route. */
static bool
feeder_has_room(const struct feeder *s)
{
	return (s->limit.receive.action == LIMIT_OFF ||
		   feeder_fresh_received(s) < s->limit.receive.max) &&
	       (s->limit.import.action == LIMIT_OFF ||
		   feeder_fresh_imported(s) < s->limit.import.max);
}

/* feeder_next_epoch - epoch numbers repeat: `since` limits the distance to dead paths of
 * old epochs. */
static void
feeder_next_epoch(struct feeder *s)
{
	s->epoch.since = s->cnt.paths == s->cnt.live ? 0 : s->epoch.since + 1;
	s->epoch.now++;
}

void
feeder_new_epoch(struct table *t, struct feeder *s)
{
	s->up = false;
	feeder_limits_anew(s);
	feeder_out_none(s);
	feeder_next_epoch(s);
	s->cnt.live = s->cnt.live_filtered = s->cnt.stale = s->cnt.stale_filtered = 0;
	feeder_set_epochs(t, s, 0);
	if (s->cnt.paths)
		feeder_walk(t, s);
}

/* feeder_drop_stale - stop counting stale paths. Returns: true: stale paths existed. */
static bool
feeder_drop_stale(struct feeder *s)
{
	bool any = s->cnt.stale != 0;

	s->cnt.live -= s->cnt.stale;
	s->cnt.live_filtered -= s->cnt.stale_filtered;
	s->cnt.stale = s->cnt.stale_filtered = 0;
	return any;
}

void
feeder_stale(struct table *t, struct feeder *s, bool away)
{
	uint32_t kept = s->epoch.kept + 1u, max = feeder_is_limited(s) ? 1 : KEPT_MAX;
	bool dead = false;

	if (away)
		s->up = false;
	if (away && (!s->epoch.overdue || kept > max)) {
		dead = feeder_drop_stale(s);
		kept = 1;
	} else if (kept > max || (!away && s->epoch.since > SINCE_MAX)) {
		return; /* too many refreshes in a row: fresh paths stay fresh */
	}
	feeder_next_epoch(s);
	s->cnt.stale = s->cnt.live;
	s->cnt.stale_filtered = s->cnt.live_filtered;
	feeder_set_epochs(t, s, kept);
	if (dead || s->epoch.overdue)
		feeder_walk(t, s);
}

void
feeder_sweep(struct table *t, struct feeder *s)
{
	bool dead = feeder_drop_stale(s);

	feeder_set_epochs(t, s, 0);
	if (dead)
		feeder_walk(t, s);
	if (dead && s->up && feeder_has_room(s))
		feeder_notify_room(s);
}

void
feeder_overdue(struct table *t, struct feeder *s)
{
	if (!s->epoch.kept)
		return;
	if (!s->epoch.overdue)
		t->feeders.overdue_cnt++;
	s->epoch.overdue = true;
	feeder_walk(t, s);
}

/* feeder_ranks_alike - true: paths keep their order when facts @a become @b. Stale paths
 * are ordered by the new facts. */
static bool
feeder_ranks_alike(const struct route_source *a, const struct route_source *b)
{
	return ip_equal(a->from, b->from) && a->peer_as == b->peer_as &&
	       a->local_as == b->local_as && a->peer_router_id == b->peer_router_id &&
	       a->is_ebgp == b->is_ebgp && a->in_confed == b->in_confed &&
	       a->med_metric == b->med_metric && a->no_path_metric == b->no_path_metric &&
	       a->no_igp_metric == b->no_igp_metric &&
	       a->prefer_older == b->prefer_older && a->default_med == b->default_med;
}

void
feeder_up(struct table *t, struct feeder *s, TAKE struct origin *o)
{
	const struct origin *was = load_relaxed_ptr(&s->facts);

	if (s->up)
		feeder_new_epoch(t, s);
	else if (s->epoch.kept && !feeder_ranks_alike(&was->src, &o->src))
		feeder_sweep(t, s);
	feeder_count_anew(s);
	feeder_take_facts(s, o);
	s->up = true;
}
