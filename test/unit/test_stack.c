/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of what is taken, and what pushing tells. test/stress has the threads. */
#include "lib/mt/stack.h"
#include "test/lib/unit.h"

static void
test_order(void **state)
{
	struct stack s = { 0 };
	struct stack_node n[5], *at;

	(void)state;
	assert_true(stack_empty(&s));
	assert_null(stack_take(&s));
	for (unsigned round = 0; round < 3; round++) { /* nodes come again */
		for (unsigned i = 0; i < 5; i++) {
			assert_int_equal(stack_push(&s, &n[i]), i == 0);
			assert_false(stack_empty(&s));
		}
		at = stack_take(&s);
		assert_true(stack_empty(&s));
		for (unsigned i = 0; i < 5; i++, at = stack_next(at))
			assert_ptr_equal(at, &n[i]);
		assert_null(at);
	}
}

/* What was taken stays as it is while others push. */
static void
test_taken(void **state)
{
	struct stack s = { 0 };
	struct stack_node a, b, c, *at;

	(void)state;
	stack_push(&s, &a);
	stack_push(&s, &b);
	at = stack_take(&s);
	assert_true(stack_push(&s, &c));
	assert_ptr_equal(at, &a);
	assert_ptr_equal(stack_next(at), &b);
	assert_null(stack_next(&b));
	at = stack_take(&s);
	assert_ptr_equal(at, &c);
	assert_null(stack_next(at));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_taken),
};

UNIT_MAIN(tests)
