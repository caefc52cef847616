/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a constant: an expression is checked, compiled and run at once. The
 * parser's thread calls. Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/compile.h"
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/lang/gen.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "filter/run/eval.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

bool
fctx_const(struct fctx *fc, struct fnode *e, struct fvalue *out)
{
	unsigned errors = fc->diag->error_cnt;
	bool before = fc->const_only, ok = false;
	struct fcode code = { .name = NULL };
	struct strbuf err;

	*out = (struct fvalue){ .type = T_VOID };
	fc->const_only = true;
	fc->bad_const = false;
	check_expr(fc, e);
	fc->const_only = before;
	if (fc->diag->error_cnt != errors || fc->bad_const)
		return false;
	if (e->kind == FN_CONST) {
		*out = e->value;
		return true;
	}
	if (!code_make(fc, &code,
		&(struct code_source){ .name = "constant", .pos = e->pos, .expr = e }))
		return false;
	strbuf_init(&err);
	ok = filter_eval(&(struct filter){ .name = "constant", .code = code },
	    fold_thread(fc), NULL, out, &err);
	if (ok)
		*out = fold_keep(fc, *out);
	else
		diag_error(fc->diag, e->pos, "%s", err.s);
	strbuf_fini(&err);
	return ok;
}
