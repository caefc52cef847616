/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route why [for] NETWORK [from P] [to Q [with COMMUNITIES]] [table T]: the state of
 * each known route of a network, the deciding step, and why a member gets the route or
 * not. With `for` the networks that contain NETWORK: the longest accepted network, and
 * longer networks whose routes are all refused. Without NETWORK see cmd_why_any.c.
 *
 * All in one step, under RCU; in the session's loop. Tested by test/net/test_why.py and
 * test/net/test_reasons.py. */
#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/run/net.h"
#include "lib/attr/attr_edit.h"
#include "lib/attr/community.h"
#include "lib/attr/route.h"
#include "lib/base/htab.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "lib/net/prefix.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/export/over_routes.h"
#include "nest/channel/import/reject_memory.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/cli/show/why/cmd_why.h"
#include "nest/conf/config.h"
#include "nest/core/reason.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/source.h"
#include "nest/rib/table.h"
#include "nest/rib/table/overlay.h"
#include "nest/rib/table/path_walk.h"

/* ---- routes of the table ---- */

static void
why_explain_paths(struct why *w)
{
	const struct path *best = w->net ? net_best(w->net) : NULL;

	if (best)
		why_path(w, best);
	for (const struct path *p = w->net ? net_first(w->net) : NULL; p;
	     p = path_next(p))
		if (p != best)
			why_path(w, p);
}

static void
why_explain_refused(struct why *w)
{
	const struct tern_view *v = tern_view_get(w->s->tern);

	why_see_live(w);
	for (uint32_t i = 0; i < v->proto_cnt; i++) {
		const struct proto *p = v->proto[i];

		for (struct channel *ch = proto_first_channel(p); ch;
		     ch = channel_after(p, ch))
			if (channel_table(ch) == w->table && why_is_asked(w, p->name))
				why_rejects(w, ch);
	}
}

/* ---- to a member ---- */

/* why_own_is_best - true: in the table of @ch, an overlay of the net's table, an own
 * route is best. */
static bool
why_own_is_best(struct why *w, const struct channel *ch)
{
	const struct overlay *o = overlay_of(channel_table(ch));
	struct nlri k = net_nlri(w->table, w->net);
	struct over_routes r;
	bool own = false;

	if (!o || channel_gives(ch) != GIVES_BEST)
		return false;
	over_routes_get(&r, o, w->ft, &w->arena, &k);
	if (r.cnt) {
		struct overlay_cand best = over_routes_take(&r);

		own = best.own;
		over_cand_done(&r, &best);
	}
	over_routes_done(&r);
	return own;
}

/* why_explain_to_path - report whether @ch sends @p to its member. @own: a route of the
 * member's own table is better than each route of the base table. Returns: the reason
 * that keeps @p back; REASON_NONE: @ch sends @p. */
static enum reason
why_explain_to_path(
    struct why *w, const struct channel *ch, const struct path *p, bool own)
{
	struct export_why y;

	if (!why_decide(w, ch, p, own, &y))
		return REASON_ELSEWHERE;
	why_explain_to(w, ch, p, &y);
	return y.reason;
}

/* why_explain_exports - routes in the member's order: only the best, or up to the first
 * sent route, or all. */
static void
why_explain_exports(struct why *w, const struct channel *ch)
{
	enum channel_gives gives = channel_gives(ch);
	const struct path *p;
	bool over = channel_from(ch) != channel_table(ch);
	struct path_walk k;
	enum reason bar;
	bool own;

	if (!w->net)
		return;
	own = over && why_own_is_best(w, ch);
	path_walk_start(&k, w->table, w->net);
	while ((p = path_walk_next(&k))) {
		bar = why_explain_to_path(w, ch, p, own);
		if (over && (bar == REASON_PIPE || bar == REASON_OWN))
			continue; /* the overlay lacks the route */
		if (gives == GIVES_BEST || (!bar && gives == GIVES_FIRST))
			break;
	}
}

/* ---- the command ---- */

static const struct table *
why_table_named(const struct why *w, const char *name)
{
	const struct tern_view *v = tern_view_get(w->s->tern);

	for (uint32_t i = 0; i < v->table_cnt; i++)
		if (table_kind(v->table[i]) == w->q.kind &&
		    (!name || !strcmp(table_name(v->table[i]), name)))
			return v->table[i];
	return NULL;
}

/* why_choose_table - the named table, the member's, the source's, or the first of the
 * kind. Returns: false: the reply has ended. */
static bool
why_choose_table(struct why *w)
{
	const char *of = w->to ? w->to : w->from;
	const struct channel *ch;

	if (w->table_name) {
		w->table = why_table_named(w, w->table_name);
	} else if (of) {
		ch = why_channel_for(w, of, NULL);
		w->table = ch ? channel_table(ch) : NULL;
	} else {
		w->table = why_table_named(w, NULL);
	}
	/* the routes of `from` may come into the table of `to` by a pipe */
	if (!w->table || (w->to && !why_channel_for(w, w->to, w->table)) ||
	    (w->from && !why_channel_for(w, w->from, w->table_name ? w->table : NULL))) {
		cli_end(w->s, CLI_BAD_COMMAND, "No valid tables");
		return false;
	}
	return true;
}

/* why_explain_table - report the routes of @t. */
static void
why_explain_table(struct why *w, const struct table *t)
{
	w->table = t;
	w->net = table_find_nlri(t, &w->q.net);
	why_see_nothing(w);
	why_explain_paths(w);
	why_explain_refused(w);
}

/* why_explain_net - report the routes of the network of the query in @asked, and what the
 * member in `to` gets. */
static void
why_explain_net(struct why *w, const struct table *asked)
{
	const struct channel *to = w->to ? why_channel_for(w, w->to, asked) : NULL;
	const struct overlay *o = overlay_of(asked);

	w->titled = NULL;
	why_explain_table(w, asked);
	if (o) /* the base has further routes */
		why_explain_table(w, o->base);
	if (to)
		why_explain_exports(w, to);
	if (!w->table_name)
		why_tables(w, asked, o);
}

/* why_explain_matches - report the networks that contain the network of the query, the
 * longest network first. */
static void
why_explain_matches(struct why *w, const struct table *asked)
{
	const struct prefix of = w->q.prefix;
	struct why_lens lens;

	why_match_lens(w, asked, &lens);
	for (unsigned len = lens.most + 1; len--;) {
		if (!lens.known[len])
			continue;
		w->q.prefix = prefix_make(of.addr, (uint8_t)len, (enum family)of.fam);
		w->q.net = nlri_of_prefix(&w->q.prefix);
		why_explain_net(w, asked);
	}
}

static void
cmd_why_answer(struct why *w)
{
	bool any = w->q.where == WHERE_ALL;

	if (!any && !why_choose_table(w))
		return;
	w->ft = filter_thread_new(&w->s->tern->ifaces);
	arena_init(&w->arena, MEM_OTHER, 4096);
	arena_init(&w->seen_nodes, MEM_OTHER, 4096);
	strbuf_init(&w->comms);
	filtered_index_init(&w->members, w->s->conf->conf);
	if (any)
		why_any(w);
	else if (w->q.where == WHERE_FOR)
		why_explain_matches(w, w->table);
	else
		why_explain_net(w, w->table);
	if (w->explained)
		cli_end(w->s, CLI_DONE, "%s", "");
	else if (any)
		cli_end(w->s, CLI_BAD_COMMAND, "No valid tables");
	else
		cli_end(w->s, CLI_NO_ROUTE, "Network not found");
	filter_thread_free(w->ft);
	arena_fini(&w->arena);
	arena_fini(&w->seen_nodes);
	htab_fini(&w->seen);
	strbuf_fini(&w->comms);
	filtered_index_fini(&w->members);
}

static bool
why_take_name(struct why *w, struct cli_scan *sc, unsigned cls, char **name)
{
	if (*name) {
		cli_syntax(w->s, sc, CLI_EXPECT_END);
		return false;
	}
	return cmd_parse_symbol(w->s, sc, cls,
	    cls == SYM_TABLE ? "Table name required" : "Protocol name required", "a name",
	    name);
}

/* why_take_community - (A, B) or (A, B, C). */
static bool
why_take_community(struct why *w, struct cli_scan *sc)
{
	struct why_with *with = &w->with;
	struct comm c = { 0 };
	unsigned cnt = 0;

	do {
		cli_scan_step(sc); /* the bracket or the comma */
		if (!cmd_parse_number(w->s, sc, 0, UINT32_MAX, &c.v[cnt]))
			return false;
		cnt++;
	} while (cnt < 3 && sc->tok == TOK_CHAR && sc->chr == ',');
	if (cnt == 1 || !cli_scan_char(sc, ')')) {
		cli_syntax(w->s, sc, cnt == 1 ? "','" : "')'");
		return false;
	}
	if (cnt == 2 && (c.v[0] > UINT16_MAX || c.v[1] > UINT16_MAX)) {
		cli_end(w->s, CLI_BAD_COMMAND, "A community has numbers up to 65535");
		return false;
	}
	if (cnt == 2 ? with->std_len == sizeof(with->std)
		     : with->large_len == sizeof(with->large)) {
		cli_end(w->s, CLI_BAD_COMMAND, "Too many communities");
		return false;
	}
	if (cnt == 2) {
		comm_put(COMM_STD, with->std + with->std_len, c);
		with->std_len += 4;
	} else {
		comm_put(COMM_LARGE, with->large + with->large_len, c);
		with->large_len += 12;
	}
	return true;
}

/* why_take_with - behind `with`: communities. */
static bool
why_take_with(struct why *w, struct cli_scan *sc)
{
	w->with.given = true;
	do {
		if (sc->tok != TOK_CHAR || sc->chr != '(') {
			cli_syntax(w->s, sc, "'('");
			return false;
		}
		if (!why_take_community(w, sc))
			return false;
	} while (sc->tok == TOK_CHAR && sc->chr == '(');
	return true;
}

/* why_take_option - Returns: 1, 0 if no option follows, or -1 if the reply has ended. */
static int
why_take_option(struct why *w, struct cli_scan *sc)
{
	bool ok;

	if (cli_scan_word(sc, "from"))
		ok = why_take_name(w, sc, SYM_PROTOCOL, &w->from);
	else if (cli_scan_word(sc, "to"))
		ok = why_take_name(w, sc, SYM_PROTOCOL, &w->to);
	else if (cli_scan_word(sc, "table"))
		ok = why_take_name(w, sc, SYM_TABLE, &w->table_name);
	else if (cli_scan_word(sc, "with"))
		ok = why_take_with(w, sc);
	else
		return 0;
	return ok ? 1 : -1;
}

static bool
why_take_net(struct why *w, struct cli_scan *sc)
{
	if (!route_take_net(
		w->s, sc, &w->q, cli_scan_word(sc, "for") ? WHERE_FOR : WHERE_EQUAL))
		return false;
	if (!nlri_is_ip(w->q.kind)) {
		cli_end(w->s, CLI_BAD_COMMAND,
		    "The command explains routes to IP prefixes only");
		return false;
	}
	return true;
}

static bool
cmd_why_take_all(struct why *w, struct cli_scan *sc)
{
	int rc = why_take_option(w, sc);

	if (rc < 0 || (!rc && !why_take_net(w, sc)))
		return false;
	while (sc->tok != TOK_END) {
		rc = why_take_option(w, sc);
		if (!rc)
			cli_syntax(w->s, sc,
			    "'from', 'to', 'table', 'with' or the end of the command");
		if (rc < 1)
			return false;
	}
	if (w->with.given && !w->to) {
		cli_end(w->s, CLI_BAD_COMMAND, "with needs to");
		return false;
	}
	if (w->q.where == WHERE_ALL && (!w->with.given || w->table_name)) {
		cli_end(w->s, CLI_BAD_COMMAND,
		    w->table_name ? "table needs a network"
				  : "Without a network the command needs to and with");
		return false;
	}
	return true;
}

void
cmd_show_route_why(struct cli_session *s, struct cli_scan *sc)
{
	struct why *w = mem_zalloc(MEM_OTHER, sizeof(*w));

	w->s = s;
	if (cmd_why_take_all(w, sc))
		cmd_why_answer(w);
	mem_free(MEM_OTHER, w->from);
	mem_free(MEM_OTHER, w->to);
	mem_free(MEM_OTHER, w->table_name);
	mem_free(MEM_OTHER, w);
}
