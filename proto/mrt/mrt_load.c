/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file in MRT format becomes routes (nest/foreign/foreign_mrt.h).
 *
 * I1  While the tables take no routes, no record is taken, and the thread that reads the
 *     file waits.
 * I2  A record that can't be read ends the load with a line in the log; routes of earlier
 *     records stay.
 *
 * Loop: the instance's. Tested by test/net/test_mrt_load.py. */
#include "proto/mrt/mrt_load.h"

#include "lib/attr/route.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/mrt.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/foreign/foreign_mrt.h"
#include "nest/foreign/foreign_update.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A peer of the file. */
struct mrt_load_peer {
	struct htab_node node; /* of mrt_load.peers */
	struct mrt_peer key; /* without its identifier */
	struct many_peer *to;
};

static struct mrt_load *
load_of(struct foreign_mrt *f)
{
	return container_of(f, struct mrt_load, file);
}

/* ---- peers ---- */

static struct mrt_load_peer *
load_peer_get(struct mrt_load *l, const struct mrt_peer *k)
{
	uint64_t word[3] = { k->addr.hi, k->addr.lo, k->as };
	uint64_t hash = hash_bytes(0, word, sizeof(word));
	struct route_source src = { .from = k->addr,
		.peer_as = k->as,
		.peer_router_id = k->router_id,
		.is_bgp = true,
		.is_ebgp = true };
	char ip[IP_STR_MAX], name[64];
	struct mrt_load_peer *p;
	struct htab_node *n;

	htab_each_same (n, &l->peers, hash) {
		p = container_of(n, struct mrt_load_peer, node);
		if (ip_equal(p->key.addr, k->addr) && p->key.as == k->as)
			return p;
	}
	p = mem_zalloc(MEM_PROTO, sizeof(*p));
	p->key = *k;
	snprintf(name, sizeof(name), "%.22s/%s", l->p->name, ip_str(ip, k->addr));
	p->to = many_peer_new(&l->to, &src, name);
	htab_add(&l->peers, &p->node, hash);
	return p;
}

static void
load_forget_peers(struct mrt_load *l)
{
	struct htab_node *n = htab_walk(&l->peers, NULL), *next;

	for (; n; n = next) {
		struct mrt_load_peer *p = container_of(n, struct mrt_load_peer, node);

		next = htab_walk(&l->peers, n);
		if (p->to)
			many_peer_free(p->to);
		htab_del(&l->peers, n);
		mem_free(MEM_PROTO, p);
	}
	htab_fini(&l->peers);
	htab_init(&l->peers, MEM_PROTO);
	foreign_mrt_fini(&l->file);
}

/* ---- records ---- */

static uint64_t
load_record_nr(const struct mrt_load *l)
{
	return l->file.records + 1;
}

/* mrt_load_bad_route - a route that is not taken; the log has the first. */
static void
mrt_load_bad_route(struct mrt_load *l, const char *why)
{
	if (!l->bad++)
		proto_log(l->p, LOG_C_REMOTE,
		    "%s: record %llu: a route isn't taken: %s (further routes are only "
		    "counted)",
		    l->path, (unsigned long long)load_record_nr(l), why);
}

static void
mrt_load_update(
    struct mrt_load *l, const struct mrt_load_peer *p, const struct foreign_message *m)
{
	struct foreign_update u = { .as4 = m->as4, .ids = m->ids };
	struct bgp_err err;

	if (!foreign_update_of(&u, m->msg, m->len))
		return;
	if (!p->to) {
		mrt_load_bad_route(l, "too many peers");
		return;
	}
	err = many_peer_update(p->to, &u);
	if (err.severity >= BGP_SEV_WITHDRAW)
		mrt_load_bad_route(l, err.text);
	else
		l->routes++;
}

static bool
load_ready(struct foreign_mrt *f)
{
	return many_peers_ready(&load_of(f)->to);
}

static void *
load_peer(struct foreign_mrt *f, const struct mrt_peer *k)
{
	return load_peer_get(load_of(f), k);
}

static void
load_entry(struct foreign_mrt *f, void *peer, const struct foreign_message *m)
{
	struct mrt_load *l = load_of(f);

	if (m)
		mrt_load_update(l, peer, m);
	else
		mrt_load_bad_route(
		    l, "the attributes can't be read, or the route has no next hop");
}

/* load_state - the routes of a peer that was lost go; what comes next makes the peer
 * anew. */
static void
load_state(struct foreign_mrt *f, const struct mrt_bgp *b)
{
	struct mrt_load *l = load_of(f);
	struct mrt_load_peer *p;

	if (b->new_state == FOREIGN_MRT_UP)
		return;
	p = load_peer_get(l, &(struct mrt_peer){ .addr = b->s.peer, .as = b->s.peer_as });
	if (p->to)
		many_peer_drop(p->to);
	htab_del(&l->peers, &p->node);
	foreign_mrt_forget(f, p);
	mem_free(MEM_PROTO, p);
}

static void
load_message(
    struct foreign_mrt *f, const struct mrt_bgp *b, const struct foreign_message *m)
{
	struct mrt_load *l = load_of(f);

	if (!b->local)
		mrt_load_update(l,
		    load_peer_get(
			l, &(struct mrt_peer){ .addr = b->s.peer, .as = b->s.peer_as }),
		    m);
}

static int
load_wrong(struct foreign_mrt *f, int err)
{
	(void)f;
	return err; /* I2 */
}

/* ---- the end of the file ---- */

static void
mrt_load_say(struct mrt_load *l, enum proto_state state, const char *text)
{
	proto_publish(l->p, state, false, text, NULL);
}

static void
load_stop_reading(struct mrt_load *l, const char *why)
{
	char text[128];

	foreign_mrt_close(&l->file);
	proto_log(l->p, LOG_C_ERR, "%s: record %llu: %s", l->path,
	    (unsigned long long)load_record_nr(l), why);
	snprintf(text, sizeof(text), "Record %llu: %s",
	    (unsigned long long)load_record_nr(l), why);
	mrt_load_say(l, PS_UP, text);
}

static void
load_no_file(struct mrt_load *l)
{
	char text[128];

	snprintf(text, sizeof(text), "Can't be read: %s",
	    strerror(foreign_mrt_error(&l->file)));
	proto_log(l->p, LOG_C_ERR, "%s: %s", l->path, text);
	foreign_mrt_close(&l->file);
	mrt_load_say(l, PS_START, text);
}

static void
load_all_read(struct mrt_load *l)
{
	char text[128];

	foreign_mrt_close(&l->file);
	snprintf(text, sizeof(text), "%llu route%s of %u peer%s",
	    (unsigned long long)l->routes, plural(l->routes, "", "s"), l->to.cnt,
	    plural(l->to.cnt, "", "s"));
	proto_log(l->p, LOG_C_INFO, "%s: %s, %llu not taken", l->path, text,
	    (unsigned long long)l->bad);
	mrt_load_say(l, PS_UP, text);
}

static void
load_ended(struct foreign_mrt *f, int err)
{
	struct mrt_load *l = load_of(f);

	if (f->begun && foreign_mrt_error(f))
		load_no_file(l);
	else if (err == -ENOENT)
		load_stop_reading(l, "a peer that isn't in the index");
	else if (err == -EPROTO)
		load_stop_reading(l, "the record can't be read");
	else if (foreign_mrt_is_whole(f))
		load_all_read(l);
	else if (f->stream.got == f->size + sizeof(f->size))
		load_stop_reading(l, "the record is truncated");
	else
		load_stop_reading(l, "the file ends too early, or can't be read");
}

static const struct foreign_mrt_ops load_ops = {
	.ready = load_ready,
	.peer = load_peer,
	.entry = load_entry,
	.state = load_state,
	.message = load_message,
	.wrong = load_wrong,
	.ended = load_ended,
};

/* ---- life ---- */

void
mrt_load_make(struct mrt_load *l, struct proto *p, const struct conf_proto *cf)
{
	l->p = p;
	htab_init(&l->peers, MEM_PROTO);
	many_peers_make(&l->to, p, cf);
}

void
mrt_load_start(struct mrt_load *l)
{
	foreign_mrt_init(&l->file, &l->p->worker, &load_ops);
}

void
mrt_load_free(struct mrt_load *l)
{
	load_forget_peers(l);
	htab_fini(&l->peers);
	mem_free(MEM_PROTO, l->path);
	many_peers_free(&l->to);
}

void
mrt_load_begin(struct mrt_load *l, const char *name)
{
	int err;

	mem_free(MEM_PROTO, l->path);
	l->path = mem_strdup(MEM_PROTO, name);
	l->routes = l->bad = 0;
	many_peers_up(&l->to);
	err = foreign_mrt_open(&l->file, l->p->name, l->path, false);
	if (err) {
		proto_log(l->p, LOG_C_ERR, "Can't start a thread: %s", strerror(-err));
		mrt_load_say(l, PS_START, "Can't start a thread");
		return;
	}
	mrt_load_say(l, PS_START, "Loading");
}

void
mrt_load_end(struct mrt_load *l)
{
	foreign_mrt_close(&l->file);
	load_forget_peers(l);
	many_peers_down(&l->to);
}

bool
mrt_load_run(struct mrt_load *l)
{
	bool more = many_peers_step(&l->to);

	foreign_mrt_go_on(&l->file);
	return more;
}
