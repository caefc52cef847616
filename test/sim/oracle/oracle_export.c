/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The way of a route to a member: rules of the session, export filter, next hop,
 * attributes (RFC 1997, 4271, 4456, 5065, 7947, 8950, 9234, 9494). */
#include "test/sim/oracle/oracle_model.h"

#include "lib/attr/attr_edit.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/conf/hop_map.h"
#include "test/sim/codec.h"

#include <string.h>

#define NO_EXPORT           0xffffff01u
#define NO_ADVERTISE        0xffffff02u
#define NO_EXPORT_SUBCONFED 0xffffff03u
#define LLGR_STALE          0xffff0006u

/* The route on its way. */
struct oracle_way_out {
	struct oracle *o;
	const struct oracle_session *s;
	const struct conf_channel *ch;
	const struct oracle_route *r;
	const struct bgp_conf *b;
	const struct attr_set *set; /* after the filter */
	struct ip_addr hop, local; /* IP_NONE: none; local: the link-local address */
	bool classic; /* NEXT_HOP, not MP_REACH_NLRI */
	bool from_ibgp;
};

static bool
oracle_export_is_own(const struct oracle_way_out *w)
{
	return w->r->source->member && w->r->source->member == w->s->member;
}

static enum reason
oracle_export_rules(const struct oracle_way_out *w)
{
	bool interior = bgp_conf_interior(w->b);

	if (oracle_export_is_own(w))
		return REASON_OWN;
	/* RFC 4456, 6: routes of internal peers go from clients to all, to clients from
	 * all. */
	if (w->from_ibgp && !w->b->id.ebgp && !w->r->source->facts.rr_client &&
	    !w->b->policy.rr_client)
		return REASON_INTERNAL;
	if (oracle_has_community(w->r->set, LLGR_STALE) && !w->s->member->long_lived_s)
		return REASON_LLGR_STALE;
	if (w->ch->has_export_in && !prefix_contains(&w->ch->export_in, &w->r->net))
		return REASON_ELSEWHERE;
	if (!w->b->policy.interpret_communities)
		return REASON_NONE;
	if (oracle_has_community(w->r->set, NO_ADVERTISE))
		return REASON_NO_ADVERTISE;
	if (oracle_has_community(w->r->set, NO_EXPORT_SUBCONFED) && w->b->id.ebgp)
		return REASON_NO_EXPORT_SUBCONFED;
	if (oracle_has_community(w->r->set, NO_EXPORT) && !interior)
		return REASON_NO_EXPORT;
	return REASON_NONE;
}

/* ---- next hop ---- */

static bool
oracle_export_mode(const struct oracle_way_out *w, uint8_t mode)
{
	if (!w->r->source->facts.is_bgp)
		return mode == BGP_NH_ALL;
	return mode == BGP_NH_ALL || mode == (w->from_ibgp ? BGP_NH_IBGP : BGP_NH_EBGP);
}

/* oracle_export_stays - RFC 4271, 5.1.3: the member reaches the next hop without the
 * daemon, or a filter has chosen the next hop. */
static bool
oracle_export_stays(const struct oracle_way_out *w, struct ip_addr hop)
{
	if (ip_is_none(hop))
		return false;
	if (!ip_equal(hop, oracle_hop(w->r->set)))
		return true;
	if (w->classic && w->r->net.fam == FAM_IP4 && !ip_is_v4(hop))
		return false;
	if (!w->s->link)
		return false;
	if (w->r->source->facts.link_if)
		return w->r->source->facts.link_if == (uint32_t)w->s->link->index;
	/* of a session that is not direct: the next hop lies on the member's link */
	for (unsigned i = 0; w->r->source->facts.is_bgp && i < w->s->subnet_cnt; i++)
		if (prefix_has_ip(&w->s->subnet[i], hop))
			return true;
	return false;
}

/* oracle_export_self - the daemon's address, as the member's session has the address. */
static void
oracle_export_self(struct oracle_way_out *w)
{
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(w->ch);
	bool v6 = w->r->net.fam == FAM_IP6;

	w->hop = !ip_is_none(cc->next_hop_address) ? cc->next_hop_address
						   : oracle_ip(w->s->member->server);
	for (const struct link_address *a = w->s->link ? w->s->link->first : NULL; a;
	     a = a->next) {
		struct ip_addr ip = a->family == AF_INET ? ip4(get_be32(a->octets))
							 : ip_get16(a->octets);

		if (ip_is_link_local(ip))
			w->local = ip;
		else if ((a->family == AF_INET6) == v6 &&
			 (ip_is_v4(w->hop) == v6 || ip_is_link_local(w->hop)) &&
			 (v6 || w->classic))
			w->hop = ip;
	}
	if (!v6 && w->classic)
		w->local = IP_NONE;
}

/* oracle_export_translate - `next hop map` (doc/members.md): the member's family of next
 * hops. *@twin: the address of the router in the other family; IP_NONE: no entry. */
static enum reason
oracle_export_translate(struct oracle_way_out *w, struct ip_addr *twin)
{
	const struct hop_map *map = bgp_channel_conf_of(w->ch)->hop.map;
	bool is_v4 = ip_is_v4(w->hop), needs_other;

	*twin = IP_NONE;
	if (!map || w->r->net.fam != FAM_IP4)
		return REASON_NONE;
	*twin = hop_map_other(map, w->hop);
	needs_other = w->classic ? !is_v4
				 : is_v4 && !ip_is_v4(oracle_ip(w->s->member->address));
	if (!needs_other)
		return REASON_NONE;
	if (ip_is_none(*twin))
		return REASON_UNMAPPED_NEXT_HOP;
	w->hop = *twin;
	return REASON_NONE;
}

static enum reason
oracle_export_hop(struct oracle_way_out *w, enum oracle_doubt *doubt)
{
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(w->ch);
	struct ip_addr hop = oracle_hop(w->set), peer = oracle_ip(w->s->member->address),
		       twin = IP_NONE;
	enum reason why = REASON_NONE;
	bool interior = bgp_conf_interior(w->b), self, keep;

	w->classic = w->r->net.fam == FAM_IP4 && !w->s->member->uses_extended_hop;
	self = oracle_export_mode(w, cc->next_hop_self);
	keep = !self && (interior || oracle_export_mode(w, cc->next_hop_keep) ||
			    oracle_export_stays(w, hop));
	w->hop = hop;
	if (keep && !ip_is_none(hop))
		why = oracle_export_translate(w, &twin);
	else
		oracle_export_self(w);
	/* The model does not know the forms of link-local next hops (RFC 2545, 3). */
	if (ip_is_link_local(w->hop) || (!ip_is_none(w->local) && !w->classic) ||
	    ip_is_link_local(hop))
		*doubt = DOUBT_LINK_LOCAL;
	/* The member's own router, in either family of a map. */
	if (ip_equal(w->hop, peer) || (keep && ip_equal(hop, peer)) ||
	    ip_equal(twin, peer))
		return REASON_PEER_NEXT_HOP;
	if (why || !w->classic || ip_is_v4(w->hop))
		return why;
	return ip_is_none(w->hop) ? REASON_NO_NEXT_HOP : REASON_NO_EXTENDED_NEXT_HOP;
}

/* ---- attributes ---- */

static uint8_t *
oracle_put(uint8_t *p, uint8_t flags, uint8_t code, const void *value, uint32_t len)
{
	bool wide = len > UINT8_MAX;

	*p++ = flags | (wide ? ATTR_F_EXTLEN : 0);
	*p++ = code;
	if (wide)
		p = codec_put16(p, len);
	else
		*p++ = (uint8_t)len;
	memcpy(p, value, len);
	return p + len;
}

/* oracle_put_path - RFC 4271, 5.1.2; RFC 5065, 5.3. A client of a route server gets the
 * path as the path is (RFC 7947, 2.2.2.1). */
static uint8_t *
oracle_put_path(const struct oracle_way_out *w, uint8_t *p)
{
	bool prepends = w->b->id.ebgp && !w->b->policy.rs_client,
	     inside = bgp_conf_interior(w->b), first = prepends;
	uint8_t type = inside ? AS_CONFED_SEQUENCE : AS_SEQUENCE, path[4096], *to = path;
	uint32_t as = bgp_conf_public_as(w->b);
	struct attr_item it = { .len = 0 };

	oracle_get(w->set, ATTR_AS_PATH, &it);
	for (uint32_t i = 0; i + 2 <= it.len; i += 2u + 4u * it.val[i + 1]) {
		const uint8_t *seg = it.val + i;
		uint32_t len = 2u + 4u * seg[1];

		if (seg[0] > AS_SEQUENCE && !inside)
			continue;
		if (first && seg[0] == type && seg[1] < UINT8_MAX) {
			*to++ = type;
			*to++ = seg[1] + 1;
			to = codec_put32(to, as);
			memcpy(to, seg + 2, len - 2);
			to += len - 2;
		} else {
			if (first) {
				*to++ = type;
				*to++ = 1;
				to = codec_put32(to, as);
			}
			memcpy(to, seg, len);
			to += len;
		}
		first = false;
	}
	if (first) {
		*to++ = type;
		*to++ = 1;
		to = codec_put32(to, as);
	}
	return oracle_put(
	    p, ATTR_F_TRANSITIVE, ATTR_AS_PATH, path, (uint32_t)(to - path));
}

/* oracle_put_u32 - the attribute of the route, or @missing if @adds. */
static uint8_t *
oracle_put_u32(
    const struct oracle_way_out *w, uint8_t *p, uint8_t code, bool adds, uint32_t missing)
{
	uint8_t value[4];

	if (!oracle_get_u32(w->set, code, &missing) && !adds)
		return p;
	codec_put32(value, missing);
	return oracle_put(p, attr_flags(code), code, value, 4);
}

static uint8_t *
oracle_put_hop(const struct oracle_way_out *w, uint8_t *p)
{
	uint8_t value[4];

	if (!w->classic)
		return p;
	codec_put32(value, ip_to_v4(w->hop));
	return oracle_put(p, ATTR_F_TRANSITIVE, ATTR_NEXT_HOP, value, 4);
}

/* oracle_put_clusters - RFC 4456, 8. */
static uint8_t *
oracle_put_clusters(const struct oracle_way_out *w, uint8_t *p, bool reflects)
{
	uint8_t value[4096];
	struct attr_item it = { .len = 0 };
	uint32_t id = w->b->policy.rr_cluster_id, at = 0;

	if (reflects) {
		codec_put32(value, id ? id : w->o->conf->router_id);
		at = 4;
	}
	oracle_get(w->set, ATTR_CLUSTER_LIST, &it);
	memcpy(value + at, it.len ? it.val : value, it.len);
	at += it.len;
	return at ? oracle_put(p, ATTR_F_OPTIONAL, ATTR_CLUSTER_LIST, value, at) : p;
}

/* oracle_put_item - an attribute that no rule changes. */
static uint8_t *
oracle_put_item(const struct oracle_way_out *w, uint8_t *p, uint8_t code)
{
	struct attr_item it;

	return oracle_get(w->set, code, &it)
		   ? oracle_put(p, it.flags, code, it.val, it.len)
		   : p;
}

static uint8_t *
oracle_put_attrs(const struct oracle_way_out *w, uint8_t *p)
{
	const struct bgp_conf *b = w->b;
	bool interior = bgp_conf_interior(b), reflects = w->from_ibgp && !b->id.ebgp,
	     gives_otc = b->policy.role == BGP_ROLE_PROVIDER ||
			 b->policy.role == BGP_ROLE_PEER ||
			 b->policy.role == BGP_ROLE_RS_SERVER;
	struct attr_item it;

	if (oracle_get(w->set, ATTR_ORIGIN, &it))
		p = oracle_put(p, it.flags, ATTR_ORIGIN, it.val, it.len);
	else
		p = oracle_put(p, ATTR_F_TRANSITIVE, ATTR_ORIGIN, "\0", 1);
	p = oracle_put_path(w, p);
	p = oracle_put_hop(w, p);
	/* RFC 4271, 5.1.4 and 5.1.5; RFC 7947, 2.2.3 */
	if (interior || b->policy.rs_client || b->policy.allow_med)
		p = oracle_put_u32(w, p, ATTR_MED, false, 0);
	if (interior || b->policy.allow_local_pref)
		p = oracle_put_u32(
		    w, p, ATTR_LOCAL_PREF, true, b->decision.default_local_pref);
	p = oracle_put_item(w, p, ATTR_ATOMIC_AGGR);
	p = oracle_put_item(w, p, ATTR_AGGREGATOR);
	p = oracle_put_item(w, p, ATTR_COMMUNITY);
	if (!b->id.ebgp) {
		p = oracle_put_u32(w, p, ATTR_ORIGINATOR_ID, reflects,
		    w->r->source->facts.peer_router_id);
		p = oracle_put_clusters(w, p, reflects);
	}
	p = oracle_put_item(w, p, ATTR_EXT_COMMUNITY);
	p = oracle_put_item(w, p, ATTR_LARGE_COMMUNITY);
	return oracle_put_u32(w, p, ATTR_OTC, gives_otc, bgp_conf_public_as(b));
}

/* oracle_export_text - as codec_take_update keeps the route. */
static struct rib_attrs *
oracle_export_attrs(const struct oracle_way_out *w)
{
	uint8_t out[16384], *p = out;

	*p++ = true;
	*p = 0;
	if (!w->classic && ip_is_v4(w->hop)) {
		*p++ = 4;
		p = codec_put32(p, ip_to_v4(w->hop));
	} else if (!w->classic) {
		*p++ = 16;
		ip_put16(p, w->hop);
		p += 16;
	} else {
		p++;
	}
	p = oracle_put_attrs(w, p);
	return rib_attrs_get(out, (uint32_t)(p - out));
}

/* oracle_export_fits - a message with the attributes and the prefix alone. */
static bool
oracle_export_fits(const struct oracle_way_out *w, const struct rib_attrs *a)
{
	uint32_t nlri = 1 + (w->r->net.len + 7u) / 8 +
			(w->s->member->gets_id[w->r->net.fam == FAM_IP6] ? 4 : 0),
		 room = w->s->member->uses_extended_messages ? CODEC_MAX
							     : CODEC_USUAL_MAX,
		 head = w->classic ? 23 : 23 + 4 + 5;

	return head + a->len - 2 + nlri <= room;
}

struct rib_attrs *
oracle_export(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const struct oracle_route *r, enum reason *why,
    enum oracle_doubt *doubt)
{
	struct oracle_way_out w = { o, s, ch, r, bgp_conf_of(s->proto), r->set, IP_NONE,
		IP_NONE, true, r->source->facts.is_bgp && !r->source->facts.is_ebgp };
	uint8_t role = w.b->policy.role;
	struct rib_attrs *a;
	struct attr_item it;

	*why = oracle_export_rules(&w);
	if (*why)
		return NULL;
	if (!oracle_filter(o, ch->export, &r->net, r->source, &w.set, doubt)) {
		*why = REASON_EXPORT_FILTER;
		return NULL;
	}
	/* RFC 9234, 5: no route with OTC for providers, peers and route servers. */
	if (oracle_get(w.set, ATTR_OTC, &it) &&
	    (role == BGP_ROLE_CUSTOMER || role == BGP_ROLE_PEER ||
		role == BGP_ROLE_RS_CLIENT)) {
		*why = REASON_OTC;
		return NULL;
	}
	*why = oracle_export_hop(&w, doubt);
	if (*why)
		return NULL;
	a = oracle_export_attrs(&w);
	if (oracle_export_fits(&w, a))
		return a;
	*why = REASON_TOO_LONG;
	return NULL;
}
