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
#include "lib/base/json.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/cli/show/cmd_show.h"
#include "nest/conf/config.h"

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
filter_say_where(struct cli_session *s, const struct fcode *c)
{
	if (c->insn_cnt)
		cli_say(
		    s, CODE_SYMBOL, "\tdefined in:   %s, line %u", c->file, c->file_line);
}

static void
filter_say_know(struct cli_session *s, const struct fcode *c)
{
	const struct config *conf = s->conf->conf;
	struct fknow k;
	struct strbuf b;

	fcode_know(&k, c);
	strbuf_init(&b);
	strbuf_adds(&b, "\treads:        ");
	fknow_print_reads(&b, &k, conf->custom.at, conf->custom.cnt);
	strbuf_adds(&b, "\n\twrites:       ");
	fknow_print_writes(&b, &k, conf->custom.at, conf->custom.cnt);
	strbuf_addf(&b, "\n\tanswer holds: %s\n", fknow_holds(&k));
	strbuf_addf(&b, "\tcode:         %u instructions, %u in %u called function%s\n",
	    c->insn_cnt, k.insn_cnt - c->insn_cnt, k.func_cnt,
	    k.func_cnt == 1 ? "" : "s");
	cli_put_lines(s, CODE_SYMBOL, &b);
	strbuf_fini(&b);
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

static void
filter_say_same(struct cli_session *s, const struct subject *u)
{
	const struct sym *y = NULL;
	unsigned cnt = 0;
	struct strbuf b;

	strbuf_init(&b);
	while ((y = filter_next_same(s->conf->conf, u, y)))
		if (cnt++ < SAME_MAX)
			strbuf_addf(&b, "%s%s", b.len ? ", " : "", y->name);
	if (cnt > SAME_MAX)
		strbuf_addf(&b, " and %u more", cnt - SAME_MAX);
	if (cnt)
		cli_say(s, CODE_SYMBOL, "\tsame as:      %s", b.s);
	strbuf_fini(&b);
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
filter_say_users(struct cli_session *s, const struct subject *u)
{
	struct users n = filter_count_users(s->conf->conf, u);

	cli_say(
	    s, CODE_SYMBOL, "\tused by:      %u imports, %u exports", n.import, n.export);
}

static void
filter_say_text(struct cli_session *s, const struct subject *u, bool with_code)
{
	struct strbuf b;

	cli_say(s, CODE_SYMBOL, "%-8s\t%s", u->name, u->what);
	if (u->code) {
		filter_say_where(s, u->code);
		filter_say_know(s, u->code);
	} else {
		cli_say(s, CODE_SYMBOL, "\treads:        nothing");
		cli_say(s, CODE_SYMBOL, "\tanswer holds: always");
	}
	filter_say_same(s, u);
	if (u->filter)
		filter_say_users(s, u);
	if (!with_code || !u->code)
		return;
	strbuf_init(&b);
	fcode_print(&b, u->code);
	cli_put_lines(s, CODE_SYMBOL, &b);
	strbuf_fini(&b);
}

/* ---- as JSON ---- */

static void
filter_put_name(void *arg, const char *name)
{
	json_str(arg, NULL, name);
}

static void
filter_put_know(struct json *j, const struct config *c, const struct fcode *code)
{
	struct fknow k;

	fcode_know(&k, code);
	json_list(j, "reads");
	fknow_reads(&k, c->custom.at, c->custom.cnt, filter_put_name, j);
	json_close(j);
	json_list(j, "writes");
	fknow_writes(&k, c->custom.at, c->custom.cnt, filter_put_name, j);
	json_close(j);
	json_str(j, "answer_holds", fknow_holds(&k));
	json_u64(j, "instructions", code->insn_cnt);
	json_u64(j, "called_instructions", k.insn_cnt - code->insn_cnt);
	json_u64(j, "called_functions", k.func_cnt);
}

static void
filter_put_subject(struct cli_session *s, const struct subject *u, bool with_code)
{
	struct json *j = cli_object(s, u->func ? "function" : "filter");
	const struct config *c = s->conf->conf;
	const struct sym *y = NULL;
	struct strbuf b;

	json_str(j, "name", u->name);
	json_str(j, "protocol", u->proto);
	json_str(j, "channel", u->channel);
	json_str(j, "direction", u->direction);
	if (u->code && u->code->insn_cnt) {
		json_str(j, "file", u->code->file);
		json_u64(j, "line", u->code->file_line);
	}
	if (u->code)
		filter_put_know(j, c, u->code);
	json_list(j, "same_as");
	while ((y = filter_next_same(c, u, y)))
		json_str(j, NULL, y->name);
	json_close(j);
	if (u->filter) {
		struct users n = filter_count_users(c, u);

		json_u64(j, "used_by_imports", n.import);
		json_u64(j, "used_by_exports", n.export);
	}
	if (with_code && u->code) {
		strbuf_init(&b);
		fcode_print(&b, u->code);
		json_text(j, "code", b.s, b.len);
		strbuf_fini(&b);
	}
	cli_object_end(s);
}

static void
filter_say_subject(struct cli_session *s, const struct subject *u, bool with_code)
{
	if (s->json)
		filter_put_subject(s, u, with_code);
	else
		filter_say_text(s, u, with_code);
}

static struct subject
filter_of(const struct filter *f, const char *name, const char *what)
{
	return (struct subject){
		.name = name,
		.what = what,
		.filter = f,
		.code = f->fixed && !f->code.insn_cnt ? NULL : &f->code,
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
		filter_say_subject(s, &u, with_code);
		strbuf_reset(&b);
		strbuf_addf(&b, "filter, %s export of %s", ch->name, p->name);
		u = filter_of(ch->export, filter_name(ch->export), b.s);
		u.proto = p->name;
		u.channel = ch->name;
		u.direction = "export";
		filter_say_subject(s, &u, with_code);
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
		filter_say_subject(s, &u, with_code);
		break;
	case SYM_FUNCTION:
		u = (struct subject){ .name = y->name,
			.what = "function",
			.func = y->func,
			.code = &y->func->code };
		filter_say_subject(s, &u, with_code);
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
