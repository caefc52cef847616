/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running code outside of a table's routes: expressions and self-tests. Loop: the thread
 * that owns the struct filter_thread. */
#ifndef TERN_FILTER_RUN_EVAL_H
#define TERN_FILTER_RUN_EVAL_H

#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "lib/base/strbuf.h"

struct ffunc;

/* filter_eval - run the code of fctx_expr (filter/lang/compile.h) without a route. @env:
 * receives the output; may be NULL. The value is valid until the next run of @t. Returns:
 * false after a run-time error, with the text in @err. */
bool filter_eval(const struct filter *f, struct filter_thread *t,
    const struct filter_env *env, struct fvalue *out, struct strbuf *err);

/* The end of a function that was run as a self-test. */
enum filter_end {
	FILTER_END_RETURN,
	FILTER_END_ACCEPT,
	FILTER_END_REJECT,
	FILTER_END_ERROR
};

/* The result of a self-test. Owner: the caller. Life: on the stack. */
struct filter_test {
	enum filter_end end;
	struct fvalue value; /* of RETURN; T_VOID: none */
	const char *error; /* of ERROR; valid until the next run */
	const char *file; /* position of the end */
	uint32_t line;
};

/* filter_test_run - call @f, which has no arguments, on a test route. */
void filter_test_run(const struct ffunc *f, struct filter_thread *t,
    const struct filter_env *env, const struct route_view *view, struct attr_edit *e,
    struct filter_test *out);

#endif
