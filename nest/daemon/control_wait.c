/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer to a command about instances: it comes when all of them have done what the
 * command says and the tables know, so that whoever asks next sees it.
 *
 * I1  The control worker waits for nobody: it sends questions behind the commands, and
 *     goes on. The request lies here until they are back, or for LATE_NS; then the answer
 *     names those that are missing.
 * I2  Each question comes back, also from an instance that ends. What is asked of an
 *     instance that restarts is asked of the one that comes, when that is launched.
 *
 * Loop: the control worker's. */
#include "lib/base/list.h"
#include "lib/base/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/proto.h"
#include "nest/control.h"
#include "nest/daemon/control_priv.h"
#include "sysdep/clock.h"
#include "sysdep/loop.h"

#define LATE_NS NS_PER_S

/* A request that has been carried out but for its answer. */
struct control_wait {
	struct control_req *r; /* NULL: it was answered without those that are out */
	struct list out; /* struct question */
	struct timer late;
};

/* To one instance. */
struct question {
	struct proto_ack ack; /* first */
	struct list link;
	struct control_wait *wait;
	char *name; /* MEM_CONFIG */
	bool restarts; /* it waits for the next instance of this name */
};

static void
finish(struct control_wait *cw)
{
	control_answer(cw->r, CLI_DONE, "%s", "");
	control_answered(cw->r);
	cw->r = NULL;
}

static void
taken(TAKE struct proto_ack *a)
{
	struct question *q = container_of(a, struct question, ack);
	struct control_wait *cw = q->wait;

	list_del(&q->link);
	mem_free(MEM_CONFIG, q->name);
	mem_free(MEM_CONFIG, q);
	if (!list_empty(&cw->out))
		return;
	timer_cancel(&cw->late);
	if (cw->r)
		finish(cw);
	mem_free(MEM_CONFIG, cw);
}

static void
late(struct timer *t)
{
	struct control_wait *cw = container_of(t, struct control_wait, late);
	struct list *n;

	list_for_each (n, &cw->out) {
		const struct question *q = container_of(n, struct question, link);

		control_answer(cw->r, CLI_RECONFIGURING, "%s: not yet, it is %s", q->name,
		    q->restarts ? "restarting" : "busy");
	}
	finish(cw);
}

static OWNED struct control_wait *
wait_new(struct control *c, struct control_req *r)
{
	struct control_wait *cw = mem_zalloc(MEM_CONFIG, sizeof(*cw));

	cw->r = r;
	list_init(&cw->out);
	timer_init(&cw->late, &c->worker, late);
	timer_set(&cw->late, loop_now_ns(&c->worker) + LATE_NS);
	return cw;
}

void
control_wait_for(struct control *c, struct control_req *r, struct instance *in)
{
	struct question *q = mem_zalloc(MEM_CONFIG, sizeof(*q));

	if (!r->wait)
		r->wait = wait_new(c, r);
	q->ack = (struct proto_ack){ .to = &c->worker, .taken = taken };
	q->wait = r->wait;
	q->name = mem_strdup(MEM_CONFIG, in->name);
	list_add_tail(&r->wait->out, &q->link);
	q->restarts = in->deleting;
	if (in->deleting) {
		q->ack.next = in->asked;
		in->asked = &q->ack;
	} else {
		proto_ask(in->p, &q->ack);
	}
}

void
control_wait_launched(struct instance *in)
{
	struct proto_ack *a;

	while ((a = in->asked)) {
		in->asked = a->next;
		container_of(a, struct question, ack)->restarts = false;
		if (in->p)
			proto_ask(in->p, a);
		else
			a->taken(a);
	}
}
