/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Secrets and log files of configurations. */
#include "client/conf_scan.h"
#include "client/masks.h"
#include "test/lib/unit.h"

#include <string.h>

/* lines - pass each line of @text; @out: the second pass. */
static void
test_client_conf_scan_lines(struct conf_scan *s, struct strbuf *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (out)
			conf_scan_write(s, out, text, len);
		else
			conf_scan_learn(s, text, len);
		text += len + (text[len] == '\n');
		if (out)
			strbuf_addc(out, '\n');
	}
}

static const struct {
	const char *text, *want;
} cases[] = {
	{ "a b;\nc \"d\";\n", "a b;\nc \"d\";\n" },
	{ "password \"hunter2\"; x y;\n", "password ***; x y;\n" },
	{ "a { password \"hunter2\" { id 1; } b; }\n",
	    "a { password ***{ id 1; } b; }\n" },
	{ "password\n \"hunter2\"\n;\n", "password\n ***\n;\n" },
	{ "a \"x\" password \"hunter2\"; b;\n", "a \"x\" password ***; b;\n" },
	{ "a 1 key \"hunter2\" b; c;\n", "a 1 key ***; c;\n" },
	{ "private key \"/etc/x\";\n", "private key \"/etc/x\";\n" },
	{ "keys { key { id 1; secret hex:01:02:03; }; };\n",
	    "keys { key { id 1; secret ***\n" },
	{ "passwrd \"hunter2\";\n", "passwrd ***;\n" },
	{ "password file \"a.key\"; b;\n", "password file \"a.key\"; b;\n" },
	{ "password file hunter2;\nb;\n", "password ***\nb;\n" },
	/* without quotes: to the end of the line, and up to a `;` */
	{ "password hunter2;hunter2\nb;\n", "password ***\nb;\n" },
	{ "password (A ++\n\"hunter2\");\nb;\n", "password ***\n***\nb;\n" },
	{ "password 'hunter2;\nb;\n", "password ***\n***\n" },
	/* constants */
	{ "define A = \"hunter2\";\npassword A; b;\n",
	    "define A = ***;\npassword A; b;\n" },
	{ "password A; b;\ndefine A = \"hunter2\";\n",
	    "password ***\ndefine A = ***;\n" },
	{ "define A = \"hunter2\"; define B = A\n ++ \"hunter2\"; define C = \"x\";\n"
	  "password \"y\" ++ B;\n",
	    "define A = ***; define B = ***\n ***; define C = \"x\";\npassword ***;\n" },
	{ "define 'A' = \"hunter2\"; define B = { \"x\"; };\npassword A\n;\nb \"c\";\n",
	    "define 'A' = ***; define B = { \"x\"; };\npassword ***\n***\nb \"c\";\n" },
	/* comments */
	{ "# password \"hunter2\"\nb;\n", "# password ***\nb;\n" },
	{ "# password\n# hunter2\n# b\n", "# password\n# ***\n# b\n" },
	{ "/* don't\nsecret */ password \"hunter2\"; /*\n'*/ b;\n",
	    "/* don't\nsecret */ password ***; /*\n'*/ b;\n" },
	{ "/* the key: hunter2\nhunter2 */ b \"c\";\n",
	    "/* the key***\n*** */ b \"c\";\n" },
	{ "/* the password \"hunter2\" */ b;\n", "/* the password *** */ b;\n" },
	{ "password \"hunter2\" # hunter2\n; b;\n", "password ***\n; b;\n" },
	{ "password \"hunter2\" /* hunter2\n hunter2 */ \"hunter2\"; b;\n",
	    "password ***\n***; b;\n" },
};

static void
test_masks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct mask *m = mask_new();
		struct conf_scan *s = conf_scan_new(m);
		struct strbuf out;

		strbuf_init(&out);
		test_client_conf_scan_lines(s, NULL, cases[i].text);
		conf_scan_ready(s);
		test_client_conf_scan_lines(s, &out, cases[i].text);
		assert_string_equal(out.s, cases[i].want);
		assert_null(strstr(out.s, "hunter2"));
		strbuf_fini(&out);
		conf_scan_free(s);
		mask_free(m);
	}
}

/* The values reach the set of secrets. */
static void
test_values(void **state)
{
	static const char text[] =
	    "define A = \"constant one\"; password \"option one\";\n"
	    "secret A;\npassword bare1;\n# password \"comment\"\n"
	    "password file \"name.key\"; define B = \"open one\";\n";
	static const char seen[] =
	    "constant one, option one, bare1, comment, name.key, open one, A";
	struct mask *m = mask_new();
	struct conf_scan *s = conf_scan_new(m);
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	test_client_conf_scan_lines(s, NULL, text);
	conf_scan_ready(s);
	mask_text(m, &out, seen, strlen(seen));
	assert_string_equal(out.s, "***, ***, ***, comment, name.key, open one, A");
	strbuf_fini(&out);
	conf_scan_free(s);
	mask_free(m);
}

static void
test_logs(void **state)
{
	static const char text[] =
	    "define L = \"c.log\"; define N = 1;\nlog \"a.log\" all; log syslog name "
	    "\"x\" "
	    "all;\nlog\n \"b.log\" 16384 \"b.old\" { info, trace };\nlog L all; log N "
	    "all;\nlog fixed \"d.log\" 16384 all; log stderr all;\nlog udp \"host\" "
	    "all;\n"
	    "# log \"no\" all;\nprint \"log\"; dialog \"no\";\n";
	static const char *const want[] = { "a.log", "b.log", "b.old", "c.log", "d.log" };
	struct mask *m = mask_new();
	struct conf_scan *s = conf_scan_new(m);
	struct strbuf out;

	(void)state;
	strbuf_init(&out);
	test_client_conf_scan_lines(s, NULL, text);
	conf_scan_ready(s);
	test_client_conf_scan_lines(s, &out, text);
	assert_string_equal(out.s, text);
	for (unsigned i = 0; i < ARRAY_LEN(want); i++)
		assert_string_equal(conf_scan_log(s, i), want[i]);
	assert_null(conf_scan_log(s, ARRAY_LEN(want)));
	strbuf_fini(&out);
	conf_scan_free(s);
	mask_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
