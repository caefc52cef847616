/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A router that tells us of its peers: its connection, and what it has said.
 *
 * I1  Messages are taken in their order, each whole; while the channels take no routes,
 *     nothing is read, and the router waits.
 * I2  A peer that is told up anew begins anew: what was told of it before goes.
 * I3  When a router is back, by its address and its name, it has what is kept of it. A
 *     peer of that stays until it is told up, or its time is over.
 * I4  Two connections with one address and one name are twins: two instances of BMP of
 *     one router. Both stay. A connection that has died without a word looks the same;
 *     TCP asks it soon. Routes of a connection that has ended do not stay if a twin tells
 *     the same RIB of the same peer.
 *
 * Loop: the instance's. Tested by test/net/test_bmp_station.py. */
#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
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
#include "nest/channel/import/many_peers.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_in_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_opt.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define READ_MAX 65536
#define SLACK    32
#define IDLE_S   60 /* after which TCP asks whether the router is there */
/* the same while a twin is there, and between the TWIN_CNT questions that may stay
 * without an answer */
#define TWIN_S   5
#define TWIN_CNT 3

static const char *const rib_word[RIB_CNT] = { "in-pre", "in-post", "out-pre", "out-post",
	"loc" };

static const struct bmp_conf *
conf_of(const struct bmp_router *r)
{
	return r->in->p->cf->opt;
}

/* ---- peers ---- */

static uint64_t
hash_of(const struct bmp_peer *k)
{
	uint64_t word[5] = { k->type, k->distinguisher, k->addr.hi, k->addr.lo,
		(uint64_t)k->as << 32 | k->router_id };

	return hash_bytes(0, word, sizeof(word));
}

static struct bmp_heard *
heard_find(const struct bmp_router *r, const struct bmp_peer *k)
{
	struct htab_node *n;

	htab_each_same (n, &r->peers, hash_of(k)) {
		struct bmp_heard *h = container_of(n, struct bmp_heard, node);

		if (h->key.type == k->type && h->key.as == k->as &&
		    h->key.router_id == k->router_id &&
		    h->key.distinguisher == k->distinguisher &&
		    ip_equal(h->key.addr, k->addr))
			return h;
	}
	return NULL;
}

/* heard_free - @down: its routes go with the channels. */
static void
heard_free(struct bmp_router *r, TAKE struct bmp_heard *h, bool down)
{
	for (unsigned i = 0; i < RIB_CNT; i++)
		if (h->rib[i] && down)
			many_peer_free(h->rib[i]);
		else if (h->rib[i])
			many_peer_drop(h->rib[i]);
	htab_del(&r->peers, &h->node);
	r->in->heard_cnt--;
	mem_free(MEM_PROTO, h);
}

/* rib_of - which RIB @p's header is about. */
static unsigned
rib_of(const struct bmp_peer *p)
{
	if (p->type == BMP_PEER_LOC_RIB)
		return RIB_LOC;
	if (p->flags & BMP_FLAG_OUT)
		return p->flags & BMP_FLAG_POST ? RIB_OUT_POST : RIB_OUT_PRE;
	return p->flags & BMP_FLAG_POST ? RIB_IN_POST : RIB_IN_PRE;
}

/* is_twin - I4. */
static bool
is_twin(const struct bmp_router *r, const struct bmp_router *o)
{
	return o != r && r->begun && o->begun && o->name[0] &&
	       ip_equal(o->addr, r->addr) && !strcmp(o->said, r->said);
}

/* yield_rib - I4: @h of @old, whose connection has ended, tells @rib of a peer that @r
 * tells, too. */
static void
yield_rib(
    struct bmp_router *old, const struct bmp_router *r, struct bmp_heard *h, unsigned rib)
{
	const struct bmp_heard *now = heard_find(r, &h->key);

	if (!h->until_ns || !h->rib[rib] || !now || now->until_ns || !now->rib[rib])
		return;
	many_peer_drop(h->rib[rib]);
	h->rib[rib] = NULL;
	timer_set(&old->in->look, loop_now_ns(&old->in->p->worker));
}

/* yield_old - the same of all twins of @r, when @r tells @rib for the first time. */
static void
yield_old(const struct bmp_router *r, const struct bmp_heard *now, unsigned rib)
{
	struct bmp_heard *h;
	struct list *n;

	list_for_each (n, &r->in->routers) {
		struct bmp_router *o = container_of(n, struct bmp_router, link);

		h = is_twin(r, o) ? heard_find(o, &now->key) : NULL;
		if (h)
			yield_rib(o, r, h, rib);
	}
}

/* yield_all - the same of @old, when its connection ends. */
static void
yield_all(struct bmp_router *old)
{
	struct list *l;

	list_for_each (l, &old->in->routers) {
		struct bmp_router *r = container_of(l, struct bmp_router, link);
		struct htab_node *n;

		if (!is_twin(old, r) || !sock_tcp_is_open(&r->sock))
			continue;
		for (n = htab_walk(&old->peers, NULL); n; n = htab_walk(&old->peers, n))
			for (unsigned i = 0; i < RIB_CNT; i++)
				yield_rib(
				    old, r, container_of(n, struct bmp_heard, node), i);
	}
}

/* rib_get - Returns: NULL: there is no number left for it. */
static struct many_peer *
rib_get(struct bmp_router *r, struct bmp_heard *h, unsigned rib)
{
	char ip[IP_STR_MAX], name[BMP_ROUTER_NAME + IP_STR_MAX + 16];
	const char *of = h->table[0] ? h->table : ip_str(ip, h->key.addr);
	int rest = 63 - (int)strlen(of) - (int)strlen(rib_word[rib]) - 2;

	if (h->rib[rib])
		return h->rib[rib];
	snprintf(name, sizeof(name), "%.*s/%s/%s", rest > 0 ? rest : 0, r->name, of,
	    rib_word[rib]);
	h->rib[rib] = many_peer_new(&r->in->to, &h->src, name);
	yield_old(r, h, rib);
	return h->rib[rib];
}

/* plain - what is fit for a name, from @p, of @len octets; "": it isn't. */
static void
plain(char to[BMP_ROUTER_NAME], const uint8_t *p, size_t len)
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

/* is_named - another router than @r has this name. */
static bool
is_named(const struct bmp_router *r, const char *name)
{
	struct list *n;

	list_for_each (n, &r->in->routers) {
		const struct bmp_router *o = container_of(n, struct bmp_router, link);

		if (o != r && !strcmp(o->name, name))
			return true;
	}
	return false;
}

/* has_ended - Returns: true if the other side has closed the connection of @r, or more
 * than that, though not all of it may be read. */
static bool
has_ended(const struct bmp_router *r)
{
	return !sock_tcp_is_open(&r->sock) || sock_has_ended(sock_tcp_fd(&r->sock), 0);
}

/* ask_often - is @r still there? Without an answer its connection ends (I4). */
static void
ask_often(const struct bmp_router *r)
{
	sock_keep_alive(sock_tcp_fd(&r->sock), TWIN_S, TWIN_S, TWIN_CNT);
}

/* take_over - I3. */
static void
take_over(struct bmp_router *r, struct bmp_router *old)
{
	struct htab_node *n;

	if (sock_tcp_is_open(&old->sock))
		bmp_router_lost(old, "it has connected again");
	while ((n = htab_walk(&old->peers, NULL))) {
		struct bmp_heard *h = container_of(n, struct bmp_heard, node);

		htab_del(&old->peers, n);
		htab_add(&r->peers, n, hash_of(&h->key));
	}
	old->name[0] = '\0'; /* it is freed when it is looked at next */
}

static void
take_init(struct bmp_router *r, struct bmp_read *m)
{
	char ip[IP_STR_MAX];
	struct rbuf value;
	struct list *n;
	uint16_t type;

	ip_str(ip, r->addr);
	if (r->begun)
		return;
	r->begun = true;
	while (bmp_tlv_next(&m->rest, &type, &value) > 0)
		if (type == 2 && !r->said[0])
			plain(r->said, value.pos, rbuf_left(&value));
	list_for_each (n, &r->in->routers) {
		struct bmp_router *o = container_of(n, struct bmp_router, link);

		if (!is_twin(r, o))
			continue;
		if (has_ended(o)) {
			take_over(r, o);
			break;
		}
		ask_often(o);
	}
	snprintf(r->name, sizeof(r->name), "%.31s", r->said[0] ? r->said : ip);
	for (unsigned i = 2; is_named(r, r->name) && i < 10000; i++)
		snprintf(
		    r->name, sizeof(r->name), "%.24s#%u", r->said[0] ? r->said : ip, i);
	if (bmp_in_may_log(r->in, BMP_SAY_ROUTER))
		proto_log(r->in->p, LOG_C_INFO, "Router %s at %s is there", r->name, ip);
}

/* agree - what both OPENs say. */
static void
agree(struct bmp_heard *h, const struct bmp_up *up)
{
	struct bgp_open sent, got;
	struct bgp_err a = bgp_open_decode(
	    up->sent + BGP_HDR_LEN, up->sent_len - BGP_HDR_LEN, &sent);
	struct bgp_err b = bgp_open_decode(
	    up->received + BGP_HDR_LEN, up->received_len - BGP_HDR_LEN, &got);

	h->as4 = true;
	if (a.severity || b.severity)
		return; /* a Loc-RIB's may be made of nothing */
	h->as4 = sent.caps.as4 && got.caps.as4;
	h->ids_in = got.caps.ids_tx & sent.caps.ids_rx;
	h->ids_out = sent.caps.ids_tx & got.caps.ids_rx;
	h->src.local_as = sent.as;
}

static void
take_up(struct bmp_router *r, const struct bmp_read *m)
{
	struct bmp_heard *h = heard_find(r, &m->peer);

	if (h) /* I2 */
		heard_free(r, h, false);
	if (r->in->heard_cnt >= conf_of(r)->max_peers) {
		if (!r->in->full_said)
			proto_log(r->in->p, LOG_C_WARN,
			    "There are %u peers already: of others nothing is taken",
			    r->in->heard_cnt);
		r->in->full_said = true;
		return;
	}
	h = mem_zalloc(MEM_PROTO, sizeof(*h));
	h->key = m->peer;
	h->src = (struct route_source){ .from = m->peer.addr,
		.peer_as = m->peer.as,
		.peer_router_id = m->peer.router_id,
		.is_bgp = true };
	agree(h, &m->up);
	h->src.is_ebgp = h->src.peer_as != h->src.local_as;
	if (m->peer.type == BMP_PEER_LOC_RIB) {
		plain(h->table, (const uint8_t *)m->up.table, m->table_len);
		if (!h->table[0])
			snprintf(h->table, sizeof(h->table), "table-%llu",
			    (unsigned long long)m->peer.distinguisher);
	}
	htab_add(&r->peers, &h->node, hash_of(&h->key));
	r->in->heard_cnt++;
}

/* bad_route - the first of a connection is told. */
static void
bad_route(struct bmp_router *r, const struct bmp_read *m, const char *why)
{
	char ip[IP_STR_MAX];

	if (!r->bad++ && bmp_in_may_log(r->in, BMP_SAY_ROUTER))
		proto_log(r->in->p, LOG_C_REMOTE,
		    "Router %s, peer %s: an UPDATE isn't taken: %s (further ones are "
		    "only "
		    "counted)",
		    r->name, ip_str(ip, m->peer.addr), why);
}

static void
take_routes(struct bmp_router *r, const struct bmp_read *m)
{
	struct bmp_heard *h = heard_find(r, &m->peer);
	unsigned rib = rib_of(&m->peer);
	const uint8_t *msg = m->rest.pos;
	size_t len = rbuf_left(&m->rest);
	struct many_update u = { .body = msg + BGP_HDR_LEN, .len = len - BGP_HDR_LEN };
	struct many_peer *to;
	struct bgp_err err;
	uint8_t eor;

	if (!h || h->until_ns) {
		if (r->in->heard_cnt < conf_of(r)->max_peers)
			bad_route(r, m, "the peer isn't up");
		return;
	}
	if (len < BGP_HDR_LEN || get_be16(msg + 16) != len || msg[18] != BGP_UPDATE) {
		bad_route(r, m, "it is none");
		return;
	}
	to = rib_get(r, h, rib);
	if (!to) {
		bad_route(r, m, "there are too many sources");
		return;
	}
	u.as4 = rib == RIB_LOC || !(m->peer.flags & BMP_FLAG_AS2);
	u.ids = rib == RIB_OUT_PRE || rib == RIB_OUT_POST ? h->ids_out : h->ids_in;
	err = many_peer_update(to, &u, &eor);
	if (err.severity >= BGP_SEV_WITHDRAW)
		bad_route(r, m, err.text);
}

/* take - Returns: what is wrong with the message, or why that was the last; NULL:
 * nothing. */
static const char *
take(struct bmp_router *r, const uint8_t *msg, uint32_t len)
{
	struct bmp_heard *h;
	struct bmp_read m;

	if (bmp_read(msg, len, &m))
		return "a message can't be read";
	r->msgs++;
	if (!r->begun && m.type != BMP_INITIATION)
		return "a message before Initiation";
	switch (m.type) {
	case BMP_INITIATION:
		take_init(r, &m);
		break;
	case BMP_PEER_UP:
		take_up(r, &m);
		break;
	case BMP_PEER_DOWN:
		h = heard_find(r, &m.peer);
		if (h)
			heard_free(r, h, false);
		break;
	case BMP_ROUTE_MONITORING:
		take_routes(r, &m);
		break;
	case BMP_TERMINATION:
		return "it has ended the connection";
	default:
		break; /* statistics, mirrored messages: we have no use for them */
	}
	return NULL;
}

/* ---- the connection ---- */

/* messages - those that are whole. */
static void
messages(struct bmp_router *r)
{
	const char *why = NULL;
	bool ready = true;

	while (!why && (ready = many_peers_ready(&r->in->to))) {
		const uint8_t *at = r->buf + r->pos;
		uint32_t left = r->len - r->pos;
		int len = left ? bmp_frame(at, left) : 0;

		if (len < 0)
			why = "that isn't BMP version 3";
		if (len <= 0 || (uint32_t)len > left)
			break;
		why = take(r, at, (uint32_t)len);
		r->pos += (uint32_t)len;
	}
	if (why)
		bmp_router_lost(r, why);
	else
		sock_tcp_want(&r->sock, ready, false);
}

static void
readable(struct sock_tcp *s)
{
	struct bmp_router *r = container_of(s, struct bmp_router, sock);
	ssize_t n;

	if (r->pos) {
		r->len -= r->pos;
		memmove(r->buf, r->buf + r->pos, r->len);
		r->pos = 0;
	}
	r->buf = vec_room(MEM_PROTO, r->buf, &r->cap, r->len + READ_MAX + SLACK, 1);
	n = sock_tcp_read(s, r->buf + r->len, READ_MAX);
	if (n < 0)
		bmp_router_lost(r, n == -EPIPE ? "connection closed" : strerror((int)-n));
	if (n <= 0)
		return;
	r->len += (uint32_t)n;
	memset(r->buf + r->len, 0, SLACK);
	messages(r);
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

void
bmp_router_go_on(struct bmp_router *r)
{
	if (sock_tcp_is_open(&r->sock))
		messages(r);
}

void
bmp_router_new(struct bmp_in *in, TAKE int fd, struct ip_addr addr)
{
	struct bmp_router *r = mem_zalloc(MEM_PROTO, sizeof(*r));
	char ip[IP_STR_MAX];

	r->in = in;
	r->addr = addr;
	r->since_ns = loop_now_ns(&in->p->worker);
	snprintf(r->name, sizeof(r->name), "%.31s", ip_str(ip, addr));
	htab_init(&r->peers, MEM_PROTO);
	list_add_tail(&in->routers, &r->link);
	in->router_cnt++;
	/* BMP itself would never notice that a router is gone */
	sock_keep_alive(fd, IDLE_S, 0, 0);
	sock_tcp_init(&r->sock, &in->p->worker, &sock_ops);
	sock_tcp_adopt(&r->sock, fd);
	sock_tcp_want(&r->sock, true, false);
}

void
bmp_router_lost(struct bmp_router *r, const char *why)
{
	uint64_t until = loop_now_ns(&r->in->p->worker) + conf_of(r)->keep_s * NS_PER_S;
	struct htab_node *n;
	char ip[IP_STR_MAX];

	if (!sock_tcp_is_open(&r->sock))
		return;
	if (bmp_in_may_log(r->in, r->begun ? BMP_SAY_ROUTER : BMP_SAY_STRANGER))
		proto_log(r->in->p, LOG_C_REMOTE, "Router %s at %s: %s", r->name,
		    ip_str(ip, r->addr), why);
	sock_tcp_close(&r->sock);
	mem_free(MEM_PROTO, r->buf);
	r->buf = NULL;
	r->pos = r->len = r->cap = 0;
	for (n = htab_walk(&r->peers, NULL); n; n = htab_walk(&r->peers, n)) {
		struct bmp_heard *h = container_of(n, struct bmp_heard, node);

		if (!h->until_ns)
			h->until_ns = until;
	}
	yield_all(r);
	timer_set(&r->in->look, loop_now_ns(&r->in->p->worker));
}

bool
bmp_router_expire(struct bmp_router *r, uint64_t now_ns)
{
	struct htab_node *n = htab_walk(&r->peers, NULL), *next;

	for (; n; n = next) {
		struct bmp_heard *h = container_of(n, struct bmp_heard, node);

		next = htab_walk(&r->peers, n);
		if (h->until_ns && h->until_ns <= now_ns)
			heard_free(r, h, false);
	}
	return sock_tcp_is_open(&r->sock) || htab_cnt(&r->peers);
}

void
bmp_router_free(TAKE struct bmp_router *r, bool down)
{
	struct htab_node *n;

	sock_tcp_close(&r->sock);
	while ((n = htab_walk(&r->peers, NULL)))
		heard_free(r, container_of(n, struct bmp_heard, node), down);
	htab_fini(&r->peers);
	list_del(&r->link);
	r->in->router_cnt--;
	mem_free(MEM_PROTO, r->buf);
	mem_free(MEM_PROTO, r);
}
