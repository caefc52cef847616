/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What other threads may do to a worker: post, wake. And the loop's side of it.
 *
 * Two push stacks (lib/mt/stack.h): a worker's inbox of messages, and the loop's queue of
 * workers that were called.
 *
 * I1  A worker is pushed to the queue by the one who turned `queued` from 0 to 1, and
 *     only the loop turns it back, before it looks at `woken` and the inbox. So whoever
 *     finds it at 1 knows that the loop will still look, and what has been pushed is in
 *     the queue once.
 * I2  For a stopped worker `queued` is 1 for ever: nobody pushes it again. See
 *     release_worker.
 * I3  Whoever pushed fences, then reads the loop's word (loop_lease.c). The loop sets it
 *     to ASLEEP, fences, then looks at the queue and at tails. Without the
 *     two fences both could read the old value, and the loop would sleep on a message.
 * I4  For each time that the loop goes to sleep one octet at most is written: by the one
 *     who turned its word to AWAKE. So the socketpair never fills.
 *
 * The caller must keep @w alive: it is in an RCU section (all loops are, as long as they
 * are awake) or knows that @w can't stop meanwhile. After the push @w is still touched.
 */
#include "lib/mt/atomic.h"
#include "lib/mt/stack.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"

/* Make sure that the loop looks at @w. Returns: whether an octet was written. */
static bool
call_worker(struct worker *w)
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
	/* Into an inbox that has something somebody else has pushed, who calls. */
	if (stack_push(&w->inbox, &m->node))
		call_worker(w);
}

bool
worker_wake(struct worker *w)
{
	/* An exchange, not a look: what was written before must be seen by the run that
	 * the one who set it first brought about. */
	if (xchg_acq_rel32(&w->woken, 1))
		return false;
	return call_worker(w);
}

/* next_msg - the oldest that has come; NULL: there is none. */
static struct msg *
next_msg(struct worker *w)
{
	struct stack_node *n = w->pending ? w->pending : stack_take(&w->inbox);

	w->pending = n ? stack_next(n) : NULL;
	return n ? container_of(n, struct msg, node) : NULL;
}

void
loop_handle_inbox(struct loop *l, struct worker *w)
{
	for (unsigned i = 0; i < LOOP_MSG_CNT && !w->stopping; i++) {
		struct msg *m = next_msg(w);

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

	while ((m = next_msg(w)))
		if (w->ops->lost)
			w->ops->lost(w, m);
}
