/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear code of filters and functions: instructions of 8 octets for a stack machine.
 * FINSN_TABLE(X): name; filter/run/vm_op.c describes each instruction at its function.
 *
 * Owner: the configuration. Life: the arena of the configuration; immutable.
 *
 * Loop: the parser's thread generates code; any thread may read code. */
#ifndef TERN_FILTER_RUN_CODE_H
#define TERN_FILTER_RUN_CODE_H

#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "lib/mem/arena.h"

#include <stddef.h>

struct strbuf;

#define FINSN_TABLE(X)                                                                     \
	X(CONST) /* push konst[arg] */                                                     \
	X(INT) /* push arg as a value of type n */                                         \
	X(LOAD) /* push variable arg; n: a builtin reads the value and keeps no part */    \
	X(STORE) /* variable arg = pop */                                                  \
	X(CLEAR) /* variable arg = what a variable of type n begins with */                \
	X(POP) /* drop the top */                                                          \
	X(ATTR) /* push route attribute arg */                                             \
	X(SET_ATTR) /* route attribute arg = pop */                                        \
	X(UNSET_ATTR)                                                                      \
	X(CUSTOM) /* push custom attribute arg of type n */                                \
	X(SET_CUSTOM)                                                                      \
	X(UNSET_CUSTOM)                                                                    \
	X(BUILTIN) /* builtin arg on its operands, which its result replaces */            \
	X(DYNAMIC) /* n operands; k: kind; arg: any builtin of that name: chosen by      \
		      types */ \
	X(GROW) /* pop; variable k = builtin arg of variable k and the value */            \
	X(DEFINED) /* top = is it defined? */                                              \
	X(NOT) /* top = !top */                                                            \
	X(EQ) /* a b: a = b, of any types */                                               \
	X(NE)                                                                              \
	X(JUMP) /* to arg */                                                               \
	X(JUMP_FALSE) /* pop; jump if false */                                             \
	X(AND) /* if top is false jump, else pop */                                        \
	X(OR) /* if top is true jump, else pop */                                          \
	X(BOOL) /* top must be a bool */                                                   \
	X(TYPE) /* the value k below the top must have type n */                           \
	X(CALL) /* function arg of callee[]; its n arguments are on top */                 \
	X(RETURN) /* with the top as value */                                              \
	X(RETURN_VOID)                                                                     \
	X(ACCEPT)                                                                          \
	X(REJECT)                                                                          \
	X(ERROR) /* the text printed so far is an error of the run */                      \
	X(PRINT) /* pop n; add their texts to the line */                                  \
	X(PRINT_END) /* log the line */                                                    \
	X(FOR_START) /* pop a list; iterate over it in variables arg, arg + 1 */           \
	X(FOR_NEXT) /* variable k = next element of iteration arg; skip the next insn,   \
		       or at the end run it */ \
	X(EC) /* kind a b: an ec; n: type and subtype are given by kind k */               \
	X(MASK) /* konst[arg] with n parts from the stack */                               \
	X(ASSERT) /* pop; false is an error of the run; text[arg]: what is asserted */     \
	X(CASE) /* is the top in the set konst[arg]? replaces nothing, pushes */           \
	/* shortcuts for frequent operations of filters */                                 \
	X(PATH_LEN) /* push bgp_path.len */                                                \
	X(PATH_FIRST)                                                                      \
	X(PATH_LAST)                                                                       \
	X(NET_IN) /* push net ~ konst[arg] */                                              \
	X(COMM_HAS) /* push konst[arg] ~ list of communities of kind n */                  \
	X(CMP_INT) /* top, an int: compare with arg by operation n */                      \
	X(PATH_LEN_CMP) /* push bgp_path.len compared with arg by operation n */           \
	X(END)

enum finsn_op {
#define X(name) FI_##name,
	FINSN_TABLE(X)
#undef X
	    FI_CNT
};

/* An instruction. Owner: struct fcode. Freed by: the arena of the configuration. */
struct finsn {
	uint8_t op; /* enum finsn_op */
	uint8_t n;
	uint16_t k;
	uint32_t arg;
};

/* Bound of a run without `filter steps`: instructions, plus the charges of vm_charge. */
#define FCODE_STEPS 3000000

/* The file of the instructions from @from on: a body may include files. Immutable. */
struct fcode_part {
	const char *file;
	uint32_t from;
};

/* Code of one filter or function. Immutable. */
struct fcode {
	const char *name;
	const char *file; /* of the name, or of the first word of an unnamed filter */
	uint32_t file_line;
	const struct fcode_part *part; /* ascending; the first begins at instruction 0 */
	const struct finsn *insn;
	const uint32_t *line; /* of each instruction */
	const struct fvalue *konst;
	const struct ffunc *const *callee;
	const char *const *text; /* of assertions, as in the file */
	const struct filter_use *use; /* queried tables, callees included */
	uint32_t part_cnt, insn_cnt, konst_cnt, callee_cnt, use_cnt;
	uint32_t steps_max; /* of a run that begins here */
	uint16_t slots; /* variables, arguments included */
	uint16_t stack_max; /* values beside the variables */
	uint32_t reads; /* FILTER_READ_* of all runs, callees included */
	bool writes;
	/* equal for code with equal meaning; names and positions are ignored */
	uint64_t hash[2];
};

#define FFUNC_ARGS_MAX 32

/* A function of the configuration. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct ffunc {
	struct fcode code;
	uint8_t arg_cnt;
	/* enum ftype: T_ANY if the returns differ; T_VOID: none */
	uint8_t result;
	bool complete; /* compiled; a recursive call is compiled before */
	uint8_t arg[FFUNC_ARGS_MAX]; /* enum ftype */
};

struct fault_gate;

/* A filter of the configuration. Owner: the configuration. Freed by: the arena of the
 * configuration. */
struct filter {
	struct filter_known known; /* the first member (filter_known_of) */
	const char *name;
	struct fault_gate *gate; /* NULL if the filter cannot fail */
	/* `where` with an expression: no statement has a reason for a refusal */
	bool where;
	struct fcode code;
};

_Static_assert(offsetof(struct filter, known) == 0, "filter_known_of");

/* fcode_print - listing for `dump filter`, tests and the curious. */
void fcode_print(struct strbuf *b, const struct fcode *c);
/* fcode_file - the file that has the line of instruction @insn. */
const char *fcode_file(const struct fcode *c, uint32_t insn);
/* fcode_hash - fill in hash from all else. */
void fcode_hash(struct fcode *c);
/* fcode_uses - fill in use from constants and callees. */
void fcode_uses(struct fcode *c, struct arena *a);
/* fcode_same - true if both have equal meaning; names and positions may differ. */
bool fcode_same(const struct fcode *a, const struct fcode *b);
/* ffunc_same - fcode_same for functions; the types of arguments must be equal as well. */
bool ffunc_same(const struct ffunc *a, const struct ffunc *b);

#endif
