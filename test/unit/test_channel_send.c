/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From segments to messages: what a session does that has run ahead of its journal. */
#include "nest/rib/stream/cut.h"
#include "test/lib/filter_run.h"
#include "test/lib/spine_rig.h"
#include "test/lib/table_find.h"

/* As reader_tell_chunk does when a dirty net brings it to a cut. */
static void
run_ahead(void *arg)
{
	struct channel *ch = arg;
	struct cut *c = cut_get(
	    ch->rd->st, 0, NULL, ch->rd->sweep.since, &ch->work.arena);

	ch->rd->shown.ahead = true;
	ch->rd->shown.ahead_batch = c->batch;
	cut_put(c);
}

/* A reader that has run ahead skips a net of a segment because a later one has it; but
 * the later one says only that the source changed. */
static void
test_source_only(void **state)
{
	struct prefix p = rig_net(0);

	(void)state;
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(2);
	rig_announce(1, 100, 1, 9, 1);
	rig_export(2);
	rig_announce(1, 0, 1, 9, 7); /* S1 */
	rig_in(&rig.peer[2]->p.worker, run_ahead, rig.peer[2]->ch);
	rig_announce(
	    0, 0, 1, 9, 7); /* S2: the same set from a source that ranks before it */
	assert_int_equal(path_feeder(net_best(rig_find(rig_table(), &p))),
	    channel_source_id(rig.peer[0]->ch));
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(9, 7));
}

static void
want_behind(void *arg)
{
	(void)arg;
	rig_table()->behind.readers++;
}

/* Somebody wants nets told of which only a path behind the best changes: nobody else
 * sends anything for that, but one that has left out an older segment of the net. */
static void
test_behind(void **state)
{
	const struct rig_peer *reader = rig.peer[2];
	uint64_t tail;
	uint32_t msgs;

	(void)state;
	rig_in(&rig_table()->worker, want_behind, NULL);
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(2);
	rig_announce(0, 0, 2, 9, 1);
	rig_announce(1, 0, 2, 8, 2);
	rig_export(2);
	msgs = reader->msg_cnt;
	tail = load_relaxed64(&rig_table()->best.journal.tail);
	rig_announce(1, 0, 2, 8, 3);
	assert_int_equal(load_relaxed64(&rig_table()->best.journal.tail), tail + 1);
	rig_export(2);
	assert_int_equal(reader->msg_cnt, msgs);
	rig_announce(0, 0, 1, 9, 0);
	rig_in(&rig.peer[2]->p.worker, run_ahead, rig.peer[2]->ch);
	rig_announce(1, 0, 1, 8, 4);
	rig_export(2);
	assert_int_equal(reader->held[0], rig_holds(9, 0));
	assert_int_equal(reader->held[1], rig_holds(9, 1));
}

static void
accept_all(void *arg)
{
	struct rig_peer *pe = arg;

	rig.cf_chan[2].export = &filter_accept_all;
	channel_reconf(pe->ch, CONF_CH_EXPORT, false);
}

static void
test_channel_send_compare(void *arg)
{
	struct rig_peer *pe = arg;

	while (channel_compare_step(pe->ch))
		;
}

/* What a changed filter is compared by may be newer than what was read of the journal,
 * where only a change of source is still to come: the old filter refused the first, which
 * the peer doesn't hold. */
static void
test_source_only_compared(void **state)
{
	struct filter_rig filters;

	(void)state;
	filter_rig_init(&filters);
	assert_true(filter_rig_config(
	    &filters, "filter f { if from = 127.0.0.2 then reject; accept; }"));
	rig.cf_chan[2].export = sym_find(filters.cfg->symbols, "f")->filter;
	spine_rig_up(0);
	spine_rig_up(1);
	spine_rig_up(2);
	rig_announce(1, 0, 1, 9, 7);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], 0);
	rig_in(&rig.peer[2]->p.worker, accept_all, rig.peer[2]);
	rig_announce(0, 0, 1, 9, 7);
	rig_in(&rig.peer[2]->p.worker, test_channel_send_compare, rig.peer[2]);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(9, 7));
	filter_rig_fini(&filters);
}

/* A source that is an internal peer, with a router id. */
static void
up_internal(unsigned k)
{
	struct route_source src = { .from = ip4(0x7f000001u + k),
		.is_bgp = true,
		.rr_client = true,
		.peer_router_id = 0x01020304 };

	rig_up_as(k, &src, NULL, NULL);
}

static void
other_class(void *arg)
{
	struct rig_peer *pe = arg;
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.prepend_as = 77;
	bgp_sink_set_class_ibgp(&pe->sink, &cls, false);
}

static void
test_channel_send_reflects(void *arg)
{
	struct rig_peer *pe = arg;
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.send_reflect = 1;
	cls.cluster_id = 5;
	bgp_sink_set_class_ibgp(&pe->sink, &cls, true);
}

/* Routes from internal peers have a class of their own, and ORIGINATOR_ID (7 octets) and
 * CLUSTER_LIST (7) where they are reflected. */
static void
test_class_by_source(void **state)
{
	uint32_t plain, before;

	(void)state;
	up_internal(0);
	spine_rig_up(1);
	spine_rig_up(2);
	rig_in(&rig.peer[2]->p.worker, other_class, rig.peer[2]);
	rig_export(2);
	rig_announce(0, 0, 1, 9, 1);
	rig_announce(1, 1, 1, 9, 1);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(77, 1));
	assert_int_equal(rig.peer[2]->held[1], rig_holds(9, 1));
	/* only the source changes, and so does the class */
	rig_announce(0, 1, 1, 9, 1);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[1], rig_holds(77, 1));
	/* all again as the class changes */
	rig_in(&rig.peer[2]->p.worker, test_channel_send_reflects, rig.peer[2]);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(9, 1));
	before = rig.peer[2]->octets;
	rig_announce(1, 10, 1, 9, 2);
	rig_export(2);
	plain = rig.peer[2]->octets - before;
	before = rig.peer[2]->octets;
	rig_announce(0, 11, 1, 9, 3);
	rig_export(2);
	assert_int_equal(rig.peer[2]->octets - before, plain + 14);
}

#define LINK 5

/* A source on the reader's link; the others are external peers somewhere else. */
static void
up_on_link(unsigned k)
{
	struct route_source src = { .from = ip4(0x7f000001u + k),
		.is_bgp = true,
		.is_ebgp = true,
		.link_if = LINK };
	struct export_rules rules = { .peer_addr = src.from, .link_if = LINK };

	rig_up_as(k, &src, &rules, NULL);
}

static const struct export_rules own_hop_rules = {
	.self_hop = HOP_EXTERNAL | HOP_INTERNAL | HOP_OURS, .link_if = LINK
};

static void
set_hop_class(void *arg)
{
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.nh4 = ip4(0x0a000003);
	cls.prepend_as = 78;
	bgp_sink_set_class_hop(
	    &((struct rig_peer *)arg)->sink, &cls, own_hop_rules.self_hop);
}

/* The class is told by the first AS: 77, and 78 for those whose next hop stays. */
static void
up_own_hop(unsigned k)
{
	struct route_source src = { .from = ip4(0x7f000001u + k), .is_bgp = true };
	struct export_rules rules = own_hop_rules;
	struct bgp_class cls;

	rules.peer_addr = src.from;
	bgp_class_init(&cls);
	cls.nh4 = ip4(0x0a000003);
	cls.prepend_as = 77;
	rig_up_as(k, &src, &rules, &cls);
	rig_in(&rig.peer[k]->p.worker, set_hop_class, rig.peer[k]);
}

static void
no_own_hop(void *arg)
{
	struct rig_peer *pe = arg;

	bgp_sink_set_class_hop(&pe->sink, NULL, 0);
	channel_reconf(pe->ch, 0, false);
}

/* Which class a route has hangs on its source, and on what the filter did. */
static void
test_hop_stays(void **state)
{
	const struct rig_peer *reader = rig.peer[2];
	struct filter_rig filters;

	(void)state;
	filter_rig_init(&filters);
	assert_true(filter_rig_config(&filters,
	    "filter f { if net.len = 24 && bgp_med = 4 then bgp_next_hop = 10.1.1.1;"
	    " if bgp_med = 5 then unset(bgp_next_hop); accept; }"));
	rig.cf_chan[2].export = sym_find(filters.cfg->symbols, "f")->filter;
	up_on_link(0);
	spine_rig_up(1);
	up_own_hop(2);
	rig_announce(0, 0, 4, 9, 1);
	rig_announce(1, 4, 4, 9, 2);
	rig_announce(1, 8, 1, 9, 3);
	rig_announce(1, 9, 1, 9, 4);
	rig_announce(0, 10, 1, 9, 5);
	rig_export(2);
	assert_int_equal(reader->held[0], rig_holds(78, 1));
	assert_int_equal(reader->held[4], rig_holds(77, 2));
	assert_int_equal(reader->held[8], rig_holds(77, 3));
	assert_int_equal(reader->held[9], rig_holds(78, 4));
	assert_int_equal(reader->held[10], rig_holds(77, 5));
	rig_announce(0, 8, 1, 9, 3); /* only the source changes, and with it the class */
	rig_export(2);
	assert_int_equal(reader->held[8], rig_holds(78, 3));
	rig_in(&rig.peer[2]->p.worker, no_own_hop, rig.peer[2]);
	rig_export(2);
	assert_int_equal(reader->held[0], rig_holds(77, 1));
	assert_int_equal(reader->held[9], rig_holds(77, 4));
	filter_rig_fini(&filters);
}

/* A class whose messages hold no attributes. */
static void
test_channel_send_up_short(unsigned k)
{
	struct route_source src = { .from = ip4(0x7f000001u + k), .is_bgp = true };
	struct bgp_class cls;

	bgp_class_init(&cls);
	cls.msg_max = 40;
	rig_up_as(k, &src, NULL, &cls);
}

/* log_lines - how many lines with @what are in the log. */
static unsigned
test_channel_send_log_lines(const char *path, const char *what)
{
	FILE *f = fopen(path, "r");
	char line[1024];
	unsigned cnt = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		cnt += strstr(line, what) != NULL;
	fclose(f);
	return cnt;
}

/* Routes that no message holds aren't sent, and that is told once a minute for all of
 * them, with their number. */
static void
test_too_long(void **state)
{
	char path[] = "/tmp/tern_test_XXXXXX";

	(void)state;
	close(mkstemp(path));
	rig_log_to(path);
	rig.cf_chan[2].limit.export = (struct conf_limit){ 6, LIMIT_BLOCK };
	spine_rig_up(0);
	test_channel_send_up_short(1);
	test_channel_send_up_short(2);
	rig_export(1);
	rig_export(2);
	for (uint32_t i = 0; i < 5; i++)
		rig_announce(0, i, 1, 9, i);
	rig_export(1); /* 5 whole segments, 1 of them told */
	rig_announce(0, 5, 10, 9, 100);
	rig_export(2); /* 5, and then net by net as the limit is near: 6 */
	store_relaxed64(&class_registry_unsent(rig.tern.session_classes)->said_ns,
	    0); /* a minute passes */
	rig_announce(0, 15, 1, 9, 200);
	rig_export(
	    1); /* the first of 10 is told, and the 4, 11 and 9 before and beside it */
	assert_int_equal(rig.peer[1]->held[0] | rig.peer[2]->held[0], 0);
	for (unsigned k = 1; k <= 2; k++) { /* whole segments, and net by net */
		assert_int_equal(counter64_get(&rig.peer[k]->ch->stats.exported), 0);
		assert_int_equal(rig.peer[k]->sink.adj.out_cnt, 0);
		assert_int_equal(
		    counter64_get(&rig.peer[k]->ch->stats.exp_upd_accepted), 0);
	}
	log_stop();
	assert_int_equal(test_channel_send_log_lines(path, "isn't sent"), 2);
	assert_int_equal(test_channel_send_log_lines(
			     path, "peer: 11.0.0.0/24 isn't sent: the attributes"),
	    1);
	assert_int_equal(test_channel_send_log_lines(
			     path, "peer: 11.0.5.0/24 isn't sent: the attributes"),
	    1);
	assert_int_equal(test_channel_send_log_lines(path, "(and 24 more so far)"), 1);
	unlink(path);
}

static sem_t left;

static void
has_left(struct channel *ch)
{
	(void)ch;
	sem_post(&left);
}

static void
test_channel_send_leave(void *arg)
{
	static struct channel_ops ops;
	struct rig_peer *pe = arg;

	ops = *pe->ch->ops;
	ops.detached = has_left;
	pe->ch->ops = &ops;
	channel_down(pe->ch);
	channel_detach(pe->ch);
}

static void
test_channel_send_come_back(void *arg)
{
	struct rig_peer *pe = arg;

	pe->ch->ops = &rig_channel_ops;
	pe->ch->life.detaching = false;
	ring_fini(&pe->ch->ts.ring); /* which a channel that is freed would do */
	feeder_init(&pe->ch->ts, pe->ch->table, &pe->p.worker);
	channel_attach(pe->ch);
}

/* The journal outlives sources: a reader that lags finds segments of one that is gone. */
static void
test_source_gone(void **state)
{
	(void)state;
	sem_init(&left, 0, 0);
	up_internal(0);
	spine_rig_up(2);
	rig_in(&rig.peer[2]->p.worker, test_channel_send_reflects, rig.peer[2]);
	rig_export(2);
	rig_announce(0, 0, 1, 9, 1);
	rig_in(&rig.peer[0]->p.worker, test_channel_send_leave, rig.peer[0]);
	rcu_sleep();
	while (sem_wait(&left))
		;
	rcu_wake();
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], 0);
	rig_in(&rig.peer[0]->p.worker, test_channel_send_come_back, rig.peer[0]);
	rig_settle();
}

/* Filters that ask about a source which has gone when they read get what was true when
 * the route was best: not "unknown", which would let the route through, and leave that
 * answer for others. */
static void
test_source_facts(void **state)
{
	struct filter_rig filters;

	(void)state;
	sem_init(&left, 0, 0);
	filter_rig_init(&filters);
	assert_true(filter_rig_config(
	    &filters, "filter f { if from = 127.0.0.1 then reject; accept; }"));
	rig.cf_chan[2].export = sym_find(filters.cfg->symbols, "f")->filter;
	rig.cf_chan[3].export = rig.cf_chan[2].export;
	for (unsigned k = 0; k < 4; k++)
		spine_rig_up(k);
	for (unsigned k = 1; k < 4; k++)
		rig_export(k);
	rig_announce(0, 0, 4, 9, 1);
	rig_announce(1, 4, 4, 9, 1);
	rig_in(&rig.peer[0]->p.worker, test_channel_send_leave, rig.peer[0]);
	rcu_sleep();
	while (sem_wait(&left))
		;
	rcu_wake();
	for (unsigned k = 2; k < 4; k++) {
		rig_export(k);
		assert_int_equal(rig.peer[k]->msg_cnt, 1); /* the other source's */
		assert_int_equal(rig.peer[k]->held[4], rig_holds(9, 1));
	}
	rig_export(1); /* it has no filter: told, and told that it went */
	assert_int_equal(rig.peer[1]->msg_cnt, 2);
	rig_in(&rig.peer[0]->p.worker, test_channel_send_come_back, rig.peer[0]);
	rig_settle();
	filter_rig_fini(&filters);
}

struct lent_turn {
	struct channel *ch;
	bool left;
};

static void
do_lent(void *arg)
{
	struct lent_turn *t = arg;

	t->left = channel_lent(t->ch);
	channel_work_put(t->ch);
}

/* lent - the turn of peer @k as a lender would take it. Returns: whether something is
 * left for its own thread. */
static bool
test_channel_send_lent(unsigned k)
{
	struct lent_turn t = { rig.peer[k]->ch, false };

	rig_in(&rig.peer[k]->p.worker, do_lent, &t);
	return t.left;
}

static void
test_channel_send_refresh_out(void *arg)
{
	channel_refresh_out(arg);
}

/* In a lease no filter is run: what needs one is left to the session's own thread, whose
 * answer serves others. */
static void
test_lent(void **state)
{
	struct filter_rig filters;

	(void)state;
	filter_rig_init(&filters);
	assert_true(filter_rig_config(&filters,
	    "filter f { if from = 127.0.0.1 then reject; accept; }"
	    "filter n { if net.len = 8 then reject; accept; }"));
	rig.cf_chan[2].export = sym_find(filters.cfg->symbols, "f")->filter;
	rig.cf_chan[3].export = rig.cf_chan[2].export;
	rig.cf_chan[1].export = sym_find(filters.cfg->symbols, "n")->filter;
	for (unsigned k = 0; k < 4; k++)
		spine_rig_up(k);
	assert_true(test_channel_send_lent(0)); /* a feed */
	for (unsigned k = 0; k < 4; k++)
		rig_export(k);
	rig_announce(1, 0, 4, 9, 1);
	assert_false(test_channel_send_lent(0)); /* it has no filter */
	assert_int_equal(rig.peer[0]->held[3], rig_holds(9, 1));
	assert_false(test_channel_send_lent(1)); /* its own */
	assert_true(test_channel_send_lent(2));
	assert_int_equal(rig.peer[2]->held[0], 0);
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(9, 1));
	assert_false(test_channel_send_lent(3)); /* the filter has answered */
	assert_int_equal(rig.peer[3]->held[0], rig_holds(9, 1));
	rig_announce(2, 4, 1, 8, 1);
	assert_true(test_channel_send_lent(
	    1)); /* a filter that looks at the net has no answer for others */
	rig_export(1);
	rig_withdraw(1, 0, 4); /* nor is one needed */
	rig_export(3);
	assert_false(test_channel_send_lent(0));
	assert_false(test_channel_send_lent(0));
	assert_int_equal(rig.peer[0]->held[0], 0);
	/* A reader that has other things to do than to follow does them itself. */
	rig_in(&rig.peer[0]->p.worker, test_channel_send_refresh_out, rig.peer[0]->ch);
	assert_true(test_channel_send_lent(0));
	/* One that has no room can do nothing. */
	rig_export(0);
	rig.peer[0]->room = 0;
	rig_announce(1, 0, 4, 9, 2);
	assert_false(test_channel_send_lent(0));
	assert_int_equal(rig.peer[0]->held[0], 0);
	filter_rig_fini(&filters);
}

/* A channel whose instance has no worker yet, while others attach and go: nobody finds
 * it. (It was attached when it was made once; who took its place among the journal's
 * readers was woken, and had no loop.) */
static void
test_not_yet(void **state)
{
	struct rig_peer *late = rig_peer_new(2);

	(void)state;
	sem_init(&left, 0, 0);
	spine_rig_up(1);
	for (unsigned i = 0; i < 3; i++) {
		rig_in(&rig.peer[0]->p.worker, test_channel_send_leave, rig.peer[0]);
		rcu_sleep();
		while (sem_wait(&left))
			;
		rcu_wake();
		rig_announce(1, i, 1, 9, 1);
		rig_in(&rig.peer[0]->p.worker, test_channel_send_come_back, rig.peer[0]);
		rig_settle();
	}
	assert_int_equal(load_relaxed32(&late->ch->ts.id), NO_FEEDER);
	rig_peer_launch(late);
	rig_settle();
	assert_int_not_equal(load_relaxed32(&late->ch->ts.id), NO_FEEDER);
	rig_in(&late->p.worker, rig_do_detach, late);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_not_yet),
	RIG_TEST(test_source_facts),
	RIG_TEST(test_lent),
	RIG_TEST(test_source_gone),
	RIG_TEST(test_class_by_source),
	RIG_TEST(test_hop_stays),
	RIG_TEST(test_too_long),
	RIG_TEST(test_behind),
	RIG_TEST(test_source_only),
	RIG_TEST(test_source_only_compared),
};

UNIT_MAIN(tests)
