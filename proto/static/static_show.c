/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show static`: the configured routes of an instance, and a mark at next hops that
 * packets cannot reach now. Any thread, under RCU. Tested by
 * test/net/test_static_ways.py. */
#include "proto/static/static_show.h"

#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/index/aspa_set.h"
#include "proto/static/static_route.h"
#include "proto/static/static_ways.h"
#include "sysdep/iface/iface.h"

static void
static_reply_via(const struct proto *p, const struct static_conf *sc,
    const struct static_via *v, struct reply *r)
{
	const struct iface_list *l = iface_list_get(&p->tern->ifaces);
	bool direct = ip_is_none(v->gw);
	struct hop h;

	reply_open(r, NULL);
	reply_ip(r, "gateway",
	    v->recursive ? "\trecursive %s"
	    : direct     ? NULL
			 : "\n\tvia %s",
	    v->gw);
	reply_str(r, "interface", direct ? "\n\tdev %s" : NULL, v->ifname);
	if (v->recursive) {
		reply_bool(r, "recursive", NULL, true);
	} else {
		if (v->ifname && !direct)
			reply_text(r, "%%%s", v->ifname);
		reply_bool(r, "onlink", direct ? NULL : " onlink", v->onlink);
		reply_u64(r, "weight", NULL, v->weight);
		reply_bool(r, "dormant", " (dormant)",
		    !static_way_find(
			&h, v, l, iface_vrf(l, proto_conf_get(p)->vrf), sc->check_link));
	}
	reply_close(r);
}

static void
static_reply_aspa(struct reply *r, const struct static_route *a)
{
	struct strbuf text;

	reply_u64(r, "customer_as", "AS%s\tproviders ", a->vrp.asn);
	reply_list(r, "aspa_providers");
	for (uint32_t i = 0; i < a->provider_cnt; i++)
		reply_u64(r, NULL, NULL, a->provider[i]);
	reply_close(r);
	strbuf_init(&text);
	aspa_print_providers(&text, a->provider, a->provider_cnt);
	reply_text(r, "%s\n", text.s);
	strbuf_fini(&text);
}

bool
static_reply_route(const struct proto *p, uint32_t i, struct reply *r)
{
	static const char *const dest[] = { [DEST_UNICAST] = "unicast",
		[DEST_BLACKHOLE] = "blackhole",
		[DEST_UNREACHABLE] = "unreachable",
		[DEST_PROHIBIT] = "prohibited" };
	const struct static_conf *sc = proto_conf_get(p)->opt;
	const struct static_route *a;

	if (i >= sc->cnt)
		return false;
	a = sc->route[i];
	if (a->kind == STATIC_ASPA) {
		static_reply_aspa(r, a);
		return true;
	}
	reply_prefix(r, "network", "%s", &a->vrp.net);
	if (a->kind == STATIC_ROA) {
		reply_u64(r, "max_length", "-%s", a->vrp.max_len);
		reply_u64(r, "as", " AS%s\t", a->vrp.asn);
	} else {
		reply_str(r, "destination", a->dest == DEST_UNICAST ? NULL : "\t%s",
		    dest[a->dest]);
	}
	if (a->kind != STATIC_ROA && a->dest == DEST_UNICAST) {
		reply_list(r, "next_hops");
		for (unsigned k = 0; k < a->via_cnt; k++)
			static_reply_via(p, sc, &a->via[k], r);
		reply_close(r);
	}
	reply_text(r, "\n");
	return true;
}
