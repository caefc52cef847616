/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of a session with a cache, as a table: one row a state, one cell an
 * event.
 *
 * I1  An unnamed cell does nothing: the state stays, no action is taken.
 * I2  Only EMPTY (Expire, or an operator), or APPLY at an End of Data, removes data from
 *     the table: no error, lost connection or restarted cache removes data.
 * I3  Each step out of RUNNING applies or drops the collected records.
 * I4  Nothing here depends on time, sockets or configuration.
 *
 * Differences from the letter of the RFC (doc/rfc.md describes the differences for
 * users):
 *
 * D1  Another session id (RFC 8210, 5.1) does not flush the data at once: the data is
 *     stale, and the new session's first End of Data removes the records that are not in
 *     the new session.
 * D2  A Cache Reset in answer to a Reset Query is an error; otherwise the queries would
 *     never end.
 * D3  After a lost connection, an error or No Data Available, Retry begins with a second
 *     and doubles up to its interval: a restarting validator is back much sooner.
 * D4  A Serial Query fails if the cache reports an error, sends a wrong PDU, has no data
 *     or closes the connection. A Reset Query follows at once, because a restarted cache
 *     does not know the session (RFC 8210, 8.4). After a failed Reset Query the instance
 *     waits for Retry, so errors never make a loop.
 * D5  Each connection begins with the highest allowed version, because a cache may have
 *     been upgraded. Only the connection after a refused version begins lower.
 * D6  An answer that a guard of the configuration refuses is dropped. Expire continues
 *     from the last End of Data in force, and the next query is a Reset Query.
 *
 * Any loop: pure functions. */
#include "proto/rpki/rpki_fsm.h"

struct cell {
	uint8_t next; /* RPKI_STATE_NONE: stay */
	const uint8_t *act; /* ends with RPKI_ACT_NONE; NULL: no actions */
};

#define A(x) RPKI_ACT_##x

static const uint8_t acts_connect[] = { A(RAISE), A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_stop[] = { A(CLOSE), A(LIVE), A(FORGET), A(EMPTY), 0 };
static const uint8_t acts_drop_stop[] = { A(DROP), A(CLOSE), A(LIVE), A(FORGET), A(EMPTY),
	0 };
static const uint8_t acts_query[] = { A(HUSH), A(QUERY), A(RETRY), 0 };
static const uint8_t acts_anew[] = { A(HUSH), A(FORGET), A(QUERY), A(RETRY), 0 };
static const uint8_t acts_drop_anew[] = { A(DROP), A(HUSH), A(FORGET), A(QUERY), A(RETRY),
	0 };
static const uint8_t acts_lost[] = { A(CLOSE), A(BACKOFF), 0 };
static const uint8_t acts_drop_lost[] = { A(DROP), A(CLOSE), A(BACKOFF), 0 };
static const uint8_t acts_collect[] = { A(COLLECT), A(RETRY), 0 };
static const uint8_t acts_take[] = { A(TAKE), 0 };
static const uint8_t acts_apply[] = { A(APPLY), A(LIVE), A(REFRESH), A(EXPIRE), 0 };
static const uint8_t acts_keep[] = { A(DROP), A(LIVE), A(FORGET), A(REFRESH), 0 };
static const uint8_t acts_again[] = { A(CLOSE), A(FORGET), A(RAISE), A(CONNECT), A(RETRY),
	0 };
static const uint8_t acts_drop_again[] = { A(DROP), A(CLOSE), A(FORGET), A(RAISE),
	A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_error_again[] = { A(SEND_ERROR), A(CLOSE), A(FORGET), A(RAISE),
	A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_drop_error_again[] = { A(DROP), A(SEND_ERROR), A(CLOSE),
	A(FORGET), A(RAISE), A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_lower[] = { A(CLOSE), A(DOWNGRADE), A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_drop_lower[] = { A(DROP), A(CLOSE), A(DOWNGRADE), A(CONNECT),
	A(RETRY), 0 };
static const uint8_t acts_wait[] = { A(HUSH), A(FORGET), A(BACKOFF), 0 };
static const uint8_t acts_drop_wait[] = { A(DROP), A(HUSH), A(FORGET), A(BACKOFF), 0 };
static const uint8_t acts_fail[] = { A(CLOSE), A(FORGET), A(BACKOFF), 0 };
static const uint8_t acts_drop_fail[] = { A(DROP), A(CLOSE), A(FORGET), A(BACKOFF), 0 };
static const uint8_t acts_fault[] = { A(SEND_ERROR), A(CLOSE), A(FORGET), A(BACKOFF), 0 };
static const uint8_t acts_drop_fault[] = { A(DROP), A(SEND_ERROR), A(CLOSE), A(FORGET),
	A(BACKOFF), 0 };
static const uint8_t acts_empty[] = { A(FORGET), A(EMPTY), 0 };
static const uint8_t acts_empty_anew[] = { A(HUSH), A(FORGET), A(EMPTY), A(QUERY),
	A(RETRY), 0 };
static const uint8_t acts_empty_again[] = { A(CLOSE), A(FORGET), A(EMPTY), A(RAISE),
	A(CONNECT), A(RETRY), 0 };
static const uint8_t acts_drop_empty[] = { A(DROP), A(CLOSE), A(FORGET), A(EMPTY),
	A(RAISE), A(CONNECT), A(RETRY), 0 };

#undef A

#define FAULT                                                                            \
	{                                                                                \
		RPKI_FATAL, acts_fault                                                   \
	}
#define DROP_FAULT                                                                       \
	{                                                                                \
		RPKI_FATAL, acts_drop_fault                                              \
	}

static const struct cell table[RPKI_STATE_CNT][RPKI_EV_CNT] = {
	[RPKI_DOWN] = {
		[RPKI_EV_BEGIN] = { RPKI_CONNECTING, acts_connect },
	},
	[RPKI_CONNECTING] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_CONNECTED] = { RPKI_START, acts_query },
		[RPKI_EV_LOST] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_RETRY] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_EXPIRE] = { 0, acts_empty },
	},
	[RPKI_START] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_LOST] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_RETRY] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_EXPIRE] = { RPKI_CONNECTING, acts_empty_again },
		[RPKI_EV_RESPONSE] = { RPKI_RUNNING, acts_collect },
		[RPKI_EV_OTHER_SESSION] = { RPKI_CONNECTING, acts_error_again }, /* D1 */
		[RPKI_EV_RECORD] = FAULT,
		[RPKI_EV_END] = FAULT,
		[RPKI_EV_CACHE_RESET] = { 0, acts_anew },
		[RPKI_EV_REPORT_NO_DATA] = { RPKI_NO_DATA, acts_wait },
		[RPKI_EV_LOWER] = { RPKI_CONNECTING, acts_lower },
		[RPKI_EV_REPORT] = { RPKI_FATAL, acts_fail },
		[RPKI_EV_FAULT] = FAULT,
	},
	[RPKI_RUNNING] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_drop_stop },
		[RPKI_EV_LOST] = { RPKI_TRANSPORT, acts_drop_lost },
		[RPKI_EV_RETRY] = { RPKI_TRANSPORT, acts_drop_lost },
		[RPKI_EV_EXPIRE] = { RPKI_CONNECTING, acts_drop_empty },
		[RPKI_EV_RESPONSE] = DROP_FAULT,
		[RPKI_EV_OTHER_SESSION] = DROP_FAULT,
		[RPKI_EV_RECORD] = { 0, acts_take },
		[RPKI_EV_END] = { RPKI_ESTABLISHED, acts_apply },
		[RPKI_EV_SHORT] = { RPKI_ESTABLISHED, acts_keep }, /* D6 */
		[RPKI_EV_CACHE_RESET] = DROP_FAULT,
		[RPKI_EV_REPORT_NO_DATA] = { RPKI_NO_DATA, acts_drop_wait },
		[RPKI_EV_LOWER] = { RPKI_CONNECTING, acts_drop_lower },
		[RPKI_EV_REPORT] = { RPKI_FATAL, acts_drop_fail },
		[RPKI_EV_FAULT] = DROP_FAULT,
	},
	[RPKI_ESTABLISHED] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_LOST] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_REFRESH] = { RPKI_START, acts_query },
		[RPKI_EV_EXPIRE] = { RPKI_START, acts_empty_anew },
		[RPKI_EV_NOTIFY] = { RPKI_START, acts_query },
		[RPKI_EV_RESPONSE] = FAULT,
		[RPKI_EV_OTHER_SESSION] = { RPKI_START, acts_anew }, /* D1 */
		[RPKI_EV_RECORD] = FAULT,
		[RPKI_EV_END] = FAULT,
		[RPKI_EV_CACHE_RESET] = { RPKI_START, acts_anew },
		[RPKI_EV_REPORT_NO_DATA] = { RPKI_NO_DATA, acts_wait },
		[RPKI_EV_REPORT] = { RPKI_FATAL, acts_fail },
		[RPKI_EV_FAULT] = FAULT,
	},
	[RPKI_NO_DATA] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_LOST] = { RPKI_TRANSPORT, acts_lost },
		[RPKI_EV_RETRY] = { RPKI_START, acts_query },
		[RPKI_EV_EXPIRE] = { 0, acts_empty },
		[RPKI_EV_NOTIFY] = { RPKI_START, acts_query },
		[RPKI_EV_RESPONSE] = FAULT,
		[RPKI_EV_OTHER_SESSION] = { RPKI_START, acts_anew }, /* D1 */
		[RPKI_EV_RECORD] = FAULT,
		[RPKI_EV_END] = FAULT,
		[RPKI_EV_CACHE_RESET] = { RPKI_START, acts_anew },
		[RPKI_EV_REPORT] = { RPKI_FATAL, acts_fail },
		[RPKI_EV_FAULT] = FAULT,
	},
	[RPKI_TRANSPORT] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_RETRY] = { RPKI_CONNECTING, acts_connect },
		[RPKI_EV_EXPIRE] = { 0, acts_empty },
	},
	[RPKI_FATAL] = {
		[RPKI_EV_STOP] = { RPKI_DOWN, acts_stop },
		[RPKI_EV_RETRY] = { RPKI_CONNECTING, acts_connect },
		[RPKI_EV_EXPIRE] = { 0, acts_empty },
	},
};

/* What differs while a Serial Query has no whole answer: D4. */
static const struct cell serial_table[2][RPKI_EV_CNT] = {
	[0] = { /* RPKI_START */
		[RPKI_EV_LOST] = { RPKI_CONNECTING, acts_again },
		[RPKI_EV_RETRY] = { RPKI_TRANSPORT, acts_fail },
		[RPKI_EV_RECORD] = { RPKI_CONNECTING, acts_error_again },
		[RPKI_EV_END] = { RPKI_CONNECTING, acts_error_again },
		[RPKI_EV_REPORT_NO_DATA] = { RPKI_START, acts_anew },
		[RPKI_EV_REPORT] = { RPKI_CONNECTING, acts_again },
		[RPKI_EV_FAULT] = { RPKI_CONNECTING, acts_error_again },
	},
	[1] = { /* RPKI_RUNNING */
		[RPKI_EV_RESPONSE] = { RPKI_CONNECTING, acts_drop_error_again },
		[RPKI_EV_OTHER_SESSION] = { RPKI_CONNECTING, acts_drop_error_again },
		[RPKI_EV_CACHE_RESET] = { RPKI_CONNECTING, acts_drop_error_again },
		[RPKI_EV_REPORT_NO_DATA] = { RPKI_START, acts_drop_anew },
		[RPKI_EV_REPORT] = { RPKI_CONNECTING, acts_drop_again },
		[RPKI_EV_FAULT] = { RPKI_CONNECTING, acts_drop_error_again },
	},
};

/* rpki_fsm_special - where the kind of the query decides. */
static const struct cell *
rpki_fsm_special(enum rpki_state s, enum rpki_event e, bool serial)
{
	static const struct cell reset_twice = FAULT; /* D2 */
	bool due = s == RPKI_START || s == RPKI_RUNNING;

	if (s == RPKI_START && e == RPKI_EV_CACHE_RESET && !serial)
		return &reset_twice;
	if (due && serial && serial_table[s == RPKI_RUNNING][e].act)
		return &serial_table[s == RPKI_RUNNING][e];
	return &table[s][e];
}

struct rpki_step
rpki_fsm_step(enum rpki_state s, enum rpki_event e, bool serial)
{
	const struct cell *c = rpki_fsm_special(s, e, serial);
	struct rpki_step st = { .next = c->next ? c->next : (uint8_t)s };

	for (unsigned i = 0; c->act && i < RPKI_STEP_MAX && c->act[i]; i++)
		st.action[st.cnt++] = c->act[i];
	return st;
}

const char *
rpki_state_text(enum rpki_state s)
{
	static const char *const text[] = { [RPKI_STATE_NONE] = "",
#define X(name, t) [RPKI_##name] = (t),
		RPKI_STATE_TABLE(X)
#undef X
	};

	return text[s];
}

const char *
rpki_event_text(enum rpki_event e)
{
	static const char *const text[] = { [RPKI_EV_NONE] = "",
#define X(name, t) [RPKI_EV_##name] = (t),
		RPKI_EVENT_TABLE(X)
#undef X
	};

	return text[e];
}
