/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts of the routes of a channel that no owner keeps: a reader that has walked the
 * table leaves the counts at the channel, and the next reader walks again only after a
 * change of the facts' stamp.
 *
 * G1  A reader gets counts and the stamp of the same walk.
 * G2  If two readers walk at the same time, the later reader's counts stay.
 *
 * style: readers write here, although the channel has an owner. The counts are immutable;
 * readers exchange them as a whole, and the owner does not read the counts.
 *
 * Any thread, under RCU. Progress: wait-free. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_TALLY_H
#define TERN_NEST_CHANNEL_CHANNEL_TALLY_H

#include "lib/base/check.h"
#include "nest/channel/channel_counts.h"

struct channel;

/* channel_tally - the latest counts. Returns: false: no counts yet. */
bool channel_tally(
    const struct channel *ch, enum channel_tally_kind k, struct channel_counts *c);
/* channel_tally_put - leave @c. */
void channel_tally_put(
    const struct channel *ch, enum channel_tally_kind k, const struct channel_counts *c);
/* channel_tally_free - free the counts, in channel_free, when no reader is left. */
void channel_tally_free(struct channel *ch);

#endif
