/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of errors, their marks, and the limit. */
#include "filter/lang/diag.h"
#include "test/lib/unit.h"

static void
test_marks(void **state)
{
	static const char text[] = "one\n\ttwo three\nlast";
	struct diag_file f = { .name = "f", .text = text, .len = sizeof(text) - 1 };
	struct diag d;
	struct strbuf b;

	(void)state;
	diag_init(&d);
	strbuf_init(&b);
	d.files = &f;
	diag_error(&d, (struct src_pos){ "f", 2, 6 }, "bad %s", "three");
	diag_warning(&d, (struct src_pos){ "f", 3, 5 }, "end");
	diag_error(&d, (struct src_pos){ "g", 1, 1 }, "elsewhere");
	diag_error(&d, (struct src_pos){ "f", 99, 1 }, "beyond");
	assert_string_equal(
	    d.errors.s, "f:2:6 bad three\ng:1:1 elsewhere\nf:99:1 beyond\n");
	assert_string_equal(d.warnings.s, "f:3:5 end\n");
	assert_string_equal(d.marked.s, "f:2:6 bad three\n\t\ttwo three\n\t\t    ^\n"
					"warning: f:3:5 end\n\tlast\n\t    ^\n"
					"g:1:1 elsewhere\nf:99:1 beyond\n");
	diag_first(&d, &b);
	assert_string_equal(b.s, "f:2:6 bad three");
	strbuf_fini(&b);
	diag_fini(&d);
}

static void
test_limit(void **state)
{
	struct diag d;
	unsigned i, lines = 0;

	(void)state;
	diag_init(&d);
	for (i = 0; i < 100; i++)
		diag_error(&d, (struct src_pos){ "f", i + 1, 1 }, "x");
	assert_int_equal(d.error_cnt, 100);
	for (i = 0; d.errors.s[i]; i++)
		lines += d.errors.s[i] == '\n';
	assert_int_equal(lines, DIAG_ERROR_MAX);
	diag_fini(&d);
}

static void
test_diag_add(struct diag *d, const char *file, uint32_t line, uint32_t col)
{
	diag_error(d, (struct src_pos){ file, line, col }, "x%u", col);
}

/* Messages have the order of the text: by line and column, and a message about an
 * included file at the place of the `include`. The parser opens the files of a pattern
 * from the last. */
static void
test_order(void **state)
{
	static const char text[] = "a\nb\nc\nd\n";
	struct diag_file main = { .name = "m", .text = text, .len = 8 };
	struct diag_file two = { .name = "2", .text = text, .len = 8, .next = &main };
	struct diag_file one = { .name = "1", .text = text, .len = 8, .next = &two };
	struct diag d;

	(void)state;
	two.included = one.included = (struct src_pos){ "m", 2, 9 };
	two.number = 1;
	one.number = 2;
	diag_init(&d);
	d.files = &one;
	test_diag_add(&d, "m", 3, 1);
	test_diag_add(&d, "2", 1, 2);
	test_diag_add(&d, "m", 1, 4);
	test_diag_add(&d, "m", 1, 3);
	diag_warning(&d, (struct src_pos){ "1", 1, 2 }, "w");
	test_diag_add(&d, "m", 2, 9);
	test_diag_add(&d, "1", 4, 1);
	test_diag_add(&d, "m", 1, 4);
	assert_string_equal(d.errors.s,
	    "m:1:3 x3\nm:1:4 x4\nm:1:4 x4\nm:2:9 x9\n1:4:1 x1\n2:1:2 x2\nm:3:1 x1\n");
	assert_non_null(strstr(d.marked.s, "m:2:9 x9\nwarning: 1:1:2 w\n\ta\n"));
	assert_int_equal(d.place_len, strlen("m:1:3"));
	diag_fini(&d);
}

/* Of too many errors the first errors of the text are kept. */
static void
test_first(void **state)
{
	static const char text[] = "";
	struct diag_file f = { .name = "f", .text = text };
	struct diag d;
	struct strbuf b;

	(void)state;
	diag_init(&d);
	strbuf_init(&b);
	d.files = &f;
	diag_warning(&d, (struct src_pos){ "f", 200, 1 }, "w");
	for (uint32_t i = 100; i > 0; i--)
		test_diag_add(&d, "f", i, 1);
	for (uint32_t i = 1; i <= DIAG_ERROR_MAX; i++)
		strbuf_addf(&b, "f:%u:1 x1\n", i);
	assert_string_equal(d.errors.s, b.s);
	assert_non_null(strstr(d.marked.s, "\nf:20:1 x1\nwarning: f:200:1 w\n"));
	assert_null(strstr(d.marked.s, "f:21:1"));
	assert_int_equal(d.error_cnt, 100);
	strbuf_fini(&b);
	diag_fini(&d);
}

/* No message has a word of a secret. */
static void
test_secrets(void **state)
{
	static const char text[] =
	    "a {\n\tb; password hunter2;\n}\npassword\n\"x y\" z;\n";
	struct diag_file f = { .name = "f", .text = text, .len = sizeof(text) - 1 };
	struct diag d;

	(void)state;
	diag_init(&d);
	d.files = &f;
	diag_error(&d, (struct src_pos){ "f", 2, 14 }, "unknown '%s'", "hunter2");
	diag_error(&d, (struct src_pos){ "f", 5, 7 }, "expected ';', found '%s'", "z");
	assert_string_equal(
	    d.errors.s, "f:2:14 unknown '***'\nf:5:7 expected ';', found '***'\n");
	assert_string_equal(d.marked.s, "f:2:14 unknown '***'\n\t\tb; password ***\n"
					"\t\t            ^\n"
					"f:5:7 expected ';', found '***'\n\t***;\n\t^\n");
	diag_fini(&d);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_marks),
	cmocka_unit_test(test_limit),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_first),
	cmocka_unit_test(test_secrets),
};

UNIT_MAIN(tests)
