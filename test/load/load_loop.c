/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop: sockets, then steps, then timers, in one thread. */
#include "test/load/load_report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
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

bool
load_run_loop(struct load_run *r)
{
	uint64_t limit, tick_ns = 0, progress_ns = 0;
	uint64_t every = isatty(2) ? NS_S / 10 : 5 * NS_S;
	struct epoll_event ev[256];
	bool more = true;
	int n, i;

	r->start_ns = r->now = load_now();
	progress_ns = r->now;
	limit = r->start_ns + r->opt->time_limit_s * NS_S;
	while (more && !r->fatal && r->now < limit) {
		n = epoll_wait(r->epoll, ev, (int)ARRAY_LEN(ev), r->replaying ? 1 : 4);
		r->now = load_now();
		for (i = 0; i < n; i++)
			load_client_event(r, &r->client[ev[i].data.u32], ev[i].events);
		if (r->replaying)
			load_update_replay(r);
		more = load_steps_tick(r);
		if (r->now - tick_ns >= 10 * NS_MS) {
			tick_ns = r->now;
			tick_all(r);
		}
		if (r->now - progress_ns >= every) {
			progress_ns = r->now;
			load_report_progress(r);
		}
	}
	load_report_end_progress(r);
	return !more && !r->fatal;
}
