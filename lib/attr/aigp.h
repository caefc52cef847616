/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AIGP: the metric that routes accumulate on their way through an administrative domain
 * (RFC 7311). Its value is a list of TLVs, of which the first of type 1 is the metric.
 *
 * No state; any thread. */
#ifndef TERN_LIB_ATTR_AIGP_H
#define TERN_LIB_ATTR_AIGP_H

#include "lib/base/base.h"

struct attr_set;
struct wire_set;

#define AIGP_METRIC_LEN 11 /* octets of a TLV of type 1 */

/* aigp_find - the metric of @val, the checked value of an attribute (RFC 7311, 3).
 * Returns: where its 8 octets are; NULL: there is none. */
const uint8_t *aigp_find(const uint8_t *val, uint32_t len);
/* aigp_of - the metric of @w. Returns: whether there is one. */
bool aigp_of(const struct wire_set *w, uint64_t *metric);
/* aigp_total - @metric and the way to the next hop of @set, which counts 1 at least:
 * what the decision compares (RFC 7311, 4), and what we tell who sends by us (3.4.2). At
 * most UINT64_MAX - 1. */
uint64_t aigp_total(const struct attr_set *set, uint64_t metric);
/* aigp_put - the octets of an attribute with @metric alone. */
void aigp_put(uint8_t to[AIGP_METRIC_LEN], uint64_t metric);

/* aigp_own_way - the way to a route that no BGP peer sent; UINT32_MAX: it isn't known. A
 * network of our interfaces is at no distance. */
uint32_t aigp_own_way(const struct attr_set *set);

#endif
