/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `allow` and `deny` of a control socket. Tested by test/net/test_cli_rules.py. */
#include "nest/conf/opt/conf_cli.h"

#include "filter/lang/diag.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"

#include <string.h>

/* add_rule - @words: a text without blanks at the ends. */
static bool
add_rule(struct conf_ctx *c, struct conf_cli *cli, const char *words, bool allow)
{
	struct conf_cli_rule *r = (struct conf_cli_rule *)(uintptr_t)cli->rule;

	if (cli->rule_cnt == CONF_CLI_RULES)
		return false;
	if (!r)
		cli->rule = r = arena_zalloc(c->arena, CONF_CLI_RULES * sizeof(*r));
	r[cli->rule_cnt++] = (struct conf_cli_rule){ words, allow };
	return true;
}

void
conf_cli_rules(struct conf_ctx *c, struct conf_args *a, struct conf_cli *cli, bool allow)
{
	const char *words;

	do {
		struct src_pos at = conf_arg_pos(a);

		if (!conf_arg_string(c, a, &words))
			return;
		if (!words[strspn(words, " ")])
			conf_error(c, at, "expected the first words of a command");
		else if (!add_rule(c, cli, words, allow))
			conf_error(c, at, "more than %u rules of a control socket",
			    CONF_CLI_RULES);
	} while (conf_arg_comma(a));
}
