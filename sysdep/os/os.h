/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that set limits of the process and read the use of memory and descriptors.
 * Any thread, unless a function says otherwise. */
#ifndef TERN_SYSDEP_OS_OS_H
#define TERN_SYSDEP_OS_OS_H

#include "lib/base/check.h"

/* os_raise_nofile - raise the limit of open files to the hard one. Returns: what it is
 * now. */
uint64_t os_raise_nofile(void);
/* os_nofile - the limit of open files; 1024: not known. */
uint64_t os_nofile(void);
/* os_allow_nice_back - let threads return from a nicer value to the present nice value,
 * even after the process has given up root. Called as root; otherwise the system may
 * refuse. */
void os_allow_nice_back(void);
/* os_allow_real_time - let threads have the lowest real-time priority, even after the
 * process has given up root. Called as root; otherwise the system may refuse. */
void os_allow_real_time(void);
/* os_set_slice - request the processor for @ns at a time for the calling thread (0.1 to
 * 100 ms; 0: the default). A thread with a short slice is scheduled sooner, but gets no
 * larger share. No effect before Linux 6.12, or for a thread with another scheduling
 * policy. */
void os_set_slice(uint64_t ns);
/* os_cpu_count - processors that the process may use; 1 at least. */
unsigned os_cpu_count(void);
/* os_malloc_setup - limit the number of malloc's arenas. At start, before other
 * threads. */
void os_malloc_setup(void);
/* os_free_addresses - find the largest gap in the address space, without an eighth at
 * both ends, which the kernel uses for new mappings. *@base: start of the gap. Returns:
 * octets; 0: unknown. */
size_t os_free_addresses(void **base);
/* os_malloc_trim - if much heap memory may have become free since the last return, return
 * memory to the system. Blocks other callers of malloc for moments. One thread. @last:
 * the state between calls; zeros at first. Owner: the caller. Life: embedded. */
struct os_trim {
	uint64_t free; /* the least since the last return */
	uint64_t faults, seen; /* page faults: at the last return, and at the last call */
};
void os_malloc_trim(struct os_trim *last);
/* os_return_pages - return the whole pages within [@p, @p + @len) to the system: private
 * memory without contents that a thread needs. The next use of a page finds zeros. */
void os_return_pages(void *p, size_t len);
/* os_resident - octets of the private pages of [@p, @p + @len) that are in memory and
 * were written; @p is mapped. */
size_t os_resident(const void *p, size_t len);

/* The parts of the resident size that the kernel and malloc know. Owner: the caller.
 * Life: on the stack. */
struct os_memory {
	uint64_t rss;
	uint64_t program; /* code and data of the program and its libraries */
	uint64_t shared; /* pages of memory files (page_file.h) */
	uint64_t free; /* free in malloc; the system may hold a part again */
};
void os_memory(struct os_memory *m);

#endif
