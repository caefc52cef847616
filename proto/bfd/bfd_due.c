/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Due work of sessions: packets to send, and neighbours that are silent (RFC 5880, 6.8.4,
 * 6.8.7).
 *
 * I1  Before the detection time of a session ends, all sockets are read, and the packets
 *     count with the kernel's time: a late worker does not count as a silent neighbour.
 *
 * Loop: the instance's. Tested by test/net/test_bfd.py and test/unit/test_bfd_timer.c. */
#include "nest/bfd/bfd_shown.h"
#include "proto/bfd/bfd_fsm.h"
#include "proto/bfd/bfd_priv.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

/* timers a turn, before messages and packets are handled again */
#define TURN 512

static void
due_detect_fires(struct bfd_session *s, uint64_t now, bool *has_read)
{
	if (now >= bfd_deadline(s) && !*has_read) { /* I1 */
		*has_read = true;
		bfd_rx_all(s->b);
	}
	if (now < bfd_deadline(s)) {
		bfd_retime_detect(s);
		return;
	}
	s->rx_ns = 0;
	s->remote.min_rx_us = 1;
	s->seq.rx_known = false;
	bfd_session_event(s, BFD_EV_EXPIRE);
}

void
bfd_timers(struct timer *t)
{
	struct bfd_proto *b = container_of(t, struct bfd_proto, wake);
	uint64_t now = clock_now_ns();
	bool has_read = false;

	for (unsigned i = 0; i < TURN; i++) {
		struct bfd_timer *due = bfd_timer_take(b, now);

		if (!due)
			break;
		if (due->detects)
			due_detect_fires(due->s, now, &has_read);
		else if (due->s->leave_ns && now >= due->s->leave_ns)
			bfd_session_free(due->s);
		else
			bfd_session_send(due->s, false);
	}
	bfd_out_flush(b);
	bfd_timer_wake(b);
}
