/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket options as the kernel reports them, and addresses there and back. */
#include "sysdep/sock/sock_opt.c"
#include "test/lib/addr.h"
#include "test/lib/veiled.h"

#include <fcntl.h>
#include <poll.h>

static int
test_sock_opt_get_int(int fd, int level, int option)
{
	int v = -1;
	socklen_t len = sizeof(v);

	assert_int_equal(getsockopt(fd, level, option, &v, &len), 0);
	return v;
}

static void
test_ends(void **arg)
{
	static const char *const text[] = { "0.0.0.0", "192.0.2.1", "::", "2001:db8::1",
		"fe80::1" };

	(void)arg;
	for (unsigned i = 0; i < ARRAY_LEN(text); i++) {
		struct sock_end e = { addr_of(text[i]), 179, i == 4 ? 7 : 0 }, back;
		struct sockaddr_storage sa;
		socklen_t len = sock_from_end(&sa, &e);

		assert_int_equal(sa.ss_family, i < 2 ? AF_INET : AF_INET6);
		assert_int_equal(len,
		    i < 2 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
		assert_int_equal(sock_family(&e), sa.ss_family);
		back = sock_to_end(&sa);
		assert_true(ip_equal(back.addr, e.addr));
		assert_int_equal(back.port, 179);
		assert_int_equal(back.ifindex, e.ifindex);
	}
	assert_true(ip_is_none(sock_local_end(os_fd_of(-1)).addr));
}

static void
test_options4(void **arg)
{
	struct sock_conf c = { .ttl = 255,
		.min_ttl = 254,
		.dscp_ecn = 0xc0,
		.priority = 5,
		.free_bind = true,
		.no_buffer_bulk = true };
	struct sock_end e = { addr_of("198.51.100.77"), 0, 0 };
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, &e);
	int fd = sock_tcp_new(AF_INET, &c);

	(void)arg;
	assert_true(fd >= 0);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IP, IP_TTL), 255);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IP, IP_MINTTL), 254);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IP, IP_TOS), 0xc0);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IP, IP_FREEBIND), 1);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_TCP, TCP_NODELAY), 1);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT),
	    SOCK_NOTSENT_LOWAT);
	assert_int_equal(test_sock_opt_get_int(fd, SOL_SOCKET, SO_PRIORITY), 5);
	/* An address that isn't ours. */
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, len), 0);
	close(fd);
	c = (struct sock_conf){ .device = "no_such_if" };
	assert_true(sock_tcp_new(AF_INET, &c) < 0);
}

static void
test_options6(void **arg)
{
	struct sock_conf c = {
		.ttl = 64, .min_ttl = 1, .dscp_ecn = 0xc0, .free_bind = true
	};
	int fd = sock_tcp_new(AF_INET6, &c);

	(void)arg;
	if (fd == -EAFNOSUPPORT)
		unit_cannot_here("a kernel without IPv6");
	assert_true(fd >= 0);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IPV6, IPV6_V6ONLY), 1);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IPV6, IPV6_UNICAST_HOPS), 64);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IPV6, IPV6_MINHOPCOUNT), 1);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IPV6, IPV6_TCLASS), 0xc0);
	assert_int_equal(test_sock_opt_get_int(fd, IPPROTO_IPV6, IPV6_FREEBIND), 1);
	close(fd);
}

/* test_sock_opt_syn - of a SYN with the TTL 77 to @addr. */
static void
test_sock_opt_syn(const char *addr, int level, int option)
{
	struct sock_conf c = { .save_syn = true }, plain = { .ttl = 77 };
	struct sock_end e = { addr_of(addr), 0, 0 };
	struct sockaddr_storage sa;
	socklen_t len = sock_from_end(&sa, &e);
	int l = sock_tcp_new(sock_family(&e), &c), fd, in;

	assert_true(l >= 0);
	assert_int_equal(bind(l, (struct sockaddr *)&sa, len), 0);
	assert_int_equal(listen(l, 1), 0);
	assert_int_equal(getsockname(l, (struct sockaddr *)&sa, &len), 0);
	fd = sock_tcp_new(sock_family(&e), &plain);
	assert_int_equal(test_sock_opt_get_int(fd, level, option), 77);
	(void)!connect(fd, (struct sockaddr *)&sa, len);
	assert_true(poll(&(struct pollfd){ .fd = l, .events = POLLIN }, 1, 5000) > 0);
	in = accept(l, NULL, NULL);
	assert_true(in >= 0);
	assert_int_equal(sock_syn_ttl(os_fd_of(in)), 77);
	assert_int_equal(sock_syn_ttl(os_fd_of(in)), 0);
	assert_int_equal(sock_syn_ttl(os_fd_of(fd)), 0);
	close(in);
	close(fd);
	close(l);
}

static void
test_syn(void **arg)
{
	int v6 = socket(AF_INET6, SOCK_STREAM, 0);
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6,
		.sin6_addr = IN6ADDR_LOOPBACK_INIT };
	bool has_v6 = v6 >= 0 && !bind(v6, (struct sockaddr *)&sa, sizeof(sa));

	(void)arg;
	close(v6);
	test_sock_opt_syn("127.0.0.1", IPPROTO_IP, IP_TTL);
	if (has_v6)
		test_sock_opt_syn("::1", IPPROTO_IPV6, IPV6_UNICAST_HOPS);
}

static void
test_md5(void **arg)
{
	struct prefix host = prefix_make(addr_of("192.0.2.1"), 32, FAM_IP4);
	struct prefix range = prefix_make(addr_of("192.0.2.0"), 24, FAM_IP4);
	struct prefix any = prefix_make(addr_of("0.0.0.0"), 0, FAM_IP4);
	struct sock_conf c = { 0 };
	char key[VEIL_MAX + 1], x[VEIL_TEXT(VEIL_MAX)], y[VEIL_TEXT(1)];
	int fd = sock_tcp_new(AF_INET, &c), rc;

	(void)arg;
	assert_true(fd >= 0);
	memset(key, 'k', VEIL_MAX);
	key[VEIL_MAX] = 0;
	rc = sock_md5_set(fd, &host, 0, veiled(x, key));
	if (rc == -ENOPROTOOPT || rc == -EPERM) {
		close(fd);
		unit_cannot_here("a kernel without TCP MD5");
	}
	assert_int_equal(rc, 0);
	assert_int_equal(sock_md5_set(fd, &range, 0, veiled(x, "x")), 0);
	assert_int_equal(sock_md5_set(fd, &any, 0, veiled(y, "y")), 0);
	assert_int_equal(sock_md5_set(fd, &range, 0, NULL), 0);
	assert_int_equal(sock_md5_set(fd, &range, 0, NULL), -ENOENT);
	assert_int_equal(sock_md5_set(fd, &host, 0, NULL), 0);
	assert_int_equal(sock_md5_set(fd, &any, 0, NULL), 0);
	close(fd);
}

static void
test_mark(void **arg)
{
	struct sock_conf c = { 0 };
	int fd = sock_tcp_new(AF_INET, &c), other = sock_tcp_new(AF_INET, &c);
	uint64_t mark = sock_mark(os_fd_of(fd));

	(void)arg;
	assert_true(fd >= 0 && other >= 0 && mark);
	assert_int_not_equal(sock_mark(os_fd_of(other)), mark);
	assert_int_equal(dup2(other, fd), fd); /* another one's now */
	assert_int_equal(sock_mark(os_fd_of(fd)), sock_mark(os_fd_of(other)));
	close(other);
	close(fd);
	assert_int_equal(sock_mark(os_fd_of(fd)), 0);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(sock_mark(os_fd_of(fd)), 0);
	close(fd);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_options4),
		cmocka_unit_test(test_options6),
		cmocka_unit_test(test_syn),
		cmocka_unit_test(test_md5),
		cmocka_unit_test(test_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
