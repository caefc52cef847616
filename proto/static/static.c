/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol static: compares the configured routes with the routes in the
 * table.
 *
 * `shown` is the list of announced routes of a configuration (static_list.h), or no list.
 * The work is done in steps. The first possible of these steps is next:
 *
 *      look    compare the ways with the present interfaces; routes of changed ways
 *              become dirty
 *      merge   a new configuration: one walk through both sorted lists withdraws removed
 *              routes and marks new and changed routes as dirty. Then the new list is
 *              `shown`
 *      send    announce each dirty route, or withdraw a route that no packet can follow
 *
 * So a configuration or an interface change does not touch a route whose options and ways
 * stay equal.
 *
 * Loop: the instance's. Tested by test/net/test_static_ways.py and
 * test/net/test_recursive.py. */
#include "proto/static/static.h"

#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/index/igp.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "proto/static/static_bfd.h"
#include "proto/static/static_igp.h"
#include "proto/static/static_list.h"
#include "proto/static/static_maker.h"
#include "proto/static/static_route.h"
#include "proto/static/static_show.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include <stdio.h>

#define STEP_ROUTES 256 /* routes sent before the worker looks for other work */
#define IGP_PACE_NS (100 * NS_PER_MS)

struct static_proto {
	struct proto p; /* first */
	struct channel *ch;
	bool ids; /* routes have path identifiers; false for ROA and ASPA */
	struct static_list shown,
	    to; /* to: the next list, if its configuration is not NULL */
	uint32_t old, now; /* merge: positions in both lists */
	bool stale; /* ways of `shown` are to be looked at */
	bool again; /* all routes are to pass the policy again */
	struct timer more;
	struct static_maker maker;
	struct static_bfd bfd;
	bool detached; /* only BFD requests and the watch still refer to the instance */
	/* scratch for a look; holds the answer for one route */
	struct static_scene scene;
	struct static_igp igp;
	uint64_t igp_ns; /* when a changed IGP table last caused a look */
};

static struct static_proto *
static_of(struct proto *p)
{
	return (struct static_proto *)p;
}

/* ---- towards the table ---- */

/* static_put - write @it as NLRI. Returns: octets. */
static unsigned
static_put(const struct static_proto *s, const struct static_item *it,
    uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK])
{
	return static_item_put(it, table_kind(channel_table(s->ch)), s->ids, to);
}

/* static_withdraw - withdraw item @i of @l, if announced. */
static void
static_withdraw(struct static_proto *s, struct static_list *l, uint32_t i)
{
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];

	if (bitmap_clear(&l->there, i))
		channel_withdraw(
		    s->ch, nlri, static_put(s, &static_list_conf(l)->item[i], nlri));
}

static void
static_announce(struct static_proto *s, uint32_t i)
{
	const struct static_item *it = &static_list_conf(&s->shown)->item[i];
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];
	char text[PREFIX_STR_MAX];
	struct attr_set *set;

	if (it->r->kind == STATIC_IP && prefix_is_bogus(&it->r->vrp.net)) {
		channel_import_bogus(s->ch);
		proto_log(&s->p, LOG_C_WARN, "Ignoring bogus route %s",
		    prefix_str(text, &it->r->vrp.net));
		return;
	}
	set = static_maker_set(
	    &s->maker, it->r, &s->scene.way, channel_conf(s->ch)->preference);
	if (!set) {
		if (it->r->kind == STATIC_ASPA)
			snprintf(text, sizeof(text), "of AS%u", it->r->vrp.asn);
		else
			prefix_str(text, &it->r->vrp.net);
		proto_log(&s->p, LOG_C_ERR, "Route %s has too many attributes", text);
		static_withdraw(s, &s->shown, i); /* withdraw the previous announcement */
		return;
	}
	bitmap_set(&s->shown.there, i);
	channel_import_attrs(s->ch, set, nlri, static_put(s, it, nlri));
	attr_set_unref(s->p.tern->store, set, 1);
}

/* static_send_one - announce or withdraw the next dirty route. Returns: false: no route
 * is dirty. */
static bool
static_send_one(struct static_proto *s)
{
	uint32_t i;

	if (!s->shown.conf)
		return false;
	i = bitmap_next(&s->shown.dirty, s->now);
	if (i == UINT32_MAX && s->now)
		i = bitmap_next(&s->shown.dirty, 0);
	if (i == UINT32_MAX)
		return false;
	s->now = i;
	bitmap_clear(&s->shown.dirty, i);
	if (static_list_way(&s->shown, &s->scene.way, i))
		static_announce(s, i);
	else
		static_withdraw(s, &s->shown, i);
	return true;
}

static void static_igp_changed(struct worker *w);
static void static_igp_gone(struct worker *w);
static const struct igp_watch_ops igp_ops = { .changed = static_igp_changed,
	.gone = static_igp_gone };

/* ---- from one configuration to the next ---- */

static int
static_item_cmp(const struct static_item *a, const struct static_item *b)
{
	int cmp;

	if (!a || !b)
		return a ? -1 : 1;
	cmp = vrp_cmp(&a->r->vrp, &b->r->vrp);
	return cmp ? cmp : a->rid < b->rid ? -1 : a->rid > b->rid;
}

static const struct static_item *
static_item_at(const struct static_list *l, uint32_t i)
{
	const struct static_conf *sc = l->conf ? static_list_conf(l) : NULL;

	return sc && i < sc->item_cnt ? &sc->item[i] : NULL;
}

static void
static_merged(struct static_proto *s)
{
	static_maker_forget(&s->maker);
	static_list_fini(&s->shown);
	s->shown = s->to;
	memset(&s->to, 0, sizeof(s->to));
	s->now = 0;
	s->stale |= s->bfd.cnt; /* some asks may not be wanted any more */
}

static void
static_merge_one(struct static_proto *s)
{
	const struct static_item *old = static_item_at(&s->shown, s->old),
				 *now = static_item_at(&s->to, s->now);
	uint32_t i = s->old, k = s->now;
	int cmp = static_item_cmp(old, now);

	if (!old && !now) {
		static_merged(s);
		return;
	}
	s->old += cmp <= 0;
	s->now += cmp >= 0;
	if (cmp < 0) {
		static_withdraw(s, &s->shown, i);
		return;
	}
	if (cmp == 0 && bitmap_test(&s->shown.there, i))
		bitmap_set(&s->to.there, k);
	if (cmp == 0 && !bitmap_test(&s->shown.dirty, i) &&
	    static_list_same(&s->shown, i, &s->to, k))
		bitmap_clear(&s->to.dirty, k);
	else
		bitmap_set(&s->to.dirty, k);
}

/* static_begin - Returns: false: nothing else is wanted. */
static bool
static_begin(struct static_proto *s)
{
	if (static_list_pick_step(&s->shown))
		return true;
	if (s->shown.conf && s->again)
		bitmap_set_range(
		    &s->shown.dirty, 0, static_list_conf(&s->shown)->item_cnt);
	s->again = false;
	if (s->shown.cf == s->p.cf)
		return false;
	static_list_init(&s->to, s->p.conf, s->p.cf);
	static_igp_set(&s->igp, &s->p, s->p.cf->opt, &igp_ops);
	s->old = s->now = 0;
	return true;
}

/* static_look - one step of a look at the ways. Returns: false: the look is complete. */
static bool
static_look(struct static_proto *s)
{
	s->scene.ifaces = iface_list_get(&s->p.tern->ifaces);
	s->scene.vrf = iface_vrf(s->scene.ifaces, s->p.cf->vrf);
	s->scene.igp = s->igp.table;
	s->scene.bfd = &s->bfd;
	if (s->to.conf)
		return static_list_look(&s->to, &s->scene);
	if (!s->shown.conf)
		return false;
	if (s->stale) {
		s->stale = false;
		static_maker_forget(&s->maker);
		static_list_again(&s->shown);
		static_bfd_begin(&s->bfd);
	}
	if (static_list_look(&s->shown, &s->scene))
		return true;
	static_bfd_end(&s->bfd);
	return false;
}

/* static_step - one step of work. Returns: false: the table has the wanted routes. */
static bool
static_step(struct static_proto *s)
{
	if (static_look(s))
		return true;
	if (s->to.conf) {
		static_merge_one(s);
		return true;
	}
	return static_begin(s) || static_send_one(s);
}

static void
static_resume(struct static_proto *s)
{
	for (uint32_t cnt = 0; proto_life_is_up(&s->p); cnt++) {
		if (!channel_import_ready(s->ch))
			return; /* static_import_ready */
		if (cnt == STEP_ROUTES) {
			timer_set(&s->more, 0);
			return;
		}
		if (!static_step(s))
			break;
	}
	proto_settled(&s->p);
}

static void
static_more(struct timer *t)
{
	struct static_proto *s = container_of(t, struct static_proto, more);

	if (s->stale)
		s->igp_ns = loop_now_ns(&s->p.worker);
	static_resume(s);
}

/* ---- channels ---- */

static void
static_import_ready(struct channel *ch)
{
	static_resume(static_of(channel_proto(ch)));
}

static bool
static_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct static_proto *s = static_of(p);

	(void)cmd;
	s->stale = s->again = false;
	timer_cancel(&s->more);
	static_maker_forget(&s->maker);
	static_bfd_clear(&s->bfd);
	channel_down(s->ch); /* withdraws all routes at once */
	static_list_fini(&s->to);
	static_list_fini(&s->shown);
	return true;
}

static void
static_up(struct proto *p)
{
	struct static_proto *s = static_of(p);
	struct route_source src = { .proto = p->name };

	channel_up(s->ch, &src);
	static_resume(s);
}

static bool
static_refresh(struct channel *ch)
{
	struct static_proto *s = static_of(channel_proto(ch));

	s->again = true;
	timer_set(&s->more, 0);
	return true;
}

/* ---- recursive routes ---- */

static struct static_proto *
static_of_worker(struct worker *w)
{
	return container_of(w, struct static_proto, p.worker);
}

/* static_igp_changed - the IGP table changed: look at once, but at most every
 * IGP_PACE_NS. A static route may change the routes that resolve it; without a pace the
 * two would alternate at full speed. */
static void
static_igp_changed(struct worker *w)
{
	struct static_proto *s = static_of_worker(w);
	uint64_t now = loop_now_ns(w), next = s->igp_ns + IGP_PACE_NS;

	if (!proto_life_is_up(&s->p))
		return;
	s->stale = true;
	if (now < next) {
		if (!timer_active(&s->more))
			timer_set(&s->more, next);
		return;
	}
	s->igp_ns = now;
	static_resume(s);
}

/* static_finish - report the end of the instance if no callback can arrive any more. */
static void
static_finish(struct static_proto *s)
{
	if (s->detached && !static_igp_busy(&s->igp) && !s->bfd.cnt)
		proto_gone(&s->p);
}

static void
static_igp_gone(struct worker *w)
{
	static_of_worker(w)->igp.going--;
	static_finish(static_of_worker(w));
}

static void
static_bfd_lost(struct proto *p)
{
	static_finish(static_of(p));
}

static void
static_proto_bfd(struct proto *p)
{
	static_bfd_look(&static_of(p)->bfd);
}

static void
static_detached(struct proto *p)
{
	struct static_proto *s = static_of(p);

	s->detached = true;
	static_igp_end(&s->igp);
	static_finish(s);
}

/* An instance has no sink, because it sends no routes. */
static const struct channel_ops channel_ops = {
	.remakes = true,
	.import_ready = static_import_ready,
	.limit = proto_life_limit,
	.refresh = static_refresh,
};

/* ---- commands ---- */

static void
static_reconf(struct proto *p, struct proto_cmd *cmd)
{
	proto_life_adopt(p, cmd);
	static_resume(static_of(p));
}

static bool
static_busy(const struct proto *p)
{
	const struct static_proto *s = (const struct static_proto *)p;

	return proto_life_is_up(p) &&
	       (s->again || s->shown.pick || s->to.pick || s->stale ||
		   s->shown.cf != p->cf || bitmap_next(&s->shown.dirty, 0) != UINT32_MAX);
}

static void
static_part(struct proto *p, struct net_pick *pick, bool in, bool out)
{
	struct static_proto *s = static_of(p);

	(void)out;
	if (in)
		static_list_pick(s->to.conf ? &s->to : &s->shown, pick);
	static_resume(s);
}

/* static_concerned - true: the instance has routes whose next hops depend on
 * interfaces. */
static bool
static_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now)
{
	const struct static_conf *sc = proto_conf_get(p)->opt;

	(void)old;
	(void)now;
	return sc->way_cnt;
}

static void
static_ifaces(struct proto *p)
{
	static_of(p)->stale = true;
	static_resume(static_of(p));
}

/* ---- life ---- */

static void
static_make(struct proto *p, const struct conf_proto *cf)
{
	struct static_proto *s = static_of(p);

	static_maker_init(&s->maker, &s->p);
	s->ch = channel_new(&s->p, cf->chan, &channel_ops, NULL);
	s->ids = nlri_is_ip((enum nlri_kind)cf->chan->kind);
	if (s->ids) {
		channel_set_ids(s->ch, NLRI_ID_LEN);
		static_igp_init(&s->igp, p->tern, cf);
	}
}

static void
static_start(struct proto *p)
{
	struct static_proto *s = static_of(p);

	timer_init(&s->more, &p->worker, static_more);
	static_bfd_init(&s->bfd, p, static_ifaces, static_bfd_lost);
}

static void
static_free(struct proto *p)
{
	struct static_proto *s = static_of(p);

	channel_free(s->ch);
	static_igp_free(&s->igp);
	static_maker_fini(&s->maker);
}

/* static_merges - recursive routes merge if their IGP metrics are equal. */
static bool
static_merges(const struct route_cand *a, const struct route_cand *b)
{
	return a->set->local.igp_metric == b->set->local.igp_metric;
}

const struct proto_class static_proto_class = {
	.conf = &static_conf_class,
	.size = sizeof(struct static_proto),
	.make = static_make,
	.start = static_start,
	.command = proto_life_command,
	.life = { .up = static_up, .down = static_down, .reconf = static_reconf },
	.part = static_part,
	.busy = static_busy,
	.plan.concerned = static_concerned,
	.ifaces = static_ifaces,
	.bfd = static_proto_bfd,
	.detached = static_detached,
	.free = static_free,
	.show.route = static_reply_route,
	.order = { .kind = PATH_KIND_STATIC, .merges = static_merges },
};
