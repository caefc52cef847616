/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for a station, written into the buffer of the station.
 *
 * I1  A writer asks bmp_room before a step. So the buffer is at most OUT_ROOM plus the
 *     octets of one step.
 *
 * Loop: the instance's. */
#include "lib/attr/attr.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bgp/bgp_update_enc.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/core/tern.h"
#include "nest/monitor/monitor.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/os/clock.h"

#include <errno.h>

#define OUT_ROOM (256u << 10)

uint64_t
bmp_now_us(void)
{
	return clock_real_ns(clock_now_ns()) / NS_PER_US;
}

size_t
bmp_room(const struct bmp_station *st)
{
	uint32_t waits = st->out.len - st->out.pos;

	return st->up && waits < OUT_ROOM ? OUT_ROOM - waits : 0;
}

struct wbuf
bmp_out(struct bmp_station *st, size_t cap)
{
	if (st->out.pos) {
		st->out.len -= st->out.pos;
		memmove(st->out.at, st->out.at + st->out.pos, st->out.len);
		st->out.pos = 0;
	}
	st->out.at = vec_room(
	    MEM_PROTO, st->out.at, &st->out.cap, st->out.len + (uint32_t)cap, 1);
	return wbuf_of(st->out.at + st->out.len, cap);
}

void
bmp_out_end(struct bmp_station *st, const struct wbuf *w, unsigned msgs)
{
	ASSERT(!w->bad);
	st->out.len += (uint32_t)wbuf_len(w);
	counter64_bump(&st->counts.sent_msgs, msgs);
}

struct bmp_peer
bmp_header(const struct monitor_life *l, unsigned flags, uint64_t time_us)
{
	return (struct bmp_peer){ .type = BMP_PEER_GLOBAL,
		.flags = (uint8_t)flags,
		.addr = l->peer,
		.as = l->peer_as,
		.router_id = l->router_id,
		.time_us = time_us };
}

void
bmp_class(struct bgp_class *c, const struct monitor_life *l, enum family fam, bool post)
{
	bgp_class_init(c);
	/* a set holds a link-local next hop alone as 16 octets, like most UPDATEs */
	c->ll_form = BGP_LL_SINGLE;
	c->send_local_pref = post || l->local_pref;
	c->local_pref = 100;
	c->send_reflect = c->send_aigp = c->keep_confed = 1;
	c->as4 = post || l->as4;
	c->ids = (l->ids & FAM_BIT(fam)) != 0;
	c->msg_max = l->msg_max;
}

/* out_self_hop - set the next hop of routes without next hop; only a Loc-RIB has such
 * routes. */
static void
out_self_hop(struct bgp_class *c, const struct bmp_station *st)
{
	c->nh4 = c->nh6 = ip4(load_relaxed32(&st->bmp->p.tern->router_id));
}

/* bmp_out_build - Returns: octets of messages in *@buf (MEM_PROTO), or negative errno. */
static int
bmp_out_build(uint8_t **buf, const struct bgp_class *c, enum family fam,
    const struct wire_set *w, const struct bgp_nlri *n)
{
	size_t cap = bgp_update_build_bound(c, fam, w, n->len);
	struct wbuf wb;
	int cnt;

	*buf = mem_alloc(MEM_PROTO, cap);
	wb = wbuf_of(*buf, cap);
	cnt = bgp_update_build(c, fam, w, n->p, n->len, &wb);
	return cnt < 0 ? cnt : (int)wbuf_len(&wb);
}

/* out_put_updates - Route Monitoring of whole UPDATEs, back to back. */
static void
out_put_updates(
    struct bmp_station *st, const struct bmp_peer *head, const uint8_t *at, uint32_t len)
{
	for (const uint8_t *end = at + len; at < end; at += get_be16(at + 16)) {
		size_t one = get_be16(at + 16);
		struct wbuf out = bmp_out(st, BMP_HEADER_LEN + BMP_PEER_LEN + one);

		bmp_route_put(&out, head, at, one);
		bmp_out_end(st, &out, 1);
	}
}

void
bmp_put_routes(struct bmp_station *st, const struct bmp_peer *head, struct bgp_class *c,
    enum family fam, const struct wire_set *w, const struct bgp_nlri *n)
{
	struct ip_addr hop = w ? wire_next_hop(w) : IP_NONE;
	uint8_t *buf;
	int len;

	out_self_hop(c, st);
	c->mp4 = fam == FAM_IP4 && w && !ip_is_none(hop) && !ip_is_v4(hop);
	len = bmp_out_build(&buf, c, fam, w, n);
	if (len == -EMSGSIZE) { /* the UPDATE came in a message longer than BMP may use */
		mem_free(MEM_PROTO, buf);
		c->msg_max = BGP_MSG_EXT_MAX;
		len = bmp_out_build(&buf, c, fam, w, n);
	}
	if (len > 0)
		out_put_updates(st, head, buf, (uint32_t)len);
	mem_free(MEM_PROTO, buf);
}

void
bmp_put_eor(struct bmp_station *st, const struct bmp_peer *head, enum family fam)
{
	struct wbuf out = bmp_out(st, BMP_HEADER_LEN + BMP_PEER_LEN + BGP_EOR_MAX);
	struct bmp_msg m;

	bmp_route_begin(&m, &out, head);
	bgp_eor_put(&out, fam);
	bmp_route_end(&m);
	bmp_out_end(st, &out, 1);
}

void
bmp_put_up(struct bmp_station *st, const struct monitor_life *l)
{
	struct bmp_peer head = bmp_header(l, 0, l->up_us);
	struct bmp_up up = { .local = l->local,
		.local_port = l->local_port,
		.remote_port = l->peer_port,
		.sent = l->open,
		.sent_len = l->sent_len,
		.received = l->open + l->sent_len,
		.received_len = l->received_len };
	struct wbuf out = bmp_out(st, 128u + l->sent_len + l->received_len);

	bmp_peer_up_put(&out, &head, &up);
	bmp_out_end(st, &out, 1);
}

void
bmp_put_down(struct bmp_station *st, const struct bmp_peer *head, unsigned why,
    const struct monitor_octets *o)
{
	struct wbuf out = bmp_out(st, 128u + (o ? o->len : 0));

	bmp_peer_down_put(&out, head, why, o ? o->at : NULL, o ? o->len : 0);
	bmp_out_end(st, &out, 1);
}

void
bmp_put_item(struct bmp_station *st, const struct bmp_item *it)
{
	const struct monitor_octets *o = it->octets;
	struct bmp_peer head = bmp_header(
	    it->life, it->life->as4 ? 0 : BMP_FLAG_AS2, it->time_us);
	struct wbuf out;

	if (it->kind == MON_OUT || it->kind == MON_OFFER) { /* RFC 8671, 4, 5 */
		head.flags |= BMP_FLAG_OUT | (it->kind == MON_OUT ? BMP_FLAG_POST : 0);
		out_put_updates(st, &head, o->at, o->len);
		return;
	}
	out = bmp_out(st, BMP_HEADER_LEN + BMP_PEER_LEN + 16 + o->len);
	if (it->kind == MON_MIRROR)
		bmp_mirror_put(&out, &head, BMP_MIRROR_ERRORED, o->at, o->len);
	else
		bmp_route_put(&out, &head, o->at, o->len);
	bmp_out_end(st, &out, 1);
}
