/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine's interfaces and their addresses: one list for all who ask.
 *
 * A list is immutable. Its source is a worker of its own, which follows what the kernel
 * says of links and addresses (rtnetlink) and publishes a new list when something has
 * changed. So whoever asks never waits for the system.
 *
 * Which calls may run at the same time: iface_list_get and all that look at a list, from
 * any thread that has joined RCU, with everything else. iface_source_tune and
 * iface_source_stop from any thread. The other calls on a source are its owner's.
 * G1  A list that iface_list_get gave stays until the caller's next quiescent state.
 * G2  What changes in the kernel is published as soon as the source's worker runs, at
 *     most IFACE_PAUSE_NS later if much changes at a time. What comes and goes between
 *     two lists is in neither.
 * G3  When the kernel has dropped messages, all is read again; so it is at each scan
 *     time. While the system can't be asked the list stays as it was; it is tried again
 *     once a second.
 * G4  Lists are published in the order of what they say, and `changed` is called for each
 *     of them, after it was published.
 * Progress: looking is wait-free. */
#ifndef TERN_SYSDEP_IFACE_H
#define TERN_SYSDEP_IFACE_H

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

struct iface_addr {
	struct ip_addr own;
	/* the other end's address or subnet on a point-to-point link, else ours */
	struct prefix subnet;
	uint32_t flags; /* IFA_F_* */
	uint8_t scope; /* RT_SCOPE_* */
	/* the first of its kind that isn't secondary, or the one that was asked for */
	bool preferred;
};

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

/* Immutable. */
struct iface_list {
	uint32_t cnt;
	const struct iface *iface; /* by index, ascending */
	/* private */
	/* all addresses, ascending; NULL: nobody has sorted them */
	const struct ip_addr *own;
	uint32_t own_cnt;
	struct arena *arena;
	struct rcu_node rcu;
};

struct iface_source;
struct iface_tune;

struct iface_source_ops {
	/* changed - @now has just been published, and @old is there as long as the call.
	 * In the source's worker. May be NULL. */
	void (*changed)(struct iface_source *s, const struct iface_list *old,
	    const struct iface_list *now);
	/* gone - after iface_source_stop: the worker has ended. Any thread. */
	void (*gone)(struct iface_source *s);
};

/* iface_source_read gives it its first list. owner: its worker; lives: longer than all
 * who ask. */
struct iface_source {
	struct pubptr list; /* struct iface_list * */
	struct pub32 nr; /* counts lists; published behind each of them */
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

/* iface_list_free - one that wasn't published. */
void iface_list_free(TAKE struct iface_list *l);

/* iface_find, iface_by_index, iface_with - the interface of that name or number, or that
 * has the address @own; NULL: there is none. */
const struct iface *iface_find(const struct iface_list *l, const char *name);
const struct iface *iface_by_index(const struct iface_list *l, uint32_t index);
const struct iface *iface_with(const struct iface_list *l, struct ip_addr own);
/* iface_owns - is @a an address of ours, on whatever interface? Cost: a binary search. */
bool iface_owns(const struct iface_list *l, struct ip_addr a);
/* iface_has - is @a an address of @i? */
bool iface_has(const struct iface *i, struct ip_addr a);
/* iface_vrf - what the interfaces of VRF @name have as their master; NULL:
 * IFACE_ANY_VRF. iface_in_vrf - is @i one of those? */
#define IFACE_ANY_VRF UINT32_MAX
#define IFACE_NO_VRF  (UINT32_MAX - 1) /* it isn't there: no interface is in it */
uint32_t iface_vrf(const struct iface_list *l, const char *name);
static inline bool
iface_in_vrf(const struct iface *i, uint32_t vrf)
{
	return vrf == IFACE_ANY_VRF || i->master == vrf;
}
/* iface_is_host - may a host of @subnet have address @a? Its own address and its
 * broadcast address are nobody's; of /31 and /32 all are hosts. Pure. */
bool iface_is_host(const struct prefix *subnet, struct ip_addr a);
/* iface_opposite - the address of the other end, where @a's subnet has just one more (or
 * is a point-to-point link). IP_NONE: it has others, or none. Pure. */
struct ip_addr iface_opposite(const struct iface_addr *a);
/* iface_same - is it the same one, with the same addresses, and as much up? Pure. */
bool iface_same(const struct iface *a, const struct iface *b);
/* iface_has_carrier - is the link up, as far as the hardware knows? Pure. */
bool iface_has_carrier(const struct iface *i);

/* iface_source_read - publish what the system says now; waits for the system: some 50 us
 * for a few addresses. Returns: 0, or negative errno: the list stays as it was. Before
 * iface_source_start, or without it. */
int iface_source_read(struct iface_source *s);
/* iface_source_start - start the worker that follows what changes. */
void iface_source_start(struct iface_source *s, const struct iface_source_ops *ops);
/* iface_source_tune - from now on as @t says, in the name of @by; NULL: as at the start,
 * unless somebody else has said something since. */
void iface_source_tune(struct iface_source *s, const void *by, TAKE struct iface_tune *t);
/* iface_source_stop - ops->gone follows. Once; nothing is called for @s afterwards but
 * iface_source_fini. */
void iface_source_stop(struct iface_source *s);
/* iface_source_fini - nobody asks any more, and there is no worker. */
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
