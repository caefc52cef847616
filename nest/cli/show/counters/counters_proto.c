/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of the page of counters about protocols, channels and members. The workers of
 * the instances count in cache lines of their own, and this file reads the counts. No
 * state. Loop: the session's, under RCU. Tested by test/net/test_counters.py. */
#include "nest/cli/show/counters/counters.h"

#include "filter/filter.h"
#include "lib/base/strbuf.h"
#include "lib/mt/atomic.h"
#include "lib/mt/count_page.h"
#include "lib/net/ip.h"
#include "lib/net/prefix.h"
#include "lib/wire/counters.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_protocols.h"
#include "nest/cli/show/member/cmd_members_line.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "nest/core/reason.h"
#include "nest/rib/source.h"
#include "sysdep/os/clock.h"

static void
counters_limits(struct counters_block *b, const struct channel *ch)
{
	struct channel_limit l[CHANNEL_LIMITS];

	channel_limits(ch, l);
	for (unsigned i = 0; i < CHANNEL_LIMITS; i++) {
		unsigned max = COUNTERS_VALUE_CHANNEL_RECEIVE_MAX + 2 * i;

		if (l[i].limit.action == LIMIT_OFF)
			continue;
		counters_set(b, (enum counters_value)max, l[i].limit.max);
		counters_set(b, (enum counters_value)(max + 1),
		    channel_is_hit(&l[i].limit, l[i].now));
	}
}

/* counters_routes - the counts of a channel that is not down. */
static void
counters_routes(struct counters_block *b, const struct channel *ch)
{
	const struct channel_stats *st = channel_stats_get(ch);
	const struct {
		enum counters_value which;
		const struct counter64 *n;
	} count[] = {
		{ COUNTERS_VALUE_CHANNEL_IMPORTED, &st->in.imported },
		{ COUNTERS_VALUE_CHANNEL_EXPORTED, &st->exported },
		{ COUNTERS_VALUE_CHANNEL_IU_RECEIVED, &st->imp_upd_received },
		{ COUNTERS_VALUE_CHANNEL_IU_REJECTED, &st->imp_upd_invalid },
		{ COUNTERS_VALUE_CHANNEL_IU_FILTERED, &st->imp_upd_filtered },
		{ COUNTERS_VALUE_CHANNEL_IU_IGNORED, &st->in.imp_upd_ignored },
		{ COUNTERS_VALUE_CHANNEL_IU_ACCEPTED, &st->in.imp_upd_accepted },
		{ COUNTERS_VALUE_CHANNEL_IW_RECEIVED, &st->imp_wd_received },
		{ COUNTERS_VALUE_CHANNEL_IW_REJECTED, &st->imp_wd_invalid },
		{ COUNTERS_VALUE_CHANNEL_IW_IGNORED, &st->in.imp_wd_ignored },
		{ COUNTERS_VALUE_CHANNEL_IW_ACCEPTED, &st->in.imp_wd_accepted },
		{ COUNTERS_VALUE_CHANNEL_EU_RECEIVED, &st->exp_upd_received },
		{ COUNTERS_VALUE_CHANNEL_EU_REJECTED, &st->exp_upd_rejected },
		{ COUNTERS_VALUE_CHANNEL_EU_FILTERED, &st->exp_upd_filtered },
		{ COUNTERS_VALUE_CHANNEL_EU_ACCEPTED, &st->exp_upd_accepted },
		{ COUNTERS_VALUE_CHANNEL_EW_RECEIVED, &st->exp_wd_received },
		{ COUNTERS_VALUE_CHANNEL_EW_ACCEPTED, &st->exp_wd_accepted },
		{ COUNTERS_VALUE_CHANNEL_STALE, &st->in.stale },
		{ COUNTERS_VALUE_CHANNEL_IMPORT_STEPS, &st->import_steps },
		{ COUNTERS_VALUE_CHANNEL_EXPORT_STEPS, &st->export_steps },
	};

	for (unsigned i = 0; i < ARRAY_LEN(count); i++)
		counters_set(b, count[i].which, counter64_get(count[i].n));
	if (channel_conf(ch)->keep_filtered)
		counters_set(
		    b, COUNTERS_VALUE_CHANNEL_FILTERED, counter64_get(&st->in.filtered));
	counters_set(b, COUNTERS_VALUE_CHANNEL_PREFERRED, channel_preferred(ch));
	counters_set(b, COUNTERS_VALUE_CHANNEL_QUEUED, channel_queued(ch));
}

/* counters_sending - the counts of a channel that sends to a peer. */
static void
counters_sending(struct counters_block *b, const struct channel_stats *st)
{
	uint64_t since = counter64_get(&st->behind_ns), now = clock_now_ns();

	counters_set(b, COUNTERS_VALUE_CHANNEL_DIRTY, counter64_get(&st->dirty));
	counters_set(
	    b, COUNTERS_VALUE_CHANNEL_BEHIND, since && now > since ? now - since : 0);
	counters_set(b, COUNTERS_VALUE_CHANNEL_DECISIONS, counter64_get(&st->decisions));
	counters_set(b, COUNTERS_VALUE_CHANNEL_SENT, counter64_get(&st->messages_sent));
}

/* counters_reasons - put the keys of reasons of the channel @name, with their counts: as
 * many blocks as needed. */
static void
counters_reasons(
    struct count_page *page, const char *name, const struct channel_stats *st)
{
	struct counters_block b;

	counters_begin(&b, COUNTERS_REASONS, name);
	for (unsigned r = 1; r < REASON_CNT; r++) {
		uint64_t n = counter64_get(&st->reason[r]);
		const char *key = reason_key((enum reason)r);

		if (!n)
			continue;
		if (b.c.texts + strlen(key) + 1 > COUNT_TEXTS_MAX) {
			count_page_put(page, &b.c);
			counters_begin(&b, COUNTERS_REASONS, name);
		}
		(void)count_copy_text(&b.c, key, COUNT_TEXTS_MAX);
		b.c.value[b.c.cnt++] = n;
	}
	if (b.c.cnt)
		count_page_put(page, &b.c);
}

static void
counters_channel(struct count_page *page, const struct channel *ch)
{
	const struct conf_channel *cf = channel_conf(ch);
	const struct channel_stats *st = channel_stats_get(ch);
	enum shown state = channel_shown_as(ch);
	struct counters_block b;

	counters_begin(&b, COUNTERS_CHANNEL, channel_name(ch));
	counters_add_text(&b, channel_shown_key[state]);
	counters_add_text(&b, filter_name(cf->import));
	counters_add_text(&b, filter_name(cf->export));
	counters_limits(&b, ch);
	if (state == SHOWN_UP && channel_exports(ch))
		counters_sending(&b, st);
	if (state != SHOWN_DOWN)
		counters_routes(&b, ch);
	count_page_put(page, &b.c);
	if (state != SHOWN_DOWN)
		counters_reasons(page, channel_name(ch), st);
}

/* counters_info - the last column of `show protocols`, without the blanks of the
 * column. */
static void
counters_info(
    struct counters_block *b, const struct proto *p, const struct proto_status *st)
{
	struct strbuf info;

	protocols_take_info(&info, p, st);
	while (info.len && info.s[info.len - 1] == ' ')
		strbuf_truncate(&info, info.len - 1);
	counters_add_text(b, info.s);
	strbuf_fini(&info);
}

void
counters_proto(struct count_page *page, const struct proto *p)
{
	const struct proto_status *st = proto_status_get(p);
	struct counters_block b;
	uint64_t age_ns;
	bool late;

	counters_begin(&b, COUNTERS_PROTOCOL, p->name);
	counters_add_text(&b, p->cls->conf->name);
	counters_add_text(&b, protocols_state_name[st->state]);
	counters_info(&b, p, st);
	counters_add_text(&b, proto_conf_get(p)->description);
	counters_set(&b, COUNTERS_VALUE_PROTOCOL_SINCE, clock_real_ns(st->since_ns));
	counters_set(&b, COUNTERS_VALUE_PROTOCOL_DISABLED, st->disabled);
	counters_set(&b, COUNTERS_VALUE_PROTOCOL_BY_LIMIT, st->by_limit);
	counters_set(
	    &b, COUNTERS_VALUE_PROTOCOL_HELD, load_relaxed32(&p->orders.held) != 0);
	if (p->cls->member.losses)
		counters_set(
		    &b, COUNTERS_VALUE_PROTOCOL_LOSSES, p->cls->member.losses(p));
	if (p->cls->health.data_age && p->cls->health.data_age(p, &age_ns, &late))
		counters_set(&b, COUNTERS_VALUE_PROTOCOL_DATA_AGE, age_ns);
	count_page_put(page, &b.c);
	for (struct channel *ch = proto_first_channel(p);
	     ch && !p->cls->show.shows_channels; ch = channel_after(p, ch))
		counters_channel(page, ch);
}

void
counters_member(struct count_page *page, const struct member_row *r)
{
	static const enum counters_value first[FAM_CNT] = {
		[FAM_IP4] = COUNTERS_VALUE_MEMBER_RECEIVED4,
		[FAM_IP6] = COUNTERS_VALUE_MEMBER_RECEIVED6
	};
	bool caused = r->who.cause != MEMBER_FINE;
	struct members_downs d;
	struct counters_block b;
	char ip[IP_STR_MAX];

	counters_begin(&b, COUNTERS_MEMBER, r->p->name);
	counters_add_text(&b, proto_conf_get(r->p)->description);
	counters_add_text(&b, ip_str(ip, r->who.addr));
	counters_add_text(&b, r->who.iface);
	counters_add_text(&b, members_state_text(r->p));
	counters_add_text(&b, caused ? proto_cause_key(r->who.cause) : NULL);
	counters_add_text(&b, caused ? r->who.text : NULL);
	if (r->who.as)
		counters_set(&b, COUNTERS_VALUE_MEMBER_AS, r->who.as);
	counters_set(&b, COUNTERS_VALUE_MEMBER_SINCE,
	    clock_real_ns(proto_status_get(r->p)->since_ns));
	for (unsigned f = 0; f < FAM_CNT; f++)
		for (unsigned k = 0; r->routes[f].has && k < MEMBERS_COUNTS; k++)
			counters_set(
			    &b, (enum counters_value)(first[f] + k), r->routes[f].n[k]);
	members_downs(r->p, &d);
	for (unsigned h = 0; d.in_hours && h < MEMBERS_HOURS; h++)
		counters_set(&b,
		    (enum counters_value)(COUNTERS_VALUE_MEMBER_DOWNS_00 + h), d.hour[h]);
	for (unsigned i = 0; d.in_days && i < MEMBERS_DAYS; i++)
		counters_set(&b, (enum counters_value)(COUNTERS_VALUE_MEMBER_DAYS_0 + i),
		    d.day[i]);
	if (r->limit.kind) {
		counters_set(&b, COUNTERS_VALUE_MEMBER_LIMIT_MAX, r->limit.max);
		counters_set(&b, COUNTERS_VALUE_MEMBER_LIMIT_PERCENT, r->limit.percent);
	}
	count_page_put(page, &b.c);
}
