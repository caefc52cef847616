/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lexer alone: any text as tokens. Each token lies behind the token before. A ';'
 * that the lexer puts where the text lacks one lies at the end of the token before, where
 * the next token may begin. At most one token for each octet, and one ';' for each token.
 * Texts between brackets are asked for as the grammar does. */
#include "nest/conf/conf_load.c"
#include "nest/conf/conf_parse.h"

#include "nest/conf/opt/conf_device.h"

#define TEXT_MAX  70000
#define DEPTH_MAX 100

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool
is_behind(struct src_pos a, struct src_pos b)
{
	return b.line > a.line || (b.line == a.line && b.col > a.col);
}

static void
fuzz_lex_scan(struct conf_ctx *c, size_t len)
{
	struct src_pos open[DEPTH_MAX], last = { "fuzz", 0, 0 }, at;
	unsigned depth = 0;
	size_t cnt = 0;
	CONF_GRAM_STYPE v;
	int t, before = 0;

	while ((t = conf_lex(&v, &at, c))) {
		ASSERT(cnt++ <= 2 * len + 1);
		ASSERT(at.line >= 1 && at.col >= 1);
		ASSERT(t == START_CONFIG || cnt == 2 || is_behind(last, at) ||
		       (before == ';' && !is_behind(at, last)));
		ASSERT(strlen(conf_lex_last(c)) < sizeof(c->token.word));
		last = at;
		before = t;
		if (t == '(' && depth < DEPTH_MAX)
			open[depth++] = at;
		else if (t == ')' && depth)
			ASSERT(strlen(conf_lex_between(c, open[--depth], at)) <= len + 4);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct conf_env env = { .class = NULL };
	struct arena arena;
	struct conf_ctx c;
	struct diag d;

	if (len > TEXT_MAX || memmem(data, len, "include", 7))
		return 0;
	diag_init(&d);
	arena_init(&arena, MEM_CONFIG, 4096);
	load_ctx_init(&c, &arena, &env, &d);
	sym_table_init(c.syms, &arena, NULL);
	c.token.start = START_CONFIG;
	conf_lex_text(&c, "fuzz", (const char *)data, len);
	fuzz_lex_scan(&c, len);
	load_ctx_fini(&c);
	arena_fini(&arena);
	diag_fini(&d);
	return 0;
}
