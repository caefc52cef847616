/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lexer, parser, compiler and interpreter: any text as a configuration. What is accepted
 * has its filters run on a route, and its self-tests run. Inputs that include files are
 * left out: they would read this machine's. */
#include "nest/daemon/selftest.h"
#include "nest/conf/conf_load.h"
#include "proto/direct/direct_conf.h"
#include "proto/kernel/kernel_conf.h"
#include "proto/pipe/pipe.h"
#include "proto/static/static.h"
#include "test/lib/conf_text.h"
#include "test/lib/filter_run.h"

#define TEXT_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void
fuzz_conf_run_all(struct filter_rig *g)
{
	static const uint32_t path[] = { 1, 65000, 3, 0 };
	const struct sym *s;

	filter_rig_path(g, path);
	for (s = g->cfg->symbols->first; s; s = s->defined) {
		uint32_t reads;

		if (s->class == SYM_FILTER)
			filter_run(
			    s->filter, g->thread, &g->env, &g->view, &g->edit, &reads);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct conf_class *const classes[] = { &device_conf_class,
		&bgp_conf_class, &static_conf_class, &direct_conf_class,
		&kernel_conf_class, &pipe_conf_class, NULL };
	struct conf_env env = { .class = classes };
	struct cli_expr *x;
	struct filter_rig g;
	struct strbuf err;
	size_t used;
	char *text;

	if (len > TEXT_MAX || memmem(data, len, "include", 7))
		return 0;
	filter_rig_init(&g);
	strbuf_init(&err);
	env.custom = &g.reg;
	g.cfg = conf_text_parse(data, len, &env, &g.d);
	ASSERT((g.cfg == NULL) == (g.d.error_cnt > 0));
	if (g.cfg) {
		struct selftest_result res;

		fuzz_conf_run_all(&g);
		selftest_run(g.cfg, &err, &res);
		strbuf_reset(&err);
		text = arena_strndup(&g.arena, (const char *)data, len);
		x = cli_expr_parse(g.cfg, CLI_EXPR_EVAL, text, &used, &err);
		ASSERT(used <= len);
		ASSERT(x || err.len);
		cli_expr_free(x);
	}
	strbuf_fini(&err);
	filter_rig_fini(&g);
	return 0;
}
