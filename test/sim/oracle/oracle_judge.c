/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of members with the model: for each member and network the routes that
 * the member must hold, with all attributes. Path identifiers are the daemon's choice. */
#include "test/sim/oracle/oracle_model.h"

#include "proto/bgp/conf/bgp_conf.h"
#include "test/sim/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRONG_MAX 6 /* differences that are printed */

/* A route that the member must hold. */
struct judge_want {
	struct prefix net;
	struct rib_attrs *attrs;
	bool met;
};

/* The comparison of one channel of one member. */
struct judge {
	struct oracle *o;
	const struct oracle_session *s;
	const struct conf_channel *ch;
	const struct oracle_route **route; /* of the table, by network */
	unsigned route_cnt;
	struct judge_want *want;
	unsigned want_cnt, want_cap;
	struct prefix *vague; /* networks that are not judged */
	unsigned vague_cnt;
};

static int
judge_cmp_net(const struct prefix *a, const struct prefix *b)
{
	int c = ip_cmp(a->addr, b->addr);

	return c ? c : (int)a->len - (int)b->len;
}

static int
judge_cmp(const void *a, const void *b)
{
	const struct oracle_route *const *x = a, *const *y = b;
	int c = judge_cmp_net(&(*x)->net, &(*y)->net);

	return c ? c : *x < *y ? -1 : *x > *y;
}

static void
judge_want(struct judge *j, const struct oracle_route *r, struct rib_attrs *attrs)
{
	if (j->want_cnt == j->want_cap) {
		j->want_cap = j->want_cap ? 2 * j->want_cap : 64;
		j->want = reallocarray(j->want, j->want_cap, sizeof(*j->want));
	}
	j->want[j->want_cnt++] = (struct judge_want){ r->net, attrs, false };
}

/* judge_take - take a route out of the @cnt routes. Returns: the rest. */
static unsigned
judge_take(const struct oracle_route **r, unsigned cnt, const struct oracle_route *gone)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < cnt; i++)
		if (r[i] != gone)
			r[kept++] = r[i];
	return kept;
}

/* judge_net - the routes of one network that the member must hold: all permitted routes
 * (add-path), the best of the permitted routes (`secondary`), or the best route if
 * permitted. Returns: a doubt. */
static enum oracle_doubt
judge_net(struct judge *j, const struct oracle_route **r, unsigned cnt)
{
	const struct bgp_channel_conf *cc = bgp_channel_conf_of(j->ch);
	bool all = (cc->add_paths & BGP_ADDPATH_TX) &&
		   j->s->member->gets_id[j->ch->family == FAM_IP6];
	enum oracle_doubt doubt = DOUBT_NONE;
	const struct oracle_route *best;
	struct rib_attrs *a = NULL;
	enum reason why;

	for (unsigned i = 0; i < cnt; i++)
		if (r[i]->doubt)
			return r[i]->doubt;
	if (all) {
		for (unsigned i = 0; i < cnt; i++)
			if (!r[i]->refused &&
			    (a = oracle_export(j->o, j->s, j->ch, r[i], &why, &doubt)))
				judge_want(j, r[i], a);
		return doubt;
	}
	for (best = oracle_select(r, cnt); best && !a && !doubt;
	     best = oracle_select(r, cnt)) {
		a = oracle_export(j->o, j->s, j->ch, best, &why, &doubt);
		if (a)
			judge_want(j, best, a);
		if (!cc->secondary)
			break;
		cnt = judge_take(r, cnt, best);
	}
	return doubt;
}

static void
judge_vague(struct judge *j, const struct prefix *net, enum oracle_doubt doubt)
{
	j->vague = reallocarray(j->vague, j->vague_cnt + 1, sizeof(*j->vague));
	j->vague[j->vague_cnt++] = *net;
	oracle_doubt(j->o, doubt);
}

static void
judge_all_nets(struct judge *j)
{
	enum oracle_doubt doubt;
	unsigned end, want;

	qsort(j->route, j->route_cnt, sizeof(*j->route), judge_cmp);
	for (unsigned i = 0; i < j->route_cnt; i = end) {
		struct prefix net = j->route[i]->net;

		for (end = i;
		     end < j->route_cnt && prefix_equal(&j->route[end]->net, &net);)
			end++;
		want = j->want_cnt;
		doubt = judge_net(j, j->route + i, end - i);
		if (doubt) {
			j->want_cnt = want;
			judge_vague(j, &net, doubt);
		} else {
			__atomic_fetch_add(&j->o->sums->judged_cnt, 1, __ATOMIC_RELAXED);
		}
	}
}

static bool
judge_is_vague(const struct judge *j, const struct prefix *net)
{
	for (unsigned i = 0; i < j->vague_cnt; i++)
		if (prefix_equal(&j->vague[i], net))
			return true;
	return false;
}

/* judge_wrong - print a difference: what the model expects, what the member holds, and
 * the routes of the network in the model. */
static void
judge_wrong(struct judge *j, const struct prefix *net)
{
	const struct oracle_table *t = oracle_table_of(j->o, j->ch->table);
	const struct rib_route *r;
	enum oracle_doubt doubt = DOUBT_NONE;
	char text[64];
	uint32_t at = 0;

	if (j->o->wrong++ >= WRONG_MAX)
		return;
	fprintf(stderr, "the oracle: %s, %s, %s\n", j->o->when, j->s->member->name,
	    prefix_str(text, net));
	for (unsigned i = 0; i < j->want_cnt; i++)
		if (prefix_equal(&j->want[i].net, net))
			fprintf(stderr, "  expected: %s\n", codec_text(j->want[i].attrs));
	while ((r = rib_next(&j->s->member->received, &at))) {
		struct prefix p = oracle_prefix(&r->key);

		if (p.fam == net->fam && prefix_equal(&p, net))
			fprintf(stderr, "  seen:     %s\n", codec_text(r->attrs));
	}
	for (unsigned i = 0; i < t->cnt; i++) {
		const struct oracle_route *m = &t->route[i];
		enum reason why = m->refused;

		if (!prefix_equal(&m->net, net))
			continue;
		if (!why)
			oracle_export(j->o, j->s, j->ch, m, &why, &doubt);
		fprintf(stderr, "  route of %s, id %u, %u tables: %s\n",
		    m->source->member ? m->source->member->name : m->source->proto->name,
		    m->id, m->way_cnt, why ? reason_key(why) : "may be sent");
	}
}

/* judge_keeps_out - the export limit with `block` may keep out some of the routes: the
 * session has reached the limit. A withdrawal makes no room for such a route. */
static bool
judge_keeps_out(const struct judge *j)
{
	const struct conf_limit *l = &j->ch->limit.export;

	return l->action == LIMIT_BLOCK && j->s->member->received_most >= l->max;
}

static void
judge_compare(struct judge *j)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&j->s->member->received, &at))) {
		struct prefix net = oracle_prefix(&r->key);
		unsigned i = 0;

		if (net.fam != j->ch->family || judge_is_vague(j, &net))
			continue;
		while (
		    i < j->want_cnt &&
		    (j->want[i].met || !prefix_equal(&j->want[i].net, &net) ||
			strcmp(codec_text(j->want[i].attrs), codec_text(r->attrs)) != 0))
			i++;
		if (i == j->want_cnt)
			judge_wrong(j, &net);
		else
			j->want[i].met = true;
	}
	for (unsigned i = 0; !judge_keeps_out(j) && i < j->want_cnt; i++)
		if (!j->want[i].met)
			judge_wrong(j, &j->want[i].net);
}

/* judge_limit - an export limit may keep out any of the routes. */
static void
judge_limit(struct judge *j)
{
	struct oracle_limit l = { .limit = &j->ch->limit.export, .all = j->want_cnt };
	const struct rib_route *r;
	uint32_t at = 0;

	if (l.limit->action <= LIMIT_WARN)
		return;
	if (j->vague_cnt) {
		if (j->want_cnt + j->vague_cnt > l.limit->max)
			oracle_doubt(j->o, DOUBT_LIMIT);
		return;
	}
	while ((r = rib_next(&j->s->member->received, &at)))
		l.seen += r->key.v6 == (j->ch->family == FAM_IP6);
	oracle_limit_judge(j->o, j->s, j->ch, "export", &l);
}

/* judge_end - RFC 4724, 2: the member has got the End-of-RIB of the session. */
static void
judge_end(struct oracle *o, const struct oracle_session *s, const struct conf_channel *ch)
{
	const struct member *m = s->member;

	if (!m->restarts || m->has_ended[ch->family == FAM_IP6])
		return;
	o->wrong++;
	fprintf(
	    stderr, "the oracle: %s, %s.%s: no End-of-RIB\n", o->when, m->name, ch->name);
}

static void
judge_channel(
    struct oracle *o, const struct oracle_session *s, const struct conf_channel *ch)
{
	struct oracle_table *t = oracle_table_of(o, ch->table);
	struct judge j = { .o = o, .s = s, .ch = ch, .route_cnt = t->cnt };
	enum oracle_doubt doubt = s->doubt       ? s->doubt
				  : t->is_unsure ? DOUBT_PROTOCOL
						 : DOUBT_NONE;

	for (unsigned i = 0; doubt && i < s->member->received.cnt; i++)
		oracle_doubt(o, doubt);
	if (doubt)
		return;
	judge_end(o, s, ch);
	j.route = calloc(t->cnt + 1, sizeof(*j.route));
	for (unsigned i = 0; i < t->cnt; i++)
		j.route[i] = &t->route[i];
	judge_all_nets(&j);
	judge_limit(&j);
	judge_compare(&j);
	free(j.route);
	free(j.want);
	free(j.vague);
}

void
oracle_judge(struct oracle *o)
{
	for (unsigned i = 0; i < o->session_cnt; i++) {
		const struct oracle_session *s = &o->session[i];

		if (!s->member->up || !s->proto)
			continue;
		for (const struct conf_channel *ch = s->proto->chan; ch; ch = ch->next)
			if (ch->family == FAM_IP4 || s->member->ipv6)
				judge_channel(o, s, ch);
	}
}
