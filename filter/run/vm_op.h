/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions that execute instructions for the stack machine (vm.h). Loop: the thread
 * of the run. */
#ifndef TERN_FILTER_RUN_VM_OP_H
#define TERN_FILTER_RUN_VM_OP_H

#include "filter/value/fvalue.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/value/type.h"

/* Returns: the next instruction, or NULL when the run has ended. */
typedef const struct finsn *(*vm_op)(struct frun *r, const struct finsn *pc);
extern const vm_op vm_ops[FI_CNT];

/* vm_op_fail - end the run with an error. Returns: NULL. */
static inline const struct finsn *
vm_op_fail(struct frun *r, const char *error)
{
	vm_fail(r, error);
	return NULL;
}

static inline const struct finsn *
vm_op_push(struct frun *r, const struct finsn *pc, enum ftype t, uint32_t i)
{
	fvalue_set_u32(r->sp++, t, i);
	return pc + 1;
}

/* vm_op_bool - push a condition; a jump that follows is done at once. */
static inline const struct finsn *
vm_op_bool(struct frun *r, const struct finsn *pc, bool b)
{
	if (pc[1].op == FI_JUMP_FALSE)
		return b ? pc + 2 : r->code->insn + pc[1].arg;
	fvalue_set_u32(r->sp++, T_BOOL, b);
	return pc + 1;
}

/* vm_op_short.c */
const struct finsn *vm_op_path_len(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_path_first(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_path_last(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_net_in(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_comm_has(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_cmp_int(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_path_len_cmp(struct frun *r, const struct finsn *pc);
/* vm_op_list.c */
const struct finsn *vm_op_for_start(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_for_next(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_mask(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_grow(struct frun *r, const struct finsn *pc);

#endif
