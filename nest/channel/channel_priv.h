/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a channel. Only files of nest/channel include the header. Owner of the
 * structs: the channel. Life: as the channel, freed with the channel unless a struct
 * says otherwise. Loop: the session's, unless a function says otherwise. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_PRIV_H
#define TERN_NEST_CHANNEL_CHANNEL_PRIV_H

#include "filter/filter.h"
#include "lib/attr/route.h"
#include "lib/base/bitmap.h"
#include "lib/mem/arena.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_nlri.h"
#include "nest/channel/channel.h"
#include "nest/channel/channel_counts.h"
#include "nest/channel/channel_own_priv.h"
#include "nest/channel/export/own_nets.h"
#include "nest/channel/import/kept_set.h"
#include "nest/channel/import/refresh_plan.h"
#include "nest/channel/proto.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/attr/attr_store.h"
#include "nest/rib/nlri.h"
#include "nest/rib/read.h"
#include "nest/rib/source.h"
#include "nest/rib/stream/segment.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "sysdep/loop/loop.h"

struct candidates;
struct roa_affected;
struct watched_nets;

/* State of an up session for `show route export P` and for decisions. Immutable. */
struct export_view {
	struct rcu_node rcu;
	/* NULL: the channel sends nothing, or the sink has no rules */
	const struct sink_policy_ops *policy;
	struct sink_rules *rules; /* owned; NULL: the channel sends nothing */
	/* own id in the table, or id of the pipe that brings the routes there */
	uint32_t src;
	bool over; /* the channel reads the base of its table */
	/* policy for routes of the base; counted; NULL: no route of the base passes */
	struct overlay *overlay;
	/* the policy may change routes and so the best route of a net */
	bool base_rewritten;
	bool drains; /* routes to the peer get GRACEFUL_SHUTDOWN */
	bool quarantined; /* the peer gets no route */
	/* a reference, if overrides keep networks from this peer; else NULL */
	struct overrides *overrides;
	const char *peer; /* name of the instance */
	uint32_t peer_as;
	enum channel_gives gives;
	const struct filter *filter;
	const struct prefix *only_in; /* prefix of exported nets; NULL: all */
	/* sink_rules.uniform, with SEG_LISTS read by filters; 0: not uniform, or a limit
	 * blocks */
	uint8_t uniform;
	struct config_ref *conf; /* counted: owner of the filter */
};

/* Records without room on the ring, in order, until the ring has room. At most one
 * UPDATE's. */
struct pending {
	uint8_t *buf;
	uint32_t len, cap, pos;
};

/* The logged crossings of one limit. */
struct limit_said {
	struct timer timer; /* while it runs, crossings are counted */
	struct channel *ch;
	uint32_t cnt; /* logged crossings of feeder.limit.count */
	uint32_t heard; /* number of the latest message */
	struct conf_limit limit; /* the logged limit */
};

/* Import: the way to the table. */
struct channel_import {
	struct pending pend;
	/* octets of path identifiers before nets (lib/wire/bgp/bgp_nlri.h) */
	uint8_t id_len;
	struct origin *origin; /* channel_import_for */
	bool was_blocked; /* channel_import_ready was false */
	/* routes get the channel's preference, not the protocol's */
	bool prefers;
	bool seen; /* channel_import_seen is running */
	uint32_t reload_nr; /* counts reloads and ends of reloads */
	/* next net id of the reload; NO_ID: no reload */
	uint32_t reload_pos;
	uint32_t reload_rid; /* first path identifier, in a net with many paths */
	bool reload_waits; /* waits for the mark of the reload */
	bool reload_again; /* repeat after the present reload */
	bool overrides; /* overrides are about imported routes */
	/* the reload is the walk of a drain or override: channel_reload_drain */
	bool drain_walks;
	bool drain_lost; /* the walk met paths whose set before the drain is unknown */
	bool unsettled; /* the peer must send all routes again after a changed policy */
	uint32_t part_cnt; /* running reloads of chosen nets */
	struct recheck *recheck; /* nets to decide again after changed ROAs */
	/* ROA or ASPA table: mark of the incomplete data; NULL: none */
	struct table_mark *whole;
	struct refresh_plan plan; /* when to ask the peer for all routes */
	struct timer ask;
	struct conf_limit limit; /* of imported routes, with overrides */
	struct route_source facts; /* facts of the present incarnation */
	struct channel_hops *hops; /* NULL: next hops are not resolved */
};

/* Export: the way to the peer. */
struct channel_export {
	struct export_view *view; /* NULL while down */
	struct pubptr view_pub; /* view, for readers under RCU */
	bool rewrites; /* a filter of this incarnation may have changed sent routes */
	/* `configure soft` changed the export filter: the peer holds results of an old
	 * filter */
	bool soft;
	bool limit_hit; /* the limit was crossed and reported */
	/* the limit kept nets back since it last changed */
	bool limit_blocked;
	struct kept_set kept; /* nets that only the limit keeps back */
	/* for a changed filter: */
	struct export_view *before; /* the view to compare with; NULL: no comparison */
	uint32_t before_pos; /* next net id to compare */
	uint32_t before_since; /* from cuts with all batches up to this number */
	/* nets to send if changed ROAs changed the answer for the peer */
	struct recheck *recheck;
	const struct candidates *cand; /* candidates_choose */
	/* watch_kept while `cand` searches; NULL: only the first candidate of a net
	 * matters */
	struct watched_nets *watch;
	struct watched_nets *watch_kept; /* NULL: no strategy of the channel searches */
	bool first_allowed; /* option `secondary` (candidates_first.c) */
	bool lazy; /* reads only when `turn` fires */
	bool waits, due; /* waits for `turn`; `turn` fired, and segments are unread */
	struct timer turn;
};

/* Borrowed at the first use in a callback, returned by channel_work_put. */
struct channel_work {
	struct filter_thread *ft;
	struct arena arena; /* for one callback */
	struct arena_lender lender; /* lends the chunk of the arena */
};

/* A reader of a channel. */
struct channel_reader {
	struct reader r;
	struct channel *ch;
};

#define OWN_NOTED 8

/* Nets of the present segment of the base whose own routes are OWN_FIRST or OWN_TIED. */
struct own_noted {
	bool all; /* true: the list is complete; false: unknown */
	uint8_t cnt;
	struct own_net {
		uint32_t id;
		enum own_rank rank;
	} net[OWN_NOTED];
};

/* State of a channel on an overlay. */
struct channel_overlay {
	struct channel_reader rd; /* follows the overlay itself */
	/* later: by id, nets of the base with changed own routes. The channel handles
	 * these nets when the reader of the base has caught up, because segments of the
	 * base decide most of the nets */
	struct bitmap later;
	uint32_t later_cnt;
	unsigned waits; /* turns since the first net was added to `later` */
	/* the channel is handling the nets of `later`: the reader is busy */
	bool handles;
	struct pub32 grounded; /* 1: the table became ordinary (channel_ground.c) */
	struct own_noted noted;
	struct own_nets nets; /* all nets that the peer announced in this session */
};

/* Values that the session publishes; any thread reads, pointers under RCU. */
struct channel_published {
	struct pubptr cf; /* const struct conf_channel *: channel.cf */
	struct pubptr from; /* struct table *: channel.from */
	struct pubptr offer; /* struct channel *: offer.ch; NULL also if unused */
	/* new routes are kept before policy; all routes are */
	struct pub32 notes_pre, keeps_pre;
	/* recovering, and whether the peer is awaited, for show: CHANNEL_* */
	struct pub32 recovery;
};

/* The offer channel, without filter and limit. export/channel_offer.c */
struct channel_offer {
	struct channel *ch; /* NULL: none. Stays, once made */
	/* of an offer channel: `of` is the channel that owns this offer channel, and
	 * `like` the configuration of this offer channel. Of another channel both are
	 * NULL */
	const struct channel *of;
	struct conf_channel *like;
	bool unused; /* the offer channel is unused and down */
};

/* The change of a channel whose overlay becomes ordinary. channel_ground.c */
struct channel_ground {
	struct table *base; /* first value of `from`; used until the channel is freed */
	bool waits; /* for the overlay to become ordinary */
	uint32_t pos; /* then: next net id of the base to look up in the table */
};

/* Attachment to the table, incarnations and recovery. channel.c */
struct channel_life {
	bool up;
	uint8_t attached; /* number of its feeder and readers known to the table */
	bool detaching;
	/* the peer restarts and its routes stay: from channel_away to the next channel_up
	 * or channel_down */
	bool away;
	/* send nothing: the daemon has restarted (nest/core/recovery.h) */
	bool recovering;
	/* the channel sends nothing during recovery, as a far channel does
	 * (channel_ops.far) */
	bool recovers;
	uint32_t incarnation; /* counts channel_up; 0: never up */
	/* requests wait until the reader has passed this position of the journal
	 * (proto_wait.c) */
	uint64_t ask_tail;
	struct msg *detach_done; /* waits for pending records */
};

/* Dependence on ROA and ASPA tables. channel_rpki.c */
struct channel_rpki {
	/* a ROA or ASPA table is not ready: accept no routes, send none */
	bool held_in, held_out;
	bool fills_only; /* established: `rpki wait` does not hold the channel */
	struct channel_watch *watch; /* subscriptions to ROA tables of the filters */
};

/* What the log says about the channel. channel_trace.c, import/channel_limit.c */
struct channel_log {
	/* DEBUG_* with SAID: set by an operator instead of cf->debug; 0: not set */
	struct pub32 debug_set;
	/* DEBUG_ROUTES, DEBUG_FILTERS, when channel_trace last read debug_set */
	uint32_t traces;
	struct limit_said limit[LIMIT_KINDS];
};

/* Rejected routes. import/channel_rejects.c, channel_tally.c */
struct channel_rejected {
	/* struct reject_memory *; NULL: none yet. The table's thread has by_limit */
	struct pubptr memory, by_limit, tally[CHANNEL_TALLIES];
};

/* Owner: the worker of its instance; the feeder is shared, and published fields are
 * marked.
 * Life: as the instance. */
struct channel {
	struct feeder ts; /* first: shared with the table */
	/* reader of the table; its dirty nets are the peer's */
	struct reader *rd; /* &best.r or &all->r, chosen in channel_up */
	struct channel_reader best;
	struct channel_reader *all; /* NULL: the sink never takes all paths */
	struct channel *next;
	struct proto *proto;
	const struct conf_channel *cf;
	const struct channel_ops *ops;
	enum family fam;
	enum nlri_kind kind; /* of nets */
	struct table *table;
	/* the table whose routes the channel exports: `table`, or the base of the overlay
	 * `table` (nest/rib/table/overlay.h) */
	struct table *from;
	/* the reader of the overlay `table`; stays when the overlay has become an
	 * ordinary table. NULL: `table` was no overlay */
	struct channel_overlay *over;
	struct sink *sink; /* NULL: the channel sends nothing */
	struct channel_stats stats;

	struct channel_import imp;
	struct channel_export exp;
	struct channel_work work;
	struct channel_life life;
	struct channel_offer offer;
	struct channel_ground ground;
	struct channel_rpki rpki;
	struct channel_log log;
	struct channel_rejected rejected;
	struct channel_published pub;
};

/* channel_is_grounded - true: the channel follows its table, a former overlay. Any
 * thread.
 * channel_is_over - true: the channel follows the base of its table. */
static inline bool
channel_is_grounded(const struct channel *ch)
{
	return ch->over && load_relaxed32(&ch->over->grounded);
}

static inline bool
channel_is_over(const struct channel *ch)
{
	return unlikely(ch->over) && !load_relaxed32(&ch->over->grounded);
}

/* channel_table_reader - the reader of the best routes of the table that the channel
 * exports. */
static inline struct reader *
channel_table_reader(struct channel *ch)
{
	return channel_is_grounded(ch) ? &ch->over->rd.r : &ch->best.r;
}

/* ---- channel_ground.c ---- */
/* channel_ground_begin - @ch has a new configuration: has the overlay become ordinary?
 * channel_ground_step - continue if the pipe has poured. Returns: true: still waiting.
 * channel_ground_end - the session is down: change at once. */
void channel_ground_begin(struct channel *ch);
bool channel_ground_step(struct channel *ch);
void channel_ground_end(struct channel *ch);

/* ---- channel_hops.c ---- */
/* channel_leads - true: routes get hops, from the table or from the link-local next hop,
 * which leads somewhere only over a link. */
static inline bool
channel_leads(const struct channel *ch)
{
	return ch->imp.hops ||
	       ((ch->cf->prefer_local || ch->cf->over_link) && ch->imp.facts.link_if);
}

/* channel_hops_apply - set the hops of a new route, whose base is the received set; only
 * if channel_leads. */
void channel_hops_apply(struct channel *ch, struct attr_edit *e);
/* channel_hops_step - a step of the walk. Returns: true: call again now. */
bool channel_hops_step(struct channel *ch);
/* channel_hops_down - forget all resolutions. */
void channel_hops_down(struct channel *ch);
void channel_hops_free(struct channel *ch);

/* ---- channel_limit.c ---- */
/* channel_limit_init - with the channel. channel_limit_fini - in its worker, when
 * detached. */
void channel_limit_init(struct channel *ch);
void channel_limit_fini(struct channel *ch);
/* channel_feeder_ops - calls of the table to a channel. */
extern const struct feeder_ops channel_feeder_ops;
/* channel_slow_post, channel_progress - reader_ops.slow and progress. */
void channel_slow_post(struct reader *r, uint64_t out_pos, uint64_t at, bool anyway);
uint64_t channel_progress(const struct reader *r);
/* channel_limit_export - feeder_ops.limit, called by the session for the export limit. */
void channel_limit_export(struct channel *ch);
/* channel_limit_renew - the export limit or the session changed. */
void channel_limit_renew(struct channel *ch);

/* ---- channel_view.c ---- */
/* channel_choose - choose strategy and reader for a session that begins, or for a table
 * that became ordinary. */
void channel_choose(struct channel *ch);
/* channel_publish_view - make and publish the view. */
void channel_publish_view(struct channel *ch);
void channel_view_free(TAKE struct export_view *v); /* a grace period later */
/* channel_swap_view - publish a new view, or (@up false) none. Returns: the old view. */
OWNED struct export_view *channel_swap_view(struct channel *ch, bool up);

/* ---- export_decide.c ---- */
/* export_decide - decide about all nets of @seg, an announcement. @r: NULL, or the one
 * net to decide about (then never PER_NET, and without memo). @a: set field by field,
 * because a returned struct is written in parts and copied as a whole, which stalls the
 * processor (5 % of an export). Owner's thread. */
void export_decide(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a);
/* export_decide_here - export_decide of a route after the policy below, if configured. */
void export_decide_here(struct channel *ch, struct segment *seg,
    const struct route_view *r, struct export_answer *a);
/* export_through - true: the net of @r in @seg of the base passes to the table. @a: set
 * and `held` have the result, even if false. */
bool export_through(struct channel *ch, struct segment *seg, const struct route_view *r,
    struct export_answer *a);
/* export_known - true: @seg is a withdrawal, or its answer needs no filter run. */
bool export_known(const struct channel *ch, const struct segment *seg);
static inline void
export_answer_done(struct table *t, struct export_answer *a)
{
	attr_hold_put(table_store(t), &a->held, NULL);
}

/* export_same - true: both views give one answer for the net of @r in @seg. @r NULL: all
 * nets of @seg; only for filters that read nothing of the net. */
bool export_same(struct channel *ch, const struct export_view *old, struct segment *seg,
    const struct route_view *r);

/* export_reads - FILTER_READ_* of all filters of @v. */
static inline uint32_t
export_reads(const struct export_view *v)
{
	return filter_may_read(v->filter) |
	       (v->overlay ? filter_may_read(v->overlay->policy) : 0);
}

/* export_by_net - true: the answer of @v depends on the net. */
static inline bool
export_by_net(const struct export_view *v)
{
	return v->only_in || v->overrides ||
	       (export_reads(v) & (FILTER_READ_NET | FILTER_READ_VOLATILE));
}

/* ---- channel_policy.c ---- */
/* channel_policy_changed - the view @old (TAKE) is replaced: send differing nets. */
void channel_policy_changed(struct channel *ch, TAKE struct export_view *old);

/* ---- channel_compare.c ---- */
/* channel_comparable - true: the filter of @v still gives the answers that the peer
 * holds. */
static inline bool
channel_comparable(const struct export_view *v)
{
	/* Tables and time have changed, and the subscriptions of the old filter may be
	 * gone. */
	return !(export_reads(v) & (FILTER_READ_TABLE | FILTER_READ_VOLATILE)) &&
	       !v->base_rewritten;
}
/* channel_compare_start - the export filter changed: find the nets with different
 * answers. @old: the replaced view (TAKE). */
void channel_compare_start(struct channel *ch, TAKE struct export_view *old);
/* channel_compare_step - continue. Returns: true: call again. */
bool channel_compare_step(struct channel *ch);
void channel_compare_stop(struct channel *ch);

/* ---- watched_nets.c ---- */
/* watched_new - the channel may search from now on. Before channel_attach. watched_free -
 * with the channel. */
void watched_new(struct channel *ch);
void watched_free(struct channel *ch);

/* ---- channel_overlay.c ---- */
extern const struct reader_ops channel_overlay_ops; /* candidates_overlay.c */
/* channel_overlay_new - with the channel, if its table is an overlay.
 * channel_overlay_step - in the worker's run: read changes of the overlay itself. */
void channel_overlay_new(struct channel *ch);
void channel_overlay_step(struct channel *ch);
void channel_overlay_free(struct channel *ch);
/* channel_same_below - true: both views let equal routes of the base pass. */
bool channel_same_below(const struct export_view *a, const struct export_view *b);
/* channel_below_soft - a view replaced @old: the peer may hold results of a softly
 * changed policy below, and a new policy may have to wait for a ROA table. */
void channel_below_soft(struct channel *ch, const struct export_view *old);

/* ---- channel_trace.c ---- */
/* channel_trace_renew - update log.traces; called for each flush and each UPDATE. An
 * offer channel decides without effect. */
static inline void
channel_trace_renew(struct channel *ch)
{
	uint32_t set_mask = load_relaxed32(&ch->log.debug_set);
	uint32_t on = load_relaxed32(&ch->proto->debug);

	on |= set_mask ? set_mask : ch->cf->debug;
	if (!ch->offer.of)
		ch->log.traces = on & (DEBUG_ROUTES | DEBUG_FILTERS);
}
/* channel_trace_import - log accepted, withdrawn or refused nets. Only if ch->traces. */
enum trace_import { TRACE_ADDED, TRACE_REMOVED, TRACE_FILTERED };
void channel_trace_import(
    const struct channel *ch, enum trace_import what, const uint8_t *nlri, uint32_t len);
/* channel_trace_export - before the bits of net @id change. @a: the answer; NULL:
 * withdrawn. @blocked: by the export limit. Only if ch->traces. */
void channel_trace_export(const struct channel *ch, uint32_t id, const uint8_t *nlri,
    const struct export_answer *a, bool blocked);

/* ---- channel_export.c ---- */
extern const struct reader_ops channel_reader_ops;
/* channel_of - the channel of a reader. Any thread. */
static inline struct channel *
channel_of(const struct reader *r)
{
	return container_of((struct reader *)(uintptr_t)r, struct channel_reader, r)->ch;
}

/* channel_holds - reader_ops.holds: number of nets in the range that the peer holds. */
static inline uint32_t
channel_holds(const struct reader *r, uint32_t id, uint32_t cnt)
{
	const struct sink *k = channel_of(r)->sink;

	return k->ops->holds(k, id, cnt);
}

/* channel_room - reader_ops.room. */
size_t channel_room(struct reader *r);
/* channel_readers_start, channel_readers_stop - the session begins, ends. */
void channel_readers_start(struct channel *ch);
void channel_readers_stop(struct channel *ch);

/* channel_make - make a channel that the instance does not list. @of: the channel whose
 * offer channel is made, and whose tables are shared; then in the instance's worker, too.
 * NULL: none. */
OWNED struct channel *channel_make(struct proto *p, const struct conf_channel *cf,
    const struct channel_ops *ops, struct sink *sink, const struct channel *of);

/* ---- channel_work.c ---- */
/* channel_work_init - with the channel; `proto` is set. */
void channel_work_init(struct channel *ch);
struct filter_thread *channel_filter_thread(struct channel *ch);
extern const struct filter_env channel_filter_env;

/* ---- channel_records.c ---- */
/* channel_flush_pending - move pending records to the ring. Returns: true: none is
 * pending. */
bool channel_flush_pending(struct channel *ch);
void channel_post_rec(struct channel *ch, const struct rec *r, const uint8_t *nlri);
/* channel_post_limits - send the limits of the configuration to the table. */
void channel_post_limits(struct channel *ch);

/* ---- channel_import.c ---- */
/* channel_reload_net - pass some hundred paths of this channel in @n through the policy
 * again, from identifier *@rid on (0 at first). Returns: true: more paths, from the new
 * *@rid on; false: *@rid is 0. The arena is reset. */
bool channel_reload_net(struct channel *ch, const struct net *n, uint32_t *rid);

/* ---- channel_reload.c ---- */
/* channel_reload_once_more - channel_reload_in, but a running reload first continues to
 * its end: so repeated requests do not starve the last nets. */
void channel_reload_once_more(struct channel *ch);
/* channel_reload_step - continue a reload. Returns: true: call again now. */
bool channel_reload_step(struct channel *ch);

/* ---- channel_down.c ---- */
/* channel_set_recovering - the channel sends nothing while recovery lasts. */
void channel_set_recovering(struct channel *ch, bool on);

/* ---- channel_recheck.c ---- */
/* channel_recheck_import, export - decide the nets of @h again; export: NULL: all nets.
 * channel_recheck_again - decide all imports again, including refused routes that the
 * table lacks, after @after_ns, the channel's turn. */
void channel_recheck_import(struct channel *ch, struct roa_affected *h);
void channel_recheck_again(struct channel *ch, uint64_t after_ns);
void channel_recheck_export(struct channel *ch, struct roa_affected *h);
/* channel_recheck_part - pass the nets of @pick through the import policy, or send
 * them. */
void channel_recheck_part(struct channel *ch, TAKE struct net_pick *pick, bool import);
/* channel_recheck_step - continue. Returns: true: call again now. */
bool channel_recheck_step(struct channel *ch);
/* channel_recheck_out - send each net whose present answer differs from the peer's state.
 * A running comparison starts again. */
void channel_recheck_out(struct channel *ch);
/* channel_send_missing - send allowed nets that the peer does not hold; held nets stay,
 * since the filter was changed softly. In steps. */
void channel_send_missing(struct channel *ch);
void channel_recheck_stop(struct channel *ch);
/* channel_recheck_stop_out - drop export rechecks: their nets are of another table. */
void channel_recheck_stop_out(struct channel *ch);

/* channel_ids_out - octets before each prefix given to the sink. */
static inline unsigned
channel_ids_out(const struct channel *ch)
{
	return unlikely(ch->sink->all) ? NLRI_ID_LEN : 0;
}

/* ---- channel_send.c ---- */
/* channel_count_refused - count @cnt refused nets. */
static inline void
channel_count_refused(struct channel *ch, const struct export_answer *a, uint32_t cnt)
{
	/* the peer's own route in the base is no route of the overlay */
	if (likely(a->reason) && !(a->absent && a->reason == REASON_OWN))
		counter64_bump(&ch->stats.reason[a->reason], cnt);
	if (unlikely(a->absent))
		return;
	counter64_bump(
	    a->ruled ? &ch->stats.exp_upd_rejected : &ch->stats.exp_upd_filtered, cnt);
}

/* channel_send_run, channel_send_segment, channel_send_gone - reader_ops.run, segment,
 * gone. */
unsigned channel_send_run(
    struct reader *rd, struct segment *const *s, unsigned cnt, unsigned seen);
void channel_send_segment(struct reader *r, struct segment *s, enum read_check check);
void channel_send_gone(struct reader *r, const uint32_t *id, uint32_t cnt);

/* channel_send_announce - announce one net of @s by the acceptance @a. Returns: false:
 * the sink refuses. channel_send_withdraw - the peer gets no route of the net; @a: the
 * decision about @s. channel_send_next - @s is refused, or NULL: send the next allowed
 * candidate. Returns: true: the net is settled. For strategies (candidates.h). */
bool channel_send_announce(struct channel *ch, struct segment *s,
    const struct sink_nets *n, const struct export_answer *a);
void channel_send_withdraw(struct channel *ch, struct segment *s,
    const struct sink_nets *n, const struct export_answer *a);
bool channel_send_next(struct channel *ch, struct segment *s, const struct sink_nets *n);
/* channel_send_now - send the present state of net @id, although a segment may follow;
 * for a strategy that searches. In a turn of the reader, not in a lease. */
void channel_send_now(struct channel *ch, uint32_t id);
#endif
