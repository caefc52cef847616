/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets of the base whose own routes changed: handled when the reader of the base has
 * caught up, because segments of the base decide most of these nets.
 *
 * Loop: the session's. Tests: test_overlay.py. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "lib/base/bitmap.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/channel_watched_priv.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

#define WAITS_MAX 32 /* turns without an end */
#define LOOKS_MAX 1024 /* nets handled in a turn */

/* later_matters - the own route of net @id of the base changed. Returns: true:
 * the peer's state may be wrong. */
static bool
later_matters(const struct channel *ch, uint32_t id)
{
	const struct net *n = reader_net(ch->rd, id);
	const struct path *p = net_best(n);
	enum own_rank own;

	if (!p)
		return false;
	/* the peer may hold another route than the best */
	if (channel_secondary_watches_net(ch, id))
		return true;
	own = channel_own_rank(ch, n, p);
	return !ch->exp.goes_on &&
	       (own == OWN_TIED ||
		   (own == OWN_FIRST) == (channel_holds(ch->rd, id, 1) > 0));
}

bool
channel_own_settle(struct channel *ch, bool more)
{
	struct channel_overlay *over = ch->over;

	if (!over->later_cnt || over->handles || (more && ++over->waits < WAITS_MAX))
		return more;
	over->handles = ch->rd->busy = true;
	return true;
}

void
channel_own_step(struct channel *ch)
{
	struct channel_overlay *over = ch->over;
	uint32_t id = 0;

	if (!over || !over->handles)
		return;
	for (unsigned i = 0; i < LOOKS_MAX && ch->rd->queued < ch->rd->limit &&
			     (!i || !reader_is_late(ch->rd));
	     i++) {
		id = bitmap_next(&over->later, id);
		if (id == UINT32_MAX)
			break;
		over->later_cnt -= bitmap_clear(&over->later, id);
		if (!reader_is_dirty(ch->rd, id) && later_matters(ch, id))
			channel_send_now(ch, id);
	}
	if (!over->later_cnt)
		channel_own_forget(ch);
}
