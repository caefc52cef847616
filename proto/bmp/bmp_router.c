/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A router that reports its peers to this station (nest/foreign/foreign_bmp.h): messages
 * of the router become peers and routes.
 *
 * I1  While the channels accept no routes, the instance reads nothing, and the router
 *     waits.
 * I2  A Peer Up for a known peer drops all earlier routes of the peer.
 * I3  A router that connects again, with its previous address and name, takes over the
 *     kept peers. A kept peer stays until the router sends Peer Up or the peer expires.
 * I4  Two connections with equal address and equal name are twins: one router runs two
 *     instances of BMP. Both connections stay. A dead connection looks like a twin, so
 *     TCP keepalives probe the old connection soon. A RIB of an ended connection is
 *     dropped as soon as a twin reports the RIB of the same peer.
 *
 * Loop: the instance's. Tested by test/net/test_bmp_station.py. */
#include "lib/attr/route.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bmp.h"
#include "lib/wire/rbuf.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/foreign/foreign_bmp.h"
#include "nest/foreign/foreign_stream.h"
#include "nest/foreign/foreign_update.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_in_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"
#include "sysdep/sock/sock_opt.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define IDLE_S 60 /* idle time before the first TCP keepalive probe */
/* idle time and probe interval while a twin exists; TWIN_CNT: unanswered probes before
 * TCP closes the connection */
#define TWIN_S   5
#define TWIN_CNT 3

static const char *const rib_word[FOREIGN_RIBS] = { "in-pre", "in-post", "out-pre",
	"out-post", "loc" };

static const struct bmp_conf *
bmp_router_conf_of(const struct bmp_router *r)
{
	return r->in->p->cf->opt;
}

/* ---- peers ---- */

static struct bmp_router *
bmp_router_of(struct foreign_bmp *b)
{
	return container_of(b, struct bmp_router, bmp);
}

static struct bmp_heard *
bmp_router_heard_of(struct foreign_peer *p)
{
	return p ? container_of(p, struct bmp_heard, peer) : NULL;
}

/* router_heard_next - @h NULL: the first. @h may be freed after the call. */
static struct bmp_heard *
router_heard_next(const struct bmp_router *r, struct bmp_heard *h)
{
	struct htab_node *n = htab_walk(&r->bmp.peers, h ? &h->peer.node : NULL);

	return n ? bmp_router_heard_of(container_of(n, struct foreign_peer, node)) : NULL;
}

/* router_heard_free - @h is in no table. @down: the channels go down and remove the
 * routes. */
static void
router_heard_free(struct bmp_router *r, TAKE struct bmp_heard *h, bool down)
{
	for (unsigned i = 0; i < FOREIGN_RIBS; i++)
		if (h->rib[i] && down)
			many_peer_free(h->rib[i]);
		else if (h->rib[i])
			many_peer_drop(h->rib[i]);
	r->in->heard_cnt--;
	mem_free(MEM_PROTO, h);
}

/* router_is_twin - I4. */
static bool
router_is_twin(const struct bmp_router *r, const struct bmp_router *o)
{
	return o != r && r->bmp.begun && o->bmp.begun && o->name[0] &&
	       ip_equal(o->addr, r->addr) && !strcmp(o->sys_name, r->sys_name);
}

/* router_yield_rib - I4: drop @rib of @h of the ended connection @old, if @r reports the
 * RIB too. */
static void
router_yield_rib(
    struct bmp_router *old, const struct bmp_router *r, struct bmp_heard *h, unsigned rib)
{
	const struct bmp_heard *now = bmp_router_heard_of(
	    foreign_peer_find(&r->bmp, &h->peer.key));

	if (!h->until_ns || !h->rib[rib] || !now || now->until_ns || !now->rib[rib])
		return;
	many_peer_drop(h->rib[rib]);
	h->rib[rib] = NULL;
	timer_set(&old->in->look, loop_now_ns(&old->in->p->worker));
}

/* router_yield_old - router_yield_rib for all twins of @r, when @r reports @rib for the
 * first time. */
static void
router_yield_old(const struct bmp_router *r, const struct bmp_heard *now, unsigned rib)
{
	struct bmp_heard *h;
	struct list *n;

	list_for_each (n, &r->in->routers) {
		struct bmp_router *o = container_of(n, struct bmp_router, link);

		h = router_is_twin(r, o)
			? bmp_router_heard_of(foreign_peer_find(&o->bmp, &now->peer.key))
			: NULL;
		if (h)
			router_yield_rib(o, r, h, rib);
	}
}

/* router_yield_all - router_yield_rib for all RIBs of @old, when the connection of @old
 * ends. */
static void
router_yield_all(struct bmp_router *old)
{
	struct list *l;

	list_for_each (l, &old->in->routers) {
		struct bmp_router *r = container_of(l, struct bmp_router, link);
		struct bmp_heard *h = NULL;

		if (!router_is_twin(old, r) || !bmp_router_is_open(r))
			continue;
		while ((h = router_heard_next(old, h)))
			for (unsigned i = 0; i < FOREIGN_RIBS; i++)
				router_yield_rib(old, r, h, i);
	}
}

/* router_rib_get - find or make the source for @rib. Returns: NULL: no feeder number is
 * free. */
static struct many_peer *
router_rib_get(struct bmp_router *r, struct bmp_heard *h, unsigned rib)
{
	char ip[IP_STR_MAX], name[BMP_ROUTER_NAME + IP_STR_MAX + 16];
	const char *of = h->table[0] ? h->table : ip_str(ip, h->peer.key.addr);
	int rest = 63 - (int)strlen(of) - (int)strlen(rib_word[rib]) - 2;

	if (h->rib[rib])
		return h->rib[rib];
	snprintf(name, sizeof(name), "%.*s/%s/%s", rest > 0 ? rest : 0, r->name, of,
	    rib_word[rib]);
	h->rib[rib] = many_peer_new(&r->in->to, &h->src, name);
	router_yield_old(r, h, rib);
	return h->rib[rib];
}

/* bmp_router_copy_name - copy the @len octets at @p as a name; "": an octet is not
 * allowed in a name. */
static void
bmp_router_copy_name(char to[BMP_ROUTER_NAME], const uint8_t *p, size_t len)
{
	size_t n = 0;

	for (; n < len && n < BMP_ROUTER_NAME - 1; n++) {
		if (!isalnum(p[n]) && !strchr("._-", p[n]))
			break;
		to[n] = (char)p[n];
	}
	to[n == len || n == BMP_ROUTER_NAME - 1 ? n : 0] = '\0';
}

/* ---- messages ---- */

/* bmp_router_is_named - true: a router other than @r has the name @name. */
static bool
bmp_router_is_named(const struct bmp_router *r, const char *name)
{
	struct list *n;

	list_for_each (n, &r->in->routers) {
		const struct bmp_router *o = container_of(n, struct bmp_router, link);

		if (o != r && !strcmp(o->name, name))
			return true;
	}
	return false;
}

/* router_has_ended - true: the remote side closed the connection of @r. Octets may still
 * wait in the socket. */
static bool
router_has_ended(const struct bmp_router *r)
{
	return !bmp_router_is_open(r) ||
	       sock_has_ended(sock_tcp_fd(&r->bmp.stream.sock), 0);
}

/* router_ask_often - probe the connection of @r soon; without an answer the connection
 * ends (I4). */
static void
router_ask_often(const struct bmp_router *r)
{
	sock_keep_alive(sock_tcp_fd(&r->bmp.stream.sock), TWIN_S, TWIN_S, TWIN_CNT);
}

/* router_take_over - I3. */
static void
router_take_over(struct bmp_router *r, struct bmp_router *old)
{
	struct bmp_heard *h;

	if (bmp_router_is_open(old))
		bmp_router_lost(old, "the router has connected again");
	while ((h = router_heard_next(old, NULL)))
		foreign_peer_move(&r->bmp, &old->bmp, &h->peer);
	old->name[0] = '\0'; /* the next look frees @old */
}

static void
router_begin(struct foreign_bmp *b, struct rbuf *tlvs)
{
	struct bmp_router *r = bmp_router_of(b);
	char ip[IP_STR_MAX];
	struct rbuf value;
	struct list *n;
	uint16_t type;

	ip_str(ip, r->addr);
	while (bmp_tlv_next(tlvs, &type, &value) > 0)
		if (type == 2 && !r->sys_name[0])
			bmp_router_copy_name(r->sys_name, value.pos, rbuf_left(&value));
	list_for_each (n, &r->in->routers) {
		struct bmp_router *o = container_of(n, struct bmp_router, link);

		if (!router_is_twin(r, o))
			continue;
		if (router_has_ended(o)) {
			router_take_over(r, o);
			break;
		}
		router_ask_often(o);
	}
	snprintf(r->name, sizeof(r->name), "%.31s", r->sys_name[0] ? r->sys_name : ip);
	for (unsigned i = 2; bmp_router_is_named(r, r->name) && i < 10000; i++)
		snprintf(r->name, sizeof(r->name), "%.24s#%u",
		    r->sys_name[0] ? r->sys_name : ip, i);
	if (bmp_in_may_log(r->in, BMP_SAY_ROUTER))
		proto_log(
		    r->in->p, LOG_C_INFO, "Router %s at %s is connected", r->name, ip);
}

static struct foreign_peer *
router_up(
    struct foreign_bmp *b, const struct foreign_peer *like, const struct bmp_read *m)
{
	struct bmp_router *r = bmp_router_of(b);
	const struct bmp_peer *k = &like->key;
	struct bmp_heard *h;

	if (r->in->heard_cnt >= bmp_router_conf_of(r)->max_peers) {
		if (!r->in->full_said)
			proto_log(r->in->p, LOG_C_WARN,
			    "%u peer%s already: routes of further peers are dropped",
			    r->in->heard_cnt,
			    plural(r->in->heard_cnt, " reports", "s report"));
		r->in->full_said = true;
		return NULL;
	}
	h = mem_zalloc(MEM_PROTO, sizeof(*h));
	h->src = (struct route_source){ .from = k->addr,
		.peer_as = k->as,
		.peer_router_id = k->router_id,
		.local_as = like->local_as,
		.is_ebgp = k->as != like->local_as,
		.is_bgp = true };
	if (k->type == BMP_PEER_LOC_RIB) {
		bmp_router_copy_name(
		    h->table, (const uint8_t *)m->up.table, m->table_len);
		if (!h->table[0])
			snprintf(h->table, sizeof(h->table), "table-%llu",
			    (unsigned long long)k->distinguisher);
	}
	r->in->heard_cnt++;
	return &h->peer;
}

static void
router_down(struct foreign_bmp *b, TAKE struct foreign_peer *p, const struct bmp_read *m)
{
	(void)m;
	router_heard_free(bmp_router_of(b), bmp_router_heard_of(p), false);
}

/* bmp_router_bad_route - the first of a connection is logged. */
static void
bmp_router_bad_route(struct foreign_bmp *b, const struct bmp_read *m, const char *why)
{
	struct bmp_router *r = bmp_router_of(b);
	char ip[IP_STR_MAX];

	if (!r->bad++ && bmp_in_may_log(r->in, BMP_SAY_ROUTER))
		proto_log(r->in->p, LOG_C_REMOTE,
		    "Router %s, peer %s: an UPDATE isn't taken: %s (further UPDATEs are "
		    "only counted)",
		    r->name, ip_str(ip, m->peer.addr), why);
}

static void
router_routes(struct foreign_bmp *b, struct foreign_peer *p, const struct bmp_read *m,
    const struct foreign_update *u)
{
	struct bmp_router *r = bmp_router_of(b);
	struct bmp_heard *h = bmp_router_heard_of(p);
	struct many_peer *to;
	struct bgp_err err;

	if (!h || h->until_ns) {
		if (r->in->heard_cnt < bmp_router_conf_of(r)->max_peers)
			bmp_router_bad_route(b, m, "the peer isn't up");
		return;
	}
	to = router_rib_get(r, h, foreign_rib_of(&m->peer));
	if (!to) {
		bmp_router_bad_route(b, m, "too many sources");
		return;
	}
	err = many_peer_update(to, u);
	if (err.severity >= BGP_SEV_WITHDRAW)
		bmp_router_bad_route(b, m, err.text);
}

/* ---- the connection ---- */

static bool
router_ready(struct foreign_bmp *b)
{
	return many_peers_ready(&bmp_router_of(b)->in->to); /* I1 */
}

static void
router_lost(struct foreign_bmp *b, const char *why)
{
	bmp_router_lost(bmp_router_of(b), why);
}

static const struct foreign_bmp_ops router_ops = {
	.ready = router_ready,
	.begin = router_begin,
	.up = router_up,
	.down = router_down,
	.routes = router_routes,
	.bad = bmp_router_bad_route,
	.lost = router_lost,
};

void
bmp_router_go_on(struct bmp_router *r)
{
	foreign_bmp_go_on(&r->bmp);
}

void
bmp_router_new(struct bmp_in *in, TAKE struct os_fd fd, struct ip_addr addr)
{
	struct bmp_router *r = mem_zalloc(MEM_PROTO, sizeof(*r));
	char ip[IP_STR_MAX];

	r->in = in;
	r->addr = addr;
	r->since_ns = loop_now_ns(&in->p->worker);
	snprintf(r->name, sizeof(r->name), "%.31s", ip_str(ip, addr));
	list_add_tail(&in->routers, &r->link);
	in->router_cnt++;
	/* BMP has no keepalive, so TCP must detect a dead router */
	sock_keep_alive(fd, IDLE_S, 0, 0);
	foreign_bmp_init(&r->bmp, &in->p->worker, &router_ops, fd);
}

void
bmp_router_lost(struct bmp_router *r, const char *why)
{
	uint64_t until = loop_now_ns(&r->in->p->worker) +
			 bmp_router_conf_of(r)->keep_s * NS_PER_S;
	struct bmp_heard *h = NULL;
	char ip[IP_STR_MAX];

	if (!bmp_router_is_open(r))
		return;
	if (bmp_in_may_log(r->in, r->bmp.begun ? BMP_SAY_ROUTER : BMP_SAY_STRANGER))
		proto_log(r->in->p, LOG_C_REMOTE, "Router %s at %s: %s", r->name,
		    ip_str(ip, r->addr), why);
	foreign_bmp_close(&r->bmp);
	while ((h = router_heard_next(r, h)))
		if (!h->until_ns)
			h->until_ns = until;
	router_yield_all(r);
	timer_set(&r->in->look, loop_now_ns(&r->in->p->worker));
}

bool
bmp_router_expire(struct bmp_router *r, uint64_t now_ns)
{
	struct bmp_heard *h = router_heard_next(r, NULL), *next;

	for (; h; h = next) {
		next = router_heard_next(r, h);
		if (!h->until_ns || h->until_ns > now_ns)
			continue;
		foreign_peer_del(&r->bmp, &h->peer);
		router_heard_free(r, h, false);
	}
	return bmp_router_is_open(r) || htab_cnt(&r->bmp.peers);
}

void
bmp_router_free(TAKE struct bmp_router *r, bool down)
{
	struct bmp_heard *h;

	foreign_bmp_close(&r->bmp);
	while ((h = router_heard_next(r, NULL))) {
		foreign_peer_del(&r->bmp, &h->peer);
		router_heard_free(r, h, down);
	}
	foreign_bmp_fini(&r->bmp);
	list_del(&r->link);
	r->in->router_cnt--;
	mem_free(MEM_PROTO, r);
}
