/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of an export filter for a segment, for all channels with the filter; or the
 * set that a sink makes of the unchanged set of a segment, for all channels whose sinks
 * make it by the same object of the configuration.
 *
 * A run that read no fact of the net holds for the whole segment; the first channel that
 * runs the filter leaves the answer in the segment. Runs that read time, printed or
 * logged are never kept. A segment has room for the answers of two filters
 * (EXPORT_MEMOS); each channel runs further filters itself. Lock-free, any session.
 *
 * Owner: the segment. Life: until the segment is freed.
 *
 * Loop: the worker of any session, under RCU; export_memo_free in the thread that frees
 * the segment. */
#ifndef TERN_NEST_RIB_ATTR_EXPORT_MEMO_H
#define TERN_NEST_RIB_ATTR_EXPORT_MEMO_H

#include "filter/filter.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config_ref.h"

struct attr_store;

#define EXPORT_MEMOS 2

/* An answer about a segment. Owner: the segment. Freed by:
 * export_memo_free. */
struct export_memo {
	struct pubptr next;
	const void *by; /* the filter, or the object of the sink */
	/* configuration of `by`. The memo holds a reference, so that no other object gets
	 * the same address while the memo lives */
	struct config_ref *conf;
	enum filter_verdict verdict;
	/* with a reference; the set after the filter; NULL with a reject */
	struct attr_set *set;
};

/* export_memo_find - in the list @first, memo of a segment: the answer of @by. */
static inline const struct export_memo *
export_memo_find(const struct pubptr *first, const void *by)
{
	const struct export_memo *m = load_acquire_ptr(first); /* pairs: EMEMO */

	while (m && m->by != by)
		m = load_acquire_ptr(&m->next); /* pairs: EMEMO */
	return m;
}

/* export_memo_put - store @what in the list @first of a segment with the wire set @wire;
 * no effect if the list is full. @what: conf and set are borrowed, next is ignored.
 * Returns: octets by which the list grew. */
uint32_t export_memo_put(struct attr_store *store, struct pubptr *first,
    const struct wire_set *wire, const struct export_memo *what);
void export_memo_free(struct attr_store *store, TAKE struct export_memo *m);

#endif
