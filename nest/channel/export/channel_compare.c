/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After a change of the export filter: which nets does it make a difference to?
 *
 * A clean net whose best route gets the same answer from the old and the new filter sends
 * nothing. The walk goes through the table by chunks, in the session's thread, from
 * shared cuts (cut.h): one question for all nets of a segment, if neither filter reads
 * the prefix, and its answer is left in the cut for the other sessions with these
 * filters.
 *
 * I1  The view is the new one from the start: what the journal brings meanwhile is
 *     decided by it, and a net that the walk finds alike has either been sent so, or has
 *     a segment that is still to be read.
 * I2  The old filter is asked only if its answers hang on nothing that may have changed
 *     since they were given (channel_comparable). Else each net is looked at again
 *     (channel_recheck_out).
 * I3  A second change before the walk is through makes all nets beyond its position
 *     dirty: these have not been compared with what the peer holds. */
#include "nest/channel/channel_priv.h"

#include "filter/run/net.h"
#include "lib/attr/route.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/stream/cut.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"

void
channel_work_left(struct channel *ch)
{
	ch->rd->busy = ch->exp.before || (ch->top && ch->top->looks);
}

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

/* compare_segment - net by net if one of the filters reads facts of the net, or some are
 * watched: of those it is known what the peer holds. */
static void
compare_segment(struct channel *ch, struct segment *s, bool by_net)
{
	const struct seg_run *run = segment_runs(s);
	const uint8_t *pos = segment_nlri(s);
	bool watched = ch->second && channel_second_watches(ch, s), same;

	same = !by_net && export_same(ch, ch->exp.before, s, NULL);
	if (same && !watched)
		return;
	for (uint32_t r = 0; r < s->run_cnt; r++) {
		if (!by_net && !watched) {
			reader_dirty(ch->rd, run[r].id, run[r].cnt);
			continue;
		}
		for (uint32_t i = 0; i < run[r].cnt; i++) {
			uint32_t id = run[r].id + i;
			struct route_view rv = { .what = NULL };
			struct fnet what;

			pos += channel_ids_out(ch);
			pos += nlri_view_get(ch->kind, pos, &rv, &what);
			if (reader_is_dirty(ch->rd, id))
				continue;
			if (channel_second_watches_net(ch, id)
				? channel_second_differs(ch, id)
				: !(by_net ? export_same(ch, ch->exp.before, s, &rv)
					   : same))
				reader_dirty(ch->rd, id, 1);
		}
	}
}

/* compare_end - what the walk has seen may be newer than what was read of the journal: up
 * to here that is looked at net by net, as from the start. Segments in which only the
 * source changed would else be passed over from now on, but the old filter may have
 * refused that net from the source before. */
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
