/* SPDX-License-Identifier: GPL-3.0-or-later */
/* show filter: what is known of filters and functions.
 *
 * The reply is of code CLI_SYMBOL, as of `show symbols NAME`, with lines below each name.
 * Tools that parse `show symbols` never see it. No state; in the session's loop. */
#include "nest/cli/cmd_list.h"

#include "filter/filter.h"
#include "filter/lang/sym.h"
#include "filter/run/code.h"
#include "filter/run/know.h"
#include "lib/base/strbuf.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cli_session.h"
#include "nest/conf/config.h"

#define CODE_SYMBOL 1010
#define SAME_MAX    5 /* names that are told */

/* What is to be told: one filter or function. */
struct subject {
	const char *name;
	const char *what; /* "filter", "function" */
	const struct fcode *code; /* NULL: a fixed filter */
	const struct filter *filter; /* NULL: a function */
	const struct ffunc *func;
};

static void
say_where(struct cli_session *s, const struct fcode *c)
{
	if (c->insn_cnt)
		cli_say(
		    s, CODE_SYMBOL, "\tdefined in:   %s, line %u", c->file, c->line[0]);
}

static void
say_know(struct cli_session *s, const struct fcode *c)
{
	const struct config *conf = s->conf->conf;
	struct fknow k;
	struct strbuf b;

	fcode_know(&k, c);
	strbuf_init(&b);
	strbuf_adds(&b, "\treads:        ");
	fknow_print_reads(&b, &k, conf->custom, conf->custom_cnt);
	strbuf_adds(&b, "\n\twrites:       ");
	fknow_print_writes(&b, &k, conf->custom, conf->custom_cnt);
	strbuf_addf(&b, "\n\tanswer holds: %s\n", fknow_holds(&k));
	strbuf_addf(&b,
	    "\tcode:         %u instructions, %u in %u function%s that it may call\n",
	    c->insn_cnt, k.insn_cnt - c->insn_cnt, k.func_cnt,
	    k.func_cnt == 1 ? "" : "s");
	cli_put_lines(s, CODE_SYMBOL, &b);
	strbuf_fini(&b);
}

static bool
is_same(const struct subject *u, const struct sym *y)
{
	if (u->func)
		return y->class == SYM_FUNCTION && y->func != u->func &&
		       ffunc_same(y->func, u->func);
	return y->class == SYM_FILTER && y->filter != u->filter &&
	       filter_same(y->filter, u->filter);
}

static void
say_same(struct cli_session *s, const struct subject *u)
{
	const struct sym *y = s->conf->conf->symbols->first;
	unsigned cnt = 0;
	struct strbuf b;

	strbuf_init(&b);
	for (; y; y = y->defined)
		if (is_same(u, y) && cnt++ < SAME_MAX)
			strbuf_addf(&b, "%s%s", b.len ? ", " : "", y->name);
	if (cnt > SAME_MAX)
		strbuf_addf(&b, " and %u more", cnt - SAME_MAX);
	if (cnt)
		cli_say(s, CODE_SYMBOL, "\tsame as:      %s", b.s);
	strbuf_fini(&b);
}

/* Channels whose filter is this one, or means the same. */
static void
say_users(struct cli_session *s, const struct subject *u)
{
	const struct config *c = s->conf->conf;
	unsigned import = 0, export = 0, i;

	for (i = 0; i < c->proto_cnt; i++) {
		const struct conf_channel *ch = c->proto[i]->chan;

		for (; ch; ch = ch->next) {
			import += filter_same(ch->import, u->filter);
			export += filter_same(ch->export, u->filter);
		}
	}
	cli_say(s, CODE_SYMBOL, "\tused by:      %u imports, %u exports", import, export);
}

static void
say_subject(struct cli_session *s, const struct subject *u, bool with_code)
{
	struct strbuf b;

	cli_say(s, CODE_SYMBOL, "%-8s\t%s", u->name, u->what);
	if (u->code) {
		say_where(s, u->code);
		say_know(s, u->code);
	} else {
		cli_say(s, CODE_SYMBOL, "\treads:        nothing");
		cli_say(s, CODE_SYMBOL, "\tanswer holds: always");
	}
	say_same(s, u);
	if (u->filter)
		say_users(s, u);
	if (!with_code || !u->code)
		return;
	strbuf_init(&b);
	fcode_print(&b, u->code);
	cli_put_lines(s, CODE_SYMBOL, &b);
	strbuf_fini(&b);
}

static struct subject
of_filter(const struct filter *f, const char *name, const char *what)
{
	return (struct subject){
		.name = name,
		.what = what,
		.filter = f,
		.code = f->fixed && !f->code.insn_cnt ? NULL : &f->code,
	};
}

/* Each channel's filters: those without a name are reached in no other way. */
static void
say_proto(struct cli_session *s, const struct conf_proto *p, bool with_code)
{
	const struct conf_channel *ch;
	struct subject u;
	struct strbuf b;

	strbuf_init(&b);
	for (ch = p->chan; ch; ch = ch->next) {
		strbuf_reset(&b);
		strbuf_addf(&b, "filter, %s import of %s", ch->name, p->name);
		u = of_filter(ch->import, filter_name(ch->import), b.s);
		say_subject(s, &u, with_code);
		strbuf_reset(&b);
		strbuf_addf(&b, "filter, %s export of %s", ch->name, p->name);
		u = of_filter(ch->export, filter_name(ch->export), b.s);
		say_subject(s, &u, with_code);
	}
	strbuf_fini(&b);
}

static void
say_symbol(struct cli_session *s, const struct sym *y, bool with_code)
{
	struct subject u;

	switch (y->class) {
	case SYM_FILTER:
		u = of_filter(y->filter, y->name, "filter");
		say_subject(s, &u, with_code);
		break;
	case SYM_FUNCTION:
		u = (struct subject){ .name = y->name,
			.what = "function",
			.func = y->func,
			.code = &y->func->code };
		say_subject(s, &u, with_code);
		break;
	default:
		say_proto(s, y->proto, with_code);
	}
}

/* show filter NAME [code]: of a filter, a function, or the filters of a protocol. */
void
cmd_show_filter(struct cli_session *s, struct cli_scan *sc)
{
	const struct sym *y = NULL;
	bool with_code;

	if (cli_scan_is_name(sc))
		y = sym_find(s->conf->conf->symbols, sc->text);
	if (!y) {
		cli_syntax(s, sc, "CF_SYM_KNOWN");
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
	say_symbol(s, y, with_code);
	cli_end(s, CLI_DONE, "%s", "");
}
