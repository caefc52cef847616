/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of requests: the fields of a line, credentials in addresses, hostile
 * characters, and a log that nobody reads. */
#include "client/http/request_log.h"
#include "test/lib/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOKEN "0123456789abcdef0123456789abcdef0123456789abcdef"

/* http_log_target - the line of a request of @target is @want. */
static void
http_log_target(const char *target, const char *want)
{
	const struct request_log_line line = { .at_ms = 1796011417074,
		.client = ip4(0xc0000201),
		.method = "GET",
		.target = target,
		.status = 200,
		.octets = 12,
		.took_ms = 1005 };
	char whole[2048];
	struct strbuf b;

	strbuf_init(&b);
	request_log_text(&b, &line);
	snprintf(whole, sizeof(whole),
	    "2026-11-30T04:03:37.074Z 192.0.2.1 GET %s 200 12 1.005\n", want);
	assert_string_equal(b.s, whole);
	strbuf_fini(&b);
}

static void
http_log_targets(void **state)
{
	(void)state;
	http_log_target("/", "/");
	http_log_target("/v1/members/64500/routes/filtered?limit=5&server=rs1",
	    "/v1/members/64500/routes/filtered?limit=5&server=rs1");
	http_log_target("/prefix/2001:db8::%2F32", "/prefix/2001:db8::%2F32");
	/* a cursor is no credential */
	http_log_target("/v1/routes?cursor=0,p2,0,1,20.0.5.0,25",
	    "/v1/routes?cursor=0,p2,0,1,20.0.5.0,25");
	/* unknown parameters have no values */
	http_log_target("/v1/status?token=abc", "/v1/status?token=*");
	http_log_target("/v1/status?a=&&=b&c", "/v1/status?a=*&&=*&c");
	/* a token where none belongs */
	http_log_target("/v1/" TOKEN, "/v1/*");
	http_log_target("/v1/status?server=" TOKEN, "/v1/status?server=*");
	http_log_target("/v1/status?" TOKEN, "/v1/status?*");
	http_log_target("/v1/status?server=%30%31%32%33%34%35%36%37%38%39%61%62%63",
	    "/v1/status?server=*");
	http_log_target("/search?q=Bearer+" TOKEN, "/search?q=*");
	/* no second line, and no second field */
	http_log_target("/a b\n\"\x7f\xc3\xa9", "/a%20b%0A\"%7F%C3%A9");
}

static void
http_log_long(void **state)
{
	char target[2048];
	struct request_log_line line = { .method = "", .target = target };
	struct strbuf b;

	(void)state;
	memset(target, '/', sizeof(target) - 1);
	target[sizeof(target) - 1] = 0;
	line.aborted = true;
	strbuf_init(&b);
	request_log_text(&b, &line);
	assert_memory_equal(b.s, "1970-01-01T00:00:00.000Z - - //", 31);
	assert_non_null(strstr(b.s, "//... - 0 0.000 aborted\n"));
	assert_true(b.len < REQUEST_LOG_TARGET + 100);
	strbuf_fini(&b);
}

/* http_log_read - what the pipe @fd has. */
static size_t
http_log_read(int fd, char *to, size_t max)
{
	ssize_t n = read(fd, to, max - 1);

	to[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* A full pipe loses lines and blocks nobody. */
static void
http_log_unread(void **state)
{
	static char got[1 << 20];
	const struct request_log_line line = { .method = "GET", .target = "/" };
	struct request_log l = { .fd = -1 };
	unsigned cnt = 0, lines = 0;
	int fd[2];

	(void)state;
	request_log_put(&l, &line); /* no log */
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	l.fd = fd[1];
	while (l.lost < 3) {
		request_log_put(&l, &line);
		assert_in_range(++cnt, 1, 100000);
	}
	http_log_read(fd[0], got, sizeof(got));
	for (const char *s = got; (s = strchr(s, '\n')); s++)
		lines++;
	assert_int_equal(lines, cnt - 3);
	request_log_put(&l, &line);
	assert_int_equal(l.lost, 0);
	http_log_read(fd[0], got, sizeof(got));
	assert_memory_equal(got, "3 lines were lost\n1970", 22);
	request_log_close(&l);
	close(fd[0]);
}

static void
http_log_file(void **state)
{
	const struct request_log_line line = { .method = "GET", .target = "/" };
	char path[] = "/tmp/tern-log.XXXXXX", got[200];
	int fd = mkstemp(path);
	struct request_log l;

	(void)state;
	assert_false(request_log_open(&l, "/nosuch/log"));
	assert_true(request_log_open(&l, path));
	request_log_put(&l, &line);
	request_log_close(&l);
	/* a second run appends */
	assert_true(request_log_open(&l, path));
	request_log_put(&l, &line);
	request_log_close(&l);
	assert_int_equal(http_log_read(fd, got, sizeof(got)),
	    2 * strlen("1970-01-01T00:00:00.000Z - GET / - 0 0.000\n"));
	close(fd);
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(http_log_targets),
		cmocka_unit_test(http_log_long),
		cmocka_unit_test(http_log_unread),
		cmocka_unit_test(http_log_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
