/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and numbers of the process, from Linux. */
#include "sysdep/os.h"
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* glibc would make an arena for each of the first 8 threads a CPU, and memory that one
 * session frees stays in its arena. Two keep the tables' threads out of each other's way.
 */
#define ARENA_MAX 2
/* A block of that many octets or more goes back to the system when it is freed. Fixed,
 * because glibc raises the threshold by itself when such a block is freed, and memory
 * then stays. */
#define MMAP_THRESHOLD (256 * 1024)

uint64_t
os_raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_cur < limit.rlim_max) {
		rlim_t old = limit.rlim_cur;

		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			limit.rlim_cur = old;
	}
	return limit.rlim_cur;
}

void
os_malloc_setup(void)
{
	mallopt(M_ARENA_MAX, ARENA_MAX);
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
}

uint64_t
os_rss_bytes(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long size, rss = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &size, &rss) != 2)
		rss = 0;
	fclose(f);
	return rss * (uint64_t)sysconf(_SC_PAGESIZE);
}

unsigned
os_thread_count(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	unsigned cnt = 0;

	if (!f)
		return 0;
	while (!cnt && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Threads:", 8))
			cnt = (unsigned)strtoul(line + 8, NULL, 10);
	fclose(f);
	return cnt;
}

unsigned
os_cpu_count(void)
{
	cpu_set_t set;
	int cnt;

	CPU_ZERO(&set);
	cnt = sched_getaffinity(0, sizeof(set), &set) ? 0 : CPU_COUNT(&set);
	return cnt > 0 ? (unsigned)cnt : 1;
}

char *
os_hostname(char *buf, size_t len)
{
	ASSERT(len > 0);
	if (gethostname(buf, len))
		buf[0] = 0;
	buf[len - 1] = 0;
	return buf;
}

#define TRIM_MIN (8u << 20) /* free octets that are always kept */

void
os_malloc_trim(void)
{
	struct mallinfo2 m = mallinfo2();

	if (m.fordblks > TRIM_MIN && m.fordblks > m.uordblks / 8)
		malloc_trim(0);
}
