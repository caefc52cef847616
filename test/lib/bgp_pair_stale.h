/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stubs for parts without a model: stale routes of a channel, tables below its own,
 * members of a range, channels beside others. A part of bgp_pair.h. */
#ifndef TERN_TEST_LIB_BGP_PAIR_STALE_H
#define TERN_TEST_LIB_BGP_PAIR_STALE_H

#include "nest/channel/channel.h"
#include "nest/core/recovery.h"
#include "test/lib/unit.h"

struct table *
channel_from(const struct channel *ch)
{
	(void)ch;
	return NULL;
}

void
channel_away(struct channel *ch)
{
	channel_down(ch);
}

bool
channel_is_away(const struct channel *ch)
{
	(void)ch;
	return false;
}

bool
channel_unsettled(const struct channel *ch)
{
	(void)ch;
	return false;
}

void
channel_await(struct channel *ch, bool on)
{
	(void)ch;
	(void)on;
}

uint8_t
recovery_join(struct tern *t, uint8_t waits, uint8_t keeps)
{
	(void)t;
	(void)keeps;
	return waits;
}

void
recovery_through(struct tern *t, enum family f)
{
	(void)t;
	(void)f;
}

void
channel_stale(struct channel *ch)
{
	(void)ch;
}

void
channel_long_lived(struct channel *ch)
{
	(void)ch;
}

void
channel_sweep(struct channel *ch)
{
	(void)ch;
}

void
tern_guest(struct tern *t, TAKE struct proto_guest *g)
{
	(void)t;
	(void)g;
	fail();
}

const struct channel_stats *
channel_stats_get(const struct channel *ch)
{
	return &ch->stats;
}

void
channel_offer_new(struct channel *ch, const struct channel_ops *ops, struct sink *sink)
{
	(void)ch, (void)ops, (void)sink;
	fail();
}

void
channel_offer_anew(struct channel *ch, void (*ready)(struct sink *k))
{
	(void)ch, (void)ready;
	fail();
}

struct channel *
channel_offer(const struct channel *ch)
{
	(void)ch;
	return NULL;
}

#endif
