/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about links, addresses and neighbors, as the kernel would send them. */
#ifndef TERN_TEST_LIB_RTNL_PUT_H
#define TERN_TEST_LIB_RTNL_PUT_H

#include "lib/wire/rtnl.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

static inline void
put_nl_attr(struct wbuf *w, unsigned type, const void *value, size_t len)
{
	static const uint8_t zero[4];
	struct rtattr head = { .rta_len = (unsigned short)(4 + len),
		.rta_type = (unsigned short)type };

	wbuf_bytes(w, &head, sizeof(head));
	wbuf_bytes(w, value, len);
	wbuf_bytes(w, zero, -len & 3);
}

/* put_nl_head - its length is written when put_nl_end is called with what it returns. */
static inline struct nlmsghdr *
put_nl_head(struct wbuf *w, unsigned type)
{
	struct nlmsghdr h = { .nlmsg_type = (uint16_t)type, .nlmsg_seq = 1 };
	void *at = w->pos;

	wbuf_bytes(w, &h, sizeof(h));
	return at;
}

static inline void
put_nl_end(struct wbuf *w, struct nlmsghdr *h)
{
	h->nlmsg_len = (uint32_t)(w->pos - (uint8_t *)h);
}

static inline void
put_nl_link(struct wbuf *w, unsigned type, const struct rtnl_link *l)
{
	struct ifinfomsg fixed = { .ifi_index = (int)l->index, .ifi_flags = l->flags };
	struct nlmsghdr *h = put_nl_head(w, type);

	wbuf_bytes(w, &fixed, sizeof(fixed));
	if (l->name[0])
		put_nl_attr(w, IFLA_IFNAME, l->name, strlen(l->name) + 1);
	if (l->mtu)
		put_nl_attr(w, IFLA_MTU, &l->mtu, 4);
	if (l->master)
		put_nl_attr(w, IFLA_MASTER, &l->master, 4);
	put_nl_end(w, h);
}

static inline void
put_nl_ip(struct wbuf *w, unsigned type, bool v4, struct ip_addr a)
{
	uint8_t octets[16];

	if (v4)
		put_be32(octets, ip_to_v4(a));
	else
		ip_put16(octets, a);
	put_nl_attr(w, type, octets, v4 ? 4 : 16);
}

/* put_nl_addr - IFA_ADDRESS is @other, or our own where that is IP_NONE. */
static inline void
put_nl_addr(
    struct wbuf *w, unsigned type, const struct rtnl_addr *a, struct ip_addr other)
{
	bool v4 = a->subnet.fam == FAM_IP4;
	struct ifaddrmsg fixed = { .ifa_family = v4 ? AF_INET : AF_INET6,
		.ifa_prefixlen = a->subnet.len,
		.ifa_flags = (uint8_t)a->flags,
		.ifa_scope = a->scope,
		.ifa_index = a->index };
	struct nlmsghdr *h = put_nl_head(w, type);

	wbuf_bytes(w, &fixed, sizeof(fixed));
	put_nl_ip(w, IFA_ADDRESS, v4, ip_is_none(other) ? a->local : other);
	if (v4 || !ip_is_none(other))
		put_nl_ip(w, IFA_LOCAL, v4, a->local);
	put_nl_attr(w, IFA_FLAGS, &a->flags, 4);
	put_nl_end(w, h);
}

/* put_nl_neigh - in the state NUD_REACHABLE, or NUD_FAILED without a MAC address. */
static inline void
put_nl_neigh(struct wbuf *w, unsigned type, const struct rtnl_neigh *n, bool v4)
{
	struct ndmsg fixed = { .ndm_family = v4 ? AF_INET : AF_INET6,
		.ndm_ifindex = (int)n->index,
		.ndm_state = n->has_mac ? NUD_REACHABLE : NUD_FAILED };
	struct nlmsghdr *h = put_nl_head(w, type);

	wbuf_bytes(w, &fixed, sizeof(fixed));
	put_nl_ip(w, NDA_DST, v4, n->addr);
	if (n->has_mac)
		put_nl_attr(w, NDA_LLADDR, n->mac, sizeof(n->mac));
	put_nl_end(w, h);
}

#endif
