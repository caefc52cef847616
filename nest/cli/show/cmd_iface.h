/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's network interfaces, as far as commands show them. */
#ifndef TERN_NEST_CMD_IFACE_H
#define TERN_NEST_CMD_IFACE_H

#include "lib/net/prefix.h"

struct ifaddrs;

/* What the kernel said once; owner: a command. */
struct iface_list {
	struct ifaddrs *all; /* NULL: nothing is known */
};

void iface_list_init(struct iface_list *l);
void iface_list_fini(struct iface_list *l);
/* iface_of - the interface on whose subnet @a is; NULL: none. Borrowed from @l. */
const char *iface_of(const struct iface_list *l, struct ip_addr a);

#endif
