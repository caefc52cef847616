/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of next hops: for channel_hops.c, channel_hops_walk.c and far_hop.c. Loop:
 * the instance's. */
#ifndef TERN_NEST_CHANNEL_IMPORT_CHANNEL_HOPS_PRIV_H
#define TERN_NEST_CHANNEL_IMPORT_CHANNEL_HOPS_PRIV_H

#include "lib/base/htab.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "sysdep/loop/loop.h"

struct attr_edit;
struct channel;
struct hop;
struct igp_watch;
struct table;

/* A next hop with its resolution. Owner: struct channel_hops. Life: until a purge. Freed
 * by: far_hop_drop. */
struct far_hop {
	struct htab_node node;
	struct ip_addr addr;
	uint32_t metric; /* UINT32_MAX: unknown */
	uint64_t changed; /* number of the change; 0: its routes are up to date */
	uint8_t dest; /* enum route_dest */
	bool used; /* used by a route since the start of the last purge */
	uint16_t cnt; /* number of hops */
	struct hop *hop;
};

/* Owner: the channel's worker. Freed by: channel_hops_free. */
struct channel_hops {
	struct channel *ch; /* constant */
	/* by the family of the next hop; with a use count; NULL: none; constant */
	struct table *igp[FAM_CNT];
	struct igp_watch *watch[FAM_CNT]; /* the instance's watches */
	struct htab by_addr;
	struct timer notify;
	bool timed; /* the timer notify is initialised */
	uint32_t life; /* counts channel_hops_down */
	uint32_t purge_at; /* at this number of next hops, purge unused next hops */
	bool purging;
	uint64_t purged_ns, logged_ns;
	uint64_t nr; /* counts changes */
	uint64_t walk_nr; /* the walk covers changes up to this number */
	uint32_t *listed; /* net ids of the walk; NULL: all nets */
	uint32_t listed_cnt;
	/* position of the walk in `listed`, or net id; NO_ID: no walk */
	uint32_t pos;
	uint32_t mark_nr; /* counts walks and ends of walks */
	bool waits; /* waits for the mark of the walk */
};

/* ---- far_hop.c ---- */

/* far_hop_hash - key of @a in by_addr. far_hop_find - NULL: unknown address. far_hop_drop
 * - forget @f. */
uint64_t far_hop_hash(struct ip_addr a);
void far_hop_drop(struct channel_hops *h, TAKE struct far_hop *f);
struct far_hop *far_hop_find(const struct channel_hops *h, struct ip_addr a);
/* far_hop_look - resolve @f again. Returns: true: the resolution changed. */
bool far_hop_look(struct channel *ch, struct far_hop *f);
/* far_hop_put - write the resolution of @f to @e. Returns: false: no room. */
bool far_hop_put(struct attr_edit *e, const struct far_hop *f);

/* ---- channel_hops_walk.c ---- */

/* hops_walk_end - end the walk; a mark under way has no effect. */
void hops_walk_end(struct channel_hops *h);

#endif
