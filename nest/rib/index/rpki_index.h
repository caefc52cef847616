/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What filters ask of a ROA or an ASPA table: an index of what its nets say, kept by a
 * reader of the table, and who is told when that changes.
 *
 * The table is one like all others; a VRP or a customer is a net in it (nest/rib/nlri.h).
 * A VRP counts while it has an accepted route, of whatever source. Of a customer counts
 * what all its accepted routes attest together. Filters ask the index under RCU
 * (lib/net/roa.h, aspa.h); whoever must know of changes subscribes (struct roa_sub). */
#ifndef TERN_NEST_RPKI_INDEX_H
#define TERN_NEST_RPKI_INDEX_H

#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "nest/conf/config.h"
#include "sysdep/loop/loop.h"

struct tern;

struct feeder;
struct rpki_index;
struct table;
struct table_mark;
struct roa_group;
struct roa_mark;

/* ---- life ---- */

/* rpki_index_new - of @t, whose nets are of such a kind, with a reference, the control
 * worker's; its worker is launched. */
OWNED struct rpki_index *rpki_index_new(
    struct tern *tern, struct table *t, const struct conf_table *cf);
/* rpki_index_delete - it ends when all subscribers have gone. Gives up the reference.
 * Control worker. */
void rpki_index_delete(TAKE struct rpki_index *x);
/* rpki_index_ref, rpki_index_unref - configurations and subscribers hold it, so that its
 * map stays for their filters. Any thread. */
struct rpki_index *rpki_index_ref(struct rpki_index *x);
/* rpki_index_ref_live - false: the last reference is gone; under RCU. */
MUST_CHECK bool rpki_index_ref_live(struct rpki_index *x);
void rpki_index_unref(TAKE struct rpki_index *x);
/* rpki_index_times - between changes and what they cause, and what is waited for. Control
 * worker. */
void rpki_index_times(struct rpki_index *x, const struct conf_table *cf);

/* rpki_index_table - lives until the index's worker has ended: whoever finds it in a
 * view. */
const struct table *rpki_index_table(const struct rpki_index *x);
/* rpki_index_map - NULL: of ASPAs. */
struct roa_map *rpki_index_map(const struct rpki_index *x);
/* rpki_index_aspa - NULL: of VRPs. */
struct aspa_map *rpki_index_aspa(const struct rpki_index *x);
/* rpki_index_cnt - VRPs or customers in it; any thread under RCU. */
uint64_t rpki_index_cnt(const struct rpki_index *x);

/* rpki_index_mark - to be put behind records into its table: what came before it is a
 * whole, and is told without settling, unless the file has a settle time. From now on
 * nothing is told before that; so it is made before the first of these records. NULL: the
 * index is ending. Any thread under RCU.
 * rpki_index_mark_cut - @m doesn't say that what came before it is all. */
OWNED struct table_mark *rpki_index_mark(struct rpki_index *x);
void rpki_index_mark_cut(struct table_mark *m);

/* rpki_index_waits - are routes that are judged by it to wait, since nothing is known
 * yet? Once that is false every subscriber is told (ready), and only
 * another configuration could make it true again. Any thread under RCU.
 * rpki_index_waits_ns - how long at most from now on; 0: they aren't. */
bool rpki_index_waits(const struct rpki_index *x);
uint64_t rpki_index_waits_ns(const struct rpki_index *x);

/* ---- subscribers: nest/rib/index/roa_notify.c ---- */

/* Net ids of a table whose answers may differ. Immutable, counted. */
struct roa_hits {
	struct counter32 refs;
	bool all; /* every net; id isn't there */
	uint32_t cnt, cap;
	uint32_t *id; /* ascending, each once */
	/* of one who brings them: how many routes of those nets it has, and of how many
	 * nets nobody else has one */
	uint32_t routes, alone;
};
void roa_hits_unref(TAKE struct roa_hits *h);

/* Who wants to know when answers about the nets of an IP table change: one who decides
 * what it brings into the table, or one who decides about what it reads there. owner: the
 * subscriber, but for what is marked; freed by: the subscriber after roa_sub_drop has
 * answered. */
struct roa_sub {
	struct rpki_index *index; /* counted */
	struct worker *worker;
	struct table *routes; /* lives as long as the subscription */
	/* by which it brings routes into `routes`, and is told of nets that it has routes
	 * of; NULL: it reads, and is told of all nets. Lives as long as the
	 * subscription */
	const struct feeder *feeder;
	/* without feeder: its own routes don't go to it, so nets that nobody else has
	 * needn't be told; NULL: it has none. Lives as long as the subscription */
	const struct feeder *own;
	/* with feeder: what it refuses is in the table, too; else it is told of each
	 * round: all nets */
	bool keeps;
	/* asks about other prefixes, too: every change concerns all nets */
	bool other_nets;
	/* it is told when rpki_index_waits is false (ready), and of no change */
	bool waits_only;
	/* ask - put a mark behind all that was decided before: table_marked is to be
	 * called, in any thread, when the last of it is in `routes`. With `feeder` only.
	 * In worker. */
	void (*ask)(struct roa_sub *s, TAKE struct table_mark *mark);
	/* hits - look at these nets again; there may be several of a round. In worker. */
	void (*hits)(struct roa_sub *s, TAKE struct roa_hits *h);
	/* again - of one with `feeder` and without `keeps`, besides: all that it was ever
	 * brought. Its turn among those who are told of the round is @after_ns from now.
	 * In worker. */
	void (*again)(struct roa_sub *s, uint64_t after_ns);
	/* ready - rpki_index_waits is false now. It may come when that is long known. In
	 * worker. */
	void (*ready)(struct roa_sub *s);
	/* dropped - nothing comes any more. In worker. */
	void (*dropped)(struct roa_sub *s);
	/* private to nest/rib/index; but for `since` the index's */
	struct list link; /* of group->subs */
	struct roa_group *group;
	struct roa_mark *asked; /* the mark that is awaited */
	uint32_t told; /* number of the line in the log for which it was counted */
	/* batches of changes that all its decisions know; its worker writes */
	struct pub64 since;
};

/* roa_sub_start - s->index, worker, routes, feeder, keeps, other_nets, waits_only and the
 * functions are set. In s->worker. Returns: false: the table was deleted and
 * ends, nothing is subscribed.
 * @old: the one in whose place it comes; NULL: none. */
MUST_CHECK bool roa_sub_start(struct roa_sub *s, const struct roa_sub *old);
/* roa_sub_renew - nothing that was decided until now counts any more (a session that is
 * up anew): it isn't told of changes that were there before. In s->worker, before the
 * first decision. */
void roa_sub_renew(struct roa_sub *s);
/* roa_sub_drop - hits and ask may come until dropped. In s->worker. */
void roa_sub_drop(struct roa_sub *s);

#endif
