/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BMP, inwards: a message is taken apart down to BGP messages and TLVs. Pure functions;
 * any thread. Tested by test/unit/test_bmp.c and test/fuzz/fuzz_bmp.c. */
#include "lib/wire/bmp.h"

#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/rbuf.h"

#include <errno.h>

#define BMP_LEN_MAX (1u << 20) /* of a message: more than two OPENs, or an UPDATE, need */
#define NO_REASON   0xffff

int
bmp_frame(const uint8_t *p, size_t len)
{
	uint32_t whole;

	if (len && p[0] != BMP_VERSION)
		return -EPROTO;
	if (len < BMP_HEADER_LEN)
		return 0;
	whole = get_be32(p + 1);
	return whole < BMP_HEADER_LEN || whole > BMP_LEN_MAX ? -EPROTO : (int)whole;
}

int
bmp_tlv_next(struct rbuf *r, uint16_t *type, struct rbuf *value)
{
	if (!rbuf_left(r))
		return 0;
	*type = rbuf_u16(r);
	*value = rbuf_sub(r, rbuf_u16(r));
	return rbuf_ok(r) && rbuf_ok(value) ? 1 : -EPROTO;
}

static struct ip_addr
bmp_dec_get_addr(struct rbuf *r, bool v6)
{
	const uint8_t *p = rbuf_take(r, 16);
	struct ip_addr a = p ? ip_get16(p) : IP_NONE;

	return v6 || ip_is_none(a) ? a : ip4((uint32_t)a.lo);
}

static void
dec_get_peer(struct rbuf *r, struct bmp_peer *p)
{
	uint64_t hi;
	bool v6;

	p->type = rbuf_u8(r);
	p->flags = rbuf_u8(r);
	v6 = p->type != BMP_PEER_LOC_RIB && p->flags & BMP_FLAG_V;
	if (p->type != BMP_PEER_LOC_RIB)
		p->flags &= (uint8_t)~BMP_FLAG_V;
	hi = rbuf_u32(r);
	p->distinguisher = hi << 32 | rbuf_u32(r);
	p->addr = bmp_dec_get_addr(r, v6);
	p->as = rbuf_u32(r);
	p->router_id = rbuf_u32(r);
	hi = rbuf_u32(r);
	p->time_us = hi * 1000000 + rbuf_u32(r);
}

/* dec_get_open - a BGP message of some length, by its own header. */
static const uint8_t *
dec_get_open(struct rbuf *r, size_t *len)
{
	*len = rbuf_left(r) >= BGP_HDR_LEN ? get_be16(r->pos + 16) : 0;
	if (*len < BGP_HDR_LEN) {
		r->bad = true;
		return NULL;
	}
	return rbuf_take(r, *len);
}

static void
dec_get_up(struct rbuf *r, struct bmp_read *out)
{
	bool v6 = !ip_is_none(out->peer.addr) && !ip_is_v4(out->peer.addr);
	struct rbuf tlvs, value;
	uint16_t type;
	int rc;

	out->up.local = bmp_dec_get_addr(r, v6);
	out->up.local_port = rbuf_u16(r);
	out->up.remote_port = rbuf_u16(r);
	out->up.sent = dec_get_open(r, &out->up.sent_len);
	out->up.received = dec_get_open(r, &out->up.received_len);
	tlvs = *r;
	while ((rc = bmp_tlv_next(&tlvs, &type, &value)) > 0)
		if (type == 3 && !out->up.table) {
			out->up.table = (const char *)value.pos;
			out->table_len = (uint16_t)rbuf_left(&value);
		}
	r->bad |= rc < 0;
}

static void
dec_get_term(struct rbuf *r, struct bmp_read *out)
{
	struct rbuf tlvs = *r, value;
	uint16_t type;
	int rc;

	while ((rc = bmp_tlv_next(&tlvs, &type, &value)) > 0)
		if (type == 1 && rbuf_left(&value) == 2)
			out->term = rbuf_u16(&value);
	r->bad |= rc < 0;
}

/* dec_check_tlvs - as many as @cnt, or all that there are. */
static void
dec_check_tlvs(struct rbuf *r, const uint32_t *cnt)
{
	struct rbuf tlvs = *r, value;
	uint32_t n = 0;
	uint16_t type;
	int rc;

	while ((rc = bmp_tlv_next(&tlvs, &type, &value)) > 0)
		n++;
	r->bad |= rc < 0 || (cnt && n != *cnt);
}

int
bmp_read(const uint8_t *msg, size_t len, struct bmp_read *out)
{
	struct rbuf r = rbuf_of(msg, len);

	*out = (struct bmp_read){ .term = NO_REASON };
	if (bmp_frame(msg, len) != (int)len)
		return -EPROTO;
	rbuf_take(&r, BMP_HEADER_LEN - 1);
	out->type = rbuf_u8(&r);
	out->has_peer = out->type != BMP_INITIATION && out->type != BMP_TERMINATION &&
			out->type < BMP_TYPE_CNT;
	if (out->has_peer)
		dec_get_peer(&r, &out->peer);
	switch (out->type) {
	case BMP_PEER_UP:
		dec_get_up(&r, out);
		break;
	case BMP_PEER_DOWN:
		out->why = rbuf_u8(&r);
		break;
	case BMP_STATISTICS:
		out->stat_cnt = rbuf_u32(&r);
		dec_check_tlvs(&r, &out->stat_cnt);
		break;
	case BMP_TERMINATION:
		dec_get_term(&r, out);
		break;
	case BMP_INITIATION:
	case BMP_ROUTE_MIRRORING:
		dec_check_tlvs(&r, NULL);
		break;
	default:
		break;
	}
	out->rest = r;
	return rbuf_ok(&r) ? 0 : -EPROTO;
}
