/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Validators: caches of the RPKI-to-Router protocol, version 0 (RFC 6810), 1 (RFC 8210)
 * and 2 (draft-ietf-sidrops-8210bis), with a codec of their own.
 *
 * A cache listens, answers queries from its records, and sends a Serial Notify when the
 * records change. The story changes records, session and version, and has the cache
 * refuse, fall silent, or send half an answer.
 *
 * I1  A record holds from the serial `since` to the serial before `until`. The answer to
 *     a Serial Query is the difference of two serials, so that no record is announced
 *     twice. */
#include "test/sim/rtr.h"
#include "test/sim/sim.h"
#include "test/sim/sim_net.h"
#include "test/sim/tcp.h"
#include "test/sim/words.h"

#include <arpa/inet.h>
#include <bsd/string.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RTR_PORT    323
#define RTR_AGE_MAX 32 /* serials whose difference the cache knows */

enum {
	SERIAL_NOTIFY = 0,
	SERIAL_QUERY = 1,
	RESET_QUERY = 2,
	CACHE_RESPONSE = 3,
	END_OF_DATA = 7,
	CACHE_RESET = 8,
	ERROR_REPORT = 10
};

enum { NO_DATA = 2, UNSUPPORTED_VERSION = 4 };

static struct rtr *
rtr_of(struct actor *a)
{
	return (struct rtr *)a;
}

/* ---- PDUs ---- */

/* rtr_begin - a header; rtr_end sets its length. Returns: where it stands. */
static uint32_t
rtr_begin(struct octets *o, unsigned version, unsigned type, unsigned word)
{
	uint32_t at = o->len;

	octets_u8(o, version);
	octets_u8(o, type);
	octets_u16(o, word);
	octets_u32(o, 0);
	return at;
}

static void
rtr_end(struct octets *o, uint32_t at)
{
	uint32_t len = htonl(o->len - at);

	memcpy(o->p + at + 4, &len, 4);
}

static void
rtr_plain(struct octets *o, unsigned version, unsigned type, unsigned word)
{
	rtr_end(o, rtr_begin(o, version, type, word));
}

static void
rtr_report(struct octets *o, unsigned version, unsigned code, const void *about,
    uint32_t about_len)
{
	uint32_t at = rtr_begin(o, version, ERROR_REPORT, code);

	octets_u32(o, about_len);
	octets_put(o, about, about_len);
	octets_u32(o, 3);
	octets_put(o, "sim", 3);
	rtr_end(o, at);
}

static void
rtr_record(struct octets *o, unsigned version, const struct record *r, bool announce)
{
	uint32_t at;

	if (r->type == RTR_ASPA && version < 2)
		return;
	at = rtr_begin(o, version, r->type, r->type == RTR_ASPA && announce ? 0x100 : 0);
	if (r->type == RTR_ASPA) {
		octets_u32(o, r->as);
		for (unsigned i = 0; announce && i < r->provider_cnt; i++)
			octets_u32(o, r->provider[i]);
	} else {
		octets_u8(o, announce);
		octets_u8(o, r->len);
		octets_u8(o, r->max);
		octets_u8(o, 0);
		octets_put(o, r->address, r->type == RTR_IPV4_PREFIX ? 4 : 16);
		octets_u32(o, r->as);
	}
	rtr_end(o, at);
}

static void
rtr_end_of_data(const struct rtr *c, struct octets *o, unsigned version)
{
	uint32_t at = rtr_begin(o, version, END_OF_DATA, c->session);

	octets_u32(o, c->serial);
	if (version) {
		octets_u32(o, c->refresh_s);
		octets_u32(o, c->retry_s);
		octets_u32(o, c->expire_s);
	}
	rtr_end(o, at);
}

/* ---- records ---- */

static bool
record_same(const struct record *a, const struct record *b)
{
	if (a->type != b->type || a->as != b->as)
		return false;
	return a->type == RTR_ASPA || (a->len == b->len && a->max == b->max &&
					  !memcmp(a->address, b->address, 16));
}

/* record_at - did the cache have a record with the key of @r at that serial? */
static const struct record *
record_at(const struct rtr *c, const struct record *r, uint32_t serial)
{
	for (const struct record *q = c->records; q; q = q->next)
		if (record_same(q, r) && q->since <= serial && serial < q->until)
			return q;
	return NULL;
}

static void
rtr_put_all(const struct rtr *c, struct octets *o, unsigned version)
{
	for (const struct record *r = c->records; r; r = r->next)
		if (r->until == UINT32_MAX)
			rtr_record(o, version, r, true);
}

/* rtr_put_difference - I1. */
static void
rtr_put_difference(const struct rtr *c, struct octets *o, unsigned version, uint32_t from)
{
	for (const struct record *r = c->records; r; r = r->next) {
		bool is = r->until == UINT32_MAX,
		     was = r->since <= from && from < r->until;

		if (is && !was && (r->type == RTR_ASPA || !record_at(c, r, from)))
			rtr_record(o, version, r, true);
		if (was && !is && !record_at(c, r, c->serial))
			rtr_record(o, version, r, false);
	}
}

/* record_parse - "roa PREFIX [max N] as N", "aspa N providers N...". Returns: NULL:
 * neither. */
static struct record *
record_parse(char **words)
{
	struct record *r = calloc(1, sizeof(*r));
	char *slash, *prefix;

	r->until = UINT32_MAX;
	if (words_skip(words, "aspa")) {
		r->type = RTR_ASPA;
		r->as = words_u32(words);
		if (!words_skip(words, "providers"))
			return NULL;
		while (r->provider_cnt < RTR_PROVIDERS && **words)
			r->provider[r->provider_cnt++] = words_u32(words);
		return r;
	}
	if (!words_skip(words, "roa"))
		return NULL;
	prefix = words_next(words);
	slash = strchr(prefix, '/');
	if (!slash)
		return NULL;
	*slash = 0;
	r->type = strchr(prefix, ':') ? RTR_IPV6_PREFIX : RTR_IPV4_PREFIX;
	if (inet_pton(
		r->type == RTR_IPV4_PREFIX ? AF_INET : AF_INET6, prefix, r->address) != 1)
		return NULL;
	if (!words_length(slash + 1, r->type == RTR_IPV4_PREFIX ? 32 : 128, &r->len))
		return NULL;
	r->max = words_skip(words, "max") ? (uint8_t)words_upto(words, UINT8_MAX)
					  : r->len;
	if (!words_skip(words, "as"))
		return NULL;
	r->as = words_u32(words);
	return r;
}

static void
rtr_notify(struct rtr *c)
{
	for (struct tcp *k = c->routers; c->notifies && k; k = k->next) {
		uint32_t at = rtr_begin(
		    &k->out, c->asked_version, SERIAL_NOTIFY, c->session);

		octets_u32(&k->out, c->serial);
		rtr_end(&k->out, at);
	}
}

static bool
rtr_change(struct rtr *c, char **words, bool add)
{
	struct record *r = record_parse(words), *old;

	if (!r)
		return false;
	old = (struct record *)record_at(c, r, c->serial);
	if (!add && !old)
		return false;
	c->serial++;
	if (old)
		old->until = c->serial;
	r->since = c->serial;
	if (add) {
		r->next = c->records;
		c->records = r;
	} else {
		free(r);
	}
	rtr_notify(c);
	return true;
}

/* ---- answers ---- */

/* rtr_answer - to a query, into @o. */
static void
rtr_answer(struct rtr *c, const uint8_t *p, uint32_t len, struct octets *o)
{
	unsigned version = p[0] < c->version ? p[0] : c->version;
	bool serial = p[1] == SERIAL_QUERY;
	uint32_t from = serial ? octets_get_u32(p + 8) : 0;

	if (p[0] > c->version && c->refuses) {
		rtr_report(o, c->version, UNSUPPORTED_VERSION, p, len);
		return;
	}
	if (c->empty) {
		rtr_report(o, version, NO_DATA, p, len);
		return;
	}
	if (serial && (octets_get_u16(p + 2) != c->session || from < c->oldest ||
			  from > c->serial)) {
		rtr_plain(o, version, CACHE_RESET, 0);
		return;
	}
	rtr_plain(o, version, CACHE_RESPONSE, c->session);
	if (serial)
		rtr_put_difference(c, o, version, from);
	else
		rtr_put_all(c, o, version);
	rtr_end_of_data(c, o, version);
}

static void
rtr_query(struct rtr *c, struct tcp *k, const uint8_t *p, uint32_t len)
{
	struct octets o = { 0 };

	c->reset_cnt += p[1] == RESET_QUERY;
	c->serial_cnt += p[1] == SERIAL_QUERY;
	c->asked_version = p[0];
	c->a.changed_ns = sim_now();
	sim_event("validator %s is asked: type %u version %u", c->a.name, p[1], p[0]);
	if (c->silent)
		return;
	rtr_answer(c, p, len, &o);
	octets_put(&k->out, o.p, c->halves ? o.len - 5 : o.len);
	octets_free(&o);
}

static void
rtr_pdu(struct rtr *c, struct tcp *k, const uint8_t *p, uint32_t len)
{
	switch (p[1]) {
	case RESET_QUERY:
	case SERIAL_QUERY:
		if (len != (p[1] == RESET_QUERY ? 8u : 12u))
			sim_fail("%s got a query of %u octets", c->a.name, len);
		rtr_query(c, k, p, len);
		break;
	case ERROR_REPORT:
		c->error = (int)octets_get_u16(p + 2);
		c->a.changed_ns = sim_now();
		sim_event("validator %s is told of error %d", c->a.name, c->error);
		break;
	default:
		sim_fail("%s got a PDU of type %u", c->a.name, p[1]);
	}
}

static void
rtr_take(struct rtr *c, struct tcp *k)
{
	uint32_t at = 0;

	while (k->in.len - at >= 8) {
		uint32_t len = octets_get_u32(k->in.p + at + 4);

		if (len < 8)
			sim_fail("%s got a PDU of %u octets", c->a.name, len);
		if (k->in.len - at < len)
			break;
		rtr_pdu(c, k, k->in.p + at, len);
		at += len;
	}
	octets_drop(&k->in, at);
}

/* ---- the task ---- */

static bool
rtr_may_go_on(void *arg)
{
	const struct rtr *c = arg;

	if (c->work || tcp_fd_readable(c->fd))
		return true;
	for (const struct tcp *k = c->routers; k; k = k->next)
		if (tcp_ready(k))
			return true;
	return false;
}

static void
rtr_listen(struct rtr *c)
{
	int fd;

	if (c->listens && c->fd < 0)
		c->fd = tcp_listen(c->a.address, c->port);
	if (!c->listens && c->fd >= 0) {
		struct tcp listener = { .fd = c->fd };

		tcp_close(&listener);
		c->fd = -1;
	}
	while (c->fd >= 0 && (fd = accept4(c->fd, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
		struct tcp *k = tcp_new(fd);

		k->next = c->routers;
		c->routers = k;
		sim_event("validator %s has a router", c->a.name);
	}
}

static void *
rtr_task(void *arg)
{
	struct rtr *c = arg;

	for (;;) {
		struct tcp **at = &c->routers, *k;
		bool drops = c->drops;

		c->work = c->drops = false;
		while ((k = *at)) {
			bool alive = !drops && tcp_step(k);

			rtr_take(c, k); /* what came before the end counts */
			if (alive && tcp_step(k)) {
				at = &k->next;
				continue;
			}
			*at = k->next;
			tcp_free(k);
			c->a.changed_ns = sim_now();
		}
		rtr_listen(c);
		sim_wait(rtr_may_go_on, c, SIM_NEVER);
	}
	return NULL;
}

/* ---- the story ---- */

static struct actor *
rtr_make(const char *name, char **words)
{
	struct rtr *c = calloc(1, sizeof(*c));
	char *w;

	c->port = RTR_PORT;
	c->version = 2;
	c->session = 100;
	c->serial = c->oldest = 1;
	c->refresh_s = 3600;
	c->retry_s = 600;
	c->expire_s = 7200;
	c->listens = c->notifies = true;
	c->fd = c->error = -1;
	while (*(w = words_next(words))) {
		if (!strcmp(w, "at"))
			words_address(words, c->a.address);
		else if (!strcmp(w, "port"))
			c->port = (uint16_t)words_upto(words, UINT16_MAX);
		else if (!strcmp(w, "version"))
			c->version = (uint8_t)words_upto(words, UINT8_MAX);
		else if (!strcmp(w, "refresh"))
			c->refresh_s = words_u32(words);
		else if (!strcmp(w, "retry"))
			c->retry_s = words_u32(words);
		else if (!strcmp(w, "expire"))
			c->expire_s = words_u32(words);
		else
			return NULL;
	}
	if (!*c->a.address)
		return NULL;
	sim_task_new(name, false, rtr_task, c);
	return &c->a;
}

/* rtr_restart - a new session; the cache counts from 1. */
static void
rtr_restart(struct rtr *c)
{
	struct record **at = &c->records, *r;

	c->session++;
	while ((r = *at)) {
		if (r->until == UINT32_MAX) {
			r->since = 1;
			at = &r->next;
		} else {
			*at = r->next;
			free(r);
		}
	}
	c->serial = c->oldest = 1;
}

bool
rtr_serves(const struct rtr *c)
{
	return c->listens && c->routers && c->notifies && !c->silent && !c->empty &&
	       !c->halves && !c->refuses && !sim_net_is_cut(c->a.address);
}

static bool
rtr_act_data(struct rtr *c, const char *verb, char **words)
{
	if (!strcmp(verb, "adds") || !strcmp(verb, "removes"))
		return rtr_change(c, words, *verb == 'a');
	if (!strcmp(verb, "restarts")) { /* its connections break */
		rtr_restart(c);
		c->drops = true;
	} else if (!strcmp(verb, "changes")) { /* session, on the same connection */
		if (!words_skip(words, "session"))
			return false;
		rtr_restart(c);
		rtr_notify(c);
	} else if (!strcmp(verb, "forgets")) {
		if (!words_skip(words, "history"))
			return false;
		c->oldest = c->serial;
	} else if (!strcmp(verb, "has")) {
		c->empty = words_skip(words, "no");
		return words_skip(words, "data");
	} else {
		return false;
	}
	return true;
}

static bool
rtr_act(struct actor *a, const char *verb, char **words)
{
	struct rtr *c = rtr_of(a);
	uint8_t hex[WORDS_HEX_MAX];
	uint32_t len;

	c->work = true;
	c->acted_ns = sim_now();
	if (!strcmp(verb, "stops") || !strcmp(verb, "starts")) {
		c->listens = !strcmp(verb, "starts");
		c->drops = !c->listens;
	} else if (!strcmp(verb, "falls") || !strcmp(verb, "answers")) {
		c->silent = *verb == 'f';
		c->halves = *verb == 'a' && words_skip(words, "by");
		return c->silent ? words_skip(words, "silent")
				 : !c->halves || words_skip(words, "half");
	} else if (!strcmp(verb, "speaks") || !strcmp(verb, "refuses")) {
		if (*verb == 'r' && !words_skip(words, "above"))
			return false;
		if (!words_skip(words, "version"))
			return false;
		c->refuses = *verb == 'r';
		c->version = (uint8_t)words_upto(words, UINT8_MAX);
	} else if (!strcmp(verb, "notifies")) {
		c->notifies = !words_skip(words, "nobody");
	} else if (!strcmp(verb, "reports")) {
		len = words_upto(words, UINT16_MAX);
		for (struct tcp *k = c->routers; k; k = k->next)
			rtr_report(&k->out, c->asked_version, len, NULL, 0);
	} else if (!strcmp(verb, "sends")) {
		if (!words_hex(words_rest(words), hex, sizeof(hex), &len))
			return false;
		for (struct tcp *k = c->routers; k; k = k->next)
			octets_put(&k->out, hex, len);
	} else if (!strcmp(verb, "counts") && words_skip(words, "anew")) {
		c->reset_cnt = c->serial_cnt = 0;
		c->error = -1;
	} else {
		return rtr_act_data(c, verb, words);
	}
	return true;
}

static enum actor_truth
rtr_holds(const struct actor *a, const char *verb, char **words)
{
	const struct rtr *c = (const struct rtr *)a;

	if (!strcmp(verb, "connected"))
		return c->routers ? ACTOR_YES : ACTOR_NO;
	if (!strcmp(verb, "told"))
		return c->error == (int)words_upto(words, UINT16_MAX) ? ACTOR_YES
								      : ACTOR_NO;
	if (strcmp(verb, "asked"))
		return ACTOR_WHAT;
	if (words_skip(words, "version"))
		return c->asked_version == words_u32(words) ? ACTOR_YES : ACTOR_NO;
	if (words_skip(words, "reset"))
		return c->reset_cnt ? ACTOR_YES : ACTOR_NO;
	if (words_skip(words, "serial"))
		return c->serial_cnt ? ACTOR_YES : ACTOR_NO;
	return ACTOR_WHAT;
}

static void
rtr_describe(const struct actor *a, FILE *to)
{
	const struct rtr *c = (const struct rtr *)a;

	fprintf(to,
	    "%s: %u Reset Queries, %u Serial Queries, the last of version %u, Error "
	    "Report %d",
	    c->routers ? "connected" : "not connected", c->reset_cnt, c->serial_cnt,
	    c->asked_version, c->error);
}

const struct actor_kind rtr_kind = { .word = "cache",
	.make = rtr_make,
	.act = rtr_act,
	.holds = rtr_holds,
	.describe = rtr_describe };
