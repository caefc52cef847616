/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of export filters, kept in the segment of the answer. Any session. Loop: the
 * worker of any session, under RCU; export_memo_free in the thread that frees the
 * segment. Tested by test/unit/test_msg_cache.c. */
#include "nest/rib/attr/export_memo.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/rib/attr/attr_store.h"

/* export_memo_octets - octets that @m keeps in memory while the segment lives. */
static uint32_t
export_memo_octets(const struct export_memo *m, const struct wire_set *wire)
{
	uint32_t cnt = sizeof(*m);

	if (m->set && m->set->wire != wire)
		cnt += (uint32_t)sizeof(*m->set->wire) + m->set->wire->len;
	return cnt;
}

uint32_t
export_memo_put(struct attr_store *store, struct pubptr *first,
    const struct wire_set *wire, const struct export_memo *what)
{
	struct pubptr *at = first;
	struct export_memo *m, *there;
	unsigned cnt = 0;
	void *expect;

	for (; (there = load_acquire_ptr(at)); at = &there->next) /* pairs: EMEMO */
		if (++cnt == EXPORT_MEMOS || there->by == what->by)
			return 0;
	m = mem_zalloc(MEM_JOURNAL, sizeof(*m));
	m->by = what->by;
	m->conf = config_ref_get(what->conf);
	m->verdict = what->verdict;
	m->set = what->set ? attr_set_ref(what->set, 1) : NULL;
	for (; cnt < EXPORT_MEMOS; cnt++, at = &there->next) {
		expect = NULL;
		if (cas_acq_rel_ptr(at, &expect, m)) /* pairs: EMEMO */
			return export_memo_octets(m, wire);
		there = expect;
		if (there->by == what->by)
			break;
	}
	export_memo_free(store, m);
	return 0;
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
