/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of commands. Tested by test/unit/test_cli.c.
 *
 * No state; in the session's loop. */
#include "nest/cli/cmd_parse.h"

#include "filter/lang/sym.h"
#include "lib/base/mem.h"
#include "lib/base/strbuf.h"
#include "lib/net/ip.h"
#include "lib/wire/cli_code.h"
#include "nest/cli/cli_scan.h"
#include "nest/cli/cmd_names.h"
#include "nest/conf/config.h"

#include <ctype.h>

bool
cmd_parse_symbol(struct cli_session *s, struct cli_scan *sc, unsigned cls,
    const char *wrong, const char *expecting, char **out)
{
	const struct sym *sym;

	sym = cli_scan_is_name(sc) ? sym_find(s->conf->conf->symbols, sc->text) : NULL;
	if (cls == SYM_PROTOCOL && cli_scan_is_name(sc) && (!sym || sym->class != cls) &&
	    cmd_proto_named(s->tern, sc->text)) { /* made for a member */
		*out = mem_strdup(MEM_OTHER, sc->text);
		cli_scan_step(sc);
		return true;
	}
	if (!sym) {
		cli_syntax(s, sc, expecting);
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
    struct cli_session *s, struct cli_scan *sc, bool bare, struct prefix *out)
{
	enum family fam = sc->tok == TOK_IP4 ? FAM_IP4 : FAM_IP6;
	unsigned max = fam == FAM_IP4 ? 32 : 128;
	struct ip_addr ip = sc->ip;
	char a[PREFIX_STR_MAX], b[IP_STR_MAX];

	if (sc->tok != TOK_IP4 && sc->tok != TOK_IP6) {
		cli_syntax(s, sc, bare ? "IP4 or IP6 or VPN_RD or CF_SYM_KNOWN" : NULL);
		return false;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_CHAR || sc->chr != '/') {
		if (!bare)
			cli_syntax(s, sc, "'/'");
		*out = prefix_make(ip, max, fam);
		return bare;
	}
	cli_scan_step(sc);
	if (sc->tok != TOK_NUM || sc->num > max) {
		if (sc->tok == TOK_NUM)
			cli_end(s, CLI_BAD_COMMAND, "Invalid prefix length %llu",
			    (unsigned long long)sc->num);
		else
			cli_syntax(s, sc, "NUM");
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
		cli_syntax(s, sc, "NUM");
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

#define HINT_MAX 4 /* a longer list of what was expected isn't shown */

/* is_class - `all` and `off` stand for several, and for none. */
static bool
is_class(const struct opt_name *n)
{
	return strcmp(n->word, "all") != 0 && strcmp(n->word, "off") != 0;
}

static bool
wrong_class(struct cli_session *s, const struct cli_scan *sc, const struct opt_name *n)
{
	struct strbuf b;
	unsigned cnt = 0;

	strbuf_init(&b);
	for (; n->word; n++) {
		if (!is_class(n))
			continue;
		strbuf_adds(&b, cnt++ ? " or " : "");
		for (const char *c = n->word; *c; c++)
			strbuf_addc(&b, (char)toupper((unsigned char)*c));
	}
	cli_syntax(s, sc, cnt <= HINT_MAX ? b.s : NULL);
	strbuf_fini(&b);
	return false;
}

static bool
take_class(struct cli_scan *sc, const struct opt_name *n, uint32_t *mask)
{
	for (; n->word; n++)
		if (is_class(n) && cli_scan_word(sc, n->word)) {
			*mask |= n->value;
			return true;
		}
	return false;
}

static bool
wrong_mask(struct cli_session *s, const struct cli_scan *sc, const char *before)
{
	struct strbuf b;

	strbuf_init(&b);
	strbuf_addf(&b, "%sOFF or '{' or ALL", before);
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
		return wrong_mask(s, sc, before);
	do {
		if (!take_class(sc, names, out))
			return wrong_class(s, sc, names);
	} while (cli_scan_char(sc, ','));
	if (cli_scan_char(sc, '}'))
		return true;
	cli_syntax(s, sc, "',' or '}'");
	return false;
}
