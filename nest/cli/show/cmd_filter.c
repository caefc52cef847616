/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show filter: facts about filters and functions.
 *
 * The reply has code CLI_SYMBOL, like `show symbols NAME`, with lines below each name.
 * Tools that parse `show symbols` never see the reply. No state; in the session's
 * loop. Tested by test/net/test_cli.py. */
#include "nest/cli/cmd_parse.h"

#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "filter/run/know.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"
#include "nest/core/reply.h"

#define CODE_SYMBOL 1010
#define SAME_MAX    5 /* most names in a list */

/* The subject of a report: one filter or function. */
struct subject {
	const char *name;
	const char *what; /* "filter", "function" */
	const struct fcode *code; /* NULL: a fixed filter */
	const struct filter *filter; /* NULL: a function */
	const struct ffunc *func;
	/* user of the filter, if queried by protocol; else NULL */
	const char *proto, *channel, *direction;
};

static void
filter_put_name(void *arg, const char *name)
{
	reply_str(arg, NULL, NULL, name);
}

/* filter_reply_names - the names of the read or written values. */
static void
filter_reply_names(
    struct reply *r, const struct config *c, const struct fknow *k, bool writes)
{
	struct strbuf b;

	if (r->json) {
		reply_list(r, writes ? "writes" : "reads");
		(writes ? fknow_writes : fknow_reads)(
		    k, c->custom.at, c->custom.cnt, filter_put_name, r);
		reply_close(r);
		return;
	}
	strbuf_init(&b);
	(writes ? fknow_print_writes : fknow_print_reads)(
	    &b, k, c->custom.at, c->custom.cnt);
	reply_str(r, NULL, writes ? "\twrites:       %s\n" : "\treads:        %s\n", b.s);
	strbuf_fini(&b);
}

static void
filter_reply_know(struct reply *r, const struct config *c, const struct fcode *code)
{
	struct fknow k;

	if (code->insn_cnt) {
		reply_str(r, "file", "\tdefined in:   %s", code->file);
		reply_u64(r, "line", ", line %s\n", code->file_line);
	}
	fcode_know(&k, code);
	filter_reply_names(r, c, &k, false);
	filter_reply_names(r, c, &k, true);
	reply_str(r, "answer_holds", "\tanswer holds: %s\n", fknow_holds(&k));
	reply_u64(r, "instructions", "\tcode:         %s instructions, ", code->insn_cnt);
	reply_u64(r, "called_instructions", "%s in ", k.insn_cnt - code->insn_cnt);
	reply_u64(r, "called_functions", "%s called function", k.func_cnt);
	reply_text(r, k.func_cnt == 1 ? "\n" : "s\n");
}

static bool
cmd_filter_is_same(const struct subject *u, const struct sym *y)
{
	if (u->func)
		return y->class == SYM_FUNCTION && y->func != u->func &&
		       ffunc_same(y->func, u->func);
	return y->class == SYM_FILTER && y->filter != u->filter &&
	       filter_same(y->filter, u->filter);
}

/* filter_next_same - the next equal filter after @y (NULL: the first); NULL: none. */
static const struct sym *
filter_next_same(const struct config *c, const struct subject *u, const struct sym *y)
{
	y = y ? y->defined : c->symbols->first;
	while (y && !cmd_filter_is_same(u, y))
		y = y->defined;
	return y;
}

/* filter_reply_same - the text has SAME_MAX names. */
static void
filter_reply_same(struct reply *r, const struct config *c, const struct subject *u)
{
	const struct sym *y = NULL;
	unsigned cnt = 0;

	reply_list(r, "same_as");
	while ((y = filter_next_same(c, u, y))) {
		const char *form = cnt ? ", %s" : "\tsame as:      %s";

		reply_str(r, NULL, cnt++ < SAME_MAX ? form : NULL, y->name);
	}
	reply_close(r);
	if (cnt > SAME_MAX)
		reply_text(r, " and %u more", cnt - SAME_MAX);
	if (cnt)
		reply_text(r, "\n");
}

/* Numbers of channels whose filter is the subject or equal to it. */
struct users {
	unsigned import, export;
};

static struct users
filter_count_users(const struct config *c, const struct subject *u)
{
	struct users n = { 0, 0 };

	for (unsigned i = 0; i < c->proto_cnt; i++) {
		const struct conf_channel *ch = c->proto[i]->chan;

		for (; ch; ch = ch->next) {
			n.import += filter_same(ch->import, u->filter);
			n.export += filter_same(ch->export, u->filter);
		}
	}
	return n;
}

static void
filter_reply_code(struct reply *r, const struct fcode *code)
{
	struct strbuf b;

	strbuf_init(&b);
	fcode_print(&b, code);
	if (r->json)
		reply_span(r, "code", NULL, b.s, b.len);
	else
		reply_text(r, "%s", b.s); /* lines */
	strbuf_fini(&b);
}

static void
filter_reply(struct cli_session *s, const struct subject *u, bool with_code)
{
	struct reply *r = cli_reply(s, u->func ? "function" : "filter");
	const struct config *c = s->conf->conf;
	struct users n;

	reply_str(r, "name", "%-8s", u->name);
	reply_text(r, "\t%s\n", u->what);
	reply_str(r, "protocol", NULL, u->proto);
	reply_str(r, "channel", NULL, u->channel);
	reply_str(r, "direction", NULL, u->direction);
	if (u->code)
		filter_reply_know(r, c, u->code);
	else
		reply_text(r, "\treads:        nothing\n\tanswer holds: always\n");
	filter_reply_same(r, c, u);
	if (u->filter) {
		n = filter_count_users(c, u);
		reply_u64(r, "used_by_imports", "\tused by:      %s imports, ", n.import);
		reply_u64(r, "used_by_exports", "%s exports\n", n.export);
	}
	if (with_code && u->code)
		filter_reply_code(r, u->code);
	cli_reply_end(s, CODE_SYMBOL);
}

static struct subject
filter_of(const struct filter *f, const char *name, const char *what)
{
	return (struct subject){
		.name = name,
		.what = what,
		.filter = f,
		.code = f->known.fixed && !f->code.insn_cnt ? NULL : &f->code,
	};
}

/* The filters of each channel: unnamed filters are found only through channels. */
static void
filter_say_proto(struct cli_session *s, const struct conf_proto *p, bool with_code)
{
	const struct conf_channel *ch;
	struct subject u;
	struct strbuf b;

	strbuf_init(&b);
	for (ch = p->chan; ch; ch = ch->next) {
		strbuf_reset(&b);
		strbuf_addf(&b, "filter, %s import of %s", ch->name, p->name);
		u = filter_of(ch->import, filter_name(ch->import), b.s);
		u.proto = p->name;
		u.channel = ch->name;
		u.direction = "import";
		filter_reply(s, &u, with_code);
		strbuf_reset(&b);
		strbuf_addf(&b, "filter, %s export of %s", ch->name, p->name);
		u = filter_of(ch->export, filter_name(ch->export), b.s);
		u.proto = p->name;
		u.channel = ch->name;
		u.direction = "export";
		filter_reply(s, &u, with_code);
	}
	strbuf_fini(&b);
}

static void
cmd_filter_say_symbol(struct cli_session *s, const struct sym *y, bool with_code)
{
	struct subject u;

	switch (y->class) {
	case SYM_FILTER:
		u = filter_of(y->filter, y->name, "filter");
		filter_reply(s, &u, with_code);
		break;
	case SYM_FUNCTION:
		u = (struct subject){ .name = y->name,
			.what = "function",
			.func = y->func,
			.code = &y->func->code };
		filter_reply(s, &u, with_code);
		break;
	default:
		filter_say_proto(s, y->proto, with_code);
	}
}

/* show filter NAME [code]: of a filter, a function, or the filters of a protocol. */
void
cmd_show_filter(struct cli_session *s, struct cli_scan *sc)
{
	const struct sym *y;
	bool with_code;

	if (!cli_scan_is_name(sc)) {
		cli_syntax(s, sc, "the name of a filter, a function or a protocol");
		return;
	}
	y = sym_find(s->conf->conf->symbols, sc->text);
	if (!y) {
		cmd_no_such(s,
		    SYM_BIT(SYM_FILTER) | SYM_BIT(SYM_FUNCTION) | SYM_BIT(SYM_PROTOCOL),
		    "filter, function or protocol", sc->text);
		return;
	}
	if (y->class != SYM_FILTER && y->class != SYM_FUNCTION &&
	    y->class != SYM_PROTOCOL) {
		cli_end(s, CLI_BAD_COMMAND, "Filter, function or protocol name required");
		return;
	}
	cli_scan_step(sc);
	with_code = cli_scan_word(sc, "code");
	if (!cli_at_end(s, sc))
		return;
	cmd_filter_say_symbol(s, y, with_code);
	cli_end(s, CLI_DONE, "%s", "");
}

/* Named functions and filters, then filters of protocols. */
void
cmd_show_filters(struct cli_session *s, struct cli_scan *sc)
{
	static const enum sym_class order[] = { SYM_FUNCTION, SYM_FILTER, SYM_PROTOCOL };

	if (!cli_at_end(s, sc))
		return;
	for (unsigned i = 0; i < ARRAY_LEN(order); i++)
		for (const struct sym *y = s->conf->conf->symbols->first; y;
		     y = y->defined)
			if (y->class == order[i])
				cmd_filter_say_symbol(s, y, true);
	cli_end(s, CLI_DONE, "%s", "");
}
