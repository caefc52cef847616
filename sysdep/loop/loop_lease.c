/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleep, wake-up and leases: who runs the worker of a loop that sleeps.
 *
 * To wake a thread, let it read a few octets of a journal, write them to a socket and
 * sleep again costs ten times as much as reading and writing them. So a thread that has
 * published something may take the worker of a sleeping loop by a CAS and run a short
 * turn of it itself (ops->lent): a lease. The worker belongs to one thread at any time.
 *
 * The word of a loop, and who turns it:
 *
 *      AWAKE   its thread runs.
 *      ASLEEP  its thread is about to sleep, and looks a last time; an octet wakes it.
 *      PARKED  it sleeps, and touches nothing of its worker's or of its own: for a
 *              lease, or an octet.
 *      LEASED  another thread, the lender, runs its worker.
 *      MORE    the same, and something has been published since.
 *      WANTED  the same, and the owner has woken up by itself or has messages: the
 *              lender ends at the next segment, and wakes it.
 *
 * I1  Only the owner turns AWAKE to ASLEEP, and ASLEEP to PARKED after its last look.
 *     Any other thread that turns one of these two back to AWAKE writes an octet.
 * I2  PARKED is turned to LEASED by a CAS, and only by the lender back. An owner that
 *     finds itself leased turns that to WANTED and waits for an octet.
 * I3  Who pushed or published something fences, then reads the word. Either that is seen
 *     by who runs the worker next, or the word says LEASED and is turned to WANTED or
 *     MORE, which the lender finds when it turns it back. So nothing is looked at after a
 *     release.
 * I4  A message may lie in the inbox while the one who pushed it has not called yet. So
 *     the lender looks at the inbox after it has read a tail (worker_lease_ends): no
 *     segment overtakes a message that was posted before it by the same thread.
 * I5  A lease isn't taken within a lease. A thread takes LEND_MAX of them in a round at
 *     most, in LEND_NS.
 *
 * test/prop/prop_lease.c has this as a model, with every interleaving of four threads.
 * test/stress/stress_loop.c runs it. */
#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/stack.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"
#include "sysdep/os/clock.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#define LEND_MAX 64
#define LEND_NS  (200 * NS_PER_US)

/* style: whose thread this is. Wakers are called through journals that know no loops. */
static _Thread_local struct loop *this_loop;

void
loop_enter(struct loop *l)
{
	this_loop = l;
}

static void
write_octet(struct loop *l)
{
	static const char octet = 0;

	while (write(l->wake_wr, &octet, 1) < 0 && errno == EINTR)
		;
}

void
loop_drain_octets(struct loop *l)
{
	char octet[16];

	while (read(l->wake_rd, octet, sizeof(octet)) == (ssize_t)sizeof(octet))
		;
}

/* ---- the owner ---- */

void
loop_falls_asleep(struct loop *l)
{
	store_relaxed32(&l->word, LOOP_ASLEEP);
	fence_seq_cst(); /* I3 */
}

/* may_be_lent - is there one worker, and can that be? */
static bool
may_be_lent(const struct loop *l)
{
	/* One that has stopped and not been released is counted, and not in the list (I2
	 * of loop_inbox.c). */
	if (!l->own || l->worker_cnt != 1 || list_empty(&l->workers))
		return false;
	return container_of(l->workers.next, struct worker, link)->ops->lent != NULL;
}

void
loop_park(struct loop *l, uint64_t until_ns)
{
	uint32_t expect = LOOP_ASLEEP;

	l->until_ns = until_ns;
	/* If it fails an octet is there, or on its way. */
	if (may_be_lent(l))
		cas_acq_rel32(&l->word, &expect, LOOP_PARKED);
}

static void
wait_for_octet(struct loop *l)
{
	struct pollfd p = { .fd = l->wake_rd, .events = POLLIN };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	loop_drain_octets(l);
}

void
loop_awakes(struct loop *l)
{
	uint32_t word = load_acquire32(&l->word); /* pairs: LWORD */

	while (word != LOOP_AWAKE)
		if (word == LOOP_WANTED) {
			wait_for_octet(l);
			word = load_acquire32(&l->word); /* pairs: LWORD */
		} else if (word == LOOP_ASLEEP || word == LOOP_PARKED) {
			if (cas_acq_rel32(&l->word, &word, LOOP_AWAKE))
				return;
		} else if (cas_acq_rel32(&l->word, &word, LOOP_WANTED)) { /* I2 */
			word = LOOP_WANTED;
		}
}

/* ---- others ---- */

bool
loop_kick(struct loop *l)
{
	uint32_t word = load_relaxed32(&l->word);

	while (word != LOOP_AWAKE && word != LOOP_WANTED)
		if (word == LOOP_LEASED || word == LOOP_MORE) {
			if (cas_acq_rel32(&l->word, &word, LOOP_WANTED)) /* I3 */
				return false;
		} else if (cas_acq_rel32(&l->word, &word, LOOP_AWAKE)) {
			write_octet(l);
			return true;
		}
	return false;
}

/* may_lend - I5. */
static bool
may_lend(struct loop *me, const struct worker *w)
{
	uint64_t now;

	if (!me || me->lending || !w->ops->lent || me->lend_cnt >= LEND_MAX)
		return false;
	now = clock_now_ns();
	if (!me->lend_cnt)
		me->lend_end_ns = now + LEND_NS;
	return now < me->lend_end_ns;
}

/* run_lent - Returns: whether something is left for the owner: what the turn said,
 * another turn, or a timer for which it doesn't wait. */
static bool
run_lent(struct loop *me, struct worker *w)
{
	struct loop *l = w->loop;
	pthread_t owner = l->self;
	const struct heap_node *n;
	bool left;

	me->lending = w;
	me->lend_cnt++;
	l->self = me->self;
	w->at = me;
	left = w->ops->lent(w);
	if (left)
		worker_again(w);
	w->at = l;
	l->self = owner;
	me->lending = NULL;
	n = heap_min(&l->timers);
	return w->again || (n && n->key < l->until_ns);
}

/* lend - @w's loop is LEASED, by this thread. Returns: whether its own was woken. */
static bool
lend(struct loop *me, struct worker *w)
{
	struct loop *l = w->loop;

	while (!run_lent(me, w)) {
		uint32_t word = LOOP_LEASED;

		if (cas_acq_rel32(&l->word, &word, LOOP_PARKED)) /* pairs: LWORD */
			return false;
		if (word == LOOP_WANTED || !may_lend(me, w))
			break;
		cas_acq_rel32(&l->word, &word, LOOP_LEASED); /* I3 */
		/* Who publishes next and reads MORE still leaves it to this turn, which
		 * must see what it published: no read of a tail may come before the
		 * CAS. */
		fence_seq_cst();
	}
	store_release32(&l->word, LOOP_AWAKE); /* pairs: LWORD */
	write_octet(l);
	return true;
}

/* rouse - its thread runs again, and calls `run`. Before the octet: it finds the worker
 * in the queue. */
static void
rouse(struct worker *w)
{
	if (!xchg_acq_rel32(&w->woken, 1) && !xchg_acq_rel32(&w->queued, 1))
		stack_push(&w->loop->queue, &w->queue_node);
	write_octet(w->loop);
}

bool
worker_wake_sleeper(struct worker *w)
{
	struct loop *l = w->loop, *me = this_loop;
	uint32_t word = load_relaxed32(&l->word);

	for (;;)
		switch (word) {
		case LOOP_PARKED:
			if (may_lend(me, w)) {
				if (cas_acq_rel32(&l->word, &word, LOOP_LEASED))
					return lend(me, w);
				break;
			}
			/* fall through */
		case LOOP_ASLEEP:
			if (cas_acq_rel32(&l->word, &word, LOOP_AWAKE)) {
				rouse(w);
				return true;
			}
			break;
		case LOOP_LEASED:
			if (cas_acq_rel32(&l->word, &word, LOOP_MORE)) /* I3 */
				return false;
			break;
		default:
			return false;
		}
}

bool
worker_is_lent(const struct worker *w)
{
	return w->at != w->loop;
}

bool
worker_lease_ends(const struct worker *w)
{
	return worker_is_lent(w) && (load_relaxed32(&w->loop->word) == LOOP_WANTED ||
					!stack_empty(&w->inbox)); /* I4 */
}

void
worker_lends_nobody(struct worker *w)
{
	w->at->lend_cnt = LEND_MAX;
}
