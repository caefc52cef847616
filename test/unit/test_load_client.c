/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_load_client checks one client's session against a server of the test over a
 * socketpair: the session comes up, parts of a message are put together, an invalid
 * message ends the session, and all announcements are well formed. */
#include "test/load/load_client.c"
#include "test/lib/unit.h"

#include "test/load/load_set.h"
#include "test/load/load_setup.h"

#include <fcntl.h>

struct fixture {
	struct load_opt opt;
	struct load_run run;
	struct load_client *c;
	int server; /* our end */
};

static void
set_up_with(struct fixture *f, const char *nets, const char *add_paths)
{
	const char *const argv[] = { "ternload", "--clients", "2", "--nets", nets,
		"--ratio", "2", "--quiet", "--add-paths", add_paths, "--paths", "3" };
	struct epoll_event ev = { .events = EPOLLIN | EPOLLOUT };
	int pair[2];

	memset(f, 0, sizeof(*f));
	assert_int_equal(
	    load_opt_parse(&f->opt, add_paths ? ARRAY_LEN(argv) : 8, (char **)argv), 0);
	f->run.opt = &f->opt;
	assert_int_equal(load_setup(&f->run, NULL), 0);
	assert_int_equal(load_setup_net(&f->run), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	f->server = pair[0];
	f->c = &f->run.client[0];
	f->c->fd = pair[1];
	f->c->state = CL_CONNECTING;
	f->run.connecting_cnt = 1;
	f->run.now = load_now();
	epoll_ctl(f->run.epoll, EPOLL_CTL_ADD, pair[1], &ev);
}

static void
test_load_client_set_up(struct fixture *f)
{
	set_up_with(f, "50", NULL);
}

static void
test_load_client_tear_down(struct fixture *f)
{
	close(f->server);
	load_setup_fini(&f->run);
}

/* Send and let the client read it. */
static void
test_load_client_feed(struct fixture *f, const uint8_t *m, unsigned len)
{
	assert_int_equal(write(f->server, m, len), len);
	load_client_event(&f->run, f->c, EPOLLIN);
}

/* A server that does @add_paths. Returns: what the client said of add-path. */
static uint8_t
bring_up_with(struct fixture *f, uint8_t add_paths)
{
	struct msg_open o = { 65000, 1, 90, true, true, 1, { add_paths, 0 } }, own;
	uint8_t m[MSG_MAX];
	unsigned len, type;

	load_client_event(&f->run, f->c, EPOLLOUT);
	assert_int_equal(f->c->state, CL_OPEN_SENT);
	assert_true(read(f->server, m, sizeof(m)) > MSG_HEADER);
	assert_int_equal(msg_header(m, &len, &type), 0);
	assert_int_equal(type, MSG_OPEN);
	assert_int_equal(msg_get_open(&own, m + MSG_HEADER, len - MSG_HEADER), 0);
	assert_int_equal(own.add_path[FAM_IP6], 0);
	test_load_client_feed(f, m, msg_put_open(m, &o));
	if (f->run.fatal)
		return own.add_path[FAM_IP4];
	assert_int_equal(f->c->state, CL_OPEN_CONFIRM);
	assert_true(f->c->hold_ns == 90 * NS_S);
	test_load_client_feed(f, m, msg_put_keepalive(m));
	assert_int_equal(f->c->state, CL_ESTABLISHED);
	assert_int_equal(f->run.up_cnt, 1);
	assert_int_equal(read(f->server, m, sizeof(m)), MSG_HEADER);
	return own.add_path[FAM_IP4];
}

static void
bring_up(struct fixture *f)
{
	assert_int_equal(bring_up_with(f, 0), 0);
}

static void
test_announce(void **state)
{
	struct msg_update u;
	struct fixture f;
	uint8_t b[65536 + MSG_SLACK];
	unsigned len, type, ends = 0;
	uint64_t hi, lo, nets = 0;
	uint32_t key, n, set;
	ssize_t got, at;

	(void)state;
	test_load_client_set_up(&f);
	bring_up(&f);
	load_update_send_all(&f.run, f.c);
	got = read(f.server, b, sizeof(b) - MSG_SLACK);
	assert_true(got > 0);
	for (at = 0; at < got; at += len) {
		assert_int_equal(msg_header(b + at, &len, &type), 0);
		assert_int_equal(
		    msg_get_update(&u, b + at + MSG_HEADER, len - MSG_HEADER), 0);
		ends += msg_is_end_of_rib(&u);
		set = u.nlri.len ? load_set_of_update(&f.run.sets, &u, true) : 0;
		while (u.nlri.len) {
			assert_true(msg_next_prefix(&u.nlri, FAM_IP4, &hi, &lo, &key));
			n = load_nets_lookup(&f.run.nets, hi, lo, key);
			assert_int_not_equal(n, LOAD_NONE);
			n = load_model_route(&f.run.model, 0, n);
			set = load_set_judge(&f.run.sets, set)->out;
			assert_int_equal(
			    load_set_judge(&f.run.sets, f.run.model.route[n].set)->out,
			    set);
			nets++;
		}
	}
	assert_int_equal(nets, f.c->route_cnt);
	assert_int_equal(ends, 1);
	test_load_client_tear_down(&f);
}

/* Many routes are encoded part by part, as the socket takes them; End-of-RIB is last. */
static void
test_feed(void **state)
{
	struct fixture f;
	uint8_t b[65536], last[MSG_HEADER + 4], end[MSG_MAX];
	size_t total = 0;
	ssize_t got;
	unsigned parts = 0;
	uint32_t fed = 0;

	(void)state;
	set_up_with(&f, "70000", NULL);
	bring_up(&f);
	assert_true(f.c->route_cnt > 40000);
	load_update_send_all(&f.run, f.c);
	assert_true(f.c->feeding);
	while (f.c->feeding || f.c->tx_pos < f.c->tx_len) {
		parts += f.c->fed != fed;
		fed = f.c->fed;
		got = read(f.server, b, sizeof(b));
		if (got > 0) {
			total += (size_t)got;
			memcpy(last, b + got - sizeof(last), sizeof(last));
		}
		load_client_event(&f.run, f.c, EPOLLOUT);
	}
	while ((got = read(f.server, b, sizeof(b))) > 0) {
		total += (size_t)got;
		memcpy(last, b + got - sizeof(last), sizeof(last));
	}
	assert_true(parts >= 3 && f.c->fed == f.c->route_cnt);
	assert_true(total > 4 * (size_t)f.c->route_cnt);
	assert_int_equal(msg_put_end_of_rib(end, FAM_IP4), sizeof(last));
	assert_memory_equal(last, end, sizeof(last));
	test_load_client_tear_down(&f);
}

/* An UPDATE of what client 1 announces first, octet by octet. */
static void
test_cut(void **state)
{
	struct fixture f;
	struct load_client *other;
	uint8_t *m;
	size_t i, len;

	(void)state;
	test_load_client_set_up(&f);
	bring_up(&f);
	other = &f.run.client[1];
	other->as4 = true;
	load_update_send(&f.run, other, other->route, 1);
	m = other->tx;
	len = other->tx_len;
	for (i = 0; i < len; i++) {
		assert_int_equal(f.run.board.row[0].prefixes, 0);
		test_load_client_feed(&f, m + i, 1);
	}
	assert_int_equal(f.run.board.row[0].prefixes, 1);
	assert_int_equal(f.c->state, CL_ESTABLISHED);
	i = f.run.model.route[other->route[0]].net;
	assert_true(load_board_held(&f.run.board, 0, (uint32_t)i) != 0);
	load_client_close(&f.run, f.c, NULL);
	assert_int_equal(load_board_held(&f.run.board, 0, (uint32_t)i), 0);
	assert_int_equal(f.run.up_cnt, 0);
	assert_false(f.run.facts[0].up);
	test_load_client_tear_down(&f);
}

static void
test_nonsense(void **state)
{
	struct fixture f;
	uint8_t m[MSG_MAX];
	unsigned i;

	(void)state;
	for (i = 0; i < 4; i++) {
		test_load_client_set_up(&f);
		bring_up(&f);
		f.c->dropped = true; /* else it says so */
		memset(m, 0, sizeof(m));
		msg_put_header(m, 100, MSG_UPDATE);
		if (i == 0)
			m[3] = 0;
		if (i == 1)
			m[18] = 9;
		if (i == 2)
			put_be16(m + MSG_HEADER, 4000);
		if (i == 3) /* a prefix of 33 bits */
			memcpy(m + MSG_HEADER, "\0\2\x21\1\0\0", 6);
		test_load_client_feed(&f, m, 100);
		assert_int_equal(f.c->state, CL_IDLE);
		assert_int_equal(f.run.malformed, 1);
		test_load_client_tear_down(&f);
	}
}

/* All its paths, each with its identifier, and none like another of its net. */
static void
test_paths(void **state)
{
	uint8_t b[65536 + MSG_SLACK];
	uint32_t key, id, route, set, paths = 0, more = 0;
	struct msg_update u;
	struct fixture f;
	unsigned len, type;
	uint64_t hi, lo;
	ssize_t got, at;

	(void)state;
	set_up_with(&f, "50", "on");
	assert_int_equal(
	    bring_up_with(&f, ADD_PATH_RX | ADD_PATH_TX), ADD_PATH_RX | ADD_PATH_TX);
	assert_true(f.c->ids_in && f.c->ids_out);
	load_update_send_all(&f.run, f.c);
	got = read(f.server, b, sizeof(b) - MSG_SLACK);
	for (at = 0; at < got; at += len) {
		assert_int_equal(msg_header(b + at, &len, &type), 0);
		assert_int_equal(
		    msg_get_update(&u, b + at + MSG_HEADER, len - MSG_HEADER), 0);
		set = u.nlri.len ? load_set_of_update(&f.run.sets, &u, true) : 0;
		while (u.nlri.len) {
			assert_true(msg_next_id(&u.nlri, &id));
			assert_true(msg_next_prefix(&u.nlri, FAM_IP4, &hi, &lo, &key));
			route = load_model_path(&f.run.model, 0,
			    load_nets_lookup(&f.run.nets, hi, lo, key), (uint8_t)id);
			assert_int_equal(
			    load_set_judge(&f.run.sets, f.run.model.route[route].set)
				->out,
			    load_set_judge(&f.run.sets, set)->out);
			assert_int_equal(f.run.sets.set[set].facts.path_len % 3, id);
			paths++;
			more += id == 2;
		}
	}
	assert_int_equal(paths, f.c->route_cnt);
	assert_true(more > 2);
	test_load_client_tear_down(&f);
}

/* A server that doesn't do what it shall. */
static void
test_refused_paths(void **state)
{
	int saved = dup(2), null = open("/dev/null", O_WRONLY);
	struct fixture f;

	(void)state;
	dup2(null, 2);
	set_up_with(&f, "50", "on");
	f.opt.add_paths = ADD_PATH_RX;
	assert_int_equal(bring_up_with(&f, ADD_PATH_RX | ADD_PATH_TX), ADD_PATH_TX);
	assert_true(f.c->ids_out && !f.c->ids_in && !f.run.fatal);
	test_load_client_tear_down(&f);
	set_up_with(&f, "50", "on");
	assert_int_equal(bring_up_with(&f, ADD_PATH_RX), ADD_PATH_RX | ADD_PATH_TX);
	assert_true(f.run.fatal);
	test_load_client_tear_down(&f);
	dup2(saved, 2);
	close(saved);
	close(null);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_announce),
	cmocka_unit_test(test_feed),
	cmocka_unit_test(test_cut),
	cmocka_unit_test(test_nonsense),
	cmocka_unit_test(test_paths),
	cmocka_unit_test(test_refused_paths),
};

UNIT_MAIN(tests)
