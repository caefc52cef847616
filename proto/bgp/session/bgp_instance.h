/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An instance of BGP, its two connections, and the functions of the folders session,
 * listen, monitor and show. Included by the files of these folders and their tests only.
 *
 * An instance runs in its worker, except bgp_show's functions. A connection that fails
 * inside a channel's call (bgp_out.flush, put) only records the failure; the instance
 * reacts from its timer `soon`, so no channel is taken down during the channel's call.
 * Owner: the instance's worker. Life: embedded in struct bgp_session, freed with the
 * instance. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_INSTANCE_H
#define TERN_PROTO_BGP_SESSION_BGP_INSTANCE_H

#include "lib/base/list.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_open.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/core/tern.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/in/bgp_link.h"
#include "proto/bgp/out/bgp_sink.h"
#include "proto/bgp/out/bgp_tx.h"
#include "proto/bgp/session/bgp_collide.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_nego.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/loop/sock_tcp.h"
#include "sysdep/os/os_fd.h"

struct bgp_session;
struct igp_watch;

enum bgp_dir { BGP_OUT, BGP_IN };

/* Timers of a connection. bgp_conn.c. Owner: its session. Life: embedded in struct
 * bgp_conn. */
struct bgp_conn_timers {
	struct timer hold, keepalive, send_hold;
	uint64_t hold_at_ns; /* end of the hold time; the timer is moved lazily */
	uint64_t progress_ns; /* the socket last took octets, or no octets waited */
	/* until when it waits for the other's OPEN; 0: it never had to */
	uint64_t yield_ns;
};

/* Octets that were read and not handled yet. bgp_conn.c. Owner: its session. Life:
 * embedded in struct bgp_conn. */
struct bgp_conn_part {
	uint8_t *at; /* MEM_PROTO */
	uint32_t len;
};

/* One connection: a machine always, a socket in some states. Owner: its session. */
struct bgp_conn {
	struct bgp_session *s;
	uint8_t dir; /* enum bgp_dir */
	uint8_t state; /* enum bgp_state */
	bool with_caps; /* the sent OPEN had optional parameters */
	bool paused; /* not reading: a channel's ring has no room, or it yields */
	bool failed; /* the last attempt to connect failed */
	uint8_t event; /* enum bgp_event: the machine's last event */
	bool eof; /* the peer closed; read octets are still being handled */
	uint32_t retry_cnt; /* ConnectRetryCounter */
	uint32_t msg_max; /* bound of received messages: BGP_MSG_MAX or BGP_MSG_EXT_MAX */
	struct sock_tcp sock;
	struct bgp_conn_timers timer;
	struct bgp_tx tx;
	struct bgp_conn_part part;
	/* the peer's OPEN, as it came, for monitors; MEM_PROTO; NULL: none yet */
	uint8_t *open;
	uint16_t open_len;
	struct ip_addr local_ip; /* of the socket */
	struct bgp_link link; /* of a direct session, while established */
	/* local address for routes of the other family; IP_NONE: none, or no routes */
	struct ip_addr other_local;
	struct bgp_open ours, theirs;
	struct bgp_terms terms; /* from OPENCONFIRM on */
};

/* An instance. Owner: its worker, except marked fields. UPDATEs touch conn, est, chan,
 * sink and rx. */
struct bgp_session {
	struct proto p; /* first */
	struct bgp_conn conn[2];
	struct bgp_conn *est; /* the established one */
	struct channel *chan[FAM_CNT]; /* NULL: not configured */
	/* of a channel and a family of next hops; NULL: such next hops are not looked
	 * up */
	struct igp_watch *igp[FAM_CNT][FAM_CNT];
	struct bgp_sink sink[FAM_CNT]; /* sinks of the channels' routes */
	/* sinks of the routes without policy, for monitors; NULL: not requested yet */
	struct bgp_sink *offer[FAM_CNT];
	struct bgp_receiving rx;
	struct bgp_admin admin;
	struct bgp_cause cause;
	struct bgp_settle settle;
	struct bgp_attempts attempts;
	struct bgp_enlisted enlisted;
	struct bgp_neigh neigh;
	struct bgp_bfd_asks bfd;
	struct list lingering; /* bgp_linger.c */
	struct bgp_unsent_watch unsent;
	struct bgp_unanswered unanswered;
	struct bgp_restart restart;
	struct bgp_refreshes refreshes;
	struct bgp_recovery recovery;
	struct bgp_mon mon;
	struct bgp_log_rate log;
	struct bgp_last_error last;
	struct bgp_shown shown;
};

static inline const struct bgp_conf *
session_conf(const struct bgp_session *s)
{
	return bgp_conf_of(s->p.cf);
}

/* session_waits - true if the peer must connect. A dry run never connects. */
static inline bool
session_waits(const struct bgp_session *s)
{
	return session_conf(s)->tcp.passive || session_conf(s)->dynamic.has_range ||
	       s->p.tern->dry_run;
}

static inline uint32_t
session_router_id(const struct bgp_session *s)
{
	uint32_t id = s->p.cf->router_id;

	return id ? id : load_relaxed32(&s->p.tern->router_id);
}

static inline bool
session_traces(const struct bgp_session *s, uint32_t mask)
{
	return load_relaxed32(&s->p.debug) & mask;
}

/* session_soon - call session_settle (bgp_session.c) from the loop. */
static inline void
session_soon(struct bgp_session *s)
{
	if (!timer_active(&s->settle.soon))
		timer_set(&s->settle.soon, 0);
}

/* ---- bgp_report.c ---- */

/* session_log - log a line that the peer can cause at will: a few lines at once, then one
 * a second; the next line states the number of suppressed lines. */
void session_log(struct bgp_session *s, enum log_class c, const char *fmt, ...)
    PRINTF_LIKE(3, 4);
/* session_note - set the text of `Last error` and of the info column. */
void session_note(struct bgp_session *s, enum bgp_error_kind k, const char *text);
/* session_error_text - kind and text of the last error: what `Last error` says; "":
 * none. */
void session_error_text(const struct bgp_session *s, char *buf, size_t len);
/* session_fault - set the error of the event under way. */
void session_fault(
    struct bgp_session *s, unsigned code, unsigned subcode, const void *data, size_t len);
/* trace_open - for `debug`: @what is "Got" or "Sending". */
void trace_open(const struct bgp_conn *c, const char *what, const struct bgp_open *o);

/* ---- bgp_notice.c ---- */

/* session_notify - send and log the NOTIFICATION of @st, or of the event under way. */
void session_notify(struct bgp_conn *c, const struct bgp_step *st);

/* ---- bgp_session.c ---- */

/* session_init - timers and machines; in the instance's worker, before anything else. */
void session_init(struct bgp_session *s);
/* session_event - pass one event to the machine of @c and carry out the step. */
void session_event(struct bgp_conn *c, enum bgp_event e);
/* session_start - be up: IDLE connections get their start event, unless an error wait
 * runs. */
void session_start(struct bgp_session *s);
/* session_stop - both connections get ManualStop. @cease: BGP_EC_*; @text: shutdown
 * communication. */
void session_stop(struct bgp_session *s, unsigned cease, const char *text);
/* session_publish - status, info and snapshot. */
void session_publish(struct bgp_session *s);
/* session_stop_forget - the stop that a channel requested (settle.stop_code) was carried
 * out or is void. */
static inline void
session_stop_forget(struct bgp_session *s)
{
	s->settle.stop_code = s->settle.stop_len = 0;
	s->settle.stop_disable = s->settle.stop_limit = false;
}

/* session_accept - a connection from the listener or for a new member. */
void session_accept(struct bgp_session *s, TAKE struct os_fd fd, struct ip_addr local);

/* ---- bgp_conn_tx.c ---- */

bool conn_has_socket(const struct bgp_conn *c);
/* bgp_conn_send - queue one message and write. Errors become events from the loop. */
void bgp_conn_send(struct bgp_conn *c, const void *msg, uint32_t len);
/* conn_progress - the socket took octets, or nothing waits: the send hold time begins. */
void conn_progress(struct bgp_conn *c);
/* conn_flush - write the queue; watch for room if octets are left. */
void conn_flush(struct bgp_conn *c);
/* conn_want - watch the socket for what the connection waits for. */
void conn_want(struct bgp_conn *c);
/* conn_unread - unhandled octets of the peer: the hold time must not expire meanwhile. */
bool conn_unread(const struct bgp_conn *c);
/* conn_deaf - `disable rx`: octets are no longer read. */
static inline bool
conn_deaf(const struct bgp_conn *c)
{
	return c->state == BGP_ESTABLISHED && session_conf(c->s)->tcp.disable_rx;
}

/* ---- bgp_conn.c ---- */

void conn_init(struct bgp_conn *c, struct bgp_session *s, enum bgp_dir dir);
/* conn_connect - start to connect; TCP_ACKED or TCP_FAILS follow as events from the loop.
 */
void conn_connect(struct bgp_conn *c);
/* conn_adopt - use an accepted descriptor. Returns: 0 or negative errno; then it is
 * closed. */
MUST_CHECK int conn_adopt(struct bgp_conn *c, TAKE struct os_fd fd, struct ip_addr local);
/* bgp_conn_close - timers, queue and socket. @linger: last words wait to be written or
 * read. */
void bgp_conn_close(struct bgp_conn *c, bool linger);
/* conn_last_words - read all octets that the kernel holds of @c; the peer accepts no
 * octets any more. The last octets may be a NOTIFICATION, and its reason decides whether
 * the peer's routes stay (RFC 8538, 4). */
void conn_last_words(struct bgp_conn *c);
/* conn_resume - continue with the octets that were read before, then with the socket. */
void conn_resume(struct bgp_conn *c);
/* conn_retime - set the timers of a new configuration. Returns: false: the negotiated
 * hold time, or the hold time under negotiation, no longer fits. */
bool conn_retime(struct bgp_conn *c);

/* ---- bgp_rx.c ---- */

/* rx_octets - handle the whole messages of @buf, which has 16 readable octets behind its
 * end.
 * Returns: handled octets; less than the whole messages if a channel has no more room, or
 * if the connection was closed (then conn_has_socket is false or the connection was
 * replaced). */
uint32_t rx_octets(struct bgp_conn *c, const uint8_t *buf, uint32_t len);

/* ---- bgp_chan.c ---- */

extern const struct channel_ops bgp_channel_ops;
extern const struct bgp_out bgp_session_out;
/* ---- bgp_neigh.c ---- */

/* neigh_in - the interface of the peer by @cf; NULL: none. neigh_concerned - as
 * proto_class.plan.concerned. */
const struct iface *neigh_in(const struct iface_list *l, const struct bgp_conf *cf);
bool neigh_concerned(
    const struct proto *p, const struct iface_list *old, const struct iface_list *now);
/* neigh_up - the session came up and depends on the link of its peer. */
void neigh_up(struct bgp_session *s);
/* neigh_look - react to changed interfaces or to `check link`. Outside of channels'
 * calls. */
void neigh_look(struct bgp_session *s);

/* ---- bgp_chan.c ---- */

/* bgp_chan_link - interfaces have changed while the session is up: update the link's
 * addresses and the local next hops, and request the peer's routes again. */
void bgp_chan_link(struct bgp_session *s, struct bgp_conn *c);
/* bgp_chan_up - the session on @c came up: take the channels up. */
void bgp_chan_up(struct bgp_session *s, struct bgp_conn *c);
/* bgp_chan_class - configuration or link has changed: update encoding and rules of family
 * @f. */
void bgp_chan_class(struct bgp_session *s, enum family f);
/* bgp_chan_down - take the channels down. @keep: FAM_BIT of the families whose routes
 * stay. */
void bgp_chan_down(struct bgp_session *s, uint8_t keep);
/* bgp_chan_active - routes arrive. */
void bgp_chan_active(struct bgp_session *s);
/* bgp_chan_idle_fires - of session->idle. */
void bgp_chan_idle_fires(struct timer *t);
/* keys_peer - the peer as a prefix. keys_adopt - of an accepted connection; 0 or negative
 * errno. keys_changed - @old are those of the configuration before. bgp_keys.c */
struct prefix keys_peer(const struct bgp_session *s);
MUST_CHECK int keys_adopt(struct bgp_session *s, struct os_fd fd);
void keys_changed(struct bgp_session *s, const struct sock_ao *old);
/* unsent_look - bgp_unsent.c: while the session is up it goes on by itself. */
void unsent_init(struct bgp_session *s);
void unsent_look(struct bgp_session *s);
/* unanswered_begin - the session looks for its peer from now on: bgp_unanswered.c. */
void unanswered_init(struct bgp_session *s);
void unanswered_begin(struct bgp_session *s);
/* bgp_chan_work_put - a callback ends: channel_work_put for all channels. */
void bgp_chan_work_put(struct bgp_session *s);
/* bgp_chan_ready - true if all channels that are up accept routes. */
bool bgp_chan_ready(const struct bgp_session *s);

/* ---- bgp_bfd.c ---- */

/* session_bfd - request a BFD session or end the request, after any change of the
 * conditions.
 * session_bfd_look - the list of BFD instances has changed. */
void session_bfd(struct bgp_session *s);
void session_bfd_look(struct bgp_session *s);

/* ---- bgp_mrt.c ---- */

struct bgp_msg;
/* bgp_mrt_message - for `mrtdump` with MRTDUMP_MESSAGES: record the received message @m,
 * which begins at @octets. bgp_mrt_state - with MRTDUMP_STATES: the state was @old. */
void bgp_mrt_message(
    const struct bgp_conn *c, const struct bgp_msg *m, const uint8_t *octets);
void bgp_mrt_state(const struct bgp_conn *c, unsigned old);

/* ---- bgp_mon.c ---- */

struct bgp_update;
struct monitor_event;
struct monitor_list;
/* mon_look - report the established session on @c to new monitors. @fresh: the session is
 * just coming up. */
void mon_look(struct bgp_conn *c, bool fresh);
/* mon_open - keep the peer's OPEN. */
void mon_open(struct bgp_conn *c, const struct bgp_msg *m);
/* mon_last - the NOTIFICATION @msg was sent or received: if the session ends now, @msg is
 * the reason. @why: enum bmp_down_reason. mon_down - the session has ended by the last
 * event of @c. */
void mon_last(struct bgp_conn *c, unsigned why, const uint8_t *msg, size_t len);
void mon_down(struct bgp_conn *c);
/* mon_update_put - report the handled UPDATE @m with the contents @u. @refused: bits, by
 * place in @u->reach, of the refused parts. */
void mon_update_put(struct bgp_conn *c, const struct bgp_msg *m,
    const struct bgp_update *u, unsigned refused);
/* mon_update - mon_update_put if a monitor exists. */
static inline void
mon_update(struct bgp_conn *c, const struct bgp_msg *m, const struct bgp_update *u,
    unsigned refused)
{
	if (unlikely(load_relaxed32(&c->s->p.tern->monitors.nr)))
		mon_update_put(c, m, u, refused);
}

/* mon_report_out - @len octets, whole UPDATEs, go to the peer of @c, or would. mon_out -
 * they go, and does anybody want to know? */
void mon_report_out(
    struct bgp_conn *c, enum bgp_mon_rib r, const uint8_t *octets, uint32_t len);
static inline void
mon_out(struct bgp_conn *c, const uint8_t *octets, uint32_t len)
{
	if (unlikely(c->s->mon.out[MON_RIB_SENT].wants))
		mon_report_out(c, MON_RIB_SENT, octets, len);
}
/* mon_list - the present list of monitors, already read: places in the list are the
 * places of struct bgp_mon. NULL: no monitors. */
const struct monitor_list *mon_list(struct bgp_conn *c);
/* mon_again_init - with the session: the timers of mon_again. */
void mon_again_init(struct bgp_session *s);

/* ---- bgp_mon_report.c ---- */

/* mon_report - report @what, or the loss of @what, to each monitor of @who (by place in
 * @l). For bgp_mon*.c. */
void mon_report(struct bgp_session *s, const struct monitor_list *l, uint32_t who,
    const struct monitor_event *what);
/* mon_lost - report to each monitor of @who that reports were lost. */
void mon_lost(struct bgp_session *s, const struct monitor_list *l, uint32_t who);

/* ---- bgp_mon_again.c ---- */

/* mon_again - report all of @r to the monitors of @who, by place in @l, the list just
 * read. A running report to a monitor of @who begins anew. */
void mon_again(
    struct bgp_conn *c, const struct monitor_list *l, enum bgp_mon_rib r, uint32_t who);
/* mon_again_part - report the next part of @r. Returns: when to report the part after
 * that; 0: @r is reported. */
uint64_t mon_again_part(
    struct bgp_session *s, const struct monitor_list *l, enum bgp_mon_rib r);

/* ---- bgp_mon_conf.c ---- */

/* mon_keeps_pre, mon_keeps_out - true if a channel of @c has an import table, an export
 * table. */
bool mon_keeps_pre(const struct conf_channel *c);
bool mon_keeps_out(const struct conf_channel *c);
/* mon_reconf - the channel of family @f has a new configuration. mon_channel_up - the
 * channel is about to come up: free tables that no monitor wants any more. */
void mon_reconf(struct bgp_session *s, unsigned f);
void mon_channel_up(struct bgp_session *s, unsigned f);

/* ---- bgp_offer.c ---- */

/* bgp_offer_init - with the session, in its worker. bgp_offer_new - with the channel of
 * family @f. bgp_offer_reconf - the monitors that want the offer may have changed.
 * bgp_offer_like - the sink of the channel has new parameters. bgp_offer_free - after the
 * channel. */
void bgp_offer_init(struct bgp_session *s);
void bgp_offer_new(struct bgp_session *s, unsigned f, bool can_all);
void bgp_offer_reconf(struct bgp_session *s, unsigned f, bool on, bool can_all);
void bgp_offer_like(struct bgp_session *s, unsigned f);
void bgp_offer_free(struct bgp_session *s, unsigned f);

/* ---- bgp_recovery.c ---- */

/* recover_join - in class_make: it is waited for, if the daemon has restarted. */
void recover_join(struct bgp_session *s, const struct conf_proto *cf);
/* recover_open - what the OPEN states about our restart: BGP_OPEN_*. */
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
/* refreshes_up - a session begins; refreshes_down - the session has ended. */
void refreshes_up(struct bgp_session *s);
void refreshes_down(struct bgp_session *s);
/* refreshes_got - a ROUTE-REFRESH of family @f: @kind is a bgp_refresh_kind. */
void refreshes_got(struct bgp_session *s, unsigned kind, unsigned f);
/* refreshes_flush - remove the stale routes, as at the end of the refresh. */
void refreshes_flush(struct bgp_session *s);
/* refreshes_synced - all routes of @f are sent. Returns: true: End-of-RIB announces the
 * end.
 * refreshes_next - after refreshes_synced. */
bool refreshes_synced(struct bgp_session *s, unsigned f);
void refreshes_next(struct bgp_session *s, unsigned f);

/* ---- bgp_linger.c ---- */

/* linger_start - @fd and @tx of a closed connection: write what waits, read to the end,
 * for 1 s at most. @tx is moved out. */
void linger_start(struct bgp_session *s, TAKE struct os_fd fd, TAKE struct bgp_tx *tx);

/* ---- bgp_show.c ---- */

void bgp_snap_free(struct bgp_session *s);
/* bgp_trouble - struct proto_class: trouble. */
void bgp_trouble(const struct proto *p, struct strbuf *out);
/* bgp_idle - struct proto_class: idle. */
bool bgp_idle(const struct proto *p);
/* bgp_member - struct proto_class: member (bgp_member.c). */
bool bgp_member(const struct proto *p, struct proto_member *out);
/* bgp_later, bgp_forgets - struct proto_class: later, forgets. */
const char *bgp_later(const struct proto *p, const struct conf_proto *cf);
const char *bgp_forgets(const struct proto *p);
/* bgp_ends - struct proto_class: ends. */
const char *bgp_ends(const struct proto *p, const struct conf_proto *cf, bool soft);

/* ---- bgp_downs.c ---- */

/* bgp_downs_note - @n was sent, or received. bgp_downs_add - the established session is
 * lost: record and log the loss with the noted error. bgp_downs_free - free the records;
 * no reader is left. */
void bgp_downs_note(struct bgp_session *s, bool sent, const struct bgp_notify *n);
void bgp_downs_add(struct bgp_session *s);
void bgp_downs_free(struct bgp_session *s);
/* bgp_downs_reply, bgp_losses - any thread, under RCU. */
uint32_t bgp_losses(const struct proto *p);
void bgp_downs_reply(const struct bgp_session *s, struct reply *r);

/* ---- bgp_reply.c ---- */

/* bgp_reply, bgp_reply_channel - struct proto_show_ops: all, channel. */
void bgp_reply(const struct proto *p, struct reply *r);
void bgp_reply_channel(const struct proto *p, const struct channel *ch, struct reply *r);

#endif
