/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One function for each instruction. Operands are on the stack below r->sp. The thread of
 * the run calls. Tested by test/prop/prop_filter.c and test/unit/test_vm.c. */
#include "filter/run/vm_op.h"
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/net.h"
#include "filter/run/value.h"
#include "filter/set/set.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"

static const struct finsn *
vm_op_jump(struct frun *r, const struct finsn *pc)
{
	return r->code->insn + pc->arg;
}

/* The top as a condition: 0, 1, or -1 after an error. */
static int
vm_op_condition(struct frun *r)
{
	const struct fvalue *v = r->sp - 1;

	if (likely(v->type == T_BOOL))
		return (int)v->i;
	vm_fail(r, v->type == T_VOID ? "an undefined value is used as a condition"
				     : "a condition must be true or false");
	return -1;
}

/* ---- constants and variables ---- */

static const struct finsn *
op_const(struct frun *r, const struct finsn *pc)
{
	fvalue_copy(r->sp++, &r->code->konst[pc->arg]);
	return pc + 1;
}

static const struct finsn *
op_int(struct frun *r, const struct finsn *pc)
{
	fvalue_set_u32(r->sp++, pc->n, pc->arg);
	return pc + 1;
}

static const struct finsn *
op_load(struct frun *r, const struct finsn *pc)
{
	struct fvalue *from = &r->base[pc->arg], *to = r->sp++;

	fvalue_copy(to, from);
	if (unlikely(from->fam == FVALUE_GROWS)) {
		to->fam = 0;
		if (from->type == T_PATH && !pc->n) /* I3 of vm_op_list.c */
			from->fam = 0;
	}
	return pc + 1;
}

static const struct finsn *
op_store(struct frun *r, const struct finsn *pc)
{
	fvalue_copy(&r->base[pc->arg], --r->sp);
	return pc + 1;
}

static bool
op_is_list(unsigned t)
{
	return t == T_PATH || t == T_CLIST || t == T_ECLIST || t == T_LCLIST;
}

/* Paths and lists begin empty, other variables undefined. */
static const struct finsn *
op_clear(struct frun *r, const struct finsn *pc)
{
	r->base[pc->arg] = op_is_list(pc->n) ? fvalue_empty(pc->n)
					     : (struct fvalue){ .type = T_VOID };
	return pc + 1;
}

static const struct finsn *
op_pop(struct frun *r, const struct finsn *pc)
{
	r->sp--;
	return pc + 1;
}

/* ---- attributes ---- */

static const struct finsn *
op_attr(struct frun *r, const struct finsn *pc)
{
	const struct route_attr *a = route_attr_get(pc->arg);
	struct fvalue *v = r->sp;

	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	*v = (struct fvalue){ .type = T_VOID };
	r->reads |= a->reads;
	if (!a->get(r, a, v))
		return NULL;
	r->sp++;
	return pc + 1;
}

static const struct finsn *
op_set_attr(struct frun *r, const struct finsn *pc)
{
	const struct route_attr *a = route_attr_get(pc->arg);
	const struct fvalue *v = --r->sp;

	if (!r->view)
		return vm_op_fail(r, "the expression runs without a route");
	if (v->type != a->type) /* FI_TYPE has made a router id of an address */
		return vm_op_fail(r, v->type == T_VOID
					 ? "an undefined value is assigned"
					 : "a value of the wrong type is assigned");
	vm_charge(r, v->len);
	return a->set(r, a, v) ? pc + 1 : NULL;
}

static const struct finsn *
op_unset_attr(struct frun *r, const struct finsn *pc)
{
	if (!r->view)
		return vm_op_fail(r, "the expression runs without a route");
	return route_attr_unset(r, route_attr_get(pc->arg)) ? pc + 1 : NULL;
}

static const struct finsn *
op_custom(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = r->sp;

	if (!r->view)
		return vm_op_fail(r, "the expression runs without a route");
	*v = (struct fvalue){ .type = T_VOID };
	if (!route_custom_get(r, pc->arg, pc->n, v))
		return NULL;
	r->sp++;
	return pc + 1;
}

static const struct finsn *
op_set_custom(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = --r->sp;

	if (!r->view)
		return vm_op_fail(r, "the expression runs without a route");
	if (v->type != pc->n)
		return vm_op_fail(r, v->type == T_VOID
					 ? "an undefined value is assigned"
					 : "a value of the wrong type is assigned");
	vm_charge(r, v->len);
	return route_custom_set(r, pc->arg, v) ? pc + 1 : NULL;
}

static const struct finsn *
op_unset_custom(struct frun *r, const struct finsn *pc)
{
	if (!r->view)
		return vm_op_fail(r, "the expression runs without a route");
	return route_custom_unset(r, pc->arg) ? pc + 1 : NULL;
}

/* ---- operators ---- */

/* Only what is kept in octets has a length. */
static void
op_charge_operands(struct frun *r, unsigned argc)
{
	uint32_t len = r->sp[0].len;

	if (argc > 1)
		len += r->sp[1].len;
	if (len >= 16)
		vm_charge(r, len);
}

static const struct finsn *
op_builtin(struct frun *r, const struct finsn *pc)
{
	const struct builtin *b = builtin_get(pc->arg);

	r->sp -= b->argc;
	if (!(b->kind & BI_SHORT))
		op_charge_operands(r, b->argc);
	if (unlikely(!b->fn(r, r->sp)))
		return NULL;
	r->sp++;
	return pc + 1;
}

/* op_dynamic - choose the builtin by the operands' types at run time. Static types are
 * checked as well, because a value may always be undefined. */
static const struct finsn *
op_dynamic(struct frun *r, const struct finsn *pc)
{
	const struct builtin *b = builtin_get(pc->arg);
	uint8_t type[BUILTIN_ARGS_MAX];
	bool undefined = false;
	unsigned i;
	int at;

	r->sp -= pc->n;
	for (i = 0; i < pc->n; i++) {
		type[i] = r->sp[i].type;
		undefined |= type[i] == T_VOID;
	}
	at = builtin_find(pc->k, b->name, pc->n, type);
	if (at < 0)
		return vm_op_fail(
		    r, undefined ? "an undefined value is used"
				 : "the types of the values don't fit the operation");
	op_charge_operands(r, pc->n);
	if (!builtin_get((uint32_t)at)->fn(r, r->sp))
		return NULL;
	r->sp++;
	return pc + 1;
}

static const struct finsn *
op_defined(struct frun *r, const struct finsn *pc)
{
	r->sp[-1] = fvalue_u32(
	    T_BOOL, r->sp[-1].type != T_VOID &&
			!(op_is_list(r->sp[-1].type) && r->sp[-1].absent));
	return pc + 1;
}

static const struct finsn *
op_not(struct frun *r, const struct finsn *pc)
{
	int c = vm_op_condition(r);

	if (c < 0)
		return NULL;
	r->sp[-1].i = !c;
	return pc + 1;
}

static const struct finsn *
vm_op_equal(struct frun *r, const struct finsn *pc, bool want)
{
	struct fvalue *v = r->sp - 2;
	bool same;

	if (v[0].type == T_INT && v[1].type == T_INT) {
		same = v[0].i == v[1].i;
	} else { /* an undefined value equals only another undefined value */
		same = fvalue_same(&v[0], &v[1]);
		if (v[0].len >= 64 && v[1].len >= 64)
			vm_charge(r, (v[0].len < v[1].len ? v[0].len : v[1].len) / 4);
	}
	r->sp = v;
	return vm_op_bool(r, pc, same == want);
}

static const struct finsn *
op_eq(struct frun *r, const struct finsn *pc)
{
	return vm_op_equal(r, pc, true);
}

static const struct finsn *
op_ne(struct frun *r, const struct finsn *pc)
{
	return vm_op_equal(r, pc, false);
}

static const struct finsn *
op_ec(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = r->sp - 2;
	uint32_t kind = pc->n ? EC_GENERIC : pc->k, a = v[0].i;
	bool ip = v[0].type == T_IP || v[0].type == T_QUAD;

	if (v[0].type == T_IP)
		a = ip_to_v4(v[0].ip);
	if ((!ip && v[0].type != T_INT) || v[1].type != T_INT)
		return vm_op_fail(r, "parts of an extended community must be numbers");
	if (v[0].type == T_IP && !ip_is_v4(v[0].ip))
		return vm_op_fail(r, "an extended community can't hold an IPv6 address");
	if (!ec_words(kind, a, ip, v[1].i, v[0].w))
		return vm_op_fail(r, "a part of an extended community is too large");
	v[0].type = T_EC;
	r->sp--;
	return pc + 1;
}

/* ---- jumps ---- */

static const struct finsn *
op_jump(struct frun *r, const struct finsn *pc)
{
	return vm_op_jump(r, pc);
}

static const struct finsn *
op_jump_false(struct frun *r, const struct finsn *pc)
{
	int c = vm_op_condition(r);

	if (c < 0)
		return NULL;
	r->sp--;
	return c ? pc + 1 : vm_op_jump(r, pc);
}

static const struct finsn *
op_and(struct frun *r, const struct finsn *pc)
{
	int c = vm_op_condition(r);

	if (c < 0)
		return NULL;
	if (!c)
		return vm_op_jump(r, pc);
	r->sp--;
	return pc + 1;
}

static const struct finsn *
op_or(struct frun *r, const struct finsn *pc)
{
	int c = vm_op_condition(r);

	if (c < 0)
		return NULL;
	if (c)
		return vm_op_jump(r, pc);
	r->sp--;
	return pc + 1;
}

static const struct finsn *
op_bool(struct frun *r, const struct finsn *pc)
{
	return vm_op_condition(r) < 0 ? NULL : pc + 1;
}

static const struct finsn *
op_type(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = r->sp - 1 - pc->k;

	if (v->type == pc->n)
		return pc + 1;
	if (v->type == T_SET_EMPTY && ftype_is_set(pc->n)) {
		v->len = pc->n;
		return pc + 1;
	}
	if (v->type == T_IP && pc->n == T_QUAD && ip_is_v4(v->ip)) {
		*v = fvalue_u32(T_QUAD, ip_to_v4(v->ip));
		return pc + 1;
	}
	/* whatever is asked for isn't in the empty set */
	if (v->type == T_VOID && pc->k == 1 && r->sp[-1].type == T_SET_EMPTY)
		return pc + 1;
	return vm_op_fail(r, v->type == T_VOID ? "an undefined value is used"
					       : "a value of the wrong type is used");
}

/* ---- calls and ends ---- */

static const struct finsn *
op_call(struct frun *r, const struct finsn *pc)
{
	const struct ffunc *f = r->code->callee[pc->arg];
	const struct fcode *c = &f->code;
	struct fvalue *base = r->sp - pc->n;
	unsigned i;

	if (r->depth + 1 >= VM_DEPTH_MAX ||
	    base + c->slots + c->stack_max > r->t->stack + VM_STACK_MAX)
		return vm_op_fail(r, "functions call each other too deeply");
	r->t->frame[++r->depth] = (struct vm_frame){ r->code, pc + 1, r->base };
	for (i = pc->n; i < c->slots; i++)
		base[i].type = T_VOID;
	r->code = c;
	r->base = base;
	r->sp = base + c->slots;
	return c->insn;
}

static const struct finsn *
vm_op_leave(struct frun *r, const struct finsn *pc, struct fvalue v)
{
	const struct vm_frame *f = &r->t->frame[r->depth];

	if (!r->depth) {
		r->sp[0] = v;
		r->sp++;
		r->state = VM_VALUE;
		return NULL;
	}
	if (r->tracks && r->depth < VM_BACK_MAX)
		r->t->back[r->depth] = (struct vm_return){ r->code, pc, f->pc, r->t->run,
			r->steps, v.type == T_BOOL, v.i };
	r->sp = r->base;
	*r->sp++ = v;
	r->base = f->base;
	r->code = f->code;
	r->depth--;
	return f->pc;
}

static const struct finsn *
op_return(struct frun *r, const struct finsn *pc)
{
	r->sp--;
	return vm_op_leave(r, pc, *r->sp);
}

static const struct finsn *
op_return_void(struct frun *r, const struct finsn *pc)
{
	return vm_op_leave(r, pc, (struct fvalue){ .type = T_VOID });
}

static void
vm_op_flush(struct frun *r)
{
	r->reads |= FILTER_READ_VOLATILE;
	vm_say(&r->t->said, r->t->text.s);
	if (r->env && r->env->log)
		r->env->log(r->env->ctx, r->t->text.s);
	strbuf_reset(&r->t->text);
}

static const struct finsn *
op_accept(struct frun *r, const struct finsn *pc)
{
	(void)pc;
	if (r->t->text.len)
		vm_op_flush(r);
	r->state = VM_ACCEPT;
	return NULL;
}

static const struct finsn *
op_reject(struct frun *r, const struct finsn *pc)
{
	(void)pc;
	if (r->t->text.len)
		vm_op_flush(r);
	r->state = VM_REJECT;
	return NULL;
}

static const struct finsn *
op_error(struct frun *r, const struct finsn *pc)
{
	const char *text = arena_strdup(&r->t->arena, r->t->text.s);

	(void)pc;
	strbuf_reset(&r->t->text);
	return vm_op_fail(r, *text ? text : "error");
}

static const struct finsn *
op_assert(struct frun *r, const struct finsn *pc)
{
	int c = vm_op_condition(r);

	if (c < 0)
		return NULL;
	r->sp--;
	if (r->env && r->env->test)
		r->env->test->asserted(r->env->ctx, c,
		    fcode_file(r->code, (uint32_t)(pc - r->code->insn)),
		    r->code->line[pc - r->code->insn], r->code->text[pc->arg]);
	else if (!c)
		return vm_op_fail(r, "an assertion is false");
	return pc + 1;
}

static const struct finsn *
op_print(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = r->sp -= pc->n;

	for (; v < r->sp + pc->n && r->t->text.len < VM_TEXT_MAX; v++) {
		fvalue_print(&r->t->text, v);
		vm_charge_text(r, r->t->text.len);
	}
	if (r->t->text.len > VM_TEXT_MAX)
		strbuf_truncate(&r->t->text, VM_TEXT_MAX);
	return pc + 1;
}

static const struct finsn *
op_print_end(struct frun *r, const struct finsn *pc)
{
	vm_op_flush(r);
	return pc + 1;
}

/* ---- sets in `case`: an undefined value is in none ---- */

static const struct finsn *
op_case(struct frun *r, const struct finsn *pc)
{
	const struct fvalue *v = r->sp - 1, *k = &r->code->konst[pc->arg];
	struct fvalue x = *v;
	bool in;

	if (x.type == T_QUAD && k->set->elem == T_IP)
		x = fvalue_ip(ip4(v->i));
	in = k->set->elem == x.type || (k->set->elem == T_PREFIX && x.type == T_IP);
	if (x.type == T_PREFIX)
		in = in && fvalue_set_key(&x);
	*r->sp++ = fvalue_u32(T_BOOL, in && fset_has(k->set, &x));
	return pc + 1;
}

static const struct finsn *
op_end(struct frun *r, const struct finsn *pc)
{
	(void)pc;
	r->state = VM_REJECT;
	return NULL;
}

const vm_op vm_ops[FI_CNT] = {
	[FI_CONST] = op_const,
	[FI_INT] = op_int,
	[FI_LOAD] = op_load,
	[FI_STORE] = op_store,
	[FI_CLEAR] = op_clear,
	[FI_POP] = op_pop,
	[FI_ATTR] = op_attr,
	[FI_SET_ATTR] = op_set_attr,
	[FI_UNSET_ATTR] = op_unset_attr,
	[FI_CUSTOM] = op_custom,
	[FI_SET_CUSTOM] = op_set_custom,
	[FI_UNSET_CUSTOM] = op_unset_custom,
	[FI_BUILTIN] = op_builtin,
	[FI_DYNAMIC] = op_dynamic,
	[FI_GROW] = vm_op_grow,
	[FI_DEFINED] = op_defined,
	[FI_NOT] = op_not,
	[FI_EQ] = op_eq,
	[FI_NE] = op_ne,
	[FI_JUMP] = op_jump,
	[FI_JUMP_FALSE] = op_jump_false,
	[FI_AND] = op_and,
	[FI_OR] = op_or,
	[FI_BOOL] = op_bool,
	[FI_TYPE] = op_type,
	[FI_CALL] = op_call,
	[FI_RETURN] = op_return,
	[FI_RETURN_VOID] = op_return_void,
	[FI_ACCEPT] = op_accept,
	[FI_REJECT] = op_reject,
	[FI_ERROR] = op_error,
	[FI_PRINT] = op_print,
	[FI_PRINT_END] = op_print_end,
	[FI_FOR_START] = vm_op_for_start,
	[FI_FOR_NEXT] = vm_op_for_next,
	[FI_EC] = op_ec,
	[FI_MASK] = vm_op_mask,
	[FI_ASSERT] = op_assert,
	[FI_CASE] = op_case,
	[FI_PATH_LEN] = vm_op_path_len,
	[FI_PATH_FIRST] = vm_op_path_first,
	[FI_PATH_LAST] = vm_op_path_last,
	[FI_NET_IN] = vm_op_net_in,
	[FI_COMM_HAS] = vm_op_comm_has,
	[FI_CMP_INT] = vm_op_cmp_int,
	[FI_PATH_LEN_CMP] = vm_op_path_len_cmp,
	[FI_END] = op_end,
};
