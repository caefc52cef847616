/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connection and session of ternc against a socket pair that plays the daemon. */
#include "client/cmd.c"
#include "client/conn.c"
#include "client/session.c"
#include "test/lib/unit.h"

#include <sys/socket.h>

struct seen {
	struct strbuf text;
	bool stop;
	unsigned screens, pauses; /* pauses: that are left before it is enough */
	unsigned pause_ms;
};

static bool
seen_put(void *self, const char *line)
{
	struct seen *seen = self;

	strbuf_addf(&seen->text, "%s|", line);
	return !seen->stop;
}

/* Nothing more will come: whoever waits would wait forever. */
static bool
seen_wait(void *self, int fd)
{
	(void)self;
	(void)fd;
	return false;
}

static void
seen_screen(void *self)
{
	((struct seen *)self)->screens++;
}

static bool
seen_pause(void *self, unsigned ms)
{
	struct seen *seen = self;

	seen->pause_ms = ms;
	return seen->pauses-- > 0;
}

/* A session whose daemon has already said @replies; *@peer is the daemon's end. */
static void
test_client_session_start(
    struct session *s, struct seen *seen, int *peer, const char *replies)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	*s = (struct session){ .io = { .put = seen_put,
				   .wait = seen_wait,
				   .screen = seen_screen,
				   .pause = seen_pause,
				   .self = seen },
		.path = "/nonexistent" };
	*seen = (struct seen){ .stop = false };
	strbuf_init(&seen->text);
	strbuf_init(&s->line);
	s->conn.fd = fd[0];
	*peer = fd[1];
	assert_int_equal(write(*peer, replies, strlen(replies)), strlen(replies));
}

static void
test_client_session_stop(struct session *s, struct seen *seen, int peer)
{
	session_close(s);
	strbuf_fini(&seen->text);
	close(peer);
}

static void
test_show(void **state)
{
	struct session s;
	struct seen seen;
	int peer;
	char sent[64];

	(void)state;
	test_client_session_start(
	    &s, &seen, &peer, "1007-a\n b\n+unasked\n1008-c\n1007-\n0000 \n");
	assert_int_equal(session_run(&s, "sh ro"), 0);
	assert_string_equal(seen.text.s, "a|b|>>> unasked|c||");
	assert_int_equal(session_status(&s), 0);
	assert_int_equal(read(peer, sent, sizeof(sent)), 11);
	assert_memory_equal(sent, "show route\n", 11);
	test_client_session_stop(&s, &seen, peer);
}

static void
test_verbose_and_status(void **state)
{
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer, "1007-a\n b\n8001 none\n0013 fine\n");
	s.verbose = true;
	assert_int_equal(session_run(&s, "show route"), 0);
	assert_string_equal(seen.text.s, "1007-a|     b|8001 none|");
	assert_int_equal(session_status(&s), 1);
	/* The next reply waits for the next command. */
	assert_int_equal(session_run(&s, "show status"), 0);
	assert_int_equal(session_status(&s), 0);
	assert_int_equal(session_run(&s, "no such"), 0);
	assert_int_equal(session_status(&s), 1);
	test_client_session_stop(&s, &seen, peer);
}

/* The command comes again after each pause, and no more when it has failed. */
static void
test_watch(void **state)
{
	struct session s;
	struct seen seen;
	char sent[64] = "";
	int peer;

	(void)state;
	test_client_session_start(
	    &s, &seen, &peer, "0013 one\n0013 two\n0013 three\n9001 wrong\n");
	seen.pauses = 1;
	assert_int_equal(session_run(&s, "watch 7 sh statu"), 0);
	assert_int_equal(seen.screens, 2);
	assert_int_equal(seen.pause_ms, 7000);
	assert_non_null(strstr(seen.text.s, "|one|"));
	assert_non_null(strstr(seen.text.s, "|two|"));
	assert_int_equal(read(peer, sent, sizeof(sent)), 24);
	assert_string_equal(sent, "show status\nshow status\n");
	seen.pauses = 9;
	assert_int_equal(session_run(&s, "watch 1 show status"), 0);
	assert_int_equal(session_status(&s), 1);
	assert_int_equal(seen.screens, 4);
	assert_int_equal(seen.pauses, 8);
	assert_int_equal(session_run(&s, "watch 0 show status"), 0);
	assert_int_equal(session_status(&s), 1);
	assert_int_equal(seen.screens, 4);
	test_client_session_stop(&s, &seen, peer);
}

static void
test_command_is_one_line(void **state)
{
	struct session s;
	struct seen seen;
	int peer;
	char sent[64] = "", *big = malloc(5000);

	(void)state;
	test_client_session_start(&s, &seen, &peer, "0000 \n");
	assert_int_equal(session_run(&s, "eval 1\ndown"), 0);
	assert_int_equal(read(peer, sent, sizeof(sent)), 12);
	assert_memory_equal(sent, "eval 1 down\n", 12);
	memset(big, 'x', 4999);
	big[4999] = '\0';
	memcpy(big, "eval ", 5);
	assert_int_equal(session_run(&s, big), 0);
	assert_int_equal(session_status(&s), 1);
	assert_string_equal(seen.text.s, "Command too long|");
	free(big);
	test_client_session_stop(&s, &seen, peer);
}

static void
test_ask(void **state)
{
	struct session s;
	struct seen seen;
	struct strbuf out = { 0 };
	int peer;

	(void)state;
	strbuf_init(&out);
	test_client_session_start(
	    &s, &seen, &peer, "1010-p1      \tprotocol\n p2\tprotocol\n0000 \n");
	assert_int_equal(session_ask(&s, &out, "show symbols", 1010), 0);
	assert_int_equal(out.len, 9 + 9 + strlen("p2\tprotocol") + 1);
	assert_string_equal(seen.text.s, "");
	strbuf_fini(&out);
	test_client_session_stop(&s, &seen, peer);
}

static void
test_collect(void **state)
{
	struct session s;
	struct seen seen;
	struct strbuf out;
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer,
	    "1007-a\n b\n+unasked\n0013 c\n1100-{1}\n {2}\n0000 \n8007 no\n1007-x\n");
	strbuf_init(&out);
	assert_int_equal(session_collect(&s, &out, "show a"), 0);
	assert_string_equal(out.s, "a\nb\nc\n");
	assert_int_equal(s.last_code, 13);
	strbuf_reset(&out);
	assert_int_equal(session_collect(&s, &out, "json show a"), 0);
	assert_string_equal(out.s, "{1}\n{2}\n");
	strbuf_reset(&out);
	assert_int_equal(session_collect(&s, &out, "show b"), 0);
	assert_string_equal(out.s, "no\n");
	assert_int_equal(s.last_code, 8007);
	/* The reply does not end in time; then the connection is closed. */
	seen.stop = true;
	assert_int_equal(session_collect(&s, &out, "show c"), -EINTR);
	assert_true(session_lost(&s));
	assert_int_equal(session_collect(&s, &out, "show c"), -ENOTCONN);
	assert_string_equal(seen.text.s, "");
	strbuf_fini(&out);
	test_client_session_stop(&s, &seen, peer);
}

static void
test_errors(void **state)
{
	struct conn c;
	char text[512], path[200];

	(void)state;
	assert_int_equal(conn_open(&c, "/nonexistent/socket"), -ENOENT);
	assert_non_null(
	    strstr(conn_explain(text, sizeof(text), "P", -ENOENT), "does not run"));
	assert_non_null(strstr(conn_explain(text, sizeof(text), "P", -EACCES), "user"));
	assert_non_null(
	    strstr(conn_explain(text, sizeof(text), "P", -ECONNREFUSED), "left behind"));
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(conn_open(&c, path), -ENAMETOOLONG);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_show),
	cmocka_unit_test(test_verbose_and_status),
	cmocka_unit_test(test_watch),
	cmocka_unit_test(test_command_is_one_line),
	cmocka_unit_test(test_ask),
	cmocka_unit_test(test_collect),
	cmocka_unit_test(test_errors),
};

UNIT_MAIN(tests)
