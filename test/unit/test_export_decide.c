/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_export_decide checks the decisions about exports: the rules before the filter, one
 * decision a segment and its memory, filters that read the prefix. */
#include "nest/channel/export/export_decide.c"
#include "lib/net/aspa.h"
#include "test/lib/filter_run.h"
#include "test/lib/spine_rig.h"

static struct filter_rig filters;

static const struct filter *
filter_by_name(const char *name)
{
	struct sym *f = sym_find(filters.cfg->symbols, name);

	assert_true(f && f->class == SYM_FILTER);
	return f->filter;
}

static int
test_export_decide_set_up(void **state)
{
	rig_start(state);
	filter_rig_init(&filters);
	assert_true(filter_rig_config(&filters,
	    "router id 1.1.1.1;\n"
	    "filter med { if bgp_med = 3 then reject; bgp_med = 9; accept; }\n"
	    "filter odd { if net ~ [ 11.0.1.0/24, 11.0.3.0/24 ] then reject; accept; }\n"
	    "filter who { if from = 127.0.0.1 then reject; accept; }\n"
	    "filter leak { if bgp_med = 3 then bgp_otc = 5; accept; }\n"
	    "aspa table at;\n"
	    "filter aspa { if aspa_check(at, bgp_path.prepend(9), true) = ASPA_INVALID "
	    "then reject; "
	    "bgp_med = 7; accept; }\n"
	    "filter lazy { if bgp_med = 3 || aspa_check_upstream(at) = ASPA_VALID then "
	    "accept; reject; }\n"
	    "filter bare { if (9, 5) ~ bgp_community then reject; accept; }\n"
	    "filter loud { print \"x\"; bgp_med = 8; accept; }\n"));
	return 0;
}

static int
test_export_decide_tear_down(void **state)
{
	int rc = rig_finish(state);

	filter_rig_fini(&filters);
	return rc;
}

static struct export_view view;

static struct bgp_rules rules;

static bool
test_export_decide_allow(uint8_t marks, uint32_t src)
{
	static const uint8_t hop[] = { 0x40, ATTR_NEXT_HOP, 0, 4, 10, 0, 0, 1 };
	struct attr_local local = { 0 };
	struct arena a;
	struct segment s = { .class_key = bgp_hop_key(ip4(0x0a000001)) };
	struct export_question q = { .v = &view, .seg = &s, .src = src, .marks = marks };
	struct export_answer answer;

	arena_init(&a, MEM_OTHER, 1024);
	q.set = attr_scratch(&a, hop, sizeof(hop), &local);
	rules.hop_key = bgp_hop_key(rules.peer.peer_addr);
	view.filter = &filter_accept_all;
	export_decide_fill(&q, &answer);
	arena_fini(&a);
	return !answer.ruled;
}

static void
test_rules(void **state)
{
	(void)state;
	rules = (struct bgp_rules){ .peer.peer_addr = ip4(0x0a000009) };
	view = (struct export_view){
		.src = 5, .policy = bgp_sink_ops.policy, .rules = &rules.base
	};
	assert_true(test_export_decide_allow(0, 4));
	assert_false(test_export_decide_allow(0, 5)); /* its own */
	rules.peer.peer_addr = ip4(0x0a000001); /* its own next hop */
	assert_false(test_export_decide_allow(0, 4));
	rules.peer.peer_addr = (struct ip_addr){ 0x0a000001, 0xffff00000000ull };
	assert_int_equal(bgp_hop_key(rules.peer.peer_addr),
	    bgp_hop_key(ip4(0x0a000001))); /* another one with the same key */
	assert_true(test_export_decide_allow(0, 4));
	rules.peer.peer_addr = ip4(0x0a000009);
	assert_true(test_export_decide_allow(
	    SEG_NO_EXPORT | SEG_NO_ADVERTISE, 4)); /* not asked to look */
	rules.peer.interpret_communities = true;
	assert_false(test_export_decide_allow(SEG_NO_EXPORT, 4));
	assert_false(test_export_decide_allow(SEG_NO_ADVERTISE, 4));
	assert_false(test_export_decide_allow(SEG_NO_SUBCONFED, 4));
	assert_true(test_export_decide_allow(SEG_INTERNAL, 4)); /* to an external peer */
	rules.peer.interior = true; /* of our confederation */
	assert_true(test_export_decide_allow(SEG_NO_EXPORT | SEG_INTERNAL, 4));
	assert_false(test_export_decide_allow(SEG_NO_SUBCONFED, 4));
	assert_false(test_export_decide_allow(SEG_NO_ADVERTISE, 4));
	rules.peer.to_ibgp = true;
	assert_true(test_export_decide_allow(SEG_NO_EXPORT | SEG_NO_SUBCONFED, 4));
	assert_false(test_export_decide_allow(SEG_NO_ADVERTISE, 4));
	assert_false(test_export_decide_allow(SEG_INTERNAL, 4));
	rules.peer.rr_client = true;
	assert_true(test_export_decide_allow(SEG_INTERNAL, 4));
}

static void
test_one_decision(void **state)
{
	struct channel_stats *st1 = channel_stats(rig.peer[1]->ch),
			     *st2 = channel_stats(rig.peer[2]->ch);

	(void)state;
	rig.cf_chan[1].export = rig.cf_chan[2].export = filter_by_name("med");
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(2);
	rig_export(1);
	rig_export(2);
	rig_announce(0, 0, 50, 7, 1);
	rig_announce(0, 50, 50, 7, 3);
	rig_export(1);
	rig_export(2);
	for (int k = 1; k <= 2; k++) {
		assert_int_equal(rig.peer[k]->held[0], rig_holds(7, 9));
		assert_int_equal(rig.peer[k]->held[49], rig_holds(7, 9));
		assert_int_equal(rig.peer[k]->held[50], 0);
	}
	assert_int_equal(counter64_get(&st1->decisions), 2); /* not 100 */
	assert_int_equal(counter64_get(&st1->exp_upd_received), 100);
	assert_int_equal(counter64_get(&st1->exp_upd_accepted), 50);
	assert_int_equal(counter64_get(&st1->exp_upd_filtered), 50);
	assert_int_equal(counter64_get(&st1->messages_built), 1);
	assert_int_equal(counter64_get(&st2->messages_built), 0); /* shared */
	rig_announce(0, 0, 50, 7, 3); /* what was accepted is withdrawn */
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], 0);
	assert_int_equal(counter64_get(&st1->exp_wd_accepted), 50);
	assert_int_equal(counter64_get(&st1->exported), 0);
}

/* A filter that asks of communities alone lets stretches of others through at once. */
static void
test_bare(void **state)
{
	struct channel_stats *st = channel_stats(rig.peer[1]->ch);

	(void)state;
	rig.cf_chan[1].export = filter_by_name("bare");
	spine_rig_up(0);
	spine_rig_up(1);
	rig_export(1);
	assert_int_equal(rig.peer[1]->ch->exp.view->uniform,
	    SEG_UNIFORM | 1 << SEG_LISTS_AT << COMM_STD);
	rig_announce(0, 0, 50, 7, 1);
	rig_announce(0, 50, 50, 7, 3);
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(7, 1));
	assert_int_equal(rig.peer[1]->held[99], rig_holds(7, 3));
	assert_int_equal(counter64_get(&st->exp_upd_accepted), 100);
}

static void
test_by_net(void **state)
{
	(void)state;
	rig.cf_chan[1].export = filter_by_name("odd");
	spine_rig_up(0);
	spine_rig_up(1);
	rig_export(1);
	rig_announce(0, 0, 6, 7, 1);
	rig_export(1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(
		    rig.peer[1]->held[i], i == 1 || i == 3 ? 0 : rig_holds(7, 1));
	rig_withdraw(0, 0, 6);
	rig_export(1);
	for (int i = 0; i < 6; i++)
		assert_int_equal(rig.peer[1]->held[i], 0);
	assert_int_equal(
	    counter64_get(&channel_stats(rig.peer[1]->ch)->exp_wd_accepted), 4);
}

/* An answer that depends on the source holds for the segment, which has one. */
static void
test_source(void **state)
{
	(void)state;
	rig.cf_chan[2].export = filter_by_name("who");
	spine_rig_up(0); /* 127.0.0.1 */
	spine_rig_up(1);
	spine_rig_up(2);
	rig_announce(0, 0, 3, 7, 1);
	rig_announce(1, 3, 3, 7, 1);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], 0);
	assert_int_equal(rig.peer[2]->held[3], rig_holds(7, 1));
	rig_announce(1, 0, 3, 7, 0); /* the other source takes over */
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(7, 0));
	/* The same sets, so only the source changes: it matters to this filter. */
	rig_announce(1, 0, 3, 7, 1);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], 0);
	rig_withdraw(0, 0, 3);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(7, 1));
}

static struct segment *last;

static void
test_export_decide_peek(void *arg)
{
	struct channel *ch = arg;

	last = journal_read(&ch->table->best.journal, &ch->rd->cursor);
	ch->rd->cursor.read--;
}

/* What prints isn't remembered; what doesn't is, for the filter that said it. */
static void
test_memo(void **state)
{
	const struct filter *med = filter_by_name("med"), *loud = filter_by_name("loud");

	(void)state;
	rig.cf_chan[1].export = med;
	rig.cf_chan[2].export = loud;
	spine_rig_up(0);
	for (unsigned k = 1; k < 4; k++) {
		spine_rig_up(k);
		rig_export(k);
	}
	rig_announce(0, 0, 2, 7, 1);
	rig_in(&rig.peer[3]->p.worker, test_export_decide_peek,
	    rig.peer[3]->ch); /* keeps it alive */
	rig_hush();
	rig_export(1);
	rig_export(2);
	log_stop();
	assert_non_null(export_memo_find(&last->memo, med));
	assert_int_equal(wire_med(export_memo_find(&last->memo, med)->set->wire), 9);
	assert_null(export_memo_find(&last->memo, loud));
	assert_int_equal(rig.peer[2]->held[0], rig_holds(7, 8));
	rig_export(3);
}

/* What another table says holds for all nets of a segment, but isn't kept: the next who
 * asks may hear something else. A run that didn't look there is. */
static void
test_table(void **state)
{
	struct channel_stats *st = channel_stats(rig.peer[1]->ch);
	const struct filter *aspa = filter_by_name("aspa"),
			    *lazy = filter_by_name("lazy");
	static const uint32_t other[] = { 5 };
	struct aspa_map *m = aspa_map_new();
	struct aspa_change c = { 7, aspa_new(7, other, 1) };

	(void)state;
	store_release_ptr(
	    &config_find_table(filters.cfg, "at")->ft.map, m); /* pairs: FTABLE */
	rig.cf_chan[1].export = rig.cf_chan[3].export = aspa;
	rig.cf_chan[2].export = lazy;
	spine_rig_up(0);
	for (unsigned k = 1; k < 4; k++) {
		spine_rig_up(k);
		rig_export(k);
	}
	rig_announce(0, 0, 50, 7, 3);
	rig_in(&rig.peer[3]->p.worker, test_export_decide_peek,
	    rig.peer[3]->ch); /* keeps it alive */
	rig_export(1);
	rig_export(2);
	assert_int_equal(rig.peer[1]->held[49], rig_holds(7, 7));
	assert_int_equal(counter64_get(&st->decisions), 1); /* not 50 */
	assert_null(export_memo_find(&last->memo, aspa));
	assert_int_equal(rig.peer[2]->held[0], rig_holds(7, 3));
	assert_non_null(export_memo_find(&last->memo, lazy));
	aspa_map_update(m, &c, 1);
	rig_export(3); /* the same segment */
	assert_int_equal(rig.peer[3]->held[0], 0);
	rcu_drain();
	aspa_map_free(m);
}

static void
test_would_export(void **state)
{
	struct arena a;
	struct route_source src = { 0 };
	struct route_view rv = { .src = &src };
	struct filter_thread *ft = filter_thread_new(NULL);
	struct attr_set *out = NULL;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	rig.cf_chan[1].export = filter_by_name("med");
	spine_rig_up(0);
	rig_announce(0, 0, 1, 7, 1);
	rig_announce(0, 1, 1, 7, 3);
	rv.feeder = channel_source_id(rig.peer[0]->ch);
	rv.net = rig_net(0);
	rv.set = net_best(table_net_ptr(rig_table(), 0))->set;
	assert_int_equal(
	    channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), -ENOTCONN);
	spine_rig_up(1);
	assert_int_equal(channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), 1);
	assert_int_equal(wire_med(out->wire), 9);
	attr_set_unref(rig.tern.store, out, 1);
	rv.set = net_best(table_net_ptr(rig_table(), 1))->set;
	assert_int_equal(channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), 0);
	assert_int_equal(
	    channel_would_export(rig.peer[0]->ch, ft, &a, &rv, &out), -EPERM);
	filter_thread_free(ft);
	arena_fini(&a);
}

/* asked_refs - what @r's decision through the policy @below and @filter leaves of
 * references on @kept; @r is of peer 0, and asked for peer 1. */
static uint32_t
asked_refs(struct route_view *r, const char *below, const struct filter *filter,
    struct attr_set *kept)
{
	struct filter_thread *ft = filter_thread_new(NULL);
	struct export_view *v = rig.peer[1]->ch->exp.view;
	struct overlay o = { .base = rig_table(),
		.policy = filter_by_name(below),
		.back = NO_FEEDER,
		.max_generation = 4 };
	const struct filter *was = v->filter;
	struct attr_set *out;
	struct export_why why;
	struct arena a;

	arena_init(&a, MEM_OTHER, 4096);
	v->over = true;
	v->overlay = &o;
	v->filter = filter;
	if (channel_would_export(rig.peer[1]->ch, ft, &a, r, &out) == 1)
		attr_set_unref(rig.tern.store, out, 1);
	channel_why(rig.peer[1]->ch, ft, &a, r, &why);
	v->over = false;
	v->overlay = NULL;
	v->filter = was;
	filter_thread_free(ft);
	arena_fini(&a);
	return counter32_get(&kept->refs);
}

/* What a policy below and the filter leave is given back, also where one of them writes
 * what is there already. */
static void
test_over_refs(void **state)
{
	static const char *const below[] = { "med", "loud", "bare" };
	const struct filter *top[] = { &filter_accept_all, &filter_reject_all,
		filter_by_name("med"), filter_by_name("loud"), filter_by_name("bare") };
	static const uint32_t meds[] = { 8, 9, 7 };

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	for (unsigned n = 0; n < ARRAY_LEN(meds); n++)
		rig_announce(0, n, 1, 7, meds[n]);
	for (unsigned n = 0; n < ARRAY_LEN(meds); n++)
		for (unsigned i = 0; i < ARRAY_LEN(below) * ARRAY_LEN(top); i++)
			for (unsigned k = 0; k < ARRAY_LEN(meds); k++) {
				const struct path *p = net_best(
				    table_net_ptr(rig_table(), n));
				struct attr_set
				    *kept = net_best(table_net_ptr(rig_table(), k))->set;
				uint32_t refs = counter32_get(&kept->refs);
				struct route_view r = { .src = path_facts(rig_table(), p),
					.feeder = channel_source_id(rig.peer[0]->ch),
					.net = rig_net(n),
					.set = p->set };

				assert_int_equal(
				    asked_refs(&r, below[i % ARRAY_LEN(below)],
					top[i / ARRAY_LEN(below)], kept),
				    refs);
			}
}

/* What a filter makes has no room in a set: that isn't the filter's refusal. */
static void
test_no_room(void **state)
{
	static uint8_t data[WIRE_BLOB_MAX] = { 0xc0, 200, 65524 >> 8, 65524 & 0xff };
	struct attr_local local = { 0 };
	struct route_source src = { 0 };
	struct route_view rv = { .src = &src };
	struct filter_thread *ft = filter_thread_new(NULL);
	struct attr_set *out = NULL;
	struct export_why why;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	rig.cf_chan[1].export = filter_by_name("loud");
	spine_rig_up(0);
	spine_rig_up(1);
	rv.feeder = channel_source_id(rig.peer[0]->ch);
	rv.net = rig_net(0);
	rv.set = attr_scratch(&a, data, 65528, &local);
	channel_why(rig.peer[1]->ch, ft, &a, &rv, &why);
	assert_int_equal(why.reason, REASON_NO_ROOM);
	assert_null(why.filter);
	assert_int_equal(channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), 0);
	filter_thread_free(ft);
	arena_fini(&a);
}

/* OTC is looked at after the filter. */
static void
test_otc(void **state)
{
	struct route_source src = { 0 };
	struct route_view rv = { .src = &src };
	struct filter_thread *ft = filter_thread_new(NULL);
	struct attr_set *out = NULL;
	struct arena a;

	(void)state;
	arena_init(&a, MEM_OTHER, 4096);
	rig.cf_chan[1].export = filter_by_name("leak");
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(0, 0, 1, 7, 3);
	rig_export(1);
	rv.feeder = channel_source_id(rig.peer[0]->ch);
	rv.net = rig_net(0);
	rv.set = net_best(table_net_ptr(rig_table(), 0))->set;
	assert_int_equal(channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), 1);
	attr_set_unref(rig.tern.store, out, 1);
	assert_int_equal(rig.peer[1]->held[0], rig_holds(7, 3));
	container_of(rig.peer[1]->ch->exp.view->rules, struct bgp_rules, base)
	    ->peer.keep_otc = true;
	assert_int_equal(channel_would_export(rig.peer[1]->ch, ft, &a, &rv, &out), 0);
	rig_announce(0, 0, 1, 8, 3);
	rig_announce(0, 1, 1, 8, 4);
	rig_export(1);
	assert_int_equal(rig.peer[1]->held[0], 0);
	assert_int_equal(rig.peer[1]->held[1], rig_holds(8, 4));
	filter_thread_free(ft);
	arena_fini(&a);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_export_decide_set_up, test_export_decide_tear_down)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_rules),
	TEST(test_one_decision),
	TEST(test_bare),
	TEST(test_by_net),
	TEST(test_source),
	TEST(test_memo),
	TEST(test_table),
	TEST(test_otc),
	TEST(test_would_export),
	TEST(test_over_refs),
	TEST(test_no_room),
};

UNIT_MAIN(tests)
