/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chosen nets (net_pick.h) pass the import policy again, or are sent again.
 *
 * Loop: the session's. Tested by test/unit/test_channel_recheck.c. */
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "lib/attr/route.h"
#include "lib/mem/mem.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/instance/net_pick.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/loop/loop.h"

struct part_mark {
	struct table_mark mark;
	struct channel *ch;
	uint32_t nr;
	struct net_pick *pick;
};

/* part_marked - the table has all records before the command. */
static void
part_marked(struct worker *w, TAKE struct msg *m)
{
	struct part_mark *pm = container_of(m, struct part_mark, mark.msg);

	(void)w;
	if (pm->nr == pm->ch->imp.reload_nr) {
		channel_recheck_part(pm->ch, pm->pick, true);
	} else { /* covered by a full reload, or the channel went down */
		pm->ch->imp.part_cnt--;
		net_pick_unref(pm->pick);
	}
	mem_free(MEM_PROTO, pm);
}

bool
channel_reload_part(struct channel *ch, struct net_pick *pick)
{
	struct part_mark *pm;

	if (!channel_has_routes(ch))
		return true;
	if (!channel_keeps_pre(ch))
		return false;
	ch->imp.part_cnt++;
	pm = mem_zalloc(MEM_PROTO, sizeof(*pm));
	pm->mark.msg.handle = part_marked;
	pm->mark.to = &ch->proto->worker;
	pm->ch = ch;
	pm->nr = ch->imp.reload_nr;
	pm->pick = net_pick_ref(pick);
	channel_mark(ch, &pm->mark);
	return true;
}

void
channel_refresh_part(struct channel *ch, struct net_pick *pick)
{
	if (!ch->life.up || !ch->sink)
		return;
	ch->imp.part_cnt++;
	channel_recheck_part(ch, net_pick_ref(pick), false);
}
