/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generates the instructions of a statement of a filter. The checker has accepted the
 * statement before. Loop: the parser's thread. Tested by test/unit/test_conf_golden.c and
 * test/prop/prop_know.c. */
#include "filter/filter.h"
#include "filter/lang/ast.h"
#include "filter/lang/gen.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/value/type.h"
#include "lib/base/vec.h"
#include "lib/mem/mem.h"

/* Ends of branches that jump to one place. */
struct exits {
	uint32_t *at;
	uint32_t cnt, cap;
};

static void
stmt_exits_add(struct exits *x, uint32_t at)
{
	x->at = vec_room(MEM_CONFIG, x->at, &x->cap, x->cnt + 1, sizeof(*x->at));
	x->at[x->cnt++] = at;
}

static void
stmt_exits_patch(struct gen *g, struct exits *x)
{
	uint32_t i;

	for (i = 0; i < x->cnt; i++)
		gen_patch(g, x->at[i]);
	mem_free(MEM_CONFIG, x->at);
}

/* The value on top goes into @n: a declared variable or the target of an assignment. */
static void
gen_store(struct gen *g, const struct fnode *n, enum ftype have)
{
	if (n->type != have && n->type != T_ANY)
		gen_emit(g, n->pos, FI_TYPE, n->type, 0, 0);
	gen_stack(g, -1);
	switch (n->op) {
	case NAME_ATTR:
		g->writes = true;
		g->reads |= route_attr_get(n->index)->set_reads;
		gen_emit(g, n->pos, FI_SET_ATTR, 0, 0, n->index);
		break;
	case NAME_CUSTOM:
		g->writes = true;
		gen_emit(g, n->pos, FI_SET_CUSTOM, n->type, 0, n->index);
		break;
	default:
		gen_emit(g, n->pos, FI_STORE, 0, 0, n->slot);
	}
}

static void gen_one(struct gen *g, const struct fnode *n);

static void
gen_if(struct gen *g, const struct fnode *n)
{
	struct exits x = { 0 };

	for (;;) {
		uint32_t no;

		gen_expr(g, n->a);
		no = gen_emit(g, n->a->pos, FI_JUMP_FALSE, 0, 0, 0);
		gen_stack(g, -1);
		gen_one(g, n->b);
		if (!n->c) {
			gen_patch(g, no);
			break;
		}
		stmt_exits_add(&x, gen_emit(g, n->pos, FI_JUMP, 0, 0, 0));
		gen_patch(g, no);
		n = n->c;
		if (n->kind != FS_IF) {
			gen_one(g, n);
			break;
		}
	}
	stmt_exits_patch(g, &x);
}

/* The value stays on the stack while its labels are tried. */
static void
gen_case(struct gen *g, const struct fnode *n)
{
	const struct fnode *arm, *other = NULL;
	struct exits x = { 0 };

	gen_expr(g, n->a);
	for (arm = n->b; arm; arm = arm->next) {
		uint32_t no;

		if (arm->value.type == T_VOID) {
			other = arm;
			continue;
		}
		gen_push(g, arm->pos, FI_CASE, 0, 0, gen_konst(g, &arm->value));
		no = gen_emit(g, arm->pos, FI_JUMP_FALSE, 0, 0, 0);
		gen_stack(g, -1);
		gen_emit(g, arm->pos, FI_POP, 0, 0, 0);
		gen_stmts(g, arm->a);
		stmt_exits_add(&x, gen_emit(g, arm->pos, FI_JUMP, 0, 0, 0));
		gen_patch(g, no);
	}
	gen_emit(g, n->pos, FI_POP, 0, 0, 0);
	gen_stack(g, -1);
	if (other)
		gen_stmts(g, other->a);
	stmt_exits_patch(g, &x);
}

static void
gen_for(struct gen *g, const struct fnode *n)
{
	uint32_t next, end;

	gen_expr(g, n->a);
	gen_emit(g, n->pos, FI_FOR_START, 0, 0, n->index);
	gen_stack(g, -1);
	next = gen_emit(g, n->pos, FI_FOR_NEXT, n->type, n->slot, n->index);
	end = gen_emit(g, n->pos, FI_JUMP, 0, 0, 0);
	g->barrier = g->cnt;
	gen_one(g, n->b);
	gen_emit(g, n->pos, FI_JUMP, 0, 0, next);
	gen_patch(g, end);
}

/* All are evaluated before the first is printed: functions may print, too. */
static void
gen_texts(struct gen *g, const struct fnode *list)
{
	uint8_t cnt = 0;

	for (; list; list = list->next) {
		gen_expr(g, list);
		g->reads |= FILTER_READ_VOLATILE;
		if (++cnt < UINT8_MAX && list->next)
			continue;
		gen_emit(g, list->pos, FI_PRINT, cnt, 0, 0);
		gen_stack(g, -cnt);
		cnt = 0;
	}
}

static void
gen_return(struct gen *g, const struct fnode *n)
{
	if (!n->a) {
		gen_emit(g, n->pos, FI_RETURN_VOID, 0, 0, 0);
		return;
	}
	gen_expr(g, n->a);
	if (n->type != T_ANY && n->type != n->a->type)
		gen_emit(g, n->pos, FI_TYPE, n->type, 0, 0);
	gen_emit(g, n->pos, FI_RETURN, 0, 0, 0);
	gen_stack(g, -1);
}

static void
gen_decl(struct gen *g, const struct fnode *n)
{
	if (n->a) {
		gen_operand(g, n->a);
		gen_store(g, n, n->a->type);
	} else {
		gen_emit(g, n->pos, FI_CLEAR, n->type, 0, n->slot);
	}
}

static void
gen_unset(struct gen *g, const struct fnode *n)
{
	g->writes = true;
	gen_emit(g, n->pos, n->op == NAME_CUSTOM ? FI_UNSET_CUSTOM : FI_UNSET_ATTR, 0, 0,
	    n->index);
}

static void
gen_end(struct gen *g, const struct fnode *n, enum finsn_op op)
{
	gen_texts(g, n->a);
	gen_emit(g, n->pos, op, 0, 0, 0);
}

static void
gen_drop(struct gen *g, const struct fnode *n)
{
	gen_expr(g, n->a);
	gen_emit(g, n->pos, FI_POP, 0, 0, 0);
	gen_stack(g, -1);
}

static void
gen_assert(struct gen *g, const struct fnode *n)
{
	gen_expr(g, n->a);
	gen_emit(g, n->pos, FI_ASSERT, 0, 0, gen_text(g, n->name));
	gen_stack(g, -1);
}

static void
gen_one(struct gen *g, const struct fnode *n)
{
	switch (n->kind) {
	case FS_DECL:
		gen_decl(g, n);
		break;
	case FS_ASSIGN:
		if (gen_grow(g, n))
			break;
		if (n->op == NAME_VAR)
			gen_operand(g, n->a);
		else /* attributes check the value at run time */
			gen_expr(g, n->a);
		gen_store(g, n, n->a->type);
		break;
	case FS_IF:
		gen_if(g, n);
		break;
	case FS_CASE:
		gen_case(g, n);
		break;
	case FS_FOR:
		gen_for(g, n);
		break;
	case FS_RETURN:
		gen_return(g, n);
		break;
	case FS_ACCEPT:
		gen_end(g, n, FI_ACCEPT);
		break;
	case FS_REJECT:
		gen_end(g, n, FI_REJECT);
		break;
	case FS_ERROR:
		gen_end(g, n, FI_ERROR);
		break;
	case FS_PRINT:
		gen_texts(g, n->a);
		if (!n->flag)
			gen_emit(g, n->pos, FI_PRINT_END, 0, 0, 0);
		g->reads |= FILTER_READ_VOLATILE;
		break;
	case FS_BLOCK:
		gen_stmts(g, n->a);
		break;
	case FS_EXPR:
		gen_drop(g, n);
		break;
	case FS_UNSET:
		gen_unset(g, n);
		break;
	default:
		gen_assert(g, n);
	}
}

void
gen_stmts(struct gen *g, const struct fnode *list)
{
	for (; list; list = list->next)
		gen_one(g, list);
}
