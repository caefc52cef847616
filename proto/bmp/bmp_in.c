/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance that is a station: the listener, the routers, and the rows for `show`.
 *
 * Loop: the instance's; bmp_in_reply any thread under RCU. Tested by
 * test/net/test_bmp_station.py. */
#include "proto/bmp/bmp_in_priv.h"

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/plural.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "nest/channel/import/many_peers.h"
#include "nest/channel/instance/proto_life.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "proto/bmp/bmp.h"
#include "sysdep/log/log_class.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/sock_opt.h"

#include <stdio.h>
#include <string.h>

#define LOOK_NS NS_PER_S
#define INIT_NS (30 * NS_PER_S) /* a router sends Initiation within this time */

static const struct bmp_conf *
bmp_in_conf_of(const struct bmp_in *in)
{
	return in->p->cf->opt;
}

/* ---- rows for show ---- */

static void
in_free_rows(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct bmp_in_rows, rcu));
}

static void
in_publish_rows(struct bmp_in *in)
{
	struct bmp_in_rows *old = load_relaxed_ptr(&in->rows);
	struct bmp_in_rows *rows = mem_zalloc(
	    MEM_PROTO, sizeof(*rows) + in->router_cnt * sizeof(struct bmp_in_row));
	struct list *n;

	list_for_each (n, &in->routers) {
		const struct bmp_router *r = container_of(n, struct bmp_router, link);
		struct bmp_in_row *row = &rows->at[rows->cnt];

		if (!r->name[0])
			continue;
		rows->cnt++;
		memcpy(row->name, r->name, sizeof(row->name));
		row->addr = r->addr;
		row->up = bmp_router_is_open(r);
		row->peers = htab_cnt(&r->bmp.peers);
		row->msgs = r->bmp.msgs;
		row->bad = r->bad;
	}
	store_release_ptr(&in->rows, rows); /* pairs: BMPROWS */
	if (old)
		rcu_free_later(&old->rcu, in_free_rows);
}

void
bmp_in_note(struct bmp_in *in)
{
	const struct list *n;
	unsigned up = 0;
	char info[96];

	list_for_each (n, &in->routers)
		up += bmp_router_is_open(container_of(n, const struct bmp_router, link));
	in_publish_rows(in);
	if (!proto_life_is_up(in->p))
		return;
	snprintf(info, sizeof(info), "%u router%s, %u peer%s", up, plural(up, "", "s"),
	    in->heard_cnt, plural(in->heard_cnt, "", "s"));
	if (!in->listens)
		snprintf(info, sizeof(info), "Can't listen");
	proto_publish(in->p, in->listens ? PS_UP : PS_START, false, info, NULL);
}

void
bmp_in_reply(const struct bmp_in *in, struct reply *r)
{
	const struct bmp_in_rows *rows = load_acquire_ptr(&in->rows); /* pairs: BMPROWS */

	reply_list(r, "routers");
	for (uint32_t i = 0; rows && i < rows->cnt; i++) {
		const struct bmp_in_row *w = &rows->at[i];

		reply_open(r, NULL);
		reply_str(r, "name", "  Router:           %s\n", w->name);
		reply_ip(r, "address", "    Address:        %s\n", w->addr);
		reply_bool(r, "up", NULL, w->up);
		reply_text(r, "    State:          %s\n", w->up ? "Up" : "Kept");
		reply_u64(r, "peers", "    Peers:          %s\n", w->peers);
		reply_u64(
		    r, "received_messages", "    Received:       %s messages, ", w->msgs);
		reply_u64(r, "not_taken", "%s not taken\n", w->bad);
		reply_close(r);
	}
	reply_close(r);
}

/* ---- routers ---- */

static bool
in_may_come(const struct bmp_conf *cf, struct ip_addr a)
{
	for (uint32_t i = 0; i < cf->allow_cnt; i++)
		if (prefix_has_ip(&cf->allow[i], a))
			return true;
	return !cf->allow_cnt;
}

/* in_make_room - free disconnected routers until a new router fits. */
static void
in_make_room(struct bmp_in *in)
{
	struct list *n, *tmp;

	list_for_each_safe (n, tmp, &in->routers) {
		struct bmp_router *r = container_of(n, struct bmp_router, link);

		if (in->router_cnt < bmp_in_conf_of(in)->max_routers)
			return;
		if (!bmp_router_is_open(r))
			bmp_router_free(r, false);
	}
}

static void
bmp_in_accepted(struct sock_listen *l, struct os_fd fd, const struct sock_end *remote,
    const struct sock_end *local)
{
	struct bmp_in *in = container_of(l, struct bmp_in, listen);
	char text[IP_STR_MAX];

	(void)local;
	if (in_may_come(bmp_in_conf_of(in), remote->addr)) {
		in_make_room(in);
		if (in->router_cnt < bmp_in_conf_of(in)->max_routers) {
			bmp_router_new(in, fd, remote->addr);
			return;
		}
		if (bmp_in_may_log(in, BMP_SAY_STRANGER))
			proto_log(in->p, LOG_C_WARN,
			    "Router at %s is refused: %u router%s connected",
			    ip_str(text, remote->addr), in->router_cnt,
			    plural(in->router_cnt, " is", "s are"));
	}
	fd_close(fd);
}

static void
in_try_listen(struct bmp_in *in)
{
	const struct bmp_place *at = &bmp_in_conf_of(in)->listen;
	struct sock_end local = { .addr = at->ip, .port = (uint16_t)at->port };
	struct sock_conf none = { 0 };
	char text[IP_STR_MAX];
	int err;

	if (in->listens)
		return;
	err = sock_listen_open(
	    &in->listen, &in->p->worker, &local, &none, bmp_in_accepted);
	in->listens = !err;
	if (err)
		proto_log(in->p, LOG_C_ERR, "Can't listen at %s port %u: %s",
		    ip_str(text, at->ip), at->port, strerror(-err));
}

/* bmp_in_look - once a second. */
static void
bmp_in_look(struct timer *t)
{
	struct bmp_in *in = container_of(t, struct bmp_in, look);
	uint64_t now = loop_now_ns(&in->p->worker);
	struct list *n, *tmp;

	timer_set(t, now + LOOK_NS);
	in_try_listen(in);
	list_for_each_safe (n, tmp, &in->routers) {
		struct bmp_router *r = container_of(n, struct bmp_router, link);

		if (!r->bmp.begun && now > r->since_ns + INIT_NS)
			bmp_router_lost(r, "no Initiation in time");
		if (!bmp_router_expire(r, now))
			bmp_router_free(r, false);
	}
	for (unsigned k = 0; k < BMP_SAY_CNT; k++)
		bmp_in_say_rest(in, (enum bmp_say)k, now);
	in->full_said &= in->heard_cnt >= bmp_in_conf_of(in)->max_peers;
	bmp_in_note(in);
}

/* ---- life ---- */

void
bmp_in_up(struct bmp_in *in)
{
	many_peers_up(&in->to);
	in_try_listen(in);
	timer_set(&in->look, loop_now_ns(&in->p->worker) + LOOK_NS);
}

void
bmp_in_down(struct bmp_in *in)
{
	struct list *n, *tmp;

	in->listens = false;
	timer_cancel(&in->look);
	sock_listen_close(&in->listen);
	list_for_each_safe (n, tmp, &in->routers)
		bmp_router_free(container_of(n, struct bmp_router, link), true);
	many_peers_down(&in->to);
	in_publish_rows(in);
}

void
bmp_in_all_anew(struct bmp_in *in)
{
	struct list *n;

	list_for_each (n, &in->routers)
		bmp_router_lost(
		    container_of(n, struct bmp_router, link), "restarted by a command");
}

void
bmp_in_reload(struct bmp_in *in)
{
	if (!many_peers_reload(&in->to))
		bmp_in_all_anew(in);
}

bool
bmp_in_run(struct bmp_in *in)
{
	bool more = many_peers_step(&in->to);
	struct list *n;

	if (many_peers_ready(&in->to))
		list_for_each (n, &in->routers)
			bmp_router_go_on(container_of(n, struct bmp_router, link));
	return more;
}

OWNED struct bmp_in *
bmp_in_make(struct proto *p, const struct conf_proto *cf)
{
	struct bmp_in *in = mem_zalloc(MEM_PROTO, sizeof(*in));

	in->p = p;
	list_init(&in->routers);
	many_peers_make(&in->to, p, cf);
	return in;
}

void
bmp_in_start(struct bmp_in *in)
{
	timer_init(&in->look, &in->p->worker, bmp_in_look);
}

void
bmp_in_free(TAKE struct bmp_in *in)
{
	many_peers_free(&in->to);
	mem_free(MEM_PROTO, load_relaxed_ptr(&in->rows));
	mem_free(MEM_PROTO, in);
}
