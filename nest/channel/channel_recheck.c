/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of a channel that are decided again after a filter, or a table queried by a
 * filter, changed.
 *
 * Import: routes that the table keeps before policy pass the filter again; without kept
 * routes, the protocol asks for all routes again (channel_refresh.c). Export: the filter
 * decides the nets again; nets whose state at the peer differs from the answer become
 * dirty and are sent. If filters change attributes, the peer's state is unknown, and all
 * of the nets become dirty; with an export table all become dirty too, but the sink sends
 * only differences (channel_send.c).
 *
 * Each direction has an ordered list of work: each turn does a step of the first entry.
 *
 * I1  Behind the first entry of a list, no more nets wait than the table has ids: one
 *     look at all nets replaces further entries. Offers do not count: each belongs to one
 *     `configure`.
 * I2  On export the first entry continues to its end: so repeated requests for all nets
 *     do not starve the last nets. On import a reload replaces all lists, and has an
 *     equal guarantee (channel_reload_once_more).
 *
 * Loop: the session's. */
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/channel_walk.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/channel/proto.h"
#include "nest/channel/export/sink.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/read.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

#include <errno.h>

/* Nets to decide again; an entry of a list. Owner: the channel; freed by recheck_done. */
struct recheck {
	struct recheck *next;
	struct channel *ch;
	struct roa_affected *affected; /* NULL: all nets */
	struct channel_walk walk;
	uint32_t rid; /* of import: as channel_reload_net */
	struct net_pick *pick; /* only these nets, sent in any case; NULL: all nets */
	bool missing; /* only nets that the peer does not hold */
};

static void
recheck_done(struct channel *ch, struct recheck **at)
{
	struct recheck *r = *at;

	*at = r->next;
	if (r->affected)
		roa_affected_unref(r->affected);
	if (r->pick) {
		ch->imp.part_cnt--;
		net_pick_unref(r->pick);
	}
	mem_free(MEM_PROTO, r);
}

/* recheck_forget_waiting - a look at all nets follows: drop waiting entries behind
 * @first, except for offers and picks. */
static void
recheck_forget_waiting(struct channel *ch, struct recheck *first)
{
	struct recheck **at = &first->next;

	while (*at)
		if ((*at)->missing || (*at)->pick)
			at = &(*at)->next;
		else
			recheck_done(ch, at);
}

/* channel_recheck_too_many - true: with @h, more nets would wait behind @first than
 * exist. */
static bool
channel_recheck_too_many(
    const struct table *t, const struct recheck *first, const struct roa_affected *h)
{
	uint64_t sum = h->cnt;

	for (const struct recheck *r = first ? first->next : NULL; r; r = r->next)
		if (!r->missing && !r->pick)
			sum += r->walk.end - r->walk.pos;
	return sum > table_id_limit(t);
}

static struct recheck *
recheck_add(struct channel *ch, struct recheck **at, struct roa_affected *h)
{
	struct recheck *r = mem_zalloc(MEM_PROTO, sizeof(*r));

	r->ch = ch;
	r->affected = h;
	r->walk.id = !h || h->all ? NULL : h->id;
	r->walk.end = !h || h->all
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

void
channel_recheck_import(struct channel *ch, struct roa_affected *h)
{
	if (!channel_keeps_pre(ch) || h->all ||
	    channel_recheck_too_many(ch->table, ch->imp.recheck, h))
		channel_recheck_again(ch, 0);
	else if (h->cnt)
		recheck_add(ch, &ch->imp.recheck, h);
}

void
channel_recheck_again(struct channel *ch, uint64_t after_ns)
{
	while (ch->imp.recheck) /* a look at all own nets includes them */
		recheck_done(ch, &ch->imp.recheck);
	if (channel_keeps_pre(ch))
		channel_reload_once_more(ch);
	else
		channel_ask_later(ch, after_ns);
}

static void
recheck_item_dirty(void *arg, uint32_t id, const struct net *n, const struct path *p)
{
	struct channel *ch = arg;

	(void)n, (void)p;
	reader_dirty(ch->rd, id, 1);
}

/* recheck_net_dirty - mark the items of net @id as dirty. Returns: the cost. */
static uint32_t
recheck_net_dirty(struct channel *ch, uint32_t id)
{
	return ch->exp.cand->items(
	    ch, id, table_net_at(ch->from, id), recheck_item_dirty, ch);
}

void
channel_recheck_export(struct channel *ch, struct roa_affected *h)
{
	uint32_t limit;

	if (!ch->sink)
		return;
	if ((!ch->exp.rewrites || ch->exp.view->base_rewritten) &&
	    !sink_knows(ch->sink) && !ch->sink->merges &&
	    !(export_reads(ch->exp.view) & FILTER_READ_VOLATILE)) {
		if (h && !h->all &&
		    channel_recheck_too_many(ch->from, ch->exp.recheck, h))
			h = NULL;
		if (ch->exp.recheck && (!h || h->all))
			recheck_forget_waiting(ch, ch->exp.recheck);
		recheck_add(ch, &ch->exp.recheck, h);
		return;
	}
	limit = reader_limit(ch->rd);
	if ((!h || h->all) && limit)
		reader_dirty(ch->rd, 0, limit);
	for (uint32_t i = 0; h && i < h->cnt; i++)
		recheck_net_dirty(ch, h->id[i]);
	worker_again(&ch->proto->worker);
}

void
channel_recheck_out(struct channel *ch)
{
	/* a look at all nets includes them */
	while (ch->exp.recheck && !ch->exp.recheck->pick)
		recheck_done(ch, &ch->exp.recheck);
	channel_recheck_export(ch, NULL);
}

void
channel_send_missing(struct channel *ch)
{
	recheck_add(ch, &ch->exp.recheck, NULL)->missing = true;
}

void
channel_recheck_part(struct channel *ch, TAKE struct net_pick *pick, bool import)
{
	recheck_add(ch, import ? &ch->imp.recheck : &ch->exp.recheck, NULL)->pick = pick;
}

/* ---- again, in steps ---- */

/* channel_recheck_differs - true: the peer's state of @id differs from the answer about
 * @p of @n (NULL: no path). The table may be newer than the position in the journal: then
 * a segment follows, decided by the present tables. */
static bool
channel_recheck_differs(
    struct channel *ch, uint32_t id, const struct net *n, const struct path *p)
{
	bool holds = channel_holds(ch->rd, id, 1);
	struct attr_set *out = NULL;
	struct route_view rv;
	struct fnet what;
	int would;

	if (!p)
		return holds;
	if (ch->exp.watch)
		return candidates_differs(ch, id);
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
recheck_look_at_item(void *arg, uint32_t id, const struct net *n, const struct path *p)
{
	const struct recheck *r = arg;
	struct channel *ch = r->ch;

	if (reader_is_dirty(ch->rd, id))
		return;
	if (r->missing ? !channel_holds(ch->rd, id, 1)
		       : channel_recheck_differs(ch, id, n, p))
		reader_dirty(ch->rd, id, 1);
}

/* recheck_look_at_net - recheck one net; the journal withdraws removed paths. */
static uint32_t
recheck_look_at_net(void *arg, uint32_t id, const struct net *n)
{
	struct recheck *r = arg;
	struct channel *ch = r->ch;

	if (!r->pick)
		return ch->exp.cand->items(ch, id, n, recheck_look_at_item, r);
	return n && net_pick_matches(r->pick, ch->from, n) ? recheck_net_dirty(ch, id)
							   : 1;
}

static bool
recheck_export_step(struct channel *ch)
{
	struct recheck *r = ch->exp.recheck;

	if (!r)
		return false;
	if (!channel_walk_step(ch, &r->walk, ch->from, false, recheck_look_at_net, r))
		recheck_done(ch, &ch->exp.recheck);
	return true; /* run again, to send dirty nets */
}

static uint32_t
recheck_import_net(void *arg, uint32_t id, const struct net *n)
{
	struct recheck *r = arg;

	(void)id;
	if (n && (!r->pick || net_pick_matches(r->pick, r->ch->table, n)) &&
	    channel_reload_net(r->ch, n, &r->rid))
		return WALK_STAY; /* the way to the rest is as long as the net */
	r->rid = 0;
	return 1;
}

static bool
recheck_import_step(struct channel *ch)
{
	struct recheck *r = ch->imp.recheck;

	if (!r || ch->rpki.held_in)
		return false;
	if (!channel_walk_step(ch, &r->walk, ch->table, true, recheck_import_net, r))
		recheck_done(ch, &ch->imp.recheck);
	else if (ch->imp.pend.len)
		ch->imp.was_blocked = true;
	return ch->imp.recheck && !ch->imp.pend.len;
}

bool
channel_recheck_step(struct channel *ch)
{
	bool more = channel_has_routes(ch) && recheck_import_step(ch);

	return (ch->life.up && recheck_export_step(ch)) || more;
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
