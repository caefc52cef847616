/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vm_run runs the code of a filter on the stack machine. Loop: the thread of the run. */
#ifndef TERN_FILTER_RUN_VM_H
#define TERN_FILTER_RUN_VM_H

struct fcode;
struct frun;

/* vm_run - from the first instruction of @code until the run ends. */
void vm_run(struct frun *r, const struct fcode *code);

#endif
