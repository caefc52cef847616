/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sleep, wake-up and leases: which thread runs the worker of a sleeping loop.
 *
 * Waking a thread that reads a few octets of a journal, writes the octets to a socket and
 * sleeps again costs ten times the read and write. A publisher may therefore take the
 * worker of a sleeping loop by a CAS and run a short turn of the worker (ops->lent): a
 * lease. The worker belongs to one thread at any time.
 *
 * The word of a loop, and its states:
 *
 *      AWAKE   the loop's thread runs.
 *      ASLEEP  the thread is about to sleep and looks a last time; an octet wakes the
 *              thread.
 *      PARKED  the thread sleeps and touches neither its worker nor its loop; a lease or
 *              an octet may follow.
 *      LEASED  another thread, the lender, runs the worker.
 *      MORE    as LEASED, and an entry was published since.
 *      WANTED  as LEASED, and the owner has woken up or has messages: the lender ends at
 *              the next segment and wakes the owner.
 *
 * I1  Only the owner turns AWAKE to ASLEEP, and ASLEEP to PARKED after its last look. Any
 *     other thread that turns ASLEEP or PARKED back to AWAKE writes an octet.
 * I2  A CAS turns PARKED to LEASED, and only the lender turns LEASED back. An owner that
 *     finds its loop leased turns the word to WANTED and waits for an octet.
 * I3  A pusher or publisher fences, then reads the word. Either the next thread that runs
 *     the worker sees the publication, or the word is LEASED and the publisher turns the
 *     word to WANTED or MORE, and the lender finds the change when it ends. No look is
 *     needed after a release.
 * I4  A message may lie in the inbox before its pusher has called. The lender therefore
 *     looks at the inbox after it has read a tail (worker_lease_ends): no segment
 *     overtakes a message that the same thread posted before the segment.
 * I5  A lease does not nest. A thread takes at most LEND_MAX leases in a round, within
 *     LEND_NS.
 *
 * test/prop/prop_lease.c is a model with every interleaving of four threads.
 * test/stress/stress_loop.c runs the code. */
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
lease_write_octet(struct loop *l)
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

/* lease_may_be_lent - true if the loop has exactly one worker, and the worker has
 * `lent`. */
static bool
lease_may_be_lent(const struct loop *l)
{
	/* A stopped worker that is not yet released is counted, but not in the list (I2
	 * of loop_inbox.c). */
	if (!l->mode.dedicated || l->worker_cnt != 1 || list_empty(&l->workers))
		return false;
	return container_of(l->workers.next, struct worker, link)->ops->lent != NULL;
}

void
loop_park(struct loop *l, uint64_t until_ns)
{
	uint32_t expect = LOOP_ASLEEP;

	l->lend.until_ns = until_ns;
	/* If the CAS fails, an octet was written or will be written. */
	if (lease_may_be_lent(l))
		cas_acq_rel32(&l->word, &expect, LOOP_PARKED);
}

static void
lease_wait_for_octet(struct loop *l)
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
			lease_wait_for_octet(l);
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
			lease_write_octet(l);
			return true;
		}
	return false;
}

/* lease_may_lend - I5. */
static bool
lease_may_lend(struct loop *me, const struct worker *w)
{
	uint64_t now;

	if (!me || me->lend.worker || !w->ops->lent || me->lend.cnt >= LEND_MAX)
		return false;
	now = clock_now_ns();
	if (!me->lend.cnt)
		me->lend.end_ns = now + LEND_NS;
	return now < me->lend.end_ns;
}

/* lease_run_lent - run one turn of @w. Returns: true: work is left for the owner: the
 * turn's result, another turn, or a timer before the owner's wake-up. */
static bool
lease_run_lent(struct loop *me, struct worker *w)
{
	struct loop *l = w->loop;
	pthread_t owner = l->self;
	const struct heap_node *n;
	bool left;

	me->lend.worker = w;
	me->lend.cnt++;
	l->self = me->self;
	w->at = me;
	left = w->ops->lent(w);
	if (left)
		worker_again(w);
	w->at = l;
	l->self = owner;
	me->lend.worker = NULL;
	n = heap_min(&l->timers);
	return w->again || (n && n->key < l->lend.until_ns);
}

/* loop_lease_lend - run @w, whose loop this thread has LEASED. Returns: true: the owner
 * was woken. */
static bool
loop_lease_lend(struct loop *me, struct worker *w)
{
	struct loop *l = w->loop;

	while (!lease_run_lent(me, w)) {
		uint32_t word = LOOP_LEASED;

		if (cas_acq_rel32(&l->word, &word, LOOP_PARKED)) /* pairs: LWORD */
			return false;
		if (word == LOOP_WANTED || !lease_may_lend(me, w))
			break;
		cas_acq_rel32(&l->word, &word, LOOP_LEASED); /* I3 */
		/* If a publisher reads MORE, the turn that begins now handles the entries
		 * of the publisher. The turn must see the entries: no read of a tail may
		 * precede the CAS. */
		fence_seq_cst();
	}
	store_release32(&l->word, LOOP_AWAKE); /* pairs: LWORD */
	lease_write_octet(l);
	return true;
}

/* loop_lease_rouse - its thread runs again, and calls `run`. Before the octet: it finds
 * the worker in the queue. */
static void
loop_lease_rouse(struct worker *w)
{
	if (!xchg_acq_rel32(&w->woken, 1) && !xchg_acq_rel32(&w->queued, 1))
		stack_push(&w->loop->queue, &w->queue_node);
	lease_write_octet(w->loop);
}

bool
worker_wake_sleeper(struct worker *w)
{
	struct loop *l = w->loop, *me = this_loop;
	uint32_t word = load_relaxed32(&l->word);

	for (;;)
		switch (word) {
		case LOOP_PARKED:
			if (lease_may_lend(me, w)) {
				if (cas_acq_rel32(&l->word, &word, LOOP_LEASED))
					return loop_lease_lend(me, w);
				break;
			}
			/* fall through */
		case LOOP_ASLEEP:
			if (cas_acq_rel32(&l->word, &word, LOOP_AWAKE)) {
				loop_lease_rouse(w);
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
	w->at->lend.cnt = LEND_MAX;
}
