/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads fields of a channel for other folders, which do not see struct channel. Any
 * thread, unless the header says more. */
#include "nest/channel/channel_priv.h"

#include "lib/mt/atomic.h"
#include "lib/mt/ring.h"
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/recovery.h"
#include "nest/core/tern.h"
#include "nest/rib/source.h"

struct channel *
channel_next(const struct channel *ch)
{
	return ch->next;
}

struct proto *
channel_proto(const struct channel *ch)
{
	return ch->proto;
}

enum family
channel_family(const struct channel *ch)
{
	return ch->fam;
}

const struct conf_channel *
channel_conf(const struct channel *ch)
{
	return load_acquire_ptr(&ch->pub.cf); /* pairs: CCONF */
}

const char *
channel_name(const struct channel *ch)
{
	return channel_conf(ch)->name;
}

struct table *
channel_table(const struct channel *ch)
{
	return ch->table;
}

uint32_t
channel_recovery(const struct channel *ch)
{
	return recovery_holds(&ch->proto->tern->recovery, ch->fam)
		   ? load_relaxed32(&ch->pub.recovery)
		   : 0;
}

struct table *
channel_from(const struct channel *ch)
{
	return load_acquire_ptr(&ch->pub.from); /* pairs: CFROM */
}

bool
channel_exports(const struct channel *ch)
{
	return ch->sink != NULL;
}

bool
channel_keeps(const struct channel *ch)
{
	return channel_conf(ch)->keep_filtered || load_relaxed32(&ch->pub.keeps_pre);
}

bool
channel_keeps_import(const struct channel *ch)
{
	return load_relaxed32(&ch->pub.notes_pre);
}

bool
channel_keeps_export(const struct channel *ch)
{
	return ch->sink && sink_knows(ch->sink);
}

enum reason
channel_failure(const struct channel *ch, uint32_t id)
{
	const struct sink *k = ch->sink;

	return k && k->ops->written ? k->ops->written->failure(k, id) : REASON_NONE;
}

uint32_t
channel_failures(const struct channel *ch)
{
	const struct sink *k = ch->sink;

	return k && k->ops->written ? k->ops->written->failures(k) : 0;
}

const struct wire_set *
channel_announced(const struct channel *ch, uint32_t id)
{
	return ch->sink->ops->memory->announced(ch->sink, id);
}

const struct channel_stats *
channel_stats_get(const struct channel *ch)
{
	return &ch->stats;
}

struct channel_stats *
channel_stats(struct channel *ch)
{
	return &ch->stats;
}

uint32_t
channel_queued(const struct channel *ch)
{
	return ring_octets(&ch->ts.ring);
}

bool
channel_through(const struct channel *ch)
{
	return feeder_through(&ch->ts);
}

uint32_t
channel_source_id(const struct channel *ch)
{
	return load_relaxed32(&ch->ts.id);
}

bool
channel_is_up(const struct channel *ch)
{
	return ch->life.up;
}
