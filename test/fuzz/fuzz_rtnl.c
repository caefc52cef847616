/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the kernel about links, addresses, neighbors and routes, as one recv gives
 * them: what was read and written again is read to the same. */
#include "lib/base/check.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl.h"
#include "lib/wire/rtnl_route.h"
#include "test/lib/rtnl_put.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
fuzz_rtnl_same_link(const struct rtnl_link *l)
{
	uint8_t buf[256];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct rtnl_msg m = { 0 };
	struct rbuf r;

	put_nl_link(&w, RTM_NEWLINK, l);
	r = rbuf_of(buf, wbuf_len(&w));
	ASSERT(rtnl_next(&r, &m) == RTNL_LINK);
	ASSERT(m.link.index == l->index && m.link.flags == l->flags);
	ASSERT(m.link.mtu == l->mtu && m.link.master == l->master);
	ASSERT(!strcmp(m.link.name, l->name));
}

static void
fuzz_rtnl_same_addr(const struct rtnl_addr *a)
{
	uint8_t buf[256];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct rtnl_msg m = { 0 };
	struct rbuf r;

	put_nl_addr(&w, RTM_NEWADDR, a, a->subnet.len ? a->subnet.addr : IP_NONE);
	r = rbuf_of(buf, wbuf_len(&w));
	if (ip_is_none(a->subnet.addr) && a->subnet.len)
		return; /* the other end is ::, which says that there is none */
	ASSERT(rtnl_next(&r, &m) == RTNL_ADDR);
	ASSERT(ip_equal(m.addr.local, a->local) && m.addr.index == a->index);
	ASSERT(m.addr.flags == a->flags && m.addr.scope == a->scope);
	ASSERT(prefix_cmp(&m.addr.subnet, &a->subnet) == 0);
}

static void
fuzz_rtnl_same_neigh(const struct rtnl_neigh *n)
{
	uint8_t buf[256];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct rtnl_msg m = { 0 };
	struct rbuf r;

	put_nl_neigh(&w, RTM_NEWNEIGH, n, ip_is_v4(n->addr));
	r = rbuf_of(buf, wbuf_len(&w));
	ASSERT(rtnl_next(&r, &m) == RTNL_NEIGH);
	ASSERT(ip_equal(m.neigh.addr, n->addr) && m.neigh.index == n->index);
	ASSERT(m.neigh.has_mac == n->has_mac);
	ASSERT(!n->has_mac || !memcmp(m.neigh.mac, n->mac, sizeof(n->mac)));
}

static void
same_route(struct rbuf body)
{
	static uint8_t buf[32768];
	static struct rtnl_hop hops[2][RTNL_HOPS_MAX];
	struct rtnl_route a = { .hop = hops[0] }, b = { .hop = hops[1] };
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	struct rtnl_msg m = { 0 };
	struct rbuf r;

	if (!rtnl_route_get(body, &a) || a.other || (a.hop_cnt == 1 && !a.hop->ifindex))
		return;
	rtnl_route_add(&w, 1, &a);
	ASSERT(!w.bad);
	r = rbuf_of(buf, wbuf_len(&w));
	ASSERT(rtnl_next(&r, &m) == RTNL_ROUTE && rtnl_route_get(m.route, &b));
	ASSERT(prefix_cmp(&a.dst, &b.dst) == 0 && a.hop_cnt == b.hop_cnt);
	ASSERT(a.table == b.table && a.priority == b.priority && a.type == b.type);
	ASSERT(a.metrics == b.metrics && !memcmp(a.metric, b.metric, sizeof(a.metric)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct rbuf r = rbuf_of(data, len);
	struct rtnl_msg m;
	enum rtnl_kind k;

	while ((k = rtnl_next(&r, &m)) != RTNL_END) {
		ASSERT(k == m.kind);
		if (k == RTNL_LINK)
			fuzz_rtnl_same_link(&m.link);
		else if (k == RTNL_ADDR)
			fuzz_rtnl_same_addr(&m.addr);
		else if (k == RTNL_NEIGH)
			fuzz_rtnl_same_neigh(&m.neigh);
		else if (k == RTNL_ROUTE)
			same_route(m.route);
		else if (k == RTNL_DONE)
			ASSERT(m.error <= 0);
	}
	return 0;
}
