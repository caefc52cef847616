/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes `show symbols`: lists the names that the configuration defines.
 *
 * No state; in the session's loop. Tested by test/unit/test_cli.c and
 * test/net/test_cli.py. */
#include "filter/lang/sym.h"
#include "lib/mem/mem.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/cmd_parse.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"

static void
cmd_symbols_say_symbol(struct cli_session *s, const char *name, const char *class)
{
	struct reply *r = cli_reply(s, "symbol");

	reply_str(r, "name", "%-8s", name);
	reply_str(r, "class", "\t%s\n", class);
	cli_reply_end(s, CLI_SYMBOL);
}

static void
symbols_say_one_symbol(struct cli_session *s, struct cli_scan *sc)
{
	const struct sym *sym = sym_find(s->conf->conf->symbols, sc->text);
	const char *class;
	char *name;

	if (!sym) {
		cmd_no_such(s, UINT32_MAX, "symbol", sc->text);
		return;
	}
	class = sym_class_name((enum sym_class)sym->class);
	name = mem_strdup(MEM_OTHER, sc->text);
	cli_scan_step(sc);
	if (cli_at_end(s, sc)) {
		if (!s->json) {
			cli_end(s, CLI_SYMBOL, "%-8s\t%s", name, class);
		} else {
			cmd_symbols_say_symbol(s, name, class);
			cli_end(s, CLI_DONE, "%s", "");
		}
	}
	mem_free(MEM_OTHER, name);
}

void
cmd_show_symbols(struct cli_session *s, struct cli_scan *sc)
{
	static const struct {
		const char *word;
		unsigned cls;
	} group[] = {
		{ "table", SYM_TABLE },
		{ "filter", SYM_FILTER },
		{ "function", SYM_FUNCTION },
		{ "protocol", SYM_PROTOCOL },
		{ "template", SYM_TEMPLATE },
	};
	unsigned cls = 0;

	for (unsigned i = 0; i < ARRAY_LEN(group) && !cls; i++)
		if (cli_scan_word(sc, group[i].word))
			cls = group[i].cls;
	if (cli_scan_is_name(sc)) {
		symbols_say_one_symbol(s, sc);
		return;
	}
	if (sc->tok != TOK_END) {
		cli_syntax(s, sc, NULL);
		return;
	}
	for (const struct sym *y = s->conf->conf->symbols->first; y; y = y->defined)
		if (!cls || y->class == cls)
			cmd_symbols_say_symbol(
			    s, y->name, sym_class_name((enum sym_class)y->class));
	cli_end(s, CLI_DONE, "%s", "");
}
