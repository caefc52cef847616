/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which route is best: RFC 4271, 9.1, in the order that BIRD's operators know.
 *
 *    1 reachable over unreachable      9.1.2.1
 *    2 higher preference               of the protocol, or set by a filter
 *    3 other protocols over BGP        (routes without BGP's attributes)
 *    4 higher LOCAL_PREF               9.1.1; absent: 100
 *    5 shorter AS_PATH                 9.1.2.2 a; `path metric off` counts as 0
 *    6 lower ORIGIN                    9.1.2.2 b
 *    7 lower MED                       9.1.2.2 c; among one neighbour AS, or among all
 *                                      with `med metric`; absent: 0
 *    8 eBGP over iBGP                  9.1.2.2 d
 *    9 lower IGP metric                9.1.2.2 e; unknown is worst
 *   10 lower ORIGINATOR_ID             9.1.2.2 f; RFC 4456, 9; else the router id
 *   11 shorter CLUSTER_LIST            RFC 4456, 9
 *   12 lower peer address              9.1.2.2 g
 *   13 lower number of the feeder      the table's own, so that two routes never tie
 *
 * Rule 7 compares only some pairs, so that with it no total order exists. Hence a table
 * keeps the paths of a net in the order of bgp_decide_cmp, which leaves it out, and asks
 * bgp_decide_select which of the first ones, tied but for MED, is best. The result
 * doesn't depend on the order in which routes arrived. Pure; any thread. */
#ifndef TERN_PROTO_BGP_BGP_DECIDE_H
#define TERN_PROTO_BGP_BGP_DECIDE_H

#include "lib/base/check.h"

struct lost_at;
struct route_cand;

/* bgp_decide_cmp - all rules but 7. Returns: < 0 if @a is better, > 0 if @b; 0 only for
 * routes that are equal in them all, which the table puts in the order of their
 * feeders. */
int bgp_decide_cmp(const struct route_cand *a, const struct route_cand *b);
/* bgp_decide_tied - equal by the rules before 7. */
bool bgp_decide_tied(const struct route_cand *a, const struct route_cand *b);
/* bgp_decide_med - rule 7 compares it among tied routes of one *@group. */
uint32_t bgp_decide_med(const struct route_cand *c, uint64_t *group);
/* bgp_decide_select - @c: at least one, all tied, in the order of bgp_decide_cmp.
 * Returns: index of the best by rules 7 to 13. Cost: O(@cnt) for each neighbour AS whose
 * first route loses by MED. */
unsigned bgp_decide_select(const struct route_cand *c, unsigned cnt);
/* bgp_decide_lost - as of struct path_order: the rule by which @c lost. Both have one
 * preference. */
bool bgp_decide_lost(struct lost_at *at, const struct route_cand *best,
    const struct route_cand *c, const struct route_cand *tied, unsigned cnt);
/* bgp_decide_lowest - no route has a lower MED. */
bool bgp_decide_lowest(const struct route_cand *c);
/* bgp_decide_merges - are both reachable, and equal up to the metric to their next hops?
 * MEDs count where they would be compared. */
bool bgp_decide_merges(const struct route_cand *a, const struct route_cand *b);

#endif
