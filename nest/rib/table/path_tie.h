/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of routes that are equal in preference, in the protocol's rank and in the
 * number of pipes on the way.
 *
 * The order depends on the configuration and on the routes alone, never on which route
 * came first: threads bring routes in any order, and two starts with the same file choose
 * the same route. A route precedes another route by
 *
 *   1. the instance that brought the route to the table, by place;
 *   2. the instance that the route comes from, by place, then by name;
 *   3. the attributes, compared as octets, if a pipe or a station brought the routes;
 *   4. the received path identifier (table_best.c).
 *
 * The place of an instance is the instance's position in the configuration
 * (struct proto). The identifiers that a peer sends are the peer's word. The identifiers
 * that a pipe or a station assigns follow the order of arrival, so the attributes precede
 * them: routes that differ in nothing but such an identifier are the same route for
 * everyone who reads the table.
 *
 * Pure; any thread. Tests: test_path_tie.c, prop_paths.c, test/net/test_ties.py. */
#ifndef TERN_NEST_PATH_TIE_H
#define TERN_NEST_PATH_TIE_H

#include <stdint.h>

struct attr_set;
struct origin;

/* What decides about a route. Borrowed. */
struct path_tie {
	uint64_t place; /* of the instance that brought the route */
	const struct origin *from;
	const struct attr_set *set;
};

/* path_tie_source - points 1 and 2. path_tie_set - point 3.
 * Returns: < 0: @a precedes @b; 0: equal. */
int path_tie_source(const struct path_tie *a, const struct path_tie *b);
int path_tie_set(const struct attr_set *a, const struct attr_set *b);

#endif
