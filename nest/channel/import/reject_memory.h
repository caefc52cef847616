/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which routes of a channel checks, the import filter or limits have refused, and where:
 * for `show route why`, where refused routes aren't kept. The latest ones, up to a bound.
 *
 * One thread writes: the channel's worker, or for limits the table's. Any thread reads
 * under RCU.
 * G1  Who looks sees what was noted before, unless it was forgotten since; what it gets
 *     is good until its next quiescent state.
 * Progress: wait-free for who looks (chains are as long as they are). */
#ifndef TERN_NEST_REJECT_MEMORY_H
#define TERN_NEST_REJECT_MEMORY_H

#include "lib/base/check.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"

struct reject_memory;

#define REJECT_SAID_MAX 400 /* octets of `said` that are kept */

/* Why a route was refused, and by a filter where. Texts are copied. */
struct reject_at {
	enum reason reason;
	const char *filter; /* NULL: no filter has refused it */
	const char *file; /* NULL: it isn't known */
	uint32_t line;
	const char *said; /* by the filter, or about the route; NULL: nothing */
	const char *comms; /* communities that the filter has added; NULL: none */
};

OWNED struct reject_memory *reject_memory_new(enum nlri_kind kind);
/* reject_memory_free - nobody looks any more. */
void reject_memory_free(TAKE struct reject_memory *m);
/* reject_note - the route @n with path identifier @rid was refused. @max: so many are
 * remembered, the oldest go. Cost: O(1). */
void reject_note(struct reject_memory *m, uint32_t max, const struct nlri *n,
    uint32_t rid, const struct reject_at *at);
/* reject_forget - it was withdrawn. reject_clear - all were. */
void reject_forget(struct reject_memory *m, const struct nlri *n, uint32_t rid);
void reject_clear(struct reject_memory *m);
uint32_t reject_cnt(const struct reject_memory *m); /* in the worker */

/* ---- any thread ---- */

struct reject;
/* reject_next - the one behind @r, NULL: the first, of net @n; NULL: there is none. */
const struct reject *reject_next(
    const struct reject_memory *m, const struct nlri *n, const struct reject *r);
/* reject_where - its texts live as @r. */
struct reject_at reject_where(const struct reject *r);
uint32_t reject_rid(const struct reject *r);

#endif
