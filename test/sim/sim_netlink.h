/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sockets of rtnetlink in the simulated kernel: for netlink.c (sockets, interfaces),
 * neigh.c (neighbors) and kroutes.c (routes). */
#ifndef TERN_TEST_SIM_NETLINK_H
#define TERN_TEST_SIM_NETLINK_H

#include "test/sim/sim_priv.h"

#include <linux/netlink.h>

struct nl_message {
	struct nl_message *next;
	size_t len;
	char data[];
};

/* owner: its descriptor. */
struct nl {
	struct sim_file f;
	struct nl *next;
	struct nl_message *first, **last;
	size_t queued, room; /* octets; what finds no room is lost, and `lost` is set */
	bool lost; /* the next recv says ENOBUFS */
	uint32_t groups; /* RTMGRP_*: what the socket is told */
	int deaf_to; /* routes of this protocol are not told; -1: none */
};

/* nl_first - of all sockets. */
struct nl *nl_first(void);
/* nl_queue - @answer: of the socket's own request, for which there is always room. */
void nl_queue(struct nl *n, const void *data, size_t len, bool answer);
/* nl_put_attr - behind the message @msg, whose buffer has room. */
void nl_put_attr(void *msg, unsigned short type, const void *data, size_t len);

/* neigh_set - the neighbor with the address @address on the interface @name has @mac;
 * NULL: the kernel has no answer. neigh_delete - the kernel forgets the neighbor.
 * Returns: 0, or -1 with errno. */
int neigh_set(unsigned host, const char *name, const char *address, const char *mac);
int neigh_delete(unsigned host, const char *name, const char *address);
/* neigh_dump - all neighbors of the socket's host. */
void neigh_dump(struct nl *n, const struct nlmsghdr *h);

/* kroutes_request - RTM_NEWROUTE, RTM_DELROUTE, RTM_GETROUTE of @n. Returns: 0 or
 * negative errno, for the answer. */
int kroutes_request(struct nl *n, const struct nlmsghdr *h);
/* kroutes_flush - remove the routes of a table, and tell whoever follows routes. */
void kroutes_flush(uint32_t table);
/* kroutes_show - a line "PREFIX table N TEXT" for each route. Returns: the length. */
size_t kroutes_show(char *out, size_t room);

#endif
