/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show health: what an operator, or what watches for him, has to look after. Each finding
 * is a line, and then the reply ends in CLI_UNHEALTHY; members that are away are counted,
 * and are no finding: some always are.
 *
 * All of it is read under RCU from what others publish, in one step.
 *
 * No state; in the session's loop. */
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_list.h"
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

static void PRINTF_LIKE(2, 3) finding(struct health *h, const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	cli_say(h->s, CLI_STATUS_LINE, "Problem: %.480s", b.s);
	h->findings++;
	strbuf_fini(&b);
}

static void
look_at_limit(struct health *h, const struct channel *ch, const char *what,
    const struct conf_limit *l, uint64_t now)
{
	if (l->action == LIMIT_OFF || !now ||
	    now * 100 < (uint64_t)l->max * LIMIT_PERCENT)
		return;
	finding(h, "%s.%s has %llu routes, its %s limit is %u", channel_proto(ch)->name,
	    channel_name(ch), (unsigned long long)now, what, l->max);
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
	struct strbuf b;

	if ((k == PROTO_BGP || k == PROTO_RPKI) && !cf->disabled &&
	    (!st->disabled || st->by_limit)) {
		h->wanted++;
		h->up += st->state == PS_UP;
	}
	if (st->by_limit)
		finding(h, "%s was disabled by a limit", p->name);
	strbuf_init(&b);
	if (p->cls->trouble)
		p->cls->trouble(p, &b);
	if (b.len)
		finding(h, "%s: %s", p->name, b.s);
	strbuf_fini(&b);
	look_at_channels(h, p);
}

void
cmd_show_health(struct cli_session *s, struct cli_scan *sc)
{
	const struct tern_view *v = tern_view_get(s->tern);
	struct health h = { .s = s };

	if (!cli_at_end(s, sc))
		return;
	for (uint32_t i = 0; i < v->proto_cnt; i++)
		look_at(&h, v->proto[i]);
	for (uint32_t i = 0; i < v->rpki_cnt; i++)
		if (rpki_index_waits_ns(v->rpki[i]))
			finding(&h, "table %s waits for its first data",
			    table_name(rpki_index_table(v->rpki[i])));
	if (v->conf_bad)
		finding(&h, "the last configure failed: %s", v->conf_bad);
	if (log_dropped() && clock_now_ns() - log_dropped_ns() < DROPPED_NS)
		finding(&h,
		    "%llu log lines dropped since the start, the last one within "
		    "an hour",
		    (unsigned long long)log_dropped());
	cli_say(s, CLI_STATUS_LINE, "Sessions: %u of %u up", h.up, h.wanted);
	if (h.findings)
		cli_end(s, CLI_UNHEALTHY, "%u problem%s", h.findings,
		    h.findings == 1 ? "" : "s");
	else
		cli_end(s, CLI_STATUS, "No problems");
}
