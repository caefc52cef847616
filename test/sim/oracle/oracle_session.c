/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of the model: each member, its instance in the file, the facts of its routes,
 * and its link. */
#include "test/sim/oracle/oracle_model.h"

#include "proto/bgp/conf/bgp_conf.h"
#include "test/sim/sim_net.h"
#include "test/sim/tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

/* oracle_session_on - is the member behind the interface? A link-local address has the
 * name of its interface: "fe80::11%eth0". */
static bool
oracle_session_on(const struct member *m, const char *iface)
{
	const char *zone = strchr(m->address, '%');

	return !zone || !iface || !strcmp(zone + 1, iface);
}

/* oracle_session_proto - the instance with the member's address, else the instance whose
 * range has the address. */
static const struct conf_proto *
oracle_session_proto(const struct oracle *o, const struct member *m)
{
	struct ip_addr a = oracle_ip(m->address);
	const struct conf_proto *range = NULL;

	for (unsigned i = 0; i < o->conf->proto_cnt; i++) {
		const struct conf_proto *p = o->conf->proto[i];
		const struct bgp_conf *b = p->opt;

		if (p->kind != PROTO_BGP)
			continue;
		if (!b->dynamic.has_range && ip_equal(b->id.remote_ip, a) &&
		    oracle_session_on(m, b->id.iface))
			return p;
		if (b->dynamic.has_range && prefix_has_ip(&b->dynamic.range, a))
			range = p;
	}
	return range;
}

/* oracle_session_router_id - as the member's OPEN says: the IPv4 address; of an IPv6
 * member 10.9 and the end of the address. */
static uint32_t
oracle_session_router_id(const struct member *m)
{
	struct ip_addr a = oracle_ip(m->address);

	return ip_is_v4(a) ? ip_to_v4(a)
			   : 10u << 24 | 9u << 16 | (uint32_t)(a.lo & 0xffff);
}

static struct route_source
oracle_session_facts(const struct oracle_session *s)
{
	const struct bgp_conf *b = bgp_conf_of(s->proto);
	const struct member *m = s->member;

	return (struct route_source){ .proto = s->proto->name,
		.from = oracle_ip(m->address),
		.peer_as = m->as,
		.local_as = b->id.local_as,
		.peer_router_id = oracle_session_router_id(m),
		.link_if = s->link ? (uint32_t)s->link->index : 0,
		.is_bgp = true,
		.is_ebgp = b->id.ebgp,
		.in_confed = b->id.ebgp && bgp_conf_interior(b),
		.med_metric = b->decision.med_metric,
		.no_path_metric = !b->decision.path_metric,
		.no_igp_metric = !b->decision.igp_metric,
		.prefer_older = b->decision.prefer_older,
		.default_med = b->decision.default_med,
		.rr_client = b->policy.rr_client,
		.rs_client = b->policy.rs_client };
}

static struct prefix
oracle_session_subnet(const struct link_address *a)
{
	bool v4 = a->family == AF_INET;
	struct ip_addr ip = v4 ? ip4(get_be32(a->octets)) : ip_get16(a->octets);

	return prefix_make(ip, (unsigned)a->len, v4 ? FAM_IP4 : FAM_IP6);
}

/* oracle_session_link - the interface with the daemon's end of the session, if a subnet
 * of the interface has the member's address. A multihop session has no link. */
static void
oracle_session_link(struct oracle_session *s)
{
	const struct bgp_conf *b = bgp_conf_of(s->proto);
	struct ip_addr peer = oracle_ip(s->member->address);

	if (b->tcp.multihop)
		return;
	for (const struct link *l = link_first(); l; l = l->next) {
		bool has = false;

		if (l->host || !oracle_session_on(s->member, l->name))
			continue;
		s->subnet_cnt = 0;
		for (const struct link_address *a = l->first; a; a = a->next) {
			struct prefix p = oracle_session_subnet(a);

			if (s->subnet_cnt < ORACLE_LINK_MAX)
				s->subnet[s->subnet_cnt++] = p;
			has |= prefix_has_ip(&p, peer);
		}
		if (has) {
			s->link = l;
			return;
		}
	}
	s->subnet_cnt = 0;
}

static enum oracle_doubt
oracle_session_doubt(const struct oracle_session *s)
{
	const struct bgp_conf *b = bgp_conf_of(s->proto);
	const struct member *m = s->member;

	if (sim_net_is_cut(m->address) || !m->reads || m->silent)
		return DOUBT_CUT;
	if (m->sent_raw)
		return DOUBT_RAW;
	if (m->stale.cnt)
		return DOUBT_RESTART;
	if (m->up && !m->peer_as4)
		return DOUBT_AS2;
	return b->id.vrf ? DOUBT_VRF : DOUBT_NONE;
}

void
oracle_sessions(struct oracle *o)
{
	unsigned cnt = 0;

	for (const struct member *m = o->w->members; m; m = m->next)
		cnt++;
	o->session = arena_zalloc(&o->arena, (cnt + 1) * sizeof(*o->session));
	for (const struct member *m = o->w->members; m; m = m->next) {
		struct oracle_session *s = &o->session[o->session_cnt++];

		s->member = m;
		s->proto = oracle_session_proto(o, m);
		if (!s->proto) {
			s->doubt = DOUBT_STRANGER;
			continue;
		}
		oracle_session_link(s);
		s->source = (struct oracle_source){ s->proto, m, ORACLE_BGP,
			oracle_session_facts(s) };
		s->doubt = oracle_session_doubt(s);
	}
}
