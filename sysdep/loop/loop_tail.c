/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tails that a loop's workers watch: one dense array for each tail. A look at a
 * thousand readers of an unmoved journal costs one comparison, and a walk over 16 octets
 * per reader after the tail has moved.
 *
 * A loop reads its first TAIL_POLL_MAX tails in each round. A loop with more tails, as
 * with `threads N` and a table for each member, relies on the publishers of the further
 * tails: a publisher walks the few loops of its tail and pushes the tail on each loop's
 * stack of news. A table without new publications therefore costs a round nothing.
 *
 * I1  A worker that has seen less than the tail gets a turn at once. Between two looks an
 *     entry therefore differs from the tail only if the tail has moved since the first
 *     look (`last`).
 * I2  An entry's watch stores the entry's place (slot); the last entry moves to a freed
 *     place.
 * I3  The thread that turns `queued` from 0 to 1 pushes a joined tail on the loop's
 *     stack. The loop turns `queued` back before it reads the tail. A loop that drops a
 *     tail leaves `queued` at 1 for ever: no publisher pushes the tail again.
 * I4  A loop enters a tail's list, fences, then reads the tail (tail_watch_seen). The
 *     publisher moves the tail, fences, then reads the list. Either the publisher finds
 *     the loop, or the loop finds the news.
 * I5  The tail's list and the loop hold one reference each. The loop drops its reference
 *     when the tail is dropped and in no stack. A grace period passes before the memory
 *     is freed, because other loops may walk the list.
 *
 * Loop: the workers', but for tail_news_*. Test: test/unit/test_loop_tail.c. */
#include "lib/base/list.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/stack.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/loop_priv.h"

struct tail_entry {
	uint64_t seen;
	struct tail_watch *watch;
};

/* Owner: the loop. Life: until the last reference (I5) and a grace period. Freed by: the
 * holder of the last reference. */
struct loop_tail {
	const struct pub64 *tail;
	uint64_t last; /* at the last look */
	struct tail_entry *entry;
	uint32_t cnt, cap;
	uint32_t slot; /* of loop.polls */
	bool joined; /* in the tail's list, not in loop.polls */

	/* for joined tails; publishers use the fields below */
	struct loop *loop; /* constant */
	struct stack_node node; /* of loop.news */
	struct pub32 queued; /* I3 */
	struct pub32 ended; /* the loop has dropped the tail */
	struct pubptr next; /* struct loop_tail *: of the tail's list */
	struct counter32 refs; /* I5 */
	struct rcu_node rcu;
};

static void
tail_take_notice(struct tail_watch *tw)
{
	if (!tw->worker->stopping)
		worker_again(tw->worker);
}

static void
loop_tail_look(struct loop_tail *lt)
{
	uint64_t at = load_relaxed64(lt->tail);

	if (at == lt->last)
		return;
	lt->last = at;
	for (uint32_t i = 0; i < lt->cnt; i++)
		if (lt->entry[i].seen != at && lt->entry[i].seen != TAIL_IGNORED)
			tail_take_notice(lt->entry[i].watch);
}

static void
tail_free(struct rcu_node *n)
{
	mem_free(MEM_LOOP, container_of(n, struct loop_tail, rcu));
}

static void
tail_unref(TAKE struct loop_tail *lt)
{
	if (counter32_sub_acq_rel(&lt->refs, 1) == 1)
		rcu_free_later(&lt->rcu, tail_free);
}

/* tail_take_news - look at the tails that publishers have pushed. */
static void
tail_take_news(struct loop *l)
{
	struct stack_node *n, *next;

	for (n = stack_take(&l->news); n; n = next) {
		struct loop_tail *lt = container_of(n, struct loop_tail, node);

		next = stack_next(n);
		if (!lt->cnt) { /* dropped meanwhile */
			tail_unref(lt);
			continue;
		}
		xchg_acq_rel32(&lt->queued, 0); /* I3 */
		loop_tail_look(lt);
	}
}

void
loop_look_at_tails(struct loop *l)
{
	for (uint32_t t = 0; t < l->polls.cnt; t++)
		loop_tail_look(l->polls.at[t]);
	if (!stack_empty(&l->news))
		tail_take_news(l);
}

/* tail_of - NULL: no worker of @l watches @tail. */
static struct loop_tail *
tail_of(struct loop *l, const struct pub64 *tail, const struct tail_news *tn)
{
	struct loop_tail *lt;

	for (uint32_t t = 0; t < l->polls.cnt; t++)
		if (l->polls.at[t]->tail == tail)
			return l->polls.at[t];
	lt = load_acquire_ptr(&tn->first); /* pairs: TNEWS */
	while (lt && (lt->loop != l || load_relaxed32(&lt->ended)))
		lt = load_acquire_ptr(&lt->next); /* pairs: TNEWS */
	return lt;
}

/* tail_notify_me - from now on publishers of @tn's tail push @lt on the loop's stack. */
static void
tail_notify_me(struct loop_tail *lt, struct tail_news *tn)
{
	void *first = load_relaxed_ptr(&tn->first);

	lt->joined = true;
	counter32_add(&lt->refs, 1);
	do
		store_relaxed_ptr(&lt->next, first);
	while (!cas_acq_rel_ptr(&tn->first, &first, lt)); /* pairs: TNEWS */
	fence_seq_cst(); /* I4 */
}

static struct loop_tail *
tail_make(struct loop *l, const struct pub64 *tail, struct tail_news *tn)
{
	struct loop_tail *lt = mem_zalloc(MEM_LOOP, sizeof(*lt));

	lt->tail = tail;
	lt->loop = l;
	counter32_add(&lt->refs, 1);
	if (l->polls.cnt < TAIL_POLL_MAX) {
		lt->slot = l->polls.cnt;
		l->polls.at[l->polls.cnt++] = lt;
	} else {
		tail_notify_me(lt, tn);
	}
	return lt;
}

static void
loop_tail_drop(struct loop *l, TAKE struct loop_tail *lt)
{
	mem_free(MEM_LOOP, lt->entry);
	if (!lt->joined) {
		l->polls.at[lt->slot] = l->polls.at[--l->polls.cnt];
		l->polls.at[lt->slot]->slot = lt->slot;
		mem_free(MEM_LOOP, lt);
		return;
	}
	store_release32(&lt->ended, 1); /* pairs: TENDED */
	if (!xchg_acq_rel32(&lt->queued, 1)) /* I3 */
		tail_unref(lt);
}

void
tail_watch_add(struct tail_watch *tw, struct worker *w, const struct pub64 *tail,
    struct tail_news *tn)
{
	struct loop_tail *lt = tail_of(w->loop, tail, tn);

	DCHECK(loop_is_mine(w->loop));
	ASSERT(!w->stopping);
	if (!lt)
		lt = tail_make(w->loop, tail, tn);
	lt->entry = vec_room(
	    MEM_LOOP, lt->entry, &lt->cap, lt->cnt + 1, sizeof(*lt->entry));
	tw->worker = w;
	tw->at = lt;
	tw->slot = lt->cnt;
	list_add_tail(&w->tails, &tw->link);
	lt->entry[lt->cnt++] = (struct tail_entry){ TAIL_IGNORED, tw };
}

void
tail_watch_seen(struct tail_watch *tw, uint64_t pos)
{
	if (!tw->worker)
		return;
	tw->at->entry[tw->slot].seen = pos;
	if (pos != TAIL_IGNORED && pos != load_relaxed64(tw->at->tail)) /* I1 */
		tail_take_notice(tw);
}

void
tail_watch_del(struct tail_watch *tw)
{
	struct loop_tail *lt = tw->at;

	if (!tw->worker)
		return;
	lt->entry[tw->slot] = lt->entry[--lt->cnt]; /* I2 */
	lt->entry[tw->slot].watch->slot = tw->slot;
	list_del(&tw->link);
	if (!lt->cnt)
		loop_tail_drop(tw->worker->loop, lt);
	tw->worker = NULL;
	tw->at = NULL;
}

void
loop_drop_tails(struct worker *w)
{
	while (!list_empty(&w->tails))
		tail_watch_del(container_of(w->tails.next, struct tail_watch, link));
}

void
loop_fini_tails(struct loop *l)
{
	ASSERT(!l->polls.cnt);
	tail_take_news(l);
}

/* ---- publishers ---- */

bool
tail_news_notify(struct tail_news *tn)
{
	struct loop_tail *lt;
	bool ended = false;

	fence_seq_cst(); /* I4 */
	lt = load_acquire_ptr(&tn->first); /* pairs: TNEWS */
	for (; lt; lt = load_acquire_ptr(&lt->next)) /* pairs: TNEWS */
		if (load_relaxed32(&lt->ended))
			ended = true;
		else if (!xchg_acq_rel32(&lt->queued, 1)) /* I3 */
			stack_push(&lt->loop->news, &lt->node);
	return ended;
}

void
tail_news_reap(struct tail_news *tn)
{
	struct pubptr *at = &tn->first;
	struct loop_tail *lt = load_acquire_ptr(at), *next; /* pairs: TNEWS */

	for (; lt; lt = next) {
		void *expect = lt;

		next = load_acquire_ptr(&lt->next); /* pairs: TNEWS */
		if (!load_acquire32(&lt->ended)) /* pairs: TENDED */
			at = &lt->next;
		else if (cas_acq_rel_ptr(at, &expect, next)) /* pairs: TNEWS */
			tail_unref(lt);
		else /* a loop was inserted before: the next call removes the entry */
			at = &lt->next;
	}
}

void
tail_news_fini(struct tail_news *tn)
{
	tail_news_reap(tn);
	ASSERT(!load_relaxed_ptr(&tn->first));
}
