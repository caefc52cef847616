/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Routes that limits keep out of a table. The table reports each such route to the
 * feeder, and also reports the route when the route enters the table later (feeder_ops).
 * Loop: the table's. */
#ifndef TERN_NEST_RIB_TABLE_FEEDER_OUT_H
#define TERN_NEST_RIB_TABLE_FEEDER_OUT_H

#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"

struct net;
struct path;
struct table;

/* ---- feeder_limit.c ---- */
/* The decision of the limits about a path. */
enum feeder_word {
	FEEDER_TAKES,
	FEEDER_BLOCKS, /* keep the path as a filtered path */
	FEEDER_REFUSES,
};
/* feeder_allows - may a path enter that is new (@is_new), or that is present as a
 * filtered path and is accepted now? Stale paths do not count while the peer is up.
 * feeder_again - may a present path stay after a reload has run the path through the
 * policy again? @filtered: the import policy rejects the path, which is kept as a
 * filtered path; the import limit does not count filtered paths. *@why: the reason,
 * unless the answer is FEEDER_TAKES. */
enum feeder_word feeder_allows(
    struct feeder *f, bool is_new, bool filtered, enum reason *why);
enum feeder_word feeder_again(const struct feeder *f, bool filtered, enum reason *why);
/* feeder_net_full - true: @n has f->net_limit paths of @f. f->net_limit is not 0. */
bool feeder_net_full(struct table *t, struct feeder *f, const struct net *n);
/* feeder_limit_enforce - a `net limit` was lowered: make the latest paths of @n dead that
 * exceed the limit of their feeder. The caller prunes @n at once. */
void feeder_limit_enforce(struct table *t, struct net *n);
/* feeder_limits_anew - a session begins or ends: no limit has refused anything. */
void feeder_limits_anew(struct feeder *f);
/* feeder_notify_room - routes that limits kept out may fit now. */
void feeder_notify_room(struct feeder *f);

/* ---- path_count.c ---- */
/* table_path_kill - make the living path @p dead; the caller calls table_prune. */
void table_path_kill(struct feeder *f, struct path *p);

/* ---- reports to the feeder ---- */
/* feeder_keeps_out - report that @n is refused. feeder_takes - report that @n was
 * accepted or withdrawn. */
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

/* feeder_out_none - the session ended: no net is kept out. feeder_out_anew - another
 * session begins. */
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
