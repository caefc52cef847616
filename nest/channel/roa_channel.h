/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel of type roa4 or roa6: a protocol instance's way into a ROA table. It only
 * imports. Routes pass the import filter in the instance's worker and go to the table in
 * batches, of which few are under way at a time. */
#ifndef TERN_NEST_ROA_CHANNEL_H
#define TERN_NEST_ROA_CHANNEL_H

#include "nest/rpki/roa_table.h"

/* owner: its instance's worker; embedded in the instance. */
struct roa_channel {
	struct roa_source src;
	/* the owner's, set before roa_channel_init */
	void (*ready)(struct roa_channel *ch); /* there is room again */
	void (*left)(struct roa_channel *ch); /* roa_channel_leave is done */
	/* private */
	struct proto *p;
	struct pubptr cf; /* const struct conf_channel * */
	struct roa_table *table; /* counted */
	struct roa_batch *batch; /* being filled */
	uint32_t under_way;
	bool was_full, leaving;
	struct pub32 up;
	struct arena arena;
	struct filter_thread *ft;
	struct route_source own;
	struct counter64 received, filtered, wd_received;
};

/* roa_channel_init - in cls->make. */
void roa_channel_init(
    struct roa_channel *ch, struct proto *p, const struct conf_channel *cf);
/* roa_channel_fini - in cls->free. */
void roa_channel_fini(struct roa_channel *ch);
/* roa_channel_adopt - a new configuration, after proto_adopt_conf. */
void roa_channel_adopt(struct roa_channel *ch, const struct conf_channel *cf);
/* roa_channel_leave - for good; all routes have been withdrawn. ch->left follows. */
void roa_channel_leave(struct roa_channel *ch);
/* roa_channel_set_up - what `show protocols all` says of it. */
void roa_channel_set_up(struct roa_channel *ch, bool up);

/* roa_channel_room - may a route be given? If not, ch->ready follows. */
bool roa_channel_room(struct roa_channel *ch);
/* roa_channel_announce - @pre: borrowed. Between two flushes at most one change of each
 * VRP. */
void roa_channel_announce(
    struct roa_channel *ch, const struct vrp *v, struct attr_set *pre);
void roa_channel_withdraw(struct roa_channel *ch, const struct vrp *v);
/* roa_channel_flush - send what was given. */
void roa_channel_flush(struct roa_channel *ch);

/* roa_channel_conf - the owner, or any thread under RCU. */
const struct conf_channel *roa_channel_conf(const struct roa_channel *ch);
/* roa_channel_show - the lines of `show protocols all`. Any thread, under RCU. */
void roa_channel_show(const struct roa_channel *ch, struct strbuf *out);

#endif
