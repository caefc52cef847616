/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts candidates of one table by the steps that decide among equal routes
 * (path_tie.h). Loop: any thread under RCU. Tested by test/net/test_preview.py. */
#include "nest/core/reason.h"
#include "nest/rib/path_priv.h"
#include "nest/rib/source.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_tie.h"
#include "nest/rib/table_priv.h"

static uint64_t
tie_sort_place(const struct table *t, const struct path *p)
{
	const struct feeder *f = table_feeder_at(t, path_feeder(p));

	return f ? f->place : 0;
}

/* tie_sort_cmp - as best_cmp_equal in table_best.c, about the sets of the candidates. */
static int
tie_sort_cmp(
    const struct table *t, const struct overlay_cand *a, const struct overlay_cand *b)
{
	struct path_tie x = { tie_sort_place(t, a->path), a->from, a->set,
		path_origin(a->path) != 0 };
	struct path_tie y = { tie_sort_place(t, b->path), b->from, b->set,
		path_origin(b->path) != 0 };
	enum reason why;
	int c = path_tie_cmp(&x, &y, &why);

	if (c)
		return c;
	if (path_rid_of(a->path) != path_rid_of(b->path))
		return path_rid_of(a->path) < path_rid_of(b->path) ? -1 : 1;
	return path_feeder(a->path) < path_feeder(b->path) ? -1 : 1;
}

void
overlay_sort_ties(const struct table *t, struct overlay_cand *c, unsigned cnt)
{
	for (unsigned i = 1; i < cnt; i++) {
		struct overlay_cand one = c[i];
		unsigned at = i;

		for (; at && tie_sort_cmp(t, &one, &c[at - 1]) < 0; at--)
			c[at] = c[at - 1];
		c[at] = one;
	}
}
