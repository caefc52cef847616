/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encoding of BMP messages. end() writes the length of a message after the body. No
 * state; any thread. Tested by test/unit/test_bmp.c. */
#include "lib/wire/bmp.h"

#include <string.h>

#define INFO_STRING    0
#define INFO_SYS_DESCR 1
#define INFO_SYS_NAME  2
#define INFO_TABLE     3 /* RFC 9069, 4.3 */
#define TERM_STRING    0
#define TERM_REASON    1
#define MIRROR_MESSAGE 0
#define MIRROR_INFO    1

static void
bmp_begin(struct bmp_msg *m, struct wbuf *out, enum bmp_type type)
{
	*m = (struct bmp_msg){ .out = out, .start = out->pos };
	wbuf_u8(out, BMP_VERSION);
	wbuf_u32(out, 0); /* the length, later */
	wbuf_u8(out, type);
}

static void
wire_bmp_end(struct bmp_msg *m)
{
	if (!m->out->bad)
		put_be32(m->start + 1, (uint32_t)(m->out->pos - m->start));
}

/* bmp_put_addr - 16 octets; IPv4 in the last four, with zeros before it (RFC 7854,
 * 4.2). */
static void
bmp_put_addr(struct wbuf *out, struct ip_addr a)
{
	if (ip_is_v4(a))
		a = (struct ip_addr){ 0, ip_to_v4(a) };
	if (wbuf_fits(out, 16)) {
		ip_put16(out->pos, a);
		out->pos += 16;
	}
}

static bool
bmp_is_v6(const struct bmp_peer *p)
{
	return p->type != BMP_PEER_LOC_RIB && !ip_is_none(p->addr) && !ip_is_v4(p->addr);
}

static void
bmp_put_peer(struct wbuf *out, const struct bmp_peer *p)
{
	wbuf_u8(out, p->type);
	wbuf_u8(out, (uint8_t)(p->flags | (bmp_is_v6(p) ? BMP_FLAG_V : 0)));
	wbuf_u32(out, (uint32_t)(p->distinguisher >> 32));
	wbuf_u32(out, (uint32_t)p->distinguisher);
	bmp_put_addr(out, p->addr);
	wbuf_u32(out, p->as);
	wbuf_u32(out, p->router_id);
	wbuf_u32(out, (uint32_t)(p->time_us / 1000000));
	wbuf_u32(out, (uint32_t)(p->time_us % 1000000));
}

static void
bmp_put_tlv(struct wbuf *out, unsigned type, const void *value, size_t len)
{
	wbuf_u16(out, (uint16_t)type);
	wbuf_u16(out, (uint16_t)len);
	wbuf_bytes(out, value, len);
}

static void
bmp_put_text(struct wbuf *out, unsigned type, const char *text)
{
	if (text)
		bmp_put_tlv(out, type, text, strnlen(text, BMP_TEXT_MAX));
}

void
bmp_initiation_put(struct wbuf *out, const char *sys_descr, const char *sys_name)
{
	struct bmp_msg m;

	bmp_begin(&m, out, BMP_INITIATION);
	/* RFC 7854, 4.3 requires both */
	bmp_put_text(out, INFO_SYS_DESCR, sys_descr ? sys_descr : "");
	bmp_put_text(out, INFO_SYS_NAME, sys_name ? sys_name : "");
	wire_bmp_end(&m);
}

void
bmp_termination_put(struct wbuf *out, enum bmp_term_reason why, const char *text)
{
	uint8_t reason[2];
	struct bmp_msg m;

	bmp_begin(&m, out, BMP_TERMINATION);
	bmp_put_text(out, TERM_STRING, text);
	put_be16(reason, (uint16_t)why);
	bmp_put_tlv(out, TERM_REASON, reason, sizeof(reason));
	wire_bmp_end(&m);
}

void
bmp_peer_up_put(struct wbuf *out, const struct bmp_peer *p, const struct bmp_up *up)
{
	struct bmp_msg m;

	bmp_begin(&m, out, BMP_PEER_UP);
	bmp_put_peer(out, p);
	bmp_put_addr(out, up->local);
	wbuf_u16(out, up->local_port);
	wbuf_u16(out, up->remote_port);
	wbuf_bytes(out, up->sent, up->sent_len);
	wbuf_bytes(out, up->received, up->received_len);
	bmp_put_text(out, INFO_TABLE, up->table);
	wire_bmp_end(&m);
}

void
bmp_peer_down_put(struct wbuf *out, const struct bmp_peer *p, enum bmp_down_reason why,
    const uint8_t *data, size_t len)
{
	struct bmp_msg m;

	bmp_begin(&m, out, BMP_PEER_DOWN);
	bmp_put_peer(out, p);
	wbuf_u8(out, why);
	wbuf_bytes(out, data, len);
	wire_bmp_end(&m);
}

void
bmp_route_begin(struct bmp_msg *m, struct wbuf *out, const struct bmp_peer *p)
{
	bmp_begin(m, out, BMP_ROUTE_MONITORING);
	bmp_put_peer(out, p);
}

void
bmp_route_end(struct bmp_msg *m)
{
	wire_bmp_end(m);
}

void
bmp_route_put(
    struct wbuf *out, const struct bmp_peer *p, const uint8_t *update, size_t len)
{
	struct bmp_msg m;

	bmp_route_begin(&m, out, p);
	wbuf_bytes(out, update, len);
	bmp_route_end(&m);
}

/* ---- statistics ---- */

void
bmp_stats_begin(struct bmp_msg *m, struct wbuf *out, const struct bmp_peer *p)
{
	bmp_begin(m, out, BMP_STATISTICS);
	bmp_put_peer(out, p);
	m->cnt_at = out->pos;
	wbuf_u32(out, 0);
}

/* bmp_is_gauge - of 64 bits; else a counter of 32. */
static bool
bmp_is_gauge(enum bmp_stat s)
{
	return (s >= BMP_STAT_ADJ_IN && s <= BMP_STAT_LOC_RIB_FAMILY) ||
	       s >= BMP_STAT_OUT_PRE;
}

static void
bmp_put_u64(struct wbuf *out, uint64_t v)
{
	wbuf_u32(out, (uint32_t)(v >> 32));
	wbuf_u32(out, (uint32_t)v);
}

void
bmp_stats_add(struct bmp_msg *m, enum bmp_stat s, uint64_t v)
{
	wbuf_u16(m->out, (uint16_t)s);
	wbuf_u16(m->out, bmp_is_gauge(s) ? 8 : 4);
	if (bmp_is_gauge(s))
		bmp_put_u64(m->out, v);
	else
		wbuf_u32(m->out, (uint32_t)v);
	m->cnt++;
}

void
bmp_stats_add_family(
    struct bmp_msg *m, enum bmp_stat s, uint16_t afi, uint8_t safi, uint64_t v)
{
	wbuf_u16(m->out, (uint16_t)s);
	wbuf_u16(m->out, 2 + 1 + 8);
	wbuf_u16(m->out, afi);
	wbuf_u8(m->out, safi);
	bmp_put_u64(m->out, v);
	m->cnt++;
}

void
bmp_stats_end(struct bmp_msg *m)
{
	if (!m->out->bad)
		put_be32(m->cnt_at, m->cnt);
	wire_bmp_end(m);
}

/* ---- mirroring ---- */

void
bmp_mirror_put(struct wbuf *out, const struct bmp_peer *p, enum bmp_mirror_code c,
    const uint8_t *msg, size_t len)
{
	uint8_t code[2];
	struct bmp_msg m;

	bmp_begin(&m, out, BMP_ROUTE_MIRRORING);
	bmp_put_peer(out, p);
	put_be16(code, (uint16_t)c);
	bmp_put_tlv(out, MIRROR_INFO, code, sizeof(code));
	if (msg)
		bmp_put_tlv(out, MIRROR_MESSAGE, msg, len);
	wire_bmp_end(&m);
}
