/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs blocking work in threads beside the loops. No thread waits for a working side
 * thread: at the end of the process the side threads end with the process. Side threads
 * block all signals, like loops. The running threads are counted, because a library must
 * not destroy its globals at the end of the process (atexit) while a side thread is in
 * the library.
 *
 * I1  A thread has ended when its thread-specific data, which may belong to a library, is
 *     destroyed as well. Each thread is therefore joined, by the next ending thread or by
 *     side_all_ended.
 *
 * Any thread. Tests: test_side.c, test/net/test_rpki.py. */
#include "sysdep/os/side.h"
#include "sysdep/os/sandbox.h"

#include "lib/mem/mem.h"

#include <bsd/string.h>
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

static struct {
	pthread_mutex_t lock;
	uint32_t running;
	/* the thread that ended last and has joined its predecessor (I1) */
	pthread_t dead;
	bool dead_valid;
} side = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* side_count - add @by to the number of running threads. */
static void
side_count(int by)
{
	pthread_mutex_lock(&side.lock);
	side.running += (uint32_t)by;
	pthread_mutex_unlock(&side.lock);
}

bool
side_all_ended(void)
{
	uint32_t running;
	pthread_t dead;
	bool join;

	pthread_mutex_lock(&side.lock);
	running = side.running;
	dead = side.dead;
	join = !running && side.dead_valid;
	if (join)
		side.dead_valid = false;
	pthread_mutex_unlock(&side.lock);
	if (join)
		pthread_join(dead, NULL);
	return !running;
}

static void *
side_thread(void *arg)
{
	struct side d = *(struct side *)arg;
	pthread_t before;
	bool join;

	mem_free(MEM_LOOP, arg);
	pthread_setname_np(pthread_self(), d.name);
	d.fn(os_fd_of(d.fd), d.arg);

	pthread_mutex_lock(&side.lock);
	join = side.dead_valid;
	before = side.dead;
	side.dead = pthread_self();
	side.dead_valid = true;
	side.running--;
	pthread_mutex_unlock(&side.lock);
	if (join)
		pthread_join(before, NULL);
	return NULL;
}

/* side_start_thread - Returns: errno. */
static int
side_start_thread(struct side *d)
{
	sigset_t old;
	pthread_t thread;
	int rc;

	sandbox_block_signals(&old);
	rc = pthread_create(&thread, NULL, side_thread, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}

struct os_fd
side_start(const char *name, side_fn fn, TAKE void *arg)
{
	struct side *d;
	int pair[2], rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return os_fd_of(-errno);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	d = mem_zalloc(MEM_LOOP, sizeof(*d));
	strlcpy(d->name, name, sizeof(d->name));
	d->fn = fn;
	d->arg = arg;
	d->fd = pair[1];
	side_count(1);
	rc = side_start_thread(d);
	if (!rc)
		return os_fd_of(pair[0]);
	side_count(-1);
	mem_free(MEM_LOOP, d);
	close(pair[0]);
	close(pair[1]);
	return os_fd_of(-rc);
}
