/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's network interfaces, as far as commands show them. */
#ifndef TERN_NEST_CMD_IFACE_H
#define TERN_NEST_CMD_IFACE_H

#include "lib/net/ip.h"
#include "sysdep/iface.h"

/* iface_of - name of the interface on whose subnet @a is; NULL: none. Borrowed from
 * @l. */
const char *iface_of(const struct iface_list *l, struct ip_addr a);

#endif
