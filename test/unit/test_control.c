/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control plane's end: a configuration that is still being read when all others have
 * gone. */
#include "test/lib/cli_rig.h"
#include "test/lib/wait.h"

struct hold {
	struct msg msg;
	sem_t seen, go;
};

/* The worker is busy until it may go, and no grace period waits for it. */
static void
test_control_handle_hold(struct worker *w, struct msg *m)
{
	struct hold *h = container_of(m, struct hold, msg);

	(void)w;
	sem_post(&h->seen);
	rcu_sleep();
	while (sem_wait(&h->go))
		;
	rcu_wake();
}

static void
test_control_hold(struct worker *w, struct hold *h)
{
	h->msg.handle = test_control_handle_hold;
	sem_init(&h->seen, 0, 0);
	sem_init(&h->go, 0, 0);
	worker_post(w, &h->msg);
}

static void
post_configure(void)
{
	struct control_req *r = control_req_new(CTL_CONFIGURE);

	r->path = mem_strdup(MEM_OTHER, conf_path);
	control_post(&tern, r);
}

static void
test_control_wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

static void
test_control_end(void)
{
	test_control_wait_for(&all_gone.sem);
	cli_rig_tear_down(NULL);
	assert_int_equal(mem_used(MEM_CONFIG), 0);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* It is still to be read when all others have gone. */
static void
test_late_configuration(void **state)
{
	struct hold h;
	struct wait w = { 0 };

	(void)state;
	rcu_wake();
	test_control_hold(&control.reader, &h);
	post_configure();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	while (counter32_get(&tern.workers.cnt) > 2)
		lib_wait_turn(&w, "workers to go");
	/* the control worker may not go yet */
	for (int i = 0; i < 100 && counter32_get(&tern.workers.cnt) > 1; i++)
		wait_spread(1000);
	sem_post(&h.go);
	test_control_end();
}

/* It has been read when the daemon is told to end; the control worker gets it
 * afterwards. */
static void
test_read_before(void **state)
{
	struct hold early, control_waits, last;

	(void)state;
	rcu_wake();
	test_control_hold(&control.reader, &early);
	post_configure();
	test_control_hold(&control.worker, &control_waits);
	rcu_sleep();
	test_control_wait_for(&control_waits.seen);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	sem_post(&early.go);
	test_control_hold(&control.reader, &last);
	rcu_sleep();
	test_control_wait_for(&last.seen);
	sem_post(&last.go);
	sem_post(&control_waits.go);
	test_control_end();
}

/* ---- who waits for an instance that is busy ---- */

#define ASKERS 10

static sem_t answered;

static void
got_answer(struct worker *w, TAKE struct msg *m)
{
	struct control_req *r = container_of(m, struct control_req, msg);

	(void)w;
	assert_int_equal(r->answer.cnt, 2);
	assert_int_equal(r->answer.line[1].code, CLI_DONE);
	sem_post(&answered);
	control_req_free(r);
}

/* reload_by_all - so many clients at a time. */
static void
reload_by_all(const char *name)
{
	for (unsigned i = 0; i < ASKERS; i++) {
		struct control_req *r = control_req_new(CTL_RELOAD);

		r->pattern = mem_strdup(MEM_OTHER, name);
		r->asker = &control.reader;
		r->done = got_answer;
		control_post(&tern, r);
	}
}

/* One question is under way to it, however many wait; all get their answer. */
static void
test_one_question(void **state)
{
	struct hold h, c, then;
	struct proto *p;
	uint32_t before;

	(void)state;
	sem_init(&answered, 0, 0);
	rcu_wake();
	test_control_hold(&control.worker, &c); /* its first commit comes before */
	rcu_sleep();
	test_control_wait_for(&c.seen);
	p = instance_find(&control, "f2")->p;
	before = p->cmd.posted;
	rcu_wake();
	test_control_hold(&p->worker, &h);
	reload_by_all("f2");
	test_control_hold(&control.worker, &then);
	rcu_sleep();
	test_control_wait_for(&h.seen);
	sem_post(&c.go);
	test_control_wait_for(&then.seen);
	assert_int_equal(p->cmd.posted - before, ASKERS + 1);
	sem_post(&h.go);
	sem_post(&then.go);
	for (unsigned i = 0; i < ASKERS; i++)
		test_control_wait_for(&answered);
	rcu_wake();
	test_control_hold(&control.worker, &c);
	rcu_sleep();
	test_control_wait_for(&c.seen);
	assert_null(instance_find(&control, "f2")->asking);
	sem_post(&c.go);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	test_control_end();
}

/* ---- many that go at once ---- */

#define MANY 30

/* many_conf - so many instances that have nothing to do. */
static void
many_conf(void)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_adds(&b, "router id 10.0.0.1; log \"/dev/null\" all;\n");
	for (unsigned i = 0; i < MANY; i++)
		strbuf_addf(&b,
		    "protocol fake m%u { disabled; ipv4 { import none; export none; }; "
		    "}\n",
		    i);
	write_conf(b.s);
	strbuf_fini(&b);
}

static uint32_t
test_control_inbox_len(const struct worker *w)
{
	const struct stack_node *n = load_acquire_ptr(&w->inbox.head); /* pairs: STACK */
	uint32_t cnt = 0;

	for (; n; n = stack_next(n))
		cnt++;
	return cnt;
}

/* All instances go, and the control worker hears of that in one turn. */
static void
all_go(struct worker *w, struct msg *m)
{
	struct hold *h = container_of(m, struct hold, msg);

	struct wait turn = { 0 };

	commit_shutdown(&control, NULL);
	rcu_sleep();
	while (test_control_inbox_len(w) < MANY)
		lib_wait_turn(&turn, "messages");
	rcu_wake();
	sem_post(&h->seen);
}

static void
view_get(uint32_t *proto_cnt, uint64_t *nr)
{
	const struct tern_view *v;

	rcu_wake();
	v = tern_view_get(&tern);
	*proto_cnt = v->proto_cnt;
	*nr = v->nr;
	rcu_sleep();
}

/* What has gone, and what was made in its place, is shown to others at once, not one by
 * one: each view lists all. */
static void
test_many_go(void **state)
{
	struct hold go = { .msg.handle = all_go }, h;
	uint32_t cnt = 0;
	uint64_t before, after;
	struct wait w = { 0 };

	(void)state;
	many_conf();
	rcu_wake();
	post_configure();
	rcu_sleep();
	while (cnt != MANY) { /* those of before have gone */
		lib_wait_turn(&w, "those of before to go");
		view_get(&cnt, &before);
	}
	sem_init(&go.seen, 0, 0);
	rcu_wake();
	worker_post(&control.worker, &go.msg);
	rcu_sleep();
	test_control_wait_for(&go.seen);
	for (after = before; after == before;) {
		lib_wait_turn(&w, "a view");
		view_get(&cnt, &after);
	}
	rcu_wake();
	test_control_hold(&control.worker, &h); /* more of them would come before */
	rcu_sleep();
	test_control_wait_for(&h.seen);
	sem_post(&h.go);
	view_get(&cnt, &after);
	assert_int_equal(cnt, MANY);
	assert_int_equal(after - before, 1);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	test_control_end();
}

/* A daemon once more: as the rig is at a program's start. */
static int
set_up_again(void **state)
{
	memset(&tern, 0, sizeof(tern));
	memset(&control, 0, sizeof(control));
	memcpy(strrchr(dir, '-') + 1, "XXXXXX", 6);
	return cli_rig_set_up(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_late_configuration, cli_rig_set_up),
		cmocka_unit_test_setup(test_read_before, set_up_again),
		cmocka_unit_test_setup(test_one_question, set_up_again),
		cmocka_unit_test_setup(test_many_go, set_up_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
