/* SPDX-License-Identifier: GPL-3.0-or-later */
/* nest/core without a control plane: who is told when workers go, tables by name, and a
 * request's way. */
#include "nest/core/control.h"
#include "nest/core/tern.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/latch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct tern tern;
static struct worker control;
static struct latch ended;
static char noted[8]; /* what the control worker was noted, in order */

static void
test_core_note(char what)
{
	noted[strlen(noted)] = what;
}

static void
others_gone(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	mem_free(MEM_OTHER, m);
	test_core_note('o');
	tern_last_worker_gone(&tern); /* the reader's, say */
}

static void
test_core_alone(struct worker *w, TAKE struct msg *m)
{
	mem_free(MEM_OTHER, m);
	test_core_note('a');
	worker_stop(w);
}

static void
test_core_all_gone(struct worker *w)
{
	assert_ptr_equal(w, &control);
	test_core_note('n');
	latch_open(&ended);
}

static void
test_core_request(struct worker *w, TAKE struct msg *m)
{
	struct control_req *r = container_of(m, struct control_req, msg);

	(void)w;
	assert_ptr_equal(r->tern, &tern);
	test_core_note('r');
	control_answer(r, CLI_DONE, "%s", "heard");
	assert_string_equal(r->answer.line[0].text, "heard");
	control_answered(r); /* nobody asked: the request is freed */
}

static void
test_core_proto_gone(struct worker *w, TAKE struct msg *m)
{
	struct control_proto_gone *g = container_of(m, struct control_proto_gone, msg);

	(void)w;
	assert_ptr_equal(g->p, (struct proto *)&tern);
	mem_free(MEM_PROTO, g);
	test_core_note('p');
	/* the worker of the instance was the last one of many */
	store_release32(&tern.shutting_down, 1); /* pairs: SHUTDOWN */
	tern_worker_gone(&tern);
}

static const struct control_ops ops = { .request = test_core_request,
	.proto_gone = test_core_proto_gone,
	.others_gone = others_gone,
	.alone = test_core_alone,
	.all_gone = test_core_all_gone };

static void
control_is_gone(struct worker *w)
{
	(void)w;
	tern_last_worker_gone(&tern);
}

static const struct worker_ops control_worker_ops = { .gone = control_is_gone };

/* The order of a shutdown: none is told before shutting_down; then the control worker
 * twice; at last the main thread. */
static void
test_life(void **state)
{
	struct control_req *r = control_req_new(CTL_CONFIRM);

	(void)state;
	rcu_join();
	latch_init(&ended);
	tern.control.worker = &control;
	tern.control.ops = &ops;
	tern_last_worker_start(&tern); /* control */
	tern_last_worker_start(&tern); /* the reader */
	tern_worker_start(&tern);
	tern_worker_start(&tern);
	tern_worker_gone(&tern); /* nobody is told: the process is not to end */
	worker_start(&control, &control_worker_ops, WORKER_CONTROL, "control");
	control_post(&tern, r);
	tern_proto_gone(&tern, (struct proto *)&tern);
	rcu_sleep();
	latch_wait(&ended);
	loop_pool_fini();
	rcu_wake();
	assert_string_equal(noted, "rpoan");
	rcu_leave();
}

static void
test_tables(void **state)
{
	struct tern_table a, b, c;
	struct table *ta = (struct table *)&a, *tb = (struct table *)&b;

	(void)state;
	htab_init(&tern.tables.by_name, MEM_CONFIG);
	assert_null(tern_table_find(&tern, "master4"));
	tern_table_add(&tern, &a, "master4", ta);
	tern_table_add(&tern, &b, "master6", tb);
	assert_ptr_equal(tern_table_of(&tern, "master4"), ta);
	assert_ptr_equal(tern_table_of(&tern, "master6"), tb);
	assert_null(tern_table_find(&tern, "master"));
	/* a table that is made anew takes the name of the one that goes */
	tern_table_del(&tern, &a);
	tern_table_add(&tern, &c, "master4", tb);
	assert_ptr_equal(tern_table_of(&tern, "master4"), tb);
	tern_table_del(&tern, &b);
	tern_table_del(&tern, &c);
	assert_null(tern_table_find(&tern, "master6"));
	htab_fini(&tern.tables.by_name);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
