/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol direct: the routes that the present interfaces give
 * (direct_routes.h), and the transfer of changes to the tables.
 *
 * `shown` is the list of routes that a table has. After a change of interfaces or
 * configuration (`stale`) the instance computes the new list and compares both lists;
 * routes that differ are withdrawn and announced, a part at a time, and then the new list
 * is `shown`. Further changes during the transfer cause one more comparison afterwards.
 * Each family is independent: while the routes of one family wait, the other family
 * continues.
 *
 * A network may be on several interfaces: each interface gives a path, with the
 * interface's number as path identifier.
 *
 * Loop: the instance's. Tested by test/net/test_direct.py. */
#include "proto/direct/direct.h"

#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "proto/direct/direct_conf.h"
#include "proto/direct/direct_routes.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

#define STEP_ROUTES 256 /* between two looks at the other work */

/* Routes of one family. */
struct direct_fam {
	struct channel *ch; /* NULL: the configuration has none */
	bool stale; /* `shown` may not be what is wanted */
	bool again; /* all routes are to pass the policy again */
	struct net_pick *pick; /* these are to; NULL: none */
	struct direct_routes shown, to;
	struct {
		bool on;
		bool all; /* unchanged routes as well */
		struct net_pick *pick; /* picked nets as well; NULL: none */
		uint32_t old, now; /* positions in both lists */
	} sync;
};

struct direct_proto {
	struct proto p; /* first */
	struct direct_fam fam[FAM_CNT];
	struct timer more;
	struct arena arena;
};

static struct direct_proto *
direct_of(struct proto *p)
{
	return (struct direct_proto *)p;
}

/* ---- towards the tables ---- */

/* direct_make_set - what @r is before the import policy, with a reference. */
static OWNED struct attr_set *
direct_make_set(struct direct_proto *s, const struct direct_route *r, uint32_t preference)
{
	struct attr_store *store = s->p.tern->store;
	struct attr_set *set;
	struct attr_edit e;
	int err;

	attr_edit_init(&e, &s->arena, attr_store_empty(store));
	e.local = (struct attr_local){ .preference = preference,
		.igp_metric = UINT32_MAX,
		.dest = DEST_UNICAST,
		.rts = RTS_DEVICE };
	err = hop_set_iface(&e, r->index, r->name);
	ASSERT(!err); /* the set has no other attribute */
	set = attr_store_edit(store, &e);
	ASSERT(set);
	arena_reset(&s->arena);
	return set;
}

/* direct_put - @r as NLRI. Returns: octets. */
static unsigned
direct_put(const struct direct_route *r, uint8_t to[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK])
{
	struct nlri n = nlri_of_prefix(&r->net);

	memset(to, 0, NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK);
	put_be32(to, r->index);
	return NLRI_ID_LEN + NLRI_BY_KIND((enum nlri_kind)r->net.fam, nlri_put,
				 to + NLRI_ID_LEN, n.word, n.head);
}

/* direct_change - @r comes, or goes. */
static void
direct_change(struct direct_proto *s, const struct direct_route *r, bool comes)
{
	struct channel *ch = s->fam[r->net.fam].ch;
	uint8_t nlri[NLRI_ID_LEN + NLRI_MAX + NLRI_SLACK];
	char text[PREFIX_STR_MAX];
	struct attr_set *set;

	if (prefix_is_bogus(&r->net)) {
		if (comes) {
			channel_import_bogus(ch);
			proto_log(&s->p, LOG_C_WARN, "Ignoring bogus route %s",
			    prefix_str(text, &r->net));
		}
	} else if (comes) {
		set = direct_make_set(s, r, channel_conf(ch)->preference);
		channel_import_attrs(ch, set, nlri, direct_put(r, nlri));
		attr_set_unref(s->p.tern->store, set, 1);
	} else {
		channel_withdraw(ch, nlri, direct_put(r, nlri));
	}
}

/* direct_sync_one - Returns: false: both lists are through. */
static bool
direct_sync_one(struct direct_proto *s, struct direct_fam *f)
{
	const struct direct_route *old = &f->shown.r[f->sync.old],
				  *now = &f->to.r[f->sync.now];
	bool more_old = f->sync.old < f->shown.cnt, more_now = f->sync.now < f->to.cnt;
	int cmp = !more_old ? 1 : !more_now ? -1 : direct_route_cmp(old, now);

	if (!more_old && !more_now)
		return false;
	f->sync.old += cmp <= 0;
	f->sync.now += cmp >= 0;
	if (cmp < 0)
		direct_change(s, old, false);
	else if (cmp > 0 || f->sync.all ||
		 (f->sync.pick && net_pick_has(f->sync.pick, &now->net)) ||
		 !direct_route_same(old, now))
		direct_change(s, now, true);
	return true;
}

/* direct_begin - Returns: false: the shown list is the wanted list. */
static bool
direct_begin(struct direct_proto *s, struct direct_fam *f)
{
	const struct iface_list *l = iface_list_get(&s->p.tern->ifaces);

	if (!f->stale && !f->again && !f->pick)
		return false;
	f->sync.all = f->again;
	f->stale = f->again = false;
	f->sync.pick = f->pick;
	f->pick = NULL;
	direct_routes_make(
	    &f->to, s->p.cf->opt, l, iface_vrf(l, s->p.cf->vrf), channel_family(f->ch));
	f->sync.on = true;
	f->sync.old = f->sync.now = 0;
	return true;
}

static void
direct_pick_end(struct net_pick **pick)
{
	net_pick_unref(*pick);
	*pick = NULL;
}

/* direct_end - the new list becomes `shown`. The memory of the old list serves the next
 * comparison. */
static void
direct_end(struct direct_fam *f)
{
	struct direct_routes old = f->shown;

	f->shown = f->to;
	f->to = old;
	f->sync.on = false;
	direct_pick_end(&f->sync.pick);
}

/* direct_go_on_fam - Returns: true: the step is over, and work is left. */
static bool
direct_go_on_fam(struct direct_proto *s, struct direct_fam *f)
{
	uint32_t cnt = 0;

	while (f->sync.on || direct_begin(s, f)) {
		if (!channel_import_ready(f->ch))
			return false; /* direct_import_ready */
		if (cnt++ == STEP_ROUTES)
			return true;
		if (!direct_sync_one(s, f))
			direct_end(f);
	}
	return false;
}

static bool
direct_busy(const struct proto *p)
{
	const struct direct_proto *s = (const struct direct_proto *)p;
	bool is = false;

	for (unsigned f = 0; f < FAM_CNT; f++)
		is |= s->fam[f].ch && (s->fam[f].sync.on || s->fam[f].stale ||
					  s->fam[f].again || s->fam[f].pick);
	return is && proto_life_is_up(p);
}

static void
direct_resume(struct direct_proto *s)
{
	bool more = false;

	for (unsigned f = 0; f < FAM_CNT && proto_life_is_up(&s->p); f++)
		if (s->fam[f].ch)
			more |= direct_go_on_fam(s, &s->fam[f]);
	if (more)
		timer_set(&s->more, 0);
	else if (!direct_busy(&s->p))
		proto_settled(&s->p);
}

static void
direct_more(struct timer *t)
{
	direct_resume(container_of(t, struct direct_proto, more));
}

/* ---- up and down ---- */

static void
direct_up(struct proto *p)
{
	struct direct_proto *s = direct_of(p);
	struct route_source src = { .proto = s->p.name };

	for (struct direct_fam *f = s->fam; f < s->fam + FAM_CNT; f++) {
		f->stale = true;
		if (f->ch)
			channel_up(f->ch, &src);
	}
	direct_resume(s);
}

static bool
direct_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct direct_proto *s = direct_of(p);

	(void)cmd;
	for (struct direct_fam *f = s->fam; f < s->fam + FAM_CNT; f++) {
		if (f->ch)
			channel_down(f->ch); /* withdraws all routes at once */
		f->sync.on = f->stale = f->again = false;
		direct_pick_end(&f->sync.pick);
		direct_pick_end(&f->pick);
		direct_routes_fini(&f->shown);
		direct_routes_fini(&f->to);
	}
	return true;
}

/* ---- channels ---- */

static void
direct_import_ready(struct channel *ch)
{
	direct_resume(direct_of(channel_proto(ch)));
}

static bool
direct_refresh(struct channel *ch)
{
	struct direct_proto *s = direct_of(channel_proto(ch));

	s->fam[channel_family(ch)].again = true;
	timer_set(&s->more, 0);
	return true;
}

/* An instance sends nothing: it has no sink. */
static const struct channel_ops channel_ops = {
	.remakes = true,
	.import_ready = direct_import_ready,
	.limit = proto_life_limit,
	.refresh = direct_refresh,
};

/* ---- commands ---- */

static void
direct_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct direct_proto *s = direct_of(p);

	proto_life_adopt(p, cmd);
	for (unsigned i = 0; i < FAM_CNT; i++)
		s->fam[i].stale = true;
	direct_resume(s);
}

/* direct_part - where a part waits already, all do so again. */
static void
direct_part(struct proto *p, struct net_pick *pick, bool in, bool out)
{
	struct direct_proto *s = direct_of(p);

	(void)out;
	if (!in || !proto_life_is_up(p))
		return;
	for (struct direct_fam *f = s->fam; f < s->fam + FAM_CNT; f++) {
		if (!f->ch)
			continue;
		f->again |= f->pick != NULL;
		direct_pick_end(&f->pick);
		f->pick = net_pick_ref(pick);
	}
	direct_resume(s);
}

static void
direct_proto_ifaces(struct proto *p)
{
	struct direct_proto *s = direct_of(p);

	for (unsigned f = 0; f < FAM_CNT; f++)
		s->fam[f].stale = true;
	direct_resume(s);
}

/* ---- life ---- */

static void
direct_make(struct proto *p, const struct conf_proto *cf)
{
	struct direct_proto *s = direct_of(p);

	arena_init(&s->arena, MEM_PROTO, 4096);
	for (const struct conf_channel *c = cf->chan; c; c = c->next) {
		struct channel *ch = channel_new(&s->p, c, &channel_ops, NULL);

		channel_set_ids(ch, NLRI_ID_LEN);
		s->fam[c->family].ch = ch;
	}
}

static void
direct_start(struct proto *p)
{
	timer_init(&direct_of(p)->more, &p->worker, direct_more);
}

static void
direct_free(struct proto *p)
{
	struct direct_proto *s = direct_of(p);

	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->fam[f].ch)
			channel_free(s->fam[f].ch);
	arena_fini(&s->arena);
}

const struct proto_class direct_proto_class = {
	.conf = &direct_conf_class,
	.size = sizeof(struct direct_proto),
	.make = direct_make,
	.start = direct_start,
	.command = proto_life_command,
	.life = { .up = direct_up, .down = direct_down, .reconf = direct_reconf },
	.part = direct_part,
	.busy = direct_busy,
	.ifaces = direct_proto_ifaces,
	.free = direct_free,
	.order = { .kind = PATH_KIND_DIRECT },
};
