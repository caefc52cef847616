/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks and the text of calendar times. Any thread.
 *
 * I1  The calendar clock is used for text alone, so a step of the calendar clock moves no
 *     timer. A monotonic time is converted by the present difference between both clocks:
 *     after the calendar clock was set, one monotonic time prints as another calendar
 *     time, as people expect.
 * I2  The difference is kept (real_offset_ns) until the clocks disagree with the kept
 *     difference by more than STEP_NS. Two readings are never of one moment, and one
 *     monotonic time would otherwise print as one millisecond or the next. Any thread may
 *     renew the difference: all threads write a correct value.
 * I3  Each thread caches the local time at the start of recent quarters of an hour.
 *     localtime_r takes a lock of the whole process, and a nice client (worker_nice) may
 *     hold the lock while other threads wait. The offset to UTC changes only at such
 *     quarters; if the offset is not a multiple of a quarter, nothing is cached.
 *
 * Formats live in the configuration or are the constants below. */
#include "sysdep/os/clock.h"
#include "lib/base/check.h"
#include "lib/mt/atomic.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SHORT_LIMIT_S (20 * 3600)
/* The calendar clock was set if it moved by more than STEP_NS against the monotonic
 * clock. */
#define STEP_NS (20 * NS_PER_MS)
/* A reading of both clocks that took longer than READ_NS is discarded, unless none of
 * OFFSET_TRIES readings was quicker. */
#define READ_NS      (100 * NS_PER_US)
#define OFFSET_TRIES 10

const struct time_format time_iso_short = { "%T", SHORT_LIMIT_S, "%F" };
const struct time_format time_iso_short_ms = { "%T.%3f", SHORT_LIMIT_S, "%F" };
const struct time_format time_iso_short_us = { "%T.%6f", SHORT_LIMIT_S, "%F" };
const struct time_format time_iso_long = { "%F %T", 0, NULL };
const struct time_format time_iso_long_ms = { "%F %T.%3f", 0, NULL };
const struct time_format time_iso_long_us = { "%F %T.%6f", 0, NULL };

static uint64_t
clock_read(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Replace %f and %Nf of @fmt by the digits of a fraction of @ns. Text beyond @len is
 * truncated. */
static void
clock_expand_fraction(char *out, size_t len, const char *fmt, uint32_t ns)
{
	char digit[10];
	size_t at = 0;

	snprintf(digit, sizeof(digit), "%09u", ns);
	while (*fmt && at + 1 < len) {
		unsigned cnt = 6, used = 0;

		if (fmt[0] == '%' && fmt[1] == 'f')
			used = 2;
		if (fmt[0] == '%' && fmt[1] >= '1' && fmt[1] <= '9' && fmt[2] == 'f') {
			cnt = (unsigned)(fmt[1] - '0');
			used = 3;
		}
		if (used) {
			for (unsigned i = 0; i < cnt && at + 1 < len; i++)
				out[at++] = digit[i];
			fmt += used;
			continue;
		}
		/* "%%" is copied whole, so that the second % begins no conversion. */
		if (fmt[0] == '%' && fmt[1] && at + 2 < len)
			out[at++] = *fmt++;
		out[at++] = *fmt++;
	}
	out[at] = 0;
}

uint64_t
clock_now_ns(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

uint64_t
clock_coarse_ns(void)
{
	return clock_read(CLOCK_MONOTONIC_COARSE);
}

/* Calendar time less monotonic time, by the quickest of a few readings. */
static int64_t
clock_read_offset_ns(void)
{
	uint64_t best_ns = UINT64_MAX;
	int64_t offset_ns = 0;

	for (int i = 0; i < OFFSET_TRIES && best_ns > READ_NS; i++) {
		uint64_t began_ns = clock_now_ns();
		uint64_t real_ns = clock_read(CLOCK_REALTIME);
		uint64_t took_ns = clock_now_ns() - began_ns;

		if (took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		offset_ns = (int64_t)(real_ns - began_ns - took_ns / 2);
	}
	return offset_ns;
}

uint64_t
clock_real_ns(uint64_t mono_ns)
{
	/* style: the clocks belong to the machine, and so does the difference between the
	 * clocks (I2). 0: not read yet. */
	static struct pub64 real_offset_ns;
	int64_t kept_ns = (int64_t)load_relaxed64(&real_offset_ns);
	int64_t now_ns = clock_read_offset_ns();

	if (kept_ns == 0 || llabs(now_ns - kept_ns) > (int64_t)STEP_NS) {
		kept_ns = now_ns;
		store_relaxed64(&real_offset_ns, (uint64_t)kept_ns);
	}
	return (uint64_t)kept_ns + mono_ns;
}

uint64_t
clock_thread_cpu_ns(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

#define QUARTER_S   900
#define QUARTER_CNT 4

struct quarter {
	int64_t nr; /* quarters since 1970; 0: an empty entry */
	struct tm tm; /* of its begin */
};

void
clock_local(struct tm *tm, int64_t at) /* I3 */
{
	/* style: the one thread-local cache outside a loop: a function that prints a time
	 * has no loop at hand, and the cached values are equal for every caller. */
	static _Thread_local struct quarter kept[QUARTER_CNT];
	int64_t nr = at / QUARTER_S;
	unsigned in_s = (unsigned)(at % QUARTER_S);
	time_t begin = at - in_s;
	struct quarter *q = &kept[nr % QUARTER_CNT];

	if (nr <= 0) {
		localtime_r(&at, tm);
		return;
	}
	if (q->nr != nr) {
		localtime_r(&begin, &q->tm);
		q->nr = q->tm.tm_sec || q->tm.tm_min % 15 ? 0 : nr;
	}
	if (q->nr != nr) {
		localtime_r(&at, tm);
		return;
	}
	*tm = q->tm;
	tm->tm_min += (int)(in_s / 60);
	tm->tm_sec = (int)(in_s % 60);
}

int64_t
clock_of_local(struct tm *tm)
{
	return mktime(tm);
}

int
clock_print(char *buf, size_t len, const struct time_format *f, uint64_t mono_ns)
{
	uint64_t real_ns = clock_real_ns(mono_ns), now_ns = clock_now_ns();
	time_t real_s = (time_t)(real_ns / NS_PER_S);
	const char *fmt = f->fmt;
	char text[256];
	struct tm tm;
	size_t n;

	ASSERT(len > 0);
	/* Signed: a time before the machine's start is a large number. */
	if (f->limit_s && f->fmt2 &&
	    (int64_t)(now_ns - mono_ns) > (int64_t)(f->limit_s * NS_PER_S))
		fmt = f->fmt2;
	clock_expand_fraction(text, sizeof(text), fmt, (uint32_t)(real_ns % NS_PER_S));
	clock_local(&tm, real_s);
	n = strftime(buf, len, text, &tm);
	buf[n] = 0; /* strftime leaves the buffer undefined when the text doesn't fit */
	return (int)n;
}
