/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A dump whose table goes while its file is opened: that leaves the RCU section, so the
 * table may be freed meanwhile, and the dump must not use the table after it. */
#define mrt_file_open mrt_file_open_at_once
#include "nest/mrt/mrt_file.c"
#undef mrt_file_open

#include "nest/mrt/mrt_dump.h"
#include "test/lib/cli_rig.h"
#include "test/lib/wait.h"

static sem_t dumped;
static char dump_path[80];
static unsigned opened;
static struct {
	int err;
	uint32_t tables_done;
	char error[MRT_ERROR_TEXT];
} answer;

static void
post_conf(const char *tables)
{
	struct control_req *r = control_req_new(CTL_CONFIGURE);
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "%s%s\n", conf_text, tables);
	write_conf(b.s);
	strbuf_fini(&b);
	r->path = mem_strdup(MEM_OTHER, conf_path);
	control_post(&tern, r);
}

/* wait_workers - wait until so many tables and instances are left. Offline. */
static void
test_mrt_dump_wait_workers(uint32_t cnt)
{
	struct wait w = { 0 };

	while (counter32_get(&tern.workers.cnt) != cnt)
		lib_wait_turn(&w, "workers");
}

/* mrt_file_open - the disk is slow: meanwhile the first table is removed and freed. In
 * the dump's worker. */
int
mrt_file_open(struct mrt_file *f, const char *path)
{
	uint32_t cnt = counter32_get(&tern.workers.cnt);

	if (!opened++) {
		post_conf("ipv4 table t_kept;");
		rcu_sleep();
		test_mrt_dump_wait_workers(cnt - 1);
		rcu_wake();
		rcu_quiesce();
		rcu_drain(); /* it has been freed */
	}
	return mrt_file_open_at_once(f, path);
}

static void
test_mrt_dump_done(struct worker *w, TAKE struct msg *m)
{
	struct mrt_ask *a = container_of(m, struct mrt_ask, msg);

	(void)w;
	answer.err = a->err;
	answer.tables_done = a->tables_done;
	memcpy(answer.error, a->error, sizeof(answer.error));
	mrt_ask_free(a);
	sem_post(&dumped);
}

static void
test_table_goes(void **state)
{
	const struct tern_view *v;
	struct mrt_ask *a;
	struct wait w = { 0 };

	(void)state;
	sem_init(&dumped, 0, 0);
	rcu_wake();
	post_conf("ipv4 table t_gone; ipv4 table t_kept;");
	/* pairs: TVIEW */
	while (!(v = load_acquire_ptr(&tern.view)) || v->table_cnt < 4) {
		rcu_quiesce();
		lib_wait_turn(&w, "the tables");
	}
	a = mrt_ask_new();
	a->tables = mem_strdup(MEM_OTHER, "t_*");
	snprintf(dump_path, sizeof(dump_path), "%s.mrt.%%N", conf_path);
	a->filename = mem_strdup(MEM_OTHER, dump_path);
	a->asker = &control.worker;
	a->done = test_mrt_dump_done;
	mrt_dump_start(&tern, a);
	rcu_sleep();
	while (sem_wait(&dumped))
		;
	assert_string_equal(answer.error, "");
	assert_int_equal(answer.err, 0);
	assert_int_equal(opened, 2);
	assert_int_equal(answer.tables_done, 1);
	snprintf(dump_path, sizeof(dump_path), "%s.mrt.t_gone", conf_path);
	assert_int_equal(access(dump_path, F_OK), -1);
	snprintf(dump_path, sizeof(dump_path), "%s.mrt.t_kept", conf_path);
	assert_int_equal(access(dump_path, F_OK), 0);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	latch_wait(&all_gone);
	unlink(dump_path);
	cli_rig_tear_down(NULL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_table_goes, cli_rig_set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
