/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time and memory of processes, read from /proc. */
#ifndef TERN_TEST_LOAD_PROC_H
#define TERN_TEST_LOAD_PROC_H

#include "lib/base/base.h"

struct load_usage {
	double user_s, system_s; /* in steps of 10 ms */
	double cpu_s; /* both, exactly */
	uint64_t rss_kb, peak_kb;
	unsigned processes;
	unsigned threads;
};

/* load_proc_usage - the sum over these processes and all their descendants. */
void load_proc_usage(struct load_usage *u, const int *pid, unsigned cnt);

#endif
