/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/attr/community.c"
#include "test/lib/unit.h"

static const uint8_t std_list[] = { 0, 1, 0, 2, 0xff, 0xff, 0xff, 0x01 };
static const uint8_t large_list[] = { 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3 };

static void
test_community_printed(enum comm_kind k, const void *list, uint32_t len, const char *want)
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

/* The element is found at each place of lists of each length, and nothing else is. */
static void
test_has(void **state)
{
	static const struct comm c[] = { { { 0, 0, 0 } }, { { 0, 1, 0 } },
		{ { 1, 0, 0 } }, { { 0x7fff, 0xffff, 1 } }, { { 0x8000, 0, 0 } },
		{ { 0xffff, 0xffff, 0xffffffff } } };
	uint8_t list[40 * 12];

	(void)state;
	for (enum comm_kind k = COMM_STD; k <= COMM_LARGE; k++)
		for (uint32_t i = 0; i < ARRAY_LEN(c); i++)
			for (uint32_t j = 0; j < ARRAY_LEN(c); j++)
				for (uint32_t cnt = 0; cnt < 40; cnt++) {
					uint32_t size = comm_size(k), at = cnt * 7 % 40;

					for (uint32_t n = 0; n < cnt; n++)
						comm_put(k, list + n * size, c[j]);
					if (at < cnt)
						comm_put(k, list + at * size, c[i]);
					assert_int_equal(
					    comm_has(k, list, cnt * size, c[i]),
					    (i == j && cnt) || at < cnt);
				}
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
	assert_int_equal(comm_select(&out, &a, COMM_STD, std_list, 8,
			     &(struct comm_choice){ is_wellknown, &high, true }),
	    4);
	assert_memory_equal(out, std_list + 4, 4);
	assert_int_equal(comm_select(&out, &a, COMM_STD, std_list, 8,
			     &(struct comm_choice){ is_wellknown, &high, false }),
	    4);
	assert_memory_equal(out, std_list, 4);
	assert_int_equal(comm_select(&out, &a, COMM_STD, NULL, 0,
			     &(struct comm_choice){ is_wellknown, &high, true }),
	    0);
	/* all of it: the list itself */
	assert_int_equal(comm_select(&out, &a, COMM_STD, std_list, 4,
			     &(struct comm_choice){ is_wellknown, &high, false }),
	    4);
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
	test_community_printed(
	    COMM_STD, std_list, sizeof(std_list), "(1,2) (65535,65281)");
	test_community_printed(COMM_LARGE, large_list, sizeof(large_list), "(1, 2, 3)");
	test_community_printed(COMM_LARGE, NULL, 0, "");
	test_community_printed(COMM_EXT, ext, sizeof(ext),
	    "(rt, 1, 2) (ro, 1, 2) (rt, 192.0.2.1, 5) (rt, 65536, 5) "
	    "(generic, 0x43000000, 0x1) (unknown 0x5, 1, 2) (unknown 0x4002, 1, 2) "
	    "(unknown 0x105, 192.0.2.1, 5) (generic, 0x80020001, 0x1)");
}

/* The slow way: an element is taken if it hasn't been before. */
static uint32_t
unique_slow(uint8_t *to, const uint8_t *list, uint32_t len)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < len; i += 12) {
		uint32_t k = 0;

		while (k < out && memcmp(to + k, list + i, 12))
			k += 12;
		if (k < out)
			continue;
		memcpy(to + out, list + i, 12);
		out += 12;
	}
	return out;
}

static int
test_community_order12(const void *a, const void *b)
{
	return memcmp(a, b, 12);
}

/* Lists of all lengths, from no element twice to nearly all the same. */
static void
test_unique(void **state)
{
	static uint8_t list[200 * 12], want[200 * 12], got[200 * 12];
	uint32_t x = 1;

	(void)state;
	for (uint32_t cnt = 1; cnt <= 200; cnt++) {
		for (uint32_t kinds = 1; kinds <= 4096; kinds *= 4) {
			uint32_t len;

			for (uint32_t i = 0; i < cnt; i++) {
				uint32_t v = (x = x * 1664525 + 1013904223) >> 8;

				memset(list + 12 * i, 0, 12);
				put_be32(list + 12 * i + 4 * (v % 3), v / 3 % kinds);
			}
			len = unique_slow(want, list, 12 * cnt);
			assert_int_equal(
			    comm_unique(got, COMM_LARGE, list, 12 * cnt), len);
			if (len != 12 * cnt) { /* a long one is sorted then */
				qsort(want, len / 12, 12, test_community_order12);
				qsort(got, len / 12, 12, test_community_order12);
			}
			assert_memory_equal(got, want, len);
		}
	}
}

/* The longest attribute in its worst order is no matter of milliseconds. */
static void
test_unique_long(void **state)
{
	static uint8_t list[5461 * 12], got[5461 * 12];

	(void)state;
	for (uint32_t i = 0; i < 5461; i++)
		put_be32(list + 12 * i + 8, i / 2);
	assert_int_equal(comm_unique(got, COMM_LARGE, list, sizeof(list)), 2731 * 12);
	for (uint32_t i = 0; i < 5461; i++)
		put_be32(list + 12 * i + 8, 5461 - i);
	assert_int_equal(comm_unique(got, COMM_LARGE, list, sizeof(list)), sizeof(list));
	assert_memory_equal(got, list, sizeof(list));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_get_put),
	cmocka_unit_test(test_has),
	cmocka_unit_test(test_add),
	cmocka_unit_test(test_add_full),
	cmocka_unit_test(test_select),
	cmocka_unit_test(test_print),
	cmocka_unit_test(test_unique),
	cmocka_unit_test(test_unique_long),
};

UNIT_MAIN(tests)
