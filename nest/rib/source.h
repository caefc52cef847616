/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources of routes: origins, feeders, and the records that a feeder sends to its table.
 *
 * An origin describes where routes come from: the facts of one incarnation of a session.
 * An origin is immutable, and lives as long as a route, a segment or a record refers to
 * it.
 *
 * A feeder is an entry into a table: a ring, and the table's state for the source (epoch,
 * limits, counts). Each channel has a feeder; every object with a worker may make further
 * feeders at any time.
 *
 *      feeder_init    complete, and private to its creator
 *      feeder_attach  the table learns of the feeder -> done: the feeder has a number
 *                     REC_UP ... records ... REC_DOWN, any number of times; REC_AWAY
 *                     instead of REC_DOWN: paths stay, stale, until REC_SWEEP or REC_DOWN
 *      feeder_detach  -> the last path is removed, a grace period -> done: no thread
 *                     finds the feeder any more; a thread that found the feeder earlier
 *                     may read for one further grace period
 *
 * Paths of earlier epochs are dead, or stale while the feeder keeps the epoch (RFC 4724,
 * RFC 7313). A stale path is selected like any path, until it is announced again or
 * swept. So all paths of a feeder become stale or dead at once; a walk removes dead
 * paths.
 *
 * A table knows no channel. Owner of a feeder: the object that embeds the feeder; fields
 * are grouped by writer. Life: from feeder_init until feeder_fini.
 *
 * Loop: the feeder's worker, or the worker that a function names. */
#ifndef TERN_NEST_RIB_SOURCE_H
#define TERN_NEST_RIB_SOURCE_H

#include "lib/attr/route.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/ring.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/express.h"
#include "sysdep/loop/loop.h"

struct feeder;
struct hop_nets;
struct table;
struct table_mark;

#define FEEDER_BITS 18 /* bits of a feeder's number in paths */
#define FEEDER_MAX  (1u << FEEDER_BITS)
/* a walk removes dead paths long before an epoch number repeats (feeder_epoch.since) */
#define EPOCH_BITS 14
#define EPOCH_MASK ((1u << EPOCH_BITS) - 1)
/* value that is no number of a feeder */
#define NO_FEEDER UINT32_MAX

/* ---- best-route selection ---- */

/* A candidate of best-route selection. */
struct route_cand {
	const struct attr_set *set;
	const struct route_source *src;
	uint64_t time_cs; /* arrival time, by the table's clock */
};

/* The step of a decision at which a route lost. */
struct lost_at {
	enum reason step; /* of REASON_AT_SELECTION */
	bool has_values; /* value and best are set: the compared numbers */
	uint64_t value, best;
};

/* Kinds of sources. Of two routes with equal preference and different kinds, the lower
 * kind is better: the order follows the default preferences. */
enum path_kind {
	PATH_KIND_NONE, /* brings no routes */
	PATH_KIND_DIRECT,
	PATH_KIND_STATIC,
	PATH_KIND_BGP,
	PATH_KIND_RPKI,
	PATH_KIND_KERNEL,
};

/* Best-route selection among routes of one kind of source with equal preference.
 * Constant. Table's thread. */
struct path_order {
	uint8_t kind; /* enum path_kind: each kind has one order */
	/* rank - a strict order without MED: < 0 if @a is better. */
	int (*rank)(const struct route_cand *a, const struct route_cand *b);
	/* tied - true: @a and @b are equal in all steps before MED. @a ranks before
	 * @b. */
	bool (*tied)(const struct route_cand *a, const struct route_cand *b);
	/* select - the best of @cnt (2 or more) tied candidates, given in the order of
	 * rank. Returns: the index. */
	unsigned (*select)(const struct route_cand *c, unsigned cnt);
	/* merges - true: packets may also use @b if @a is the best (`merge paths`). Any
	 * thread. NULL: never. */
	bool (*merges)(const struct route_cand *a, const struct route_cand *b);
	/* med - the MED of @c. *@group: only candidates with equal groups compare MEDs.
	 * NULL: the order has no MED. */
	uint32_t (*med)(const struct route_cand *c, uint64_t *group);
	/* lowest - true: no candidate can beat @c by MED. NULL: unknown. */
	bool (*lowest)(const struct route_cand *c);
	/* lost - for operators: the step at which @c lost against @best. @tied: all
	 * candidates tied with @best, including @best. Returns: false: no step of this
	 * order decided. Any thread. NULL: the order has no steps. */
	bool (*lost)(struct lost_at *at, const struct route_cand *best,
	    const struct route_cand *c, const struct route_cand *tied, unsigned cnt);
};

/* ---- origins ---- */

/* The numbered origins. Owner: the daemon. */
struct origins;

/* The source of a route and the route's way since. The origin of a session is the root of
 * a tree. Each pipe adds a branch for the table from which the pipe read the route. So
 * routes with equal ways share one origin.
 *
 * Immutable but for branches. The root counts references to the whole tree: by the feeder
 * of the present incarnation, by segments, by records, and by tables with paths of the
 * origin. The tree is freed a grace period after the last reference. */
struct origin {
	struct rcu_node rcu; /* only in the root, like refs */
	struct counter32 refs;
	uint32_t id; /* number among all origins; 0: none */
	struct origin *root; /* NULL: this origin is the root */
	struct origin *up; /* origin before the last pipe; NULL: the root */
	/* table from which the last pipe read; only for comparison */
	const struct table *left;
	struct pubptr branch; /* first branch; the branches are a list by next */
	struct origin *next;
	struct origins *of; /* the set that numbers the origin */
	const struct path_order *order; /* the order of its routes */
	unsigned generation; /* number of pipes on the way */
	uint32_t incarnation; /* number of the incarnation, given by the session */
	struct route_source src;
	char name[64]; /* name of the root */
};

struct origins *origins_new(void);
/* origins_free - after rcu_drain; no origin is left. */
void origins_free(TAKE struct origins *os);
/* origin_new - make a root with one reference; the caller sets order and incarnation.
 * @src: copied, except for proto, which becomes @name. @os NULL: the origin has no
 * number. */
OWNED struct origin *origin_new(
    struct origins *os, const struct route_source *src, const char *name);
/* origin_free - free the root @o, and its branches, a grace period later. */
void origin_free(TAKE struct origin *o);
/* origin_ref_live - take a reference. Returns: false: the origin is being freed.
 * origin_put - drop a reference. Any thread. */
static inline struct origin *
origin_root_of(const struct origin *o)
{
	return o->root ? o->root : (struct origin *)(uintptr_t)o;
}

static inline bool
origin_ref_live(struct origin *o)
{
	return counter32_add_unless_zero(&origin_root_of(o)->refs, 1);
}

static inline void
origin_put(TAKE struct origin *o)
{
	struct origin *root = origin_root_of(o);

	if (counter32_sub_acq_rel(&root->refs, 1) == 1)
		origin_free(root);
}

/* origin_through - the origin of routes of @o after a pipe read them from @left. The
 * caller holds a reference to @o; the call takes none. NULL: no number is left. Any
 * thread. */
struct origin *origin_through(struct origin *o, const struct table *left);
/* origin_passed - true: the way has a pipe that read from @t. */
bool origin_passed(const struct origin *o, const struct table *t);
/* origin_find - the origin with number @id, which is counted. */
struct origin *origin_find(const struct origins *os, uint32_t id);

/* ---- feeders ---- */

/* The table's counters of a feeder; imp_ counters start at each REC_UP. Written by the
 * table's thread, except counts_filtered; read by any thread. */
struct feeder_stats {
	struct counter64 imported, filtered, preferred;
	struct counter64 stale,
	    stale_filtered; /* parts of imported + filtered, and of filtered */
	struct counter64 imp_upd_accepted, imp_upd_ignored, imp_wd_accepted,
	    imp_wd_ignored;
	/* 1: `net limit` refused a path since the limit last changed */
	struct counter64 net_refused;
	/* 1: the receive limit counts filtered paths (feeder_count_filtered) */
	struct pub32 counts_filtered;
};

/* Calls of the table to a feeder. Constant. In the table's thread; the feeder lives. */
struct feeder_ops {
	/* limit - @l was crossed. The callee counts the crossing if a report is
	 * recent. */
	void (*limit)(struct feeder *f, enum limit_kind k, const struct conf_limit *l);
	/* refused - routes that a limit kept out may enter now. @kept: the table has all
	 * these routes as filtered paths. */
	void (*refused)(struct feeder *f, bool kept);
	/* limit_kept_out - the net @n with path identifier @rid is refused, for a reason
	 * of REASON_AT_LIMIT. limit_kept_in - after a limit_kept_out: the net is
	 * accepted, or was withdrawn (@n NULL: all nets). anew - a session begins: no
	 * net is kept out. */
	void (*kept_out)(
	    struct feeder *f, enum reason r, const struct nlri *n, uint32_t rid);
	void (*kept_in)(struct feeder *f, const struct nlri *n, uint32_t rid);
	void (*anew)(struct feeder *f);
};

/* Crossings of one limit. Owner: the table; of an export limit the session. */
struct limit_count {
	struct counter32 crossed; /* the session reads */
	uint32_t posted; /* number of the latest message about the limit */
	bool logged; /* a message was posted since the limit was set */
};

/* Number of paths (of all epochs) of a feeder in each chunk of net ids; 4 octets a chunk.
 * A larger array replaces the array; the old array is freed a grace period later. */
struct feeder_chunks {
	struct rcu_node rcu;
	uint32_t cnt;
	struct pub32 paths[];
};

/* The way of records to the table. Both sides write. Owner: the session and the table.
 * Life: as the feeder. */
struct feeder_queue {
	struct pub32 queued; /* 1: in the table's list of feeders with records */
	struct pub32 behind; /* 1: records found no room on the ring */
	struct pubptr active_next;
};

/* Epochs of the paths: present and stale paths. rib/table/feeder.c. Owner: the table.
 * Life: as the feeder. */
struct feeder_epoch {
	uint32_t now : EPOCH_BITS;
	uint32_t since; /* epochs begun while the feeder had dead paths */
	uint8_t kept; /* number of earlier epochs whose paths live as stale paths */
	bool overdue; /* stale paths are overdue (overdue.c) */
	struct pub64 pub; /* now and kept, for readers: feeder_epochs */
};

/* Numbers of paths. rib/table/path_count.c. Owner: the table. Life: as the feeder. */
struct feeder_counts {
	uint32_t paths; /* of all epochs; 0 is needed to detach */
	uint32_t live, live_filtered; /* of the present and the kept epochs */
	uint32_t stale, stale_filtered; /* of the kept epochs */
};

/* Limits of routes. rib/table/feeder_limit.c. Owner: the table. Life: as the feeder. */
struct feeder_limit {
	struct conf_limit import, receive;
	bool import_hit, receive_hit;
	/* refused: a limit kept routes out since the limit last changed; blocked: the
	 * limit kept such routes as filtered paths */
	bool refused, blocked;
	bool net_refused; /* `net` kept paths out since it last changed */
	uint32_t net; /* paths of one net; 0: no limit */
	uint64_t net_logged_ns; /* time of the last log line; 0: never */
	struct limit_count count[LIMIT_KINDS];
};

/* The shared state of a source and its table. Embedded in struct channel, or in its
 * creator. */
struct feeder {
	struct pub32 id; /* NO_FEEDER until the table has attached the feeder */
	struct table *table;
	struct ring ring; /* records for the table */
	struct feeder_queue queue;
	struct worker *worker; /* the worker that brings routes */
	const struct path_order *order; /* equal for all feeders of a kind */
	/* place of the instance (nest/rib/table/path_tie.h); constant when attached */
	uint64_t place;
	const struct feeder_ops *ops;
	struct feeder_stats *stats;
	/* constant: routes that import policy or a limit refuses stay as filtered
	 * paths */
	bool keeps_filtered;
	struct pubptr facts; /* struct origin *: of the present incarnation */
	/* written by the session: number of the last handled message about the limit;
	 * after it the table may post the next (nest/channel/import/channel_limit.c) */
	struct pub32 limit_quiet[LIMIT_KINDS];
	/* struct feeder_chunks *; NULL: the feeder never had a path */
	struct pubptr chunks;
	/* NULL: next hops are not looked up. Constant; the contents belong to the
	 * table */
	struct hop_nets *hop_nets;
	/* fields of the table: */
	struct list run_link; /* of feeders with records */
	struct list link; /* of table->feeders.all or table->feeders.detaching */
	struct msg *detach_done;
	struct feeder_epoch epoch;
	bool attached, up;
	bool keeps_out; /* limit_kept_out was called in the present session */
	/* credit for changes that lagging readers tell before the journal
	 * (nest/rib/stream/express.h) */
	struct express_credit express;
	struct feeder_counts cnt;
	struct feeder_limit limit;
};

/* feeder_init - fill in @f except for order, ops and stats. @f is private to the caller.
 * Control worker or the feeder's worker. */
void feeder_init(struct feeder *f, struct table *t, struct worker *w);
/* feeder_counted - number of routes that limit @k (import or receive) counts: stale
 * routes do not count. Any thread; approximate while counters change. */
uint64_t feeder_counted(const struct feeder_stats *st, enum limit_kind k);
/* feeder_fini - free. The feeder was detached, or never attached. */
void feeder_fini(struct feeder *f);
/* feeder_attach - publish @f; other threads may wake its worker, which runs. Feeder's
 * worker, before any record. f->worker gets @done when the table knows the feeder. */
void feeder_attach(struct feeder *f, TAKE struct msg *done);
/* feeder_detach - after REC_DOWN. f->worker gets @done by worker_post when no path is
 * left. Readers may have found @f just before, so the owner frees @f by rcu_free_later
 * only (proto_free). */
void feeder_detach(struct feeder *f, TAKE struct msg *done);
/* feeder_activate - the ring has new records. Feeder's worker. */
void feeder_activate(struct feeder *f);
/* feeder_next - the first net id from @id on whose chunk has paths of @f, up to date with
 * the last returned mark. UINT32_MAX: none. Feeder's worker, or the table. */
uint32_t feeder_next(const struct feeder *f, uint32_t id);
/* feeder_epochs - the value of epoch.pub. epochs_live - true: paths of epoch @e live. */
static inline uint64_t
feeder_epochs(const struct feeder *f)
{
	return (uint64_t)f->epoch.kept << 32 | f->epoch.now;
}

static inline bool
epochs_live(uint64_t epochs, uint32_t e)
{
	return (((uint32_t)epochs - e) & EPOCH_MASK) <= epochs >> 32;
}

/* epochs_stale - true: paths of the live epoch @e are stale. */
static inline bool
epochs_stale(uint64_t epochs, uint32_t e)
{
	return ((uint32_t)epochs & EPOCH_MASK) != e;
}

/* feeder_fresh - number of paths that are not stale. feeder_fresh_imported - without
 * filtered paths. The table. */
static inline uint32_t
feeder_fresh(const struct feeder *f)
{
	return f->cnt.live - f->cnt.stale;
}

static inline uint32_t
feeder_fresh_imported(const struct feeder *f)
{
	return feeder_fresh(f) - (f->cnt.live_filtered - f->cnt.stale_filtered);
}

/* feeder_count_filtered - does the receive limit count filtered paths? A session counts
 * the filtered paths that its own options keep; paths that are kept for a monitor do not
 * count. The feeder's worker; f->stats is set. feeder_counts_filtered - the answer. Any
 * thread. */
static inline void
feeder_count_filtered(struct feeder *f, bool on)
{
	store_relaxed32(&f->stats->counts_filtered, on);
}

static inline bool
feeder_counts_filtered(const struct feeder_stats *st)
{
	return load_relaxed32(&st->counts_filtered);
}

/* feeder_fresh_received - number of paths that are not stale and that the receive limit
 * counts. The table. */
static inline uint32_t
feeder_fresh_received(const struct feeder *f)
{
	return feeder_counts_filtered(f->stats) ? feeder_fresh(f)
						: feeder_fresh_imported(f);
}

/* feeder_through - true: the table has all records of the feeder. The answer covers
 * records that the caller knows of by a message or a grace period, not later records. Any
 * thread, while @f lives. */
bool feeder_through(const struct feeder *f);

/* ---- records ---- */

enum rec_type {
	REC_UP, /* rec->facts (TAKE): a new epoch begins */
	REC_DOWN, /* the epoch ends: all paths are dead */
	/* the epoch ends, but paths stay and are stale, through REC_UP too; paths that
	 * were stale before are dead (RFC 4724, 4.2) */
	REC_AWAY,
	REC_STALE, /* all paths become stale; the session continues (RFC 7313, 4) */
	REC_OVERDUE, /* stale paths are overdue until REC_SWEEP or REC_DOWN */
	REC_SWEEP, /* stale paths are dead */
	REC_ANNOUNCE, /* set, pre, flags, nlri */
	REC_WITHDRAW, /* nlri */
	REC_LIMITS, /* rec->limit: import, receive; rec->prefix_cnt: paths of a net */
	REC_MARK, /* rec->mark: the table has all earlier records */
};

/* A record on the ring; by value. The table owns references of the record after reading
 * it. NLRI_SLACK spare octets stand behind the NLRI. */
struct rec {
	uint8_t type;
	uint8_t flags; /* PATH_FILTERED, REC_* */
	uint16_t nlri_len;
	uint32_t prefix_cnt;
	union {
		struct {
			struct attr_set *set; /* with a reference */
			/* id of an origin, with a reference; 0: the feeder's own
			 * origin */
			uint32_t origin;
		};
		struct origin *facts;
		struct conf_limit limit[2];
		struct table_mark *mark; /* TAKE */
	};
	struct attr_set *pre; /* with a reference; NULL: not kept */
	uint8_t nlri[];
};

/* Flag of a path too: refused by the import filter, kept, never selected. */
#define PATH_FILTERED 0x01
/* From a reload: applies only if the path is the path that went through the policy again.
 * A newer record of the peer may precede this record on the ring. */
#define REC_AGAIN 0x80
/* with REC_AGAIN: the preference differs from the kept path's */
#define REC_PREFER 0x40
/* the nets have path identifiers */
#define REC_IDS 0x20
/* Applies only if the path has the set rec->pre: rec->set replaces that set, and the kept
 * set before policy stays. */
#define REC_MOVE 0x10
/* with REC_MOVE: the replaced set becomes the set before policy (REC_KEEP), or the path
 * keeps no set before policy (REC_FORGET) */
#define REC_KEEP   0x02
#define REC_FORGET 0x04
/* with REC_MOVE: the path becomes filtered, or not, as the record is; the set before
 * policy stays */
#define REC_FLIP (REC_KEEP | REC_FORGET)

/* a scan found the route again: an unchanged route is not counted */
#define REC_SEEN 0x08

#define REC_SLACK    NLRI_SLACK
#define RING_SIZE    32768
#define REC_NLRI_MAX 8192

#endif
