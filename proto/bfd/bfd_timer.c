/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transmission times and detection times (RFC 5880, 6.8.2 to 6.8.4, 6.8.7).
 *
 * The instance has one heap of timers; one timer of the loop fires for the first entry.
 * Packets are due at slots, multiples of a sixteenth of their interval or of 4 ms, so one
 * call per socket sends all packets of a slot. Jitter allows this (6.8.7). The detection
 * time is exact.
 *
 * I1  A detection node may stand in the heap at an old time although a packet has arrived
 *     since: the node is moved when it is due, so a packet costs no work on the heap. The
 *     node is due at the last slot before the end of the detection time, together with
 *     other nodes; only a session that is silent then gets an exact time.
 *
 * Loop: the instance's. */
#include "lib/base/heap.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bfd.h"
#include "nest/bfd/bfd_opts.h"
#include "nest/bfd/bfd_shown.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* Powers of two, so that slots of short intervals coincide with slots of long
 * intervals. */
#define SLOT_NS_MAX (1u << 22)
#define SLOTS       16 /* of an interval, or more */

uint32_t
bfd_tx_us(const struct bfd_session *s)
{
	return (uint32_t)max_u64(s->rate.tx_act_us, s->remote.min_rx_us);
}

uint64_t
bfd_detect_us(const struct bfd_session *s)
{
	return s->remote.mult * max_u64(s->rate.rx_act_us, s->remote.min_tx_us);
}

void
bfd_timer_wake(struct bfd_proto *b)
{
	const struct heap_node *n = heap_min(&b->timers);

	if (!n)
		timer_cancel(&b->wake);
	else if (!timer_active(&b->wake) || timer_at_ns(&b->wake) != n->key)
		timer_set(&b->wake, n->key);
}

static void
bfd_timer_set(struct bfd_timer *t, uint64_t at_ns)
{
	struct bfd_proto *b = t->s->b;

	heap_remove(&b->timers, &t->node);
	heap_insert(&b->timers, &t->node, at_ns);
	bfd_timer_wake(b);
}

static void
bfd_timer_unset(struct bfd_timer *t)
{
	heap_remove(&t->s->b->timers, &t->node);
	bfd_timer_wake(t->s->b);
}

/* timer_is_silent - nothing is sent but answers (6.8.7). */
static bool
timer_is_silent(const struct bfd_session *s)
{
	if (s->state == BFD_ADMIN_DOWN)
		return false;
	if (s->opts.passive == BFD_YES && !s->yours)
		return true;
	if (!s->remote.min_rx_us)
		return true;
	return s->remote.demand && s->state == BFD_UP && s->remote.state == BFD_UP &&
	       !s->poll;
}

/* timer_slot_ns - how far apart slots are for what takes @ns. */
static uint64_t
timer_slot_ns(uint64_t ns)
{
	uint64_t n = SLOT_NS_MAX;

	while (n > 1 && n > ns / SLOTS)
		n /= 2;
	return n;
}

/* timer_next_slot - when the next packet is due: 75 to 100 % of the interval after the
 * last one; to 90 % if no packet may be lost. */
static uint64_t
timer_next_slot(struct bfd_session *s)
{
	uint64_t ns = bfd_tx_us(s) * NS_PER_US, slot = timer_slot_ns(ns);
	uint64_t least = s->tx_ns + ns - ns / 4;
	uint64_t most = s->tx_ns + ns - (s->opts.mult == 1 ? ns / 10 : 0);
	uint64_t random = bfd_random(s->b) << 32 | bfd_random(s->b);
	uint64_t at = least + random % (most - least + 1) + slot - 1;

	at -= at % slot;
	return at > most ? at - slot : at;
}

void
bfd_next_tx(struct bfd_session *s)
{
	if (timer_is_silent(s))
		bfd_timer_unset(&s->tx);
	else
		bfd_timer_set(&s->tx, s->tx_ns ? timer_next_slot(s) : bfd_now(s->b));
	store_relaxed64(&s->shown->next_tx_ns, s->tx.node.pos ? s->tx.node.key : 0);
}

void
bfd_retime_tx(struct bfd_session *s)
{
	uint64_t latest = s->tx_ns + bfd_tx_us(s) * NS_PER_US;

	if (!s->tx.node.pos || timer_is_silent(s) || s->tx.node.key > latest)
		bfd_next_tx(s);
}

uint64_t
bfd_deadline(const struct bfd_session *s)
{
	return s->rx_ns + bfd_detect_us(s) * NS_PER_US;
}

void
bfd_retime_detect(struct bfd_session *s)
{
	uint64_t at = bfd_deadline(s),
		 slot = at - at % timer_slot_ns(bfd_detect_us(s) * NS_PER_US);

	if (slot > clock_now_ns())
		at = slot;
	if (s->rx_ns && (!s->detect.node.pos || s->detect.node.key > at))
		bfd_timer_set(&s->detect, at); /* else I1 */
}

void
bfd_untime(struct bfd_session *s)
{
	bfd_timer_unset(&s->tx);
	bfd_timer_unset(&s->detect);
}

struct bfd_timer *
bfd_timer_take(struct bfd_proto *b, uint64_t now_ns)
{
	struct heap_node *n = heap_min(&b->timers);

	if (!n || n->key > now_ns)
		return NULL;
	heap_remove(&b->timers, n);
	return container_of(n, struct bfd_timer, node);
}
