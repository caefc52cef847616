/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instances of BFD publish of their sessions, for `show bfd sessions`. */
#ifndef TERN_NEST_BFD_SHOWN_H
#define TERN_NEST_BFD_SHOWN_H

#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/bfd/bfd_place.h"

#include <net/if.h>

/* One session. owner: the instance's worker; any thread reads, under RCU. lives: as its
 * session; freed by: bfd_shown_put, a grace period later. */
struct bfd_shown {
	struct rcu_node rcu;
	struct bfd_shown *next; /* the instance's: of those that wait to be put */
	/* constant */
	struct bfd_place place;
	char ifname[IF_NAMESIZE]; /* "" for multihop */
	uint32_t mine;
	/* the rest changes */
	struct pub32 state, remote_state; /* enum bfd_state */
	struct pub32 diag, remote_diag; /* enum bfd_diag */
	struct pub32 yours;
	struct pub32 tx_us, timeout_us; /* in force */
	struct pub32 min_tx_us, min_rx_us, mult; /* ours */
	struct pub32 remote_min_tx_us, remote_min_rx_us, remote_mult;
	struct pub32 auth; /* enum bfd_auth_type */
	struct pub32 asks, passive, remote_demand;
	struct pub32 rx_seq, tx_seq; /* of authentication */
	struct pub64 since_ns; /* monotonic; of the last change of state */
	struct pub64 next_tx_ns; /* monotonic; 0: no packet is due */
	struct pub64 heard_ns; /* monotonic; of the last packet received; 0: none */
	struct counter64 received, sent, ups, losses;
};

/* Immutable; replaced whole. */
struct bfd_shown_list {
	struct rcu_node rcu;
	uint32_t cnt;
	struct bfd_shown *at[];
};

/* bfd_shown_put - nobody finds it anew: no list that is published has it.
 * bfd_shown_free - a list that nobody reads any more; NULL: nothing. */
void bfd_shown_put(TAKE struct bfd_shown *s);
void bfd_shown_free(TAKE struct bfd_shown_list *l);
/* bfd_shown_publish - @l in place of what is at @to (bfd_service.shown). */
void bfd_shown_publish(struct pubptr *to, TAKE struct bfd_shown_list *l);

static inline const struct bfd_shown_list *
bfd_shown_get(const struct pubptr *from)
{
	return load_acquire_ptr(from); /* pairs: BFDSHOWN */
}

#endif
