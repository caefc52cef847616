/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routers that report to the daemon by BMP (RFC 7854), where the daemon is a station.
 *
 * A router dials, dials again after a drawn pause while the story wants a connection, and
 * tells what the story says of its peers. After a new connection the router tells Peer Up
 * and all routes of each peer that is up, as RFC 7854, 5 demands, with End-of-RIB.
 *
 * I1  A peer's routes are kept in a `struct member` without a session, whose codec makes
 *     the UPDATEs. */
#include "test/sim/actor.h"
#include "test/sim/codec.h"
#include "test/sim/sim.h"
#include "test/sim/tcp.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BMP_PORT 1790

enum { MONITORING = 0, PEER_DOWN = 2, PEER_UP = 3, INITIATION = 4, TERMINATION = 5 };

/* owner: its router. */
struct router_peer {
	struct router_peer *next;
	struct member *m; /* I1 */
	bool up;
};

/* owner: the world. */
struct router {
	struct actor a;
	char server[64];
	uint16_t port;
	bool wanted, drops, work;
	bool leaves; /* the task sends all octets before the loss */
	unsigned losses; /* connections that the daemon ended */
	unsigned
	    nonsense; /* connections to make that begin with octets that are no BMP */
	int dial_fd; /* -1: no connection is under way */
	struct tcp *conn;
	struct router_peer *peers;
};

static struct router *
router_of(struct actor *a)
{
	return (struct router *)a;
}

/* ---- messages ---- */

/* message - of @type about @p (NULL: no peer), with @body behind. */
static void
router_message(struct router *r, unsigned type, const struct router_peer *p,
    const struct octets *body)
{
	struct octets *o = &r->conn->out;
	uint32_t real_s = (uint32_t)(sim_real_ns(sim_now()) / SIM_S);
	uint8_t address[16] = { 0 };

	octets_u8(o, 3);
	octets_u32(o, 6 + (p ? 42 : 0) + body->len);
	octets_u8(o, type);
	if (p) {
		inet_pton(AF_INET, p->m->address, address + 12);
		octets_u16(o, 0); /* a global instance, before policy */
		octets_u32(o, 0);
		octets_u32(o, 0);
		octets_put(o, address, 16);
		octets_u32(o, p->m->as);
		octets_put(o, address + 12, 4);
		octets_u32(o, real_s);
		octets_u32(o, 0);
	}
	octets_put(o, body->p, body->len);
}

static void
router_begins(struct router *r)
{
	struct octets b = { 0 };

	for (unsigned type = 1; type <= 2; type++) { /* sysDescr, sysName */
		const char *text = type == 1 ? "simulated" : r->a.name;

		octets_u16(&b, type);
		octets_u16(&b, (unsigned)strlen(text));
		octets_put(&b, text, (uint32_t)strlen(text));
	}
	router_message(r, INITIATION, NULL, &b);
	octets_free(&b);
}

static void
router_update(struct router *r, const struct router_peer *p, struct pending *route)
{
	struct octets b = { 0 };
	uint8_t buf[4096];
	uint32_t cnt = 1;

	octets_put(&b, buf, codec_update(p->m, route, &cnt, buf));
	router_message(r, MONITORING, p, &b);
	octets_free(&b);
}

static void
router_end_of_rib(struct router *r, const struct router_peer *p)
{
	struct octets b = { 0 };
	uint8_t buf[32] = { 0 };

	octets_put(&b, buf, codec_header(buf, BGP_UPDATE, 23));
	router_message(r, MONITORING, p, &b);
	octets_free(&b);
}

/* router_peer_up - Peer Up, its routes, End-of-RIB. */
static void
router_peer_up(struct router *r, const struct router_peer *p)
{
	struct octets b = { 0 };
	const struct rib_route *route;
	uint32_t at = 0;
	uint8_t buf[4096];

	for (unsigned i = 0; i < 5; i++) /* our address and both ports */
		octets_u32(&b, i < 4 ? 0 : 179u << 16 | 40000);
	octets_put(&b, buf, codec_open(p->m, buf)); /* sent, received */
	octets_put(&b, buf, codec_open(p->m, buf));
	router_message(r, PEER_UP, p, &b);
	octets_free(&b);
	while ((route = rib_next(&p->m->announced, &at)))
		router_update(r, p, &(struct pending){ route->key, route->attrs });
	router_end_of_rib(r, p);
}

/* ---- the task ---- */

static bool
router_may_go_on(void *arg)
{
	const struct router *r = arg;

	return r->work || (r->dial_fd >= 0 && tcp_dialled(r->dial_fd)) ||
	       (r->conn && tcp_ready(r->conn));
}

static void
router_connected(struct router *r)
{
	r->conn = tcp_new(r->dial_fd);
	r->dial_fd = -1;
	sim_event("router %s is connected", r->a.name);
	if (r->nonsense) {
		octets_put(&r->conn->out, "GET / HTTP/1.1\r\n\r\n", 18);
		return;
	}
	router_begins(r);
	for (const struct router_peer *p = r->peers; p; p = p->next)
		if (p->up)
			router_peer_up(r, p);
}

static void
router_lose(struct router *r)
{
	if (r->conn)
		tcp_free(r->conn);
	if (r->dial_fd >= 0)
		close(r->dial_fd);
	r->conn = NULL;
	r->dial_fd = -1;
	r->a.changed_ns = sim_now();
}

static bool
router_wants(const struct router *r)
{
	return r->wanted || r->nonsense;
}

static void *
router_task(void *arg)
{
	struct router *r = arg;

	for (;;) {
		uint64_t until = SIM_NEVER;
		int state = r->dial_fd >= 0 ? tcp_dialled(r->dial_fd) : 0;
		bool ended;

		r->work = false;
		if (state > 0)
			router_connected(r);
		ended = r->conn && (r->leaves || !r->drops) && !tcp_step(r->conn);
		r->losses += ended && !r->leaves;
		if (state < 0 || r->drops || !router_wants(r) || ended)
			router_lose(r);
		if (ended && r->nonsense)
			ended = --r->nonsense == 0;
		if (router_wants(r) && !r->conn && r->dial_fd < 0) {
			if (state >= 0 && !r->drops && !ended)
				r->dial_fd = tcp_dial(r->a.address, r->server, r->port);
			else
				until = sim_now() + SIM_S + sim_random(4 * SIM_S);
		}
		r->drops = r->leaves = false;
		sim_wait(router_may_go_on, r, until);
	}
	return NULL;
}

/* ---- the story ---- */

static struct actor *
router_make(const char *name, char **words)
{
	struct router *r = calloc(1, sizeof(*r));
	char *w;

	snprintf(r->server, sizeof(r->server), "10.0.0.1");
	r->port = BMP_PORT;
	r->dial_fd = -1;
	while (*(w = words_next(words))) {
		if (!strcmp(w, "at"))
			words_address(words, r->a.address);
		else if (!strcmp(w, "to"))
			words_address(words, r->server);
		else if (!strcmp(w, "port"))
			r->port = (uint16_t)words_upto(words, UINT16_MAX);
		else
			return NULL;
	}
	if (!*r->a.address)
		return NULL;
	sim_task_new(name, 0, router_task, r);
	return &r->a;
}

static struct router_peer *
router_peer_of(struct router *r, const char *address)
{
	struct router_peer *p = r->peers;

	while (p && strcmp(p->m->address, address))
		p = p->next;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	p->m = calloc(1, sizeof(*p->m));
	p->m->peer_as4 = true;
	strlcpy(p->m->address, address, sizeof(p->m->address));
	p->next = r->peers;
	r->peers = p;
	return p;
}

static bool
router_route(struct router *r, struct router_peer *p, bool announce, char **words)
{
	struct pending route = { .attrs = NULL };

	if (!rib_key_of(&route.key, words_next(words), 0))
		return false;
	if (announce)
		route.attrs = rib_attrs_of(words_rest(words));
	if (announce)
		rib_put(&p->m->announced, &route.key, route.attrs);
	else
		rib_drop(&p->m->announced, &route.key);
	if (r->conn && p->up)
		router_update(r, p, &route);
	return true;
}

/* router_act_peer - "ADDRESS up as N", "ADDRESS down", "ADDRESS announces PREFIX ...". */
static bool
router_act_peer(struct router *r, char **words)
{
	struct router_peer *p = router_peer_of(r, words_next(words));
	char *verb = words_next(words);
	struct octets why = { 0 };

	if (!strcmp(verb, "up")) {
		if (words_skip(words, "as"))
			p->m->as = words_u32(words);
		p->up = true;
		if (r->conn)
			router_peer_up(r, p);
	} else if (!strcmp(verb, "down")) {
		octets_u8(&why, 4); /* the remote system closed */
		if (r->conn && p->up)
			router_message(r, PEER_DOWN, p, &why);
		octets_free(&why);
		p->up = false;
		rib_clear(&p->m->announced);
	} else if (!strcmp(verb, "announces") || !strcmp(verb, "withdraws")) {
		return router_route(r, p, *verb == 'a', words);
	} else {
		return false;
	}
	return true;
}

static bool
router_act(struct actor *a, const char *verb, char **words)
{
	struct router *r = router_of(a);
	struct octets none = { 0 };
	uint8_t hex[WORDS_HEX_MAX];
	uint32_t len;

	r->work = true;
	if (!strcmp(verb, "up")) {
		r->wanted = true;
	} else if (!strcmp(verb, "down") || !strcmp(verb, "lost")) {
		if (*verb == 'd' && r->conn) {
			router_message(r, TERMINATION, NULL, &none);
			r->leaves = true;
		}
		r->wanted = false;
		r->drops = true;
	} else if (!strcmp(verb, "restarts")) {
		r->drops = true;
	} else if (!strcmp(verb, "talks") && words_skip(words, "nonsense")) {
		r->nonsense = words_u32(words);
	} else if (!strcmp(verb, "counts") && words_skip(words, "anew")) {
		r->losses = 0;
	} else if (!strcmp(verb, "peer")) {
		return router_act_peer(r, words);
	} else if (!strcmp(verb, "sends")) {
		if (!words_hex(words_rest(words), hex, sizeof(hex), &len) || !r->conn)
			return false;
		octets_put(&r->conn->out, hex, len);
	} else {
		return false;
	}
	return true;
}

static enum actor_truth
router_holds(const struct actor *a, const char *verb, char **words)
{
	const struct router *r = (const struct router *)a;

	if (!strcmp(verb, "done") && words_skip(words, "with") &&
	    words_skip(words, "nonsense"))
		return r->nonsense ? ACTOR_NO : ACTOR_YES;
	if (!strcmp(verb, "connected"))
		return r->conn ? ACTOR_YES : ACTOR_NO;
	if (!strcmp(verb, "lost"))
		return r->losses ? ACTOR_YES : ACTOR_NO;
	return ACTOR_WHAT;
}

static void
router_describe(const struct actor *a, FILE *to)
{
	fprintf(
	    to, "%s", ((const struct router *)a)->conn ? "connected" : "not connected");
}

const struct actor_kind router_kind = { .word = "router",
	.make = router_make,
	.act = router_act,
	.holds = router_holds,
	.describe = router_describe };
