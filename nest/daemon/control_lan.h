/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the MAC addresses of the LAN (lan.c). Loop: the control worker's. */
#ifndef TERN_NEST_DAEMON_CONTROL_LAN_H
#define TERN_NEST_DAEMON_CONTROL_LAN_H

#include "lib/base/htab.h"
#include "lib/base/list.h"
#include "sysdep/loop/loop.h"

/* Owner: struct control_health, which embeds the struct. Freed by: lan_fini. */
struct control_lan {
	struct timer timer;
	struct htab by_addr; /* of struct lan_seen */
	struct list seen;
	/* lines with the name of a member, a tab, a text; NULL: none. MEM_CONFIG */
	char *findings;
};

#endif
