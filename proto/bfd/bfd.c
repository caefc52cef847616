/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of protocol bfd: the commands of control, and the set of sessions.
 *
 * I1  A session exists while a protocol requests the session, or while the interface of
 *     its configured `neighbor` exists.
 * I2  The oldest request sets the parameters of the session; the instance's `interface`
 *     or `multihop` sets parameters that the request leaves open, or all without a
 *     request.
 *
 * Loop: the instance's. Tested by test/net/test_bfd.py. */
#include "proto/bfd/bfd.h"

#include "lib/crypto/entropy.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "nest/bfd/bfd_place.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/iface/iface.h"
#include "sysdep/log/log_class.h"
#include "sysdep/os/clock.h"

#include <stdarg.h>
#include <stdio.h>

#define RETRY_NS NS_PER_S

static struct bfd_proto *
bfd_of(struct proto *p)
{
	return container_of(p, struct bfd_proto, p);
}

/* ---- sessions that are wanted ---- */

static struct bfd_session *
bfd_session_of(struct list *n)
{
	return container_of(n, struct bfd_session, link);
}

static struct bfd_session *
bfd_session_get(struct bfd_proto *b, const struct bfd_place *place)
{
	struct bfd_session *s = bfd_find_place(b, place);

	if (s && !s->leave_ns)
		return s;
	if (s)
		bfd_session_free(s);
	return bfd_session_new(b, place);
}

/* bfd_drop - if nobody wants it any more (I1). */
static void
bfd_drop(struct bfd_session *s)
{
	if (list_empty(&s->asks) && !s->configured)
		bfd_session_leave(s);
}

static void
bfd_show_asks(struct bfd_session *s)
{
	struct list *n;
	uint32_t cnt = 0;

	list_for_each (n, &s->asks)
		cnt++;
	store_relaxed32(&s->shown->asks, cnt);
}

/* bfd_take_ask - TAKE the call's reference and options. */
static void
bfd_take_ask(struct bfd_proto *b, struct bfd_call *c)
{
	struct bfd_ask *a = bfd_ask_ref(c->ask);
	struct bfd_session *s = bfd_session_get(b, &a->place);

	a->session_opts = c->opts;
	c->opts = NULL;
	a->session = s;
	list_add_tail(&s->asks, &a->link);
	bfd_session_opts(s);
	bfd_session_notify(s, a);
	bfd_show_asks(s);
}

static void
bfd_take_opts(struct bfd_call *c)
{
	struct bfd_ask *a = c->ask;
	struct bfd_opts *old = a->session_opts;

	if (!a->session)
		return; /* the message GONE is under way */
	a->session_opts = c->opts;
	c->opts = NULL;
	bfd_session_opts(a->session);
	mem_free(MEM_PROTO, old);
}

static void
bfd_release(struct bfd_ask *a)
{
	struct bfd_session *s = a->session;

	list_del(&a->link);
	list_init(&a->link);
	bfd_session_opts(s); /* before its options go */
	bfd_show_asks(s);
	bfd_ask_gone(a);
	bfd_drop(s);
}

static void
bfd_take(struct bfd_proto *b, struct bfd_call *c)
{
	switch ((enum bfd_call_kind)c->kind) {
	case BFD_CALL_ASK:
		bfd_take_ask(b, c);
		break;
	case BFD_CALL_OPTS:
		bfd_take_opts(c);
		break;
	case BFD_CALL_LEAVE:
		if (c->ask->session)
			bfd_release(c->ask);
		break;
	}
}

/* bfd_neighbors - sessions of the configuration. */
static void
bfd_neighbors(struct bfd_proto *b)
{
	const struct iface_list *l = iface_list_get(&b->p.tern->ifaces);
	const struct bfd_neighbor_conf *c = bfd_conf_of(b)->neighbor;
	struct list *n, *tmp;

	list_for_each (n, &b->sessions)
		bfd_session_of(n)->configured = false;
	for (; c; c = c->next) {
		struct bfd_place place = {
			.peer = c->peer, .local = c->local, .multihop = c->multihop
		};
		struct bfd_session *s;

		if (!c->multihop && !bfd_place_find(&place, l, c->ifname, false))
			continue;
		s = bfd_session_get(b, &place);
		s->configured = true;
		bfd_session_opts(s);
	}
	list_for_each_safe (n, tmp, &b->sessions)
		bfd_drop(bfd_session_of(n));
}

/* bfd_flush - send what the sessions have to say, and publish changed sessions in the
 * next round. */
static void
bfd_flush(struct bfd_proto *b)
{
	bfd_out_flush(b);
	worker_again(&b->p.worker);
}

/* ---- up and down ---- */

static void
bfd_listen_again(struct timer *t)
{
	struct bfd_proto *b = container_of(t, struct bfd_proto, retry);

	if (!bfd_ports_open(b))
		timer_set(t, bfd_now(b) + RETRY_NS);
}

static void
bfd_say_priority(struct bfd_proto *b)
{
	if (b->said_priority)
		return;
	b->said_priority = true;
	if (!worker_is_real_time(&b->p.worker))
		proto_log(&b->p, LOG_C_WARN,
		    "Real-time priority is not available: sessions may be lost while the "
		    "machine is busy");
}

static void
bfd_up(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);

	bfd_say_priority(b);
	bfd_listen_again(&b->retry);
	b->service = bfd_service_new(&b->p, bfd_conf_takes(bfd_conf_of(b)));
	if (bfd_service_add(b->p.tern, b->service)) {
		proto_log(&b->p, LOG_C_ERR,
		    "Too many instances of BFD: no session will use this instance");
	}
	bfd_neighbors(b);
	bfd_flush(b);
}

static bool
bfd_down(struct proto *p, const struct proto_cmd *cmd)
{
	struct bfd_proto *b = bfd_of(p);
	struct list *n, *tmp;

	(void)cmd;
	/* first, so that the released protocols do not request sessions again */
	bfd_service_remove(p->tern, b->service);
	b->service = NULL;
	list_for_each_safe (n, tmp, &b->sessions) {
		struct bfd_session *s = bfd_session_of(n);

		/* the session stays until its last request is released */
		s->configured = true;
		while (!list_empty(&s->asks))
			bfd_release(container_of(s->asks.next, struct bfd_ask, link));
		bfd_session_leave(s);
	}
	bfd_show_put(b); /* nobody finds the service any more, either */
	timer_cancel(&b->retry);
	bfd_ports_close(b);
	bfd_flush(b);
	return true;
}

/* bfd_leave - no session waits for the end of its detection time. */
static void
bfd_leave(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &b->leaving)
		bfd_session_end(bfd_session_of(n));
	bfd_flush(b);
	proto_detach(p);
}

static bool
bfd_run(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);
	struct bfd_call *c = b->service ? bfd_service_take(b->service) : NULL, *next;

	for (; c; c = next) {
		next = bfd_call_next(c);
		bfd_take(b, c);
		bfd_call_free(c);
	}
	bfd_out_flush(b);
	if (b->service && b->sessions_changed)
		bfd_show_list(b);
	return false;
}

/* ---- commands ---- */

static void
bfd_reconf(struct proto *p, struct proto_cmd *cmd)
{
	struct bfd_proto *b = bfd_of(p);
	struct list *n;

	proto_life_adopt(p, cmd);
	/* keys of sessions lie in the old configuration */
	list_for_each (n, &b->leaving)
		bfd_session_opts(bfd_session_of(n));
	list_for_each (n, &b->sessions)
		bfd_session_opts(bfd_session_of(n));
	if (proto_life_is_up(p))
		bfd_neighbors(b);
	bfd_flush(b);
}

/* bfd_follow - if the local address of @s is gone from the interface, move @s to another
 * fitting address. */
static void
bfd_follow(struct bfd_session *s, const struct iface_list *l, const struct iface *i)
{
	struct bfd_place place = { .peer = s->place.peer, .local = IP_NONE };

	for (uint32_t k = 0; k < i->addr_cnt; k++)
		if (ip_equal(i->addr[k].local, s->place.local))
			return;
	if (bfd_place_find(&place, l, i->name, false))
		bfd_session_move(s, place.local);
}

/* bfd_ifaces - update the neighbours after a change of interfaces; a session on a missing
 * interface has no path. */
static void
bfd_ifaces(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);
	const struct iface_list *l = iface_list_get(&p->tern->ifaces);
	struct list *n;

	if (!proto_life_is_up(p))
		return;
	bfd_neighbors(b);
	list_for_each (n, &b->sessions) {
		struct bfd_session *s = bfd_session_of(n);
		const struct iface *i = iface_by_index(l, s->place.ifindex);

		if (!s->place.multihop && i && i->flags & IFF_UP)
			bfd_follow(s, l, i);
		if (s->place.multihop || (i && i->flags & IFF_UP))
			bfd_session_opts(s);
		else if (s->state != BFD_DOWN)
			bfd_session_event(s, BFD_EV_PATH);
	}
	bfd_flush(b);
}

/* ---- life ---- */

static void
bfd_start(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);

	timer_init(&b->wake, &p->worker, bfd_timers);
	timer_init(&b->retry, &p->worker, bfd_listen_again);
	for (unsigned i = 0; i < BFD_PORTS; i++) {
		b->port[i].v4 = !(i & 1);
		bfd_in_init(&b->port[i].in, b, i & 2);
	}
	b->random = entropy_u64();
}

static void
bfd_make(struct proto *p, const struct conf_proto *cf)
{
	struct bfd_proto *b = bfd_of(p);

	(void)cf;
	list_init(&b->sessions);
	list_init(&b->leaving);
	list_init(&b->socks);
	htab_init(&b->by_mine, MEM_PROTO);
	htab_init(&b->by_place, MEM_PROTO);
	heap_init(&b->timers, MEM_PROTO);
}

static void
bfd_free(struct proto *p)
{
	struct bfd_proto *b = bfd_of(p);

	htab_fini(&b->by_mine);
	htab_fini(&b->by_place);
	heap_fini(&b->timers);
}

const struct proto_class bfd_proto_class = {
	.conf = &bfd_conf_class,
	.outward = true,
	.size = sizeof(struct bfd_proto),
	.make = bfd_make,
	.start = bfd_start,
	.run = bfd_run,
	.command = proto_life_command,
	.life = { .up = bfd_up,
	    .down = bfd_down,
	    .reconf = bfd_reconf,
	    .leave = bfd_leave },
	.ifaces = bfd_ifaces,
	.free = bfd_free,
	.show.all = bfd_reply,
	.real_time = true,
};
