/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sinks: the receivers of decided routes, provided by a protocol whose channels export.
 *
 * The channel reads the table, applies the rules and the filter once a segment, and calls
 * the sink: announce, withdraw, flush. The sink makes messages to a peer, records for
 * another table, or routes of a kernel, and remembers the nets that the remote side
 * holds: one bit a net, changed when a call takes the net.
 *
 * G1  A segment and its caches are borrowed until flush returns; the cursor moves
 *     afterwards. If a call gives only some nets of a segment, their octets are valid for
 *     the call.
 * G2  Between two flushes, calls come in the order of changes: a later call is newer.
 *     Between two calls of parts_done, nets may come in any order, each net once.
 * G3  Rules are immutable, and used by any thread under RCU.
 *
 * All remaining calls come in the worker of the channel's instance. Another thread may
 * run that worker in a lease (worker_ops.lent): a sink must not depend on the thread.
 *
 * Owner of a sink: the instance that embeds the sink. Life: as the instance. */
#ifndef TERN_NEST_CHANNEL_EXPORT_SINK_H
#define TERN_NEST_CHANNEL_EXPORT_SINK_H

#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/stream/segment.h"

struct channel;
struct export_view;
struct filter_thread;
struct net;
struct sink;

enum export_verdict { EXPORT_REJECT, EXPORT_ACCEPT, EXPORT_PER_NET };

/* The input of a decision. On the stack of the caller. */
struct export_question {
	const struct export_view *v; /* view of the channel */
	struct table *table;
	struct channel *ch; /* the deciding channel, in its worker; or NULL */
	struct filter_thread *ft; /* NULL: the channel's */
	struct arena *arena;
	struct segment *seg; /* NULL: the route belongs to no segment */
	const struct prefix *net; /* NULL: all nets of seg, and its memo may be used */
	const struct fnet *what; /* of a net other than a prefix; else NULL */
	struct attr_set *set; /* before the filter */
	const struct route_source *facts; /* facts of the source */
	const struct origin *origin; /* NULL: the origin is gone */
	uint32_t src;
	uint8_t marks; /* seg_class.marks */
	uint8_t lists; /* the SEG_LISTS bits of the set */
	bool quiet; /* filters do not write to the log */
};

/* The result of the export policy. Owner: the caller, on the stack; the caller drops the
 * reference `held`. */
struct export_answer {
	enum export_verdict verdict;
	struct attr_set *set; /* the set to send */
	struct attr_set *held; /* reference of the answer to a set; NULL: none */
	bool ruled; /* refused by rules, not by the filter */
	bool absent; /* the route is not in the channel's table, an overlay */
	/* encoding, for the sink. Equal sets with equal ways are equal to the peer */
	uint8_t way;
	uint8_t reason; /* enum reason of a refusal; 0: none */
	uint8_t reads; /* FILTER_READ_* of the filters that ran for the answer */
};

/* The rules of a sink. Each sink's own struct begins with this struct. Immutable; freed
 * with the channel's view. */
struct sink_rules {
	/* Bits of a segment's form that decide whether the rules leave the route
	 * unchanged without a look at the set (SEG_UNIFORM must be set, and no other
	 * bit). 0: never */
	uint8_t uniform;
	/* the way of a route depends on its source, not only on its set */
	bool by_source;
};

/* Some nets of a segment, or of no segment. Life: one call. */
struct sink_nets {
	const struct seg_run *run;
	uint32_t run_cnt, cnt; /* cnt: nets */
	const uint8_t *nlri; /* of all nets, in equal order */
	uint32_t nlri_len;
};

/* sink_nets_all - all nets of @s, borrowed. */
static inline struct sink_nets
sink_nets_all(const struct segment *s)
{
	return (struct sink_nets){ segment_runs(s), s->run_cnt, s->nets.cnt,
		segment_nlri(s), s->nlri_len };
}

/* Result of announce. */
enum sink_took {
	SINK_TAKEN,
	/* impossible to send: withdrawn by the channel if necessary, and logged by the
	 * sink; counts as a refusal by rules, with the sink's `reason`. For single nets
	 * the sink may find out only after SINK_TAKEN (but see no_promise); then the sink
	 * withdraws and counts */
	SINK_REFUSED,
	/* no room now: the channel later gives the nets' state again. room is 0 until
	 * then */
	SINK_LATER,
};

/* A run of segments that may all be sent unchanged. Life: one call. */
struct sink_run {
	struct segment *const *s;
	unsigned cnt, seen; /* seen >= cnt: entries of s, for prefetching */
	uint8_t uniform; /* s->form & uniform must equal SEG_UNIFORM */
	uint32_t not_src; /* s->src must differ */
	size_t limit; /* stop when sink->queued reaches it */
	uint32_t nets; /* set: nets of handled segments */
};

/* The rules of the remote side. Constant. */
struct sink_policy_ops {
	/* rules - the present rules; the channel frees them by mem_free(MEM_PROTO). */
	OWNED struct sink_rules *(*rules)(const struct sink *k);
	/* forbids - enum reason to refuse a route before any filter runs; 0: none. Only
	 * for routes with marks. NULL: never refuses. settle - after the filter: complete
	 * or refuse the acceptance *@a. Any thread. */
	uint8_t (*forbids)(const struct sink_rules *r, uint8_t marks);
	void (*settle)(const struct sink_rules *r, const struct export_question *q,
	    struct export_answer *a);
	/* packs - for operators: enum reason for which an acceptance after settle cannot
	 * be sent; 0: none. @nlri: the net, without a path identifier. NULL: never. Any
	 * thread. */
	uint8_t (*packs)(const struct sink_rules *r, const struct export_question *q,
	    const struct export_answer *a, const uint8_t *nlri, uint32_t len);
	/* refused - settle refused the net at @nlri: log at a bounded rate. NULL: no
	 * log. */
	void (*refused)(
	    struct sink *k, const uint8_t *nlri, const struct export_answer *a);
};

/* The memory of announcements, an export table. Constant. */
struct sink_memory_ops {
	/* holds_same - only if `knows`: number of the nets of @s for which the remote
	 * side holds exactly the announcement of the acceptance @a. */
	uint32_t (*holds_same)(struct sink *k, const struct segment *s,
	    const struct seg_run *run, uint32_t run_cnt, const struct export_answer *a);
	/* announced - only if `knows`: the set announced for @id; NULL: none. Any thread,
	 * under RCU. */
	const struct wire_set *(*announced)(const struct sink *k, uint32_t id);
	/* rename - from `renamed` on, the state of @id belongs to @to; ids that were not
	 * renamed then have no state. No announcements come between the two calls; `down`
	 * cancels. */
	void (*rename)(struct sink *k, uint32_t id, uint32_t to);
	void (*renamed)(struct sink *k);
};

/* A sink that writes routes of its own making, and learns later that the remote side
 * refused a route: a kernel. Constant. */
struct sink_written_ops {
	/* merged - for a merging sink: the merge of @set, the exported set of the best
	 * route of @n, with the routes behind it. NULL: unchanged. Any thread, under
	 * RCU. */
	OWNED struct attr_set *(*merged)(const struct sink *k, struct filter_thread *ft,
	    struct arena *a, const struct net *n, struct attr_set *set);
	/* failure - why the remote side refused the announced net @id; REASON_NONE: not
	 * refused. failures - number of refused nets. Any thread, under RCU. */
	enum reason (*failure)(const struct sink *k, uint32_t id);
	uint32_t (*failures)(const struct sink *k);
};

/* What every sink does. Constant. */
struct sink_ops {
	/* room - free room in units of `queued`; 0: none. The protocol calls worker_again
	 * when there is room again. */
	size_t (*room)(struct sink *k);
	/* run - announce leading segments that would be SINK_TAKEN, skipping segments
	 * with changes only behind the best routes (SEG_BEHIND). Returns: number of
	 * handled segments; whole, with their own sets. NULL: never. */
	unsigned (*run)(struct sink *k, struct sink_run *r);
	/* announce - @n NULL: all nets of @s. */
	enum sink_took (*announce)(struct sink *k, struct segment *s,
	    const struct sink_nets *n, const struct export_answer *a);
	/* withdraw - withdraw the given nets that the remote side holds. Returns: number
	 * of withdrawn nets. @s: the withdrawing or refused segment; NULL: none. @n NULL:
	 * all nets of @s. */
	uint32_t (*withdraw)(
	    struct sink *k, struct segment *s, const struct sink_nets *n);
	/* parts_done - after announcements and withdrawals of single nets. */
	void (*parts_done)(struct sink *k);
	/* flush - pass queued changes to the remote side, or keep them; then `queued` is
	 * 0. If the remote side is lost, channel_down follows later from the protocol's
	 * own event. */
	void (*flush)(struct sink *k);
	/* synced - all routes that existed at the start of a feed or refresh were
	 * given. */
	void (*synced)(struct sink *k);
	/* holds - number of nets in the range that the remote side holds. */
	uint32_t (*holds)(const struct sink *k, uint32_t id, uint32_t cnt);
	/* down - the remote side is gone, with its state. */
	void (*down)(struct sink *k);
	const struct sink_policy_ops *policy; /* NULL: no rules */
	/* NULL: `knows` is never set, and the channel never follows the base of a
	 * table */
	const struct sink_memory_ops *memory;
	const struct sink_written_ops *written; /* NULL: never refuses, never merges */
};

/* Embedded in the instance of the protocol, which owns the sink. */
struct sink {
	const struct sink_ops *ops;
	struct channel *ch; /* set by channel_new */
	/* able to take all paths of a net. Before channel_new; constant */
	bool can_all;
	/* takes all paths: ids are path ids, and NLRI have the path id before each prefix
	 * (nest/rib/stream/segment.h, SEG_PATHS). Before channel_up */
	bool all;
	struct arena *arena; /* for one callback; set by channel_new */
	/* announce must decide about single nets at once too: the channel can send
	 * another route of the net. Set before channel_attach */
	bool no_promise;
	/* 1: the sink remembers each net's announcement (an export table). Set before
	 * channel_up, or before channel_refresh_out, which fills the memory. Other
	 * threads read */
	struct pub32 knows;
	/* the sink itself looks behind the best route of a net (`merge paths`), and gets
	 * a net again after changes there. Before channel_new; constant */
	bool merges;
	/* The remote side gets only the wire set: sets that differ only in local
	 * attributes (preference, gateway, destination, custom attributes) are equal to
	 * it. Before channel_new; constant */
	bool wire_only;
	uint32_t held; /* nets held by the remote side */
	size_t queued; /* units handled since the last flush */
	uint8_t reason; /* of the last SINK_REFUSED: enum reason */
};

static inline bool
sink_knows(const struct sink *k)
{
	return load_relaxed32(&k->knows);
}

#endif
