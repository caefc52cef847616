/* SPDX-License-Identifier: GPL-3.0-or-later */
/* End of a connection with a NOTIFICATION: this file encodes and sends the NOTIFICATION,
 * writes the log line, and notes the loss in the session's record.
 *
 * Loop: the session's. Tested by test/unit/test_bgp_session.c. */
#include "lib/base/base.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_msg.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "lib/wire/bmp.h"
#include "lib/wire/wbuf.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_restart.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"

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
		bgp_conn_send(c, buf, (uint32_t)wbuf_len(&w));
	if (n.code == BGP_E_CEASE && n.subcode == BGP_EC_COLLISION)
		return; /* nobody's error */
	s->restart.hard = hard.data == inner;
	bgp_notify_text(text, &hard);
	bgp_downs_note(s, true, &n);
	if (n.code != BGP_E_CEASE)
		session_note(s, BGP_ERR_SENT, bgp_err_text(n.code, n.subcode));
	if (n.code == BGP_E_OPEN && n.subcode == BGP_EO_PEER_AS && n.data_len == 4)
		s->last.bad_as = get_be32(n.data);
	if (n.code == BGP_E_CEASE)
		session_log(s, LOG_C_INFO, "Closing: %s", text);
	else
		session_log(s, LOG_C_REMOTE, "Error: %s%s%s%s", text,
		    s->cause.fault.text ? " (" : "",
		    s->cause.fault.text ? s->cause.fault.text : "",
		    s->cause.fault.text ? ")" : "");
}
