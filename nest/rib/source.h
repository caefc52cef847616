/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever brings routes to a table: origins, feeders, and what goes from a feeder to its
 * table.
 *
 * An origin is what is known of where routes come from: the facts of one incarnation of a
 * session. It is immutable, and lives as long as anything tells of it.
 *
 * A feeder is a way into a table: a ring, and what the table keeps of those who fill it
 * (epoch, limits, counts). A channel has one; whoever has a worker may make more of them,
 * at any time.
 *
 *      feeder_init    whole, and nobody else knows it
 *      feeder_attach  the table is told of it -> done: it has a number
 *                     REC_UP ... records ... REC_DOWN, again and again
 *                     REC_AWAY instead of REC_DOWN: its paths stay, stale, until
 *                     REC_SWEEP or REC_DOWN
 *      feeder_detach  -> its last path has gone, a grace period -> done: nobody finds it
 *                     anew; whoever has found it may look at it for one more grace period
 *
 * Paths of an epoch before the present one are dead, or stale while the feeder keeps that
 * epoch (RFC 4724, RFC 7313): as good as any other, until they are announced again or
 * swept. So all paths of a feeder become stale, or dead, at once; a walk removes the
 * dead ones.
 *
 * The table knows no channel. */
#ifndef TERN_NEST_SOURCE_H
#define TERN_NEST_SOURCE_H

#include "lib/attr/route.h"
#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/mt/ring.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"
#include "nest/rib/stream/express.h"
#include "sysdep/loop/loop.h"

struct feeder;
struct hop_nets;
struct table;
struct table_mark;

#define FEEDER_BITS 18 /* numbers of feeders in paths */
#define FEEDER_MAX  (1u << FEEDER_BITS)
/* a walk removes dead paths long before an epoch's number returns (feeder.since) */
#define EPOCH_BITS 14
#define EPOCH_MASK ((1u << EPOCH_BITS) - 1)
/* no number of a feeder in its table, and no net id */
#define NO_SOURCE UINT32_MAX

/* ---- best-route selection ---- */

/* A candidate of best-route selection. */
struct route_cand {
	const struct attr_set *set;
	const struct route_source *src;
	uint64_t time_cs; /* when it came, by the table's clock */
};

/* The step of a decision at which a route lost. */
struct lost_at {
	enum reason step; /* of REASON_AT_SELECTION */
	bool has_values; /* numbers were compared: */
	uint64_t own, best;
};

/* Kinds of sources. Of two routes with equal preference from different kinds the lower
 * kind is better: the order is that of the kinds' own preferences. */
enum path_kind {
	PATH_KIND_NONE, /* brings no routes */
	PATH_KIND_DIRECT,
	PATH_KIND_STATIC,
	PATH_KIND_BGP,
	PATH_KIND_RPKI,
	PATH_KIND_KERNEL,
};

/* Best-route selection among routes of the same kind of source and of equal preference;
 * table's thread. Constant. */
struct path_order {
	uint8_t kind; /* enum path_kind: there is one order of a kind */
	/* rank - a strict order without MED: < 0 if @a is better. */
	int (*rank)(const struct route_cand *a, const struct route_cand *b);
	/* tied - are @a and @b equal in all that comes before MED? @a ranks before @b. */
	bool (*tied)(const struct route_cand *a, const struct route_cand *b);
	/* select - the best of @cnt (2 or more) tied ones, in the order of rank. Returns:
	 * its index. */
	unsigned (*select)(const struct route_cand *c, unsigned cnt);
	/* merges - may packets go by @b, too, where @a is the best (`merge paths`)? Any
	 * thread. NULL: never. */
	bool (*merges)(const struct route_cand *a, const struct route_cand *b);
	/* med - of @c. *@group: it is compared with those of the same one. NULL: there is
	 * none. */
	uint32_t (*med)(const struct route_cand *c, uint64_t *group);
	/* lowest - can no other take @c out by MED, whatever it has? NULL: that isn't
	 * known. */
	bool (*lowest)(const struct route_cand *c);
	/* lost - for operators: the step at which @c lost against @best. @tied: all that
	 * are tied with @best, with it. Returns: false: by none of these steps. Any
	 * thread. NULL: there are none. */
	bool (*lost)(struct lost_at *at, const struct route_cand *best,
	    const struct route_cand *c, const struct route_cand *tied, unsigned cnt);
};

/* ---- origins ---- */

/* All that are numbered. owner: the daemon. */
struct origins;

/* Where a route comes from, and the way since: a session's origin is the root of a tree,
 * in which each pipe goes on from what it has read to a branch for the table that it was
 * read of. So all whose way from there is the same have the same, whoever brings it.
 *
 * Immutable but for branches. owner: nobody; the root counts all of its tree: for the
 * feeder whose present one it is, for segments, records, and tables that have paths which
 * name one. The tree is freed a grace period after the last reference went. */
struct origin {
	struct rcu_node rcu; /* the root's, as refs */
	struct counter32 refs;
	uint32_t id; /* of all that there are; 0: none */
	struct origin *root; /* NULL: it is the root */
	struct origin *up; /* where the last pipe has read it; NULL: it is the root */
	const struct table *left; /* which table that was; only to be compared */
	struct pubptr branch; /* list by next */
	struct origin *next;
	struct origins *of; /* which number it */
	const struct path_order *order; /* which of its routes is the best */
	unsigned generation; /* how many pipes there are on the way */
	uint32_t incarnation; /* the session's number of it */
	struct route_source src;
	char name[64]; /* the root's */
};

struct origins *origins_new(void);
/* origins_free - after rcu_drain; none is left. */
void origins_free(TAKE struct origins *os);
/* origin_new - a root with one reference; order and incarnation are the caller's to fill
 * in. @src: copied, but proto, which is @name. @os NULL: it has no number. */
OWNED struct origin *origin_new(
    struct origins *os, const struct route_source *src, const char *name);
/* origin_ref_live - one more reference, if it isn't going; origin_put - one less. Any
 * thread. */
bool origin_ref_live(struct origin *o);
void origin_put(TAKE struct origin *o);
/* origin_through - @o, which is counted, as a pipe passes it on that has read it of
 * @left. No reference is taken. NULL: there is no number left. Any thread. */
struct origin *origin_through(struct origin *o, const struct table *left);
/* origin_passed - has it passed a pipe out of @t? */
bool origin_passed(const struct origin *o, const struct table *t);
/* origin_find - by its number, of which the caller knows that it is counted. */
struct origin *origin_find(const struct origins *os, uint32_t id);

/* ---- feeders ---- */

/* What the table counts of a feeder: the imp_ ones since it came up. Written by the
 * table's thread, read by any. */
struct feeder_stats {
	struct counter64 imported, filtered, preferred;
	struct counter64 stale,
	    stale_filtered; /* of imported and filtered; of filtered */
	struct counter64 imp_upd_accepted, imp_upd_ignored, imp_wd_accepted,
	    imp_wd_ignored;
	/* 1: `net limit` has refused a path since the limit was changed */
	struct counter64 net_refused;
};

/* What the table says to a feeder. Constant. Called in the table's thread; the feeder
 * lives. */
struct feeder_ops {
	/* limit - @l was crossed; or count it, if that was told lately. */
	void (*limit)(struct feeder *f, enum limit_kind k, const struct conf_limit *l);
	/* refused - routes that a limit kept out may come now. @kept: the table has all
	 * of them, as filtered ones. */
	void (*refused)(struct feeder *f, bool kept);
	/* kept_out - the net @n with path identifier @rid isn't taken, for a reason of
	 * REASON_AT_LIMIT. kept_in - it is taken now, or was withdrawn (@n NULL: all
	 * were); only after a kept_out. anew - a session begins: nothing is kept out. */
	void (*kept_out)(
	    struct feeder *f, enum reason r, const struct nlri *n, uint32_t rid);
	void (*kept_in)(struct feeder *f, const struct nlri *n, uint32_t rid);
	void (*anew)(struct feeder *f);
};

/* Crossings of one limit. owner: who finds them, the table or, of an export limit, the
 * session. */
struct limit_count {
	struct counter32 crossed; /* the session reads it */
	uint32_t posted; /* number of the latest message about it */
	bool told; /* one was posted since the limit was set */
};

/* How many paths a feeder has among the nets of each chunk of ids (of all epochs).
 * Replaced whole when it grows; 4 octets a chunk. */
struct feeder_chunks {
	struct rcu_node rcu;
	uint32_t cnt;
	struct pub32 paths[];
};

/* What whoever brings routes and the table share. Embedded in struct channel. */
struct feeder {
	struct pub32 id; /* NO_SOURCE until the table has attached it */
	struct table *table;
	struct ring ring; /* records for the table */
	struct pub32 queued; /* 1: in the table's list of feeders with records */
	struct pub32 behind; /* 1: records have found no room on the ring */
	struct pubptr active_next;
	struct worker *worker; /* who brings the routes */
	const struct path_order *order; /* the same for all feeders of a kind */
	/* of the instance (nest/rib/table/path_tie.h); constant when attached */
	uint64_t place;
	const struct feeder_ops *ops;
	struct feeder_stats *stats;
	/* constant: what import policy or a limit refuses stays, and is shown as such */
	bool keeps_filtered;
	struct pubptr facts; /* struct origin *; of the present incarnation */
	/* the session's: the number of the message after which it was quiet again;
	 * another one may come then (nest/channel/import/channel_limit.c) */
	struct pub32 limit_quiet[LIMIT_KINDS];
	struct pubptr chunks; /* struct feeder_chunks *; NULL: it never had a path */
	/* NULL: its next hops aren't looked up. Constant; what it has is the table's */
	struct hop_nets *hop_nets;
	/* the table's */
	struct list run_link; /* of feeders with records */
	struct list link; /* of table->feeders.all or table->feeders.detaching */
	struct msg *detach_done;
	uint32_t epoch : EPOCH_BITS;
	uint32_t since; /* epochs that began while it had dead paths */
	uint8_t kept; /* epochs before it whose paths live, as stale ones */
	struct pub64 epoch_pub; /* both, for readers: feeder_epochs */
	bool attached, up, import_hit, receive_hit;
	bool long_lived; /* its stale paths get LLGR_STALE */
	/* a limit has kept routes out since it was last changed; and has let them be kept
	 * as filtered ones */
	bool refused, blocked;
	bool keeps_out; /* kept_out was told in the present session */
	/* changes that it may make and have them told (nest/rib/stream/express.h) */
	struct express_credit express;
	uint32_t path_cnt; /* of all epochs; 0 lets it be detached */
	uint32_t live_cnt, live_filtered; /* of the present one and those that are kept */
	uint32_t stale_cnt, stale_filtered; /* of those that are kept */
	struct conf_limit import_limit, receive_limit;
	uint32_t net_limit; /* paths of one net; 0: no limit */
	bool net_refused; /* that has kept some out since it was last changed */
	uint64_t net_told_ns; /* when the log was told; 0: not yet */
	struct limit_count limit_count[LIMIT_KINDS];
};

/* feeder_init - @f is whole but for order, ops and stats, and nobody else knows it yet.
 * Control or its worker. */
void feeder_init(struct feeder *f, struct table *t, struct worker *w);
/* feeder_counted - how many routes limit @k, of import or receipt, counts: not the stale
 * ones. Any thread; near the truth while they change. */
uint64_t feeder_counted(const struct feeder_stats *st, enum limit_kind k);
/* feeder_fini - after detaching, or when it was never attached. */
void feeder_fini(struct feeder *f);
/* feeder_attach - others find @f from now on, and may wake its worker, which has been
 * started. Its worker; before any record. f->worker gets @done when the table knows
 * it. */
void feeder_attach(struct feeder *f, TAKE struct msg *done);
/* feeder_detach - after REC_DOWN; f->worker gets @done by worker_post when no path is
 * left. Readers may have looked @f up just before: it is freed by rcu_free_later only
 * (proto_free). */
void feeder_detach(struct feeder *f, TAKE struct msg *done);
/* feeder_activate - records have been committed to the ring. Its worker. */
void feeder_activate(struct feeder *f);
/* feeder_next - the first net id from @id on in whose chunk @f has paths: all that came
 * before a mark that has come back are there. UINT32_MAX: none has. Its worker, or the
 * table. */
uint32_t feeder_next(const struct feeder *f, uint32_t id);
/* feeder_epochs - what epoch_pub says. epochs_live - does a path of epoch @e live by it?
 */
static inline uint64_t
feeder_epochs(const struct feeder *f)
{
	return (uint64_t)f->kept << 32 | f->epoch;
}

static inline bool
epochs_live(uint64_t epochs, uint32_t e)
{
	return (((uint32_t)epochs - e) & EPOCH_MASK) <= epochs >> 32;
}

/* epochs_stale - of one that does: is it stale? */
static inline bool
epochs_stale(uint64_t epochs, uint32_t e)
{
	return ((uint32_t)epochs & EPOCH_MASK) != e;
}

/* feeder_fresh - paths that aren't stale; feeder_fresh_imported - without filtered ones.
 * The table. */
static inline uint32_t
feeder_fresh(const struct feeder *f)
{
	return f->live_cnt - f->stale_cnt;
}

static inline uint32_t
feeder_fresh_imported(const struct feeder *f)
{
	return feeder_fresh(f) - (f->live_filtered - f->stale_filtered);
}

/* feeder_through - is all in the table that was brought until now? Of what its worker has
 * brought since the caller last knew of it (a message, a grace period) nothing is known.
 * Any thread, while @f lives. */
bool feeder_through(const struct feeder *f);

/* ---- records ---- */

enum rec_type {
	REC_UP, /* rec->facts (TAKE): a new epoch begins */
	REC_DOWN, /* the epoch ends: all paths are dead */
	/* the same, but its paths stay and are stale, through REC_UP too; those that were
	 * stale before are dead (RFC 4724, 4.2) */
	REC_AWAY,
	REC_STALE, /* paths are stale from now on; the feeder goes on (RFC 7313, 4) */
	REC_LONG, /* stale paths get LLGR_STALE (RFC 9494), until REC_SWEEP or REC_DOWN */
	REC_SWEEP, /* stale paths are dead */
	REC_ANNOUNCE, /* set, pre, flags, nlri */
	REC_WITHDRAW, /* nlri */
	REC_LIMITS, /* rec->limit: import, receive; rec->prefix_cnt: paths of a net */
	REC_MARK, /* rec->mark: all that came before it is in the table */
};

/* A record on the ring. NLRI_SLACK spare octets stand behind the NLRI. */
struct rec {
	uint8_t type;
	uint8_t flags; /* PATH_FILTERED, REC_* */
	uint16_t nlri_len;
	uint32_t prefix_cnt;
	union {
		struct {
			struct attr_set *set; /* a reference goes with it */
			/* number of one; 0: the feeder's own. A reference goes with it */
			uint32_t origin;
		};
		struct origin *facts;
		struct conf_limit limit[2];
		struct table_mark *mark; /* TAKE */
	};
	struct attr_set *pre; /* a reference goes with it; NULL: none is kept */
	uint8_t nlri[];
};

/* Of a path, too: refused by the import filter; kept, never selected. */
#define PATH_FILTERED 0x01
/* Of a reload: only if the path is still the one that went through the policy again. What
 * came from the peer since may be on the ring before it. */
#define REC_AGAIN 0x80
/* with REC_AGAIN: the preference is another one than that was kept */
#define REC_PREFER 0x40
/* the nets have path identifiers */
#define REC_IDS 0x20
/* Only if the path still has the set rec->pre: that becomes rec->set, and what is kept
 * from before the policy stays. */
#define REC_MOVE 0x10

/* a scan has found it again: the table counts nothing if nothing changes */
#define REC_SEEN 0x08

#define REC_SLACK    NLRI_SLACK
#define RING_SIZE    32768
#define REC_NLRI_MAX 8192

#endif
