/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses parts of commands: names, prefixes, numbers, lists of words; answers an error
 * with the expected word. Tested by test/unit/test_cli.c.
 *
 * No state; in the session's loop. */
#include "nest/cli/cmd_parse.h"

#include "filter/lang/diag.h"
#include "filter/lang/sym.h"
#include "lib/base/spell.h"
#include "lib/base/strbuf.h"
#include "lib/mem/mem.h"
#include "lib/mt/atomic.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/channel/channel.h"
#include "nest/channel/proto.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_names.h"
#include "nest/conf/config.h"
#include "nest/core/tern.h"

/* cmd_parse_spell_protos - dynamic members have no symbol. */
static void
cmd_parse_spell_protos(const struct tern *t, struct spell *sp)
{
	const struct tern_view *v = tern_view_get(t);

	for (uint32_t i = 0; i < v->proto_cnt; i++)
		spell_add(sp, v->proto[i]->name);
}

void
cmd_no_such(struct cli_session *s, uint32_t classes, const char *what, const char *name)
{
	struct spell sp;
	struct strbuf b;

	spell_init(&sp, name);
	sym_spell_add(s->conf->conf->symbols, classes, &sp);
	if (classes & SYM_BIT(SYM_PROTOCOL))
		cmd_parse_spell_protos(s->tern, &sp);
	strbuf_init(&b);
	diag_no_such(&b, what, name, sp.best);
	cli_end(s, CLI_BAD_COMMAND, "%s", b.s);
	strbuf_fini(&b);
}

#define EXPECTED_MAX 6 /* longer lists of words are not shown */

/* parse_expected_words - a syntax error with the list of allowed words. */
static void
parse_expected_words(
    struct cli_session *s, const struct cli_scan *sc, const char *const *known)
{
	unsigned cnt = 0;
	struct strbuf b;

	while (known[cnt])
		cnt++;
	strbuf_init(&b);
	for (unsigned i = 0; i < cnt && cnt <= EXPECTED_MAX; i++)
		strbuf_addf(&b, "%s'%s'",
		    !i             ? ""
		    : i + 1 == cnt ? " or "
				   : ", ",
		    known[i]);
	cli_syntax(s, sc, b.len ? b.s : NULL);
	strbuf_fini(&b);
}

void
cmd_no_option(struct cli_session *s, const struct cli_scan *sc, const char *what,
    const char *const *known)
{
	struct spell sp;
	struct strbuf b;

	if (sc->tok != TOK_WORD) {
		parse_expected_words(s, sc, known);
		return;
	}
	spell_init(&sp, sc->text);
	while (*known)
		spell_add(&sp, *known++);
	strbuf_init(&b);
	diag_no_such(&b, what, sc->text, sp.best);
	cli_end(s, CLI_BAD_COMMAND, "%s", b.s);
	strbuf_fini(&b);
}

void
cmd_no_channel(struct cli_session *s, const char *proto, const char *name)
{
	const struct proto *p = cmd_proto_named(s->tern, proto);
	struct spell sp;
	struct strbuf b;

	spell_init(&sp, name);
	for (struct channel *ch = p ? load_acquire_ptr(&p->channels) : NULL;
	     ch; /* pairs: PCHAN */
	     ch = channel_next(ch))
		spell_add(&sp, channel_name(ch));
	strbuf_init(&b);
	strbuf_addf(&b, "no channel '%s.%s'", proto, name);
	if (sp.best)
		strbuf_addf(&b, "; did you mean '%s.%s'?", proto, sp.best);
	cli_end(s, CLI_BAD_COMMAND, "%s", b.s);
	strbuf_fini(&b);
}

bool
cmd_parse_symbol(struct cli_session *s, struct cli_scan *sc, unsigned cls,
    const char *wrong, const char *expecting, char **out)
{
	const struct sym *sym;

	if (!cli_scan_is_name(sc)) {
		cli_syntax(s, sc, expecting);
		return false;
	}
	sym = sym_find(s->conf->conf->symbols, sc->text);
	if (cls == SYM_PROTOCOL && (!sym || sym->class != cls) &&
	    cmd_proto_named(s->tern, sc->text)) { /* made for a member */
		*out = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
		return true;
	}
	if (!sym) {
		cmd_no_such(s, SYM_BIT(cls),
		    cls == SYM_TABLE ? "table" : sym_class_name((enum sym_class)cls),
		    sc->text);
		return false;
	}
	if (sym->class != cls) {
		cli_end(s, CLI_BAD_COMMAND, "%s", wrong);
		return false;
	}
	*out = mem_strdup(MEM_OTHER, sym->name);
	cli_scan_step(sc);
	return true;
}

bool
cmd_parse_prefix(
    struct cli_session *s, struct cli_scan *sc, bool alone, struct prefix *out)
{
	enum family fam = sc->tok == TOK_IP4 ? FAM_IP4 : FAM_IP6;
	unsigned max = fam == FAM_IP4 ? 32 : 128;
	struct ip_addr ip = sc->ip;
	char a[PREFIX_STR_MAX], b[IP_STR_MAX];

	if (sc->tok != TOK_IP4 && sc->tok != TOK_IP6) {
		cli_syntax(s, sc,
		    alone ? "a network, an address or the name of a constant" : NULL);
		return false;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_CHAR || sc->chr != '/') {
		if (!alone)
			cli_end(s, CLI_BAD_COMMAND,
			    "a network is expected, such as %s/%u; for the route to an "
			    "address: show route for %s",
			    ip_str(b, ip), max, b);
		*out = prefix_make(ip, max, fam);
		return alone;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_NUM || sc->num > max) {
		if (sc->tok == TOK_NUM)
			cli_end(s, CLI_BAD_COMMAND, "Invalid prefix length %llu",
			    (unsigned long long)sc->num);
		else
			cli_syntax(s, sc, "a number");
		return false;
	}
	*out = prefix_make(ip, (unsigned)sc->num, fam);
	if (!ip_equal(out->addr, ip)) {
		cli_end(s, CLI_BAD_COMMAND,
		    "Invalid %s prefix %s/%u, maybe you wanted %s",
		    fam == FAM_IP4 ? "IPv4" : "IPv6", ip_str(b, ip), out->len,
		    prefix_str(a, out));
		return false;
	}
	cli_scan_step(sc);
	return true;
}

bool
cmd_parse_number(
    struct cli_session *s, struct cli_scan *sc, uint32_t min, uint32_t max, uint32_t *out)
{
	if (sc->tok != TOK_NUM) {
		cli_syntax(s, sc, "a number");
		return false;
	}
	if (sc->num < min || sc->num > max) {
		cli_end(s, CLI_BAD_COMMAND,
		    "Number %llu is not in the range from %u to %u",
		    (unsigned long long)sc->num, min, max);
		return false;
	}
	*out = (uint32_t)sc->num;
	cli_scan_step(sc);
	return true;
}

/* ---- masks ---- */

/* parse_is_class - false for `all` and `off`, which stand for sets. */
static bool
parse_is_class(const struct opt_name *n)
{
	return strcmp(n->word, "all") != 0 && strcmp(n->word, "off") != 0;
}

static bool
parse_wrong_class(
    struct cli_session *s, const struct cli_scan *sc, const struct opt_name *n)
{
	struct strbuf b;
	unsigned cnt = 0;

	strbuf_init(&b);
	for (; n->word; n++) {
		if (!parse_is_class(n))
			continue;
		strbuf_addf(&b, "%s'%s'", cnt++ ? " or " : "", n->word);
	}
	cli_syntax(s, sc, b.s);
	strbuf_fini(&b);
	return false;
}

static bool
cmd_parse_take_class(struct cli_scan *sc, const struct opt_name *n, uint32_t *mask)
{
	for (; n->word; n++)
		if (parse_is_class(n) && cli_scan_word(sc, n->word)) {
			*mask |= n->value;
			return true;
		}
	return false;
}

static bool
parse_wrong_mask(struct cli_session *s, const struct cli_scan *sc, const char *before)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "%s'all', 'off' or a '{'", before);
	cli_syntax(s, sc, b.s);
	strbuf_fini(&b);
	return false;
}

bool
cmd_parse_mask(struct cli_session *s, struct cli_scan *sc, const struct opt_name *names,
    const char *before, uint32_t *out)
{
	*out = 0;
	if (cli_scan_word(sc, "off"))
		return true;
	if (cli_scan_word(sc, "all")) {
		for (; names->word; names++)
			*out |= names->value;
		return true;
	}
	if (!cli_scan_char(sc, '{'))
		return parse_wrong_mask(s, sc, before);
	do {
		if (!cmd_parse_take_class(sc, names, out))
			return parse_wrong_class(s, sc, names);
	} while (cli_scan_char(sc, ','));
	if (cli_scan_char(sc, '}'))
		return true;
	cli_syntax(s, sc, "a ',' or a '}'");
	return false;
}
