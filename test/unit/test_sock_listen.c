/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accepting: more connections at once than a round takes, running out of descriptors, a
 * port that is in use. (A stream over it: test_sock_tcp.c.) */
#include "sysdep/loop/sock_listen.c"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>

#define CNT (3 * LISTEN_ACCEPT_CNT)

struct crowd {
	struct sock_listen listen, second;
	int client[CNT], fd[CNT];
	unsigned cnt;
	struct rlimit old;
	struct timer relief;
};

static struct crowd crowd;
static char logged[256];
static unsigned logged_cnt;

/* In the place of sysdep/log/log.c: called in the scene's worker, for want of
 * descriptors. By the time that there are some, an attempt or two have failed again. */
void
log_msg(enum log_class c, const char *fmt, ...)
{
	va_list ap;

	(void)c;
	va_start(ap, fmt);
	vsnprintf(logged, sizeof(logged), fmt, ap);
	va_end(ap);
	logged_cnt++;
	timer_set(&crowd.relief, loop_now_ns(crowd.relief.worker) + 250 * NS_PER_MS);
}

static void
test_sock_listen_accepted(struct sock_listen *l, struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct crowd *c = container_of(l, struct crowd, listen);

	assert_true(fcntl(fd.os_nr, F_GETFL) & O_NONBLOCK);
	assert_int_not_equal(remote->port, local->port);
	c->fd[c->cnt++] = fd.os_nr;
	if (c->cnt == CNT) {
		worker_stop(l->watch.worker);
		sock_listen_close(l);
		sock_listen_close(l);
	}
}

static void
test_sock_listen_relieve(struct timer *t)
{
	struct crowd *c = scene_of(t->worker)->arg;

	assert_true(c->cnt < CNT);
	setrlimit(RLIMIT_NOFILE, &c->old);
}

static void
crowd_play(struct scene *s)
{
	struct crowd *c = s->arg;
	struct sock_conf conf = { 0 };
	struct sock_end end = { ip4(0x7f000001), 0, 0 };
	struct rlimit limit;
	struct sockaddr_storage sa;
	socklen_t len;

	assert_int_equal(sock_listen_open(&c->listen, &s->worker, &end, &conf,
			     test_sock_listen_accepted),
	    0);
	end = sock_listen_end(&c->listen);
	assert_int_equal(sock_listen_open(&c->second, &s->worker, &end, &conf,
			     test_sock_listen_accepted),
	    -EADDRINUSE);
	len = sock_from_end(&sa, &end);
	for (unsigned i = 0; i < CNT; i++) {
		c->client[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_true(c->client[i] >= 0);
		assert_int_equal(connect(c->client[i], (struct sockaddr *)&sa, len), 0);
	}
	/* Room for some of them only; later for all. */
	getrlimit(RLIMIT_NOFILE, &c->old);
	limit = c->old;
	limit.rlim_cur = (rlim_t)c->client[CNT - 1] + LISTEN_ACCEPT_CNT;
	setrlimit(RLIMIT_NOFILE, &limit);
	timer_init(&c->relief, &s->worker, test_sock_listen_relieve);
}

static void
test_crowd(void **arg)
{
	(void)arg;
	assert_true(scene_run(crowd_play, &crowd));
	assert_int_equal(crowd.cnt, CNT);
	/* told, but not with each attempt */
	assert_int_equal(logged_cnt, 1);
	assert_non_null(strstr(logged, "Can't accept connections at 127.0.0.1 port "));
	assert_non_null(strstr(logged, "Too many open files"));
	for (unsigned i = 0; i < CNT; i++) {
		close(crowd.client[i]);
		close(crowd.fd[i]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_crowd) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
