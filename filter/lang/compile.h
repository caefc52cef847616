/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From trees to code: names and types are checked, constants folded, and code is made.
 * Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_COMPILE_H
#define TERN_FILTER_LANG_COMPILE_H

#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/value/type.h"

struct fnode;

/* fctx_const - value of @e now, in fc->out (compile_const.c). Returns: false after an
 * error. */
bool fctx_const(struct fctx *fc, struct fnode *e, struct fvalue *out);
/* fctx_filter - compile the body of a filter. NULL after an error. */
const struct filter *fctx_filter(
    struct fctx *fc, struct src_pos pos, const char *name, struct fnode *body);
/* fctx_where - accept if @cond, else reject. */
const struct filter *fctx_where(struct fctx *fc, struct src_pos pos, struct fnode *cond);
/* fctx_function - compile a function and define its symbol. @result: T_ANY if not
 * declared.
 * Returns: false after an error; the symbol is defined nevertheless, so that calls are no
 * errors. */
bool fctx_function(struct fctx *fc, struct src_pos pos, const char *name,
    struct fnode *params, enum ftype result, struct fnode *body);
/* fctx_expr - compile @e to code that leaves the value of @e (`eval`); run by
 * filter_eval. */
const struct filter *fctx_expr(struct fctx *fc, struct src_pos pos, struct fnode *e);

#endif
