/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The published view of a channel for decisions: made again with each configuration and
 * each session, and after a change of the policy below an overlay.
 *
 * Loop: the session's. Tested by test/prop/prop_spine.c and test/net/test_facts.py. */
#include "nest/channel/channel_override_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/filter.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_offer_priv.h"
#include "nest/channel/proto.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/override.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

void
channel_choose(struct channel *ch)
{
	static const struct candidates *const rows[] = { &candidates_all,
		&candidates_overlay, &candidates_first, &candidates_best };
	unsigned i = 0;

	while (!rows[i]->fits(ch)) /* the last row fits always */
		i++;
	ch->exp.cand = rows[i];
	ch->rd = rows[i]->reader(ch);
	ch->exp.watch = rows[i]->next ? ch->exp.watch_kept : NULL;
}

static void
channel_view_free_rcu(struct rcu_node *n)
{
	struct export_view *v = container_of(n, struct export_view, rcu);

	config_ref_put(v->conf);
	if (v->overlay)
		overlay_put(v->overlay);
	overrides_unref(v->overrides);
	mem_free(MEM_PROTO, v->rules);
	mem_free(MEM_PROTO, v);
}

void
channel_view_free(TAKE struct export_view *v)
{
	rcu_free_later(&v->rcu, channel_view_free_rcu);
}

/* view_swap - publish @v. Returns: the old view, now the caller's. */
static OWNED struct export_view *
view_swap(struct channel *ch, struct export_view *v)
{
	struct export_view *old = ch->exp.view;

	ch->exp.view = v;
	ch->exp.rewrites |= v && (v->drains || v->base_rewritten ||
				     filter_may_write(v->filter));
	store_release_ptr(&ch->exp.view_pub, v); /* pairs: CVIEW */
	return old;
}

/* view_accepts_bare - true: @f accepts, unchanged, every route without certain lists of
 * communities. @form gets the bits of these lists, as SEG_LISTS. */
static bool
view_accepts_bare(const struct filter *f, uint8_t *form)
{
	enum filter_verdict v;
	uint8_t lists;

	if (!filter_bare(f, &v, &lists) || v != FILTER_ACCEPT)
		return false;
	*form |= (uint8_t)(lists << SEG_LISTS_AT);
	return true;
}

/* channel_view_uniform - the bits of a segment's form with which only the rules decide;
 * 0: never. */
static uint8_t
channel_view_uniform(const struct channel *ch, const struct export_view *v)
{
	uint8_t form = v->rules->uniform;

	if (!form || v->quarantined || v->only_in || v->drains || v->overrides ||
	    ch->cf->limit.export.action == LIMIT_BLOCK ||
	    !view_accepts_bare(v->filter, &form))
		return 0;
	if (v->over && (!v->overlay || !view_accepts_bare(v->overlay->policy, &form)))
		return 0;
	return form;
}

static void
view_put_overrides(const struct channel *ch, struct export_view *v)
{
	struct overrides *s = ch->offer.of ? NULL : ch->proto->orders.overrides;

	v->peer = ch->proto->name;
	v->peer_as = ch->imp.facts.peer_as;
	if (overrides_find(s, OVERRIDE_NO_EXPORT, v->peer, v->peer_as, NULL))
		v->overrides = overrides_ref(s);
}

static OWNED struct export_view *
view_new(struct channel *ch)
{
	struct export_view *v = mem_zalloc(MEM_PROTO, sizeof(*v));

	v->src = load_relaxed32(&channel_feeder(ch)->id);
	if (channel_is_over(ch)) {
		v->over = true;
		v->overlay = overlay_at_ref(ch->table);
		v->src = v->overlay ? v->overlay->back : NO_FEEDER;
		v->base_rewritten = v->overlay && filter_may_write(v->overlay->policy);
	}
	v->gives = ch->exp.cand->gives;
	if (v->gives == GIVES_BEST && ch->exp.first_allowed)
		v->gives = GIVES_FIRST;
	v->drains = channel_drains(ch);
	v->quarantined = channel_quarantined(ch);
	view_put_overrides(ch, v);
	v->filter = ch->cf->export;
	v->only_in = ch->cf->has_export_in ? &ch->cf->export_in : NULL;
	v->conf = config_ref_get(ch->proto->conf);
	if (!ch->sink)
		return v;
	v->policy = ch->sink->ops->policy;
	v->rules = v->policy ? v->policy->rules(ch->sink)
			     : mem_zalloc(MEM_PROTO, sizeof(*v->rules));
	v->uniform = channel_view_uniform(ch, v);
	return v;
}

struct export_view *
channel_swap_view(struct channel *ch, bool up)
{
	return view_swap(ch, up ? view_new(ch) : NULL);
}

void
channel_publish_view(struct channel *ch)
{
	struct export_view *old = channel_swap_view(ch, true);

	if (old)
		channel_view_free(old);
}
