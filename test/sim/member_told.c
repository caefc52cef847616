/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that a member has sent to the daemon in the present session: the oracle expects
 * the daemon to have these routes.
 *
 * The member's task runs all functions. Tested by all stories, which the oracle
 * judges. */
#include "test/sim/member_told.h"
#include "test/sim/codec.h"

#include <string.h>

void
told_put(struct member *m, const struct pending *p)
{
	struct rib_key k = p->key;
	uint32_t *cnt = &m->told_cnt[k.v6], was = m->told.cnt;
	bool takes;

	if (!m->sends_id[k.v6])
		k.id = 0;
	takes = p->attrs && !codec_is_malformed(p->attrs->text);
	m->told_changed |= !takes || rib_get(&m->told, &k);
	if (takes)
		rib_put(&m->told, &k, p->attrs);
	else
		rib_drop(&m->told, &k);
	*cnt += m->told.cnt - was;
	if (*cnt > m->told_most[k.v6])
		m->told_most[k.v6] = *cnt;
}

void
told_again(struct member *m, bool v6)
{
	const struct rib_route *r;
	struct rib again = { 0 };
	uint32_t at = 0;

	while ((r = rib_next(&m->told, &at)))
		if (r->key.v6 != v6)
			rib_put(&again, &r->key, r->attrs);
	for (at = 0; (r = rib_next(&m->announced, &at));) {
		struct rib_key k = r->key;

		k.id = m->sends_id[v6] ? k.id : 0;
		if (k.v6 == v6 && !codec_is_malformed(r->attrs->text))
			rib_put(&again, &k, r->attrs);
	}
	m->told_cnt[v6] -= m->told.cnt - again.cnt;
	rib_clear(&m->told);
	m->told = again;
}

void
told_clear(struct member *m, bool keeps)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while (keeps && (r = rib_next(&m->told, &at)))
		rib_put(&m->kept, &r->key, r->attrs);
	rib_clear(&m->told);
	m->told_changed = false;
	memset(m->told_cnt, 0, sizeof(m->told_cnt));
	memset(m->told_most, 0, sizeof(m->told_most));
}
