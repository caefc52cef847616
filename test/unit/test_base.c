/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network order, list and the checks. */
#include "lib/base/check.h"
#include "lib/base/list.h"
#include "test/lib/unit.h"

static void
test_network_order(void **state)
{
	uint8_t b[9] = { 0xee };

	(void)state;
	put_be16(b + 1, 0x1234);
	assert_memory_equal(b, "\xee\x12\x34", 3);
	assert_int_equal(get_be16(b + 1), 0x1234);
	put_be32(b + 1, 0x89abcdef);
	assert_memory_equal(b + 1, "\x89\xab\xcd\xef", 4);
	assert_int_equal(get_be32(b + 1), 0x89abcdef);
	put_be64(b + 1, 0x0123456789abcdefull);
	assert_memory_equal(b + 1, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	assert_true(get_be64(b + 1) == 0x0123456789abcdefull);
	for (unsigned v = 0; v <= 0xffff; v++) {
		put_be16(b, (uint16_t)v);
		assert_int_equal(get_be16(b), v);
	}
}

static void
test_min_max(void **state)
{
	(void)state;
	assert_true(min_u64(3, UINT64_MAX) == 3 && min_u64(UINT64_MAX, 3) == 3);
	assert_true(max_u64(3, UINT64_MAX) == UINT64_MAX && max_u64(7, 7) == 7);
}

struct item {
	int v;
	struct list link;
};

static int
list_digits(struct list *l)
{
	struct list *n;
	int sum = 0;

	list_for_each (n, l)
		sum = sum * 10 + container_of(n, struct item, link)->v;
	return sum;
}

static void
test_list(void **state)
{
	struct item it[5];
	struct list l, *n, *t;

	(void)state;
	list_init(&l);
	assert_true(list_empty(&l));
	for (int i = 0; i < 5; i++)
		it[i].v = i + 1;
	list_add_tail(&l, &it[1].link);
	list_add_tail(&l, &it[2].link);
	list_insert_after(&l, &it[0].link);
	list_insert_after(&it[1].link, &it[4].link);
	list_add_tail(&l, &it[3].link);
	assert_int_equal(list_digits(&l), 12534);
	list_del(&it[4].link);
	list_del(&it[4].link); /* harmless */
	assert_int_equal(list_digits(&l), 1234);
	list_for_each_safe (n, t, &l)
		if (container_of(n, struct item, link)->v % 2 == 0)
			list_del(n);
	assert_int_equal(list_digits(&l), 13);
	list_for_each_safe (n, t, &l)
		list_del(n);
	assert_true(list_empty(&l));
}

static void
false_assert(void)
{
	int one = 1;

	ASSERT(one == 2);
}

static void
true_assert(void)
{
	int one = 1;

	ASSERT(one == 1);
	DCHECK(one == 1);
}

static void
test_assert(void **state)
{
	(void)state;
	assert_true(unit_dies(false_assert));
	assert_false(unit_dies(true_assert));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_network_order),
	cmocka_unit_test(test_min_max),
	cmocka_unit_test(test_list),
	cmocka_unit_test(test_assert),
};

UNIT_MAIN(tests)
