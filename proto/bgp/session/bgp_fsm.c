/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of RFC 4271, 8.2.2, as a table: one row a state, one cell an event.
 *
 * I1  An unnamed cell does nothing: the state stays, no action is taken.
 * I2  Every step to IDLE drops the connection and releases the session's resources.
 * I3  Nothing here depends on time, sockets or configuration, except by struct bgp_facts.
 *
 * Differences from the letter of the RFC (doc/rfc.md describes the differences for
 * users):
 *
 * D1  A failed connect (18 in CONNECT) leads to ACTIVE and a retry after ConnectRetry. By
 *     the letter the failure leads to IDLE, and IDLE would refuse the peer's connection
 *     for as long.
 * D2  A NOTIFICATION (25) in OPENSENT closes without an answer: 6.4 forbids an answer,
 *     though 8.2.2 lists 25 among the events that send "FSM error".
 * D3  A header error (21) in ESTABLISHED sends the NOTIFICATION of the error (6.1)
 *     instead of "FSM error".
 * D4  A lost connection (18) and a collision (23) are no reason to damp: a restarting
 *     member ends with 18, and a collision is no error.
 * D5  ManualStop in IDLE ends the wait after an error: `restart` has to act at once.
 * D6  A connection that arrives in IDLE (16, 17) is dropped, as the text before the list
 *     demands.
 *
 * Any loop: pure functions. */
#include "proto/bgp/session/bgp_fsm.h"

/* Codes: RFC 4271, 4.5; RFC 4486 (Cease); RFC 6608 (FSM error); RFC 9687. The codec names
 * all codes; the machine itself chooses only these codes. */
#define N_HOLD      4
#define N_FSM       5
#define N_CEASE     6
#define N_SEND_HOLD 8

#define CEASE_COLLISION 7

struct cell {
	uint8_t next; /* BGP_STATE_NONE: stay */
	uint8_t code, subcode;
	const uint8_t *act; /* ends with BGP_ACT_NONE; NULL: none */
};

#define A(x) BGP_ACT_##x

static const uint8_t act_start[] = { A(COUNT_ZERO), A(RETRY_START), A(CONNECT), A(LISTEN),
	0 };
static const uint8_t act_start_passive[] = { A(COUNT_ZERO), A(RETRY_START), A(LISTEN),
	0 };
static const uint8_t act_start_damped[] = { A(RETRY_START), A(CONNECT), A(LISTEN), 0 };
static const uint8_t act_damp[] = { A(DAMP), 0 };
static const uint8_t act_damp_stop[] = { A(DAMP_STOP), 0 };
static const uint8_t act_refuse[] = { A(CLOSE), 0 };
static const uint8_t act_retry[] = { A(CLOSE), A(RETRY_START), A(CONNECT), A(LISTEN), 0 };
static const uint8_t act_wait[] = { A(CLOSE), A(RETRY_START), A(LISTEN), 0 };
static const uint8_t act_opening[] = { A(RETRY_STOP), A(SEND_OPEN), A(HOLD_LARGE), 0 };
static const uint8_t act_stop[] = { A(RETRY_STOP), A(RELEASE), A(CLOSE), A(COUNT_ZERO),
	0 };
static const uint8_t act_stop_cease[] = { A(NOTIFY), A(RETRY_STOP), A(RELEASE), A(CLOSE),
	A(COUNT_ZERO), 0 };
static const uint8_t act_lost[] = { A(RETRY_STOP), A(RELEASE), A(CLOSE), A(COUNT), 0 };
static const uint8_t act_version[] = { A(RETRY_STOP), A(RELEASE), A(CLOSE), 0 };
static const uint8_t act_fail[] = { A(RETRY_STOP), A(RELEASE), A(CLOSE), A(COUNT),
	A(DAMP), 0 };
static const uint8_t act_error[] = { A(NOTIFY), A(RETRY_STOP), A(RELEASE), A(CLOSE),
	A(COUNT), A(DAMP), 0 };
static const uint8_t act_dump[] = { A(NOTIFY), A(RETRY_STOP), A(RELEASE), A(CLOSE),
	A(COUNT), 0 };
static const uint8_t act_confirm[] = { A(RETRY_STOP), A(SEND_KEEPALIVE),
	A(KEEPALIVE_START), A(HOLD_START), 0 };
static const uint8_t act_keepalive[] = { A(SEND_KEEPALIVE), A(KEEPALIVE_START), 0 };
static const uint8_t act_up[] = { A(HOLD_START), A(SEND_HOLD_START), A(UP), 0 };
static const uint8_t act_hold[] = { A(HOLD_START), 0 };
static const uint8_t act_update[] = { A(HOLD_START), A(UPDATE), 0 };

#undef A

/* The common part of the states that have sent an OPEN. An error of the event is sent
 * unchanged (code 0); an event that the state does not know is an FSM error with the
 * state's subcode. */
#define FAIL                                                                             \
	{                                                                                \
		BGP_IDLE, 0, 0, act_fail                                                 \
	}
#define ERROR_OF_EVENT                                                                   \
	{                                                                                \
		BGP_IDLE, 0, 0, act_error                                                \
	}
#define FSM_ERROR(sub)                                                                   \
	{                                                                                \
		BGP_IDLE, N_FSM, sub, act_error                                          \
	}
#define DUMP                                                                             \
	{                                                                                \
		BGP_IDLE, N_CEASE, CEASE_COLLISION, act_dump                             \
	}

static const struct cell table[BGP_STATE_CNT][BGP_EV_CNT] = {
	[BGP_IDLE] = {
		[BGP_EV_MANUAL_START] = { BGP_CONNECT, 0, 0, act_start },
		[BGP_EV_MANUAL_STOP] = { 0, 0, 0, act_damp_stop }, /* D5 */
		[BGP_EV_AUTO_START] = { BGP_CONNECT, 0, 0, act_start },
		[BGP_EV_MANUAL_START_PASSIVE] = { BGP_ACTIVE, 0, 0, act_start_passive },
		[BGP_EV_AUTO_START_PASSIVE] = { BGP_ACTIVE, 0, 0, act_start_passive },
		[BGP_EV_AUTO_START_DAMP] = { 0, 0, 0, act_damp },
		[BGP_EV_AUTO_START_DAMP_PASSIVE] = { 0, 0, 0, act_damp },
		[BGP_EV_IDLE_HOLD_EXPIRES] = { BGP_CONNECT, 0, 0, act_start_damped },
		[BGP_EV_TCP_ACKED] = { 0, 0, 0, act_refuse }, /* D6 */
		[BGP_EV_TCP_CONFIRMED] = { 0, 0, 0, act_refuse }, /* D6 */
	},
	[BGP_CONNECT] = {
		[BGP_EV_MANUAL_STOP] = { BGP_IDLE, 0, 0, act_stop },
		[BGP_EV_AUTO_STOP] = FAIL,
		[BGP_EV_RETRY_EXPIRES] = { 0, 0, 0, act_retry },
		[BGP_EV_HOLD_EXPIRES] = FAIL,
		[BGP_EV_KEEPALIVE_EXPIRES] = FAIL,
		[BGP_EV_IDLE_HOLD_EXPIRES] = FAIL,
		[BGP_EV_TCP_ACKED] = { BGP_OPENSENT, 0, 0, act_opening },
		[BGP_EV_TCP_CONFIRMED] = { BGP_OPENSENT, 0, 0, act_opening },
		[BGP_EV_TCP_FAILS] = { BGP_ACTIVE, 0, 0, act_wait }, /* D1 */
		[BGP_EV_OPEN] = FAIL,
		[BGP_EV_HEADER_ERR] = FAIL,
		[BGP_EV_OPEN_ERR] = FAIL,
		[BGP_EV_COLLISION_DUMP] = { BGP_IDLE, 0, 0, act_lost }, /* D4 */
		[BGP_EV_NOTIFY_VERSION] = FAIL,
		[BGP_EV_NOTIFY] = FAIL,
		[BGP_EV_KEEPALIVE] = FAIL,
		[BGP_EV_UPDATE] = FAIL,
		[BGP_EV_UPDATE_ERR] = FAIL,
		[BGP_EV_SEND_HOLD_EXPIRES] = FAIL,
		[BGP_EV_REFRESH] = FAIL,
	},
	[BGP_ACTIVE] = {
		[BGP_EV_MANUAL_STOP] = { BGP_IDLE, 0, 0, act_stop },
		[BGP_EV_AUTO_STOP] = FAIL,
		[BGP_EV_RETRY_EXPIRES] = { BGP_CONNECT, 0, 0, act_start_damped },
		[BGP_EV_HOLD_EXPIRES] = FAIL,
		[BGP_EV_KEEPALIVE_EXPIRES] = FAIL,
		[BGP_EV_IDLE_HOLD_EXPIRES] = FAIL,
		[BGP_EV_TCP_ACKED] = { BGP_OPENSENT, 0, 0, act_opening },
		[BGP_EV_TCP_CONFIRMED] = { BGP_OPENSENT, 0, 0, act_opening },
		[BGP_EV_TCP_FAILS] = { BGP_IDLE, 0, 0, act_lost }, /* D4 */
		[BGP_EV_OPEN] = FAIL,
		[BGP_EV_HEADER_ERR] = FAIL,
		[BGP_EV_OPEN_ERR] = FAIL,
		[BGP_EV_COLLISION_DUMP] = { BGP_IDLE, 0, 0, act_lost }, /* D4 */
		[BGP_EV_NOTIFY_VERSION] = FAIL,
		[BGP_EV_NOTIFY] = FAIL,
		[BGP_EV_KEEPALIVE] = FAIL,
		[BGP_EV_UPDATE] = FAIL,
		[BGP_EV_UPDATE_ERR] = FAIL,
		[BGP_EV_SEND_HOLD_EXPIRES] = FAIL,
		[BGP_EV_REFRESH] = FAIL,
	},
	[BGP_OPENSENT] = {
		[BGP_EV_MANUAL_STOP] = { BGP_IDLE, 0, 0, act_stop_cease },
		[BGP_EV_AUTO_STOP] = ERROR_OF_EVENT,
		[BGP_EV_RETRY_EXPIRES] = FSM_ERROR(1),
		[BGP_EV_HOLD_EXPIRES] = { BGP_IDLE, N_HOLD, 0, act_error },
		[BGP_EV_KEEPALIVE_EXPIRES] = FSM_ERROR(1),
		[BGP_EV_DELAY_OPEN_EXPIRES] = FSM_ERROR(1),
		[BGP_EV_IDLE_HOLD_EXPIRES] = FSM_ERROR(1),
		[BGP_EV_TCP_FAILS] = { BGP_ACTIVE, 0, 0, act_wait },
		[BGP_EV_OPEN] = { BGP_OPENCONFIRM, 0, 0, act_confirm },
		[BGP_EV_OPEN_DELAYED] = FSM_ERROR(1),
		[BGP_EV_HEADER_ERR] = ERROR_OF_EVENT,
		[BGP_EV_OPEN_ERR] = ERROR_OF_EVENT,
		[BGP_EV_COLLISION_DUMP] = DUMP, /* D4 */
		[BGP_EV_NOTIFY_VERSION] = { BGP_IDLE, 0, 0, act_version },
		[BGP_EV_NOTIFY] = FAIL, /* D2 */
		[BGP_EV_KEEPALIVE] = FSM_ERROR(1),
		[BGP_EV_UPDATE] = FSM_ERROR(1),
		[BGP_EV_UPDATE_ERR] = FSM_ERROR(1),
		[BGP_EV_SEND_HOLD_EXPIRES] = FSM_ERROR(1),
		[BGP_EV_REFRESH] = FSM_ERROR(1),
	},
	[BGP_OPENCONFIRM] = {
		[BGP_EV_MANUAL_STOP] = { BGP_IDLE, 0, 0, act_stop_cease },
		[BGP_EV_AUTO_STOP] = ERROR_OF_EVENT,
		[BGP_EV_RETRY_EXPIRES] = FSM_ERROR(2),
		[BGP_EV_HOLD_EXPIRES] = { BGP_IDLE, N_HOLD, 0, act_error },
		[BGP_EV_KEEPALIVE_EXPIRES] = { 0, 0, 0, act_keepalive },
		[BGP_EV_DELAY_OPEN_EXPIRES] = FSM_ERROR(2),
		[BGP_EV_IDLE_HOLD_EXPIRES] = FSM_ERROR(2),
		[BGP_EV_TCP_FAILS] = { BGP_IDLE, 0, 0, act_lost }, /* D4 */
		[BGP_EV_OPEN] = FSM_ERROR(2),
		[BGP_EV_OPEN_DELAYED] = FSM_ERROR(2),
		[BGP_EV_HEADER_ERR] = ERROR_OF_EVENT,
		[BGP_EV_OPEN_ERR] = ERROR_OF_EVENT,
		[BGP_EV_COLLISION_DUMP] = DUMP, /* D4 */
		[BGP_EV_NOTIFY_VERSION] = { BGP_IDLE, 0, 0, act_version },
		[BGP_EV_NOTIFY] = FAIL,
		[BGP_EV_KEEPALIVE] = { BGP_ESTABLISHED, 0, 0, act_up },
		[BGP_EV_UPDATE] = FSM_ERROR(2),
		[BGP_EV_UPDATE_ERR] = FSM_ERROR(2),
		[BGP_EV_SEND_HOLD_EXPIRES] = FSM_ERROR(2),
		[BGP_EV_REFRESH] = FSM_ERROR(2),
	},
	[BGP_ESTABLISHED] = {
		[BGP_EV_MANUAL_STOP] = { BGP_IDLE, 0, 0, act_stop_cease },
		[BGP_EV_AUTO_STOP] = ERROR_OF_EVENT,
		[BGP_EV_RETRY_EXPIRES] = FSM_ERROR(3),
		[BGP_EV_HOLD_EXPIRES] = { BGP_IDLE, N_HOLD, 0, act_error },
		[BGP_EV_KEEPALIVE_EXPIRES] = { 0, 0, 0, act_keepalive },
		[BGP_EV_DELAY_OPEN_EXPIRES] = FSM_ERROR(3),
		[BGP_EV_IDLE_HOLD_EXPIRES] = FSM_ERROR(3),
		[BGP_EV_TCP_FAILS] = { BGP_IDLE, 0, 0, act_lost }, /* D4 */
		[BGP_EV_OPEN] = FSM_ERROR(3),
		[BGP_EV_OPEN_DELAYED] = FSM_ERROR(3),
		[BGP_EV_HEADER_ERR] = ERROR_OF_EVENT, /* D3 */
		[BGP_EV_OPEN_ERR] = FSM_ERROR(3),
		[BGP_EV_COLLISION_DUMP] = DUMP, /* D4 */
		[BGP_EV_NOTIFY_VERSION] = FAIL,
		[BGP_EV_NOTIFY] = FAIL,
		[BGP_EV_KEEPALIVE] = { 0, 0, 0, act_hold },
		[BGP_EV_UPDATE] = { 0, 0, 0, act_update },
		[BGP_EV_UPDATE_ERR] = ERROR_OF_EVENT,
		[BGP_EV_SEND_HOLD_EXPIRES] = { BGP_IDLE, N_SEND_HOLD, 0, act_error },
		[BGP_EV_REFRESH] = { 0, 0, 0, act_update },
	},
};

/* fsm_takes_part - leave out what the facts switch off. */
static bool
fsm_takes_part(uint8_t act, struct bgp_facts f)
{
	if (act == BGP_ACT_HOLD_START || act == BGP_ACT_KEEPALIVE_START)
		return f.hold;
	if (act == BGP_ACT_RETRY_START || act == BGP_ACT_CONNECT)
		return !f.passive;
	return true;
}

struct bgp_step
bgp_fsm_step(enum bgp_state s, enum bgp_event e, struct bgp_facts f)
{
	struct cell c;
	struct bgp_step out = { 0 };

	ASSERT(s > BGP_STATE_NONE && s < BGP_STATE_CNT);
	ASSERT(e > BGP_EV_NONE && e < BGP_EV_CNT);
	c = table[s][e];
	out.next = c.next ? c.next : (uint8_t)s;
	if (f.passive && c.next == BGP_CONNECT)
		out.next = BGP_ACTIVE; /* a passive side waits */
	out.code = c.code;
	out.subcode = c.subcode;
	for (const uint8_t *a = c.act; a && *a; a++) {
		if (!fsm_takes_part(*a, f))
			continue;
		ASSERT(out.cnt < BGP_STEP_MAX);
		out.action[out.cnt++] = *a;
	}
	return out;
}

const char *
bgp_state_text(enum bgp_state s)
{
	static const char *const text[] = { "None",
#define X(name, txt) txt,
		BGP_STATE_TABLE(X)
#undef X
	};

	return text[s];
}

const char *
bgp_event_text(enum bgp_event e)
{
	static const char *const text[] = { "None",
#define X(name, txt) txt,
		BGP_EVENT_TABLE(X)
#undef X
	};

	return text[e];
}
