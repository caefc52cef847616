/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import of several paths a net from one peer (RFC 7911): each by its identifier; reload,
 * limits. */
#include "lib/wire/bgp/bgp_nlri.h"
#include "test/lib/filter_run.h"
#include "test/lib/reload_rig.h"
#include "test/lib/table_find.h"

/* One UPDATE of peer 0. */
struct ids_update {
	uint32_t cnt, med;
	struct {
		uint32_t net, rid;
	} nlri[3];
};

static uint32_t
test_channel_ids_put(uint8_t *to, const struct ids_update *u)
{
	uint32_t len = 0;

	for (uint32_t i = 0; i < u->cnt; i++) {
		struct prefix p = rig_net(u->nlri[i].net);

		put_be32(to + len, u->nlri[i].rid);
		len += NLRI_ID_LEN;
		len += prefix_put(to + len, &p);
	}
	return len;
}

static void
do_announce_ids(void *arg)
{
	struct ids_update *u = arg;
	struct attr_local local = { .dest = DEST_UNICAST, .rts = RTS_BGP };
	uint8_t data[64], nlri[64] = { 0 };

	channel_import(rig.peer[0]->ch, data, rig_attrs(data, 7, u->med), &local, nlri,
	    test_channel_ids_put(nlri, u));
}

static void
do_withdraw_ids(void *arg)
{
	uint8_t nlri[64] = { 0 };

	channel_withdraw(rig.peer[0]->ch, nlri, test_channel_ids_put(nlri, arg));
}

static void
announce_ids(struct ids_update u)
{
	rig_in(&rig.peer[0]->p.worker, do_announce_ids, &u);
	rig_settle();
}

static void
withdraw_ids(struct ids_update u)
{
	rig_in(&rig.peer[0]->p.worker, do_withdraw_ids, &u);
	rig_settle();
}

static void
do_set_ids(void *arg)
{
	unsigned *id_len = arg;

	channel_set_ids(rig.peer[0]->ch, *id_len);
}

static void
set_ids(unsigned id_len)
{
	rig_in(&rig.peer[0]->p.worker, do_set_ids, &id_len);
}

/* path_is - the path at place @at of net @i: its identifier and MED. */
static void
test_channel_ids_path_is(uint32_t i, unsigned at, uint32_t rid, uint32_t med)
{
	const struct path *p = rig_path(i);

	while (p && at--)
		p = path_next(p);
	assert_non_null(p);
	assert_int_equal(path_rid(p), rid);
	assert_int_equal(wire_med(path_set(p)->wire), med);
}

static unsigned
path_cnt(uint32_t i)
{
	unsigned cnt = 0;

	for (const struct path *p = rig_path(i); p; p = path_next(p))
		cnt++;
	return cnt;
}

static void
test_ids(void **state)
{
	struct channel_stats *st = channel_stats(rig.peer[0]->ch);

	(void)state;
	set_ids(NLRI_ID_LEN);
	spine_rig_up(0);
	announce_ids(
	    (struct ids_update){ 3, 4, { { 0, 5 }, { 0, UINT32_MAX }, { 1, 5 } } });
	announce_ids((struct ids_update){ 1, 3, { { 0, 0 } } });
	test_channel_ids_path_is(0, 0, 0, 3);
	test_channel_ids_path_is(0, 1, 5, 4);
	test_channel_ids_path_is(0, 2, UINT32_MAX, 4);
	assert_int_equal(path_cnt(1), 1);
	assert_int_equal(counter64_get(&st->in.imported), 4);
	/* the same one twice: the last counts; another's place */
	announce_ids((struct ids_update){ 2, 2, { { 0, 5 }, { 0, 5 } } });
	test_channel_ids_path_is(0, 0, 5, 2);
	assert_int_equal(path_cnt(0), 3);
	withdraw_ids((struct ids_update){ 3, 0, { { 0, 5 }, { 0, 6 }, { 1, 0 } } });
	assert_int_equal(path_cnt(0), 2);
	assert_int_equal(path_cnt(1), 1);
	assert_int_equal(counter64_get(&st->in.imp_wd_accepted), 1);
	assert_int_equal(counter64_get(&st->in.imp_wd_ignored), 2);
	withdraw_ids((struct ids_update){ 2, 0, { { 0, 0 }, { 0, UINT32_MAX } } });
	assert_null(rig_path(0));
	/* the next session has none */
	spine_rig_down(0);
	set_ids(0);
	spine_rig_up(0);
	rig_announce(0, 1, 1, 7, 9);
	test_channel_ids_path_is(1, 0, 0, 9);
	assert_int_equal(path_cnt(1), 1);
}

/* A reload goes through all paths that one net has of the peer. */
static void
test_ids_reload(void **state)
{
	(void)state;
	rig.cf_chan[0].keep_filtered = true;
	set_ids(NLRI_ID_LEN);
	spine_rig_up(0);
	spine_rig_up(1);
	rig_announce(1, 0, 1, 8, 2);
	announce_ids((struct ids_update){ 3, 4, { { 0, 5 }, { 0, 0 }, { 1, 5 } } });
	announce_ids((struct ids_update){ 1, 3, { { 0, 7 } } });
	rig.cf_chan[0].import = &filter_reject_all;
	assert_true(rig_reload());
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), 4);
	assert_int_equal(path_cnt(0), 4);
	rig.cf_chan[0].import = &filter_accept_all;
	assert_true(rig_reload());
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), 0);
	test_channel_ids_path_is(0, 0, 0, 2); /* of the other peer */
	test_channel_ids_path_is(0, 1, 7, 3);
	test_channel_ids_path_is(0, 2, 0, 4);
	test_channel_ids_path_is(0, 3, 5, 4);
}

/* A net of many of them is gone through in steps, and no path is left out, whatever comes
 * and goes in between. */
#define MANY 1000

static uint32_t steps;

static void
test_channel_ids_announce_many(void *arg)
{
	for (uint32_t i = 0; i < MANY; i++) {
		struct ids_update u = { 1, 3, { { 0, i * 0x9e3779b1 } } };

		do_announce_ids(&u);
		rig_flush(rig.peer[0]->ch);
	}
	(void)arg;
}

static void
reload_in_steps(void *arg)
{
	struct channel *ch = rig.peer[0]->ch;
	struct prefix p = rig_net(0);
	uint32_t rid = 0, *with = arg;

	do {
		uint32_t from = rid;

		if (++steps == 2 && with)
			do_announce_ids(&(struct ids_update){ 1, 3, { { 0, *with } } });
		assert_true(steps < 100);
		if (!channel_reload_net(ch, rig_find(ch->table, &p), &rid))
			assert_int_equal(rid, 0);
		else
			assert_true(rid > from);
		rig_flush(ch);
	} while (rid);
}

static void
test_many(void **state)
{
	uint32_t more = 77;

	(void)state;
	rig.cf_chan[0].keep_filtered = true;
	set_ids(NLRI_ID_LEN);
	spine_rig_up(0);
	rig_in(&rig.peer[0]->p.worker, test_channel_ids_announce_many, NULL);
	rig_settle();
	assert_int_equal(path_cnt(0), MANY);
	rig.cf_chan[0].import = &filter_reject_all;
	steps = 0;
	rig_in(&rig.peer[0]->p.worker, reload_in_steps, NULL);
	rig_settle();
	/* a path that is being replaced may be met twice */
	assert_in_range(steps, 4, 8);
	assert_int_equal(
	    counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), MANY);
	rig.cf_chan[0].import = &filter_accept_all;
	assert_true(rig_reload());
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), 0);
	rig.cf_chan[0].import = &filter_reject_all;
	steps = 0;
	rig_in(&rig.peer[0]->p.worker, reload_in_steps, &more);
	rig_settle();
	assert_int_equal(
	    counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), MANY + 1);
}

/* Limits count paths, not nets. */
static void
test_ids_limit(void **state)
{
	(void)state;
	rig.cf_chan[0].limit.import = (struct conf_limit){ 2, LIMIT_BLOCK };
	set_ids(NLRI_ID_LEN);
	spine_rig_up(0);
	announce_ids((struct ids_update){ 3, 4, { { 0, 5 }, { 0, 6 }, { 0, 7 } } });
	assert_int_equal(path_cnt(0), 2);
	announce_ids((struct ids_update){ 2, 3, { { 0, 6 }, { 0, 8 } } });
	test_channel_ids_path_is(0, 0, 6, 3);
	test_channel_ids_path_is(0, 1, 5, 4);
	assert_int_equal(path_cnt(0), 2);
	withdraw_ids((struct ids_update){ 1, 0, { { 0, 5 } } });
	announce_ids((struct ids_update){ 2, 5, { { 1, 6 }, { 0, 8 } } });
	assert_int_equal(path_cnt(0), 1);
	assert_int_equal(path_cnt(1), 1);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_ids),
	RIG_TEST(test_ids_reload),
	RIG_TEST(test_many),
	RIG_TEST(test_ids_limit),
};

UNIT_MAIN(tests)
