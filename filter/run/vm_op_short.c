/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortcuts: instructions for frequent operations of filters, without values on the
 * stack in between. Loop: the thread of the run. Tested by test/unit/test_vm.c and
 * test/prop/prop_know.c. */
#include "filter/filter.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/run/net.h"
#include "filter/run/vm_op.h"
#include "filter/set/pfxset.h"
#include "filter/set/set.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/community.h"

const struct finsn *
vm_op_path_len(struct frun *r, const struct finsn *pc)
{
	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	return vm_op_push(r, pc, T_INT, route_path_len(r));
}

const struct finsn *
vm_op_path_first(struct frun *r, const struct finsn *pc)
{
	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	return vm_op_push(r, pc, T_INT, route_path_first(r));
}

const struct finsn *
vm_op_path_last(struct frun *r, const struct finsn *pc)
{
	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	return vm_op_push(r, pc, T_INT, route_path_last(r));
}

const struct finsn *
vm_op_net_in(struct frun *r, const struct finsn *pc)
{
	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	r->reads |= FILTER_READ_NET;
	if (unlikely(r->view->what && r->view->what->kind == NET_ASPA))
		return vm_op_bool(r, pc, false); /* it has no prefix */
	return vm_op_bool(
	    r, pc, pfxset_has(r->code->konst[pc->arg].set->prefixes, &r->view->net));
}

static bool
short_has_standard(const uint8_t *p, uint32_t len, uint32_t want)
{
	for (; len >= 4; p += 4, len -= 4)
		if (get_be32(p) == want)
			return true;
	return false;
}

static bool
short_has_large(const uint8_t *p, uint32_t len, const uint32_t *w)
{
	for (; len >= 12; p += 12, len -= 12)
		if (get_be32(p) == w[0] && get_be32(p + 4) == w[1] &&
		    get_be32(p + 8) == w[2])
			return true;
	return false;
}

static bool
short_has_extended(const uint8_t *p, uint32_t len, const uint32_t *w)
{
	for (; len >= 8; p += 8, len -= 8)
		if (get_be32(p) == w[0] && get_be32(p + 4) == w[1])
			return true;
	return false;
}

const struct finsn *
vm_op_comm_has(struct frun *r, const struct finsn *pc)
{
	const uint32_t *w = r->code->konst[pc->arg].w;
	const uint8_t *p;
	uint32_t len;
	bool has;

	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	route_comm(r, pc->n, &p, &len);
	if (len >= 16)
		vm_charge(r, len);
	if (pc->n == COMM_STD)
		has = short_has_standard(p, len, w[0] << 16 | w[1]);
	else if (pc->n == COMM_LARGE)
		has = short_has_large(p, len, w);
	else
		has = short_has_extended(p, len, w);
	return vm_op_bool(r, pc, has);
}

static bool
short_compare_int(unsigned op, uint32_t a, uint32_t b)
{
	switch (op) {
	case FI_EQ:
		return a == b;
	case FI_NE:
		return a != b;
	case '<':
		return a < b;
	case '>':
		return a > b;
	case 'l':
		return a <= b;
	default:
		return a >= b;
	}
}

const struct finsn *
vm_op_cmp_int(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = r->sp - 1;

	r->sp = v;
	if (unlikely(v->type != T_INT)) { /* undefined: less than any number */
		bool less = pc->n == '<' || pc->n == 'l' || pc->n == FI_NE;

		return vm_op_bool(r, pc, less);
	}
	return vm_op_bool(r, pc, short_compare_int(pc->n, v->i, pc->arg));
}

const struct finsn *
vm_op_path_len_cmp(struct frun *r, const struct finsn *pc)
{
	if (unlikely(!r->view))
		return vm_op_fail(r, "the expression runs without a route");
	return vm_op_bool(r, pc, short_compare_int(pc->n, route_path_len(r), pc->arg));
}
