/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connections as options ask for them: from an address of its own, with a bounded buffer
 * or the system's. */
#include "test/load/load_sock.c"
#include "test/lib/unit.h"

/* What the system receives ahead on a connection to ourselves. */
static int
buffer_with(struct load_opt *o, uint32_t rcvbuf)
{
	struct ip_addr from = ip4(0x7f000105);
	struct sockaddr_storage ss;
	int got = 0, server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd;
	socklen_t len = sockaddr_of(&ss, o->server, 0);

	assert_int_equal(bind(server, (struct sockaddr *)&ss, len), 0);
	assert_int_equal(listen(server, 1), 0);
	assert_int_equal(getsockname(server, (struct sockaddr *)&ss, &len), 0);
	o->port = ntohs(((struct sockaddr_in *)&ss)->sin_port);
	o->rcvbuf = rcvbuf;
	fd = load_sock_connect(from, o);
	assert_true(fd >= 0);
	len = sizeof(got);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &got, &len), 0);
	len = sizeof(ss);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&ss, &len), 0);
	assert_int_equal(
	    ntohl(((struct sockaddr_in *)&ss)->sin_addr.s_addr), ip_to_v4(from));
	close(fd);
	close(server);
	return got;
}

static void
test_buffer(void **state)
{
	struct load_opt o = { .server = ip4(0x7f000001) };

	(void)state;
	assert_int_equal(buffer_with(&o, 32768), 65536); /* the system doubles it */
	assert_int_not_equal(buffer_with(&o, 0), 65536);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(test_buffer) };

UNIT_MAIN(tests)
