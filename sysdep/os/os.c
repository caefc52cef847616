/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits and numbers of the process, from Linux. Any thread, unless os.h says
 * otherwise. */
#include "sysdep/os/os.h"

#include "lib/mt/atomic.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By default glibc creates an arena for each of the first 8 threads a CPU, and memory
 * that one session frees stays in its arena. Two arenas keep the threads of tables
 * apart. */
#define ARENA_MAX 2
/* A freed block of MMAP_THRESHOLD octets or more returns to the system. The value is
 * fixed, because glibc would raise the threshold after each free of such a block, and
 * memory would stay. */
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

uint64_t
os_nofile(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : limit.rlim_cur;
}

void
os_allow_nice_back(void)
{
	rlim_t wanted = (rlim_t)(20 - getpriority(PRIO_PROCESS, 0));
	struct rlimit limit;

	if (getrlimit(RLIMIT_NICE, &limit) || limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	setrlimit(RLIMIT_NICE, &limit);
}

void
os_allow_real_time(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_RTPRIO, &limit) || limit.rlim_cur)
		return;
	limit.rlim_cur = 1;
	if (!limit.rlim_max)
		limit.rlim_max = 1;
	setrlimit(RLIMIT_RTPRIO, &limit);
}

/* The first version of the kernel's struct sched_attr, whose header can't be included
 * beside <sched.h>. */
struct slice_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

void
os_set_slice(uint64_t ns)
{
	struct slice_attr a = { 0 };

	if (syscall(SYS_sched_getattr, 0, &a, sizeof(a), 0) || a.policy != SCHED_OTHER)
		return;
	a.runtime = ns;
	(void)!syscall(SYS_sched_setattr, 0, &a, 0);
}

void
os_malloc_setup(void)
{
	mallopt(M_ARENA_MAX, ARENA_MAX);
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD);
}

#ifdef TERN_TSAN /* TSan supports only addresses that the kernel chooses */
size_t
os_free_addresses(void **base)
{
	*base = NULL;
	return 0;
}
#else
size_t
os_free_addresses(void **base)
{
	FILE *f = fopen("/proc/self/maps", "re");
	uintptr_t from, to, before = 0, begin = 0, most = 0;
	char line[512];

	*base = NULL;
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		/* The last line of all may be a page of the kernel's half. */
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) == 2 &&
		    (intptr_t)from >= 0) {
			if (from > before && from - before > most) {
				most = from - before;
				begin = before;
			}
			before = to;
		}
	fclose(f);
	*base = (void *)(begin + most / 8);
	return most / 8 * 6;
}
#endif

/* os_read_statm - resident pages, and resident pages mapped from files. */
static bool
os_read_statm(unsigned long long *rss, unsigned long long *shared)
{
	FILE *f = fopen("/proc/self/statm", "re");
	bool ok;

	if (!f)
		return false;
	ok = fscanf(f, "%*u %llu %llu", rss, shared) == 2;
	fclose(f);
	return ok;
}

/* os_status_number - what the kernel says of the process at @name; 0: nothing. */
static uint64_t
os_status_number(const char *name)
{
	FILE *f = fopen("/proc/self/status", "re");
	size_t len = strlen(name);
	uint64_t n = 0;
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len)) {
			n = strtoull(line + len, NULL, 10);
			break;
		}
	fclose(f);
	return n;
}

/* Bits of a page in /proc/self/pagemap. The shared page of zeros, which backs memory that
 * was only read, is present as well, but does not belong to the process. */
#define PAGE_PRESENT   (1ull << 63)
#define PAGE_OF_FILE   (1ull << 61)
#define PAGE_EXCLUSIVE (1ull << 56)
#define PAGE_GROUP     256

/* os_count_self - number of the @cnt pages from number @first that are in memory; -1:
 * unknown. */
static int
os_count_self(int map, uintptr_t first, size_t cnt)
{
	uint64_t page[PAGE_GROUP];
	ssize_t len = (ssize_t)(cnt * sizeof(page[0]));
	int in = 0;

	if (pread(map, page, (size_t)len, (off_t)(first * sizeof(page[0]))) != len)
		return -1;
	for (size_t i = 0; i < cnt; i++)
		in += (page[i] & PAGE_PRESENT) && (page[i] & PAGE_EXCLUSIVE) &&
		      !(page[i] & PAGE_OF_FILE);
	return in;
}

/* os_count_mapped - os_count_self by mincore, which also counts merely read pages. */
static int
os_count_mapped(uintptr_t at, size_t cnt, size_t page)
{
	unsigned char in[PAGE_GROUP];
	int sum = 0;

	if (mincore((void *)at, cnt * page, in))
		return -1;
	for (size_t i = 0; i < cnt; i++)
		sum += in[i] & 1;
	return sum;
}

void
os_return_pages(void *p, size_t len)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + len) & ~(page - 1);

	/* A failure, as of locked memory, leaves the pages in memory. */
	if (at < end)
		(void)!madvise((void *)at, end - at, MADV_DONTNEED);
}

size_t
os_resident(const void *p, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), sum = 0;
	uintptr_t at = (uintptr_t)p & ~(page - 1), end = (uintptr_t)p + len;
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC), in = 0;

	while (at < end && in >= 0) {
		size_t cnt = (end - at + page - 1) / page;

		if (cnt > PAGE_GROUP)
			cnt = PAGE_GROUP;
		in = map < 0 ? -1 : os_count_self(map, at / page, cnt);
		if (in < 0)
			in = os_count_mapped(at, cnt, page);
		sum += in < 0 ? 0 : (size_t)in * page;
		at += cnt * page;
	}
	if (map >= 0)
		close(map);
	return in < 0 ? len : sum; /* not reported: count it all */
}

/* os_add_data - add the written pages of the writable segments of one loaded object; the
 * kernel no longer counts written pages as mapped from a file. Segments that the loader
 * made read-only again are not counted. */
static int
os_add_data(struct dl_phdr_info *o, size_t size, void *arg)
{
	uint64_t *sum = arg;

	(void)size;
	for (unsigned i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_LOAD && (o->dlpi_phdr[i].p_flags & PF_W))
			*sum += os_resident(
			    (void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr),
			    o->dlpi_phdr[i].p_memsz);
	return 0;
}

void
os_memory(struct os_memory *m)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned long long rss = 0, shared = 0;
	struct mallinfo2 info = mallinfo2();

	os_read_statm(&rss, &shared);
	m->rss = rss * page;
	/* The kernel counts pages of memory files (page_file.h: messages) there. */
	m->shared = 1024 * os_status_number("RssShmem:");
	m->program = shared * page - m->shared;
	if (m->program > m->rss)
		m->program = 0; /* pages were freed between the two reads */
	dl_iterate_phdr(os_add_data, &m->program);
	m->free = info.fordblks;
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

#define TRIM_MIN   (2u << 20) /* free octets that are always kept */
#define QUIET_LESS 256 /* faults from one look to the next */

/* os_malloc_trim - return free heap memory to the system. malloc counts returned memory
 * as free until the memory is used again. The resident size gives no hint, because most
 * of the resident memory is not malloc's. Memory is therefore returned
 *
 * - when much more memory is free than at an earlier look since the last return; in a
 *   quiet process, when somewhat more is free: small pieces may have joined;
 * - when the process has become quiet and has touched many new pages since the last
 *   return: some of these pages may have been used and freed between two looks. */
void
os_malloc_trim(struct os_trim *last)
{
	struct mallinfo2 m = mallinfo2();
	uint64_t keep = m.uordblks / 8 + TRIM_MIN, page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct rusage use;
	uint64_t faults, more;
	bool quiet, fresh;

	getrusage(RUSAGE_SELF, &use);
	faults = (uint64_t)use.ru_minflt;
	quiet = faults - last->seen < QUIET_LESS;
	fresh = quiet && (faults - last->faults) * page >= TRIM_MIN;
	last->seen = faults;
	if (m.fordblks < last->free)
		last->free = m.fordblks;
	more = m.fordblks - last->free;
	if (more <= (quiet ? keep / 8 : keep) && !(fresh && m.fordblks > keep))
		return;
	malloc_trim(0);
	last->free = m.fordblks;
	last->faults = faults;
}
