/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of an instance of BGP (proto/bgp/session/bgp_instance.h), by subject. Each
 * part names its file. Owner: the session, except marked fields. Life: the life of the
 * instance. Each part is embedded in struct bgp_session and freed with the instance.
 * Loop: the session's; any thread reads fields with atomic types. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_STATE_H
#define TERN_PROTO_BGP_SESSION_BGP_STATE_H

#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "proto/bgp/session/bgp_collide.h"
#include "sysdep/loop/loop.h"
#include "sysdep/sock/sock_drops.h"
#include "sysdep/os/os_fd.h"

struct bfd_ask;
struct bgp_conf;
struct bgp_conn;
struct bgp_listener;
struct bgp_session;

/* The error of the event under way, for the event's NOTIFICATION. */
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
#define BGP_LIMIT_TEXT 40 /* "receive limit 4294967295 of ipv4 mpls" */

/* Refreshes with begin and end (RFC 7313), by FAM_BIT. Owner: the session;
 * bgp_refreshes.c. */
struct bgp_refreshes {
	uint8_t coming; /* the peer has begun: routes not sent again are stale */
	struct timer timer; /* deadline of the peer's refresh */
	uint32_t late; /* number of delays of the deadline */
	uint8_t fed; /* the first End-of-RIB was sent: no refresh begins before */
	uint8_t going; /* this side has begun a refresh */
	uint8_t asked; /* begin (again) after the present transmission */
};

struct bgp_snap; /* bgp_snap_priv.h */
struct sock_ao;

/* State of routes that stay while the peer restarts. Owner: the session;
 * bgp_restart.c. */
struct bgp_restart {
	/* FAM_BIT of each family with stale routes: the peer is away, or is back and has
	 * not sent all routes again */
	uint8_t stale;
	uint8_t llgr; /* stale families that are long-lived stale (RFC 9494) */
	uint8_t may_llgr; /* families that may become long-lived stale */
	/* the event under way is a Hard Reset (RFC 8538): no routes stay */
	bool hard;
	uint32_t llgr_s[FAM_CNT]; /* long-lived stale time in seconds */
	struct timer timer; /* of the families that are not long-lived stale */
	uint32_t late; /* number of delays of the timer */
	struct bgp_long_timer {
		struct timer timer;
		uint32_t late;
		struct bgp_session *s;
	} llgr_timer[FAM_CNT];
	struct counter64 show_llgr_ns[FAM_CNT]; /* when it fires; 0: it doesn't run */
	struct counter64 show_ns; /* when, while the peer is away; 0: it isn't */
};

/* A NOTIFICATION that was sent or received. */
struct bgp_notification {
	bool sent;
	uint8_t code, subcode; /* 0: none */
};

/* State of the local restart. Owner: the session; bgp_recovery.c. */
struct bgp_recovery {
	uint8_t awaited; /* FAM_BIT of each family whose complete routes are awaited */
	/* the peer may have kept announcements, and has not returned since */
	bool keeps;
	bool forwards; /* keeps, since the last session; the daemon has not restarted */
	bool leaves; /* the daemon ends and returns: send no notice of the end */
};

/* State of a session with a password or keys. Owner: the session; bgp_unanswered.c. */
struct bgp_unanswered {
	struct timer timer; /* the next look */
	struct sock_drops drops; /* counters at the last look */
	bool connecting; /* the session was connecting at the last look */
	bool said; /* logged since the session was last up */
};

struct monitor_life;
struct monitor_octets;

/* Routes to a peer, for monitors: the sent routes, and the routes that would be sent
 * without policy. */
enum bgp_mon_rib { MON_RIB_SENT, MON_RIB_OFFER, MON_RIB_CNT };

/* One of these for monitors. wants: bits of the monitors, by place in the list of
 * monitors. again_for: bits of the monitors that get all routes, from net (or path) `pos`
 * of family `fam` on, whenever `again` fires. */
struct bgp_mon_out {
	uint32_t wants, again_for;
	uint32_t pos, fam;
	struct timer again;
};

/* State of reports to monitors. Owner: the session; bgp_mon.c. */
struct bgp_mon {
	struct monitor_life *life; /* of the session; NULL: unknown to monitors */
	uint32_t seen_nr; /* number of the list of monitors that was last read */
	/* bits by place in the list: monitors that want UPDATEs; monitors that have lost
	 * UPDATEs, and the number of takes (monitor.takes) at the notice of the loss */
	uint32_t wants, lost, lost_at[32];
	uint32_t ends; /* bits of monitors that want End-of-RIB */
	struct bgp_mon_out out[MON_RIB_CNT];
	struct timer late; /* bgp_offer.c: a monitor had no room */
	/* end of the session: enum bmp_down_reason, and the NOTIFICATION; MEM_PROTO */
	uint8_t why;
	uint16_t last_len;
	uint8_t *last;
};

/* The instance's place at its listener. Owner: the session, except the fields that the
 * listener publishes. */
struct bgp_enlisted {
	struct bgp_listener *listener; /* constant; a reference until bgp_listen_leave */
	uint64_t order; /* constant; lower than the order of later instances */
	struct counter32 accepting; /* connections in hand-over: 0 or 1 */
	/* constant: the session's handler of an accepted connection */
	void (*accept)(struct bgp_session *s, TAKE struct os_fd fd, struct ip_addr local);
	bool registered; /* at the listener */
	bool leaving; /* has asked the listener to forget it; the answer is due */
	/* the listener's: errno of why its socket, and its password, can't be had; 0 */
	struct pub32 place_err, key_err;
};

/* Attempts to connect, and the waits between attempts. Owner: the session;
 * bgp_session.c. */
struct bgp_attempts {
	struct timer retry; /* ConnectRetryTimer, of conn[BGP_OUT] */
	struct timer idle_hold; /* IdleHoldTimer: waiting after an error */
	struct bgp_backoff backoff;
	uint64_t jitter; /* state of the random numbers for timers */
	uint32_t wait_s, retry_s; /* what idle_hold and retry were last started with */
	uint64_t started_ns; /* the search for the peer began; 0: not yet */
	bool no_caps; /* the peer refused optional parameters: next OPEN without */
};

/* Receiving. Owner: the session; bgp_chan.c, bgp_rx.c. */
struct bgp_receiving {
	uint64_t active_ns; /* time of the last announcement or withdrawal */
	/* routes refused because of an AS_SET since the session came up; shown */
	struct counter64 as_sets;
	bool resume; /* a channel is ready again: go on reading */
	uint64_t invalid_log_ns; /* when an invalid route was last logged */
	/* bgp_chan_active: free the ring's memory when no routes arrive */
	struct timer idle;
};

/* Prefixes that wait to be sent. Owner: the session; bgp_unsent.c. */
struct bgp_unsent_watch {
	struct timer timer;
	bool said;
};

/* The wanted state of the instance. Owner: the session; bgp_class.c. */
struct bgp_admin {
	uint8_t attached; /* channels not yet detached */
};

/* The event under way, and the call for events. Owner: the session. */
struct bgp_cause {
	struct bgp_fault fault;
	bool no_damp; /* the event is no reason to wait */
	bool way_lost; /* the link or BFD's session was lost */
};

/* The interface of the peer. Owner: the session; bgp_neigh.c. */
struct bgp_neigh {
	/* the link was lost; the peer was on an interface, lately */
	bool waits_link, link_ready;
	uint32_t link_if; /* of the interface that the session depends on; 0: none */
};

/* session_log: the lines so far count until this time, one a second. */
struct bgp_log_rate {
	uint64_t until_ns;
	uint32_t lost; /* lines suppressed since the last line */
};

/* session_settle: actions that must not happen inside a call of a channel. Owner: the
 * session. */
struct bgp_settle {
	struct timer soon;
	uint8_t stop_code; /* BGP_EC_*: close; 0: no */
	bool stop_disable; /* and stay down */
	bool stop_limit; /* a route limit asked for it */
	uint8_t stop_len, stop_data[BGP_LIMIT_DATA]; /* data of the NOTIFICATION */
};

/* The end of the last session. Owner: the session; bgp_report.c. */
struct bgp_last_error {
	uint8_t error_kind; /* enum bgp_error_kind */
	char error_text[BGP_ERROR_TEXT];
	uint32_t bad_as; /* the number of the peer, if the number is the error; 0: no */
	/* the last limit that closed a session: "receive limit 1000 of ipv4" */
	char limit[BGP_LIMIT_TEXT];
	/* BGP_EC_*: this side closed the last session without an error; 0: no */
	uint8_t closed;
	/* shutdown communication, or the operator's */
	char message[BGP_SHUTDOWN_MAX + 1];
	/* the last NOTIFICATION, if no session was lost since */
	struct bgp_notification notice;
};

/* The requests to BFD. Owner: the session; bgp_bfd.c. */
struct bgp_bfd_asks {
	struct bfd_ask *ask; /* the present request; NULL: none */
	uint32_t cnt; /* number of open requests */
	const struct bgp_conf *conf; /* configuration of the request; only compared */
};

/* Published, for bgp_show. Owner: the session. */
struct bgp_shown {
	struct pubptr snap; /* struct bgp_snap * */
	struct pubptr downs; /* struct bgp_downs *: NULL: none yet */
	/* when they fire; 0: not running */
	struct counter64 hold_ns, keepalive_ns, send_hold_ns, wait_ns, retry_ns;
};

#endif
