/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of ternc against a socket pair that plays the daemon. */
#include "client/cmd.c"
#include "client/conn.c"
#include "client/session.c"
#include "test/lib/unit.h"

#include <pthread.h>
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
	s->conn.passed = -1;
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

static FILE *errors;
static int errors_saved;

/* test_client_session_hear - from now on standard error goes to a file. */
static void
test_client_session_hear(void)
{
	errors = tmpfile();
	assert_non_null(errors);
	fflush(stderr);
	errors_saved = dup(STDERR_FILENO);
	dup2(fileno(errors), STDERR_FILENO);
}

/* test_client_session_heard - standard error is as before, and @text was written. */
static void
test_client_session_heard(const char *text)
{
	char got[512] = "";

	fflush(stderr);
	dup2(errors_saved, STDERR_FILENO);
	close(errors_saved);
	rewind(errors);
	got[fread(got, 1, sizeof(got) - 1, errors)] = 0;
	fclose(errors);
	assert_string_equal(got, text);
}

/* The daemon ends in the middle of a reply, before a reply, and with an unread command.
 */
static void
test_lost(void **state)
{
	struct strbuf out;
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer, "1007-a\n");
	shutdown(peer, SHUT_WR);
	test_client_session_hear();
	assert_int_equal(session_run(&s, "show route"), -1);
	test_client_session_heard("Connection closed by server\n");
	assert_string_equal(seen.text.s, "a|");
	assert_true(session_lost(&s));
	assert_int_equal(session_fd(&s), -1);
	test_client_session_hear();
	assert_int_equal(session_again(&s), -1);
	test_client_session_heard("Unable to connect to server control socket "
				  "(/nonexistent): No such file or directory; the daemon "
				  "does not run, or has its socket elsewhere (-s)\n");
	test_client_session_stop(&s, &seen, peer);

	strbuf_init(&out);
	test_client_session_start(&s, &seen, &peer, "");
	shutdown(peer, SHUT_RD);
	test_client_session_hear();
	assert_int_equal(session_ask(&s, &out, "show symbols", 1010), -1);
	test_client_session_heard("Connection closed by server\n");
	test_client_session_stop(&s, &seen, peer);
	test_client_session_start(&s, &seen, &peer, "");
	shutdown(peer, SHUT_RD);
	test_client_session_hear();
	assert_int_equal(session_run(&s, "show route"), -1);
	test_client_session_heard("Connection closed by server\n");
	test_client_session_stop(&s, &seen, peer);
	strbuf_fini(&out);

	test_client_session_start(&s, &seen, &peer, "1007-a\n");
	assert_int_equal(conn_send(&s.conn, "show route"), 0);
	close(peer);
	test_client_session_hear();
	assert_int_equal(session_idle(&s), -1);
	test_client_session_heard("Connection closed by server\n");
	assert_string_equal(seen.text.s, "a|");
	session_close(&s);
	strbuf_fini(&seen.text);
}

/* Lines that nobody has asked for, between commands. */
static void
test_idle(void **state)
{
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer, "+one\n+two\n");
	assert_int_equal(session_idle(&s), 0);
	assert_string_equal(seen.text.s, ">>> one|>>> two|");
	assert_false(session_lost(&s));
	test_client_session_stop(&s, &seen, peer);
}

/* With --json only objects reach the output; an error without an object is a line among
 * the errors. */
static void
test_json(void **state)
{
	struct session s;
	struct seen seen;
	char sent[128] = "";
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer,
	    "+unasked\n1100-{\"a\":1}\n1100-{\"type\":\"summary\"}\n0000 \n"
	    "8003 no such table\n");
	s.json = true;
	assert_int_equal(session_run(&s, "sh ro"), 0);
	assert_string_equal(seen.text.s, "{\"a\":1}|{\"type\":\"summary\"}|");
	assert_int_equal(session_status(&s), 0);
	test_client_session_hear();
	assert_int_equal(session_run(&s, "json show route table x"), 0);
	test_client_session_heard("ternc: no such table\n");
	assert_int_equal(session_status(&s), 1);
	assert_true(read(peer, sent, sizeof(sent) - 1) > 0);
	assert_string_equal(sent, "json show route\njson show route table x\n");
	test_client_session_hear();
	assert_int_equal(session_run(&s, "configure"), 0);
	test_client_session_heard(
	    "ternc: --json is for show, subscribe and configure preview\n");
	assert_int_equal(session_status(&s), 1);
	assert_string_equal(seen.text.s, "{\"a\":1}|{\"type\":\"summary\"}|");
	/* help is no object either */
	test_client_session_hear();
	assert_int_equal(session_run(&s, "no such"), 0);
	test_client_session_heard("No such command. Press `?' for help.\n");
	test_client_session_stop(&s, &seen, peer);
}

/* help explains "?", and lists all commands until the user has seen enough. */
static void
test_client_session_help(void **state)
{
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	test_client_session_start(&s, &seen, &peer, "");
	assert_int_equal(session_run(&s, "help"), 0);
	assert_non_null(strstr(seen.text.s, "A \"?\" lists the commands"));
	assert_non_null(strstr(seen.text.s, "|configure "));
	strbuf_reset(&seen.text);
	seen.stop = true;
	assert_int_equal(session_run(&s, "show ?"), 0);
	assert_null(strchr(seen.text.s, '\n'));
	assert_ptr_equal(strchr(seen.text.s, '|') + 1, seen.text.s + seen.text.len);
	test_client_session_stop(&s, &seen, peer);
}

/* The line about the daemon names what the daemon says, also if the daemon is bird. */
static void
test_greet(void **state)
{
	static const struct {
		const char *said, *want;
	} is[] = {
		{ "1000-BIRD 2.0.12\n1011-Hostname is rs1\n Router ID is 10.0.0.1\n"
		  " tern 0.1.0, sandbox: on\n0013 up\n",
		    "rs1, router id 10.0.0.1, tern 0.1.0, at /nonexistent|" },
		{ "1000-BIRD 2.0.12\n1011-Router ID is 10.0.0.1\n0013 up\n",
		    "no name, router id 10.0.0.1, not tern, at /nonexistent|" },
		{ "8007 Access denied\n",
		    "no name, router id unknown, not tern, at /nonexistent|" },
	};
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(is); i++) {
		test_client_session_start(&s, &seen, &peer, is[i].said);
		assert_int_equal(session_greet(&s), 0);
		assert_memory_equal(seen.text.s, is[i].want, strlen(is[i].want));
		test_client_session_stop(&s, &seen, peer);
	}
	test_client_session_start(&s, &seen, &peer, "");
	shutdown(peer, SHUT_WR);
	test_client_session_hear();
	assert_int_equal(session_greet(&s), -1);
	test_client_session_heard("Connection closed by server\n");
	assert_string_equal(seen.text.s, "");
	test_client_session_stop(&s, &seen, peer);
}

/* A daemon that listens at a path: for each of @cnt connections, greet and answer the
 * first command. */
struct listener {
	char path[64];
	int fd;
	unsigned cnt;
	char got[2][32];
	pthread_t thread;
};

static void *
test_client_session_serve(void *arg)
{
	struct listener *l = arg;

	for (unsigned i = 0; i < l->cnt; i++) {
		int fd = accept(l->fd, NULL, NULL);
		ssize_t n;

		if (fd < 0 || write(fd, "0001 ready\n", 11) != 11)
			return NULL;
		n = read(fd, l->got[i], sizeof(l->got[i]) - 1);
		if (n > 0 && write(fd, "0016 Access restricted\n", 23) != 23)
			return NULL;
		/* until the client has gone */
		while (n > 0)
			n = read(fd, (char[16]){ 0 }, 16);
		close(fd);
	}
	return NULL;
}

static void
test_client_session_listen(struct listener *l, unsigned cnt)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/test_client_session.XXXXXX";

	*l = (struct listener){ .cnt = cnt };
	assert_non_null(mkdtemp(dir));
	snprintf(l->path, sizeof(l->path), "%s/ctl", dir);
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", l->path);
	l->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(l->fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(l->fd, 5), 0);
	assert_int_equal(
	    pthread_create(&l->thread, NULL, test_client_session_serve, l), 0);
}

static void
test_client_session_listened(struct listener *l)
{
	pthread_join(l->thread, NULL);
	close(l->fd);
	unlink(l->path);
	*strrchr(l->path, '/') = 0;
	assert_int_equal(rmdir(l->path), 0);
}

/* After the user has ended the output of a command, a restricted session restricts the
 * new connection before any other command, and shows nothing of that. */
static void
test_interrupted(void **state)
{
	struct listener l;
	struct session s;
	struct seen seen;
	int peer;

	(void)state;
	test_client_session_listen(&l, 1);
	test_client_session_start(&s, &seen, &peer, "1007-a\n b\n");
	s.path = l.path;
	s.restricted = true;
	seen.stop = true;
	assert_int_equal(session_run(&s, "show route"), 0);
	assert_string_equal(seen.text.s, "a|");
	assert_false(session_lost(&s));
	test_client_session_stop(&s, &seen, peer);
	test_client_session_listened(&l);
	assert_string_equal(l.got[0], "restrict\n");
}

/* A new session shows the banner; the answer to `restrict` follows. With --json neither
 * is shown. */
static void
test_open(void **state)
{
	struct seen seen = { .stop = false };
	struct session s = { .io = {
				 .put = seen_put, .wait = seen_wait, .self = &seen } };
	struct listener l;

	(void)state;
	test_client_session_listen(&l, 2);
	s.path = l.path;
	s.restricted = true;
	strbuf_init(&seen.text);
	assert_int_equal(session_open(&s), 0);
	assert_string_equal(seen.text.s, "ready|Access restricted|");
	session_close(&s);
	strbuf_reset(&seen.text);
	s.json = true;
	assert_int_equal(session_open(&s), 0);
	assert_string_equal(seen.text.s, "");
	session_close(&s);
	strbuf_fini(&seen.text);
	test_client_session_listened(&l);
	assert_string_equal(l.got[0], "restrict\n");
	assert_string_equal(l.got[1], "restrict\n");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_show),
	cmocka_unit_test(test_verbose_and_status),
	cmocka_unit_test(test_watch),
	cmocka_unit_test(test_command_is_one_line),
	cmocka_unit_test(test_ask),
	cmocka_unit_test(test_collect),
	cmocka_unit_test(test_lost),
	cmocka_unit_test(test_idle),
	cmocka_unit_test(test_json),
	cmocka_unit_test(test_client_session_help),
	cmocka_unit_test(test_greet),
	cmocka_unit_test(test_interrupted),
	cmocka_unit_test(test_open),
};

UNIT_MAIN(tests)
