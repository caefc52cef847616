/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The index of a ROA or ASPA table that filters query. A reader of the table keeps the
 * index; subscribers are notified of changes.
 *
 * The table is an ordinary table; a VRP or a customer is a net (nest/rib/nlri.h). A VRP
 * is in the index while the net has an accepted route of any source. The providers of a
 * customer are the union of its accepted routes. Filters query the index under RCU
 * (lib/net/roa.h, aspa.h); code that must know of changes subscribes (struct roa_sub).
 *
 * Owner of the index: its worker. Life: while counted (rpki_index_ref). Loop: the
 * index's, unless a function says otherwise. */
#ifndef TERN_NEST_RIB_INDEX_RPKI_INDEX_H
#define TERN_NEST_RIB_INDEX_RPKI_INDEX_H

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

/* rpki_index_new - make an index of @t, a ROA or ASPA table, and launch its worker. The
 * control worker gets the reference. */
OWNED struct rpki_index *rpki_index_new(
    struct tern *tern, struct table *t, const struct conf_table *cf);
/* rpki_index_delete - drop the reference; the worker ends when all subscribers are gone.
 * Control worker. */
void rpki_index_delete(TAKE struct rpki_index *x);
/* rpki_index_ref, rpki_index_unref - for configurations, whose filters query the map, and
 * for subscribers. Any thread. */
struct rpki_index *rpki_index_ref(struct rpki_index *x);
/* rpki_index_ref_live - false: the last reference is gone; under RCU. */
MUST_CHECK bool rpki_index_ref_live(struct rpki_index *x);
void rpki_index_unref(TAKE struct rpki_index *x);
/* rpki_index_times - set settle times and the wait for first data. Control worker. */
void rpki_index_times(struct rpki_index *x, const struct conf_table *cf);

/* rpki_index_table - the table lives until the index's worker has ended. For callers that
 * found the index in a view. */
const struct table *rpki_index_table(const struct rpki_index *x);
/* rpki_index_map - NULL: of ASPAs. */
struct roa_map *rpki_index_map(const struct rpki_index *x);
/* rpki_index_aspa - NULL: of VRPs. */
struct aspa_map *rpki_index_aspa(const struct rpki_index *x);
/* rpki_index_cnt - number of VRPs or customers; any thread under RCU. */
uint64_t rpki_index_cnt(const struct rpki_index *x);

/* rpki_index_mark - a mark that a source sends to the table after its records: the data
 * up to the mark is complete and is reported without settling, unless the file has a
 * settle time. While the mark is open, no round begins; so a source makes the mark before
 * the first of these records. NULL: the index is ending. Any thread under RCU.
 * rpki_index_mark_partial - the data before @m is incomplete. */
OWNED struct table_mark *rpki_index_mark(struct rpki_index *x);
void rpki_index_mark_partial(struct table_mark *m);

/* rpki_index_waits - true: the index lacks data, and routes judged by the index must
 * wait: a fill is under way, or a cache has not completed its first data (`rpki wait`).
 * When a wait ends, every subscriber is notified (ready); only another configuration can
 * begin a wait again. Any thread under RCU.
 * rpki_index_waits_ns - longest remaining wait for a cache; 0: no wait. */
bool rpki_index_waits(const struct rpki_index *x);
uint64_t rpki_index_waits_ns(const struct rpki_index *x);

/* A fill: a commit brings routes of static protocols and pipes to the table. */
struct rpki_fill;
/* rpki_fill_begin - from now on rpki_index_fills, until rpki_fill_end and until the index
 * has read the routes. Several fills may be under way. NULL: the index is ending. Control
 * worker.
 * rpki_fill_end - the table has the routes of @fl. @whole: all data of the table; no
 * cache sends data. @late: not all routes came in time; the index does not wait either.
 * Any thread. */
OWNED struct rpki_fill *rpki_fill_begin(struct rpki_index *x);
void rpki_fill_end(TAKE struct rpki_fill *fl, bool whole, bool late);
/* rpki_index_fills - true: a fill is under way. Any thread under RCU. */
bool rpki_index_fills(const struct rpki_index *x);

/* ---- subscribers: nest/rib/index/roa_notify.c ---- */

/* Net ids of a table whose answers may have changed. Immutable. Owner: the references;
 * freed with the last reference. */
struct roa_affected {
	struct counter32 refs;
	bool all; /* every net is affected; id has no entries */
	uint32_t cnt, cap;
	uint32_t *id; /* ascending, each once */
	/* for a feeder: number of the feeder's routes in these nets, and of nets with
	 * only the feeder's routes */
	uint32_t routes, alone;
};
void roa_affected_unref(TAKE struct roa_affected *h);

/* A subscription to changed answers about the nets of an IP table. The subscriber decides
 * about imported routes, or about exported routes. Owner: the subscriber, but for fields
 * marked so. Freed by the subscriber after the answer to roa_sub_drop. */
struct roa_sub {
	struct rpki_index *index; /* counted */
	struct worker *worker;
	struct table *routes; /* lives as long as the subscription */
	/* feeder by which the subscriber brings routes into `routes`; only nets with its
	 * routes are reported. NULL: the subscriber is a reader and is notified of all
	 * nets. Lives as long as the subscription */
	const struct feeder *feeder;
	/* without feeder: feeder whose routes the reader ignores; nets with only its
	 * routes need not be reported; NULL: none. Lives as long as the subscription */
	const struct feeder *shunned;
	/* with feeder: the table keeps refused routes; else each round reports all
	 * nets */
	bool keeps;
	/* filters query other prefixes too: every change affects all nets */
	bool other_nets;
	/* notified of `ready` only, not of changes */
	bool waits_only;
	/* ask - send the mark after all earlier decisions: call table_marked, in any
	 * thread, when `routes` has the last of these decisions. With `feeder` only. In
	 * worker. */
	void (*ask)(struct roa_sub *s, TAKE struct table_mark *mark);
	/* affected - decide again about these nets; a round may have several calls. In
	 * worker. */
	void (*affected)(struct roa_sub *s, TAKE struct roa_affected *h);
	/* again - with `feeder` and without `keeps`, in addition: decide again about all
	 * routes ever received, after @after_ns, the turn of the subscriber in the round.
	 * In worker. */
	void (*again)(struct roa_sub *s, uint64_t after_ns);
	/* ready - a wait of the index has ended: ask rpki_index_waits. The call may come
	 * late, and without need. In worker. */
	void (*ready)(struct roa_sub *s);
	/* dropped - nothing comes any more. In worker. */
	void (*dropped)(struct roa_sub *s);
	/* private to nest/rib/index; but for `since` the index's */
	struct list link; /* of group->subs */
	struct roa_group *group;
	struct roa_mark *asked; /* the awaited mark */
	uint32_t counted; /* number of the log line that counted the subscriber */
	/* number of applied batches that all decisions know; written by worker */
	struct pub64 since;
};

/* roa_sub_start - begin. s->index, worker, routes, feeder, keeps, other_nets, waits_only
 * and the functions are set. In s->worker. @old: the subscription that @s replaces; NULL:
 * none.
 * Returns: false: the table was deleted and ends; no subscription exists. */
MUST_CHECK bool roa_sub_start(struct roa_sub *s, const struct roa_sub *old);
/* roa_sub_renew - all decisions until now are void (a session came up again): earlier
 * changes are not reported. In s->worker, before the first decision. */
void roa_sub_renew(struct roa_sub *s);
/* roa_sub_drop - affected and ask may come until dropped. In s->worker. */
void roa_sub_drop(struct roa_sub *s);

#endif
