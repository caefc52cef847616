/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test/load/load_gate.h"

#include "test/load/load_run.h"
#include "test/lib/wait.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
real_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double
load_gate_time(uint64_t ns)
{
	return real_s() - (double)(int64_t)(load_now() - ns) / (double)NS_S;
}

static void
load_gate_take_line(struct load_gate *g)
{
	double wait = strncmp(g->line, "go ", 3) ? 0
						 : strtod(g->line + 3, NULL) - real_s();

	g->go_ns = load_now() + (wait > 0 ? (uint64_t)(wait * (double)NS_S) : 0);
	g->len = 0;
}

/* load_gate_hear - read the lines that stdin has. Returns: 0, or -EPIPE at its end. */
static int
load_gate_hear(struct load_gate *g)
{
	struct pollfd p = { .fd = 0, .events = POLLIN };
	char c;

	while (!g->go_ns && poll(&p, 1, 0) > 0) {
		if (read(0, &c, 1) != 1)
			return -EPIPE;
		if (c == '\n') {
			g->line[g->len] = 0;
			load_gate_take_line(g);
		} else if (g->len + 1 < sizeof(g->line)) {
			g->line[g->len++] = c;
		}
	}
	return 0;
}

bool
load_gate_pass(struct load_run *r, const char *name)
{
	struct load_gate *g = &r->gate;

	if (!g->asked) {
		g->asked = true;
		g->asked_ns = load_now();
		printf("{\"ready\": \"%s\", \"at\": %.6f}\n", name, real_s());
		fflush(stdout);
	}
	if (load_gate_hear(g)) {
		fprintf(stderr, "ternload: stdin has ended before the next `go TIME`\n");
		r->fatal = true;
		return false;
	}
	if (!g->go_ns || load_now() < g->go_ns)
		return false;
	g->waited_ns += load_now() - g->asked_ns;
	g->asked = false;
	g->go_ns = 0;
	return true;
}

int
load_gate_wait(struct load_run *r, const char *name)
{
	while (!load_gate_pass(r, name)) {
		if (r->fatal)
			return -EPIPE;
		wait_pause(1000);
	}
	return 0;
}
