/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reason of the present state, and log lines about trouble with a cache and its end:
 * the cache, the fault, and the instance's next step.
 *
 * I1  A step of the machine writes at most one line; a cache can cause SAY_MAX lines a
 *     minute.
 *
 * Loop: the instance's. Tested by test/net/test_rpki.py. */
#include "lib/base/plural.h"
#include "lib/net/ip.h"
#include "lib/wire/rtr.h"
#include "nest/channel/proto.h"
#include "proto/rpki/rpki.h"
#include "proto/rpki/rpki_fsm.h"
#include "proto/rpki/rpki_priv.h"
#include "proto/rpki/rpki_ssh.h"
#include "sysdep/log/log_class.h"
#include "sysdep/log/log_rate.h"
#include "sysdep/loop/loop.h"
#include "sysdep/os/clock.h"

#include <bsd/string.h>
#include <stdio.h>
#include <string.h>

#define SAY_MAX 12
#define SAY_NS  (60 * NS_PER_S)

static bool
say_has(const struct rpki_step *st, enum rpki_action a)
{
	return memchr(st->action, a, st->cnt) != NULL;
}

/* say_is_trouble - does a step on @e in state @before follow from an error? A refused
 * version has a line of its own. */
static bool
say_is_trouble(enum rpki_state before, enum rpki_event e, const struct rpki_step *st)
{
	switch (e) {
	case RPKI_EV_RETRY:
		return before == RPKI_CONNECTING || before == RPKI_START ||
		       before == RPKI_RUNNING;
	case RPKI_EV_LOST:
	case RPKI_EV_OTHER_SESSION:
	case RPKI_EV_REPORT:
	case RPKI_EV_REPORT_NO_DATA:
	case RPKI_EV_SHORT:
		return st->cnt > 0;
	default:
		return say_has(st, RPKI_ACT_SEND_ERROR);
	}
}

/* rpki_say_next - what the instance does next. */
static void
rpki_say_next(
    const struct rpki_proto *s, const struct rpki_step *st, char *buf, size_t len)
{
	if (say_has(st, RPKI_ACT_CONNECT))
		snprintf(buf, len, "connecting again at once, to ask for all data");
	else if (say_has(st, RPKI_ACT_QUERY))
		snprintf(buf, len, "asking for all data at once");
	else if (say_has(st, RPKI_ACT_REFRESH))
		snprintf(buf, len, "asking for all data in %u s", rpki_refresh_s(s));
	else if (say_has(st, RPKI_ACT_BACKOFF))
		snprintf(buf, len, "trying again in %u s", s->timers.wait_s);
	else
		snprintf(buf, len, "waiting");
}

static void
say_line(struct rpki_proto *s, enum log_class c, const char *text)
{
	const struct rpki_conf *rc = rpki_conf(s);
	char ip[IP_STR_MAX];
	uint32_t left_out;

	if (!log_rate_take(
		&s->shown.said, loop_now_ns(&s->p.worker), SAY_NS, SAY_MAX, &left_out))
		return;
	if (left_out)
		proto_log(&s->p, c, "%u more line%s about the cache not logged", left_out,
		    plural(left_out, "", "s"));
	proto_log(&s->p, c, "Cache %s port %u: %s",
	    rc->host ? rc->host : ip_str(ip, rc->ip), rpki_port(rc), text);
}

void
rpki_say(struct rpki_proto *s, enum rpki_state before, enum rpki_event e,
    const struct rpki_step *st)
{
	bool reported = say_has(st, RPKI_ACT_SEND_ERROR);
	bool lost = e == RPKI_EV_LOST || e == RPKI_EV_RETRY || e == RPKI_EV_SHORT;
	char next[64], code[64] = "", text[2 * RPKI_TEXT_MAX];

	if (!say_is_trouble(before, e, st))
		return;
	rpki_say_next(s, st, next, sizeof(next));
	if (reported)
		snprintf(code, sizeof(code), " (%s%s)",
		    rtr_error_text(s->present.fault.error),
		    s->present.about ? "; an Error Report was sent" : "");
	snprintf(text, sizeof(text), "%s%s; %s%s", s->shown.error, code, next,
	    rpki_records(s) ? ", the cache's data stays until expiry" : "");
	s->shown.troubled = true;
	say_line(s, lost ? LOG_C_WARN : LOG_C_REMOTE, text);
}

void
rpki_say_recovered(struct rpki_proto *s)
{
	char text[RPKI_TEXT_MAX];

	if (!s->shown.troubled)
		return;
	s->shown.troubled = false;
	snprintf(text, sizeof(text),
	    "In sync again (version %u, session id %u, serial %u)", s->cache.version,
	    s->cache.session, s->cache.serial);
	say_line(s, LOG_C_INFO, text);
}

void
rpki_say_version(struct rpki_proto *s, const char *why, unsigned version)
{
	char text[2 * RPKI_TEXT_MAX];

	snprintf(text, sizeof(text), "%s: going on with version %u", why, version);
	say_line(s, LOG_C_INFO, text);
}

void
rpki_note(struct rpki_proto *s, const char *text)
{
	strlcpy(s->shown.error, text, sizeof(s->shown.error));
}
