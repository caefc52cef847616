/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Import: what reaches the table, what is kept, what waits when the ring is full,
 * reload. */
#include "nest/channel/import/channel_import.c"
#include "test/lib/filter_run.h"
#include "test/lib/reload_rig.h"

static void
test_announce(void **state)
{
	struct channel_stats *st = channel_stats(rig.peer[0]->ch);

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 10, 7, 3);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(wire_med(rig_path(i)->set->wire), 3);
		assert_int_equal(rig_path(i)->set->local.preference, 100);
		assert_null(path_pre(rig_path(i)));
		assert_ptr_equal(rig_path(i)->set, rig_path(0)->set);
	}
	assert_null(rig_path(10));
	rig_withdraw(0, 2, 3);
	assert_null(rig_path(3));
	assert_non_null(rig_path(5));
	rig_withdraw(0, 2, 3); /* again */
	assert_int_equal(counter64_get(&st->imp_upd_received), 10);
	assert_int_equal(counter64_get(&st->in.imp_upd_accepted), 10);
	assert_int_equal(counter64_get(&st->imp_wd_received), 6);
	assert_int_equal(counter64_get(&st->in.imp_wd_accepted), 3);
	assert_int_equal(counter64_get(&st->in.imp_wd_ignored), 3);
	assert_int_equal(counter64_get(&st->in.imported), 7);
	channel_import_invalid(rig.peer[0]->ch, REASON_OWN_AS, 4);
	assert_int_equal(counter64_get(&st->imp_upd_invalid), 4);
	assert_int_equal(counter64_get(&st->imp_upd_received), 14); /* as bird2 counts */
}

/* Refused routes are withdrawn, or kept as they were before policy. */
static void
test_reject(void **state)
{
	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 4, 7, 3);
	rig.cf_chan[0].import = &filter_reject_all;
	rig_announce(0, 0, 2, 7, 4);
	assert_null(rig_path(0));
	assert_non_null(rig_path(2));
	rig.cf_chan[0].keep_filtered = true;
	rig_announce(0, 2, 2, 7, 5);
	assert_true(path_filtered(rig_path(2)));
	assert_int_equal(wire_med(path_pre(rig_path(2))->wire), 5);
	rig.cf_chan[0].import = &filter_accept_all;
	rig_announce(0, 2, 2, 7, 6);
	assert_false(path_filtered(rig_path(2)));
	assert_int_equal(wire_med(path_pre(rig_path(2))->wire), 6);
	assert_int_equal(
	    counter64_get(&channel_stats(rig.peer[0]->ch)->imp_upd_filtered), 4);
}

/* What a filter refuses is kept as it came and as the filter left it. */
static void
test_tag_and_reject(void **state)
{
	struct filter_rig filters;

	(void)state;
	filter_rig_init(&filters);
	assert_true(filter_rig_config(&filters,
	    "router id 1.1.1.1;\n"
	    "filter f { if bgp_med = 3 then bgp_med = 9; if bgp_med > 4 then reject; "
	    "accept; }\n"));
	spine_rig_up(0);
	rig.cf_chan[0].import = sym_find(filters.cfg->symbols, "f")->filter;
	rig.cf_chan[0].keep_filtered = true;
	rig_announce(0, 0, 1, 7, 3);
	rig_announce(0, 1, 1, 7, 5);
	rig_announce(0, 2, 1, 7, 4);
	assert_true(path_filtered(rig_path(0)));
	assert_int_equal(wire_med(path_set(rig_path(0))->wire), 9);
	assert_int_equal(wire_med(path_pre(rig_path(0))->wire), 3);
	assert_true(path_filtered(rig_path(1)));
	assert_int_equal(wire_med(path_set(rig_path(1))->wire), 5);
	assert_ptr_equal(path_pre(rig_path(1)), path_set(rig_path(1)));
	assert_false(path_filtered(rig_path(2)));
	spine_rig_down(0);
	rig_settle();
	filter_rig_fini(&filters);
}

static struct rig_peer *filler;
static uint32_t filled;

/* As many UPDATEs of 200 nets as the ring takes. */
static void
test_channel_import_fill(void *arg)
{
	sem_t *go = arg;

	while (channel_import_ready(filler->ch)) {
		struct rig_route r = { filler, filled, 200, 1, filled };

		rig_do_announce(&r);
		filled += 200;
	}
	assert_true(filler->ch->imp.pend.len > 0);
	assert_true(
	    filler->ch->imp.pend.len <= 8 + REC_NLRI_MAX + sizeof(struct rec) + 32);
	sem_post(go);
}

static void
test_channel_import_hold(struct worker *w, TAKE struct msg *m)
{
	(void)w;
	while (sem_wait((sem_t *)(void *)((struct rig_call *)m)->arg))
		;
	free(m);
}

static void
test_channel_import_go_on(void *arg)
{
	(void)arg;
	channel_step(filler->ch);
}

static void
test_channel_import_nothing(void *arg)
{
	(void)arg;
}

/* With the table held up the ring fills; one UPDATE waits outside, the protocol is told,
 * and later told to go on. Nothing is lost. */
static void
test_full(void **state)
{
	struct rig_call *m = calloc(1, sizeof(*m));
	uint64_t runs;
	sem_t go;

	(void)state;
	sem_init(&go, 0, 0);
	spine_rig_up(0);
	m->msg.handle = test_channel_import_hold;
	m->arg = &go;
	filler = rig.peer[0];
	filled = 0;
	worker_post(&rig_table()->worker, &m->msg);
	runs = filler->p.worker.run_cnt;
	rig_in(&filler->p.worker, test_channel_import_fill, &go);
	assert_true(filled > 400); /* the ring is small at first */
	assert_true(filled < RIG_NETS * 4);
	rig_settle();
	/* The table has woken it: it runs in the turn of the first of these at the
	 * latest. */
	rig_in(&filler->p.worker, test_channel_import_nothing, NULL);
	rig_in(&filler->p.worker, test_channel_import_nothing, NULL);
	assert_true(filler->p.worker.run_cnt > runs);
	assert_int_equal(filler->ready_cnt, 0);
	rig_in(&filler->p.worker, test_channel_import_go_on, NULL);
	assert_int_equal(filler->ready_cnt, 1);
	rig_settle();
	for (uint32_t i = 0; i < filled; i += 50)
		assert_int_equal(wire_med(rig_path(i)->set->wire), i / 200 * 200);
	sem_destroy(&go);
}

static void
test_reload(void **state)
{
	(void)state;
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, 30, 7, 3);
	spine_rig_up(1);
	rig_announce(1, 0, 30, 8, 9); /* another's paths stay as they are */
	rig.cf_chan[0].import = &filter_reject_all;
	assert_true(rig_reload());
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), 30);
	assert_int_equal(wire_med(rig_path(4)->set->wire), 9);
	assert_true(path_filtered(path_next(rig_path(4))));
	rig.cf_chan[0].import = &filter_accept_all;
	assert_true(rig_reload());
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.filtered), 0);
	assert_int_equal(wire_med(rig_path(4)->set->wire), 3);
}

/* What was decided by the filter before, and isn't in the table when the reload begins,
 * is decided anew. */
static void
announce_then_reload(void *arg)
{
	struct rig_route r = { rig.peer[0], 0, 2, 7, 6 };

	rig_do_announce(&r);
	rig.cf_chan[0].import = &filter_reject_all;
	rig_do_reload(arg);
	rig_reload_steps(NULL);
}

static void
test_reload_ahead(void **state)
{
	struct rig_call *m = calloc(1, sizeof(*m));
	bool possible;
	sem_t go;

	(void)state;
	sem_init(&go, 0, 0);
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, 1, 7, 5);
	m->msg.handle = test_channel_import_hold;
	m->arg = &go;
	worker_post(&rig_table()->worker, &m->msg);
	rig_in(&rig.peer[0]->p.worker, announce_then_reload, &possible);
	sem_post(&go);
	rig_settle();
	rig_in(&rig.peer[0]->p.worker, rig_reload_steps, NULL);
	rig_settle();
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(path_filtered(rig_path(i)));
		assert_int_equal(wire_med(path_pre(rig_path(i))->wire), 6);
	}
	sem_destroy(&go);
}

/* An UPDATE that is on the ring before a reload comes to its net isn't undone by it. */
static void
announce_and_reload(void *arg)
{
	struct rig_peer *pe = arg;
	struct rig_route r = { pe, 0, 1, 7, 6 };

	rig_do_announce(&r);
	r.first = 1;
	rig_do_withdraw(&r);
	rig_reload_steps(NULL);
}

static void
test_reload_behind(void **state)
{
	struct rig_call *m = calloc(1, sizeof(*m));
	bool possible;
	sem_t go;

	(void)state;
	sem_init(&go, 0, 0);
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, 2, 7, 5);
	rig_in(&rig.peer[0]->p.worker, rig_do_reload, &possible);
	rig_settle();
	m->msg.handle = test_channel_import_hold;
	m->arg = &go;
	worker_post(&rig_table()->worker, &m->msg);
	rig_in(&rig.peer[0]->p.worker, announce_and_reload, rig.peer[0]);
	sem_post(&go);
	rig_settle();
	assert_int_equal(wire_med(rig_path(0)->set->wire), 6);
	assert_null(rig_path(1));
	sem_destroy(&go);
}

/* Likewise if routes aren't kept any more when a reload comes by and refuses one. */
static void
announce_and_reload_unkept(void *arg)
{
	struct rig_route r = { arg, 0, 1, 7, 6 };

	rig_do_announce(&r);
	rig.cf_chan[0].keep_filtered = false;
	rig.cf_chan[0].import = &filter_reject_all;
	rig_reload_steps(NULL);
}

static void
test_reload_unkept(void **state)
{
	struct rig_call *m = calloc(1, sizeof(*m));
	bool possible;
	sem_t go;

	(void)state;
	sem_init(&go, 0, 0);
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, 2, 7, 5);
	rig_in(&rig.peer[0]->p.worker, rig_do_reload, &possible);
	rig_settle();
	m->msg.handle = test_channel_import_hold;
	m->arg = &go;
	worker_post(&rig_table()->worker, &m->msg);
	rig_in(&rig.peer[0]->p.worker, announce_and_reload_unkept, rig.peer[0]);
	sem_post(&go);
	rig_settle();
	assert_non_null(rig_path(0));
	assert_int_equal(wire_med(rig_path(0)->set->wire), 6);
	assert_true(path_filtered(rig_path(1)));
	sem_destroy(&go);
}

/* Without kept routes the peer is asked. */
static void
test_reload_by_refresh(void **state)
{
	bool possible;

	(void)state;
	spine_rig_up(0);
	rig_in(&rig.peer[0]->p.worker, rig_do_reload, &possible);
	assert_true(possible);
	assert_int_equal(rig.peer[0]->refresh_cnt, 1);
}

/* reloads, by what asked while one was on; when that one had ended; and when one more had
 * been asked for then */
static uint32_t begun, begun_next, begun_after;

static void
ask_while_on(void *arg)
{
	struct channel *ch = arg;
	uint32_t nr = ch->imp.reload_nr;

	ch->imp.reload_pos = 0; /* as when its mark has come */
	ch->imp.reload_waits = false;
	for (int i = 0; i < 3; i++)
		channel_reload_once_more(ch);
	begun = ch->imp.reload_nr - nr;
	while (channel_reload_step(ch))
		;
	begun_next = ch->imp.reload_nr - nr;
	channel_reload_once_more(ch); /* the next waits for its mark: it does */
	begun_after = ch->imp.reload_nr - nr;
}

/* Whoever asks again and again for a reload doesn't keep the one that is on from its last
 * nets: one more comes after it. */
static void
test_once_more(void **state)
{
	(void)state;
	rig.cf_chan[0].keep_filtered = true;
	spine_rig_up(0);
	rig_announce(0, 0, 20, 7, 1);
	rig_in(&rig.peer[0]->p.worker, ask_while_on, rig.peer[0]->ch);
	assert_int_equal(begun, 0);
	assert_int_equal(begun_next, 1);
	assert_int_equal(begun_after, 1);
	rig_settle();
}

/* A session that ends takes its routes along; a new one in the same channel starts
 * empty. */
static void
test_down(void **state)
{
	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 3000, 7, 3);
	spine_rig_down(0);
	for (int i = 0; i < 1000 && rig_path(2999); i++)
		rig_settle(); /* the walk goes in steps */
	assert_null(rig_path(0));
	assert_null(rig_path(2999));
	spine_rig_up(0);
	rig_announce(0, 5, 1, 7, 1);
	assert_int_equal(counter64_get(&channel_stats(rig.peer[0]->ch)->in.imported), 1);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_announce),
	RIG_TEST(test_reject),
	RIG_TEST(test_tag_and_reject),
	RIG_TEST(test_full),
	RIG_TEST(test_reload),
	RIG_TEST(test_reload_ahead),
	RIG_TEST(test_reload_behind),
	RIG_TEST(test_reload_unkept),
	RIG_TEST(test_reload_by_refresh),
	RIG_TEST(test_once_more),
	RIG_TEST(test_down),
};

UNIT_MAIN(tests)
