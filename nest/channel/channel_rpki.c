/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters that ask ROA and ASPA tables: a channel subscribes to the tables that its
 * filters ask, once for import and once for export, and looks at the nets again whose
 * answers may have changed.
 *
 * Import: what the table keeps as it was before policy is passed through the filter
 * again; where it isn't kept, the protocol asks for everything again. Export: the filter
 * is asked about the nets again; those that the peer holds and shouldn't, or the other
 * way round, become dirty, and go out as they are now. If filters change attributes, it
 * isn't known what the peer holds, and all of the nets do.
 *
 * I1  While a subscription exists, also one that is being dropped, the channel stays
 *     attached to its table.
 * I2  A mark (nest/rpki/roa_notify.c) goes to the table behind all records, on the ring.
 *
 * Loop: the session's. */
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "filter/rpki.h"
#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rpki/rpki_index.h"
#include "sysdep/log_class.h"
#include "sysdep/loop.h"

#include <errno.h>

#define STEP_NETS 1024 /* a turn */

/* One subscription: with sub.feeder what the import filter asks, without what the export
 * filter does. */
struct channel_watch {
	struct roa_sub sub;
	struct channel *ch;
	struct channel_watch *next;
	bool dropping;
	bool wanted; /* while updating */
};

/* Nets to look at again; the one or the other list of a channel. */
struct recheck {
	struct recheck *next;
	struct roa_hits *hits; /* NULL: all nets */
	uint32_t pos, end; /* in hits->id; if it has none: net ids */
	bool offer; /* those that the peer doesn't hold, whatever the filter says */
};

/* ---- what comes from the index ---- */

static void
ask(struct roa_sub *s, TAKE struct table_mark *mark)
{
	struct channel *ch = container_of(s, struct channel_watch, sub)->ch;
	struct rec rec = { .type = REC_MARK };

	if (!ch->up || ch->detaching) {
		table_marked(mark);
		return;
	}
	rec.mark = mark;
	channel_post_rec(ch, &rec, NULL);
}

static void
recheck_done(struct recheck **at)
{
	struct recheck *r = *at;

	*at = r->next;
	if (r->hits)
		roa_hits_unref(r->hits);
	mem_free(MEM_PROTO, r);
}

/* forget_waiting - a look at all nets comes: nothing that waits behind the first list is
 * needed, but for offers. */
static void
forget_waiting(struct recheck *first)
{
	struct recheck **at = &first->next;

	while (*at)
		if ((*at)->offer)
			at = &(*at)->next;
		else
			recheck_done(at);
}

static struct recheck *
recheck_add(struct channel *ch, struct recheck **at, struct roa_hits *h)
{
	struct recheck *r = mem_zalloc(MEM_PROTO, sizeof(*r));

	r->hits = h;
	r->end = !h || h->all ? table_id_limit(ch->table) : h->cnt;
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

static void
recheck_import(struct channel *ch, struct roa_hits *h)
{
	if (!channel_keeps_pre(ch)) {
		if (!ch->ops->refresh(ch))
			proto_log(ch->proto, LOG_C_WARN,
			    "ROAs or ASPAs have changed, but the peer can't send its "
			    "routes "
			    "again");
		return;
	}
	if (h->all) {
		channel_reload_once_more(ch);
		return;
	}
	if (h->cnt)
		recheck_add(ch, &ch->imp.recheck, h);
}

/* recheck_export - @h NULL: all nets. */
static void
recheck_export(struct channel *ch, struct roa_hits *h)
{
	uint32_t limit = table_id_limit(ch->table);

	if (!ch->sink)
		return;
	if (!ch->exp.rewrites &&
	    !(filter_may_read(ch->exp.view->filter) & FILTER_READ_VOLATILE)) {
		if (ch->exp.recheck && (!h || h->all))
			forget_waiting(ch->exp.recheck);
		recheck_add(ch, &ch->exp.recheck, h);
		return;
	}
	if ((!h || h->all) && limit)
		reader_dirty(&ch->rd, 0, limit);
	for (uint32_t i = 0; h && i < h->cnt; i++)
		reader_dirty(&ch->rd, h->id[i], 1);
	worker_again(&ch->proto->worker);
}

void
channel_recheck_out(struct channel *ch)
{
	while (ch->exp.recheck) /* they are among all nets */
		recheck_done(&ch->exp.recheck);
	recheck_export(ch, NULL);
}

void
channel_offer_others(struct channel *ch)
{
	recheck_add(ch, &ch->exp.recheck, NULL)->offer = true;
}

static void
hits(struct roa_sub *s, TAKE struct roa_hits *h)
{
	struct channel_watch *w = container_of(s, struct channel_watch, sub);
	struct channel *ch = w->ch;

	/* Also of one that is being dropped: the one in its place hasn't been told. */
	if (ch->up && s->feeder)
		recheck_import(ch, h);
	else if (ch->up)
		recheck_export(ch, h);
	roa_hits_unref(h);
}

static void
dropped(struct roa_sub *s)
{
	struct channel_watch *w = container_of(s, struct channel_watch, sub), **at;
	struct channel *ch = w->ch;

	for (at = &ch->watch; *at != w; at = &(*at)->next)
		;
	*at = w->next;
	rpki_index_unref(s->index);
	mem_free(MEM_PROTO, w);
	if (ch->detach_done)
		worker_again(&ch->proto->worker);
}

/* ---- again, in steps ---- */

/* differs - does the peer hold a route for net @id and shouldn't, or the other way round?
 * What is seen may be newer than what was read of the journal: then a segment follows
 * that is decided by what the tables say now. */
static bool
differs(struct channel *ch, uint32_t id)
{
	bool holds = ch->sink->ops->holds(ch->sink, id, 1);
	const struct net *n = table_net_at(ch->table, id);
	const struct path *p = n ? net_best(n) : NULL;
	struct attr_set *out = NULL;
	struct route_view rv;
	struct fnet what;
	int would;

	if (!p)
		return holds;
	rv = (struct route_view){
		.src = path_facts(ch->table, p), .set = path_set(p), .feeder = path_src(p)
	};
	if (!rv.src)
		return true;
	net_view(ch->table, n, &rv, &what);
	would = channel_would_export(
	    ch, channel_filter_thread(ch), &ch->work.arena, &rv, &out);
	if (out)
		attr_set_unref(table_store(ch->table), out, 1);
	return would == -ENOTCONN || (would > 0) != holds;
}

static bool
export_step(struct channel *ch)
{
	struct recheck *r = ch->exp.recheck;

	if (!r)
		return false;
	for (uint32_t cnt = 0; r->pos < r->end && cnt < STEP_NETS; cnt++) {
		uint32_t id = recheck_next(r);

		if (!reader_is_dirty(&ch->rd, id) &&
		    (r->offer ? !ch->sink->ops->holds(ch->sink, id, 1) : differs(ch, id)))
			reader_dirty(&ch->rd, id, 1);
		if (!(cnt % 64))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	if (r->pos == r->end)
		recheck_done(&ch->exp.recheck);
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

		if (n)
			channel_reload_net(ch, n);
		if (!(cnt % 64))
			arena_reset(&ch->work.arena);
	}
	arena_reset(&ch->work.arena);
	if (r->pos == r->end)
		recheck_done(&ch->imp.recheck);
	else if (ch->imp.pend.len)
		ch->imp.was_blocked = true;
	return ch->imp.recheck && !ch->imp.pend.len;
}

bool
channel_recheck_step(struct channel *ch)
{
	bool more;

	if (!ch->up)
		return false;
	more = import_step(ch);
	return export_step(ch) || more;
}

void
channel_recheck_stop(struct channel *ch)
{
	while (ch->imp.recheck)
		recheck_done(&ch->imp.recheck);
	while (ch->exp.recheck)
		recheck_done(&ch->exp.recheck);
}

/* ---- subscriptions ---- */

static void
drop(struct channel_watch *w)
{
	if (w->dropping)
		return;
	w->dropping = true;
	roa_sub_drop(&w->sub);
}

/* What a filter of the channel asks of a table. */
struct need {
	struct rpki_index *index;
	bool import; /* the import filter */
	bool other_nets;
};

/* find - the one for @need that isn't being dropped. */
static struct channel_watch *
find(struct channel *ch, const struct need *need)
{
	struct channel_watch *w = ch->watch;

	while (w && (w->dropping || w->sub.index != need->index ||
			(w->sub.feeder != NULL) != need->import))
		w = w->next;
	return w;
}

/* index_of - it may be another one by the next call (`undo`); then this channel's
 * instance is given the configuration once more. */
static struct rpki_index *
index_of(const struct filter_use *use)
{
	return load_acquire_ptr(&conf_table_of(use->table)->rpki); /* pairs: FTABLE */
}

/* need_of - does filter @f ask need->index about nets of the channel? Sets other_nets. */
static bool
need_of(const struct channel *ch, const struct filter *f, struct need *need)
{
	const struct filter_use *use;
	uint32_t cnt = filter_uses(f, &use);
	bool any = false;

	for (uint32_t k = 0; k < cnt; k++) {
		bool other = use[k].other_nets, aspa = use[k].table->is_aspa;

		if (index_of(&use[k]) != need->index)
			continue;
		/* no prefix of the channel lies in one of the other family */
		if (use[k].table->fam != ch->fam && !other && !aspa)
			continue;
		/* the path that is asked about may have ASes that aren't in the
		 * route's */
		need->other_nets |= other || (aspa && filter_writes_path(f));
		any = true;
	}
	return any;
}

/* start - nothing, if the index is gone or ends: then a configuration without it is under
 * way to this channel's instance. */
static void
start(struct channel *ch, const struct need *need, const struct channel_watch *old)
{
	struct channel_watch *w;

	if (!rpki_index_ref_live(need->index))
		return;
	w = mem_zalloc(MEM_PROTO, sizeof(*w));
	w->sub = (struct roa_sub){ .index = need->index,
		.worker = &ch->proto->worker,
		.routes = ch->table,
		.feeder = need->import ? &ch->ts : NULL,
		.keeps = channel_keeps_pre(ch),
		.other_nets = need->other_nets,
		.ask = ask,
		.hits = hits,
		.dropped = dropped };
	w->ch = ch;
	w->wanted = true;
	if (!roa_sub_start(&w->sub, old ? &old->sub : NULL)) {
		rpki_index_unref(need->index);
		mem_free(MEM_PROTO, w);
		return;
	}
	w->next = ch->watch;
	ch->watch = w;
}

/* want - what filter @f, one of the channel's, asks of need->index. */
static void
want(struct channel *ch, const struct filter *f, struct need *need)
{
	struct channel_watch *w = find(ch, need);

	if (!need_of(ch, f, need))
		return;
	if (!w || w->sub.other_nets != need->other_nets ||
	    w->sub.keeps != channel_keeps_pre(ch)) {
		start(ch, need, w); /* first: no round is told to neither of the two */
		if (w)
			drop(w);
		return;
	}
	w->wanted = true;
}

void
channel_watch_renew(struct channel *ch)
{
	for (struct channel_watch *w = ch->watch; w; w = w->next)
		roa_sub_renew(&w->sub);
}

void
channel_watch_update(struct channel *ch)
{
	const struct filter *f[2] = { ch->cf->import, ch->cf->export };
	const struct filter_use *use;
	struct channel_watch *w;

	for (w = ch->watch; w; w = w->next)
		w->wanted = false;
	for (unsigned i = 0; i < 2 && ch->cf->rpki_reload; i++) {
		uint32_t cnt = filter_uses(f[i], &use);

		for (uint32_t k = 0; k < cnt; k++) {
			struct need need = { index_of(&use[k]), !i, false };

			if (need.index)
				want(ch, f[i], &need);
		}
	}
	for (w = ch->watch; w; w = w->next)
		if (!w->wanted)
			drop(w);
}

void
channel_watch_drop(struct channel *ch)
{
	for (struct channel_watch *w = ch->watch; w; w = w->next)
		drop(w);
}
