/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which route is best: RFC 4271, 9.1, in the order that BIRD's operators know.
 *
 *    1 reachable over unreachable          9.1.2.1
 *    2 higher preference                   of the protocol, or set by a filter
 *    3 other protocols over BGP            (a route without BGP's attributes)
 *    4 higher LOCAL_PREF                   9.1.1; absent: 100
 *    5 shorter AS_PATH                     9.1.2.2 a; a source with `path metric off`
 * counts 0 6 lower ORIGIN                        9.1.2.2 b 7 lower MED among one
 * neighbour AS    9.1.2.2 c; absent: 0; `med metric`: among all 8 eBGP over iBGP 9.1.2.2
 * d 9 lower IGP metric                    9.1.2.2 e; unknown is worst 10 lower
 * ORIGINATOR_ID, else router id 9.1.2.2 f; RFC 4456, 9 11 shorter CLUSTER_LIST RFC 4456,
 * 9 12 lower peer address                 9.1.2.2 g 13 lower source id so that two routes
 * never tie
 *
 * Rule 7 compares only some pairs, so that with it no total order exists. Hence two
 * functions: one that leaves it out and is a strict total order, by which a table may
 * sort, and one that finds the best of a group, whatever the order in which its members
 * are given. Pure; any thread. */
#ifndef TERN_PROTO_BGP_BGP_DECIDE_H
#define TERN_PROTO_BGP_BGP_DECIDE_H

#include "lib/attr/route.h"

/* One route of a net. */
struct bgp_cand {
	const struct attr_set *set;
	const struct route_source *src;
	bool out; /* private: lost by MED */
};

/* bgp_decide_cmp - all rules but 7. Returns: < 0 if @a is better, > 0 if @b; 0 only for
 * routes of one source. A strict total order over routes of different sources. */
int bgp_decide_cmp(const struct bgp_cand *a, const struct bgp_cand *b);
/* bgp_decide_tied - equal by the rules before 7. */
bool bgp_decide_tied(const struct bgp_cand *a, const struct bgp_cand *b);
/* bgp_decide_best - all rules. @cand: at least one; any order; the result doesn't depend
 * on it. Returns: index of the best. Cost: O(@cnt) unless MEDs decide between many
 * neighbour ASes. */
unsigned bgp_decide_best(struct bgp_cand *cand, unsigned cnt);

#endif
