/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluating while parsing: builtins on constants. What a builtin puts into the run's
 * arena is copied to where the result lives. Loop: the parser's thread. Tested by
 * test/prop/prop_filter.c and test/unit/test_conf_golden.c. */
#include "filter/filter.h"
#include "filter/value/fvalue.h"
#include "filter/lang/ast.h"
#include "filter/lang/check.h"
#include "filter/lang/diag.h"
#include "filter/run/builtin/builtin.h"
#include "filter/run/frun.h"
#include "filter/run/net.h"
#include "filter/set/mask.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"

struct filter_thread *
fold_thread(struct fctx *fc)
{
	if (!fc->thread)
		fc->thread = filter_thread_new(NULL);
	return fc->thread;
}

void
fctx_fini(struct fctx *fc)
{
	filter_thread_free(fc->thread);
	fc->thread = NULL;
}

struct fvalue
fold_keep(struct fctx *fc, struct fvalue v)
{
	switch (v.type) {
	case T_STRING:
		v.str = arena_strndup(fc->out, v.str, v.len);
		break;
	case T_BYTES:
	case T_PATH:
	case T_CLIST:
	case T_ECLIST:
	case T_LCLIST:
		if (v.len)
			v.octets = arena_memdup(fc->out, v.octets, v.len);
		break;
	case T_PREFIX:
		if (fvalue_is_net(&v))
			v.net = arena_memdup(fc->out, v.net, v.net->size);
		break;
	case T_PATH_MASK:
		v.mask = arena_memdup(fc->out, v.mask,
		    sizeof(*v.mask) + v.mask->cnt * sizeof(v.mask->item[0]));
		break;
	default: /* sets are only ever made by the parser */
		break;
	}
	return v;
}

void
fold_builtin(struct fctx *fc, struct fnode *n, uint32_t index, struct fnode *const *arg)
{
	const struct builtin *b = builtin_get(index);
	struct frun r = { .t = fold_thread(fc) };
	struct fvalue v[BUILTIN_ARGS_MAX];
	unsigned i;

	if (b->kind & (BI_TABLE | BI_NET | BI_PATH | BI_TEST))
		return;
	for (i = 0; i < b->argc; i++) {
		if (arg[i]->kind != FN_CONST)
			return;
		v[i] = arg[i]->value;
	}
	arena_reset(&r.t->arena);
	if (!b->fn(&r, v)) {
		diag_error(fc->diag, n->pos, "%s", r.error);
		n->type = T_ANY;
		fvalue_set_u32(&v[0], T_INT, 0);
	} else {
		n->type = v[0].type;
	}
	n->kind = FN_CONST;
	n->value = fold_keep(fc, v[0]);
	n->a = n->b = NULL;
}
