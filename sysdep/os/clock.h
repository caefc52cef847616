/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time. The daemon runs on the monotonic clock in nanoseconds; calendar time is made for
 * text only. Any thread may call. */
#ifndef TERN_SYSDEP_OS_CLOCK_H
#define TERN_SYSDEP_OS_CLOCK_H

#include "lib/base/base.h"

#include <time.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull

/* clock_now_ns - monotonic. */
uint64_t clock_now_ns(void);
/* clock_coarse_ns - monotonic, a few ms behind at most, a quarter of the cost. */
uint64_t clock_coarse_ns(void);
/* clock_real_ns - nanoseconds since 1970 of the monotonic time @mono_ns, by the present
 * offset. One @mono_ns gives one result until the calendar clock is set. */
uint64_t clock_real_ns(uint64_t mono_ns);
/* clock_thread_cpu_ns - CPU time of the calling thread. */
uint64_t clock_thread_cpu_ns(void);

/* clock_local - @at seconds since 1970 as local calendar time. */
void clock_local(struct tm *tm, int64_t at);
/* clock_of_local - seconds since 1970 of the local calendar time @tm; the fields of @tm
 * are normalized. Returns: negative: before 1970, or no such time exists. */
int64_t clock_of_local(struct tm *tm);

/* The format of a time (`timeformat` in the configuration): strftime text with %f and %Nf
 * for the fraction of the second (6 or N digits). If limit_s is not 0, older times use
 * fmt2. Owner: the configuration, or a constant. Life: until the configuration is
 * freed. */
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
