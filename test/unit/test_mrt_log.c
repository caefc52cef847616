/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of `mrtdump` while it takes nothing: what is said of lost records. */
#include "nest/mrt/mrt_log.c"
#include "test/lib/cli_rig.h"
#include "test/lib/wait.h"

#define RECORD_LEN 60000 /* no message is as long; fewer are needed */

struct hold {
	struct msg msg;
	sem_t seen, go;
};

static char log_path[64], first[64], second[64];

static void
test_mrt_log_wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

/* The worker is busy until it may go, and no grace period waits for it. */
static void
test_mrt_log_handle_hold(struct worker *w, struct msg *m)
{
	struct hold *h = container_of(m, struct hold, msg);

	(void)w;
	sem_post(&h->seen);
	rcu_sleep();
	test_mrt_log_wait_for(&h->go);
	rcu_wake();
}

static void
test_mrt_log_hold(struct worker *w, struct hold *h)
{
	h->msg.handle = test_mrt_log_handle_hold;
	sem_init(&h->seen, 0, 0);
	sem_init(&h->go, 0, 0);
	rcu_wake();
	worker_post(w, &h->msg);
	rcu_sleep();
	test_mrt_log_wait_for(&h->seen);
}

/* lose - more than may wait, while the file's worker does nothing; then so many are lost.
 */
static void
test_mrt_log_lose(uint64_t cnt)
{
	static const uint8_t octets[RECORD_LEN];
	static const struct mrt_session s = { .as4 = true };
	struct mrt_log *l = load_acquire_ptr(&tern.mrt_log); /* pairs: MRTLOG */
	uint64_t until = counter64_get(&l->dropped) + cnt;

	rcu_wake();
	while (counter64_get(&l->dropped) < until)
		mrt_log_message(&tern, &s, false, octets, sizeof(octets));
	rcu_sleep();
}

/* said - how often the log says that @cnt records of @path were lost. */
static unsigned
test_mrt_log_said(const char *path, unsigned cnt)
{
	char line[1100], want[200];
	unsigned found = 0;
	FILE *f = fopen(log_path, "r");

	assert_non_null(f);
	snprintf(want, sizeof(want), "mrtdump %s: %u records dropped", path, cnt);
	while (fgets(line, sizeof(line), f))
		found += strstr(line, want) != NULL;
	fclose(f);
	return found;
}

/* configure - the first file. */
static void
test_mrt_log_configure(void)
{
	struct control_req *r = control_req_new(CTL_CONFIGURE);
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b,
	    "router id 10.0.0.1; log \"%s\" all; mrtdump \"%s\";\n"
	    "protocol fake f1 { disabled; ipv4 { import none; export none; }; }\n",
	    log_path, first);
	write_conf(b.s);
	strbuf_fini(&b);
	r->path = mem_strdup(MEM_OTHER, conf_path);
	rcu_wake();
	control_post(&tern, r);
	rcu_sleep();
}

static void
wait_until_there(const char *path)
{
	struct wait w = { 0 };

	while (access(path, F_OK))
		lib_wait_turn(&w, path);
}

/* turn - the file's worker, which @h holds, writes what waits; then @again holds it. */
static void
test_mrt_log_turn(struct hold *h, struct hold *again)
{
	struct mrt_log *l = load_acquire_ptr(&tern.mrt_log); /* pairs: MRTLOG */

	struct wait w = { 0 };

	sem_post(&h->go);
	while (counter64_get(&l->waiting))
		lib_wait_turn(&w, "what waits to be written");
	test_mrt_log_hold(&l->worker, again);
}

static uint32_t
test_mrt_log_inbox_len(const struct worker *w)
{
	const struct stack_node *n = load_acquire_ptr(&w->inbox.head); /* pairs: STACK */
	uint32_t cnt = 0;

	for (; n; n = stack_next(n))
		cnt++;
	return cnt;
}

/* Once a minute; and at once before another file comes, or none. */
static void
test_dropped(void **state)
{
	struct mrt_log *l;
	struct hold h[4];
	uint32_t waiting;
	struct wait w = { 0 };

	(void)state;
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	snprintf(first, sizeof(first), "%s/first", dir);
	snprintf(second, sizeof(second), "%s/second", dir);
	test_mrt_log_configure();
	wait_until_there(first);
	l = load_acquire_ptr(&tern.mrt_log); /* pairs: MRTLOG */
	while (!load_relaxed32(&l->open))
		lib_wait_turn(&w, "the open file");

	test_mrt_log_hold(&l->worker, &h[0]);
	test_mrt_log_lose(3);
	test_mrt_log_turn(&h[0], &h[1]);
	test_mrt_log_lose(5);
	test_mrt_log_turn(&h[1], &h[2]); /* too early to be said */
	test_mrt_log_lose(7);
	rcu_wake();
	mrt_log_set(&tern, second);
	rcu_sleep();
	sem_post(&h[2].go);
	wait_until_there(second);
	test_mrt_log_hold(&l->worker, &h[3]);
	test_mrt_log_lose(11);
	waiting = test_mrt_log_inbox_len(&l->worker);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	while (test_mrt_log_inbox_len(&l->worker) == waiting)
		lib_wait_turn(&w, "the message to stop");
	sem_post(&h[3].go);
	test_mrt_log_wait_for(&all_gone.sem);
	log_stop();
	assert_int_equal(test_mrt_log_said(first, 3), 1);
	assert_int_equal(test_mrt_log_said(first, 5 + 7), 1);
	assert_int_equal(test_mrt_log_said(second, 11), 1);
	log_start();
	unlink(first);
	unlink(second);
	unlink(log_path);
	cli_rig_tear_down(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup(
	    test_dropped, cli_rig_set_up) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
