/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ROA and ASPA tables that the filters of a channel ask (channel_rpki.c): for the files
 * of nest/channel only. */
#ifndef TERN_NEST_CHANNEL_RPKI_PRIV_H
#define TERN_NEST_CHANNEL_RPKI_PRIV_H

#include "nest/channel/channel_priv.h"

/* channel_watch_update - subscribe to the ROA tables that the filters ask now. */
void channel_watch_update(struct channel *ch);
/* channel_hold - it comes up: do its routes wait for a ROA or ASPA table? Before
 * channel_watch_update, which lets them go if its filters don't ask that any more. */
void channel_hold(struct channel *ch);
/* channel_hold_out - the policy below an overlay has come: the same of that. */
void channel_hold_out(struct channel *ch);
/* channel_watch_renew - nothing is decided yet: what has changed so far need not be
 * told. */
void channel_watch_renew(struct channel *ch);
/* channel_import_cut - what channel_import_part began comes to no end. */
void channel_import_cut(struct channel *ch);
/* channel_watch_drop - before detaching; ch->watch is NULL when all have gone. */
void channel_watch_drop(struct channel *ch);
/* channel_watch_out_drop - what is asked about routes that go: they come from another
 * table now. Before channel_watch_update. */
void channel_watch_out_drop(struct channel *ch);

#endif
