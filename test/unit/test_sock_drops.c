/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of signatures, from texts as the kernel writes them. */
#include "sysdep/sock/sock_drops.c"
#include "test/lib/unit.h"

static struct sock_drops
test_sock_drops_from(const char *text, bool want)
{
	struct sock_drops d = { 0 };

	assert_int_equal(drops_find(&d, text), want);
	return d;
}

static void
test_known(void **state)
{
	struct sock_drops d = test_sock_drops_from(
	    "TcpExt: SyncookiesSent TCPMD5NotFound "
	    "TCPMD5Unexpected TCPMD5Failure TCPAORequired "
	    "TCPAOBad TCPAOKeyNotFound TCPAOGood\n"
	    "TcpExt: 9 1 100 20 2 300 4000 7\n"
	    "IpExt: InNoRoutes\nIpExt: 5\n",
	    true);

	(void)state;
	assert_int_equal(d.none, 3);
	assert_int_equal(d.wrong, 4320);
}

static void
test_odd(void **state)
{
	struct sock_drops d;

	(void)state;
	test_sock_drops_from("", false);
	test_sock_drops_from("TcpExt: A\n", false);
	test_sock_drops_from("TcpExt: A B\nTcpExt: 1 2\n", false);
	test_sock_drops_from("IpExt: TCPMD5Failure\nIpExt: 5\n", false);
	d = test_sock_drops_from(
	    "TcpExt: A TCPMD5Failure TCPMD5NotFound\nTcpExt: 1 2\n", true);
	assert_int_equal(d.wrong, 2); /* a number is missing */
	assert_int_equal(d.none, 0);
}

static void
test_real(void **state)
{
	struct sock_drops d;

	(void)state;
	if (!sock_drops_get(&d))
		unit_cannot_here("counters of signatures");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_known),
	cmocka_unit_test(test_odd),
	cmocka_unit_test(test_real),
};

UNIT_MAIN(tests)
