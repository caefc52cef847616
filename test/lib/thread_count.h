/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many threads this process has, as the kernel says. */
#ifndef TERN_TEST_THREAD_COUNT_H
#define TERN_TEST_THREAD_COUNT_H

#include <stdio.h>

static inline unsigned
thread_count(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	unsigned cnt = 0;
	char line[256];

	while (f && !cnt && fgets(line, sizeof(line), f))
		(void)!sscanf(line, "Threads: %u", &cnt);
	if (f)
		fclose(f);
	return cnt;
}

#endif
