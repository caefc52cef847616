/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding and decoding of the kernel's routes. No state; any thread.
 *
 * - RTA_GATEWAY holds a gateway of the route's family, RTA_VIA a gateway of the other
 *   family.
 * - The attributes of the route describe a single hop. RTA_MULTIPATH describes several
 *   hops, each behind a head of 8 octets with the hop's weight less 1.
 * - Each of several hops has a realm; tern reads the realm of the first hop.
 * - A table number over 255 stands in RTA_TABLE alone. */
#include "lib/wire/rtnl_route.h"

#include "lib/wire/rtnl_attr.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define NEXTHOP_HEAD 8 /* octets of struct rtnexthop */

/* ---- reading ---- */

/* route_get_via - a gateway of any family. */
static struct ip_addr
route_get_via(struct rbuf *v)
{
	uint16_t family = rtnl_u16(v);

	return rtnl_ip(v, family == AF_INET);
}

/* route_get_congctl - a name that is too long is left out. */
static void
route_get_congctl(struct rbuf *v, struct rtnl_route *out)
{
	size_t len = rbuf_left(v);

	if (len <= sizeof(out->congctl))
		memcpy(out->congctl, rbuf_take(v, len), len);
	out->congctl[sizeof(out->congctl) - 1] = '\0';
}

static void
route_get_metrics(struct rbuf *v, struct rtnl_route *out)
{
	struct rbuf one;
	uint16_t type;

	while (rtnl_attr(v, &type, &one))
		if (type == RTAX_CC_ALGO) {
			route_get_congctl(&one, out);
		} else if (type < RTNL_METRICS && rbuf_left(&one) == 4) {
			out->metrics |= 1u << type;
			out->metric[type] = rtnl_u32(&one);
		}
}

/* route_get_hop_attr - read an attribute of a single hop or of one hop of several. */
static void
route_get_hop_attr(
    uint16_t type, struct rbuf *v, struct rtnl_route *out, struct rtnl_hop *h)
{
	if (type == RTA_GATEWAY)
		h->gw = rtnl_ip(v, out->dst.fam == FAM_IP4);
	else if (type == RTA_VIA)
		h->gw = route_get_via(v);
	else if (type == RTA_FLOW && !out->realm)
		out->realm = rtnl_u32(v);
}

static void
route_get_hops(struct rbuf *r, struct rtnl_route *out)
{
	while (rbuf_left(r) && rbuf_ok(r) && out->hop_cnt < RTNL_HOPS_MAX) {
		struct rtnl_hop *h = &out->hop[out->hop_cnt];
		uint16_t len = rtnl_u16(r), type;
		struct rbuf body, v;

		*h = (struct rtnl_hop){ .onlink = rbuf_u8(r) & RTNH_F_ONLINK };
		h->weight = (uint16_t)(rbuf_u8(r) + 1);
		h->ifindex = rtnl_u32(r);
		if (len < NEXTHOP_HEAD) {
			r->bad = true;
			return;
		}
		body = rbuf_sub(r, len - NEXTHOP_HEAD);
		rtnl_aligned(r, len);
		while (rtnl_attr(&body, &type, &v)) {
			route_get_hop_attr(type, &v, out, h);
			r->bad |= v.bad;
		}
		r->bad |= body.bad;
		out->hop_cnt++;
	}
}

static void
route_get_attr(
    uint16_t type, struct rbuf *v, struct rtnl_route *out, struct rtnl_hop *one)
{
	bool v4 = out->dst.fam == FAM_IP4;

	switch (type) {
	case RTA_DST:
		out->dst.addr = rtnl_ip(v, v4);
		break;
	case RTA_TABLE:
		out->table = rtnl_u32(v);
		break;
	case RTA_PRIORITY:
		out->priority = rtnl_u32(v);
		break;
	case RTA_PREFSRC:
		out->prefsrc = rtnl_ip(v, v4);
		break;
	case RTA_OIF:
		one->ifindex = rtnl_u32(v);
		break;
	case RTA_METRICS:
		route_get_metrics(v, out);
		break;
	case RTA_MULTIPATH:
		route_get_hops(v, out);
		break;
	default:
		route_get_hop_attr(type, v, out, one);
	}
}

bool
rtnl_route_get(struct rbuf body, struct rtnl_route *out)
{
	struct rtnl_hop *hop = out->hop, one = { .weight = 1 };
	struct rbuf fixed = rbuf_sub(&body, sizeof(struct rtmsg)), v;
	struct rtmsg m;
	uint16_t type;

	if (!rbuf_ok(&fixed))
		return false;
	memcpy(&m, fixed.pos, sizeof(m));
	if ((m.rtm_family != AF_INET && m.rtm_family != AF_INET6) ||
	    m.rtm_dst_len > (m.rtm_family == AF_INET ? 32 : 128))
		return false;
	*out = (struct rtnl_route){ .hop = hop,
		.table = m.rtm_table,
		.protocol = m.rtm_protocol,
		.scope = m.rtm_scope,
		.type = m.rtm_type,
		.other = (m.rtm_flags & RTM_F_CLONED) || m.rtm_src_len || m.rtm_tos };
	out->dst.fam = m.rtm_family == AF_INET ? FAM_IP4 : FAM_IP6;
	out->dst.addr = out->dst.fam == FAM_IP4 ? ip4(0) : IP_NONE;
	one.onlink = m.rtm_flags & RTNH_F_ONLINK;
	while (rtnl_attr(&body, &type, &v)) {
		route_get_attr(type, &v, out, &one);
		if (!rbuf_ok(&v))
			return false;
	}
	out->dst = prefix_make(out->dst.addr, m.rtm_dst_len, (enum family)out->dst.fam);
	if (!out->hop_cnt && one.ifindex)
		out->hop[out->hop_cnt++] = one;
	return rbuf_ok(&body);
}

/* ---- writing ---- */

/* route_open_msg - the head of a message and its fixed part. Returns: where it begins. */
static size_t
route_open_msg(struct wbuf *w, uint16_t type, uint16_t flags, uint32_t seq,
    const struct rtmsg *fixed, size_t fixed_len)
{
	struct nlmsghdr h = { .nlmsg_type = type,
		.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags),
		.nlmsg_seq = seq };
	size_t at = wbuf_len(w);

	wbuf_bytes(w, &h, sizeof(h));
	wbuf_bytes(w, fixed, fixed_len);
	return at;
}

static void
route_close_msg(struct wbuf *w, size_t at)
{
	uint32_t len = (uint32_t)(wbuf_len(w) - at);

	if (!w->bad)
		memcpy(w->start + at, &len, sizeof(len));
}

static struct rtmsg
route_fixed_of(const struct rtnl_route *r)
{
	return (struct rtmsg){ .rtm_family = r->dst.fam == FAM_IP4 ? AF_INET : AF_INET6,
		.rtm_dst_len = r->dst.len,
		.rtm_table = r->table < 256 ? (uint8_t)r->table : RT_TABLE_UNSPEC,
		.rtm_protocol = r->protocol,
		.rtm_scope = r->scope,
		.rtm_type = r->type };
}

/* rtnl_route_put_key - what a route is found by. */
static void
rtnl_route_put_key(struct wbuf *w, const struct rtnl_route *r)
{
	rtnl_put_u32(w, RTA_TABLE, r->table);
	rtnl_put_u32(w, RTA_PRIORITY, r->priority);
	if (r->dst.len)
		rtnl_put_ip(w, RTA_DST, r->dst.addr);
}

static void
route_put_gateway(struct wbuf *w, const struct rtnl_route *r, struct ip_addr gw)
{
	size_t at;
	uint8_t octets[16];
	uint16_t family = AF_INET6;

	if (ip_is_none(gw))
		return;
	if (ip_is_v4(gw) == (r->dst.fam == FAM_IP4)) {
		rtnl_put_ip(w, RTA_GATEWAY, gw);
		return;
	}
	ip_put16(octets, gw);
	at = rtnl_open(w, RTA_VIA);
	if (ip_is_v4(gw))
		family = AF_INET;
	wbuf_bytes(w, &family, sizeof(family));
	wbuf_bytes(w, ip_is_v4(gw) ? octets + 12 : octets, ip_is_v4(gw) ? 4 : 16);
	rtnl_close(w, at);
	wbuf_bytes(w, "\0\0", -wbuf_len(w) & 3);
}

static void
rtnl_route_put_hops(struct wbuf *w, const struct rtnl_route *r)
{
	size_t all = rtnl_open(w, RTA_MULTIPATH);

	for (unsigned i = 0; i < r->hop_cnt; i++) {
		const struct rtnl_hop *h = &r->hop[i];
		struct rtnexthop head = { .rtnh_flags = h->onlink ? RTNH_F_ONLINK : 0,
			.rtnh_hops = (uint8_t)(h->weight - 1),
			.rtnh_ifindex = (int)h->ifindex };
		size_t at = wbuf_len(w);

		wbuf_bytes(w, &head, sizeof(head));
		route_put_gateway(w, r, h->gw);
		if (r->realm)
			rtnl_put_u32(w, RTA_FLOW, r->realm);
		rtnl_close(w, at);
	}
	rtnl_close(w, all);
}

static void
route_put_metrics(struct wbuf *w, const struct rtnl_route *r)
{
	size_t all = rtnl_open(w, RTA_METRICS);

	for (uint16_t i = 1; i < RTNL_METRICS; i++)
		if (r->metrics & (1u << i))
			rtnl_put_u32(w, i, r->metric[i]);
	if (r->congctl[0])
		rtnl_put(w, RTAX_CC_ALGO, r->congctl, strlen(r->congctl) + 1);
	rtnl_close(w, all);
}

/* rtnl_route_put_new - RTM_NEWROUTE with @flags. */
static void
rtnl_route_put_new(
    struct wbuf *w, uint16_t flags, uint32_t seq, const struct rtnl_route *r)
{
	struct rtmsg fixed = route_fixed_of(r);
	size_t at;

	if (r->hop_cnt == 1 && r->hop->onlink)
		fixed.rtm_flags |= RTNH_F_ONLINK;
	at = route_open_msg(
	    w, RTM_NEWROUTE, NLM_F_CREATE | flags, seq, &fixed, sizeof(fixed));
	rtnl_route_put_key(w, r);
	if (r->hop_cnt == 1) {
		rtnl_put_u32(w, RTA_OIF, r->hop->ifindex);
		route_put_gateway(w, r, r->hop->gw);
	}
	if (r->hop_cnt > 1)
		rtnl_route_put_hops(w, r); /* each with the realm */
	else if (r->realm)
		rtnl_put_u32(w, RTA_FLOW, r->realm);
	if (!ip_is_none(r->prefsrc))
		rtnl_put_ip(w, RTA_PREFSRC, r->prefsrc);
	if (r->metrics || r->congctl[0])
		route_put_metrics(w, r);
	route_close_msg(w, at);
}

void
rtnl_route_add(struct wbuf *w, uint32_t seq, const struct rtnl_route *r)
{
	rtnl_route_put_new(w, NLM_F_EXCL, seq, r);
}

void
rtnl_route_change(struct wbuf *w, uint32_t seq, const struct rtnl_route *r)
{
	rtnl_route_put_new(w, NLM_F_REPLACE, seq, r);
}

void
rtnl_route_del(struct wbuf *w, uint32_t seq, const struct rtnl_route *r)
{
	struct rtmsg fixed = route_fixed_of(r);
	size_t at;

	fixed.rtm_scope = RT_SCOPE_NOWHERE; /* any */
	fixed.rtm_type = RTN_UNSPEC;
	at = route_open_msg(w, RTM_DELROUTE, 0, seq, &fixed, sizeof(fixed));
	rtnl_route_put_key(w, r);
	route_close_msg(w, at);
}

void
rtnl_route_probe(struct wbuf *w, uint32_t seq)
{
	struct rtmsg fixed = { .rtm_family = AF_INET };

	route_close_msg(
	    w, route_open_msg(w, RTM_DELROUTE, 0, seq, &fixed, 4)); /* truncated */
}

void
rtnl_route_ask(
    struct wbuf *w, uint32_t seq, enum family fam, uint32_t table, uint8_t protocol)
{
	struct rtmsg fixed = { .rtm_family = fam == FAM_IP4 ? AF_INET : AF_INET6,
		.rtm_protocol = protocol };
	size_t at = route_open_msg(
	    w, RTM_GETROUTE, NLM_F_DUMP, seq, &fixed, sizeof(fixed));

	rtnl_put_u32(w, RTA_TABLE, table);
	route_close_msg(w, at);
}
