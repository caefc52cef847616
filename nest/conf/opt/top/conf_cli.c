/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the block `cli`, and stores the options of a control socket. Loop: the thread
 * that parses. Tested by test/net/test_cli_rules.py. */
#include "nest/conf/opt/top/conf_cli.h"

#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_tree.h"

#include "sysdep/os/priv.h"

#include <string.h>

static bool
cli_add_rule(struct conf_ctx *c, struct conf_cli *cli, const struct conf_cli_rule *rule)
{
	struct conf_cli_rule *r = (struct conf_cli_rule *)(uintptr_t)cli->rule;

	if (cli->rule_cnt == CONF_CLI_RULES)
		return false;
	if (!r)
		cli->rule = r = arena_zalloc(c->arena, CONF_CLI_RULES * sizeof(*r));
	r[cli->rule_cnt++] = *rule;
	return true;
}

void
conf_cli_rules(struct conf_args *a, struct conf_cli *cli, bool allow)
{
	do {
		struct conf_cli_rule r = { .allow = allow, .pos = conf_arg_pos(a) };

		if (!conf_arg_string(a, &r.words))
			return;
		if (!cli_add_rule(a->ctx, cli, &r))
			conf_error(a->ctx, r.pos,
			    "more than %u rules of a control socket", CONF_CLI_RULES);
	} while (conf_arg_comma(a));
}

/* Rules may name protocols that the file defines below. */
void
conf_cli_finish(struct conf_ctx *c, struct conf_cli *cli)
{
	struct conf_cli_rule *r = (struct conf_cli_rule *)(uintptr_t)cli->rule;
	struct strbuf b;

	strbuf_init(&b);
	for (unsigned i = 0; i < cli->rule_cnt && c->env->cli_rule; i++) {
		strbuf_reset(&b);
		if (c->env->cli_rule(&b, &r[i], c->syms))
			r[i].words = arena_strdup(c->arena, b.s);
		else
			conf_error(c, r[i].pos, "%s", b.s);
	}
	strbuf_fini(&b);
}

/* BIRD 2.17 reads `cli "PATH" { restrict }` alone, without a semicolon. */
void
conf_cli_ext(struct conf_ctx *c, const struct ct_option *x)
{
	const struct ct_item *i = x->item;

	if (i->kind != CT_WORD)
		return;
	if (strcmp(i->word, "restrict") != 0)
		conf_ext(c, x->pos, strcmp(i->word, "v2") ? KNOWN_TERN : KNOWN_BIRD_3,
		    "option '%s' of a control socket", i->word);
	else if (!x->open)
		conf_ext(c, x->end, KNOWN_TERN, "the semicolon behind 'restrict'");
}

void
conf_cli_group(struct conf_args *a, struct conf_cli *cli)
{
	struct src_pos at = conf_arg_pos(a);

	if (conf_arg_string(a, &cli->group) && !priv_find_group(&cli->gid, cli->group))
		conf_error(a->ctx, at, "no group has the name '%s'", cli->group);
}

/* cli_parse_mode - three octal digits, perhaps behind a zero. Rights of execution have no
 * meaning for a socket, and the daemon itself needs its socket. */
static bool
cli_parse_mode(uint32_t *out, const char *s)
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
conf_cli_mode(struct conf_args *a, struct conf_cli *cli)
{
	struct src_pos at = conf_arg_pos(a);
	const char *text;

	if (conf_arg_string(a, &text) && !cli_parse_mode(&cli->mode, text))
		conf_error(a->ctx, at, "expected a mode from \"0600\" to \"0666\"");
}
