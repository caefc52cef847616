/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions of a channel under a configuration that is not in force (channel_try.h).
 *
 * I1  An import follows the steps of import_run_policy (channel_import.c), and an export
 *     is decided by the code of export_decide.c about a copy of the published view.
 * I2  Only published and constant fields of the channel are read.
 *
 * Loop: any thread under RCU. Tested by test/net/test_preview.py. */
#include "nest/channel/channel_try.h"

#include "filter/filter.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_ask_priv.h"
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

static const struct export_view *
try_view(const struct channel *ch)
{
	return load_acquire_ptr(&ch->exp.view_pub); /* pairs: CVIEW */
}

static bool
try_drains(const struct channel *ch)
{
	const struct export_view *v = try_view(ch);

	return v && v->drains;
}

/* try_leads - true: routes get hops outside of the filter. */
static bool
try_leads(const struct channel *ch)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct route_source *f = channel_facts(ch);

	return ch->ts.hop_nets ||
	       ((cf->prefer_local || cf->over_link) && f && f->link_if);
}

enum try_known
channel_try_known(const struct channel *ch)
{
	if (try_leads(ch))
		return TRY_NONE;
	if (channel_keeps(ch))
		return TRY_ALL;
	return filter_may_write(channel_conf(ch)->import) || try_drains(ch)
		   ? TRY_NONE
		   : TRY_ACCEPTED;
}

/* ---- import ---- */

/* try_received - the set of @p before policy; NULL: unknown. */
static struct attr_set *
try_received(const struct channel *ch, const struct path *p)
{
	enum try_known known = channel_try_known(ch);

	if (known == TRY_ALL)
		return path_pre(p);
	return known == TRY_ACCEPTED && !path_filtered(p) ? path_set(p) : NULL;
}

/* try_shut - true: the session is in quarantine. */
static bool
try_shut(const struct channel *ch, const struct channel_trial *t)
{
	return t->quarantine ? t->quarantine == TRY_QUARANTINED
			     : channel_in_quarantine(ch);
}

/* try_put_orders - apply overrides, a quarantine and a drain to the verdict @v of the
 * filter. */
static void
try_put_orders(const struct channel *ch, const struct channel_trial *t,
    const struct route_view *rv, enum filter_verdict v, struct attr_edit *e,
    struct try_answer *out)
{
	struct attr_store *store = table_store(ch->table);
	const struct override *o = channel_override_at(ch, &rv->net, false);
	bool shut = try_shut(ch, t);

	if (v != FILTER_ACCEPT && channel_override_accepting(ch, &rv->net)) {
		attr_edit_init(e, t->arena, rv->set);
		v = FILTER_ACCEPT;
	}
	if (v != FILTER_ACCEPT)
		return;
	out->held = try_drains(ch) ? channel_drain_set(store, e, true)
				   : attr_store_edit(store, e);
	out->set = out->held;
	out->blocked = out->set && (o || shut);
	out->accept = out->set && !out->blocked;
	if (out->blocked)
		out->reason = shut ? REASON_QUARANTINE : REASON_OVERRIDE;
}

/* try_quarantine - the answer about the path @p, whose import a quarantine alone changes,
 * of a channel that keeps no routes before policy. Returns: false: no such path. */
static bool
try_quarantine(const struct channel *ch, const struct channel_trial *t,
    const struct net *n, const struct path *p, struct try_answer *out)
{
	struct prefix net = net_prefix(ch->table, n);
	bool shut = try_shut(ch, t);

	if (!t->quarantine || channel_keeps(ch) || !attr_set_ref_live(path_set(p)))
		return false;
	out->set = out->held = path_set(p);
	out->blocked = shut || channel_override_at(ch, &net, false);
	out->accept = !out->blocked;
	if (out->blocked)
		out->reason = shut ? REASON_QUARANTINE : REASON_OVERRIDE;
	return true;
}

bool
channel_try_import(const struct channel *ch, const struct channel_trial *t,
    const struct net *n, const struct path *p, struct try_answer *out)
{
	const struct conf_channel *was = channel_conf(ch), *cf = t->cf ? t->cf : was;
	struct attr_set *pre = try_received(ch, p);
	const struct origin *from = path_origin_of(ch->table, p);
	struct route_view rv = { .set = pre };
	enum filter_verdict v;
	struct attr_edit e;
	struct fnet what;
	uint32_t reads = 0;

	*out = (struct try_answer){ .reason = REASON_IMPORT_FILTER };
	if (try_quarantine(ch, t, n, p, out))
		return true;
	if (!pre || !from)
		return false;
	rv.src = &from->src;
	net_view(ch->table, n, &rv, &what);
	attr_edit_init(&e, t->arena, pre);
	if (pre->local.preference == was->preference)
		e.local.preference = cf->preference;
	v = filter_run(cf->import, t->ft, &channel_quiet_env, &rv, &e, &reads);
	(void)filter_where(t->ft, cf->import, &out->file, &out->line);
	try_put_orders(ch, t, &rv, v, &e, out);
	return true;
}

/* ---- export ---- */

/* The view of a trial, with the policy below. */
struct try_views {
	struct export_view view;
	struct overlay below;
};

static void
try_put_trial(const struct channel *ch, struct try_views *b, const struct export_view *v,
    const struct channel_trial *t)
{
	b->view = *v;
	b->view.quarantined = try_shut(ch, t);
	b->view.filter = t->cf->export;
	b->view.only_in = t->cf->has_export_in ? &t->cf->export_in : NULL;
	b->view.conf = t->conf;
	if (!v->overlay || !t->below)
		return;
	b->below = *v->overlay;
	b->below.policy = t->below;
	b->below.conf = t->conf;
	b->view.overlay = &b->below;
}

void
channel_try_export(const struct channel *ch, const struct channel_trial *t,
    const struct route_view *r, struct try_answer *out)
{
	struct export_question q = export_question_of(ch, t->ft, t->arena, r);
	struct export_answer a;
	struct try_views b;

	*out = (struct try_answer){ .reason = REASON_DOWN };
	if (!q.v)
		return;
	if (t->cf) {
		try_put_trial(ch, &b, q.v, t);
		q.v = &b.view;
	}
	q.quiet = true;
	export_decide_asked(&q, &a);
	out->accept = a.verdict == EXPORT_ACCEPT;
	out->absent = a.absent;
	out->reason = a.reason;
	out->way = a.way;
	out->set = out->accept ? a.set : NULL;
	out->held = a.held;
	if (a.reason == REASON_EXPORT_FILTER)
		(void)filter_where(t->ft, q.v->filter, &out->file, &out->line);
}

void
channel_try_done(const struct channel *ch, struct try_answer *a)
{
	attr_hold_put(table_store(ch->table), &a->held, NULL);
}

bool
channel_try_same(
    const struct channel *ch, const struct try_answer *a, const struct try_answer *b)
{
	return a->way == b->way &&
	       (ch->sink->wire_only ? a->set->wire == b->set->wire : a->set == b->set);
}

bool
channel_try_by_net(const struct channel *ch, const struct channel_trial *t)
{
	const struct export_view *v = try_view(ch);
	struct try_views b;

	if (!v || export_by_net(v) || !t->cf)
		return v && export_by_net(v);
	try_put_trial(ch, &b, v, t);
	return export_by_net(&b.view);
}
