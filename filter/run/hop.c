/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops in sets and in edits of them. Loop: the thread that owns the edit; any
 * thread may read the hops of an interned set. */
#include "filter/run/hop.h"

#include "filter/run/custom.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/net/ip.h"

#include <bsd/string.h>
#include <stdio.h>

_Static_assert(
    sizeof(struct hop) == 40, "hops have no holes: hops are compared as octets");

struct hop
hop_make(struct ip_addr gw, uint32_t index, const char *name)
{
	struct hop h = { .gw = gw, .ifindex = index, .weight = 1 };

	if (name)
		strlcpy(h.ifname, name, sizeof(h.ifname));
	return h;
}

/* hop_cmp - compare in the order of a route's hops, which is bird2's order: the heaviest
 * first, then by gateway and interface. 0: equal ways. */
static int
hop_cmp(const struct hop *a, const struct hop *b)
{
	int cmp;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	cmp = ip_cmp(a->gw, b->gw);
	return cmp ? cmp : a->ifindex < b->ifindex ? -1 : a->ifindex > b->ifindex;
}

unsigned
hops_sort(struct hop *h, unsigned cnt)
{
	unsigned to = 0;

	for (unsigned i = 0; i < cnt; i++) {
		struct hop one = h[i];
		unsigned at = to;

		while (at && hop_cmp(&h[at - 1], &one) > 0)
			at--;
		if (at && !hop_cmp(&h[at - 1], &one))
			continue;
		memmove(&h[at + 1], &h[at], (to++ - at) * sizeof(*h));
		h[at] = one;
	}
	return to;
}

int
hops_set(struct attr_edit *e, const struct hop *h, unsigned cnt)
{
	return attr_edit_set_custom(
	    e, CUSTOM_HOPS, HOPS_VALUES, h, cnt * (uint32_t)sizeof(*h));
}

int
hop_set_iface(struct attr_edit *e, uint32_t index, const char *name)
{
	struct hop h = hop_make(IP_NONE, index, name);

	return hops_set(e, &h, 1);
}

int
hops_unset(struct attr_edit *e)
{
	return attr_edit_unset_custom(e, CUSTOM_HOPS);
}

static bool
hop_take(const struct custom_item *it, unsigned i, struct hop *out)
{
	const struct hop_node *n;
	bool by_id = it->type == HOPS_INTERNED;
	size_t size = by_id ? sizeof(n) : sizeof(*out);
	const uint8_t *p = (const uint8_t *)it->val + i * size;

	if ((i + 1) * size > it->len)
		return false;
	if (by_id)
		memcpy(&n, p, sizeof(n));
	memcpy(out, by_id ? (const void *)&n->hop : p, sizeof(*out));
	return true;
}

bool
hop_of(const struct attr_set *set, unsigned i, struct hop *out)
{
	struct custom_item it;

	return set->local.custom_words && set->local.dest == DEST_UNICAST &&
	       custom_find(set, CUSTOM_HOPS, &it) && hop_take(&it, i, out);
}

bool
hop_in(const struct attr_edit *e, unsigned i, struct hop *out)
{
	struct custom_item it;

	return e->local.dest == DEST_UNICAST &&
	       attr_edit_get_custom(e, CUSTOM_HOPS, &it) && hop_take(&it, i, out);
}
