/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `secondary`: which route a peer gets that may not have the best one, and what it is
 * told when something changes. Peers 2 and 3 have it; the best is the lowest MED. Covers
 * nest/channel/export/sent_set.c, too. */
#include "filter/lang/sym.h"
#include "nest/channel/export/candidates.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/export/sent_set.h"
#include "test/lib/filter_run.h"
#include "test/lib/seed.h"
#include "test/lib/spine_rig.h"
#include "test/lib/wait.h"

static struct filter_rig filters;

static int
test_channel_secondary_start(void **state)
{
	rig_secondary = 1u << 2 | 1u << 3;
	filter_rig_init(&filters);
	return rig_start(state);
}

static int
test_channel_secondary_finish(void **state)
{
	int rv = rig_finish(state);

	filter_rig_fini(&filters);
	rig_secondary = 0;
	return rv;
}

static const struct filter *
test_channel_secondary_filter_of(const char *text)
{
	char all[400];

	snprintf(all, sizeof(all), "filter f { %s accept; }", text);
	assert_true(filter_rig_config(&filters, all));
	return sym_find(filters.cfg->symbols, "f")->filter;
}

static void
up_all(void)
{
	for (unsigned k = 0; k < RIG_PEERS; k++)
		spine_rig_up(k);
}

static uint32_t
test_channel_secondary_id_of(uint32_t net)
{
	struct prefix p = rig_net(net);
	struct nlri k = nlri_of_prefix(&p);
	uint32_t id;

	assert_non_null(table_net_find(rig_table(), &k, &id));
	return id;
}

static bool
test_channel_secondary_watched(unsigned k, const char *nets)
{
	const struct channel *ch = rig.peer[k]->ch;
	uint32_t cnt = 0;

	for (; *nets; nets++, cnt++) {
		if (!watched_net(
			ch, test_channel_secondary_id_of((uint32_t)(*nets - '0'))))
			return false;
	}
	return ch->exp.watch->cnt == cnt;
}

/* told - how many messages @k gets of what waits. */
static uint32_t
test_channel_secondary_told(unsigned k)
{
	uint32_t before = rig.peer[k]->msg_cnt;

	rig_export(k);
	return rig.peer[k]->msg_cnt - before;
}

/* Its own route is the best: it gets the next one, in order, and the others none of
 * that. */
static void
test_ext(void **state)
{
	const uint64_t *held = rig.peer[2]->held;

	(void)state;
	up_all();
	rig_announce(0, 0, 4, 10, 5);
	rig_announce(1, 0, 4, 11, 6);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(10, 5));
	rig_announce(2, 0, 2, 12, 1);
	rig_export(2);
	rig_export(3);
	assert_int_equal(held[0], rig_holds(10, 5));
	assert_true(test_channel_secondary_watched(2, "01"));
	assert_int_equal(rig.peer[3]->held[0], rig_holds(12, 1));
	rig_announce(1, 0, 1, 11, 4); /* it passes the second */
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], rig_holds(11, 4));
	assert_int_equal(held[1], rig_holds(10, 5));
	rig_announce(1, 1, 3, 11, 7); /* behind the second, which stays */
	assert_int_equal(test_channel_secondary_told(2), 0);
	assert_int_equal(test_channel_secondary_told(3), 0);
	rig_withdraw(1, 0, 1);
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], rig_holds(10, 5));
	rig_withdraw(0, 0, 1);
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], 0);
	assert_true(test_channel_secondary_watched(2, "01"));
	rig_announce(1, 0, 1, 11, 4);
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], rig_holds(11, 4));
	rig_withdraw(2, 0, 2); /* what is best now is what it has */
	assert_int_equal(test_channel_secondary_told(2), 0);
	assert_true(test_channel_secondary_watched(2, ""));
	assert_int_equal(rig.peer[2]->ch->exp.watch->sent.cnt, 0);
	rig_withdraw(0, 0, 4);
	rig_withdraw(1, 0, 4);
	rig_export(2);
	assert_int_equal(rig.peer[2]->sink.adj.out_cnt, 0);
}

/* A source goes, and comes back: the best, then the second. */
static void
test_source_down(void **state)
{
	const uint64_t *held = rig.peer[2]->held;

	(void)state;
	up_all();
	rig_announce(2, 0, 3, 12, 1);
	rig_announce(0, 0, 3, 10, 5);
	rig_announce(1, 0, 3, 11, 6);
	rig_export(2);
	assert_int_equal(held[1], rig_holds(10, 5));
	spine_rig_down(0);
	rig_in(&rig_table()->worker, rig_nothing, NULL);
	wait_spread(20000); /* the walk */
	rig_settle();
	rig_export(2);
	assert_int_equal(held[1], rig_holds(11, 6));
	spine_rig_down(2);
	rig_settle();
	wait_spread(20000);
	rig_settle();
	assert_true(test_channel_secondary_watched(2, ""));
	spine_rig_up(2);
	rig_export(2);
	assert_int_equal(held[1], rig_holds(11, 6));
	assert_true(test_channel_secondary_watched(2, ""));
}

/* The filter refuses the best; it is asked once for all nets of it. */
static void
test_filter(void **state)
{
	const uint64_t *held = rig.peer[2]->held;
	uint64_t decisions;

	(void)state;
	rig.cf_chan[2].export = test_channel_secondary_filter_of(
	    "if bgp_med < 3 then reject;");
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(3);
	rig_announce(0, 0, 8, 10, 1);
	rig_announce(1, 0, 8, 11, 2);
	rig_announce(3, 0, 8, 13, 3);
	spine_rig_up(2);
	decisions = counter64_get(&rig.peer[2]->ch->stats.decisions);
	rig_export(2);
	decisions = counter64_get(&rig.peer[2]->ch->stats.decisions) - decisions;
	assert_int_equal(decisions, 3); /* of 8 nets with 3 routes */
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(held[i], rig_holds(13, 3));
	assert_true(test_channel_secondary_watched(2, "01234567"));
	assert_int_equal(counter64_get(&rig.peer[2]->ch->stats.exp_upd_accepted), 8);
	assert_int_equal(counter64_get(&rig.peer[2]->ch->stats.exp_upd_filtered), 16);
	rig_announce(1, 0, 1, 11, 4);
	assert_int_equal(test_channel_secondary_told(2), 0);
	rig_announce(3, 0, 1, 13, 2);
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], rig_holds(11, 4));
	rig_announce(0, 0, 1, 10, 7); /* the best isn't refused by number: 2 is */
	assert_int_equal(test_channel_secondary_told(2), 0);
	rig_withdraw(3, 0, 1);
	assert_int_equal(test_channel_secondary_told(2), 0);
	assert_true(test_channel_secondary_watched(2, "1234567"));
	rig_withdraw(0, 0, 8);
	rig_withdraw(1, 0, 8);
	rig_withdraw(3, 0, 8);
	rig_export(2);
	assert_int_equal(rig.peer[2]->sink.adj.out_cnt, 0);
	assert_true(test_channel_secondary_watched(2, ""));
}

static void
test_channel_secondary_set_filter(void *arg)
{
	rig.cf_chan[2].export = arg;
	channel_reconf(rig.peer[2]->ch, CONF_CH_EXPORT, false);
}

/* What a changed filter leaves as it is isn't sent; what it changes is, also behind the
 * first route. */
static void
test_changed_filter(void **state)
{
	struct filter_rig more[3];
	static const char *const text[] = {
		"filter f { if bgp_med = 1 || bgp_med > 99 then reject; accept; }",
		"filter f { if bgp_med < 3 then reject; accept; }", "filter f { accept; }"
	};
	const uint64_t *held = rig.peer[2]->held;
	const struct filter *f[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		filter_rig_init(&more[i]);
		assert_true(filter_rig_config(&more[i], text[i]));
		f[i] = sym_find(more[i].cfg->symbols, "f")->filter;
	}
	rig.cf_chan[2].export = test_channel_secondary_filter_of(
	    "if bgp_med = 1 then reject;");
	up_all();
	rig_announce(0, 0, 4, 10, 1);
	rig_announce(1, 0, 2, 11, 2); /* net 0 and 1: 1 2 3; net 2: 1 3; net 3: 1 */
	rig_announce(3, 0, 3, 13, 3);
	rig_announce(0, 4, 2, 10, 5); /* 4 and 5: 5 */
	rig_export(2);
	assert_int_equal(held[0], rig_holds(11, 2));
	assert_int_equal(held[3], 0);
	rig_in(&rig.peer[2]->p.worker, test_channel_secondary_set_filter,
	    (void *)(uintptr_t)f[0]);
	assert_int_equal(test_channel_secondary_told(2), 0);
	rig_in(&rig.peer[2]->p.worker, test_channel_secondary_set_filter,
	    (void *)(uintptr_t)f[1]);
	assert_int_equal(test_channel_secondary_told(2), 1);
	assert_int_equal(held[0], rig_holds(13, 3));
	assert_int_equal(held[2], rig_holds(13, 3));
	assert_int_equal(held[4], rig_holds(10, 5));
	rig_in(&rig.peer[2]->p.worker, test_channel_secondary_set_filter,
	    (void *)(uintptr_t)f[2]);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(10, 1));
	assert_int_equal(held[3], rig_holds(10, 1));
	assert_true(test_channel_secondary_watched(2, ""));
	for (unsigned i = 0; i < 3; i++)
		filter_rig_fini(&more[i]);
}

/* A peer whose class has room for messages of few attributes. */
static void
test_channel_secondary_up_short(unsigned k)
{
	struct route_source src = { .from = ip4(0x7f000001u + k), .is_bgp = true };
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.msg_max = 55; /* 19 + 4, 27 of attributes at most, 5 of a prefix */
	rig_up_as(k, &src, NULL, &cls);
}

static void
test_channel_secondary_announce_long(void *arg)
{
	struct rig_route *r = arg;
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t data[128], nlri[64];
	struct wbuf w = wbuf_of(data, sizeof(data));
	uint8_t comm[8] = { 0, 1, 0, 1, 0, 1, 0, 2 };
	uint32_t len = rig_attrs(data, r->as, r->med);

	w.pos = data + len;
	wire_item(&w, 0xc0, ATTR_COMMUNITY, comm, 8);
	len = (uint32_t)(w.pos - data);
	channel_import(
	    r->pe->ch, data, len, &local, nlri, rig_nlri(nlri, r->first, r->cnt));
}

/* What can't be said is refused, whole and net by net, and what follows counts. */
static void
test_too_long(void **state)
{
	const uint64_t *held = rig.peer[2]->held;
	struct rig_route r = { rig.peer[0], 0, 2, 10, 1 };

	(void)state;
	rig_hush();
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(3);
	test_channel_secondary_up_short(2);
	rig_in(&rig.peer[0]->p.worker, test_channel_secondary_announce_long, &r);
	rig_settle();
	rig_announce(1, 0, 2, 11, 2);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(11, 2));
	assert_int_equal(held[1], rig_holds(11, 2));
	assert_true(test_channel_secondary_watched(2, "01"));
	assert_int_equal(counter64_get(&rig.peer[2]->ch->stats.exp_upd_accepted), 2);
	/* own, too long, then one that fits */
	rig_announce(2, 0, 1, 12, 0);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(11, 2));
	rig_withdraw(1, 0, 2);
	rig_export(2);
	assert_int_equal(rig.peer[2]->sink.adj.out_cnt, 0);
	assert_int_equal(held[0] | held[1], 0);
	log_stop();
}

/* What the peer itself would be the next hop of isn't for it: only what its filter has
 * left of the route says so. */
static void
test_own_hop(void **state)
{
	const uint64_t *held = rig.peer[2]->held;

	(void)state;
	rig_hush();
	rig.cf_chan[2].export = test_channel_secondary_filter_of(
	    "if bgp_med = 1 then bgp_next_hop = 127.0.0.3;");
	up_all();
	rig_announce(0, 0, 2, 10, 1);
	rig_announce(1, 0, 1, 11, 2);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(11, 2));
	assert_int_equal(held[1], 0);
	assert_true(test_channel_secondary_watched(2, "01"));
	rig_announce(0, 0, 1, 10, 0);
	rig_export(2);
	assert_int_equal(held[0], rig_holds(10, 0));
	assert_true(test_channel_secondary_watched(2, "1"));
	log_stop();
}

/* A full sink: what is to be sent waits, and is what it is then. */
static void
test_blocked(void **state)
{
	struct rig_peer *pe = rig.peer[2];

	(void)state;
	up_all();
	rig_announce(2, 0, 6, 12, 1);
	rig_announce(0, 0, 6, 10, 5);
	rig_export(2);
	pe->room = 0;
	rig_announce(1, 0, 6, 11, 4);
	rig_withdraw(0, 1, 1);
	rig_announce(0, 2, 1, 10, 0);
	rig_withdraw(1, 3, 1);
	rig_in(&rig_table()->worker, rig_nothing, NULL);
	journal_hurry(&rig_table()->best.journal);
	rig_export(2);
	assert_int_equal(pe->held[0], rig_holds(10, 5));
	rig_announce(1, 4, 1, 11, 6);
	pe->room = 4000;
	rig_export(2);
	assert_int_equal(pe->held[0], rig_holds(11, 4));
	assert_int_equal(pe->held[1], rig_holds(11, 4));
	assert_int_equal(pe->held[2], rig_holds(10, 0));
	assert_int_equal(pe->held[3], rig_holds(10, 5));
	assert_int_equal(pe->held[4], rig_holds(10, 5));
	assert_true(test_channel_secondary_watched(2, "01345"));
}

/* A refresh sends all again, also what the peer holds. */
static void
test_channel_secondary_refresh_out(void *arg)
{
	channel_refresh_out(arg);
}

static void
test_refresh(void **state)
{
	(void)state;
	up_all();
	rig_announce(2, 0, 1, 12, 1);
	rig_announce(0, 0, 2, 10, 5);
	rig_export(2);
	memset(rig.peer[2]->held, 0, sizeof(rig.peer[2]->held));
	rig_in(
	    &rig.peer[2]->p.worker, test_channel_secondary_refresh_out, rig.peer[2]->ch);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(10, 5));
	assert_int_equal(rig.peer[2]->held[1], rig_holds(10, 5));
}

static void
limit_off(void *arg)
{
	rig.cf_chan[2].limit.export = (struct conf_limit){ 0 };
	channel_reconf(arg, CONF_CH_LIMIT, false);
}

/* A limit keeps a route back, and no other one is looked for. */
static void
test_limit(void **state)
{
	(void)state;
	rig.cf_chan[2].limit.export = (struct conf_limit){ 1, LIMIT_BLOCK };
	up_all();
	rig_announce(2, 0, 2, 12, 1);
	rig_announce(0, 0, 2, 10, 5);
	rig_export(2);
	assert_int_equal(rig.peer[2]->sink.adj.out_cnt, 1);
	rig_in(&rig.peer[2]->p.worker, limit_off, rig.peer[2]->ch);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(10, 5));
	assert_int_equal(rig.peer[2]->held[1], rig_holds(10, 5));
}

/* In the middle of a batch a look may see what isn't so at its end: then also a segment
 * matters that says that only the source changed. */
static void
test_source_only(void **state)
{
	struct channel *ch = rig.peer[2]->ch;
	struct segment s = { .form = SEG_ONE_RUN, .src = 1, .run_cnt = 1 };

	(void)state;
	up_all();
	rig_announce(2, 0, 1, 12, 1);
	rig_announce(0, 0, 1, 10, 5);
	rig_export(2);
	assert_int_equal(ch->exp.watch->looked, table_batch(rig_table()));
	s.nets = (struct seg_run){ 100, 1 };
	s.batch = ch->exp.watch->looked;
	assert_true(watched_concerns(ch, &s));
	s.batch++;
	assert_false(watched_concerns(ch, &s));
	s.form |= SEG_BEHIND;
	s.batch--;
	assert_false(watched_concerns(ch, &s));
	s.nets.id = 0; /* which is watched */
	assert_true(watched_concerns(ch, &s));
}

static void
test_sent_set(void **state)
{
	struct seed s = seed_start("test_channel_secondary");
	struct sent_set set = { .store = rig.tern.store };
	struct wire_set *wire[3];
	uint8_t held[300] = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		uint8_t data[64];

		wire[i] = attr_store_wire(rig.tern.store, data, rig_attrs(data, 1, i));
	}
	for (uint32_t i = 0; i < 20000; i++) {
		uint32_t id = seed_below(&s, i < 10000 ? 300 : 40), v = seed_below(&s, 4);

		if (v) {
			sent_set_put(&set, id * 7919, wire[v - 1], (uint8_t)(v & 1));
			held[id] = (uint8_t)v;
		} else {
			sent_set_del(&set, id * 7919);
			held[id] = 0;
		}
		if (i == 10000)
			for (id = 40; id < 300; id++) {
				sent_set_del(&set, id * 7919);
				held[id] = 0;
			}
		id = seed_below(&s, 300);
		for (v = 1; v < 4; v++) {
			assert_int_equal(
			    sent_set_is(&set, id * 7919, wire[v - 1], (uint8_t)(v & 1)),
			    held[id] == v);
			assert_false(
			    sent_set_is(&set, id * 7919, wire[v - 1], (uint8_t)(~v & 1)));
		}
	}
	sent_set_clear(&set);
	for (uint32_t i = 0; i < 3; i++)
		wire_set_unref(rig.tern.store, wire[i]);
}

#define TEST(fn)                                                                         \
	cmocka_unit_test_setup_teardown(                                                 \
	    fn, test_channel_secondary_start, test_channel_secondary_finish)

static const struct CMUnitTest tests[] = {
	TEST(test_ext),
	TEST(test_source_down),
	TEST(test_filter),
	TEST(test_changed_filter),
	TEST(test_too_long),
	TEST(test_own_hop),
	TEST(test_blocked),
	TEST(test_refresh),
	TEST(test_limit),
	TEST(test_source_only),
	TEST(test_sent_set),
};

UNIT_MAIN(tests)
