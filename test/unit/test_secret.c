/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of options with secrets, and masks in their place. */
#include "lib/base/secret.h"
#include "lib/base/strbuf.h"
#include "test/lib/unit.h"

#include <stdlib.h>
#include <string.h>

static void
test_words(void **state)
{
	(void)state;
	assert_true(secret_word("password", 8));
	assert_true(secret_word("KEY and more", 3));
	assert_false(secret_word("passwor", 7));
	assert_false(secret_word("monkey", 6));
}

static void
test_end(void **state)
{
	static const struct {
		const char *text;
		int at; /* -1: no word */
	} c[] = { { "a password x", 10 }, { "password", 8 }, { "key=x", 3 },
		{ "{secret:x", 7 }, { "x;key", 5 }, { "/etc/key", -1 },
		{ "key.conf", -1 }, { "monkey x", -1 }, { "key*", -1 }, { "", -1 },
		{ "bgp_password x", -1 }, { "key.conf key x", 12 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		const char *end = secret_end(c[i].text, strlen(c[i].text));

		assert_int_equal(end ? (int)(end - c[i].text) : -1, c[i].at);
	}
}

static void
test_split(void **state)
{
	static const struct {
		const char *line, *shown, *hidden;
		bool open;
	} c[] = {
		{ "password \"a;b\"; x", "password ***; x", "\"a;b\"\n", false },
		{ "a b; Password \"a\" b;", "a b; Password ***;", "\"a\" b\n", false },
		{ "password a;b; c", "password ***", "a;b; c\n", false },
		{ "password 'a;b; c", "password ***", "'a;b; c\n", false },
		{ "secrt \"a\";", "secrt ***;", "\"a\"\n", false },
		{ "passwort a", "passwort ***", "a\n", false },
		{ "passive; keep \"x\"; password", "passive; keep \"x\"; password", "",
		    true },
		{ "keys { key { secret \"x\"; }; };", "keys { key { secret ***; }; };",
		    "\"x\"\n", false },
		{ "key \"x\" { id y; }", "key ***{ id y; }", "\"x\" \n", false },
		{ "private key \"x\";", "private key \"x\";", "", false },
		{ "# password x", "# password ***", "x\n", false },
		{ "a /* key \"x\" */ b;", "a /* key *** b;", "\"x\" */\n", false },
		{ "# the key", "# the key", "", false },
		{ "as 2 password \"a\"; b \"c\";", "as 2 password ***; b \"c\";",
		    "\"a\"\n", false },
		{ "passive secret a;b", "passive secret ***", "a;b\n", false },
		{ "local as passwort = \"a\"; b", "local as passwort = ***; b", "\"a\"\n",
		    false },
		{ "x md5password \"a\"", "x md5password ***", "\"a\"\n", true },
		{ "x keys { key \"a\" }", "x keys { key ***}", "\"a\" \n", false },
		{ "x key \"a\" ttl { b }", "x key ***{ b }", "\"a\" ttl \n", false },
		{ "if key = 1 then b", "if key = 1 then b", "", false },
		{ "d \"a; password \"zq\"", "d \"a; password \"***", "zq\"\n", false },
		{ "x password file \"a\"; b", "x password ***; b", "file \"a\"\n",
		    false },
		{ "password /* a */ \"x\";", "password /* a */ ***;", "\"x\"\n", false },
		{ "password \"x\" # y", "password ***", "\"x\" # y\n", true },
		{ "password file \"x\"; y", "password ***; y", "file \"x\"\n", false },
		{ "define PW = \"x\"; y \"z\"", "define PW = ***; y \"z\"", "\"x\"\n",
		    false },
		{ "define A = [1, 2]; define", "define A = [1, 2]; define", "", false },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		struct strbuf shown, hidden;
		struct secret_open open = { 0 };
		size_t col = 0;

		strbuf_init(&shown);
		strbuf_init(&hidden);
		secret_split(&shown, &hidden, c[i].line, strlen(c[i].line), &col, &open);
		assert_string_equal(shown.s, c[i].shown);
		assert_string_equal(hidden.s, c[i].hidden);
		assert_int_equal(open.secret, c[i].open);
		assert_int_equal(col, 0);
		strbuf_fini(&shown);
		strbuf_fini(&hidden);
	}
}

/* The column of an octet behind a mask, and of an octet of a mask. */
static void
test_split_col(void **state)
{
	static const char line[] = "key \"abcdef\" g; h";
	static const size_t at[][2] = { { 0, 0 }, { 4, 4 }, { 7, 4 }, { 13, 4 },
		{ 14, 7 }, { 16, 9 }, { 17, 10 } };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(at); i++) {
		struct strbuf shown, hidden;
		struct secret_open open = { 0 };
		size_t col = at[i][0];

		strbuf_init(&shown);
		strbuf_init(&hidden);
		secret_split(&shown, &hidden, line, sizeof(line) - 1, &col, &open);
		assert_int_equal(col, at[i][1]);
		strbuf_fini(&shown);
		strbuf_fini(&hidden);
	}
}

/* An option that goes on in the next line. */
static void
test_split_open(void **state)
{
	struct strbuf shown, hidden;
	struct secret_open open = { .secret = true };
	size_t col = 1;

	(void)state;
	strbuf_init(&shown);
	strbuf_init(&hidden);
	secret_split(&shown, &hidden, " \"a\"; b", 7, &col, &open);
	assert_string_equal(shown.s, " ***; b");
	assert_int_equal(col, 1);
	assert_false(open.secret);
	strbuf_fini(&shown);
	strbuf_fini(&hidden);
}

/* Texts and constants over several lines. */
static void
test_split_lines(void **state)
{
	static const char *const c[][2] = {
		{ "remote 1 password", "remote 1 password" },
		{ "  \"a b", "  ***" },
		{ "c\"; passive;", "***" },
		{ "define A =", "define A =" },
		{ "\"x\"; d \"y\"", "***; d \"y\"" },
	};
	struct secret_open open = { 0 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		struct strbuf shown, hidden;
		size_t col = 0;

		strbuf_init(&shown);
		strbuf_init(&hidden);
		secret_split(&shown, &hidden, c[i][0], strlen(c[i][0]), &col, &open);
		assert_string_equal(shown.s, c[i][1]);
		strbuf_fini(&shown);
		strbuf_fini(&hidden);
	}
}

/* A line ends at the last octet of its memory; AddressSanitizer finds a read behind. */
static void
test_split_end(void **state)
{
	static const char *const c[] = { "public k", "private ke", "k",
		"bird private key", "#", "/", "\"" };
	struct secret_open open = { 0 };

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		size_t len = strlen(c[i]), col = 0;
		char *line = malloc(len);
		struct strbuf shown, hidden;

		assert_non_null(line);
		memcpy(line, c[i], len);
		strbuf_init(&shown);
		strbuf_init(&hidden);
		secret_split(&shown, &hidden, line, len, &col, &open);
		assert_string_equal(shown.s, c[i]);
		strbuf_fini(&shown);
		strbuf_fini(&hidden);
		free(line);
	}
}

static void
test_hide(void **state)
{
	static const char *const c[][2] = {
		{ "found 'hunter2'", "found '***'" },
		{ "found \"hun ter\", expected ';'", "found \"***\", expected ';'" },
		{ "number out of range: 1234567", "number out of range: ***" },
		{ "a '{' isn't closed", "a '{' isn't closed" },
		{ "it is hunter 'x' 12", "it is hunter 'x' 12" },
	};
	struct strbuf hidden;

	(void)state;
	strbuf_init(&hidden);
	strbuf_adds(&hidden, "hunter2 \"hun ter\" 123456789 a is not ;{\n");
	for (unsigned i = 0; i < ARRAY_LEN(c); i++) {
		struct strbuf out;

		strbuf_init(&out);
		secret_hide(&out, c[i][0], &hidden);
		assert_string_equal(out.s, c[i][1]);
		strbuf_fini(&out);
	}
	strbuf_fini(&hidden);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_words),
	cmocka_unit_test(test_end),
	cmocka_unit_test(test_split),
	cmocka_unit_test(test_split_col),
	cmocka_unit_test(test_split_open),
	cmocka_unit_test(test_split_lines),
	cmocka_unit_test(test_split_end),
	cmocka_unit_test(test_hide),
};

UNIT_MAIN(tests)
