/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show health: findings for an operator or a monitoring system. Each finding is a line,
 * and the reply then ends with CLI_UNHEALTHY. Absent members and stale routes are only
 * counted, because some are always present.
 *
 * All data is published state, read under RCU in one step.
 *
 * No state; in the session's loop. Tested by test/net/test_health.py. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/conf/config_ref.h"
#include "nest/core/own_program.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

#include <limits.h>
#include <stdarg.h>

#define LIMIT_PERCENT 90
#define DROPPED_NS    (3600 * NS_PER_S) /* older events are no finding */
#define BEHIND_NS     (60 * NS_PER_S) /* after a configure members may be for seconds */
#define LOOP_CNT      2 /* this number of restarts by a limit is a loop */

struct health {
	struct cli_session *s;
	uint32_t findings;
	uint32_t wanted, up; /* sessions */
	uint64_t stale; /* routes */
	const struct channel *slowest; /* NULL: no member is behind */
	uint64_t behind_ns;
};

/* Objects of a finding; NULL members do not apply. */
struct about {
	const char *kind; /* in JSON */
	const char *proto, *channel, *table;
};

static void PRINTF_LIKE(3, 4)
    finding(struct health *h, const struct about *a, const char *fmt, ...)
{
	struct cli_session *s = h->s;
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (s->json) {
		struct json *j = cli_object(s, "problem");

		json_str(j, "kind", a->kind);
		json_str(j, "protocol", a->proto);
		json_str(j, "channel", a->channel);
		json_str(j, "table", a->table);
		json_text(j, "text", b.s, b.len);
		cli_object_end(s);
	} else {
		cli_say(s, CLI_STATUS_LINE, "Problem: %.480s", b.s);
	}
	h->findings++;
	strbuf_fini(&b);
}

static void
cmd_health_look_at_limit(struct health *h, const struct channel *ch, const char *what,
    const struct conf_limit *l, uint64_t now)
{
	struct about a = { .kind = "limit",
		.proto = channel_proto(ch)->name,
		.channel = channel_name(ch) };

	if (l->action == LIMIT_OFF || !now ||
	    now * 100 < (uint64_t)l->max * LIMIT_PERCENT)
		return;
	finding(h, &a, "%s.%s has %llu routes, its %s limit is %u", a.proto, a.channel,
	    (unsigned long long)now, what, l->max);
}

/* look_at_lag - only for BGP, whose peers wait for routes. */
static void
look_at_lag(struct health *h, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	uint64_t since = counter64_get(&st->behind_ns), now = clock_now_ns();
	struct about a = { .kind = "behind",
		.proto = channel_proto(ch)->name,
		.channel = channel_name(ch) };

	if (!since)
		return;
	if (now < since)
		now = since;
	if (!h->slowest || now - since > h->behind_ns) {
		h->slowest = ch;
		h->behind_ns = now - since;
	}
	if (now - since > BEHIND_NS)
		finding(h, &a, "%s.%s has been behind for %llu s", a.proto, a.channel,
		    (unsigned long long)((now - since) / NS_PER_S));
}

static void
look_at_channels(struct health *h, const struct proto *p, enum proto_kind kind)
{
	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch)) {
		const struct conf_channel *cf = channel_conf(ch);
		const struct channel_stats *st = channel_stats_get(ch);

		h->stale += counter64_get(&st->in.stale);
		if (!channel_seems_up(ch))
			continue;
		if (kind == PROTO_BGP)
			look_at_lag(h, ch);
		cmd_health_look_at_limit(h, ch, "receive", &cf->receive_limit,
		    feeder_counted(&st->in, LIMIT_RECEIVE));
		cmd_health_look_at_limit(h, ch, "import", &cf->import_limit,
		    feeder_counted(&st->in, LIMIT_IMPORT));
		cmd_health_look_at_limit(
		    h, ch, "export", &cf->export_limit, counter64_get(&st->exported));
	}
}

static void
look_at_data(struct health *h, const struct proto *p)
{
	struct about a = { .kind = "rpki_old", .proto = p->name };
	uint64_t ago_ns;
	bool late;

	if (p->cls->absent && p->cls->absent(p, &ago_ns)) {
		a.kind = "rpki_away";
		finding(h, &a, "%s: no data from the cache for %llu s", p->name,
		    (unsigned long long)(ago_ns / NS_PER_S));
		a.kind = "rpki_old";
	}

	if (p->cls->data_age && p->cls->data_age(p, &ago_ns, &late) && late)
		finding(h, &a, "the data of %s is %llu s old", p->name,
		    (unsigned long long)(ago_ns / NS_PER_S));
}

/* look_at_hold - a finding for a held member: operators forget holds. */
static void
look_at_hold(struct health *h, const struct proto *p)
{
	struct about a = { .kind = "hold", .proto = p->name };
	uint64_t since_s = load_relaxed32(&p->held), now_s;

	if (!since_s)
		return;
	now_s = clock_real_ns(clock_now_ns()) / NS_PER_S;
	finding(h, &a, "%s has been held for %llu s, until it is enabled", p->name,
	    (unsigned long long)(now_s > since_s ? now_s - since_s : 0));
}

/* look_at_loop - a limit restarts a member, which then sends too many routes again. */
static void
look_at_loop(struct health *h, const struct proto *p)
{
	struct about a = { .kind = "limit_loop", .proto = p->name };
	uint32_t cnt = load_relaxed32(&p->limit_restarts);
	uint64_t last = load_relaxed64(&p->limit_restart_ns), now = clock_now_ns();

	if (cnt < LOOP_CNT || (now > last && now - last > PROTO_LOOP_NS))
		return;
	finding(h, &a, "a limit has restarted %s %u times, the last time %llu s ago",
	    p->name, cnt, (unsigned long long)((now > last ? now - last : 0) / NS_PER_S));
}

static void
cmd_health_look(struct health *h, const struct proto *p)
{
	const struct proto_status *st = proto_status_get(p);
	const struct conf_proto *cf = proto_conf_get(p);
	enum proto_kind k = (enum proto_kind)cf->kind;
	struct about a = { .kind = "disabled_by_limit", .proto = p->name };
	struct conf_members all;
	struct strbuf b;

	if (!conf_member_range(cf, &all) && (k == PROTO_BGP || k == PROTO_RPKI) &&
	    !cf->disabled && (!st->disabled || st->by_limit)) {
		h->wanted++;
		h->up += st->state == PS_UP;
	}
	if (st->by_limit)
		finding(h, &a, "%s was disabled by a limit", p->name);
	strbuf_init(&b);
	if (p->cls->trouble)
		p->cls->trouble(p, &b);
	a.kind = "trouble";
	if (b.len)
		finding(h, &a, "%s: %s", p->name, b.s);
	strbuf_fini(&b);
	look_at_hold(h, p);
	look_at_loop(h, p);
	look_at_channels(h, p, k);
	look_at_data(h, p);
}

static void
look_at_log(struct health *h)
{
	struct about a = { .kind = "log" };
	uint64_t now = clock_now_ns();
	struct log_lost lost;

	if (log_dropped() && now - log_dropped_ns() < DROPPED_NS)
		finding(h, &a,
		    "%llu log lines dropped since the start, the last one within "
		    "an hour",
		    (unsigned long long)log_dropped());
	log_lost(&lost);
	if (lost.lines && now - lost.last_ns < DROPPED_NS)
		finding(h, &a,
		    "%llu log lines could not be written since the start, the last one "
		    "within an hour: %s",
		    (unsigned long long)lost.lines,
		    lost.err ? strerror((int)lost.err) : "a log takes nothing");
	if (lost.audit_lines)
		finding(h, &a, "%llu lines of the audit trail lost since the start",
		    (unsigned long long)lost.audit_lines);
}

static void
cmd_health_look_at_all(struct health *h, const struct tern_view *v)
{
	struct about a = { .kind = "rpki_waits" };

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		cmd_health_look(h, v->proto[i]);
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		if (!rpki_index_waits_ns(v->rpki[i]))
			continue;
		a.table = table_name(rpki_index_table(v->rpki[i]));
		finding(h, &a, "table %s waits for its first data", a.table);
	}
	a = (struct about){ .kind = "configure" };
	if (v->conf_bad)
		finding(h, &a, "the last configure failed: %.*s",
		    cmd_conf_bad_len(h->s, v, INT_MAX), v->conf_bad);
	a.kind = "state";
	if (v->state_bad)
		finding(h, &a, "%s", v->state_bad);
	a.kind = "program";
	if (own_program_replaced(&h->s->tern->program))
		finding(h, &a, "%s", CMD_PROGRAM_REPLACED);
	look_at_log(h);
}

/* ---- facts without findings ---- */

static void
say_data(struct cli_session *s, const struct proto *p)
{
	uint64_t ago_ns = 0;
	bool late, has;

	if (!p->cls->data_age)
		return;
	has = p->cls->data_age(p, &ago_ns, &late);
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
say_slowest(struct cli_session *s, const struct health *h)
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
say_totals(struct cli_session *s, const struct health *h, const struct tern_view *v)
{
	struct log_lost lost;
	char text[128];

	cli_say(s, CLI_STATUS_LINE, "Sessions: %u of %u up", h->up, h->wanted);
	cli_say(s, CLI_STATUS_LINE, "Stale routes: %llu", (unsigned long long)h->stale);
	say_slowest(s, h);
	clock_print(
	    text, sizeof(text), cli_time(s, &v->conf->conf->time_base), v->conf_time_ns);
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
put_totals(struct cli_session *s, const struct health *h, const struct tern_view *v)
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
	struct health h = { .s = s };

	if (!cli_at_end(s, sc))
		return;
	cmd_health_look_at_all(&h, v);
	if (s->json)
		put_totals(s, &h, v);
	else
		say_totals(s, &h, v);
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		say_data(s, v->proto[i]);
	if (h.findings)
		cli_end(s, CLI_UNHEALTHY, "%u problem%s", h.findings,
		    h.findings == 1 ? "" : "s");
	else
		cli_end(s, CLI_STATUS, "No problems");
}
