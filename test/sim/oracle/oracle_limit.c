/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of channels (doc/language.md, section 3).
 *
 * I1  Which routes a limit with `block` keeps out depends on the order of arrival. The
 *     model asks the daemon which routes the table has, and judges the number. A
 *     withdrawal makes room for later announcements only. So the table has as many routes
 *     as the limit allows if the member has changed no route in the session, and no ROA
 *     has changed a verdict of the filter.
 * I2  A session whose routes cross a limit with `restart` or `disable` is down.
 * I3  A lowered limit leaves the present routes. The greatest number counts for sessions
 *     that began after the file. */
#include "test/sim/oracle/oracle_model.h"

#include "proto/bgp/conf/bgp_conf.h"
#include "test/sim/sim_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
limit_since_file(const struct oracle_session *s)
{
	return s->member->up_ns > sim->file.since_ns;
}

void
oracle_limit_judge(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const char *what, const struct oracle_limit *l)
{
	bool blocks = l->limit->action == LIMIT_BLOCK;
	uint32_t max = l->limit->max, least = !l->is_exact   ? 0
					      : l->all < max ? l->all
							     : max;

	__atomic_fetch_add(&o->sums->limit_cnt, 1, __ATOMIC_RELAXED);
	if (blocks ? l->seen + l->spare >= least && l->seen <= l->all &&
			 (l->seen <= max || !limit_since_file(s))
		   : l->all <= max)
		return;
	o->wrong++;
	fprintf(stderr, "the oracle: %s, %s.%s: %u of %u routes, %s limit %u with %s\n",
	    o->when, s->proto->name, ch->name, l->seen, l->all, what, max,
	    blocks ? "block" : "the end of the session");
}

/* limit_answer - the answer about all routes; NULL: the daemon was not asked. */
static const char *
limit_answer(const struct oracle *o)
{
	for (unsigned i = 0; i < o->answer_cnt; i++)
		if (o->answer[i].has_routes)
			return o->answer[i].text;
	return NULL;
}

/* limit_has - the table has the route, as the daemon says. */
static bool
limit_has(const char *text, const struct oracle_session *s, const char *table,
    const struct oracle_route *r)
{
	char net[64], id[16], word[16];

	prefix_str(net, &r->net);
	snprintf(id, sizeof(id), "%u", r->id);
	for (const char *at = reply_next(text); at; at = reply_next(at))
		if (reply_is(at, "type", "route") && reply_is(at, "network", net) &&
		    reply_is(at, "table", table) &&
		    reply_is(at, "protocol", s->proto->name) &&
		    (reply_word(at, "path_id", word, sizeof(word)) ? !strcmp(word, id)
								   : !r->id))
			return true;
	return false;
}

/* limit_receives - a receive limit counts accepted routes, and routes that the filter
 * refuses if the session keeps these routes (doc/members.md). */
static bool
limit_receives(const struct conf_channel *ch, const struct oracle_route *r)
{
	bool keeps = ch->keep_filtered || bgp_channel_conf_of(ch)->import_table;

	return !r->refused || (keeps && r->refused == REASON_IMPORT_FILTER);
}

/* limit_block - I1. The routes from @from on are routes of the session. */
static void
limit_block(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, struct oracle_table *t, unsigned from,
    const struct conf_limit *limit, enum reason why)
{
	struct oracle_limit l = { .limit = limit,
		.is_exact = !s->member->told_changed && limit_since_file(s) &&
			    !(filter_may_read(ch->import) & FILTER_READ_TABLE) };
	const char *text = limit_answer(o);

	for (unsigned i = from; i < t->cnt; i++) {
		struct oracle_route *r = &t->route[i];

		if (r->refused) {
			/* A change of the filter leaves the reason of a route
			 * that the table lacks. */
			r->is_kept_out = r->refused == REASON_IMPORT_FILTER;
			l.spare += why == REASON_RECEIVE_LIMIT && limit_receives(ch, r);
		} else if (limit_has(text, s, t->conf->name, r)) {
			l.all++;
			l.seen++;
		} else {
			l.all++;
			r->refused = why;
		}
	}
	oracle_limit_judge(
	    o, s, ch, why == REASON_RECEIVE_LIMIT ? "receive" : "import", &l);
}

static void
limit_doubt(struct oracle_table *t, unsigned from)
{
	for (unsigned i = from; i < t->cnt; i++)
		t->route[i].doubt = DOUBT_LIMIT;
}

static bool
limit_blocks(const struct conf_limit *l, uint32_t most)
{
	return l->action == LIMIT_BLOCK && most > l->max;
}

static uint32_t
limit_accepted(const struct oracle_table *t, unsigned from)
{
	uint32_t cnt = 0;

	for (unsigned i = from; i < t->cnt; i++)
		cnt += !t->route[i].refused;
	return cnt;
}

void
oracle_limits(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, struct oracle_table *t, unsigned from)
{
	const struct conf_limit *recv = &ch->limit.receive, *imp = &ch->limit.import;
	uint32_t most = s->member->told_most[ch->family == FAM_IP6];
	struct oracle_limit got = { .limit = recv }, in = { .limit = imp };
	bool doubt = s->doubt != DOUBT_NONE || !s->member->up || !limit_answer(o),
	     blocks = limit_blocks(recv, most) || limit_blocks(imp, most);

	for (unsigned i = from; i < t->cnt; i++) {
		const struct oracle_route *r = &t->route[i];

		doubt |= r->doubt != DOUBT_NONE;
		got.all += limit_receives(ch, r);
	}
	if ((ch->limit.net && most > ch->limit.net) ||
	    (blocks && (doubt || bgp_conf_of(s->proto)->dynamic.has_range ||
			   (limit_blocks(recv, most) && limit_blocks(imp, most))))) {
		limit_doubt(t, from); /* an instance of a range has another name */
		return;
	}
	if (limit_blocks(recv, most))
		limit_block(o, s, ch, t, from, recv, REASON_RECEIVE_LIMIT);
	else if (limit_blocks(imp, most))
		limit_block(o, s, ch, t, from, imp, REASON_IMPORT_LIMIT);
	if (doubt)
		return;
	in.all = limit_accepted(t, from);
	if (recv->action > LIMIT_BLOCK)
		oracle_limit_judge(o, s, ch, "receive", &got);
	if (imp->action > LIMIT_BLOCK && !ch->limit.net)
		oracle_limit_judge(o, s, ch, "import", &in);
}
