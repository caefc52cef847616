/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of BGP, its two connections, and the functions of session, listen, monitor
 * and show that work on them. For the files of these four rooms and their tests only.
 *
 * Everything of an instance runs in its worker but bgp_show's functions. A connection
 * that fails inside a channel's call (bgp_out.flush, put) only notes it; the instance
 * acts on it from its timer `soon`, so that no channel is taken down while it calls
 * us. */
#ifndef TERN_PROTO_BGP_BGP_PRIV_H
#define TERN_PROTO_BGP_BGP_PRIV_H

#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_collide.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_nego.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/sock/sock_drops.h"

struct bfd_ask;
struct bgp_session;
struct igp_watch;
struct bgp_listener;

enum bgp_dir { BGP_OUT, BGP_IN };

/* One connection: its machine always, a socket in some states. owner: its session. */
struct bgp_conn {
	struct bgp_session *s;
	uint8_t dir; /* enum bgp_dir */
	uint8_t state; /* enum bgp_state */
	bool with_caps; /* our OPEN had optional parameters */
	bool paused; /* not reading: a channel's ring has no room, or it yields */
	bool failed; /* the last attempt to connect came to nothing */
	uint8_t event; /* enum bgp_event: the last one of its machine */
	bool eof; /* the peer closed; what was read is still being handled */
	uint32_t retry_cnt; /* ConnectRetryCounter */
	uint32_t msg_max; /* what the peer may send: BGP_MSG_MAX or BGP_MSG_EXT_MAX */
	struct sock_tcp sock;
	struct timer hold, keepalive, send_hold;
	uint64_t hold_at_ns; /* when the hold time is over; the timer is moved lazily */
	uint64_t progress_ns; /* when the socket last took octets, or nothing waited */
	/* until when it waits for the other's OPEN; 0: it never had to */
	uint64_t yield_ns;
	struct bgp_tx tx;
	uint8_t *part; /* read, not handled yet; MEM_PROTO */
	uint32_t part_len;
	/* the peer's OPEN, as it came, for monitors; MEM_PROTO; NULL: none yet */
	uint8_t *open;
	uint16_t open_len;
	struct ip_addr local_ip; /* of the socket */
	struct bgp_link link; /* of a direct session, while established */
	/* next to local_ip, of the other family, for its routes; IP_NONE: none, or no
	 * such routes */
	struct ip_addr own;
	struct bgp_open ours, theirs;
	struct bgp_terms terms; /* from OPENCONFIRM on */
};

/* What went wrong, for the NOTIFICATION that event will send. */
struct bgp_fault {
	uint8_t code, subcode;
	uint16_t data_len;
	uint8_t data[BGP_SHUTDOWN_MAX + 1];
	const char *text; /* for the log; NULL: none */
};

enum bgp_error_kind {
	BGP_ERR_NONE,
	BGP_ERR_SENT,
	BGP_ERR_RECEIVED,
	BGP_ERR_SOCKET,
	BGP_ERR_AUTO,
	BGP_ERR_LINK
};

#define BGP_ERROR_TEXT 80

/* Refreshes with begin and end (RFC 7313), by FAM_BIT. owner: the session;
 * bgp_refreshes.c. */
struct bgp_refreshes {
	uint8_t coming; /* the peer has begun: what it hasn't sent again is stale */
	struct timer timer; /* it should have ended */
	uint32_t late; /* how often that was put off */
	uint8_t fed; /* the first End-of-RIB is out: not to begin before it */
	uint8_t going; /* we have begun */
	uint8_t asked; /* when what goes out now is through, begin (again) */
};

struct bgp_snap; /* bgp_snap_priv.h */
struct sock_ao;

/* What stays while the peer restarts. owner: the session; bgp_restart.c. */
struct bgp_restart {
	/* FAM_BIT of each family with stale routes: the peer is away, or is back and
	 * hasn't sent them all again */
	uint8_t stale;
	uint8_t llgr; /* of these: they are long-lived stale (RFC 9494) */
	uint8_t may_llgr; /* they may become that */
	/* the event under way is a Hard Reset (RFC 8538) of either side: nothing stays */
	bool hard;
	uint32_t llgr_s[FAM_CNT]; /* for so long */
	struct timer timer; /* of those that aren't */
	uint32_t late; /* how often it was put off */
	struct bgp_long_timer {
		struct timer timer;
		uint32_t late;
		struct bgp_session *s;
	} llgr_timer[FAM_CNT];
	struct counter64 show_llgr_ns[FAM_CNT]; /* when it fires; 0: it doesn't run */
	struct counter64 show_ns; /* when, while the peer is away; 0: it isn't */
};

/* A NOTIFICATION that went one way or the other. */
struct bgp_told {
	bool sent;
	uint8_t code, subcode; /* 0: none */
};

/* Of our own restart. owner: the session; bgp_recovery.c. */
struct bgp_recovery {
	uint8_t awaited; /* FAM_BIT of each family of which all is waited for */
	/* the peer may have kept what it was told before; it hasn't come since */
	bool keeps;
	bool forwards; /* the same, since the last session; we haven't restarted */
	bool leaves; /* the daemon ends, and comes back: nothing is said of that */
};

/* Of a session with a password or keys. owner: the session; bgp_unanswered.c. */
struct bgp_unanswered {
	struct timer timer; /* the next look */
	struct sock_drops drops; /* at the last one */
	bool connecting; /* we were, then */
	bool said; /* in the log, since the session was last up */
};

struct monitor_life;
struct monitor_octets;

/* What a peer gets, for monitors: what is sent, and what would be without policy. */
enum bgp_mon_rib { MON_RIB_SENT, MON_RIB_OFFER, MON_RIB_CNT };

/* One of these. by place in the list of monitors: who wants it; and is told now all of
 * it, from net (or path) `pos` of family `fam` on, whenever `again` fires */
struct bgp_mon_out {
	uint32_t wants, again_for;
	uint32_t pos, fam;
	struct timer again;
};

/* What monitors are told. owner: the session; bgp_mon.c. */
struct bgp_mon {
	struct monitor_life *life; /* of the present session; NULL: nobody knows of it */
	uint32_t seen_nr; /* of the list of monitors that was looked at last */
	/* by place in that list: who wants UPDATEs; who has lost some, and was told so
	 * after so many takes (monitor.takes) */
	uint32_t wants, lost, lost_at[32];
	uint32_t ends; /* likewise: who wants to know of End-of-RIB */
	struct bgp_mon_out out[MON_RIB_CNT];
	struct timer late; /* bgp_offer.c: a monitor had no room */
	/* how the session ends: enum bmp_down_reason, and the NOTIFICATION; MEM_PROTO */
	uint8_t why;
	uint16_t last_len;
	uint8_t *last;
};

/* An instance. owner: its worker, but for what is marked. */
struct bgp_session {
	struct proto p; /* first */
	struct bgp_conn conn[2];
	struct bgp_conn *est; /* the established one */
	struct channel *chan[FAM_CNT]; /* NULL: not configured */
	struct igp_watch *igp[FAM_CNT]; /* NULL: no next hops are looked up */
	struct bgp_sink sink[FAM_CNT]; /* where their routes go */
	/* where they would go without policy, for monitors; NULL: no one has wanted to
	 * know yet */
	struct bgp_sink *offer[FAM_CNT];
	struct bgp_listener *listener; /* constant; a reference until bgp_listen_leave */
	uint64_t order; /* constant; lower than those of instances that were made later */
	struct counter32 offered; /* connections on their way from the listener: 0 or 1 */
	struct timer retry; /* ConnectRetryTimer, of conn[BGP_OUT] */
	struct timer idle_hold; /* IdleHoldTimer: waiting after an error */
	/* feed_active: the ring's memory goes back when nothing comes */
	struct timer idle;
	struct timer unsent; /* bgp_unsent.c */
	bool unsent_said;
	struct bgp_unanswered unanswered;
	struct bgp_restart restart;
	struct bgp_refreshes refreshes;
	struct bgp_recovery recovery;
	struct bgp_mon mon;
	struct timer soon; /* session_settle: what must not happen inside a call */
	struct bgp_backoff backoff;
	struct list lingering; /* bgp_linger.c */
	uint64_t jitter; /* state of the random numbers for timers */
	struct bgp_fault fault; /* of the event under way */
	uint32_t wait_s, retry_s; /* what idle_hold and retry were last started with */
	uint64_t started_ns; /* when it last began to look for its peer; 0: not yet */
	bool enabled; /* told to be up */
	bool disabled; /* told to be down, or by a limit */
	bool deleting;
	bool registered; /* at the listener */
	bool leaving; /* has asked the listener to forget it; the answer is due */
	bool no_caps; /* the peer refused optional parameters: next OPEN without */
	bool no_damp; /* the event under way is no reason to wait */
	bool resume; /* a channel is ready again: go on reading */
	/* bgp_neigh.c: the link was lost; the peer was on an interface, lately */
	bool waits_link, link_ready;
	uint32_t link_if; /* of the interface that the session depends on; 0: none */
	uint64_t active_ns; /* when a route last came or went */
	uint64_t invalid_log_ns; /* when an invalid route was last logged */
	/* session_log: the lines so far count until then, one a second */
	uint64_t log_until_ns;
	uint32_t log_lost; /* lines left out since the last one */
	/* routes refused since the session came up, as they had an AS_SET; shown */
	struct counter64 as_sets;
	uint8_t attached; /* channels not yet detached */
	uint8_t stop_code; /* BGP_EC_*: close, from session_settle; 0: no */
	bool stop_disable; /* and stay down */
	bool stop_limit; /* a route limit asked for it */
	uint8_t stop_len, stop_data[BGP_LIMIT_DATA]; /* what the NOTIFICATION says */
	uint8_t error_kind; /* enum bgp_error_kind */
	char error_text[BGP_ERROR_TEXT];
	char
	    message[BGP_SHUTDOWN_MAX + 1]; /* shutdown communication, or the operator's */
	/* bgp_bfd.c: what it has asked BFD for; NULL: nothing. How many aren't gone */
	struct bfd_ask *bfd;
	uint32_t bfd_asks;
	const struct bgp_conf *bfd_conf; /* by which it was asked; only compared */
	bool way_lost; /* the event under way: the link or BFD's session was lost */
	struct bgp_told told; /* the last NOTIFICATION, if no session was lost since */
	/* published, for bgp_show */
	struct pubptr snap; /* struct bgp_snap * */
	struct pubptr downs; /* struct bgp_downs *: NULL: none yet */
	struct counter64 show_hold_ns, show_keepalive_ns, show_send_hold_ns, show_wait_ns,
	    show_retry_ns; /* when they fire; 0: not running */
	/* the listener's: errno of why its socket, and its password, can't be had; 0 */
	struct pub32 place_err, key_err;
};

static inline const struct bgp_conf *
session_conf(const struct bgp_session *s)
{
	return bgp_conf_of(s->p.cf);
}

/* session_waits - is it the peer that is to connect? A dry run connects to nobody. */
static inline bool
session_waits(const struct bgp_session *s)
{
	return session_conf(s)->passive || session_conf(s)->has_range ||
	       s->p.tern->dry_run;
}

static inline uint32_t
session_router_id(const struct bgp_session *s)
{
	uint32_t own = s->p.cf->router_id;

	return own ? own : load_relaxed32(&s->p.tern->router_id);
}

static inline bool
session_traces(const struct bgp_session *s, uint32_t mask)
{
	return load_relaxed32(&s->p.debug) & mask;
}

/* ---- bgp_report.c ---- */

/* session_log - a line that the peer can cause as often as it likes: so many at once,
 * then one a second; how many were left out is told by the next one. */
void session_log(struct bgp_session *s, enum log_class c, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* session_note - what `Last error` and the info column will say. */
void session_note(struct bgp_session *s, enum bgp_error_kind k, const char *text);

/* session_notify - send the NOTIFICATION of @st, or that of the event under way, and log
 * it. */
void session_notify(struct bgp_conn *c, const struct bgp_step *st);

/* ---- bgp_session.c ---- */

/* session_init - timers and machines; in the instance's worker, before anything else. */
void session_init(struct bgp_session *s);
/* session_start - be up: IDLE connections get their start event, unless an error wait
 * runs. */
void session_start(struct bgp_session *s);
/* session_stop - both connections get ManualStop. @cease: BGP_EC_*; @text: shutdown
 * communication. */
void session_stop(struct bgp_session *s, unsigned cease, const char *text);
/* session_enlist, session_unlist - at the listener, while enabled. */
void session_enlist(struct bgp_session *s);
void session_unlist(struct bgp_session *s);
/* trace_open - for `debug`: @what is "Got" or "Sending". */
void trace_open(const struct bgp_conn *c, const char *what, const struct bgp_open *o);
/* session_event - one event for the machine of @c, and all that follows from it. */
void session_event(struct bgp_conn *c, enum bgp_event e);
/* session_error - note @err and make it an event. */
void session_error(struct bgp_conn *c, enum bgp_event e, const struct bgp_err *err);
/* session_soon - call session_settle from the loop. */
void session_soon(struct bgp_session *s);
/* session_publish - status, info and snapshot. */
void session_publish(struct bgp_session *s);
/* session_stop_forget - what a channel asked for (stop_code) has been done, or isn't to
 * be done any more. */
static inline void
session_stop_forget(struct bgp_session *s)
{
	s->stop_code = s->stop_len = 0;
	s->stop_disable = s->stop_limit = false;
}
/* session_accept - a connection from the listener. @fd: TAKE. */
void session_accept(struct bgp_session *s, TAKE int fd, struct ip_addr local);

/* session_finish - bgp_class.c: let the instance go if nothing holds it any more. */
void session_finish(struct bgp_session *s);

/* ---- bgp_conn.c ---- */

void conn_init(struct bgp_conn *c, struct bgp_session *s, enum bgp_dir dir);
/* conn_connect - start to connect; TCP_ACKED or TCP_FAILS follow as events from the loop.
 */
void conn_connect(struct bgp_conn *c);
/* conn_adopt - use an accepted descriptor. Returns: 0 or negative errno; then it is
 * closed. */
MUST_CHECK int conn_adopt(struct bgp_conn *c, TAKE int fd, struct ip_addr local);
/* conn_close - timers, queue and socket. @linger: last words wait to be written or read.
 */
void conn_close(struct bgp_conn *c, bool linger);
bool conn_has_socket(const struct bgp_conn *c);
/* conn_send - queue one message and write. Errors become events from the loop. */
void conn_send(struct bgp_conn *c, const void *msg, uint32_t len);
/* conn_progress - the socket took octets, or nothing waits: the send hold time begins. */
void conn_progress(struct bgp_conn *c);
/* conn_flush - write what waits; watch for room if some is left. */
void conn_flush(struct bgp_conn *c);
/* conn_deaf - `disable rx`: nothing is read any more. */
static inline bool
conn_deaf(const struct bgp_conn *c)
{
	return c->state == BGP_ESTABLISHED && session_conf(c->s)->disable_rx;
}
/* conn_last_words - read all octets that the kernel holds of @c, whose peer takes no more
 * octets. The last octets may be a NOTIFICATION, whose reason decides whether the peer's
 * routes stay (RFC 8538, 4). */
void conn_last_words(struct bgp_conn *c);
/* conn_resume - go on with what was read before, then with the socket. */
void conn_resume(struct bgp_conn *c);
/* conn_retime - timers by a new configuration. Returns: false: the hold time that was
 * agreed, or is being negotiated, isn't right any more. */
bool conn_retime(struct bgp_conn *c);
/* conn_unread - octets of the peer that we have not handled yet: its hold time must not
 * count. */
bool conn_unread(const struct bgp_conn *c);

/* ---- bgp_rx.c ---- */

/* rx_octets - handle the whole messages of @buf, which has 16 readable octets behind its
 * end. Returns: octets handled; fewer than there are whole messages if a channel has no
 * more room, or if the connection was closed (then conn_has_socket is false or it is
 * another one). */
uint32_t rx_octets(struct bgp_conn *c, const uint8_t *buf, uint32_t len);

/* ---- bgp_feed.c ---- */

extern const struct channel_ops bgp_channel_ops;
extern const struct bgp_out bgp_session_out;
/* ---- bgp_neigh.c ---- */

/* neigh_concerned - as proto_class.concerned. */
bool neigh_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now);
/* neigh_up - the session came up, and depends on the link that its peer is on. */
void neigh_up(struct bgp_session *s);
/* neigh_look - interfaces have changed, or `check link`. Outside of channels' calls. */
void neigh_look(struct bgp_session *s);

/* ---- bgp_feed.c ---- */

/* feed_link - interfaces have changed while the session is up: so may the addresses of
 * its link, and those of ours that are next hops. Its peer is asked for its routes. */
void feed_link(struct bgp_session *s, struct bgp_conn *c);
/* feed_up - the session on @c came up: so do its channels. */
void feed_up(struct bgp_session *s, struct bgp_conn *c);
/* feed_class - the configuration or the link has changed: do messages of family @f look
 * different now, or do other routes go out? */
void feed_class(struct bgp_session *s, enum family f);
/* feed_down - @keep: FAM_BIT of the families whose routes stay. */
void feed_down(struct bgp_session *s, uint8_t keep);
/* feed_took - the socket took octets. */
void feed_took(struct bgp_session *s, uint64_t now_ns);
/* feed_active - routes come. */
void feed_active(struct bgp_session *s);
/* feed_idle_fires - of session->idle. */
void feed_idle_fires(struct timer *t);
/* keys_adopt - of an accepted connection; 0 or negative errno. keys_changed - @old are
 * those of the configuration before. bgp_keys.c */
MUST_CHECK int keys_adopt(struct bgp_session *s, int fd);
void keys_changed(struct bgp_session *s, const struct sock_ao *old);
/* unsent_look - bgp_unsent.c: while the session is up it goes on by itself. */
void unsent_init(struct bgp_session *s);
void unsent_look(struct bgp_session *s);
/* unanswered_begin - it looks for its peer from now on: bgp_unanswered.c. */
void unanswered_init(struct bgp_session *s);
void unanswered_begin(struct bgp_session *s);
/* feed_rest - a callback ends: channel_rest for all channels. */
void feed_rest(struct bgp_session *s);
/* feed_ready - do all channels that are up take routes? */
bool feed_ready(const struct bgp_session *s);

/* ---- bgp_bfd.c ---- */

/* session_bfd - ask BFD for a session, or let it go, as things are now: after whatever
 * may have changed that. session_bfd_look - there is another list of instances of BFD. */
void session_bfd(struct bgp_session *s);
void session_bfd_look(struct bgp_session *s);

/* ---- bgp_mrt.c ---- */

struct bgp_msg;
/* bgp_mrt_message, bgp_mrt_state - for `mrtdump`: @m, which begins at @octets, has come;
 * the state isn't @old any more. */
void bgp_mrt_message(
    const struct bgp_conn *c, const struct bgp_msg *m, const uint8_t *octets);
void bgp_mrt_state(const struct bgp_conn *c, unsigned old);

/* ---- bgp_mon.c ---- */

struct bgp_update;
struct monitor_event;
struct monitor_list;
/* mon_look - there may be new monitors: they are told of the session on @c, which is
 * established. @fresh: it is just coming up. */
void mon_look(struct bgp_conn *c, bool fresh);
/* mon_open - the peer's OPEN is kept. */
void mon_open(struct bgp_conn *c, const struct bgp_msg *m);
/* mon_last - the NOTIFICATION @msg was sent, or has come: a session that ends now ends by
 * that. @why: enum bmp_down_reason. mon_down - it has ended, by the last event of @c. */
void mon_last(struct bgp_conn *c, unsigned why, const uint8_t *msg, size_t len);
void mon_down(struct bgp_conn *c);
/* mon_update_put - @m has been handled, and @u is what is in it. @refused: by its reach,
 * those that were not taken. */
void mon_update_put(struct bgp_conn *c, const struct bgp_msg *m,
    const struct bgp_update *u, unsigned refused);
/* mon_update - the same if anybody monitors. */
static inline void
mon_update(struct bgp_conn *c, const struct bgp_msg *m, const struct bgp_update *u,
    unsigned refused)
{
	if (unlikely(load_relaxed32(&c->s->p.tern->monitors_nr)))
		mon_update_put(c, m, u, refused);
}

/* mon_tell_out - @len octets, whole UPDATEs, go to the peer of @c, or would. mon_out -
 * they go, and does anybody want to know? */
void mon_tell_out(
    struct bgp_conn *c, enum bgp_mon_rib r, const uint8_t *octets, uint32_t len);
static inline void
mon_out(struct bgp_conn *c, const uint8_t *octets, uint32_t len)
{
	if (unlikely(c->s->mon.out[MON_RIB_SENT].wants))
		mon_tell_out(c, MON_RIB_SENT, octets, len);
}
/* mon_list - the present list of monitors, which has been looked at: places in it are
 * those of struct bgp_mon. NULL: there are none. */
const struct monitor_list *mon_list(struct bgp_conn *c);
/* mon_tell - to each of @who (by place in @l), or that they have lost something. For
 * bgp_mon*.c. */
void mon_tell(struct bgp_session *s, const struct monitor_list *l, uint32_t who,
    const struct monitor_event *what);
/* mon_lost - to each of @who: some of what there was to tell can't be told. */
void mon_lost(struct bgp_session *s, const struct monitor_list *l, uint32_t who);

/* ---- bgp_mon_again.c ---- */

/* mon_again - all of @r is told to @who, by place in @l, the list that was just looked
 * at; those that are being told it are of @who. It begins anew for them. */
void mon_again(
    struct bgp_conn *c, const struct monitor_list *l, enum bgp_mon_rib r, uint32_t who);
void mon_again_init(struct bgp_session *s);

/* ---- bgp_mon_conf.c ---- */

/* mon_keeps_pre, mon_keeps_out - has a channel of @c an import table, an export table? */
bool mon_keeps_pre(const struct conf_channel *c);
bool mon_keeps_out(const struct conf_channel *c);
/* mon_reconf - the channel of family @f has its new configuration. mon_channel_up - it is
 * about to come up: what nobody wants any more goes. */
void mon_reconf(struct bgp_session *s, unsigned f);
void mon_channel_up(struct bgp_session *s, unsigned f);

/* ---- bgp_offer.c ---- */

/* offer_init - with the session, in its worker. offer_new - with the channel of family
 * @f. offer_reconf - whether anybody wants to know has changed, maybe. offer_like - after
 * its sink was told how routes go out. offer_free - behind it. */
void offer_init(struct bgp_session *s);
void offer_new(struct bgp_session *s, unsigned f, bool can_all);
void offer_reconf(struct bgp_session *s, unsigned f, bool on, bool can_all);
void offer_like(struct bgp_session *s, unsigned f);
void offer_free(struct bgp_session *s, unsigned f);

/* ---- bgp_recovery.c ---- */

/* recover_join - in class_make: it is waited for, if the daemon has restarted. */
void recover_join(struct bgp_session *s, const struct conf_proto *cf);
/* recover_open - what the OPEN tells of our restart: BGP_OPEN_*. */
unsigned recover_open(const struct bgp_session *s);
/* recover_up - the session on @c is up; its channels as well. recover_through - the peer
 * has sent all its routes of @f. recover_end - it isn't waited for any more. */
void recover_up(struct bgp_session *s, const struct bgp_conn *c);
void recover_through(struct bgp_session *s, unsigned f);
void recover_end(struct bgp_session *s);
/* recover_leave - close as if the connection broke, for good; what the peer has brought
 * stays until PROTO_DELETE. */
void recover_leave(struct bgp_session *s);

/* ---- bgp_refreshes.c ---- */

void refreshes_init(struct bgp_session *s);
/* refreshes_up - a session begins; refreshes_down - it has ended. */
void refreshes_up(struct bgp_session *s);
void refreshes_down(struct bgp_session *s);
/* refreshes_got - a ROUTE-REFRESH of family @f: @kind is a bgp_refresh_kind. */
void refreshes_got(struct bgp_session *s, unsigned kind, unsigned f);
/* refreshes_flush - what is stale goes, as at the end of the refresh. */
void refreshes_flush(struct bgp_session *s);
/* refreshes_synced - all routes of @f are out. Returns: does End-of-RIB say so?
 * refreshes_next - after it. */
bool refreshes_synced(struct bgp_session *s, unsigned f);
void refreshes_next(struct bgp_session *s, unsigned f);

/* ---- bgp_linger.c ---- */

/* linger_start - @fd and @tx of a closed connection: write what waits, read to the end,
 * for 1 s at most. @tx is moved out. */
void linger_start(struct bgp_session *s, TAKE int fd, TAKE struct bgp_tx *tx);

/* ---- bgp_show.c ---- */

void bgp_snap_publish(struct bgp_session *s);
void bgp_snap_free(struct bgp_session *s);
void bgp_show(const struct proto *p, const struct time_format *tf, struct strbuf *out);
/* bgp_trouble - struct proto_class: trouble. */
void bgp_trouble(const struct proto *p, struct strbuf *out);
/* bgp_idle - struct proto_class: idle. */
bool bgp_idle(const struct proto *p);
/* bgp_ends - struct proto_class: ends. */
const char *bgp_ends(const struct proto *p, const struct conf_proto *cf, bool soft);
void bgp_show_channel(
    const struct proto *p, const struct channel *ch, struct strbuf *out);
/* session_error_text - kind and text of the last error: what `Last error` says; "":
 * none. */
void session_error_text(const struct bgp_session *s, char *buf, size_t len);
/* session_state_text - "Established", "Passive", "Down" ... as shown. */
const char *session_state_text(const struct bgp_session *s);

/* ---- bgp_downs.c ---- */

/* bgp_downs_note - @n was sent, or received. bgp_downs_add - the established session is
 * lost, with the error that was noted: it is kept and logged. bgp_downs_free - nobody
 * reads any more. */
void bgp_downs_note(struct bgp_session *s, bool sent, const struct bgp_notify *n);
void bgp_downs_add(struct bgp_session *s);
void bgp_downs_free(struct bgp_session *s);
/* bgp_downs_show, bgp_downs_json - any thread, under RCU. */
void bgp_downs_show(
    const struct bgp_session *s, const struct time_format *tf, struct strbuf *out);
void bgp_downs_json(const struct bgp_session *s, struct json *j);

/* ---- bgp_json.c ---- */

/* bgp_json, bgp_json_channel - struct proto_class: json, json_channel. */
void bgp_json(const struct proto *p, struct json *j);
void bgp_json_channel(const struct proto *p, const struct channel *ch, struct json *j);

#endif
