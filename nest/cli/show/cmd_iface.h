/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network interfaces of the machine, for commands. Loop: the session's. */
#ifndef TERN_NEST_CLI_SHOW_CMD_IFACE_H
#define TERN_NEST_CLI_SHOW_CMD_IFACE_H

#include "lib/net/ip.h"
#include "sysdep/iface/iface.h"

/* iface_of - name of the interface with address @a in its subnet; NULL: none. Borrowed
 * from @l. @link_if: interface of the session that announced @a, for link-local
 * addresses; 0: unknown. */
const char *iface_of(const struct iface_list *l, struct ip_addr a, uint32_t link_if);

#endif
