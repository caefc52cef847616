/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROA and ASPA tables queried by the filters of a channel (channel_rpki.c). Only files
 * of nest/channel include the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_RPKI_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_RPKI_PRIV_H

#include "nest/channel/channel_priv.h"

/* channel_watch_update - subscribe to the ROA tables of the present filters. */
void channel_watch_update(struct channel *ch);
/* channel_hold - the channel comes up: hold its routes if a ROA or ASPA table is not
 * ready. Before channel_watch_update, which releases routes whose filters no longer query
 * the table. */
void channel_hold(struct channel *ch);
/* channel_hold_changed - @ch has a new configuration in place of @was, which still
 * exists: hold the routes of an established channel whose changed filter queries a table
 * that a commit is filling. Before channel_watch_update. */
void channel_hold_changed(struct channel *ch, const struct conf_channel *was);
/* channel_hold_out - the policy below an overlay arrived: hold exports if its tables are
 * not ready. */
void channel_hold_out(struct channel *ch);
/* channel_watch_renew - a session begins: the channel has made no decision about exports
 * yet, and about imports only if stale routes stay (life.away). The table need not
 * notify the channel of earlier changes in a direction without decisions. Before
 * life.away ends. */
void channel_watch_renew(struct channel *ch);
/* channel_import_partial - the data begun by channel_import_part ends incomplete. */
void channel_import_partial(struct channel *ch);
/* channel_watch_drop - before detaching; ch->watch is NULL when all subscriptions
 * ended. */
void channel_watch_drop(struct channel *ch);
/* channel_watch_out_drop - end the export subscriptions: routes now come from another
 * table. Before channel_watch_update. */
void channel_watch_out_drop(struct channel *ch);

#endif
