/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads for work that blocks. They are detached, and nobody waits for them: at the end
 * of the process they end with it. They have all signals blocked, as loops have. They are
 * counted, since a library must not take its globals down at the end of the process
 * (atexit) while one of them is still in it.
 *
 * Any thread. Tests: test_side.c, test/net/test_rpki.py. */
#include "sysdep/side.h"

#include "lib/base/mem.h"
#include "lib/mt/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

struct side {
	char name[16];
	side_fn fn;
	void *arg;
	int fd;
};

static struct counter32 running;

uint32_t
side_running(void)
{
	return counter32_get(&running);
}

static void *
side_thread(void *arg)
{
	struct side d = *(struct side *)arg;

	mem_free(MEM_LOOP, arg);
	pthread_setname_np(pthread_self(), d.name);
	d.fn(d.fd, d.arg);
	counter32_sub_acq_rel(&running, 1);
	return NULL;
}

/* start_thread - Returns: errno. */
static int
start_thread(struct side *d)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&thread, &attr, side_thread, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	return rc;
}

int
side_start(const char *name, side_fn fn, TAKE void *arg)
{
	struct side *d;
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	d = mem_zalloc(MEM_LOOP, sizeof(*d));
	snprintf(d->name, sizeof(d->name), "%s", name);
	d->fn = fn;
	d->arg = arg;
	d->fd = pair[1];
	counter32_add(&running, 1);
	rc = start_thread(d);
	if (!rc)
		return pair[0];
	counter32_sub_acq_rel(&running, 1);
	mem_free(MEM_LOOP, d);
	close(pair[0]);
	close(pair[1]);
	return -rc;
}
