/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nets of a feeder by their next hops, where these are looked up (CUSTOM_RECURSIVE):
 * so one that changes touches its nets alone.
 *
 * A feeder that doesn't look up next hops has none. 8 to 16 octets for each path.
 *
 * Loop: the table's, but for hop_nets_new and hop_nets_free. */
#ifndef TERN_NEST_HOP_NETS_H
#define TERN_NEST_HOP_NETS_H

#include "lib/base/check.h"
#include "lib/net/ip.h"

struct attr_set;
struct hop_nets;

OWNED struct hop_nets *hop_nets_new(void);
/* hop_nets_free - NULL: nothing. */
void hop_nets_free(TAKE struct hop_nets *x);
/* hop_nets_count - net @id has one path with @set more (@add 1) or less (-1). Of a set
 * without a looked up next hop nothing is kept. Cost: O(1). */
void hop_nets_count(struct hop_nets *x, const struct attr_set *set, uint32_t id, int add);
/* hop_nets_has - are there any by @a? */
bool hop_nets_has(const struct hop_nets *x, struct ip_addr a);
/* hop_nets_get - the nets that have paths by one of the @addr_cnt addresses @addr, some
 * of them maybe more than once. *@cnt: how many. Returns: NULL: *@cnt isn't 0, and more
 * than @most. */
OWNED uint32_t *hop_nets_get(const struct hop_nets *x, uint32_t *cnt,
    const struct ip_addr *addr, uint32_t addr_cnt, uint32_t most);

#endif
