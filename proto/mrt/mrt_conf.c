/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol mrt`. The next dump is as the options are then: only another file
 * to load needs a restart. Loop: the thread that parses. Tested by
 * test/unit/test_conf_golden.c. */
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"
#include "proto/mrt/mrt.h"

#include "filter/filter.h"
#include "filter/value/known.h"
#include "filter/value/type.h"
#include "lib/mem/arena.h"

#include <stddef.h>

#define OFF(field) offsetof(struct mrt_conf, field)

/* A name or a pattern; names are looked up when a dump begins. */
static bool
conf_parse_table(struct conf_args *a, void *to)
{
	struct mrt_conf *m = to;
	const char *name;

	if (conf_arg_is_value(a, T_STRING))
		return conf_arg_string(a, &m->tables);
	name = conf_arg_next_word(a);
	if (!name)
		return conf_arg_expected(a, "a table, or a pattern of tables");
	m->tables = arena_strdup(conf_arena(a->ctx), name);
	return true;
}

static const struct conf_opt options[] = {
	{ "table", OPT_CUSTOM, .parse = conf_parse_table, .form = "( TEXT | NAME )",
	    .help = "tables to write, by pattern or name" },
	{ NULL, OPT_STRING, .off = OFF(tables), .change = CONF_CH_INPLACE },
	{ "filter", OPT_FILTER, .form = "FILTER", .off = OFF(filter),
	    .change = CONF_CH_INPLACE,
	    .help = "filter of the written routes; also where" },
	{ "filename", OPT_STRING, .off = OFF(filename), .change = CONF_CH_INPLACE,
	    .help = "file, a pattern of strftime; %N is the table's name" },
	{ "period", OPT_TIME_S, .off = OFF(period_s), .min = 1, .change = CONF_CH_INPLACE,
	    .help = "seconds between dumps" },
	{ "always add path", OPT_SWITCH, .off = OFF(add_path), .change = CONF_CH_INPLACE,
	    .help = "path identifiers for all routes" },
	{ "load", OPT_STRING, .off = OFF(load), .change = CONF_CH_RESTART,
	    .known = KNOWN_TERN,
	    .help = "bring the routes of this file into tables, instead of writing" },
	{ .type = OPT_END, .help = "protocol mrt" },
};

static bool
conf_check_load(struct conf_ctx *c, struct conf_proto *p)
{
	const struct mrt_conf *m = p->opt;

	if (m->tables || m->filename || m->period_s || m->filter || m->add_path) {
		conf_error(c, p->pos,
		    "protocol mrt loads a file or writes dump files, not both");
		return false;
	}
	if (p->chan)
		return true;
	conf_error(c, p->pos, "protocol mrt with load needs a channel");
	return false;
}

static bool
mrt_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	struct mrt_conf *m = p->opt;
	const char *what = !m->tables ? "table" : !m->filename ? "filename" : "period";

	if (m->load)
		return conf_check_load(c, p);
	if (p->chan) {
		conf_error(c, p->chan->pos, "protocol mrt has channels only with load");
		return false;
	}
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
	.preference = 100,
	.has_channels = true,
	.opt = options,
	.opt_size = sizeof(struct mrt_conf),
	.check = mrt_conf_check,
};
