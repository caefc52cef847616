/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chunks that a reader told as a whole: the reader skips a segment whose nets all lie in
 * such chunks, unless the segment is newer than the told state. Runs in the owner's
 * thread. Tested by test/unit/test_reader.c and test/prop/prop_spine.c. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/journal.h"
#include "nest/rib/ids.h"
#include "nest/rib/read.h"
#include "nest/rib/stream.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table_priv.h"

bool
reader_has_done(const struct reader *r, uint32_t batch)
{
	/* In this order: the journal has the segments before their batch is done. */
	return !batch_after(batch, load_acquire32(&r->table->done)) && /* pairs: TDONE */
	       !journal_pending(&r->st->journal, &r->cursor);
}

void
reader_shown_drop(struct reader *r)
{
	mem_free(MEM_PROTO, r->shown.batch);
	r->shown.batch = NULL;
	r->shown.cnt = 0;
}

void
reader_shown_idle(struct reader *r)
{
	if (!reader_has_done(r, r->shown.ahead_batch))
		return;
	r->shown.ahead = false;
	reader_shown_drop(r);
}

void
reader_show(struct reader *r, uint32_t chunk, uint32_t batch)
{
	if (chunk >= r->shown.cnt) {
		uint32_t cnt = (stream_limit(r->st) >> CHUNK_ORDER) + 1;

		r->shown.batch = mem_realloc(
		    MEM_PROTO, r->shown.batch, cnt, sizeof(*r->shown.batch));
		memset(r->shown.batch + r->shown.cnt, 0,
		    (cnt - r->shown.cnt) * sizeof(*r->shown.batch));
		r->shown.cnt = cnt;
	}
	r->shown.batch[chunk] = batch;
}

bool
reader_is_shown(const struct reader *r, const struct segment *s)
{
	const struct seg_run *run = segment_runs(s);

	if (!r->shown.batch)
		return false;
	for (uint32_t k = 0; k < s->run_cnt; k++) {
		uint32_t end = (run[k].id + run[k].cnt - 1) >> CHUNK_ORDER;

		for (uint32_t c = run[k].id >> CHUNK_ORDER; c <= end; c++)
			if (c >= r->shown.cnt || !r->shown.batch[c] ||
			    batch_after(s->batch, r->shown.batch[c]))
				return false;
	}
	return true;
}
