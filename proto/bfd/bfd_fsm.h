/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state machine of a BFD session as a pure function (RFC 5880, 6.2, 6.8.6, 6.8.4,
 * 6.8.16).
 *
 * States (lib/wire/bfd.h), and the guarantees of each state:
 *
 *   AdminDown    the local side has taken the session down; packets are ignored
 *   Down         no path is known; packets are sent rarely
 *   Init         the other side is heard, but does not hear the local side yet; detection
 *                runs
 *   Up           both sides hear each other; detection runs
 *
 * Pure functions; any thread. */
#ifndef TERN_PROTO_BFD_BFD_FSM_H
#define TERN_PROTO_BFD_BFD_FSM_H

#include "lib/wire/bfd.h"

/* BFD_EVENT_TABLE(X): name, text. RX_*: a good packet with that state. */
#define BFD_EVENT_TABLE(X)                                                               \
	X(RX_ADMIN_DOWN, "AdminDown received")                                           \
	X(RX_DOWN, "Down received")                                                      \
	X(RX_INIT, "Init received")                                                      \
	X(RX_UP, "Up received")                                                          \
	X(EXPIRE, "detection time is over")                                              \
	X(PATH, "the link is gone")                                                      \
	X(DISABLE, "session disabled")                                                   \
	X(ENABLE, "session enabled")

enum bfd_event {
#define X(name, text) BFD_EV_##name,
	BFD_EVENT_TABLE(X)
#undef X
	    BFD_EV_CNT
};

/* BFD_ACTION_TABLE(X): name, text. */
#define BFD_ACTION_TABLE(X)                                                              \
	X(CLEAR, "diagnostic: none")                                                     \
	X(EXPIRED, "diagnostic: time expired")                                           \
	X(SIGNALED, "diagnostic: neighbor signaled")                                     \
	X(PATH, "diagnostic: path down")                                                 \
	X(ADMIN, "diagnostic: administratively down")                                    \
	X(FORGET, "forget the neighbor's discriminator")                                 \
	X(NOTIFY_UP, "report the session up")                                            \
	X(NOTIFY_DOWN, "report the session down")                                        \
	X(NOTIFY_ADMIN, "report the session as taken down")                              \
	X(SEND, "send a packet")

enum bfd_action {
	BFD_ACT_NONE,
#define X(name, text) BFD_ACT_##name,
	BFD_ACTION_TABLE(X)
#undef X
};

#define BFD_STEP_MAX 4

/* The result of a step. Owner: the caller. Life: by value. */
struct bfd_step {
	uint8_t next; /* enum bfd_state */
	uint8_t cnt;
	uint8_t action[BFD_STEP_MAX]; /* enum bfd_action, in order */
};

/* bfd_fsm_step - pure. */
struct bfd_step bfd_fsm_step(enum bfd_state s, enum bfd_event e);

static inline enum bfd_event
bfd_rx_event(enum bfd_state received)
{
	return (enum bfd_event)(BFD_EV_RX_ADMIN_DOWN + received);
}

#endif
