/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common reader_ops for readers that handle single nets instead of whole segments, such
 * as indices. Loop: the worker of the reader. */
#ifndef TERN_NEST_RIB_STREAM_READ_IDS_H
#define TERN_NEST_RIB_STREAM_READ_IDS_H

#include "nest/rib/read.h"
#include "nest/rib/stream/segment.h"

/* Handles net @id, which is clean. @has: the segment says that the net has a route. */
typedef void (*read_id_fn)(struct reader *r, uint32_t id, bool has);

/* reader_run_none - reader_ops.run that handles no run of segments. */
static inline unsigned
reader_run_none(struct reader *r, struct segment *const *s, unsigned cnt, unsigned seen)
{
	(void)r, (void)s, (void)cnt, (void)seen;
	return 0;
}

/* reader_ids - for reader_ops.segment: call @take for each net of @s to be told. */
static inline void
reader_ids(
    struct reader *r, const struct segment *s, enum read_check check, read_id_fn take)
{
	for (struct seg_nets n = segment_nets(s); seg_nets_next(&n);)
		if (reader_passes(r, s, n.id, check)) {
			reader_clean(r, n.id, 1);
			take(r, n.id, s->set != NULL);
		}
}

/* reader_gone_ids - for reader_ops.gone: call @take for each net. */
static inline void
reader_gone_ids(struct reader *r, const uint32_t *id, uint32_t cnt, read_id_fn take)
{
	for (uint32_t i = 0; i < cnt; i++) {
		reader_clean(r, id[i], 1);
		take(r, id[i], false);
	}
}

#endif
