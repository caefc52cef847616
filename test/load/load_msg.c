/* SPDX-License-Identifier: GPL-3.0-or-later */
/* As much of BGP-4 on the wire as a client of a route server needs.
 *
 * What arrives is bounds-checked here once. Attribute values are the business of
 * load_attr.c. */
#include "test/load/load_msg.h"

#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#include <errno.h>

int
msg_header(const uint8_t *p, unsigned *len, unsigned *type)
{
	unsigned i;

	for (i = 0; i < 16; i++)
		if (p[i] != 0xff)
			return -EPROTO;
	*len = get_be16(p + 16);
	*type = p[18];
	if (*len < MSG_HEADER || *len > MSG_MAX || *type < MSG_OPEN ||
	    *type > MSG_REFRESH)
		return -EPROTO;
	return 0;
}

unsigned
msg_put_header(uint8_t *to, unsigned len, unsigned type)
{
	memset(to, 0xff, 16);
	put_be16(to + 16, (uint16_t)len);
	to[18] = (uint8_t)type;
	return len;
}

static void
put_add_path(struct wbuf *w, const struct msg_open *o)
{
	uint8_t *len;
	unsigned fam;

	if (!o->add_path[FAM_IP4] && !o->add_path[FAM_IP6])
		return;
	wbuf_u8(w, 69);
	len = wbuf_skip(w, 1);
	for (fam = 0; fam < FAM_CNT; fam++) {
		if (!o->add_path[fam])
			continue;
		wbuf_u16(w, family_afi((enum family)fam));
		wbuf_u8(w, SAFI_UNICAST);
		wbuf_u8(w, o->add_path[fam]);
	}
	*len = (uint8_t)(w->pos - len - 1);
}

unsigned
msg_put_open(uint8_t *to, const struct msg_open *o)
{
	struct wbuf w = wbuf_of(to + MSG_HEADER, MSG_MAX - MSG_HEADER);
	uint8_t *opt;
	unsigned fam;

	wbuf_u8(&w, 4);
	wbuf_u16(&w, o->as > 0xffff ? AS_TRANS : (uint16_t)o->as);
	wbuf_u16(&w, o->hold);
	wbuf_u32(&w, o->router_id);
	opt = wbuf_skip(&w, 3); /* optional parameters: one, of capabilities */
	for (fam = 0; fam < FAM_CNT; fam++) {
		if (!(o->families >> fam & 1))
			continue;
		wbuf_u16(&w, 1 << 8 | 4); /* multiprotocol */
		wbuf_u16(&w, family_afi((enum family)fam));
		wbuf_u16(&w, SAFI_UNICAST);
	}
	if (o->refresh)
		wbuf_u16(&w, 2 << 8);
	if (o->as4) {
		wbuf_u16(&w, 65 << 8 | 4);
		wbuf_u32(&w, o->as);
	}
	put_add_path(&w, o);
	opt[0] = (uint8_t)(w.pos - opt - 1);
	opt[1] = 2;
	opt[2] = (uint8_t)(w.pos - opt - 3);
	return msg_put_header(to, (unsigned)(w.pos - to), MSG_OPEN);
}

unsigned
msg_put_keepalive(uint8_t *to)
{
	return msg_put_header(to, MSG_HEADER, MSG_KEEPALIVE);
}

unsigned
msg_put_refresh(uint8_t *to, enum family fam)
{
	put_be16(to + MSG_HEADER, family_afi(fam));
	put_be16(to + MSG_HEADER + 2, SAFI_UNICAST);
	return msg_put_header(to, MSG_HEADER + 4, MSG_REFRESH);
}

unsigned
msg_put_notification(uint8_t *to, unsigned code, unsigned subcode)
{
	to[MSG_HEADER] = (uint8_t)code;
	to[MSG_HEADER + 1] = (uint8_t)subcode;
	return msg_put_header(to, MSG_HEADER + 2, MSG_NOTIFICATION);
}

unsigned
msg_put_end_of_rib(uint8_t *to, enum family fam)
{
	struct wbuf w = wbuf_of(to + MSG_HEADER, MSG_MAX - MSG_HEADER);

	wbuf_u16(&w, 0);
	if (fam == FAM_IP4) {
		wbuf_u16(&w, 0);
	} else {
		wbuf_u16(&w, 6);
		wbuf_u16(&w, AF_OPTIONAL << 8 | A_MP_UNREACH);
		wbuf_u8(&w, 3);
		wbuf_u16(&w, family_afi(fam));
		wbuf_u8(&w, SAFI_UNICAST);
	}
	return msg_put_header(to, (unsigned)(w.pos - to), MSG_UPDATE);
}

/* A value that nobody knows counts as if the family weren't there (RFC 7911, 4). */
static void
get_add_path(struct msg_open *o, struct rbuf *v)
{
	unsigned afi, safi, how;

	while (rbuf_left(v) && rbuf_ok(v)) {
		afi = rbuf_u16(v);
		safi = rbuf_u8(v);
		how = rbuf_u8(v);
		if (rbuf_ok(v) && safi == SAFI_UNICAST &&
		    (afi == AFI_IP4 || afi == AFI_IP6) && how <= 3)
			o->add_path[afi == AFI_IP6 ? FAM_IP6 : FAM_IP4] = (uint8_t)how;
	}
}

static int
get_capability(struct msg_open *o, unsigned code, struct rbuf v)
{
	unsigned afi, safi;

	if (code == 1) {
		afi = rbuf_u16(&v);
		safi = rbuf_u16(&v) & 0xff;
		if (safi == SAFI_UNICAST && (afi == AFI_IP4 || afi == AFI_IP6))
			o->families |= (uint8_t)(1 << (afi == AFI_IP6));
	} else if (code == 2) {
		o->refresh = true;
	} else if (code == 65) {
		o->as4 = true;
		o->as = rbuf_u32(&v);
	} else if (code == 69) {
		get_add_path(o, &v);
	}
	return rbuf_ok(&v) ? 0 : -EPROTO;
}

int
msg_get_open(struct msg_open *o, const uint8_t *body, unsigned len)
{
	struct rbuf r = rbuf_of(body, len), opts, caps;
	unsigned type, code, version;
	int err = 0;

	memset(o, 0, sizeof(*o));
	version = rbuf_u8(&r);
	o->as = rbuf_u16(&r);
	o->hold = rbuf_u16(&r);
	o->router_id = rbuf_u32(&r);
	opts = rbuf_sub(&r, rbuf_u8(&r));
	if (!rbuf_done(&r) || version != 4)
		return -EPROTO;
	while (rbuf_left(&opts)) {
		type = rbuf_u8(&opts);
		caps = rbuf_sub(&opts, rbuf_u8(&opts));
		while (type == 2 && rbuf_left(&caps) && !err) {
			code = rbuf_u8(&caps);
			err = get_capability(o, code, rbuf_sub(&caps, rbuf_u8(&caps)));
		}
		if (err || !rbuf_ok(&caps))
			return -EPROTO;
	}
	return rbuf_ok(&opts) ? 0 : -EPROTO;
}

static struct span
span_rest(struct rbuf *r)
{
	struct span s = { r->pos, (uint32_t)rbuf_left(r) };

	r->pos = r->end;
	return s;
}

static int
family_of(unsigned afi, unsigned safi, enum family *fam)
{
	if (safi != SAFI_UNICAST || (afi != AFI_IP4 && afi != AFI_IP6))
		return -EPROTO;
	*fam = afi == AFI_IP6 ? FAM_IP6 : FAM_IP4;
	return 0;
}

static int
get_mp(struct msg_update *u, unsigned type, struct rbuf v)
{
	unsigned afi = rbuf_u16(&v), safi = rbuf_u8(&v);

	if (type == A_MP_UNREACH) {
		u->has_mp_unreach = true;
		if (!rbuf_ok(&v) || family_of(afi, safi, &u->mp_withdrawn_family))
			return -EPROTO;
		u->mp_withdrawn = span_rest(&v);
		return 0;
	}
	u->has_mp_reach = true;
	u->mp_next_hop.len = rbuf_u8(&v);
	u->mp_next_hop.p = rbuf_take(&v, u->mp_next_hop.len);
	rbuf_u8(&v); /* reserved */
	if (!rbuf_ok(&v) || family_of(afi, safi, &u->mp_family))
		return -EPROTO;
	u->mp_nlri = span_rest(&v);
	return 0;
}

int
msg_get_update(struct msg_update *u, const uint8_t *body, unsigned len)
{
	struct rbuf r = rbuf_of(body, len), attrs, v;
	unsigned flags, type;
	const uint8_t *start;

	memset(u, 0, sizeof(*u));
	attrs = rbuf_sub(&r, rbuf_u16(&r));
	u->withdrawn = (struct span){ attrs.pos, (uint32_t)rbuf_left(&attrs) };
	attrs = rbuf_sub(&r, rbuf_u16(&r));
	u->attrs = (struct span){ attrs.pos, (uint32_t)rbuf_left(&attrs) };
	u->nlri = span_rest(&r);
	if (!rbuf_ok(&r))
		return -EPROTO;
	while (rbuf_left(&attrs)) {
		start = attrs.pos;
		flags = rbuf_u8(&attrs);
		type = rbuf_u8(&attrs);
		v = rbuf_sub(
		    &attrs, flags & AF_EXTENDED ? rbuf_u16(&attrs) : rbuf_u8(&attrs));
		if (type != A_MP_REACH && type != A_MP_UNREACH)
			continue;
		if (get_mp(u, type, v))
			return -EPROTO;
		if (type == A_MP_REACH)
			u->mp_attr = (struct span){ start, (uint32_t)(v.end - start) };
	}
	return rbuf_ok(&attrs) ? 0 : -EPROTO;
}

bool
msg_is_end_of_rib(const struct msg_update *u)
{
	if (u->withdrawn.len || u->nlri.len || u->has_mp_reach)
		return false;
	if (!u->attrs.len)
		return true;
	return u->has_mp_unreach && !u->mp_withdrawn.len && u->attrs.len <= 7;
}

unsigned
msg_put_prefix(uint8_t *to, uint64_t hi, uint64_t lo, unsigned len)
{
	uint8_t a[16];

	put_be64(a, hi);
	put_be64(a + 8, lo);
	to[0] = (uint8_t)len;
	memcpy(to + 1, a, (len + 7) / 8);
	return 1 + (len + 7) / 8;
}
