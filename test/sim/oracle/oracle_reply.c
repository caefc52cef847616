/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replies of the daemon (oracle_ask.c) compared with the model: the number of accepted
 * and sent routes of each session, and the reasons of `show route why`. */
#include "test/sim/oracle/oracle_model.h"

#include "proto/bgp/conf/bgp_conf.h"

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

/* A network in a table of the model. */
struct reply_net {
	const struct oracle_route **route;
	unsigned cnt;
	const struct oracle_route *best;
	bool has_doubt;
};

static void
reply_collect(const struct oracle_table *t, const struct prefix *net, struct reply_net *n)
{
	*n = (struct reply_net){ .route = calloc(t->cnt + 1, sizeof(*n->route)) };
	n->has_doubt = t->is_unsure;
	for (unsigned i = 0; i < t->cnt; i++)
		if (t->route[i].net.fam == net->fam &&
		    prefix_equal(&t->route[i].net, net)) {
			n->route[n->cnt++] = &t->route[i];
			n->has_doubt |= t->route[i].doubt != DOUBT_NONE;
		}
	if (!n->has_doubt)
		n->best = oracle_select(n->route, n->cnt);
}

/* reply_route - the route of an object, if a single route has the protocol and the
 * address. A malformed route that the daemon keeps is no route of the model, and has
 * another path identifier. */
static const struct oracle_route *
reply_route(const struct reply_net *n, const char *line)
{
	const struct oracle_route *found = NULL;
	char proto[80], from[IP_STR_MAX], ours[IP_STR_MAX], id[16];
	bool has_from = reply_word(line, "from", from, sizeof(from));

	if (!reply_word(line, "protocol", proto, sizeof(proto)))
		return NULL;
	for (unsigned i = 0; i < n->cnt; i++) {
		const struct oracle_source *s = n->route[i]->source;

		if (strcmp(s->facts.proto, proto) != 0 ||
		    (has_from && strcmp(ip_str(ours, s->facts.from), from) != 0))
			continue;
		if (found)
			return NULL;
		found = n->route[i];
	}
	if (found && reply_word(line, "path_id", id, sizeof(id)) &&
	    strtoul(id, NULL, 10) != found->id)
		return NULL;
	return found;
}

static void
reply_wrong(struct oracle *o, const char *line, const char *expected)
{
	o->wrong++;
	fprintf(stderr, "the oracle: %s, a reply: %.*s\n  expected: %s\n", o->when,
	    (int)strcspn(line, "\n"), line, expected);
}

static void
reply_fate(struct oracle *o, const struct reply_net *n, const char *line)
{
	const struct oracle_route *r = reply_route(n, line);
	enum reason why;
	const char *fate;

	if (!r || n->has_doubt || reply_is(line, "fate", "stale") ||
	    (r->is_kept_out && reply_is(line, "stage", "limit")))
		return;
	fate = r->refused ? "refused" : r == n->best ? "best" : "lost";
	if (!reply_is(line, "fate", fate)) {
		reply_wrong(o, line, fate);
		return;
	}
	why = r->refused     ? r->refused
	      : r == n->best ? REASON_NONE
			     : oracle_lost(n->best, r);
	if (why && !reply_is(line, "reason", reason_key(why)))
		reply_wrong(o, line, reason_key(why));
	__atomic_fetch_add(&o->sums->reason_cnt, 1, __ATOMIC_RELAXED);
}

static const struct oracle_session *
reply_session(const struct oracle *o, const struct member *m)
{
	for (unsigned i = 0; i < o->session_cnt; i++)
		if (o->session[i].member == m)
			return &o->session[i];
	return NULL;
}

static bool
reply_holds(const struct member *m, const struct prefix *net)
{
	const struct rib_route *r;
	uint32_t at = 0;

	while ((r = rib_next(&m->received, &at))) {
		struct prefix p = oracle_prefix(&r->key);

		if (p.fam == net->fam && prefix_equal(&p, net))
			return true;
	}
	return false;
}

/* reply_way - does the route go to the member? If not, for which reason? A route that
 * another route keeps back is no question of reasons. */
static void
reply_way(struct oracle *o, const struct reply_net *n, const char *line,
    const struct oracle_session *s, const struct conf_channel *ch)
{
	const struct oracle_route *r = reply_route(n, line);
	enum oracle_doubt doubt = s->doubt;
	enum reason why = REASON_NONE;
	struct rib_attrs *a;

	/* An instance of a range has another name than the instance of the file. */
	if (!r || r != n->best || n->has_doubt || !s->member->up ||
	    bgp_conf_of(s->proto)->dynamic.has_range)
		return;
	/* the member lacks the family of the channel */
	if (ch->family == FAM_IP6 && !s->member->ipv6) {
		if (!doubt && !reply_is(line, "reason", reason_key(REASON_DOWN)))
			reply_wrong(o, line, reason_key(REASON_DOWN));
		return;
	}
	a = oracle_export(o, s, ch, r, &why, &doubt);
	if (doubt)
		return;
	if (a && ch->limit.export.action == LIMIT_BLOCK &&
	    !reply_holds(s->member, &r->net)) {
		a = NULL; /* the judgement of members finds other causes */
		why = REASON_EXPORT_LIMIT;
	}
	if (!reply_is(line, "goes", a ? "true" : "false"))
		reply_wrong(o, line, a ? "goes" : reason_key(why));
	else if (!a && !reply_is(line, "reason", reason_key(why)))
		reply_wrong(o, line, reason_key(why));
	__atomic_fetch_add(&o->sums->reason_cnt, 1, __ATOMIC_RELAXED);
}

static void
reply_reasons(struct oracle *o, const struct oracle_answer *a)
{
	const struct oracle_session *s = reply_session(o, a->to);
	const struct conf_channel *ch = s->proto ? s->proto->chan : NULL;
	const struct conf_table *t = NULL;
	struct reply_net n = { 0 };
	char table[80];

	while (ch && ch->family != a->net.fam)
		ch = ch->next;
	for (const char *line = reply_next(a->text); line; line = reply_next(line)) {
		const struct conf_table *of = NULL;

		if (reply_word(line, "table", table, sizeof(table)))
			of = config_find_table(o->conf, table);
		if (!of)
			continue;
		if (of != t) {
			free(n.route);
			reply_collect(oracle_table_of(o, of), &a->net, &n);
			t = of;
		}
		if (reply_is(line, "type", "why"))
			reply_fate(o, &n, line);
		else if (reply_is(line, "type", "why_to") && ch && ch->table == t)
			reply_way(o, &n, line, s, ch);
	}
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
			reply_reasons(o, &o->answer[i]);
		else if (!o->answer[i].has_routes)
			reply_counts(o, &o->answer[i]);
}
