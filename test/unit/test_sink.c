/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_sink checks how a channel acts on the answers of a sink
 * (nest/channel/export/sink.h). */
#include "nest/channel/export/sink.h"
#include "test/lib/spine_rig.h"

static struct rig_peer *later_peer;
static unsigned later_cnt;

static enum sink_took
take_later(struct sink *k, struct segment *s, const struct sink_nets *n,
    const struct export_answer *a)
{
	(void)k, (void)s, (void)n, (void)a;
	later_cnt++;
	later_peer->room = 0;
	return SINK_LATER;
}

/* What a sink can't take now stays dirty, whole segments and single nets alike, and goes
 * to it when it has room again. */
static void
test_later(void **state)
{
	struct rig_peer *pe = rig.peer[2];
	static struct sink_ops late;

	(void)state;
	late = bgp_sink_ops;
	late.run = NULL;
	late.announce = take_later;
	later_peer = pe;
	later_cnt = 0;
	spine_rig_up(0);
	spine_rig_up(2);
	rig_export(2);
	pe->sink.sink.ops = &late;
	rig_announce(0, 0, 10, 9, 1);
	rig_export(2);
	assert_true(later_cnt);
	assert_int_equal(pe->ch->rd->dirty_cnt, 10);
	pe->ch->rd->dirty_cnt -= bitmap_clear_range(&pe->ch->rd->dirty, 0, 9);
	pe->room = 4000;
	later_cnt = 0;
	rig_export(2); /* one net of the cut's ten */
	assert_true(later_cnt);
	assert_int_equal(pe->ch->rd->dirty_cnt, 1);
	assert_int_equal(pe->held[9], 0);
	pe->sink.sink.ops = &bgp_sink_ops;
	pe->room = 4000;
	rig_export(2);
	assert_int_equal(pe->held[9], rig_holds(9, 1));
	assert_int_equal(pe->ch->rd->dirty_cnt, 0);
}

static const struct CMUnitTest tests[] = {
	RIG_TEST(test_later),
};

UNIT_MAIN(tests)
