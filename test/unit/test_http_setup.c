/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration file of ternhttp: all statements, and lines that are wrong. */
#include "client/http/setup.h"
#include "test/lib/unit.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char folder[64];

/* http_setup_write - a file of the folder. */
static void
http_setup_write(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* http_setup_take - read a file with the text @text. */
static bool
http_setup_take(struct setup *c, char *why, const char *text)
{
	char path[128];

	memset(c, 0, sizeof(*c));
	c->connections = UINT_MAX;
	http_setup_write("conf", text);
	snprintf(path, sizeof(path), "%s/conf", folder);
	return setup_read(c, path, why);
}

static void
http_setup_all(void **state)
{
	struct setup c, options = { .connections = 7 };
	char why[SETUP_WHY_MAX] = "";

	(void)state;
	http_setup_write("secret", "0123456789abcdef0123456789abcdef\n");
	assert_true(http_setup_take(&c, why,
	    "# a comment\n\n  listen [::1]:81 # here\n"
	    "server rs1 /run/a.ctl\nserver\trs2 /run/b.ctl\r\n"
	    "connections 9\nsilent 20\nstall 3\nrate 7 minute burst 20\nlog /x/y\nuser "
	    "lg\ntoken "
	    "AS65001 " HASH "\n"
	    "token exchange " HASH "\nproxy 127.0.0.1 2001:db8::/32 header X-AS\n"
	    "jwt HS256 secret claim as issuer a#b"));
	assert_string_equal(why, "");
	assert_string_equal(c.listen, "[::1]:81");
	assert_string_equal(c.server[1], "rs2=/run/b.ctl");
	assert_int_equal(c.server_cnt, 2);
	assert_int_equal(c.connections, 9);
	assert_int_equal(c.silent_s, 20);
	assert_int_equal(c.stall_s, 3);
	assert_int_equal(c.rate.cnt, 7);
	assert_int_equal(c.rate.burst, 20);
	assert_int_equal(c.rate.per_ms, 60000);
	assert_string_equal(c.log, "/x/y");
	assert_int_equal(c.rights.token_cnt, 2);
	assert_int_equal(c.rights.token[0].as, 65001);
	assert_int_equal(c.rights.token[1].as, 0);
	assert_int_equal(c.rights.proxy_cnt, 2);
	assert_string_equal(c.rights.jwt.issuer, "a#b");
	assert_string_equal(c.rights.jwt.claim, "as");
	assert_int_equal(c.rights.jwt.key_len, 32);
	assert_true(c.rights.closed);
	/* options come first */
	options.listen = strdup("x");
	setup_merge(&options, &c);
	assert_string_equal(options.listen, "x");
	free(options.listen);
	options.listen = NULL;
	assert_string_equal(options.user, "lg");
	assert_int_equal(options.connections, 7);
	assert_int_equal(options.rate.cnt, 7);
	assert_string_equal(options.log, "/x/y");
	assert_int_equal(options.server_cnt, 2);
	assert_true(options.rights.closed);
	setup_fini(&options);
}

static void
http_setup_public(void **state)
{
	struct setup c;
	char why[SETUP_WHY_MAX];

	(void)state;
	assert_true(http_setup_take(&c, why, ""));
	assert_false(c.rights.closed);
	/* a proxy alone is no credential */
	assert_true(http_setup_take(&c, why, "proxy 127.0.0.1\n"));
	assert_false(c.rights.closed);
	setup_fini(&c);
}

static void
http_setup_wrong(void **state)
{
	static const char *const wrong[] = { "nonsense", "listen", "listen a b",
		"server rs1", "connections x", "silent 0", "stall 3601",
		"connections 1001", "token 65001", "token 65001 abc", "token x " HASH,
		"token 0 " HASH, "token 65001,65002 " HASH, "token  " HASH,
		"proxy header X", "proxy x", "proxy 127.0.0.1 header",
		"proxy 127.0.0.1 header A B", "jwt HS256", "jwt HS256 absent",
		"jwt HS256 conf", "jwt none secret", "jwt HS256 secret claim",
		"jwt HS256 secret x y",
		"proxy 127.0.0.1 header A\nproxy 127.0.0.1 header B",
		"jwt HS256 secret\njwt HS256 secret", "tls secret", "tls secret secret",
		"tls absent absent", "rate 1", "rate 1 day", "rate x second",
		"rate 1000001 second", "rate 1 second burst", "rate 1 second burst 0",
		"rate 1 second burst x", "rate 1 second first 2", "log", "log file",
		"listen zzz", "listen 127.0.0.1", "listen [::1:80", "server a/b /x",
		"server all /x", "server a=b /x", "server a /x\nserver a /y" };
	char why[SETUP_WHY_MAX];
	struct setup c;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		*why = 0;
		assert_false(http_setup_take(&c, why, wrong[i]));
		assert_non_null(
		    strstr(why, strchr(wrong[i], '\n') ? "conf:2: " : "conf:1: "));
		setup_fini(&c);
	}
	assert_false(setup_read(&c, "/nonexistent", why));
	assert_non_null(strstr(why, "/nonexistent: "));
	assert_false(setup_token("x"));
	assert_false(setup_token(""));
}

static int
http_setup_begin(void **state)
{
	(void)state;
	unsetenv("CREDENTIALS_DIRECTORY");
	strcpy(folder, "/tmp/setup.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int
http_setup_end(void **state)
{
	char path[128];

	(void)state;
	for (const char *const *s = (const char *const[]){ "conf", "secret", NULL }; *s;
	     s++) {
		snprintf(path, sizeof(path), "%s/%s", folder, *s);
		unlink(path);
	}
	return rmdir(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_setup_all),
		cmocka_unit_test(http_setup_public),
		cmocka_unit_test(http_setup_wrong),
	};

	return cmocka_run_group_tests(tests, http_setup_begin, http_setup_end);
}
