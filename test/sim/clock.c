/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks, random numbers and facts about the machine, the same on every machine.
 *
 * Every function __wrap_* stands for the call of the same name. */
#include "test/sim/sim_priv.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

/* The world begins on 1 March 2026, 00:00:00 UTC, at 1,000 s of the monotonic clock. */
#define REAL_BASE_S (1772323200ull - 1000)

int64_t
sim_clock_step(void)
{
	return sim->clock_step_ns;
}

void
sim_clock_set(int64_t step_ns)
{
	sim_event("the calendar clock is set by %lld ns", (long long)step_ns);
	sim->clock_step_ns = step_ns;
}

uint64_t
sim_real_ns(uint64_t at_ns)
{
	return (uint64_t)((int64_t)(at_ns + REAL_BASE_S * SIM_S) + sim_clock_step());
}

int
__wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	uint64_t ns = sim_self() ? sim_tick() : sim_now();

	if (id == CLOCK_REALTIME)
		ns = sim_real_ns(ns);
	ts->tv_sec = (time_t)(ns / SIM_S);
	ts->tv_nsec = (long)(ns % SIM_S);
	return 0;
}

int
__wrap_nanosleep(const struct timespec *ts, struct timespec *rest)
{
	(void)rest;
	sim_sleep(sim_now() + (uint64_t)ts->tv_sec * SIM_S + (uint64_t)ts->tv_nsec);
	return 0;
}

void
__wrap_arc4random_buf(void *buf, size_t len)
{
	unsigned char *p = buf;

	for (size_t i = 0; i < len; i++)
		p[i] = (unsigned char)sim_random(256);
}

int
__wrap_gethostname(char *name, size_t len)
{
	snprintf(name, len, "sim");
	return 0;
}

pid_t
__wrap_getpid(void)
{
	return 4242;
}

pid_t
__wrap_gettid(void)
{
	return sim_self() ? 4242 + (pid_t)sim_task_nr(sim_self()) : 4242;
}

int
__wrap_getpriority(int which, id_t who)
{
	(void)which;
	(void)who;
	return 0;
}

int
__wrap_setpriority(int which, id_t who, int value)
{
	(void)which;
	(void)who;
	(void)value;
	return 0;
}

int
__wrap_sched_getaffinity(pid_t pid, size_t len, cpu_set_t *set)
{
	(void)pid;
	memset(set, 0, len);
	CPU_SET(0, set);
	CPU_SET(1, set);
	return 0;
}

int
__wrap_getrusage(int who, struct rusage *r)
{
	(void)who;
	memset(r, 0, sizeof(*r));
	return 0;
}

int
__wrap_getrlimit(int what, struct rlimit *r)
{
	(void)what;
	r->rlim_cur = r->rlim_max = 20000;
	return 0;
}

int
__wrap_setrlimit(int what, const struct rlimit *r)
{
	(void)what;
	(void)r;
	return 0;
}

int
__wrap_mincore(void *at, size_t len, unsigned char *vec)
{
	(void)at;
	(void)vec;
	(void)len;
	errno = ENOSYS;
	return -1;
}

long
__wrap_syscall(long nr, ...)
{
	(void)nr;
	errno = ENOSYS;
	return -1;
}

/* The heap is that of the whole process, and a look at its free pieces costs more than
 * the daemon's second. */
struct mallinfo2
__wrap_mallinfo2(void)
{
	return (struct mallinfo2){ 0 };
}

int
__wrap_malloc_trim(size_t keep)
{
	(void)keep;
	return 0;
}

void
sim_step(void)
{
	sim_cut(8, 20 * SIM_US);
}
