/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of a route, in its set. Tested by test/unit/test_builtin_gate.c. */
#include "filter/run/hop.h"

#include "filter/run/custom.h"
#include "filter/value/type.h"

#include <stdio.h>

int
hop_set_iface(struct attr_edit *e, uint32_t index, const char *name)
{
	struct hop_iface h = { .index = index };

	snprintf(h.name, sizeof(h.name), "%s", name);
	return attr_edit_set_custom(e, CUSTOM_IFACE, T_BYTES, &h, sizeof(h));
}

static bool
take(const struct custom_item *it, struct hop_iface *out)
{
	if (it->len != sizeof(*out))
		return false;
	memcpy(out, it->val, sizeof(*out));
	return true;
}

bool
hop_iface_of(const struct attr_set *set, struct hop_iface *out)
{
	struct custom_item it;

	return set->local.custom_words && set->local.dest == DEST_UNICAST &&
	       custom_find(set, CUSTOM_IFACE, &it) && take(&it, out);
}

bool
hop_iface_in(const struct attr_edit *e, struct hop_iface *out)
{
	struct custom_item it;

	return e->local.dest == DEST_UNICAST &&
	       attr_edit_get_custom(e, CUSTOM_IFACE, &it) && take(&it, out);
}
