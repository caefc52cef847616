/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's interfaces and their addresses: one list for all who ask.
 *
 * A list is immutable. Its source belongs to one worker, which publishes a new list
 * whenever the kernel says that something has changed (rtnetlink); what a list holds is
 * then read by getifaddrs. So whoever asks never waits for the system.
 *
 * Which calls may run at the same time: iface_list_get and all that look at a list, from
 * any thread that has joined RCU, with everything else. iface_list_read from any thread.
 * The other calls on a source are its owner's.
 * G1  A list that iface_list_get gave stays until the caller's next quiescent state.
 * G2  What changes in the kernel is published as soon as the owner's loop handles the
 *     message about it, at most IFACE_PAUSE_NS later if much changes at a time. While the
 *     system can't be asked the list stays as it was; it is tried again once a second.
 * Progress: looking is wait-free. iface_list_read and iface_source_refresh ask the
 * system: some 20 us for a few addresses. */
#ifndef TERN_SYSDEP_IFACE_H
#define TERN_SYSDEP_IFACE_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/loop.h"

#include <net/if.h>

#define IFACE_PAUSE_NS (100 * 1000000ull) /* between two readings because of messages */

struct iface_addr {
	struct ip_addr own;
	struct prefix subnet;
};

struct iface {
	char name[IF_NAMESIZE];
	uint32_t index;
	unsigned flags; /* IFF_* */
	uint32_t addr_cnt;
	const struct iface_addr *addr; /* in the kernel's order, which has IPv4 first */
};

/* Immutable. */
struct iface_list {
	uint32_t cnt;
	const struct iface *iface; /* in the kernel's order */
	/* private */
	struct arena *arena;
	struct rcu_node rcu;
};

/* All zeros it has an empty list. owner: a worker; lives: longer than all who ask. */
struct iface_source {
	struct pubptr list; /* struct iface_list * */
	/* private */
	struct watch watch;
	struct timer timer;
	uint64_t read_ns; /* loop time of the last reading because of a message */
	bool failed; /* the last reading did */
};

/* iface_list_read - what the system says now. NULL: it can't be asked (errno). */
OWNED struct iface_list *iface_list_read(void);
/* iface_list_free - one that wasn't published. */
void iface_list_free(TAKE struct iface_list *l);

/* iface_find, iface_by_index, iface_with - the interface of that name or number, or that
 * has the address @own; NULL: there is none. */
const struct iface *iface_find(const struct iface_list *l, const char *name);
const struct iface *iface_by_index(const struct iface_list *l, uint32_t index);
const struct iface *iface_with(const struct iface_list *l, struct ip_addr own);
/* iface_is_host - may a host of @subnet have address @a? Its own address and its
 * broadcast address are nobody's; of /31 and /32 all are hosts. Pure. */
bool iface_is_host(const struct prefix *subnet, struct ip_addr a);
/* iface_mtu - Asks the system; 0: not known. */
unsigned iface_mtu(const struct iface *i);

/* iface_source_refresh - publish what the system says now. If it can't be asked, the log
 * says so, the list stays as it is, and a source that is watched asks again. */
void iface_source_refresh(struct iface_source *s);
/* iface_source_watch - refresh, and from now on @w, the owner, follows what changes. In
 * its loop. Returns: 0 or negative errno: nothing is followed. */
MUST_CHECK int iface_source_watch(struct iface_source *s, struct worker *w);
/* iface_source_stop - follow no longer; after iface_source_watch. */
void iface_source_stop(struct iface_source *s);
/* iface_source_fini - nobody asks any more. */
void iface_source_fini(struct iface_source *s);

extern const struct iface_list iface_list_none; /* empty */

/* iface_list_get - the present list (G1); empty for @s NULL. */
static inline const struct iface_list *
iface_list_get(const struct iface_source *s)
{
	const struct iface_list *l = s ? load_acquire_ptr(&s->list)
				       : NULL; /* pairs: IFACES */

	return l ? l : &iface_list_none;
}

#endif
