/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and types: what stands between the tree and the code. Errors are said where they
 * are found and then have type T_ANY, so that nothing is said twice. */
#ifndef TERN_FILTER_CHECK_H
#define TERN_FILTER_CHECK_H

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
/* check_block - the same in a scope of its own. */
void check_block(struct fctx *fc, struct fnode *list);
/* check_slot - a variable. Returns: its slot. */
uint16_t check_slot(struct fctx *fc, struct src_pos pos);
/* check_fits - may a value of type @have go where @want is wanted? T_ANY: found at run
 * time. */
bool check_fits(enum ftype want, enum ftype have);
/* check_may_void - may the checked @n be undefined at run time although its type is
 * known? Of variables, which may be assigned to elsewhere, nothing is assumed. */
bool check_may_void(const struct fnode *n);
/* check_unknown_name - the error about a name that nothing has. */
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
const char *fop_sign(enum fop op);

#endif
