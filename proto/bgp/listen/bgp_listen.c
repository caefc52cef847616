/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener's worker.
 *
 * I1  An entry is in the hash from JOIN to LEAVE of its instance. The instance's worker
 *     does not stop before the answer to LEAVE, so messages can be posted to every found
 *     instance.
 * I2  Each instance joins and leaves by messages of one sender, so the messages arrive in
 *     order.
 * I3  A message to the listener releases the last reference, and no message follows. The
 *     pointer in struct tern is cleared before the worker's memory waits for its grace
 *     period.
 * I4  A peer with a password, or with keys, is accepted only while the kernel checks the
 *     signature.
 * I5  Recurring events, including events that a stranger can cause, are logged at a
 *     bounded rate.
 * I6  At most one connection is on the way to an instance, so the inbox of a slow worker
 *     holds no further connections. The listener refuses further connections, as the
 *     instance would refuse the connections after the first.
 * I7  A connection whose SYN comes from farther away than ttl security permits reaches no
 *     instance, creates no member of a range, and ends no session (bgp_listen_near.c).
 * I8  A link-local address belongs to an interface, known by name; a VRF is known by name
 *     as well. The interface or VRF may appear later, disappear, and return with another
 *     number. The listener checks every PLACE_RETRY_NS.
 *
 * Loop: the listener's worker. */
#include "proto/bgp/listen/bgp_listen.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/daemon/members.h"
#include "nest/conf/conf_member.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/listen/bgp_entries.h"
#include "proto/bgp/listen/bgp_listen_priv.h"
#include "proto/bgp/listen/bgp_place.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/os/fd.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_ao.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/sock/sock_opt.h"
#include <errno.h>
#include <net/if.h>
#include <string.h>

/* The request of an instance. */
struct ask {
	struct msg msg;
	struct bgp_session *s;
	struct sock_end end;
	char *iface, *vrf, *remote_iface;
	struct prefix peer;
	bool is_range, by_iface;
	struct ip_addr local;
	bool free_bind;
	uint8_t min_ttl;
	char *key;
	struct sock_ao *ao;
};

/* An accepted connection on its way to the instance. */
struct listen_accepted {
	struct msg msg;
	struct bgp_session *s;
	struct os_fd fd;
	struct ip_addr local;
};

static struct ask *
listen_ask_of(struct msg *m)
{
	return container_of(m, struct ask, msg);
}

static void
listen_ask_free(struct ask *a)
{
	mem_free(MEM_PROTO, a->iface);
	mem_free(MEM_PROTO, a->vrf);
	mem_free(MEM_PROTO, a->remote_iface);
	mem_free(MEM_PROTO, a->ao);
	mem_free(MEM_PROTO, a);
}

/* ---- sockets ---- */

void
bgp_listen_refuse(struct os_fd fd, const struct tern *t)
{
	struct bgp_notify n = { BGP_E_CEASE, BGP_EC_REJECTED, 0, NULL };
	uint8_t buf[64], drop[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (load_relaxed32(&t->recovery.leaves) || recovery_held(&t->recovery)) {
		fd_close(fd);
		return;
	}
	bgp_notify_encode(&w, &n);
	sock_send(fd, buf, wbuf_len(&w));
	sock_shut_write(fd);
	sock_recv(fd, drop, sizeof(drop));
	fd_close(fd);
}

static void
bgp_listen_handle_accepted(struct worker *w, struct msg *m)
{
	struct listen_accepted *o = container_of(m, struct listen_accepted, msg);

	(void)w;
	counter32_sub_acq_rel(&o->s->enlisted.accepting, 1); /* I6 */
	o->s->enlisted.accept(o->s, o->fd, o->local);
	mem_free(MEM_PROTO, o);
}

/* listen_send_guest - post a connection to the control worker, which finds or creates an
 * instance. The control worker receives the message before the end of the range's
 * instance, because the instance ends after it has left the listener (I1). */
static void
listen_send_guest(struct bgp_listener *l, struct bgp_entry *e, struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	const struct iface_list *ifaces = iface_list_get(&l->tern->ifaces);
	const char *iface = bgp_iface_of(&l->tern->ifaces, remote);
	struct proto_guest *g;

	if (counter32_get(&e->s->p.guests) >= PROTO_GUESTS_MAX) {
		bgp_listen_refuse(fd, l->tern);
		return;
	}
	if (!iface && e->by_iface) {
		const struct iface *i = bgp_link_neigh(ifaces, NULL, remote->addr);

		iface = i ? i->name : NULL;
	}
	counter32_add(&e->s->p.guests, 1);
	g = mem_zalloc(MEM_PROTO, sizeof(*g));
	g->host = &e->s->p;
	g->addr = remote->addr;
	g->iface = iface ? mem_strdup(MEM_PROTO, iface) : NULL;
	g->local = local->addr;
	g->fd = fd;
	tern_guest(l->tern, g);
}

struct bgp_entry *
bgp_listen_find(struct bgp_listener *l, const struct bgp_place *p,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct bgp_entry *e = bgp_entries_find(&l->entries, p, remote, local->addr);

	return e ? e : bgp_entries_range(&l->entries, p, remote, local->addr);
}

void
bgp_listen_give(struct bgp_listener *l, struct bgp_entry *e, TAKE struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct listen_accepted *o;

	if (e->is_range) {
		listen_send_guest(l, e, fd, remote, local);
		return;
	}
	if (counter32_get(&e->s->enlisted.accepting)) { /* I6 */
		bgp_listen_refuse(fd, l->tern);
		return;
	}
	counter32_add(&e->s->enlisted.accepting, 1);
	o = mem_zalloc(MEM_PROTO, sizeof(*o));
	o->msg.handle = bgp_listen_handle_accepted;
	o->s = e->s;
	o->fd = fd;
	o->local = local->addr;
	worker_post(&e->s->p.worker, &o->msg); /* I1 */
}

static void
bgp_listen_accepted(struct sock_listen *sl, struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct bgp_place *p = container_of(sl, struct bgp_place, sock);
	struct bgp_listener *l = listener_of(p->all->worker);
	struct bgp_entry *e = bgp_listen_find(l, p, remote, local);

	if (!e || e->key_err) {
		bgp_listen_unwanted(l, e, p, remote, local);
		bgp_listen_refuse(fd, l->tern);
		return;
	}
	if (!bgp_listen_is_near(l, e, fd, remote)) {
		fd_close(fd);
		return;
	}
	bgp_listen_give(l, e, fd, remote, local);
}

/* listen_retry_later - start the retry timer unless the timer runs. */
static void
listen_retry_later(struct bgp_listener *l)
{
	if (!timer_active(&l->retry))
		timer_set(&l->retry, loop_now_ns(&l->worker) + PLACE_RETRY_NS);
}

/* listen_cant_protect - log the failure. */
static void
listen_cant_protect(const struct bgp_entry *e)
{
	char text[PREFIX_STR_MAX];

	log_msg(LOG_C_ERR, "BGP: Can't set the %s for %s: %s%s",
	    e->ao ? "keys of TCP-AO" : "password",
	    e->is_range ? prefix_str(text, &e->peer) : ip_str(text, e->peer.addr),
	    e->ao ? sock_ao_error(e->key_err) : strerror(-e->key_err),
	    e->key_err == -ENOMEM ? " (net.core.optmem_max limits how many)" : "");
}

/* bgp_listen_protect - set the password or keys of @e in the kernel, if any; the socket
 * has none of the entry's keys. */
static void
bgp_listen_protect(struct bgp_listener *l, struct bgp_entry *e)
{
	int old = e->key_err;

	if (!e->key && !e->ao)
		return;
	e->key_err = e->ao ? bgp_place_keys(e->place, &e->peer, NULL, e->ao)
			   : bgp_place_key(e->place, &e->peer, e->key);
	if (!e->key_err)
		return;
	listen_retry_later(l);
	if (e->key_err != old)
		listen_cant_protect(e);
}

/* listen_change_keys - those of @e were @old until now. */
static void
listen_change_keys(struct bgp_listener *l, struct bgp_entry *e, const struct sock_ao *old)
{
	e->key_err = bgp_place_keys(e->place, &e->peer, old, e->ao);
	if (!e->key_err)
		return;
	listen_retry_later(l);
	listen_cant_protect(e);
}

/* listen_publish_errors - @place_err, @key_err: negative errno, or 0. */
static void
listen_publish_errors(struct bgp_session *s, int place_err, int key_err)
{
	store_relaxed32(&s->enlisted.place_err, (uint32_t)-place_err);
	store_relaxed32(&s->enlisted.key_err, (uint32_t)-key_err);
}

static void
listen_notify_state(void *arg, struct bgp_entry *e)
{
	const struct bgp_place *p = e->place;

	(void)arg;
	listen_publish_errors(e->s, p->sock.open ? 0 : p->err, e->key_err);
}

static void
listen_protect_again(void *arg, struct bgp_entry *e)
{
	if (e->place->tried || e->key_err)
		bgp_listen_protect(arg, e);
}

/* listen_again - open closed places, and set passwords that the kernel does not check
 * yet. */
static void
listen_again(struct bgp_listener *l, bool moving)
{
	struct list *n;

	list_for_each (n, &l->places.list) {
		struct bgp_place *p = container_of(n, struct bgp_place, link);

		p->tried = p->users && !p->sock.open;
		if (p->tried && bgp_place_open(p, moving))
			listen_retry_later(l);
	}
	bgp_entries_each(&l->entries, listen_protect_again, l);
	bgp_entries_each(&l->entries, listen_notify_state, NULL);
}

static void
bgp_listen_retry_fires(struct timer *t)
{
	struct bgp_listener *l = container_of(t, struct bgp_listener, retry);
	struct list *n;

	list_for_each (n, &l->places.list) {
		struct bgp_place *p = container_of(n, struct bgp_place, link);

		if (!p->users || (!p->iface && !p->vrf))
			continue;
		bgp_place_renew(p); /* I8 */
		listen_retry_later(l);
	}
	listen_again(l, false);
}

/* ---- what instances ask ---- */

static void
listen_handle_join(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = listen_ask_of(m);
	struct bgp_entry *e = mem_zalloc(MEM_PROTO, sizeof(*e));

	e->place = bgp_place_get(&l->places, &a->end, a->iface, a->vrf, a->free_bind);
	a->iface = a->vrf = NULL;
	if (!e->place->users++ && bgp_place_open(e->place, true))
		listen_retry_later(l);
	e->s = a->s;
	e->peer = a->peer;
	e->is_range = a->is_range;
	e->by_iface = a->by_iface;
	e->iface = a->remote_iface;
	a->remote_iface = NULL;
	e->local = a->local;
	e->min_ttl = a->min_ttl;
	e->key = a->key;
	e->ao = a->ao;
	a->ao = NULL;
	bgp_entries_add(&l->entries, e);
	bgp_listen_protect(l, e);
	listen_notify_state(NULL, e);
	listen_ask_free(a);
}

/* listen_protect_as - set the password of @x, if any. */
static bool
listen_protect_as(void *arg, struct bgp_entry *x)
{
	const struct bgp_entry *gone = arg;

	if ((!x->key && !x->ao) || x->place != gone->place)
		return false;
	if (x->ao && gone->ao) {
		listen_change_keys(listener_of(x->place->all->worker), x, gone->ao);
		listen_notify_state(NULL, x);
	} else
		bgp_listen_protect(listener_of(x->place->all->worker), x);
	return true;
}

/* bgp_listen_unprotect - @e has gone. The kernel has one key for equal peers at a socket:
 * the key of another entry replaces the key of @e without a gap. */
static void
bgp_listen_unprotect(struct bgp_listener *l, struct bgp_entry *e)
{
	if (bgp_entries_like(&l->entries, e, listen_protect_as, e))
		return;
	if (e->ao)
		(void)!bgp_place_keys(e->place, &e->peer, e->ao, NULL);
	else
		(void)!bgp_place_key(e->place, &e->peer, NULL);
}

static void
bgp_listen_entry_free(struct bgp_listener *l, struct bgp_entry *e)
{
	struct bgp_place *p = e->place;

	if (e->key || e->ao)
		bgp_listen_unprotect(l, e);
	if (!--p->users && p->sock.open) {
		sock_listen_close(&p->sock);
		listen_again(l, true); /* it may have been in their way */
	}
	mem_free(MEM_PROTO, e->key);
	mem_free(MEM_PROTO, e->ao);
	mem_free(MEM_PROTO, e->iface);
	mem_free(MEM_PROTO, e);
}

static void
listen_handle_left(struct worker *w, struct msg *m)
{
	struct bgp_session *s = listen_ask_of(m)->s;

	(void)w;
	listen_ask_free(listen_ask_of(m));
	s->enlisted.leaving = false;
	listen_publish_errors(s, 0, 0);
	bgp_listen_join(s); /* the instance was enabled again meanwhile, perhaps */
	session_soon(s);
}

static void
listen_handle_leave(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = listen_ask_of(m);
	struct bgp_entry *e = bgp_entries_of(&l->entries, a->peer.addr, a->s);

	if (e) {
		bgp_entries_del(&l->entries, e);
		bgp_listen_entry_free(l, e);
	}
	a->msg.handle = listen_handle_left;
	worker_post(&a->s->p.worker, m);
}

/* listen_handle_rekey - what is on goes on: new keys come before old ones go. */
static void
listen_handle_rekey(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	struct ask *a = listen_ask_of(m);
	struct bgp_entry *e = bgp_entries_of(&l->entries, a->peer.addr, a->s);
	struct sock_ao *old = e ? e->ao : NULL;

	if (old) {
		e->ao = a->ao;
		a->ao = old;
		if (e->key_err)
			bgp_listen_protect(l, e);
		else
			listen_change_keys(l, e, old);
		listen_notify_state(NULL, e);
	}
	listen_ask_free(a);
}

static void
listen_handle_put(struct worker *w, struct msg *m)
{
	struct bgp_listener *l = listener_of(w);
	void *self = l;

	listen_ask_free(listen_ask_of(m));
	if (counter32_sub_acq_rel(&l->refs, 1) != 1)
		return;
	cas_acq_rel_ptr(&l->tern->listener, &self, NULL); /* I3 */
	worker_stop(w);
}

static void
bgp_listen_ask(struct bgp_listener *l, struct bgp_session *s,
    void (*handle)(struct worker *w, struct msg *m))
{
	struct ask *a = mem_zalloc(MEM_PROTO, sizeof(*a));

	a->msg.handle = handle;
	a->s = s;
	if (s) {
		const struct bgp_conf *cf = session_conf(s);
		enum family fam = family_of_ip(cf->id.remote_ip);
		bool v4;

		a->peer = cf->dynamic.has_range
			      ? cf->dynamic.range
			      : prefix_make(cf->id.remote_ip, family_bits(fam), fam);
		a->is_range = cf->dynamic.has_range;
		a->by_iface = cf->id.iface || cf->dynamic.iface_range;
		if (ip_is_link_local(cf->id.remote_ip) && cf->id.iface)
			a->remote_iface = mem_strdup(MEM_PROTO, cf->id.iface);
		v4 = ip_is_v4(a->peer.addr);
		a->local = cf->id.local_ip;
		a->free_bind = cf->tcp.free_bind;
		a->min_ttl = bgp_conf_min_ttl(cf);
		a->end.port = cf->id.local_port;
		a->end.addr = cf->tcp.strict_bind ? cf->id.local_ip
			      : v4                ? ip4(0)
						  : IP_NONE;
		if (ip_is_link_local(a->end.addr) && cf->id.iface)
			a->iface = mem_strdup(MEM_PROTO, cf->id.iface);
		if (cf->id.vrf)
			a->vrf = mem_strdup(MEM_PROTO, cf->id.vrf);
		if (handle == listen_handle_join && cf->auth.method == BGP_AUTH_MD5 &&
		    cf->auth.password)
			a->key = mem_strdup(MEM_PROTO, cf->auth.password);
	}
	if (s && handle != listen_handle_leave &&
	    session_conf(s)->auth.method == BGP_AUTH_AO) {
		a->ao = mem_alloc(MEM_PROTO, sizeof(*a->ao));
		*a->ao = session_conf(s)->auth.ao;
	}
	worker_post(&l->worker, &a->msg);
}

void
bgp_listen_join(struct bgp_session *s)
{
	if (!proto_life_wanted(&s->p) || s->enlisted.registered || s->enlisted.leaving)
		return; /* listen_handle_left comes back here */
	bgp_listen_ask(s->enlisted.listener, s, listen_handle_join);
	s->enlisted.registered = true;
}

void
bgp_listen_leave(struct bgp_session *s)
{
	if (!s->enlisted.registered)
		return;
	bgp_listen_ask(s->enlisted.listener, s, listen_handle_leave);
	s->enlisted.registered = false;
	s->enlisted.leaving = true;
}

void
bgp_listen_rekey(struct bgp_session *s)
{
	bgp_listen_ask(s->enlisted.listener, s, listen_handle_rekey);
}

void
bgp_listener_put(struct bgp_listener *l)
{
	bgp_listen_ask(l, NULL, listen_handle_put);
}

/* ---- its life ---- */

static void
listen_listener_gone(struct worker *w)
{
	struct bgp_listener *l = listener_of(w);
	struct tern *t = l->tern;

	bgp_places_fini(&l->places);
	bgp_entries_fini(&l->entries);
	mem_free(MEM_PROTO, l);
	tern_worker_gone(t);
}

static const struct worker_ops listener_ops = { .gone = listen_listener_gone };

uint64_t
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
	l->places.accepted = bgp_listen_accepted;
	l->places.none = t->dry_run;
	bgp_entries_init(&l->entries, &t->ifaces);
	timer_init(&l->retry, &l->worker, bgp_listen_retry_fires);
	tern_worker_start(t);
	worker_start(&l->worker, &listener_ops, WORKER_TABLE, "bgp listen");
	store_release_ptr(&t->listener, l); /* pairs: BLISTEN */
	return l;
}
