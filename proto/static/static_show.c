/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `show static`: the configured routes of an instance, and a mark at next hops that
 * packets cannot reach now. Any thread, under RCU. Tested by
 * test/net/test_static_ways.py. */
#include "proto/static/static_show.h"

#include "filter/run/hop.h"
#include "lib/attr/attr.h"
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/net/net_json.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/index/aspa_set.h"
#include "proto/static/static_route.h"
#include "proto/static/static_ways.h"
#include "sysdep/iface/iface.h"

static void
show_list_via(const struct proto *p, const struct static_conf *sc,
    const struct static_via *v, struct strbuf *out)
{
	const struct iface_list *l = iface_list_get(&p->tern->ifaces);
	char ip[IP_STR_MAX];
	struct hop h;

	if (v->recursive) {
		strbuf_addf(out, "\trecursive %s", ip_str(ip, v->gw));
		return;
	}
	if (ip_is_none(v->gw))
		strbuf_addf(out, "\n\tdev %s", v->ifname);
	else
		strbuf_addf(out, "\n\tvia %s%s%s%s", ip_str(ip, v->gw),
		    v->ifname ? "%" : "", v->ifname ? v->ifname : "",
		    v->onlink ? " onlink" : "");
	if (!static_way_find(
		&h, v, l, iface_vrf(l, proto_conf_get(p)->vrf), sc->check_link))
		strbuf_adds(out, " (dormant)");
}

static const char *const dest_name[] = { [DEST_BLACKHOLE] = "blackhole",
	[DEST_UNREACHABLE] = "unreachable",
	[DEST_PROHIBIT] = "prohibited" };

bool
static_list_route(const struct proto *p, uint32_t i, struct strbuf *out)
{
	const struct static_conf *sc = proto_conf_get(p)->opt;
	const struct static_route *r;
	char net[PREFIX_STR_MAX];

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
	else if (r->dest != DEST_UNICAST)
		strbuf_addf(out, "\t%s", dest_name[r->dest]);
	for (unsigned k = 0; k < r->via_cnt; k++)
		show_list_via(p, sc, &r->via[k], out);
	return true;
}

/* ---- as JSON ---- */

static void
show_json_vias(const struct proto *p, const struct static_conf *sc,
    const struct static_route *r, struct json *j)
{
	const struct iface_list *l = iface_list_get(&p->tern->ifaces);
	uint32_t vrf = iface_vrf(l, proto_conf_get(p)->vrf);
	struct hop h;

	json_list(j, "next_hops");
	for (unsigned i = 0; i < r->via_cnt; i++) {
		const struct static_via *v = &r->via[i];

		json_open(j, NULL);
		json_ip(j, "gateway", v->gw);
		json_str(j, "interface", v->ifname);
		if (v->recursive) {
			json_bool(j, "recursive", true);
		} else {
			json_bool(j, "onlink", v->onlink);
			json_u64(j, "weight", v->weight);
			json_bool(j, "dormant",
			    !static_way_find(&h, v, l, vrf, sc->check_link));
		}
		json_close(j);
	}
	json_close(j);
}

static void
show_json_providers(const struct static_route *r, struct json *j)
{
	json_u64(j, "customer_as", r->vrp.asn);
	json_list(j, "aspa_providers");
	for (uint32_t i = 0; i < r->provider_cnt; i++)
		json_u64(j, NULL, r->provider[i]);
	json_close(j);
}

bool
static_json_route(const struct proto *p, uint32_t i, struct json *j)
{
	const struct static_conf *sc = proto_conf_get(p)->opt;
	const struct static_route *r;

	if (i >= sc->cnt)
		return false;
	r = sc->route[i];
	if (r->kind == STATIC_ASPA) {
		show_json_providers(r, j);
		return true;
	}
	json_prefix(j, "network", &r->vrp.net);
	if (r->kind == STATIC_ROA) {
		json_u64(j, "max_length", r->vrp.max_len);
		json_u64(j, "as", r->vrp.asn);
	} else if (r->dest == DEST_UNICAST) {
		json_str(j, "destination", "unicast");
		show_json_vias(p, sc, r, j);
	} else {
		json_str(j, "destination", dest_name[r->dest]);
	}
	return true;
}
