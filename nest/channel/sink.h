/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where decided routes go: what a protocol gives to a channel that exports.
 *
 * The channel reads the table, asks the rules and the filter once a segment, and hands
 * what comes of it to its sink: announce, withdraw, flush. What that becomes - messages
 * to a peer, records for another table, routes in a kernel - is the sink's affair, and so
 * is what its other side holds: one bit a net, changed when a call takes the net.
 *
 * G1  A segment and what hangs on it is borrowed until flush returns, and the cursor
 *     moves after that. Where only some of a segment's nets are given, their octets are
 *     good for the call.
 * G2  Between two flushes calls come in the order of what changed: what is given later is
 *     newer, but for nets between two calls of parts_done, none of which comes twice.
 * G3  Rules are immutable, and asked in any thread under RCU.
 *
 * All other calls come in the worker of the channel's instance. That may be lent to
 * another thread meanwhile (worker_ops.lent): nothing is to hang on which thread it
 * is. */
#ifndef TERN_NEST_SINK_H
#define TERN_NEST_SINK_H

#include "lib/attr/route.h"
#include "lib/mt/atomic.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"
#include "nest/rib/stream/segment.h"

struct channel;
struct export_view;
struct filter_thread;
struct net;
struct sink;

enum export_verdict { EXPORT_REJECT, EXPORT_ACCEPT, EXPORT_PER_NET };

/* What a decision is about, and what it may use. */
struct export_question {
	const struct export_view *v; /* the channel's */
	struct table *table;
	struct channel *ch; /* who asks for itself, in its worker; or NULL */
	struct filter_thread *ft; /* NULL: the channel has one */
	struct arena *arena;
	struct segment *seg; /* NULL: the route is of none */
	const struct prefix *net; /* NULL: all nets of seg, and its memo may be used */
	const struct fnet *what; /* of a net that is more than a prefix; else NULL */
	struct attr_set *set; /* before the filter */
	const struct route_source *facts; /* of its source */
	const struct origin *origin; /* where it comes from; NULL: that has gone */
	uint32_t src;
	uint8_t marks; /* SEG_* */
	uint8_t lists; /* of SEG_LISTS, those that the set has */
};

struct export_answer {
	enum export_verdict verdict;
	struct attr_set *set; /* as it goes out */
	struct attr_set *held; /* the answer's reference on a set; NULL: none */
	bool ruled; /* refused by what isn't the filter */
	bool hidden; /* it isn't even in the channel's table, an overlay */
	uint8_t way; /* the sink's: how it goes out. Equal sets in equal ways are equal */
	uint8_t reason; /* enum reason: what keeps it back; 0 if nothing does */
};

/* What a sink asks of routes. A sink's own struct begins with it. Immutable; freed with
 * the channel's view. */
struct sink_rules {
	/* What the rules leave alone goes out as it is, without a look at the set: then
	 * the bits of a segment's form that say whether it may (SEG_PLAIN has to be
	 * there, and no other). Else 0. */
	uint8_t plain;
	/* how a route goes out hangs on its source, not on its set alone */
	bool by_source;
};

/* Some nets of a segment, or of none. */
struct sink_nets {
	const struct seg_run *run;
	uint32_t run_cnt, cnt; /* cnt: nets */
	const uint8_t *nlri; /* of all of them, in the same order */
	uint32_t nlri_len;
};

/* What announce did. */
enum sink_took {
	SINK_TAKEN,
	/* it can't be said: withdrawn by the channel if need be, and told by the sink;
	 * counts as a refusal by rules, for the sink's `reason`. Of single nets that may
	 * come out only after they were taken (but see no_promise); then the sink
	 * withdraws and counts */
	SINK_REFUSED,
	/* no room for it now: the channel gives the nets' state again. room is 0 until it
	 * can take them. */
	SINK_LATER,
};

/* A stretch of segments that may all go as they are. */
struct sink_run {
	struct segment *const *s;
	unsigned cnt, seen; /* seen >= cnt: entries of s, to fetch ahead */
	uint8_t plain; /* s->form & plain has to be SEG_PLAIN */
	uint32_t not_src; /* and s->src another one */
	size_t limit; /* stop at so many in sink->queued */
	uint32_t nets; /* set: of those that were taken */
};

/* Constant. */
struct sink_ops {
	/* room - how much it takes now, in its own measure (`queued`); 0: nothing. The
	 * protocol calls worker_again when that changes. */
	size_t (*room)(struct sink *k);
	/* run - as announce with SINK_TAKEN for as many of the first ones as are like
	 * that, and passing over those in which only routes behind the best changed
	 * (SEG_BEHIND). Returns: how many; those are whole and go with their own sets.
	 * NULL: none ever. */
	unsigned (*run)(struct sink *k, struct sink_run *r);
	/* announce - @n NULL: all nets of @s. */
	enum sink_took (*announce)(struct sink *k, struct segment *s,
	    const struct sink_nets *n, const struct export_answer *a);
	/* withdraw - of those nets the ones that the other side holds. Returns: how many
	 * that were.
	 * @s: the segment that says so, or was refused; NULL: none. @n NULL: all nets of
	 * @s. */
	uint32_t (*withdraw)(
	    struct sink *k, struct segment *s, const struct sink_nets *n);
	/* parts_done - after announcements and withdrawals of single nets. */
	void (*parts_done)(struct sink *k);
	/* flush - give what was taken to the other side, or keep it; then `queued` is 0.
	 * The other side may be lost: channel_down comes later, from the protocol's own
	 * event. */
	void (*flush)(struct sink *k);
	/* synced - all routes that there were when a feed or refresh began are
	 * through. */
	void (*synced)(struct sink *k);
	/* holds - how many of these nets does the other side hold? */
	uint32_t (*holds)(const struct sink *k, uint32_t id, uint32_t cnt);
	/* holds_same - where `knows` is said: of how many of these nets of @s does the
	 * other side hold just what @a, an acceptance, would announce? */
	uint32_t (*holds_same)(struct sink *k, const struct segment *s,
	    const struct seg_run *run, uint32_t run_cnt, const struct export_answer *a);
	/* rename - what the other side holds of @id is what it holds of @to from renamed
	 * on; of ids that weren't renamed it holds nothing then. Nothing is announced
	 * between the two; down forgets it. NULL: its channel never follows the base of a
	 * table. */
	void (*rename)(struct sink *k, uint32_t id, uint32_t to);
	void (*renamed)(struct sink *k);
	/* said - likewise, what was announced of @id; NULL: nothing. Any thread, under
	 * RCU. */
	const struct wire_set *(*said)(const struct sink *k, uint32_t id);
	/* merged - of one that merges: what @set, by which the best route of @n is
	 * exported, becomes with what is behind that one. NULL: it stays. Any thread,
	 * under RCU. */
	OWNED struct attr_set *(*merged)(const struct sink *k, struct filter_thread *ft,
	    struct arena *a, const struct net *n, struct attr_set *set);
	/* failure - why the other side has not taken net @id, which was announced:
	 * REASON_NONE: it has. Any thread, under RCU. NULL: that is never known. */
	enum reason (*failure)(const struct sink *k, uint32_t id);
	/* failures - how many nets these are. NULL where `failure` is. */
	uint32_t (*failures)(const struct sink *k);
	/* down - the other side has gone, with all that it held. */
	void (*down)(struct sink *k);
	/* rules - as they are now; the channel frees them by mem_free(MEM_PROTO). */
	OWNED struct sink_rules *(*rules)(const struct sink *k);
	/* forbids - what keeps the route back before any filter is asked: enum reason, 0:
	 * nothing. Only asked of routes with marks. NULL: nothing ever.
	 * settle - after the filter: what goes out, and does it? *@a is an acceptance;
	 * all changes are to be made in it. Any thread. */
	uint8_t (*forbids)(const struct sink_rules *r, uint8_t marks);
	void (*settle)(const struct sink_rules *r, const struct export_question *q,
	    struct export_answer *a);
	/* packs - for operators: what keeps an acceptance that settle has left from being
	 * told: enum reason, 0: nothing. @nlri: the net, without a path identifier. NULL:
	 * nothing ever. Any thread. */
	uint8_t (*packs)(const struct sink_rules *r, const struct export_question *q,
	    const struct export_answer *a, const uint8_t *nlri, uint32_t len);
	/* refused - settle has refused the net at @nlri: tell the log, now and then.
	 * NULL: nothing is told. */
	void (*refused)(
	    struct sink *k, const uint8_t *nlri, const struct export_answer *a);
};

/* owner: its protocol's instance, in which it is embedded. */
struct sink {
	const struct sink_ops *ops;
	struct channel *ch; /* set by channel_new */
	/* may it take all paths of a net? Before channel_new; constant */
	bool can_all;
	/* does it, each by its id: then the ids of nets here are those of paths, and NLRI
	 * have them before each prefix (nest/rib/stream/segment.h, SEG_PATHS). Before
	 * channel_up */
	bool all;
	struct arena *arena; /* of one callback; set by channel_new */
	/* announce has to say of single nets, too, that they can't be said: the channel
	 * has another route for them. Set before channel_attach */
	bool no_promise;
	/* 1: it remembers what the other side holds of each net (an export table). Set
	 * before channel_up, or before channel_refresh_out, which tells it all. Others
	 * read it */
	struct pub32 knows;
	/* it looks behind the best route of a net by itself (`merge paths`), and is given
	 * a net again when something has changed there. Before channel_new; constant */
	bool merges;
	/* The other side gets the wire set alone: routes whose sets differ only in what
	 * is local (preference, gateway, destination, custom attributes) are the same to
	 * it. Before channel_new; constant */
	bool wire_only;
	uint32_t held; /* nets that the other side holds */
	size_t queued; /* taken since the last flush */
	uint8_t reason; /* of the last SINK_REFUSED: enum reason */
};

static inline bool
sink_knows(const struct sink *k)
{
	return load_relaxed32(&k->knows);
}

#endif
