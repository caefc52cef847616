/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that walk over lists (`for`) or build lists: path masks with parts found
 * at run time, and variables that grow element by element. The thread of the run calls.
 * Tested by test/unit/test_conf_golden.c, test/unit/test_vm_bounds.c and
 * test/net/test_diff.sh.
 *
 * I1  Only a variable has FVALUE_GROWS: instructions that copy a variable (op_load) take
 *     the mark off the copy.
 * I2  The octets of a list do not change, so copies may share the buffer of a growing
 *     list: the list grows behind the copies' ends.
 * I3  A number before a path overwrites the header of the first segment. No copy of a
 *     growing path may live: op_load takes the mark off the variable, too, and the next
 *     prepend moves the path. The operand of a builtin that keeps no part (LOAD with n)
 *     is gone before the path grows. */
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/run/vm_op.h"
#include "filter/set/mask.h"
#include "filter/value/fvalue.h"
#include "filter/value/type.h"
#include "lib/attr/as_path.h"
#include "lib/attr/community.h"
#include "lib/mem/arena.h"

#define GROW_MIN 64 /* octets of free room in the first buffer of a variable */

/* An iteration is two variables: the list, and a number: octets consumed, and for paths
 * the rest of the segment at hand (w[1]). */
const struct finsn *
vm_op_for_start(struct frun *r, const struct finsn *pc)
{
	struct fvalue *it = r->base + pc->arg, *v = --r->sp;

	switch (v->type) {
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		break;
	default:
		vm_fail(r, v->type == T_VOID
			       ? "an undefined value is iterated over"
			       : "only paths and lists can be iterated over");
		return NULL;
	}
	it[0] = *v;
	it[1] = fvalue_u32(T_INT, 0);
	it[1].w[1] = 0;
	return pc + 1;
}

static bool
op_next_as(const struct fvalue *list, struct fvalue *at, struct fvalue *out)
{
	while (!at->w[1]) { /* segment done */
		if (at->i + 2 > list->len)
			return false;
		at->w[1] = list->octets[at->i + 1];
		at->i += 2;
	}
	fvalue_set_u32(out, T_INT, get_be32(list->octets + at->i));
	at->i += 4;
	at->w[1]--;
	return true;
}

static bool
vm_op_list_next_comm(const struct fvalue *list, struct fvalue *at, struct fvalue *out)
{
	enum comm_kind k = list->type == T_CLIST    ? COMM_STD
			   : list->type == T_ECLIST ? COMM_EXT
						    : COMM_LARGE;
	struct comm c;

	if (at->i + comm_size(k) > list->len)
		return false;
	c = comm_get(k, list->octets + at->i);
	at->i += comm_size(k);
	*out = (struct fvalue){
		.type = k == COMM_STD   ? T_PAIR
			: k == COMM_EXT ? T_EC
					: T_LC,
	};
	memcpy(out->w, c.v, sizeof(c.v));
	return true;
}

const struct finsn *
vm_op_for_next(struct frun *r, const struct finsn *pc)
{
	struct fvalue *it = r->base + pc->arg, *out = r->base + pc->k;
	bool more = it->type == T_PATH ? op_next_as(it, it + 1, out)
				       : vm_op_list_next_comm(it, it + 1, out);

	if (more && pc->n != T_ANY && out->type != pc->n) {
		vm_fail(r,
		    "the variable of a loop has another type than the list's elements");
		return NULL;
	}
	return more ? pc + 2 : pc + 1;
}

/* vm_op_list_mask_part - one part of a mask: a number, a range, or a set of numbers. */
static bool
vm_op_list_mask_part(struct frun *r, struct mask_item *it, const struct fvalue *lo,
    const struct fvalue *hi)
{
	if (lo->type == T_INT && hi->type == T_INT) {
		it->lo = lo->i;
		it->hi = hi->i;
		return true;
	}
	if (lo == hi && (lo->type == T_SET_INT || lo->type == T_SET_EMPTY)) {
		it->kind = MASK_SET;
		it->set = lo->set;
		return true;
	}
	return vm_fail(
	    r, "parts of a path mask must be AS numbers or sets of AS numbers");
}

const struct finsn *
vm_op_mask(struct frun *r, const struct finsn *pc)
{
	const struct fpath_mask *from = r->code->konst[pc->arg].mask;
	size_t size = sizeof(*from) + from->cnt * sizeof(from->item[0]);
	struct fpath_mask *m = arena_memdup(&r->t->arena, from, size);
	struct fvalue *v = r->sp - pc->n;
	uint32_t i;

	r->sp = v;
	vm_charge(r, size);
	for (i = 0; i < m->cnt; i++) {
		struct mask_item *it = &m->item[i];

		if (!it->parts)
			continue;
		if (!vm_op_list_mask_part(r, it, v, v + it->parts - 1))
			return NULL;
		v += it->parts;
		it->parts = 0;
	}
	*r->sp++ = (struct fvalue){ .type = T_PATH_MASK, .mask = m };
	return pc + 1;
}

/* vm_op_list_room - move what @v has into a buffer with as much free room as the value is
 * long, so that n elements are copied n times in all, not n * n / 2 times. The room lies
 * before a path and behind a list. */
static void
vm_op_list_room(struct frun *r, struct fvalue *v)
{
	uint32_t len = v->len, room = len < GROW_MIN ? GROW_MIN : len;
	uint8_t *p;

	if (room > VM_LIST_MAX - len)
		room = VM_LIST_MAX - len;
	vm_charge(r, len + room);
	p = arena_alloc(&r->t->arena, len + room + 1);
	if (v->type == T_PATH)
		p += room;
	if (len)
		memcpy(p, v->octets, len);
	*v = (struct fvalue){ .type = v->type, .fam = FVALUE_GROWS, .len = len };
	v->octets = p;
	v->room = room;
}

static bool
vm_op_list_grow_path(struct frun *r, struct fvalue *v, uint32_t as)
{
	uint8_t *p;
	int len;

	if (v->len <= VM_LIST_MAX - AS_PATH_PREPEND_ROOM &&
	    (v->fam != FVALUE_GROWS || v->room < AS_PATH_PREPEND_ROOM))
		vm_op_list_room(r, v);
	p = (uint8_t *)(uintptr_t)v->octets;
	len = as_path_prepend_in(&p, v->len, as);
	if (len < 0)
		return vm_fail(r, "the path grows beyond its limit");
	v->octets = p;
	v->room -= (uint32_t)len - v->len;
	v->len = (uint32_t)len;
	return true;
}

static bool
vm_op_list_grow(struct frun *r, struct fvalue *v, struct comm c)
{
	enum comm_kind k = builtin_comm_kind(v->type);
	uint32_t size = comm_size(k);

	vm_charge(r, v->len / 4);
	if (comm_has(k, v->octets, v->len, c))
		return true;
	if (v->len + size > VM_LIST_MAX)
		return vm_fail(r, "the list of communities grows beyond 65535 octets");
	if (v->fam != FVALUE_GROWS || v->room < size)
		vm_op_list_room(r, v);
	comm_put(k, (uint8_t *)(uintptr_t)v->octets + v->len, c);
	v->room -= size;
	v->len += size;
	return true;
}

const struct finsn *
vm_op_grow(struct frun *r, const struct finsn *pc)
{
	struct fvalue *v = &r->base[pc->k];
	const struct fvalue *x = --r->sp;

	if (v->type != builtin_get(pc->arg)->arg[0])
		return vm_op_fail(r, "an undefined value is used");
	if (v->type == T_PATH ? !vm_op_list_grow_path(r, v, x->i)
			      : !vm_op_list_grow(r, v, builtin_comm_elem(x)))
		return NULL;
	return pc + 1;
}
