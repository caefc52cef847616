/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The listener: an address that can't be had, strangers, and a password that the kernel
 * doesn't take. What is logged is looked at. */
#include "proto/bgp/listen/bgp_listen.c"
#include "proto/bgp/listen/bgp_listen_unwanted.c"
#include "test/lib/bgp_pair.h"
#include "test/lib/wait.h"
#include "test/lib/veiled.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_mutex_t logged_lock = PTHREAD_MUTEX_INITIALIZER;
static char logged[65536];

/* In the place of sysdep/log/log.c. */
void
log_msg(enum log_class c, const char *fmt, ...)
{
	size_t len;
	va_list ap;

	(void)c;
	pthread_mutex_lock(&logged_lock);
	len = strlen(logged);
	va_start(ap, fmt);
	vsnprintf(logged + len, sizeof(logged) - len, fmt, ap);
	va_end(ap);
	len = strlen(logged);
	snprintf(logged + len, sizeof(logged) - len, "\n");
	pthread_mutex_unlock(&logged_lock);
}

static unsigned
logged_cnt(const char *what)
{
	unsigned cnt = 0;

	pthread_mutex_lock(&logged_lock);
	for (const char *p = logged; (p = strstr(p, what)); p++)
		cnt++;
	pthread_mutex_unlock(&logged_lock);
	return cnt;
}

static void
logged_wait(const char *what, unsigned cnt)
{
	struct wait w = { 0 };

	while (logged_cnt(what) < cnt) {
		lib_wait_turn(&w, what);
		rcu_quiesce();
	}
	assert_int_equal(logged_cnt(what), cnt);
}

static void
logged_clear(void)
{
	pthread_mutex_lock(&logged_lock);
	logged[0] = 0;
	pthread_mutex_unlock(&logged_lock);
}

/* Something done in the listener's worker. */
struct poke {
	struct msg msg;
	void (*fn)(struct bgp_listener *l);
	struct counter32 left; /* 1 until it is done */
};

static void
handle_poke(struct worker *w, struct msg *m)
{
	struct poke *p = container_of(m, struct poke, msg);

	p->fn(listener_of(w));
	counter32_sub_acq_rel(&p->left, 1);
}

static void
in_listener(void (*fn)(struct bgp_listener *l))
{
	struct bgp_listener *l = load_acquire_ptr(&tern.listener); /* pairs: BLISTEN */
	struct poke p = { .msg.handle = handle_poke, .fn = fn };

	struct wait w = { 0 };

	counter32_add(&p.left, 1);
	worker_post(&l->worker, &p.msg);
	while (counter32_sub_acq_rel(&p.left, 0)) {
		lib_wait_turn(&w, "the listener");
		rcu_quiesce();
	}
}

static void
try_again(struct bgp_listener *l)
{
	bgp_listen_retry_fires(&l->retry);
}

/* The loop's time has passed the interval after which a failure is told once more. */
static void
long_after(struct bgp_listener *l)
{
	struct list *n;

	list_for_each (n, &l->places.list)
		container_of(n, struct bgp_place, link)->said_ns -= PLACE_SAY_NS;
	bgp_listen_retry_fires(&l->retry);
}

static unsigned allowed;

/* Many strangers in one round, in which the loop's time stands still; then a second has
 * passed. */
static void
test_bgp_listen_flood(struct bgp_listener *l)
{
	l->second_ns = loop_now_ns(&l->worker);
	l->second_cnt = 0;
	for (int i = 0; i < 200; i++)
		allowed += bgp_listen_may_log(l);
	l->second_ns -= NS_PER_S;
}

static struct sockaddr_in
test_bgp_listen_address(const char *ip, unsigned p)
{
	struct sockaddr_in sa = { .sin_family = AF_INET, .sin_port = htons((uint16_t)p) };

	inet_pton(AF_INET, ip, &sa.sin_addr);
	return sa;
}

/* connect_from - @from: our address. Returns: the socket, or -1. */
static int
connect_from(const char *from, const char *to)
{
	struct sockaddr_in a = test_bgp_listen_address(from, 0),
			   b = test_bgp_listen_address(to, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	if (!connect(fd, (struct sockaddr *)&b, sizeof(b)))
		return fd;
	close(fd);
	return -1;
}

/* A failure is logged when it begins, not with each attempt, and so is its end. */
static void
test_busy_address(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in sa = test_bgp_listen_address("127.1.0.2", port);
	struct peer a, b;
	char want[64];

	(void)state;
	logged_clear();
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	assert_int_equal(listen(fd, 1), 0);
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	peer_start(&b);
	logged_wait("Can't listen at", 1);
	snprintf(want, sizeof(want), "127.1.0.2 port %u: Address already in use", port);
	assert_int_equal(logged_cnt(want), 1);
	for (int i = 0; i < 3; i++)
		in_listener(try_again);
	assert_int_equal(logged_cnt("Can't listen at"), 1);
	in_listener(long_after);
	assert_int_equal(logged_cnt("Can't listen at"), 2);
	assert_int_equal(logged_cnt("Listening at"), 0);
	close(fd);
	in_listener(try_again);
	snprintf(want, sizeof(want), "Listening at 127.1.0.2 port %u", port);
	assert_int_equal(logged_cnt(want), 1);
	peer_start(&a);
	wait_info(&b, "Established");
	bgp_pair_end(&a, &b);
}

static unsigned open_cnt, users_cnt; /* of places */

static void
count_places(struct bgp_listener *l)
{
	struct list *n;

	open_cnt = users_cnt = 0;
	list_for_each (n, &l->places.list) {
		const struct bgp_place *p = container_of(n, struct bgp_place, link);

		open_cnt += p->sock.open;
		users_cnt += p->users;
	}
}

static void
wait_places(unsigned open, unsigned users)
{
	uint64_t until = clock_now_ns() + 20 * NS_PER_S;

	do
		in_listener(count_places);
	while (users_cnt != users && clock_now_ns() < until);
	assert_int_equal(users_cnt, users);
	assert_int_equal(open_cnt, open);
}

/* One session goes from any address to one of ours before the other one has left: the new
 * listener opens when the old one closes, and nobody hears of it. */
static void
test_moves(void **state)
{
	struct peer a, b;
	int fd;

	(void)state;
	logged_clear();
	bgp_pair_conf(&a, &b);
	a.bgp.tcp.passive = b.bgp.tcp.passive = true;
	a.bgp.tcp.strict_bind = false;
	peer_start(&a);
	wait_info(&a, "Passive");
	wait_places(1, 1);
	peer_start(&b);
	wait_info(&b, "Passive");
	wait_places(1, 2);
	bgp_pair_post_cmd(&a, PROTO_DELETE, PR_CMD_SHUTDOWN, NULL);
	wait_places(1, 1);
	fd = connect_from("127.1.0.1", "127.1.0.2");
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(logged_cnt("Can't listen"), 0);
	bgp_pair_end(&b, NULL);
}

/* A place that can't be had, then is in our own way, then can be had. */
static void
three_ways(struct bgp_listener *l)
{
	struct sock_end end = { .addr = ip4(0xc0000201), .port = (uint16_t)port };
	struct bgp_place *p = bgp_place_get(&l->places, &end, NULL, NULL, false);

	bgp_place_open(p, false);
	p->end.addr = ip4(0x7f010002);
	bgp_place_open(p, true);
	p->end.port = 0;
	bgp_place_open(p, true);
	sock_listen_close(&p->sock);
}

/* start_passive - @b waits for @a, which isn't started. */
static void
start_passive(struct peer *a, struct peer *b)
{
	bgp_pair_conf(a, b);
	b->bgp.tcp.passive = true;
	peer_start(b);
	wait_info(b, "Passive");
}

/* The log has the end of what it has the beginning of, whatever came between. */
static void
test_end_is_logged(void **state)
{
	struct peer a, b;

	(void)state;
	logged_clear();
	start_passive(&a, &b);
	wait_places(1, 1);
	in_listener(three_ways);
	assert_int_equal(logged_cnt("Can't listen at"), 1);
	assert_int_equal(logged_cnt("Listening at"), 1);
	bgp_pair_end(&b, NULL);
}

/* Who connects again and again can't fill the log. */
static void
test_strangers(void **state)
{
	struct peer a, b;

	(void)state;
	logged_clear();
	start_passive(&a, &b);
	for (unsigned i = 1; i <= 5; i++) {
		struct wait w = { 0 };
		int fd;
		char c[64];

		while ((fd = connect_from("127.1.0.77", "127.1.0.2")) < 0)
			lib_wait_turn(&w, "a connection");
		assert_true(recv(fd, c, sizeof(c), 0) == 21); /* Cease */
		close(fd);
		logged_wait("Unexpected connect from unknown address 127.1.0.77", i);
	}
	in_listener(test_bgp_listen_flood);
	assert_int_equal(allowed, STRANGERS_S);
	assert_int_equal(logged_cnt("more unexpected connects"), 0);
	close(connect_from("127.1.0.77", "127.1.0.2"));
	logged_wait("190 more unexpected connects", 1);
	bgp_pair_end(&b, NULL);
}

/* Without its password a connection isn't taken: it would not be protected. */
static void
test_bad_password(void **state)
{
	char key[VEIL_TEXT(0)];
	struct peer a, b;
	char c[64];
	int fd = -1;

	(void)state;
	logged_clear();
	bgp_pair_conf(&a, &b);
	b.bgp.tcp.passive = true;
	b.bgp.auth.password = veiled(key, ""); /* the kernel has no key to remove */
	b.bgp.auth.method = BGP_AUTH_MD5;
	peer_start(&b);
	logged_wait("Can't set the password for 127.1.0.1: No such file or directory", 1);
	fd = connect_from("127.1.0.1", "127.1.0.2");
	assert_true(fd >= 0);
	assert_int_equal(recv(fd, c, sizeof(c), 0), 21);
	assert_int_equal(c[18], 3);
	assert_int_equal(c[19], BGP_E_CEASE);
	assert_int_equal(c[20], BGP_EC_REJECTED);
	close(fd);
	logged_wait("would lack the password", 1);
	wait_info(&b, "Passive");
	bgp_pair_end(&b, NULL);
}

/* A worker that is kept from its inbox. */
struct hold {
	struct msg msg;
	struct counter32 left; /* 2; 1: it is held; 0: no more */
	struct counter32 free;
};

static void
test_bgp_listen_handle_hold(struct worker *w, struct msg *m)
{
	struct hold *h = container_of(m, struct hold, msg);

	struct wait turn = { 0 };

	(void)w;
	counter32_sub_acq_rel(&h->left, 1);
	while (!counter32_get(&h->free))
		lib_wait_turn(&turn, "the end of a hold");
	counter32_sub_acq_rel(&h->left, 1);
}

static void
wait_left(struct hold *h, uint32_t cnt)
{
	struct wait w = { 0 };

	while (counter32_sub_acq_rel(&h->left, 0) != cnt) {
		lib_wait_turn(&w, "workers to be held, or free");
		rcu_quiesce();
	}
}

/* One connection waits for an instance that is busy; what its peer opens besides is
 * refused by the listener. */
static void
test_one_offer(void **state)
{
	struct hold h = { .msg.handle = test_bgp_listen_handle_hold };
	struct timeval limit = { .tv_sec = 10 };
	struct peer a, b;
	char c[64];
	int fd[20];

	(void)state;
	start_passive(&a, &b);
	counter32_add(&h.left, 2);
	worker_post(&b.p->worker, &h.msg);
	wait_left(&h, 1);
	for (unsigned i = 0; i < ARRAY_LEN(fd); i++) {
		do
			fd[i] = connect_from("127.1.0.1", "127.1.0.2");
		while (fd[i] < 0);
		setsockopt(fd[i], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	}
	for (unsigned i = 1; i < ARRAY_LEN(fd); i++) {
		assert_int_equal(recv(fd[i], c, sizeof(c), 0), 21);
		assert_int_equal(c[18], 3);
		assert_int_equal(c[20], BGP_EC_REJECTED);
		close(fd[i]);
	}
	assert_int_equal(recv(fd[0], c, sizeof(c), MSG_DONTWAIT), -1);
	counter32_add(&h.free, 1);
	wait_left(&h, 0);
	assert_true(recv(fd[0], c, sizeof(c), 0) > 29); /* the first one gets its OPEN */
	assert_int_equal(c[18], 1);
	close(fd[0]);
	bgp_pair_end(&b, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_address),
		cmocka_unit_test(test_moves),
		cmocka_unit_test(test_end_is_logged),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_bad_password),
		cmocka_unit_test(test_one_offer),
	};
	int rc;

	rcu_join();
	port = pair_port();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	rcu_sleep();
	loop_pool_fini();
	return rc;
}
