/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener's worker.
 *
 * I1  An entry is in the hash from JOIN to LEAVE of its instance; the instance's worker
 *     doesn't stop before the answer to LEAVE. So whoever is found here can be posted to.
 * I2  Each instance joins and leaves by messages of one sender: they come in order.
 * I3  The last reference is given up by a message, here: nobody posts after it. The
 *     pointer in struct tern is cleared before the worker's memory waits for its grace
 *     period.
 * I4  A peer with a password is taken only while the kernel checks it.
 * I5  Whatever happens again and again, by itself or because somebody outside wishes so,
 *     is logged at a bounded rate.
 * I6  One connection at most is on its way to an instance: the inbox of a worker that
 *     can't keep up with its peer holds no more. Further ones are refused here, as the
 *     instance would refuse them once it has taken the first.
 * I7  A link-local address is one of an interface, known by its name: that may come
 *     later, go, and come back with another number. Looked at every PLACE_RETRY_NS.
 *
 * Loop: its own. */
#include "proto/bgp/session/bgp_listen.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp_err.h"
#include "lib/wire/bgp_notify.h"
#include "lib/wire/wbuf.h"
#include "nest/recovery.h"
#include "nest/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_place.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"
#include "sysdep/loop.h"
#include "sysdep/sock_listen.h"
#include "sysdep/sock_opt.h"
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STRANGERS_S 10 /* connections of strangers that are logged a second */

/* One instance at one socket. */
struct entry {
	struct htab_node node; /* by the peer's address */
	struct bgp_place *place;
	struct bgp_session *s;
	struct ip_addr remote, local; /* local IP_NONE: any */
	char *key; /* TCP MD5; NULL: none */
	int key_err; /* the kernel doesn't check it, and why; 0: it does */
};

struct bgp_listener {
	struct worker worker;
	struct tern *tern;
	struct counter32 refs;
	struct bgp_places places;
	struct htab entries;
	uint64_t seed;
	struct timer retry;
	uint64_t second_ns; /* when the present second of log lines began */
	uint32_t second_cnt; /* connections in it that weren't wanted */
	uint32_t order; /* control worker's: instances that have been made */
};

/* What an instance asks for. */
struct ask {
	struct msg msg;
	struct bgp_session *s;
	struct sock_end end;
	char *iface;
	struct ip_addr remote, local;
	bool free_bind;
	char *key;
};

/* What it is given. */
struct offer {
	struct msg msg;
	struct bgp_session *s;
	int fd;
	struct ip_addr local;
};

static struct bgp_listener *
listener_of(struct worker *w)
{
	return container_of(w, struct bgp_listener, worker);
}

static struct ask *
ask_of(struct msg *m)
{
	return container_of(m, struct ask, msg);
}

static void
ask_free(struct ask *a)
{
	mem_free(MEM_PROTO, a->iface);
	mem_free(MEM_PROTO, a);
}

/* ---- the hash of entries ---- */

static struct entry *
entry_of(struct htab_node *n)
{
	return container_of(n, struct entry, node);
}

static uint64_t
hash_of(const struct bgp_listener *l, struct ip_addr remote)
{
	return hash_u64(hash_u64(l->seed, remote.hi), remote.lo);
}

/* find - of several that want the same peer the one that was made first; they may have
 * joined in any order. */
static struct entry *
find(struct bgp_listener *l, struct bgp_place *p, struct ip_addr remote,
    struct ip_addr local)
{
	struct entry *best = NULL;
	struct htab_node *n;

	htab_each_same (n, &l->entries, hash_of(l, remote)) {
		struct entry *e = entry_of(n);

		if (e->place == p && ip_equal(e->remote, remote) &&
		    (ip_is_none(e->local) || ip_equal(e->local, local)) &&
		    (!best || e->s->order < best->s->order))
			best = e;
	}
	return best;
}

/* find_of - the entry of @s; NULL: there is none. Its address may have changed in the
 * configuration meanwhile, so it is looked for among all where @remote doesn't find
 * it. */
static struct entry *
find_of(struct bgp_listener *l, struct ip_addr remote, const struct bgp_session *s)
{
	struct htab_node *n;

	htab_each_same (n, &l->entries, hash_of(l, remote))
		if (entry_of(n)->s == s)
			return entry_of(n);
	for (n = htab_walk(&l->entries, NULL); n; n = htab_walk(&l->entries, n))
		if (entry_of(n)->s == s)
			return entry_of(n);
	return NULL;
}

/* ---- sockets ---- */

void
bgp_listen_refuse(int fd, const struct tern *t)
{
	struct bgp_notify n = { BGP_E_CEASE, BGP_EC_REJECTED, 0, NULL };
	uint8_t buf[64], drop[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (load_relaxed32(&t->recovery.leaves) || recovery_held(&t->recovery)) {
		close(fd);
		return;
	}
	bgp_notify_encode(&w, &n);
	(void)!send(fd, buf, wbuf_len(&w), MSG_NOSIGNAL | MSG_DONTWAIT);
	shutdown(fd, SHUT_WR);
	(void)!recv(fd, drop, sizeof(drop), MSG_DONTWAIT);
	close(fd);
}

static void
handle_offer(struct worker *w, struct msg *m)
{
	struct offer *o = container_of(m, struct offer, msg);

	(void)w;
	counter32_sub_acq_rel(&o->s->offered, 1); /* I6 */
	session_accept(o->s, o->fd, o->local);
	mem_free(MEM_PROTO, o);
}

/* may_log - is there room for a line about an unwanted connection? */
static bool
may_log(struct bgp_listener *l)
{
	uint64_t now = loop_now_ns(&l->worker);

	if (now - l->second_ns >= NS_PER_S) {
		if (l->second_cnt > STRANGERS_S)
			log_msg(LOG_C_WARN,
			    "BGP: %u more unexpected connects weren't logged",
			    l->second_cnt - STRANGERS_S);
		l->second_ns = now;
		l->second_cnt = 0;
	}
	return l->second_cnt++ < STRANGERS_S;
}

/* unwanted - log a connection that nobody takes. @e: its peer, whose password isn't
 * checked; NULL: a stranger. */
static void
unwanted(struct bgp_listener *l, const struct entry *e, const struct sock_end *remote)
{
	char text[IP_STR_MAX];

	if (!may_log(l))
		return;
	if (!e)
		log_msg(LOG_C_WARN,
		    "BGP: Unexpected connect from unknown address %s (port %u)",
		    ip_str(text, remote->addr), remote->port);
	else
		log_msg(LOG_C_AUTH,
		    "BGP: Connection from %s refused: it would be without its password",
		    ip_str(text, remote->addr));
}

static void
accepted(struct sock_listen *sl, int fd, const struct sock_end *remote,
    const struct sock_end *local)
{
	struct bgp_place *p = container_of(sl, struct bgp_place, sock);
	struct bgp_listener *l = listener_of(p->all->worker);
	struct entry *e = find(l, p, remote->addr, local->addr);
	struct offer *o;

	if (!e || e->key_err) {
		unwanted(l, e, remote);
		bgp_listen_refuse(fd, l->tern);
		return;
	}
	if (counter32_get(&e->s->offered)) { /* I6 */
		bgp_listen_refuse(fd, l->tern);
		return;
	}
	counter32_add(&e->s->offered, 1);
	o = mem_zalloc(MEM_PROTO, sizeof(*o));
	o->msg.handle = handle_offer;
	o->s = e->s;
	o->fd = fd;
	o->local = local->addr;
	worker_post(&e->s->p.worker, &o->msg); /* I1 */
}

/* set_key - tell the kernel @key of @remote; NULL: none. Returns: 0 or negative errno. */
static int
set_key(struct bgp_place *p, struct ip_addr remote, const char *key)
{
	bool v4 = ip_is_v4(remote);
	struct prefix peer = prefix_make(remote, v4 ? 32 : 128, v4 ? FAM_IP4 : FAM_IP6);

	return p->sock.open ? sock_listen_md5(&p->sock, &peer, 0, key) : 0;
}

/* retry_later - unless it is on its way. */
static void
retry_later(struct bgp_listener *l)
{
	if (!timer_active(&l->retry))
		timer_set(&l->retry, loop_now_ns(&l->worker) + PLACE_RETRY_NS);
}

/* protect - have the password of @e checked, if it has one. */
static void
protect(struct bgp_listener *l, struct entry *e)
{
	int old = e->key_err;
	char text[IP_STR_MAX];

	if (!e->key)
		return;
	e->key_err = set_key(e->place, e->remote, e->key);
	if (!e->key_err)
		return;
	retry_later(l);
	if (e->key_err != old)
		log_msg(LOG_C_ERR, "BGP: Can't set the password for %s: %s%s",
		    ip_str(text, e->remote), strerror(-e->key_err),
		    e->key_err == -ENOMEM ? " (net.core.optmem_max limits how many)"
					  : "");
}

static void
tell_state(const struct entry *e)
{
	const struct bgp_place *p = e->place;

	bgp_listen_state(e->s, p->sock.open ? 0 : p->err, e->key_err);
}

/* places_again - open those that are closed, and have passwords checked that aren't
 * yet. */
static void
places_again(struct bgp_listener *l, bool moving)
{
	struct htab_node *at;
	struct list *n;

	list_for_each (n, &l->places.list) {
		struct bgp_place *p = container_of(n, struct bgp_place, link);

		p->tried = p->users && !p->sock.open;
		if (p->tried && bgp_place_open(p, moving))
			retry_later(l);
	}
	for (at = htab_walk(&l->entries, NULL); at; at = htab_walk(&l->entries, at))
		if (entry_of(at)->place->tried || entry_of(at)->key_err)
			protect(l, entry_of(at));
	for (at = htab_walk(&l->entries, NULL); at; at = htab_walk(&l->entries, at))
		tell_state(entry_of(at));
}

static void
retry_fires(struct timer *t)
{
	struct bgp_listener *l = container_of(t, struct bgp_listener, retry);
	struct list *n;

	list_for_each (n, &l->places.list) {
		struct bgp_place *p = container_of(n, struct bgp_place, link);

		if (!p->users || !p->iface)
			continue;
		bgp_place_renew(p); /* I7 */
		retry_later(l);
	}
	places_again(l, false);
}

/* ---- what instances ask ---- */

static void
handle_join(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = ask_of(m);
	struct entry *e = mem_zalloc(MEM_PROTO, sizeof(*e));

	e->place = bgp_place_get(&l->places, &a->end, a->iface, a->free_bind);
	a->iface = NULL;
	if (!e->place->users++ && bgp_place_open(e->place, true))
		retry_later(l);
	e->s = a->s;
	e->remote = a->remote;
	e->local = a->local;
	e->key = a->key;
	htab_add(&l->entries, &e->node, hash_of(l, e->remote));
	protect(l, e);
	tell_state(e);
	ask_free(a);
}

/* unprotect - @e has gone. The kernel has one key for a peer at a socket: that of another
 * entry takes its place, without a moment in between. */
static void
unprotect(struct bgp_listener *l, const struct entry *e)
{
	struct htab_node *n;

	htab_each_same (n, &l->entries, hash_of(l, e->remote)) {
		struct entry *x = entry_of(n);

		if (x->key && x->place == e->place && ip_equal(x->remote, e->remote)) {
			protect(l, x);
			return;
		}
	}
	(void)!set_key(e->place, e->remote, NULL);
}

static void
entry_free(struct bgp_listener *l, struct entry *e)
{
	struct bgp_place *p = e->place;

	if (e->key)
		unprotect(l, e);
	if (!--p->users && p->sock.open) {
		sock_listen_close(&p->sock);
		places_again(l, true); /* it may have been in their way */
	}
	mem_free(MEM_PROTO, e->key);
	mem_free(MEM_PROTO, e);
}

static void
handle_left(struct worker *w, struct msg *m)
{
	struct bgp_session *s = ask_of(m)->s;

	(void)w;
	ask_free(ask_of(m));
	bgp_listen_left(s);
}

static void
handle_leave(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = ask_of(m);
	struct entry *e = find_of(l, a->remote, a->s);

	if (e) {
		htab_del(&l->entries, &e->node);
		entry_free(l, e);
	}
	a->msg.handle = handle_left;
	worker_post(&a->s->p.worker, m);
}

static void
handle_put(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	void *self = l;

	ask_free(ask_of(m));
	if (counter32_sub_acq_rel(&l->refs, 1) != 1)
		return;
	cas_acq_rel_ptr(&l->tern->listener, &self, NULL); /* I3 */
	worker_stop(w);
}

static void
ask(struct bgp_listener *l, struct bgp_session *s,
    void (*handle)(struct worker *w, struct msg *m))
{
	struct ask *a = mem_zalloc(MEM_PROTO, sizeof(*a));

	a->msg.handle = handle;
	a->s = s;
	if (s) {
		const struct bgp_conf *cf = session_conf(s);
		bool v4 = ip_is_v4(cf->remote_ip);

		a->remote = cf->remote_ip;
		a->local = cf->local_ip;
		a->free_bind = cf->free_bind;
		a->end.port = cf->local_port;
		a->end.addr = cf->strict_bind ? cf->local_ip : v4 ? ip4(0) : IP_NONE;
		if (ip_is_link_local(a->end.addr) && cf->iface)
			a->iface = mem_strdup(MEM_PROTO, cf->iface);
		if (handle == handle_join && cf->auth == BGP_AUTH_MD5 && cf->password)
			a->key = mem_strdup(MEM_PROTO, cf->password);
	}
	worker_post(&l->worker, &a->msg);
}

void
bgp_listen_join(struct bgp_session *s)
{
	ask(s->listener, s, handle_join);
}

void
bgp_listen_leave(struct bgp_session *s)
{
	ask(s->listener, s, handle_leave);
}

void
bgp_listener_put(struct bgp_listener *l)
{
	ask(l, NULL, handle_put);
}

/* ---- its life ---- */

static void
listener_gone(struct worker *w)
{
	struct bgp_listener *l = listener_of(w);
	struct tern *t = l->tern;

	bgp_places_fini(&l->places);
	htab_fini(&l->entries);
	mem_free(MEM_PROTO, l);
	tern_worker_gone(t);
}

static const struct worker_ops listener_ops = { .gone = listener_gone };

uint32_t
bgp_listener_order(struct bgp_listener *l)
{
	return ++l->order;
}

struct bgp_listener *
bgp_listener_get(struct tern *t)
{
	struct bgp_listener *l = load_acquire_ptr(&t->listener); /* pairs: BLISTEN */

	if (l && counter32_add_unless_zero(&l->refs, 1))
		return l;
	l = mem_zalloc(MEM_PROTO, sizeof(*l));
	l->tern = t;
	counter32_add(&l->refs, 1);
	list_init(&l->places.list);
	l->places.worker = &l->worker;
	l->places.ifaces = &t->ifaces;
	l->places.accepted = accepted;
	htab_init(&l->entries, MEM_PROTO);
	l->seed = hash_seed_random();
	timer_init(&l->retry, &l->worker, retry_fires);
	tern_worker_start(t);
	worker_start(&l->worker, &listener_ops, WORKER_TABLE, "bgp listen");
	store_release_ptr(&t->listener, l); /* pairs: BLISTEN */
	return l;
}
