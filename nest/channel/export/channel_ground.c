/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grounding: an overlay becomes an ordinary table while a session runs, because another
 * instance uses the table, or reads its routes.
 *
 *      adopt   the configuration no longer makes the table an overlay: the channel sends
 *              nothing from now on (ch->grounds), and the peer's state stays
 *      pour    the pipe puts its routes into the table (proto/pipe/pipe.c), and then sets
 *              overlay.poured
 *      ground  the reader of the table itself becomes the channel's reader. From then on
 *              the peer's state is known by net ids of the table; nets that the table
 *              lacks are withdrawn, and all routes are sent again
 *
 * I1  The readers of the base and of the table stand still from adopt to ground (the
 *     channel has no room). So the base keeps the ids of all nets that the peer holds,
 *     the table reuses no net id, and nothing is announced.
 * I2  The reader of the table continues at its position: if a net leaves the table after
 *     the look-up of the peer's nets, its segment is still unread.
 * I3  The peer's nets are renamed in steps of STEP_IDS ids, about 1 ms each, and the new
 *     ids take effect after the last step (sink_memory_ops.renamed). If the session goes
 *     down between two steps, the sink forgets all steps.
 *
 * Loop: the session's. Tests: test/net/test_untouched.py. */
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/watched_nets.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/ids.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

#define STEP_IDS 4096

/* ground_id_above - id in the table of net @id of the base; NO_ID: none. */
static uint32_t
ground_id_above(const struct channel *ch, uint32_t id)
{
	struct nlri k = net_nlri(ch->from, table_net_of(ch->from, id));
	const struct net *n = table_find_nlri(ch->table, &k);

	return n ? net_id(ch->table, n) : NO_ID;
}

/* ground_rename_step - rename a bounded number of the peer's nets, and withdraw missing
 * nets. Returns: true: more nets are left. */
static bool
ground_rename_step(struct channel *ch)
{
	struct sink *k = ch->sink;
	uint32_t limit = reader_limit(ch->rd), end = ch->ground.pos + STEP_IDS;

	for (; ch->ground.pos < limit && ch->ground.pos < end; ch->ground.pos++) {
		uint32_t id = ch->ground.pos, to;

		if (!channel_holds(ch->rd, id, 1))
			continue;
		to = ground_id_above(ch, id);
		if (to == NO_ID)
			channel_send_gone(ch->rd, &id, 1);
		else
			k->ops->memory->rename(k, id, to);
	}
	k->ops->parts_done(k);
	k->ops->flush(k);
	return ch->ground.pos < limit;
}

/* ground_stand_still - stop all work that changes the peer's state. */
static void
ground_stand_still(struct channel *ch)
{
	channel_compare_stop(ch);
	channel_recheck_stop_out(ch);
	channel_own_forget(ch);
}

static void
channel_ground_switch(struct channel *ch)
{
	struct reader *was = ch->rd;
	bool up = ch->life.up && ch->sink;

	if (up) {
		ground_stand_still(ch); /* a policy may have changed since */
		ch->sink->ops->memory->renamed(ch->sink);
		watched_clear(ch);
		reader_stop(was);
	}
	ch->ground.waits = false;
	store_relaxed32(&ch->over->grounded, 1);
	reader_set_ops(&ch->over->rd.r, &channel_reader_ops);
	ch->from = ch->table;
	store_release_ptr(&ch->pub.from, ch->from); /* pairs: CFROM */
	if (!up)
		return;
	channel_choose(ch);
	ch->life.ask_tail = reader_tail(ch->rd);
	channel_publish_view(ch);
	channel_watch_out_drop(ch);
	channel_watch_update(ch);
	channel_refresh_out(ch);
	worker_again(&ch->proto->worker);
}

void
channel_ground_begin(struct channel *ch)
{
	if (!channel_is_over(ch) || conf_table_base(ch->cf->table))
		return;
	if (!ch->life.up) {
		channel_ground_switch(ch);
		return;
	}
	ch->ground.waits = true;
	ch->ground.pos = 0;
	worker_again(&ch->proto->worker);
}

bool
channel_ground_step(struct channel *ch)
{
	const struct overlay *o = ch->ground.waits ? overlay_at(ch->table) : NULL;

	if (!ch->ground.waits || (o && !o->poured))
		return ch->ground.waits;
	if (!ch->ground.pos)
		ground_stand_still(ch);
	if (!ch->sink->ops->room(ch->sink))
		return true; /* the session reports room */
	if (ground_rename_step(ch))
		worker_again(&ch->proto->worker);
	else
		channel_ground_switch(ch);
	return ch->ground.waits;
}

void
channel_ground_end(struct channel *ch)
{
	if (ch->ground.waits)
		channel_ground_switch(ch);
}
