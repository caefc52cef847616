/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a session for `show members`: the session's member, and the cause that the
 * session is down.
 *
 * Any thread, under RCU. Tested by test/net/test_members.py. */
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "nest/channel/proto.h"
#include "nest/conf/config.h"
#include "proto/bgp/conf/bgp_conf.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "proto/bgp/show/bgp_snap_priv.h"

#include <bsd/string.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* member_is_way - is @text an error of the way to the peer? */
static bool
member_is_way(const char *text)
{
	static const int way[] = { ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ENODEV,
		EADDRNOTAVAIL };

	for (unsigned i = 0; i < ARRAY_LEN(way); i++)
		if (!strcmp(text, strerror(way[i])))
			return true;
	return strstr(text, "interface") != NULL;
}

/* member_cause_of_error - the cause that the error of @n names. */
static enum member_cause
member_cause_of_error(const struct bgp_snap *n)
{
	switch (n->error_kind) {
	case BGP_ERR_SENT: /* a silent peer and a wrong AS number are the peer's fault */
		return n->bad_as ||
			       !strcmp(n->error_text, bgp_err_text(BGP_E_HOLD_TIMER, 0))
			   ? MEMBER_THEM
			   : MEMBER_US;
	case BGP_ERR_SOCKET:
		return member_is_way(n->error_text) ? MEMBER_LINK : MEMBER_THEM;
	case BGP_ERR_LINK:
		return strncmp(n->error_text, "BFD", 3) ? MEMBER_LINK : MEMBER_BFD;
	case BGP_ERR_AUTO:
		return strstr(n->error_text, "limit") ? MEMBER_LIMIT : MEMBER_THEM;
	default:
		return MEMBER_THEM;
	}
}

/* member_disabled - who has disabled the session. */
static void
member_disabled(
    const struct proto *p, const struct proto_status *st, struct proto_member *out)
{
	const char *by = proto_drain_get(p)                ? "drained by an operator"
			 : load_relaxed32(&p->orders.held) ? "held by an operator"
			 : proto_conf_get(p)->disabled ? "disabled in the configuration"
						       : "disabled by an operator";
	char text[sizeof(st->message)];

	out->cause = MEMBER_US;
	snprintf(out->text, sizeof(out->text), "%s%s%s", by, st->message[0] ? ": " : "",
	    bgp_text_clean(text, sizeof(text), st->message));
}

static void
member_error(
    const struct bgp_snap *n, const struct proto_status *st, struct proto_member *out)
{
	bool has_text = n->error_kind == BGP_ERR_RECEIVED && st->message[0];
	char text[sizeof(st->message)];

	out->cause = member_cause_of_error(n);
	if (n->bad_as && out->as) {
		snprintf(out->text, sizeof(out->text), "%s %u, expected %u",
		    n->error_text, n->bad_as, out->as);
		return;
	}
	if (out->cause == MEMBER_LIMIT && n->limit[0]) {
		snprintf(out->text, sizeof(out->text), "%s: %s", n->error_text, n->limit);
		return;
	}
	snprintf(out->text, sizeof(out->text), "%s%s%s", n->error_text,
	    has_text ? ": " : "",
	    has_text ? bgp_text_clean(text, sizeof(text), st->message) : "");
}

/* member_closed - this side closed the session without an error: a command, or a
 * configuration. */
static void
member_closed(
    const struct bgp_snap *n, const struct proto_status *st, struct proto_member *out)
{
	bool has_text = n->closed == BGP_EC_ADMIN_RESET && st->message[0];
	char text[sizeof(st->message)];

	out->cause = n->closed == BGP_EC_PREFIX_LIMIT ? MEMBER_LIMIT : MEMBER_US;
	snprintf(out->text, sizeof(out->text), "%s%s%s",
	    bgp_err_text(BGP_E_CEASE, n->closed), has_text ? ": " : "",
	    has_text ? bgp_text_clean(text, sizeof(text), st->message) : "");
}

static void
member_last_cause(
    const struct proto *p, const struct bgp_snap *n, struct proto_member *out)
{
	const struct proto_status *st = proto_status_get(p);
	struct strbuf trouble;

	if (st->by_limit || (st->disabled && n && n->error_kind == BGP_ERR_AUTO)) {
		out->cause = MEMBER_LIMIT;
		snprintf(out->text, sizeof(out->text), "disabled by %s",
		    n && n->limit[0] ? n->limit : "a route limit");
	} else if (st->state == PS_DOWN && st->disabled) {
		member_disabled(p, st, out);
	} else {
		strbuf_init(&trouble);
		bgp_trouble(p, &trouble);
		out->cause = MEMBER_THEM;
		if (trouble.len) {
			out->cause = MEMBER_US;
			strlcpy(out->text, trouble.s, sizeof(out->text));
		} else if (n && n->error_kind) {
			member_error(n, st, out);
		} else if (n && n->closed) {
			member_closed(n, st, out);
		} else {
			strlcpy(out->text, "not connected yet", sizeof(out->text));
		}
		strbuf_fini(&trouble);
	}
}

bool
bgp_member(const struct proto *p, struct proto_member *out)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_snap *n = load_acquire_ptr(&s->shown.snap); /* pairs: BSNAP */
	const struct bgp_conf *cf = bgp_conf_of(proto_conf_get(p));

	if (cf->dynamic.has_range)
		return false;
	*out = (struct proto_member){ .as = cf->id.remote_as || !n ? cf->id.remote_as
								   : n->peer_as,
		.addr = cf->id.remote_ip,
		.iface = cf->id.iface };
	if (proto_status_get(p)->state != PS_UP)
		member_last_cause(p, n, out);
	return true;
}
