/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The finished product: the code of a checked tree, in the arena of the result. Loop:
 * the parser's thread. Tested by test/unit/test_conf_golden.c and test/unit/test_vm.c. */
#include "filter/lang/fctx.h"
#include "filter/lang/gen.h"
#include "filter/lang/diag.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

#define STACK_SPARE 4

bool
code_make(struct fctx *fc, struct fcode *out, const struct code_source *from)
{
	struct gen g = { 0 };

	if (from->expr) {
		gen_expr(&g, from->expr);
		gen_emit(&g, from->pos, FI_RETURN, 0, 0, 0);
	} else {
		gen_stmts(&g, from->stmts);
		gen_emit(
		    &g, from->pos, from->is_filter ? FI_END : FI_RETURN_VOID, 0, 0, 0);
	}
	*out = (struct fcode){
		.name = from->name,
		.file = from->pos.file,
		.file_line = from->pos.line,
		.insn = arena_memdup(fc->out, g.insn, g.cnt * sizeof(*g.insn)),
		.line = arena_memdup(fc->out, g.line, g.cnt * sizeof(*g.line)),
		.part = arena_memdup(fc->out, g.part, g.part_cnt * sizeof(*g.part)),
		.part_cnt = g.part_cnt,
		.insn_cnt = g.cnt,
		.konst_cnt = g.konst_cnt,
		.callee_cnt = g.callee_cnt,
		.steps_max = fc->steps_max,
		.slots = fc->slots_max,
		.stack_max = (uint16_t)(g.depth_max + STACK_SPARE),
		.reads = g.reads,
		.writes = g.writes,
	};
	if (g.konst_cnt)
		out->konst = arena_memdup(
		    fc->out, g.konst, g.konst_cnt * sizeof(*g.konst));
	if (g.callee_cnt)
		out->callee = arena_memdup(
		    fc->out, g.callee, g.callee_cnt * sizeof(*g.callee));
	if (g.text_cnt)
		out->text = arena_memdup(fc->out, g.text, g.text_cnt * sizeof(*g.text));
	fcode_hash(out);
	fcode_uses(out, fc->out);
	mem_free(MEM_CONFIG, g.text);
	mem_free(MEM_CONFIG, g.insn);
	mem_free(MEM_CONFIG, g.line);
	mem_free(MEM_CONFIG, g.part);
	mem_free(MEM_CONFIG, g.konst);
	mem_free(MEM_CONFIG, g.callee);
	if (fc->slots_max + g.depth_max + STACK_SPARE <= VM_STACK_MAX)
		return true;
	diag_error(fc->diag, from->pos,
	    "%s has an expression with too many operands at a time", from->name);
	return false;
}
