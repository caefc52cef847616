/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks statements: scopes, variables, and the types of assigned values. Loop: the
 * parser's thread. Tested by test/unit/test_conf_golden.c. */
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/diag.h"
#include "filter/lang/fctx.h"
#include "filter/lang/ext.h"
#include "filter/lang/ext_words.h"
#include "filter/lang/sym.h"
#include "filter/run/builtin/builtin.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/known.h"
#include "filter/value/type.h"

#define CANT_TAKE "'%s' is of type %s and can't take %s"

/* check_slot - reserve a variable's slot. Returns: the slot. */
static uint16_t
check_slot(struct fctx *fc, struct src_pos pos)
{
	if (fc->slots >= SLOTS_MAX) {
		diag_error(fc->diag, pos, "more than %d variables", SLOTS_MAX);
		return 0;
	}
	if (++fc->slots > fc->slots_max)
		fc->slots_max = fc->slots;
	return (uint16_t)(fc->slots - 1);
}

static void
stmt_define_var(struct fctx *fc, struct fnode *n, enum ftype t)
{
	struct sym *s = sym_define(fc->syms, n->name, SYM_VARIABLE, n->pos);

	n->slot = check_slot(fc, n->pos);
	if (!s) {
		diag_error(
		    fc->diag, n->pos, "'%s' is declared twice in one block", n->name);
		return;
	}
	s->type = (uint8_t)t;
	s->slot = n->slot;
	n->sym = s;
}

static void
check_decl(struct fctx *fc, struct fnode *n)
{
	if (n->a) {
		enum ftype t = check_expr(fc, n->a);

		if (n->type == T_ANY) /* of bt_check_assign */
			n->type = (uint8_t)t;
		else
			check_wanted(fc, n->pos, n->type, t, CANT_TAKE, n->name,
			    ftype_name(n->type), ftype_name(t));
	}
	stmt_define_var(fc, n, n->type);
	if (n->sym)
		n->sym->maybe_void = !n->a;
}

/* Where an assignment goes: op, slot and index as in FN_NAME. Returns: its type. */
static enum ftype
check_target(struct fctx *fc, struct fnode *n, bool unset)
{
	struct sym *s = sym_find(fc->syms, n->name);
	const struct route_attr *a;
	int i;

	if (s && s->class == SYM_VARIABLE) {
		n->op = NAME_VAR;
		n->slot = s->slot;
		n->sym = s;
		return s->type;
	}
	if (s && s->class == SYM_ATTRIBUTE) {
		n->op = NAME_CUSTOM;
		n->index = s->slot | (s->wire ? ROUTE_WIRE : 0);
		if (!unset && ftype_is_set(s->type))
			diag_error(fc->diag, n->pos,
			    "attribute '%s' can't be changed: routes keep no values of "
			    "type '%s'",
			    n->name, ftype_name(s->type));
		return s->type;
	}
	if (s) {
		diag_error(fc->diag, n->pos, "'%s' is a %s and can't be changed", n->name,
		    sym_class_name(s->class));
		return T_ANY;
	}
	i = route_attr_find(n->name);
	if (i < 0) {
		check_unknown_name(fc, n);
		return T_ANY;
	}
	a = route_attr_get((uint32_t)i);
	ext_attribute(fc->diag, n->pos, n->name);
	if (!unset)
		ext_assignment(fc->diag, n->pos, n->name);
	n->op = NAME_ATTR;
	n->index = (uint32_t)i;
	if (!a->set && !unset)
		diag_error(fc->diag, n->pos, "attribute '%s' can't be changed", n->name);
	return a->type;
}

static void
check_stmt_assign(struct fctx *fc, struct fnode *n)
{
	enum ftype t = check_expr(fc, n->a);

	n->type = (uint8_t)check_target(fc, n, false);
	check_wanted(fc, n->pos, n->type, t, CANT_TAKE, n->name, ftype_name(n->type),
	    ftype_name(t));
}

static void
check_cond(struct fctx *fc, struct fnode *n)
{
	enum ftype t = check_expr(fc, n);

	if (!check_fits(T_BOOL, t))
		diag_error(fc->diag, n->pos,
		    "a condition must be true or false, not of type %s", ftype_name(t));
}

static void check_one(struct fctx *fc, struct fnode *n);

/* if .. else if .. else if: a chain, however long */
static void
check_if(struct fctx *fc, struct fnode *n)
{
	for (;;) {
		check_cond(fc, n->a);
		check_one(fc, n->b);
		if (!n->c)
			return;
		n = n->c;
		if (n->kind != FS_IF) {
			check_one(fc, n);
			return;
		}
	}
}

static bool
stmt_label_fits(enum ftype t, enum ftype elem)
{
	return t == T_ANY || elem == T_VOID || t == elem ||
	       (t == T_IP && elem == T_PREFIX) || (t == T_QUAD && elem == T_IP);
}

static void
check_case(struct fctx *fc, struct fnode *n)
{
	enum ftype t = check_expr(fc, n->a);
	bool has_else = false;
	struct fnode *arm;

	for (arm = n->b; arm; arm = arm->next) {
		struct set_lit *lit = arm->lit;
		const struct fset *s;

		arm->value = (struct fvalue){ .type = T_VOID };
		if (lit) {
			s = check_set(fc, arm->pos, lit);
			if (s && !stmt_label_fits(t, s->elem))
				diag_warning(fc->diag, arm->pos,
				    "labels are of type %s, the value of %s: no such "
				    "label is equal to the value",
				    ftype_name(s->elem), ftype_name(t));
			if (s) {
				arm->value.type = s->type;
				arm->value.set = s;
			}
		} else if (has_else) {
			diag_error(fc->diag, arm->pos, "a second else in one case");
		} else {
			has_else = true;
		}
		check_block(fc, arm->a);
	}
}

static enum ftype
stmt_elem_type(enum ftype list)
{
	switch (list) {
	case T_PATH:
		return T_INT;
	case T_CLIST:
		return T_PAIR;
	case T_ECLIST:
		return T_EC;
	case T_LCLIST:
		return T_LC;
	default:
		return T_ANY;
	}
}

static void
check_for(struct fctx *fc, struct fnode *n)
{
	enum ftype list = check_expr(fc, n->a), elem = stmt_elem_type(list);
	uint16_t before = fc->slots;

	if (list != T_ANY && elem == T_ANY)
		diag_error(
		    fc->diag, n->a->pos, "for doesn't work on type %s", ftype_name(list));
	check_wanted(fc, n->pos, n->type, elem, CANT_TAKE, n->name, ftype_name(n->type),
	    ftype_name(elem));
	sym_push(fc->syms);
	n->index = check_slot(fc, n->pos); /* the iteration: two slots */
	check_slot(fc, n->pos);
	stmt_define_var(fc, n, n->type == T_ANY ? elem : (enum ftype)n->type);
	check_one(fc, n->b);
	sym_pop(fc->syms);
	fc->slots = before;
}

static void
check_return(struct fctx *fc, struct fnode *n)
{
	enum ftype t = n->a ? check_expr(fc, n->a) : T_VOID;

	if (!fc->in_function) {
		diag_error(fc->diag, n->pos, "return outside of a function");
		return;
	}
	n->type = fc->result_declared ? fc->result : (uint8_t)T_ANY;
	if (fc->result_declared) {
		check_wanted(fc, n->pos, fc->result, t, "the function returns %s, not %s",
		    ftype_name(fc->result), ftype_name(t));
		return;
	}
	if (fc->result == T_VOID) /* nothing was returned before */
		fc->result = (uint8_t)t;
	else if (fc->result != t)
		fc->result = T_ANY;
}

static void
check_unset(struct fctx *fc, struct fnode *n)
{
	n->type = (uint8_t)check_target(fc, n, true);
	if (n->op == NAME_VAR)
		diag_error(fc->diag, n->pos, "only attributes can be unset");
	else if (n->op == NAME_ATTR && !route_attr_get(n->index)->code &&
		 !route_attr_get(n->index)->can_unset)
		diag_error(fc->diag, n->pos, "attribute '%s' can't be unset", n->name);
	else if (!strcmp(n->name, "preference"))
		ext_add(fc->diag->ext, n->pos, KNOWN_BIRD_3, "unset(preference)");
}

static void
check_one(struct fctx *fc, struct fnode *n)
{
	struct fnode *x;

	switch (n->kind) {
	case FS_DECL:
		check_decl(fc, n);
		break;
	case FS_ASSIGN:
		check_stmt_assign(fc, n);
		break;
	case FS_IF:
		check_if(fc, n);
		break;
	case FS_CASE:
		check_case(fc, n);
		break;
	case FS_FOR:
		check_for(fc, n);
		break;
	case FS_RETURN:
		check_return(fc, n);
		break;
	case FS_ACCEPT:
	case FS_REJECT:
	case FS_ERROR:
	case FS_PRINT:
		for (x = n->a; x; x = x->next)
			check_expr(fc, x);
		break;
	case FS_BLOCK:
		check_block(fc, n->a);
		break;
	case FS_EXPR:
		check_expr(fc, n->a);
		break;
	case FS_UNSET:
		check_unset(fc, n);
		break;
	case FS_ASSERT:
		check_cond(fc, n->a);
		break;
	case FN_CONST: /* the rest of a tree that was too deep */
		break;
	default:
		ASSERT(!"a statement");
	}
}

void
check_stmts(struct fctx *fc, struct fnode *list)
{
	for (; list; list = list->next)
		check_one(fc, list);
}

void
check_block(struct fctx *fc, struct fnode *list)
{
	uint16_t before = fc->slots;

	sym_push(fc->syms);
	check_stmts(fc, list);
	sym_pop(fc->syms);
	fc->slots = before;
}
