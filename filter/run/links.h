/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of a gateway, for filters that assign or read the way of packets. Loop:
 * the thread of the run. */
#ifndef TERN_FILTER_RUN_LINKS_H
#define TERN_FILTER_RUN_LINKS_H

#include "lib/net/ip.h"
#include "sysdep/iface/iface.h"

/* links_find - the interface with a subnet in which a gateway may have address @a:
 * neither a local address, nor the network address, nor the broadcast address. Among
 * several interfaces the longest prefix wins. Loopback and interfaces that are down are
 * skipped. Returns: NULL: none. Pure. */
const struct iface *links_find(const struct iface_list *l, struct ip_addr a);
/* links_gateway - links_find, but the interface may be the loopback interface. Pure. */
const struct iface *links_gateway(const struct iface_list *l, struct ip_addr a);

#endif
