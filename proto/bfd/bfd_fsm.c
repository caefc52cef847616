/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine as a table: one row a state, one cell an event.
 *
 * I1  An unnamed cell does nothing: the state stays, no action is taken.
 * I2  Each change of state sends a packet, so the other side learns of the change at
 *     once.
 * I3  Each way out of Up has exactly one of NOTIFY_DOWN and NOTIFY_ADMIN, and no other
 *     cell has NOTIFY_DOWN: a protocol that was notified of "up" is also notified of the
 *     end.
 * I4  Nothing here depends on time, sockets or configuration.
 *
 * RFC 5880 leaves open when the diagnostic is cleared: tern clears the diagnostic when
 * the session comes up, so the diagnostic always describes the last failure.
 *
 * Any loop: pure functions. */
#include "proto/bfd/bfd_fsm.h"

struct cell {
	uint8_t next;
	uint8_t act[BFD_STEP_MAX]; /* ends with NONE, or is full; none at all: I1 */
};

#define A(x) BFD_ACT_##x

static const struct cell table[BFD_STATE_CNT][BFD_EV_CNT] = {
	[BFD_ADMIN_DOWN] = {
		[BFD_EV_ENABLE] = { BFD_DOWN, { A(CLEAR), A(SEND) } },
	},
	[BFD_DOWN] = {
		[BFD_EV_RX_DOWN] = { BFD_INIT, { A(SEND) } },
		[BFD_EV_RX_INIT] = { BFD_UP, { A(CLEAR), A(NOTIFY_UP), A(SEND) } },
		[BFD_EV_EXPIRE] = { BFD_DOWN, { A(FORGET) } },
		[BFD_EV_PATH] = { BFD_DOWN, { A(PATH), A(FORGET) } },
		[BFD_EV_DISABLE] = { BFD_ADMIN_DOWN, { A(ADMIN), A(SEND) } },
	},
	[BFD_INIT] = {
		[BFD_EV_RX_ADMIN_DOWN] = { BFD_DOWN, { A(SIGNALED), A(SEND) } },
		[BFD_EV_RX_INIT] = { BFD_UP, { A(CLEAR), A(NOTIFY_UP), A(SEND) } },
		[BFD_EV_RX_UP] = { BFD_UP, { A(CLEAR), A(NOTIFY_UP), A(SEND) } },
		[BFD_EV_EXPIRE] = { BFD_DOWN, { A(EXPIRED), A(FORGET), A(SEND) } },
		[BFD_EV_PATH] = { BFD_DOWN, { A(PATH), A(FORGET), A(SEND) } },
		[BFD_EV_DISABLE] = { BFD_ADMIN_DOWN, { A(ADMIN), A(SEND) } },
	},
	[BFD_UP] = {
		[BFD_EV_RX_ADMIN_DOWN] = { BFD_DOWN,
		    { A(SIGNALED), A(NOTIFY_ADMIN), A(SEND) } },
		[BFD_EV_RX_DOWN] = { BFD_DOWN, { A(SIGNALED), A(NOTIFY_DOWN), A(SEND) } },
		[BFD_EV_EXPIRE] = { BFD_DOWN,
		    { A(EXPIRED), A(FORGET), A(NOTIFY_DOWN), A(SEND) } },
		[BFD_EV_PATH] = { BFD_DOWN,
		    { A(PATH), A(FORGET), A(NOTIFY_DOWN), A(SEND) } },
		[BFD_EV_DISABLE] = { BFD_ADMIN_DOWN,
		    { A(ADMIN), A(NOTIFY_ADMIN), A(SEND) } },
	},
};

struct bfd_step
bfd_fsm_step(enum bfd_state s, enum bfd_event e)
{
	const struct cell *c = &table[s][e];
	struct bfd_step st = { .next = c->act[0] ? c->next : (uint8_t)s };

	for (unsigned i = 0; i < BFD_STEP_MAX && c->act[i]; i++)
		st.action[st.cnt++] = c->act[i];
	return st;
}
