/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of routes that are equal in all preceding steps (path_tie.h). Pure
 * functions; any thread. */
#include "nest/rib/table/path_tie.h"

#include "lib/attr/attr.h"
#include "lib/attr/route.h"
#include "nest/rib/source.h"

#include <string.h>

static int
tie_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
tie_octets(const void *a, uint32_t a_len, const void *b, uint32_t b_len)
{
	uint32_t len = a_len < b_len ? a_len : b_len;
	int c = len ? memcmp(a, b, len) : 0;

	return c ? c : tie_numbers(a_len, b_len);
}

static int
tie_local(const struct attr_local *a, const struct attr_local *b)
{
	int c = tie_numbers(a->igp_metric, b->igp_metric);

	if (!c)
		c = tie_numbers(a->dest, b->dest);
	return c ? c : tie_numbers(a->rts, b->rts);
}

static int
tie_source(const struct route_source *x, const struct route_source *y)
{
	int c = tie_numbers(x->place, y->place);

	return c || x->proto == y->proto || !x->proto || !y->proto
		   ? c
		   : strcmp(x->proto, y->proto);
}

int
path_tie_set(const struct attr_set *a, const struct attr_set *b)
{
	int c;

	if (a == b) /* sets are interned */
		return 0;
	c = tie_octets(a->wire->data, a->wire->len, b->wire->data, b->wire->len);
	if (!c)
		c = tie_local(&a->local, &b->local);
	return c ? c
		 : tie_octets(attr_custom(a), attr_custom_len(a), attr_custom(b),
		       attr_custom_len(b));
}

int
path_tie_cmp(const struct path_tie *a, const struct path_tie *b, enum reason *why)
{
	int c = tie_source(&a->from->src, &b->from->src);

	*why = REASON_EARLIER_PROTOCOL;
	if (!c)
		c = a->is_foreign - b->is_foreign;
	if (c)
		return c;
	*why = REASON_ATTRIBUTES;
	if (a->is_foreign || (a->from->order && a->from->order->rank))
		c = path_tie_set(a->set, b->set);
	if (c)
		return c;
	*why = REASON_EARLIER_PROTOCOL;
	return tie_numbers(a->place, b->place);
}
