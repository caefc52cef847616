/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log lines of `debug { routes, filters }`: routes that pass a channel, and refused
 * routes. The lines are BIRD's, except that a session does not know whether a route
 * becomes best.
 *
 * A traced channel looks at each net, even where a whole segment could be sent at once
 * (channel_send.c); an untraced channel tests a flag for each flush and each UPDATE.
 *
 * Loop: the session's. Tested by test/net/test_trace.py. */
#include "nest/channel/channel_priv.h"

#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/sink.h"
#include "nest/conf/config.h"
#include "nest/rib/nlri.h"
#include "sysdep/log/log.h"

#define IS_SET (1u << 31)

void
channel_debug(struct channel *ch, uint32_t mask)
{
	store_relaxed32(&ch->log.debug_set, mask | IS_SET);
}

void
channel_debug_configured(struct channel *ch)
{
	store_relaxed32(&ch->log.debug_set, 0);
}

static void
channel_trace_line(
    const struct channel *ch, char way, const char *what, const struct nlri *n)
{
	char net[NLRI_STR_MAX];

	log_msg(LOG_C_TRACE, "%s.%s %c %s %s", ch->proto->name, channel_name(ch), way,
	    what, nlri_str(net, ch->kind, n->word, n->head));
}

void
channel_trace_import(
    const struct channel *ch, enum trace_import what, const uint8_t *nlri, uint32_t len)
{
	static const char *const text[] = { "added", "removed", "filtered out" };
	uint32_t class = what == TRACE_FILTERED ? DEBUG_FILTERS : DEBUG_ROUTES;
	struct nlri n;

	for (uint32_t pos = 0; (ch->log.traces & class) && pos < len;) {
		pos += ch->imp.id_len;
		pos += NLRI_BY_KIND(ch->kind, nlri_get, &n, nlri + pos);
		channel_trace_line(ch, '>', text[what], &n);
	}
}

void
channel_trace_export(const struct channel *ch, uint32_t id, const uint8_t *nlri,
    const struct export_answer *a, bool blocked)
{
	bool held = channel_holds(ch->rd, id, 1), goes;
	struct nlri n;

	NLRI_BY_KIND(ch->kind, nlri_get, &n, nlri);
	goes = a && a->verdict == EXPORT_ACCEPT && !blocked;
	if (a && !goes && (ch->log.traces & DEBUG_FILTERS))
		channel_trace_line(ch, '<',
		    blocked    ? "ignored [limit]"
		    : a->ruled ? "rejected by protocol"
			       : "filtered out",
		    &n);
	if (ch->log.traces & DEBUG_ROUTES) {
		if (goes)
			channel_trace_line(ch, '<', held ? "replaced" : "added", &n);
		else if (held)
			channel_trace_line(ch, '<', "removed", &n);
	}
}
