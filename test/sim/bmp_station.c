/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Monitoring stations: what the daemon reports by BMP (RFC 7854, 8671, 9069), read with a
 * parser of their own.
 *
 * A station keeps the RIBs of each peer that is up. The run fails when a message is
 * malformed, comes before Initiation or after Termination, or is about a peer that is
 * not up.
 *
 * I1  A RIB is kept in a `struct member` without a session: the codec of members reads
 *     the UPDATEs. */
#include "test/sim/actor.h"
#include "test/sim/codec.h"
#include "test/sim/sim.h"
#include "test/sim/tcp.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define BMP_PORT   1790
#define HEADER_LEN 6
#define PEER_LEN   42
#define KEY_LEN    34 /* of the per-peer header: all but the times */

enum { MONITORING, STATISTICS, PEER_DOWN, PEER_UP, INITIATION, TERMINATION, MIRRORING };

enum view { PRE, POST, OUT_PRE, OUT_POST, LOC_RIB, VIEW_CNT };

static const char *const view_word[VIEW_CNT] = { "pre", "post", "out-pre", "out-post",
	"loc-rib" };

/* owner: its station. lives: while the peer is up. */
struct bmp_peer {
	struct bmp_peer *next;
	uint8_t key[KEY_LEN]; /* flags cleared */
	char address[64], table[64]; /* one of both */
	bool ids_in[2], ids_out[2]; /* path identifiers of IPv4 and IPv6 */
	struct member *rib[VIEW_CNT]; /* I1; NULL: nothing was told */
};

/* owner: the world. */
struct station {
	struct actor a;
	uint16_t port;
	bool listens, reads, drops, work;
	int fd;
	struct tcp *conn; /* the last one; an older one is closed */
	bool begun, ended;
	struct bmp_peer *peers;
	char down[80]; /* "ADDRESS REASON" of the last Peer Down */
	unsigned ups, downs, stats;
};

static struct station *
station_of(struct actor *a)
{
	return (struct station *)a;
}

/* ---- peers ---- */

static void
peer_free(struct bmp_peer *p)
{
	for (unsigned i = 0; i < VIEW_CNT; i++) {
		if (p->rib[i])
			rib_clear(&p->rib[i]->received);
		free(p->rib[i]);
	}
	free(p);
}

static void
station_forget(struct station *s)
{
	struct bmp_peer *p;

	while ((p = s->peers)) {
		s->peers = p->next;
		peer_free(p);
	}
	s->begun = s->ended = false;
}

static void
key_of(uint8_t key[KEY_LEN], const uint8_t *head)
{
	memcpy(key, head, KEY_LEN);
	key[1] = head[0] == 3 ? 0 : head[1] & 0x80;
}

static struct bmp_peer *
peer_find(const struct station *s, const uint8_t *head)
{
	struct bmp_peer *p = s->peers;
	uint8_t key[KEY_LEN];

	key_of(key, head);
	while (p && memcmp(p->key, key, KEY_LEN))
		p = p->next;
	return p;
}

/* open_ids - the add-path directions in an OPEN: of IPv4 unicast, and of IPv6 unicast
 * shifted by 2. */
static unsigned
open_ids(const uint8_t *p, uint32_t len)
{
	const uint8_t *end = p + len;
	unsigned ids = 0;

	for (p += 29; p + 2 <= end; p += 2 + p[1])
		for (const uint8_t *c = p + 2; c + 2 <= p + 2 + p[1]; c += 2 + c[1])
			for (unsigned i = 2;
			     p[0] == 2 && c[0] == 69 && i + 4 <= 2u + c[1]; i += 4)
				ids |= (c[i + 3] & 3u) << (c[i + 1] == 2 ? 2 : 0);
	return ids;
}

/* take_open - a whole OPEN at *@p. Returns: its add-path directions. */
static unsigned
bmp_station_take_open(const struct station *s, const uint8_t **p, const uint8_t *end)
{
	const uint8_t *at = *p;
	uint32_t len;

	if (end - at < 29 || at[18] != BGP_OPEN)
		sim_fail("station %s got no OPEN in Peer Up", s->a.name);
	len = octets_get_u16(at + 16);
	if (len < 29 || len > (uint32_t)(end - at))
		sim_fail("station %s got an OPEN of %u octets", s->a.name, len);
	*p = at + len;
	return open_ids(at, len);
}

static void
bmp_station_take_up(
    struct station *s, const uint8_t *head, const uint8_t *p, const uint8_t *end)
{
	struct bmp_peer *peer = calloc(1, sizeof(*peer));
	unsigned sent, got;

	if (peer_find(s, head))
		sim_fail("station %s is told twice of a peer that is up", s->a.name);
	key_of(peer->key, head);
	if (head[0] != 3)
		inet_ntop(head[1] & 0x80 ? AF_INET6 : AF_INET,
		    head + (head[1] & 0x80 ? 10 : 22), peer->address,
		    sizeof(peer->address));
	p += 20;
	sent = bmp_station_take_open(s, &p, end);
	got = bmp_station_take_open(s, &p, end);
	for (unsigned v6 = 0; v6 < 2; v6++, sent >>= 2, got >>= 2) {
		peer->ids_in[v6] = got & 2 && sent & 1;
		peer->ids_out[v6] = sent & 2 && got & 1;
	}
	for (; end - p >= 4; p += 4 + octets_get_u16(p + 2))
		if (octets_get_u16(p) == 3)
			snprintf(peer->table, sizeof(peer->table), "%.*s",
			    (int)octets_get_u16(p + 2), (const char *)p + 4);
	if (p != end || (head[0] == 3) != (*peer->table != 0))
		sim_fail("station %s got a malformed Peer Up", s->a.name);
	peer->next = s->peers;
	s->peers = peer;
	s->ups++;
	sim_event("station %s: %s%s is up", s->a.name, peer->address, peer->table);
}

static void
take_down(struct station *s, struct bmp_peer *peer, unsigned why)
{
	struct bmp_peer **at = &s->peers;

	while (*at != peer)
		at = &(*at)->next;
	*at = peer->next;
	snprintf(s->down, sizeof(s->down), "%s %u", peer->address, why);
	s->downs++;
	sim_event("station %s: %s%s is down, reason %u", s->a.name, peer->address,
	    peer->table, why);
	peer_free(peer);
}

static enum view
view_of(const uint8_t *head)
{
	if (head[0] == 3)
		return LOC_RIB;
	if (head[1] & 0x10)
		return head[1] & 0x40 ? OUT_POST : OUT_PRE;
	return head[1] & 0x40 ? POST : PRE;
}

static void __attribute__((noreturn)) malformed(const struct station *s,
    const struct bmp_peer *peer, const char *view, const uint8_t *p, uint32_t len)
{
	char text[400];
	uint32_t n;

	for (n = 0; n < len && 2 * n + 3 < sizeof(text); n++)
		snprintf(text + 2 * n, 3, "%02x", p[n]);
	text[2 * n] = 0;
	sim_fail("station %s got a malformed UPDATE, %s %s%s: %s", s->a.name, view,
	    peer->address, peer->table, text);
}

static void
bmp_station_take_routes(struct station *s, struct bmp_peer *peer, const uint8_t *head,
    const uint8_t *p, uint32_t len)
{
	enum view v = view_of(head);
	struct member *m = peer->rib[v];

	if (!m)
		m = peer->rib[v] = calloc(1, sizeof(*m));
	m->uses_extended_hop =
	    true; /* Peer Up of a session without it is no matter here */
	m->peer_as4 = head[0] == 3 || !(head[1] & 0x20);
	memcpy(m->gets_id, v == OUT_PRE || v == OUT_POST ? peer->ids_out : peer->ids_in,
	    sizeof(m->gets_id));
	if (len < 19 || p[18] != BGP_UPDATE || octets_get_u16(p + 16) != len ||
	    !codec_take_update(m, p + 19, len - 19))
		malformed(s, peer, view_word[v], p, len);
}

/* ---- messages ---- */

static void
take_of_peer(struct station *s, unsigned type, const uint8_t *p, const uint8_t *end)
{
	struct bmp_peer *peer;

	if (end - p < PEER_LEN)
		sim_fail("station %s got a message that is cut", s->a.name);
	if (type == PEER_UP) {
		bmp_station_take_up(s, p, p + PEER_LEN, end);
		return;
	}
	peer = peer_find(s, p);
	if (!peer)
		sim_fail("station %s got a message of type %u about a peer that is not "
			 "up",
		    s->a.name, type);
	if (type == PEER_DOWN)
		take_down(s, peer, p[PEER_LEN]);
	else if (type == MONITORING)
		bmp_station_take_routes(
		    s, peer, p, p + PEER_LEN, (uint32_t)(end - p - PEER_LEN));
	else
		s->stats += type == STATISTICS;
}

static void
station_message(struct station *s, const uint8_t *p, uint32_t len)
{
	unsigned type = p[5];

	if (type > MIRRORING || s->ended || (!s->begun && type != INITIATION))
		sim_fail("station %s got type %u out of place", s->a.name, type);
	s->a.changed_ns = sim_now();
	if (type == INITIATION)
		s->begun = true;
	else if (type == TERMINATION)
		s->ended = true;
	else
		take_of_peer(s, type, p + HEADER_LEN, p + len);
}

static void
station_take(struct station *s)
{
	struct octets *in = &s->conn->in;
	uint32_t at = 0;

	while (in->len - at >= HEADER_LEN) {
		uint32_t len = octets_get_u32(in->p + at + 1);

		if (in->p[at] != 3 || len < HEADER_LEN)
			sim_fail("station %s got version %u, length %u", s->a.name,
			    in->p[at], len);
		if (in->len - at < len)
			break;
		station_message(s, in->p + at, len);
		at += len;
	}
	octets_drop(in, at);
}

/* ---- the task ---- */

static bool
station_may_go_on(void *arg)
{
	const struct station *s = arg;

	return s->work || tcp_fd_readable(s->fd) || (s->conn && tcp_ready(s->conn));
}

static void
station_lose(struct station *s)
{
	if (s->conn)
		tcp_free(s->conn);
	s->conn = NULL;
}

static void
station_listen(struct station *s)
{
	int fd;

	if (s->listens && s->fd < 0)
		s->fd = tcp_listen(s->a.address, s->port);
	if (!s->listens && s->fd >= 0) {
		struct tcp listener = { .fd = s->fd };

		tcp_close(&listener);
		s->fd = -1;
	}
	while (s->fd >= 0 && (fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		station_lose(s);
		station_forget(s);
		s->conn = tcp_new(fd);
		sim_event("station %s has a router", s->a.name);
	}
}

static void *
station_task(void *arg)
{
	struct station *s = arg;

	for (;;) {
		bool drops = s->drops;

		s->work = s->drops = false;
		if (s->conn) {
			bool alive;

			s->conn->reads = s->reads;
			alive = !drops && tcp_step(s->conn);
			station_take(s);
			if (!alive) {
				station_lose(s);
				s->a.changed_ns = sim_now();
			}
		}
		station_listen(s);
		sim_wait(station_may_go_on, s, SIM_NEVER);
	}
	return NULL;
}

/* ---- the story ---- */

static struct actor *
station_make(const char *name, char **words)
{
	struct station *s = calloc(1, sizeof(*s));
	char *w;

	s->port = BMP_PORT;
	s->listens = s->reads = true;
	s->fd = -1;
	while (*(w = words_next(words))) {
		if (!strcmp(w, "at"))
			words_address(words, s->a.address);
		else if (!strcmp(w, "port"))
			s->port = (uint16_t)words_upto(words, UINT16_MAX);
		else
			return NULL;
	}
	if (!*s->a.address)
		return NULL;
	sim_task_new(name, 0, station_task, s);
	return &s->a;
}

static bool
station_act(struct actor *a, const char *verb, char **words)
{
	struct station *s = station_of(a);

	s->work = true;
	if (!strcmp(verb, "reads")) {
		s->reads = true;
	} else if (!strcmp(verb, "stops") && words_skip(words, "reading")) {
		s->reads = false;
	} else if (!strcmp(verb, "stops") || !strcmp(verb, "starts")) {
		s->listens = !strcmp(verb, "starts");
		s->drops = !s->listens;
	} else if (!strcmp(verb, "restarts")) {
		s->drops = true;
	} else if (!strcmp(verb, "counts") && words_skip(words, "anew")) {
		s->ups = s->downs = s->stats = 0;
		s->down[0] = 0;
	} else {
		return false;
	}
	return true;
}

/* peer_named - by address, or the Loc-RIB of any table that @view names. */
static bool
peer_is(const struct bmp_peer *p, enum view v, const char *address)
{
	return v == LOC_RIB ? *p->table != 0 : !strcmp(p->address, address);
}

static enum actor_truth
station_has(const struct station *s, char **words)
{
	char *w = words_next(words), *address = NULL, *prefix, *text;
	struct rib_key k;
	bool end = !strcmp(w, "end"), yes = false;
	enum view v = 0;

	if (!strcmp(w, "peer")) {
		address = words_next(words);
		for (const struct bmp_peer *p = s->peers; p; p = p->next)
			yes |= peer_is(p, PRE, address);
		return yes ? ACTOR_YES : ACTOR_NO;
	}
	if (end)
		w = words_next(words);
	while (v < VIEW_CNT && strcmp(w, view_word[v]))
		v++;
	if (v == VIEW_CNT)
		return ACTOR_WHAT;
	if (v != LOC_RIB)
		address = words_next(words);
	prefix = end ? "" : words_next(words);
	text = end ? "" : words_rest(words);
	if (!end && !rib_key_of(&k, prefix, 0))
		return ACTOR_WHAT;
	for (const struct bmp_peer *p = s->peers; p; p = p->next)
		yes |= peer_is(p, v, address) && p->rib[v] &&
		       (end ? p->rib[v]->eors > 0
			    : member_has(p->rib[v], prefix, text) != NULL);
	return yes ? ACTOR_YES : ACTOR_NO;
}

static enum actor_truth
station_holds(const struct actor *a, const char *verb, char **words)
{
	const struct station *s = (const struct station *)a;
	bool yes;

	if (!strcmp(verb, "has"))
		return station_has(s, words);
	if (!strcmp(verb, "connected"))
		yes = s->conn && s->begun;
	else if (!strcmp(verb, "told") && words_skip(words, "up"))
		yes = s->ups;
	else if (!strcmp(verb, "told") && words_skip(words, "statistics"))
		yes = s->stats;
	else if (!strcmp(verb, "told") && words_skip(words, "termination"))
		yes = s->ended;
	else if (!strcmp(verb, "told") && words_skip(words, "down"))
		yes = **words ? !strcmp(words_rest(words), s->down) : s->downs;
	else
		return ACTOR_WHAT;
	return yes ? ACTOR_YES : ACTOR_NO;
}

static void
station_describe(const struct actor *a, FILE *to)
{
	const struct station *s = (const struct station *)a;
	char prefix[64];

	fprintf(to, "%s, Peer Down: %s;", s->conn ? "connected" : "not connected",
	    *s->down ? s->down : "none");
	for (const struct bmp_peer *p = s->peers; p; p = p->next) {
		fprintf(to, "\n%s%s is up", p->address, p->table);
		for (unsigned v = 0; v < VIEW_CNT; v++) {
			const struct rib_route *r;
			uint32_t at = 0, shown = 0;

			if (p->rib[v])
				fprintf(to, "\n  %s, %u ends, %u routes:", view_word[v],
				    p->rib[v]->eors, p->rib[v]->received.cnt);
			while (shown++ < 20 && p->rib[v] &&
			       (r = rib_next(&p->rib[v]->received, &at))) {
				rib_prefix(prefix, &r->key);
				fprintf(to, " %s", prefix);
			}
		}
	}
}

/* station_picture - leaves out the last attribute of view PRE: the daemon's OTC (RFC
 * 9234, 5), which a late station gets and an early station does not get. */
static void
station_picture(const struct actor *a, FILE *to)
{
	const struct station *s = (const struct station *)a;
	const struct rib_route *r;
	const char *text, *otc, *rest;
	char prefix[64];
	uint32_t at;

	for (const struct bmp_peer *p = s->peers; p; p = p->next) {
		fprintf(to, "%s has peer %s%s\n", a->name, p->address, p->table);
		for (unsigned v = 0; v < VIEW_CNT; v++)
			for (at = 0;
			     p->rib[v] && (r = rib_next(&p->rib[v]->received, &at));) {
				rib_prefix(prefix, &r->key);
				text = codec_text(r->attrs);
				otc = v == PRE ? strstr(text, " otc ") : NULL;
				rest = otc ? otc + 5 + strspn(otc + 5, "0123456789") : "";
				fprintf(to, "%s has %s of %s%s: %s %.*s%s\n", a->name,
				    view_word[v], p->address, p->table, prefix,
				    otc ? (int)(otc - text) : INT_MAX, text, rest);
			}
	}
}

const struct actor_kind station_kind = { .word = "station",
	.make = station_make,
	.act = station_act,
	.holds = station_holds,
	.describe = station_describe,
	.picture = station_picture };
