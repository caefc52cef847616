/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the option `guard`, and finds the guard of a configuration. Loop: the thread
 * that parses; conf_guard_of in any thread. Tested by test/net/test_guard.py. */
#include "nest/conf/opt/top/conf_guard.h"

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/value/type.h"
#include "lib/base/scan.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/opt/conf_file.h"
#include "nest/conf/opt/conf_tree.h"
#include "sysdep/os/clock.h"
#include "sysdep/os/file.h"

#include <string.h>

#define GUARD_SETS_MAX 64u

/* guard_take_percent - `30 %`. */
static bool
guard_take_percent(struct conf_args *a, uint32_t *out)
{
	return conf_arg_u32(a, out, 1, 99) &&
	       (conf_arg_other(a, '%') || conf_arg_expected(a, "'%'"));
}

/* guard_take_age - `48 h`. */
static bool
guard_take_age(struct conf_args *a, struct conf_guard_set *g)
{
	static const struct {
		const char *word;
		uint32_t s;
	} unit[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "d", 86400 } };

	if (!conf_arg_u32(a, &g->older_s, 1, 40000))
		return false;
	for (unsigned i = 0; i < ARRAY_LEN(unit); i++)
		if (conf_arg_word(a, unit[i].word)) {
			g->older_s *= unit[i].s;
			g->older_unit = unit[i].word;
			return true;
		}
	return conf_arg_expected(a, "a unit: s, min, h or d");
}

static void
guard_take_act(struct conf_args *a, uint8_t *out)
{
	*out = GUARD_REFUSE;
	if (conf_arg_word(a, "warn"))
		*out = GUARD_WARN;
	else
		conf_arg_word(a, "refuse");
}

/* guard_take_rule - an option of `set`. */
static bool
guard_take_rule(struct conf_args *a, struct conf_guard_set *g)
{
	if (conf_arg_word(a, "empty"))
		guard_take_act(a, &g->empty);
	else if (conf_arg_word(a, "shrink") && guard_take_percent(a, &g->percent))
		guard_take_act(a, &g->shrink);
	else if (conf_arg_word(a, "older") && guard_take_age(a, g))
		guard_take_act(a, &g->older);
	else if (conf_arg_word(a, "gone"))
		guard_take_act(a, &g->gone);
	else
		return false;
	return true;
}

static void
guard_set(struct conf_args *a)
{
	struct conf_guard *all = &a->ctx->cfg->guard;
	struct conf_guard_set *g = (struct conf_guard_set *)(uintptr_t)all->set;
	struct src_pos at = conf_arg_pos(a);
	unsigned before = a->ctx->diag->error_cnt;

	if (!g)
		all->set = g = arena_zalloc(a->ctx->arena, GUARD_SETS_MAX * sizeof(*g));
	if (all->set_cnt == GUARD_SETS_MAX) {
		conf_error(a->ctx, at, "more than %u guards of sets", GUARD_SETS_MAX);
		return;
	}
	g += all->set_cnt++;
	if (!conf_arg_string(a, &g->pattern))
		return;
	if (conf_arg_peek(a) != ARG_BLOCK) {
		conf_arg_expected(a, "'{'");
		return;
	}
	for (struct ct_option *x = a->at->block->option; x; x = x->next) {
		struct conf_args in = conf_args_of(a->ctx, x);
		unsigned errors = a->ctx->diag->error_cnt;

		if (!guard_take_rule(&in, g) && a->ctx->diag->error_cnt == errors)
			conf_error(
			    a->ctx, x->pos, "expected empty, shrink, older or gone");
		else if (a->ctx->diag->error_cnt == errors)
			conf_arg_done(&in);
		conf_opt_end(a->ctx, x);
	}
	a->at = a->at->next;
	if (!g->empty && !g->shrink && !g->older && !g->gone &&
	    a->ctx->diag->error_cnt == before)
		conf_error(a->ctx, at, "the guard is empty");
}

static void
guard_option(struct conf_args *a, struct src_pos at)
{
	struct conf_guard *g = &a->ctx->cfg->guard;

	if (conf_arg_word(a, "set")) {
		guard_set(a);
	} else if (conf_arg_word(a, "lost") && conf_arg_word(a, "routes")) {
		if (guard_take_percent(a, &g->lost.max))
			guard_take_act(a, &g->lost.act);
	} else if (conf_arg_word(a, "closed") && conf_arg_word(a, "sessions")) {
		if (conf_arg_u32(a, &g->closed.max, 0, UINT32_MAX))
			guard_take_act(a, &g->closed.act);
	} else if (conf_arg_word(a, "rpki") && conf_arg_word(a, "shrink")) {
		guard_take_percent(a, &g->rpki_percent);
	} else {
		conf_error(a->ctx, at,
		    "expected set, rpki shrink, lost routes or closed sessions");
	}
}

bool
conf_guard_parse(struct conf_args *a, void *to)
{
	(void)to;
	if (conf_arg_peek(a) != ARG_BLOCK)
		return conf_arg_expected(a, "'{'");
	for (struct ct_option *x = a->at->block->option; x; x = x->next) {
		struct conf_args in = conf_args_of(a->ctx, x);
		unsigned errors = a->ctx->diag->error_cnt;

		guard_option(&in, x->pos);
		if (a->ctx->diag->error_cnt == errors)
			conf_arg_done(&in);
		conf_opt_end(a->ctx, x);
	}
	a->at = a->at->next;
	return true;
}

const struct conf_guard_set *
conf_guard_of(const struct config *conf, const struct sym *s)
{
	/* `-empty-` in place of a set is a list */
	if (s->class != SYM_CONSTANT ||
	    (!ftype_is_set(s->value.type) && s->value.type != T_CLIST))
		return NULL;
	for (uint32_t i = 0; i < conf->guard.set_cnt; i++)
		if (scan_glob(conf->guard.set[i].pattern, s->name))
			return &conf->guard.set[i];
	return NULL;
}

static uint64_t
guard_file_age_s(const char *path)
{
	uint64_t now_s = clock_real_ns(clock_now_ns()) / NS_PER_S;
	struct file_info i;

	return file_look(path, &i) || i.changed_s > now_s ? 0 : now_s - i.changed_s;
}

/* guard_file_new - of the constant @s: the file with the entries of a set of prefixes
 * with origins, else the file with the definition. */
static struct conf_guard_file *
guard_file_new(struct conf_ctx *c, const struct sym *s)
{
	struct conf_guard_file *f = arena_zalloc(c->arena, sizeof(*f));

	if (s->value.type == T_SET_ORIGIN) {
		f->origins = s->value.set;
		f->name = conf_file_of(c, s->value.set);
	}
	if (!f->name)
		f->name = s->pos.file;
	f->age_s = guard_file_age_s(f->name);
	return f;
}

void
conf_guard_files(struct conf_ctx *c)
{
	struct conf_guard *g = &c->cfg->guard;
	struct conf_list files = { NULL, 0, 0 };
	struct conf_guard_file *f = NULL;

	for (const struct sym *s = g->set_cnt ? c->syms->first : NULL; s;
	     s = s->defined) {
		const struct conf_guard_set *set = conf_guard_of(c->cfg, s);

		if (!set || !set->older || conf_guard_file_is(f, s))
			continue;
		f = guard_file_new(c, s);
		conf_list_add(&files, f);
	}
	g->file_cnt = files.cnt;
	g->file = conf_list_take(&files, c->arena);
}
