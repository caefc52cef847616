/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the process is allowed, and what it uses. Any thread, unless said otherwise. */
#ifndef TERN_SYSDEP_OS_H
#define TERN_SYSDEP_OS_H

#include "lib/base/check.h"

/* os_raise_nofile - raise the limit of open files to the hard one. Returns: what it is
 * now. */
uint64_t os_raise_nofile(void);
/* os_malloc_setup - at start, before any thread: few arenas, however many threads. */
void os_malloc_setup(void);
/* os_malloc_trim - if much of the heap is free, give it back to the system. Blocks other callers of malloc
 * for moments. */
void os_malloc_trim(void);
uint64_t os_rss_bytes(void); /* resident size; 0: not known */
unsigned os_thread_count(void); /* of this process; 0: not known */
unsigned os_cpu_count(void); /* that this process may use; at least 1 */
/* os_hostname - into @buf, always ended with a NUL. Returns: @buf. */
char *os_hostname(char *buf, size_t len);

#endif
