/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Renewal of old batch numbers before the numbers repeat. Runs in the table's loop.
 *
 * A net, a path's slot and a chunk store the number of the batch that changed them last
 * (32 bits). Two uses fail for an object without change for a long time: a change in the
 * batch of an equal number would count as noted already, and a number more than half of
 * the number space ago would count as newer. So a walk visits all objects each AGE_SPAN
 * batches, and sets each number older than AGE_SPAN to the age AGE_SPAN.
 *
 * I1  No number is older than 2^30 batches: two spans, and the batches of one walk.
 * I2  A reader compares numbers of nets with numbers of segments in the journal, which is
 *     far shorter than a span: the walk changes no number that a reader uses. */
#include "nest/rib/table/table_age.h"
#include "lib/base/wrap.h"
#include "nest/rib/ids.h"
#include "nest/rib/stream.h"
#include "nest/rib/table_priv.h"

#define AGE_STEP 16384 /* objects a batch */

/* table_age_renew - 0: the object had no batch yet. */
static void
table_age_renew(struct pub32 *at, uint32_t batch)
{
	uint32_t nr = load_relaxed32(at);

	if (nr && batch - nr > AGE_SPAN)
		store_relaxed32(at, serial_next(batch - AGE_SPAN - 1));
}

/* age_stream - one step. Returns: true: more steps are needed. */
static bool
age_stream(struct stream *st, uint32_t batch)
{
	uint32_t limit = load_relaxed32(&st->ids.limit);

	for (uint32_t n = 0; n < AGE_STEP && st->age_pos < limit; n++) {
		uint32_t id = st->age_pos++;

		if (id % CHUNK_NETS == 0)
			table_age_renew(&stream_chunk(st, id >> CHUNK_ORDER)->ver, batch);
		table_age_renew(stream_batch_of(st, id), batch);
	}
	return st->age_pos < limit;
}

void
table_age_init(struct table *t)
{
	uint32_t first = (uint32_t)wrap_start(1, 32);

	store_relaxed32(&t->batch, first);
	store_relaxed32(&t->done, first - 1);
	t->time.aged = first;
}

bool
table_age(struct table *t)
{
	uint32_t batch = load_relaxed32(&t->batch);
	struct stream *st;
	bool more = false;

	if (batch - t->time.aged >= AGE_SPAN) {
		t->time.aged = batch;
		t->time.ages = true;
		table_each_stream (st, t)
			st->age_pos = 0;
	}
	if (!t->time.ages)
		return false;
	table_each_stream (st, t)
		more |= age_stream(st, batch);
	t->time.ages = more;
	return more;
}
