/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From trees to code: names and types are checked, constants folded, and code is made. */
#ifndef TERN_FILTER_COMPILE_H
#define TERN_FILTER_COMPILE_H

#include "filter/lang/ast.h"
#include "filter/run/custom.h"
#include "filter/filter.h"
#include "filter/lang/sym.h"

/* What the compiler works with. owner: the parser. */
struct fctx {
	struct arena *out; /* results: those of the configuration */
	struct arena *scratch; /* trees */
	struct diag *diag;
	struct sym_table *syms;
	struct filter_thread *thread; /* to evaluate constants; made when first needed */
	bool in_function;
	bool const_only; /* variables and attributes are errors */
	uint8_t result; /* enum ftype of the function at hand: what its returns have in
			   common */
	bool result_declared;
	uint16_t slots; /* variables in use */
	uint16_t slots_max;
};

void fctx_fini(struct fctx *fc);

/* fctx_const - value of @e now, in fc->out. Returns: false after an error. */
bool fctx_const(struct fctx *fc, struct fnode *e, struct fvalue *out);
/* fctx_set - the set that a literal stands for (all items constant); NULL after an error.
 */
const struct fset *fctx_set(struct fctx *fc, struct src_pos pos, struct set_lit *l);
/* fctx_filter - compile the body of a filter. NULL after an error. */
const struct filter *fctx_filter(
    struct fctx *fc, struct src_pos pos, const char *name, struct fnode *body);
/* fctx_where - accept if @cond, else reject. */
const struct filter *fctx_where(struct fctx *fc, struct src_pos pos, struct fnode *cond);
/* fctx_function - compile a function and define its symbol. @result: T_ANY if not
 * declared. Returns: false after an error (the symbol is defined nonetheless, so that
 * calls aren't errors too). */
bool fctx_function(struct fctx *fc, struct src_pos pos, const char *name,
    struct fnode *params, enum ftype result, struct fnode *body);
/* fctx_expr - code that leaves the value of @e (`eval`); run it with filter_eval. */
const struct filter *fctx_expr(struct fctx *fc, struct src_pos pos, struct fnode *e);

/* filter_eval - run what fctx_expr made, without a route. @env: who hears what it prints;
 * may be NULL. The value is valid until the next run of @t. Returns: false after a
 * run-time error, its text in @err. */
bool filter_eval(const struct filter *f, struct filter_thread *t,
    const struct filter_env *env, struct fvalue *out, struct strbuf *err);

/* How a function ended that was run as a self-test. */
enum filter_end {
	FILTER_END_RETURN,
	FILTER_END_ACCEPT,
	FILTER_END_REJECT,
	FILTER_END_ERROR
};

struct filter_test {
	enum filter_end end;
	struct fvalue value; /* of RETURN; T_VOID: none */
	const char *error; /* of ERROR; valid until the next run */
	const char *file; /* where it ended */
	uint32_t line;
};

/* filter_test_run - call @f, which takes no arguments, on a route of the test's own. */
void filter_test_run(const struct ffunc *f, struct filter_thread *t,
    const struct filter_env *env, const struct route_view *view, struct attr_edit *e,
    struct filter_test *out);

extern const struct filter filter_accept_all, filter_reject_all;

#endif
