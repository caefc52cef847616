/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An index of longest matches over a real table, against a plain list: peers announce and
 * withdraw random prefixes out of a small tree, and come and go. The index is held up for
 * some of the rounds. Meanwhile table_match says what the table has, as ever, and
 * the index what it had when the index was held up, as far as that still has a route;
 * when the index is let go, it has all. */
#include "nest/rib/index/match_index.c"
#include "test/lib/seed.h"

#define RIG_PEERS 3
#include "test/lib/match_find.h"
#include "test/lib/match_rig.h"

#define PREFIXES 700
#define ASKED    60

static struct prefix prefix[PREFIXES];
static bool has[RIG_PEERS][PREFIXES];
static bool before[PREFIXES]; /* when the index was held up */
static unsigned by_index, by_table; /* who answered table_match */

static bool
prop_match_there(uint32_t i)
{
	for (unsigned k = 0; k < RIG_PEERS; k++)
		if (has[k][i])
			return true;
	return false;
}

static void
prop_match_draw(struct seed *s)
{
	for (uint32_t i = 0; i < PREFIXES;) {
		unsigned len = seed_chance(s, 2) ? 24 : seed_below(s, 33);
		struct ip_addr a = ip4((uint32_t)seed_u64(s) & 0x830307c3);
		uint32_t k = 0;

		prefix[i] = prefix_make(a, len, FAM_IP4);
		while (k < i && !prefix_equal(&prefix[k], &prefix[i]))
			k++;
		i += k == i;
	}
}

/* longest - of those that are there now, or were @before; PREFIXES: none. */
static uint32_t
prop_match_longest(struct ip_addr a, bool was)
{
	uint32_t best = PREFIXES;

	for (uint32_t i = 0; i < PREFIXES; i++)
		if ((was ? before[i] : prop_match_there(i)) &&
		    prefix_has_ip(&prefix[i], a) &&
		    (best == PREFIXES || prefix[i].len > prefix[best].len))
			best = i;
	return best;
}

static void
assert_is(const struct net *n, uint32_t want)
{
	struct prefix p;

	assert_true((n != NULL) == (want < PREFIXES));
	if (!n)
		return;
	p = net_prefix(rig_table(), n);
	assert_true(prefix_equal(&p, &prefix[want]));
}

static void
prop_match_ask(struct ip_addr a, bool held)
{
	struct prefix whole = prefix_make(a, 32, FAM_IP4);
	uint32_t now = prop_match_longest(a, false),
		 was = held ? prop_match_longest(a, true) : now;
	const struct net *n;
	bool knows = match_index_answers(rig_table(), &n, &whole);

	by_index += knows;
	by_table += !knows;
	if (knows)
		assert_is(n, now);
	assert_is(table_match(rig_table(), a), now);
	if (held && was < PREFIXES && !prop_match_there(was))
		was = PREFIXES;
	assert_is(match_find(rig_table(), a), was);
}

/* ask_net - the longest that contains one of the prefixes. */
static void
ask_net(uint32_t i)
{
	struct prefix *p = &prefix[i];
	uint32_t want = PREFIXES;

	for (uint32_t k = 0; k < PREFIXES; k++)
		if (prop_match_there(k) && prefix_contains(&prefix[k], p) &&
		    (want == PREFIXES || prefix[k].len > prefix[want].len))
			want = k;
	assert_is(table_match_prefix(rig_table(), p), want);
}

static void
prop_match_ask_all(struct seed *s, bool held)
{
	for (unsigned i = 0; i < ASKED; i++) {
		uint32_t k = seed_below(s, PREFIXES);

		prop_match_ask(ip4((uint32_t)seed_u64(s) & 0x830307c3), held);
		prop_match_ask(prefix[k].addr, held);
		prop_match_ask(
		    ip4(ip_to_v4(prefix[k].addr) | ~mask4(prefix[k].len)), held);
		ask_net(k);
	}
}

static uint64_t
there_cnt(void)
{
	uint64_t cnt = 0;

	for (uint32_t i = 0; i < PREFIXES; i++)
		cnt += prop_match_there(i);
	return cnt;
}

/* walked - what peers that went have left is gone. */
static void
prop_match_walked(void)
{
	uint64_t until = rig_until();

	while (counter64_get(&rig_table()->st.nets) != there_cnt()) {
		rig_settle();
		assert_true(clock_now_ns() < until);
	}
	rig_settle(); /* and published */
}

static void
prop_match_change_some(struct seed *s)
{
	struct match_feed f = { .peer = seed_below(s, RIG_PEERS),
		.med = seed_below(s, 3),
		.withdraws = seed_chance(s, 2),
		.cnt = 1 + seed_below(s, 40) };

	if (seed_chance(s, 40)) {
		spine_rig_down(f.peer);
		spine_rig_up(f.peer);
		memset(has[f.peer], 0, sizeof(has[f.peer]));
		prop_match_walked();
		return;
	}
	for (uint32_t i = 0; i < f.cnt; i++) {
		uint32_t k = seed_below(s, PREFIXES);

		f.p[i] = prefix[k];
		has[f.peer][k] = !f.withdraws;
	}
	match_rig_feed(&f);
	rig_settle();
}

static void
check_level(void)
{
	struct match_stats st;

	match_rig_level();
	assert_true(match_index_stats(rig_table(), &st));
	assert_int_equal(st.nets, there_cnt());
	assert_true(st.octets <= st.open);
}

static void
do_all_again(void *arg)
{
	(void)arg;
	reader_all(&match->f.reader);
	worker_again(&match->f.worker);
}

/* hold - some rounds with an index that does nothing. */
static void
prop_match_hold(struct seed *s)
{
	struct match_block b;
	uint64_t tail;
	struct match_stats st;

	check_level();
	match_rig_block(&b);
	for (uint32_t i = 0; i < PREFIXES; i++)
		before[i] = prop_match_there(i);
	tail = load_relaxed64(&rig_table()->best.journal.tail);
	for (unsigned i = 0; i < 4; i++) {
		prop_match_change_some(s);
		prop_match_ask_all(s, true);
		rcu_quiesce();
	}
	assert_true(match_index_stats(rig_table(), &st));
	assert_int_equal(
	    st.behind, load_relaxed64(&rig_table()->best.journal.tail) - tail);
	match_rig_go(&b);
	if (seed_chance(s, 2)) /* as after the journal's ceiling has passed it */
		rig_in(&match->f.worker, do_all_again, NULL);
	check_level();
	prop_match_ask_all(s, false);
}

static void
test_random(void **state)
{
	struct seed s = seed_start("prop_match");

	(void)state;
	rig_hush();
	prop_match_draw(&s);
	match_rig_start();
	for (unsigned i = 0; i < seed_rounds(150); i++) {
		prop_match_change_some(&s);
		match_rig_level();
		prop_match_ask_all(&s, false);
		rcu_quiesce();
		if (seed_chance(&s, 6))
			prop_match_hold(&s);
		for (unsigned k = 0; k < RIG_PEERS; k++)
			rig_export(k);
	}
	check_level();
	assert_true(by_index && by_table);
	match_rig_finish();
	log_stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
