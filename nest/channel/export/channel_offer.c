/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The offer channel of a channel: its sink gets the routes that the channel would send
 * if the export filter accepted everything. A monitor reports these routes as the
 * Adj-RIB-Out before policy (RFC 8671, 5.2): the routes of the table, without the peer's
 * own routes and without routes refused by the sink's rules, selected and encoded as for
 * the peer.
 *
 * I1  The offer channel is an ordinary channel with its own readers, dirty nets and sink,
 *     so it gets all changes and may lag. But its configuration is derived from the
 *     channel's, it has no feeder (it imports nothing, and leaves out routes of the
 *     channel's feeder), and threads find it only through the channel.
 * I2  The offer channel is up only while the channel is up and the routes are wanted.
 * I3  The offer channel may be made while the channel is up (then channel_attach
 *     follows), and stays until the channel is freed: other threads find the offer
 *     channel without a lock.
 *
 * Loop: the session's. Tested by test/net/test_bmp_out.py. */
#include "nest/channel/channel_offer_priv.h"

#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_priv.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"

void
channel_offer_new(struct channel *ch, const struct channel_ops *ops, struct sink *sink)
{
	struct conf_channel *like = mem_zalloc(MEM_PROTO, sizeof(*like));
	struct channel *b;

	channel_without_policy(like, ch->cf);
	b = channel_make(ch->proto, like, ops, sink, ch);
	b->offer.like = like;
	if (b->all)
		b->all->r.wants.shunned = &ch->ts;
	if (ch->exp.first_allowed)
		channel_secondary(b);
	ch->offer.ch = b;
	store_release_ptr(&ch->pub.offer, b); /* pairs: COFFER */
}

struct channel *
channel_offer(const struct channel *ch)
{
	return load_acquire_ptr(&ch->pub.offer); /* pairs: COFFER */
}

void
channel_offer_stop(struct channel *ch)
{
	struct channel *b = ch->offer.ch;

	store_release_ptr(&ch->pub.offer, NULL); /* pairs: COFFER */
	b->offer.unused = true;
	channel_down(b);
}

void
channel_offer_wake(struct channel *ch, void (*ready)(struct sink *k))
{
	struct channel *b = ch->offer.ch;

	if (!b->offer.unused)
		return;
	b->offer.unused = false;
	store_release_ptr(&ch->pub.offer, b); /* pairs: COFFER */
	channel_offer_anew(ch, ready);
}

void
channel_offer_anew(struct channel *ch, void (*ready)(struct sink *k))
{
	struct channel *b = ch->offer.ch;

	channel_down(b);
	if (!ch->life.up || b->offer.unused || !channel_is_attached(b))
		return;
	ready(b->sink);
	channel_up(b, &ch->imp.facts);
}
