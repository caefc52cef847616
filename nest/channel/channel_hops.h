/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Next hops that are looked up: for channels whose routes name a router that isn't on a
 * link, and that are led there by the routes of a table (nest/rib/index/igp.h).
 *
 * Each next hop that has come is looked up once, and again when what leads there may
 * have changed. Then the routes that go by it are found in the table, and become what
 * they would have become if they had come now; no filter is asked again.
 *
 * A channel without it pays a look at a pointer. Loop: the instance's. */
#ifndef TERN_NEST_CHANNEL_HOPS_H
#define TERN_NEST_CHANNEL_HOPS_H

struct channel;
struct channel_hops;
struct igp_watch;
struct table;

/* channel_hops_new - @ch's next hops are looked up in @igp from now on. After
 * channel_new, in cls->make. */
void channel_hops_new(struct channel *ch, struct table *igp);
/* channel_hops_table - that table; NULL: nothing is looked up. */
struct table *channel_hops_table(const struct channel *ch);
/* channel_hops_watch - @x tells of it: its `changed` is to call channel_hops_changed. */
void channel_hops_watch(struct channel *ch, struct igp_watch *x);
void channel_hops_changed(struct channel *ch);

#endif
