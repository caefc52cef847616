/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the peer: log lines, the last error, and the error of the event under way.
 *
 * I1  Events that the peer can cause at will are logged at a bounded rate.
 *
 * Loop: the session's. Tested by test/net/test_trace.py and
 * test/net/test_open_close.py. */
#include "lib/base/base.h"
#include "lib/base/plural.h"
#include "lib/net/ip.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bgp/bgp_open.h"
#include "lib/wire/bmp.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/session/bgp_fsm.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"
#include <bsd/string.h>
#include <stdarg.h>
#include <stdio.h>

#define LOG_BURST 30 /* lines about the peer at once */

void
session_note(struct bgp_session *s, enum bgp_error_kind k, const char *text)
{
	s->last.error_kind = (uint8_t)k;
	s->last.bad_as = 0;
	if (k)
		s->last.closed = 0;
	strlcpy(s->last.error_text, text, sizeof(s->last.error_text));
}

void
session_log(struct bgp_session *s, enum log_class c, const char *fmt, ...)
{
	uint64_t now = loop_now_ns(&s->p.worker);
	char text[BGP_NOTIFY_TEXT_MAX + 200];
	va_list ap;

	s->log.until_ns = max_u64(s->log.until_ns, now);
	if (s->log.until_ns > now + LOG_BURST * NS_PER_S) {
		s->log.lost++;
		return;
	}
	if (s->log.lost)
		proto_log(&s->p, LOG_C_WARN,
		    "%u line%s not logged, the lines came too fast", s->log.lost,
		    plural(s->log.lost, "", "s"));
	s->log.lost = 0;
	s->log.until_ns += NS_PER_S;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	proto_log(&s->p, c, "%s", text);
}

void
session_error_text(const struct bgp_session *s, char *buf, size_t len)
{
	static const char *const head[] = {
		[BGP_ERR_NONE] = "",
		[BGP_ERR_SENT] = "BGP Error: ",
		[BGP_ERR_RECEIVED] = "Received: ",
		[BGP_ERR_SOCKET] = "Socket: ",
		[BGP_ERR_AUTO] = "Automatic shutdown: ",
		[BGP_ERR_LINK] = "Error: ",
	};

	snprintf(buf, len, "%s%s", head[s->last.error_kind],
	    s->last.error_kind ? s->last.error_text : "");
}

void
session_fault(
    struct bgp_session *s, unsigned code, unsigned subcode, const void *data, size_t len)
{
	s->cause.fault.code = (uint8_t)code;
	s->cause.fault.subcode = (uint8_t)subcode;
	s->cause.fault.data_len = (uint16_t)min_u64(len, sizeof(s->cause.fault.data));
	if (s->cause.fault.data_len)
		memcpy(s->cause.fault.data, data, s->cause.fault.data_len);
}

void
trace_open(const struct bgp_conn *c, const char *what, const struct bgp_open *o)
{
	char id[IP_STR_MAX];

	if (session_traces(c->s, DEBUG_PACKETS))
		proto_log(&c->s->p, LOG_C_TRACE, "%s OPEN(as=%u,hold=%u,id=%s)", what,
		    o->as, o->hold_time, ip_str(id, ip4(o->router_id)));
}
