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
	cmocka_unit_test(test_secrets),
};

UNIT_MAIN(tests)
