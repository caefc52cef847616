/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control socket of a whole daemon in this process: real control plane, tables and
 * channels; instances of a protocol made for this test announce routes. */
#include "lib/wire/bgp_params.h"
#include "nest/channel.h"
#include "nest/conf_opt.h"
#include "nest/control_priv.h"
#include "nest/msg_cache.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"
#include "test/lib/unit.h"
#include "test/lib/wire.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NETS 1500

/* ---- a protocol whose instances announce NETS routes each ---- */

struct fake {
	struct proto p; /* first */
	struct channel *ch;
};

static size_t
tx_room(struct channel *ch)
{
	(void)ch;
	return 4000;
}

static void
tx_put(struct channel *ch, const void *buf, size_t len, uint32_t msg_cnt)
{
	(void)ch, (void)buf, (void)len, (void)msg_cnt;
}

static void
no_event(struct channel *ch)
{
	(void)ch;
}

static void
limit(struct channel *ch, enum limit_action a, const char *what, uint32_t max)
{
	(void)ch, (void)a, (void)what, (void)max;
}

static bool
refresh(struct channel *ch)
{
	(void)ch;
	return true;
}

static void
detached(struct channel *ch)
{
	proto_gone(channel_proto(ch));
}

static const struct channel_ops fake_ops = {
	.tx_room = tx_room,
	.tx_put = tx_put,
	.tx_flush = no_event,
	.import_ready = no_event,
	.feed_done = no_event,
	.limit = limit,
	.refresh = refresh,
	.slow = no_event,
	.detached = detached,
};

static struct proto *
make(struct tern *t, const struct conf_proto *cf)
{
	(void)t, (void)cf;
	return mem_zalloc(MEM_PROTO, sizeof(struct fake));
}

/* Announce @cnt /24 nets from 20.0.0.0 up, backwards; the last digit of the name is the
 * peer. */
static void
announce(struct fake *f, uint32_t first, uint32_t cnt)
{
	uint8_t nlri[NETS * 4 + 16] = { 0 }, data[128], nh[4], path[10] = { 2, 2 };
	uint8_t peer = (uint8_t)(f->p.name[strlen(f->p.name) - 1] - '0');
	struct attr_local local = { .dest = DEST_UNREACHABLE, .rts = RTS_BGP };
	struct wbuf w = wbuf_of(data, sizeof(data));
	uint32_t len = 0;

	put_be32(path + 2, 100000u + peer);
	put_be32(path + 6, first + 1);
	put_be32(nh, 0x0a000000u + peer);
	wire_item(&w, 0x40, ATTR_ORIGIN, "", 1);
	wire_item(&w, 0x40, ATTR_AS_PATH, path, sizeof(path));
	wire_item(&w, 0x40, ATTR_NEXT_HOP, nh, sizeof(nh));
	for (uint32_t i = cnt; i--;) {
		struct prefix p = prefix_make(
		    ip4(0x14000000u + ((first + i) << 8)), 24, FAM_IP4);

		len += prefix_put(nlri + len, &p);
	}
	while (!channel_import_ready(f->ch))
		usleep(1000);
	channel_import(f->ch, data, (uint32_t)wbuf_len(&w), &local, nlri, len);
}

static void
go_up(struct fake *f)
{
	uint8_t peer = (uint8_t)(f->p.name[strlen(f->p.name) - 1] - '0');
	struct route_source src = { .from = ip4(0x7f000100u + peer),
		.peer_as = 100000u + peer,
		.local_as = 65000,
		.is_bgp = true,
		.is_ebgp = true };
	struct export_rules rules = { .peer_addr = src.from };
	struct bgp_class cls;

	bgp_class_init(&cls);
	channel_up(f->ch, &src, &cls, &rules);
	for (uint32_t i = 0; i < NETS; i += 100)
		announce(f, i, 100);
	proto_publish(&f->p, PS_UP, false, "Established   ", "");
}

static void
command(struct proto *p, struct proto_cmd *cmd)
{
	struct fake *f = container_of(p, struct fake, p);

	if (!f->ch)
		f->ch = channel_new(p, p->cf->chan, &fake_ops);
	switch (cmd->kind) {
	case PROTO_START:
		go_up(f);
		break;
	case PROTO_STOP:
		channel_down(f->ch);
		proto_publish(p, PS_DOWN, true, "", cmd->message ? cmd->message : "");
		break;
	case PROTO_RECONF:
		proto_adopt_conf(p, cmd);
		channel_reconf(f->ch, cmd->change, cmd->soft);
		break;
	case PROTO_DELETE:
		channel_down(f->ch);
		channel_detach(f->ch);
		break;
	default:
		break;
	}
}

static void
free_fake(TAKE struct proto *p)
{
	struct fake *f = container_of(p, struct fake, p);

	if (f->ch)
		channel_free(f->ch);
	mem_free(MEM_PROTO, f);
}

static int
rank(const struct route_cand *a, const struct route_cand *b)
{
	return a->src->peer_as < b->src->peer_as ? -1 : a->src->peer_as > b->src->peer_as;
}

static const struct conf_opt no_opts[] = { { .type = OPT_END } };
static const struct conf_class fake_conf = {
	.keyword = "fake",
	.name = "Fake",
	.kind = PROTO_BGP,
	.has_channels = true,
	.preference = 100,
	.opt = no_opts,
	.channel_opt = no_opts,
};
static const struct proto_class fake_class = {
	.conf = &fake_conf,
	.make = make,
	.command = command,
	.free = free_fake,
	.rank = rank,
};

/* ---- the daemon ---- */

static const struct proto_class *const classes[] = { &fake_class, NULL };
static const struct conf_class *conf_classes[] = { &fake_conf, NULL };
static struct tern tern;
static struct control control;
static sem_t all_gone;
static char dir[] = "/tmp/tern-cli-XXXXXX", ctl[64], conf_path[64];

static const char conf_text[] =
    "router id 10.0.0.1;\n"
    "log \"/dev/null\" all;\n"
    "timeformat protocol iso long;\ntimeformat route iso long;\n"
    "define K = 5;\n"
    "filter f_out { if net.len > 24 || net ~ [ 20.0.1.0/24 ] then reject; accept; }\n"
    "protocol fake f1 { description \"first\";\n"
    "  ipv4 { import where net !~ [ 20.0.2.0/24 ]; import keep filtered; export filter "
    "f_out;\n"
    "    import limit 5000 action block; }; }\n"
    "protocol fake f2 { ipv4 { import all; export all; }; }\n"
    "protocol fake f3 { disabled; ipv4 { import all; export none; }; }\n";

static void
write_conf(const char *text)
{
	FILE *f = fopen(conf_path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int
set_up(void **state)
{
	struct conf_env env = { .class = conf_classes, .custom = &control.custom };
	struct config *conf;
	struct diag d;
	int err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(ctl, sizeof(ctl), "%s/ctl", dir);
	snprintf(conf_path, sizeof(conf_path), "%s/conf", dir);
	write_conf(conf_text);
	rcu_join();
	log_start();
	custom_registry_init(&control.custom);
	diag_init(&d);
	conf = config_parse(conf_path, &env, &d);
	if (!conf)
		print_message("%s\n", d.marked.s);
	assert_non_null(conf);
	diag_fini(&d);
	control.tern = &tern;
	control.conf_classes = conf_classes;
	control.nofile = 1024;
	tern.store = attr_store_new();
	tern.start_ns = clock_now_ns();
	tern.classes = classes;
	sem_init(&all_gone, 0, 0);
	control.all_gone = &all_gone;
	control_start(&control, &tern, conf);
	control.cli[0] = cli_server_new(&tern, ctl, false, &err);
	assert_non_null(control.cli[0]);
	control.cli_cnt = 1;
	rcu_sleep();
	return 0;
}

/* ---- a client ---- */

static int
dial(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(un.sun_path, sizeof(un.sun_path), "%s", ctl);
	assert_int_equal(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	return fd;
}

static bool
readable(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* peek_line - octets of the first line of what waits, if it is whole. */
static size_t
peek_line(int fd, char *to, size_t room)
{
	ssize_t n = recv(fd, to, room, MSG_PEEK);
	char *nl = n > 0 ? memchr(to, '\n', (size_t)n) : NULL;

	return nl ? (size_t)(nl - to) + 1 : 0;
}

/* Read up to the end of one reply; "" at the end of the session. */
static char *
get_reply(int fd)
{
	static char text[4 << 20];
	size_t len = 0, line;

	do {
		assert_true(readable(fd, 10000));
		line = peek_line(fd, text + len, 1024);
		if (!line)
			break;
		assert_true(line <= 512);
		assert_int_equal(read(fd, text + len, line), line);
		len += line;
		assert_true(len + 1024 < sizeof(text));
	} while (line <= 5 || text[len - line] == ' ' || text[len - line + 4] != ' ');
	text[len] = 0;
	return text;
}

static void
say(int fd, const char *line)
{
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
}

static int
open_cli(void)
{
	char banner[4096] = "";
	int fd = dial();

	assert_true(readable(fd, 10000));
	assert_true(read(fd, banner, sizeof(banner) - 1) > 0);
	assert_string_equal(banner, "0001 BIRD 2.0.12 ready.\n");
	return fd;
}

static char *
ask(int fd, const char *command_line)
{
	say(fd, command_line);
	say(fd, "\n");
	return get_reply(fd);
}

static void
is(int fd, const char *line, const char *want)
{
	assert_string_equal(ask(fd, line), want);
}

static void
has(int fd, const char *line, const char *want)
{
	const char *text = ask(fd, line);

	if (!strstr(text, want))
		print_message("%s:\n%.3000s\n", line, text);
	assert_non_null(strstr(text, want));
}

static void
wait_for(int fd, const char *line, const char *want)
{
	for (int i = 0; i < 500; i++) {
		if (strstr(ask(fd, line), want))
			return;
		usleep(10000);
	}
	has(fd, line, want);
}

/* ---- tests ---- */

static void
test_framing(void **state)
{
	int fd = open_cli();

	(void)state;
	say(fd, "show sta");
	assert_false(readable(fd, 20));
	say(fd, "tus\nshow status # x\nfoo\n");
	assert_non_null(strstr(get_reply(fd), "\n0013 Daemon is up and running\n"));
	assert_non_null(strstr(get_reply(fd), "\n0013 "));
	assert_string_equal(
	    get_reply(fd), "9001 syntax error, unexpected CF_SYM_UNDEFINED\n");
	is(fd, "", "9001 syntax error, unexpected END\n");
	is(fd, "  restart\r",
	    "9001 syntax error, unexpected END, expecting CF_SYM_KNOWN or TEXT or ALL\n");
	is(fd, "show status x",
	    "9001 syntax error, unexpected CF_SYM_UNDEFINED, expecting END\n");
	is(fd, "SHOW status", "9001 syntax error, unexpected CF_SYM_UNDEFINED\n");
	is(fd, "eval \"a # b\"", "0023 a # b\n");
	is(fd, "quit", "0000 \n");
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
	assert_true(readable(fd, 10000));
	assert_true(read(fd, line, 1) <= 0);
	close(fd);
}

static void
test_half_close(void **state)
{
	int fd = open_cli();

	(void)state;
	say(fd, "show status\nshow symbols K\n");
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
	wait_for(fd, "show protocols \"f[x12]\"", "8003 No protocols match\n");
	wait_for(fd, "show protocols", " f2         Fake       ---        up     ");
	has(fd, "show protocols", " f3         Fake       ---        down   ");
	has(fd, "show protocols f1", "1002-f1         Fake       ---        up     ");
	has(fd, "show protocols",
	    "2002-Name       Proto      Table      State  Since         Info\n");
	wait_for(fd, "show protocols all f1",
	    "    Routes:         1499 imported, 1 filtered, 1 exported, 1499 "
	    "preferred\n");
	has(fd, "show protocols all f1",
	    "1006-  Description:    first\n   Channel ipv4\n     State:          UP\n");
	has(fd, "show protocols all f1",
	    "     Import limit:   5000\n       Action:       block\n");
	has(fd, "show protocols all f1", "\n \n0000 \n");
	is(fd, "show protocols K", "9001 Protocol name required\n");
	is(fd, "show protocols nix",
	    "9001 syntax error, unexpected CF_SYM_UNDEFINED, expecting END or "
	    "CF_SYM_KNOWN or "
	    "TEXT or ALL\n");
	close(fd);
}

static void
test_route(void **state)
{
	int fd = open_cli();

	(void)state;
	wait_for(fd, "show route table master4 count",
	    "1007-2999 of 2999 routes for 1500 networks in table master4\n0000 \n");
	has(fd, "show route count",
	    "0014 Total: 2999 of 2999 routes for 1500 networks in 2 tables\n");
	has(fd, "show route 20.0.0.0/24 primary",
	    "1007-Table master4:\n 20.0.0.0/24          unreachable [f1 20");
	has(fd, "show route 20.0.0.0/24", "\n                      unreachable [f2 20");
	has(fd, "show route for 20.0.0.77", " from 127.0.1.1] * (100) [AS1i]\n");
	is(fd, "show route 99.0.0.0/24", "8001 Network not found\n");
	is(fd, "show route 20.0.0.1/24",
	    "9001 Invalid IPv4 prefix 20.0.0.1/24, maybe you wanted 20.0.0.0/24\n");
	has(fd, "show route in 20.0.0.0/22 count",
	    "1007-7 of 7 routes for 4 networks in table master4\n0000 \n");
	has(fd, "show route protocol f2 count",
	    "1007-1500 of 2999 routes for 1500 networks in table master4\n");
	has(fd, "show route table master4 filtered count",
	    "1007-1 of 1 routes for 1 networks");
	has(fd, "show route filtered", " 20.0.2.0/24          unreachable [f1 ");
	has(fd, "show route where bgp_path.last = 101 table master4 count",
	    "1007-200 of 2999 routes");
	has(fd, "show route table master4 primary count",
	    "1007-1500 of 1500 routes for 1500 networks");
	has(fd, "show route filter { bgp_med = 7; accept; } all 20.0.0.0/24 primary",
	    "\tBGP.med: 7\n");
	is(fd, "show route table f1", "9001 Table name required\n");
	is(fd, "show route where true where true", "9001 Filter specified twice\n");
	is(fd, "show route primary filtered", "9001 Incompatible show route options\n");
	is(fd, "show route export f3", "9001 No valid tables\n");
	close(fd);
}

static void
test_order(void **state)
{
	int fd = open_cli();
	char *text, *line, *save = NULL;
	uint32_t last = 0, cnt = 0, stars = 0;

	(void)state;
	text = ask(fd, "show route");
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
	has(fd, "show route export f2 count",
	    "1007-1499 of 2999 routes for 1500 networks in table master4\n0000 \n");
	has(fd, "show route export f1 count", "1007-1 of 2999 routes");
	has(fd, "show route preexport f1 count", "1007-1 of 2999 routes");
	has(fd, "show route noexport f2 count", "1007-0 of 2999 routes");
	has(fd, "show route export f1", " 20.0.2.0/24          unreachable [f2 ");
	is(fd, "show route export f1 export f1", "9001 Export specified twice\n");
	is(fd, "show route table master6 export f1",
	    "9001 No export channel for table master6\n");
	close(fd);
}

/* A client that doesn't read stops its own command and nothing else. */
static void
test_slow_client(void **state)
{
	int slow = open_cli(), fd = open_cli(), buf = 4096;

	(void)state;
	setsockopt(slow, SOL_SOCKET, SO_RCVBUF, &buf, sizeof(buf));
	for (int i = 0; i < 20; i++)
		say(slow, "show route all\n");
	for (int i = 0; i < 20; i++) {
		uint64_t at = clock_now_ns();

		has(fd, "show status", "0013 ");
		assert_true(clock_now_ns() - at < NS_PER_S);
	}
	assert_true(readable(slow, 10000));
	close(slow); /* in the middle */
	slow = open_cli();
	say(slow, "show route\n");
	for (int i = 0; i < 30; i++)
		usleep(1000);
	assert_non_null(strstr(get_reply(slow), "\n0000 \n"));
	close(slow);
	close(fd);
}

static void
test_other_shows(void **state)
{
	int fd = open_cli();

	(void)state;
	has(fd, "show status",
	    "1000-BIRD 2.0.12\n1011-Router ID is 10.0.0.1\n Hostname is ");
	has(fd, "show memory",
	    "1018-BIRD memory usage\n                   Effective    Overhead\n Routing "
	    "tables: ");
	has(fd, "show threads", " cli ");
	has(fd, "show table master4",
	    "1007-Table master4:\n   Networks:            1500\n");
	has(fd, "show symbols", "K       \tconstant\n");
	is(fd, "show symbols filter", "1010-f_out   \tfilter\n0000 \n");
	is(fd, "show symbols nix", "1010 nix     \tundefined\n");
	has(fd, "show interfaces", "1001-lo ");
	has(fd, "show interfaces summary",
	    "2005-Interface  State  IPv4 address       IPv6 address\n");
	is(fd, "show bfd sessions", "9001 There is no BFD protocol running\n");
	is(fd, "eval 1+2*K", "0023 11\n");
	is(fd, "timeformat iso short", "0000 \n");
	is(fd, "timeformat \"%Y\" 10 \"%H\"", "0000 \n");
	has(fd, "show route 20.0.0.0/24 primary", " [f1 20");
	is(fd, "echo off", "0000 Accepted, without effect\n");
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
	is(fd, "restrict", "0016 Access restricted\n");
	for (unsigned i = 0; i < ARRAY_LEN(denied); i++)
		is(fd, denied[i], "8007 Access denied\n");
	has(fd, "configure status", "0003-Daemon is up and running\n0000 \n");
	has(fd, "show status", "0013 ");
	close(fd);
}

static void
test_changes(void **state)
{
	int fd = open_cli();
	char want[256];

	(void)state;
	is(fd, "disable f2 \"gone fishing\"", "0009-f2: disabled\n0000 \n");
	is(fd, "disable f2", "0008-f2: already disabled\n0000 \n");
	wait_for(fd, "show protocols all f2", "1006-  Message:        gone fishing\n");
	wait_for(fd, "show route table master4 count", "1007-1499 of 1499 routes");
	is(fd, "enable \"f2\"", "0011-f2: enabled\n0000 \n");
	wait_for(fd, "show route table master4 count", "1007-2999 of 2999 routes");
	is(fd, "enable nix",
	    "9001 syntax error, unexpected CF_SYM_UNDEFINED, expecting CF_SYM_KNOWN or "
	    "TEXT or ALL\n");
	is(fd, "enable f1 msg",
	    "9001 syntax error, unexpected CF_SYM_UNDEFINED, expecting END or TEXT\n");
	is(fd, "reload in f1", "0015-f1: reloading\n0000 \n");
	is(fd, "reload filters out f1", "0015-f1: reloading\n0000 \n");
	is(fd, "disable \"zz*\"", "8003 No protocols match\n");
	snprintf(want, sizeof(want),
	    "0002-Reading configuration from %s\n0020 Configuration OK\n", conf_path);
	is(fd, "configure check", want);
	snprintf(want, sizeof(want),
	    "0002-Reading configuration from %s\n0003 Reconfigured\n", conf_path);
	is(fd, "configure", want);
	is(fd, "configure foo", "9001 syntax error, unexpected CF_SYM_UNDEFINED\n");
	is(fd, "configure confirm", "0019 Nothing to do\n");
	close(fd);
}

static void
test_down(void **state)
{
	struct timespec until;
	int fd = open_cli(), idle = open_cli(), busy = open_cli();

	(void)state;
	say(busy, "show route all\nshow route all\nshow route all\n");
	is(fd, "down", "0007 Shutdown requested\n");
	assert_string_equal(get_reply(fd), "");
	assert_string_equal(get_reply(idle), "");
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	assert_int_equal(sem_timedwait(&all_gone, &until), 0);
	close(fd);
	close(idle);
	close(busy);
	assert_int_not_equal(access(ctl, F_OK), 0);
}

static int
tear_down(void **state)
{
	struct tern_view *v;
	struct attr_store_stats st;

	(void)state;
	rcu_wake();
	v = load_acquire_ptr(&tern.view); /* pairs: TVIEW */
	config_ref_put(v->conf);
	mem_free(MEM_CONFIG, v->proto);
	mem_free(MEM_CONFIG, v->table);
	mem_free(MEM_CONFIG, v);
	config_ref_put(control.conf);
	if (control.prev)
		config_ref_put(control.prev);
	loop_pool_fini();
	rcu_drain();
	attr_store_stats(tern.store, &st);
	assert_int_equal(st.sets, 1); /* the empty one: commands kept none */
	session_classes_free(&tern.session_classes);
	attr_store_free(tern.store);
	custom_registry_fini(&control.custom);
	log_stop();
	rcu_leave();
	unlink(conf_path);
	rmdir(dir);
	return 0;
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
	cmocka_unit_test(test_down),
};

int
main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
