/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a command, and what is said about those that can't stand where they do. */
#include "nest/cli/cli_scan.c"
#include "test/lib/unit.h"

static struct cli_scan sc;

static void
test_cli_scan_is(enum cli_tok t, const char *text)
{
	assert_int_equal(sc.tok, t);
	if (text)
		assert_string_equal(sc.text, text);
	cli_scan_step(&sc);
}

static void
test_words(void **state)
{
	(void)state;
	cli_scan_init(&sc, "  show\troute 'a-b.c' \"p*\" 12 { x_1}");
	test_cli_scan_is(TOK_WORD, "show");
	test_cli_scan_is(TOK_WORD, "route");
	test_cli_scan_is(TOK_NAME, "a-b.c");
	test_cli_scan_is(TOK_TEXT, "p*");
	assert_int_equal(sc.num, 12);
	test_cli_scan_is(TOK_NUM, NULL);
	assert_int_equal(sc.chr, '{');
	test_cli_scan_is(TOK_CHAR, NULL);
	test_cli_scan_is(TOK_WORD, "x_1");
	assert_int_equal(sc.chr, '}');
	test_cli_scan_is(TOK_CHAR, NULL);
	test_cli_scan_is(TOK_END, NULL);
	test_cli_scan_is(TOK_END, NULL);
}

static void
test_addresses(void **state)
{
	(void)state;
	cli_scan_init(&sc, "10.0.0.0/8 2001:db8::/32 :: fe80::1 add dead 1.2.3");
	assert_true(ip_equal(sc.ip, ip4(0x0a000000)));
	test_cli_scan_is(TOK_IP4, NULL);
	test_cli_scan_is(TOK_CHAR, NULL);
	assert_int_equal(sc.num, 8);
	test_cli_scan_is(TOK_NUM, NULL);
	test_cli_scan_is(TOK_IP6, NULL);
	test_cli_scan_is(TOK_CHAR, NULL);
	test_cli_scan_is(TOK_NUM, NULL);
	test_cli_scan_is(TOK_IP6, NULL);
	test_cli_scan_is(TOK_IP6, NULL);
	test_cli_scan_is(TOK_WORD, "add");
	test_cli_scan_is(TOK_WORD, "dead");
	assert_int_not_equal(sc.tok, TOK_IP4);
}

static void
test_steps(void **state)
{
	(void)state;
	cli_scan_init(&sc, "show routes all");
	assert_true(cli_scan_word(&sc, "show"));
	assert_false(cli_scan_word(&sc, "route"));
	assert_true(cli_scan_is_name(&sc));
	cli_scan_skip(&sc, 6);
	assert_true(cli_scan_word(&sc, "all"));
	assert_int_equal(sc.tok, TOK_END);
	cli_scan_init(&sc, "99999999999999999999999");
	assert_true(sc.num >= 1000000000000000ull);
	test_cli_scan_is(TOK_NUM, NULL);
	test_cli_scan_is(TOK_END, NULL);
}

static void
test_cli_scan_says(const char *line, const char *expecting, const char *want)
{
	struct strbuf b;

	strbuf_init(&b);
	cli_scan_init(&sc, line);
	cli_scan_unexpected(&sc, expecting, &b);
	assert_string_equal(b.s, want);
	strbuf_fini(&b);
}

static void
test_unexpected(void **state)
{
	(void)state;
	test_cli_scan_says("", NULL, "syntax error, unexpected end of the command");
	test_cli_scan_says("SHOW x", NULL, "syntax error, unexpected 'SHOW'");
	test_cli_scan_says("foo", CLI_EXPECT_END,
	    "syntax error, unexpected 'foo', expecting the end of the command");
	test_cli_scan_says("'all'", NULL, "syntax error, unexpected ''all''");
	test_cli_scan_says(
	    "\"x\"", "a number", "syntax error, unexpected '\"x\"', expecting a number");
	test_cli_scan_says("5", NULL, "syntax error, unexpected '5'");
	test_cli_scan_says("1.2.3.4 5", NULL, "syntax error, unexpected '1.2.3.4'");
	test_cli_scan_says("::", NULL, "syntax error, unexpected '::'");
	test_cli_scan_says("+", NULL, "syntax error, unexpected '+'");
	test_cli_scan_says("tabel", "a name, 'all' or 'table'",
	    "syntax error, unexpected 'tabel', expecting a name, 'all' or 'table'; did "
	    "you mean 'table'?");
	test_cli_scan_says("\"tabel\"", "'table'",
	    "syntax error, unexpected '\"tabel\"', expecting 'table'");
	test_cli_scan_says(
	    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyyyy", NULL,
	    "syntax error, unexpected "
	    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'");
	test_cli_scan_says("\"x", NULL, "Unterminated string");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_words),
	cmocka_unit_test(test_addresses),
	cmocka_unit_test(test_steps),
	cmocka_unit_test(test_unexpected),
};

UNIT_MAIN(tests)
