/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener's worker.
 *
 * I1  An entry is in the hash from JOIN to LEAVE of its instance; the instance's worker
 *     doesn't stop before the answer to LEAVE. So whoever is found here can be posted to.
 * I2  Each instance joins and leaves by messages of one sender: they come in order.
 * I3  Sockets that are not used any more are closed and kept for reuse: a callback must
 *     not free one. They go with the worker.
 * I4  The last reference is given up by a message, here: nobody posts after it. The
 *     pointer in struct tern is cleared before the worker's memory waits for its grace
 *     period.
 * I5  A peer with a password is taken only while the kernel checks it.
 * I6  Whatever happens again and again, by itself or because somebody outside wishes so,
 *     is logged at a bounded rate.
 * I7  One connection at most is on its way to an instance: the inbox of a worker that
 *     can't keep up with its peer holds no more. Further ones are refused here, as the
 *     instance would refuse them once it has taken the first.
 * I8  A link-local address is one of an interface, known by its name: that may come
 *     later, go, and come back with another number. Looked at every RETRY_NS.
 *
 * Loop: its own. */
#include "proto/bgp/session/bgp_listen.h"
#include "lib/base/hash.h"
#include "lib/base/htab.h"
#include "nest/tern.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"
#include "sysdep/sock_listen.h"
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define RETRY_NS      (5 * NS_PER_S) /* a socket that can't be had, a password not set */
#define SAY_AGAIN_NS  (600 * NS_PER_S) /* what still fails is logged once more */
#define STRANGERS_S   10 /* connections of strangers that are logged a second */
#define PLACE_STR_MAX (IP_STR_MAX + IF_NAMESIZE + 1)

/* One listening socket. */
struct place {
	struct sock_listen sock;
	struct list link;
	struct bgp_listener *owner;
	struct sock_end end;
	char *
	    iface; /* of a link-local address; NULL: of another; end.ifindex is its number */
	bool free_bind;
	int err; /* why it can't be had, as was logged; 0: it is open, or was never tried */
	uint64_t said_ns; /* when that was logged */
	unsigned users;
};

/* One instance at one socket. */
struct entry {
	struct htab_node node; /* by the peer's address */
	struct place *place;
	struct bgp_session *s;
	struct ip_addr remote, local; /* local IP_NONE: any */
	char *key; /* TCP MD5; NULL: none */
	int key_err; /* the kernel doesn't check it, and why; 0: it does */
};

struct bgp_listener {
	struct worker worker;
	struct tern *tern;
	struct counter32 refs;
	struct list places;
	struct htab entries;
	uint64_t seed;
	struct timer retry;
	uint64_t second_ns; /* when the present second of log lines began */
	uint32_t second_cnt; /* connections in it that weren't wanted */
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

static struct entry *
find(struct bgp_listener *l, struct place *p, struct ip_addr remote, struct ip_addr local)
{
	struct htab_node *n;

	htab_each_same (n, &l->entries, hash_of(l, remote)) {
		struct entry *e = entry_of(n);

		if (e->place == p && ip_equal(e->remote, remote) &&
		    (ip_is_none(e->local) || ip_equal(e->local, local)))
			return e;
	}
	return NULL;
}

/* find_of - the entry of @s; NULL: there is none. Its address may have changed in the
 * configuration meanwhile, so it is looked for among all where @remote doesn't find it. */
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
bgp_listen_refuse(int fd)
{
	struct bgp_notify n = { BGP_E_CEASE, BGP_EC_REJECTED, 0, NULL };
	uint8_t buf[64], drop[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

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
	counter32_sub_acq_rel(&o->s->offered, 1); /* I7 */
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
	struct place *p = container_of(sl, struct place, sock);
	struct entry *e = find(p->owner, p, remote->addr, local->addr);
	struct offer *o;

	if (!e || e->key_err) {
		unwanted(p->owner, e, remote);
		bgp_listen_refuse(fd);
		return;
	}
	if (counter32_get(&e->s->offered)) { /* I7 */
		bgp_listen_refuse(fd);
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
set_key(struct place *p, struct ip_addr remote, const char *key)
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
		timer_set(&l->retry, loop_now_ns(&l->worker) + RETRY_NS);
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

/* place_text - its address, as the log has it. */
static const char *
place_text(const struct place *p, char text[PLACE_STR_MAX])
{
	char addr[IP_STR_MAX];

	snprintf(text, PLACE_STR_MAX, "%s%s%s", ip_str(addr, p->end.addr),
	    p->iface ? "%" : "", p->iface ? p->iface : "");
	return text;
}

/* in_our_way - do we listen at the same port ourselves? A configuration that moves the listener has new instances
 * join before all old ones have left: it is tried again when the last of these has. */
static bool
in_our_way(const struct place *p)
{
	const struct list *n;

	list_for_each (n, &p->owner->places) {
		const struct place *x = container_of(n, struct place, link);

		if (x != p && x->sock.open && x->end.port == p->end.port)
			return true;
	}
	return false;
}

/* place_failed - log it if it is news, or a long time ago. */
static void
place_failed(struct place *p, int err)
{
	uint64_t now = loop_now_ns(&p->owner->worker);
	char text[PLACE_STR_MAX];

	if (err != p->err) {
		p->said_ns = 0;
		p->err = err;
		if (err == -EADDRINUSE && in_our_way(p))
			return;
	}
	if (!log_due(&p->said_ns, now, SAY_AGAIN_NS))
		return;
	log_msg(LOG_C_ERR, "BGP: Can't listen at %s port %u: %s (tried again every %u s)",
	    place_text(p, text), p->end.port, strerror(-err),
	    (unsigned)(RETRY_NS / NS_PER_S));
}

/* index_of - the present number of its interface; 0: it has none, or it isn't there. */
static uint32_t
index_of(const struct place *p)
{
	const struct iface_list *l = iface_list_get(&p->owner->tern->ifaces);
	const struct iface *i = p->iface ? iface_find(l, p->iface) : NULL;

	return i ? i->index : 0;
}

/* place_try - Returns: 0 or negative errno. */
static int
place_try(struct place *p)
{
	/* The answer to a SYN goes out with our TTL: a peer with `ttl security` wants
	 * 255. */
	struct sock_conf sc = { .ttl = 255, .dscp_ecn = 0xc0, .free_bind = p->free_bind };

	p->end.ifindex = index_of(p);
	if (p->iface && !p->end.ifindex)
		return -ENODEV;
	return sock_listen_open(&p->sock, &p->owner->worker, &p->end, &sc, accepted);
}

/* place_open - if it can't be had, it is tried again. */
static void
place_open(struct place *p)
{
	int rc = place_try(p);
	char text[PLACE_STR_MAX];

	if (rc || p->iface)
		retry_later(p->owner); /* I8 */
	if (rc) {
		place_failed(p, rc);
		return;
	}
	if (p->err)
		log_msg(LOG_C_INFO, "BGP: Listening at %s port %u", place_text(p, text),
		    p->end.port);
	p->err = 0;
}

static bool
same_iface(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static struct place *
place_get(struct bgp_listener *l, struct ask *a)
{
	struct place *p = NULL, *spare = NULL;
	struct list *n;

	list_for_each (n, &l->places) {
		p = container_of(n, struct place, link);
		if (p->users && ip_equal(p->end.addr, a->end.addr) &&
		    p->end.port == a->end.port && same_iface(p->iface, a->iface))
			return p;
		if (!p->users)
			spare = p;
	}
	p = spare ? spare : mem_zalloc(MEM_PROTO, sizeof(*p));
	if (!spare)
		list_add_tail(&l->places, &p->link);
	p->owner = l;
	p->end = a->end;
	mem_free(MEM_PROTO, p->iface);
	p->iface = a->iface;
	a->iface = NULL;
	p->free_bind = a->free_bind;
	p->err = 0;
	place_open(p);
	return p;
}

/* place_renew - its interface may have gone, or be another one of the same name: I8. */
static void
place_renew(struct place *p)
{
	retry_later(p->owner);
	if (p->sock.open && index_of(p) != p->end.ifindex)
		sock_listen_close(&p->sock);
}

/* places_again - open those that are closed, and have passwords checked that aren't yet. */
static void
places_again(struct bgp_listener *l)
{
	struct htab_node *at;
	struct list *n;

	list_for_each (n, &l->places) {
		struct place *p = container_of(n, struct place, link);
		bool opened = p->users && !p->sock.open;

		if (opened)
			place_open(p);
		for (at = htab_walk(&l->entries, NULL); at;
		     at = htab_walk(&l->entries, at))
			if (entry_of(at)->place == p && (opened || entry_of(at)->key_err))
				protect(l, entry_of(at));
	}
}

static void
retry_fires(struct timer *t)
{
	struct bgp_listener *l = container_of(t, struct bgp_listener, retry);
	struct list *n;

	list_for_each (n, &l->places) {
		struct place *p = container_of(n, struct place, link);

		if (p->users && p->iface)
			place_renew(p);
	}
	places_again(l);
}

/* ---- what instances ask ---- */

static void
handle_join(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = ask_of(m);
	struct entry *e = mem_zalloc(MEM_PROTO, sizeof(*e));

	e->place = place_get(l, a);
	e->place->users++;
	e->s = a->s;
	e->remote = a->remote;
	e->local = a->local;
	e->key = a->key;
	htab_add(&l->entries, &e->node, hash_of(l, e->remote));
	protect(l, e);
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
	struct place *p = e->place;

	if (e->key)
		unprotect(l, e);
	if (!--p->users && p->sock.open) {
		sock_listen_close(&p->sock);
		places_again(l); /* in_our_way */
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
	cas_acq_rel_ptr(&l->tern->listener, &self, NULL); /* I4 */
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

	while (!list_empty(&l->places)) {
		struct place *p = container_of(l->places.next, struct place, link);

		list_del(&p->link);
		mem_free(MEM_PROTO, p->iface);
		mem_free(MEM_PROTO, p);
	}
	htab_fini(&l->entries);
	mem_free(MEM_PROTO, l);
	tern_worker_gone(t);
}

static const struct worker_ops listener_ops = { .gone = listener_gone };

struct bgp_listener *
bgp_listener_get(struct tern *t)
{
	struct bgp_listener *l = load_acquire_ptr(&t->listener); /* pairs: BLISTEN */

	if (l && counter32_add_unless_zero(&l->refs, 1))
		return l;
	l = mem_zalloc(MEM_PROTO, sizeof(*l));
	l->tern = t;
	counter32_add(&l->refs, 1);
	list_init(&l->places);
	htab_init(&l->entries, MEM_PROTO);
	l->seed = hash_seed_random();
	timer_init(&l->retry, &l->worker, retry_fires);
	tern_worker_start(t);
	worker_start(&l->worker, &listener_ops, WORKER_TABLE, "bgp listen");
	store_release_ptr(&t->listener, l); /* pairs: BLISTEN */
	return l;
}
