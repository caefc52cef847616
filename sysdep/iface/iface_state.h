/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of interfaces, as messages of the kernel change it; lists are made of it.
 * Private: for iface_source.c and tests. No system calls.
 *
 * Addresses are kept in the order in which the kernel has them, also of those that were
 * added one by one: `ip address` shows the same before and after a scan. */
#ifndef TERN_SYSDEP_IFACE_STATE_H
#define TERN_SYSDEP_IFACE_STATE_H

#include "lib/wire/rtnl.h"
#include "sysdep/iface/iface.h"
#include "sysdep/iface/iface_tune.h"

struct iface_row {
	struct iface i; /* without its addresses */
	struct iface_addr *addr;
	uint32_t addr_cnt, addr_cap;
};

/* owner: one thread. All zeros it is empty. */
struct iface_state {
	struct iface_row *row; /* by index, ascending */
	uint32_t cnt, cap;
	bool in_order; /* addresses come in the kernel's order, as in a scan */
};

/* iface_state_take - what one message says. Returns: is anything another way now? */
bool iface_state_take(struct iface_state *st, const struct rtnl_msg *m);
/* iface_state_list - as it is now. @t: which addresses are preferred; may be NULL. */
OWNED struct iface_list *iface_state_list(
    const struct iface_state *st, const struct iface_tune *t);
/* iface_state_fini - empty again. */
void iface_state_fini(struct iface_state *st);

#endif
