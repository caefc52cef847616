/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the code of an expression (`eval`) or of a self-test without a route. Loop: the
 * thread that owns the struct filter_thread. Tested by test/unit/test_vm.c and
 * test_selftest.c. */
#include "filter/run/eval.h"

#include "filter/run/code.h"
#include "filter/run/frun.h"
#include "filter/run/vm.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"

bool
filter_eval(const struct filter *f, struct filter_thread *t, const struct filter_env *env,
    struct fvalue *out, struct strbuf *err)
{
	struct frun r = { .t = t, .env = env };

	arena_reset(&t->arena);
	strbuf_reset(&t->text);
	vm_run(&r, &f->code);
	if (r.state == VM_ERROR) {
		strbuf_adds(err, r.error);
		return false;
	}
	*out = (struct fvalue){ .type = T_VOID };
	if (r.state == VM_VALUE)
		*out = r.sp[-1];
	return true;
}

void
filter_test_run(const struct ffunc *f, struct filter_thread *t,
    const struct filter_env *env, const struct route_view *view, struct attr_edit *e,
    struct filter_test *out)
{
	static const uint8_t ends[] = {
		[VM_ACCEPT] = FILTER_END_ACCEPT,
		[VM_REJECT] = FILTER_END_REJECT,
		[VM_VALUE] = FILTER_END_RETURN,
		[VM_ERROR] = FILTER_END_ERROR,
	};
	struct frun r = { .t = t, .env = env, .view = view, .edit = e };
	const struct vm_frame *at = &t->frame[0];

	arena_reset(&t->arena);
	strbuf_reset(&t->text);
	vm_run(&r, &f->code);
	*out = (struct filter_test){
		.end = ends[r.state],
		.error = r.error,
		.file = fcode_file(at->code, (uint32_t)(at->pc - at->code->insn)),
		.line = at->code->line[at->pc - at->code->insn],
	};
	if (r.state == VM_VALUE)
		out->value = r.sp[-1];
}
