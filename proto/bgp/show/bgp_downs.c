/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last losses of a session, with reasons. The list survives configurations and
 * `disable` and ends with the instance.
 *
 * I1  A published list is immutable: each loss publishes a new list.
 *
 * Loops: bgp_downs_note, bgp_downs_add in the instance's worker; the printers in any
 * thread, under RCU. Tested by test/net/test_json.py. */
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/mt/rcu.h"
#include "lib/wire/bgp/bgp_err.h"
#include "lib/wire/bgp/bgp_notify.h"
#include "nest/channel/proto.h"
#include "nest/core/reply.h"
#include "proto/bgp/session/bgp_instance.h"
#include "proto/bgp/session/bgp_state.h"
#include "sysdep/log/log_class.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <stdio.h>

#define DOWNS_MAX   10
#define MESSAGE_MAX 128

/* A loss of the session. */
struct bgp_down {
	uint64_t at_ns, up_ns; /* time of the loss, and how long the session was up */
	struct bgp_notification notice;
	char error[BGP_ERROR_TEXT + 16]; /* text of `Last error`; "": none */
	char message[MESSAGE_MAX]; /* shutdown message, local or remote; "": none */
};

/* Owner: the session. Freed a grace period after its replacement. */
struct bgp_downs {
	struct rcu_node rcu;
	uint32_t cnt; /* of all losses */
	struct bgp_down last[DOWNS_MAX]; /* the newest first */
};

/* ---- in the instance's worker ---- */

void
bgp_downs_note(struct bgp_session *s, bool sent, const struct bgp_notify *n)
{
	s->last.notice = (struct bgp_notification){ sent, n->code, n->subcode };
}

static void
downs_gone(struct rcu_node *n)
{
	mem_free(MEM_PROTO, container_of(n, struct bgp_downs, rcu));
}

static bool
downs_has_message(const struct bgp_notification *t)
{
	return t->code == BGP_E_CEASE &&
	       (t->subcode == BGP_EC_ADMIN_SHUTDOWN || t->subcode == BGP_EC_ADMIN_RESET);
}

void
bgp_downs_add(struct bgp_session *s)
{
	const struct proto_status *st = proto_status_get(&s->p);
	struct bgp_downs *old = load_relaxed_ptr(&s->shown.downs),
			 *d = mem_zalloc(MEM_PROTO, sizeof(*d));
	struct bgp_down *now = &d->last[0];

	if (old) {
		d->cnt = old->cnt;
		memcpy(&d->last[1], &old->last[0], sizeof(d->last) - sizeof(d->last[0]));
	}
	d->cnt++;
	now->at_ns = loop_now_ns(&s->p.worker);
	if (st->state == PS_UP && st->since_ns < now->at_ns)
		now->up_ns = now->at_ns - st->since_ns;
	now->notice = s->last.notice;
	session_error_text(s, now->error, sizeof(now->error));
	if (downs_has_message(&s->last.notice))
		snprintf(now->message, sizeof(now->message), "%.*s", MESSAGE_MAX - 1,
		    s->last.message);
	session_log(
	    s, LOG_C_INFO, "Session closed%s%s", now->error[0] ? ": " : "", now->error);
	s->last.closed = 0;
	if (now->notice.sent && now->notice.code == BGP_E_CEASE && !s->last.error_kind)
		s->last.closed = now->notice.subcode;
	s->last.notice = (struct bgp_notification){ 0 };
	store_release_ptr(&s->shown.downs, d); /* pairs: BDOWNS */
	if (old)
		rcu_free_later(&old->rcu, downs_gone);
}

void
bgp_downs_free(struct bgp_session *s)
{
	mem_free(MEM_PROTO, load_relaxed_ptr(&s->shown.downs));
}

/* ---- any thread ---- */

static uint32_t
downs_shown_cnt(const struct bgp_downs *d)
{
	return d ? (uint32_t)min_u64(d->cnt, DOWNS_MAX) : 0;
}

uint32_t
bgp_losses(const struct proto *p)
{
	const struct bgp_session *s = container_of(p, struct bgp_session, p);
	const struct bgp_downs *d = load_acquire_ptr(&s->shown.downs); /* pairs: BDOWNS */

	return d ? d->cnt : 0;
}

static void
downs_reply_notice(struct reply *r, const struct bgp_notification *n)
{
	reply_open(r, "notification");
	reply_bool(r, "sent", NULL, n->sent);
	reply_text(r, n->sent ? ", sent " : ", received ");
	reply_u64(r, "code", "%s/", n->code);
	reply_u64(r, "subcode", "%s ", n->subcode);
	reply_str(r, "text", "%s", bgp_err_text(n->code, n->subcode));
	reply_close(r);
}

/* downs_reply_one - "Down at: 2026-11-23 19:48:30 after 12 s, sent 6/2 Administrative
 * shutdown: message". The text has the error only without a NOTIFICATION. */
static void
downs_reply_one(struct reply *r, const struct bgp_down *d)
{
	char text[BGP_SHUTDOWN_MAX + 1];

	reply_open(r, NULL);
	reply_time(r, "at_unix_s", "    Down at:          %s", d->at_ns);
	reply_seconds(r, "up_s", NULL, d->up_ns);
	reply_text(r, " after %llu s", (unsigned long long)(d->up_ns / NS_PER_S));
	reply_fill(r, "error", d->notice.code ? NULL : ", %s", d->error);
	if (d->notice.code)
		downs_reply_notice(r, &d->notice);
	reply_fill(r, "message", NULL, d->message);
	if (d->message[0])
		reply_text(r, ": %s", bgp_text_clean(text, sizeof(text), d->message));
	reply_text(r, "\n");
	reply_close(r);
}

void
bgp_downs_reply(const struct bgp_session *s, struct reply *r)
{
	const struct bgp_downs *d = load_acquire_ptr(&s->shown.downs); /* pairs: BDOWNS */

	reply_u64(r, "down_count", NULL, bgp_losses(&s->p));
	reply_list(r, "downs");
	for (uint32_t i = 0; i < downs_shown_cnt(d); i++)
		downs_reply_one(r, &d->last[i]);
	reply_close(r);
}
