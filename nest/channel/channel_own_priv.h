/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Own routes of a peer on an overlay (channel_own.c). Only files of nest/channel include
 * the header. Loop: the session's. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_OWN_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_OWN_PRIV_H

#include "lib/base/check.h"

struct channel;
struct net;
struct nlri;
struct path;
struct rec;
struct segment;

/* Rank of an overlay's own route among the routes of the base. */
enum own_rank {
	OWN_NONE, /* no own route */
	OWN_BEHIND,
	OWN_FIRST, /* nothing is sent */
	OWN_TIED, /* MED decides: compare all routes */
};

/* ---- channel_own.c ---- */
/* channel_own_note - note the nets of @r (REC_ANNOUNCE) as the peer's own. */
void channel_own_note(struct channel *ch, const struct rec *r);
/* channel_own_before - does @own come before @p of the base? */
bool channel_own_before(
    const struct channel *ch, const struct path *own, const struct path *p);
enum own_rank channel_own_rank(
    const struct channel *ch, const struct net *n, const struct path *p);
/* channel_own_find - the best own route for net @n of the base. Under RCU, while @f is
 * used.
 * channel_own_first - true: the own route precedes @p; only without ties.
 * Owner of the struct: the caller. Life: one search, on the stack. */
struct own_found {
	const struct path *own;
	bool ordered; /* precedes a route of the base: also precedes every later route */
	bool ties; /* OWN_TIED with a route of the base */
};
void channel_own_find(const struct channel *ch, const struct net *n, struct own_found *f);
bool channel_own_first(
    const struct channel *ch, const struct own_found *f, const struct path *p);
/* channel_own_later - only the source of @s changed, which decides its rank to own
 * routes. */
void channel_own_later(struct channel *ch, const struct segment *s);
/* channel_own_of - true: an own route precedes @s in one of its nets. */
bool channel_own_of(struct channel *ch, const struct segment *s);
/* channel_own_may - true: rules other than policy may keep nets of @s from the peer. */
bool channel_own_may(const struct channel *ch, const struct segment *s);
/* channel_own_best - rank of the own route relative to the best of net @id of the
 * base. */
enum own_rank channel_own_best(const struct channel *ch, uint32_t id);
/* channel_own_forget - forget the nets with changed own routes. channel_work_left - pass
 * to the reader whether the channel has more work (reader_work). */
void channel_own_forget(struct channel *ch);
void channel_work_left(struct channel *ch);

#endif
