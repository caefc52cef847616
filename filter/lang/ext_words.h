/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the filter language that BIRD 2.17 refuses. Owner: none, constants. Life:
 * static, never freed. Constants only; any thread. */
#ifndef TERN_FILTER_LANG_EXT_WORDS_H
#define TERN_FILTER_LANG_EXT_WORDS_H

#include "filter/lang/diag.h"
#include "filter/value/type.h"

struct builtin;

/* ext_constant, ext_attribute, ext_type - note the use of a word at @at. */
void ext_constant(struct diag *d, struct src_pos at, const char *name);
void ext_attribute(struct diag *d, struct src_pos at, const char *name);
/* ext_assignment - note `NAME = VALUE`. */
void ext_assignment(struct diag *d, struct src_pos at, const char *name);
/* ext_set_prefix - note the constant @name of type prefix in a literal of a set. */
void ext_set_prefix(struct diag *d, struct src_pos at, const char *name);
void ext_type(struct diag *d, struct src_pos at, enum ftype t);
/* ext_custom - note the use of `attribute TYPE NAME`. */
void ext_custom(struct diag *d, struct src_pos at, enum ftype t);
/* ext_builtin - note the use of an operator, a method or a function. @kind: one of BI_OP,
 * BI_METHOD, BI_FUNC. @typed: the types of the operands are known, and @b fits. */
void ext_builtin(struct diag *d, struct src_pos at, unsigned kind, bool typed,
    const struct builtin *b);

#endif
