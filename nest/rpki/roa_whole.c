/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A source that knows when it has said all: its mark ends a round without settling, and
 * the wait for a table's first data.
 *
 * Loop: the index's, but for what is marked. Tests: test_roa_whole.c, test_rpki.py. */
#include "nest/rpki/rpki_index_priv.h"

#include "lib/base/mem.h"
#include "lib/mt/atomic.h"
#include "nest/rib/table.h"
#include "nest/rpki/rpki_index.h"
#include "sysdep/loop.h"

/* A mark's way: the ring of the source, the table, whose next turn begins when all that
 * came before the mark is published, the index, whose reader then finds it. */
struct whole_mark {
	struct table_mark m;
	struct rpki_index *x; /* one of its users */
};

static void
take_whole(struct worker *w, TAKE struct msg *m)
{
	struct rpki_index *x = container_of(w, struct rpki_index, worker);

	mem_free(MEM_TABLE, container_of(m, struct whole_mark, m.msg));
	x->whole = !load_relaxed32(&x->settle_given);
	x->came = true;
	counter32_sub_acq_rel(&x->users, 1);
	worker_again(w);
	rpki_index_try_stop(x);
}

static void
published(struct worker *w, TAKE struct msg *m)
{
	struct whole_mark *k = container_of(m, struct whole_mark, m.msg);

	(void)w;
	m->handle = take_whole;
	worker_post(&k->x->worker, m);
}

struct table_mark *
rpki_index_mark(struct rpki_index *x)
{
	struct whole_mark *k;

	if (!counter32_add_unless_zero(&x->users, 1))
		return NULL;
	k = mem_zalloc(MEM_TABLE, sizeof(*k));
	k->m.msg.handle = published;
	k->m.to = table_worker(x->table);
	k->x = x;
	return &k->m;
}

/* While a round is on, what is whole waits for its end. */
void
roa_notify_caught_up(struct rpki_index *x)
{
	if (x->came)
		rpki_wait_over(x);
	x->came = false;
	if (!x->whole || x->phase != ROA_QUIET)
		return;
	x->whole = false;
	if (timer_active(&x->settle))
		timer_set(&x->settle, 0);
}
