/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show route: reads the options, in any order, and selects the tables. The walk is in
 * cmd_route_walk.c.
 *
 * Loop: the session's. Tested by test/unit/test_cli.c and test/net/test_birdc.py. */
#include "filter/lang/sym.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_names.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_channel.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/cli/show/route/cmd_route.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

/* ---- tables ---- */

static struct route_table *
route_new_table(struct route_query *q, const char *name)
{
	struct route_table *t;

	q->table = vec_room(
	    MEM_OTHER, q->table, &q->table_cap, q->table_cnt + 1, sizeof(*q->table));
	t = &q->table[q->table_cnt++];
	*t = (struct route_table){ .name = mem_strdup(MEM_OTHER, name) };
	return t;
}

static void
cmd_route_add_table(struct route_query *q, const char *name, bool asked)
{
	for (unsigned i = 0; i < q->table_cnt; i++)
		if (!q->table[i].kept && !strcmp(q->table[i].name, name))
			return;
	route_new_table(q, name)->asked = asked;
}

static bool
cmd_route_take_table(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	const struct config *c = s->conf->conf;
	char *name;

	q->has_table = true;
	if (cli_scan_word(sc, "all")) {
		for (unsigned i = 0; i < c->table_cnt; i++)
			cmd_route_add_table(q, c->table[i]->name, true);
		return true;
	}
	if (!cmd_parse_symbol(s, sc, SYM_TABLE, "Table name required",
		"the name of a table or 'all'", &name))
		return false;
	cmd_route_add_table(q, name, true);
	mem_free(MEM_OTHER, name);
	return true;
}

/* route_channel_named - channel @name of protocol @proto; NULL: none. */
static const struct channel *
route_channel_named(const struct tern *t, const char *proto, const char *name)
{
	const struct proto *p = cmd_proto_named(t, proto);

	for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
	     ch = channel_after(p, ch))
		if (!strcmp(channel_name(ch), name))
			return ch;
	return NULL;
}

/* route_add_kept - the table @kept of channel @name of @proto. */
static bool
route_add_kept(struct cli_session *s, struct route_query *q, enum route_kept kept,
    const char *proto, const char *name)
{
	const struct channel *ch = route_channel_named(s->tern, proto, name);
	struct route_table *t;

	if (!ch) {
		cmd_no_channel(s, proto, name);
		return false;
	}
	if (kept == KEPT_IMPORT ? !channel_keeps_import(ch) : !channel_keeps_export(ch)) {
		cli_end(s, CLI_BAD_COMMAND, "No %s table in channel %s.%s",
		    kept == KEPT_IMPORT ? "import" : "export", proto, name);
		return false;
	}
	t = route_new_table(q, table_name(channel_table(ch)));
	t->asked = true;
	t->kept = kept;
	t->proto = mem_strdup(MEM_OTHER, proto);
	t->channel = mem_strdup(MEM_OTHER, name);
	return true;
}

static bool
route_is_dot(const struct cli_scan *sc)
{
	return sc->tok == TOK_CHAR && sc->chr == '.';
}

/* route_take_kept - behind `import table` and `export table`: PROTOCOL.CHANNEL */
static bool
route_take_kept(struct cli_session *s, struct cli_scan *sc, struct route_query *q,
    enum route_kept kept)
{
	char *proto;
	bool ok;

	q->has_table = true;
	if (!cmd_parse_symbol(
		s, sc, SYM_PROTOCOL, "Protocol name required", "a name", &proto))
		return false;
	ok = route_is_dot(sc);
	if (!ok) {
		cli_syntax(s, sc, "a '.'");
	} else {
		cli_scan_step(sc);
		ok = sc->tok == TOK_WORD;
		if (!ok)
			cli_syntax(s, sc, NULL);
	}
	ok = ok && route_add_kept(s, q, kept, proto, sc->text);
	if (ok)
		cli_scan_step(sc);
	mem_free(MEM_OTHER, proto);
	return ok;
}

/* Add the tables of a protocol's channels, or of channel @name; @up: only if the session
 * is up. */
static void
route_add_proto_tables(const struct tern *t, struct route_query *q, const char *proto,
    const char *name, bool up)
{
	const struct proto *p = cmd_proto_named(t, proto);

	for (struct channel *ch = p ? proto_first_channel(p) : NULL; ch;
	     ch = channel_after(p, ch))
		if ((!up || channel_seems_up(ch)) &&
		    (!name || !strcmp(name, channel_name(ch))))
			cmd_route_add_table(q, table_name(channel_table(ch)), false);
}

/* route_drop_tables - drop tables of the wrong kind. */
static void
route_drop_tables(const struct config *c, struct route_query *q)
{
	unsigned to = 0;

	for (unsigned i = 0; i < q->table_cnt; i++) {
		const struct conf_table *t = config_find_table(c, q->table[i].name);
		bool fits = q->where == WHERE_ALL || !t || t->kind == q->kind;

		if (fits)
			q->table[to++] = q->table[i];
		else
			route_table_fini(&q->table[i]);
	}
	q->table_cnt = to;
}

static bool
route_has_table(const struct route_query *q, const char *name)
{
	for (unsigned i = 0; i < q->table_cnt; i++)
		if (!q->table[i].kept && !strcmp(q->table[i].name, name))
			return true;
	return false;
}

/* route_check_export_tables - the protocol must export from each named table. */
static bool
route_check_export_tables(struct cli_session *s, const struct route_query *q)
{
	struct route_query up = { 0 };
	const char *bad = NULL;

	route_add_proto_tables(
	    s->tern, &up, q->export_proto, q->export_channel, !q->export_channel);
	for (unsigned i = 0; i < q->table_cnt && !bad; i++)
		if (q->table[i].kept || !route_has_table(&up, q->table[i].name))
			bad = route_table_title(&q->table[i]);
	route_query_fini(&up);
	if (bad)
		cli_end(s, CLI_BAD_COMMAND, "No export channel for table %s", bad);
	return !bad;
}

/* The first table of each type. */
static void
route_add_defaults(const struct config *c, struct route_query *q)
{
	for (unsigned kind = TABLE_IP4; kind <= TABLE_ASPA; kind++) {
		unsigned i = 0;

		while (i < c->table_cnt && c->table[i]->kind != kind)
			i++;
		if (i < c->table_cnt)
			cmd_route_add_table(q, c->table[i]->name, false);
	}
}

/* route_add_members - all tables of routes: members have their own. */
static void
route_add_members(const struct config *c, struct route_query *q)
{
	for (unsigned i = 0; i < c->table_cnt; i++)
		if (!conf_kind_is_rpki(c->table[i]->kind))
			cmd_route_add_table(q, c->table[i]->name, false);
}

/* route_check_types - a single named table must have nets of the queried kind. */
static bool
route_check_types(struct cli_session *s, const struct route_query *q)
{
	for (unsigned i = 0; i < q->table_cnt; i++) {
		const struct conf_table *t = config_find_table(
		    s->conf->conf, q->table[i].name);

		if (q->where != WHERE_ALL && q->table[i].asked && t &&
		    t->kind != q->kind && q->table_cnt == 1 &&
		    (conf_kind_is_rpki(t->kind) || !nlri_is_ip(q->kind))) {
			cli_end(s, CLI_BAD_COMMAND,
			    "Incompatible type of prefix/ip for table %s", t->name);
			return false;
		}
	}
	return true;
}

static bool
route_choose_tables(struct cli_session *s, struct route_query *q)
{
	const struct config *c = s->conf->conf;

	if (q->has_table) {
		if (q->export_proto && !route_check_export_tables(s, q))
			return false;
	} else if (q->export_proto) {
		route_add_proto_tables(
		    s->tern, q, q->export_proto, q->export_channel, !q->export_channel);
	} else if (q->proto) {
		route_add_proto_tables(s->tern, q, q->proto, NULL, false);
	} else if (q->reasons) {
		route_add_members(c, q);
	} else {
		route_add_defaults(c, q);
	}
	if (!route_check_types(s, q))
		return false;
	route_drop_tables(c, q);
	if (q->table_cnt)
		return true;
	cli_end(s, CLI_BAD_COMMAND, "No valid tables");
	return false;
}

/* ---- further options ---- */

static bool
route_take_expr(struct cli_session *s, struct cli_scan *sc, struct route_query *q,
    enum cli_expr_kind kind)
{
	const struct config *c = s->conf->conf;
	struct strbuf err;
	size_t used = 0;

	if (q->expr) {
		cli_end(s, CLI_BAD_COMMAND, "Filter specified twice");
		return false;
	}
	if (kind == CLI_EXPR_FILTER && cli_scan_is_name(sc)) {
		const struct sym *sym = sym_find(c->symbols, sc->text);

		if (sym && sym->class != SYM_FILTER) {
			cli_end(s, CLI_BAD_COMMAND, "Filter name required");
			return false;
		}
	}
	strbuf_init(&err);
	q->expr = cli_expr_parse(c, kind, sc->at, &used, &err);
	if (q->expr)
		cli_scan_skip(sc, used);
	else
		cli_end(s, CLI_BAD_COMMAND, "%s", err.s);
	strbuf_fini(&err);
	return q->expr != NULL;
}

static bool
route_take_proto(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	if (q->proto) {
		cli_end(s, CLI_BAD_COMMAND, "Protocol specified twice");
		return false;
	}
	return cmd_parse_symbol(
	    s, sc, SYM_PROTOCOL, "Protocol name required", "a name", &q->proto);
}

/* route_take_export_channel - .CHANNEL behind the protocol. */
static bool
route_take_export_channel(
    struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	cli_scan_step(sc);
	if (sc->tok != TOK_WORD) {
		cli_syntax(s, sc, NULL);
		return false;
	}
	if (!route_channel_named(s->tern, q->export_proto, sc->text)) {
		cmd_no_channel(s, q->export_proto, sc->text);
		return false;
	}
	q->export_channel = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	return true;
}

static bool
route_take_export(struct cli_session *s, struct cli_scan *sc, struct route_query *q,
    enum route_export e)
{
	if (e == EXPORT_YES && cli_scan_word(sc, "table"))
		return route_take_kept(s, sc, q, KEPT_EXPORT);
	if (q->export_proto) {
		cli_end(s, CLI_BAD_COMMAND, "Export specified twice");
		return false;
	}
	q->export = e;
	return cmd_parse_symbol(s, sc, SYM_PROTOCOL, "Protocol name required",
		   "the name of a protocol or 'table'", &q->export_proto) &&
	       (!route_is_dot(sc) || route_take_export_channel(s, sc, q));
}

/* route_take_filtered - behind `filtered`. */
static void
route_take_filtered(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	q->filtered = true;
	if (!cli_scan_word(sc, "reasons") || q->reasons)
		return;
	q->reasons = mem_zalloc(MEM_OTHER, sizeof(*q->reasons));
	filtered_index_init(q->reasons, s->conf->conf);
}

/* route_take_switch - options of one word. */
static bool
route_take_switch(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	if (cli_scan_word(sc, "all"))
		q->all = true;
	else if (cli_scan_word(sc, "primary"))
		q->primary = true;
	else if (cli_scan_word(sc, "filtered"))
		route_take_filtered(s, sc, q);
	else if (q->export == EXPORT_NO && cli_scan_word(sc, "reasons"))
		q->bars = true;
	else if (cli_scan_word(sc, "stale"))
		q->stale = true;
	else if (cli_scan_word(sc, "count"))
		q->count = true;
	else if (cli_scan_word(sc, "stats"))
		q->stats = true;
	else
		return false;
	return true;
}

static bool
route_is_known(const struct cli_session *s, const struct cli_scan *sc)
{
	return cli_scan_is_name(sc) && sym_find(s->conf->conf->symbols, sc->text);
}

static const char *const option_word[] = { "all", "primary", "filtered", "stale", "count",
	"stats", "aspa", "for", "in", "table", "protocol", "where", "filter", "export",
	"exported", "noexport", "preexport", "import", "why", NULL };

/* cmd_route_take_option - Returns: false: the reply has ended. */
static bool
cmd_route_take_option(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	if (route_take_switch(s, sc, q))
		return true;
	if (sc->tok == TOK_IP4 || sc->tok == TOK_IP6)
		return route_take_net(s, sc, q, WHERE_EQUAL);
	if (cli_scan_word(sc, "aspa"))
		return route_take_customer(s, sc, q);
	if (cli_scan_word(sc, "for"))
		return route_take_net(s, sc, q, WHERE_FOR);
	if (cli_scan_word(sc, "in"))
		return route_take_net(s, sc, q, WHERE_IN);
	if (cli_scan_word(sc, "table"))
		return cmd_route_take_table(s, sc, q);
	if (cli_scan_word(sc, "protocol"))
		return route_take_proto(s, sc, q);
	if (cli_scan_word(sc, "where"))
		return route_take_expr(s, sc, q, CLI_EXPR_WHERE);
	if (cli_scan_word(sc, "filter"))
		return route_take_expr(s, sc, q, CLI_EXPR_FILTER);
	if (cli_scan_word(sc, "export") || cli_scan_word(sc, "exported"))
		return route_take_export(s, sc, q, EXPORT_YES);
	if (cli_scan_word(sc, "noexport"))
		return route_take_export(s, sc, q, EXPORT_NO);
	if (cli_scan_word(sc, "preexport"))
		return route_take_export(s, sc, q, EXPORT_BEFORE);
	if (cli_scan_word(sc, "import")) {
		if (cli_scan_word(sc, "table"))
			return route_take_kept(s, sc, q, KEPT_IMPORT);
		cli_syntax(s, sc, "'table'");
		return false;
	}
	if (route_is_known(s, sc))
		return route_take_net(s, sc, q, WHERE_EQUAL);
	if (sc->tok == TOK_WORD && !strcmp(sc->text, "why"))
		cli_end(
		    s, CLI_BAD_COMMAND, "'why' stands in front: show route why NETWORK");
	else if (sc->tok == TOK_WORD && !strcmp(sc->text, "reasons"))
		cli_end(s, CLI_BAD_COMMAND,
		    "'reasons' stands behind 'filtered': show route filtered reasons");
	else
		cmd_no_option(s, sc, "option or network", option_word);
	return false;
}

static bool
cmd_route_parse(struct cli_session *s, struct cli_scan *sc, struct route_query *q)
{
	while (sc->tok != TOK_END)
		if (!cmd_route_take_option(s, sc, q))
			return false;
	if (q->filtered && (q->primary || q->export != EXPORT_ANY)) {
		cli_end(s, CLI_BAD_COMMAND, "Incompatible show route options");
		return false;
	}
	return route_choose_tables(s, q);
}

void
cmd_show_route(struct cli_session *s, struct cli_scan *sc)
{
	struct route_query q = { 0 };

	if (cli_scan_word(sc, "why")) {
		cmd_show_route_why(s, sc);
		return;
	}
	if (cmd_route_parse(s, sc, &q))
		cli_run_job(s, &route_job_new(&q, &s->tern->ifaces)->job);
	else
		route_query_fini(&q);
}
