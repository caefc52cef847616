/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of a router's session with a cache as a pure function (RFC 8210, 5 to
 * 8; RFC 6810 and draft-ietf-sidrops-8210bis differ in the PDUs, not here).
 *
 * States, and the guarantees of each state:
 *
 *   DOWN         no connection, no timer, no data
 *   CONNECTING   the connection is being established; Retry runs
 *   START        connected; a query was sent, the answer has not begun; Retry runs
 *   RUNNING      the answer has begun, its records are collected, none is in force;
 *                Retry runs
 *   ESTABLISHED the data of the cache's last End of Data is in force, or the data before
 *                if a guard refused the last; Refresh runs
 *   NO_DATA      connected; the cache has no data yet; Retry runs
 *   TRANSPORT    no connection; Retry runs
 *   FATAL        no connection after an error of either side; Retry runs
 *
 * Retry bounds the silence of the cache, and the wait before the next attempt. Expire
 * runs from the first End of Data on, in every state but DOWN, until it fires.
 *
 * Pure functions; any thread. */
#ifndef TERN_PROTO_RPKI_RPKI_FSM_H
#define TERN_PROTO_RPKI_RPKI_FSM_H

#include "lib/base/check.h"

/* RPKI_STATE_TABLE(X): name, text (as BIRD 2 shows it). */
#define RPKI_STATE_TABLE(X)                                                              \
	X(DOWN, "Down")                                                                  \
	X(CONNECTING, "Connecting")                                                      \
	X(START, "Sync-Start")                                                           \
	X(RUNNING, "Sync-Running")                                                       \
	X(ESTABLISHED, "Established")                                                    \
	X(NO_DATA, "Cache-Error-No-Data-Available")                                      \
	X(TRANSPORT, "Transport-Error")                                                  \
	X(FATAL, "Fatal-Protocol-Error")

enum rpki_state {
	RPKI_STATE_NONE, /* only in tables: stay */
#define X(name, text) RPKI_##name,
	RPKI_STATE_TABLE(X)
#undef X
	    RPKI_STATE_CNT
};

/* RPKI_EVENT_TABLE(X): name, text. */
#define RPKI_EVENT_TABLE(X)                                                              \
	X(BEGIN, "start")                                                                \
	X(STOP, "stop")                                                                  \
	X(CONNECTED, "connected")                                                        \
	X(LOST, "connection lost or refused")                                            \
	X(RETRY, "Retry fires")                                                          \
	X(REFRESH, "Refresh fires")                                                      \
	X(EXPIRE, "Expire fires")                                                        \
	X(NOTIFY, "Serial Notify of news")                                               \
	X(RESPONSE, "Cache Response")                                                    \
	X(OTHER_SESSION, "another session id")                                           \
	X(RECORD, "prefix, Router Key or ASPA")                                          \
	X(END, "End of Data")                                                            \
	X(SHORT, "End of Data that a guard refuses")                                     \
	X(CACHE_RESET, "Cache Reset")                                                    \
	X(REPORT_NO_DATA, "Error Report: no data")                                       \
	X(LOWER, "a lower version is wanted, and allowed")                               \
	X(REPORT, "another Error Report")                                                \
	X(FAULT, "a wrong PDU")

enum rpki_event {
	RPKI_EV_NONE,
#define X(name, text) RPKI_EV_##name,
	RPKI_EVENT_TABLE(X)
#undef X
	    RPKI_EV_CNT
};

/* RPKI_ACTION_TABLE(X): name, text. To be done in the order given. */
#define RPKI_ACTION_TABLE(X)                                                             \
	X(CONNECT, "connect")                                                            \
	X(CLOSE, "close") /* the connection, if there is one, and stop Refresh */        \
	X(QUERY, "query") /* Serial Query with a session id, else Reset Query */         \
	X(COLLECT, "collect") /* all data is stale, or only what changes comes */        \
	X(TAKE, "take") /* the record into what is collected */                          \
	X(DROP, "drop the collected records")                                            \
	X(APPLY, "apply") /* additions, then removals; then read on */                   \
	X(FORGET, "forget session id")                                                   \
	X(DOWNGRADE, "lower version")                                                    \
	X(RAISE, "highest version")                                                      \
	X(SEND_ERROR, "send Error Report")                                               \
	X(RETRY, "start Retry")                                                          \
	X(BACKOFF, "start Retry, short at first") /* a second, doubled, up to Retry */   \
	X(REFRESH, "start Refresh")                                                      \
	X(EXPIRE, "start Expire")                                                        \
	X(LIVE, "stop Retry")                                                            \
	X(HUSH, "stop Refresh")                                                          \
	X(EMPTY, "remove all data") /* and stop Expire */

enum rpki_action {
	RPKI_ACT_NONE,
#define X(name, text) RPKI_ACT_##name,
	RPKI_ACTION_TABLE(X)
#undef X
};

#define RPKI_STEP_MAX 7

/* The result of a step. Owner: the caller. Life: by value. */
struct rpki_step {
	uint8_t next; /* enum rpki_state, never NONE */
	uint8_t cnt;
	uint8_t action[RPKI_STEP_MAX]; /* enum rpki_action */
};

/* rpki_fsm_step - pure. @e: not NONE. @serial: the last query was a Serial Query. */
struct rpki_step rpki_fsm_step(enum rpki_state s, enum rpki_event e, bool serial);
const char *rpki_state_text(enum rpki_state s);
const char *rpki_event_text(enum rpki_event e);

#endif
