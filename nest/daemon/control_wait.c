/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a command about instances: sent when all instances have carried out the
 * command and the tables have its effects, so that the next query sees the effects. A
 * fill of tables (commit/fill.c) asks instances in the same way.
 *
 * I1  The control worker never waits: it sends questions after the commands, and
 *     continues. The request is kept here until all questions return, or for LATE_NS;
 *     then the answer names the missing instances, and the request ends. A group has its
 *     own time.
 * I2  At most one question to an instance is under way. Further requests wait for the
 *     next question, sent when the first returns, for all of them.
 * I3  Each question returns, even from an instance that ends. Questions to a restarting
 *     instance are asked of its successor, when launched.
 *
 * Loop: the control worker's. Tested by test/net/test_day.py. */
#include "lib/base/list.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/core/control.h"
#include "nest/daemon/control_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#define LATE_NS NS_PER_S

/* A request that waits for its answer, or a group. */
struct control_wait {
	struct control_req *r; /* NULL: a group */
	struct control_group *group; /* NULL: a request */
	struct list waiters; /* struct waiter, by of_wait */
	struct timer late;
};

/* The questions to one instance. Freed when it has neither waiters nor a question under
 * way. */
struct asking {
	struct proto_ack ack; /* first */
	struct instance *in; /* NULL: the instance is gone, and no request waits */
	bool out; /* the question is under way */
	struct list notified; /* struct waiter, by of_asking: the question is theirs */
	struct list later; /* waiters for the next question */
};

/* A request that waits for an instance. */
struct waiter {
	struct list of_wait, of_asking;
	struct control_wait *wait;
	struct asking *asking;
};

static void
wait_waiter_free(TAKE struct waiter *w)
{
	list_del(&w->of_wait);
	list_del(&w->of_asking);
	mem_free(MEM_CONFIG, w);
}

/* control_wait_finish - @cw (TAKE) waits for nobody any more. @late: some instances have
 * not answered. A group may begin the next round of questions. */
static void
control_wait_finish(TAKE struct control_wait *cw, bool late)
{
	struct control_group *g = cw->group;

	timer_cancel(&cw->late);
	if (g) {
		mem_free(MEM_CONFIG, cw);
		g->wait = NULL;
		g->done(g, late);
		return;
	}
	if (cw->r->kind != CTL_CONFIGURE && cw->r->kind != CTL_UNDO)
		control_answer(cw->r, CLI_DONE, "%s", "");
	control_answered(cw->r);
	mem_free(MEM_CONFIG, cw);
}

/* control_wait_all_done - the instance answered: end these waiters. */
static void
control_wait_all_done(struct list *waiters)
{
	while (!list_empty(waiters)) {
		struct waiter *w = container_of(waiters->next, struct waiter, of_asking);
		struct control_wait *cw = w->wait;

		wait_waiter_free(w);
		if (list_empty(&cw->waiters))
			control_wait_finish(cw, false);
	}
}

static void
control_wait_release(struct asking *k)
{
	if (k->out || !list_empty(&k->notified) || !list_empty(&k->later))
		return;
	if (k->in)
		k->in->asking = NULL;
	mem_free(MEM_CONFIG, k);
}

/* control_wait_resume - send the next question for the waiters in `later`, if
 * possible. */
static void
control_wait_resume(struct asking *k)
{
	if (k->out || list_empty(&k->later) || k->in->deleting)
		return;
	list_move_head(&k->notified, &k->later);
	k->out = true;
	k->ack.next = NULL;
	proto_ask(k->in->p, &k->ack);
}

/* control_wait_taken - the question is back. */
static void
control_wait_taken(TAKE struct proto_ack *a)
{
	struct asking *k = container_of(a, struct asking, ack);
	struct list notified; /* a group may send the next question meanwhile */

	k->out = false;
	list_init(&notified);
	list_move_head(&notified, &k->notified);
	control_wait_all_done(&notified);
	control_wait_resume(k);
	control_wait_release(k);
}

static void
control_wait_late(struct timer *t)
{
	struct control_wait *cw = container_of(t, struct control_wait, late);

	while (!list_empty(&cw->waiters)) {
		struct waiter *w = container_of(cw->waiters.next, struct waiter, of_wait);
		struct asking *k = w->asking;

		if (cw->r)
			control_answer(cw->r, CLI_RECONFIGURING,
			    "%s: not yet, the protocol is %s", k->in->name,
			    k->in->deleting ? "restarting" : "busy");
		wait_waiter_free(w);
		control_wait_release(k);
	}
	control_wait_finish(cw, true);
}

static OWNED struct control_wait *
wait_new(struct control *c, uint64_t until_ns)
{
	struct control_wait *cw = mem_zalloc(MEM_CONFIG, sizeof(*cw));

	list_init(&cw->waiters);
	timer_init(&cw->late, &c->worker, control_wait_late);
	timer_set(&cw->late, until_ns);
	return cw;
}

static OWNED struct asking *
wait_asking_new(struct control *c, struct instance *in)
{
	struct asking *k = mem_zalloc(MEM_CONFIG, sizeof(*k));

	k->ack = (struct proto_ack){ .to = &c->worker, .taken = control_wait_taken };
	k->in = in;
	list_init(&k->notified);
	list_init(&k->later);
	return k;
}

static void
control_wait_add(struct control *c, struct control_wait *cw, struct instance *in)
{
	struct waiter *w = mem_zalloc(MEM_CONFIG, sizeof(*w));

	if (!in->asking)
		in->asking = wait_asking_new(c, in);
	w->wait = cw;
	w->asking = in->asking;
	list_add_tail(&cw->waiters, &w->of_wait);
	list_add_tail(&in->asking->later, &w->of_asking);
	control_wait_resume(in->asking);
}

void
control_wait_for(struct control *c, struct control_req *r, struct instance *in)
{
	if (!r->wait) {
		r->wait = wait_new(c, loop_now_ns(&c->worker) + LATE_NS);
		r->wait->r = r;
	}
	control_wait_add(c, r->wait, in);
}

void
control_wait_group(struct control *c, struct control_group *g, struct instance *in)
{
	if (!g->wait) {
		g->wait = wait_new(c, g->until_ns);
		g->wait->group = g;
	}
	control_wait_add(c, g->wait, in);
}

void
control_wait_launched(struct instance *in)
{
	struct asking *k = in->asking;
	struct list notified;

	if (!k)
		return;
	/* The predecessor is gone, so its questions are answered. */
	list_init(&notified);
	list_move_head(&notified, &k->notified);
	control_wait_all_done(&notified);
	if (in->p) {
		control_wait_resume(k);
	} else {
		control_wait_all_done(&k->later);
		k->in = NULL;
		in->asking = NULL;
		control_wait_release(k);
	}
}
