/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of routes that are equal in preference, in the protocol's rank and in the
 * number of pipes on the way.
 *
 * The order depends on the configuration and on the routes alone, never on the order of
 * arrival: threads bring routes in any order, and two starts with one file choose equal
 * routes. A route precedes another route by
 *
 *   1. the instance that the route comes from, by place, then by name;
 *   2. the attributes, compared as octets: routes of BGP, and routes that a pipe or a
 *      station brought;
 *   3. the instance that brought the route to the table, by place;
 *   4. the received path identifier (table_best.c).
 *
 * The place of an instance is the instance's position in the configuration (struct
 * proto). A pipe or a station assigns identifiers in the order of arrival, so the
 * attributes precede identifiers: every reader of the table treats routes that differ
 * only in the identifier as equal. Points 1 and 2 hold before and behind a pipe, so that
 * two tables with a pipe choose equal routes of BGP, and a table that reads another
 * table (overlay.h) may keep the order of the other table.
 *
 * Pure; any thread. Tests: test_path_tie.c, prop_paths.c, test/net/test_ties.py. */
#ifndef TERN_NEST_RIB_TABLE_PATH_TIE_H
#define TERN_NEST_RIB_TABLE_PATH_TIE_H

#include "nest/core/reason.h"

#include <stdbool.h>
#include <stdint.h>

struct attr_set;
struct origin;

/* The deciding properties of a route. Owner: the caller, by value; the pointers are
 * borrowed and live as long as the path. */
struct path_tie {
	uint64_t place; /* of the instance that brought the route */
	const struct origin *from;
	const struct attr_set *set;
	bool is_foreign; /* a pipe or a station brought the route */
};

/* path_tie_cmp - points 1 to 3. Both routes have one order of their protocol.
 * Returns: < 0: @a precedes @b; 0: equal. *@why: the reason of the later route. */
int path_tie_cmp(const struct path_tie *a, const struct path_tie *b, enum reason *why);
/* path_tie_set - point 2. */
int path_tie_set(const struct attr_set *a, const struct attr_set *b);

#endif
