/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of export filters, kept in the segment that they are about. */
#include "nest/rib/export_memo.h"
#include "nest/rib/table_priv.h"

/* octets - that @m holds while the segment is there. */
static uint32_t
octets(const struct export_memo *m, const struct segment *s)
{
	uint32_t cnt = sizeof(*m);

	if (m->set && m->set->wire != s->wire)
		cnt += (uint32_t)sizeof(*m->set->wire) + m->set->wire->len;
	return cnt;
}

void
export_memo_put(struct table *t, struct segment *s, const struct filter *f,
    struct config_ref *conf, enum filter_verdict v, struct attr_set *set)
{
	struct pubptr *at = &s->memo;
	struct export_memo *m, *there;
	unsigned cnt = 0;
	void *expect;

	for (; (there = load_acquire_ptr(at)); at = &there->next) /* pairs: EMEMO */
		if (++cnt == SEG_MEMOS || there->filter == f)
			return;
	m = mem_zalloc(MEM_JOURNAL, sizeof(*m));
	m->filter = f;
	m->conf = config_ref_get(conf);
	m->verdict = v;
	m->set = set ? attr_set_ref(set, 1) : NULL;
	for (; cnt < SEG_MEMOS; cnt++, at = &there->next) {
		expect = NULL;
		if (cas_acq_rel_ptr(at, &expect, m)) { /* pairs: EMEMO */
			journal_charge(&t->journal, &s->je, octets(m, s));
			return;
		}
		there = expect;
		if (there->filter == f)
			break;
	}
	export_memo_free(t->store, m);
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
