/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about a filter or function from its code: the inputs, the written attributes,
 * and how long a verdict holds. For operators (`show filter`) and tests; the core calls
 * filter_may_read. Owner: the caller. Life: on the stack. Pure functions; any thread. */
#ifndef TERN_FILTER_RUN_KNOW_H
#define TERN_FILTER_RUN_KNOW_H

#include "filter/run/code.h"
#include "filter/run/custom.h"

struct strbuf;

#define FKNOW_ATTRS 128 /* at least as many as the language has names for */

/* A set of attributes. Owner: the caller; by value: nothing to free. */
struct fknow_attrs {
	uint64_t named[FKNOW_ATTRS / 64]; /* by index (route_attr_get) */
	uint64_t wire[4]; /* named by `attribute bgp`: by code */
	uint64_t custom[CUSTOM_MAX / 64 + 1]; /* by id */
};

/* The facts about a filter. Owner: the caller, on the stack: nothing to free. */
struct fknow {
	uint32_t reads; /* FILTER_READ_* */
	struct fknow_attrs read, written;
	const struct filter_use *use; /* tables that may be queried */
	uint32_t use_cnt;
	bool unknown; /* an unknown instruction occurs: the code may read anything */
	uint32_t insn_cnt; /* with all functions that may be called */
	uint32_t func_cnt; /* number of these functions */
};

/* fcode_know - the facts of @c, including all functions that @c may call. */
void fcode_know(struct fknow *k, const struct fcode *c);
/* fknow_is_stack_only - true if @i works on the stack and on variables alone; then @i
 * does the same for all routes. */
bool fknow_is_stack_only(const struct finsn *i);
/* fknow_writes_attr - true if a run may change the named attribute. */
bool fknow_writes_attr(const struct fknow *k, const char *name);
bool fknow_writes_custom(const struct fknow *k, uint32_t id);
/* fknow_print_reads, fknow_print_writes - names with commas between, tables after
 * attributes; "nothing". @custom: the names of custom attributes, custom[id - 1]. */
void fknow_print_reads(struct strbuf *b, const struct fknow *k,
    const struct custom_attr *custom, unsigned custom_cnt);
void fknow_print_writes(struct strbuf *b, const struct fknow *k,
    const struct custom_attr *custom, unsigned custom_cnt);
/* fknow_reads, fknow_writes - call @fn for each name of fknow_print_reads or
 * fknow_print_writes. */
typedef void (*fknow_fn)(void *arg, const char *name);
void fknow_reads(const struct fknow *k, const struct custom_attr *custom,
    unsigned custom_cnt, fknow_fn fn, void *arg);
void fknow_writes(const struct fknow *k, const struct custom_attr *custom,
    unsigned custom_cnt, fknow_fn fn, void *arg);
/* fknow_holds - how long an answer holds, in words. */
const char *fknow_holds(const struct fknow *k);

#endif
