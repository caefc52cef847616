/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show health: findings for an operator or a monitoring system. Each finding is a line,
 * and the reply then ends with CLI_UNHEALTHY. Absent members and stale routes are only
 * counted, because some are always present.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/net/test_health.py. */
#include "lib/base/plural.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/health.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "sysdep/log/log.h"

#include <limits.h>

/* A look for a session. */
struct health_show {
	struct health h; /* first */
	struct cli_session *s;
};

static void
cmd_health_found(struct health *h, const struct health_about *a, const char *text)
{
	struct cli_session *s = container_of(h, struct health_show, h)->s;
	struct reply *r = cli_reply(s, "problem");

	reply_str(r, "kind", NULL, a->kind);
	reply_str(r, "protocol", NULL, a->proto);
	reply_str(r, "channel", NULL, a->channel);
	reply_str(r, "table", NULL, a->table);
	reply_str(r, "text", "Problem: %.480s\n", text);
	cli_reply_end(s, CLI_STATUS_LINE);
}

/* ---- facts without findings ---- */

static void
health_reply_data(struct cli_session *s, const struct proto *p)
{
	uint64_t ago_ns = 0;
	struct reply *r;
	bool late;

	if (!p->cls->health.data_age)
		return;
	r = cli_reply(s, "rpki_data");
	reply_str(r, "protocol", "Data of %s: ", p->name);
	if (p->cls->health.data_age(p, &ago_ns, &late))
		reply_seconds(r, "updated_age_s", "%s s old\n", ago_ns);
	else
		reply_text(r, "none yet\n");
	cli_reply_end(s, CLI_STATUS_LINE);
}

static void
health_reply_sessions(struct cli_session *s, const struct health *h)
{
	const struct channel *ch = h->slowest;
	struct reply *r = cli_reply(s, "sessions");

	reply_u64(r, "up", "Sessions: %s of ", h->up);
	reply_u64(r, "wanted", "%s up\n", h->wanted);
	reply_u64(r, "stale_routes", "Stale routes: %s\n", h->stale);
	if (ch) {
		reply_open(r, "slowest");
		reply_str(r, "protocol", "Slowest member: %s", channel_proto(ch)->name);
		reply_str(r, "channel", ".%s", channel_name(ch));
		reply_seconds(r, "behind_s", ", behind for %s s\n", h->behind_ns);
		reply_u64(r, "dirty_networks", NULL,
		    counter64_get(&channel_stats_get(ch)->dirty));
		reply_close(r);
	} else {
		reply_text(r, "Slowest member: none is behind\n");
	}
	cli_reply_end(s, CLI_STATUS_LINE);
}

static void
health_reply_totals(
    struct cli_session *s, const struct health *h, const struct tern_view *v)
{
	struct log_lost lost;
	struct reply *r;

	health_reply_sessions(s, h);
	r = cli_reply(s, "configuration");
	reply_time(r, "configured_unix_s", "Configured: %s\n", v->conf_time_ns);
	reply_str(r, "sha256", "Digest of its files: %s\n", v->conf->conf->digest);
	cli_reply_end(s, CLI_STATUS_LINE);
	r = cli_reply(s, "log");
	reply_u64(r, "dropped_lines", "Log lines dropped: %s\n", log_dropped());
	log_lost(&lost);
	reply_u64(r, "lost_lines", "Log lines not written: %s\n", lost.lines);
	reply_u64(r, "lost_audit_lines", "Audit lines lost: %s\n", lost.audit_lines);
	cli_reply_end(s, CLI_STATUS_LINE);
}

void
cmd_show_health(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	struct health_show hs = { .h = { .tern = s->tern, .found = cmd_health_found },
		.s = s };
	const struct health *h = &hs.h;

	if (!cli_at_end(s, sc))
		return;
	if (v->conf_bad)
		hs.h.conf_bad_len = (unsigned)cmd_conf_bad_len(s, v, INT_MAX);
	health_find(&hs.h, v);
	health_reply_totals(s, h, v);
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		health_reply_data(s, v->proto[i]);
	if (h->findings)
		cli_end(s, CLI_UNHEALTHY, "%u problem%s", h->findings,
		    plural(h->findings, "", "s"));
	else
		cli_end(s, CLI_STATUS, "No problems");
}
