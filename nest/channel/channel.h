/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel connects a protocol instance with a table, for an address family.
 *
 * Import: the protocol passes attributes and prefixes; the channel runs the import
 * filter, interns the result and puts it on the ring to the table. When the ring has no
 * room, channel_import_ready is false and the protocol stops reading its socket;
 * ops->import_ready reports room.
 *
 * Export: the table publishes segments in its journal. channel_export_run reads the
 * segments (nest/rib/read.h), decides once a segment, and passes the results to the
 * channel's sink (nest/channel/export/sink.h). Unsendable changes become dirty bits; the
 * channel reads the state of dirty nets from the table when the sink has room again.
 *
 * Owner: the instance's worker; functions run there unless marked. Life: from channel_new
 * until channel_free, with the instance. Structs without a statement of their own belong
 * to the caller. */
#ifndef TERN_NEST_CHANNEL_CHANNEL_H
#define TERN_NEST_CHANNEL_CHANNEL_H

#include "filter/filter.h"
#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"

struct channel;
struct filter_thread;
struct net;
struct path;
struct sink;
struct table;
struct wire_set;

/* Calls of a channel to its protocol. Constant; called in the instance's worker. */
struct channel_ops {
	/* the remote side is another machine: changed ROAs request routes from it at a
	 * bounded rate, and it gets no routes during recovery (nest/core/recovery.h) */
	bool far;
	/* refresh makes all routes again, with the preference of the configuration:
	 * routes before policy that the table keeps have the old preference, and are not
	 * used */
	bool remakes;
	/* import_ready - the ring has room: continue reading. */
	void (*import_ready)(struct channel *ch);
	/* brought - the channel itself (a reload, changed ROAs or next hops) put routes
	 * into the ring; call channel_idle later to free the ring's memory. NULL: no
	 * call. */
	void (*brought)(struct channel *ch);
	/* limit - a route limit with action restart or disable was crossed. */
	void (*limit)(
	    struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max);
	/* refresh - an import filter changed, and routes before policy are not kept: ask
	 * the peer for all routes. Returns: false: impossible (then the session must
	 * restart). */
	bool (*refresh)(struct channel *ch);
	/* withdraw_stale - the channel is away, its stale routes were decided by an old
	 * policy (@why), and routes before policy are not kept: remove the routes
	 * (channel_down). NULL: the channel is never away. */
	void (*withdraw_stale)(struct channel *ch, const char *why);
	/* slow - the table asks to close the session: the session holds too many ids back
	 * (PR_SLOW). */
	void (*slow)(struct channel *ch);
	/* attached - channel_attach is done. NULL: no call; the instance gets a
	 * message. */
	void (*attached)(struct channel *ch);
	/* detached - channel_detach is done; the channel may be freed with its instance.
	 * NULL: the instance detaches by proto_detach. */
	void (*detached)(struct channel *ch);
};

/* Counters of `show protocols all`. One thread writes each counter, any thread reads.
 * Embedded in the channel. */
struct channel_stats {
	/* written by the session's thread: */
	struct counter64 imp_upd_received, imp_upd_invalid, imp_upd_filtered;
	struct counter64 imp_wd_received, imp_wd_invalid;
	struct counter64 exp_upd_received, exp_upd_rejected, exp_upd_filtered,
	    exp_upd_accepted;
	struct counter64 exp_wd_received, exp_wd_accepted;
	struct counter64 exported; /* nets with a bit in Adj-RIB-Out */
	struct counter64 dirty; /* nets that wait to be sent */
	/* start of the present backlog: unread or unsent changes, or a full sink; 0:
	 * none */
	struct counter64 behind_ns;
	struct counter64 segments, messages_built, messages_sent, decisions;
	struct counter64 import_steps, export_steps; /* of the filters (filter_steps) */
	/* nets sent before their turn, because the session lagged */
	struct counter64 early;
	struct counter64 last_tx_ns; /* when the socket last accepted octets */
	struct feeder_stats in; /* written by the table's thread */
	/* routes kept back, by enum reason: written by the session's thread, reasons of
	 * REASON_AT_LIMIT by the table's thread */
	struct counter64 reason[REASON_CNT];
};

/* A route that a pipe passes on. */
struct passed {
	struct attr_set *set;
	struct origin *origin; /* origin of the route, through this pipe */
};

/* channel_new - make a channel, in cls->make (control worker). The channel uses its table
 * from now on, but the table does not know the channel. @sink: receives routes; NULL: the
 * channel sends nothing. */
OWNED struct channel *channel_new(struct proto *p, const struct conf_channel *cf,
    const struct channel_ops *ops, struct sink *sink);
/* channel_attach - publish the channel at its table, whose other readers may then wake
 * the instance's worker. First action of the worker (nest/channel/instance/proto_run.c).
 * The channel is idle until channel_up, which must follow the answer of the tables. */
void channel_attach(struct channel *ch);
/* channel_is_attached - true: between channel_attach and channel_detach. */
bool channel_is_attached(const struct channel *ch);
/* channel_keep_pre - keep routes before policy (`import table`), besides the routes of
 * `import keep filtered`. If the channel is up or away, earlier routes are not kept; so
 * channel_keeps becomes true with the next session. */
void channel_keep_pre(struct channel *ch, bool on);
/* channel_count_filtered - the receive limit counts refused routes that channel_keep_pre
 * keeps. The receive limit always counts routes of `import keep filtered`. */
void channel_count_filtered(struct channel *ch, bool on);
/* What the peer gets of a net: the best route if allowed; the first allowed route
 * (`secondary`); or all allowed routes (RFC 7911). */
enum channel_gives { GIVES_BEST, GIVES_FIRST, GIVES_ALL };
/* channel_gives - for the present session. Any thread under RCU. */
enum channel_gives channel_gives(const struct channel *ch);
/* channel_set_ids - imported and withdrawn nets have path identifiers (@id_len
 * NLRI_ID_LEN), or none (0). Before channel_up. */
void channel_set_ids(struct channel *ch, unsigned id_len);
/* channel_secondary - the peer gets the first allowed route of each net. Before
 * channel_attach; permanent. */
void channel_secondary(struct channel *ch);
/* channel_lazy - the sink's receiver is not in a hurry: the channel reads rarely, much at
 * a time. Before channel_attach; permanent. */
void channel_lazy(struct channel *ch);
/* channel_eager - from now on the channel reads at once. */
void channel_eager(struct channel *ch);
/* channel_offer_new - add to the complete channel @ch an offer channel that gives @sink
 * the routes that @ch would send if its export filter accepted everything and without an
 * export limit. The offer channel imports nothing, the instance does not list the offer
 * channel, and all calls on @ch apply to both; only `attached`, `detached` and `slow` of
 * @ops are called for the offer channel. If @ch is attached, channel_attach follows, then
 * channel_offer_anew.
 * channel_offer - the offer channel; NULL: none, or unused. Any thread.
 * channel_offer_stop - give the sink no further routes.
 * channel_offer_wake - give the sink routes again.
 * channel_offer_anew - void the contents of the sink; if @ch is up, feed again. The
 * channel calls the sink's `down`, then @ready, and then expects the sink to be ready. */
void channel_offer_new(
    struct channel *ch, const struct channel_ops *ops, struct sink *sink);
struct channel *channel_offer(const struct channel *ch);
void channel_offer_stop(struct channel *ch);
void channel_offer_wake(struct channel *ch, void (*ready)(struct sink *k));
void channel_offer_anew(struct channel *ch, void (*ready)(struct sink *k));
/* channel_free - after ops->detached and a grace period (in cls->free). */
void channel_free(TAKE struct channel *ch);
/* channel_detach - leave the table for good. The channel is down. ops->detached follows
 * by a message. */
void channel_detach(struct channel *ch);

/* channel_up - the session is established. @src: facts of this incarnation (copied; id is
 * filled in; src->proto is p->name). The feed starts: all nets are dirty. The sink is
 * ready. */
void channel_up(struct channel *ch, const struct route_source *src);
/* channel_down - the session ended: its routes leave the table (one message); queue and
 * bits are dropped. */
void channel_down(struct channel *ch);
/* channel_away - the session ended, and its peer restarts: queue and bits are dropped,
 * but the routes stay, stale, until channel_sweep or channel_down. channel_up keeps them
 * stale; a further channel_away removes routes that were stale before (RFC 4724, 4.2). If
 * the peer returns with other facts for best-route selection, the stale routes are
 * removed too. */
void channel_away(struct channel *ch);
/* channel_is_away - true: after channel_away. channel_unsettled - true: the channel is up
 * and waits for routes that the peer must send again after a changed import policy. The
 * remaining routes were decided by the old policy and cannot stay as stale routes. */
bool channel_is_away(const struct channel *ch);
bool channel_unsettled(const struct channel *ch);
/* channel_stale - the channel is up: all routes are stale until imported again (RFC 7313,
 * 4).
 * channel_sweep - remove stale routes. */
void channel_stale(struct channel *ch);
/* channel_long_lived - stale routes get LLGR_STALE and rank last until channel_sweep or
 * channel_down; routes with NO_LLGR are removed (RFC 9494, 4.2; nest/rib/overdue.c).
 * Afterwards channel_away keeps earlier stale routes, and makes all routes long-lived
 * stale. */
void channel_long_lived(struct channel *ch);
void channel_sweep(struct channel *ch);
bool channel_is_up(const struct channel *ch);
/* channel_unsent - lower bound of the number of changed nets that the session has not
 * announced to the peer. */
uint64_t channel_unsent(const struct channel *ch);

/* channel_recovers - during recovery after a restart of the daemon, send nothing, as
 * channels to another machine do (channel_ops.far). Before channel_up. */
void channel_recovers(struct channel *ch, bool on);
/* channel_await - for `show`: recovery waits for the peer (nest/core/recovery.h).
 * channel_recovery - CHANNEL_* bits: the peer is awaited; the channel sends nothing while
 * its family is held back.
 * Any thread. */
void channel_await(struct channel *ch, bool on);
#define CHANNEL_AWAITED 1
#define CHANNEL_HELD    2
uint32_t channel_recovery(const struct channel *ch);

/* ---- import ---- */

/* channel_import_ready - may channel_import be called? After false, ops->import_ready
 * follows. A call of channel_import never fails, but may end readiness. */
bool channel_import_ready(struct channel *ch);
/* channel_import - announce. @data: canonical attribute octets (lib/attr/attr.h); @local:
 * the channel overwrites the preference; @nlri: checked octets of the channel's family,
 * with 16 readable octets behind. */
void channel_import(struct channel *ch, const uint8_t *data, uint32_t len,
    const struct attr_local *local, const uint8_t *nlri, uint32_t nlri_len);
/* channel_import_attrs - channel_import of a whole set (borrowed) with its preference and
 * custom attributes. */
void channel_import_attrs(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len);
/* channel_import_seen - channel_import_attrs of one net found by a scan, perhaps
 * repeatedly: an unchanged route is not counted. channel_table_has - true: the table has
 * the set @set, the result of the import policy, for the net at @nlri. Its worker. */
void channel_import_seen(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len);
bool channel_table_has(const struct channel *ch, const uint8_t *nlri,
    const struct attr_set *set, bool accepted);
/* channel_import_for - later imports have origin @o, which the caller holds; NULL: the
 * channel's own origin. The nets have path identifiers, and each identifier has one
 * origin. */
struct origin;
void channel_import_for(struct channel *ch, struct origin *o);
/* channel_withdraw - withdraw the nets at @nlri. */
void channel_withdraw(struct channel *ch, const uint8_t *nlri, uint32_t nlri_len);
/* channel_pass - announce @set (borrowed), the result of another table's policy; no
 * policy of this channel applies. */
void channel_pass(struct channel *ch, const struct passed *what, const uint8_t *nlri,
    uint32_t nlri_len);
/* channel_import_part - for a ROA or ASPA table, before the first route of complete data:
 * the table does not notify subscribers of a part of the data. May be repeated.
 * channel_import_whole - the data is complete: the table notifies the subscribers. */
void channel_import_part(struct channel *ch);
void channel_import_whole(struct channel *ch);
/* channel_mark - send @m when the table has all records posted so far. */
void channel_mark(struct channel *ch, TAKE struct table_mark *m);
/* channel_import_end - the peer has sent all its routes (End-of-RIB). */
void channel_import_end(struct channel *ch);
/* channel_import_invalid - @cnt routes were dropped before import, for reason @why. */
void channel_import_invalid(struct channel *ch, enum reason why, uint32_t cnt);
/* channel_import_bogus - a route was dropped, since its network cannot have a unicast
 * route. */
void channel_import_bogus(struct channel *ch);
/* channel_refuse - remember for `show route why` that the nets at @nlri were refused.
 * @what: details of the reason; NULL: none. */
void channel_refuse(struct channel *ch, enum reason why, const char *what,
    const uint8_t *nlri, uint32_t nlri_len);

/* ---- export ---- */

/* channel_export_run - send a bounded amount. Only in the worker's run, which then calls
 * channel_listen; when the sink has room again, the protocol calls worker_again. Returns:
 * true: more changes wait, and the sink has room. */
bool channel_export_run(struct channel *ch);
/* channel_lent - a short channel_export_run in a lease (worker_ops.lent): send changes
 * that need no filter run. Returns: true: work is left for the worker's own thread. */
bool channel_lent(struct channel *ch);
/* channel_has_room - true: channel_export_run could send. */
bool channel_has_room(struct channel *ch);
/* channel_listen - after channel_export_run: later publications wake the worker, if the
 * worker can handle them. */
void channel_listen(struct channel *ch);
/* channel_step - first call of the worker's run for @ch: pass wake-ups on to the next
 * readers, finish a detach, and continue the reload, the hops and the recheck. */
void channel_step(struct channel *ch);
/* channel_work_put - a callback that may have run filters ends: return borrowed buffers
 * to the pool. */
void channel_work_put(struct channel *ch);
/* channel_spares_free - at the end; no channel is left. */
void channel_spares_free(struct tern *t);
/* channel_idle - no route came for a while: free the ring's memory. Returns: true: the
 * memory is free. */
bool channel_idle(struct channel *ch);
/* channel_refresh_out - the peer asked for a refresh, or `reload out`: send all routes
 * again. While dirty nets are being sent, the request is remembered and done once
 * afterwards; so the peer may ask freely. Returns: true: the sink's next `synced` ends
 * the refresh. */
bool channel_refresh_out(struct channel *ch);
/* channel_reload_in - pass imported routes through the import filter again: routes kept
 * by the table, else by ops->refresh. Returns: false: both are impossible. */
bool channel_reload_in(struct channel *ch);
/* channel_reload_part, channel_refresh_part - reload or send the nets of @pick only; no
 * effect if the channel is down. Reload returns false if routes are not kept. */
bool channel_reload_part(struct channel *ch, struct net_pick *pick);
void channel_refresh_part(struct channel *ch, struct net_pick *pick);
/* channel_caught_up - true: the sink has been given all published changes, or the channel
 * is down. The state changes in a run of the worker. */
bool channel_caught_up(const struct channel *ch);
/* channel_feeds - true: the channel is up, and a `synced` of its sink is due. */
bool channel_feeds(const struct channel *ch);
/* channel_has_read - true: the channel has read the changes published before the waiting
 * request to the instance (proto_wait.c). */
bool channel_has_read(const struct channel *ch);
/* channel_drain - orders.drains of the instance has changed: imported routes get or lose
 * GRACEFUL_SHUTDOWN and preference 0, and the peer gets all routes with, or without,
 * GRACEFUL_SHUTDOWN (RFC 8326). */
void channel_drain(struct channel *ch);
/* channel_overrides - orders.overrides of the instance has replaced @old (NULL: none):
 * decide the routes again that the change concerns. channel_override_at - the override
 * in force that refuses @net on import or (@export) to the peer; NULL: none.
 * channel_override_accepting - the override in force that accepts @net against the import
 * filter; NULL: none, or a block precedes.
 * channel_import_limit - the import limit in force: of the configuration, or of an
 * override. All three: any thread under RCU. */
struct override;
struct overrides;
void channel_overrides(struct channel *ch, const struct overrides *old);
const struct override *channel_override_at(
    const struct channel *ch, const struct prefix *net, bool export);
const struct override *channel_override_accepting(
    const struct channel *ch, const struct prefix *net);
struct conf_limit channel_import_limit(const struct channel *ch);
/* channel_quarantine - orders.quarantined of the instance has changed: the accepted
 * routes leave or enter selection, and the peer loses or gets all routes.
 * channel_in_quarantine - any thread. */
void channel_quarantine(struct channel *ch);
bool channel_in_quarantine(const struct channel *ch);
/* channel_refresh_in - ask the peer for all routes, even if routes are kept. Returns:
 * false: the peer cannot send them. */
bool channel_refresh_in(struct channel *ch);
/* channel_keeps - true: routes before policy are kept. Worker, or under RCU. */
bool channel_keeps(const struct channel *ch);
/* channel_sink_changed - the sink's rules or encoding changed: decide and send all routes
 * again. */
void channel_sink_changed(struct channel *ch);
/* channel_change - the CONF_CH_* changes that @cmd, a RECONF, makes to this channel.
 * Before proto_adopt_conf. */
uint32_t channel_change(const struct channel *ch, const struct proto_cmd *cmd);
/* channel_reconf - apply the new configuration, after proto_adopt_conf. @change:
 * CONF_CH_* of this channel, without CONF_CH_IMPORT if the instance brings its routes
 * again itself.
 * Returns: false: the import policy changed and only a restart can bring the routes
 * again. */
bool channel_reconf(struct channel *ch, uint32_t change, bool soft);

/* ---- reading, any thread under RCU ---- */

/* channel_reply - the channel in the reply of `show protocols all`: an object of the open
 * list. */
void channel_reply(const struct channel *ch, struct reply *r);
/* channel_reply_limit - limit @l, if configured; @label: in the text; @now: counted
 * routes. */
void channel_reply_limit(struct reply *r, const char *key, const char *label,
    const struct conf_limit *l, uint64_t now);

/* Columns of the counts of changes. CHANGE_NONE, CHANGE_NEVER - in place of a count: no
 * such count; the text has "---" or 0. */
enum change_count {
	CHANGE_RECEIVED,
	CHANGE_REJECTED,
	CHANGE_FILTERED,
	CHANGE_IGNORED,
	CHANGE_ACCEPTED,
	CHANGE_COUNTS
};
#define CHANGE_NONE  UINT64_MAX
#define CHANGE_NEVER (UINT64_MAX - 1)
/* channel_reply_changes - a row of counts. @label: the beginning of the row of text. */
void channel_reply_changes(struct reply *r, const char *key, const char *label,
    const uint64_t cnt[CHANGE_COUNTS]);

/* The state of a session for decisions in other threads. Immutable; published while the
 * session is up. */
struct export_view;
/* channel_would_export - would the channel send the route @r to its peer? Decided in the
 * caller's thread. @r: of channel_from. *@out: a reference to the sent set (only if 1).
 * Returns: 1: yes; 0: the export filter refuses; -EPERM: the rules refuse; -ENOENT: the
 * route is in the base of the channel's table, but not in the table; -ENOTCONN: the
 * session is down. */
int channel_would_export(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct route_view *r, struct attr_set **out);
/* channel_would_send - channel_would_export, and -EMSGSIZE: no message can hold the
 * route. */
int channel_would_send(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct route_view *r, struct attr_set **out);
/* channel_exported - channel_would_export for the channel's worker. */
int channel_exported(
    struct channel *ch, const struct route_view *r, struct attr_set **out);
/* channel_merged - sink_written_ops.merged; NULL also for a sink that does not merge. */
OWNED struct attr_set *channel_merged(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct net *n, struct attr_set *set);

/* The reason that keeps a route from a channel's peer. */
struct export_why {
	enum reason reason; /* REASON_NONE: the route is allowed */
	const struct filter *filter; /* the refusing filter; NULL: none */
	const char *said; /* texts printed by the filter's last run; "": none */
	bool failed; /* a run-time error refuses, the last text of `said` */
	const char *file; /* place in the filter; NULL: unknown */
	uint32_t line;
	struct filter_decided by; /* the return that led to the place */
	uint32_t reads; /* FILTER_READ_* of the filters that ran */
};

/* channel_why - channel_would_export with the reason. Borrowed under RCU; `said` until
 * the next run of @ft. */
void channel_why(const struct channel *ch, struct filter_thread *ft, struct arena *a,
    const struct route_view *r, struct export_why *why);

/* channel_rejects - recently refused imports of the channel that the table does not have:
 * refused by checks and the import filter, or (@limits) by limits, as noted by the table;
 * NULL: none. Any thread under RCU. */
struct reject_memory;
const struct reject_memory *channel_rejects(const struct channel *ch, bool limits);
/* channel_limit_kept - true: the export limit keeps @id from the peer. @id: a net, or a
 * path if the peer gets all paths. Any thread under RCU. */
bool channel_limit_kept(const struct channel *ch, uint32_t id);
/* channel_added_comms - the communities that @e adds to its base, as text separated by
 * blanks. */
struct attr_edit;
struct strbuf;
void channel_added_comms(struct strbuf *b, const struct attr_edit *e);

/* channel_keeps_import, channel_keeps_export - true: the channel has an import table, an
 * export table. channel_announced - for a channel with an export table: the set announced
 * for @id, a net, or a path if the peer gets all paths; NULL: none. Any thread under
 * RCU. */
bool channel_keeps_import(const struct channel *ch);
bool channel_keeps_export(const struct channel *ch);
const struct wire_set *channel_announced(const struct channel *ch, uint32_t id);
/* channel_failure - why the remote side refused the announced net @id: a kernel may
 * refuse a route. REASON_NONE: not refused, or unknown. Any thread under RCU. */
enum reason channel_failure(const struct channel *ch, uint32_t id);
/* channel_failures - number of announced nets that the remote side refused. Any thread
 * under RCU. */
uint32_t channel_failures(const struct channel *ch);
/* channel_nlri - the net with @id, held by the sink. Its worker. */
struct nlri channel_nlri(const struct channel *ch, uint32_t id);

/* channel_gives_before - for GIVES_FIRST: true: the channel would send a route of @n
 * before @p, and so not @p. */
bool channel_gives_before(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct net *n, const struct path *p);

/* channel_seems_up - true: the channel has published a session that is up. */
bool channel_seems_up(const struct channel *ch);
/* channel_rules_allow - true: the rules, without the export filter, allow @r. */
bool channel_rules_allow(const struct channel *ch, const struct route_view *r);
/* channel_exports - true: the channel has a sink. Constant. */
bool channel_exports(const struct channel *ch);

/* channel_adopt - the channel's part of proto_adopt_conf. */
void channel_adopt(struct channel *ch, const struct conf_channel *cf);

/* channel_debug - trace DEBUG_* @mask instead of the configured value.
 * channel_debug_configured - trace as configured. Control worker, under RCU. */
void channel_debug(struct channel *ch, uint32_t mask);
void channel_debug_configured(struct channel *ch);

/* channel_source_id - number of the channel in its table (path_src); UINT32_MAX: not
 * attached.
 * Any thread. */
uint32_t channel_source_id(const struct channel *ch);
/* channel_through - feeder_through of the channel. Any thread under RCU. */
bool channel_through(const struct channel *ch);
/* channel_facts - facts of the present or the last session, known to the table; NULL: no
 * session yet. Any thread under RCU. */
const struct route_source *channel_facts(const struct channel *ch);

/* Accessors; the struct is private to nest/channel (channel_priv.h). */
struct channel *channel_next(const struct channel *ch);
struct proto *channel_proto(const struct channel *ch);
enum family channel_family(const struct channel *ch);
const struct conf_channel *channel_conf(
    const struct channel *ch); /* owner, or under RCU */
const char *channel_name(const struct channel *ch);
struct table *channel_table(const struct channel *ch);
/* channel_from - the table whose routes the channel exports: its table, or the base of an
 * overlay (nest/rib/table/overlay.h). */
struct table *channel_from(const struct channel *ch);
struct channel_stats *channel_stats(struct channel *ch);
const struct channel_stats *channel_stats_get(const struct channel *ch);
/* channel_queued - octets of received routes that the table has not taken yet. Any
 * thread. */
uint32_t channel_queued(const struct channel *ch);
/* channel_preferred - number of the channel's routes that are best of their nets; in an
 * overlay, also better than the routes of the base. Any thread under RCU. */
uint64_t channel_preferred(const struct channel *ch);

#endif
