/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time. Everything in the daemon runs on the monotonic clock in nanoseconds; calendar
 * time is only made for text. Any thread may call. */
#ifndef TERN_SYSDEP_CLOCK_H
#define TERN_SYSDEP_CLOCK_H

#include "lib/base/base.h"

#include <time.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

/* clock_now_ns - monotonic. */
uint64_t clock_now_ns(void);
/* clock_coarse_ns - monotonic, a few ms behind at most, a quarter of the cost. */
uint64_t clock_coarse_ns(void);
/* clock_real_ns - nanoseconds since 1970 of the monotonic time @mono_ns, by today's
 * offset. The same @mono_ns gives the same time until the calendar clock is set. */
uint64_t clock_real_ns(uint64_t mono_ns);
/* clock_thread_cpu_ns - CPU time of the calling thread. */
uint64_t clock_thread_cpu_ns(void);

/* clock_local - @s seconds since 1970 as local calendar time. */
void clock_local(struct tm *out, int64_t s);
/* clock_of_local - seconds since 1970 of the local calendar time @tm, whose fields are
 * brought into their ranges; negative: before 1970, or there is no such time. */
int64_t clock_of_local(struct tm *tm);

/* How a time is printed (`timeformat` in the configuration): strftime text in which %f,
 * %Nf stand for the fraction of the second (6 or N digits). If limit_s is not 0, times
 * older than that use fmt2. */
struct time_format {
	const char *fmt;
	uint32_t limit_s;
	const char *fmt2;
};

extern const struct time_format time_iso_short, time_iso_short_ms, time_iso_short_us;
extern const struct time_format time_iso_long, time_iso_long_ms, time_iso_long_us;

/* clock_print - monotonic time @mono_ns as local calendar time into @buf. Returns:
 * length. */
int clock_print(char *buf, size_t len, const struct time_format *f, uint64_t mono_ns);

#endif
