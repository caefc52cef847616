/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/attr/as_path.c"
#include "test/lib/unit.h"

/* Paths are written as segments: type, count, numbers. */
#define SEQ1(a)       2, 1, 0, 0, 0, a
#define SEQ2(a, b)    2, 2, 0, 0, 0, a, 0, 0, 0, b
#define SEQ3(a, b, c) 2, 3, 0, 0, 0, a, 0, 0, 0, b, 0, 0, 0, c
#define SET2(a, b)    1, 2, 0, 0, 0, a, 0, 0, 0, b
#define CSEQ1(a)      3, 1, 0, 0, 0, a
#define CSET1(a)      4, 1, 0, 0, 0, a

static const uint8_t plain[] = { SEQ3(1, 2, 3) };
static const uint8_t with_set[] = { SEQ2(1, 2), SET2(3, 4) };
static const uint8_t set_inside[] = { SEQ1(9), SET2(3, 4), SEQ1(5) };
static const uint8_t confed[] = { CSEQ1(7), CSET1(8), SEQ2(1, 2) };

static void
test_check(void **state)
{
	static const uint8_t empty_seg[] = { 2, 0 }, type5[] = { 5, 1, 0, 0, 0, 1 };
	static const uint8_t two[] = { 2, 2, 0, 1, 0, 2 };

	(void)state;
	assert_true(as_path_check(NULL, 0, 4, false));
	assert_true(as_path_check(plain, sizeof(plain), 4, false));
	assert_false(as_path_check(plain, sizeof(plain) - 1, 4, false));
	assert_false(as_path_check(plain, 1, 4, false));
	assert_false(as_path_check(empty_seg, 2, 4, false));
	assert_false(as_path_check(type5, 6, 4, true));
	assert_false(as_path_check(confed, sizeof(confed), 4, false));
	assert_true(as_path_check(confed, sizeof(confed), 4, true));
	assert_true(as_path_check(two, sizeof(two), 2, false));
	assert_false(as_path_check(two, sizeof(two), 4, false));
}

static void
test_facts(void **state)
{
	(void)state;
	assert_int_equal(as_path_len(plain, sizeof(plain)), 3);
	assert_int_equal(as_path_len(with_set, sizeof(with_set)), 3);
	assert_int_equal(as_path_len(confed, sizeof(confed)), 2);
	assert_int_equal(as_path_first(plain, sizeof(plain)), 1);
	assert_int_equal(as_path_first(confed, sizeof(confed)), 1);
	assert_int_equal(as_path_first(with_set + 10, 10), 0);
	assert_int_equal(as_path_first(NULL, 0), 0);
	assert_int_equal(as_path_last(plain, sizeof(plain)), 3);
	assert_int_equal(as_path_last(with_set, sizeof(with_set)), 0);
	assert_int_equal(as_path_last(set_inside, sizeof(set_inside)), 5);
	assert_int_equal(as_path_last_nonaggr(with_set, sizeof(with_set)), 2);
	assert_int_equal(as_path_last_nonaggr(set_inside, sizeof(set_inside)), 9);
	assert_int_equal(as_path_last_nonaggr(NULL, 0), 0);
	assert_int_equal(as_path_count(set_inside, sizeof(set_inside), 4), 1);
	assert_int_equal(as_path_count(plain, sizeof(plain), 4), 0);
}

/* What the language and `show route` say; BIRD 2.17 says so, too. */
static void
test_ends(void **state)
{
	static const struct {
		uint8_t path[32];
		uint32_t len, head, last, last_nonaggr;
	} want[] = {
		{ { SEQ2(1, 2) }, 10, 1, 2, 2 },
		{ { CSEQ1(7) }, 6, 0, 7, 7 },
		{ { CSEQ1(7), SEQ2(1, 2) }, 16, 0, 2, 2 },
		{ { CSEQ1(7), SEQ1(1), CSEQ1(8) }, 18, 0, 8, 8 },
		{ { CSEQ1(7), CSET1(8) }, 12, 0, 0, 7 },
		{ { CSEQ1(7), CSET1(8), SEQ1(1) }, 18, 0, 1, 7 },
		{ { CSEQ1(7), SEQ1(1), SET2(3, 4) }, 22, 0, 0, 1 },
		{ { CSEQ1(7), SET2(3, 4), SEQ1(1) }, 22, 0, 1, 7 },
		{ { SET2(3, 4), SEQ1(1) }, 16, 0, 1, 0 },
		{ { 0 }, 0, 0, 0, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(want); i++) {
		const uint8_t *p = want[i].path;

		assert_int_equal(as_path_head(p, want[i].len), want[i].head);
		assert_int_equal(as_path_last(p, want[i].len), want[i].last);
		assert_int_equal(
		    as_path_last_nonaggr(p, want[i].len), want[i].last_nonaggr);
	}
}

static void
test_prepend(void **state)
{
	static const uint8_t want[] = { SEQ3(6, 1, 2) }, tail[] = { SEQ2(1, 2) };
	static const uint8_t want_set[] = { SEQ1(6), SET2(3, 4) };
	uint8_t full[2 + 4 * 255] = { 2, 255 }, *out;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	assert_int_equal(as_path_prepend(&out, &a, tail, sizeof(tail), 6), sizeof(want));
	assert_memory_equal(out, want, sizeof(want));
	assert_int_equal(as_path_prepend(&out, &a, NULL, 0, 6), 6);
	assert_memory_equal(out, want_set, 6);
	assert_int_equal(as_path_prepend(&out, &a, want_set + 6, 10, 6), 16);
	assert_memory_equal(out, want_set, 16);
	assert_int_equal(
	    as_path_prepend(&out, &a, full, sizeof(full), 6), sizeof(full) + 6);
	assert_int_equal(out[1], 1);
	assert_int_equal(out[7], 255);
	assert_int_equal(as_path_prepend(&out, &a, full, 65530, 6), -E2BIG);
	out = full;
	assert_int_equal(as_path_prepend_in(&out, 65530, 6), -E2BIG);
	assert_ptr_equal(out, full);
	arena_fini(&a);
}

static void
test_widen(void **state)
{
	static const uint8_t two[] = { 2, 2, 0xfd, 0xe8, 0, 9, 1, 1, 0xff, 0xff };
	static const uint8_t want[] = { 2, 2, 0, 0, 0xfd, 0xe8, 0, 0, 0, 9, 1, 1, 0, 0,
		0xff, 0xff };
	uint8_t four[32];

	(void)state;
	assert_int_equal(as_path_widen(four, two, sizeof(two)), sizeof(want));
	assert_memory_equal(four, want, sizeof(want));
}

static void
merge_is(
    const void *path, uint32_t len, const void *as4, uint32_t as4_len, const char *want)
{
	uint8_t out[256];
	struct strbuf b;

	strbuf_init(&b);
	len = as_path_merge4(out, path, len, as4, as4_len);
	assert_true(as_path_check(out, len, 4, true));
	as_path_print(&b, out, len);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_merge(void **state)
{
	static const uint8_t as4[] = { SEQ2(72, 73) },
			     as4_set[] = { SEQ1(72), SET2(3, 4) };
	static const uint8_t set_first[] = { SET2(8, 9), SEQ1(2) };
	static const uint8_t as4_confed[] = { CSEQ1(5), SEQ1(72) };
	static const uint8_t long_as4[] = { SEQ2(1, 2), SEQ2(3, 4) };

	(void)state;
	merge_is(plain, sizeof(plain), as4, sizeof(as4), "1 72 73");
	merge_is(plain, sizeof(plain), long_as4, sizeof(long_as4), "1 2 3");
	merge_is(plain, sizeof(plain), as4_confed, sizeof(as4_confed), "1 2 72");
	merge_is(plain, sizeof(plain), as4_confed, 6, "1 2 3");
	merge_is(with_set, sizeof(with_set), as4_set, sizeof(as4_set), "1 72 {3 4}");
	merge_is(set_first, sizeof(set_first), as4_set, 6, "{8 9} 72");
	merge_is(set_inside, sizeof(set_inside), as4, 6 + 4, "9 72 73");
	merge_is(
	    confed, sizeof(confed), as4_confed, sizeof(as4_confed), "(7) ({8}) 1 72");
	merge_is(NULL, 0, as4, sizeof(as4), "");
}

/* 200 numbers before and 100 behind make two segments, none over 255. */
static void
test_merge_long(void **state)
{
	uint8_t path[2 + 4 * 255 + 2 + 4 * 45], as4[2 + 4 * 100], out[4096];
	uint32_t len = sizeof(path);

	(void)state;
	memset(path, 1, sizeof(path));
	memset(as4, 2, sizeof(as4));
	path[0] = path[2 + 4 * 255] = as4[0] = AS_SEQUENCE;
	path[1] = 255;
	path[2 + 4 * 255 + 1] = 45;
	as4[1] = 100;
	len = as_path_merge4(out, path, len, as4, sizeof(as4));
	assert_int_equal(len, sizeof(path));
	assert_true(as_path_check(out, len, 4, false));
	assert_int_equal(as_path_len(out, len), 300);
	assert_int_equal(as_path_first(out, len), 0x01010101);
	assert_int_equal(as_path_last(out, len), 0x02020202);
	assert_int_equal(as_path_count(out, len, 0x02020202), 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_check),
	cmocka_unit_test(test_facts),
	cmocka_unit_test(test_ends),
	cmocka_unit_test(test_prepend),
	cmocka_unit_test(test_widen),
	cmocka_unit_test(test_merge),
	cmocka_unit_test(test_merge_long),
};

UNIT_MAIN(tests)
