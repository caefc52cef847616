/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches: what it says, how far it is behind, how soon it isn't any
 * more, that ids wait for it, and that a table is as before when it goes or is full. */
#include "nest/rib/index/match_index.c"

#define RIG_PEERS 2
#include "test/lib/match_find.h"
#include "test/lib/match_rig.h"

static struct prefix
test_match_index_pfx(const char *s)
{
	struct prefix p;

	assert_int_equal(prefix_parse(&p, s), 0);
	return p;
}

static void
test_match_index_feed(unsigned peer, const char *s, bool withdraws)
{
	struct match_feed f = { .peer = peer,
		.withdraws = withdraws,
		.cnt = 1,
		.p = { test_match_index_pfx(s) } };

	match_rig_feed(&f);
	rig_settle();
}

static void
assert_match(const struct net *n, const char *want)
{
	char text[PREFIX_STR_MAX];
	struct prefix p;

	if (!want) {
		assert_null(n);
		return;
	}
	assert_non_null(n);
	p = net_prefix(rig_table(), n);
	assert_string_equal(prefix_str(text, &p), want);
}

static void
test_match_index_ask(const char *s, const char *want)
{
	struct ip_addr a;

	assert_int_equal(ip_parse(&a, s), 0);
	assert_match(table_match(rig_table(), a), want);
	assert_match(match_find(rig_table(), a), want);
}

static struct match_stats
test_match_index_stats(void)
{
	struct match_stats st;

	assert_true(match_index_stats(rig_table(), &st));
	return st;
}

static void
test_asked(void **state)
{
	struct prefix p16 = test_match_index_pfx("10.1.0.0/16"),
		      p8 = test_match_index_pfx("10.0.0.0/8");
	const struct net *n;

	(void)state;
	match_rig_start();
	test_match_index_feed(0, "10.0.0.0/8", false);
	test_match_index_feed(0, "10.1.2.0/24", false);
	test_match_index_feed(1, "10.1.2.0/24", false);
	match_rig_level();
	test_match_index_ask("10.1.2.3", "10.1.2.0/24");
	test_match_index_ask("10.1.3.3", "10.0.0.0/8");
	test_match_index_ask("11.0.0.0", NULL);
	assert_null(table_match(rig_table(), (struct ip_addr){ 1ull << 61, 0 }));
	assert_int_equal(test_match_index_stats().nets, 2);
	/* 10.1.0.0 itself lies in nothing longer; of 10.1.2.0 only the table knows */
	assert_true(match_index_answers(rig_table(), &n, &p16));
	assert_match(n, "10.0.0.0/8");
	p16 = test_match_index_pfx("10.1.2.0/23");
	assert_false(match_index_answers(rig_table(), &n, &p16));
	assert_match(table_match_prefix(rig_table(), &p16), "10.0.0.0/8");
	/* another route is left */
	test_match_index_feed(0, "10.1.2.0/24", true);
	match_rig_level();
	test_match_index_ask("10.1.2.3", "10.1.2.0/24");
	test_match_index_feed(1, "10.1.2.0/24", true);
	match_rig_level();
	test_match_index_ask("10.1.2.3", "10.0.0.0/8");
	spine_rig_down(0);
	while (test_match_index_stats().nets)
		match_rig_level();
	test_match_index_ask("10.1.2.3", NULL);
	assert_false(match_index_answers(rig_table(), &n, &p8) && n);
	match_rig_finish();
}

/* The index finds an announced net a moment later. The bound holds on a busy machine. */
static void
test_lag(void **state)
{
	struct match_block b;

	(void)state;
	match_rig_start();
	test_match_index_feed(0, "10.0.0.0/8", false);
	match_rig_level();
	match_rig_block(&b);
	test_match_index_feed(0, "10.1.0.0/16", false);
	assert_int_equal(test_match_index_stats().behind, 1);
	assert_match(table_match(rig_table(), ip4(0x0a010000)), "10.1.0.0/16");
	assert_match(match_find(rig_table(), ip4(0x0a010000)), "10.0.0.0/8");
	/* the index has the withdrawn net, which has no route */
	test_match_index_feed(0, "10.0.0.0/8", true);
	assert_int_equal(test_match_index_stats().behind, 2);
	assert_null(match_find(rig_table(), ip4(0x0a010000)));
	assert_match(table_match(rig_table(), ip4(0x0a010000)), "10.1.0.0/16");
	assert_null(table_match(rig_table(), ip4(0x0a020000)));
	match_rig_go(&b);
	match_rig_level();
	test_match_index_ask("10.1.0.0", "10.1.0.0/16");
	for (unsigned i = 0; i < 50; i++) {
		test_match_index_feed(0, "10.1.2.0/24", i & 1);
		match_rig_level();
	}
	match_rig_finish();
}

/* The id of a net that went is given to no other while the index has it. */
static void
test_ids(void **state)
{
	struct match_block b;
	uint32_t id, other;
	struct prefix p = test_match_index_pfx("10.1.0.0/16"), q;
	struct nlri k = nlri_of_prefix(&p);

	(void)state;
	match_rig_start();
	test_match_index_feed(0, "10.1.0.0/16", false);
	match_rig_level();
	assert_non_null(table_net_find(rig_table(), &k, &id));
	match_rig_block(&b);
	test_match_index_feed(0, "10.1.0.0/16", true);
	for (unsigned i = 0; i < 20; i++) {
		rig_export(0);
		rig_export(1);
		rcu_sleep();
		rcu_drain();
		rcu_wake();
		rig_settle();
		q = rig_net(i);
		k = nlri_of_prefix(&q);
		match_rig_feed(&(struct match_feed){ .cnt = 1, .p = { q } });
		rig_settle();
		assert_non_null(table_net_find(rig_table(), &k, &other));
		assert_int_not_equal(id, other);
	}
	match_rig_go(&b);
	match_rig_level();
	match_rig_finish();
}

/* Without its index a table answers as before; a new one learns all that is there. */
static void
test_life(void **state)
{
	struct match_stats st;

	(void)state;
	match_rig_start();
	test_match_index_feed(0, "10.0.0.0/8", false);
	test_match_index_feed(0, "10.1.2.0/24", false);
	match_rig_delete();
	assert_false(match_index_stats(rig_table(), &st));
	test_match_index_ask("10.1.2.3", "10.1.2.0/24");
	match = match_index_new(&rig.tern, rig_table(), "match");
	match_index_delete(match); /* before it has begun */
	match = match_index_new(&rig.tern, rig_table(), "match");
	match_rig_level();
	assert_int_equal(test_match_index_stats().nets, 2);
	test_match_index_ask("10.1.2.3", "10.1.2.0/24");
	match_rig_finish();
}

static void
do_fill_up(void *arg)
{
	(void)arg;
	index_give_up(match);
}

static void
test_full(void **state)
{
	struct match_stats st;

	(void)state;
	match_rig_start();
	test_match_index_feed(0, "10.0.0.0/8", false);
	match_rig_level();
	rig_in(&match->f.worker, do_fill_up, NULL);
	assert_false(match_index_stats(rig_table(), &st));
	test_match_index_feed(0, "10.1.2.0/24", false);
	test_match_index_feed(0, "10.0.0.0/8", true);
	test_match_index_ask("10.1.2.3", "10.1.2.0/24");
	test_match_index_ask("10.1.3.3", NULL);
	match_rig_finish();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asked),
		cmocka_unit_test(test_lag),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_full),
	};
	int rc;

	rig_hush();
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	log_stop();
	return rc;
}
