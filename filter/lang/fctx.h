/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of the compiler: checking a tree and generating its code. Loop: the parser's
 * thread. */
#ifndef TERN_FILTER_LANG_FCTX_H
#define TERN_FILTER_LANG_FCTX_H

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "lib/base/check.h"
#include "lib/mem/arena.h"

struct filter_thread;

/* The state of one compilation. Owner: the parser. Life: one parse. On the stack of the
 * parser: nothing to free. */
struct fctx {
	struct arena *out; /* results: the configuration's arena */
	struct arena *scratch; /* trees */
	struct diag *diag;
	struct sym_table *syms;
	struct filter_thread *thread; /* evaluates constants; created at first use */
	uint32_t steps_max; /* of runs of the compiled code */
	bool in_function;
	bool const_only; /* variables and attributes are errors */
	/* the filter belongs to a protocol that tern refuses or leaves out: an unknown
	 * attribute of such protocols causes no message of its own */
	bool left_out;
	bool left_out_met; /* such an attribute stands in the present filter */
	bool bad_const; /* a constant was read whose definition has an error */
	/* enum ftype: common type of the returns of the present function */
	uint8_t result;
	bool result_declared;
	uint16_t slots; /* variables in use */
	uint16_t slots_max;
};

/* fctx_fini - fold.c */
void fctx_fini(struct fctx *fc);

#endif
