/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The machine that runs a filter's code. Loop: the thread of the run. */
#ifndef TERN_FILTER_RUN_VM_H
#define TERN_FILTER_RUN_VM_H

struct fcode;
struct frun;

/* vm_run - from the first instruction of @code until the run ends. */
void vm_run(struct frun *r, const struct fcode *code);

#endif
