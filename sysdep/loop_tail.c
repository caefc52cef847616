/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tails that a loop's workers watch: one dense array for each, so that a look at a
 * thousand readers of a journal costs one comparison while it hasn't moved, and a walk
 * over 16 octets for each when it has.
 *
 * I1  A worker that is told to have seen less than the tail has a turn at once. So
 *     between two looks an entry differs from the tail only if that has moved since the
 *     first (`last`).
 * I2  An entry's watch knows its place (slot); the last one moves to a place that gets
 *     free.
 *
 * Loop: the workers'. Test: test/unit/test_loop_tail.c. */
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/base/vec.h"
#include "lib/mt/atomic.h"
#include "sysdep/loop.h"
#include "sysdep/loop_priv.h"

struct tail_entry {
	uint64_t seen;
	struct tail_watch *watch;
};

struct loop_tail {
	const struct pub64 *tail;
	uint64_t last; /* at the last look */
	struct tail_entry *entry;
	uint32_t cnt, cap;
};

static void
take_notice(struct tail_watch *tw)
{
	if (!tw->worker->stopping)
		worker_again(tw->worker);
}

void
loop_look_at_tails(struct loop *l)
{
	for (uint32_t t = 0; t < l->tail_cnt; t++) {
		struct loop_tail *lt = &l->tail[t];
		uint64_t at = load_relaxed64(lt->tail);

		if (at == lt->last)
			continue;
		lt->last = at;
		for (uint32_t i = 0; i < lt->cnt; i++)
			if (lt->entry[i].seen != at && lt->entry[i].seen != TAIL_IGNORED)
				take_notice(lt->entry[i].watch);
	}
}

/* tail_of - NULL: nobody here watches it. */
static struct loop_tail *
tail_of(struct loop *l, const struct pub64 *tail)
{
	for (uint32_t t = 0; t < l->tail_cnt; t++)
		if (l->tail[t].tail == tail)
			return &l->tail[t];
	return NULL;
}

static struct loop_tail *
make_tail(struct loop *l, const struct pub64 *tail)
{
	struct loop_tail *lt;

	l->tail = vec_room(
	    MEM_LOOP, l->tail, &l->tail_cap, l->tail_cnt + 1, sizeof(*l->tail));
	lt = &l->tail[l->tail_cnt++];
	*lt = (struct loop_tail){ .tail = tail };
	return lt;
}

void
tail_watch_add(struct tail_watch *tw, struct worker *w, const struct pub64 *tail)
{
	struct loop_tail *lt = tail_of(w->loop, tail);

	DCHECK(loop_is_mine(w->loop));
	ASSERT(!w->stopping);
	if (!lt)
		lt = make_tail(w->loop, tail);
	if (lt->cnt == lt->cap) {
		lt->cap = lt->cap ? 2 * lt->cap : 1;
		lt->entry = mem_realloc(
		    MEM_LOOP, lt->entry, lt->cap * sizeof(*lt->entry));
	}
	tw->worker = w;
	tw->tail = tail;
	tw->slot = lt->cnt;
	list_add_tail(&w->tails, &tw->link);
	lt->entry[lt->cnt++] = (struct tail_entry){ TAIL_IGNORED, tw };
}

void
tail_watch_seen(struct tail_watch *tw, uint64_t pos)
{
	struct loop_tail *lt;

	if (!tw->worker)
		return;
	lt = tail_of(tw->worker->loop, tw->tail);
	lt->entry[tw->slot].seen = pos;
	if (pos != TAIL_IGNORED && pos != load_relaxed64(tw->tail)) /* I1 */
		take_notice(tw);
}

void
tail_watch_del(struct tail_watch *tw)
{
	struct loop *l;
	struct loop_tail *lt;

	if (!tw->worker)
		return;
	l = tw->worker->loop;
	lt = tail_of(l, tw->tail);
	lt->entry[tw->slot] = lt->entry[--lt->cnt]; /* I2 */
	lt->entry[tw->slot].watch->slot = tw->slot;
	list_del(&tw->link);
	tw->worker = NULL;
	if (!lt->cnt) {
		mem_free(MEM_LOOP, lt->entry);
		*lt = l->tail[--l->tail_cnt];
	}
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
	mem_free(MEM_LOOP, l->tail);
}
