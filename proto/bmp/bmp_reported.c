/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports to a station: the state of each session at the station, and the queue of
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
 * Loop: the instance's. Tested by test/net/test_bmp.py. */
#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bmp.h"
#include "nest/channel/proto.h"
#include "nest/monitor/monitor.h"
#include "proto/bmp/bmp.h"
#include "proto/bmp/bmp_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include <errno.h>

#define TURN_ITEMS 4096

/* ---- the queue ---- */

static void
reported_item_fini(struct bmp_item *it)
{
	monitor_life_put(it->life);
	monitor_octets_put(it->octets);
}

static void
reported_item_pop(struct bmp_station *st)
{
	struct bmp_item *it = &st->queue.item[st->queue.head];

	st->queue.octets -= it->octets->len;
	it->who->items--;
	reported_item_fini(it);
	st->queue.head = (st->queue.head + 1) % st->queue.cap;
	st->queue.cnt--;
}

/* reported_item_room - the next free place of the ring. A full ring moves into a larger
 * array. */
static struct bmp_item *
reported_item_room(struct bmp_station *st)
{
	if (st->queue.cnt == st->queue.cap) {
		uint32_t cap = st->queue.cap ? 2 * st->queue.cap : 64;
		struct bmp_item *at = mem_alloc(MEM_PROTO, cap * sizeof(*at));

		for (uint32_t i = 0; i < st->queue.cnt; i++)
			at[i] = st->queue.item[(st->queue.head + i) % st->queue.cap];
		mem_free(MEM_PROTO, st->queue.item);
		st->queue.item = at;
		st->queue.cap = cap;
		st->queue.head = 0;
	}
	return &st->queue.item[(st->queue.head + st->queue.cnt++) % st->queue.cap];
}

void
bmp_items_clear(struct bmp_station *st)
{
	while (st->queue.cnt)
		reported_item_pop(st);
	mem_free(MEM_PROTO, st->queue.item);
	st->queue.item = NULL;
	st->queue.cap = st->queue.head = 0;
}

/* reported_set_sent - set the state of each monitored Adj-RIB-Out to @now and void queued
 * UPDATEs. */
static void
reported_set_sent(
    const struct bmp_station *st, struct bmp_reported_who *at, enum bmp_sent now)
{
	const struct bmp_conf *cf = bmp_conf_of(st->bmp);

	at->out[BMP_OUT_POST].sent = cf->out_post ? now : BMP_SENT_OFF;
	at->out[BMP_OUT_PRE].sent = cf->out_pre ? now : BMP_SENT_OFF;
	for (unsigned o = 0; o < BMP_OUT_CNT; o++)
		at->out[o].epoch++;
}

/* reported_out_of - the Adj-RIB-Out that an event of kind @k concerns; NULL: none. */
static struct bmp_reported_out *
reported_out_of(struct bmp_reported_who *at, enum monitor_kind k)
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

/* reported_reset - I3. */
static void
reported_reset(struct bmp_station *st, struct bmp_reported_who *at)
{
	at->reset = st->changed = true;
	at->whole = false;
	at->epoch++;
	reported_set_sent(st, at, BMP_SENT_WAIT);
}

/* reported_waits_for - true: queue UPDATEs of @w. UPDATEs that are not queued reach the
 * station by a walk, or the station does not want them. */
static bool
reported_waits_for(const struct bmp_station *st, const struct bmp_who *w)
{
	const struct bmp_reported_who *at = &w->at[st->nr];

	if (!st->up || at->reset || !bmp_conf_of(st->bmp)->in_pre)
		return false;
	if (!bmp_is_reported(w, st))
		return at->whole;
	return at->pre == BMP_PRE_LIVE || at->pre == BMP_PRE_WALK;
}

/* reported_takes_sent - true: queue an Adj-RIB-Out UPDATE. @again: the peer already had
 * the route. */
static bool
reported_takes_sent(const struct bmp_reported_out *o, bool again)
{
	return o->sent == BMP_SENT_ALL || (o->sent == BMP_SENT_LIVE && !again);
}

/* reported_sent_news - of an export table of the session. */
static void
reported_sent_news(
    const struct bmp_station *st, struct bmp_reported_out *o, enum monitor_kind k)
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
	struct bmp_reported_who *at = bmp_at(w, st);
	const struct bmp_reported_out *o = reported_out_of(
	    at, (enum monitor_kind)e->kind);

	if (o ? !reported_takes_sent(o, e->reason) : !reported_waits_for(st, w))
		return;
	if (st->queue.octets + e->octets->len > max) {
		reported_reset(st, at);
		return;
	}
	st->queue.octets += e->octets->len;
	w->items++;
	*reported_item_room(st) = (struct bmp_item){ .who = w,
		.life = monitor_life_ref(e->life),
		.octets = monitor_octets_ref(e->octets),
		.time_us = e->time_us,
		.epoch = o ? o->epoch : at->epoch,
		.kind = e->kind };
}

void
bmp_station_who(struct bmp_station *st, struct bmp_who *w, const struct monitor_event *e)
{
	struct bmp_reported_who *at = bmp_at(w, st);
	struct bmp_reported_out *o = reported_out_of(at, (enum monitor_kind)e->kind);

	if (o) {
		reported_sent_news(st, o, (enum monitor_kind)e->kind);
		return;
	}
	if (e->kind == MON_END) {
		at->ends |= st->up ? e->reason : 0;
		st->wanted.ends |= at->ends != 0;
		return;
	}
	st->changed = true;
	switch (e->kind) {
	case MON_UP:
		at->ends = 0;
		at->whole = st->up && e->reason;
		at->reset = false;
		reported_set_sent(st, at, at->whole ? BMP_SENT_LIVE : BMP_SENT_WAIT);
		break;
	case MON_DOWN:
		at->ends = 0;
		at->whole = at->reset = false;
		at->epoch++;
		reported_set_sent(st, at, BMP_SENT_OFF);
		break;
	default:
		reported_reset(st, at);
		break;
	}
}

bool
bmp_items_send(struct bmp_station *st)
{
	unsigned cnt = 0;

	while (st->queue.cnt && bmp_room(st)) {
		const struct bmp_item *it = &st->queue.item[st->queue.head];
		struct bmp_reported_who *at = &it->who->at[st->nr];
		const struct bmp_reported_out *o = reported_out_of(
		    at, (enum monitor_kind)it->kind);

		if (cnt++ == TURN_ITEMS)
			return true;
		if (at->reported == it->life &&
		    (o ? o->epoch : at->epoch) == it->epoch) { /* I2 */
			if (!o && at->pre == BMP_PRE_WALK)
				return false;
			bmp_put_item(st, it);
		}
		reported_item_pop(st);
	}
	return false;
}

/* ---- sessions ---- */

static void
reported_report_down(struct bmp_station *st, struct bmp_who *w)
{
	struct bmp_reported_who *at = bmp_at(w, st);
	struct bmp_peer head = bmp_header(at->reported, 0, bmp_now_us());

	if (at->reported == w->life)
		bmp_put_down(st, &head, BMP_DOWN_DECONFIGURED, NULL);
	else
		bmp_put_down(st, &head, w->why, w->last);
	htab_del(&st->lives, &at->node);
	at->before = at->reported->nr;
	monitor_life_put(at->reported);
	at->reported = NULL;
	at->pre = BMP_PRE_OFF;
}

/* reported_report_again - routes of @life may still be in the table unchanged: a table
 * publishes no change if a session returns before its routes were removed. Send the
 * routes again. */
static void
reported_report_again(struct bmp_station *st, uint32_t life)
{
	st->again.life = vec_room(MEM_PROTO, st->again.life, &st->again.cap,
	    st->again.cnt + 1, sizeof(*st->again.life));
	st->again.life[st->again.cnt++] = life;
}

static void
reported_report_up(struct bmp_station *st, struct bmp_who *w)
{
	struct bmp_reported_who *at = bmp_at(w, st);

	bmp_put_up(st, w->life);
	at->reported = monitor_life_ref(w->life);
	htab_add(&st->lives, &at->node, at->reported->nr);
	if (bmp_conf_of(st->bmp)->in_pre) {
		at->pre = at->whole ? BMP_PRE_LIVE : BMP_PRE_WAIT;
		st->wanted.walk |= !at->whole;
	}
	for (unsigned o = 0; o < BMP_OUT_CNT; o++)
		st->wanted.out |= at->out[o].sent == BMP_SENT_WAIT;
	st->wanted.all |= at->skipped || st->skipped;
	if (at->before)
		reported_report_again(st, at->before);
	counter64_bump(&st->counts.resyncs, at->reset);
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
		struct bmp_reported_who *at = bmp_at(w, st);

		if (at->reported && (at->reported != w->life || at->reset))
			reported_report_down(st, w);
		if (w->life && !at->reported)
			reported_report_up(st, w);
		at->reset = false;
	}
	/* the readers run in the next turn, because a reader may be calling now */
	worker_again(&st->bmp->p.worker);
}

void
bmp_forget_all(struct bmp_station *st)
{
	struct list *n;

	list_for_each (n, &st->bmp->all) {
		struct bmp_reported_who *at = bmp_at(
		    container_of(n, struct bmp_who, link), st);

		if (at->reported) {
			htab_del(&st->lives, &at->node);
			monitor_life_put(at->reported);
		}
		at->reported = NULL;
		at->pre = BMP_PRE_OFF;
		at->whole = at->reset = at->skipped = false;
		at->before = 0;
		at->ends = 0;
		at->epoch++;
		reported_set_sent(st, at, BMP_SENT_WAIT);
	}
	st->wanted.out = st->skipped = false;
	st->changed = true;
}
