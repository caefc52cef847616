/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which interface a gateway is behind, for filters that assign or read where packets
 * go. */
#ifndef TERN_FILTER_LINKS_H
#define TERN_FILTER_LINKS_H

#include "lib/net/ip.h"
#include "sysdep/iface/iface.h"

/* links_find - the interface on one of whose subnets a gateway may have address @a: not
 * ours, and not that of the subnet or its broadcast; of several the one with the longest
 * prefix. Loopback and what is down is left out. Returns: NULL: there is none. Pure. */
const struct iface *links_find(const struct iface_list *l, struct ip_addr a);
/* links_gateway - the same for a gateway, which may be on the loopback interface.
 * Pure. */
const struct iface *links_gateway(const struct iface_list *l, struct ip_addr a);

#endif
