/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of nets or paths that a limit keeps back, one bit each: for operators, who ask
 * what was sent.
 *
 * One thread writes: the channel's worker. Any thread asks under RCU.
 * G1  Who asks sees what was put or dropped before, or a moment ago.
 * Progress: wait-free for who asks. */
#ifndef TERN_NEST_KEPT_SET_H
#define TERN_NEST_KEPT_SET_H

#include "lib/mt/atomic.h"

/* Begins as zeros. kept_set_fini - nobody asks any more. */
struct kept_set {
	struct pubptr bits; /* struct kept_bits *; NULL: nothing was put yet */
	uint32_t cnt; /* numbers that are in it */
};

void kept_set_fini(struct kept_set *k);
void kept_set_put(struct kept_set *k, uint32_t id);
void kept_set_drop_range(struct kept_set *k, uint32_t id, uint32_t cnt);
void kept_set_clear(struct kept_set *k);
/* kept_set_has - any thread under RCU. */
bool kept_set_has(const struct kept_set *k, uint32_t id);

/* kept_set_drop - nearly always there is nothing in it. */
static inline void
kept_set_drop(struct kept_set *k, uint32_t id, uint32_t cnt)
{
	if (unlikely(k->cnt))
		kept_set_drop_range(k, id, cnt);
}

#endif
