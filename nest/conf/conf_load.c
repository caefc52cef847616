/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a configuration: sets up the parser, runs the grammar, completes the result.
 *
 * The configuration's arena keeps the result; this file frees what only the parser needs
 * (file texts, trees, the bison stack). Tested by test/unit/test_config.c and
 * test/fuzz/fuzz_conf.c.
 *
 * Loop: the thread that parses, for config_parse; the loop of the CLI session, for
 * cli_expr_*. */
#include "nest/conf/conf_load.h"

#include "filter/lang/ast.h"
#include "filter/lang/compile.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "filter/run/eval.h"
#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/crypto/digest.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/conf/conf_gram.h"
#include "nest/conf/conf_overlay.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/top/conf_cli.h"
#include "nest/conf/opt/top/conf_guard.h"
#include "sysdep/log/log_class.h"

#include <errno.h>

#define CONFIG_CHUNK  65536
#define SCRATCH_CHUNK 65536

static void
load_ctx_init(
    struct conf_ctx *c, struct arena *out, const struct conf_env *env, struct diag *d)
{
	memset(c, 0, sizeof(*c));
	c->diag = d;
	c->env = env;
	c->arena = out;
	arena_init(&c->scratch, MEM_CONFIG, SCRATCH_CHUNK);
	c->syms = arena_zalloc(out, sizeof(*c->syms));
	c->ast = (struct ast){ .scratch = &c->scratch, .diag = d };
	c->fc = (struct fctx){ .out = out,
		.scratch = &c->scratch,
		.diag = d,
		.syms = c->syms,
		.steps_max = FCODE_STEPS };
	conf_lex_init(c);
}

static void
conf_load_list_free(struct conf_list *l)
{
	mem_free(MEM_CONFIG, l->item);
	*l = (struct conf_list){ NULL, 0, 0 };
}

static void
load_ctx_fini(struct conf_ctx *c)
{
	for (const struct conf_secret *s = c->wipe.secrets; s; s = s->next)
		explicit_bzero(s->octet, s->len);
	if (c->wipe.entry)
		arena_wipe(&c->scratch);
	conf_lex_fini(c);
	fctx_fini(&c->fc);
	arena_fini(&c->scratch);
	sha256_free(c->digest);
	conf_load_list_free(&c->tables);
	conf_load_list_free(&c->protos);
	conf_load_list_free(&c->logs);
	conf_load_list_free(&c->clis);
	conf_load_list_free(&c->tests);
}

/* Arrays of structs from lists of pointers. */
static void
conf_load_finish(struct conf_ctx *c)
{
	struct config *cfg = c->cfg;
	const struct custom_registry *reg = c->env->custom;
	struct log_sink *log = arena_alloc(c->arena, (c->logs.cnt + 1) * sizeof(*log));
	struct conf_cli *cli = arena_alloc(c->arena, (c->clis.cnt + 1) * sizeof(*cli));
	struct conf_test *test = arena_alloc(
	    c->arena, (c->tests.cnt + 1) * sizeof(*test));
	struct custom_attr *custom = arena_alloc(
	    c->arena, (reg->cnt + 1) * sizeof(*custom));
	unsigned i;

	conf_protos_finish(c);
	conf_overlays_find(c);
	conf_guard_files(c);
	for (i = 0; i < c->logs.cnt; i++)
		log[i] = *(struct log_sink *)c->logs.item[i];
	for (i = 0; i < c->clis.cnt; i++) {
		conf_cli_finish(c, c->clis.item[i]);
		cli[i] = *(struct conf_cli *)c->clis.item[i];
	}
	for (i = 0; i < reg->cnt; i++) {
		custom[i] = reg->attr[i];
		custom[i].name = arena_strdup(c->arena, reg->attr[i].name);
	}
	for (i = 0; i < c->tests.cnt; i++)
		test[i] = *(struct conf_test *)c->tests.item[i];
	cfg->test.at = test;
	cfg->test.cnt = c->tests.cnt;
	cfg->log.sink = log;
	cfg->log.cnt = c->logs.cnt;
	cfg->cli.at = cli;
	cfg->cli.cnt = c->clis.cnt;
	cfg->custom.at = custom;
	cfg->custom.cnt = reg->cnt;
	cfg->table_cnt = c->tables.cnt;
	cfg->table = conf_list_take(&c->tables, c->arena);
	cfg->proto_cnt = c->protos.cnt;
	cfg->proto = conf_list_take(&c->protos, c->arena);
	cfg->symbols = c->syms;
}

struct config *
config_parse(const char *path, const struct conf_env *env, struct diag *d)
{
	struct config *cfg = mem_zalloc(MEM_CONFIG, sizeof(*cfg));
	struct src_pos at = { path, 0, 0 };
	struct conf_ctx c;
	bool ok;

	arena_init(&cfg->memory.arena, MEM_CONFIG, CONFIG_CHUNK);
	cfg->path = arena_strdup(&cfg->memory.arena, path);
	load_ctx_init(&c, &cfg->memory.arena, env, d);
	c.cfg = cfg;
	c.digest = sha256_new();
	sym_table_init(c.syms, &cfg->memory.arena, NULL);
	conf_globals_init(&c);
	c.token.start = START_CONFIG;
	ok = conf_lex_open(&c, path, at) && (conf_gram_parse(&c) == 0 || d->error_cnt);
	at.line = at.col = 1;
	if (!ok && !d->error_cnt)
		diag_error(d, at, "the file can't be parsed");
	if (!c.protos.cnt && !d->error_cnt && !env->tests_only)
		diag_error(d, at, "no protocol is configured");
	if (!d->error_cnt && !sha256_end(c.digest, cfg->digest))
		diag_error(d, at, "libcrypto does not compute SHA-256");
	if (!d->error_cnt)
		conf_load_finish(&c);
	cfg->filter_steps = c.fc.steps_max;
	/* an error may precede the options whose secrets the parser knows */
	if (d->error_cnt)
		c.wipe.entry = c.wipe.texts = true;
	load_ctx_fini(&c);
	if (d->repeat_cnt)
		strbuf_addf(&d->marked, "%u more of these errors at other places\n",
		    d->repeat_cnt);
	if (d->error_cnt) {
		cfg->memory.wipes = true;
		config_free(cfg);
		return NULL;
	}
	return cfg;
}

/* ---- expressions of the CLI ---- */

struct cli_expr {
	struct arena arena;
	struct sym_table syms;
	const struct filter *filter;
};

static const struct filter *
conf_load_compile(struct conf_ctx *c, enum cli_expr_kind kind)
{
	struct fnode *n = c->expr.tree;

	if (c->ast.too_deep)
		return NULL;
	if (kind == CLI_EXPR_WHERE)
		return fctx_where(&c->fc, n->pos, n);
	if (kind == CLI_EXPR_EVAL)
		return fctx_expr(&c->fc, n->pos, n);
	if (n->kind == FN_NAME)
		return conf_named_filter(c, n->pos, n->name);
	return conf_inline_filter(c, n->pos, n);
}

struct cli_expr *
cli_expr_parse(const struct config *cfg, enum cli_expr_kind kind, const char *text,
    size_t *used, struct strbuf *err)
{
	static const int start[] = {
		[CLI_EXPR_WHERE] = START_WHERE,
		[CLI_EXPR_FILTER] = START_FILTER,
		[CLI_EXPR_EVAL] = START_EVAL,
	};
	struct cli_expr *x = mem_zalloc(MEM_CONFIG, sizeof(*x));
	struct conf_ctx c;
	struct diag d;

	diag_init(&d);
	d.command = true;
	arena_init(&x->arena, MEM_CONFIG, 4096);
	load_ctx_init(&c, &x->arena, NULL, &d);
	c.fc.steps_max = cfg->filter_steps;
	sym_table_init(&x->syms, &x->arena, cfg->symbols);
	c.syms = c.fc.syms = &x->syms;
	c.expr.on = true;
	c.token.start = start[kind];
	conf_lex_text(&c, "command", text, strlen(text));
	c.expr.text_end = c.file->df.text;
	if (conf_gram_parse(&c) == 0 && !d.error_cnt)
		x->filter = conf_load_compile(&c, kind);
	*used = (size_t)(c.expr.text_end - c.file->df.text);
	load_ctx_fini(&c);
	if (!x->filter || d.error_cnt) {
		const char *msg = strchr(d.errors.s, ' '); /* without the place */

		if (msg)
			strbuf_add(err, msg + 1, strcspn(msg + 1, "\n"));
		cli_expr_free(x);
		x = NULL;
	}
	diag_fini(&d);
	return x;
}

const struct filter *
cli_expr_filter(const struct cli_expr *x)
{
	return x->filter;
}

int
cli_expr_eval(const struct cli_expr *x, struct filter_thread *t,
    const struct filter_env *env, struct strbuf *out)
{
	struct fvalue v;

	if (!filter_eval(x->filter, t, env, &v, out))
		return -EINVAL;
	fvalue_print(out, &v);
	return 0;
}

const struct fset *
cli_expr_prefixes(const struct cli_expr *x, struct filter_thread *t, struct strbuf *err)
{
	struct fvalue v;

	if (!filter_eval(x->filter, t, NULL, &v, err))
		return NULL;
	if (v.type == T_SET_PREFIX || v.type == T_SET_EMPTY)
		return v.set;
	strbuf_addf(err, "Partial spec must be prefix set");
	return NULL;
}

void
cli_expr_free(struct cli_expr *x)
{
	if (!x)
		return;
	arena_fini(&x->arena);
	mem_free(MEM_CONFIG, x);
}
