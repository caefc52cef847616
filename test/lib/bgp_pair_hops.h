/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stubs for the functions that sessions call about resolved next hops:
 * test/lib/bgp_pair.h has no resolved next hops. */
#ifndef TERN_TEST_LIB_BGP_PAIR_HOPS_H
#define TERN_TEST_LIB_BGP_PAIR_HOPS_H

#include "nest/channel/import/channel_hops.h"
#include "nest/core/tern.h"
#include "nest/rib/index/igp.h"

void
channel_hops_new(struct channel *ch, struct table *const igp[FAM_CNT])
{
	(void)ch;
	(void)igp;
}

bool
channel_hops_any(const struct channel *ch)
{
	(void)ch;
	return false;
}

struct table *
channel_hops_table(const struct channel *ch, enum family f)
{
	(void)ch;
	(void)f;
	return NULL;
}

void
channel_hops_watch(struct channel *ch, enum family f, struct igp_watch *x)
{
	(void)ch;
	(void)f;
	(void)x;
}

void
channel_hops_changed(struct channel *ch)
{
	(void)ch;
}

struct igp_watch *
igp_watch_new(struct tern *tern, struct table *t, struct worker *to,
    const struct igp_watch_ops *ops)
{
	(void)tern;
	(void)t;
	(void)to;
	(void)ops;
	return NULL;
}

void
igp_watch_delete(struct igp_watch *x)
{
	(void)x;
}

struct table *
tern_table_of(const struct tern *t, const char *name)
{
	(void)t;
	(void)name;
	return NULL;
}

uint64_t
channel_unsent(const struct channel *ch)
{
	(void)ch;
	return 0;
}

bool
channel_is_attached(const struct channel *ch)
{
	(void)ch;
	return true;
}

void
channel_offer_stop(struct channel *ch)
{
	(void)ch;
}

void
channel_offer_wake(struct channel *ch, void (*ready)(struct sink *k))
{
	(void)ch, (void)ready;
	fail();
}

bool
channel_feeds(const struct channel *ch)
{
	(void)ch;
	return false;
}

bool
channel_keeps_export(const struct channel *ch)
{
	(void)ch;
	return false;
}

#endif
