/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The network between the daemon and its members (sock.c), the names of machines
 * (names.c), and the kernel's interfaces (netlink.c). */
#ifndef TERN_TEST_SIM_NET_H
#define TERN_TEST_SIM_NET_H

#include <stdbool.h>

/* sim_net_cut - octets from and to this address ("10.0.1.1", "fe80::1%eth0") stop, or go
 * on. */
void sim_net_cut(const char *address, bool cut);
bool sim_net_is_cut(const char *address);
/* sim_net_pump - decide on connections under way; called by the scheduler. */
void sim_net_pump(void);
/* sim_net_reset_daemon - the daemon's host resets all connections of the daemon. */
void sim_net_reset_daemon(unsigned daemon);
/* sim_name_add - a name of a machine has this address, behind earlier addresses; at most
 * 16 addresses of all names. */
void sim_name_add(const char *name, const char *address);
/* sim_udp_new - a descriptor. */
int sim_udp_new(int family, int type);
/* sim_netlink_new - a descriptor, or -1 with errno. */
int sim_netlink_new(int type, int protocol);

#endif
