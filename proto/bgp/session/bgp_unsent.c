/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `tx size warning`: a peer that accepts fewer octets than wait for it.
 *
 * The option costs a timer a second. The warning is logged once, and again after at least
 * half of the octets were sent meanwhile.
 *
 * Loop: the session's. Tested by test/net/test_slow_peer.py. */
#include "lib/net/prefix.h"
#include "nest/channel/channel.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_instance.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include <inttypes.h>

static void
unsent_fires(struct timer *t)
{
	unsent_look(container_of(t, struct bgp_session, unsent.timer));
}

void
unsent_init(struct bgp_session *s)
{
	timer_init(&s->unsent.timer, &s->p.worker, unsent_fires);
}

void
unsent_look(struct bgp_session *s)
{
	uint32_t most = session_conf(s)->tcp.tx_size_warning;
	uint64_t cnt = 0;

	timer_cancel(&s->unsent.timer);
	if (!most || !s->est) {
		s->unsent.said = false;
		return;
	}
	timer_set(&s->unsent.timer, loop_now_ns(&s->p.worker) + NS_PER_S);
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (s->chan[f])
			cnt += channel_unsent(s->chan[f]);
	if (cnt > most && !s->unsent.said) {
		session_log(s, LOG_C_WARN,
		    "%" PRIu64 " changed prefixes wait to be sent, tx size warning is %u",
		    cnt, most);
		s->unsent.said = true;
	} else if (cnt <= most / 2) {
		s->unsent.said = false;
	}
}
