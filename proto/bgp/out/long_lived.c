/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sets of long-lived stale routes (long_lived.h). Any thread. */
#include "proto/bgp/out/long_lived.h"

#include "lib/attr/attr_def.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "nest/rib/attr/attr_store.h"

struct attr_set *
long_lived_set(struct attr_store *store, struct attr_set *set, struct arena *a)
{
	struct comm stale = { .v = { COMM_LLGR_STALE >> 16, COMM_LLGR_STALE & 0xffff } };
	struct attr_item it = { 0 };
	struct attr_set *made = NULL;
	struct attr_edit e;
	uint8_t *list;
	int len;

	if (set->wire->has & WIRE_HAS_NO_LLGR)
		return NULL;
	if (set->wire->has & WIRE_HAS_LLGR_STALE)
		return attr_set_ref(set, 1);
	wire_find(set->wire, ATTR_COMMUNITY, &it);
	attr_edit_init(&e, a, set);
	len = comm_add(&list, a, COMM_STD, it.val, it.len, stale);
	if (len >= 0 && !attr_edit_set(&e, ATTR_COMMUNITY, attr_flags(ATTR_COMMUNITY),
			    list, (uint32_t)len))
		made = attr_store_edit(store, &e);
	arena_reset(a);
	return made;
}
