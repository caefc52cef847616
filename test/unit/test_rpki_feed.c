/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_rpki_feed checks the amount of a cache's data that goes to the table in a turn. */
#include "nest/channel/channel.h"
#include "sysdep/loop/loop.h"
#include "test/lib/unit.h"

/* The channel and the loop, as far as the feed calls them: they count. */
static uint32_t told, calls, turns, room;

static bool
fake_ready(struct channel *ch)
{
	(void)ch;
	return calls < room;
}

static void
fake_attrs(struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t len)
{
	(void)ch, (void)pre, (void)nlri;
	told += len;
	calls++;
}

static void
fake_part(struct channel *ch)
{
	(void)ch;
}

static void
fake_withdraw(struct channel *ch, const uint8_t *nlri, uint32_t len)
{
	fake_attrs(ch, NULL, nlri, len);
}

static void
fake_timer(struct timer *t, uint64_t at_ns)
{
	(void)t, (void)at_ns;
	turns++;
}

static struct table *
fake_table(const struct channel *ch)
{
	(void)ch;
	return NULL;
}

static enum nlri_kind
fake_kind(const struct table *t)
{
	(void)t;
	return NLRI_ROA4;
}

#define channel_import_ready fake_ready
#define channel_import_attrs fake_attrs
#define channel_import_part  fake_part
#define channel_withdraw     fake_withdraw
#define channel_table        fake_table
#define table_kind           fake_kind
#define timer_set            fake_timer
#include "proto/rpki/rpki_feed.c"

static uint32_t one_len; /* octets of a VRP */

/* start - a cache that has said @cnt VRPs. */
static void
test_rpki_feed_start(struct rpki_proto *s, uint32_t cnt)
{
	struct rpki_chan *rc = &s->chan[0];

	memset(s, 0, sizeof(*s));
	s->p.life.state = LIFE_UP;
	rpki_data_init(&rc->data, NLRI_ROA4, RPKI_AS_SENT);
	rc->vrp_set = (struct attr_set *)(void *)s; /* nobody looks into it */
	rpki_data_begin(&rc->data, true);
	for (uint32_t i = 0; i < cnt; i++) {
		struct vrp v = { prefix_make(ip4(10u << 24 | i << 8), 24, FAM_IP4), 24,
			65000 };
		struct nlri n = nlri_of_vrp(NLRI_ROA4, &v);
		uint8_t buf[NLRI_MAX];

		assert_int_equal(rpki_data_add(&rc->data, &v, NULL, 0), 0);
		one_len = NLRI_BY_KIND(NLRI_ROA4, nlri_put, buf, n.word, n.head);
	}
	rpki_data_apply(&rc->data);
	told = calls = turns = 0;
	room = UINT32_MAX;
}

static bool
test_rpki_feed_turn(struct rpki_proto *s)
{
	uint32_t left = STEP_RECORDS;

	return feed_chan(s, &s->chan[0], &left);
}

/* A turn tells as many as it may, in several calls; the last one asks for no other. */
static void
test_whole_turns(void **state)
{
	static struct rpki_proto s;

	(void)state;
	test_rpki_feed_start(&s, 3 * STEP_RECORDS);
	assert_false(test_rpki_feed_turn(&s));
	assert_int_equal(told, STEP_RECORDS * one_len);
	assert_true(calls > 1);
	assert_int_equal(turns, 1);
	while (!test_rpki_feed_turn(&s))
		;
	assert_int_equal(told, 3 * STEP_RECORDS * one_len);
	assert_true(turns <= 6); /* additions, and a look at what is to go */
	rpki_data_fini(&s.chan[0].data);
}

/* Records about which there is nothing to say count, too. */
static void
test_looks(void **state)
{
	static struct rpki_proto s;

	(void)state;
	test_rpki_feed_start(&s, 3 * STEP_RECORDS);
	while (!test_rpki_feed_turn(&s))
		;
	told = turns = 0;
	rpki_data_begin(&s.chan[0].data, true);
	rpki_data_drop(&s.chan[0].data);
	while (!test_rpki_feed_turn(&s))
		;
	assert_int_equal(told, 0);
	assert_in_range(turns, 2, 3);
	rpki_data_fini(&s.chan[0].data);
}

/* Without room in the table no turn is asked for: it will tell. */
static void
test_no_room(void **state)
{
	static struct rpki_proto s;

	(void)state;
	test_rpki_feed_start(&s, 3 * STEP_RECORDS);
	room = 2;
	assert_false(test_rpki_feed_turn(&s));
	assert_int_equal(calls, 2);
	assert_int_equal(turns, 0);
	rpki_data_fini(&s.chan[0].data);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_turns),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
