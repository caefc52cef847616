/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings of `show health` (health.h).
 *
 * All data is published state, read under RCU in one step. No state; any loop. Tested by
 * test/net/test_health.py. */
#include "nest/cli/show/health.h"

#include "lib/base/plural.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/core/exe_file.h"
#include "nest/core/override.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/log/log.h"
#include "sysdep/os/clock.h"

#include <stdarg.h>

#define LIMIT_PERCENT 90
#define DROPPED_NS    (3600 * NS_PER_S) /* older events are no finding */
#define BEHIND_NS     (60 * NS_PER_S) /* after a configure members may be for seconds */
#define LOOP_CNT      2 /* this number of restarts by a limit is a loop */

static void PRINTF_LIKE(3, 4)
    health_finding(struct health *h, const struct health_about *a, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	h->found(h, a, b.s);
	h->findings++;
	strbuf_fini(&b);
}

static void
health_look_at_limit(struct health *h, const struct channel *ch, const char *what,
    const struct conf_limit *l, uint64_t now)
{
	struct health_about a = { .kind = "limit",
		.proto = channel_proto(ch)->name,
		.channel = channel_name(ch) };

	if (l->action == LIMIT_OFF || !now ||
	    now * 100 < (uint64_t)l->max * LIMIT_PERCENT)
		return;
	health_finding(h, &a, "%s.%s has %llu route%s, the %s limit is %u", a.proto,
	    a.channel, (unsigned long long)now, plural(now, "", "s"), what, l->max);
}

/* health_look_at_lag - only for BGP, whose peers wait for routes. */
static void
health_look_at_lag(struct health *h, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	uint64_t since = counter64_get(&st->behind_ns), now = clock_now_ns();
	struct health_about a = { .kind = "behind",
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
		health_finding(h, &a, "%s.%s has been behind for %llu s", a.proto,
		    a.channel, (unsigned long long)((now - since) / NS_PER_S));
}

static void
health_look_at_channels(struct health *h, const struct proto *p, enum proto_kind kind)
{
	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch)) {
		const struct conf_channel *cf = channel_conf(ch);
		const struct channel_stats *st = channel_stats_get(ch);
		struct conf_limit import = channel_import_limit(ch);

		h->stale += counter64_get(&st->in.stale);
		if (!channel_seems_up(ch))
			continue;
		if (kind == PROTO_BGP)
			health_look_at_lag(h, ch);
		health_look_at_limit(h, ch, "receive", &cf->limit.receive,
		    feeder_counted(&st->in, LIMIT_RECEIVE));
		health_look_at_limit(
		    h, ch, "import", &import, feeder_counted(&st->in, LIMIT_IMPORT));
		health_look_at_limit(
		    h, ch, "export", &cf->limit.export, counter64_get(&st->exported));
	}
}

static void
health_look_at_data(struct health *h, const struct proto *p)
{
	struct health_about a = { .kind = "rpki_old", .proto = p->name };
	uint64_t ago_ns;
	bool late;

	if (p->cls->health.absent && p->cls->health.absent(p, &ago_ns)) {
		a.kind = "rpki_away";
		health_finding(h, &a, "%s: no data from the cache for %llu s", p->name,
		    (unsigned long long)(ago_ns / NS_PER_S));
		a.kind = "rpki_old";
	}

	if (p->cls->health.data_age && p->cls->health.data_age(p, &ago_ns, &late) && late)
		health_finding(h, &a, "the data of %s is %llu s old", p->name,
		    (unsigned long long)(ago_ns / NS_PER_S));
}

/* health_look_at_hold - a finding for a held member: operators forget holds. */
static void
health_look_at_hold(struct health *h, const struct proto *p)
{
	struct health_about a = { .kind = "hold", .proto = p->name };
	uint64_t since_s = load_relaxed32(&p->orders.held), now_s;

	if (!since_s || proto_drain_get(p))
		return;
	now_s = clock_real_ns(clock_now_ns()) / NS_PER_S;
	health_finding(h, &a, "%s has been held for %llu s, until `enable`", p->name,
	    (unsigned long long)(now_s > since_s ? now_s - since_s : 0));
}

/* health_look_at_drain - operators forget drained members, too. */
static void
health_look_at_drain(struct health *h, const struct proto *p)
{
	const struct proto_drain *d = proto_drain_get(p);
	struct health_about a = { .kind = "drain", .proto = p->name };
	uint64_t now_s, ago_s;

	if (!d)
		return;
	now_s = clock_real_ns(clock_now_ns()) / NS_PER_S;
	ago_s = now_s > d->since_s ? now_s - d->since_s : 0;
	if (d->done)
		health_finding(h, &a, "%s was drained %llu s ago, until `undrain`",
		    p->name, (unsigned long long)ago_s);
	else
		health_finding(h, &a,
		    "%s has been draining for %llu s, at most for %llu s more: %llu "
		    "networks left",
		    p->name, (unsigned long long)ago_s,
		    (unsigned long long)(d->until_s > now_s ? d->until_s - now_s : 0),
		    (unsigned long long)d->left);
}

/* health_look_at_quarantine - a member without routes, until an operator acts. */
static void
health_look_at_quarantine(struct health *h, const struct proto *p)
{
	struct health_about a = { .kind = "quarantine", .proto = p->name };
	uint64_t since_s = load_relaxed32(&p->orders.quarantine), now_s;

	if (!since_s)
		return;
	now_s = clock_real_ns(clock_now_ns()) / NS_PER_S;
	health_finding(h, &a,
	    "%s has been in quarantine for %llu s, until `quarantine release`", p->name,
	    (unsigned long long)(now_s > since_s ? now_s - since_s : 0));
}

/* health_look_at_loop - a limit restarts a member, which then sends too many routes
 * again. */
static void
health_look_at_loop(struct health *h, const struct proto *p)
{
	struct health_about a = { .kind = "limit_loop", .proto = p->name };
	uint32_t cnt = load_relaxed32(&p->limited.restarts);
	uint64_t last = load_relaxed64(&p->limited.restart_ns), now = clock_now_ns();

	if (cnt < LOOP_CNT || (now > last && now - last > PROTO_LOOP_NS))
		return;
	health_finding(h, &a,
	    "a limit has restarted %s %u times, the last time %llu s ago", p->name, cnt,
	    (unsigned long long)((now > last ? now - last : 0) / NS_PER_S));
}

static void
health_look(struct health *h, const struct proto *p)
{
	const struct proto_status *st = proto_status_get(p);
	const struct conf_proto *cf = proto_conf_get(p);
	enum proto_kind k = (enum proto_kind)cf->kind;
	struct health_about a = { .kind = "disabled_by_limit", .proto = p->name };
	struct conf_members all;
	struct strbuf b;

	if (!conf_member_range(cf, &all) && (k == PROTO_BGP || k == PROTO_RPKI) &&
	    !cf->disabled && (!st->disabled || st->by_limit)) {
		h->wanted++;
		h->up += st->state == PS_UP;
	}
	if (st->by_limit)
		health_finding(h, &a, "%s was disabled by a limit", p->name);
	strbuf_init(&b);
	if (p->cls->health.trouble)
		p->cls->health.trouble(p, &b);
	a.kind = "trouble";
	if (b.len)
		health_finding(h, &a, "%s: %s", p->name, b.s);
	strbuf_fini(&b);
	health_look_at_hold(h, p);
	health_look_at_drain(h, p);
	health_look_at_quarantine(h, p);
	health_look_at_loop(h, p);
	health_look_at_channels(h, p, k);
	health_look_at_data(h, p);
}

/* health_look_at_overrides - operators forget overrides. */
static void
health_look_at_overrides(struct health *h)
{
	const struct overrides *s = tern_overrides_get(h->tern);
	struct health_about a = { .kind = "override" };
	struct strbuf b;

	for (uint32_t i = 0; s && i < s->cnt; i++) {
		strbuf_init(&b);
		override_print(&b, &s->at[i]);
		health_finding(h, &a, "%s: %s", s->at[i].text, b.s);
		strbuf_fini(&b);
	}
}

/* health_look_at_lan - the lines of @v->lan. */
static void
health_look_at_lan(struct health *h, const struct tern_view *v)
{
	const char *p = v->lan, *tab, *end;

	for (; p && *p; p = end + 1) {
		struct health_about a = { .kind = "lan" };
		struct strbuf name;

		end = strchr(p, '\n');
		tab = memchr(p, '\t', (size_t)(end - p));
		strbuf_init(&name);
		strbuf_add(&name, p, (size_t)(tab - p));
		if (name.len)
			a.proto = name.s;
		health_finding(h, &a, "%.*s", (int)(end - tab - 1), tab + 1);
		strbuf_fini(&name);
	}
}

static void
health_look_at_log(struct health *h)
{
	struct health_about a = { .kind = "log" };
	uint64_t now = clock_now_ns();
	struct log_lost lost;

	if (log_dropped() && now - log_dropped_ns() < DROPPED_NS)
		health_finding(h, &a,
		    "%llu log lines dropped since the start, the last line within an "
		    "hour",
		    (unsigned long long)log_dropped());
	log_lost(&lost);
	if (lost.lines && now - lost.last_ns < DROPPED_NS)
		health_finding(h, &a,
		    "%llu log lines could not be written since the start, the last line "
		    "within an hour: %s",
		    (unsigned long long)lost.lines,
		    lost.err ? strerror((int)lost.err) : "a log takes no data");
	if (lost.audit_lines)
		health_finding(h, &a,
		    "%llu line%s of the audit trail lost since the start",
		    (unsigned long long)lost.audit_lines,
		    plural(lost.audit_lines, "", "s"));
}

void
health_find(struct health *h, const struct tern_view *v)
{
	struct health_about a = { .kind = "rpki_waits" };

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		health_look(h, v->proto[i]);
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		if (!rpki_index_waits_ns(v->rpki[i]))
			continue;
		a.table = table_name(rpki_index_table(v->rpki[i]));
		health_finding(h, &a, "table %s waits for its first data", a.table);
	}
	health_look_at_overrides(h);
	health_look_at_lan(h, v);
	a = (struct health_about){ .kind = "configure" };
	if (v->conf_bad)
		health_finding(h, &a, "the last configure failed: %.*s",
		    (int)h->conf_bad_len, v->conf_bad);
	a.kind = "state";
	if (v->state_bad)
		health_finding(h, &a, "%s", v->state_bad);
	a.kind = "program";
	if (exe_file_replaced(&h->tern->process.program))
		health_finding(h, &a, "%s", CMD_PROGRAM_REPLACED);
	if (exe_file_missing(&h->tern->process.program))
		health_finding(h, &a, "%s", CMD_PROGRAM_MISSING);
	health_look_at_log(h);
}
