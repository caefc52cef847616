/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process is allowed, and what it uses. Any thread, unless said otherwise. */
#ifndef TERN_SYSDEP_OS_H
#define TERN_SYSDEP_OS_H

#include "lib/base/check.h"

/* os_raise_nofile - raise the limit of open files to the hard one. Returns: what it is
 * now. */
uint64_t os_raise_nofile(void);
/* os_nofile - the limit of open files; 1024: not known. */
uint64_t os_nofile(void);
/* os_allow_nice_back - let threads that became nicer come back to the present nice value,
 * also when root is given up. As root, before that; else it may be refused. */
void os_allow_nice_back(void);
/* os_allow_real_time - let threads have the lowest real-time priority, also when root is
 * given up. Likewise. */
void os_allow_real_time(void);
/* os_set_slice - the calling thread wants the processor for @ns at a time (0.1 to 100 ms;
 * 0: what is usual). One that wants less is let in sooner, and gets no more altogether.
 * No effect where the system has no such thing (Linux before 6.12), or the thread another
 * policy than the usual one. */
void os_set_slice(uint64_t ns);
/* os_cpu_count - processors that the process may use; 1 at least. */
unsigned os_cpu_count(void);
/* os_malloc_setup - at start, before any thread: few arenas, however many threads. */
void os_malloc_setup(void);
/* os_free_addresses - the largest gap in the address space, but for an eighth at both
 * ends, where the kernel puts what it places itself. *@base: where it begins. Returns:
 * octets; 0: not known. */
size_t os_free_addresses(void **base);
/* os_malloc_trim - if much of the heap may have become free since the last call that gave
 * something back, give it back to the system. Blocks other callers of malloc for moments.
 * @last: the caller keeps it; zeros at first. One thread. */
struct os_trim {
	uint64_t free; /* the least since then */
	uint64_t faults, seen; /* of pages: until then, and until the last call */
};
void os_malloc_trim(struct os_trim *last);
/* os_resident - octets of the private pages of [@p, @p + @len) that are in memory and
 * were written; @p is mapped. */
size_t os_resident(const void *p, size_t len);

/* What of the resident size the kernel and malloc know. */
struct os_memory {
	uint64_t rss;
	uint64_t program; /* code and data of the program and its libraries */
	uint64_t shared; /* pages of memory files (page_file.h) */
	uint64_t free; /* in malloc's hands; some of it may be with the system again */
};
void os_memory(struct os_memory *m);

#endif
