/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session tells the log, and keeps as its last error. Loop: the session's. Tests:
 * test_bgp_session.c, test/net/test_bgp. */
#include "lib/wire/bgp_notify.h"
#include "nest/channel/proto.h"
#include "proto/bgp/session/bgp_priv.h"
#include "sysdep/clock.h"
#include "sysdep/log_class.h"
#include "sysdep/loop.h"
#include <stdarg.h>
#include <stdio.h>

#define LOG_BURST 30 /* lines about the peer at once */

void
session_note(struct bgp_session *s, enum bgp_error_kind k, const char *text)
{
	s->error_kind = (uint8_t)k;
	snprintf(s->error_text, sizeof(s->error_text), "%s", text);
}

void
session_log(struct bgp_session *s, enum log_class c, const char *fmt, ...)
{
	uint64_t now = loop_now_ns(&s->p.worker);
	char text[BGP_NOTIFY_TEXT_MAX + 200];
	va_list ap;

	s->log_until_ns = max_u64(s->log_until_ns, now);
	if (s->log_until_ns > now + LOG_BURST * NS_PER_S) {
		s->log_lost++;
		return;
	}
	if (s->log_lost)
		proto_log(&s->p, LOG_C_WARN,
		    "%u lines weren't logged, they came too fast", s->log_lost);
	s->log_lost = 0;
	s->log_until_ns += NS_PER_S;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	proto_log(&s->p, c, "%s", text);
}
