/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of a daemon that the gate measures (LD_PRELOAD).
 *
 * Valgrind makes the daemon thirty times slower, and other programs make the daemon
 * slower still. A loop whose turn lasts too long cuts its work into more turns, so the
 * time of day would decide how many instructions a route costs. Here the monotonic clock
 * of a thread stands while the thread works: a wait for sockets sets the clock, and each
 * reading adds STEP_NS. The clock of a thread's CPU time stands as well. A thread that
 * never waits for sockets has the real clocks. */
#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STEP_NS 100
#define S_NS    1000000000ull

static _Thread_local uint64_t clock_ns; /* 0: the real clock */
static _Thread_local uint64_t cpu_ns;

static uint64_t
clock_real(void)
{
	struct timespec ts;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * S_NS + (uint64_t)ts.tv_nsec;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t *ns = id == CLOCK_MONOTONIC ? &clock_ns : &cpu_ns;

	if ((id != CLOCK_MONOTONIC && id != CLOCK_THREAD_CPUTIME_ID) || !clock_ns)
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ns += STEP_NS;
	ts->tv_sec = (time_t)(*ns / S_NS);
	ts->tv_nsec = (long)(*ns % S_NS);
	return 0;
}

int
epoll_wait(int fd, struct epoll_event *ev, int cap, int timeout_ms)
{
	int cnt = (int)syscall(SYS_epoll_pwait, fd, ev, cap, timeout_ms, NULL, 8);
	uint64_t now = clock_real();

	if (now > clock_ns)
		clock_ns = now;
	return cnt;
}

/* epoll_pwait2 - missing, as with valgrind before 3.20: the gate reads the time of a wait
 * in the arguments of epoll_pwait. */
int
epoll_pwait2(int fd, struct epoll_event *ev, int cap, const struct timespec *timeout,
    const sigset_t *mask)
{
	(void)fd;
	(void)ev;
	(void)cap;
	(void)timeout;
	(void)mask;
	errno = ENOSYS;
	return -1;
}
