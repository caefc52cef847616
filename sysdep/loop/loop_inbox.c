/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of other threads to a worker: post, wake. The loop's side is here as well.
 *
 * Two push stacks (lib/mt/stack.h) carry the calls: a worker's inbox of messages, and the
 * loop's queue of called workers.
 *
 * I1  The thread that turns `queued` from 0 to 1 pushes the worker to the queue. Only the
 *     loop turns `queued` back, before it reads `woken` and the inbox. A thread that
 *     finds `queued` at 1 therefore knows that the loop will still look, and the queue
 *     holds the worker once.
 * I2  For a stopped worker `queued` is 1 for ever: no thread pushes the worker again. See
 *     loop_release_worker.
 * I3  A pusher fences, then reads the loop's word (loop_lease.c). The loop sets the word
 *     to ASLEEP, fences, then looks at the queue and at tails. Without the two fences
 *     both threads could read the old value, and the loop would sleep on a message.
 * I4  For each sleep of the loop at most one octet is written: by the thread that turned
 *     the word to AWAKE. The socketpair therefore never fills.
 *
 * The caller must keep @w alive: the caller is in an RCU section (every loop is while
 * awake) or knows that @w cannot stop meanwhile. The call touches @w after the push. */
#include "lib/mt/atomic.h"
#include "lib/mt/stack.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"

/* Make sure that the loop looks at @w. Returns: whether an octet was written. */
static bool
inbox_call_worker(struct worker *w)
{
	struct loop *l = w->loop;

	if (!xchg_acq_rel32(&w->queued, 1))
		stack_push(&l->queue, &w->queue_node);
	fence_seq_cst(); /* I3 */
	return loop_kick(l);
}

void
worker_post(struct worker *w, struct msg *m)
{
	/* If the inbox was not empty, the thread that pushed the first message calls. */
	if (stack_push(&w->inbox, &m->node))
		inbox_call_worker(w);
}

bool
worker_wake(struct worker *w)
{
	/* An exchange instead of a read: the run that the first caller caused must see
	 * the writes of this caller. */
	if (xchg_acq_rel32(&w->woken, 1))
		return false;
	return inbox_call_worker(w);
}

/* inbox_next_msg - the oldest that has come; NULL: there is none. */
static struct msg *
inbox_next_msg(struct worker *w)
{
	struct stack_node *n = w->pending ? w->pending : stack_take(&w->inbox);

	w->pending = n ? stack_next(n) : NULL;
	return n ? container_of(n, struct msg, node) : NULL;
}

void
loop_handle_inbox(struct loop *l, struct worker *w)
{
	for (unsigned i = 0; i < LOOP_MSG_CNT && !w->stopping; i++) {
		struct msg *m = inbox_next_msg(w);

		if (!m)
			return;
		m->handle(w, m);
	}
	loop_add_turn(l, w); /* there may be more */
}

void
loop_drop_inbox(struct worker *w)
{
	struct msg *m;

	while ((m = inbox_next_msg(w)))
		if (w->ops->lost)
			w->ops->lost(w, m);
}
