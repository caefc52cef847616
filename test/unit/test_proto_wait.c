/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_proto_wait checks when a waiter for an instance is notified: of reloads, of what
 * is on its way to the table, of an instance that ends; and that the question leaves
 * nothing behind. */
#include "nest/channel/proto.h"
#include "nest/rib/ids.h"
#include "test/lib/spine_rig.h"

#define NETS 3000 /* more than one step of a reload */

static struct {
	struct proto_ack ack;
	uint32_t told; /* times; peer 0's worker */
	bool busy; /* the class is */
	struct pub32 paths_seen;
} w;

static bool
class_busy(const struct proto *p)
{
	(void)p;
	return w.busy;
}

static void
test_proto_wait_taken(TAKE struct proto_ack *a)
{
	assert_ptr_equal(a, &w.ack);
	assert_int_equal(rig.peer[0]->ch->imp.reload_pos, NO_ID);
	w.told++;
	store_relaxed32(
	    &w.paths_seen, (uint32_t)counter64_get(&rig.peer[0]->ch->stats.in.imported));
}

static int
test_proto_wait_set_up(void **state)
{
	memset(&w, 0, sizeof(w));
	rig_start(state);
	rig_class.busy = class_busy;
	return 0;
}

static void
test_proto_wait_ask(void *arg)
{
	(void)arg;
	w.ack = (struct proto_ack){ .to = &rig.peer[0]->p.worker,
		.taken = test_proto_wait_taken };
	proto_acknowledge(&rig.peer[0]->p, &w.ack);
}

/* told - how often who waits was told, when all that is on its way has come. */
static uint32_t
test_proto_wait_told(void)
{
	rig_settle();
	rig_in(&rig.peer[0]->p.worker, rig_nothing, NULL);
	return w.told;
}

static void
test_proto_wait_trim(void *arg)
{
	(void)arg;
	assert_true(channel_idle(rig.peer[0]->ch));
}

/* A channel that has nothing on its way needs no record, and no ring for it. */
static void
test_idle(void **state)
{
	const struct channel *ch = rig.peer[0]->ch;

	(void)state;
	spine_rig_up(0);
	rig_announce(0, 0, 10, 9, 0);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_trim, NULL);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_ask, NULL);
	assert_int_equal(test_proto_wait_told(), 1);
	assert_null(ch->ts.ring.buf);
}

static void
announce_and_ask(void *arg)
{
	rig_do_announce(arg);
	test_proto_wait_ask(NULL);
}

/* What it has brought is in the table. */
static void
test_behind(void **state)
{
	(void)state;
	spine_rig_up(0);
	for (uint32_t i = 1; i < 50; i++) {
		struct rig_route r = { rig.peer[0], 40 * (i - 1), 40, 9, 0 };

		rig_in(&rig.peer[0]->p.worker, announce_and_ask, &r);
		assert_int_equal(test_proto_wait_told(), i);
		assert_int_equal(load_relaxed32(&w.paths_seen), 40 * i);
	}
}

static void
reload_and_ask(void *arg)
{
	(void)arg;
	assert_true(channel_reload_in(rig.peer[0]->ch));
	test_proto_wait_ask(NULL);
}

static void
test_proto_wait_keep(void *arg)
{
	(void)arg;
	channel_keep_pre(rig.peer[0]->ch, true);
}

static void
test_proto_wait_step(void *arg)
{
	(void)arg;
	channel_step(rig.peer[0]->ch);
	proto_settled(&rig.peer[0]->p);
}

static void
begin_reload(void)
{
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_keep, NULL);
	spine_rig_up(0);
	rig_announce(0, 0, NETS, 9, 0);
	rig_in(&rig.peer[0]->p.worker, reload_and_ask, NULL);
}

/* A reload that a command has begun has ended. */
static void
test_reload(void **state)
{
	(void)state;
	begin_reload();
	assert_int_equal(test_proto_wait_told(), 0);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 0);
	for (unsigned i = 0; i < 1000 && !test_proto_wait_told(); i++)
		rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 1);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 1);
}

static void
test_proto_wait_down(void *arg)
{
	(void)arg;
	channel_down(rig.peer[0]->ch);
}

/* It won't end, since the session goes down. */
static void
test_down(void **state)
{
	(void)state;
	begin_reload();
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_down, NULL);
	assert_int_equal(test_proto_wait_told(), 0);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 1);
	assert_int_equal(load_relaxed32(&w.paths_seen), 0);
}

static void
delete_and_ask(void *arg)
{
	rig.peer[0]->p.end.stopped = true;
	test_proto_wait_ask(arg);
}

/* The class is busy, then not; or the instance has ended. */
static void
test_class(void **state)
{
	(void)state;
	w.busy = true;
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_ask, NULL);
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 0);
	w.busy = false;
	rig_in(&rig.peer[0]->p.worker, test_proto_wait_step, NULL);
	assert_int_equal(test_proto_wait_told(), 1);
	w.busy = true;
	rig_in(&rig.peer[0]->p.worker, delete_and_ask, NULL);
	assert_int_equal(test_proto_wait_told(), 2);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_idle, test_proto_wait_set_up, rig_finish),
	cmocka_unit_test_setup_teardown(test_behind, test_proto_wait_set_up, rig_finish),
	cmocka_unit_test_setup_teardown(test_reload, test_proto_wait_set_up, rig_finish),
	cmocka_unit_test_setup_teardown(test_down, test_proto_wait_set_up, rig_finish),
	cmocka_unit_test_setup_teardown(test_class, test_proto_wait_set_up, rig_finish),
};

UNIT_MAIN(tests)
