/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A station: the connection, the state of each session at the station, and the queue of
 * UPDATEs.
 *
 * I1  No message about a session is sent between its Peer Down and its next Peer Up.
 * I2  UPDATEs wait in one queue, in the order of the sessions' events. An UPDATE that was
 *     queued before the session went down, was reset, or before a walk began, has an old
 *     epoch and is dropped. Each Adj-RIB-Out has an epoch of its own.
 * I3  An UPDATE that does not fit into the queue resets its session at the station: Peer
 *     Down, Peer Up, then all routes from the tables. The other stations are not
 *     affected.
 *
 * Loop: the instance's. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
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

#define TURN_ITEMS 4096
#define SETTLE_NS  (5 * NS_PER_MS)
/* a station that accepted no octet for this time does not hold back the Adj-RIB-Out
 * routes of other stations */
#define KEPT_NS (3 * NS_PER_S)

/* ---- the queue ---- */

static void
item_fini(struct bmp_item *it)
{
	monitor_life_put(it->life);
	monitor_octets_put(it->octets);
}

static void
item_pop(struct bmp_station *st)
{
	struct bmp_item *it = &st->item[st->item_head];

	st->item_octets -= it->octets->len;
	it->who->items--;
	item_fini(it);
	st->item_head = (st->item_head + 1) % st->item_cap;
	st->item_cnt--;
}

/* item_room - the next free place of the ring. A full ring moves into a larger array. */
static struct bmp_item *
item_room(struct bmp_station *st)
{
	if (st->item_cnt == st->item_cap) {
		uint32_t cap = st->item_cap ? 2 * st->item_cap : 64;
		struct bmp_item *at = mem_alloc(MEM_PROTO, cap * sizeof(*at));

		for (uint32_t i = 0; i < st->item_cnt; i++)
			at[i] = st->item[(st->item_head + i) % st->item_cap];
		mem_free(MEM_PROTO, st->item);
		st->item = at;
		st->item_cap = cap;
		st->item_head = 0;
	}
	return &st->item[(st->item_head + st->item_cnt++) % st->item_cap];
}

static void
items_clear(struct bmp_station *st)
{
	while (st->item_cnt)
		item_pop(st);
	mem_free(MEM_PROTO, st->item);
	st->item = NULL;
	st->item_cap = st->item_head = 0;
}

/* set_sent - set the state of each monitored Adj-RIB-Out to @now and void queued
 * UPDATEs. */
static void
set_sent(const struct bmp_station *st, struct bmp_told_who *at, enum bmp_sent now)
{
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);

	at->out[BMP_OUT_POST].sent = cf->out_post ? now : BMP_SENT_OFF;
	at->out[BMP_OUT_PRE].sent = cf->out_pre ? now : BMP_SENT_OFF;
	for (unsigned o = 0; o < BMP_OUT_CNT; o++)
		at->out[o].epoch++;
}

/* out_of - the Adj-RIB-Out that an event of kind @k concerns; NULL: none. */
static struct bmp_told_out *
out_of(struct bmp_told_who *at, enum monitor_kind k)
{
	switch (k) {
	case MON_OUT:
	case MON_OUT_BEGIN:
	case MON_OUT_END:
		return &at->out[BMP_OUT_POST];
	case MON_OFFER:
	case MON_OFFER_BEGIN:
	case MON_OFFER_END:
		return &at->out[BMP_OUT_PRE];
	default:
		return NULL;
	}
}

/* bmp_station_reset - I3. */
static void
bmp_station_reset(struct bmp_station *st, struct bmp_told_who *at)
{
	at->reset = st->changed = true;
	at->whole = false;
	at->epoch++;
	set_sent(st, at, BMP_SENT_WAIT);
}

/* waits_for - true: queue UPDATEs of @w. UPDATEs that are not queued reach the station by
 * a walk, or the station does not want them. */
static bool
waits_for(const struct bmp_station *st, const struct bmp_who *w)
{
	const struct bmp_told_who *at = &w->at[st->nr];

	if (!st->up || at->reset || !bmp_conf_of(st->bmp)->in_pre)
		return false;
	if (!bmp_is_told(w, st))
		return at->whole;
	return at->pre == BMP_PRE_LIVE || at->pre == BMP_PRE_WALK;
}

/* takes_sent - true: queue an Adj-RIB-Out UPDATE. @again: the peer already had the
 * route. */
static bool
takes_sent(const struct bmp_told_out *o, bool again)
{
	return o->sent == BMP_SENT_ALL || (o->sent == BMP_SENT_LIVE && !again);
}

/* sent_news - of an export table of the session. */
static void
sent_news(const struct bmp_station *st, struct bmp_told_out *o, enum monitor_kind k)
{
	bool begins = k == MON_OUT_BEGIN || k == MON_OFFER_BEGIN;

	if (begins && o->sent == BMP_SENT_WAIT && st->up)
		o->sent = BMP_SENT_ALL;
	else if (!begins && o->sent == BMP_SENT_ALL)
		o->sent = BMP_SENT_LIVE;
}

void
bmp_station_take(struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e)
{
	uint64_t max = (uint64_t)bmp_conf_of(st->bmp)->buffer_mb << 20;
	struct bmp_told_who *at = bmp_at(w, st);
	const struct bmp_told_out *o = out_of(at, (enum monitor_kind)e->kind);

	if (o ? !takes_sent(o, e->reason) : !waits_for(st, w))
		return;
	if (st->item_octets + e->octets->len > max) {
		bmp_station_reset(st, at);
		return;
	}
	st->item_octets += e->octets->len;
	w->items++;
	*item_room(st) = (struct bmp_item){ .who = w,
		.life = monitor_life_ref(e->life),
		.octets = monitor_octets_ref(e->octets),
		.time_us = e->time_us,
		.epoch = o ? o->epoch : at->epoch,
		.kind = e->kind };
}

void
bmp_station_who(struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e)
{
	struct bmp_told_who *at = bmp_at(w, st);
	struct bmp_told_out *o = out_of(at, (enum monitor_kind)e->kind);

	if (o) {
		sent_news(st, o, (enum monitor_kind)e->kind);
		return;
	}
	if (e->kind == MON_END) {
		at->ends |= st->up ? e->reason : 0;
		st->ends_wanted |= at->ends != 0;
		return;
	}
	st->changed = true;
	switch (e->kind) {
	case MON_UP:
		at->ends = 0;
		at->whole = st->up && e->reason;
		at->reset = false;
		set_sent(st, at, at->whole ? BMP_SENT_LIVE : BMP_SENT_WAIT);
		break;
	case MON_DOWN:
		at->ends = 0;
		at->whole = at->reset = false;
		at->epoch++;
		set_sent(st, at, BMP_SENT_OFF);
		break;
	default:
		bmp_station_reset(st, at);
		break;
	}
}

/* send_items - write queued UPDATEs into the buffer. Returns: true: call again soon. */
static bool
send_items(struct bmp_station *st)
{
	unsigned cnt = 0;

	while (st->item_cnt && bmp_room(st)) {
		const struct bmp_item *it = &st->item[st->item_head];
		struct bmp_told_who *at = &it->who->at[st->nr];
		const struct bmp_told_out *o = out_of(at, (enum monitor_kind)it->kind);

		if (cnt++ == TURN_ITEMS)
			return true;
		if (at->told == it->life &&
		    (o ? o->epoch : at->epoch) == it->epoch) { /* I2 */
			if (!o && at->pre == BMP_PRE_WALK)
				return false;
			bmp_put_item(st, it);
		}
		item_pop(st);
	}
	return false;
}

/* ---- sessions ---- */

static void
tell_down(struct bmp_station *st, struct bmp_who *w)
{
	struct bmp_told_who *at = bmp_at(w, st);
	struct bmp_peer head = bmp_header(at->told, 0, bmp_now_us());

	if (at->told == w->life)
		bmp_put_down(st, &head, BMP_DOWN_DECONFIGURED, NULL);
	else
		bmp_put_down(st, &head, w->why, w->last);
	htab_del(&st->lives, &at->node);
	at->before = at->told->nr;
	monitor_life_put(at->told);
	at->told = NULL;
	at->pre = BMP_PRE_OFF;
}

/* bmp_station_again - routes of @life may still be in the table unchanged: a table
 * publishes no change if a session returns before its routes were removed. Send the
 * routes again. */
static void
bmp_station_again(struct bmp_station *st, uint32_t life)
{
	st->again = vec_room(
	    MEM_PROTO, st->again, &st->again_cap, st->again_cnt + 1, sizeof(*st->again));
	st->again[st->again_cnt++] = life;
}

static void
tell_up(struct bmp_station *st, struct bmp_who *w)
{
	struct bmp_told_who *at = bmp_at(w, st);

	bmp_put_up(st, w->life);
	at->told = monitor_life_ref(w->life);
	htab_add(&st->lives, &at->node, at->told->nr);
	if (bmp_conf_of(st->bmp)->in_pre) {
		at->pre = at->whole ? BMP_PRE_LIVE : BMP_PRE_WAIT;
		st->walk_wanted |= !at->whole;
	}
	for (unsigned o = 0; o < BMP_OUT_CNT; o++)
		st->out_wanted |= at->out[o].sent == BMP_SENT_WAIT;
	st->all_wanted |= at->skipped || st->skipped;
	if (at->before)
		bmp_station_again(st, at->before);
	counter64_bump(&st->resyncs, at->reset);
	at->skipped = st->skipped = false;
	at->before = 0;
}

void
bmp_reconcile(struct bmp_station *st)
{
	struct list *n;

	if (!st->up || !st->changed)
		return;
	st->changed = false;
	list_for_each (n, &st->bmp->all) {
		struct bmp_who *w = container_of(n, struct bmp_who, link);
		struct bmp_told_who *at = bmp_at(w, st);

		if (at->told && (at->told != w->life || at->reset))
			tell_down(st, w);
		if (w->life && !at->told)
			tell_up(st, w);
		at->reset = false;
	}
	/* the readers run in the next turn, because a reader may be calling now */
	worker_again(&st->bmp->p.worker);
}

/* forget_all - the station knows nothing. */
static void
forget_all(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->bmp->all) {
		struct bmp_told_who *at = bmp_at(
		    container_of(n, struct bmp_who, link), st);

		if (at->told) {
			htab_del(&st->lives, &at->node);
			monitor_life_put(at->told);
		}
		at->told = NULL;
		at->pre = BMP_PRE_OFF;
		at->whole = at->reset = at->skipped = false;
		at->before = 0;
		at->ends = 0;
		at->epoch++;
		set_sent(st, at, BMP_SENT_WAIT);
	}
	st->out_wanted = st->skipped = false;
	st->changed = true;
}

/* ---- the connection ---- */

static struct bmp_station *
of_sock(struct sock_tcp *s)
{
	return container_of(s, struct bmp_station, sock);
}

/* bmp_station_flush - send until the kernel takes no more: the connection may be closed
 * next, and half a Termination tells the station nothing. */
static void
bmp_station_flush(struct bmp_station *st)
{
	ssize_t n;

	if (st->out_pos == st->out_len)
		return;
	do {
		n = sock_send(sock_tcp_fd(&st->sock), st->out + st->out_pos,
		    st->out_len - st->out_pos);
		if (n > 0) {
			st->out_pos += (uint32_t)n;
			st->took_ns = loop_now_ns(&st->bmp->p.worker);
			counter64_bump(&st->sent_octets, (uint64_t)n);
		}
	} while (n > 0 && st->out_pos < st->out_len);
	/* an error is found by reading */
	sock_tcp_want(&st->sock, true, st->out_pos < st->out_len);
}

/* go_down - the connection ended: void the state of all sessions at the station. */
static void
go_down(struct bmp_station *st)
{
	st->up = false;
	store_relaxed32(&st->is_up, 0);
	store_relaxed32(&st->slow, 0);
	sock_tcp_close(&st->sock);
	bmp_ribs_stop(st);
	bmp_walk_end(st);
	items_clear(st);
	forget_all(st);
	mem_free(MEM_PROTO, st->again);
	st->again = NULL;
	st->again_cnt = st->again_cap = 0;
	st->all_wanted = st->walk_wanted = false;
	mem_free(MEM_PROTO, st->out);
	st->out = NULL;
	st->out_pos = st->out_len = st->out_cap = 0;
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
	go_down(st);
	timer_set(&st->retry,
	    loop_now_ns(&st->bmp->p.worker) + bmp_conf_of(st->bmp)->retry_s * NS_PER_S);
	bmp_note(st->bmp);
}

static void
bmp_station_connected(struct sock_tcp *s, int err)
{
	struct bmp_station *st = of_sock(s);
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);
	struct wbuf w;

	if (err) {
		bmp_station_lost(st, strerror(-err));
		return;
	}
	st->up = true;
	st->said = false;
	store_relaxed32(&st->is_up, 1);
	counter64_bump(&st->connects, 1);
	st->stats_ns = loop_now_ns(&st->bmp->p.worker) + cf->stats_s * NS_PER_S;
	forget_all(st);
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
		bmp_station_lost(
		    of_sock(s), n == -EPIPE ? "connection closed" : strerror((int)-n));
}

static void
bmp_station_writable(struct sock_tcp *s)
{
	bmp_station_flush(of_sock(s));
	worker_again(&of_sock(s)->bmp->p.worker);
}

static void
bmp_station_failed(struct sock_tcp *s, int err)
{
	bmp_station_lost(of_sock(s), strerror(-err));
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
	/* counters stay, because other threads read them; go_down reset the rest */
	st->bmp = b;
	st->nr = nr;
	st->view_nr = 0;
	st->changed = st->walk_wanted = st->said = false;
	list_init(&st->ribs);
	htab_init(&st->lives, MEM_PROTO);
	sock_tcp_init(&st->sock, &b->p.worker, &sock_ops);
	timer_init(&st->retry, &b->p.worker, bmp_station_dial);
	timer_set(&st->retry, 0);
}

void
bmp_station_stop(struct bmp_station *st, bool say)
{
	if (st->up && say) {
		struct wbuf w = bmp_out(st, 64);

		bmp_termination_put(&w, BMP_TERM_ADMIN, NULL);
		bmp_out_end(st, &w, 1);
		bmp_station_flush(st);
	}
	go_down(st);
	timer_cancel(&st->retry);
	bmp_ribs_leave(st);
	htab_fini(&st->lives);
}

/* ---- turns ---- */

uint64_t
bmp_station_kept(const struct bmp_station *st, uint64_t now_ns)
{
	return st->up && now_ns < st->took_ns + KEPT_NS ? st->item_octets : 0;
}

bool
bmp_station_run(struct bmp_station *st)
{
	bool more = false;

	if (!st->up)
		return false;
	if (load_relaxed32(&st->slow)) {
		bmp_station_lost(st, "it doesn't take what is sent");
		return false;
	}
	if (bmp_room(st))
		bmp_reconcile(st);
	more |= send_items(st);
	if (!st->walk.on && st->walk_wanted)
		bmp_walk_begin(st);
	if (st->walk.on && bmp_room(st))
		more |= bmp_walk_step(st);
	if (st->all_wanted)
		bmp_ribs_all(st);
	else if (st->again_cnt)
		bmp_ribs_again(st);
	st->all_wanted = false;
	st->again_cnt = 0;
	if (st->ends_wanted && bmp_ends_look(st))
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
	if (st->out_pos < st->out_len)
		worker_again(&st->bmp->p.worker); /* send the octets in the next turn */
}
