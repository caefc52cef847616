/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control plane's end: a configuration that is still being read when all others have gone. */
#include "test/lib/cli_rig.h"

struct hold {
	struct msg msg;
	sem_t go;
};

/* The reader is busy, and no grace period waits for it. */
static void
handle_hold(struct worker *w, struct msg *m)
{
	struct hold *h = container_of(m, struct hold, msg);

	(void)w;
	rcu_sleep();
	while (sem_wait(&h->go))
		;
	rcu_wake();
}

static void
test_late_configuration(void **state)
{
	struct hold h = { .msg.handle = handle_hold };
	struct control_req *r = control_req_new(CTL_CONFIGURE);

	(void)state;
	sem_init(&h.go, 0, 0);
	rcu_wake();
	worker_post(&control.reader, &h.msg);
	r->path = mem_strdup(MEM_OTHER, conf_path);
	control_post(&tern, r);
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	while (counter32_get(&tern.workers) > 2)
		usleep(1000);
	for (int i = 0; i < 100 && counter32_get(&tern.workers) > 1; i++)
		usleep(1000); /* the control worker may not go yet */
	sem_post(&h.go);
	while (sem_wait(&all_gone))
		;
	tear_down(NULL);
	assert_int_equal(mem_used(MEM_CONFIG), 0);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_late_configuration, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
