/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of questions to a daemon: shares of clients, turns, and the bound of
 * waiting questions. The test plays the feed. */
#include "client/http/job/share.c"
#include "test/lib/unit.h"

#include <string.h>

static struct share share;
static struct share_item item[SHARE_QUEUE + 8];
static unsigned item_cnt;

static void
http_share_reset(void)
{
	share_init(&share);
	item_cnt = 0;
}

/* http_share_item - a question of the client 10.0.0.@who; 0: of ternhttp itself. */
static struct share_item *
http_share_item(unsigned who, bool longer)
{
	struct share_item *i = &item[item_cnt++];

	list_init(&i->node);
	i->client = who ? share_client(ip4(0x0a000000 + who)) : IP_NONE;
	i->longer = longer;
	return i;
}

static struct share_item *
http_share_wait(unsigned who, bool longer)
{
	struct share_item *i = http_share_item(who, longer);

	assert_null(share_wait(&share, i));
	return i;
}

/* http_share_try - may a question begin? If so, begin. */
static bool
http_share_try(unsigned who, bool longer)
{
	struct share_item *i = http_share_item(who, longer);

	if (!share_permits(&share, i))
		return false;
	share_begin(&share, i);
	return true;
}

static void
http_share_one(void **state)
{
	(void)state;
	http_share_reset();
	for (unsigned i = 0; i < SHARE_ONE_LONG; i++)
		assert_true(http_share_try(1, true));
	assert_false(http_share_try(1, true));
	for (unsigned i = SHARE_ONE_LONG; i < SHARE_ONE; i++)
		assert_true(http_share_try(1, false));
	assert_false(http_share_try(1, false));
	/* another client has a connection for a long reply, and one for a short reply */
	assert_true(http_share_try(2, true));
	assert_false(http_share_try(2, true));
	assert_true(http_share_try(2, false));
	/* all connections of clients are in use */
	assert_false(http_share_try(3, false));
	assert_true(http_share_try(0, true));
	assert_true(http_share_try(0, true));
}

static void
http_share_turns(void **state)
{
	struct share_item *a[3], *b[2], *brief;

	(void)state;
	http_share_reset();
	for (unsigned i = 0; i < 3; i++)
		a[i] = http_share_wait(1, true);
	for (unsigned i = 0; i < 2; i++)
		b[i] = http_share_wait(2, true);
	/* the client of @a has the first turn, then the client of @b */
	assert_ptr_equal(share_next(&share), a[0]);
	share_begin(&share, a[0]);
	assert_ptr_equal(share_next(&share), b[0]);
	share_begin(&share, b[0]);
	assert_ptr_equal(share_next(&share), a[1]);
	share_begin(&share, a[1]);
	assert_null(share_next(&share));
	brief = http_share_wait(0, false);
	assert_ptr_equal(share_next(&share), brief);
	share_end(brief);
	/* a connection is free again: the client of @b, since @a holds its share */
	share_end(b[0]);
	assert_ptr_equal(share_next(&share), b[1]);
	share_begin(&share, b[1]);
	assert_null(share_next(&share));
	/* a short question passes long questions */
	brief = http_share_wait(1, false);
	assert_ptr_equal(share_next(&share), brief);
}

static void
http_share_surplus(void **state)
{
	struct share_item *last = NULL, *other = NULL, *a;

	(void)state;
	http_share_reset();
	for (unsigned i = 0; i < SHARE_QUEUE / 2; i++) {
		last = http_share_wait(1, true);
		other = http_share_wait(2, true);
	}
	/* a further question of the client with the most questions has no place */
	a = http_share_item(2, true);
	assert_ptr_equal(share_wait(&share, a), a);
	/* a third client displaces the youngest question of the first client */
	a = http_share_item(3, true);
	assert_ptr_equal(share_wait(&share, a), last);
	a = http_share_item(3, true);
	assert_ptr_equal(share_wait(&share, a), other);
	/* ternhttp itself has a place */
	http_share_wait(0, true);
}

static void
http_share_clients(void **state)
{
	struct ip_addr a, b;

	(void)state;
	assert_int_equal(ip_parse(&a, "2001:db8::1"), 0);
	assert_int_equal(ip_parse(&b, "2001:db8::ffff:0:0:2"), 0);
	assert_true(ip_equal(share_client(a), share_client(b)));
	assert_int_equal(ip_parse(&b, "2001:db8:0:1::1"), 0);
	assert_false(ip_equal(share_client(a), share_client(b)));
	assert_false(ip_equal(share_client(ip4(1)), share_client(ip4(2))));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(http_share_one),
		cmocka_unit_test(http_share_turns), cmocka_unit_test(http_share_surplus),
		cmocka_unit_test(http_share_clients) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
