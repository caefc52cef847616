/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns and timers of workers. A worker gets a turn in this round of its loop, or in the
 * next round if the turns have begun. Timers: a heap for each loop, ordered by monotonic
 * time. All calls in the loop. Tested by test/unit/test_loop.c and
 * test/unit/test_loop_timer.c.
 *
 * I1  A timer is in the heap of its worker's loop if and only if it is in its worker's
 *     list; worker_stop removes the timers of the list from the heap.
 * I2  A timer that is set while timers fire is put after the present round's time, so a
 *     timer that always sets itself into the past cannot hold the round. */
#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"

/* ---- turns ---- */

void
loop_add_turn(struct loop *l, struct worker *w)
{
	if (list_empty(&w->turn))
		list_add_tail(w->first ? &l->first : &l->turns, &w->turn);
}

void
worker_again(struct worker *w)
{
	DCHECK(loop_is_mine(w->loop));
	w->again = true;
	loop_add_turn(w->loop, w);
}

/* ---- timers ---- */

static struct timer *
timer_of(struct heap_node *n)
{
	return container_of(n, struct timer, node);
}

static void
loop_timer_take_out(struct timer *t)
{
	DCHECK(loop_is_mine(t->worker->loop));
	heap_remove(&t->worker->loop->timers, &t->node);
	list_del(&t->link);
}

void
loop_fire_timers(struct loop *l)
{
	struct heap_node *n;

	while ((n = heap_min(&l->timers)) && n->key <= l->now_ns) {
		struct timer *t = timer_of(n);

		loop_timer_take_out(t);
		t->fire(t);
	}
}

void
loop_drop_timers(struct worker *w)
{
	while (!list_empty(&w->timers))
		loop_timer_take_out(container_of(w->timers.next, struct timer, link));
}

void
timer_init(struct timer *t, struct worker *w, void (*fire)(struct timer *t))
{
	memset(t, 0, sizeof(*t));
	t->worker = w;
	t->fire = fire;
	list_init(&t->link);
}

void
timer_set(struct timer *t, uint64_t at_ns)
{
	struct worker *w = t->worker;

	DCHECK(loop_is_mine(w->loop));
	timer_cancel(t);
	if (w->stopping)
		return;
	heap_insert(&w->loop->timers, &t->node, max_u64(at_ns, w->loop->now_ns + 1));
	list_add_tail(&w->timers, &t->link);
}

void
timer_cancel(struct timer *t)
{
	if (timer_active(t))
		loop_timer_take_out(t);
}

bool
timer_active(const struct timer *t)
{
	return t->node.pos != 0;
}

uint64_t
timer_at_ns(const struct timer *t)
{
	return t->node.key;
}
