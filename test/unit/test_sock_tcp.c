/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams over loopback: a connection with both ends in one worker, what a full socket
 * does, how an end and an error are told, and connecting to nobody. */
#include "sysdep/loop/sock_tcp.c"
#include "sysdep/loop/sock_listen.h"
#include "sysdep/os/clock.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include "test/lib/veiled.h"
#include <fcntl.h>

#define BULK (8 * 1024 * 1024)

struct talk {
	struct sock_listen listen;
	struct sock_tcp a, b; /* a dials, b is accepted */
	struct timer timer;
	uint8_t *bulk;
	size_t sent, got;
	unsigned full_cnt, connected_cnt;
	int dial_err;
	bool with_md5;
	uint16_t taken_port; /* nobody listens there */
};

static struct talk *
talk_of(struct worker *w)
{
	return scene_of(w)->arg;
}

static struct sock_end
test_sock_tcp_loopback(uint16_t port)
{
	return (struct sock_end){ ip4(0x7f000001), port, 0 };
}

static uint8_t
octet_at(size_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

static void
a_connected(struct sock_tcp *s, int err)
{
	struct talk *t = talk_of(s->worker);

	t->connected_cnt++;
	t->dial_err = err;
	if (err) {
		assert_false(sock_tcp_is_open(s));
		worker_stop(s->worker);
		return;
	}
	sock_tcp_want(s, false, true);
}

static void
a_writable(struct sock_tcp *s)
{
	struct talk *t = talk_of(s->worker);

	for (;;) {
		ssize_t n = send(sock_tcp_fd(s).os_nr, t->bulk + t->sent, BULK - t->sent,
		    MSG_NOSIGNAL);

		assert_true(n > 0 || (n < 0 && errno == EAGAIN));
		t->sent += n > 0 ? (size_t)n : 0;
		if (t->sent == BULK) {
			sock_tcp_close(s);
			assert_false(sock_tcp_is_open(s));
			return;
		}
		if (n < 0) {
			t->full_cnt++;
			return;
		}
	}
}

static void
stall_ends(struct timer *timer)
{
	struct talk *t = talk_of(timer->worker);

	/* Until the other side has filled the socket and sleeps. */
	assert_true(t->sent < BULK);
	if (!t->full_cnt || !sock_tcp_unread(&t->b))
		timer_set(timer, loop_now_ns(timer->worker) + NS_PER_MS);
	else
		sock_tcp_want(&t->b, true, false);
}

static void
b_readable(struct sock_tcp *s)
{
	struct talk *t = talk_of(s->worker);
	uint8_t buf[65536];
	ssize_t n;

	while ((n = sock_tcp_read(s, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			if (buf[i] != octet_at(t->got + (size_t)i))
				fail();
		t->got += (size_t)n;
		if (t->got < BULK / 2)
			return; /* level triggered: it is called again */
	}
	if (n == 0)
		return;
	assert_int_equal(n, -EPIPE);
	assert_int_equal(t->got, BULK);
	worker_stop(s->worker); /* the rest in `stop` */
}

static void
not_expected(struct sock_tcp *s)
{
	(void)s;
	fail();
}

static void
failed_not_expected(struct sock_tcp *s, int err)
{
	(void)s;
	(void)err;
	fail();
}

static const struct sock_tcp_ops a_ops = { .connected = a_connected,
	.readable = not_expected,
	.writable = a_writable,
	.failed = failed_not_expected };
static const struct sock_tcp_ops b_ops = {
	.readable = b_readable, .writable = not_expected, .failed = failed_not_expected
};

static void
test_sock_tcp_accepted(struct sock_listen *l, struct os_fd fd,
    const struct sock_end *remote, const struct sock_end *local)
{
	struct talk *t = container_of(l, struct talk, listen);

	assert_true(ip_equal(remote->addr, ip4(0x7f000002)));
	assert_true(ip_equal(local->addr, ip4(0x7f000001)));
	assert_int_equal(local->port, sock_listen_end(l).port);
	sock_tcp_adopt(&t->b, fd);
	assert_true(sock_tcp_is_open(&t->b));
	timer_set(&t->timer, loop_now_ns(t->b.worker) + 30 * NS_PER_MS);
}

static int
test_sock_tcp_dial(struct talk *t, uint16_t port, const char *key)
{
	struct sock_tcp_dial d = { .local = { ip4(0x7f000002), 0, 0 },
		.remote = test_sock_tcp_loopback(port),
		.conf = { .ttl = 3, .no_buffer_bulk = true },
		.md5_key = key };

	return sock_tcp_connect(&t->a, &d);
}

static void
talk_stop(struct scene *s)
{
	struct talk *t = s->arg;

	sock_tcp_close(&t->a);
	sock_tcp_close(&t->b);
	sock_tcp_close(&t->b);
	sock_listen_close(&t->listen);
}

static void
talk_play(struct scene *s)
{
	struct talk *t = s->arg;
	struct sock_conf c = { 0 };
	struct sock_end end = test_sock_tcp_loopback(0);
	struct prefix peers = { ip4(0x7f000000), 8, FAM_IP4 };
	char key[VEIL_TEXT(VEIL_MAX)];

	s->stop = talk_stop;
	sock_tcp_init(&t->a, &s->worker, &a_ops);
	sock_tcp_init(&t->b, &s->worker, &b_ops);
	timer_init(&t->timer, &s->worker, stall_ends);
	sock_listen_close(&t->listen);
	assert_int_equal(
	    sock_listen_open(&t->listen, &s->worker, &end, &c, test_sock_tcp_accepted),
	    0);
	veiled(key, "secret");
	if (t->with_md5)
		assert_int_equal(sock_listen_md5(&t->listen, &peers, 0, key), 0);
	assert_int_equal(test_sock_tcp_dial(t, sock_listen_end(&t->listen).port,
			     t->with_md5 ? key : NULL),
	    0);
}

static int
fd_count(void)
{
	int cnt = 0;

	for (int fd = 0; fd < 1000; fd++)
		cnt += fcntl(fd, F_GETFD) >= 0;
	return cnt;
}

static void
run_talk(struct talk *t)
{
	int before = fd_count();
	struct scene s;

	t->bulk = malloc(BULK);
	for (size_t i = 0; i < BULK; i++)
		t->bulk[i] = octet_at(i);
	scene_start(&s, talk_play, t);
	assert_true(scene_wait(&s));
	loop_pool_fini();
	free(t->bulk);
	assert_int_equal(t->dial_err, 0);
	assert_int_equal(t->connected_cnt, 1);
	assert_int_equal(t->got, BULK);
	assert_int_equal(fd_count(), before);
}

static void
test_talk(void **arg)
{
	struct talk t = { 0 };

	(void)arg;
	run_talk(&t);
}

static void
test_talk_md5(void **arg)
{
	struct prefix any = { ip4(0), 0, FAM_IP4 };
	struct sock_conf c = { 0 };
	char key[VEIL_TEXT(1)];
	int fd = sock_tcp_new(AF_INET, &c),
	    rc = sock_md5_set(fd, &any, 0, veiled(key, "x"));
	struct talk t = { .with_md5 = true };

	(void)arg;
	close(fd);
	if (rc == -ENOPROTOOPT || rc == -EPERM)
		unit_cannot_here("a kernel without TCP MD5");
	assert_int_equal(rc, 0);
	run_talk(&t);
}

static void
refused_play(struct scene *s)
{
	struct talk *t = s->arg;
	struct sock_tcp_dial d = { .local = { ip4(0xc6336401), 0, 0 },
		.remote = test_sock_tcp_loopback(1) };

	sock_tcp_init(&t->a, &s->worker, &a_ops);
	/* An address that isn't ours, or of another family, fails at once. */
	assert_int_equal(sock_tcp_connect(&t->a, &d), -EADDRNOTAVAIL);
	assert_false(sock_tcp_is_open(&t->a));
	d.local.addr = (struct ip_addr){ 0x20010db800000000, 1 };
	assert_int_equal(sock_tcp_connect(&t->a, &d), -EAFNOSUPPORT);
	/* A port that nobody listens on is told later. It is taken, so that nobody
	 * will. */
	assert_int_equal(test_sock_tcp_dial(t, t->taken_port, NULL), 0);
	assert_int_equal(t->connected_cnt, 0);
	sock_tcp_want(&t->a, true, true); /* no effect yet */
}

static void
test_refused(void **arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sock_end end = test_sock_tcp_loopback(0);
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, &end);
	struct talk t = { 0 };

	(void)arg;
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, len), 0);
	t.taken_port = sock_local_end(os_fd_of(fd)).port;
	assert_true(scene_run(refused_play, &t));
	assert_int_equal(t.dial_err, -ECONNREFUSED);
	close(fd);
}

/* --- A reset: told to who reads, and to who waits for nothing. --- */

struct reset {
	struct sock_tcp a, b;
	bool reads;
	int err;
};

static void
reset_failed(struct sock_tcp *s, int err)
{
	struct reset *r = scene_of(s->worker)->arg;

	assert_false(r->reads);
	assert_true(sock_tcp_is_open(s));
	r->err = err;
	sock_tcp_close(s);
	worker_stop(s->worker);
}

static void
reset_readable(struct sock_tcp *s)
{
	struct reset *r = scene_of(s->worker)->arg;
	char c;

	assert_true(r->reads);
	r->err = (int)sock_tcp_read(s, &c, 1);
	sock_tcp_close(s);
	worker_stop(s->worker);
}

static const struct sock_tcp_ops reset_ops = { .readable = reset_readable,
	.failed = reset_failed };

static void
reset_play(struct scene *s)
{
	struct reset *r = s->arg;
	int l = socket(AF_INET, SOCK_STREAM, 0), fd[2];
	struct sockaddr_storage sa;
	struct linger hard = { .l_onoff = 1, .l_linger = 0 };
	struct sock_end e = test_sock_tcp_loopback(0);
	socklen_t len = sock_from_end(&sa, &e);

	assert_int_equal(bind(l, (struct sockaddr *)&sa, len), 0);
	assert_int_equal(listen(l, 1), 0);
	e = sock_local_end(os_fd_of(l));
	sock_from_end(&sa, &e);
	fd[0] = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(connect(fd[0], (struct sockaddr *)&sa, len), 0);
	fd[1] = accept4(l, NULL, NULL, SOCK_NONBLOCK);
	close(l);
	sock_tcp_init(&r->a, &s->worker, &reset_ops);
	sock_tcp_init(&r->b, &s->worker, &reset_ops);
	sock_tcp_adopt(&r->a, os_fd_of(fd[0]));
	sock_tcp_adopt(&r->b, os_fd_of(fd[1]));
	sock_tcp_want(&r->b, r->reads, false);
	setsockopt(fd[0], SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	sock_tcp_close(&r->a);
}

static void
test_reset(void **arg)
{
	struct reset r = { 0 };

	(void)arg;
	assert_true(scene_run(reset_play, &r));
	assert_int_equal(r.err, -ECONNRESET);
	r.reads = true;
	r.err = 0;
	assert_true(scene_run(reset_play, &r));
	assert_int_equal(r.err, -ECONNRESET);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_talk),
		cmocka_unit_test(test_talk_md5),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
