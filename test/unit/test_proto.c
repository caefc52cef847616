/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two channels of an instance that share one socket: whose turn it is. */
#include "nest/channel/instance/proto_run.c"
#include "test/lib/spine_rig.h"

#define GROUPS 8 /* of nets that share a message */

/* A session with a second channel, of the same table. */
static struct {
	struct rig_peer *pe;
	struct channel *ch[2];
	struct bgp_sink sink[2]; /* in the order of the instance's list */
	uint32_t msg_cnt[2], eor_cnt[2], gone_cnt;
} two;

static unsigned
test_proto_nr_of(const struct channel *ch)
{
	return ch == two.ch[1];
}

static size_t
test_proto_room(struct bgp_sink *k)
{
	(void)k;
	return two.pe->room;
}

static void
test_proto_put(struct bgp_sink *k, const struct msg_piece *m)
{
	two.msg_cnt[test_proto_nr_of(k->sink.ch)] += m->msg_cnt;
	two.pe->room = 0; /* the socket is full */
}

static void
test_proto_feed_done(struct bgp_sink *k)
{
	two.eor_cnt[test_proto_nr_of(k->sink.ch)]++;
}

static const struct bgp_out two_out = {
	.room = test_proto_room,
	.put = test_proto_put,
	.flush = rig_tx_flush,
	.end_of_rib = test_proto_feed_done,
};

static void
one_detached(struct channel *ch)
{
	if (++two.gone_cnt == 2)
		worker_stop(&channel_proto(ch)->worker);
}

static void
two_gone(struct worker *w)
{
	channel_free(two.ch[!test_proto_nr_of(two.pe->ch)]);
	for (unsigned i = 0; i < 2; i++)
		bgp_sink_fini(&two.sink[i]);
	rig_worker_gone(w);
}

static const struct channel_ops two_ops = {
	.import_ready = rig_import_ready,
	.detached = one_detached,
};
static struct worker_ops two_worker;

static void
test_proto_do_up(void *arg)
{
	struct rig_peer *pe = arg;
	struct channel *own = pe->ch;

	for (unsigned i = 0; i < 2; i++) {
		pe->ch = two.ch[i];
		rig_do_up(pe);
	}
	pe->ch = own;
}

static void
do_end(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < 2; i++) {
		channel_down(two.ch[i]);
		channel_detach(two.ch[i]);
	}
}

/* drain - the socket takes octets until something is put. */
static void
test_proto_drain(void *arg)
{
	two.pe->room = 1;
	proto_run_round(arg);
	two.pe->room = 0;
}

static void
test_proto_full(void *arg)
{
	proto_run_round(arg);
}

static void
test_proto_steps(void (*fn)(void *arg), unsigned cnt)
{
	while (cnt--)
		rig_in(&two.pe->p.worker, fn, &two.pe->p.worker);
}

static void
test_proto_ask(void *arg)
{
	(void)arg;
	channel_refresh_out(two.ch[0]);
}

/* backlog - both channels have sent all; then a feed waits in the first, and one message
 * in the other. */
static void
test_proto_backlog(void)
{
	test_proto_steps(test_proto_drain, 4 * GROUPS);
	assert_int_equal(two.eor_cnt[0], 1);
	assert_int_equal(two.eor_cnt[1], 1);
	rig_in(&two.pe->p.worker, test_proto_ask, NULL);
	rig_announce(0, GROUPS * 10, 1, 9, 1);
	memset(two.msg_cnt, 0, sizeof(two.msg_cnt));
}

static int
test_proto_set_up(void **state)
{
	rig_start(state);
	memset(&two, 0, sizeof(two));
	two.pe = rig_peer_new(2);
	channel_free(two.pe->ch);
	store_release_ptr(&two.pe->p.channels, NULL); /* pairs: PCHAN */
	for (unsigned i = 2; i--;) {
		bgp_sink_init(&two.sink[i], &two_out, false);
		two.ch[i] = channel_new(
		    &two.pe->p, &rig.cf_chan[2], &two_ops, &two.sink[i].sink);
	}
	two.pe->ch = two.ch[0];
	two.pe->room = 0;
	two_worker = proto_ops;
	two_worker.gone = two_gone;
	tern_worker_start(&rig.tern);
	worker_start(&two.pe->p.worker, &two_worker, WORKER_SESSION, "two");
	spine_rig_up(0);
	for (unsigned g = 0; g < GROUPS; g++)
		rig_announce(0, g * 10, 10, 9, g);
	rig_in(&two.pe->p.worker, rig_nothing, NULL); /* it has started, */
	rig_settle(); /* and the table knows its channels */
	rig_in(&two.pe->p.worker, test_proto_do_up, two.pe);
	rig_settle();
	return 0;
}

static int
test_proto_tear_down(void **state)
{
	rig_in(&two.pe->p.worker, do_end, NULL);
	return rig_finish(state);
}

/* A change of one channel doesn't wait for all that the other one has to send. */
static void
test_turns(void **state)
{
	(void)state;
	test_proto_backlog();
	test_proto_steps(test_proto_drain, 3);
	assert_int_equal(two.msg_cnt[1], 1);
	assert_int_equal(two.msg_cnt[0], 2);
	test_proto_steps(test_proto_drain, GROUPS);
	assert_int_equal(two.eor_cnt[0], 2);
}

/* Nobody's turn is over without room. */
static void
test_full(void **state)
{
	(void)state;
	for (unsigned k = 1; k < 4; k++) {
		test_proto_backlog();
		for (unsigned i = 0; i < 3; i++) {
			test_proto_steps(test_proto_drain, 1);
			test_proto_steps(test_proto_full, k);
		}
		assert_int_equal(two.msg_cnt[1], 1);
		assert_int_equal(two.msg_cnt[0], 2);
		test_proto_steps(test_proto_drain, 2 * GROUPS);
		assert_int_equal(two.eor_cnt[0], 2);
		two.eor_cnt[0] = 1;
		rig_withdraw(0, GROUPS * 10, 1);
	}
}

static void
test_proto_do_down(void *arg)
{
	(void)arg;
	channel_down(two.ch[1]);
}

/* One that is down has no turn. */
static void
test_alone(void **state)
{
	(void)state;
	test_proto_backlog();
	rig_in(&two.pe->p.worker, test_proto_do_down, NULL);
	test_proto_steps(test_proto_drain, 3);
	assert_int_equal(two.msg_cnt[0], 3);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(
	    test_turns, test_proto_set_up, test_proto_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_full, test_proto_set_up, test_proto_tear_down),
	cmocka_unit_test_setup_teardown(
	    test_alone, test_proto_set_up, test_proto_tear_down),
};

UNIT_MAIN(tests)
