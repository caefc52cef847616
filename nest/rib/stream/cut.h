/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts: the present state of a chunk of nets, grouped into segments, for sessions that
 * send dirty nets.
 *
 * The first reader that needs a chunk makes its cut under RCU; others take the same one
 * while no best route in the chunk has changed since, or as long as it is new enough for
 * them (reader.c, I3): many that are fed at a time share cuts though the table goes on.
 * The table's thread does no work for it but dropping cuts that nobody used for a second.
 *
 * G1  A cut shows each of its nets as it was after batch `since`, or later.
 * G2  All that it shows was made by batches up to cut->batch; the reader must check
 *     single nets in segments up to that batch, since it has read ahead of them. */
#ifndef TERN_NEST_CUT_H
#define TERN_NEST_CUT_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/rib/ids.h"
#include "lib/base/check.h"

struct arena;
struct segment;
struct stream;

/* owner: nobody; counted; its segments go with the last cut_put, the rest a grace period
 * later. */
struct cut {
	struct rcu_node rcu;
	struct counter32 refs;
	struct pub32 used; /* since the last look of the table */
	struct stream *stream;
	uint32_t chunk;
	uint32_t done; /* it shows all of batches up to this one */
	uint32_t batch; /* G2 */
	uint64_t present[CHUNK_NETS / 64]; /* nets with a best route */
	uint32_t seg_cnt, seg_cap;
	struct segment **seg;
};

/* cut_get - the cut of @chunk, shared if possible. @mask: NULL, or CHUNK_NETS bits: only
 * these nets matter; then it may be one of the caller's own that has only these. @since:
 * it has to show all of batches up to that one, or of all that is published by now. @a:
 * scratch. */
OWNED struct cut *cut_get(struct stream *st, uint32_t chunk, const uint64_t *mask,
    uint32_t since, struct arena *a);
void cut_put(TAKE struct cut *c);

#endif
