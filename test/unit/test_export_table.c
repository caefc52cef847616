/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Export tables: numbers of announcements; what a peer holds isn't sent to it again, but
 * for the asking; what is written down goes with the bits. */
#include "proto/bgp/out/announce.c"
#include "proto/bgp/out/export_table.c"
#include "test/lib/filter_run.h"
#include "test/lib/spine_rig.h"

/* peer 2 has an export table, 3 one and `secondary`, 1 none; 0 brings routes */
static struct filter_rig filters, more[RIG_PEERS];
static uint32_t seen[RIG_PEERS];

static int
test_export_table_start(void **state)
{
	rig_tables = 1u << 2 | 1u << 3;
	rig_secondary = 1u << 3;
	memset(seen, 0, sizeof(seen));
	filter_rig_init(&filters);
	for (unsigned k = 0; k < RIG_PEERS; k++)
		filter_rig_init(&more[k]);
	return rig_start(state);
}

static int
test_export_table_finish(void **state)
{
	int rv = rig_finish(state);

	filter_rig_fini(&filters);
	for (unsigned k = 0; k < RIG_PEERS; k++)
		filter_rig_fini(&more[k]);
	rig_tables = rig_secondary = 0;
	return rv;
}

static const struct filter *
test_export_table_filter_of(struct filter_rig *r, const char *text)
{
	char all[400];

	snprintf(all, sizeof(all), "filter f { %s accept; }", text);
	assert_true(filter_rig_config(r, all));
	return sym_find(r->cfg->symbols, "f")->filter;
}

/* start_with - all up with @text for an export filter; nets 0 to 9 with MED 1 and 10 to
 * 19 with MED 3 of peer 0 have gone out. */
static void
start_with(const char *text)
{
	const struct filter *f = test_export_table_filter_of(
	    &filters, text); /* one: the rig holds one */

	for (unsigned k = 1; k < RIG_PEERS; k++)
		rig.cf_chan[k].export = f;
	for (unsigned k = 0; k < RIG_PEERS; k++)
		spine_rig_up(k);
	rig_announce(0, 0, 10, 10, 1);
	rig_announce(0, 10, 10, 10, 3);
	for (unsigned k = 1; k < RIG_PEERS; k++)
		rig_export(k);
}

static const struct adj_out *
test_export_table_adj(unsigned k)
{
	return &rig.peer[k]->sink.adj;
}

/* cnt_of - how many announcements the table of @k has, whose nets must be what it
 * holds. */
static uint32_t
cnt_of(unsigned k)
{
	uint32_t cnt = 0, nets = 0;

	for (uint32_t num = 1;
	     num < test_export_table_adj(k)->table->uses_cnt * USES_BLOCK; num++)
		cnt += table_uses_of(test_export_table_adj(k)->table, num) > 0;
	for (uint32_t id = 0; id < 2048; id++) {
		const struct announce *a = export_table_find(
		    test_export_table_adj(k)->table, id);
		struct prefix p;

		assert_int_equal(
		    bitmap_test(&test_export_table_adj(k)->out, id), a != NULL);
		if (!a)
			continue;
		nets++;
		p = net_prefix(rig_table(), table_net_of(rig_table(), id));
		assert_int_equal(rig.peer[k]->held[rig_net_index(&p)],
		    rig_holds(a->wire->path_first, wire_med(a->wire)));
	}
	assert_int_equal(nets, test_export_table_adj(k)->out_cnt);
	return cnt;
}

/* sent_since - octets that @k was sent since it was asked last. */
static uint32_t
sent_since(unsigned k)
{
	uint32_t was = seen[k];

	rig_export(k);
	seen[k] = rig.peer[k]->octets;
	return seen[k] - was;
}

static uint64_t
test_export_table_announced(unsigned k)
{
	return counter64_get(&rig.peer[k]->ch->stats.exp_upd_accepted);
}

/* ---- numbers ---- */

static void
test_numbers(void **state)
{
	struct announces *as = announces_new(rig.tern.store);
	uint8_t data[64];
	uint32_t len = rig_attrs(data, 7, 1), first;
	struct announce key = { .wire = attr_store_wire(rig.tern.store, data, len) };
	const struct announce *a, *b, *c;

	(void)state;
	a = announce_get(as, &key);
	b = announce_get(as, &key);
	assert_ptr_equal(a, b);
	key.look = LOOK_IBGP;
	b = announce_get(as, &key);
	key.originator_id = 9;
	c = announce_get(as, &key);
	assert_true(a->id && b->id && c->id && a->id != b->id && a->id != c->id);
	assert_true(b->id != c->id);
	assert_ptr_equal(announce_at(as, c->id), c);
	assert_int_equal(rchash_count(&as->all), 3);
	first = a->id;
	announce_put(as, a);
	announce_put(as, a);
	key = (struct announce){ .wire = key.wire };
	assert_int_equal(rchash_count(&as->all), 2);
	assert_null(announce_at(as, first));
	announce_put(as, b);
	announce_put(as, c);
	rcu_quiesce();
	rcu_drain();
	for (unsigned i = 0; i < 3; i++) { /* the same numbers again, no others */
		key.originator_id = i;
		assert_in_range(announce_get(as, &key)->id, 1, 3);
	}
	for (unsigned i = 1; i <= 3; i++)
		announce_put(as, announce_at(as, i));
	wire_set_unref(rig.tern.store, key.wire);
	rcu_quiesce();
	announces_free(as);
}

/* Members whose filters rewrite what thousands of others announce may need more numbers
 * than a table has nets. Each is another's, whichever block it lies in. */
static void
test_many_numbers(void **state)
{
	static const uint32_t from[] = { 0, 2046, 4094, 1u << 24, (1u << 25) - 2 };
	struct announces *as = announces_new(rig.tern.store);
	uint8_t data[64];
	uint32_t len = rig_attrs(data, 7, 1);
	struct announce key = { .wire = attr_store_wire(rig.tern.store, data, len) };
	const struct announce *a[4 * ARRAY_LEN(from)];

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(a); i++) {
		if (!(i % 4)) /* as if so many had been given */
			counter32_add(&as->last, from[i / 4] - counter32_get(&as->last));
		key.originator_id = i;
		a[i] = announce_get(as, &key);
		assert_int_equal(a[i]->id, from[i / 4] + i % 4 + 1);
	}
	for (uint32_t i = 0; i < ARRAY_LEN(a); i++)
		assert_ptr_equal(announce_at(as, a[i]->id), a[i]);
	for (uint32_t i = 0; i < ARRAY_LEN(a); i++)
		announce_put(as, a[i]);
	wire_set_unref(rig.tern.store, key.wire);
	rcu_quiesce();
	announces_free(as);
}

/* A number is tried that may have gone, and may be another's by now. */
static void
test_hint(void **state)
{
	struct announces *as = announces_new(rig.tern.store);
	struct export_table *t = export_table_new(as), *u = export_table_new(as);
	uint8_t data[64];
	uint32_t len = rig_attrs(data, 7, 1), first;
	struct announce key = { .wire = attr_store_wire(rig.tern.store, data, len) };
	struct announce other = { .wire = key.wire, .originator_id = 1 };
	struct seg_run run[] = { { 5, 3 }, { 300, 1 } };
	struct pub32 hint = { 0 };

	(void)state;
	export_table_sent(t, &key, &hint, run, 2);
	first = load_relaxed32(&hint);
	assert_int_equal(first, export_table_find(t, 6)->id);
	assert_true(export_table_news(u, &key, &hint, run, 2));
	assert_false(export_table_news(u, &key, &hint, run + 1, 1));
	assert_int_equal(table_uses_of(u, first), 4);
	assert_int_equal(counter32_get(&export_table_find(u, 300)->node.refs), 2);
	export_table_sent(u, &other, &hint, run, 2); /* as if it were of that */
	assert_int_equal(export_table_find(u, 300)->originator_id, 1);
	store_relaxed32(&hint, first);
	export_table_clear(t);
	assert_null(announce_at(as, first)); /* going */
	export_table_sent(t, &key, &hint, run, 1);
	assert_ptr_equal(export_table_find(t, 5)->wire, key.wire);
	assert_int_not_equal(load_relaxed32(&hint), first);
	export_table_clear(t);
	rcu_quiesce();
	rcu_drain();
	store_relaxed32(&hint, first); /* free */
	export_table_sent(t, &key, &hint, run, 1);
	export_table_clear(t);
	rcu_quiesce();
	rcu_drain();
	export_table_sent(t, &other, NULL, run, 1);
	for (uint32_t i = 0; i < 4; i++) { /* free, or another's */
		store_relaxed32(&hint, i);
		export_table_sent(t, &key, &hint, run + 1, 1);
		assert_int_equal(export_table_find(t, 300)->originator_id, 0);
		assert_int_equal(export_table_find(t, 7)->originator_id, 1);
		export_table_gone(t, 300, 1);
	}
	export_table_free(t);
	export_table_free(u);
	wire_set_unref(rig.tern.store, key.wire);
	rcu_quiesce();
	announces_free(as);
}

/* ---- what isn't sent ---- */

/* What the filter makes equal isn't an update. */
static void
test_equal_updates(void **state)
{
	uint64_t before;

	(void)state;
	start_with("if bgp_med > 2 then bgp_med = 7;");
	assert_int_equal(cnt_of(2), 2);
	assert_int_equal(cnt_of(3), 2);
	for (unsigned k = 1; k < RIG_PEERS; k++)
		assert_true(sent_since(k) > 0);
	rig_announce(0, 10, 10, 10, 4); /* 7 as before */
	assert_true(sent_since(1) > 0);
	assert_int_equal(sent_since(2), 0);
	assert_int_equal(sent_since(3), 0);
	before = test_export_table_announced(2);
	rig_announce(0, 5, 10, 10, 5); /* 5 to 9 were 1, the rest is 7 already */
	assert_true(sent_since(2) > 0);
	assert_int_equal(test_export_table_announced(2) - before, 5);
	assert_int_equal(rig.peer[2]->held[9], rig_holds(10, 7));
	rig_withdraw(0, 0, 5);
	rig_withdraw(0, 12, 1);
	rig_export(2);
	rig_export(3);
	assert_int_equal(cnt_of(2), 1);
	assert_int_equal(cnt_of(3), 1);
	assert_int_equal(test_export_table_adj(2)->out_cnt, 14);
	rig_withdraw(0, 0, 20);
	rig_export(2);
	assert_int_equal(cnt_of(2), 0);
}

static void
test_export_table_set_filter(void *arg)
{
	struct rig_peer *pe = arg;

	rig.cf_chan[pe->as - 1].export = test_export_table_filter_of(
	    &more[pe->as - 1], "if bgp_med = 3 then bgp_med = bgp_med + 4;");
	channel_reconf(pe->ch, CONF_CH_EXPORT, false);
}

static void
look_again(void *arg)
{
	channel_recheck_out(((struct rig_peer *)arg)->ch);
}

/* Another filter with the same outcome, and a look at all nets again though filters
 * rewrite them. */
static void
test_equal_filters(void **state)
{
	(void)state;
	start_with("if bgp_med > 2 then bgp_med = 7;");
	for (unsigned k = 1; k < RIG_PEERS; k++) {
		sent_since(k);
		rig_in(&rig.peer[k]->p.worker, test_export_table_set_filter, rig.peer[k]);
		assert_int_equal(sent_since(k), 0);
		rig_in(&rig.peer[k]->p.worker, look_again, rig.peer[k]);
		assert_int_equal(!sent_since(k), k > 1);
	}
}

static void
test_export_table_refresh(void *arg)
{
	channel_refresh_out(((struct rig_peer *)arg)->ch);
}

static void
test_export_table_set_class(void *arg)
{
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.prepend_as = 77;
	bgp_sink_set_class(&((struct rig_peer *)arg)->sink, &cls);
}

/* Who asks gets all; so does who is to see all otherwise. */
static void
test_asked(void **state)
{
	uint32_t all;

	(void)state;
	start_with("");
	all = sent_since(2);
	rig_in(&rig.peer[2]->p.worker, test_export_table_refresh, rig.peer[2]);
	assert_int_equal(sent_since(2), all);
	rig_in(&rig.peer[2]->p.worker, test_export_table_set_class, rig.peer[2]);
	assert_true(sent_since(2) > all);
	assert_int_equal(rig.peer[2]->held[3], rig_holds(77, 1));
	rig_announce(0, 0, 10, 10, 1);
	assert_int_equal(sent_since(2), 0);
}

/* ---- ends ---- */

/* Ids of one announcement, more than an octet counts; and back. */
static void
test_many(void **state)
{
	struct announces *as;

	(void)state;
	start_with("bgp_med = 9;");
	as = test_export_table_adj(2)->table->as;
	for (uint32_t i = 20; i < 1000; i += 100)
		rig_announce(0, i, 100, 10, i);
	rig_export(2);
	assert_int_equal(rchash_count(&as->all), 1);
	assert_int_equal(test_export_table_adj(2)->out_cnt, 1020);
	assert_int_equal(cnt_of(2), 1);
	for (uint32_t i = 1020; i > 0; i -= 20) {
		rig_withdraw(0, i - 20, 20);
		rig_export(2);
		assert_int_equal(test_export_table_adj(2)->table->sent_cnt, i - 20);
		assert_int_equal(cnt_of(2), i > 20);
	}
	assert_null(test_export_table_adj(2)->table->uses);
}

/* A session that ends leaves nothing; announcements are shared while there are some. */
static void
test_shared(void **state)
{
	struct announces *as;

	(void)state;
	start_with("bgp_med = 9;");
	as = test_export_table_adj(2)->table->as;
	assert_ptr_equal(as, test_export_table_adj(3)->table->as);
	assert_int_equal(rchash_count(&as->all), 1);
	spine_rig_down(2);
	assert_int_equal(cnt_of(2), 0);
	assert_int_equal(rchash_count(&as->all), 1);
	spine_rig_down(3);
	assert_int_equal(rchash_count(&as->all), 0);
	spine_rig_up(2);
	rig_export(2);
	assert_int_equal(cnt_of(2), 1);
}

/* The next route instead of one that is refused, and back: only what differs goes. */
static void
test_secondary(void **state)
{
	(void)state;
	start_with("if bgp_med = 0 then reject;");
	rig_announce(1, 0, 20, 11, 20); /* behind the best */
	rig_export(3);
	sent_since(3);
	rig_announce(1, 0, 1, 11, 0); /* the best, and refused: what it has remains */
	assert_int_equal(sent_since(3), 0);
	assert_int_equal(rig.peer[3]->held[0], rig_holds(10, 1));
	assert_int_equal(cnt_of(3), 2);
	rig_announce(1, 0, 1, 11, 30); /* that it is the best again says nothing new */
	assert_int_equal(sent_since(3), 0);
	rig_announce(0, 0, 1, 10, 40);
	assert_true(sent_since(3) > 0);
	assert_int_equal(rig.peer[3]->held[0], rig_holds(11, 30));
	assert_int_equal(cnt_of(3), 3);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_export_table_start, test_export_table_finish)

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_numbers),
		TEST(test_many_numbers),
		TEST(test_hint),
		TEST(test_equal_updates),
		TEST(test_equal_filters),
		TEST(test_asked),
		TEST(test_many),
		TEST(test_shared),
		TEST(test_secondary),
	};

	rig_hush();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
