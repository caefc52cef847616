/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface that a route keeps for its way, beside its gateway or without one
 * (CUSTOM_IFACE). Routes without it have a gateway alone, and which interface that is
 * behind is looked up (filter/run/links.h).
 *
 * It is kept by number and name: one that gets another name is another interface to
 * routes, so whoever brought them brings them anew. */
#ifndef TERN_FILTER_HOP_H
#define TERN_FILTER_HOP_H

#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/base/check.h"

#include <net/if.h>

struct hop_iface {
	uint32_t index;
	char name[IF_NAMESIZE]; /* filled up with zeros */
};

/* hop_set_iface - the route's packets leave by interface @index, which is called @name.
 * Returns: 0, -ENOSPC or -E2BIG. */
MUST_CHECK int hop_set_iface(struct attr_edit *e, uint32_t index, const char *name);
/* hop_iface_of, hop_iface_in - Returns: false: it keeps none. */
bool hop_iface_of(const struct attr_set *set, struct hop_iface *out);
bool hop_iface_in(const struct attr_edit *e, struct hop_iface *out);

#endif
