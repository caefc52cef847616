/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What other threads may do to a worker: post, wake. And the loop's side of it.
 *
 * Two stacks without locks, each with many pushers and one taker that takes all at once
 * (so there is no ABA): a worker's inbox of messages, and the loop's queue of workers
 * that were called. The taker turns them round, so the order of each sender is kept.
 *
 * I1  A worker is pushed to the queue by the one who turned `queued` from 0 to 1, and
 * only the loop turns it back, before it looks at `woken` and the inbox. So whoever finds
 * it at 1 knows that the loop will still look, and what has been pushed is in the queue
 * once. I2  For a stopped worker `queued` is 1 for ever: nobody pushes it again. See
 * release_worker. I3  Whoever pushed fences, then reads `asleep`. The loop sets `asleep`,
 * fences, then looks at the queue and at ops->ready. Without the two fences both could
 * read the old value: the loop sleeps on a message. I4  For each time that the loop goes
 * to sleep one octet at most is written: by the one who turned `asleep` back. So the
 * socketpair never fills.
 *
 * The caller must keep @w alive: it is in an RCU section (all loops are, as long as they
 * are awake) or knows that @w can't stop meanwhile. After the push @w is still touched.
 */
#include "sysdep/loop_priv.h"
#include <errno.h>
#include <unistd.h>

bool
loop_kick(struct loop *l)
{
	static const char octet = 0;

	if (!load_relaxed32(&l->asleep) || !xchg_acq_rel32(&l->asleep, 0))
		return false;
	while (write(l->wake_wr, &octet, 1) < 0 && errno == EINTR)
		;
	return true;
}

void
loop_queue(struct loop *l, struct worker *w)
{
	void *head = load_relaxed_ptr(&l->queue);

	do {
		store_relaxed_ptr(&w->queue_next, head);
	} while (!cas_acq_rel_ptr(&l->queue, &head, w)); /* pairs: LQUEUE */
}

/* Make sure that the loop looks at @w. Returns: whether an octet was written. */
static bool
call_worker(struct worker *w)
{
	struct loop *l = w->loop;

	if (!xchg_acq_rel32(&w->queued, 1))
		loop_queue(l, w);
	fence_seq_cst(); /* I3 */
	return loop_kick(l);
}

void
worker_post(struct worker *w, struct msg *m)
{
	void *head = load_relaxed_ptr(&w->inbox);

	do {
		store_relaxed_ptr(&m->next, head);
	} while (!cas_acq_rel_ptr(&w->inbox, &head, m)); /* pairs: WINBOX */
	/* Into an inbox that has something somebody else has pushed, who calls. */
	if (!head)
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

bool
worker_wake_sleeper(struct worker *w)
{
	return loop_kick(w->loop);
}

struct worker *
loop_take_queue(struct loop *l)
{
	struct worker *w, *next, *out = NULL;

	if (!load_relaxed_ptr(&l->queue))
		return NULL;
	for (w = xchg_acq_rel_ptr(&l->queue, NULL); w; w = next) { /* pairs: LQUEUE */
		next = load_relaxed_ptr(&w->queue_next);
		store_relaxed_ptr(&w->queue_next, out);
		out = w;
	}
	return out;
}

/* All messages that have come, oldest first. */
static struct msg *
take_inbox(struct worker *w)
{
	struct msg *m, *next, *out = NULL;

	if (!load_relaxed_ptr(&w->inbox))
		return NULL;
	for (m = xchg_acq_rel_ptr(&w->inbox, NULL); m; m = next) { /* pairs: WINBOX */
		next = load_relaxed_ptr(&m->next);
		store_relaxed_ptr(&m->next, out);
		out = m;
	}
	return out;
}

void
loop_handle_inbox(struct loop *l, struct worker *w)
{
	for (unsigned i = 0; i < LOOP_MSG_CNT && !w->stopping; i++) {
		struct msg *m = w->pending ? w->pending : take_inbox(w);

		if (!m)
			return;
		w->pending = load_relaxed_ptr(&m->next);
		w->inbox_cnt++;
		m->handle(w, m);
	}
	loop_add_turn(l, w); /* there may be more */
}

void
loop_drop_inbox(struct worker *w)
{
	struct msg *m;

	while ((m = w->pending ? w->pending : take_inbox(w))) {
		w->pending = load_relaxed_ptr(&m->next);
		if (w->ops->lost)
			w->ops->lost(w, m);
	}
}
