/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the kernel about links and addresses, as one recv gives them: what was read
 * and written again is read to the same. */
#include "lib/base/check.h"
#include "lib/net/prefix.h"
#include "lib/wire/rtnl.h"
#include "test/lib/rtnl_put.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
same_link(const struct rtnl_link *l)
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
same_addr(const struct rtnl_addr *a)
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
	ASSERT(ip_equal(m.addr.own, a->own) && m.addr.index == a->index);
	ASSERT(m.addr.flags == a->flags && m.addr.scope == a->scope);
	ASSERT(prefix_cmp(&m.addr.subnet, &a->subnet) == 0);
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
			same_link(&m.link);
		else if (k == RTNL_ADDR)
			same_addr(&m.addr);
		else if (k == RTNL_DONE)
			ASSERT(m.error <= 0);
	}
	return 0;
}
