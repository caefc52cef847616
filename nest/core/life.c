/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of workers. Tested by test/unit/test_core.c; test_control.c tests the order of
 * a shutdown.
 *
 * The end of the process, after `shutting_down` was set:
 *
 *      left                             message
 *      no worker but the last workers   to the control worker: end the last workers
 *      the control worker               to the control worker: end
 *      none                             to the main thread
 *
 * I1  At least one table exists, and tables end only after shutting_down was set. So
 *     `workers` becomes 0 only after shutting_down was set.
 * I2  The two counts are independent: each decision reads one count, at the moment of the
 *     thread's own subtraction.
 *
 * Loop: any thread. */
#include "nest/core/tern.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/core/control.h"
#include "sysdep/loop/loop.h"

/* life_notify_control - post an empty message; its handler @fn frees the message. */
static void
life_notify_control(struct tern *t, void (*fn)(struct worker *w, TAKE struct msg *m))
{
	struct msg *m = mem_zalloc(MEM_OTHER, sizeof(*m));

	m->handle = fn;
	worker_post(t->control.worker, m);
}

void
tern_worker_gone(struct tern *t)
{
	uint32_t left = counter32_sub_acq_rel(&t->workers.cnt, 1) - 1;

	if (left == 0 && load_acquire32(&t->shutting_down)) /* pairs: SHUTDOWN */
		life_notify_control(t, t->control.ops->others_gone);
}

void
tern_last_worker_gone(struct tern *t)
{
	uint32_t left = counter32_sub_acq_rel(&t->workers.last, 1) - 1;

	if (left == 0)
		t->control.ops->all_gone(t->control.worker);
	else if (left == 1 && load_acquire32(&t->shutting_down)) /* pairs: SHUTDOWN */
		life_notify_control(
		    t, t->control.ops->alone); /* the reader's posts come first */
}

void
tern_proto_gone(struct tern *t, TAKE struct proto *p)
{
	struct control_proto_gone *g = mem_zalloc(MEM_PROTO, sizeof(*g));

	g->msg.handle = t->control.ops->proto_gone;
	g->p = p;
	worker_post(t->control.worker, &g->msg);
}
