/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the option `igp table` and chooses the default IGP table of a family
 * (conf_igp.h). Loop: the thread that parses. Tested by test/net/test_igp_families.py and
 * test/net/test_conf_errors.py. */
#include "nest/conf/opt/conf_igp.h"

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "nest/conf/conf_parse.h"

bool
conf_igp_parse(struct conf_args *a, const struct conf_table *igp[FAM_CNT],
    struct src_pos pos[FAM_CNT])
{
	static const struct conf_opt row = { .type = OPT_TABLE };
	struct src_pos at = conf_arg_pos(a);
	const struct conf_table *t = NULL;

	if (!conf_opt_value(&row, a, &t))
		return false;
	if (t->kind > TABLE_IP6) {
		conf_error(a->ctx, at, "igp table '%s' doesn't hold routes to prefixes",
		    t->name);
		return false;
	}
	igp[t->kind] = t;
	if (pos)
		pos[t->kind] = at;
	return true;
}

const char *
conf_igp_master(enum family f)
{
	return f == FAM_IP4 ? "master4" : "master6";
}

const struct conf_table *
conf_igp_default(const struct conf_ctx *c, enum family f)
{
	return sym_find(c->syms, conf_igp_master(f))->table;
}
