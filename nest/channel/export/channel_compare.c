/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a change of the export filter: find the nets with different answers.
 *
 * A clean net whose best route gets equal answers from the old and the new filter is not
 * sent. The walk goes through the table by chunks, in the session's thread, with shared
 * cuts (cut.h): one comparison for all nets of a segment if neither filter reads the
 * prefix. The cut keeps the answer for other sessions with these filters.
 *
 * I1  The new view applies from the start: it decides changes of the journal meanwhile,
 *     and a net found equal by the walk was sent so, or has an unread segment.
 * I2  The old filter is compared only if its answers cannot have changed since
 *     (channel_comparable). Otherwise every net is decided again (channel_recheck_out).
 * I3  A second change during the walk makes all nets beyond the position dirty: these
 *     nets have not been compared with the peer's state.
 *
 * Loop: the session's. Tested by test/unit/test_channel_send.c and
 * test/net/test_hourly.py. */
#include "nest/channel/export/candidates.h"
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"

#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/stream/cut.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

void
channel_compare_stop(struct channel *ch)
{
	if (ch->exp.before)
		channel_view_free(ch->exp.before);
	ch->exp.before = NULL;
	channel_work_left(ch);
}

void
channel_compare_start(struct channel *ch, TAKE struct export_view *old)
{
	uint32_t limit = reader_limit(ch->rd);

	if (ch->exp.before && ch->exp.before_pos < limit)
		reader_dirty(ch->rd, ch->exp.before_pos, limit - ch->exp.before_pos);
	channel_compare_stop(ch);
	ch->exp.before = old;
	ch->exp.before_pos = 0;
	ch->exp.before_since = table_batch(ch->from);
	ch->rd->busy = true;
}

/* compare_segment - compare net by net if a filter reads facts of the net, or if nets are
 * watched: of watched nets the peer's state is known. */
static void
compare_segment(struct channel *ch, struct segment *s, bool by_net)
{
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);
	bool watched = watched_some(ch, s), same;

	same = !by_net && export_same(ch, ch->exp.before, s, NULL);
	if (same && !watched)
		return;
	for (uint32_t r = 0; !by_net && !watched && r < s->run_cnt; r++)
		reader_dirty(ch->rd, run[r].id, run[r].cnt);
	if (!by_net && !watched)
		return;
	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);) {
		struct route_view rv = { .what = NULL };
		struct fnet what;

		pos += channel_ids_out(ch);
		pos += nlri_view_get(ch->kind, pos, &rv, &what);
		if (reader_is_dirty(ch->rd, n.id))
			continue;
		if (watched_net(ch, n.id)
			? candidates_differs(ch, n.id)
			: !(by_net ? export_same(ch, ch->exp.before, s, &rv) : same))
			reader_dirty(ch->rd, n.id, 1);
	}
}

/* compare_end - the walk may have seen a state newer than the position in the journal:
 * segments published until now are checked net by net, as from the start. Otherwise the
 * channel would skip segments with a mere change of the source, although the old filter
 * may have refused the net from the old source. */
static void
compare_end(struct channel *ch)
{
	reader_look(ch->rd);
	channel_compare_stop(ch);
}

bool
channel_compare_step(struct channel *ch)
{
	uint32_t limit;
	struct cut *c;
	bool by_net;

	if (!ch->exp.before)
		return false;
	limit = reader_limit(ch->rd);
	if (ch->exp.before_pos < limit) {
		by_net = export_by_net(ch->exp.before) || export_by_net(ch->exp.view);
		c = cut_get(ch->rd->st, ch->exp.before_pos >> CHUNK_ORDER, NULL,
		    ch->exp.before_since, &ch->work.arena);
		for (uint32_t i = 0; i < c->seg_cnt; i++)
			compare_segment(ch, c->seg[i], by_net);
		cut_put(c);
		ch->exp.before_pos = ((ch->exp.before_pos >> CHUNK_ORDER) + 1)
				     << CHUNK_ORDER;
	}
	if (ch->exp.before_pos >= limit)
		compare_end(ch);
	return ch->exp.before != NULL;
}
