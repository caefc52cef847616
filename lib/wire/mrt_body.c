/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A route of a dumped table as an UPDATE that announces the route. No state; any
 * thread. Tested by test/fuzz/fuzz_mrt.c and test/net/test_mrt_load.py. */
#include "lib/attr/attr_def.h"
#include "lib/net/prefix.h"
#include "lib/wire/mrt.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/wbuf.h"

#include <errno.h>

/* An attribute in the form of the record. */
struct item {
	uint8_t flags, code;
	struct rbuf value;
};

/* mrt_body_next - Returns: 1; 0: at the end; -EPROTO: the attributes are truncated. */
static int
mrt_body_next(struct rbuf *r, struct item *it)
{
	if (!rbuf_left(r))
		return 0;
	it->flags = rbuf_u8(r);
	it->code = rbuf_u8(r);
	it->value = rbuf_sub(r, it->flags & ATTR_F_EXTLEN ? rbuf_u16(r) : rbuf_u8(r));
	return rbuf_ok(r) && rbuf_ok(&it->value) ? 1 : -EPROTO;
}

/* mrt_body_has - true if @r has attribute @code. */
static bool
mrt_body_has(struct rbuf r, unsigned code)
{
	struct item it;

	while (mrt_body_next(&r, &it) > 0)
		if (it.code == code)
			return true;
	return false;
}

static void
body_put_nlri(struct wbuf *out, const struct mrt_net *n, const struct mrt_entry *e)
{
	uint8_t octets[PREFIX_WIRE_MAX];

	if (n->add_path)
		wbuf_u32(out, e->path_id);
	wbuf_bytes(out, octets, prefix_put(octets, &n->net));
}

/* body_put_reach - write MP_REACH with the net. @v: next hop and length alone (RFC 6396,
 * 4.3.4), or the whole attribute, which some programs write against the RFC. */
static void
body_put_reach(
    struct wbuf *out, const struct mrt_net *n, const struct mrt_entry *e, struct rbuf v)
{
	uint8_t *len_at, *start;
	struct rbuf hop;

	if (rbuf_left(&v) > 5 && v.pos[0] == 0)
		rbuf_take(&v, 3);
	hop = rbuf_sub(&v, rbuf_u8(&v));
	wbuf_u8(out, ATTR_F_OPTIONAL | ATTR_F_EXTLEN);
	wbuf_u8(out, ATTR_MP_REACH);
	len_at = wbuf_skip(out, 2);
	start = out->pos;
	wbuf_u16(out, family_afi(n->net.fam));
	wbuf_u8(out, family_safi(n->net.fam));
	wbuf_u8(out, (uint8_t)rbuf_left(&hop));
	wbuf_bytes(out, hop.pos, rbuf_left(&hop));
	wbuf_u8(out, 0);
	body_put_nlri(out, n, e);
	if (len_at && !out->bad)
		put_be16(len_at, (uint16_t)(out->pos - start));
	out->bad |= !rbuf_ok(&hop);
}

static void
mrt_body_put_item(struct wbuf *out, const struct item *it)
{
	size_t len = rbuf_left(&it->value);

	wbuf_u8(out, it->flags | ATTR_F_EXTLEN);
	wbuf_u8(out, it->code);
	wbuf_u16(out, (uint16_t)len);
	wbuf_bytes(out, it->value.pos, len);
}

int
mrt_entry_body(struct wbuf *out, const struct mrt_net *n, const struct mrt_entry *e)
{
	bool classic = n->net.fam == FAM_IP4 && mrt_body_has(e->attrs, ATTR_NEXT_HOP);
	struct rbuf r = e->attrs;
	uint8_t *len_at, *start;
	struct item it;
	int rc;

	wbuf_u16(out, 0);
	len_at = wbuf_skip(out, 2);
	start = out->pos;
	while ((rc = mrt_body_next(&r, &it)) > 0) {
		if (it.code == ATTR_MP_UNREACH || (it.code == ATTR_MP_REACH && classic))
			continue;
		if (it.code == ATTR_MP_REACH)
			body_put_reach(out, n, e, it.value);
		else
			mrt_body_put_item(out, &it);
	}
	if (rc < 0 || out->bad || out->pos - start > UINT16_MAX)
		return -EPROTO;
	put_be16(len_at, (uint16_t)(out->pos - start));
	if (classic)
		body_put_nlri(out, n, e);
	return out->bad || (!classic && !mrt_body_has(e->attrs, ATTR_MP_REACH)) ? -EPROTO
										: 0;
}
