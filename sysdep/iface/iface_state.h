/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of interfaces as the kernel's messages change the state; lists are made from
 * the state. Private: for iface_source.c and tests. No system calls.
 *
 * Addresses have the kernel's order, including addresses that were added one by one: `ip
 * address` prints the same order before and after a scan.
 *
 * Loop: the loop that owns the state. */
#ifndef TERN_SYSDEP_IFACE_IFACE_STATE_H
#define TERN_SYSDEP_IFACE_IFACE_STATE_H

#include "lib/wire/rtnl.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_tune.h"

/* A link with its addresses. Owner: the struct iface_state. Life: until the link is
 * removed or iface_state_fini. */
struct iface_row {
	struct iface i; /* without its addresses */
	struct iface_addr *addr;
	uint32_t addr_cnt, addr_cap;
};

/* Owner: the source's worker. Life: until iface_state_fini. All zeros: empty. */
struct iface_state {
	struct iface_row *row; /* by index, ascending */
	uint32_t cnt, cap;
	bool in_order; /* addresses come in the kernel's order, as in a scan */
};

/* iface_state_take - apply one message. Returns: true: the state changed. */
bool iface_state_take(struct iface_state *st, const struct rtnl_msg *m);
/* iface_state_list - a list of the present state. @t: the preferred addresses; may be
 * NULL. */
OWNED struct iface_list *iface_state_list(
    const struct iface_state *st, const struct iface_tune *t);
/* iface_state_fini - free everything; the state is empty again. */
void iface_state_fini(struct iface_state *st);

#endif
