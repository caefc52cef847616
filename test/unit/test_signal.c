/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals arrive in a worker. */
#include "sysdep/loop/signal.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"

struct listener {
	struct signal_watch signal;
	unsigned usr1_cnt, hup_cnt;
};

static void
test_signal_got(struct signal_watch *s, int signo)
{
	struct listener *l = container_of(s, struct listener, signal);

	l->usr1_cnt += signo == SIGUSR1;
	l->hup_cnt += signo == SIGHUP;
	if (l->usr1_cnt && l->hup_cnt) {
		struct worker *w = s->watch.worker;

		signal_watch_close(s);
		signal_watch_close(s);
		worker_stop(w);
	}
}

static const int signo[] = { SIGUSR1, SIGHUP };

static void
listener_play(struct scene *s)
{
	struct listener *l = s->arg;

	signal_watch_close(&l->signal); /* never opened */
	assert_int_equal(signal_watch_open(&l->signal, &s->worker, signo,
			     ARRAY_LEN(signo), test_signal_got),
	    0);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGHUP);
}

static void
test_signals(void **arg)
{
	struct listener l = { 0 };

	(void)arg;
	signal_block(signo, ARRAY_LEN(signo));
	assert_true(scene_run(listener_play, &l));
	assert_int_equal(l.usr1_cnt, 1);
	assert_int_equal(l.hup_cnt, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_signals) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
