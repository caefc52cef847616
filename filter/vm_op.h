/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions behind the instructions. */
#ifndef TERN_FILTER_VM_OP_H
#define TERN_FILTER_VM_OP_H

#include "filter/vm.h"

/* Returns: the next instruction, or NULL when the run has ended. */
typedef const struct finsn *(*vm_op)(struct frun *r, const struct finsn *pc);
extern const vm_op vm_ops[FI_CNT];

/* vm_op_list.c */
const struct finsn *vm_op_for_start(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_for_next(struct frun *r, const struct finsn *pc);
const struct finsn *vm_op_mask(struct frun *r, const struct finsn *pc);

#endif
