/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects the code of a function: instructions, constants and the greatest depth of the
 * stack. Loop: the parser's thread. */
#ifndef TERN_FILTER_LANG_GEN_H
#define TERN_FILTER_LANG_GEN_H

#include "filter/lang/ast.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/run/code.h"
#include "lib/base/check.h"

/* Code under construction. Owner: code_make. Life: on the stack. */
struct gen {
	struct finsn *insn;
	uint32_t *line;
	uint32_t cnt, insn_cap, line_cap;
	struct fcode_part *part;
	uint32_t part_cnt, part_cap;
	struct fvalue *konst;
	uint32_t konst_cnt, konst_cap;
	const struct ffunc **callee;
	uint32_t callee_cnt, callee_cap;
	const char **text;
	uint32_t text_cnt, text_cap;
	int depth, depth_max;
	/* jumps lead behind this instruction: no merging across */
	uint32_t barrier;
	uint32_t reads;
	bool writes;
};

/* gen_emit - Returns: its index. */
uint32_t gen_emit(struct gen *g, struct src_pos pos, enum finsn_op op, uint8_t n,
    uint16_t k, uint32_t arg);
/* gen_push - emit an instruction that leaves one more value. */
void gen_push(struct gen *g, struct src_pos pos, enum finsn_op op, uint8_t n, uint16_t k,
    uint32_t arg);
void gen_stack(struct gen *g, int change);
/* gen_patch - let the jump at @at lead to the next emitted instruction. */
void gen_patch(struct gen *g, uint32_t at);
bool gen_last_is(const struct gen *g, enum finsn_op op);
void gen_drop_last(struct gen *g);
uint32_t gen_konst(struct gen *g, const struct fvalue *v);
uint32_t gen_callee(struct gen *g, const struct ffunc *f);
uint32_t gen_text(struct gen *g, const char *s);

void gen_expr(struct gen *g, const struct fnode *n); /* gen_expr.c */
/* gen_grow - the assignment @n as an instruction that changes the variable in place.
 * Returns: false: @n is another assignment; nothing was emitted. */
bool gen_grow(struct gen *g, const struct fnode *n);
/* gen_operand - the same for a value that mustn't be undefined. */
void gen_operand(struct gen *g, const struct fnode *n);
void gen_stmts(struct gen *g, const struct fnode *list); /* gen_stmt.c */

/* The source of code: a checked tree, expr or stmts. Owner: the caller. Life: on the
 * stack. By value: nothing to free. */
struct code_source {
	const char *name;
	struct src_pos pos;
	struct fnode *expr; /* the value of expr is the result */
	struct fnode *stmts;
	bool is_filter; /* the statements belong to a filter, not to a function */
};

/* code_make - the code of @from (code_make.c). Returns: false after an error. */
bool code_make(struct fctx *fc, struct fcode *out, const struct code_source *from);

#endif
