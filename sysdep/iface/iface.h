/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's interfaces and addresses: one list for all users.
 *
 * A list is immutable. The source of lists is a worker that follows the kernel's messages
 * about links and addresses (rtnetlink) and publishes a new list after a change. A user
 * of the list therefore never waits for the system.
 *
 * Which calls may run at the same time: iface_list_get and all functions that read a
 * list, from any thread that has joined RCU, with every other call. iface_source_tune and
 * iface_source_stop from any thread. Only the owner of a source makes the other calls.
 * G1  A list from iface_list_get stays valid until the caller's next quiescent state.
 * G2  A change in the kernel is published as soon as the source's worker runs, and during
 *     a burst of changes at most IFACE_PAUSE_NS later. An interface that appears and
 *     disappears between two lists is in neither list.
 * G3  After the kernel dropped messages, and at each scan time, the source reads
 *     everything again. While the system cannot be read the list stays, and the source
 *     retries once a second.
 * G4  Lists are published in the order of the states that the lists describe, and
 *     `changed` is called for each list after its publication.
 * Progress: reading is wait-free. */
#ifndef TERN_SYSDEP_IFACE_IFACE_H
#define TERN_SYSDEP_IFACE_IFACE_H

#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <net/if.h>

#define IFACE_PAUSE_NS (10 * NS_PER_MS) /* between two lists */
#define IFACE_SCAN_S   60 /* scan time, if nobody says otherwise */

/* Owner: the list, whose arena has the address. Life: as long as the list. */
struct iface_addr {
	struct ip_addr local;
	/* the other end's address or subnet on a point-to-point link, else ours */
	struct prefix subnet;
	uint32_t flags; /* IFA_F_* */
	uint8_t scope; /* RT_SCOPE_* */
	/* the first primary address of its kind, or the configured preferred address */
	bool preferred;
};

/* Owner: the list, whose arena has the interface. Life: as long as the list. */
struct iface {
	char name[IF_NAMESIZE];
	uint32_t index;
	unsigned flags; /* IFF_* */
	uint32_t mtu;
	uint32_t
	    master; /* index of the bridge, bond or VRF that it belongs to; 0: none */
	uint32_t addr_cnt;
	const struct iface_addr *addr; /* in the kernel's order, which has IPv4 first */
};

/* Immutable. Owner: the source. Life: until the next list is published, and a grace
 * period. */
struct iface_list {
	uint32_t cnt;
	const struct iface *iface; /* by index, ascending */
	/* private */
	/* all addresses, ascending; NULL: nobody has sorted them */
	const struct ip_addr *local;
	uint32_t local_cnt;
	struct arena *arena;
	struct rcu_node rcu;
};

struct iface_source;
struct iface_tune;

/* Constant: owned by the module with the source; lives as long as the process. */
struct iface_source_ops {
	/* changed - @now has just been published, and @old is there as long as the call.
	 * In the source's worker. May be NULL. */
	void (*changed)(struct iface_source *s, const struct iface_list *old,
	    const struct iface_list *now);
	/* gone - after iface_source_stop: the worker has ended. Any thread. */
	void (*gone)(struct iface_source *s);
};

/* The source of lists; iface_source_read publishes the first list. Owner: the source's
 * worker. Life: longer than all users of the list. */
struct iface_source {
	struct pubptr list; /* struct iface_list * */
	struct pub32 nr; /* counts lists; published after each list */
	/* private: sysdep/iface/iface_source.c */
	const struct iface_source_ops *ops;
	struct iface_state *state; /* NULL: nothing was read yet */
	struct iface_tune *tune; /* NULL: as if there were no protocol device */
	const void *tuned_by;
	struct worker worker;
	struct watch watch;
	struct timer pause, scan; /* publish; read all (also: open the socket again) */
	uint64_t mark; /* of the socket */
	uint8_t *buf; /* what one recv takes */
	uint64_t published_ns, scanned_ns; /* loop time */
	uint64_t overrun_said_ns;
	bool failed, deaf; /* the last try to ask, or to follow, failed */
	bool dirty; /* the state isn't what was published */
	bool lost; /* messages were dropped */
};

/* iface_list_free - free a list that was not published. */
void iface_list_free(TAKE struct iface_list *l);

/* iface_find, iface_by_index, iface_with - find the interface of name @name, of index
 * @index, or with the address @local; NULL: none. */
const struct iface *iface_find(const struct iface_list *l, const char *name);
const struct iface *iface_by_index(const struct iface_list *l, uint32_t index);
const struct iface *iface_with(const struct iface_list *l, struct ip_addr local);
/* iface_owns - true if @a is an address of any local interface. Cost: a binary search. */
bool iface_owns(const struct iface_list *l, struct ip_addr a);
/* iface_has - is @a an address of @i? */
bool iface_has(const struct iface *i, struct ip_addr a);
/* iface_vrf - the master index of the interfaces in VRF @name; NULL: IFACE_ANY_VRF.
 * iface_in_vrf - true if @i is in the VRF. */
#define IFACE_ANY_VRF UINT32_MAX
/* the VRF does not exist: no interface is in the VRF */
#define IFACE_NO_VRF (UINT32_MAX - 1)
uint32_t iface_vrf(const struct iface_list *l, const char *name);
static inline bool
iface_in_vrf(const struct iface *i, uint32_t vrf)
{
	return vrf == IFACE_ANY_VRF || i->master == vrf;
}
/* iface_is_host - true if a host of @subnet may have address @a. The network address and
 * the broadcast address belong to no host; in /31 and /32 every address is a host.
 * Pure. */
bool iface_is_host(const struct prefix *subnet, struct ip_addr a);
/* iface_opposite - the address of the other end, if @a's subnet has exactly one other
 * host or @a is on a point-to-point link; else IP_NONE. Pure. */
struct ip_addr iface_opposite(const struct iface_addr *a);
/* iface_same - true if @a and @b are one interface with equal addresses and equal up
 * state. Pure. */
bool iface_same(const struct iface *a, const struct iface *b);
/* iface_has_carrier - true if the hardware reports the link as up. Pure. */
bool iface_has_carrier(const struct iface *i);

/* iface_source_read - publish the present state of the system; waits for the system: some
 * 50 us for a few addresses. Returns: 0, or negative errno: the list stays. Called before
 * iface_source_start, or without a worker. */
int iface_source_read(struct iface_source *s);
/* iface_source_start - start the worker that follows changes. */
void iface_source_start(struct iface_source *s, const struct iface_source_ops *ops);
/* iface_source_tune - set @t on behalf of @by. @t NULL: restore the initial values,
 * unless another caller has tuned the source since. */
void iface_source_tune(struct iface_source *s, const void *by, TAKE struct iface_tune *t);
/* iface_source_stop - stop the worker; ops->gone follows. Called once; afterwards only
 * iface_source_fini may be called for @s. */
void iface_source_stop(struct iface_source *s);
/* iface_source_fini - free the last list; no user and no worker is left. */
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
