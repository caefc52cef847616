/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the filter language that BIRD 2.17 refuses. Owner: none, constants. Life:
 * static, never freed. Constants only; any thread. */
#ifndef TERN_FILTER_LANG_OWN_WORDS_H
#define TERN_FILTER_LANG_OWN_WORDS_H

#include "filter/lang/diag.h"
#include "filter/value/type.h"

struct builtin;

/* own_constant, own_attribute, own_type - note the use of a word at @at. */
void own_constant(struct diag *d, struct src_pos at, const char *name);
void own_attribute(struct diag *d, struct src_pos at, const char *name);
/* own_assignment - note `NAME = VALUE`. */
void own_assignment(struct diag *d, struct src_pos at, const char *name);
void own_type(struct diag *d, struct src_pos at, enum ftype t);
/* own_custom - note the use of `attribute TYPE NAME`. */
void own_custom(struct diag *d, struct src_pos at, enum ftype t);
/* own_builtin - note the use of an operator, a method or a function. @kind: one of BI_OP,
 * BI_METHOD, BI_FUNC. @typed: the types of the operands are known, and @b fits. */
void own_builtin(struct diag *d, struct src_pos at, unsigned kind, bool typed,
    const struct builtin *b);

#endif
