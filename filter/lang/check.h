/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and types: the stage between the tree and the code. An error is reported at its
 * place, and the erroneous node gets type T_ANY, so that no further error follows from
 * the first. Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_CHECK_H
#define TERN_FILTER_LANG_CHECK_H

#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"

#define SLOTS_MAX 255

/* check_expr - find out what @n is; constants are folded in place. Returns: its type;
 * T_ANY: not known before the run, or an error. */
enum ftype check_expr(struct fctx *fc, struct fnode *n);
/* check_stmts - a list of statements in the scope at hand. */
void check_stmts(struct fctx *fc, struct fnode *list);
/* check_block - check @list in a new scope. */
void check_block(struct fctx *fc, struct fnode *list);
/* check_fits - true if a value of type @have may stand where type @want is required.
 * T_ANY: decided at run time. */
bool check_fits(enum ftype want, enum ftype have);
/* Behind a warning about types that BIRD compares at run time. */
#define CHECK_FAILS ": the evaluation fails, and the route is rejected"
/* check_run_sets - are both types of sets that BIRD tells apart at run time only? */
bool check_run_sets(enum ftype want, enum ftype have);
/* check_wanted - report with @fmt that a value of type @have stands where type @want is
 * required; a warning with check_run_sets. A value that fits has no report. */
void check_wanted(struct fctx *fc, struct src_pos pos, enum ftype want, enum ftype have,
    const char *fmt, ...) PRINTF_LIKE(5, 6);
/* check_may_void - true if the checked @n may be undefined at run time although the type
 * is known. A variable always may, because other code may assign the variable. */
bool check_may_void(const struct fnode *n);
/* check_unknown_name - report an unknown name. */
void check_unknown_name(struct fctx *fc, const struct fnode *n);
/* check_set - the set that a literal stands for (all items constant); NULL after an error
 * (check_lit.c). */
const struct fset *check_set(struct fctx *fc, struct src_pos pos, struct set_lit *l);
/* check_mask - a path mask literal (check_lit.c). */
enum ftype check_mask(struct fctx *fc, struct fnode *n);
/* fold_builtin - evaluate a builtin on constants; @n becomes FN_CONST. @arg: its
 * operands. */
void fold_builtin(
    struct fctx *fc, struct fnode *n, uint32_t index, struct fnode *const *arg);
/* fold_keep - @v with what it points to in fc->out. */
struct fvalue fold_keep(struct fctx *fc, struct fvalue v);
/* fold_thread - to run code while parsing. */
struct filter_thread *fold_thread(struct fctx *fc);

#endif
