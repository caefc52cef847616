/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AIGP (RFC 7311): a metric that routes accumulate on the way through an administrative
 * domain. The value of the attribute is a list of TLVs; the first TLV of type 1 holds the
 * metric.
 *
 * The functions keep no state. Any thread may call the functions. */
#ifndef TERN_LIB_ATTR_AIGP_H
#define TERN_LIB_ATTR_AIGP_H

#include "lib/base/base.h"

struct attr_set;
struct wire_set;

#define AIGP_METRIC_LEN 11 /* octets of a TLV of type 1 */

/* aigp_find - find the metric in @val, the checked value of an attribute (RFC 7311, 3).
 * Returns: the address of the metric's 8 octets, or NULL: @val holds no metric. */
const uint8_t *aigp_find(const uint8_t *val, uint32_t len);
/* aigp_of - read the metric of @w. Returns: true: @w has a metric, and *@metric is
 * set. */
bool aigp_of(const struct wire_set *w, uint64_t *metric);
/* aigp_total - add the distance to the next hop of @set to @metric. The distance counts 1
 * at least. Best-route selection compares the sum (RFC 7311, 4), and tern sends the sum
 * to peers that reach the destination through tern (3.4.2). The sum is at most UINT64_MAX
 * - 1. */
uint64_t aigp_total(const struct attr_set *set, uint64_t metric);
/* aigp_put - write the octets of an attribute that holds @metric alone. */
void aigp_put(uint8_t to[AIGP_METRIC_LEN], uint64_t metric);

/* aigp_way_of - the distance to a route that no BGP peer sent; UINT32_MAX: unknown. A
 * network of a local interface has distance 0. */
uint32_t aigp_way_of(const struct attr_set *set);

#endif
