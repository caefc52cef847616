/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of links, addresses and neighbors in the kernel's messages. No state; any
 * thread.
 *
 * - Bridge ports and wireless networks send messages of the same type as links. A message
 *   with a family other than AF_UNSPEC is about another object and may lack fields.
 * - IFA_ADDRESS of IPv4 is the other end of the link or its subnet; on an ordinary link
 *   IFA_ADDRESS is the local address. IFA_LOCAL is the local address. For IPv6
 *   IFA_ADDRESS is the local address unless IFA_LOCAL is present.
 * - The flags of an address have 8 bits in the fixed part and all bits in IFA_FLAGS. */
#include "lib/wire/rtnl.h"

#include "lib/wire/rtnl_attr.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#define LINK_FIXED  16 /* octets of struct ifinfomsg */
#define ADDR_FIXED  8 /* octets of struct ifaddrmsg */
#define NEIGH_FIXED 12 /* octets of struct ndmsg */

/* rtnl_get_name - at most RTNL_NAME_MAX - 1 octets, with or without a 0 at the end. */
static void
rtnl_get_name(char out[RTNL_NAME_MAX], struct rbuf *v)
{
	size_t len = strnlen((const char *)v->pos, rbuf_left(v));

	if (!len || len >= RTNL_NAME_MAX) {
		v->bad = true;
		return;
	}
	memcpy(out, v->pos, len);
	out[len] = '\0';
}

static enum rtnl_kind
rtnl_get_link(struct rbuf *r, struct rtnl_link *out)
{
	struct rbuf fixed = rbuf_sub(r, LINK_FIXED), v;
	uint8_t family = rbuf_u8(&fixed);
	uint16_t type;

	*out = (struct rtnl_link){ 0 };
	rbuf_take(&fixed, 3); /* padding, type of hardware */
	out->index = rtnl_u32(&fixed);
	out->flags = rtnl_u32(&fixed);
	if (rbuf_ok(&fixed) && family != AF_UNSPEC)
		return RTNL_OTHER;
	while (rtnl_attr(r, &type, &v)) {
		if (type == IFLA_IFNAME)
			rtnl_get_name(out->name, &v);
		else if (type == IFLA_MTU)
			out->mtu = rtnl_u32(&v);
		else if (type == IFLA_MASTER)
			out->master = rtnl_u32(&v);
		if (!rbuf_ok(&v))
			r->bad = true;
	}
	return rbuf_ok(r) && out->index ? RTNL_LINK : RTNL_BROKEN;
}

/* rtnl_finish_addr - fill @out from the attributes @address and @local; IP_NONE: absent.
 */
static enum rtnl_kind
rtnl_finish_addr(
    struct rtnl_addr *out, struct ip_addr address, struct ip_addr local, unsigned len)
{
	bool v4 = out->subnet.fam == FAM_IP4;

	out->local = ip_is_none(local) ? address : local;
	if (ip_is_none(out->local) || len > (v4 ? 32 : 128) || !out->index)
		return RTNL_BROKEN;
	if (!v4 && (ip_is_v4(out->local) || ip_is_v4(address)))
		return RTNL_OTHER; /* ::ffff:0:0/96: no packet has such an IPv6 address */
	out->subnet = prefix_make(
	    ip_is_none(address) ? local : address, len, v4 ? FAM_IP4 : FAM_IP6);
	return RTNL_ADDR;
}

static enum rtnl_kind
rtnl_get_addr(struct rbuf *r, struct rtnl_addr *out)
{
	struct ip_addr address = IP_NONE, local = IP_NONE;
	struct rbuf fixed = rbuf_sub(r, ADDR_FIXED), v;
	uint8_t family = rbuf_u8(&fixed), len = rbuf_u8(&fixed);
	uint16_t type;

	*out = (struct rtnl_addr){ .subnet.fam = family == AF_INET ? FAM_IP4 : FAM_IP6 };
	out->flags = rbuf_u8(&fixed);
	out->scope = rbuf_u8(&fixed);
	out->index = rtnl_u32(&fixed);
	if (rbuf_ok(&fixed) && family != AF_INET && family != AF_INET6)
		return RTNL_OTHER;
	while (rtnl_attr(r, &type, &v)) {
		if (type == IFA_ADDRESS)
			address = rtnl_ip(&v, family == AF_INET);
		else if (type == IFA_LOCAL)
			local = rtnl_ip(&v, family == AF_INET);
		else if (type == IFA_FLAGS)
			out->flags = rtnl_u32(&v);
		if (!rbuf_ok(&v))
			r->bad = true;
	}
	return rbuf_ok(r) ? rtnl_finish_addr(out, address, local, len) : RTNL_BROKEN;
}

static enum rtnl_kind
rtnl_get_neigh(struct rbuf *r, struct rtnl_neigh *out)
{
	struct rbuf fixed = rbuf_sub(r, NEIGH_FIXED), v;
	uint8_t family = rbuf_u8(&fixed);
	const uint8_t *mac;
	uint16_t type, state;

	*out = (struct rtnl_neigh){ .addr = IP_NONE };
	rbuf_take(&fixed, 3); /* padding */
	out->index = rtnl_u32(&fixed);
	state = rtnl_u16(&fixed);
	if (rbuf_ok(&fixed) && family != AF_INET && family != AF_INET6)
		return RTNL_OTHER;
	while (rtnl_attr(r, &type, &v)) {
		if (type == NDA_DST) {
			out->addr = rtnl_ip(&v, family == AF_INET);
		} else if (type == NDA_LLADDR && rbuf_left(&v) == sizeof(out->mac)) {
			mac = rbuf_take(&v, sizeof(out->mac));
			memcpy(out->mac, mac, sizeof(out->mac));
			out->has_mac = !(
			    state & (NUD_INCOMPLETE | NUD_FAILED | NUD_NOARP));
		}
		if (!rbuf_ok(&v))
			r->bad = true;
	}
	if (!rbuf_ok(r) || !rbuf_ok(&fixed))
		return RTNL_BROKEN;
	return ip_is_none(out->addr) ? RTNL_OTHER : RTNL_NEIGH;
}

/* rtnl_get_error - read the end of an answer. An end without an error code is a success.
 */
static enum rtnl_kind
rtnl_get_error(struct rbuf *r, int *error)
{
	int32_t e = rbuf_left(r) ? (int32_t)rtnl_u32(r) : 0;

	*error = e > 0 ? -e : e;
	return rbuf_ok(r) && e != INT32_MIN ? RTNL_DONE : RTNL_BROKEN;
}

static enum rtnl_kind
rtnl_get_body(unsigned type, struct rbuf *r, struct rtnl_msg *out)
{
	enum rtnl_kind k;

	switch (type) {
	case RTM_NEWLINK:
		return rtnl_get_link(r, &out->link);
	case RTM_DELLINK:
		k = rtnl_get_link(r, &out->link);
		return k == RTNL_LINK ? RTNL_LINK_GONE : k;
	case RTM_NEWADDR:
		return rtnl_get_addr(r, &out->addr);
	case RTM_DELADDR:
		k = rtnl_get_addr(r, &out->addr);
		return k == RTNL_ADDR ? RTNL_ADDR_GONE : k;
	case RTM_NEWROUTE:
	case RTM_DELROUTE:
		out->route = *r;
		return type == RTM_NEWROUTE ? RTNL_ROUTE : RTNL_ROUTE_GONE;
	case RTM_NEWNEIGH:
		return rtnl_get_neigh(r, &out->neigh);
	case NLMSG_DONE:
	case NLMSG_ERROR:
		return rtnl_get_error(r, &out->error);
	default:
		return RTNL_OTHER;
	}
}

enum rtnl_kind
rtnl_next(struct rbuf *r, struct rtnl_msg *out)
{
	struct rbuf body;
	uint16_t type, flags;
	uint32_t len;

	out->kind = RTNL_END;
	out->error = 0;
	if (rbuf_left(r) < NLMSG_HDRLEN)
		return out->kind;
	len = rtnl_u32(r);
	type = rtnl_u16(r);
	flags = rtnl_u16(r);
	out->seq = rtnl_u32(r);
	out->interrupted = flags & NLM_F_DUMP_INTR;
	rtnl_u32(r); /* who it is for */
	if (len < NLMSG_HDRLEN || len - NLMSG_HDRLEN > rbuf_left(r)) {
		*r = rbuf_of(r->end, 0);
		out->kind = RTNL_BROKEN;
		return out->kind;
	}
	body = rbuf_sub(r, len - NLMSG_HDRLEN);
	rtnl_aligned(r, len);
	out->kind = rtnl_get_body(type, &body, out);
	return out->kind;
}

/* ---- requests ---- */

static void
rtnl_put_head(struct wbuf *w, uint16_t type, uint32_t seq, size_t body)
{
	struct nlmsghdr h = { .nlmsg_len = (uint32_t)(sizeof(h) + body),
		.nlmsg_type = type,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		.nlmsg_seq = seq };

	wbuf_bytes(w, &h, sizeof(h));
}

void
rtnl_ask_links(struct wbuf *w, uint32_t seq)
{
	struct {
		struct ifinfomsg fixed;
		struct rtattr head;
		uint32_t mask;
	} body = { .head = { .rta_len = 8, .rta_type = IFLA_EXT_MASK },
		.mask = RTEXT_FILTER_SKIP_STATS };

	rtnl_put_head(w, RTM_GETLINK, seq, sizeof(body));
	wbuf_bytes(w, &body, sizeof(body));
}

void
rtnl_ask_addrs(struct wbuf *w, uint32_t seq)
{
	struct ifaddrmsg body = { .ifa_family = AF_UNSPEC };

	rtnl_put_head(w, RTM_GETADDR, seq, sizeof(body));
	wbuf_bytes(w, &body, sizeof(body));
}

void
rtnl_ask_neighs(struct wbuf *w, uint32_t seq)
{
	struct ndmsg body = { .ndm_family = AF_UNSPEC };

	rtnl_put_head(w, RTM_GETNEIGH, seq, sizeof(body));
	wbuf_bytes(w, &body, sizeof(body));
}
