/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published state of BFD sessions, for `show bfd sessions`. Loop: the worker of the
 * publishing instance; bfd_shown_get in any thread, under RCU. */
#ifndef TERN_NEST_BFD_BFD_SHOWN_H
#define TERN_NEST_BFD_BFD_SHOWN_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/bfd/bfd_place.h"

#include <net/if.h>

/* Values of the last packet of the other side. Owner: the instance's worker. Life:
 * embedded in struct bfd_shown. */
struct bfd_shown_remote {
	struct pub32 state; /* enum bfd_state */
	struct pub32 diag; /* enum bfd_diag */
	struct pub32 min_tx_us, min_rx_us, mult;
	struct pub32 demand;
};

/* Numbers of packets and of changes of state. Owner: the instance's worker. Life:
 * embedded in struct bfd_shown. */
struct bfd_shown_counts {
	struct counter64 received, sent, ups, losses;
};

/* One session. Owner: the instance's worker; any thread reads, under RCU. Lives as long
 * as its session; freed a grace period after bfd_shown_put. */
struct bfd_shown {
	struct rcu_node rcu;
	struct bfd_shown *next; /* next in the instance's list of sessions to put */
	/* constant */
	struct bfd_place place;
	char ifname[IF_NAMESIZE]; /* "" for multihop */
	uint32_t mine;
	/* variable: */
	struct pub32 state; /* enum bfd_state */
	struct pub32 diag; /* enum bfd_diag */
	struct pub32 yours;
	struct pub32 tx_us, timeout_us; /* in force */
	struct pub32 min_tx_us, min_rx_us, mult; /* ours */
	struct bfd_shown_remote remote;
	struct pub32 auth; /* enum bfd_auth_type */
	struct pub32 asks, passive;
	struct pub32 rx_seq, tx_seq; /* of authentication */
	struct pub64 since_ns; /* monotonic; of the last change of state */
	struct pub64 next_tx_ns; /* monotonic; 0: no packet is due */
	struct pub64 heard_ns; /* monotonic; of the last packet received; 0: none */
	struct bfd_shown_counts cnt;
};

/* The sessions of an instance. Immutable. Owner: the instance; freed a grace period after
 * its replacement. */
struct bfd_shown_list {
	struct rcu_node rcu;
	uint32_t cnt;
	struct bfd_shown *at[];
};

/* bfd_shown_put - free @s later; no published list has @s.
 * bfd_shown_free - free an unread list; NULL: no effect. */
void bfd_shown_put(TAKE struct bfd_shown *s);
void bfd_shown_free(TAKE struct bfd_shown_list *l);
/* bfd_shown_publish - publish @l at @to (bfd_service.shown), and free the old list
 * later. */
void bfd_shown_publish(struct pubptr *to, TAKE struct bfd_shown_list *l);

static inline const struct bfd_shown_list *
bfd_shown_get(const struct pubptr *from)
{
	return load_acquire_ptr(from); /* pairs: BFDSHOWN */
}

#endif
