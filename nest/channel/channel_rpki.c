/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters that query ROA and ASPA tables: a channel subscribes to the tables of its
 * filters, once for import and once for export, and decides the nets with changed answers
 * again (channel_recheck.c).
 *
 * If a queried table has `rpki wait` and is not ready, or static protocols and pipes are
 * still filling the table after a commit, a session that comes up neither accepts nor
 * sends routes until the table is ready (rpki_wait.c). A session that is up and gets a
 * changed filter waits for the fill of the queried table only. The session accepts no
 * routes by leaving its socket unread, as with a full ring: so no route is judged by
 * missing data. The session sends no routes by having no room: nets stay dirty, and the
 * end of the first feed follows them.
 *
 * I1  While a subscription exists, even a subscription being dropped, the channel stays
 *     attached to its table.
 * I2  A mark (nest/rib/index/roa_notify.c) follows all records to the table, on the ring.
 * I3  A channel of a ROA or ASPA table waits for no fill: it may belong to the fill.
 *
 * Loop: the session's. Tested by test/net/test_rpki.py and test/net/test_roa.py. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "filter/filter.h"
#include "filter/rpki.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

/* One subscription: with sub.feeder for the import filter, without for the export filter.
 * Owner: the channel; freed when the index has dropped the subscription. */
struct channel_watch {
	struct roa_sub sub;
	struct channel *ch;
	struct channel_watch *next;
	bool dropping;
	bool wanted; /* while updating */
};

/* channel_rpki_index_of - the present index. The index may be replaced before the next
 * call (`undo`); then the instance gets its configuration again. */
static struct rpki_index *
channel_rpki_index_of(const struct filter_use *use)
{
	return load_acquire_ptr(&conf_table_of(use->table)->rpki); /* pairs: FTABLE */
}

/* channel_rpki_concerns - true: the filter may query the table about nets of the channel;
 * no prefix of the channel lies in a prefix of the other family. */
static bool
channel_rpki_concerns(const struct channel *ch, const struct filter_use *use)
{
	return use->table->fam == ch->fam || use->other_nets || use->table->is_aspa;
}

/* ---- calls of the index ---- */

static void
channel_rpki_ask(struct roa_sub *s, TAKE struct table_mark *mark)
{
	struct channel *ch = container_of(s, struct channel_watch, sub)->ch;

	if (channel_has_routes(ch) && !ch->life.detaching)
		channel_mark(ch, mark);
	else
		table_marked(mark);
}

static void
channel_rpki_affected(struct roa_sub *s, TAKE struct roa_affected *h)
{
	struct channel_watch *w = container_of(s, struct channel_watch, sub);
	struct channel *ch = w->ch;

	/* A subscription that is being dropped acts too: its successor gets no message
	 * about this round. */
	if (s->feeder && s->keeps && channel_has_routes(ch))
		channel_recheck_import(ch, h);
	else if (s->feeder && !s->keeps && ch->life.away)
		channel_stale_lost(ch, "ROAs or ASPAs have changed");
	else if (!s->feeder && ch->life.up && s->routes == ch->from) /* ids of `from` */
		channel_recheck_export(ch, h);
	roa_affected_unref(h);
}

/* ---- waiting for the first data of a table ---- */

/* channel_rpki_unready - true: the channel waits for index @x. */
static bool
channel_rpki_unready(const struct channel *ch, const struct rpki_index *x)
{
	if (ch->rpki.fills_only)
		return rpki_index_fills(x);
	return ch->cf->is_rpki ? rpki_index_waits_ns(x) > 0 : rpki_index_waits(x);
}

/* rpki_asks_waiting - true: filter @f of the channel queries a table that is not ready.
 */
static bool
rpki_asks_waiting(const struct channel *ch, const struct filter *f)
{
	const struct filter_use *use;
	uint32_t cnt = filter_uses(f, &use);

	for (uint32_t k = 0; k < cnt; k++) {
		const struct rpki_index *x = channel_rpki_index_of(&use[k]);

		if (x && channel_rpki_concerns(ch, &use[k]) &&
		    channel_rpki_unready(ch, x))
			return true;
	}
	return false;
}

/* rpki_out_waits - true: a filter for exported routes queries a table that is not ready.
 */
static bool
rpki_out_waits(const struct channel *ch)
{
	const struct overlay *o = channel_is_over(ch) ? overlay_at(ch->table) : NULL;

	return rpki_asks_waiting(ch, ch->cf->export) ||
	       (o && rpki_asks_waiting(ch, o->policy));
}

/* channel_rpki_release - release routes whose tables are ready. */
static void
channel_rpki_release(struct channel *ch)
{
	if (!ch->rpki.held_out)
		return;
	ch->rpki.held_in = ch->rpki.held_in && rpki_asks_waiting(ch, ch->cf->import);
	ch->rpki.held_out = ch->rpki.held_in || rpki_out_waits(ch);
	worker_again(&ch->proto->worker);
}

void
channel_hold_out(struct channel *ch)
{
	ch->rpki.held_out |= rpki_out_waits(ch);
}

void
channel_hold(struct channel *ch)
{
	ch->rpki.fills_only = false;
	ch->rpki.held_in = rpki_asks_waiting(ch, ch->cf->import);
	ch->rpki.held_out = ch->rpki.held_in || rpki_out_waits(ch);
}

void
channel_hold_changed(struct channel *ch, const struct conf_channel *was)
{
	if (!ch->life.up || ch->cf->is_rpki)
		return;
	if (!ch->rpki.held_out)
		ch->rpki.fills_only = true;
	ch->rpki.held_in |= rpki_asks_waiting(ch, ch->cf->import) &&
			    !filter_same(was->import, ch->cf->import);
	ch->rpki.held_out |= ch->rpki.held_in ||
			     (rpki_asks_waiting(ch, ch->cf->export) &&
				 !filter_same(was->export, ch->cf->export));
}

static void
channel_rpki_ready(struct roa_sub *s)
{
	channel_rpki_release(container_of(s, struct channel_watch, sub)->ch);
}

static void
channel_rpki_again(struct roa_sub *s, uint64_t after_ns)
{
	struct channel *ch = container_of(s, struct channel_watch, sub)->ch;

	if (ch->life
		.up) /* an absent peer cannot be asked: `affected` handled its routes */
		channel_recheck_again(ch, after_ns);
}

static void
channel_rpki_dropped(struct roa_sub *s)
{
	struct channel_watch *w = container_of(s, struct channel_watch, sub), **at;
	struct channel *ch = w->ch;

	for (at = &ch->rpki.watch; *at != w; at = &(*at)->next)
		;
	*at = w->next;
	rpki_index_unref(s->index);
	mem_free(MEM_PROTO, w);
	if (ch->life.detach_done)
		worker_again(&ch->proto->worker);
}

/* ---- subscriptions ---- */

static void
channel_rpki_drop(struct channel_watch *w)
{
	if (w->dropping)
		return;
	w->dropping = true;
	roa_sub_drop(&w->sub);
}

/* A query of the channel's filters to a table. */
struct need {
	struct rpki_index *index;
	bool import; /* the import filter */
	bool other_nets;
};

/* channel_rpki_find - the subscription for @need, unless being dropped. */
static struct channel_watch *
channel_rpki_find(struct channel *ch, const struct need *need)
{
	struct channel_watch *w = ch->rpki.watch;

	while (w && (w->dropping || w->sub.index != need->index ||
			(w->sub.feeder != NULL) != need->import))
		w = w->next;
	return w;
}

/* rpki_need_of - true: filter @f queries need->index about nets of the channel. Sets
 * other_nets. */
static bool
rpki_need_of(const struct channel *ch, const struct filter *f, struct need *need)
{
	const struct filter_use *use;
	uint32_t cnt = filter_uses(f, &use);
	bool any = false;

	for (uint32_t k = 0; k < cnt; k++) {
		bool other = use[k].other_nets, aspa = use[k].table->is_aspa;

		if (channel_rpki_index_of(&use[k]) != need->index ||
		    !channel_rpki_concerns(ch, &use[k]))
			continue;
		/* the queried path may have ASes that the route's path lacks */
		need->other_nets |= other || (aspa && filter_writes_path(f));
		any = true;
	}
	return any;
}

/* channel_rpki_start - subscribe. No effect if the index is gone or ends: then a
 * configuration without the index is under way to the instance. */
static void
channel_rpki_start(
    struct channel *ch, const struct need *need, const struct channel_watch *old)
{
	struct channel_watch *w;

	if (!rpki_index_ref_live(need->index))
		return;
	w = mem_zalloc(MEM_PROTO, sizeof(*w));
	w->sub = (struct roa_sub){ .index = need->index,
		.worker = &ch->proto->worker,
		.routes = need->import ? ch->table : ch->from,
		.feeder = need->import ? &ch->ts : NULL,
		.shunned = channel_is_over(ch) ? NULL : &ch->ts,
		.keeps = channel_keeps_pre(ch),
		.other_nets = need->other_nets,
		.waits_only = !ch->cf->rpki_reload,
		.ask = channel_rpki_ask,
		.affected = channel_rpki_affected,
		.again = channel_rpki_again,
		.ready = channel_rpki_ready,
		.dropped = channel_rpki_dropped };
	w->ch = ch;
	w->wanted = true;
	if (!roa_sub_start(&w->sub, old ? &old->sub : NULL)) {
		rpki_index_unref(need->index);
		mem_free(MEM_PROTO, w);
		return;
	}
	w->next = ch->rpki.watch;
	ch->rpki.watch = w;
}

/* The filters of a channel, by direction. */
struct asked {
	const struct filter *import, *export;
	/* policy of the pipe below an overlay; else NULL */
	const struct filter *below;
};

/* channel_rpki_want - keep, start or replace the subscription for @need by the filters of
 * @a. */
static void
channel_rpki_want(struct channel *ch, const struct asked *a, struct need *need)
{
	struct channel_watch *w = channel_rpki_find(ch, need);
	bool any = rpki_need_of(ch, need->import ? a->import : a->export, need);

	if (!need->import && a->below)
		any |= rpki_need_of(ch, a->below, need);
	if (!any)
		return;
	if (!w || w->sub.other_nets != need->other_nets ||
	    w->sub.keeps != channel_keeps_pre(ch) ||
	    w->sub.waits_only == ch->cf->rpki_reload) {
		/* before the drop: each round notifies at least one of the two
		 * subscriptions */
		channel_rpki_start(ch, need, w);
		if (w)
			channel_rpki_drop(w);
		return;
	}
	w->wanted = true;
}

void
channel_watch_renew(struct channel *ch)
{
	for (struct channel_watch *w = ch->rpki.watch; w; w = w->next)
		if (!ch->life.away || !w->sub.feeder)
			roa_sub_renew(&w->sub);
}

void
channel_watch_update(struct channel *ch)
{
	const struct overlay *o = ch->exp.view ? ch->exp.view->overlay : NULL;
	const struct asked a = { ch->cf->import, ch->cf->export, o ? o->policy : NULL };
	const struct filter *f[] = { a.import, a.export, a.below };
	struct channel_watch *w;

	channel_rpki_release(ch);
	for (w = ch->rpki.watch; w; w = w->next)
		w->wanted = false;
	for (unsigned i = 0;
	     i < ARRAY_LEN(f) && (ch->cf->rpki_reload || ch->rpki.held_out); i++) {
		const struct filter_use *use;
		uint32_t cnt = f[i] ? filter_uses(f[i], &use) : 0;

		for (uint32_t k = 0; k < cnt; k++) {
			struct need need = { channel_rpki_index_of(&use[k]), !i, false };

			if (need.index)
				channel_rpki_want(ch, &a, &need);
		}
	}
	for (w = ch->rpki.watch; w; w = w->next)
		if (!w->wanted)
			channel_rpki_drop(w);
}

void
channel_watch_out_drop(struct channel *ch)
{
	for (struct channel_watch *w = ch->rpki.watch; w; w = w->next)
		if (!w->sub.feeder)
			channel_rpki_drop(w);
}

void
channel_watch_drop(struct channel *ch)
{
	for (struct channel_watch *w = ch->rpki.watch; w; w = w->next)
		channel_rpki_drop(w);
}

void
channel_import_part(struct channel *ch)
{
	struct rpki_index *x = load_acquire_ptr(&ch->cf->table->rpki); /* pairs: FTABLE */

	if (x && ch->life.up && !ch->imp.whole)
		ch->imp.whole = rpki_index_mark(x);
}

static void
rpki_post_whole(struct channel *ch)
{
	struct table_mark *m = ch->imp.whole;

	ch->imp.whole = NULL;
	if (m)
		channel_mark(ch, m);
}

void
channel_import_whole(struct channel *ch)
{
	channel_import_part(ch); /* an empty set of data is complete too */
	rpki_post_whole(ch);
}

void
channel_import_partial(struct channel *ch)
{
	if (ch->imp.whole)
		rpki_index_mark_partial(ch->imp.whole);
	rpki_post_whole(ch);
}
