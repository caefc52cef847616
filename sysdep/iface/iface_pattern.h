/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns of interfaces, as configurations have them: "eth*", -"lo", 10.0.0.0/8. Pure
 * functions; any thread. */
#ifndef TERN_SYSDEP_IFACE_IFACE_PATTERN_H
#define TERN_SYSDEP_IFACE_IFACE_PATTERN_H

#include "lib/net/prefix.h"
#include "sysdep/iface/iface.h"

/* One pattern of a list; name and address must both fit. Owner: the configuration or the
 * tune that holds the list. Life: the arena of the holder. */
struct iface_pattern {
	const struct iface_pattern *next;
	const char *mask; /* of the name, with * and ?; NULL: any */
	struct prefix in; /* prefix around the address; only if has_in */
	bool has_in;
	bool negative; /* the pattern excludes what fits */
};

/* iface_pattern_fits - true if the first fitting pattern of the list is not negative. @a:
 * an address of the interface; NULL: the question is about the interface, and patterns
 * with addresses do not fit. An empty list fits everything. Pure. */
bool iface_pattern_fits(
    const struct iface_pattern *first, const struct iface *i, const struct iface_addr *a);

#endif
