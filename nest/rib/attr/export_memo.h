/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a filter said of a segment, for all channels that share the filter.
 *
 * A run that read no fact of the net holds for the whole segment; the first channel to
 * run the filter leaves its answer here. Runs that read time, printed or logged are never
 * kept. Two filters per segment (EXPORT_MEMOS); further ones are run by each channel.
 * Lock-free, any session. */
#ifndef TERN_NEST_EXPORT_MEMO_H
#define TERN_NEST_EXPORT_MEMO_H

#include "filter/filter.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config_ref.h"

struct attr_store;

#define EXPORT_MEMOS 2

struct export_memo {
	struct pubptr next;
	const struct filter *filter;
	/* counted: where the filter lies, so that its address isn't reused */
	struct config_ref *conf;
	enum filter_verdict verdict;
	struct attr_set *set; /* counted; as it is after the filter; NULL with a reject */
};

/* export_memo_find - in the list @first: memo of a segment. */
static inline const struct export_memo *
export_memo_find(const struct pubptr *first, const struct filter *f)
{
	const struct export_memo *m = load_acquire_ptr(first); /* pairs: EMEMO */

	while (m && m->filter != f)
		m = load_acquire_ptr(&m->next); /* pairs: EMEMO */
	return m;
}

/* export_memo_put - remember @what in the list @first, of a segment whose set is @own; no
 * effect if the places are taken. @what: conf and set are borrowed, next is ignored.
 * Returns: octets that the list holds more now. */
uint32_t export_memo_put(struct attr_store *store, struct pubptr *first,
    const struct wire_set *own, const struct export_memo *what);
void export_memo_free(struct attr_store *store, TAKE struct export_memo *m);

#endif
