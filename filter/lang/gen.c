/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building code: the growing arrays of instructions, constants and callees. Loop: the
 * parser's thread. Tested by test/unit/test_conf_golden.c and test/unit/test_vm.c. */
#include "filter/lang/gen.h"
#include "filter/lang/diag.h"
#include "filter/run/frun.h"
#include "filter/run/value.h"
#include "filter/value/fvalue.h"
#include "lib/base/vec.h"
#include "lib/mem/arena.h"
#include "lib/mem/mem.h"

/* gen_file - let the next instruction be of @file. */
static void
gen_file(struct gen *g, const char *file)
{
	while (g->part_cnt && g->part[g->part_cnt - 1].from >= g->cnt)
		g->part_cnt--; /* gen_drop_last has dropped the instructions */
	if (g->part_cnt && (!file || g->part[g->part_cnt - 1].file == file))
		return;
	g->part = vec_room(
	    MEM_CONFIG, g->part, &g->part_cap, g->part_cnt + 1, sizeof(*g->part));
	g->part[g->part_cnt++] = (struct fcode_part){ file, g->cnt };
}

uint32_t
gen_emit(struct gen *g, struct src_pos pos, enum finsn_op op, uint8_t n, uint16_t k,
    uint32_t arg)
{
	g->insn = vec_room(
	    MEM_CONFIG, g->insn, &g->insn_cap, g->cnt + 1, sizeof(*g->insn));
	g->line = vec_room(
	    MEM_CONFIG, g->line, &g->line_cap, g->cnt + 1, sizeof(*g->line));
	g->insn[g->cnt] = (struct finsn){ (uint8_t)op, n, k, arg };
	g->line[g->cnt] = pos.line;
	gen_file(g, pos.file);
	return g->cnt++;
}

void
gen_stack(struct gen *g, int change)
{
	g->depth += change;
	if (g->depth > g->depth_max)
		g->depth_max = g->depth;
}

void
gen_push(struct gen *g, struct src_pos pos, enum finsn_op op, uint8_t n, uint16_t k,
    uint32_t arg)
{
	gen_emit(g, pos, op, n, k, arg);
	gen_stack(g, 1);
}

void
gen_patch(struct gen *g, uint32_t at)
{
	g->insn[at].arg = g->cnt;
	g->barrier = g->cnt;
}

bool
gen_last_is(const struct gen *g, enum finsn_op op)
{
	return g->cnt > g->barrier && g->insn[g->cnt - 1].op == op;
}

void
gen_drop_last(struct gen *g)
{
	g->cnt--;
	g->depth--;
}

uint32_t
gen_konst(struct gen *g, const struct fvalue *v)
{
	uint32_t i, from = g->konst_cnt > 32 ? g->konst_cnt - 32 : 0;

	for (i = from; i < g->konst_cnt; i++)
		if (g->konst[i].type == v->type && g->konst[i].absent == v->absent &&
		    fvalue_same(&g->konst[i], v))
			return i;
	g->konst = vec_room(
	    MEM_CONFIG, g->konst, &g->konst_cap, g->konst_cnt + 1, sizeof(*g->konst));
	g->konst[g->konst_cnt] = *v;
	return g->konst_cnt++;
}

uint32_t
gen_callee(struct gen *g, const struct ffunc *f)
{
	uint32_t i;

	for (i = 0; i < g->callee_cnt; i++)
		if (g->callee[i] == f)
			return i;
	g->callee = vec_room(
	    MEM_CONFIG, g->callee, &g->callee_cap, g->callee_cnt + 1, sizeof(*g->callee));
	g->callee[g->callee_cnt] = f;
	if (f->complete) {
		g->reads |= f->code.reads;
		g->writes |= f->code.writes;
	}
	return g->callee_cnt++;
}

uint32_t
gen_text(struct gen *g, const char *s)
{
	g->text = vec_room(
	    MEM_CONFIG, g->text, &g->text_cap, g->text_cnt + 1, sizeof(*g->text));
	g->text[g->text_cnt] = s;
	return g->text_cnt++;
}
