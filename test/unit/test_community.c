/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/attr/community.c"
#include "test/lib/unit.h"

static const uint8_t std_list[] = { 0, 1, 0, 2, 0xff, 0xff, 0xff, 0x01 };
static const uint8_t large_list[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };

static void
printed(enum comm_kind k, const void *list, uint32_t len, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	comm_print(&b, k, list, len);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_get_put(void **state)
{
	static const uint8_t ext[8] = { 0, 2, 0xfd, 0xe8, 1, 2, 3, 4 };
	struct comm c = comm_get(COMM_STD, std_list + 4);
	uint8_t out[12];

	(void)state;
	assert_int_equal(c.v[0], 65535);
	assert_int_equal(c.v[1], 65281);
	comm_put(COMM_STD, out, c);
	assert_memory_equal(out, std_list + 4, 4);
	c = comm_get(COMM_EXT, ext);
	assert_int_equal(c.v[0], 0x0002fde8);
	assert_int_equal(c.v[1], 0x01020304);
	comm_put(COMM_EXT, out, c);
	assert_memory_equal(out, ext, 8);
	c = comm_get(COMM_LARGE, large_list);
	assert_int_equal(c.v[2], 3);
	comm_put(COMM_LARGE, out, c);
	assert_memory_equal(out, large_list, 12);
}

static void
test_add(void **state)
{
	struct comm have = { { 1, 2, 0 } }, new = { { 5, 6, 0 } };
	struct arena a;
	uint8_t *out;

	(void)state;
	arena_init(&a, MEM_OTHER, 1024);
	assert_true(comm_has(COMM_STD, std_list, 8, have));
	assert_false(comm_has(COMM_STD, std_list, 8, new));
	assert_int_equal(comm_add(&out, &a, COMM_STD, std_list, 8, have), 8);
	assert_memory_equal(out, std_list, 8);
	assert_int_equal(comm_add(&out, &a, COMM_STD, std_list, 8, new), 12);
	assert_true(comm_has(COMM_STD, out, 12, new));
	assert_int_equal(comm_add(&out, &a, COMM_LARGE, NULL, 0, new), 12);
	arena_fini(&a);
}

static void
test_add_full(void **state)
{
	struct comm new = { { 5, 6, 0 } };
	uint8_t *list = calloc(1, 65532), *out;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 1024);
	assert_int_equal(comm_add(&out, &a, COMM_STD, list, 65532, new), -E2BIG);
	arena_fini(&a);
	free(list);
}

static bool
is_wellknown(struct comm c, const void *arg)
{
	return c.v[0] == *(const uint32_t *)arg;
}

static void
test_select(void **state)
{
	uint32_t high = 65535;
	struct arena a;
	uint8_t *out;

	(void)state;
	arena_init(&a, MEM_OTHER, 1024);
	assert_int_equal(
	    comm_select(&out, &a, COMM_STD, std_list, 8, true, is_wellknown, &high), 4);
	assert_memory_equal(out, std_list + 4, 4);
	assert_int_equal(
	    comm_select(&out, &a, COMM_STD, std_list, 8, false, is_wellknown, &high), 4);
	assert_memory_equal(out, std_list, 4);
	assert_int_equal(
	    comm_select(&out, &a, COMM_STD, NULL, 0, true, is_wellknown, &high), 0);
	/* all of it: the list itself */
	assert_int_equal(
	    comm_select(&out, &a, COMM_STD, std_list, 4, false, is_wellknown, &high), 4);
	assert_ptr_equal(out, std_list);
	arena_fini(&a);
}

static void
test_print(void **state)
{
	static const uint8_t ext[][8] = {
		{ 0x00, 0x02, 0, 1, 0, 0, 0, 2 },
		{ 0x00, 0x03, 0, 1, 0, 0, 0, 2 },
		{ 0x01, 0x02, 192, 0, 2, 1, 0, 5 },
		{ 0x02, 0x02, 0, 1, 0, 0, 0, 5 },
		{ 0x43, 0x00, 0, 0, 0, 0, 0, 1 },
		{ 0x00, 0x05, 0, 1, 0, 0, 0, 2 },
		{ 0x40, 0x02, 0, 1, 0, 0, 0, 2 },
		{ 0x01, 0x05, 192, 0, 2, 1, 0, 5 },
		{ 0x80, 0x02, 0, 1, 0, 0, 0, 1 },
	};

	(void)state;
	printed(COMM_STD, std_list, sizeof(std_list), "(1,2) (65535,65281)");
	printed(COMM_LARGE, large_list, sizeof(large_list), "(1, 2, 3)");
	printed(COMM_LARGE, NULL, 0, "");
	printed(COMM_EXT, ext, sizeof(ext),
	    "(rt, 1, 2) (ro, 1, 2) (rt, 192.0.2.1, 5) (rt, 65536, 5) "
	    "(generic, 0x43000000, 0x1) (unknown 0x5, 1, 2) (unknown 0x4002, 1, 2) "
	    "(unknown 0x105, 192.0.2.1, 5) (generic, 0x80020001, 0x1)");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_get_put),
	cmocka_unit_test(test_add),
	cmocka_unit_test(test_add_full),
	cmocka_unit_test(test_select),
	cmocka_unit_test(test_print),
};

UNIT_MAIN(tests)
