/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_roa_said checks the log lines about rounds. */
#define RIG_PEERS 8 /* two feed the table of ROAs, too */
#include "nest/rib/index/rpki_index_priv.h"
#include "test/lib/roa_rig.h"
#include "test/lib/wait.h"

static struct conf_table cf = { .ft = { .is_roa = true, .fam = FAM_IP4 },
	.name = "r4",
	.kind = TABLE_ROA4,
	.settle_min_ns = NS_PER_MS,
	.settle_max_ns = 10 * NS_PER_MS };

/* change - one VRP of source 0; it comes or goes. */
static void
test_roa_said_change(uint32_t net, bool there)
{
	struct attr_local l = { .preference = 200, .rts = RTS_STATIC };
	struct attr_store *st = rig.tern.store;

	roa_rig_change(0, (struct vrp){ rig_net(net), 24, 7 },
	    there ? attr_store_set(st, attr_store_empty(st)->wire, &l, NULL, 0) : NULL);
}

/* Several routes of one net that one source has brought: the net is told once. */
static void
test_routes_of_a_net(void **state)
{
	struct roa_found f = { 0 };
	const struct roa_affected *h;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		roa_found_route(&f, 5, 70);
	roa_found_alone(&f, 5);
	roa_found_route(&f, 5, 71);
	roa_found_alone(&f, 4);
	h = roa_found_of(&f, 5);
	assert_int_equal(h->cnt, 2);
	assert_int_equal(h->routes, 4);
	assert_int_equal(h->alone, 1);
	assert_null(roa_found_of(&f, 4));
	roa_found_clear(&f);
}

/* What the log has: @want and an end of line, at the end of the file. */
static void
test_roa_said_logged(const char *path, const char *want)
{
	uint64_t until = rig_until();
	char text[4096];

	for (;;) {
		FILE *f = fopen(path, "r");
		size_t len = fread(text, 1, sizeof(text) - 1, f);
		const char *last;

		fclose(f);
		text[len] = 0;
		last = strstr(text, "Table r4: ");
		for (const char *p = last; p; p = strstr(p + 1, "Table r4: "))
			last = p;
		if (last && !strncmp(last, want, strlen(want)) &&
		    last[strlen(want)] == '\n')
			return;
		if (clock_now_ns() > until)
			fail_msg("%s, not %s", text, want);
		rcu_quiesce();
		wait_pause(1000);
	}
}

/* say_both - once two rounds are over. */
static void
say_both(void *arg)
{
	assert_true(timer_active(&t->said.timer));
	*(bool *)arg = t->said.rounds == 2;
	if (t->said.rounds == 2)
		timer_set(&t->said.timer, 0);
}

/* A line for the first round; the next ones are added up for the next line. Each route is
 * counted that a filter is asked about, and each channel once. */
static void
test_said(void **state)
{
	char path[] = "/tmp/tern-said-XXXXXX";
	uint64_t until = rig_until();
	bool both = false;

	(void)state;
	close(mkstemp(path));
	log_stop();
	rig_log_to(path);
	roa_rig_start(&cf);
	for (unsigned k = 2; k < 5; k++) {
		spine_rig_up(k);
		rig_announce(k, 0, 5, 3, 1);
		roa_rig_watch(k, k < 4 ? WATCH_KEEPS : WATCH_BRINGS, k, false);
	}
	roa_rig_watch(5, WATCH_READS, 0, false);
	roa_rig_watch(6, WATCH_READS, 0, true);
	test_roa_said_change(4, true);
	test_roa_said_logged(path,
	    "Table r4: 1 added, 2 routes asked again by 2 import filters, "
	    "6 routes asked again by 2 export filters, 1 channel requests "
	    "all routes again");
	for (unsigned k = 2; k < 7; k++)
		next_cnt(k);
	test_roa_said_change(4, false);
	for (unsigned k = 2; k < 7; k++)
		next_cnt(k);
	test_roa_said_change(3, true);
	for (unsigned k = 2; k < 7; k++)
		next_cnt(k);
	while (!both && clock_now_ns() < until)
		rig_in(&t->f.worker, say_both, &both);
	test_roa_said_logged(path,
	    "Table r4: 1 added, 1 removed, in 2 rounds, 4 routes asked again "
	    "by 2 import filters, 12 routes asked again by 2 export filters, "
	    "1 channel requests all routes again");
	for (unsigned k = 2; k < 7; k++)
		roa_rig_unwatch(k);
	test_roa_said_change(3, false);
	roa_rig_finish();
	log_stop();
	rig_hush();
	unlink(path);
}

static void
do_own(void *arg)
{
	struct watcher *w = arg;

	w->sub.shunned = &rig.peer[w->peer]->ch->ts;
	do_start(w);
}

/* Who reads isn't told of a net that nobody else has: its own routes don't go to it. */
static void
test_ext(void **state)
{
	(void)state;
	roa_rig_start(&cf);
	spine_rig_up(2);
	spine_rig_up(3);
	rig_announce(2, 0, 5, 3, 1);
	rig_announce(3, 4, 1, 3, 1); /* 2 has that net, too */
	watch_by(2, WATCH_READS, 2, false, do_own);
	watch_by(3, WATCH_READS, 3, false, do_own);
	roa_rig_watch(4, WATCH_READS, 0, false);
	test_roa_said_change(0, true);
	assert_int_equal(next_cnt(4), 1);
	assert_int_equal(next_cnt(3), 1);
	test_roa_said_change(4, true);
	for (unsigned k = 2; k < 5; k++)
		assert_int_equal(next_cnt(k), 1);
	for (unsigned k = 2; k < 5; k++)
		roa_rig_unwatch(k);
	assert_int_equal(watcher[2].told, 1);
	test_roa_said_change(0, false);
	test_roa_said_change(4, false);
	roa_rig_finish();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_routes_of_a_net),
		RIG_TEST(test_said),
		RIG_TEST(test_ext),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
