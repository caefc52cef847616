/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What checking a tree and making its code work with. */
#ifndef TERN_FILTER_FCTX_H
#define TERN_FILTER_FCTX_H

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"

struct filter_thread;

/* What the compiler works with. owner: the parser. */
struct fctx {
	struct arena *out; /* results: those of the configuration */
	struct arena *scratch; /* trees */
	struct diag *diag;
	struct sym_table *syms;
	struct filter_thread *thread; /* to evaluate constants; made when first needed */
	uint32_t steps_max; /* of runs of what is compiled */
	bool in_function;
	bool const_only; /* variables and attributes are errors */
	/* enum ftype of the function at hand: what its returns have in common */
	uint8_t result;
	bool result_declared;
	uint16_t slots; /* variables in use */
	uint16_t slots_max;
};

/* fctx_fini - fold.c */
void fctx_fini(struct fctx *fc);

#endif
