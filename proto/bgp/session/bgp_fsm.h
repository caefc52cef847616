/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of one BGP connection as a pure function (RFC 4271, 8.2.2; RFC 9687).
 *
 * States, numbered as in RFC 4273, and the guarantees of each state:
 *
 *   IDLE         no descriptor, no timer but IdleHold; the peer's connections are
 *                refused
 *   CONNECT      a descriptor whose connect has not ended; ConnectRetry runs
 *   ACTIVE       no descriptor; the peer's connections are welcome; ConnectRetry runs
 *                unless passive
 *   OPENSENT     connected; the local OPEN is queued; Hold runs with the large value
 *   OPENCONFIRM the peer's OPEN is accepted, the first KEEPALIVE is queued; Hold and
 *                Keepalive run unless the negotiated hold time is 0
 *   ESTABLISHED routes flow; SendHold runs too unless it is switched off
 *
 * Events are the events of RFC 4271, 8.1, with their numbers, and
 *
 *   29 SendHoldTimer_Expires   RFC 9687, 3.2
 *   30 RefreshMsg              a ROUTE-REFRESH arrived; treated as an UPDATE (RFC 2918)
 *
 * Of the optional session attributes tern has AllowAutomaticStart, AllowAutomaticStop,
 * DampPeerOscillations (`error wait time`), PassiveTcpEstablishment and IdleHoldTimer.
 * tern has no DelayOpen, so events 12 and 20 never occur. tern does not track TCP,
 * because the kernel reports established connections, so events 14 and 15 never occur.
 * tern sends no NOTIFICATION before an OPEN, and does not detect collisions with an
 * established session.
 *
 * A session has up to two connections, one out and one in (bgp_instance.h), and a machine
 * for each connection. The other machine is the "tracked" second connection of RFC 4271.
 * Owner: the caller. Life: structs are by value.
 *
 * Pure functions; any thread. */
#ifndef TERN_PROTO_BGP_SESSION_BGP_FSM_H
#define TERN_PROTO_BGP_SESSION_BGP_FSM_H

#include "lib/base/check.h"

/* BGP_STATE_TABLE(X): name, text. */
#define BGP_STATE_TABLE(X)                                                               \
	X(IDLE, "Idle")                                                                  \
	X(CONNECT, "Connect")                                                            \
	X(ACTIVE, "Active")                                                              \
	X(OPENSENT, "OpenSent")                                                          \
	X(OPENCONFIRM, "OpenConfirm")                                                    \
	X(ESTABLISHED, "Established")

enum bgp_state {
	BGP_STATE_NONE, /* only in tables: stay */
#define X(name, text) BGP_##name,
	BGP_STATE_TABLE(X)
#undef X
	    BGP_STATE_CNT
};

/* BGP_EVENT_TABLE(X): name, text; in the order of RFC 4271, 8.1, from 1. */
#define BGP_EVENT_TABLE(X)                                                               \
	X(MANUAL_START, "ManualStart")                                                   \
	X(MANUAL_STOP, "ManualStop")                                                     \
	X(AUTO_START, "AutomaticStart")                                                  \
	X(MANUAL_START_PASSIVE, "ManualStart_with_PassiveTcpEstablishment")              \
	X(AUTO_START_PASSIVE, "AutomaticStart_with_PassiveTcpEstablishment")             \
	X(AUTO_START_DAMP, "AutomaticStart_with_DampPeerOscillations")                   \
	X(AUTO_START_DAMP_PASSIVE,                                                       \
	    "AutomaticStart_with_DampPeerOscillations_and_PassiveTcpEstablishment")      \
	X(AUTO_STOP, "AutomaticStop")                                                    \
	X(RETRY_EXPIRES, "ConnectRetryTimer_Expires")                                    \
	X(HOLD_EXPIRES, "HoldTimer_Expires")                                             \
	X(KEEPALIVE_EXPIRES, "KeepaliveTimer_Expires")                                   \
	X(DELAY_OPEN_EXPIRES, "DelayOpenTimer_Expires")                                  \
	X(IDLE_HOLD_EXPIRES, "IdleHoldTimer_Expires")                                    \
	X(TCP_VALID, "TcpConnection_Valid")                                              \
	X(TCP_INVALID, "Tcp_CR_Invalid")                                                 \
	X(TCP_ACKED, "Tcp_CR_Acked")                                                     \
	X(TCP_CONFIRMED, "TcpConnectionConfirmed")                                       \
	X(TCP_FAILS, "TcpConnectionFails")                                               \
	X(OPEN, "BGPOpen")                                                               \
	X(OPEN_DELAYED, "BGPOpen with DelayOpenTimer running")                           \
	X(HEADER_ERR, "BGPHeaderErr")                                                    \
	X(OPEN_ERR, "BGPOpenMsgErr")                                                     \
	X(COLLISION_DUMP, "OpenCollisionDump")                                           \
	X(NOTIFY_VERSION, "NotifMsgVerErr")                                              \
	X(NOTIFY, "NotifMsg")                                                            \
	X(KEEPALIVE, "KeepAliveMsg")                                                     \
	X(UPDATE, "UpdateMsg")                                                           \
	X(UPDATE_ERR, "UpdateMsgErr")                                                    \
	X(SEND_HOLD_EXPIRES, "SendHoldTimer_Expires")                                    \
	X(REFRESH, "RefreshMsg")

enum bgp_event {
	BGP_EV_NONE,
#define X(name, text) BGP_EV_##name,
	BGP_EVENT_TABLE(X)
#undef X
	    BGP_EV_CNT
};

/* BGP_ACTION_TABLE(X): name, text. To be done in the order given. */
#define BGP_ACTION_TABLE(X)                                                              \
	X(NOTIFY, "send NOTIFICATION") /* code, subcode of the step */                   \
	X(COUNT_ZERO, "zero ConnectRetryCounter")                                        \
	X(COUNT, "add 1 to ConnectRetryCounter")                                         \
	X(RETRY_START, "start ConnectRetryTimer")                                        \
	X(RETRY_STOP, "stop ConnectRetryTimer")                                          \
	X(CONNECT, "connect")                                                            \
	X(LISTEN, "listen") /* let the listener hand us connections */                   \
	X(CLOSE, "drop TCP") /* with its timers and what is queued */                    \
	X(SEND_OPEN, "send OPEN")                                                        \
	X(SEND_KEEPALIVE, "send KEEPALIVE")                                              \
	X(HOLD_LARGE, "start HoldTimer, large") /* `startup hold time` */                \
	X(HOLD_START, "start HoldTimer") /* negotiated */                                \
	X(KEEPALIVE_START, "start KeepaliveTimer")                                       \
	X(SEND_HOLD_START, "start SendHoldTimer")                                        \
	X(UP, "session up") /* channels start */                                         \
	X(UPDATE, "process") /* the message that came */                                 \
	X(RELEASE, "release resources") /* routes too, if there are any */               \
	X(DAMP, "damp") /* start IdleHold by `error wait time` */                        \
	X(DAMP_STOP, "stop IdleHoldTimer")

enum bgp_action {
	BGP_ACT_NONE,
#define X(name, text) BGP_ACT_##name,
	BGP_ACTION_TABLE(X)
#undef X
};

#define BGP_STEP_MAX 10

/* The inputs of the machine besides state and event. */
struct bgp_facts {
	bool passive; /* never connect */
	bool hold; /* the negotiated hold time is not 0 */
};

/* The result of a step. */
struct bgp_step {
	uint8_t next; /* enum bgp_state, never NONE */
	uint8_t cnt;
	uint8_t action[BGP_STEP_MAX]; /* enum bgp_action */
	uint8_t code,
	    subcode; /* of NOTIFY; 0, 0: code and subcode of the event's error */
};

/* bgp_fsm_step - RFC 4271, 8.2.2. Pure. @e: not NONE. */
struct bgp_step bgp_fsm_step(enum bgp_state s, enum bgp_event e, struct bgp_facts f);
const char *bgp_state_text(enum bgp_state s);
const char *bgp_event_text(enum bgp_event e);

#endif
