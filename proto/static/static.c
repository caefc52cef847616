/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol static: what its table should have of it, and the way there.
 *
 * `shown` is what the table has: the routes of a configuration, or none. `sync` goes from
 * there to what it should have, by one walk through both sorted lists; when it has
 * arrived, that is what is shown, and if something else is wanted by then, the next one
 * begins.
 *
 * I1  Of the configurations that lists lie in (p->conf, shown, sync.to) a reference is
 *     held.
 *
 * Loop: the instance's. */
#include "proto/static/static.h"

#include "filter/filter.h"
#include "filter/run/hop.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/channel/proto_run.h"
#include "nest/conf/conf_opt.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/rib/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"
#include "nest/rpki/aspa_set.h"
#include "nest/tern.h"
#include "sysdep/log.h"
#include "sysdep/log_class.h"
#include "sysdep/loop.h"
#include <stdio.h>

#define STEP_ROUTES 256 /* between two looks at the other work */

/* Routes of a configuration; conf NULL: none. */
struct route_list {
	struct config_ref *conf;
	const struct conf_proto *cf;
};

struct static_proto {
	struct proto p; /* first */
	struct channel *ch;
	bool enabled, leaving, detached;
	struct route_list shown;
	struct {
		bool on, all; /* all: also those that are the same */
		struct route_list to;
		uint32_t old, now; /* positions in both lists */
	} sync;
	bool again; /* all routes are to pass the policy again */
	struct timer more;
	struct arena arena;
	struct filter_thread *ft;
	struct attr_set *plain; /* of the last route without code; NULL: none */
	struct static_route plain_of;
};

static struct static_proto *
static_of(struct proto *p)
{
	return (struct static_proto *)p;
}

/* ---- lists ---- */

static struct route_list
list_get(struct config_ref *conf, const struct conf_proto *cf)
{
	return (struct route_list){ config_ref_get(conf), cf };
}

static void
list_drop(struct route_list *l)
{
	if (l->conf)
		config_ref_put(l->conf);
	*l = (struct route_list){ NULL, NULL };
}

/* list_at - NULL beyond the end. */
static const struct static_route *
list_at(const struct route_list *l, uint32_t i)
{
	const struct static_conf *sc = l->conf ? l->cf->opt : NULL;

	return sc && i < sc->sorted_cnt ? sc->sorted[i] : NULL;
}

/* ---- attributes ---- */

static void
filter_log(void *ctx, const char *line)
{
	(void)ctx;
	log_msg(LOG_C_INFO, "%s", line);
}

static struct nlri
net_of(const struct static_proto *s, const struct static_route *r)
{
	enum nlri_kind kind = table_kind(channel_table(s->ch));

	return nlri_is_ip(kind) ? nlri_of_prefix(&r->vrp.net)
				: nlri_of_vrp(kind, &r->vrp);
}

/* The code behind a route; whether it accepts or rejects doesn't matter. */
static void
run_code(struct static_proto *s, const struct static_route *r, struct attr_edit *e)
{
	static const struct filter_env env = { .log = filter_log };
	struct route_source src = { .proto = s->p.name };
	struct nlri n = net_of(s, r);
	struct fnet what;
	struct route_view rv = { .src = &src, .set = e->base };
	uint32_t reads;

	nlri_view(table_kind(channel_table(s->ch)), n.word, n.head, &rv, &what);
	if (!s->ft)
		s->ft = filter_thread_new(&s->p.tern->ifaces);
	filter_run(r->code, s->ft, &env, &rv, e, &reads);
}

/* plain_set - most routes have the same attributes as the one before them. */
static OWNED struct attr_set *
plain_set(struct static_proto *s, const struct static_route *r, uint32_t preference)
{
	const struct static_route *of = &s->plain_of;

	if (!r->code && s->plain && of->kind == r->kind && static_route_same(of, r) &&
	    s->plain->local.preference == preference)
		return attr_set_ref(s->plain, 1);
	return NULL;
}

static void
plain_drop(struct static_proto *s)
{
	if (s->plain)
		attr_set_unref(s->p.tern->store, s->plain, 1);
	s->plain = NULL;
}

/* make_set - what @r is before the import policy, with a reference. */
static OWNED struct attr_set *
make_set(struct static_proto *s, const struct static_route *r, uint32_t preference)
{
	struct attr_store *store = s->p.tern->store;
	struct attr_set *set = plain_set(s, r, preference);
	struct hop hop = hop_make(r->via, 0, NULL);
	struct attr_edit e;

	if (set)
		return set;
	attr_edit_init(&e, &s->arena, attr_store_empty(store));
	e.local = (struct attr_local){ .preference = preference,
		.igp_metric = UINT32_MAX,
		.dest = r->kind == STATIC_IP ? r->dest : DEST_UNICAST,
		.rts = RTS_STATIC };
	if ((r->dest != DEST_UNICAST || !hops_set(&e, &hop, 1)) &&
	    (r->kind != STATIC_ASPA ||
		!aspa_set_providers(&e, r->provider, r->provider_cnt))) {
		if (r->code)
			run_code(s, r, &e);
		set = attr_store_edit(store, &e);
	}
	arena_reset(&s->arena);
	if (set && !r->code) {
		plain_drop(s);
		s->plain = attr_set_ref(set, 1);
		s->plain_of = *r;
	}
	return set;
}

/* ---- towards the table ---- */

/* put - @r as NLRI. Returns: octets. */
static unsigned
put(const struct static_proto *s, const struct static_route *r,
    uint8_t to[NLRI_MAX + NLRI_SLACK])
{
	struct nlri n = net_of(s, r);

	memset(to, 0, NLRI_MAX + NLRI_SLACK);
	return NLRI_BY_KIND(
	    table_kind(channel_table(s->ch)), nlri_put, to, n.word, n.head);
}

static void
withdraw(struct static_proto *s, const struct static_route *r)
{
	uint8_t nlri[NLRI_MAX + NLRI_SLACK];

	channel_withdraw(s->ch, nlri, put(s, r, nlri));
}

static void
announce(struct static_proto *s, const struct static_route *r)
{
	struct attr_set *set = make_set(s, r, channel_conf(s->ch)->preference);
	uint8_t nlri[NLRI_MAX + NLRI_SLACK];
	char text[PREFIX_STR_MAX];

	if (!set) {
		if (r->kind == STATIC_ASPA)
			snprintf(text, sizeof(text), "of AS%u", r->vrp.asn);
		else
			prefix_str(text, &r->vrp.net);
		proto_log(&s->p, LOG_C_ERR, "Route %s has too many attributes", text);
		withdraw(s, r); /* what it was before */
		return;
	}
	channel_import_attrs(s->ch, set, nlri, put(s, r, nlri));
	attr_set_unref(s->p.tern->store, set, 1);
}

/* sync_one - Returns: false: both lists are through. */
static bool
sync_one(struct static_proto *s)
{
	const struct static_route *old = list_at(&s->shown, s->sync.old);
	const struct static_route *now = list_at(&s->sync.to, s->sync.now);
	int cmp = !old ? 1 : !now ? -1 : vrp_cmp(&old->vrp, &now->vrp);

	if (!old && !now)
		return false;
	s->sync.old += cmp <= 0;
	s->sync.now += cmp >= 0;
	if (cmp < 0)
		withdraw(s, old);
	else if (cmp > 0 || s->sync.all || !static_route_same(old, now))
		announce(s, now);
	return true;
}

/* begin - Returns: false: what is shown is what is wanted. */
static bool
begin(struct static_proto *s)
{
	bool same = s->enabled ? s->shown.conf && s->shown.cf == s->p.cf : !s->shown.conf;

	if (same && !(s->again && s->enabled))
		return false;
	s->sync.on = true;
	s->sync.all = s->again;
	s->sync.old = s->sync.now = 0;
	s->again = false;
	if (s->enabled)
		s->sync.to = list_get(s->p.conf, s->p.cf);
	return true;
}

static void
leave(struct static_proto *s)
{
	if (s->leaving)
		return;
	s->leaving = true;
	proto_detach(&s->p);
}

static void
go_on(struct static_proto *s)
{
	uint32_t cnt = 0;

	while (s->sync.on || begin(s)) {
		if (!channel_import_ready(s->ch))
			return; /* import_ready */
		if (cnt++ == STEP_ROUTES) {
			timer_set(&s->more, 0);
			return;
		}
		if (sync_one(s))
			continue;
		list_drop(&s->shown);
		s->shown = s->sync.to;
		s->sync.to = (struct route_list){ NULL, NULL };
		s->sync.on = false;
		plain_drop(s);
	}
	proto_settled(&s->p);
	if (s->p.stopped || !s->detached)
		return;
	leave(s);
}

static void
more(struct timer *t)
{
	go_on(container_of(t, struct static_proto, more));
}

/* ---- channels ---- */

static void
import_ready(struct channel *ch)
{
	go_on(static_of(channel_proto(ch)));
}

static void
set_down(struct static_proto *s)
{
	s->enabled = false;
	plain_drop(s);
	channel_down(s->ch); /* all its routes at once */
	s->sync.on = false;
	list_drop(&s->sync.to);
	list_drop(&s->shown);
	go_on(s);
}

static void
set_up(struct static_proto *s)
{
	struct route_source src = { .proto = s->p.name };

	s->enabled = true;
	if (!channel_is_up(s->ch))
		channel_up(s->ch, &src);
	go_on(s);
}

static void
limit(struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max)
{
	struct static_proto *s = static_of(channel_proto(ch));

	(void)k;
	(void)max;
	if (proto_limit(&s->p, a)) {
		set_down(s);
		proto_publish(&s->p, PS_DOWN, true, "", "Route limit exceeded");
	}
}

static bool
refresh(struct channel *ch)
{
	struct static_proto *s = static_of(channel_proto(ch));

	s->again = true;
	timer_set(&s->more, 0);
	return true;
}

/* An instance sends nothing: it has no sink. */
static const struct channel_ops channel_ops = {
	.import_ready = import_ready,
	.limit = limit,
	.refresh = refresh,
};

/* ---- commands ---- */

static void
reconf(struct static_proto *s, struct proto_cmd *cmd)
{
	uint32_t change = cmd->change;
	bool soft = cmd->soft;
	struct config_ref *old = config_ref_get(
	    s->p.conf); /* until nothing shows it any more */

	proto_adopt_conf(&s->p, cmd);
	if (channel_is_up(s->ch)) {
		/* The preference is in the sets: they are made anew, and what the table
		 * keeps isn't asked for. */
		channel_reconf(s->ch, change & ~CONF_CH_IMPORT, soft);
		s->again |= (change & CONF_CH_IMPORT) && !soft;
	}
	config_ref_put(old);
	if (!s->enabled && proto_revives(&s->p, cmd)) {
		set_up(s);
		proto_publish(&s->p, PS_UP, false, "", NULL);
	}
	go_on(s);
}

static void
command(struct proto *p, struct proto_cmd *cmd)
{
	struct static_proto *s = static_of(p);

	switch (cmd->kind) {
	case PROTO_START:
		set_up(s);
		proto_publish(p, PS_UP, false, "", NULL);
		break;
	case PROTO_STOP:
		set_down(s);
		proto_publish(p, PS_DOWN, true, "", cmd->message);
		break;
	case PROTO_RESTART:
		set_down(s);
		set_up(s);
		proto_publish(p, PS_DOWN, false, "", NULL);
		proto_publish(p, PS_UP, false, "", NULL);
		break;
	case PROTO_RELOAD_IN:
	case PROTO_RELOAD:
		s->again = true;
		go_on(s);
		break;
	case PROTO_RELOAD_OUT:
		break;
	case PROTO_RECONF:
		reconf(s, cmd);
		break;
	case PROTO_DELETE:
		s->detached = true;
		set_down(s);
		break;
	}
}

static bool
busy(const struct proto *p)
{
	const struct static_proto *s = (const struct static_proto *)p;

	return s->sync.on || (s->again && s->enabled);
}

/* ---- life ---- */

static struct proto *
make(struct tern *t, const struct conf_proto *cf)
{
	struct static_proto *s = mem_aligned(MEM_PROTO, CACHE_LINE, sizeof(*s));

	memset(s, 0, sizeof(*s));
	s->p.cls = &static_proto_class;
	s->p.tern = t;
	arena_init(&s->arena, MEM_PROTO, 4096);
	s->ch = channel_new(&s->p, cf->chan, &channel_ops, NULL);
	return &s->p;
}

static void
start(struct proto *p)
{
	timer_init(&static_of(p)->more, &p->worker, more);
}

static void
free_it(TAKE struct proto *p)
{
	struct static_proto *s = static_of(p);

	channel_free(s->ch);
	if (s->ft)
		filter_thread_free(s->ft);
	arena_fini(&s->arena);
	mem_free(MEM_PROTO, s);
}

/* ---- show static ---- */

static bool
list_route(const struct proto *p, uint32_t i, struct strbuf *out)
{
	static const char *const dest[] = { [DEST_BLACKHOLE] = "blackhole",
		[DEST_UNREACHABLE] = "unreachable",
		[DEST_PROHIBIT] = "prohibited" };
	const struct static_conf *sc = proto_conf_get(p)->opt;
	const struct static_route *r;
	char net[PREFIX_STR_MAX], ip[IP_STR_MAX];

	if (i >= sc->cnt)
		return false;
	r = sc->route[i];
	if (r->kind == STATIC_ASPA) {
		strbuf_addf(out, "AS%u\tproviders ", r->vrp.asn);
		aspa_print_providers(out, r->provider, r->provider_cnt);
		return true;
	}
	strbuf_adds(out, prefix_str(net, &r->vrp.net));
	if (r->kind == STATIC_ROA)
		strbuf_addf(out, "-%u AS%u\t", r->vrp.max_len, r->vrp.asn);
	else if (r->dest == DEST_UNICAST)
		strbuf_addf(out, "\n\tvia %s", ip_str(ip, r->via));
	else
		strbuf_addf(out, "\t%s", dest[r->dest]);
	return true;
}

const struct proto_class static_proto_class = {
	.conf = &static_conf_class,
	.make = make,
	.start = start,
	.command = command,
	.busy = busy,
	.free = free_it,
	.list_route = list_route,
};
