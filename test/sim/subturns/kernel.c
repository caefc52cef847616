/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The system calls of loops for the threads of a run: socket pairs, poll, the clock.
 *
 * A descriptor counts the octets that wait. A read sees the writes of the threads that
 * have written. Outside of a thread the calls reach the kernel. */
#include "test/sim/subturns/model.h"
#include "test/sim/subturns/subturns.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define FDS_MAX  32
#define FD_FIRST 1000

struct pair_end {
	bool open;
	unsigned octets;
	struct sub_clock clock;
};

static struct pair_end end_of[FDS_MAX];
static int end_cnt;

int __real_clock_gettime(clockid_t id, struct timespec *ts);
ssize_t __real_read(int fd, void *buf, size_t len);
ssize_t __real_write(int fd, const void *buf, size_t len);
int __real_close(int fd);
pthread_t __real_pthread_self(void);
int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
ssize_t __wrap_read(int fd, void *buf, size_t len);
ssize_t __wrap_write(int fd, const void *buf, size_t len);
int __wrap_close(int fd);
int __wrap_socketpair(int domain, int type, int protocol, int fd[2]);
int __wrap_poll(struct pollfd *p, nfds_t cnt, int wait_ms);
int __wrap_ppoll(
    struct pollfd *p, nfds_t cnt, const struct timespec *ts, const void *mask);
pthread_t __wrap_pthread_self(void);
int __wrap_pthread_setname_np(pthread_t nr, const char *name);
int __wrap_sched_yield(void);

void
sub_kernel_reset(void)
{
	memset(end_of, 0, sizeof(end_of));
	end_cnt = 0;
}

static struct pair_end *
kernel_end(int fd)
{
	int i = fd - FD_FIRST;

	return i >= 0 && i < end_cnt && end_of[i].open ? &end_of[i] : NULL;
}

int
__wrap_socketpair(int domain, int type, int protocol, int fd[2])
{
	(void)domain;
	(void)type;
	(void)protocol;
	if (end_cnt + 2 > FDS_MAX)
		sub_fail("more than %d descriptors", FDS_MAX);
	for (unsigned i = 0; i < 2; i++) {
		end_of[end_cnt] = (struct pair_end){ .open = true };
		fd[i] = FD_FIRST + end_cnt++;
	}
	return 0;
}

ssize_t
__wrap_write(int fd, const void *buf, size_t len)
{
	struct pair_end *to = kernel_end(((fd - FD_FIRST) ^ 1) + FD_FIRST);

	if (sub_self() < 0)
		return __real_write(fd, buf, len);
	sub_point(true);
	model_settle();
	if (!to)
		sub_fail("writes to a descriptor that is closed");
	model_release((unsigned)sub_self(), &to->clock);
	to->octets += (unsigned)len;
	sub_note("writes an octet");
	return (ssize_t)len;
}

ssize_t
__wrap_read(int fd, void *buf, size_t len)
{
	struct pair_end *e = kernel_end(fd);
	size_t cnt;

	if (sub_self() < 0)
		return __real_read(fd, buf, len);
	sub_point(true);
	model_settle();
	if (!e)
		sub_fail("reads a descriptor that is closed");
	if (!e->octets) {
		errno = EAGAIN;
		return -1;
	}
	model_acquire((unsigned)sub_self(), &e->clock);
	cnt = e->octets < len ? e->octets : len;
	memset(buf, 0, cnt);
	e->octets -= (unsigned)cnt;
	sub_note("reads %zu octets", cnt);
	return (ssize_t)cnt;
}

int
__wrap_close(int fd)
{
	if (sub_self() < 0)
		return __real_close(fd);
	if (kernel_end(fd))
		kernel_end(fd)->open = false;
	return 0;
}

struct asked {
	struct pollfd *p;
	nfds_t cnt;
};

/* kernel_ready - Returns: the number of ready descriptors. @sets: fill revents. */
static int
kernel_ready(const struct asked *a, bool sets)
{
	int found = 0;

	for (nfds_t i = 0; i < a->cnt; i++) {
		const struct pair_end *e = kernel_end(a->p[i].fd);
		short now = e && e->octets ? POLLIN : 0;

		now = (short)((now | POLLOUT) & a->p[i].events);
		found += now != 0;
		if (sets)
			a->p[i].revents = now;
	}
	return found;
}

static bool
kernel_is_ready(void *arg)
{
	return kernel_ready(arg, false) > 0;
}

/* kernel_poll - style: a poll that returns early is a legal poll: the signal mask has no
 * part here. */
static int
kernel_poll(struct pollfd *p, nfds_t cnt, uint64_t wait_ns)
{
	struct asked a = { p, cnt };
	uint64_t now = sub_now();

	sub_point(true);
	model_settle();
	if (wait_ns)
		sub_wait_until(kernel_is_ready, &a,
		    wait_ns < UINT64_MAX - now ? now + wait_ns : UINT64_MAX);
	return kernel_ready(&a, true);
}

int
__wrap_poll(struct pollfd *p, nfds_t cnt, int wait_ms)
{
	return kernel_poll(
	    p, cnt, wait_ms < 0 ? UINT64_MAX : (uint64_t)wait_ms * 1000000);
}

int
__wrap_ppoll(struct pollfd *p, nfds_t cnt, const struct timespec *ts, const void *mask)
{
	(void)mask;
	return kernel_poll(p, cnt,
	    ts ? (uint64_t)ts->tv_sec * 1000000000 + (uint64_t)ts->tv_nsec : UINT64_MAX);
}

int
__wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t now;

	if (sub_self() < 0)
		return __real_clock_gettime(id, ts);
	now = sub_now();
	ts->tv_sec = (time_t)(now / 1000000000);
	ts->tv_nsec = (long)(now % 1000000000);
	return 0;
}

pthread_t
__wrap_pthread_self(void)
{
	return sub_self() < 0 ? __real_pthread_self() : (pthread_t)sub_self() + 1;
}

int
__wrap_pthread_setname_np(pthread_t nr, const char *name)
{
	(void)nr;
	(void)name;
	return 0;
}

int
__wrap_sched_yield(void)
{
	if (sub_self() >= 0)
		sub_yield();
	return 0;
}
