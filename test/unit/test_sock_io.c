/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Octets of stream sockets, and what the kernel tells of them. */
#include "sysdep/sock/sock_io.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/sock_info.h"
#include "sysdep/sock/sock_opt.h"
#include "test/lib/fd_pair.h"
#include "test/lib/addr.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void
test_send(void **state)
{
	static uint8_t octets[1 << 20];
	size_t sent = 0, got = 0;
	ssize_t n;
	int fd[2];

	(void)state;
	for (size_t i = 0; i < sizeof(octets); i++)
		octets[i] = (uint8_t)(i * 7 >> 3);
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(sock_recv(os_fd_of(fd[1]), octets, 1), 0); /* none now */
	while ((n = sock_send(os_fd_of(fd[0]), octets + sent, sizeof(octets) - sent)) > 0)
		sent += (size_t)n;
	assert_int_equal(n, 0); /* full */
	assert_true(sent > 0 && sent < sizeof(octets));
	while (got < sent) {
		uint8_t buf[5000];

		n = sock_recv(os_fd_of(fd[1]), buf, sizeof(buf));
		assert_true(n > 0);
		assert_memory_equal(buf, octets + got, (size_t)n);
		got += (size_t)n;
	}
	sock_shut_write(os_fd_of(fd[0]));
	assert_int_equal(sock_recv(os_fd_of(fd[1]), octets, 1), -EPIPE); /* the end */
	assert_int_equal(
	    sock_send(os_fd_of(fd[0]), octets, 1), -EPIPE); /* and no signal */
	assert_int_equal(sock_send(os_fd_of(fd[1]), octets, 1), 1);
	fd_close(os_fd_of(fd[0]));
	assert_int_equal(sock_send(os_fd_of(fd[1]), octets, 1), -EPIPE);
	assert_int_equal(sock_send_all(os_fd_of(fd[1]), octets, 1), -EPIPE);
	fd_close(os_fd_of(fd[1]));
	assert_int_equal(sock_send(os_fd_of(fd[1]), octets, 1), -EBADF);
	assert_int_equal(sock_recv(os_fd_of(fd[1]), octets, 1), -EBADF);
}

static void
test_sendv(void **state)
{
	struct iovec part[3] = { { "ab", 2 }, { "", 0 }, { "cde", 3 } };
	char buf[8] = "";
	int fd[2];

	(void)state;
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(sock_sendv(os_fd_of(fd[0]), part, 3, true), 5);
	assert_int_equal(sock_send_all(os_fd_of(fd[0]), "f", 1), 0);
	assert_int_equal(sock_recv(os_fd_of(fd[1]), buf, sizeof(buf)), 6);
	assert_string_equal(buf, "abcdef");
	fd_close(os_fd_of(fd[1]));
	assert_int_equal(sock_sendv(os_fd_of(fd[0]), part, 3, false), -EPIPE);
	fd_close(os_fd_of(fd[0]));
}

static void
test_info(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	char dir[] = "/tmp/tern-unit.XXXXXX";
	struct sock_info i;
	int fd[2], listening;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(un.sun_path, sizeof(un.sun_path), "%s/s", dir);
	assert_int_equal(fd_pair(fd), 0);
	assert_int_equal(sock_send(os_fd_of(fd[0]), "abc", 3), 3);
	assert_true(sock_info_get(fd[1], &i));
	assert_string_equal(i.type, "stream");
	assert_true(i.stream && !i.listens);
	assert_int_equal(i.local.kind, SOCK_NAME_NONE);
	assert_int_equal(i.remote.kind, SOCK_NAME_NONE);
	assert_int_equal(i.in, 3);
	assert_int_equal(i.out, 0);
	fd_close(os_fd_of(fd[0]));
	fd_close(os_fd_of(fd[1]));
	assert_false(sock_info_get(fd[1], &i));

	listening = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(listening, (struct sockaddr *)&un, sizeof(un)), 0);
	assert_int_equal(listen(listening, 1), 0);
	assert_true(sock_info_get(listening, &i));
	assert_string_equal(i.type, "packets");
	assert_true(!i.stream && i.listens);
	assert_int_equal(i.local.kind, SOCK_NAME_PATH);
	assert_string_equal(i.local.path, un.sun_path);
	assert_int_equal(i.in, -1);
	fd_close(os_fd_of(listening));
	unlink(un.sun_path);
	rmdir(dir);
}

/* tcp_pair - two ends of a connection over loopback. Returns: the port of fd[1]. */
static uint16_t
tcp_pair(int fd[2])
{
	struct sock_end any = { .addr = addr_of("127.0.0.1") };
	struct sockaddr_storage sa;
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sock_from_end(&sa, &any);
	uint16_t port;

	assert_int_equal(bind(l, (struct sockaddr *)&sa, len), 0);
	assert_int_equal(listen(l, 1), 0);
	any = sock_local_end(os_fd_of(l));
	port = any.port;
	len = sock_from_end(&sa, &any);
	fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(connect(fd[0], (struct sockaddr *)&sa, len), 0);
	fd[1] = accept(l, NULL, NULL);
	assert_true(fd[1] >= 0);
	fd_close(os_fd_of(l));
	return port;
}

static int
tcp_option(int fd, int level, int option)
{
	int v = -1;
	socklen_t len = sizeof(v);

	assert_int_equal(getsockopt(fd, level, option, &v, &len), 0);
	return v;
}

static void
test_tcp(void **state)
{
	struct sock_info i;
	int fd[2];
	uint16_t port = tcp_pair(fd);

	(void)state;
	assert_int_equal(sock_remote_end(os_fd_of(fd[0])).port, port);
	assert_true(
	    ip_equal(sock_remote_end(os_fd_of(fd[0])).addr, addr_of("127.0.0.1")));
	assert_true(sock_info_get(fd[0], &i));
	assert_int_equal(i.remote.kind, SOCK_NAME_IP);
	assert_int_equal(i.remote.end.port, port);
	sock_keep_alive(os_fd_of(fd[0]), 11, 0, 0);
	assert_int_equal(tcp_option(fd[0], SOL_SOCKET, SO_KEEPALIVE), 1);
	assert_int_equal(tcp_option(fd[0], IPPROTO_TCP, 4), 11); /* TCP_KEEPIDLE */
	sock_keep_alive(os_fd_of(fd[0]), 12, 3, 5);
	assert_int_equal(tcp_option(fd[0], IPPROTO_TCP, 4), 12);
	assert_int_equal(tcp_option(fd[0], IPPROTO_TCP, 5), 3); /* TCP_KEEPINTVL */
	assert_int_equal(tcp_option(fd[0], IPPROTO_TCP, 6), 5); /* TCP_KEEPCNT */
	assert_false(sock_has_ended(os_fd_of(fd[0]), 0));
	fd_close(os_fd_of(fd[1]));
	assert_true(sock_has_ended(os_fd_of(fd[0]), 10000));
	fd_close(os_fd_of(fd[0]));
	assert_int_equal(sock_remote_end(os_fd_of(fd[0])).port, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send),
		cmocka_unit_test(test_sendv),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_tcp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
