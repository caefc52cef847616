/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of export filters, kept in the segment that they are about. */
#include "nest/export_memo.h"

void
export_memo_put(struct attr_store *store, struct segment *s, const struct filter *f,
    struct config_ref *conf, enum filter_verdict v, struct attr_set *set)
{
	struct export_memo *m;

	if (load_acquire_ptr(&s->memo[SEG_MEMOS - 1])) /* pairs: EMEMO */
		return;
	m = mem_alloc(MEM_JOURNAL, sizeof(*m));
	m->filter = f;
	m->conf = config_ref_get(conf);
	m->verdict = v;
	m->set = set ? attr_set_ref(set, 1) : NULL;
	for (unsigned i = 0; i < SEG_MEMOS; i++) {
		void *expect = NULL;

		if (cas_acq_rel_ptr(&s->memo[i], &expect, m)) /* pairs: EMEMO */
			return;
		if (((struct export_memo *)expect)->filter == f)
			break;
	}
	export_memo_free(store, m);
}

void
export_memo_free(struct attr_store *store, TAKE struct export_memo *m)
{
	if (!m)
		return;
	if (m->set)
		attr_set_unref(store, m->set, 1);
	config_ref_put(m->conf);
	mem_free(MEM_JOURNAL, m);
}
