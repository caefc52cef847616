/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of machines, as far as no server is asked; and sockets of rtnetlink, as far as
 * each user may have one. test/net/test_kernel.py reads and writes routes. */
#include "sysdep/sock/names.h"
#include "lib/wire/rbuf.h"
#include "lib/wire/rtnl.h"
#include "lib/wire/wbuf.h"
#include "sysdep/os/fd.h"
#include "sysdep/sock/netlink.h"
#include "test/lib/addr.h"

#include <errno.h>
#include <unistd.h>

static void
test_host(void **state)
{
	char want[NAMES_HOST_ROOM] = "", got[NAMES_HOST_ROOM], cut[2] = "zz";

	(void)state;
	assert_int_equal(gethostname(want, sizeof(want) - 1), 0);
	names_host(got, sizeof(got));
	assert_string_equal(got, want);
	names_host(cut, sizeof(cut));
	assert_int_equal(cut[0], want[0]);
	assert_int_equal(cut[1], 0);
}

static void
test_find(void **state)
{
	struct sock_end e[2];
	const char *why = NULL;

	(void)state;
	assert_int_equal(names_find("192.0.2.1", true, e, 2, &why), 1);
	assert_true(ip_equal(e[0].addr, addr_of("192.0.2.1")));
	assert_int_equal(e[0].port, 0);
	assert_int_equal(names_find("2001:db8::7", false, e, 2, &why), 1);
	assert_true(ip_equal(e[0].addr, addr_of("2001:db8::7")));
	assert_int_equal(names_find("192.0.2.1", true, e, 0, &why), 0);
	why = NULL;
	assert_int_equal(names_find("no.address", true, e, 2, &why), 0);
	assert_non_null(why);
}

/* links - how many links the kernel tells of, when it was asked for all. */
static unsigned
test_names_links(int fd, uint8_t *buf, size_t room)
{
	unsigned cnt = 0;

	for (;;) {
		ssize_t n = netlink_recv(os_fd_of(fd), buf, room);
		struct rbuf r = rbuf_of(buf, n > 0 ? (size_t)n : 0);
		struct rtnl_msg m;

		assert_true(n > 0);
		while (rtnl_next(&r, &m) != RTNL_END) {
			if (m.kind == RTNL_DONE)
				return cnt;
			cnt += m.kind == RTNL_LINK;
		}
	}
}

static void
test_netlink(void **state)
{
	struct netlink_conf c = { .wait_s = 5, .short_errors = true, .strict = true };
	uint8_t octets[RTNL_ASK_MAX], buf[32768];
	struct wbuf w = wbuf_of(octets, sizeof(octets));
	int fd = netlink_new(&c).os_nr;

	(void)state;
	assert_true(fd >= 0);
	rtnl_ask_links(&w, 1);
	assert_int_equal(netlink_send(os_fd_of(fd), octets, wbuf_len(&w)), 0);
	assert_true(test_names_links(fd, buf, sizeof(buf)) >= 1);
	/* a message that is longer than the room is lost, and told */
	assert_int_equal(netlink_send(os_fd_of(fd), octets, wbuf_len(&w)), 0);
	assert_int_equal(netlink_recv(os_fd_of(fd), buf, 20), -ENOBUFS);
	fd_close(os_fd_of(fd));
	assert_int_equal(netlink_send(os_fd_of(fd), octets, wbuf_len(&w)), -EBADF);
	c = (struct netlink_conf){ .rx_buffer = 1 << 16 };
	fd = netlink_new(&c).os_nr;
	assert_true(fd >= 0);
	assert_int_equal(netlink_recv(os_fd_of(fd), buf, sizeof(buf)), 0); /* none now */
	fd_close(os_fd_of(fd));
	assert_int_equal(netlink_recv(os_fd_of(fd), buf, sizeof(buf)), -EBADF);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_netlink),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
