/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changes of a ROA or ASPA table since the last round, and the nets that they affect.
 *
 * A VRP affects all nets inside its prefix, whatever paths the nets have. The providers
 * of a customer affect paths with the customer, before or after import policy; the prefix
 * of the net does not matter.
 *
 * Loop: the index's. Tested by test/unit/test_rpki_index.c and
 * test/unit/test_aspa_index.c. */
#include "lib/attr/attr.h"
#include "lib/attr/attr_def.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "nest/rib/index/rpki_index_priv.h"
#include "nest/rib/table.h"

#include <stdlib.h>

#define CHANGES_MAX 16384 /* beyond, everything may have changed */

static void
changes_drop_list(struct roa_changes *c)
{
	if (c->customers)
		mem_free(MEM_TABLE, c->as);
	else
		mem_free(MEM_TABLE, c->p);
	c->p = NULL;
	c->cnt = c->cap = 0;
}

void
roa_changes_add(struct roa_changes *c, const struct vrp *v, enum roa_change what)
{
	c->of[what]++;
	if (c->all)
		return;
	if (c->cnt == CHANGES_MAX) {
		changes_drop_list(c);
		c->all = true;
		return;
	}
	if (c->customers) {
		c->as = vec_room(MEM_TABLE, c->as, &c->cap, c->cnt + 1, sizeof(*c->as));
		c->as[c->cnt++] = v->asn;
	} else {
		c->p = vec_room(MEM_TABLE, c->p, &c->cap, c->cnt + 1, sizeof(*c->p));
		c->p[c->cnt++] = v->net;
	}
}

bool
roa_changes_any(const struct roa_changes *c)
{
	return c->cnt || c->all;
}

static int
changes_prefix_order(const void *a, const void *b)
{
	return prefix_cmp(a, b);
}

static int
changes_as_order(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a < b ? -1 : a > b;
}

void
roa_changes_take(struct roa_changes *to, struct roa_changes *from)
{
	uint32_t cnt = 0;

	roa_changes_clear(to);
	*to = *from;
	*from = (struct roa_changes){ .customers = to->customers };
	if (!to->cnt) /* all changed: no list is needed */
		return;
	if (to->customers) {
		qsort(to->as, to->cnt, sizeof(*to->as), changes_as_order);
		for (uint32_t i = 0; i < to->cnt; i++)
			if (!cnt || to->as[cnt - 1] != to->as[i])
				to->as[cnt++] = to->as[i];
	} else {
		qsort(to->p, to->cnt, sizeof(*to->p), changes_prefix_order);
		for (uint32_t i = 0; i < to->cnt; i++)
			if (!cnt || !prefix_contains(&to->p[cnt - 1], &to->p[i]))
				to->p[cnt++] = to->p[i];
	}
	to->cnt = cnt;
}

void
roa_changes_clear(struct roa_changes *c)
{
	changes_drop_list(c);
	*c = (struct roa_changes){ .customers = c->customers };
}

/* ---- prefixes ---- */

/* roa_changes_covers - true: @net lies in a prefix of the list. */
static bool
roa_changes_covers(const struct roa_changes *c, const struct prefix *net)
{
	uint32_t lo = 0, hi = c->cnt;

	while (lo < hi) { /* the first prefix above @net */
		uint32_t mid = lo + (hi - lo) / 2;

		if (prefix_cmp(&c->p[mid], net) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && prefix_contains(&c->p[lo - 1], net);
}

/* ---- customers ---- */

static bool
changes_has_customer(const struct roa_changes *c, uint32_t as)
{
	uint32_t lo = 0, hi = c->cnt;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->as[mid] <= as)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && c->as[lo - 1] == as;
}

static bool
changes_in_path(const struct roa_changes *c, const struct wire_set *w)
{
	const uint8_t *p, *end;
	struct attr_item it;

	if (!wire_find(w, ATTR_AS_PATH, &it))
		return false;
	for (p = it.val, end = p + it.len; p < end; p += 2 + 4 * p[1])
		for (unsigned i = 0; i < p[1]; i++)
			if (changes_has_customer(c, get_be32(p + 2 + 4 * i)))
				return true;
	return false;
}

/* changes_in_set - changes_in_path with a memory of one set: neighbouring nets often
 * have one set. */
static bool
changes_in_set(struct roa_changes *c, const struct attr_set *set, uint32_t *looks)
{
	if (set->wire != c->last) {
		++*looks;
		c->last_touched = changes_in_path(c, set->wire);
		c->last = set->wire;
	}
	return c->last_touched;
}

bool
roa_changes_route(struct roa_changes *c, const struct path *p, uint32_t *looks)
{
	const struct attr_set *pre = path_pre(p);

	return !c->customers || changes_in_set(c, path_set(p), looks) ||
	       (pre && changes_in_set(c, pre, looks));
}

static bool
changes_on_paths(struct roa_changes *c, const struct net *n, uint32_t *looks)
{
	for (const struct path *p = net_first(n); p; p = path_next(p))
		if (roa_changes_route(c, p, looks))
			return true;
	return false;
}

bool
roa_changes_touch(
    struct roa_changes *c, const struct table *t, const struct net *n, uint32_t *looks)
{
	struct prefix p;

	if (c->customers)
		return changes_on_paths(c, n, looks);
	p = net_prefix(t, n);
	return roa_changes_covers(c, &p);
}
