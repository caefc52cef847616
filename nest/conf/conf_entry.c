/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Top-level entries of the language proper: constants, attributes, functions, filters,
 * self-tests. Loop: the thread that parses. Tested by test/unit/test_conf_golden.c. */
#include "filter/filter.h"
#include "filter/lang/ast.h"
#include "filter/lang/compile.h"
#include "filter/lang/diag.h"
#include "filter/lang/ext.h"
#include "filter/lang/ext_words.h"
#include "filter/lang/sym.h"
#include "filter/run/custom.h"
#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/attr/attr_def.h"
#include "lib/base/strbuf.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include <stdio.h>

void
conf_error(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	diag_error(c->diag, at, "%s", buf);
}

void
conf_warning(struct conf_ctx *c, struct src_pos at, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	diag_warning(c->diag, at, "%s", buf);
}

void
conf_ext(struct conf_ctx *c, struct src_pos at, enum known_by by, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	if (!c->diag->ext)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	ext_add(c->diag->ext, at, by, "%s", buf);
}

struct arena *
conf_arena(struct conf_ctx *c)
{
	return c->arena;
}

void
conf_list_add(struct conf_list *l, void *p)
{
	l->item = vec_room(MEM_CONFIG, l->item, &l->cap, l->cnt + 1, sizeof(*l->item));
	l->item[l->cnt++] = p;
}

void *
conf_list_take(struct conf_list *l, struct arena *a)
{
	void *out = arena_alloc(a, (l->cnt + 1) * sizeof(*l->item));

	if (l->cnt)
		memcpy(out, l->item, l->cnt * sizeof(*l->item));
	mem_free(MEM_CONFIG, l->item);
	*l = (struct conf_list){ NULL, 0, 0 };
	return out;
}

void
conf_entry_end(struct conf_ctx *c)
{
	if (c->wipe.entry)
		arena_wipe(&c->scratch);
	c->wipe.entry = false;
	arena_reset(&c->scratch);
	c->entry_errors = c->diag->error_cnt;
	c->declared = NULL;
	c->ast.too_deep = false;
}

/* A new symbol, unless the name is taken. Keywords of options aren't symbols and don't
 * matter. */
static struct sym *
conf_entry_define(
    struct conf_ctx *c, struct src_pos pos, const char *name, enum sym_class class)
{
	struct sym *s = sym_define(c->syms, name, class, pos), *old;

	if (s)
		return s;
	old = sym_find(c->syms, name);
	if (old->pos.line)
		conf_error(c, pos, "'%s' is defined already, as a %s at %s:%u", name,
		    sym_class_name(old->class), old->pos.file, old->pos.line);
	else
		conf_error(c, pos, "'%s' is defined already, as a %s", name,
		    sym_class_name(old->class));
	return NULL;
}

struct fvalue
conf_const(struct conf_ctx *c, struct fnode *e)
{
	struct fvalue v;

	if (c->ast.too_deep || !fctx_const(&c->fc, e, &v))
		return (struct fvalue){ .type = T_VOID };
	return v;
}

void
conf_define_bad(struct conf_ctx *c, struct src_pos pos, const char *name)
{
	conf_entry_define(c, pos, name, SYM_CONSTANT);
}

void
conf_define(struct conf_ctx *c, struct src_pos pos, const char *name, struct fnode *e)
{
	struct fvalue v = conf_const(c, e);
	struct sym *s = conf_entry_define(c, pos, name, SYM_CONSTANT);

	if (s) {
		s->value = v;
		s->type = v.type;
	}
}

void
conf_attribute(struct conf_ctx *c, struct src_pos pos, const char *name, enum ftype t)
{
	struct sym *s;
	int id;

	ext_custom(c->diag, pos, t);
	if (ftype_is_set(t)) {
		/* BIRD 3 loads such a file. */
		diag_warning(c->diag, pos,
		    "attribute '%s' is undefined in all routes, and an assignment is an "
		    "error: routes keep no values of type '%s'",
		    name, ftype_name(t));
	} else if (!ftype_is_attr(t)) {
		conf_error(c, pos,
		    "an attribute can't be of type '%s': routes keep no masks and "
		    "routes; BIRD 2 refuses the type, too",
		    ftype_name(t));
		return;
	}
	id = custom_registry_id(c->env->custom, name, (uint8_t)t);
	if (id < 0) {
		conf_error(c, pos, "more than %d different attributes", CUSTOM_MAX);
		return;
	}
	s = conf_entry_define(c, pos, name, SYM_ATTRIBUTE);
	if (s) {
		s->type = (uint8_t)t;
		s->slot = (uint16_t)id;
	}
}

static bool
entry_known_attr(uint32_t code)
{
	switch (code) {
#define X(name, c, flags, filter_name, show_name) case c:
		ATTR_TABLE(X)
#undef X
		return true;
	}
	return false;
}

/* attribute bgp N bytestring NAME */
void
conf_attribute_bgp(
    struct conf_ctx *c, struct src_pos pos, const char *name, uint32_t code)
{
	struct sym *s;

	if (code < 1 || code > 255) {
		conf_error(c, pos, "codes of path attributes are from 1 to 255");
		return;
	}
	if (entry_known_attr(code)) {
		conf_error(c, pos, "path attribute %u has a name already", code);
		return;
	}
	s = conf_entry_define(c, pos, name, SYM_ATTRIBUTE);
	if (s) {
		s->type = (uint8_t)T_BYTES;
		s->slot = (uint16_t)code;
		s->wire = true;
	}
}

void
conf_function(struct conf_ctx *c, struct src_pos pos, const char *name,
    struct fnode *params, enum ftype result, struct fnode *body)
{
	if (!c->ast.too_deep)
		fctx_function(&c->fc, pos, name, params, result, body);
}

void
conf_filter(struct conf_ctx *c, struct src_pos pos, const char *name, struct fnode *body)
{
	struct sym *s = conf_entry_define(c, pos, name, SYM_FILTER);
	const struct filter *f = NULL;

	if (!c->ast.too_deep)
		f = fctx_filter(&c->fc, pos, s ? s->name : "(unnamed)", body);
	if (s)
		s->filter = f;
}

const struct filter *
conf_where(struct conf_ctx *c, struct src_pos pos, struct fnode *e)
{
	return c->ast.too_deep ? NULL : fctx_where(&c->fc, pos, e);
}

const struct filter *
conf_inline_filter(struct conf_ctx *c, struct src_pos pos, struct fnode *body)
{
	return c->ast.too_deep ? NULL : fctx_filter(&c->fc, pos, "(unnamed)", body);
}

const struct filter *
conf_named_filter(struct conf_ctx *c, struct src_pos pos, const char *name)
{
	struct sym *s = sym_find(c->syms, name);

	if (!s) {
		diag_unknown(c->diag, pos, "filter", name,
		    sym_near(c->syms, SYM_BIT(SYM_FILTER), name));
		return NULL;
	}
	if (s->class != SYM_FILTER) {
		conf_error(
		    c, pos, "'%s' is a %s, not a filter", name, sym_class_name(s->class));
		return NULL;
	}
	return s->filter;
}

void
conf_eval(struct conf_ctx *c, struct fnode *e)
{
	struct fvalue v = conf_const(c, e);
	struct strbuf b;

	if (v.type == T_VOID)
		return;
	strbuf_init(&b);
	fvalue_print(&b, &v);
	conf_warning(c, e->pos, "eval: %s", b.s);
	strbuf_fini(&b);
}

/* Self-tests are kept for `ternd -t` and cost a running daemon nothing. */
static struct conf_test *
entry_test_new(struct conf_ctx *c, struct src_pos pos)
{
	struct conf_test *t = arena_zalloc(c->arena, sizeof(*t));

	t->pos = pos;
	conf_list_add(&c->tests, t);
	return t;
}

void
conf_test_suite(
    struct conf_ctx *c, struct src_pos pos, const char *func, const char *text)
{
	struct sym *s = sym_find(c->syms, func);
	struct conf_test *t;

	if (!s || s->class != SYM_FUNCTION) {
		diag_unknown(c->diag, pos, "function", func,
		    sym_near(c->syms, SYM_BIT(SYM_FUNCTION), func));
		return;
	}
	t = entry_test_new(c, pos);
	t->func = s->func;
	t->name = arena_strdup(c->arena, text);
}

void
conf_test_same(
    struct conf_ctx *c, struct src_pos pos, const char *a, const char *b, bool same)
{
	struct sym *x = sym_find(c->syms, a), *y = sym_find(c->syms, b);
	struct conf_test *t;

	if (!x || (x->class != SYM_FUNCTION && x->class != SYM_FILTER)) {
		diag_unknown(c->diag, pos, "filter or function", a,
		    sym_near(c->syms, SYM_BIT(SYM_FILTER) | SYM_BIT(SYM_FUNCTION), a));
		return;
	}
	if (!y || y->class != x->class) {
		diag_unknown(c->diag, pos, sym_class_name((enum sym_class)x->class), b,
		    sym_near(c->syms, SYM_BIT(x->class), b));
		return;
	}
	t = entry_test_new(c, pos);
	t->same = same;
	if (x->class == SYM_FUNCTION) {
		t->func = x->func;
		t->func_b = y->func;
	} else {
		t->filter = x->filter;
		t->filter_b = y->filter;
	}
}
