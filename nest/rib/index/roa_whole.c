/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that knows when its data is complete, as a cache at End of Data. The mark of
 * the source starts a round without a settle time, and no round begins before the mark
 * (I1). Settle times are for all other sources. The first mark also ends the wait for a
 * table's first data.
 *
 * I1  A source makes a mark before the first record of its data. So a reader that finds
 *     such a record in the journal finds `open` above 0, until the index has handled the
 *     mark and read all records; meanwhile no round begins. A source that never completes
 *     delays rounds by at most HELD_NS.
 * I2  A source that ends early sends its mark too; then its records, and their removal by
 *     the table, settle.
 *
 * Loop: the index's, but for marked functions. Tests: test_roa_whole.c, test_rpki.py. */
#include "nest/rib/index/rpki_index_priv.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* The way of a mark: the ring of the source; the table, whose next turn begins after the
 * publication of all earlier records; the index, whose reader then finds these
 * records. */
struct whole_mark {
	struct table_mark m;
	struct rpki_index *x; /* counted in its users and its `open` */
	bool partial; /* the data is incomplete (I2) */
};

#define HELD_NS (60 * NS_PER_S)
#define LOOK_NS (10 * NS_PER_MS) /* interval of looks at `open` */

static void
whole_take(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = rpki_index_of_worker(w);
	struct whole_mark *k = container_of(m, struct whole_mark, m.msg);

	x->pending.whole |= !k->partial && !load_relaxed32(&x->pending.settle_given);
	x->pending.came |= !k->partial;
	mem_free(MEM_TABLE, k);
	x->pending.taken++;
	counter32_sub_acq_rel(&x->users, 1);
	worker_again(w);
	rpki_index_try_stop(x);
}

static void
roa_whole_published(struct worker *w, TAKE struct msg *m)
{
	struct whole_mark *k = container_of(m, struct whole_mark, m.msg);

	(void)w;
	m->handle = whole_take;
	worker_post(&k->x->f.worker, m);
}

struct table_mark *
rpki_index_mark(struct rpki_index *x)
{
	struct whole_mark *k;

	if (!counter32_add_unless_zero(&x->users, 1))
		return NULL;
	counter32_add(&x->pending.open, 1);
	k = mem_zalloc(MEM_TABLE, sizeof(*k));
	k->m.msg.handle = roa_whole_published;
	k->m.to = table_worker(x->f.table);
	k->x = x;
	return &k->m;
}

void
rpki_index_mark_partial(struct table_mark *m)
{
	container_of(m, struct whole_mark, m)->partial = true;
}

bool
roa_whole_held(struct rpki_index *x)
{
	uint64_t now = loop_now_ns(&x->f.worker);

	if (!counter32_get(&x->pending.open) || now >= x->pending.first_ns + HELD_NS)
		return false;
	timer_set(&x->pending.settle,
	    now + max_u64(load_relaxed64(&x->pending.settle_min_ns), LOOK_NS));
	return true;
}

/* Complete data waits for the end of the present round, and for other open marks. */
void
roa_whole_caught_up(struct rpki_index *x)
{
	if (x->pending.taken)
		counter32_sub_acq_rel(&x->pending.open, x->pending.taken);
	x->pending.taken = 0;
	if (x->pending.came)
		rpki_wait_over(x);
	x->pending.came = false;
	if (!x->pending.whole || x->round.phase != ROA_QUIET ||
	    counter32_get(&x->pending.open))
		return;
	x->pending.whole = false;
	if (timer_active(&x->pending.settle))
		timer_set(&x->pending.settle, 0);
}
