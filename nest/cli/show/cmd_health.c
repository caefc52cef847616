/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show health: what an operator, or what watches for him, has to look after. Each finding
 * is a line, and then the reply ends in CLI_UNHEALTHY; members that are away are counted,
 * and are no finding: some always are.
 *
 * All of it is read under RCU from what others publish, in one step.
 *
 * No state; in the session's loop. */
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
#include "nest/conf/conf_member.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rpki/rpki_index.h"
#include "nest/tern.h"
#include "sysdep/clock.h"
#include "sysdep/log.h"

#include <stdarg.h>

#define LIMIT_PERCENT 90
#define DROPPED_NS    (3600 * NS_PER_S) /* what is longer ago is no news */

struct health {
	struct cli_session *s;
	uint32_t findings;
	uint32_t wanted, up; /* sessions */
};

/* What a finding is about; members that are NULL don't apply. */
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
look_at_limit(struct health *h, const struct channel *ch, const char *what,
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

static void
look_at_channels(struct health *h, const struct proto *p)
{
	for (struct channel *ch = load_acquire_ptr(&p->channels); ch; /* pairs: PCHAN */
	     ch = channel_next(ch)) {
		const struct conf_channel *cf = channel_conf(ch);
		const struct channel_stats *st = channel_stats_get(ch);

		if (!channel_seems_up(ch))
			continue;
		look_at_limit(h, ch, "receive", &cf->receive_limit,
		    feeder_counted(&st->in, LIMIT_RECEIVE));
		look_at_limit(h, ch, "import", &cf->import_limit,
		    feeder_counted(&st->in, LIMIT_IMPORT));
		look_at_limit(
		    h, ch, "export", &cf->export_limit, counter64_get(&st->exported));
	}
}

static void
look_at(struct health *h, const struct proto *p)
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
	look_at_channels(h, p);
}

static void
look_at_all(struct health *h, const struct tern_view *v)
{
	struct about a = { .kind = "rpki_waits" };

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		look_at(h, v->proto[i]);
	for (uint32_t i = 0; i < v->rpki_cnt; i++) {
		if (!rpki_index_waits_ns(v->rpki[i]))
			continue;
		a.table = table_name(rpki_index_table(v->rpki[i]));
		finding(h, &a, "table %s waits for its first data", a.table);
	}
	a = (struct about){ .kind = "configure" };
	if (v->conf_bad)
		finding(h, &a, "the last configure failed: %s", v->conf_bad);
	a.kind = "log";
	if (log_dropped() && clock_now_ns() - log_dropped_ns() < DROPPED_NS)
		finding(h, &a,
		    "%llu log lines dropped since the start, the last one within "
		    "an hour",
		    (unsigned long long)log_dropped());
}

static void
say_sessions(const struct health *h)
{
	struct cli_session *s = h->s;

	if (s->json) {
		struct json *j = cli_object(s, "sessions");

		json_u64(j, "up", h->up);
		json_u64(j, "wanted", h->wanted);
		cli_object_end(s);
	} else {
		cli_say(s, CLI_STATUS_LINE, "Sessions: %u of %u up", h->up, h->wanted);
	}
}

void
cmd_show_health(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	struct health h = { .s = s };

	if (!cli_at_end(s, sc))
		return;
	look_at_all(&h, v);
	say_sessions(&h);
	if (h.findings)
		cli_end(s, CLI_UNHEALTHY, "%u problem%s", h.findings,
		    h.findings == 1 ? "" : "s");
	else
		cli_end(s, CLI_STATUS, "No problems");
}
