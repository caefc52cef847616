/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Our own graceful restart (RFC 4724, 4.1): after `ternd -R` routes are chosen as ever,
 * but the peers of a family are told nothing, until all that restart with us have told
 * all that they have, or `graceful restart wait` is over.
 *
 *      control         instances                       peers are told
 *      recovery_begin  channels join as they are made  nothing
 *      ...             each says when its peer is
 *                      through, or can't be waited for nothing
 *      families end    woken                           all, then End-of-RIB
 *
 * A family that no peer keeps for us isn't held. */
#ifndef TERN_NEST_CORE_RECOVERY_H
#define TERN_NEST_CORE_RECOVERY_H

#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include <stdbool.h>

/* As others see it. owner: the control worker. */
struct recovery {
	struct pub32 held; /* 1 << family: nothing of it is sent yet */
	struct pub32 left; /* channels that are waited for */
	struct pub32 wait_s; /* `graceful restart wait` */
	struct counter64 until_ns; /* when that is over; 0: nothing is waited for */
	struct pub32 restarted; /* 1: this is `ternd -R`, whether it is over or not */
	struct pub32 leaves; /* 1: the daemon ends, and peers are to keep its routes */
};

/* recovery_held - 1 << family of each whose routes are held back. Any thread. */
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
