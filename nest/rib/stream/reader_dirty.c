/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marking nets whose present state a reader must tell.
 *
 * Loop: the reader's. Tested by test/unit/test_reader.c. */
#include "lib/mt/journal.h"
#include "nest/rib/read.h"

#include "lib/base/bitmap.h"
#include "lib/mt/atomic.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"

void
reader_dirty(struct reader *r, uint32_t id, uint32_t cnt)
{
	r->sweep.since = load_acquire32(&r->table->batch); /* pairs: TBATCH */
	r->dirty_cnt += bitmap_set_range(&r->dirty, id, cnt);
}

/* dirty_withdrawn - mark the nets of the withdrawal @s that the owner holds. A net that
 * came and went while the reader had no room needs no mark, and its id is not held back.
 * A net with a route again keeps its bit: the bit may be set for the new route, and the
 * new route's segment may count as told. */
static void
dirty_withdrawn(struct reader *r, const struct segment *s, const struct seg_run *run)
{
	uint32_t id = run->id, cnt = run->cnt, held = reader_ops_of(r)->holds(r, id, cnt);

	r->sweep.owed = (uint32_t)min_u64((uint64_t)r->sweep.owed + held, OWED_ALL);
	if (held == cnt) {
		reader_dirty(r, id, cnt);
		return;
	}
	if (!held && !r->dirty_cnt) /* nothing to take back */
		return;
	for (uint32_t i = id; i < id + cnt; i++)
		if (held && reader_ops_of(r)->holds(r, i, 1))
			reader_dirty(r, i, 1);
		else if (reader_is_dirty(r, i) && stream_is_newest(r->st, s->batch, i))
			reader_clean(r, i, 1);
}

/* dirty_behind - only paths behind the best paths of the nets changed. A net that is
 * dirty already stays dirty: the reader tells its present state later. */
static void
dirty_behind(struct reader *r, const struct seg_run *run)
{
	for (uint32_t id = run->id; id < run->id + run->cnt; id++)
		if (!reader_is_dirty(r, id) && reader_ops_of(r)->minds_behind(r, id))
			reader_dirty(r, id, 1);
}

/* dirty_stands_alone - true: @s holds its own change and no other. Otherwise the reader,
 * ahead of the journal, has skipped older segments of the nets in favour of @s. */
static bool
dirty_stands_alone(const struct reader *r, const struct segment *s)
{
	return !r->shown.ahead || batch_after(s->batch, r->shown.ahead_batch);
}

void
reader_dirty_segment(struct reader *r, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);
	bool behind = (s->form & SEG_BEHIND) && reader_ops_of(r)->minds_behind &&
		      dirty_stands_alone(r, s);

	for (uint32_t k = 0; k < s->run_cnt; k++)
		if (behind)
			dirty_behind(r, &run[k]);
		else if (s->set)
			reader_dirty(r, run[k].id, run[k].cnt);
		else
			dirty_withdrawn(r, s, &run[k]);
}

uint64_t
reader_unread(const struct reader *r)
{
	return r->on ? r->dirty_cnt + journal_unread(&r->st->journal, &r->cursor) : 0;
}
