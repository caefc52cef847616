/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last sent route of some nets, by net id: a counted wire set, and the sink's way.
 * Loop: the owner's. */
#ifndef TERN_NEST_CHANNEL_EXPORT_SENT_SET_H
#define TERN_NEST_CHANNEL_EXPORT_SENT_SET_H

#include "lib/base/base.h"

struct attr_store;
struct wire_set;

/* Owner: the set. Life: in the set's array, until sent_set_del or sent_set_clear. */
struct sent_item {
	struct wire_set *wire; /* counted; NULL: free place */
	uint32_t id;
	uint8_t way; /* as in struct export_answer */
};

/* Owner: the channel that embeds the set. Freed by: sent_set_clear. */
struct sent_set {
	struct attr_store *store;
	/* private */
	struct sent_item *item; /* 2^order places; NULL: none */
	uint32_t cnt;
	uint8_t order;
};

/* sent_set_put - remember that @wire (borrowed) was sent for net @id. */
void sent_set_put(struct sent_set *s, uint32_t id, struct wire_set *wire, uint8_t way);
/* sent_set_del - forget net @id. */
void sent_set_del(struct sent_set *s, uint32_t id);
/* sent_set_is - true: @wire was sent for @id by @way. */
bool sent_set_is(
    const struct sent_set *s, uint32_t id, const struct wire_set *wire, uint8_t way);
/* sent_set_clear - forget all nets, and free the memory. */
void sent_set_clear(struct sent_set *s);

#endif
