/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A feed by BMP (RFC 7854, 8671): the live server connects, and reports each member's
 * Adj-RIB-In before policy, which is fed, and its Adj-RIB-Out after policy, which is what
 * it sends. Other views are left out.
 *
 * I1  Messages are taken in their order, each whole; while members have no room
 *     (shadow.full), nothing is read.
 * I2  When the connection ends, all its members are down: it tells all anew.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_cap.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bgp/bgp_params.h"
#include "lib/wire/bmp.h"
#include "lib/wire/rbuf.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <string.h>

#define SAY_NS  (60 * NS_PER_S)
#define SAY_MAX 100

/* A connection of the live server. */
struct router {
	struct list link; /* of shadow_feed.routers */
	struct shadow_feed *f;
	struct sock_tcp sock;
	struct shadow_octets in;
	struct list heard; /* struct heard */
};

/* A member that it reports of. */
struct heard {
	struct list link;
	struct bmp_peer key;
	struct shadow_member *m;
	uint8_t ids_in, ids_out; /* FAM_BIT: in what it sends, is sent */
};

static const char *
text_of(const struct shadow_feed *f, char buf[IP_STR_MAX])
{
	return ip_str(buf, f->listen_at.addr);
}

static struct heard *
heard_find(const struct router *r, const struct bmp_peer *k)
{
	struct list *n;

	list_for_each (n, &r->heard) {
		struct heard *h = container_of(n, struct heard, link);

		if (h->key.type == k->type && h->key.distinguisher == k->distinguisher &&
		    ip_equal(h->key.addr, k->addr))
			return h;
	}
	return NULL;
}

static void
heard_free(TAKE struct heard *h)
{
	shadow_member_down(h->m, NULL, 0);
	shadow_member_live_down(h->m);
	list_del(&h->link);
	mem_free(MEM_OTHER, h);
}

/* ---- messages ---- */

static void
take_up(struct router *r, const struct bmp_read *m)
{
	struct heard *h = heard_find(r, &m->peer);
	const struct bmp_up *up = &m->up;
	struct bgp_open sent, got;

	if (m->peer.type == BMP_PEER_LOC_RIB || ip_is_none(m->peer.addr))
		return;
	if (h)
		heard_free(h);
	if (bgp_open_decode(up->sent + BGP_HDR_LEN, up->sent_len - BGP_HDR_LEN, &sent)
		.severity ||
	    bgp_open_decode(
		up->received + BGP_HDR_LEN, up->received_len - BGP_HDR_LEN, &got)
		.severity)
		return;
	h = mem_zalloc(MEM_OTHER, sizeof(*h));
	h->key = m->peer;
	h->ids_in = got.caps.ids_tx & sent.caps.ids_rx;
	h->ids_out = sent.caps.ids_tx & got.caps.ids_rx;
	h->m = shadow_member_get(r->f->of, m->peer.addr, up->local, m->peer.as);
	list_add_tail(&r->heard, &h->link);
	shadow_member_live_down(h->m);
	h->m->live_due = (got.caps.mp ? got.caps.fam : FAM_BIT(FAM_IP4)) &
			 (sent.caps.mp ? sent.caps.fam : FAM_BIT(FAM_IP4));
	shadow_member_open(h->m, up->received, up->received_len);
}

static void
take_down(struct router *r, const struct bmp_read *m)
{
	struct heard *h = heard_find(r, &m->peer);
	size_t len = rbuf_left(&m->rest);

	if (!h)
		return;
	if (m->why == BMP_DOWN_REMOTE_NOTIFICATION && len >= BGP_HDR_LEN + 2)
		shadow_member_down(h->m, m->rest.pos, len);
	heard_free(h);
}

static void
take_routes(struct router *r, const struct bmp_read *m)
{
	struct heard *h = heard_find(r, &m->peer);
	size_t len = rbuf_left(&m->rest);
	bool as4 = !(m->peer.flags & BMP_FLAG_AS2);
	bool out = m->peer.flags & BMP_FLAG_OUT, post = m->peer.flags & BMP_FLAG_POST;
	char ip[IP_STR_MAX];
	const char *why;

	if (!h || out != post)
		return;
	shadow_feed_told(r->f, m->peer.time_us);
	if (len < BGP_HDR_LEN || get_be16(m->rest.pos + 16) != len ||
	    m->rest.pos[18] != BGP_UPDATE)
		why = "that is no UPDATE";
	else if (out)
		why = shadow_member_live(h->m, m->rest.pos, len, as4, h->ids_out);
	else
		why = shadow_member_message(h->m, m->rest.pos, len, as4, h->ids_in);
	if (why)
		shadow_feed_bad(r->f, ip_str(ip, m->peer.addr), why);
}

/* take - Returns: false: that was its last one. */
static bool
take(struct router *r, const uint8_t *msg, uint32_t len)
{
	struct bmp_read m;

	if (bmp_read(msg, len, &m))
		return false;
	if (m.type == BMP_PEER_UP)
		take_up(r, &m);
	else if (m.type == BMP_PEER_DOWN)
		take_down(r, &m);
	else if (m.type == BMP_ROUTE_MONITORING)
		take_routes(r, &m);
	return m.type != BMP_TERMINATION;
}

/* ---- connections ---- */

static void
router_free(TAKE struct router *r)
{
	struct list *n, *tmp;

	sock_tcp_close(&r->sock);
	list_for_each_safe (n, tmp, &r->heard)
		heard_free(container_of(n, struct heard, link));
	list_del(&r->link);
	shadow_octets_free(&r->in);
	mem_free(MEM_OTHER, r);
}

/* may_log - is there room for a line about a connection? Whoever reaches the port can
 * cause such lines. */
static bool
may_log(struct shadow_feed *f)
{
	uint32_t left_out;
	bool may = log_rate_take(
	    &f->said, loop_now_ns(&f->of->worker), SAY_NS, SAY_MAX, &left_out);

	if (left_out)
		log_msg(LOG_C_WARN,
		    "Shadow: %u more lines about connections weren't logged", left_out);
	return may;
}

static void
ended(TAKE struct router *r, const char *why)
{
	char text[IP_STR_MAX];

	if (may_log(r->f))
		log_msg(LOG_C_REMOTE, "Shadow: %s port %u: the live server is gone: %s",
		    text_of(r->f, text), r->f->listen_at.port, why);
	router_free(r);
}

static void
messages(struct router *r)
{
	const char *why = NULL;

	while (!why && !r->f->of->full) { /* I1 */
		const uint8_t *at = r->in.at + r->in.pos;
		uint32_t left = r->in.len - r->in.pos;
		int len = left ? bmp_frame(at, left) : 0;

		if (len < 0)
			why = "that isn't BMP version 3";
		if (len <= 0 || (uint32_t)len > left)
			break;
		if (!take(r, at, (uint32_t)len))
			why = "it has ended the connection, or a message can't be read";
		r->in.pos += (uint32_t)len;
	}
	if (why)
		ended(r, why);
	else
		sock_tcp_want(&r->sock, !r->f->of->full, false);
}

static void
readable(struct sock_tcp *s)
{
	struct router *r = container_of(s, struct router, sock);
	ssize_t n = sock_tcp_read(
	    s, shadow_octets_room(&r->in, SHADOW_READ), SHADOW_READ);

	if (n < 0) {
		ended(r, n == -EPIPE ? "connection closed" : strerror((int)-n));
	} else if (n > 0) {
		shadow_octets_got(&r->in, (uint32_t)n);
		messages(r);
	}
}

static void
failed(struct sock_tcp *s, int err)
{
	(void)s, (void)err; /* what has come before is still to be read */
}

static const struct sock_tcp_ops sock_ops = {
	.readable = readable,
	.failed = failed,
};

static void
accepted(struct sock_listen *l, TAKE int fd, const struct sock_end *remote,
    const struct sock_end *local)
{
	struct shadow_feed *f = container_of(l, struct shadow_feed, listen);
	struct router *r = mem_zalloc(MEM_OTHER, sizeof(*r));
	char text[IP_STR_MAX];

	(void)local;
	r->f = f;
	list_init(&r->heard);
	list_add_tail(&f->routers, &r->link);
	sock_tcp_init(&r->sock, &f->of->worker, &sock_ops);
	sock_tcp_adopt(&r->sock, fd);
	sock_tcp_want(&r->sock, true, false);
	if (may_log(f))
		log_msg(LOG_C_INFO, "Shadow: a live server at %s reports",
		    ip_str(text, remote->addr));
}

void
shadow_bmp_start(struct shadow_feed *f)
{
	struct sock_conf none = { 0 };
	char text[IP_STR_MAX];
	int err = sock_listen_open(
	    &f->listen, &f->of->worker, &f->listen_at, &none, accepted);

	if (err)
		log_msg(LOG_C_ERR, "Shadow: can't listen at %s port %u: %s",
		    text_of(f, text), f->listen_at.port, sock_listen_error(-err));
}

void
shadow_bmp_go_on(struct shadow_feed *f)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &f->routers)
		messages(container_of(n, struct router, link));
}

void
shadow_bmp_stop(struct shadow_feed *f)
{
	struct list *n, *tmp;

	sock_listen_close(&f->listen);
	list_for_each_safe (n, tmp, &f->routers)
		router_free(container_of(n, struct router, link));
}
