/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that limits keep out of a table: the feeder is told of each, and of each that
 * comes in after all (feeder_ops). The table's thread. */
#ifndef TERN_NEST_FEEDER_OUT_H
#define TERN_NEST_FEEDER_OUT_H

#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"

struct net;
struct path;
struct table;

/* ---- feeder_limit.c ---- */
/* What limits say of a path. */
enum feeder_word {
	FEEDER_TAKES,
	FEEDER_BLOCKS, /* it is kept as a filtered one */
	FEEDER_REFUSES,
};
/* feeder_allows - may one more path come, of which there is none before it (@is_new) or a
 * filtered one? Stale ones don't count while the peer is there. feeder_again - may a path
 * stay that has passed the policy again? *@why: set if it may not. */
enum feeder_word feeder_allows(
    struct feeder *f, bool is_new, bool filtered, enum reason *why);
enum feeder_word feeder_again(const struct feeder *f, bool filtered, enum reason *why);
/* feeder_net_full - has @n as many paths of @f as f->net_limit allows, which isn't 0? */
bool feeder_net_full(struct table *t, struct feeder *f, const struct net *n);
/* table_trim - a `net limit` was lowered: the latest paths of @n that are too many by the
 * limit of their feeder are dead, and are to be pruned at once. */
void table_trim(struct table *t, struct net *n);
/* feeder_limits_anew - a session begins or ends: no limit has refused anything. */
void feeder_limits_anew(struct feeder *f);
/* feeder_tell_room - there may be room now for what limits kept out. */
void feeder_tell_room(struct feeder *f);

/* ---- path_count.c ---- */
/* table_path_kill - @p, which lives, is dead: table_prune is to remove @p. */
void table_path_kill(struct feeder *f, struct path *p);

/* ---- what is told ---- */
/* feeder_keeps_out - @n isn't taken. feeder_takes - it is, or it was withdrawn. */
static inline void
feeder_keeps_out(struct feeder *f, enum reason why, const struct nlri *n, uint32_t rid)
{
	f->keeps_out = true;
	f->ops->kept_out(f, why, n, rid);
}

static inline void
feeder_takes(struct feeder *f, const struct nlri *n, uint32_t rid)
{
	if (unlikely(f->keeps_out))
		f->ops->kept_in(f, n, rid);
}

/* feeder_out_none - the session has ended: nothing is kept out any more.
 * feeder_out_anew - another session begins. */
static inline void
feeder_out_none(struct feeder *f)
{
	if (f->keeps_out)
		f->ops->kept_in(f, NULL, 0);
	f->keeps_out = false;
}

static inline void
feeder_out_anew(struct feeder *f)
{
	f->keeps_out = false;
	if (f->ops)
		f->ops->anew(f);
}

#endif
