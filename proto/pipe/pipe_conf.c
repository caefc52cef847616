/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of `protocol pipe`. In the thread that parses.
 *
 * The file does not configure channels of a pipe: this code makes the channels. The
 * pipe's export is the export policy of the channel that reads `table`; the pipe's import
 * is the export policy of the second channel. Routes that a pipe feeds pass no import
 * policy. An import limit belongs to the table that receives the routes. Tested by
 * test/unit/test_conf_golden.c. */
#include "proto/pipe/pipe.h"

#include "filter/filter.h"
#include "filter/lang/diag.h"
#include "filter/value/known.h"
#include "lib/mem/arena.h"
#include "lib/net/prefix.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_opt.h"

#include <stddef.h>

#define OFF(field) offsetof(struct pipe_conf, field)

/* in NET FILTER */
static bool
conf_parse_in(
    struct conf_args *a, void *to, const struct conf_opt *filter, struct prefix *net)
{
	return conf_arg_prefix(a, net) && conf_opt_value(filter, a, to);
}

static bool
conf_parse_import_in(struct conf_args *a, void *to)
{
	static const struct conf_opt filter = { "import", OPT_FILTER,
		.off = OFF(import) };
	struct pipe_conf *pc = to;

	pc->has_import_in = true;
	return conf_parse_in(a, to, &filter, &pc->import_in);
}

static bool
conf_parse_export_in(struct conf_args *a, void *to)
{
	static const struct conf_opt filter = { "export", OPT_FILTER,
		.off = OFF(export) };
	struct pipe_conf *pc = to;

	pc->has_export_in = true;
	return conf_parse_in(a, to, &filter, &pc->export_in);
}

/* Rows without `change`: the channels made of the options determine the effect of a
 * change. */
static const struct conf_opt options[] = {
	{ "table", OPT_TABLE, .off = OFF(table), .help = "one table" },
	{ "peer table", OPT_TABLE, .off = OFF(peer), .help = "the other table" },
	{ "import", OPT_FILTER, .off = OFF(import),
	    .help = "routes that come from the other table" },
	{ "export", OPT_FILTER, .off = OFF(export),
	    .help = "routes that go to the other table" },
	{ "import in", OPT_CUSTOM, .parse = conf_parse_import_in, .form = "PREFIX FILTER",
	    .known = KNOWN_BIRD_3, .help = "import, of a part of the addresses" },
	{ "export in", OPT_CUSTOM, .parse = conf_parse_export_in, .form = "PREFIX FILTER",
	    .known = KNOWN_BIRD_3, .help = "export, of a part of the addresses" },
	{ "import limit", OPT_LIMIT, .off = OFF(import_limit),
	    .help = "greatest number of routes from the other table" },
	{ "export limit", OPT_LIMIT, .off = OFF(export_limit),
	    .help = "greatest number of routes to the other table" },
	{ "preference", OPT_FORM, .form = "NUMBER",
	    .help = "without effect: routes keep their preference" },
	{ "rpki reload", OPT_SWITCH, .off = OFF(rpki_reload), .def = 1,
	    .help = "filter again when ROAs or ASPAs change" },
	{ "max generation", OPT_U8, .off = OFF(max_generation), .min = 1, .max = 254,
	    .def = 16, .change = CONF_CH_RESTART, .known = KNOWN_BIRD_3,
	    .help = "how many pipes a route may pass" },
	{ .type = OPT_END, .help = "protocol pipe" },
};

/* Values for a channel. */
struct side_conf {
	const char *name;
	const struct conf_table *table;
	const struct filter *policy; /* for the routes that the channel reads */
	const struct prefix *in; /* NULL: all */
	struct conf_limit limit; /* for routes fed to the channel's table */
};

static struct conf_channel *
conf_add_channel(struct conf_ctx *c, struct conf_proto *p, const struct side_conf *s,
    struct conf_channel *next)
{
	const struct pipe_conf *pc = p->opt;
	struct conf_channel *ch = arena_zalloc(conf_arena(c), sizeof(*ch));

	conf_opt_defaults(conf_channel_table, ch);
	ch->next = next;
	ch->side = next ? PIPE_MAIN : PIPE_PEER;
	ch->name = s->name;
	ch->table = s->table;
	ch->kind = s->table->kind;
	ch->family = conf_kind_family(ch->kind);
	ch->is_rpki = conf_kind_is_rpki(ch->kind);
	ch->export = s->policy;
	if (s->in) {
		ch->export_in = *s->in;
		ch->has_export_in = true;
	}
	ch->limit.import = s->limit;
	ch->rpki_reload = pc->rpki_reload;
	ch->pos = p->pos;
	p->chan = ch;
	p->chan_cnt++;
	return ch;
}

/* conf_part_fits - can @net (NULL: none) be a part of the nets of @t? */
static bool
conf_part_fits(struct conf_ctx *c, const struct conf_proto *p, const struct conf_table *t,
    const struct prefix *net)
{
	if (!net ||
	    (!conf_kind_is_rpki(t->kind) && net->fam == conf_kind_family(t->kind)))
		return true;
	conf_error(c, p->pos, "table '%s' doesn't hold networks of that part", t->name);
	return false;
}

static bool
pipe_conf_check(struct conf_ctx *c, struct conf_proto *p)
{
	const struct pipe_conf *pc = p->opt;
	const struct prefix *import_in = pc->has_import_in ? &pc->import_in : NULL;
	const struct prefix *export_in = pc->has_export_in ? &pc->export_in : NULL;
	const struct side_conf peer = { "sec", pc->peer,
		pc->import ? pc->import : &filter_accept_all, import_in,
		pc->export_limit };
	const struct side_conf main = { "pri", pc->table,
		pc->export ? pc->export : &filter_reject_all, export_in,
		pc->import_limit };

	if (!pc->table || !pc->peer)
		conf_error(c, p->pos, "a pipe needs a %stable", pc->table ? "peer " : "");
	else if (pc->table == pc->peer)
		conf_error(
		    c, p->pos, "a pipe from table '%s' to itself", pc->table->name);
	else if (pc->table->kind != pc->peer->kind)
		conf_error(c, p->pos, "tables '%s' and '%s' are of different types",
		    pc->table->name, pc->peer->name);
	else if (conf_part_fits(c, p, pc->table, import_in) &&
		 conf_part_fits(c, p, pc->table, export_in)) {
		/* a copied instance brings the channels of the original */
		p->chan = NULL;
		p->chan_cnt = 0;
		conf_add_channel(c, p, &main, conf_add_channel(c, p, &peer, NULL));
		return true;
	}
	return false;
}

/* pipe_conf_leads - does the opposite table have routes without a lookup
 * (conf_table.leads)? */
static bool
pipe_conf_leads(const struct conf_proto *p, const struct conf_channel *ch)
{
	const struct conf_channel *other = ch == p->chan ? ch->next : p->chan;

	return other && other->table->leads;
}

const struct conf_class pipe_conf_class = {
	.keyword = "pipe",
	.name = "Pipe",
	.kind = PROTO_PIPE,
	.opt = options,
	.leads = pipe_conf_leads,
	.opt_size = sizeof(struct pipe_conf),
	.check = pipe_conf_check,
};
