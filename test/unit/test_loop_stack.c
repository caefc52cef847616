/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stack of a sleeping loop: the pages that a deep turn has used return to the system
 * after a rest, and not before. */
#include "sysdep/loop/loop_stack.c"
#include "sysdep/os/clock.h"
#include "test/lib/scene.h"
#include "test/lib/unit.h"
#include <unistd.h>

#define DEEP 65536

static __attribute__((noinline)) void
test_loop_stack_go_deep(void)
{
	volatile uint8_t at[DEEP];

	for (size_t i = 0; i < DEEP; i++)
		at[i] = (uint8_t)i;
	assert_int_equal(at[DEEP - 1], 255);
}

static size_t
test_loop_stack_used(const struct loop *l)
{
	return os_resident(l->pool.stack, l->pool.stack_len);
}

static void
test_loop_stack_play(struct scene *s)
{
	struct loop *l = s->worker.loop;
	uint32_t above[64];

	for (uint32_t i = 0; i < 64; i++)
		above[i] = i;
	assert_non_null(l->pool.stack);
	test_loop_stack_go_deep();
	loop_poll_prepare(l);

	/* shorter than a rest */
	assert_int_equal(loop_rest(l, NS_PER_S, NS_PER_MS), 0);
	assert_true(test_loop_stack_used(l) >= DEEP);

	/* an octet ends the rest */
	assert_int_equal(write(l->wake_wr, "x", 1), 1);
	assert_int_equal(loop_rest(l, NS_PER_MS, UINT64_MAX), 1);
	assert_true(test_loop_stack_used(l) >= DEEP);
	loop_drain_octets(l);

	assert_int_equal(loop_rest(l, NS_PER_MS, 2 * NS_PER_MS), 0);
	assert_true(test_loop_stack_used(l) < DEEP);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(above[i], i);
	worker_stop(&s->worker);
}

static void
test_loop_stack(void **state)
{
	(void)state;
	assert_true(scene_run(test_loop_stack_play, NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_loop_stack) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
