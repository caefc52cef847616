/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks and the text of times. */
#include "sysdep/clock.h"
#include "test/lib/unit.h"
#include <stdlib.h>
#include <time.h>

/* The monotonic time that is printed as @s seconds and @ns nanoseconds since 1970. It
 * moves while we look at the clocks, by less than a millisecond unless we are preempted.
 */
static uint64_t
mono_of(uint64_t s, uint64_t ns)
{
	return s * NS_PER_S + ns - clock_real_ns(0);
}

static const char *
print_at(const struct time_format *f, uint64_t s, uint64_t ns)
{
	static char buf[128];
	int len = clock_print(buf, sizeof(buf), f, mono_of(s, ns));

	assert_int_equal(len, (int)strlen(buf));
	return buf;
}

static void
test_clocks(void **arg)
{
	uint64_t a = clock_now_ns(), b = clock_now_ns(), cpu = clock_thread_cpu_ns();
	struct timespec ts;

	(void)arg;
	assert_true(b >= a && b - a < NS_PER_S);
	assert_true(clock_coarse_ns() <= clock_now_ns());
	assert_true(clock_now_ns() - clock_coarse_ns() < NS_PER_S);
	clock_gettime(CLOCK_REALTIME, &ts);
	a = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	b = clock_real_ns(clock_now_ns());
	assert_true(b + NS_PER_S > a && b < a + NS_PER_S);
	for (volatile int i = 0; i < 100000; i++)
		;
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_formats),
	};

	setenv("TZ", "UTC", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
