/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records from sessions into the table, in batches, fair between sources.
 *
 * A session that puts a record on an empty ring pushes its source on the table's stack
 * and wakes the table; no thread scans all rings. In a turn the table takes at most
 * TURN_MAX changes of a ring (and the rest of a record), round robin, and at most
 * BATCH_MAX changes a batch: so a single change waits at most for one round of busy
 * sources. When a ring has room again and its session waits, the table wakes the session.
 *
 * I1  queued is 1 while the source is on the stack or in t->feeders.running. The table
 *     sets queued to 0 only after it saw an empty ring, and then looks again (otherwise a
 *     record pushed in between would wait).
 *
 * The table's loop. */
#include "nest/rib/table/feeder_out.h"
#include "nest/rib/table/feeder_priv.h"
#include "nest/rib/table_priv.h"

#include "lib/attr/attr.h"
#include "lib/base/list.h"
#include "lib/mem/vmem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/ring.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/express.h"
#include "nest/rib/table.h"
#include "nest/rib/table/path_index.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define TURN_MAX  128
#define BATCH_MAX 1024
#define GROUP_MAX 32 /* records whose nets are looked up together */
#define FULL_NS   (60 * NS_PER_S) /* between two lines in the log */

void
feeder_activate(struct feeder *s)
{
	struct table *t = s->table;
	void *head;

	/* I1: the record before the look at queued; pairs with inbox_source_idle's */
	fence_seq_cst();
	if (load_relaxed32(&s->queue.queued) ||
	    xchg_acq_rel32(&s->queue.queued, 1)) /* pairs: SQUEUED */
		return;
	head = load_relaxed_ptr(&t->feeders.active);
	do
		store_relaxed_ptr(&s->queue.active_next, head);
	while (!cas_acq_rel_ptr(&t->feeders.active, &head, s)); /* pairs: SACTIVE */
	worker_wake(&t->worker);
}

bool
feeder_through(const struct feeder *s)
{
	/* `behind` first: when `behind` is 0, the ring has all pending records. */
	return !load_acquire32(&s->queue.behind) &&
	       ring_empty(&s->ring); /* pairs: FBEHIND */
}

/* table_inbox_collect - move the stack to the end of t->feeders.running, oldest first. */
static void
table_inbox_collect(struct table *t)
{
	struct feeder *s = xchg_acq_rel_ptr(&t->feeders.active, NULL),
		      *next; /* pairs: SACTIVE */
	struct list *at = t->feeders.running.prev;

	for (; s; s = next) {
		next = load_relaxed_ptr(&s->queue.active_next);
		ASSERT(s->attached); /* records follow the answer to attach */
		list_insert_after(at, &s->run_link);
	}
}

/* inbox_source_idle - the ring is empty: take the source off the list. Returns: false: a
 * record arrived, and the source stays. */
static bool
inbox_source_idle(struct feeder *s)
{
	list_del(&s->run_link);
	xchg_acq_rel32(&s->queue.queued, 0); /* pairs: SQUEUED */
	fence_seq_cst();
	if (ring_empty(&s->ring) || xchg_acq_rel32(&s->queue.queued, 1))
		return true;
	list_add_tail(&s->table->feeders.running, &s->run_link);
	return false;
}

/* inbox_same_pre - true: the path @p (NULL: none) still has the set that passed the
 * session's policy again. */
static bool
inbox_same_pre(const struct path *p, const struct rec *r)
{
	const struct attr_set *again = r->pre ? r->pre : r->set;
	const struct attr_set *now = p ? path_pre(p) : NULL;

	return now == again ||
	       ((r->flags & REC_PREFER) && now && now->wire == again->wire &&
		   !now->local.custom_words && !again->local.custom_words &&
		   now->local.igp_metric == again->local.igp_metric &&
		   now->local.dest == again->local.dest &&
		   now->local.rts == again->local.rts);
}

/* inbox_count_ignored - count an ignored update; the session counts filtered updates
 * itself. */
static void
inbox_count_ignored(struct feeder *s, const struct route_in *in)
{
	if (!(in->flags & PATH_FILTERED) && !in->seen)
		counter64_bump(&s->stats->imp_upd_ignored, 1);
}

/* inbox_path_is_stale - true: the living path @p of @s is stale. */
static bool
inbox_path_is_stale(const struct feeder *s, const struct path *p)
{
	return path_epoch(p) != s->epoch.now;
}

/* table_inbox_limited - apply the limits to an announcement. A refused path is
 * removed. */
static enum feeder_word
table_inbox_limited(
    struct table *t, struct feeder *s, const struct route_in *in, const struct net_key *k)
{
	const struct path *was = NULL; /* the present path */
	bool filtered = in->flags & PATH_FILTERED;
	enum feeder_word word = FEEDER_TAKES;
	enum reason why = REASON_NONE;
	uint32_t id;
	struct net *n = table_net_find_key(t, k, &id);

	if (n)
		was = table_feeder_path(t, s, n, in->rid);
	if (was && in->again)
		word = feeder_again(s, filtered, &why);
	if (word == FEEDER_TAKES && was && (!inbox_path_is_stale(s, was) || in->again) &&
	    (filtered || !path_filtered(was)))
		return FEEDER_TAKES;
	if (word == FEEDER_TAKES)
		word = feeder_allows(s,
		    !was || (inbox_path_is_stale(s, was) && !in->again), filtered, &why);
	if (word == FEEDER_TAKES && s->limit.net && n &&
	    (!was || (inbox_path_is_stale(s, was) && !in->again)) &&
	    feeder_net_full(t, s, n)) {
		word = FEEDER_REFUSES;
		why = REASON_NET_LIMIT;
	}
	if (word == FEEDER_TAKES) {
		feeder_takes(s, &k->n, in->rid);
		return word;
	}
	inbox_count_ignored(s, in);
	feeder_keeps_out(s, why, &k->n, in->rid);
	if (word == FEEDER_BLOCKS) {
		s->limit.blocked = true;
		return word;
	}
	if (why != REASON_NET_LIMIT) /* noted elsewhere */
		s->limit.refused = true;
	if (was)
		table_withdraw(t, s, n, id, in->rid);
	return word;
}

/* inbox_announce_overdue - the rest of inbox_announce_one for a present path that passed
 * its policy again: an overdue path stays overdue, or is removed. */
static bool
inbox_announce_overdue(
    struct table *t, struct feeder *s, const struct route_in *in, const struct net_key *k)
{
	struct attr_set *set = NULL;
	struct route_in r = *in;
	const struct path *was;
	struct net *n;
	uint32_t id;
	bool ok;

	n = table_net_find_key(t, k, &id);
	was = n ? table_feeder_path(t, s, n, in->rid) : NULL;
	if (was && inbox_path_is_stale(s, was)) {
		set = overdue_set(t, in->set);
		if (!set) {
			table_withdraw(t, s, n, id, in->rid);
			return true;
		}
		r.set = set;
		r.flags |= PATH_OVERDUE;
	}
	ok = !n || table_announce(t, s, n, id, &r);
	if (set)
		attr_set_unref(t->store, set, 1);
	return ok;
}

/* inbox_move_pre - the set before policy of @to, which replaces @was. */
static void
inbox_move_pre(struct route_in *to, const struct rec *r, const struct path *was)
{
	switch (r->flags & REC_FLIP) {
	case REC_KEEP:
		to->pre = path_set(was);
		break;
	case REC_FORGET:
		to->pre = NULL;
		break;
	case REC_FLIP:
		to->pre = was->flags & PATH_PRE ? was->pre[0] : NULL;
		break;
	default:
		to->pre = path_pre(was);
	}
	if (to->pre)
		to->flags |= PATH_PRE;
}

/* inbox_move_one - give a path another set, if the path still has the set of the record;
 * also while the peer is away. */
static void
inbox_move_one(struct table *t, struct feeder *s, const struct rec *r,
    const struct route_in *in, const struct net_key *k)
{
	struct route_in to = *in;
	const struct path *was;
	struct net *n;
	uint32_t id;

	n = table_net_find_key(t, k, &id);
	was = n ? table_feeder_path(t, s, n, in->rid) : NULL;
	if (!was || path_set(was) != r->pre ||
	    ((r->flags & REC_FLIP) != REC_FLIP &&
		path_filtered(was) != ((in->flags & PATH_FILTERED) != 0)))
		return;
	inbox_move_pre(&to, r, was);
	to.again = true;
	if (path_filtered(was) && !(in->flags & PATH_FILTERED) &&
	    table_inbox_limited(t, s, &to, k) != FEEDER_TAKES)
		return; /* the limit keeps the path filtered, or has removed the path */
	to.blocked = path_filtered(was); /* no news of the peer, so not counted */
	if (unlikely(s->epoch.overdue) && !path_filtered(was))
		inbox_announce_overdue(t, s, &to, k);
	else
		table_announce(t, s, n, id, &to);
}

/* inbox_announce_one - Returns: false: the table is full. */
static bool
inbox_announce_one(struct table *t, struct feeder *s, const struct rec *r,
    const struct route_in *in, const struct net_key *k)
{
	struct route_in kept;
	uint32_t id;
	struct net *n;

	if (unlikely(r->flags & REC_MOVE)) {
		inbox_move_one(t, s, r, in, k);
		return true;
	}
	if (r->flags & REC_AGAIN) {
		n = table_net_find_key(t, k, &id);
		if (!n || !inbox_same_pre(table_feeder_path(t, s, n, in->rid), r)) {
			inbox_count_ignored(s, in);
			return true;
		}
	}
	if (s->limit.import.action != LIMIT_OFF || s->limit.receive.action != LIMIT_OFF ||
	    s->limit.net)
		switch (table_inbox_limited(t, s, in, k)) {
		case FEEDER_TAKES:
			break;
		case FEEDER_BLOCKS:
			kept = *in;
			kept.flags |= PATH_FILTERED;
			kept.blocked = true;
			in = &kept;
			break;
		case FEEDER_REFUSES:
			return true;
		}
	/* Without room for a path no net is made; a present net may lose the previous
	 * path of @s. */
	if (unlikely(s->epoch.overdue && in->again) && !(in->flags & PATH_FILTERED))
		return inbox_announce_overdue(t, s, in, k);
	n = likely(table_has_room(t, in->flags)) ? table_net_get_key(t, k, &id)
						 : table_net_find_key(t, k, &id);
	if (n && table_announce(t, s, n, id, in))
		return true;
	inbox_count_ignored(s, in);
	feeder_keeps_out(s, REASON_TABLE_FULL, &k->n, in->rid);
	return false;
}

/* table_inbox_log_full - now and then. */
static void
table_inbox_log_full(struct table *t, const struct route_in *in)
{
	uint64_t now = loop_now_ns(&t->worker);

	if (t->time.full_ns && now - t->time.full_ns < FULL_NS)
		return;
	t->time.full_ns = now;
	if (!table_has_room(t, in->flags))
		log_msg(LOG_C_ERR, "Table %s is full (%u MB of routes): more are refused",
		    t->name, t->paths.mem.steps * (VMEM_STEP >> 20));
	else if (stream_limit(&t->best) >= NET_ID_MAX && !t->best.ids.free_cnt)
		log_msg(LOG_C_ERR, "Table %s is full (%u networks): routes are refused",
		    t->name, NET_ID_MAX);
	else
		log_msg(LOG_C_ERR,
		    "Table %s: a network has %u routes already: more are refused",
		    t->name, PATHS_MOST);
}

static void
inbox_set_rid(struct route_in *in, uint32_t rid)
{
	in->rid = rid;
	in->flags &= (uint8_t)~PATH_EXT;
	if (rid | in->origin)
		in->flags |= PATH_EXT;
}

/* Nets of a record: the looked up nets, and the remaining octets. */
struct rec_nets {
	struct rec *r;
	const uint8_t *pos;
	const struct net_key *key;
	uint32_t cnt;
};

/* Records that are looked up together. */
struct rec_group {
	struct rec_nets rec[GROUP_MAX];
	struct net_key key[NET_KEYS];
};

/* inbox_more_nets - look up further nets of the last record of @g. Returns: false: none.
 */
static bool
inbox_more_nets(const struct table *t, struct rec_group *g, struct rec_nets *n)
{
	const uint8_t *end = n->r->nlri + n->r->nlri_len;

	if (likely(n->pos == end))
		return false;
	n->key = g->key;
	n->cnt = table_keys_read(
	    t, n->r->flags & REC_IDS, g->key, NET_KEYS, &n->pos, end);
	table_keys_ahead(t, g->key, n->cnt);
	return true;
}

/* inbox_takes_from - false: a peer that is away announces nothing; but its stale paths
 * may get other next hops and pass the policy again. */
static bool
inbox_takes_from(const struct feeder *s, const struct rec *r)
{
	return s->up || (r->flags & REC_MOVE) ||
	       (s->epoch.kept && (r->flags & REC_AGAIN));
}

static void
table_inbox_announce(
    struct table *t, struct feeder *s, struct rec_group *g, struct rec_nets *n)
{
	struct rec *r = n->r;
	struct attr_set *kept = r->flags & REC_MOVE ? NULL : r->pre;
	struct route_in in = { .set = r->set,
		.pre = kept,
		.origin = r->origin,
		.flags = (uint8_t)((r->flags & PATH_FILTERED) | (kept ? PATH_PRE : 0) |
				   (r->origin ? PATH_EXT : 0)),
		.again = r->flags & REC_AGAIN,
		.seen = r->flags & REC_SEEN };
	bool full = false, ids = r->flags & REC_IDS, takes = inbox_takes_from(s, r);

	do {
		for (uint32_t i = 0; i < n->cnt && takes; i++) {
			if (unlikely(ids))
				inbox_set_rid(&in, n->key[i].rid);
			if (!inbox_announce_one(t, s, r, &in, &n->key[i]))
				full = true;
		}
	} while (takes && inbox_more_nets(t, g, n));
	if (full)
		table_inbox_log_full(t, &in);
	if (unlikely(r->origin))
		origin_put(origin_find(t->tern->origins, r->origin));
	attr_set_unref(t->store, r->set, 1);
	if (r->pre)
		attr_set_unref(t->store, r->pre, 1);
}

static void
table_inbox_withdraw(
    struct table *t, struct feeder *s, struct rec_group *g, struct rec_nets *n)
{
	bool ids = n->r->flags & REC_IDS;
	struct net *net;
	uint32_t id;

	do
		for (uint32_t i = 0; i < n->cnt; i++) {
			uint32_t rid = ids ? n->key[i].rid : 0;

			net = table_net_find_key(t, &n->key[i], &id);
			feeder_takes(s, &n->key[i].n, rid);
			feeder_count_withdraw(s,
			    net && table_withdraw(t, s, net, id, rid),
			    n->r->flags & PATH_FILTERED);
		}
	while (inbox_more_nets(t, g, n));
}

static void
table_inbox_take_record(
    struct table *t, struct feeder *s, struct rec_group *g, struct rec_nets *n)
{
	struct rec *r = n->r;

	switch ((enum rec_type)r->type) {
	case REC_UP:
		feeder_up(t, s, r->facts);
		break;
	case REC_DOWN:
		feeder_new_epoch(t, s);
		break;
	case REC_AWAY:
	case REC_STALE:
		feeder_stale(t, s, r->type == REC_AWAY);
		break;
	case REC_OVERDUE:
		feeder_overdue(t, s);
		break;
	case REC_SWEEP:
		feeder_sweep(t, s);
		break;
	case REC_ANNOUNCE:
		table_inbox_announce(t, s, g, n);
		break;
	case REC_WITHDRAW:
		table_inbox_withdraw(t, s, g, n);
		break;
	case REC_LIMITS:
		feeder_limits(s, r);
		break;
	case REC_MARK:
		if (r->mark->in_table)
			r->mark->in_table(r->mark);
		table_marked(r->mark);
		break;
	}
}

/* inbox_note_single - @s made @cnt changes: mark the changes noted since the last turn.
 */
static void
inbox_note_single(struct table *t, struct feeder *s, uint32_t cnt)
{
	bool few = express_spend(&s->express, t->time.now_cs, cnt);
	struct stream *st;

	table_each_stream (st, t)
		stream_note_single(st, few);
}

/* table_inbox_gather - the next records of a ring whose nets fit one look-up; the last
 * record may be partial. Returns: number of records. */
static uint32_t
table_inbox_gather(const struct table *t, struct feeder *s, struct rec_group *g)
{
	uint32_t cnt = 0, keys = 0, len;
	struct rec *r = ring_peek(&s->ring, &len);

	while (r && cnt < GROUP_MAX && keys < NET_KEYS) {
		struct rec_nets *n = &g->rec[cnt++];

		*n = (struct rec_nets){ .r = r, .pos = r->nlri, .key = &g->key[keys] };
		n->cnt = table_keys_read(t, r->flags & REC_IDS, &g->key[keys],
		    NET_KEYS - keys, &n->pos, r->nlri + r->nlri_len);
		keys += n->cnt;
		r = ring_next(&s->ring, r);
	}
	table_keys_ahead(t, g->key, keys);
	return cnt;
}

/* table_inbox_take_turn - handle at most TURN_MAX changes of one ring. Returns: number
 * of changes. */
static uint32_t
table_inbox_take_turn(struct table *t, struct feeder *s)
{
	uint32_t cnt = 0, prefixes = 0, recs;
	struct rec_group g;
	bool wake = false;

	while (cnt < TURN_MAX && (recs = table_inbox_gather(t, s, &g)))
		for (uint32_t i = 0; i < recs; i++) {
			cnt += 1 + g.rec[i].r->prefix_cnt;
			prefixes += g.rec[i].r->prefix_cnt;
			table_inbox_take_record(t, s, &g, &g.rec[i]);
			wake |= ring_release(&s->ring);
		}
	inbox_note_single(t, s, prefixes);
	if (wake)
		worker_wake(s->worker);
	return cnt;
}

bool
table_take_records(struct table *t)
{
	uint32_t cnt = 0;

	t->time.now_ns = clock_coarse_ns();
	t->time.now_cs = min_u64(
	    (t->time.now_ns - t->base_ns) / TABLE_CS_NS, PATH_TIME_MAX);
	table_inbox_collect(t);
	while (cnt < BATCH_MAX && !list_empty(&t->feeders.running)) {
		struct feeder *s = container_of(
		    t->feeders.running.next, struct feeder, run_link);

		cnt += table_inbox_take_turn(t, s);
		if (!ring_empty(&s->ring)) {
			list_del(&s->run_link);
			list_add_tail(&t->feeders.running, &s->run_link);
		} else {
			inbox_source_idle(s);
		}
	}
	counter64_bump(&t->st.changes, cnt);
	return !list_empty(&t->feeders.running);
}
