/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts: the present state of a chunk of nets, grouped into segments, for sessions that
 * send dirty nets.
 *
 * The first reader that needs a chunk makes the cut under RCU. Other readers use the cut
 * while no best route of the chunk has changed, or while the cut is new enough for them
 * (reader.c, I3): so simultaneously fed sessions share cuts while the table changes. The
 * only work of the table's thread is dropping cuts that were unused for a second.
 *
 * G1  A cut shows each of its nets in the state after batch `since`, or a later state.
 * G2  All shown changes belong to batches up to cut->batch. The reader must check single
 *     nets in segments up to that batch, since it has read ahead of these segments.
 *
 * Loop: any reader's worker, under RCU; the table's drops cuts. */
#ifndef TERN_NEST_RIB_STREAM_CUT_H
#define TERN_NEST_RIB_STREAM_CUT_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/ids.h"
#include "lib/base/check.h"

struct arena;
struct segment;
struct stream;

/* Owner: the references. The segments are freed at the last cut_put, the struct a grace
 * period later. */
struct cut {
	struct rcu_node rcu;
	struct counter32 refs;
	struct pub32 used; /* since the last look of the table */
	struct stream *stream;
	uint32_t chunk;
	uint32_t done; /* the cut shows all batches up to this number */
	uint32_t batch; /* G2 */
	uint64_t present[CHUNK_NETS / 64]; /* nets with a best route */
	uint32_t seg_cnt, seg_cap;
	struct segment **seg;
};

/* cut_get - a cut of @chunk, shared if possible. @mask: NULL, or CHUNK_NETS bits: only
 * these nets matter; the cut may then be private and have only these nets. @since: the
 * cut must show all batches up to @since, or the published state. @a: scratch. */
OWNED struct cut *cut_get(struct stream *st, uint32_t chunk, const uint64_t *mask,
    uint32_t since, struct arena *a);
void cut_put(TAKE struct cut *c);

#endif
