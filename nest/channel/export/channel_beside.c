/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second channel beside a first channel: the sink of the second gets the routes that
 * the first would send if its export filter accepted everything. A monitor reports these
 * routes as the Adj-RIB-Out before policy (RFC 8671, 5.2): the routes of the table,
 * without the peer's own routes and without routes refused by the sink's rules, selected
 * and encoded as for the peer.
 *
 * I1  The second channel is an ordinary channel with its own readers, dirty nets and
 *     sink, so it gets all changes and may lag. But its configuration is derived from the
 *     first channel's, it has no feeder (it imports nothing, and leaves out routes of the
 *     first channel's feeder), and threads find it only through the first channel.
 * I2  It is up only while the first channel is up and its routes are wanted.
 * I3  It may be made while the first channel is up (then channel_attach follows), and
 *     stays until the first channel is freed: other threads find it without a lock.
 *
 * Loop: the session's. Tested by test/net/test_bmp_out.py. */
#include "nest/channel/channel_beside_priv.h"

#include "filter/filter.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/channel_rpki_priv.h"
#include "nest/channel/sink.h"
#include "nest/conf/config.h"

/* without_policy - copy @cf without its policy. */
static void
without_policy(struct conf_channel *out, const struct conf_channel *cf)
{
	const struct conf_limit none = { .action = LIMIT_OFF };

	*out = *cf;
	out->import = out->export = &filter_accept_all;
	out->import_limit = out->receive_limit = out->export_limit = none;
	out->has_export_in = false;
	out->keep_filtered = false;
}

void
channel_new_beside(struct channel *ch, const struct channel_ops *ops, struct sink *sink)
{
	struct conf_channel *like = mem_zalloc(MEM_PROTO, sizeof(*like));
	struct channel *b;

	without_policy(like, ch->cf);
	b = channel_make(ch->proto, like, ops, sink, ch);
	b->like = like;
	if (b->all)
		b->all->r.own = &ch->ts;
	if (ch->goes_on)
		channel_secondary(b);
	ch->beside = b;
	store_release_ptr(&ch->beside_pub, b); /* pairs: CBESIDE */
}

struct channel *
channel_beside(const struct channel *ch)
{
	return load_acquire_ptr(&ch->beside_pub); /* pairs: CBESIDE */
}

void
channel_beside_stop(struct channel *ch)
{
	struct channel *b = ch->beside;

	store_release_ptr(&ch->beside_pub, NULL); /* pairs: CBESIDE */
	b->rests = true;
	channel_down(b);
}

void
channel_beside_wake(struct channel *ch, void (*ready)(struct sink *k))
{
	struct channel *b = ch->beside;

	if (!b->rests)
		return;
	b->rests = false;
	store_release_ptr(&ch->beside_pub, b); /* pairs: CBESIDE */
	channel_beside_anew(ch, ready);
}

void
channel_beside_anew(struct channel *ch, void (*ready)(struct sink *k))
{
	struct channel *b = ch->beside;

	channel_down(b);
	if (!ch->up || b->rests || !channel_is_attached(b))
		return;
	ready(b->sink);
	channel_up(b, &ch->own);
}

void
channel_beside_adopt(struct channel *ch)
{
	struct channel *b = ch->beside;

	without_policy(b->like, ch->cf);
	if ((b->up || b->watch) && !b->detaching)
		channel_watch_update(b);
	channel_ground_begin(b);
}

void
channel_beside_free(struct channel *ch)
{
	struct conf_channel *like;

	if (!ch->beside)
		return;
	like = ch->beside->like;
	channel_free(ch->beside);
	ch->beside = NULL;
	mem_free(MEM_PROTO, like);
}
