/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol mrt`. The next dump is as the options are then: nothing needs a
 * restart. */
#include "nest/conf/conf_opt.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "proto/mrt/mrt.h"

#include "filter/filter.h"
#include "filter/value/type.h"
#include "lib/base/arena.h"

#include <stddef.h>

#define OFF(field) offsetof(struct mrt_conf, field)

/* A name or a pattern; names are looked up when a dump begins. */
static bool
parse_table(struct conf_ctx *c, const struct conf_opt *o, struct conf_args *a, void *to)
{
	struct mrt_conf *m = to;
	const char *name;

	(void)o;
	if (conf_arg_is_value(c, a, T_STRING))
		return conf_arg_string(c, a, &m->tables);
	name = conf_arg_next_word(a);
	if (!name)
		return conf_arg_expected(c, a, "a table, or a pattern of tables");
	m->tables = arena_strdup(conf_arena(c), name);
	return true;
}

static const struct conf_opt options[] = {
	{ "table", OPT_CUSTOM, .parse = parse_table, .form = "( TEXT | NAME )",
	    .help = "tables to write, by pattern or name" },
	{ NULL, OPT_STRING, .off = OFF(tables), .change = CONF_CH_INPLACE },
	{ "filter", OPT_FILTER, .form = "FILTER", .off = OFF(filter),
	    .change = CONF_CH_INPLACE, .help = "which routes are written; also where" },
	{ "filename", OPT_STRING, .off = OFF(filename), .change = CONF_CH_INPLACE,
	    .help = "file, as strftime has it, with the table's name for %N" },
	{ "period", OPT_TIME_S, .off = OFF(period_s), .min = 1, .max = 31536000,
	    .change = CONF_CH_INPLACE, .help = "seconds between dumps" },
	{ "always add path", OPT_SWITCH, .off = OFF(add_path), .change = CONF_CH_INPLACE,
	    .help = "path identifiers for all routes" },
	{ .type = OPT_END },
};

static bool
check(struct conf_ctx *c, struct conf_proto *p)
{
	struct mrt_conf *m = p->opt;
	const char *what = !m->tables ? "table" : !m->filename ? "filename" : "period";

	if (!m->filter)
		m->filter = &filter_accept_all;
	if (m->tables && m->filename && m->period_s)
		return true;
	conf_error(c, p->pos, "protocol mrt needs a %s", what);
	return false;
}

const struct conf_class mrt_conf_class = {
	.keyword = "mrt",
	.name = "MRT",
	.kind = PROTO_MRT,
	.opt = options,
	.opt_size = sizeof(struct mrt_conf),
	.check = check,
};
