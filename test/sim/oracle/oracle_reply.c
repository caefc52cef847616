/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies of the daemon (oracle_ask.c) compared with the model: the number of accepted
 * and sent routes of each session, and the reasons of `show route why`. */
#include "test/sim/oracle/oracle_model.h"

#include "proto/bgp/conf/bgp_conf.h"
#include "test/sim/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
reply_word(const char *line, const char *name, char *out, size_t room)
{
	char key[40];
	const char *end = line + strcspn(line, "\n"), *at;

	snprintf(key, sizeof(key), "\"%s\":", name);
	at = strstr(line, key);
	if (!at || at >= end)
		return false;
	at += strlen(key);
	at += *at == '"';
	snprintf(out, room, "%.*s", (int)strcspn(at, "\",}\n"), at);
	return true;
}

bool
reply_is(const char *line, const char *name, const char *value)
{
	char word[80];

	return reply_word(line, name, word, sizeof(word)) && !strcmp(word, value);
}

/* The code of a line stands before its object. */
const char *
reply_next(const char *at)
{
	at = strchr(at, '\n');
	while (at && at[1 + strcspn(at + 1, "{\n")] != '{')
		at = strchr(at + 1, '\n');
	return at ? at + 1 + strcspn(at + 1, "{\n") : NULL;
}

/* ---- reasons ---- */

/* A route of the model, and the object that names the fate of the route. */
struct reply_known {
	const struct oracle_route *route;
	bool met;
	uint32_t id; /* path identifier of the object */
};

/* A network in a table of the model. */
struct reply_net {
	struct reply_known *known;
	const struct oracle_route **route; /* those of known */
	unsigned cnt;
	const struct oracle_route *best;
	bool has_doubt;
	bool has_vague; /* the fate of a route is not judged */
};

static void
reply_collect(const struct oracle_table *t, const struct prefix *net, struct reply_net *n)
{
	*n = (struct reply_net){ .known = calloc(t->cnt + 1, sizeof(*n->known)),
		.route = calloc(t->cnt + 1, sizeof(*n->route)) };
	n->has_doubt = t->is_unsure;
	for (unsigned i = 0; i < t->cnt; i++)
		if (t->route[i].net.fam == net->fam &&
		    prefix_equal(&t->route[i].net, net)) {
			n->route[n->cnt] = &t->route[i];
			n->known[n->cnt++].route = &t->route[i];
			n->has_doubt |= t->route[i].doubt != DOUBT_NONE;
		}
	if (!n->has_doubt)
		n->best = oracle_select(n->route, n->cnt);
}

/* reply_is_of - the object has the protocol and the address of the route. */
static bool
reply_is_of(const char *line, const struct oracle_route *r)
{
	char from[IP_STR_MAX], ours[IP_STR_MAX];

	return reply_is(line, "protocol", r->source->facts.proto) &&
	       (!reply_word(line, "from", from, sizeof(from)) ||
		   !strcmp(ip_str(ours, r->source->facts.from), from));
}

/* reply_id - an object without the field has the identifier 0. */
static uint32_t
reply_id(const char *line)
{
	char id[16];

	return reply_word(line, "path_id", id, sizeof(id))
		   ? (uint32_t)strtoul(id, NULL, 10)
		   : 0;
}

static void
reply_wrong(struct oracle *o, const char *line, const char *expected)
{
	o->wrong++;
	fprintf(stderr, "the oracle: %s, a reply: %.*s\n  expected: %s\n", o->when,
	    (int)strcspn(line, "\n"), line, expected);
}

/* ---- fates ---- */

/* What the model says about a route. */
struct reply_fate {
	const char *fate;
	enum reason why; /* REASON_NONE: any */
};

static struct reply_fate
reply_fate_of(const struct reply_net *n, const struct oracle_route *r)
{
	if (r->refused)
		return (struct reply_fate){ "refused", r->refused };
	if (r == n->best)
		return (struct reply_fate){ "best", REASON_NONE };
	return (struct reply_fate){ "lost", oracle_lost(n->route, n->cnt, n->best, r) };
}

/* reply_fits - Returns: NULL, or what the object should say. */
static const char *
reply_fits(const char *line, const struct reply_fate *f)
{
	if (!reply_is(line, "fate", f->fate))
		return f->fate;
	if (f->why && !reply_is(line, "reason", reason_key(f->why)))
		return reason_key(f->why);
	return NULL;
}

/* reply_meet - the route of the object. A route in the table of its session
 * has the identifier of the member. Static routes, and routes behind a pipe, have numbers
 * of the daemon: each object of a source takes one of the routes of the source that have
 * the fate of the object.
 * *@expected: what the object should say, if all routes of the source have other fates.
 * Returns: NULL: no route. */
static struct reply_known *
reply_meet(const struct reply_net *n, const char *line, const char **expected)
{
	struct reply_known *other = NULL;

	for (unsigned i = 0; i < n->cnt; i++) {
		struct reply_known *k = &n->known[i];
		struct reply_fate f = reply_fate_of(n, k->route);

		if (k->met || !reply_is_of(line, k->route) ||
		    (k->route->way_cnt == 1 && k->route->source->member &&
			k->route->id != reply_id(line)))
			continue;
		*expected = reply_fits(line, &f);
		if (!*expected)
			return k;
		other = k;
	}
	return other;
}

static void
reply_fate(struct oracle *o, struct reply_net *n, const char *line)
{
	const char *expected = NULL;
	struct reply_known *k;

	if (n->has_doubt)
		return;
	if (reply_is(line, "fate", "stale")) {
		n->has_vague = true;
		return;
	}
	k = reply_meet(n, line, &expected);
	if (!k)
		return;
	k->met = true;
	k->id = reply_id(line);
	if (k->route->is_kept_out && reply_is(line, "stage", "limit"))
		return;
	if (expected)
		reply_wrong(o, line, expected);
	__atomic_fetch_add(&o->sums->reason_cnt, 1, __ATOMIC_RELAXED);
}

/* reply_all_met - each route of the member's table that takes part in the selection has
 * an object. The objects of an overlay are about two tables. An instance of a range has
 * another name than the instance of the file. */
static void
reply_all_met(struct oracle *o, const struct reply_net *n, const char *text)
{
	for (unsigned i = 0; i < n->cnt && !n->has_doubt && !n->has_vague; i++) {
		const struct oracle_route *r = n->known[i].route;
		const struct conf_proto *p = r->source->proto;
		char expected[120];

		if (n->known[i].met || r->refused ||
		    (p->kind == PROTO_BGP && bgp_conf_of(p)->dynamic.has_range))
			continue;
		snprintf(expected, sizeof(expected), "a route of %s, %u tables",
		    r->source->facts.proto, r->way_cnt);
		reply_wrong(o, reply_next(text), expected);
	}
}

/* ---- ways to a member ---- */

static const struct oracle_session *
reply_session(const struct oracle *o, const struct member *m)
{
	for (unsigned i = 0; i < o->session_cnt; i++)
		if (o->session[i].member == m)
			return &o->session[i];
	return NULL;
}

/* reply_holds - the member has the network with these attributes. */
static bool
reply_holds(const struct member *m, const struct prefix *net, struct rib_attrs *attrs)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->received, &at))) {
		struct prefix p = oracle_prefix(&r->key);

		if (p.fam == net->fam && prefix_equal(&p, net) &&
		    !strcmp(codec_text(r->attrs), codec_text(attrs)))
			return true;
	}
	return false;
}

/* reply_is_best - the object is about the best route. */
static bool
reply_is_best(const struct reply_net *n, const char *line)
{
	for (unsigned i = 0; i < n->cnt; i++)
		if (n->known[i].met && n->known[i].route == n->best)
			return reply_is_of(line, n->best) &&
			       n->known[i].id == reply_id(line);
	return false;
}

/* reply_way - does the route go to the member? If not, for which reason? A route that
 * another route keeps back is no question of reasons. */
static void
reply_way(struct oracle *o, const struct reply_net *n, const char *line,
    const struct oracle_session *s, const struct conf_channel *ch)
{
	enum oracle_doubt doubt = s->doubt;
	enum reason why = REASON_NONE;
	struct rib_attrs *a;

	/* An instance of a range has another name than the instance of the file. */
	if (n->has_doubt || !reply_is_best(n, line) || !s->member->up ||
	    bgp_conf_of(s->proto)->dynamic.has_range)
		return;
	/* the member lacks the family of the channel */
	if (ch->family == FAM_IP6 && !s->member->ipv6) {
		if (!doubt && !reply_is(line, "reason", reason_key(REASON_DOWN)))
			reply_wrong(o, line, reason_key(REASON_DOWN));
		return;
	}
	a = oracle_export(o, s, ch, n->best, &why, &doubt);
	if (doubt)
		return;
	if (a && ch->limit.export.action == LIMIT_BLOCK &&
	    !reply_holds(s->member, &n->best->net, a)) {
		a = NULL; /* the judgement of members finds other causes */
		why = REASON_EXPORT_LIMIT;
	}
	if (!reply_is(line, "goes", a ? "true" : "false"))
		reply_wrong(o, line, a ? "goes" : reason_key(why));
	else if (!a && !reply_is(line, "reason", reason_key(why)))
		reply_wrong(o, line, reason_key(why));
	__atomic_fetch_add(&o->sums->reason_cnt, 1, __ATOMIC_RELAXED);
}

/* reply_table - the objects about one table. */
static void
reply_table(struct oracle *o, const struct oracle_answer *a, const struct oracle_table *t)
{
	const struct oracle_session *s = reply_session(o, a->to);
	const struct conf_channel *ch = s->proto ? s->proto->chan : NULL;
	struct reply_net n;

	while (ch && ch->family != a->net.fam)
		ch = ch->next;
	reply_collect(t, &a->net, &n);
	for (const char *line = reply_next(a->text); line; line = reply_next(line))
		if (reply_is(line, "type", "why") &&
		    reply_is(line, "table", t->conf->name))
			reply_fate(o, &n, line);
	if (ch && ch->table == t->conf && !conf_table_base(t->conf))
		reply_all_met(o, &n, a->text);
	for (const char *line = reply_next(a->text); line; line = reply_next(line))
		if (reply_is(line, "type", "why_to") && ch && ch->table == t->conf &&
		    reply_is(line, "table", t->conf->name))
			reply_way(o, &n, line, s, ch);
	free(n.known);
	free(n.route);
}

/* ---- counts ---- */

/* reply_imported - the routes of the session in its table; UINT32_MAX: unsure. */
static uint32_t
reply_imported(
    const struct oracle *o, const struct oracle_session *s, const struct conf_channel *ch)
{
	const struct oracle_table *t = oracle_table_of(o, ch->table);
	uint32_t cnt = 0;

	for (unsigned i = 0; i < t->cnt; i++) {
		const struct oracle_route *r = &t->route[i];

		if (r->source != &s->source || r->way_cnt != 1)
			continue;
		if (r->doubt)
			return UINT32_MAX;
		cnt += !r->refused;
	}
	return cnt;
}

static uint32_t
reply_held(const struct oracle_session *s, const struct conf_channel *ch)
{
	const struct rib_route *r;
	uint32_t at = 0, cnt = 0;

	while ((r = rib_next(&s->member->received, &at)))
		cnt += r->key.v6 == (ch->family == FAM_IP6);
	return cnt;
}

/* reply_count - `"routes":{"imported":N,...}` of one channel. */
static void
reply_count(struct oracle *o, const struct oracle_session *s,
    const struct conf_channel *ch, const char *line)
{
	const char *end = line + strcspn(line, "\n"), *at = strstr(line, "\"channels\":");
	uint32_t imported = reply_imported(o, s, ch), held = reply_held(s, ch);
	char key[40], value[24], text[80];

	snprintf(key, sizeof(key), "{\"name\":\"%s\"", ch->name);
	at = at && at < end ? strstr(at, key) : NULL;
	at = at && at < end ? strstr(at, "\"routes\":") : NULL;
	if (!at || at >= end)
		return;
	snprintf(text, sizeof(text), "%s.%s: %u imported, %u exported", s->proto->name,
	    ch->name, imported, held);
	if (imported != UINT32_MAX && reply_word(at, "imported", value, sizeof(value)) &&
	    (uint32_t)atoi(value) != imported)
		reply_wrong(o, at, text);
	if (reply_word(at, "exported", value, sizeof(value)) &&
	    (uint32_t)atoi(value) != held)
		reply_wrong(o, at, text);
	__atomic_fetch_add(&o->sums->count_cnt, 1, __ATOMIC_RELAXED);
}

static void
reply_counts(struct oracle *o, const struct oracle_answer *a)
{
	for (const char *line = reply_next(a->text); line; line = reply_next(line))
		for (unsigned i = 0; i < o->session_cnt; i++) {
			const struct oracle_session *s = &o->session[i];

			if (!s->proto || !s->member->up || s->doubt ||
			    !reply_is(line, "name", s->proto->name))
				continue;
			for (const struct conf_channel *ch = s->proto->chan; ch;
			     ch = ch->next)
				if (ch->family == FAM_IP4 || s->member->ipv6)
					reply_count(o, s, ch, line);
		}
}

void
oracle_replies(struct oracle *o)
{
	for (unsigned i = 0; i < o->answer_cnt; i++)
		if (o->answer[i].to)
			for (unsigned t = 0; t < o->conf->table_cnt; t++)
				reply_table(o, &o->answer[i], &o->table[t]);
		else if (!o->answer[i].has_routes)
			reply_counts(o, &o->answer[i]);
}
