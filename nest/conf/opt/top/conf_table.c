/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a definition `TYPE table NAME { ... }`, and stores the table and its options in
 * the configuration. Loop: the thread that parses. Tested by test/unit/test_conf_golden.c
 * and test/net/test_options.py. */
#include "nest/conf/opt/top/conf_table.h"

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "filter/rpki.h"
#include "filter/value/known.h"
#include "lib/mem/arena.h"
#include "nest/conf/conf_parse.h"
#include "nest/conf/config.h"
#include "nest/conf/opt/conf_form.h"
#include "nest/conf/opt/conf_opt.h"
#include "sysdep/os/clock.h"
#include <stddef.h>

#define SETTLE_MIN_NS   NS_PER_S
#define SETTLE_MAX_NS   (20 * NS_PER_S)
#define RPKI_WAIT_MAX_S 3600

struct conf_table *
conf_table_new(
    struct conf_ctx *c, struct src_pos pos, const char *name, enum conf_table_kind kind)
{
	struct sym *s = sym_find(c->syms, name);
	struct conf_table *t;

	if (s && s->class == SYM_TABLE && s->table->is_master && s->table->kind == kind) {
		t = (struct conf_table *)(uintptr_t)
			s->table; /* master4, master6 given again */
		t->pos = s->pos = pos;
		return t;
	}
	s = sym_define(c->syms, name, SYM_TABLE, pos);
	if (!s) {
		conf_error(c, pos, "'%s' is defined already, as a %s", name,
		    sym_class_name(sym_find(c->syms, name)->class));
		return NULL;
	}
	t = arena_zalloc(c->arena, sizeof(*t));
	t->name = t->ft.name = s->name;
	t->kind = (uint8_t)kind;
	t->ft.is_aspa = kind == TABLE_ASPA;
	t->ft.is_roa = conf_kind_is_rpki(t->kind) && !t->ft.is_aspa;
	t->ft.fam = conf_kind_family(kind);
	t->settle_min_ns = SETTLE_MIN_NS;
	t->settle_max_ns = SETTLE_MAX_NS;
	t->pos = pos;
	t->index = c->tables.cnt;
	t->is_master = !pos.line;
	t->debug = UINT32_MAX; /* the global default */
	s->table = t;
	conf_list_add(&c->tables, t);
	return t;
}

#define TOFF(field) offsetof(struct conf_table, field)

/* digest settle time MIN MAX */
static bool
table_parse_settle(struct conf_args *a, void *to)
{
	static const struct conf_opt min = { "digest settle time", OPT_TIME_NS,
		.off = TOFF(settle_min_ns) };
	static const struct conf_opt max = { "digest settle time", OPT_TIME_NS,
		.off = TOFF(settle_max_ns) };

	((struct conf_table *)to)->settle_given = true;
	return conf_opt_value(&min, a, to) && conf_opt_value(&max, a, to);
}

const struct conf_opt conf_table_options[] = {
	{ "sorted", OPT_SWITCH, .off = TOFF(sorted),
	    .help = "keep routes of a net in order of preference" },
	{ "trie", OPT_SWITCH, .off = TOFF(trie),
	    .help = "no effect: lookups need no extra trie" },
	{ "longest match index", OPT_SWITCH, .off = TOFF(match_index),
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help =
		"tables of IP routes: an index for `show route for` and recursive next "
		"hops" },
	{ "debug", OPT_DEBUG, .off = TOFF(debug), .change = CONF_CH_INPLACE,
	    .help = "events of this table to log" },
	{ "gc threshold", OPT_FORM, .form = "NUMBER",
	    .help = "no effect: the daemon does not collect in steps" },
	{ "gc period", OPT_FORM, .form = "TIME",
	    .help = "no effect: the daemon does not collect in steps" },
	{ "min settle time", OPT_FORM, .form = "TIME",
	    .help = "no effect: changes are sent in batches" },
	{ "max settle time", OPT_FORM, .form = "TIME",
	    .help = "no effect: changes are sent in batches" },
	{ "cork threshold", OPT_FORM, .form = "NUMBER NUMBER", .known = KNOWN_BIRD_3,
	    .help = "no effect: exports are bounded differently" },
	{ "export settle time", OPT_FORM, .form = "TIME TIME", .known = KNOWN_BIRD_3,
	    .help = "no effect: changes are sent in batches" },
	{ "route refresh export settle time", OPT_FORM, .form = "TIME TIME",
	    .known = KNOWN_BIRD_3, .help = "no effect: changes are sent in batches" },
	{ "digest settle time", OPT_CUSTOM, .form = "TIME TIME",
	    .parse = table_parse_settle, .known = KNOWN_BIRD_3,
	    .help = "ROA and ASPA tables: how long changes are collected before routes "
		    "are filtered "
		    "again, and at most" },
	{ NULL, OPT_FIELD, .off = TOFF(settle_min_ns), .min = 2 * sizeof(uint64_t),
	    .change = CONF_CH_INPLACE },
	{ NULL, OPT_SWITCH, .off = TOFF(settle_given), .change = CONF_CH_INPLACE },
	{ "rpki wait", OPT_TIME_S, .off = TOFF(rpki_wait_s), .max = RPKI_WAIT_MAX_S,
	    .change = CONF_CH_INPLACE, .known = KNOWN_TERN,
	    .help = "ROA and ASPA tables: how long after the start a session with "
		    "filters that ask the table waits for the complete data of a cache "
		    "before routes are taken or sent; 0: no wait" },
	{ "thread group", OPT_FORM, .form = "NAME", .known = KNOWN_BIRD_3,
	    .help = "no effect: see threads" },
	{ .type = OPT_END, .help = "a table" },
};

#define KIND_LATER 255 /* beyond enum conf_table_kind: no channel has such routes */

bool
conf_table_later(struct conf_args *a, void *to)
{
	struct src_pos pos = conf_arg_pos(a);
	const char *name = conf_arg_peek(a) == ARG_WORD ? a->at->word : NULL;
	struct sym *s = name ? sym_define(a->ctx->syms, name, SYM_TABLE, pos) : NULL;
	struct conf_table *t;

	(void)to;
	if (s) {
		t = arena_zalloc(a->ctx->arena, sizeof(*t));
		t->name = t->ft.name = s->name;
		t->kind = KIND_LATER;
		t->pos = pos;
		s->table = t;
	}
	return conf_form_read(a->row->form, conf_table_options, a);
}

/* TYPE table NAME [sorted] [trie] [{ options }] */
bool
conf_table_parse(struct conf_args *a, void *to)
{
	struct src_pos pos = conf_arg_pos(a);
	const char *name = conf_arg_next_word(a);
	struct conf_table *t;

	(void)to;
	if (!name) {
		conf_error(a->ctx, pos, "expected the name of the table");
		return false;
	}
	t = conf_table_new(a->ctx, pos, name, (enum conf_table_kind)a->row->def);
	if (!t)
		t = arena_zalloc(
		    &a->ctx->scratch, sizeof(*t)); /* go on after the error */
	while (conf_arg_peek(a) == ARG_WORD) {
		if (conf_arg_word(a, "sorted")) {
			t->sorted = true;
		} else if (conf_arg_word(a, "trie")) {
			t->trie = true;
			conf_ext(a->ctx, pos, KNOWN_TERN,
			    "'trie' between the name of a table and '{'");
		} else {
			return conf_arg_expected(a, "sorted, trie, '{' or ';'");
		}
	}
	if (conf_arg_peek(a) != ARG_BLOCK)
		return true;
	conf_arg_block(a, "the table", conf_table_options, t);
	if (t->rpki_wait_s && !conf_kind_is_rpki(t->kind)) {
		conf_error(
		    a->ctx, pos, "'rpki wait' belongs to tables of type ROA or ASPA");
		return false;
	}
	if (t->match_index && conf_kind_is_rpki(t->kind)) {
		conf_error(
		    a->ctx, pos, "'longest match index' belongs to tables of IP routes");
		return false;
	}
	return true;
}
