/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mrt dump table (NAME | "PATTERN") to "FILE" [filter F | where COND] [always add path]
 *     [received]
 *
 * The dump has its own worker (nest/mrt/mrt_dump.h); the session waits for the answer of
 * the dump.
 *
 * No state; in the session's loop. Tested by test/net/test_mrt_dump.py. */
#include "filter/lang/sym.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/act/cmd_act.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/conf/conf_load.h"
#include "nest/conf/config_ref.h"
#include "nest/core/tern.h"
#include "nest/mrt/mrt_dump.h"

static bool
cmd_mrt_take_table(struct cli_session *s, struct cli_scan *sc, struct mrt_ask *a)
{
	mem_free(MEM_OTHER, a->tables);
	a->tables = NULL;
	if (sc->tok != TOK_TEXT)
		return cmd_parse_symbol(s, sc, SYM_TABLE, "Table name required",
		    "a name or a text in quotes", &a->tables);
	a->tables = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	return true;
}

static bool
mrt_take_file(struct cli_session *s, struct cli_scan *sc, struct mrt_ask *a)
{
	if (sc->tok != TOK_TEXT) {
		cli_syntax(s, sc, "a text in quotes");
		return false;
	}
	mem_free(MEM_OTHER, a->filename);
	a->filename = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	return true;
}

static bool
mrt_take_filter(struct cli_session *s, struct cli_scan *sc, struct mrt_ask *a,
    enum cli_expr_kind kind)
{
	struct strbuf err;
	size_t used = 0;

	if (a->expr) {
		cli_end(s, CLI_BAD_COMMAND, "Filter specified twice");
		return false;
	}
	strbuf_init(&err);
	a->expr = cli_expr_parse(s->conf->conf, kind, sc->at, &used, &err);
	if (a->expr) {
		a->filter = cli_expr_filter(a->expr);
		cli_scan_skip(sc, used);
	} else {
		cli_end(s, CLI_BAD_COMMAND, "%s", err.s);
	}
	strbuf_fini(&err);
	return a->expr != NULL;
}

/* cmd_mrt_take_option - Returns: false: the reply has ended. */
static bool
cmd_mrt_take_option(struct cli_session *s, struct cli_scan *sc, struct mrt_ask *a)
{
	if (cli_scan_word(sc, "table"))
		return cmd_mrt_take_table(s, sc, a);
	if (cli_scan_word(sc, "to"))
		return mrt_take_file(s, sc, a);
	if (cli_scan_word(sc, "where"))
		return mrt_take_filter(s, sc, a, CLI_EXPR_WHERE);
	if (cli_scan_word(sc, "filter"))
		return mrt_take_filter(s, sc, a, CLI_EXPR_FILTER);
	if (cli_scan_word(sc, "received")) {
		a->received = true;
		return true;
	}
	if (cli_scan_word(sc, "always")) {
		a->add_path = cli_scan_word(sc, "add") && cli_scan_word(sc, "path");
		if (a->add_path)
			return true;
	}
	cli_syntax(s, sc,
	    "'table', 'to', 'filter', 'where', 'always', 'received' or the end of the "
	    "command");
	return false;
}

static bool
cmd_mrt_parse(struct cli_session *s, struct cli_scan *sc, struct mrt_ask *a)
{
	while (sc->tok != TOK_END)
		if (!cmd_mrt_take_option(s, sc, a))
			return false;
	if (a->tables && a->filename)
		return true;
	cli_end(s, CLI_BAD_COMMAND, "%s not specified", a->tables ? "Filename" : "Table");
	return false;
}

/* cmd_mrt_end - the file is complete. */
static void
cmd_mrt_end(struct cli_session *s, const struct mrt_ask *a)
{
	if (a->received)
		cli_say(s, CLI_READING, "Routes: %llu", (unsigned long long)a->routes);
	if (a->channels_accepted)
		cli_say(s, CLI_READING,
		    "Channels without their refused routes, for lack of 'import keep "
		    "filtered': %u",
		    a->channels_accepted);
	if (a->channels_unknown)
		cli_say(s, CLI_READING,
		    "Channels with routes after the import filter, for lack of 'import "
		    "table': %u",
		    a->channels_unknown);
	cli_end(s, CLI_DONE, "%s", "");
}

static void
cmd_mrt_dumped(struct worker *w, TAKE struct msg *m)
{
	struct cli_session *s = container_of(w, struct cli_session, worker);
	struct mrt_ask *a = container_of(m, struct mrt_ask, msg);

	if (a->err)
		cli_end(s, CLI_FAILED, "MRT dump failed: %s", a->error);
	else
		cmd_mrt_end(s, a);
	mrt_ask_free(a);
	cli_answered(s);
}

void
cmd_mrt_dump(struct cli_session *s, struct cli_scan *sc)
{
	struct mrt_ask *a = mrt_ask_new();

	if (!cmd_mrt_parse(s, sc, a)) {
		mrt_ask_free(a);
		return;
	}
	a->conf = config_ref_get(s->conf);
	a->router_id = load_relaxed32(&s->tern->router_id);
	a->asker = &s->worker;
	a->done = cmd_mrt_dumped;
	cli_waits(s);
	mrt_dump_start(s->tern, a);
}
