/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reload: the routes that the table keeps before policy pass the import policy again.
 *
 * I1  A reload looks at the table only when the table has all earlier decisions of the
 *     filter: the reload waits for a mark.
 *
 * Loop: the session's. Tested by test/unit/test_channel_import.c and
 * test/unit/test_channel_recheck.c. */
#include "nest/channel/channel_drain_priv.h"
#include "nest/channel/channel_keeps_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_refresh_priv.h"
#include "filter/run/net.h"
#include "lib/attr/attr.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/route.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_stale_priv.h"
#include "nest/channel/channel_walk.h"
#include "nest/channel/proto.h"
#include "nest/rib/ids.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"

static uint32_t
reload_net_again(void *arg, uint32_t id, const struct net *n)
{
	struct channel *ch = arg;

	(void)id;
	if (n && channel_reload_net(ch, n, &ch->imp.reload_rid))
		return WALK_STAY; /* the way to the rest is as long as the net */
	ch->imp.reload_rid = 0;
	return 1;
}

/* reload_drained - the walk of a drain has passed all paths. */
static void
reload_drained(struct channel *ch)
{
	if (!ch->imp.drain_lost)
		return;
	ch->imp.drain_lost = false;
	if (ch->life.up && !channel_ask_now(ch))
		proto_log(ch->proto, LOG_C_WARN,
		    "The drain has ended, but the peer can't send its routes again");
}

bool
channel_reload_step(struct channel *ch)
{
	struct channel_walk w = { .pos = ch->imp.reload_pos, .feeder = &ch->ts };
	bool more;

	if (ch->imp.reload_pos == NO_ID || !channel_has_routes(ch) || ch->rpki.held_in)
		return false;
	w.end = table_id_limit(ch->table);
	more = channel_walk_step(ch, &w, ch->table, true, reload_net_again, ch);
	ch->imp.reload_pos = w.pos;
	if (more) {
		if (ch->imp.pend.len)
			ch->imp.was_blocked = true;
		return !ch->imp.pend.len;
	}
	ch->imp.reload_pos = NO_ID;
	reload_drained(ch);
	if (ch->imp.reload_again)
		channel_reload_in(ch);
	return false;
}

struct reload_mark {
	struct table_mark mark;
	struct channel *ch;
	uint32_t nr;
};

static void
reload_marked(struct worker *w, TAKE struct msg *m)
{
	struct reload_mark *rm = container_of(m, struct reload_mark, mark.msg);

	if (rm->nr == rm->ch->imp.reload_nr) {
		rm->ch->imp.reload_pos = rm->ch->imp.reload_rid = 0;
		rm->ch->imp.reload_waits = false;
		worker_again(w);
	}
	mem_free(MEM_PROTO, rm);
}

/* channel_reload_mark - begin a reload when the table has all earlier records. */
static void
channel_reload_mark(struct channel *ch)
{
	struct reload_mark *rm = mem_zalloc(MEM_PROTO, sizeof(*rm));

	rm->mark.msg.handle = reload_marked;
	rm->mark.to = &ch->proto->worker;
	rm->ch = ch;
	rm->nr = ch->imp.reload_nr;
	channel_mark(ch, &rm->mark);
}

/* channel_reload_begin - covers a running reload. */
static void
channel_reload_begin(struct channel *ch, bool drain)
{
	ch->imp.drain_walks = drain;
	ch->imp.reload_nr++;
	ch->imp.reload_pos = NO_ID;
	ch->imp.reload_waits = true;
	ch->imp.reload_again = false;
	channel_reload_mark(ch);
}

bool
channel_reload_in(struct channel *ch)
{
	if (!channel_has_routes(ch))
		return true;
	if (!channel_keeps_pre(ch))
		return ch->life.up && channel_ask_now(ch);
	channel_reload_begin(ch, false);
	return true;
}

void
channel_reload_drain(struct channel *ch)
{
	ch->imp.drain_lost = false;
	channel_reload_begin(ch, true);
}

void
channel_reload_once_more(struct channel *ch)
{
	if (ch->imp.reload_pos != NO_ID)
		ch->imp.reload_again = true;
	else if (!ch->imp.reload_waits) /* else a later reload covers the request */
		channel_reload_in(ch);
}
