/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions: the meaning of names, and the types of operators and operands. The
 * parser's thread calls. Tests: test_conf_golden.c.
 *
 * Types are known at compile time, except results of functions whose returns differ;
 * operations on such results are chosen at run time (CALL_DYNAMIC). */
#include "filter/lang/check.h"
#include "filter/value/fvalue.h"
#include "filter/lang/diag.h"
#include "filter/lang/ext_words.h"
#include "filter/lang/sym.h"
#include "filter/rpki.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/value/enum_const.h"
#include "filter/run/value.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/base/plural.h"
#include "lib/base/spell.h"
#include "lib/net/ip.h"
#include <stdio.h>

/* A variable or attribute where only constants may stand. */
static enum ftype
check_not_const(struct fctx *fc, struct fnode *n)
{
	diag_error(fc->diag, n->pos, "'%s' isn't constant, and a constant is wanted here",
	    n->name);
	n->op = NAME_NONE;
	return T_ANY;
}

static enum ftype
check_symbol(struct fctx *fc, struct fnode *n, struct sym *s)
{
	n->sym = s;
	if (fc->const_only && (s->class == SYM_VARIABLE || s->class == SYM_ATTRIBUTE))
		return check_not_const(fc, n);
	switch (s->class) {
	case SYM_CONSTANT:
		if (s->secret && fc->diag->command)
			break;
		n->kind = FN_CONST;
		n->value = s->value;
		fc->bad_const |= s->value.type == T_VOID;
		return s->value.type == T_VOID ? T_ANY : (enum ftype)s->value.type;
	case SYM_VARIABLE:
		n->op = NAME_VAR;
		n->slot = s->slot;
		return s->type;
	case SYM_ATTRIBUTE:
		n->op = NAME_CUSTOM;
		n->index = s->slot | (s->wire ? ROUTE_WIRE : 0);
		return s->type;
	case SYM_FUNCTION:
		diag_error(fc->diag, n->pos, "'%s' is a function; a call is %s(...)",
		    n->name, n->name);
		return T_ANY;
	}
	diag_error(fc->diag, n->pos, "'%s' is a %s and has no value", n->name,
	    s->secret ? "secret" : sym_class_name(s->class));
	return T_ANY;
}

void
check_unknown_name(struct fctx *fc, const struct fnode *n)
{
	/* prefixes of the attributes of protocols that tern does not have */
	static const char *const later[] = { "krt_", "rip_", "ospf_", "babel_", "radv_",
		"kbr_", "ra_" };
	struct spell sp;

	for (unsigned i = 0; i < ARRAY_LEN(later); i++) {
		if (!strncmp(n->name, later[i], strlen(later[i]))) {
			fc->left_out_met = fc->left_out;
			if (fc->left_out)
				return;
			diag_error(fc->diag, n->pos,
			    "attribute '%s' is not supported yet", n->name);
			return;
		}
	}
	spell_init(&sp, n->name);
	sym_spell_add(fc->syms,
	    SYM_BIT(SYM_CONSTANT) | SYM_BIT(SYM_ATTRIBUTE) | SYM_BIT(SYM_VARIABLE), &sp);
	route_attr_spell(&sp);
	enum_const_spell(&sp);
	diag_unknown(
	    fc->diag, n->pos, fc->diag->command ? "symbol" : "name", n->name, sp.best);
}

static enum ftype
check_name(struct fctx *fc, struct fnode *n)
{
	struct sym *s = sym_find(fc->syms, n->name);
	const struct enum_const *e;
	int i;

	if (s)
		return check_symbol(fc, n, s);
	e = enum_const_find(n->name);
	if (e) {
		ext_constant(fc->diag, n->pos, n->name);
		n->kind = FN_CONST;
		n->value = fvalue_u32(e->type, e->value);
		return e->type;
	}
	i = route_attr_find(n->name);
	if (i < 0) {
		check_unknown_name(fc, n);
		return T_ANY;
	}
	if (fc->const_only)
		return check_not_const(fc, n);
	ext_attribute(fc->diag, n->pos, n->name);
	n->op = NAME_ATTR;
	n->index = (uint32_t)i;
	return route_attr_get((uint32_t)i)->type;
}

static void
check_want_bool(struct fctx *fc, struct fnode *n, const char *what)
{
	enum ftype t = check_expr(fc, n);

	if (!check_fits(T_BOOL, t))
		diag_error(fc->diag, n->pos, "%s must be true or false, not of type %s",
		    what, ftype_name(t));
}

/* "int and prefix" */
static void
check_bad_operands(struct fctx *fc, struct src_pos pos, const char *what, unsigned argc,
    const uint8_t *type)
{
	if (argc == 1)
		diag_error(fc->diag, pos, "%s doesn't work on type %s", what,
		    ftype_name(type[0]));
	else
		diag_error(fc->diag, pos, "%s doesn't work on types %s and %s", what,
		    ftype_name(type[0]), ftype_name(type[1]));
}

/* What a builtin is looked for by. */
struct call {
	unsigned kind; /* enum builtin_kind */
	const char *name;
	const char *what; /* for messages */
	unsigned cnt;
	struct fnode *const *arg; /* operands, already checked */
};

/* check_is_set_call - is @c a call of delete or filter on a list with a set of another
 * type? */
static bool
check_is_set_call(const struct call *c)
{
	uint8_t list = c->arg[0]->type;

	return c->cnt == 2 &&
	       (!strcmp(c->name, "delete") || !strcmp(c->name, "filter")) &&
	       (list == T_PATH || list == T_CLIST || list == T_ECLIST ||
		   list == T_LCLIST) &&
	       check_run_sets(T_SET_INT, c->arg[1]->type);
}

/* check_may_fail - is @c a match, or a selection by a set, whose operands don't fit?
 * BIRD takes any types there, and the run ends with an error. Both operands constant: an
 * error in both. */
static bool
check_may_fail(struct fctx *fc, const struct call *c)
{
	const struct fnode *a = c->arg[0], *b = c->cnt == 2 ? c->arg[1] : NULL;
	const uint8_t turned[] = { b ? b->type : T_VOID, a->type };
	bool match = c->kind == BI_OP && !strcmp(c->name, "~");

	if ((!match && !check_is_set_call(c)) ||
	    (a->kind == FN_CONST && b->kind == FN_CONST))
		return false;
	diag_warning(fc->diag, a->pos,
	    "%s doesn't work on types %s and %s" CHECK_FAILS "%s",
	    match ? "operator ~" : c->what, ftype_name(a->type), ftype_name(b->type),
	    match && builtin_find(BI_OP, "~", 2, turned) >= 0
		? "; did you mean the operands in the other order?"
		: "");
	return true;
}

/* Choose the builtin for @n. */
static enum ftype
check_choose(struct fctx *fc, struct fnode *n, const struct call *c)
{
	uint8_t type[BUILTIN_ARGS_MAX] = { T_VOID };
	bool known = true;
	unsigned i;
	int at;

	for (i = 0; i < c->cnt; i++) {
		type[i] = c->arg[i]->type;
		known &= type[i] != T_ANY;
	}
	at = known ? builtin_find(c->kind, c->name, c->cnt, type)
		   : builtin_any(c->kind, c->name, c->cnt, type);
	if (at < 0 && !check_may_fail(fc, c)) {
		check_bad_operands(fc, n->pos, c->what, c->cnt, type);
		return T_ANY;
	}
	if (at < 0) {
		known = false;
		at = builtin_any(c->kind, c->name, c->cnt, NULL);
	}
	ext_builtin(fc->diag, n->pos, c->kind, known, builtin_get((uint32_t)at));
	n->index = (uint32_t)at;
	n->call = known ? CALL_BUILTIN : CALL_DYNAMIC;
	n->slot = (uint16_t)c->kind;
	if (!known)
		return builtin_result(c->kind, c->name, c->cnt, type);
	n->type = builtin_get(n->index)->result;
	fold_builtin(fc, n, n->index, c->arg);
	return n->type;
}

static bool
check_comparable(enum ftype a, enum ftype b)
{
	return a == T_ANY || b == T_ANY || a == b || (a == T_QUAD && b == T_IP) ||
	       (a == T_IP && b == T_QUAD) || (ftype_is_set(a) && ftype_is_set(b));
}

static bool
check_orderable(enum ftype t)
{
	return !ftype_is_set(t) && t != T_PATH_MASK && t != T_CLIST && t != T_ECLIST &&
	       t != T_LCLIST;
}

static enum ftype
check_equal(struct fctx *fc, struct fnode *n)
{
	if (!check_comparable(n->a->type, n->b->type))
		diag_warning(fc->diag, n->pos,
		    "%s with %s: values of different types are never equal",
		    ftype_name(n->a->type), ftype_name(n->b->type));
	if (n->a->kind == FN_CONST && n->b->kind == FN_CONST) {
		bool same = fvalue_same(&n->a->value, &n->b->value);

		n->value = fvalue_u32(T_BOOL, same == (n->op == OP_EQ));
		n->kind = FN_CONST;
	}
	return T_BOOL;
}

static enum ftype
check_binary(struct fctx *fc, struct fnode *n)
{
	struct fnode *arg[2] = { n->a, n->b };
	enum fop op = n->op;
	char what[16];

	n->a->type = (uint8_t)check_expr(fc, n->a);
	n->b->type = (uint8_t)check_expr(fc, n->b);
	if (op == OP_EQ || op == OP_NE)
		return check_equal(fc, n);
	snprintf(what, sizeof(what), "operator %s", fop_sign(op));
	if (op >= OP_LT && op <= OP_GE &&
	    !(check_comparable(n->a->type, n->b->type) && check_orderable(n->a->type))) {
		uint8_t type[2] = { n->a->type, n->b->type };

		check_bad_operands(fc, n->pos, what, 2, type);
		return T_ANY;
	}
	if (op == OP_NMATCH) { /* the code generator reads the op */
		n->type = (uint8_t)check_choose(
		    fc, n, &(struct call){ BI_OP, "~", what, 2, arg });
		if (n->kind == FN_CONST)
			n->value.i = !n->value.i;
		return n->type;
	}
	return check_choose(fc, n, &(struct call){ BI_OP, fop_sign(op), what, 2, arg });
}

static enum ftype
check_logic(struct fctx *fc, struct fnode *n)
{
	struct fnode *x;

	for (x = n->a; x; x = x->next)
		check_want_bool(
		    fc, x->a, x->op == OP_NONE ? fop_sign(x->next->op) : fop_sign(x->op));
	return T_BOOL;
}

/* ---- calls ---- */

static unsigned
check_list_len(const struct fnode *x)
{
	unsigned n = 0;

	for (; x; x = x->next)
		n++;
	return n;
}

static enum ftype
check_call_user(struct fctx *fc, struct fnode *n, struct sym *s)
{
	const struct ffunc *f = s->func;
	unsigned cnt = check_list_len(n->a), i = 0;
	struct fnode *x;
	enum ftype t;

	if (fc->const_only && !f->complete) {
		diag_error(
		    fc->diag, n->pos, "'%s' can't be called before its end", n->name);
		return T_ANY;
	}
	n->sym = s;
	n->call = CALL_FUNC;
	for (x = n->a; x; x = x->next, i++) {
		t = check_expr(fc, x);
		if (i < f->arg_cnt)
			check_wanted(fc, x->pos, f->arg[i], t,
			    "argument %u of %s() must be of type %s, not %s", i + 1,
			    n->name, ftype_name(f->arg[i]), ftype_name(t));
	}
	if (cnt != f->arg_cnt)
		diag_error(fc->diag, n->pos, "%s() takes %u argument%s, not %u", n->name,
		    f->arg_cnt, plural(f->arg_cnt, "", "s"), cnt);
	t = f->complete ? f->result : s->type;
	/* a return without a value is found at run time */
	return t == T_VOID ? T_ANY : t;
}

/* check_is_ext - true if @x is the route's attribute @attr, unchanged. */
static bool
check_is_ext(const struct fctx *fc, const struct fnode *x, const char *attr)
{
	return x->kind == FN_NAME && !strcmp(x->name, attr) && !sym_find(fc->syms, attr);
}

/* check_table_arg - resolve the table argument of roa_check() and similar functions. A
 * table's name has no value elsewhere. */
static bool
check_table_arg(struct fctx *fc, struct fnode *n, bool aspa)
{
	struct fnode *x = n->a, *about = x ? x->next : NULL;
	struct sym *s = x && x->kind == FN_NAME ? sym_find(fc->syms, x->name) : NULL;
	const struct filter_table *t;

	if (fc->const_only) {
		diag_error(fc->diag, n->pos,
		    "%s() isn't constant, and a constant is wanted here", n->name);
		return false;
	}
	if (!s && x && x->kind == FN_NAME) {
		diag_unknown(fc->diag, x->pos, "table", x->name,
		    sym_near(fc->syms, SYM_BIT(SYM_TABLE), x->name));
		return false;
	}
	if (!s || s->class != SYM_TABLE) {
		diag_error(fc->diag, x ? x->pos : n->pos,
		    "the first argument of %s() must be the name of a table", n->name);
		return false;
	}
	t = (const struct filter_table *)(const void *)s->table; /* its first member */
	if (aspa ? !t->is_aspa : !t->is_roa)
		diag_warning(fc->diag, x->pos,
		    "%s() wants a table of type %s, and '%s' has another type: each call "
		    "is an error that rejects the route",
		    n->name, aspa ? "aspa" : "roa4 or roa6", x->name);
	x->kind = FN_CONST;
	x->value = (struct fvalue){ .type = T_TABLE };
	x->value.table = t;
	x->value.plen = about && !check_is_ext(fc, about, aspa ? "bgp_path" : "net");
	return true;
}

/* check_asks_table - true if @name is a function whose first argument is a table; @aspa:
 * of type aspa. */
static bool
check_asks_table(const char *name, bool *aspa)
{
	*aspa = !strncmp(name, "aspa_check", 10);
	return builtin_named(BI_TABLE, name);
}

static enum ftype
check_call(struct fctx *fc, struct fnode *n)
{
	struct sym *s = sym_find(fc->syms, n->name);
	struct fnode *arg[BUILTIN_ARGS_MAX], *x;
	unsigned cnt = check_list_len(n->a), i = 0;
	char what[64];
	bool aspa;

	if (s && s->class == SYM_FUNCTION)
		return check_call_user(fc, n, s);
	if (!strcmp(n->name, "defined") && cnt == 1) {
		check_expr(fc, n->a);
		n->call = CALL_DEFINED;
		return T_BOOL;
	}
	if (check_asks_table(n->name, &aspa) && !check_table_arg(fc, n, aspa))
		return T_ANY;
	if (!builtin_named(BI_FUNC, n->name)) {
		diag_unknown(fc->diag, n->pos, "function", n->name,
		    sym_near(fc->syms, SYM_BIT(SYM_FUNCTION), n->name));
		return T_ANY;
	}
	for (x = n->a; x; x = x->next) {
		x->type = (uint8_t)check_expr(fc, x);
		if (i < BUILTIN_ARGS_MAX)
			arg[i++] = x;
	}
	if (cnt == 0 || cnt > BUILTIN_ARGS_MAX ||
	    builtin_any(BI_FUNC, n->name, cnt, NULL) < 0) {
		diag_error(fc->diag, n->pos, "%s() doesn't take %u argument%s", n->name,
		    cnt, plural(cnt, "", "s"));
		return T_ANY;
	}
	snprintf(what, sizeof(what), "%.40s()", n->name);
	return check_choose(fc, n, &(struct call){ BI_FUNC, n->name, what, cnt, arg });
}

/* check_route_attr - `r.bgp_path` of a value of type route. */
static enum ftype
check_route_attr(struct fctx *fc, struct fnode *n)
{
	int i = n->flag ? -1 : route_attr_find(n->name);

	n->call = CALL_ROUTE;
	if (i < 0) {
		diag_error(fc->diag, n->pos,
		    "'%s' is no attribute of a value of type route", n->name);
		return T_ANY;
	}
	ext_attribute(fc->diag, n->pos, n->name);
	return route_attr_get((uint32_t)i)->type;
}

static enum ftype
check_method(struct fctx *fc, struct fnode *n)
{
	struct fnode *arg[BUILTIN_ARGS_MAX] = { n->a }, *x;
	unsigned cnt = 1;
	struct spell sp;
	char what[64];

	n->a->type = (uint8_t)check_expr(fc, n->a);
	if (n->a->type == T_ROUTE)
		return check_route_attr(fc, n);
	for (x = n->b; x; x = x->next, cnt++) {
		x->type = (uint8_t)check_expr(fc, x);
		if (cnt < BUILTIN_ARGS_MAX)
			arg[cnt] = x;
	}
	if (!builtin_named(BI_METHOD, n->name)) {
		spell_init(&sp, n->name);
		builtin_spell(BI_METHOD, &sp);
		diag_unknown(fc->diag, n->pos, "method", n->name, sp.best);
		return T_ANY;
	}
	if (cnt > BUILTIN_ARGS_MAX || builtin_any(BI_METHOD, n->name, cnt, NULL) < 0) {
		diag_error(fc->diag, n->pos, "method .%s doesn't take %u argument%s",
		    n->name, cnt - 1, plural(cnt - 1, "", "s"));
		return T_ANY;
	}
	snprintf(what, sizeof(what), "method .%.40s", n->name);
	return check_choose(fc, n, &(struct call){ BI_METHOD, n->name, what, cnt, arg });
}

/* ---- tuples ---- */

static enum ftype
check_ec(
    struct fctx *fc, struct fnode *n, uint32_t kind, struct fnode *a, struct fnode *b)
{
	uint32_t w[2];

	n->call = CALL_EC;
	n->index = kind;
	n->a = a;
	a->next = b;
	b->next = NULL;
	a->type = (uint8_t)check_expr(fc, a);
	b->type = (uint8_t)check_expr(fc, b);
	if (a->type != T_IP && a->type != T_QUAD && !check_fits(T_INT, a->type))
		diag_error(fc->diag, a->pos,
		    "an AS number or address is wanted here, not type %s",
		    ftype_name(a->type));
	if (!check_fits(T_INT, b->type))
		diag_error(fc->diag, b->pos, "a number is wanted here, not type %s",
		    ftype_name(b->type));
	if (a->kind == FN_CONST && a->type == T_IP && !ip_is_v4(a->value.ip))
		diag_error(
		    fc->diag, a->pos, "an extended community can't hold an IPv6 address");
	if (a->kind == FN_CONST && b->kind == FN_CONST && b->type == T_INT) {
		bool ip = a->type == T_IP;

		if (!ec_words(kind, ip ? ip_to_v4(a->value.ip) : a->value.i, ip,
			b->value.i, w)) {
			diag_error(fc->diag, n->pos,
			    "a part of the extended community is too large");
			return T_ANY;
		}
		n->kind = FN_CONST;
		n->value = (struct fvalue){ .type = T_EC, .w = { w[0], w[1] } };
	}
	return T_EC;
}

static enum ftype
check_tuple(struct fctx *fc, struct fnode *n)
{
	struct fnode *a = n->a, *b = a->next, *c = b->next;
	struct fnode *arg[3] = { a, b, c }, *x;
	uint32_t kind;

	if (c && n->op == OP_UNKNOWN) {
		enum ftype t = check_expr(fc, a);

		if (t != T_INT || a->kind != FN_CONST || a->value.i > 0xffff) {
			diag_error(fc->diag, a->pos,
			    "a kind of extended community is a constant "
			    "number up to 0xffff");
			return T_ANY;
		}
		return check_ec(fc, n, a->value.i, b, c);
	}
	if (c && a->kind == FN_NAME && ec_kind(a->name, &kind))
		return check_ec(fc, n, kind, b, c);
	for (x = a; x; x = x->next) {
		x->type = (uint8_t)check_expr(fc, x);
		if (!check_fits(T_INT, x->type)) {
			diag_error(fc->diag, x->pos,
			    "parts of a %s must be numbers, not of type %s",
			    c ? "large community" : "pair", ftype_name(x->type));
			return T_ANY;
		}
	}
	return check_choose(fc, n,
	    &(struct call){
		BI_OP, c ? "(,,)" : "(,)", c ? "(x, y, z)" : "(x, y)", c ? 3 : 2, arg });
}

enum ftype
check_expr(struct fctx *fc, struct fnode *n)
{
	enum ftype t = T_ANY;
	const struct fset *s;

	switch (n->kind) {
	case FN_CONST:
		t = n->value.type;
		break;
	case FN_NAME:
		t = check_name(fc, n);
		break;
	case FN_NOT:
		check_want_bool(fc, n->a, "operator !");
		if (n->a->kind == FN_CONST && n->a->value.type == T_BOOL) {
			n->value = fvalue_u32(T_BOOL, !n->a->value.i);
			n->kind = FN_CONST;
		}
		t = T_BOOL;
		break;
	case FN_BINARY:
		t = check_binary(fc, n);
		break;
	case FN_LOGIC:
		t = check_logic(fc, n);
		break;
	case FN_CALL:
		t = check_call(fc, n);
		break;
	case FN_METHOD:
		t = check_method(fc, n);
		break;
	case FN_TUPLE:
		t = check_tuple(fc, n);
		break;
	case FN_SET:
		s = check_set(fc, n->pos, n->lit);
		n->kind = FN_CONST;
		n->value = (struct fvalue){ .type = s ? s->type : (uint8_t)T_SET_EMPTY };
		n->value.set = s ? s : fset_empty();
		t = n->value.type;
		break;
	case FN_MASK:
		t = check_mask(fc, n);
		break;
	default:
		ASSERT(!"an expression");
	}
	n->type = (uint8_t)t;
	return t;
}
