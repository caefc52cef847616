/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entry points of the parser: check a tree and generate its code. The parser's thread
 * calls. Tested by test/unit/test_conf_golden.c and test/unit/test_vm.c. */
#include "filter/lang/compile.h"

#include "filter/filter.h"
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/diag.h"
#include "filter/lang/gen.h"
#include "filter/lang/sym.h"
#include "filter/run/bare.h"
#include "filter/run/code.h"
#include "filter/run/fault.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"

static void
compile_begin(struct fctx *fc, bool in_function)
{
	fc->in_function = in_function;
	fc->const_only = false;
	fc->result = T_VOID;
	fc->result_declared = false;
	fc->slots = fc->slots_max = 0;
}

const struct filter *
fctx_filter(struct fctx *fc, struct src_pos pos, const char *name, struct fnode *body)
{
	unsigned errors = fc->diag->error_cnt;
	struct filter *f;

	compile_begin(fc, false);
	fc->left_out_met = false;
	check_block(fc, body->a);
	if (fc->diag->error_cnt != errors || fc->left_out_met)
		return NULL;
	f = arena_zalloc(fc->out, sizeof(*f));
	f->name = name;
	f->gate = arena_zalloc(fc->out, sizeof(struct fault_gate));
	if (body->a && (body->a->kind == FS_ACCEPT || body->a->kind == FS_REJECT) &&
	    !body->a->a)
		f->known.fixed = 1 + (body->a->kind == FS_ACCEPT ? FILTER_ACCEPT
								 : FILTER_REJECT);
	if (!code_make(fc, &f->code,
		&(struct code_source){
		    .name = name, .pos = pos, .stmts = body->a, .is_filter = true }))
		return NULL;
	if (!f->known.fixed)
		filter_find_bare(f, fold_thread(fc));
	return f;
}

const struct filter *
fctx_where(struct fctx *fc, struct src_pos pos, struct fnode *cond)
{
	struct ast t = { .scratch = fc->scratch, .diag = fc->diag };
	struct fnode *yes = ast_node(&t, FS_ACCEPT, pos, NULL, NULL, NULL);
	struct fnode *no = ast_node(&t, FS_REJECT, pos, NULL, NULL, NULL);
	struct fnode *test = ast_node(&t, FS_IF, pos, cond, yes, no);
	const struct filter *f = fctx_filter(
	    fc, pos, "(unnamed)", ast_with_list(&t, FS_BLOCK, pos, test));

	if (f) /* which was made just now, and nobody else has */
		((struct filter *)(uintptr_t)f)->where = true;
	return f;
}

bool
fctx_function(struct fctx *fc, struct src_pos pos, const char *name, struct fnode *params,
    enum ftype result, struct fnode *body)
{
	unsigned errors = fc->diag->error_cnt;
	struct sym *s = sym_define(fc->syms, name, SYM_FUNCTION, pos);
	struct ffunc *f = arena_zalloc(fc->out, sizeof(*f));
	struct fnode *p;
	bool ok;

	if (!s) {
		diag_error(fc->diag, pos, "'%s' is defined already", name);
		return false;
	}
	s->func = f;
	s->type = (uint8_t)result;
	compile_begin(fc, true);
	fc->result_declared = result != T_ANY;
	if (fc->result_declared)
		fc->result = (uint8_t)result;
	sym_push(fc->syms);
	for (p = params; p; p = p->next) {
		if (f->arg_cnt == FFUNC_ARGS_MAX) {
			diag_error(
			    fc->diag, p->pos, "more than %d arguments", FFUNC_ARGS_MAX);
			break;
		}
		f->arg[f->arg_cnt++] = p->type;
	}
	check_stmts(fc, params);
	check_block(fc, body->a);
	sym_pop(fc->syms);
	f->result = fc->result;
	s->type = f->result;
	if (fc->diag->error_cnt != errors) {
		f->result = s->type = (uint8_t)(fc->result_declared ? result : T_ANY);
		f->complete = true;
		return false;
	}
	ok = code_make(fc, &f->code,
	    &(struct code_source){ .name = s->name, .pos = pos, .stmts = body->a });
	f->complete = true;
	return ok;
}

const struct filter *
fctx_expr(struct fctx *fc, struct src_pos pos, struct fnode *e)
{
	unsigned errors = fc->diag->error_cnt;
	struct filter *f;

	compile_begin(fc, false);
	check_expr(fc, e);
	if (fc->diag->error_cnt != errors)
		return NULL;
	f = arena_zalloc(fc->out, sizeof(*f));
	f->name = "eval";
	return code_make(fc, &f->code,
		   &(struct code_source){ .name = "eval", .pos = pos, .expr = e })
		   ? f
		   : NULL;
}
