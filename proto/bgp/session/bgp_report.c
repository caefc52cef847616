/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages to the peer and about the peer: NOTIFICATIONs, log lines, and the last error.
 *
 * I1  Events that the peer can cause at will are logged at a bounded rate.
 *
 * Loop: the session's. */
#include "lib/base/base.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "nest/channel/proto.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_restart.h"
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
		    "%u lines weren't logged, they came too fast", s->log.lost);
	s->log.lost = 0;
	s->log.until_ns += NS_PER_S;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	proto_log(&s->p, c, "%s", text);
}

void
session_notify(struct bgp_conn *c, const struct bgp_step *st)
{
	struct bgp_session *s = c->s;
	struct bgp_notify n = { st->code, st->subcode, 0, NULL }, hard;
	char text[BGP_NOTIFY_TEXT_MAX];
	uint8_t inner[2 + sizeof(s->cause.fault.data)];
	uint8_t buf[BGP_HDR_LEN + 2 + sizeof(inner)];
	struct wbuf w = wbuf_of(buf, sizeof(buf));

	if (!st->code)
		n = (struct bgp_notify){ s->cause.fault.code, s->cause.fault.subcode,
			s->cause.fault.data_len, s->cause.fault.data };
	hard = n;
	if (restart_is_hard(c, &n))
		hard = bgp_notify_wrap(inner, &n);
	bgp_notify_encode(&w, &hard);
	mon_last(c, BMP_DOWN_LOCAL_NOTIFICATION, buf, wbuf_len(&w));
	if (!w.bad)
		conn_send(c, buf, (uint32_t)wbuf_len(&w));
	if (n.code == BGP_E_CEASE && n.subcode == BGP_EC_COLLISION)
		return; /* nobody's error */
	s->restart.hard = hard.data == inner;
	bgp_notify_text(text, &hard);
	bgp_downs_note(s, true, &n);
	if (n.code != BGP_E_CEASE)
		session_note(s, BGP_ERR_SENT, bgp_err_text(n.code, n.subcode));
	if (n.code == BGP_E_CEASE)
		session_log(s, LOG_C_INFO, "Closing: %s", text);
	else
		session_log(s, LOG_C_REMOTE, "Error: %s%s%s%s", text,
		    s->cause.fault.text ? " (" : "",
		    s->cause.fault.text ? s->cause.fault.text : "",
		    s->cause.fault.text ? ")" : "");
}
