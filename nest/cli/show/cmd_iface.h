/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's network interfaces, as far as commands show them. */
#ifndef TERN_NEST_CMD_IFACE_H
#define TERN_NEST_CMD_IFACE_H

#include "lib/net/ip.h"
#include "sysdep/iface/iface.h"

/* iface_of - name of the interface on whose subnet @a is; NULL: none. Borrowed from @l.
 * @link_if: of the session that @a comes from, which a link-local address is about; 0:
 * not known. */
const char *iface_of(const struct iface_list *l, struct ip_addr a, uint32_t link_if);

#endif
