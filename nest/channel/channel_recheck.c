/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a channel that are looked at again, since a filter or what it asks has changed.
 *
 * Import: what the table keeps as it was before policy is passed through the filter
 * again; where it isn't kept, the protocol asks for everything again
 * (channel_refresh.c). Export: the filter
 * is asked about the nets again; those that the peer holds and shouldn't, or the other
 * way round, become dirty, and go out as they are now. If filters change attributes, it
 * isn't known what the peer holds, and all of the nets do; with an export table they all
 * do, too, but what the peer holds isn't sent again (channel_send.c).
 *
 * Each direction has a list of what is to be looked at, in order: a part of the first
 * each turn.
 *
 * I1  Behind the first of a list no more nets wait than the table has ids: one look at
 *     all nets stands for more. Offers aren't among them: each is of one `configure`.
 * I2  On export the first goes on to its end whatever comes: whoever has all looked at
 *     again and again doesn't keep the last nets from it. On import a reload stands for
 *     all lists, and sees to the same itself (channel_reload_once_more).
 *
 * Loop: the session's. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/net_pick.h"
#include "nest/channel/proto.h"
#include "nest/channel/sink.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

#include <errno.h>

#define STEP_NETS 1024 /* nets, or paths, a turn, and the rest of the last net */

/* Nets to look at again; the one or the other list of a channel. */
struct recheck {
	struct recheck *next;
	struct roa_hits *hits; /* NULL: all nets */
	uint32_t pos, end; /* in hits->id; if it has none: net ids */
	uint32_t rid; /* of import: as channel_reload_net */
	struct net_pick *pick; /* these alone, and they all go out; NULL: all */
	bool offer; /* those that the peer doesn't hold, whatever the filter says */
};

static void
recheck_done(struct channel *ch, struct recheck **at)
{
	struct recheck *r = *at;

	*at = r->next;
	if (r->hits)
		roa_hits_unref(r->hits);
	if (r->pick) {
		ch->imp.part_cnt--;
		net_pick_unref(r->pick);
	}
	mem_free(MEM_PROTO, r);
}

/* forget_waiting - a look at all nets comes: nothing that waits behind the first list is
 * needed, but for offers, and what is to be sent. */
static void
forget_waiting(struct channel *ch, struct recheck *first)
{
	struct recheck **at = &first->next;

	while (*at)
		if ((*at)->offer || (*at)->pick)
			at = &(*at)->next;
		else
			recheck_done(ch, at);
}

/* too_many - with @h more would wait behind @first than there are nets. */
static bool
too_many(const struct table *t, const struct recheck *first, const struct roa_hits *h)
{
	uint64_t sum = h->cnt;

	for (const struct recheck *r = first ? first->next : NULL; r; r = r->next)
		if (!r->offer && !r->pick)
			sum += r->end - r->pos;
	return sum > table_id_limit(t);
}

static struct recheck *
recheck_add(struct channel *ch, struct recheck **at, struct roa_hits *h)
{
	struct recheck *r = mem_zalloc(MEM_PROTO, sizeof(*r));

	r->hits = h;
	r->end = !h || h->all
		     ? table_id_limit(at == &ch->imp.recheck ? ch->table : ch->from)
		     : h->cnt;
	if (h)
		counter32_add(&h->refs, 1);
	while (*at)
		at = &(*at)->next;
	*at = r;
	worker_again(&ch->proto->worker);
	return r;
}

/* recheck_next - the next net id of @r, which isn't through. */
static uint32_t
recheck_next(struct recheck *r)
{
	uint32_t i = r->pos++;

	return !r->hits || r->hits->all ? i : r->hits->id[i];
}

void
channel_recheck_import(struct channel *ch, struct roa_hits *h)
{
	if (!channel_keeps_pre(ch) || h->all || too_many(ch->table, ch->imp.recheck, h))
		channel_recheck_again(ch, 0);
	else if (h->cnt)
		recheck_add(ch, &ch->imp.recheck, h);
}

void
channel_recheck_again(struct channel *ch, uint64_t after_ns)
{
	while (ch->imp.recheck) /* they are among all own nets */
		recheck_done(ch, &ch->imp.recheck);
	if (channel_keeps_pre(ch))
		channel_reload_once_more(ch);
	else
		channel_ask_later(ch, after_ns);
}

/* net_dirty - what goes out of net @id: its best route, or each path. */
static void
net_dirty(struct channel *ch, uint32_t id)
{
	const struct net *n;

	if (!ch->sink->all) {
		reader_dirty(ch->rd, id, 1);
		return;
	}
	n = table_net_at(ch->from, id);
	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p))
		if (path_id(p))
			reader_dirty(ch->rd, path_id(p), 1);
}

void
channel_recheck_export(struct channel *ch, struct roa_hits *h)
{
	uint32_t limit;

	if (!ch->sink)
		return;
	if ((!ch->exp.rewrites || ch->exp.view->mixes) && !sink_knows(ch->sink) &&
	    !ch->sink->merges && !(export_reads(ch->exp.view) & FILTER_READ_VOLATILE)) {
		if (h && !h->all && too_many(ch->from, ch->exp.recheck, h))
			h = NULL;
		if (ch->exp.recheck && (!h || h->all))
			forget_waiting(ch, ch->exp.recheck);
		recheck_add(ch, &ch->exp.recheck, h);
		return;
	}
	limit = reader_limit(ch->rd);
	if ((!h || h->all) && limit)
		reader_dirty(ch->rd, 0, limit);
	for (uint32_t i = 0; h && i < h->cnt; i++)
		net_dirty(ch, h->id[i]);
	worker_again(&ch->proto->worker);
}

void
channel_recheck_out(struct channel *ch)
{
	while (ch->exp.recheck && !ch->exp.recheck->pick) /* they are among all nets */
		recheck_done(ch, &ch->exp.recheck);
	channel_recheck_export(ch, NULL);
}

void
channel_offer_others(struct channel *ch)
{
	recheck_add(ch, &ch->exp.recheck, NULL)->offer = true;
}

void
channel_recheck_part(struct channel *ch, TAKE struct net_pick *pick, bool import)
{
	recheck_add(ch, import ? &ch->imp.recheck : &ch->exp.recheck, NULL)->pick = pick;
}

void
channel_refresh_part(struct channel *ch, struct net_pick *pick)
{
	if (!ch->up || !ch->sink)
		return;
	ch->imp.part_cnt++;
	channel_recheck_part(ch, net_pick_ref(pick), false);
}

/* ---- again, in steps ---- */

/* channel_recheck_differs - does the peer hold @p, of @n, which goes out as @id, and
 * shouldn't, or the other way round? @p NULL: there is none. What is seen may be newer
 * than what was read of the journal: then a segment follows that is decided by what the
 * tables say now. */
static bool
channel_recheck_differs(
    struct channel *ch, uint32_t id, const struct net *n, const struct path *p)
{
	bool holds = ch->sink->ops->holds(ch->sink, id, 1);
	struct attr_set *out = NULL;
	struct route_view rv;
	struct fnet what;
	int would;

	if (!p)
		return holds;
	if (ch->second)
		return channel_second_differs(ch, id);
	rv = (struct route_view){
		.src = path_facts(ch->from, p), .set = path_set(p), .feeder = path_src(p)
	};
	if (!rv.src)
		return true;
	net_view(ch->from, n, &rv, &what);
	would = channel_would_export(
	    ch, channel_filter_thread(ch), &ch->work.arena, &rv, &out);
	if (out)
		attr_set_unref(table_store(ch->from), out, 1);
	return would == -ENOTCONN || (would > 0) != holds;
}

static void
look_at_path(struct channel *ch, const struct recheck *r, uint32_t id,
    const struct net *n, const struct path *p)
{
	if (reader_is_dirty(ch->rd, id))
		return;
	if (r->offer ? !ch->sink->ops->holds(ch->sink, id, 1)
		     : channel_recheck_differs(ch, id, n, p))
		reader_dirty(ch->rd, id, 1);
}

/* look_at_net - a path that has gone is withdrawn by the journal. Returns: how many paths
 * it has looked at; at least 1. */
static uint32_t
look_at_net(struct channel *ch, const struct recheck *r, uint32_t id)
{
	const struct net *n = table_net_at(ch->from, id);
	uint32_t cnt = 1;

	if (r->pick) {
		if (n && net_pick_net(r->pick, ch->from, n))
			net_dirty(ch, id);
		return cnt;
	}
	if (!ch->sink->all) {
		look_at_path(ch, r, id, n, n ? net_best(n) : NULL);
		return cnt;
	}
	for (const struct path *p = n ? net_first(n) : NULL; p; p = path_next(p)) {
		if (path_id(p))
			look_at_path(ch, r, path_id(p), n, p);
		if (!(cnt++ % 64))
			arena_reset(&ch->work.arena);
	}
	return cnt;
}

static bool
export_step(struct channel *ch)
{
	struct recheck *r = ch->exp.recheck;

	if (!r)
		return false;
	for (uint32_t cnt = 0, nets = 0; r->pos < r->end && cnt < STEP_NETS; nets++) {
		cnt += look_at_net(ch, r, recheck_next(r));
		if (!(nets % 64))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	if (r->pos == r->end)
		recheck_done(ch, &ch->exp.recheck);
	return true; /* also to send what is dirty now */
}

static bool
import_step(struct channel *ch)
{
	struct recheck *r = ch->imp.recheck;
	uint32_t cnt = 0;

	if (!r)
		return false;
	while (r->pos < r->end && !ch->imp.pend.len && cnt++ < STEP_NETS) {
		const struct net *n = table_net_at(ch->table, recheck_next(r));

		if (n && r->pick && !net_pick_net(r->pick, ch->table, n))
			r->rid = 0;
		else if (n && channel_reload_net(ch, n, &r->rid)) {
			r->pos--; /* it has more */
			break; /* the way to the rest is as long as the net */
		} else
			r->rid = 0;
		if (!(cnt % 64))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	if (r->pos == r->end)
		recheck_done(ch, &ch->imp.recheck);
	else if (ch->imp.pend.len)
		ch->imp.was_blocked = true;
	return ch->imp.recheck && !ch->imp.pend.len;
}

bool
channel_recheck_step(struct channel *ch)
{
	bool more = channel_has_routes(ch) && import_step(ch);

	return (ch->up && export_step(ch)) || more;
}

void
channel_recheck_stop_out(struct channel *ch)
{
	while (ch->exp.recheck)
		recheck_done(ch, &ch->exp.recheck);
}

void
channel_recheck_stop(struct channel *ch)
{
	while (ch->imp.recheck)
		recheck_done(ch, &ch->imp.recheck);
	while (ch->exp.recheck)
		recheck_done(ch, &ch->exp.recheck);
}
