/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best route: RFC 4271, 9.1, in the order that BIRD's operators know.
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
 *   13 lower number of the feeder      unique in the table, so that two routes never tie
 *
 * Rule 7 compares only some pairs of routes, so no total order includes rule 7. A table
 * therefore keeps the paths of a net in the order of bgp_decide_cmp, which omits rule 7,
 * and calls bgp_decide_select for the first paths, which are tied before rule 7. The
 * result does not depend on the order in which routes arrived. Pure; any thread. */
#ifndef TERN_PROTO_BGP_IN_BGP_DECIDE_H
#define TERN_PROTO_BGP_IN_BGP_DECIDE_H

#include "lib/base/check.h"

struct lost_at;
struct route_cand;

/* bgp_decide_cmp - compare by all rules but 7. Returns: < 0 if @a is better, > 0 if @b
 * is; 0 only for routes that are equal in all these rules; the table orders such routes
 * by feeder. */
int bgp_decide_cmp(const struct route_cand *a, const struct route_cand *b);
/* bgp_decide_tied - true if both are equal by the rules before 7. */
bool bgp_decide_tied(const struct route_cand *a, const struct route_cand *b);
/* bgp_decide_med - the MED of @c, which rule 7 compares among tied routes of one
 * *@group. */
uint32_t bgp_decide_med(const struct route_cand *c, uint64_t *group);
/* bgp_decide_select - @c: at least one route, all tied, in the order of bgp_decide_cmp.
 * Returns: index of the best by rules 7 to 13. Cost: O(@cnt) for each neighbour AS whose
 * first route loses by MED. */
unsigned bgp_decide_select(const struct route_cand *c, unsigned cnt);
/* bgp_decide_lost - the rule by which @c lost, as in struct path_order. Both routes have
 * one preference. */
bool bgp_decide_lost(struct lost_at *at, const struct route_cand *best,
    const struct route_cand *c, const struct route_cand *tied, unsigned cnt);
/* bgp_decide_lowest - true if no route has a lower MED. */
bool bgp_decide_lowest(const struct route_cand *c);
/* bgp_decide_merges - are both reachable, and equal up to the metric to their next hops?
 * MEDs count where they would be compared. */
bool bgp_decide_merges(const struct route_cand *a, const struct route_cand *b);

#endif
