/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An overlay becomes an ordinary table while a session goes on: another instance uses the
 * table, or reads its routes.
 *
 *      adopt   the configuration says that the table is no overlay: the channel sends
 *              nothing from now on (ch->grounds), and its peer holds what it holds
 *      pour    the pipe puts its routes into the table (proto/pipe/pipe.c). Behind the
 *              last one it says so (overlay.poured)
 *      ground  the reader of the table itself becomes the channel's. What the peer holds
 *              is known by net ids of the table from then on, what the table does not
 *              have is withdrawn, and all is sent again
 *
 * I1  The reader of the base stands still from adopt to ground, so the base keeps the ids
 *     of all nets that the peer holds.
 * I2  The reader of the table goes on behind what it has read: a net that leaves the
 *     table after the peer's nets were looked up there is still to be read.
 *
 * To rename what the peer holds takes a look-up for each net in one turn: 0.1 s for a
 * million. A session does that once at most.
 *
 * Loop: the session's. Tests: test/net/test_untouched.py. */
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"

#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/overlay.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/loop.h"

/* id_above - in the table, of net @id of the base; NO_SOURCE: it is not there. */
static uint32_t
id_above(void *arg, uint32_t id)
{
	const struct channel *ch = arg;
	struct nlri k = net_nlri(ch->from, table_net_of(ch->from, id));
	const struct net *n = table_find_nlri(ch->table, &k);

	return n ? net_id(ch->table, n) : NO_SOURCE;
}

/* ground_held - the peer's nets get other ids; what has gone is withdrawn. */
static void
ground_held(struct channel *ch)
{
	const struct sink_ops *ops = ch->sink->ops;
	uint32_t limit = reader_limit(ch->rd);

	for (uint32_t id = 0; id < limit && ch->sink->held; id++)
		if (ops->holds(ch->sink, id, 1) && id_above(ch, id) == NO_SOURCE)
			channel_send_gone(ch, &id, 1);
	ops->parts_done(ch->sink);
	ops->flush(ch->sink);
	ops->rename(ch->sink, id_above, ch);
}

static void
ground(struct channel *ch)
{
	struct reader *was = ch->rd;
	bool up = ch->up && ch->sink;

	if (up) {
		channel_compare_stop(ch);
		channel_recheck_stop_out(ch);
		channel_own_forget(ch);
		ground_held(ch);
		channel_second_drop(ch);
		reader_stop(was);
	}
	ch->grounds = false;
	store_relaxed32(&ch->top->grounded, 1);
	ch->from = ch->table;
	store_release_ptr(&ch->from_pub, ch->from); /* pairs: CFROM */
	if (!up)
		return;
	ch->rd = &ch->top->rd.r;
	ch->second = ch->goes_on ? ch->secondary : NULL;
	ch->ask_tail = reader_tail(ch->rd);
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
	if (!ch->up) {
		ground(ch);
		return;
	}
	ch->grounds = true;
	worker_again(&ch->proto->worker);
}

bool
channel_ground_step(struct channel *ch)
{
	const struct overlay *o = ch->grounds ? overlay_at(ch->table) : NULL;

	if (ch->grounds && (!o || o->poured))
		ground(ch);
	return ch->grounds;
}

void
channel_ground_end(struct channel *ch)
{
	if (ch->grounds)
		ground(ch);
}
