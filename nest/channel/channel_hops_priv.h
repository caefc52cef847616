/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops that are looked up: for channel_hops.c and channel_hops_walk.c. */
#ifndef TERN_NEST_CHANNEL_HOPS_PRIV_H
#define TERN_NEST_CHANNEL_HOPS_PRIV_H

#include "lib/base/htab.h"
#include "lib/net/ip.h"
#include "sysdep/loop/loop.h"

struct attr_edit;
struct channel;
struct hop;
struct igp_watch;
struct table;

/* A next hop, and what it came to. */
struct far_hop {
	struct htab_node node;
	struct ip_addr addr;
	uint32_t metric; /* UINT32_MAX: unknown */
	uint64_t changed; /* in which change; 0: its routes know it */
	uint8_t dest; /* enum route_dest */
	bool used; /* by a route that came after the last purge had begun */
	uint16_t cnt; /* hops */
	struct hop *hop;
};

/* owner: the channel's worker; freed by: channel_hops_free. */
struct channel_hops {
	struct channel *ch; /* constant */
	struct table *igp; /* used; constant */
	struct igp_watch *watch; /* its instance's */
	struct htab by_addr;
	struct timer tell;
	bool timed; /* tell was set up */
	uint32_t life; /* counts channel_hops_down */
	uint32_t purge_at; /* so many next hops: those without a route go */
	bool purging;
	uint64_t purged_ns, told_ns;
	uint64_t nr; /* counts changes */
	uint64_t walk_nr; /* the walk is about changes up to this */
	uint32_t *listed; /* ids of the walk; NULL: all that there are */
	uint32_t listed_cnt;
	/* of the walk, the next in `listed`, or net id; NO_SOURCE: none is on */
	uint32_t pos;
	uint32_t mark_nr; /* counts walks, and what ends one */
	bool waits; /* for its mark */
};

/* far_hop_find - NULL: it isn't known. */
struct far_hop *far_hop_find(const struct channel_hops *h, struct ip_addr a);
/* far_hop_look - what does @f come to now? Returns: another answer than before. */
bool far_hop_look(struct channel *ch, struct far_hop *f);
/* far_hop_put - what @f came to, into @e. Returns: false: there is no room for it. */
bool far_hop_put(struct attr_edit *e, const struct far_hop *f);
/* hops_walk_end - forget where it is; a mark on its way has nothing to begin. */
void hops_walk_end(struct channel_hops *h);

#endif
