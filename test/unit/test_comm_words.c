/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of communities: entries, wrong lines, and the choice among entries. */
#include "nest/conf/file/comm_words.c"
#include "test/lib/unit.h"

static struct arena arena;

static const struct comm_words *
test_comm_words_parse(const char *text)
{
	struct diag d;
	const struct comm_words *w;

	diag_init(&d);
	w = comm_words_parse(&arena, "names", text, strlen(text), &d);
	assert_int_equal(d.error_cnt, w ? 0 : 1);
	diag_fini(&d);
	return w;
}

static void
test_comm_words_wrong(const char *text, const char *where)
{
	struct diag d;

	diag_init(&d);
	assert_null(comm_words_parse(&arena, "names", text, strlen(text), &d));
	assert_int_equal(strncmp(d.errors.s, where, strlen(where)), 0);
	diag_fini(&d);
}

static void
test_comm_words_is(const struct comm_words *w, struct comm_of c, const char *text)
{
	struct strbuf b;

	strbuf_init(&b);
	assert_int_equal(comm_words_find(w, c, &b), text != NULL);
	assert_string_equal(b.s ? b.s : "", text ? text : "");
	strbuf_fini(&b);
}

static struct comm_of
test_comm_words_large(uint32_t a, uint32_t b, uint32_t c)
{
	return (struct comm_of){ COMM_LARGE, { { a, b, c } } };
}

static struct comm_of
test_comm_words_standard(uint32_t a, uint32_t b)
{
	return (struct comm_of){ COMM_STD, { { a, b } } };
}

static void
test_entries(void **state)
{
	const struct comm_words *w = test_comm_words_parse(
	    "# names\r\n"
	    "65000:1101:*\treason $2 of $0, not $3\n"
	    "\n"
	    "*:1101:3\tnever\n"
	    "65000:1101:3\tbogon\r\n"
	    "65000:1101:3\tlater\n"
	    "(65000, 666)\t\tblackhole\n"
	    "0:*\tnot to AS$1\n"
	    "rt:65000:7\ttarget\n"
	    "ro, 4200000000, 7\torigin $1");

	(void)state;
	test_comm_words_is(w, test_comm_words_large(65000, 1101, 3), "bogon");
	test_comm_words_is(
	    w, test_comm_words_large(65000, 1101, 4), "reason 4 of 65000, not $3");
	test_comm_words_is(w, test_comm_words_large(65001, 1101, 3), "never");
	test_comm_words_is(w, test_comm_words_large(65001, 1101, 4), NULL);
	test_comm_words_is(w, test_comm_words_standard(65000, 666), "blackhole");
	test_comm_words_is(w, test_comm_words_standard(65000, 667), NULL);
	test_comm_words_is(w, test_comm_words_standard(0, 64501), "not to AS64501");
	test_comm_words_is(
	    w, (struct comm_of){ COMM_EXT, { { 0x0002fde8, 7 } } }, "target");
	test_comm_words_is(
	    w, (struct comm_of){ COMM_EXT, { { 0x0203fa56, 0xea000007 } } }, "origin $1");
	test_comm_words_is(NULL, test_comm_words_standard(0, 1), NULL);
}

/* A well-known community has a text without a file, and an entry of the file, also with
 * `*`, precedes the text. */
static void
test_known(void **state)
{
	static const uint16_t known[] = { 0, 1, 6, 7, 9, 666, 65281, 65282, 65283,
		65284 };
	const struct comm_words *some = test_comm_words_parse("65000:1\tx\n"),
				*own = test_comm_words_parse("65535:666\tour blackhole\n"
							     "65535:*\tknown $1\n");
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct comm_of c = test_comm_words_standard(65535, known[i]);

		assert_true(comm_words_find(NULL, c, &b));
		assert_non_null(strstr(b.s, " (RFC "));
		strbuf_reset(&b);
		assert_true(comm_words_find(some, c, &b));
		assert_non_null(strstr(b.s, " (RFC "));
		strbuf_reset(&b);
	}
	test_comm_words_is(NULL, test_comm_words_standard(65535, 666),
	    "BLACKHOLE (RFC 7999): discard the traffic to the network");
	test_comm_words_is(NULL, test_comm_words_standard(65535, 667), NULL);
	test_comm_words_is(NULL, test_comm_words_standard(65534, 666), NULL);
	test_comm_words_is(NULL, test_comm_words_large(65535, 666, 0), NULL);
	test_comm_words_is(own, test_comm_words_standard(65535, 666), "our blackhole");
	test_comm_words_is(own, test_comm_words_standard(65535, 6), "known 6");
	comm_words_added(NULL, "(65535,666) (1,2) (65000, 666, 1)", &b);
	assert_string_equal(
	    b.s, "BLACKHOLE (RFC 7999): discard the traffic to the network");
	strbuf_fini(&b);
}

static void
test_wrong(void **state)
{
	(void)state;
	test_comm_words_wrong("", "names:1:1 expected a community, a tab");
	test_comm_words_wrong("#\n\n", "names:1:1 expected a community, a tab");
	test_comm_words_wrong("1:2 text\n", "names:1:9 expected a tab");
	test_comm_words_wrong("1:2\n", "names:1:4 expected a tab");
	test_comm_words_wrong("1:2\t\n", "names:1:4 expected a tab");
	test_comm_words_wrong("1:2\tx\n1\tx\n", "names:2:1 expected a community, such");
	test_comm_words_wrong("1:2:3:4\tx\n", "names:1:1");
	test_comm_words_wrong("1:65536\tx\n", "names:1:1");
	test_comm_words_wrong("1:2:4294967296\tx\n", "names:1:1");
	test_comm_words_wrong("(1,2\tx\n", "names:1:1");
	test_comm_words_wrong("rt:1\tx\n", "names:1:1");
	test_comm_words_wrong("rt:*:1\tx\n", "names:1:1");
	test_comm_words_wrong("1:a\tx\n", "names:1:1");
	test_comm_words_wrong("1:2\ta\001b\n", "names:1:5 expected a text without");
}

static void
test_added(void **state)
{
	const struct comm_words *w = test_comm_words_parse("1:2:3\tone\n4:5\ttwo\n");
	struct strbuf b;

	(void)state;
	strbuf_init(&b);
	comm_words_added(w, "(1, 2, 3) (9,9) (4,5)", &b);
	assert_string_equal(b.s, "one; two");
	strbuf_reset(&b);
	comm_words_added(w, "(9,9) (", &b);
	comm_words_added(w, NULL, &b);
	comm_words_added(NULL, "(4,5)", &b);
	assert_int_equal(b.len, 0);
	strbuf_fini(&b);
}

static int
test_comm_words_set_up(void **state)
{
	(void)state;
	arena_init(&arena, MEM_OTHER, 4096);
	return 0;
}

static int
test_comm_words_tear_down(void **state)
{
	(void)state;
	arena_fini(&arena);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_entries),
	cmocka_unit_test(test_known),
	cmocka_unit_test(test_wrong),
	cmocka_unit_test(test_added),
};

int
main(void)
{
	return cmocka_run_group_tests(
	    tests, test_comm_words_set_up, test_comm_words_tear_down);
}
