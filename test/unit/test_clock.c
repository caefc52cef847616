/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks and the text of times. */
#include "sysdep/os/clock.h"
#include "test/lib/unit.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The clocks are looked at one after the other: if time passes between the looks, since
 * we are preempted, tests look again. */

/* print_at - as it is printed @s seconds and @ns nanoseconds after 1970. */
static const char *
print_at(const struct time_format *f, uint64_t s, uint64_t ns)
{
	static char buf[128];
	uint64_t began;
	int len;

	do {
		began = clock_now_ns();
		len = clock_print(
		    buf, sizeof(buf), f, s * NS_PER_S + ns - clock_real_ns(0));
	} while (clock_now_ns() - began > NS_PER_MS);
	assert_int_equal(len, (int)strlen(buf));
	return buf;
}

static void
test_clocks(void **arg)
{
	uint64_t cpu = clock_thread_cpu_ns(), began, coarse, real, answer;
	struct timespec ts;

	(void)arg;
	do {
		began = clock_now_ns();
		coarse = clock_coarse_ns();
		clock_gettime(CLOCK_REALTIME, &ts);
		answer = clock_real_ns(began);
	} while (clock_now_ns() - began > NS_PER_MS);
	assert_true(coarse <= clock_now_ns() && coarse + NS_PER_S > began);
	real = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	assert_true(answer + NS_PER_S > real && answer < real + NS_PER_S);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(clock_real_ns(began), answer);
	assert_true(clock_thread_cpu_ns() > cpu);
}

static void
test_formats(void **arg)
{
	static const struct time_format odd = { "%Y%%f %1f %%%2f", 0, NULL };
	static const struct time_format limited = { "new", 3600, "old %Y" };
	char buf[8];

	(void)arg;
	/* Half a second in, so that the clocks' wandering doesn't show in the seconds. */
	assert_string_equal(
	    print_at(&time_iso_long, 1763670499, 500000000), "2025-11-20 20:28:19");
	assert_string_equal(
	    print_at(&time_iso_short, 1763670499, 500000000), "2025-11-20");
	assert_int_equal(strlen(print_at(&time_iso_long_ms, 1763670499, 5000000)), 23);
	assert_int_equal(strlen(print_at(&time_iso_long_us, 1763670499, 5000000)), 26);
	assert_string_equal(print_at(&odd, 1763670499, 555000000), "2025%f 5 %55");
	assert_string_equal(print_at(&limited, 1763670499, 0), "old 2025");
	clock_print(buf, sizeof(buf), &limited, clock_now_ns());
	assert_string_equal(buf, "new");
	assert_int_equal(
	    clock_print(buf, sizeof(buf), &time_iso_long, clock_now_ns()), 0);
	assert_string_equal(buf, "");
}

/* What is remembered of quarters of an hour is what localtime_r says, also where the
 * offset to UTC changes. */
static void *
compare_zone(void *zone)
{
	static const struct time_format all = { "%F %T %Z %z %j %u", 0, NULL };
	uint64_t x = 88172645463325252ull;
	char want[128];

	setenv("TZ", zone, 1);
	tzset();
	for (unsigned i = 0; i < 20000; i++) {
		struct tm tm;
		time_t at;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* anywhere; around a change in New York; then around one in Lord Howe */
		at = i % 3 == 0   ? (time_t)(x % 4000000000u)
		     : i % 3 == 1 ? (time_t)(1762063200 - 4000 + x % 8000)
				  : (time_t)(1759590000 - 4000 + x % 8000);
		localtime_r(&at, &tm);
		strftime(want, sizeof(want), all.fmt, &tm);
		assert_string_equal(print_at(&all, (uint64_t)at, 1000), want);
	}
	return NULL;
}

static void
test_zones(void **arg)
{
	static const char *const zone[] = { "UTC", "America/New_York",
		"Australia/Lord_Howe", "Asia/Kathmandu", "XXX-1:07:30", "YYY3:20" };

	(void)arg;
	/* A thread for each: what one has remembered goes with it. */
	for (unsigned i = 0; i < ARRAY_LEN(zone); i++) {
		pthread_t t;

		pthread_create(&t, NULL, compare_zone, (void *)(uintptr_t)zone[i]);
		pthread_join(t, NULL);
	}
	setenv("TZ", "UTC", 1);
	tzset();
}

static void
test_of_local(void **state)
{
	static const char *const zone[] = { "UTC", "Europe/Berlin", "America/St_Johns" };
	struct tm tm;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(zone); i++) {
		setenv("TZ", zone[i], 1);
		tzset();
		for (int64_t s = 1; s < 2000000000; s += 86399 * 37) {
			clock_local(&tm, s);
			assert_int_equal(clock_of_local(&tm), s);
		}
	}
	setenv("TZ", "UTC", 1);
	tzset();
	tm = (struct tm){ .tm_year = 100, .tm_mon = 1, .tm_mday = 30 };
	assert_int_equal(clock_of_local(&tm), 951868800); /* 1 March 2000 */
	assert_int_equal(tm.tm_mon, 2);
	tm = (struct tm){ .tm_year = 60, .tm_mday = 1 };
	assert_true(clock_of_local(&tm) < 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_formats),
		cmocka_unit_test(test_zones),
		cmocka_unit_test(test_of_local),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
