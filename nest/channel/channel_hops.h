/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of next hops for channels with far routers: the routes of a table
 * (nest/rib/index/igp.h) lead to a next hop that is not on a link.
 *
 * Each received next hop is resolved once, and again when its resolution may have
 * changed. Then the channel finds the routes of the next hop in the table and changes
 * them to the result of a new import; no filter runs again.
 *
 * A channel without resolution tests one pointer. Loop: the instance's. */
#ifndef TERN_NEST_CHANNEL_HOPS_H
#define TERN_NEST_CHANNEL_HOPS_H

struct channel;
struct channel_hops;
struct igp_watch;
struct table;

/* channel_hops_new - resolve the next hops of @ch in @igp from now on. After channel_new,
 * in cls->make. */
void channel_hops_new(struct channel *ch, struct table *igp);
/* channel_hops_table - the table @igp; NULL: no resolution. */
struct table *channel_hops_table(const struct channel *ch);
/* channel_hops_watch - @x watches the next hops; `changed` of @x must call
 * channel_hops_changed. */
void channel_hops_watch(struct channel *ch, struct igp_watch *x);
void channel_hops_changed(struct channel *ch);

#endif
