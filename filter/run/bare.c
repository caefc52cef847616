/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trial run with empty lists of communities. The run ends without an answer at the
 * first instruction that reads another input or writes, so every run on a route without
 * these lists takes the same way. The parser's thread calls.
 *
 * Tests: test_bare.c. */
#include "filter/run/bare.h"

#include "filter/filter.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/run/know.h"
#include "filter/run/vm_op.h"
#include "filter/value/type.h"
#include "lib/attr/attr_def.h"
#include "lib/attr/community.h"
#include "lib/base/strbuf.h"
#include "lib/mem/arena.h"

#define BARE_STEPS 1000 /* the configuration may have thousands of filters */

/* bare_list_of - Returns: which list of communities @code is, as a bit; 0: it is none. */
static uint8_t
bare_list_of(uint8_t code)
{
	switch (code) {
	case ATTR_COMMUNITY:
		return 1u << COMM_STD;
	case ATTR_EXT_COMMUNITY:
		return 1u << COMM_EXT;
	case ATTR_LARGE_COMMUNITY:
		return 1u << COMM_LARGE;
	default:
		return 0;
	}
}

/* bare_push_list - if the instruction reads a list of communities, push an empty list.
 * Returns: the next instruction; NULL: another attribute. */
static const struct finsn *
bare_push_list(struct frun *r, const struct finsn *pc, uint8_t *lists)
{
	const struct route_attr *a = route_attr_get(pc->arg);

	if (!bare_list_of(a->code))
		return NULL;
	*lists |= bare_list_of(a->code);
	route_no_list(a, r->sp++);
	return pc + 1;
}

/* bare_step - Returns: the next instruction; NULL: the run has ended, or there is no
 * answer (then r->state is VM_RUNNING). */
static const struct finsn *
bare_step(struct frun *r, const struct finsn *pc, uint8_t *lists)
{
	if (++r->steps > BARE_STEPS || r->steps > r->code->steps_max)
		return NULL;
	if (pc->op == FI_COMM_HAS) {
		*lists |= (uint8_t)(1u << pc->n);
		return vm_op_bool(r, pc, false);
	}
	if (pc->op == FI_ATTR)
		return bare_push_list(r, pc, lists);
	return fknow_is_stack_only(pc) ? vm_ops[pc->op](r, pc) : NULL;
}

void
filter_find_bare(struct filter *f, struct filter_thread *t)
{
	struct frun r = { .t = t, .code = &f->code, .base = t->stack };
	const struct finsn *pc = f->code.insn;
	uint8_t lists = 0;

	arena_reset(&t->arena);
	strbuf_reset(&t->text);
	for (uint16_t i = 0; i < f->code.slots; i++)
		t->stack[i].type = T_VOID;
	r.sp = t->stack + f->code.slots;
	while (pc)
		pc = bare_step(&r, pc, &lists);
	if (r.state != VM_ACCEPT && r.state != VM_REJECT)
		return;
	f->known.bare = 1 + (r.state == VM_ACCEPT ? FILTER_ACCEPT : FILTER_REJECT);
	f->known.lists = lists;
}
