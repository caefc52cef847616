/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show roa check: the verdict of a ROA table about a prefix and its origin, and of an
 * ASPA table about a path, with reasons.
 *
 * The verdict is computed from the shown entries, so both agree, whatever changes
 * meanwhile. A filter that runs at another time may find different entries.
 *
 * All data is read under RCU, in one step; in the session's loop. Tested by
 * test/net/test_roa.py and test/unit/test_cli.c. */

#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/net/aspa.h"
#include "lib/net/prefix.h"
#include "lib/net/roa.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"
#include "nest/core/tern.h"
#include "nest/rib/index/rpki_index.h"
#include "nest/rib/nlri.h"
#include "nest/rib/table.h"

#include <stdlib.h>

#define PATH_MAX_AS 256 /* in the command */

static const char *const type_name[] = {
	[TABLE_ROA4] = "roa4", [TABLE_ROA6] = "roa6", [TABLE_ASPA] = "aspa"
};
static const char *const roa_name[] = {
	[ROA_UNKNOWN] = "unknown", [ROA_VALID] = "valid", [ROA_INVALID] = "invalid"
};
static const char *const aspa_name[] = {
	[ASPA_UNKNOWN] = "unknown", [ASPA_VALID] = "valid", [ASPA_INVALID] = "invalid"
};

/* The query. */
struct question {
	struct prefix net;
	bool has_as;
	uint32_t asn; /* the origin */
	uint32_t as[PATH_MAX_AS]; /* from the neighbour to the origin */
	unsigned as_cnt;
	char *roa_table, *aspa_table; /* NULL: not named */
	struct roa_cover cover; /* the answer */
};

/* ---- reading ---- */

/* cmd_roa_take_path - read the ASes after `path`; the last AS is the origin. */
static bool
cmd_roa_take_path(struct cli_session *s, struct cli_scan *sc, struct question *q)
{
	do {
		if (q->as_cnt == PATH_MAX_AS) {
			cli_end(s, CLI_BAD_COMMAND, "More than %u ASes in the path",
			    PATH_MAX_AS);
			return false;
		}
		if (!cmd_parse_number(s, sc, 0, UINT32_MAX, &q->as[q->as_cnt]))
			return false;
		q->as_cnt++;
	} while (sc->tok == TOK_NUM);
	return true;
}

/* cmd_roa_take_table - behind `table`. */
static bool
cmd_roa_take_table(struct cli_session *s, struct cli_scan *sc, char **name)
{
	if (*name) {
		cli_end(s, CLI_BAD_COMMAND, "Table specified twice");
		return false;
	}
	return cmd_parse_symbol(s, sc, SYM_TABLE, "Table name required", "a name", name);
}

static bool
cmd_roa_take_option(struct cli_session *s, struct cli_scan *sc, struct question *q)
{
	if (!q->has_as && cli_scan_word(sc, "as")) {
		q->has_as = true;
		return cmd_parse_number(s, sc, 0, UINT32_MAX, &q->asn);
	}
	if (!q->as_cnt && cli_scan_word(sc, "path"))
		return cmd_roa_take_path(s, sc, q);
	if (cli_scan_word(sc, "table"))
		return cmd_roa_take_table(s, sc, &q->roa_table);
	if (!cli_scan_word(sc, "aspa")) {
		cli_syntax(
		    s, sc, q->has_as || q->as_cnt ? CLI_EXPECT_END : "'as' or 'path'");
		return false;
	}
	if (cli_scan_word(sc, "table"))
		return cmd_roa_take_table(s, sc, &q->aspa_table);
	cli_syntax(s, sc, "'table'");
	return false;
}

/* cmd_roa_take_all - Returns: false: the reply has ended. */
static bool
cmd_roa_take_all(struct cli_session *s, struct cli_scan *sc, struct question *q)
{
	if (!cmd_parse_prefix(s, sc, true, &q->net))
		return false;
	do {
		if (!cmd_roa_take_option(s, sc, q))
			return false;
	} while (sc->tok != TOK_END);
	if (!q->has_as && !q->as_cnt) {
		cli_syntax(s, sc, "'as' or 'path'");
		return false;
	}
	if (!q->has_as)
		q->asn = q->as[q->as_cnt - 1];
	if (q->as_cnt && q->asn != q->as[q->as_cnt - 1]) {
		cli_end(s, CLI_BAD_COMMAND, "AS%u isn't the last of the path", q->asn);
		return false;
	}
	if (q->aspa_table && !q->as_cnt) {
		cli_end(
		    s, CLI_BAD_COMMAND, "A question to an ASPA table needs an AS path");
		return false;
	}
	return true;
}

/* ---- tables ---- */

/* roa_only_one - the single table of type @kind; NULL: the reply has ended. */
static const struct conf_table *
roa_only_one(struct cli_session *s, enum conf_table_kind kind)
{
	const struct config *c = s->conf->conf;
	const struct conf_table *found = NULL;

	for (unsigned i = 0; i < c->table_cnt; i++) {
		if (c->table[i]->kind != kind)
			continue;
		if (found) {
			cli_end(s, CLI_BAD_COMMAND,
			    "Several tables have type %s: choose a table by `%stable "
			    "NAME`",
			    type_name[kind], kind == TABLE_ASPA ? "aspa " : "");
			return NULL;
		}
		found = c->table[i];
	}
	if (!found)
		cli_end(s, CLI_BAD_COMMAND, "No table of type %s", type_name[kind]);
	return found;
}

/* roa_the_table - table @name, if of type @kind; NULL: the reply has ended. */
static const struct conf_table *
roa_the_table(struct cli_session *s, enum conf_table_kind kind, const char *name)
{
	const struct conf_table *t;

	if (!name)
		return roa_only_one(s, kind);
	t = config_find_table(s->conf->conf, name);
	if (t && t->kind == kind)
		return t;
	cli_end(s, CLI_BAD_COMMAND, "Table %s isn't of type %s", name, type_name[kind]);
	return NULL;
}

static bool
roa_has_aspa_table(const struct config *c)
{
	for (unsigned i = 0; i < c->table_cnt; i++)
		if (c->table[i]->kind == TABLE_ASPA)
			return true;
	return false;
}

/* cmd_roa_index_of - NULL: the index does not exist yet. */
static const struct rpki_index *
cmd_roa_index_of(const struct cli_session *s, const struct conf_table *t)
{
	const struct tern_view *v = tern_view_get(s->tern);

	for (uint32_t i = 0; i < v->rpki_cnt; i++)
		if (!strcmp(table_name(rpki_index_table(v->rpki[i])), t->name))
			return v->rpki[i];
	return NULL;
}

/* ---- answers ---- */

static int
roa_by_vrp(const void *a, const void *b)
{
	return vrp_cmp(a, b);
}

/* cmd_roa_why - the role of @v, which covers q->net, in the verdict. */
static const char *
cmd_roa_why(const struct question *q, const struct vrp *v)
{
	if (vrp_matches(v, &q->net, q->asn))
		return "matches";
	if (!v->asn)
		return "for nobody";
	return v->asn == q->asn ? "for shorter prefixes" : "another AS";
}

static void
roa_reply_vrps(struct reply *r, const struct question *q, struct vrp *v, uint32_t cnt)
{
	enum nlri_kind kind = q->net.fam == FAM_IP4 ? NLRI_ROA4 : NLRI_ROA6;
	char text[NLRI_STR_MAX];

	qsort(v, cnt, sizeof(*v), roa_by_vrp);
	for (uint32_t i = 0; i < cnt; i++) {
		struct nlri n = nlri_of_vrp(kind, &v[i]);

		reply_open(r, NULL);
		reply_text(r, "\t%-32s ", nlri_str(text, kind, n.word, n.head));
		reply_prefix(r, "network", NULL, &v[i].net);
		reply_u64(r, "max_length", NULL, v[i].max_len);
		reply_u64(r, "as", NULL, v[i].asn);
		reply_str(r, "verdict", "%s\n", cmd_roa_why(q, &v[i]));
		reply_close(r);
	}
}

/* roa_reply - the table stands at the end of the first line of text. */
static void
roa_reply(struct cli_session *s, struct question *q, const struct conf_table *t)
{
	const struct rpki_index *x = cmd_roa_index_of(s, t);
	struct reply *r = cli_reply(s, "roa_check");
	struct roa_cover *c = &q->cover;
	uint32_t shown, first;

	if (x)
		roa_map_cover(rpki_index_map(x), c, &q->net, q->asn);
	reply_prefix(r, "network", "%s", &q->net);
	reply_u64(r, "as", " AS%s: ", q->asn);
	reply_part(r, 1);
	reply_str(r, "table", " in table %s\n", t->name);
	reply_part(r, 0);
	reply_str(r, "state", "%s", roa_name[c->state]);
	reply_part(r, 1);
	shown = (uint32_t)min_u64(c->cnt, ROA_COVER_MAX);
	first = (uint32_t)min_u64(c->matching, shown);
	reply_list(r, "vrps");
	roa_reply_vrps(r, q, c->vrp, first);
	roa_reply_vrps(r, q, c->vrp + first, shown - first);
	reply_close(r);
	reply_u64(r, "matching", NULL, c->matching);
	reply_u64(
	    r, "more_vrps", c->cnt > shown ? "\tand %s more" : NULL, c->cnt - shown);
	if (c->cnt > shown)
		reply_text(r, ", %u match\n", c->matching - first);
	cli_reply_end(s, CLI_ROA);
}

static void
roa_reply_hop(
    struct reply *r, const struct aspa_walk *w, uint32_t customer, uint32_t provider)
{
	const struct aspa *a = aspa_walk_attested(w, customer);
	const char *what = "not its provider";

	if (!a)
		what = "no ASPA";
	else if (aspa_has_provider(a, provider))
		what = "its provider";
	reply_open(r, NULL);
	reply_u64(r, "customer_as", "\tAS%s", customer);
	reply_u64(r, "provider_as", " to AS%s: ", provider);
	reply_str(r, "verdict", "%s\n", what);
	reply_close(r);
}

/* roa_reply_verdicts - the path and its states. */
static void
roa_reply_verdicts(struct reply *r, const struct question *q, const struct aspa_walk *w,
    const struct conf_table *t)
{
	reply_text(r, "path of %u: ", q->as_cnt);
	reply_list(r, "path");
	for (unsigned i = 0; i < q->as_cnt; i++)
		reply_u64(r, NULL, NULL, q->as[i]);
	reply_close(r);
	reply_part(r, 1);
	reply_str(r, "table", " in table %s\n", t->name);
	reply_part(r, 0);
	reply_str(r, "upstream", "upstream %s, ", aspa_name[aspa_walk_state(w, true)]);
	reply_str(r, "downstream", "downstream %s", aspa_name[aspa_walk_state(w, false)]);
	reply_part(r, 1);
}

/* roa_reply_path - hops from the origin on: first the hops up, on which an upstream path
 * depends, then the hops down. */
static void
roa_reply_path(
    struct cli_session *s, const struct question *q, const struct conf_table *t)
{
	const struct rpki_index *x = cmd_roa_index_of(s, t);
	struct reply *r = cli_reply(s, "aspa_check");
	struct aspa_walk w;

	aspa_walk_init(&w, x ? rpki_index_aspa(x) : NULL);
	for (unsigned i = 0; i < q->as_cnt; i++)
		aspa_walk_as(&w, q->as[i]);
	roa_reply_verdicts(r, q, &w, t);
	reply_list(r, "hops");
	for (unsigned i = q->as_cnt - 1; i > 0; i--)
		if (q->as[i] != q->as[i - 1])
			roa_reply_hop(r, &w, q->as[i], q->as[i - 1]);
	for (unsigned i = 1; i < q->as_cnt; i++)
		if (q->as[i] != q->as[i - 1])
			roa_reply_hop(r, &w, q->as[i - 1], q->as[i]);
	reply_close(r);
	cli_reply_end(s, CLI_ROA);
}

static void
cmd_roa_answer(struct cli_session *s, struct question *q)
{
	enum conf_table_kind kind = q->net.fam == FAM_IP4 ? TABLE_ROA4 : TABLE_ROA6;
	const struct conf_table *roa = roa_the_table(s, kind, q->roa_table), *aspa = NULL;

	if (!roa)
		return;
	if (q->as_cnt && (q->aspa_table || roa_has_aspa_table(s->conf->conf))) {
		aspa = roa_the_table(s, TABLE_ASPA, q->aspa_table);
		if (!aspa)
			return;
	}
	roa_reply(s, q, roa);
	if (aspa)
		roa_reply_path(s, q, aspa);
	cli_end(s, CLI_DONE, "%s", "");
}

/* show roa check PREFIX [as N] [path A B ...] [table T] [aspa table U] */
void
cmd_show_roa_check(struct cli_session *s, struct cli_scan *sc)
{
	struct question *q = mem_zalloc(MEM_OTHER, sizeof(*q));

	if (cmd_roa_take_all(s, sc, q))
		cmd_roa_answer(s, q);
	mem_free(MEM_OTHER, q->roa_table);
	mem_free(MEM_OTHER, q->aspa_table);
	mem_free(MEM_OTHER, q);
}
