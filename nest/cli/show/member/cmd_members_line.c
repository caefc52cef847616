/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the facts of a line of `show members`.
 *
 * I1  Received is accepted plus filtered. Filtered counts the routes of the import
 *     filter, of the import checks, of the pipe to the shared table, and of reason
 *     communities.
 *
 * Loop: the session's, under RCU. Tested by test/net/test_members.py. */
#include "lib/mt/atomic.h"
#include "nest/channel/channel.h"
#include "nest/channel/instance/proto_changes.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/member/cmd_members_tally.h"
#include "nest/cli/show/member/cmd_members_line.h"
#include "nest/conf/config.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "sysdep/os/clock.h"
#include <string.h>

bool
members_is_up(const struct proto *p)
{
	return proto_status_get(p)->state == PS_UP;
}

const char *
members_state_text(const struct proto *p)
{
	const struct proto_status *st = proto_status_get(p);

	return st->state == PS_UP                     ? "up"
	       : st->disabled && st->state == PS_DOWN ? "disabled"
						      : "down";
}

void
members_downs(const struct proto *p, struct members_downs *d)
{
	const uint64_t hour_ns = 3600 * NS_PER_S;
	uint64_t now = clock_now_ns();

	memset(d, 0, sizeof(*d));
	for (unsigned ago = 0; ago < MEMBERS_DAYS * 24 && ago <= now / hour_ns; ago++) {
		uint32_t n = proto_changes_losses(p->changes, now - ago * hour_ns);

		d->day[MEMBERS_DAYS - 1 - ago / 24] += n;
		d->in_days |= n != 0;
		if (ago >= MEMBERS_HOURS)
			continue;
		d->hour[MEMBERS_HOURS - 1 - ago] = n;
		d->in_hours |= n != 0;
	}
}

static void
cmd_members_look_at_limit(struct member_limit *most, const struct channel *ch,
    const char *kind, const struct conf_limit *l, uint64_t now)
{
	uint64_t percent;

	if (l->action == LIMIT_OFF)
		return;
	percent = l->max ? now * 100 / l->max : 100;
	if (!most->kind || percent > most->percent)
		*most = (struct member_limit){ kind, channel_name(ch), l->max, percent };
}

static void
line_look_at_limits(struct member_limit *most, const struct channel *ch)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	struct conf_limit import = channel_import_limit(ch);

	cmd_members_look_at_limit(most, ch, "receive", &cf->limit.receive,
	    feeder_counted(&st->in, LIMIT_RECEIVE));
	cmd_members_look_at_limit(
	    most, ch, "import", &import, feeder_counted(&st->in, LIMIT_IMPORT));
	cmd_members_look_at_limit(
	    most, ch, "export", &cf->limit.export, counter64_get(&st->exported));
}

/* members_channel - the routes of @ch: none while the session is away without kept
 * routes. */
static void
members_channel(struct member_row *r, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	struct member_routes *to = &r->routes[channel_family(ch)];
	uint64_t imported;

	to->has = true;
	if (!channel_seems_up(ch) && !counter64_get(&st->in.stale))
		return;
	members_tally_get(ch, to->by);
	to->by[FILTERED_IMPORT] += counter64_get(&st->in.filtered);
	imported = counter64_get(&st->in.imported);
	to->n[MEMBERS_RECEIVED] = imported + to->by[FILTERED_IMPORT] +
				  to->by[FILTERED_CHECK];
	for (unsigned w = FILTERED_IMPORT; w < FILTERED_WAYS; w++)
		to->n[MEMBERS_REFUSED] += to->by[w];
	/* the walk and the counters are of different times */
	to->n[MEMBERS_REFUSED] = min_u64(to->n[MEMBERS_REFUSED], to->n[MEMBERS_RECEIVED]);
	to->n[MEMBERS_ACCEPTED] = to->n[MEMBERS_RECEIVED] - to->n[MEMBERS_REFUSED];
	if (channel_seems_up(ch))
		to->n[MEMBERS_EXPORTED] = counter64_get(&st->exported);
	line_look_at_limits(&r->limit, ch);
}

/* members_row - Returns: false: @p is no member. */
static bool
members_row(struct member_row *r, const struct proto *p)
{
	*r = (struct member_row){ .p = p };
	if (!p->cls->member.describe || !p->cls->member.describe(p, &r->who))
		return false;
	for (struct channel *ch = proto_first_channel(p); ch; ch = channel_after(p, ch))
		if (channel_family(ch) < FAM_CNT)
			members_channel(r, ch);
	return true;
}

void
members_line_add(struct members_line *l, const struct proto *p)
{
	struct member_row *r = &l->row[l->cnt];

	if (!p || !members_row(r, p))
		return;
	l->cnt++;
	for (unsigned f = 0; f < FAM_CNT; f++)
		if (r->routes[f].has)
			l->routes[f] = r->routes[f];
	if (r->limit.kind && (!l->limit.kind || r->limit.percent > l->limit.percent))
		l->limit = r->limit;
}

static uint64_t
members_since(const struct member_row *r)
{
	return proto_status_get(r->p)->since_ns;
}

const struct member_row *
members_line_shown(const struct members_line *l)
{
	const struct member_row *a = &l->row[0], *b = &l->row[1];

	if (l->cnt == 1 || !members_is_up(a->p))
		return a;
	if (!members_is_up(b->p))
		return b;
	return members_since(a) >= members_since(b) ? a : b;
}
