/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show health: findings for an operator or a monitoring system. Each finding is a line,
 * and the reply then ends with CLI_UNHEALTHY. Absent members and stale routes are only
 * counted, because some are always present.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/net/test_health.py. */
#include "lib/base/json.h"
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
#include "nest/core/tern.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

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

	if (s->json) {
		struct json *j = cli_object(s, "problem");

		json_str(j, "kind", a->kind);
		json_str(j, "protocol", a->proto);
		json_str(j, "channel", a->channel);
		json_str(j, "table", a->table);
		json_str(j, "text", text);
		cli_object_end(s);
	} else {
		cli_say(s, CLI_STATUS_LINE, "Problem: %.480s", text);
	}
}

/* ---- facts without findings ---- */

static void
health_say_data(struct cli_session *s, const struct proto *p)
{
	uint64_t ago_ns = 0;
	bool late, has;

	if (!p->cls->health.data_age)
		return;
	has = p->cls->health.data_age(p, &ago_ns, &late);
	if (s->json) {
		struct json *j = cli_object(s, "rpki_data");

		json_str(j, "protocol", p->name);
		if (has)
			json_seconds(j, "updated_age_s", ago_ns);
		cli_object_end(s);
	} else if (has) {
		cli_say(s, CLI_STATUS_LINE, "Data of %s: %llu.%03u s old", p->name,
		    (unsigned long long)(ago_ns / NS_PER_S),
		    (unsigned)(ago_ns % NS_PER_S / NS_PER_MS));
	} else {
		cli_say(s, CLI_STATUS_LINE, "Data of %s: none yet", p->name);
	}
}

static void
health_say_slowest(struct cli_session *s, const struct health *h)
{
	const struct channel *ch = h->slowest;

	if (!ch) {
		cli_say(s, CLI_STATUS_LINE, "Slowest member: none is behind");
		return;
	}
	cli_say(s, CLI_STATUS_LINE, "Slowest member: %s.%s, behind for %llu.%03u s",
	    channel_proto(ch)->name, channel_name(ch),
	    (unsigned long long)(h->behind_ns / NS_PER_S),
	    (unsigned)(h->behind_ns % NS_PER_S / NS_PER_MS));
}

static void
health_say_totals(
    struct cli_session *s, const struct health *h, const struct tern_view *v)
{
	struct log_lost lost;
	char text[128];

	cli_say(s, CLI_STATUS_LINE, "Sessions: %u of %u up", h->up, h->wanted);
	cli_say(s, CLI_STATUS_LINE, "Stale routes: %llu", (unsigned long long)h->stale);
	health_say_slowest(s, h);
	clock_print(
	    text, sizeof(text), cli_time(s, &v->conf->conf->time.base), v->conf_time_ns);
	cli_say(s, CLI_STATUS_LINE, "Configured: %s", text);
	cli_say(s, CLI_STATUS_LINE, "Digest of its files: %s", v->conf->conf->digest);
	cli_say(s, CLI_STATUS_LINE, "Log lines dropped: %llu",
	    (unsigned long long)log_dropped());
	log_lost(&lost);
	cli_say(s, CLI_STATUS_LINE, "Log lines not written: %llu",
	    (unsigned long long)lost.lines);
	cli_say(s, CLI_STATUS_LINE, "Audit lines lost: %llu",
	    (unsigned long long)lost.audit_lines);
}

static void
health_put_totals(
    struct cli_session *s, const struct health *h, const struct tern_view *v)
{
	struct json *j = cli_object(s, "sessions");
	struct log_lost lost;

	json_u64(j, "up", h->up);
	json_u64(j, "wanted", h->wanted);
	json_u64(j, "stale_routes", h->stale);
	if (h->slowest) {
		json_open(j, "slowest");
		json_str(j, "protocol", channel_proto(h->slowest)->name);
		json_str(j, "channel", channel_name(h->slowest));
		json_seconds(j, "behind_s", h->behind_ns);
		json_u64(j, "dirty_networks",
		    counter64_get(&channel_stats_get(h->slowest)->dirty));
		json_close(j);
	}
	cli_object_end(s);
	j = cli_object(s, "configuration");
	json_seconds(j, "configured_unix_s", clock_real_ns(v->conf_time_ns));
	json_str(j, "sha256", v->conf->conf->digest);
	cli_object_end(s);
	j = cli_object(s, "log");
	json_u64(j, "dropped_lines", log_dropped());
	log_lost(&lost);
	json_u64(j, "lost_lines", lost.lines);
	json_u64(j, "lost_audit_lines", lost.audit_lines);
	cli_object_end(s);
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
	if (s->json)
		health_put_totals(s, h, v);
	else
		health_say_totals(s, h, v);
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		health_say_data(s, v->proto[i]);
	if (h->findings)
		cli_end(s, CLI_UNHEALTHY, "%u problem%s", h->findings,
		    h->findings == 1 ? "" : "s");
	else
		cli_end(s, CLI_STATUS, "No problems");
}
