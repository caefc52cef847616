/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The changed functions and filters of a plan. A filter that calls a changed function has
 * changed, too, so generated files may have many changed filters: the plan names the
 * first ones.
 *
 * Loop: the control worker's. Tested by test/net/test_plan.py. */
#include "nest/daemon/control_priv.h"

#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "lib/base/strbuf.h"
#include "nest/conf/config.h"

#define NAMED_MAX 20 /* functions and filters that a plan names */

/* text_code - the code of a function or filter; NULL: @y is another symbol. */
static const struct fcode *
text_code(const struct sym *y)
{
	if (y->class == SYM_FUNCTION)
		return &y->func->code;
	return y->class == SYM_FILTER ? &y->filter->code : NULL;
}

/* plan_texts_is_changed - has the meaning of @y changed since @was, an object of the
 * same name? */
static bool
plan_texts_is_changed(const struct sym *was, const struct sym *y)
{
	if (y->class == SYM_FUNCTION)
		return !ffunc_same(was->func, y->func);
	return !filter_same(was->filter, y->filter);
}

void
plan_texts(const struct config *was, const struct config *next,
    void (*say)(void *arg, const char *what, const char *name, const char *fate),
    void *arg)
{
	uint32_t more = 0, named = 0;
	struct strbuf b;

	strbuf_init(&b);
	for (const struct sym *y = next->symbols->first; y; y = y->defined) {
		const struct sym *old = text_code(y) ? sym_find(was->symbols, y->name)
						     : NULL;

		if (!old || old->class != y->class || !plan_texts_is_changed(old, y))
			continue;
		if (named == NAMED_MAX) {
			more++;
			continue;
		}
		named++;
		strbuf_reset(&b);
		strbuf_addf(
		    &b, "changed, %s:%u", text_code(y)->file, text_code(y)->file_line);
		say(arg, y->class == SYM_FUNCTION ? "function" : "filter", y->name, b.s);
	}
	if (more) {
		strbuf_reset(&b);
		strbuf_addf(&b, "%u more", more);
		say(arg, "functions", "and filters", b.s);
	}
	strbuf_fini(&b);
}
