/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A channel: one family of one protocol instance, bound to one table. It lives in the
 * instance's worker.
 *
 * Import: the protocol gives attributes and prefixes; the channel runs the import filter,
 * interns the result and puts it on the ring to the table. When the ring has no room,
 * channel_import_ready is false and the protocol stops reading its socket;
 * ops->import_ready tells when to go on.
 *
 * Export: the table publishes segments in its journal. channel_export_run reads them
 * (nest/rib/read.h), decides once a segment, and hands what comes of it to the channel's
 * sink (nest/channel/sink.h). What can't be sent now becomes dirty bits; the state of
 * dirty nets is read from the table when the sink has room again. */
#ifndef TERN_NEST_CHANNEL_H
#define TERN_NEST_CHANNEL_H

#include "lib/mt/atomic.h"
#include "lib/net/prefix.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "nest/rib/reason.h"
#include "nest/rib/source.h"
#include "nest/rib/reason.h"

struct channel;
struct filter_thread;
struct net;
struct path;
struct sink;
struct table;
struct wire_set;

/* What a protocol gives to its channels. Constant; called in the instance's worker. */
struct channel_ops {
	/* the other side is another machine: changed ROAs don't ask it for routes too
	 * often, and it gets none while we recover (nest/recovery.h) */
	bool far;
	/* import_ready - the ring took all: reading may go on. */
	void (*import_ready)(struct channel *ch);
	/* brought - by itself (a reload, changed ROAs or next hops) it has put routes
	 * into the ring, whose memory is due back later (channel_idle). NULL: not
	 * wanted. */
	void (*brought)(struct channel *ch);
	/* limit - a route limit with action restart or disable was crossed. */
	void (*limit)(
	    struct channel *ch, enum limit_action a, enum limit_kind k, uint32_t max);
	/* refresh - an import filter changed and pre-policy routes aren't kept: ask the
	 * peer to send all again. Returns: false: it can't (then the session has to
	 * restart). */
	bool (*refresh)(struct channel *ch);
	/* withdraw_stale - of a channel that is away: its stale routes were decided by a
	 * policy that has changed since (@why), and aren't kept as they came: they are to
	 * go (channel_down). NULL: it is never away. */
	void (*withdraw_stale)(struct channel *ch, const char *why);
	/* slow - the table asks to close this session: it holds too much back (PR_SLOW).
	 */
	void (*slow)(struct channel *ch);
	/* attached - channel_attach is done. NULL: only the instance needs to know. */
	void (*attached)(struct channel *ch);
	/* detached - channel_detach is done; the channel may be freed with its instance.
	 * NULL: the instance detaches by proto_detach. */
	void (*detached)(struct channel *ch);
};

/* Counters of `show protocols all`, each written by one thread, read by any. */
struct channel_stats {
	/* written by the session's thread */
	struct counter64 imp_upd_received, imp_upd_invalid, imp_upd_filtered;
	struct counter64 imp_wd_received, imp_wd_invalid;
	struct counter64 exp_upd_received, exp_upd_rejected, exp_upd_filtered,
	    exp_upd_accepted;
	struct counter64 exp_wd_received, exp_wd_accepted;
	struct counter64 exported; /* nets whose Adj-RIB-Out bit is set */
	struct counter64 dirty; /* nets that wait to be sent */
	/* since when something waits to be read or sent, or the sink is full; 0: it isn't
	 * behind */
	struct counter64 behind_ns;
	struct counter64 segments, messages_built, messages_sent, decisions;
	/* nets that were sent before their turn, since the session lagged */
	struct counter64 early;
	struct counter64 last_tx_ns; /* when the socket last took octets */
	struct feeder_stats in; /* written by the table's thread */
	/* routes that were kept back, by enum reason: written by the session's thread,
	 * but those of REASON_AT_LIMIT by the table's */
	struct counter64 reason[REASON_CNT];
};

/* What a pipe passes on. */
struct passed {
	struct attr_set *set;
	struct origin *origin; /* where it comes from, through this pipe */
};

/* channel_new - in cls->make (control worker). Its table lives from now on; nobody finds
 * the channel there yet.
 * @sink: where routes go; NULL: nothing is ever sent. */
OWNED struct channel *channel_new(struct proto *p, const struct conf_channel *cf,
    const struct channel_ops *ops, struct sink *sink);
/* channel_attach - to its table, whose other readers may wake the instance's worker from
 * now on. The first thing that worker does (nest/channel/instance/proto_run.c). Idle
 * until channel_up, which has to wait for proto_attached. */
void channel_attach(struct channel *ch);
/* channel_is_attached - has channel_attach been done, and not channel_detach? */
bool channel_is_attached(const struct channel *ch);
/* channel_keep_pre - keep routes as they were before policy (`import table`), besides
 * what `import keep filtered` keeps. If the channel is up or away, those that have come
 * before lack it, so channel_keeps says so only of its next session. */
void channel_keep_pre(struct channel *ch, bool on);
/* What the peer of a channel gets of a net: its best route if it may have that, the first
 * that it may have (`secondary`), or all that it may have (RFC 7911). */
enum channel_gives { GIVES_BEST, GIVES_FIRST, GIVES_ALL };
/* channel_gives - of the present session. Any thread under RCU. */
enum channel_gives channel_gives(const struct channel *ch);
/* channel_set_ids - nets come with path identifiers (@id_len NLRI_ID_LEN) or without (0)
 * in all that the protocol imports and withdraws. Before channel_up. */
void channel_set_ids(struct channel *ch, unsigned id_len);
/* channel_secondary - the peer gets the first route of each net that it may have, not the
 * best or nothing. Before channel_attach, for good. */
void channel_secondary(struct channel *ch);
/* channel_lazy - nobody waits for what it gives to its sink: it reads now and then, much
 * at a time. Before channel_attach, for good. */
void channel_lazy(struct channel *ch);
/* channel_eager - it reads at once from now on. */
void channel_eager(struct channel *ch);
/* channel_new_beside - when all is said of @ch: a second channel, which gives to @sink
 * what @ch would give to its own if the export filter accepted everything and there were
 * no export limit. It imports nothing, its instance doesn't list it, and whatever is done
 * with @ch is done with it, too; but its session's end alone is told to @ops, by
 * `attached` and `detached`, and that it is slow. If @ch is attached already,
 * channel_attach follows, and channel_beside_anew when that is done.
 * channel_beside - it; NULL: there is none, or it rests. Any thread.
 * channel_beside_rest - its sink is to be given nothing any more.
 * channel_beside_wake - the sink is to be given routes again.
 * channel_beside_anew - all that its sink holds is lost; if @ch is up it begins anew. The
 * sink is told of the first (down), and is to be ready for the second when @ready is
 * called between them. */
void channel_new_beside(
    struct channel *ch, const struct channel_ops *ops, struct sink *sink);
struct channel *channel_beside(const struct channel *ch);
void channel_beside_rest(struct channel *ch);
void channel_beside_wake(struct channel *ch, void (*ready)(struct sink *k));
void channel_beside_anew(struct channel *ch, void (*ready)(struct sink *k));
/* channel_free - after ops->detached and a grace period (in cls->free). */
void channel_free(TAKE struct channel *ch);
/* channel_detach - for good; must be down. ops->detached follows by a message. */
void channel_detach(struct channel *ch);

/* channel_up - the session is established. @src: facts of this incarnation (copied; id is
 * filled in; src->proto is p->name). The feed starts: all nets are dirty. Its sink is
 * ready. */
void channel_up(struct channel *ch, const struct route_source *src);
/* channel_down - the session is gone: its routes leave the table (one message), queue and
 * bits drop. */
void channel_down(struct channel *ch);
/* channel_away - the session is gone, and its peer restarts: queue and bits drop, but its
 * routes stay until channel_sweep, or channel_down. They are stale: channel_up keeps them
 * so, but those that were stale before a channel_away go (RFC 4724, 4.2). If the peer
 * comes back with other facts by which routes are chosen they go, too. */
void channel_away(struct channel *ch);
/* channel_is_away - since channel_away. channel_unsettled - a channel that is up waits
 * for routes that the peer is to send again, since the import policy has changed. The old
 * policy has decided all others: they can't stay as stale routes. */
bool channel_is_away(const struct channel *ch);
bool channel_unsettled(const struct channel *ch);
/* channel_stale - all routes of a channel that is up are stale from now on, until they
 * are imported again (RFC 7313, 4). channel_sweep - what is stale goes. */
void channel_stale(struct channel *ch);
/* channel_long_lived - what is stale gets LLGR_STALE and ranks last until channel_sweep
 * or channel_down; what has NO_LLGR goes (RFC 9494, 4.2). From then on a channel_away
 * keeps what was stale before, and the rest becomes like that. */
void channel_long_lived(struct channel *ch);
void channel_sweep(struct channel *ch);
bool channel_is_up(const struct channel *ch);
/* channel_unsent - how many nets have changed of which the peer hasn't been told, at
 * least. */
uint64_t channel_unsent(const struct channel *ch);

/* channel_recovers - after a restart of ours it sends nothing until that is over, as one
 * to another machine does (channel_ops.far). Before channel_up. */
void channel_recovers(struct channel *ch, bool on);
/* channel_await - after a restart of ours, is its peer waited for (nest/recovery.h)? To
 * be shown. channel_recovery - the same, and whether it sends nothing,
 * while its family is held back; any thread. */
void channel_await(struct channel *ch, bool on);
#define CHANNEL_AWAITED 1
#define CHANNEL_HELD    2
uint32_t channel_recovery(const struct channel *ch);

/* ---- import ---- */

/* channel_import_ready - may channel_import be called? If not, ops->import_ready will
 * tell. One call never fails; it may end readiness. */
bool channel_import_ready(struct channel *ch);
/* channel_import - announce. @data: canonical attribute octets (lib/attr/attr.h); @local:
 * preference is overwritten by the channel's; @nlri: checked octets of this channel's
 * family, with 16 readable octets behind. */
void channel_import(struct channel *ch, const uint8_t *data, uint32_t len,
    const struct attr_local *local, const uint8_t *nlri, uint32_t nlri_len);
/* channel_import_attrs - the same of a whole set (borrowed), preference and custom
 * attributes included. */
void channel_import_attrs(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len);
/* channel_import_seen - the same of one net that a scan has found, and maybe finds again
 * and again: nothing is counted unless the table has something else. channel_table_has -
 * has it @set, the outcome of the import policy, for the net at @nlri? Its worker. */
void channel_import_seen(
    struct channel *ch, struct attr_set *pre, const uint8_t *nlri, uint32_t nlri_len);
bool channel_table_has(const struct channel *ch, const uint8_t *nlri,
    const struct attr_set *set, bool accepted);
/* channel_import_for - what is imported from now on comes from @o, which the caller
 * holds; NULL: from the channel's own source again. Its nets have path identifiers, and
 * each of these has one origin. */
struct origin;
void channel_import_for(struct channel *ch, struct origin *o);
/* channel_withdraw - the reverse. */
void channel_withdraw(struct channel *ch, const uint8_t *nlri, uint32_t nlri_len);
/* channel_pass - announce @set (borrowed), which another table's policy has left so: none
 * of this channel's is asked. */
void channel_pass(struct channel *ch, const struct passed *what, const uint8_t *nlri,
    uint32_t nlri_len);
/* channel_import_part - of a ROA or ASPA table: before the first of what belongs
 * together: those whose filters ask the table aren't told of a part of it. May be called
 * again. channel_import_whole - that was all: they are told now. */
void channel_import_part(struct channel *ch);
void channel_import_whole(struct channel *ch);
/* channel_mark - it is sent when all that was posted so far is in the table. */
void channel_mark(struct channel *ch, TAKE struct table_mark *m);
/* channel_import_end - the peer has sent all that it had (End-of-RIB). */
void channel_import_end(struct channel *ch);
/* channel_import_invalid - @cnt routes were dropped before import, for reason @why. */
void channel_import_invalid(struct channel *ch, enum reason why, uint32_t cnt);
/* channel_import_bogus - one was dropped since no unicast route can have its network. */
void channel_import_bogus(struct channel *ch);
/* channel_refuse - the nets at @nlri were, and show route why tells it. @what: more about
 * the reason; NULL: nothing. */
void channel_refuse(struct channel *ch, enum reason why, const char *what,
    const uint8_t *nlri, uint32_t nlri_len);

/* ---- export ---- */

/* channel_export_run - do a bounded amount of sending. In the worker's run only, which
 * calls channel_listen after it; when the sink has room again a protocol calls
 * worker_again. Returns: true if there is more to do and room for it. */
bool channel_export_run(struct channel *ch);
/* channel_lent - as channel_export_run, short, in a lease (worker_ops.lent): what can be
 * sent without running a filter.
 * Returns: true if something is left for the worker's own thread. */
bool channel_lent(struct channel *ch);
/* channel_has_room - would channel_export_run have room to send? */
bool channel_has_room(struct channel *ch);
/* channel_listen - after channel_export_run: what is published from now on wakes the
 * worker, if that can do anything with it. */
void channel_listen(struct channel *ch);
/* channel_wake - first thing in the worker's run: pass wake-ups on. */
void channel_wake(struct channel *ch);
/* channel_rest - a callback that may have run filters ends: what it borrowed goes back,
 * for others. */
void channel_rest(struct channel *ch);
/* channel_spares_free - at the end; no channel is left. */
void channel_spares_free(struct tern *t);
/* channel_idle - nothing has come for a while: give the ring's memory back. Returns: is
 * it gone? */
bool channel_idle(struct channel *ch);
/* channel_refresh_out - the peer asked for a refresh, or `reload out`: send all again.
 * While dirty nets are being sent that is remembered, and done once after it: the peer
 * may ask as often as it likes. Returns: is the sink's next `synced` the end of it? */
bool channel_refresh_out(struct channel *ch);
/* channel_reload_in - pass the imported routes through the import filter again: from what
 * the table keeps, else by ops->refresh. Returns: false if neither is possible. */
bool channel_reload_in(struct channel *ch);
/* channel_reload_part, channel_refresh_part - likewise with the networks of @pick alone;
 * of one that isn't up nothing. Reload: returns false if they aren't kept. */
bool channel_reload_part(struct channel *ch, struct net_pick *pick);
void channel_refresh_part(struct channel *ch, struct net_pick *pick);
/* channel_is_level - is nothing but what is published from now on left for the sink, or
 * is the channel down? It becomes so in a run of its worker. */
bool channel_is_level(const struct channel *ch);
/* channel_feeds - is it up, and a `synced` of its sink due? */
bool channel_feeds(const struct channel *ch);
/* channel_has_read - all that was published when who waits for its instance asked
 * (proto_wait.c)? */
bool channel_has_read(const struct channel *ch);
/* channel_refresh_in - ask the peer for all its routes, also where they are kept.
 * Returns: false: it can't send them. */
bool channel_refresh_in(struct channel *ch);
/* channel_keeps - are routes kept as they were before policy? Worker, or under RCU. */
bool channel_keeps(const struct channel *ch);
/* channel_sink_changed - the sink's rules, or how it sends, are others now: all is
 * decided and sent again. */
void channel_sink_changed(struct channel *ch);
/* channel_change - what @cmd, a RECONF, changes of this channel: CONF_CH_*. Before
 * proto_adopt_conf. */
uint32_t channel_change(const struct channel *ch, const struct proto_cmd *cmd);
/* channel_reconf - cf has been replaced (proto_adopt_conf did it); @change: CONF_CH_* of
 * this channel, without CONF_CH_IMPORT if the instance brings its routes anew by itself.
 * Returns: false: the import policy changed and routes can be had again only by a
 * restart. */
bool channel_reconf(struct channel *ch, uint32_t change, bool soft);

/* ---- reading, any thread under RCU ---- */

/* channel_show - the lines of `show protocols all` for this channel. channel_json - the
 * same as an object in the list that is open. */
void channel_show(const struct channel *ch, struct strbuf *out);
void channel_json(const struct channel *ch, struct json *j);

/* channel_show_limit - the lines of @l, if there is a limit; @name: with a colon; @now:
 * routes that count. */
void channel_show_limit(
    struct strbuf *out, const char *name, const struct conf_limit *l, uint64_t now);
/* channel_json_limit - the same as member @key. */
void channel_json_limit(
    struct json *j, const char *key, const struct conf_limit *l, uint64_t now);

/* What `show route export P` needs of a session. Immutable; published while the session
 * is up. */
struct export_view;
/* channel_would_export - would @net with @set from @src be sent to this channel's peer?
 * Decided in the caller's thread. *@out: a reference on the set as it would be sent (only
 * if true). Returns: 1 yes, 0 the export filter refuses it, -EPERM: the rules around it
 * do, -ENOENT: it is in the base of the channel's table, but not in that, -ENOTCONN: the
 * session isn't up. @r: of channel_from. */
int channel_would_export(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct route_view *r, struct attr_set **out);
/* channel_would_send - as channel_would_export; -EMSGSIZE: no message can hold it. */
int channel_would_send(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct route_view *r, struct attr_set **out);
/* channel_exported - as channel_would_export, in the channel's worker. */
int channel_exported(
    struct channel *ch, const struct route_view *r, struct attr_set **out);
/* channel_merged - as sink_ops.merged; NULL where nothing is merged, too. */
OWNED struct attr_set *channel_merged(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct net *n, struct attr_set *set);

/* What keeps a route from a channel's peer. */
struct export_why {
	enum reason reason; /* REASON_NONE: it may go */
	const struct filter *filter; /* which refuses it; NULL: none does */
	const char *said; /* by the filter: texts of its last run; "": nothing */
	const char *file; /* NULL: the filter looks at nothing */
	uint32_t line;
};

/* channel_why - as channel_would_export, with the reason. Borrowed as under RCU; `said`
 * until the next run of @ft. */
void channel_why(const struct channel *ch, struct filter_thread *ft, struct arena *a,
    const struct route_view *r, struct export_why *why);

/* channel_rejects - what was refused of late that came in by the channel, and isn't in
 * the table: by checks and the import filter, or (@limits) by limits, which the table
 * finds; NULL: nothing. Any thread under RCU. */
struct reject_memory;
const struct reject_memory *channel_rejects(const struct channel *ch, bool limits);
/* channel_limit_kept - does the export limit keep @id, a net or, if its peer gets all
 * paths, a path, from the peer? Any thread under RCU. */
bool channel_limit_kept(const struct channel *ch, uint32_t id);
/* channel_added_comms - the communities that @e adds to its base, as text with blanks
 * between them. */
struct attr_edit;
struct strbuf;
void channel_added_comms(struct strbuf *b, const struct attr_edit *e);

/* channel_keeps_import, channel_keeps_export - has it an import table, an export table?
 * channel_said - of one that has: what its peer was told of @id, a net or, if it gets all
 * paths, a path; NULL: nothing. All under RCU, any thread. */
bool channel_keeps_import(const struct channel *ch);
bool channel_keeps_export(const struct channel *ch);
const struct wire_set *channel_said(const struct channel *ch, uint32_t id);
/* channel_failure - why the other side has not taken net @id, which was announced to it:
 * a kernel may refuse a route. REASON_NONE: it has, or that is not known. Any thread
 * under RCU. */
enum reason channel_failure(const struct channel *ch, uint32_t id);
/* channel_failures - how many nets were announced that the other side has not taken. Any
 * thread under RCU. */
uint32_t channel_failures(const struct channel *ch);
/* channel_nlri - what @id stands for, of which its sink holds something. Its worker. */
struct nlri channel_nlri(const struct channel *ch, uint32_t id);

/* channel_gives_before - of such a channel: would a route of @n that stands before @p be
 * sent? Then @p isn't. */
bool channel_gives_before(const struct channel *ch, struct filter_thread *ft,
    struct arena *a, const struct net *n, const struct path *p);

/* channel_seems_up - is its session up, as far as it has published? */
bool channel_seems_up(const struct channel *ch);
/* channel_rules_allow - would @r be sent if the export filter accepted everything? */
bool channel_rules_allow(const struct channel *ch, const struct route_view *r);
/* channel_exports - is there anybody to send routes to? Constant. */
bool channel_exports(const struct channel *ch);

/* channel_adopt - the channel's part of proto_adopt_conf. */
void channel_adopt(struct channel *ch, const struct conf_channel *cf);

/* channel_debug - trace DEBUG_* @mask, whatever is configured. channel_debug_configured -
 * as configured. Control worker, under RCU. */
void channel_debug(struct channel *ch, uint32_t mask);
void channel_debug_configured(struct channel *ch);

/* channel_source_id - its number in its table (path_src); UINT32_MAX: not attached yet.
 * Any thread. */
uint32_t channel_source_id(const struct channel *ch);
/* channel_through - as feeder_through. Any thread under RCU. */
bool channel_through(const struct channel *ch);
/* channel_facts - of its present session, or else of the last one, as its table knows
 * them; NULL: there was none. Any thread under RCU. */
const struct route_source *channel_facts(const struct channel *ch);

/* Accessors; the struct is private to nest/channel (channel_priv.h). */
struct channel *channel_next(const struct channel *ch);
struct proto *channel_proto(const struct channel *ch);
enum family channel_family(const struct channel *ch);
const struct conf_channel *channel_conf(
    const struct channel *ch); /* owner, or under RCU */
const char *channel_name(const struct channel *ch);
struct table *channel_table(const struct channel *ch);
/* channel_from - whose routes go out: its table, or the base below that (nest/rib/
 * overlay.h). */
struct table *channel_from(const struct channel *ch);
struct channel_stats *channel_stats(struct channel *ch);
const struct channel_stats *channel_stats_get(const struct channel *ch);
/* channel_preferred - how many of its routes are the best of their nets, in an overlay
 * also against those of the base. Any thread under RCU. */
uint64_t channel_preferred(const struct channel *ch);

#endif
