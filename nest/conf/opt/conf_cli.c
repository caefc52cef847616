/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of a control socket. Tested by test/net/test_cli_rules.py. */
#include "nest/conf/opt/conf_cli.h"

#include "filter/lang/diag.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"

#include "sysdep/os/priv.h"

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

void
conf_cli_group(struct conf_ctx *c, struct conf_args *a, struct conf_cli *cli)
{
	struct src_pos at = conf_arg_pos(a);

	if (conf_arg_string(c, a, &cli->group) && !priv_find_group(&cli->gid, cli->group))
		conf_error(c, at, "there is no group '%s'", cli->group);
}

/* parse_mode - three octal digits, perhaps behind a zero. Rights of execution have no
 * meaning for a socket, and the daemon itself needs its socket. */
static bool
parse_mode(uint32_t *out, const char *s)
{
	size_t len = strlen(s);
	uint32_t mode = 0;

	if (len == 4 && *s == '0')
		s++;
	else if (len != 3)
		return false;
	for (; *s; s++) {
		if (*s != '0' && *s != '2' && *s != '4' && *s != '6')
			return false;
		mode = mode << 3 | (uint32_t)(*s - '0');
	}
	*out = mode;
	return (mode & 0600) == 0600;
}

void
conf_cli_mode(struct conf_ctx *c, struct conf_args *a, struct conf_cli *cli)
{
	struct src_pos at = conf_arg_pos(a);
	const char *text;

	if (conf_arg_string(c, a, &text) && !parse_mode(&cli->mode, text))
		conf_error(c, at, "expected a mode from \"0600\" to \"0666\"");
}
