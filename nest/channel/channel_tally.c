/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the counts that readers leave at a channel. Loop: any thread under RCU;
 * channel_tally_free runs when no reader is left. Tested by
 * test/net/test_filtered.py. */
#include "nest/channel/channel_tally.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "nest/channel/channel_priv.h"

/* Immutable counts. Owner: the channel. Freed by: the replacing reader, a grace period
 * later. */
struct tally {
	struct rcu_node rcu;
	struct channel_counts c;
};

static void
tally_gone(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct tally, rcu));
}

bool
channel_tally(
    const struct channel *ch, enum channel_tally_kind k, struct channel_counts *c)
{
	const struct tally *t = load_acquire_ptr(
	    &ch->rejected.tally[k]); /* pairs: CHTALLY */

	if (t)
		*c = t->c;
	return t != NULL;
}

void
channel_tally_put(
    const struct channel *ch, enum channel_tally_kind k, const struct channel_counts *c)
{
	struct pubptr *at = &((struct channel *)(uintptr_t)ch)->rejected.tally[k];
	struct tally *t = mem_zalloc(MEM_PROTO, sizeof(*t));

	t->c = *c;
	t = xchg_acq_rel_ptr(at, t); /* pairs: CHTALLY */
	if (t)
		rcu_free_later(&t->rcu, tally_gone);
}

void
channel_tally_free(struct channel *ch)
{
	for (unsigned k = 0; k < CHANNEL_TALLIES; k++)
		mem_free(MEM_PROTO, load_relaxed_ptr(&ch->rejected.tally[k]));
}
