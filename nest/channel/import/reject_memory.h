/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of the routes of a channel that checks, the import filter or limits refused, and
 * of the places in filters: for `show route why`, if refused routes are not kept.
 * Bounded; the oldest entries are dropped.
 *
 * One writer: the channel's worker, or for limits the table's. Any thread reads under
 * RCU.
 * G1  A reader sees earlier notes unless forgotten since; results are valid until the
 *     reader's next quiescent state.
 * Progress: wait-free for readers (chains are finite). */
#ifndef TERN_NEST_CHANNEL_IMPORT_REJECT_MEMORY_H
#define TERN_NEST_CHANNEL_IMPORT_REJECT_MEMORY_H

#include "filter/filter.h"
#include "lib/base/check.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"

struct reject_memory;

#define REJECT_SAID_MAX 400 /* limit for octets of `said` */

/* The reason of a refusal, and the place in a filter. Owner: the caller; reject_note
 * copies the texts, which live until the entry is freed. */
struct reject_at {
	enum reason reason;
	const char *filter; /* NULL: no filter refused */
	const char *file; /* NULL: unknown */
	uint32_t line;
	struct filter_decided by; /* the return that led to the place */
	const char *said; /* text of the filter, or about the route; NULL: none */
	bool failed; /* by a run-time error, the last text of `said` */
	const char *comms; /* communities added by the filter; NULL: none */
};

OWNED struct reject_memory *reject_memory_new(enum nlri_kind kind);
/* reject_memory_free - no reader is left. */
void reject_memory_free(TAKE struct reject_memory *m);
/* reject_note - remember the refusal of route @n with path identifier @rid. @max: number
 * of remembered routes. Cost: O(1). */
void reject_note(struct reject_memory *m, uint32_t max, const struct nlri *n,
    uint32_t rid, const struct reject_at *at);
/* reject_forget - the route was withdrawn. reject_clear - all routes were withdrawn. */
void reject_forget(struct reject_memory *m, const struct nlri *n, uint32_t rid);
void reject_clear(struct reject_memory *m);
uint32_t reject_cnt(const struct reject_memory *m); /* in the worker */

/* ---- any thread ---- */

struct reject;
#define REJECT_BUCKETS 1024
/* reject_has_len - false: no entry is a prefix of the length @len. */
bool reject_has_len(const struct reject_memory *m, unsigned len);
/* reject_changes - the number of changes so far. */
uint32_t reject_changes(const struct reject_memory *m);
/* reject_in - the entry behind @r, NULL: the first, of @bucket, less than
 * REJECT_BUCKETS; NULL: there is none. reject_net - the net of @r. */
const struct reject *reject_in(
    const struct reject_memory *m, uint32_t bucket, const struct reject *r);
const struct nlri *reject_net(const struct reject *r);
/* reject_next - the entry of net @n after @r (NULL: the first); NULL: none. */
const struct reject *reject_next(
    const struct reject_memory *m, const struct nlri *n, const struct reject *r);
/* reject_where - the texts live as long as @r. */
struct reject_at reject_where(const struct reject *r);
uint32_t reject_rid(const struct reject *r);

#endif
