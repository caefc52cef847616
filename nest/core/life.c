/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of workers. Tested by test/unit/test_core.c; the order of a shutdown by
 * test_control.c.
 *
 * The end of the process, after `shutting_down` was set:
 *
 *      left workers                     who is told
 *      those of last_workers            the control worker: tell the other ones to end
 *      the control worker               the control worker: end
 *      none                             the main thread
 *
 * I1  There is always a table, and tables are told to go after shutting_down was set. So
 *     a worker that goes after shutting_down is the one that leaves last_workers. */
#include "nest/core/tern.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/core/control.h"
#include "sysdep/loop/loop.h"

/* tell_control - a message that is nothing but a call of @fn, which frees it. */
static void
tell_control(struct tern *t, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

	m->handle = fn;
	worker_post(t->control, m);
}

void
tern_worker_gone(struct tern *t)
{
	uint32_t last = counter32_get(&t->last_workers);
	uint32_t left = counter32_sub_acq_rel(&t->workers, 1) - 1;

	if (left == 0) {
		t->control_ops->all_gone(t->control);
		return;
	}
	if (!load_acquire32(&t->shutting_down)) /* pairs: SHUTDOWN */
		return;
	if (left == last)
		tell_control(t, t->control_ops->others_gone);
	else if (left == 1)
		tell_control(
		    t, t->control_ops->alone); /* the reader's posts come first */
}

void
tern_proto_gone(struct tern *t, TAKE struct proto *p)
{
	struct control_proto_gone *g = mem_zalloc(MEM_PROTO, sizeof(*g));

	g->msg.handle = t->control_ops->proto_gone;
	g->p = p;
	worker_post(t->control, &g->msg);
}
