/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From segments to messages: what a session does that has run ahead of its journal. */
#include "nest/cut.h"
#include "test/lib/spine_rig.h"

/* As send_chunk does when a dirty net brings it to a cut. */
static void
run_ahead(void *arg)
{
	struct channel *ch = arg;
	struct cut *c = cut_get(ch->table, 0, NULL, &ch->arena);

	ch->ahead = true;
	ch->ahead_batch = c->batch;
	cut_put(c);
}

/* A reader that has run ahead skips a net of a segment because a later one has it; but the later one says
 * only that the source changed. */
static void
test_source_only(void **state)
{
	struct prefix p = rig_net(0);

	(void)state;
	rig_up(0);
	rig_up(1);
	rig_up(2);
	rig_announce(1, 100, 1, 9, 1);
	rig_export(2);
	rig_announce(1, 0, 1, 9, 7); /* S1 */
	rig_in(&rig.peer[2]->p.worker, run_ahead, rig.peer[2]->ch);
	rig_announce(
	    0, 0, 1, 9, 7); /* S2: the same set from a source that ranks before it */
	assert_int_equal(net_best(table_find(rig_table(), &p))->src,
	    channel_source_id(rig.peer[0]->ch));
	rig_export(2);
	assert_int_equal(rig.peer[2]->held[0], rig_holds(9, 7));
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_source_only),
};

UNIT_MAIN(tests)
