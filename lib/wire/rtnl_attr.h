/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes of the kernel's messages (rtnetlink(7)): for rtnl*.c only.
 *
 * Numbers are in the machine's order; each attribute is aligned to 4 octets. No state.
 *
 * Pure functions; any thread. */
#ifndef TERN_LIB_WIRE_RTNL_ATTR_H
#define TERN_LIB_WIRE_RTNL_ATTR_H

#include "lib/net/ip.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#include <linux/netlink.h>

static inline uint16_t
rtnl_u16(struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t
rtnl_u32(struct rbuf *r)
{
	const uint8_t *p = rbuf_take(r, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

/* rtnl_aligned - step over the padding of @len octets; padding may be missing at the
 * end. */
static inline void
rtnl_aligned(struct rbuf *r, size_t len)
{
	size_t pad = -len & 3;

	rbuf_take(r, pad < rbuf_left(r) ? pad : rbuf_left(r));
}

/* rtnl_attr - read one attribute: type, and octets in @value. Returns: false: at the end,
 * or after an impossible length, which leaves @r bad. */
static inline bool
rtnl_attr(struct rbuf *r, uint16_t *type, struct rbuf *value)
{
	uint16_t len;

	if (!rbuf_left(r))
		return false;
	len = rtnl_u16(r);
	*type = rtnl_u16(r) & NLA_TYPE_MASK;
	if (len < NLA_HDRLEN || !rbuf_ok(r)) {
		r->bad = true;
		return false;
	}
	*value = rbuf_sub(r, len - NLA_HDRLEN);
	if (rbuf_ok(r))
		rtnl_aligned(r, len);
	return rbuf_ok(r);
}

/* rtnl_ip - all of @v is an address. */
static inline struct ip_addr
rtnl_ip(struct rbuf *v, bool v4)
{
	const uint8_t *p = rbuf_take(v, v4 ? 4 : 16);

	if (!p || !rbuf_done(v)) {
		v->bad = true;
		return IP_NONE;
	}
	return v4 ? ip4(get_be32(p)) : ip_get16(p);
}

/* rtnl_put - an attribute. */
static inline void
rtnl_put(struct wbuf *w, uint16_t type, const void *val, size_t len)
{
	struct nlattr h = { .nla_len = (uint16_t)(sizeof(h) + len), .nla_type = type };
	static const uint8_t zero[4];

	wbuf_bytes(w, &h, sizeof(h));
	wbuf_bytes(w, val, len);
	wbuf_bytes(w, zero, -len & 3);
}

static inline void
rtnl_put_u32(struct wbuf *w, uint16_t type, uint32_t v)
{
	rtnl_put(w, type, &v, sizeof(v));
}

/* rtnl_put_ip - of the family that the address is of. */
static inline void
rtnl_put_ip(struct wbuf *w, uint16_t type, struct ip_addr a)
{
	uint8_t octets[16];

	ip_put16(octets, a);
	if (ip_is_v4(a))
		rtnl_put(w, type, octets + 12, 4);
	else
		rtnl_put(w, type, octets, 16);
}

/* rtnl_open, rtnl_close - write an attribute that contains the attributes written between
 * the calls; with the octets of a message's header, write a message. */
static inline size_t
rtnl_open(struct wbuf *w, uint16_t type)
{
	size_t at = wbuf_len(w);
	struct nlattr h = { .nla_type = type };

	wbuf_bytes(w, &h, sizeof(h));
	return at;
}

static inline void
rtnl_close(struct wbuf *w, size_t at)
{
	uint16_t len = (uint16_t)(wbuf_len(w) - at);

	if (!w->bad)
		memcpy(w->start + at, &len, sizeof(len));
}

#endif
