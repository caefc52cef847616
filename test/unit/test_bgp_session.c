/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions over loopback: two instances of this process with each other, and with a raw
 * socket that plays an odd peer. */
#include "test/lib/bgp_pair.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "nest/core/reply.h"
#include "sysdep/log/log.h"
#include "test/lib/wait.h"
#include "test/lib/veiled.h"
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

/* ---- tests ---- */

static void
test_up_and_down(void **state)
{
	struct peer a, b;
	struct reply r = { 0 };
	struct strbuf out;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	peer_start(&b);
	wait_info(&b, "Passive       ");
	wait_spread(5000); /* it listens by then */
	peer_start(&a);
	wait_info(&a, "Established   ");
	wait_info(&b, "Established   ");
	strbuf_init(&out);
	r.text = &out;
	bgp_reply(a.p, &r);
	rcu_quiesce();
	assert_non_null(strstr(out.s, "  BGP state:          Established\n"));
	assert_non_null(strstr(out.s, "    Neighbor address: 127.1.0.2\n"));
	assert_non_null(strstr(out.s, "    Neighbor ID:      0.0.0.2\n"));
	assert_non_null(strstr(out.s, "        AF announced: ipv4\n"));
	assert_non_null(strstr(out.s, "    Session:          external multihop AS4\n"));
	assert_non_null(strstr(out.s, "    Source address:   127.1.0.1\n"));
	assert_non_null(strstr(out.s, "/240\n"));
	assert_non_null(strstr(out.s, "/80\n"));
	strbuf_fini(&out);
	bgp_pair_post_cmd(&a, PROTO_STOP, PR_CMD_DISABLE, "back at \"noon\"");
	wait_info(&b, "Passive       Received: Administrative shutdown");
	assert_string_equal(proto_status_get(b.p)->message, "back at \"noon\"");
	rcu_quiesce();
	wait_count(&bgp_pair_chan_of(&b)->downs, 1);
	bgp_pair_post_cmd(&a, PROTO_START, PR_NONE, NULL);
	wait_info(&b, "Established   ");
	bgp_pair_post_cmd(&a, PROTO_RESTART, PR_CMD_RESTART, NULL);
	wait_count(&bgp_pair_chan_of(&b)->downs, 2);
	wait_info(&a, "Established   ");
	wait_info(&b, "Established   ");
	bgp_pair_end(&a, &b);
}

/* Both connect at once: one connection stays, whoever wins, and both sides agree. */
static void
test_collision(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		struct peer a, b;

		bgp_pair_conf(&a, &b);
		both_up(&a, &b);
		wait_spread(2000); /* nobody goes again */
		assert_true(info_is(&a, "Established"));
		assert_true(info_is(&b, "Established"));
		assert_int_equal(counter64_get(&bgp_pair_chan_of(&a)->downs), 0);
		assert_int_equal(counter64_get(&bgp_pair_chan_of(&b)->downs), 0);
		bgp_pair_end(&a, &b);
	}
}

static void
test_wrong_as(void **state)
{
	struct peer a, b;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.id.remote_as = 65099;
	b.bgp.tcp.passive = true;
	peer_start(&b);
	wait_info(&b, "Passive");
	wait_spread(5000);
	peer_start(&a);
	wait_info(&a, "Idle          Received: Bad peer AS");
	wait_info(&b, "Idle          BGP Error: Bad peer AS");
	/* the wait ends at once when an operator asks */
	bgp_pair_post_cmd(&b, PROTO_RESTART, PR_CMD_RESTART, NULL);
	wait_info(&b, "Passive");
	bgp_pair_end(&a, &b);
}

/* Both ends of the pair at hand. */
struct ends {
	struct msg msg;
	struct peer *a, *b;
};

/* In a's worker: b reads everything, and only then is something of a's own sent. The loop
 * hears later that the socket has room. */
static void
handle_own_first(struct worker *w, struct msg *m)
{
	struct ends *e = container_of(m, struct ends, msg);
	struct proto_cmd cmd = { .proto = e->a->p, .kind = PROTO_RELOAD_IN };
	struct counter64 *got = &bgp_pair_chan_of(e->b)->imported;
	uint64_t before;

	(void)w;
	counter64_set(&bgp_pair_chan_of(e->b)->blocked, 0);
	bgp_pair_post_ready(e->b);
	do {
		before = counter64_get(got);
		wait_spread(50000); /* until the sockets are full */
	} while (!before || counter64_get(got) != before);
	bgp_proto_class.command(e->a->p, &cmd);
}

/* A message of our own empties the queue that was full: the channels go on all the
 * same. */
static void
test_own_message_makes_room(void **state)
{
	static struct ends e;
	struct peer a, b;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	both_up(&a, &b);
	counter64_set(&bgp_pair_chan_of(&b)->blocked, 1);
	counter64_set(&bgp_pair_chan_of(&a)->to_send, 200000);
	worker_wake(&a.p->worker);
	wait_spread(50000); /* so that sockets fill */
	e = (struct ends){ .a = &a, .b = &b };
	e.msg.handle = handle_own_first;
	worker_post(&a.p->worker, &e.msg);
	wait_count(&bgp_pair_chan_of(&b)->imported, 200000);
	bgp_pair_end(&a, &b);
}

/* `restart time`: not sooner after the last start; an incoming connection waits, too. */
static void
test_restart_time(void **state)
{
	struct peer a, b;
	uint64_t began;

	(void)state;
	bgp_pair_conf(&a, &b);
	a.cf.restart_time_ns = NS_PER_S;
	b.bgp.tcp.passive = true;
	began = clock_now_ns();
	both_up(&a, &b);
	bgp_pair_post_cmd(&a, PROTO_RESTART, PR_CMD_RESTART, NULL);
	wait_count(&bgp_pair_chan_of(&a)->ups, 2);
	assert_true(clock_now_ns() - began > 900 * NS_PER_MS);
	bgp_pair_end(&a, &b);
}

/* `disable after cease { administrative shutdown }` */
static void
test_after_cease(void **state)
{
	struct peer a, b;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	b.bgp.timers.disable_after_cease = 1u << BGP_EC_ADMIN_SHUTDOWN;
	both_up(&a, &b);
	bgp_pair_post_cmd(&a, PROTO_RESTART, PR_CMD_RESTART, NULL);
	wait_count(&bgp_pair_chan_of(&b)->ups, 2);
	bgp_pair_post_cmd(&a, PROTO_STOP, PR_CMD_DISABLE, NULL);
	wait_info(&b, "Received: Administrative shutdown");
	bgp_pair_end(&a, &b);
}

static void
test_password(void **state)
{
	char secret[VEIL_TEXT(VEIL_MAX)];
	struct peer a, b;

	(void)state;
	bgp_pair_conf(&a, &b);
	a.bgp.auth.password = b.bgp.auth.password = veiled(secret, "secret");
	a.bgp.auth.method = b.bgp.auth.method = BGP_AUTH_MD5;
	a.bgp.tcp.ttl_security = b.bgp.tcp.ttl_security = true;
	b.bgp.tcp.passive = true;
	both_up(&a, &b);
	bgp_pair_end(&a, &b);
}

/* Many messages while the receiver doesn't take them, and refreshes behind them: nothing
 * is lost. */
static void
test_flow(void **state)
{
	struct peer a, b;
	uint64_t cnt = 200000;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	both_up(&a, &b);
	counter64_set(&bgp_pair_chan_of(&b)->blocked, 1);
	counter64_set(&bgp_pair_chan_of(&a)->to_send, cnt);
	worker_wake(&a.p->worker);
	wait_spread(50000);
	assert_true(counter64_get(&bgp_pair_chan_of(&b)->imported) < 2000);
	assert_true(counter64_get(&bgp_pair_chan_of(&a)->to_send) > 0);
	bgp_pair_post_cmd(&a, PROTO_RELOAD_IN, PR_NONE, NULL);
	counter64_set(&bgp_pair_chan_of(&b)->blocked, 0);
	bgp_pair_post_ready(&b);
	wait_count(&bgp_pair_chan_of(&b)->imported, cnt);
	wait_count(&bgp_pair_chan_of(&b)->refreshes, 1);
	wait_count(&bgp_pair_chan_of(&b)->ends, 1);
	bgp_pair_end(&a, &b);
}

static struct counter64 retimed; /* 1: the timer's time is shown; 2: another */

/* In a's worker: another `send hold time`. */
static void
handle_retime(struct worker *w, struct msg *m)
{
	struct ends *e = container_of(m, struct ends, msg);
	struct proto_cmd cmd = {
		.proto = e->a->p, .kind = PROTO_RECONF, .cf = e->a->p->cf
	};

	const struct bgp_session *s = container_of(e->a->p, struct bgp_session, p);
	uint64_t at;

	(void)w;
	assert_true(bgp_tx_pending(&s->est->tx));
	e->a->bgp.timers.has_send_hold = true;
	e->a->bgp.timers.send_hold_s = 77;
	bgp_proto_class.command(e->a->p, &cmd);
	at = counter64_get(&s->shown.send_hold_ns);
	counter64_set(&retimed, at == timer_at_ns(&s->est->timer.send_hold) ? 1 : 2);
}

/* The send hold timer goes on with another time while the peer takes nothing, and is
 * shown. */
static void
test_retimed_while_blocked(void **state)
{
	static struct ends e;
	struct peer a, b;
	uint64_t left;

	(void)state;
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	both_up(&a, &b);
	counter64_set(&bgp_pair_chan_of(&b)->blocked, 1);
	counter64_set(&bgp_pair_chan_of(&a)->to_send, 200000);
	worker_wake(&a.p->worker);
	do {
		left = counter64_get(&bgp_pair_chan_of(&a)->to_send);
		wait_spread(50000); /* until the sockets are full */
	} while (left == 200000 || left != counter64_get(&bgp_pair_chan_of(&a)->to_send));
	e = (struct ends){ .a = &a, .b = &b };
	e.msg.handle = handle_retime;
	worker_post(&a.p->worker, &e.msg);
	wait_count(&retimed, 1);
	counter64_set(&bgp_pair_chan_of(&b)->blocked, 0);
	bgp_pair_post_ready(&b);
	wait_count(&bgp_pair_chan_of(&b)->imported, 200000);
	bgp_pair_end(&a, &b);
}

/* ---- a raw peer ---- */

static int
raw_connect(const char *from, const char *to)
{
	struct sockaddr_in sa = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct wait w = { 0 };

	assert_true(fd >= 0);
	inet_pton(AF_INET, from, &sa.sin_addr);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	inet_pton(AF_INET, to, &sa.sin_addr);
	sa.sin_port = htons((uint16_t)port);
	while (connect(fd, (struct sockaddr *)&sa, sizeof(sa)))
		lib_wait_turn(&w, "a connection");
	return fd;
}

/* raw_notify - read until the peer closes. Returns: code * 256 + subcode of its
 * NOTIFICATION. */
static int
raw_notify(int fd)
{
	uint8_t buf[8192];
	size_t len = 0, pos = 0;
	ssize_t n;

	while ((n = read(fd, buf + len, sizeof(buf) - len)) > 0)
		len += (size_t)n;
	while (pos + 21 <= len) {
		if (buf[pos + 18] == BGP_NOTIFICATION)
			return buf[pos + 19] * 256 + buf[pos + 20];
		pos += get_be16(buf + pos + 16);
	}
	return -1;
}

static void
raw_open(int fd, uint32_t as, uint32_t id)
{
	struct bgp_open o = { .as = as, .hold_time = 90, .router_id = id };
	uint8_t buf[BGP_OPEN_MAX];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	bgp_caps_init(&o.caps);
	o.caps.mp = o.caps.as4 = true;
	o.caps.fam = FAM_BIT(FAM_IP4);
	o.caps.as = as;
	bgp_open_encode(&w, &o, true);
	assert_int_equal(write(fd, buf, wbuf_len(&w)), wbuf_len(&w));
}

static void
test_odd_peers(void **state)
{
	uint8_t junk[100], keepalive[BGP_HDR_LEN];
	struct wbuf w = wbuf_of(keepalive, sizeof(keepalive));
	struct peer b;
	int fd;

	(void)state;
	bgp_keepalive_put(&w);
	peer_conf(&b, "b", 2, 1);
	b.bgp.tcp.passive = true;
	b.bgp.timers.error_wait_min_s = b.bgp.timers.error_wait_max_s = 0;
	peer_start(&b);
	wait_info(&b, "Passive");
	fd = raw_connect("127.1.0.9", "127.1.0.2"); /* a stranger */
	assert_int_equal(raw_notify(fd), BGP_E_CEASE * 256 + BGP_EC_REJECTED);
	close(fd);
	fd = raw_connect("127.1.0.1", "127.1.0.2"); /* garbage */
	memset(junk, 7, sizeof(junk));
	assert_int_equal(write(fd, junk, sizeof(junk)), sizeof(junk));
	assert_int_equal(raw_notify(fd), BGP_E_HEADER * 256 + BGP_EH_SYNC);
	close(fd);
	wait_info(&b, "Passive");
	fd = raw_connect("127.1.0.1", "127.1.0.2"); /* KEEPALIVE before OPEN */
	assert_int_equal(write(fd, keepalive, sizeof(keepalive)), sizeof(keepalive));
	assert_int_equal(raw_notify(fd), BGP_E_FSM * 256 + BGP_EF_OPENSENT);
	close(fd);
	wait_info(&b, "Passive");
	fd = raw_connect("127.1.0.1", "127.1.0.2"); /* half an OPEN, then the end */
	assert_int_equal(write(fd, update, 10), 10);
	shutdown(fd, SHUT_WR); /* closing with its OPEN unread would be a reset */
	wait_info(&b, "Passive       Socket: Connection closed");
	close(fd);
	fd = raw_connect("127.1.0.1", "127.1.0.2"); /* OPEN twice */
	raw_open(fd, 65001, 1);
	raw_open(fd, 65001, 1);
	assert_int_equal(raw_notify(fd), BGP_E_FSM * 256 + BGP_EF_OPENCONFIRM);
	close(fd);
	wait_info(&b, "Passive");
	fd = raw_connect(
	    "127.1.0.1", "127.1.0.2"); /* a good one, cut in the middle of a message */
	raw_open(fd, 65001, 1);
	assert_int_equal(write(fd, keepalive, sizeof(keepalive)), sizeof(keepalive));
	wait_info(&b, "Established");
	assert_int_equal(write(fd, update, sizeof(update)), sizeof(update));
	assert_int_equal(write(fd, update, 30), 30);
	wait_count(&bgp_pair_chan_of(&b)->imported, 1);
	close(fd);
	wait_count(&bgp_pair_chan_of(&b)->downs, 1);
	bgp_pair_end(&b, NULL);
}

/* raw_listen - where b dials. */
static int
raw_listen(void)
{
	struct sockaddr_in sa = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	inet_pton(AF_INET, "127.1.0.1", &sa.sin_addr);
	sa.sin_port = htons((uint16_t)port);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

/* raw_confirm - OPEN and KEEPALIVE, and then wait for both of the other side. */
static void
raw_confirm(int fd)
{
	uint8_t buf[BGP_HDR_LEN], all[512];
	struct wbuf w = wbuf_of(buf, sizeof(buf));
	ssize_t len = 0;

	bgp_keepalive_put(&w);
	raw_open(fd, 65001, 1);
	assert_int_equal(write(fd, buf, sizeof(buf)), sizeof(buf));
	do
		len += recv(fd, all + len, sizeof(all) - (size_t)len, 0);
	while (len < get_be16(all + 16) + BGP_HDR_LEN);
}

/* The connection that would lose is ready first: it isn't established while the OPEN of
 * the one that would win is due. Who dumped that one here would leave none, if the peer
 * had our OPEN there before. */
static void
test_loser_yields(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		int winner, loser, listener = raw_listen();
		struct peer b;

		peer_conf(&b, "b", 2, 1);
		peer_start(&b);
		winner = accept(listener, NULL, NULL);
		assert_true(winner >= 0);
		close(listener);
		loser = raw_connect("127.1.0.1", "127.1.0.2");
		raw_confirm(loser);
		wait_spread(20000);
		assert_int_equal(counter64_get(&bgp_pair_chan_of(&b)->ups), 0);
		if (way == 0) {
			raw_confirm(winner);
			assert_int_equal(
			    raw_notify(loser), BGP_E_CEASE * 256 + BGP_EC_COLLISION);
		} else if (way == 1) {
			close(winner);
			winner = -1;
		}
		/* The third way: nothing comes there, and after a second the other one is
		 * taken. */
		wait_info(&b, "Established");
		wait_count(&bgp_pair_chan_of(&b)->ups, 1); /* a moment after it shows */
		if (way == 2)
			assert_int_equal(
			    raw_notify(winner), BGP_E_CEASE * 256 + BGP_EC_COLLISION);
		assert_int_equal(counter64_get(&bgp_pair_chan_of(&b)->downs), 0);
		bgp_pair_end(&b, NULL);
		close(winner);
		close(loser);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_up_and_down),
		cmocka_unit_test(test_collision),
		cmocka_unit_test(test_wrong_as),
		cmocka_unit_test(test_restart_time),
		cmocka_unit_test(test_after_cease),
		cmocka_unit_test(test_password),
		cmocka_unit_test(test_flow),
		cmocka_unit_test(test_retimed_while_blocked),
		cmocka_unit_test(test_own_message_makes_room),
		cmocka_unit_test(test_odd_peers),
		cmocka_unit_test(test_loser_yields),
	};
	const char *bad;
	int rc;

	rcu_join();
	log_start();
	assert_int_equal(log_configure(NULL, 0, &time_iso_long, &bad), 0); /* silent */
	port = pair_port();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_sleep();
	loop_pool_fini();
	log_stop();
	return rc;
}
