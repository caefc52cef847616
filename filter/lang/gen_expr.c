/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code generation for checked expressions. The parser's thread calls.
 *
 * Operands are evaluated from the left onto the stack. Frequent operations of filters
 * have dedicated instructions: comparing numbers and the length of the path with
 * constants, net in a constant set of prefixes, a constant community in one of the
 * route's lists. Tested by test/unit/test_conf_golden.c and test/prop/prop_filter.c. */
#include "filter/filter.h"
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/gen.h"
#include "filter/lang/sym.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/set/mask.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/community.h"

static void
gen_const(struct gen *g, const struct fnode *n)
{
	const struct fvalue *v = &n->value;

	if (v->type == T_INT || v->type == T_BOOL || v->type == T_QUAD ||
	    ftype_is_enum(v->type))
		gen_push(g, n->pos, FI_INT, v->type, 0, v->i);
	else
		gen_push(g, n->pos, FI_CONST, 0, 0, gen_konst(g, v));
}

static void
gen_name(struct gen *g, const struct fnode *n)
{
	switch (n->op) {
	case NAME_VAR:
		gen_push(g, n->pos, FI_LOAD, 0, 0, n->slot);
		break;
	case NAME_ATTR:
		g->reads |= route_attr_get(n->index)->reads;
		gen_push(g, n->pos, FI_ATTR, 0, 0, n->index);
		break;
	case NAME_CUSTOM:
		gen_push(g, n->pos, FI_CUSTOM, n->type, 0, n->index);
		break;
	default: /* there was an error */
		gen_push(g, n->pos, FI_INT, T_INT, 0, 0);
	}
}

static bool
expr_is_attr(const struct fnode *n, const char *name)
{
	return n->kind == FN_NAME && n->op == NAME_ATTR && !strcmp(n->name, name);
}

/* The path's first, last and length without its octets. */
static bool
gen_path_short(struct gen *g, const struct fnode *n)
{
	static const struct {
		const char *name;
		uint8_t op;
	} shorts[] = {
		{ "len", FI_PATH_LEN },
		{ "first", FI_PATH_FIRST },
		{ "last", FI_PATH_LAST },
	};
	unsigned i;

	if (n->b || !expr_is_attr(n->a, "bgp_path"))
		return false;
	for (i = 0; i < ARRAY_LEN(shorts); i++) {
		if (!strcmp(n->name, shorts[i].name)) {
			gen_push(g, n->pos, shorts[i].op, 0, 0, 0);
			return true;
		}
	}
	return false;
}

static bool
expr_is_num(const struct fnode *n)
{
	return n->kind == FN_CONST && n->value.type == T_INT;
}

static uint8_t
expr_cmp_code(enum fop op)
{
	switch (op) {
	case OP_EQ:
		return FI_EQ;
	case OP_NE:
		return FI_NE;
	case OP_LT:
		return '<';
	case OP_GT:
		return '>';
	case OP_LE:
		return 'l';
	case OP_GE:
		return 'g';
	default:
		return 0;
	}
}

/* Comparisons of a number with a constant; matches of what is constant with the route. */
static bool
gen_binary_short(struct gen *g, const struct fnode *n)
{
	uint8_t cmp = expr_cmp_code(n->op);
	bool neg = n->op == OP_NMATCH;

	if (cmp && expr_is_num(n->b) && n->a->type == T_INT) {
		gen_expr(g, n->a);
		if (gen_last_is(g, FI_PATH_LEN)) {
			gen_drop_last(g);
			gen_push(g, n->pos, FI_PATH_LEN_CMP, cmp, 0, n->b->value.i);
		} else {
			gen_emit(g, n->pos, FI_CMP_INT, cmp, 0, n->b->value.i);
		}
		return true;
	}
	if (n->op != OP_MATCH && !neg)
		return false;
	if (expr_is_attr(n->a, "net") && n->b->kind == FN_CONST &&
	    n->b->type == T_SET_PREFIX) {
		g->reads |= FILTER_READ_NET;
		gen_push(g, n->pos, FI_NET_IN, 0, 0, gen_konst(g, &n->b->value));
	} else if (n->a->kind == FN_CONST && n->a->type == T_PAIR &&
		   expr_is_attr(n->b, "bgp_community")) {
		gen_push(g, n->pos, FI_COMM_HAS, COMM_STD, 0, gen_konst(g, &n->a->value));
	} else if (n->a->kind == FN_CONST && n->a->type == T_EC &&
		   expr_is_attr(n->b, "bgp_ext_community")) {
		gen_push(g, n->pos, FI_COMM_HAS, COMM_EXT, 0, gen_konst(g, &n->a->value));
	} else if (n->a->kind == FN_CONST && n->a->type == T_LC &&
		   expr_is_attr(n->b, "bgp_large_community")) {
		gen_push(
		    g, n->pos, FI_COMM_HAS, COMM_LARGE, 0, gen_konst(g, &n->a->value));
	} else {
		return false;
	}
	if (neg)
		gen_emit(g, n->pos, FI_NOT, 0, 0, 0);
	return true;
}

/* A builtin whose @argc operands are on the stack. */
static void
gen_builtin(struct gen *g, const struct fnode *n, unsigned argc)
{
	/* an operand may be undefined although the type is known: check such operands */
	gen_emit(g, n->pos, n->call == CALL_DYNAMIC ? FI_DYNAMIC : FI_BUILTIN,
	    (uint8_t)argc, n->slot, n->index);
	if (builtin_get(n->index)->kind & BI_TABLE)
		g->reads |= FILTER_READ_TABLE;
	if (builtin_get(n->index)->kind & BI_NET)
		g->reads |= FILTER_READ_NET;
	gen_stack(g, -(int)argc + 1);
}

/* May the value be undefined at run time although its type is known? */
static bool
expr_may_be_void(const struct fnode *n)
{
	if (n->kind == FN_NAME && n->op == NAME_VAR)
		return n->sym->maybe_void;
	return check_may_void(n);
}

/* expr_check_operand - emit a type check for operand @i of the builtin that @n calls,
 * @below values deep in the stack. Builtins that accept any type also accept undefined
 * values. */
static void
expr_check_operand(struct gen *g, const struct fnode *n, unsigned i,
    const struct fnode *x, unsigned below)
{
	if (x->type == T_ANY || !expr_may_be_void(x))
		return;
	if (n->call == CALL_DYNAMIC || /* checks at run time */
	    (n->call == CALL_BUILTIN && builtin_get(n->index)->arg[i] == T_ANY))
		return;
	gen_emit(g, x->pos, FI_TYPE, x->type, (uint16_t)below, 0);
}

void
gen_operand(struct gen *g, const struct fnode *n)
{
	gen_expr(g, n);
	if (n->type != T_ANY && expr_may_be_void(n))
		gen_emit(g, n->pos, FI_TYPE, n->type, 0, 0);
}

/* gen_lent - a value that the next operation reads without keeping a part (I3 of
 * filter/run/vm_op_list.c). */
static void
gen_lent(struct gen *g, const struct fnode *n)
{
	gen_expr(g, n);
	if (n->kind == FN_NAME && n->op == NAME_VAR)
		g->insn[g->cnt - 1].n = 1;
}

/* gen_builtin_operand - an operand of the builtin that @n calls. */
static void
gen_builtin_operand(struct gen *g, const struct fnode *n, const struct fnode *x)
{
	enum ftype t = n->call == CALL_BUILTIN ? builtin_get(n->index)->result : T_ANY;

	if (t != T_ANY && t != x->type)
		gen_lent(g, x);
	else
		gen_expr(g, x);
}

static void
gen_binary(struct gen *g, const struct fnode *n)
{
	if (gen_binary_short(g, n))
		return;
	if (n->op == OP_EQ || n->op == OP_NE) {
		gen_lent(g, n->a);
		gen_lent(g, n->b);
		gen_emit(g, n->pos, n->op == OP_EQ ? FI_EQ : FI_NE, 0, 0, 0);
		gen_stack(g, -1);
		return;
	}
	gen_builtin_operand(g, n, n->a);
	gen_builtin_operand(g, n, n->b);
	expr_check_operand(g, n, 0, n->a, 1);
	expr_check_operand(g, n, 1, n->b, 0);
	gen_builtin(g, n, 2);
	if (n->op == OP_NMATCH)
		gen_emit(g, n->pos, FI_NOT, 0, 0, 0);
}

/* a && b || c: from the left; each operator skips its right operand if the left one
 * decides. */
static void
gen_logic(struct gen *g, const struct fnode *n)
{
	const struct fnode *x = n->a;
	enum ftype last = T_BOOL;

	gen_expr(g, x->a);
	for (x = x->next; x; x = x->next) {
		uint32_t at = gen_emit(
		    g, x->pos, x->op == OP_AND ? FI_AND : FI_OR, 0, 0, 0);

		gen_stack(g, -1);
		gen_expr(g, x->a);
		gen_patch(g, at);
		last = x->a->type;
	}
	if (last != T_BOOL) /* the user of an undefined value reports the error */
		gen_emit(g, n->pos, FI_BOOL, 0, 0, 0);
}

/* gen_operands - evaluate @first (may be NULL) and the operands of the list. All operands
 * are evaluated before the first check, because functions among the operands may print.
 * Returns: number of operands. */
static unsigned
gen_operands(struct gen *g, const struct fnode *n, const struct fnode *first,
    const struct fnode *list)
{
	const struct fnode *x;
	unsigned cnt = first != NULL, i = 0;

	if (first)
		gen_builtin_operand(g, n, first);
	for (x = list; x; x = x->next, cnt++)
		gen_builtin_operand(g, n, x);
	if (first)
		expr_check_operand(g, n, i++, first, cnt - 1);
	for (x = list; x; x = x->next, i++)
		expr_check_operand(g, n, i, x, cnt - 1 - i);
	return cnt;
}

bool
gen_grow(struct gen *g, const struct fnode *n)
{
	const struct fnode *e = n->a, *arg;
	const struct builtin *b;

	if (n->op != NAME_VAR || (e->kind != FN_METHOD && e->kind != FN_CALL) ||
	    e->call != CALL_BUILTIN)
		return false;
	b = builtin_get(e->index);
	arg = e->kind == FN_METHOD ? e->b : e->a->next;
	if (!builtin_grows(b) || b->arg[0] != n->type || e->a->kind != FN_NAME ||
	    e->a->op != NAME_VAR || e->a->slot != n->slot)
		return false;
	gen_expr(g, arg);
	expr_check_operand(g, e, 1, arg, 0);
	gen_emit(g, e->pos, FI_GROW, 0, n->slot, e->index);
	gen_stack(g, -1);
	return true;
}

static void
gen_call(struct gen *g, const struct fnode *n)
{
	const struct ffunc *f;
	unsigned cnt = 0;
	struct fnode *x;

	switch (n->call) {
	case CALL_FUNC:
		f = n->sym->func;
		for (x = n->a; x; x = x->next, cnt++) {
			gen_expr(g, x);
			if (x->type != f->arg[cnt < f->arg_cnt ? cnt : 0])
				gen_emit(g, x->pos, FI_TYPE,
				    f->arg[cnt < f->arg_cnt ? cnt : 0], 0, 0);
		}
		gen_emit(g, n->pos, FI_CALL, (uint8_t)cnt, 0, gen_callee(g, f));
		gen_stack(g, 1 - (int)cnt);
		break;
	case CALL_DEFINED:
		gen_expr(g, n->a);
		gen_emit(g, n->pos, FI_DEFINED, 0, 0, 0);
		break;
	default:
		gen_builtin(g, n, gen_operands(g, n, NULL, n->a));
	}
}

static void
gen_method(struct gen *g, const struct fnode *n)
{
	if (gen_path_short(g, n))
		return;
	if (n->call == CALL_ROUTE) {
		/* Values of type route are undefined (doc/language.md): the check ends
		 * the run, and the unread operand stands for the attribute. */
		gen_expr(g, n->a);
		gen_emit(g, n->pos, FI_TYPE, T_ROUTE, 0, 0);
		return;
	}
	gen_builtin(g, n, gen_operands(g, n, n->a, n->b));
}

static void
gen_tuple(struct gen *g, const struct fnode *n)
{
	unsigned cnt = gen_operands(g, n, NULL, n->a);

	if (n->call != CALL_EC) {
		gen_builtin(g, n, cnt);
		return;
	}
	gen_emit(g, n->pos, FI_EC, n->index == EC_GENERIC, (uint16_t)n->index, 0);
	gen_stack(g, -1);
}

static void
gen_mask(struct gen *g, const struct fnode *n)
{
	const struct fpath_mask *m = n->value.mask;
	const struct fnode *x;
	unsigned i = 0;

	for (x = n->a; x; x = x->next, i++) {
		if (m->item[i].parts)
			gen_expr(g, x->a);
		if (m->item[i].parts == 2)
			gen_expr(g, x->b);
	}
	gen_emit(g, n->pos, FI_MASK, (uint8_t)n->index, 0, gen_konst(g, &n->value));
	gen_stack(g, 1 - (int)n->index);
}

void
gen_expr(struct gen *g, const struct fnode *n)
{
	switch (n->kind) {
	case FN_CONST:
		gen_const(g, n);
		break;
	case FN_NAME:
		gen_name(g, n);
		break;
	case FN_NOT:
		gen_expr(g, n->a);
		gen_emit(g, n->pos, FI_NOT, 0, 0, 0);
		break;
	case FN_BINARY:
		gen_binary(g, n);
		break;
	case FN_LOGIC:
		gen_logic(g, n);
		break;
	case FN_CALL:
		gen_call(g, n);
		break;
	case FN_METHOD:
		gen_method(g, n);
		break;
	case FN_TUPLE:
		gen_tuple(g, n);
		break;
	default:
		gen_mask(g, n);
	}
}
