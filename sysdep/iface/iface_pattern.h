/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of interfaces, as configurations have them: "eth*", -"lo", 10.0.0.0/8. */
#ifndef TERN_SYSDEP_IFACE_PATTERN_H
#define TERN_SYSDEP_IFACE_PATTERN_H

#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

/* One of a list. All that is said must fit: the name, then the address. */
struct iface_pattern {
	const struct iface_pattern *next;
	const char *mask; /* of the name, with * and ?; NULL: any */
	struct prefix in; /* where the address is; only if has_in */
	bool has_in;
	bool negative; /* what fits is excluded */
};

/* iface_pattern_fits - does the first of the list that fits say yes? @a: of the
 * interface; NULL: it is about the interface, and patterns with addresses don't fit.
 * No pattern at all fits everything. Pure. */
bool iface_pattern_fits(
    const struct iface_pattern *first, const struct iface *i, const struct iface_addr *a);

#endif
