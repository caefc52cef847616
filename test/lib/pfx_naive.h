/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The naive model of a set of prefixes, by the definition in filter/set/pfxset.h. */
#ifndef TERN_TEST_LIB_PFX_NAIVE_H
#define TERN_TEST_LIB_PFX_NAIVE_H

#include "filter/set/pfxset.h"

static inline bool
pfx_naive_has(const struct pfx_pattern *pat, uint32_t cnt, const struct prefix *p)
{
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		unsigned least = pat[i].len < p->len ? pat[i].len : p->len;
		struct prefix a, b;

		if (pat[i].fam != p->fam || p->len < pat[i].lo || p->len > pat[i].hi)
			continue;
		a = prefix_make(pat[i].addr, least, p->fam);
		b = prefix_make(p->addr, least, p->fam);
		if (prefix_equal(&a, &b))
			return true;
	}
	return false;
}

#endif
