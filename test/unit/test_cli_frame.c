/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies on the control socket, written and read. */
#include "lib/wire/cli_frame.c"
#include "test/lib/unit.h"

static void
put_is(struct cli_writer *w, unsigned code, bool last, const char *text, const char *want)
{
	char buf[CLI_LINE_MAX + 1];
	size_t len = cli_put(w, buf, code, last, text);

	buf[len] = 0;
	assert_string_equal(buf, want);
}

static void
test_put(void **state)
{
	struct cli_writer w = { 0 };

	(void)state;
	put_is(&w, 1007, false, "Table master4:", "1007-Table master4:\n");
	put_is(&w, 1007, false, "route", " route\n");
	put_is(&w, 1008, false, "\tType: BGP univ", "1008-\tType: BGP univ\n");
	put_is(&w, 1008, false, "", " \n");
	put_is(&w, 1007, false, "a\nb", "1007-a?b\n");
	put_is(&w, 0, true, "", "0000 \n");
	put_is(&w, 1010, false, "x", "1010-x\n");
	put_is(&w, 1010, true, "y", "1010 y\n");
	put_is(&w, 1010, false, "z", "1010-z\n");
}

static void
test_put_long(void **state)
{
	char text[600], buf[CLI_LINE_MAX + 1];
	struct cli_writer w = { 0 };

	(void)state;
	memset(text, 'x', sizeof(text));
	text[506] = 0;
	assert_int_equal(cli_put(&w, buf, 1007, false, text), CLI_LINE_MAX);
	text[506] = 'x';
	text[507] = 0;
	put_is(&w, 1007, false, text, "8000-<line overflow>\n");
	put_is(&w, 1007, true, text, "8000 <line overflow>\n");
}

struct want {
	unsigned code;
	bool last, async, cont;
	const char *text;
};

/* The same replies in pieces of each size. */
static void
test_read(void **state)
{
	static const char in[] =
	    "0001 BIRD 2.0.12 ready.\n1007-Table master4:\n a\n \n"
	    "+Reloading\n1008-\tType\r\n0000 \n odd\nnonsense\n12345\n";
	static const struct want want[] = {
		{ 1, true, false, false, "BIRD 2.0.12 ready." },
		{ 1007, false, false, false, "Table master4:" },
		{ 1007, false, false, true, "a" },
		{ 1007, false, false, true, "" },
		{ 0, false, true, false, "Reloading" },
		{ 1008, false, false, false, "\tType" },
		{ 0, true, false, false, "" },
		{ 0, false, false, true, "odd" },
		{ 0, false, false, true, "nonsense" },
		{ 0, false, false, true, "12345" },
	};

	(void)state;
	for (size_t piece = 1; piece < sizeof(in); piece++) {
		struct cli_reader r;
		unsigned cnt = 0;

		cli_reader_init(&r);
		for (size_t pos = 0; pos < sizeof(in) - 1;) {
			size_t left = sizeof(in) - 1 - pos;
			struct cli_line l;
			bool got;

			pos += cli_read(
			    &r, in + pos, left < piece ? left : piece, &l, &got);
			if (!got)
				continue;
			assert_true(cnt < ARRAY_LEN(want));
			assert_int_equal(l.code, want[cnt].code);
			assert_int_equal(l.last, want[cnt].last);
			assert_int_equal(l.async, want[cnt].async);
			assert_int_equal(l.cont, want[cnt].cont);
			assert_string_equal(l.text, want[cnt].text);
			assert_int_equal(l.len, strlen(l.text));
			cnt++;
		}
		assert_int_equal(cnt, ARRAY_LEN(want));
		cli_reader_fini(&r);
	}
}

static void
test_read_long(void **state)
{
	static char in[3u << 20];
	struct cli_reader r;
	struct cli_line l;
	bool got;

	(void)state;
	cli_reader_init(&r);
	memset(in, 'x', sizeof(in));
	memcpy(in, "1100-", 5);
	in[sizeof(in) - 1] = '\n';
	assert_int_equal(cli_read(&r, in, sizeof(in), &l, &got), sizeof(in));
	assert_true(got);
	assert_int_equal(l.len, sizeof(in) - 1 - 5);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(cli_read(&r, in, 1u << 20, &l, &got), 1u << 20);
		assert_false(got);
	}
	for (size_t left = CLI_READ_MAX; left; left -= 1u << 20)
		assert_int_equal(cli_read(&r, in, 1u << 20, &l, &got), 1u << 20);
	assert_int_equal(cli_read(&r, in + sizeof(in) - 3, 3, &l, &got), 3);
	assert_true(got);
	assert_int_equal(l.code, 1100);
	assert_int_equal(l.len, CLI_READ_MAX - 1 - 5);
	assert_int_equal(cli_read(&r, " {}\n", 4, &l, &got), 4);
	assert_true(got);
	assert_string_equal(l.text, "{}");
	cli_reader_fini(&r);
}

/* A text that the caller writes himself, among those of cli_put. */
static void
test_put_head(void **state)
{
	struct cli_writer w = { 0 };
	char buf[CLI_HEAD_MAX];

	(void)state;
	assert_int_equal(cli_put_head(&w, buf, 1100), 5);
	assert_memory_equal(buf, "1100-", 5);
	assert_int_equal(cli_put_head(&w, buf, 1100), 1);
	assert_memory_equal(buf, " ", 1);
	put_is(&w, 8001, true, "none", "8001 none\n");
	assert_int_equal(cli_put_head(&w, buf, 1100), 5);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_put),
	cmocka_unit_test(test_put_long),
	cmocka_unit_test(test_read),
	cmocka_unit_test(test_read_long),
	cmocka_unit_test(test_put_head),
};

UNIT_MAIN(tests)
