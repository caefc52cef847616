/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resolution of next hops for channels with far routers: the routes of a table
 * (nest/rib/index/igp.h) lead to a next hop that is not on a link. IPv4 routes may have
 * next hops of both families (RFC 8950), so each family of next hops has a table.
 *
 * Each received next hop is resolved once, and again when its resolution may have
 * changed. Then the channel finds the routes of the next hop in the table and changes
 * them to the result of a new import; no filter runs again.
 *
 * A channel without resolution tests one pointer. Loop: the instance's. */
#ifndef TERN_NEST_CHANNEL_IMPORT_CHANNEL_HOPS_H
#define TERN_NEST_CHANNEL_IMPORT_CHANNEL_HOPS_H

#include "lib/net/prefix.h"

struct channel;
struct channel_hops;
struct igp_watch;
struct table;

/* channel_hops_new - resolve the next hops of @ch in @igp from now on, each in the table
 * of its family; NULL: next hops of the family are unreachable. After channel_new, in
 * cls->make. */
void channel_hops_new(struct channel *ch, struct table *const igp[FAM_CNT]);
/* channel_hops_any - true: channel_hops_new was called. */
bool channel_hops_any(const struct channel *ch);
/* channel_hops_table - the table for next hops of family @f; NULL: no resolution. */
struct table *channel_hops_table(const struct channel *ch, enum family f);
/* channel_hops_watch - @x watches the next hops of family @f; `changed` of @x must call
 * channel_hops_changed. */
void channel_hops_watch(struct channel *ch, enum family f, struct igp_watch *x);
void channel_hops_changed(struct channel *ch);

#endif
