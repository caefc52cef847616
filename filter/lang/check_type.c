/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a value of a type fits the place where a filter uses the value. The
 * parser's thread calls. Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/value/fvalue.h"
#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/rpki.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/value/enum_const.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"

bool
check_fits(enum ftype want, enum ftype have)
{
	if (want == have || want == T_ANY || have == T_ANY)
		return true;
	if (have == T_SET_EMPTY)
		return ftype_is_set(want);
	return want == T_QUAD && have == T_IP;
}

/* type_is_run_set - a set that BIRD tells from sets of other types at run time only. */
static bool
type_is_run_set(enum ftype t)
{
	return ftype_is_set(t) && t != T_SET_PREFIX && t != T_SET_ORIGIN;
}

bool
check_run_sets(enum ftype want, enum ftype have)
{
	return type_is_run_set(want) && type_is_run_set(have);
}

void
check_wanted(struct fctx *fc, struct src_pos pos, enum ftype want, enum ftype have,
    const char *fmt, ...)
{
	struct strbuf b;
	va_list ap;

	if (check_fits(want, have))
		return;
	strbuf_init(&b);
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (check_run_sets(want, have))
		diag_warning(fc->diag, pos, "%s" CHECK_FAILS, b.s);
	else
		diag_error(fc->diag, pos, "%s", b.s);
	strbuf_fini(&b);
}

bool
check_may_void(const struct fnode *n)
{
	switch (n->kind) {
	case FN_CONST:
		return n->value.type == T_VOID;
	case FN_NAME:
		if (n->op != NAME_ATTR && n->op != NAME_CUSTOM)
			return true;
		return n->type != T_PATH && n->type != T_CLIST && n->type != T_ECLIST &&
		       n->type != T_LCLIST && strcmp(n->name, "net");
	case FN_CALL:
		return n->type == T_ANY || n->call == CALL_FUNC;
	default:
		return n->type == T_ANY;
	}
}
