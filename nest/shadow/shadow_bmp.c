/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A feed by BMP (foreign_bmp.h): the live server connects, and reports for each member
 * the Adj-RIB-In before policy, which is fed, and the Adj-RIB-Out after policy, the live
 * server's announcements. Other views are ignored.
 *
 * I1  While members have no room (shadow.full), nothing is read.
 * I2  The end of the connection takes all its members down: a new connection reports all
 *     routes again.
 *
 * Loop: the shadow's. Tested by test/net/test_shadow.py,
 * test_shadow_feeds.py. */
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bmp.h"
#include "lib/wire/rbuf.h"
#include "nest/foreign/foreign_bmp.h"
#include "nest/foreign/foreign_stream.h"
#include "nest/foreign/foreign_update.h"
#include "nest/shadow/shadow_priv.h"
#include "sysdep/log/log.h"
#include "sysdep/log/log_class.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_opt.h"

#define SAY_NS  (60 * NS_PER_S)
#define SAY_MAX 100

/* An open or ended connection of the live server. */
struct router {
	struct list link; /* of shadow_feed.routers */
	struct shadow_feed *f;
	struct foreign_bmp bmp; /* peers: struct heard */
};

/* A member reported by the connection. */
struct heard {
	struct foreign_peer peer;
	struct shadow_member *m;
};

static const char *
shadow_bmp_text_of(const struct shadow_feed *f, char buf[IP_STR_MAX])
{
	return ip_str(buf, f->listen_at.addr);
}

static struct router *
shadow_bmp_router_of(struct foreign_bmp *b)
{
	return container_of(b, struct router, bmp);
}

static struct heard *
shadow_bmp_heard_of(struct foreign_peer *p)
{
	return container_of(p, struct heard, peer);
}

/* ---- messages ---- */

static bool
shadow_bmp_feed_ready(struct foreign_bmp *b)
{
	return !shadow_bmp_router_of(b)->f->of->full; /* I1 */
}

static void
bmp_feed_begin(struct foreign_bmp *b, struct rbuf *tlvs)
{
	(void)b, (void)tlvs;
}

static struct foreign_peer *
bmp_feed_up(
    struct foreign_bmp *b, const struct foreign_peer *like, const struct bmp_read *m)
{
	const struct bmp_up *up = &m->up;
	struct heard *h;

	if (like->key.type == BMP_PEER_LOC_RIB || ip_is_none(like->key.addr) ||
	    !like->opens)
		return NULL;
	h = mem_zalloc(MEM_OTHER, sizeof(*h));
	h->m = shadow_member_get(
	    shadow_bmp_router_of(b)->f->of, like->key.addr, up->local, like->key.as);
	shadow_member_live_down(h->m);
	h->m->live.due = like->fams;
	shadow_member_open(h->m, up->received, up->received_len);
	return &h->peer;
}

static void
bmp_feed_down(
    struct foreign_bmp *b, TAKE struct foreign_peer *p, const struct bmp_read *m)
{
	struct heard *h = shadow_bmp_heard_of(p);
	size_t len = m ? rbuf_left(&m->rest) : 0;

	(void)b;
	if (m && m->why == BMP_DOWN_REMOTE_NOTIFICATION && len >= BGP_HDR_LEN + 2)
		shadow_member_down(h->m, m->rest.pos, len);
	shadow_member_down(h->m, NULL, 0);
	shadow_member_live_down(h->m);
	mem_free(MEM_OTHER, h);
}

static void
bmp_feed_bad(struct foreign_bmp *b, const struct bmp_read *m, const char *why)
{
	char ip[IP_STR_MAX];

	shadow_feed_bad(shadow_bmp_router_of(b)->f, ip_str(ip, m->peer.addr), why);
}

static void
bmp_feed_routes(struct foreign_bmp *b, struct foreign_peer *p, const struct bmp_read *m,
    const struct foreign_update *u)
{
	enum foreign_rib rib = foreign_rib_of(&m->peer);
	const uint8_t *msg = u->body - BGP_HDR_LEN;
	size_t len = u->len + BGP_HDR_LEN;
	const char *why;

	if (!p || (rib != FOREIGN_IN_PRE && rib != FOREIGN_OUT_POST))
		return;
	shadow_feed_progress(shadow_bmp_router_of(b)->f, m->peer.time_us);
	why = (rib == FOREIGN_IN_PRE ? shadow_member_message : shadow_member_live)(
	    shadow_bmp_heard_of(p)->m, msg, len, u->as4, u->ids);
	if (why)
		bmp_feed_bad(b, m, why);
}

/* ---- connections ---- */

static void
bmp_router_end(struct router *r)
{
	foreign_bmp_close(&r->bmp);
	foreign_bmp_drop(&r->bmp); /* I2 */
}

static void
shadow_bmp_router_free(TAKE struct router *r)
{
	bmp_router_end(r);
	foreign_bmp_fini(&r->bmp);
	list_del(&r->link);
	mem_free(MEM_OTHER, r);
}

/* bmp_free_ended - free ended connections; not in a callback of a connection. */
static void
bmp_free_ended(struct shadow_feed *f)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &f->routers) {
		struct router *r = container_of(n, struct router, link);

		if (!foreign_stream_is_open(&r->bmp.stream))
			shadow_bmp_router_free(r);
	}
}

/* shadow_bmp_may_log - rate limit for log lines about connections, which any host that
 * reaches the port can cause. */
static bool
shadow_bmp_may_log(struct shadow_feed *f)
{
	uint32_t left_out;
	bool may = log_rate_take(
	    &f->said, loop_now_ns(&f->of->worker), SAY_NS, SAY_MAX, &left_out);

	if (left_out)
		log_msg(LOG_C_WARN, "Shadow: %u more line%s about connections not logged",
		    left_out, plural(left_out, "", "s"));
	return may;
}

static void
bmp_feed_lost(struct foreign_bmp *b, const char *why)
{
	struct shadow_feed *f = shadow_bmp_router_of(b)->f;
	char text[IP_STR_MAX];

	if (shadow_bmp_may_log(f))
		log_msg(LOG_C_REMOTE, "Shadow: %s port %u: the live server is gone: %s",
		    shadow_bmp_text_of(f, text), f->listen_at.port, why);
	bmp_router_end(shadow_bmp_router_of(b));
}

static const struct foreign_bmp_ops feed_ops = {
	.ready = shadow_bmp_feed_ready,
	.begin = bmp_feed_begin,
	.up = bmp_feed_up,
	.down = bmp_feed_down,
	.routes = bmp_feed_routes,
	.bad = bmp_feed_bad,
	.lost = bmp_feed_lost,
};

static void
shadow_bmp_accepted(struct sock_listen *l, TAKE struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct shadow_feed *f = container_of(l, struct shadow_feed, listen);
	struct router *r = mem_zalloc(MEM_OTHER, sizeof(*r));
	char text[IP_STR_MAX];

	(void)local;
	bmp_free_ended(f);
	r->f = f;
	list_add_tail(&f->routers, &r->link);
	foreign_bmp_init(&r->bmp, &f->of->worker, &feed_ops, fd);
	if (shadow_bmp_may_log(f))
		log_msg(LOG_C_INFO, "Shadow: a live server at %s reports",
		    ip_str(text, remote->addr));
}

void
shadow_bmp_start(struct shadow_feed *f)
{
	struct sock_conf none = { 0 };
	char text[IP_STR_MAX];
	int err = sock_listen_open(
	    &f->listen, &f->of->worker, &f->listen_at, &none, shadow_bmp_accepted);

	if (err)
		log_msg(LOG_C_ERR, "Shadow: can't listen at %s port %u: %s",
		    shadow_bmp_text_of(f, text), f->listen_at.port,
		    sock_listen_error(-err));
}

void
shadow_bmp_go_on(struct shadow_feed *f)
{
	struct list *n;

	list_for_each (n, &f->routers)
		foreign_bmp_go_on(&container_of(n, struct router, link)->bmp);
}

void
shadow_bmp_stop(struct shadow_feed *f)
{
	struct list *n, *tmp;

	sock_listen_close(&f->listen);
	list_for_each_safe (n, tmp, &f->routers)
		shadow_bmp_router_free(container_of(n, struct router, link));
}
