/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The routes of a net before and after: each path of a channel with another import policy
 * passes the new policy, and the routes that result are put in order.
 *
 * I1  Loop: the owner's. All pointers are borrowed for one step, under RCU.
 * I2  A route whose received form is unknown stays as it is.
 *
 * Tested by test/net/test_preview.py. */
#include "nest/preview/preview_priv.h"

#include "lib/mem/arena.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_try.h"
#include "nest/preview/preview.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

static struct preview_channel *
preview_net_source(const struct preview_table *t, const struct path *p)
{
	uint32_t src = path_src(p);

	return src < t->source_cnt ? t->source[src] : NULL;
}

/* preview_net_leaves - true: the configuration removes the path, whatever the filter
 * says. Stale routes of a peer that is away are removed if they cannot pass the new
 * policy (channel_ops.withdraw_stale). */
static bool
preview_net_leaves(
    const struct preview_table *t, const struct preview_channel *c, const struct path *p)
{
	if (!c->cf)
		return true;
	return c->import_changed && path_stale(t->table, p) && !channel_keeps(c->ch) &&
	       !channel_seems_up(c->ch);
}

static void
preview_net_path(struct preview *pv, const struct preview_table *t, const struct net *n,
    const struct path *p, struct preview_path *pp)
{
	struct preview_channel *c = preview_net_source(t, p);
	struct channel_trial trial = { .ft = pv->ft, .arena = &pv->work };
	bool live = path_live(t->table, p);

	*pp = (struct preview_path){ .path = p, .from = c };
	pp->was = pp->is = live && !path_filtered(p);
	if (!c || !live)
		return;
	if (preview_net_leaves(t, c, p)) {
		pp->is = false;
		pp->answer.reason = REASON_DOWN;
	} else if (c->import_changed) {
		trial.cf = c->cf;
		trial.conf = c->of->conf;
		trial.quarantine = c->quarantine;
		pp->tried = true;
		pp->sure = channel_try_import(c->ch, &trial, n, p, &pp->answer);
		if (pp->sure)
			pp->is = pp->answer.accept;
		arena_reset(&pv->work);
	}
}

/* preview_net_set - the set of a route after. */
static struct attr_set *
preview_net_set(const struct preview_path *pp)
{
	return pp->sure ? pp->answer.set : path_set(pp->path);
}

static bool
preview_net_differs(const struct preview_path *pp)
{
	return pp->was != pp->is || (pp->is && preview_net_set(pp) != path_set(pp->path));
}

/* preview_net_order - the routes after, the best last. */
static void
preview_net_order(
    struct preview *pv, const struct preview_table *t, struct preview_net *n)
{
	n->cand = arena_alloc(&pv->arena, (n->path_cnt + 1) * sizeof(*n->cand));
	for (uint32_t i = 0; i < n->path_cnt; i++) {
		const struct preview_path *pp = &n->path[i];

		if (pp->is)
			n->cand_cnt += overlay_cand(&n->cand[n->cand_cnt], t->table,
			    pp->path, preview_net_set(pp), true);
	}
	if (!n->cand_cnt)
		return;
	overlay_sort_ties(t->table, n->cand, n->cand_cnt);
	overlay_sort(n->cand, n->cand_cnt);
}

bool
preview_net_look(
    struct preview *pv, struct preview_table *t, uint32_t id, struct preview_net *n)
{
	*n = (struct preview_net){ .id = id, .net = table_net_at(t->table, id) };
	if (!n->net)
		return false;
	n->was = net_best(n->net);
	if (!t->import_changed)
		return true;
	for (const struct path *p = net_first(n->net); p; p = path_next(p))
		n->path_cnt++;
	n->path = arena_alloc(&pv->arena, (n->path_cnt + 1) * sizeof(*n->path));
	uint32_t cnt = 0;
	for (const struct path *p = net_first(n->net); p && cnt < n->path_cnt;
	     p = path_next(p)) {
		struct preview_path *pp = &n->path[cnt++];

		preview_net_path(pv, t, n->net, p, pp);
		if (!preview_net_differs(pp))
			continue;
		n->changed = true;
		if (pp->was && !pp->is && !n->lost_why) {
			n->lost_why = pp->answer.reason;
			n->file = pp->answer.file;
			n->line = pp->answer.line;
		}
	}
	n->path_cnt = cnt;
	if (n->changed)
		preview_net_order(pv, t, n);
	return true;
}

void
preview_net_done(
    struct preview *pv, const struct preview_table *t, const struct preview_net *n)
{
	for (uint32_t i = 0; n->path && i < n->path_cnt; i++) {
		const struct preview_path *pp = &n->path[i];
		struct preview_sample s;

		if (!preview_net_differs(pp) || !pp->from)
			continue;
		s = (struct preview_sample){ .net = net_prefix(t->table, n->net),
			.rid = path_rid(pp->path),
			.reason = pp->answer.reason,
			.file = pp->answer.file,
			.line = pp->answer.line };
		preview_count(pv, &pp->from->in,
		    pp->was == pp->is ? PREVIEW_CHANGED
		    : pp->is          ? PREVIEW_GAINED
				      : PREVIEW_LOST,
		    &s);
	}
}

void
preview_net_drop(struct preview_net *n)
{
	for (uint32_t i = 0; n->path && i < n->path_cnt; i++)
		if (n->path[i].tried)
			channel_try_done(n->path[i].from->ch, &n->path[i].answer);
}
