/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nets of a feeder by resolved next hops (CUSTOM_RECURSIVE): a changed next hop
 * touches only the nets that use it.
 *
 * Only feeders that resolve next hops have the index. 8 to 16 octets for each path.
 *
 * Loop: the table's, but for hop_nets_new and hop_nets_free. */
#ifndef TERN_NEST_RIB_TABLE_HOP_NETS_H
#define TERN_NEST_RIB_TABLE_HOP_NETS_H

#include "lib/base/check.h"
#include "lib/net/ip.h"

struct attr_set;
struct hop_nets;

OWNED struct hop_nets *hop_nets_new(void);
/* hop_nets_free - @x NULL: no effect. */
void hop_nets_free(TAKE struct hop_nets *x);
/* hop_nets_count - net @id got (@add 1) or lost (-1) a path with @set. No effect for a
 * set without a resolved next hop. Cost: O(1). */
void hop_nets_count(struct hop_nets *x, const struct attr_set *set, uint32_t id, int add);
/* hop_nets_has - true: a path uses @a. */
bool hop_nets_has(const struct hop_nets *x, struct ip_addr a);
/* hop_nets_get - the nets with paths by one of the @addr_cnt addresses @addr; a net may
 * occur several times. *@cnt: number. Returns: NULL: *@cnt is more than @most. */
OWNED uint32_t *hop_nets_get(const struct hop_nets *x, uint32_t *cnt,
    const struct ip_addr *addr, uint32_t addr_cnt, uint32_t most);

#endif
