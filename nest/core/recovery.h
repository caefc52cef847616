/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our own graceful restart (RFC 4724, 4.1): after `ternd -R` the daemon chooses routes as
 * usual, but peers get no routes of a family until all restarting sessions of the family
 * have sent all their routes, or `graceful restart wait` is over.
 *
 *      control         instances                         sent to peers
 *      recovery_begin  new channels join                 nothing
 *      ...             a channel reports that the peer   nothing
 *                      has sent all, or has failed
 *      families end    woken                             all, then End-of-RIB
 *
 * Recovery does not hold a family that no peer keeps for us.
 *
 * Loop: the control worker writes; recovery_held and recovery_holds in any thread. */
#ifndef TERN_NEST_CORE_RECOVERY_H
#define TERN_NEST_CORE_RECOVERY_H

#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include <stdbool.h>

/* State of the restart for all threads. Owner: the control worker. Lives: as part of
 * struct tern. */
struct recovery {
	struct pub32 held; /* 1 << family: nothing is sent in the family yet */
	struct pub32 left; /* channels that recovery waits for */
	struct pub32 wait_s; /* `graceful restart wait` */
	struct counter64 until_ns; /* end of the wait; 0: no wait */
	struct pub32 restarted; /* 1: the process began as `ternd -R` */
	struct pub32 leaves; /* 1: the daemon ends, and peers shall keep its routes */
};

/* recovery_held - 1 << family for each family whose routes stay back. Any thread. */
static inline uint32_t
recovery_held(const struct recovery *r)
{
	return load_acquire32(&r->held); /* pairs: RECOVERY */
}

static inline bool
recovery_holds(const struct recovery *r, enum family f)
{
	return recovery_held(r) & 1u << f;
}

#endif
