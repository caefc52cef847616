/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop: sockets, then steps, then timers, in one thread. */
#include "test/load/load_report.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

uint64_t
load_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_S + (uint64_t)ts.tv_nsec;
}

static void
tick_all(struct load_run *r)
{
	uint32_t c;

	for (c = 0; c < r->clients; c++)
		load_client_tick(r, &r->client[c]);
}

/* A signal to end is a descriptor like others. Returns: it, or -1. */
static int
watch_signals(struct load_run *r)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.u32 = UINT32_MAX };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd >= 0)
		epoll_ctl(r->epoll, EPOLL_CTL_ADD, fd, &ev);
	return fd;
}

/* Progress on a terminal ten times a second; else when there is a new step, and now and
 * then. */
static void
load_loop_progress(struct load_run *r, uint64_t *last_ns, uint32_t *last_step)
{
	uint64_t every = isatty(2) ? NS_S / 10 : 2 * NS_S;

	if (r->steps->cur == *last_step && r->now - *last_ns < every)
		return;
	*last_ns = r->now;
	*last_step = r->steps->cur;
	load_report_progress(r);
}

/* At first sessions follow each other as fast as the server takes them; later, who has
 * lost one waits anyway. */
static bool
wants_to_connect(const struct load_run *r)
{
	return !r->all_up_ns && r->connecting_cnt < r->opt->burst &&
	       r->up_cnt + r->connecting_cnt + r->away_cnt < r->clients;
}

/* What has come for sessions. */
static void
take_events(struct load_run *r)
{
	struct epoll_event ev[256];
	int i, n = epoll_wait(r->epoll, ev, (int)ARRAY_LEN(ev), r->replaying ? 1 : 4);

	r->now = load_now();
	for (i = 0; i < n; i++) {
		if (ev[i].data.u32 == UINT32_MAX)
			r->stopped = true;
		else
			load_client_event(r, &r->client[ev[i].data.u32], ev[i].events);
	}
}

/* What sessions do by themselves, now and then. */
static void
tick_at_times(struct load_run *r, uint64_t *tick_ns)
{
	if (r->now - *tick_ns < 10 * NS_MS && !wants_to_connect(r))
		return;
	*tick_ns = r->now;
	tick_all(r);
}

bool
load_run_loop(struct load_run *r)
{
	uint64_t limit = r->opt->time_limit_s * NS_S, tick_ns = 0, progress_ns;
	uint64_t began;
	int fd;
	uint32_t progress_step = 0;
	bool more = true;

	if (r->opt->stepwise && load_gate_wait(r, "connect"))
		return false;
	fd = watch_signals(r);
	r->gate.waited_ns = 0;
	r->start_ns = r->now = progress_ns = load_now();
	while (more && !r->fatal && !r->stopped &&
	       (r->gate.asked || r->now - r->start_ns <
				     limit + r->steps->held_ns + r->gate.waited_ns)) {
		take_events(r);
		began = r->now;
		if (r->replaying)
			load_update_replay(r);
		more = load_steps_tick(r);
		tick_at_times(r, &tick_ns);
		load_steps_lag(r->steps, began);
		load_curve_take(r);
		load_loop_progress(r, &progress_ns, &progress_step);
	}
	load_report_end_progress(r);
	if (fd >= 0)
		close(fd);
	return !more && !r->fatal;
}

void
load_run_stay(struct load_run *r, const char *name)
{
	uint64_t tick_ns = 0;
	int fd = watch_signals(r);

	while (!r->fatal && !r->stopped && !load_gate_pass(r, name)) {
		take_events(r);
		tick_at_times(r, &tick_ns);
	}
	if (fd >= 0)
		close(fd);
}
