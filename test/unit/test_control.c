/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control plane's end: a configuration that is still being read when all others have gone. */
#include "test/lib/cli_rig.h"

struct hold {
	struct msg msg;
	sem_t seen, go;
};

/* The worker is busy until it may go, and no grace period waits for it. */
static void
handle_hold(struct worker *w, struct msg *m)
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
hold(struct worker *w, struct hold *h)
{
	h->msg.handle = handle_hold;
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
wait_for(sem_t *s)
{
	while (sem_wait(s))
		;
}

static void
end(void)
{
	wait_for(&all_gone);
	tear_down(NULL);
	assert_int_equal(mem_used(MEM_CONFIG), 0);
	assert_int_equal(mem_used(MEM_OTHER), 0);
}

/* It is still to be read when all others have gone. */
static void
test_late_configuration(void **state)
{
	struct hold h;

	(void)state;
	rcu_wake();
	hold(&control.reader, &h);
	post_configure();
	control_post(&tern, control_req_new(CTL_DOWN));
	rcu_sleep();
	while (counter32_get(&tern.workers) > 2)
		usleep(1000);
	for (int i = 0; i < 100 && counter32_get(&tern.workers) > 1; i++)
		usleep(1000); /* the control worker may not go yet */
	sem_post(&h.go);
	end();
}

/* It has been read when the daemon is told to end; the control worker gets it afterwards. */
static void
test_read_before(void **state)
{
	struct hold early, control_waits, last;

	(void)state;
	rcu_wake();
	hold(&control.reader, &early);
	post_configure();
	hold(&control.worker, &control_waits);
	rcu_sleep();
	wait_for(&control_waits.seen);
	rcu_wake();
	control_post(&tern, control_req_new(CTL_DOWN));
	sem_post(&early.go);
	hold(&control.reader, &last);
	rcu_sleep();
	wait_for(&last.seen);
	sem_post(&last.go);
	sem_post(&control_waits.go);
	end();
}

/* A daemon once more: as the rig is at a program's start. */
static int
set_up_again(void **state)
{
	memset(&tern, 0, sizeof(tern));
	memset(&control, 0, sizeof(control));
	memcpy(strrchr(dir, '-') + 1, "XXXXXX", 6);
	return set_up(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_late_configuration, set_up),
		cmocka_unit_test_setup(test_read_before, set_up_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
