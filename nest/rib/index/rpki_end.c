/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of an index: the index was deleted, no subscriber is left, and no mark is under
 * way. Loop: the index's. Tests: test_rpki_index.c. */
#include "nest/rib/index/rpki_index_priv.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/rib/read.h"
#include "sysdep/loop/loop.h"

OWNED struct msg *
rpki_index_msg(void (*fn)(struct worker *w, struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_TABLE, sizeof(*m));

	m->handle = fn;
	return m;
}

static void
rpki_index_left(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_TABLE, m);
	worker_stop(w);
}

void
rpki_index_try_stop(struct rpki_index *x)
{
	if (counter32_get(&x->users) || x->round.marks_out || !x->feed.attached ||
	    x->feed.leaving)
		return;
	x->feed.leaving = true;
	timer_cancel(&x->wait.timer);
	reader_stop(&x->feed.reader);
	reader_detach(&x->feed.reader, rpki_index_msg(rpki_index_left));
}
