/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A station: the connection, and the turns of the station.
 *
 * Loop: the instance's. Tested by test/net/test_bmp.py. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/proto.h"
#include "nest/monitor/monitor.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/clock.h"
#include "sysdep/sock/sock_io.h"
#include "sysdep/sock/sock_opt.h"

#include <errno.h>
#include <string.h>

#define SETTLE_NS (5 * NS_PER_MS)
/* a station that accepted no octet for this time does not hold back the Adj-RIB-Out
 * routes of other stations */
#define KEPT_NS (3 * NS_PER_S)

/* ---- the connection ---- */

static struct bmp_station *
bmp_station_of_sock(struct sock_tcp *s)
{
	return container_of(s, struct bmp_station, sock);
}

/* bmp_station_flush - send until the kernel takes no more: the connection may be closed
 * next, and half a Termination is useless to the station. */
static void
bmp_station_flush(struct bmp_station *st)
{
	ssize_t n;

	if (st->out.pos == st->out.len)
		return;
	do {
		n = sock_send(sock_tcp_fd(&st->sock), st->out.at + st->out.pos,
		    st->out.len - st->out.pos);
		if (n > 0) {
			st->out.pos += (uint32_t)n;
			st->took_ns = loop_now_ns(&st->bmp->p.worker);
			counter64_bump(&st->counts.sent_octets, (uint64_t)n);
		}
	} while (n > 0 && st->out.pos < st->out.len);
	/* an error is found by reading */
	sock_tcp_want(&st->sock, true, st->out.pos < st->out.len);
}

/* station_go_down - the connection ended: void the state of all sessions at the station.
 */
static void
station_go_down(struct bmp_station *st)
{
	st->up = false;
	store_relaxed32(&st->counts.is_up, 0);
	store_relaxed32(&st->slow, 0);
	sock_tcp_close(&st->sock);
	bmp_ribs_stop(st);
	bmp_walk_end(st);
	bmp_items_clear(st);
	bmp_forget_all(st);
	mem_free(MEM_PROTO, st->again.life);
	st->again.life = NULL;
	st->again.cnt = st->again.cap = 0;
	st->wanted.all = st->wanted.walk = false;
	mem_free(MEM_PROTO, st->out.at);
	st->out.at = NULL;
	st->out.pos = st->out.len = st->out.cap = 0;
}

static void
bmp_station_lost(struct bmp_station *st, const char *why)
{
	const struct bmp_place *pl = &bmp_conf_of(st->bmp)->station[st->nr];
	char text[IP_STR_MAX];

	if (!st->said) /* one log line for all retries */
		proto_log(&st->bmp->p, LOG_C_REMOTE, "Station %s port %u: %s",
		    ip_str(text, pl->ip), pl->port, why);
	st->said = true;
	station_go_down(st);
	timer_set(&st->retry,
	    loop_now_ns(&st->bmp->p.worker) + bmp_conf_of(st->bmp)->retry_s * NS_PER_S);
	bmp_note(st->bmp);
}

static void
bmp_station_connected(struct sock_tcp *s, int err)
{
	struct bmp_station *st = bmp_station_of_sock(s);
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);
	struct wbuf w;

	if (err) {
		bmp_station_lost(st, strerror(-err));
		return;
	}
	st->up = true;
	st->said = false;
	store_relaxed32(&st->counts.is_up, 1);
	counter64_bump(&st->counts.connects, 1);
	st->stats_ns = loop_now_ns(&st->bmp->p.worker) + cf->stats_s * NS_PER_S;
	bmp_forget_all(st);
	w = bmp_out(st, 1024);
	bmp_initiation_put(&w, cf->sys_descr ? cf->sys_descr : "tern " TERN_VERSION,
	    cf->sys_name ? cf->sys_name : st->bmp->hostname);
	bmp_out_end(st, &w, 1);
	sock_tcp_want(&st->sock, true, true);
	bmp_ribs_look(st);
	bmp_ribs_start(st);
	bmp_note(st->bmp);
	worker_again(&st->bmp->p.worker);
}

/* bmp_station_readable - stations have nothing to say. */
static void
bmp_station_readable(struct sock_tcp *s)
{
	uint8_t buf[1024];
	ssize_t n;

	while ((n = sock_tcp_read(s, buf, sizeof(buf))) > 0)
		;
	if (n < 0)
		bmp_station_lost(bmp_station_of_sock(s),
		    n == -EPIPE ? "connection closed" : strerror((int)-n));
}

static void
bmp_station_writable(struct sock_tcp *s)
{
	bmp_station_flush(bmp_station_of_sock(s));
	worker_again(&bmp_station_of_sock(s)->bmp->p.worker);
}

static void
bmp_station_failed(struct sock_tcp *s, int err)
{
	bmp_station_lost(bmp_station_of_sock(s), strerror(-err));
}

static const struct sock_tcp_ops sock_ops = {
	.connected = bmp_station_connected,
	.readable = bmp_station_readable,
	.writable = bmp_station_writable,
	.failed = bmp_station_failed,
};

static void
bmp_station_dial(struct timer *t)
{
	struct bmp_station *st = container_of(t, struct bmp_station, retry);
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);
	const struct bmp_place *pl = &cf->station[st->nr];
	struct sock_tcp_dial d = { .local = { .addr = cf->local_ip },
		.remote = { .addr = pl->ip, .port = (uint16_t)pl->port } };
	int err = sock_tcp_connect(&st->sock, &d);

	if (err)
		bmp_station_lost(st, strerror(-err));
}

void
bmp_station_start(struct bmp_station *st, struct bmp_proto *b, unsigned nr)
{
	/* counters stay, because other threads read them; station_go_down reset the rest
	 */
	st->bmp = b;
	st->nr = nr;
	st->view_nr = 0;
	st->changed = st->wanted.walk = st->said = false;
	list_init(&st->ribs);
	htab_init(&st->lives, MEM_PROTO);
	sock_tcp_init(&st->sock, &b->p.worker, &sock_ops);
	timer_init(&st->retry, &b->p.worker, bmp_station_dial);
	timer_set(&st->retry, 0);
}

void
bmp_station_stop(struct bmp_station *st, bool terminate)
{
	if (st->up && terminate) {
		struct wbuf w = bmp_out(st, 64);

		bmp_termination_put(&w, BMP_TERM_ADMIN, NULL);
		bmp_out_end(st, &w, 1);
		bmp_station_flush(st);
	}
	station_go_down(st);
	timer_cancel(&st->retry);
	bmp_ribs_leave(st);
	htab_fini(&st->lives);
}

/* ---- turns ---- */

uint64_t
bmp_station_kept(const struct bmp_station *st, uint64_t now_ns)
{
	return st->up && now_ns < st->took_ns + KEPT_NS ? st->queue.octets : 0;
}

bool
bmp_station_run(struct bmp_station *st)
{
	bool more = false;

	if (!st->up)
		return false;
	if (load_relaxed32(&st->slow)) {
		bmp_station_lost(st, "the station doesn't take our messages");
		return false;
	}
	if (bmp_room(st))
		bmp_reconcile(st);
	more |= bmp_items_send(st);
	if (!st->walk.on && st->wanted.walk)
		bmp_walk_begin(st);
	if (st->walk.on && bmp_room(st))
		more |= bmp_walk_step(st);
	if (st->wanted.all)
		bmp_ribs_all(st);
	else if (st->again.cnt)
		bmp_ribs_again(st);
	st->wanted.all = false;
	st->again.cnt = 0;
	if (st->wanted.ends && bmp_ends_look(st))
		timer_set(&st->bmp->soon, loop_now_ns(&st->bmp->p.worker) + SETTLE_NS);
	more |= bmp_ribs_run(st);
	more |= !bmp_room(st); /* writing may have made room in the buffer */
	bmp_station_flush(st);
	return more && bmp_room(st);
}

void
bmp_station_tick(struct bmp_station *st)
{
	uint32_t every_s = bmp_conf_of(st->bmp)->stats_s;
	uint64_t now = loop_now_ns(&st->bmp->p.worker);

	if (!st->up)
		return;
	bmp_ribs_look(st);
	if (every_s && now >= st->stats_ns && bmp_room(st)) {
		st->stats_ns = now + every_s * NS_PER_S;
		bmp_stats_put(st);
	}
	if (st->out.pos < st->out.len)
		worker_again(&st->bmp->p.worker); /* send the octets in the next turn */
}
