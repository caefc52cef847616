/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket of a whole daemon in this process. */
#include "nest/rib/table.h"
#include "test/lib/cli_rig.h"
#include "test/lib/cli_talk.h"
#include "test/lib/wait.h"

static void
test_cli_is(int fd, const char *line, const char *want)
{
	assert_string_equal(cli_talk_ask(fd, line), want);
}

static void
test_cli_has(int fd, const char *line, const char *want)
{
	const char *text = cli_talk_ask(fd, line);

	if (!strstr(text, want))
		print_message("%s:\n%.3000s\n", line, text);
	assert_non_null(strstr(text, want));
}

static void
test_cli_wait_for(int fd, const char *line, const char *want)
{
	struct wait w = { 0 };

	while (!strstr(cli_talk_ask(fd, line), want))
		lib_wait_turn(&w, want);
}

/* ---- tests ---- */

static void
test_framing(void **state)
{
	int fd = open_cli();

	(void)state;
	cli_talk_send(fd, "show sta");
	assert_false(cli_talk_readable(fd, 20));
	cli_talk_send(fd, "tus\nshow status # x\nfoo\n");
	assert_non_null(strstr(get_reply(fd), "\n0013 Daemon is up and running\n"));
	assert_non_null(strstr(get_reply(fd), "\n0013 "));
	assert_string_equal(get_reply(fd), "9001 no command 'foo'\n");
	test_cli_is(fd, "", "9001 syntax error, unexpected end of the command\n");
	test_cli_is(fd, "  restart\r",
	    "9001 syntax error, unexpected end of the command, expecting a protocol, "
	    "a "
	    "pattern in quotes or 'all'\n");
	test_cli_is(fd, "show status x",
	    "9001 syntax error, unexpected 'x', expecting the end of the command\n");
	test_cli_is(fd, "SHOW status", "9001 no command 'SHOW'\n");
	test_cli_is(fd, "shwo status", "9001 no command 'shwo'; did you mean 'show'?\n");
	test_cli_is(fd, "show rotue", "9001 no command 'rotue'; did you mean 'route'?\n");
	test_cli_is(fd, "eval \"a # b\"", "0023 a # b\n");
	test_cli_is(fd, "quit", "0000 \n");
	assert_string_equal(get_reply(fd), "");
	close(fd);
}

static void
test_overlong(void **state)
{
	static char line[8001];
	int fd = open_cli();

	(void)state;
	memset(line, 'x', sizeof(line) - 1);
	(void)!send(fd, line, sizeof(line) - 1, MSG_NOSIGNAL);
	cli_talk_send(fd, "\nshow status\n");
	assert_string_equal(
	    get_reply(fd), "9000 Command too long, at most 4094 octets\n");
	assert_non_null(strstr(get_reply(fd), "\n0013 "));
	close(fd);
}

static void
test_half_close(void **state)
{
	int fd = open_cli();

	(void)state;
	cli_talk_send(fd, "show status\nshow symbols K\n");
	shutdown(fd, SHUT_WR);
	assert_non_null(strstr(get_reply(fd), "\n0013 "));
	assert_string_equal(get_reply(fd), "1010 K       \tconstant\n");
	assert_string_equal(get_reply(fd), "");
	close(fd);
}

static void
test_protocols(void **state)
{
	int fd = open_cli();

	(void)state;
	test_cli_wait_for(fd, "show protocols \"f[x12]\"", "8003 No protocols match\n");
	test_cli_wait_for(
	    fd, "show protocols", " f2         Fake       ---        up     ");
	test_cli_has(fd, "show protocols", " f3         Fake       ---        down   ");
	test_cli_has(
	    fd, "show protocols f1", "1002-f1         Fake       ---        up     ");
	test_cli_has(fd, "show protocols",
	    "2002-Name       Proto      Table      State  Since         Info\n");
	test_cli_wait_for(fd, "show protocols all f1",
	    "    Routes:         1499 imported, 1 filtered, 1 exported, 1499 "
	    "preferred\n");
	test_cli_has(fd, "show protocols all f1",
	    "1006-  Description:    first\n   Channel ipv4\n     State:          UP\n");
	test_cli_has(fd, "show protocols all f1",
	    "     Import limit:   5000\n       Action:       block\n");
	test_cli_has(fd, "show protocols all f1", "\n \n0000 \n");
	test_cli_is(fd, "show protocols K", "9001 Protocol name required\n");
	test_cli_is(fd, "show protocols nix", "9001 no protocol 'nix'\n");
	close(fd);
}

static void
test_route(void **state)
{
	int fd = open_cli();

	(void)state;
	test_cli_wait_for(fd, "show route table master4 count",
	    "1007-2999 of 2999 routes for 1500 networks in table master4\n0000 \n");
	test_cli_has(fd, "show route count",
	    "0014 Total: 2999 of 2999 routes for 1500 networks in 2 tables\n");
	test_cli_has(fd, "show route 20.0.0.0/24 primary",
	    "1007-Table master4:\n 20.0.0.0/24          unreachable [f1 20");
	test_cli_has(
	    fd, "show route 20.0.0.0/24", "\n                      unreachable [f2 20");
	test_cli_has(fd, "show route for 20.0.0.77", " from 127.0.1.1] * (100) [AS1i]\n");
	test_cli_is(fd, "show route 99.0.0.0/24", "8001 Network not found\n");
	test_cli_is(fd, "show route 20.0.0.1/24",
	    "9001 Invalid IPv4 prefix 20.0.0.1/24, maybe you wanted 20.0.0.0/24\n");
	test_cli_has(fd, "show route in 20.0.0.0/22 count",
	    "1007-7 of 7 routes for 4 networks in table master4\n0000 \n");
	test_cli_has(fd, "show route protocol f2 count",
	    "1007-1500 of 2999 routes for 1500 networks in table master4\n");
	test_cli_has(fd, "show route table master4 filtered count",
	    "1007-1 of 1 routes for 1 networks");
	test_cli_has(fd, "show route filtered", " 20.0.2.0/24          unreachable [f1 ");
	test_cli_has(fd, "show route where bgp_path.last = 101 table master4 count",
	    "1007-200 of 2999 routes");
	test_cli_has(fd, "show route table master4 primary count",
	    "1007-1500 of 1500 routes for 1500 networks");
	test_cli_has(fd,
	    "show route filter { bgp_med = 7; accept; } all 20.0.0.0/24 primary",
	    "\tBGP.med: 7\n");
	test_cli_is(fd, "show route table f1", "9001 Table name required\n");
	test_cli_is(
	    fd, "show route where true where true", "9001 Filter specified twice\n");
	test_cli_is(
	    fd, "show route primary filtered", "9001 Incompatible show route options\n");
	test_cli_is(fd, "show route export f3", "9001 No valid tables\n");
	close(fd);
}

static void
test_order(void **state)
{
	int fd = open_cli();
	char *text, *line, *save = NULL;
	uint32_t last = 0, cnt = 0, stars = 0;

	(void)state;
	text = cli_talk_ask(fd, "show route");
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned a, b, c;

		stars += strstr(line, "] * (") != NULL;
		if (sscanf(line, " 20.%u.%u.0/%u", &a, &b, &c) != 3)
			continue;
		assert_true((a << 8 | b) + 1 > last);
		last = (a << 8 | b) + 1;
		cnt++;
	}
	assert_int_equal(cnt, 1500);
	assert_int_equal(stars, 1500);
	close(fd);
}

static void
test_export(void **state)
{
	int fd = open_cli();

	(void)state;
	test_cli_has(fd, "show route export f2 count",
	    "1007-1499 of 2999 routes for 1500 networks in table master4\n0000 \n");
	test_cli_has(fd, "show route export f1 count", "1007-1 of 2999 routes");
	test_cli_has(fd, "show route preexport f1 count", "1007-1 of 2999 routes");
	test_cli_has(fd, "show route noexport f2 count", "1007-0 of 2999 routes");
	test_cli_has(
	    fd, "show route export f1", " 20.0.2.0/24          unreachable [f2 ");
	test_cli_is(
	    fd, "show route export f1 export f1", "9001 Export specified twice\n");
	test_cli_is(fd, "show route table master6 export f1",
	    "9001 No export channel for table master6\n");
	close(fd);
}

/* A client that doesn't read stops its own command and nothing else: who waited for it
 * would wait for ever. */
static void
test_slow_client(void **state)
{
	int slow = open_cli(), fd = open_cli(), buf = 4096;

	(void)state;
	setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf));
	for (int i = 0; i < 20; i++)
		cli_talk_send(slow, "show route all\n");
	for (int i = 0; i < 20; i++)
		test_cli_has(fd, "show status", "0013 ");
	assert_true(cli_talk_readable(slow, 10000));
	close(slow); /* in the middle */
	slow = open_cli();
	cli_talk_send(slow, "show route\n");
	wait_spread(30000); /* the reply fills the socket */
	assert_non_null(strstr(get_reply(slow), "\n0000 \n"));
	close(slow);
	close(fd);
}

static void
test_other_shows(void **state)
{
	int fd = open_cli();

	(void)state;
	test_cli_has(fd, "show status",
	    "1000-BIRD 2.0.12\n1011-Router ID is 10.0.0.1\n Hostname is ");
	test_cli_has(fd, "show memory",
	    "1018-BIRD memory usage\n                   Effective    Overhead\n Routing "
	    "tables: ");
	test_cli_has(fd, "show threads", " cli ");
	test_cli_has(fd, "show table master4",
	    "1007-Table master4:\n   Networks:            1500\n");
	test_cli_has(fd, "show symbols", "K       \tconstant\n");
	test_cli_is(fd, "show symbols filter", "1010-f_out   \tfilter\n0000 \n");
	test_cli_is(fd, "show symbols nix", "9001 no symbol 'nix'\n");
	test_cli_has(fd, "show interfaces", "1001-lo ");
	test_cli_has(fd, "show interfaces summary",
	    "2005-Interface  State  IPv4 address       IPv6 address\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8 as 1", "9001 No table of type roa4\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8 as 1 table master4",
	    "9001 Table master4 isn't of type roa4\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8 path 2 1 as 2",
	    "9001 AS2 isn't the last of the path\n");
	test_cli_is(
	    fd, "show roa check 10.0.0.0/8 as 1 table K", "9001 Table name required\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8 as 1 aspa table master4",
	    "9001 A question to an ASPA table needs an AS path\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8",
	    "9001 syntax error, unexpected end of the command, expecting 'as' or "
	    "'path'\n");
	test_cli_is(fd, "show roa check 10.0.0.0/8 as 4294967296",
	    "9001 Number 4294967296 is not in the range from 0 to 4294967295\n");
	test_cli_is(fd, "show bfd sessions", "9001 There is no BFD protocol running\n");
	test_cli_is(fd, "eval 1+2*K", "0023 11\n");
	test_cli_is(fd, "timeformat iso short", "0000 \n");
	test_cli_is(fd, "timeformat \"%Y\" 1000000 \"%H\"", "0000 \n");
	test_cli_has(fd, "show route 20.0.0.0/24 primary", " [f1 20");
	test_cli_is(fd, "echo off", "0000 \n");
	test_cli_has(
	    fd, "echo { nosuch }", "9001 syntax error, unexpected 'nosuch', expecting '");
	test_cli_has(fd, "echo { warnign }", "; did you mean 'warning'?\n");
	test_cli_is(fd, "echo info",
	    "9001 syntax error, unexpected 'info', expecting 'all', 'off' or a '{'\n");
	test_cli_is(fd, "echo { info x }",
	    "9001 syntax error, unexpected 'x', expecting a ',' or a '}'\n");
	test_cli_is(fd, "debug f1 x",
	    "9001 syntax error, unexpected 'x', expecting a '.', 'all', 'off' or a "
	    "'{'\n");
	test_cli_is(fd, "debug all x",
	    "9001 syntax error, unexpected 'x', expecting 'all', 'off' or a '{'\n");
	test_cli_has(fd, "debug f1 { filtres }", "; did you mean 'filters'?\n");
	test_cli_is(fd, "debug f1.ipv5 all",
	    "9001 no channel 'f1.ipv5'; did you mean 'f1.ipv4'?\n");
	test_cli_is(fd, "mrtdump f1 x",
	    "9001 syntax error, unexpected 'x', expecting 'all', 'off' or a '{'\n");
	test_cli_is(fd, "mrtdump f1 { x }",
	    "9001 syntax error, unexpected 'x', expecting 'states' or 'messages'\n");
	test_cli_is(fd, "echo all 255", "9001 Invalid log buffer size\n");
	test_cli_is(fd, "echo all", "0000 \n");
	close(fd);
}

static void
test_restrict(void **state)
{
	static const char *const denied[] = { "configure", "configure check", "down",
		"enable f1", "disable all", "restart f1", "reload f1", "debug f1 all",
		"dump" };
	int fd = open_cli();

	(void)state;
	test_cli_is(fd, "restrict", "0016 Access restricted\n");
	for (unsigned i = 0; i < ARRAY_LEN(denied); i++)
		test_cli_is(fd, denied[i], "8007 Access denied\n");
	test_cli_has(fd, "configure status", "0003-Daemon is up and running\n0000 \n");
	test_cli_has(fd, "show status", "0013 ");
	close(fd);
}

static void
test_changes(void **state)
{
	int fd = open_cli();
	char want[256];

	(void)state;
	test_cli_is(fd, "disable f2 \"gone fishing\"", "0009-f2: disabled\n0000 \n");
	test_cli_is(fd, "disable f2", "0008-f2: already disabled\n0000 \n");
	test_cli_has(
	    fd, "show protocols all f2", "1006-  Message:        gone fishing\n");
	test_cli_has(fd, "show route table master4 count", "1007-1499 of 1499 routes");
	test_cli_is(fd, "enable \"f2\"", "0011-f2: enabled\n0000 \n");
	test_cli_wait_for(
	    fd, "show route table master4 count", "1007-2999 of 2999 routes");
	test_cli_is(fd, "enable nix", "9001 no protocol 'nix'\n");
	test_cli_is(fd, "enable f1 msg",
	    "9001 syntax error, unexpected 'msg', expecting a text in quotes or the end "
	    "of the command\n");
	test_cli_is(fd, "reload in f1", "0015-f1: reloading\n0000 \n");
	test_cli_is(fd, "reload filters out f1", "0015-f1: reloading\n0000 \n");
	test_cli_is(fd, "disable \"zz*\"", "8003 No protocols match\n");
	snprintf(want, sizeof(want),
	    "0002-Reading configuration from %s\n0020 Configuration OK\n", conf_path);
	test_cli_is(fd, "configure check", want);
	snprintf(want, sizeof(want),
	    "0002-Reading configuration from %s\n0003 Reconfigured\n", conf_path);
	test_cli_is(fd, "configure", want);
	test_cli_is(fd, "configure foo",
	    "9001 syntax error, unexpected 'foo', expecting 'force', 'soft', 'check', "
	    "'confirm', 'undo', 'status', 'timeout', a text in quotes or the end of the "
	    "command\n");
	test_cli_is(fd, "configure confirm", "0019 Nothing to do\n");
	close(fd);
}

static void
test_down(void **state)
{
	struct timespec until;
	int fd = open_cli(), idle = open_cli(), busy = open_cli();

	(void)state;
	cli_talk_send(busy, "show route all\nshow route all\nshow route all\n");
	test_cli_is(fd, "down", "0007 Shutdown requested\n");
	assert_string_equal(get_reply(fd), "");
	assert_string_equal(get_reply(idle), "");
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	assert_int_equal(sem_timedwait(&all_gone.sem, &until), 0);
	close(fd);
	close(idle);
	close(busy);
	assert_int_not_equal(access(ctl, F_OK), 0);
}

struct hold {
	struct msg msg;
	sem_t go;
};

/* The worker is busy until it may go, and no grace period waits for it. */
static void
test_cli_handle_hold(struct worker *w, struct msg *m)
{
	(void)w;
	rcu_sleep();
	while (sem_wait(&container_of(m, struct hold, msg)->go))
		;
	rcu_wake();
}

/* hold - the instance @name; @table: its table instead. */
static void
test_cli_hold(struct hold *h, const char *name, bool table)
{
	const struct tern_view *v;
	struct proto *p = NULL;

	h->msg.handle = test_cli_handle_hold;
	sem_init(&h->go, 0, 0);
	rcu_wake();
	v = tern_view_get(&tern);
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		if (!strcmp(v->proto[i]->name, name))
			p = v->proto[i];
	assert_non_null(p);
	worker_post(table ? table_worker(channel_table(load_relaxed_ptr(&p->channels)))
			  : &p->worker,
	    &h->msg);
	rcu_sleep();
}

/* A command waits for an instance or its table a second, and holds up nobody else. */
static void
test_busy(void **state)
{
	int fd = open_cli(), other = open_cli();

	(void)state;
	for (unsigned table = 0; table < 2; table++) {
		struct hold h;

		test_cli_hold(&h, "f2", table);
		cli_talk_send(fd, "disable f2\n");
		assert_false(cli_talk_readable(fd, 300));
		test_cli_is(other, "debug f1 off", "0000 \n");
		test_cli_has(other, "show status", "0013 ");
		assert_string_equal(get_reply(fd),
		    "0009-f2: disabled\n0004-f2: not yet, the protocol is busy\n0000 \n");
		sem_post(&h.go);
		test_cli_is(other, "disable f2", "0008-f2: already disabled\n0000 \n");
		test_cli_has(fd, "show route protocol f2 count", "1007-0 of ");
		test_cli_is(fd, "enable f2", "0011-f2: enabled\n0000 \n");
		test_cli_wait_for(fd, "show route protocol f2 count", "1500 of ");
		sem_destroy(&h.go);
	}
	close(fd);
	close(other);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_framing),
	cmocka_unit_test(test_overlong),
	cmocka_unit_test(test_half_close),
	cmocka_unit_test(test_protocols),
	cmocka_unit_test(test_route),
	cmocka_unit_test(test_order),
	cmocka_unit_test(test_export),
	cmocka_unit_test(test_slow_client),
	cmocka_unit_test(test_other_shows),
	cmocka_unit_test(test_restrict),
	cmocka_unit_test(test_changes),
	cmocka_unit_test(test_busy),
	cmocka_unit_test(test_down),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, cli_rig_set_up, cli_rig_tear_down);
}
