/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index over a ROA or ASPA table: the reader's news go into the map.
 *
 * A segment names the nets that may have changed. The index reads the contents of the
 * nets from the table when the reader flushes, under RCU. So the providers of a customer
 * come from all its accepted routes, though a segment shows the best route only. The
 * table may be newer than the segment; then a further segment follows and changes
 * nothing.
 *
 * I1  `there` says of each net id whether the map has the contents of the net: the table
 *     does not reuse an id before the reader has passed the withdrawal.
 * I2  A batch has at most one change of each net: `noted` has the nets of the batch.
 * I3  The map lives while the index is counted: by the control worker (the table list),
 *     by each configuration with the table (its filters query the map), by subscribers.
 *     The worker ends earlier: when the index was deleted, subscribers and marks under
 *     way are gone, and the reader has left the table.
 * I4  A lagging instance may subscribe with an old configuration after the index was
 *     deleted and the worker has ended or is about to end. The subscriber increments
 *     `users` before it posts, and only if `users` is not 0: so either the worker waits
 *     for the subscriber, or the subscriber knows that no answer will come.
 *
 * Loop: the index's own. Tests: test_rpki_index.c, test_aspa_index.c. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/mem/mem.h"
#include "lib/base/vec.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/aspa.h"
#include "lib/net/roa.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/rib/index/aspa_set.h"
#include "sysdep/loop/loop.h"

#define RPKI_FLUSH_NETS 4096 /* nets of a batch, plus the rest of a segment */

/* ---- news from the reader ---- */

static struct rpki_index *
rpki_index_of_follower(const struct follower *f)
{
	return (struct rpki_index *)(uintptr_t)container_of(f, struct rpki_index, f);
}

static void
rpki_index_note(struct follower *f, uint32_t id, bool has)
{
	struct rpki_index *x = rpki_index_of_follower(f);

	(void)has; /* the flush reads the table */
	if (!bitmap_set(&x->feed.noted, id))
		return;
	x->feed.id = vec_room(MEM_TABLE, x->feed.id, &x->feed.id_cap, x->feed.id_cnt + 1,
	    sizeof(*x->feed.id));
	x->feed.id[x->feed.id_cnt++] = id;
	f->reader.queued++;
}

static uint32_t
rpki_index_holds(const struct follower *f, uint32_t id, uint32_t cnt)
{
	return bitmap_count_range(&rpki_index_of_follower(f)->feed.there, id, cnt);
}

/* ---- into the map ---- */

static bool
rpki_index_counts(const struct table *t, const struct path *p)
{
	return !path_filtered(p) && path_live(t, p);
}

/* rpki_index_attested - the providers of all accepted routes of @n. A customer may spread
 * its providers over several objects, and several caches may know different objects: a
 * provider in any object is authorized (the draft's "union"). An object with "no
 * provider" then has no effect. Returns: NULL: no accepted route. */
static OWNED struct aspa *
rpki_index_attested(const struct table *t, const struct net *n, uint32_t customer)
{
	uint32_t *all = NULL, cnt = 0, cap = 0;
	struct aspa *a;
	bool any = false;

	for (const struct path *p = net_first(n); p; p = path_next(p)) {
		const uint32_t *provider;
		uint32_t more;

		if (!rpki_index_counts(t, p))
			continue;
		any = true;
		more = aspa_get_providers(path_set(p), &provider);
		all = vec_room(MEM_TABLE, all, &cap, cnt + more + 1, sizeof(*all));
		if (more)
			memcpy(all + cnt, provider, more * sizeof(*all));
		cnt += more;
	}
	if (any && !cnt)
		all[cnt++] = 0;
	a = any ? aspa_new(customer, all, cnt) : NULL;
	mem_free(MEM_TABLE, all);
	return a;
}

static bool
rpki_index_differs(const struct aspa *before, const struct aspa *after)
{
	return before && after ? !aspa_same(before, after) : before != after;
}

/* index_flush_customers - Returns: whether the map has changed. */
static bool
index_flush_customers(struct rpki_index *x)
{
	struct aspa_change *c = mem_alloc(MEM_TABLE, x->feed.id_cnt * sizeof(*c));
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < x->feed.id_cnt; i++) {
		const struct net *n = table_net_of(x->f.table, x->feed.id[i]);
		struct nlri k = net_nlri(x->f.table, n);
		struct vrp v = nlri_vrp(NLRI_ASPA, k.word, k.head);
		const struct aspa *before = aspa_map_get(x->aspa, v.asn);
		struct aspa *now = rpki_index_attested(x->f.table, n, v.asn);

		if (!rpki_index_differs(before, now)) {
			mem_free(MEM_TABLE, now);
			continue;
		}
		now ? bitmap_set(&x->feed.there, x->feed.id[i])
		    : bitmap_clear(&x->feed.there, x->feed.id[i]);
		c[cnt++] = (struct aspa_change){ v.asn, now };
		roa_changes_add(&x->pending.changed, &v,
		    !before ? ROA_CAME
		    : now   ? ROA_OTHER
			    : ROA_WENT);
	}
	if (cnt)
		aspa_map_update(x->aspa, c, cnt);
	mem_free(MEM_TABLE, c);
	return cnt > 0;
}

static bool
index_flush_vrps(struct rpki_index *x)
{
	struct vrp_change *c = mem_alloc(MEM_TABLE, x->feed.id_cnt * sizeof(*c));
	enum nlri_kind kind = table_kind(x->f.table);
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < x->feed.id_cnt; i++) {
		const struct net *n = table_net_of(x->f.table, x->feed.id[i]);
		struct nlri k = net_nlri(x->f.table, n);
		bool now = net_best(n) != NULL;

		if (now ? !bitmap_set(&x->feed.there, x->feed.id[i])
			: !bitmap_clear(&x->feed.there, x->feed.id[i]))
			continue;
		c[cnt].vrp = nlri_vrp(kind, k.word, k.head);
		c[cnt].there = now;
		roa_changes_add(
		    &x->pending.changed, &c[cnt++].vrp, now ? ROA_CAME : ROA_WENT);
	}
	if (cnt)
		roa_map_update(x->map, c, cnt);
	mem_free(MEM_TABLE, c);
	return cnt > 0;
}

static void
rpki_index_flush(struct follower *f)
{
	struct rpki_index *x = rpki_index_of_follower(f);
	bool changed;

	if (!x->feed.id_cnt)
		return;
	changed = x->aspa ? index_flush_customers(x) : index_flush_vrps(x);
	for (uint32_t i = 0; i < x->feed.id_cnt; i++)
		bitmap_clear(&x->feed.noted, x->feed.id[i]);
	x->feed.id_cnt = 0;
	if (!changed)
		return;
	store_release64(&x->round.applied,
	    load_relaxed64(&x->round.applied) + 1); /* pairs: RAPPLIED */
	roa_notify_batch_end(x);
}

/* ---- life ---- */

static void
rpki_index_attached(struct follower *f)
{
	reader_all(&f->reader);
	rpki_index_try_stop(rpki_index_of_follower(f));
}

static void
rpki_index_start(struct follower *f)
{
	rpki_wait_begin(rpki_index_of_follower(f));
}

static void
rpki_index_run(struct follower *f, bool idle)
{
	struct rpki_index *x = rpki_index_of_follower(f);

	if (idle) {
		roa_whole_caught_up(x);
		rpki_wait_caught_up(x);
	}
	roa_notify_run(x);
}

static void
rpki_index_leave(struct follower *f)
{
	timer_cancel(&rpki_index_of_follower(f)->wait.timer);
}

static void
rpki_index_end(struct follower *f)
{
	rpki_index_unref(rpki_index_of_follower(f));
}

static const struct follower_ops rpki_follower_ops = {
	.flush_nets = RPKI_FLUSH_NETS,
	.net = rpki_index_note,
	.holds = rpki_index_holds,
	.flush = rpki_index_flush,
	.start = rpki_index_start,
	.attached = rpki_index_attached,
	.run = rpki_index_run,
	.leave = rpki_index_leave,
	.free = rpki_index_end,
};

void
rpki_index_times(struct rpki_index *x, const struct conf_table *cf)
{
	rpki_wait_set(x, cf);
	store_relaxed64(&x->pending.settle_min_ns, cf->settle_min_ns);
	store_relaxed64(&x->pending.settle_max_ns, cf->settle_max_ns);
	store_relaxed32(&x->pending.settle_given, cf->settle_given);
}

struct rpki_index *
rpki_index_new(struct tern *tern, struct table *t, const struct conf_table *cf)
{
	struct rpki_index *x = mem_aligned(MEM_TABLE, CACHE_LINE, sizeof(*x));

	memset(x, 0, sizeof(*x));
	counter32_add(&x->refs, 2); /* the caller's, the worker's */
	counter32_add(&x->users, 1);
	if (table_kind(t) == NLRI_ASPA)
		x->aspa = aspa_map_new();
	else
		x->map = roa_map_new(table_family(t));
	bitmap_init(&x->feed.there, MEM_TABLE);
	bitmap_init(&x->feed.noted, MEM_TABLE);
	follower_init(&x->f, tern, t, &rpki_follower_ops);
	/* the routes of several sources for a customer count together */
	x->f.reader.wants.behind = x->aspa != NULL;
	roa_notify_init(x);
	rpki_wait_init(x, cf);
	rpki_index_times(x, cf);
	follower_start(&x->f, cf->name);
	return x;
}

static void
rpki_index_on_delete(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);

	follower_msg_free(m);
	counter32_sub_acq_rel(&x->users, 1);
	rpki_index_try_stop(x);
}

void
rpki_index_delete(TAKE struct rpki_index *x)
{
	worker_post(&x->f.worker, follower_msg(rpki_index_on_delete));
	rpki_index_unref(x);
}

struct rpki_index *
rpki_index_ref(struct rpki_index *x)
{
	counter32_add(&x->refs, 1);
	return x;
}

bool
rpki_index_ref_live(struct rpki_index *x)
{
	return counter32_add_unless_zero(&x->refs, 1);
}

static void
index_free(struct rcu_node *n)
{
	struct rpki_index *x = container_of(n, struct rpki_index, rcu);

	roa_notify_fini(x);
	roa_map_free(x->map);
	aspa_map_free(x->aspa);
	bitmap_fini(&x->feed.there);
	bitmap_fini(&x->feed.noted);
	mem_free(MEM_TABLE, x->feed.id);
	mem_free(MEM_TABLE, x);
}

void
rpki_index_unref(TAKE struct rpki_index *x)
{
	if (counter32_sub_acq_rel(&x->refs, 1) == 1)
		rcu_free_later(&x->rcu, index_free);
}

const struct table *
rpki_index_table(const struct rpki_index *x)
{
	return x->f.table;
}

struct roa_map *
rpki_index_map(const struct rpki_index *x)
{
	return x->map;
}

struct aspa_map *
rpki_index_aspa(const struct rpki_index *x)
{
	return x->aspa;
}

uint64_t
rpki_index_cnt(const struct rpki_index *x)
{
	return x->aspa ? aspa_map_cnt(x->aspa) : roa_map_cnt(x->map);
}
