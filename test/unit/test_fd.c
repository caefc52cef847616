/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of descriptors, and a latch between two threads. */
#include "sysdep/os/fd.h"
#include "sysdep/os/latch.h"
#include "test/lib/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static void
test_read(void **state)
{
	char buf[8];
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_NONBLOCK | O_CLOEXEC), 0);
	assert_int_equal(fd_read(os_fd_of(p[0]), buf, sizeof(buf)), 0); /* none now */
	assert_int_equal(fd_write_all(os_fd_of(p[1]), "abc", 3), 0);
	assert_int_equal(fd_read(os_fd_of(p[0]), buf, sizeof(buf)), 3);
	assert_memory_equal(buf, "abc", 3);
	assert_int_equal(fd_read(os_fd_of(p[1]), buf, sizeof(buf)), -EBADF);
	assert_int_equal(fd_close(os_fd_of(p[1])), 0);
	assert_int_equal(fd_read(os_fd_of(p[0]), buf, sizeof(buf)), -EPIPE); /* the end */
	assert_int_equal(fd_close(os_fd_of(p[0])), 0);
	assert_int_equal(fd_close(os_fd_of(p[0])), -EBADF);
}

static void
test_write(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(fd_write_all(os_fd_of(full), "a", 1), -ENOSPC);
	assert_int_equal(fd_write_all(os_fd_of(full), "a", 0), 0);
	fd_close(os_fd_of(full));
	assert_int_equal(fd_write_all(os_fd_of(full), "a", 1), -EBADF);
}

static void
no_effect(int sig)
{
	(void)sig;
}

struct slow_reader {
	int fd;
	pthread_t writer;
	size_t got;
};

/* Interrupts the writer before each read. */
static void *
read_slowly(void *arg)
{
	struct slow_reader *r = arg;
	char buf[4096];
	ssize_t n;

	while ((n = fd_read(os_fd_of(r->fd), buf, sizeof(buf))) > 0) {
		r->got += (size_t)n;
		pthread_kill(r->writer, SIGUSR1);
	}
	return NULL;
}

/* A write that takes a part, or that a signal interrupts, goes on. */
static void
test_write_parts(void **state)
{
	struct sigaction act = { .sa_handler = no_effect }; /* without SA_RESTART */
	static char octets[1 << 20];
	struct slow_reader r = { .writer = pthread_self() };
	pthread_t t;
	int p[2];

	(void)state;
	sigaction(SIGUSR1, &act, NULL);
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	r.fd = p[0];
	assert_int_equal(pthread_create(&t, NULL, read_slowly, &r), 0);
	assert_int_equal(fd_write_all(os_fd_of(p[1]), octets, sizeof(octets)), 0);
	fd_close(os_fd_of(p[1]));
	pthread_join(t, NULL);
	assert_int_equal(r.got, sizeof(octets));
	fd_close(os_fd_of(p[0]));
}

static void
test_dup(void **state)
{
	int p[2], copy;
	char buf[4];

	(void)state;
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	copy = fd_dup(os_fd_of(p[1])).os_nr;
	assert_true(copy >= 0 && copy != p[1]);
	assert_true(fcntl(copy, F_GETFD) & FD_CLOEXEC);
	fd_close(os_fd_of(p[1]));
	assert_int_equal(fd_write_all(os_fd_of(copy), "x", 1), 0);
	assert_int_equal(fd_read(os_fd_of(p[0]), buf, sizeof(buf)), 1);
	fd_close(os_fd_of(copy));
	assert_int_equal(fd_dup(os_fd_of(copy)).os_nr, -EBADF);
	fd_close(os_fd_of(p[0]));
}

static void
test_wait(void **state)
{
	struct fd_want w[2];
	int a[2], b[2];

	(void)state;
	assert_int_equal(pipe2(a, O_CLOEXEC), 0);
	assert_int_equal(pipe2(b, O_CLOEXEC), 0);
	w[0] = (struct fd_want){ .fd = os_fd_of(a[0]), .read = true, .ready = true };
	w[1] = (struct fd_want){ .fd = os_fd_of(b[1]) };
	assert_int_equal(fd_wait(w, 2, 0), 0);
	assert_false(w[0].ready || w[1].ready);
	w[1].write = true;
	assert_int_equal(fd_wait(w, 2, 1000), 1);
	assert_true(!w[0].ready && w[1].ready);
	fd_close(os_fd_of(a[1])); /* the other side has gone */
	assert_int_equal(fd_wait(w, 2, 1000), 2);
	assert_true(w[0].ready && w[1].ready);
	fd_close(os_fd_of(a[0]));
	fd_close(os_fd_of(b[0]));
	fd_close(os_fd_of(b[1]));
}

struct meeting {
	struct latch latch;
	int word;
};

static void *
open_it(void *arg)
{
	struct meeting *m = arg;

	m->word = 7;
	latch_open(&m->latch);
	return NULL;
}

static void
test_latch(void **state)
{
	struct meeting m = { .word = 0 };
	pthread_t t;

	(void)state;
	latch_init(&m.latch);
	assert_int_equal(pthread_create(&t, NULL, open_it, &m), 0);
	latch_wait(&m.latch);
	assert_int_equal(m.word, 7);
	pthread_join(t, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_write_parts),
		cmocka_unit_test(test_dup),
		cmocka_unit_test(test_wait),
		cmocka_unit_test(test_latch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
