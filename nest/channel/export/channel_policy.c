/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The export policy of a channel changed: the peer gets the nets with other answers.
 *
 * Loop: the session's. Tested by test/unit/test_channel_send.c and
 * test/net/test_hourly.py. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "sysdep/loop/loop.h"

void
channel_policy_changed(struct channel *ch, TAKE struct export_view *old)
{
	if (!ch->exp.soft && channel_comparable(old) && !ch->exp.view->base_rewritten &&
	    !ch->sink->merges) { /* a merging sink looks behind the best */
		channel_compare_start(ch, old);
	} else {
		channel_compare_stop(ch);
		channel_view_free(old);
		channel_recheck_out(ch);
	}
	ch->exp.soft = false;
	/* Segments published by now are checked net by net: a mere change of the source,
	 * otherwise skipped, may matter to one of the filters. */
	reader_look(ch->rd);
	worker_again(&ch->proto->worker);
	worker_give_way(&ch->proto->worker);
}
