/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's table of neighbors: IP addresses with MAC addresses (ARP and Neighbor
 * Discovery). Any thread. */
#ifndef TERN_SYSDEP_IFACE_NEIGH_H
#define TERN_SYSDEP_IFACE_NEIGH_H

#include "lib/base/check.h"
#include "lib/wire/rtnl.h"

/* neigh_read - call @fn for each entry of the table.
 * Blocks:  for the answer of the kernel, a millisecond for 1,000 entries.
 * Returns: 0, or negative errno: @fn may have seen a part of the table. */
MUST_CHECK int neigh_read(void (*fn)(void *arg, const struct rtnl_neigh *n), void *arg);

#endif
